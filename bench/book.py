"""The time in which `perfect` answers at connect four, in games from both seats against random and greedy replies."""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from time import process_time
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import ludus
from ludus.agents.agent import probabilities
from ludus.agents.perfect import Bounded
from ludus.game import promise
from ludus.solving.solver import search

GAMES = 40  # for each seat and kind of replies
MEMORY = 1 << 29  # of the transposition table, as on the page


class Answer(NamedTuple):
    """One move of `perfect`: its cost, and whether it is proven to be the best."""

    seconds: float
    nodes: int
    proven: bool
    played: list[int]


def main() -> None:
    game: Any = ludus.make_game(sys.argv[1] if len(sys.argv) > 1 else "connect-four")
    games = int(sys.argv[2]) if len(sys.argv) > 2 else GAMES
    answers: dict[int, list[Answer]] = defaultdict(list)
    next(played(game, 0, random_reply, random.Random(0)))  # compiles
    for reply in (random_reply, greedy_reply):
        for number in range(games):
            for seat in (0, 1):
                for answer in played(game, seat, reply, random.Random(number)):
                    answers[len(answer.played)].append(answer)
    show(answers)


def random_reply(game: Any, pos: Any, draw: random.Random) -> int:
    return draw.choice(ludus.actions(game.legal(pos)))


def greedy_reply(game: Any, pos: Any, draw: random.Random) -> int:
    """What looks best at a glance, now and then anything."""
    legal = ludus.actions(game.legal(pos))
    return draw.choice(legal) if draw.random() < 0.3 else max(legal, key=lambda action: promise(game, pos, action))


def played(game: Any, seat: int, reply: Any, draw: random.Random) -> Any:
    """The answers of one game, whose search begins with an empty table."""
    pos, line = game.start(), list[int]()
    agent = Bounded(search(game, pos, MEMORY, None), 1.0)
    while ludus.actions(game.legal(pos)):
        if game.player(pos) == seat:
            nodes, began = agent.truth.searcher.nodes, process_time()
            policy = probabilities(agent, game, pos)
            seconds = process_time() - began
            yield Answer(seconds, agent.truth.searcher.nodes - nodes, not agent.remark, list(line))
            action = int(policy.argmax())
        else:
            action = reply(game, pos, draw)
        line.append(action)
        pos = game.play(pos, action)


def show(answers: dict[int, list[Answer]]) -> None:
    """The cost of the answers, ply by ply, and the slowest of all."""
    columns = "answers", "without search", "not proven", "mean seconds", "at most", "most nodes"
    table = Table("ply", *columns, title="perfect: one core, processor time")
    for ply, found in sorted(answers.items()):
        seconds = [answer.seconds for answer in found]
        unsearched = sum(answer.nodes == 0 for answer in found) / len(found)
        unproven, nodes = sum(not answer.proven for answer in found), max(answer.nodes for answer in found)
        row = (
            f"{unsearched:.0%}",
            str(unproven),
            f"{sum(seconds) / len(found):.3f}",
            f"{max(seconds):.2f}",
            f"{nodes:,}",
        )
        table.add_row(str(ply), str(len(found)), *row)
    slowest = max((answer for found in answers.values() for answer in found), key=lambda answer: answer.seconds)
    Console().print(
        table, f"slowest: {slowest.seconds:.2f} s after columns {[action + 1 for action in slowest.played]}"
    )


if __name__ == "__main__":
    main()
