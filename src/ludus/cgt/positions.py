"""The canonical form of any position of a game in which who cannot move loses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ludus.cgt import evaluating, listing
from ludus.cgt.arena import NONE, TOO_FINE
from ludus.cgt.forms import CanonicalForm
from ludus.cgt.store import STORE
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_with_mover, validate, with_mover
from ludus.masks import actions

Progress = Callable[[str, int], None]  # what is being done, and how many positions were

_SLICE = 20_000  # positions between two looks at the outside
_PLAYS = 20  # random plays that are looked at before anything is listed
_MOST = (1 << 30) - 1  # positions that can be listed

_REASONS = {
    listing.NOT_NORMAL: "who cannot move does not always lose in it",
    listing.NOT_ALTERNATING: "its players do not always take turns",
    evaluating.LOOP: "play can come back to a position",
    TOO_FINE: "a number in it takes more than 53 bits",
}


class Valuer:
    """Canonical forms of positions of one game; what it has found it keeps for the next.

    With `plain` neither symmetries nor parts are made use of: the definition as it stands, only slower.
    """

    def __init__(self, game: Any, *, plain: bool = False, progress: Progress | None = None) -> None:
        validate(game)
        if not gives_with_mover(game):
            raise LudusError(f"{_called(game)} has no canonical forms: the game does not give with_mover")
        self.game, self.plain, self.progress = game, plain, progress
        self.listing = listing.new_listing(len(game.start()))
        self.forms = np.full(len(self.listing.rows), NONE, np.int32)

    def __len__(self) -> int:
        """How many positions are listed."""
        return int(self.listing.counters[listing.NODES])

    def form(self, pos: Any) -> CanonicalForm:
        """The canonical form of a position, whoever is to move there."""
        return self.forms_of([pos])[0]

    def forms_of(self, positions: Sequence[Any]) -> list[CanonicalForm]:
        """The canonical forms of many positions, found together."""
        if not len(self) and positions:
            check_play(self.game, positions[0])
        sums = [self._listed(pos) for pos in positions]
        if sums:
            self._list(positions[0])
            self._evaluate(sums)
        return [CanonicalForm(int(self.forms[node])) for node in sums]

    def _listed(self, pos: Any) -> int:
        while (node := listing.add_sum(pos, self.listing)) == listing.NEITHER:
            self._grow()
        return node

    def _list(self, like: Any) -> None:
        """List all that the positions lead to that are listed."""
        while (status := listing.list_on(self.game, like, self.listing, self.plain, _SLICE)) != listing.DONE:
            if status == listing.NO_ROOM:
                self._grow()
            elif status != listing.PAUSED:
                self._refuse(status)
            self._tell("listing", len(self))

    def _evaluate(self, sums: list[int]) -> None:
        self.forms[self.forms == evaluating.ON_PATH] = NONE  # an interrupt may have left some
        work, done = evaluating.work_on(self.listing, self.forms, sums), 0
        while (status := STORE.attempt(evaluating.evaluate, work, _SLICE)) != 0:
            if status != evaluating.UNFINISHED:
                self._refuse(status)
            done += _SLICE
            self._tell("evaluating", done)

    def _grow(self) -> None:
        if 2 * len(self.listing.rows) > _MOST:
            raise LudusError(f"too large: more than {len(self.listing.rows):,} positions")
        self.listing = listing.larger(self.listing)
        forms = np.full(len(self.listing.rows), NONE, np.int32)
        forms[: len(self.forms)] = self.forms
        self.forms = forms

    def _refuse(self, status: int) -> NoReturn:
        """Say why a game has no canonical forms; what is listed of it is not whole, so begin anew."""
        self.listing = listing.new_listing(self.listing.rows.shape[1])
        self.forms = np.full(len(self.listing.rows), NONE, np.int32)
        raise LudusError(f"{_called(self.game)} has no canonical forms: {_REASONS[status]}")

    def _tell(self, stage: str, done: int) -> None:
        if self.progress:
            self.progress(stage, done)


def canonical_form(game: Any, pos: Any = None, *, plain: bool = False) -> CanonicalForm:
    """The canonical form of a position, by default the start, of a game in which who cannot move loses."""
    return Valuer(game, plain=plain).form(game.start() if pos is None else pos)


def check_play(game: Any, pos: Any) -> None:
    """Refuse a game if some random moves of either side already show that it has no canonical forms.

    To list it first could take for ever.
    """
    if game.player(pos) == CHANCE:
        raise LudusError(f"{_called(game)} has no canonical forms: chance plays in it")
    draw = random.Random(0)
    for _ in range(_PLAYS):
        at, met = with_mover(game, pos, 0), set[Any]()
        while after := _after(game, at):
            met.add(at)
            at = with_mover(game, draw.choice(after), 0)
            if at in met:
                raise LudusError(f"{_called(game)} has no canonical forms: {_REASONS[evaluating.LOOP]}")


def _after(game: Any, pos: Any) -> list[Any]:
    """What moves of either side lead to; raises LudusError where who cannot move does not lose."""
    found = []
    for mover in (0, 1):
        asked = with_mover(game, pos, mover)
        legal = actions(game.legal(asked))
        if not legal and game.score(asked) != (1 if mover else -1):
            raise LudusError(f"{_called(game)} has no canonical forms: {_REASONS[listing.NOT_NORMAL]}")
        found += [game.play(asked, action) for action in legal]
    return found


def _called(game: Any) -> str:
    return type(game).__name__
