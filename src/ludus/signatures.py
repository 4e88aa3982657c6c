"""Documents that name code are signed by the user who made them; one from somebody else runs nothing until trusted.

A run or a sweep names games, learners and agents, some of which are files of Python or outside programs.
"""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from ludus.documents import checksum
from ludus.errors import LudusError
from ludus.files import home, is_there, made_folder, read_regular

_SECRET = "secret"
_BYTES = 32
_is_sent: ContextVar[bool] = ContextVar("_is_sent", default=False)


def sign(document: dict[str, Any], names: Iterable[str]) -> str:
    """The signature of this user for a document with these names; empty if none of them is code."""
    return _signature(document) if _code(names) else ""


def require_trusted(path: Path, document: dict[str, Any], names: Iterable[str], signature: str, advice: str) -> None:
    """Raise LudusError for a document that names code and has another signature than this user's."""
    code = _code(names)
    if code and not _is_sent.get() and not hmac.compare_digest(signature.encode(), _signature(document).encode()):
        raise LudusError(f"{path} comes from elsewhere and names code, which is not run: {code[0]}; {advice}")


def _code(names: Iterable[str]) -> list[str]:
    """Those of some names that contain a file of Python or an outside program."""
    return [name for name in names if ".py" in name or "cmd:" in name]


def _signature(document: dict[str, Any]) -> str:
    return hmac.new(_secret(), checksum(document).encode(), "sha256").hexdigest()


def _secret() -> bytes:
    """What only this user knows; made when it is first needed."""
    path = home() / _SECRET
    if not is_there(path):
        _make_secret(path)
    secret = read_regular(path, _BYTES)
    if len(secret) != _BYTES:
        raise LudusError(f"{path} is damaged: remove it, then trust your runs again with ludus runs --trust")
    return secret


def _make_secret(path: Path) -> None:
    """Write a secret that only this user can read, unless another process has just done so."""
    try:
        number, name = tempfile.mkstemp(prefix=f"{_SECRET}-", dir=made_folder(path.parent))
        with os.fdopen(number, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(name, path)
        os.unlink(name)
    except OSError as error:
        raise LudusError(f"{path} cannot be written: {error.strerror}") from None


@contextmanager
def sent_by_user() -> Iterator[None]:
    """Trust whatever is read in this context: a job of this user brought it."""
    token = _is_sent.set(True)
    try:
        yield
    finally:
        _is_sent.reset(token)
