"""The files of a sweep for other programs: curves and tournaments in the formats of the TapnSwap paper's program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ludus.arena.tournament import Tournament, matrix_csv, ranking_text
from ludus.files import made_folder, write_whole
from ludus.learning.runs import read_run
from ludus.learning.runs.history import Evaluation, read_history
from ludus.study.sweep import Candidate, Sweep

_KNOWN = {"random": "Random", "self": "Self", "twin": "Self"}


class Tested(NamedTuple):
    """A test of an agent: its games in all sessions, the round, whether its session was kept, and the evaluation."""

    games: int
    round: int
    was_kept: bool
    played: int
    evaluation: Evaluation


def tests(sweep: Sweep, folder: Path) -> dict[str, list[Tested]]:
    """All tests of each agent, session by session; a branch begins with those of the agent that it comes from."""
    found: dict[str, list[Tested]] = {}
    owners: dict[str, str] = {}  # of runs
    for number, done in enumerate(sweep.rounds, 1):
        for agent in done.agents:
            if agent.is_settled and agent.trained:
                before = [test for test in found.get(owners.get(agent.before, ""), []) if test.round < number]
                found[agent.name] = [*before, *_session_tests(agent, number, folder)]
                owners[agent.trained] = agent.name
    return found


def _session_tests(agent: Candidate, number: int, folder: Path) -> Iterator[Tested]:
    run = read_run(folder / agent.trained)
    session = read_history(run, run.name)
    earlier = agent.games if agent.put_back else agent.games - session.games
    for evaluation in session.evaluations:
        yield Tested(earlier + evaluation.games, number, not agent.put_back, run.plan.eval_games, evaluation)


def write_curves(sweep: Sweep, folder: Path) -> None:
    """Write GS_epsilon_0.8_vsSelf.txt and the like: games, won, finished and played against random at each test."""
    agents = {agent.name: agent for done in sweep.rounds for agent in done.agents}
    out = made_folder(folder / "train")
    for name, found in tests(sweep, folder).items():
        lines = []
        for test in found:
            if test.was_kept and (won := test.evaluation.against.get("random")):
                lines.append(f"{test.games} {won.wins} {won.finished} {test.played}\n")
        if lines:
            words = "_".join(f"{setting}_{value}" for setting, value in agents[name].point.items())
            label = re.sub(r"[^A-Za-z0-9.=+_-]+", "-", f"{words}_{_history(agents[name])}".strip("_"))
            write_whole(out / f"GS_{label}.txt", ["".join(lines).encode()])


def _history(agent: Candidate) -> str:
    return "".join(f"vs{_KNOWN.get(opponent, opponent)}" for opponent in agent.opponents)


def write_tournament(held: Tournament, agents: Sequence[Candidate], folder: Path, number: int) -> None:
    """Write tournamentK.csv, the points of each row against each column, and tournamentK.txt, the ranking."""
    made_folder(folder)
    labels = [_labels(agent) for agent in agents]
    write_whole(folder / f"tournament{number}.csv", [matrix_csv(labels, held.matrix()).encode()])
    write_whole(folder / f"tournament{number}.txt", [ranking(agents).encode()])


def ranking(agents: Sequence[Candidate]) -> str:
    """The ranking of agents by their points."""
    ranked = []
    for agent in sorted(agents, key=lambda agent: -(agent.points or 0.0)):
        settings = "".join(f"{name} = {value}, \t" for name, value in agent.point.items())
        met = _history(agent).replace("vs", "vs ", 1)
        ranked.append((agent.points or 0.0, f"{settings}trained {met} \t{agent.games}\tepochs"))
    return ranking_text(ranked)


def _labels(agent: Candidate) -> list[str]:
    """The settings of an agent and its opponents; those of the paper by its numbers.

    0 for random, 1 for a learner; then -1 for nobody else, 0 for random before a learner, 1 the other way round.
    """
    met = tuple(_KNOWN.get(opponent, opponent) for opponent in agent.opponents)
    numbers = {("Random",): "0 -1", ("Self",): "1 -1", ("Random", "Self"): "0 0", ("Self", "Random"): "1 1"}
    return [*agent.point.values(), *(numbers[met].split() if met in numbers else ("-1", _history(agent)))]
