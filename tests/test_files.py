"""Files appear whole, and what dead processes left of them goes away."""

import os
import subprocess
import sys

import pytest

from ludus.files import write_whole


@pytest.fixture
def gone():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_file_takes_the_place_of_an_earlier_one(tmp_path):
    path = tmp_path / "file"
    path.write_text("earlier")
    write_whole(path, [b"la", memoryview(b"ter")])
    assert path.read_text() == "later"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_dead_process_left_is_removed(tmp_path, gone):
    left = tmp_path / f"file.{gone}.partial"
    left.touch()
    write_whole(tmp_path / "file", [b""])
    assert not left.exists()


@pytest.mark.parametrize("name", ["file.{own}.partial", "other.{gone}.partial", "file.mine.partial", "file.{gone}"])
def test_nothing_else_is_removed(tmp_path, gone, name):
    kept = tmp_path / name.format(own=os.getppid(), gone=gone)
    kept.touch()
    write_whole(tmp_path / "file", [b""])
    assert kept.exists()
