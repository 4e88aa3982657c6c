"""Truth over training: the error of every value in a table, against a slow and obvious computation."""

import numpy as np
import pytest
from conftest import EXAMPLES

import ludus
from ludus.agents.tabular import find_entry, new_entries, stored_action, symmetry_for
from ludus.catalog import make_learner
from ludus.learning.loop.evaluation import Rewards, errors, has_errors, rewards_of
from ludus.learning.loop.plan import Graded, Names, Plan
from ludus.learning.loop.training import Training

PIG = EXAMPLES / "pig.py"
PLAIN = ("mancala(holes=2, stones=2)", "toads-and-frogs(toads=2, frogs=2, gaps=2)")
POINTS = Rewards(1.0, -1.0, 0.0, False, 1.0)


def trained(game, learner, *, grade=Graded.NO):
    training = Training(
        game, make_learner(learner), Plan(games=300, eval_every=300, eval_against=Names(()), grade=grade)
    )
    training.run()
    return training


def reached(game):
    """All positions that can be reached and are not ended, with their actions."""
    seen, waiting = {}, [game.start()]
    while waiting:
        pos = waiting.pop()
        if pos not in seen:
            seen[pos] = ludus.actions(game.legal(pos))
            waiting += [game.play(pos, action) for action in seen[pos]]
    return {pos: actions for pos, actions in seen.items() if actions}


def reward(learner, own, plies):
    """The reward of a result for the player, discounted by its own moves on the way there."""
    paid = own if learner.margin else learner.win if own > 0 else learner.loss if own < 0 else learner.draw
    if plies is None:
        return paid if learner.gamma == 1 else 0.0
    for _ in range(plies // 2):
        paid *= learner.gamma
    return paid


def kept(game, entries, pos, actions):
    """Where a position is in the table, and the place of each action there."""
    table = game.player(pos) if len(entries.values) == 2 else 0
    symmetry = symmetry_for(game, pos, entries)
    number = find_entry(game, pos, symmetry, entries, table, np.zeros(len(pos), np.int64))
    return (table, number), {action: stored_action(game, pos, action, symmetry) for action in actions}


def plainly(game, learner, entries, solution):
    """{(result, plies): the errors of its values by their place} and the same of decisions and how right they are."""
    found, right = {}, {}
    for pos, actions in reached(game).items():
        place, names = kept(game, entries, pos, actions)
        if place[1] < 0 or not entries.visits[place].any():
            continue
        player, values = game.player(pos), {action: entries.values[place][names[action]] for action in actions}
        after = {action: solution.value(game.play(pos, action)) for action in actions}
        own = {action: -value.score if player else value.score for action, value in after.items()}
        for action in actions:
            if entries.visits[place][names[action]]:
                error = abs(values[action] - reward(learner, own[action], after[action].plies))
                group = after[action].outcome(player), after[action].plies
                found.setdefault(group, {})[*place, names[action]] = error
        if len(set(own.values())) > 1:
            truth = solution.value(pos)
            group = truth.outcome(player), None if truth.plies is None else truth.plies - 1
            top = [action for action in actions if values[action] == max(values.values())]
            best = [action for action in top if own[action] == max(own.values())]
            right.setdefault(group, {})[place] = len(best) / len(top)
    return found, right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "learner"),
    [
        ("tic-tac-toe", "q-table"),
        ("tic-tac-toe", "q-table(gamma=0.8, symmetry=true, draw=0.25)"),
        ("tic-tac-toe", "q-table(tables=roles, win=2)"),
        ("tapnswap", "q-table(alpha=0.5, epsilon=0.5)"),
        ("tapnswap", "q-table(gamma=0.9, tables=mover)"),
        ("tapnswap", "q-table(gamma=0.9, tables=roles, epsilon=0.5)"),
        ("tapnswap", "q-table(gamma=0.9, symmetry=true, draw=0.5)"),
        ("mancala(holes=2, stones=2)", "q-table(margin=true, gamma=0.9, epsilon=0.5)"),
        ("mancala(holes=2, stones=2)", "q-table(symmetry=true, epsilon=0.5)"),
        ("toads-and-frogs(toads=2, frogs=2, gaps=2)", "q-table(symmetry=true, epsilon=0.5)"),
    ],
)
def test_errors_are_those_that_plain_python_finds(name, learner, monkeypatch):
    if name in PLAIN:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game, config = ludus.make_game(name), make_learner(learner)
    entries, solution = trained(game, learner).agent().entries, ludus.solve(game)
    found, right = plainly(game, config, entries, solution)
    report = errors(entries, solution, rewards_of(config))
    groups = dict(zip(zip(report.result, report.plies, strict=True), zip(*report[2:], strict=True), strict=True))
    assert groups.keys() == found.keys() | right.keys()
    for group, (entry_count, mean, most, decisions, share) in groups.items():
        wrong, judged = list(found.get(group, {}).values()), list(right.get(group, {}).values())
        assert (entry_count, decisions) == (len(wrong), len(judged))
        assert mean == pytest.approx(sum(wrong) / max(len(wrong), 1), abs=2e-6)
        assert most == pytest.approx(max(wrong, default=0), abs=2e-6)
        assert share == pytest.approx(sum(judged), abs=2e-6)


def test_one_wrong_value_is_grouped_by_the_result_and_plies_of_its_action():
    game = ludus.make_game("tapnswap")
    entries = new_entries(game, 1, by_seat=False, symmetric=False)
    solution, start = ludus.solve(game), game.index(game.start())
    action = ludus.actions(game.legal(game.start()))[0]
    entries.values[0, start, action], entries.visits[0, start, action] = 0.25, 1
    report, truth = errors(entries, solution, POINTS), solution.value(game.play(game.start(), action))
    assert (report.result, report.plies, report.entries, report.mean, report.max) == (
        [truth.outcome(0)],
        [truth.plies],
        [1],
        [1.25],
        [1.25],
    )


def test_draws_without_an_end_are_a_group_of_their_own_and_come_last():
    game = ludus.make_game("tapnswap")
    report = errors(trained(game, "q-table").agent().entries, ludus.solve(game), POINTS)
    assert {result for result, plies in zip(report.result, report.plies, strict=True) if plies is None} == {"draw"}


@pytest.mark.slow
def test_each_evaluation_of_a_q_table_holds_its_errors():
    line = trained(ludus.make_game("tapnswap"), "q-table", grade=Graded.AUTO).lines[-1]
    assert line["error"].keys() == {"result", "plies", "entries", "mean", "max", "decisions", "optimal"}
    assert sum(line["error"]["entries"]) > 0


@pytest.mark.parametrize("learner", ["move-weights", "q-table(shaping=1)"])
def test_values_that_are_no_rewards_of_results_have_no_errors(learner):
    assert rewards_of(make_learner(learner)) is None


def test_a_table_that_mixes_unlike_seats_has_no_errors(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game("fox-and-hounds(size=4)")
    solution = ludus.solve(game)
    assert not has_errors(new_entries(game, 1, by_seat=True, symmetric=False), solution)
    assert has_errors(new_entries(game, 2, by_seat=True, symmetric=False), solution)


def test_a_game_of_chance_has_no_errors(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    game = ludus.make_game(f"{PIG}(target=5)")
    assert not has_errors(new_entries(game, 1, by_seat=False, symmetric=False), ludus.solve(game))
