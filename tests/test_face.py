"""The human face of every game: boards, names, notation, drawings that can be touched and animated."""

import random
import re
from xml.etree import ElementTree

import pytest
from conftest import TESTS, perft_entries

import ludus
from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.games.tapnswap import TapnSwap
from ludus.svg import Drawing, circle, follow

ENTRIES = [entry["game"] for entry in perft_entries()]
FACE = ("players", "board", "draw", "action_name", "action_path", "format_position", "parse_position", "rules")
SAID = {
    "tic-tac-toe": ("X.O/.X./...", {"a3": "a3, cross", "b2": "b2, cross", "c3": "c3, nought", "c1": "c1, empty"}),
    "connect-four": (
        "7/7/7/3X3/3O3/3X3",
        {"4": "column 4, three discs, red on top, then blue, red", "1": "column 1, empty"},
    ),
    "toads-and-frogs": ("TT_T__FFF frogs", {"4": "square 4, toad 1", "3": "square 3, empty", "8": "square 8, frog 2"}),
    "tapnswap": (None, {"first-left": "First, left hand, one finger", "1": "swap one finger"}),
    "mancala": (None, {"south-3": "South, hole 3, four stones", "north-store": "North, store, no stones"}),
    "fox-and-hounds": ("b2 b8 d8 f8 h8 hounds", {"b2": "b2, fox", "b8": "b8, hound", "a1": "a1, empty"}),
    "chung-toi": (
        "W+.Rx/.../..Wx Red",
        {
            "a3": "a3, white, straight",
            "c3": "c3, red, slanting",
            "b2": "b2, empty",
            "red-hand": "Red, two pieces in hand",
            "+": "point straight",
        },
    ),
    "dobutsu-shogi": (
        ".lH/g../.../ELG ce Second",
        {
            "c1": "c1, first hen",
            "a2": "a2, second giraffe",
            "b2": "b2, empty",
            "second-chick": "Second, one chick in hand",
            "first-giraffe": "First, no giraffes in hand",
        },
    ),
}


def positions(game, games=3, most=60):
    generator = random.Random(1)
    for _ in range(games):
        pos = game.start()
        for _ in range(most):
            yield pos
            legal = actions(game.legal(pos))
            if not legal:
                break
            pos = game.play(pos, generator.choice(legal))


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_built_in_game_has_a_whole_face(name):
    assert [part for part in FACE if part not in vars(catalog.games()[name])] == []


@pytest.mark.parametrize("written", ENTRIES)
def test_notation_reads_back(written):
    game = ludus.make_game(written)
    for pos in positions(game):
        assert face.parse_position(game, face.format_position(game, pos)) == pos


@pytest.mark.parametrize("written", ENTRIES)
def test_names_of_actions_read_back_and_the_board_fits(written):
    game = ludus.make_game(written)
    for pos in positions(game, games=1):
        assert max(map(len, face.board(game, pos).splitlines())) <= 76
        for action, name in face.menu(game, pos):
            assert face.parse_action(game, pos, f" {name.upper()} ") == action


@pytest.mark.parametrize("written", ENTRIES)
def test_every_action_can_be_touched_by_a_path_of_its_own(written):
    game = ludus.make_game(written)
    for pos in positions(game, games=1, most=15):
        svg = face.draw(game, pos).svg
        ElementTree.fromstring(svg)
        targets = set(re.findall(r'data-target="([^"]*)"', svg))
        paths = [face.action_path(game, pos, action) for action in actions(game.legal(pos))]
        assert len(set(paths)) == len(paths)
        assert {target for path in paths for target in path} <= targets


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_pieces_keep_their_ids_from_picture_to_picture(name):
    game = ludus.make_game(name)
    before = None
    for pos in positions(game, games=1, most=20):
        picture = face.draw(game, pos, before)
        if before:
            stayed = set(before.ids) & set(picture.ids)
            assert all(before.ids[key] == picture.ids[key] for key in stayed)
        assert len(set(picture.ids.values())) == len(picture.ids)
        before = picture


def test_a_moved_piece_takes_its_id_along():
    before = follow({}, [("hound", "b8"), ("hound", "d8"), ("fox", "e1")])
    after = follow(before, [("hound", "d8"), ("hound", "a7"), ("fox", "e1")])
    assert after["hound", "a7"] == before["hound", "b8"]
    assert after["hound", "d8"] == before["hound", "d8"]


def test_a_new_piece_gets_a_new_id():
    before = follow({}, [("disc", "1.1")])
    after = follow(before, [("disc", "1.1"), ("disc", "1.2")])
    assert len(set(after.values())) == 2


