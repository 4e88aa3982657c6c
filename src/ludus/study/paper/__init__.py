"""What a paper is here: its experiments, its claims, and the best agent there is for its game."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from ludus.errors import LudusError
from ludus.report.document import DIFFERS, NOTHING_TOLD, UNSURE, Best, Claimed, Part, Result
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import Move, Number, mean, moves, number, verdict


class Experiment(NamedTuple):
    """An experiment: a short key, such as 1; what the paper did, in a sentence; and how to do it again."""

    key: str
    title: str
    did: str
    work: Callable[[Lab], Working[Sequence[Part]]]


class Claim(NamedTuple):
    """What a paper says, in its own sense, and how to judge it."""

    text: str
    judge: Callable[[Lab], Working[Judged]]


class Judged(NamedTuple):
    """What became of a claim: PROVED, REFUTED, SUPPORTED or OPEN, the evidence in words, and the command to see it."""

    verdict: str
    evidence: str
    command: str

    def of(self, claim: Claim) -> Claimed:
        """The claim with this."""
        return Claimed(claim.text, self.verdict, self.evidence, self.command)


class Paper(NamedTuple):
    """A paper, by the name under which it is run again; about: a paragraph on what it did, and what is true.

    headline: the key of the figure that stands for all, of right decisions over training; preset, settings: those of
    its learner in its first training, beside its defaults.
    """

    name: str
    title: str
    authors: str
    game: str
    learner: str
    about: str
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]
    best: Callable[[Lab], Working[Best]]
    seeds: dict[str, int]
    headline: str
    preset: str | None = None
    settings: Mapping[str, str] = MappingProxyType({})


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


NAMES = ("toads-and-frogs", "tapnswap", "mancala", "fox-and-hounds", "chung-toi")


def paper(name: str) -> Paper:
    """The paper of this name; LudusError says which there are."""
    if name not in NAMES:
        raise LudusError(f"there is no paper {name!r}; there is: {', '.join(NAMES)}, or all")
    found: Paper = importlib.import_module(f"ludus_papers.{name.replace('-', '_')}").PAPER
    return found
