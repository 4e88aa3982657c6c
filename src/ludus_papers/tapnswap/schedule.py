"""The TapnSwap paper's whole schedule: grid search, change of opponents, and seven tournaments with retraining."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import ludus
from ludus.report.document import Bars, Curves, Level, Listing, Part, Result, Results, Series, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Trains, Working, changed
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    accuracy,
    accuracy_figure,
    curve,
    guarantee_in_words,
    mean,
    series,
    won,
    won_figure,
)
from ludus.study.sweep import FILE, Candidate, Kind, Order, Round
from ludus.study.sweep.files import ranking, tests
from ludus.study.sweep.rounds import MEETING, PAPER_GRID, PAPER_ORDERS, new_sweep, resume_sweep
from ludus_papers.tapnswap.trainings import OVER, PROGRAM, best, best_beginning, both_ways, chance

HISTORIES = {
    ("random",): "vsRandom",
    ("twin",): "vsSelf",
    ("random", "twin"): "vsRandomvsSelf",
    ("twin", "random"): "vsSelfvsRandom",
}
_SWEEP = (
    "Each agent learns for {games:,} games, against random play or against a second learner of its own kind (vsSelf),"
    " and is tested every {every:,} with {matches:,} games against random play, without exploring. Every test is"
    " also graded: in how many of all decisions that can be reached it is optimal."
)
_MEANS = "Means over epsilons and seeds. A session that was put back is shown as it was played."
_BEST_ROUNDS = (
    "In each of {rounds} rounds the agents with at least 0.3 of the best one's points learn on; an agent that then"
    " loses a match of 10 games to its old self is put back. An epsilon without any survivor is dropped. Then all"
    " agents of the others meet again. Wins against random play no longer distinguish the agents; exact grades do."
)
_SHARES = ("share of the points", "optimal decisions")
_WHY_LEFT = "Perhaps the author kept other parts than 0.3, which it is here throughout"
WON, ACCURACY = 1, 2  # columns of a test
_TOGETHER = 5  # curves in a figure
_TESTED = ("0.2", "0.8")  # epsilons of the agents whose files are compared


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
    rounds = [[order.kind.value, *order[1:]] for order in orders]
    command = f"ludus sweep paper --grid max_over={over} --seed {seed} --out SWEEP"
    games = sum(2 * len(epsilons) * order.games for order in orders)
    name = f"schedule of the paper, best of {over} actions, seed {seed}"
    trains = Trains("q-table", keeps=("epsilon", "max_over"))
    arguments = over, seed, list(epsilons), rounds, matches
    return Task(name, swept, arguments, keeps=True, command=command, games=games, trains=trains)


def swept(
    over: str, seed: int, epsilons: list[str], orders: list[Any], matches: int, folder: Path, folders: Sequence[Path]
) -> dict[str, Any]:
    """Run the schedule in a folder, and return every round and every test."""
    if not (folder / FILE).is_file():
        grid = PAPER_GRID | {"epsilon": tuple(epsilons), "eval_games": (str(matches),), "max_over": (over,)}
        grid |= {name: (value,) for name, value in changed({}).items()}
        new_sweep(PROGRAM, "q-table", grid, [Order(Kind(kind), *rest) for kind, *rest in orders], seed, folder)
    sweep = resume_sweep(folder, "local=1")
    return {
        "rounds": [_round(done, folder) for done in sweep.rounds],
        "curves": {  # games, the share won against random, and the accuracy
            name: [
                [one.games, one.evaluation.against["random"].win_rate, one.evaluation.accuracy or 0.0] for one in found
            ]
            for name, found in tests(sweep, folder).items()
        },
        "games": sum(done.order.games for done in sweep.rounds for agent in done.agents if agent.trained),
        "rankings": "\n".join(_ranking(done, number) for number, done in enumerate(sweep.rounds, 1)),
    }


def _ranking(done: Round, number: int) -> str:
    agents = len(done.agents)
    return f"Tournament {number}, {agents} agents, {MEETING * agents} points at most\n{ranking(done.agents)}"


def _round(done: Round, folder: Path) -> dict[str, Any]:
    most = MEETING * len(done.agents)
    agents = [_agent(agent, most, folder) for agent in done.agents]
    chances = [_against_random(folder / agent.run) for agent in done.agents]
    return {"agents": agents, "dropped": len(done.dropped), "random": fmean(chances)}


def _agent(agent: Candidate, most: int, folder: Path) -> dict[str, Any]:
    """An agent in a round; all, second: decisions and optimal ones, everywhere and in its own play as second player.

    erred: whether it was put back although its training had made it better.
    """
    now = _grade(folder / agent.run)
    erred = agent.put_back and _graded(folder / agent.trained) > _graded(folder / agent.run)
    who = {"name": agent.name, "epsilon": agent.point["epsilon"], "history": HISTORIES[agent.opponents]}
    past = {"games": agent.games, "is_trained": bool(agent.trained), "put_back": agent.put_back, "erred": erred}
    decisions = {"all": [now["decisions"], now["optimal"]], "second": now["own_play"]["second"]}
    share, graded = (agent.points or 0) / most, _graded(folder / agent.run)
    grade = {"share": share, "accuracy": graded, "guarantee": now["guarantee"]["second"]}
    return who | past | decisions | grade


@cache
def _grade(run: Path) -> Any:
    return ludus.read_run(run).metrics()[-1]["grade"]


def _graded(run: Path) -> float:
    return float(_grade(run)["optimal"]) / int(_grade(run)["decisions"])


@cache
def _against_random(run: Path) -> float:
    """The share of a match with it that random play wins."""
    random, agent = ludus.make_agent("random"), ludus.read_run(run).agent()
    return ludus.play_match(ludus.make_game(PROGRAM), random, agent, MEETING, threads=1).all.a_wins / MEETING


def sweeps(lab: Lab) -> dict[str, list[Task]]:
    """The schedule as the text learns, and as the program does, for all seeds."""
    return both_ways(lab, sweeping)


def best_of(done: Any) -> Any:
    """The agent with the most points of a tournament."""
    return max(done["agents"], key=lambda agent: agent["share"])


def called(agent: Any) -> str:
    """An agent by its exploration and its opponents, as the paper names them."""
    return f"epsilon {agent['epsilon']} {agent['history']}"


def _random_points(found: Sequence[Any], place: int) -> Level:
    """The share of the points that random play wins in matches with the agents of a tournament."""
    return Level(RANDOM, fmean(one["rounds"][place]["random"] for one in found))


# ---- grid search ----


def grid_search(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 2."""
    order, matches = schedule(lab).orders[0], schedule(lab).matches
    strong = best_beginning(lab, order.games, order.eval_every, matches)
    found = yield {"random": chance(lab), "best": strong, "sweeps": sweeps(lab)}
    levels = {WON: found["random"].won, ACCURACY: found["random"].accuracy}
    perfect = {WON: curve(BEST, [found["best"]], won), ACCURACY: curve(BEST, [found["best"]], accuracy)}
    legal = found["sweeps"]["legal"]
    figures = [
        figure
        for opponent in ("random", "twin")
        for column in (WON, ACCURACY)
        for figure in _grid_figures(lab, legal, opponent, column, levels[column], perfect[column])
    ]
    results = [
        _tested(lab, each, over, epsilon, opponent, at)
        for over, each in found["sweeps"].items()
        for opponent in ("random", "twin")
        for epsilon in _TESTED
        for at in ("begin", "end")
    ]
    return [
        Words(_SWEEP.format(games=order.games, every=order.eval_every, matches=matches)),
        *figures,
        _ends(legal),
        Results("grid-tests", results),
    ]


