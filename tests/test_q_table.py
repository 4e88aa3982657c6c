"""Q-learning with a table: updates worked out by hand, what is counted and refused, and the agent that comes of it."""

from typing import NamedTuple

import numpy as np
import pytest
from trained import learned, trained

import ludus
from ludus import CHANCE, face
from ludus.agents.agent import probabilities
from ludus.agents.policies import policies_of
from ludus.catalog import make_learner
from ludus.compiled.masks import actions
from ludus.errors import LudusError

FOX = "fox-and-hounds(size=4)"
TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
GREEDY = "epsilon=0, ties=first"


# ---- by hand ----


class Heap(NamedTuple):
    left: int
    turn: int


class TakeTwo(NamedTuple):
    """Take one (action 0) or two from a heap; who takes the last wins."""

    heap: int = 3

    num_actions = 2

    def start(self):
        return Heap(self.heap, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return (1 << min(pos.left, 2)) - 1

    def play(self, pos, action):
        return Heap(pos.left - action - 1, 1 - pos.turn)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1


class Spot(NamedTuple):
    place: int


class Walk(NamedTuple):
    """Player 0 alone takes one step after another, and scores at the last; action 1 is never allowed."""

    length: int = 2
    points: int = 1

    num_actions = 2

    def start(self):
        return Spot(0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return pos.place < self.length

    def play(self, pos, action):
        return Spot(pos.place + 1)

    def score(self, pos):
        return self.points

    def shaping(self, pos):
        return 0.25 * (pos.place == 1)


class Stay(NamedTuple):
    """Player 0 may stay (action 0), for an extra reward, or end the game."""

    num_actions = 2

    def start(self):
        return Spot(0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return 0 if pos.place else 0b11

    def play(self, pos, action):
        return Spot(action)

    def score(self, pos):
        return 0

    def shaping(self, pos):
        return float(pos.place == 0)


class Fall(NamedTuple):
    """CHANCE and player 0 take turns to step down; each step of CHANCE has an extra reward, which nobody earned."""

    num_actions = 1

    def start(self):
        return Spot(4)

    def player(self, pos):
        return 0 if pos.place % 2 else CHANCE

    def legal(self, pos):
        return pos.place > 0

    def odds(self, pos, action):
        return 1

    def play(self, pos, action):
        return Spot(pos.place - 1)

    def score(self, pos):
        return 0

    def shaping(self, pos):
        return float(pos.place % 2)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("games", "expected"),
    [
        (1, {(3, 0): {0: (0.0, 1)}, (2, 1): {0: (-0.5, 1)}, (1, 0): {0: (0.5, 1)}}),
        (2, {(3, 0): {0: (-0.5, 2)}, (2, 1): {0: (-0.5, 1), 1: (0.5, 1)}, (1, 0): {0: (0.5, 1)}}),
        (
            4,
            {
                (3, 0): {0: (-0.75, 3), 1: (-0.5, 1)},
                (2, 1): {0: (-0.5, 1), 1: (0.75, 2)},
                (1, 0): {0: (0.5, 1)},
                (1, 1): {0: (0.5, 1)},
            },
        ),
    ],
)
def test_each_side_learns_from_its_move_and_the_reply_as_worked_out_by_hand(games, expected):
    found = learned(trained(TakeTwo(), f"q-table({GREEDY}, alpha=0.5, gamma=0.9)", games=games))
    assert {tuple(pos): known for (_, pos), known in found.items()} == expected


@pytest.mark.usefixtures("plain")
def test_a_rate_of_one_over_n_makes_the_mean_of_what_was_seen():
    found = learned(trained(TakeTwo(), f"q-table({GREEDY})", games=3))
    assert found[0, Heap(3, 0)] == {0: (-0.5, 2), 1: (-1.0, 1)}  # of 0, with nothing known yet, and of a loss


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("games", "expected"), [(1, [0.0, 0.0, 1.0]), (2, [0.0, 0.5, 1.0]), (3, [0.25, 0.5, 1.0]), (9, [0.25, 0.5, 1.0])]
)
def test_a_reward_comes_back_by_one_own_move_a_game_discounted_by_gamma_each_time(games, expected):
    found = learned(trained(Walk(length=3), f"q-table({GREEDY}, alpha=1, gamma=0.5)", games=games))
    assert [found[0, Spot(place)][0][0] for place in range(3)] == expected


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("over", "expected"), [("legal", -0.5), ("all", 0.0)])
def test_the_best_next_action_may_be_an_illegal_one_only_if_over_is_all(over, expected):
    learner = f"q-table({GREEDY}, alpha=1, gamma=0.5, max_over={over})"
    found = learned(trained(Walk(points=-1), learner, games=2))
    assert found[0, Spot(0)] == {0: (expected, 2)}


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("points", "words", "expected"),
    [
        (3, "", 1.0),
        (-3, "", -1.0),
        (0, "", 0.0),
        (3, "win=5", 5.0),
        (-3, "loss=-7", -7.0),
        (0, "draw=0.5", 0.5),
        (3, "margin=true, win=5", 3.0),
    ],
)
def test_results_have_the_given_rewards(points, words, expected):
    learner = f"q-table({', '.join(part for part in (GREEDY, words) if part)})"
    assert learned(trained(Walk(1, points), learner, games=1))[0, Spot(0)] == {0: (expected, 1)}


