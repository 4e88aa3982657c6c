"""Exported games: an exported graph has the exact values, and its page plays from disk and from any host."""

import functools
import http.server
import json
import threading
from pathlib import Path

import pytest
from conftest import EXAMPLES
from web_server import browser, page, watched_page  # noqa: F401

from ludus import catalog, face
from ludus.agents.agent import probabilities
from ludus.cgt.positions import canonical_form
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import CHANCE
from ludus.games.chung_toi import ChungToi, Position
from ludus.games.dobutsu_shogi import DobutsuShogi
from ludus.games.dobutsu_shogi import Position as Board
from ludus.learning.runs import Trained, train
from ludus.solving.explore import explore
from ludus.solving.solver import solve_explored
from ludus.web.api.agents import evaluate
from ludus.web.api.solutions import solution_hints
from ludus.web.api.views import position_view, value_view
from ludus.web.export import export
from ludus.web.export.page import as_function, bundled

pytestmark = pytest.mark.slow

SMALL = {
    "tic-tac-toe": "tic-tac-toe",
    "connect-four": "connect-four(width=3, height=3, connect=3)",
    "toads-and-frogs": "toads-and-frogs(toads=2, gaps=2, frogs=2)",
    "tapnswap": "tapnswap(limit=2)",
    "mancala": "mancala(holes=2, stones=2)",
    "fox-and-hounds": "fox-and-hounds(size=4)",
    "chung-toi": f"{__file__}:Ending",
    "dobutsu-shogi": f"{__file__}:Catch",
}


class Ending(ChungToi):
    """A game whose 249,299 positions take minutes to draw, from where four pieces stand, and over in two plies."""

    def start(self):
        """Crosses in two corners, noughts beside them, and Crosses to place the third."""
        return Position(mine=0b000000101, theirs=0b010010000, diagonal=0b000000100, turn=0)

    def legal(self, pos):
        """Nothing more when all pieces are placed."""
        return 0 if (pos.mine | pos.theirs).bit_count() == 6 else super().legal(pos)


class Catch(DobutsuShogi):
    """A game of 246,803,305 positions, from where First has four actions, and over in two plies."""

    def start(self):
        """Whatever First does, Second captures the lion: ..e/.gl/L../C.h eg First."""
        return Board(lions=131, animals=8913029, owners=1, hens=2, turn=0)


PIG = f"{EXAMPLES}/pig.py(target=3, faces=2)"

ASKED = """async (game) => {
  const graph = use("graph.js").graphOf(await use("archive.js").opened(game));
  const { GraphSource } = use("graph_source.js");
  const source = new GraphSource(graph);
  const name = graph.head.game.game;
  const found = [];
  for (const at of graph.head.at) {
    const [view, line] = [await source.position(name, at), await source.line(name, at)];
    const hints = await source.hints(name, at, () => {});
    const after = await Promise.all(view.actions.map(({ action }) => source.position(name, at, action)));
    const { values } = await source.values(name, [at]);
    const evaluations = view.over || view.player > 1 ? {} : Object.fromEntries(await Promise.all(
      (await source.opponents(name)).map(async ({ agent }) => [agent, await source.evaluation(name, at, agent)])));
    const { form } = await source.canonicalForm(name, at);
    found.push({ view, hints, line, form, after: after.map((one) => one.at), value: values[0], evaluations });
  }
  return found;
}"""  # all that a source gives for every position


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that has learned a little."""
    folder = tmp_path_factory.mktemp("runs") / "pupil"
    return train(SMALL["tapnswap"], "q-table", games=300, grade="no", eval_against="none", eval_every=100, out=folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory, run):
    """The folders of small games, written when they are first asked for; kernels run as plain Python."""

    @functools.cache
    def written(text):
        folder = tmp_path_factory.mktemp("exported") / "game"
        agents = [Trained(run)] if text == SMALL["tapnswap"] else []
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NUMBA_DISABLE_JIT", "1")
            export(catalog.make_game(text), Path(text.partition("(")[0]).stem, folder, agents)
        return folder

    return written


def everything_shown(page, folder):  # noqa: F811
    """What the source of the page gives for every position, without the page around it."""
    script = bundled("exported.js")
    page.evaluate(script.replace('use("exported.js");', "globalThis.use = use;"))
    page.evaluate((folder / "assets" / "game.js").read_text())
    return page.evaluate(f"({ASKED})(globalThis.ludusGame)")


def solved(text):
    """The game, its positions and its solution."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        game = catalog.make_game(text)
        explored = explore(game)
        return game, [unpack(explored.start, row) for row in explored.positions], solve_explored(explored, game.start())


