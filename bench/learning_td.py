"""TD(lambda), on one core: plies a second, and what one call of JAX alone would cost for the same network."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import ludus
from ludus import catalog
from ludus.agents.simple import Random
from ludus.compiled.randomness import stream_key
from ludus.learning.loop.episodes import ANY, LEARNER, PAUSED, Limits, Setting
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden
from ludus.networks.runtime import jax

PLIES = 1_000_000
WARM_UP = 10_000
CALLS = 2_000
ACTIONS = 32  # positions that result from one: about as many as Chung Toi has
NEVER = 1 << 62


class Line(NamedTuple):
    """What learns, its speed in plies a second, and the microseconds of a ply and of one call of JAX."""

    what: str
    units: int
    plies: float
    ply: float
    call: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the plies")
    options = parser.parse_args()
    plies = PLIES // 10 if options.quick else PLIES
    lines = [measured(units, plies) for units in (30, 100, 300)]
    if options.json:
        print(json.dumps([line._asdict() for line in lines], indent=2))
        return
    table = Table("self-play", "hidden units", "plies/s", "µs a ply", "µs a JAX call", title="TD(lambda), one core")
    for line in lines:
        table.add_row(line.what, str(line.units), f"{line.plies:,.0f}", f"{line.ply:.1f}", f"{line.call:.1f}")
    Console().print(table)


def measured(units: int, plies: int) -> Line:
    """How fast Chung Toi is learned, with the paper's settings but for the hidden units."""
    game: Any = ludus.make_game("chung-toi")
    trainer = catalog.make_learner(f"td-lambda(hidden={units}, alpha=0.001, smart=training)").trainer(game)
    setting = Setting(
        np.full((2, 2), LEARNER),
        stream_key(0),
        cap=100,
        random_plies=0,
        random_side=ANY,
        asks=False,
        forbidden=forbidden(trainer.game, Bans(())),
    )
    trainer.play(Random(), setting, Limits(NEVER, WARM_UP))
    began = process_time()
    assert trainer.play(Random(), setting, Limits(NEVER, plies)) == PAUSED
    ply = (process_time() - began) / plies
    return Line("chung-toi", units, 1 / ply, 1e6 * ply, 1e6 * one_call(trainer.parameters()))


def one_call(layers: dict[str, Any]) -> float:
    """Seconds of asking about all resulting positions of one, compiled: less than a ply, which also updates."""
    numpy = jax().numpy
    weights = [jax().device_put(layers[name].astype(np.float32)) for name in sorted(layers)]

    @jax().jit
    def ask(weights: Any, inputs: Any) -> Any:
        hidden_bias, output_bias, hidden, out = weights
        return 1.7159 * numpy.tanh(2 / 3 * (inputs @ hidden + hidden_bias)) @ out + output_bias

    inputs = np.random.default_rng(0).choice([-1, 0, 1], (ACTIONS, len(layers["weights.0"]))).astype(np.float32)
    np.asarray(ask(weights, inputs))
    return min(timed(lambda: np.asarray(ask(weights, inputs))) for _ in range(CALLS))


def timed(call: Callable[[], Any]) -> float:
    """Seconds of one call; of many the quickest counts, as a machine that is busy elsewhere only adds to them."""
    began = perf_counter()
    call()
    return perf_counter() - began


if __name__ == "__main__":
    main()
