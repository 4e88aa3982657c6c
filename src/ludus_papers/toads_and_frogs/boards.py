"""The two games that the Toads and Frogs paper lists, move by move, with its Q-values and ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.learning.loop.evaluation import Line
from ludus.report.document import Bars, Board, Boards, Curves, Level, Listing, Part, Results, Series, Table, Words
from ludus.study.paper import FULL, Lab
from ludus.study.paper.tasks import Task, Working
from ludus.study.paper.verdict import Move, accuracy, games, mean, over_width, series, won
from ludus_papers.toads_and_frogs.tasks import (
    LARGE,
    MEDIUM,
    Size,
    annotation,
    as_paper,
    best_by_seat,
    best_training,
    chance_by_seat,
    evaluations,
    grades,
    outputs_on,
    seeds_of,
    tested,
    truths,
)


def highest_listed(lab: Lab, size: Size) -> tuple[list[Task], list[float]]:
    """What tells our networks' outputs on the listed strips of a board; and the paper's highest where ours are told."""
    moves = lab.moves(f"{size.key}-game")
    strips = [move.before for move in moves]
    squares = catalog.make_game(size.game).squares
    tasks = [outputs_on(as_paper(lab, size, seed), size.game, strips) for seed in seeds_of(lab, size)]
    return tasks, [max(move.q) for move in moves if len(move.before) == squares]


def listed_games(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's own games, with what is legal and what wins in each of its strips."""
    listed = [(size, lab.moves(f"{size.key}-game")) for size in (MEDIUM, LARGE)]
    strips = [[move.before for move in moves] for _, moves in listed]
    asked = [
        outputs_on(as_paper(lab, size, 0), size.game, each) for (size, _), each in zip(listed, strips, strict=True)
    ]
    found = yield [*(truths(each) for each in strips), *asked]
    told = [each for tells in found[: len(listed)] for each in tells]
    said = [each for tells in found[len(listed) :] for each in tells]
    moves = [(size, move) for size, moves in listed for move in moves]
    rows = [_row(*move, *rest) for move, *rest in zip(moves, told, said, strict=True)]
    judged = [each for each in told if each["wins"] is not None]
    idle = sum(each["wins"] == each["legal"] for each in judged)
    first = listed[0][1][0]
    return [
        Words(
            f"In {idle} of the {len(judged)} strips whose truth is known every legal move wins: there these games show"
            " no choice that mattered."
        ),
        Table("listed-games", "The two games of the paper", _COLUMNS, rows, _CAPTION),
        Boards(
            "listed-boards",
            "The blockade that the paper points out",
            [Board(_picture(strip), strip) for strip in (first.before, first.after)],
            caption="The move by which four pieces, TTFF, die.",
        ),
    ]


_COLUMNS = ("board", "strip", "squares", "the paper's Q-values", "ours, seed 0", "legal", "wins", "played", "which is")

_CAPTION = (
    "Toads to move; moves and Q-values by number, 1 for the toad furthest ahead. The boards have 14 and 21 squares: a"
    " strip of another length was misprinted, and a network cannot be asked about it. Where too much can follow, what"
    " wins is not told."
)


def _row(size: Size, move: Move, told: Any, said: list[float] | None) -> tuple[str | int, ...]:
    game = catalog.make_game(f"toads-and-frogs(strip={move.before})")
    pos = game.start()
    played = [action for action in actions(game.legal(pos)) if game.signs(game.play(pos, action)) == move.after]
    wins = told["wins"]
    if not played:
        verdict = "no move of the printed strip"
    elif wins is None:
        verdict = "not known"
    else:
        verdict = "a win" if played[0] in wins else "a mistake" if wins else "lost, like all"
    values = [_values(move.q), "another length" if said is None else _values(said)]
    numbers = [_numbers(told["legal"]), "not known" if wins is None else _numbers(wins), _numbers(played)]
    return (size.strip, f"`{move.before}`", len(move.before), *values, *numbers, verdict)


def _values(worth: Sequence[float]) -> str:
    return ", ".join(f"{each:g}" for each in worth)


def _numbers(moves: Sequence[int]) -> str:
    return ", ".join(str(action + 1) for action in moves) or "none"


def _picture(strip: str) -> str:
    game = catalog.make_game(f"toads-and-frogs(strip={strip})")
    return face.draw(game, game.start()).svg


AS_PAPER, BEST, CHANCE = "as the paper does it", "what would have worked", "random play"

PROTOCOLS = {
    "the text's": "text",
    "the program's": "program",
    "toads, first": "toads first",
    "toads, second": "toads second",
    "frogs, first": "frogs first",
    "frogs, second": "frogs second",
}


class Found(NamedTuple):
    """What came of a board: metrics by seed and of the best, the protocols, and what was graded."""

    size: Size
    lines: list[list[Line]]
    best: list[Line]
    protocols: list[dict[str, float]]
    best_protocols: dict[str, float]
    chance: dict[str, float]
    graded: list[Any]
    annotated: list[dict[str, Any]]


