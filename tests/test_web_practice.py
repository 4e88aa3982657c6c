"""Learning from one's mistakes in a browser: the end of a game, its review, and positions that come back after days."""

import datetime as dt
import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from web_server import browser, page, server, too_small, watched_page, web_home  # noqa: F401

from ludus.files import home

pytestmark = pytest.mark.slow

LINE = [0, 1, 2, 3, 6, 5, 7, 4]  # of tic-tac-toe, squares from above: Crosses lose, with three slips
SLIPS = {"Move 3": "c3", "Move 5": "a1", "Move 7": "b1"}
BETTER = {"Move 3": "a2", "Move 5": "b2", "Move 7": "b2"}
WORSE = ("c3", "c1")  # at move 3
ONE_SLIP = [0, 4, 1, 2, 3, 6]  # Crosses lose, because they do not take a1
START = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def play_to_the_end(page, server, line):  # noqa: F811
    """Open a game that has been played as Crosses, and wait until its mistakes are known."""
    page.emulate_media(reduced_motion="reduce")
    moves = ".".join(map(str, line))
    page.goto("about:blank")
    page.goto(f"{server}#/play?game=tic-tac-toe&side=first&agent=random&moves={moves}")
    page.wait_for_selector(".ending:not([hidden]) button:has-text('Review')", timeout=60_000)


def touch(page, square):  # noqa: F811
    page.click(f'[data-target="{square}"]')


def exercise(page):  # noqa: F811
    return page.locator(".exercise:not([hidden])")


def test_a_game_with_three_slips_ends_with_exactly_these(page, server):  # noqa: F811
    play_to_the_end(page, server, LINE)
    words = page.inner_text(".ending p")
    assert words == "Your mistakes were move 3 (c3), move 5 (a1) and move 7 (b1)."
    page.get_by_role("button", name="Review 3 mistakes").click()
    for number, (heading, played) in enumerate(SLIPS.items(), 1):
        exercise(page).get_by_role("heading", name=heading, exact=True).wait_for()
        assert f"You played {played}, and " in exercise(page).inner_text()
        assert page.inner_text(".turn .words") == f"Review: {number} of 3"
        touch(page, BETTER[heading])
        page.wait_for_selector(".verdict.right")
        exercise(page).get_by_role("button", name="Done" if number == 3 else "Next mistake").click()
    page.wait_for_selector(".ending:not([hidden])")
    assert "You found 3 of 3." in page.inner_text(".ending")


def test_a_second_try_and_then_the_line_that_refutes_on_the_board(page, server):  # noqa: F811
    play_to_the_end(page, server, LINE)
    page.get_by_role("button", name="Review 3 mistakes").click()
    for square, then in zip(WORSE, ("One more try.", "This is the answer:"), strict=True):
        page.wait_for_selector(f'[data-target="{square}"].legal')
        touch(page, square)
        exercise(page).get_by_text(then).wait_for()
    exercise(page).get_by_text("Best: a2").wait_for()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    line = exercise(page).get_by_role("list", name="The line").get_by_role("button")
    assert line.first.inner_text() == "c1"
    line.nth(1).click()
    page.wait_for_selector('.piece[data-place="c1"]')
    assert page.locator("div.board .piece").count() == 4


def test_the_game_is_played_again_from_a_mistake_or_anew(page, server):  # noqa: F811
    play_to_the_end(page, server, LINE)
    page.get_by_role("button", name="Try again from there").click()
    page.wait_for_selector('[data-target="c3"].legal')
    assert page.locator("div.board .piece").count() == 2
    play_to_the_end(page, server, LINE)
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_function("() => document.querySelector('.turn .words').textContent.includes('Noughts (you)')")


