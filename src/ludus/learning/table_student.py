"""A learner at work with a table: what all of those do alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ludus.agents.entries import HASHED, Entries, grown, met, rehash
from ludus.learning.lesson import FULL, NOTED, NOTHING, Setting
from ludus.learning.lesson_student import LessonStudent
from ludus.learning.student import Arrays

_FIRST_MOVES = 256  # of one game that there is room for at first


class TableStudent(LessonStudent):
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

    def begin(self, knowledge: Arrays) -> None:
        """Know the tables of another, and how often each was taught."""
        learners = len(self.entries.values) // len(knowledge["table.sizes"])
        tables = {name: np.concatenate([array] * learners) for name, array in knowledge.items()}
        self.entries = unpacked(self.game, self.entries, tables)

    def measures(self) -> dict[str, Any]:
        """How many positions each table has met."""
        return {"met": met(self.entries)}

    def go_on(self, opponent: Any, setting: Setting, until: int, plies: int, answer: int = NOTHING) -> int:
        """Play and learn for about so many plies; why it stopped, never for want of room."""
        while (stopped := self._learn(opponent, setting, until, plies, answer)) == FULL:
            self._make_room()
            answer = NOTHING  # what was answered is played by now
        return stopped

    def _make_room(self) -> None:
        if self.lesson.counters[NOTED] == len(self.moves):
            self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)])
        else:
            self.entries = grown(self.game, self.entries)

    def arrays(self) -> Arrays:
        """The tables, the lesson, and the moves of this game."""
        return {**packed(self.entries), **super().arrays(), "moves": self.moves[: self.lesson.counters[NOTED]]}

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
