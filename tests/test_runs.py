"""Runs: the files of a training, its use as an agent, and how damage is reported."""

import json
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
from conftest import TESTS
from trained import NIM, contents, finished, new_run, stubborn

import ludus
from ludus.arena.match import play_match
from ludus.catalog import make_agent, make_game, make_learner
from ludus.errors import LudusError
from ludus.learning import runs
from ludus.learning.loop import episodes
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.runs import AGENT, CHECKPOINT, METRICS, TIMES, read_run, resume, train
from ludus.learning.runs.files import MANIFEST, SNAPSHOTS, read_arrays, write_arrays
from ludus.learning.runs.history import list_runs


@pytest.fixture(autouse=True)
def plain(monkeypatch, tmp_path):
    """Kernels run as plain Python, in small pieces, and nothing is kept outside the test's own folder."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(episodes, "_PLIES", 7)
    monkeypatch.setattr(episodes, "_PATIENCE", 0.0)


def one_line(error):
    assert "\n" not in str(error.value)
    return str(error.value)


# ---- what a run holds ----


def test_a_run_is_a_folder_with_its_settings_and_its_results(tmp_path):
    run = finished(tmp_path / "run", "q-table(gamma=0.9)", seed=5)
    assert sorted(path.name for path in run.path.iterdir()) == sorted(
        [MANIFEST, METRICS, TIMES, CHECKPOINT, AGENT, SNAPSHOTS]
    )
    manifest = json.loads((run.path / MANIFEST).read_text())
    assert manifest["game"] == NIM
    assert (manifest["learner"]["name"], manifest["learner"]["gamma"], manifest["learner"]["alpha"]) == (
        "q-table",
        "0.9",
        "1/n",
    )
    assert [manifest["plan"][key] for key in ("seed", "games", "opponent")] == ["5", "20", "self"]
    assert set(manifest["versions"]) == {"ludus", "python", "numpy", "numba"}
    assert [line["games"] for line in run.metrics()] == [6, 12, 18, 20]
    assert set(run.metrics()[0]) >= {"games", "plies", "visited", "against", "grade"}
    assert sum(run.metrics()[0]["against"]["random"]["first"].values()) == 1  # of two games, one in each seat
    assert [session.games for session in run.times().sessions] == [(0, 20)]


def test_a_run_is_read_back_as_it_was_made(tmp_path):
    run = new_run(
        tmp_path / "run",
        "q-table(epsilon=0.123456789..0.05@700, alpha=1/n^0.7654321, gamma=0.1234567890123, win=2)",
        opponent="random:5,perfect(skill=0.5):4,self",
    )
    assert read_run(run.path) == run


def test_training_by_names_makes_a_run_under_the_first_free_number_in_the_users_folder(tmp_path):
    lines = []
    settings = {"games": 4, "eval_every": 2, "eval_games": 2, "opponent": "random:2,self", "grade": "no"}
    made = [ludus.train(NIM, "q-table(ties=first)", on_evaluation=lines.append, **settings) for _ in range(2)]
    assert [run.path.parent for run in made] == [tmp_path / "home" / "runs"] * 2
    assert [run.name[-2:] for run in made] == ["-1", "-2"]
    assert lines == made[0].metrics() + made[1].metrics()
    assert contents(made[0]) == contents(made[1])
    assert [each.run for each in list_runs()] == made


def test_a_setting_that_no_plan_has_is_refused(tmp_path):
    with pytest.raises(LudusError) as error:
        ludus.train(NIM, "q-table", out=tmp_path / "run", gamse=5)
    assert one_line(error).startswith("q-table has no setting gamse; it has: epsilon, ")
    assert "and every training: games, opponent, " in one_line(error)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"games": 0}, "games must be 1 or more, not 0"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"opponent": "random,self"}, "only the last opponent may go without a number of games"),
        ({"opponent": "random:0"}, "write AGENT or AGENT:GAMES"),
        ({"opponent": ""}, "write self, twin or an agent"),
    ],
)
def test_a_plan_out_of_range_says_what_is_allowed(tmp_path, settings, message):
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "run", **settings)
    assert message in one_line(error)


def test_a_folder_that_holds_a_run_or_anything_else_is_left_alone(tmp_path):
    new_run(tmp_path / "run")
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "run")
    assert "holds a run already: resume it by --resume" in one_line(error)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "diary.txt").write_text("dear")
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "other")
    assert "is no empty folder" in one_line(error)


# ---- opponents ----


@pytest.mark.parametrize(
    "opponent", ["mcts(sims=4)", "minimax(depth=1)", "perfect", "STUBBORN", "smart-random:3,twin:4,STUBBORN"]
)
def test_any_agent_can_be_the_opponent_and_pieces_make_no_difference(tmp_path, monkeypatch, opponent):
    opponent = opponent.replace("STUBBORN", stubborn(tmp_path))
    pieces = finished(tmp_path / "pieces", opponent=opponent, eval_against="none")
    monkeypatch.setattr(episodes, "_PLIES", 1 << 19)
    monkeypatch.setattr(episodes, "_PATIENCE", 0.0)
    assert contents(finished(tmp_path / "whole", opponent=opponent, eval_against="none")) == contents(pieces)


def test_the_opponent_schedule_is_followed(tmp_path, monkeypatch):
    asked = []
    against = Training._against
    monkeypatch.setattr(Training, "meet_opponents", lambda self: None)
    monkeypatch.setattr(
        Training, "_against", lambda self, name, end: asked.append((self.games, name)) or against(self, name, end)
    )
    finished(tmp_path / "run", opponent="random:3,first:4,self", eval_against="none", games=10)
    assert {name for games, name in asked if games < 3} == {"random"}
    assert {name for games, name in asked if 3 <= games < 7} == {"first"}
    assert {name for games, name in asked if games >= 7} == {"self"}


BOT = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"action": json.loads(line)["legal"][0]}), flush=True)
"""


