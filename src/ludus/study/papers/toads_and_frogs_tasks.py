"""What the Toads and Frogs paper asks of a network: matches by three protocols, games with Q-values, and the truth."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ludus import catalog
from ludus.agents.agent import Probabilities
from ludus.agents.simple import Random
from ludus.arena.match import Count, GameResult, MatchResult, play_match
from ludus.arena.seats import Seats
from ludus.cgt.positions import Valuer, canonical_form
from ludus.game import num_actions, with_mover
from ludus.games.strips import Strip
from ludus.games.toads_and_frogs import Position, Side
from ludus.learning.dqn.config import Slip
from ludus.learning.runs import TIMES, Run, read_run
from ludus.masks import actions
from ludus.networks.dense import dense
from ludus.networks.inputs import Inputs, seen
from ludus.solving.explore import explore
from ludus.solving.truth import solve_explored
from ludus.strips.starts import families
from ludus.strips.symmetric import decide
from ludus.study.papers.task import Task
from ludus.study.papers.tasks import Agent, made

_ENOUGH, _PATIENCE = 20_000, 300_000  # positions that are listed to know the truth about one of many, or of few


# ---- the network itself ----


class Network:
    """The network of a run, asked about strips as its program asks it."""

    def __init__(self, run: Run) -> None:
        self.parameters: dict[str, Inputs] = run.knowledge()[0]

    def outputs(self, game: Any, positions: Sequence[Any]) -> Inputs:
        """What each piece is worth, movable or not, as if the strip were the toads' to move in."""
        rows = np.array([with_mover(game, pos, 0) for pos in positions], np.int64)
        said: Inputs = dense(self.parameters, seen(game, rows)[0])
        return said


class Unturned(Network):
    """The agent as the program plays it: the strip is never turned round, and an illegal choice is any legal move."""

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """The piece of the highest output, or all that can move."""
        chances = np.zeros((len(positions), num_actions(game)))
        for row, pos, best in zip(chances, positions, self.outputs(game, positions).argmax(axis=1), strict=True):
            legal = actions(game.legal(pos))
            row[[best] if best in legal else legal] = 1.0
        shares: Probabilities = chances / chances.sum(axis=1, keepdims=True)
        return shares


# ---- matches against random by three protocols ----


def seated(agent: Agent, board: str, games: int, seed: int) -> Task:
    """What `by_seat` tells of an agent, as it is written or trained."""
    written, needs = (0, (agent,)) if isinstance(agent, Task) else (agent, ())
    who = agent.name if isinstance(agent, Task) else agent
    arguments = written, board, games, seed
    called = "RUN" if needs else shlex.quote(str(agent))
    matches = [f"{_match_command(board, called, seats, games)} --seed {seed}" for seats in ("first", "second")]
    command = "; ".join(matches)
    return Task(f"seats of {who} on {board}", by_seat, arguments, needs=needs, command=command, games=2 * games)


def _match_command(board: str, agent: str, seats: str, games: int) -> str:
    return f"ludus match {shlex.quote(board)} {agent} random --seats {seats} --alternate-starter --games {games}"


def by_seat(agent: str | int, board: str, games: int, seed: int, folders: Sequence[Path] = ()) -> dict[str, float]:
    """The share of games won against random as toads and as frogs, moving first and second; and by either protocol."""
    return _by_seat(catalog.make_game(board), made(agent, folders), games, seed)


def _by_seat(game: Any, agent: Any, games: int, seed: int) -> dict[str, float]:
    told: dict[str, float] = {}
    for side, seats in (("toads", Seats.FIRST), ("frogs", Seats.SECOND)):
        found = _match(game, agent, seats, games, seed, turns=True)
        told |= {f"{side} first": share(found.first), f"{side} second": share(found.second)}
    text = (told["toads first"] + told["toads second"]) / 2
    return told | {"text": text, "program": (told["toads first"] + told["frogs first"]) / 2}


def _match(game: Any, agent: Any, seats: Seats, games: int, seed: int, *, turns: bool) -> MatchResult:
    return play_match(game, agent, Random(), games, seed=seed, seats=seats, alternate_starter=turns, threads=1)


