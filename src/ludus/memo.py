"""Small facts about games that take a while to find out, kept in the cache for the next process."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludus.compiled import machine_code
from ludus.errors import LudusError
from ludus.files import write_whole

Facts = dict[str, Any]


def recall(kind: str, key: str) -> Facts | None:
    """What was remembered under this key; None if nothing was, or the cache lost it."""
    path = _path(kind, key)
    with suppress(OSError, ValueError, RecursionError):
        facts = json.loads(path.read_text())
        os.utime(path)  # the cache forgets what was not used for longest
        return facts if isinstance(facts, dict) else None
    return None


def remember(kind: str, key: str, facts: Facts) -> None:
    """Keep facts under a key, if the cache can be written."""
    path = _path(kind, key)
    with suppress(OSError, LudusError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [json.dumps(facts).encode()])


def _path(kind: str, key: str) -> Path:
    return machine_code.directory() / kind / f"{key}.json"