@pytest.mark.usefixtures("plain")
def test_extra_rewards_go_to_the_player_who_moved_and_are_paid_once():
    found = learned(trained(Walk(), f"q-table({GREEDY}, alpha=1, gamma=0.5, shaping=1)", games=2))
    assert (found[0, Spot(0)], found[0, Spot(1)]) == ({0: (0.75, 2)}, {0: (1.0, 2)})


@pytest.mark.usefixtures("plain")
def test_a_position_that_comes_back_is_played_by_what_was_just_learned_of_it():
    found = learned(trained(Stay(), f"q-table({GREEDY}, alpha=1, gamma=0.5, shaping=1)", games=1, cap=3))
    assert found == {(0, Spot(0)): {0: (1.5, 2)}}  # the targets of staying: 1, then 1 + 0.5 * 1


@pytest.mark.usefixtures("plain")
def test_looking_back_one_game_teaches_all_of_its_moves():
    found = learned(trained(Walk(length=3), f"q-table({GREEDY}, alpha=1, gamma=0.5, backward=true)", games=1))
    assert [found[0, Spot(place)][0] for place in range(3)] == [(0.25, 1), (0.5, 1), (1.0, 1)]


@pytest.mark.usefixtures("plain")
def test_a_long_game_is_looked_back_on_in_full():
    found = learned(trained(Walk(length=700), f"q-table({GREEDY}, alpha=1, backward=true)", games=1))
    assert [found[0, Spot(place)][0] for place in range(700)] == [(1.0, 1)] * 700


@pytest.mark.usefixtures("plain")
def test_nobody_is_rewarded_for_what_chance_did():
    found = learned(trained(Fall(), f"q-table({GREEDY}, shaping=1)", games=1))
    assert found == {(0, Spot(3)): {0: (0.0, 1)}, (0, Spot(1)): {0: (0.0, 1)}}


@pytest.mark.usefixtures("plain")
def test_a_game_that_was_cut_teaches_nothing_of_its_end():
    training = trained(Walk(length=3), f"q-table({GREEDY}, alpha=1)", games=1, cap=2)
    assert learned(training) == {(0, Spot(0)): {0: (0.0, 1)}}
    assert training.trainer.episode.results.tolist() == [[0, 0, 0, 1]] * 2  # it plays both sides


# ---- what is counted ----


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", ["q-table", "q-table(tables=roles)"])
@pytest.mark.parametrize("game", ["tic-tac-toe", FOX], ids=["hashed", "indexed"])
def test_the_visited_positions_are_those_that_were_updated(game, learner):
    training = trained(game, learner, games=30)
    by_table = [table for table, _ in learned(training)]
    assert training.trainer.metrics()["visited"] == [by_table.count(table) for table in range(training.learner.roles)]
    assert training.lines[-1]["visited"] == training.trainer.metrics()["visited"]


