"""A process of its own for each contestant, pinned to its cores before it loads anything."""

from __future__ import annotations

import importlib
import multiprocessing
import os
from multiprocessing.connection import Connection
from time import perf_counter, process_time
from typing import Any, NamedTuple

from bench.player import MissingError, Player, Sample, SamplePlayer


class Run(NamedTuple):
    """The plies of a run, its seconds, and its processor seconds."""

    plies: int
    seconds: float
    processor_seconds: float

    @property
    def speed(self) -> float:
        """Plies per second."""
        return self.plies / self.seconds


class Worker:
    """The bench's end of the pipe to a contestant's process."""

    def __init__(self, maker: str, cores: set[int]) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other_end = context.Pipe()
        self.process = context.Process(target=serve, args=(other_end, maker, cores), daemon=True)
        self.process.start()
        other_end.close()

    def introduce(self, game: str) -> str:
        """Compile and warm up a game and return the note on it; raises MissingError if it cannot be played."""
        return self._ask("introduce", game)

    def sample(self, game: str) -> Sample:
        """The results of some games."""
        return self._ask("sample", game)

    def run(self, game: str, seconds: float) -> Run:
        """Plays for at least this long."""
        return self._ask("run", game, seconds)

    def _ask(self, *question: Any) -> Any:
        self.pipe.send(question)
        answer = self.pipe.recv()
        if isinstance(answer, MissingError):
            raise answer
        return answer

    def stop(self) -> None:
        """Ends the process."""
        self.pipe.close()
        self.process.join()


class Desk:
    """The contestant's end: its players, and how much of each fills the time."""

    def __init__(self, maker: str) -> None:
        self.maker = maker
        self.players: dict[str, Player | SamplePlayer] = {}
        self.amounts: dict[str, int] = {}

    def introduce(self, game: str) -> str:
        """Make the player; `maker` reads module:function."""
        module, function = self.maker.split(":")
        player = getattr(importlib.import_module(module), function)(game)
        self.players[game], self.amounts[game] = player, 1
        return player.note()

    def sample(self, game: str) -> Sample:
        """Ask the player."""
        return self.players[game].sample()

    def run(self, game: str, seconds: float) -> Run:
        """Time one run, doubling what is played until it is long enough."""
        while True:
            run = timed(self.players[game], self.amounts[game])
            if run.seconds >= seconds:
                return run
            self.amounts[game] *= 2


def timed(player: Player, amount: int) -> Run:
    """Let a player play, by the clock."""
    began, began_working = perf_counter(), process_time()
    plies = player.play(amount)
    return Run(plies, perf_counter() - began, process_time() - began_working)


def serve(pipe: Connection, maker: str, cores: set[int]) -> None:
    """Answer the bench's questions until it closes the pipe."""
    os.sched_setaffinity(0, cores)
    desk = Desk(maker)
    while True:
        try:
            name, *args = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(getattr(desk, name)(*args))
        except MissingError as missing:
            pipe.send(missing)
