"""`ludus tournament` and `ludus ratings`: all pairs of some agents, and all that ever met in tournaments."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.arena.league import League, Repaired, default_path, repair
from ludus.arena.ratings import Meeting, Rating, Ratings, Results
from ludus.arena.tournament import ANCHORS, Standing, Tournament, matrix_and_ranking, next_stem, standing_of, tournament
from ludus.commands.options import AGENT, MOST_GAMES, GameName, Json, On, PerhapsGameName, Seed, example, screen, show
from ludus.commands.progress import live_table, waiting
from ludus.errors import LudusError
from ludus.files import made_folder, write_whole
from ludus.locks import waited_for
from ludus.report.document import HeatMap
from ludus.report.page import write_figures

app = typer.Typer()


@app.command("tournament", epilog=example("tournament tapnswap my-run smart-random --anchors"))
def tournament_command(
    game: GameName,
    agents: Annotated[list[str] | None, typer.Argument(metavar="AGENT...", help=f"{AGENT}.")] = None,
    games: Annotated[
        int,
        typer.Option(min=1, max=MOST_GAMES, metavar="N", help="Games for each pair, half of them from either seat."),
    ] = 1000,
    anchors: Annotated[
        bool, typer.Option("--anchors", help="Add perfect and random, which give ratings a scale.")
    ] = False,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write tournamentK.csv, .txt, .json and .html (heat maps) there."),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Let all pairs of agents play, rank and rate them; results that are on record are not played again."""
    if out:
        made_folder(out)
    named, chosen = agents or [], catalog.make_game(game)
    added = [anchor for anchor in ANCHORS if anchor not in named] if anchors else []
    with League(default_path()) as league, live_table(screen(stderr=True)) as on_progress:
        held = tournament(chosen, [*named, *added], games, seed=seed, on=on, league=league, on_progress=on_progress)
    files = write(held, out) if out else []
    show(to_json(held) if as_json else as_text(held))
    if files and not as_json:
        show("\n".join(map(str, files)))