@pytest.mark.usefixtures("plain")
def test_roles_halve_the_index_of_fox_and_hounds():
    full, halved = (
        trained(FOX, f"q-table(tables={name})", games=1).trainer.store.entries for name in ("shared", "roles")
    )
    assert full.values.shape[:2] == (1, 28 * 6 + 1)  # two hounds on eight dark squares, the fox beside them or off
    assert halved.values.shape[:2] == (2, 28 * 6 // 2 + 1)


# ---- what cannot be asked for ----


@pytest.mark.parametrize(
    ("game", "learner", "message"),
    [
        ("tic-tac-toe", "q-table(tables=mover)", "does not number positions as the mover sees them"),
        ("tic-tac-toe", "q-table(shaping=1)", "gives no extra rewards"),
        ("tic-tac-toe", "q-table(gamma=1.5)", "gamma must be 0 to 1, not 1.5"),
        ("tic-tac-toe", "q-table(random_plies=-1)", "random_plies must be 0 or more plies, not -1"),
        (TOADS, "q-table(shaping=1, backward=true)", "shaping or backward"),
        ("tic-tac-toe", "q-table(win=inf)", "win must be a finite number"),
        ("tic-tac-toe", "q-table(draw=nan)", "draw must be a finite number"),
        ("tic-tac-toe", "q-table(max_over=some)", "max_over must be legal or all, not 'some'"),
        ("tic-tac-toe", "q-table(epsilon=2)", "epsilon: shares are 0 to 1, not 2"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(game, learner, message):
    with pytest.raises(LudusError) as error:
        make_learner(learner).trainer(ludus.make_game(game))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


# ---- the agent ----


def agent_and_game(learner="q-table", game="tic-tac-toe", games=40, **plan):
    training = trained(game, learner, games=games, **plan)
    return training.agent(), training


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("words", ["", "ties=first", "symmetry=true", "tables=roles"])
def test_the_agent_takes_the_best_it_knows(words):
    agent, training = agent_and_game(f"q-table({words})")
    known = learned(training)
    for table, pos in known:
        evaluation = agent.evaluation(training.game, pos)
        best = [action for action, value in evaluation.items() if value == max(evaluation.values())]
        taken = best[:1] if "first" in words else best
        assert np.flatnonzero(probabilities(agent, training.game, pos)).tolist() == taken
        assert probabilities(agent, training.game, pos).sum() == pytest.approx(1)
        assert {action: evaluation[action] for action in known[table, pos]} == {
            action: value for action, (value, _) in known[table, pos].items()
        }


@pytest.mark.usefixtures("plain")
def test_the_agent_reports_its_visits_in_training():
    agent, training = agent_and_game()
    for (_, pos), known in learned(training).items():
        assert agent.visits(training.game, pos) == sum(visits for _, visits in known.values())


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("words", "expected"), [("", [0.2] * 5), ("ties=first", [1, 0, 0, 0, 0])])
def test_where_it_knows_nothing_the_agent_takes_anything_or_the_first(words, expected):
    agent, training = agent_and_game(f"q-table({words})", games=1)
    game = training.game
    pos = face.parse_position(game, "XX./O../O..")
    assert agent.visits(game, pos) == 0
    assert probabilities(agent, game, pos)[actions(game.legal(pos))].tolist() == expected


@pytest.mark.usefixtures("plain")
def test_one_position_stands_for_all_alike_with_its_actions_turned():
    agent, training = agent_and_game("q-table(symmetry=true)", games=200)
    game, pos = training.game, training.game.play(training.game.start(), 0)
    for symmetry in range(1, game.symmetries):
        turned = game.transform(pos, symmetry)
        evaluation = agent.evaluation(game, turned)
        for action, value in agent.evaluation(game, pos).items():
            images = {game.transform_action(pos, action, s) for s in range(8) if game.transform(pos, s) == turned}
            assert value in [evaluation[image] for image in images]


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["q-table", "q-table(symmetry=true, ties=first)", "q-table(tables=roles)"])
def test_the_agent_is_the_same_compiled_and_plain(learner):
    agent, training = agent_and_game(learner, games=500)
    rows = np.array([pos for _, pos in list(learned(training))[:300]])
    plainly = [probabilities(agent, training.game, type(training.game.start())(*row)) for row in rows.tolist()]
    assert np.array_equal(policies_of(agent, training.game, rows), plainly)


@pytest.mark.slow
def test_it_learns_never_to_lose_at_tic_tac_toe():
    training = trained("tic-tac-toe", "q-table(epsilon=1..0@20000, alpha=0.2, symmetry=true)", games=30_000)
    graded = ludus.grade(training.agent(), training.game)
    assert (graded.guarantee.first.result, graded.guarantee.second.result) == ("draw", "draw")


# ---- exploring more or less than the other ----


def tried(training, player):
    """The actions that a player has tried anywhere."""
    return {action for (_, pos), known in learned(training).items() if pos.turn == player for action in known}


@pytest.mark.parametrize(
    ("settings", "explores"), [("epsilon=0, epsilon_second=1", 1), ("epsilon=1, epsilon_second=0", 0)]
)
def test_only_the_side_that_is_to_explore_tries_other_actions_than_the_first(settings, explores, plain):
    training = trained(TakeTwo(5), f"q-table({settings}, ties=first, win=0, loss=0)", games=60)
    assert (tried(training, explores), tried(training, 1 - explores)) == ({0, 1}, {0})


def test_the_second_player_explores_like_the_first_by_default(plain):
    default, equal = (
        trained(TakeTwo(5), f"q-table(epsilon=0.5{more})", games=20) for more in ("", ", epsilon_second=0.5")
    )
    assert learned(default) == learned(equal)
