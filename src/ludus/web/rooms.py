"""Rooms: games of two people on two devices. Whoever has the key of a seat plays there; another key lets watch."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from ludus import face
from ludus.compiled.masks import actions
from ludus.database import Database, Table
from ludus.documents import parse
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.game import CHANCE
from ludus.web.access import new_key
from ludus.web.api.views import Standing, played_out
from ludus.web.registry import ConflictError, MissingError, of_app

MOST = 1000  # rooms; the oldest are deleted
MOST_PLIES = 5000
LONGEST_NAME = 40
Offer = Literal["undo", "rematch"]
Person = Literal[0, 1]  # 0 made the room
Draw = Callable[[Any, Any], int]  # what chance draws in a position of a game
_VERSION = 1
_TABLE = Table("rooms", ("id text", "state text", "changed real"), 1)


class Room(NamedTuple):
    """A room as it stands; `keys`: of both people, then of those who watch; `first`: the person who plays player 0.

    `results`: who won each earlier round, or null; `offer`: what a person has asked the other for.
    """

    id: str
    keys: tuple[str, str, str]
    names: tuple[str, str]
    game: str
    start: str
    first: Person
    actions: tuple[int, ...] = ()
    resigned: Annotated[int, Field(ge=0, le=1)] | None = None  # a player
    results: tuple[Person | None, ...] = ()
    offer: tuple[Offer, Person] | None = None
    changed: float = 0.0

    def person(self, key: str) -> Person | None:
        """Whose key it is; None for one that lets watch."""
        persons: tuple[Person, Person] = 0, 1
        return next((person for person in persons if self.keys[person] == key), None)

    def player(self, person: Person) -> int:
        """The player that a person plays; and the person who plays a player."""
        return int(person != self.first)


def standing(game: Any, room: Room) -> Standing:
    """Where the game of a room stands."""
    return played_out(game, face.parse_position(game, room.start), room.actions, room.resigned)


# ---- what people do ----


def moved(game: Any, room: Room, person: Person, ply: int, action: int, draw: Draw) -> Room:
    """The room after a person's action at a ply, and what chance then draws."""
    now = standing(game, room)
    if ply != len(room.actions):
        raise ConflictError("the game has changed meanwhile")
    _require(not now.result, "the game is over")
    _require(int(game.player(now.pos)) == room.player(person), "it is not your turn")
    _require(action in actions(game.legal(now.pos)), f"action {action} is not allowed here")
    _require(ply < MOST_PLIES, f"a game has at most {MOST_PLIES} plies here")
    return by_chance(game, room._replace(actions=(*room.actions, action), offer=None), draw)


def by_chance(game: Any, room: Room, draw: Draw) -> Room:
    """The room after all that chance draws until a person is to move."""
    while not (now := standing(game, room)).result and game.player(now.pos) == CHANCE:
        room = room._replace(actions=(*room.actions, draw(game, now.pos)))
    return room


def resigned(game: Any, room: Room, person: Person) -> Room:
    """The room after a person resigns."""
    _require(not standing(game, room).result, "the game is over")
    return room._replace(resigned=room.player(person), offer=None)


def offered(game: Any, room: Room, person: Person, offer: Offer) -> Room:
    """The room after a person asks for something; it happens when the other has asked for the same."""
    if room.offer == (offer, 1 - person):
        return _again(game, room) if offer == "rematch" else _undone(game, room, 1 - person)  # type: ignore[arg-type]
    _require(offer == "undo" or standing(game, room).result, "the game is not over")
    _require(offer == "rematch" or _undone_to(game, room, person) is not None, "you have not moved yet")
    return room._replace(offer=(offer, person))


def _undone_to(game: Any, room: Room, person: Person) -> int | None:
    """The ply of a person's last action."""
    pos, found = face.parse_position(game, room.start), None
    for ply, action in enumerate(room.actions):
        found = ply if game.player(pos) == room.player(person) else found
        pos = game.play(pos, action)
    return found


def _undone(game: Any, room: Room, person: Person) -> Room:
    ply = _undone_to(game, room, person)
    return room._replace(actions=room.actions[:ply], resigned=None, offer=None)


