"""The engine of an exported game: rules and searches in a browser find what Python finds."""

import base64
import functools
import json
import random

import numpy as np
import pytest
from conftest import EXAMPLES
from web_server import browser, page, watched_page  # noqa: F401

from ludus import catalog
from ludus.agents.mcts import Mcts
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import actions
from ludus.compiled.webassembly import Entry, module_of
from ludus.errors import LudusError
from ludus.solving import opening_book
from ludus.solving.alpha_beta import Searcher
from ludus.solving.book_building import build
from ludus.solving.solver import solve
from ludus.web.api.solutions import solution_hints
from ludus.web.api.views import value_view
from ludus.web.export.engine import engine_of, obstacle_to_engine
from ludus.web.export.page import bundled

pytestmark = pytest.mark.slow

SOLVED = "chung-toi"  # in the browser: its symmetries exchange the players, and play may last for ever
SEARCHED = ("connect-four", "mancala")  # one counts plies, one banks points and has endgames
POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:"
LOAD = """async ({ head, parts, worker }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const engine = { head, parts: Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, bytes(text)])) };
  globalThis.rules = await globalThis["rules.js"].rulesOf(engine);
  globalThis.searching = new globalThis["searching.js"].Searching(engine, worker, 2 ** 25);
  globalThis.fields = (pos) => pos.map(BigInt);
}"""
RULES = """(positions) => positions.map(fields).map((pos) => {
  const after = rules.actions(pos).map((action) => [action, rules.play(pos, action).map(String)]);
  return { player: rules.player(pos), after, score: after.length ? null : rules.score(pos) };
})"""
HINTS = "async ([positions, limits]) => Promise.all(positions.map((pos) => searching.hints(fields(pos), limits)))"


