"""TapnSwap by Q-learning, run again: figure 1, a forbidden strategy, and the discount; the schedule beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.report.document import Part, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import (
    BEST,
    SEATS,
    accuracy,
    accuracy_figure,
    curve,
    ends,
    guaranteed,
    mean,
    won,
    won_figure,
)
from ludus_papers.tapnswap import trainings
from ludus_papers.tapnswap.claims import CLAIMS, findings, plateau, what_would_have_worked, width
from ludus_papers.tapnswap.schedule import change_of_opponents, grid_search, retraining
from ludus_papers.tapnswap.trainings import AS_PAPER, GAME, HALF, OVER, chance

_OWN_GAMMA = 0.95  # of the best learner
_FIGURE_1 = (
    "The text's equation (3) means the best of what comes next, among the legal actions; the program takes the best of"
    " all 8, and since what was never taught is 0 there, no position has a lower value. Both are run."
)
_COLUMNS = ("in training", "optimal decisions", "own play, starting", "own play, second", "guaranteed, moving second")


def first_games(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1: Figure 1."""
    found = yield {
        "random": chance(lab),
        "best": trainings.best_of_figure_1(lab),
        "trained": trainings.both_ways(lab, trainings.figure_1),
    }
    random, legal, every = found["random"], found["trained"]["legal"], found["trained"]["all"]
    both = {OVER["legal"]: legal, OVER["all"]: every, BEST: [found["best"]]}
    wins, grades = ([curve(name, each, of) for name, each in both.items()] for of in (won, accuracy))
    single = [curve(f"seed {seed}", [one], won) for seed, one in zip(lab.seeds, legal, strict=True)]
    tested = f"Tests of {trainings.tests_of_figure_1(lab):,} games after every game of training, means over seeds."
    alone = "By the text. Plateaus, falls and rises are those of single trainings, which a mean does not show."
    graded = "Of all decisions that can be reached, the share in which an optimal action is chosen."
    same = sum(one["lines"] == other["lines"] for one, other in zip(legal, every, strict=True))
    count = legal[0]["lines"][-1]["games"]
    parted = f" At {same} of {len(legal)} seeds they do not part within {count} games: all tests are the same."
    long = [float(plateau(won(one["lines"]), width(lab))) for one in legal]
    results = [lab.result("the longest plateau, in games", "plateau", long)]
    for name, each in both.items():
        results.append(lab.result(f"won after the last game, {name}", None, ends(each, won)))
        results.append(lab.result(f"optimal decisions then, {name}", None, ends(each, accuracy)))
    title = "Figure 1: won against random play"
    return [
        Words(_FIGURE_1 + parted),
        won_figure("figure-1", wins, random.won, (), tested, title=title),
        won_figure("figure-1-seeds", single, random.won, (), alone, title="Figure 1, seed by seed"),
        accuracy_figure("figure-1-grade", grades, random.accuracy, (), graded),
        Results("figure-1", results),
    ]


def forbidden_strategy(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 5."""
    bans = trainings.by_ban(lab)
    found = yield {
        "random": chance(lab),
        "best": trainings.best_with_gamma(lab, _OWN_GAMMA),
        "trained": bans,
        "first half": [task.needs[0] for task in bans[HALF]],
    }
    trained, best = found["trained"], found["best"]
    trained[HALF] = [_joined(*both) for both in zip(found["first half"], trained[HALF], strict=True)]
    curves = [curve(what, each, accuracy) for what, each in (trained | {BEST: [best]}).items()]
    caption = "Epsilon 0.2 against a second learner; means over seeds."
    return [
        Words(
            "Forbidden to the second player in training: all that keeps a won game won, from the start or from ply 4"
            " on; or only an action that wins at once. Where nothing else is left it is allowed. And one more: what"
            " wins is forbidden in the first half of the training, and nothing in the second. The exact solution, by"
            " which all are graded, knows no such rule."
        ),
        accuracy_figure("forbidden-grade", curves, found["random"].accuracy, (), caption),
        Table(
            "forbidden",
            "What it does to the grade",
            _COLUMNS,
            [(what, *_row(each)) for what, each in (trained | {BEST: [best]}).items()],
            "Means over seeds with their 95 % intervals. Own play: the decisions that can come up in that seat,"
            " whatever the opponent does.",
        ),
    ]


def _joined(first: Any, second: Any) -> Any:
    """Two trainings, of which the second was initialised from the first, as one."""
    before = first["lines"][-1]["games"]
    return {"lines": [*first["lines"], *(line | {"games": line["games"] + before} for line in second["lines"])]}


def _row(found: Sequence[Any]) -> tuple[str, str, str, str]:
    grades = [one["lines"][-1]["grade"] for one in found]
    own = [[grade["own_play"][seat] for grade in grades] for seat in SEATS]
    first, second = ([optimal / max(decisions, 1) for decisions, optimal in each] for each in own)
    guarantees = ", ".join(guaranteed(one["lines"], "second")[-1] for one in found)
    return mean(ends(found, accuracy)).shown(), mean(first).shown(), mean(second).shown(), guarantees


def discount(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 6."""
    found = yield {"random": chance(lab), "best": trainings.best_by_gamma(lab), "trained": trainings.by_gamma(lab)}
    best = {f"{BEST}, gamma {gamma:g}": [one] for gamma, one in found["best"].items()}
    trained = {f"gamma {gamma:g}": each for gamma, each in found["trained"].items()}
    curves = [curve(name, each, accuracy) for name, each in (trained | best).items()]
    rows = [(f"the paper's, {name}", *_row(each)) for name, each in trained.items()]
    rows += [(name, *_row(each)) for name, each in best.items()]
    caption = "Epsilon 0.4 against a second learner, means over seeds; and the best learner, one seed."
    return [
        Words(
            "The paper's learner with a discount for each own move, and the best learner with the same. The discount"
            " makes a win now better than a win later; without it both have the same value, and an agent that knows"
            " the value of every position may still go round in circles."
        ),
        accuracy_figure("gamma-grade", curves, found["random"].accuracy, (), caption),
        Table("gamma", "What the discount does to the grade", ("learner", *_COLUMNS[1:]), rows),
    ]


PAPER = Paper(
    name="tapnswap",
    title="TapnSwap: Reinforcement Learning implementation",
    authors="J.-R. Conti, 2020",
    game=GAME,
    learner="q-table",
    about="Conti trains tables of Q-values on TapnSwap, against random play and against second learners of the same"
    " kind, for ten values of epsilon; tournaments choose who is trained further. From playing against the best agent"
    " he concludes that the player who does not start can always win. The game is small enough to be solved, position"
    " by position, so that each agent is also measured by the exact solution.",
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
    headline="figure-1-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings=AS_PAPER
    | {"epsilon": "0.8", "opponent": "twin", "games": "100", "eval_every": "1", "eval_games": "10000"},
    findings=findings,
)
