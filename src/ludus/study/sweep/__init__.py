"""A sweep: agents trained over a grid of settings, in rounds that end with a tournament, kept in a folder."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any, NamedTuple

from ludus import signatures
from ludus.documents import Count, Share, read_document, write_document
from ludus.errors import LudusError
from ludus.files import is_there, made_folder

FILE = "sweep.json"
_VERSION = 2
Words = dict[str, str]


class Kind(enum.Enum):
    """Which agents a round trains: new ones, all there are, or the best."""

    GRID = "grid"
    RETRAIN = "retrain"
    RETRAIN_BEST = "retrain-best"


class Order(NamedTuple):
    """A round to be done: games for each agent, and the interval of evaluations, 0 for the last alone.

    keep: the part of the best agent's points that a survivor has at least; change_opponent: branch each agent, too;
    other_opponent: also train those that are no branch against another opponent than they are called after.
    """

    kind: Kind
    games: Count
    eval_every: Count = 0
    keep: Share = 0.0
    change_opponent: bool = False
    other_opponent: bool = False


class Score(NamedTuple):
    """How a match with the old self ended, for the new one."""

    wins: Count
    losses: Count
    draws: Count


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
    games: Count = 0
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
    seed: Count
    meeting: Count
    threads: Count
    orders: tuple[Order, ...]
    rounds: tuple[Round, ...] = ()
    signature: str = ""  # of the user who made it, if it names files or programs

    @property
    def names(self) -> list[str]:
        """Everything that it names."""
        return [
            self.game,
            self.learner,
            *self.settings.values(),
            *(one for values in self.grid.values() for one in values),
        ]

    @property
    def is_finished(self) -> bool:
        """Whether all rounds are done."""
        return len(self.rounds) == len(self.orders) and all(done.is_finished for done in self.rounds)

    def with_round(self, last: Round) -> Sweep:
        """The same with another last round."""
        return self._replace(rounds=(*self.rounds[:-1], last))


def as_json(sweep: Sweep) -> dict[str, Any]:
    """All of it as a document, with what follows of each agent's match: whether it was put back."""
    document = _plain(sweep)
    for done, each in zip(sweep.rounds, document["rounds"], strict=True):
        for agent, fields in zip(done.agents, each["agents"], strict=True):
            fields["put_back"] = agent.put_back
    return {"ludus": _VERSION, **document}


def _plain(value: Any) -> Any:
    """Named tuples as dicts, and kinds by their values."""
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "_asdict"):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def save(sweep: Sweep, folder: Path) -> None:
    """Put it into its folder, in place of an earlier state, signed by this user."""
    signature = signatures.sign(_settings(sweep), sweep.names)
    write_document(made_folder(folder) / FILE, _VERSION, _plain(sweep._replace(signature=signature)))


def _settings(sweep: Sweep) -> dict[str, Any]:
    """What of it a signature covers: all that names anything."""
    settings: dict[str, Any] = _plain(sweep._replace(orders=(), rounds=(), signature=""))
    return settings


def require_trusted(sweep: Sweep, folder: Path) -> None:
    """Raise LudusError for a sweep from elsewhere that names code."""
    advice = "begin a sweep of your own with the same settings"
    signatures.require_trusted(folder / FILE, _settings(sweep), sweep.names, sweep.signature, advice)


def load(folder: Path) -> Sweep:
    """The sweep in a folder; LudusError if there is none, or it is damaged."""
    path = folder / FILE
    if not is_there(path):
        raise LudusError(
            f"there is no sweep in {folder}: begin one with ludus sweep GAME LEARNER --grid ... --out {folder}"
        )
    sweep = read_document(path, _VERSION, Sweep)
    if problem := _contradiction(sweep):
        raise LudusError(f"{path} is damaged: {problem}")
    return sweep


def _contradiction(sweep: Sweep) -> str:
    """What the parts of a sweep say against each other; empty for nothing."""
    if len(sweep.rounds) > len(sweep.orders) or any(
        done.order != order for done, order in zip(sweep.rounds, sweep.orders, strict=False)
    ):
        return "its rounds are not those that were ordered"
    if not all(done.agents and done.is_finished for done in sweep.rounds[:-1]):
        return "a round began before the one before it was finished"
    for agent in (agent for done in sweep.rounds for agent in done.agents):
        if any(".." in name.split("/") or name.startswith("/") for name in (agent.run, agent.trained, agent.before)):
            return f"the run of {agent.name} is not in its folder"
    return ""
