"""The digest of a module covers what can change its results, and nothing else."""

import importlib
from functools import lru_cache
from typing import NamedTuple

import pytest

from ludus.compiled import digests


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package `own` whose `rules` imports `own.board` relatively, `aside` plainly, and two libraries."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("")
    (tmp_path / "own" / "rules.py").write_text(
        "import json\nimport numpy\nfrom . import board\n\ndef late():\n    import aside\n    return aside\n"
    )
    (tmp_path / "own" / "board.py").write_text("SIZE = 3\n")
    (tmp_path / "own" / "drawing.py").write_text("COLOUR = 1\n")
    (tmp_path / "aside.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_closure_holds_authored_modules_only(package):
    assert set(digests.closure("own.rules")) == {"own", "own.rules", "own.board", "aside"}


def test_imports_for_the_checker_of_types_do_not_count(package):
    (package / "own" / "board.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import own.drawing\n"
    )
    assert "own.drawing" not in digests.closure("own.rules")


@pytest.mark.parametrize("taken", ["from own import COLOUR", "from own import *", "import own"])
def test_names_that_a_package_loads_when_asked_count_where_they_are_taken(package, taken):
    (package / "own" / "__init__.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .drawing import COLOUR\n"
    )
    assert "own.drawing" not in digests.closure("own.rules")
    (package / "own" / "board.py").write_text(taken)
    assert "own.drawing" in digests.closure("own.rules")


def test_a_module_that_was_missing_counts_once_it_is_there(package):
    (package / "aside.py").write_text("import later\n")
    assert "later" not in digests.closure("aside")
    (package / "later.py").write_text("X = 1\n")
    importlib.invalidate_caches()
    assert "later" in digests.closure("aside")


@pytest.mark.parametrize("name", ["own/rules.py", "own/board.py", "aside.py"])
def test_an_edit_of_what_is_imported_changes_the_digest(package, name):
    before = digests.module_digest("own.rules")
    (package / name).write_text((package / name).read_text() + "Y = 2\n")
    assert digests.module_digest("own.rules") != before


def test_an_edit_of_what_is_not_imported_does_not(package):
    before = digests.module_digest("own.rules")
    (package / "own" / "drawing.py").write_text("COLOUR = 2\n")
    assert digests.module_digest("own.rules") == before


def test_nothing_is_imported_to_find_out(package, fresh_python):
    code = f"""
import sys; sys.path.insert(0, {str(package)!r})
from ludus.compiled import digests
digests.module_digest("own.rules")
print([name for name in ("own", "aside", "numpy") if name in sys.modules])
"""
    assert fresh_python(code) == "[]"


def test_kernels_of_ludus_depend_on_its_helpers_but_not_on_its_games():
    found = digests.closure("ludus.playout")
    assert {
        "ludus.compiled.masks",
        "ludus.compiled.randomness",
        "ludus.compiled.native",
        "ludus.compiled.intrinsics",
    } <= set(found)
    assert not any(name.startswith("ludus.games") for name in found)


def test_games_depend_on_the_games_they_borrow_from():
    assert "ludus.games.tic_tac_toe" in digests.closure("ludus.games.chung_toi")


def test_a_method_turned_into_something_else_is_another_game():
    def start(self):
        return self.heap

    found = set()
    for kind in (lambda method: method, property, staticmethod, lru_cache):

        class Game(NamedTuple):
            heap: int

        Game.start = kind(start)
        found.add(digests.reached_from(Game).digest)
    assert len(found) == 4


def test_a_range_of_numbers_has_a_digest():
    def reads_a_range():
        return EIGHT  # noqa: F821, set below

    globals()["EIGHT"] = range(8)
    one = digests.function_digest.__wrapped__(reads_a_range)
    assert one == digests.function_digest.__wrapped__(reads_a_range)
    globals()["EIGHT"] = range(9)
    assert one != digests.function_digest.__wrapped__(reads_a_range)
