"""Gymnasium's own check holds, and many games at once are the games that single environments play."""

import gymnasium
import numpy as np
import pytest
from conftest import perft_entries
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

from ludus import LudusError
from ludus.adapters.gymnasium import LudusEnv, LudusVectorEnv

SOME = [
    "tic-tac-toe",
    "mancala(holes=3, stones=2)",
    "toads-and-frogs(toads=0, gaps=2, frogs=2)",
    "tests/user_games/nim.py",
]

GAMES = [entry["game"] for entry in perft_entries()]
# Without compiling, NumPy's numbers, as actions are here, overflow where a mask of 63 bits is made by 1 << 63.
WIDE = [game for game in GAMES if game.startswith("mancala(holes=8")]

# No game says how large the numbers are that it observes.
unbounded = pytest.mark.filterwarnings("ignore:.*(infinity|not having a spec).*:UserWarning")


def first_allowed(info):
    return info["action_mask"].argmax(axis=-1)


@unbounded
@pytest.mark.parametrize("seat", ["first", "second", "alternate"])
@pytest.mark.parametrize("game", SOME)
def test_check_env_passes(plain, game, seat):
    check_env(LudusEnv(game, "random", seat))


@unbounded
@pytest.mark.parametrize("game", [game for game in GAMES if game not in WIDE])
def test_check_env_passes_for_every_game_and_variant(plain, game):
    check_env(LudusEnv(game, "random", "alternate"))


@unbounded
@pytest.mark.slow
@pytest.mark.parametrize("game", WIDE)
def test_check_env_passes_for_the_widest_boards(game):
    check_env(LudusEnv(game, "random", "alternate"))


@unbounded
def test_check_env_passes_with_rendering(plain):
    name = "ludus.adapters.gymnasium:Ludus-v0"
    check_env(gymnasium.make(name, game="tic-tac-toe", render_mode="ansi").unwrapped)


@pytest.mark.parametrize("seat", ["first", "second"])
def test_many_games_are_what_single_environments_play(either, seat):
    many = LudusVectorEnv("tic-tac-toe", "first", seat, num_envs=3)
    single = SyncVectorEnv([lambda: LudusEnv("tic-tac-toe", "first", seat)] * 3)
    (seen, infos), (others, _) = many.reset(seed=1), single.reset(seed=1)
    draw = np.random.default_rng(0)
    for _ in range(40):
        actions = [draw.choice(np.flatnonzero(row)) if row.any() else 0 for row in infos["action_mask"]]
        seen, *reported, infos = many.step(actions)
        others, *likewise, _ = single.step(np.array(actions))
        assert np.array_equal(seen, others)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(reported, likewise, strict=True))


def test_one_lane_plays_the_games_of_a_single_environment(plain):
    many, single = LudusVectorEnv("tic-tac-toe", num_envs=1), SyncVectorEnv([lambda: LudusEnv("tic-tac-toe")])
    infos, _ = many.reset(seed=1)[1], single.reset(seed=1)
    for _ in range(60):
        actions = first_allowed(infos)
        seen, rewards, *_, infos = many.step(actions)
        others, likewise, *_ = single.step(actions)
        assert np.array_equal(seen, others)
        assert rewards == likewise


def test_masks_are_what_is_legal(plain):
    env = LudusEnv("tic-tac-toe", "first", "second")
    env.reset(seed=0)
    assert env.action_masks().tolist() == [False] + [True] * 8


def test_an_action_that_is_not_allowed_loses(plain):
    env = LudusEnv("tic-tac-toe", "first", "second")
    env.reset(seed=0)
    assert env.step(0)[1:4] == (-1.0, True, False)


def test_the_reward_is_the_result_and_with_margin_the_score(plain):
    rewards = []
    for margin in (False, True):
        env = LudusEnv("mancala(holes=3, stones=2)", "last", margin=margin)
        info, over = env.reset(seed=0)[1], False
        while not over:
            _, reward, over, _, info = env.step(int(first_allowed(info)))
        rewards.append(reward)
    assert rewards[0] == np.sign(rewards[1])
    assert abs(rewards[1]) > 1


def test_a_game_of_max_plies_is_truncated(plain):
    env = LudusEnv("tapnswap", "last")  # who swaps for ever
    info, over, steps = env.reset(seed=0)[1], False, 0
    while not over:
        _, reward, ended, cut, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        over, steps = ended or cut, steps + 1
    assert (ended, cut, reward, steps) == (False, True, 0, 50)


def test_a_wrong_seat_says_what_is_allowed():
    with pytest.raises(LudusError, match="seat must be first, second, alternate, not 'third'"):
        LudusEnv(seat="third")


def test_no_lanes_are_refused():
    with pytest.raises(LudusError, match="num_envs must be 1 or more, not 0"):
        LudusVectorEnv(num_envs=0)


@pytest.mark.parametrize(
    ("module", "library"),
    [
        ("gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo"),
        ("open_spiel", "pyspiel"),
        ("from_open_spiel", "pyspiel"),
    ],
)
def test_a_missing_library_is_named_by_its_extra(fresh_python, module, library):
    extra = "open_spiel" if library == "pyspiel" else library
    code = f"import sys; sys.modules['{library}'] = None\ntry:\n    import ludus.adapters.{module}\n"
    reported = fresh_python(code + "except Exception as error:\n    print(type(error).__name__, error)")
    assert reported == f"LudusError {extra} is not installed: pip install 'ludus[{extra}]'"
