"""Q-learning with a table: what each action of each position met is worth, learned from its own move and the reply.

Watkins and Dayan, "Q-learning", Machine Learning 8 (1992). A player's value moves towards what it earns until it is to
move again, and the best it then knows of; after its last move towards the reward of the result alone.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, NamedTuple

import numpy as np

from ludus.agents.agent import choose
from ludus.agents.entries import NEW, Entries, add_entry, find_entry, kept_as, new_entries, symmetry_for
from ludus.agents.table import Greedy
from ludus.compiling import helper, kernel
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_odds, gives_seat_index, gives_shaping, shaping
from ludus.learning.lesson import (
    ASKING,
    BETWEEN,
    FULL,
    GAME,
    NO_ROOM,
    NOTHING,
    OPPONENT,
    PAUSED,
    PLAYED,
    PLY,
    TURNS,
    Lesson,
    Setting,
    close_game,
    holder_of,
    open_game,
)
from ludus.learning.schedules import Rate, Schedule, rate_now, share_now
from ludus.learning.student import Arrays, Student, packed, unpacked
from ludus.masks import Mask, count, first, is_empty, nth, without_first
from ludus.playout import random_action
from ludus.randomness import below, uniform
from ludus.rows import Row, borrowed, pack, unpack


class Ties(enum.Enum):
    """Which of several equally good actions is taken."""

    RANDOM = 0
    FIRST = 1


class Over(enum.Enum):
    """Which actions count for the best that can come next."""

    LEGAL = 0
    ALL = 1


class Tables(enum.Enum):
    """One table for both players, one for each role, or one in which positions are seen by who moves."""

    SHARED = 0
    ROLES = 1
    MOVER = 2


class QTable(NamedTuple):
    """Tabular Q-learning."""

    epsilon: Annotated[Schedule, "How often it tries a random action."] = Schedule.parse("0.1")
    alpha: Annotated[Rate, "How far a value moves towards what was seen."] = Rate.parse("1/n")
    gamma: Annotated[float, "What a reward one own move later is worth now."] = 1.0
    over: Annotated[Over, "The best next action is sought among these; all takes illegal ones for worth 0."] = (
        Over.LEGAL
    )
    ties: Annotated[Ties, "Which of equally good actions it takes."] = Ties.RANDOM
    tables: Annotated[Tables, "One table for both players, one for each role, or one seen by the mover."] = (
        Tables.SHARED
    )
    symmetry: Annotated[bool, "Let one position stand for all alike."] = False
    exploring: Annotated[int, "Begin games after up to so many random plies."] = 0
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False
    shaping: Annotated[bool, "Add the extra rewards that the game gives."] = False

    def validate(self) -> None:
        """Numbers within their ranges."""
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be 0 to 1, not {self.gamma:g}")
        if self.exploring < 0:
            raise ValueError(f"exploring must be 0 or more plies, not {self.exploring}")

    def student(self, game: Any, *, twin: bool = False) -> QStudent:
        """One who begins to learn a game, and another beside it if wanted."""
        if self.tables is Tables.MOVER and not gives_seat_index(game):
            raise LudusError(f"{type(game).__name__} does not number positions as the mover sees them: tables=shared")
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=false")
        return QStudent(game, self, self._empty(game, 2 if twin else 1))

    def agent(self, game: Any, knowledge: Arrays) -> Greedy:
        """Greedy play by what was learned."""
        return Greedy(unpacked(game, self._empty(game, 1), knowledge), self.ties is Ties.FIRST)

    @property
    def roles(self) -> int:
        """The tables of one learner."""
        return 2 if self.tables is Tables.ROLES else 1

    def _empty(self, game: Any, learners: int) -> Entries:
        by_seat = self.tables is not Tables.SHARED
        return new_entries(game, learners * self.roles, by_seat=by_seat, symmetric=self.symmetry)


class QStudent(Student):
    """Q-learning at work."""

    def __init__(self, game: Any, config: QTable, entries: Entries) -> None:
        super().__init__(game, config, entries)
        self._rules = Rules(
            config.epsilon,
            config.alpha,
            config.gamma,
            config.win,
            config.loss,
            config.draw,
            config.over is Over.ALL,
            config.ties is Ties.FIRST,
            config.margin,
            config.shaping,
            config.roles,
        )

    def knowledge(self) -> Arrays:
        """The learner's own tables."""
        return packed(self.entries.of_first(self.config.roles))

    def _learn(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int) -> int:
        game, start = self.game, self.game.start()
        parts = self.entries, self._rules, setting, self.lesson, self._out, self._row
        return learn(game, start, opponent, *parts, until, plies, answer)


class Rules(NamedTuple):
    """A config as compiled code reads it."""

    epsilon: Schedule
    alpha: Rate
    gamma: float
    win: float
    loss: float
    draw: float
    over_all: bool
    first_ties: bool
    margin: bool
    shaped: bool
    roles: int


