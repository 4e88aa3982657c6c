"""Any outside program as an agent: `cmd:PROGRAM`, one JSON line in, one JSON line out (docs/programs.md)."""

from __future__ import annotations

import contextlib
import json
import queue
import shlex
import subprocess
import tempfile
import threading
from typing import IO, Any

from ludus import catalog, face
from ludus.agents.agent import Probabilities
from ludus.errors import LudusError
from ludus.masks import actions

SECONDS = 10.0  # that a program may think about one move


class Program:
    """A program that is started once and asked for every move; it may remember, so exact grading refuses it."""

    has_memory = True

    def __init__(self, command: str, timeout: float = SECONDS) -> None:
        self.command, self.timeout = command, timeout
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._errors: IO[str] | None = None

    def __str__(self) -> str:
        return f"cmd:{self.command}"

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Ask the program: all on the action it answers, or its own probabilities."""
        legal = actions(game.legal(pos))
        answer = self._ask(question(game, pos))
        if "policy" in answer:
            self._read_policy(answer["policy"], legal, out)
            return
        action = answer.get("action")
        if isinstance(action, str):
            action = self._action_called(game, pos, action)
        if not isinstance(action, int) or action not in legal:
            raise LudusError(f"{self} answered {json.dumps(answer)}; the action must be one of {legal}")
        out[action] = 1.0

    def _action_called(self, game: Any, pos: Any, name: str) -> int:
        try:
            return face.parse_action(game, pos, name)
        except LudusError as error:
            raise LudusError(f"{self}: {error}") from None

    def _read_policy(self, policy: Any, legal: list[int], out: Probabilities) -> None:
        try:
            shares = {int(action): float(share) for action, share in policy.items()}
        except (AttributeError, TypeError, ValueError):
            shares = {}
        if not shares or set(shares) - set(legal) or min(shares.values()) < 0 or sum(shares.values()) <= 0:
            raise LudusError(
                f"{self} answered the policy {json.dumps(policy)}; it must give shares of actions in {legal}"
            )
        for action, share in shares.items():
            out[action] = share / sum(shares.values())

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process or self._start()
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._answers.get(timeout=self.timeout)
        except queue.Empty:
            self.close()
            raise LudusError(f"{self} gave no answer within {self.timeout:g} seconds") from None
        except (BrokenPipeError, OSError):
            line = ""
        return self._read(line)

    def _read(self, line: str) -> dict[str, Any]:
        if not line:
            words = self._last_words()
            self.close()
            raise LudusError(f"{self} stopped{words}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise LudusError(
                f'{self} answered {line.strip()[:80]!r}; write one JSON object a line, e.g. {{"action": 0}}'
            )
        return answer

    def _start(self) -> subprocess.Popen[str]:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115, it lives as long as the program
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        try:
            self._process = subprocess.Popen(shlex.split(self.command), text=True, **pipes)
        except (OSError, ValueError) as error:
            self.close()
            raise LudusError(f"{self} cannot be started: {error}") from None
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _last_words(self) -> str:
        """The exit status and the last line that the program wrote to its standard error."""
        assert self._process is not None
        assert self._errors is not None
        status = self._process.wait(timeout=self.timeout)
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return f" with exit status {status}" + (f": {lines[-1][:200]}" if lines else "")

    def close(self) -> None:
        """End the program; asked again, it starts anew."""
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    assert pipe is not None
                    pipe.close()
            self._process = None
        if self._errors:
            self._errors.close()
            self._errors = None


def question(game: Any, pos: Any) -> dict[str, Any]:
    """What a program is told of a position."""
    return {
        "game": catalog.name_of(game),
        "position": face.format_position(game, pos),
        "fields": [int(field) for field in pos],
        "player": int(game.player(pos)),
        "legal": actions(game.legal(pos)),
        "names": {str(action): face.action_name(game, pos, action) for action in actions(game.legal(pos))},
    }