def share(count: Count) -> float:
    """Of games, those that were won."""
    return count.a_wins / max(count.games, 1)


def evaluation(trained: Task, board: str, games: int, seed: int) -> Task:
    """What `evaluated` tells of a training."""
    command = f"{_match_command(board, 'RUN', 'first', games)} --seed {seed}"
    name = f"protocols for {trained.name}"
    return Task(name, evaluated, (board, games, seed), needs=(trained,), command=command, games=4 * games)


def evaluated(board: str, games: int, seed: int, folders: Sequence[Path]) -> dict[str, float]:
    """As `by_seat`, but as the text has it an illegal choice loses, and as the program has it the toads' network moves.

    strict first, strict second: as toads, where an illegal choice loses; seconds: how long the training took.
    """
    game, run = catalog.make_game(board), read_run(folders[0])
    strict = _match(game, sliding(run, Slip.LOSE), Seats.FIRST, games, seed, turns=True)
    as_toads = _match(game, Unturned(run), Seats.FIRST, games, seed, turns=False)
    as_frogs = _match(game._replace(first=Side.FROGS), Unturned(run), Seats.SECOND, games, seed, turns=False)
    return _by_seat(game, run.agent(), games, seed) | {
        "text": share(strict.all),
        "strict first": share(strict.first),
        "strict second": share(strict.second),
        "program": (share(as_toads.all) + share(as_frogs.all)) / 2,
        "seconds": sum(json.loads(line)["seconds"] for line in (folders[0] / TIMES).read_text().splitlines()),
    }


def sliding(run: Run, slip: Slip) -> Any:
    """The agent of a run that does this where its highest output is illegal."""
    return run.learner._replace(slip=slip).agent(run.game, run.knowledge()[0])


# ---- what it thinks while it plays ----


def thoughts(trained: Task, board: str, games: int, seed: int) -> Task:
    """What `thought` tells of a training."""
    command = f"ludus play {shlex.quote(board)} --against RUN --seat second --thoughts"
    return Task(f"Q-values of {trained.name}", thought, (board, games, seed), needs=(trained,), command=command)


def thought(board: str, games: int, seed: int, folders: Sequence[Path]) -> dict[str, float]:
    """The network's outputs where it moved against random: how many are negative, how high they are, how long it took.

    slips: the share of positions in which its highest output is illegal; plies: own moves in a game.
    """
    game, run = catalog.make_game(board), read_run(folders[0])
    positions = [pos for one in _own_games(game, run, games, seed) for pos, _ in one]
    said = Network(run).outputs(game, positions)
    legal = np.array([[action in actions(game.legal(pos)) for action in range(said.shape[1])] for pos in positions])
    best_legal = np.where(legal, said, -np.inf).max(axis=1)
    agent = run.agent()
    agent.policies(game, positions[:1])
    began = time.perf_counter()
    for pos in positions[:100]:
        agent.policies(game, [pos])
    return {
        "positions": len(positions),
        "illegal": int((~legal).sum()),
        "illegal negative": float((said < 0)[~legal].mean()) if (~legal).any() else 1.0,
        "legal negative": float((said < 0)[legal].mean()),
        "slips": float((said.max(axis=1) > best_legal).mean()),
        "highest": float(best_legal.mean()),
        "mean": float(said.mean()),
        "seconds": (time.perf_counter() - began) / len(positions[:100]),
    }


def _own_games(game: Any, run: Run, games: int, seed: int) -> list[list[tuple[Any, int]]]:
    """Games as toads against random, both beginning in turns: each own position with what was played there."""
    played: list[GameResult] = []
    play_match(
        game,
        run.agent(),
        Random(),
        games,
        seed=seed,
        seats=Seats.FIRST,
        alternate_starter=True,
        threads=1,
        record=played.append,
    )
    return [[(pos, action) for pos, action in line(game, one) if game.player(pos) == 0] for one in played]


def line(game: Any, played: GameResult) -> Iterator[tuple[Any, int]]:
    """The positions of a game, each with the action taken there."""
    pos = played.start
    for action in played.actions:
        yield pos, action
        pos = game.play(pos, action)


