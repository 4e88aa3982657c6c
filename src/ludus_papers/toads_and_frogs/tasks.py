"""The trainings of the Toads and Frogs paper, and tasks about networks: matches by three protocols, Q-values."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus import actions
from ludus.cgt.strips.outcome_pass import Board, frogs_win
from ludus.compiled.bits import popcount
from ludus.game import num_actions, with_mover
from ludus.games.toads_and_frogs import Position, Side, Strip
from ludus.learning.dqn import Slip
from ludus.networks.deep import dense
from ludus.networks.inputs import Inputs, encode
from ludus.solving.solver import solve_explored
from ludus.study.paper import Lab
from ludus.study.paper.tasks import (
    Agent,
    Task,
    accuracy_by_player,
    asking,
    called,
    grading,
    made,
    policies,
    read_sample,
    training,
    write_sample,
)

FIRST, SECOND = ludus.Seats.FIRST, ludus.Seats.SECOND
_ENOUGH = 20_000  # positions that are explored to solve one of many
_GAMES_PER_DECISION = 8  # of random play, to meet a position in which moves of the toads differ in value


def about(trained: Task, title: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Task:
    """A task about a training, in whose folder its run is."""
    needs = (trained, *options.pop("needs", ()))
    return Task(f"{title} of {trained.name}", function, arguments, needs=needs, **options)


# ---- the network itself ----


class Network:
    """The network of a run, evaluated on strips as its program does it."""

    def __init__(self, run: Any) -> None:
        self.parameters: dict[str, Inputs] = run.parameters()[0]

    def outputs(self, game: Any, positions: Sequence[Any]) -> Inputs:
        """The value of moving each piece, movable or not, as if the toads were to move."""
        rows = np.array([with_mover(game, pos, 0) for pos in positions], np.int64)
        outputs: Inputs = dense(self.parameters, encode(game, rows)[0])
        return outputs


class Unturned(Network):
    """The agent as the program plays it: the strip is never turned round, and an illegal choice is any legal move."""

    def policies(self, game: Any, positions: Sequence[Any]) -> Any:
        """The piece of the highest output, or all that can move."""
        chances = np.zeros((len(positions), num_actions(game)))
        for row, pos, best in zip(chances, positions, self.outputs(game, positions).argmax(axis=1), strict=True):
            legal = actions(game.legal(pos))
            row[[best] if best in legal else legal] = 1.0
        return chances / chances.sum(axis=1, keepdims=True)


def with_slip(run: Any, slip: Slip) -> Any:
    """The agent of a run with this rule for an illegal highest output."""
    return run.learner._replace(slip=slip).agent(run.game, run.parameters()[0])


# ---- matches against random by three protocols ----


def seated(agent: Agent, board: str, games: int, seed: int) -> Task:
    """An agent against random in each seat; its result is what `by_seat` returns."""
    command = "; ".join(_match_command(board, called(agent), seats, games, seed) for seats in ("first", "second"))
    return asking(agent, f"seats on {board}", by_seat, board, games, seed, command=command, games=2 * games)


def _match_command(board: str, agent: str, seats: str, games: int, seed: int) -> str:
    options = f"--seats {seats} --alternate-starter --games {games} --seed {seed}"
    return f"ludus match {shlex.quote(board)} {agent} random {options}"


def by_seat(agent: str | int, board: str, games: int, seed: int, folders: Sequence[Path] = ()) -> dict[str, float]:
    """The share of games won against random as toads and as frogs, moving first and second; and by either protocol."""
    return _by_seat(ludus.make_game(board), made(agent, folders), games, seed)


def _by_seat(game: Any, agent: Any, games: int, seed: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for side, seats in (("toads", FIRST), ("frogs", SECOND)):
        match = match_random(game, agent, games, seed, seats=seats, alternate_starter=True)
        found |= {f"{side} first": share(match.first), f"{side} second": share(match.second)}
    text = (found["toads first"] + found["toads second"]) / 2
    return found | {"text": text, "program": (found["toads first"] + found["frogs first"]) / 2}


def match_random(game: Any, agent: Any, games: int, seed: int, **options: Any) -> Any:
    """A match against random."""
    return ludus.play_match(game, agent, ludus.make_agent("random"), games, seed=seed, threads=1, **options)


def share(count: Any) -> float:
    """The share of games that were won."""
    return float(count.a_wins / max(count.games, 1))


def evaluation(trained: Task, board: str, games: int, seed: int) -> Task:
    """A training by all protocols; its result is what `evaluated` returns."""
    command = _match_command(board, "RUN", "first", games, seed)
    return about(trained, "protocols", evaluated, board, games, seed, command=command, games=4 * games)


def evaluated(board: str, games: int, seed: int, folders: Sequence[Path]) -> dict[str, float]:
    """As `by_seat`, but as the text has it an illegal choice loses, and as the program has it the toads' network moves.

    strict first, strict second: as toads, where an illegal choice loses; seconds: how long the training took.
    """
    game, run = ludus.make_game(board), ludus.read_run(folders[0])
    frogs_first = game._replace(first=Side.FROGS)
    strict = match_random(game, with_slip(run, Slip.LOSE), games, seed, seats=FIRST, alternate_starter=True)
    as_toads = match_random(game, Unturned(run), games, seed, seats=FIRST)
    as_frogs = match_random(frogs_first, Unturned(run), games, seed, seats=SECOND)
    return _by_seat(game, run.agent(), games, seed) | {
        "text": share(strict.all),
        "strict first": share(strict.first),
        "strict second": share(strict.second),
        "program": (share(as_toads.all) + share(as_frogs.all)) / 2,
        "seconds": ludus.read_run(folders[0]).times().seconds,
    }


# ---- Q-values in play ----


def q_values(lab: Lab, size: Size, seed: int) -> Task:
    """The Q-values of a training in its own games; its result is what `played_values` returns."""
    command = f"ludus play {shlex.quote(size.game)} --against RUN --seat second --evaluations"
    arguments = size.game, lab.pick(200, 60, 10), 0
    return about(as_paper(lab, size, seed), "Q-values", played_values, *arguments, command=command)


def played_values(board: str, games: int, seed: int, folders: Sequence[Path]) -> dict[str, Any]:
    """The network's outputs where it moved against random: how many are negative, how high they are, how long it took.

    slips, slipping: the share of positions in which its highest output is illegal, and of games with such a position;
    by_distance: the mean of the highest value of a legal move by the number of own moves left, from 1 on.
    """
    game, run = ludus.make_game(board), ludus.read_run(folders[0])
    played = [one for one in _own_games(game, run, games, seed) if one]
    positions = [pos for one in played for pos, _ in one]
    left = np.concatenate([np.arange(len(one), 0, -1) for one in played])
    number = np.repeat(np.arange(len(played)), [len(one) for one in played])
    outputs = Network(run).outputs(game, positions)
    legal = np.array([[action in actions(game.legal(pos)) for action in range(outputs.shape[1])] for pos in positions])
    best_legal = np.where(legal, outputs, -np.inf).max(axis=1)
    slips = outputs.max(axis=1) > best_legal
    agent = run.agent()
    agent.policies(game, positions[:1])
    began = time.perf_counter()
    for pos in positions[:100]:
        agent.policies(game, [pos])
    return {
        "illegal negative": float((outputs < 0)[~legal].mean()) if (~legal).any() else 1.0,
        "legal negative": float((outputs < 0)[legal].mean()),
        "slips": float(slips.mean()),
        "slipping": len(set(number[slips])) / len(played),
        "highest": float(best_legal.mean()),
        "by_distance": [float(best_legal[left == moves].mean()) for moves in range(1, left.max() + 1)],
        "seconds": (time.perf_counter() - began) / len(positions[:100]),
    }


def _own_games(game: Any, run: Any, games: int, seed: int) -> list[list[tuple[Any, int]]]:
    """Games as toads against random, both starting alternately: each own position with the action played there."""
    played: list[Any] = []
    match_random(game, run.agent(), games, seed, seats=FIRST, alternate_starter=True, record=played.append)
    return [[(pos, action) for pos, action in line(game, one) if game.player(pos) == 0] for one in played]


def line(game: Any, played: Any) -> Iterator[tuple[Any, int]]:
    """The positions of a game, each with the action taken there."""
    pos = played.start
    for action in played.actions:
        yield pos, action
        pos = game.play(pos, action)


def toads_to_move(strip: str) -> Position:
    """The position of a strip in which toads are to move."""
    return Position(*Strip.parse(strip)[:2], 0)


def annotation(trained: Task, board: str) -> Task:
    """A game of a training; its result is what `annotated` returns."""
    command = f"ludus match '{board}' RUN random --record games.jsonl && ludus replay games.jsonl"
    return about(trained, "a game", annotated, board, 0, 5, command=command)


def annotated(board: str, seed: int, most: int, folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The last own moves with a choice in the first game that the network wins: strips, outputs, and winning moves."""
    game, run = ludus.make_game(board), ludus.read_run(folders[0])
    network = Network(run)
    for one in _own_games(game, run, 50, seed):
        if one and not game.legal(game.play(*one[-1])):
            choices = [(pos, action) for pos, action in one if len(actions(game.legal(pos))) > 1][-most:]
            return [_annotated(game, network, pos, action) for pos, action in choices]
    return []