@pytest.fixture(scope="module", autouse=True)
def no_shipped_book():
    """Engines take no opening book along that ships with Ludus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening_book, "SHIPPED", opening_book.SHIPPED / "none")
        yield


@functools.cache
def made(text):
    game = catalog.make_game(text)
    return game, engine_of(game, lambda stage, done, total: None)


@pytest.fixture
def loaded(page, tmp_path):  # noqa: F811
    """A page on which an engine is loaded, as the policy of an exported page allows."""
    (tmp_path / "page.html").write_text(f'<meta http-equiv="content-security-policy" content="{POLICY}"><p>Engine</p>')
    page.goto((tmp_path / "page.html").as_uri())
    for module in ("rules.js", "searching.js"):
        page.evaluate(bundled(module).replace(f'use("{module}");', f'globalThis["{module}"] = use("{module}");'))

    def load(text):
        game, engine = made(text)
        parts = {name: base64.b64encode(part).decode() for name, part in engine.parts.items()}
        page.evaluate(LOAD, {"head": engine.head, "parts": parts, "worker": bundled("search_worker.js")})
        return game, page

    return load


@kernel
def allocating(game, like, count):
    """What no kernel for a browser may do."""
    room = np.zeros(count, np.int64)
    for place in range(count):
        room[place] = place * count
    return room[count // 2] + room[count // 3]


def test_a_kernel_that_allocates_is_refused():
    game = catalog.make_game("tic-tac-toe")
    with pytest.raises(LudusError, match="a browser cannot run these rules, which need NRT_MemInfo_alloc_aligned"):
        module_of({"allocating": Entry(allocating, (game, game.start(), 3))})


def written(positions):
    return [[str(int(field)) for field in pos] for pos in positions]


def some_positions(game, count, *, longest=0, left=60):
    """Positions with at most so many plies left, of random games that last for so long or longer."""
    draw, found = random.Random(7), []
    while len(found) < count:
        line = [game.start()]
        while len(line) <= 100 and (legal := actions(game.legal(line[-1]))):
            line.append(game.play(line[-1], draw.choice(legal)))
        if len(line) > longest:
            found.append(line[max(len(line) - 1 - draw.randint(0, left), 0)])
    return found


def expected_rules(game, pos):
    legal = actions(game.legal(pos))
    after = [[action, *written([game.play(pos, action)])] for action in legal]
    return {"player": game.player(pos), "after": after, "score": None if legal else game.score(pos)}


def views(hints):
    return {int(action): view for action, view in hints["actions"].items()}


@pytest.mark.parametrize("text", [SOLVED, *SEARCHED])
def test_the_rules_in_a_browser_are_those_in_python(loaded, text):
    game, page = loaded(text)  # noqa: F811
    positions = some_positions(game, 150)
    found = page.evaluate(RULES, written(positions))
    assert found == [json.loads(json.dumps(expected_rules(game, pos))) for pos in positions]
    assert made(text)[1].head["start"] == written([game.start()])[0]


def test_a_browser_solves_a_game_exactly(loaded):
    game, page = loaded(SOLVED)  # noqa: F811
    solution = solve(game)
    positions = [game.start(), *some_positions(game, 200)]
    for pos, found in zip(positions, page.evaluate(HINTS, [written(positions), {}]), strict=True):
        expected = solution_hints(game, pos, solution)
        assert found["value"] == expected.value.model_dump()
        assert views(found) == {action: view.model_dump() for action, view in expected.actions.items()}
        assert found["state"] == "ready"
        assert found["proven"]


@pytest.mark.parametrize("text", SEARCHED)
def test_a_search_in_a_browser_proves_the_same_values(loaded, text):
    game, page = loaded(text)  # noqa: F811
    searcher = Searcher(game, memory=1 << 25)
    positions = some_positions(game, 25, longest=30, left=12)
    for pos, found in zip(positions, page.evaluate(HINTS, [written(positions), {}]), strict=True):
        player = game.player(pos)
        expected = {action: value_view(game, value, player) for action, value in searcher.actions(pos).items()}
        assert views(found) == {action: view.model_dump() for action, view in expected.items()}
        assert found["proven"]


def test_a_search_that_is_cut_says_what_is_proven_and_what_is_estimated(loaded):
    game, page = loaded("connect-four")  # noqa: F811
    (found,) = page.evaluate(HINTS, [written([game.start()]), {"nodes": 1000}])
    assert (found["state"], found["proven"], found["value"]) == ("ready", False, None)
    assert found["words"] == "not all of it is proven; the rest lies between the bounds shown"
    assert {(view["low"], view["high"], view["words"]) for view in found["actions"].values()} == {(-1, 1, "unknown")}
    assert max(found["estimates"], key=lambda action: found["estimates"][action]["visits"]) == "3"  # the centre


def test_the_best_action_is_proven_in_time_or_the_choice_of_tree_search(loaded):
    game, page = loaded("connect-four")  # noqa: F811
    opening, *late = [game.start(), *some_positions(game, 10, longest=30, left=12)]
    searcher, ask = Searcher(game, memory=1 << 22), "([pos, limits]) => searching.best(fields(pos), limits)"
    for pos in (pos for pos in late if game.legal(pos)):
        found = page.evaluate(ask, [*written([pos]), {}])
        assert found["action"] == searcher.best(pos)[0]
        assert found["value"] == value_view(game, searcher.value(pos), game.player(pos)).model_dump()
    found = page.evaluate(ask, [*written([opening]), {"nodes": 1000}])
    assert (found["action"], found["proven"], found["value"]["words"]) == (3, False, "unknown")


def test_tree_search_in_a_browser_makes_the_same_visits(loaded):
    game, page = loaded("mancala")  # noqa: F811
    for pos in [game.start(), *some_positions(game, 3, longest=20)]:
        found = page.evaluate("(pos) => searching.policy(fields(pos), { sims: 200 })", *written([pos]))
        expected = Mcts(sims=200).study(game, pos)
        assert {int(a): one["visits"] for a, one in found["actions"].items()} == {
            a: one.visits for a, one in expected.items()
        }


def test_a_question_may_be_cancelled_and_the_next_one_is_answered(loaded):
    game, page = loaded("connect-four")  # noqa: F811
    late = some_positions(game, 1, longest=30, left=6)[0]
    cancelled = """async ([pos, late]) => {
      const stop = new AbortController();
      const long = searching.hints(fields(pos), { signal: stop.signal, seconds: 600 }, () => stop.abort());
      const reason = await long.then(() => "answered", (error) => error.name);
      return [reason, (await searching.hints(fields(late))).proven];
    }"""
    assert page.evaluate(cancelled, written([game.start(), late])) == ["AbortError", True]


def test_an_engine_takes_the_opening_book_along(loaded, tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    monkeypatch.setattr("ludus.web.export.engine.SOLVED_THERE", 0)
    text = "connect-four(width=5, height=4)"
    game = catalog.make_game(text)
    book = build(game, plies=2, nodes=1)
    _, page = loaded(text)  # noqa: F811
    assert len(made(text)[1].parts["book"]) == len(book) * 8 * 5
    own = game.start()
    for column in (0, 4, 1):
        (own,) = (game.play(own, action) for action in book.best(own)[:1])
        other = game.play(own, column)
        for pos in (own, other):  # the replies to own, and best play against them, are in the book
            (hints,) = page.evaluate(HINTS, [written([pos]), {"nodes": 1}])
            assert (
                hints["value"]
                == value_view(game, Searcher(game).as_value(pos, book.get(pos)), game.player(pos)).model_dump()
            )
        found = page.evaluate("([pos, limits]) => searching.best(fields(pos), limits)", [*written([other]), {}])
        assert (found["nodes"], found["action"]) == (0, book.best(other)[0])
        own = other


def test_a_game_that_no_browser_can_search_is_refused(monkeypatch):
    assert obstacle_to_engine(catalog.make_game(f"{EXAMPLES}/pig.py")) == "it leaves something to chance"
    monkeypatch.setattr("ludus.web.export.engine.SOLVED_THERE", 10)
    with pytest.raises(LudusError, match="ChungToi has more than 10 positions and cannot be searched: play can come"):
        engine_of(catalog.make_game("chung-toi"), lambda stage, done, total: None)
