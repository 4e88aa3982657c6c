"""Files appear whole, and what dead processes left of them goes away."""

import subprocess
import sys

import pytest

from ludus.files import made_folder, write_whole


def test_a_file_takes_the_place_of_an_earlier_one(tmp_path):
    path = tmp_path / "file"
    path.write_text("earlier")
    write_whole(path, [b"la", memoryview(b"ter")])
    assert path.read_text() == "later"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("clean", [lambda path: write_whole(path, [b""]), lambda path: made_folder(path.parent)])
def test_what_a_dead_process_was_writing_is_removed(tmp_path, clean):
    code = "import os, sys; from pathlib import Path; from ludus.files import made_folder, write_whole\n"
    code += "write_whole(Path(sys.argv[1]), (os._exit(9) for _ in range(1)))"
    subprocess.run([sys.executable, "-c", code, tmp_path / "file"], check=False)
    assert [path.suffix for path in tmp_path.iterdir()] == [".partial"]
    clean(tmp_path / "file")
    assert [path for path in tmp_path.iterdir() if path.suffix == ".partial"] == []


def test_what_is_being_written_stays(tmp_path):
    def parts():
        made_folder(tmp_path)
        write_whole(tmp_path / "other", [b""])
        yield b"content"

    write_whole(tmp_path / "file", parts())
    assert (tmp_path / "file").read_bytes() == b"content"


@pytest.mark.parametrize("name", ["file.7.partial", "film.mine.partial", "file.1-2", "file.1-2.partial.txt"])
def test_nothing_else_is_removed(tmp_path, name):
    kept = tmp_path / name
    kept.touch()
    write_whole(tmp_path / "file", [b""])
    made_folder(tmp_path)
    assert kept.exists()
