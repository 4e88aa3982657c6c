"""Papers: experiments run again, claims judged, and the best agent for the game; `ludus.papers` offers them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from ludus import catalog
from ludus.errors import LudusError
from ludus.report.document import DIFFERS, NEEDS_FULL, NOT_REPORTED, UNSURE, Best, Findings, NotCovered, Part, Result
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import (
    ROUNDS,
    Move,
    Number,
    error_of_runs,
    mean,
    read_numbers,
    seeds_needed,
    share_as_far,
    verdict,
    written,
)

GROUP = "ludus.papers"  # of entry points: name = "module:PAPER"
TINY, QUICK, FULL = SCALES = ("tiny", "quick", "full")  # tiny only proves that everything runs
T = TypeVar("T")
Work = Callable[["Lab"], Working[Sequence[Part]]]


class Experiment(NamedTuple):
    """An experiment: a short key, such as 1; what the paper did, in a sentence; and how to repeat it.

    work: a function of a lab, or several, whose parts stand one after another; seeds are added to each of them until
    its own results are decided. answers: which sentences, figures and tables of the paper it answers.
    """

    key: str
    title: str
    did: str
    work: Work | Sequence[Work]
    answers: str = ""

    @property
    def works(self) -> Sequence[Work]:
        """The functions of a lab."""
        return [self.work] if callable(self.work) else self.work


class Claim(NamedTuple):
    """A claim of a paper, in its own sense, and how to judge it."""

    text: str
    judge: Callable[[Lab], Working[Judged]]


class Judged(NamedTuple):
    """The verdict on a claim, PROVED, REFUTED, SUPPORTED or OPEN; the evidence in words; the command to see it.

    settled_by: what would settle a claim that is open.
    """

    verdict: str
    evidence: str
    command: str
    settled_by: str = ""


def no_findings(lab: Lab) -> Working[Findings]:
    """Nothing in short, of a paper that does not say."""
    yield {}
    return Findings()


def no_best(lab: Lab) -> Working[None]:
    """No best agent, of a paper that does not look for one."""
    yield {}


_SEEDS = MappingProxyType({FULL: 5, QUICK: 2, TINY: 1})


class Paper(NamedTuple):
    """A paper, by the name under which it is run again; about: a paragraph on what it did, and what is true.

    headline: the key of the figure that stands for all, accuracy over training; numbers: the TOML file of what the
    paper reports; preset, settings: those of its learner in its first training, beside its defaults; findings: what was
    found, in sentences made from results of the tasks that its experiments and claims ask for; not_covered: what of the
    paper is not repeated; file: where it is written, if it is not installed.
    """

    name: str
    title: str
    authors: str
    game: str
    learner: str
    about: str
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...] = ()
    best: Callable[[Lab], Working[Best | None]] = no_best
    seeds: Mapping[str, int] = _SEEDS
    headline: str = ""
    numbers: Path | None = None
    preset: str | None = None
    settings: Mapping[str, str] = MappingProxyType({})
    findings: Callable[[Lab], Working[Findings]] = no_findings
    not_covered: tuple[NotCovered, ...] = ()
    file: str = ""

    def lab(self, scale: str, seeds: int | None = None) -> Lab:
        """The paper at one of SCALES with so many seeds, else as many as it says, at full scale more until decided."""
        first = seeds or self.seeds[scale]
        factors = ROUNDS if scale == FULL and seeds is None else ROUNDS[:1]
        return Lab(self.file or self.name, scale, range(first), self.numbers, tuple(first * each for each in factors))

    def only(self, key: str) -> Paper:
        """One experiment of it, and nothing else; LudusError lists the experiments."""
        chosen = tuple(one for one in self.experiments if one.key == key)
        if not chosen:
            known = "; ".join(f"{one.key} ({one.title})" for one in self.experiments)
            raise LudusError(f"{self.name} has no experiment {key!r}; there is: {known}")
        return self._replace(experiments=chosen, claims=(), best=no_best, headline="", findings=no_findings)


class Lab(NamedTuple):
    """The paper as it is written in commands, one of SCALES, the seeds, and the file of the paper's numbers.

    rounds: how many seeds there are in each round, the first included; more than one if they are added until decided.
    """

    paper: str
    scale: str
    seeds: range
    numbers: Path | None = None
    rounds: tuple[int, ...] = ()

    @property
    def command(self) -> str:
        """The command that runs everything again."""
        seeds = "" if len(self.rounds) > 1 else f" --seeds {len(self.seeds)}"
        return f"ludus paper {shlex.quote(self.paper)} --scale {self.scale}{seeds}"

    def pick(self, full: T, quick: T, tiny: T) -> T:
        """The one for this scale."""
        return {FULL: full, QUICK: quick, TINY: tiny}[self.scale]

    def number(self, key: str) -> Number:
        """A number that the paper reports; LudusError if its file does not hold it."""
        numbers = read_numbers(self.numbers)
        if key not in numbers:
            raise LudusError(f"{self.numbers or 'no file'} holds no number {key} of {self.paper}")
        return Number(**numbers[key])

    def moves(self, key: str) -> tuple[Move, ...]:
        """A game that the paper lists, from the same file."""
        listed = read_numbers(self.numbers)[key]["moves"]
        return tuple(Move(each["before"], each["after"], tuple(each["q"])) for each in listed)

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
        """Our values, one per seed, beside the paper's number of this key; None if the paper gives none.

        why: the reason, if they differ; whole: whether this is done at the paper's own size at smaller scales, too;
        tested: the games in which each of our shares was counted.
        """
        ours = tuple(map(float, values))
        if key is None:
            return Result(what, "", "", mean(values).shown(unit), len(values), NOT_REPORTED, "", unit, ours)
        reported = self.number(key)
        found = verdict(reported, values, tested)
        if self.scale != FULL and (not whole or found == UNSURE):
            found = NEEDS_FULL
        reason = {
            DIFFERS: f"{why} {_as_far(reported, ours)}".strip() or "the reason is not known",
            UNSURE: _unsure(reported, ours),
            NEEDS_FULL: "smaller than the paper's" if not whole else "more seeds are needed",
        }.get(found, "")
        shown = (
            _as_reported(reported, ours),
            reported.source,
            mean(values).shown(reported.unit),
            len(values),
            found,
            reason,
        )
        return Result(what, *shown, reported.unit, ours)


def _as_reported(number: Number, values: Sequence[float]) -> str:
    """The paper's number, and how far off it may be as that of a single run."""
    if not number.runs or len(values) == 1:
        return str(number)
    off = written(error_of_runs(number, values), number.unit).removesuffix("%")
    return f"{number} (of {'one run' if number.runs == 1 else f'{number.runs} runs'}: ± {off})"


