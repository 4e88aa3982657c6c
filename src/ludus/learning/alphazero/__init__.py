"""The settings of the learner `alphazero`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.gumbel_search import Roots, draw_gumbels, halving, searched, verdicts, worth_of
from ludus.compiled.randomness import stream_start
from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.learning.alphazero.replay_buffer import (
    Taught,
    drawn,
    memory_from,
    new_memory,
    new_notes,
    note,
    noted,
    notes_from,
    remember,
    remembered,
    taught_by,
    untaught,
    with_room,
)
from ludus.learning.loop.episodes import Ints, Setting
from ludus.learning.loop.lanes import NOTHING, OPENED, PLY, STATUS, STOPPED, LaneTrainer
from ludus.learning.loop.options import RandomSide, Starts
from ludus.learning.loop.schedules import Schedule, share_now
from ludus.learning.loop.trainer import Arrays
from ludus.networks.deep import Parameters, Trunk, policy_value
from ludus.networks.inputs import Inputs
from ludus.networks.runtime import jax

if TYPE_CHECKING:
    import numpy as np

    from ludus.agents.gumbel_search import Rules
    from ludus.agents.network import PolicyValue
    from ludus.networks.deep import Parameters


_RANGES = {
    "width": (0, 4096),
    "blocks": (0, 64),
    "lanes": (1, 1 << 16),
    "sims": (1, 10_000),
    "considered": (1, 1 << 16),
    "gamma": (0.01, 1),
    "trust": (0, 1),
    "random_plies": (0, 1 << 30),
    "buffer": (1, 1 << 30),
    "batch": (1, 1 << 16),
    "reuse": (0.001, 1000),
}


class AlphaZero(NamedTuple):
    """A network with a policy and a value, taught by tree searches in games against itself."""

    trunk: Annotated[Trunk, "The body of the network; auto: conv over boards of 4x4 and more, else dense."] = Trunk.AUTO
    width: Annotated[int, "Units, or channels, of each layer of it; 0: 128 units, or 32 channels."] = 0
    blocks: Annotated[int, "Blocks of two layers."] = 3
    lanes: Annotated[int, "Games that are played side by side."] = 256
    sims: Annotated[int, "Simulations of the search for a move."] = 32
    considered: Annotated[int, "Actions that a search tries at its root, at most."] = 16
    scale: Annotated[float, "How much what a search finds counts beside what the network said."] = 1.0
    gamma: Annotated[float, "What a result one ply later is worth now."] = 0.99
    large: Annotated[float, "The score that is worth most of a win; 0: all wins are worth the same."] = 0.0
    trust: Annotated[float, "The part of what a search found in what the value learns; the rest is the result."] = 0.5
    starts: Annotated[Starts, "Begin as the game has it, anywhere that can be reached, or half and half."] = Starts.OWN
    random_plies: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 4
    random_side: Annotated[RandomSide, "Who goes astray then; any: one player or both, by lot."] = RandomSide.BOTH
    symmetry: Annotated[bool, "Learn each position turned and mirrored as the game allows."] = True
    buffer: Annotated[int, "Positions that are remembered."] = 100_000
    batch: Annotated[int, "Positions of one update."] = 256
    reuse: Annotated[float, "How often each position is learned from, on average."] = 4.0
    learning_rate: Annotated[Schedule, "The step of an update (Adam): 0.001, or 0.002..0.0002@20000."] = Schedule.parse(
        "0.001"
    )
    weight_decay: Annotated[float, "The part by which weights shrink, as compared with a step."] = 0.0001

    def validate(self) -> None:
        """Numbers within their ranges."""
        for name, (least, most) in _RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be {least:,} to {most:,}, not {getattr(self, name):,}")
        for name in ("scale", "large", "weight_decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name):g}")
        if not self.learning_rate.start:
            raise ValueError(f"learning_rate must be above 0, not {self.learning_rate}")
        if self.buffer < self.batch:
            raise ValueError(f"buffer must be {self.batch:,}, a batch, or more, not {self.buffer:,}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return "trunk", "width", "blocks"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "learning_rate", "gamma", "trust", "scale"

    @property
    def has_network(self) -> bool:
        """JAX computes what it learns."""
        return True

    def trainer(self, game: Any, *, twin: bool = False) -> AlphaZeroTrainer:
        """One who begins to learn a game."""
        if twin:
            raise LudusError("alphazero has no twin: let it play itself (opponent self), or another agent")
        return AlphaZeroTrainer(game, self)

    def agent(self, game: Any, parameters: Any) -> PolicyValue:
        """The bare policy of the network that was taught."""
        import numpy as np

        from ludus.agents.network import PolicyValue
        from ludus.networks.deep import check_shapes, policy_value

        check_shapes(parameters, self.network(game, np.random.default_rng(0)), type(game).__name__)
        return PolicyValue(policy_value, dict(parameters), self.rules)

    def network(self, game: Any, generator: np.random.Generator) -> Parameters:
        """An untaught one for a game; LudusError if it shows nothing, or no board to a network that needs one."""
        from ludus.game import num_actions
        from ludus.networks.deep import new_residual
        from ludus.networks.inputs import input_shape

        return new_residual(input_shape(game), num_actions(game), self.trunk, self.width, self.blocks, generator)

    @property
    def rules(self) -> Rules:
        """How its searches weigh what they find."""
        from ludus.agents.gumbel_search import Rules

        return Rules(self.gamma, self.scale, self.large)


UPDATES = 32  # in one call

_LEARNING = 1 << 40  # the streams of positions to learn from are numbered from here, those of games from 0

_POINTS = 20  # of the curve in a measure

_PARTS = ("parameters", "means", "squares")  # of what is taught

FRESH, CALLS, TOLD, COUNTERS = range(4)  # `counters`: positions not learned from yet, calls, and those measured


class AlphaZeroTrainer(LaneTrainer):
    """A training in progress; `curve`: of each call of updates the games before it, and its losses of both heads."""

    def __init__(self, game: Any, config: AlphaZero) -> None:
        super().__init__(game, config, config.lanes)
        self.taught = untaught(config.network(game, np.random.default_rng(0)))
        self.notes, self.memory = new_notes(game, config.lanes), new_memory(game, config.buffer)
        self.counters, self.curve = np.zeros(COUNTERS, np.int64), np.zeros((0, 3))
        self._is_drawn = True  # by the seed, unless it begins with what another has learned
        self._judged = jax().jit(policy_value)

    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn; a new network is drawn by the seed before the first game."""
        if self._is_drawn and self.lanes.totals[OPENED] == 0:
            self.taught = untaught(self.config.network(self.game, np.random.default_rng(int(setting.key))))
        return super().learn(opponent, setting, until)

    def _act(self, setting: Setting) -> Ints:
        """A search in each lane that is ready."""
        while self.counters[FRESH] >= self._needed:
            self._update(setting)
        ready, config = self.lanes.ready, self.config
        streams, added = self.lanes.streams[ready], np.zeros((len(ready), num_actions(self.game)))
        draw_gumbels(streams, added)
        roots = Roots(added, streams, halving(config.considered, config.sims))
        may = self._seen(ready)[1] if len(self.forbidden.rows) else None
        trees = searched(self.game, self.lanes.rows[ready], self._evaluate, roots, config.rules, may)
        found = verdicts(trees, roots, config.rules)
        self.lanes.streams[ready] = streams
        self.notes = with_room(self.notes)
        note(self.notes, ready, self.lanes.rows[ready], self.lanes.state[ready], found)
        chosen = np.full(len(self.lanes.rows), NOTHING)
        chosen[ready] = found.actions
        return chosen

    @property
    def _needed(self) -> int:
        """New positions for a call of updates."""
        return max(1, int(UPDATES * self.config.batch / self.config.reuse))

    def _evaluate(self, inputs: Inputs) -> tuple[Any, Any]:
        """What the network says, asked about as many positions as there are lanes."""
        padded = inputs
        if len(inputs) < len(self.lanes.rows):
            padded = np.zeros((len(self.lanes.rows), *inputs.shape[1:]), np.float32)
            padded[: len(inputs)] = inputs
        logits, worths = self._judged(self.taught.parameters, padded)
        return np.asarray(logits)[: len(inputs)], np.asarray(worths)[: len(inputs)]

    def _update(self, setting: Setting) -> None:
        """Learn from positions at random."""
        config = self.config
        stream = np.array([stream_start(setting.key, _LEARNING + int(self.counters[CALLS]))], np.uint64)
        batches = drawn(self.game, self.memory, UPDATES, config.batch, stream, symmetric=config.symmetry)
        rate = share_now(config.learning_rate, self.games, 0.0)
        self.taught, losses = taught_by(self.taught, batches, rate, config.weight_decay)
        self.curve = np.concatenate([self.curve, [[self.games, *losses]]])
        self.counters[FRESH] -= self._needed
        self.counters[CALLS] += 1

    def _finish(self, lane: int, setting: Setting) -> None:
        """Remember the positions of a game with its result, 0 if it was cut."""
        state, config, count = self.lanes.state[lane], self.config, int(self.notes.counts[lane])
        score = 0 if state[STATUS] == STOPPED else int(self.lanes.scores[lane])
        results = worth_of(score, config.large) * config.gamma ** (state[PLY] - self.notes.plies[lane, :count])
        results = np.where(self.notes.movers[lane, :count] == 0, results, -results).astype(np.float32)
        self.counters[FRESH] += remember(self.memory, self.notes, lane, results, config.trust)

    def init_from(self, parameters: Arrays) -> None:
        """Know the network of another; the memory is empty."""
        self.taught, self._is_drawn = untaught(dict(parameters)), False

    def parameters(self) -> Arrays:
        """The network."""
        return _plain(self.taught.parameters)

    def metrics(self) -> dict[str, Any]:
        """Losses since the last measure: the mean of their sum, and both at some games between."""
        since = self.curve[self.counters[TOLD] :]
        self.counters[TOLD] = len(self.curve)
        if not len(since):
            return {}
        return {"loss": float(since[:, 1:].sum(axis=1).mean()), "losses": _points(since)}

    def arrays(self) -> Arrays:
        """All of it."""
        taught = {
            f"{part}.{name}": array for part in _PARTS for name, array in _plain(getattr(self.taught, part)).items()
        }
        own = {"updates": np.asarray(self.taught.updates)[None], "counters": self.counters, "curve": self.curve}
        return super().arrays() | taught | noted(self.notes) | remembered(self.memory) | own

    def restore(self, arrays: Arrays) -> None:
        """Go on from these."""
        super().restore(arrays)
        taught = {part: {name: arrays[f"{part}.{name}"] for name in self.taught.parameters} for part in _PARTS}
        self.taught = jax().device_put(Taught(**taught, updates=arrays["updates"][0]))
        self.notes = notes_from(self.game, arrays)
        self.memory = memory_from(self.game, self.config.buffer, arrays)
        self.counters, self.curve = np.array(arrays["counters"]), np.array(arrays["curve"])


def _plain(parameters: Any) -> Parameters:
    return {name: np.asarray(array) for name, array in parameters.items()}


def _points(since: npt.NDArray[np.float64]) -> list[list[float]]:
    """At most some points of a curve, each the games played and the mean losses of what came before it."""
    parts = np.array_split(since, min(len(since), _POINTS))
    return [[int(part[-1, 0]), *(round(float(loss), 5) for loss in part[:, 1:].mean(axis=0))] for part in parts]
