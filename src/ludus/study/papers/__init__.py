"""The papers behind the games, run again: one small file each."""

from __future__ import annotations

import importlib

from ludus.errors import LudusError
from ludus.study.papers.paper import Paper

NAMES = ("toads-and-frogs", "tapnswap", "mancala", "fox-and-hounds", "chung-toi")


def paper(name: str) -> Paper:
    """The paper of this name; LudusError says which there are."""
    if name not in NAMES:
        raise LudusError(f"there is no paper {name!r}; there is: {', '.join(NAMES)}, or all")
    found: Paper = importlib.import_module(f"ludus.study.papers.{name.replace('-', '_')}").PAPER
    return found
