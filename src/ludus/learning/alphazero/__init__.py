"""AlphaZero with Gumbel search: a network with a policy and a value, trained by self-play.

Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", 2018;
Danihelka et al., "Policy improvement by planning with Gumbel", 2022. It differs in the value target (`trust`) and in
discounting results (`gamma`).
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.gumbel_search import Roots, SearchSettings, draw_gumbels, halving, results_of, reward_of, search
from ludus.agents.network import PolicyValue
from ludus.compiled.randomness import stream_start
from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.learning.alphazero import replay_buffer
from ludus.learning.alphazero.replay_buffer import TrainState, new_buffer, new_train_state, new_trajectories, sample
from ludus.learning.loop.episodes import Ints, Setting
from ludus.learning.loop.lanes import NOTHING, OPENED, PLY, STATUS, STOPPED, LaneTrainer
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.restoring import Arrays, as_arrays, from_arrays, require, require_positions, taken
from ludus.learning.loop.restrictions import Forbidden
from ludus.learning.loop.settings import RandomSide, Schedule, Starts, share_now
from ludus.networks.deep import Parameters, Trunk, check_shapes, new_residual, policy_value
from ludus.networks.inputs import Inputs, input_shape
from ludus.networks.runtime import jax

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
    """A network with a policy and a value, trained by tree search in self-play."""

    trunk: Annotated[Trunk, "Trunk of the network; auto: conv over boards of 4x4 and more, else dense."] = Trunk.AUTO
    width: Annotated[int, "Units or channels of each layer; 0: 128 units, or 32 channels."] = 0
    blocks: Annotated[int, "Residual blocks of two layers."] = 3
    lanes: Annotated[int, "Games played in parallel."] = 256
    sims: Annotated[int, "Simulations per move."] = 32
    considered: Annotated[int, "Actions considered at the root of a search, at most."] = 16
    scale: Annotated[float, "Weight of the search values against the network's logits."] = 1.0
    gamma: Annotated[float, "Discount per ply."] = 0.99
    large: Annotated[float, "Scale of the score: value = tanh(score / large); 0: only win, draw or loss."] = 0.0
    trust: Annotated[float, "Value target = trust * search value + (1 - trust) * result."] = 0.5
    starts: Annotated[Starts, "Start positions: the game's own, any reachable one, or both."] = Starts.OWN
    random_plies: Annotated[int, "Random opening plies, at most; learning starts after them."] = 4
    random_side: Annotated[RandomSide, "The side that plays them; any: one or both, at random."] = RandomSide.BOTH
    symmetry: Annotated[bool, "Augment positions by the symmetries of the game."] = True
    buffer: Annotated[int, "Positions in the replay buffer."] = 100_000
    batch: Annotated[int, "Positions per update."] = 256
    reuse: Annotated[float, "Updates per position, on average."] = 4.0
    learning_rate: Annotated[Schedule, "Learning rate of Adam: 0.001, or 0.002..0.0002@20000."] = Schedule.parse(
        "0.001"
    )
    weight_decay: Annotated[float, "Weight decay, relative to the learning rate."] = 0.0001

    def validate(self) -> None:
        """Raises ValueError for a number out of its range."""
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
        """The settings that the shape of the network depends on."""
        return "trunk", "width", "blocks"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change during training."""
        return "learning_rate", "gamma", "trust", "scale"

    @property
    def has_network(self) -> bool:
        """JAX computes its network."""
        return True

    def trainer(self, game: Any, *, twin: bool = False) -> AlphaZeroTrainer:
        """A trainer for a game."""
        if twin:
            raise LudusError("alphazero has no twin: let it play itself (opponent self), or another agent")
        return AlphaZeroTrainer(game, self)

    def agent(self, game: Any, parameters: Any) -> PolicyValue:
        """The policy of the network, without search; LudusError if it does not fit the game."""
        check_shapes(parameters, self.network(game, np.random.default_rng(0)), type(game).__name__)
        return PolicyValue(policy_value, dict(parameters), self.rules)

    def network(self, game: Any, generator: np.random.Generator) -> Parameters:
        """A new network for a game; LudusError if the game has no observation, or no board for convolutions."""
        return new_residual(input_shape(game), num_actions(game), self.trunk, self.width, self.blocks, generator)

    @property
    def rules(self) -> SearchSettings:
        """The settings of its searches."""
        return SearchSettings(self.gamma, self.scale, self.large)


