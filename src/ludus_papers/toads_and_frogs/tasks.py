"""What the Toads and Frogs paper asks of a network: matches by three protocols, games with Q-values, and the truth."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import Probabilities
from ludus.agents.simple import Random
from ludus.arena import Seats
from ludus.arena.match import Count, GameResult, MatchResult, play_match
from ludus.cgt.positions import Evaluator, canonical_form
from ludus.cgt.strips.outcomes import decide
from ludus.cgt.strips.starts import families
from ludus.compiled.masks import actions
from ludus.files import write_whole
from ludus.game import num_actions, with_mover
from ludus.games.toads_and_frogs import Position, Side, Strip
from ludus.learning.dqn import Slip
from ludus.learning.runs import TIMES, Run, read_run
from ludus.networks.deep import dense
from ludus.networks.inputs import Inputs, encode
from ludus.solving.explore import explore
from ludus.solving.solver import solve_explored
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Agent, Task, grading, made, training

_ENOUGH, _PATIENCE = 20_000, 300_000  # positions that are listed to know the truth about one of many, or of few


# ---- the network itself ----


class Network:
    """The network of a run, asked about strips as its program asks it."""

    def __init__(self, run: Run) -> None:
        self.parameters: dict[str, Inputs] = run.parameters()[0]

    def outputs(self, game: Any, positions: Sequence[Any]) -> Inputs:
        """The value of moving each piece, movable or not, as if the strip were the toads' to move in."""
        rows = np.array([with_mover(game, pos, 0) for pos in positions], np.int64)
        said: Inputs = dense(self.parameters, encode(game, rows)[0])
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
    return run.learner._replace(slip=slip).agent(run.game, run.parameters()[0])


# ---- what it thinks while it plays ----


def thoughts(trained: Task, board: str, games: int, seed: int) -> Task:
    """What `thought` tells of a training."""
    command = f"ludus play {shlex.quote(board)} --against RUN --seat second --evaluations"
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
    """Games as toads against random, both starting alternately: each own position with what was played there."""
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
    command = f"ludus play '{board}' --against RUN --seat second --evaluations"
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
    """Whether it has value 0, * or neither, how many arrangements it has, and what this took."""
    found = decide(pieces, gaps, threads=1)
    return {"value": found.value, "arrangements": found.arrangements, "seconds": found.seconds, "bytes": found.bytes}


def leaping(squares: int) -> Task:
    """What `leaped` tells of all strips of so many squares."""
    return Task(f"Death Leaps of {squares} squares", leaped, (squares,), command="ludus value TFTF_ --explain")


def leaped(squares: int) -> dict[str, int]:
    """How many strips the Death Leap Principle speaks of, and how many of these have value 0."""
    worth = []
    for number in range(1, squares + 1):
        game = catalog.make_game(f"toads-and-frogs(strip={'_' * number})")
        evaluator = Evaluator(game)
        strips = [Strip.parse("".join(signs)) for signs in product("TF_", repeat=number)]
        positions = [Position(strip.toads, strip.frogs, 0) for strip in strips]
        worth += [form == 0 for form in evaluator.forms_of([pos for pos in positions if game.shaping(pos)])]
    return {"strips": len(worth), "zero": sum(worth)}


def quiet_strips(squares: int) -> Task:
    """What `quieted` tells of all strips of so many squares."""
    command = "ludus value TFTF_ --explain"
    return Task(f"strips of {squares} squares without four parts", quieted, (squares,), command=command)


def quieted(squares: int) -> dict[str, int]:
    """How many strips up to so many squares have none of TF__, __TF, T_ and _F, and how many of these have value 0."""
    worth = []
    for number in range(1, squares + 1):
        evaluator = Evaluator(catalog.make_game(f"toads-and-frogs(strip={'_' * number})"))
        signs = ["".join(each) for each in product("TF_", repeat=number)]
        chosen = [each for each in signs if not any(part in each for part in ("TF__", "__TF", "T_", "_F"))]
        worth += [form == 0 for form in evaluator.forms_of([Position(*Strip.parse(each)[:2], 0) for each in chosen])]
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
        {"family": each.family.shape, "strips": each.checked, "fails": len(each.failed)} for each in families(squares)
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


_SAMPLE = "sample.json"


def late_grade(trained: Task, board: str, positions: int) -> Task:
    """What `graded_late` tells of a training."""
    sample = Task(f"late positions of {board}", sample_late, (board, positions), keeps=True)
    name, command = f"late grade of {trained.name}", f"ludus grade RUN '{board}' --positions {positions}"
    return Task(name, graded_late, (board,), needs=(trained, sample), command=command)


def graded_late(board: str, folders: Sequence[Path]) -> dict[str, Any]:
    """The share of right moves in the sample by games trained, and that of random moves."""
    game, run = catalog.make_game(board), read_run(folders[0])
    sample = [(Position(*pos), wins) for pos, wins in json.loads((folders[1] / _SAMPLE).read_text())]
    chance = [len(wins) / len(actions(game.legal(pos))) for pos, wins in sample]
    right = []
    for games in run.snapshots():
        chosen = run.agent_at(games).policies(game, [pos for pos, _ in sample])
        right.append(float(np.mean([sum(row[wins]) for row, (_, wins) in zip(chosen, sample, strict=True)])))
    return {"games": run.snapshots(), "accuracy": right, "chance": float(np.mean(chance))}


