"""Playing on the page in a browser: by mouse, touch and keyboard, with hints, on a desktop and on a phone."""

import re
import time

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from web_server import browser, forgiving_page, page, server, serving, watched_page, web_home  # noqa: F401

from ludus import catalog
from ludus.learning.runs import train

pytestmark = pytest.mark.slow

GAMES = list(catalog.games())
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LONG = ("chung-toi", "fox-and-hounds", "tapnswap")
SMALL = {"connect-four": "connect-four(width=4, height=4)", "mancala": "mancala(holes=3, stones=2)"}


def open_game(page, server, game, **query):  # noqa: F811
    search = "&".join(f"{name}={value}" for name, value in {"game": game, **query}.items())
    page.goto(f"{server}#/play?{search}")
    page.wait_for_selector(".turn .words")


def status(page):  # noqa: F811
    return page.inner_text(".turn .words")


def two_people(page):  # noqa: F811
    page.click("text=Two people")


def touch_targets_to_the_end(page, tap):  # noqa: F811
    """Touch the first target that is offered until the game is over; how many targets were touched."""
    for touched in range(600):
        if page.evaluate("document.querySelectorAll('.board .target.legal').length") == 0:
            return touched
        before = page.evaluate("document.querySelector('.board').innerHTML")
        tap(page.locator(".board .target.legal:not(.chosen)").last)
        page.wait_for_function("before => document.querySelector('.board').innerHTML !== before", arg=before)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", [pytest.param(game, marks=[pytest.mark.slow] * (game in LONG)) for game in GAMES])
def test_every_game_can_be_played_to_its_end_by_two_people(page, server, game):  # noqa: F811
    page.emulate_media(reduced_motion="reduce")
    open_game(page, server, SMALL.get(game, game))
    two_people(page)
    assert touch_targets_to_the_end(page, lambda target: target.click()) > 3
    assert re.search(r"wins|won|draw|Nobody", status(page))


