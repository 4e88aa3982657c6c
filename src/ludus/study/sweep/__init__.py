"""A sweep: agents trained over a grid of settings, in rounds that end with a tournament, kept in a folder."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.files import made_folder, write_whole

FILE = "sweep.json"

_VERSION = 1


Words = dict[str, str]


class Kind(enum.Enum):
    """Which agents a round trains: new ones, all there are, or the best."""

    GRID = "grid"
    RETRAIN = "retrain"
    RETRAIN_BEST = "retrain-best"


class Order(NamedTuple):
    """A round to be done: games for each agent; a test every so many, 0 for none but the last.

    keep: the part of the best agent's points that a survivor has at least; change_opponent: branch each agent, too.
    """

    kind: Kind
    games: int
    eval_every: int = 0
    keep: float = 0.0
    change_opponent: bool = False


class Score(NamedTuple):
    """How a match with the old self ended, for the new one."""

    wins: int
    losses: int
    draws: int

    @property
    def is_lost(self) -> bool:
        """Whether the old self won more games."""
        return self.losses > self.wins


class Candidate(NamedTuple):
    """An agent in a round.

    point: its settings in the grid, without the opponent; opponents: whom it has met, session by session, each once in
    a row; run: the folder, in that of the sweep, of what plays for it; games: those behind that; trained: the folder of
    its training in this round; before: what it was before; match: against that; points: in the tournament.
    """

    name: str
    point: Words
    opponents: tuple[str, ...]
    run: str = ""
    games: int = 0
    trained: str = ""
    before: str = ""
    is_branch: bool = False
    match: Score | None = None
    is_settled: bool = False
    points: float | None = None

    @property
    def put_back(self) -> bool:
        """Whether it lost to its old self, which stays."""
        return self.match is not None and self.match.is_lost


class Round(NamedTuple):
    """Agents trained and compared; dropped: names of those who no longer take part."""

    order: Order
    agents: tuple[Candidate, ...]
    dropped: tuple[str, ...] = ()
    is_finished: bool = False


class Sweep(NamedTuple):
    """What was set for all rounds, the rounds that are to be, and those that have been or are under way.

    settings: what all agents have in common; grid: values of each setting that differs; meeting: games of a match and
    of each pair in a tournament; threads: by how many networks are computed.
    """

    game: str
    learner: str
    settings: Words
    grid: dict[str, tuple[str, ...]]
    seed: int
    meeting: int
    threads: int
    orders: tuple[Order, ...]
    rounds: tuple[Round, ...] = ()

    @property
    def is_finished(self) -> bool:
        """Whether all rounds have been."""
        return len(self.rounds) == len(self.orders) and all(done.is_finished for done in self.rounds)

    def with_round(self, last: Round) -> Sweep:
        """The same with another last round."""
        return self._replace(rounds=(*self.rounds[:-1], last))


def as_json(sweep: Sweep) -> dict[str, Any]:
    """All of it as a document."""
    return (
        {"ludus": _VERSION}
        | sweep._asdict()
        | {
            "orders": [_order_as_json(order) for order in sweep.orders],
            "rounds": [_round_as_json(done) for done in sweep.rounds],
        }
    )


def _order_as_json(order: Order) -> dict[str, Any]:
    return order._asdict() | {"kind": order.kind.value}


def _round_as_json(done: Round) -> dict[str, Any]:
    agents = [_candidate_as_json(agent) for agent in done.agents]
    return done._asdict() | {"order": _order_as_json(done.order), "agents": agents}


def _candidate_as_json(agent: Candidate) -> dict[str, Any]:
    match = agent.match._asdict() if agent.match else None
    return agent._asdict() | {"match": match, "put_back": agent.put_back}


def save(sweep: Sweep, folder: Path) -> None:
    """Put it into its folder, in place of an earlier state."""
    write_whole(made_folder(folder) / FILE, [json.dumps(as_json(sweep), indent=1).encode() + b"\n"])


def load(folder: Path) -> Sweep:
    """The sweep in a folder; LudusError if there is none, or it is damaged."""
    path = folder / FILE
    if not path.is_file():
        raise LudusError(
            f"there is no sweep in {folder}: begin one with ludus sweep GAME LEARNER --grid ... --out {folder}"
        )
    try:
        told = json.loads(path.read_text())
        if told.pop("ludus") != _VERSION:
            raise LudusError(f"{path} was written by another version of Ludus")
        told["grid"] = {name: tuple(values) for name, values in told["grid"].items()}
        told["orders"] = tuple(_order(words) for words in told["orders"])
        told["rounds"] = tuple(_round(words) for words in told["rounds"])
        return Sweep(**told)
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LudusError(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _order(words: dict[str, Any]) -> Order:
    return Order(**words | {"kind": Kind(words["kind"])})


def _round(words: dict[str, Any]) -> Round:
    agents = tuple(_candidate(agent) for agent in words["agents"])
    return Round(**words | {"order": _order(words["order"]), "agents": agents, "dropped": tuple(words["dropped"])})


def _candidate(words: dict[str, Any]) -> Candidate:
    words = {name: value for name, value in words.items() if name != "put_back"}
    match = Score(**words["match"]) if words["match"] else None
    return Candidate(**words | {"match": match, "opponents": tuple(words["opponents"])})
