"""The settings of `td-lambda`."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from ludus.agents.network import room_for
from ludus.errors import LudusError
from ludus.game import Viewpoint, gives_with_mover, viewpoint, with_mover
from ludus.learning.loop.episodes import NOTHING, Setting
from ludus.learning.loop.options import RandomSide
from ludus.learning.loop.schedules import Schedule
from ludus.learning.loop.trainer import Arrays, EpisodeTrainer
from ludus.learning.td_lambda.online import Losses, Minds, Rules, learn, new_losses, told
from ludus.networks.shallow import Shallow, as_layers, from_layers, new_shallow

if TYPE_CHECKING:
    from ludus.agents.network import Afterstate, Judge


_MOST_UNITS = 1 << 14


class View(enum.Enum):
    """Through whose eyes the network sees: as the game is observed, or by who is to move."""

    OBSERVED = 0
    MOVER = 1


class Ends(enum.Enum):
    """What a position that ends the game is worth to who chooses it: its result, or what the network says."""

    RESULT = 0
    NETWORK = 1


class Smart(enum.Enum):
    """When wins and blocks are taken before anything else, as `smart-random` does."""

    NEVER = 0
    TRAINING = 1
    ALWAYS = 2


class TDLambda(NamedTuple):
    """TD(lambda) with a small network."""

    hidden: Annotated[int, "Hidden units."] = 30
    epsilon: Annotated[Schedule, "How often it tries a random action: 0.1, 0.15..0@2000, 0.9/sqrt."] = Schedule.parse(
        "0.15"
    )
    alpha: Annotated[Schedule, "How far a weight moves: 0.01, or 0.0012..0@2000."] = Schedule.parse("0.01")
    lam: Annotated[float, "Lambda: how much of what is learned also goes to the position before."] = 0.7
    gamma: Annotated[float, "What a reward one ply later is worth now."] = 1.0
    smart: Annotated[Smart, "When wins and blocks are taken before anything else, as smart-random does."] = Smart.NEVER
    view: Annotated[View, "See positions as the game is observed, or by who is to move."] = View.OBSERVED
    symmetry: Annotated[bool, "Let one position stand for all alike."] = False
    ends: Annotated[Ends, "Choose what ends the game by its result, or by what the network says."] = Ends.RESULT
    random_plies: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 0
    random_side: Annotated[RandomSide, "Who goes astray then; any: one player or both, by lot."] = RandomSide.ANY
    win: Annotated[float, "The reward when player 0 wins."] = 1.0
    loss: Annotated[float, "The reward when player 0 loses."] = -1.0
    draw: Annotated[float, "The reward of a draw, or of a game that is cut."] = 0.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False

    def validate(self) -> None:
        """Numbers within their ranges."""
        if not 1 <= self.hidden <= _MOST_UNITS:
            raise ValueError(f"hidden must be 1 to {_MOST_UNITS} units, not {self.hidden}")
        for name in ("lam", "gamma"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be 0 to 1, not {getattr(self, name):g}")
        if not 0 <= self.random_plies < 1 << 31:
            raise ValueError(f"random_plies must be 0 or more plies, not {self.random_plies}")
        for name in ("win", "loss", "draw"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, not {getattr(self, name)}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return "hidden", "view"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "epsilon", "alpha", "gamma", "lam"

    def trainer(self, game: Any, *, twin: bool = False) -> TDTrainer:
        """One who begins to learn a game, and another beside it if wanted."""
        from ludus.networks.inputs import num_inputs

        self._check(game)
        return TDTrainer(game, self, num_inputs(game), 2 if twin else 1)

    def agent(self, game: Any, parameters: Any) -> Afterstate:
        """Play by the worth of resulting positions, as it was learned."""
        from ludus.agents.network import Afterstate
        from ludus.networks.inputs import num_inputs
        from ludus.networks.shallow import from_layers

        self._check(game)
        return Afterstate(from_layers(parameters, num_inputs(game), type(game).__name__), self.judge(game))

    def judge(self, game: Any) -> Judge:
        """What counts beside the network."""
        from ludus.agents.network import Judge

        rewards = self.win, self.loss, self.draw, self.margin
        return Judge(
            self._by_mover(game),
            self.symmetry,
            self.ends is Ends.RESULT,
            self.smart is Smart.ALWAYS,
            self.gamma,
            *rewards,
        )

    def _by_mover(self, game: Any) -> bool:
        return self.view is View.MOVER or viewpoint(game) == Viewpoint.MOVER

    def _check(self, game: Any) -> None:
        """Raise LudusError if a network could not learn this game so."""
        from ludus.networks.inputs import input_shape

        name = type(game).__name__
        input_shape(game)
        if not self._by_mover(game) and not _tells_the_mover(game):
            raise LudusError(f"{name} is observed without saying whose turn it is: view=mover")
        even = self.margin or (self.loss == -self.win and self.draw == 0)
        if self._by_mover(game) and not even:
            raise LudusError(f"{name} is seen by the mover, so one's win is the other's loss: loss=-win and draw=0")


def _tells_the_mover(game: Any) -> bool:
    """Whether the observation of the start depends on who moves, as far as the game can be asked."""
    import numpy as np

    from ludus.game import observation_shape, observe

    if not gives_with_mover(game):
        return True
    seen = np.zeros((2, *observation_shape(game)), np.float32)
    for player in (0, 1):
        observe(game, with_mover(game, game.start(), player), seen[player])
    return not np.array_equal(seen[0], seen[1])


class TDTrainer(EpisodeTrainer):
    """All that it knows is in `minds`, which begin with weights drawn by the seed, `losses` and `lesson`."""

    def __init__(self, game: Any, config: TDLambda, inputs: int, minds: int) -> None:
        super().__init__(game, config)
        below, above = np.zeros((minds, inputs + 1, config.hidden)), np.zeros((minds, config.hidden + 1))
        self.minds = Minds(below, above, below.copy(), above.copy(), np.zeros(minds), np.zeros(1, np.int64))
        self.losses = new_losses()
        self._rules = _rules(game, config)
        self._room = room_for(game, game.start(), Shallow(below[0], above[0]))

    def change(self, config: TDLambda) -> None:
        """Go on with other settings."""
        super().change(config)
        self._rules = _rules(self.game, config)

    def go_on(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int = NOTHING) -> int:
        """Play and learn for so many plies at most; why it stopped."""
        if not self.minds.below.any():
            self._draw_weights(setting.key)
        mind, house = (self.minds, self._rules), (self.episode, self.losses, self._room, self._out, self._row)
        parts = *mind, setting, self.forbidden, *house
        stopped = learn(self.game, self.game.start(), opponent, *parts, until, plies, answer)
        if not np.isfinite(self.minds.above).all():
            raise LudusError("the weights have grown beyond all numbers: learn with a smaller alpha")
        return stopped

    def init_from(self, parameters: Arrays) -> None:
        """Know the network of another."""
        net = from_layers(parameters, self.minds.below.shape[1] - 1, type(self.game).__name__)
        self.minds.below[:], self.minds.above[:] = net

    def _draw_weights(self, key: np.uint64) -> None:
        inputs, units = self.minds.below.shape[1] - 1, self.minds.below.shape[2]
        for mind in range(len(self.minds.below)):
            net = new_shallow(inputs, units, np.random.default_rng([int(key), mind]))
            self.minds.below[mind], self.minds.above[mind] = net

    def parameters(self) -> Arrays:
        """The learner's own network."""
        return as_layers(Shallow(self.minds.below[0], self.minds.above[0]))

    def metrics(self) -> dict[str, Any]:
        """The mean squared error of a lesson since it was last measured, and its course."""
        return told(self.losses)

    def arrays(self) -> Arrays:
        """The networks, their traces, the losses and the episode."""
        minds = {f"minds.{name}": array for name, array in self.minds._asdict().items()}
        losses = {f"losses.{name}": array for name, array in self.losses._asdict().items()}
        return {**super().arrays(), **minds, **losses}

    def restore(self, arrays: Arrays) -> None:
        """Go on from these."""
        super().restore(arrays)
        self.minds = Minds(*(np.array(arrays[f"minds.{name}"]) for name in Minds._fields))
        self.losses = Losses(*(np.array(arrays[f"losses.{name}"]) for name in Losses._fields))


def _rules(game: Any, config: TDLambda) -> Rules:
    judge = config.judge(game)
    return Rules(config.epsilon, config.alpha, config.lam, config.smart is not Smart.NEVER, judge)
