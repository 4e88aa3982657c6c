"""Every game and variant against independent sources: published counts, and a naive twin."""

import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from conftest import TESTS, perft_entries
from count_perft import VARIANTS, agree, twin_of

import ludus
from ludus import catalog
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.face import variants
from ludus.game import index, num_positions, position_at, seat_index, seat_position_at, symmetries, transform
from ludus.games.fox_and_hounds import FoxAndHounds, Goal
from ludus.games.fox_and_hounds import Position as FoxPosition
from ludus.games.mancala import Capture, Leftovers, Mancala
from ludus.games.mancala import Position as MancalaPosition
from ludus.games.tapnswap import TapnSwap
from ludus.games.toads_and_frogs import Side, Strip, ToadsAndFrogs
from ludus.playout import perft
from ludus.web.api.views import form_fields

ENTRIES = perft_entries()
IDS = [entry["game"] for entry in ENTRIES]
NO_NUMBERS = {"game", "source", "after"}

# Variants whose parameters differ but not their play: the reason, and which they are.
SAME_PLAY = [
    (
        "a step of one square passes over nothing, so that jumping makes no difference",
        [f"chung-toi(reach=one, jump={jump}, passing={passing})" for jump in ("true", "false")],
    )
    for passing in ("true", "false")
] + [
    (
        "the only game there is has two sowings, and both end in the store: nothing is ever captured",
        [
            f"mancala(holes=1, stones=4, capture={capture}, leftovers={leftovers})"
            for capture in ("none", "standard", "empty")
        ],
    )
    for leftovers in ("nobody", "owner")
]


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_game_has_its_data_twin_and_doc_page(name):
    module = name.replace("-", "_")
    assert (TESTS / "data" / "perft" / f"{name}.json").is_file()
    assert (TESTS / "naive" / f"{module}.py").is_file()
    assert (Path(TESTS).parent / "docs" / "games" / f"{name}.md").is_file()
    written = {entry["game"] for entry in json.loads((TESTS / "data" / "perft" / f"{name}.json").read_text())}
    assert written == {f"{name}({variant})" if variant else name for variant in VARIANTS[name]}


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_perft_counts(entry):
    game = ludus.make_game(entry["game"])
    assert [perft(game, depth) for depth in range(len(entry["perft"]))] == entry["perft"]


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "after" in entry], ids=lambda entry: entry["game"])
def test_perft_counts_and_scores_after_an_opening(entry):
    game = ludus.make_game(entry["game"])
    pos = position_after(game, entry["after"])
    plies = len(entry["perft_after"])
    assert [perft(game, depth, pos) for depth in range(plies)] == entry["perft_after"]
    scores = count_scores(game, pos, plies - 1)
    assert scores == {int(score): ways for score, ways in entry["scores_after"].items()}


def position_after(game, opening):
    pos = game.start()
    for action in opening:
        assert action in actions(game.legal(pos))
        pos = game.play(pos, action)
    return pos


def count_scores(game, start, most_plies):
    """The number of lines of at most this many plies that end in each score."""
    scores, layer = Counter(), {start: 1}
    for _ in range(most_plies + 1):
        following = Counter()
        for pos, ways in layer.items():
            legal = actions(game.legal(pos))
            for action in legal:
                following[game.play(pos, action)] += ways
            if not legal:
                scores[game.score(pos)] += ways
        layer = following
    return scores


def test_no_two_variants_share_all_their_numbers_unless_they_play_the_same():
    alike = defaultdict(set)
    for entry in ENTRIES:
        numbers = {key: value for key, value in entry.items() if key not in NO_NUMBERS}
        alike[entry["game"].partition("(")[0], json.dumps(numbers, sort_keys=True)].add(entry["game"])
    shared = {frozenset(games) for games in alike.values() if len(games) > 1}
    assert shared == {frozenset(games) for _, games in SAME_PLAY}


def test_a_longer_list_agrees_and_a_different_one_does_not():
    assert agree([1, 9, 72], [1, 9])
    assert agree([1, 9], [1, 9, 72])
    assert not agree([1, 9, 71], [1, 9, 72])
    assert agree(5478, 5478)
    assert agree(None, 5478)
    assert not agree(5477, 5478)


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if entry["positions"]], ids=lambda entry: entry["game"])
def test_number_of_reachable_positions(entry):
    found = ludus.explore(ludus.make_game(entry["game"]))
    assert (len(found.positions), found.complete) == (entry["positions"], True)


def test_tic_tac_toe_has_765_positions_up_to_symmetry_as_published():
    game = ludus.make_game("tic-tac-toe")
    found = [type(game.start())(*row) for row in ludus.explore(game).positions.tolist()]
    assert len({min(transform(game, pos, s) for s in range(symmetries(game))) for pos in found}) == 765


