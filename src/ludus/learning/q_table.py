"""The settings of each learner; apart from the learners, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from ludus.agents.agent import choose
from ludus.agents.tabular import NEW, Entries, add_entry, find_entry, kept_as, symmetry_for
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import below, uniform
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import (
    CHANCE,
    first_player,
    gives_odds,
    gives_seat_index,
    gives_shaping,
    shaping,
    swaps_players,
    symmetries,
)
from ludus.learning.loop.episodes import (
    ASKING,
    ASTRAY,
    BETWEEN,
    BOTH,
    FRESH,
    FULL,
    GAME,
    NO_ROOM,
    NOTED,
    NOTHING,
    OPPONENT,
    PAUSED,
    PLAYED,
    PLIES,
    PLY,
    RESIGNED,
    WANDERER,
    Episode,
    Setting,
    close_game,
    final_score,
    holder_of,
    open_game,
)
from ludus.learning.loop.options import RandomSide
from ludus.learning.loop.restrictions import Forbidden, permitted
from ludus.learning.loop.schedules import Rate, Schedule, SecondShare, rate_now, share_now
from ludus.learning.loop.trainer import Arrays, TableTrainer, packed
from ludus.playout import random_action

if TYPE_CHECKING:
    from ludus.agents.tabular import Entries, Greedy


class Ties(enum.Enum):
    """Which of several equally good actions is taken."""

    RANDOM = 0
    FIRST = 1


class MaxOver(enum.Enum):
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

    epsilon: Annotated[
        Schedule, "How often it tries a random action: 0.1, 1..0.05@20000, 0.9/sqrt, or 0.5..0.01@results."
    ] = Schedule.parse("0.1")
    alpha: Annotated[Rate, "How far a value moves towards what was seen: 0.5, 1/n, or 1/n^0.7."] = Rate.parse("1/n")
    gamma: Annotated[float, "What a reward one own move later is worth now."] = 1.0
    max_over: Annotated[MaxOver, "The best next action is sought among these; all takes illegal ones for worth 0."] = (
        MaxOver.LEGAL
    )
    ties: Annotated[Ties, "Which of equally good actions it takes."] = Ties.RANDOM
    tables: Annotated[Tables, "One table for both players, one for each role, or one seen by the mover."] = (
        Tables.SHARED
    )
    symmetry: Annotated[bool, "Let one position stand for all alike."] = False
    random_plies: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 0
    random_side: Annotated[RandomSide, "Who goes astray then; any: one player or both, by lot."] = RandomSide.ANY
    backward: Annotated[bool, "Learn from a game once it is over, from its last move to its first."] = False
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False
    shaping: Annotated[float, "Add the extra rewards that the game gives, times this."] = 0.0
    epsilon_second: Annotated[SecondShare, "The same for who moves second, if it is another: as epsilon, or same."] = (
        SecondShare(None)
    )

    def validate(self) -> None:
        """Numbers within their ranges."""
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be 0 to 1, not {self.gamma:g}")
        if self.backward and self.shaping:
            raise ValueError("extra rewards are learned from move by move: shaping or backward")
        if not 0 <= self.random_plies < 1 << 31:
            raise ValueError(f"random_plies must be 0 or more plies, not {self.random_plies}")
        for name in ("win", "loss", "draw", "shaping"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, not {getattr(self, name)}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return "tables", "symmetry"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "epsilon", "epsilon_second", "alpha", "gamma"

    def trainer(self, game: Any, *, twin: bool = False) -> QTrainer:
        """One who begins to learn a game, and another beside it if wanted."""
        if self.tables is Tables.MOVER and not _numbers_alike(game):
            raise LudusError(f"{type(game).__name__} does not number positions as the mover sees them: tables=shared")
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return QTrainer(game, self, self._empty(game, 2 if twin else 1))

    def agent(self, game: Any, parameters: Any) -> Greedy:
        """Greedy play by what was learned."""
        from ludus.agents.tabular import Greedy
        from ludus.learning.loop.trainer import unpacked

        return Greedy(unpacked(game, self._empty(game, 1), parameters), self.ties is Ties.FIRST)

    @property
    def roles(self) -> int:
        """The tables of one learner."""
        return 2 if self.tables is Tables.ROLES else 1

    def _empty(self, game: Any, learners: int) -> Entries:
        from ludus.agents.tabular import new_entries

        by_seat = self.tables is not Tables.SHARED
        return new_entries(game, learners * self.roles, by_seat=by_seat, symmetric=self.symmetry)


def _numbers_alike(game: Any) -> bool:
    """Whether positions have one number whoever moves: both sides play alike, and are numbered by seat."""
    return gives_seat_index(game) and any(swaps_players(game, symmetry) for symmetry in range(symmetries(game)))


class QTrainer(TableTrainer):
    """Q-learning at work."""

    def __init__(self, game: Any, config: QTable, entries: Entries) -> None:
        super().__init__(game, config, entries)
        self._rules = _rules(self.game, config)

    def change(self, config: QTable) -> None:
        """Go on with other settings."""
        super().change(config)
        self._rules = _rules(self.game, config)

    def parameters(self) -> Arrays:
        """The learner's own tables."""
        return packed(self.entries.of_first(self.config.roles))

    def _learn(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int) -> int:
        game, start = self.game, self.game.start()
        parts = self.entries, self._rules, setting, self.forbidden, self.episode, self._out, self._row, self.moves
        return learn(game, start, opponent, *parts, until, plies, answer)


