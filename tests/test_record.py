"""Records: written, read back, replayed, and refused when they do not fit the rules."""

import json
import os
import subprocess
import sys

import pytest
from conftest import TESTS

import ludus as package
from ludus.agents.simple import First, Random
from ludus.arena.match import play_match
from ludus.arena.record import Recorder, from_results, open_records, read, write
from ludus.commands import replay

NIM = TESTS / "user_games" / "nim.py"


class Evaluationated:
    """Plays the lowest action and gives higher ones higher values."""

    def policy(self, game, pos, out):
        out[package.actions(game.legal(pos))[0]] = 1

    def evaluation(self, game, pos):
        return {action: action / 10 for action in package.actions(game.legal(pos))}

    def __str__(self):
        return "opinionated"


@pytest.fixture
def recorded(tmp_path):
    """Record some games of a match; the path of the file."""

    def make(name, *agents, games=4, **settings):
        game, path = package.make_game(name), tmp_path / "games.jsonl"
        with path.open("wb") as file:
            play_match(
                game,
                *agents,
                games,
                record=lambda r: write(from_results(game, agents, 3, [r])[0], file),
                seed=3,
                **settings,
            )
        return path

    return make


def unsealed(path):
    """The first record in a file without its checksum."""
    first = json.loads(path.read_text().splitlines()[0])
    return {key: value for key, value in first.items() if key != "digest"}


@pytest.mark.parametrize(
    "name", ["tic-tac-toe", "mancala(holes=2, stones=2)", "toads-and-frogs", "fox-and-hounds(size=4)"]
)
def test_records_read_back(recorded, name):
    path = recorded(name, Random(), First())
    records = list(read(path))
    assert len(records) == 4
    with open_records(path.with_name("again")) as again:
        for record in records:
            write(record, again)
    assert path.with_name("again").read_bytes() == path.read_bytes()


def test_agents_are_named_by_seat(recorded):
    agents = [record.agents for record in read(recorded("tic-tac-toe", Random(), First()))]
    assert agents == [("random", "first"), ("first", "random")] * 2


def test_a_record_holds_what_the_documentation_says(recorded):
    line = json.loads(recorded("tic-tac-toe", Random(), Evaluationated(), games=1).read_text().splitlines()[0])
    documented = (TESTS.parent / "docs" / "records.md").read_text()
    assert all(f"`{key}`" in documented for key in line)


def test_evaluations_are_recorded_for_the_agents_that_have_them(recorded):
    record = next(read(recorded("tic-tac-toe", Evaluationated(), Random(), games=1)))
    assert len(record.evaluations) == len(record.actions)
    assert record.evaluations[0] == {str(action): action / 10 for action in range(9)}
    assert record.evaluations[1] is None


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
        ({"actions": None}, '"actions" must be a list of whole numbers'),
        ({"actions": [float("inf")]}, '"actions" must be a list of whole numbers'),
        ({"actions": "x"}, '"actions" must be a list of whole numbers'),
        ({"actions": [1.5]}, '"actions" must be a list of whole numbers'),
        ({"actions": [True]}, '"actions" must be a list of whole numbers'),
        ({"actions": [-1]}, "action -1 at ply 1 is not legal"),
        ({"start": 5}, '"start" must be a text'),
        ({"agents": []}, '"agents" must be a list of two texts'),
        ({"agents": "ab"}, '"agents" must be a list of two texts'),
        ({"agents": ["a", "b", "c"]}, '"agents" must be a list of two texts'),
        ({"agents": [1, 2]}, '"agents" must be a list of two texts'),
        ({"evaluations": 5}, '"evaluations" must be a list'),
        ({"evaluations": [{"0": "a"}]}, '"evaluations" must be a list'),
        ({"evaluations": [{"0": 10**400}]}, '"evaluations" must be a list'),
        ({"actions": [0], "score": None, "evaluations": [{"x": 1}]}, '"evaluations" at ply 1 name an action'),
        ({"actions": [0], "score": None, "evaluations": []}, '"evaluations" are 0 for 1 actions'),
        ({"score": 1.0}, '"score" must be a whole number or null'),
        ({"seed": "x"}, '"seed" must be a whole number or null'),
        ({"number": "x"}, '"number" must be a whole number'),
        ({"number": None}, '"number" must be a whole number'),
        ({"game": 5}, '"game" must be a text'),
        ({"params": 5}, '"params" must be an object of texts'),
        ({"params": {"size": "9"}}, '"params" contradict the game tic-tac-toe'),
        ({"fingerprint": 5}, '"fingerprint" must be a text'),
        ({"game": "mancala(stones=4)"}, "contradict the game mancala"),
    ],
)
def test_a_record_that_does_not_fit_is_refused_with_its_line(recorded, change, words):
    path = recorded("tic-tac-toe", Random(), First(), games=1)
    path.write_text(json.dumps(unsealed(path) | change))
    with pytest.raises(package.LudusError) as error:
        list(read(path))
    assert words in str(error.value)
    assert str(error.value).startswith(f"{path}, line 1: ")
    assert "\n" not in str(error.value)


