"""What tabular learners share: their tables, epsilon-greedy choice, updates, and the methods of their configs.

`@tabular` gives a config class of these learners what it does not define itself: `trainer`, `agent`, `validate`,
`changeable`, `shaped_by` and the hook `greedy`. It has the fields alpha, gamma, epsilon, ties, tables, symmetry,
random_plies, random_side, win, loss, draw and margin, and brings the hooks `decide` and `finish`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ludus.agents.tabular import (
    HASHED,
    NEW,
    Entries,
    Greedy,
    add_entry,
    find_entry,
    grown,
    met,
    new_entries,
    rehash,
    stored_action,
    symmetry_for,
)
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import State, below, uniform
from ludus.compiled.rows import Row, pack
from ludus.errors import LudusError
from ludus.game import gives_seat_index, swaps_players, symmetries
from ludus.learning.loop.episodes import FIRST_DECISION, GAME, NOTHING, Episode, EpisodeTrainer, Ints, Store
from ludus.learning.loop.restoring import Arrays, require, require_positions, taken
from ludus.learning.loop.settings import Rate, Schedule, Tables, Ties, rate_now, share_now, validate_ranges

Config = TypeVar("Config")


class TableState(NamedTuple):
    """The arrays of a tabular learner and its twin. A move is a table, a position's number there, and an action."""

    entries: Entries  # values and visits: [tables, positions, actions]
    last: Ints  # [players, 3]: the last move of each, which waits for its target; NOTHING for none
    rewards: npt.NDArray[np.float64]  # [players]: earned since the last move
    moves: Ints  # [room, 3 + fields]: the recorded moves of this game, each with its position
    recorded: Ints  # [1]: how many they are
    row: Row  # [fields]: room for a position
    roles: int  # the tables of one learner


class Turn(NamedTuple):
    """Where a learner is to move: its table, the position's number there, NEW for no room, and how it is kept."""

    player: int
    table: int
    number: int
    symmetry: int


# ---- pieces of the hooks ----


@helper
def look_up(game: Any, pos: Any, who: int, state: TableState) -> Turn:
    """Find the entry of a position, or add one."""
    player, symmetry = game.player(pos), symmetry_for(game, pos, state.entries)
    table = who * state.roles + (player if state.roles == 2 else 0)
    number = find_entry(game, pos, symmetry, state.entries, table, state.row)
    if number == NEW:
        number = add_entry(state.entries, table, state.row)
    return Turn(player, table, NEW if state.recorded[0] == len(state.moves) else number, symmetry)


@helper
def epsilon_greedy(
    epsilon: Schedule, ties: int, game: Any, pos: Any, mask: Mask, turn: Turn, state: TableState, episode: Episode
) -> int:
    """A random action with the probability epsilon, and at the first decision after random plies, else a best one."""
    is_first = episode.counters[FIRST_DECISION] != 0
    episode.counters[FIRST_DECISION] = 0
    share = share_now(epsilon, int(episode.counters[GAME]), episode.lost[turn.player])
    if is_first or uniform(episode.stream) < share:
        return nth(mask, below(episode.stream, count(mask)))
    values = state.entries.values[turn.table, turn.number]
    return best_action(ties, game, pos, mask, turn.symmetry, values, episode.stream)


@helper
def best_action(ties: int, game: Any, pos: Any, mask: Mask, symmetry: int, values: Any, stream: State) -> int:
    """One of the actions of the highest value."""
    top, equals = best_of(game, pos, mask, symmetry, values)
    place = 0 if ties == Ties.FIRST or equals == 1 else below(stream, equals)
    left = mask
    while True:
        action = first(left)
        if values[stored_action(game, pos, action, symmetry)] == top:
            if place == 0:
                return action
            place -= 1
        left = without_first(left)


@helper
def best_of(game: Any, pos: Any, mask: Mask, symmetry: int, values: Any) -> tuple[float, int]:
    """The highest value among these actions, and how many have it."""
    top, equals = -np.inf, 0
    left = mask
    while not is_empty(left):
        value = values[stored_action(game, pos, first(left), symmetry)]
        if value > top:
            top, equals = value, 0
        equals += value == top
        left = without_first(left)
    return top, equals


@helper
def wait(game: Any, pos: Any, action: int, turn: Turn, state: TableState) -> None:
    """Let an action wait for its target, as the last one of its player."""
    last, player = state.last, turn.player
    last[player, 0], last[player, 1] = turn.table, turn.number
    last[player, 2] = stored_action(game, pos, action, turn.symmetry)


@helper
def record(game: Any, pos: Any, action: int, turn: Turn, state: TableState) -> None:
    """Record an action, to learn from it at the end of the game."""
    wait(game, pos, action, turn, state)
    move = state.moves[state.recorded[0]]
    for part in range(3):
        move[part] = state.last[turn.player, part]
    pack(pos, move[3:])
    state.recorded[0] += 1


