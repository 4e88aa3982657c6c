"""pgx on the CPU: batches of games stepped together in one compiled loop, ended games replaced by new ones at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

from bench.player import MissingError, Sample

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
try:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.utils import act_randomly
except ImportError as error:
    raise MissingError("pgx is not installed") from error

BATCHES = (1024, 4096)  # of 64, 256, .. 65536, one of these was always the best or within 1% of it
STEPS = {"tic_tac_toe": 9, "connect_four": 42}  # the longest game
PLIES_A_CALL = 1 << 18
SAMPLED_GAMES = 20_000


def kth_actions(key: Any, legal: Any) -> Any:
    """A legal action for each game: the k-th, by one draw; pgx's own `act_randomly` draws one for each action."""
    counts = legal.sum(-1, dtype=jnp.uint32)
    k = (jax.random.bits(key, counts.shape, jnp.uint32) >> 8) * counts >> 24
    return jnp.argmax(jnp.cumsum(legal, -1, dtype=jnp.uint32) > k[:, None], -1)


class PgxPlayer:
    """pgx with one way to choose actions, at the batch size at which it is fastest here."""

    def __init__(self, game: str, choose: Callable[..., Any]) -> None:
        if game not in STEPS:
            raise MissingError("not in pgx")
        self.env = pgx.make(game)
        self.choose = choose
        self.longest = STEPS[game]
        self.fresh = self.env.init(jax.random.key(0))
        self.loops = {batch: jax.jit(self.loop_of(PLIES_A_CALL // batch)) for batch in BATCHES}
        self.speeds = self.sweep()
        self.batch = max(BATCHES, key=self.speeds.__getitem__)

    def step(self, states: Any, key: Any) -> Any:
        """One ply in every game."""
        return jax.vmap(self.env.step)(states, self.choose(key, states.legal_action_mask))

    def step_or_restart(self, states: Any, key: Any) -> tuple[Any, None]:
        """One ply in every game, with a new game where one has ended, so that every step is a real ply."""
        states = self.step(states, key)
        over = states.terminated

        def pick(new: Any, old: Any) -> Any:
            return jnp.where(over.reshape(over.shape + (1,) * (old.ndim - 1)), new, old)

        return jax.tree.map(pick, self.fresh, states), None

    def loop_of(self, steps: int) -> Any:
        """A function that plays a number of plies in every game of a batch."""
        return lambda states, key: jax.lax.scan(self.step_or_restart, states, jax.random.split(key, steps))[0]

    def new_games(self, batch: int) -> Any:
        """A batch of games at the start."""
        return jax.tree.map(lambda field: jnp.broadcast_to(field, (batch, *field.shape)), self.fresh)

    def run(self, batch: int, calls: int) -> int:
        """Calls the compiled loop a number of times; returns the plies."""
        states = self.new_games(batch)
        for call in range(calls):
            states = self.loops[batch](states, jax.random.key(call))
        jax.block_until_ready(states)
        return calls * (PLIES_A_CALL // batch) * batch

    def sweep(self) -> dict[int, float]:
        """Plies per second at each batch size: the first round compiles, then the best of a few, taking turns."""
        rounds = [{batch: self.speed(batch) for batch in BATCHES} for _ in range(5)]
        return {batch: max(speeds[batch] for speeds in rounds) for batch in BATCHES}

    def speed(self, batch: int) -> float:
        """Plies per second in one call."""
        began = perf_counter()
        return self.run(batch, 1) / (perf_counter() - began)

    def play(self, amount: int) -> int:
        """Plays by calls at the best batch size."""
        return self.run(self.batch, amount)

    def sample(self) -> Sample:
        """Whole games, without restarts: a step from an ended game is no ply and earns nothing."""

        def step(states: Any, key: Any) -> tuple[Any, Any]:
            after = self.step(states, key)
            return after, ((~states.terminated).sum(), after.rewards[:, self.fresh.current_player])

        keys = jax.random.split(jax.random.key(0), self.longest)
        plies, rewards = jax.lax.scan(step, self.new_games(SAMPLED_GAMES), keys)[1]
        results = rewards.sum(0)
        counts = (int((results == result).sum()) for result in (1, -1, 0))
        return Sample(SAMPLED_GAMES, int(plies.sum()), *counts)

    def note(self) -> str:
        """The batch sizes that were tried."""
        speeds = ", ".join(f"{speed / 1e6:.1f} M at {batch}" for batch, speed in self.speeds.items())
        return f"batches of {self.batch}; plies/s by batch size: {speeds}"


def with_own_sampler(game: str) -> PgxPlayer:
    """Pgx as its documentation and its benchmarks play random games."""
    return PgxPlayer(game, act_randomly)


def with_tuned_sampler(game: str) -> PgxPlayer:
    """Pgx with a sampler made for speed."""
    return PgxPlayer(game, kth_actions)
