"""Deep Q-learning: updates by hand, what is remembered beside a naive twin, and the same bytes whatever the pauses."""

import numpy as np
import pytest
from naive.dqn import LEARNER, OPPONENT, TWIN, Game, Options
from trained import all_bytes, trained

import ludus
from ludus.catalog import make_game, make_learner
from ludus.compiled.randomness import new_state
from ludus.errors import LudusError
from ludus.learning.dqn.network import Kind, functions, loss_of, new_mind, parameters, to_arrays, to_mind, wanted_of
from ludus.learning.dqn.replay_buffer import STORED, UPDATES, draw_rows, new_memory, parts, store
from ludus.learning.loop import lanes as lane_student
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training
from ludus.networks.deep import dense
from ludus.parameters import make

TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
MANCALA = "mancala(holes=2, stones=2)"
SMALL = "hidden=8, buffer=64, batch=8"
NEVER_LEARNS = "hidden=8, buffer=5000, batch=5000"

SIZES, RATE = (2, 3, 2), np.float32(0.01)
BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))


@pytest.fixture(autouse=True)
def in_plain_python(request, monkeypatch):
    """Kernels run as plain Python where a test does not say otherwise: that is quicker than compiling them."""
    if "either" not in request.fixturenames and request.node.get_closest_marker("slow") is None:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


# ---- updates by hand ----


def rows_of(*moves):
    """Rows of (inputs, taken, earned, discount, next inputs, can be taken)."""
    return np.array([[*seen, taken, earned, d, *then, *can] for seen, taken, earned, d, then, can in moves], np.float32)


def outputs_of(kind, flat, inputs):
    return dense(parameters(kind, np.asarray(flat)), np.array([inputs], np.float32))[0]


def test_an_update_is_a_step_of_adam_down_the_huber_loss():
    kind = Kind(SIZES, tau=0.0, double=False)
    mind = new_mind(kind, [5])
    before = {name: array.astype(np.float64) for name, array in parameters(kind, np.asarray(mind.network)).items()}
    seen, taken, earned = np.array([0.5, -1.0]), 1, 3.0
    rows = rows_of((seen, taken, earned, 0.0, seen, (0, 0)))
    hidden = seen @ before["weights.0"] + before["biases.0"]
    active = np.maximum(hidden, 0)
    error = (active @ before["weights.1"] + before["biases.1"])[taken] - earned
    slope = np.clip(error, -1, 1)  # of the Huber loss
    out = np.array([0.0, slope])
    back = (before["weights.1"] @ out) * (hidden > 0)
    slopes = {"biases.0": back, "biases.1": out, "weights.0": np.outer(seen, back), "weights.1": np.outer(active, out)}
    learned, _ = functions(kind).learn(mind, RATE, rows[None], np.zeros((1, 2), np.float32))
    after = parameters(kind, np.asarray(learned.network))
    for name, by in slopes.items():  # Adam's first step: both moments, freed of their bias, are the slope's own
        assert after[name] == pytest.approx(before[name] - 0.01 * by / (np.abs(by) + 1e-8), abs=1e-6)
    assert float(learned.loss) == pytest.approx(abs(error) - 0.5 if abs(error) > 1 else error**2 / 2, rel=1e-5)


def test_small_errors_are_squared_and_large_ones_are_not():
    said, taken = np.array([[7.0, -1.0]]), np.array([1])
    for error, loss in ((0.5, 0.125), (3.0, 2.5)):
        assert float(loss_of(said, taken, np.array([-1.0 + error]))) == pytest.approx(loss)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("can", [(1, 1), (1, 0), (0, 1)])
def test_what_is_wanted_is_what_was_earned_and_the_best_that_can_be_taken_next(double, can):
    kind = Kind(SIZES, 0.0, double)
    network, target = new_mind(kind, [1]).network, new_mind(kind, [2]).network
    rows = rows_of(((1, 2), 0, 0.25, 0.81, (-1, 0.5), can))  # gamma 0.9, two steps
    held = outputs_of(kind, target, (-1, 0.5))
    guide = outputs_of(kind, network if double else target, (-1, 0.5))
    best = max((output for output in (0, 1) if can[output]), key=lambda output: guide[output])
    assert float(wanted_of(kind, network, target, rows)[0]) == pytest.approx(0.25 + 0.81 * held[best], rel=1e-5)