def _annotated(game: Any, network: Network, pos: Any, action: int) -> dict[str, Any]:
    return {
        "strip": game.signs(pos),
        "after": game.signs(game.play(pos, action)),
        "outputs": [round(float(value), 1) for value in network.outputs(game, [pos])[0]],
        "legal": actions(game.legal(pos)),
        "played": action,
        "wins": winning(game, pos),
    }


def winning(game: Any, pos: Any, most: int = _ENOUGH) -> list[int] | None:
    """The winning actions of the side to move; None if more positions than this would have to be explored."""
    explored = ludus.explore(game, pos, limit=most)
    if not explored.complete:
        return None
    values = solve_explored(explored, pos).actions(pos)
    mine = 1 if game.player(pos) == 0 else -1
    return [action for action, value in values.items() if value.score == mine]


def winning_by_pass(game: Any, positions: Sequence[Any]) -> list[list[int]]:
    """The winning actions in positions with toads to move and as many pieces as the first, however large the board."""
    legal = [actions(game.legal(pos)) for pos in positions]
    after = [game.play(pos, action) for pos, each in zip(positions, legal, strict=True) for action in each]
    toads, frogs = popcount(positions[0].toads), popcount(positions[0].frogs)
    board = Board(toads, game.squares - toads - frogs, frogs)
    lost = iter(frogs_win(board, [(pos.toads, pos.frogs) for pos in after], threads=1))
    return [[action for action in each if not next(lost)] for each in legal]


