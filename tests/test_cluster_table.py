"""The live table of jobs, and the page about clusters."""

import doctest

from conftest import TESTS
from rich.console import Console

from ludus.cluster import JobProgress
from ludus.commands.progress import _Steps, in_words, one_job


def test_progress_shows_speed_and_the_time_left():
    progress = JobProgress(jobs=4, done=1, games=4000, played=1000, latest="first", seconds=50.0)
    assert in_words(progress) == ("1 of 4", "1,000 of 4,000", "20", "2:30", "first")


def test_the_time_left_goes_down_between_reports():
    progress = JobProgress(jobs=4, done=1, games=0, played=0, latest="first", seconds=50.0)
    assert in_words(progress, 30.0)[3] == "2:00"


def test_the_time_left_is_unknown_before_the_first_job_is_done():
    assert in_words(JobProgress(4, 0, 4000, 0, "", 0.0)) == ("0 of 4", "0 of 4,000", "", "", "")


def test_work_that_is_done_shows_its_time():
    assert in_words(JobProgress(4, 4, 0, 0, "last", 3700.0))[3] == "took 1:01:40"


def test_the_table_has_a_row_for_each_step():
    steps, console = _Steps(), Console(width=100)
    steps.on_progress("round 1: train", JobProgress(4, 1, 4000, 1000, "first", 50.0))
    with console.capture() as shown:
        console.print(steps)
    assert "round 1: train  1 of 4  1,000 of 4,000" in " ".join(shown.get().split(" ")).replace("   ", "  ")


def test_a_match_in_this_process_is_one_job_of_many_games():
    reported = []
    more = one_job(reported.append, 10)
    more(4)
    more(6)
    assert [(one.done, one.jobs, one.played) for one in reported] == [(0, 1, 0), (0, 1, 4), (1, 1, 10)]


def test_the_page_about_clusters_gives_what_it_shows():
    assert doctest.testfile(str(TESTS.parent / "docs" / "cluster.md"), module_relative=False).failed == 0
