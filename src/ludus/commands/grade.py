"""`ludus grade`: how an agent plays, compared with the exact solution of a game."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer
from rich.bar import Bar
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ludus import catalog, face
from ludus.agents.policies import ended_after
from ludus.commands.options import (
    GAME,
    MOST_LISTED,
    MOST_SEED,
    AgentName,
    Json,
    On,
    Vouch,
    example,
    screen,
    show,
    without_memory,
)
from ludus.commands.progress import stages
from ludus.commands.terminal import value_in_words
from ludus.errors import LudusError
from ludus.grading.decisions import Tally
from ludus.grading.grade import BySeat, Grade, grade
from ludus.grading.guarantee import Guarantee
from ludus.grading.mistakes import Mistake, Slice
from ludus.grading.sample import MOST_NODES, Sample
from ludus.learning.runs import Trained
from ludus.solving.value import Value

app = typer.Typer()


@app.command("grade", epilog=example("grade 'mcts(sims=100)' tic-tac-toe"))
def grade_command(
    agent: AgentName,
    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}; a run knows its own.")] = None,
    positions: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_LISTED, metavar="N", help="The size of the sample, for a game too large to enumerate."
        ),
    ] = 100,
    mistakes: Annotated[
        int, typer.Option(min=0, max=MOST_LISTED, metavar="N", help="The number of its worst mistakes to show.")
    ] = 5,
    vouch: Vouch = False,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_SEED, metavar="N", help="The seed of the sample, for a game too large to enumerate."
        ),
    ] = 0,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Grade an agent against the solved game: accuracy, blunders, guaranteed result and exploitability."""
    graded = without_memory(agent, vouch)
    if game is None and not isinstance(graded, Trained):
        raise LudusError(f"say which game {agent} is to be graded on: ludus grade {agent} tic-tac-toe")
    chosen = graded.run.game if game is None else catalog.make_game(game)
    with stages(screen(stderr=True)) as on_progress, ended_after(graded):
        result = grade(graded, chosen, positions=positions, mistakes=mistakes, seed=seed, on=on, progress=on_progress)
    show(to_json(graded, chosen, result) if as_json else as_report(graded, chosen, result))


_MOST_PLAYS = 4  # actions that are shown of one mistake
_MOST_SLICES = 12
_PANEL = 39  # columns: two boards side by side on a narrow screen


def to_json(agent: Any, game: Any, graded: Grade) -> dict[str, Any]:
    """The document that `ludus grade --json` prints; what does not apply is null."""
    by_seat = graded.guarantee and graded.guarantee._asdict()
    return {
        "agent": catalog.name_of(agent),
        "game": catalog.name_of(game),
        "method": "listed" if graded.sample is None else "sample",
        "positions": graded.positions,
        **_tally(graded.all),
        "own_play": {seat: _tally(tally) for seat, tally in graded.own_play._asdict().items()},
        "guarantee": by_seat and {seat: {"result": one.result, "score": one.score} for seat, one in by_seat.items()},
        "exploitability": graded.exploitability and graded.exploitability._asdict(),
        "best_response": by_seat
        and {
            seat: {name: value for name, value in one._asdict().items() if name not in ("result", "score")}
            for seat, one in by_seat.items()
        },
        "mistakes": [_mistake(game, mistake, has_chance=graded.all.blunders is None) for mistake in graded.mistakes],
        "anatomy": {
            name: [one._asdict() for one in found] if isinstance(found, tuple) else found
            for name, found in graded.anatomy._asdict().items()
        },
        "sample": None if graded.sample is None else graded.sample._asdict() | {"note": sample_note(graded.sample)},
        "seconds": round(graded.seconds, 3),
    }


def _tally(tally: Tally) -> dict[str, Any]:
    return tally._asdict() | {"blunders": None if tally.blunders is None else tally.blunders._asdict()}


def _mistake(game: Any, mistake: Mistake, *, has_chance: bool) -> dict[str, Any]:
    def as_json(value: Value) -> dict[str, Any]:
        outcome = None if has_chance else value.outcome(mistake.player)
        return {"value": outcome, "score": value.score, "plies": value.plies}

    return {
        "position": face.format_position(game, mistake.position),
        "board": face.board(game, mistake.position),
        "player": mistake.player,
        "loss": mistake.loss,
        **as_json(mistake.value),
        "plays": [
            {"action": play.action, "probability": play.probability, **as_json(play.value)} for play in mistake.plays
        ],
        "optimal": list(mistake.optimal),
    }


def sample_note(sample: Sample) -> str:
    """How a sample was taken, and why there is no guarantee."""
    skipped = f"; {sample.skipped} more took over {MOST_NODES:,} nodes and were left out" if sample.skipped else ""
    return (
        f"too large to enumerate: judged on {sample.positions} positions from the second halves of its games against"
        f" itself and random (seed {sample.seed}){skipped}; its guaranteed result is not known"
    )


# ---- for people ----


