"""A game to take away: a folder with a page in which the graph of its positions is the game."""

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
from ludus.web.api.games import card_of, told_of
from ludus.web.api.solutions import listed_facts
from ludus.web.export.agents import asked_agents, put_agents
from ludus.web.export.graph import Columns, Tell, as_script, put_forms, put_graph, put_truth
from ludus.web.export.page import page_files

LIMIT = 50_000  # positions


_GAME = "assets/game.js"


class Exported(NamedTuple):
    """What was written: positions and the actions in them, who can be played against, bytes of the game and of all."""

    game: str
    folder: Path
    positions: int
    edges: int
    agents: list[str]
    game_bytes: int
    bytes: int


def refuse_if_taken(folder: Path) -> None:
    """Raise LudusError if a folder holds something else than an earlier export."""
    if folder.exists() and not (folder / _GAME).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise LudusError(f"{folder} is there and is no exported game: name another folder with --out")


def export(
    game: Any,
    name: str,
    folder: Path,
    agents: Sequence[Any] = (),
    *,
    limit: int = LIMIT,
    on_progress: Tell | None = None,
) -> Exported:
    """Write a game, called so, with these agents into a folder, in place of an earlier export."""
    refuse_if_taken(folder)
    on_progress = on_progress or (lambda stage, done, total: None)
    explored = listed_within(game, name, limit)
    solution = solve_explored(explored, explored.start)
    asked = asked_agents(solution, agents)
    columns = Columns()
    graph, listing = put_graph(columns, explored, on_progress)
    truth = put_truth(columns, solution, explored.graph) | put_forms(columns, explored)
    opponents = put_agents(columns, listing, solution, asked, on_progress)
    head = told_about(game, name) | {"facts": listed_facts(game, solution).model_dump(mode="json")}
    files = page_files() | {_GAME: as_script(columns.packed(head | graph | truth | {"opponents": opponents}))}
    _write(folder, files)
    titles = [one.opponent.agent for one in asked]
    size = sum(len(data) for data in files.values())
    return Exported(head["game"]["game"], folder, len(explored), explored.edges, titles, len(files[_GAME]), size)


def told_about(game: Any, name: str) -> dict[str, Any]:
    """A game and its card as the page shows them; a variant is called by its parameters, as no other game is there."""
    written = format_with_parameters(name, game)
    card, told = card_of(name, game).model_dump(mode="json"), told_of(written, game).model_dump(mode="json")
    changed: dict[str, str | None] = {"name": written}
    if written != name:
        changed |= {"title": f"{told['title']} {written.removeprefix(name)}", "known": "", "reachable": None}
    return {"card": card | changed, "game": told | changed}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        made_folder((folder / name).parent)
        write_whole(folder / name, [data])


_STEPS = 12  # by which parameters are made smaller

_OFFERED = 3


def listed_within(game: Any, name: str, limit: int) -> Explored:
    """All positions of a game; LudusError for one with more than the limit, saying which parameters make it small."""
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
    """The largest of the games that are small enough with a little less of some whole parameters, alike of each."""
    hints = type_hints(type(game))
    sizes = [field for field in game._fields if hints[field] is int]
    some = [fields for count in range(1, len(sizes) + 1) for fields in combinations(sizes, count)]
    found = dict(one for fields in some for one in _first_small(game, fields, limit))
    return sorted(found, key=lambda one: -found[one])[:_OFFERED]


def _first_small(game: Any, fields: Sequence[str], limit: int) -> Iterator[tuple[Any, int]]:
    """The first game that is small enough as these parameters get smaller step by step, and its positions."""
    for less in range(1, _STEPS + 1):
        smaller = game._replace(**{field: getattr(game, field) - less for field in fields})
        try:
            explored = explore(smaller, limit=limit)
        except ValueError:  # it makes no game
            continue
        if _is_whole(explored, limit):
            yield smaller, len(explored)
            return
