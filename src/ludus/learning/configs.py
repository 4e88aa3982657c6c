"""The settings of each learner; apart from the learners, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ludus.errors import LudusError
from ludus.game import gives_seat_index, gives_shaping, swaps_players, symmetries
from ludus.learning.schedules import Rate, Schedule, SecondShare

if TYPE_CHECKING:
    from ludus.agents.entries import Entries
    from ludus.agents.table import Greedy
    from ludus.agents.weights import Sampler
    from ludus.learning.move_weights import WeightsStudent
    from ludus.learning.q_table import QStudent

_MOST_OF_A_WEIGHT = 0.99  # that one game may shift


class Ties(enum.Enum):
    """Which of several equally good actions is taken."""

    RANDOM = 0
    FIRST = 1


class Over(enum.Enum):
    """Which actions count for the best that can come next."""

    LEGAL = 0
    ALL = 1


class Tables(enum.Enum):
    """One table for both players, one for each role, or one in which positions are seen by who moves."""

    SHARED = 0
    ROLES = 1
    MOVER = 2


class Astray(enum.Enum):
    """Who plays at random where games begin; the other plays what it knows."""

    FIRST = 0
    SECOND = 1
    BOTH = 2
    ANY = 3


class Starts(enum.Enum):
    """Where games begin: at the game's own start, anywhere that can be reached from it, or in half of them there."""

    OWN = 0
    ANY = 1
    BOTH = 2


class QTable(NamedTuple):
    """Tabular Q-learning."""

    epsilon: Annotated[
        Schedule, "How often it tries a random action: 0.1, 1..0.05@20000, 0.9/sqrt, or 0.5..0.01@results."
    ] = Schedule.parse("0.1")
    alpha: Annotated[Rate, "How far a value moves towards what was seen: 0.5, 1/n, or 1/n^0.7."] = Rate.parse("1/n")
    gamma: Annotated[float, "What a reward one own move later is worth now."] = 1.0
    over: Annotated[Over, "The best next action is sought among these; all takes illegal ones for worth 0."] = (
        Over.LEGAL
    )
    ties: Annotated[Ties, "Which of equally good actions it takes."] = Ties.RANDOM
    tables: Annotated[Tables, "One table for both players, one for each role, or one seen by the mover."] = (
        Tables.SHARED
    )
    symmetry: Annotated[bool, "Let one position stand for all alike."] = False
    exploring: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 0
    astray: Annotated[Astray, "Who goes astray then; any: one player or both, by lot."] = Astray.ANY
    backward: Annotated[bool, "Learn from a game once it is over, from its last move to its first."] = False
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False
    shaping: Annotated[float, "Add the extra rewards that the game gives, times this."] = 0.0
    second: Annotated[SecondShare, "The same for who moves second, if it is another: as epsilon, or same."] = (
        SecondShare(None)
    )

    def validate(self) -> None:
        """Numbers within their ranges."""
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must be 0 to 1, not {self.gamma:g}")
        if self.backward and self.shaping:
            raise ValueError("extra rewards are learned from move by move: shaping or backward")
        if not 0 <= self.exploring < 1 << 31:
            raise ValueError(f"exploring must be 0 or more plies, not {self.exploring}")
        for name in ("win", "loss", "draw", "shaping"):
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, not {getattr(self, name)}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return "tables", "symmetry"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "epsilon", "second", "alpha", "gamma"

    def student(self, game: Any, *, twin: bool = False) -> QStudent:
        """One who begins to learn a game, and another beside it if wanted."""
        from ludus.learning.q_table import QStudent

        if self.tables is Tables.MOVER and not _numbers_alike(game):
            raise LudusError(f"{type(game).__name__} does not number positions as the mover sees them: tables=shared")
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return QStudent(game, self, self._empty(game, 2 if twin else 1))

    def agent(self, game: Any, knowledge: Any) -> Greedy:
        """Greedy play by what was learned."""
        from ludus.agents.table import Greedy
        from ludus.learning.table_student import unpacked

        return Greedy(unpacked(game, self._empty(game, 1), knowledge), self.ties is Ties.FIRST)

    @property
    def roles(self) -> int:
        """The tables of one learner."""
        return 2 if self.tables is Tables.ROLES else 1

    def _empty(self, game: Any, learners: int) -> Entries:
        from ludus.agents.entries import new_entries

        by_seat = self.tables is not Tables.SHARED
        return new_entries(game, learners * self.roles, by_seat=by_seat, symmetric=self.symmetry)


class MoveWeights(NamedTuple):
    """Weights of moves, learned from results."""

    win: Annotated[float, "The part by which a winner's last weight grows, and of which that before it does."] = 0.7
    loss: Annotated[float, "The part by which a loser's last weight shrinks, and of which that before it does."] = 0.7
    symmetry: Annotated[bool, "Let one position stand for all alike, and so both players learn from either."] = True
    shrink: Annotated[float, "The part by which each move before is taught; 0: win or loss itself."] = 0.0
    late: Annotated[bool, "Teach each game by the result of the game before, as the paper's program does."] = False

    def validate(self) -> None:
        """All parts within their range."""
        for name, part in (("win", self.win), ("loss", self.loss), ("shrink", self.shrink)):
            if not 0 <= part <= _MOST_OF_A_WEIGHT:
                raise ValueError(f"{name} must be 0 to {_MOST_OF_A_WEIGHT}, not {part:g}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return ("symmetry",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "win", "loss"

    def student(self, game: Any, *, twin: bool = False) -> WeightsStudent:
        """One who begins to learn a game, and another beside it if wanted."""
        from ludus.learning.move_weights import WeightsStudent

        return WeightsStudent(game, self, self._empty(game, 2 if twin else 1))

    def agent(self, game: Any, knowledge: Any) -> Sampler:
        """Play by the weights that were learned."""
        from ludus.agents.weights import Sampler
        from ludus.learning.table_student import unpacked

        return Sampler(unpacked(game, self._empty(game, 1), knowledge))

    def _empty(self, game: Any, learners: int) -> Entries:
        from ludus.agents.entries import new_entries

        return new_entries(game, learners, by_seat=False, symmetric=self.symmetry)


def _numbers_alike(game: Any) -> bool:
    """Whether positions have one number whoever moves: both sides play alike, and are numbered by seat."""
    return gives_seat_index(game) and any(swaps_players(game, symmetry) for symmetry in range(symmetries(game)))