def _unsure(number: Number, values: Sequence[float]) -> str:
    needed = seeds_needed(number, values)
    return f"about {needed:,} seeds would decide" if needed else "at the edge of the margin: no number of seeds decides"


def _as_far(number: Number, values: Sequence[float]) -> str:
    """How likely the paper's number is among our seeds, of which there must be several."""
    if len(values) == 1:
        return ""
    found = share_as_far(number, values)
    return f"Of our seeds {found:.0%} came out as far from their mean." if found else "None of our seeds came near it."


# ---- entry points ----


def paper_names() -> list[str]:
    """The names of all papers that installed packages offer, those of Ludus first."""
    return list(_offered())


def papers() -> dict[str, Paper]:
    """All papers by name; one that cannot be loaded is left out, and says why when it is asked for by name."""
    found = {}
    for name in _offered():
        with suppress(LudusError):
            found[name] = paper(name)
    return found


def paper(name: str) -> Paper:
    """The paper of this name, or in this file; LudusError says which there are, or why it cannot be loaded."""
    offered = _offered()
    if name.endswith(".py"):
        return _in_file(name)
    if name not in offered:
        known = ", ".join([*offered, "all"])
        raise LudusError(f"there is no paper {name!r}; there is: {known}, or give a .py file that holds one")
    entry = offered[name]
    try:
        found = entry.load()
    except (Exception, SystemExit) as error:  # whatever an outside package raises, the user gets one line
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise LudusError(f"the paper {name} ({entry.value}) cannot be imported: {words}") from error
    if not isinstance(found, Paper) or found.name != name:
        raise LudusError(f"{entry.value} is no paper: it must be a ludus.study.paper.Paper whose name is {name}")
    return found


def _in_file(path: str) -> Paper:
    """The paper that a file holds as PAPER."""
    found = vars(catalog.load_file(Path(path))).get("PAPER")
    if not isinstance(found, Paper):
        raise LudusError(f"{path} holds no paper: write PAPER = ludus.study.paper.Paper(...) in it")
    if not re.fullmatch(_NAME, found.name) or found.name in (*_offered(), "all"):
        wanted = "letters a to z, digits and hyphens, and not that of an installed paper"
        raise LudusError(f"{path}: {found.name!r} cannot be the name of its paper: take {wanted}")
    if not found.experiments or len({one.key for one in found.experiments}) < len(found.experiments):
        raise LudusError(f"{path}: {found.name} must have experiments, each with a key of its own")
    return found._replace(file=path)


_NAME = r"[a-z0-9][a-z0-9-]{0,39}"


def _offered() -> dict[str, EntryPoint]:
    """Everything offered, by name; what Ludus offers itself cannot be replaced."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    own = {entry.name: entry for entry in found if entry.dist is not None and entry.dist.name == "ludus"}
    return own | {entry.name: entry for entry in found if entry.name not in own}
