"""Canonical forms from the command line: of a position, its moves and its parts; of starts; of families."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console, Group
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ludus import catalog, face
from ludus.cgt.forms import CanonicalForm
from ludus.cgt.names import name
from ludus.cgt.positions import Progress, Valuer
from ludus.cgt.sums import read
from ludus.cgt.thermographs import thermograph
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import num_parts, part, with_mover
from ludus.strips import starts

OUTCOMES = {
    "P": "whoever moves first loses",
    "N": "whoever moves first wins",
    "L": "{0} win, whoever moves first",
    "R": "{1} win, whoever moves first",
}
SHORT = 40  # letters of a form in a table


class Valued(NamedTuple):
    """A position with its canonical form, what each move leads to, and the parts that it is the sum of."""

    game: Any
    pos: Any
    form: CanonicalForm
    options: tuple[list[tuple[str, CanonicalForm]], ...]
    parts: list[tuple[str, CanonicalForm]]


def position_called(words: str, game: str | None) -> tuple[Any, Any]:
    """The position that words describe, and its game: the one given, or the first whose notation they are."""
    if game is not None:
        return read(catalog.make_game(game), words)
    for cls in catalog.games().values():
        try:
            return read(cls(), words)
        except (LudusError, TypeError):
            continue
    raise LudusError(f"no game reads {words!r} as a position; say which one with --game")


def work_out(game: Any, pos: Any, console: Console, memory: int | None = None) -> Valued:
    """Find the canonical form of a position, of all options and of all parts."""
    with console.status("listing") as status:
        valuer = Valuer(game, progress=_told(status), memory=memory)
        form = valuer.form(pos)
        options = tuple(_options(valuer, with_mover(game, pos, player)) for player in (0, 1))
        numbers = range(num_parts(game, pos))
        parts = [(_part_name(game, pos, number), valuer.form(part(game, pos, number))) for number in numbers]
    return Valued(game, pos, form, options, parts)


def _told(status: Status) -> Progress:
    return lambda stage, done: status.update(f"{stage}: {done:,} positions")


def _options(valuer: Valuer, pos: Any) -> list[tuple[str, CanonicalForm]]:
    game = valuer.game
    return [(named, valuer.form(game.play(pos, action))) for action, named in face.menu(game, pos)]


def _part_name(game: Any, pos: Any, number: int) -> str:
    own = getattr(game, "part_name", None)
    return str(own(pos, number)) if own else face.format_position(game, part(game, pos, number))


def as_number(number: Fraction) -> int | float:
    """A dyadic number for JSON, which holds it exactly."""
    return int(number) if number.denominator == 1 else float(number)


def form_as_json(form: CanonicalForm) -> dict[str, Any]:
    """What there is to say of a form."""
    left, right = form.stops
    return {
        "value": name(form),
        "outcome": form.outcome,
        "mean": as_number(form.mean),
        "temperature": as_number(form.temperature),
        "stops": [as_number(left), as_number(right)],
        "birthday": form.birthday,
        "stop_count": form.stop_count,
    }


def as_json(valued: Valued) -> dict[str, Any]:
    """A position with all that was found."""
    game, pos = valued.game, valued.pos
    players = face.players(game)
    return {
        "game": catalog.name_of(game),
        "position": face.format_position(game, pos),
        **form_as_json(valued.form),
        "options": {
            players[side]: [{"action": action, "value": name(form)} for action, form in valued.options[side]]
            for side in (0, 1)
        },
        "parts": [{"part": named, "value": name(form)} for named, form in valued.parts],
        "notes": [note.words for note in face.notes(game, pos)],
    }


def as_text(valued: Valued, *, options: bool, explain: bool) -> Group:
    """The form, what it means, and, if wanted, why it is so and what each move leads to."""
    form, shown = valued.form, [Text(name(valued.form), style="bold")]
    if explain:
        shown += _explained(valued)
    if options or explain:
        players = face.players(valued.game)
        outcome = OUTCOMES[form.outcome].format(*players)
        facts = f"mean {form.mean}, temperature {form.temperature}, birthday {form.birthday}"
        shown.append(Text(f"{outcome}; {facts}", style="dim"))
    return Group(*shown, *([_options_table(valued)] if options else []))


def _explained(valued: Valued) -> list[Text]:
    """What the game points out, and the sum of the parts."""
    lines = [Text(note.words) for note in face.notes(valued.game, valued.pos)]
    if len(valued.parts) > 1:
        lines += [Text(f"{named} = {name(form, SHORT)}") for named, form in valued.parts]
        terms = " + ".join(name(form, SHORT) for _, form in valued.parts)
        lines.append(Text(f"{terms} = {name(valued.form, SHORT)}"))
    return lines


def _options_table(valued: Valued) -> Table:
    table = Table("who", "move", "leads to", box=None, header_style="bold")
    for player, options in zip(face.players(valued.game), valued.options, strict=True):
        for action, form in options:
            table.add_row(player, Text(action), Text(name(form, SHORT)))
    return table


def write_thermograph(form: CanonicalForm, path: Path) -> None:
    """Write the thermograph of a form as a page for a browser."""
    page = thermograph(form).figure().to_html(include_plotlyjs=True, div_id="figure")
    write_whole(path, [page.encode()])


# ---- starts of Toads and Frogs ----


def starts_table(sizes: tuple[int, int, int], squares: int, console: Console, memory: int | None) -> list[starts.Start]:
    """The forms of all starts within these sizes."""
    with console.status("listing") as status:
        return starts.table(*sizes, squares, _told(status), memory)


def starts_as_csv(found: list[starts.Start]) -> str:
    """A line for each start."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["toads", "gaps", "frogs", "value", "outcome", "mean", "temperature", "birthday"])
    for start in found:
        form = start.form
        known = (name(form), form.outcome, form.mean, form.temperature, form.birthday)
        writer.writerow([start.toads, start.gaps, start.frogs, *known])
    return text.getvalue()


