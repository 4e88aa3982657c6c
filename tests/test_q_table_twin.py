"""Q-learning with a table: against a naive twin with the same random draws, and in any number of pieces."""

import math
from typing import NamedTuple

import pytest
from conftest import EXAMPLES
from naive.q_table import LEARNER, OPPONENT, TWIN, NaiveTrainer, Options
from trained import all_bytes, learned, trained

from ludus import catalog
from ludus.agents import tabular
from ludus.compiled.masks import actions
from ludus.compiled.randomness import uniform
from ludus.learning.loop import episodes

PIG = f"{EXAMPLES}/pig.py(target=6, faces=3)"
FOX = "fox-and-hounds(size=4)"
MANCALA = "mancala(holes=2, stones=2)"
TOADS = "toads-and-frogs(toads=2, gaps=2, frogs=2)"

BOTH = ((LEARNER, LEARNER), (LEARNER, LEARNER))


# ---- against a naive twin ----


def first_legal(game, pos, stream):
    """The agent `first`; agents without a quicker way draw from their policy."""
    uniform(stream)
    return actions(game.legal(pos))[0]


def held(seats, other):
    """Who plays for players 0 and 1 in even and in odd games, with player 0 moving first."""
    rows = {"first": (LEARNER, other), "second": (other, LEARNER)}
    return (rows["first"], rows["second"]) if seats == "alternate" else (rows[seats], rows[seats])


class Case(NamedTuple):
    game: str
    learner: str = ""
    options: Options = Options()
    holders: tuple = BOTH
    games: int = 150
    plan: dict = {}  # noqa: RUF012, never changed


