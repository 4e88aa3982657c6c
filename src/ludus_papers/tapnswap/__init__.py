"""What the TapnSwap paper did not try, or held to be of no matter: a forbidden strategy, and the discount."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.report.document import Curves, Part, Result, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import accuracy, games, guaranteed, series, won
from ludus_papers.tapnswap.claims import CLAIMS, plateau, what_would_have_worked, width
from ludus_papers.tapnswap.schedule import change_of_opponents, grid_search
from ludus_papers.tapnswap.tournaments import retraining
from ludus_papers.tapnswap.trainings import (
    AS_PAPER,
    BEST,
    FORBIDDEN,
    GAME,
    GAMMAS,
    HALF,
    OVER,
    as_share,
    best_of_figure_1,
    best_with_gamma,
    by_seeds,
    chance,
    figure_1,
    forbidding,
    random_levels,
    tests_of_figure_1,
    with_gamma,
)

_OWN_GAMMA = 0.95  # of the best learner

_GAMES = "games of training"

_FORBIDDEN = (
    "Forbidden to who moves second, in training: all that keeps a won game won, from the start or from ply 4 on; or"
    " only an action that wins at once. Where nothing else is left it is allowed. And one more: what wins is forbidden"
    " in the first half of the training, and nothing in the second. The truth, by which all are graded, knows no such"
    " rule."
)

_COLUMNS = ("in training", "optimal decisions", "own play, starting", "own play, second", "guaranteed, moving second")

_GAMMA = (
    "The paper's learner with a discount for each own move, and the best learner with the same. The discount makes a"
    " win now better than a win later; without it both have the same value, and an agent that knows the value of every"
    " position may still go round in circles."
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
        series(what, games(each[0]["lines"]), [accuracy(one["lines"]) for one in each])
        for what, each in zip(kinds, groups, strict=True)
    ]
    best_curve = series(BEST, games(best["lines"]), [accuracy(best["lines"])])
    rows = [(what, *_row(each)) for what, each in zip(kinds, groups, strict=True)]
    return [
        Words(_FORBIDDEN),
        Curves(
            "forbidden-right",
            "Optimal decisions",
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
    held = [guaranteed(one["lines"], "second")[-1] for one in found]
    return (
        as_share([accuracy(one["lines"])[-1] for one in found]),
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
        series(f"gamma {gamma:g}", games(each[0]["lines"]), [accuracy(one["lines"]) for one in each])
        for gamma, each in zip(GAMMAS, groups, strict=True)
    ]
    best_curves = [
        series(f"{BEST}, gamma {gamma:g}", games(one["lines"]), [accuracy(one["lines"])])
        for gamma, one in zip(GAMMAS, best, strict=True)
    ]
    rows = [(f"the paper's, gamma {gamma:g}", *_row(each)) for gamma, each in zip(GAMMAS, groups, strict=True)]
    rows += [(f"{BEST}, gamma {gamma:g}", *_row([one])) for gamma, one in zip(GAMMAS, best, strict=True)]
    caption = "Epsilon 0.4 against a second learner, means over seeds; and the best learner, one seed."
    return [
        Words(_GAMMA),
        Curves(
            "gamma-right", "Optimal decisions", _GAMES, "right", [*curves, *best_curves], at_random, caption=caption
        ),
        Table("gamma", "What the discount does to the grade", ("learner", *_COLUMNS[1:]), rows),
    ]


_GAMES_OF_FIGURE_1 = "games of training"


def first_games(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1: Figure 1."""
    tasks = [figure_1(lab, over, seed) for over in OVER for seed in lab.seeds]
    played, graded, best, *found = yield [*chance(lab), best_of_figure_1(lab), *tasks]
    legal, every = by_seeds(lab, found)
    lines = [one["lines"] for one in legal]
    both = {OVER["legal"]: lines, OVER["all"]: [one["lines"] for one in every], BEST: [best["lines"]]}
    won_at_random, right_at_random = random_levels(played, graded)
    wins = [series(name, games(each[0]), [won(one, "random") for one in each]) for name, each in both.items()]
    rights = [series(name, games(each[0]), [accuracy(one) for one in each]) for name, each in both.items()]
    single = [
        series(f"seed {seed}", games(one), [won(one, "random")]) for seed, one in zip(lab.seeds, lines, strict=True)
    ]
    tested = f"Tests of {tests_of_figure_1(lab):,} games after every game of training, means over seeds."
    alone = "By the text. Plateaus, falls and rises are those of single trainings, which a mean does not show."
    kept = "Of all decisions that can be reached, the share in which an optimal action is chosen."
    return [
        Words(_FIGURE_1 + _parted(legal, every)),
        Curves(
            "figure-1",
            "Figure 1: won against random play",
            _GAMES_OF_FIGURE_1,
            "won",
            wins,
            won_at_random,
            caption=tested,
        ),
        Curves(
            "figure-1-seeds", "Figure 1, seed by seed", _GAMES_OF_FIGURE_1, "won", single, won_at_random, caption=alone
        ),
        Curves(
            "figure-1-right", "Optimal decisions", _GAMES_OF_FIGURE_1, "right", rights, right_at_random, caption=kept
        ),
        Results("figure-1", _figure_1_results(lab, lines, both)),
    ]


