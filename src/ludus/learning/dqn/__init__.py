"""Deep Q-learning with a replay buffer and a target network.

Mnih et al., "Human-level control through deep reinforcement learning", 2015; with `double`: van Hasselt, Guez and
Silver, "Deep reinforcement learning with double Q-learning", 2016. It differs in self-play and in n-step returns.
"""

from __future__ import annotations

import enum
import re
from typing import Annotated, Any, NamedTuple

import numpy as np

from ludus.agents.network import Highest
from ludus.compiled.randomness import new_state, stream_start
from ludus.errors import LudusError
from ludus.game import gives_shaping, num_actions
from ludus.learning.dqn import network, replay_buffer
from ludus.learning.dqn.network import NetworkSpec, TrainState, functions, new_train_state
from ludus.learning.dqn.replay_buffer import REPORTED, STORED, TRAINED, UPDATES, Floats, Ready, Settings
from ludus.learning.loop.episodes import LEARNER, OPPONENT, Ints, Setting
from ludus.learning.loop.lanes import ENDED, NOTHING, NUMBER, PLAYER, STATUS, LaneTrainer
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.restoring import Arrays, as_arrays, from_arrays, require, taken
from ludus.learning.loop.settings import RESULTS, RandomSide, Schedule, Starts, share_now
from ludus.networks.deep import check_fit, dense, require_numbers
from ludus.networks.inputs import num_inputs

_MOST = 1 << 24  # of anything that is counted here
_LARGEST = 1e30  # that a reward can be


class Layers(NamedTuple):
    """The units of each hidden layer, from the inputs on, written `100-150-100`."""

    sizes: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Layers:
        """Parses the sizes."""
        if not re.fullmatch(r"[0-9]{1,5}(-[0-9]{1,5})*", text) or "0" in text.split("-"):
            raise ValueError(f"write the units of each hidden layer, as in 100-150-100, not {text!r}")
        return cls(tuple(int(size) for size in text.split("-")))

    def __str__(self) -> str:
        return "-".join(map(str, self.sizes))


class Explored(enum.Enum):
    """The actions among which exploration chooses."""

    LEGAL = 0
    ALL = 1


class Slip(enum.Enum):
    """What the agent does if its highest output is illegal: the best legal action, a random one, or resign."""

    BEST = 0
    RANDOM = 1
    LOSE = 2


