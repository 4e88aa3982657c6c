"""What all papers stand on: tasks done once, in order, and kept; numbers with their sources; verdicts."""

import io
import json
import math
import os
import shlex
import shutil
import tomllib
from statistics import fmean, stdev

import numpy as np
import pytest
from conftest import TESTS
from rich.console import Console
from trained import NIM

from ludus.commands.paper import as_text, where_to_look
from ludus.errors import LudusError
from ludus.report.document import Best, Findings, Results
from ludus.study.paper import Claim, Experiment, Judged, Lab, Paper, paper, paper_names
from ludus.study.paper.running import (
    Kept,
    Order,
    _do_there,
    _files,
    noted,
    one_per_seed,
    run_papers,
    unlike_first,
    work,
)
from ludus.study.paper.tasks import Task, grading, matching, options, random_play, solving, training
from ludus.study.paper.verdict import (
    ROUNDS,
    Number,
    by_margin,
    difference,
    mean,
    none_of,
    read_numbers,
    seeds_needed,
    series,
    share_as_far,
    verdict,
    written,
)


@pytest.fixture
def here(monkeypatch, plain):
    """Jobs in this process, so that what they do can be seen."""
    monkeypatch.setenv("NPROC", "1")


def double(number):
    return 2 * number


def note(word, folder, folders):
    (folder / "deep").mkdir()
    (folder / "deep" / "word").write_text(word)
    return word


def read(folders):
    return "".join((folder / "deep" / "word").read_text() for folder in folders)


def fail():
    raise LudusError("no luck")


NAMES = ["chung-toi", "fox-and-hounds", "mancala", "tapnswap", "toads-and-frogs"]


def asking(*rounds):
    """A working that asks for tasks, round by round, and returns all results."""
    found = []
    for tasks in rounds:
        found.append((yield {"tasks": tasks})["tasks"])
    return found


# ---- tasks ----


def test_results_come_in_the_order_of_the_tasks(here, tmp_path):
    tasks = [Task(f"twice {number}", double, (number,)) for number in (3, 1, 2)]
    assert work(asking(tasks, tasks[:1]), Kept(tmp_path), "local=1") == [[6, 2, 4], [6]]


def test_results_come_in_the_shape_of_the_tasks_and_workings(here, tmp_path):
    one, two = (Task(f"twice {number}", double, (number,)) for number in (1, 2))

    def working():
        found = yield {"one": one, "both": [one, two], "by key": {"a": two, 7: asking([two])}, "none": []}
        return found

    wanted = {"one": 2, "both": [2, 4], "by key": {"a": 4, 7: [[4]]}, "none": []}
    assert work(working(), Kept(tmp_path), "local=1") == wanted


