"""Games as Gymnasium environments: one outside player against an agent of Ludus, in one game or many at once.

`gymnasium.make("ludus.adapters.gymnasium:Ludus-v0", game="tic-tac-toe", opponent="perfect")` makes one. The compiled
code that training uses plays the games.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.adapters import Allowed, Seen, look_around, missing, seen_shape, seen_type
from ludus.agents.agent import agent_for, has_memory, is_compiled, score_of_resigning
from ludus.agents.program import Program
from ludus.arena import Seats
from ludus.catalog import make_agent, make_game
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import has
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import first_player, gives_observe, max_plies, num_actions
from ludus.learning.loop.episodes import BOTH, LEARNER, OPPONENT, Ints, Setting
from ludus.learning.loop.lanes import ENDED, IDLE, NOTHING, NUMBER, READY, STATUS, STOPPED, LaneRunner, Lanes, new_lanes
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden

_NEVER = 1 << 62


class Step(NamedTuple):
    """The outcome of a step in each game: rewards of the outside player, and whether the game ended or was cut."""

    rewards: npt.NDArray[np.float64]
    ended: npt.NDArray[np.bool_]
    cut: npt.NDArray[np.bool_]


class Batch(LaneRunner):
    """Games side by side; the next one starts a step after the end of the last.

    The random numbers of a game, for the opponent and for CHANCE, come from the key and its number. An illegal action
    loses, as resigning does.
    """

    def __init__(self, game: Any, opponent: Any, seat: str, size: int, *, margin: bool) -> None:
        super().__init__(game, size)
        self.margin, self.begun = margin, False
        self.opponent = agent_for(make_agent(opponent) if isinstance(opponent, str) else opponent, game)
        if has_memory(self.opponent) and size > 1:
            raise LudusError("an opponent that remembers plays one game at a time")
        self._holders = _holders(game, seat)
        self._size, self._forbidden = size, forbidden(game, Bans(()))

    def reset(self, key: np.uint64 | None) -> None:
        """Start a game in every lane: the first ones of a key, or the next ones without a key."""
        if key is not None:
            asks = not is_compiled(self.opponent)
            cap = max_plies(self.game) or _NEVER
            self._setting = Setting(self._holders, key, cap, 0, BOTH, asks, self._forbidden)
            self.lanes = new_lanes(self.game, self._size)
            self.begun = True
        self.lanes.state[:, STATUS] = IDLE
        self._reported = np.zeros(self._size, np.bool_)
        self._advance(self.opponent, self._setting, np.full(self._size, NOTHING))

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play an action in each game; where an end was reported, the next game starts instead."""
        status = self.lanes.state[:, STATUS]
        chosen = np.array(actions, np.int64)
        self._run(refuse, self.game, self.game.start(), self.lanes, chosen)
        status[self._reported] = IDLE
        self._advance(self.opponent, self._setting, chosen)
        self._reported = (status >= ENDED) & ~self._reported
        rewards = np.where(self._reported, self._rewards(), 0.0)
        return Step(rewards, self._reported & (status == ENDED), self._reported & (status == STOPPED))

    def shown(self) -> tuple[Seen, Allowed]:
        """The observation and the legal actions of each game, none where it is over."""
        rows, size = self.lanes.rows, self._size
        legal = np.zeros((size, num_actions(self.game)), np.int8)
        out = np.zeros((size, *seen_shape(self.game)), np.float32)
        self._run(look_around, self.game, self.game.start(), rows, out, legal)
        legal[self.lanes.state[:, STATUS] >= ENDED] = 0
        return (out if gives_observe(self.game) else rows.copy()), legal

    def position(self, number: int = 0) -> Any:
        """The position of a game."""
        return self.lanes.position(self.game, number)

    def close(self) -> None:
        """End the opponent, if it is an outside program."""
        if isinstance(self.opponent, Program):
            self.opponent.close()

    def _rewards(self) -> npt.NDArray[np.float64]:
        """The score of each finished game for the outside player; 0 if it was cut."""
        second = self._holders[self.lanes.state[:, NUMBER] % 2, 1] == LEARNER
        own = np.where(second, -self.lanes.scores, self.lanes.scores)
        return (own if self.margin else np.sign(own)).astype(np.float64)


def _holders(game: Any, seat: str) -> Ints:
    """Who plays each seat in even and in odd games."""
    if seat not in [member.value for member in Seats]:
        raise LudusError(f"seat must be {', '.join(member.value for member in Seats)}, not {seat!r}")
    begins = np.full(2, OPPONENT)
    begins[first_player(game)] = LEARNER
    follows = begins[::-1]
    even, odd = {"first": (begins, begins), "second": (follows, follows), "alternate": (begins, follows)}[seat]
    return np.array([even, odd])


