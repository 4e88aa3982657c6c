"""The TapnSwap paper's whole schedule as one task: grid search, change of opponents, retraining of the best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.simple import Random
from ludus.arena.match import play_match
from ludus.learning.runs import read_run
from ludus.report.document import Bars, Curves, Level, Part, Result, Results, Series, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Working
from ludus.study.paper.verdict import accuracy, games, mean, series, won
from ludus.study.sweep import FILE, Candidate, Kind, Order, Round, Sweep
from ludus.study.sweep.files import Tested, tests
from ludus.study.sweep.rounds import MEETING, PAPER_GRID, PAPER_ORDERS, go_on_with, new_sweep
from ludus_papers.tapnswap.trainings import BEST, GAME, OVER, as_share, best_beginning, by_seeds, chance, random_levels

HISTORIES = {
    ("random",): "vsRandom",
    ("twin",): "vsSelf",
    ("random", "twin"): "vsRandomvsSelf",
    ("twin", "random"): "vsSelfvsRandom",
}


class Schedule(NamedTuple):
    """Which values of epsilon take part, the rounds, and the games of each test."""

    epsilons: tuple[str, ...]
    orders: tuple[Order, ...]
    matches: int


def schedule(lab: Lab) -> Schedule:
    """The paper's, or a smaller one with as many kinds of rounds."""
    whole = Schedule(PAPER_GRID["epsilon"], PAPER_ORDERS, 10_000)
    return lab.pick(full=whole, quick=_smaller(1000, 8000, 4, 1000), tiny=_smaller(20, 40, 0, 20))


