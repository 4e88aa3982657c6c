"""The arena that all forms of a process live in: it grows when it is full, and one thread at a time works in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ludus.cgt.arena import FULL, TOO_FINE, Arena, grown, new_arena
from ludus.errors import LudusError


class Store:
    """An arena that grows."""

    def __init__(self) -> None:
        self.arena: Arena = new_arena()
        self._lock = threading.RLock()

    def attempt(self, kernel: Callable[..., int], *args: Any) -> int:
        """What a kernel returns that is given the arena first, run again in a larger one as long as that is full."""
        with self._lock:
            while (result := int(kernel(self.arena, *args))) == FULL:
                self.arena = grown(self.arena)
            return result

    def run(self, kernel: Callable[..., int], *args: Any) -> int:
        """The handle that a kernel returns."""
        result = self.attempt(kernel, *args)
        if result == TOO_FINE:
            raise LudusError("a number takes more than 53 bits")
        return result


STORE = Store()
