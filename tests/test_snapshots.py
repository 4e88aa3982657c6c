"""Snapshots: the parameters of a run at its evaluations."""

import numpy as np

from ludus.learning.runs.files import MAX_SNAPSHOTS, Notes, read_arrays, snapshot_name, snapshots, write_snapshot


def notes_of(games):
    return Notes(snapshot_name(games), "0123", {}, games)


def kept(path, *evaluated, size=3):
    games = evaluated[-1]
    write_snapshot(path, list(evaluated), {"values": np.full(size, float(games))}, notes_of(games))


def test_a_snapshot_reads_back(tmp_path):
    kept(tmp_path, 200)
    arrays, notes = read_arrays(tmp_path / snapshot_name(200))
    assert (arrays["values"].tolist(), notes) == ([200.0] * 3, notes_of(200))


def test_snapshots_are_listed_by_their_games(tmp_path):
    for number, _ in enumerate(evaluated := (20, 300, 1000), start=1):
        kept(tmp_path, *evaluated[:number])
    assert snapshots(tmp_path) == [20, 300, 1000]


def test_a_snapshot_that_is_too_large_is_not_written(tmp_path):
    kept(tmp_path, 100, size=1 << 20)
    assert snapshots(tmp_path) == []


def test_too_many_are_thinned_out_and_the_first_and_the_last_stay(tmp_path):
    for end in range(20, 10 * 5 * MAX_SNAPSHOTS + 10, 10):
        kept(tmp_path, *range(10, end, 10))
        assert len(snapshots(tmp_path)) <= MAX_SNAPSHOTS
    assert (snapshots(tmp_path)[0], snapshots(tmp_path)[-1]) == (10, 10 * 5 * MAX_SNAPSHOTS - 10)


def test_thinning_out_that_was_cut_short_is_finished(tmp_path):
    evaluated = range(10, 10 * (MAX_SNAPSHOTS + 3), 10)
    for end in range(1, MAX_SNAPSHOTS + 2):
        kept(tmp_path, *evaluated[:end])
    wanted = snapshots(tmp_path)
    assert len(wanted) < MAX_SNAPSHOTS
    (tmp_path / snapshot_name(20)).touch()  # one that was to be removed
    assert snapshots(tmp_path) != wanted
    kept(tmp_path, *evaluated[: MAX_SNAPSHOTS + 1])
    assert snapshots(tmp_path) == wanted
