"""The command that tells what positions are worth where who cannot move loses: value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import GAME, Json, app, example, screen
from ludus.errors import LudusError

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
        str | None,
        typer.Option(metavar="GAME", help=f"{GAME}.", show_default="the one whose notation it is"),
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
    from ludus.terminal import canonical_forms, proofs

    if thermograph is not None:
        proofs.refuse_if_unwritable(thermograph)
    valued = canonical_forms.work_out(*canonical_forms.position_called(position, game), screen(stderr=True), memory)
    if thermograph is not None:
        canonical_forms.write_thermograph(valued.form, thermograph)
    if as_json:
        typer.echo(json.dumps(canonical_forms.as_json(valued), indent=2))
    else:
        shown = canonical_forms.as_text(valued, options=options, explain=explain)
        screen().print(shown, highlight=False, soft_wrap=True)


def _table(sizes: tuple[int, int, int], squares: int, csv: Path | None, memory: int | None, as_json: bool) -> None:
    from ludus.files import write_whole
    from ludus.terminal import canonical_forms, proofs

    if csv is not None:
        proofs.refuse_if_unwritable(csv)
    found = canonical_forms.starts_table(sizes, squares, screen(stderr=True), memory)
    if csv is not None:
        write_whole(csv, [canonical_forms.starts_as_csv(found).encode()])
    if as_json:
        typer.echo(json.dumps(canonical_forms.starts_as_json(found), indent=2))
    else:
        screen().print(canonical_forms.starts_as_text(found))


def _symmetric(toads: int, gaps: int, frogs: int | None, number: int | None, memory: int | None, as_json: bool) -> None:
    from ludus.strips.symmetric import decide
    from ludus.terminal.waiting import waiting

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
    from ludus.terminal import canonical_forms

    verdicts = canonical_forms.judged_families(squares, screen(stderr=True), memory)
    if as_json:
        typer.echo(json.dumps(canonical_forms.families_as_json(verdicts), indent=2))
    else:
        screen().print(canonical_forms.families_as_text(verdicts))