def outputs_on(trained: Task, board: str, strips: Sequence[str]) -> Task:
    """The Q-values of a training on strips; its result is what `listed_values` returns."""
    command = f"ludus play '{board}' --against RUN --seat second --evaluations"
    return about(trained, "Q-values on listed strips", listed_values, board, list(strips), command=command)


def listed_values(board: str, strips: list[str], folders: Sequence[Path]) -> list[list[float] | None]:
    """The network's outputs on strips in which toads are to move; None on one of another length than its board."""
    game, network = ludus.make_game(board), Network(ludus.read_run(folders[0]))
    found: list[list[float] | None] = []
    for strip in strips:
        pos = toads_to_move(strip)
        fits = len(strip) == game.squares
        found.append([round(float(value), 1) for value in network.outputs(game, [pos])[0]] if fits else None)
    return found


# ---- grades ----


def as_toads(agent: Agent, board: str) -> Task:
    """The accuracy of an agent as toads; its result is what `graded_as_toads` returns."""
    return asking(agent, f"toads' decisions on {board}", graded_as_toads, board, command=f"ludus grade {called(agent)}")


def graded_as_toads(agent: str | int, board: str, folders: Sequence[Path] = ()) -> float:
    """The accuracy in all decisions of the toads, who move first, as in the paper's trainings."""
    return accuracy_by_player(made(agent, folders), board)[0]


def sample_grade(trained: Task, board: str, positions: int) -> Task:
    """The accuracy of a training in a sample of positions; its result is what `graded_in_sample` returns."""
    sample = Task(f"a sample of {board}", write_decisions, (board, positions), keeps=True)
    command = f"ludus grade RUN '{board}' --positions {positions}"
    return about(trained, "grade on a sample", graded_in_sample, board, needs=(sample,), command=command)


def graded_in_sample(board: str, folders: Sequence[Path]) -> dict[str, Any]:
    """The accuracy in the sample by games trained, and that of random moves."""
    game, run = ludus.make_game(board), ludus.read_run(folders[0])
    sample = [(Position(*pos), wins) for pos, wins in read_sample(folders[1], list[tuple[list[int], list[int]]])]
    chance = [len(wins) / len(actions(game.legal(pos))) for pos, wins in sample]
    found = []
    for games in run.snapshots():
        chosen = policies(run.agent_at(games), game, [pos for pos, _ in sample])
        found.append(float(np.mean([sum(row[wins]) for row, (_, wins) in zip(chosen, sample, strict=True)])))
    return {"games": run.snapshots(), "accuracy": found, "chance": float(np.mean(chance))}


def write_decisions(board: str, positions: int, folder: Path, folders: Sequence[Path]) -> int:
    """Write down positions of random games in which moves of the toads differ in value, the same for all networks."""
    game, generator = ludus.make_game(board), np.random.default_rng(0)
    met = [_met_by_toads(game, generator) for _ in range(_GAMES_PER_DECISION * positions)]
    found = zip(met, winning_by_pass(game, met), strict=True)
    sample = [(pos, wins) for pos, wins in found if 0 < len(wins) < len(actions(game.legal(pos)))][:positions]
    write_sample(folder, sample)
    return len(sample)


