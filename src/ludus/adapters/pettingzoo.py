"""PettingZoo: a game of Ludus as an environment of two agents that move one after another (AEC)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ludus import face
from ludus.adapters import Allowed, Seen, allowed, missing, seen
from ludus.agents.agent import score_of_resigning
from ludus.catalog import make_game
from ludus.compiled.masks import has, is_empty
from ludus.compiled.randomness import new_state, stream_key
from ludus.game import CHANCE, first_player, max_plies, num_actions
from ludus.playout import random_action

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise missing("pettingzoo") from error

from ludus.adapters.gymnasium import observation_space

AGENTS = ("player_0", "player_1")
Observation = dict[str, Seen | Allowed]


class LudusAec(AECEnv[str, Observation, Any]):
    """A game for two outside agents; the reward, at the end, is 1, 0 or -1, or with `margin` the score.

    An observation holds what the game observes, alike for both agents, and the `action_mask`, empty for the one who is
    not to move. CHANCE is played by the environment. An action that is not allowed loses, as resigning does. A game of
    `max_plies` is truncated.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "ludus_v0",
        "is_parallelizable": False,
        "render_modes": ["ansi"],
        "render_fps": 1,
    }

    def __init__(self, game: Any, *, margin: bool = False, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = make_game(game) if isinstance(game, str) else game
        self.margin, self.render_mode = margin, render_mode
        self.possible_agents = list(AGENTS)
        size = num_actions(self.game)
        self.action_spaces = {agent: spaces.Discrete(size) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": observation_space(self.game), "action_mask": spaces.Box(0, 1, (size,), np.int8)}
            )
            for agent in AGENTS
        }
        self._stream = new_state()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent may see."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent may do, somewhere."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; without a seed the random numbers continue."""
        if seed is not None:
            self._stream[0] = stream_key(seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._pos, self._plies = self.game.start(), 0
        self._play_chance()

    def step(self, action: Any) -> None:
        """Play an action of the agent to move; None when its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._is_over() or (0 <= action < num_actions(self.game) and has(self.game.legal(self._pos), int(action))):
            self._play(int(action))
        else:
            self._end(score_of_resigning(self.game, self._pos))
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What an agent sees now."""
        turn = agent == self.agent_selection and not self.terminations[agent] and not self.truncations[agent]
        legal = allowed(self.game, self._pos)
        return {"observation": seen(self.game, self._pos), "action_mask": legal if turn else np.zeros_like(legal)}

    def render(self) -> str:
        """The board as text."""
        return face.board(self.game, self._pos)

    def close(self) -> None:
        """Nothing is open."""

    def _is_over(self) -> bool:
        return is_empty(self.game.legal(self._pos)) or self._plies >= (max_plies(self.game) or self._plies + 1)

    def _play(self, action: int) -> None:
        """Play an action, unless the game was over before anybody could move, and report whether it is over now."""
        if not self._is_over():
            self._pos, self._plies = self.game.play(self._pos, action), self._plies + 1
            self._play_chance()
        if is_empty(self.game.legal(self._pos)):
            self._end(self.game.score(self._pos))
        elif self._is_over():
            self.truncations = dict.fromkeys(AGENTS, True)

    def _play_chance(self) -> None:
        """Let CHANCE play until an agent is to move or the game ends."""
        while not self._is_over() and self.game.player(self._pos) == CHANCE:
            action = random_action(self.game, self._pos, self.game.legal(self._pos), self._stream)
            self._pos, self._plies = self.game.play(self._pos, action), self._plies + 1
        self.agent_selection = AGENTS[first_player(self.game, self._pos)]

    def _end(self, score: int) -> None:
        """Report the result to both."""
        own = float(score if self.margin else np.sign(score))
        self.rewards = {AGENTS[0]: own, AGENTS[1]: -own}
        self.terminations = dict.fromkeys(AGENTS, True)