def _smaller(games: int, best: int, more: int, matches: int) -> Schedule:
    first = Order(Kind.GRID, games, games // 2)
    again = Order(Kind.RETRAIN, games, games // 2, change_opponent=True)
    return Schedule(("0.2", "0.8"), (first, again, *[Order(Kind.RETRAIN_BEST, best, keep=0.3)] * (1 + more)), matches)


def sweeping(lab: Lab, over: str, seed: int) -> Task:
    """The schedule for one seed; its result is what `swept` returns."""
    epsilons, orders, matches = schedule(lab)
    told = [[order.kind.value, *order[1:]] for order in orders]
    command = f"ludus sweep paper --grid max_over={over} --seed {seed} --out SWEEP"
    games = sum(2 * len(epsilons) * order.games for order in orders)
    name = f"schedule of the paper, best of {over} actions, seed {seed}"
    return Task(name, swept, (over, seed, list(epsilons), told, matches), keeps=True, command=command, games=games)


def swept(
    over: str, seed: int, epsilons: list[str], orders: list[Any], matches: int, folder: Path, folders: Sequence[Path]
) -> dict[str, Any]:
    """Do the schedule in a folder, and tell of every round and of every test."""
    if not (folder / FILE).is_file():
        grid = PAPER_GRID | {"epsilon": tuple(epsilons), "eval_games": (str(matches),), "max_over": (over,)}
        new_sweep(GAME, "q-table", grid, [Order(Kind(kind), *rest) for kind, *rest in orders], seed, folder)
    sweep = go_on_with(folder, "local=1")
    return {
        "rounds": [_round(done, folder) for done in sweep.rounds],
        "curves": {name: [_test(one) for one in found] for name, found in tests(sweep, folder).items()},
        "games": sum(done.order.games for done in sweep.rounds for agent in done.agents if agent.trained),
        "rankings": "\n".join(_ranking(sweep, number, folder) for number in range(1, len(sweep.rounds) + 1)),
    }


def _ranking(sweep: Sweep, number: int, folder: Path) -> str:
    agents = len(sweep.rounds[number - 1].agents)
    text = (folder / "results" / f"tournament{number}.txt").read_text()
    return f"Tournament {number}, {agents} agents, {MEETING * agents} points at most\n{text}"


def _test(test: Tested) -> list[float]:
    """Games, the share won against random, and the share of optimal decisions."""
    return [test.games, test.measure.against["random"].win_rate, test.measure.accuracy or 0.0]


def _round(done: Round, folder: Path) -> dict[str, Any]:
    most = MEETING * len(done.agents)
    agents = [_agent(agent, most, folder) for agent in done.agents]
    chances = [_against_random(folder / agent.run) for agent in done.agents]
    return {"agents": agents, "dropped": len(done.dropped), "random": fmean(chances)}


def _agent(agent: Candidate, most: int, folder: Path) -> dict[str, Any]:
    """An agent in a round; all, second: decisions and right ones, everywhere and in its own play as second player.

    erred: whether it was put back although its training had made it better.
    """
    now = _grade(folder / agent.run)
    erred = agent.put_back and _graded(folder / agent.trained) > _graded(folder / agent.run)
    told = {"name": agent.name, "epsilon": agent.point["epsilon"], "history": HISTORIES[agent.opponents]}
    kept = {"games": agent.games, "is_trained": bool(agent.trained), "put_back": agent.put_back, "erred": erred}
    seen = {"all": [now["decisions"], now["optimal"]], "second": now["own_play"]["second"]}
    share = (agent.points or 0) / most
    return (
        told
        | kept
        | seen
        | {"share": share, "accuracy": _graded(folder / agent.run), "guarantee": now["guarantee"]["second"]}
    )


@cache
def _grade(run: Path) -> Any:
    """The grade of a run in the end."""
    return read_run(run).metrics()[-1]["grade"]


def _graded(run: Path) -> float:
    """The share of its decisions that are right."""
    return float(_grade(run)["optimal"]) / int(_grade(run)["decisions"])


@cache
def _against_random(run: Path) -> float:
    """What random play wins of a match with it."""
    agent = read_run(run).agent()
    return play_match(catalog.make_game(GAME), Random(), agent, MEETING, threads=1).all.a_wins / MEETING


WON, RIGHT = 1, 2  # columns of a test

_OF = {WON: "won", RIGHT: "right"}

_TOGETHER = 5  # curves in a figure

_TESTED = ("0.2", "0.8")  # epsilons of the agents whose files are compared


def sweeps(lab: Lab) -> list[Task]:
    """The schedule as the text learns, and then as the program does, for all seeds."""
    return [sweeping(lab, over, seed) for over in OVER for seed in lab.seeds]


# ---- grid search ----


def grid_search(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 2."""
    order, matches = schedule(lab).orders[0], schedule(lab).matches
    strong = best_beginning(lab, order.games, order.eval_every, matches)
    played, graded, best, *found = yield [*chance(lab), strong, *sweeps(lab)]
    legal, every = by_seeds(lab, found)
    levels = dict(zip((WON, RIGHT), random_levels(played, graded), strict=True))
    perfect = {
        WON: series(BEST, games(best["lines"]), [won(best["lines"], "random")]),
        RIGHT: series(BEST, games(best["lines"]), [accuracy(best["lines"])]),
    }
    figures = [
        figure
        for opponent in ("random", "twin")
        for column in (WON, RIGHT)
        for figure in _grid_figures(lab, legal, opponent, column, levels[column], perfect[column])
    ]
    results = [
        _tested(lab, each, over, epsilon, opponent, at)
        for over, each in zip(OVER, (legal, every), strict=True)
        for opponent in ("random", "twin")
        for epsilon in _TESTED
        for at in ("begin", "end")
    ]
    return [
        Words(_SWEEP.format(games=order.games, every=order.eval_every, matches=matches)),
        *figures,
        _ends(lab, legal),
        Results("grid-tests", results),
    ]


_SWEEP = (
    "Each agent learns for {games:,} games, against random play or against a second learner of its own kind (vsSelf),"
    " and is tested every {every:,} with {matches:,} games against random play, without exploring. Every test is"
    " also graded: in how many of all decisions that can be reached it is optimal."
)


def _grid_figures(
    lab: Lab, found: Sequence[Any], opponent: str, column: int, random: Level, best: Series
) -> list[Curves]:
    """A curve for each epsilon, so many to a figure as can be told apart."""
    curves = [_curve(found, epsilon, opponent, column) for epsilon in schedule(lab).epsilons]
    history = HISTORIES[(opponent,)]
    what = "games won against random play" if column == WON else "optimal decisions"
    return [
        Curves(
            f"grid-{history.lower()}-{_OF[column]}-{begin // _TOGETHER + 1}",
            f"Trained {history}: {what}",
            "games of training",
            _OF[column],
            [*curves[begin : begin + _TOGETHER], best],
            random,
            caption="A curve for each epsilon, the mean over seeds; the interval at the end stands in the table below.",
        )
        for begin in range(0, len(curves), _TOGETHER)
    ]


def _curve(found: Sequence[Any], epsilon: str, opponent: str, column: int) -> Series:
    tests = [one["curves"][f"epsilon={epsilon}_vs-{opponent}"] for one in found]
    shown = [test[0] for test in tests[0]]
    shown = [games for games in shown if games <= _first_session(found)]
    means = series(f"epsilon {epsilon}", shown, [[test[column] for test in one[: len(shown)]] for one in tests])
    return means._replace(low=(), high=())


def _first_session(found: Sequence[Any]) -> int:
    return int(found[0]["rounds"][0]["agents"][0]["games"])


def _ends(lab: Lab, found: Sequence[Any]) -> Table:
    rows = []
    for place, agent in enumerate(found[0]["rounds"][0]["agents"]):
        each = [one["rounds"][0]["agents"][place] for one in found]
        tests = [_test_at(one, agent["name"], _first_session(found)) for one in found]
        cells = [as_share([test[WON] for test in tests]), as_share([test[RIGHT] for test in tests])]
        rows.append((agent["epsilon"], agent["history"], *cells, as_share([one["share"] for one in each])))
    return Table(
        "grid-ends",
        "After the first session",
        ("epsilon", "trained", "won against random play", "optimal decisions", "share of the tournament's points"),
        rows,
        f"Means over {len(found)} seeds with their 95 % intervals.",
    )


def _test_at(one: Any, name: str, played: int) -> list[float]:
    return next(test for test in one["curves"][name] if test[0] == played)


def _tested(lab: Lab, found: Sequence[Any], over: str, epsilon: str, opponent: str, at: str) -> Result:
    name = f"epsilon={epsilon}_vs-{opponent}"
    tests = [one["curves"][name][0] if at == "begin" else _test_at(one, name, _first_session(found)) for one in found]
    history = HISTORIES[(opponent,)]
    what = f"{history}, epsilon {epsilon}, after {tests[0][0]:,.0f} games, best of {over} actions"
    return lab.result(what, f"{history.lower()}-{epsilon}-{at}".replace(".", ""), [test[WON] for test in tests])


# ---- change of opponents ----


def change_of_opponents(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3."""
    order, matches = schedule(lab).orders[1], schedule(lab).matches
    strong = best_beginning(lab, 2 * order.games, order.eval_every, matches)
    played, graded, best, *found = yield [*chance(lab), strong, *sweeps(lab)]
    legal, every = by_seeds(lab, found)
    won_at_random, right_at_random = random_levels(played, graded)
    curves = [_history_curve(legal, history, RIGHT) for history in HISTORIES.values()]
    strong_curve = series(BEST, games(best["lines"]), [accuracy(best["lines"])])
    wins = [_history_curve(legal, history, WON) for history in HISTORIES.values()]
    strong_wins = series(BEST, games(best["lines"]), [won(best["lines"], "random")])
    return [
        Words(_CHANGE),
        Curves(
            "change-won",
            "Games won against random play",
            "games of training",
            "won",
            [*wins, strong_wins],
            won_at_random,
            caption=_MEANS,
        ),
        Curves(
            "change-right",
            "Optimal decisions",
            "games of training",
            "right",
            [*curves, strong_curve],
            right_at_random,
            caption=_MEANS,
        ),
        _points_by_epsilon(legal),
        Results(
            "change-points",
            [
                _history_result(lab, each, over, 1, history)
                for over, each in zip(OVER, (legal, every), strict=True)
                for history in HISTORIES.values()
            ],
        ),
    ]


_CHANGE = (
    "All agents go on for as many games again, and each is also branched, to go on with the other opponent: four"
    " histories for each epsilon. Then all meet all in the second tournament."
)

_MEANS = "Means over epsilons and seeds. A session that was put back is shown as it was played."


def _history_curve(found: Sequence[Any], history: str, column: int) -> Series:
    names = [agent["name"] for agent in found[0]["rounds"][1]["agents"] if agent["history"] == history]
    both = int(2 * _first_session(found))
    curves = [[[test for test in one["curves"][name] if test[0] <= both] for name in names] for one in found]
    shown = [test[0] for test in curves[0][0]]
    means = [[fmean(curve[place][column] for curve in one) for place in range(len(shown))] for one in curves]
    return series(history, shown, means)


def _points_by_epsilon(found: Sequence[Any]) -> Bars:
    agents = [
        {(agent["history"], agent["epsilon"]): agent["share"] for agent in one["rounds"][1]["agents"]} for one in found
    ]
    epsilons = sorted({epsilon for _, epsilon in agents[0]})
    means = [
        [mean([each[history, epsilon] for each in agents]) for epsilon in epsilons] for history in HISTORIES.values()
    ]
    return Bars(
        "change-tournament",
        "The second tournament: share of the points by epsilon and history",
        "share of the points",
        [f"epsilon {epsilon}" for epsilon in epsilons],
        list(HISTORIES.values()),
        [[each.mean for each in row] for row in means],
        [[each.bounds[0] for each in row] for row in means],
        [[each.bounds[1] for each in row] for row in means],
        random=random_points(found, 1),
        caption="Intervals over seeds; random play is what it wins of matches with the same agents.",
    )


def random_points(found: Sequence[Any], place: int) -> Level:
    """What random play wins of matches with the agents of a tournament."""
    return Level("random play", fmean(one["rounds"][place]["random"] for one in found))


def _history_result(lab: Lab, found: Sequence[Any], over: str, place: int, history: str) -> Result:
    shares = [
        fmean(agent["share"] for agent in one["rounds"][place]["agents"] if agent["history"] == history)
        for one in found
    ]
    what = f"tournament {place + 1}: mean share of the points of agents {history}, best of {over} actions"
    return lab.result(what, f"tournament-{place + 1}-{history.lower()}", shares)