class Dqn(NamedTuple):
    """A deep Q-network that learns action values from a replay buffer."""

    hidden: Annotated[Layers, "The units of each hidden layer."] = Layers.parse("100-150-100")
    epsilon: Annotated[
        Schedule, "Probability of a random action: 0.1, 1..0.05@20000, 0.9/sqrt, or 0.5..0.01@results."
    ] = Schedule.parse("0.5/sqrt")
    gamma: Annotated[float, "Discount per own move."] = 0.9
    learning_rate: Annotated[Schedule, "Learning rate of Adam: 0.0001, or 0.001..0.0001@20000."] = Schedule.parse(
        "0.0001"
    )
    buffer: Annotated[int, "Transitions in the replay buffer."] = 10_000
    batch: Annotated[int, "Transitions per update."] = 128
    updates: Annotated[float, "Updates per move; lanes times this is a whole number."] = 1.0
    target_every: Annotated[int, "Copy the online network into the target network every N games."] = 20
    target_first: Annotated[int, "The game after which that is first done; 0: after N games."] = 0
    tau: Annotated[float, "Or move the target network by this factor at each update, with target_every=0."] = 0.0
    mask: Annotated[bool, "Choose among legal actions only; false: an illegal choice ends the game."] = True
    explore: Annotated[Explored, "Explore legal actions, or all with mask=false."] = Explored.LEGAL
    slip: Annotated[
        Slip, "What the agent does if its highest output is illegal: the best legal action, a random one, or resign."
    ] = Slip.BEST
    double: Annotated[bool, "Select the next action by the online network, and evaluate it by the target network."] = (
        False
    )
    n_step: Annotated[int, "Own moves before the target bootstraps (n-step return)."] = 1
    reply: Annotated[bool, "Bootstrap from the own next move; false: from the other side's, in self-play."] = True
    lanes: Annotated[int, "Games played in parallel."] = 1
    symmetry: Annotated[bool, "Treat positions that are equal up to symmetry as one."] = False
    starts: Annotated[Starts, "Start positions: the game's own, any reachable one, or both."] = Starts.OWN
    random_plies: Annotated[int, "Random opening plies, at most; learning starts after them."] = 0
    random_side: Annotated[RandomSide, "The side that plays them; any: one or both, at random."] = RandomSide.ANY
    win: Annotated[float, "The reward of a win."] = 1.0
    loss: Annotated[float, "The reward of a loss."] = -1.0
    draw: Annotated[float, "The reward of a draw."] = 0.0
    illegal: Annotated[float, "The reward of an illegal choice, with mask=false."] = -1.0
    margin: Annotated[bool, "Use the score as the reward."] = False
    shaping: Annotated[float, "Weight of the game's shaping rewards."] = 0.0

    def validate(self) -> None:
        """Raises ValueError for a number out of its range."""
        ranges = {
            "0 to 1": (("gamma", "tau"), 0, 1),
            f"1 to {_MOST}": (("buffer", "batch", "n_step", "lanes"), 1, _MOST),
            "0 or more": (("target_every", "random_plies"), 0, (1 << 31) - 1),
            "0 to target_every": (("target_first",), 0, self.target_every),
            "a finite number": (("win", "loss", "draw", "illegal", "shaping"), -_LARGEST, _LARGEST),
        }
        for words, (names, least, most) in ranges.items():
            for name in names:
                if not least <= getattr(self, name) <= most:
                    raise ValueError(f"{name} must be {words}, not {getattr(self, name)}")
        rate, updates = self.learning_rate, self.updates * self.lanes
        zero_sum = self.win == -self.loss and not self.draw and not self.shaping and self.n_step == 1 and self.mask
        problems = {
            f"buffer must be at least batch, {self.batch}, not {self.buffer}": self.buffer < self.batch,
            f"learning_rate must be above 0, always or from one number of games on, not {rate}": (
                not rate.start or rate.kind == RESULTS
            ),
            "the target network is copied every `target_every` games or moved by `tau`: set one of them": (
                (self.target_every == 0) == (self.tau == 0)
            ),
            "illegal actions are tried with mask=false only: explore=legal": self.mask and self.settings.explores_all,
            f"lanes times updates must be a whole number, not {updates:g}": not 1 <= updates <= _MOST or updates % 1,
            "without the reply a win is the other's loss: loss=-win, draw=0, shaping=0, n_step=1, mask=true": (
                not self.reply and not zero_sum
            ),
        }
        for problem, is_there in problems.items():
            if is_there:
                raise ValueError(problem)

    @property
    def shaped_by(self) -> tuple[str, ...]:
        """The settings that the shape of the network depends on."""
        return ("hidden",)

    @property
    def changeable(self) -> tuple[str, ...]:
        """The settings that may change during training."""
        return "epsilon", "learning_rate", "gamma"

    @property
    def has_network(self) -> bool:
        """JAX computes its network."""
        return True

    def trainer(self, game: Any, *, twin: bool = False) -> DqnTrainer:
        """A trainer for a game, with a twin if wanted."""
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return DqnTrainer(game, self, learners=2 if twin else 1)

    def agent(self, game: Any, parameters: Any) -> Highest:
        """The agent that plays the highest output; LudusError if the network does not fit the game."""
        check_fit(parameters, num_inputs(game), num_actions(game), type(game).__name__)
        slips, may_resign = self.slip is Slip.RANDOM, self.slip is Slip.LOSE
        return Highest(dense, parameters, slips=slips, may_resign=may_resign, canonical=self.symmetry)

    @property
    def settings(self) -> Settings:
        """The hyperparameters that compiled code reads."""
        explores_all = self.explore is Explored.ALL
        return Settings(self.epsilon, self.gamma, self.shaping, self.mask, explores_all, self.reply)

    def reward(self, score: int) -> float:
        """The reward of a game that ended with this score for the player."""
        return float(score if self.margin else self.win if score > 0 else self.loss if score < 0 else self.draw)


_POINT = 100  # games between two points of the loss curve
_DECAY = 0.99  # of the moving average of lost games: about the last hundred count
_APART = 1 << 63  # random streams of updates are numbered from here, those of games from 0


