"""Machine code on disk: found again by the next process, and never used after an edit."""

import json
import os
import shutil
import textwrap
from pathlib import Path

import pytest

import ludus
from ludus.compiled import machine_code

pytestmark = pytest.mark.slow

GAME = """
from typing import NamedTuple
from steps import STEP

class Position(NamedTuple):
    heap: int
    turn: int

class Countdown(NamedTuple):
    heap: int = 12

    def start(self):
        return Position(self.heap, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return 1 if pos.heap > 0 else 0

    def play(self, pos, action):
        return Position(pos.heap - STEP, 1 - pos.turn)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1
"""

HELPER = """
from ludus import helper

@helper
def step(heap):
    if heap < 0:
        raise ValueError("below")
    return 1
"""

PLAY = """
import sys
import ludus
from ludus.compiled import compiling
from ludus.playout import play_games
compiled = []
compiling.listeners.append(lambda kernel, done, total: compiled.append(kernel) if done == total else None)
tally = ludus.playouts(ludus.make_game({name!r}), 10, threads=1)
print(tally.plies, tally.total_score, len(play_games.specialisations) - len(compiled), len(compiled))
assert compiled or "numba" not in sys.modules
"""


@pytest.fixture
def play(fresh_python, tmp_path):
    """Play ten games in a new process, which loads Numba only to compile: [plies, score, kernels loaded, compiled]."""

    def run(name, **environment):
        cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        return [int(word) for word in fresh_python(PLAY.format(name=str(name)), **cache, **environment).split()]

    return run


@pytest.fixture
def countdown(tmp_path):
    """A game in a file that imports a constant from the file beside it."""
    (tmp_path / "steps.py").write_text("STEP = 1\n")
    path = tmp_path / "countdown.py"
    path.write_text(GAME)
    return path


