"""`ludus runs` through its real entry point: the list, the comparison, the curves and the figures."""

import json
import shutil

import pytest

from ludus.catalog import make_game, make_learner
from ludus.learning.loop.plan import Plan
from ludus.learning.runs import create, train
from ludus.learning.runs.files import read_arrays, write_arrays

GAME = "mancala(holes=2, stones=2)"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A home with three finished runs and one that has not begun."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        settings = {"games": 60, "eval_every": 20, "eval_games": 10}
        train(GAME, "q-table(epsilon=0.5)", out=home / "runs" / "bold", eval_against="random,first", **settings)
        train(GAME, "q-table(gamma=0.5)", out=home / "runs" / "calm", **settings)
        train(GAME, "move-weights", out=home / "runs" / "heavy", **settings)
        create(make_game(GAME), make_learner("q-table"), Plan(), home / "runs" / "idle")
    return home


@pytest.fixture
def home(trained, tmp_path):
    """A copy of it to do damage to."""
    return shutil.copytree(trained, tmp_path / "home")


@pytest.fixture
def runs(ludus, home):
    """Run `ludus runs` over that home: what it prints."""

    def run(*arguments):
        done = ludus("runs", *arguments, LUDUS_HOME=str(home), NUMBA_DISABLE_JIT="1")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


@pytest.fixture
def complaint(ludus, home):
    """Run `ludus runs` with what it must refuse: what it says."""

    def run(*arguments):
        done = ludus("runs", *arguments, LUDUS_HOME=str(home), NUMBA_DISABLE_JIT="1")
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    return run


# ---- the list ----


def test_the_list_shows_each_run_its_progress_and_its_grade(runs):
    listed = {run["run"]: run for run in json.loads(runs("--json"))}
    assert list(listed) == ["bold", "calm", "heavy", "idle"]
    bold = {key: listed["bold"][key] for key in ("game", "learner", "games", "planned", "finished")}
    assert bold == {"game": GAME, "learner": "q-table(epsilon=0.5)", "games": 60, "planned": 60, "finished": True}
    assert listed["bold"]["last"]["games"] == 60
    assert (listed["idle"]["games"], listed["idle"]["finished"], listed["idle"]["last"]) == (0, False, None)


def test_the_list_fits_eighty_columns_and_names_the_grade_and_the_first_opponent(runs):
    printed = runs()
    assert max(map(len, printed.splitlines())) <= 80
    words = " ".join(printed.split())
    assert "60 games, finished" in words
    assert "0 of 10,000 games, not finished not evaluated yet" in words
    assert "accuracy" in words
    assert "guaranteed result" in words
    assert "against random" in words
    assert "against first" not in words


def test_without_runs_the_list_says_how_to_make_one(ludus, tmp_path):
    done = ludus("runs", LUDUS_HOME=str(tmp_path))
    assert done.stdout == "There are no runs yet: ludus train tapnswap q-table\n"


def test_a_run_whose_manifest_is_a_broken_link_is_listed_as_damaged(runs, home):
    manifest = home / "runs" / "bold" / "run.json"
    manifest.unlink()
    manifest.symlink_to("run.json")
    listed = {run["run"]: run for run in json.loads(runs("--json"))}
    assert "cannot be read" in listed["bold"]["damaged"]


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("run.json", "{", "run.json is damaged"),
        ("run.json", '{"ludus": 3}', "run.json is damaged: its checksum is wrong"),
        ("run.json", "{}", "run.json is damaged, or no such file of Ludus: it has no version"),
        ("run.json", '{"ludus": 2, "digest": ""}', "run.json cannot be used: it was written by another version"),
        ("agent.safetensors", "{", "agent.safetensors is damaged: it has no header"),
    ],
)
def test_a_damaged_run_is_a_line_of_the_list_that_says_what_is_damaged(runs, home, file, text, problem):
    (home / "runs" / "bold" / file).write_text(text)
    listed = {run["run"]: run for run in json.loads(runs("--json"))}
    assert problem in listed["bold"]["damaged"]
    assert listed["calm"]["games"] == 60


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"games": 20}, "metrics.0.plies: Field required"),
        ({"against": 3}, "metrics.0.against: Input should be an object"),
        ({"games": True}, "metrics.0.games: Input should be a valid integer"),
        ({"error": {"plies": []}}, "metrics.0.error.result: Field required"),
        ({"grade": {"decisions": -1}}, "metrics.0.grade.decisions: Input should be greater than or equal to 0"),
    ],
)
def test_metrics_of_another_form_are_refused_whatever_their_checksum(runs, home, line, problem):
    file = home / "runs" / "bold" / "agent.safetensors"
    arrays, notes = read_arrays(file)
    whole = line if len(line) == 1 and "games" in line and line["games"] == 20 else notes.metrics[0] | line
    write_arrays(file, arrays, notes._replace(metrics=[whole]))
    assert problem in {run["run"]: run for run in json.loads(runs("--json"))}["bold"]["damaged"]


