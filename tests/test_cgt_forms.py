"""Canonical forms obey the laws of combinatorial games, and say the outcome that brute force finds."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import canonical_forms as naive

import ludus
from ludus.cgt.calculus import FULL, NUMBER, Store, new_arena
from ludus.cgt.evaluation import calculation, evaluate
from ludus.cgt.forms import ZERO, down, form, game, miny, star, switch, tiny, up
from ludus.report.plotly_figures import notebook_figure, thermograph_curves

pytestmark = pytest.mark.usefixtures("plain")

small_numbers = st.integers(-16, 16).map(lambda n: form(Fraction(n, 4)))
simple = st.one_of(small_numbers, st.integers(0, 3).map(star), st.integers(-2, 2).map(up))
forms = st.recursive(
    simple, lambda inner: st.builds(game, st.lists(inner, max_size=2), st.lists(inner, max_size=2)), max_leaves=5
)
trees = st.recursive(
    st.just(naive.ZERO),
    lambda inner: st.tuples(st.frozensets(inner, max_size=2), st.frozensets(inner, max_size=2)),
    max_leaves=6,
)


def of_tree(tree):
    return game(*([of_tree(option) for option in side] for side in tree))


def as_tree(value):
    return tuple(frozenset(as_tree(option) for option in side) for side in (value.left, value.right))


@given(forms)
def test_a_form_less_itself_is_zero(x):
    assert x - x == ZERO


@given(forms, forms)
def test_sums_commute(x, y):
    assert x + y == y + x


@settings(max_examples=30)
@given(simple, forms, simple)
def test_sums_are_associative(x, y, z):
    assert (x + y) + z == x + (y + z)


@given(forms, forms)
def test_the_negative_of_a_sum_is_the_sum_of_the_negatives(x, y):
    assert -(x + y) == -x - y


@given(forms, forms)
def test_order_is_that_of_the_difference(x, y):
    difference = x - y
    assert (x <= y, x >= y) == (difference <= 0, difference >= 0)


@given(forms, forms, forms)
def test_order_is_transitive(x, y, z):
    if x <= y and y <= z:
        assert x <= z


@given(forms, forms)
def test_forms_at_most_each_other_are_one(x, y):
    assert (x <= y and y <= x) == (x == y)


@given(forms)
def test_a_canonical_form_is_its_own(x):
    assert game(x.left, x.right) == x


@given(trees)
def test_forms_are_those_of_the_definition(tree):
    def canonical(g):
        return naive.canonical(*([canonical(option) for option in side] for side in g))

    assert as_tree(of_tree(tree)) == canonical(tree)


@given(trees, trees)
def test_a_sum_is_won_as_brute_force_says(one, other):
    assert (of_tree(one) + of_tree(other)).outcome == naive.outcome(naive.added(one, other))


@given(forms)
def test_stops_enclose_the_mean(x):
    left, right = x.stops
    assert right <= x.mean <= left
    assert (left == right) == (x.temperature <= 0)


@given(forms, small_numbers)
def test_a_number_moves_the_mean_and_not_the_temperature_of_what_is_none(x, number):
    if x.number is None:
        assert (x + number).mean == x.mean + number.number
        assert (x + number).temperature == x.temperature


@given(forms, forms)
def test_means_add(x, y):
    assert (x + y).mean == x.mean + y.mean


def test_numbers_equal_pythons_numbers():
    assert form(3) == 3
    assert form(Fraction(3, 4)) == 0.75
    assert hash(form(0.75)) == hash(0.75)
    assert form(2) + 1 == 3
    assert 1 - form(2) == -1
    assert form("1/2") < 1 <= form(1)
    assert star() != 0
    assert form(5) in {5: "five"}


@given(forms, st.fractions(-5, 5, max_denominator=12) | st.floats(allow_nan=False))
def test_forms_compare_with_any_number(x, number):
    left, right = x.stops
    assert (x < number) == (number > x)
    assert (x <= number) == (number >= x)
    if number not in (left, right):
        assert (x < number, x > number) == (left < number, right > number)
    elif abs(number) <= 16:
        assert (x <= number, x >= number) == (x - form(number) <= ZERO, x - form(number) >= ZERO)


@pytest.mark.parametrize(
    "number", [Fraction(4, 3), 1e9, float("inf"), 10**400, Decimal("1.1"), np.float32(2), np.int64(2)]
)
def test_what_is_no_short_game_compares_all_the_same(number):
    assert form(1) < number
    assert number >= form("1*")
    assert not form(1) > number
    assert form(1) != number


def test_a_form_is_neither_more_nor_less_than_what_is_not_a_number():
    assert not form(1) < float("nan")
    assert not form(1) >= float("nan")
    assert form(1) == Decimal(1)


def test_sums_of_numbers_are_numbers():
    assert [form(a) + form(b) for a in (-2, 0.75) for b in (1.5, 0.25)] == [-0.5, -1.75, 2.25, 1]


@pytest.mark.parametrize("size", range(5))
def test_nimbers_add_by_nim(size):
    assert [star(size) + star(other) for other in range(5)] == [star(size ^ other) for other in range(5)]


def test_up_is_above_zero_and_confused_with_star():
    assert up() > 0
    assert up().is_confused_with(star())
    assert up(2) > star()
    assert up() < Fraction(1, 1024)


def test_tiny_is_above_zero_and_below_up():
    assert 0 < tiny(1) < up()
    assert tiny(2) < tiny(1)


@pytest.mark.parametrize(
    ("text", "outcome", "mean", "temperature", "birthday", "stop_count"),
    [
        ("0", "P", "0", "-1", 0, 1),
        ("3/4", "L", "3/4", "-1/4", 3, 1),
        ("*", "N", "0", "0", 1, 2),
        ("v", "R", "0", "0", 2, 3),
        ("{1|-1}", "N", "0", "1", 2, 2),
        ("{4||2|0}", "L", "5/2", "3/2", 5, 3),
        ("{3|||2||1|0}", "L", "17/8", "7/8", 4, 4),
        ("{2|1||0|-1}", "L", "1/2", "1", 4, 4),
    ],
)
def test_known_forms_have_their_known_measures(text, outcome, mean, temperature, birthday, stop_count):
    value = form(text)
    found = value.outcome, value.mean, value.temperature, value.birthday, value.stop_count
    assert found == (outcome, Fraction(mean), Fraction(temperature), birthday, stop_count)


def test_a_thermograph_is_drawn_with_both_walls():
    figure = notebook_figure(thermograph_curves(switch(3, 1), "{3|1}"))
    assert [trace.name for trace in figure.data] == ["Left", "Right"]
    assert figure.data[0].x[0] == 3.0
    assert figure.data[1].x[0] == 1.0


def test_multiples_are_repeated_sums():
    assert 3 * up() == up() + up() + up()
    assert -2 * switch(1) == ZERO


@pytest.mark.parametrize(
    "wrong",
    [Fraction(1, 3), None, 1j, float("nan"), float("inf"), 1 << 20, 10**400, 10**5000, Fraction(1, 2**20000)],
    ids=range(9),
)
def test_what_is_no_short_game_is_refused(wrong):
    with pytest.raises(ludus.LudusError) as refusal:
        form(wrong)
    assert len(str(refusal.value)) < 120


def test_numbers_that_could_not_be_read_back_do_not_come_of_sums():
    with pytest.raises(ludus.LudusError, match="larger than 10,000"):
        form(10_000) + 1


def test_a_game_takes_one_option_or_several():
    assert game(1, 0) == game([1], [0]) == form("{1|0}")
    assert game("^", ["*", 1]) == form("{^|*,1}")
    with pytest.raises(ludus.LudusError, match="a finite number, a form or a text, not None"):
        game(1, None)


def test_down_and_miny_are_the_negatives_of_up_and_tiny():
    assert down(3) == -up(3)
    assert miny(2) == -tiny(2)


@pytest.mark.parametrize("size", [-1, 0, "*"])
def test_tiny_is_of_what_is_above_zero(size):
    with pytest.raises(ludus.LudusError, match="tiny and miny are of what is above 0"):
        tiny(size)


@pytest.mark.parametrize("sides", [(0, 1), (-1,), ("v", "^")])
def test_a_switch_in_which_nobody_wants_to_move_is_refused(sides):
    with pytest.raises(ludus.LudusError, match="nobody wants to move"):
        switch(*sides)


def test_the_package_gives_what_makes_forms():
    import ludus.cgt

    assert ludus.cgt.form("3*") == ludus.cgt.star() + 3
    assert all(getattr(ludus.cgt, name) for name in dir(ludus.cgt))
    with pytest.raises(AttributeError, match="nothing"):
        _ = ludus.cgt.nothing


def test_importing_the_package_loads_nothing_heavy(fresh_python):
    loaded = (
        "import sys, ludus.cgt; print([name for name in ('numpy', 'numba', 'ludus.cgt.forms') if name in sys.modules])"
    )
    assert fresh_python(loaded) == "[]"


def test_an_arena_that_would_take_too_much_memory_is_refused():
    store = Store()
    store.arena = new_arena(8)
    with pytest.raises(ludus.LudusError, match="GB of memory would be needed"):
        store.attempt(lambda arena: FULL, memory=100_000)
    assert 3 * store.bytes > 100_000 > store.bytes


def test_forms_are_kept_when_the_arena_grows():
    store, integer = Store(), 0
    store.arena = new_arena(8)
    for _ in range(20):
        work = calculation([integer], [[0]], 1)
        assert store.run(evaluate, work, 1) == 0
        integer = int(work.forms[-1])
    assert len(store.arena.shapes) == 32
    assert store.arena.stops[integer, NUMBER] == 20


def test_a_number_too_fine_for_a_float_is_refused():
    with pytest.raises(ludus.LudusError, match="53 bits"):
        form(2.0**-40) + form(8192)