def test_equal_tasks_of_different_experiments_are_done_once(here, tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(
        Kept, "keep", lambda self, task, what, keep=Kept.keep: (done.append(task.name), keep(self, task, what))
    )
    same = [Task("twice 3", double, (3,))]
    assert work([asking(same), asking(same)], Kept(tmp_path), "local=1") == [[[6]], [[6]]]
    assert done == ["twice 3"]


def test_what_a_folder_holds_is_not_done_again(here, tmp_path, monkeypatch):
    tasks = [Task("twice 3", double, (3,))]
    work(asking(tasks), Kept(tmp_path), "local=1")
    monkeypatch.setattr("ludus.study.paper.running.run_jobs", lambda *jobs, **rest: pytest.fail("done again"))
    assert work(asking(tasks), Kept(tmp_path), "local=1") == [[6]]


def test_what_was_done_before_a_failure_is_kept(here, tmp_path):
    good, bad = Task("twice 3", double, (3,)), Task("bad", fail)
    with pytest.raises(LudusError, match="bad: no luck"):
        work(asking([good, bad]), Kept(tmp_path), "local=1")
    assert Kept(tmp_path).has(good)
    assert not Kept(tmp_path).has(bad)


def test_tasks_of_different_kinds_come_first_so_that_processes_compile_different_kernels():
    names = [
        "q-table on nim, seed 0",
        "q-table on nim, seed 1",
        "dqn on nim, seed 0",
        "q-table on nim, seed 2",
        "grade",
    ]
    found = [task.name for task in unlike_first([Task(name, double) for name in names])]
    assert found == [names[place] for place in (0, 2, 4, 1, 3)]


def test_a_task_is_given_the_folders_of_those_it_needs(here, tmp_path):
    first, second = (Task(f"note {word}", note, (word,), keeps=True) for word in "ab")
    both = Task("read", read, needs=(second, first))
    assert work(asking([both]), Kept(tmp_path), "local=1") == [["ba"]]


def test_other_arguments_or_needs_make_another_task():
    one, other = Task("twice", double, (1,)), Task("twice", double, (2,))
    assert one.key != other.key
    assert Task("read", read, needs=(one,)).key != Task("read", read, needs=(other,)).key
    assert one.key == Task("called otherwise", double, (1,)).key


def test_a_task_on_another_machine_takes_and_gives_files(here, tmp_path):
    first = Task("note", note, ("a",), keeps=True)
    done = _do_there(first, ())
    assert done.files == (("deep/word", b"a"),)
    kept = Kept(tmp_path)
    kept.keep(first, done)
    assert kept.done(first).result == "a"
    assert _do_there(Task("read", read), (_files(kept.folder(first)),)).result == "a"


def test_what_was_kept_is_found_under_another_name(here, tmp_path, monkeypatch):
    work(asking([Task("twice 3", double, (3,))]), Kept(tmp_path), "local=1")
    monkeypatch.setattr("ludus.study.paper.running.run_jobs", lambda *jobs, **rest: pytest.fail("done again"))
    assert work(asking([Task("called otherwise", double, (3,))]), Kept(tmp_path), "local=1") == [[6]]


def test_a_task_whose_folder_is_gone_is_done_again(here, tmp_path):
    task = Task("note", note, ("a",), keeps=True)
    work(asking([task]), Kept(tmp_path), "local=1")
    shutil.rmtree(Kept(tmp_path).folder(task))
    assert not Kept(tmp_path).has(task)


def test_damaged_results_are_named(here, tmp_path):
    task = Task("twice 3", double, (3,))
    work(asking([task]), Kept(tmp_path), "local=1")
    (path,) = (tmp_path / "done").iterdir()
    path.write_text("{")
    with pytest.raises(LudusError, match="is damaged"):
        work(asking([task]), Kept(tmp_path), "local=1")


def test_the_tasks_of_a_working_are_noted_with_what_they_need(here, tmp_path):
    first = Task("note", note, ("a",), keeps=True)
    used = {}
    work(noted(asking([Task("read", read, needs=(first,))]), used), Kept(tmp_path), "local=1")
    assert [task.name for task in used.values()] == ["note", "read"]


def test_common_tasks_return_their_results(here, tmp_path):
    run = training(NIM, "q-table", 1, games=40, eval_every=20, eval_games=10)
    tasks = [
        run,
        grading(run, NIM),
        grading("random", NIM),
        matching(NIM, run, "random", 10, 0),
        random_play(NIM, 10, 0),
        solving(NIM),
    ]
    (found,) = work(asking(tasks), Kept(tmp_path), "local=1")
    trained, graded, chance, match, played, truth = found
    assert [line["games"] for line in trained["lines"]] == [20, 40]
    assert graded["all"]["decisions"] == chance["all"]["decisions"]
    assert sum(match["all"][kind] for kind in ("wins", "losses", "draws")) == played["games"] == 10
    assert truth["counts"]["positions"] > 0
    assert run.command == f"ludus train {shlex.quote(NIM)} q-table --games 40 --eval-every 20 --eval-games 10 --seed 1"


def test_settings_that_are_true_or_false_are_switches_in_commands():
    assert options({"late": "true", "grade": "no", "margin": "false"}) == "--late --grade no --no-margin"


def test_the_command_of_a_match_shows_all_that_differs_from_its_defaults():
    task = matching(NIM, "random", "first", 10, 3, seats="first", cap=9, alternate_starter=True)
    options = "--games 10 --seed 3 --seats first --cap 9 --alternate-starter"
    assert task.command == f"ludus match {shlex.quote(NIM)} random first {options}"


def test_a_training_begins_with_what_another_has_learned(here, tmp_path):
    first = training(NIM, "q-table", 1, games=40, eval_games=10)
    second = training(NIM, "q-table", 1, games=20, eval_games=10, init_from=first)
    kept = Kept(tmp_path)
    work(asking([second]), kept, "local=1")
    assert str(kept.folder(first)) in (kept.folder(second) / "run.json").read_text()


# ---- numbers and verdicts ----


def test_every_number_of_a_paper_has_a_source_and_a_margin():
    files = {name: read_numbers(paper(name).numbers) for name in NAMES}
    entries = {(name, key): words for name, group in files.items() for key, words in group.items()}
    assert all(files.values())
    assert [key for key, words in entries.items() if not words["source"]] == []
    numbers = {key: Number(**words) for key, words in entries.items() if "moves" not in words}
    shares = [number for number in numbers.values() if number.unit == "share"]
    assert all(-1 <= number.value <= 1 and 0 <= (number.until or 0) <= 1 for number in shares)  # a lead may be negative
    assert {number.margin for number in shares} == {0.03}
    own = {key for key, words in entries.items() if "margin" in _written(key[0]).get(key[1], {})}
    others = [number for key, number in numbers.items() if number.unit != "share" and key not in own]
    assert all(0 < number.margin <= 0.1 * abs(number.value) for number in others)


def _written(name):
    return tomllib.loads(paper(name).numbers.read_text())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.505, 0.5, 0.502], "agrees"),
        ([0.6, 0.61, 0.605], "differs"),
        ([0.4, 0.6, 0.55], "unsure"),
        ([0.52], "agrees"),
    ],
)
def test_a_number_agrees_if_the_mean_is_surely_within_its_margin(values, expected):
    assert verdict(Number(0.5, "text", margin=0.03), values) == expected