def test_an_outside_program_teaches_like_the_agent_that_does_the_same(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(BOT)
    taught = finished(tmp_path / "by-program", opponent=f"cmd:{sys.executable} {bot}", eval_against="none")
    assert taught.metrics() == finished(tmp_path / "by-agent", opponent="first", eval_against="none").metrics()


def test_two_trainings_at_once_have_folders_of_their_own():
    game, learner = make_game("tic-tac-toe"), make_learner("q-table")
    assert runs.new_path(game, learner) != runs.new_path(game, learner)


def test_more_games_for_a_damaged_run_leave_its_agent(tmp_path):
    run = finished(tmp_path / "run")
    (run.path / "checkpoint.safetensors").write_bytes(b"damaged")
    with pytest.raises(LudusError, match=r"checkpoint\.safetensors is damaged"):
        runs.extend(run, run.plan.games + 1)
    assert run.agent()


def test_a_file_of_another_run_is_refused(tmp_path):
    run = finished(tmp_path / "run")
    shutil.copy(run.path / "agent.safetensors", run.path / "checkpoint.safetensors")
    (run.path / "agent.safetensors").unlink()
    with pytest.raises(LudusError, match=r"checkpoint\.safetensors is not of this run"):
        runs.resume(run)


def test_a_run_from_before_a_setting_was_added_is_the_same_agent(tmp_path):
    run = finished(tmp_path / "run")
    before = run.digest()
    arrays, notes = read_arrays(run.path / AGENT)
    del notes.learner["epsilon_second"]
    write_arrays(run.path / AGENT, arrays, notes)
    assert run.digest() == before


def test_a_run_of_a_game_in_a_file_is_read_from_anywhere(tmp_path, monkeypatch):
    shutil.copy(TESTS / "user_games" / "nim.py", tmp_path / "nim.py")
    monkeypatch.chdir(tmp_path)
    train("nim.py", "q-table", out="run", games=5, eval_games=2)
    monkeypatch.chdir(tmp_path.parent)
    assert runs.find_run(str(tmp_path / "run")).metrics()


def test_stopping_at_a_perfect_grade_needs_a_grade(tmp_path):
    with pytest.raises(LudusError, match="not graded"):
        finished(tmp_path / "run", stop="true", grade="no")


def test_a_run_can_teach_another_run(tmp_path):
    teacher = finished(tmp_path / "teacher")
    pupil = finished(tmp_path / "pupil", opponent=str(teacher.path), eval_against=str(teacher.path))
    assert set(pupil.metrics()[-1]["against"]) == {str(teacher.path)}


def test_training_stops_early_when_every_decision_is_optimal(tmp_path):
    run = finished(
        tmp_path / "run", "q-table(epsilon=0.5)", games=5000, eval_every=50, stop="true", eval_against="none"
    )
    last = run.metrics()[-1]
    assert last["grade"]["optimal"] == last["grade"]["decisions"]
    assert last["games"] < 5000
    assert run.is_finished


# ---- as an agent ----


def test_a_run_is_an_agent_wherever_one_is_expected(tmp_path, monkeypatch):
    run = finished(tmp_path / "home" / "runs" / "champion", games=200, eval_every=200, eval_against="none")
    game = make_game(NIM)
    for written in (str(run.path), "champion"):
        agent = make_agent(written)
        assert str(agent) == ludus.catalog.name_of(agent) == "champion"
        assert play_match(game, agent, make_agent("random"), 10, seed=1).all.a_wins > 0
        assert ludus.grade(agent, game).all.decisions == run.metrics()[-1]["grade"]["decisions"]
        assert agent.visits(game, game.start()) > 0
        assert set(agent.evaluation(game, game.start())) == {0, 7, 8, 14}
    monkeypatch.chdir(run.path.parent)
    assert make_agent("./champion").run.path == Path("champion")


def test_an_unfinished_run_is_the_agent_of_its_last_checkpoint(tmp_path):
    run = new_run(tmp_path / "run", opponent="twin")
    with pytest.raises(LudusError) as error:
        make_agent(str(run.path))
    assert "has learned nothing yet: ludus train --resume " in one_line(error)
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
    assert not run.is_finished
    assert run.parameters()[1] == read_arrays(run.path / CHECKPOINT)[1].games
    assert make_agent(str(run.path)).visits(run.game, run.game.start()) > 0


def test_a_run_plays_only_the_game_that_it_was_trained_on(tmp_path):
    run = finished(tmp_path / "run", games=3)
    other = make_game(NIM.replace("c=1", "c=2"))
    with pytest.raises(LudusError) as error:
        play_match(other, make_agent(str(run.path)), make_agent("random"), 2)
    assert "run was trained on " in one_line(error)
    assert "c=1); it cannot play " in one_line(error)


def test_a_long_name_of_an_agent_is_refused_in_one_line():
    with pytest.raises(LudusError) as error:
        make_agent("x" * 5000)
    assert one_line(error)


def test_moving_or_renaming_a_run_breaks_nothing(tmp_path, monkeypatch):
    run = new_run(tmp_path / "run", opponent="twin")
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(progress=lambda training: signal.raise_signal(signal.SIGINT)))
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(run.path, tmp_path / "elsewhere" / "renamed")
    monkeypatch.chdir(moved)
    run = read_run(Path())
    resume(run)
    assert (run.name, str(make_agent(str(moved)))) == ("renamed", "renamed")
    assert contents(run) == contents(finished(tmp_path / "whole", opponent="twin"))