@helper
def update_first_visit(alpha: Rate, place: int, target: float, state: TableState) -> None:
    """Update a recorded move, by its place, if it is the first of its position and action in this game."""
    move = state.moves[place]
    for earlier in range(place):
        other = state.moves[earlier]
        if other[0] == move[0] and other[1] == move[1] and other[2] == move[2]:
            return
    update(alpha, move, target, state.entries)


@helper
def update_last(alpha: Rate, player: int, later: float, state: TableState) -> None:
    """Update the last action of a player, if there is one: the target is what it has earned since and `later`."""
    if state.last[player, 1] != NOTHING:
        update(alpha, state.last[player], state.rewards[player] + later, state.entries)
        state.rewards[player] = 0.0


@helper
def update(alpha: Rate, move: Ints, target: float, entries: Entries) -> None:
    """Move the value of a move towards a target."""
    table, number, action = move[0], move[1], move[2]
    entries.visits[table, number, action] += 1
    rate = rate_now(alpha, int(entries.visits[table, number, action]))
    entries.values[table, number, action] += rate * (target - entries.values[table, number, action])


@helper
def reward(config: Any, score: int, player: int) -> float:
    """The reward of a player for the score at the end."""
    own = score if player == 0 else -score
    if config.margin:
        return float(own)
    earned: float = config.win if own > 0 else config.loss if own < 0 else config.draw
    return earned


# ---- methods of the configs ----


def begin(self: Any, game: Any, state: TableState) -> bool:
    """Forget the moves of the game before."""
    for player in range(2):
        for part in range(3):
            state.last[player, part] = NOTHING
        state.rewards[player] = 0.0
    state.recorded[0] = 0
    return True


def greedy(self: Any, game: Any, pos: Any, mask: Mask, who: int, state: TableState, episode: Episode) -> int:
    """One of the best actions; any in a position that is new."""
    player, symmetry = game.player(pos), symmetry_for(game, pos, state.entries)
    table = who * state.roles + (player if state.roles == 2 else 0)
    number = find_entry(game, pos, symmetry, state.entries, table, state.row)
    if number == NEW:
        return nth(mask, below(episode.stream, count(mask)))
    return best_action(self.ties, game, pos, mask, symmetry, state.entries.values[table, number], episode.stream)


def trainer(self: Any, game: Any, *, twin: bool = False) -> EpisodeTrainer:
    """The training in progress of a learner, and of a twin."""
    alike = gives_seat_index(game) and any(swaps_players(game, symmetry) for symmetry in range(symmetries(game)))
    if self.tables == Tables.MOVER and not alike:
        raise LudusError(f"{type(game).__name__} does not number positions as the mover sees them: tables=shared")
    return EpisodeTrainer(game, self, TableStore(game, self, 2 if twin else 1))


def agent(self: Any, game: Any, parameters: Arrays) -> Greedy:
    """Greedy play by the table."""
    return Greedy(unpacked(game, _empty(game, self, 1), parameters), bool(self.ties == Ties.FIRST))


_METHODS = {
    "begin": begin,
    "greedy": greedy,
    "trainer": trainer,
    "agent": agent,
    "validate": validate_ranges,
    "shaped_by": ("tables", "symmetry"),
    "roles": property(lambda self: 2 if self.tables == Tables.ROLES else 1),
    "keeps_action_values": True,
}


def tabular(cls: type[Config]) -> type[Config]:
    """Give a config class the methods of tabular learners that it does not define itself."""
    fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    changing = tuple(name for name in ("epsilon", "epsilon_second", "alpha", "gamma") if name in fields)
    for name, method in {**_METHODS, "changeable": changing}.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    return cls


def _empty(game: Any, config: Any, learners: int) -> Entries:
    by_seat = config.tables != Tables.SHARED
    return new_entries(game, learners * config.roles, by_seat=by_seat, symmetric=config.symmetry)


# ---- what is kept ----

_FIRST_MOVES = 256  # of one game that there is room for at first


class EntryStore(Store):
    """The tables of a learner and its twin: the `entries` of its state."""

    def __init__(self, game: Any, state: Any, roles: int) -> None:
        self._game, self.state, self._roles = game, state, roles

    @property
    def entries(self) -> Entries:
        """The tables."""
        entries: Entries = self.state.entries
        return entries

    def _hold(self, entries: Entries) -> None:
        self.state = self.state._replace(entries=entries)

    def grow(self) -> None:
        """Make room for twice as many positions."""
        self.state = self.state._replace(entries=grown(self._game, self.entries))

    def init_from(self, parameters: Arrays) -> None:
        """Start from other tables and their visit counts."""
        self._hold(initialised(self._game, self.entries, parameters))

    def parameters(self) -> Arrays:
        """The learner's own tables."""
        return packed(self.entries.first_tables(self._roles))

    def metrics(self) -> dict[str, Any]:
        """How many positions each table has visited."""
        return {"visited": met(self.entries)}


