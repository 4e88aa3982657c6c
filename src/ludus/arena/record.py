"""Games on file: one JSON object a line, each a whole game (docs/records.md)."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ludus import catalog, face
from ludus.agents.agent import evaluations, score_of_resigning
from ludus.arena.match import GameResult
from ludus.compiled.masks import actions as actions_of
from ludus.documents import checksum
from ludus.errors import LudusError, in_one_line
from ludus.files import read_regular
from ludus.fingerprints import fingerprint
from ludus.game import CHANCE
from ludus.parameters import format_value, parse_written

VERSION = 1
_BEGINNING = b'{"ludus": '  # of a line
_LONGEST = 1 << 24  # bytes of a line
_TOGETHER = 256  # games in which an agent evaluates all positions at once
_fingerprint = lru_cache(64, typed=True)(fingerprint)  # typed: two games without parameters are equal tuples


class Record(NamedTuple):
    """One recorded game: agents by seat, the position at which it began, its actions, and the score at its end.

    score: None for a game that was cut; evaluations: those of the side to move at each ply, by action; resigned:
    whether the game ended because the side to move resigned.
    """

    game: Any
    seed: int | None
    number: int
    agents: tuple[str, str]
    start: Any
    actions: list[int]
    score: int | None
    evaluations: list[dict[str, float] | None] | None = None
    resigned: bool = False

    def positions(self) -> list[Any]:
        """Every position of the game, the first and the last included."""
        reached = [self.start]
        for action in self.actions:
            reached.append(self.game.play(reached[-1], action))
        return reached


class Recorder:
    """Appends the games of a match to an open file, many at a time if an agent evaluates many positions at once."""

    def __init__(self, game: Any, agents: tuple[Any, Any], seed: int, file: BinaryIO) -> None:
        self._match, self._file = (game, agents, seed), file
        self._most = _TOGETHER if any(hasattr(agent, "evaluations") for agent in agents) else 1
        self._waiting: list[GameResult] = []

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()

    def add(self, result: GameResult) -> None:
        """Record a game, at once or together with later ones."""
        self._waiting.append(result)
        if len(self._waiting) == self._most:
            self._write()

    def _write(self) -> None:
        results, self._waiting = self._waiting, []
        for record in from_results(*self._match, results):
            write(record, self._file)


def from_results(game: Any, agents: tuple[Any, Any], seed: int, results: Sequence[GameResult]) -> list[Record]:
    """The records of some games; each agent evaluates the positions of all of them at once."""
    records = [_without_evaluations(game, agents, seed, result) for result in results]
    asked: tuple[list[tuple[int, int, Any]], ...] = ([], [])
    for number, (record, result) in enumerate(zip(records, results, strict=True)):
        for ply, pos in enumerate(record.positions()[:-1]):
            if (player := game.player(pos)) != CHANCE:
                asked[player != result.seat].append((number, ply, pos))
    found: list[list[dict[str, float] | None]] = [[None] * len(record.actions) for record in records]
    for agent, places in zip(agents, asked, strict=True):
        answers = evaluations(agent, game, [pos for _, _, pos in places])
        for (number, ply, _), answer in zip(places, answers, strict=True):
            found[number][ply] = answer
    return [record._replace(evaluations=own if any(own) else None) for record, own in zip(records, found, strict=True)]


def _without_evaluations(game: Any, agents: tuple[Any, Any], seed: int, result: GameResult) -> Record:
    names = catalog.name_of(agents[result.seat]), catalog.name_of(agents[1 - result.seat])
    score = result.score if result.ended else None
    return Record(game, seed, result.number, names, result.start, result.actions, score, resigned=result.resigned)


def open_records(path: Path) -> BinaryIO:
    """A file to which records are appended, without what a killed process has left of its last line."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would wait for its reader
    try:
        file = open(path, "rb+", buffering=0, opener=lambda name, _: os.open(name, flags, 0o666))  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise LudusError(f"{path} cannot be written: {getattr(error, 'strerror', error)}") from None
    try:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise LudusError(f"{path} cannot be written: it is no regular file")
        with _alone(file):
            _cut_off_partial_line(file, path)
    except LudusError:
        file.close()
        raise
    return file


def _cut_off_partial_line(file: BinaryIO, path: Path) -> None:
    end = file.seek(0, os.SEEK_END)
    begin = max(0, end - _LONGEST)
    partial = os.pread(file.fileno(), end - begin, begin).rpartition(b"\n")[2]
    if not partial.startswith(_BEGINNING[: len(partial)]):
        raise LudusError(f"{path} cannot be written: it ends with a line that is no record of a game")
    file.truncate(end - len(partial))


@contextlib.contextmanager
def _alone(file: BinaryIO) -> Iterator[None]:
    """Lets no other process append to a file meanwhile."""
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def write(record: Record, file: BinaryIO) -> None:
    """Append a record to an open file, all of it or nothing."""
    line = _as_line(record)
    left = json.dumps(line | {"digest": checksum(line)}).encode() + b"\n"
    with _alone(file):
        end = file.seek(0, os.SEEK_END)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                file.truncate(end)
            raise LudusError(f"{file.name} cannot be written: {error.strerror}") from None


def _as_line(record: Record) -> dict[str, Any]:
    game = record.game
    line = {
        "ludus": VERSION,
        "game": catalog.name_of(game),
        "params": _params(game),
        "fingerprint": _fingerprint(game),
        "seed": record.seed,
        "number": record.number,
        "agents": list(record.agents),
        "start": face.format_position(game, record.start),
        "actions": record.actions,
        "score": record.score,
    }
    resigned = {"resigned": True} if record.resigned else {}
    return line | resigned | ({} if record.evaluations is None else {"evaluations": record.evaluations})