@pytest.fixture
def own_ludus(tmp_path):
    """A copy of Ludus that a test may edit, and the environment that makes Python use it."""
    package = tmp_path / "own" / "ludus"
    shutil.copytree(Path(ludus.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package, {"PYTHONPATH": str(package.parent)}


def test_the_next_process_finds_the_machine_code(play):
    assert play("tic-tac-toe")[2:] == [0, 1]
    assert play("tic-tac-toe")[2:] == [1, 0]


def test_damaged_machine_code_is_made_again(play, tmp_path):
    play("tic-tac-toe")
    (kept,) = (tmp_path / "cache").rglob("*.kernel")
    whole = kept.read_bytes()
    names = [whole.replace(json.loads(whole.split(b"\n")[0])["symbol"].encode(), b"other", 1)]
    for damaged in (b"", b"{}\n", b"[" * 100_000, b"[]\nx", whole[:-100], whole[:-1] + bytes([whole[-1] ^ 1]), *names):
        kept.write_bytes(damaged)
        assert play("tic-tac-toe")[2:] == [0, 1]
        assert kept.read_bytes() == whole or kept.stat().st_size > 1000


def test_machine_code_for_another_processor_is_not_run(play, tmp_path):
    play("tic-tac-toe")
    (kept,) = (tmp_path / "cache").rglob("*.kernel")
    name, _, ending = kept.name.split(".")
    kept.rename(kept.with_name(f"{name}.000000000000.{ending}"))
    assert play("tic-tac-toe")[2:] == [0, 1]
    assert len(list((tmp_path / "cache").rglob("*.kernel"))) == 2


def test_code_that_refers_to_an_unknown_name_is_made_again(play, tmp_path):
    play("tic-tac-toe")
    (kept,) = (tmp_path / "cache").rglob("*.kernel")
    header, _, code = kept.read_bytes().partition(b"\n")
    names = json.loads(header)
    names["needs"].append("no_such_function")
    names["digest"] = machine_code._digest({name: names[name] for name in names if name != "digest"}, code)
    kept.write_bytes(json.dumps(names).encode() + b"\n" + code)
    assert play("tic-tac-toe")[2:] == [0, 1]


def test_a_folder_that_cannot_be_written_keeps_nothing_and_stops_nothing(play, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert play("tic-tac-toe")[2:] == [0, 1]


def test_what_was_used_longest_ago_makes_room(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for age, name in enumerate(("newest-aa", "used-bb", "oldest-cc")):
        machine_code.save(name, machine_code.Emitted(bytes(4_000), name, [], []))
        (path,) = tmp_path.rglob(f"{name}*")
        os.utime(path, (1e9 - age, 1e9 - age))
    monkeypatch.setattr(machine_code, "SIZE_LIMIT", 10_000)
    machine_code.save("last-dd", machine_code.Emitted(bytes(1), "last", [], []))
    assert {path.name.partition("-")[0] for path in tmp_path.rglob("*.kernel")} == {"newest", "last"}


def test_a_game_from_a_file_is_found_again_too(play, countdown):
    assert play(countdown) == [120, -10, 0, 1]
    assert play(countdown) == [120, -10, 1, 0]


def test_an_edited_game_gives_new_results(play, countdown):
    play(countdown)
    countdown.write_text(GAME.replace("1 if pos.turn == 1 else -1", "5"))
    assert play(countdown)[:2] == [120, 50]


def test_an_edited_module_that_a_game_imports_gives_new_results(play, countdown):
    play(countdown)
    (countdown.parent / "steps.py").write_text("STEP = 2\n")
    assert play(countdown)[0] == 60


def test_an_edited_helper_of_ludus_gives_new_results(play, own_ludus):
    package, environment = own_ludus
    before = play("tic-tac-toe", **environment)
    randomness = package / "compiled" / "randomness.py"
    randomness.write_text(randomness.read_text().replace("0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5B7"))
    after = play("tic-tac-toe", **environment)
    assert after[:2] != before[:2]
    assert after[2:] == [0, 1]


def test_an_edited_drawing_of_another_game_keeps_the_machine_code(play, own_ludus):
    package, environment = own_ludus
    play("tic-tac-toe", **environment)
    mancala = package / "games" / "mancala.py"
    mancala.write_text(mancala.read_text() + "\n# another comment\n")
    assert play("tic-tac-toe", **environment)[2:] == [1, 0]


def test_a_game_whose_file_is_gone_does_not_disturb_others(play, countdown):
    play(countdown)
    countdown.unlink()
    assert play("tic-tac-toe")[2:] == [0, 1]
    assert play("tic-tac-toe")[2:] == [1, 0]


def test_a_moved_file_still_finds_its_machine_code(play, countdown, tmp_path):
    play(countdown)
    (tmp_path / "elsewhere").mkdir()
    for path in (countdown, countdown.parent / "steps.py"):
        path.rename(tmp_path / "elsewhere" / path.name)
    assert play(tmp_path / "elsewhere" / "countdown.py") == [120, -10, 1, 0]


def test_an_edited_game_gives_new_results_in_the_same_process(countdown):
    (countdown.parent / "steps.py").write_text("STEP = 1\n")
    before = ludus.playouts(ludus.make_game(str(countdown)), 10)
    countdown.write_text(GAME.replace("1 if pos.turn == 1 else -1", "5"))
    after = ludus.playouts(ludus.make_game(str(countdown)), 10)
    assert (before.total_score, after.total_score) == (-10, 50)


def test_an_edited_neighbour_gives_new_results_in_the_same_process(countdown):
    before = ludus.playouts(ludus.make_game(str(countdown)), 10)
    (countdown.parent / "steps.py").write_text("STEP = 2\n")
    after = ludus.playouts(ludus.make_game(str(countdown)), 10)
    assert (before.plies, after.plies) == (120, 60)


def test_games_of_one_name_in_two_folders_keep_their_own_neighbours(countdown, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "steps.py").write_text("STEP = 3\n")
    (other / "countdown.py").write_text(GAME)
    plies = [ludus.playouts(ludus.make_game(str(path)), 10).plies for path in (countdown, other / "countdown.py")]
    assert plies == [120, 40]


def test_a_neighbour_in_a_plain_folder_counts_too(play, countdown):
    (countdown.parent / "plain").mkdir()
    (countdown.parent / "plain" / "sub.py").write_text("STEP = 1\n")
    countdown.write_text(GAME.replace("from steps import STEP", "from plain.sub import STEP"))
    before = play(countdown)
    (countdown.parent / "plain" / "sub.py").write_text("STEP = 4\n")
    assert (before[0], play(countdown)[0]) == (120, 30)


def test_a_helper_of_a_neighbour_is_found_again(play, countdown):
    (countdown.parent / "steps.py").write_text(HELPER)
    countdown.write_text(GAME.replace("import STEP", "import step").replace("- STEP", "- step(pos.heap)"))
    assert play(countdown) == [120, -10, 0, 1]
    assert play(countdown) == [120, -10, 1, 0]


def test_another_comment_in_a_file_needs_no_new_machine_code(play, countdown):
    countdown.write_text(f"{GAME}\n# one\n")
    play(countdown)
    countdown.write_text(f"{GAME}\n# two\n")
    assert play(countdown) == [120, -10, 1, 0]


def test_a_constant_from_the_environment_counts_too(play, countdown):
    countdown.write_text(GAME.replace("from steps import STEP", "import os\nSTEP = int(os.environ['STEP'])"))
    assert [play(countdown, STEP=step)[0] for step in ("1", "2", "3")] == [120, 60, 40]


LISTING = """
import sys, time
began = time.perf_counter()
from ludus import catalog
names = list(catalog.games())
seconds = time.perf_counter() - began
heavy = [name for name in ("numba", "jax", "numpy") if name in sys.modules]
print(len(names), seconds, heavy)
"""


def test_listing_games_imports_neither_numba_nor_jax_and_takes_under_half_a_second(fresh_python):
    runs = [fresh_python(textwrap.dedent(LISTING)).split(maxsplit=2) for _ in range(3)]
    assert {(count, heavy) for count, _, heavy in runs} == {("8", "[]")}
    assert min(float(seconds) for _, seconds, _ in runs) < 0.5


EDITED_WHILE_RUNNING = """
import sys, time, pathlib
sys.path.insert(0, {folder!r})
import countdown, ludus
path = pathlib.Path({folder!r}, "countdown.py")
path.write_text(path.read_text().replace("1 if pos.turn == 1 else -1", "5"))
print(ludus.playouts(countdown.Countdown(), 10).total_score)
"""


def test_a_game_edited_after_it_was_imported_leaves_no_stale_machine_code(fresh_python, countdown, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = EDITED_WHILE_RUNNING.format(folder=str(countdown.parent))
    assert fresh_python(code, **cache) == "-10"
    assert fresh_python(code, **cache) == "50"


@pytest.mark.parametrize("agent", ["simple:SmartRandom", "mcts:Mcts", "minimax:Minimax", "perfect:Solved"])
def test_an_agent_that_asks_hooks_has_the_same_digest_in_every_process(fresh_python, agent):
    module, name = agent.split(":")
    imports = f"import ludus.agents.{module} as m; from ludus.compiled.digests import reached_from"
    code = f"{imports}; print(reached_from(m.{name}).digest)"
    assert fresh_python(code) == fresh_python(code)


LOADED_THEN_COMPILED = """
import sys
import ludus
from ludus.compiled import compiling
compiled = []
compiling.listeners.append(lambda kernel, done, total: compiled.append(kernel.__name__) if done == total else None)
for name in {names!r}:
    print(ludus.playouts(ludus.make_game(name), 10, threads=1).plies, len(compiled), "numba" in sys.modules)
"""


def test_numba_may_come_after_machine_code_was_loaded(play, fresh_python, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    plies = play("tic-tac-toe")[0]
    code = LOADED_THEN_COMPILED.format(names=("tic-tac-toe", "tapnswap", "tic-tac-toe"))
    lines = [line.split() for line in fresh_python(code, **cache).splitlines()]
    assert lines[0] == [str(plies), "0", "False"]
    assert [line[1:] for line in lines[1:]] == [["1", "True"], ["1", "True"]]
    assert lines[2][0] == str(plies)


RAISING = """
import ludus
from ludus.catalog import GAMES, find  # which does not check the rules first
try:
    ludus.playouts(find(GAMES, {name!r}), 10, threads=1)
except ValueError as error:
    print(error)
"""


def test_loaded_machine_code_raises_what_the_rules_raise(countdown, fresh_python, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    (countdown.parent / "steps.py").write_text(HELPER.replace("heap < 0", "heap < 5"))
    countdown.write_text(GAME.replace("import STEP", "import step").replace("- STEP", "- step(pos.heap)"))
    said = [fresh_python(RAISING.format(name=str(countdown)), **cache) for _ in range(2)]
    assert said == ["below", "below"]
    assert len(list((tmp_path / "cache").rglob("*.kernel"))) == 1
