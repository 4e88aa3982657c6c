"""TD(lambda): the network, the paper's updates by hand, the agent, and what is refused."""

import math

import numpy as np
import pytest
from naive.td_lambda import NaiveTrainer, Options
from trained import trained

from ludus.agents.agent import evaluations, probabilities
from ludus.agents.network import reward
from ludus.catalog import make_game, make_learner
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import observe
from ludus.learning.loop.episodes import Limits
from ludus.learning.loop.training import Training
from ludus.networks.runtime import jax
from ludus.networks.shallow import AMPLITUDE, Shallow, activate, add_gradient, new_shallow, output

CHUNG_TOI = "chung-toi"
PAPER = "td-lambda(alpha=0.0012..0@2000, epsilon=0.15..0@2000, smart=training, ends=network)"


@pytest.fixture
def net():
    return new_shallow(20, 30, np.random.default_rng(5))


def paper_units(net, x):
    """The induced local fields of the hidden units, and what they answer."""
    fields = [sum(net.below[i, h] * x[i] for i in range(20)) + net.below[20, h] for h in range(30)]
    return fields, [1.7159 * math.tanh(2 / 3 * field) for field in fields]


# ---- the network ----


def test_hidden_units_answer_the_papers_hyperbolic_tangent():
    fields = np.concatenate([np.linspace(-40, 40, 4001), [0.0, 1e-9, -1e300, 1e300]])
    answered = fields.copy()
    activate(answered)
    np.testing.assert_allclose(answered, 1.7159 * np.tanh(2 / 3 * fields), atol=2e-12)


def test_a_new_network_has_weights_as_wide_as_the_paper_says_bias_nodes_counted():
    net = new_shallow(2000, 300, np.random.default_rng(0))
    assert net.below.shape == (2001, 300)
    assert net.below.std() == pytest.approx(2001**-0.5, rel=0.01)
    assert new_shallow(3, 20000, np.random.default_rng(0)).above.std() == pytest.approx(20001**-0.5, rel=0.02)


def test_the_output_is_linear_in_what_the_hidden_units_answer(net):
    x = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], 20)
    _, y = paper_units(net, x)
    expected = sum(net.above[h] * y[h] for h in range(30)) + net.above[30]
    assert output(net, x, np.zeros(30)) == pytest.approx(expected, abs=1e-12)


def gradient_of(net, x):
    trace, units = Shallow(np.zeros_like(net.below), np.zeros_like(net.above)), np.zeros(len(net.above) - 1)
    output(net, x, units)
    add_gradient(net, x, units, 1.0, trace)
    return trace


def test_the_gradient_is_that_of_jax(net):
    x = np.random.default_rng(2).normal(size=20)
    numpy = jax().numpy

    def value(below, above):
        units = AMPLITUDE * numpy.tanh(2 / 3 * (numpy.append(x, 1.0) @ below))
        return numpy.append(units, 1.0) @ above

    below, above = jax().grad(value, argnums=(0, 1))(net.below, net.above)
    found = gradient_of(net, x)
    np.testing.assert_allclose(found.below, below, atol=1e-5)  # JAX counts in single precision
    np.testing.assert_allclose(found.above, above, atol=1e-5)


# ---- the paper's two formulas by hand ----


def trainer_at(plies, learner, game=CHUNG_TOI, **plan):
    """A trainer that has played this many plies of its first game."""
    training = Training(make_game(game), make_learner(learner), _plan(plan))
    opponent, setting = training._against("self", 1 << 62)
    training.trainer.play(opponent, setting, Limits(1, plies))
    return training.trainer, opponent, setting


def _plan(words):
    from ludus.learning.loop.plan import Plan
    from ludus.parameters import make

    return make(Plan, "plan", {"grade": "no", "eval_against": "none"} | words)


def seen(trainer):
    x = np.zeros(20, np.float32)
    game = trainer.game
    observe(game, type(game.start())(*trainer.episode.row.tolist()), x)
    return x.astype(np.float64)


