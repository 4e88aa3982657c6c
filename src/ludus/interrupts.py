"""Ctrl-C that Python drops, as in a callback that a compiler calls: it comes again a little later."""

from __future__ import annotations

import _thread
import sys
import threading

_SOON = 0.01  # seconds


def interrupt_again(dropped: sys.UnraisableHookArgs) -> None:
    """Does what `sys.unraisablehook` is for: an interrupt is repeated, any other error is shown."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        threading.Timer(_SOON, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(dropped)
