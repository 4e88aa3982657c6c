"""Tablebases hold the values of the solution in memory, survive kills and damage, and refuse what breaks the rules."""

import json
import shutil
from typing import NamedTuple

import numpy as np
import pytest
from conftest import TESTS

import ludus
from ludus.compiled.rows import unpack
from ludus.solving.explore import explore
from ludus.solving.solver import solve_explored
from ludus.solving.tablebases import building, estimates, linking, tiers
from ludus.solving.tablebases.building import Builder, Limits, build, in_threads
from ludus.solving.tablebases.enumeration import Known, distinct
from ludus.solving.tablebases.estimates import estimated
from ludus.solving.tablebases.files import ArrayFile, write_arrays
from ludus.solving.tablebases.keys import WIDEST, NoTablebaseError, scrambled, unscrambled
from ludus.solving.tablebases.position_sets import NOT_FOUND, set_of
from ludus.solving.tablebases.tablebase import NotCompleteError, Tablebase, copy
from ludus.solving.tablebases.tabulation import tabulate
from ludus.solving.tablebases.verification import verify

MANY = Limits(1 << 33, 1 << 33)
GAMES = (
    "tic-tac-toe",
    "tapnswap",  # an index, loops
    "tapnswap(tap_dead=true)",
    "fox-and-hounds(size=6)",  # an index, tiers
    "fox-and-hounds(size=6, goal=safe)",
    "mancala(holes=2, stones=3)",  # margins, extra turns
    "mancala(holes=2, stones=2, capture=standard)",
    "toads-and-frogs",
    "connect-four(width=4, height=3)",
    "chung-toi(reach=one)",  # symmetries, loops
)


def in_memory(game, tablebase):
    """The solution in memory, up to symmetry where the tablebase is."""
    return solve_explored(explore(game, symmetric=tablebase.symmetric), game.start())


