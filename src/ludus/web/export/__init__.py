"""Exports a game as a folder with a page that needs no server: with the graph of its positions, or by its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ludus.errors import LudusError
from ludus.files import made_folder, write_whole
from ludus.parameters import format_with_parameters, type_hints
from ludus.solving.explore import Explored, explore
from ludus.solving.solver import solve_explored
from ludus.web.api.games import game_card, game_view
from ludus.web.api.solutions import game_solution
from ludus.web.export.agents import exported_agents, put_agents
from ludus.web.export.graph import Columns, OnProgress, as_script, put_forms, put_graph, put_values
from ludus.web.export.page import page_files
from ludus.web.export.rules import by_rules

LIMIT = 50_000  # positions
_GAME = "assets/game.js"
_STEPS = 12  # by which parameters are made smaller
_OFFERED = 3


class Exported(NamedTuple):
    """What was written: the agents, what was left out, and the bytes of the game and of all files.

    `kind`: a graph of so many positions and edges; or rules, by which the browser makes a table of all values, or
    searches, or only plays.
    """

    game: str
    folder: Path
    kind: Literal["graph", "table", "search", "rules"]
    positions: int | None
    edges: int | None
    agents: list[str]
    left_out: list[str]
    game_bytes: int
    bytes: int


def refuse_if_taken(folder: Path) -> None:
    """Raises LudusError if a folder holds something else than an earlier export."""
    if folder.exists() and not (folder / _GAME).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise LudusError(f"{folder} exists and is no exported game: name another folder with --out")


def export(
    game: Any,
    name: str,
    folder: Path,
    agents: Sequence[Any] = (),
    *,
    limit: int = LIMIT,
    on_progress: OnProgress = lambda stage, done, total: None,
) -> Exported:
    """Writes a game under a name with these agents into a folder; replaces an earlier export.

    A game of more positions than the limit is exported by its rules, and then without agents.
    """
    refuse_if_taken(folder)
    explored = explore(game, limit=limit)
    if agents and not _is_whole(explored, limit):
        raise _too_large_for_agents(game, name, limit)
    head = _about(game, name)
    if _is_whole(explored, limit):
        written = _graph(explored, head, agents, on_progress)
    else:
        written = _rules(game, head, on_progress)
    return _put(folder, head["game"]["game"], written)


class _Written(NamedTuple):
    """The files of the page and those of the game, and what there is to say of them."""

    page: dict[str, bytes]
    game: dict[str, bytes]
    about: dict[str, Any]


def _graph(explored: Explored, head: dict[str, Any], agents: Sequence[Any], on_progress: OnProgress) -> _Written:
    solution = solve_explored(explored, explored.start)
    exported = exported_agents(solution, agents)
    columns = Columns()
    graph, positions = put_graph(columns, explored, on_progress)
    values = put_values(columns, solution, explored.graph) | put_forms(columns, explored)
    opponents = put_agents(columns, positions, solution, exported, on_progress)
    head = head | {"solution": game_solution(explored.game, solution).model_dump(mode="json")}
    data = as_script(columns.packed(head | graph | values | {"opponents": opponents}))
    titles = [one.opponent.agent for one in exported]
    about = {"kind": "graph", "positions": len(explored), "edges": explored.edges, "agents": titles, "left_out": []}
    return _Written(page_files(), {_GAME: data}, about)


def _rules(game: Any, head: dict[str, Any], on_progress: OnProgress) -> _Written:
    found = by_rules(game, head, on_progress)
    titles = [one["agent"] for one in found.opponents]
    about = {"kind": found.kind, "positions": None, "edges": None, "agents": titles, "left_out": found.left_out}
    return _Written(page_files(has_rules=True), found.files, about)


def _put(folder: Path, game: str, written: _Written) -> Exported:
    for file, data in (written.page | written.game).items():
        made_folder((folder / file).parent)
        write_whole(folder / file, [data])
    page_bytes, game_bytes = (sum(map(len, files.values())) for files in (written.page, written.game))
    return Exported(game=game, folder=folder, **written.about, game_bytes=game_bytes, bytes=page_bytes + game_bytes)


def _about(game: Any, name: str) -> dict[str, Any]:
    """A game and its card as the page shows them; the title of a variant has its parameters."""
    written = format_with_parameters(name, game)
    card, view = game_card(written, game).model_dump(mode="json"), game_view(written, game).model_dump(mode="json")
    alike = {field: card[field] for field in ("title", "known", "reachable")} | {"name": written}
    return {"card": card | alike, "game": view | alike}


def _too_large_for_agents(game: Any, name: str, limit: int) -> LudusError:
    """What to say of more positions than the limit, with parameters that make the game small enough."""
    known = getattr(type(game), "reachable", None) if game == type(game)() else None
    size = f"{known:,}" if known else f"more than {limit:,}"
    small = [format_with_parameters(name, one) for one in _small_enough(game, limit)]
    instead = f"take a smaller game, such as {' or '.join(small)}, or " if small else ""
    return LudusError(
        f"{format_with_parameters(name, game)} has {size} positions, and agents are exported with every position:"
        f" {instead}leave --agent out, or raise --limit"
    )


def _is_whole(explored: Explored, limit: int) -> bool:
    return explored.complete and len(explored) <= limit


def _small_enough(game: Any, limit: int) -> list[Any]:
    """The largest games within the limit that have some integer parameters reduced by the same amount."""
    hints = type_hints(type(game))
    sizes = [field for field in game._fields if hints[field] is int]
    some = [fields for count in range(1, len(sizes) + 1) for fields in combinations(sizes, count)]
    found = dict(one for fields in some for one in _first_small(game, fields, limit))
    return sorted(found, key=lambda one: -found[one])[:_OFFERED]


def _first_small(game: Any, fields: Sequence[str], limit: int) -> Iterator[tuple[Any, int]]:
    """The first game within the limit as these parameters decrease, and its positions."""
    for less in range(1, _STEPS + 1):
        smaller = game._replace(**{field: getattr(game, field) - less for field in fields})
        try:
            explored = explore(smaller, limit=limit)
        except ValueError:  # invalid parameters
            continue
        if _is_whole(explored, limit):
            yield smaller, len(explored)
            return
