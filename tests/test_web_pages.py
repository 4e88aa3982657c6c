"""The other pages: learning a game, runs, leagues, the benchmark, papers; and which files they may read."""

import time

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from web_records import GAME, PLAYED, fill
from web_server import browser, page, plain_home, serving, too_small, watched_page  # noqa: F401

from ludus.arena.league import League, Member, Stored
from ludus.catalog import make_game
from ludus.fingerprints import fingerprint

pytestmark = pytest.mark.slow

PAGES = {
    "learn": f"#/learn?game={GAME}",
    "train": f"#/train?game={GAME}",
    "runs": "#/runs",
    "one run": "#/runs?run=learned-0",
    "two runs": "#/runs?run=learned-0&run=learned-1",
    "leagues": f"#/leagues?game={PLAYED}",
    "no league": "#/leagues?game=chung-toi",
    "benchmark": "#/benchmark",
    "papers": "#/papers",
}
PHONE = {"viewport": {"width": 375, "height": 720}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with something of everything; rules run as plain Python, which needs no compiling."""
    with plain_home(tmp_path_factory) as folder:
        fill(folder)
        yield folder


@pytest.fixture(scope="module")
def address(home):
    with serving() as address:
        yield address


@pytest.fixture(scope="module")
def ask(address):
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


# ---- the API ----


def test_the_solution_of_a_game_is_its_value_counts_and_first_actions(ask):
    end = time.monotonic() + 60
    while (found := ask.get("api/solution", params={"game": GAME}).json())["state"] == "working":
        assert time.monotonic() < end
        time.sleep(0.05)
    counts = {"positions": 116, "terminal": 16, "wins": 54, "losses": 36, "draws": 26, "longest": 4}
    assert found["counts"] == counts
    assert found["value"]["words"] == "draw for ever"
    assert set(found["names"].values()) == {"Tap with 1 on 1", "Swap 1-1 for 0-2"}


def test_every_built_in_game_names_its_sources(ask):
    for card in ask.get("api/games").json():
        assert ask.get("api/game", params={"game": card["name"]}).json()["sources"], card["name"]


def test_runs_are_listed_with_their_last_evaluation(ask):
    listed = {one["run"]: one for one in ask.get("api/runs").json()}
    assert set(listed) == {"learned-0", "learned-1"}
    one = listed["learned-0"]
    assert (one["state"], one["game"], one["learner"], one["games"]) == ("finished", GAME, "q-table", 400)
    assert one["playable"]
    assert 0 < one["last"]["accuracy"] < 1


def test_a_damaged_run_is_a_line_of_the_list_that_names_no_folder_of_the_user(ask, home):
    folder = home / "runs" / "damaged"
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    (found,) = [one for one in ask.get("api/runs").json() if one["state"] == "damaged"]
    (folder / "run.json").unlink()
    folder.rmdir()
    assert found["run"] == "damaged"
    assert str(home) not in found["words"]


def test_one_run_has_its_settings_changes_and_all_evaluations(ask):
    found = ask.get("api/runs/learned-0").json()
    assert found["settings"]["games"] == "400"
    assert [one["games"] for one in found["evaluations"]] == [100, 200, 300, 400]
    assert found["changes"] == [{"name": "epsilon", "value": "0.3", "games": 250}]
    assert found["seconds"] > 0


def test_a_league_is_ranked_with_intervals_and_a_cross_table_that_adds_up(ask):
    found = ask.get("api/ratings", params={"game": PLAYED}).json()
    ratings = [one["rating"]["points"] for one in found["members"]]
    assert ratings == sorted(ratings, reverse=True)
    assert all(one["rating"]["low"] <= one["rating"]["points"] <= one["rating"]["high"] for one in found["members"])
    for row, cells in enumerate(found["table"]):
        assert cells[row] is None
        for column, cell in enumerate(cells):
            assert cell is None or cell["share"] + found["table"][column][row]["share"] == pytest.approx(1)
    assert {"game": PLAYED, "agents": 4} in ask.get("api/leagues").json()


def test_every_variant_that_was_played_is_a_league(ask, home):
    key = fingerprint(make_game(GAME))
    with League(home / "league.sqlite") as league:
        for game, name in (
            (key, GAME),
            ("changed", "tapnswap(limit=3)"),
            ("gone", "gone(size=3)"),
            ("odd", "tapnswap("),
        ):
            league.name_game(game, name)
            league.join(game, [Member("a", "first", "first"), Member("b", "last", "last")])
            league.put(game, Stored("a", "b", "0", 20, (6, 4, 0, 0, 3, 7, 0, 0)))
    assert ask.get("api/leagues").json() == [{"game": PLAYED, "agents": 4}, {"game": GAME, "agents": 2}]
    assert [one["name"] for one in ask.get("api/ratings", params={"game": GAME}).json()["members"]] == ["last", "first"]


def test_the_benchmark_is_served_as_it_was_written(ask):
    (benchmark,) = ask.get("api/benchmarks").json()
    assert benchmark["scale"] == "quick"
    assert [one["name"] for one in benchmark["scores"]] == ["random", "q-table", "dqn"]


# ---- reports ----


def test_reports_are_served_in_a_sandbox(ask):
    (report,) = ask.get("api/papers").json()
    assert report["finding"] == "It wins 91 %."
    assert (report["paper"], report["verdicts"]) == ("tapnswap", {"agrees": 1, "proved": 1, "refuted": 1})
    for url, kind in ((report["url"], "text/html"), (report["board"], "image/svg+xml")):
        answer = ask.get(url)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts")
        assert "allow-same-origin" not in policy
        assert "connect-src" not in policy  # so that default-src 'none' holds for it


@pytest.mark.parametrize(
    "path",
    [
        "papers/quick/../../runs/learned-0/run.json",
        "papers/quick/..%2f..%2fruns%2flearned-0%2frun.json",
        "papers/%2e%2e/league.sqlite",
        "papers/quick/tapnswap/report.json",
        "papers/quick/outside.html",
        "papers/quick/.hidden.html",
        "papers/nowhere/tapnswap.html",
        "papers/quick/tapnswap/%00.svg",
    ],
)
def test_nothing_but_a_report_is_served(ask, home, path):
    outside = home / "secret.html"
    outside.write_text("secret")
    link = home / "papers" / "quick" / "outside.html"
    if not link.is_symlink():
        link.symlink_to(outside)
    answer = ask.get(path)
    assert answer.status_code in (400, 404, 422), answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize("run", ["%2e%2e%2fruns", "learned-0%00", "learned-0%2f..%2flearned-1", "no-such-run", "-x"])
def test_a_run_is_found_by_its_id_only(ask, run):
    assert ask.get(f"api/runs/{run}").status_code in (404, 422)


# ---- in a browser ----


def opened(page, address, place):  # noqa: F811
    page.goto(f"{address}{place}")
    page.locator("main h1").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(150)


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible_in_both_colours(browser, address, name):  # noqa: F811
    with watched_page(browser, reduced_motion="reduce") as seen:
        opened(seen, address, PAGES[name])
        for scheme in ("light", "dark"):
            seen.emulate_media(color_scheme=scheme)
            found = Axe().run(seen)
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_fits_a_phone(browser, address, name):  # noqa: F811
    with watched_page(browser, **PHONE) as seen:
        opened(seen, address, PAGES[name])
        assert seen.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert too_small(seen) == []


def test_a_tutorial_leads_to_the_game(page, address):  # noqa: F811
    opened(page, address, PAGES["learn"])
    page.get_by_text("116", exact=True).wait_for()
    assert page.locator(".tutorial-page").count() > 2
    page.get_by_role("main").get_by_role("link", name="Play", exact=True).click()
    page.get_by_role("toolbar", name="Game").wait_for()


def test_runs_are_chosen_and_compared_by_keyboard(page, address):  # noqa: F811
    opened(page, address, PAGES["runs"])
    for name in ("learned-0", "learned-1"):
        page.get_by_role("checkbox", name=f"Compare {name}").focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Compare 2").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="2 runs compared").wait_for()
    assert page.locator("figure", has_text="Optimal decisions").locator(".curve").count() == 2
    assert page.get_by_role("row", name="seed").is_visible()


def test_a_chart_shows_its_numbers_by_pointer_and_by_keyboard(page, address):  # noqa: F811
    opened(page, address, PAGES["one run"])
    chart = page.locator("figure", has_text="Optimal decisions")
    chart.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    chart.get_by_text("100 games").wait_for()
    page.keyboard.press("ArrowRight")
    chart.get_by_text("200 games").wait_for()
    assert chart.locator(".mark").count() == 1


def test_a_cross_table_is_shown_by_seat(page, address):  # noqa: F811
    opened(page, address, PAGES["leagues"])
    best_against_next = page.locator(".cross tbody tr:first-child td:nth-child(3)")
    found = []
    for seat in ("Both seats", "First", "Second"):
        page.get_by_role("button", name=seat, exact=True).click()
        found.append(int(best_against_next.inner_text()))
    both, first, second = found
    assert (first, second) != (both, both)
    assert min(first, second) <= both <= max(first, second)


def test_a_report_opens_with_its_figures_and_cannot_reach_the_server(browser, address):  # noqa: F811
    with watched_page(browser) as seen:
        opened(seen, address, PAGES["papers"])
        with seen.expect_popup() as popup:
            seen.locator(".report").click()
        report = popup.value
        report.locator("h1").wait_for()
        assert report.locator("h1").inner_text() == "A paper <b>run</b> again"
        assert report.evaluate("window.origin") == "null"
        for landmark in ("banner", "navigation", "main"):
            assert report.get_by_role(landmark).count() == 1
        found = Axe().run(report)
        assert found.violations_count == 0, found.generate_report()


def test_a_page_that_was_left_while_it_loaded_writes_nothing_into_the_next_one(page, address):  # noqa: F811
    held = []
    page.route("**/api/runs", lambda route: held.append(route))
    with page.expect_request("**/api/runs"):
        page.goto(f"{address}#/runs")
    page.goto(f"{address}#/papers")
    page.get_by_role("heading", name="Papers, reproduced").wait_for()
    held.pop().continue_()
    page.wait_for_timeout(400)
    assert page.locator("main h1").all_inner_texts() == ["Papers, reproduced"]
    assert page.title() == "Papers · Ludus"