class Rules(NamedTuple):
    """A config as compiled code reads it."""

    epsilon: Schedule
    second: Schedule
    starter: int
    alpha: Rate
    gamma: float
    win: float
    loss: float
    draw: float
    over_all: bool
    first_ties: bool
    margin: bool
    shaping: float
    backward: bool
    roles: int


def _rules(game: Any, config: QTable) -> Rules:
    return Rules(
        config.epsilon,
        config.epsilon_second.schedule or config.epsilon,
        first_player(game),
        config.alpha,
        config.gamma,
        config.win,
        config.loss,
        config.draw,
        config.max_over is MaxOver.ALL,
        config.ties is Ties.FIRST,
        config.margin,
        config.shaping,
        config.backward,
        config.roles,
    )


@kernel
def learn(
    game: Any,
    like: Any,
    opponent: Any,
    entries: Entries,
    rules: Rules,
    setting: Setting,
    forbidden: Forbidden,
    episode: Episode,
    out: Any,
    row: Row,
    moves: Row,
    until: int,
    plies: int,
    answer: int,
) -> int:
    """Play and learn up to game `until`, for so many plies at most; `answer` is the action of an opponent asked for."""
    entries, setting, forbidden, episode = borrowed(entries), borrowed(setting), borrowed(forbidden), borrowed(episode)
    out, row, moves = borrowed(out), borrowed(row), borrowed(moves)
    while episode.counters[GAME] < until:
        if episode.counters[PLY] == BETWEEN:
            open_game(game, setting, episode)
        pos = unpack(like, episode.row)
        mask = game.legal(pos)
        ended = is_empty(mask) or answer == RESIGNED
        if ended or episode.counters[PLY] >= setting.cap:
            finish(game, pos, entries, rules, setting, episode, moves, final_score(game, pos, answer), ended)
            answer = NOTHING
            continue
        if plies == 0:
            return PAUSED
        action = answer
        if action == NOTHING:
            action = chosen(game, pos, mask, opponent, entries, rules, setting, forbidden, episode, out, row, moves)
        if action < 0:
            return FULL if action == NO_ROOM else ASKING
        take(game, pos, action, rules, episode)
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
    forbidden: Forbidden,
    episode: Episode,
    out: Any,
    row: Row,
    moves: Row,
) -> int:
    """The action of whoever is to move; NO_ROOM, or NOTHING if the opponent must be asked."""
    holder = holder_of(game, pos, setting, episode)
    if gives_odds(game) and holder == CHANCE:
        return random_action(game, pos, mask, episode.stream)
    if holder != OPPONENT:
        allowed = permitted(game, pos, mask, int(episode.counters[PLY]), forbidden, row)
        if episode.counters[ASTRAY] > 0:
            return wander(game, pos, allowed, holder, entries, rules, episode, row)
        return decide(game, pos, allowed, holder, entries, rules, episode, row, moves)
    return NOTHING if setting.asks else choose(opponent, game, pos, mask, out, episode.stream)


@helper
def take(game: Any, pos: Any, action: int, rules: Rules, episode: Episode) -> None:
    """Play an action."""
    after = game.play(pos, action)
    if gives_shaping(game) and rules.shaping != 0.0 and game.player(pos) != CHANCE:
        episode.rewards[game.player(pos)] += rules.shaping * shaping(game, after)
    pack(after, episode.row)
    episode.counters[PLY] += 1
    episode.counters[PLIES] += 1
    episode.counters[ASTRAY] -= episode.counters[ASTRAY] > 0


@helper
def table_of(rules: Rules, mind: int, player: int) -> int:
    """Where the learner, or its twin, keeps what it knows as this player."""
    return mind * rules.roles + (player if rules.roles == 2 else 0)


@helper
def wander(
    game: Any, pos: Any, mask: Mask, mind: int, entries: Entries, rules: Rules, episode: Episode, row: Row
) -> int:
    """Any action of a player who goes astray, one of the best of who does not."""
    player, symmetry = game.player(pos), symmetry_for(game, pos, entries)
    table = table_of(rules, mind, player)
    number = find_entry(game, pos, symmetry, entries, table, row)
    if number == NEW or episode.counters[WANDERER] in (player, BOTH):
        return nth(mask, below(episode.stream, count(mask)))
    values = entries.values[table, number]
    top, ties = best_of(game, pos, mask, symmetry, values)
    return one_of_best(game, pos, mask, symmetry, values, top, ties, rules, episode)