class TableStore(EntryStore):
    """The tables of a learner and its twin, and the moves of the game in progress."""

    def __init__(self, game: Any, config: Any, learners: int) -> None:
        fields = len(game.start())
        state = TableState(
            _empty(game, config, learners),
            np.full((2, 3), NOTHING, np.int64),
            np.zeros(2),
            np.zeros((_FIRST_MOVES, 3 + fields), np.int64),
            np.zeros(1, np.int64),
            np.zeros(fields, np.int64),
            config.roles,
        )
        super().__init__(game, state, config.roles)

    def grow(self) -> None:
        """Make room for twice as many moves, or positions."""
        moves = self.state.moves
        if self.state.recorded[0] == len(moves):
            self.state = self.state._replace(moves=np.concatenate([moves, np.zeros_like(moves)]))
        else:
            super().grow()

    def arrays(self) -> Arrays:
        """The tables, and the moves of this game."""
        moves = self.state.moves[: self.state.recorded[0]]
        return packed(self.entries) | {"last": self.state.last, "rewards": self.state.rewards, "moves": moves}

    def restore(self, arrays: Arrays) -> None:
        """Continue from these."""
        entries = unpacked(self._game, self.entries, arrays)
        recorded = taken(arrays, "moves", self.state.moves, grows=True)
        last, rewards = taken(arrays, "last", self.state.last), taken(arrays, "rewards", self.state.rewards)
        waiting = last[(last != NOTHING).any(axis=1)]
        for name, kept in (("last", waiting), ("moves", recorded)):
            for column, end in enumerate(entries.values.shape):
                require(name, kept[:, column], 0, end)
        require_positions("moves", recorded[:, 3:], self._game)
        moves = np.zeros((max(2 * len(recorded), _FIRST_MOVES), recorded.shape[1]), np.int64)
        moves[: len(recorded)] = recorded
        self.state = self.state._replace(
            entries=entries, last=last, rewards=rewards, moves=moves, recorded=np.array([len(recorded)])
        )


def packed(entries: Entries) -> Arrays:
    """The positions that the tables hold, one table after the other, without the empty ones of an index."""
    if entries.by == HASHED:
        used = [np.arange(filled) for filled in entries.filled]
        rows = np.concatenate([rows[: len(own)] for rows, own in zip(entries.rows, used, strict=True)])
    else:
        used = [np.flatnonzero(visits.any(axis=1)) for visits in entries.visits]
        rows = np.concatenate(used)[:, None]
    return {
        "table.sizes": np.array([len(own) for own in used]),
        "table.rows": rows,
        "table.values": np.concatenate([values[own] for values, own in zip(entries.values, used, strict=True)]),
        "table.visits": np.concatenate([visits[own] for visits, own in zip(entries.visits, used, strict=True)]),
    }


def unpacked(game: Any, empty: Entries, arrays: Arrays) -> Entries:
    """The tables that `packed` gave as arrays; LudusError for arrays of anything else."""
    (sizes, *columns), entries = _kept(empty, arrays), empty
    while entries.by == HASHED and entries.room < max(sizes):
        entries = grown(game, entries)
    end = np.cumsum(sizes)
    for table, size in enumerate(sizes.tolist()):
        rows, values, visits = (column[end[table] - size : end[table]] for column in columns)
        places = np.arange(size) if entries.by == HASHED else rows[:, 0]
        if entries.by == HASHED:
            entries.rows[table, :size], entries.filled[table] = rows, size
        entries.values[table, places], entries.visits[table, places] = values, visits
    if entries.by == HASHED:
        rehash(entries)
    return entries


def _kept(empty: Entries, arrays: Arrays) -> list[npt.NDArray[Any]]:
    """The sizes, rows, values and visits of tables; LudusError if they do not fit the empty tables or each other."""
    likes = {
        "table.sizes": empty.filled,
        "table.rows": empty.rows[0] if empty.by == HASHED else np.zeros((0, 1), np.int64),
        "table.values": empty.values[0],
        "table.visits": empty.visits[0],
    }
    kept = [taken(arrays, name, like, grows=like.ndim > 1) for name, like in likes.items()]
    require("table.sizes", kept[0], 0, len(kept[1]) + 1)
    if any(len(array) != kept[0].sum() for array in kept[1:]):
        raise LudusError(f"the arrays of its tables have not {kept[0].sum()} rows each, as table.sizes says")
    if empty.by != HASHED:
        require("table.rows", kept[1], 0, empty.room)
    return kept


def initialised(game: Any, empty: Entries, parameters: Arrays) -> Entries:
    """Tables that hold the parameters of one learner, for each learner alike."""
    learners = len(empty.values) // max(1, len(parameters["table.sizes"]))
    return unpacked(game, empty, {name: np.concatenate([array] * learners) for name, array in parameters.items()})
