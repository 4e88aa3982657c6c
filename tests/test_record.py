"""Records: written, read back, replayed, and refused when they do not fit the rules."""

import io
import json

import pytest
from conftest import TESTS

import ludus as package
from ludus.agents.simple import First, Random
from ludus.arena.match import play_match
from ludus.arena.record import from_result, read, write


class Opinionated:
    """Plays the lowest action and thinks that higher ones are worth more."""

    def policy(self, game, pos, out):
        out[package.actions(game.legal(pos))[0]] = 1

    def opinion(self, game, pos):
        return {action: action / 10 for action in package.actions(game.legal(pos))}

    def __str__(self):
        return "opinionated"


@pytest.fixture
def recorded(tmp_path):
    """Record some games of a match; the path of the file."""

    def make(name, *agents, games=4, **settings):
        game, path = package.make_game(name), tmp_path / "games.jsonl"
        with path.open("w") as file:
            play_match(
                game, *agents, games, record=lambda r: write(from_result(game, agents, 3, r), file), seed=3, **settings
            )
        return path

    return make


@pytest.mark.parametrize(
    "name", ["tic-tac-toe", "mancala(holes=2, stones=2)", "toads-and-frogs", "fox-and-hounds(size=4)"]
)
def test_records_read_back(recorded, name):
    path = recorded(name, Random(), First())
    records = list(read(path))
    assert len(records) == 4
    again = io.StringIO()
    for record in records:
        write(record, again)
    assert again.getvalue() == path.read_text()


def test_agents_are_named_by_seat(recorded):
    agents = [record.agents for record in read(recorded("tic-tac-toe", Random(), First()))]
    assert agents == [("random", "first"), ("first", "random")] * 2


def test_a_record_holds_what_the_documentation_says(recorded):
    line = json.loads(recorded("tic-tac-toe", Random(), Opinionated(), games=1).read_text().splitlines()[0])
    documented = (TESTS.parent / "docs" / "records.md").read_text()
    assert all(f"`{key}`" in documented for key in line)


def test_opinions_are_recorded_for_the_agents_that_have_them(recorded):
    record = next(read(recorded("tic-tac-toe", Opinionated(), Random(), games=1)))
    assert len(record.opinions) == len(record.actions)
    assert record.opinions[0] == {str(action): action / 10 for action in range(9)}
    assert record.opinions[1] is None


def test_a_cut_game_has_no_score(recorded):
    assert [record.score for record in read(recorded("chung-toi", Random(), Random(), cap=3))] == [None] * 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"actions": [0, 0]}, "action 0 at ply 2 is not legal"),
        ({"score": 5}, "the score 5 is not what the actions lead to"),
        ({"game": "nim"}, "no game is called 'nim'"),
        ({"start": "X"}, "a position is written like"),
        ({"fingerprint": "0" * 16}, "the rules of tic-tac-toe have changed"),
        ({"ludus": 7}, "no record of a game"),
        ({"actions": None}, "line 1"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(recorded, change, words):
    path = recorded("tic-tac-toe", Random(), First(), games=1)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(package.LudusError) as error:
        list(read(path))
    assert words in str(error.value)
    assert "line 1" in str(error.value)


def test_what_is_no_record_at_all_is_refused(tmp_path):
    (tmp_path / "x").write_text("hello\n")
    with pytest.raises(package.LudusError, match="line 1"):
        list(read(tmp_path / "x"))
    with pytest.raises(package.LudusError, match="cannot be read"):
        list(read(tmp_path / "missing"))


def test_the_command_line_records_and_replays(ludus, tmp_path):
    path = str(tmp_path / "games.jsonl")
    done = ludus("match", "tic-tac-toe", "first", "last", "--games", "2", "--record", path, "--json")
    document = json.loads(done.stdout)
    assert set(document) >= {"game", "a", "b", "games", "a_wins", "b_wins", "draws", "first", "second", "mean_score"}
    shown = ludus("replay", path, "--game", "2").stdout
    assert "last against first" in shown
    assert "1. Crosses (last) plays c1" in shown
    assert "X" in shown
    positions = json.loads(ludus("replay", path, "--json").stdout)["positions"]
    assert positions[0] == ".../.../..."
    assert "there is no game 3" in ludus("replay", path, "--game", "3").stderr