def test_shares_that_happen_to_be_near_are_as_uncertain_as_their_counts():
    number, values = Number(0.9, "figure", margin=0.03), [0.888, 0.890, 0.888]
    assert verdict(number, values) == "agrees"
    assert verdict(number, values, tested=50) == "unsure"


def test_the_margin_is_widened_by_the_error_of_the_paper():
    assert verdict(Number(0.55, "text", margin=0.03), [0.5]) == "differs"
    assert verdict(Number(0.55, "text", games=1000, margin=0.03), [0.5]) == "agrees"
    assert verdict(Number(0.55, "fig", off=0.03, margin=0.03), [0.5]) == "agrees"


def test_an_unsure_result_says_how_many_seeds_would_decide():
    number = Number(0.5, "text", margin=0.03)
    needed = seeds_needed(number, [0.4, 0.6, 0.52])
    half = 2.64 * stdev([0.4, 0.6, 0.52]) / math.sqrt(needed)
    assert half == pytest.approx(0.03 - abs(fmean([0.4, 0.6, 0.52]) - 0.5), rel=0.05)
    assert seeds_needed(number, [0.52, 0.54]) is None


def test_it_is_said_how_likely_the_number_of_the_paper_is_among_the_seeds():
    assert share_as_far(Number(0.9, "text"), [0.5, 0.6, 0.7, 0.95]) == 0.25
    assert share_as_far(Number(0.1, "text"), [0.5, 0.6, 0.7, 0.95]) == 0


@pytest.mark.parametrize(("off", "wrong"), [(0.03, "agrees"), (-0.03, "agrees"), (0.0299, "differs")])
def test_seeds_in_rounds_give_a_wrong_verdict_in_at_most_a_twentieth_of_cases(off, wrong):
    """At the very edge of the margin, where a mistake is likeliest, with a look after each round."""
    generator, number, mistakes, tries = np.random.default_rng(1), Number(0.5, "text", margin=0.03), 0, 600
    for _ in range(tries):
        values = generator.normal(0.5 + off, 0.04, 5 * ROUNDS[-1]).tolist()
        looks = (verdict(number, values[: 5 * each]) for each in ROUNDS)
        mistakes += next((found for found in looks if found != "unsure"), "unsure") == wrong
    assert mistakes / tries < 0.05 + 2 * math.sqrt(0.05 * 0.95 / tries)