def evaluated(agent, game, pos):
    return json.loads(evaluate(agent, game, [pos], [probabilities(agent, game, pos)])[0].model_dump_json())


def open_game(page, folder, address="#/play"):  # noqa: F811
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{folder.as_uri()}/index.html{address}")
    page.wait_for_selector(".turn .words")


def play_to_the_end(page):  # noqa: F811
    """Touch the last target that is offered, whenever it is a person's turn; how many were touched."""
    for touched in range(400):
        page.wait_for_function("() => !document.querySelector('.board').hasAttribute('aria-busy')")
        if page.evaluate("document.querySelectorAll('.board .target.legal').length") == 0:
            return touched
        before = page.evaluate("document.querySelector('.board').innerHTML")
        page.locator(".board .target.legal:not(.chosen)").last.click()
        page.wait_for_function("before => document.querySelector('.board').innerHTML !== before", arg=before)
    raise AssertionError("the game does not end")


def choose_opponent(page, title):  # noqa: F811
    slider = page.locator('[data-part="slider"]')
    for place in range(int(slider.get_attribute("max")) + 1):
        slider.evaluate("(input, place) => { input.value = place; input.dispatchEvent(new Event('change')); }", place)
        slider = page.locator('[data-part="slider"]')
        if page.inner_text(".chosen strong") == title:
            return
    raise AssertionError(f"no opponent is called {title}")


# ---- the graph ----


@pytest.mark.parametrize("text", [SMALL["mancala"], SMALL["toads-and-frogs"], SMALL["tapnswap"]])
def test_the_graph_shows_every_position_and_its_value_as_the_server_does(page, folders, text):  # noqa: F811
    game, positions, solution = solved(text)
    found = everything_shown(page, folders(text))
    assert len(found) == len(positions)
    for one, pos in zip(found, positions, strict=True):
        assert one["view"] == position_view(game, pos).model_dump(mode="json", exclude={"board"})
        assert one["hints"] == json.loads(solution_hints(game, pos, solution).model_dump_json())
        assert one["value"] == value_view(game, solution.value(pos), 0).model_dump(mode="json")
        after = [game.play(pos, choice["action"]) for choice in one["view"]["actions"]]
        assert one["after"] == [face.format_position(game, pos) for pos in after]


def test_best_lines_end_as_the_value_says(page, folders):  # noqa: F811
    for one in everything_shown(page, folders(SMALL["mancala"])):
        assert len(one["line"]["moves"]) == one["value"]["plies"]
        assert one["line"]["view"]["result"]["score"] == one["value"]["score"]


def test_agents_play_and_evaluate_as_elsewhere(page, folders, run):  # noqa: F811
    game, positions, solution = solved(SMALL["tapnswap"])
    pupil = run.agent()
    for one, pos in zip(everything_shown(page, folders(SMALL["tapnswap"])), positions, strict=True):
        if one["view"]["over"]:
            continue
        theirs, expected = one["evaluations"]["pupil"], evaluated(pupil, game, pos)
        assert {key: theirs[key] for key in ("words", "kind")} == {key: expected[key] for key in ("words", "kind")}
        assert (theirs["visits"] or 0) == (expected["visits"] or 0)
        for action, own in expected["actions"].items():
            assert theirs["actions"][action] == pytest.approx(own, abs=1e-4)
        best = [action for action, share in one["evaluations"]["perfect"]["actions"].items() if share["probability"]]
        value = solution.value(pos)
        assert all(solution.actions(pos)[int(action)].score == value.score for action in best)


def test_canonical_forms_are_exported(page, folders, plain):  # noqa: F811
    game, positions, _ = solved(SMALL["toads-and-frogs"])
    found = [one["form"] for one in everything_shown(page, folders(SMALL["toads-and-frogs"]))]
    assert found[:20] == [str(canonical_form(game, pos)) for pos in positions[:20]]


def test_games_of_chance_are_exported_with_their_odds(page, folders):  # noqa: F811
    _, positions, solution = solved(PIG)
    found = everything_shown(page, folders(PIG))
    assert any(one["view"]["player"] == CHANCE for one in found)
    for one, pos in zip(found, positions, strict=True):
        assert one["value"]["score"] == pytest.approx(solution.value(pos).score, abs=1e-6)


