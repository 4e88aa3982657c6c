"""AlphaZero at work: searches in every lane, notes of what they found, and updates of the network by those.

Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play", Science
362 (2018); the searches are those of Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.agents.guided_search import Roots, draw_gumbels, halving, searched, verdicts
from ludus.agents.guided_tree import worth_of
from ludus.game import num_actions
from ludus.learning.alphazero.config import AlphaZero
from ludus.learning.alphazero.replay import (
    drawn,
    memory_from,
    new_memory,
    new_notes,
    note,
    noted,
    notes_from,
    remember,
    remembered,
    with_room,
)
from ludus.learning.alphazero.updates import Taught, taught_by, untaught
from ludus.learning.lane_student import LaneStudent
from ludus.learning.lanes import NOTHING, OPENED, PLY, STATUS, STOPPED
from ludus.learning.lesson import Ints, Setting
from ludus.learning.schedules import share_now
from ludus.learning.student import Arrays
from ludus.networks.dense import Parameters
from ludus.networks.inputs import Inputs
from ludus.networks.residual import judged
from ludus.networks.runtime import jax
from ludus.randomness import stream_start

UPDATES = 32  # in one call
_LEARNING = 1 << 40  # the streams of positions to learn from are numbered from here, those of games from 0
_POINTS = 20  # of the curve in a measure
_PARTS = ("parameters", "means", "squares")  # of what is taught
FRESH, CALLS, TOLD, COUNTERS = range(4)  # `counters`: positions not learned from yet, calls, and those measured


class AlphaZeroStudent(LaneStudent):
    """A training in progress; `curve`: of each call of updates the games before it, and its losses of both heads."""

    def __init__(self, game: Any, config: AlphaZero) -> None:
        super().__init__(game, config, config.lanes)
        self.taught = untaught(config.network(game, np.random.default_rng(0)))
        self.notes, self.memory = new_notes(game, config.lanes), new_memory(game, config.buffer)
        self.counters, self.curve = np.zeros(COUNTERS, np.int64), np.zeros((0, 3))
        self._is_drawn = True  # by the seed, unless it begins with what another has learned
        self._judged = jax().jit(judged)

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
        rate = share_now(config.rate, self.games, 0.0)
        self.taught, losses = taught_by(self.taught, batches, rate, config.decay)
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

    def begin(self, knowledge: Arrays) -> None:
        """Know the network of another; the memory is empty."""
        self.taught, self._is_drawn = untaught(dict(knowledge)), False

    def knowledge(self) -> Arrays:
        """The network."""
        return _plain(self.taught.parameters)

    def measures(self) -> dict[str, Any]:
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
