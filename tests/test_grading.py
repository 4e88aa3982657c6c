"""Grades: every number against plain recursion, for all kinds of agents and games."""

import io
import json
import sys
from typing import NamedTuple

import numpy as np
import pytest
from conftest import EXAMPLES
from naive_grade import Naive, assert_same
from rich.console import Console

import ludus
from ludus.agents.perfect import Perfect
from ludus.agents.policies import ended_after
from ludus.agents.program import Program
from ludus.agents.simple import First, Random
from ludus.commands import grade as grades
from ludus.compiled.masks import actions
from ludus.game import num_actions
from ludus.grading import grade as grade_module
from ludus.grading.grade import grade
from ludus.grading.mistakes import kinds_of
from ludus.grading.sample import MOST_NODES, sampled_positions
from ludus.solving.solver import Searched, solve

TIC_TAC_TOE = ludus.make_game("tic-tac-toe")
MANCALA = ludus.make_game("mancala(holes=2, stones=2)")
PIG = ludus.make_game(f"{EXAMPLES / 'pig.py'}(target=6, faces=2)")


class PlainRandom:
    """Random in plain Python."""

    def policy(self, game, pos, out):
        legal = actions(game.legal(pos))
        out[legal] = 1 / len(legal)


class BatchedRandom:
    """Random over many positions at once."""

    def policies(self, game, positions):
        table = np.zeros((len(positions), num_actions(game)))
        for row, pos in zip(table, positions, strict=True):
            legal = actions(game.legal(pos))
            row[legal] = 1 / len(legal)
        return table


class PlainFirst:
    """The lowest action, in plain Python; it says that it met a position as often as its first field is high."""

    def policy(self, game, pos, out):
        out[actions(game.legal(pos))[0]] = 1

    def visits(self, game, pos):
        return pos[0]


# ---- every number, for games without loops ----


@pytest.fixture(scope="module", params=["random at tic-tac-toe", "first at tic-tac-toe", "first at mancala"])
def case(request):
    agent = Random() if request.param.startswith("random") else First()
    game = MANCALA if request.param.endswith("mancala") else TIC_TAC_TOE
    return Naive(game, agent), grade(agent, game)


def test_the_tally_of_all_positions_agrees_with_plain_recursion(case):
    naive, graded = case
    assert_same(graded.all, naive.tally(naive.reachable()))


@pytest.mark.parametrize("seat", [0, 1])
def test_the_tally_of_own_play_agrees_with_plain_recursion(case, seat):
    naive, graded = case
    own = [pos for pos in naive.reachable(seat) if naive.game.player(pos) == seat]
    assert_same(graded.own_play[seat], naive.tally(own))


@pytest.mark.parametrize("seat", [0, 1])
def test_the_guarantee_agrees_with_play_against_all_opponents(case, seat):
    naive, graded = case
    guarantee = graded.guarantee[seat]
    assert guarantee.score == pytest.approx(naive.response(seat))
    if isinstance(naive.agent, First):
        assert guarantee.result == ("loss", "draw", "win")[int(np.sign(guarantee.score)) + 1]
        assert isinstance(graded.all.optimal, int)
    else:
        assert guarantee.result is None
        assert guarantee.worst_case == "loss"


@pytest.mark.parametrize("seat", [0, 1])
def test_exploitability_is_the_value_of_the_game_minus_the_score_against_all_opponents(case, seat):
    naive, graded = case
    value = naive.value(naive.game.start())[0] * (1 if seat == 0 else -1)
    assert graded.exploitability[seat] == pytest.approx(value - naive.response(seat))
    assert graded.exploitability[seat] >= 0


def test_accuracy_is_the_share_of_optimal_decisions(case):
    _, graded = case
    assert graded.all.accuracy == graded.all.optimal / graded.all.decisions


def test_the_line_of_a_guarantee_is_a_game_that_ends_in_its_score(case):
    naive, graded = case
    for seat, guarantee in enumerate(graded.guarantee):
        pos = naive.game.start()
        for name in guarantee.line:
            action = ludus.face.parse_action(naive.game, pos, name)
            assert naive.game.player(pos) != seat or action in naive.policy(pos)
            pos = naive.game.play(pos, action)
        assert not naive.after(pos)
        if guarantee.gap is None:
            assert len(guarantee.line) == guarantee.plies
            assert naive.game.score(pos) == (guarantee.score if seat == 0 else -guarantee.score)


