"""The hounds' strategy, derived from a table of Q-values, proved against every fox, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus import face
from ludus.proving.certificate import prove_agent
from ludus.report.parts import Board
from ludus.study.papers.fox_and_hounds_cycles import GAME, HOUNDS, game
from ludus.study.papers.task import Task
from ludus.study.papers.tasks import made

_BOARDS = 8


def deriving(table: Task) -> Task:
    """What the hounds do by the table of a training, as `derive` gives it."""
    command = f"ludus prove {GAME} --agent RUN --seat second"
    return Task(f"the strategy in the table of {table.name}", derive, needs=(table,), command=command)


def derive(folders: Sequence[Path]) -> dict[str, Any]:
    """Every position that can arise with these hounds, with what they do there, and the least that they score.

    at_least: 1 for a win against every fox, whatever it does; positions: how many can arise, whoever is to move;
    answers: what the hounds do, by the position as it is written.
    """
    (strategy,) = prove_agent(game(), made(0, folders), HOUNDS).strategies
    answers = {
        face.format_position(game(), pos): face.action_name(game(), pos, taken[0])
        for pos, taken in strategy.answers.items()
    }
    return {"at_least": strategy.at_least, "positions": strategy.positions, "answers": answers}


def as_listing(derived: dict[str, Any]) -> str:
    """The whole strategy, a position and an action in each line."""
    return "".join(f"{position}  {action}\n" for position, action in derived["answers"].items())


def boards(derived: dict[str, Any]) -> list[Board]:
    """Some positions of the strategy on the way to the end, with what the hounds do there."""
    every = list(derived["answers"].items())
    chosen = every[:: max(len(every) // _BOARDS, 1)][:_BOARDS]
    return [Board(face.draw(game(), face.parse_position(game(), position)).svg, action) for position, action in chosen]
