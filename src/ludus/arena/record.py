"""Games on file: one JSON object a line, each a whole game (docs/records.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ludus import catalog, face
from ludus.agents.agent import opinion
from ludus.arena.match import GameResult
from ludus.behaviour import fingerprint
from ludus.errors import LudusError
from ludus.game import CHANCE
from ludus.masks import actions as actions_of
from ludus.parameters import format_value

VERSION = 1


class Record(NamedTuple):
    """One recorded game: agents by seat, the position at which it began, its actions, and the score at its end.

    `score` is None for a game that was cut; `opinions` may hold what the mover thought at each ply, by action.
    """

    game: Any
    seed: int | None
    number: int
    agents: tuple[str, str]
    start: Any
    actions: list[int]
    score: int | None
    opinions: list[dict[str, float] | None] | None = None

    def positions(self) -> list[Any]:
        """Every position of the game, the first and the last included."""
        reached = [self.start]
        for action in self.actions:
            reached.append(self.game.play(reached[-1], action))
        return reached


def from_result(game: Any, agents: tuple[Any, Any], seed: int, result: GameResult) -> Record:
    """The record of one game of a match, with what the agents thought if they say so."""
    by_seat = agents if result.seat == 0 else (agents[1], agents[0])
    names = catalog.name_of(by_seat[0]), catalog.name_of(by_seat[1])
    score = result.score if result.ended else None
    record = Record(game, seed, result.number, names, result.start, result.actions, score)
    return record._replace(opinions=_opinions(record, by_seat))


def _opinions(record: Record, agents: tuple[Any, Any]) -> list[dict[str, float] | None] | None:
    """What the mover thought at each ply; None when neither agent says."""
    thoughts = []
    for pos in record.positions()[:-1]:
        player = record.game.player(pos)
        thoughts.append(None if player == CHANCE else opinion(agents[player], record.game, pos))
    return thoughts if any(thoughts) else None


def write(record: Record, file: TextIO) -> None:
    """Append a record to an open file."""
    game = record.game
    line = {
        "ludus": VERSION,
        "game": catalog.name_of(game),
        "params": {name: format_value(value) for name, value in game._asdict().items()},
        "fingerprint": fingerprint(game),
        "seed": record.seed,
        "number": record.number,
        "agents": list(record.agents),
        "start": face.format_position(game, record.start),
        "actions": record.actions,
        "score": record.score,
    }
    if record.opinions is not None:
        line["opinions"] = record.opinions
    file.write(json.dumps(line) + "\n")


def read(path: Path) -> Iterator[Record]:
    """The records in a file; raises LudusError, naming the line, when one cannot be read or does not fit the rules."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LudusError(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _parse(json.loads(line))
            except (KeyError, TypeError, ValueError, LudusError) as error:
                raise LudusError(f"{path}, line {number}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _parse(line: Any) -> Record:
    if not isinstance(line, dict) or line.get("ludus") != VERSION:
        raise ValueError(f'no record of a game: it must be a JSON object with "ludus": {VERSION}')
    game = catalog.make_game(line["game"])
    if line.get("fingerprint", fingerprint(game)) != fingerprint(game):
        raise ValueError(f"the rules of {line['game']} have changed since it was recorded")
    start = face.parse_position(game, line["start"])
    record = Record(
        game,
        line["seed"],
        int(line["number"]),
        (str(line["agents"][0]), str(line["agents"][1])),
        start,
        [int(action) for action in line["actions"]],
        line["score"],
        line.get("opinions"),
    )
    _check(record)
    return record


def _check(record: Record) -> None:
    """Raise ValueError unless the actions are legal and lead to the score."""
    pos = record.start
    for ply, action in enumerate(record.actions, 1):
        if action not in actions_of(record.game.legal(pos)):
            raise ValueError(f"action {action} at ply {ply} is not legal")
        pos = record.game.play(pos, action)
    over = not actions_of(record.game.legal(pos))
    if record.score != (record.game.score(pos) if over else None):
        raise ValueError(f"the score {record.score} is not what the actions lead to")
