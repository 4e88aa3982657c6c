"""Rooms: play with a friend on another device, live. A room's key says who asks: one of the two, or who watches."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus import face
from ludus.compiled.masks import is_empty
from ludus.errors import LudusError
from ludus.playout import random_action
from ludus.web.api.agents import dice
from ludus.web.api.views import Body
from ludus.web.jobs import events
from ludus.web.live import ChangesDep, live
from ludus.web.registry import Registry, RegistryDep, Text, position_of
from ludus.web.rooms import (
    LONGEST_NAME,
    Offer,
    Person,
    Room,
    Rooms,
    RoomsDep,
    by_chance,
    moved,
    offered,
    resigned,
    result_of,
    standing,
)

router = APIRouter(prefix="/rooms", tags=["rooms"])
Key = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", description="The key of a seat, or one that lets watch.")]
Name = Annotated[Text, Field(max_length=LONGEST_NAME)]


class NewRoom(Body):
    """A new room: the game, where it starts, the player that its maker plays, and the maker's name."""

    game: Text
    start: Text | None = None
    player: int = Field(0, ge=0, le=1)
    name: Name = ""


class RoomOrder(Body):
    """What somebody does in a room.

    `move` plays `action` at `ply`; `undo` and `rematch` ask the other, or agree; `decline` declines, or takes the
    own question back; `name` sets the own name.
    """

    do: Literal["move", "resign", "undo", "rematch", "decline", "name"]
    ply: int = Field(0, ge=0, le=1 << 20)
    action: int = Field(0, ge=0, le=1 << 20)
    name: Name = ""


class OfferView(BaseModel):
    """What a player has asked the other for."""

    what: Offer
    by: int


class RoomView(BaseModel):
    """A room as the holder of a key sees it.

    `you`: the player, null for somebody who watches; `names`, `here` and `won` (rounds) by player; `watching`: how many
    do; `join`: the key for the other seat, which only the maker gets; `watch`: the key that lets watch.
    """

    game: str
    start: str
    actions: list[int]
    resigned: int | None
    result: str
    winner: int | None
    you: int | None
    names: list[str]
    here: list[bool]
    won: list[int]
    drawn: int
    round: int
    watching: int
    offer: OfferView | None
    join: str | None
    watch: str
    changed: float


class RoomCard(BaseModel):
    """A room in the list of the server's owner, with the owner's key."""

    id: str
    key: str
    game: str
    friend: str
    plies: int
    result: str
    changed: float


@router.post("", status_code=201)
def create(new: NewRoom, registry: RegistryDep, rooms: RoomsDep) -> RoomCard:
    """Creates a room."""
    game = registry.game(new.game)
    pos = position_of(game, new.start)
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over in this position")
    room = rooms.create(registry.name_of(game) or "", face.format_position(game, pos), new.player, new.name.strip())
    drawn = rooms.change(room.keys[0], lambda room, person: by_chance(game, room, _draw))
    return _card(drawn, registry)


@router.get("")
def all_rooms(registry: RegistryDep, rooms: RoomsDep) -> list[RoomCard]:
    """The rooms of this server, the last changed first."""
    return [_card(room, registry) for room in rooms.latest()]


@router.delete("/{id}", status_code=204)
def delete(id: Annotated[str, Path(max_length=40)], rooms: RoomsDep) -> None:  # noqa: A002
    """Deletes a room."""
    rooms.remove(id)


@router.get("/{key}")
def room(key: Key, registry: RegistryDep, rooms: RoomsDep) -> RoomView:
    """A room."""
    return _view(rooms, registry, key)


@router.post("/{key}")
def order(key: Key, order: RoomOrder, registry: RegistryDep, rooms: RoomsDep, changes: ChangesDep) -> RoomView:
    """Moves, resigns, asks for an undo or a rematch, agrees, declines, or sets a name."""
    game = registry.game(rooms.find(key).game)
    room = rooms.change(key, lambda room, person: _carried_out(game, room, person, order))
    changes.notify(room.id)
    return _view(rooms, registry, key)


def _carried_out(game: Any, room: Room, person: Person, order: RoomOrder) -> Room:
    match order.do:
        case "move":
            return moved(game, room, person, order.ply, order.action, _draw)
        case "resign":
            return resigned(game, room, person)
        case "undo" | "rematch":
            return by_chance(game, offered(game, room, person, order.do), _draw)
        case "decline":
            return room._replace(offer=None)
        case "name":
            own = order.name.strip()
            return room._replace(names=(own, room.names[1]) if person == 0 else (room.names[0], own))


def _draw(game: Any, pos: Any) -> int:
    return int(random_action(game, pos, game.legal(pos), dice()))


@router.get("/{key}/stream", response_class=StreamingResponse, responses={200: {"content": events(RoomView)}})
async def room_stream(
    key: Key, registry: RegistryDep, rooms: RoomsDep, changes: ChangesDep, request: Request
) -> StreamingResponse:
    """A room as server-sent events; while the stream is open, its holder counts as present."""
    room = rooms.find(key)
    await run_in_threadpool(registry.game, room.game)  # checked and kept
    present = rooms.present(key, lambda: changes.notify(room.id))
    return live(changes, room.id, lambda: _view(rooms, registry, key), present)


def _view(rooms: Rooms, registry: Registry, key: str) -> RoomView:
    room = rooms.find(key)
    game, person = registry.game(room.game), room.person(key)
    now, people = standing(game, room), (room.first, 1 - room.first)  # who plays each player
    won = [*room.results, result_of(room, now) if now.result else None]
    return RoomView(
        game=room.game,
        start=room.start,
        actions=list(room.actions),
        resigned=room.resigned,
        result=now.result,
        winner=now.winner,
        you=None if person is None else room.player(person),
        names=[room.names[one] for one in people],
        here=[rooms.here[room.keys[one]] > 0 for one in people],
        won=[sum(winner == one for winner in won) for one in people],
        drawn=sum(winner is None for winner in room.results) + (bool(now.result) and now.winner is None),
        round=len(room.results) + 1,
        watching=rooms.here[room.keys[2]],
        offer=room.offer and OfferView(what=room.offer[0], by=room.player(room.offer[1])),
        join=room.keys[1] if person == 0 else None,
        watch=room.keys[2],
        changed=room.changed,
    )


def _card(room: Room, registry: Registry) -> RoomCard:
    try:
        result = standing(registry.game(room.game), room).result
    except LudusError:  # a game that this server does not offer now
        result = "not offered now"
    return RoomCard(
        id=room.id, key=room.keys[0], game=room.game, friend=room.names[1], plies=len(room.actions), result=result,
        changed=room.changed,
    )  # fmt: skip
