"""Listing and solving: every value against a naive solver, published facts, symmetry, chance, the checker, limits."""

import random
from typing import NamedTuple

import numpy as np
import pytest
from conftest import EXAMPLES, TESTS, perft_entries
from count_perft import VARIANTS, twin_of
from naive import solver

import ludus
from ludus import face
from ludus.compiled.masks import actions
from ludus.game import swaps_players, symmetries, transform
from ludus.solving.position_index import table_for
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Solution, verify

FEW, MANY = 6_000, 100_000  # positions that the naive solver takes in a second, and in a minute


def user_game(written):
    return ludus.make_game(str(TESTS / "user_games" / written))


def values_of(solution):
    """{position: (score, plies or None)} for all that a solution lists."""
    scores, plies = solution.answers.score.tolist(), solution.answers.plies.tolist()
    values = [(score, None if length == ENDLESS else length) for score, length in zip(scores, plies, strict=True)]
    return dict(zip(map(tuple, solution.positions.tolist()), values, strict=True))


class SideBySide:
    """A naive twin that takes the positions of the game itself along: a state is a pair of both."""

    def __init__(self, game, twin):
        self.game, self.twin = game, twin

    def start(self):
        return self.twin.start(), self.game.start()

    def player(self, state):
        return self.twin.player(state[0])

    def legal(self, state):
        return self.twin.legal(state[0])

    def play(self, state, action):
        return self.twin.play(state[0], action), self.game.play(state[1], action)

    def score(self, state):
        return self.twin.score(state[0])


class AsWritten:
    """A game by its own rules, in plain Python, with actions as a list."""

    def __init__(self, game):
        self.start, self.player, self.play, self.score = game.start, game.player, game.play, game.score
        self.legal = lambda pos: actions(game.legal(pos))


# ---- against brute force ----


def small_variants():
    """Every variant that the naive solver can take; the larger ones are slow."""
    for entry in perft_entries():
        if (entry["positions"] or MANY) < MANY:
            yield pytest.param(entry["game"], marks=[pytest.mark.slow] if entry["positions"] > FEW else [])
    yield "connect-four(width=3, height=4, connect=3)"
    yield "connect-four(width=5, height=2, connect=2)"
    yield "mancala(holes=4, stones=1, capture=standard, leftovers=owner)"


@pytest.mark.parametrize("written", list(small_variants()))
def test_every_position_has_the_value_of_the_naive_solver(written):
    game = ludus.make_game(written)
    values = solver.solve(SideBySide(game, twin_of(written)))
    assert values_of(ludus.solve(game)) == {tuple(pos): value for (_, pos), value in values.items()}


@pytest.mark.parametrize("variant", VARIANTS["chung-toi"])
def test_values_of_chung_toi_follow_from_each_other_by_the_naive_rules(variant):
    both = SideBySide(ludus.make_game(f"chung-toi({variant})"), twin_of(f"chung-toi({variant})"))
    solution, generator = ludus.solve(both.game), random.Random(variant)
    for _ in range(4):
        state = both.start()
        for _ in range(40):
            following = [both.play(state, action) for action in both.legal(state)]
            if not following:
                assert solution.value(state[1]) == (both.score(state), 0)
                break
            values = [solution.value(pos) for _, pos in following]
            assert solution.value(state[1]) == solver.best(both.player(state), values)
            state = generator.choice(following)


@pytest.mark.parametrize(
    "written", ["nim.py(a=2, b=3, c=4)", "nim.py(a=2, b=3, c=4, misere=true)", "dots_and_boxes.py(rows=2, columns=1)"]
)
def test_users_games_have_the_values_of_the_naive_solver(written):
    game = user_game(written)
    assert values_of(ludus.solve(game)) == {tuple(pos): value for pos, value in solver.solve(AsWritten(game)).items()}


