"""Solutions in files: what is saved is read back, one position costs one block, and nothing damaged is believed."""

import os

import pytest
from conftest import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.solving.solution import verify
from ludus.solving.solution_file import BLOCK, SolutionFile, load, save

PIG = str(EXAMPLES / "pig.py(target=8, faces=4)")
VARIETY = [("tic-tac-toe", False), ("mancala(holes=3, stones=2)", True), (PIG, False)]
SMALL = "fox-and-hounds(size=4)"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Solve a game and save it, once: its solution and the file."""
    known = {}

    def get(written, symmetric=False):
        key = written, symmetric
        if key not in known:
            solution = ludus.solve(ludus.make_game(written), symmetric=symmetric)
            known[key] = solution, tmp_path_factory.mktemp("solved") / "file"
            save(*known[key])
        return known[key]

    return get


def some_positions(solution, count=60):
    rows = solution.positions[:: max(len(solution) // count, 1)]
    return [solution.start._make(row) for row in rows.tolist()]


@pytest.mark.parametrize(("written", "symmetric"), VARIETY)
def test_a_solution_is_read_back_as_it_was(saved, written, symmetric):
    solution, path = saved(written, symmetric)
    again = load(path, solution.game)
    assert (again.start, again.symmetric, again.gap) == (solution.start, solution.symmetric, solution.gap)
    assert again.counts() == solution.counts()
    for pos in some_positions(solution):
        assert again.value(pos) == solution.value(pos)
    verify(again)


@pytest.mark.parametrize(("written", "symmetric"), VARIETY)
def test_a_file_answers_what_the_solution_does(saved, written, symmetric):
    solution, path = saved(written, symmetric)
    with SolutionFile(path, solution.game) as file:
        assert (len(file), file.counts(), file.start) == (len(solution), solution.counts(), solution.start)
        for pos in some_positions(solution):
            assert file.value(pos) == solution.value(pos)
            assert file.actions(pos) == solution.actions(pos)


def test_a_position_that_is_not_in_the_file_is_reported(saved):
    solution, path = saved("tic-tac-toe")
    with SolutionFile(path, solution.game) as file:
        for unknown in (solution.start._replace(turn=1), solution.start._replace(mine=1 << 40)):
            with pytest.raises(ludus.LudusError, match="is not in"):
                file.value(unknown)


def test_probing_reads_no_other_block(saved, tmp_path):
    solution, path = saved("tic-tac-toe")
    damaged = tmp_path / "damaged"
    damaged.write_bytes(changed(path.read_bytes(), -1, 1))  # in the second of two blocks
    positions = some_positions(solution, 400)
    with SolutionFile(damaged, solution.game) as file:
        answers = [answer(file, pos) for pos in positions]
    answered = [(pos, value) for pos, value in zip(positions, answers, strict=True) if value is not None]
    assert len(answered) / len(positions) == pytest.approx(BLOCK / len(solution), abs=0.1)
    assert all(value == solution.value(pos) for pos, value in answered)
    with pytest.raises(ludus.LudusError, match="is damaged"):
        load(damaged, solution.game)


def answer(file, pos):
    """The value of a position, None if it stands in a damaged block."""
    try:
        return file.value(pos)
    except ludus.LudusError as error:
        assert "is damaged: a checksum does not match" in str(error)  # noqa: PT017, either outcome is allowed
        return None


def changed(content, place, bits):
    """The same bytes but for some bits of one of them."""
    other = bytearray(content)
    other[place] ^= bits
    return bytes(other)


@given(st.data())
def test_a_file_with_any_one_byte_changed_is_refused(saved, tmp_path_factory, data):
    solution, path = saved(SMALL)
    content = path.read_bytes()
    other = tmp_path_factory.getbasetemp() / "changed"
    other.write_bytes(changed(content, data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(1, 255))))
    with pytest.raises(ludus.LudusError, match=r"is damaged|is no solution"):
        load(other, solution.game)


@given(st.data())
def test_a_truncated_or_longer_file_is_refused_even_for_probing(saved, tmp_path_factory, data):
    solution, path = saved(SMALL)
    content = path.read_bytes()
    other = tmp_path_factory.getbasetemp() / "cut"
    end = data.draw(st.integers(0, len(content)))
    other.write_bytes(content[:end] if end < len(content) else content + b"more")
    with pytest.raises(ludus.LudusError, match=r"is damaged|is no solution"):
        SolutionFile(other, solution.game)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("tapnswap", "was solved for other rules: TapnSwap"),
        ("fox-and-hounds(size=4, goal=home)", r"FoxAndHounds\(size=4, goal=home\)"),
    ],
)
def test_a_file_of_another_game_or_other_parameters_is_refused(saved, written, words):
    path = saved(written)[1]
    with pytest.raises(ludus.LudusError, match=words):
        load(path, ludus.make_game(SMALL))


def test_what_is_no_solution_is_refused(tmp_path):
    game = ludus.make_game(SMALL)
    (tmp_path / "poem").write_text("The fox\n" * 100)
    with pytest.raises(ludus.LudusError, match="poem is no solution that this version of Ludus reads"):
        load(tmp_path / "poem", game)
    with pytest.raises(ludus.LudusError, match="nothing cannot be read: No such file or directory"):
        load(tmp_path / "nothing", game)
    with pytest.raises(ludus.LudusError, match="cannot be read: it is a folder"):
        load(tmp_path, game)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")], ids=str)
def test_a_save_that_fails_leaves_the_old_file_and_no_other(saved, tmp_path, monkeypatch, error):
    solution, path = saved(SMALL)
    target = tmp_path / "kept"
    target.write_bytes(path.read_bytes())

    def fail(_):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((KeyboardInterrupt, ludus.LudusError)):
        save(saved("tapnswap")[0], target)
    assert target.read_bytes() == path.read_bytes()
    assert list(tmp_path.iterdir()) == [target]
    load(target, solution.game)


@pytest.mark.parametrize("place", ["nowhere/file", "poem/file"])
def test_a_place_that_cannot_be_written_is_reported_in_one_line(saved, tmp_path, place):
    (tmp_path / "poem").write_text("The fox")
    with pytest.raises(ludus.LudusError, match=r"file cannot be written: (No such file or|Not a) directory$"):
        save(saved(SMALL)[0], tmp_path / place)
