"""Canonical forms agree with the definition and with published values, and other games are refused."""

import re
from functools import cache
from itertools import product

import pytest
from conftest import TESTS
from naive import canonical_forms as naive

import ludus
from ludus.cgt.forms import form, star, up
from ludus.cgt.positions import Evaluator, canonical_form
from ludus.cgt.strips.starts import Strips, families, start_strip, table
from ludus.games.toads_and_frogs import Strip, ToadsAndFrogs

CLOBBER = TESTS.parent / "examples" / "clobber.py"


def strip_form(text, **settings):
    return canonical_form(ToadsAndFrogs(strip=Strip.parse(text)), **settings)


def all_strips(squares):
    return ["".join(signs) for signs in product("TF_", repeat=squares)]


def as_tree(value, known):
    if value.handle not in known:
        sides = (frozenset(as_tree(option, known) for option in side) for side in (value.left, value.right))
        known[value.handle] = tuple(sides)
    return known[value.handle]


def check_all_strips(squares):
    evaluator, known = Strips(squares), {}
    for length in range(1, squares + 1):
        wrong = [s for s in all_strips(length) if as_tree(evaluator.form(s), known) != naive.of_strip(s)]
        assert wrong == []


def test_every_strip_up_to_5_squares_has_the_value_of_the_definition(plain):
    check_all_strips(5)


@pytest.mark.slow
def test_every_strip_up_to_9_squares_has_the_value_of_the_definition():
    check_all_strips(9)


def test_dead_pieces_and_symmetry_change_no_value(plain):
    parts, game = Strips(6), ToadsAndFrogs(strip=Strip.parse("_" * 6))
    definition = Evaluator(game, plain=True)
    for text in all_strips(6)[::7]:
        strip = Strip.parse(text)
        assert definition.form(type(game.start())(strip.toads, strip.frogs, 0)) == parts.form(text)
    assert len(parts.evaluator) < len(definition) / 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("TFTF_", "0"),
        ("TFF_T", "0"),
        ("TF_TF", "0"),
        ("TFT_F", "*"),
        ("T_TFF", "^"),
        ("TT_FF", "*"),
        ("T__TTFTFF_F", "1"),
        ("TTT___FFF", "0"),
        ("TTT__FFF", "+-1/8"),
    ],
)
def test_published_strips_have_their_values(plain, text, value):
    assert strip_form(text) == form(value)


@pytest.mark.slow
def test_four_toads_and_frogs_with_six_gaps_are_zero():
    assert strip_form("T^4_^6F^4") == 0


@cache
def valuer_of(squares):
    return Strips(squares)


def test_a_strip_without_room_to_run_is_zero(plain):
    """The corollary of the Death Leap Principle: no TF__, __TF, T_ or _F."""
    found = [s for s in all_strips(7) if not any(pattern in s for pattern in ("TF__", "__TF", "T_", "_F"))]
    assert len(found) > 100
    assert [s for s in found if valuer_of(7).form(s) != 0] == []


def test_the_death_leap_principle_makes_strips_zero(plain):
    game = ToadsAndFrogs(strip=Strip.parse("_" * 7))
    strips = [Strip.parse(text) for text in all_strips(7)]
    leaps = [str(s) for s in strips if game.shaping(type(game.start())(s.toads, s.frogs, 0))]
    assert len(leaps) > 100
    assert [s for s in leaps if valuer_of(7).form(s) != 0] == []


def test_what_is_noted_of_a_part_is_true_of_it(plain):
    noted = 0
    for text in ("".join(signs) + "TTFF" + "T_TF" for signs in product("TF_", repeat=5)):
        game = ToadsAndFrogs(strip=Strip.parse(text))
        for note in game.notes(game.start()):
            found = re.search(r"in ([TF_]+) .*the value of this part is 0", note.words)
            if found:
                noted += 1
                assert valuer_of(7).form(found[1]) == 0
    assert noted > 10


