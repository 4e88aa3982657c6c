"""Whether a network understands dead pieces: positions in which killing wins, in which it loses, and built pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import probabilities
from ludus.agents.simple import Random
from ludus.arena import Seats
from ludus.arena.match import play_match
from ludus.compiled.bits import popcount
from ludus.compiled.masks import actions
from ludus.files import made_folder, write_whole
from ludus.games.toads_and_frogs import Position, dead_pieces
from ludus.grading.grade import grade
from ludus.learning.dqn import Slip
from ludus.learning.presets import configured
from ludus.learning.runs import Run, create, read_run, resume
from ludus.learning.runs.files import MANIFEST
from ludus.solving.solver import solve
from ludus.study.paper.tasks import Task
from ludus_papers.toads_and_frogs.tasks import share, sliding

_WALLS = "TTTFFF", "TTFTFF"  # as dead as each other

_SAMPLE = "sample.json"

_TRIES = 20_000  # games of random play, at most, to find positions in


class Case(NamedTuple):
    """A position with toads to move: the actions that win, and those that leave more frogs dead."""

    pos: Position
    wins: frozenset[int]
    kills: frozenset[int]


def killing(trained: Task, board: str, positions: int) -> Task:
    """What `killed` tells of a training."""
    sample = Task(f"killing on {board}", find_cases, (board, positions), keeps=True, command=f"ludus solve '{board}'")
    name = f"dead pieces for {trained.name}"
    return Task(name, killed, (board,), needs=(trained, sample), command=f"ludus grade RUN '{board}'")


def killed(board: str, folders: Sequence[Path]) -> dict[str, dict[str, float]]:
    """How a network chooses where only killing wins, and where killing loses: see `_answered`."""
    game, agent = catalog.make_game(board), read_run(folders[0]).agent()
    found = json.loads((folders[1] / _SAMPLE).read_text())
    return {kind: _answered(game, agent, [_case(*case) for case in cases]) for kind, cases in found.items()}


def _case(pos: list[int], wins: list[int], kills: list[int]) -> Case:
    return Case(Position(*pos), frozenset(wins), frozenset(kills))


def find_cases(board: str, positions: int, folder: Path, folders: Sequence[Path]) -> dict[str, int]:
    """Write down such positions, the same for all networks: how many there are of each kind."""
    found = _cases(catalog.make_game(board), positions)
    told = {kind: [(pos, sorted(wins), sorted(kills)) for pos, wins, kills in cases] for kind, cases in found.items()}
    write_whole(folder / _SAMPLE, [json.dumps(told).encode()])
    return {kind: len(cases) for kind, cases in found.items()}


def _cases(game: Any, positions: int) -> dict[str, list[Case]]:
    """Positions of random play, each once: all that wins kills, or something wins, but nothing that kills."""
    truth = solve(game, also=[game.with_mover(game.start(), 1)])
    found: dict[str, dict[Position, Case]] = {"killing wins": {}, "killing loses": {}}
    for pos in _met(game, np.random.default_rng(0)):
        kills = frozenset(action for action in actions(game.legal(pos)) if _kills(game, pos, action))
        if not kills:
            continue
        wins = frozenset(action for action, value in truth.actions(pos).items() if value.score == 1)
        others = set(actions(game.legal(pos))) - wins
        if wins and others and (wins <= kills or not wins & kills):
            kind = found["killing wins" if wins <= kills else "killing loses"]
            if len(kind) < positions:
                kind.setdefault(pos, Case(pos, wins, kills))
        if all(len(kind) == positions for kind in found.values()):
            break
    return {kind: list(cases.values()) for kind, cases in found.items()}


def _met(game: Any, generator: np.random.Generator) -> Iterator[Position]:
    """Positions with toads to move in games of random play, begun by either side."""
    for number in range(_TRIES):
        pos = game.with_mover(game.start(), number % 2)
        while legal := actions(game.legal(pos)):
            if pos.turn == 0:
                yield pos
            pos = game.play(pos, legal[generator.integers(len(legal))])


def _kills(game: Any, pos: Position, action: int) -> bool:
    after = game.play(pos, action)
    dead = [popcount(dead_pieces(one.toads, one.frogs, game.squares) & one.frogs) for one in (pos, after)]
    return dead[1] > dead[0]


def _answered(game: Any, agent: Any, cases: Sequence[Case]) -> dict[str, float]:
    """The share of positions in which the agent is right, in which it kills, and how often a random move is right."""
    if not cases:
        return {"positions": 0, "accuracy": 0.0, "kills": 0.0, "chance": 0.0}
    chosen = [probabilities(agent, game, case.pos) for case in cases]
    right = [sum(row[list(case.wins)]) for row, case in zip(chosen, cases, strict=True)]
    kills = [sum(row[list(case.kills)]) for row, case in zip(chosen, cases, strict=True)]
    chance = [len(case.wins) / len(actions(game.legal(case.pos))) for case in cases]
    return {
        "positions": len(cases),
        "accuracy": float(np.mean(right)),
        "kills": float(np.mean(kills)),
        "chance": float(np.mean(chance)),
    }


# ---- built positions ----


def pairing(trained: Task, board: str, pairs: int) -> Task:
    """What `paired` tells of a training."""
    name = f"pairs of walls for {trained.name}"
    return Task(name, paired, (board, pairs), needs=(trained,), command=f"ludus play '{board}' --against RUN")


def paired(board: str, pairs: int, folders: Sequence[Path]) -> dict[str, float]:
    """Of pairs of strips that differ in a dead wall alone, in how many the same piece is moved; and by random moves."""
    game, agent = catalog.make_game(board), read_run(folders[0]).agent()
    built = list(_pairs(game, pairs, np.random.default_rng(0)))
    one, other = (agent.policies(game, [pair[which] for pair in built]) for which in (0, 1))
    chance = [1 / len(actions(game.legal(pair[0]))) for pair in built]
    return {"pairs": pairs, "alike": float((one * other).sum(axis=1).mean()), "chance": float(np.mean(chance))}


def _pairs(game: Any, pairs: int, generator: np.random.Generator) -> Iterator[tuple[Position, Position]]:
    """Strips with as many pieces as the board, a wall among them, and at least two toads that can move."""
    start = game.start()
    wall = len(_WALLS[0])
    toads, frogs = (popcount(side) - wall // 2 for side in (start.toads, start.frogs))
    while pairs:
        left, place = game.squares - wall, int(generator.integers(game.squares - wall + 1))
        loose = list("T" * toads + "F" * frogs + "_" * (left - toads - frogs))
        generator.shuffle(loose)
        around = "".join(loose[:place]), "".join(loose[place:])
        both = tuple(_position(around[0] + each + around[1]) for each in _WALLS)
        if _is_apart(game, both[0], place, wall) and len(actions(game.legal(both[0]))) > 1:
            pairs -= 1
            yield both[0], both[1]


def _position(strip: str) -> Position:
    toads, frogs = (sum(1 << square for square, sign in enumerate(strip) if sign == side) for side in "TF")
    return Position(toads, frogs, 0)


def _is_apart(game: Any, pos: Position, place: int, wall: int) -> bool:
    """Whether exactly the wall is dead."""
    return dead_pieces(pos.toads, pos.frogs, game.squares) == ((1 << wall) - 1) << place


_EPSILON = 0.5  # at the start of the first epoch


def self_play(toads: Task, frogs: Task, board: str, epochs: int, games: int, matches: int, seed: int) -> Task:
    """What `fought` tells of two trainings that go on against each other."""
    return Task(
        f"toads against frogs on {board}, {epochs} epochs of {games} games, seed {seed}",
        fought,
        (board, epochs, games, matches, seed),
        keeps=True,
        needs=(toads, frogs),
        command=f"ludus train '{board}' dqn --preset paper --init-from TOADS --opponent FROGS --games {games}",
        games=2 * epochs * games,
    )


def fought(
    board: str, epochs: int, games: int, matches: int, seed: int, folder: Path, folders: Sequence[Path]
) -> list[dict[str, float]]:
    """How two agents stood before and after each epoch, as `_standing` tells it."""
    game = catalog.make_game(board)
    toads, frogs = (read_run(path) for path in folders)
    told = [_standing(game, toads, frogs, matches, seed)]
    for epoch in range(epochs):
        words = {"epsilon": f"{_EPSILON / (epoch + 1):g}/sqrt", "games": str(games), "seed": str(seed)}
        against = {"init_from": str(toads.path), "opponent": str(frogs.path)}
        toads = _trained(game, words | against, folder / f"toads-{epoch}")
        against = {"init_from": str(frogs.path), "opponent": str(toads.path), "seats": "second"}
        frogs = _trained(game, words | against, folder / f"frogs-{epoch}")
        told.append(_standing(game, toads, frogs, matches, seed))
    return told


def _trained(game: Any, words: dict[str, str], folder: Path) -> Run:
    if (folder / MANIFEST).is_file():
        run = read_run(folder)
    else:
        plain = {"eval_every": words["games"], "eval_against": "none", "grade": "no"}
        run = create(game, *configured(game, "dqn", words | plain, "paper"), made_folder(folder))
    resume(run)
    return run


def _standing(game: Any, toads: Run, frogs: Run, games: int, seed: int) -> dict[str, float]:
    """The share of games that toads win against frogs, both starting alternately, each against random, and accuracies.

    An illegal choice is a random legal move, as in the program: between two that never err there are but two games.
    """

    def won(a: Any, b: Any, seats: Seats) -> float:
        return share(play_match(game, a, b, games, seed=seed, seats=seats, alternate_starter=True, threads=1).all)

    toad, frog = sliding(toads, Slip.RANDOM), sliding(frogs, Slip.RANDOM)
    return {
        "toads": won(toad, frog, Seats.FIRST),
        "toads against random": won(toad, Random(), Seats.FIRST),
        "frogs against random": won(frog, Random(), Seats.SECOND),
        "toads right": _right(game, toads),
        "frogs right": _right(game, frogs),
    }


def _right(game: Any, run: Run) -> float:
    tally = grade(run.agent(), game, mistakes=0).all
    return float(tally.optimal) / max(tally.decisions, 1)