def copied(trainer):
    return Shallow(trainer.store.state.networks.below[0].copy(), trainer.store.state.networks.above[0].copy())


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("plies", [2, 3, 4])
def test_weights_change_by_the_papers_two_formulas(plies):
    """The updates of the weights to the output and to the hidden layer, before the end of the game."""
    alpha, trace = 0.02, 0.7
    learner = f"td-lambda(alpha={alpha}, lam={trace}, smart=training)"
    xs, nets = [], []  # inputs and weights when each position was met
    for ply in range(plies):
        trainer, *_ = trainer_at(ply, learner)
        xs.append(seen(trainer))
        nets.append(copied(trainer_at(ply + 1, learner)[0]))  # once it was met, before the next
    before, t = nets[-1], plies - 1
    trainer, opponent, setting = trainer_at(plies, learner)
    after_x = seen(trainer)
    trainer.play(opponent, setting, Limits(1, 1))
    now = copied(trainer)
    error = output(before, after_x, np.zeros(30)) - output(before, xs[t], np.zeros(30))
    for h in (0, 7, 29):
        y = [paper_units(nets[k], xs[k])[1][h] for k in range(plies)]
        change = alpha * error * sum(trace ** (t - k) * 1.0 * y[k] for k in range(plies))  # f'(v_j) of a linear output
        assert now.above[h] - before.above[h] == pytest.approx(change, abs=1e-12)
        for i in (0, 4, 9, 18, 19):
            total = 0.0
            for k in range(plies):
                derivative = 1.7159 * 2 / 3 * (1 - math.tanh(2 / 3 * paper_units(nets[k], xs[k])[0][h]) ** 2)
                total += trace ** (t - k) * 1.0 * nets[k].above[h] * derivative * xs[k][i]
            assert now.below[i, h] - before.below[i, h] == pytest.approx(alpha * error * total, abs=1e-12)
    bias = alpha * error * sum(trace ** (t - k) for k in range(plies))
    assert now.above[30] - before.above[30] == pytest.approx(bias, abs=1e-12)


def put_back(trainer, alpha, target):
    """The network before its last update, whose target was this value of the last position."""
    nets = trainer.store.state.networks
    step = alpha * (target - nets.value[0])
    return Shallow(nets.below[0] - step * nets.trace_below[0], nets.above[0] - step * nets.trace_above[0])


def last_seen(trainer, learner, **plan):
    """What the network saw of the last position before the end of its first game."""
    return seen(trainer_at(trainer.plies - 1, learner, **plan)[0])


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(("seed", "result"), [(2, -1.0), (0, 1.0)])
def test_the_last_target_is_the_reward(seed, result):
    learner = "td-lambda(alpha=0.02, smart=training)"
    trainer = trained(CHUNG_TOI, learner, games=1, seed=seed).trainer
    assert trainer.results[0].tolist() == ([1, 0, 0, 0] if result == 1.0 else [0, 0, 1, 0])
    before = put_back(trainer, 0.02, result)
    last = output(before, last_seen(trainer, learner, seed=str(seed)), np.zeros(30))
    assert last == pytest.approx(trainer.store.state.networks.value[0], abs=1e-12)


@pytest.mark.usefixtures("plain")
def test_a_truncated_game_is_learned_as_a_draw():
    trainer = trained(CHUNG_TOI, "td-lambda(alpha=0.02)", games=1, cap=3).trainer
    assert trainer.results[0].tolist() == [0, 0, 0, 1]
    last = output(put_back(trainer, 0.02, 0.0), last_seen(trainer, "td-lambda(alpha=0.02)", cap="3"), np.zeros(30))
    assert last == pytest.approx(trainer.store.state.networks.value[0], abs=1e-12)


# ---- the agent ----


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", ["td-lambda(hidden=4)", "td-lambda(hidden=4, view=mover)", PAPER])
def test_the_agent_takes_the_best_of_the_resulting_positions_for_either_player(learner):
    training = trained(CHUNG_TOI, learner, games=3)
    agent, game = training.agent(), training.game
    naive = NaiveTrainer(
        game, Options(by_mover="mover" in learner, turns="mover" in learner, ends_by_network=learner == PAPER)
    )
    net = copied(training.trainer)
    naive.nets[0].w, naive.nets[0].v = net.below.T.tolist(), net.above.tolist()
    pos = game.start()
    for action in (0, 3, 9, 14, 4, 6, None):
        side = 1 if game.player(pos) == 0 else -1
        values = {a: side * naive.after(game.play(pos, a), 0) for a in actions(game.legal(pos))}
        best = [a for a in values if values[a] == max(values.values())]
        assert np.flatnonzero(probabilities(agent, game, pos)).tolist() == best
        assert evaluations(agent, game, [pos])[0] == {
            str(a): pytest.approx(value, abs=1e-9) for a, value in values.items()
        }
        pos = game.play(pos, action) if action is not None else pos


@pytest.mark.usefixtures("plain")
def test_a_win_at_once_is_taken_unless_the_network_is_asked_about_ends_too():
    game = make_game("tic-tac-toe")
    pos = game.parse_position("XX./OO./...")
    training = trained(game, "td-lambda(hidden=4)", games=2)
    assert probabilities(training.agent(), game, pos)[2] == evaluations(training.agent(), game, [pos])[0]["2"] == 1.0
    deaf = make_learner("td-lambda(hidden=4, ends=network)").agent(game, training.trainer.parameters())
    assert evaluations(deaf, game, [pos])[0]["2"] != 1.0


