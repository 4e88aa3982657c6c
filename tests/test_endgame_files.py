"""Endgame tables on disk: the same values, resumed after a kill, checked, and no search stopped by their faults."""

import json
from functools import cache
from shutil import copyfile

import numpy as np
import pytest

import ludus
from ludus.compiled.masks import actions
from ludus.solving import alpha_beta, endgame_tables, endgame_verification, endgames
from ludus.solving.alpha_beta import Searcher
from ludus.solving.endgame_files import EndgameFiles
from ludus.solving.endgame_tables import Growing, tabulate
from ludus.solving.endgames import Endgames, num_endgames, sizes_at
from ludus.solving.value import Value

NAME = "mancala(holes=2, capture=standard)"
LARGER = "mancala(holes=4, stones=3, capture=empty, leftovers=owner)"


@pytest.fixture
def game(home):
    return ludus.make_game(NAME)


@pytest.fixture
def computed(monkeypatch):
    """How many positions are computed, chunk by chunk."""
    counts, fill_chunk = [], endgames._fill_chunk

    def counting(game, table, start, end):
        counts.append(end - start)
        return fill_chunk(game, table, start, end)

    monkeypatch.setattr(endgames, "_fill_chunk", counting)
    return counts


@pytest.fixture
def long_search(home, monkeypatch):
    """A game of which a search soon uses endgames, and keeps all that it computes."""
    monkeypatch.setattr(alpha_beta, "SLICE", 100)
    monkeypatch.setattr(endgame_tables, "WORTH_KEEPING", 1)
    return ludus.make_game(LARGER)


def damage(path):
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)


def test_tables_from_disk_are_those_computed_in_memory(game, computed):
    in_memory = endgames.compute(game, 8)
    computed.clear()
    made = tabulate(game, 8)
    assert sum(computed) == len(in_memory.values)
    computed.clear()
    read = tabulate(game, 8)
    assert computed == []
    for table in (made, read):
        assert np.array_equal(table.values, in_memory.values)
    assert sorted(path.name for path in EndgameFiles(game).folder.iterdir()) == [f"{n}.values" for n in range(9)]


def test_tables_from_disk_agree_with_plain_minimax(game):
    @cache
    def value(pos):
        legal = actions(game.legal(pos))
        if not legal:
            return game.score(pos)
        best = max if game.player(pos) == 0 else min
        return best(value(game.play(pos, action)) for action in legal)

    tabulate(game, 6)
    table, sizes = tabulate(game, 6), np.zeros(4, np.int64)
    for number, found in enumerate(table.values):
        sizes_at(number, table, sizes)
        assert found == value(game.endgame_position(sizes))


def test_a_killed_process_leaves_the_tiers_that_are_finished(game, fresh_python, computed):
    fresh_python(f"""
import os, ludus
from ludus.solving.endgame_tables import tabulate
from ludus.solving.endgames import num_endgames
game = ludus.make_game({NAME!r})
tabulate(game, 8, progress=lambda done: os._exit(0) if done > num_endgames(game, 5) else None)
""")
    assert EndgameFiles(game).most == 5
    resumed = tabulate(game, 8)
    assert sum(computed) == num_endgames(game, 8) - num_endgames(game, 5)
    assert np.array_equal(resumed.values, endgames.compute(game, 8).values)


def test_a_damaged_file_is_refused_in_one_line(game):
    tabulate(game, 5)
    damage(EndgameFiles(game).path(3))
    with pytest.raises(ludus.LudusError, match=r"3\.values is damaged: a checksum does not match"):
        tabulate(game, 5)


def test_a_file_of_another_game_or_tier_is_refused(game):
    other = ludus.make_game("mancala(holes=2, capture=none)")
    for each in (game, other):
        tabulate(each, 5)
    files = EndgameFiles(game)
    copyfile(EndgameFiles(other).path(5), files.path(5))
    with pytest.raises(ludus.LudusError, match="is damaged: it is of other positions, 5 in the heaps of Mancala"):
        tabulate(game, 5)
    copyfile(files.path(4), files.path(5))
    with pytest.raises(ludus.LudusError, match="it is of other positions, 4 in the heaps"):
        tabulate(game, 5)


def test_values_that_no_table_has_are_refused(game):
    table = tabulate(game, 5)
    table.values[-1] = endgames.UNKNOWN
    EndgameFiles(game).keep(table, 5)
    with pytest.raises(ludus.LudusError, match="it holds other values than it says"):
        tabulate(game, 5)


def test_a_search_keeps_what_took_long_and_the_next_one_reads_it(long_search, computed):
    first = Searcher(long_search, memory=1 << 20)
    assert first.value(long_search.start()) == Value(8)
    assert EndgameFiles(long_search).most == first._search.endgames.most > 0
    computed.clear()
    second = Searcher(long_search, memory=1 << 20)
    assert second.value(long_search.start()) == Value(8)
    assert computed == []
    assert second.nodes <= first.nodes


