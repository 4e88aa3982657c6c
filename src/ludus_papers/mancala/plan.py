"""The trainings of the Mancala paper at its own stages, positions that are searched, and how both are shown."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.grading.sample import sampled_positions, search_chunk
from ludus.report.document import Bars, Level, Series
from ludus.study.paper import Lab
from ludus.study.paper.tasks import (
    Agent,
    Task,
    Trains,
    asking,
    called,
    made,
    matching,
    options,
    policies,
    random_play,
    read_sample,
    start_training,
    training,
    write_sample,
)
from ludus.study.paper.verdict import BEST, RANDOM, accuracy_figure, curve, mean, series, won, won_figure
from ludus_papers.mancala.program import as_programmed

GAME = "mancala"
_AT_ONCE = 5  # positions of one search, which then forgets
Known = list[tuple[list[int], list[int]]]  # the fields of a position, and its optimal actions
Stage = dict[str, Any]
Trainings = Sequence[Sequence[Stage]]  # of one kind, for each seed
Beside = Mapping[str, Sequence[float]]  # shares of all ends by name, such as those of random play
ENDS = ("player 1 wins", "player 2 wins", "ties")
NAMES = {"text": "as the text says", "program": "as the program does"}
VARIANTS = {"70/70": (0.7, 0.7), "50/50": (0.5, 0.5), "90/50": (0.9, 0.5), "50/90": (0.5, 0.9)}
LAST = 150_500
NEARLY_ALL = 0.6  # of all games: more than either player wins of those of equals
# The stages of the paper's charts, three to a chart.
_FIRST = ((30, 50, 100), (500, 1500, 2500), (10_500, 30_500, 50_500))
_OTHERS = ((30, 50, 100), (500, 1000, 2000), (5000, 10_000, 50_000))
_LATE: dict[str, Any] = {"late": "true", "shrink": "0.8"}
_PROGRAM = _LATE | {"whole": "true", "ties_lost": "true"}
ONE_BY_ONE: dict[str, dict[str, Any]] = {  # what the program does other than the text, beside the late result
    "by the result of the game before": _LATE,
    "and a tie is lost for player 2": _LATE | {"ties_lost": "true"},
    "and whole per cents": _LATE | {"whole": "true"},
    "all three": _PROGRAM,
}
LOOKS_AHEAD = "minimax(depth=2)"  # stands for a person of some skill


# ---- searched positions ----


def judged(count: int, seed: int, folder: Path, folders: Sequence[Path]) -> dict[str, float]:
    """Search positions from the second halves of random games: how many are decisions, and random play's accuracy."""
    game, random = ludus.make_game(GAME), ludus.make_agent("random")
    positions = sampled_positions(random, game, count, seed)
    chunks = [positions[begin : begin + _AT_ONCE] for begin in range(0, count, _AT_ONCE)]
    values = [found for chunk in chunks for found in search_chunk(game, chunk)]
    optimal = [_optimal(game, pos, found) for pos, found in zip(positions, values, strict=True)]
    known = [([*pos], actions) for pos, actions in zip(positions, optimal, strict=True) if actions]
    write_sample(folder, known)
    return {
        "decisions": len(known),
        "skipped": sum(found is None for found in values),
        "accuracy": accuracy_in(random, game, known) if known else 0.0,
    }


def _optimal(game: Any, pos: Any, values: dict[int, Any] | None) -> list[int]:
    """The optimal actions; none if the position is no decision, or was not searched."""
    if values is None:
        return []
    side = 1 if game.player(pos) == 0 else -1
    best = max(side * value.score for value in values.values())
    optimal = [action for action, value in values.items() if side * value.score == best]
    return optimal if len(optimal) < len(values) else []


def accuracy_in(agent: Any, game: Any, known: Known) -> float:
    """The accuracy of an agent in positions."""
    table = policies(agent, game, [fields for fields, _ in known])
    return float(np.mean([table[place, optimal].sum() for place, (_, optimal) in enumerate(known)]))


def read_known(folders: Sequence[Path]) -> Known:
    """The positions in these folders."""
    return [entry for folder in folders for entry in read_sample(folder, Known)]


def judging(agent: Agent, sample: Sequence[Task]) -> Task:
    """The accuracy of an agent, or a training, in the positions of a sample."""
    command = f"ludus grade {called(agent)} {GAME}"
    return asking(agent, "accuracy in the sample", asked, needs=tuple(sample), command=command)


