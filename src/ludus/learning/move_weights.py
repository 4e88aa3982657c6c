"""The settings of each learner; apart from the learners, so that the command line can name them without NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import choose
from ludus.agents.tabular import (
    HASHED,
    NEW,
    Entries,
    Weights,
    add_entry,
    draw_by_weight,
    find_entry,
    kept_as,
    symmetry_for,
)
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import State, below
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import CHANCE, gives_odds, transform
from ludus.learning.loop.episodes import (
    ASKING,
    BETWEEN,
    FULL,
    GAME,
    NOTHING,
    OPPONENT,
    PAUSED,
    PLAYED,
    PLIES,
    PLY,
    RESIGNED,
    Episode,
    Ints,
    Setting,
    close_game,
    final_score,
    open_game,
)
from ludus.learning.loop.restrictions import Forbidden, permitted
from ludus.learning.loop.trainer import Arrays, TableTrainer, packed
from ludus.playout import random_action
from ludus.solving.position_index import hash_words

if TYPE_CHECKING:
    from ludus.agents.tabular import Entries, Sampler


_MOST_OF_A_WEIGHT = 0.99  # that one game may shift


class MoveWeights(NamedTuple):
    """Weights of moves, learned from results."""

    win: Annotated[float, "The part by which a winner's last weight grows, and of which that before it does."] = 0.7
    loss: Annotated[float, "The part by which a loser's last weight shrinks, and of which that before it does."] = 0.7
    symmetry: Annotated[bool, "Let one position stand for all alike, and so both players learn from either."] = True
    shrink: Annotated[float, "The part by which each move before is taught; 0: win or loss itself."] = 0.0
    late: Annotated[bool, "Teach each game by the result of the game before, as the paper's program does."] = False

    def validate(self) -> None:
        """All parts within their range."""
        for name, part in (("win", self.win), ("loss", self.loss), ("shrink", self.shrink)):
            if not 0 <= part <= _MOST_OF_A_WEIGHT:
                raise ValueError(f"{name} must be 0 to {_MOST_OF_A_WEIGHT}, not {part:g}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return ("symmetry",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "win", "loss"

    def trainer(self, game: Any, *, twin: bool = False) -> WeightsTrainer:
        """One who begins to learn a game, and another beside it if wanted."""
        return WeightsTrainer(game, self, self._empty(game, 2 if twin else 1))

    def agent(self, game: Any, parameters: Any) -> Sampler:
        """Play by the weights that were learned."""
        from ludus.agents.tabular import Sampler
        from ludus.learning.loop.trainer import unpacked

        return Sampler(unpacked(game, self._empty(game, 1), parameters))

    def _empty(self, game: Any, learners: int) -> Entries:
        from ludus.agents.tabular import new_entries

        return new_entries(game, learners, by_seat=False, symmetric=self.symmetry)


Hints = npt.NDArray[np.uint64]


_WORDS = 1 << 18  # of 64 hints each; a power of two


def hints_for(entries: Entries) -> Hints:
    """Hints at all positions that the tables hold."""
    hints = np.zeros(_WORDS, np.uint64)
    if entries.by == HASHED:
        for rows, filled in zip(entries.rows, entries.filled, strict=True):
            hint_at_all(hints, rows[:filled])
    return hints


@kernel
def hint_at_all(hints: Hints, rows: npt.NDArray[np.int64]) -> None:
    """Hint at every row."""
    hints, rows = borrowed(hints), borrowed(rows)
    for row in rows:
        hint_at(hints, row)


@helper
def hint_at(hints: Hints, row: Row) -> None:
    """Say that a position is known."""
    place = hash_words(row) & (64 * len(hints) - 1)
    hints[place >> 6] |= np.uint64(1) << np.uint64(place & 63)


@helper
def may_know(hints: Hints, row: Row) -> bool:
    """Whether a position may be known; if not, it is new."""
    place = hash_words(row) & (64 * len(hints) - 1)
    return bool(hints[place >> 6] >> np.uint64(place & 63) & np.uint64(1))


Steps = npt.NDArray[np.float64]


LEAST = 0.01  # smaller steps are not taken

LOST, WON = range(2)  # rows of `steps`

TABLE, ACTION, FIELDS = range(3)  # columns of `moves`; the fields of the position are the last


class Recent(NamedTuple):
    """What the players did last in the game being played.

    made: how many moves each has made; moves: the last ones of each, move m in place m modulo their number, a power of
    two, as the table, the action and the fields of the position, both as they are kept; score: of the game before.
    """

    made: Ints
    moves: Ints
    score: Ints


class Rules(NamedTuple):
    """A config as compiled code reads it; late: whether a game is taught by the score of the one before."""

    steps: Steps
    late: bool


class WeightsTrainer(TableTrainer):
    """Move weights at work."""

    def __init__(self, game: Any, config: MoveWeights, entries: Entries) -> None:
        super().__init__(game, config, entries)
        self._steps, self._hints = steps_of(config), hints_for(entries)
        self.recent = _recent(game, self._steps)

    def change(self, config: MoveWeights) -> None:
        """Go on with other settings; where more moves are taught by them, it is between two games."""
        super().change(config)
        self._steps = steps_of(config)
        if (more := _recent(self.game, self._steps)).moves.size > self.recent.moves.size:
            self.recent = more

    def init_from(self, parameters: Arrays) -> None:
        """Know the weights of another."""
        super().init_from(parameters)
        self._hints = hints_for(self.entries)

    def parameters(self) -> Arrays:
        """The learner's own weights."""
        return packed(self.entries.of_first(1))

    def arrays(self) -> Arrays:
        """All that is needed to go on from here."""
        return {**super().arrays(), **{f"recent.{name}": array for name, array in self.recent._asdict().items()}}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what `arrays` gave."""
        super().restore(arrays)
        self.recent = Recent(*(np.array(arrays[f"recent.{name}"]) for name in Recent._fields))
        self._hints = hints_for(self.entries)

    def _learn(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int) -> int:
        game, memory = self.game, Memory(self.entries, self._hints, self.recent, self._row)
        parts = Rules(self._steps, self.config.late), setting, self.forbidden, self.episode, self._out
        return learn(game, game.start(), opponent, memory, *parts, until, plies, answer)


class Memory(NamedTuple):
    """All that a learner remembers; `row` is room for a position."""

    entries: Entries
    hints: Hints
    recent: Recent
    row: Row


def _recent(game: Any, steps: Steps) -> Recent:
    """Room for as many moves as are taught."""
    places = 1 << steps.shape[1].bit_length()
    moves = np.zeros((2, places, FIELDS + len(game.start())), np.int64)
    return Recent(np.zeros(2, np.int64), moves, np.zeros(1, np.int64))


def steps_of(config: MoveWeights) -> Steps:
    """How far the weight of a player's last action moves, of the one before it, and so on; 0 where teaching ends."""
    rows = [_shrinking(-config.loss, config.shrink), _shrinking(config.win, config.shrink)]
    steps = np.zeros((2, 1 + max(len(row) for row in rows)))
    for row, each in zip(steps, rows, strict=True):
        row[: len(each)] = each
    return steps


