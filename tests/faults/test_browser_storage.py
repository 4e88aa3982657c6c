"""What a browser keeps may be damaged, or from elsewhere: the page then begins anew, and says nothing wrong."""

import json

import pytest
from test_export import folders, run  # noqa: F401
from web_server import browser, server, watched_page, web_home  # noqa: F401

pytestmark = pytest.mark.slow
GAME = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
SOUND = {"id": "here", "start": "TT__FF", "seats": ["person", "random"], "actions": [0], "resigned": None, "changed": 7}
ITEM = {"game": "tic-tac-toe", "at": "X.. ... ...", "kind": "mistake", "level": 0, "due": 7, "changed": 7}
ANYTHING = ["", "{", "null", "7", '"x"', "[]", "[7]", "{}", "true", "[" * 100_000, "9" * 400]


def changed(value):
    """A JSON object with each of its values missing, or of other kinds."""
    for name in value:
        yield json.dumps({key: value[key] for key in value if key != name})
        for odd in (None, -1, 1.5, "x", [], {}, [{}], [99], "\ud800"):
            yield json.dumps(value | {name: odd})


@pytest.fixture
def opened(browser):  # noqa: F811
    """Open an address in a browser that keeps something; the page must show what it always shows."""

    def show(address, key, kept, wanted, **options):
        with watched_page(browser, **options) as page:
            page.add_init_script(f"if (location.href !== 'about:blank') localStorage[{key!r}] = {json.dumps(kept)}")
            page.goto(address)
            page.wait_for_selector(wanted)
            assert not page.locator(".trouble").count(), (key, kept[:100])

    return show


def some(values, full):
    """All values, or one of seven."""
    return list(values) if full else list(values)[::7]


def test_a_damaged_game_of_an_exported_page_makes_room_for_a_new_one(opened, folders, full):  # noqa: F811
    address = f"{folders('tic-tac-toe').as_uri()}/index.html#/play"
    sound = SOUND | {"start": "... ... ... X"}
    for kept in some([*ANYTHING, *changed(sound), json.dumps(sound)], full):
        opened(address, "ludus-game tic-tac-toe", kept, ".board .target.legal")


@pytest.mark.parametrize("key", ["play", "sounds", "rules-seen", "theme", "friends"])
def test_damaged_preferences_are_forgotten(opened, server, key, full):  # noqa: F811
    values = {"agent": "random", "exact": True, "evaluation": True, "on": True, "name": "Ada", "game": "tic-tac-toe"}
    for kept in some([*ANYTHING, *changed(values)], full):
        place, wanted = ("friends", "form") if key == "friends" else ("play?game=tic-tac-toe", ".board .target.legal")
        opened(f"{server}#/{place}", f"ludus-{key}", kept, wanted)


def test_damaged_positions_to_practise_are_forgotten(opened, server, full):  # noqa: F811
    for kept in some([*ANYTHING, *(f"[{item}]" for item in changed(ITEM))], full):
        opened(f"{server}#/practice", "ludus-practice", kept, ".practice", refusals=True)
