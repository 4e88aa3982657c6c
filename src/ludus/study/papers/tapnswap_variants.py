"""What the TapnSwap paper did not try, or held to be of no matter: a forbidden strategy, and the discount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.parts import Curves, Part, Table, Words
from ludus.study.papers.lab import Lab
from ludus.study.papers.measured import games, right, sure
from ludus.study.papers.tapnswap_tournaments import sure_words
from ludus.study.papers.tapnswap_trainings import (
    BEST,
    FORBIDDEN,
    GAMMAS,
    HALF,
    as_share,
    best_with_gamma,
    by_seeds,
    chance,
    forbidding,
    random_levels,
    with_gamma,
)
from ludus.study.papers.verdict import series
from ludus.study.papers.working import Working

_OWN_GAMMA = 0.95  # of the best learner
_GAMES = "games of training"
_FORBIDDEN = (
    "Forbidden to who moves second, in training: all that keeps a won game won, from the start or from ply 4 on; or"
    " only an action that wins at once. Where nothing else is left it is allowed. And one more: what wins is forbidden"
    " in the first half of the training, and nothing in the second. The truth, by which all are graded, knows no such"
    " rule."
)
_COLUMNS = ("in training", "right decisions", "own play, starting", "own play, second", "sure of, moving second")
_GAMMA = (
    "The paper's learner with a discount for each own move, and the best learner with the same. The discount tells a"
    " win now from a win later; without it both are worth the same, and an agent that knows the value of every position"
    " may still go round in circles."
)


def forbidden_strategy(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 5."""
    kinds = [*FORBIDDEN, HALF]
    tasks = [forbidding(lab, what, seed) for what in kinds for seed in lab.seeds]
    halves = [task.needs[0] for task in tasks if task.needs]
    strong = best_with_gamma(lab, _OWN_GAMMA)
    played, graded, best, *found = yield [*chance(lab), strong, *tasks, *halves]
    *groups, begun = by_seeds(lab, found)
    groups[-1] = [_joined(*both) for both in zip(begun, groups[-1], strict=True)]
    _, at_random = random_levels(played, graded)
    curves = [
        series(what, games(each[0]["lines"]), [right(one["lines"]) for one in each])
        for what, each in zip(kinds, groups, strict=True)
    ]
    best_curve = series(BEST, games(best["lines"]), [right(best["lines"])])
    rows = [(what, *_row(each)) for what, each in zip(kinds, groups, strict=True)]
    return [
        Words(_FORBIDDEN),
        Curves(
            "forbidden-right",
            "Right decisions",
            _GAMES,
            "right",
            [*curves, best_curve],
            at_random,
            caption="Epsilon 0.2 against a second learner; means over seeds.",
        ),
        Table(
            "forbidden",
            "What it does to the grade",
            _COLUMNS,
            [*rows, (BEST, *_row([best]))],
            "Means over seeds with their 95 % intervals. Own play: the decisions that can come up in that seat,"
            " whatever the opponent does.",
        ),
    ]


def _joined(first: Any, second: Any) -> Any:
    """Two trainings, of which the second began with what the first had learned, as one."""
    before = first["lines"][-1]["games"]
    return {"lines": [*first["lines"], *(line | {"games": line["games"] + before} for line in second["lines"])]}


def _row(found: Sequence[Any]) -> tuple[str, str, str, str]:
    grades = [one["lines"][-1]["grade"] for one in found]
    own = [[grade["own_play"][seat] for grade in grades] for seat in ("first", "second")]
    shares = [[right / max(decisions, 1) for decisions, right in each] for each in own]
    held = [sure_words(sure(one["lines"], "second")[-1]) for one in found]
    return (
        as_share([right(one["lines"])[-1] for one in found]),
        as_share(shares[0]),
        as_share(shares[1]),
        ", ".join(held),
    )


def discount(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 6."""
    tasks = [with_gamma(lab, gamma, seed) for gamma in GAMMAS for seed in lab.seeds]
    strong = [best_with_gamma(lab, gamma) for gamma in GAMMAS]
    played, graded, *found = yield [*chance(lab), *strong, *tasks]
    best, groups = found[: len(GAMMAS)], by_seeds(lab, found[len(GAMMAS) :])
    _, at_random = random_levels(played, graded)
    curves = [
        series(f"gamma {gamma:g}", games(each[0]["lines"]), [right(one["lines"]) for one in each])
        for gamma, each in zip(GAMMAS, groups, strict=True)
    ]
    best_curves = [
        series(f"{BEST}, gamma {gamma:g}", games(one["lines"]), [right(one["lines"])])
        for gamma, one in zip(GAMMAS, best, strict=True)
    ]
    rows = [(f"the paper's, gamma {gamma:g}", *_row(each)) for gamma, each in zip(GAMMAS, groups, strict=True)]
    rows += [(f"{BEST}, gamma {gamma:g}", *_row([one])) for gamma, one in zip(GAMMAS, best, strict=True)]
    caption = "Epsilon 0.4 against a second learner, means over seeds; and the best learner, one seed."
    return [
        Words(_GAMMA),
        Curves("gamma-right", "Right decisions", _GAMES, "right", [*curves, *best_curves], at_random, caption=caption),
        Table("gamma", "What the discount does to the grade", ("learner", *_COLUMNS[1:]), rows),
    ]
