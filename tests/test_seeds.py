"""Several seeds side by side: each run as it would be alone, and their mean in figures."""

import json

import pytest
from conftest import TESTS
from trained import contents, finished, new_run

from ludus.catalog import make_game
from ludus.commands import train
from ludus.commands.runs import pooled, write_curves
from ludus.errors import LudusError
from ludus.learning.runs import read_run
from ludus.learning.runs.history import read_histories

NIM = str(TESTS / "user_games" / "nim.py")
SHORT = ["--games", "40", "--eval-games", "2", "--eval-every", "20", "--grade", "no"]


@pytest.mark.usefixtures("plain", "home")
def test_each_seed_gives_the_bytes_that_it_gives_alone(ludus, tmp_path):
    done = ludus("train", NIM, "q-table", *SHORT, "--seed", "5", "--seeds", "2", "--out", str(tmp_path / "many"))
    assert done.returncode == 0, done.stderr
    assert "seed 6: 40 games" in done.stderr
    for seed in (5, 6):
        ludus("train", NIM, "q-table", *SHORT, "--seed", str(seed), "--out", str(tmp_path / f"alone-{seed}"))
        alone, beside = (read_run(tmp_path / name) for name in (f"alone-{seed}", f"many/seed-{seed}"))
        assert beside.plan == alone.plan
        assert contents(beside) == contents(alone)


@pytest.mark.usefixtures("plain", "home")
def test_seeds_without_a_folder_get_names_of_their_own_and_json_lists_them(ludus):
    done = ludus("train", NIM, "q-table", *SHORT, "--seeds", "2", "--json")
    document = json.loads(done.stdout)
    assert document["differ"] == ["seed"]
    assert [run["games"] for run in document["runs"]] == [40, 40]
    assert len({run["path"] for run in document["runs"]}) == 2


@pytest.mark.usefixtures("plain", "home")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--resume", "run", "--seeds", "2"], "only --games may be given with it"),
        ([NIM, "q-table", "--seeds", "2", "--play-every", "5"], "--play-every is for one run"),
    ],
)
def test_what_is_for_one_run_is_refused_with_seeds(ludus, words, message):
    done = ludus("train", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


@pytest.mark.usefixtures("plain", "home")
def test_a_seed_that_cannot_be_trained_says_why(tmp_path):
    options = train.Options(out=tmp_path, seeds=2)
    runs = train.created(make_game(NIM), "q-table", {"games": "5", "eval_games": "2"}, options)
    (runs[1].path / "run.json").write_text("{}")
    with pytest.raises(LudusError, match=r"^seed-1: .*damaged"):
        train.follow_seeds(runs, pytest.importorskip("rich.console").Console(quiet=True))


@pytest.mark.usefixtures("plain", "home")
def test_runs_that_differ_only_in_the_seed_become_one_curve_with_errors(tmp_path):
    alike = [finished(tmp_path / f"seed-{seed}", seed=seed) for seed in (0, 1, 2)]
    other = finished(tmp_path / "other", "q-table(epsilon=0.5)")
    runs = read_histories([str(run.path) for run in (*alike, other)])
    chart = pooled(runs)[0]
    assert [curve.name for curve in chart.series] == ["seed-0 and 2 more seeds: mean and standard error", "other"]
    mean, alone = chart.series
    shares = [[evaluation.against["random"].win_rate for evaluation in run.evaluations] for run in runs[:3]]
    assert mean.y == pytest.approx([sum(at) / 3 for at in zip(*shares, strict=True)])
    assert len(mean.low) == len(mean.x) == 4
    first = [own[0] for own in shares]
    variance = sum((share - sum(first) / 3) ** 2 for share in first) / 2
    assert (mean.high[0] - mean.low[0]) / 2 == pytest.approx((variance / 3) ** 0.5)
    assert not alone.low
    write_curves(runs, tmp_path / "curves.html")
    assert "2 more seeds" in (tmp_path / "curves.html").read_text()


@pytest.mark.usefixtures("plain", "home")
def test_one_run_alone_is_drawn_as_it_is(tmp_path):
    run = new_run(tmp_path / "run")
    assert pooled(read_histories([str(run.path)])) == []
