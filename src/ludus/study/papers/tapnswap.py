"""TapnSwap by a table of Q-values, grid search and tournaments, run again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.parts import Curves, Part, Result, Results, Words
from ludus.study.papers.lab import Lab
from ludus.study.papers.measured import games, right, won
from ludus.study.papers.paper import Experiment, Paper
from ludus.study.papers.tapnswap_claims import CLAIMS, plateau, what_would_have_worked, width
from ludus.study.papers.tapnswap_schedule import change_of_opponents, grid_search
from ludus.study.papers.tapnswap_tournaments import retraining
from ludus.study.papers.tapnswap_trainings import (
    AS_PAPER,
    BEST,
    GAME,
    OVER,
    best_of_figure_1,
    by_seeds,
    chance,
    figure_1,
    random_levels,
    tests_of_figure_1,
)
from ludus.study.papers.tapnswap_variants import discount, forbidden_strategy
from ludus.study.papers.verdict import series
from ludus.study.papers.working import Working

_GAMES = "games of training"


def first_games(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1: Figure 1."""
    tasks = [figure_1(lab, over, seed) for over in OVER for seed in lab.seeds]
    played, graded, best, *found = yield [*chance(lab), best_of_figure_1(lab), *tasks]
    legal, every = by_seeds(lab, found)
    lines = [one["lines"] for one in legal]
    both = {OVER["legal"]: lines, OVER["all"]: [one["lines"] for one in every], BEST: [best["lines"]]}
    won_at_random, right_at_random = random_levels(played, graded)
    wins = [series(name, games(each[0]), [won(one, "random") for one in each]) for name, each in both.items()]
    rights = [series(name, games(each[0]), [right(one) for one in each]) for name, each in both.items()]
    single = [
        series(f"seed {seed}", games(one), [won(one, "random")]) for seed, one in zip(lab.seeds, lines, strict=True)
    ]
    tested = f"Tests of {tests_of_figure_1(lab):,} games after every game of training, means over seeds."
    alone = "By the text. Plateaus, falls and rises are those of single trainings, which a mean does not show."
    kept = "Of all decisions that can be reached, the share that keeps what the position is worth."
    return [
        Words(_FIGURE_1 + _parted(legal, every)),
        Curves("figure-1", "Figure 1: won against random play", _GAMES, "won", wins, won_at_random, caption=tested),
        Curves("figure-1-seeds", "Figure 1, seed by seed", _GAMES, "won", single, won_at_random, caption=alone),
        Curves("figure-1-right", "Right decisions", _GAMES, "right", rights, right_at_random, caption=kept),
        Results("figure-1", _figure_1_results(lab, lines, both)),
    ]


_FIGURE_1 = (
    "The text's equation (3) means the best of what comes next, among the legal actions; the program takes the best of"
    " all 8, and since what was never taught is 0 there, no position is worth less than that. Both are run."
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
        found.append(lab.result(f"right decisions then, {name}", None, [right(one)[-1] for one in each]))
    return found


_ABOUT = (
    "Conti trains tables of Q-values on TapnSwap, against random play and against second learners of the same kind,"
    " for ten values of epsilon; tournaments choose who is trained further. From playing against the best agent he"
    " concludes that who does not start can always win. The game is small enough to be solved, position by position,"
    " so that each agent is also measured by the truth."
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
    settings=AS_PAPER | {"epsilon": "0.8", "opponent": "twin", "games": "100", "every": "1", "matches": "10000"},
)