def _again(game: Any, room: Room) -> Room:
    """The next round, with the seats exchanged."""
    first: Person = 0 if room.first else 1
    results = (*room.results, result_of(room, standing(game, room)))
    return room._replace(first=first, actions=(), resigned=None, results=results, offer=None)


def result_of(room: Room, now: Standing) -> Person | None:
    """The person who has won the game of a room that is over."""
    return None if now.winner is None else 0 if room.player(0) == now.winner else 1


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise LudusError(problem)


# ---- all rooms ----


class Rooms:
    """The rooms in a file that other servers may use, too, and who is here now."""

    def __init__(self) -> None:
        self._file = Database(made_folder(home()) / "rooms.sqlite", _VERSION, [_TABLE], "; remove it to begin anew")
        self._lock = threading.RLock()
        self._rooms: dict[str, Room] = {}
        self._ids: dict[str, str] = {}  # by keys
        self._changes = -1
        self.here: Counter[str] = Counter()  # how many pages have a key open
        self._read()

    def _read(self) -> None:
        """Read all rooms, if another server has changed any since."""
        with self._lock:
            if (changes := self._file.changes()) == self._changes:
                return
            rows = self._file.rows(_TABLE, tuple[str, str, float])
            self._rooms = {name: parse(Room, state, "a room") for name, state, _ in rows}
            self._ids = {key: room.id for room in self._rooms.values() for key in room.keys}
            self._changes = changes

    def create(self, game: str, start: str, player: int, name: str) -> Room:
        """A new room; its maker plays this player."""
        keys = new_key(), new_key(), new_key()
        with self._lock:
            return self._kept(self._written(Room(new_key(), keys, (name, ""), game, start, 0 if player == 0 else 1)))

    def find(self, key: str) -> Room:
        """The room of a key; MissingError if there is none."""
        self._read()
        if key not in self._ids:
            raise MissingError("this invitation is not valid any more")
        return self._rooms[self._ids[key]]

    def is_invited(self, key: str) -> bool:
        """Whether a key is that of a room."""
        if key not in self._ids:
            self._read()
        return key in self._ids

    def change(self, key: str, change: Callable[[Room, Person], Room]) -> Room:
        """Changes the room of a key as the person who has it; LudusError for somebody who only watches."""
        with self._lock:
            with self._file.checked(), self._file.writing():
                room = self.find(key)
                person = room.person(key)
                if person is None:
                    raise LudusError("you are watching: only the players can do that")
                written = self._written(change(room, person))
            return self._kept(written)

    @contextmanager
    def present(self, key: str, on_change: Callable[[], None]) -> Iterator[None]:
        """While this lasts, the holder of a key counts as present."""
        self.here[key] += 1
        on_change()
        try:
            yield
        finally:
            self.here[key] -= 1
            on_change()

    def latest(self) -> list[Room]:
        """All rooms, the last changed first."""
        self._read()
        return sorted(self._rooms.values(), key=lambda room: -room.changed)

    def remove(self, name: str) -> None:
        """Deletes a room."""
        with self._lock:
            self._read()
            if name not in self._rooms:
                raise MissingError("there is no room of this id")
            self._delete(name)

    def _delete(self, name: str) -> None:
        with self._file.checked():
            self._file.file.execute("delete from rooms where id = ?", (name,))
        for key in self._rooms.pop(name).keys:
            del self._ids[key]

    def _written(self, room: Room) -> Room:
        """The room as it stands in the file now."""
        room = room._replace(changed=time.time())
        self._file.put(_TABLE, [room.id, json.dumps(room._asdict()), room.changed])
        return room

    def _kept(self, room: Room) -> Room:
        """Keep what is in the file at hand; the oldest rooms make room."""
        self._rooms[room.id] = room
        self._ids |= dict.fromkeys(room.keys, room.id)
        for old in self.latest()[MOST:]:
            self._delete(old.id)
        return room

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


RoomsDep = Annotated[Rooms, of_app("rooms")]