def test_a_number_of_one_run_is_rarely_said_to_differ_from_runs_like_it():
    """With hardly a margin: the paper's run and ours are drawn alike, with a look after each round."""
    generator, wrong, tries = np.random.default_rng(2), 0, 600
    for _ in range(tries):
        reported, *values = generator.normal(0.5, 0.1, 1 + 5 * ROUNDS[-1]).tolist()
        number = Number(reported, "fig", margin=0.07, runs=1)
        looks = (verdict(number, values[: 5 * each]) for each in ROUNDS)
        wrong += next((found for found in looks if found != "unsure"), "unsure") == "differs"
    assert wrong / tries < 0.05 + 2 * math.sqrt(0.05 * 0.95 / tries)


def test_a_number_of_one_run_differs_where_no_run_comes_near_it():
    values = np.random.default_rng(3).normal(0.5, 0.05, 20).tolist()
    assert verdict(Number(0.9, "fig", runs=1, margin=0.03), values) == "differs"
    assert verdict(Number(0.56, "fig", runs=1, margin=0.03), values) == "agrees"


def test_a_share_of_nothing_or_all_has_a_sampling_error_too():
    assert Number(1.0, "text", games=100).bounds[0] < 1


def test_a_count_of_few_games_has_its_exact_binomial_interval():
    low, high = Number(18 / 30, "text", games=30).bounds
    assert (round(low, 4), round(high, 4)) == (0.4060, 0.7734)
    assert Number(0.0, "text", games=30).bounds == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))


@pytest.mark.parametrize(
    ("values", "expected"), [([0.01, 0.012, 0.009], "supported"), ([0.2, 0.201, 0.2], "refuted"), ([0.0, 0.2], "open")]
)
def test_a_difference_does_not_matter_if_it_is_surely_within_the_margin(values, expected):
    assert by_margin(mean(values), 0.05) == expected


def test_a_range_agrees_with_all_within():
    number = Number(0.6, "fig", until=0.8)
    assert [verdict(number, [value]) for value in (0.7, 0.5)] == ["agrees", "differs"]
    assert str(number) == "60.0% to 80.0%"


def test_the_mean_over_seeds_has_student_t_intervals_of_95_and_of_99_17_percent():
    found = mean([1.0, 2.0, 3.0])
    assert (found.mean, round(found.half, 3), round(found.sure, 2), found.seeds) == (2.0, 2.484, 6.28, 3)
    assert mean([4.0]) == (4.0, 0.0, 0.0, 1)
    assert difference([3.0, 4.0], [1.0, 2.0]) == (2.0, 0.0, 0.0, 2)


def test_an_interval_is_shown_within_what_a_share_can_be():
    assert mean([0.5]).shown() == "50.0%"
    assert mean([0.5, 0.5]).shown() == "50.0% ± 0.0"
    assert mean([0.5, 0.52]).shown() == "51.0% ± 12.7"
    assert mean([0.1, 0.9]).shown() == "50.0% (0.0% to 100.0%)"
    assert mean([0.1, 0.9]).bounds == (0, 1)
    assert mean([3.0, 3.1]).shown("score") == "3.05 ± 0.64"
    assert mean([0.1, 0.12]).gained() == "+11.0% ± 12.7"
    assert mean([0.1, 0.9]).gained() == "+50.0% (-100.0% to +100.0%)"


def test_a_curve_of_one_seed_has_no_band():
    assert series("one", [1, 2], [[0.1, 0.2]]).low == ()
    assert series("two", [1, 2], [[0.1, 0.2], [0.3, 0.4]])[3:5] == ((0.1, 0.2), (0.3, 0.4))


def test_values_are_written_by_their_unit():
    assert [written(0.915, "share"), written(1006881, "count"), written(3.734, "score")] == [
        "91.5%",
        "1,006,881",
        "3.73",
    ]


def test_what_is_done_at_a_smaller_scale_needs_the_full_one():
    lab = paper("fox-and-hounds").lab("quick", 2)
    found = lab.result("fox", "random-fox", [0.5, 0.51], "Because.")
    assert (found.verdict, found.why) == ("needs full scale", "smaller than the paper's")
    found = lab.result("fox", "random-fox", [0.5, 0.9], whole=True)
    assert (found.verdict, found.why) == ("needs full scale", "more seeds are needed")