_FIGURE_1 = (
    "The text's equation (3) means the best of what comes next, among the legal actions; the program takes the best of"
    " all 8, and since what was never taught is 0 there, no position has a lower value. Both are run."
)


def _parted(legal: Sequence[Any], every: Sequence[Any]) -> str:
    """At how many seeds text and program came to the same at every test."""
    same = sum(one["lines"] == other["lines"] for one, other in zip(legal, every, strict=True))
    games = legal[0]["lines"][-1]["games"]
    return f" At {same} of {len(legal)} seeds they do not part within {games} games: all tests are the same."


def _figure_1_results(lab: Lab, lines: Sequence[Any], both: dict[str, Any]) -> list[Result]:
    long = [float(plateau(won(one, "random"), width(lab))) for one in lines]
    found = [lab.result("the longest plateau, in games", "plateau", long)]
    for name, each in both.items():
        found.append(lab.result(f"won after the last game, {name}", None, [won(one, "random")[-1] for one in each]))
        found.append(lab.result(f"optimal decisions then, {name}", None, [accuracy(one)[-1] for one in each]))
    return found


_ABOUT = (
    "Conti trains tables of Q-values on TapnSwap, against random play and against second learners of the same kind,"
    " for ten values of epsilon; tournaments choose who is trained further. From playing against the best agent he"
    " concludes that who does not start can always win. The game is small enough to be solved, position by position,"
    " so that each agent is also measured by the exact solution."
)


PAPER = Paper(
    name="tapnswap",
    title="TapnSwap: Reinforcement Learning implementation",
    authors="J.-R. Conti, 2020",
    game=GAME,
    learner="q-table",
    about=_ABOUT,
    experiments=(
        Experiment(
            "1",
            "The learning curve of Figure 1",
            "An agent with epsilon 0.8 learns vsSelf for 100 games, and after each is tested with 10,000 games against"
            " random play.",
            first_games,
        ),
        Experiment(
            "2",
            "Grid search",
            "Epsilon 0.1 to 1.0, vsRandom and vsSelf, 5,000 games each, tested every 1,000 with 10,000 games; then the"
            " first tournament.",
            grid_search,
        ),
        Experiment(
            "3",
            "Change of opponents",
            "All agents again, and each also with the other opponent: 40 agents of 10,000 games, and the second"
            " tournament.",
            change_of_opponents,
        ),
        Experiment(
            "4",
            "Retraining the best: tournaments three to seven, and put-backs",
            "Those with at least 0.3 of the best total score learn on for 40,000 games, and four times for 50,000, with"
            " a tournament each time.",
            retraining,
        ),
        Experiment(
            "5",
            "The winning strategy forbidden",
            "Named as a way of improvement, not tried: forbid the optimal strategy, at some point or at the last move.",
            forbidden_strategy,
        ),
        Experiment(
            "6",
            "The discount",
            "Not tried: the paper holds that gamma is not relevant, since the only reward is at the end.",
            discount,
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 3, "tiny": 1},
    headline="figure-1-right",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings=AS_PAPER
    | {"epsilon": "0.8", "opponent": "twin", "games": "100", "eval_every": "1", "eval_games": "10000"},
)
