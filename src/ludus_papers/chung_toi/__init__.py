"""Chung Toi by TD(lambda), run again."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from ludus.report.document import PROVED, Findings, NotCovered
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Working, solving
from ludus.study.paper.verdict import SEATS, accuracy, games, guaranteed, none_of
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.beyond import beyond_board_games
from ludus_papers.chung_toi.boards import positions
from ludus_papers.chung_toi.claims import CLAIMS, always_loses
from ludus_papers.chung_toi.curves import another_opponent, by_way, more_games, training_curve, what_would_have_worked
from ludus_papers.chung_toi.plan import BY_TEXT, EASY, GAME, NO_JUMPING
from ludus_papers.chung_toi.readings import by_reading, compared
from ludus_papers.chung_toi.variants import lambdas, other_settings


def findings(lab: Lab) -> Working[Findings]:
    """Which reading gives the paper's curve, whether there are draws, and our table beside its networks."""
    found = yield {
        "game": solving(GAME),
        "readings": by_reading(lab),
        "ways": by_way(lab),
        "table": plan.best_table(lab),
    }
    truth, ways, lines = found["game"], found["ways"], found["table"]["lines"]
    graded = [each for one in ways.values() for each in one.graded]
    lost, drawn, counts = sum(map(always_loses, graded)), truth["score"] == 0, truth["counts"]
    by_text, easy, helped = (
        [fmean(max((found["readings"][one][end] for one in ones), key=fmean)) for end in (0, 1)]
        for ones in (BY_TEXT, [EASY], [NO_JUMPING])
    )
    most = max(fmean(one.accuracies()) for one in ways.values())
    paper = [lab.number(key).value for key in ("untrained", "trained")]
    return Findings(
        [
            f"The paper's network wins {paper[0]:.0%} of its games before training and nearly {paper[1]:.0%} after it,"
            f" by its text without help and against a smart opponent: so measured, ours win at most {by_text[0]:.1%}"
            f" and {by_text[1]:.1%}.",
            f"Against plainly random play, with wins taken by their result, ours win {easy[0]:.1%} and {easy[1]:.1%};"
            " against the smart opponent, but with help in play and where pieces cannot jump,"
            f" {helped[0]:.1%} and {helped[1]:.1%}.",
            f"That there are no draws is {'refuted' if drawn else PROVED} by the solution of all"
            f" {counts['positions']:,} positions, of which {counts['draws']:,} are draws"
            f"{', the start among them' if drawn else ''}; {none_of(lost, len(graded))} trained networks lose to the"
            f" best opponent in both seats, and our table, optimal in {accuracy(lines)[-1]:.1%} of all decisions after"
            f" {games(lines)[-1]:,.0f} games (the networks in {most:.1%} at most), is guaranteed"
            f" {' and '.join(f'a {guaranteed(lines, seat)[-1]} moving {seat}' for seat in SEATS)}.",
        ],
        f"Next: `ludus play {GAME} --against perfect --hints` shows the exact value of every move.",
    )


_NOT_COVERED = (
    NotCovered(
        "Reinforcement learning had not been applied to Chung Toi before (section 1).",
        "A statement about the literature of 2011, which no run can test.",
    ),
    NotCovered(
        "Tesauro's backgammon player challenged people of world class (section 1).",
        "The result of another paper, cited here.",
    ),
    NotCovered(
        "Coding the rules, finding all legal moves and playing strategies are among the hardest parts (section 3.1).",
        "A judgement about the work of programming.",
    ),
    NotCovered(
        "Which parameter settings and implementation variants were tried (section 5).",
        "The paper does not list them; experiment 2 runs twelve of our choice.",
    ),
    NotCovered(
        "Whether the network would challenge a person (section 5).",
        "No people were asked; the claim is judged by the best opponent there is.",
    ),
    NotCovered(
        "Many more games significantly increase the computation time (section 5).",
        "True by counting; the seconds of every training stand in the table of tasks.",
    ),
    NotCovered(
        "Figures 1 and 2, the board and a diagram of reinforcement learning.",
        "They show no result; the board is drawn with experiment 1.",
    ),
)

PAPER = Paper(
    name="chung-toi",
    title="A brief tutorial on reinforcement learning: The game of Chung Toi",
    authors="C. J. Gatti, J. D. Linton, M. J. Embrechts, 2011",
    game=GAME,
    learner="td-lambda",
    about="A network of 30 hidden units learned the value of positions by TD(lambda) and self-play, and was measured as"
    " first player against a random opponent that takes wins and blocks. The text gives it no such help in evaluation,"
    " and is silent on the value of final positions and on how far a piece moves: 24 readings are run, four ways of"
    " play against two opponents by three rules. The game is solved, position by position, so that every network is"
    " also measured by the exact solution.",
    experiments=(
        Experiment(
            "1",
            "The training curve",
            "2,000 games of self-play, and after every 100 of them 300 against a smart random opponent.",
            (compared, training_curve, positions),
            answers="figures 1 and 3; sections 3.3 and 4: about 50 % upon initialization, nearly 90 % after training",
        ),
        Experiment(
            "2",
            "Other settings",
            "Both parameters were annealed, the text does not say how; many settings were tried.",
            other_settings,
            answers="section 3.4: the settings, annealed; section 5: variations may also allow the network to learn",
        ),
        Experiment(
            "3",
            "Lambda towards 0 and 1",
            "The temporal discount factor lambda says from which later states a position learns.",
            lambdas,
            answers="section 3.2: as lambda nears 0 the subsequent state only, as it nears 1 all subsequent states",
        ),
        Experiment(
            "4",
            "More games",
            "More training should improve it further, upwards of hundreds of thousands of games.",
            more_games,
            answers="section 4: additional training; section 5: upwards of hundreds of thousands of games",
        ),
        Experiment(
            "5",
            "Another opponent",
            "Other training strategies than self-play may serve better.",
            another_opponent,
            answers="section 5: other training strategies may increase the expertise and the speed of learning",
        ),
        Experiment(
            "6",
            "Beyond board games",
            "The aim is a framework for game-like decisions beyond board games, such as options and portfolios.",
            beyond_board_games,
            answers="abstract, sections 1 and 5: options and portfolios",
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="fit",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
    findings=findings,
    not_covered=_NOT_COVERED,
)
