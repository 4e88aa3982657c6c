"""Tasks that papers have in common: trainings, grades, matches, random play, and the truth."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.arena.match import Count, play_match
from ludus.arena.seats import Seats
from ludus.grading.decisions import Tally
from ludus.grading.grade import Grade, Standing, grade, standing
from ludus.grading.guarantee import Guarantee
from ludus.learning.head import HEAD
from ludus.learning.presets import configured
from ludus.learning.runs import create, go_on, read_run
from ludus.parameters import format_value
from ludus.playout import playouts
from ludus.solving.solution import Solution
from ludus.solving.truth import Searched, solve
from ludus.study.papers.task import Task, options

Agent = str | Task  # an agent as it is written, or a training


# ---- trainings ----


def training(
    game: str, learner: str, seed: int, *, preset: str | None = None, begin: Task | None = None, **settings: Any
) -> Task:
    """A training, kept as an ordinary run; its result is {"lines": metrics}.

    begin: a training with whose knowledge this one begins; settings: of the learner and of the plan.
    """
    words = {name: format_value(value) for name, value in settings.items()} | {"seed": str(seed)}
    _, plan = configured(catalog.make_game(game), learner, words, preset)
    name = f"{learner} on {game}, {', '.join(f'{key} {value}' for key, value in words.items())}"
    chosen = [] if preset is None else [f"--preset {preset}"]
    start = [] if begin is None else ["--begin RUN"]
    command = " ".join(["ludus train", shlex.quote(game), shlex.quote(learner), *chosen, options(words), *start])
    arguments = game, learner, preset, sorted(words.items())
    needs = () if begin is None else (begin,)
    return Task(name, train_run, arguments, keeps=True, needs=needs, command=command, games=plan.games)


def train_run(
    game: str, learner: str, preset: str | None, words: list[tuple[str, str]], folder: Path, folders: Sequence[Path]
) -> dict[str, Any]:
    """Train in a folder, from the last checkpoint on if there is one."""
    if (folder / HEAD).is_file():
        run = read_run(folder)
    else:
        chosen = catalog.make_game(game)
        begin = {"begin": str(folders[0])} if folders else {}
        config, plan = configured(chosen, learner, dict(words) | begin, preset)
        run = create(chosen, config, plan, folder)
    go_on(run)
    return {"lines": run.metrics()}


# ---- what is asked of agents ----


def _arguments(agents: Sequence[Agent]) -> tuple[list[str | int], tuple[Task, ...]]:
    """Agents as arguments, trainings by their numbers among those that are needed; and these."""
    needs = tuple(agent for agent in agents if isinstance(agent, Task))
    return [needs.index(agent) if isinstance(agent, Task) else agent for agent in agents], needs


def made(agent: str | int, folders: Sequence[Path]) -> Any:
    """The agent that an argument stands for."""
    return catalog.make_agent(str(folders[agent]) if isinstance(agent, int) else agent)


def _called(agent: Agent) -> str:
    return "RUN" if isinstance(agent, Task) else shlex.quote(agent)


def grading(agent: Agent, game: str, *, positions: int = 100, seed: int = 0) -> Task:
    """The grade of an agent, as `graded` gives it; positions: how many are sampled of a game too large to list."""
    (written,), needs = _arguments([agent])
    of = agent.name if isinstance(agent, Task) else agent
    command = f"ludus grade {_called(agent)} {shlex.quote(game)}"
    return Task(f"grade of {of} on {game}", graded, (written, game, positions, seed), needs=needs, command=command)


def graded(agent: str | int, game: str, positions: int, seed: int, folders: Sequence[Path] = ()) -> dict[str, Any]:
    """An agent against the truth: all decisions, those of its own play by seat, and what it is sure of, by seat."""
    truth, player = truth_about(game), made(agent, folders)
    if isinstance(truth, Solution):
        found: Standing | Grade = standing(player, truth)
    else:
        found = grade(player, truth.game, solution=truth, positions=positions, seed=seed, mistakes=0)
    own = {seat: _tally(tally) for seat, tally in found.own_play._asdict().items()}
    sure = found.guarantee and {seat: _sure(each) for seat, each in found.guarantee._asdict().items()}
    return {"all": _tally(found.all), "own_play": own, "guarantee": sure}


def _tally(tally: Tally) -> dict[str, float]:
    right = float(tally.optimal)
    share = right / tally.decisions if tally.decisions else 1.0
    return {"decisions": int(tally.decisions), "optimal": right, "right": share}


def _sure(guarantee: Guarantee) -> dict[str, Any]:
    return {"result": guarantee.result, "score": float(guarantee.score)}


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
    """A match, as `matched` gives it."""
    written, needs = _arguments([a, b])
    names = [agent.name if isinstance(agent, Task) else agent for agent in (a, b)]
    arguments = game, written, games, seed, seats, cap, alternate_starter
    options = [f"--games {games} --seed {seed}", "" if seats == "alternate" else f"--seats {seats}"]
    options += ["" if cap is None else f"--cap {cap}", "--alternate-starter" if alternate_starter else ""]
    command = " ".join(["ludus match", shlex.quote(game), _called(a), _called(b), *filter(None, options)])
    title = f"{names[0]} against {names[1]} on {game}, seed {seed}"
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
    found = play_match(
        catalog.make_game(game),
        a,
        b,
        games,
        seed=seed,
        seats=Seats[seats.upper()],
        cap=cap,
        alternate_starter=alternate_starter,
        threads=1,
    )
    told = {name: _count(getattr(found, name)) for name in ("all", "first", "second")}
    return told | {"mean_score": found.mean_score, "mean_plies": found.mean_plies}


def _count(count: Count) -> dict[str, float]:
    won = count.a_wins / count.games if count.games else 0.0
    return {"wins": count.a_wins, "losses": count.b_wins, "draws": count.draws, "won": won}


# ---- games themselves ----


def random_play(game: str, games: int, seed: int) -> Task:
    """Games of random play, as `played_out` gives them."""
    command = f"ludus match {shlex.quote(game)} random random --games {games} --seed {seed}"
    return Task(f"random play of {game}, seed {seed}", played_out, (game, games, seed), command=command, games=games)


def played_out(game: str, games: int, seed: int) -> dict[str, int]:
    """How games of random play ended, for players 0 and 1."""
    return playouts(catalog.make_game(game), games, seed=seed)._asdict()


def solving(game: str) -> Task:
    """The truth about a game, as `solved` gives it."""
    return Task(f"the truth about {game}", solved, (game,), command=f"ludus solve {shlex.quote(game)}")


@cache
def truth_about(game: str) -> Solution | Searched:
    """The solution of a game, kept, since many trainings in a row are graded by it."""
    return solve(catalog.make_game(game))


def solved(game: str) -> dict[str, Any]:
    """The value of a game at its start for player 0, and of all its positions where it can be listed."""
    found = truth_about(game)
    value = found.value(found.start)
    counts = found.counts()._asdict() if isinstance(found, Solution) else None
    return {"score": value.score, "plies": value.plies, "counts": counts}