def _grid_figures(
    lab: Lab, found: Sequence[Any], opponent: str, column: int, random: float, strong: Series
) -> list[Curves]:
    """A curve for each epsilon, as many to a figure as can be distinguished."""
    curves = []
    for epsilon in schedule(lab).epsilons:
        runs = [one["curves"][f"epsilon={epsilon}_vs-{opponent}"] for one in found]
        shown = [test[0] for test in runs[0] if test[0] <= _first_session(found)]
        means = series(f"epsilon {epsilon}", shown, [[test[column] for test in one[: len(shown)]] for one in runs])
        curves.append(means._replace(low=(), high=()))
    history = HISTORIES[(opponent,)]
    caption = "A curve for each epsilon, the mean over seeds; the interval at the end stands in the table below."
    draw, what = (won_figure, "won") if column == WON else (accuracy_figure, "grade")
    title = f"Trained {history}: {'games won against random play' if column == WON else 'optimal decisions'}"
    return [
        draw(
            f"grid-{history.lower()}-{what}-{begin // _TOGETHER + 1}",
            [*curves[begin : begin + _TOGETHER], strong],
            random,
            (),
            caption,
            title=title,
        )
        for begin in range(0, len(curves), _TOGETHER)
    ]


def _first_session(found: Sequence[Any]) -> int:
    return int(found[0]["rounds"][0]["agents"][0]["games"])