@kernel
def refuse(game: Any, like: Any, lanes: Lanes, chosen: Ints) -> None:
    """End games in which the action of `chosen` [lanes] is illegal, and choose NOTHING where a game is over."""
    for lane in range(len(chosen)):
        if lanes.state[lane, STATUS] == READY:
            pos, action = unpack(like, lanes.rows[lane]), chosen[lane]
            if 0 <= action < num_actions(game) and has(game.legal(pos), action):
                continue
            lanes.scores[lane] = score_of_resigning(game, pos)
            lanes.state[lane, STATUS] = ENDED
        chosen[lane] = NOTHING


try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise missing("gymnasium") from error


Infos = dict[str, Any]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def observation_space(game: Any) -> spaces.Box:
    """The space of observations, without bounds, since games state none."""
    if (kind := seen_type(game)) is np.int64:
        return spaces.Box(np.iinfo(np.int64).min, np.iinfo(np.int64).max, seen_shape(game), np.int64)
    return spaces.Box(-np.inf, np.inf, seen_shape(game), kind)


class LudusEnv(gymnasium.Env[Seen, np.int64]):
    """A game against any agent of Ludus; the reward, at the end, is 1, 0 or -1, or with `margin` the score.

    game, opponent: as written for every command, or objects; seat: first, second or alternate. `action_masks()`, which
    MaskablePPO calls, and `info["action_mask"]` give the legal actions. An illegal action loses. A game of `max_plies`
    is truncated.
    """

    metadata: ClassVar[Infos] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: Any = "tic-tac-toe",
        opponent: Any = "random",
        seat: str = "first",
        *,
        margin: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.game = make_game(game) if isinstance(game, str) else game
        self._batch = Batch(self.game, opponent, seat, 1, margin=margin)
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(num_actions(self.game))
        self.render_mode = render_mode
        self._legal: Allowed = np.zeros(num_actions(self.game), np.int8)

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Seen, Infos]:
        """Start the next game; without a seed the sequence of games continues."""
        super().reset(seed=seed)
        self._batch.reset(_key(self, seed))
        return self._shown()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, Infos]:
        """Play an action, until the learner is to move again."""
        rewards, ended, cut = self._batch.step([action])
        seen, info = self._shown()
        return seen, float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def action_masks(self) -> Bools:
        """The legal actions."""
        return np.asarray(self._legal, np.bool_)

    def render(self) -> str:
        """The board as text."""
        return face.board(self.game, self._batch.position())

    def close(self) -> None:
        """End the opponent, if it is an outside program."""
        self._batch.close()

    def _shown(self) -> tuple[Seen, Infos]:
        seen, legal = self._batch.shown()
        self._legal = legal[0]
        return seen[0], {"action_mask": self._legal.copy()}


class LudusVectorEnv(VectorEnv[Seen, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games like those of `LudusEnv` at once, compiled; random numbers depend on the seed, not on the lane."""

    metadata: ClassVar[Infos] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: Any = "tic-tac-toe",
        opponent: Any = "random",
        seat: str = "first",
        *,
        num_envs: int,
        margin: bool = False,
    ) -> None:
        if num_envs < 1:
            raise LudusError(f"num_envs must be 1 or more, not {num_envs}")
        self.game, self.num_envs = make_game(game) if isinstance(game, str) else game, num_envs
        self._batch = Batch(self.game, opponent, seat, num_envs, margin=margin)
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(num_actions(self.game))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Seen, Infos]:
        """Start a game in every lane; without a seed the sequence of games continues."""
        super().reset(seed=seed)
        self._batch.reset(_key(self, seed))
        return self._shown()

    def step(self, actions: npt.ArrayLike) -> tuple[Seen, Floats, Bools, Bools, Infos]:
        """Play an action in each game; where one was over, the next starts and the action is ignored."""
        step = self._batch.step(actions)
        seen, infos = self._shown()
        return seen, *step, infos

    def action_masks(self) -> Bools:
        """The legal actions, a row a game."""
        return np.asarray(self._legal, np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """End the opponent, if it is an outside program."""
        self._batch.close()

    def _shown(self) -> tuple[Seen, Infos]:
        seen, self._legal = self._batch.shown()
        return seen, {"action_mask": self._legal.copy(), "_action_mask": np.ones(self.num_envs, np.bool_)}


def _key(env: LudusEnv | LudusVectorEnv, seed: int | None) -> np.uint64 | None:
    """The key of the random numbers; None to continue the sequence of games."""
    if seed is None and env._batch.begun:
        return None
    return np.uint64(env.np_random.integers(1 << 64, dtype=np.uint64))


gymnasium.register(
    "Ludus-v0",
    entry_point="ludus.adapters.gymnasium:LudusEnv",
    vector_entry_point="ludus.adapters.gymnasium:LudusVectorEnv",
)
