"""Papers with one thing changed: one experiment, other settings, and a paper in a file."""

import json
import re

import pytest
from conftest import TESTS
from trained import NIM

from ludus.errors import LudusError
from ludus.report.document import Claimed, Curves, Document, Made, Result, Results, Section, Series, Table
from ludus.report.page import write_reports
from ludus.study.paper import Experiment, Paper, paper
from ludus.study.paper.changing import parse_changes, require_known, side_by_side
from ludus.study.paper.running import Kept, Order, run_papers
from ludus.study.paper.tasks import grading, training
from ludus.study.paper.verdict import accuracy, ends

PAGE = (TESTS.parent / "docs" / "tutorial-paper.md").read_text()
(SOURCE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def here(monkeypatch, plain):
    """Jobs in this process."""
    monkeypatch.setenv("NPROC", "1")


@pytest.fixture
def mine(tmp_path):
    """The paper of the tutorial, in its file."""
    path = tmp_path / "my_paper.py"
    path.write_text(SOURCE)
    return path


def trainings(lab):
    return [training(NIM, "q-table", seed, games=30, eval_every=10, eval_games=10) for seed in lab.seeds]


def learned(lab):
    found = yield {
        "trained": trainings(lab),
        "grades": [grading(one, NIM) for one in trainings(lab)],
        "other": training(NIM, "sarsa", 0, games=20, eval_every=20, eval_games=10),
    }
    values = ends(found["trained"], accuracy)
    other = [float(found["other"]["lines"][-1]["games"])]
    return [Results("one", [lab.result("optimal", None, values), lab.result("another", None, other)])]


def nothing(lab):
    yield {}
    return []


SMALL = Paper(
    *("small", "A paper", "Nobody", NIM, "q-table", "About."),
    (Experiment("1", "First", "They did it.", learned), Experiment("2", "Second", "They did nothing.", nothing)),
)


def order(folder, **rest):
    return Order("tiny", 2, folder, "local=1", **rest)


def table(document):
    (found,) = (part for section in document.sections for part in section.parts if isinstance(part, Table))
    return found


# ---- running ----


def test_a_setting_changed_to_what_it_was_gives_identical_numbers(here, tmp_path):
    (report,) = run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.1"}))
    (part,) = report.sections[0].parts
    assert isinstance(part, Results)


def test_a_changed_setting_stands_beside_the_paper_with_the_difference(here, tmp_path):
    (report,) = run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
    (first, second) = table(report).rows
    assert first[2] != first[3]
    assert re.fullmatch(r"[+-][0-9.]+% .*", first[4])
    assert second[-1] == "none"


def test_only_what_depends_on_a_change_is_done_anew(here, tmp_path):
    run_papers([SMALL], order(tmp_path))
    before = set((tmp_path / "done").iterdir())
    run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
    new = [json.loads(path.read_text())["task"] for path in set((tmp_path / "done").iterdir()) - before]
    assert len(new) == 4
    assert sum("grade on" in name for name in new) == 2
    assert sum("changed: epsilon 0.9" in name for name in new) == 4


def test_a_longer_training_is_evaluated_as_often(here, tmp_path):
    run_papers([SMALL], order(tmp_path, changes={"games": "60"}))
    lines = [(path / "metrics.jsonl").read_text().splitlines() for path in (tmp_path / "runs").iterdir()]
    trained = [[json.loads(line)["games"] for line in each] for each in lines]
    assert sorted(trained) == [*[[10, 20, 30]] * 2, [20], *[[20, 40, 60]] * 2]


def test_a_report_says_how_many_trainings_are_changed(here, tmp_path):
    (report,) = run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
    assert dict(report.made.facts)["changed"] == "epsilon 0.9, in 2 of 3 trainings"


def test_a_variant_has_a_report_of_its_own(here, tmp_path):
    documents = run_papers([SMALL], order(tmp_path))
    documents += run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
    write_reports(documents, tmp_path, [])
    assert {path.name for path in tmp_path.glob("*.html")} == {"index.html", "small.html", "small-epsilon-0-9.html"}
    index = (tmp_path / "index.html").read_text()
    assert "small.html" in index
    assert "small-epsilon-0-9.html" in index


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": "3"}, "seed cannot be changed: give --seeds"),
        ({"epsilon": "many"}, "epsilon: write 0.1"),
        ({"colour": "red"}, "q-table has no setting colour; it has: .*epsilon"),
    ],
)
def test_a_change_that_cannot_be_is_refused_before_anything_is_done(here, tmp_path, changes, words):
    with pytest.raises(LudusError, match=words):
        run_papers([SMALL], order(tmp_path, changes=changes))
    assert not list((tmp_path / "done").glob("*"))


