"""The same random games in C written by hand for each game, with Ludus's own random numbers."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench.ludus_playouts import SAMPLED_GAMES, SEED, game_called
from bench.player import MissingError
from ludus import playouts
from ludus.compiled.randomness import stream_key

FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


class Tally(ctypes.Structure):
    """What the C code counts."""

    _fields_ = tuple((name, ctypes.c_int64) for name in ("first_wins", "second_wins", "ties", "plies", "total_score"))


def library(source: Path) -> ctypes.CDLL:
    """A file of C, compiled for this processor."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise MissingError("there is no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.so")
        subprocess.run([compiler, *FLAGS, "-o", str(made), str(source)], check=True)
        return ctypes.CDLL(str(made))


def compiled(source: Path) -> Any:
    """The C function of a file that plays its game."""
    function = library(source).play_games
    function.argtypes = (ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(Tally))
    function.restype = None
    return function


class CPlayer:
    """The C code for one game, checked to play exactly the games that Ludus plays."""

    def __init__(self, style: str, game: str) -> None:
        self.function = compiled(Path(__file__).parent / style / f"{game}.c")
        self.key = int(stream_key(SEED))
        ours, theirs = self.tally(SAMPLED_GAMES), playouts(game_called(game), SAMPLED_GAMES, seed=SEED, threads=1)
        for name, _ in Tally._fields_:
            assert getattr(ours, name) == getattr(theirs, name), f"{game}: {name} differs between C and Ludus"

    def tally(self, games: int) -> Tally:
        """What comes of so many games."""
        tally = Tally()
        self.function(self.key, 0, games, tally)
        return tally

    def play(self, amount: int) -> int:
        """So many games."""
        return self.tally(amount).plies

    def note(self) -> str:
        """Nothing: that the tallies are the same has been asserted."""
        return ""


def same_steps(game: str) -> CPlayer:
    """The rules written down in C as they stand in Ludus: same layout, same steps."""
    return CPlayer("same_steps", game)


def tuned(game: str) -> CPlayer:
    """The game as fast as we know how to write it: tables, no branches."""
    return CPlayer("tuned", game)
