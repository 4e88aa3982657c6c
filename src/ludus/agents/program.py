"""Any outside program as an agent: `cmd:PROGRAM`, one JSON line in, one JSON line out (docs/programs.md)."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import select
import shlex
import socket
import subprocess
import sys
import threading
import time
import weakref
from typing import IO, Any

from ludus import catalog, face
from ludus.agents import supervisor
from ludus.agents.agent import Probabilities
from ludus.compiled.masks import actions
from ludus.errors import LudusError

SECONDS = 10.0  # for one move
_LONGEST = 1 << 16  # bytes in one answer
_QUEUED = 4  # answers that are kept; one is due at a time
_QUOTED = 80  # letters of an answer in an error message
_GRACE = 1.0  # seconds to wait for a program that closed a pipe or was killed
_SUPERVISED = (sys.executable, "-I", "-S", supervisor.__file__)  # goes before the words of a command


class Program:
    """A program that is started once and asked for every move; grading needs `has_memory = False` from its user."""

    has_memory = True

    def __init__(self, command: str, timeout: float = SECONDS) -> None:
        if not command.strip():
            raise LudusError("cmd: names no program; write cmd:PROGRAM, for example cmd:./bot")
        self.command, self.timeout = command, timeout
        _ = self.words
        self._run: _Run | None = None
        self._failure = ""

    def __str__(self) -> str:
        return f"cmd:{self.command}"

    @property
    def words(self) -> list[str]:
        """The program and its arguments; LudusError for a command that cannot be read."""
        try:
            return shlex.split(self.command)
        except ValueError as error:  # a quotation that does not end
            raise LudusError(f"{self} cannot be started: {error}") from None

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Ask the program: all on the action it answers, or its own probabilities."""
        legal = actions(game.legal(pos))
        answer = self._ask(question(game, pos))
        if "policy" in answer:
            self._read_policy(answer["policy"], legal, out)
            return
        action = answer.get("action")
        if isinstance(action, str) and len(action) <= _QUOTED:
            action = self._action_called(game, pos, action)
        if type(action) is not int or action not in legal:
            raise LudusError(f"{self} answered {_quote(answer)}; the action must be one of {legal}")
        out[action] = 1.0

    def close(self) -> None:
        """End the program; asked again, it starts anew."""
        if self._run:
            self._end()
            self._run = None
        self._failure = ""

    def _action_called(self, game: Any, pos: Any, name: str) -> int:
        try:
            return face.parse_action(game, pos, name)
        except LudusError as error:
            raise LudusError(f"{self}: {error}") from None

    def _read_policy(self, policy: Any, legal: list[int], out: Probabilities) -> None:
        shares = _shares(policy)
        total = sum(shares.values())
        if set(shares) - set(legal) or not (total > 0 and math.isfinite(total)):
            raise LudusError(f"{self} answered the policy {_quote(policy)}; it must give shares of actions in {legal}")
        for action, share in shares.items():
            out[action] = share / total

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._failure:  # games that were under way need not wait for it again
            raise LudusError(self._failure)
        run = self._run or self._start()
        try:
            line = run.ask(json.dumps(request).encode() + b"\n", self.timeout)
        except _FailedError as failure:
            self.close()
            self._failure = f"{self} {failure}"
            raise LudusError(self._failure) from None
        answer = _read(line)
        if answer is None:
            start = line[: 4 * _QUOTED].decode(errors="replace").strip()[:_QUOTED]
            raise LudusError(f'{self} answered {start!r}; write one JSON object a line, e.g. {{"action": 0}}')
        return answer

    def _start(self) -> _Run:
        try:
            self._run = _Run(self.words)
        except (OSError, ValueError) as error:
            raise LudusError(f"{self} cannot be started: {error}") from None
        self._end = weakref.finalize(self, self._run.end)  # once: here, with this agent, or when Python exits
        return self._run


class _FailedError(Exception):
    """How a program failed to answer."""


