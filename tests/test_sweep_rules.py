"""The rules of sweeps on hand-made results: put-back, branches, selection, who plays on."""

import json

import pytest

from ludus.errors import LudusError
from ludus.study.sweep import Candidate, Kind, Order, Round, Score, Sweep, as_json, load, save
from ludus.study.sweep.rounds import (
    PROGRAM_ORDERS,
    first_agents,
    next_round,
    opponent_in,
    require_names_apart,
    selected,
    settled,
)

GRID = {"epsilon": ("0.1", "0.2"), "opponent": ("random", "twin")}
FIRST = Order(Kind.GRID, 100, 50)
AGAIN = Order(Kind.RETRAIN, 100)
BRANCH = Order(Kind.RETRAIN, 100, change_opponent=True)
BEST = Order(Kind.RETRAIN_BEST, 500, keep=0.3)


def sweep_of(*rounds, grid=GRID):
    return Sweep("tapnswap", "q-table", {}, grid, 0, 10, 1, tuple(done.order for done in rounds), rounds)


def finished(last, points, matches=()):
    """The round with all trained, these matches by name (else 10 to 0), and these points by name."""
    agents = []
    for agent in last.agents:
        match = dict(matches).get(agent.name, Score(10, 0, 0)) if agent.before and not agent.is_branch else None
        after = settled(agent, last.order.games, match) if agent.trained else agent
        agents.append(after._replace(points=points.get(agent.name, 0.0)))
    return last._replace(agents=tuple(agents), is_finished=True)


@pytest.fixture
def one_round():
    last = next_round(sweep_of(), FIRST)
    points = {"epsilon=0.1_vs-random": 3.0, "epsilon=0.1_vs-twin": 10.0, "epsilon=0.2_vs-random": 2.5}
    return sweep_of(finished(last, points))


def by_name(done):
    return {agent.name: agent for agent in done.agents}


def test_the_grid_has_an_agent_for_each_point_and_opponent():
    assert [agent.name for agent in first_agents(sweep_of())] == [
        "epsilon=0.1_vs-random",
        "epsilon=0.1_vs-twin",
        "epsilon=0.2_vs-random",
        "epsilon=0.2_vs-twin",
    ]


def test_a_new_agent_has_no_old_self():
    assert {agent.before for agent in next_round(sweep_of(), FIRST).agents} == {""}


@pytest.mark.parametrize(("wins", "losses", "put_back"), [(4, 6, True), (5, 5, False), (0, 0, False), (6, 4, False)])
def test_only_an_agent_that_loses_to_its_old_self_is_put_back(wins, losses, put_back):
    agent = Candidate("a", {}, ("random",), run="1/a", games=100, trained="2/a", before="1/a")
    after = settled(agent, 50, Score(wins, losses, 10 - wins - losses))
    assert after.put_back is put_back
    assert (after.run, after.games) == (("1/a", 100) if put_back else ("2/a", 150))


def test_retraining_continues_all_agents(one_round):
    last = next_round(one_round, AGAIN)
    assert [agent.name for agent in last.agents] == [agent.name for agent in one_round.rounds[0].agents]
    assert all(agent.before == f"1/{agent.name}" and agent.trained == f"2/{agent.name}" for agent in last.agents)


def test_a_change_of_opponents_branches_each_agent(one_round):
    last = by_name(next_round(one_round, BRANCH))
    assert len(last) == 8
    branch = last["epsilon=0.1_vs-random_vs-twin"]
    assert (branch.opponents, branch.before) == (("random", "twin"), "1/epsilon=0.1_vs-random")
    assert (branch.is_branch, branch.games) == (True, 100)


def test_branches_branch_again_but_are_not_made_twice(one_round):
    second = finished(next_round(one_round, BRANCH), {})
    third = by_name(next_round(sweep_of(*one_round.rounds, second), BRANCH))
    assert len(third) == 12
    assert third["epsilon=0.1_vs-random_vs-twin"].before == "2/epsilon=0.1_vs-random_vs-twin"
    assert third["epsilon=0.1_vs-random_vs-twin_vs-random"].is_branch


def test_an_agent_that_was_put_back_continues_from_its_old_self(one_round):
    loser = "epsilon=0.2_vs-twin"
    second = finished(next_round(one_round, AGAIN), {}, {loser: Score(1, 9, 0)})
    third = by_name(next_round(sweep_of(*one_round.rounds, second), AGAIN))
    assert third[loser].before == f"1/{loser}"
    assert third["epsilon=0.1_vs-twin"].before == "2/epsilon=0.1_vs-twin"