def _shrinking(step: float, shrink: float) -> list[float]:
    factor, steps = shrink or abs(step), []
    while abs(step) >= LEAST:
        steps.append(step)
        step *= factor
    return steps


@kernel
def learn(
    game: Any,
    like: Any,
    opponent: Any,
    memory: Memory,
    rules: Rules,
    setting: Setting,
    forbidden: Forbidden,
    episode: Episode,
    out: Any,
    until: int,
    plies: int,
    answer: int,
) -> int:
    """Play and learn up to game `until`, for so many plies at most; `answer` is the action of an opponent asked for."""
    memory, rules, setting, forbidden = borrowed(memory), borrowed(rules), borrowed(setting), borrowed(forbidden)
    episode, out = borrowed(episode), borrowed(out)
    while episode.counters[GAME] < until:
        if episode.counters[PLY] == BETWEEN:
            if not has_room(memory.entries, memory.recent):
                return FULL
            open_game(game, setting, episode)
            memory.recent.made[:] = 0
        if answer != RESIGNED:
            stopped, plies = play_on(game, like, opponent, memory, setting, forbidden, episode, out, plies, answer)
            if stopped != PLAYED:
                return stopped
            answer = NOTHING
        finish(game, unpack(like, episode.row), memory, rules, setting, episode, answer)
        answer = NOTHING
    return PLAYED


@helper
def has_room(entries: Entries, recent: Recent) -> bool:
    """Whether whatever one game teaches fits into the tables."""
    return entries.by != HASHED or int(entries.filled.max()) + 2 * recent.moves.shape[1] <= entries.values.shape[1]


@helper
def play_on(
    game: Any,
    like: Any,
    opponent: Any,
    memory: Memory,
    setting: Setting,
    forbidden: Forbidden,
    episode: Episode,
    out: Any,
    plies: int,
    answer: int,
) -> tuple[int, int]:
    """Play the game to its end, for so many plies at most; why it stopped, and the plies that are left."""
    holders, stream, ply = setting.holders[episode.counters[GAME] % 2], episode.stream, int(episode.counters[PLY])
    pos = unpack(like, episode.row)
    mask, stopped, begun = game.legal(pos), PLAYED, ply
    while not is_empty(mask) and ply < setting.cap:
        if ply - begun == plies:
            stopped = PAUSED
            break
        action, player = answer, game.player(pos)
        if gives_odds(game) and player == CHANCE:
            action = random_action(game, pos, mask, stream)
        elif holders[player] != OPPONENT:
            allowed = permitted(game, pos, mask, ply, forbidden, memory.row)
            action = decide(game, pos, allowed, holders[player], memory, stream)
        elif not setting.asks:
            action = choose(opponent, game, pos, mask, out, stream)
        if action == NOTHING:
            stopped = ASKING
            break
        pos, answer = game.play(pos, action), NOTHING
        mask = game.legal(pos)
        ply += 1
    pack(pos, episode.row)
    episode.counters[PLY] = ply
    episode.counters[PLIES] += ply - begun
    return stopped, plies - (ply - begun)


