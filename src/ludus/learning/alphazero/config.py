"""The settings of the learner `alphazero`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ludus.errors import LudusError
from ludus.learning.configs import Astray, Starts
from ludus.learning.schedules import Schedule
from ludus.networks.trunks import Trunk

if TYPE_CHECKING:
    import numpy as np

    from ludus.agents.guided_tree import Rules
    from ludus.agents.policy_value import PolicyValue
    from ludus.learning.alphazero.student import AlphaZeroStudent
    from ludus.networks.dense import Parameters

_RANGES = {
    "width": (0, 4096),
    "blocks": (0, 64),
    "lanes": (1, 1 << 16),
    "sims": (1, 10_000),
    "considered": (1, 1 << 16),
    "gamma": (0.01, 1),
    "trust": (0, 1),
    "exploring": (0, 1 << 30),
    "buffer": (1, 1 << 30),
    "batch": (1, 1 << 16),
    "reuse": (0.001, 1000),
}


class AlphaZero(NamedTuple):
    """A network with a policy and a value, taught by tree searches in games against itself."""

    trunk: Annotated[Trunk, "The body of the network; auto: conv over boards of 4x4 and more, else dense."] = Trunk.AUTO
    width: Annotated[int, "Units, or channels, of each layer of it; 0: 128 units, or 32 channels."] = 0
    blocks: Annotated[int, "Blocks of two layers."] = 3
    lanes: Annotated[int, "Games that are played side by side."] = 256
    sims: Annotated[int, "Simulations of the search for a move."] = 32
    considered: Annotated[int, "Actions that a search tries at its root, at most."] = 16
    scale: Annotated[float, "How much what a search finds counts beside what the network said."] = 1.0
    gamma: Annotated[float, "What a result one ply later is worth now."] = 0.99
    large: Annotated[float, "The score that is worth most of a win; 0: all wins are worth the same."] = 0.0
    trust: Annotated[float, "The part of what a search found in what the value learns; the rest is the result."] = 0.5
    starts: Annotated[Starts, "Begin as the game has it, anywhere that can be reached, or half and half."] = Starts.OWN
    exploring: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 4
    astray: Annotated[Astray, "Who goes astray then; any: one player or both, by lot."] = Astray.BOTH
    symmetry: Annotated[bool, "Learn each position turned and mirrored as the game allows."] = True
    buffer: Annotated[int, "Positions that are remembered."] = 100_000
    batch: Annotated[int, "Positions of one update."] = 256
    reuse: Annotated[float, "How often each position is learned from, on average."] = 4.0
    rate: Annotated[Schedule, "The step of an update (Adam): 0.001, or 0.002..0.0002@20000."] = Schedule.parse("0.001")
    decay: Annotated[float, "The part by which weights shrink, as compared with a step."] = 0.0001

    def validate(self) -> None:
        """Numbers within their ranges."""
        for name, (least, most) in _RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} must be {least:,} to {most:,}, not {getattr(self, name):,}")
        for name in ("scale", "large", "decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name):g}")
        if not self.rate.start:
            raise ValueError(f"rate must be above 0, not {self.rate}")
        if self.buffer < self.batch:
            raise ValueError(f"buffer must be {self.batch:,}, a batch, or more, not {self.buffer:,}")

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return "trunk", "width", "blocks"

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "rate", "gamma", "trust", "scale"

    @property
    def has_network(self) -> bool:
        """JAX computes what it learns."""
        return True

    def student(self, game: Any, *, twin: bool = False) -> AlphaZeroStudent:
        """One who begins to learn a game."""
        from ludus.learning.alphazero.student import AlphaZeroStudent

        if twin:
            raise LudusError("alphazero has no twin: let it play itself (opponent self), or another agent")
        return AlphaZeroStudent(game, self)

    def agent(self, game: Any, knowledge: Any) -> PolicyValue:
        """The bare policy of the network that was taught."""
        import numpy as np

        from ludus.agents.policy_value import PolicyValue
        from ludus.networks.residual import check_shapes, judged

        check_shapes(knowledge, self.network(game, np.random.default_rng(0)), type(game).__name__)
        return PolicyValue(judged, dict(knowledge), self.rules)

    def network(self, game: Any, generator: np.random.Generator) -> Parameters:
        """An untaught one for a game; LudusError if it shows nothing, or no board to a network that needs one."""
        from ludus.game import num_actions
        from ludus.networks.inputs import input_shape
        from ludus.networks.residual import new_residual

        return new_residual(input_shape(game), num_actions(game), self.trunk, self.width, self.blocks, generator)

    @property
    def rules(self) -> Rules:
        """How its searches weigh what they find."""
        from ludus.agents.guided_tree import Rules

        return Rules(self.gamma, self.scale, self.large)
