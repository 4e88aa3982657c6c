"""Deep Q-learning: updates by hand, transitions beside a naive twin, and the same bytes whatever the pauses."""

import numpy as np
import pytest
from naive.dqn import LEARNER, OPPONENT, TWIN, Game, Options
from trained import all_bytes, trained

import ludus
from ludus.catalog import make_game, make_learner
from ludus.compiled.randomness import new_state
from ludus.errors import LudusError
from ludus.learning.dqn.network import (
    NetworkSpec,
    from_arrays,
    functions,
    huber_loss,
    layers_of,
    new_train_state,
    td_targets,
    to_arrays,
)
from ludus.learning.dqn.replay_buffer import STORED, UPDATES, Transition, new_buffer, sample, split, store
from ludus.learning.loop import lanes as lanes_module
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training
from ludus.networks.deep import dense
from ludus.parameters import make

TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
MANCALA = "mancala(holes=2, stones=2)"
SMALL = "hidden=8, buffer=64, batch=8"
NEVER_LEARNS = "hidden=8, buffer=5000, batch=5000"

SIZES, RATE = (2, 3, 2), np.float32(0.01)
SECOND_OPENS = "random_plies=4, random_side=second"
BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))


@pytest.fixture(autouse=True)
def in_plain_python(request, monkeypatch):
    """Kernels run as plain Python where a test does not say otherwise: that is quicker than compiling them."""
    if "either" not in request.fixturenames and request.node.get_closest_marker("slow") is None:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


# ---- updates by hand ----


def rows_of(*moves):
    """Rows of (inputs, action, reward, discount, next inputs, next legal)."""
    return np.array([[*inputs, *numbers, *after, *legal] for inputs, *numbers, after, legal in moves], np.float32)


def outputs_of(spec, flat, inputs):
    return dense(layers_of(spec, np.asarray(flat)), np.array([inputs], np.float32))[0]


def test_an_update_is_a_step_of_adam_down_the_huber_loss():
    spec = NetworkSpec(SIZES, tau=0.0, double=False)
    state = new_train_state(spec, [5])
    before = {name: array.astype(np.float64) for name, array in layers_of(spec, np.asarray(state.online)).items()}
    inputs, action, reward = np.array([0.5, -1.0]), 1, 3.0
    rows = rows_of((inputs, action, reward, 0.0, inputs, (0, 0)))
    hidden = inputs @ before["weights.0"] + before["biases.0"]
    active = np.maximum(hidden, 0)
    error = (active @ before["weights.1"] + before["biases.1"])[action] - reward
    out = np.array([0.0, np.clip(error, -1, 1)])  # the gradient of the Huber loss
    back = (before["weights.1"] @ out) * (hidden > 0)
    weights = {"weights.0": np.outer(inputs, back), "weights.1": np.outer(active, out)}
    learned, _ = functions(spec).update(state, RATE, rows[None], np.zeros((1, 2), np.float32))
    after = layers_of(spec, np.asarray(learned.online))
    gradients = weights | {"biases.0": back, "biases.1": out}
    for name, by in gradients.items():  # Adam's first step: both moments, without their bias, are the gradient's own
        assert after[name] == pytest.approx(before[name] - 0.01 * by / (np.abs(by) + 1e-8), abs=1e-6)
    assert float(learned.loss) == pytest.approx(abs(error) - 0.5 if abs(error) > 1 else error**2 / 2, rel=1e-5)


def test_small_errors_are_squared_and_large_ones_are_not():
    values, actions = np.array([[7.0, -1.0]]), np.array([1])
    for error, loss in ((0.5, 0.125), (3.0, 2.5)):
        assert float(huber_loss(values, actions, np.array([-1.0 + error]))) == pytest.approx(loss)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("can", [(1, 1), (1, 0), (0, 1)])
