"""The TapnSwap paper's whole schedule: grid search, change of opponents, and seven tournaments with retraining."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import ludus
from ludus import face
from ludus.report.document import (
    Bars,
    Board,
    Boards,
    Curves,
    Level,
    Listing,
    Part,
    Result,
    Results,
    Series,
    Table,
    Words,
)
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Trains, Working, changed
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    accuracy,
    accuracy_figure,
    curve,
    ends,
    guarantee_in_words,
    mean,
    series,
    won,
    won_figure,
)
from ludus.study.sweep import FILE, Candidate, Kind, Order, Round
from ludus.study.sweep.files import ranking, tests
from ludus.study.sweep.rounds import MEETING, PAPER_GRID, PAPER_ORDERS, PROGRAM_ORDERS, new_sweep, resume_sweep
from ludus_papers.tapnswap.trainings import (
    CHANGED,
    NAMES,
    PROGRAM,
    READINGS,
    best,
    best_beginning,
    chance,
    first_thousand,
    session,
)

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
_LUCK = "One training of the author's is one draw."
_MEANS = "Means over epsilons and seeds. A session that was put back is shown as it was played."
_BEST_ROUNDS = (
    "In each of {rounds} rounds the agents with at least 0.3 of the best one's points learn on; an agent that then"
    " loses a match of 10 games to its old self is put back. An epsilon without any survivor is dropped. Then all"
    " agents of the others meet again. Wins against random play no longer distinguish the agents; exact grades do."
)
_LESSER, _GAMES = ("random", "smart-random"), 1000  # players that are not optimal, and their games as second
_SHARES = ("share of the points", "optimal decisions")
_KEPT = "named"  # the program, but with the opponents in the second session that its agents are called after
_ORDERS = {"program": PROGRAM_ORDERS, "text": PAPER_ORDERS}
_LATER = 2  # rounds after the paper's last
_ONE_RUN = (
    "One tournament is one draw. That the author kept other parts than 0.3 is refuted by his files: all that learned on"
    " had 0.3 of the best one's points. That he ran the text, or met opponents as named, is refuted in experiment 3."
)
_TEXT = "The text is not what was run: the program, beside it, takes the maximum over all 8 actions, and its agents"
_FLIPPED = f"{_TEXT} vsRandom met vsSelf in the second session."
_OVERSIGHT = (
    "In the program's second session, by an oversight, all agents meet the other opponent: those called vsRandom learn"
    " vsSelf as those called vsRandomvsSelf do, and the other way round. The visits in the author's files show it: his"
    " agent of epsilon 0.3 vsRandom counts 67,254 decisions in 10,000 games; ours have 61,885 to 65,033 over 3 seeds"
    " with the opponents exchanged, and 48,053 to 51,161 without. The table runs both, and the text."
)
WON, ACCURACY = 1, 2  # columns of a test
_TOGETHER = 5  # curves in a figure
_TESTED = ("0.2", "0.8")  # epsilons of the agents that are changed one way at a time


class Schedule(NamedTuple):
    """Which values of epsilon take part, the rounds, and the games of each test."""

    epsilons: tuple[str, ...]
    orders: tuple[Order, ...]
    matches: int


def schedule(lab: Lab, reading: str = "program") -> Schedule:
    """The paper's by a reading, or a smaller one with as many kinds of rounds."""
    exchanged = reading == "program"
    whole = Schedule(PAPER_GRID["epsilon"], _ORDERS[reading], 1000)
    quick = _smaller(1000, 8000, 4, 1000, exchanged=exchanged)
    return lab.pick(full=whole, quick=quick, tiny=_smaller(20, 40, 0, 20, exchanged=exchanged))


