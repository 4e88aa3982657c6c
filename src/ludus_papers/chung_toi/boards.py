"""Positions of Chung Toi: the start, how a game ends, and what a network chooses before training and after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import ludus
from ludus import face
from ludus.report.document import Board, Boards, Part, Words
from ludus.solving.solution import Solution
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working, exact_solution, policies
from ludus_papers.chung_toi.plan import GAME, RESULTS, WAYS, as_paper, untrained

_BOARDS, _MOST = 3, 2_000  # positions that are shown, and games of random play in which they are looked for
_OUTCOMES = {1: "wins", 0: "draws", -1: "loses"}


def choices(game: str, folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Positions of random play where the choice of the first of two networks is a mistake, and the second's is not.

    Each with the actions of both, and how each ends with perfect play for the side to move.
    """
    truth, chance, found = exact_solution(game), Random(0), dict[Any, dict[str, Any]]()
    assert isinstance(truth, Solution)
    agents = [ludus.read_run(folder).agent() for folder in folders]
    for _ in range(_MOST):
        pos = truth.start
        while legal := ludus.actions(truth.game.legal(pos)):
            if pos not in found and (choice := _set_apart(truth, pos, agents)):
                found[pos] = choice
            if len(found) == _BOARDS:
                return list(found.values())
            pos = truth.game.play(pos, chance.choice(legal))
    return list(found.values())


def _set_apart(truth: Solution, pos: Any, agents: Sequence[Any]) -> dict[str, Any] | None:
    values = {action: _for_mover(truth, pos, action) for action in truth.actions(pos)}
    if len(set(values.values())) == 1:
        return None
    chosen = [int(policies(agent, truth.game, [pos])[0].argmax()) for agent in agents]
    ends = [values[action] for action in chosen]
    if not ends[0] < ends[1] == max(values.values()):
        return None
    names = [face.action_name(truth.game, pos, action) for action in chosen]
    return {"position": face.format_position(truth.game, pos), "actions": names, "ends": ends}


def _for_mover(truth: Solution, pos: Any, action: int) -> int:
    score = int(truth.value(truth.game.play(pos, action)).score)
    return score if truth.game.player(pos) == 0 else -score


def _choosing(lab: Lab) -> Task:
    settings = WAYS[RESULTS]
    needs = untrained(0, grade="no", **settings), as_paper(lab, 0, **settings)
    words = f"what a network of {GAME} chooses before training and after it, seed 0"
    return Task(words, choices, (GAME,), needs=needs, command="; ".join(each.command for each in needs))


def positions(lab: Lab) -> Working[Sequence[Part]]:
    """The start, a game that is won, and positions in which training has mended a choice."""
    found = yield {"choices": _choosing(lab)}
    game = ludus.make_game(GAME)
    pictures = [_board(game, each) for each in found["choices"]]
    moved = [
        Boards("mended", "What training has mended", pictures, "With wins taken by their result, seed 0.")
        if pictures
        else Words("No position of random play was found in which the trained network of seed 0 chooses better.")
    ]
    return [Boards("positions", "The game", _game(game)), *moved]


def _board(game: Any, choice: dict[str, Any]) -> Board:
    pos = face.parse_position(game, choice["position"])
    before, after = (f"{name} ({_OUTCOMES[end]})" for name, end in zip(choice["actions"], choice["ends"], strict=True))
    who = face.players(game)[game.player(pos)]
    return Board(face.draw(game, pos).svg, f"{who} to move. Before training: {before}; after it: {after}.")


def _game(game: Any) -> list[Board]:
    """The start, and the first game of random play that player 0 wins."""
    chance = Random(1)
    while True:
        line = [game.start()]
        while legal := ludus.actions(game.legal(line[-1])):
            line.append(game.play(line[-1], chance.choice(legal)))
        if game.score(line[-1]) > 0 and len(line) > 2 * 3 + 1:
            break
    words = ["The start: White places first.", "White will win at once.", "White has three in a row, and has won."]
    return [Board(face.draw(game, pos).svg, text) for pos, text in zip([line[0], *line[-2:]], words, strict=True)]