class _Run:
    """One run of a program, from its start to its end."""

    def __init__(self, words: list[str]) -> None:
        self._answers: queue.Queue[bytes] = queue.Queue(_QUEUED)
        self._errors = bytearray()  # the last of its standard error
        self._process, reports = _supervised(words)
        self._reports = reports.makefile("rb", 0)  # of the supervisor, which ends when it is closed
        reports.close()
        assert self._process.stdin is not None
        self._questions: IO[bytes] = self._process.stdin
        os.set_blocking(self._questions.fileno(), False)
        pipes = (_listen, self._process.stdout, self._answers), (_keep_last, self._process.stderr, self._errors)
        self._listeners = [threading.Thread(target=listen, args=rest, daemon=True) for listen, *rest in pipes]
        for listener in self._listeners:
            listener.start()
        if problem := self._reports.readline().decode(errors="replace").strip():
            self.end()
            raise OSError(problem)

    def ask(self, line: bytes, timeout: float) -> bytes:
        """The line that answers this one; _FailedError if there is none."""
        deadline = time.monotonic() + timeout
        try:
            self._expect_silence()
            self._send(line, deadline)
            answer = self._answers.get(timeout=max(deadline - time.monotonic(), 0))
        except (queue.Empty, TimeoutError):
            raise _FailedError(f"gave no answer within {timeout:g} seconds") from None
        except OSError:
            self._expect_silence()  # nobody listens any more to a program that says too much, which ends it
            raise _FailedError(self._last_words("input")) from None
        if not answer:
            raise _FailedError(self._last_words("output"))
        self._expect_silence()
        return answer

    def _expect_silence(self) -> None:
        """Fail if there is an answer to no question; the empty line at the end is none."""
        with self._answers.mutex:
            if any(self._answers.queue):
                raise _FailedError("answered more than it was asked")

    def _send(self, line: bytes, deadline: float) -> None:
        """Write a line, until the deadline if the program does not read."""
        poll = select.poll()
        poll.register(self._questions, select.POLLOUT)
        while line:
            if not poll.poll(1000 * max(deadline - time.monotonic(), 0)):
                raise TimeoutError
            line = line[os.write(self._questions.fileno(), line) :]

    def _last_words(self, pipe: str) -> str:
        """The exit status and last line of stderr, or the pipe that a running program closed."""
        if not select.select([self._reports], [], [], _GRACE)[0]:
            return f"closed its {pipe}"
        status = self._reports.readline().decode().strip() or "unknown"  # if it has killed its supervisor
        self._listeners[1].join(_GRACE)
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return f"stopped with exit status {status}" + (f": {lines[-1][:200]}" if lines else "")

    def end(self) -> None:
        """Kill the program and all that it has started, without waiting for long."""
        self._reports.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        for listener in self._listeners:
            listener.join(_GRACE / 4)  # the system may take its time to end a process
        self._questions.close()


def _supervised(command: list[str]) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """The process that supervises a program, with the pipes of the program, and the socket of its reports."""
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            started = subprocess.Popen(
                [*_SUPERVISED, str(theirs.fileno()), *command],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                bufsize=0, start_new_session=True, pass_fds=[theirs.fileno()],
            )  # fmt: skip
    except BaseException:
        ours.close()
        raise
    return started, ours


def _listen(pipe: IO[bytes], answers: queue.Queue[bytes]) -> None:
    """Queue each line, and an empty one at the end; stop if the queue is full."""
    begun = b""
    with pipe, contextlib.suppress(queue.Full):
        while len(begun) < _LONGEST and (read := pipe.read(_LONGEST)):
            *whole, begun = (begun + read).split(b"\n")
            for line in whole:
                answers.put_nowait(line + b"\n")
        if begun:
            answers.put_nowait(begun)
        answers.put_nowait(b"")


def _keep_last(pipe: IO[bytes], errors: bytearray) -> None:
    """Keep the last of what is written, however much it is."""
    with pipe:
        while read := pipe.read(_LONGEST):
            errors += read
            del errors[:-_LONGEST]


def _read(line: bytes) -> dict[str, Any] | None:
    """The JSON object on a line, or None."""
    try:
        answer = json.loads(line.decode(errors="replace")) if len(line) < _LONGEST else None
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _shares(policy: Any) -> dict[int, float]:
    """The share of each action; nothing unless all are finite numbers and none is negative."""
    try:
        shares = {int(action): _share(share) for action, share in policy.items()}
    except (AttributeError, TypeError, ValueError, OverflowError):
        return {}
    return shares if all(math.isfinite(share) and share >= 0 for share in shares.values()) else {}


def _share(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError("a share is a number")
    return float(value)


def _quote(answer: Any) -> str:
    """The beginning of an answer, as JSON."""
    return json.dumps(answer)[:_QUOTED]


def question(game: Any, pos: Any) -> dict[str, Any]:
    """The question about a position, as JSON."""
    return {
        "game": catalog.name_of(game),
        "position": face.format_position(game, pos),
        "fields": [int(field) for field in pos],
        "player": int(game.player(pos)),
        "legal": actions(game.legal(pos)),
        "names": {str(action): face.action_name(game, pos, action) for action in actions(game.legal(pos))},
    }
