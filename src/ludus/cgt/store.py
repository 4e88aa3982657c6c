"""The arena that all forms of a process live in: it grows when it is full, and one thread at a time works in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ludus.cgt.arena import FULL, LARGEST, TOO_FINE, Arena, grown, held_bytes, new_arena
from ludus.errors import LudusError
from ludus.solving.memory import budget

_MOST_ROOM = 1 << 27  # forms, whose options are numbered in 31 bits


def refuse_if_too_much(needed: int, allowed: int) -> None:
    """Say so, instead of growing, when that takes more memory than is allowed."""
    if needed > allowed:
        raise LudusError(
            f"too large: {needed / 1e9:,.2f} GB of memory would be needed, and only {allowed / 1e9:,.2f} GB may be used"
        )


class Store:
    """An arena that grows."""

    def __init__(self) -> None:
        self.arena: Arena = new_arena()
        self._lock = threading.RLock()

    @property
    def bytes(self) -> int:
        """How much memory the arena takes."""
        return held_bytes(self.arena)

    def attempt(self, kernel: Callable[..., int], *args: Any, memory: int | None = None) -> int:
        """What a kernel returns that is given the arena first, run again in a larger one as long as that is full.

        The arena may take so many bytes, by default what is free of the machine's memory and more.
        """
        with self._lock:
            while (result := int(kernel(self.arena, *args))) == FULL:
                self._grow(budget() + self.bytes if memory is None else memory)
            return result

    def _grow(self, allowed: int) -> None:
        """Twice the room, which takes three times the memory while forms are carried over."""
        refuse_if_too_much(3 * self.bytes, allowed)
        if 2 * len(self.arena.shapes) > _MOST_ROOM:
            raise LudusError(f"too large: there are more than {_MOST_ROOM:,} canonical forms")
        self.arena = grown(self.arena)

    def run(self, kernel: Callable[..., int], *args: Any) -> int:
        """The handle that a kernel returns."""
        result = self.attempt(kernel, *args)
        if result == TOO_FINE:
            raise LudusError(f"a number takes more than 53 bits, or is larger than {LARGEST:,}")
        return result


STORE = Store()
