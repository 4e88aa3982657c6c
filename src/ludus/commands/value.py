"""`ludus value`: canonical forms of positions in normal play, and tables of strips of Toads and Frogs."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ludus import catalog, face
from ludus.cgt.forms import CanonicalForm
from ludus.cgt.notation import name
from ludus.cgt.positions import Evaluator
from ludus.cgt.strips import starts
from ludus.cgt.strips.outcomes import decide
from ludus.cgt.sums import read
from ludus.commands.options import GAME, Json, bytes_of, example, finite, require_writable, screen, show, takes_options
from ludus.commands.progress import stages, waiting
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import num_parts, part, with_mover
from ludus.report.page import as_csv, write_figures
from ludus.report.plotly_figures import thermograph_curves

app = typer.Typer()

# The options that go with each thing that can be asked for; --json goes with all.
_WITH = {
    "a position": {"--game", "--options", "--explain", "--thermograph", "--memory"},
    "--table": {"--squares", "--csv", "--memory"},
    "--symmetric": {"--frogs", "--number", "--memory"},
    "--families": {"--squares", "--memory"},
}
_SQUARES = 12
_THAN = {"equal": "to", "more": "than", "less": "than", "confused": "with"}


class Options(NamedTuple):
    """The options of `ludus value`."""

    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION", help="A position as its game writes it, [cyan]T__TF[/], whichever side is to move."
        ),
    ] = None
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help=f"{GAME}.", show_default="the one whose notation it is")
    ] = None
    options: Annotated[bool, typer.Option("--options", help="Show the value after each move of either side.")] = False
    explain: Annotated[bool, typer.Option("--explain", help="Show why: dead pieces, and the sum of the parts.")] = False
    thermograph: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the thermograph on this page, for a browser.")
    ] = None
    table: Annotated[
        tuple[int, int, int] | None,
        typer.Option(metavar="A B C", help="All starts T^a _^b F^c of Toads and Frogs up to these sizes."),
    ] = None
    symmetric: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="A B", help="Whether the start T^a _^b F^a of Toads and Frogs is 0, * or neither."),
    ] = None
    frogs: Annotated[
        int | None, typer.Option(metavar="C", help="The start T^a _^b F^c instead.", show_default="as many as toads")
    ] = None
    number: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Whether it is N, N* or neither, and how it compares up to there.", show_default="0"
        ),
    ] = None
    families: Annotated[
        bool, typer.Option("--families", help="Which of Erickson's families of strips have the values claimed.")
    ] = False
    squares: Annotated[
        int | None, typer.Option(min=1, max=62, help="The longest strips of --table or --families.", show_default="12")
    ] = None
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table to this file.")] = None
    memory: Annotated[
        float | None,
        typer.Option(
            min=0.01, max=1e6, callback=finite, help="Use at most this many GB.", show_default="70 % of what is free"
        ),
    ] = None
    as_json: Json = False

    @property
    def bytes(self) -> int | None:
        """The memory that may be used."""
        return None if self.memory is None else bytes_of(self.memory)


@app.command(epilog=example("value 'T__TTFTFF_F' --explain"))
@takes_options
def value(options: Options) -> None:
    """Print the canonical form of a position in normal play: 1/2, ^*, {2||1|0}."""
    wanted = _wanted(options)
    require_writable(options.thermograph)
    require_writable(options.csv)
    {"a position": _position, "--table": _table, "--symmetric": _symmetric, "--families": _families}[wanted](options)


def _wanted(options: Options) -> str:
    """The one thing that is asked for; LudusError for none or several, or for an option that it does not use."""
    given = {f"--{name}" for name, value in options._asdict().items() if value not in (None, False)}
    things = [thing for thing in _WITH if thing.replace("a position", "--position") in given]
    if len(things) != 1:
        raise LudusError("say one of these: a position, --table A B C, --symmetric A B, or --families")
    for option in sorted(given & set().union(*_WITH.values()) - _WITH[things[0]]):
        homes = " or ".join(thing for thing, options in _WITH.items() if option in options)
        raise LudusError(f"{option} goes with {homes}, not with {things[0]}")
    return things[0]


def _position(options: Options) -> None:
    found = evaluate(*parse_position(options.position or "", options.game), screen(stderr=True), options.bytes)
    if options.thermograph is not None:
        curves = thermograph_curves(found.form, name(found.form, SHORT))
        write_figures("Thermograph", [curves], options.thermograph)
    if options.as_json:
        show(to_json(found))
    else:
        show(as_text(found, options=options.options, explain=options.explain), highlight=False, soft_wrap=True)


def _table(options: Options) -> None:
    assert options.table is not None
    with stages(screen(stderr=True)) as on_progress:
        found = starts.table(*options.table, options.squares or _SQUARES, on_progress, options.bytes)
    if options.csv is not None:
        write_whole(options.csv, [starts_as_csv(found).encode()])
    if options.as_json:
        show(
            [{"toads": toads, "gaps": gaps, "frogs": frogs, **form_as_json(form)} for toads, gaps, frogs, form in found]
        )
    else:
        show(Group(*(_with_gaps(found, gaps) for gaps in sorted({start.gaps for start in found}))))


def _symmetric(options: Options) -> None:
    assert options.symmetric is not None
    toads, gaps = options.symmetric
    frogs = toads if options.frogs is None else options.frogs
    with waiting(screen(stderr=True), f"deciding T^{toads} _^{gaps} F^{frogs}"):
        decided = decide(toads, gaps, frogs=frogs, number=options.number or 0, memory=options.bytes)
    if options.as_json:
        show({"toads": toads, "gaps": gaps, "frogs": frogs, **decided._asdict()})
        return
    show(decided.value)
    if options.number is not None:
        for other, order in decided.compared.items():
            show(f"{order} {_THAN[order]} {other}")


def _families(options: Options) -> None:
    with stages(screen(stderr=True)) as on_progress:
        verdicts = starts.families(options.squares or _SQUARES, on_progress, options.bytes)
    show(families_as_json(verdicts) if options.as_json else families_as_text(verdicts))


OUTCOMES = {
    "P": "the player who moves first loses",
    "N": "the player who moves first wins",
    "L": "{0} win, whoever moves first",
    "R": "{1} win, whoever moves first",
}
SHORT = 40  # characters of a form in a table


class Valued(NamedTuple):
    """A position with its canonical form, the form after each move, and the parts that it is the sum of."""

    game: Any
    pos: Any
    form: CanonicalForm
    options: tuple[list[tuple[str, CanonicalForm]], ...]
    parts: list[tuple[str, CanonicalForm]]


def parse_position(words: str, game: str | None) -> tuple[Any, Any]:
    """The game and position of some words: of the game given, or of the first whose notation they are."""
    if game is not None:
        return read(catalog.make_game(game), words)
    for cls in catalog.games().values():
        try:
            return read(cls(), words)
        except (LudusError, TypeError):
            continue
    raise LudusError(f"no game reads {words!r} as a position; say which one with --game")


def evaluate(game: Any, pos: Any, console: Console, memory: int | None = None) -> Valued:
    """The canonical form of a position, of all its options and of all its parts."""
    with stages(console) as on_progress:
        evaluator = Evaluator(game, progress=on_progress, memory=memory)
        form = evaluator.form(pos)
        options = tuple(
            [(named, evaluator.form(game.play(turned, action))) for action, named in face.menu(game, turned)]
            for turned in (with_mover(game, pos, player) for player in (0, 1))
        )
        parts = []
        for number in range(num_parts(game, pos)):
            own = part(game, pos, number)
            named = game.part_name(pos, number) if hasattr(game, "part_name") else face.format_position(game, own)
            parts.append((str(named), evaluator.form(own)))
    return Valued(game, pos, form, options, parts)


def as_number(number: Fraction) -> int | float:
    """A dyadic number as JSON, which represents it exactly."""
    return int(number) if number.denominator == 1 else float(number)


def form_as_json(form: CanonicalForm) -> dict[str, Any]:
    """The value of a form and its invariants."""
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
    """The document that `ludus value --json` prints."""
    game, pos = valued.game, valued.pos
    return {
        "game": catalog.name_of(game),
        "position": face.format_position(game, pos),
        **form_as_json(valued.form),
        "options": {
            player: [{"action": action, "value": name(form)} for action, form in options]
            for player, options in zip(face.players(game), valued.options, strict=True)
        },
        "parts": [{"part": named, "value": name(form)} for named, form in valued.parts],
        "notes": [note.words for note in face.notes(game, pos)],
    }


def as_text(valued: Valued, *, options: bool, explain: bool) -> Group:
    """The form and, if wanted, what it means, why it is so, and the form after each move."""
    form, players, shown = valued.form, face.players(valued.game), [Text(name(valued.form), style="bold")]
    if explain:
        shown += [Text(note.words) for note in face.notes(valued.game, valued.pos)]
        if len(valued.parts) > 1:
            shown += [Text(f"{named} = {name(part, SHORT)}") for named, part in valued.parts]
            shown.append(Text(f"{' + '.join(name(part, SHORT) for _, part in valued.parts)} = {name(form, SHORT)}"))
    if options or explain:
        outcome = OUTCOMES[form.outcome].format(*players)
        facts = f"mean {form.mean}, temperature {form.temperature}, birthday {form.birthday}"
        shown.append(Text(f"{outcome}; {facts}", style="dim"))
    if not options:
        return Group(*shown)
    table = Table("side", "move", "value after it", box=None, header_style="bold")
    for player, after in zip(players, valued.options, strict=True):
        for action, left in after:
            table.add_row(player, Text(action), Text(name(left, SHORT)))
    return Group(*shown, table)


# ---- starts of Toads and Frogs ----


def starts_as_csv(found: list[starts.Start]) -> str:
    """The starts as CSV."""
    columns = ("toads", "gaps", "frogs", "value", "outcome", "mean", "temperature", "birthday")
    rows = [
        (toads, gaps, frogs, name(form), form.outcome, str(form.mean), str(form.temperature), form.birthday)
        for toads, gaps, frogs, form in found
    ]
    return as_csv(columns, rows)


def _with_gaps(found: list[starts.Start], gaps: int) -> Table:
    """The forms of starts with as many gaps: toads downwards, frogs to the right."""
    forms = {(start.toads, start.frogs): start.form for start in found if start.gaps == gaps}
    columns = sorted({frogs for _, frogs in forms})
    table = Table("", *(f"F^{frogs}" for frogs in columns), title=f"{gaps} gap{'s' * (gaps > 1)}", title_justify="left")
    for toads in sorted({toads for toads, _ in forms}):
        row = [name(forms[toads, frogs], SHORT) if (toads, frogs) in forms else "" for frogs in columns]
        table.add_row(f"T^{toads}", *map(Text, row))
    return table


def families_as_json(verdicts: list[starts.Verdict]) -> list[dict[str, Any]]:
    """Each family with the strips on which its claim fails."""
    return [
        {
            "family": family.shape,
            "claim": family.claim,
            "source": family.source,
            "strips": checked,
            "fails": [{"strip": strip, "value": name(form)} for strip, form in failed],
        }
        for family, checked, failed in verdicts
    ]


def families_as_text(verdicts: list[starts.Verdict]) -> Table:
    """Each family with its claim, and whether it holds."""
    table = Table("family", "claim", "strips", "holds", box=None, header_style="bold")
    for family, checked, failed in verdicts:
        fails = ", ".join(f"{strip} = {name(form, SHORT)}" for strip, form in failed)
        holds = f"not {fails}" if fails else "yes" if checked else "-"
        table.add_row(Text(family.shape), Text(family.claim), str(checked), Text(holds))
    return table
