"""Which trainings the Mancala paper consists of, at which stages they are told, and how long they are at each scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.report.parts import Level
from ludus.study.papers.lab import Lab
from ludus.study.papers.mancala_learning import GAME, asking, judging, learning
from ludus.study.papers.task import Task
from ludus.study.papers.tasks import matching, random_play, training

BEST = "what would have worked"
TEXT, PROGRAM = "as the text says", "as the program does: by the result of the game before"
VARIANTS = {"70/70": (0.7, 0.7), "50/50": (0.5, 0.5), "90/50": (0.9, 0.5), "50/90": (0.5, 0.9)}
LAST = 150_500

# The stages of the paper's charts, three to a chart.
_FIRST = ((30, 50, 100), (500, 1500, 2500), (10_500, 30_500, 50_500))
_OTHERS = ((30, 50, 100), (500, 1000, 2000), (5000, 10_000, 50_000))
_PROGRAM: dict[str, Any] = {"late": "true", "shrink": "0.8"}
LOOKS_AHEAD = "minimax(depth=2)"  # stands for a person of some skill


def charts(lab: Lab, variant: str) -> list[list[int]]:
    """The stages of each chart; on smaller scales those of later charts come sooner."""
    found = _FIRST if variant == "70/70" else _OTHERS
    sooner = lab.pick(full=(1, 1, 1), quick=(1, 1, 10), tiny=(1, 10, 100))
    return [[stage // by for stage in chart] for chart, by in zip(found, sooner, strict=True)]


def all_stages(lab: Lab, variant: str) -> list[int]:
    """Those of all charts, each once."""
    return sorted({stage for chart in charts(lab, variant) for stage in chart})


def last(lab: Lab) -> int:
    """The games of a whole training."""
    return LAST // lab.pick(full=1, quick=10, tiny=250)


def _stages(lab: Lab, variant: str, games: int) -> list[int]:
    return sorted({stage for stage in all_stages(lab, variant) if stage < games} | {games})


def sample(lab: Lab) -> list[Task]:
    """Positions whose truth is searched."""
    return [judging(lab.pick(full=60, quick=15, tiny=5), seed) for seed in range(lab.pick(full=4, quick=2, tiny=1))]


def self_play(lab: Lab, variant: str, seed: int, *, late: bool = False) -> Task:
    """A variant against itself."""
    words = _words(variant) | (_PROGRAM if late else {})
    return _learning(
        lab, words, _stages(lab, variant, last(lab)), seed, lab.pick(full=5 if late else 1, quick=5, tiny=1)
    )


def _words(variant: str) -> dict[str, str]:
    win, loss = VARIANTS[variant]
    return {"win": str(win), "loss": str(loss)}


def _learning(lab: Lab, words: dict[str, str], stages: list[int], seed: int, every: int) -> Task:
    matches = lab.pick(full=10_000, quick=2_000, tiny=200)
    return learning(words, stages, seed, every=every, matches=matches, sample=sample(lab))


def against_random(lab: Lab, seed: int, *, late: bool = False, long: bool = False) -> Task:
    """70/70 against random play, moving first; long: for twice as many games as self-play has."""
    games = 2 * last(lab) if long else 100_000 // lab.pick(full=1, quick=10, tiny=250)
    words = _words("70/70") | {"opponent": "random", "seats": "first"} | (_PROGRAM if late else {})
    return _learning(lab, words, _stages(lab, "70/70", games), seed, lab.pick(full=5, quick=5, tiny=1))


def long_run(lab: Lab) -> Task:
    """70/70 against itself for a couple of million games, and a match with a player who looks two plies ahead."""
    games = lab.pick(full=2_000_000, quick=60_000, tiny=1_000)
    matches = lab.pick(full=10_000, quick=2_000, tiny=200)
    stages = [games * quarter // 4 for quarter in (1, 2, 3, 4)]
    return learning(
        _words("70/70"), stages, 0, every=games // 1000, matches=matches, rivals={LOOKS_AHEAD: _people(lab)}
    )


def best(lab: Lab) -> Task:
    """A small network that learns by TD(lambda)."""
    games = lab.pick(full=200_000, quick=6_000, tiny=200)
    return training(
        GAME,
        "td-lambda",
        1,  # the settings were found with seed 0
        hidden=40,
        view="mover",
        epsilon=0.1,
        alpha=f"0.003..0@{games}",
        trace=0.6,
        games=games,
        every=games // 20,
        matches=lab.pick(full=2_000, quick=400, tiny=100),
        grade="no",
    )


def people(lab: Lab, agent: str | Task) -> Task:
    """A match against a player who looks two plies ahead."""
    return matching(GAME, agent, LOOKS_AHEAD, _people(lab), 0)


def _people(lab: Lab) -> int:
    return lab.pick(full=100, quick=40, tiny=10)


def looking_self_play(lab: Lab, depth: int) -> Task:
    """Players who look so many plies ahead, among themselves."""
    return matching(
        GAME, f"minimax(depth={depth})", f"minimax(depth={depth})", lab.pick(400, 200, 10), 0, seats="first"
    )


def best_right(lab: Lab) -> Task:
    """How often the best agent is right in the sample."""
    return asking(best(lab), sample(lab))


def searcher(lab: Lab) -> str:
    """An agent that learns nothing, and searches."""
    return f"mcts(sims={lab.pick(full=1000, quick=200, tiny=20)})"


def searcher_right(lab: Lab) -> Task:
    """How often that is right in the sample."""
    return asking(searcher(lab), sample(lab))


def chance(lab: Lab) -> Task:
    """Random play."""
    return random_play(GAME, lab.pick(full=1_000_000, quick=200_000, tiny=2_000), 0)


def untaught(lab: Lab) -> Task:
    """A learner whom nothing is taught, which is random play; told as the others are."""
    games = lab.pick(full=100_000, quick=20_000, tiny=500)
    return learning({"win": "0", "loss": "0"}, [games], 0, every=lab.pick(full=1, quick=5, tiny=1), matches=0)


def random_shares(played: Any) -> list[float]:
    """Of random play: wins of player 1, of player 2, and ties."""
    return [played[name] / played["games"] for name in ("first_wins", "second_wins", "ties")]


def beside(played: Any) -> dict[str, list[float]]:
    """What stands beside the bars of each chart."""
    return {"random play": random_shares(played)}


def won_level(played: Any) -> Level:
    """What random play wins of games from either seat alike."""
    first, second, _ = random_shares(played)
    return Level("random play", (first + second) / 2)


def right_level(judged: Sequence[Any]) -> Level:
    """How often random play is right in the sample."""
    decisions = sum(each["decisions"] for each in judged)
    return Level("random play", sum(each["decisions"] * each["right"] for each in judged) / max(decisions, 1))


# ---- small boards ----


def boards(lab: Lab) -> list[str]:
    """Boards that can be listed."""
    sizes = lab.pick(full=[(3, 2), (3, 3)], quick=[(3, 2)], tiny=[(2, 2)])
    return [f"mancala(holes={holes}, stones={stones})" for holes, stones in sizes]


def small(lab: Lab, board: str, seed: int, *, late: bool = False) -> Task:
    """70/70 on a small board, graded against the truth."""
    return training(board, "move-weights", seed, **_small(lab), **(_PROGRAM if late else {}))


def small_chance(lab: Lab, board: str) -> Task:
    """Random play on a small board."""
    return random_play(board, lab.pick(full=100_000, quick=20_000, tiny=500), 0)


def small_best(lab: Lab, board: str) -> Task:
    """A table that learns the score from the end of games that begin anywhere."""
    words: dict[str, Any] = {
        "epsilon": 0,
        "alpha": 1,
        "margin": "true",
        "exploring": 20,
        "astray": "both",
        "backward": "true",
    }
    return training(board, "q-table", 0, symmetry="true", **words, **_small(lab))


def _small(lab: Lab) -> dict[str, Any]:
    games = lab.pick(full=LAST, quick=20_000, tiny=200)
    return {"games": games, "every": games // 10, "matches": lab.pick(full=4_000, quick=1_000, tiny=100)}


def by_seeds(lab: Lab, found: Sequence[Any]) -> list[list[Any]]:
    """Results that came for all seeds of one setting after those of another, in groups."""
    size = len(lab.seeds)
    return [list(found[place : place + size]) for place in range(0, len(found), size)]