def _met_by_toads(game: Any, generator: np.random.Generator) -> Position:
    """A position with a choice for the toads in a game of random play that they begin, each with equal probability."""
    pos, met = game.start(), list[Position]()
    while legal := actions(game.legal(pos)):
        if pos.turn == 0 and len(legal) > 1:
            met.append(pos)
        pos = game.play(pos, legal[generator.integers(len(legal))])
    return met[generator.integers(len(met))]


# ---- the trainings of the paper, by board and scale ----


class Size(NamedTuple):
    """A board of the paper: its key, strip and game, and the games of a training at full, quick and tiny scale.

    best, best_games, best_settings: likewise the learner of the best agent for it.
    """

    key: str
    strip: str
    game: str
    trained: tuple[int, int, int]
    best: str
    best_games: tuple[int, int, int]
    best_settings: Mapping[str, str] = MappingProxyType({})

    @property
    def is_listed(self) -> bool:
        """Whether all its positions can be enumerated, so that networks are graded on all of them."""
        return self.key != "large"


# A table taught from random openings learns this game to the end on boards that can be enumerated.
_TABLE = {"epsilon": "0", "alpha": "1", "gamma": "0.95", "random_side": "both", "backward": "true", "symmetry": "true"}
_TABLE |= {"random_plies": "56"}

_GAME = "toads-and-frogs"
SMALL = Size("small", "T^3 _^3 F^3", _GAME, (6_000, 450, 120), "dqn", (60_000, 4_000, 128))
_FOUR = f"{_GAME}(toads=4, gaps=6, frogs=4)"
MEDIUM = Size("medium", "T^4 _^6 F^4", _FOUR, (20_000, 300, 240), "q-table", (8_000_000, 200_000, 1_000), _TABLE)
LARGE = Size("large", "T^6 _^9 F^6", f"{_GAME}(toads=6, gaps=9, frogs=6)", (20_000, 300, 240), "dqn", (10_000, 512, 64))
SIZES = SMALL, MEDIUM, LARGE


def as_paper(lab: Lab, size: Size, seed: int, **settings: Any) -> Task:
    """A training by the paper's settings, or by others."""
    number = lab.pick(*size.trained)
    plan: dict[str, Any] = {"games": number, "eval_every": max(number // lab.pick(10, 3, 1), 1)}
    plan |= {"eval_games": lab.pick(200, 100, 20)} | settings
    return training(size.game, "dqn", seed, preset="paper", **plan)


def best_training(lab: Lab, size: Size) -> Task:
    """The best agent for a board, or a smaller one of its kind where the scale is smaller."""
    number = lab.pick(*size.best_games)
    plan: dict[str, Any] = {"games": number, "eval_every": max(number // lab.pick(10, 4, 1), 1)}
    plan |= {"eval_games": lab.pick(1000, 400, 20), **size.best_settings}
    if size.best == "dqn":
        plan["learning_rate"] = f"{0.002 if size is SMALL else 0.001}..0@{number}"
    return training(size.game, size.best, 0, preset="strong" if size.best == "dqn" else None, **plan)


def tested(lab: Lab) -> int:
    """The games of each protocol."""
    return lab.pick(1000, 500, 20)


def evaluations(lab: Lab, size: Size) -> list[Task]:
    """The protocols for each training by the paper's settings."""
    return [evaluation(as_paper(lab, size, seed), size.game, tested(lab), seed) for seed in lab.seeds]


def chance_by_seat(lab: Lab, size: Size) -> Task:
    """Random play by all protocols."""
    return seated("random", size.game, lab.pick(40_000, 40_000, 400), 0)


def best_by_seat(lab: Lab, size: Size) -> Task:
    """The best agent by all protocols."""
    return seated(best_training(lab, size), size.game, tested(lab), 0)


def grades(lab: Lab, size: Size) -> dict[str, Any]:
    """What shows the grade on a board: that of random play where all is graded, else those of trainings on a sample."""
    if size.is_listed:
        return {
            "random": grading("random", size.game),
            "random toads": as_toads("random", size.game),
            "toads": [as_toads(as_paper(lab, size, seed), size.game) for seed in lab.seeds],
        }
    positions = lab.pick(400, 40, 5)
    return {
        "trained": [sample_grade(as_paper(lab, size, seed), size.game, positions) for seed in lab.seeds],
        "best": sample_grade(best_training(lab, size), size.game, positions),
    }
