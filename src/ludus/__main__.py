"""`ludus` and `python -m ludus`: the command line, which Ctrl-C ends in one line also while it is loaded or ends."""

from __future__ import annotations

import atexit
import os
import signal
from typing import Any

_INTERRUPTED = 130  # the exit status that shells expect


def main() -> None:
    """Run the command line."""
    _set_handler(signal.default_int_handler, _end)
    atexit.register(_set_handler, _end, signal.SIG_IGN)  # runs last: Python itself would end by the signal
    from ludus.commands import main as run

    _set_handler(_end, signal.default_int_handler)
    try:
        run()
    finally:
        _set_handler(signal.default_int_handler, _end)


def _set_handler(before: Any, after: Any) -> None:
    """Let Ctrl-C do something else, unless a shell or a command has decided otherwise."""
    if signal.getsignal(signal.SIGINT) is before:
        signal.signal(signal.SIGINT, after)


def _end(number: int, frame: Any) -> None:
    try:
        os.write(2, b"ludus: stopped\n")
    finally:
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
