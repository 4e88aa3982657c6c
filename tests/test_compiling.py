"""NamedTuples whose methods run as plain Python and, unchanged, as machine code."""

import enum
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from ludus.compiled.compiling import given, helper, hook, kernel
from ludus.game import banked, index, max_plies, num_actions


class Kind(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Point(NamedTuple):
    x: int
    y: int = 7

    def total(self):
        return self.x + self.y


class Inner(NamedTuple):
    low: int = 2
    high: int = 5


@helper
def doubled(number):
    """Twice the number."""
    return 2 * number


class Empty(NamedTuple):
    """No field at all."""

    def answer(self):
        return 42


class Rules(NamedTuple):
    size: int = 3
    kind: Kind = Kind.LARGE
    flag: bool = True
    inner: Inner = Inner()

    SCALE = 10
    PRIMES = (2, 3, 5)
    max_plies = 77

    @property
    def area(self):
        return self.size * self.size

    def helped(self, number):
        return doubled(self.area) + number

    def through_self(self):
        return self.helped(self.SCALE) + self.PRIMES[1]

    def is_large(self):
        return self.kind == Kind.LARGE

    def mixed(self, number):
        return Point(number > 1, y=self.flag)

    def defaulted(self):
        return Point(self.inner.high - self.inner.low)

    def index(self, pos):
        return pos.x


class Heir(Rules):
    def helped(self, number):
        return -number


class AreaAsField(NamedTuple):
    area: int = 5

    def size(self):
        return 1


@kernel
def answers(game):
    return game.answer()


@kernel
def all_of(rules):
    return rules.area, rules.helped(1), rules.through_self(), rules.is_large(), rules.SCALE, rules.PRIMES


@kernel
def points(rules, number):
    return rules.mixed(number), rules.defaulted(), rules.defaulted().total()


@kernel
def area_of(rules):
    return rules.area


@kernel
def call_area_of(rules):
    return area_of(rules) + 1


@kernel
def hooks_of(game, pos):
    return max_plies(game), num_actions(game), banked(game, pos), index(game, pos)


def test_a_class_without_fields_can_be_passed_in():
    assert answers(Empty()) == 42


def test_methods_properties_constants_enums_and_helpers_compile():
    assert all_of(Rules()) == all_of.plain(Rules()) == (9, 19, 31, True, 10, (2, 3, 5))


def test_another_value_of_a_parameter_needs_no_new_machine_code():
    assert area_of(Rules(size=4)) == 16
    compiled = len(area_of.specialisations)
    assert area_of(Rules(size=5, kind=Kind.SMALL, flag=False, inner=Inner(0, 9))) == 25
    assert len(area_of.specialisations) == compiled


def test_truth_values_and_mixed_ints_are_stored_as_whole_numbers():
    made = points(Rules(), 5)[0]
    assert made == Point(1, 1)
    assert type(made.x) is int
    assert points(Rules(flag=False), 0)[0] == Point(0, 0)


def test_positions_with_default_fields_compile():
    assert points(Rules(), 5)[1:] == (Point(3, 7), 10)


def test_what_comes_back_is_an_instance_of_the_class():
    assert type(points(Rules(), 5)[0]) is Point


def test_methods_of_a_class_derived_from_a_game_compile():
    assert all_of(Heir()) == (9, -1, -7, True, 10, (2, 3, 5))


def test_one_name_may_be_a_field_here_and_a_property_there():
    assert area_of(Rules()) == 9
    assert area_of(AreaAsField()) == 5


def test_kernels_call_kernels():
    assert call_area_of(Rules()) == 10


def test_a_hook_is_the_games_own_or_the_default():
    assert hooks_of(Rules(), Point(4)) == hooks_of.plain(Rules(), Point(4)) == (77, 63, 0, 4)
    assert hooks_of(Empty(), Point(4)) == hooks_of.plain(Empty(), Point(4)) == (0, 63, 0, -1)


def test_the_index_of_tuples_is_not_taken_for_a_hook():
    assert not given("index")(Empty())
    assert given("index")(Rules())


def test_a_hook_may_have_parameters_beside_the_game():
    @hook
    def helped(game, number):
        return 0

    assert helped(Rules(), 3) == 21
    assert helped(Empty(), 3) == 0


def test_classes_made_in_functions_do_not_share_machine_code():
    def made_with(number):
        class Local(NamedTuple):
            def answer(self):
                return number

        return Local()

    assert [answers(made_with(n)) for n in (1, 2)] == [1, 2]


def test_floats_in_positions_are_refused_by_name():
    class Wrong(NamedTuple):
        def answer(self):
            return Point(0.5, 1)

    with pytest.raises(Exception, match="field x of Point gets a float64; fields hold whole numbers"):
        answers(Wrong())


def test_kernels_run_plainly_without_the_jit(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    made = points(Rules(), 5)
    assert made == points.plain(Rules(), 5)
    assert type(made[0].x) is bool


def test_marked_functions_keep_their_name_and_docstring():
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice the number.")


def test_many_threads_may_meet_a_new_class_at_once():
    def made(number):
        class Local(NamedTuple):
            def answer(self):
                return Point(number, number).total()

        return Local()

    for number in range(5):
        game = made(number)
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(answers, [game] * 32)) == {2 * number}


def test_classes_made_under_one_name_do_not_share_machine_code():
    made = [type("Made", (Empty,), {"answer": eval(f"lambda self: {n}")}) for n in (1, 2)]
    assert [answers(cls()) for cls in made] == [1, 2]


@helper
def scaled(number, factor=2):
    return factor * number


class Named(NamedTuple):
    def plus(self, number, more=1):
        return number + more

    def answer(self):
        return self.plus(1, more=3) + scaled(10, factor=4) + scaled(number=100)


def test_arguments_may_be_named():
    assert answers(Named()) == answers.plain(Named()) == 244


class Holder(NamedTuple):
    numbers: npt.NDArray[np.int64]
    extra: int


@kernel
def held(like, size):
    holder = Holder(np.arange(size), 1)
    for _ in range(3):
        holder = Holder(holder.numbers, holder.extra + 1)
    return holder.numbers.sum() + holder.extra


def test_arrays_in_what_compiled_code_makes_are_kept_alive():
    like = Holder(np.arange(2), 0)
    assert [held(like, 1000) for _ in range(50)] == [499_504] * 50


@kernel(work=lambda numbers: 100.0 * len(numbers))
def total_of(numbers):
    total = 0
    for number in numbers:
        total += number
    return total


@pytest.fixture
def tiers(monkeypatch, tmp_path):
    """The kernel with a work estimate, its machine code not on disk and nothing spent on it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(total_of, "plain_seconds", 0.0)
    monkeypatch.setattr(total_of, "specialisations", {})
    monkeypatch.setattr(total_of, "_absent", set())
    return total_of


def test_small_work_runs_plainly(tiers):
    assert tiers(np.arange(10)) == 45
    assert not tiers.specialisations
    assert tiers.plain_seconds > 0


def test_large_work_is_compiled(tiers):
    assert tiers(np.arange(100_000)) == 4_999_950_000
    assert len(tiers.specialisations) == 1
    assert tiers.plain_seconds == 0


def test_small_work_is_compiled_once_it_has_taken_long(tiers, monkeypatch):
    monkeypatch.setattr(tiers, "plain_seconds", 10.0)
    assert tiers(np.arange(10)) == 45
    assert len(tiers.specialisations) == 1


def test_small_work_uses_machine_code_that_is_there(tiers):
    tiers.entry(np.arange(10))
    assert tiers(np.arange(10)) == 45
    assert tiers.plain_seconds == 0


def test_an_entry_point_is_never_plain(tiers):
    assert tiers.entry(np.arange(10)) is tiers.specialisations[("<i8[1]",)]


@kernel(work=lambda numbers: 1.0)
def doubled_total(numbers):
    return 2 * total_of(numbers)


def test_kernels_that_a_plain_kernel_calls_are_plain(tiers):
    assert doubled_total(np.arange(100_000)) == 9_999_900_000
    assert not tiers.specialisations


def test_an_unusual_array_is_compiled_once(tiers, monkeypatch):
    monkeypatch.setattr(tiers, "work", None)
    table = np.arange(20).reshape(10, 2)
    assert [tiers(table[:, 1]), tiers(table[::2, 1])] == [100, 45]
    assert len(tiers.specialisations) == 1
