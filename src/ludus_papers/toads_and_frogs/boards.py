"""The three boards of the Toads and Frogs paper, and the two games that it lists with Q-values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import ludus
from ludus import face
from ludus.report.document import Bars, Board, Boards, Curves, Level, Listing, Part, Results, Series, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    SEATS,
    Line,
    Move,
    accuracy,
    accuracy_figure,
    curve,
    mean,
    none_of,
    over_width,
    series,
    won,
    won_figure,
)
from ludus_papers.toads_and_frogs import tasks
from ludus_papers.toads_and_frogs.tasks import LARGE, MEDIUM, Size, as_paper
from ludus_papers.toads_and_frogs.theory import large_game, passing, solving_strips

AS_PAPER = "as the paper does it"
_LISTED = {"medium": "medium-game", "large": "large-game-corrected"}  # by the key of the board
_COLUMNS = ("board", "strip", "the paper's Q-values", "ours, seed 0", "legal", "wins", "played", "which is")
_CAPTION = (
    "Toads to move; moves and Q-values by number, 1 for the toad furthest ahead. Winning moves on the large board are"
    " found by a pass over all arrangements of its pieces."
)
PROTOCOLS = {
    "the text's": "text",
    "the program's": "program",
    "toads, first": "toads first",
    "toads, second": "toads second",
    "frogs, first": "frogs first",
    "frogs, second": "frogs second",
}
_WHY_SEATS = (
    "the number is that of one network, and trainings differ widely; of what experiments 4 and 10 change, exploring"
    " legal moves alone and a learning rate of 0.001 raise the mean moving second, the layers and the copies do not"
)
_WHY_PROGRAM = (
    "random play by the same protocol is near; of what experiments 4 and 10 change, neither exploration nor the copies"
    " of the target network move the mean much, a larger learning rate raises it, and two layers lower it"
)


def highest_listed(lab: Lab, size: Size) -> tuple[list[Task], list[float]]:
    """Our networks' outputs on the listed strips of a board; and the paper's highest there."""
    moves = lab.moves(_LISTED[size.key])
    strips = [move.before for move in moves]
    asked = [tasks.outputs_on(as_paper(lab, size, seed), size.game, strips) for seed in lab.seeds]
    return asked, [max(move.q) for move in moves]


def listed_games(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's own games, with what is legal and what wins in each of their strips."""
    medium, large = (lab.moves(_LISTED[size.key]) for size in (MEDIUM, LARGE))
    strips = [move.before for move in medium]
    found = yield {
        "medium": solving_strips(strips),
        "large": passing(large_game(lab)),
        "outputs": [
            tasks.outputs_on(as_paper(lab, MEDIUM, 0), MEDIUM.game, strips),
            tasks.outputs_on(as_paper(lab, LARGE, 0), LARGE.game, [move.before for move in large]),
        ],
    }
    every = [*found["medium"], *found["large"][::2]]
    sizes, outputs = [MEDIUM] * len(medium) + [LARGE] * len(large), chain.from_iterable(found["outputs"])
    rows = [_row(*one) for one in zip(sizes, [*medium, *large], every, outputs, strict=True)]
    idle = sum(one["wins"] == one["legal"] for one in every)
    answers = [len(one["wins"]) for one in found["large"][1::2]]
    return [
        Words(
            f"In {none_of(idle, len(every))} strips every legal move of the toads wins, so these games show"
            f" {'no' if idle == len(every) else 'hardly any'} choice that mattered. After the toads' moves on the large"
            f" board the frogs have {' and '.join(map(str, sorted(set(answers))))} winning moves. Four of its eight"
            " strips are printed a square too short or too long; there is one way to put them right, and here they are"
            " so."
        ),
        Table("listed-games", "The two games of the paper", _COLUMNS, rows, _CAPTION),
        Boards(
            "listed-boards",
            "The blockade on the medium board",
            [Board(_picture(strip), strip) for strip in medium[0][:2]],
            caption="The move by which four pieces, TTFF, die.",
        ),
        Boards(
            "large-boards",
            "The blockade on the large board",
            [Board(_picture(strip, side), f"{strip}, {side} to move") for strip, side in _turns(large)],
            caption="The paper's game from its first listed move to its last; toads win from each of these strips,"
            " whatever they and the frogs do next."
            if idle == len(every) and not any(answers)
            else "The paper's game from its first listed move to its last.",
        ),
    ]


def _turns(moves: Sequence[Move]) -> list[tuple[str, str]]:
    """The strips of a game, each with the side to move."""
    return [turn for move in moves for turn in ((move.before, "toads"), (move.after, "frogs"))]


