"""Files of what searches worked out: arrays behind a header that tells the game and guards against damage.

A file begins with two lines of text: MAGIC and a digest of all that follows. Next is one line of JSON: what the file
holds, the fingerprint of the game's behaviour, the type and shape of each array, and what else its maker notes. The
bytes of the arrays come last.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.behaviour import fingerprint
from ludus.errors import LudusError
from ludus.files import home, made_folder, write_whole
from ludus.parameters import format_with_parameters

Arrays = dict[str, npt.NDArray[Any]]
Notes = dict[str, int]

MAGIC = b"LUDUS SEARCH 1\n"


def path_for(game: Any, kind: str) -> Path:
    """Where such a file of a game is kept."""
    return _folder(kind) / f"{type(game).__name__}-{fingerprint(game)}.{kind}"


def _folder(kind: str) -> Path:
    return home() / f"{kind}s"


def write(game: Any, kind: str, arrays: Arrays, notes: Notes) -> Path:
    """Put arrays and notes into the file of a game, which appears whole or not at all."""
    path = path_for(game, kind)
    header = {
        "kind": kind,
        "game": format_with_parameters(type(game).__name__, game),
        "fingerprint": fingerprint(game),
        "arrays": {name: [array.dtype.str, array.shape] for name, array in arrays.items()},
        "notes": notes,
    }
    parts: list[bytes | memoryview] = [json.dumps(header).encode() + b"\n"]
    parts += [np.ascontiguousarray(array).data for array in arrays.values()]
    made_folder(path.parent)
    write_whole(path, [MAGIC + _digest(*parts), *parts])
    return path


def read(game: Any, kind: str) -> tuple[Arrays, Notes] | None:
    """The arrays and notes in the file of a game, None if there is none; a damaged or foreign one is refused."""
    if not any(_folder(kind).glob(f"{type(game).__name__}-*.{kind}")):  # spares taking the fingerprint
        return None
    path = path_for(game, kind)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    body = memoryview(content)[len(MAGIC) + len(_digest()) :]
    if not content.startswith(MAGIC + _digest(body)):
        raise LudusError(f"{path} is damaged, or not of this version of Ludus: remove it and make it anew")
    end = content.index(b"\n", len(content) - len(body))
    header = json.loads(content[len(content) - len(body) : end])
    if (header["kind"], header["fingerprint"]) != (kind, fingerprint(game)):
        raise LudusError(f"{path} was made for other rules: {header['game']}")
    return _arrays(content, header["arrays"], end + 1), header["notes"]


def _arrays(content: bytes, kinds: dict[str, tuple[str, list[int]]], begin: int) -> Arrays:
    arrays = {}
    for name, (kind, shape) in kinds.items():
        arrays[name] = np.frombuffer(content, kind, math.prod(shape), begin).reshape(shape)
        begin += arrays[name].nbytes
    return arrays


def _digest(*parts: bytes | memoryview) -> bytes:
    """One line of text."""
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        whole.update(part)
    return whole.hexdigest().encode() + b"\n"
