"""Tasks of a paper: functions with arguments, whose results are kept and never computed twice."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import shlex
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

import ludus
from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for
from ludus.agents.policies import policies_of
from ludus.arena import Seats
from ludus.arena.match import play_match
from ludus.documents import read_document, write_document
from ludus.files import is_there, made_folder, write_whole
from ludus.grading.decisions import Choices, Tally, all_choices, judged, tally
from ludus.grading.grade import Grade, Standing, ask, grade, standing
from ludus.learning.loop.training import Training
from ludus.learning.presets import configured, preset_for
from ludus.learning.runs import AGENT, METRICS, Run, create, notes_for, read_run, resume
from ludus.learning.runs.files import MANIFEST, write_arrays
from ludus.parameters import format_value
from ludus.playout import playouts
from ludus.solving.explore import explore
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, Truth, solve

_SAMPLE, _SAMPLE_VERSION = "sample.json", 1


class Trains(NamedTuple):
    """What a task trains: the learner, and its preset; with what settings, if it is an ordinary training.

    keeps: settings that no change touches; of a training that is not an ordinary one, all but the learner's.
    """

    learner: str
    preset: str | None = None
    plan: Mapping[str, str] | None = None
    keeps: tuple[str, ...] = ()


class Task(NamedTuple):
    """A top-level function and its arguments, plain values; its result is a JSON value.

    keeps: whether it has a folder of its own, given as `folder`, in which it can resume after a kill, and which lasts;
    needs: tasks that must be done before, whose folders it is given as `folders`; command: how to do the same at the
    command line; games: how many games it plays, to estimate the speed; trains: what it trains, if anything; changes:
    settings of its trainings that are other than it says.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keeps: bool = False
    needs: tuple[Task, ...] = ()
    command: str = ""
    games: int = 0
    trains: Trains | None = None
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """A digest of what is done, by which code, with which arguments."""
        parts = [ludus.__version__, *_code(self.function), self.arguments, [need.key for need in self.needs]]
        parts += [self.changes] if self.changes else []
        return hashlib.blake2b(json.dumps(parts).encode(), digest_size=8).hexdigest()

    @property
    def place(self) -> str:
        """The name of its files."""
        return f"{re.sub(r'[^a-z0-9.=]+', '-', self.name.lower())[:60].strip('-')}-{self.key}"


