"""Toads and Frogs by deep Q-learning, run again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ludus.report.document import Best, Table
from ludus.study.paper import FULL, Experiment, Lab, Paper
from ludus.study.paper.tasks import Working, grading
from ludus.study.paper.verdict import accuracy
from ludus_papers.toads_and_frogs import variants
from ludus_papers.toads_and_frogs.boards import listed_games, on_board
from ludus_papers.toads_and_frogs.claims import OF_AGENTS
from ludus_papers.toads_and_frogs.tasks import LARGE, MEDIUM, SIZES, SMALL, best_by_seat, best_training, grades
from ludus_papers.toads_and_frogs.theory import OF_THE_GAME


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """Self-play from anywhere, by a network or a table, on each board."""
    found = yield {
        "trained": {size.key: best_training(lab, size) for size in SIZES},
        "protocols": {size.key: best_by_seat(lab, size) for size in SIZES},
        "sample": grades(lab, LARGE)["best"],
        "grade": grading(best_training(lab, SMALL), SMALL.game),
    }
    shares = {key: accuracy(one["lines"])[-1] for key, one in found["trained"].items() if key != LARGE.key}
    shares[LARGE.key] = found["sample"]["accuracy"][-1]
    rows: list[tuple[str | int, ...]] = [
        (
            size.strip,
            size.best,
            lab.pick(*size.best_games),
            f"{shares[size.key]:.1%}",
            *(f"{found['protocols'][size.key][seat]:.1%}" for seat in _SEATS),
        )
        for size in SIZES
    ]
    small = found["grade"]["all"]
    cost = ", ".join(f"{lab.pick(*size.best_games):,} games of {size.best} on {size.strip}" for size in SIZES)
    return Best(
        "self-play, in which each move is judged by the best that the other side can make of it: `dqn` on the small and"
        " the large board, `q-table` on the medium one",
        cost + ("" if lab.scale == FULL else "; more of them at full scale"),
        f"optimal in {small['optimal']:,.0f} of {small['decisions']} decisions on {SMALL.strip}, in"
        f" {shares[MEDIUM.key]:.1%} on {MEDIUM.strip}",
        "ludus train toads-and-frogs dqn --preset strong",
        [
            Table(
                "best",
                "What would have worked: optimal decisions, and games won against random by side and seat",
                ("board", "learner", "games", "optimal decisions", *_SEATS),
                rows,
                caption=f"Optimal decisions on {LARGE.strip} are of a sample of late positions. One seed each.",
            )
        ],
        short=lab.scale != FULL,
    )


_SEATS = "toads first", "toads second", "frogs first", "frogs second"


PAPER = Paper(
    name="toads-and-frogs",
    title="Reinforcement Learning in Toads and Frogs",
    authors="L. Garwood",
    game="toads-and-frogs",
    learner="dqn",
    about="A network with three hidden layers learned to play toads against a random opponent by deep Q-learning, on"
    " three boards, and was measured by 1,000 games against random. The program's protocol lets the agent always move"
    " first, and asks the toads' network to move frogs in every other game. Here each side and seat is measured apart,"
    " random play by the same protocols beside it, and every decision by the truth, on the large board by a sample. In"
    " training by the paper's settings toads always begin.",
    experiments=(
        Experiment(
            "1",
            f"The small board, {SMALL.strip}",
            f"{SMALL.trained[0]:,} episodes against random, a loss curve, and 1,000 games against random.",
            partial(on_board, SMALL),
        ),
        Experiment(
            "2",
            f"The medium board, {MEDIUM.strip}",
            f"{MEDIUM.trained[0]:,} episodes against random, the same figures, and the end of a game with Q-values.",
            partial(on_board, MEDIUM),
        ),
        Experiment(
            "3",
            f"The large board, {LARGE.strip}",
            f"{LARGE.trained[0]:,} episodes against random, the same figures, and a part of a game with Q-values.",
            partial(on_board, LARGE),
        ),
        Experiment(
            "4",
            "Where text and program differ",
            "The text explores among legal moves, the program among all pieces; in play an illegal choice loses by the"
            " text, and is a random legal move in the program.",
            variants.text_and_program,
        ),
        Experiment(
            "5",
            "Self-play that failed",
            "A toad and a frog agent, each trained against random, continued against each other in epochs.",
            variants.against_each_other,
        ),
        Experiment(
            "6",
            "A reward for Death Leaps",
            "An extra reward for entering a position that the Death Leap Principle makes zero.",
            variants.death_leap,
        ),
        Experiment(
            "7",
            "Dead pieces",
            "The paper reads an understanding of dead pieces and blockades off two games; here it is tested.",
            variants.dead_pieces_test,
        ),
        Experiment("8", "The games that the paper lists", "Two games move by move, with Q-values.", listed_games),
        Experiment(
            "9", "The end bots", "Bots that always move the piece furthest ahead, or furthest back.", variants.end_bots
        ),
    ),
    claims=(*OF_THE_GAME, *OF_AGENTS),
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="small-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
)
