"""TD(lambda) at work."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.agents.afterstate import room_for
from ludus.errors import LudusError
from ludus.learning.lesson import NOTHING, Setting
from ludus.learning.lesson_student import LessonStudent
from ludus.learning.student import Arrays
from ludus.learning.td_lambda.config import Smart, TDLambda
from ludus.learning.td_lambda.losses import Losses, new_losses, told
from ludus.learning.td_lambda.online import Minds, Rules, learn
from ludus.networks.shallow import Shallow, as_layers, from_layers, new_shallow


class TDStudent(LessonStudent):
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
        mind, house = (self.minds, self._rules), (self.lesson, self.losses, self._room, self._out, self._row)
        parts = *mind, setting, self.forbidden, *house
        stopped = learn(self.game, self.game.start(), opponent, *parts, until, plies, answer)
        if not np.isfinite(self.minds.above).all():
            raise LudusError("the weights have grown beyond all numbers: learn with a smaller alpha")
        return stopped

    def begin(self, knowledge: Arrays) -> None:
        """Know the network of another."""
        net = from_layers(knowledge, self.minds.below.shape[1] - 1, type(self.game).__name__)
        self.minds.below[:], self.minds.above[:] = net

    def _draw_weights(self, key: np.uint64) -> None:
        inputs, units = self.minds.below.shape[1] - 1, self.minds.below.shape[2]
        for mind in range(len(self.minds.below)):
            net = new_shallow(inputs, units, np.random.default_rng([int(key), mind]))
            self.minds.below[mind], self.minds.above[mind] = net

    def knowledge(self) -> Arrays:
        """The learner's own network."""
        return as_layers(Shallow(self.minds.below[0], self.minds.above[0]))

    def measures(self) -> dict[str, Any]:
        """The mean squared error of a lesson since it was last measured, and its course."""
        return told(self.losses)

    def arrays(self) -> Arrays:
        """The networks, their traces, the losses and the lesson."""
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
    return Rules(config.epsilon, config.alpha, config.trace, config.smart is not Smart.NEVER, judge)
