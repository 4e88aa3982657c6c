"""TD(lambda) with a small network over afterstates (Sutton 1988; Tesauro 1992).

The network estimates the value of a position for player 0; an action is judged by the position it leads to. Weights
move online along eligibility traces by the TD error of each ply, and of the result at the end.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, NamedTuple

import numpy as np

from ludus.agents.network import Afterstate, Judge, reward, room_for
from ludus.compiled.masks import Mask, count, nth
from ludus.compiled.randomness import below, uniform
from ludus.errors import LudusError
from ludus.game import (
    CHANCE,
    Viewpoint,
    gives_odds,
    gives_with_mover,
    num_actions,
    observation_shape,
    observe,
    viewpoint,
    with_mover,
)
from ludus.learning.loop import settings as s
from ludus.learning.loop.episodes import GAME, LEARNERS, PLY, RANDOM_LEFT, Episode, EpisodeTrainer, Store
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.restoring import Arrays, as_arrays, from_arrays, require
from ludus.learning.loop.settings import share_now
from ludus.learning.td_lambda.online import (
    FILLED,
    Networks,
    TDState,
    best_action,
    helped,
    network,
    new_losses,
    note_game,
    step_size,
    summary,
    traces_of,
    update,
    update_at,
)
from ludus.networks.inputs import input_shape, num_inputs
from ludus.networks.shallow import Shallow, as_layers, from_layers, new_shallow

_MOST_UNITS = 1 << 14


class View(enum.IntEnum):
    """The viewpoint of the network: as the game is observed, or by the side to move."""

    OBSERVED = 0
    MOVER = 1


class Ends(enum.IntEnum):
    """The value of a position that ends the game: its result, or the network's, which may be trained on it, too."""

    RESULT = 0
    NETWORK = 1
    TRAINED = 2


class Smart(enum.IntEnum):
    """When wins and blocks are taken before anything else, as `smart-random` does."""

    NEVER = 0
    TRAINING = 1
    ALWAYS = 2


class TDLambda(NamedTuple):
    """TD(lambda) with a small network."""

    hidden: Annotated[int, "Hidden units."] = 30
    epsilon: s.Epsilon = s.Schedule.parse("0.15")
    alpha: Annotated[s.Schedule, "The learning rate: 0.01, or 0.0012..0@2000."] = s.Schedule.parse("0.01")
    lam: Annotated[float, "Lambda: the decay of the eligibility traces."] = 0.7
    gamma: Annotated[float, "The discount factor per ply."] = 1.0
    smart: Annotated[Smart, "When wins and blocks are taken before anything else, as smart-random does."] = Smart.NEVER
    view: Annotated[View, "See positions as the game is observed, or by the side to move."] = View.OBSERVED
    symmetry: s.Symmetry = False
    ends: Annotated[
        Ends, "Value a position that ends the game by its result, by the network, or by a network trained on it, too."
    ] = Ends.RESULT
    random_plies: s.RandomPlies = 0
    random_side: s.RandomOpener = s.RandomSide.ANY
    win: Annotated[float, "The reward when player 0 wins."] = 1.0
    loss: Annotated[float, "The reward when player 0 loses."] = -1.0
    draw: Annotated[float, "The reward of a draw, or of a game that is cut."] = 0.0
    margin: s.Margin = False

    def validate(self) -> None:
        """Raise ValueError for settings out of range."""
        if not 1 <= self.hidden <= _MOST_UNITS:
            raise ValueError(f"hidden must be 1 to {_MOST_UNITS} units, not {self.hidden}")
        s.validate_ranges(self)

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of the parameters depends."""
        return "hidden", "view"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change during a training."""
        return "epsilon", "alpha", "gamma", "lam"

    def trainer(self, game: Any, *, twin: bool = False) -> EpisodeTrainer:
        """The training in progress of a learner, and of a twin."""
        self._check(game)
        return EpisodeTrainer(game, self, NetworkStore(game, self, 2 if twin else 1))

    def agent(self, game: Any, parameters: Any) -> Afterstate:
        """Play by the values of resulting positions, as they were learned."""
        self._check(game)
        return Afterstate(from_layers(parameters, num_inputs(game), type(game).__name__), self.judge(game))

    def begin(self, game: Any, state: TDState) -> bool:
        """Forget the game before."""
        state.networks.progress[0] = state.networks.progress[1] = 0
        return True

    def visit(self, game: Any, pos: Any, state: TDState, episode: Episode) -> None:
        """Update by the TD error of a position where a player moves; once, and not in random opening plies."""
        progress, ply = state.networks.progress, episode.counters[PLY]
        if (gives_odds(game) and game.player(pos) == CHANCE) or episode.counters[RANDOM_LEFT] > 0 or progress[1] > ply:
            return
        for who in range(episode.counters[LEARNERS]):
            update_at(game, pos, who, step_size(self.alpha, episode), self.lam, state)
        progress[0], progress[1] = 1, ply + 1

    def decide(self, game: Any, pos: Any, mask: Mask, who: int, state: TDState, episode: Episode) -> int:
        """A random action with the probability epsilon, else one of the best resulting position."""
        allowed = helped(game, pos, mask) if self.smart != Smart.NEVER else mask
        lost = episode.lost[game.player(pos)]
        if uniform(episode.stream) < share_now(self.epsilon, int(episode.counters[GAME]), lost):
            return nth(allowed, below(episode.stream, count(allowed)))
        return best_action(game, pos, allowed, who, state, episode)

    def greedy(self, game: Any, pos: Any, mask: Mask, who: int, state: TDState, episode: Episode) -> int:
        """An action of the best resulting position."""
        return best_action(game, pos, mask, who, state, episode)

    def finish(self, game: Any, pos: Any, score: int, ended: bool, state: TDState, episode: Episode) -> None:
        """Update by the result; a game that was cut is a draw."""
        networks = state.networks
        if networks.progress[0]:
            for who in range(episode.counters[LEARNERS]):
                if ended and self.ends == Ends.TRAINED:
                    update_at(game, pos, who, step_size(self.alpha, episode), self.lam, state)
                net, traces = network(networks, who), traces_of(networks, who)
                error = reward(state.judge, score) - networks.value[who]
                update(net, traces, step_size(self.alpha, episode), error, who, state.losses)
        note_game(state.losses, int(episode.counters[GAME]) + 1)

    def judge(self, game: Any) -> Judge:
        """What counts beside the network, for compiled code."""
        flags = self._by_mover(game), self.symmetry, self.ends == Ends.RESULT, self.smart == Smart.ALWAYS
        return Judge(*flags, self.gamma, self.win, self.loss, self.draw, self.margin)

    def _by_mover(self, game: Any) -> bool:
        return self.view == View.MOVER or viewpoint(game) == Viewpoint.MOVER

    def _check(self, game: Any) -> None:
        """Raise LudusError if a network could not learn this game so."""
        name = type(game).__name__
        input_shape(game)
        if not self._by_mover(game) and not _shows_the_mover(game):
            raise LudusError(f"{name} is observed without saying whose turn it is: view=mover")
        even = self.margin or (self.loss == -self.win and self.draw == 0)
        if self._by_mover(game) and not even:
            raise LudusError(f"{name} is seen by the mover, so one's win is the other's loss: loss=-win and draw=0")


