"""Clear to somebody who is here for the first time: the menu, the cards, the rules, puzzles, variants and sounds."""

import json
import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from web_server import browser, page, server, watched_page, web_home  # noqa: F401

from ludus import catalog

pytestmark = pytest.mark.slow


def newcomer(page):  # noqa: F811
    page.add_init_script("if (location.href !== 'about:blank') localStorage['ludus-rules-seen'] = '{}'")


def test_the_menu_has_four_groups_with_their_pages(page, server):  # noqa: F811
    page.goto(server)
    page.wait_for_selector(".game")
    menu = page.get_by_role("navigation", name="Menu").get_by_role("link")
    assert menu.all_inner_texts() == ["Play", "Learn", "Train", "Research"]
    menu.nth(1).click()
    pages = page.get_by_role("navigation", name="Learn")
    pages.wait_for()
    assert pages.get_by_role("link").all_inner_texts() == ["Rules", "Puzzles", "Practice"]


def test_cards_hold_no_formulas(page, server):  # noqa: F811
    page.goto(server)
    page.wait_for_selector(".game")
    cards = page.locator(".game").all_inner_texts()
    assert len(cards) == len(catalog.games())
    assert not [words for words in cards if re.search(r"[\^_=*/{}|]|\bW\d|\bply\b|plies", words)]


def test_the_rules_are_shown_once_to_a_newcomer_and_by_a_click(browser, server):  # noqa: F811
    with watched_page(browser) as page:  # noqa: F811
        page.goto(server)
        page.evaluate("localStorage['ludus-rules-seen'] = '{}'")
        page.goto(f"{server}#/play?game=tic-tac-toe")
        rules = page.get_by_role("dialog", name="How to play Tic-tac-toe")
        rules.get_by_role("button", name="Next").click()
        rules.get_by_role("heading", name="Winning").wait_for()
        rules.get_by_role("button", name="Play").click()
        rules.wait_for(state="hidden")
        page.reload()
        page.wait_for_selector(".target.legal")
        assert rules.count() == 0
        page.get_by_role("button", name="Rules", exact=True).click()
        rules.get_by_role("heading", name="Placing").wait_for()


def test_a_newcomer_is_led_and_somebody_who_has_played_is_not(page, server):  # noqa: F811
    page.goto(server)
    page.wait_for_selector(".game")
    assert page.locator(".welcome").count() == 0
    newcomer(page)
    page.reload()
    page.wait_for_selector(".welcome")
    assert page.locator(".way").count() == 3


def puzzle_page(page, server):  # noqa: F811
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{server}#/puzzles?game=toads-and-frogs(toads=2,gaps=2,frogs=2)")
    page.wait_for_selector(".exercise:not([hidden])", timeout=120_000)
    puzzles = httpx.get(f"{server}api/puzzles", params={"game": "toads-and-frogs(toads=2, gaps=2, frogs=2)"}).json()
    return puzzles["puzzles"][0]


def touch(page, server, at, action):  # noqa: F811
    game = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
    view = httpx.get(f"{server}api/position", params={"game": game, "at": at}).json()
    path = next(one["path"] for one in view["actions"] if one["action"] == action)
    for name in path:
        page.click(f'[data-target="{name}"].legal')


def test_a_puzzle_allows_a_second_try_on_the_board(page, server):  # noqa: F811
    puzzle = puzzle_page(page, server)
    values = {int(action): value["own"] for action, value in puzzle["actions"].items()}
    best, worst = max(values, key=values.get), min(values, key=values.get)
    touch(page, server, puzzle["at"], worst)
    page.locator(".exercise").get_by_text("One more try.").wait_for()
    touch(page, server, puzzle["at"], best)
    page.wait_for_selector(".verdict.right")
    assert page.locator(".puzzle-dot.right").count() == 1
    assert "a ply is one move of one player" in page.inner_text(".exercise .legend")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_variant_has_presets_ranges_and_help(page, server):  # noqa: F811
    page.goto(f"{server}#/play?game=mancala")
    page.get_by_role("button", name="Variant").click()
    dialog = page.get_by_role("dialog", name="Variants of Mancala")
    assert "Holes on each side. From 1 to 8." in dialog.inner_text()
    dialog.get_by_role("button", name="Kalah").click()
    assert dialog.get_by_label("Capture").input_value() == "empty"
    dialog.get_by_role("button", name="Small board").click()
    assert dialog.get_by_label("Holes").input_value() == "4"
    assert dialog.get_by_label("Capture").input_value() == "none"


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("tic-tac-toe&at=X.O/.X./...", r"W\d: the side to move wins|L\d: it loses in \d pl"),
        ("mancala(holes=2,stones=1)", r"\+5 and \N{MINUS SIGN}5: the points .*in \d+: after so many plies"),
    ],
)
def test_letters_on_the_board_are_explained_beside_it(page, server, position, words):  # noqa: F811
    page.goto(server)
    page.evaluate(f"localStorage['ludus-play'] = {json.dumps(json.dumps({'exact': True}))}")
    page.goto(f"{server}#/play?game={position}&side=both")
    page.wait_for_selector(".badge-mark")
    page.wait_for_selector(".evaluation .legend:not(:empty)")
    legend = page.inner_text(".evaluation .legend")
    assert re.search(words, legend)
    assert "a ply is one move of one player" in legend
    board, values = page.locator("div.board").bounding_box(), page.locator(".evaluation").bounding_box()
    assert board["x"] + board["width"] <= values["x"]
    assert values["y"] < board["y"] + board["height"] / 2


def test_sounds_are_off_until_somebody_switches_them_on(page, server):  # noqa: F811
    page.add_init_script("""globalThis.tones = 0;
        const create = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () { globalThis.tones += 1; return create.call(this); };""")
    page.goto(f"{server}#/play?game=tic-tac-toe&side=both")
    switch = page.get_by_role("button", name="Sounds")
    page.click('[data-target="b2"]')
    page.wait_for_selector(".moves li:nth-child(2)")
    assert page.evaluate("tones") == 0
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    page.click('[data-target="a1"]')
    page.wait_for_function("() => tones >= 2")  # one of the switch, one of the move
