"""Puzzles: positions in which exactly one action keeps the win, from easy to hard."""

import io
import re
from functools import cache
from pathlib import Path

import pytest
from conftest import EXAMPLES
from rich.console import Console

from ludus import catalog, face, puzzles
from ludus.commands.puzzle import pose, show_all, to_json
from ludus.compiled.masks import actions
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import symmetries, transform
from ludus.puzzles import MOST_SIMULATIONS, Puzzle, find_puzzles, only_wins, puzzle_numbers, spread
from ludus.solving.solver import search, solve
from ludus.solving.value import Value

GAME = catalog.make_game("tic-tac-toe")
PIG = str(EXAMPLES / "pig.py") + "(target=4)"


@cache
def naive_score(pos):
    """The score for player 0 under perfect play."""
    legal = actions(GAME.legal(pos))
    if not legal:
        return GAME.score(pos)
    return (max, min)[GAME.player(pos)](naive_score(GAME.play(pos, action)) for action in legal)


def naive_wins(pos):
    """The actions that win for the player to move."""
    won = (1, -1)[GAME.player(pos)]
    return [action for action in actions(GAME.legal(pos)) if naive_score(GAME.play(pos, action)) == won]


def reachable(pos):
    """All positions that can come after one, itself among them."""
    found, waiting = {pos}, [pos]
    while waiting:
        here = waiting.pop()
        after = {GAME.play(here, action) for action in actions(GAME.legal(here))} - found
        found |= after
        waiting.extend(after)
    return found


def is_naive_puzzle(pos):
    return len(naive_wins(pos)) == 1 < len(actions(GAME.legal(pos)))


def lines():
    """The games on the page, with their positions and puzzles."""
    page = (Path(__file__).parents[1] / "docs" / "puzzles.md").read_text()
    for name, *numbers in re.findall(r"^\| `(.+)` \| ([\d,]+) \| ([\d,]+) \|$", page, re.MULTILINE):
        positions, number = (int(text.replace(",", "")) for text in numbers)
        marks = [] if name in ("tic-tac-toe", "tapnswap") else [pytest.mark.slow]  # compiled here anyhow
        yield pytest.param(name, positions, number, id=name, marks=marks)


@pytest.fixture(scope="module")
def found():
    return find_puzzles(GAME, 10, seed=1)


def test_all_puzzles_of_a_game_are_found():
    solution = solve(GAME)
    marked = {unpack(GAME.start(), solution.positions[number]) for number in puzzle_numbers(solution)}
    assert marked == {pos for pos in reachable(GAME.start()) if is_naive_puzzle(pos)}


def test_every_puzzle_has_one_winning_action_and_others(found):
    assert len(found) == 10
    for puzzle in found:
        assert is_naive_puzzle(puzzle.position)
        assert naive_wins(puzzle.position) == [puzzle.action]


def test_puzzles_go_from_easy_to_hard(found):
    needed = [puzzle.simulations for puzzle in found]
    assert needed == sorted(needed)
    assert found[0].plies == 1
    assert needed[-1] > 20 * needed[0]


def test_the_seed_decides_which_puzzles_there_are(found):
    assert find_puzzles(GAME, 10, seed=1) == found
    assert find_puzzles(GAME, 10, seed=2) != found


def test_no_two_puzzles_are_alike(found):
    alike = {min(transform(GAME, puzzle.position, s) for s in range(symmetries(GAME))) for puzzle in found}
    assert len(alike) == len(found)


@pytest.mark.parametrize(("name", "positions", "number"), list(lines()))
def test_the_page_gives_the_number_of_puzzles(name, positions, number):
    solution = solve(catalog.make_game(name))
    assert (len(solution), len(puzzle_numbers(solution))) == (positions, number)


@pytest.mark.slow
def test_a_searched_game_has_puzzles_from_play(monkeypatch):
    monkeypatch.setattr(puzzles, "solve", lambda game, progress: search(game, game.start(), 1 << 22, progress))
    found = find_puzzles(GAME, 5)
    assert len(found) == 5
    assert all(is_naive_puzzle(puzzle.position) for puzzle in found)


