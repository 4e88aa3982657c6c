"""What a paper is here: its experiments, its claims, and the best agent there is for its game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ludus.report.parts import Best, Claimed, Part
from ludus.study.papers.working import Working

if TYPE_CHECKING:
    from ludus.study.papers.lab import Lab


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
