"""Small facts about games that take a while to find out, kept in the cache for the next process."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludus.compiled import machine_code
from ludus.documents import checksum
from ludus.errors import LudusError
from ludus.files import read_regular, write_whole

Facts = dict[str, Any]
_MOST_BYTES = 1 << 20


def recall(kind: str, key: str) -> Facts | None:
    """What was remembered under this key; None if nothing was, or the cache lost it."""
    path = _path(kind, key)
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError, LudusError):
        kept = json.loads(read_regular(path, _MOST_BYTES))
        if kept["digest"] == checksum(kept["facts"]):
            os.utime(path)  # the cache forgets what was not used for longest
            return dict(kept["facts"])
    return None


def remember(kind: str, key: str, facts: Facts) -> None:
    """Keep facts under a key, if the cache can be written."""
    path = _path(kind, key)
    with suppress(OSError, LudusError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [json.dumps({"facts": facts, "digest": checksum(facts)}).encode()])


def _path(kind: str, key: str) -> Path:
    return machine_code.directory() / kind / f"{key}.json"