@pytest.mark.parametrize("written", GAMES)
def test_every_value_is_that_of_the_solution_in_memory(written, tmp_path):
    game = ludus.make_game(written)
    build(game, tmp_path, limits=MANY)
    found = Tablebase(game, tmp_path)
    known = in_memory(game, found)
    assert found.counts() == known.counts()
    for row in known.positions[:: max(1, len(known) // 2000)]:
        pos = unpack(game.start(), row)
        assert found.value(pos) == known.value(pos)
    assert found.actions(game.start()) == known.actions(game.start())


@pytest.mark.parametrize("written", GAMES)
def test_values_follow_from_their_successors(written, tmp_path):
    game = ludus.make_game(written)
    build(game, tmp_path, limits=MANY)
    found = Tablebase(game, tmp_path)
    assert verify(found) == len(found)
    assert 0 < verify(found, sample=1) <= len(found)


class Stair(NamedTuple):
    """Two pieces on a strip; the one to move steps towards the end or waits; tiers are the steps left."""

    length: int = 9

    def start(self):
        return Steps(self.length, self.length, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return 0 if pos.first == 0 or pos.second == 0 else 0b111

    def play(self, pos, action):
        taken = min(action, pos.first if pos.turn == 0 else pos.second)
        if pos.turn == 0:
            return Steps(pos.first - taken, pos.second, 1)
        return Steps(pos.first, pos.second - taken, 0)

    def score(self, pos):
        return 1 if pos.first == 0 else -1

    def tier(self, pos):
        return pos.first + pos.second


class Steps(NamedTuple):
    first: int
    second: int
    turn: int


class Backwards(Stair):
    """The same with tiers that grow."""

    def tier(self, pos):
        return -pos.first


class Holes(Stair):
    """The same with an index whose numbers do not lead back."""

    @property
    def num_positions(self):
        return 2 * (self.length + 1) ** 2

    def index(self, pos):
        return (pos.first * (self.length + 1) + pos.second) * 2 + pos.turn

    def position_at(self, index):
        cells = index // 2
        return Steps(cells // (self.length + 1), min(cells % (self.length + 1), 5), index % 2)

    def tier(self, pos):
        return 0


def test_loops_inside_tiers_and_values_across_them_agree_with_the_solution(tmp_path):
    build(Stair(), tmp_path, limits=MANY)
    found, known = Tablebase(Stair(), tmp_path), ludus.solve(Stair(), method="listed")
    assert len(found.numbers) > 5
    assert found.counts() == known.counts()
    assert all(
        found.value(unpack(Stair().start(), row)) == known.value(unpack(Stair().start(), row))
        for row in known.positions
    )


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Backwards(), r"tier grows along play, after .*: give a number that no action makes larger"),
        (Holes(), r"index has holes: position_at and index do not lead to each other at "),
    ],
)
def test_what_breaks_the_contract_is_refused_in_one_line(game, words, tmp_path):
    with pytest.raises(ludus.LudusError, match=words):
        build(game, tmp_path, limits=MANY)


def test_check_proves_tiers():
    from ludus.checking import check

    assert "grows from" in check(Backwards()).problem
    assert not check(Stair()).problem


def test_a_field_that_turns_out_wider_begins_again_with_wider_keys(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "used_bits", lambda game, start: np.array(start, np.int64) & 1)
    build(Stair(), tmp_path, limits=MANY)
    assert Tablebase(Stair(), tmp_path).counts() == ludus.solve(Stair(), method="listed").counts()


# ---- keys and sets ----


@pytest.mark.parametrize("bits", [1, 2, 7, 31, 40, WIDEST])
def test_scrambling_is_a_bijection(bits):
    words = range(1 << bits) if bits < 10 else np.random.default_rng(bits).integers(1 << bits, size=200).tolist()
    images = [scrambled(word, bits) for word in words]
    assert all(0 <= image < 1 << bits for image in images)
    assert [unscrambled(image, bits) for image in images] == list(words)


@pytest.mark.parametrize(("bits", "size"), [(1, 2), (5, 20), (20, 1), (20, 3000), (41, 5000), (WIDEST, 5000)])
def test_a_set_numbers_its_keys_in_order_and_holds_no_others(bits, size):
    drawn = np.random.default_rng(size).integers(1 << bits, size=2 * size, dtype=np.int64)
    keys = np.unique(drawn)[:size]
    found = set_of([keys[: len(keys) // 3], keys[len(keys) // 3 :]], bits)
    assert found.size == len(keys)
    assert found.keys(0, len(keys)).tolist() == keys.tolist()
    middle = len(keys) // 2
    assert found.keys(middle, len(keys)).tolist() == keys[middle:].tolist()
    assert found.numbers(keys[::-1].copy()).tolist() == [*range(len(keys))][::-1]
    others = np.setdiff1d(drawn, keys)
    assert (found.numbers(others) == NOT_FOUND).all()


def test_a_set_takes_little_more_than_the_information_in_it():
    keys = np.unique(np.random.default_rng(1).integers(1 << 41, size=200_000, dtype=np.int64))
    found = set_of([keys], 41)
    bits = 8 * (found.directory.nbytes + found.remainders.nbytes) / len(keys)
    assert bits < 41 - np.log2(len(keys)) + 7


@pytest.mark.parametrize("memory", [0, 1 << 30])
def test_known_keys_return_new_ones_only_whether_in_memory_or_in_files(memory, tmp_path):
    drawn, known, every = np.random.default_rng(3), Known(16, tmp_path, memory), set()
    for _ in range(20):
        runs = [distinct(drawn.integers(1 << 16, size=400, dtype=np.int64)) for _ in range(2)]
        found = {int(key) for keys in known.add(runs) for key in keys}
        expected = {int(key) for run in runs for key in run} - every
        assert found == expected
        every |= expected
    assert known.as_set()[0].keys(0, len(every)).tolist() == sorted(every)
    assert bool(list(tmp_path.glob("run.*"))) == (memory == 0)


# ---- kills, damage, limits ----


class KilledError(Exception):
    """In place of a kill."""


@pytest.mark.parametrize("after", [1, 2, 5, 9, 14])
def test_a_build_killed_anywhere_resumes_to_the_same_bytes(after, tmp_path, monkeypatch):
    game = ludus.make_game("fox-and-hounds(size=6)")
    whole, part = tmp_path / "whole", tmp_path / "part"
    build(game, whole, limits=MANY)
    calls = iter(range(after))

    def dying(game, keying, tasks):
        if next(calls, None) is None:
            raise KilledError
        return list(in_threads(game, keying, tasks))

    with pytest.raises(KilledError):
        build(game, part, limits=MANY, workers=dying)
    with pytest.raises(NotCompleteError):
        Tablebase(game, part)
    build(game, part, limits=MANY)
    assert {path.name: path.read_bytes() for path in part.iterdir()} == {
        path.name: path.read_bytes() for path in whole.iterdir()
    }


def test_finished_tiers_are_not_solved_again(tmp_path, monkeypatch):
    game = ludus.make_game("fox-and-hounds(size=6)")
    build(game, tmp_path, limits=MANY)
    *_, last = Tablebase(game, tmp_path).numbers
    tiers.values_path(tmp_path, last).unlink()
    solved = []
    monkeypatch.setattr(
        Builder, "_solve", lambda self, number, do=Builder._solve: solved.append(number) or do(self, number)
    )
    build(game, tmp_path, limits=MANY)
    assert solved == [last]


@pytest.fixture(scope="module")
def tic_tac_toe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tablebase")
    build(ludus.make_game("tic-tac-toe"), folder, limits=MANY)
    return folder


@pytest.mark.parametrize("name", ["0.values", "0.positions", "tablebase.json"])
def test_a_damaged_file_is_refused_in_one_line(name, tic_tac_toe, tmp_path):
    game = ludus.make_game("tic-tac-toe")
    content = (tic_tac_toe / name).read_bytes()
    for place in np.random.default_rng(5).integers(len(content), size=60).tolist():
        folder = tmp_path / str(place)
        shutil.copytree(tic_tac_toe, folder, dirs_exist_ok=True)
        (folder / name).write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(ludus.LudusError) as refused:
            verify(Tablebase(game, folder))
        assert "\n" not in str(refused.value)
        shutil.rmtree(folder)


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_file_cut_short_is_refused(cut, tic_tac_toe, tmp_path):
    shutil.copytree(tic_tac_toe, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "0.values"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ludus.LudusError, match=r"0\.values"):
        Tablebase(ludus.make_game("tic-tac-toe"), tmp_path).value(ludus.make_game("tic-tac-toe").start())


def test_a_wrong_value_is_found_by_verifying(tic_tac_toe, tmp_path):
    game = ludus.make_game("tic-tac-toe")
    shutil.copytree(tic_tac_toe, tmp_path, dirs_exist_ok=True)
    file = ArrayFile(tmp_path / "0.values")
    codes = file.array("codes").copy()
    codes[7] = 2 if codes[7] != 2 else 3
    write_arrays(tmp_path / "0.values", file.facts, {"codes": codes})
    with pytest.raises(ludus.LudusError, match="does not follow from its successors"):
        verify(Tablebase(game, tmp_path))


def test_a_tablebase_of_other_rules_is_refused(tic_tac_toe):
    with pytest.raises(ludus.LudusError, match="was made for other rules: TicTacToe"):
        Tablebase(ludus.make_game("tapnswap"), tic_tac_toe)


def test_a_full_disk_ends_in_one_line_and_keeps_what_is_finished(tmp_path, monkeypatch):
    game = ludus.make_game("fox-and-hounds(size=6)")
    write = building.write_values

    def full(path, *rest):
        if path.name.startswith("12."):
            raise OSError(28, "No space left on device")
        write(path, *rest)

    monkeypatch.setattr(building, "write_values", full)
    with pytest.raises(ludus.LudusError, match="the disk is full; what is finished is kept, and solving resumes there"):
        build(game, tmp_path, limits=MANY)
    assert (tmp_path / "11.values").exists()
    monkeypatch.setattr(building, "write_values", write)
    build(game, tmp_path, limits=MANY)
    assert Tablebase(game, tmp_path).value(game.start()).plies == 24


def test_what_does_not_fit_is_refused_before_the_work(tmp_path):
    game = ludus.make_game("chung-toi")
    for limits in ({"memory": 1000}, {"disk": 1000}):
        with pytest.raises(NoTablebaseError, match=r"takes at least .* of (memory|disk), with 1 kB to use; likely"):
            tabulate(game, folder=tmp_path / "none", **limits)
    assert not (tmp_path / "none").exists()


def test_limits_hold_during_the_work(tmp_path):
    game = ludus.make_game("chung-toi")
    for limits in (Limits(50_000, 1 << 33), Limits(1 << 33, 200_000)):
        with pytest.raises(ludus.LudusError, match="and at most"):
            build(game, tmp_path, limits=limits)
    build(game, tmp_path, limits=MANY)
    assert len(Tablebase(game, tmp_path)) == 19_545


def test_games_of_chance_and_wide_positions_are_refused(tmp_path):
    with pytest.raises(ludus.LudusError, match="more than 63 bits, and a tablebase packs it into that many"):
        build(ludus.make_game("connect-four"), tmp_path, limits=MANY)
    with pytest.raises(ludus.LudusError, match="leaves something to chance"):
        build(ludus.make_game(str(TESTS.parent / "examples" / "pig.py")), tmp_path, limits=MANY)


@pytest.mark.parametrize("written", ["tic-tac-toe", "chung-toi", "fox-and-hounds", "connect-four(width=4, height=4)"])
def test_estimates_bound_the_number_of_positions(written):
    game = ludus.make_game(written)
    found = estimates._estimated(explore(game, limit=2_000))
    size = len(explore(game, symmetric=written != "fox-and-hounds"))
    assert found.least <= size <= found.most
    assert found.likely_cost.kept > 0
    assert estimated(game, game.start()) == estimated(game, game.start())


# ---- in use ----


def test_a_probe_does_not_load_the_compiler(tic_tac_toe, fresh_python):
    probe = f"""
import sys, pathlib, ludus
from ludus.solving.tablebases.tablebase import Tablebase
game = ludus.make_game("tic-tac-toe")
print(Tablebase(game, pathlib.Path({str(tic_tac_toe)!r})).value(game.start()).plies, "numba" in sys.modules)
"""
    assert fresh_python(probe).split() == ["9", "False"]


def test_a_copy_is_the_same(tic_tac_toe, tmp_path):
    game = ludus.make_game("tic-tac-toe")
    copy(Tablebase(game, tic_tac_toe), tmp_path / "copy")
    assert Tablebase(game, tmp_path / "copy").counts() == Tablebase(game, tic_tac_toe).counts()


def test_best_and_optimal_are_those_of_perfect_play(tic_tac_toe):
    game = ludus.make_game("tic-tac-toe")
    found, known = Tablebase(game, tic_tac_toe), ludus.solve(game)
    for row in known.positions[::37]:
        pos = unpack(game.start(), row)
        values = known.actions(pos)
        if not values:
            assert found.best(pos) == found.optimal(pos) == []
            continue
        side = 1 if game.player(pos) == 0 else -1
        top = max(side * value.score for value in values.values())
        assert found.optimal(pos) == [action for action, value in values.items() if side * value.score == top]
        assert set(found.best(pos)) <= set(found.optimal(pos))


@pytest.fixture
def tabulated(monkeypatch):
    """Makes tablebases of games that would be listed."""
    monkeypatch.setattr("ludus.solving.solver._FIRST_GLANCE", 50)
    monkeypatch.setattr("ludus.solving.solver._GLANCE", 100)
    monkeypatch.setattr("ludus.solving.solver._LATER_GLANCES", (200,))


def test_a_large_game_is_solved_by_a_tablebase_that_is_kept(tabulated, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    game = ludus.make_game("tapnswap")
    found = ludus.solve(game)
    assert (found.method, found.value(game.start())) == (
        "tablebase",
        ludus.solve(game, method="listed").value(game.start()),
    )
    monkeypatch.setattr("ludus.solving.solver.tabulate", None)
    assert ludus.solve(game).folder == found.folder


def test_perfect_and_grade_use_a_tablebase(tabulated, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    game = ludus.make_game("tapnswap(limit=3)")
    truth = ludus.solve(game)
    assert truth.method == "tablebase"
    found = ludus.grade(ludus.make_agent("perfect"), game, solution=truth, positions=20)
    assert found.all.optimal == found.all.decisions > 0
    result = ludus.play_match(game, ludus.make_agent("perfect"), ludus.make_agent("random"), 20)
    assert result.all.a_wins > 10


def test_the_command_line_makes_lists_verifies_and_removes(ludus, tmp_path):
    home = {"LUDUS_HOME": str(tmp_path / "home")}
    made = json.loads(ludus("solve", "tapnswap", "--method", "tablebase", "--verify", "--json", **home).stdout)
    assert (made["method"], made["positions"], made["plies"], made["verified"]) == ("tablebase", 1116, 26, True)
    (entry,) = json.loads(ludus("tablebase", "tapnswap", "--sample", "10", "--json", **home).stdout)
    assert entry["complete"]
    assert entry["positions"] == 1116
    assert entry["checked"] > 0
    saved = tmp_path / "saved"
    ludus("solve", "tapnswap", "--method", "tablebase", "--save", str(saved), **home)
    loaded = json.loads(ludus("solve", "tapnswap", "--load", str(saved), "--json", **home).stdout)
    assert (loaded["method"], loaded["wins"]) == ("tablebase", 744)
    assert "1,116" in ludus("tablebase", "tapnswap", **home).stdout
    assert "removed" in ludus("tablebase", "tapnswap", "--remove", **home).stdout
    assert json.loads(ludus("tablebase", "tapnswap", "--json", **home).stdout) == []


@pytest.mark.slow
def test_processes_make_the_same_bytes_as_threads(tmp_path, monkeypatch):
    from ludus.commands.solve import workers_on

    game = ludus.make_game("connect-four(width=4, height=4)")
    monkeypatch.setattr(building, "SLICE", 1 << 13)
    monkeypatch.setattr(building, "LINKED", 1 << 15)
    build(game, tmp_path / "threads", limits=MANY)
    build(game, tmp_path / "processes", limits=MANY, workers=workers_on("local=2"))
    for path in (tmp_path / "threads").iterdir():
        assert path.read_bytes() == (tmp_path / "processes" / path.name).read_bytes()


def test_many_parts_and_slices_give_the_same_values_as_one(tmp_path, monkeypatch):
    game = ludus.make_game("chung-toi")
    build(game, tmp_path / "one", limits=MANY)
    monkeypatch.setattr(building, "SLICE", 1 << 10)
    monkeypatch.setattr(building, "LINKED", 1 << 11)
    for module in (building, linking):
        monkeypatch.setattr(module, "PART", 1 << 12)
    build(game, tmp_path / "many", limits=MANY)
    one, many = (ArrayFile(tmp_path / name / "0.values").array("codes") for name in ("one", "many"))
    assert (one == many).all()
