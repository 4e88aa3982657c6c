"""Who wins: proof-number search beside alpha-beta, on the same positions, each with a table of its own.

Alpha-beta is asked twice: for the value with plies, and only for who wins. `in turns` is `ludus solve --method proof`.
The random positions come after so many random plies, the same for all. A run that takes too long is stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from itertools import repeat
from time import process_time
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import ludus
from bench.wide_breakthrough import EXAMPLE, WideBreakthrough
from ludus.compiled.masks import actions
from ludus.solving.alpha_beta import SLICE, Searcher
from ludus.solving.outcomes import Outcomes
from ludus.solving.proof_number import DRAW, WIN, ProofSearcher
from ludus.solving.value import seen_by_mover, sign

MEMORY = 1 << 29
SEED = 7


class Question(NamedTuple):
    """Positions of a game: its start, or some after random plies."""

    game: str
    plies: int = 0
    positions: int = 1

    def make_game(self) -> Any:
        """The game; breakthrough(rows, columns) with the actions of large boards."""
        name, _, size = self.game.partition(" ")
        if name != "breakthrough":
            return ludus.make_game(self.game)
        rows, columns = map(int, size.split("x"))
        fits = 3 * columns * (rows - 1) <= 63
        return (
            ludus.make_game(f"{EXAMPLE}(rows={rows}, columns={columns})") if fits else WideBreakthrough(rows, columns)
        )


QUICK = (
    Question("breakthrough 5x4"),
    Question("breakthrough 5x5", 8, 10),
    Question("toads-and-frogs(toads=7, gaps=6, frogs=7)"),
    Question("connect-four(width=6, height=4)"),
    Question("connect-four", 12, 10),
)
QUESTIONS = (
    Question("breakthrough 5x4"),
    Question("breakthrough 5x5"),
    Question("breakthrough 5x5", 8, 10),
    Question("breakthrough 6x5", 16, 10),
    Question("breakthrough 5x6", 12, 10),
    Question("toads-and-frogs(toads=5, gaps=6, frogs=5)"),
    Question("toads-and-frogs(toads=7, gaps=6, frogs=7)"),
    Question("toads-and-frogs(toads=6, gaps=8, frogs=6)"),
    Question("toads-and-frogs(toads=6, gaps=6, frogs=6)", 6, 10),
    Question("connect-four(width=6, height=4)"),
    Question("connect-four(width=5, height=6)"),
    Question("connect-four", 16, 20),
    Question("connect-four", 12, 10),
    Question("connect-four", 10, 5),
    Question("connect-four", 8, 3),
)


class Run(NamedTuple):
    """What one way took for all positions of a question; how many it left open."""

    nodes: int = 0
    seconds: float = 0.0
    open: int = 0


class TooLongError(Exception):
    """A position takes longer than it was allowed."""


def with_plies(game: Any) -> tuple[Any, Callable[[Any], int]]:
    """Alpha-beta, for the value with plies."""
    searcher = Searcher(game, memory=MEMORY)
    return searcher, lambda pos: sign(searcher.search_value(pos))


def who_wins(game: Any) -> tuple[Any, Callable[[Any], int]]:
    """Alpha-beta, for who wins."""
    searcher = Searcher(game, memory=MEMORY)

    def ask(pos: Any, goal: int) -> int:
        *_, answer = searcher.asking(pos, goal, repeat(SLICE))
        return sign(answer)

    return searcher, lambda pos: ask(pos, WIN) or ask(pos, DRAW)


def by_proof(game: Any) -> tuple[Any, Callable[[Any], int]]:
    """Proof-number search."""
    searcher = ProofSearcher(game, memory=MEMORY)
    return searcher, searcher.outcome


def in_turns(game: Any) -> tuple[Any, Callable[[Any], int]]:
    """Both in turns."""
    searcher = Outcomes(game, memory=MEMORY)
    return searcher, lambda pos: sign(seen_by_mover(game, pos, searcher.value(pos).score))


WAYS = {"plies": with_plies, "who wins": who_wins, "df-pn": by_proof, "in turns": in_turns}


def random_positions(game: Any, question: Question) -> Iterator[Any]:
    """The start, or positions that are not over after random plies."""
    generator, found = random.Random(SEED), 0
    while found < question.positions:
        pos = game.start()
        for _ in range(question.plies):
            legal = actions(game.legal(pos))
            pos = game.play(pos, generator.choice(legal)) if legal else pos
        if actions(game.legal(pos)):
            found += 1
            yield pos


def answered(way: str, game: Any, pos: Any, seconds: float) -> tuple[Run, int | None]:
    """What one way took for a position, and its answer; None if that takes longer than it may."""
    began = process_time()
    searcher, ask = WAYS[way](game)

    def watch(_: int) -> None:
        if process_time() - began > seconds:
            raise TooLongError

    searcher.progress = watch
    try:
        answer = ask(pos)
    except TooLongError:
        return Run(searcher.nodes, process_time() - began, 1), None
    return Run(searcher.nodes, process_time() - began), answer


def measured(question: Question, seconds: float) -> dict[str, Run]:
    """What each way took for all positions of a question; all answers must agree."""
    game, totals = question.make_game(), dict.fromkeys(WAYS, Run())
    for way in WAYS:
        answered(way, game, game.start(), 0.0)  # compiles
    for pos in random_positions(game, question):
        answers = set()
        for way in WAYS:
            run, answer = answered(way, game, pos, seconds)
            totals[way] = Run(*map(sum, zip(totals[way], run, strict=True)))
            answers |= set() if answer is None else {answer}
        if len(answers) > 1:
            raise AssertionError(f"{question}: {pos} has {answers}")
    return totals


def main() -> None:
    """Asks all questions and prints what they took."""
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few small questions")
    parser.add_argument("--seconds", type=float, default=60.0, help="stop a search of a position after so many")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    found = {}
    with Console(stderr=True).status("starting") as status:
        for question in QUICK if options.quick else QUESTIONS:
            status.update(f"{question}")
            found[question] = measured(question, options.seconds)
    if options.json:
        lines = [q._asdict() | {way: run._asdict() for way, run in runs.items()} for q, runs in found.items()]
        print(json.dumps(lines, indent=2))
    else:
        print_table(Console(), found)


def print_table(console: Console, found: dict[Question, dict[str, Run]]) -> None:
    """Million nodes and processor seconds."""
    table = Table("game", "plies", "positions", *WAYS, title="Who wins: million nodes, processor seconds")
    for question, runs in found.items():
        table.add_row(question.game, str(question.plies), str(question.positions), *map(in_words, runs.values()))
    console.print(table)


def in_words(run: Run) -> str:
    """What a run took, and how many positions it left open."""
    return f"{run.nodes / 1e6:.3g}, {run.seconds:.1f} s" + (f", {run.open} open" if run.open else "")


if __name__ == "__main__":
    main()
