"""The learner `alphazero`: its network, its training data, its updates, and runs that resume to the same bytes."""

import numpy as np
import pytest
from trained import all_bytes, finished, stubborn, trained

import ludus
from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.gumbel_search import SearchResults
from ludus.errors import LudusError
from ludus.game import num_actions, swaps_players, symmetries, transform, transform_action
from ludus.learning.alphazero import AlphaZero
from ludus.learning.alphazero.replay_buffer import (
    ILLEGAL,
    Batches,
    append,
    losses,
    new_buffer,
    new_train_state,
    new_trajectories,
    sample,
    store,
    update,
    with_room,
)
from ludus.learning.loop.lanes import COLUMNS, PLAYER, PLY
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import preset_for
from ludus.networks.deep import Trunk, new_residual, residual
from ludus.networks.inputs import encode
from ludus.parameters import make

SMALL = "alphazero(width=8, blocks=1, lanes=4, sims=4, batch=4, buffer=40, reuse=8, random_plies=2)"


def random_network(shape, actions, trunk):
    """A network whose last layers are not zero."""
    made = new_residual(shape, actions, trunk, 6, 2, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    return {name: rng.normal(0, 0.3, array.shape).astype(np.float32) for name, array in made.items()}


def relu(rows):
    return np.maximum(rows, 0)


def heads(net, rows):
    logits = rows @ net["policy.weights"] + net["policy.biases"]
    hidden = relu(rows @ net["value.0.weights"] + net["value.0.biases"])
    return logits, (hidden @ net["value.1.weights"] + net["value.1.biases"])[:, 0]


def convolved(net, name, board):
    """A 3x3 convolution by its definition: boards x rows x columns x channels."""
    made = np.zeros((*board.shape[:3], net[f"{name}.weights"].shape[3]))
    padded = np.pad(board, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for y in range(board.shape[1]):
        for x in range(board.shape[2]):
            made[:, y, x] = np.einsum("nyxc,yxcd->nd", padded[:, y : y + 3, x : x + 3], net[f"{name}.weights"])
    return made + net[f"{name}.biases"]


def dense_layer(net, name, rows):
    return rows @ net[f"{name}.weights"] + net[f"{name}.biases"]


def blocks(net, layer, rows):
    rows = relu(layer(net, "stem", rows))
    for block in range(2):
        rows = relu(rows + layer(net, f"block.{block}.1", relu(layer(net, f"block.{block}.0", rows))))
    return rows


def by_definition(net, inputs, trunk):
    if trunk is Trunk.CONV:
        rows = blocks(net, convolved, inputs.transpose(0, 2, 3, 1))
        return heads(net, relu(dense_layer(net, "flat", rows)).reshape(len(inputs), -1))
    return heads(net, blocks(net, dense_layer, inputs.reshape(len(inputs), -1)))


@pytest.mark.parametrize("trunk", [Trunk.DENSE, Trunk.CONV])
def test_networks_compute_what_is_written_down(trunk):
    net = random_network((2, 5, 6), 7, trunk)
    inputs = np.random.default_rng(2).normal(size=(3, 2, 5, 6)).astype(np.float32)
    for found, expected in zip(residual(net, inputs), by_definition(net, inputs, trunk), strict=True):
        assert np.asarray(found) == pytest.approx(expected, abs=1e-4)


def one_batch(game):
    """Two positions, one with illegal actions."""
    positions = [game.start(), game.play(game.start(), 4)]
    inputs, outputs = encode(game, np.array(positions))
    shares = np.random.default_rng(4).random(outputs.shape).astype(np.float32) * (outputs >= 0)
    policies = np.where(outputs >= 0, shares / shares.sum(axis=1, keepdims=True), ILLEGAL)
    return Batches(inputs, policies.astype(np.float32), np.array([0.5, -1.0], np.float32))


def test_losses_are_cross_entropies_over_legal_actions():
    game = ludus.make_game("tic-tac-toe")
    net, batch = random_network((2, 3, 3), 9, Trunk.DENSE), one_batch(game)
    logits, values = by_definition(net, batch.inputs, Trunk.DENSE)
    legal = batch.policies >= 0
    powers = np.exp(logits) * legal
    logs = np.log(np.where(legal, powers / powers.sum(axis=1, keepdims=True), 1))
    wins, shares = (1 + batch.values) / 2, 1 / (1 + np.exp(-values))
    policy = -np.where(legal, batch.policies * logs, 0).sum(axis=1).mean()
    value = -(wins * np.log(shares) + (1 - wins) * np.log(1 - shares)).mean()
    assert [float(loss) for loss in losses(net, batch)] == pytest.approx([policy, value], rel=1e-4)


def test_updates_are_steps_of_adam_with_weight_decay():
    game = ludus.make_game("tic-tac-toe")
    net, batch = random_network((2, 3, 3), 9, Trunk.DENSE), one_batch(game)
    rate, decay = 0.01, 0.1
    weights, means, squares = net["policy.biases"].astype(np.float64), np.zeros(9), np.zeros(9)
    others = {name: array for name, array in net.items() if name != "policy.biases"}
    state = new_train_state(net)
    for number in (1, 2):
        gradient = policy_gradient(others | {"policy.biases": weights}, batch)
        means, squares = 0.9 * means + 0.1 * gradient, 0.999 * squares + 0.001 * gradient**2
        step = means / (1 - 0.9**number) / (np.sqrt(squares / (1 - 0.999**number)) + 1e-8)
        weights = weights - rate * (step + decay * weights)
        batches = Batches(*(array[np.newaxis] for array in batch))
        state, _ = update(state, batches, rate, decay)
        others = {name: np.asarray(array) for name, array in state.parameters.items()}
        assert others["policy.biases"] == pytest.approx(weights, abs=1e-5)


def policy_gradient(net, batch):
    """The gradient of the policy loss in the biases of its last layer: probabilities minus targets."""
    logits, _ = by_definition(net, batch.inputs, Trunk.DENSE)
    powers = np.exp(logits) * (batch.policies >= 0)
    return (powers / powers.sum(axis=1, keepdims=True) - np.maximum(batch.policies, 0)).mean(axis=0)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "tapnswap", "toads-and-frogs", "chung-toi"])
