"""TapnSwap by Q-learning, run again: figure 1, a forbidden strategy, and the discount; the schedule beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.report.document import NotCovered, Part, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Working
from ludus.study.paper.verdict import (
    BEST,
    SEATS,
    accuracy,
    accuracy_figure,
    curve,
    difference,
    ends,
    guaranteed,
    mean,
    won,
    won_figure,
)
from ludus_papers.tapnswap import trainings
from ludus_papers.tapnswap.claims import CLAIMS, findings, plateau, what_would_have_worked, width
from ludus_papers.tapnswap.schedule import (
    change_of_opponents,
    exchanged_opponents,
    grid_search,
    grid_tests,
    one_by_one,
    retraining,
    retraining_by_the_text,
    two_tournaments,
    two_tournaments_by_the_text,
)
from ludus_papers.tapnswap.trainings import AS_PAPER, GAME, HALF, NAMES, READINGS, chance

_OWN_GAMMA = 0.95  # of the best learner
_SINGLE = 5  # seeds that are drawn one by one
_PLATEAU = "The paper reads the length off one curve; the stretch within a test's interval is our measure of it."
_FIGURE_1 = (
    "The text's equation (3) means the best of what comes next, among the legal actions; the program takes the best of"
    " all 8, and since what was never taught is 0 there, no position has a lower value. It also takes the first of"
    " equally good actions. Both are run."
)
_COLUMNS = ("in training", "optimal decisions", "own play, starting", "own play, second", "guaranteed, moving second")


def first_games(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 1: Figure 1."""
    found = yield {
        "random": chance(lab),
        "best": trainings.best_of_figure_1(lab),
        "trained": trainings.both_ways(lab, trainings.figure_1),
    }
    random, trained = found["random"], found["trained"]
    program, text = trained["program"], trained["text"]
    both = {NAMES[reading]: each for reading, each in trained.items()} | {BEST: [found["best"]]}
    wins, grades = ([curve(name, each, of) for name, each in both.items()] for of in (won, accuracy))
    single = [curve(f"seed {seed}", [one], won) for seed, one in zip(lab.seeds, program[:_SINGLE], strict=False)]
    tested = f"Tests of {trainings.tests_of_figure_1(lab):,} games after every game of training, means over seeds."
    alone = "By the program. Plateaus, falls and rises are those of single trainings, which a mean does not show."
    graded = "Of all decisions that can be reached, the share in which an optimal action is chosen."
    count = program[0]["lines"][-1]["games"]
    parted = difference(ends(program, won), ends(text, won))
    words = f" After {count} games the program's share of games won differs by {parted.gained()} from the text's."
    results = []
    for reading, each in trained.items():
        long = [float(plateau(won(one["lines"]), width(lab))) for one in each]
        results.append(lab.result(f"the longest plateau, in games, {reading}", "plateau", long, _PLATEAU))
        results.append(lab.result(f"won after the last game, {NAMES[reading]}", None, ends(each, won)))
        results.append(lab.result(f"optimal decisions then, {NAMES[reading]}", None, ends(each, accuracy)))
    title = "Figure 1: won against random play"
    return [
        Words(_FIGURE_1 + words),
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


def rates(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 7: learning rates."""
    found = yield {"random": chance(lab), "trained": trainings.by_rates(lab)}
    trained = found["trained"]
    curves = [curve(name, each, accuracy) for name, each in trained.items()]
    rows = [(name, *_row(each)) for name, each in trained.items()]
    caption = "Epsilon 0.4 against a second learner, means over seeds."
    return [
        accuracy_figure("rates-grade", curves, found["random"].accuracy, (), caption),
        Table("rates", "What the learning rate does to the grade", ("learning rate", *_COLUMNS[1:]), rows),
    ]


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
            answers="figure 1 and the paragraph below it",
        ),
        Experiment(
            "2",
            "Grid search",
            "Epsilon 0.1 to 1.0, vsRandom and vsSelf, 5,000 games each, tested every 1,000 with 10,000 games; then the"
            " first tournament.",
            (grid_search, grid_tests, one_by_one),
            answers="section 4, Implementation, second paragraph; the files Models/train; the screen on the first page",
        ),
        Experiment(
            "3",
            "Change of opponents",
            "All agents again, and each also with the other opponent: 40 agents of 10,000 games, and the second"
            " tournament.",
            (change_of_opponents, two_tournaments, two_tournaments_by_the_text, exchanged_opponents),
            answers="section 4, Implementation, second paragraph; Models/results/tournament1.txt and tournament2.txt",
        ),
        Experiment(
            "4",
            "Retraining the best: tournaments three to seven, and put-backs",
            "Those with at least 0.3 of the best total score learn on for 40,000 games, and four times for 50,000, with"
            " a tournament each time.",
            (retraining, retraining_by_the_text),
            answers="section 4, Implementation, last two paragraphs; Models/results/tournament3.txt to tournament7.txt",
        ),
        Experiment(
            "5",
            "The winning strategy forbidden",
            "Named as a way of improvement, not tried: forbid the optimal strategy, at some point or at the last move.",
            forbidden_strategy,
            answers="section 4, Results, last sentence",
        ),
        Experiment(
            "6",
            "The discount",
            "Not tried: the paper holds that gamma is not relevant, since the only reward is at the end.",
            discount,
            answers="section 2, Training in practice, on gamma; equations (1) to (3)",
        ),
        Experiment(
            "7",
            "The learning rate",
            "One over the number of visits, chosen because Q-learning converges with such rates.",
            rates,
            answers="section 2, Q-learning, below equation (4)",
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="figure-1-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings=AS_PAPER
    | READINGS["program"]
    | {"epsilon": "0.8", "opponent": "twin", "games": "100", "eval_every": "1", "eval_games": "10000"},
    findings=findings,
    not_covered=(
        NotCovered(
            "The author, who knew the game well, could not beat his best agent a single time when he moved first.",
            "Games of a person cannot be repeated; what the agent can be held to is computed instead, in the claims.",
        ),
        NotCovered(
            "Play on the shell with a learning agent during training; the menu, names and pictures of the game.",
            "These are features of a program, not results: `ludus play tapnswap` and `ludus watch` offer the same.",
        ),
        NotCovered(
            "delta_t is an unbiased estimator of the Bellman error (below equation 3).",
            "A statement of theory about one step, on which no result of the paper rests.",
        ),
        NotCovered(
            "Killing one hand might not be part of an optimal strategy, so rewards come at the end of games only.",
            "A reason for a choice of the method, which is kept in all experiments; no other rewards are compared.",
        ),
        NotCovered(
            "The author's further rounds on his own machine, up to a million games.",
            "His later rankings are not published; two further rounds are run here for the claim about the best three.",
        ),
    ),
)
