"""The settings of deep Q-learning; apart from the learner, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ludus.errors import LudusError
from ludus.game import gives_shaping
from ludus.learning.configs import Astray, Starts
from ludus.learning.schedules import RESULTS, Schedule

if TYPE_CHECKING:
    from ludus.agents.network import Highest
    from ludus.learning.dqn.student import DqnStudent

_MOST = 1 << 24  # of anything that is counted here
_LARGEST = 1e30  # that a reward can be


class Layers(NamedTuple):
    """Hidden layers, written as how many units each has, from the inputs on: `100-150-100`."""

    sizes: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Layers:
        """Read such words."""
        if not re.fullmatch(r"[0-9]{1,5}(-[0-9]{1,5})*", text) or "0" in text.split("-"):
            raise ValueError(f"write the units of each hidden layer, as in 100-150-100, not {text!r}")
        return cls(tuple(int(size) for size in text.split("-")))

    def __str__(self) -> str:
        return "-".join(map(str, self.sizes))


class Explored(enum.Enum):
    """Which actions are tried at random."""

    LEGAL = 0
    ALL = 1


class Slip(enum.Enum):
    """What the agent does where its highest output is illegal: play the best legal action, or any, or resign."""

    BEST = 0
    RANDOM = 1
    LOSE = 2


class Dqn(NamedTuple):
    """Deep Q-learning."""

    hidden: Annotated[Layers, "The units of each hidden layer."] = Layers.parse("100-150-100")
    epsilon: Annotated[
        Schedule, "How often it tries a random action: 0.1, 1..0.05@20000, 0.9/sqrt, or 0.5..0.01@results."
    ] = Schedule.parse("0.5/sqrt")
    gamma: Annotated[float, "What a reward one own move later is worth now."] = 0.9
    rate: Annotated[Schedule, "How far an update goes (Adam's): 0.0001, or 0.001..0.0001@20000."] = Schedule.parse(
        "0.0001"
    )
    buffer: Annotated[int, "How many of its last moves it remembers."] = 10_000
    batch: Annotated[int, "From how many of them, drawn at random, it learns at once."] = 128
    updates: Annotated[float, "How often it learns for each move; lanes times this is a whole number."] = 1.0
    target: Annotated[int, "Copy the network into the one that says what comes next, every so many games."] = 20
    soft: Annotated[float, "Or move that one towards it by this part at each update, with target=0."] = 0.0
    mask: Annotated[bool, "Choose among legal actions only; false: an illegal choice ends the game."] = True
    explore: Annotated[Explored, "Try any legal action, or any at all with mask=false."] = Explored.LEGAL
    slip: Annotated[
        Slip, "What the agent does where its highest output is illegal: play the best legal one, or any, or resign."
    ] = Slip.BEST
    double: Annotated[bool, "Let the network itself say what is best next, the copy what that is worth."] = False
    steps: Annotated[int, "How many own moves it looks ahead before it asks what comes next."] = 1
    reply: Annotated[bool, "Wait for the reply; false: against itself, learn from the other side's next choice."] = True
    lanes: Annotated[int, "How many games it plays side by side."] = 1
    symmetry: Annotated[bool, "See positions that are alike up to symmetry as one."] = False
    starts: Annotated[Starts, "Begin as the game has it, anywhere that can be reached, or half and half."] = Starts.OWN
    exploring: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 0
    astray: Annotated[Astray, "Who goes astray then; any: one player or both, by lot."] = Astray.ANY
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    illegal: Annotated[float, "The reward of an illegal choice, with mask=false."] = -1.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False
    shaping: Annotated[float, "Add the extra rewards that the game gives, times this."] = 0.0

    def validate(self) -> None:
        """Numbers within their ranges."""
        ranges = {
            "0 to 1": (("gamma", "soft"), 0, 1),
            f"1 to {_MOST}": (("buffer", "batch", "steps", "lanes"), 1, _MOST),
            "0 or more": (("target", "exploring"), 0, (1 << 31) - 1),
            "a finite number": (("win", "loss", "draw", "illegal", "shaping"), -_LARGEST, _LARGEST),
        }
        for words, (names, least, most) in ranges.items():
            for name in names:
                if not least <= getattr(self, name) <= most:
                    raise ValueError(f"{name} must be {words}, not {getattr(self, name)}")
        self._validate_together()

    def _validate_together(self) -> None:
        if self.buffer < self.batch:
            raise ValueError(f"buffer must be at least batch, {self.batch}, not {self.buffer}")
        if not self.rate.start or self.rate.kind == RESULTS:
            raise ValueError(f"rate must be above 0, always or from one number of games on, not {self.rate}")
        if (self.target == 0) == (self.soft == 0):
            raise ValueError("what comes next is told by a copy every `target` games or by a soft one: set one of them")
        if self.mask and self.explore is Explored.ALL:
            raise ValueError("illegal actions are tried with mask=false only: explore=legal")
        if not 1 <= self.updates * self.lanes <= _MOST or self.updates * self.lanes % 1:
            raise ValueError(f"lanes times updates must be a whole number, not {self.updates * self.lanes:g}")

        if not self.reply and (self.win != -self.loss or self.draw or self.shaping or self.steps > 1 or not self.mask):
            raise ValueError(
                "without the reply a win is the other's loss: loss=-win, draw=0, shaping=0, steps=1, mask=true"
            )

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return ("hidden",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "epsilon", "rate", "gamma"

    @property
    def has_network(self) -> bool:
        """JAX computes what it learns."""
        return True

    def student(self, game: Any, *, twin: bool = False) -> DqnStudent:
        """One who begins to learn a game, and another beside it if wanted."""
        from ludus.learning.dqn.student import DqnStudent

        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return DqnStudent(game, self, minds=2 if twin else 1)

    def agent(self, game: Any, knowledge: Any) -> Highest:
        """Play by the highest output of the network; LudusError if it is not one for this game."""
        from ludus.agents.network import Highest
        from ludus.game import num_actions
        from ludus.networks.dense import check_fit, dense
        from ludus.networks.inputs import num_inputs

        check_fit(knowledge, num_inputs(game), num_actions(game), type(game).__name__)
        slips, may_resign = self.slip is Slip.RANDOM, self.slip is Slip.LOSE
        return Highest(dense, knowledge, slips=slips, may_resign=may_resign, alike=self.symmetry)
