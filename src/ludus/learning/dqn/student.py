"""Deep Q-learning: what each action is worth, told by a network that learns from moves drawn out of its memory.

Mnih et al., "Human-level control through deep reinforcement learning", Nature 518 (2015), as the Toads and Frogs paper
uses it: an own move and the reply are one step; after each the network learns from a batch of remembered ones. What
differs from the paper, and what the paper's text and its program differ in, is a setting (docs/learners/dqn.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.learning.dqn.choice import choose_moves
from ludus.learning.dqn.config import Dqn, Explored
from ludus.learning.dqn.memory import PAID, STORED, TOLD, UPDATES, Floats, draw_rows, new_memory
from ludus.learning.dqn.mind import Kind, Mind, functions, mind_of, new_mind, parameters, to_arrays, to_mind
from ludus.learning.dqn.moves import Moves, Rules, end_moves, new_moves, remember
from ludus.learning.lane_student import LaneStudent
from ludus.learning.lanes import ENDED, NOTHING, NUMBER, PLAYER, STATUS
from ludus.learning.lesson import LEARNER, OPPONENT, Ints, Setting
from ludus.learning.schedules import share_now
from ludus.learning.student import Arrays
from ludus.networks.inputs import num_inputs
from ludus.randomness import new_state, stream_start

_POINT = 100  # games between two points of the curve of losses
_MEMORY = 0.99  # of the share of lost games: about the last hundred count
_APART = 1 << 63  # the numbers of streams that no game has begin here


class DqnStudent(LaneStudent):
    """Deep Q-learning at work; a twin has a network, a memory and an optimiser of its own."""

    def __init__(self, game: Any, config: Dqn, minds: int) -> None:
        super().__init__(game, config, config.lanes)
        inputs, outputs = num_inputs(game), num_actions(game)
        self.kind = Kind((inputs, *config.hidden.sizes, outputs), config.soft, config.double)
        self._minds: list[Mind] = []  # made when the seed is known, unless it begins with what another has learned
        self._memories = [new_memory(config.buffer, inputs, outputs) for _ in range(minds)]
        self._moves = new_moves(config.lanes, config.steps, inputs)
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
        if not self.turns:
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
        worth, rate = None, np.float32(share_now(self.config.rate, self.games, 0.0))
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
        if self.config.target and games % self.config.target == 0:
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

    def measures(self) -> dict[str, Any]:
        """The updates so far, the mean loss since the last measure, and its curve since then."""
        self._add_point(self.games)
        games, updates, losses = self._curve.T
        self._curve = self._curve[:0]
        points = [[int(game), float(loss)] for game, loss in zip(games, losses / updates, strict=True)]
        mean = float(losses.sum() / updates.sum()) if points else None
        return {"updates": int(self._memories[0].totals[UPDATES]), "loss": mean, "losses": points}

    def begin(self, knowledge: Arrays) -> None:
        """Know the network of another; the memory is empty."""
        self._minds = [mind_of(self.kind, knowledge) for _ in self._memories]

    def knowledge(self) -> Arrays:
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