class DqnTrainer(LaneTrainer):
    """Deep Q-learning in progress; a twin has its own networks, replay buffer and optimiser."""

    def __init__(self, game: Any, config: Dqn, learners: int) -> None:
        super().__init__(game, config, config.lanes)
        inputs, outputs = num_inputs(game), num_actions(game)
        self.spec = NetworkSpec((inputs, *config.hidden.sizes, outputs), config.tau, config.double)
        self._states: list[TrainState] = []  # made when the seed is known, unless initialised from a run
        self._buffers = [replay_buffer.new_buffer(config.buffer, inputs, outputs) for _ in range(learners)]
        self._pending = replay_buffer.new_pending(config.lanes, config.n_step, inputs)
        self._curve = np.zeros((0, 3))  # games played, updates since the point before, and the sum of their losses
        updates = round(config.lanes * config.updates)
        self._batches = np.zeros((updates, config.batch, self._buffers[0].rows.shape[1]), np.float32)
        self._inputs = np.zeros((config.lanes, inputs), np.float32)
        self._stream = new_state()

    def learn(self, opponent: Any, setting: Setting, until: int, most: int = NEVER) -> bool:
        """Plays and learns; new networks are drawn by the seed before the first game."""
        if not self._states:
            self._states = [new_train_state(self.spec, [int(setting.key), who]) for who in range(len(self._buffers))]
        if not self.plies:  # compiles with a network that is thrown away, so that no game waits for it later
            functions(self.spec).update(new_train_state(self.spec, [0]), np.float32(0), self._batches, self._inputs)
        return super().learn(opponent, setting, until, most)

    def _act(self, setting: Setting) -> Ints:
        """Learns from the transitions that are complete now, and chooses the next actions."""
        ready = self.lanes.ready
        holders = setting.holders[self.lanes.state[ready, NUMBER] % 2, self.lanes.state[ready, PLAYER]]
        chosen = np.full(len(self.lanes.rows), NOTHING)
        for who in range(len(self._buffers)):
            if (holders == who).any():
                self._act_for(who, ready[holders == who], setting, chosen)
        return chosen

    def _act_for(self, who: int, lanes: Ints, setting: Setting, chosen: Ints) -> None:
        """The same for the learner or its twin, in the lanes in which it is to move."""
        inputs, outputs = self._seen(lanes, alike=self.config.symmetry)
        ready = Ready(lanes, inputs.reshape(len(lanes), -1), outputs)
        self_play = bool((setting.holders == LEARNER).all())
        parts = self.lanes, ready, self._pending
        self._run(replay_buffer.complete, *parts, self._buffers[who], self.config.settings, self_play)
        self._inputs[: len(lanes)] = ready.inputs
        values = self._update(who, setting)
        if values is None:
            values = np.asarray(functions(self.spec).values(self._states[who], self._inputs))
        require_numbers(values)
        self._run(replay_buffer.choose, self.game, self.game.start(), *parts, self.config.settings, values, chosen)

    def _update(self, who: int, setting: Setting) -> Floats | None:
        """Makes all updates that are due; returns the action values of the ready positions, None without updates."""
        values, rate = None, np.float32(share_now(self.config.learning_rate, self.games, 0.0))
        while self._sample(who, setting):
            self._states[who], found = functions(self.spec).update(self._states[who], rate, self._batches, self._inputs)
            values = np.asarray(found)  # waits, so that the batches can be overwritten
        return values

    def _sample(self, who: int, setting: Setting) -> bool:
        """Samples batches if there is a new transition for every lane, and enough of them in all."""
        buffer = self._buffers[who]
        if buffer.totals[STORED] < self.config.batch:
            buffer.totals[TRAINED] = buffer.totals[STORED]
        if buffer.totals[STORED] - buffer.totals[TRAINED] < self.config.lanes:
            return False
        key = np.uint64(stream_start(setting.key, _APART + who))
        self._run(replay_buffer.sample, buffer, key, self._stream, self._batches)
        buffer.totals[TRAINED] += self.config.lanes
        buffer.totals[UPDATES] += len(self._batches)
        return True

    def _finish(self, lane: int, setting: Setting) -> None:
        """Learns from the end of a game; a player learns nothing from an illegal action of the other."""
        pending, ended = self._pending, self.lanes.state[lane, STATUS] == ENDED
        illegal = pending.illegal[lane]
        for player, who in enumerate(setting.holders[self.lanes.state[lane, NUMBER] % 2].tolist()):
            own = int(-self.lanes.scores[lane] if player else self.lanes.scores[lane])
            if ended:
                pending.lost[player] = _DECAY * pending.lost[player] + (1 - _DECAY) * (own < 0)
            if who != OPPONENT and pending.number[lane, player]:
                reward = self.config.illegal if illegal == player else self.config.reward(own)
                learns = bool(ended and illegal in (NOTHING, player))
                buffer, settings = self._buffers[who], self.config.settings
                self._run(replay_buffer.finish, pending, lane, player, buffer, settings, reward, learns)
                self._update(who, setting)
        pending.illegal[lane] = NOTHING
        games = self.games + 1
        if self.config.target_every and (games - self.config.target_first) % self.config.target_every == 0:
            self._states = [functions(self.spec).sync(state) for state in self._states]
        if games % _POINT == 0:
            self._add_point(games)

    def _add_point(self, games: int) -> None:
        totals = self._buffers[0].totals
        if updates := totals[UPDATES] - totals[REPORTED]:
            point = games, updates, float(self._states[0].loss)
            if not np.isfinite(point[-1]):
                raise LudusError("the weights have diverged: use a smaller learning_rate")
            self._curve = np.vstack([self._curve, point])
            self._states[0] = self._states[0]._replace(loss=np.float32(0))
            totals[REPORTED] += updates

    def metrics(self) -> dict[str, Any]:
        """The number of updates, and since the last evaluation the mean loss and its curve."""
        self._add_point(self.games)
        games, updates, losses = self._curve.T
        self._curve = self._curve[:0]
        points = [[int(game), float(loss)] for game, loss in zip(games, losses / updates, strict=True)]
        mean = float(losses.sum() / updates.sum()) if points else None
        return {"updates": int(self._buffers[0].totals[UPDATES]), "loss": mean, "losses": points}

    def init_from(self, parameters: Arrays) -> None:
        """Starts with this network; the replay buffer is empty."""
        self._states = [network.initial_state(parameters) for _ in self._buffers]

    def parameters(self) -> Arrays:
        """The learner's online network."""
        if not self._states:
            raise LudusError("nothing was learned yet")
        return dict(network.layers_of(self.spec, np.asarray(self._states[0].online)))

    def arrays(self) -> Arrays:
        """The games, pending transitions, train states, replay buffers and the loss curve."""
        held = super().arrays() | {"curve": self._curve} | as_arrays("pending", self._pending)
        for who, buffer in enumerate(self._buffers):
            held[f"buffer{who}.rows"] = buffer.rows[: buffer.totals[STORED]]
            held[f"buffer{who}.totals"] = buffer.totals
        for who, state in enumerate(self._states):
            held |= {f"network{who}.{name}": array for name, array in network.to_arrays(state).items()}
        return held

    def restore(self, arrays: Arrays) -> None:
        """Restores the state that `arrays` gave."""
        super().restore(arrays)
        self._curve = taken(arrays, "curve", self._curve, grows=True)
        self._pending = from_arrays("pending", self._pending, arrays)
        require("pending.number", self._pending.number, 0, self.config.n_step + 1)
        require("pending.actions", self._pending.actions, 0, self.spec.sizes[-1])
        require("pending.illegal", self._pending.illegal, NOTHING, 2)
        for who, buffer in enumerate(self._buffers):
            rows = taken(arrays, f"buffer{who}.rows", buffer.rows, grows=True)
            totals = taken(arrays, f"buffer{who}.totals", buffer.totals)
            require(f"buffer{who}.totals", totals, 0, NEVER)
            new = totals[STORED : STORED + 1] - totals[TRAINED]
            require(f"buffer{who}.totals", new, 0, self.config.lanes * (self.config.n_step + 2))
            if len(rows) != min(totals[STORED], len(buffer.rows)):
                raise LudusError(f"the array buffer{who}.totals does not count the {len(rows)} rows of its buffer")
            buffer.rows[: len(rows)], buffer.totals[:] = rows, totals
        if any(name.startswith("network") for name in arrays):  # it has been drawn
            like = network.to_arrays(new_train_state(self.spec, [0]))
            self._states = [
                network.from_arrays({name: taken(arrays, f"network{who}.{name}", one) for name, one in like.items()})
                for who in range(len(self._buffers))
            ]
