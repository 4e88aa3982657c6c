"""Rules and faces in JavaScript: what the browser computes is exactly what Python computes."""

import math
import random
import re
from typing import NamedTuple

import pytest
from conftest import EXAMPLES, TESTS
from web_server import browser, page  # noqa: F401

from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.web.api.views import position_view
from ludus.web.export import javascript
from ludus.web.export.faces import translated
from ludus.web.export.javascript import Translator
from ludus.web.export.page import bundled

GAMES = [
    *("tic-tac-toe", "connect-four", "mancala", "chung-toi", "tapnswap", "fox-and-hounds", "toads-and-frogs"),
    *("dobutsu-shogi", "dobutsu-shogi(drops=false)"),
    "connect-four(width=9, height=5, connect=5)",
    "mancala(capture=empty, leftovers=owner)",
    "chung-toi(reach=one, passing=true)",
    "fox-and-hounds(size=10, goal=safe)",
    "toads-and-frogs(strip=TT__FFTTFF_F)",
    "toads-and-frogs(toads=12, gaps=8, frogs=10, first=frogs)",
    *(f"{EXAMPLES}/{name}.py" for name in ("clobber", "breakthrough", "pig")),
    *(f"{TESTS}/user_games/{name}.py" for name in ("clobber", "nim", "dots_and_boxes")),
]
SHOWN = """([factory, games]) => {
  const { py, plain } = use("python.js");
  const made = factory(py);
  return games.map((moves) => {
    let pos = py.call(made.game, "start");
    return [null, ...moves].map((action) => {
      if (action !== null) pos = py.call(made.game, "play", pos, BigInt(action));
      const view = plain(made.view(made.game, pos));
      const parsed = made.parse(made.game, view.at);
      return { view, pos: [...pos].map(String), parsed: [...parsed].map(String) };
    });
  });
}"""


def random_games(game, count):
    """Some games of random actions: the actions and the positions of each."""
    draw = random.Random(7)
    for _ in range(count):
        line, moves = [game.start()], []
        while (legal := actions(game.legal(line[-1]))) and len(moves) < 80:
            moves.append(draw.choice(legal))
            line.append(game.play(line[-1], moves[-1]))
        yield moves, line


def shown(page, game, games):  # noqa: F811
    """What the browser makes of the positions of some games, given by their actions."""
    page.evaluate(bundled("python.js").replace('use("python.js");\n', "globalThis.use = use;\n"))
    return page.evaluate(SHOWN.replace("factory(py)", f"({translated(game).script})(py)"), [None, games])


@pytest.mark.slow
@pytest.mark.parametrize("text", GAMES)
def test_positions_in_the_browser_are_those_of_python(page, text):  # noqa: F811
    game = catalog.make_game(text)
    played = list(random_games(game, 3))
    assert translated(game).left_out == []
    for found, (_, line) in zip(shown(page, game, [moves for moves, _ in played]), played, strict=True):
        for one, pos in zip(found, line, strict=True):
            assert one["view"] == position_view(game, pos).model_dump(mode="json")
            assert one["pos"] == [str(int(field)) for field in pos]
            assert one["parsed"] == [str(int(field)) for field in face.parse_position(game, one["view"]["at"])]


class Position(NamedTuple):
    left: int
    turn: int


