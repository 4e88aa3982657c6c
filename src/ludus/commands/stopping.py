"""Ctrl-C while the main thread is in machine code, which looks at no signal: another thread ends the process."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from ludus.interrupts import interrupt_again

_PATIENCE = 10.0  # seconds that machine code may take to return
_LOOK = 0.5  # seconds between two looks at whether it has
_PROBE = signal.SIGURG  # a signal that nobody sends, and that is ignored where no handler is
_SOON = 1.0  # seconds that Python has to end
_STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a signal end the process in time: handlers run when the main thread is back in Python, this without it.

    Nothing is saved then: files are whole at any moment, and children end with their parent.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received, written = socket.socketpair()
    written.setblocking(False)
    answers: list[int] = []
    handler = signal.signal(_PROBE, lambda number, frame: answers.append(number))  # a lock could be left held here
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(received, answers), daemon=True, name="stopping")
    watcher.start()
    hook, sys.unraisablehook = sys.unraisablehook, interrupt_again
    try:
        yield
    finally:
        sys.unraisablehook = hook
        signal.set_wakeup_fd(before)
        signal.signal(_PROBE, handler)
        written.close()
        watcher.join()
        received.close()


def _watch(received: socket.socket, answers: list[int]) -> None:
    """End the process if the main thread does not answer after a signal; at once after a second one."""
    while numbers := received.recv(1):
        if numbers[0] in _STOPPING and not _is_answered(received, answers):
            _say()
            os._exit(128 + numbers[0])


def _is_answered(received: socket.socket, answers: list[int]) -> bool:
    """Whether the main thread runs Python again, or has left the block, in time; soon after another signal to stop."""
    answers.clear()
    is_last = False
    for look in range(max(2, round(_PATIENCE / _LOOK))):
        if look:  # not at once: Python's `input` fails at one signal on top of another
            signal.pthread_kill(threading.main_thread().ident or 0, _PROBE)
        again = _comes_again(received)
        if answers or again is None:
            return True
        if is_last:
            return False
        is_last = again
    return False


def _comes_again(received: socket.socket) -> bool | None:
    """Whether another signal to stop comes within a look; None at the end of the block."""
    deadline = time.monotonic() + _LOOK
    while select.select([received], [], [], max(deadline - time.monotonic(), 0))[0]:
        numbers = received.recv(100)
        if not numbers:
            return None
        if set(numbers) & set(_STOPPING):
            return True
    return False


def leave(status: int) -> NoReturn:
    """Say that the process was stopped and end it, soon even if other threads are in machine code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one adds nothing
    _say()
    late = threading.Timer(_SOON, os._exit, (status,))
    late.daemon = True
    late.start()
    sys.exit(status)


def _say() -> None:
    with suppress(OSError):  # standard error is closed
        os.write(2, b"ludus: stopped\n")