def test_a_difference_has_a_reason_and_says_how_rare_the_number_of_the_paper_is():
    lab = paper("fox-and-hounds").lab("full", 2)
    found = lab.result("fox", "random-fox", [0.5, 0.501], "Because.")
    assert (found.verdict, found.why) == ("differs", "Because. None of our seeds came near it.")
    assert lab.result("fox", "random-fox", [0.5]).why == "the reason is not known"
    assert lab.result("fox", "random-fox", [0.915]).why == ""
    assert lab.result("fox", None, [0.5]).verdict == ""


def test_a_number_of_one_run_is_shown_with_how_far_off_it_may_be():
    lab = paper("tapnswap").lab("full", 3)
    assert lab.result("best", "best-1", [0.5, 0.6, 0.7]).paper == "57.5% (of one run: ± 9.0)"
    assert lab.result("best", "best-1", [0.59, 0.6, 0.61]).paper == "57.5% (of one run: ± 4.3)"
    assert lab.result("best", "best-1", [0.5]).paper == "57.5%"


def test_a_number_without_a_result_is_refused():
    with pytest.raises(LudusError, match=r"numbers\.toml holds no number nothing of mancala"):
        paper("mancala").lab("quick").number("nothing")
    with pytest.raises(LudusError, match="no file holds no number nothing of mine"):
        Lab("mine", "quick", range(1)).number("nothing")


# ---- papers ----


def doubled(lab):
    found = yield {"twice": Task("twice 3", double, (3,))}
    return [Results("one", [lab.result("three", None, [found["twice"]], unit="count")])]


def judged(lab):
    found = yield {"twice": Task("twice 3", double, (3,))}
    return Judged("proved", f"it is {found['twice']}", "ludus games")


def best(lab):
    yield {}
    return Best("nobody", "nothing", "none", "ludus games", ())


SMALL = Paper(
    "tic-tac-toe",
    "A paper",
    "Nobody",
    "tic-tac-toe",
    "q-table",
    "About.",
    (Experiment("1", "First", "They did it.", doubled),),
    (Claim("It is six.", judged),),
    best,
    {"quick": 2, "full": 3, "tiny": 1},
    "none",
)


def test_a_paper_becomes_a_document(here, tmp_path):
    (made,) = run_papers([SMALL], Order("quick", None, tmp_path, "local=1"))
    assert made.results[0].ours == "6"
    assert made.claims[0]._asdict() == {
        "claim": "It is six.",
        "verdict": "proved",
        "evidence": "it is 6",
        "command": "ludus games",
        "settled_by": "",
    }
    assert dict(made.made.facts)["seeds"] == "2: 0, 1"
    assert [row[0] for row in made.made.trainings.rows] == ["twice 3"]
    assert ("q-table", "epsilon") in {row[:2] for row in made.made.config.rows}
    assert ("training", "games") in {row[:2] for row in made.made.config.rows}


def drawn(seed):
    return [0.2, 0.8, 0.45, 0.55][seed % 4] if seed < 8 else 0.5


def measured(lab):
    values = yield {"seeds": [Task(f"drawn {seed}", drawn, (seed,)) for seed in lab.seeds]}
    number = Number(0.5, "text", margin=0.1)
    verdict_so_far = verdict(number, values["seeds"])
    return [Results("one", [lab.result("half", None, values["seeds"])._replace(verdict=verdict_so_far)])]


def open_until_many(lab):
    yield {}
    verdict = "supported" if len(lab.seeds) > 10 else "open"
    return Judged(verdict, f"{len(lab.seeds)} seeds", "ludus games", "more seeds")


def never_decided(lab):
    yield {}
    return Judged("open", f"{len(lab.seeds)} seeds", "ludus games", "a proof")


ADDING = SMALL._replace(
    experiments=(Experiment("1", "First", "They did it.", measured),),
    claims=(Claim("It needs many.", open_until_many), Claim("It stays open.", never_decided)),
    seeds={"quick": 2, "full": 4, "tiny": 1},
)