class Taking(NamedTuple):
    """Take one or two of seven."""

    def start(self):
        return Position(7, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return min((1 << pos.left) - 1, 3)

    def play(self, pos, action):
        return Position(pos.left - action - 1, 1 - pos.turn)

    def score(self, pos):
        return 1 if pos.turn else -1


class Fancy(Taking):
    """Its board is beyond what is translated."""

    def board(self, pos):
        with open("board.txt") as file:
            return file.read()


class Beyond(Taking):
    """So are its rules."""

    def play(self, pos, action):
        return eval("pos")


def test_a_face_that_cannot_be_translated_is_left_out_and_named():
    [words] = translated(Fancy()).left_out
    assert words.startswith("left out of the page: board (test_export_faces.py, line ")
    assert words.endswith(": with has no translation)")


def test_rules_that_cannot_be_translated_are_refused_with_their_line():
    with pytest.raises(
        LudusError, match=r"browser: test_export_faces\.py, line \d+: eval has no translation; raise --limit"
    ):
        translated(Beyond())


@pytest.mark.parametrize(
    ("board", "what"),
    [
        (lambda self, pos: "a".encode("ascii"), r"\.encode"),
        (lambda self, pos: str(math.factorial(3)), r"math\.factorial"),
        (lambda self, pos: re.sub("(?i)a", "b", "A"), r"the pattern '\(\?i\)a'"),
        (lambda self, pos: str(dict(a=1)), r"dict\(a=\.\.\.\)"),  # noqa: C408
    ],
)
def test_what_has_no_translation_is_found_before_the_page_is_opened(board, what):
    kind = type("Odd", (Taking,), {"board": board})
    [words] = translated(kind()).left_out
    assert re.search(rf"test_export_faces\.py, line \d+: {what} has no translation", words)


@pytest.mark.slow
def test_what_counts_as_known_is_in_the_script(page):  # noqa: F811
    page.evaluate(bundled("python.js").replace('use("python.js");\n', "globalThis.use = use;\n"))
    known = {"py": javascript._BUILTINS, "py.re": javascript._IN_MODULES["re"].split()}
    for place, names in (known | {"py.math": javascript._IN_MODULES["math"].split()}).items():
        asked = "([place, names]) => names.filter((name) => eval(place)[name] === undefined)"
        asked = asked.replace("eval(place)", f"use('python.js').{place}")
        assert page.evaluate(asked, [place, sorted(names)]) == []
    owners = '["", [], py.dictOf([]), py.setOf([]), 1n, 1]'
    lacks = (
        f"const {{ py }} = use('python.js'); return names.filter((name) => !{owners}.some((one) => has(py, one, name)))"
    )
    has = "const has = (py, one, name) => { try { py.get(one, name); return true; } catch { return false; } }"
    assert page.evaluate(f"(names) => {{ {has}; {lacks}; }}", javascript._METHODS.split()) == []


@pytest.mark.slow
def test_a_game_without_its_own_board_is_still_shown(page):  # noqa: F811
    [[first, second, *_]] = shown(page, Fancy(), [[1, 0]])
    assert first["view"] == position_view(Taking(), Taking().start()).model_dump(mode="json")
    assert second["pos"] == ["5", "1"]


# ---- expressions ----


def mixed():
    """Operators, formats and text, in one long list."""
    found = []
    for one in (7, -7, 3, -3):
        for other in (2, -2, 5):
            found.append((one + other, one // other, one % other, one - other, one / other, divmod(one, other)))
    for number in (0, 5, -255, 2**70):
        found.append(
            (f"{number:6}|{number:<6}|{number:^6}|{number:x}|{number:b}|{number:,}|{number:+d}|{number:05}", ~number)
        )
    for number in (0.5, 2.5, 0.125, 1 / 3, 123456.5, 1e-7, 1e17, -2.0):
        found.append(
            f"{number:g}|{number:.1f}|{number:.3g}|{number}|{number:8.2f}|{number:e}|{round(number)}|{number:%}"
        )
    words, listed = "One two  three", "a,b,c"
    found.append(
        (words.split(), words.title(), words.upper()[::-1], words[1:-2:2], words.partition(" "), listed.split(",", 1))
    )
    first, *rest = words.split()
    numbers = {name: len(name) for name in rest}
    found.append((first, rest, numbers, sorted(numbers, key=lambda name: -numbers[name]), {*rest} - {"two"}))
    found.append([(a, b) for a, b in zip("abc", range(3), strict=True) if b != 1])
    found.append(("b" > "a", (1, 2) < (1, 3), 1 < 2 < 3, not [], None is None, 2 in range(0, 9, 2)))
    found.append(
        (max([3, 1, 2]), min(3, 1), sum([1, 2], 3), any(x > 2 for x in (1, 2)), all([]), next(iter([4])), abs(-3))
    )
    found.append((int("-12"), int("ff", 16), str(1.0), repr("it's"), bool([0]), 3 << 70 >> 69, "%" in "100%", "ab" * 2))
    try:
        found.append(int("no"))
    except ValueError as error:
        found.append(str(error))
    found.append((words and numbers, rest or words))
    return found


@pytest.mark.slow
def test_operators_formats_and_text_are_those_of_python(page):  # noqa: F811
    page.evaluate(bundled("python.js").replace('use("python.js");\n', "globalThis.use = use;\n"))
    script = Translator(Taking()).module({"mixed": mixed}, ())
    found = page.evaluate(f"() => {{ const {{ py }} = use('python.js'); return ({script})(py).mixed().map(py.repr); }}")
    assert found == [repr(one) for one in mixed()]