def test_a_change_that_no_training_takes_is_refused(here, tmp_path):
    with pytest.raises(LudusError, match="no training of small that is run leaves it open"):
        run_papers([SMALL], order(tmp_path, only="2", changes={"epsilon": "0.9"}))


def test_one_experiment_runs_alone(here, tmp_path):
    (report,) = run_papers([SMALL], order(tmp_path, only="2"))
    assert [section.key for section in report.sections] == ["2"]
    assert report.name == "small-only-2"
    assert report.made.commands == ("ludus paper small --scale tiny --seeds 2 --only 2",)
    assert not list((tmp_path / "done").iterdir())


def test_an_unknown_experiment_lists_those_there_are(tmp_path):
    with pytest.raises(LudusError, match=r"small has no experiment '3'; there is: 1 \(First\); 2 \(Second\)"):
        run_papers([SMALL], order(tmp_path, only="3"))


@pytest.mark.parametrize("words", [["epsilon"], ["=3"], ["epsilon="], ["epsilon=1", "epsilon=2"]])
def test_a_setting_is_written_once_with_its_value(words):
    with pytest.raises(LudusError, match="write each setting once, as name=value"):
        parse_changes(words)


def test_settings_may_be_written_as_options_are():
    assert parse_changes(["eval-games=10", "alpha=0.5..0.1@9"]) == {"eval_games": "10", "alpha": "0.5..0.1@9"}


# ---- the papers of Ludus ----


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("tapnswap", {"epsilon": "0.5"}),
        ("tapnswap", {"games": "20000"}),
        ("mancala", {"win": "0.9"}),
        ("fox-and-hounds", {"alpha": "0.4"}),
        ("toads-and-frogs", {"gamma": "0.9"}),
        ("chung-toi", {"hidden": "60"}),
    ],
)
def test_every_paper_has_trainings_whose_settings_can_be_changed(name, changes):
    found = paper(name)
    lab = found.lab("tiny")

    def working():
        yield {
            "experiments": [work(lab) for one in found.experiments for work in one.works],
            "claims": [one.judge(lab) for one in found.claims],
        }

    require_known(found, changes, working)


# ---- reports ----


def document(*parts, claims=()):
    made = Made([("scale", "quick")], Table("tasks", "", (), ()), ("ludus",))
    return Document("one", "One", "I", "", "<svg/>", [Section("1", "First", "", parts)], claims, None, made)


def result(*values):
    return Result("won", "", "", "", len(values), "", "", "share", values)


def test_a_difference_beyond_its_interval_is_found():
    one, other = (document(Results("r", [result(*values)])) for values in ((0.5, 0.51, 0.52), (0.7, 0.71, 0.73)))
    both = side_by_side(one, other, "epsilon 0.5")
    assert both.findings.sentences[0].startswith("With epsilon 0.5, 1 of 1 results differ")
    assert table(both).rows[0][-1].startswith("+20.3% ± ")


def test_a_difference_within_its_interval_is_not():
    one, other = (document(Results("r", [result(*values)])) for values in ((0.5, 0.6, 0.4), (0.6, 0.4, 0.6)))
    assert side_by_side(one, other, "x 1").findings.sentences[0].startswith("With x 1, 0 of 1 results differ")


def test_with_one_seed_no_difference_is_judged():
    one, other = (document(Results("r", [result(value)])) for value in (0.5, 0.9))
    assert "with one seed no difference can be judged" in side_by_side(one, other, "x 1").findings.sentences[0]


def test_curves_of_both_stand_in_one_figure_and_equal_ones_once():
    same, first, second = (
        Series(name, (1, 2), heights) for name, heights in (("s", (0, 0)), ("c", (0, 1)), ("c", (1, 1)))
    )
    one, other = (document(Curves("k", "t", "x", "y", [same, curve], None)) for curve in (first, second))
    (figure,) = side_by_side(one, other, "x 1").sections[0].parts
    assert [curve.name for curve in figure.series] == ["s", "c", "c, x 1"]


