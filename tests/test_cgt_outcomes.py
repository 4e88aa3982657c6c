"""Whether starts of Toads and Frogs are 0 or *: two methods beside the plain definition of a value."""

import gzip
import json
from functools import cache
from itertools import product

import pytest
from conftest import TESTS

from ludus import make_game, solve
from ludus.cgt.strips.outcome_pass import Board, bitboards, frogs_win, outcomes
from ludus.cgt.strips.outcomes import MOST_BY_METHOD, Sum, decide, mirrored, new_parts, reduced
from ludus.errors import LudusError
from ludus.games.toads_and_frogs import Position, Side, Strip
from ludus.proving import checker

METHODS = tuple(MOST_BY_METHOD)
ZERO = frozenset(), frozenset()
STAR = frozenset([ZERO]), frozenset([ZERO])


@cache
def at_most(one, other):
    """The definition: one <= other unless one has a left option >= other, or other a right option <= one."""
    return not any(at_most(other, left) for left in one[0]) and not any(at_most(right, one) for right in other[1])


def equal(one, other):
    return at_most(one, other) and at_most(other, one)


@cache
def tree(strip, number=0, star=0):
    """A sum of a strip, a whole number and perhaps a star as the sets of what left and right can move to."""
    left, right = set(), set()
    for begin, (slide, hop) in product(range(len(strip)), (("T_", "TF_"), ("_F", "_TF"))):
        for move in (slide, hop):
            if strip.startswith(move, begin):
                after = strip[:begin] + move[-1] + move[1:-1] + move[0] + strip[begin + len(move) :]
                (left if move[0] == "T" else right).add(tree(after, number, star))
    if number:
        (left if number > 0 else right).add(tree(strip, number - (1 if number > 0 else -1), star))
    if star:
        left.add(tree(strip, number))
        right.add(tree(strip, number))
    return frozenset(left), frozenset(right)


def by_definition(toads, gaps, frogs, number):
    start = "T" * toads + "_" * gaps + "F" * frogs
    if equal(tree(start, -number), ZERO):
        return str(number)
    return f"{number or ''}*" if equal(tree(start, -number), STAR) else "neither"


def strips(squares):
    return map("".join, product("TF_", repeat=squares))


def as_sum(strip, number=0, star=0):
    toads, frogs = (sum(1 << i for i, square in enumerate(strip) if square == animal) for animal in "TF")
    return Sum(toads, frogs, len(strip), number, star)


def as_text(pos):
    return "".join("T" if pos.toads >> i & 1 else "F" if pos.frogs >> i & 1 else "_" for i in range(pos.squares))


@pytest.mark.parametrize("method", METHODS)
def test_small_starts_have_the_value_of_the_definition(method):
    sizes = [(a, b, c, n) for a, b, c in product(range(4), repeat=3) for n in (0, 1, 2) if 1 <= a + b + c <= 8]
    wrong = [
        size
        for size in sizes
        if decide(size[0], size[1], frogs=size[2], number=size[3], method=method).value != by_definition(*size)
    ]
    assert wrong == []


def test_both_methods_agree_on_boards_of_many_words():
    sizes = [(a, b, c, n) for a, b, c in product((2, 4), (4, 7), (3, 5)) for n in (0, 1, 2)]
    wrong = [
        size
        for size in sizes
        if len({decide(size[0], size[1], frogs=size[2], number=size[3], method=m).value for m in METHODS}) != 1
    ]
    assert wrong == []


def test_the_pass_agrees_with_one_step_lookahead():
    board = Board(2, 7, 3, 1)

    @cache
    def wins(strip, number, star, player):
        """Whether the player to move, 0 for toads, can move to where the other loses."""
        after = [(text, number, star) for text in moves(strip, player)]
        after += [(strip, number, 0)] if star else []
        after += [(strip, number - 1, star)] if player and number else []
        return any(not wins(*each, 1 - player) for each in after)

    start = "TT_______FFF"
    planes = [(number, star) for number in (0, 1) for star in (0, 1)]
    assert outcomes(board).toads == [wins(start, *plane, 0) for plane in planes]
    assert outcomes(board).frogs == [wins(start, *plane, 1) for plane in planes]


def moves(strip, player):
    for begin, move in product(range(len(strip)), (("T_", "TF_"), ("_F", "_TF"))[player]):
        if strip.startswith(move, begin):
            yield strip[:begin] + move[-1] + move[1:-1] + move[0] + strip[begin + len(move) :]


@pytest.mark.parametrize("board", [Board(2, 3, 2), Board(3, 2, 1), Board(2, 6, 2)])
def test_the_pass_says_who_wins_any_arrangement(board):
    asked = [
        (toads, frogs)
        for toads in map(int, bitboards(board.squares, board.toads))
        for frogs in map(int, bitboards(board.squares, board.frogs))
        if not toads & frogs
    ]
    game = make_game(f"toads-and-frogs(strip={'_' * board.squares}, first=frogs)")
    for one, wins in zip(asked, frogs_win(board, asked, threads=1), strict=True):
        pos = Position(*one, 1)
        assert wins == (solve(game, pos).value(pos).score == -1)


def test_the_short_form_of_a_strip_has_the_same_value():
    parts = new_parts()
    wrong = []
    for strip in (strip for squares in range(1, 8) for strip in strips(squares)):
        short = reduced(as_sum(strip), parts)
        if not equal(tree(strip), tree(as_text(short), short.number)):
            wrong.append(strip)
    assert wrong == []


def test_dead_pieces_are_cut_away_and_parts_sorted():
    wall = "TTFF"
    one, other = "T_TF_F", "TT_F"
    assert reduced(as_sum(one + wall + other), new_parts()) == reduced(as_sum(other + wall + one), new_parts())
    assert as_text(reduced(as_sum(one + wall + other), new_parts())) == other + wall + one