def asked(agent: str | int, folders: Sequence[Path]) -> float:
    """The accuracy; the folder of a training comes before those of the positions."""
    known = read_known(folders[1:] if agent == 0 else folders)
    return accuracy_in(made(agent, folders), ludus.make_game(GAME), known)


# ---- trainings ----


def learning(
    settings: dict[str, str],
    stages: Sequence[int],
    seed: int,
    *,
    every: int,
    matches: int,
    opponents: Sequence[tuple[str, int]] = (),
    sample: Sequence[Task] = (),
) -> Task:
    """A training by move weights with results at stages.

    every: the interval of games whose scores are noted; matches: games with random play at each stage; opponents:
    agents, and games with them in the end; sample: positions in which its accuracy is found.
    """
    chosen = settings | {"seed": str(seed)}
    plan = {"games": str(stages[-1]), "grade": "no"} | ({"eval_games": str(matches)} if matches else {})
    command = f"ludus train {GAME} move-weights {options(chosen | plan)}"
    if opponents:
        after = [f"ludus match {GAME} RUN {shlex.quote(name)} --games {games}" for name, games in opponents]
        command = "; ".join([f"{command} --out RUN", *after])
    words = ", ".join(f"{key} {value}" for key, value in chosen.items())
    arguments = chosen, list(stages), every, matches, list(opponents)
    name = f"move-weights on {GAME}, {words}, {stages[-1]:,} games"
    trains = Trains("move-weights")
    return Task(name, learned, arguments, needs=tuple(sample), command=command, games=stages[-1], trains=trains)


def learned(
    settings: dict[str, str],
    stages: list[int],
    every: int,
    matches: int,
    opponents: list[tuple[str, int]],
    folders: Sequence[Path] = (),
) -> list[Stage]:
    """Train, and return for each stage how all games so far ended, for player 0, and how strong the learner is.

    wins, losses, ties; signed, absolute: the mean difference of the stores; against: its share of wins in games with
    random play, moving first and second, and of ties; accuracy: in the positions of the folders; visited: positions in
    its table. Of the last stage also opponents: its share of wins in games with them.
    """
    game, known = ludus.make_game(GAME), read_known(folders)
    plan = {"games": str(stages[-1]), "eval_every": str(stages[-1])}
    scores, found = list[int](), list[Stage]()

    def note(training: Any) -> None:
        row = training.trainer.episode.row
        scores.append(game.score(type(game.start())(*(int(field) for field in row))))
        if training.games in stages:
            agent = training.agent()
            found.append(_so_far(training, scores) | _strength(agent, game, matches, known))
            if training.games == stages[-1]:
                found[-1]["opponents"] = {name: _won(agent, game, name, games) for name, games in opponents}

    start_training(game, "move-weights", settings | plan).run(ludus.Watcher(progress=note, every=every))
    return found


def _won(agent: Any, game: Any, opponent: str, games: int) -> float:
    return ludus.play_match(game, agent, ludus.make_agent(opponent), games, threads=1).all.a_wins / games


def _so_far(training: Any, scores: list[int]) -> Stage:
    wins, ties, losses, _ = (int(count) for count in training.trainer.results[0])
    differences = {"signed": float(np.mean(scores)), "absolute": float(np.mean(np.abs(scores)))}
    visited = int(training.trainer.metrics()["visited"][0])
    return {"games": training.games, "wins": wins, "losses": losses, "ties": ties, "visited": visited} | differences


def _strength(agent: Any, game: Any, matches: int, known: Known) -> Stage:
    found: Stage = {"accuracy": accuracy_in(agent, game, known)} if known else {}
    if matches:
        match = ludus.play_match(game, agent, ludus.make_agent("random"), matches, threads=1)
        wins = [count.a_wins / count.games for count in (match.first, match.second)]
        found["against"] = [*wins, match.all.draws / matches]
    return found


