"""Arrays on disk: safetensors files that hold nothing but numbers, with notes and a checksum, replaced whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.learning.student import Arrays

Notes = dict[str, Any]


def write_arrays(path: Path, arrays: Arrays, notes: Notes) -> None:
    """Put arrays and notes into a file, in place of an earlier one."""
    words = json.dumps(notes, sort_keys=True)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    told = json.dumps({"digest": _digest(whole, words), "notes": words})
    write_whole(path, [save(whole, {"ludus": told})])  # one entry: the order of several would be left to chance


def read_arrays(path: Path) -> tuple[Arrays, Notes]:
    """What is in such a file; LudusError if it is damaged."""
    try:
        content = path.read_bytes()
        arrays = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        told = json.loads(header["__metadata__"]["ludus"])
        if told["digest"] != _digest(arrays, told["notes"]):
            raise ValueError("its checksum is wrong")
        return arrays, json.loads(told["notes"])
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{path} is damaged: {' '.join(str(error).split())}") from None


def _digest(arrays: Arrays, words: str) -> str:
    whole = hashlib.blake2b(words.encode(), digest_size=16)
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        whole.update(arrays[name].data)
    return whole.hexdigest()
