"""Where the agents of a tournament meet: on threads of this process where that is quickest, else as jobs anywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ludus import catalog
from ludus.arena.contestants import Contestant
from ludus.arena.match import play_match
from ludus.arena.results import Counter, Results
from ludus.arena.sent import Sent, ready, sent
from ludus.arena.written_out import Exact, Shares, can_be_written_out, written_out
from ludus.cluster import Job, Progress, run_jobs, run_on_threads
from ludus.game import first_player

Pair = tuple[int, int]
BySeat = tuple[Results, Results]
Keep = Callable[[Pair, BySeat], None]
Tell = Callable[[str, Progress], None]  # told which step of the work is how far


class Hall:
    """A game, written out if it is small enough, and its agents, by their places in a list."""

    def __init__(self, game: Any, field: Sequence[Contestant], agents: Sequence[Any], games: int, seed: int) -> None:
        self.game, self.field, self.games, self.seed = game, field, games, seed
        self._shares: dict[int, Shares] = {}
        known = [number for number, agent in enumerate(agents) if can_be_written_out(agent)]
        self._positions = written_out(game) if len(known) > 1 else None
        if self._positions:
            self._shares = {number: self._positions.shares(agents[number]) for number in known}

    def is_quick(self, pair: Pair) -> bool:
        """Whether what both agents do is written out."""
        return pair[0] in self._shares and pair[1] in self._shares

    def play(self, pairs: Sequence[Pair], on: str, keep: Keep, tell: Tell) -> None:
        """Let these pairs play, and keep what came of each as it ends."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        others = [pair for pair in pairs if not self.is_quick(pair)]
        self._play_here(quick, on, keep, partial(tell, "quick meetings" if others else "meetings"))
        travelling = {number: self._sent(number, on) for pair in others for number in pair}
        jobs = [self._job(pair, travelling[pair[0]], travelling[pair[1]]) for pair in others]
        told = partial(tell, "meetings")
        run_jobs(jobs, on, done=lambda number, results: keep(others[number], results), tell=told)

    def _play_here(self, pairs: Sequence[Pair], on: str, keep: Keep, tell: Callable[[Progress], None]) -> None:
        jobs = [Job(self._named(pair), self._quick, (pair,), self.games) for pair in pairs]
        run_on_threads(jobs, on, done=lambda number, results: keep(pairs[number], results), tell=tell)

    def _named(self, pair: Pair) -> str:
        return f"{self.field[pair[0]].name} against {self.field[pair[1]].name}"

    def _quick(self, pair: Pair) -> BySeat:
        assert self._positions
        a, b = (self._shares[number] for number in pair)
        return self._positions.play(a, b, self.games, self._seed(pair))

    def _seed(self, pair: Pair) -> int:
        """A seed for the games of a pair, whatever the order in which agents are named."""
        words = f"{self.seed} {self.field[pair[0]].digest} {self.field[pair[1]].digest}"
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "little")

    def _sent(self, number: int, on: str) -> Sent:
        return sent(self.field[number].text, self.field[number].digest, on)

    def _job(self, pair: Pair, a: Sent, b: Sent) -> Job:
        arguments = catalog.lasting_name(self.game), a, b, self.games, self._seed(pair)
        return Job(self._named(pair), meet, arguments, self.games)

    def exact(self, pairs: Sequence[Pair], on: str, tell: Tell) -> dict[Pair, tuple[Exact, Exact]]:
        """What the first of each pair can expect, moving first and second, where their play is written out."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        found: dict[int, tuple[Exact, Exact]] = {}
        jobs = [Job(self._named(pair), self._exact, (pair,)) for pair in quick]
        run_on_threads(jobs, on, done=found.__setitem__, tell=partial(tell, "exact results"))
        return {pair: found[number] for number, pair in enumerate(quick)}

    def _exact(self, pair: Pair) -> tuple[Exact, Exact]:
        assert self._positions
        return self._positions.exact(self._shares[pair[0]], self._shares[pair[1]])


def meet(game: str, a: Sent, b: Sent, games: int, seed: int) -> BySeat:
    """Play the games of two agents, wherever this is; those in which the first of them moved first, and second."""
    chosen = catalog.make_game(game)
    agents = ready(game, a), ready(game, b)
    counter = Counter(first_player(chosen))
    try:
        play_match(chosen, *agents, games, seed=seed, threads=1, record=counter.add)
    finally:
        for agent in agents:
            if hasattr(agent, "close"):
                agent.close()
    return counter.by_seat()
