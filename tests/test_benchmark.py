"""The benchmark: its numbers, entries of all kinds, never done twice, resumed after a stop."""

import json
import sys

import pytest
from conftest import TESTS
from trained import NIM, finished

import ludus as package
from ludus.commands import benchmark as shown
from ludus.study import benchmark as benchmarks
from ludus.study.benchmark import Benchmark, Case, Entry, Mean, Scale, benchmark, document, jobs, scores
from ludus.study.benchmark.jobs import Outcome

BOT = f"cmd:{sys.executable} {TESTS.parent}/examples/bot.py"

MINE = """
from typing import NamedTuple
from ludus.learning.q_table import QTable
from ludus.learning.loop.settings import Schedule

class Mine(NamedTuple):
    half: bool = True

    def _table(self):
        return QTable(epsilon=Schedule.parse("0.5" if self.half else "0.1"))

    def trainer(self, game, *, twin=False):
        return self._table().trainer(game, twin=twin)

    def agent(self, game, parameters):
        return self._table().agent(game, parameters)
"""


@pytest.fixture
def tiny(monkeypatch, plain):
    """A scale that takes a second."""
    tiny = Scale((NIM,), 40, 2, (Entry("q-table(epsilon=0.5..0@{games})", 60),))
    monkeypatch.setitem(benchmarks.SCALES, "quick", tiny)
    monkeypatch.setenv("NPROC", "1")  # then jobs one at a time need no process of their own


def held_at(game, found, decisions=100):
    """A benchmark of one learner with these outcomes, beside a random agent that is optimal in half."""
    learner = Entry("q-table", 100)
    random = Outcome(decisions, [0], [0.0], [50.0], [1.0, -1.0], [-1.0, -1.0])
    cases = {Case(game, learner, seed, str(seed)): outcome for seed, outcome in enumerate(found)}
    return Benchmark("quick", {Case(game, Entry("random"), None, "r"): random, **cases})


def curve(optimal, guarantee=(1.0, -1.0)):
    return Outcome(100, [10, 20, 30], [1.0, 2.0, 3.0], optimal, [1.0, -1.0], list(guarantee))


# ---- numbers ----


def test_plies_and_seconds_are_those_of_the_first_evaluation_with_enough_accuracy():
    _, one = scores(held_at("g", [curve([90.0, 99.0, 98.0])]))
    assert (one.plies, one.seconds, one.reached) == (20, 2.0, 1)


def test_the_median_counts_seeds_that_never_came_there_as_last():
    _, most = scores(held_at("g", [curve([99.0, 99, 99]), curve([90.0, 90, 99]), curve([90.0, 90, 90])]))
    assert (most.plies, most.reached, most.seeds) == (30, 2, 3)
    _, few = scores(held_at("g", [curve([99.0, 99, 99]), curve([90.0, 90, 90]), curve([90.0, 90, 90])]))
    assert (few.plies, few.seconds, few.reached) == (None, None, 1)


def test_regret_is_the_area_above_the_curve_from_random_play_on():
    _, one = scores(held_at("g", [curve([90.0, 100.0, 100.0])]))
    assert one.regret == Mean(pytest.approx(10 * (0.5 + 0.1) / 2 + 10 * 0.1 / 2), None)


def test_exploitability_is_the_value_minus_the_guarantee_in_each_seat():
    random, one = scores(held_at("g", [curve([90.0] * 3, (0.0, -1.0)), curve([90.0] * 3, (1.0, -1.0))]))
    assert one.exploitability == (Mean(0.5, 0.5), Mean(0.0, 0.0))
    assert (random.exploitability[0].mean, random.regret) == (2.0, None)


# ---- runs ----


def test_every_entry_is_trained_with_every_seed_and_measured_twenty_times(tiny, tmp_path):
    held = benchmark(out=tmp_path, on="local=1")
    assert [(case.entry.text, case.seed) for case in held.outcomes] == [
        ("random", None),
        ("q-table(epsilon=0.5..0@{games})", 0),
        ("q-table(epsilon=0.5..0@{games})", 1),
    ]
    trained = list(held.outcomes.values())[1]
    assert len(trained.plies) == len(trained.seconds) == len(trained.optimal) == 20
    assert trained.seconds == sorted(trained.seconds)
    assert list(trained.value) == [-value for value in reversed(trained.value)]
    assert all(guarantee <= value for guarantee, value in zip(trained.guarantee, trained.value, strict=True))


def test_what_was_done_is_not_done_again(tiny, tmp_path, monkeypatch):
    held = benchmark(out=tmp_path, on="local=1")
    monkeypatch.setattr(benchmarks, "train", None)
    monkeypatch.setattr(benchmarks, "grade_agent", None)
    assert benchmark(out=tmp_path, on="local=1") == held


def test_a_game_that_is_named_twice_is_played_once(tiny, tmp_path):
    assert benchmark(games=[NIM, NIM], out=tmp_path, on="local=2") == benchmark(games=[NIM], out=tmp_path)