def test_seeds_are_added_at_full_scale_until_all_is_decided(here, tmp_path):
    (made,) = run_papers([ADDING], Order("full", None, tmp_path, "local=1"))
    assert [(len(one.values), one.verdict) for one in made.results] == [(32, "agrees")]
    assert [claim.evidence for claim in made.claims] == ["16 seeds", "128 seeds"]
    assert [claim.settled_by for claim in made.claims] == ["", "a proof"]
    assert dict(made.made.facts)["seeds"].startswith("4 to 128: added until decided")


@pytest.mark.parametrize(("scale", "seeds", "expected"), [("quick", None, 2), ("full", 3, 3)])
def test_no_seeds_are_added_at_a_smaller_scale_or_where_their_number_is_given(here, tmp_path, scale, seeds, expected):
    (made,) = run_papers([ADDING], Order(scale, seeds, tmp_path, "local=1"))
    assert len(made.results[0].values) == expected


def test_no_seeds_are_added_beyond_the_budget(here, tmp_path, monkeypatch):
    monkeypatch.setattr("ludus.study.paper.running._BUDGET", -1.0)
    (made,) = run_papers([ADDING], Order("full", None, tmp_path, "local=1"))
    assert len(made.results[0].values) == 4


def costly(number):
    return number


def test_what_does_not_grow_with_the_seeds_is_not_charged_to_them():
    tasks = [
        Task("the best of 8000", costly, (0,)),
        *(Task(f"training, seed {each}", costly, (each,)) for each in (1, 2)),
    ]
    assert one_per_seed(tasks, 2) == tasks[1:]


def found(lab):
    number = (yield {"twice": Task("twice 3", double, (3,))})["twice"]
    return Findings([f"It is {number}, as the paper says.", f"Nobody {'very ' * 20}much."], "`ludus games` next.")


def printed(part):
    """What a terminal of 80 columns shows."""
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(part)
    return console.file.getvalue()


def test_what_was_found_is_printed_in_80_columns_with_the_counts_beneath(here, tmp_path):
    documents = run_papers([SMALL._replace(findings=found)], Order("quick", None, tmp_path, "local=1"))
    lines = printed(as_text(documents)).splitlines()
    assert lines[0] == "tic-tac-toe  Nobody"
    assert lines[1].startswith("It is 6, as the paper says. Nobody very")
    assert max(map(len, lines)) <= 80
    assert lines[-3:] == ["ludus games next.", "quick scale; seeds: 2; claims: 1 proved", ""]


def test_a_paper_without_findings_still_has_its_counts(here, tmp_path):
    documents = run_papers([SMALL], Order("full", 3, tmp_path, "local=1"))
    assert printed(as_text(documents)) == "tic-tac-toe  Nobody\nfull scale; seeds: 3; claims: 1 proved\n\n"


@pytest.mark.parametrize(("scale", "more"), [("quick", ["ludus paper tic-tac-toe --scale full"]), ("full", [])])
def test_where_to_look_next_names_the_report_the_page_and_the_full_scale(here, tmp_path, scale, more):
    documents = run_papers([SMALL], Order(scale, None, tmp_path, "local=1"))
    report, address, play, *rest = str(where_to_look(documents, tmp_path)).splitlines()
    page = tmp_path / "tic-tac-toe.html"
    assert (report.partition(": ")[2], address.partition(": ")[2]) == (str(page), page.as_uri())
    assert play.endswith(": ludus serve --open")
    assert [line.partition(": ")[2] for line in rest] == more


@pytest.mark.parametrize(("some", "words"), [(0, "none of the 6"), (2, "2 of the 6"), (6, "all 6")])
def test_how_many_of_a_number_is_said_in_words(some, words):
    assert none_of(some, 6) == words


def test_an_unknown_paper_or_scale_says_what_there_is(tmp_path):
    with pytest.raises(LudusError, match=r"there is no paper 'chess'; there is: chung-toi, .*, toads-and-frogs, all"):
        paper("chess")
    with pytest.raises(LudusError, match="there is no scale 'huge'; there is: quick, full"):
        run_papers([SMALL], Order("huge", None, tmp_path))


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_says_who_what_and_how_often(name):
    found = paper(name)
    assert found.name == name
    assert found.title
    assert set(found.seeds) == {"full", "quick", "tiny"}
    keys = [experiment.key for experiment in found.experiments]
    assert len(keys) == len(set(keys))


