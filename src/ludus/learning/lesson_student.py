"""A learner at work on one game after another in compiled code: what all of those do alike."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import draw_action, may_resign, probabilities, resigns
from ludus.agents.simple import Random
from ludus.game import num_actions
from ludus.learning.lesson import ASKING, GAME, NOTHING, PLAYED, RESIGNED, TURNS, Lesson, Setting, new_lesson
from ludus.learning.student import Arrays, Student
from ludus.rows import unpack

_PLIES = 1 << 19  # played before an interrupt is heard and progress is shown
_PATIENCE = 0.5  # seconds in which an opponent in plain Python is asked until then


class LessonStudent(Student):
    """Where the training stands is in `lesson`; what was learned, and how, is the business of each kind."""

    def __init__(self, game: Any, config: Any) -> None:
        super().__init__(game, config)
        self.lesson = new_lesson(game)
        self._out, self._row = np.zeros(num_actions(game)), np.zeros(len(game.start()), np.int64)

    @abstractmethod
    def go_on(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int = NOTHING) -> int:
        """Play and learn for about so many plies; why it stopped.

        `answer`: what an opponent who was asked does, an action or RESIGNED.
        """

    @property
    def games(self) -> int:
        """The games played so far."""
        return int(self.lesson.counters[GAME])

    @property
    def turns(self) -> int:
        """The plies played so far."""
        return int(self.lesson.counters[TURNS])

    @property
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player."""
        return self.lesson.results

    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn; an opponent in plain Python is asked whenever the kernel stops for it."""
        began = time.monotonic()
        compiled = Random() if setting.asks else opponent
        stopped = self.go_on(compiled, setting, until, _PLIES)
        while stopped == ASKING:
            stopped = self.go_on(compiled, setting, until, _PLIES, self._answer(opponent))
            if time.monotonic() - began > _PATIENCE:
                break
        return stopped == PLAYED

    def _answer(self, opponent: Any) -> int:
        """What an opponent in plain Python does in the position that waits for it."""
        pos = unpack(self.game.start(), self.lesson.row)
        shares, mask = probabilities(opponent, self.game, pos), self.game.legal(pos)
        if may_resign(opponent) and resigns(shares, mask):
            return RESIGNED
        return draw_action(shares, mask, self.lesson.stream)

    def arrays(self) -> Arrays:
        """Where the training stands; what was learned, each kind adds."""
        return {f"lesson.{name}": array for name, array in self.lesson._asdict().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self.lesson = Lesson(*(np.array(arrays[f"lesson.{name}"]) for name in Lesson._fields))