def test_these_networks_differ_on_what_is_best():
    kind = Kind(SIZES, 0.0, True)
    said = [outputs_of(kind, new_mind(kind, [seed]).network, (-1, 0.5)) for seed in (1, 2)]
    assert said[0].argmax() != said[1].argmax()


def test_a_last_move_is_worth_what_was_earned_alone():
    kind = Kind(SIZES, 0.0, True)
    mind = new_mind(kind, [1])
    rows = rows_of(((1, 2), 0, -15.0, 0.0, (1, 2), (0, 0)))
    assert float(wanted_of(kind, mind.network, mind.target, rows)[0]) == -15.0


def test_many_updates_in_one_call_are_those_one_after_another():
    kind = Kind(SIZES, 0.1, True)
    generator = np.random.default_rng(1)
    batches = np.abs(generator.normal(size=(3, 4, 9))).astype(np.float32)
    batches[:, :, 2] = generator.integers(0, 2, (3, 4))
    asked = np.ones((1, 2), np.float32)
    at_once, said = functions(kind).learn(new_mind(kind, [1]), RATE, batches, asked)
    one_by_one = new_mind(kind, [1])
    for batch in batches:
        one_by_one, said_last = functions(kind).learn(one_by_one, RATE, batch[None], asked)
    assert np.asarray(at_once.network) == pytest.approx(np.asarray(one_by_one.network), abs=1e-6)
    assert np.asarray(said) == pytest.approx(np.asarray(said_last), abs=1e-6)


def test_a_soft_copy_moves_by_a_part_at_each_update():
    kind = Kind(SIZES, 0.25, False)
    mind = new_mind(kind, [1])
    target = np.asarray(mind.target).copy()
    learned, _ = functions(kind).learn(
        mind, RATE, rows_of(((1, 2), 0, 3.0, 0.0, (1, 2), (0, 0)))[None], np.zeros((1, 2), np.float32)
    )
    assert np.asarray(learned.target) == pytest.approx(target + 0.25 * (np.asarray(learned.network) - target), abs=1e-6)


def test_a_mind_is_kept_and_read_back_whole():
    kind = Kind(SIZES, 0.25, False)
    rows, asked = rows_of(((1, 2), 0, 3.0, 0.0, (1, 2), (0, 0)))[None], np.zeros((1, 2), np.float32)
    mind, _ = functions(kind).learn(new_mind(kind, [1]), RATE, rows, asked)
    kept = to_arrays(mind)
    on, _ = functions(kind).learn(mind, RATE, rows, asked)
    again, _ = functions(kind).learn(to_mind(kind, kept), RATE, rows, asked)
    for name, array in to_arrays(on).items():
        assert array.tobytes() == to_arrays(again)[name].tobytes(), name


# ---- memory ----


def test_the_oldest_move_is_forgotten():
    memory = new_memory(3, 1, 2)
    for number in range(5):
        store(memory, np.array([number]), 1, number / 2, 0.9, np.array([-number]), np.array([-1, 0]), True)
    batch = parts(memory.rows, 1)
    assert sorted(batch.inputs[:, 0]) == [2, 3, 4]
    assert batch.can_be_taken.tolist() == [[True, False]] * 3


def test_batches_are_drawn_from_what_is_held_and_depend_on_the_number_of_the_update():
    memory = new_memory(100, 1, 2)
    for number in range(7):
        store(memory, np.array([1 + number]), 0, 0.0, 0.0, np.array([0]), np.array([0, 1]), True)
    out = np.zeros((2, 50, memory.rows.shape[1]), np.float32)
    draw_rows(memory, np.uint64(3), new_state(), out)
    assert set(out[:, :, 0].ravel().tolist()) == set(range(1, 8))
    second = out[1].copy()
    memory.totals[UPDATES] = 1
    draw_rows(memory, np.uint64(3), new_state(), out)
    assert (out[0] == second).all()
    assert (out[1] != second).any()