@helper
def decide(game: Any, pos: Any, mask: Mask, table: int, memory: Memory, stream: State) -> int:
    """Choose an action of a mask by its weight, and remember it."""
    entries, recent, player = memory.entries, memory.recent, game.player(pos)
    symmetry = symmetry_for(game, pos, entries)
    move = recent.moves[player, recent.made[player] & (recent.moves.shape[1] - 1)]
    recent.made[player] += 1
    pack(transform(game, pos, symmetry) if symmetry else pos, move[FIELDS:])
    number = find_known(game, pos, symmetry, memory, table, move[FIELDS:])
    if number == NEW:
        action = nth(mask, below(stream, count(mask)))
    else:
        action = draw_by_weight(game, pos, mask, symmetry, entries.values[table, number], stream)
    move[TABLE], move[ACTION] = table, kept_as(game, pos, action, symmetry)
    return action


@helper
def find_known(game: Any, pos: Any, symmetry: int, memory: Memory, table: int, fields: Row) -> int:
    """The number of a position in a table, or NEW; `fields`: as it is kept."""
    if memory.entries.by == HASHED and not may_know(memory.hints, fields):
        return NEW
    return find_entry(game, pos, symmetry, memory.entries, table, memory.row)


@helper
def finish(game: Any, pos: Any, memory: Memory, rules: Rules, setting: Setting, episode: Episode, answer: int) -> None:
    """Teach player 0, then player 1; of a tie or a game that was cut, nothing."""
    ended = answer == RESIGNED or is_empty(game.legal(pos))
    score = final_score(game, pos, answer)
    taught = memory.recent.score[0] if rules.late else score
    memory.recent.score[0] = score
    if taught != 0:
        teach(game, pos, memory, rules.steps[WON if taught > 0 else LOST], 0)
        teach(game, pos, memory, rules.steps[LOST if taught > 0 else WON], 1)
    close_game(episode, setting, score, ended)


@helper
def teach(game: Any, like: Any, memory: Memory, steps: Any, player: int) -> None:
    """Shift the weights of a player's moves, from the last back, until the steps end."""
    entries, recent = memory.entries, memory.recent
    back, made = 0, recent.made[player]
    while back < made and steps[back] != 0.0:
        move = recent.moves[player, (made - 1 - back) & (recent.moves.shape[1] - 1)]
        pos, table, action = unpack(like, move[FIELDS:]), move[TABLE], move[ACTION]
        number = find_known(game, pos, 0, memory, table, move[FIELDS:])
        if number == NEW:
            number = add_entry(entries, table, move[FIELDS:])
            hint_at(memory.hints, move[FIELDS:])
        entries.visits[table, number, action] += 1
        shift(entries.values[table, number], game.legal(pos), action, steps[back])
        back += 1


@helper
def shift(weights: Weights, mask: Mask, action: int, step: float) -> None:
    """Let the weight of an action grow by a part of itself, or shrink, at the cost or in favour of all others alike.

    No weight leaves 0 to 1: what one cannot give is taken from the others. Weights that are all 0 stand for equal ones.
    """
    others = count(mask) - 1
    if weights.sum() == 0.0:
        add_to_each(weights, mask, NOTHING, 1.0 / (others + 1))
    if others == 0:
        return
    before = weights[action]
    weights[action] = min(before * (1.0 + step), 1.0)
    if step > 0.0:
        take_from_others(weights, mask, action, weights[action] - before)
    else:
        add_to_each(weights, mask, action, (before - weights[action]) / others)


@helper
def add_to_each(weights: Weights, mask: Mask, spared: int, amount: float) -> None:
    """Add an amount to all actions of a mask but one."""
    left = mask
    while not is_empty(left):
        if first(left) != spared:
            weights[first(left)] += amount
        left = without_first(left)


@helper
def take_from_others(weights: Weights, mask: Mask, spared: int, amount: float) -> None:
    """Take an amount from all actions of a mask but one: from each the same, but no more than it has."""
    share = fair_share(weights, mask, spared, amount)
    left = mask
    while not is_empty(left):
        if first(left) != spared:
            weights[first(left)] = max(weights[first(left)] - share, 0.0)
        left = without_first(left)


@helper
def fair_share(weights: Weights, mask: Mask, spared: int, amount: float) -> float:
    """What each of the others gives, unless it has less, for an amount in all."""
    share, givers = 0.0, count(mask)
    while True:
        rich, given = 0, 0.0
        left = mask
        while not is_empty(left):
            weight = weights[first(left)] if first(left) != spared else 0.0
            if weight > share:
                rich += 1
            else:
                given += weight
            left = without_first(left)
        if rich == 0 or rich >= givers:
            return share
        share, givers = (amount - given) / rich, rich
