"""What somebody sees of a training: early evaluations, the game in progress, what is compiled; none changes a byte."""

from itertools import pairwise
from types import SimpleNamespace

import pytest
from trained import contents

from ludus.catalog import make_game, make_learner
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.q_table import QTable
from ludus.learning.runs import create, resume, train, watching

GAME = "tapnswap(limit=2)"


def evaluations(plan):
    found = [plan.next_evaluation(0)]
    while found[-1] < plan.games:
        found.append(plan.next_evaluation(found[-1]))
    return found


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (Plan(games=50, eval_every=20), [20, 40, 50]),
        (Plan(games=50, eval_every=20, eval_early=True), [1, 3, 10, 20, 40, 50]),
        (Plan(games=4000, eval_early=True), [1, 3, 10, 30, 100, 300, *range(400, 4001, 400)]),
        (Plan(games=2, eval_early=True), [1, 2]),
    ],
)
def test_early_evaluations_come_before_the_usual_ones(plan, expected):
    assert evaluations(plan) == expected


def test_a_training_stopped_after_each_ply_shows_whole_games_and_has_the_same_bytes(plain, tmp_path):
    settings = {"games": 8, "eval_every": 4, "eval_games": 4}
    whole, seen = train(GAME, "q-table", out=tmp_path / "whole", **settings), []
    run = create(whole.game, whole.learner, whole.plan, tmp_path / "watched")
    game = run.game
    watcher = Watcher(
        progress=lambda training: seen.append(training.trainer.position), until=lambda games: games + 1, plies=lambda: 1
    )
    resume(run, watcher)
    assert contents(run) == contents(whole)
    ended = sum(not game.legal(pos) for pos in seen)
    assert ended == settings["games"]
    for pos, after in pairwise(seen):
        begun = game.start() if not game.legal(pos) else pos
        assert after in [
            pos,
            *(game.play(begun, action) for action in range(game.num_actions) if game.legal(begun) >> action & 1),
        ]


def test_a_frame_has_the_preferred_action_and_all_exact_values(plain):
    training = Training(make_game(GAME), make_learner("q-table"), Plan(games=4, eval_games=2))
    frame = watching.Frames().draw(training)
    legal = training.game.legal(training.game.start())
    assert frame["row"] == list(training.game.start())
    assert legal >> frame["preferred"] & 1
    assert {int(action) for action in frame["values"]} == {action for action in range(8) if legal >> action & 1}


def test_frames_take_a_twentieth_of_the_time_but_for_the_first_which_compiles(monkeypatch):
    now, takes = [100.0], iter([20.0, 0.2])

    def draw(training):
        now[0] += next(takes)
        return {}

    def is_next_after(seconds):
        now[0] += seconds
        frames.plies(slow=True)
        return frames.is_next

    monkeypatch.setattr(watching, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(watching, "_frame", draw)
    frames = watching.Frames()
    assert is_next_after(0)
    frames.draw(None)
    assert is_next_after(0.15)
    frames.draw(None)
    assert not is_next_after(3.9)
    assert is_next_after(0.2)


def test_a_slow_start_takes_some_seconds_and_ends():
    start, seconds = watching.SlowStart(), 0.0
    while not start.is_over:
        seconds += start.pause
        start.shorten()
    assert 8 < seconds < 16


def test_what_is_compiled_for_a_training_is_reported_with_the_learner_and_the_seconds():
    reports = []
    compiled = watching.Compiling(make_game("connect-four"), QTable(), reports.append)
    kernel = SimpleNamespace(plain=SimpleNamespace(__module__="ludus.learning.loop.episodes"))
    for done in (0, 1, 2, 150):
        compiled.on_kernel(kernel, done, 150)
    words = "compiling the rules of Connect four for the q-table learner, once, about 12 s"
    assert reports == [{"words": words}, {"words": ""}]