def test_the_same_game_gives_the_same_bytes(tmp_path, plain):
    game = catalog.make_game(SMALL["mancala"])
    for folder in ("one", "other"):
        export(game, "mancala", tmp_path / folder)
    one, other = (
        {path.relative_to(tmp_path / folder): path.read_bytes() for path in (tmp_path / folder).rglob("*.*")}
        for folder in ("one", "other")
    )
    assert one == other


# ---- the page ----


def test_every_game_is_exported_here():
    assert set(catalog.games()) == SMALL.keys()


@pytest.mark.parametrize("text", SMALL.values())
def test_every_game_is_played_to_its_end_from_disk(page, folders, text):  # noqa: F811
    open_game(page, folders(text))
    page.click("text=Two people")
    assert play_to_the_end(page) > 1
    assert page.locator(".history circle").count() > 1


@pytest.mark.parametrize("title", ["Perfect", "pupil"])
def test_agents_answer_from_disk_until_the_game_ends(page, folders, title):  # noqa: F811
    open_game(page, folders(SMALL["tapnswap"]))
    choose_opponent(page, title)
    assert play_to_the_end(page) > 1
    assert " won" in page.inner_text(".turn .words")


def test_chance_moves_from_disk(page, folders):  # noqa: F811
    open_game(page, folders(PIG))
    page.click("text=Two people")
    page.locator(".board .target.legal").first.click()
    page.wait_for_selector(".moves li:nth-child(3)")
    assert page.inner_text(".moves li:nth-child(3) .who") == "Chance"


def test_hints_on_the_page_are_exact(page, folders):  # noqa: F811
    game, positions, solution = solved(SMALL["mancala"])
    open_game(page, folders(SMALL["mancala"]))
    page.click('[data-part="exact"]')
    page.wait_for_selector(".actions-table .value-tag")
    rows = [row.inner_text().split("\t") for row in page.locator(".actions-table tbody tr").all()]
    found = solution_hints(game, positions[0], solution).actions
    named = {face.action_name(game, positions[0], action): value.words for action, value in found.items()}
    assert {name.strip(): words.strip() for name, words in rows} == named


def test_the_evaluations_of_an_agent_go_back_to_its_checkpoints(page, folders):  # noqa: F811
    open_game(page, folders(SMALL["tapnswap"]))
    assert page.inner_text(".chosen strong") == "pupil"  # whom one plays against at first
    page.click('[data-part="evaluation"]')
    page.wait_for_selector('[data-part="checkpoints"]')
    now = page.inner_text(".actions-table")
    page.locator('[data-part="checkpoints"]').evaluate(
        "(input) => { input.value = 0; input.dispatchEvent(new Event('input')); }"
    )
    page.wait_for_function("now => document.querySelector('.actions-table').innerText !== now", arg=now)
    assert "after 100 games" in page.inner_text(".evaluation")


def test_mistakes_lead_to_their_positions(page, folders):  # noqa: F811
    open_game(page, folders(SMALL["tapnswap"]))
    choose_opponent(page, "pupil")
    page.click("text=Find them")
    page.locator(".mistake").first.click()
    page.wait_for_function("() => location.hash.includes('at=')")


def test_an_address_leads_to_a_position_and_unreachable_ones_are_refused(page, folders):  # noqa: F811
    game, positions, _ = solved(SMALL["mancala"])
    at = face.format_position(game, next(pos for pos in positions[1:] if game.player(pos) == 0))
    open_game(page, folders(SMALL["mancala"]), f"#/play?at={at}&game={SMALL['mancala']}")
    page.click("text=Set up")
    assert page.input_value("dialog input") == at
    page.fill("dialog input", "elsewhere")
    page.click("dialog .primary")
    page.wait_for_function("() => document.querySelector('dialog .problem').textContent.includes('cannot be reached')")


def test_a_game_survives_a_reload_and_a_visit_without_address(page, folders):  # noqa: F811
    folder = folders(SMALL["connect-four"])
    open_game(page, folder)
    choose_opponent(page, "Perfect")
    page.locator(".board .target.legal").first.click()
    page.wait_for_selector(".moves li:nth-child(3)")
    played = page.inner_text(".moves")
    page.reload()
    page.wait_for_selector(".moves li:nth-child(3)")
    assert page.inner_text(".moves") == played
    page.goto("about:blank")
    open_game(page, folder)
    page.wait_for_selector(".moves li:nth-child(3)")
    assert page.inner_text(".moves") == played
    assert page.inner_text(".chosen strong") == "Perfect"
    page.click('[data-part="New game"]')
    page.wait_for_function("() => !document.querySelector('.moves li:nth-child(2)')")
    page.reload()
    page.wait_for_selector(".board .target.legal")
    assert page.locator(".moves li").count() <= 1