@kernel
def learn(
    game: Any,
    like: Any,
    opponent: Any,
    entries: Entries,
    rules: Rules,
    setting: Setting,
    lesson: Lesson,
    out: Any,
    row: Row,
    until: int,
    plies: int,
    answer: int,
) -> int:
    """Play and learn up to game `until`, for so many plies at most; `answer` is the action of an opponent asked for."""
    entries, setting, lesson, out, row = (
        borrowed(entries), borrowed(setting), borrowed(lesson), borrowed(out), borrowed(row),
    )  # fmt: skip
    while lesson.counters[GAME] < until:
        if lesson.counters[PLY] == BETWEEN:
            open_game(game, setting, lesson)
        pos = unpack(like, lesson.row)
        mask = game.legal(pos)
        if is_empty(mask) or lesson.counters[PLY] >= setting.cap:
            finish(game, pos, entries, rules, setting, lesson, is_empty(mask))
            continue
        if plies == 0:
            return PAUSED
        action = answer
        if action == NOTHING:
            action = chosen(game, pos, mask, opponent, entries, rules, setting, lesson, out, row)
        if action < 0:
            return FULL if action == NO_ROOM else ASKING
        take(game, pos, action, rules, lesson)
        plies, answer = plies - 1, NOTHING
    return PLAYED


@helper
def chosen(
    game: Any,
    pos: Any,
    mask: Mask,
    opponent: Any,
    entries: Entries,
    rules: Rules,
    setting: Setting,
    lesson: Lesson,
    out: Any,
    row: Row,
) -> int:
    """The action of whoever is to move; NO_ROOM, or NOTHING if the opponent must be asked."""
    holder = holder_of(game, pos, setting, lesson)
    if gives_odds(game) and holder == CHANCE:
        return random_action(game, pos, mask, lesson.stream)
    if holder != OPPONENT:
        return decide(game, pos, mask, holder, entries, rules, lesson, row)
    return NOTHING if setting.asks else choose(opponent, game, pos, mask, out, lesson.stream)


@helper
def take(game: Any, pos: Any, action: int, rules: Rules, lesson: Lesson) -> None:
    """Play an action."""
    after = game.play(pos, action)
    if gives_shaping(game) and rules.shaped:
        lesson.rewards[game.player(pos)] += shaping(game, after)
    pack(after, lesson.row)
    lesson.counters[PLY] += 1
    lesson.counters[TURNS] += 1


@helper
def decide(game: Any, pos: Any, mask: Mask, mind: int, entries: Entries, rules: Rules, lesson: Lesson, row: Row) -> int:
    """Learn from what came of the player's last action, and choose the next; NO_ROOM if the position has none."""
    player = game.player(pos)
    table = mind * rules.roles + (player if rules.roles == 2 else 0)
    symmetry = symmetry_for(game, pos, entries)
    number = find_entry(game, pos, symmetry, entries, table, row)
    if number == NEW:
        number = add_entry(entries, table, row)
        if number == NEW:
            return NO_ROOM
    values = entries.values[table, number]
    top, ties = best_of(game, pos, mask, symmetry, values)
    if lesson.waiting[player, 1] != NOTHING:
        known = max(top, np.max(values)) if rules.over_all else top
        teach(entries, rules, lesson, player, lesson.rewards[player] + rules.gamma * known)
    epsilon = share_now(rules.epsilon, int(lesson.counters[GAME]), lesson.lost[player])
    if uniform(lesson.stream) < epsilon:
        action = nth(mask, below(lesson.stream, count(mask)))
    else:
        place = 0 if rules.first_ties or ties == 1 else below(lesson.stream, ties)
        action = nth_best(game, pos, mask, symmetry, values, top, place)
    lesson.waiting[player, 0], lesson.waiting[player, 1] = table, number
    lesson.waiting[player, 2] = kept_as(game, pos, action, symmetry)
    return action


@helper
def best_of(game: Any, pos: Any, mask: Mask, symmetry: int, values: Any) -> tuple[float, int]:
    """The highest value among these actions, and how many have it."""
    top, ties = -np.inf, 0
    left = mask
    while not is_empty(left):
        value = values[kept_as(game, pos, first(left), symmetry)]
        if value > top:
            top, ties = value, 0
        ties += value == top
        left = without_first(left)
    return top, ties


@helper
def nth_best(game: Any, pos: Any, mask: Mask, symmetry: int, values: Any, top: float, place: int) -> int:
    """The n-th of the actions with the highest value."""
    left = mask
    while True:
        action = first(left)
        if values[kept_as(game, pos, action, symmetry)] == top:
            if place == 0:
                return action
            place -= 1
        left = without_first(left)


@helper
def finish(game: Any, pos: Any, entries: Entries, rules: Rules, setting: Setting, lesson: Lesson, ended: bool) -> None:
    """Teach both players what their last actions led to; of a game that was cut, nothing."""
    score = game.score(pos) if ended else 0
    for player in range(2):
        if ended and lesson.waiting[player, 1] != NOTHING:
            own = score if player == 0 else -score
            reward = rules.win if own > 0 else rules.loss if own < 0 else rules.draw
            teach(entries, rules, lesson, player, lesson.rewards[player] + (own if rules.margin else reward))
    close_game(lesson, setting, score, ended)


@helper
def teach(entries: Entries, rules: Rules, lesson: Lesson, player: int, target: float) -> None:
    """Move the value of what a player did last towards a target."""
    table, number, action = lesson.waiting[player, 0], lesson.waiting[player, 1], lesson.waiting[player, 2]
    entries.visits[table, number, action] += 1
    rate = rate_now(rules.alpha, int(entries.visits[table, number, action]))
    entries.values[table, number, action] += rate * (target - entries.values[table, number, action])
    lesson.rewards[player] = 0.0