def _ends(found: Sequence[Any]) -> Table:
    rows = []
    for place, agent in enumerate(found[0]["rounds"][0]["agents"]):
        last = [_test_at(one, agent["name"], _first_session(found)) for one in found]
        points = [one["rounds"][0]["agents"][place]["share"] for one in found]
        columns = [test[WON] for test in last], [test[ACCURACY] for test in last], points
        rows.append((agent["epsilon"], agent["history"], *(mean(each).shown() for each in columns)))
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
    runs = [one["curves"][name][0] if at == "begin" else _test_at(one, name, _first_session(found)) for one in found]
    history = HISTORIES[(opponent,)]
    what = f"{history}, epsilon {epsilon}, after {runs[0][0]:,.0f} games, best of {over} actions"
    return lab.result(what, f"{history.lower()}-{epsilon}-{at}".replace(".", ""), [test[WON] for test in runs])


# ---- change of opponents ----


def change_of_opponents(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3."""
    order, matches = schedule(lab).orders[1], schedule(lab).matches
    strong = best_beginning(lab, 2 * order.games, order.eval_every, matches)
    found = yield {"random": chance(lab), "best": strong, "sweeps": sweeps(lab)}
    legal = found["sweeps"]["legal"]
    wins, grades = (
        [*(_history_curve(legal, history, column) for history in HISTORIES.values()), curve(BEST, [found["best"]], of)]
        for column, of in ((WON, won), (ACCURACY, accuracy))
    )
    results = [
        lab.result(
            f"tournament 2: mean share of the points of agents {history}, best of {over} actions",
            f"tournament-2-{history.lower()}",
            [
                fmean(agent["share"] for agent in one["rounds"][1]["agents"] if agent["history"] == history)
                for one in each
            ],
        )
        for over, each in found["sweeps"].items()
        for history in HISTORIES.values()
    ]
    return [
        Words(
            "All agents continue for as many games again, and each is also branched, to continue with the other"
            " opponent: four histories for each epsilon. Then all meet all in the second tournament."
        ),
        won_figure("change-won", wins, found["random"].won, (), _MEANS),
        accuracy_figure("change-grade", grades, found["random"].accuracy, (), _MEANS),
        _points_by_epsilon(legal),
        Results("change-points", results),
    ]


def _history_curve(found: Sequence[Any], history: str, column: int) -> Series:
    names = [agent["name"] for agent in found[0]["rounds"][1]["agents"] if agent["history"] == history]
    both = int(2 * _first_session(found))
    curves = [[[test for test in one["curves"][name] if test[0] <= both] for name in names] for one in found]
    shown = [test[0] for test in curves[0][0]]
    means = [[fmean(each[place][column] for each in one) for place in range(len(shown))] for one in curves]
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
        random=_random_points(found, 1),
        caption="Intervals over seeds; random play is what it wins of matches with the same agents.",
    )


# ---- retraining the best ----


def retraining(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 4."""
    found = yield {"random": chance(lab), "best": best(lab), "sweeps": sweeps(lab)}
    both = found["sweeps"]
    legal = both["legal"]
    numbers = [float(number) for number in range(1, len(legal[0]["rounds"]) + 1)]
    return [
        Words(_BEST_ROUNDS.format(rounds=len(numbers) - 2)),
        _points_figure(lab, both, numbers),
        _accuracy_figure(both, numbers, found["random"].accuracy, Level(BEST, accuracy(found["best"]["lines"])[-1])),
        _tournaments(lab, legal[0]),
        _put_backs(legal),
        _last_ranking(legal[0]),
        Results("schedule", [*_best_results(lab, both), *_last_results(lab, both)]),
        Listing("tournaments.txt", "All rankings of seed 0, in the shape of the paper's files", legal[0]["rankings"]),
    ]


def _by_tournament(name: str, found: Sequence[Any], numbers: list[float], measure: str) -> Series:
    """A measure of the best agent of each tournament, the mean over seeds."""
    return series(name, numbers, [[best_of(done)[measure] for done in one["rounds"]] for one in found])


def _points_figure(lab: Lab, both: dict[str, Any], numbers: list[float]) -> Curves:
    reported = tuple(lab.number(f"best-{number:.0f}").value for number in numbers)
    return Curves(
        "tournaments-points",
        "The best agent of each tournament: share of the points",
        "tournament",
        "share of the points",
        [
            *(_by_tournament(OVER[over], each, numbers, "share") for over, each in both.items()),
            Series("the paper's", tuple(numbers), reported),
        ],
        _random_points(both["legal"], len(numbers) - 1),
        caption="Among agents that all play perfectly each would have half: the second player wins.",
    )


def _accuracy_figure(both: dict[str, Any], numbers: list[float], random: float, level: Level) -> Curves:
    rounds = [one["rounds"] for one in both["legal"]]
    everyone = [[fmean(agent["accuracy"] for agent in done["agents"]) for done in each] for each in rounds]
    firsts = [_by_tournament(f"the best, {OVER[over]}", each, numbers, "accuracy") for over, each in both.items()]
    curves = [*firsts, series("the mean of all, by the text", numbers, everyone)]
    caption = "The best by points, and all agents of a tournament."
    figure = accuracy_figure("tournaments-grade", curves, random, [level], caption, of=" of those who take part")
    return figure._replace(x_title="tournament")


def _tournaments(lab: Lab, one: Any) -> Table:
    rows: list[tuple[str | int, ...]] = []
    for number, done in enumerate(one["rounds"], 1):
        first, reported = best_of(done), lab.number(f"best-{number}")
        shares = [f"{share:.1%}" for share in (first["share"], first["accuracy"], reported.value)]
        rows.append((number, len(done["agents"]), called(first), *shares, reported.source))
    columns = ("tournament", "agents", "best, seed 0", *_SHARES, "the paper's best", "which is")
    return Table("tournaments", "The tournaments", columns, rows)


def _put_backs(found: Sequence[Any]) -> Table:
    rows: list[tuple[str | int | float, ...]] = []
    for place in range(1, len(found[0]["rounds"])):
        rounds = [one["rounds"][place] for one in found]
        counts = [
            fmean(sum(agent[name] for agent in done["agents"]) for done in rounds)
            for name in ("is_trained", "put_back", "erred")
        ]
        counts.append(fmean(done["dropped"] for done in rounds))
        rows.append((place + 1, *(f"{count:.1f}" for count in counts)))
    return Table(
        "put-backs",
        "Who was put back",
        ("round", "retrained", "put back", "of these stronger by the exact grade", "agents dropped"),
        rows,
        "Means over seeds. Two agents that both win as second player part 5 to 5: a match of ten games says little.",
    )


def _last_ranking(one: Any) -> Table:
    ranked = sorted(one["rounds"][-1]["agents"], key=lambda agent: -agent["share"])
    rows = []
    for rank, agent in enumerate(ranked, 1):
        known = f"{agent['share']:.1%}", f"{agent['accuracy']:.1%}", guarantee_in_words(agent["guarantee"])
        rows.append((rank, agent["epsilon"], agent["history"], agent["games"], *known))
    columns = ("rank", "epsilon", "trained", "games", *_SHARES, "guaranteed, moving second")
    return Table("last-ranking", "The last tournament, seed 0", columns, rows)


def _best_results(lab: Lab, both: dict[str, Any]) -> list[Result]:
    return [
        lab.result(
            f"tournament {place + 1}: the best one's share of the points, best of {over} actions",
            f"best-{place + 1}",
            [best_of(one["rounds"][place])["share"] for one in each],
        )
        for over, each in both.items()
        for place in range(len(each[0]["rounds"]))
    ]


def _last_results(lab: Lab, both: dict[str, Any]) -> list[Result]:
    results = []
    for over, each in both.items():
        words = f"the last tournament, best of {over} actions"
        agents = [one["rounds"][-1]["agents"] for one in each]
        second = [sorted(agent["share"] for agent in last)[-2] for last in agents]
        never = [
            max((agent["share"] for agent in last if agent["history"] == "vsRandom"), default=0.0) for last in agents
        ]
        count, games = [float(len(last)) for last in agents], [float(one["games"]) for one in each]
        results += [
            lab.result(f"{words}: the second's share", "second", second),
            lab.result(f"{words}: the best that never met vsSelf", "never-self", never),
            lab.result(f"{words}: agents", "agents-left", count, _WHY_LEFT),
            lab.result(f"training games in all, best of {over} actions", "games-in-all", games, _WHY_LEFT),
        ]
    return results
