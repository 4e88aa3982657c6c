"""Trainings and runs for tests: finished, with the learned tables as dictionaries or bytes."""

from pathlib import Path

import numpy as np
from conftest import TESTS

from ludus.agents import tabular
from ludus.catalog import make_game, make_learner
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training
from ludus.learning.runs import AGENT, CHECKPOINT, METRICS, create, resume
from ludus.parameters import make

NIM = f"{TESTS}/user_games/nim.py(a=1, b=2, c=1)"
RESULT = (AGENT, METRICS, CHECKPOINT)  # independent of how a run was stopped

STUBBORN = """
from typing import NamedTuple
from ludus.compiled.masks import actions

class Stubborn(NamedTuple):
    plain = True

    def policy(self, game, pos, out):
        out[actions(game.legal(pos))] = 1.0
        out[actions(game.legal(pos))[-1]] = 2.0
"""  # an agent in plain Python, which takes its last action twice as often as any other

BOLD = """
from typing import NamedTuple
from ludus.learning.q_table import QTable
from ludus.learning.loop.settings import Schedule

class Bold(NamedTuple):
    boldness: str = "0.9"

    def trainer(self, game, *, twin=False):
        return QTable(epsilon=Schedule.parse(self.boldness)).trainer(game, twin=twin)

    def agent(self, game, parameters):
        return QTable().agent(game, parameters)
"""  # a learner of a user


def trained(game, learner="q-table", **plan):
    """A finished training, without evaluations."""
    words = {"grade": "no", "eval_against": "none"} | {name: str(value) for name, value in plan.items()}
    game = make_game(game) if isinstance(game, str) else game
    training = Training(game, make_learner(learner), make(Plan, "plan", words))
    training.run()
    return training


def learned(training, who=0):
    """{(table, position): {action: (value, visits)}} of the learner (0) or its twin (1)."""
    entries, roles, known = training.trainer.store.entries, training.learner.roles, {}
    for table in range(roles):
        values, visits = entries.values[who * roles + table], entries.visits[who * roles + table]
        for number in np.flatnonzero(visits.any(axis=1)):
            pos = position_of(training.game, entries, who * roles + table, table, int(number))
            taught = np.flatnonzero(visits[number])
            known[table, pos] = {int(a): (float(values[number, a]), int(visits[number, a])) for a in taught}
    return known


def position_of(game, entries, row_of_tables, player, number):
    if entries.by == tabular.HASHED:
        return type(game.start())(*entries.rows[row_of_tables, number].tolist())
    return game.seat_position_at(player, number) if entries.by == tabular.SEATED else game.position_at(number)


def all_bytes(training):
    return {name: array.tobytes() for name, array in training.trainer.arrays().items()}


def new_run(path, learner="q-table", game=NIM, **plan):
    """A run that has not started."""
    words = {"games": "20", "eval_every": "6", "eval_games": "2"} | {name: str(value) for name, value in plan.items()}
    return create(make_game(game), make_learner(learner), make(Plan, "plan", words), Path(path))


def finished(path, *args, **plan):
    """A finished run, never stopped."""
    run = new_run(path, *args, **plan)
    resume(run)
    return run


def contents(run):
    """The bytes of the results of a run."""
    return {name: (run.path / name).read_bytes() for name in RESULT}


def stubborn(folder):
    """The name of an agent in plain Python, in a file in this folder."""
    path = folder / "stubborn.py"
    path.write_text(STUBBORN)
    return str(path)
