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
from ludus import signatures
from ludus.documents import Count, digest, parse, read_document, write_document
from ludus.errors import LudusError, in_one_line
from ludus.files import made_folder, open_regular, read_regular, write_whole
from ludus.learning.loop.evaluation import Line, MetricsLine
from ludus.learning.loop.restoring import Arrays
from ludus.networks import runtime


class Notes(NamedTuple):
    """What a file of arrays says of itself: its name, rules, learner, games played, and the evaluations so far."""

    file: str
    fingerprint: str
    learner: dict[str, str]
    games: Count
    metrics: tuple[Line, ...] = ()


class _Evaluations(NamedTuple):
    metrics: tuple[MetricsLine, ...]


class _Header(NamedTuple):
    """The entry of Ludus in a safetensors file: `digest` covers the notes and the arrays, `notes_digest` the notes."""

    notes: str
    notes_digest: str
    digest: str


_LENGTH = 8  # bytes that say how long the header is
_MOST_HEADER = 64 << 20  # bytes


def write_arrays(path: Path, arrays: Arrays, notes: Notes) -> None:
    """Writes arrays with notes to a file."""
    text = json.dumps(notes._asdict())
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = json.dumps(_Header(text, digest(text.encode()), _arrays_digest(whole, text))._asdict())
    write_whole(path, [save(whole, {"ludus": header})])  # one entry: the order of several would be random


def read_arrays(path: Path) -> tuple[Arrays, Notes]:
    """Returns the arrays and the notes of a file; LudusError if it is damaged."""
    content = read_regular(path)
    header = _header(path, content)
    try:
        arrays = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{path} is damaged: {in_one_line(error)}") from None
    if header.digest != _arrays_digest(arrays, header.notes):
        raise LudusError(f"{path} is damaged: its checksum is wrong")
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise LudusError(f"{path} is damaged: the array {name} holds what is no number")
    return arrays, _notes(path, header)


def read_notes(path: Path) -> Notes:
    """Returns the notes of a file without its arrays; LudusError if they are damaged."""
    with open_regular(path) as file:
        begin = file.read(_LENGTH)
        header = _header(path, begin + file.read(min(int.from_bytes(begin, "little"), _MOST_HEADER)))
    if header.notes_digest != digest(header.notes.encode()):
        raise LudusError(f"{path} is damaged: its checksum is wrong")
    return _notes(path, header)


def _notes(path: Path, header: _Header) -> Notes:
    """The notes, whose metrics are checked and kept in their own order."""
    notes = parse(Notes, header.notes, path)
    parse(_Evaluations, json.dumps({"metrics": notes.metrics}), path)
    return notes


def _header(path: Path, content: bytes) -> _Header:
    """The entry of Ludus in the header, which begins with its length."""
    end = _LENGTH + int.from_bytes(content[:_LENGTH], "little")
    if not _LENGTH < end <= min(len(content), _MOST_HEADER):
        raise LudusError(f"{path} is damaged: it has no header")
    entries = parse(dict[str, Any], content[_LENGTH:end], path).get("__metadata__")
    own = entries.get("ludus") if isinstance(entries, dict) else None
    if not isinstance(own, str):
        raise LudusError(f"{path} is damaged: it has no notes of Ludus")
    return parse(_Header, own, path)


def _arrays_digest(arrays: Arrays, text: str) -> str:
    whole = hashlib.blake2b(text.encode(), digest_size=16)
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        whole.update(arrays[name].data)
    return whole.hexdigest()


# ---- run.json ----

MANIFEST = "run.json"
_VERSION = 3  # of the format


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
    signature: str = ""  # of the user who made it, if it names files or programs

    @property
    def names(self) -> list[str]:
        """Everything that it names: the game, the learner, opponents and other settings."""
        return [self.game, *self.learner.values(), *self.plan.values()]

    @property
    def unsigned(self) -> dict[str, Any]:
        """All of it but the signature."""
        return self._replace(signature="")._asdict()


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
    threads, device = (manifest.compute.get(name, "") for name in ("threads", "device"))
    if not (threads.isdecimal() and len(threads) < 5):
        raise LudusError(f"{path / MANIFEST} is damaged: {threads[:20]!r} is no number of threads")
    runtime.pin_threads(int(threads))
    if device != runtime.device():
        raise LudusError(f"{path} was started on a {device}; here is only a {runtime.device()}")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes run.json, signed by this user."""
    signature = signatures.sign(manifest.unsigned, manifest.names)
    write_document(folder / MANIFEST, _VERSION, manifest._replace(signature=signature)._asdict())


def read_manifest(folder: Path) -> Manifest:
    """Reads run.json; LudusError if it is damaged."""
    return read_document(folder / MANIFEST, _VERSION, Manifest)


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


def write_snapshot(path: Path, evaluated: list[int], parameters: Arrays, notes: Notes) -> None:
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
