"""The rounds of a sweep: which agents are trained, their jobs here or on a Ray cluster, and the tournaments."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.arena.league import League
from ludus.arena.match import play_match
from ludus.arena.participants import Files, Runs, packed
from ludus.arena.tournament import OnProgress, tournament
from ludus.cluster import Job, run_jobs
from ludus.errors import LudusError
from ludus.files import is_there, made_folder
from ludus.learning.loop.plan import Graded, Plan
from ludus.learning.loop.training import Training
from ludus.learning.presets import configured
from ludus.learning.runs import CHECKPOINT, Run, create, get_run, read_run, resume
from ludus.learning.runs.files import MANIFEST
from ludus.learning.runs.lineage import runs_needed
from ludus.learning.runs.remote import files_to_resume, final_files, receive, unpacked
from ludus.locks import locked
from ludus.networks import runtime
from ludus.parameters import make, parse_written
from ludus.study.sweep import FILE, Candidate, Kind, Order, Round, Score, Sweep, Words, load, require_trusted, save
from ludus.study.sweep.files import write_curves, write_tournament

OPPONENT = "opponent"
MEETING = 10  # games of a match with the old self, and of each pair in a tournament
_RESERVED = "games", "eval_every", "init_from"  # set by the rounds themselves


# ---- which agents: the rules of the TapnSwap paper's Optimizer ----


def next_round(sweep: Sweep, order: Order) -> Round:
    """The round that an order asks for, before anything is trained."""
    number = len(sweep.rounds) + 1
    if order.kind is Kind.GRID:
        return Round(order, tuple(_to_train(agent, number) for agent in first_agents(sweep)))
    last = sweep.rounds[-1].agents
    if order.kind is Kind.RETRAIN:
        return Round(order, _retrained(last, number, sweep.grid[OPPONENT] if order.change_opponent else ()))
    return _best_retrained(last, order, number)


def first_agents(sweep: Sweep) -> list[Candidate]:
    """An agent for each point of the grid and each opponent."""
    grid = {name: values for name, values in sweep.grid.items() if name != OPPONENT}
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [
        Candidate(_name(point, (opponent,)), point, (opponent,))
        for point in points
        for opponent in sweep.grid[OPPONENT]
    ]


def _name(point: dict[str, str], opponents: Sequence[str]) -> str:
    """A name that can be one of a folder: `epsilon=0.8_vs-random_vs-twin`."""
    words = [f"{name}={value}" for name, value in point.items()] + [f"vs-{opponent}" for opponent in opponents]
    return "_".join(re.sub(r"[^A-Za-z0-9.=+-]+", "-", word).strip("-") for word in words)


def _to_train(agent: Candidate, number: int) -> Candidate:
    """An agent that is trained in the round of this number; what it is now is its old self."""
    return agent._replace(
        trained=f"{number}/{agent.name}", before=agent.run, match=None, is_settled=False, points=None, is_branch=False
    )


def _retrained(last: Sequence[Candidate], number: int, opponents: Sequence[str]) -> tuple[Candidate, ...]:
    """All agents, and each also with the other opponents; a branch that is there already is not made again."""
    found = {agent.name: _to_train(agent, number) for agent in last}
    for agent in last:
        for opponent in opponents:
            met = (*agent.opponents, opponent)
            branch = agent._replace(name=_name(agent.point, met), opponents=met)
            if opponent != agent.opponents[-1] and branch.name not in found:
                found[branch.name] = _to_train(branch, number)._replace(is_branch=True)
    return tuple(found.values())


def _best_retrained(last: Sequence[Candidate], order: Order, number: int) -> Round:
    """Survivors are trained; all of their points stay, and points without any are dropped."""
    survivors = selected(last, order.keep)
    points = [agent.point for agent in last if agent.name in survivors]
    agents = [_to_train(agent, number) for agent in last if agent.point in points]
    for place, agent in enumerate(agents):
        if agent.name not in survivors:  # it plays the tournament as it is
            agents[place] = agent._replace(trained="", before="", is_settled=True)
    return Round(order, tuple(agents), tuple(agent.name for agent in last if agent.point not in points))


def selected(agents: Sequence[Candidate], keep: float) -> set[str]:
    """The names of those with at least a part of the best one's points."""
    points = {agent.name: agent.points or 0.0 for agent in agents}
    least = keep * max(points.values())
    return {name for name, number in points.items() if number >= least}


def settled(agent: Candidate, games: int, match: Score | None) -> Candidate:
    """The agent after its training: the new one, or the old if that won more games of their match."""
    after = agent._replace(match=match, is_settled=True)
    return after if after.put_back else after._replace(run=agent.trained, games=agent.games + games)


def require_names_apart(agents: Sequence[Candidate]) -> None:
    """Raise LudusError if two agents would have the same folder."""
    names = [agent.name.lower() for agent in agents]
    for name in names:
        if names.count(name) > 1:
            raise LudusError(
                f"two agents of the grid would be called {name}: give values whose letters and digits differ"
            )


