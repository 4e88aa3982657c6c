"""Games as a user would write them: short, in one file, and with all that the contract offers."""

import pytest
from conftest import EXAMPLES, TESTS

import ludus
from ludus.checking import check
from ludus.compiled.masks import actions, words
from ludus.playout import playouts

FILES = sorted((TESTS / "user_games").glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_game_takes_under_eighty_lines(path):
    assert len(path.read_text().splitlines()) < 80


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_users_game_keeps_the_contract(path):
    assert check(ludus.make_game(str(path)), positions=2000, games=20).problem == ""


def user_game(written):
    return ludus.make_game(str(TESTS / "user_games" / written))


def solve(game, pos, known):
    """The score that perfect play reaches, by plain search; for games without loops and chance."""
    if pos not in known:
        legal = actions(game.legal(pos))
        values = [solve(game, game.play(pos, action), known) for action in legal]
        best = max if game.player(pos) == 0 else min
        known[pos] = best(values) if legal else game.score(pos)
    return known[pos]


@pytest.mark.parametrize("heaps", [(1, 2, 3), (1, 1, 2), (3, 4, 5), (2, 2, 0), (2, 4, 6)])
def test_the_player_who_can_make_the_nim_sum_zero_wins_nim(heaps):
    game = user_game(f"nim.py(a={heaps[0]}, b={heaps[1]}, c={heaps[2]})")
    assert solve(game, game.start(), {}) == (1 if heaps[0] ^ heaps[1] ^ heaps[2] else -1)


def best_margin(boxes, edges, known):
    """Boxes that the player to draw can win beyond the opponent's, with boxes as sets of edges."""
    if edges not in known:
        margins = []
        for edge in edges:
            left = edges - {edge}
            won = sum(edge in box and not box & left for box in boxes)
            rest = best_margin(boxes, left, known)
            margins.append(won + rest if won else -rest)
        known[edges] = max(margins, default=0)
    return known[edges]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 2), (1, 3), (2, 2)])
def test_dots_and_boxes_has_the_value_of_a_search_with_sets(rows, columns):
    boxes = [
        frozenset([("-", y, x), ("-", y + 1, x), ("|", y, x), ("|", y, x + 1)])
        for y in range(rows)
        for x in range(columns)
    ]
    game = user_game(f"dots_and_boxes.py(rows={rows}, columns={columns})")
    assert solve(game, game.start(), {}) == best_margin(boxes, frozenset().union(*boxes), {})


def test_closing_a_box_keeps_the_turn_in_dots_and_boxes():
    game = user_game("dots_and_boxes.py(rows=1, columns=1)")
    pos = game.start()
    for action in range(4):
        assert game.player(pos) == action % 2
        pos = game.play(pos, action)
    assert (game.player(pos), game.score(pos)) == (1, -1)


def test_clobber_has_more_actions_than_one_word_holds():
    game = user_game("clobber.py")
    legal = game.legal(game.start())
    assert len(words(legal)) == 2
    assert len(actions(legal)) == 49  # every pair of neighbours on 5x6 is black and white
    assert max(actions(legal)) > 63
    assert playouts(game, 1000).games == 1000


def test_pig_is_left_to_chance_while_the_die_rolls():
    game = ludus.make_game(f"{EXAMPLES}/pig.py")
    rolled = game.play(game.start(), 0)
    assert game.player(rolled) == ludus.CHANCE
    assert [game.play(rolled, face).pot for face in actions(game.legal(rolled))] == [0, 2, 3, 4, 5, 6]
