"""Move weights: the paper's example worked out, a naive twin with the same random draws, and the agent."""

from collections import defaultdict

import numpy as np
import pytest
from conftest import EXAMPLES, TESTS
from naive import mancala as naive_mancala
from naive.move_weights import LEARNER, OPPONENT, TWIN, NaiveTrainer, shifted
from trained import all_bytes, position_of, stubborn, trained

import ludus
from ludus.agents import tabular
from ludus.agents.agent import probabilities
from ludus.agents.simple import Random
from ludus.catalog import make_game, make_learner
from ludus.compiled.masks import actions
from ludus.compiled.randomness import stream_key
from ludus.errors import LudusError
from ludus.learning.loop import episodes
from ludus.learning.loop.episodes import PAUSED, Limits, Setting
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden
from ludus.learning.move_weights import LOST, WON, MoveWeights, shift, steps_of
from ludus.learning.whole_weights import shift_whole
from ludus.playout import random_action

EXAMPLE = [0.60, 0.19, 0.0, 0.19, 0.02, 0.0]
NOT_EMPTY = 0b011011  # the holes that have stones in the example
SMALL = "mancala(holes=2, stones=2)"
PIG = f"{EXAMPLES}/pig.py(target=6, faces=3)"
CLOBBER = f"{TESTS}/user_games/clobber.py"
BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))


# ---- the rule, by hand ----


def after(weights, mask, action, step):
    made = np.array(weights)
    shift(made, mask, action, step)
    return made.tolist()


def test_the_papers_example_won():
    assert after(EXAMPLE, NOT_EMPTY, 3, 0.7) == pytest.approx([0.5435, 0.1335, 0, 0.323, 0, 0])


def test_the_papers_example_lost():
    share = 0.19 * 0.7 / 3
    expected = [0.60 + share, 0.19 + share, 0, 0.057, 0.02 + share, 0]
    assert after(EXAMPLE, NOT_EMPTY, 3, -0.7) == pytest.approx(expected)


def test_what_several_cannot_give_is_taken_from_those_who_can():
    assert after([0.4, 0.02, 0.04, 0.54], 0b1111, 0, 0.5) == pytest.approx([0.6, 0, 0, 0.4])


def test_a_weight_grows_to_one_at_most():
    assert after([0.8, 0.15, 0.05], 0b111, 0, 0.7) == pytest.approx([1, 0, 0], abs=1e-15)


def test_an_only_action_stays_certain():
    assert after([0.0, 1.0], 0b10, 1, -0.7) == [0.0, 1.0]
    assert after([0.0, 1.0], 0b10, 1, 0.7) == [0.0, 1.0]


def test_a_weight_of_nothing_comes_back_only_when_another_loses():
    assert after([0.0, 0.4, 0.6], 0b111, 0, 0.7) == [0.0, 0.4, 0.6]
    assert after([0.0, 0.4, 0.6], 0b111, 1, -0.5) == pytest.approx([0.1, 0.2, 0.7])


def test_a_new_position_begins_with_equal_weights():
    assert after([0.0] * 4, 0b1011, 1, -0.5) == pytest.approx([5 / 12, 1 / 6, 0, 5 / 12])


@pytest.mark.parametrize(("weight", "step", "won", "lost"), [(0.4, 0.5, 0.6, 0.2), (0.5, 0.25, 0.625, 0.375)])
def test_the_papers_numbers_of_adjusting_by_half(weight, step, won, lost):
    weights = [weight, 1 - weight]
    assert after(weights, 0b11, 0, step)[0] == pytest.approx(won)
    assert after(weights, 0b11, 0, -step)[0] == pytest.approx(lost)


def test_steps_shrink_by_their_own_factor_until_they_are_under_a_hundredth():
    steps = steps_of(MoveWeights(win=0.9, loss=0.5))
    assert steps[WON, :3] == pytest.approx([0.9, 0.81, 0.729])
    assert steps[LOST, :7] == pytest.approx([-0.5, -0.25, -0.125, -0.0625, -0.03125, -0.015625, 0])
    taught = np.count_nonzero(steps, axis=1).tolist()
    assert taught == [6, 43]
    assert steps[WON, taught[WON] - 1] >= 0.01 > 0.9 * steps[WON, taught[WON] - 1]


def test_a_factor_of_nothing_teaches_nothing():
    assert not steps_of(MoveWeights(win=0, loss=0)).any()


def test_steps_shrink_by_another_factor_if_one_is_given():
    steps = steps_of(MoveWeights(win=0.9, loss=0.5, shrink=0.8))
    assert steps[WON, :3] == pytest.approx([0.9, 0.72, 0.576])
    assert steps[LOST, :3] == pytest.approx([-0.5, -0.4, -0.32])


# ---- against a naive twin ----


