"""Who wins, without counting plies: proof-number search and alpha-beta in turns, and the first answer counts.

Either is many times faster than the other in some positions, and nothing known beforehand says in which. Both get
slices of as many nodes, so that together they visit little more than twice those of the better one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.solving.alpha_beta import DEFAULT_MEMORY, SLICE, Book, Searcher
from ludus.solving.proof_number import DRAW, MARGINS, WIN, ProofSearcher
from ludus.solving.value import UNIT, Value, seen_by_mover, sign

_FIRST_SLICE, _GROWTH = 1024, 1.25  # nodes, and how many times as many the next slice has


class Outcomes:
    """Who wins a game and its later positions, found on demand; values have no plies.

    The tables take at most `memory` bytes. `progress` is called with the nodes visited so far, some times a second; an
    exception that it raises stops the search, which stays usable.
    """

    method = "proof"

    def __init__(
        self,
        game: Any,
        start: Any = None,
        *,
        memory: int = DEFAULT_MEMORY,
        progress: Callable[[int], None] | None = None,
        book: Book | None = None,
    ) -> None:
        self.game, self.start = game, game.start() if start is None else start
        self.progress, self.book = progress, book
        self._proofs = ProofSearcher(game, memory=memory // 2)
        self._alpha_beta = Searcher(game, memory=memory // 2)

    @property
    def nodes(self) -> int:
        """The positions visited so far by both searches."""
        return self._proofs.nodes + self._alpha_beta.nodes

    def value(self, pos: Any) -> Value:
        """Who wins a position under perfect play."""
        if is_empty(self.game.legal(pos)):
            return Value(self.game.score(pos))
        known = self.book.get(pos) if self.book else None
        return Value(seen_by_mover(self.game, pos, self._outcome(pos) if known is None else sign(known)))

    def actions(self, pos: Any) -> dict[int, Value]:
        """Who wins after each legal action."""
        return {action: self.value(self.game.play(pos, action)) for action in actions(self.game.legal(pos))}

    def _outcome(self, pos: Any) -> int:
        """1, 0 or -1 for the side to move, in a position that is not over."""
        return self._ask(pos, WIN) or self._ask(pos, DRAW)

    def _ask(self, pos: Any, goal: int) -> int:
        """A score >= goal that the side to move can force, or one < goal that it cannot exceed."""
        for search in cycle([search.asking(pos, goal, _slices()) for search in (self._alpha_beta, self._proofs)]):
            answer = next(search)
            if answer is not None:
                return self._checked(answer)
            if self.progress:
                self.progress(self.nodes)
        raise AssertionError("searches have an answer at last")

    def _checked(self, answer: int) -> int:
        """The sign of a score; raises LudusError for a margin."""
        if abs(answer) > UNIT:
            raise LudusError(f"{type(self.game).__name__} cannot be searched for proofs: {MARGINS}")
        return sign(answer)


def _slices() -> Iterator[int]:
    size = float(_FIRST_SLICE)
    while True:
        yield int(size)
        size = min(_GROWTH * size, SLICE)