@helper
def decide(
    game: Any, pos: Any, mask: Mask, mind: int, entries: Entries, rules: Rules, episode: Episode, row: Row, moves: Row
) -> int:
    """Learn from what came of the player's last action, and choose the next; NO_ROOM if the position has none."""
    player = game.player(pos)
    table = table_of(rules, mind, player)
    symmetry = symmetry_for(game, pos, entries)
    number = find_entry(game, pos, symmetry, entries, table, row)
    if number == NEW:
        number = add_entry(entries, table, row)
    if number == NEW or episode.counters[NOTED] == len(moves):
        return NO_ROOM
    values = entries.values[table, number]
    top, ties = best_of(game, pos, mask, symmetry, values)
    if episode.waiting[player, 1] != NOTHING and not rules.backward:
        teach(
            entries, rules, episode.waiting[player], episode.rewards[player] + rules.gamma * known(rules, values, top)
        )
        episode.rewards[player] = 0.0
        if episode.waiting[player, 1] == number:  # the game came back here: the values just changed
            top, ties = best_of(game, pos, mask, symmetry, values)
    action = pick(game, pos, mask, symmetry, values, top, ties, rules, episode)
    waiting = episode.waiting[player]
    waiting[0], waiting[1], waiting[2] = table, number, kept_as(game, pos, action, symmetry)
    if rules.backward:
        moves[episode.counters[NOTED], :3] = waiting
        pack(pos, moves[episode.counters[NOTED], 3:])
        episode.counters[NOTED] += 1
    return action


@helper
def known(rules: Rules, values: Any, top: float) -> float:
    """The best that a player knows of a position, where its legal actions reach `top`."""
    return max(top, np.max(values)) if rules.over_all else top


@helper
def pick(
    game: Any, pos: Any, mask: Mask, symmetry: int, values: Any, top: float, ties: int, rules: Rules, episode: Episode
) -> int:
    """One of the best actions, or any as often as the learner explores and where it sets out."""
    fresh = episode.counters[FRESH] != 0
    episode.counters[FRESH] = 0
    player = game.player(pos)
    schedule = rules.epsilon if player == rules.starter else rules.second
    epsilon = share_now(schedule, int(episode.counters[GAME]), episode.lost[player])
    if fresh or uniform(episode.stream) < epsilon:
        return nth(mask, below(episode.stream, count(mask)))
    return one_of_best(game, pos, mask, symmetry, values, top, ties, rules, episode)


@helper
def one_of_best(
    game: Any, pos: Any, mask: Mask, symmetry: int, values: Any, top: float, ties: int, rules: Rules, episode: Episode
) -> int:
    """One of the actions with the highest value."""
    place = 0 if rules.first_ties or ties == 1 else below(episode.stream, ties)
    return nth_best(game, pos, mask, symmetry, values, top, place)


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
def finish(
    game: Any,
    pos: Any,
    entries: Entries,
    rules: Rules,
    setting: Setting,
    episode: Episode,
    moves: Row,
    score: int,
    ended: bool,
) -> None:
    """Teach both players what their actions led to; of a game that was cut, the last ones learn nothing."""
    if rules.backward:
        teach_backwards(game, pos, entries, rules, moves[: episode.counters[NOTED]], score, ended)
    for player in range(2):
        if ended and not rules.backward and episode.waiting[player, 1] != NOTHING:
            teach(entries, rules, episode.waiting[player], episode.rewards[player] + reward(rules, score, player))
    close_game(episode, setting, score, ended)


@helper
def teach_backwards(game: Any, like: Any, entries: Entries, rules: Rules, moves: Row, score: int, ended: bool) -> None:
    """Teach the moves of a game from the last to the first, each by what its player then knows of the next."""
    next_known = np.array([reward(rules, score, 0), reward(rules, score, 1)])
    is_known = np.array([ended, ended])
    discount = np.ones(2)
    for number in range(len(moves) - 1, -1, -1):
        move = moves[number]
        pos = unpack(like, move[3:])
        player = game.player(pos)
        if is_known[player]:
            teach(entries, rules, move, discount[player] * next_known[player])
        values = entries.values[move[0], move[1]]
        top, _ = best_of(game, pos, game.legal(pos), symmetry_for(game, pos, entries), values)
        next_known[player], is_known[player], discount[player] = known(rules, values, top), True, rules.gamma


@helper
def reward(rules: Rules, score: int, player: int) -> float:
    """What a player earns by the score at the end."""
    own = score if player == 0 else -score
    if rules.margin:
        return float(own)
    return rules.win if own > 0 else rules.loss if own < 0 else rules.draw


@helper
def teach(entries: Entries, rules: Rules, move: Row, target: float) -> None:
    """Move the value of an action, given with its table and position, towards a target."""
    table, number, action = move[0], move[1], move[2]
    entries.visits[table, number, action] += 1
    rate = rate_now(rules.alpha, int(entries.visits[table, number, action]))
    entries.values[table, number, action] += rate * (target - entries.values[table, number, action])