# ---- jobs ----


class Session(NamedTuple):
    """A run to be trained to its end; match: games against the run that initialised it, 0 for none."""

    run: Path
    match: int


class Trained(NamedTuple):
    """The games that a session took, and its match; files: those of the run, unless they are in place."""

    games: int
    match: Score | None
    files: Files = ()


def job_for(session: Session, name: str, games: int, on: str) -> Job:
    """The job of a session; on a cluster, which may share no disk, files travel with it."""
    if not on.startswith("ray"):
        return Job(name, train_here, session, games)
    others = packed(runs_needed(read_run(session.run).plan))
    return Job(name, train_there, (files_to_resume(session.run), others, session.match), games)


def train_here(path: Path, match: int) -> Trained:
    """Train in the folder of the run, from its last checkpoint on."""
    run = read_run(path)
    resume(run)
    with suppress(FileNotFoundError):
        (path / CHECKPOINT).unlink()  # a finished run needs none
    return Trained(run.metrics()[-1]["games"], _match(run, match))


def train_there(run: Files, others: Runs, match: int) -> Trained:
    """Train in a folder that lasts as long as this job, and send its files back."""
    with unpacked(run, others) as path:
        return train_here(path, match)._replace(files=final_files(path))


def _match(run: Run, games: int) -> Score | None:
    if not games or not run.plan.init_from.name:
        return None
    old = get_run(run.plan.init_from.name).agent()
    count = play_match(run.game, run.agent(), old, games, seed=run.plan.seed).all
    return Score(count.a_wins, count.b_wins, count.draws)


def new_sweep(
    game: str, learner: str, grid: dict[str, tuple[str, ...]], orders: Sequence[Order], seed: int, folder: Path
) -> Sweep:
    """A sweep over a grid in a new folder; a setting with one value holds for all agents."""
    if (folder / FILE).exists():
        raise LudusError(f"{folder} holds a sweep already: resume it with ludus sweep resume {folder}")
    for name in _RESERVED:
        if name in grid:
            raise LudusError(f"{name} is no setting of a grid: each round has its own")
    if len(grid.get("seed", ())) == 1:
        raise LudusError("the seed of a sweep is given by --seed; a grid has several: --grid seed=0,1,2")
    settings = {name: values[0] for name, values in grid.items() if len(values) == 1 and name != OPPONENT}
    several = {name: values for name, values in grid.items() if name not in settings}
    several.setdefault(OPPONENT, (str(Plan().opponent),))
    chosen = catalog.make_game(game)
    file, ending, _ = parse_written(learner).name.partition(".py")
    lasting = learner.replace(file, str(Path(file).resolve()), 1) if ending else learner  # whatever the current folder
    name = catalog.lasting_name(chosen)
    sweep = Sweep(name, lasting, settings, several, seed, MEETING, runtime.threads(), tuple(orders))
    _try_out(sweep, chosen, orders[0])
    save(sweep, folder)
    return sweep


def _try_out(sweep: Sweep, game: Any, order: Order) -> None:
    """Raise LudusError for settings or opponents that cannot be trained with, before anything is trained."""
    agents = first_agents(sweep)
    require_names_apart(agents)
    if len(agents) < 2:
        raise LudusError("a grid of one agent is a training: give several values, --grid epsilon=0.1,0.2")
    plans = [configured(game, sweep.learner, _settings(sweep, agent, order), None) for agent in agents]
    for config, plan in {plan.opponent: (config, plan) for config, plan in plans}.values():
        training = Training(game, config, plan._replace(grade=Graded.NO, stop=False))
        try:
            training.meet_opponents()
        finally:
            training.close()


def add_order(order: Order, folder: Path) -> Sweep:
    """The sweep in a folder with one more round to be done; LudusError while another is not finished."""
    make(Plan, "sweep", {"games": str(order.games)})
    if not 0 <= order.keep <= 1:
        raise LudusError(f"keep is a part of the best one's points, 0 to 1, not {order.keep:g}")
    require_trusted(load(folder), folder)
    with _in_use(folder):
        sweep = load(folder)
        if not sweep.is_finished:
            raise LudusError(f"{folder} is not finished: ludus sweep resume {folder}")
        sweep = sweep._replace(orders=(*sweep.orders, order))
        save(sweep, folder)
    return sweep


def _in_use(folder: Path) -> AbstractContextManager[None]:
    return locked(folder / "sweep.lock", "in use")


def resume_sweep(folder: Path, on: str = "local", on_progress: OnProgress = lambda step, progress: None) -> Sweep:
    """Do all rounds that are left, from where the sweep was stopped."""
    require_trusted(load(folder), folder)  # before anything is made there
    with _in_use(folder):
        sweep = load(made_folder(folder))
        while not sweep.is_finished:
            if not sweep.rounds or sweep.rounds[-1].is_finished:
                sweep = sweep._replace(rounds=(*sweep.rounds, next_round(sweep, sweep.orders[len(sweep.rounds)])))
                save(sweep, folder)
            sweep = _trained(sweep, folder, on, on_progress)
            sweep = _compared(sweep, folder, on, on_progress)
    return sweep