def test_the_address_of_an_exported_game_replays_its_moves(page, browser, folders):  # noqa: F811
    open_game(page, folders(SMALL["mancala"]))
    page.click("text=Two people")
    page.locator(".board .target.legal").first.click()
    page.wait_for_function("() => location.hash.includes('moves=')")
    address, played = page.url, page.inner_text(".moves")
    with watched_page(browser) as other:
        other.goto(address)
        other.wait_for_selector(".moves li:nth-child(2)")
        assert other.inner_text(".moves") == played


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("1.1.1.1.1.1", "Move 2 cannot be played: action 1 is not allowed in "),
        ("one", "The moves of an address are numbers with dots between them, not one."),
    ],
)
def test_moves_of_an_address_that_cannot_be_played_give_one_line(page, folders, moves, words):  # noqa: F811
    page.goto(f"{folders(SMALL['mancala']).as_uri()}/index.html#/play?moves={moves}")
    page.wait_for_selector(".trouble")
    assert words in page.inner_text(".trouble p")


def test_skipping_to_the_content_leaves_the_game_as_it_is(page, folders):  # noqa: F811
    open_game(page, folders(SMALL["mancala"]))
    page.locator(".skip").evaluate("(link) => link.click()")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url.endswith("#/play")


def test_the_tutorial_is_exported(page, folders):  # noqa: F811
    page.goto(f"{folders(SMALL['toads-and-frogs']).as_uri()}/index.html#/learn")
    page.wait_for_selector(".tutorial-page")
    assert "Positions" in page.inner_text(".learn")


def test_a_plain_web_host_serves_it(page, folders):  # noqa: F811
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            """Say nothing."""

    handler = functools.partial(Quiet, directory=folders(SMALL["mancala"]).parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as host:
        thread = threading.Thread(target=host.serve_forever, daemon=True)
        thread.start()
        page.goto(f"http://127.0.0.1:{host.server_port}/game/", wait_until="networkidle")
        page.wait_for_selector(".board .target.legal")
        host.shutdown()


# ---- by the rules ----


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory):
    """Games exported by their rules, written when they are first asked for: the folder, and what was written."""

    @functools.cache
    def written(text, limit=50_000):
        folder = tmp_path_factory.mktemp("exported") / "game"
        return folder, export(catalog.make_game(text), Path(text.partition("(")[0]).stem, folder, limit=limit)

    return written


def hint(page, name):  # noqa: F811
    """The value that the page shows for an action, once it is proven."""
    row = f"""() => [...document.querySelectorAll('.actions-table tbody tr')].map((row) => row.innerText.split('\\t'))
        .find(([name, words]) => name.trim() === '{name}' && !/unknown| to /.test(words))?.[1]"""
    return page.wait_for_function(row).json_value().strip()


def test_connect_four_is_exported_by_itself(page, by_rules):  # noqa: F811
    folder, written = by_rules("connect-four")
    assert (written.kind, written.left_out) == ("search", [])
    assert written.bytes < 1_000_000
    policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:"
    assert f'content="{policy}; worker-src blob:"' in (folder / "index.html").read_text()
    open_game(page, folder)
    choose_opponent(page, "Searching")
    page.locator(".board .target.legal").nth(3).click()
    page.wait_for_selector(".moves li:nth-child(3)")
    played = page.inner_text(".moves")
    page.reload()
    page.wait_for_selector(".moves li:nth-child(3)")
    assert page.inner_text(".moves") == played


def test_mancala_is_exported_by_itself_and_answered(page, by_rules):  # noqa: F811
    folder, written = by_rules("mancala")
    assert (written.kind, written.left_out) == ("search", [])
    assert written.bytes < 1_000_000
    open_game(page, folder)
    choose_opponent(page, "Searching")
    page.locator(".board .target.legal").nth(4).click()
    page.wait_for_selector(".moves li:nth-child(3)")
    page.click('[data-part="exact"]')
    page.wait_for_function(
        "() => / of [1-6] moves/.test(document.querySelector('.evaluation .status-line').textContent)"
    )


def test_the_search_of_an_exported_page_says_what_is_proven(page, by_rules):  # noqa: F811
    folder, _ = by_rules("connect-four")
    open_game(page, folder, "#/play?moves=3.0.3.0.3.1&side=both")
    page.click('[data-part="exact"]')
    assert hint(page, "4") == "win in 1"
    page.wait_for_function("() => / of 7 moves/.test(document.querySelector('.evaluation .status-line').textContent)")


