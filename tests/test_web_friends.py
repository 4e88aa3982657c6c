"""Playing a friend on the page: two browsers and one that watches, live."""

import contextlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from web_server import browser, serving, watched_page, web_home  # noqa: F401

pytestmark = pytest.mark.slow

KEY = "the-owners-key-of-22-c"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def address(web_home):  # noqa: F811
    with serving(key=KEY) as address:
        yield address


class Person:
    """Somebody at a page."""

    def __init__(self, page):
        self.page = page

    def named(self, name):
        self.page.fill("dialog input", name)
        self.page.click("dialog .primary")
        self.page.wait_for_selector("dialog", state="detached")
        return self

    def moves(self, target):
        self.page.wait_for_selector(f'.target.legal[data-target="{target}"]')
        self.page.click(f'[data-target="{target}"]')

    def sees(self, words):
        self.page.wait_for_function("words => document.querySelector('main').innerText.includes(words)", arg=words)

    def link(self, summary):
        return self.page.locator("details, section", has_text=summary).locator(".address").last.text_content()


def invited(page, address, name="Ada"):
    """The host of a new room of tic-tac-toe."""
    page.goto(f"{address}?key={KEY}")
    page.goto(f"{address}#/friends?game=tic-tac-toe")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Create an invitation").click()
    page.wait_for_selector(".invitation .code")
    return Person(page)


@contextlib.contextmanager
def joined(browser, host, name="Bob", **options):  # noqa: F811
    """The friend, who has opened the link."""
    with watched_page(browser, **options) as page:
        page.goto(host.page.locator(".invitation .address").text_content())
        yield Person(page).named(name)


@pytest.fixture
def two(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        host = invited(page, address)
        with joined(browser, host) as friend:
            yield host, friend


def test_two_people_play_live_on_two_devices(two):
    host, friend = two
    host.moves("a3")
    friend.sees("Your turn (Noughts)")
    friend.moves("a1")
    for mover, target in ((host, "b3"), (friend, "b1"), (host, "c3")):
        mover.moves(target)
    for person in two:
        person.page.wait_for_selector(".ending")
    host.sees("You won.")
    friend.sees("You lost.")


def test_a_whole_game_with_a_move_taken_back_a_reload_and_a_rematch(two):
    host, friend = two
    host.moves("a3")
    friend.moves("a1")
    friend.page.get_by_role("button", name="Take back").click()
    host.page.get_by_role("button", name="Agree").click()
    for mover, target in ((friend, "b1"), (host, "b3"), (friend, "c1")):
        mover.moves(target)
    host.page.reload()
    host.moves("c3")
    friend.sees("You lost. Crosses won.")
    friend.page.get_by_role("button", name="Rematch").click()
    host.page.get_by_role("button", name="Agree").click()
    friend.moves("b2")
    host.sees("Your turn (Noughts)")
    host.sees("Round 2")


def test_both_see_the_names_and_who_is_here(two):
    host, friend = two
    host.sees("Bob")
    friend.sees("Ada")
    assert host.page.locator(".presence.here").count() == 2
    friend.page.goto("about:blank")
    host.sees("away")


def test_both_come_back_after_a_reload(two):
    host, friend = two
    host.moves("b2")
    friend.sees("Your turn")
    for person in two:
        person.page.reload()
        person.page.wait_for_selector(".moves li:nth-child(2)")
    friend.moves("a1")
    host.sees("Your turn")


def test_a_move_is_taken_back_by_consent_only(two):
    host, friend = two
    host.moves("b2")
    friend.sees("Your turn")
    host.page.get_by_role("button", name="Take back").click()
    friend.sees("Ada asks to take back the last move.")
    friend.page.get_by_role("button", name="Decline").click()
    for person in two:
        person.page.wait_for_selector(".question", state="hidden")
    assert host.page.locator(".moves li").count() == 2
    host.page.get_by_role("button", name="Take back").click()
    friend.page.get_by_role("button", name="Agree").click()
    host.sees("Your turn")
    assert host.page.locator(".moves li").count() == 1


def test_a_rematch_exchanges_the_seats(two):
    host, friend = two
    host.page.get_by_role("button", name="Resign").click()
    host.page.click("dialog .primary")
    friend.page.get_by_role("button", name="Rematch").click()
    host.sees("Bob asks for a rematch.")
    host.page.get_by_role("button", name="Agree").click()
    friend.sees("Your turn (Crosses)")
    host.sees("Round 2")
    assert re.search(r"Bob \(you\).*\n*1 win", friend.page.inner_text(".people"))


def test_somebody_who_watches_sees_every_move_and_cannot_play(two, browser, address):  # noqa: F811
    host, _ = two
    with watched_page(browser) as page:
        page.goto(host.link("Let others watch"))
        watcher = Person(page)
        watcher.sees("You are watching")
        host.moves("b2")
        page.wait_for_selector(".moves li:nth-child(2)")
        assert page.locator(".target.legal").count() == 0
        host.sees("1 watching")


def test_no_values_are_shown_before_the_game_is_over(two):
    host, friend = two
    host.moves("b2")
    friend.sees("Your turn")
    assert not host.page.locator(".history").is_visible()
    assert friend.page.get_by_role("button", name="Hints").count() == 0


def test_the_players_review_their_own_mistakes(two):
    host, friend = two
    for mover, target in ((host, "a3"), (friend, "b3"), (host, "a1"), (friend, "a2"), (host, "c1"), (friend, "b1")):
        mover.moves(target)
    host.moves("b2")
    friend.page.get_by_role("button", name="Review").click()
    friend.sees("You played b3")
    assert host.page.get_by_role("button", name="Review").count() == 0


def test_a_guest_sees_nothing_but_the_game(two):
    _, friend = two
    assert friend.page.locator("#header nav a").all_inner_texts() == ["Play", "Learn"]
    friend.page.evaluate("location.hash = '#/runs'")
    friend.page.wait_for_timeout(300)
    assert friend.page.locator("main h1").inner_text() == "Tic-tac-toe"


def test_a_room_is_found_again_and_deleted(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        invited(page, address)
        page.goto(f"{address}#/friends")
        page.wait_for_selector(".room")
        before = page.locator(".room").count()
        page.locator(".room").first.get_by_role("button", name="Delete").click()
        page.click("dialog .primary")
        page.wait_for_function("count => document.querySelectorAll('.room').length === count", arg=before - 1)


def test_a_friend_plays_on_a_phone(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        host = invited(page, address)
        with joined(browser, host, **PHONE) as friend:
            host.moves("b2")
            friend.sees("Your turn")
            friend.page.tap('[data-target="a1"]')
            host.sees("Your turn")
            assert friend.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_pages_of_friends_are_accessible(two, address):
    host, friend = two
    for page in (host.page, friend.page):
        assert not [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]]
    host.page.goto(f"{address}#/friends")
    host.page.wait_for_selector(".room")
    assert not [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(host.page).response["violations"]]