def test_opposite_parts_cancel():
    pos = as_sum("TT_F" + "TTFF" + "T_FF")
    assert reduced(pos, new_parts()) == Sum(0, 0, 0, 0, 0)


def test_a_part_in_which_all_have_passed_is_a_number():
    assert reduced(as_sum("_F_T__", number=3, star=1), new_parts()) == Sum(0, 0, 0, 4, 1)


def test_mirroring_exchanges_the_players():
    assert mirrored(as_sum("TT_F_", number=2, star=1)) == as_sum("_T_FF", number=-2, star=1)


def test_bitboards_come_by_rank():
    assert bitboards(4, 2).tolist() == [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]


@pytest.mark.parametrize("method", METHODS)
def test_published_values_hold(method):
    known = {(2, 1): "*", (3, 3): "0", (4, 6): "0", (1, 4): "0", (1, 5): "*", (3, 2): "neither"}
    assert {size: decide(*size, method=method).value for size in known} == known


def test_the_number_of_threads_changes_nothing(monkeypatch):
    monkeypatch.setattr("ludus.cgt.strips.outcome_pass._LEAST_JOB", 1)
    assert outcomes(Board(5, 6, 5), threads=1) == outcomes(Board(5, 6, 5), threads=3)


def test_nothing_but_the_speed_depends_on_compiling(plain):
    assert [decide(2, 2, frogs=1, number=1, method=method).value for method in METHODS] == ["1", "1"]


def test_progress_ends_with_all_arrangements():
    reported = []
    found = decide(3, 4, progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == found.arrangements == found.visited == 4200


@pytest.mark.parametrize(("pieces", "gaps", "number"), [(-1, 3, 0), (3, -1, 0), (2, 2, -1), (2, 2, 201)])
def test_what_is_no_board_is_reported(pieces, gaps, number):
    with pytest.raises(LudusError, match="must be at least 0, and the number 0 to 200"):
        decide(pieces, gaps, number=number)


@pytest.mark.parametrize(
    ("pieces", "gaps", "method", "reported"),
    [
        (20, 20, "pass", r"T\^20 \[\]\^20 F\^20 has 60 squares: the pass takes strips of 1 to 40"),
        (0, 0, "pass", "has 0 squares"),
        (7, 13, "search", "has 27 squares: the search takes strips of 1 to 26"),
    ],
)
def test_a_strip_too_long_is_reported(pieces, gaps, method, reported):
    with pytest.raises(LudusError, match=reported):
        decide(pieces, gaps, method=method)


def test_a_start_is_compared_with_all_numbers_up_to_the_one_asked_about():
    others = {f"{number or ('' if star else 0)}{'*' * star}": (number, star) for number in range(3) for star in (0, 1)}
    for toads, gaps, frogs in product(range(1, 4), (1, 2), range(1, 4)):
        start = tree("T" * toads + "_" * gaps + "F" * frogs)
        expected = {name: order(start, tree("", *other)) for name, other in others.items()}
        assert decide(toads, gaps, frogs=frogs, number=2).compared == expected


def order(one, other):
    orders = {(True, True): "equal", (True, False): "less", (False, True): "more", (False, False): "confused"}
    return orders[at_most(one, other), at_most(other, one)]


def test_an_unknown_method_is_reported():
    with pytest.raises(LudusError, match="method must be pass or search, not 'guess'"):
        decide(2, 2, method="guess")


def test_a_pass_that_does_not_fit_into_memory_is_refused():
    with pytest.raises(LudusError, match=r"the pass needs 0\.0 GB, and only 0\.0 GB may be used"):
        decide(6, 7, memory=10**6)


@pytest.mark.slow
def test_the_board_that_the_paper_calls_beyond_reach_is_a_star():
    found = decide(6, 9)
    assert found.value == "*"
    assert found.arrangements == 271_591_320
    assert found.bytes < 1e8


@pytest.mark.slow
def test_the_conjecture_of_1_or_1_star_holds_up_to_six_toads():
    found = [decide(n, n, frogs=n - 1, number=1).value for n in range(1, 7)]
    assert found == ["1", "1", "1*", "1*", "1", "1"]


@pytest.mark.slow
def test_the_conjecture_of_1_or_1_star_fails_for_seven_toads():
    found = decide(7, 7, frogs=6, number=3)
    assert found.value == "3*"
    assert found.compared["1"] == found.compared["1*"] == "more"


def test_a_certificate_shows_that_seven_toads_are_at_least_2():
    """In T^7 []^7 F^6 - 2, written as one strip with a wall, toads win though frogs move first: neither 1 nor 1*."""
    path = TESTS / "data" / "certificates" / "seven-toads.json.gz"
    claimed = json.loads(gzip.decompress(path.read_bytes()))
    assert claimed["parameters"]["strip"] == list(Strip.parse("T^7_^7F^6 TTFF __F"))
    assert claimed["parameters"]["first"] == Side.FROGS
    holds = checker.main(str(path), "ludus.games.toads_and_frogs:ToadsAndFrogs")
    assert holds.endswith("from its start: player 0 scores at least 1 (43784 positions)")


def test_the_command_prints_the_value(ludus):
    printed = ludus("value", "--symmetric", "3", "3", "--json")
    assert printed.returncode == 0, printed.stderr
    assert json.loads(printed.stdout)["value"] == "0"


def test_the_command_compares_other_starts_with_numbers(ludus):
    printed = ludus("value", "--symmetric", "2", "2", "--frogs", "1", "--number", "1")
    assert printed.stdout.splitlines() == ["1", "more than 0", "more than *", "equal to 1", "confused with 1*"]
