"""Exports a game as a folder with a page that plays it by the graph of its positions, without a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

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

LIMIT = 50_000  # positions
_GAME = "assets/game.js"
_STEPS = 12  # by which parameters are made smaller
_OFFERED = 3


class Exported(NamedTuple):
    """What was written: positions, their actions, the agents, and the bytes of the game and of all files."""

    game: str
    folder: Path
    positions: int
    edges: int
    agents: list[str]
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
    """Writes a game under a name with these agents into a folder; replaces an earlier export."""
    refuse_if_taken(folder)
    explored = explore_within(game, name, limit)
    solution = solve_explored(explored, explored.start)
    exported = exported_agents(solution, agents)
    columns = Columns()
    graph, positions = put_graph(columns, explored, on_progress)
    values = put_values(columns, solution, explored.graph) | put_forms(columns, explored)
    opponents = put_agents(columns, positions, solution, exported, on_progress)
    head = _about(game, name) | {"solution": game_solution(game, solution).model_dump(mode="json")}
    files = page_files() | {_GAME: as_script(columns.packed(head | graph | values | {"opponents": opponents}))}
    for file, data in files.items():
        made_folder((folder / file).parent)
        write_whole(folder / file, [data])
    titles = [one.opponent.agent for one in exported]
    size = sum(len(data) for data in files.values())
    return Exported(head["game"]["game"], folder, len(explored), explored.edges, titles, len(files[_GAME]), size)


def _about(game: Any, name: str) -> dict[str, Any]:
    """A game and its card as the page shows them; the title of a variant has its parameters."""
    written = format_with_parameters(name, game)
    card, view = game_card(written, game).model_dump(mode="json"), game_view(written, game).model_dump(mode="json")
    alike = {field: card[field] for field in ("title", "known", "reachable")} | {"name": written}
    return {"card": card | alike, "game": view | alike}


def explore_within(game: Any, name: str, limit: int) -> Explored:
    """All positions of a game; LudusError for more than the limit, with parameters that make it small enough."""
    explored = explore(game, limit=limit)
    if _is_whole(explored, limit):
        return explored
    known = getattr(type(game), "reachable", None) if game == type(game)() else None
    size = f"{known:,}" if known else f"more than {limit:,}"
    small = [format_with_parameters(name, one) for one in _small_enough(game, limit)]
    instead = f"take a smaller one, such as {' or '.join(small)}, or " if small else ""
    raise LudusError(f"{format_with_parameters(name, game)} has {size} positions: {instead}raise --limit")


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