def test_the_255168_games_of_tic_tac_toe_end_as_published():
    game = ludus.make_game("tic-tac-toe")
    scores = count_scores(game, game.start(), 9)
    assert scores == {1: 131_184, -1: 77_904, 0: 46_080}
    assert scores.total() == 255_168


def test_connect_four_positions_by_ply_as_published():
    levels = next(entry["levels"] for entry in ENTRIES if entry["game"] == "connect-four")
    assert ludus.explore(ludus.make_game("connect-four"), limit=700_000).level_sizes[: len(levels)] == levels


@pytest.mark.parametrize(("size", "column", "positions"), [(4, 1, 83), (6, 1, 8175), (8, 2, 709_868)])
def test_fox_and_hounds_positions_from_a_given_square_as_published(size, column, positions):
    game = FoxAndHounds(size, Goal.SAFE)
    assert len(ludus.explore(game, game.play(game.start(), column)).positions) == positions


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_the_number_of_positions_that_a_game_claims(name):
    game = ludus.make_game(name)
    claimed = getattr(game, "reachable", None)
    if claimed and claimed < 1_000_000:
        assert len(ludus.explore(game).positions) == claimed


@pytest.mark.parametrize("written", IDS)
def test_random_games_go_as_the_naive_twin_says(written):
    game, twin = ludus.make_game(written), twin_of(written)
    generator = random.Random(written)
    for _ in range(20):
        compare_one_game(game, twin, generator)


def compare_one_game(game, twin, generator, most_plies=200):
    pos, state = game.start(), twin.start()
    for _ in range(most_plies):
        legal = actions(game.legal(pos))
        assert legal == twin.legal(state)
        assert game.player(pos) == twin.player(state)
        if not legal:
            assert game.score(pos) == twin.score(state)
            return
        action = generator.choice(legal)
        pos, state = game.play(pos, action), twin.play(state, action)


