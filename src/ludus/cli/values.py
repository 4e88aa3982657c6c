"""The command that tells what positions are worth where who cannot move loses: value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import GAME, Json, app, example, screen
from ludus.errors import LudusError


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
    families: Annotated[
        bool, typer.Option("--families", help="Which of Erickson's families of strips have the values claimed.")
    ] = False,
    squares: Annotated[
        int, typer.Option(min=1, max=62, help="Strips of a table, or of families, at most so long.")
    ] = 12,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table to this file.")] = None,
    as_json: Json = False,
) -> None:
    """Print the canonical form of a position in a game where who cannot move loses: 1/2, ^*, {2||1|0}."""
    asked = [position is not None, table is not None, symmetric is not None, families]
    if sum(asked) != 1:
        raise LudusError("say one of these: a position, --table A B C, --symmetric A B, or --families")
    if position is not None:
        _position(position, game, options, explain, thermograph, as_json)
    elif table is not None:
        _table(table, squares, csv, as_json)
    elif symmetric is not None:
        _symmetric(*symmetric, as_json)
    else:
        _families(squares, as_json)


def _position(
    position: str, game: str | None, options: bool, explain: bool, thermograph: Path | None, as_json: bool
) -> None:
    from ludus.terminal import canonical_forms, proofs

    if thermograph is not None:
        proofs.refuse_if_unwritable(thermograph)
    valued = canonical_forms.work_out(*canonical_forms.position_called(position, game), screen(stderr=True))
    if thermograph is not None:
        canonical_forms.write_thermograph(valued.form, thermograph)
    if as_json:
        typer.echo(json.dumps(canonical_forms.as_json(valued), indent=2))
    else:
        shown = canonical_forms.as_text(valued, options=options, explain=explain)
        screen().print(shown, highlight=False, soft_wrap=True)


def _table(sizes: tuple[int, int, int], squares: int, csv: Path | None, as_json: bool) -> None:
    from ludus.files import write_whole
    from ludus.terminal import canonical_forms, proofs

    if csv is not None:
        proofs.refuse_if_unwritable(csv)
    found = canonical_forms.starts_table(sizes, squares, screen(stderr=True))
    if csv is not None:
        write_whole(csv, [canonical_forms.starts_as_csv(found).encode()])
    if as_json:
        typer.echo(json.dumps(canonical_forms.starts_as_json(found), indent=2))
    else:
        screen().print(canonical_forms.starts_as_text(found))


def _symmetric(pieces: int, gaps: int, as_json: bool) -> None:
    from ludus.strips.symmetric import decide
    from ludus.terminal.waiting import waiting

    with waiting(screen(stderr=True), f"deciding T^{pieces} _^{gaps} F^{pieces}"):
        decided = decide(pieces, gaps)
    if as_json:
        typer.echo(json.dumps({"toads": pieces, "gaps": gaps, "frogs": pieces, **decided._asdict()}, indent=2))
    else:
        typer.echo(decided.value)


def _families(squares: int, as_json: bool) -> None:
    from ludus.terminal import canonical_forms

    verdicts = canonical_forms.judged_families(squares, screen(stderr=True))
    if as_json:
        typer.echo(json.dumps(canonical_forms.families_as_json(verdicts), indent=2))
    else:
        screen().print(canonical_forms.families_as_text(verdicts))