# ---- damage ----


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    return content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]


@pytest.mark.parametrize("damage", [cut, flipped, lambda content: b"", lambda content: b"\xff" * 40])
@pytest.mark.parametrize("name", [CHECKPOINT, AGENT])
def test_damaged_arrays_are_named(tmp_path, name, damage):
    run = finished(tmp_path / "run", games=6)
    if name == CHECKPOINT:
        (run.path / AGENT).unlink()
    path = run.path / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LudusError) as error:
        make_agent(str(run.path))
    assert one_line(error).startswith(f"{path} is damaged: ")
    if name == CHECKPOINT:
        with pytest.raises(LudusError, match=re.escape(f"{path} is damaged: ")):
            resume(run)


def noticed(path):
    try:
        read_arrays(path)
    except LudusError as error:
        return str(error).startswith(f"{path} is damaged: ")
    return False


def as_lists(path):
    arrays, notes = read_arrays(path)
    return {name: (array.dtype, array.tolist()) for name, array in arrays.items()}, notes


def test_no_flipped_bit_of_stored_arrays_goes_unnoticed(tmp_path):
    path = tmp_path / "some.safetensors"
    write_arrays(path, *read_arrays(finished(tmp_path / "run", games=1, eval_every=1).path / AGENT))
    whole = path.read_bytes()
    before = as_lists(path)
    for place in range(0, len(whole), 5):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        assert noticed(path) or as_lists(path) == before  # where a bit is of no importance


@pytest.mark.parametrize("content", [b"{\n", b"\xff\n", b'{"games": 6}\n{"ga'])
def test_damaged_metrics_are_written_again_when_resumed(tmp_path, content):
    run = new_run(tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        resume(run, Watcher(line=lambda line: signal.raise_signal(signal.SIGINT)))
    (run.path / METRICS).write_bytes(content)
    assert [line["games"] for line in run.metrics()] == [6]
    resume(run)
    assert contents(run) == contents(finished(tmp_path / "whole"))


@pytest.mark.parametrize("trained", [resume, lambda run: runs.extend(run, 30)])
def test_a_run_whose_checkpoint_is_gone_does_not_start_again(tmp_path, trained):
    run = finished(tmp_path / "run")
    for name in (AGENT, CHECKPOINT):
        (run.path / name).unlink()
    with pytest.raises(LudusError) as error:
        trained(run)
    assert one_line(error) == f"{run.path / CHECKPOINT} is missing: there is {METRICS}, but nothing to resume from"


def test_a_finished_run_needs_no_checkpoint_but_for_more_games(tmp_path):
    run = finished(tmp_path / "run")
    (run.path / CHECKPOINT).unlink()
    before = (run.path / AGENT).read_bytes()
    resume(run)
    with pytest.raises(LudusError, match=f"{CHECKPOINT} is missing: there is {AGENT}"):
        runs.extend(run, 30)
    assert (run.path / AGENT).read_bytes() == before
    assert not (run.path / CHECKPOINT).exists()


def test_metrics_of_a_finished_run_are_written_again_from_its_checkpoint(tmp_path):
    run = finished(tmp_path / "run")
    before = contents(run)
    (run.path / METRICS).unlink()
    resume(run)
    assert contents(run) == before


def test_a_run_on_other_rules_is_refused(tmp_path):
    source = (TESTS / "user_games" / "nim.py").read_text()
    rules = tmp_path / "rules.py"
    rules.write_text(source)
    run = finished(tmp_path / "run", game=f"{rules}(a=1, b=1, c=1)", games=2)
    rules.write_text(source.replace("return -last if", "return last if"))  # another text, the same rules
    assert read_run(run.path).name == "run"
    rules.write_text(source.replace("last = 1 if pos.turn == 1 else -1", "last = 1 if pos.turn == 0 else -1"))
    with pytest.raises(LudusError) as error:
        make_agent(str(run.path))
    assert "was trained on other rules than " in one_line(error)


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LudusError) as error:
        new_run(tmp_path / "file" / "run")
    assert "cannot be made" in one_line(error)
