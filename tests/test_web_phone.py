"""The page on a phone: it can be installed, and everything is large enough for a finger."""

import json

import httpx
import pytest
from web_server import browser, page, server, too_small, watched_page, web_home  # noqa: F401

from ludus import catalog
from ludus.web.export.page import page_files

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PAGES = ("#/", "#/puzzles?game=toads-and-frogs", "#/practice", "#/friends")


def test_a_browser_finds_nothing_that_speaks_against_installing(page, server):  # noqa: F811
    page.goto(server)
    page.wait_for_selector(".game")
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in errors} <= {"in-incognito"}  # as every page of a test is


def test_the_icons_have_the_sizes_that_the_manifest_states(server):  # noqa: F811
    at = f"{server}assets/manifest.webmanifest"
    manifest = httpx.get(at).json()
    pictures = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    assert {icon["sizes"] for icon in pictures} == {"192x192", "512x512"}
    for icon in pictures:
        png = httpx.get(httpx.URL(at).join(icon["src"])).content
        size = int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
        assert f"{size[0]}x{size[1]}" == icon["sizes"]
        assert len(png) < 20_000


def test_an_exported_page_asks_for_no_manifest_which_browsers_refuse_from_disk():
    assert b"manifest" not in page_files()["index.html"]


@pytest.mark.parametrize("path", PAGES)
def test_links_buttons_and_fields_are_large_enough_for_a_finger(browser, server, path):  # noqa: F811
    with watched_page(browser, **PHONE) as phone:
        phone.goto(f"{server}{path}")
        phone.wait_for_selector("h1")
        phone.wait_for_load_state("networkidle")
        assert too_small(phone) == []


@pytest.mark.parametrize("game", catalog.games())
def test_boards_are_large_enough_for_a_finger(browser, server, game):  # noqa: F811
    with watched_page(browser, **PHONE) as phone:
        phone.goto(f"{server}#/play?game={game}&side=both")
        phone.wait_for_selector(".target.legal")
        assert too_small(phone) == []
        assert phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_rules_and_the_hints_fit_a_finger(browser, server):  # noqa: F811
    with watched_page(browser, **PHONE) as phone:
        phone.add_init_script(f"localStorage['ludus-play'] = '{json.dumps({'exact': True})}'")
        phone.goto(f"{server}#/play?game=tic-tac-toe&at=X.O/.X./...")
        phone.wait_for_selector(".badge-mark")
        phone.get_by_role("button", name="Rules").tap()
        phone.wait_for_selector("dialog")
        assert too_small(phone) == []