@cache
def _code(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__module__, function.__qualname__, inspect.getsource(function)


def commands(tasks: Iterable[Task], seeds: Sequence[int] = ()) -> str:
    """The commands of tasks in a line; of trainings with the first of some seeds, with all of them."""
    return "; ".join(f"{task.command} --seeds {len(seeds)}" if seeds else task.command for task in tasks)


def options(words: Mapping[str, str]) -> str:
    """Settings as they are given at the command line; those that are true or false are switches there."""
    switches = {"true": "--{}", "false": "--no-{}"}
    flags = {name: name.replace("_", "-") for name in words}
    return " ".join(
        switches[value].format(flags[name]) if value in switches else f"--{flags[name]} {shlex.quote(value)}"
        for name, value in words.items()
    )


Agent = str | Task  # an agent as it is written, or a training


# ---- settings that are changed ----


_changes: ContextVar[Mapping[str, str]] = ContextVar("changes", default=MappingProxyType({}))


def do(task: Task, **folders: Any) -> Any:
    """The result of a task, its trainings with their settings changed."""
    token = _changes.set(dict(task.changes))
    try:
        return task.function(*task.arguments, **folders)
    finally:
        _changes.reset(token)


def changed(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings of a training, with those changed that the task at work changes."""
    return {**settings, **_changes.get()}


# ---- trainings ----


def training(
    game: str, learner: str, seed: int, *, preset: str | None = None, init_from: Task | None = None, **settings: Any
) -> Task:
    """A training, kept as an ordinary run; its result is {"lines": metrics}.

    init_from: the training whose parameters initialise this one; settings: of the learner and of the plan.
    """
    words = {name: format_value(value) for name, value in settings.items()} | {"seed": str(seed)}
    _, plan = configured(catalog.make_game(game), learner, words, preset)
    name = f"{learner} on {game}, {', '.join(f'{key} {value}' for key, value in words.items())}"
    chosen = [] if preset is None else [f"--preset {preset}"]
    start = [] if init_from is None else ["--init-from RUN"]
    command = " ".join(["ludus train", shlex.quote(game), shlex.quote(learner), *chosen, options(words), *start])
    arguments = game, learner, preset, sorted(words.items())
    needs = () if init_from is None else (init_from,)
    trains = Trains(learner, preset, words)
    return Task(name, train_run, arguments, keeps=True, needs=needs, command=command, games=plan.games, trains=trains)


def train_run(
    game: str, learner: str, preset: str | None, words: list[tuple[str, str]], folder: Path, folders: Sequence[Path]
) -> dict[str, Any]:
    """Train in a folder."""
    begin = {"init_from": str(folders[0])} if folders else {}
    return {"lines": train_in(folder, game, learner, dict(words) | begin, preset).metrics()}


def train_in(folder: Path, game: str, learner: str, settings: dict[str, str], preset: str | None = None) -> Run:
    """Train in a folder, from the last checkpoint on if there is one."""
    if is_there(folder / MANIFEST):
        run = read_run(folder)
    else:
        chosen = catalog.make_game(game)
        run = create(chosen, *configured(chosen, learner, changed(settings), preset), made_folder(folder))
    resume(run)
    return run


def start_training(game: Any, learner: str, settings: dict[str, str], parameters: Any = None) -> Training:
    """A training in memory, which nothing evaluates; a task looks on by a `Watcher`; parameters: to start from."""
    plan = {"eval_against": "none", "grade": "no"}
    training = Training(game, *configured(game, learner, changed(settings) | plan, None))
    if parameters is not None:
        training.trainer.init_from(parameters)
    return training


def keep_run(training: Training, folder: Path) -> None:
    """Write a training in memory as the run that `ludus train` would have made in as many games."""
    for left in folder.iterdir():
        left.unlink()
    run = create(training.game, training.learner, training.plan._replace(games=training.games), folder)
    write_whole(folder / METRICS, [])
    write_arrays(folder / AGENT, training.trainer.parameters(), notes_for(run, AGENT, training.games))


def write_sample(folder: Path, sample: Any) -> None:
    """Keep what a task found for other tasks, which get its folder: positions with what is known of them."""
    write_document(folder / _SAMPLE, _SAMPLE_VERSION, {"sample": sample})


def read_sample(folder: Path, kind: Any) -> Any:
    """What `write_sample` kept, as a value of this kind; LudusError if it is damaged."""
    return read_document(folder / _SAMPLE, _SAMPLE_VERSION, dict[str, kind])["sample"]


def preset_settings(preset: str, learner: str, game: Any) -> dict[str, str]:
    """The settings of a learner by a preset."""
    return preset_for(preset, learner, game)[0]


# ---- agents ----


def _arguments(agents: Sequence[Agent]) -> tuple[list[str | int], tuple[Task, ...]]:
    """Agents as arguments, trainings by their numbers among those that are needed; and these."""
    needs = tuple(agent for agent in agents if isinstance(agent, Task))
    return [needs.index(agent) if isinstance(agent, Task) else agent for agent in agents], needs


def made(agent: str | int, folders: Sequence[Path]) -> Any:
    """The agent that an argument stands for."""
    return catalog.make_agent(str(folders[agent]) if isinstance(agent, int) else agent)


def called(agent: Agent) -> str:
    """An agent as commands name it."""
    return "RUN" if isinstance(agent, Task) else shlex.quote(agent)


def _name(agent: Agent) -> str:
    return agent.name if isinstance(agent, Task) else agent


def policies(agent: Any, game: Any, positions: Sequence[Sequence[int]]) -> Probabilities:
    """The policy of an agent in each position, [positions, actions]."""
    return policies_of(agent_for(agent, game), game, np.array(positions, np.int64))


def asking(agent: Agent, title: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Task:
    """A task about one agent, which the function is given first, as `made` takes it."""
    (argument,), needs = _arguments([agent])
    needs += options.pop("needs", ())
    return Task(f"{title} of {_name(agent)}", function, (argument, *arguments), needs=needs, **options)


def grading(agent: Agent, game: str, *, positions: int = 100, seed: int = 0) -> Task:
    """An agent graded as by `graded`; positions: the size of the sample of a game too large to enumerate."""
    command = f"ludus grade {called(agent)} {shlex.quote(game)}"
    return asking(agent, f"grade on {game}", graded, game, positions, seed, command=command)


def graded(agent: str | int, game: str, positions: int, seed: int, folders: Sequence[Path] = ()) -> dict[str, Any]:
    """An agent against the exact solution: all decisions, those of its own play and its guarantee, by seat."""
    truth, player = exact_solution(game), made(agent, folders)
    if isinstance(truth, Solution):
        found: Standing | Grade = standing(player, truth)
    else:
        found = grade(player, truth.game, solution=truth, positions=positions, seed=seed, mistakes=0)
    own = {seat: _tally(each) for seat, each in found.own_play._asdict().items()}
    guarantee = found.guarantee and {
        seat: {"result": each.result, "score": float(each.score)} for seat, each in found.guarantee._asdict().items()
    }
    return {"all": _tally(found.all), "own_play": own, "guarantee": guarantee}


def _tally(counted: Tally) -> dict[str, float]:
    return {"decisions": int(counted.decisions), "optimal": float(counted.optimal), "accuracy": counted.accuracy}


def accuracy_by_player(agent: Any, game: str) -> tuple[float, float]:
    """The accuracy of players 0 and 1 over all positions."""
    choices = _choices(game)
    ask(agent, exact_solution(game).game, choices)
    found = judged(choices, 1e-9)
    counted = [tally(choices, found, choices.mover == player, has_chance=False) for player in (0, 1)]
    first, second = (float(each.optimal) / each.decisions for each in counted)
    return first, second


@cache
def _choices(game: str) -> Choices:
    """All choices of a game, kept, since many agents in a row are graded."""
    solution = exact_solution(game)
    assert isinstance(solution, Solution)
    return all_choices(explore(solution.game, solution.start, limit=len(solution)), solution)


def matching(
    game: str,
    a: Agent,
    b: Agent,
    games: int,
    seed: int,
    *,
    seats: str = "alternate",
    cap: int | None = None,
    alternate_starter: bool = False,
) -> Task:
    """A match, as `matched` returns it."""
    written, needs = _arguments([a, b])
    arguments = game, written, games, seed, seats, cap, alternate_starter
    options = [f"--games {games} --seed {seed}", "" if seats == "alternate" else f"--seats {seats}"]
    options += ["" if cap is None else f"--cap {cap}", "--alternate-starter" if alternate_starter else ""]
    command = " ".join(["ludus match", shlex.quote(game), called(a), called(b), *filter(None, options)])
    title = f"{_name(a)} against {_name(b)} on {game}, seed {seed}"
    return Task(title, matched, arguments, needs=needs, command=command, games=games)


def matched(
    game: str,
    agents: list[str | int],
    games: int,
    seed: int,
    seats: str,
    cap: int | None,
    alternate_starter: bool,
    folders: Sequence[Path] = (),
) -> dict[str, Any]:
    """How games ended for the first agent: all, those it began and the others, each {wins, losses, draws, won}."""
    a, b = (made(agent, folders) for agent in agents)
    options: dict[str, Any] = {"seats": Seats[seats.upper()], "cap": cap, "alternate_starter": alternate_starter}
    found = play_match(catalog.make_game(game), a, b, games, seed=seed, threads=1, **options)
    counts: dict[str, Any] = {}
    for name, count in (("all", found.all), ("first", found.first), ("second", found.second)):
        won = count.a_wins / count.games if count.games else 0.0
        counts[name] = {"wins": count.a_wins, "losses": count.b_wins, "draws": count.draws, "won": won}
    return counts | {"mean_score": found.mean_score, "mean_plies": found.mean_plies}


# ---- games themselves ----


def random_play(game: str, games: int, seed: int) -> Task:
    """Games of random play, as `played_out` returns them."""
    command = f"ludus match {shlex.quote(game)} random random --games {games} --seed {seed}"
    return Task(f"random play of {game}, seed {seed}", played_out, (game, games, seed), command=command, games=games)


def played_out(game: str, games: int, seed: int) -> dict[str, int]:
    """How games of random play ended, for players 0 and 1."""
    return playouts(catalog.make_game(game), games, seed=seed)._asdict()


def solving(game: str) -> Task:
    """The exact solution of a game, as `solved` returns it."""
    return Task(f"the solution of {game}", solved, (game,), command=f"ludus solve {shlex.quote(game)}")


@cache
def exact_solution(game: str) -> Truth:
    """The solution of a game, kept, since many trainings in a row are graded by it."""
    return solve(catalog.make_game(game))


def solved(game: str) -> dict[str, Any]:
    """The value of a game at its start for player 0, and counts of all its positions where it can be listed."""
    found = exact_solution(game)
    value = found.value(found.start)
    counts = None if isinstance(found, Searched) else found.counts()._asdict()
    return {"score": value.score, "plies": value.plies, "counts": counts}


# ---- workings ----


T = TypeVar("T")
# Yields tasks, or other workings, by name, nested in dicts and lists at will; is sent the results in the same shape.
Working = Generator[Mapping[Any, Any], dict[Any, Any], T]
Rounds = Generator[list[Task], list[Any], T]  # yields tasks that can be done side by side


def rounds(asked: Any) -> Rounds[Any]:
    """The result of a task or a working, or those of all in nested dicts and lists, in the same shape."""
    if isinstance(asked, Task):
        return (yield [asked])[0]
    if isinstance(asked, Generator):
        answer = None
        while True:
            try:
                wanted = asked.send(answer)
            except StopIteration as stop:
                return stop.value
            answer = yield from rounds(wanted)
    named = asked if isinstance(asked, Mapping) else dict(enumerate(asked))
    found = yield from _side_by_side({name: rounds(each) for name, each in named.items()})
    return found if isinstance(asked, Mapping) else list(found.values())


def each_task(asked: Any, change: Callable[[Task], Task]) -> Rounds[Any]:
    """The same rounds, with every task as `change` returns it."""
    steps = rounds(asked)
    results: list[Any] | None = None
    while True:
        try:
            tasks = steps.send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            return stop.value
        results = yield [change(task) for task in tasks]


def _side_by_side(parts: Mapping[Any, Rounds[Any]]) -> Rounds[dict[Any, Any]]:
    """Several as one, which yields at once all tasks that they yield."""
    returned: dict[Any, Any] = {}
    asked: dict[Any, list[Task]] = {}

    def advance(name: Any, results: list[Any] | None) -> None:
        try:
            asked[name] = parts[name].send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            asked.pop(name, None)
            returned[name] = stop.value

    for name in parts:
        advance(name, None)
    while asked:
        waiting = dict(asked)
        results = iter((yield [task for tasks in waiting.values() for task in tasks]))
        for name, tasks in waiting.items():
            advance(name, [next(results) for _ in tasks])
    return {name: returned[name] for name in parts}


def with_needs(tasks: Iterable[Task]) -> list[Task]:
    """Tasks and all that they need, each once, in an order in which they can be done."""
    found: dict[str, Task] = {}

    def add(task: Task) -> None:
        for need in task.needs:
            add(need)
        found.setdefault(task.key, task)

    for task in tasks:
        add(task)
    return list(found.values())