CASES = {
    "as it is": Case("tic-tac-toe"),
    "root": Case("tic-tac-toe", "epsilon=0.9/sqrt", Options(lambda games, lost: 0.9 / math.sqrt(1 + games))),
    "linear": Case(
        "tic-tac-toe",
        "epsilon=0.9..0.1@100, alpha=1/n^0.7",
        Options(lambda games, lost: 0.9 + (0.1 - 0.9) * min(games / 100, 1), lambda times: math.pow(times, -0.7)),
    ),
    "results": Case(
        "tic-tac-toe",
        "epsilon=0.8..0.1@results, alpha=0.3, gamma=0.9",
        Options(lambda games, lost: 0.1 + (0.8 - 0.1) * lost, lambda times: 0.3, 0.9),
        held("alternate", OPPONENT),
        plan={"opponent": "random"},
    ),
    "all actions, first ties": Case(
        "tic-tac-toe", "max_over=all, ties=first", Options(over_all=True, first_of_ties=True), plan={"seed": 7}
    ),
    "symmetry": Case("tic-tac-toe", "symmetry=true, random_plies=3", Options(symmetry=True, random_plies=3)),
    "random opening plies": Case(
        "tic-tac-toe", "random_plies=4, random_side=second", Options(random_plies=4, random_players=(1,))
    ),
    "both open at random": Case(
        "tic-tac-toe", "random_plies=4, random_side=both", Options(random_plies=4, random_players=(0, 1))
    ),
    "rewards": Case("tic-tac-toe", "win=2, loss=-3, draw=0.5", Options(win=2.0, loss=-3.0, draw=0.5)),
    "moving second": Case(
        "tic-tac-toe", holders=held("second", OPPONENT), plan={"opponent": "random", "seats": "second"}
    ),
    "moving first": Case("tic-tac-toe", holders=held("first", OPPONENT), plan={"opponent": "random", "seats": "first"}),
    "twins": Case("tic-tac-toe", holders=held("alternate", TWIN), plan={"opponent": "twin"}),
    "twins by role": Case(
        "tic-tac-toe", "tables=roles", Options(by_role=True), held("alternate", TWIN), plan={"opponent": "twin"}
    ),
    "indexed": Case("tapnswap", games=60),
    "mover": Case("tapnswap", "tables=mover", Options(seen=lambda pos: pos._replace(turn=0)), games=60),
    "roles, seated": Case("tapnswap", "tables=roles", Options(by_role=True), games=60),
    "players alike": Case("tapnswap", "symmetry=true", Options(symmetry=True), games=60),
    "cut": Case("tapnswap", "epsilon=0.5", Options(lambda games, lost: 0.5), games=60, plan={"cap": 20}),
    "extra turns": Case(MANCALA, "epsilon=0.5", Options(lambda games, lost: 0.5)),
    "margin": Case(
        MANCALA, "epsilon=0.5, margin=true, symmetry=true", Options(lambda games, lost: 0.5, margin=True, symmetry=True)
    ),
    "chance": Case(PIG, "gamma=0.9", Options(gamma=0.9)),
    "chance, explored": Case(
        PIG,
        "random_plies=6, tables=roles",
        Options(random_plies=6, by_role=True),
        held("alternate", TWIN),
        plan={"opponent": "twin"},
    ),
    "backward": Case("tic-tac-toe", "backward=true, gamma=0.9", Options(gamma=0.9, backward=True)),
    "backward, cut": Case(
        "tapnswap",
        "backward=true, symmetry=true, random_plies=5, max_over=all",
        Options(over_all=True, symmetry=True, random_plies=5, backward=True),
        held("alternate", TWIN),
        games=60,
        plan={"opponent": "twin", "cap": 20},
    ),
    "backward, extra turns": Case(
        MANCALA, "backward=true, epsilon=0.5", Options(lambda games, lost: 0.5, backward=True)
    ),
    "backward, chance": Case(PIG, "backward=true, alpha=0.3", Options(alpha=lambda times: 0.3, backward=True)),
    "unlike roles": Case(FOX, "tables=roles, epsilon=0.5", Options(lambda games, lost: 0.5, by_role=True)),
    "full index": Case(FOX, "epsilon=0.5", Options(lambda games, lost: 0.5)),
    "fox against random": Case(
        FOX, "tables=roles", Options(by_role=True), held("alternate", OPPONENT), plan={"opponent": "random"}
    ),
}


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_naive_twin_with_the_same_random_draws_learns_the_same_numbers(case):
    training = trained(case.game, f"q-table({case.learner})", games=case.games, **case.plan)
    naive = NaiveTrainer(training.game, case.options, seed=case.plan.get("seed", 0), cap=case.plan.get("cap", 0))
    naive.play(case.games, case.holders)
    assert_same(training, naive)
    if TWIN in case.holders[0]:
        assert learned(training, 1) == naive.learned(TWIN)


def assert_same(training, naive):
    episode = training.trainer.episode
    assert learned(training) == naive.learned()
    assert (training.games, training.trainer.plies) == (naive.games, naive.plies)
    assert episode.results.tolist() == naive.results
    assert episode.lost.tolist() == naive.lost


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("game", ["tic-tac-toe", PIG], ids=["tic-tac-toe", "pig"])
def test_an_opponent_plays_as_it_is_asked_to_also_where_chance_has_a_part(game):
    training = trained(game, games=60, opponent="first")
    naive = NaiveTrainer(training.game, Options(), opponent=first_legal)
    naive.play(60, held("alternate", OPPONENT))
    assert_same(training, naive)


@pytest.mark.usefixtures("plain")
def test_extra_rewards_are_learned_as_the_naive_twin_does():
    training = trained(TOADS, "q-table(shaping=1, epsilon=0.5)", games=60)
    naive = NaiveTrainer(training.game, Options(lambda games, lost: 0.5, shaped=True))
    naive.play(60, BOTH)
    assert_same(training, naive)
    unshaped = trained(TOADS, "q-table(epsilon=0.5)", games=60)
    assert learned(training) != learned(unshaped)