def rows_of(name):
    """The cells of all tables of the published report of a paper."""
    lines = (TESTS.parent / "docs" / "papers" / f"{name}.md").read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]


def test_the_published_reports_leave_at_most_a_tenth_of_the_results_unsure():
    judged = [
        row[4] for name in NAMES for row in rows_of(name) if len(row) == 6 and row[4] in ("agrees", "differs", "unsure")
    ]
    assert len(judged) > 300
    assert judged.count("unsure") <= 0.1 * len(judged)


@pytest.mark.parametrize("name", NAMES)
def test_a_published_report_explains_every_difference_and_says_what_would_settle_an_open_claim(name):
    rows = rows_of(name)
    assert [
        row[0] for row in rows if len(row) == 6 and row[4] == "differs" and "the reason is not known" in row[5]
    ] == []
    claims = [row for row in rows if len(row) == 3 and row[1] == "open"]
    assert [row[0] for row in claims if "To settle it: " not in row[2]] == []


def test_the_command_lists_the_papers(ludus):
    report = json.loads(ludus("paper", "--json").stdout)
    assert [each["name"] for each in report] == NAMES
    assert "Q-learning for Fox and Hounds" in ludus("paper", COLUMNS="160").stdout


def test_the_command_refuses_an_unknown_paper(ludus):
    done = ludus("paper", "chess")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "there is no paper 'chess'" in done.stderr


def test_the_tiny_scale_is_not_in_the_help(ludus):
    assert "tiny" not in ludus("paper", "--help").stdout


MINE = """
from ludus.report.document import Best, Results
from ludus.study.paper import Claim, Experiment, Judged, Paper
from ludus.study.paper.tasks import Task


def double(number):
    return 2 * number


def doubled(lab):
    found = yield {"twice": Task("twice 3", double, (3,))}
    return [Results("one", [lab.result("three", None, [found["twice"]], unit="count")])]


def judged(lab):
    found = yield {"twice": Task("twice 3", double, (3,))}
    return Judged("proved", f"it is {found['twice']}", "ludus games")


def best(lab):
    yield {}
    return Best("nobody", "nothing", "none", "ludus games", ())


PAPER = Paper(
    "mine", "My paper", "I", "tic-tac-toe", "q-table", "About.",
    (Experiment("1", "First", "They did it.", doubled),), (Claim("It is six.", judged),), best,
    {"quick": 2, "full": 3, "tiny": 1}, "none",
)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of somebody else that offers papers by the entry-point group: a folder that Python finds."""
    (tmp_path / "my_paper.py").write_text(MINE)
    folder = tmp_path / "my_paper-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: my-paper\nVersion: 1.0\n")
    points = ["mine = my_paper:PAPER", "gone = my_paper:GONE", "other = my_paper:double", "mancala = my_paper:PAPER"]
    (folder / "entry_points.txt").write_text("\n".join(["[ludus.papers]", *points]))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    return tmp_path


def test_the_paper_of_another_package_is_listed_after_those_of_ludus(package, ludus):
    assert paper_names() == [*NAMES, "gone", "mine", "other"]
    assert [each["name"] for each in json.loads(ludus("paper", "--json").stdout)] == [*NAMES, "mine"]
    assert paper("mancala").authors == "T. Birrell, 2019"


def test_the_paper_of_another_package_is_run_like_any(package, ludus):
    out = package / "out"
    done = ludus("paper", "mine", "--out", str(out), "--json", LUDUS_HOME=str(package / "home"))
    (report,) = json.loads(done.stdout)["papers"]
    assert (report["paper"], report["claims"][0]["evidence"]) == ("mine", "it is 6")
    assert (out / "mine.html").is_file()


def test_what_a_package_offers_wrongly_says_why(package):
    with pytest.raises(LudusError, match=r"the paper gone \(my_paper:GONE\) cannot be imported: AttributeError"):
        paper("gone")
    with pytest.raises(LudusError, match=r"my_paper:double is no paper: it must be a ludus.study.paper.Paper"):
        paper("other")
