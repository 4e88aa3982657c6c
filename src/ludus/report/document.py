"""The parts of a report as plain values, from which pages, pictures and tables are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PROVED, REFUTED, SUPPORTED, OPEN = VERDICTS = ("proved", "refuted", "supported", "open")
AGREES, DIFFERS, UNSURE, NOT_REPORTED = "agrees", "differs", "unsure", ""
NEEDS_FULL = "needs full scale"  # of what cannot be judged at a smaller one


class Series(NamedTuple):
    """A curve, with a remark on each point, shown where the pointer is, and crosses for some points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()  # of the band, empty for none
    high: Sequence[float] = ()
    notes: Sequence[str] = ()
    crossed: Sequence[bool] = ()
    colour: int | None = None  # in the palette, None for its place in the figure


class Level(NamedTuple):
    """A horizontal line through a whole figure, such as the level of random play."""

    name: str
    y: float


class Curves(NamedTuple):
    """A figure of curves, with the level of random play and others; the horizontal axis may be logarithmic."""

    key: str  # its name among the files
    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    random: Level | None
    levels: Sequence[Level] = ()
    caption: str = ""
    percent: bool = True  # whether heights are shares
    log: bool = False
    leftwards: bool = False  # whether the horizontal axis grows to the left

    def _repr_svg_(self) -> str:
        from ludus.report.svg_figures import draw

        return draw(self)


class Bars(NamedTuple):
    """A figure of bars in groups: heights[i][j] is that of series i in group j; low and high bound its interval."""

    key: str
    title: str
    y_title: str
    groups: Sequence[str]
    series: Sequence[str]
    heights: Sequence[Sequence[float]]
    low: Sequence[Sequence[float]] = ()
    high: Sequence[Sequence[float]] = ()
    random: Level | None = None
    caption: str = ""
    percent: bool = True
    stacked: bool = False  # whether the series of a group stand upon each other

    def _repr_svg_(self) -> str:
        from ludus.report.svg_figures import draw

        return draw(self)


class HeatMap(NamedTuple):
    """A figure of coloured cells: numbers[i][j] is that of row i and column j, None for an empty cell."""

    key: str
    title: str
    x_title: str
    y_title: str
    columns: Sequence[str]
    rows: Sequence[str]
    numbers: Sequence[Sequence[float | None]]
    words: Sequence[Sequence[str]] = ()  # in the cells, empty for the numbers
    scale: str = "Viridis"  # as Plotly names it
    most: float | None = None  # the number at its upper end, None for the highest; 0 is at the lower
    percent: bool = False
    caption: str = ""


Figure = Curves | Bars | HeatMap


def format_cell(cell: str | int | float) -> str:
    """A cell of a table as text."""
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.4g}"


class Table(NamedTuple):
    """Rows of words and numbers, also written as CSV under its key."""

    key: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    caption: str = ""


class Board(NamedTuple):
    """A position as its game draws it, with words below."""

    svg: str
    words: str


class Boards(NamedTuple):
    """Positions in a row; key: the name of their files."""

    key: str
    title: str
    boards: Sequence[Board]
    caption: str = ""


class Words(NamedTuple):
    """A paragraph; `code` stands in backquotes."""

    text: str


class Listing(NamedTuple):
    """Text as it is printed, kept as a file of this name; shown: the number of lines on the page."""

    file: str
    title: str
    text: str
    shown: int = 40


class Result(NamedTuple):
    """The paper's number and where it is, empty for none, beside our mean with its interval, as they are shown."""

    what: str
    paper: str
    source: str
    ours: str
    seeds: int
    verdict: str  # AGREES, DIFFERS, UNSURE, NEEDS_FULL or NOT_REPORTED
    why: str = ""  # for the middle three
    unit: str = "share"
    values: Sequence[float] = ()  # ours, by seed


class Results(NamedTuple):
    """The table of results of an experiment, also written as CSV under its key."""

    key: str
    results: Sequence[Result]


Part = Curves | Bars | Table | Boards | Words | Listing | Results


class Section(NamedTuple):
    """An experiment: what the paper did, what Ludus found, and what of the paper it answers."""

    key: str
    title: str
    did: str
    parts: Sequence[Part]
    answers: str = ""


class Claimed(NamedTuple):
    """A claim with its verdict (one of VERDICTS), the evidence, the command that shows it, and what would settle it."""

    claim: str
    verdict: str
    evidence: str
    command: str
    settled_by: str = ""


class Best(NamedTuple):
    """The best agent known: what it is, its cost and its grade, in words, the command, and its figures."""

    agent: str
    cost: str
    grade: str
    command: str
    parts: Sequence[Part]
    short: bool = False  # whether it was trained for less than it takes, so that the grade is not final

    @property
    def title(self) -> str:
        """The heading of its section."""
        return "What would have worked" + (": a short training of it" if self.short else "")


class NotCovered(NamedTuple):
    """Something that a paper says or does and that is not repeated, and why not."""

    what: str
    why: str


class Findings(NamedTuple):
    """What a paper's run found, in two or three sentences, and what to do next; `code` stands in backquotes."""

    sentences: Sequence[str] = ()
    next: str = ""


class Made(NamedTuple):
    """How a report was made: facts such as the scale, seeds, versions and the machine."""

    facts: Sequence[tuple[str, str]]
    trainings: Table
    commands: Sequence[str]
    config: Table | None = None  # the paper's learner and its training, setting by setting


class Document(NamedTuple):
    """The report of a paper; headline: the key of the figure that represents it."""

    name: str
    title: str
    authors: str
    about: str
    board: str
    sections: Sequence[Section]
    claims: Sequence[Claimed]
    best: Best | None
    made: Made
    headline: str = ""
    findings: Findings = Findings()
    not_covered: Sequence[NotCovered] = ()

    @property
    def figure(self) -> Curves | Bars | None:
        """The figure that represents it, None for none."""
        parts = [part for section in self.sections for part in section.parts]
        return next((part for part in parts if isinstance(part, Curves | Bars) and part.key == self.headline), None)

    @property
    def results(self) -> list[Result]:
        """The results of all experiments."""
        parts = [part for section in self.sections for part in section.parts]
        return [result for part in parts if isinstance(part, Results) for result in part.results]
