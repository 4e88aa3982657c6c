"""Changing settings of a paper's learner: its tasks so changed, and a report of both side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import Plan
from ludus.learning.presets import configured
from ludus.report.document import (
    Claimed,
    Curves,
    Document,
    Findings,
    Listing,
    Part,
    Result,
    Results,
    Section,
    Series,
    Table,
    Words,
)
from ludus.study.paper import Paper
from ludus.study.paper.tasks import Rounds, Task, each_task, options, rounds, with_needs
from ludus.study.paper.verdict import Mean, difference, mean, written

Changes = Mapping[str, str]
_GIVEN = {"seed": "give --seeds", "init_from": "the paper says what each training is initialised from"}


def parse_changes(written: Sequence[str]) -> dict[str, str]:
    """The settings that are written as name=value; LudusError for anything else."""
    found: dict[str, str] = {}
    for each in written:
        name, equals, value = each.partition("=")
        name = name.strip().replace("-", "_")
        if not (equals and name and value.strip()) or name in found:
            raise LudusError(f"{each!r}: write each setting once, as name=value, such as epsilon=0.5")
        found[name] = value.strip()
    return found


def in_words(changes: Changes) -> str:
    """Changes as a report names them."""
    return ", ".join(f"{name} {value}" for name, value in changes.items())


# ---- tasks ----


def require_known(paper: Paper, changes: Changes, working: Callable[[], Any]) -> None:
    """LudusError for a change that no training of the paper can have; working: makes the paper's working."""
    for name in changes:
        if name in _GIVEN:
            raise LudusError(f"{name} cannot be changed: {_GIVEN[name]}")
    configured(catalog.make_game(paper.game), paper.learner, dict(paper.settings) | dict(changes), paper.preset)
    asked = with_needs(next(rounds(working()), []))
    for name in changes:
        if not any(name in _applied(task, paper, changes) for task in asked):
            raise LudusError(f"{name} cannot be changed here: no training of {paper.name} that is run leaves it open")


def with_changes(asked: Any, paper: Paper, changes: Changes) -> Rounds[Any]:
    """The same rounds, in which all trainings of the paper's own learner have some settings changed."""
    return each_task(asked, partial(_changed, paper=paper, changes=changes))


def _changed(task: Task, paper: Paper, changes: Changes) -> Task:
    needs = tuple(_changed(need, paper, changes) for need in task.needs)
    applied = _applied(task, paper, changes)
    if not applied and needs == task.needs:
        return task
    name, command = f"{task.name}, changed: {in_words(applied or changes)}", f"{task.command} {options(applied)}"
    return task._replace(name=name, command=command.strip(), needs=needs, changes=tuple(sorted(applied.items())))


def _applied(task: Task, paper: Paper, changes: Changes) -> dict[str, str]:
    """The changes that a task takes: none if it trains another learner than the paper's, or trains nothing."""
    trains = task.trains
    if trains is None or (trains.learner, trains.preset) != (paper.learner, paper.preset):
        return {}
    fixed = {*trains.keeps, *(Plan._fields if trains.plan is None else ())}
    found = {name: value for name, value in changes.items() if name not in fixed}
    if "games" in found and "eval_every" not in found and "eval_every" in (trains.plan or {}):
        found["eval_every"] = _scaled(trains.plan or {}, found["games"])
    return found


def _scaled(plan: Mapping[str, str], games: str) -> str:
    """The interval between evaluations that leaves their number as it is."""
    return str(max(1, round(int(plan["eval_every"]) * int(games) / int(plan["games"]))))


# ---- reports ----


def side_by_side(original: Document, varied: Document, words: str) -> Document:
    """One document of both: results in one table with their differences, curves in one figure, other parts twice."""
    pairs = list(zip(original.sections, varied.sections, strict=True))
    sections = [one._replace(parts=list(_parts(one, other, words))) for one, other in pairs]
    compared = [row for one, other in pairs for row in _rows(one, other)]
    return original._replace(
        title=f"{original.title}, with {words}",
        sections=sections,
        claims=list(_claims(original.claims, varied.claims, words)),
        best=None,
        findings=_findings(compared, words),
    )


