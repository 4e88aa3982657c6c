"""JSON documents on disk: each has a checksum and a schema; one that is damaged or foreign is refused in one line.

A schema is any type that pydantic knows, mostly a NamedTuple whose annotations give types and ranges. It is strict:
true is no number, 1.0 is no whole number, NaN is no number at all, and no name may be missing or unknown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from annotated_types import Ge, Lt
from typing_extensions import is_typeddict

from ludus.errors import LudusError
from ludus.files import read_regular, write_whole

T = TypeVar("T")
Count = Annotated[int, Ge(0), Lt(1 << 63)]
Share = Annotated[float, Ge(0.0), Lt(1.0 + 1e-9)]
_MOST_BYTES = 256 << 20
_VERSION, _DIGEST = "ludus", "digest"


class OtherVersionError(LudusError):
    """A document was written by another version of Ludus."""


def write_document(path: Path, version: int, document: dict[str, Any]) -> None:
    """Writes a document with its version and its checksum, atomically."""
    whole = {_VERSION: version, **document}
    write_whole(path, [json.dumps(whole | {_DIGEST: checksum(whole)}, indent=1).encode() + b"\n"])


def read_document(path: Path, version: int, kind: type[T]) -> T:
    """Reads a document of this kind; LudusError for one that is damaged, or of another version."""
    return parse(kind, json.dumps(_intact(path, version)), path)


def read_plain(path: Path, version: int, kind: type[Any]) -> dict[str, Any]:
    """The same as plain JSON values."""
    document = _intact(path, version)
    parse(kind, json.dumps(document), path)
    return document


def _intact(path: Path, version: int) -> dict[str, Any]:
    """What a document holds, if its version and its checksum are right."""
    document = parse(dict[str, Any], read_regular(path, _MOST_BYTES), path)
    found = document.pop(_DIGEST, None)
    if type(document.get(_VERSION)) is not int:
        raise LudusError(f"{path} is damaged, or no such file of Ludus: it has no version")
    if document[_VERSION] != version:
        raise OtherVersionError(f"{path} cannot be used: it was written by another version of Ludus")
    if found != checksum(document):
        raise LudusError(f"{path} is damaged: its checksum is wrong")
    del document[_VERSION]
    return document


def checksum(document: Any) -> str:
    """The digest of a document: 32 hex digits."""
    return digest(json.dumps(document, sort_keys=True).encode())


def digest(content: bytes) -> str:
    """A digest of 32 hex digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def parse(kind: type[T], content: str | bytes, whose: object) -> T:
    """Parses JSON of this kind; LudusError, which begins with whose it is, for anything else, however deeply nested."""
    from pydantic import ValidationError

    try:
        return cast(T, _schema(cast(Hashable, kind)).validate_json(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise LudusError(f"{whose} is damaged: {place + ': ' if place else ''}{first['msg']}") from None


@cache
def _schema(kind: Any) -> Any:
    """What pydantic makes of a type; it is imported when first needed, as it takes a while."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind, config=None if is_typeddict(kind) else _STRICT)  # type: ignore[arg-type]


_STRICT = {"strict": True, "allow_inf_nan": False}


def strict_but_open(kind: type[T]) -> type[T]:
    """Marks a TypedDict as a schema that is as strict, but allows further names."""
    kind.__pydantic_config__ = _STRICT | {"extra": "allow"}  # type: ignore[attr-defined]
    return kind