@pytest.mark.usefixtures("plain")
def test_opponents_that_follow_one_another_teach_as_the_naive_twin_does():
    training = trained("tic-tac-toe", games=50, opponent="random:11,twin:20,self", eval_every=7)
    naive = NaiveTrainer(training.game, Options())
    naive.play(11, held("alternate", OPPONENT))
    naive.play(20, held("alternate", TWIN))
    naive.play(19, BOTH)
    assert_same(training, naive)
    assert [line["games"] for line in training.lines] == [7, 14, 21, 28, 35, 42, 49, 50]


class Stubborn:
    """A plain opponent that likes the higher of its actions twice as much as any other."""

    def policy(self, game, pos, out):
        out[actions(game.legal(pos))] = 1.0
        out[actions(game.legal(pos))[-1]] = 2.0


def drawn_from_stubborn(game, pos, stream):
    legal = actions(game.legal(pos))
    point = uniform(stream) * (len(legal) + 1.0)
    return legal[min(int(point), len(legal) - 1)]


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("patience", [0.0, 60.0])
@pytest.mark.parametrize("room", [2, 1024])
def test_a_plain_opponent_chooses_once_a_turn_even_as_the_table_grows(monkeypatch, patience, room):
    monkeypatch.setattr(catalog, "make_agent", lambda name: Stubborn())
    monkeypatch.setattr(episodes, "_PATIENCE", patience)
    monkeypatch.setattr(tabular, "_FIRST_ROOM", room)
    training = trained("tic-tac-toe", games=60, opponent="stubborn")
    naive = NaiveTrainer(training.game, Options(), opponent=drawn_from_stubborn)
    naive.play(60, held("alternate", OPPONENT))
    assert_same(training, naive)


# ---- in pieces ----


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("plies", [1, 7])
@pytest.mark.parametrize(
    ("game", "learner", "plan"),
    [
        ("tic-tac-toe", "q-table(random_plies=2)", {"opponent": "random:20,twin"}),
        (PIG, "q-table(tables=roles)", {}),
        (FOX, "q-table(epsilon=0.5..0@results)", {"cap": 5}),
    ],
    ids=["tic-tac-toe", "pig", "fox-and-hounds"],
)
def test_the_same_seed_gives_the_same_bytes_whatever_the_chunk_size(monkeypatch, plies, game, learner, plan):
    whole = trained(game, learner, games=40, **plan)
    monkeypatch.setattr(episodes, "_PLIES", plies)
    assert all_bytes(trained(game, learner, games=40, **plan)) == all_bytes(whole)


@pytest.mark.usefixtures("plain")
def test_measuring_more_often_changes_nothing_in_what_is_learned():
    assert all_bytes(trained("tic-tac-toe", games=40, eval_every=3)) == all_bytes(trained("tic-tac-toe", games=40))


@pytest.mark.usefixtures("plain")
def test_another_seed_gives_another_table():
    assert all_bytes(trained("tic-tac-toe", games=40, seed=1)) != all_bytes(trained("tic-tac-toe", games=40))


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("learner", ["q-table", "q-table(tables=roles)", "q-table(symmetry=true)"])
def test_a_table_that_grows_from_nothing_holds_the_same_as_one_with_room(monkeypatch, learner):
    whole = trained("tic-tac-toe", learner, games=60, opponent="twin")
    monkeypatch.setattr(tabular, "_FIRST_ROOM", 1)
    grown = trained("tic-tac-toe", learner, games=60, opponent="twin")
    assert grown.trainer.store.entries.room < whole.trainer.store.entries.room
    assert all_bytes(grown) == all_bytes(whole)


@pytest.mark.slow
def test_a_table_grows_in_compiled_code_too():
    training = trained("tic-tac-toe", "q-table(epsilon=0.5)", games=3000)
    assert training.trainer.metrics()["visited"][0] > 2048
    naive = NaiveTrainer(training.game, Options(lambda games, lost: 0.5))
    naive.play(3000, BOTH)
    assert_same(training, naive)
