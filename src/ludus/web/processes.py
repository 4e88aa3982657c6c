"""Processes of the page: a module that runs in a process of its own, gets orders and reports, both as JSON lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ludus.errors import LudusError
from ludus.files import home, made_folder

PATIENCE = 10.0  # seconds until a process that does not stop is killed
Message = dict[str, Any]


class ReportingProcess:
    """Such a process; `on_report` gets each report, `on_end` its status and whether it was asked to stop."""

    def __init__(
        self, module: str, *arguments: str, on_report: Callable[[Message], None], on_end: Callable[[int, bool], None]
    ) -> None:
        self._on_report, self._on_end, self._is_stopping = on_report, on_end, False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=made_folder(home()), env=os.environ | {"LUDUS_HOME": str(home().resolve())},
            text=True, start_new_session=True,
        )  # fmt: skip
        self._killing = threading.Timer(PATIENCE, self._process.kill)
        self._killing.daemon = True
        threading.Thread(target=self._listen, daemon=True, name=" ".join((module, *arguments))).start()

    def send(self, order: Message) -> None:
        """Sends an order; LudusError if it has ended."""
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # its end of the pipe, or ours, is closed
            raise LudusError("it has just ended") from None

    def stop(self) -> None:
        """Lets it save and stop; kills it if it does not soon."""
        if not self._is_stopping:
            self._is_stopping = True
            self._killing.start()
            with suppress(LudusError):
                self.send({"do": "stop"})

    def _listen(self) -> None:
        with self._process:  # waits for its end, and closes its pipes
            assert self._process.stdout
            for line in self._process.stdout:
                self._on_report(json.loads(line))
        self._killing.cancel()
        self._on_end(self._process.returncode, self._is_stopping)


def ended_in_words(status: int) -> str:
    """Why a process ended that did not say so itself."""
    killed = "it was killed: it may have needed more memory than it is allowed"
    return killed if status < 0 else f"it ended with status {status}"