def test_a_position_too_large_for_the_memory_allowed_is_refused(plain):
    evaluator = Strips(20, memory=3_000_000).evaluator
    start = ToadsAndFrogs(7, 6, 7).start()
    with pytest.raises(ludus.LudusError, match="GB of memory would be needed"):
        evaluator.form(start)
    assert evaluator.bytes < 1_000_000


def test_families_of_small_strips_have_the_values_claimed(plain):
    assert [verdict.failed for verdict in families(8)] == [[]] * 8


@pytest.mark.slow
def test_families_have_the_values_claimed():
    verdicts = families(12)
    assert [verdict.failed for verdict in verdicts] == [[]] * 8
    assert min(verdict.checked for verdict in verdicts) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(0, 1), (1, 2), (2, 3), (3, 1), (1, 5), (4, 3)])
def test_every_dyadic_number_occurs(n, k):
    assert strip_form(("T_" + "TF" * n + "TTFF") * k) == form(k * 2.0**-n)


def test_temperatures_grow(plain):
    found = [strip_form(start_strip(toads, 2, 2)).temperature for toads in range(3, 7)]
    assert found == [(toads - 2.5) / 2 for toads in range(3, 7)]


def test_a_table_holds_every_start_within_its_sizes(plain):
    found = table(2, 2, 2, 5)
    assert [(s.toads, s.gaps, s.frogs) for s in found] == [c for c in product((1, 2), repeat=3) if sum(c) <= 5]
    assert {s.strip: str(s.form) for s in found}["TT__F"] == "1"


def test_a_mirrored_strip_is_the_negative(plain):
    assert strip_form("TT_TF_F") == -strip_form("T_TF_FF")


def test_the_canonical_form_does_not_depend_on_the_side_to_move(plain):
    game = ludus.make_game("toads-and-frogs(strip=TT_F)")
    assert canonical_form(game, game.with_mover(game.start(), 1)) == canonical_form(game)


# ---- other games ----


@pytest.mark.parametrize("heaps", [(0, 0, 0), (3, 0, 0), (1, 2, 0), (3, 2, 1), (4, 2, 1)])
def test_nim_is_the_nim_sum(plain, heaps):
    game = ludus.make_game(f"{TESTS}/user_games/nim.py(a={heaps[0]}, b={heaps[1]}, c={heaps[2]})")
    assert canonical_form(game) == star(heaps[0] ^ heaps[1] ^ heaps[2])


@cache
def clobber(text):
    return canonical_form(ludus.make_game(f"{CLOBBER}(stones={text})"))


@pytest.mark.parametrize("length", range(1, 5))
def test_a_row_of_stones_and_one_enemy_has_the_value_of_ups(plain, length):
    assert clobber("x" * length + "o") == up(length - 1) + star(length % 2)


def test_the_first_player_wins_alternating_stones_except_three_pairs(plain):
    assert [clobber("xo" * pairs).outcome for pairs in range(1, 5)] == ["N", "N", "P", "N"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("tic-tac-toe", "does not always lose"),
        ("connect-four", "does not always lose"),
        ("mancala(holes=2, stones=1)", "does not always lose|take turns"),
        ("fox-and-hounds(size=4)", "come back|does not always lose|take turns"),
        (f"{TESTS}/user_games/dots_and_boxes.py", "does not give with_mover"),
        (f"{TESTS}/user_games/nim.py(misere=true)", "does not always lose"),
        (f"{TESTS}/loop_game.py", "does not give with_mover|come back"),
    ],
)
def test_games_not_under_normal_play_are_refused(plain, name, reason):
    with pytest.raises(ludus.LudusError, match=reason):
        canonical_form(ludus.make_game(name))


def test_a_refused_game_is_refused_again(plain):
    game = ludus.make_game("tic-tac-toe")
    evaluator = Evaluator(game)
    for _ in range(2):
        with pytest.raises(ludus.LudusError):
            evaluator.form(game.start())