def test_the_worst_mistakes_lose_most_and_name_the_optimal_actions(case):
    naive, graded = case
    for mistake in graded.mistakes:
        side = 1 if mistake.player == 0 else -1
        best, plies = naive.value(mistake.position)
        after = {
            ludus.face.action_name(naive.game, mistake.position, action): naive.value(child)
            for action, child in naive.after(mistake.position).items()
        }
        assert mistake.value == (best, plies)
        assert set(mistake.optimal) == {name for name, (score, _) in after.items() if score == best}
        assert mistake.loss == pytest.approx(
            sum(play.probability * side * (best - after[play.action][0]) for play in mistake.plays)
        )
    losses = [mistake.loss for mistake in graded.mistakes]
    assert losses == sorted(losses, reverse=True)


def test_the_slices_of_the_anatomy_add_up(case):
    _, graded = case
    for slices in (graded.anatomy.by_plies, graded.anatomy.by_action):
        assert sum(one.decisions for one in slices) == pytest.approx(graded.all.decisions)
        assert sum(one.optimal for one in slices) == pytest.approx(graded.all.optimal)
        lost = sum(one.decisions * one.mean_loss for one in slices)
        assert lost == pytest.approx(graded.all.decisions * graded.all.mean_loss)


# ---- loops ----


class Ring(NamedTuple):
    place: int
    turn: int


class Walk(NamedTuple):
    """Player 0 walks on round a ring of four places or leaves it and wins; player 1 may only push it back."""

    max_plies = 100
    num_actions = 2

    def start(self):
        return Ring(0, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        if pos.place == 4:
            return 0
        return 3 if pos.turn == 0 and pos.place == 1 else 1

    def play(self, pos, action):
        if action == 1:
            return Ring(4, 1)
        return Ring((pos.place + 1) % 4 if pos.turn == 0 else pos.place, 1 - pos.turn)

    def score(self, pos):
        return 1


def test_an_agent_that_never_leaves_a_loop_is_held_to_an_endless_draw():
    graded = grade(PlainFirst(), Walk())
    guarantee = graded.guarantee.first
    assert (guarantee.result, guarantee.endless, guarantee.plies) == ("draw", True, None)
    assert len(guarantee.line) == 8
    assert guarantee.repeats_from == 0
    assert graded.all.decisions == 0  # every step keeps the win; it is never taken
    assert graded.all.mean_loss is None
    assert "no decisions: all actions always have the same value" in report_of(First(), Walk(), graded)


def test_an_agent_that_may_leave_a_loop_leaves_it_in_the_end():
    guarantee = grade(PlainRandom(), Walk()).guarantee.first
    assert (guarantee.result, guarantee.score) == (None, pytest.approx(1))
    assert guarantee.worst_case == "draw"


def test_first_is_beaten_at_a_game_with_loops_by_the_line_of_the_best_response():
    game = ludus.make_game("tapnswap")

    def ends(pos, names, seat):
        """The scores of all games of actions with these names in which this seat takes the first it has."""
        if not names:
            return {game.score(pos)} if not game.legal(pos) else {None}
        legal = actions(game.legal(pos))[: 1 if game.player(pos) == seat else None]
        named = [action for action in legal if ludus.face.action_name(game, pos, action) == names[0]]
        return {score for action in named for score in ends(game.play(pos, action), names[1:], seat)}

    for seat, guarantee in enumerate(grade(First(), game).guarantee):
        assert guarantee.result == "loss"
        assert (-1, 1)[seat] in ends(game.start(), guarantee.line, seat)


# ---- chance ----


def test_where_chance_plays_the_grade_is_in_expected_points():
    graded = grade(PlainRandom(), PIG)
    assert graded.all.blunders is None
    assert graded.all.fastest is None
    assert graded.anatomy.by_plies is None
    assert graded.all.mean_loss > 0
    assert -1 < graded.guarantee.second.score < graded.guarantee.first.score < 0
    assert graded.guarantee.first.gap < 1e-8
    value = solve(PIG).value(PIG.start()).score
    assert graded.exploitability.first == pytest.approx(value - graded.guarantee.first.score)
    assert graded.exploitability.second == pytest.approx(-value - graded.guarantee.second.score)


# ---- agents of all kinds ----


@pytest.mark.parametrize("twin", [PlainRandom(), BatchedRandom()])
def test_the_kind_of_an_agent_makes_no_difference(twin):
    assert without_seconds(grade(twin, TIC_TAC_TOE)) == without_seconds(grade(Random(), TIC_TAC_TOE))


def test_a_program_that_is_known_to_remember_nothing_is_graded_like_its_twin(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'action': json.loads(line)['legal'][0]}), flush=True)\n"
    )
    late = solve(TIC_TAC_TOE, ludus.face.parse_position(TIC_TAC_TOE, "XO./.X./O.."))
    bot = Program(f"{sys.executable} {path}")
    bot.has_memory = False
    with ended_after(bot):
        graded = grade(bot, TIC_TAC_TOE, solution=late)
    assert without_seconds(graded) == without_seconds(grade(First(), TIC_TAC_TOE, solution=late))


