"""What to say when the library on the other side of an adapter is not installed."""

from __future__ import annotations

from ludus.errors import LudusError


def missing(extra: str) -> LudusError:
    """The error that names the extra."""
    return LudusError(f"{extra} is not installed: pip install 'ludus[{extra}]'")