def test_an_agent_answers_and_the_moves_are_listed(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    page.click('[data-target="b2"]')
    page.wait_for_selector(".moves li:nth-child(3)")
    page.wait_for_function("() => document.querySelector('.turn .words').textContent.includes('Crosses (you)')")
    assert page.inner_text(".moves li:nth-child(2) .what") == "b2"


def test_choices_narrow_along_the_path_and_can_be_taken_back(page, server):  # noqa: F811
    open_game(page, server, "tapnswap")
    two_people(page)
    assert page.locator(".target.legal").count() == 2
    page.click('[data-target="first-left"]')
    assert page.locator('.target.chosen[data-target="first-left"]').count() == 1
    assert page.locator(".target.legal").count() == 3
    page.click('[data-target="first-left"]')
    assert page.locator(".target.chosen").count() == 0
    page.click('[data-target="first-left"]')
    page.click('[data-target="second-right"]')
    page.wait_for_selector(".moves li:nth-child(2)")
    assert status(page) == "Second to move"


def test_undo_and_redo_go_back_and_forth(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    page.click('[data-target="b2"]')
    page.wait_for_selector(".moves li:nth-child(2)")
    page.click('[data-target="a1"]')
    page.wait_for_selector(".moves li:nth-child(3)")
    page.click("text=Undo")
    assert status(page) == "Noughts to move"
    page.click("text=Redo")
    assert status(page) == "Crosses to move"


def test_an_extra_turn_is_shown(page, server):  # noqa: F811
    open_game(page, server, "mancala(holes=3, stones=1)")
    page.click('[data-target="south-1"]')
    page.wait_for_selector(".turn .badge")
    assert status(page) == "South (you) to move again"


def test_hints_colour_the_board_and_show_the_value_of_every_action(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe", at="XX./OO./...")
    page.click("text=Exact values")
    page.wait_for_selector('.target.win[data-target="c3"]')
    assert page.locator(".target.loss").count() == 3
    assert "win in 1" in page.inner_text(".actions-table")
    page.click("text=Show the best line")
    page.wait_for_selector(".best-line .chip")


def test_hints_are_one_button_beside_the_board_pressed_or_not(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe", at="XX./OO./...")
    button = page.get_by_role("toolbar", name="Game").get_by_role("button", name="Hints")
    for pressed in ("true", "false"):
        button.click()
        page.wait_for_function(
            "shown => (document.querySelectorAll('.badge-mark').length > 0) === shown", arg=pressed == "true"
        )
        assert button.get_attribute("aria-pressed") == pressed


def test_an_agents_evaluation_shows_its_mistakes(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe", at="XX./OO./...")
    page.click("text=Exact values")
    page.click("text=What an agent thinks")
    page.select_option(".evaluation select", "random")
    page.wait_for_selector(".errs-mark")


def test_a_blunder_is_marked_in_the_history_and_can_be_opened(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe", at="XX./OO./...")
    two_people(page)
    page.click('[data-target="c1"]')
    page.wait_for_selector(".history .dot.blunder")
    assert page.locator(".moves .given").count() == 1
    page.locator(".history .dot").first.click()
    assert status(page) == "Crosses to move"


def test_a_position_is_set_up_from_notation_and_nonsense_is_refused(forgiving_page, server):  # noqa: F811
    page = forgiving_page  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    page.click("text=Set up")
    page.fill("dialog input", "nonsense")
    page.click("dialog .primary")
    page.wait_for_selector("dialog .problem:not(:empty)")
    page.fill("dialog input", "XX./OO./...")
    page.click("dialog .primary")
    page.wait_for_selector("dialog", state="detached")
    assert "at=XX" in page.evaluate("location.hash")


def test_a_shared_address_carries_the_moves_the_side_and_the_opponent(page, server):  # noqa: F811
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_game(page, server, "tic-tac-toe", side="second", agent="perfect")
    page.wait_for_selector(".moves li:nth-child(2)")
    page.click(".target.legal")
    page.wait_for_selector(".moves li:nth-child(4)")
    moves = page.locator(".moves .what").all_inner_texts()
    page.click("text=Share")
    page.wait_for_selector("text=Copied")
    shared = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector(".moves li:nth-child(4)")
    assert page.locator(".moves .what").all_inner_texts() == moves
    assert page.inner_text("output.chosen strong") == "Perfect"
    assert page.get_by_role("button", name="Noughts", exact=True).get_attribute("aria-pressed") == "true"


def test_swapping_sides_lets_the_agent_move_first(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    page.click("text=Swap sides")
    page.wait_for_function("() => document.querySelector('.turn .words').textContent.includes('Noughts (you)')")


def test_a_game_continues_after_a_reload(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        page.click('[data-target="b2"]')
    page.wait_for_function("() => location.hash.includes('saved=')")
    page.reload()
    page.wait_for_selector(".moves li:nth-child(2)")
    assert status(page) == "Noughts to move"


def test_resigning_ends_the_game(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    page.click('[data-target="b2"]')
    page.wait_for_selector(".moves li:nth-child(2)")
    page.click(".tools >> text=Resign")
    page.click("dialog .primary")
    assert status(page) == "Noughts resigned: Crosses won."


def test_a_variant_is_chosen_by_a_form(page, server):  # noqa: F811
    open_game(page, server, "mancala")
    page.click("text=Variant")
    page.get_by_label("Stones", exact=True).fill("2")
    page.click("dialog .primary")
    page.wait_for_function("() => decodeURIComponent(location.hash).includes('stones=2')")


def test_the_difficulty_is_one_slider_from_random_to_perfect(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    slider = page.get_by_label("Difficulty")
    slider.focus()
    page.keyboard.press("End")
    assert page.inner_text("output.chosen strong") == "Perfect"
    page.keyboard.press("Home")
    assert page.inner_text("output.chosen strong") == "Random"


def test_a_game_is_played_with_the_keyboard_alone(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('target')"):
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.target") == "b2"
    page.keyboard.press("Enter")
    page.wait_for_selector(".moves li:nth-child(3)")
    page.keyboard.press("u")
    page.wait_for_function("() => document.querySelector('.turn .words').textContent.includes('Crosses')")
    page.keyboard.press("h")
    page.wait_for_selector(".badge-mark")


def test_moves_are_announced_to_screen_readers(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    page.click('[data-target="b2"]')
    page.wait_for_function("() => document.getElementById('live').textContent === 'Crosses: b2. Noughts to move.'")


def test_pieces_keep_their_ids_when_they_move(page, server):  # noqa: F811
    open_game(page, server, "toads-and-frogs")
    two_people(page)
    ids = "[...document.querySelectorAll('.piece')].map(piece => piece.dataset.piece).sort().join()"
    before = page.evaluate(ids)
    page.click(".target.legal")
    page.wait_for_selector(".moves li:nth-child(2)")
    assert page.evaluate(ids) == before


def test_a_runs_evaluation_is_followed_through_its_checkpoints(page, server, web_home):  # noqa: F811
    train("tic-tac-toe", "q-table", games=2000, grade="no", eval_against="none", out=web_home / "runs" / "learned")
    open_game(page, server, "tic-tac-toe")
    page.click("text=What an agent thinks")
    page.select_option(".evaluation select", "learned")
    slider = page.get_by_label("Checkpoint")
    page.wait_for_selector(".actions-table td.number")
    now = page.inner_text(".actions-table")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_selector("text=after 200 games")
    page.wait_for_function("now => document.querySelector('.actions-table').innerText !== now", arg=now)


def test_the_worst_mistakes_are_a_click_away(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    page.click("text=Find them")
    page.wait_for_selector(".mistake", timeout=120_000)
    page.locator(".mistake").first.click()
    page.wait_for_function("() => location.hash.includes('at=')")


def test_puzzles_are_solved_on_the_board(page, server):  # noqa: F811
    page.goto(f"{server}#/puzzles?game=tic-tac-toe")
    page.wait_for_selector(".puzzle-dot", timeout=120_000)
    page.locator(".target.legal").first.click()
    page.wait_for_selector(".verdict")
    page.click("text=Next puzzle")
    page.wait_for_selector("text=2 of")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "#/play?game=tic-tac-toe&at=XX./OO./...", "#/play?game=tapnswap"])
def test_pages_are_accessible(browser, server, path, scheme):  # noqa: F811
    with watched_page(browser, color_scheme=scheme, reduced_motion="reduce") as page:  # noqa: F811
        page.goto(server + path)
        page.wait_for_selector(".card:visible")
        if path:
            page.click("text=Exact values")
            page.wait_for_selector(".value-tag")
        found = Axe().run(page).response["violations"]
        assert not found, [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]


def test_a_phone_shows_no_page_wider_than_itself_and_is_played_by_touch(browser, server):  # noqa: F811
    with watched_page(browser, **PHONE) as page:  # noqa: F811
        for path in ("", "#/play?game=mancala", "#/play?game=chung-toi"):
            page.goto(server + path)
            page.wait_for_selector(".card:visible")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.goto(f"{server}#/play?game=tic-tac-toe")
        page.wait_for_selector(".target.legal")
        page.tap('[data-target="a1"]')
        page.wait_for_selector(".moves li:nth-child(2)")


def test_dark_colours_can_be_switched_and_last(page, server):  # noqa: F811
    page.goto(server)
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.click("[aria-label='Switch to dark colours']")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark != light


def test_values_of_a_game_are_asked_for_once_each_and_one_request_at_a_time(page, server):  # noqa: F811
    asked, waiting = [], []

    def answer_later(route):
        asked.append(route.request.post_data_json["at"])
        waiting.append(route)

    while httpx.get(f"{server}api/hints", params={"game": "tic-tac-toe"}).json()["state"] != "ready":
        time.sleep(0.1)
    page.route("**/api/values", answer_later)
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    for square in ("a1", "b1", "c1", "a2"):
        page.click(f'[data-target="{square}"]')
        page.wait_for_selector(f'[data-target="{square}"].last')
    page.wait_for_timeout(300)
    for _ in range(2):
        assert len(waiting) == 1
        waiting.pop().continue_()
        page.wait_for_timeout(500)
    assert page.locator(".history .dot").count() == 5
    assert sum(map(len, asked)) == 5


def test_a_move_that_was_not_answered_can_be_tried_again(forgiving_page, server):  # noqa: F811
    page = forgiving_page  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    two_people(page)
    for path, square, moves in (("position?*", "b2", 2), ("position?*", "a1", 3)):
        page.route(f"**/api/{path}", lambda route: route.abort())
        page.click(f'[data-target="{square}"]')
        page.get_by_role("button", name="Try again").wait_for()
        page.unroute(f"**/api/{path}")
        page.get_by_role("button", name="Try again").click()
        page.wait_for_selector(f".moves li:nth-child({moves})")
    page.click('[data-target="c1"]')
    page.wait_for_selector(".moves li:nth-child(4)")


def test_a_reply_that_did_not_come_can_be_asked_for_again(forgiving_page, server):  # noqa: F811
    page = forgiving_page  # noqa: F811
    open_game(page, server, "tic-tac-toe")
    page.route("**/api/move", lambda route: route.abort())
    page.click('[data-target="b2"]')
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute("**/api/move")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".moves li:nth-child(3)")
    page.wait_for_function("() => document.querySelector('.turn .words').textContent.includes('Crosses (you)')")


def test_two_pages_of_one_game_show_the_same_moves(browser, server):  # noqa: F811
    with watched_page(browser) as one, watched_page(browser) as other:
        open_game(one, server, "tic-tac-toe")
        two_people(one)
        one.click('[data-target="b2"]')
        one.wait_for_url("**saved=*")
        other.goto(one.url)
        other.wait_for_selector(".moves li:nth-child(2)")
        for mover, square, moves in ((other, "a1", 3), (one, "c1", 4), (other, "a3", 5)):
            mover.click(f'[data-target="{square}"]')
            for seen in (one, other):
                seen.wait_for_selector(f".moves li:nth-child({moves})")
        assert status(one) == status(other) == "Crosses to move"


def test_an_agent_that_is_not_on_the_slider_is_seated_as_asked_for(page, server):  # noqa: F811
    open_game(page, server, "tic-tac-toe", agent="mcts(sims=7)")
    assert page.inner_text("output.chosen strong") == "mcts(sims=7)"
    with page.expect_request("**/api/move") as asked:
        page.click('[data-target="b2"]')
    assert asked.value.post_data_json["agent"] == "mcts(sims=7)"
