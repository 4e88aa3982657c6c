"""The loop that all learners share: games in stretches, evaluations at intervals, and a state that can be saved."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import agent_for, is_compiled
from ludus.agents.simple import Random
from ludus.arena import Seats
from ludus.compiled.randomness import stream_key
from ludus.errors import LudusError
from ludus.game import first_player, max_plies, validate
from ludus.learning.loop.episodes import LEARNER, OPPONENT, TWIN, Setting, Trainer
from ludus.learning.loop.evaluation import Line, evaluated, is_perfect, truth_for
from ludus.learning.loop.interrupts import immediate_interrupts
from ludus.learning.loop.plan import NEVER, SELF, Change, Plan, changed
from ludus.learning.loop.plan import TWIN as TWIN_NAME
from ludus.learning.loop.restrictions import forbidden
from ludus.learning.loop.settings import RandomSide
from ludus.parameters import format_value

_SECONDS = 30.0  # between two times that a training is saved


class Watcher(NamedTuple):
    """Callbacks of a training; what they raise stops it, and it can be resumed.

    progress: some times a second, and after `every` games if that is not 0; until: the game at which progress is due
    next, from the number played; plies: after how many plies it is due at the latest, about; line: each evaluation,
    just taken; save: now and then, where the state may be saved.
    """

    progress: Callable[[Training], None] = lambda training: None
    every: int = 0
    until: Callable[[int], int] = lambda games: NEVER
    plies: Callable[[], int] = lambda: NEVER
    line: Callable[[Line], None] = lambda line: None
    save: Callable[[Training], None] = lambda training: None


class Training:
    """A learner in training by a plan."""

    def __init__(self, game: Any, learner: Any, plan: Plan) -> None:
        validate(game)
        validate(learner)
        validate(plan)
        plan.changes.check(learner)
        self.game, self.learner, self.plan = game, learner, plan
        self._before = learner
        self._rivals = {name: catalog.make_agent(name) for name in plan.eval_against.names}
        self.trainer: Trainer = learner.trainer(game, twin=plan.has_twin)
        if plan.forbid.bans and getattr(learner, "backward", False):
            raise LudusError("what is forbidden is learned around move by move: forbid or backward")
        self._forbidden = forbidden(game, plan.forbid)
        self.lines: list[Line] = []
        self._opponents: dict[str, Any] = {}
        self.truth = truth_for(game, plan)
        if plan.stop and self.truth is None:
            raise LudusError("there is nothing to stop by: the agent is not graded")

    @property
    def games(self) -> int:
        """The games played so far."""
        return self.trainer.games

    @property
    def is_over(self) -> bool:
        """Whether all games are played, or it stopped early."""
        last = self.lines[-1] if self.lines else {}
        return last.get("games") == self.plan.games or (self.plan.stop and is_perfect(last))

    def agent(self) -> Any:
        """The agent that plays by the current parameters."""
        return self.learner.agent(self.game, self.trainer.parameters())

    def changed_plan(self, settings: dict[str, str]) -> Plan:
        """The plan with some settings of the learner changed from the next game on; LudusError if they cannot be."""
        due, changes = self.games + 1, self.plan.changes
        learner = changed(changes.learner(self._before, due), settings)
        more = [Change(name, format_value(getattr(learner, name)), due) for name in settings]
        changes = changes.and_also(*more)
        changes.check(self._before)
        return self.plan._replace(changes=changes)

    def run(self, watcher: Watcher = Watcher()) -> None:  # noqa: B008, a tuple
        """Train to the end."""
        while not self.is_over:
            evaluated_at = self.lines[-1]["games"] if self.lines else 0
            self._learn(self.plan.next_evaluation(evaluated_at), watcher)
            self.lines.append(self._evaluated(watcher))
            watcher.line(self.lines[-1])
            watcher.save(self)

    def _learn(self, until: int, watcher: Watcher) -> None:
        """Play and learn up to a number of games."""
        saved = time.monotonic()
        while self.games < until:
            self._change()
            name, end = self.plan.opponent.at(self.games)
            opponent, setting = self._against(name, end)
            stop = min(until, self._next_stop(watcher), end)
            played = self.trainer.learn(opponent, setting, stop, watcher.plies())
            watcher.progress(self)
            if not played and time.monotonic() - saved > _SECONDS:
                watcher.save(self)
                saved = time.monotonic()

    def _next_stop(self, watcher: Watcher) -> int:
        """The number of games at which a callback is due or settings change."""
        every = (self.games // watcher.every + 1) * watcher.every if watcher.every else NEVER
        return min(every, watcher.until(self.games), self.plan.changes.after(self.games))

    def _change(self) -> None:
        """Apply the changes of settings that are due."""
        learner = self.plan.changes.learner(self._before, self.games)
        if learner != self.learner:
            self.learner = learner
            self.trainer.change(learner)

    def _against(self, name: str, end: int) -> tuple[Any, Setting]:
        """The opponent of this name, ready for the game, and the setting of its games."""
        if name not in self._opponents:
            agent = Random() if name in (SELF, TWIN_NAME) else catalog.make_agent(name)
            self._opponents[name] = agent_for(agent, self.game)
        opponent, plan = self._opponents[name], self.plan
        holders = np.array(_holders(name, plan.seats, first_player(self.game)))
        cap = plan.cap or max_plies(self.game) or NEVER
        asks = not is_compiled(opponent)
        return opponent, Setting(
            holders, stream_key(plan.seed), cap, *self._random_opening(), asks, self._forbidden, end
        )

    def _random_opening(self) -> tuple[int, int]:
        """The most random plies of a game, and which player plays them."""
        side, first = getattr(self.learner, "random_side", RandomSide.ANY), first_player(self.game)
        player = {RandomSide.FIRST: first, RandomSide.SECOND: 1 - first}.get(side, side)
        return getattr(self.learner, "random_plies", 0), int(player)

    def meet_opponents(self) -> None:
        """Get all opponents ready; LudusError for one that cannot be."""
        for stretch in self.plan.opponent.stretches:
            self._against(stretch.opponent, NEVER)

    def close(self) -> None:
        """Close the other agents."""
        for agent in (*self._opponents.values(), *self._rivals.values()):
            if hasattr(agent, "close"):
                agent.close()

    def _evaluated(self, watcher: Watcher) -> Line:
        """An evaluation, which may take long: Ctrl-C ends it at once, with the state saved as it was before."""
        try:
            with immediate_interrupts():
                return self._evaluate()
        except KeyboardInterrupt:
            watcher.save(self)
            raise

    def _evaluate(self) -> Line:
        self._change()
        line = {"games": self.games, "plies": self.trainer.plies, **self.trainer.metrics()}
        return line | evaluated(self.agent(), self._rivals, self.learner, self.game, self.plan, self.truth)


def _holders(name: str, seats: Seats, first: int) -> list[list[int]]:
    """Who plays for players 0 and 1 in even and in odd games."""
    if name == SELF:
        return [[LEARNER, LEARNER], [LEARNER, LEARNER]]
    other = TWIN if name == TWIN_NAME else OPPONENT
    own = {Seats.FIRST: (first, first), Seats.SECOND: (1 - first, 1 - first), Seats.ALTERNATE: (first, 1 - first)}
    return [[LEARNER if player == seat else other for player in (0, 1)] for seat in own[seats]]