def _row(size: Size, move: Move, solved: Any, outputs: list[float]) -> tuple[str | int, ...]:
    game = ludus.make_game(f"toads-and-frogs(strip={move.before})")
    pos, wins = game.start(), solved["wins"]
    played = [action for action in ludus.actions(game.legal(pos)) if game.signs(game.play(pos, action)) == move.after]
    values = [", ".join(f"{one:g}" for one in each) for each in (move.q, outputs)]
    numbers = [_numbers(each) for each in (solved["legal"], wins, played)]
    verdict = "a win" if played[0] in wins else "a mistake" if wins else "lost, like all"
    return (size.strip, f"`{move.before}`", *values, *numbers, verdict)


def _numbers(moves: Sequence[int]) -> str:
    return ", ".join(str(action + 1) for action in moves) or "none"


def _picture(strip: str, mover: str = "toads") -> str:
    game = ludus.make_game(f"toads-and-frogs(strip={strip}, first={mover})")
    return face.draw(game, game.start()).svg


class Found(NamedTuple):
    """All that was found on a board: trainings by seed and the best one, protocols, grades, and a game."""

    size: Size
    trained: list[Any]
    best: Any
    protocols: list[dict[str, float]]
    best_protocols: dict[str, float]
    chance: dict[str, float]
    grades: dict[str, Any]
    game: list[dict[str, Any]]

    @property
    def last(self) -> int:
        """The games of a training."""
        return int(self.trained[0]["lines"][-1]["games"])

    def accuracies(self) -> list[float]:
        """The accuracy as toads at the end, by seed."""
        if self.size.is_listed:
            return list(self.grades["toads"])
        return [one["accuracy"][-1] for one in self.grades["trained"]]

    def random_accuracy(self) -> float:
        """The accuracy of random moves as toads."""
        return float(self.grades["random toads"] if self.size.is_listed else self.grades["best"]["chance"])


def found_on(lab: Lab, size: Size) -> Working[Found]:
    """Do all that an experiment on a board asks for."""
    trained = [as_paper(lab, size, seed) for seed in lab.seeds]
    found = yield {
        "trained": trained,
        "best": tasks.best_training(lab, size),
        "protocols": tasks.evaluations(lab, size),
        "best_protocols": tasks.best_by_seat(lab, size),
        "chance": tasks.chance_by_seat(lab, size),
        "grades": tasks.grades(lab, size),
        "game": tasks.annotation(trained[0], size.game),
    }
    return Found(size, **found)


def on_board(size: Size, lab: Lab) -> Working[Sequence[Part]]:
    """The experiment on a board."""
    found = yield from found_on(lab, size)
    return [
        _losses(found),
        _bars(found),
        _wins(found),
        _grades(found),
        _results(lab, found),
        _time(lab, found),
        _listing(size, found.game),
        *_boards(found),
    ]


def _losses(found: Found) -> Curves:
    curves = []
    for one in found.trained:
        means = {line["games"]: line["loss"] for line in one["lines"] if line["loss"] is not None}
        curves.append(dict(point for line in one["lines"] for point in line["losses"]) or means)
    x = sorted(set.intersection(*(set(each) for each in curves)))
    return Curves(
        f"{found.size.key}-loss",
        f"Training loss on {found.size.strip}",
        "games of training",
        "Huber loss",
        [series(AS_PAPER, x, [[each[games] for games in x] for each in curves])],
        None,
        caption="The left half of the paper's figure. It says how well the network predicts its own targets, which"
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
        (AS_PAPER, BEST, RANDOM),
        heights,
        [[each.bounds[0] for each in ours], *others],
        [[each.bounds[1] for each in ours], *others],
        caption="The right half of the paper's figure, by three protocols. The text's: toads, both sides starting"
        " alternately, an illegal choice loses. The program's: the agent always moves first, and in every other game"
        " the toads' network is shown the strip as it is and moves the frogs. Ludus's: each side and seat apart. In"
        " training toads always begin.",
    )


def _wins(found: Found) -> Curves:
    curves = []
    for seat in SEATS:

        def in_seat(lines: Sequence[Line], seat: str = seat) -> tuple[float, ...]:
            return won(lines, "random", seat)

        curves.append(curve(f"{AS_PAPER}, {seat}", found.trained, in_seat))
        curves.append(over_width(curve(f"{BEST}, {seat}", [found.best], in_seat), found.last))
    return won_figure(
        f"{found.size.key}-wins",
        curves,
        Level(f"{RANDOM}, first", found.chance["toads first"]),
        [Level(f"{RANDOM}, second", found.chance["toads second"])],
        _caption(found),
        title=f"Games won against random on {found.size.strip} in training",
    )


