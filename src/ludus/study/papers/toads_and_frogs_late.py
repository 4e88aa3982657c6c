"""Grades on a board too large to list, by late positions whose truth can be known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ludus import catalog
from ludus.files import write_whole
from ludus.games.toads_and_frogs import Position
from ludus.learning.runs import read_run
from ludus.masks import actions
from ludus.study.papers.task import Task
from ludus.study.papers.toads_and_frogs_tasks import winning

_SAMPLE = "sample.json"


def late_grade(trained: Task, board: str, positions: int) -> Task:
    """What `graded_late` tells of a training."""
    sample = Task(f"late positions of {board}", sample_late, (board, positions), keeps=True)
    name, command = f"late grade of {trained.name}", f"ludus grade RUN '{board}' --positions {positions}"
    return Task(name, graded_late, (board,), needs=(trained, sample), command=command)


def graded_late(board: str, folders: Sequence[Path]) -> dict[str, Any]:
    """The share of right moves in the sample by games trained, and that of random moves."""
    game, run = catalog.make_game(board), read_run(folders[0])
    sample = [(Position(*pos), wins) for pos, wins in json.loads((folders[1] / _SAMPLE).read_text())]
    chance = [len(wins) / len(actions(game.legal(pos))) for pos, wins in sample]
    right = []
    for games in run.snapshots():
        chosen = run.agent_after(games).policies(game, [pos for pos, _ in sample])
        right.append(float(np.mean([sum(row[wins]) for row, (_, wins) in zip(chosen, sample, strict=True)])))
    return {"games": run.snapshots(), "right": right, "chance": float(np.mean(chance))}


def sample_late(board: str, positions: int, folder: Path, folders: Sequence[Path]) -> int:
    """Write down so many late positions, one a game, the same for all networks."""
    found = list(islice(_late(catalog.make_game(board)), positions))
    write_whole(folder / _SAMPLE, [json.dumps(found).encode()])
    return len(found)


def _late(game: Any) -> Iterator[tuple[Position, list[int]]]:
    """Positions from the last third of random games, toads to move, some moves winning; and these."""
    generator = np.random.default_rng(0)
    while True:
        pos, met = game.start(), []
        while legal := actions(game.legal(pos)):
            if pos.turn == 0 and len(legal) > 1:
                met.append(pos)
            pos = game.play(pos, legal[generator.integers(len(legal))])
        for pos in met[2 * len(met) // 3 :]:
            wins = winning(game, pos)
            if wins and len(wins) < len(actions(game.legal(pos))):
                yield pos, wins
                break
