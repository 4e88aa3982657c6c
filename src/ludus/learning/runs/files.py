"""The files of a run, each replaced whole and with a checksum: run.json, and safetensors files of numbers only."""

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
from ludus.learning.loop.episodes import Arrays
from ludus.networks import runtime

Metadata = dict[str, Any]


def write_arrays(path: Path, arrays: Arrays, notes: Metadata) -> None:
    """Writes arrays with metadata to a file."""
    text = json.dumps(notes, sort_keys=True)
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = json.dumps({"digest": _arrays_digest(whole, text), "notes": text})
    write_whole(path, [save(whole, {"ludus": header})])  # one entry: the order of several would be random


def read_arrays(path: Path) -> tuple[Arrays, Metadata]:
    """Returns the arrays and the metadata of a file; LudusError if it is damaged."""
    try:
        content = path.read_bytes()
        arrays = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        own = json.loads(header["__metadata__"]["ludus"])
        if own["digest"] != _arrays_digest(arrays, own["notes"]):
            raise ValueError("its checksum is wrong")
        return arrays, json.loads(own["notes"])
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{path} is damaged: {' '.join(str(error).split())}") from None


def _arrays_digest(arrays: Arrays, text: str) -> str:
    whole = hashlib.blake2b(text.encode(), digest_size=16)
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        whole.update(arrays[name].data)
    return whole.hexdigest()


def digest(content: bytes) -> str:
    """A digest of 32 hex digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


# ---- run.json ----

MANIFEST = "run.json"
_VERSION = 2  # of the format


class Manifest(NamedTuple):
    """The settings of a run, and everything else that its bytes depend on."""

    game: str
    fingerprint: str  # of the rules
    learner: dict[str, str]  # its name and hyperparameters
    plan: dict[str, str]
    opponents: dict[str, str]  # digests of the runs that it plays, by name
    versions: dict[str, str]  # of Ludus, Python and the libraries
    compute: dict[str, str]  # of a network: device and threads
    init_from: dict[str, str]  # the digest of the run that initialised it, by name


def versions(learner: Any) -> dict[str, str]:
    """The versions that the bytes of a run depend on."""
    libraries = ("numpy", "numba", "jax", "optax") if has_network(learner) else ("numpy", "numba")
    own = {"ludus": ludus.__version__, "python": platform.python_version()}
    return own | {library: metadata.version(library) for library in libraries}


def has_network(learner: Any) -> bool:
    """Whether JAX computes what a learner learns."""
    return bool(getattr(learner, "has_network", False))


def compute(learner: Any) -> dict[str, str]:
    """The device and the number of threads that compute a learner's network in this process."""
    return {"device": runtime.device(), "threads": str(runtime.threads())} if has_network(learner) else {}


def match_compute(path: Path, manifest: Manifest) -> None:
    """Computes networks with the threads of the manifest; LudusError if they or the device differ here."""
    if not manifest.compute:
        return
    runtime.pin_threads(int(manifest.compute["threads"]))
    if manifest.compute["device"] != runtime.device():
        raise LudusError(f"{path} was started on a {manifest.compute['device']}; here is only a {runtime.device()}")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes run.json."""
    content = {"ludus": _VERSION, **manifest._asdict()}
    write_whole(folder / MANIFEST, [json.dumps(content | {"digest": checksum(content)}, indent=2).encode() + b"\n"])


def read_manifest(folder: Path) -> Manifest:
    """Reads run.json; LudusError if it is damaged."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text())
        if content["ludus"] != _VERSION:
            raise LudusError(f"{path} cannot be used: it was written by another version of Ludus")
        manifest = Manifest(*(content[field] for field in Manifest._fields))
        if content.pop("digest") != checksum(content):
            raise LudusError(f"{path} is damaged: its checksum is wrong")
        return manifest
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{path} is damaged: {type(error).__name__}: {error}") from None


def checksum(content: dict[str, Any]) -> str:
    """The digest in run.json, of all else in it."""
    return digest(json.dumps(content, sort_keys=True).encode())


# ---- snapshots ----

SNAPSHOTS = "snapshots"
MAX_SNAPSHOTS = 24  # of one run
_MAX_BYTES = 4 << 20  # of one snapshot; larger ones are not written


def snapshot_name(games: int) -> str:
    """The file with the parameters after a number of games."""
    return f"{SNAPSHOTS}/{games}.safetensors"


def snapshots(path: Path) -> list[int]:
    """The numbers of games after which the run in a folder has a snapshot, sorted."""
    names = (file.stem for file in (path / SNAPSHOTS).glob("*.safetensors"))
    return sorted(int(name) for name in names if name.isdecimal())


def write_snapshot(path: Path, evaluated: list[int], parameters: Arrays, notes: Metadata) -> None:
    """Writes the parameters at the last of the evaluations, unless they are too large; thins out earlier snapshots.

    Evaluations are given by their numbers of games, all so far. They alone decide which snapshots stay, so that a run
    that was killed between any two files ends with the same ones.
    """
    if sum(array.nbytes for array in parameters.values()) > _MAX_BYTES:
        return
    made_folder(path / SNAPSHOTS)
    write_arrays(path / snapshot_name(evaluated[-1]), parameters, notes)
    for games in set(snapshots(path)) - set(_kept(evaluated)):
        with suppress(OSError):
            (path / snapshot_name(games)).unlink()


def _kept(evaluated: list[int]) -> list[int]:
    """The evaluations whose snapshots stay: every second one goes whenever there are too many."""
    kept: list[int] = []
    for games in evaluated:
        kept.append(games)
        if len(kept) > MAX_SNAPSHOTS:
            del kept[1:-1:2]
    return kept