def test_actions_that_lead_to_one_position_are_one():
    game = catalog.make_game("tapnswap")
    solution = solve(game)
    positions = [unpack(game.start(), row) for row in solution.positions]
    marked = [number for number, pos in enumerate(positions) if only_wins(game, pos, solution.actions(pos))]
    assert list(puzzle_numbers(solution)) == marked
    assert any(len(only_wins(game, positions[number], solution.actions(positions[number]))) > 1 for number in marked)


def test_actions_of_different_names_are_different_though_they_lead_to_one_position():
    game = catalog.make_game("tapnswap")
    solution = solve(game)
    for number in puzzle_numbers(solution):
        pos = unpack(game.start(), solution.positions[number])
        wins = [action for action, value in solution.actions(pos).items() if value.outcome(game.player(pos)) == "win"]
        assert len({face.action_name(game, pos, action) for action in wins}) == 1


def test_a_game_of_chance_has_no_puzzles_and_is_not_solved_to_see_that(monkeypatch):
    monkeypatch.delattr(puzzles, "solve")
    with pytest.raises(LudusError, match="no puzzles in a game of chance"):
        find_puzzles(catalog.make_game(PIG))


@pytest.mark.parametrize(
    ("sizes", "count", "places"),
    [
        ([1, 1, 1, 2, 10, 50, 100], 3, [0, 4, 6]),
        ([1, 1, 1, 1, 100], 4, [0, 2, 3, 4]),
        ([3, 3, 3], 2, [0, 1]),
        ([7], 5, [0]),
        ([], 5, []),
    ],
)
def test_puzzles_are_spread_by_how_hard_they_are(sizes, count, places):
    assert spread(sizes, count) == places


# ---- in the terminal ----


def puzzle_of(text, simulations=12):
    """The puzzle that a position is."""
    pos = face.parse_position(GAME, text)
    values = {action: Value(naive_score(GAME.play(pos, action)), 1) for action in actions(GAME.legal(pos))}
    return Puzzle(pos, naive_wins(pos)[0], 1, simulations, values)


TWO = [puzzle_of("XX./OO./..."), puzzle_of("XO./XO./...", MOST_SIMULATIONS + 1)]


@pytest.fixture
def screen(monkeypatch):
    """What is seen when a person answers the two puzzles with these words."""

    def see(*words):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{word}\n" for word in words)))
        console = Console(file=io.StringIO(), width=80)
        pose(GAME, TWO, console)
        return console.file.getvalue()

    return see


def test_correct_answers_count(screen):
    text = screen("c3", "a1")
    assert "Right: c3 keeps the win, found by 12 simulations." in text
    assert "Right: a1 keeps the win, not found by 10,000 simulations." in text
    assert text.endswith("2 of 2 solved.\n")


def test_a_wrong_answer_shows_the_value_of_each_action(screen):
    text = screen("c2", "skip")
    assert "Wrong: c3 keeps the win" in text
    assert "Skipped: a1 keeps the win" in text
    assert "c3      win in 1" in text
    assert text.endswith("0 of 2 solved.\n")


def test_leaving_shows_the_number_of_correct_answers(screen):
    assert screen("c3", "quit").endswith("1 of 1 solved.\n")


def test_what_is_no_action_is_asked_again(screen):
    text = screen("d9", "c3", "a1")
    assert "'d9' is no action here" in text
    assert "2 of 2 solved." in text


def test_puzzles_as_a_list():
    console = Console(file=io.StringIO(), width=80)
    show_all(GAME, TWO, console)
    text = console.file.getvalue()
    assert "1. Crosses to move, XX./OO./..." in text
    assert "c3: win in 1, found by 12 simulations" in text


def test_a_list_of_no_puzzles_says_so():
    console = Console(file=io.StringIO(), width=80)
    show_all(GAME, [], console)
    assert console.file.getvalue().startswith("no puzzles")


def test_puzzles_as_json():
    document = to_json(GAME, TWO, seed=3)
    assert (document["game"], document["seed"], document["most_simulations"]) == ("tic-tac-toe", 3, MOST_SIMULATIONS)
    first, second = document["puzzles"]
    assert first == {
        "position": "XX./OO./...", "player": 0, "action": 2, "name": "c3", "plies": 1, "simulations": 12
    }  # fmt: skip
    assert second["simulations"] is None