# ---- what is remembered, beside a naive twin ----


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
    "astray": ("tic-tac-toe", "random_plies=5", Options(random_plies=5), BOTH, {}),
    "second astray": (TOADS, "random_plies=4, random_side=second", Options(random_plies=4, wanderers=(1,)), BOTH, {}),
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
def test_what_is_remembered_is_what_a_naive_twin_remembers(case, lanes):
    name, learner, options, holders, plan = case
    words = ", ".join(filter(None, [NEVER_LEARNS, f"epsilon=0.5, lanes={lanes}", learner]))
    other = plan.get("opponent", "self")
    training = trained(name, f"dqn({words})", games=30, seed=4, **plan | {"opponent": f"{other}:30,{other}"})
    minds = training.trainer.arrays()
    kind = training.trainer.kind
    networks = {
        who: parameters(kind, minds.get(f"mind{place}.network"))
        for place, who in ((0, LEARNER), (1, TWIN))
        if f"mind{place}.network" in minds
    }
    expected = {LEARNER: [], TWIN: []}
    for number in range(30):
        for who, row in Game(training.game, options, holders[number % 2], networks, number, seed=4).stored():
            expected[who].append(row)
    for place, who in enumerate(networks):
        rows, wanted = minds[f"memory{place}.rows"].tolist(), np.float32(expected[who]).tolist()
        if lanes > 1:  # games overlap
            rows, wanted = sorted(rows), sorted(wanted)
        assert np.array(rows) == pytest.approx(np.array(wanted), abs=1e-5)
    assert len(expected[LEARNER]) > 30


# ---- how often it learns ----


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_there_is_one_update_for_each_move_once_there_are_enough_to_draw_from(opponent):
    training = trained(TOADS, f"dqn({SMALL})", games=12, opponent=opponent)
    totals = training.trainer.arrays()["memory0.totals"]
    assert totals[STORED] > 30
    assert totals[UPDATES] == totals[STORED] - 7


def test_side_by_side_there_are_as_many_updates():
    training = trained(TOADS, f"dqn({SMALL}, lanes=4, updates=0.5)", games=40)
    totals = training.trainer.arrays()["memory0.totals"]
    assert totals[UPDATES] == pytest.approx(totals[STORED] / 2, abs=8)


def test_the_copy_is_made_anew_every_so_many_games():
    training = trained(TOADS, f"dqn({SMALL}, target_every=5)", games=12)
    kept = training.trainer.arrays()
    at_ten = trained(TOADS, f"dqn({SMALL}, target_every=5)", games=10).trainer.arrays()
    assert (kept["mind0.target"] == at_ten["mind0.network"]).all()
    assert (kept["mind0.target"] != kept["mind0.network"]).any()


def test_losses_are_told_by_games():
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
    monkeypatch.setattr(lane_student, "_PATIENCE", 0.0)
    paused = Training(game, learner, plan)
    while not paused.is_over:
        again = Training(game, learner, plan)
        if paused.trainer.games or paused.trainer.plies:
            again.trainer.restore({name: array.copy() for name, array in paused.trainer.arrays().items()})
        again.lines = paused.lines
        paused = again
        go_on_a_little(paused)
    assert all_bytes(paused) == all_bytes(whole)
    assert paused.lines == whole.lines


def go_on_a_little(training):
    """Learn until the trainer returns, and measure if it is time."""
    until = training.plan.next_measure(training.lines[-1]["games"] if training.lines else 0)
    name, end = training.plan.opponent.at(training.games)
    if training.trainer.learn(*training._against(name, end), until):
        training.lines.append(training._measure())


def test_another_seed_gives_another_network():
    first, other = (trained(TOADS, f"dqn({SMALL})", games=2, seed=seed).trainer.parameters() for seed in (1, 2))
    assert (first["weights.0"] != other["weights.0"]).any()


# ---- agents ----


def test_a_network_for_another_game_is_refused():
    parameters = trained(TOADS, f"dqn({SMALL})", games=2).trainer.parameters()
    with pytest.raises(LudusError, match="the network has 6 inputs and 2 outputs; TicTacToe needs 18 and 9"):
        make_learner("dqn").agent(make_game("tic-tac-toe"), parameters)


def played(slip, strip):
    """What an agent plays whose highest output is always that of the third toad, and the next that of the second."""
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


def test_it_says_what_it_thinks_of_each_action():
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
def test_tic_tac_toe_is_learned_to_a_sure_draw_in_either_seat(tmp_path):
    run = ludus.train("tic-tac-toe", "dqn", preset="strong", out=tmp_path / "run", eval_against="none")
    assert run.metrics()[-1]["grade"]["exploitability"] == {"first": 0, "second": 0}
