"""The canonical form of any position under normal play: the player who cannot move loses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ludus.cgt import evaluation
from ludus.cgt.calculus import LARGEST, NONE, STORE, TOO_FINE, held_bytes, refuse_if_too_much
from ludus.cgt.forms import CanonicalForm
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_with_mover, validate, with_mover
from ludus.machine import budget

Progress = Callable[[str, int], None]  # what is being done, and how many positions were
_FIRST_SLICE, _LAST_SLICE = 500, 20_000  # positions between two checks for an interrupt, at first and at most
_PLAYS = 20  # random games played before anything is enumerated
_MOST = 1 << 27  # positions: their terms are numbered in 31 bits
_REASONS = {
    evaluation.NOT_NORMAL: "the player who cannot move does not always lose in it",
    evaluation.NOT_ALTERNATING: "its players do not always take turns",
    evaluation.LOOP: "play can return to a position",
    TOO_FINE: f"a number in it takes more than 53 bits, or is larger than {LARGEST:,}",
}


class Evaluator:
    """Computes canonical forms of positions of one game, and keeps what it has found.

    `plain` uses neither symmetries nor parts: the bare definition, only slower. All forms and positions together may
    take `memory` bytes, by default 70 % of what is free.
    """

    def __init__(
        self, game: Any, *, plain: bool = False, progress: Progress | None = None, memory: int | None = None
    ) -> None:
        validate(game)
        if not gives_with_mover(game):
            raise _no_forms(game, "the game does not give with_mover")
        self.game, self.plain, self.progress = game, plain, progress or (lambda stage, done: None)
        self.memory = budget() + STORE.bytes if memory is None else memory
        self._begin()

    def _begin(self) -> None:
        self.tree = evaluation.new_tree(len(self.game.start()))
        self.forms = np.full(len(self.tree.rows), NONE, np.int32)

    @property
    def bytes(self) -> int:
        """The memory that its positions take."""
        return held_bytes((*self.tree, self.forms))

    def __len__(self) -> int:
        """The number of positions enumerated."""
        return int(self.tree.counters[evaluation.NODES])

    def form(self, pos: Any) -> CanonicalForm:
        """The canonical form of a position, for either side to move."""
        return self.forms_of([pos])[0]

    def forms_of(self, positions: Sequence[Any]) -> list[CanonicalForm]:
        """The canonical forms of many positions, found together."""
        if not len(self) and positions:
            check_play(self.game, positions[0])
        try:
            sums = [self._add(pos) for pos in positions]
            if sums:
                self._expand(positions[0])
                self._evaluate(sums)
        except LudusError:
            self._begin()  # the tree is not complete
            raise
        return [CanonicalForm(int(self.forms[node])) for node in sums]

    def _add(self, pos: Any) -> int:
        """Adds a position as a sum whose parts are not known yet; returns its node."""
        node = len(self)
        if node == len(self.tree.rows):
            self._grow()
        self.tree.rows[node], self.tree.right[node] = [int(field) for field in pos], evaluation.IS_SUM
        self.tree.counters[evaluation.NODES] += 1
        return node

    def _expand(self, like: Any) -> None:
        slices = _slices()
        while (status := evaluation.expand(self.game, like, self.tree, self.plain, next(slices))) != evaluation.DONE:
            if status == evaluation.NO_ROOM:
                self._grow()
            elif status != evaluation.PAUSED:
                raise _no_forms(self.game, _REASONS[status])
            self.progress("exploring", len(self))

    def _evaluate(self, sums: list[int]) -> None:
        self.forms[self.forms == evaluation.ON_PATH] = NONE  # an interrupt may have left some
        work, done = evaluation.work_on(self.tree, self.forms, sums), 0
        left = self.memory - self.bytes - held_bytes((work.path, work.cursors))
        for size in _slices():
            status = STORE.attempt(evaluation.evaluate, work, size, memory=left)
            if status == 0:
                return
            if status != evaluation.UNFINISHED:
                raise _no_forms(self.game, _REASONS[status])
            done += size
            self.progress("evaluating", done)

    def _grow(self) -> None:
        """Doubles the room, which takes three times the memory while positions are copied."""
        if 2 * len(self.tree.rows) > _MOST:
            raise LudusError(f"too large: there are more than {_MOST:,} positions")
        refuse_if_too_much(3 * self.bytes + STORE.bytes, self.memory)
        self.tree = evaluation.larger(self.tree)
        forms = np.full(len(self.tree.rows), NONE, np.int32)
        forms[: len(self.forms)] = self.forms
        self.forms = forms


def _slices() -> Iterator[int]:
    """Growing numbers of positions, so that small work is done before it would be compiled."""
    size = _FIRST_SLICE
    while True:
        yield size
        size = min(2 * size, _LAST_SLICE)


def canonical_form(game: Any, pos: Any = None, *, plain: bool = False) -> CanonicalForm:
    """The canonical form of a position, by default the start."""
    return Evaluator(game, plain=plain).form(game.start() if pos is None else pos)


def check_play(game: Any, pos: Any) -> None:
    """Raises LudusError if random moves show that a game, which may never end, has no canonical forms."""
    if game.player(pos) == CHANCE:
        raise _no_forms(game, "chance plays in it")
    draw = random.Random(0)
    for _ in range(_PLAYS):
        at, met = with_mover(game, pos, 0), set[Any]()
        while after := _after(game, at):
            met.add(at)
            at = with_mover(game, draw.choice(after), 0)
            if at in met:
                raise _no_forms(game, _REASONS[evaluation.LOOP])


def _after(game: Any, pos: Any) -> list[Any]:
    """The positions after moves of either side; raises LudusError where the player who cannot move does not lose."""
    found = []
    for mover in (0, 1):
        asked = with_mover(game, pos, mover)
        legal = actions(game.legal(asked))
        if not legal and game.score(asked) != (1 if mover else -1):
            raise _no_forms(game, _REASONS[evaluation.NOT_NORMAL])
        found += [game.play(asked, action) for action in legal]
    return found


def _no_forms(game: Any, reason: str) -> LudusError:
    return LudusError(f"{type(game).__name__} has no canonical forms: {reason}")