def _findings(rows: Sequence[Sequence[Any]], words: str) -> Findings:
    if not rows:
        return Findings([f"With {words}: the report shows both, but with one seed no difference can be judged."])
    moved = [row for row in rows if row[-1]]
    first = f"With {words}, {len(moved)} of {len(rows)} results differ beyond the 95 % interval of their difference."
    most = [f"{row[0]}: {row[1]} becomes {row[2]} (difference {row[3]})." for row in moved[:2]]
    return Findings([first, *most])


def _parts(one: Section, other: Section, words: str) -> Iterator[Part]:
    for part, varied in zip_longest(one.parts, other.parts):
        if part is None or varied is None or part == varied:
            yield part if part is not None else varied
        elif isinstance(part, Results) and isinstance(varied, Results):
            yield _compared(part, varied, words)
        elif isinstance(part, Curves) and isinstance(varied, Curves):
            yield _merged(part, varied, words)
        else:
            yield part
            yield _retitled(varied, words)


def _retitled(part: Part, words: str) -> Part:
    if isinstance(part, Words):
        return Words(f"With {words}: {part.text}")
    title = f"{part.title}, with {words}"  # type: ignore[union-attr]
    if isinstance(part, Listing):
        return part._replace(title=title, file=f"changed-{part.file}")
    return part._replace(title=title, key=f"{part.key}-changed")  # type: ignore[call-arg]


def _merged(part: Curves, varied: Curves, words: str) -> Curves:
    """Both in one figure; a curve that is the same in both is drawn once."""
    others = [curve._replace(name=f"{curve.name}, {words}", colour=None) for curve in varied.series]
    same = [place for place, curve in enumerate(varied.series) if curve in list(part.series)]
    added: list[Series] = [curve for place, curve in enumerate(others) if place not in same]
    return part._replace(series=[*part.series, *added])


def _compared(part: Results, varied: Results, words: str) -> Table:
    heads = "", "paper", "as in the paper", f"with {words}", "difference"
    rows = [
        (one.what, one.paper or "-", one.ours, other.ours, _shown(one, other))
        for one, other in _pairs(part.results, varied.results)
    ]
    caption = "The difference of the means over the same seeds, with its 95 % interval by Student's t."
    return Table(part.key, "The paper's numbers, ours, and those with the change", heads, rows, caption)


def _pairs(one: Sequence[Result], other: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    varied = {each.what: each for each in other}
    return ((each, varied[each.what]) for each in one if each.what in varied)


def _difference(one: Result, other: Result) -> Mean | None:
    """The difference; None where values are not of the same seeds."""
    if len(one.values) != len(other.values) or not one.values:
        return None
    return difference(other.values, one.values)


def _shown(one: Result, other: Result) -> str:
    found = _difference(one, other)
    if found is None:
        return "-"
    if one.values == other.values:
        return "none"
    if one.unit == "share" and found.seeds > 1:
        return found.gained()
    sign = "+" if found.mean >= 0 else ""
    half = f" ± {written(found.half, one.unit).removesuffix('%')}" if found.seeds > 1 else ""
    return f"{sign}{written(found.mean, one.unit)}{half}"


def _rows(one: Section, other: Section) -> Iterator[tuple[str, str, str, str, bool]]:
    """Results of several seeds, both as shown, and whether they surely differ."""
    for part, varied in zip(one.parts, other.parts, strict=False):
        if isinstance(part, Results) and isinstance(varied, Results):
            for first, second in _pairs(part.results, varied.results):
                found = _difference(first, second)
                if found is not None and found.seeds > 1:
                    yield first.what, _mean(first), _mean(second), _shown(first, second), abs(found.mean) > found.half


def _mean(result: Result) -> str:
    return written(mean(result.values).mean, result.unit)


def _claims(original: Sequence[Claimed], varied: Sequence[Claimed], words: str) -> Iterator[Claimed]:
    for one, other in zip(original, varied, strict=True):
        yield one
        if (one.verdict, one.evidence) != (other.verdict, other.evidence):
            yield other._replace(claim=f"The same, with {words}")
