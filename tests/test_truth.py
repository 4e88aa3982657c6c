"""docs/truth.md: every line of its tables is what solving says."""

import re
from pathlib import Path

import pytest

import ludus
from ludus.face import players

PAGE = (Path(__file__).parents[1] / "docs" / "truth.md").read_text()
NUMBER = r"([\d,]+)"
LINES = re.findall(rf"^\| `([^`]+)` \| {NUMBER} \| {NUMBER} \| {NUMBER} \| {NUMBER} \| ([^|]+) \|$", PAGE, re.MULTILINE)
SMALL = 50_000
LARGE = 1_000_000  # positions: beyond this a line takes gigabytes and minutes


def in_words(game, value):
    if value.score == 0:
        return "drawn without end" if value.plies is None else f"tied in {value.plies}"
    margin = f" by {abs(value.score)}" if abs(value.score) > 1 else ""
    return f"{players(game)[0 if value.score > 0 else 1]}{margin} in {value.plies}"


def lines():
    for game, *texts, words in LINES:
        counts = [int(text.replace(",", "")) for text in texts]
        if counts[0] < LARGE:
            marks = [pytest.mark.slow] if counts[0] > SMALL else []
            yield pytest.param(game, counts, words, id=game, marks=marks)


@pytest.mark.parametrize(("name", "counts", "words"), list(lines()))
def test_the_page_is_what_solving_says(name, counts, words):
    game = ludus.make_game(name)
    solution = ludus.solve(game)
    found = solution.counts()
    assert [found.positions, found.wins, found.losses, found.draws] == counts
    assert in_words(game, solution.value(game.start())) == words


def test_the_papers_solved_games_are_on_the_page():
    reported = {name.partition("(")[0] for name, *_ in LINES}
    assert reported >= {"tapnswap", "fox-and-hounds", "chung-toi", "toads-and-frogs"}


MARGINS = re.findall(r"^\| (\d), (\d) \|((?: [+-]?\d+ \|){4})$", PAGE, re.MULTILINE)
READINGS = ("", ", leftovers=owner", ", capture=standard, leftovers=owner", ", capture=empty, leftovers=owner")


@pytest.mark.parametrize(("holes", "stones", "margins"), MARGINS)
def test_the_page_has_the_margins_of_small_mancala_boards(holes, stones, margins):
    games = [ludus.make_game(f"mancala(holes={holes}, stones={stones}{reading})") for reading in READINGS]
    found = [ludus.solve(game).value(game.start()).score for game in games]
    assert found == [int(margin) for margin in margins.replace("|", "").split()]
