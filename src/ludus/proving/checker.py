"""Check a certificate (docs/certificates.md) with Python's standard library and the rules of the game alone.

    python checker.py FILE MODULE:CLASS      for example  draw.json ludus.games.tic_tac_toe:TicTacToe
    python checker.py FILE PATH.py:CLASS                  nim.json  ./nim.py:Nim

A certificate claims a least score of a player from a position on, and holds a strategy: the actions among which that
player chooses wherever it is to move. The claim holds if, whatever the other side and chance do, the strategy has an
answer and no game ends with less; and, as endless play scores 0, for a claim above 0 no position repeats.
"""

from __future__ import annotations

import gzip
import importlib
import json
import os
import sys
from graphlib import CycleError, TopologicalSorter
from typing import Any

MOST_MEGABYTES = 256  # of a certificate, unpacked


class FailedError(Exception):
    """A certificate does not hold."""


def make_game(written: str, parameters: dict[str, Any]) -> Any:
    """The game: its code is named by whoever checks, its parameters by the certificate."""
    module, _, name = written.rpartition(":")
    if module.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        module = os.path.basename(module).removesuffix(".py")
    cls = getattr(importlib.import_module(module), name)
    for field, value in parameters.items():
        kind = type(cls._field_defaults.get(field, 0))
        parameters[field] = kind(*value) if isinstance(value, list) else kind(value)
    game = cls(**parameters)
    if hasattr(game, "validate"):
        game.validate()
    return game


def actions(mask: Any) -> list[int]:
    """The actions in a mask: the bits of one int, or of several with 63 in each."""
    words = mask if isinstance(mask, tuple) else (mask,)
    return [63 * place + bit for place, word in enumerate(words) for bit in range(63) if word >> bit & 1]


def follow(game: Any, start: Any, player: int, at_least: int, answers: dict[Any, list[int]]) -> dict[Any, list[Any]]:
    """The successors of each position on all lines of play; FailedError for a missing answer or too low a score."""
    leads_to: dict[Any, list[Any]] = {}
    waiting = [start]
    while waiting:
        pos = waiting.pop()
        if pos in leads_to:
            continue
        taken = legal = actions(game.legal(pos))
        if not legal and game.score(pos) * (1, -1)[player] < at_least:
            raise FailedError(f"{pos} ends the game with less than {at_least} for player {player}")
        if legal and game.player(pos) == player:
            taken = answers.get(pos, [])
            if not taken or not set(taken) <= set(legal):
                raise FailedError(f"in {pos} the strategy takes {taken}, but legal are {legal}")
        leads_to[pos] = [game.play(pos, action) for action in taken]
        waiting += leads_to[pos]
    return leads_to


def check(game: Any, start: Any, player: int, at_least: int, strategy: list[Any]) -> str:
    """The claim in words, if it holds."""
    if player not in (0, 1):
        raise FailedError(f"there is no player {player}")
    leads_to = follow(game, start, player, at_least, {tuple(pos): taken for pos, taken in strategy})
    try:
        TopologicalSorter(leads_to if at_least > 0 else {}).prepare()
    except CycleError as error:
        raise FailedError(f"play can come back to {error.args[1][0]} for ever, which scores 0") from None
    return f"player {player} scores at least {at_least} ({len(leads_to)} positions)"


def read(path: str) -> bytes:
    """The file, unpacked; FailedError if it is none, as a pipe, or has more bytes than any certificate."""
    if not os.path.isfile(path):
        raise FailedError(f"{path} is no file")
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
            if len(parts) > MOST_MEGABYTES:
                raise FailedError(f"it has more than {MOST_MEGABYTES} MB")
    return b"".join(parts)


def main(path: str, game_class: str) -> str:
    """Checks all claims of a certificate; returns them in words."""
    certificate = json.loads(read(path), parse_float=int, parse_constant=int)  # not NaN: nothing is less
    if certificate["certificate"] != 1 or not certificate["claims"]:
        raise FailedError("nothing is claimed in version 1 of the form")
    game = make_game(game_class, certificate["parameters"])
    start = type(game.start())(*certificate["start"])
    claims = [check(game, start, **claim) for claim in certificate["claims"]]
    return f"{game} from {'its start' if start == game.start() else start}: {', '.join(claims)}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python checker.py FILE MODULE:CLASS, or FILE PATH.py:CLASS")
    try:
        sys.stdout.write(f"holds: {main(*sys.argv[1:])}\n")
    except Exception as error:  # the file may be damaged in any way, and make the rules raise anything
        reason = str(error) if isinstance(error, FailedError) else f"{type(error).__name__}: {error}"
        sys.exit("fails: " + " ".join(reason.split()))