UPDATES = 32  # in one call
_LEARNING = 1 << 40  # random streams of updates are numbered from here, those of games from 0
_POINTS = 20  # of the loss curve in one evaluation
_PARTS = ("parameters", "means", "squares")  # of the train state
_MOST_MOVES = 1 << 20  # of a game

# `counters`: positions that no update was made for, calls of updates, and those in the loss curve.
NEW, CALLS, REPORTED, COUNTERS = range(4)


class AlphaZeroTrainer(LaneTrainer):
    """AlphaZero in progress; curve [calls, 3]: the games before each call of updates, and its losses of both heads."""

    def __init__(self, game: Any, config: AlphaZero) -> None:
        super().__init__(game, config, config.lanes)
        self.state = new_train_state(config.network(game, np.random.default_rng(0)))
        self.moves, self.buffer = new_trajectories(game, config.lanes), new_buffer(game, config.buffer)
        self.counters, self.curve = np.zeros(COUNTERS, np.int64), np.zeros((0, 3))
        self._is_random = True  # drawn by the seed, unless initialised from a run
        self._policy_value = jax().jit(policy_value)

    def learn(self, opponent: Any, setting: Setting, until: int, most: int = NEVER) -> bool:
        """Plays and learns; a new network is drawn by the seed before the first game."""
        if self._is_random and self.lanes.totals[OPENED] == 0:
            self.state = new_train_state(self.config.network(self.game, np.random.default_rng(int(setting.key))))
        return super().learn(opponent, setting, until, most)

    def _act(self, setting: Setting) -> Ints:
        """Makes the updates that are due, and searches in each lane that is ready."""
        while self.counters[NEW] >= self._due:
            self._update(setting)
        ready, config = self.lanes.ready, self.config
        streams, added = self.lanes.streams[ready], np.zeros((len(ready), num_actions(self.game)))
        draw_gumbels(streams, added)
        roots = Roots(added, streams, halving(config.considered, config.sims))
        may = self._seen(ready)[1] if isinstance(self.forbidden, Forbidden) else None
        trees = search(self.game, self.lanes.rows[ready], self._evaluate, roots, config.rules, may)
        found = results_of(trees, roots, config.rules)
        self.lanes.streams[ready] = streams
        self.moves = replay_buffer.with_room(self.moves)
        replay_buffer.append(self.moves, ready, self.lanes.rows[ready], self.lanes.state[ready], found)
        chosen = np.full(len(self.lanes.rows), NOTHING)
        chosen[ready] = found.actions
        return chosen

    @property
    def _due(self) -> int:
        """The number of new positions for a call of updates."""
        return max(1, int(UPDATES * self.config.batch / self.config.reuse))

    def _evaluate(self, inputs: Inputs) -> tuple[Any, Any]:
        """Logits and values, computed for as many positions as there are lanes."""
        padded = inputs
        if len(inputs) < len(self.lanes.rows):
            padded = np.zeros((len(self.lanes.rows), *inputs.shape[1:]), np.float32)
            padded[: len(inputs)] = inputs
        logits, values = self._policy_value(self.state.parameters, padded)
        return np.asarray(logits)[: len(inputs)], np.asarray(values)[: len(inputs)]

    def _update(self, setting: Setting) -> None:
        config = self.config
        stream = np.array([stream_start(setting.key, _LEARNING + int(self.counters[CALLS]))], np.uint64)
        batches = sample(self.game, self.buffer, UPDATES, config.batch, stream, symmetric=config.symmetry)
        rate = share_now(config.learning_rate, self.games, 0.0)
        self.state, losses = replay_buffer.update(self.state, batches, rate, config.weight_decay)
        self.curve = np.concatenate([self.curve, [[self.games, *losses]]])
        self.counters[NEW] -= self._due
        self.counters[CALLS] += 1

    def _finish(self, lane: int, setting: Setting) -> None:
        """Stores the positions of a game with its result, 0 if it was cut."""
        state, config, count = self.lanes.state[lane], self.config, int(self.moves.counts[lane])
        score = 0 if state[STATUS] == STOPPED else int(self.lanes.scores[lane])
        results = reward_of(score, config.large) * config.gamma ** (state[PLY] - self.moves.plies[lane, :count])
        results = np.where(self.moves.movers[lane, :count] == 0, results, -results).astype(np.float32)
        self.counters[NEW] += replay_buffer.store(self.buffer, self.moves, lane, results, config.trust)

    def init_from(self, parameters: Arrays) -> None:
        """Starts with this network; the replay buffer is empty."""
        self.state, self._is_random = new_train_state(dict(parameters)), False

    def parameters(self) -> Arrays:
        """The network."""
        return {name: np.asarray(array) for name, array in self.state.parameters.items()}

    def metrics(self) -> dict[str, Any]:
        """The number of updates, and since the last evaluation the mean of the summed losses and both loss curves."""
        since, updates = self.curve[self.counters[REPORTED] :], UPDATES * int(self.counters[CALLS])
        self.counters[REPORTED] = len(self.curve)
        if not len(since):
            return {"updates": updates}
        return {"updates": updates, "loss": float(since[:, 1:].sum(axis=1).mean()), "losses": _points(since)}

    def arrays(self) -> Arrays:
        """The games, trajectories, train state, replay buffer and the loss curve."""
        held = super().arrays() | {"counters": self.counters, "curve": self.curve}
        held["updates"] = np.asarray(self.state.updates)[None]
        for part in _PARTS:
            held |= {f"{part}.{name}": np.asarray(array) for name, array in getattr(self.state, part).items()}
        held |= as_arrays("moves", replay_buffer.resized(self.moves, int(self.moves.counts.max())))
        positions = max(int(self.buffer.total[0]), 1)
        return held | {f"buffer.{name}": array[:positions] for name, array in self.buffer._asdict().items()}

    def restore(self, arrays: Arrays) -> None:
        """Restores the state that `arrays` gave."""
        super().restore(arrays)
        parts = {
            part: {name: taken(arrays, f"{part}.{name}", one) for name, one in self.state.parameters.items()}
            for part in _PARTS
        }
        updates = taken(arrays, "updates", np.zeros(1, np.int32))
        self.state = jax().device_put(TrainState(**parts, updates=updates[0]))
        self._restore_moves(arrays)
        self._restore_buffer(arrays)
        self.counters = taken(arrays, "counters", self.counters)
        self.curve = taken(arrays, "curve", self.curve, grows=True)
        require("counters", self.counters, 0, NEVER)
        require("counters", self.counters[NEW : NEW + 1], 0, self._due + len(self.buffer.rows) + 1)
        require("counters", self.counters[REPORTED:], 0, len(self.curve) + 1)

    def _restore_moves(self, arrays: Arrays) -> None:
        counts = taken(arrays, "moves.counts", self.moves.counts)
        require("moves.counts", counts, 0, _MOST_MOVES)
        room = int(counts.max())
        moves = from_arrays("moves", replay_buffer.resized(self.moves, room), arrays)
        require("moves.movers", moves.movers, 0, 2)
        for rows, count in zip(moves.rows, moves.counts.tolist(), strict=True):
            require_positions("moves.rows", rows[:count], self.game, is_over=False)
        self.moves = replay_buffer.resized(moves, max(room, self.moves.plies.shape[1]))

    def _restore_buffer(self, arrays: Arrays) -> None:
        (total,) = taken(arrays, "buffer.total", self.buffer.total)
        saved = {name: taken(arrays, f"buffer.{name}", one, grows=True) for name, one in self.buffer._asdict().items()}
        held = min(total, len(self.buffer.rows))
        if any(len(array) != max(held, 1) for array in (saved["rows"], saved["policies"], saved["values"])):
            raise LudusError(f"the arrays of its replay buffer have not {held} rows each, as buffer.total says")
        require_positions("buffer.rows", saved["rows"][:held], self.game, is_over=False)
        for name, array in saved.items():
            getattr(self.buffer, name)[: len(array)] = array


def _points(curve: npt.NDArray[np.float64]) -> list[list[float]]:
    """A curve as a few points, each the games played and the mean losses up to it."""
    parts = np.array_split(curve, min(len(curve), _POINTS))
    return [[int(part[-1, 0]), *(round(float(loss), 5) for loss in part[:, 1:].mean(axis=0))] for part in parts]
