"""The rules of Dobutsu shogi where they are easily misread, and how little a position takes."""

import random
from operator import or_

import pytest

import ludus
from ludus import face
from ludus.compiled.masks import actions

GAME = ludus.make_game("dobutsu-shogi")


def names(written):
    """The names of the legal actions in a position."""
    pos = face.parse_position(GAME, written)
    return {face.action_name(GAME, pos, action) for action in actions(GAME.legal(pos))}


def after(written, name):
    """The position after an action, as it is written."""
    pos = face.parse_position(GAME, written)
    return face.format_position(GAME, GAME.play(pos, face.parse_action(GAME, pos, name)))


def test_the_four_first_moves_are_the_published_ones():
    assert names("gle/.c./.C./ELG - First") == {"b3-b2", "c4-c3", "b4-c3", "b4-a3"}


def test_a_lion_that_can_be_captured_must_be():
    assert names("gle/.C./.../ELG C First") == {"b2-b1+"}


def test_after_a_capture_of_the_lion_its_captor_and_the_other_lion_stay():
    assert after("gle/.C./.../ELG C First", "b2-b1+") == ".H./.../.../.L. CEEGG Second"
    pos = face.parse_position(GAME, ".H./.../.../.L. CEEGG Second")
    assert (actions(GAME.legal(pos)), GAME.score(pos)) == ([], 1)


def test_a_lion_that_arrives_safely_has_won():
    assert names("L../..l/.c./EgG Ce Second") == set()


def test_a_lion_that_arrives_where_it_can_be_captured_is_captured():
    assert names("L../g.l/.c./E.G Ce Second") == {"a2-a1"}


def test_a_chick_becomes_a_hen_by_a_move_but_not_by_a_drop():
    assert after("g.e/l.C/.../ELG C First", "C*b1") == "gCe/l.C/.../ELG - Second"
    assert after("g../l.C/.../ELG Ce First", "c2-c1") == "g.H/l../.../ELG Ce Second"


def test_a_captured_hen_is_a_chick_again():
    assert after(".lH/g../.../ELG ce Second", "b1-c1") == "..l/g../.../ELG cce First"


def test_two_chicks_may_stand_in_a_column_and_a_chick_may_be_dropped_before_the_lion():
    assert "C*b2" in names("gle/.../.C./ELG C First")


@pytest.mark.parametrize(
    "written",
    [
        "gle/.c./.C./ELG C First",
        "g.e/.c./.C./ELG - First",
        "gle/.c./.C./E.G - Second",
        "Lle/.c./.C./E.G g First",
        ".G./.c./.../.L. CEEG Second",
        "gle/.c./.X./ELG - First",
    ],
)
def test_positions_that_cannot_arise_are_refused(written):
    with pytest.raises(ludus.LudusError, match="a position is written like"):
        face.parse_position(GAME, written)


def test_a_position_takes_41_bits():
    generator, used = random.Random(1), [0] * 5
    for _ in range(300):
        pos = GAME.start()
        while legal := actions(GAME.legal(pos)):
            used = list(map(or_, used, pos))
            pos = GAME.play(pos, generator.choice(legal))
    assert sum(field.bit_count() for field in used) == 41


@pytest.mark.slow
def test_without_drops_there_are_the_positions_of_a_separate_program_and_play_is_drawn():
    game = ludus.make_game("dobutsu-shogi(drops=false)")
    solution = ludus.solve(game, symmetric=True)
    found = solution.counts()
    assert (found.positions, found.wins, found.losses, found.draws) == (962_894 + 106, 740_752, 182_653 + 106, 39_489)
    assert solution.value(game.start()).score == 0