def _smaller(games: int, best: int, more: int, matches: int, *, exchanged: bool) -> Schedule:
    first = Order(Kind.GRID, games, games // 2)
    again = Order(Kind.RETRAIN, games, games // 2, change_opponent=True, other_opponent=exchanged)
    return Schedule(("0.2", "0.8"), (first, again, *[Order(Kind.RETRAIN_BEST, best, keep=0.3)] * (1 + more)), matches)


def sweeping(lab: Lab, reading: str, seed: int) -> Task:
    """The schedule for one seed by a reading, and two more rounds; its result is what `swept` returns."""
    orders = schedule(lab, reading).orders
    return _sweep(lab, reading, seed, (*orders, *[orders[-1]] * _LATER), "schedule of the paper")


def beginning(lab: Lab, reading: str, seed: int) -> Task:
    """Its first two rounds without tests in between; by a reading, or as the program with opponents as named."""
    first, second = (order._replace(eval_every=0) for order in schedule(lab, _read(reading)).orders[:2])
    if reading == _KEPT:
        second = second._replace(other_opponent=False)
    return _sweep(lab, reading, seed, (first, second), "first two rounds of the schedule")


def _read(reading: str) -> str:
    return "program" if reading == _KEPT else reading


def _sweep(lab: Lab, reading: str, seed: int, orders: Sequence[Order], title: str) -> Task:
    epsilons, paper, matches = schedule(lab, _read(reading))
    rounds = [[order.kind.value, *order[1:]] for order in orders]
    option = "" if reading == "text" else " --program"
    command = f"ludus sweep paper{option} --seed {seed} --out SWEEP"
    games = sum(2 * len(epsilons) * order.games for order in orders)
    trains = Trains("q-table", keeps=("epsilon", "max_over", "ties"))
    arguments = _read(reading), seed, list(epsilons), rounds, matches, len(paper)
    name = f"{title}, {reading}, seed {seed}"
    return Task(name, swept, arguments, keeps=True, command=command, games=games, trains=trains)


def swept(
    reading: str,
    seed: int,
    epsilons: list[str],
    orders: list[Any],
    matches: int,
    last: int,
    folder: Path,
    folders: Sequence[Path],
) -> dict[str, Any]:
    """Run a schedule in a folder, and return every round, those after the paper's last apart, and every test."""
    if not (folder / FILE).is_file():
        grid = PAPER_GRID | {"epsilon": tuple(epsilons), "eval_games": (str(matches),)}
        grid |= {name: (value,) for name, value in (READINGS[reading] | changed({})).items()}
        new_sweep(PROGRAM, "q-table", grid, [Order(Kind(kind), *rest) for kind, *rest in orders], seed, folder)
    sweep = resume_sweep(folder, "local=1")
    paper, later = sweep.rounds[:last], sweep.rounds[last:]
    return {
        "rounds": [_round(done, folder) for done in paper],
        "later": [_round(done, folder) for done in later],
        "starting": _starting(max(paper[-1].agents, key=lambda agent: agent.points or 0.0), folder),
        "curves": {  # games, the share won against random, and the accuracy
            name: [
                [one.games, one.evaluation.against["random"].win_rate, one.evaluation.accuracy or 0.0] for one in found
            ]
            for name, found in tests(sweep, folder).items()
        },
        "games": sum(done.order.games for done in paper for agent in done.agents if agent.trained),
        "rankings": "\n".join(_ranking(done, number) for number, done in enumerate(paper, 1)),
    }


def _starting(agent: Candidate, folder: Path) -> dict[str, float]:
    """The share of games that players of other strength win against an agent that starts."""
    return {name: _beaten(name, folder / agent.run) for name in _LESSER}


def _beaten(name: str, run: Path) -> float:
    other, agent = ludus.make_agent(name), ludus.read_run(run).agent()
    counts = ludus.play_match(ludus.make_game(PROGRAM), other, agent, 2 * _GAMES, threads=1)
    return counts.second.a_wins / _GAMES


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
    """The schedule by both readings, for all seeds."""
    return {reading: sweeps_by(lab, reading) for reading in READINGS}


def sweeps_by(lab: Lab, reading: str) -> list[Task]:
    """The schedule by one reading, for all seeds."""
    return [sweeping(lab, reading, seed) for seed in lab.seeds]


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
    """Experiment 2: its curves."""
    order, matches = schedule(lab).orders[0], schedule(lab).matches
    strong = best_beginning(lab, order.games, order.eval_every, matches)
    found = yield {"random": chance(lab), "best": strong, "sweeps": sweeps_by(lab, "program")}
    levels = {WON: found["random"].won, ACCURACY: found["random"].accuracy}
    perfect = {WON: curve(BEST, [found["best"]], won), ACCURACY: curve(BEST, [found["best"]], accuracy)}
    agents = found["sweeps"]
    figures = [
        figure
        for opponent in ("random", "twin")
        for column in (WON, ACCURACY)
        for figure in _grid_figures(lab, agents, opponent, column, levels[column], perfect[column])
    ]
    return [Words(_SWEEP.format(games=order.games, every=order.eval_every, matches=matches)), *figures, _ends(agents)]


def grid_tests(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 2: each agent's first and last test of the first session beside the author's file of it."""
    cells = [(opponent, epsilon) for opponent in ("random", "twin") for epsilon in schedule(lab).epsilons]
    found = yield {
        "trained": [[session(lab, epsilon, opponent, seed) for seed in lab.seeds] for opponent, epsilon in cells]
    }
    results = [
        _tested(lab, each, opponent, epsilon, at)
        for (opponent, epsilon), each in zip(cells, found["trained"], strict=True)
        for at in ("begin", "end")
    ]
    return [Results("grid-tests", results)]


def _tested(lab: Lab, trained: Sequence[Any], opponent: str, epsilon: str, at: str) -> Result:
    lines = [one["lines"][0 if at == "begin" else -1] for one in trained]
    history = HISTORIES[(opponent,)]
    key = f"{history.lower()}-{epsilon}-{at}".replace(".", "")
    what = f"{history}, epsilon {epsilon}, won after {lines[0]['games']:,} games"
    return lab.result(what, key, [won([line])[0] for line in lines], _LUCK)


def one_by_one(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 2: what the program does otherwise than the text, or than Ludus by default, changed one by one."""
    seeds = range(lab.pick(full=60, quick=4, tiny=1))
    cells = [(opponent, epsilon) for opponent in ("random", "twin") for epsilon in _TESTED]
    found = yield {
        what: [[first_thousand(lab, what, epsilon, opponent, seed) for seed in seeds] for opponent, epsilon in cells]
        for what in CHANGED
    }
    rows = [(what, *(mean(ends(trained, won)).shown() for trained in each)) for what, each in found.items()]
    keys = [f"{HISTORIES[(opponent,)].lower()}-{epsilon}-begin".replace(".", "") for opponent, epsilon in cells]
    rows.append(("the paper", *(str(lab.number(key)) for key in keys)))
    columns = ("", *(f"{HISTORIES[(opponent,)]}, epsilon {epsilon}" for opponent, epsilon in cells))
    title = "What explains the tests after 1,000 games"
    caption = (
        f"Won against random play; means over {len(seeds)} seeds with their 95 % intervals. With all codes a random"
        " player, and an agent that explores, take an action twice as often that is listed twice."
    )
    return [Table("one-by-one", title, columns, rows, caption), _menu()]


def _menu() -> Boards:
    """The position of the paper's first page, and the list below it."""
    game = ludus.make_game(PROGRAM)
    pos = type(game.start())(2, 2, 3, 2, 0)
    listed = "; ".join(menu())
    board = Board(face.draw(game, pos).svg, listed)
    return Boards("menu", "The screen of the paper's first page", [board], "What the program lists, of 8 codes.")


def menu() -> list[str]:
    """The actions that the program lists in the position of the paper's first page."""
    game = ludus.make_game(PROGRAM)
    pos = type(game.start())(2, 2, 3, 2, 0)
    return [face.action_name(game, pos, action) for action in range(8) if game.legal(pos) >> action & 1]


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


# ---- change of opponents ----


def change_of_opponents(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3: its curves."""
    order, matches = schedule(lab).orders[1], schedule(lab).matches
    strong = best_beginning(lab, 2 * order.games, order.eval_every, matches)
    found = yield {"random": chance(lab), "best": strong, "sweeps": sweeps_by(lab, "program")}
    program = found["sweeps"]
    wins, grades = (
        [
            *(_history_curve(program, history, column) for history in HISTORIES.values()),
            curve(BEST, [found["best"]], of),
        ]
        for column, of in ((WON, won), (ACCURACY, accuracy))
    )
    return [
        Words(
            "All agents continue for as many games again, and each is also branched, to continue with the other"
            " opponent: four histories for each epsilon. Then all meet all in the second tournament."
        ),
        won_figure("change-won", wins, found["random"].won, (), _MEANS),
        accuracy_figure("change-grade", grades, found["random"].accuracy, (), _MEANS),
        _points_by_epsilon(program),
    ]


def two_tournaments(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3: the first two tournaments, as the program runs them."""
    found = yield {"swept": [beginning(lab, "program", seed) for seed in lab.seeds]}
    return [Results("change-points", _first_results(lab, found["swept"], "program", _ONE_RUN))]


def two_tournaments_by_the_text(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3: the same by the text."""
    found = yield {"swept": [beginning(lab, "text", seed) for seed in lab.seeds]}
    return [Results("change-points-text", _first_results(lab, found["swept"], "text", _FLIPPED))]


def _first_results(lab: Lab, found: Sequence[Any], reading: str, why: str) -> list[Result]:
    results = [
        lab.result(
            f"tournament 2: mean share of the points of agents {history}, {reading}",
            f"tournament-2-{history.lower()}",
            shares(found, history),
            why,
        )
        for history in HISTORIES.values()
    ]
    return results + [_best_result(lab, found, place, reading, why) for place in (0, 1)]


def shares(found: Sequence[Any], history: str) -> list[float]:
    """The mean share of the second tournament's points of agents with a history, by seed."""
    return [
        fmean(agent["share"] for agent in one["rounds"][1]["agents"] if agent["history"] == history) for one in found
    ]


def second_sessions(lab: Lab) -> dict[str, list[Task]]:
    """The first two rounds as the program runs them, with opponents as named, and by the text, for a few seeds."""
    seeds = range(lab.pick(full=20, quick=2, tiny=1))
    return {reading: [beginning(lab, reading, seed) for seed in seeds] for reading in ("program", _KEPT, "text")}


def exchanged_opponents(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 3: whom the agents met in the second session, as named and as the program has it."""
    names = {"program": "the program: all meet the other", _KEPT: "the program, but as named", "text": "the text"}
    found = yield second_sessions(lab)
    rows = [
        (names[reading], *(mean(shares(each, history)).shown() for history in HISTORIES.values()))
        for reading, each in found.items()
    ]
    numbers = (lab.number(f"tournament-2-{history.lower()}") for history in HISTORIES.values())
    rows.append(("the paper", *map(str, numbers)))
    seeds = len(found["text"])
    caption = f"Mean share of the second tournament's points by history; {seeds} seeds with their 95 % intervals."
    columns = ("the second session", *HISTORIES.values())
    return [Words(_OVERSIGHT), Table("exchanged", "Whom the agents met", columns, rows, caption)]


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
    """Experiment 4, as the program runs it."""
    found = yield {"random": chance(lab), "best": best(lab), "sweeps": sweeps_by(lab, "program")}
    program = found["sweeps"]
    numbers = [float(number) for number in range(1, len(program[0]["rounds"]) + 1)]
    return [
        Words(_BEST_ROUNDS.format(rounds=len(numbers) - 2)),
        _points_figure(lab, program, numbers),
        _accuracy_figure(program, numbers, found["random"].accuracy, Level(BEST, accuracy(found["best"]["lines"])[-1])),
        _tournaments(lab, program[0]),
        _put_backs(program),
        _last_ranking(program[0]),
        Results("schedule", _later_results(lab, program, "program", _ONE_RUN)),
        Listing("tournaments.txt", "All rankings of seed 0, in the shape of the paper's files", program[0]["rankings"]),
    ]


def retraining_by_the_text(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 4, by the text."""
    found = yield {"sweeps": sweeps_by(lab, "text")}
    return [Results("schedule-text", _later_results(lab, found["sweeps"], "text", _FLIPPED))]


def _later_results(lab: Lab, found: Sequence[Any], reading: str, why: str) -> list[Result]:
    places = range(2, len(found[0]["rounds"]))
    results = [_best_result(lab, found, place, reading, why) for place in places]
    return results + _last_results(lab, found, reading, why)


def _best_result(lab: Lab, found: Sequence[Any], place: int, reading: str, why: str) -> Result:
    values = [best_of(one["rounds"][place])["share"] for one in found]
    what = f"tournament {place + 1}: the best one's share of the points, {reading}"
    return lab.result(what, f"best-{place + 1}", values, why)


def _by_tournament(name: str, found: Sequence[Any], numbers: list[float], measure: str) -> Series:
    """A measure of the best agent of each tournament, the mean over seeds."""
    return series(name, numbers, [[best_of(done)[measure] for done in one["rounds"]] for one in found])


def _points_figure(lab: Lab, found: Sequence[Any], numbers: list[float]) -> Curves:
    reported = tuple(lab.number(f"best-{number:.0f}").value for number in numbers)
    return Curves(
        "tournaments-points",
        "The best agent of each tournament: share of the points",
        "tournament",
        "share of the points",
        [_by_tournament(NAMES["program"], found, numbers, "share"), Series("the paper's", tuple(numbers), reported)],
        _random_points(found, len(numbers) - 1),
        caption="Among agents that all play perfectly each would have half: the second player wins.",
    )


def _accuracy_figure(found: Sequence[Any], numbers: list[float], random: float, level: Level) -> Curves:
    rounds = [one["rounds"] for one in found]
    everyone = [[fmean(agent["accuracy"] for agent in done["agents"]) for done in each] for each in rounds]
    curves = [_by_tournament("the best", found, numbers, "accuracy"), series("the mean of all", numbers, everyone)]
    caption = "The best by points, and all agents of a tournament; the program's reading."
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


def _last_results(lab: Lab, found: Sequence[Any], reading: str, why: str) -> list[Result]:
    words = f"the last tournament, {reading}"
    agents = [one["rounds"][-1]["agents"] for one in found]
    second = [sorted(agent["share"] for agent in last)[-2] for last in agents]
    never = [max((agent["share"] for agent in last if agent["history"] == "vsRandom"), default=0.0) for last in agents]
    count, games = [float(len(last)) for last in agents], [float(one["games"]) for one in found]
    return [
        lab.result(f"{words}: the second's share", "second", second, why),
        lab.result(f"{words}: the best that is called vsRandom", "never-self", never, why),
        lab.result(f"{words}: agents", "agents-left", count, why),
        lab.result(f"training games in all, {reading}", "games-in-all", games, why),
    ]