def as_report(agent: Any, game: Any, graded: Grade) -> Group:
    """Accuracy, guarantees, tallies, where it errs, and its worst mistakes, for people."""
    headline = Text.assemble((catalog.name_of(agent), "bold"), " at ", (catalog.name_of(game), "bold"), ": ")
    tally = graded.all
    accuracy = f"accuracy {tally.accuracy:.1%} ({tally.decisions:,} decisions)" if tally.decisions else ""
    headline.append(accuracy or "no decisions: all actions always have the same value")
    parts: list[RenderableType] = [headline, Text()]
    if graded.guarantee and graded.exploitability:
        parts += map(guaranteed, BySeat._fields, graded.guarantee, graded.exploitability)
    if graded.sample is not None:
        parts.append(Text(sample_note(graded.sample), "dim"))
    parts += [Text(), tallies(graded)]
    cuts = graded.anatomy
    actions = "action" if cuts.named == graded.all.decisions else "action (a sample)"
    titled = {"plies to the end": cuts.by_plies, "visits in training": cuts.by_visits, actions: cuts.by_action}
    for title, slices in titled.items():
        if slices and len(slices) > 1:
            parts += [Text(), bars(title, slices)]
    if graded.mistakes:
        parts += [Text(), Text("worst mistakes in its own play", "bold")]
        parts.append(Columns([mistake_panel(game, mistake, graded) for mistake in graded.mistakes]))
    return Group(*parts)


def guaranteed(seat: str, guarantee: Guarantee, exploitability: float) -> Text:
    """The guaranteed result in a seat, the exploitability, and the line of a best response."""
    text = Text(f"as {seat}: guaranteed ")
    if guarantee.result:
        text.append("result ").append(
            *value_in_words(Value(guarantee.score, guarantee.plies), 0, chance=False, endless=bool(guarantee.endless))
        )
    else:
        text.append(f"expected score {guarantee.score:+.4f}", "bold")
        text.append(f" ({guarantee.worst_case} if its dice fall badly)" if guarantee.worst_case else "")
    text.append(f"; exploitability {exploitability:.4g}")
    names = list(guarantee.line)
    if guarantee.repeats_from is not None:
        names[guarantee.repeats_from :] = ["(" + ", ".join(names[guarantee.repeats_from :]) + ") endlessly"]
    if guarantee.resigns:
        names.append("(it resigns)")
    return text.append("; best response: " + ", ".join(names), "dim")


def tallies(graded: Grade) -> Table:
    """A row for all positions, and one for its own play in either seat."""
    headings = ("decisions", "optimal", "fastest", "win>draw", "win>loss", "draw>loss", "mean loss")
    table = Table("", *headings, box=None, header_style="bold", padding=(0, 1, 0, 0))
    for column in table.columns[1:]:
        column.justify = "right"
    words = ("all" if graded.sample is None else "sample", "as first", "as second")
    for name, tally in zip(words, (graded.all, *graded.own_play), strict=True):
        table.add_row(
            name,
            f"{tally.decisions:,}",
            _percent(tally.optimal, tally.decisions),
            "" if tally.fastest is None else _percent(tally.fastest, tally.decisions),
            *(("", "", "") if tally.blunders is None else (f"{kind:,.4g}" for kind in tally.blunders)),
            "-" if tally.mean_loss is None else f"{tally.mean_loss:.3f}",
        )
    return table


def bars(title: str, slices: tuple[Slice, ...]) -> Table:
    """The share of mistakes by a property of the decisions."""
    table = Table(title, "decisions", "mistakes", "", box=None, header_style="bold", padding=(0, 1, 0, 0))
    table.columns[0].width = 24
    table.columns[1].justify = table.columns[2].justify = "right"
    for one in slices[:_MOST_SLICES]:
        errs = 1 - one.optimal / one.decisions
        bar = Bar(1.0, 0.0, errs, width=30, color="red")
        table.add_row(Text(one.label), f"{one.decisions:,.0f}", f"{errs:.1%}", bar)
    return table


def mistake_panel(game: Any, mistake: Mistake, graded: Grade) -> Panel:
    """A board with what the agent does there, and the optimal actions."""
    board = face.board(game, mistake.position)
    in_words = partial(
        value_in_words, player=mistake.player, chance=graded.all.blunders is None, endless=graded.sample is None
    )
    text = Text(f"{board}\n\n{face.players(game)[mistake.player]} to move: ")
    text.append(*in_words(mistake.value))
    text.append(f"\noptimal: {', '.join(mistake.optimal)}\nplays: ")
    for number, play in enumerate(mistake.plays[:_MOST_PLAYS]):
        chance = "" if play.probability == 1 else f" ({play.probability:.0%})"
        text.append(f"{'; ' if number else ''}{play.action}{chance} ").append(*in_words(play.value))
    text.append("; ..." if len(mistake.plays) > _MOST_PLAYS else "")
    width = max(_PANEL, *(len(line) + 4 for line in board.splitlines()))
    return Panel(text, title=f"loses {mistake.loss:.3g}", width=width)


def _percent(part: float, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