def test_metrics_with_columns_of_unlike_length_are_refused(runs, home):
    file = home / "runs" / "bold" / "agent.safetensors"
    arrays, notes = read_arrays(file)
    notes.metrics[-1]["error"]["plies"].pop()
    write_arrays(file, arrays, notes)
    assert "columns of unlike length" in {run["run"]: run for run in json.loads(runs("--json"))}["bold"]["damaged"]


def test_the_copy_of_the_metrics_for_other_programs_is_not_read(runs, home):
    before = runs()
    (home / "runs" / "bold" / "metrics.jsonl").write_text("{")
    assert runs() == before


def test_people_see_damage_in_the_list_too(runs, home):
    (home / "runs" / "bold" / "agent.safetensors").write_text("{")
    words = " ".join(runs().split())
    assert "agent.safetensors is damaged" in words
    assert "calm" in words


# ---- the comparison ----


def test_a_comparison_names_the_settings_that_differ_and_no_others(runs):
    found = json.loads(runs("bold", "calm", "--json"))
    assert found["differ"] == ["eval_against", "q-table epsilon", "q-table gamma"]
    assert [run["settings"]["q-table gamma"] for run in found["runs"]] == ["1.0", "0.5"]
    assert [line["games"] for line in found["runs"][0]["metrics"]] == [20, 40, 60]


def test_settings_of_unlike_learners_are_not_compared(runs):
    assert json.loads(runs("calm", "heavy", "--json"))["differ"] == ["learner"]


def test_a_comparison_shows_last_measures_and_a_chart_for_each_thing_measured(runs):
    printed = runs("bold", "calm")
    assert max(map(len, printed.splitlines())) <= 80
    for words in (
        "games played",
        "guaranteed result",
        "wins against random",
        "wins against first",
        "optimal decisions",
    ):
        assert words in printed
    assert printed.count("100%┤") == 3


def test_one_run_has_all_its_curves_in_one_chart_distinguished_by_digits(runs):
    printed = runs("bold")
    assert printed.count("100%┤") == 1
    assert "1 wins against random" in printed
    assert "3 optimal decisions" in printed


def test_a_run_without_evaluations_can_be_compared(runs):
    assert "0 of 10,000 games" in " ".join(runs("idle").split())


def test_runs_of_one_name_are_distinguished_by_their_folders(runs, home, tmp_path):
    other = shutil.copytree(home / "runs" / "bold", tmp_path / "elsewhere" / "bold")
    found = json.loads(runs("bold", str(other), "--json"))
    assert [run["run"] for run in found["runs"]] == [str(home / "runs" / "bold"), str(other)]


def test_an_unknown_run_is_refused(complaint):
    assert complaint("nobody") == "ludus: there is no run nobody; ludus runs lists them\n"


# ---- figures ----


def test_the_figure_is_a_page_of_its_own_with_all_curves(runs, tmp_path):
    runs("bold", "calm", "--figure", str(tmp_path / "curves.html"))
    page = (tmp_path / "curves.html").read_text()
    assert "<script src=" not in page
    assert "wins against first" in page
    assert page.count('"name": "bold"') == 3
    assert page.count('"name": "calm"') == 2


def test_the_figure_of_truth_maps_errors_by_games_and_plies(runs, tmp_path):
    runs("calm", "--truth", str(tmp_path / "truth.html"))
    page = (tmp_path / "truth.html").read_text()
    assert "actions that lead to a win: mean error" in page
    assert "actions that lead to a win: optimal decisions" in page
    assert '"y": ["20", "40", "60"]' in page


def test_a_figure_without_runs_is_refused(complaint, tmp_path):
    assert "name the runs to draw" in complaint("--figure", str(tmp_path / "curves.html"))


def test_a_figure_of_nothing_measured_is_refused(complaint, tmp_path):
    assert "not evaluated yet" in complaint("idle", "--figure", str(tmp_path / "curves.html"))


def test_a_figure_that_cannot_be_written_is_reported_in_one_line(complaint, tmp_path):
    said = complaint("bold", "--figure", str(tmp_path / "no" / "curves.html"))
    assert said == f"ludus: {tmp_path}/no/curves.html cannot be written: No such file or directory\n"


def test_truth_over_training_is_of_one_run(complaint, tmp_path):
    assert "--truth is of one run, not of 2" in complaint("bold", "calm", "--truth", str(tmp_path / "truth.html"))


def test_truth_over_training_of_a_run_without_errors_is_refused(complaint, tmp_path):
    assert "heavy recorded no errors" in complaint("heavy", "--truth", str(tmp_path / "truth.html"))
