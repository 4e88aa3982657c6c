"""Seeded games told in full: what they show may change only on purpose."""

import pytest
from write_playthroughs import FOLDER, text_of

from ludus import catalog


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_a_playthrough_shows_what_it_did(name):
    stored = (FOLDER / f"{name}.txt").read_text()
    assert text_of(name) == stored, "if the change is meant, run: python tests/write_playthroughs.py"


def test_no_playthrough_is_left_of_a_game_that_is_gone():
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(catalog.GAMES.built_in)
