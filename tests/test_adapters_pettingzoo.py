"""PettingZoo's own tests hold for every game and variant."""

import numpy as np
import pytest
from conftest import perft_entries
from pettingzoo.test import api_test, seed_test

from ludus.adapters.pettingzoo import LudusAec

GAMES = [entry["game"] for entry in perft_entries()]
CHANCE = "examples/pig.py(target=5)"

# Its test knows by name which environments may show a dict, as its own guide asks of those with masks.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo.test")


@pytest.mark.parametrize("game", [*GAMES, CHANCE])
def test_the_api_test_passes(game, capsys):
    api_test(LudusAec(game), num_cycles=5)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("game", [*GAMES, CHANCE])
def test_the_seed_test_passes(game):
    seed_test(lambda: LudusAec(game), num_cycles=5)


def test_the_mask_is_empty_for_the_agent_that_is_not_to_move():
    env = LudusAec("tic-tac-toe")
    env.reset()
    env.step(4)
    assert env.observe("player_1")["action_mask"].tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    assert not env.observe("player_0")["action_mask"].any()


def test_rewards_are_the_result_and_with_margin_the_score():
    rewards = {}
    for margin in (False, True):
        env = LudusAec("mancala(holes=1, stones=4)", margin=margin)
        env.reset()
        while env.agents and not env.terminations[env.agent_selection]:
            env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
        rewards[margin] = env.rewards["player_0"]
        assert env.rewards["player_1"] == -rewards[margin]
    assert rewards[False] == np.sign(rewards[True])


def test_an_action_that_is_not_allowed_loses():
    env = LudusAec("tic-tac-toe")
    env.reset()
    env.step(4)
    env.step(4)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
