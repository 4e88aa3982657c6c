"""Files of opening books: arrays behind a header that tells the game and guards against damage.

A file begins with two lines of text: MAGIC and a digest of all that follows. Next is one line of JSON: the game, the
fingerprint of what a search relies on, the type and shape of each array, and what else its maker notes. The
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

from ludus.behaviour import fingerprint, plain, random_positions
from ludus.errors import LudusError
from ludus.files import home, made_folder, write_whole
from ludus.game import (
    banked,
    bounds,
    candidates,
    endgame_heap,
    endgame_heaps,
    endgame_position,
    gives_endgames,
    plies_left,
    symmetries,
    transform,
    unbanked,
)
from ludus.masks import is_empty, words
from ludus.parameters import format_with_parameters

Arrays = dict[str, npt.NDArray[Any]]
Notes = dict[str, int]

MAGIC = b"LUDUS BOOK 1\n"


def searched_fingerprint(game: Any) -> str:
    """Sixteen hex digits over the rules of a game and over what its hooks tell a search in random games."""
    whole = hashlib.sha256(fingerprint(game).encode())
    for pos in random_positions(game):
        whole.update(repr(_told(game, unbanked(game, pos), int(banked(game, pos)))).encode())
    return whole.hexdigest()[:16]


def _told(game: Any, pos: Any, points: int) -> tuple[Any, ...]:
    """What a search is told of a position that had so many points banked."""
    images = [plain(transform(game, pos, symmetry)) for symmetry in range(symmetries(game))]
    sizes = np.array([endgame_heap(game, pos, number) for number in range(endgame_heaps(game))], np.int64)
    heaped = plain(endgame_position(game, sizes)) if gives_endgames(game) else ()
    if is_empty(game.legal(pos)):
        return points, images, sizes.tolist(), heaped
    chosen = words(candidates(game, pos)), plain(bounds(game, pos)), plain(plies_left(game, pos))
    return points, images, sizes.tolist(), heaped, chosen


def path_for(game: Any) -> Path:
    """Where the book of a game is kept."""
    return _path(game, searched_fingerprint(game))


def _path(game: Any, whose: str) -> Path:
    return _folder() / f"{type(game).__name__}-{whose}.book"


def _folder() -> Path:
    return home() / "books"


def write(game: Any, arrays: Arrays, notes: Notes) -> Path:
    """Put arrays and notes into the file of a game, which appears whole or not at all."""
    whose = searched_fingerprint(game)
    path = _path(game, whose)
    header = {
        "game": format_with_parameters(type(game).__name__, game),
        "fingerprint": whose,
        "arrays": {name: [array.dtype.str, array.shape] for name, array in arrays.items()},
        "notes": notes,
    }
    parts: list[bytes | memoryview] = [json.dumps(header).encode() + b"\n"]
    parts += [np.ascontiguousarray(array).data for array in arrays.values()]
    made_folder(path.parent)
    write_whole(path, [MAGIC + _digest(*parts), *parts])
    return path


def read(game: Any) -> tuple[Arrays, Notes] | None:
    """The arrays and notes in the file of a game, None if there is none; a damaged or foreign one is refused."""
    if not any(_folder().glob(f"{type(game).__name__}-*.book")):  # spares taking the fingerprint
        return None
    whose = searched_fingerprint(game)
    path = _path(game, whose)
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
    if header["fingerprint"] != whose:
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