def test_the_td_target_is_the_reward_plus_the_discounted_value_of_the_best_legal_next_action(double, can):
    spec = NetworkSpec(SIZES, 0.0, double)
    online, target = new_train_state(spec, [1]).online, new_train_state(spec, [2]).online
    rows = rows_of(((1, 2), 0, 0.25, 0.81, (-1, 0.5), can))  # gamma 0.9, two steps
    values = outputs_of(spec, target, (-1, 0.5))
    selecting = outputs_of(spec, online if double else target, (-1, 0.5))
    best = max((output for output in (0, 1) if can[output]), key=lambda output: selecting[output])
    assert float(td_targets(spec, online, target, rows)[0]) == pytest.approx(0.25 + 0.81 * values[best], rel=1e-5)


def test_these_networks_differ_on_what_is_best():
    spec = NetworkSpec(SIZES, 0.0, True)
    values = [outputs_of(spec, new_train_state(spec, [seed]).online, (-1, 0.5)) for seed in (1, 2)]
    assert values[0].argmax() != values[1].argmax()


def test_the_target_of_a_last_move_is_its_reward():
    spec = NetworkSpec(SIZES, 0.0, True)
    state = new_train_state(spec, [1])
    rows = rows_of(((1, 2), 0, -15.0, 0.0, (1, 2), (0, 0)))
    assert float(td_targets(spec, state.online, state.target, rows)[0]) == -15.0


def test_many_updates_in_one_call_are_those_one_after_another():
    spec = NetworkSpec(SIZES, 0.1, True)
    generator = np.random.default_rng(1)
    batches = np.abs(generator.normal(size=(3, 4, 9))).astype(np.float32)
    batches[:, :, 2] = generator.integers(0, 2, (3, 4))
    asked = np.ones((1, 2), np.float32)
    at_once, values = functions(spec).update(new_train_state(spec, [1]), RATE, batches, asked)
    one_by_one = new_train_state(spec, [1])
    for batch in batches:
        one_by_one, last_values = functions(spec).update(one_by_one, RATE, batch[None], asked)
    assert np.asarray(at_once.online) == pytest.approx(np.asarray(one_by_one.online), abs=1e-6)
    assert np.asarray(values) == pytest.approx(np.asarray(last_values), abs=1e-6)


def test_the_target_network_moves_by_tau_at_each_update():
    spec = NetworkSpec(SIZES, 0.25, False)
    state = new_train_state(spec, [1])
    target = np.asarray(state.target).copy()
    learned, _ = functions(spec).update(
        state, RATE, rows_of(((1, 2), 0, 3.0, 0.0, (1, 2), (0, 0)))[None], np.zeros((1, 2), np.float32)
    )
    assert np.asarray(learned.target) == pytest.approx(target + 0.25 * (np.asarray(learned.online) - target), abs=1e-6)


def test_a_train_state_is_saved_and_restored_whole():
    spec = NetworkSpec(SIZES, 0.25, False)
    rows, asked = rows_of(((1, 2), 0, 3.0, 0.0, (1, 2), (0, 0)))[None], np.zeros((1, 2), np.float32)
    state, _ = functions(spec).update(new_train_state(spec, [1]), RATE, rows, asked)
    kept = to_arrays(state)
    on, _ = functions(spec).update(state, RATE, rows, asked)
    again, _ = functions(spec).update(from_arrays(kept), RATE, rows, asked)
    for name, array in to_arrays(on).items():
        assert array.tobytes() == to_arrays(again)[name].tobytes(), name


# ---- replay buffer ----


def test_the_oldest_transition_is_replaced():
    buffer = new_buffer(3, 1, 2)
    for number in range(5):
        one = Transition(np.array([number]), 1, number / 2, 0.9, np.array([-number]), np.array([-1, 0]))
        store(buffer, one, True)
    batch = split(buffer.rows, 1)
    assert sorted(batch.inputs[:, 0]) == [2, 3, 4]
    assert batch.next_legal.tolist() == [[True, False]] * 3


def test_batches_are_drawn_from_what_is_held_and_depend_on_the_number_of_the_update():
    buffer = new_buffer(100, 1, 2)
    for number in range(7):
        store(buffer, Transition(np.array([1 + number]), 0, 0.0, 0.0, np.array([0]), np.array([0, 1])), True)
    out = np.zeros((2, 50, buffer.rows.shape[1]), np.float32)
    sample(buffer, np.uint64(3), new_state(), out)
    assert set(out[:, :, 0].ravel().tolist()) == set(range(1, 8))
    second = out[1].copy()
    buffer.totals[UPDATES] = 1
    sample(buffer, np.uint64(3), new_state(), out)
    assert (out[0] == second).all()
    assert (out[1] != second).any()