def sample_late(board: str, positions: int, folder: Path, folders: Sequence[Path]) -> int:
    """Write down so many late positions, one a game, the same for all networks."""
    found = list(islice(_late(catalog.make_game(board)), positions))
    write_whole(folder / _SAMPLE, [json.dumps(found).encode()])
    return len(found)


def _late(game: Any) -> Iterator[tuple[Position, list[int]]]:
    """Positions from the last third of random games, toads to move, some moves winning; and these."""
    generator = np.random.default_rng(0)
    while True:
        pos, met = game.start(), []
        while legal := actions(game.legal(pos)):
            if pos.turn == 0 and len(legal) > 1:
                met.append(pos)
            pos = game.play(pos, legal[generator.integers(len(legal))])
        for pos in met[2 * len(met) // 3 :]:
            wins = winning(game, pos)
            if wins and len(wins) < len(actions(game.legal(pos))):
                yield pos, wins
                break


_FEW = 3  # seeds of the boards on which a training takes minutes


class Size(NamedTuple):
    """A board of the paper: its key, strip and game, the games of a training by scale, and the best agent for it."""

    key: str
    strip: str
    game: str
    trained: dict[str, int]
    best: str
    preset: str | None
    best_games: dict[str, int]
    best_settings: dict[str, str]

    @property
    def is_listed(self) -> bool:
        """Whether all its positions are, so that networks are graded on all of them."""
        return self.key != "large"


# A table begun astray knows this game to the end where the positions can be listed; the large board needs a network.
_TABLE = {"epsilon": "0", "alpha": "1", "gamma": "0.95", "random_side": "both", "backward": "true", "symmetry": "true"}


SMALL = Size(
    "small",
    "T^3 _^3 F^3",
    "toads-and-frogs",
    {"full": 6_000, "quick": 450, "tiny": 120},
    "dqn",
    "strong",
    {"full": 60_000, "quick": 4_000, "tiny": 128},
    {},
)

MEDIUM = Size(
    "medium",
    "T^4 _^6 F^4",
    "toads-and-frogs(toads=4, gaps=6, frogs=4)",
    {"full": 20_000, "quick": 300, "tiny": 120},
    "q-table",
    None,
    {"full": 8_000_000, "quick": 200_000, "tiny": 1_000},
    _TABLE | {"random_plies": "56"},
)

LARGE = Size(
    "large",
    "T^6 _^9 F^6",
    "toads-and-frogs(toads=6, gaps=9, frogs=6)",
    {"full": 20_000, "quick": 240, "tiny": 120},
    "dqn",
    "strong",
    {"full": 10_000, "quick": 512, "tiny": 64},
    {},
)

SIZES = SMALL, MEDIUM, LARGE


def seeds_of(lab: Lab, size: Size) -> range:
    """All seeds on the small board, a few on the others."""
    return lab.seeds if size is SMALL else lab.seeds[:_FEW]


def as_paper(lab: Lab, size: Size, seed: int, **settings: Any) -> Task:
    """A training by the paper's settings, or by others."""
    number = size.trained[lab.scale]
    every = max(number // lab.pick(10, 3, 1), 1)
    return training(
        size.game,
        "dqn",
        seed,
        preset="paper",
        games=number,
        eval_every=every,
        eval_games=lab.pick(1000, 400, 20),
        **settings,
    )


def best_training(lab: Lab, size: Size) -> Task:
    """The best agent for a board, or a smaller one of its kind where the scale is smaller."""
    number = size.best_games[lab.scale]
    rate: dict[str, Any] = {"learning_rate": f"{_rate(size)}..0@{number}"} if size.best == "dqn" else {}
    return training(
        size.game,
        size.best,
        0,
        preset=size.preset,
        games=number,
        eval_every=max(number // lab.pick(10, 4, 1), 1),
        eval_games=lab.pick(1000, 400, 20),
        **(rate | size.best_settings),
    )


def _rate(size: Size) -> str:
    return "0.002" if size is SMALL else "0.001"


def tested(lab: Lab) -> int:
    """In how many games each protocol is measured."""
    return lab.pick(1000, 500, 20)


def evaluations(lab: Lab, size: Size) -> list[Task]:
    """The protocols for each training by the paper's settings."""
    return [evaluation(as_paper(lab, size, seed), size.game, tested(lab), seed) for seed in seeds_of(lab, size)]


def chance_by_seat(lab: Lab, size: Size) -> Task:
    """Random play by all protocols."""
    return seated("random", size.game, lab.pick(40_000, 40_000, 400), 0)


def best_by_seat(lab: Lab, size: Size) -> Task:
    """The best agent by all protocols."""
    return seated(best_training(lab, size), size.game, tested(lab), 0)


def grades(lab: Lab, size: Size) -> list[Task]:
    """What tells the grade on a board: of random play where it is listed, else of trainings on a sample."""
    if size.is_listed:
        return [grading("random", size.game)]
    trainings = [as_paper(lab, size, seed) for seed in seeds_of(lab, size)]
    positions = lab.pick(300, 30, 5)
    return [late_grade(one, size.game, positions) for one in [*trainings, best_training(lab, size)]]