class Listing:
    """A game of Ludus with lists for masks."""

    def __init__(self, game):
        self.start, self.player, self.play, self.score = game.start, game.player, game.play, game.score
        self.legal = lambda pos: actions(game.legal(pos))


def as_it_is(pos):
    return pos, lambda action: action


def seen_by_mover(state):
    return (state[state[2]], state[1 - state[2]]), lambda action: action


def least(game):
    """A view by the least of all positions alike, the first of several ways to it."""

    def view(pos):
        alike = [game.transform(pos, symmetry) for symmetry in range(game.symmetries)]
        by = alike.index(min(alike))
        return min(alike), lambda action: game.transform_action(pos, action, by)

    return view


def learned(training, who=0):
    """{position: {action: (weight, visits)}} of what was taught to the learner (0) or its twin (1), legal or not."""
    entries = training.trainer.store.entries
    known = {}
    for number in np.flatnonzero(entries.visits[who].any(axis=1)).tolist():
        pos = position_of(training.game, entries, who, 0, number)
        known[pos] = list(zip(entries.values[who, number].tolist(), entries.visits[who, number].tolist(), strict=True))
    return known


def assert_same(training, naive, name=lambda pos: pos):
    for number, who in enumerate((LEARNER, TWIN)[: len(training.trainer.store.entries.values)]):
        known = {name(pos): entry for pos, entry in learned(training, number).items()}
        assert known.keys() == naive.weights[who].keys()
        for pos, entry in known.items():
            weights = defaultdict(float, naive.weights[who][pos])
            assert [weight for weight, _ in entry] == pytest.approx([weights[a] for a in range(len(entry))], abs=1e-9)
            assert [visits for _, visits in entry] == [naive.visits[who][pos, a] for a in range(len(entry))]


def fields(pos):
    return tuple(tuple(side >> 7 * field & 127 for field in range(3)) for side in (pos.mine, pos.theirs))


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("capture", ["none", "standard"])
def test_mancala_is_learned_as_by_a_naive_twin_that_sees_it_as_the_mover(capture):
    training = trained(f"mancala(holes=2, stones=2, capture={capture})", "move-weights(win=0.9, loss=0.5)", games=80)
    naive = NaiveTrainer(naive_mancala.Mancala(2, 2, capture), seen_by_mover, win=0.9, loss=0.5)
    naive.learn(80, BOTH)
    assert_same(training, naive, fields)


@pytest.mark.usefixtures("either")
def test_a_late_learner_is_taught_by_the_result_of_the_game_before():
    training = trained("mancala(holes=2, stones=2)", "move-weights(late=true, shrink=0.8)", games=80)
    naive = NaiveTrainer(naive_mancala.Mancala(2, 2, "none"), seen_by_mover, shrink=0.8, late=True)
    naive.learn(80, BOTH)
    assert_same(training, naive, fields)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("capture", ["none", "standard"])
def test_a_learner_counts_in_whole_per_cents_and_loses_ties_as_a_naive_twin_does(late, capture):
    words = f"move-weights(late={late}, shrink=0.8, whole=true, ties_lost=true)"
    training = trained(f"mancala(holes=2, stones=2, capture={capture})", words, games=200)
    naive = NaiveTrainer(
        naive_mancala.Mancala(2, 2, capture), seen_by_mover, shrink=0.8, late=late, whole=True, ties_lost=True
    )
    naive.learn(200, BOTH)
    assert_same(training, naive, fields)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", ["tic-tac-toe", "fox-and-hounds(size=4)", CLOBBER])
def test_whole_per_cents_of_other_games_are_those_of_a_naive_twin(name):
    game = make_game(name)
    training = trained(game, "move-weights(symmetry=false, whole=true, ties_lost=true)", games=30)
    naive = NaiveTrainer(Listing(game), as_it_is, whole=True, ties_lost=True)
    naive.learn(30, BOTH)
    assert_same(training, naive)


