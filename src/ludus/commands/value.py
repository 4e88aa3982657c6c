"""The command that tells what positions are worth where who cannot move loses: value."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console, Group
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ludus import catalog, face
from ludus.cgt.forms import CanonicalForm, thermograph
from ludus.cgt.notation import name
from ludus.cgt.positions import Evaluator, Progress
from ludus.cgt.strips import starts
from ludus.cgt.sums import read
from ludus.commands.options import GAME, Json, example, screen
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import num_parts, part, with_mover

app = typer.Typer()

# What goes with each thing that can be asked for; --json goes with all.
_WITH = {
    "a position": {"--game", "--options", "--explain", "--thermograph", "--memory"},
    "--table": {"--squares", "--csv", "--memory"},
    "--symmetric": {"--frogs", "--number", "--memory"},
    "--families": {"--squares", "--memory"},
}

_SQUARES = 12

_THAN = {"equal": "to", "more": "than", "less": "than", "confused": "with"}


@app.command(epilog=example("value 'T__TTFTFF_F' --explain"))
def value(
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION", help="A position as its game writes it, [cyan]T__TF[/]; who moves is not asked."
        ),
    ] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help=f"{GAME}.", show_default="the one whose notation it is")
    ] = None,
    options: Annotated[bool, typer.Option("--options", help="Show what each move of either side leads to.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why: what is dead, and the sum of the parts.")
    ] = False,
    thermograph: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the thermograph on this page, for a browser.")
    ] = None,
    table: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="A B C", help="All starts T^a _^b F^c of Toads and Frogs up to these sizes."),
    ] = None,
    symmetric: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="A B", help="Whether the start T^a _^b F^a of Toads and Frogs is worth 0, * or neither."),
    ] = None,
    frogs: Annotated[
        int | None, typer.Option(metavar="C", help="The start T^a _^b F^c instead.", show_default="as many as toads")
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Whether it is worth N, N* or neither, and how it compares up to there.", show_default="0"
        ),
    ] = None,
    families: Annotated[
        bool, typer.Option("--families", help="Which of Erickson's families of strips have the values claimed.")
    ] = False,
    squares: Annotated[
        int | None,
        typer.Option(min=1, max=62, help="Strips of a table, or of families, at most so long.", show_default="12"),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table to this file.")] = None,
    memory: Annotated[
        float | None,
        typer.Option(min=0.01, max=1e6, help="Use at most so many GB.", show_default="70 % of what is free"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the canonical form of a position in a game where who cannot move loses: 1/2, ^*, {2||1|0}."""
    asked = {
        "a position": position is not None,
        "--table": table is not None,
        "--symmetric": symmetric is not None,
        "--families": families,
    }
    given = {
        "--game": game is not None,
        "--options": options,
        "--explain": explain,
        "--thermograph": thermograph is not None,
        "--frogs": frogs is not None,
        "--number": number is not None,
        "--squares": squares is not None,
        "--csv": csv is not None,
    }
    _refuse_what_does_not_belong(asked, given)
    allowed = None if memory is None else int(memory * 1e9)
    if position is not None:
        _position(position, game, options, explain, thermograph, allowed, as_json)
    elif table is not None:
        _table(table, squares or _SQUARES, csv, allowed, as_json)
    elif symmetric is not None:
        _symmetric(*symmetric, frogs, number, allowed, as_json)
    else:
        _families(squares or _SQUARES, allowed, as_json)


def _refuse_what_does_not_belong(asked: dict[str, bool], given: dict[str, bool]) -> None:
    """Exactly one thing is asked for, with nothing that it makes no use of."""
    things = [thing for thing, said in asked.items() if said]
    if len(things) != 1:
        raise LudusError("say one of these: a position, --table A B C, --symmetric A B, or --families")
    for option, said in given.items():
        if said and option not in _WITH[things[0]]:
            homes = " or ".join(thing for thing, options in _WITH.items() if option in options)
            raise LudusError(f"{option} goes with {homes}, not with {things[0]}")


def _position(
    position: str,
    game: str | None,
    options: bool,
    explain: bool,
    thermograph: Path | None,
    memory: int | None,
    as_json: bool,
) -> None:
    from ludus.commands import prove as proofs

    if thermograph is not None:
        proofs.refuse_if_unwritable(thermograph)
    valued = work_out(*position_called(position, game), screen(stderr=True), memory)
    if thermograph is not None:
        write_thermograph(valued.form, thermograph)
    if as_json:
        typer.echo(json.dumps(to_json(valued), indent=2))
    else:
        shown = as_text(valued, options=options, explain=explain)
        screen().print(shown, highlight=False, soft_wrap=True)


def _table(sizes: tuple[int, int, int], squares: int, csv: Path | None, memory: int | None, as_json: bool) -> None:
    from ludus.commands import prove as proofs
    from ludus.files import write_whole

    if csv is not None:
        proofs.refuse_if_unwritable(csv)
    found = starts_table(sizes, squares, screen(stderr=True), memory)
    if csv is not None:
        write_whole(csv, [starts_as_csv(found).encode()])
    if as_json:
        typer.echo(json.dumps(starts_as_json(found), indent=2))
    else:
        screen().print(starts_as_text(found))


def _symmetric(toads: int, gaps: int, frogs: int | None, number: int | None, memory: int | None, as_json: bool) -> None:
    from ludus.cgt.strips.outcomes import decide
    from ludus.commands.progress import waiting

    others = toads if frogs is None else frogs
    with waiting(screen(stderr=True), f"deciding T^{toads} _^{gaps} F^{others}"):
        decided = decide(toads, gaps, frogs=others, number=number or 0, memory=memory)
    if as_json:
        typer.echo(json.dumps({"toads": toads, "gaps": gaps, "frogs": others, **decided._asdict()}, indent=2))
        return
    typer.echo(decided.value)
    if number is not None:
        for other, order in decided.compared.items():
            typer.echo(f"{order} {_THAN[order]} {other}")


def _families(squares: int, memory: int | None, as_json: bool) -> None:

    verdicts = judged_families(squares, screen(stderr=True), memory)
    if as_json:
        typer.echo(json.dumps(families_as_json(verdicts), indent=2))
    else:
        screen().print(families_as_text(verdicts))


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
        valuer = Evaluator(game, progress=_told(status), memory=memory)
        form = valuer.form(pos)
        options = tuple(_options(valuer, with_mover(game, pos, player)) for player in (0, 1))
        numbers = range(num_parts(game, pos))
        parts = [(_part_name(game, pos, number), valuer.form(part(game, pos, number))) for number in numbers]
    return Valued(game, pos, form, options, parts)


def _told(status: Status) -> Progress:
    return lambda stage, done: status.update(f"{stage}: {done:,} positions")


def _options(valuer: Evaluator, pos: Any) -> list[tuple[str, CanonicalForm]]:
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


def to_json(valued: Valued) -> dict[str, Any]:
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