def test_a_record_of_another_program_needs_no_checksum_and_a_wrong_one_is_refused(recorded):
    path = recorded("tic-tac-toe", Random(), First(), games=1)
    line = json.loads(path.read_text())
    path.write_text(json.dumps(unsealed(path)))
    assert len(list(read(path))) == 1
    path.write_text(json.dumps(line | {"seed": 4}))
    with pytest.raises(package.LudusError, match="line 1: its checksum is wrong"):
        list(read(path))


def test_what_a_killed_process_left_of_a_line_makes_room_for_the_next(recorded):
    path = recorded("tic-tac-toe", Random(), First())
    whole = path.read_bytes()
    records = list(read(path))
    for cut in (1, 7, 12, 60):
        path.write_bytes(whole + whole[:cut])
        with open_records(path) as file:
            write(records[0], file)
        assert path.read_bytes() == whole + whole[: whole.index(b"\n") + 1]


def test_records_are_not_appended_to_anything_else(tmp_path):
    (tmp_path / "poem").write_text("no record\nat all")
    os.mkfifo(tmp_path / "pipe")
    for name, words in (("poem", "it ends with a line that is no record"), ("pipe", "it is no regular file")):
        with pytest.raises(package.LudusError, match=words):
            open_records(tmp_path / name)
    assert (tmp_path / "poem").read_text() == "no record\nat all"


def test_processes_that_append_at_the_same_time_write_whole_lines(recorded, tmp_path):
    path, out = recorded("tic-tac-toe", Random(), First()), tmp_path / "both"
    code = "import sys; from pathlib import Path; from ludus.arena.record import open_records, read, write\n"
    code += "found = list(read(Path(sys.argv[1])))\nwith open_records(Path(sys.argv[2])) as file:\n"
    code += "    [write(record, file) for record in 50 * found]"
    started = [subprocess.Popen([sys.executable, "-c", code, path, out]) for _ in range(2)]
    assert [process.wait() for process in started] == [0, 0]
    assert len(list(read(out))) == 2 * 50 * 4


def test_what_is_missing_is_named(recorded):
    path = recorded("tic-tac-toe", Random(), First(), games=1)
    line = unsealed(path)
    for key in line:
        path.write_text(json.dumps({name: value for name, value in line.items() if name != key}))
        if key in ("params", "fingerprint"):
            assert len(list(read(path))) == 1
        else:
            with pytest.raises(package.LudusError, match=f'line 1: .*"{key}"'):
                list(read(path))


def test_a_start_that_the_rules_cannot_bear_is_refused_with_its_line(recorded):
    path = recorded(str(NIM), Random(), First(), games=1)
    for start in ("-1,-1,-1,0", "99999,4,5,0", "3,4", "1,2,3,x"):
        path.write_text(json.dumps(unsealed(path) | {"start": start}))
        with pytest.raises(package.LudusError, match="line 1"):
            list(read(path, package.make_game(str(NIM))))