def test_a_game_without_decisions_is_refused(tiny, tmp_path):
    with pytest.raises(package.LudusError, match="has no decisions: in every position all actions have the same value"):
        benchmark(games=["toads-and-frogs(toads=1, gaps=1, frogs=1)"], out=tmp_path, on="local=1")


def test_a_stopped_training_resumes_to_the_same_outcome(tiny, tmp_path, monkeypatch):
    whole = jobs.train(NIM, "q-table", 60, 3, 5, str(tmp_path / "whole"))
    own, looks = jobs._Clock.look, []

    def look(clock, training):
        looks.append(training.games)
        own(clock, training)
        if len(looks) == 25:
            raise KeyboardInterrupt

    monkeypatch.setattr(jobs._Clock, "look", look)
    with pytest.raises(KeyboardInterrupt):
        jobs.train(NIM, "q-table", 60, 3, 5, str(tmp_path / "parts"))
    stopped = jobs.train(NIM, "q-table", 60, 3, 5, str(tmp_path / "parts"))
    assert stopped._replace(seconds=[]) == whole._replace(seconds=[])
    assert len(looks) < 2 * 25 + 60
    assert len(stopped.seconds) == 20


def test_without_a_folder_nothing_is_left_behind(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    found = jobs.train(NIM, "q-table", 20, 1, 0, None)
    assert len(found.plies) == 20
    assert list(tmp_path.iterdir()) == []


# ---- entries ----


def test_learners_in_files_agents_and_programs_take_part(tiny, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    own = [f"{tmp_path}/mine.py(half=false)", "perfect", BOT]
    held = benchmark(entries=own, seeds=1, out=tmp_path / "out", on="local=1")
    found = {case.entry.text: (case, outcome) for case, outcome in held.outcomes.items()}
    assert found[own[0]][0].entry.games == 40
    assert len(found[own[0]][1].optimal) == 20
    for text in ("perfect", BOT):
        assert found[text][0].seed is None
        assert len(found[text][1].optimal) == 1
    perfect = found["perfect"][1]
    assert perfect.guarantee == perfect.value
    assert perfect.optimal == [perfect.decisions]


def test_an_edited_learner_is_trained_anew(tiny, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    game = package.make_game(NIM)
    before = benchmarks._cases(game, Entry(f"{tmp_path}/mine.py", 40), 1)[0].key
    (tmp_path / "mine.py").write_text(MINE.replace("0.5", "0.6"))
    assert benchmarks._cases(game, Entry(f"{tmp_path}/mine.py", 40), 1)[0].key != before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale": "huge"}, "there is no scale 'huge'; there is: small, quick, full"),
        ({"entries": ["q-tabel"]}, "no agent is called 'q-tabel'"),
        ({"entries": ["q-table(epsilon=2)"]}, "epsilon"),
        ({"games": ["no-game"]}, "no game is called 'no-game'"),
        ({"entries": ["human"]}, "human cannot take part: it may remember earlier moves, as people do"),
        ({"entries": ["dqn"]}, "dqn cannot take part: Nim gives no observe"),
        ({"on": "ray=nonsense"}, "ray=nonsense is no address of a cluster"),
    ],
)
def test_bad_input_gets_a_clear_line_before_anything_is_done(tiny, tmp_path, settings, message):
    with pytest.raises(package.LudusError, match=message):
        benchmark(**settings, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_of_another_game_is_refused_before_anything_is_done(tiny, tmp_path):
    run = finished(tmp_path / "run")
    with pytest.raises(
        package.LudusError, match=r"run cannot take part: run was trained on .*nim.*; it cannot play tic-tac-toe"
    ):
        benchmark(entries=[str(run.path)], games=["tic-tac-toe"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_every_outcome_records_what_made_it(tiny, tmp_path):
    made = [outcome.made for outcome in benchmark(seeds=1, out=tmp_path, on="local=1").outcomes.values()]
    assert len(made) == 2
    for one in made:
        assert one["ludus"] == package.__version__
        assert {"python", "numpy", "numba", "machine", "processor"} <= one.keys()


@pytest.mark.parametrize("content", ["{", "[1]", "null", '{"a": 1}'])
def test_a_damaged_file_of_results_is_reported(tiny, tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(package.LudusError, match=r"results.json is damaged"):
        benchmark(out=tmp_path)


# ---- what is shown ----


def test_the_table_the_document_and_the_page_list_all_entries(tmp_path):
    held = held_at("tic-tac-toe", [curve([90.0, 99.0, 100.0]), curve([90.0, 95.0, 99.0])])
    from rich.console import Console

    console = Console(width=100, record=True, file=(tmp_path / "screen").open("w"))
    console.print(shown.as_text(held))
    printed = console.export_text()
    assert "99.5%" in printed
    assert "2 of 2" in printed
    report = json.loads(json.dumps(document.to_json(held)))
    assert [one["entry"] for one in report["scores"]] == ["random", "q-table"]
    assert report["version"] == package.__version__
    shown.write_figure(held, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script src=" not in page
    assert '"name": "q-table"' in page
    console.file.close()