def starts_as_json(found: list[starts.Start]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {"toads": start.toads, "gaps": start.gaps, "frogs": start.frogs, **form_as_json(start.form)} for start in found
    ]


def starts_as_text(found: list[starts.Start]) -> Group:
    """A table for each number of gaps: toads downwards, frogs to the right."""
    return Group(*(_with_gaps(found, gaps) for gaps in sorted({start.gaps for start in found})))


def _with_gaps(found: list[starts.Start], gaps: int) -> Table:
    forms = {(start.toads, start.frogs): start.form for start in found if start.gaps == gaps}
    columns = sorted({frogs for _, frogs in forms})
    table = Table("", *(f"F^{frogs}" for frogs in columns), title=f"{gaps} gap{'s' * (gaps > 1)}", title_justify="left")
    for toads in sorted({toads for toads, _ in forms}):
        row = [name(forms[toads, frogs], SHORT) if (toads, frogs) in forms else "" for frogs in columns]
        table.add_row(f"T^{toads}", *map(Text, row))
    return table


def judged_families(squares: int, console: Console, memory: int | None) -> list[starts.Verdict]:
    """What holds of the families among strips of so many squares."""
    with console.status("listing") as status:
        return starts.families(squares, _told(status), memory)


def families_as_json(verdicts: list[starts.Verdict]) -> list[dict[str, Any]]:
    """Each family with what fails."""
    return [
        {
            "family": verdict.family.shape,
            "claim": verdict.family.claim,
            "source": verdict.family.source,
            "strips": verdict.looked_at,
            "fails": [{"strip": strip, "value": name(form)} for strip, form in verdict.failed],
        }
        for verdict in verdicts
    ]


def families_as_text(verdicts: list[starts.Verdict]) -> Table:
    """Each family with its claim, and whether it holds."""
    table = Table("family", "claim", "strips", "holds", box=None, header_style="bold")
    for family, looked_at, failed in verdicts:
        fails = ", ".join(f"{strip} = {name(form, SHORT)}" for strip, form in failed)
        table.add_row(
            Text(family.shape),
            Text(family.claim),
            str(looked_at),
            Text(f"not {fails}" if fails else "yes" if looked_at else "-"),
        )
    return table