def charts(lab: Lab, variant: str) -> list[list[int]]:
    """The stages of each chart; on smaller scales those of later charts come sooner."""
    found = _paper_charts(variant)
    sooner = lab.pick(full=(1, 1, 1), quick=(1, 1, 10), tiny=(1, 10, 100))
    return [[stage // by for stage in chart] for chart, by in zip(found, sooner, strict=True)]


def paper_stages(variant: str) -> set[int]:
    """The stages of the paper's own charts."""
    return {stage for chart in _paper_charts(variant) for stage in chart}


def _paper_charts(variant: str) -> tuple[tuple[int, int, int], ...]:
    return _FIRST if variant == "70/70" else _OTHERS


def all_stages(lab: Lab, variant: str) -> list[int]:
    """Those of all charts, each once."""
    return sorted({stage for chart in charts(lab, variant) for stage in chart})


def last(lab: Lab) -> int:
    """The games of a whole training."""
    return LAST // lab.pick(full=1, quick=10, tiny=250)


def sample(lab: Lab) -> list[Task]:
    """Positions that are searched to the end; the result of each is what `judged` returns."""
    count = lab.pick(full=60, quick=15, tiny=5)
    command = f"ludus grade random {GAME} --positions {count} --seed"
    return [
        Task(f"{count} searched positions, seed {seed}", judged, (count, seed), keeps=True, command=f"{command} {seed}")
        for seed in range(lab.pick(full=4, quick=2, tiny=1))
    ]


def self_play(lab: Lab, variant: str, seed: int, *, late: bool = False) -> Task:
    """A variant against itself; late: as the program does."""
    return _learning(lab, variant, last(lab), seed, _PROGRAM if late else {})


def one_by_one(lab: Lab, way: str, seed: int) -> Task:
    """70/70 against itself with one of ONE_BY_ONE."""
    return _learning(lab, "70/70", last(lab), seed, ONE_BY_ONE[way])


def ported(lab: Lab, seed: int, *, passes: bool) -> Task:
    """70/70 by the program's own rules, passes and all."""
    stages = [last(lab) // lab.pick(full=1, quick=10, tiny=5)]
    words = "with its passes" if passes else "without passes"
    return Task(
        f"the author's program in Python {words}, seed {seed}, {stages[-1]:,} games",
        as_programmed,
        (0.7, stages, seed, passes),
        command=f"python -c 'from ludus_papers.mancala.program import as_programmed;"
        f" print(as_programmed(0.7, {stages}, {seed}, {passes}))'",
        games=stages[-1],
    )


def against_random(lab: Lab, seed: int, *, late: bool = False, long: bool = False) -> Task:
    """70/70 against random play, moving first; long: for twice as many games as self-play has."""
    games = 2 * last(lab) if long else 100_000 // lab.pick(full=1, quick=10, tiny=250)
    others = {"opponent": "random", "seats": "first"}
    return _learning(lab, "70/70", games, seed, others | (_PROGRAM if late else {}))


def _learning(lab: Lab, variant: str, games: int, seed: int, others: Mapping[str, str]) -> Task:
    stages = sorted({stage for stage in all_stages(lab, variant) if stage < games} | {games})
    every = lab.pick(full=5, quick=5, tiny=1)
    return learning(
        _settings(variant) | {**others}, stages, seed, every=every, matches=_matches(lab), sample=sample(lab)
    )


def beginning(lab: Lab, variant: str, chart: int, seed: int) -> Task:
    """The program's training up to the end of one of the paper's first two charts."""
    return _begins(variant, charts(lab, variant)[chart], seed)


def _begins(variant: str, stages: Sequence[int], seed: int) -> Task:
    return learning(_settings(variant) | _PROGRAM, stages, seed, every=gcd(*stages), matches=0)


def beginnings(lab: Lab, variant: str) -> Task:
    """Many of the program's trainings up to the end of the second chart, for what the paper says of its one."""
    stages = sorted(stage for chart in _paper_charts(variant)[:2] for stage in chart)
    seeds = range(lab.pick(full=200, quick=20, tiny=2))
    return all_of([_begins(variant, stages, seed) for seed in seeds], stages)


def all_of(tasks: Sequence[Task], stages: Sequence[int]) -> Task:
    """Trainings by `learning` as one task, with results at other stages."""
    settings = [task.arguments[0] for task in tasks]
    name = f"{len(tasks)} times {tasks[0].name}"
    games, command = len(tasks) * stages[-1], tasks[0].command
    return Task(name, all_learned, (settings, list(stages)), command=command, games=games, trains=tasks[0].trains)


def all_learned(settings: list[dict[str, str]], stages: list[int]) -> list[list[Stage]]:
    """What `learned` returns for each."""
    return [learned(each, stages, 10, 0, []) for each in settings]


def _settings(variant: str) -> dict[str, str]:
    win, loss = VARIANTS[variant]
    return {"win": str(win), "loss": str(loss)}


def _matches(lab: Lab) -> int:
    return lab.pick(full=3_000, quick=1_000, tiny=200)


def all_variants(lab: Lab) -> dict[str, dict[str, list[Task]]]:
    """All trainings against itself, by the text and by the program."""
    return {variant: variant_both_ways(lab, variant) for variant in VARIANTS}


def both_ways(lab: Lab, make: Callable[..., Task]) -> dict[str, list[Task]]:
    """A training for all seeds, by the text and by the program."""
    return {way: [make(seed, late=way == "program") for seed in lab.seeds] for way in NAMES}


def variant_both_ways(lab: Lab, variant: str) -> dict[str, list[Task]]:
    """A variant against itself likewise."""
    return both_ways(lab, partial(self_play, lab, variant))


def long_run(lab: Lab) -> Task:
    """70/70 against itself for a couple of million games, and a match with a player who looks two plies ahead."""
    games = lab.pick(full=2_000_000, quick=60_000, tiny=1_000)
    stages, opponents = [games * quarter // 4 for quarter in (1, 2, 3, 4)], [(LOOKS_AHEAD, _people(lab))]
    return learning(_settings("70/70"), stages, 0, every=games // 1000, matches=_matches(lab), opponents=opponents)


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
        lam=0.6,
        games=games,
        eval_every=games // 20,
        eval_games=lab.pick(full=2_000, quick=400, tiny=100),
        grade="no",
    )


def people(lab: Lab, agent: Agent) -> Task:
    """A match against a player who looks two plies ahead."""
    return matching(GAME, agent, LOOKS_AHEAD, _people(lab), 0)


def _people(lab: Lab) -> int:
    return lab.pick(full=100, quick=40, tiny=10)


def looking_self_play(lab: Lab, depth: int) -> Task:
    """Players who look this many plies ahead, among themselves."""
    agent = f"minimax(depth={depth})"
    return matching(GAME, agent, agent, lab.pick(400, 200, 10), 0, seats="first")


def searcher(lab: Lab) -> str:
    """An agent that learns nothing, and searches."""
    return f"mcts(sims={lab.pick(full=1000, quick=200, tiny=20)})"


def chance(lab: Lab) -> Task:
    """Random play."""
    return random_play(GAME, lab.pick(full=1_000_000, quick=200_000, tiny=2_000), 0)


def untaught(lab: Lab) -> Task:
    """A learner that is taught nothing, which is random play, with the results of the others."""
    games = lab.pick(full=100_000, quick=20_000, tiny=500)
    every = lab.pick(full=1, quick=5, tiny=1)
    return learning({"win": "0", "loss": "0"}, [games], 0, every=every, matches=0)._replace(trains=None)


def beside(lab: Lab) -> dict[str, Any]:
    """What stands beside the trainings in most figures: random play, the best agent, and both in the sample."""
    accuracy = judging(best(lab), sample(lab))
    return {"random": chance(lab), "best": best(lab), "accuracy": accuracy, "sample": sample(lab)}


# ---- small boards ----


def boards(lab: Lab) -> list[str]:
    """Boards that can be enumerated."""
    sizes = lab.pick(full=[(3, 2), (3, 3)], quick=[(3, 2)], tiny=[(2, 2)])
    return [f"mancala(holes={holes}, stones={stones})" for holes, stones in sizes]


def small(lab: Lab, board: str, seed: int, *, late: bool = False) -> Task:
    """70/70 on a small board, graded against the exact solution."""
    return training(board, "move-weights", seed, **_small(lab), **(_PROGRAM if late else {}))


def small_best(lab: Lab, board: str) -> Task:
    """A table that learns the score from the end of games that begin anywhere."""
    settings: dict[str, Any] = {"epsilon": 0, "alpha": 1, "margin": "true", "backward": "true", "symmetry": "true"}
    settings |= {"random_plies": 20, "random_side": "both"}
    return training(board, "q-table", 0, **settings, **_small(lab))


def _small(lab: Lab) -> dict[str, Any]:
    games = lab.pick(full=LAST, quick=20_000, tiny=200)
    return {"games": games, "eval_every": games // 10, "eval_games": lab.pick(full=4_000, quick=1_000, tiny=100)}


# ---- how trainings are shown ----


def random_shares(played: Any) -> list[float]:
    """Of random play: wins of player 1, of player 2, and ties."""
    return [played[name] / played["games"] for name in ("first_wins", "second_wins", "ties")]


def random_won(played: Any) -> float:
    """The share of games that random play wins, from either seat alike."""
    first, second, _ = random_shares(played)
    return (first + second) / 2


def random_accuracy(sample: Sequence[Any]) -> float:
    """The accuracy of random play in the sample."""
    decisions = sum(each["decisions"] for each in sample)
    return float(sum(each["decisions"] * each["accuracy"] for each in sample) / max(decisions, 1))


def shares(stage: Stage) -> list[float]:
    """Of all games up to a stage: wins of player 1, of player 2, and ties."""
    return [stage[name] / stage["games"] for name in ("wins", "losses", "ties")]


def lead(stage: Stage) -> float:
    """By what share of the games player 1 is ahead."""
    return float(stage["wins"] - stage["losses"]) / float(stage["games"])


def ties(stage: Stage) -> float:
    """The share of ties."""
    return shares(stage)[2]


def stage_at(one: Sequence[Stage], games: int) -> Stage:
    """The stage after this many games."""
    return next(stage for stage in one if stage["games"] == games)


def won_against_random(stage: Stage) -> float:
    """The share of games with random play that the learner wins at a stage, from both seats."""
    first, second, _ = stage["against"]
    return float(first + second) / 2


def accuracy_at(stage: Stage) -> float:
    """Its accuracy in the sample at a stage."""
    return float(stage["accuracy"])


def ends(found: Trainings, measure: Callable[[Stage], float]) -> list[float]:
    """A measure at the last stage, by seed."""
    return [measure(one[-1]) for one in found]


def stages_curve(name: str, found: Trainings, measure: Callable[[Stage], float]) -> Series:
    """A measure of trainings at each stage, the mean over seeds."""
    games = [float(stage["games"]) for stage in found[0]]
    return series(name, games, [[measure(each) for each in one] for one in found])


def best_won(found: Any) -> Series:
    """Games with random play that the best agent wins."""
    return curve(BEST, [found], won)


def chart(key: str, title: str, found: Mapping[str, Trainings], stages: Sequence[int], beside: Beside) -> Bars:
    """One of the paper's charts, as shares of the games up to each stage; found: trainings by their names there."""
    groups = {
        f"{name}, {games:,}": [stage_at(one, games) for one in each] for name, each in found.items() for games in stages
    }
    return bars(key, title, groups, beside)


def last_bars(key: str, title: str, found: Mapping[str, Trainings], beside: Beside) -> Bars:
    """The last stage of several trainings."""
    return bars(key, title, {name: [one[-1] for one in each] for name, each in found.items()}, beside)


def bars(key: str, title: str, groups: Mapping[str, Sequence[Stage]], beside: Beside) -> Bars:
    """Groups with their means over seeds, and others beside them."""
    ours = [[mean([shares(stage)[end] for stage in found]) for found in groups.values()] for end in range(len(ENDS))]
    rows = [
        [*((each.mean, *each.bounds) for each in row), *((other[end],) * 3 for other in beside.values())]
        for end, row in enumerate(ours)
    ]
    heights, low, high = ([[each[place] for each in row] for row in rows] for place in range(3))
    caption = "All games up to each stage; intervals over seeds."
    return Bars(key, title, "share of the games", [*groups, *beside], ENDS, heights, low, high, caption=caption)


def stages_won_figure(key: str, curves: Sequence[Series], played: Any, caption: str) -> Any:
    """Games won against random play over training."""
    return won_figure(key, curves, random_won(played), (), caption, log=True)


def sample_figure(key: str, curves: Sequence[Series], beside: Mapping[str, Any]) -> Any:
    """Optimal decisions in the sample over training, with those of the best agent."""
    decisions = sum(each["decisions"] for each in beside["sample"])
    caption = f"In {decisions} decisions of middle games and endgames out of random games, each searched to its end."
    level = Level(RANDOM, random_accuracy(beside["sample"]))
    return accuracy_figure(key, curves, level, [Level(BEST, beside["accuracy"])], caption, log=True)
