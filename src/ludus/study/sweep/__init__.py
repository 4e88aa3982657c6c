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
    """A round to be done: games for each agent, and the interval of evaluations, 0 for the last alone.

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


class Candidate(NamedTuple):
    """An agent in a round.

    point: its settings in the grid, without the opponent; opponents: those it has met, session by session, each once in
    a row; run: the folder, within the sweep, of the run that plays for it; games: of that run; trained: the folder of
    its training in this round; before: its run before; match: against that; points: in the tournament.
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
        return self.match is not None and self.match.losses > self.match.wins


class Round(NamedTuple):
    """Agents trained and compared; dropped: names of those that no longer take part."""

    order: Order
    agents: tuple[Candidate, ...]
    dropped: tuple[str, ...] = ()
    is_finished: bool = False


class Sweep(NamedTuple):
    """The settings of all rounds, the rounds that are ordered, and those that are done or under way.

    settings: those that all agents have in common; grid: values of each setting that differs; meeting: games of a match
    and of each pair in a tournament; threads: for computing networks.
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
        """Whether all rounds are done."""
        return len(self.rounds) == len(self.orders) and all(done.is_finished for done in self.rounds)

    def with_round(self, last: Round) -> Sweep:
        """The same with another last round."""
        return self._replace(rounds=(*self.rounds[:-1], last))


def as_json(sweep: Sweep) -> dict[str, Any]:
    """All of it as a document."""
    return {"ludus": _VERSION, **_plain(sweep)}


def _plain(value: Any) -> Any:
    """Named tuples as dicts, and kinds by their values."""
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "_asdict"):
        extra = {"put_back": value.put_back} if isinstance(value, Candidate) else {}
        return {name: _plain(each) for name, each in value._asdict().items()} | extra
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


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
        document = json.loads(path.read_text())
        if document.pop("ludus") != _VERSION:
            raise LudusError(f"{path} was written by another version of Ludus")
        document["grid"] = {name: tuple(values) for name, values in document["grid"].items()}
        document["orders"] = tuple(_order(fields) for fields in document["orders"])
        document["rounds"] = tuple(_round(fields) for fields in document["rounds"])
        return Sweep(**document)
    except OSError as error:
        raise LudusError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LudusError(f"{path} is damaged: {type(error).__name__}: {error}") from None


def _order(fields: dict[str, Any]) -> Order:
    return Order(**fields | {"kind": Kind(fields["kind"])})


def _round(fields: dict[str, Any]) -> Round:
    agents = tuple(_candidate(agent) for agent in fields["agents"])
    return Round(**fields | {"order": _order(fields["order"]), "agents": agents, "dropped": tuple(fields["dropped"])})


def _candidate(fields: dict[str, Any]) -> Candidate:
    match = Score(**fields["match"]) if fields["match"] else None
    own = {name: fields[name] for name in Candidate._fields}
    return Candidate(**own | {"match": match, "opponents": tuple(fields["opponents"])})