CASES = {
    "both seats": ("self", BOTH),
    "a twin": ("twin", ((LEARNER, TWIN), (TWIN, LEARNER))),
    "an opponent": ("random", ((LEARNER, OPPONENT), (OPPONENT, LEARNER))),
}


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(("opponent", "holders"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("symmetry", [True, False])
def test_tic_tac_toe_is_learned_as_by_a_naive_twin(opponent, holders, symmetry):
    game = make_game("tic-tac-toe")
    training = trained(game, f"move-weights(symmetry={symmetry})", games=60, opponent=opponent)
    naive = NaiveTrainer(Listing(game), least(game) if symmetry else as_it_is)
    naive.learn(60, holders)
    assert_same(training, naive)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", ["fox-and-hounds(size=4)", CLOBBER], ids=["with an index", "with many actions"])
def test_other_games_are_learned_as_by_a_naive_twin(name):
    game = make_game(name)
    training = trained(game, "move-weights(symmetry=false)", games=20)
    naive = NaiveTrainer(Listing(game), as_it_is)
    naive.learn(20, BOTH)
    assert_same(training, naive)


@pytest.mark.usefixtures("plain")
def test_chance_moves_are_not_learned_from():
    game = make_game(PIG)
    naive = NaiveTrainer(
        Listing(game), as_it_is, chance=lambda pos, stream: random_action(game, pos, game.legal(pos), stream), cap=200
    )
    naive.learn(40, BOTH)
    assert_same(trained(game, "move-weights", games=40, cap=200), naive)


@pytest.mark.usefixtures("plain")
def test_a_position_visited_again_in_a_game_is_updated_again():
    game = make_game("tapnswap(limit=2)")
    training = trained(game, "move-weights", games=30, cap=100)
    naive = NaiveTrainer(Listing(game), least(game), cap=100)
    naive.learn(30, BOTH)
    assert_same(training, naive)


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        ([60, 19, 0, 19, 2, 0], 0.7, [56, 15, 0, 32, 0, 0]),
        ([60, 19, 0, 19, 2, 0], -0.7, [64, 23, 0, 6, 7, 0]),
        ([0, 0, 0, 100, 0, 0], -0.7, [0, 0, 0, 30, 0, 0]),
        ([50, 0, 0, 50, 0, 0], 0.0199, [50, 0, 0, 50, 0, 0]),
    ],
)
def test_whole_per_cents_are_truncated_and_need_not_add_up(before, step, after):
    made = np.array(before) / 100
    shift_whole(made, NOT_EMPTY, 3, step)
    assert (100 * made).round().tolist() == after


@pytest.mark.usefixtures("plain")
def test_whole_per_cents_are_drawn_up_to_a_hundred_and_the_first_action_has_what_is_left():
    game = make_game("tic-tac-toe")
    training = trained(game, "move-weights(symmetry=false, whole=true)", games=1)
    entries = training.trainer.store.entries
    numbers = np.flatnonzero(entries.visits[0].any(axis=1)).tolist()
    number = max(numbers, key=lambda each: len(actions(game.legal(position_of(game, entries, 0, 0, each)))))
    pos = position_of(game, entries, 0, 0, number)
    legal = actions(game.legal(pos))
    for weights in ([40, 30], [70, 60]):
        entries.values[0, number] = 0
        entries.values[0, number, [legal[-1], legal[0]]] = np.array(weights) / 100
        chances = probabilities(training.agent(), game, pos)
        assert chances[legal[-1]] == pytest.approx(weights[0] / 100)
        assert chances[legal[0]] == pytest.approx(1 - weights[0] / 100)
        assert training.agent().evaluation(game, pos) == {each: chances[each] for each in legal}
    fresh = trained(game, "move-weights(symmetry=false, whole=true, win=0, loss=0)", games=1).agent()
    assert probabilities(fresh, game, game.start()) == pytest.approx([0.11] * 8 + [0.12])


def test_the_twins_way_of_taking_is_the_papers_example_too():
    weights = {0: 0.60, 1: 0.19, 3: 0.19, 4: 0.02}
    assert list(shifted(weights, 3, 0.7, won=True).values()) == pytest.approx([0.5435, 0.1335, 0.323, 0])


# ---- what is taught, and what is not ----


@pytest.mark.usefixtures("plain")
def test_a_game_that_is_cut_teaches_nothing():
    training = trained("tic-tac-toe", "move-weights", games=20, cap=4)
    assert training.trainer.metrics() == {"visited": [0]}
    assert training.trainer.episode.results.sum() == 40


@pytest.mark.usefixtures("plain")
def test_both_seats_learn_as_one_who_sees_the_board_from_its_side():
    alike = learned(trained(SMALL, "move-weights", games=40))
    apart = learned(trained(SMALL, "move-weights(symmetry=false)", games=40))
    assert {pos.turn for pos in alike} == {0}
    assert {pos.turn for pos in apart} == {0, 1}


@pytest.mark.usefixtures("plain")
def test_forbidden_actions_are_not_taken():
    training = trained("tic-tac-toe", "move-weights(symmetry=false)", games=40, forbid="first:action b2")
    choices = [(pos, entry) for pos, entry in learned(training).items() if pos.turn == 0]
    assert all(entry[4][1] == 0 or actions(training.game.legal(pos)) == [4] for pos, entry in choices)


@pytest.mark.usefixtures("either")
def test_weights_stay_a_distribution_over_the_legal_actions():
    training = trained("tic-tac-toe", "move-weights(win=0.9, loss=0.9)", games=300)
    for pos, entry in learned(training).items():
        weights = [weight for weight, _ in entry]
        assert sum(weights) == pytest.approx(1, abs=1e-12)
        assert min(weights) >= 0
        assert {a for a, weight in enumerate(weights) if weight} <= set(actions(training.game.legal(pos)))


