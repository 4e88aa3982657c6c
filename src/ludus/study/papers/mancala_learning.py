"""Tasks of the Mancala paper: trainings told at the paper's own stages, and positions whose truth is searched."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.asking import answers_of
from ludus.agents.simple import Random
from ludus.arena.match import play_match
from ludus.files import write_whole
from ludus.grading.sample import sampled_positions
from ludus.grading.searching import Worth, search_chunk
from ludus.learning.presets import configured
from ludus.learning.training import Training, Watcher
from ludus.rows import unpack
from ludus.study.papers.task import Task, options
from ludus.study.papers.tasks import made

GAME = "mancala"
_POSITIONS = "positions.json"
_AT_ONCE = 5  # positions of one search, which then forgets

Known = list[tuple[list[int], list[int]]]  # the fields of a position, and the actions that keep its value


# ---- positions whose truth is known ----


def judging(count: int, seed: int) -> Task:
    """So many positions out of random games, searched; its result is what `judged` returns."""
    command = f"ludus grade random {GAME} --positions {count} --seed {seed}"
    return Task(f"the truth about {count} positions, seed {seed}", judged, (count, seed), keeps=True, command=command)


def judged(count: int, seed: int, folder: Path, folders: Sequence[Path]) -> dict[str, float]:
    """Search positions from the second halves of random games: how many are decisions, and how random play does."""
    game = catalog.make_game(GAME)
    positions = sampled_positions(Random(), game, count, seed)
    chunks = [positions[begin : begin + _AT_ONCE] for begin in range(0, count, _AT_ONCE)]
    worths = [worth for chunk in chunks for worth in search_chunk(game, chunk)]
    known = [
        ([*pos], right) for pos, worth in zip(positions, worths, strict=True) if (right := _right(game, pos, worth))
    ]
    write_whole(folder / _POSITIONS, [json.dumps(known).encode()])
    return {
        "decisions": len(known),
        "skipped": sum(worth is None for worth in worths),
        "right": right_share(Random(), game, known) if known else 0.0,
    }


def _right(game: Any, pos: Any, worth: Worth) -> list[int]:
    """The actions that keep the value; none if the position is no decision, or was not searched."""
    if worth is None:
        return []
    side = 1 if game.player(pos) == 0 else -1
    best = max(side * value.score for value in worth.values())
    right = [action for action, value in worth.items() if side * value.score == best]
    return right if len(right) < len(worth) else []


def right_share(agent: Any, game: Any, known: Known) -> float:
    """How often an agent does what keeps the value."""
    table = answers_of(agent_for(agent, game), game, np.array([fields for fields, _ in known], np.int64))
    return float(np.mean([table[place, right].sum() for place, (_, right) in enumerate(known)]))


def read_known(folders: Sequence[Path]) -> Known:
    """The positions in these folders."""
    return [entry for folder in folders for entry in json.loads((folder / _POSITIONS).read_text())]


# ---- trainings ----


def learning(
    words: dict[str, str],
    stages: Sequence[int],
    seed: int,
    *,
    every: int,
    matches: int,
    rivals: dict[str, int] | None = None,
    sample: Sequence[Task] = (),
) -> Task:
    """A training by move weights, told at stages.

    every: of so many games the score of one is noted; matches: games with random play at each stage; rivals: games
    with others in the end; sample: positions in which it is asked what it does.
    """
    told = words | {"seed": str(seed)}
    plan = {"games": str(stages[-1]), "grade": "no"} | ({"matches": str(matches)} if matches else {})
    command = f"ludus train {GAME} move-weights {options(told | plan)}"
    if rivals:
        after = [f"ludus match {GAME} RUN {shlex.quote(name)} --games {games}" for name, games in rivals.items()]
        command = "; ".join([f"{command} --out RUN", *after])
    name = f"move-weights on {GAME}, {', '.join(f'{key} {value}' for key, value in told.items())}, {stages[-1]:,} games"
    arguments = sorted(told.items()), list(stages), every, matches, sorted((rivals or {}).items())
    return Task(name, learned, arguments, needs=tuple(sample), command=command, games=stages[-1])


def learned(
    words: list[tuple[str, str]],
    stages: list[int],
    every: int,
    matches: int,
    rivals: list[tuple[str, int]],
    folders: Sequence[Path] = (),
) -> list[dict[str, Any]]:
    """Train, and tell at each stage how all games so far ended, for player 0, and how the learner does by then.

    wins, losses, ties; signed, absolute: the mean difference of the stores; against: what it wins of games with random
    play, first and second, and ties; right: how often it is right in the positions of the folders; met: positions that
    it knows. Of the last stage also rivals: what it wins of games with others.
    """
    game = catalog.make_game(GAME)
    plan = {"games": str(stages[-1]), "every": str(stages[-1]), "against": "none", "grade": "no"}
    training = Training(game, *configured(game, "move-weights", dict(words) | plan, None))
    known, scores, told = read_known(folders), list[int](), list[dict[str, Any]]()

    def note(training: Training) -> None:
        student: Any = training.student
        scores.append(game.score(unpack(game.start(), student.lesson.row)))
        if training.games in stages:
            agent = training.agent()
            told.append(_so_far(training, scores) | _by_now(agent, game, matches, known))
            if training.games == stages[-1]:
                told[-1]["rivals"] = {name: _won(agent, game, name, games) for name, games in rivals}

    training.run(Watcher(progress=note, every=every))
    return told


def _won(agent: Any, game: Any, rival: str, games: int) -> float:
    return play_match(game, agent, catalog.make_agent(rival), games, threads=1).all.a_wins / games


def _so_far(training: Training, scores: list[int]) -> dict[str, Any]:
    wins, ties, losses, _ = (int(count) for count in training.student.results[0])
    differences = {"signed": float(np.mean(scores)), "absolute": float(np.mean(np.abs(scores)))}
    met = int(training.student.measures()["met"][0])
    return {"games": training.games, "wins": wins, "losses": losses, "ties": ties, "met": met} | differences


def _by_now(agent: Any, game: Any, matches: int, known: Known) -> dict[str, Any]:
    right = {"right": right_share(agent, game, known)} if known else {}
    if not matches:
        return right
    match = play_match(game, agent, Random(), matches, threads=1)
    won = [count.a_wins / count.games for count in (match.first, match.second)]
    return right | {"against": [*won, match.all.draws / matches]}


# ---- other agents ----


def asking(agent: str | Task, sample: Sequence[Task]) -> Task:
    """How often an agent, or a training, is right in the positions of a sample."""
    run = (agent,) if isinstance(agent, Task) else ()
    name = agent.name if isinstance(agent, Task) else agent
    written = 0 if isinstance(agent, Task) else agent
    command = f"ludus grade {'RUN' if run else shlex.quote(name)} {GAME}"
    return Task(f"right decisions of {name}", asked, (written,), needs=(*run, *sample), command=command)


def asked(agent: str | int, folders: Sequence[Path]) -> float:
    """The share of right decisions; the folder of a training comes before those of the positions."""
    known = read_known(folders[1:] if agent == 0 else folders)
    return right_share(made(agent, folders), catalog.make_game(GAME), known)