def without_seconds(graded):
    return graded._replace(seconds=0.0)


def test_an_agent_with_memory_is_refused():
    with pytest.raises(ludus.LudusError, match="may remember"):
        grade(Program("true"), TIC_TAC_TOE)


def test_a_solution_of_another_game_is_refused():
    with pytest.raises(ludus.LudusError, match="the solution is one of tic-tac-toe, not of walk"):
        grade(First(), Walk(), solution=solve(TIC_TAC_TOE))


def test_what_would_take_too_much_memory_is_refused(monkeypatch):
    solution = solve(TIC_TAC_TOE)
    monkeypatch.setattr(grade_module, "budget", lambda: 2_000_000)
    with pytest.raises(ludus.LudusError, match="too large to grade whole: 5,478 positions with all actions"):
        grade(First(), TIC_TAC_TOE, solution=solution)


def test_perfect_makes_no_mistake():
    graded = grade(Perfect(), TIC_TAC_TOE)
    assert graded.all.optimal == pytest.approx(graded.all.decisions)
    assert graded.all.fastest == pytest.approx(graded.all.decisions)
    assert graded.mistakes == ()
    assert [guarantee.result for guarantee in graded.guarantee] == ["draw", "draw"]


@pytest.mark.slow
def test_a_solution_up_to_symmetry_gives_the_same_grade():
    folded = solve(TIC_TAC_TOE, symmetric=True)
    assert without_seconds(grade(First(), TIC_TAC_TOE, solution=folded)) == without_seconds(grade(First(), TIC_TAC_TOE))


def test_progress_is_reported_by_stage():
    reported = []
    grade(First(), TIC_TAC_TOE, progress=lambda stage, done, total: reported.append((stage, done, total)))
    assert {stage for stage, _, _ in reported} >= {"exploring", "asking", "best response"}
    done, total = [step[1:] for step in reported if step[0] == "asking"][-1]
    assert done == total


def test_decisions_are_sliced_by_visits_where_the_agent_counted_them():
    slices = grade(PlainFirst(), TIC_TAC_TOE).anatomy.by_visits
    assert [one.label for one in slices] == ["0", "1-9", "10-99", "100-999"]


# ---- kinds of actions ----


def test_kinds_of_actions_are_names_without_numbers():
    game = ludus.make_game("toads-and-frogs")
    pos = ludus.face.parse_position(game, "T_TTF__FF toads")
    assert kinds_of(game, [(pos, action) for action in actions(game.legal(pos))]) == ["_ hops to _", "_ slides to _"]


def test_kinds_of_actions_are_names_where_numbers_are_all_there_is():
    pos = TIC_TAC_TOE.start()
    assert kinds_of(TIC_TAC_TOE, [(pos, 0), (pos, 4)]) == ["a3", "b2"]


class Kinds(Walk):
    def action_kind(self, pos, action):
        return ("walk", "leave")[action]


def test_a_game_may_say_what_kind_an_action_is():
    assert kinds_of(Kinds(), [(Ring(1, 0), 1), (Ring(1, 0), 0)]) == ["leave", "walk"]


# ---- samples ----


class Costly:
    """Stands for a search: the same answers from a listed solution; positions with the centre taken cost too much."""

    def __init__(self):
        self.known, self.progress, self.nodes = solve(TIC_TAC_TOE), None, 0

    def actions(self, pos):
        if (pos.mine | pos.theirs) >> 4 & 1:
            self.progress(self.nodes + MOST_NODES + 1)
        return self.known.actions(pos)


