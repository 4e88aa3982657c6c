"""Arrays on disk: safetensors files that hold nothing but numbers, with notes and a checksum, replaced whole."""

from __future__ import annotations

import hashlib
import json
import platform
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

import ludus
from ludus.errors import LudusError
from ludus.files import made_folder, write_whole
from ludus.learning.loop.trainer import Arrays
from ludus.networks import runtime

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


MANIFEST = "run.json"

_VERSION = 1

_SINCE: dict[str, Any] = {"init_from": {}}  # what older heads do not tell


Words = dict[str, str]


class Head(NamedTuple):
    """What a run was set up with.

    opponents: digests of the runs that it plays, by name; versions: what made it; computing: of learners with a
    network, on which device and by how many threads, on which their bytes depend too; init_from: the
    digest of the run that it is initialised from, by name, if there is one.
    """

    game: str
    fingerprint: str
    learner: Words
    plan: Words
    opponents: Words
    versions: Words
    computing: Words
    init_from: Words


def versions(learner: Any) -> Words:
    """The versions of all that the bytes of a run depend on."""
    libraries = ("numpy", "numba", "jax", "optax") if has_network(learner) else ("numpy", "numba")
    own = {"ludus": ludus.__version__, "python": platform.python_version()}
    return own | {library: metadata.version(library) for library in libraries}


def has_network(learner: Any) -> bool:
    """Whether a learner computes a network with JAX."""
    return bool(getattr(learner, "has_network", False))


def computing(learner: Any) -> Words:
    """How the networks of a learner are computed in this process."""
    return {"device": runtime.device(), "threads": str(runtime.threads())} if has_network(learner) else {}


def match_compute(path: Path, head: Head) -> None:
    """Compute networks here as they were when a run began; LudusError if that cannot be."""
    if not head.computing:
        return
    runtime.pin_threads(int(head.computing["threads"]))
    if head.computing["device"] != runtime.device():
        raise LudusError(f"{path} was begun on a {head.computing['device']}, and here is only a {runtime.device()}")


def write_manifest(folder: Path, head: Head) -> None:
    """Put the head into the folder of a run, in place of an earlier one."""
    told = {"ludus": _VERSION, **head._asdict()}
    write_whole(folder / MANIFEST, [json.dumps(told | {"digest": _checksum(told)}, indent=2).encode() + b"\n"])


def read_manifest(folder: Path) -> Head:
    """The head in the folder of a run; LudusError says what is damaged."""
    path = folder / MANIFEST
    try:
        told = json.loads(path.read_text())
        if told["ludus"] != _VERSION:
            raise LudusError(f"{path} cannot be used: it was written by another version of Ludus")
        head = Head(*((_SINCE | told)[field] for field in Head._fields))
        if told.pop("digest") != _checksum(told):
            raise LudusError(f"{path} is damaged: its checksum is wrong")
        return head
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _checksum(told: dict[str, Any]) -> str:
    return digest(json.dumps(told, sort_keys=True).encode())


def digest(content: bytes) -> str:
    """32 hex digits that tell one content from another."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


FOLDER = "snapshots"

MOST = 24  # of one run

_MOST_BYTES = 4 << 20  # of one snapshot; what is larger is not kept


def snapshot_name(games: int) -> str:
    """The file of a run that holds what it knew after so many games."""
    return f"{FOLDER}/{games}.safetensors"


def snapshots(path: Path) -> list[int]:
    """The numbers of games after which there is a snapshot of the run in a folder."""
    names = (file.stem for file in (path / FOLDER).glob("*.safetensors"))
    return sorted(int(name) for name in names if name.isdecimal())


def write_snapshot(path: Path, games: int, parameters: Arrays, notes: dict[str, Any]) -> None:
    """Keep what the run in a folder knows after so many games, unless that is too large; thin out what there is."""
    if sum(array.nbytes for array in parameters.values()) > _MOST_BYTES:
        return
    made_folder(path / FOLDER)
    write_arrays(path / snapshot_name(games), parameters, notes)
    kept = snapshots(path)
    for between in kept[1:-1:2] if len(kept) > MOST else ():
        with suppress(OSError):
            (path / snapshot_name(between)).unlink()
