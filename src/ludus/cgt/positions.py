"""The canonical form of any position of a game in which who cannot move loses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ludus.cgt import evaluation as evaluating
from ludus.cgt import evaluation as listing
from ludus.cgt.forms import CanonicalForm
from ludus.cgt.store import LARGEST, NONE, STORE, TOO_FINE, held_bytes, refuse_if_too_much
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_with_mover, validate, with_mover
from ludus.machine import budget

Progress = Callable[[str, int], None]  # what is being done, and how many positions were
_SLICE = 20_000  # positions between two looks at the outside
_PLAYS = 20  # random plays that are looked at before anything is listed
_MOST = 1 << 27  # positions that can be listed: their terms are numbered in 31 bits
_REASONS = {
    listing.NOT_NORMAL: "who cannot move does not always lose in it",
    listing.NOT_ALTERNATING: "its players do not always take turns",
    evaluating.LOOP: "play can come back to a position",
    TOO_FINE: f"a number in it takes more than 53 bits, or is larger than {LARGEST:,}",
}


class Evaluator:
    """Canonical forms of positions of one game; what it has found it keeps for the next.

    With `plain` neither symmetries nor parts are made use of: the definition as it stands, only slower. All forms and
    its positions together may take so many bytes of memory, by default 70 % of what is free.
    """

    def __init__(
        self, game: Any, *, plain: bool = False, progress: Progress | None = None, memory: int | None = None
    ) -> None:
        validate(game)
        if not gives_with_mover(game):
            raise LudusError(f"{_called(game)} has no canonical forms: the game does not give with_mover")
        self.game, self.plain, self.progress = game, plain, progress
        self.memory = budget() + STORE.bytes if memory is None else memory
        self._begin()

    def _begin(self) -> None:
        self.listing = listing.new_listing(len(self.game.start()))
        self.forms = np.full(len(self.listing.rows), NONE, np.int32)

    @property
    def bytes(self) -> int:
        """How much memory its positions take."""
        return held_bytes((*self.listing, self.forms))

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
        try:
            sums = [self._listed(pos) for pos in positions]
            if sums:
                self._list(positions[0])
                self._evaluate(sums)
        except LudusError:
            self._begin()  # what is listed is not whole
            raise
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
            self._on_progress("listing", len(self))

    def _evaluate(self, sums: list[int]) -> None:
        self.forms[self.forms == evaluating.ON_PATH] = NONE  # an interrupt may have left some
        work, done = evaluating.work_on(self.listing, self.forms, sums), 0
        left = self.memory - self.bytes - held_bytes((work.path, work.cursors))
        while (status := STORE.attempt(evaluating.evaluate, work, _SLICE, memory=left)) != 0:
            if status != evaluating.UNFINISHED:
                self._refuse(status)
            done += _SLICE
            self._on_progress("evaluating", done)

    def _grow(self) -> None:
        """Twice the room, which takes three times the memory while positions are carried over."""
        if 2 * len(self.listing.rows) > _MOST:
            raise LudusError(f"too large: there are more than {_MOST:,} positions")
        refuse_if_too_much(3 * self.bytes + STORE.bytes, self.memory)
        self.listing = listing.larger(self.listing)
        forms = np.full(len(self.listing.rows), NONE, np.int32)
        forms[: len(self.forms)] = self.forms
        self.forms = forms

    def _refuse(self, status: int) -> NoReturn:
        """Say why a game has no canonical forms."""
        raise LudusError(f"{_called(self.game)} has no canonical forms: {_REASONS[status]}")

    def _on_progress(self, stage: str, done: int) -> None:
        if self.progress:
            self.progress(stage, done)


def canonical_form(game: Any, pos: Any = None, *, plain: bool = False) -> CanonicalForm:
    """The canonical form of a position, by default the start, of a game in which who cannot move loses."""
    return Evaluator(game, plain=plain).form(game.start() if pos is None else pos)


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
