"""Gymnasium: one outside learner against an opponent of Ludus, in one game at a time or in many.

`gymnasium.make("ludus.adapters.gymnasium:Ludus-v0", game="tic-tac-toe")` makes the same as `LudusEnv("tic-tac-toe")`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.adapters.batch import Batch
from ludus.adapters.extras import missing
from ludus.adapters.shown import Allowed, Seen, seen_shape, seen_type
from ludus.catalog import make_game
from ludus.errors import LudusError
from ludus.game import num_actions

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
    """All that can be seen of a position: without bounds, as no game says how large its numbers are."""
    if (kind := seen_type(game)) is np.int64:
        return spaces.Box(np.iinfo(np.int64).min, np.iinfo(np.int64).max, seen_shape(game), np.int64)
    return spaces.Box(-np.inf, np.inf, seen_shape(game), kind)


class LudusEnv(gymnasium.Env[Seen, np.int64]):
    """A game against any agent of Ludus; the reward, at the end, is 1, 0 or -1, or with `margin` the score.

    game, opponent: as they are written for every command, or as objects; seat: first, second or alternate. Which
    actions are allowed is told by `action_masks()`, as MaskablePPO asks it, and as `info["action_mask"]`. An action
    that is not allowed loses. A game of `max_plies` is truncated.
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
        """Begin the next game; without a seed the games of the last one go on."""
        super().reset(seed=seed)
        self._batch.reset(_key(self, seed))
        return self._shown()

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, Infos]:
        """Play an action, and on until the learner is to move again."""
        rewards, ended, cut = self._batch.step([action])
        seen, info = self._shown()
        return seen, float(rewards[0]), bool(ended[0]), bool(cut[0]), info

    def action_masks(self) -> Bools:
        """Which actions are allowed now."""
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
    """Many games like those of `LudusEnv` at once, by compiled code; one that is over is followed by the next.

    Its random numbers follow from the seed and from the order in which games begin, not from the lane of a game.
    """

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
        """Begin a game everywhere; without a seed the games of the last one go on."""
        super().reset(seed=seed)
        self._batch.reset(_key(self, seed))
        return self._shown()

    def step(self, actions: npt.ArrayLike) -> tuple[Seen, Floats, Bools, Bools, Infos]:
        """Play an action in each game; where one was over, the next begins and the action is not looked at."""
        told = self._batch.step(actions)
        seen, infos = self._shown()
        return seen, *told, infos

    def action_masks(self) -> Bools:
        """Which actions are allowed now, a row for each game."""
        return np.asarray(self._legal, np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """End the opponent, if it is an outside program."""
        self._batch.close()

    def _shown(self) -> tuple[Seen, Infos]:
        seen, self._legal = self._batch.shown()
        return seen, {"action_mask": self._legal.copy(), "_action_mask": np.ones(self.num_envs, np.bool_)}


def _key(env: LudusEnv | LudusVectorEnv, seed: int | None) -> np.uint64 | None:
    """What the random numbers of the games follow from; None for the games to go on."""
    if seed is None and env._batch.begun:
        return None
    return np.uint64(env.np_random.integers(1 << 64, dtype=np.uint64))


gymnasium.register(
    "Ludus-v0",
    entry_point="ludus.adapters.gymnasium:LudusEnv",
    vector_entry_point="ludus.adapters.gymnasium:LudusVectorEnv",
)