def test_a_claim_whose_evidence_changes_is_judged_twice():
    claims = [
        [Claimed("It wins.", verdict, "so", "c"), Claimed("It is.", "proved", "so", "c")]
        for verdict in ("open", "refuted")
    ]
    both = side_by_side(*(document(claims=each) for each in claims), "x 1")
    assert [(one.claim, one.verdict) for one in both.claims] == [
        ("It wins.", "open"),
        ("The same, with x 1", "refuted"),
        ("It is.", "proved"),
    ]


# ---- a paper in a file ----


def test_the_paper_of_the_tutorial_is_short():
    assert len(SOURCE.splitlines()) <= 60


def test_the_paper_of_the_tutorial_runs_from_its_file(ludus, mine, tmp_path):
    options = "--scale", "tiny", "--seeds", "1", "--set", "epsilon=0.9"
    done = ludus("paper", str(mine), *options, "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["papers"]
    assert found["commands"] == [f"ludus paper {mine} --scale tiny --seeds 1 --set epsilon=0.9"]
    assert found["claims"][-1]["verdict"] == "proved"


FUNCTION = """
from ludus.report.document import Results
from ludus.study.paper import Experiment, Paper
from ludus.study.paper.tasks import Task

def double(number):
    return 2 * number

def doubled(lab):
    found = yield {"some": [Task(f"twice {number}", double, (number,)) for number in (3, 4)]}
    return [Results("one", [lab.result("some", None, found["some"], unit="count")])]

PAPER = Paper("doubles", "T", "A", "tic-tac-toe", "q-table", "About.", (Experiment("1", "F", "D", doubled),))
"""


def test_a_file_is_quoted_in_the_command(here, tmp_path):
    path = tmp_path / "my doubles.py"
    path.write_text(FUNCTION)
    (report,) = run_papers([paper(str(path))], order(tmp_path))
    assert report.made.commands == (f"ludus paper '{path}' --scale tiny --seeds 2",)


def test_functions_of_a_file_are_called_in_processes_of_their_own(tmp_path):
    path = tmp_path / "doubles.py"
    path.write_text(FUNCTION)
    (report,) = run_papers([paper(str(path))], Order("tiny", 1, tmp_path / "out", "local=2"))
    assert report.results[0].values == (6.0, 8.0)


def test_a_mistake_in_a_file_is_shown_where_it_is(ludus, tmp_path):
    path = tmp_path / "doubles.py"
    path.write_text(FUNCTION.replace('found["some"], unit', 'found["sum"], unit'))
    done = ludus("paper", str(path), "--scale", "tiny", "--out", str(tmp_path / "out"))
    assert done.returncode != 0
    error, line = done.stderr.splitlines()[-2:]
    assert error == "ludus: KeyError: 'sum'"
    assert "doubles.py:11, in doubled: return [Results(" in line


def test_functions_of_a_file_are_not_sent_to_other_machines(tmp_path):
    path = tmp_path / "doubles.py"
    path.write_text(FUNCTION)
    with pytest.raises(LudusError, match="its function is in a file; take --on local"):
        run_papers([paper(str(path))], Order("tiny", 1, tmp_path / "out", "ray"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1", "holds no paper: write PAPER ="),
        (FUNCTION.replace('"doubles"', '"mancala"'), "'mancala' cannot be the name of its paper"),
        (FUNCTION.replace('"doubles"', '"../x"'), "cannot be the name of its paper"),
        (FUNCTION.replace('(Experiment("1", "F", "D", doubled),)', "()"), "must have experiments"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
    ],
)
def test_a_file_that_holds_no_paper_is_refused_in_a_line(tmp_path, source, words):
    path = tmp_path / "bad.py"
    path.write_text(source)
    with pytest.raises(LudusError, match=words):
        paper(str(path))


def test_what_is_kept_of_a_change_is_found_again(here, tmp_path, monkeypatch):
    run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
    monkeypatch.setattr(Kept, "keep", lambda *rest: pytest.fail("done again"))
    run_papers([SMALL], order(tmp_path, changes={"epsilon": "0.9"}))