def test_a_game_too_large_to_list_is_graded_on_a_sample():
    truth = Searched(TIC_TAC_TOE, TIC_TAC_TOE.start(), Costly())
    graded = grade(Random(), TIC_TAC_TOE, solution=truth, positions=40, seed=3)
    chosen = sampled_positions(Random(), TIC_TAC_TOE, 40, 3)
    cheap = [pos for pos in chosen if not (pos.mine | pos.theirs) >> 4 & 1]
    assert graded.sample == (len(cheap), len(chosen) - len(cheap), 3)
    assert graded.guarantee is None
    naive = Naive(TIC_TAC_TOE, Random())
    assert_same(graded.all, naive.tally(cheap))
    assert_same(graded.own_play.second, naive.tally([pos for pos in cheap if pos.turn == 1]))


def test_no_more_is_played_than_a_sample_needs():
    reported = []
    chosen = sampled_positions(Random(), TIC_TAC_TOE, 20, 0, lambda done, total: reported.append((done, total)))
    assert reported[-1] == (len(chosen), 20) == (20, 20)
    assert len(reported) < 10 + 20


def test_a_sample_comes_from_the_second_halves_of_games_and_holds_no_position_twice():
    chosen = sampled_positions(First(), TIC_TAC_TOE, 30, 0)
    assert len(chosen) == len(set(chosen)) > 10
    assert min((pos.mine | pos.theirs).bit_count() for pos in chosen) >= 2


# ---- for people and programs ----


@pytest.fixture(scope="module")
def graded_first():
    return grade(First(), TIC_TAC_TOE)


def test_the_document_is_what_the_design_says(graded_first):
    document = json.loads(json.dumps(grades.to_json(First(), TIC_TAC_TOE, graded_first)))
    assert document["agent"] == "first"
    assert document["game"] == "tic-tac-toe"
    assert document["decisions"] == 3191
    assert set(document["blunders"]) == {"win_to_draw", "win_to_loss", "draw_to_loss"}
    assert set(document["own_play"]) == set(document["guarantee"]) == {"first", "second"}
    assert document["mistakes"][0]["board"].startswith("3 ")
    assert document["sample"] is None


@pytest.mark.parametrize("game", [TIC_TAC_TOE, MANCALA, PIG], ids=["results", "scores", "chance"])
@pytest.mark.parametrize("agent", [Random(), First()], ids=["random", "first"])
def test_the_guarantee_in_json_is_always_a_result_and_a_score_with_exploitability_beside_it(game, agent):
    document = json.loads(json.dumps(grades.to_json(agent, game, grade(agent, game))))
    results = [None] if game is PIG else ["win", "draw", "loss"] + [None] * isinstance(agent, Random)
    for seat in ("first", "second"):
        guarantee = document["guarantee"][seat]
        assert guarantee.keys() == {"result", "score"}
        assert isinstance(guarantee["score"], int | float)
        assert guarantee["result"] in results
        assert isinstance(document["exploitability"][seat], int | float)
        assert document["exploitability"][seat] >= 0


def test_a_sample_has_neither_guarantee_nor_exploitability():
    truth = Searched(TIC_TAC_TOE, TIC_TAC_TOE.start(), Costly())
    document = grades.to_json(First(), TIC_TAC_TOE, grade(First(), TIC_TAC_TOE, solution=truth, positions=5))
    assert (document["guarantee"], document["exploitability"], document["best_response"]) == (None, None, None)


def report_of(agent, game, graded):
    console = Console(width=80, file=io.StringIO())
    console.print(grades.as_report(agent, game, graded))
    return console.file.getvalue()


def test_the_report_shows_the_accuracy_the_guarantee_and_the_mistakes(graded_first):
    text = report_of(First(), TIC_TAC_TOE, graded_first)
    share = graded_first.all.optimal / 3191
    assert f"accuracy {share:.1%} (3,191 decisions)" in text
    assert "as first: guaranteed result loss in" in text
    assert "exploitability 1; best response: " in " ".join(text.split())
    assert "worst mistakes" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_a_cut_of_one_slice_is_not_shown(graded_first):
    cuts = graded_first.anatomy
    alone = graded_first._replace(anatomy=cuts._replace(by_plies=cuts.by_plies[:1]))
    assert "plies to the end" in report_of(First(), TIC_TAC_TOE, graded_first)
    assert "plies to the end" not in report_of(First(), TIC_TAC_TOE, alone)