def _trained(sweep: Sweep, folder: Path, on: str, on_progress: OnProgress) -> Sweep:
    """Train the agents that are not settled yet, and note each result as it arrives."""
    number, order = len(sweep.rounds), sweep.rounds[-1].order
    agents = list(sweep.rounds[-1].agents)
    waiting = [place for place, agent in enumerate(agents) if not agent.is_settled]
    sessions = [_session(sweep, agents[place], order, folder) for place in waiting]
    jobs = [
        job_for(session, agents[place].name, order.games, on) for place, session in zip(waiting, sessions, strict=True)
    ]

    def done(finished: int, result: Trained) -> None:
        nonlocal sweep
        place = waiting[finished]
        receive(sessions[finished].run, result.files)
        agents[place] = settled(agents[place], result.games, result.match)
        sweep = sweep.with_round(sweep.rounds[-1]._replace(agents=tuple(agents)))
        save(sweep, folder)

    step = f"round {number}: train"
    run_jobs(jobs, on, done=done, on_progress=lambda found: on_progress(step, found), threads=sweep.threads)
    return sweep


def _session(sweep: Sweep, agent: Candidate, order: Order, folder: Path) -> Session:
    """The training of an agent in the last round, its run made if it is not there."""
    path = folder / agent.trained
    if not is_there(path / MANIFEST):
        game = catalog.make_game(sweep.game)
        words = _settings(sweep, agent, order) | ({"init_from": str(folder / agent.before)} if agent.before else {})
        create(game, *configured(game, sweep.learner, words, None), path)
    return Session(path, 0 if agent.is_branch else sweep.meeting)


def _settings(sweep: Sweep, agent: Candidate, order: Order) -> Words:
    words = f"{sweep.seed} {len(sweep.rounds)} {agent.name}"
    seed = int.from_bytes(hashlib.blake2b(words.encode(), digest_size=4).digest(), "little")
    rounds = {"games": str(order.games), "eval_every": str(order.eval_every or order.games), "seed": str(seed)}
    return sweep.settings | agent.point | {OPPONENT: opponent_in(sweep, agent, order)} | rounds


def opponent_in(sweep: Sweep, agent: Candidate, order: Order) -> str:
    """Whom an agent meets: the last that it is called after, unless the order says another."""
    last = agent.opponents[-1]
    if not order.other_opponent or agent.is_branch:
        return last
    return next((other for other in sweep.grid[OPPONENT] if other != last), last)


def _compared(sweep: Sweep, folder: Path, on: str, on_progress: OnProgress) -> Sweep:
    """Hold the tournament of the last round, write its files, and note the points of all."""
    number, last = len(sweep.rounds), sweep.rounds[-1]
    paths = [str(folder / agent.run) for agent in last.agents]
    with League(folder / "league.sqlite") as league:
        held = tournament(
            catalog.make_game(sweep.game),
            paths,
            sweep.meeting,
            seed=sweep.seed + number,
            on=on,
            league=league,
            ordered=True,
            on_progress=lambda step, progress: on_progress(f"round {number}: {step}", progress),
        )
    totals = dict(held.ranking())
    agents = tuple(agent._replace(points=totals[place]) for place, agent in enumerate(last.agents))
    write_tournament(held, agents, folder / "results", number)
    sweep = sweep.with_round(last._replace(agents=agents, is_finished=True))
    write_curves(sweep, folder)
    save(sweep, folder)
    return sweep


# ---- schedules ----

# The TapnSwap paper's whole schedule.
PAPER_GRID = {
    "epsilon": tuple(f"{tenth / 10:.1f}" for tenth in range(1, 11)),
    OPPONENT: ("random", "twin"),
    "tables": ("mover",),
    "win": ("10",),
    "loss": ("-10",),
    "eval_games": ("10000",),
    "cap": ("1000000",),
}

PAPER_ORDERS = (
    Order(Kind.GRID, 5000, 1000),
    Order(Kind.RETRAIN, 5000, 1000, change_opponent=True),
    Order(Kind.RETRAIN_BEST, 40_000, keep=0.3),
    *[Order(Kind.RETRAIN_BEST, 50_000, keep=0.3)] * 4,
)

# The same as its author's program has it: next values over all actions, ties to the first, and by an oversight all
# agents meet the other opponent in the second round; the third of the rounds of the best was the shorter one.
PROGRAM_GAME = "tapnswap(distinct=true)"
PROGRAM_GRID = PAPER_GRID | {"max_over": ("all",), "ties": ("first",)}
PROGRAM_ORDERS = (
    Order(Kind.GRID, 5000, 1000),
    Order(Kind.RETRAIN, 5000, 1000, change_opponent=True, other_opponent=True),
    *[Order(Kind.RETRAIN_BEST, games, keep=0.3) for games in (50_000, 50_000, 40_000, 50_000, 50_000)],
)