def found_on(lab: Lab, size: Size) -> Working[Found]:
    """Do all that an experiment on a board asks for."""
    trainings = [as_paper(lab, size, seed) for seed in seeds_of(lab, size)]
    best, number = best_training(lab, size), len(trainings)
    tasks = [*trainings, best, *evaluations(lab, size), best_by_seat(lab, size), chance_by_seat(lab, size)]
    *found, told = yield [*tasks, *grades(lab, size), annotation(trainings[0], size.game, 0)]
    protocols = found[number + 1 : 2 * number + 1]
    strong, chance, *graded = found[2 * number + 1 :]
    lines = [one["lines"] for one in found[:number]]
    return Found(size, lines, found[number]["lines"], protocols, strong, chance, graded, told)


def on_board(size: Size) -> Any:
    """How the experiment on a board is done."""

    def work(lab: Lab) -> Working[Sequence[Part]]:
        found = yield from found_on(lab, size)
        return [
            _losses(found),
            _bars(found),
            _wins(found),
            _grades(found),
            _results(lab, found),
            _time(lab, found),
            listing(size, found.annotated),
            *_boards(found),
        ]

    return work


def losses(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """The loss by games: its points, or if there are none yet, its means between measures."""
    points = [tuple(point) for line in lines for point in line["losses"]]
    return points or [(line["games"], line["loss"]) for line in lines if line["loss"] is not None]


def _losses(found: Found) -> Curves:
    curves = [dict(losses(lines)) for lines in found.lines]
    x = sorted(set.intersection(*(set(curve) for curve in curves)))
    return Curves(
        f"{found.size.key}-loss",
        f"Training loss on {found.size.strip}",
        "games",
        "Huber loss",
        [series(AS_PAPER, x, [[curve[games] for games in x] for curve in curves])],
        None,
        caption="The left half of the paper's figure. It says how well the network foretells its own targets, which"
        " move with it, and nothing of how well it plays; random play has no loss.",
        percent=False,
    )


def _bars(found: Found) -> Bars:
    ours = [mean([each[key] for each in found.protocols]) for key in PROTOCOLS.values()]
    others = [[each[key] for key in PROTOCOLS.values()] for each in (found.best_protocols, found.chance)]
    heights = [[each.mean for each in ours], *others]
    return Bars(
        f"{found.size.key}-protocols",
        f"Games won against random on {found.size.strip}, by protocol",
        "won",
        tuple(PROTOCOLS),
        (AS_PAPER, BEST, CHANCE),
        heights,
        [[each.bounds[0] for each in ours], *others],
        [[each.bounds[1] for each in ours], *others],
        caption="The right half of the paper's figure, by three protocols. The text's: toads, both sides beginning in"
        " turns, an illegal choice loses. The program's: the agent always moves first, and in every other game the"
        " toads' network is shown the strip as it is and moves the frogs. Ludus's: each side and seat apart. In"
        " training toads always begin.",
    )


def _wins(found: Found) -> Curves:
    x, size = games(found.lines[0]), found.size
    curves = [
        series(f"{AS_PAPER}, {seat}", x, [won(lines, "random", seat) for lines in found.lines]) for seat in _SEATS
    ]
    curves += [_scaled(f"{BEST}, {seat}", x, found.best, won(found.best, "random", seat)) for seat in _SEATS]
    return Curves(
        f"{size.key}-wins",
        f"Games won against random on {size.strip} in training",
        "games",
        "won",
        curves,
        Level(f"{CHANCE}, first", found.chance["toads first"]),
        [Level(f"{CHANCE}, second", found.chance["toads second"])],
        caption=_caption(found),
    )


_SEATS = "first", "second"


def _scaled(name: str, x: Sequence[float], lines: Sequence[Line], y: Sequence[float]) -> Series:
    """The best agent's curve, over the same width: its own games are another number."""
    return over_width(Series(name, games(lines), tuple(y)), x[-1])


def _caption(found: Found) -> str:
    last, all_of_them = _last(found.best), found.size.best_games[FULL]
    short = "" if last == all_of_them else f", a short training of {all_of_them:,} at full scale"
    return (
        f"The best agent ({found.size.best}) is drawn over the same width; it learned in {last:,} games of its own"
        f"{short}, the paper's in {_last(found.lines[0]):,}."
    )


def _last(lines: Sequence[Line]) -> int:
    return int(lines[-1]["games"])


def grade_curves(found: Found) -> tuple[list[Series], float]:
    """Accuracy over training, of the paper's learner and of the best agent; and of random play."""
    if found.size.is_listed:
        x = games(found.lines[0])
        ours = series(AS_PAPER, x, [accuracy(lines) for lines in found.lines])
        return [ours, _scaled(BEST, x, found.best, accuracy(found.best))], found.graded[0]["all"]["accuracy"]
    *graded, best = found.graded
    x = graded[0]["games"]
    ours = series(AS_PAPER, x, [one["accuracy"] for one in graded])
    strong = Series(BEST, tuple(best["games"]), tuple(best["accuracy"]))
    return [ours, over_width(strong, x[-1])], best["chance"]


def _grades(found: Found) -> Curves:
    curves, chance = grade_curves(found)
    sampled = (
        ""
        if found.size.is_listed
        else (
            " The board is too large to list: these are late positions of random games in which moves differ in value."
        )
    )
    return Curves(
        f"{found.size.key}-grade",
        f"Optimal decisions on {found.size.strip}",
        "games",
        "right",
        curves,
        Level(CHANCE, chance),
        caption=f"Decisions in which some moves win and others lose, judged by the truth.{sampled} {_caption(found)}",
    )


def _results(lab: Lab, found: Found) -> Results:
    key, protocols = found.size.key, found.protocols
    chance, (_, by_chance) = found.chance, grade_curves(found)
    told = [
        lab.result(
            "won by the text's protocol",
            f"{key}-wins",
            [each["text"] for each in protocols],
            f"by this protocol random play wins {chance['text']:.1%}; the author counted by the program's",
        ),
        lab.result("won by the program's protocol", f"{key}-wins", [each["program"] for each in protocols]),
        *(
            lab.result(
                f"won as toads, moving {seat}, an illegal choice loses",
                None,
                [each[f"strict {seat}"] for each in protocols],
            )
            for seat in _SEATS
        ),
        lab.result("random play by the program's protocol", f"{key}-random", [chance["program"]], whole=True),
        lab.result(
            "won as toads, moving first",
            f"{key}-first",
            [each["toads first"] for each in protocols],
            _WHY_SEATS,
            tested=tested(lab) // 2,
        ),
        lab.result(
            "won as toads, moving second",
            f"{key}-second",
            [each["toads second"] for each in protocols],
            _WHY_SEATS,
            tested=tested(lab) // 2,
        ),
        lab.result(f"optimal decisions at the end (random play: {by_chance:.1%})", None, _ends(found)),
    ]
    if not found.size.is_listed:
        seen = [float(lines[-1]["updates"]) for lines in found.lines]
        told.append(
            lab.result(
                "positions learned from", f"{key}-seen", seen, "perhaps because games end sooner or later as it plays"
            )
        )
    return Results(f"{key}-results", told)


_WHY_SEATS = "perhaps because the author's was trained by his program, which explores among all pieces"


def _ends(found: Found) -> list[float]:
    if found.size.is_listed:
        return [accuracy(lines)[-1] for lines in found.lines]
    return [one["accuracy"][-1] for one in found.graded[:-1]]


def _time(lab: Lab, found: Found) -> Words:
    seconds = mean([each["seconds"] for each in found.protocols]).mean
    there = {"small": "small-minutes", "large": "large-minutes"}.get(found.size.key)
    told = f" The paper's took about {lab.number(there).value:,.0f} minutes on its author's laptop." if there else ""
    return Words(
        f"A training of {_last(found.lines[0]):,} games took {seconds:,.1f} seconds here, measures included.{told}"
    )


# ---- a game with Q-values ----


def listing(size: Size, told: Sequence[dict[str, Any]]) -> Listing:
    """A game as the paper lists it, with what is legal and what wins."""
    lines = [_move(each) for each in told] or ["no game of fifty was won"]
    head = (
        "strip before the toads' move -> after it, the piece that they moved, and the Q-value of each,",
        "the toad furthest ahead first: (illegal), and ! for a move that wins",
    )
    return Listing(
        f"{size.key}-game.txt", f"The end of a game that the network won on {size.strip}", "\n".join([*head, *lines])
    )


def _move(told: dict[str, Any]) -> str:
    wins = told["wins"]
    outputs = ", ".join(
        f"{worth:g}" + ("!" if wins and action in wins else "") if action in told["legal"] else f"({worth:g})"
        for action, worth in enumerate(told["outputs"])
    )
    remark = "" if wins else "  which wins is not known" if wins is None else "  all lose"
    return f"{told['strip']} -> {told['after']}  plays {told['played'] + 1}  [{outputs}]{remark}"


def _boards(found: Found) -> list[Boards]:
    """The last choice of that game, if there was one, as a picture."""
    if not found.annotated:
        return []
    told = found.annotated[-1]
    pictures = []
    for strip, mover, words in (
        (told["strip"], "toads", "toads to move"),
        (told["after"], "frogs", "after their move"),
    ):
        game = catalog.make_game(f"toads-and-frogs(strip={strip}, first={mover})")
        pictures.append(Board(face.draw(game, game.start()).svg, f"{strip}, {words}"))
    return [Boards(f"{found.size.key}-boards", "The last choice of that game", pictures)]