# ---- transitions, beside a naive twin ----


def held(other):
    """Who plays for players 0 and 1 in even and in odd games."""
    return (LEARNER, other), (other, LEARNER)


CASES = {
    "self": (TOADS, "", Options(), BOTH, {}),
    "random": (TOADS, "", Options(), held(OPPONENT), {"opponent": "random"}),
    "twin": (TOADS, "", Options(), held(TWIN), {"opponent": "twin"}),
    "first": (TOADS, "", Options(), (held(OPPONENT)[0],) * 2, {"opponent": "random", "seats": "first"}),
    "three steps": ("tic-tac-toe", "n_step=3", Options(n_step=3), BOTH, {}),
    "illegal": (TOADS, "mask=false, illegal=-3", Options(mask=False, illegal=-3.0), BOTH, {}),
    "all explored": (
        "tic-tac-toe",
        "mask=false, explore=all, n_step=2",
        Options(mask=False, explores_all=True, n_step=2),
        held(OPPONENT),
        {"opponent": "random"},
    ),
    "random opening": ("tic-tac-toe", "random_plies=5", Options(random_plies=5), BOTH, {}),
    "second opens at random": (
        TOADS,
        "random_plies=4, random_side=second",
        Options(random_plies=4, random_players=(1,)),
        BOTH,
        {},
    ),
    "rewards": ("tic-tac-toe", "win=2, loss=-3, draw=0.5", Options(win=2.0, loss=-3.0, draw=0.5), BOTH, {}),
    "margin": (MANCALA, "margin=true, gamma=0.5", Options(margin=True, gamma=0.5), BOTH, {}),
    "shaping": (TOADS, "shaping=15, n_step=2", Options(shaping=15.0, n_step=2), BOTH, {}),
    "no reply": (TOADS, "reply=false", Options(reply=False), BOTH, {}),
    "no reply, extra turns": (MANCALA, "reply=false, random_plies=3", Options(reply=False, random_plies=3), BOTH, {}),
    "no reply by another": (TOADS, "reply=false", Options(reply=False), held(OPPONENT), {"opponent": "random"}),
    "no reply by a twin": (TOADS, "reply=false", Options(reply=False), held(TWIN), {"opponent": "twin"}),
    "no reply, cut": ("tapnswap", "reply=false", Options(reply=False, cap=9), BOTH, {"cap": 9}),
    "cut": ("tapnswap", "n_step=2", Options(n_step=2, cap=9), BOTH, {"cap": 9}),
}


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("lanes", [1, 3])
def test_the_stored_transitions_are_those_of_a_naive_twin(case, lanes):
    name, learner, options, holders, plan = case
    words = ", ".join(filter(None, [NEVER_LEARNS, f"epsilon=0.5, lanes={lanes}", learner]))
    other = plan.get("opponent", "self")
    training = trained(name, f"dqn({words})", games=30, seed=4, **plan | {"opponent": f"{other}:30,{other}"})
    arrays = training.trainer.arrays()
    networks = {
        who: layers_of(training.trainer.spec, arrays[f"network{place}.online"])
        for place, who in ((0, LEARNER), (1, TWIN))
        if f"network{place}.online" in arrays
    }
    expected = {LEARNER: [], TWIN: []}
    for number in range(30):
        for who, row in Game(training.game, options, holders[number % 2], networks, number, seed=4).stored():
            expected[who].append(row)
    for place, who in enumerate(networks):
        rows, naive = arrays[f"buffer{place}.rows"].tolist(), np.float32(expected[who]).tolist()
        if lanes > 1:  # games overlap
            rows, naive = sorted(rows), sorted(naive)
        assert np.array(rows) == pytest.approx(np.array(naive), abs=1e-5)
    assert len(expected[LEARNER]) > 30