def annotation(trained: Task, board: str, seed: int, most: int = 5) -> Task:
    """What `annotated` tells of a training."""
    command = f"ludus match '{board}' RUN random --record games.jsonl && ludus replay games.jsonl"
    return Task(f"a game of {trained.name}", annotated, (board, seed, most), needs=(trained,), command=command)


def annotated(board: str, seed: int, most: int, folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The last own moves with a choice in the first game that the network wins: strips, outputs, and the truth."""
    game, run = catalog.make_game(board), read_run(folders[0])
    network = Network(run)
    for one in _own_games(game, run, 50, seed):
        if one and not game.legal(game.play(*one[-1])):
            choices = [(pos, action) for pos, action in one if len(actions(game.legal(pos))) > 1][-most:]
            return [_told(game, network, pos, action) for pos, action in choices]
    return []


def _told(game: Any, network: Network, pos: Any, action: int) -> dict[str, Any]:
    said = [round(float(worth), 1) for worth in network.outputs(game, [pos])[0]]
    return {
        "strip": game.signs(pos),
        "after": game.signs(game.play(pos, action)),
        "outputs": said,
        "legal": actions(game.legal(pos)),
        "played": action,
        "wins": winning(game, pos),
    }


def winning(game: Any, pos: Any, most: int = _ENOUGH) -> list[int] | None:
    """The actions by which who is to move wins; None if more positions than this would have to be listed."""
    explored = explore(game, pos, limit=most)
    if not explored.complete:
        return None
    values = solve_explored(explored, pos).actions(pos)
    mine = 1 if game.player(pos) == 0 else -1
    return [action for action, value in values.items() if value.score == mine]


def truths(strips: Sequence[str]) -> Task:
    """What `looked_into` tells of strips in which toads are to move."""
    command = f"ludus solve 'toads-and-frogs(strip={strips[0]})'"
    return Task(f"the truth about {', '.join(strips)}", looked_into, (list(strips),), command=command)


def looked_into(strips: list[str]) -> list[dict[str, Any]]:
    """Of each strip the legal moves of the toads, those that win, and the legal moves of the frogs."""
    told = []
    for strip in strips:
        game = catalog.make_game(f"toads-and-frogs(strip={strip})")
        pos = game.start()
        frogs = actions(game.legal(with_mover(game, pos, 1)))
        told.append({"legal": actions(game.legal(pos)), "wins": winning(game, pos, _PATIENCE), "frogs": frogs})
    return told


def outputs_on(trained: Task, board: str, strips: Sequence[str]) -> Task:
    """What `said_of` tells of a training."""
    command = f"ludus play '{board}' --against RUN --seat second --thoughts"
    arguments = board, list(strips)
    return Task(f"Q-values of {trained.name} on listed strips", said_of, arguments, needs=(trained,), command=command)


def said_of(board: str, strips: list[str], folders: Sequence[Path]) -> list[list[float] | None]:
    """The network's outputs on strips in which toads are to move; None on one of another length than its board."""
    game, network = catalog.make_game(board), Network(read_run(folders[0]))
    told: list[list[float] | None] = []
    for strip in strips:
        pos = Position(*Strip.parse(strip)[:2], 0)
        fits = len(strip) == game.squares
        told.append([round(float(worth), 1) for worth in network.outputs(game, [pos])[0]] if fits else None)
    return told


def values(strips: Sequence[str]) -> Task:
    """What `valued` tells of strips."""
    return Task(f"worth of {', '.join(strips)}", valued, (list(strips),), command=f"ludus value '{strips[0]}'")


def valued(strips: list[str]) -> list[dict[str, str]]:
    """The canonical form of each strip, and its outcome."""
    forms = [canonical_form(catalog.make_game(f"toads-and-frogs(strip={strip})")) for strip in strips]
    return [{"value": str(form), "outcome": form.outcome} for form in forms]


def deciding(pieces: int, gaps: int) -> Task:
    """What `decided` tells of a symmetric start."""
    command = f"ludus value --symmetric {pieces} {gaps}"
    return Task(f"T^{pieces} _^{gaps} F^{pieces}", decided, (pieces, gaps), command=command)


def decided(pieces: int, gaps: int) -> dict[str, Any]:
    """Whether it is worth 0, * or neither, how many arrangements it has, and what this took."""
    found = decide(pieces, gaps, threads=1)
    return {"value": found.value, "arrangements": found.arrangements, "seconds": found.seconds, "bytes": found.bytes}


def leaping(squares: int) -> Task:
    """What `leaped` tells of all strips of so many squares."""
    return Task(f"Death Leaps of {squares} squares", leaped, (squares,), command="ludus value TFTF_ --explain")


def leaped(squares: int) -> dict[str, int]:
    """How many strips the Death Leap Principle speaks of, and how many of these are worth 0."""
    worth = []
    for number in range(1, squares + 1):
        game = catalog.make_game(f"toads-and-frogs(strip={'_' * number})")
        valuer = Valuer(game)
        strips = [Strip.parse("".join(signs)) for signs in product("TF_", repeat=number)]
        positions = [Position(strip.toads, strip.frogs, 0) for strip in strips]
        worth += [form == 0 for form in valuer.forms_of([pos for pos in positions if game.shaping(pos)])]
    return {"strips": len(worth), "zero": sum(worth)}


def quiet_strips(squares: int) -> Task:
    """What `quieted` tells of all strips of so many squares."""
    command = "ludus value TFTF_ --explain"
    return Task(f"strips of {squares} squares without four parts", quieted, (squares,), command=command)


def quieted(squares: int) -> dict[str, int]:
    """How many strips up to so many squares have none of TF__, __TF, T_ and _F, and how many of these are worth 0."""
    worth = []
    for number in range(1, squares + 1):
        valuer = Valuer(catalog.make_game(f"toads-and-frogs(strip={'_' * number})"))
        signs = ["".join(each) for each in product("TF_", repeat=number)]
        chosen = [each for each in signs if not any(part in each for part in ("TF__", "__TF", "T_", "_F"))]
        worth += [form == 0 for form in valuer.forms_of([Position(*Strip.parse(each)[:2], 0) for each in chosen])]
    return {"strips": len(worth), "zero": sum(worth)}


def warming(strips: Sequence[str]) -> Task:
    """What `warmed` tells of strips."""
    return Task(f"temperatures of {', '.join(strips)}", warmed, (list(strips),), command=f"ludus value {strips[-1]}")


def warmed(strips: list[str]) -> list[float]:
    """The temperature of each strip."""
    return [float(canonical_form(catalog.make_game(f"toads-and-frogs(strip={each})")).temperature) for each in strips]


def judging_families(squares: int) -> Task:
    """What `judged_families` tells."""
    command = f"ludus value --families --squares {squares}"
    return Task(f"families of at most {squares} squares", judged_families, (squares,), command=command)


def judged_families(squares: int) -> list[dict[str, Any]]:
    """Of each family of strips that has a claimed value, how many strips were looked at and how many fail."""
    return [
        {"family": each.family.shape, "strips": each.looked_at, "fails": len(each.failed)} for each in families(squares)
    ]


def counting(board: str, games: int) -> Task:
    """What `counted` tells of a board."""
    return Task(f"positions of {board}", counted, (board, games), command=f"ludus solve '{board}'")


def counted(board: str, games: int) -> dict[str, float | None]:
    """Reachable positions and strips, None of a board too large to list; and how many in random play are Death Leap's.

    leaps: the share of positions in games of random play that the Death Leap Principle makes zero.
    """
    game = catalog.make_game(board)
    explored = explore(game, game.start(), limit=1_000_000)
    strips = len({tuple(row[:2]) for row in explored.positions.tolist()}) if explored.complete else None
    played: list[GameResult] = []
    play_match(game, Random(), Random(), games, seats=Seats.FIRST, threads=1, record=played.append)
    met = [game.shaping(game.play(pos, action)) for one in played for pos, action in line(game, one)]
    return {
        "positions": len(explored.positions) if explored.complete else None,
        "strips": strips,
        "leaps": sum(met) / len(met),
    }