def test_perfect_wins_on_an_exported_page_when_it_can(page, by_rules):  # noqa: F811
    folder, _ = by_rules("connect-four")
    open_game(page, folder, "#/play?moves=0.3.0.3.1.3.6&side=first&agent=perfect")
    page.wait_for_function("() => document.querySelector('.turn .words').textContent === 'Blue won.'")


def test_chung_toi_is_small_and_solved_in_the_browser(page, by_rules):  # noqa: F811
    folder, written = by_rules("chung-toi")
    assert written.kind == "table"
    assert written.bytes < 2_000_000
    game = catalog.make_game("chung-toi")
    pos = game.play(game.play(game.start(), 0), 4)
    open_game(page, folder, "#/play?moves=0.4&side=both")
    page.click('[data-part="exact"]')
    found = {action: hint(page, face.action_name(game, pos, action)) for action in (8, 2)}
    assert found == {8: "draw for ever", 2: "loss in 6"}


def test_a_game_without_values_is_played_by_its_rules(page, by_rules):  # noqa: F811
    folder, written = by_rules(PIG, 5)
    assert written.kind == "rules"
    assert [line.partition(":")[0] for line in written.left_out] == ["without hints"]
    assert "it leaves something to chance" in written.left_out[0]
    open_game(page, folder)
    page.click("text=Two people")
    page.locator(".board .target.legal").first.click()
    page.wait_for_selector(".moves li:nth-child(3)")
    assert page.inner_text(".moves li:nth-child(3) .who") == "Chance"
    page.click('[data-part="exact"]')
    page.wait_for_function("() => document.querySelector('.status-line').textContent.includes('values are not known')")


# ---- what is refused ----


def test_agents_of_a_game_that_is_too_large_are_refused_with_smaller_games(tmp_path, plain):
    agents = [catalog.make_agent("first")]
    with pytest.raises(LudusError, match=r"mancala\(holes=2\) has more than 50 positions.*stones=.*or raise --limit"):
        export(catalog.make_game("mancala(holes=2)"), "mancala", tmp_path / "game", agents, limit=50)
    assert not (tmp_path / "game").exists()


def test_another_folder_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(LudusError, match="is no exported game: name another folder with --out"):
        export(catalog.make_game(SMALL["mancala"]), "mancala", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_run_of_another_game_is_refused(tmp_path, run, plain):
    with pytest.raises(LudusError, match="was trained on"):
        export(catalog.make_game(SMALL["mancala"]), "mancala", tmp_path / "game", [Trained(run)])


def test_an_agent_with_memory_is_refused(tmp_path, plain):
    program = catalog.make_agent("cmd:true")
    with pytest.raises(LudusError, match="may remember earlier moves"):
        export(catalog.make_game(SMALL["mancala"]), "mancala", tmp_path / "game", [program])


def test_two_agents_of_one_name_are_refused(tmp_path, plain):
    twice = [catalog.make_agent("first"), catalog.make_agent("first")]
    with pytest.raises(LudusError, match="two agents are called first: export one of them"):
        export(catalog.make_game(SMALL["mancala"]), "mancala", tmp_path / "game", twice)


def test_an_agent_of_every_export_can_be_exported_with_its_evaluations(tmp_path, plain):
    written = export(
        catalog.make_game(SMALL["mancala"]), "mancala", tmp_path / "game", [catalog.make_agent("smart-random")]
    )
    assert written.agents == ["random", "smart-random", "perfect(skill=0.7)", "perfect"]


def test_a_module_that_cannot_be_bundled_is_refused():
    with pytest.raises(ValueError, match=r"odd\.js cannot be bundled: export default 3"):
        as_function("odd.js", "export default 3;\n")


# ---- the command ----


def test_the_command_prints_sizes_and_what_to_open(ludus, tmp_path):
    done = ludus("export", SMALL["mancala"], "--out", str(tmp_path / "game"), NUMBA_DISABLE_JIT="1")
    assert "28 positions, 27 actions" in done.stdout
    assert "MB in all" in done.stdout
    assert "index.html" in done.stdout
    again = ludus("export", SMALL["mancala"], "--out", str(tmp_path / "game"), "--json", NUMBA_DISABLE_JIT="1")
    assert json.loads(again.stdout)["positions"] == 28