def test_symmetries_transform_the_policy(name, plain):
    game = ludus.make_game(name)
    pos = game.start()
    for _ in range(3):
        pos = game.play(pos, ludus.actions(game.legal(pos))[-1])
    legal = ludus.actions(game.legal(pos))
    buffer = new_buffer(game, 4)
    buffer.rows[0], buffer.policies[0, legal], buffer.total[0] = pos, np.arange(1, len(legal) + 1), 1
    expected = set()
    for symmetry in range(symmetries(game)):
        turned = transform(game, pos, symmetry)
        inputs, outputs = encode(game, np.array([turned]))
        shares = np.full(num_actions(game), ILLEGAL)
        for share, action in enumerate(legal, 1):
            shares[outputs[0, transform_action(game, pos, action, symmetry)]] = share
        expected.add((inputs.tobytes(), tuple(shares)))
    batch = sample(game, buffer, 1, 400, np.array([5], np.uint64), symmetric=True)
    assert {(i.tobytes(), tuple(p)) for i, p in zip(batch.inputs[0], batch.policies[0], strict=True)} == expected
    plainly = sample(game, buffer, 1, 20, np.array([5], np.uint64), symmetric=False)
    assert len({i.tobytes() for i in plainly.inputs[0]}) == 1


def test_swaps_of_players_are_among_the_symmetries_tested():
    game = ludus.make_game("tapnswap")
    assert any(swaps_players(game, symmetry) for symmetry in range(symmetries(game)))


def verdict(value):
    return SearchResults(np.zeros(1, np.int64), np.full((1, 9), 1 / 9, np.float32), np.array([value], np.float32), None)


def test_the_value_target_mixes_the_search_value_and_the_result():
    game = ludus.make_game("tic-tac-toe")
    moves, buffer = new_trajectories(game, 2, room=1), new_buffer(game, 3)
    for ply, value in enumerate([0.1, 0.2, 0.3, 0.4]):
        state = np.zeros((1, COLUMNS), np.int64)
        state[0, [PLY, PLAYER]] = ply, ply % 2
        moves = with_room(moves)
        append(moves, np.array([1]), np.array([[ply, 0, 0]]), state, verdict(value))
    assert store(buffer, moves, 1, np.array([1, -1, 1, -1], np.float32), trust=0.25) == 4
    assert buffer.rows[:, 0].tolist() == [3, 1, 2]  # a ring of three
    assert buffer.values == pytest.approx([0.75 * -1 + 0.1, 0.75 * -1 + 0.05, 0.75 + 0.075])
    assert moves.counts.tolist() == [0, 0]


@pytest.mark.slow
def test_later_results_count_less_and_belong_to_the_mover():
    learner = "alphazero(width=4, blocks=0, lanes=1, sims=2, batch=4, buffer=50, trust=0, gamma=0.5, random_plies=0)"
    training = trained("mancala(holes=2, stones=2)", learner, games=1)
    game, trainer = training.game, training.trainer
    known = int(trainer.buffer.total[0])
    score = int(np.sign(trainer.lanes.scores[0]))
    for place, row in enumerate(trainer.buffer.rows[:known]):
        side = 1 if game.player(type(game.start())(*row.tolist())) == 0 else -1
        assert trainer.buffer.values[place] == pytest.approx(side * score * 0.5 ** (known - place))