def test_a_short_search_writes_nothing(long_search, monkeypatch, home):
    monkeypatch.setattr(endgame_tables, "WORTH_KEEPING", 1 << 22)
    assert Searcher(long_search, memory=1 << 20).value(long_search.start()) == Value(8)
    assert not (home / "endgames").exists()


def test_a_search_reads_no_more_than_fits(long_search):
    tabulate(long_search, 12)
    assert Growing(long_search).with_at_least(-1, 7).most == 7
    memory = 1 << 17
    searcher = Searcher(long_search, memory=memory)
    searcher.value(long_search.start())
    assert len(searcher._search.endgames.values) + searcher._search.table.nbytes <= memory


def test_a_search_computes_again_what_is_damaged_and_replaces_it(long_search, computed):
    tabulate(long_search, 6)
    files = EndgameFiles(long_search)
    damage(files.path(5))
    computed.clear()
    table = Growing(long_search).with_at_least(-1, 6)
    assert sum(computed) == num_endgames(long_search, 5) - num_endgames(long_search, 4)
    assert np.array_equal(table.values, tabulate(long_search, 6).values)


def test_a_search_needs_no_disk(long_search, home):
    (home / "endgames").write_text("in the way")
    assert Searcher(long_search, memory=1 << 20).value(long_search.start()) == Value(8)


def test_the_tables_follow_from_their_own_successors(game, either):
    assert endgame_verification.verify(game, tabulate(game, 7)) == num_endgames(game, 7)


@pytest.mark.parametrize("number", [0, 57, 329])
def test_verifying_finds_any_value_that_is_wrong(game, number, either):
    table = tabulate(game, 7)
    values = table.values.copy()
    values[number] += 1
    with pytest.raises(ludus.LudusError, match="does not follow from its successors"):
        endgame_verification.verify(game, Endgames(values, table.counts, table.most))


def test_a_sample_is_a_part(game, monkeypatch):
    monkeypatch.setattr(endgame_verification, "_AT_ONCE", 10)
    assert endgame_verification.verify(game, tabulate(game, 7), sample=35) == 40


def run_json(ludus, *arguments, **environment):
    done = ludus("tablebase", NAME, "--json", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_command_makes_lists_verifies_and_removes_them(ludus, home):
    (made,) = run_json(ludus, "--endgames", "6")
    assert (made["endgames"], made["tiers"], made["positions"], made["checked"]) == (6, 7, 210, None)
    (verified,) = run_json(ludus, "--verify")
    assert verified == made | {"checked": 210}
    listed = ludus("tablebase", NAME, "--sample", "5")
    assert "at most 6" in listed.stdout
    assert len(run_json(ludus, "--remove")) == 1
    assert [*(home / "endgames").iterdir()] == []
    assert run_json(ludus) == []
    assert "--endgames N endgame tables" in " ".join(ludus("tablebase", NAME).stdout.split())


def test_what_is_left_of_them_can_be_removed(ludus, game):
    tabulate(game, 3)
    EndgameFiles(game).path(0).unlink()
    (removed,) = run_json(ludus, "--verify", "--remove")
    assert (removed["endgames"], removed["checked"]) == (-1, 0)
    assert not EndgameFiles(game).folder.exists()


def test_a_table_that_does_not_fit_is_refused_before_any_work(ludus, home):
    done = ludus("tablebase", "mancala", "--endgames", "60")
    assert done.returncode == 2
    assert "the endgames with at most 60 in their heaps take" in done.stderr
    assert "of memory" in done.stderr
    assert not (home / "endgames").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("tapnswap", "--endgames", "3"), "TapnSwap has no endgame tables: its rules do not give endgame_heaps"),
        ((NAME, "--endgames", "3", "--remove"), "leave out --folder and --remove"),
        ((NAME, "--endgames", "127"), "127 is not in the range"),
    ],
)
def test_wrong_requests_get_one_line(ludus, home, arguments, line):
    done = ludus("tablebase", *arguments)
    assert done.returncode != 0
    assert line in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_damaged_file_gets_one_line(ludus, game):
    tabulate(game, 3)
    damage(EndgameFiles(game).path(2))
    for option in (("--verify",), ("--endgames", "4")):
        done = ludus("tablebase", NAME, *option)
        assert done.returncode == 2
        assert "2.values is damaged: a checksum does not match" in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_made_gets_one_line(ludus, home):
    (home / "endgames").write_text("in the way")
    done = ludus("tablebase", NAME, "--endgames", "4")
    assert done.returncode == 2
    assert "cannot be made" in done.stderr
    assert "Traceback" not in done.stderr