# ---- updates ----


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_there_is_one_update_per_move_once_a_batch_is_stored(opponent):
    training = trained(TOADS, f"dqn({SMALL})", games=12, opponent=opponent)
    totals = training.trainer.arrays()["buffer0.totals"]
    assert totals[STORED] > 30
    assert totals[UPDATES] == totals[STORED] - 7


def test_parallel_games_make_as_many_updates():
    training = trained(TOADS, f"dqn({SMALL}, lanes=4, updates=0.5)", games=40)
    totals = training.trainer.arrays()["buffer0.totals"]
    assert totals[UPDATES] == pytest.approx(totals[STORED] / 2, abs=8)


def test_the_target_network_is_copied_every_target_every_games():
    training = trained(TOADS, f"dqn({SMALL}, target_every=5)", games=12)
    kept = training.trainer.arrays()
    at_ten = trained(TOADS, f"dqn({SMALL}, target_every=5)", games=10).trainer.arrays()
    assert (kept["network0.target"] == at_ten["network0.online"]).all()
    assert (kept["network0.target"] != kept["network0.online"]).any()


@pytest.mark.parametrize(("games", "last"), [(10, 6), (11, 11), (15, 11)])
def test_copies_begin_after_the_game_that_is_named(games, last):
    settings = f"dqn({SMALL}, target_every=5, target_first=1)"
    kept = trained(TOADS, settings, games=games).trainer.arrays()
    assert (kept["network0.target"] == trained(TOADS, settings, games=last).trainer.arrays()["network0.online"]).all()
    assert (kept["network0.target"] == kept["network0.online"]).all() == (games == last)


def test_the_first_copy_comes_after_the_first_game_if_that_is_named():
    kept = trained(TOADS, "dqn(hidden=8, buffer=64, batch=2, target_every=5, target_first=1)", games=1).trainer.arrays()
    assert kept["buffer0.totals"][UPDATES] > 0
    assert (kept["network0.target"] == kept["network0.online"]).all()


def test_the_loss_curve_is_by_games():
    training = trained(TOADS, f"dqn({SMALL})", games=250, eval_every=250)
    line = training.lines[-1]
    assert [game for game, _ in line["losses"]] == [100, 200, 250]
    low, high = min(loss for _, loss in line["losses"]), max(loss for _, loss in line["losses"])
    assert 0 < low <= line["loss"] <= high
    assert training.trainer.metrics()["losses"] == []


# ---- the same bytes ----


@pytest.mark.parametrize(
    "learner",
    [
        "",
        "lanes=3, n_step=2, target_every=0, tau=0.1, double=true, random_plies=3",
        "mask=false",
        "symmetry=true, starts=any",
    ],
)
@pytest.mark.parametrize("opponent", ["self", "twin", "random"])
def test_pauses_and_restoring_change_nothing(learner, opponent, monkeypatch):
    learner = make_learner(f"dqn({SMALL}{', ' if learner else ''}{learner})")
    words = {"grade": "no", "eval_against": "none", "games": "12", "eval_every": "5", "opponent": opponent}
    game, plan = make_game(TOADS), make(Plan, "plan", words)
    whole = Training(game, learner, plan)
    whole.run()
    monkeypatch.setattr(lanes_module, "_PATIENCE", 0.0)
    paused = Training(game, learner, plan)
    while not paused.is_over:
        again = Training(game, learner, plan)
        if paused.trainer.games or paused.trainer.plies:
            again.trainer.restore({name: array.copy() for name, array in paused.trainer.arrays().items()})
        again.lines = paused.lines
        paused = again
        train_a_little(paused)
    assert all_bytes(paused) == all_bytes(whole)
    assert paused.lines == whole.lines


def train_a_little(training):
    """Learn until the trainer returns, and evaluate if that is due."""
    until = training.plan.next_evaluation(training.lines[-1]["games"] if training.lines else 0)
    name, end = training.plan.opponent.at(training.games)
    if training.trainer.learn(*training._against(name, end), until):
        training.lines.append(training._evaluate())


def test_another_seed_gives_another_network():
    first, other = (trained(TOADS, f"dqn({SMALL})", games=2, seed=seed).trainer.parameters() for seed in (1, 2))
    assert (first["weights.0"] != other["weights.0"]).any()


