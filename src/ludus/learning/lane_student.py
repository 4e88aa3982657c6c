"""A learner at work on many games side by side: what all learners with networks do alike."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.agents.simple import Random
from ludus.compiling import Kernel
from ludus.game import num_actions
from ludus.learning.lanes import (
    ASKED,
    FINISHED,
    NOTHING,
    STATUS,
    TURNS,
    Lanes,
    advance,
    ask,
    close,
    new_lanes,
    restrict,
    rows_of,
)
from ludus.learning.lesson import Ints, Setting
from ludus.learning.student import Arrays, Student
from ludus.networks.inputs import Inputs, Outputs, look, unseen

_PATIENCE = 0.5  # seconds of learning until progress is shown


class LaneStudent(Student):
    """A training in progress; the games are in `lanes`, all else is the business of each kind."""

    def __init__(self, game: Any, config: Any, lanes: int) -> None:
        super().__init__(game, config)
        self.lanes = new_lanes(game, lanes)
        self._starts = rows_of(game, config.starts)
        self._entries: dict[Any, Callable[..., None]] = {}
        self._out, self._row = np.zeros(num_actions(game)), np.zeros(len(game.start()), np.int64)

    @abstractmethod
    def _act(self, setting: Setting) -> Ints:
        """Learn what there is to learn, and choose an action in each lane that is ready; NOTHING in others."""

    @abstractmethod
    def _finish(self, lane: int, setting: Setting) -> None:
        """Learn from the end of the game in a lane, before its result is counted."""

    @property
    def games(self) -> int:
        """The games played so far."""
        return int(self.lanes.totals[FINISHED])

    @property
    def turns(self) -> int:
        """The plies played so far."""
        return int(self.lanes.totals[TURNS])

    @property
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player."""
        return self.lanes.results

    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn: games that are over one by one, then a move in every lane."""
        began = time.monotonic()
        self._entries.clear()  # the opponent may be of another kind now
        nothing = np.full(len(self.lanes.rows), NOTHING)
        while self.games < until:
            if len(over := self.lanes.over):
                self._finish(int(over[0]), setting)
                close(self.lanes, setting, int(over[0]))
                continue
            if self.lanes.can_open(setting):
                self._advance(opponent, setting, nothing)
            if len(self.lanes.ready):
                self._advance(opponent, setting, self._act(setting))
            if time.monotonic() - began > _PATIENCE:
                break
        return self.games >= until

    def _advance(self, opponent: Any, setting: Setting, chosen: Ints) -> None:
        """Play what was chosen, and on until only learners are waited for."""
        compiled = Random() if setting.asks else opponent
        before = self.game, self.game.start(), compiled, self.lanes, self._starts
        after = setting, self.forbidden, self._out, self._row
        self._run(advance, *before, chosen, *after)
        while (self.lanes.state[:, STATUS] == ASKED).any():
            self._run(advance, *before, ask(self.game, opponent, self.lanes), *after)

    def _run(self, kernel: Kernel[..., None], *args: Any) -> None:
        """Call a kernel; while one opponent is played, its arguments are always of the same types."""
        if kernel not in self._entries:
            self._entries[kernel] = kernel.entry(*args)
        self._entries[kernel](*args)

    def _seen(self, ready: Ints, *, alike: bool = False) -> tuple[Inputs, Outputs]:
        """What a network sees in these lanes, and the output of each action that may be taken."""
        inputs, outputs = unseen(self.game, len(ready))
        self._run(look, self.game, self.game.start(), self.lanes.rows[ready], alike, inputs, outputs)
        if len(self.forbidden.rows):
            restrict(self.game, self.game.start(), self.lanes, ready, self.forbidden, self._row, outputs)
        return inputs, outputs

    def arrays(self) -> Arrays:
        """The games in progress; what else there is, each kind adds."""
        return {f"lanes.{name}": array for name, array in self.lanes._asdict().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go on with these games."""
        self.lanes = Lanes(*(np.array(arrays[f"lanes.{name}"]) for name in Lanes._fields))
