"""The Toads and Frogs paper: what it asks of networks, and the whole at a tiny scale by the real command."""

import json
from itertools import pairwise

import numpy as np
import pytest
from reports import checked, findings_of, opened, results_of, run_again

import ludus
from ludus.arena import Seats
from ludus.compiled.bits import popcount
from ludus.compiled.masks import actions
from ludus.games.toads_and_frogs import Position
from ludus.learning.presets import configured, preset_for
from ludus.study.paper import paper
from ludus_papers.toads_and_frogs.boards import highest_listed
from ludus_papers.toads_and_frogs.tasks import (
    LARGE,
    SMALL,
    Unturned,
    as_paper,
    chance_by_seat,
    toads_to_move,
    winning,
    winning_by_pass,
)
from ludus_papers.toads_and_frogs.theory import (
    bounded_tree,
    large_game,
    passed_strips,
    quiet_strips,
    solved_strips,
    temperatures,
    turned,
    valued,
)
from ludus_papers.toads_and_frogs.variants import _cases, _kills, _pairs

pytestmark = pytest.mark.slow

NAME = "toads-and-frogs"


@pytest.fixture(scope="module")
def game():
    """The small board."""
    return ludus.make_game(NAME)


class Saying(Unturned):
    """A network that likes this piece best."""

    def __init__(self, piece):
        self.piece, self.asked = piece, []

    def outputs(self, game, positions):
        return np.eye(3)[[self.piece] * len(positions)]


def test_the_program_plays_the_highest_output_where_it_is_legal(game):
    assert Saying(0).policies(game, [game.start()]).tolist() == [[1, 0, 0]]


def test_the_program_plays_any_legal_move_where_it_is_not(game):
    pos = game.play(game.play(game.start(), 0), 0)
    chances = Saying(2).policies(game, [pos])[0]
    assert [action for action in range(3) if chances[action]] == actions(game.legal(pos))
    assert chances.sum() == pytest.approx(1)


def test_winning_moves_are_those_of_the_solution(game):
    truth = ludus.solve(game)
    pos = game.play(game.play(game.start(), 0), 0)
    assert winning(game, pos) == [action for action, value in truth.actions(pos).items() if value.score == 1]


def test_a_position_with_too_much_behind_it_is_not_judged():
    large = ludus.make_game("toads-and-frogs(toads=6, gaps=9, frogs=6)")
    assert winning(large, large.start()) is None


def test_a_move_that_makes_a_wall_kills():
    game = ludus.make_game("toads-and-frogs(toads=4, gaps=6, frogs=4)")
    before, after = (toads_to_move(strip) for strip in paper(NAME).lab("tiny").moves("medium-game")[0][:2])
    assert game.play(before, 1) == after._replace(turn=1)
    assert [_kills(game, before, action) for action in actions(game.legal(before))] == [True, False, False]


def test_cases_of_killing_are_what_they_are_called(game):
    truth = ludus.solve(game, also=[game.with_mover(game.start(), 1)])
    for kind, cases in _cases(game, 5).items():
        assert cases
        for case in cases:
            wins = {action for action, value in truth.actions(case.pos).items() if value.score == 1}
            assert case.wins == wins
            assert (wins <= case.kills) if kind == "killing wins" else not wins & case.kills


def test_pairs_differ_in_a_dead_wall_alone():
    game = ludus.make_game("toads-and-frogs(toads=6, gaps=9, frogs=6)")
    for one, other in _pairs(game, 20, np.random.default_rng(0)):
        assert one != other
        assert one.toads | one.frogs == other.toads | other.frogs
        assert game.legal(one) == game.legal(other)


def test_a_strip_is_read_with_toads_to_move():
    assert toads_to_move("T_F") == Position(1, 4, 0)


def test_strips_of_the_paper_are_solved():
    (found,) = solved_strips(["TT_TF_F_F"])
    assert found["legal"] == [0, 1]
    assert found["frogs"] == [0, 1, 2]


def test_strips_have_the_published_values():
    assert [each["value"] for each in valued(["T__TTFTFF_F", "TFT_F"])] == ["1", "*"]


def test_the_listed_games_are_those_of_the_text():
    medium, large = (paper(NAME).lab("tiny").moves(f"{size}-game") for size in ("medium", "large"))
    assert {len(strip) for move in medium for strip in move[:2]} == {14}
    assert {len(strip) for move in large for strip in move[:2]} == {20, 21, 22}
    assert [len(move.q) for move in (*medium, *large)] == [4] * 4 + [6] * 4


def test_the_paper_s_highest_values_are_those_of_strips_that_a_network_can_be_asked_about():
    tasks, highest = highest_listed(paper(NAME).lab("full", 5), LARGE)
    assert len(tasks) == 5
    assert highest == [0.1, 4.1, 8.1, 19.4]


def test_the_corrected_game_follows_by_moves_and_differs_from_the_printed_one_by_a_square():
    lab = paper(NAME).lab("tiny")
    strips = large_game(lab)
    for number, (before, after) in enumerate(pairwise(strips)):
        side = "frogs" if number % 2 else "toads"
        game = ludus.make_game(f"{NAME}(strip={before}, first={side})")
        assert after in [game.signs(game.play(game.start(), move)) for move in actions(game.legal(game.start()))]
    printed = [strip for move in lab.moves("large-game") for strip in move[:2]]
    for one, other in zip(printed, strips, strict=True):
        assert one == other or any(
            shorter == longer[:square] + longer[square + 1 :]
            for shorter, longer in ((one, other), (other, one))
            for square in range(len(longer))
        )
    assert sum(one != other for one, other in zip(printed, strips, strict=True)) == 4


