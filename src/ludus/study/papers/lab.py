"""Where a paper is run again: how much is done, with which seeds, and what the paper itself tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from ludus.report.parts import DIFFERS, NOTHING_TOLD, UNSURE, Result
from ludus.study.papers.numbers import Move, Number, moves, number
from ludus.study.papers.verdict import mean, verdict

T = TypeVar("T")

TINY, QUICK, FULL = SCALES = ("tiny", "quick", "full")  # tiny proves that all works, and nothing else


class Lab(NamedTuple):
    """The name of the paper, one of SCALES, and the seeds."""

    paper: str
    scale: str
    seeds: range

    @property
    def command(self) -> str:
        """What does all of it again."""
        return f"ludus paper {self.paper} --scale {self.scale} --seeds {len(self.seeds)}"

    def pick(self, full: T, quick: T, tiny: T) -> T:
        """What is meant for this scale."""
        return {FULL: full, QUICK: quick, TINY: tiny}[self.scale]

    def number(self, key: str) -> Number:
        """What the paper tells, from the one file that holds it."""
        return number(self.paper, key)

    def moves(self, key: str) -> tuple[Move, ...]:
        """A game that the paper lists, from the same file."""
        return moves(self.paper, key)

    def result(
        self,
        what: str,
        key: str | None,
        values: Sequence[float],
        why: str = "",
        unit: str = "share",
        *,
        whole: bool = False,
        tested: int | None = None,
    ) -> Result:
        """Our values, one for each seed, beside the paper's number of this key, None where it tells none.

        why: the reason, if they differ. At a smaller scale than the paper's, that is said first; whole: whether this is
        done at the paper's own size at this scale, too; tested: the games in which each of our shares was found.
        """
        if key is None:
            return Result(what, "", "", mean(values).shown(unit), len(values), NOTHING_TOLD)
        told = self.number(key)
        found = verdict(told, values, tested)
        smaller = "" if whole or self.scale == FULL else "done on a smaller scale than the paper's."
        differs = f"{smaller} {why}".strip() or "why is not known"
        reason = {DIFFERS: differs, UNSURE: "the seeds are too few, or too unlike, to tell"}.get(found, "")
        return Result(what, str(told), told.source, mean(values).shown(told.unit), len(values), found, reason)