# ---- agents ----


def test_a_network_for_another_game_is_refused():
    parameters = trained(TOADS, f"dqn({SMALL})", games=2).trainer.parameters()
    with pytest.raises(LudusError, match="the network has 6 inputs and 2 outputs; TicTacToe needs 18 and 9"):
        make_learner("dqn").agent(make_game("tic-tac-toe"), parameters)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("biases.0", lambda array: array[:-1], r"weights\.0 should be of shape \(6, 7\), not \(6, 8\)"),
        ("biases.1", lambda array: array[None], r"weights\.1 should be of shape \(8, 1\), not \(8, 2\)"),
        ("weights.0", lambda array: array.astype(bool), r"weights\.0 should be float32, not bool"),
    ],
)
def test_layers_that_do_not_fit_each_other_are_refused(name, change, message):
    parameters = trained(TOADS, "dqn(hidden=8)", games=2).trainer.parameters()
    parameters[name] = change(parameters[name])
    with pytest.raises(LudusError, match=message):
        make_learner("dqn").agent(make_game(TOADS), parameters)


def played(slip, strip):
    """The policy of an agent whose highest output is always that of the third toad, the next that of the second."""
    parameters = {"weights.0": np.zeros((9, 3), np.float32), "biases.0": np.array([0, 1, 2], np.float32)}
    game = make_game("toads-and-frogs")
    agent = make_learner(f"dqn(slip={slip})").agent(game, parameters)
    return agent.policies(game, [game.parse_position(strip)]).tolist()[0]


def test_where_the_highest_output_is_illegal_the_best_legal_one_is_played():
    assert played("best", "TT__T_FFF toads") == [0, 1, 0]


def test_or_any_legal_one():
    assert played("random", "TT__T_FFF toads") == [0.5, 0.5, 0]


def test_where_the_highest_output_is_legal_it_is_played_anyway():
    assert played("random", "T_TT__FFF toads") == [0, 0, 1]


def test_the_agent_gives_its_action_values():
    training = trained(TOADS, f"dqn({SMALL})", games=2)
    evaluation = training.agent().evaluation(training.game, training.game.start())
    assert evaluation.keys() == {0}


# ---- settings ----


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("hidden=100-0", "write the units of each hidden layer, as in 100-150-100, not '100-0'"),
        ("hidden=many", "write the units of each hidden layer"),
        ("gamma=2", "gamma must be 0 to 1, not 2"),
        ("lanes=0", "lanes must be 1 to 16777216, not 0"),
        ("win=inf", "win must be a finite number, not inf"),
        ("learning_rate=0", "learning_rate must be above 0, always or from one number of games on, not 0"),
        ("learning_rate=0.5..0.1@results", "learning_rate must be above 0"),
        ("batch=500, buffer=100", "buffer must be at least batch, 500, not 100"),
        ("tau=0.1", "set one of them"),
        ("target_every=0", "set one of them"),
        ("reply=false, win=30", "without the reply a win is the other's loss: loss=-win"),
        ("explore=all", "illegal actions are tried with mask=false only: explore=legal"),
        ("lanes=3, updates=0.5", "lanes times updates must be a whole number, not 1.5"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, words):
    with pytest.raises(LudusError, match=words):
        make_learner(f"dqn({settings})")


def test_extra_rewards_of_a_game_that_gives_none_are_refused():
    with pytest.raises(LudusError, match="TicTacToe gives no extra rewards: shaping=0"):
        make_learner("dqn(shaping=1)").trainer(make_game("tic-tac-toe"))


def test_layers_are_written_as_they_are_read():
    assert str(make_learner("dqn(hidden=20-30)").hidden) == "20-30"


# ---- what it learns ----


@pytest.mark.slow
def test_it_learns_tic_tac_toe_to_a_guaranteed_draw_in_both_seats(tmp_path):
    run = ludus.train("tic-tac-toe", "dqn", preset="strong", out=tmp_path / "run", eval_against="none")
    assert run.metrics()[-1]["grade"]["exploitability"] == {"first": 0, "second": 0}