def test_a_pass_finds_the_winning_moves_of_the_solution(game):
    truth = ludus.solve(game)
    met = [pos for pos in (Position(*row) for row in truth.positions.tolist()) if pos.turn == 0][:60]
    met = [pos for pos in met if popcount(pos.toads) == 3 and actions(game.legal(pos))]
    for pos, wins in zip(met, winning_by_pass(game, met), strict=True):
        assert wins == [action for action, value in truth.actions(pos).items() if value.score == 1]


def test_a_pass_finds_the_winning_moves_of_either_side():
    found = passed_strips(["TT__F_F", "T_T_F_F"])
    assert found[0]["wins"] == solved_strips(["TT__F_F"])[0]["wins"]
    assert found[1]["legal"] == solved_strips(["T_T_F_F"])[0]["frogs"]


def test_a_strip_is_turned_for_the_frogs():
    assert turned("TT__F_F") == "T_T__FF"


def test_the_bound_of_a_tree_is_below_its_size():
    def nodes(game, pos):
        return 1 + sum(nodes(game, game.play(pos, action)) for action in actions(game.legal(pos)))

    board = f"{NAME}(toads=2, gaps=2, frogs=2)"
    game = ludus.make_game(board)
    assert 1 < bounded_tree(board, 200) <= nodes(game, game.start())


def test_the_preset_follows_the_program():
    settings, _ = preset_for("paper", "dqn", ludus.make_game(NAME))
    assert (settings["explore"], settings["target_first"]) == ("all", "1")


def test_every_open_claim_says_what_would_settle_it(folder):
    report = json.loads((folder / NAME / "report.json").read_text())
    assert [one["text"] for one in report["claims"] if one["verdict"] == "open" and not one["settled_by"]] == []


def test_toads_always_begin_in_training():
    lab = paper(NAME).lab("full", 1)
    board, learner, preset, _ = as_paper(lab, SMALL, 0).arguments
    game = ludus.make_game(board)
    _, plan = configured(game, learner, {}, preset)
    assert (game.player(game.start()), plan.seats) == (0, Seats.FIRST)


def test_the_command_of_protocols_plays_both_sides():
    first, second = chance_by_seat(paper(NAME).lab("tiny", 1), SMALL).command.split("; ")
    assert first == "ludus match toads-and-frogs random random --seats first --alternate-starter --games 400 --seed 0"
    assert second == first.replace("--seats first", "--seats second")


def test_strips_without_four_parts_are_counted_and_zero():
    assert quiet_strips(2) == {"strips": 10, "zero": 10}


def test_temperatures_are_those_of_switches():
    assert temperatures(["TT__FF", "TTT__FF", "TTTT__FF"]) == [0, 0.25, 0.75]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the report."""
    made = tmp_path_factory.mktemp("papers")
    run_again(NAME, made)
    return made


def test_the_report_has_all_figures_and_experiments_of_the_paper(folder):
    page, report = checked(NAME, folder)
    figures = [f"{size}-{kind}" for size in ("small", "medium", "large") for kind in ("loss", "protocols", "grade")]
    wanted = [*figures, "self-play-wins", "death-leap-grade", "dead-pieces", "text-and-program-grade"]
    assert [each for each in wanted if each not in page.ids] == []
    assert [each["key"] for each in report["experiments"]] == [*"123456789", "10"]


def test_games_are_listed_with_q_values(folder):
    for size in ("small", "medium", "large"):
        assert (folder / NAME / f"{size}-game.txt").read_text().strip()


def test_the_page_opens_without_errors_or_requests(folder):
    assert opened(folder / f"{NAME}.html") > 0


def test_every_number_of_the_findings_is_that_of_a_task(folder):
    words = findings_of(NAME, folder)
    (network,), listed = results_of(NAME, folder, "evaluated"), results_of(NAME, folder, "passed_strips")[0]
    large = max(results_of(NAME, folder, "decided"), key=lambda one: one["arrangements"])
    assert f"whose value the paper does not know, {large['value']} (" in words
    assert all(each["wins"] == each["legal"] for each in listed[::2])
    assert "every legal move of the toads wins in all 4 listed" in words
    assert f"network wins {network['program']:.1%} of its games" in words
    for share in results_of(NAME, folder, "graded_as_toads"):
        assert f"in {share:.1%}" in words


def test_the_findings_change_with_the_results(folder):
    words = findings_of(
        NAME,
        folder,
        decided=lambda one: one | {"value": "neither", "arrangements": 1234},
        passed_strips=lambda found: [one | {"wins": []} for one in found],
        evaluated=lambda one: one | {"program": 0.123},
        by_seat=lambda one: one | {"program": 0.456},
    )
    assert "T^3 _^3 F^3 has value neither 0 nor *," in words
    assert "every legal move of the toads wins in none of the 4 listed" in words
    assert "wins 12.3% of its games (the paper: 76.3%), where random play wins 45.6%" in words