@pytest.mark.parametrize("game", [TapnSwap(), TapnSwap(limit=2), *(FoxAndHounds(size) for size in (4, 6, 8))], ids=str)
def test_the_index_has_an_inverse_everywhere(game):
    step = max(num_positions(game) // 20_000, 1)
    for number in [*range(0, num_positions(game), step), num_positions(game) - 1]:
        assert index(game, position_at(game, number)) == number


@pytest.mark.parametrize("size", [4, 6, 8, 10])
@pytest.mark.parametrize("player", [0, 1])
def test_the_halved_index_of_fox_and_hounds_has_an_inverse_everywhere(size, player):
    game = FoxAndHounds(size)
    count = game.num_seat_positions(player)
    for number in [*range(0, count, max(count // 5_000, 1)), count - 1]:
        pos = seat_position_at(game, player, number)
        assert game.player(pos) == player
        assert seat_index(game, pos) == number


def test_fox_and_hounds_has_the_papers_number_of_states():
    assert FoxAndHounds().num_positions == 1_006_881


def test_the_halved_indices_of_fox_and_hounds_share_all_positions():
    for size in (4, 6, 8, 10):
        game = FoxAndHounds(size)
        assert game.num_seat_positions(0) + game.num_seat_positions(1) == game.num_positions
    assert FoxAndHounds().num_seat_positions(1) == 503_440


def test_the_index_of_fox_and_hounds_is_the_papers_number_system():
    # Hounds on squares 0, 1, 2, 3 are the first subset; the fox on square 4 is the first of 28 free ones.
    game = FoxAndHounds()
    assert game.index(FoxPosition(0b1111, 4, 0)) == 0
    # C(4,1) + C(5,2) + C(6,3) + C(7,4) = 69 subsets come before {4, 5, 6, 7}; square 9 is the sixth free one.
    assert game.index(FoxPosition(0b1111 << 4, 9, 0)) == 69 * 28 + 5
    assert game.index(game.start()) == 1_006_880


def test_every_step_of_fox_and_hounds_changes_the_parity_of_rows():
    game = FoxAndHounds()
    generator = random.Random(1)
    pos = game.play(game.start(), 2)
    while legal := actions(game.legal(pos)):
        rows = sum(square // 4 for square in [*actions(pos.hounds), pos.fox])
        assert rows % 2 == game.player(pos)
        pos = game.play(pos, generator.choice(legal))


def mancala_side(store, *holes):
    """A side of the board: stones in the store, then in holes 1, 2, ..."""
    return sum(stones << 7 * field for field, stones in enumerate([store, *holes]))


def test_the_papers_example_of_mancala_earns_another_turn():
    # Holes with 1, 3, 0, 7, 2, 0 stones: hole 1 ends in the store, holes 2 and 4 pass it, hole 5 does not reach it.
    game = Mancala()
    pos = MancalaPosition(mancala_side(0, 1, 3, 0, 7, 2, 0), mancala_side(0, 4, 4, 4, 4, 4, 4), 0)
    after = [game.play(pos, action) for action in actions(game.legal(pos))]
    assert actions(game.legal(pos)) == [0, 1, 3, 4]
    assert [game.player(next_pos) for next_pos in after] == [0, 1, 1, 1]
    assert [game.banked(next_pos) for next_pos in after] == [1, 1, 1, 0]


def test_a_lap_in_mancala_refills_the_hole_it_came_from():
    game = Mancala(holes=2, stones=5)
    after = game.play(game.start(), 1)  # five stones: hole 1, store, both enemy holes, and hole 2 again
    assert after == MancalaPosition(mancala_side(0, 6, 6), mancala_side(1, 6, 1), 1)


@pytest.mark.parametrize(
    ("capture", "opposite", "store"),
    [(Capture.NONE, 3, 0), (Capture.STANDARD, 3, 4), (Capture.STANDARD, 0, 0), (Capture.EMPTY, 0, 1)],
)
def test_captures_in_mancala(capture, opposite, store):
    game = Mancala(holes=3, stones=1, capture=capture, leftovers=Leftovers.OWNER)
    pos = MancalaPosition(mancala_side(0, 0, 1, 0), mancala_side(0, 1, 0, opposite), 0)  # hole 2 sows into hole 1
    assert game.play(pos, 1).theirs & 127 == store


@pytest.mark.parametrize(
    ("text", "strip"),
    [
        ("TT__FF", "TT__FF"),
        ("T□□F", "T__F"),
        ("(TF)^2T_", "TFTFT_"),
        ("T^6_^9F^6", "TTTTTT_________FFFFFF"),
        ("(T_(TF)^2TTFF)^2", "T_TFTFTTFFT_TFTFTTFF"),
        ("T[]F", "T_F"),
        (" T . F ", "T_F"),
    ],
)
def test_strips_are_read_as_the_paper_writes_them(text, strip):
    assert str(Strip.parse(text)) == strip


@pytest.mark.parametrize("text", ["", "TXF", "T^", "(TF", "T^99"])
def test_what_is_no_strip_is_refused(text):
    with pytest.raises(ValueError, match="a strip is 1 to 62 squares"):
        Strip.parse(text)


def test_the_death_leap_principle_marks_the_papers_examples():
    def is_zero(strip):
        game = ToadsAndFrogs(strip=Strip.parse(strip), first=Side.TOADS)
        return game.shaping(game.start()) == 1.0

    assert is_zero("(TF)^2_T(TF)^3")
    assert is_zero("TFTF_")
    assert not is_zero("T_")
    assert not is_zero("TF__")
    assert not is_zero("__TF")
    assert not is_zero("_F")


@pytest.mark.parametrize(
    ("written", "allowed"),
    [
        ("connect-four(width=9, height=9)", "width * (height + 1) at most 62"),
        ("connect-four(connect=8)", "connect must be 2 to 7"),
        ("toads-and-frogs(toads=-1)", "at least 0"),
        ("toads-and-frogs(gaps=60)", "1 to 62 squares"),
        ("tapnswap(limit=0)", "limit must be 1 to 99"),
        ("mancala(holes=9)", "holes must be 1 to 8"),
        ("mancala(stones=11)", "stones must be 1 to 10 with 6 holes"),
        ("fox-and-hounds(size=7)", "size must be 4, 6, 8 or 10"),
        ("chung-toi(reach=three)", "one or two"),
    ],
)
def test_parameters_out_of_range_are_refused(written, allowed):
    with pytest.raises(ludus.LudusError) as error:
        ludus.make_game(written)
    assert allowed in str(error.value)


def test_parameters_out_of_range_are_refused_without_the_catalogue():
    with pytest.raises(ValueError, match="stones must be 1 to 10"):
        ludus.playouts(Mancala(stones=99), 1)


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_the_variants_that_a_game_offers_can_be_made(name):
    for parameters in variants(catalog.games()[name]).values():
        assert catalog.make_game(f"{name}({parameters})") != catalog.make_game(name)


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_parameter_says_what_it_is_and_a_number_its_range(name):
    for field in form_fields(type(catalog.make_game(name))):
        assert field.help.endswith(".")
        if field.kind == "whole":
            assert field.least <= int(field.default) <= field.most
            with pytest.raises(LudusError):
                catalog.make_game(f"{name}({field.name}={field.least - 1})")