# ---- in pieces ----


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("opponent", ["self", "twin", "random"])
@pytest.mark.parametrize("plies", [1, 7])
def test_the_same_seed_gives_the_same_bytes_whatever_the_chunk_size(monkeypatch, opponent, plies):
    whole = all_bytes(trained(SMALL, "move-weights", games=40, opponent=opponent))
    monkeypatch.setattr(episodes, "_PLIES", plies)
    assert all_bytes(trained(SMALL, "move-weights", games=40, opponent=opponent)) == whole


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("plies", [3, 100])
def test_a_training_restored_in_the_middle_of_a_game_ends_the_same(plies):
    whole, begun, resumed = (make_learner("move-weights").trainer(make_game(SMALL)) for _ in range(3))
    banned = forbidden(make_game(SMALL), Bans(()))
    setting = Setting(np.zeros((2, 2), np.int64), stream_key(0), 1 << 62, 0, 0, False, banned)
    whole.play(Random(), setting, Limits(60, 1 << 40))
    assert begun.play(Random(), setting, Limits(60, plies)) == PAUSED
    resumed.restore({name: array.copy() for name, array in begun.arrays().items()})
    resumed.play(Random(), setting, Limits(60, 1 << 40))
    wanted, got = whole.arrays(), resumed.arrays()
    assert {name: array.tobytes() for name, array in got.items()} == {n: a.tobytes() for n, a in wanted.items()}


@pytest.mark.usefixtures("plain")
def test_a_table_that_grows_from_nothing_holds_the_same_as_one_with_room(monkeypatch):
    roomy = all_bytes(trained(SMALL, "move-weights", games=30, opponent="twin"))
    monkeypatch.setattr(tabular, "_FIRST_ROOM", 2)
    assert all_bytes(trained(SMALL, "move-weights", games=30, opponent="twin")) == roomy


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("patience", [0.0, 60.0])
def test_a_plain_opponent_chooses_once_a_turn_even_as_the_table_grows(monkeypatch, tmp_path, patience):
    plan = {"games": 30, "opponent": stubborn(tmp_path)}
    whole = all_bytes(trained(SMALL, "move-weights", **plan))
    monkeypatch.setattr(tabular, "_FIRST_ROOM", 2)
    monkeypatch.setattr(episodes, "_PATIENCE", patience)
    assert all_bytes(trained(SMALL, "move-weights", **plan)) == whole


@pytest.mark.slow
def test_a_table_grows_in_compiled_code_too():
    training = trained("mancala", "move-weights", games=200)
    assert training.trainer.metrics()["visited"][0] > 1024
    assert all(sum(weight for weight, _ in entry) == pytest.approx(1) for entry in learned(training).values())


# ---- the agent ----


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("name", ["tic-tac-toe", "fox-and-hounds(size=4)"])
@pytest.mark.parametrize("symmetry", [True, False])
def test_the_agent_plays_by_its_weights_and_reports_them(name, symmetry):
    training = trained(name, f"move-weights(symmetry={symmetry})", games=30)
    game, agent, pos = training.game, training.agent(), training.game.start()
    chances = probabilities(agent, game, pos)
    assert chances.sum() == pytest.approx(1)
    assert agent.visits(game, pos) == 30 - training.trainer.episode.results[0, 1]
    assert agent.evaluation(game, pos) == {action: chances[action] for action in actions(game.legal(pos))}
    assert len(set(chances)) > 1


@pytest.mark.usefixtures("plain")
def test_the_agent_plays_at_random_where_it_knows_nothing():
    game = make_game("tic-tac-toe")
    agent = trained(game, "move-weights", games=1).agent()
    pos = game.play(game.play(game.start(), 1), 7)
    assert agent.visits(game, pos) == 0
    assert probabilities(agent, game, pos)[actions(game.legal(pos))] == pytest.approx(1 / 7)


@pytest.mark.usefixtures("plain")
def test_a_twin_is_no_part_of_the_agent():
    training = trained("tic-tac-toe", "move-weights", games=20, opponent="twin")
    assert len(training.agent().entries.values) == 1


@pytest.mark.slow
def test_a_learner_comes_to_beat_a_random_player():
    training = trained("tic-tac-toe", "move-weights", games=20_000)
    result = ludus.play_match(training.game, training.agent(), Random(), 2000, seed=1)
    assert result.all.a_wins > 2 * result.all.b_wins


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("move-weights(win=1)", "win must be 0 to 0.99, not 1"),
        ("move-weights(loss=-0.1)", "loss must be 0 to 0.99, not -0.1"),
        ("move-weights(win=nan)", "win must be 0 to 0.99, not nan"),
    ],
)
def test_a_factor_out_of_range_is_refused(text, message):
    with pytest.raises(LudusError, match=message):
        make_learner(text)