def test_a_game_of_more_than_63_actions_has_the_value_of_the_naive_solver():
    game = user_game("clobber.py")
    pos, generator = game.start(), random.Random(1)
    for _ in range(10):
        pos = game.play(pos, generator.choice(actions(game.legal(pos))))
    values = solver.solve(AsWritten(game), pos)
    assert len(values) > 1000
    assert values_of(ludus.solve(game, pos)) == {tuple(after): value for after, value in values.items()}


@pytest.mark.parametrize("written", ["tapnswap(limit=3)", "mancala(holes=2, stones=2, capture=standard)"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_solving_without_the_jit_gives_the_same(written, symmetric, monkeypatch):
    game = ludus.make_game(written)
    compiled = ludus.solve(game, symmetric=symmetric)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    plain = ludus.solve(game, symmetric=symmetric)
    verify(plain)
    assert values_of(plain) == values_of(compiled)


# ---- published facts ----


def test_tic_tac_toe_is_a_draw_with_as_many_positions_as_published():
    solution = ludus.solve(ludus.make_game("tic-tac-toe"))
    assert solution.value(solution.start) == (0, 9)
    assert solution.counts()[:2] == (5478, 626 + 316 + 16)  # ended: won by crosses, by noughts, tied
    assert len(ludus.solve(solution.game, symmetric=True)) == 765


def test_connect_four_on_4x4_is_a_draw_as_published():
    solution = ludus.solve(ludus.make_game("connect-four(width=4, height=4)"), method="listed")
    assert (len(solution), solution.value(solution.start).score) == (161_029, 0)


@pytest.mark.parametrize(
    ("size", "square", "positions", "score", "plies"), [(4, 1, 83, -1, 8), (6, 1, 8175, 1, 21), (8, 2, 709_868, -1, 44)]
)
def test_fox_and_hounds_from_a_given_square_ends_as_published(size, square, positions, score, plies):
    game = ludus.make_game(f"fox-and-hounds(size={size}, goal=safe)")
    solution = ludus.solve(game, game.play(game.start(), square))
    assert (len(solution), solution.value(solution.start)) == (positions, (score, plies))


def test_kalah_with_one_stone_is_won_by_two_as_published():
    solution = ludus.solve(ludus.make_game("mancala(stones=1, capture=empty, leftovers=owner)"), symmetric=True)
    assert solution.value(solution.start).score == 2


@pytest.mark.parametrize(
    ("strip", "toads_first", "frogs_first"),
    [
        ("TFTF_", -1, 1),  # 0: the first player loses
        ("TFF_T", -1, 1),
        ("TF_TF", -1, 1),
        ("T^3_^3F^3", -1, 1),
        ("T^4_^6F^4", -1, 1),
        ("TFT_F", 1, -1),  # *: the first player wins
        ("TT_FF", 1, -1),
        ("TT___FF", 1, -1),  # {0 | 0}
        ("T_TFF", 1, 1),  # up: toads win
        ("TTT___FF", 1, 1),  # {1 | 1}
        ("T^5___FFF", 1, 1),  # 5 - 7/2
        ("T__TTFTFF_F", 1, 1),  # 1
    ],
)
def test_strips_of_toads_and_frogs_have_the_winner_of_their_published_value(strip, toads_first, frogs_first):
    for first, score in (("toads", toads_first), ("frogs", frogs_first)):
        solution = ludus.solve(ludus.make_game(f"toads-and-frogs(strip={strip}, first={first})"))
        assert solution.value(solution.start).score == score


def test_the_second_player_wins_tapnswap_as_conti_concluded():
    solution = ludus.solve(ludus.make_game("tapnswap"))
    assert solution.value(solution.start) == (-1, 26)
    assert {value.outcome(0) for value in solution.actions(solution.start).values()} == {"loss"}


def test_counts_are_seen_by_the_player_to_move():
    values = solver.solve(twin := twin_of("tic-tac-toe"))
    scores = [score if twin.player(state) == 0 else -score for state, (score, _) in values.items()]
    counts = ludus.solve(ludus.make_game("tic-tac-toe")).counts()
    assert (counts.wins, counts.draws, counts.losses) == tuple(scores.count(score) for score in (1, 0, -1))
    assert counts.longest == max(plies for score, plies in values.values() if score)


# ---- symmetry ----


@pytest.mark.parametrize(
    "written",
    [
        "tic-tac-toe",
        "connect-four(width=3, height=4, connect=3)",
        "mancala(holes=3, stones=2, capture=standard)",
        "tapnswap",
        pytest.param("chung-toi", marks=pytest.mark.slow),
    ],
)
def test_one_position_for_all_alike_has_the_value_of_each(written):
    game = ludus.make_game(written)
    plain, symmetric = ludus.solve(game), ludus.solve(game, symmetric=True)
    assert len(symmetric) < len(plain)
    assert values_of(plain).items() <= dict(stood_for(symmetric)).items()
    verify(symmetric)
    for row in plain.positions[:: len(plain) // 100].tolist():
        pos = game.start()._make(row)
        assert symmetric.value(pos) == plain.value(pos)


def stood_for(solution):
    """Every position that a stored one stands for, with its value."""
    game = solution.game
    for row, (score, plies) in values_of(solution).items():
        for symmetry in range(symmetries(game)):
            side = -1 if swaps_players(game, symmetry) else 1
            yield tuple(transform(game, game.start()._make(row), symmetry)), (side * score, plies)


# ---- other beginnings ----


def test_solving_from_another_position_lists_only_what_follows_it():
    game = ludus.make_game("tic-tac-toe")
    pos = face.parse_position(game, "XO./.../...")
    part, whole = ludus.solve(game, pos), ludus.solve(game)
    assert values_of(part).items() < values_of(whole).items()
    assert game.start() not in part
    with pytest.raises(ludus.LudusError, match=r"\.\.\./\.\.\./\.\.\. cannot be reached"):
        part.value(game.start())


def test_solving_from_several_positions_lists_what_follows_each():
    game = ludus.make_game("toads-and-frogs")
    other = game.with_mover(game.start(), 1)
    both = ludus.solve(game, also=[other])
    assert values_of(both) == values_of(ludus.solve(game)) | values_of(ludus.solve(game, other))


# ---- the checker ----

SOME_OF_EACH_KIND = [
    "tic-tac-toe",
    "connect-four(width=3, height=4, connect=3)",
    "toads-and-frogs(toads=2, gaps=3, frogs=2)",
    "tapnswap",
    "mancala(holes=2, stones=3)",
    "fox-and-hounds(size=4)",
    "chung-toi",
    str(TESTS / "user_games" / "dots_and_boxes.py(rows=2, columns=1)"),
]


@pytest.mark.parametrize("written", SOME_OF_EACH_KIND)
def test_a_correct_solution_is_accepted(written):
    reported = []
    solution = ludus.solve(ludus.make_game(written))
    verify(solution, reported.append)
    assert reported[-1] == len(solution)


def changed(solution, number, *, score=0, plies=0):
    """The solution with something added to the value of one position."""
    answers = solution.answers._replace(score=solution.answers.score.copy(), plies=solution.answers.plies.copy())
    answers.score[number] += score
    answers.plies[number] += plies
    return Solution(solution.game, solution.start, answers)


@pytest.mark.parametrize("change", [{"score": 1}, {"score": -1}, {"plies": 1}, {"plies": -1}], ids=str)
@pytest.mark.parametrize("written", ["tapnswap(limit=3)", "mancala(holes=2, stones=2)", "fox-and-hounds(size=4)"])
def test_a_solution_with_one_changed_number_is_refused_wherever_it_is(written, change):
    solution = ludus.solve(ludus.make_game(written))
    for number in range(len(solution)):
        with pytest.raises(ludus.LudusError, match=r"the solution is wrong: the value of .+ does not follow"):
            verify(changed(solution, number, **change))


def test_a_solution_without_one_of_its_positions_is_refused():
    solution = ludus.solve(ludus.make_game("fox-and-hounds(size=4)"))
    for number in range(len(solution)):
        with pytest.raises(ludus.LudusError, match=r"does not follow|cannot be reached"):
            verify(without(solution, number))


def without(solution, number):
    answers = solution.answers
    words = np.delete(answers.lookup.words, number, axis=0)
    lookup = answers.lookup._replace(words=words, table=table_for(words, len(words), 2 * len(words)))
    left = answers._replace(
        lookup=lookup, score=np.delete(answers.score, number), plies=np.delete(answers.plies, number)
    )
    return Solution(solution.game, solution.start, left)


class Step(NamedTuple):
    turn: int


class Forever(NamedTuple):
    """Two players take turns for ever."""

    def start(self):
        return Step(0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return 1

    def play(self, pos, action):
        return Step(1 - pos.turn)

    def score(self, pos):
        return 0


def test_play_without_an_end_is_a_draw_and_nobodys_win(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    solution = ludus.solve(Forever(), method="listed")
    verify(solution)
    assert values_of(solution) == {(0,): (0, None), (1,): (0, None)}
    solution.answers.score[:] = 1
    with pytest.raises(ludus.LudusError, match="the solution is wrong"):
        verify(solution)


# ---- chance ----


def test_expected_scores_of_pig_are_those_of_value_iteration():
    game = ludus.make_game(f"{EXAMPLES}/pig.py(target=8, faces=4)")
    solution = ludus.solve(game)
    assert solution.gap < 1e-6
    verify(solution)
    expected = solver.expect(AsWritten(game), game.odds)
    assert {pos: score for pos, (score, _) in values_of(solution).items()} == pytest.approx(
        {tuple(pos): score for pos, score in expected.items()}, abs=solution.gap + 1e-9
    )
    assert solution.value(game.start()).plies is None


def test_an_expected_score_that_does_not_follow_is_refused():
    solution = ludus.solve(ludus.make_game(f"{EXAMPLES}/pig.py(target=8, faces=4)"))
    solution.answers.score[5] += 0.01
    with pytest.raises(ludus.LudusError, match="the solution is wrong"):
        verify(solution)


# ---- limits ----


@pytest.mark.parametrize(("written", "way"), [("chung-toi", "up to symmetry"), ("fox-and-hounds", "by search")])
def test_a_game_that_needs_more_memory_than_allowed_says_how_far_it_came(written, way):
    with pytest.raises(
        ludus.LudusError,
        match=rf"at least \d+,\d{{3}} positions, which take \d+ MB and .*, with 5 MB to use; solve it .* or {way}$",
    ):
        ludus.solve(ludus.make_game(written), method="listed", memory=5_000_000)


def test_no_memory_at_all_is_an_error_and_not_a_crash():
    with pytest.raises(ludus.LudusError, match="at least 1 position, which take"):
        ludus.solve(ludus.make_game("tic-tac-toe"), method="listed", memory=1000)


def test_a_game_that_outgrows_memory_is_searched_if_it_can_be():
    assert ludus.solve(ludus.make_game("tic-tac-toe"), memory=100_000).method == "search"


def test_a_method_that_there_is_not_is_refused():
    with pytest.raises(ludus.LudusError, match="method must be one of auto, listed, search, proof, not 'serch'"):
        ludus.solve(ludus.make_game("tic-tac-toe"), method="serch")


def test_progress_shows_each_stage_and_its_share():
    reported = []
    solution = ludus.solve(ludus.make_game("tapnswap"), progress=lambda *news: reported.append(news))
    assert ("exploring", len(solution), None) in reported
    assert reported[-1][0] == "solving"
    assert reported[-1][2] == len(solution)
