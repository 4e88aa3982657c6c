"""What somebody sees of a training: how fast it starts, a board of its games, and what is compiled for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from ludus import catalog, face
from ludus.agents.agent import probabilities
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import CHANCE
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.training import Training

Message = dict[str, Any]


class SlowStart:
    """The pauses between the first plies, each a little shorter than the one before, until there are none."""

    def __init__(self) -> None:
        self.pause = _FIRST_PAUSE

    @property
    def is_over(self) -> bool:
        """Whether full speed is reached."""
        return self.pause < _LAST_PAUSE

    def shorten(self) -> None:
        """Makes the next pause shorter than the last one."""
        self.pause *= _SHORTER


_FIRST_PAUSE, _LAST_PAUSE, _SHORTER = 0.25, 0.002, 0.98  # seconds: about 240 plies in 12 seconds


class Frames:
    """Pictures of the game in progress: often while the training is slow, once a second otherwise."""

    def __init__(self) -> None:
        self._last, self._cost = 0.0, 0.0
        self._is_compiled = False  # the first frame takes longer: networks are compiled for it
        self._plies: Iterator[int] = cycle(range(1, _LATEST_PLY + 1))
        self.is_next = False  # whether the plies that are played now end with one

    def plies(self, *, slow: bool) -> int:
        """After how many plies one is due; NEVER if not soon."""
        pause = _OFTEN if slow else _SELDOM
        self.is_next = time.monotonic() - self._last > max(pause, _MOST_TIMES * self._cost)
        return 1 if slow else next(self._plies) if self.is_next else NEVER

    def draw(self, training: Training) -> Message:
        """The position, the action that the agent as of now prefers, and the exact values of all actions."""
        began = time.monotonic()
        found = _frame(training)
        self._last = time.monotonic()
        self._cost = self._last - began if self._is_compiled else 0.0
        self._is_compiled = True
        return found


_OFTEN, _SELDOM = 0.1, 1.0  # seconds between two of them
_LATEST_PLY = 9  # of a game that is shown at full speed
_MOST_TIMES = 20  # as long as drawing one takes, until the next one: a twentieth of the time


def _frame(training: Training) -> Message:
    game, pos = training.game, training.trainer.position
    legal, truth = actions(game.legal(pos)), training.truth
    found: Message = {"row": [int(field) for field in pos], "game": training.games, "preferred": None, "values": None}
    if not legal or game.player(pos) == CHANCE:
        return found
    try:
        policy = probabilities(training.agent(), game, pos)
        found["preferred"] = max(legal, key=lambda action: float(policy[action]))
    except LudusError:  # it has not learned anything yet
        pass
    if truth is not None and pos in truth:
        values = {str(action): [value.score, value.plies] for action, value in truth.actions(pos).items()}
        found |= {"values": values, "expected": truth.gap is not None}
    return found


class Compiling:
    """Reports what is compiled for a training, for whom, and about how long that takes."""

    def __init__(self, game: Any, learner: Any, report: Callable[[Message], None]) -> None:
        self._rules = f"the rules of {face.title(game, catalog.name_of(game))}"
        self._users = _USERS | {"learning": f"the {catalog.learner_name(learner).rpartition('/')[2]} learner"}
        self._report, self._words, self._began = report, "", 0.0

    def on_kernel(self, kernel: Any, done: int, total: int) -> None:
        """Reports how much of a kernel is compiled: a listener of `ludus.compiled.compiling`."""
        if done == 0:
            self._began = time.monotonic()
        words = self._in_words(kernel.plain.__module__, done, total) if done < total else ""
        if words != self._words:
            self._words = words
            self._report({"words": words})

    def _in_words(self, module: str, done: int, total: int) -> str:
        so_far = time.monotonic() - self._began
        seconds = _CODE * so_far * total / done if done > _FEW else _SECONDS_EACH * total
        user = self._users.get(module.split(".")[1], "the agent")
        return f"compiling {self._rules} for {user}, once, about {max(1, round(seconds))} s"


_USERS = {"solving": "the exact solution", "arena": "its evaluation games", "grading": "its grade"}
_SECONDS_EACH, _FEW = 0.08, 10  # for each function, until some are compiled
_CODE = 1.7  # as long as until the last function is known, machine code being made of them together
