"""Weights of moves, learned from results: the learner of the Mancala paper.

Each position has a weight for each action, by which actions are drawn. At the end of a game the weights of the winner's
last moves grow by a part of themselves, and the loser's shrink, by a smaller part for each earlier move.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.tabular import (
    HASHED,
    NEW,
    Entries,
    Sampler,
    Weights,
    add_entry,
    draw_by_weight,
    find_entry,
    new_entries,
    stored_action,
    symmetry_for,
)
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import below
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import transform
from ludus.learning.loop.episodes import NOTHING, Episode, EpisodeTrainer, Ints
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.restoring import Arrays, require, require_positions, taken
from ludus.learning.loop.tabular import EntryStore, packed, unpacked
from ludus.learning.whole_weights import WholeSampler, draw_new_whole, draw_whole, shift_whole
from ludus.solving.position_index import hash_words

_MOST_OF_A_WEIGHT = 0.99  # that one game may shift
_LEAST = 0.01  # smaller steps are not taken
LOST, WON = range(2)  # rows of `steps`
TABLE, ACTION, FIELDS = range(3)  # columns of `moves`; the fields of the position are the last
_RECENT = "made", "moves", "score"  # of the state, saved beside the tables
_WORDS = 1 << 18  # of 64 hints each; a power of two


class WeightState(NamedTuple):
    """The arrays of a learner and its twin."""

    entries: Entries  # weights and visits: [tables, positions, actions]
    hints: npt.NDArray[np.uint64]  # [_WORDS]: a bit for the hash of each hashed position; unset, it is new
    made: Ints  # [players]: how many moves each has made in this game
    moves: Ints  # [players, places, FIELDS + fields]: the last ones, move m in place m modulo their number
    score: Ints  # [1]: of the game before
    steps: npt.NDArray[np.float64]  # [LOST and WON, moves back]: how far weights move; 0 where it ends
    row: Row  # [fields]: room for a position


class MoveWeights(NamedTuple):
    """Weights of moves, learned from results."""

    win: Annotated[float, "The part by which a winner's last weight grows; its power for each move before."] = 0.7
    loss: Annotated[float, "The part by which a loser's last weight shrinks; its power for each move before."] = 0.7
    symmetry: Annotated[bool, "Treat symmetric positions as one, so that both players learn from either."] = True
    shrink: Annotated[float, "The factor of the part from each move to the one before; 0: win or loss itself."] = 0.0
    late: Annotated[bool, "Learn from each game by the result of the one before, as the paper's program does."] = False
    whole: Annotated[bool, "Keep and shift weights in whole per cents, as the paper's program does."] = False
    ties_lost: Annotated[bool, "A tie is a loss for the second player, as in the paper's program."] = False

    def validate(self) -> None:
        """Raise ValueError for a part out of range."""
        for name, part in (("win", self.win), ("loss", self.loss), ("shrink", self.shrink)):
            if not 0 <= part <= _MOST_OF_A_WEIGHT:
                raise ValueError(f"{name} must be 0 to {_MOST_OF_A_WEIGHT}, not {part:g}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of the parameters depends."""
        return ("symmetry",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change during a training."""
        return "win", "loss"

    def trainer(self, game: Any, *, twin: bool = False) -> EpisodeTrainer:
        """The training in progress of a learner, and of a twin."""
        return EpisodeTrainer(game, self, WeightStore(game, self, 2 if twin else 1))

    def agent(self, game: Any, parameters: Any) -> Sampler | WholeSampler:
        """Play by the learned weights."""
        empty = new_entries(game, 1, by_seat=False, symmetric=self.symmetry)
        entries = _weights(unpacked(game, empty, parameters))
        return WholeSampler(entries) if self.whole else Sampler(entries)

    def begin(self, game: Any, state: WeightState) -> bool:
        """Forget the moves of the game before; False unless whatever one game teaches fits into the tables."""
        state.made[0] = state.made[1] = 0
        entries, moves = state.entries, 2 * state.moves.shape[1]
        for table in range(len(entries.filled)):
            if entries.by == HASHED and entries.filled[table] + moves > entries.values.shape[1]:
                return False
        return True

    def decide(self, game: Any, pos: Any, mask: Mask, who: int, state: WeightState, episode: Episode) -> int:
        """Draw an action by its weight, and record it."""
        player, symmetry = game.player(pos), symmetry_for(game, pos, state.entries)
        move = state.moves[player, state.made[player] & (state.moves.shape[1] - 1)]
        state.made[player] += 1
        pack(transform(game, pos, symmetry) if symmetry else pos, move[FIELDS:])
        number = find_known(game, pos, symmetry, state, who, move[FIELDS:])
        if number == NEW:
            action = (
                draw_new_whole(mask, episode.stream) if self.whole else nth(mask, below(episode.stream, count(mask)))
            )
        elif self.whole:
            action = draw_whole(game, pos, mask, symmetry, state.entries.values[who, number], episode.stream)
        else:
            action = draw_by_weight(game, pos, mask, symmetry, state.entries.values[who, number], episode.stream)
        move[TABLE], move[ACTION] = who, stored_action(game, pos, action, symmetry)
        return action

    def finish(self, game: Any, pos: Any, score: int, ended: bool, state: WeightState, episode: Episode) -> None:
        """Update player 0, then player 1; a tie, and a game that was cut, teaches nothing or is lost for player 1."""
        taught = state.score[0] if self.late else score
        state.score[0] = score
        if taught != 0:
            for player in range(2):
                row = WON if (taught > 0) == (player == 0) else LOST
                update(self, game, pos, state, state.steps[row], player)
        elif self.ties_lost:
            update(self, game, pos, state, state.steps[LOST], 1)


class WeightStore(EntryStore):
    """The weights of a learner and its twin, and the last moves of the game in progress."""

    def __init__(self, game: Any, config: MoveWeights, learners: int) -> None:
        entries = new_entries(game, learners, by_seat=False, symmetric=config.symmetry)
        steps, fields = steps_of(config), len(game.start())
        made, score, row = np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(fields, np.int64)
        state = WeightState(entries, hints_for(entries), made, _new_moves(steps, fields), score, steps, row)
        super().__init__(game, state, 1)

    def change(self, config: MoveWeights) -> None:
        """Take over changed steps; where they reach further back, a game has not begun yet."""
        steps, moves = steps_of(config), self.state.moves
        more = _new_moves(steps, len(self.state.row))
        self.state = self.state._replace(steps=steps, moves=more if more.size > moves.size else moves)

    def _hold(self, entries: Entries) -> None:
        self.state = self.state._replace(entries=_weights(entries), hints=hints_for(entries))

    def arrays(self) -> Arrays:
        """The weights, and the last moves of this game."""
        return packed(self.entries) | {name: getattr(self.state, name) for name in _RECENT}

    def restore(self, arrays: Arrays) -> None:
        """Continue from these."""
        self._hold(unpacked(self._game, self.entries, arrays))
        made, score = taken(arrays, "made", self.state.made), taken(arrays, "score", self.state.score)
        moves = taken(arrays, "moves", _as_long(self.state.moves, arrays.get("moves")))
        tables, _, actions = self.entries.values.shape
        require("made", made, 0, NEVER)
        require("moves", moves[:, :, TABLE], 0, tables)
        require("moves", moves[:, :, ACTION], 0, actions)
        places = moves.shape[1]
        for so_far, own in zip(made.tolist(), moves, strict=True):
            last = [move & (places - 1) for move in range(max(0, so_far - places), so_far)]
            require_positions("moves", own[last, FIELDS:], self._game)
        self.state = self.state._replace(made=made, moves=moves, score=score)


def _weights(entries: Entries) -> Entries:
    """The same tables; LudusError unless they hold weights: 0 to 1, but for rounding."""
    require("table.values", entries.values, 0.0, 1.001)
    return entries


def _as_long(moves: Ints, saved: npt.NDArray[Any] | None) -> Ints:
    """Moves with as many places as saved ones, of which earlier settings may have needed more; a power of two."""
    places = saved.shape[1] if saved is not None and saved.ndim > 1 else 0
    is_longer = places > moves.shape[1] and places & (places - 1) == 0
    return np.zeros((2, places, moves.shape[2]), np.int64) if is_longer else moves


def _new_moves(steps: npt.NDArray[np.float64], fields: int) -> Ints:
    """Room for as many moves as are updated; a power of two."""
    return np.zeros((2, 1 << steps.shape[1].bit_length(), FIELDS + fields), np.int64)


def steps_of(config: MoveWeights) -> npt.NDArray[np.float64]:
    """How far the weight of a player's last action moves, of the one before it, and so on; 0 where it ends."""
    rows = [_shrinking(-config.loss, config.shrink), _shrinking(config.win, config.shrink)]
    steps = np.zeros((2, 1 + max(len(row) for row in rows)))
    for row, each in zip(steps, rows, strict=True):
        row[: len(each)] = each
    return steps


def _shrinking(step: float, shrink: float) -> list[float]:
    factor, steps = shrink or abs(step), []
    while abs(step) >= _LEAST:
        steps.append(step)
        step *= factor
    return steps


def hints_for(entries: Entries) -> npt.NDArray[np.uint64]:
    """Hints at all positions that the tables hold."""
    hints = np.zeros(_WORDS, np.uint64)
    if entries.by == HASHED:
        for rows, filled in zip(entries.rows, entries.filled, strict=True):
            hint_at_all(hints, rows[:filled])
    return hints


@kernel(work=lambda hints, rows: 5 * len(rows))
def hint_at_all(hints: npt.NDArray[np.uint64], rows: npt.NDArray[np.int64]) -> None:
    """Set the hint of every row; hints [_WORDS], rows [positions, fields]."""
    hints, rows = borrowed(hints), borrowed(rows)
    for row in rows:
        hint_at(hints, row)


@helper
def hint_at(hints: npt.NDArray[np.uint64], row: Row) -> None:
    """Set the hint of a position."""
    place = hash_words(row) & (64 * len(hints) - 1)
    hints[place >> 6] |= np.uint64(1) << np.uint64(place & 63)


@helper
def find_known(game: Any, pos: Any, symmetry: int, state: WeightState, table: int, fields: Row) -> int:
    """The number of a position in a table, or NEW; `fields`: as it is kept."""
    if state.entries.by == HASHED:
        place = hash_words(fields) & (64 * len(state.hints) - 1)
        if not state.hints[place >> 6] >> np.uint64(place & 63) & np.uint64(1):
            return NEW
    return find_entry(game, pos, symmetry, state.entries, table, state.row)


@helper
def update(learner: Any, game: Any, like: Any, state: WeightState, steps: Any, player: int) -> None:
    """Shift the weights of a player's moves, from the last back, until the steps end."""
    entries, back, made = state.entries, 0, state.made[player]
    while back < made and steps[back] != 0.0:
        move = state.moves[player, (made - 1 - back) & (state.moves.shape[1] - 1)]
        pos, table, action = unpack(like, move[FIELDS:]), move[TABLE], move[ACTION]
        number = find_known(game, pos, 0, state, table, move[FIELDS:])
        if number == NEW:
            number = add_entry(entries, table, move[FIELDS:])
            hint_at(state.hints, move[FIELDS:])
        entries.visits[table, number, action] += 1
        if learner.whole:
            shift_whole(entries.values[table, number], game.legal(pos), action, steps[back])
        else:
            shift(entries.values[table, number], game.legal(pos), action, steps[back])
        back += 1


@helper
def shift(weights: Weights, mask: Mask, action: int, step: float) -> None:
    """Scale the weight of an action by 1 + step; the others share the difference, within 0 to 1. All 0: all equal."""
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
