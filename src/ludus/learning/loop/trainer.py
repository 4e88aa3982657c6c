"""A learner at work on one game: what the training asks of every kind."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import draw_action, may_resign, probabilities, resigns
from ludus.agents.simple import Random
from ludus.agents.tabular import HASHED, Entries, grown, met, rehash
from ludus.compiled.rows import unpack
from ludus.game import num_actions
from ludus.learning.loop.episodes import (
    ASKING,
    FULL,
    GAME,
    NOTED,
    NOTHING,
    PLAYED,
    PLIES,
    RESIGNED,
    Episode,
    Setting,
    new_episode,
)
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden

Arrays = dict[str, npt.NDArray[Any]]


class Trainer(ABC):
    """A training in progress, which may stop and be saved whenever `learn` returns."""

    def __init__(self, game: Any, config: Any) -> None:
        self.game, self.config = game, config
        self.forbidden = forbidden(game, Bans(()))

    @property
    @abstractmethod
    def games(self) -> int:
        """The games played so far."""

    @property
    @abstractmethod
    def plies(self) -> int:
        """The plies played so far."""

    @property
    @abstractmethod
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player: WINS, DRAWS, LOSSES, CUT."""

    @abstractmethod
    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn up to game `until`, or for some time; whether it was that far."""

    def change(self, config: Any) -> None:
        """Go on with other settings, which differ in what the config calls changeable."""
        self.config = config

    @abstractmethod
    def init_from(self, parameters: Arrays) -> None:
        """Know before the first game what another learner of this kind has learned; so does a twin."""

    @abstractmethod
    def parameters(self) -> Arrays:
        """What it has learned so far: what its config's `agent(game, parameters)` needs."""

    @abstractmethod
    def metrics(self) -> dict[str, Any]:
        """What it can tell of itself when it is measured, as JSON."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """All that is needed to go on from here."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Go on from what `arrays` gave."""


_PLIES = 1 << 19  # played before an interrupt is heard and progress is shown

_PATIENCE = 0.5  # seconds in which an opponent in plain Python is asked until then


class EpisodeTrainer(Trainer):
    """Where the training stands is in `lesson`; what was learned, and how, is the business of each kind."""

    def __init__(self, game: Any, config: Any) -> None:
        super().__init__(game, config)
        self.episode = new_episode(game)
        self._out, self._row = np.zeros(num_actions(game)), np.zeros(len(game.start()), np.int64)

    @abstractmethod
    def go_on(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int = NOTHING) -> int:
        """Play and learn for about so many plies; why it stopped.

        `answer`: what an opponent who was asked does, an action or RESIGNED.
        """

    @property
    def games(self) -> int:
        """The games played so far."""
        return int(self.episode.counters[GAME])

    @property
    def plies(self) -> int:
        """The plies played so far."""
        return int(self.episode.counters[PLIES])

    @property
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player."""
        return self.episode.results

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
        pos = unpack(self.game.start(), self.episode.row)
        shares, mask = probabilities(opponent, self.game, pos), self.game.legal(pos)
        if may_resign(opponent) and resigns(shares, mask):
            return RESIGNED
        return draw_action(shares, mask, self.episode.stream)

    def arrays(self) -> Arrays:
        """Where the training stands; what was learned, each kind adds."""
        return {f"episode.{name}": array for name, array in self.episode._asdict().items()}

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self.episode = Episode(*(np.array(arrays[f"episode.{name}"]) for name in Episode._fields))


_FIRST_MOVES = 256  # of one game that there is room for at first


class TableTrainer(EpisodeTrainer):
    """All that it knows is in `entries`, `lesson` and, of the game being played, `moves`.

    A move is a table, a position's number there, an action, and the fields of the position.
    """

    def __init__(self, game: Any, config: Any, entries: Entries) -> None:
        super().__init__(game, config)
        self.entries = entries
        self.moves = np.zeros((_FIRST_MOVES, 3 + len(game.start())), np.int64)

    @abstractmethod
    def _learn(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int) -> int:
        """Go on; why it stopped."""

    def init_from(self, parameters: Arrays) -> None:
        """Know the tables of another, and how often each was taught."""
        learners = len(self.entries.values) // len(parameters["table.sizes"])
        tables = {name: np.concatenate([array] * learners) for name, array in parameters.items()}
        self.entries = unpacked(self.game, self.entries, tables)

    def metrics(self) -> dict[str, Any]:
        """How many positions each table has met."""
        return {"visited": met(self.entries)}

    def go_on(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int = NOTHING) -> int:
        """Play and learn for about so many plies; why it stopped, never for want of room."""
        while (stopped := self._learn(opponent, setting, until, plies, answer)) == FULL:
            self._make_room()
            answer = NOTHING  # what was answered is played by now
        return stopped

    def _make_room(self) -> None:
        if self.episode.counters[NOTED] == len(self.moves):
            self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)])
        else:
            self.entries = grown(self.game, self.entries)

    def arrays(self) -> Arrays:
        """The tables, the episode, and the moves of this game."""
        return {**packed(self.entries), **super().arrays(), "moves": self.moves[: self.episode.counters[NOTED]]}

    def restore(self, arrays: Arrays) -> None:
        """Go on from these."""
        super().restore(arrays)
        self.entries = unpacked(self.game, self.entries, arrays)
        noted = arrays["moves"]
        self.moves = np.zeros((max(2 * len(noted), _FIRST_MOVES), noted.shape[1]), np.int64)
        self.moves[: len(noted)] = noted


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
    """Tables that hold what such arrays say."""
    sizes, entries = arrays["table.sizes"], empty
    while entries.by == HASHED and entries.room < max(sizes):
        entries = grown(game, entries)
    begin = 0
    for table, size in enumerate(sizes.tolist()):
        part = slice(begin, begin + size)
        rows = arrays["table.rows"][part]
        places = np.arange(size) if entries.by == HASHED else rows[:, 0]
        if entries.by == HASHED:
            entries.rows[table, :size], entries.filled[table] = rows, size
        entries.values[table, places] = arrays["table.values"][part]
        entries.visits[table, places] = arrays["table.visits"][part]
        begin += size
    if entries.by == HASHED:
        rehash(entries)
    return entries