def _caption(found: Found) -> str:
    last, full = int(found.best["lines"][-1]["games"]), found.size.best_games[0]
    short = "" if last == full else f", a short training of {full:,} at full scale"
    return (
        f"The best agent ({found.size.best}) is drawn over the same width; it learned in {last:,} games of its own"
        f"{short}, the paper's in {found.last:,}."
    )


def _grades(found: Found) -> Curves:
    sampled = " These are positions of random games, whose values a pass over all arrangements finds."
    if found.size.is_listed:
        ours, best = curve(AS_PAPER, found.trained, accuracy), curve(BEST, [found.best], accuracy)
    else:
        graded, strong = found.grades["trained"], found.grades["best"]
        ours = series(AS_PAPER, graded[0]["games"], [one["accuracy"] for one in graded])
        best = Series(BEST, tuple(strong["games"]), tuple(strong["accuracy"]))
    caption = f"Decisions in which some moves win and others lose.{'' if found.size.is_listed else sampled}"
    return accuracy_figure(
        f"{found.size.key}-grade",
        [ours, over_width(best, ours.x[-1])],
        found.grades["random"]["all"]["accuracy"] if found.size.is_listed else found.random_accuracy(),
        (),
        f"{caption} {_caption(found)}",
        of=f" on {found.size.strip}",
    )


def _results(lab: Lab, found: Found) -> Results:
    key, chance = found.size.key, found.chance

    def by(protocol: str) -> list[float]:
        return [each[protocol] for each in found.protocols]

    why = f"by this protocol random play wins {chance['text']:.1%}; the author counted by the program's"
    games = tasks.tested(lab) // 2
    results = [
        lab.result("won by the text's protocol", f"{key}-wins", by("text"), why),
        lab.result("won by the program's protocol", f"{key}-wins", by("program"), _WHY_PROGRAM),
        *(
            lab.result(f"won as toads, moving {seat}, an illegal choice loses", None, by(f"strict {seat}"))
            for seat in SEATS
        ),
        lab.result("random play by the program's protocol", f"{key}-random", [chance["program"]], whole=True),
        *(
            lab.result(f"won as toads, moving {seat}", f"{key}-{seat}", by(f"toads {seat}"), _WHY_SEATS, tested=games)
            for seat in SEATS
        ),
        lab.result(
            f"optimal decisions as toads at the end (random moves: {found.random_accuracy():.1%})",
            None,
            found.accuracies(),
        ),
    ]
    if not found.size.is_listed:
        seen = [float(one["lines"][-1]["updates"]) for one in found.trained]
        why = "games end sooner where exploration makes illegal choices; among legal moves it is some 455,000"
        results.append(lab.result("positions learned from", f"{key}-seen", seen, why))
    return Results(f"{key}-results", results)


def _time(lab: Lab, found: Found) -> Words:
    seconds = mean([each["seconds"] for each in found.protocols]).mean
    words = f"A training of {found.last:,} games took {seconds:,.1f} seconds here, evaluations included."
    if found.size is not MEDIUM:
        minutes = lab.number(f"{found.size.key}-minutes").value
        words += f" The paper's took about {minutes:,.0f} minutes on its author's laptop."
    return Words(words)


def _listing(size: Size, game: Sequence[dict[str, Any]]) -> Listing:
    """A game as the paper lists it, with what is legal and what wins."""
    lines = [_move(each) for each in game] or ["no game of fifty was won"]
    head = (
        "strip before the toads' move -> after it, the piece that they moved, and the Q-value of each,",
        "the toad furthest ahead first: (illegal), and ! for a move that wins",
    )
    return Listing(
        f"{size.key}-game.txt", f"The end of a game that the network won on {size.strip}", "\n".join([*head, *lines])
    )


def _move(move: dict[str, Any]) -> str:
    wins = move["wins"]
    outputs = ", ".join(
        f"{value:g}" + ("!" if wins and action in wins else "") if action in move["legal"] else f"({value:g})"
        for action, value in enumerate(move["outputs"])
    )
    remark = "" if wins else "  which wins is not known" if wins is None else "  all lose"
    return f"{move['strip']} -> {move['after']}  plays {move['played'] + 1}  [{outputs}]{remark}"


def _boards(found: Found) -> list[Boards]:
    """The last choice of that game, if there was one, as a picture."""
    if not found.game:
        return []
    before, after = (found.game[-1][name] for name in ("strip", "after"))
    pictures = [
        Board(_picture(before), f"{before}, toads to move"),
        Board(_picture(after, "frogs"), f"{after}, after their move"),
    ]
    return [Boards(f"{found.size.key}-boards", "The last choice of that game", pictures)]