def _shows_the_mover(game: Any) -> bool:
    """Whether the observation of the start depends on the side to move, as far as the game can be asked."""
    if not gives_with_mover(game):
        return True
    seen = np.zeros((2, *observation_shape(game)), np.float32)
    for player in (0, 1):
        observe(game, with_mover(game, game.start(), player), seen[player])
    return not np.array_equal(seen[0], seen[1])


class NetworkStore(Store):
    """The networks of a learner and its twin, whose weights are drawn by the seed, and the losses."""

    def __init__(self, game: Any, config: TDLambda, learners: int) -> None:
        self._game = game
        below = np.zeros((learners, num_inputs(game) + 1, config.hidden))
        above = np.zeros((learners, config.hidden + 1))
        progress = np.zeros(2, np.int64)
        networks = Networks(below, above, below.copy(), above.copy(), np.zeros(learners), progress)
        room = room_for(game, game.start(), Shallow(below[0], above[0]))
        self.state = TDState(networks, new_losses(), room, np.zeros(num_actions(game)), config.judge(game))

    def start(self, key: np.uint64) -> None:
        """Draw the weights, unless there are some."""
        below, above = self.state.networks.below, self.state.networks.above
        if not below.any():
            for who in range(len(below)):
                rng = np.random.default_rng([int(key), who])
                below[who], above[who] = new_shallow(below.shape[1] - 1, below.shape[2], rng)

    def check(self) -> None:
        """Raise LudusError for weights that have grown beyond all numbers."""
        if not np.isfinite(self.state.networks.above).all():
            raise LudusError("the weights have grown beyond all numbers: learn with a smaller alpha")

    def change(self, config: TDLambda) -> None:
        """Take over changed settings."""
        self.state = self.state._replace(judge=config.judge(self._game))

    def init_from(self, parameters: Arrays) -> None:
        """Start from another network."""
        networks = self.state.networks
        net = from_layers(parameters, networks.below.shape[1] - 1, type(self._game).__name__)
        networks.below[:], networks.above[:] = net

    def parameters(self) -> Arrays:
        """The learner's own network."""
        return as_layers(network(self.state.networks, 0))

    def metrics(self) -> dict[str, Any]:
        """The mean squared TD error since the last evaluation, and its curve."""
        return summary(self.state.losses)

    def arrays(self) -> Arrays:
        """The networks, their traces, and the losses."""
        return as_arrays("networks", self.state.networks) | as_arrays("losses", self.state.losses)

    def restore(self, arrays: Arrays) -> None:
        """Continue from these."""
        networks = from_arrays("networks", self.state.networks, arrays)
        losses = from_arrays("losses", self.state.losses, arrays)
        require("losses.counts", losses.counts, 0, NEVER)
        require("losses.counts", losses.counts[FILLED:], 0, len(losses.points))
        self.state = self.state._replace(networks=networks, losses=losses)