@pytest.mark.slow
def test_a_game_that_was_cut_counts_as_a_draw():
    training = trained("tapnswap", SMALL.replace("sims=4", "sims=4, trust=0"), games=4, cap=3)
    assert training.trainer.results[:, 3].sum() == 8
    assert not training.trainer.buffer.values.any()


@pytest.mark.slow
def test_pauses_change_nothing():
    whole = trained("tic-tac-toe", SMALL, games=30)
    parts = Training(whole.game, whole.learner, whole.plan)
    parts.run(Watcher(every=1))
    assert all_bytes(parts) == all_bytes(whole)
    assert len(whole.trainer.curve) > 2


def test_another_seed_gives_another_network():
    assert all_bytes(trained("tic-tac-toe", SMALL, games=4)) != all_bytes(
        trained("tic-tac-toe", SMALL, games=4, seed=1)
    )


@pytest.mark.parametrize("opponent", ["self", "random:6,self:6,first"])
def test_a_training_resumes_from_any_moment_to_the_same_bytes(opponent):
    whole = trained("tic-tac-toe", SMALL, games=16, opponent=opponent, seed=3)
    early = Training(whole.game, whole.learner, whole.plan)
    for _ in range(5):
        name, end = early.plan.opponent.at(early.games)
        early.trainer.learn(*early._against(name, end), min(early.games + 1, end))
    late = Training(whole.game, whole.learner, whole.plan)
    late.trainer.restore({name: array.copy() for name, array in early.trainer.arrays().items()})
    late.run()
    assert all_bytes(late) == all_bytes(whole)


def test_opponents_in_plain_python_are_played(tmp_path):
    training = trained("tic-tac-toe", SMALL, games=6, opponent=stubborn(tmp_path))
    assert training.trainer.results.sum() == 6


def test_a_forbidden_action_is_never_taken():
    learner = SMALL.replace("random_plies=2", "random_plies=0").replace("buffer=40", "buffer=400")
    training = trained("tic-tac-toe", learner, games=8, forbid="first:action b2")
    buffer = training.trainer.buffer
    start = (buffer.rows[: int(buffer.total[0])] == training.game.start()).all(axis=1)
    assert start.any()
    assert not buffer.policies[: len(start)][start][:, 4].any()


def test_what_does_not_fit_is_refused():
    game = ludus.make_game("tic-tac-toe")
    other = make(AlphaZero, "alphazero", {"width": "8"})
    network = other.network(ludus.make_game("connect-four"), np.random.default_rng(0))
    with pytest.raises(LudusError, match=r"the network does not fit TicTacToe: stem\.weights should be of shape"):
        other.agent(game, network)
    with pytest.raises(LudusError, match="alphazero has no twin"):
        trained("tic-tac-toe", SMALL, opponent="twin", games=1)
    with pytest.raises(LudusError, match="needs a board"):
        trained("tapnswap", "alphazero(trunk=conv)", games=1)
    with pytest.raises(LudusError, match="gives no observe"):
        trained("tests/user_games/nim.py", "alphazero", games=1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("sims=0", "sims must be 1 to 10,000, not 0"),
        ("gamma=0", "gamma must be 0.01 to 1, not 0.0"),
        ("buffer=10", "buffer must be 256, a batch, or more, not 10"),
        ("scale=-1", "scale must be 0 or more, not -1"),
        ("trunk=round", "trunk must be auto, dense or conv, not 'round'"),
    ],
)
def test_settings_out_of_range_are_refused(settings, words):
    with pytest.raises(LudusError, match=words):
        catalog.make_learner(f"alphazero({settings})")


def test_the_agent_is_the_policy_without_search():
    training = trained("tic-tac-toe", SMALL, games=16)
    agent, game = training.agent(), training.game
    shares = agent.evaluation(game, game.start())
    assert sum(shares.values()) == pytest.approx(1)
    assert agent.policies(game, [game.start()])[0].argmax() == max(shares, key=shares.get)


def test_a_run_guides_a_search(tmp_path):
    run = finished(tmp_path / "run", SMALL, "tic-tac-toe", games=4, eval_every=4, grade="no", eval_against="none")
    guided = agent_for(ludus.make_agent(f"guided(run={run.path}, sims=20)"), run.game)
    result = ludus.play_match(run.game, guided, ludus.make_agent("random"), 20, seed=1)
    assert result.all.b_wins < result.all.a_wins


@pytest.mark.slow
def test_it_learns_tic_tac_toe_to_a_guaranteed_draw():
    learner, settings = preset_for("strong", "alphazero", ludus.make_game("tic-tac-toe"))
    plan = make(Plan, "plan", settings | {"eval_against": "none", "eval_every": settings["games"]})
    training = Training(ludus.make_game("tic-tac-toe"), make(AlphaZero, "alphazero", learner), plan)
    training.run()
    assert training.lines[-1]["grade"]["exploitability"] == {"first": 0, "second": 0}
