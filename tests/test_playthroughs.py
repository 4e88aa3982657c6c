"""Seeded games written out in full: a change of any fact must be intended."""

import inspect
from pathlib import Path

import pytest
import write_playthroughs
from write_playthroughs import FACTS, FOLDER, text_of

from ludus import catalog, face
from ludus import game as contract
from ludus.compiled.compiling import Twin


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_a_playthrough_shows_what_it_did(name):
    stored = (FOLDER / f"{name}.txt").read_text()
    assert text_of(name) == stored, "if the change is meant, run: python tests/write_playthroughs.py"


def test_no_playthrough_is_left_of_a_game_that_is_gone():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(catalog.GAMES.built_in)


def test_playthroughs_hold_every_hook_and_every_part_of_the_face():
    writer = Path(write_playthroughs.__file__).read_text()
    hooks = [name for name, hook in vars(contract).items() if isinstance(hook, Twin) and not name.startswith("gives_")]
    source = inspect.getsource(face)
    parts = [name for name in vars(face) if not name.startswith("_") and f"def {name}(game: Any" in source]
    missing = [name for name in hooks + parts if f"{name}(" not in writer]
    missing = [name for name in missing if name not in [fact.__name__ for fact in FACTS]]
    assert set(missing) <= {"menu", "parse_action", "parse_position"}  # they say what action_name and notation say