def test_survivors_have_at_least_the_fraction_of_the_best_points():
    agents = [Candidate(name, {}, ("random",), points=points) for name, points in (("a", 10.0), ("b", 3.0), ("c", 2.9))]
    assert selected(agents, 0.3) == {"a", "b"}


def test_all_agents_of_a_surviving_setting_stay_but_only_survivors_are_trained(one_round):
    last = next_round(one_round, Order(Kind.RETRAIN_BEST, 500, keep=0.5))
    assert {name: bool(agent.trained) for name, agent in by_name(last).items()} == {
        "epsilon=0.1_vs-random": False,
        "epsilon=0.1_vs-twin": True,
    }
    assert last.dropped == ("epsilon=0.2_vs-random", "epsilon=0.2_vs-twin")


def test_an_agent_that_is_not_retrained_plays_unchanged(one_round):
    resting = by_name(next_round(one_round, Order(Kind.RETRAIN_BEST, 500, keep=0.5)))["epsilon=0.1_vs-random"]
    assert (resting.run, resting.is_settled, resting.points) == ("1/epsilon=0.1_vs-random", True, None)


def test_the_best_can_be_retrained_again(one_round):
    second = finished(next_round(one_round, BEST), {"epsilon=0.1_vs-random": 4.0, "epsilon=0.1_vs-twin": 1.0})
    third = next_round(sweep_of(*one_round.rounds, second), BEST)
    assert {name: bool(agent.trained) for name, agent in by_name(third).items()} == {
        "epsilon=0.1_vs-random": True,
        "epsilon=0.1_vs-twin": False,
    }


def test_a_sweep_is_read_back_as_it_was_saved(one_round, tmp_path):
    second = finished(next_round(one_round, BRANCH), {}, {"epsilon=0.1_vs-twin": Score(2, 8, 0)})
    sweep = sweep_of(*one_round.rounds, second)
    save(sweep, tmp_path)
    assert load(tmp_path) == sweep
    assert as_json(sweep)["rounds"][1]["agents"][1]["put_back"] is True


def test_a_folder_without_a_sweep_says_how_to_begin_one(tmp_path):
    with pytest.raises(LudusError, match=r"there is no sweep in .*: begin one with ludus sweep GAME LEARNER"):
        load(tmp_path)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"ludus": 2}'])
def test_a_damaged_sweep_is_reported(tmp_path, content):
    (tmp_path / "sweep.json").write_text(content)
    with pytest.raises(LudusError, match=r"sweep\.json is damaged"):
        load(tmp_path)


def test_a_sweep_of_another_version_is_refused(one_round, tmp_path):
    (tmp_path / "sweep.json").write_text(json.dumps(as_json(one_round) | {"ludus": 99}))
    with pytest.raises(LudusError, match="another version of Ludus"):
        load(tmp_path)


def test_agents_that_would_share_a_folder_are_refused():
    agents = first_agents(sweep_of(grid={"opponent": ("perfect(skill=0.5)", "perfect/skill=0.5")}))
    with pytest.raises(LudusError, match="two agents of the grid would be called"):
        require_names_apart(agents)


def test_a_round_that_is_over_is_no_longer_under_way():
    assert not sweep_of(Round(FIRST, ())).is_finished
    assert sweep_of(Round(FIRST, (), is_finished=True)).is_finished


def test_where_it_is_ordered_all_meet_the_other_opponent_whatever_they_are_called_after(one_round):
    named, other = (BRANCH._replace(other_opponent=given) for given in (False, True))
    agents = next_round(one_round, named).agents
    met = {agent.name: [opponent_in(one_round, agent, order) for order in (named, other)] for agent in agents}
    assert met["epsilon=0.1_vs-random"] == ["random", "twin"]
    assert met["epsilon=0.1_vs-twin"] == ["twin", "random"]
    assert met["epsilon=0.1_vs-random_vs-twin"] == ["twin", "twin"]
    assert met["epsilon=0.1_vs-twin_vs-random"] == ["random", "random"]


def test_the_third_of_the_program_s_rounds_of_the_best_is_the_shorter_one():
    assert [order.games for order in PROGRAM_ORDERS] == [5000, 5000, 50_000, 50_000, 40_000, 50_000, 50_000]
