"""The page as a screen reader has it: the whole board is read, and a game is played without seeing it."""

import re

import httpx
import pytest
from web_server import browser, page, server, web_home  # noqa: F401

from ludus import catalog

pytestmark = pytest.mark.slow


def board(page):  # noqa: F811
    return page.get_by_role("group", name=re.compile("^Board: "))


def read(page):  # noqa: F811
    """What is read of the board, in order: role and words."""
    return re.findall(r"""- '?(button|img) "([^"]*)\"""", board(page).aria_snapshot())


def heard(page):  # noqa: F811
    """The last announcement."""
    return page.get_by_role("status").filter(has_text=re.compile(".")).last.inner_text()


@pytest.mark.parametrize("game", catalog.games())
def test_every_square_of_every_game_is_read(page, server, game):  # noqa: F811
    page.goto(f"{server}#/play?game={game}")
    page.wait_for_selector(".target.legal")
    squares = httpx.get(f"{server}api/position", params={"game": game}).json()["squares"]
    found = read(page)
    assert len(found) == len(squares)
    assert all(any(said.startswith(words) for _, said in found) for words in squares.values())


def test_a_game_is_played_through_with_the_accessibility_tree_alone(page, server):  # noqa: F811
    page.goto(server)
    page.get_by_role("link", name=re.compile("^Tic-tac-toe")).click()
    board(page).get_by_role("button").first.focus()
    for ply in range(1, 10, 2):
        before = read(page)
        free = [words for role, words in before if role == "button"]
        assert len(before) == 9
        assert all(words.endswith(", empty") for words in free)
        board(page).get_by_role("button", name=free[0], exact=True).press("Enter")
        square = free[0].partition(",")[0]
        page.wait_for_function("() => document.querySelector('.board:not([aria-busy])')")
        page.get_by_role("list", name="Moves so far").get_by_role("listitem").nth(ply).wait_for()
        page.wait_for_function("() => !document.querySelector('.turn .words').textContent.includes('thinking')")
        assert ("img", f"{square}, cross") in read(page)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"{square}, cross"
        if not board(page).get_by_role("button").count():
            break
    assert re.search(r"(: \w\d\. (Crosses|Noughts) won|A draw)\.$", heard(page))
    said = [words.partition(", ")[2] for role, words in read(page) if role == "img"]
    assert {"cross", "nought"} <= set(said) <= {"cross", "nought", "empty"}


def test_arrow_keys_lead_over_the_whole_board(page, server):  # noqa: F811
    page.goto(f"{server}#/play?game=tic-tac-toe&at=.X./.O./...&side=both")
    page.wait_for_selector(".target.legal")
    board(page).get_by_role("button").first.focus()
    heard_on_the_way = []
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        heard_on_the_way.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert heard_on_the_way == ["b3, cross", "b2, nought", "b1, empty"]
