"""Run a program and, when the process that asked for it ends or says so, kill it with all that it has started.

    python -I -S supervisor.py SOCKET PROGRAM [ARGUMENT...]

A file of its own that imports nothing of Ludus, so that it starts at once. It reports two lines on the socket: why the
program cannot be started, empty if it was, and later its exit status. At the end of the socket it kills everything. A
process that leaves the session, or whose parent is gone, becomes a child of this one, and is found.
"""

import ctypes
import os
import select
import signal
import sys
from contextlib import suppress

_DEATH_SIGNAL, _SUBREAPER = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER of prctl(2)
_LOOK = 0.05  # seconds between two looks at the children
_DEFAULT_AGAIN = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ)


def main() -> None:
    """Start the program, report, and end with the process at the other end of the socket."""
    reports, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(reports, False)
    _control(_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # which the program might send it
        signal.signal(number, signal.SIG_IGN)
    program, problem = _started(command)
    _leave_pipes()
    _report(reports, problem)
    while not select.select([reports], [], [], _LOOK)[0]:
        for ended, status in _ended(os.WNOHANG):
            if ended == program:
                _report(reports, str(status))
    _kill_all()


def _control(option: int, value: int) -> None:
    """Call prctl(2)."""
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _started(command: list[str]) -> tuple[int, str]:
    """The process of a program in a session of its own, and the reason if it cannot be started."""
    problem, written = os.pipe()
    child = os.fork()
    if not child:
        try:
            _control(_DEATH_SIGNAL, signal.SIGKILL)
            os.setsid()
            for number in _DEFAULT_AGAIN:  # Python ignores some of them
                signal.signal(number, signal.SIG_DFL)
            os.execvp(command[0], command)
        except (OSError, ValueError) as error:
            os.write(written, str(error).encode(errors="surrogateescape"))
        finally:
            os._exit(1)
    os.close(written)
    with os.fdopen(problem, errors="surrogateescape") as words:
        return child, words.read()


def _leave_pipes() -> None:
    """Hold no end of the program's pipes."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)


def _report(reports: int, line: str) -> None:
    with suppress(OSError):  # nobody listens any more
        os.write(reports, line.encode(errors="surrogateescape") + b"\n")


def _ended(options: int) -> list[tuple[int, int]]:
    """The children that have ended, with their exit statuses; waits for one without WNOHANG."""
    ended = []
    with suppress(ChildProcessError):
        while (child := os.waitpid(-1, options))[0]:
            ended.append((child[0], os.waitstatus_to_exitcode(child[1])))
            options = os.WNOHANG
    return ended


def _kill_all() -> None:
    """Kill the children until there are none: those of a killed one are the next."""
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children") as listed:
            for child in listed.read().split():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(int(child), signal.SIGKILL)
        if not _ended(0):
            return


if __name__ == "__main__":
    main()