def test_a_drawing_escapes_its_text():
    drawing = Drawing(10, 10, "a < b & c")
    drawing.piece("x", "<1>", 0, 0, circle(0, 0, 1, "first"))
    drawing.target("a&b", 0, 0, 1, 1)
    ElementTree.fromstring(drawing.finish().svg)


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_nonsense_is_no_position_and_no_action(name):
    game = ludus.make_game(name)
    for words in ("", "?!", "x" * 500, "1 2 3", "TF/XX"):
        with pytest.raises(ludus.LudusError, match="a position is written like"):
            face.parse_position(game, words)
    with pytest.raises(ludus.LudusError, match="is no action here; allowed: "):
        face.parse_action(game, game.start(), "nonsense")


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_the_tutorial_has_a_few_pages_with_boards(name):
    pages = face.rules(ludus.make_game(name))
    assert 2 <= len(pages) <= 6
    assert sum(page.position is not None for page in pages) >= 2
    assert all(20 < len(page.words) < 600 for page in pages)


def test_equal_names_in_tapnswap_mean_equal_results_up_to_mirroring():
    game = TapnSwap()

    def result(pos, action):
        after = game.play(pos, action)
        return sorted(after[:2]), sorted(after[2:4]), after.turn

    for row in ludus.explore(game).positions:
        pos = type(game.start())(*(int(field) for field in row))
        by_name = {}
        for action in actions(game.legal(pos)):
            by_name.setdefault(game.action_name(pos, action), []).append(result(pos, action))
        assert all(outcome == outcomes[0] for outcomes in by_name.values() for outcome in outcomes)


def test_the_screen_of_the_tapnswap_paper():
    game = TapnSwap()
    pos = face.parse_position(game, "2-2 3-2 first")
    assert [name for _, name in face.menu(game, pos)] == [
        "Tap with 2 on 3",
        "Tap with 2 on 2",
        "Swap 2-2 for 1-3",
        "Swap 2-2 for 0-4",
    ]


def test_dead_pieces_and_parts_are_pointed_out():
    game = ludus.make_game("toads-and-frogs(strip=T__TTFTFF_F)")
    words = " ".join(note.words for note in face.notes(game, game.start()))
    assert "dead" in words.lower()


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_target_says_what_stands_there(name):
    game, (written, said) = ludus.make_game(name), SAID[name]
    pos = face.parse_position(game, written) if written else game.start()
    found = face.descriptions(game, pos, face.draw(game, pos))
    assert {target: found.get(target) for target in said} == said
    for pos in positions(game, games=1):
        picture = face.draw(game, pos)
        assert list(face.descriptions(game, pos, picture)) == list(picture.targets)


def test_a_drawing_without_words_says_what_is_placed_there():
    game = ludus.make_game("examples/breakthrough.py")
    drawing = Drawing(10, 10, "Pawns")
    drawing.piece("white", "a1", 0, 0, circle(0, 0, 1, "first"))
    for name in ("a1", "b-1"):
        drawing.target(name, 0, 0, 1, 1)
    assert face.descriptions(game, game.start(), drawing.finish()) == {"a1": "a1, white", "b-1": "b 1, empty"}


def test_a_game_without_a_face_gets_one():
    game = ludus.make_game(str(TESTS / "user_games" / "nim.py"))
    pos = game.start()
    assert face.players(game) == ("First", "Second")
    assert face.board(game, pos).splitlines()[0] == "a = 3"
    assert face.menu(game, pos)[0] == (0, "0")
    assert face.parse_position(game, face.format_position(game, pos)) == pos
    assert 'data-target="action-0"' in face.draw(game, pos).svg
    assert len(face.rules(game)) == 1


@pytest.mark.parametrize(
    ("game", "moves", "words"),
    [("connect-four(width=10, height=2)", (0, 0), "1"), ("toads-and-frogs(strip=T_TTTTTTTTTFFFF)", (), "1")],
)
def test_a_number_is_not_taken_for_the_beginning_of_another(game, moves, words):
    chosen = ludus.make_game(game)
    pos = chosen.start()
    for action in moves:
        pos = chosen.play(pos, action)
    with pytest.raises(ludus.LudusError, match="is no action here"):
        face.parse_action(chosen, pos, words)


@pytest.mark.parametrize(
    ("game", "words"),
    [("tic-tac-toe", "XXX/OOO/..."), ("tic-tac-toe", "X/X/X/////O/O/O/././."), ("chung-toi", "W+////......../ Red")],
)
def test_boards_that_cannot_be_are_refused(game, words):
    with pytest.raises(ludus.LudusError, match="a position is written like"):
        face.parse_position(ludus.make_game(game), words)


def test_a_view_shows_itself_in_notebooks_and_in_print():
    view = ludus.View(ludus.make_game("tic-tac-toe"))
    assert view._repr_svg_().startswith("<svg")
    assert set(view._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}
    assert str(view).startswith("3  .  .  .")