def test_on_a_phone_the_end_and_the_review_stand_next_to_the_board(browser, server):  # noqa: F811
    with watched_page(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as phone:
        play_to_the_end(phone, server, LINE)
        top = {name: phone.locator(name).bounding_box()["y"] for name in ("div.board", ".ending", ".tools")}
        assert top["div.board"] < top[".ending"] < top[".tools"]
        assert too_small(phone) == []
        phone.get_by_role("button", name="Review 3 mistakes").tap()
        exercise(phone).wait_for()
        board, words = phone.locator("div.board").bounding_box(), exercise(phone).bounding_box()
        assert 0 <= words["y"] - board["y"] - board["height"] < 50
        assert too_small(phone) == []


def stored(page):  # noqa: F811
    """Level, and days until it is due, of what the browser and the user's folder keep, which is the same."""
    kept = json.loads((home() / "practice.json").read_text())["items"]
    own = page.evaluate("JSON.parse(localStorage['ludus-practice'])")
    assert sorted(kept, key=str) == sorted(own, key=str)
    return [(item["level"], (item["due"] - item["changed"]) // 86_400) for item in own]


def practise(page, server, day):  # noqa: F811
    """Open the page of practice some days after the start."""
    page.clock.set_fixed_time(START + dt.timedelta(days=day))
    page.goto("about:blank")
    page.goto(f"{server}#/practice")
    page.get_by_role("heading", name="Your positions").wait_for()


def answer(page, *squares):  # noqa: F811
    page.get_by_role("button", name="Practise 1 position").click()
    for square in squares:
        page.wait_for_selector(f'[data-target="{square}"].legal')
        touch(page, square)
        page.wait_for_selector(".verdict")
    exercise(page).get_by_role("button", name="Done").click()
    page.get_by_text("You found").first.wait_for()


def test_a_mistake_comes_back_after_1_3_7_and_21_days(browser, server):  # noqa: F811
    (home() / "practice.json").unlink(missing_ok=True)
    with watched_page(browser) as page:  # noqa: F811
        page.clock.set_fixed_time(START)
        play_to_the_end(page, server, ONE_SLIP)
        page.wait_for_function("() => localStorage['ludus-practice']?.includes('mistake')")
        practise(page, server, 0)
        page.get_by_text("The next comes back on March 2").wait_for()
        assert stored(page) == [(0, 1)]
        practise(page, server, 1)
        answer(page, "c2", "b1")
        assert stored(page) == [(0, 1)]
        day = 1
        for level, days in enumerate((1, 3, 7, 21)):
            day += days
            practise(page, server, day - 0.5)
            assert page.get_by_role("button", name="Practise 1 position").count() == 0
            practise(page, server, day)
            answer(page, "a1")
            assert stored(page) == [(level + 1, (3, 7, 21, 0)[level])]
        page.get_by_text("All learned.").wait_for()
    with watched_page(browser) as elsewhere:  # another browser has it from the user's folder
        practise(elsewhere, server, day)
        elsewhere.get_by_text("All learned.").wait_for()


def test_a_crib_sheet_is_drilled_likewise(browser, server):  # noqa: F811
    (home() / "practice.json").unlink(missing_ok=True)
    with watched_page(browser) as page:  # noqa: F811
        practise(page, server, 0)
        page.get_by_label("Game").select_option("tic-tac-toe")
        page.get_by_role("button", name="Add its crib sheet").click()
        added = page.get_by_text(re.compile(r"\d+ positions added\."))
        added.wait_for(timeout=120_000)
        count = int(added.inner_text().split()[0])
        assert stored(page) == [(-1, 0)] * count
        page.get_by_role("button", name=re.compile(r"Practise \d+ positions")).click()
        exercise(page).get_by_text(re.compile(r"\d of \d moves holds? the draw\. Find")).wait_for()
        exercise(page).get_by_role("button", name="Show me").click()
        exercise(page).get_by_role("button", name="Next").click()
        page.get_by_text(f"2 of {min(count, 10)}").wait_for()
        assert sorted(stored(page)) == [(-1, 0)] * (count - 1) + [(0, 1)]
