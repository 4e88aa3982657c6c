"""Self-play as the Toads and Frogs paper tried it: a toad and a frog agent that learn against each other in turns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.agents.simple import Random
from ludus.arena.match import play_match
from ludus.arena.seats import Seats
from ludus.files import made_folder
from ludus.grading.grade import grade
from ludus.learning.dqn.config import Slip
from ludus.learning.head import HEAD
from ludus.learning.presets import configured
from ludus.learning.runs import Run, create, go_on, read_run
from ludus.study.papers.task import Task
from ludus.study.papers.toads_and_frogs_tasks import share, sliding

_EPSILON = 0.5  # at the start of the first epoch


def self_play(toads: Task, frogs: Task, board: str, epochs: int, games: int, matches: int, seed: int) -> Task:
    """What `fought` tells of two trainings that go on against each other."""
    return Task(
        f"toads against frogs on {board}, {epochs} epochs of {games} games, seed {seed}",
        fought,
        (board, epochs, games, matches, seed),
        keeps=True,
        needs=(toads, frogs),
        command=f"ludus train '{board}' dqn --preset paper --begin TOADS --opponent FROGS --games {games}",
        games=2 * epochs * games,
    )


def fought(
    board: str, epochs: int, games: int, matches: int, seed: int, folder: Path, folders: Sequence[Path]
) -> list[dict[str, float]]:
    """How two agents stood before and after each epoch, as `_standing` tells it."""
    game = catalog.make_game(board)
    toads, frogs = (read_run(path) for path in folders)
    told = [_standing(game, toads, frogs, matches, seed)]
    for epoch in range(epochs):
        words = {"epsilon": f"{_EPSILON / (epoch + 1):g}/sqrt", "games": str(games), "seed": str(seed)}
        against = {"begin": str(toads.path), "opponent": str(frogs.path)}
        toads = _trained(game, words | against, folder / f"toads-{epoch}")
        against = {"begin": str(frogs.path), "opponent": str(toads.path), "seats": "second"}
        frogs = _trained(game, words | against, folder / f"frogs-{epoch}")
        told.append(_standing(game, toads, frogs, matches, seed))
    return told


def _trained(game: Any, words: dict[str, str], folder: Path) -> Run:
    if (folder / HEAD).is_file():
        run = read_run(folder)
    else:
        plain = {"every": words["games"], "against": "none", "grade": "no"}
        run = create(game, *configured(game, "dqn", words | plain, "paper"), made_folder(folder))
    go_on(run)
    return run


def _standing(game: Any, toads: Run, frogs: Run, games: int, seed: int) -> dict[str, float]:
    """The share of games that toads win against frogs, both beginning in turns, and each against random; their grades.

    An illegal choice is a random legal move, as in the program: between two that never err there are but two games.
    """

    def won(a: Any, b: Any, seats: Seats) -> float:
        return share(play_match(game, a, b, games, seed=seed, seats=seats, alternate_starter=True, threads=1).all)

    toad, frog = sliding(toads, Slip.RANDOM), sliding(frogs, Slip.RANDOM)
    return {
        "toads": won(toad, frog, Seats.FIRST),
        "toads against random": won(toad, Random(), Seats.FIRST),
        "frogs against random": won(frog, Random(), Seats.SECOND),
        "toads right": _right(game, toads),
        "frogs right": _right(game, frogs),
    }


def _right(game: Any, run: Run) -> float:
    tally = grade(run.agent(), game, mistakes=0).all
    return float(tally.optimal) / max(tally.decisions, 1)