@pytest.mark.usefixtures("plain")
def test_wins_and_blocks_come_first_in_play_too_if_that_is_wanted():
    game = make_game("tic-tac-toe")
    parameters = trained(game, "td-lambda(hidden=4, ends=network)", games=2).trainer.parameters()
    helped = make_learner("td-lambda(hidden=4, ends=network, smart=always)").agent(game, parameters)
    assert probabilities(helped, game, game.parse_position("XX./OO./..."))[2] == 1.0
    assert probabilities(helped, game, game.parse_position("XX./O../..."))[2] == 1.0


@pytest.mark.usefixtures("plain")
def test_help_takes_wins_and_blocks_even_where_the_learner_would_explore():
    game = make_game("tic-tac-toe")
    training = Training(game, make_learner("td-lambda(hidden=4, smart=training, epsilon=1)"), _plan({"games": "40"}))
    training.run()
    assert training.trainer.results.sum() == 80
    unhelped = trained(game, "td-lambda(hidden=4, epsilon=1)", games=40)
    assert training.trainer.results[:, 1].sum() > unhelped.trainer.results[:, 1].sum()  # blocks make draws


@pytest.mark.usefixtures("plain")
def test_rewards_are_those_that_were_set():
    judge = make_learner("td-lambda(win=2, loss=-3, draw=0.5)").judge(make_game(CHUNG_TOI))
    assert [reward(judge, score) for score in (7, -7, 0)] == [2.0, -3.0, 0.5]
    margin = make_learner("td-lambda(margin=true)").judge(make_game(CHUNG_TOI))
    assert reward(margin, -7) == -7.0


# ---- what does not fit ----


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ("td-lambda(hidden=0)", "hidden must be 1 to 16384 units, not 0"),
        ("td-lambda(lam=1.5)", "lam must be 0 to 1, not 1.5"),
        ("td-lambda(gamma=-1)", "gamma must be 0 to 1, not -1"),
        ("td-lambda(win=inf)", "win must be a finite number, not inf"),
        ("td-lambda(random_plies=-1)", "random_plies must be 0 or more plies, not -1"),
    ],
)
def test_wrong_settings_are_refused(learner, message):
    with pytest.raises(LudusError, match=message):
        make_learner(learner)


@pytest.mark.parametrize(
    ("game", "learner", "message"),
    [
        ("toads-and-frogs", "td-lambda", "ToadsAndFrogs is observed without saying whose turn it is: view=mover"),
        ("tic-tac-toe", "td-lambda(draw=0.5)", "TicTacToe is seen by the mover.*loss=-win and draw=0"),
        ("tests/user_games/nim.py", "td-lambda", "Nim gives no observe: a network cannot see it"),
    ],
)
def test_games_that_it_cannot_learn_so_are_refused(game, learner, message):
    with pytest.raises(LudusError, match=message):
        make_learner(learner).trainer(make_game(game))


@pytest.mark.usefixtures("plain")
def test_weights_that_grow_beyond_all_numbers_end_the_training():
    with np.errstate(all="ignore"), pytest.raises(LudusError, match="beyond all numbers: learn with a smaller alpha"):
        trained("tic-tac-toe", "td-lambda(hidden=30, alpha=1, win=1e30, loss=-1e30, epsilon=0)", games=50)


def test_a_network_that_does_not_fit_its_game_is_refused():
    parameters = make_learner("td-lambda").trainer(make_game("tic-tac-toe")).parameters()
    with pytest.raises(LudusError, match="the network has 18 inputs; ChungToi needs 20"):
        make_learner("td-lambda").agent(make_game(CHUNG_TOI), parameters)
    with pytest.raises(LudusError, match="not the weights of a network with one hidden layer"):
        make_learner("td-lambda").agent(make_game(CHUNG_TOI), {})


# ---- what it learns ----


@pytest.mark.slow
def test_it_learns_tic_tac_toe_to_a_draw_against_every_opponent():
    settings = "epsilon=0, random_plies=8, random_side=both, symmetry=true"
    learner = f"td-lambda(hidden=100, alpha=0.01..0@200000, gamma=0.95, {settings})"
    training = trained("tic-tac-toe", learner, games=200000, grade="yes", eval_every=200000)
    assert training.lines[-1]["grade"]["exploitability"] == {"first": 0, "second": 0}
