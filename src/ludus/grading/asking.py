"""What an agent does in every position that is judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import Probabilities, is_compiled, may_resign, score_of_resigning
from ludus.agents.asking import answers_in_turn, answers_of, check_answers_alike, job_size, shares_of
from ludus.agents.program import Program
from ludus.arena.contestants import identity
from ludus.arena.remote import Sent, is_made_of_words, ready, sent, written
from ludus.cluster import Job, run_jobs
from ludus.compiled.rows import Row
from ludus.grading.decisions import Choices, Ints
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched


class There(NamedTuple):
    """Where an agent that is not compiled is asked, by jobs on a place as `run_jobs` names them, and as what."""

    on: str
    agent: Sent


def place_to_ask(agent: Any, truth: Solution | Searched, on: str) -> There | None:
    """Where an agent is asked, None for here: on local, a program, or one that is not what its name makes elsewhere."""
    travels = not isinstance(agent, Program) and truth.start == truth.game.start() and is_made_of_words(agent)
    if on in ("local", "local=1") or not travels:
        return None
    return There(on, sent(written(agent), identity(agent), on))


def ask(
    agent: Any,
    game: Any,
    choices: Choices,
    progress: Callable[[int, int], None] | None = None,
    there: There | None = None,
) -> None:
    """Fill in the shares of all actions where a player moves; an only action needs no asking, unless of who resigns."""
    counts, resigning = np.diff(choices.first), may_resign(agent)
    players = choices.mover <= 1
    choices.shares[choices.first[:-1][players & (counts == 1)]] = 1.0
    asked = np.flatnonzero(players & (counts > (0 if resigning else 1)))
    check_answers_alike(agent, game, choices.positions[asked])
    size = job_size(len(asked))
    chunks = [asked[begin : begin + size] for begin in range(0, len(asked), size)]
    done = 0

    def take(number: int, table: Probabilities) -> None:
        nonlocal done
        chunk = chunks[number]
        edges, place = choices.edges_of(chunk)
        given = table[place, choices.actions[edges]]
        choices.shares[edges] = shares_of(given, place, game, choices.positions[chunk], resigning=resigning)
        _note_resigned(game, choices, chunk[np.bincount(place, choices.shares[edges], len(chunk)) == 0])
        done += len(chunk)
        if progress:
            progress(done, len(asked))

    questions = [choices.positions[chunk] for chunk in chunks]
    if there and not is_compiled(agent):
        named = catalog.lasting_name(game)
        jobs = [Job(f"asking {i}", answers_there, (named, there.agent, rows)) for i, rows in enumerate(questions, 1)]
        run_jobs(jobs, there.on, done=take)
    else:
        for number, table in enumerate(answers_in_turn(agent, game, questions)):
            take(number, table)


def answers_there(game: str, agent: Sent, positions: Row) -> Probabilities:
    """What an agent gives each action in some positions, wherever this is."""
    return answers_of(ready(game, agent), catalog.make_game(game), positions)


def _note_resigned(game: Any, choices: Choices, numbers: Ints) -> None:
    """Write down what resigning scores in these positions: never more than the worst action would."""
    for number in numbers:
        side = 1 if choices.mover[number] == 0 else -1
        worst = (side * choices.score[choices.first[number] : choices.first[number + 1]]).min()
        resigned = side * score_of_resigning(game, choices.position(game, number))
        choices.resigned[number] = side * min(resigned, math.floor(worst))