@app.command(epilog=example("ratings tapnswap"))
def ratings(
    game: PerhapsGameName = None,
    league: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file of results.", show_default="the user's league")
    ] = None,
    repair_: Annotated[
        bool, typer.Option("--repair", help="Rebuild a damaged file of results from all that is intact.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the ratings of all agents that met in tournaments of a game, from all their results."""
    if repair_ and game is None:
        repaired = repair(league or default_path())
        show(repaired._asdict() | {"before": str(repaired.before)} if as_json else repair_as_text(repaired))
        return
    if repair_ or game is None:
        raise LudusError("name a game, or say --repair, not both" if repair_ else "name a game: ludus ratings tapnswap")
    if league and not league.is_file():
        raise LudusError(f"there is no league {league}")
    with League(league or default_path()) as opened, waiting(screen(stderr=True), "rating the agents"):
        stood = standing_of(catalog.make_game(game), opened)
    show(standing_as_json(stood) if as_json else standing_as_text(stood))


def repair_as_text(repaired: Repaired) -> str:
    """What was kept, and what was not."""
    lost = f"{repaired.lost:,} damaged rows were left out" if repaired.lost else "no row was damaged"
    return f"The league has {repaired.meetings:,} results; {lost}. The file before is {repaired.before}."


Cells = list[list[float | None]]


def write(held: Tournament, folder: Path) -> list[Path]:
    """Write matrix, ranking, document and heat maps into a folder, without the seconds that it took."""
    matrix, ranking = matrix_and_ranking(held)
    with waited_for(made_folder(folder) / "tournament.lock"):
        csv, text, document, page = (folder / f"{next_stem(folder)}.{kind}" for kind in ("csv", "txt", "json", "html"))
        write_whole(text, [ranking.encode()])
        found = {name: value for name, value in to_json(held).items() if name != "seconds"}
        write_whole(document, [json.dumps(found, indent=2).encode() + b"\n"])
        write_figures(f"{held.game}: {held.games:,} games for each pair", _heat_maps(held), page)
        write_whole(csv, [matrix.encode()])
    return [csv, text, document, page]


def to_json(held: Tournament) -> dict[str, Any]:
    """The document that `ludus tournament --json` prints; all but `seconds` repeats itself."""
    return {
        "game": held.game,
        "games": held.games,
        "seed": held.seed,
        "agents": [{"name": one.name, "digest": one.digest} for one in held.agents],
        "matrix": held.matrix(),
        "ranking": [{"agent": held.agents[place].name, "points": points} for place, points in held.ranking()],
        **_ratings(held.ratings(), [one.name for one in held.agents]),
        "meetings": [_meeting(held, meeting) for meeting in held.meetings],
        "seconds": round(held.seconds, 3),
    }


def _meeting(held: Tournament, meeting: Meeting) -> dict[str, Any]:
    exact = held.exact.get((meeting.a, meeting.b))
    return {
        "a": held.agents[meeting.a].name,
        "b": held.agents[meeting.b].name,
        "first": meeting.first._asdict(),
        "second": meeting.second._asdict(),
        "exact": exact and {"first": exact[0]._asdict(), "second": exact[1]._asdict()},
    }


def _ratings(ratings: Ratings, names: Sequence[str]) -> dict[str, Any]:
    entries = [
        {"agent": name, **_rating(rating), "group": group}
        for name, rating, group in zip(names, ratings.players, ratings.groups, strict=True)
    ]
    return {
        "ratings": sorted(entries, key=lambda entry: -entry["rating"]),
        "moving_first": _rating(ratings.moving_first),
        "draws_of_equals": round(ratings.draws, 4),
    }


def _rating(rating: Rating) -> dict[str, float]:
    return {"rating": rating.points, "low": rating.low, "high": rating.high}


def standing_as_json(stood: Standing) -> dict[str, Any]:
    """The document that `ludus ratings --json` prints."""
    document = _ratings(stood.ratings, [member.name for member in stood.members])
    places = {member.name: place for place, member in enumerate(stood.members)}
    for entry in document["ratings"]:
        place = places[entry["agent"]]
        entry["digest"] = stood.members[place].digest
        entry["games"], entry["points"] = stood.record(place)
    return {"game": stood.game, **document}


# ---- tables ----


def as_text(held: Tournament) -> Group:
    """Ranking, ratings and cross-tables."""
    parts: list[Any] = [_ranking(held), Text(), *_remarks(held.ratings(), [one.name for one in held.agents])]
    parts += [Text(), _cross_table("points in % of the row, moving first, against each column", by_seat(held), held)]
    if held.exact:
        words = "the same exactly, if games are never cut (endless play scores for nobody)"
        parts += [Text(), _cross_table(words, exactly(held), held)]
    return Group(*parts)


def _ranking(held: Tournament) -> Group:
    ratings, most = held.ratings(), held.games * (len(held.agents) - 1)
    table = _table(("", "no", "agent", "points", "%", "rating", "95 % interval"))
    for place, (number, points) in enumerate(held.ranking(), 1):
        name, share = Text(held.agents[number].name, "cyan", overflow="fold"), points / most
        rated = _rated(ratings.players[number], share)
        table.add_row(str(place), str(number + 1), name, f"{points:,.10g}", f"{share:.1%}", *rated)
    return Group(Text(f"{held.game}: {held.games:,} games for each pair", "bold"), table)


def _rated(rating: Rating, share: float) -> tuple[str, str]:
    """The rating and its interval; one-sided for an agent that has all points, or none."""
    bounds = f"{rating.low:+,.0f}", f"{rating.high:+,.0f}"
    interval = {1.0: f"at least {bounds[0]}", 0.0: f"at most {bounds[1]}"}.get(share, " to ".join(bounds))
    return f"{rating.points:+,.0f}", interval


def _table(headings: Sequence[str]) -> Table:
    table = Table(box=None, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("", "agent") else "right")
    return table


def _remarks(ratings: Ratings, names: Sequence[str]) -> list[Text]:
    """What the ratings mean, and which agents cannot be compared."""
    zero = "random has 0" if "random" in names else "their mean is 0"
    first = ratings.moving_first
    lines = [f"Elo points, {zero}; moving first gains {first.points:+.0f} ({first.low:+.0f} to {first.high:+.0f})"]
    if len(set(ratings.groups)) > 1:
        apart = [name for name, group in zip(names, ratings.groups, strict=True) if group != ratings.groups[0]]
        lines.append(f"never met the others, not even through others, so not to be compared: {', '.join(apart)}")
    return [Text(words, "dim") for words in lines]


def by_seat(held: Tournament) -> Cells:
    """The share of points of each agent, moving first, against each other; None where they did not meet."""
    shares = {(each.a, each.b): (_share(each.first), _share(each.second.turned)) for each in held.meetings}
    return _cells(held, shares)


def _cells(held: Tournament, shares: Mapping[tuple[int, int], tuple[float | None, float | None]]) -> Cells:
    """The shares of pairs as a matrix, the second of each below the diagonal where agents meet in both orders."""
    cells: Cells = [[None] * len(held.agents) for _ in held.agents]
    for (a, b), (first, second) in shares.items():
        cells[a][b] = first
        if not held.ordered:
            cells[b][a] = second
    return cells


def _share(results: Results) -> float | None:
    return results.points / results.games if results.games else None


def exactly(held: Tournament) -> Cells:
    """The same computed from the agents' policies in all positions; None where that is not known."""
    shares = {(a, b): (one.wins + one.ties / 2, two.losses + two.ties / 2) for (a, b), (one, two) in held.exact.items()}
    return _cells(held, shares)


def _cross_table(words: str, cells: Cells, held: Tournament) -> Group:
    order = [number for number, _ in held.ranking()]
    table = _table(("", *(str(number + 1) for number in order)))
    for row in order:
        label = Text.assemble(f"{row + 1} ", (held.agents[row].name, "cyan"), overflow="ellipsis")
        shares = [cells[row][column] for column in order]
        table.add_row(label, *("-" if share is None else f"{100 * share:.0f}" for share in shares))
    return Group(Text(words, "bold"), table)


def standing_as_text(stood: Standing) -> Group:
    """The league as a table, the best first."""
    table = _table(("", "agent", "rating", "95 % interval", "games", "%"))
    ratings = stood.ratings
    order = sorted(range(len(stood.members)), key=lambda member: -ratings.players[member].points)
    for place, member in enumerate(order, 1):
        games, points = stood.record(member)
        name, share = Text(stood.members[member].name, "cyan", overflow="fold"), points / games
        table.add_row(str(place), name, *_rated(ratings.players[member], share), f"{games:,}", f"{share:.1%}")
    title = Text(f"{stood.game}: the league", "bold")
    return Group(title, table, Text(), *_remarks(ratings, [member.name for member in stood.members]))


# ---- heat maps ----


def _heat_maps(held: Tournament) -> list[HeatMap]:
    """The points of all pairs, by seat, and exactly where that is known."""
    points = {(each.a, each.b): each.points for each in held.meetings}
    shares = {pair: (own / held.games, other / held.games) for pair, (own, other) in points.items()}
    maps = {"all": ("points of the row against the column", _cells(held, shares))}
    maps["by-seat"] = "the same, the row moving first", by_seat(held)
    if held.exact:
        maps["exact"] = "the row moving first, exactly", exactly(held)
    order = [number for number, _ in held.ranking()]
    names = [held.agents[number].name for number in order]
    return [
        HeatMap(
            key, title, "", "", names, names, [[cells[a][b] for b in order] for a in order],
            scale="RdBu", most=1, percent=True,
        )
        for key, (title, cells) in maps.items()
    ]  # fmt: skip
