"""The parts of a report as plain values, from which pages, pictures and tables are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

PROVED, REFUTED, SUPPORTED, OPEN = VERDICTS = ("proved", "refuted", "supported", "open")
AGREES, DIFFERS, UNSURE, NOT_REPORTED = "agrees", "differs", "unsure", ""


class Series(NamedTuple):
    """A curve; low and high bound its band, empty for none.

    notes: a remark on each point, shown where the pointer is; crossed: whether each point is drawn as a cross;
    colour: its number in the palette, None for its place in the figure.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    notes: Sequence[str] = ()
    crossed: Sequence[bool] = ()
    colour: int | None = None


class Level(NamedTuple):
    """A horizontal line through a whole figure, such as the level of random play."""

    name: str
    y: float


class Curves(NamedTuple):
    """A figure of curves; key: its name among the files; random: the level of random play, None if there is none.

    levels: all other heights; percent: whether heights are shares; log: whether the horizontal axis is logarithmic;
    leftwards: whether it grows to the left.
    """

    key: str
    title: str
    x_title: str
    y_title: str
    series: Sequence[Series]
    random: Level | None
    levels: Sequence[Level] = ()
    caption: str = ""
    percent: bool = True
    log: bool = False
    leftwards: bool = False

    def _repr_svg_(self) -> str:
        from ludus.report.svg_figures import draw

        return draw(self)


class Bars(NamedTuple):
    """A figure of bars in groups: heights[i][j] is that of series i in group j; low and high bound its interval.

    stacked: whether the series of a group stand upon each other.
    """

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
    stacked: bool = False

    def _repr_svg_(self) -> str:
        from ludus.report.svg_figures import draw

        return draw(self)


class HeatMap(NamedTuple):
    """A figure of coloured cells: numbers[i][j] is that of row i and column j, None for an empty cell.

    words: the text in each cell, empty for the numbers; scale: the name of a colour scale of Plotly; most: the number
    at its upper end (0 is at the lower), None for the highest of all.
    """

    key: str
    title: str
    x_title: str
    y_title: str
    columns: Sequence[str]
    rows: Sequence[str]
    numbers: Sequence[Sequence[float | None]]
    words: Sequence[Sequence[str]] = ()
    scale: str = "Viridis"
    most: float | None = None
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
    """The paper's number beside ours, all as they are shown.

    paper, source: its number and where it is, empty for none; ours: our mean with its interval; seeds: how many;
    verdict: AGREES, DIFFERS, UNSURE or NOT_REPORTED; why: the reason for the middle two.
    """

    what: str
    paper: str
    source: str
    ours: str
    seeds: int
    verdict: str
    why: str = ""


class Results(NamedTuple):
    """The table of results of an experiment, also written as CSV under its key."""

    key: str
    results: Sequence[Result]


Part = Curves | Bars | Table | Boards | Words | Listing | Results


class Section(NamedTuple):
    """An experiment: what the paper did, and what Ludus found."""

    key: str
    title: str
    did: str
    parts: Sequence[Part]


class Claimed(NamedTuple):
    """A claim with its verdict (one of VERDICTS), the evidence, and the command that shows it."""

    claim: str
    verdict: str
    evidence: str
    command: str


class Best(NamedTuple):
    """The best agent known: what it is, its cost and its grade, in words, the command, and its figures.

    short: whether it was trained for less than it takes, so that the grade is not final.
    """

    agent: str
    cost: str
    grade: str
    command: str
    parts: Sequence[Part]
    short: bool = False

    @property
    def title(self) -> str:
        """The heading of its section."""
        return "What would have worked" + (": a short training of it" if self.short else "")


class Made(NamedTuple):
    """How a report was made: facts such as the scale, seeds, versions and the machine.

    config: the paper's learner and its training, setting by setting.
    """

    facts: Sequence[tuple[str, str]]
    trainings: Table
    commands: Sequence[str]
    config: Table | None = None


class Document(NamedTuple):
    """The report of a paper; headline: the key of the figure that represents it."""

    name: str
    title: str
    authors: str
    about: str
    board: str
    sections: Sequence[Section]
    claims: Sequence[Claimed]
    best: Best
    made: Made
    headline: str = ""

    @property
    def results(self) -> list[Result]:
        """The results of all experiments."""
        parts = [part for section in self.sections for part in section.parts]
        return [result for part in parts if isinstance(part, Results) for result in part.results]
