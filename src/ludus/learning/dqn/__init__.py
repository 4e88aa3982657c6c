"""The settings of deep Q-learning; apart from the learner, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from ludus.compiled.randomness import new_state, stream_start
from ludus.errors import LudusError
from ludus.game import gives_shaping, num_actions
from ludus.learning.dqn.network import Kind, Mind, functions, mind_of, new_mind, parameters, to_arrays, to_mind
from ludus.learning.dqn.replay_buffer import (
    PAID,
    STORED,
    TOLD,
    UPDATES,
    Floats,
    Moves,
    Rules,
    choose_moves,
    draw_rows,
    end_moves,
    new_memory,
    new_moves,
    remember,
)
from ludus.learning.loop.episodes import LEARNER, OPPONENT, Ints, Setting
from ludus.learning.loop.lanes import ENDED, NOTHING, NUMBER, PLAYER, STATUS, LaneTrainer
from ludus.learning.loop.options import RandomSide, Starts
from ludus.learning.loop.schedules import RESULTS, Schedule, share_now
from ludus.learning.loop.trainer import Arrays
from ludus.networks.inputs import num_inputs

if TYPE_CHECKING:
    from ludus.agents.network import Highest


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
    learning_rate: Annotated[Schedule, "How far an update goes (Adam's): 0.0001, or 0.001..0.0001@20000."] = (
        Schedule.parse("0.0001")
    )
    buffer: Annotated[int, "How many of its last moves it remembers."] = 10_000
    batch: Annotated[int, "From how many of them, drawn at random, it learns at once."] = 128
    updates: Annotated[float, "How often it learns for each move; lanes times this is a whole number."] = 1.0
    target_every: Annotated[int, "Copy the network into the one that says what comes next, every so many games."] = 20
    tau: Annotated[float, "Or move that one towards it by this part at each update, with target_every=0."] = 0.0
    mask: Annotated[bool, "Choose among legal actions only; false: an illegal choice ends the game."] = True
    explore: Annotated[Explored, "Try any legal action, or any at all with mask=false."] = Explored.LEGAL
    slip: Annotated[
        Slip, "What the agent does where its highest output is illegal: play the best legal one, or any, or resign."
    ] = Slip.BEST
    double: Annotated[bool, "Let the network itself say what is best next, the copy what that is worth."] = False
    n_step: Annotated[int, "How many own moves it looks ahead before it asks what comes next."] = 1
    reply: Annotated[bool, "Wait for the reply; false: against itself, learn from the other side's next choice."] = True
    lanes: Annotated[int, "How many games it plays side by side."] = 1
    symmetry: Annotated[bool, "See positions that are alike up to symmetry as one."] = False
    starts: Annotated[Starts, "Begin as the game has it, anywhere that can be reached, or half and half."] = Starts.OWN
    random_plies: Annotated[int, "Let a player go astray for up to so many plies, and learn from there."] = 0
    random_side: Annotated[RandomSide, "Who goes astray then; any: one player or both, by lot."] = RandomSide.ANY
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    illegal: Annotated[float, "The reward of an illegal choice, with mask=false."] = -1.0
    margin: Annotated[bool, "Let the score be the reward instead."] = False
    shaping: Annotated[float, "Add the extra rewards that the game gives, times this."] = 0.0

    def validate(self) -> None:
        """Numbers within their ranges."""
        ranges = {
            "0 to 1": (("gamma", "tau"), 0, 1),
            f"1 to {_MOST}": (("buffer", "batch", "n_step", "lanes"), 1, _MOST),
            "0 or more": (("target_every", "random_plies"), 0, (1 << 31) - 1),
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
        if not self.learning_rate.start or self.learning_rate.kind == RESULTS:
            raise ValueError(
                f"learning_rate must be above 0, always or from one number of games on, not {self.learning_rate}"
            )
        if (self.target_every == 0) == (self.tau == 0):
            raise ValueError(
                "the target network is copied every `target_every` games or moved by `tau`: set one of them"
            )
        if self.mask and self.explore is Explored.ALL:
            raise ValueError("illegal actions are tried with mask=false only: explore=legal")
        if not 1 <= self.updates * self.lanes <= _MOST or self.updates * self.lanes % 1:
            raise ValueError(f"lanes times updates must be a whole number, not {self.updates * self.lanes:g}")

        if not self.reply and (self.win != -self.loss or self.draw or self.shaping or self.n_step > 1 or not self.mask):
            raise ValueError(
                "without the reply a win is the other's loss: loss=-win, draw=0, shaping=0, n_step=1, mask=true"
            )

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings on which the shape of what is learned depends."""
        return ("hidden",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change while it learns."""
        return "epsilon", "learning_rate", "gamma"

    @property
    def has_network(self) -> bool:
        """JAX computes what it learns."""
        return True

    def trainer(self, game: Any, *, twin: bool = False) -> DqnTrainer:
        """One who begins to learn a game, and another beside it if wanted."""
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return DqnTrainer(game, self, minds=2 if twin else 1)

    def agent(self, game: Any, parameters: Any) -> Highest:
        """Play by the highest output of the network; LudusError if it is not one for this game."""
        from ludus.agents.network import Highest
        from ludus.game import num_actions
        from ludus.networks.deep import check_fit, dense
        from ludus.networks.inputs import num_inputs

        check_fit(parameters, num_inputs(game), num_actions(game), type(game).__name__)
        slips, may_resign = self.slip is Slip.RANDOM, self.slip is Slip.LOSE
        return Highest(dense, parameters, slips=slips, may_resign=may_resign, alike=self.symmetry)


_POINT = 100  # games between two points of the curve of losses

_MEMORY = 0.99  # of the share of lost games: about the last hundred count

_APART = 1 << 63  # the numbers of streams that no game has begin here


class DqnTrainer(LaneTrainer):
    """Deep Q-learning at work; a twin has a network, a memory and an optimiser of its own."""

    def __init__(self, game: Any, config: Dqn, minds: int) -> None:
        super().__init__(game, config, config.lanes)
        inputs, outputs = num_inputs(game), num_actions(game)
        self.kind = Kind((inputs, *config.hidden.sizes, outputs), config.tau, config.double)
        self._minds: list[Mind] = []  # made when the seed is known, unless it begins with what another has learned
        self._memories = [new_memory(config.buffer, inputs, outputs) for _ in range(minds)]
        self._moves = new_moves(config.lanes, config.n_step, inputs)
        self._curve = np.zeros((0, 3))  # games played, updates since the point before, and the sum of their losses
        updates = round(config.lanes * config.updates)
        self._batches = np.zeros((updates, config.batch, self._memories[0].rows.shape[1]), np.float32)
        self._asked = np.zeros((config.lanes, inputs), np.float32)
        self._stream = new_state()
        self._rules = _rules(config)

    def change(self, config: Dqn) -> None:
        """Go on with other settings."""
        super().change(config)
        self._rules = _rules(config)

    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn; new networks are drawn by the seed before the first game."""
        if not self._minds:
            self._minds = [new_mind(self.kind, [int(setting.key), who]) for who in range(len(self._memories))]
        if not self.plies:
            self._compile()
        return super().learn(opponent, setting, until)

    def _compile(self) -> None:
        """Let a network that nobody needs learn nothing, so that later no game has to wait for that."""
        functions(self.kind).learn(new_mind(self.kind, [0]), np.float32(0), self._batches, self._asked)

    def _act(self, setting: Setting) -> Ints:
        """Learn from what the last moves came to, and choose the next by what the network says now."""
        ready = self.lanes.ready
        holders = setting.holders[self.lanes.state[ready, NUMBER] % 2, self.lanes.state[ready, PLAYER]]
        chosen = np.full(len(self.lanes.rows), NOTHING)
        for who in range(len(self._memories)):
            self._act_for(who, ready[holders == who], setting, chosen)
        return chosen

    def _act_for(self, who: int, ready: Ints, setting: Setting, chosen: Ints) -> None:
        """The same for the learner or its twin, in the lanes in which it is to move."""
        if not len(ready):
            return
        seen, outputs = self._seen(ready, alike=self.config.symmetry)
        inputs = seen.reshape(len(ready), -1)
        alone = bool((setting.holders == LEARNER).all())
        memory, rules = self._memories[who], self._rules
        self._run(remember, self.lanes, ready, self._moves, memory, rules, inputs, outputs, alone)
        self._asked[: len(ready)] = inputs
        worth = self._learned(who, setting)
        if worth is None:
            worth = np.asarray(functions(self.kind).ask(self._minds[who], self._asked))
        parts = self.lanes, ready, self._moves, rules, inputs, outputs, worth, chosen
        self._run(choose_moves, self.game, self.game.start(), *parts)

    def _learned(self, who: int, setting: Setting) -> Floats | None:
        """Learn as often as there are new moves for, and say what is asked then; None if there are too few."""
        worth, rate = None, np.float32(share_now(self.config.learning_rate, self.games, 0.0))
        while self._draw(who, setting):
            self._minds[who], said = functions(self.kind).learn(self._minds[who], rate, self._batches, self._asked)
            worth = np.asarray(said)  # waits, so that the batches can be drawn anew
        return worth

    def _draw(self, who: int, setting: Setting) -> bool:
        """Draw batches if the learner has played a move in every lane since the last ones, and remembers enough."""
        memory = self._memories[who]
        if memory.totals[STORED] < self.config.batch:
            memory.totals[PAID] = memory.totals[STORED]
        if memory.totals[STORED] - memory.totals[PAID] < self.config.lanes:
            return False
        key = np.uint64(stream_start(setting.key, _APART + who))
        self._run(draw_rows, memory, key, self._stream, self._batches)
        memory.totals[PAID] += self.config.lanes
        memory.totals[UPDATES] += len(self._batches)
        return True

    def _finish(self, lane: int, setting: Setting) -> None:
        """Learn from the end of a game: for a player whose opponent chose what is illegal, it was none."""
        ended, foul = self.lanes.state[lane, STATUS] == ENDED, self._moves.foul[lane]
        for player, who in enumerate(setting.holders[self.lanes.state[lane, NUMBER] % 2].tolist()):
            own = int(-self.lanes.scores[lane] if player else self.lanes.scores[lane])
            if ended:
                self._moves.lost[player] = _MEMORY * self._moves.lost[player] + (1 - _MEMORY) * (own < 0)
            if who != OPPONENT and self._moves.number[lane, player]:
                earned = self.config.illegal if foul == player else self._reward(own)
                learned = bool(ended and foul in (NOTHING, player))
                memory = self._memories[who]
                self._run(end_moves, self._moves, lane, player, memory, self._rules, earned, learned)
                self._learned(who, setting)
        self._moves.foul[lane] = NOTHING
        games = self.games + 1
        if self.config.target_every and games % self.config.target_every == 0:
            self._minds = [functions(self.kind).copied(mind) for mind in self._minds]
        if games % _POINT == 0:
            self._add_point(games)

    def _reward(self, own: int) -> float:
        if self.config.margin:
            return float(own)
        return float(self.config.win if own > 0 else self.config.loss if own < 0 else self.config.draw)

    def _add_point(self, games: int) -> None:
        """Add to the curve of losses what was learned since its last point."""
        updates = self._memories[0].totals[UPDATES] - self._memories[0].totals[TOLD]
        if updates:
            point = games, updates, float(self._minds[0].loss)
            if not np.isfinite(point[-1]):
                raise LudusError("the weights have grown beyond all numbers: learn at a smaller rate")
            self._curve = np.vstack([self._curve, point])
            self._minds[0] = self._minds[0]._replace(loss=np.float32(0))
            self._memories[0].totals[TOLD] += updates

    def metrics(self) -> dict[str, Any]:
        """The updates so far, the mean loss since the last measure, and its curve since then."""
        self._add_point(self.games)
        games, updates, losses = self._curve.T
        self._curve = self._curve[:0]
        points = [[int(game), float(loss)] for game, loss in zip(games, losses / updates, strict=True)]
        mean = float(losses.sum() / updates.sum()) if points else None
        return {"updates": int(self._memories[0].totals[UPDATES]), "loss": mean, "losses": points}

    def init_from(self, parameters: Arrays) -> None:
        """Know the network of another; the memory is empty."""
        self._minds = [mind_of(self.kind, parameters) for _ in self._memories]

    def parameters(self) -> Arrays:
        """The learner's own network."""
        if not self._minds:
            raise LudusError("nothing was learned yet")
        return dict(parameters(self.kind, np.asarray(self._minds[0].network)))

    def arrays(self) -> Arrays:
        """The games and the moves that wait, the networks with their optimisers, the memories, the curve of losses."""
        held = super().arrays() | {"curve": self._curve}
        held |= {f"moves.{name}": array for name, array in self._moves._asdict().items()}
        for who, memory in enumerate(self._memories):
            held[f"memory{who}.rows"] = memory.rows[: memory.totals[STORED]]
            held[f"memory{who}.totals"] = memory.totals
        for who, mind in enumerate(self._minds):
            held |= {f"mind{who}.{name}": array for name, array in to_arrays(mind).items()}
        return held

    def restore(self, arrays: Arrays) -> None:
        """Go on from these."""
        super().restore(arrays)
        self._curve = arrays["curve"]
        self._moves = Moves(*(np.array(arrays[f"moves.{name}"]) for name in Moves._fields))
        for who, memory in enumerate(self._memories):
            rows = arrays[f"memory{who}.rows"]
            memory.rows[: len(rows)] = rows
            memory.totals[:] = arrays[f"memory{who}.totals"]
        kept = [_under(f"mind{who}.", arrays) for who in range(len(self._memories))]
        self._minds = [to_mind(self.kind, own) for own in kept if own]


def _rules(config: Dqn) -> Rules:
    return Rules(
        config.epsilon,
        config.gamma,
        config.win,
        config.loss,
        config.draw,
        config.illegal,
        config.margin,
        config.shaping,
        config.mask,
        config.explore is Explored.ALL,
        config.reply,
    )


def _under(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays whose names begin so, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