def _params(game: Any) -> dict[str, str]:
    return {name: format_value(value) for name, value in game._asdict().items()}


def read(path: Path, given: Any = None) -> Iterator[Record]:
    """The records in a file; raises LudusError, naming the line, when one cannot be read or does not fit the rules.

    Reading runs no code that the file names: `given` is the game of the records whose game is a file.
    """
    try:
        lines = read_regular(path).decode().split("\n")
    except UnicodeDecodeError as error:
        raise LudusError(f"{path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _parse(line, path, given)
            except Exception as error:  # a line may lead the rules of a game anywhere
                raise LudusError(f"{path}, line {number}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error.msg}"
    return " ".join(str(error).split()) if isinstance(error, ValueError) else in_one_line(error)


def _parse(text: str, path: Path, given: Any) -> Record:
    line = json.loads(text)
    if not isinstance(line, dict) or line.get("ludus") != VERSION:
        raise ValueError(f'no record of a game: it must be a JSON object with "ludus": {VERSION}')
    if line.pop("digest", None) not in (None, checksum(line)):
        raise ValueError("its checksum is wrong")
    for key, (fits, form) in _FORM.items():
        if key not in line and key not in _OPTIONAL:
            raise ValueError(f'"{key}" is missing')
        if key in line and not fits(line[key]):
            raise ValueError(f'"{key}" must be {form}')
    game = _game(line["game"], path, given)
    _check_game(game, line)
    start, agents = face.parse_position(game, line["start"]), (line["agents"][0], line["agents"][1])
    after = line["actions"], line["score"], line.get("evaluations"), line.get("resigned", False)
    record = Record(game, line["seed"], line["number"], agents, start, *after)
    _check_play(record)
    return record


def _game(name: str, path: Path, given: Any) -> Any:
    """The game of this name; of one that is a file, the one given instead."""
    bare = parse_written(name).name
    if not any(sign in bare for sign in ("/", ".py", ":")):
        return catalog.make_game(name)
    if given is None:
        option = f"ludus replay {shlex.quote(str(path))} --with {shlex.quote(name[:80])}"
        raise LudusError(f"its game is a file, which a record may not load; if you trust it: {option}")
    return given


def _is(*kinds: type, of: Callable[[Any], bool] | None = None) -> Callable[[Any], bool]:
    """A test for a value of one of these types whose items, or values, all pass a test."""

    def test(value: Any) -> bool:
        items = value.values() if isinstance(value, dict) else value or ()
        return type(value) in kinds and (of is None or all(map(of, items)))

    return test


def _is_number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < 1 << 63)


_NULL = type(None)
_FORM: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (_is(str), "a text"),
    "params": (_is(dict, of=_is(str)), "an object of texts"),
    "fingerprint": (_is(str), "a text"),
    "seed": (_is(int, _NULL), "a whole number or null"),
    "number": (_is(int), "a whole number"),
    "agents": (lambda value: _is(list, of=_is(str))(value) and len(value) == 2, "a list of two texts"),
    "start": (_is(str), "a text"),
    "actions": (_is(list, of=_is(int)), "a list of whole numbers"),
    "score": (_is(int, _NULL), "a whole number or null"),
    "resigned": (_is(bool), "true or false"),
    "evaluations": (
        _is(list, _NULL, of=_is(dict, _NULL, of=_is_number)),
        "a list with, for each action, null or an object of numbers",
    ),
}
_OPTIONAL = ("params", "fingerprint", "resigned", "evaluations")


def _check_game(game: Any, line: dict[str, Any]) -> None:
    """Raise ValueError unless the parameters and the rules are those of the game."""
    name = catalog.name_of(game)
    if line.get("params", _params(game)) != _params(game):
        raise ValueError(f'"params" contradict the game {name}: its own are {json.dumps(_params(game))}')
    if line.get("fingerprint", _fingerprint(game)) != _fingerprint(game):
        raise ValueError(f"the rules of {name} have changed since it was recorded")


def _check_play(record: Record) -> None:
    """Raise ValueError unless the actions and those of the evaluations are legal, and lead to the score."""
    pos = record.start
    evaluated = [None] * len(record.actions) if record.evaluations is None else record.evaluations
    if len(evaluated) != len(record.actions):
        raise ValueError(f'"evaluations" are {len(evaluated)} for {len(record.actions)} actions')
    for ply, action in enumerate(record.actions, 1):
        legal = actions_of(record.game.legal(pos))
        if action not in legal:
            raise ValueError(f"action {action} at ply {ply} is not legal")
        if set(evaluated[ply - 1] or ()) - set(map(str, legal)):
            raise ValueError(f'"evaluations" at ply {ply} name an action that is not legal')
        pos = record.game.play(pos, action)
    if record.score != _score_at(record, pos):
        raise ValueError(f"the score {record.score} is not what the actions lead to")


def _score_at(record: Record, pos: Any) -> int | None:
    """The score of a game that ends in a position, None if it was cut there."""
    over = not actions_of(record.game.legal(pos))
    if record.resigned:
        if over or record.game.player(pos) == CHANCE:
            raise ValueError("nobody was to move who could have resigned")
        return score_of_resigning(record.game, pos)
    return int(record.game.score(pos)) if over else None