@pytest.mark.parametrize("name", ["./trap.py", "trap.py", "trap.py:Trap", "{folder}/trap.py(a=1)", "{folder}/trap"])
def test_reading_runs_no_file_that_a_record_names(recorded, tmp_path, monkeypatch, name):
    (tmp_path / "trap.py").write_text("raise SystemExit('ran')")
    monkeypatch.chdir(tmp_path)
    path = recorded("tic-tac-toe", Random(), First(), games=1)
    path.write_text(json.dumps(unsealed(path) | {"game": name.format(folder=tmp_path)}))
    with pytest.raises(package.LudusError, match=r"line 1: its game is a file.*ludus replay .* --with"):
        list(read(path))


def test_the_game_of_records_that_name_a_file_is_given(recorded, ludus):
    path = recorded(str(NIM), Random(), First(), games=2)
    assert len(list(read(path, package.make_game(str(NIM))))) == 2
    with pytest.raises(package.LudusError, match='line 1: "params" contradict'):
        list(read(path, package.make_game(f"{NIM}(a=2)")))
    line = unsealed(path) | {"fingerprint": "0" * 16}
    assert "Winner: " in ludus("replay", str(path), "--with", str(NIM)).stdout
    assert "--with" in ludus("replay", str(path)).stderr
    path.write_text(json.dumps(line))
    with pytest.raises(package.LudusError, match="have changed since"):
        list(read(path, package.make_game(str(NIM))))


def test_a_record_that_cannot_be_written_is_reported_in_one_line(ludus):
    done = ludus("match", "tic-tac-toe", "first", "last", "--games", "2", "--record", "/dev/full")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("ludus: /dev/full cannot be written: ")
    assert "Traceback" not in done.stderr


def test_a_replay_goes_where_it_is_sent():
    assert [replay._read(words, 3, 12) for words in ("", "b", "12", "0")] == [4, 2, 12, 0]
    for words in ("13", "\u00b2", "9" * 5000, "x"):
        with pytest.raises(package.LudusError, match="a number up to 12"):
            replay._read(words, 3, 12)


@pytest.mark.parametrize(
    ("score", "words"),
    [(1, "Winner: Crosses, score +1."), (-1, "Winner: Noughts, score -1."), (0, "A draw."), (None, "was cut")],
)
def test_a_replay_shows_how_the_game_ended(recorded, score, words):
    record = next(read(recorded("tic-tac-toe", Random(), First(), games=1)))
    assert words in replay._end(record._replace(score=score))


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


class Thoughtful:
    """Says at once what it thinks of many positions, and notes of how many."""

    def __init__(self):
        self.asked = []

    def policy(self, game, pos, out):
        out[package.actions(game.legal(pos))] = 1.0

    def evaluation(self, game, pos):
        return self.evaluations(game, [pos])[0]

    def evaluations(self, game, positions):
        self.asked.append(len(positions))
        return [{package.actions(game.legal(pos))[0]: float(sum(pos))} for pos in positions]


def test_an_agent_evaluates_the_positions_of_many_games_at_once(plain, tmp_path):
    game, agents = package.make_game("tic-tac-toe"), (Thoughtful(), Random())
    results = []
    play_match(game, *agents, 10, record=results.append)
    with (tmp_path / "together").open("wb") as file, Recorder(game, agents, 0, file) as recorder:
        for result in results:
            recorder.add(result)
    assert len(agents[0].asked) == 1
    with (tmp_path / "apart").open("wb") as file:
        for result in results:
            write(from_results(game, agents, 0, [result])[0], file)
    assert (tmp_path / "together").read_bytes() == (tmp_path / "apart").read_bytes()


def test_games_that_wait_to_be_recorded_are_written_when_a_match_is_stopped(plain, tmp_path):
    game, agents = package.make_game("tic-tac-toe"), (Thoughtful(), Random())

    def stop(result):
        recorder.add(result)
        if result.number == 2:
            raise KeyboardInterrupt

    with (
        (tmp_path / "file").open("wb") as file,
        pytest.raises(KeyboardInterrupt),
        Recorder(game, agents, 0, file) as recorder,
    ):
        play_match(game, *agents, 9, record=stop)
    assert len(list(read(tmp_path / "file"))) == 3
