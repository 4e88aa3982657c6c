"""Tournaments: all pairs, repeatable, never played twice, exact where play is known, and clear about bad input."""

import sqlite3
import subprocess
import sys
import time

import pytest
from conftest import EXAMPLES
from trained import NIM, finished, stubborn

import ludus
from ludus.agents.agent import agent_for
from ludus.arena import tournament as tournament_module
from ludus.arena.exact import game_graph
from ludus.arena.league import League
from ludus.arena.match import play_match
from ludus.arena.participants import sent
from ludus.arena.ratings import Meeting, Results
from ludus.arena.tournament import matrix_csv, next_stem, ranking_text, tournament
from ludus.commands.tournament import write

PIG = f"{EXAMPLES}/pig.py(target=6)"
AGENTS = ["random", "first", "last"]

SLOW = """
import time
from typing import NamedTuple
from ludus.compiled.masks import actions

class Slow(NamedTuple):
    number: int = 0
    plain = True

    def policy(self, game, pos, out):
        time.sleep(0.01)
        out[actions(game.legal(pos))[self.number % len(actions(game.legal(pos)))]] = 1.0
"""


@pytest.fixture
def league(tmp_path):
    with League(tmp_path / "league.sqlite") as opened:
        yield opened


@pytest.fixture
def forbid_play(monkeypatch):
    """Let any game that is played fail."""

    def refuse(*_, **__):
        raise AssertionError("a game was played")

    def forbid():
        monkeypatch.setattr("ludus.arena.exact.GameGraph.play", refuse)
        monkeypatch.setattr(tournament_module, "meet", refuse)

    return forbid


def everything(held):
    return held._replace(seconds=0)


# ---- what is played ----


def test_every_pair_meets_from_both_seats(plain):
    held = tournament(NIM, AGENTS, 11)
    assert [(m.a, m.b) for m in held.meetings] == [(0, 1), (0, 2), (1, 2)]
    assert [(m.first.games, m.second.games) in ((6, 5), (5, 6)) for m in held.meetings] == [True] * 3


def test_the_same_seed_gives_the_same_result_and_another_seed_another(plain):
    held = tournament(NIM, AGENTS, 40, seed=3)
    assert everything(tournament(NIM, AGENTS, 40, seed=3)) == everything(held)
    assert tournament(NIM, AGENTS, 40, seed=4).meetings != held.meetings


def test_the_result_of_a_pair_does_not_depend_on_other_agents_or_their_order(plain):
    few, many = tournament(NIM, ["random", "last"], 30), tournament(NIM, ["last", "first", "random"], 30)
    (own,), other = few.meetings, many.meetings[1]
    assert (own.first, own.second) == (other.second.turned, other.first.turned)


def test_an_ordered_tournament_is_the_papers_each_against_each_and_itself(plain):
    held = tournament(NIM, AGENTS, 10, ordered=True)
    assert [(m.a, m.b) for m in held.meetings] == [(a, b) for a in range(3) for b in range(3)]
    assert all(m.first.games == m.second.games == 5 for m in held.meetings)
    assert held.matrix()[1][2] == held.meetings[5].points[0]


@pytest.mark.parametrize("game", [NIM, PIG, "tic-tac-toe"])
def test_games_written_out_go_as_in_a_match(plain, game):
    chosen = ludus.make_game(game)
    out = game_graph(chosen)
    agents = [agent_for(ludus.make_agent(name), chosen) for name in ("last", "smart-random")]
    first, second = out.play(*(out.shares(agent) for agent in agents), 20, seed=9)
    match = play_match(chosen, *agents, 20, seed=9)
    assert (first.wins, first.losses, first.ties) == match.first
    assert (second.wins, second.losses, second.ties) == match.second


def test_jobs_and_threads_count_alike(plain, tmp_path):
    bot = stubborn(tmp_path)
    held = tournament(NIM, [bot, "random"], 12, on="local=1")
    by_match = play_match(ludus.make_game(NIM), *map(ludus.make_agent, ("random", bot)), 12, seed=0)
    assert held.meetings[0].first.games == by_match.first.games
    assert held.exact == {}


@pytest.mark.slow
def test_several_processes_give_the_result_of_one(tmp_path):
    agents = [stubborn(tmp_path), "random", "minimax(depth=1)"]
    one, two = (tournament(NIM, agents, 20, on=on) for on in ("local=1", "local=2"))
    assert everything(two) == everything(one)


def test_a_run_that_is_sent_plays_as_where_it_is_kept(plain, tmp_path):
    run = finished(tmp_path / "run")
    here, away = (sent(str(run.path), "x", on) for on in ("local", "ray"))
    ((name, files),) = away.runs
    assert (name, dict(files).keys()) == (str(run.path), {"run.json", "agent.safetensors"})
    other = sent("random", "y", "local")
    assert tournament_module.meet(NIM, here, other, 20, 1) == tournament_module.meet(NIM, away, other, 20, 1)


# ---- points ----


def test_a_tie_is_half_a_point_and_a_cut_game_scores_for_nobody():
    meeting = Meeting(0, 1, Results(3, 1, 2, 4), Results(0, 5, 0, 5))
    assert meeting.points == (4, 7)
    assert [played.draws for played in meeting.played()] == [6, 5]


def test_capped_games_are_counted_as_cut(plain, monkeypatch):
    monkeypatch.setattr("ludus.arena.exact.max_plies", lambda game: 1)
    held = tournament(NIM, ["first", "last"], 10)
    assert held.meetings[0].first == Results(cut=5)
    assert held.matrix() == [[0, 0], [0, 0]]


def test_the_ranking_is_by_points_and_ties_keep_the_given_order(plain):
    held = tournament(NIM, AGENTS, 10)._replace(
        meetings=(
            Meeting(0, 1, Results(0, 5), Results(0, 5)),
            Meeting(0, 2, Results(5, 0), Results(5, 0)),
            Meeting(1, 2, Results(0, 5), Results(0, 5)),
        )
    )
    assert held.ranking() == [(0, 10), (1, 10), (2, 10)]


def test_ratings_and_intervals_do_not_depend_on_the_order_of_names(plain):
    agents = ["first", "random", "perfect"]
    reported = tournament(NIM, agents, 40).ratings()
    other = tournament(NIM, agents[::-1], 40).ratings()
    assert other.players == reported.players[::-1]
    assert other.moving_first == reported.moving_first


def test_progress_is_reported_of_meetings_on_threads_in_jobs_and_of_exact_results(plain, tmp_path):
    reported = []
    on_progress = lambda step, progress: reported.append((step, progress.done, progress.jobs))  # noqa: E731
    tournament(NIM, ["random", "first", stubborn(tmp_path)], 4, on="local=1", on_progress=on_progress)
    assert reported == [
        ("quick meetings", 0, 1),
        ("quick meetings", 1, 1),
        ("meetings", 0, 2),
        ("meetings", 1, 2),
        ("meetings", 2, 2),
        ("exact results", 0, 1),
        ("exact results", 1, 1),
    ]


def test_random_has_no_points_as_the_origin_of_ratings(plain):
    held = tournament(NIM, ["first", "random", "perfect"], 200)
    ratings = held.ratings().players
    assert ratings[1].points == 0
    assert ratings[2].points > 0


# ---- exact results ----


@pytest.mark.parametrize("game", [NIM, PIG])
def test_exact_results_are_what_many_games_come_to(plain, game):
    held = tournament(game, ["random", "last"], 4000)
    (first, second), meeting = held.exact[0, 1], held.meetings[0]
    for exact, seen in ((first, meeting.first), (second, meeting.second)):
        assert exact.wins + exact.losses + exact.ties + exact.endless == pytest.approx(1)
        assert seen.wins / seen.games == pytest.approx(exact.wins, abs=0.04)


def test_exact_results_of_deterministic_agents_are_certain(plain):
    for exact in tournament(NIM, ["first", "last"], 2).exact[0, 1]:
        assert sorted(exact) == [0, 0, 0, 1]


@pytest.mark.slow
def test_random_play_at_tic_tac_toe_has_the_known_exact_result():
    held = tournament("tic-tac-toe", ["random", "first"], 2, ordered=True)
    first, _ = held.exact[0, 0]
    assert first[:3] == pytest.approx((0.584921, 0.288095, 0.126984), abs=1e-6)


# ---- the league ----


def test_what_the_league_knows_is_not_played_again(plain, league, forbid_play):
    held = tournament(NIM, AGENTS, 20, league=league)
    forbid_play()
    assert everything(tournament(NIM, AGENTS, 20, league=league)) == everything(held)


def test_new_agents_join_without_replaying_old_meetings(plain, league, monkeypatch):
    tournament(NIM, AGENTS, 20, league=league)
    played = []
    own = tournament_module.Field._quick
    monkeypatch.setattr(tournament_module.Field, "_quick", lambda self, pair: played.append(pair) or own(self, pair))
    held = tournament(NIM, ["perfect", *AGENTS], 20, league=league)
    assert len(held.meetings) == 6
    assert all(0 in pair for pair in played)
    assert len(played) == 3


def test_an_agent_that_learned_more_is_another(plain, league, tmp_path):
    finished(tmp_path / "a" / "run")
    finished(tmp_path / "b" / "run", games=40)
    held = tournament(NIM, [str(tmp_path / "a" / "run"), str(tmp_path / "b" / "run")], 4, league=league)
    assert len({one.digest for one in held.agents}) == 2
    assert [one.name for one in held.agents] == [str(tmp_path / "a" / "run"), str(tmp_path / "b" / "run")]


def test_an_agent_in_a_file_is_another_when_it_is_edited(plain, tmp_path):
    bot = stubborn(tmp_path)
    before = tournament(NIM, [bot, "random"], 2).agents[0].digest
    (tmp_path / "stubborn.py").write_text((tmp_path / "stubborn.py").read_text().replace("2.0", "3.0"))
    assert tournament(NIM, [bot, "random"], 2).agents[0].digest != before


@pytest.mark.slow
def test_a_killed_tournament_resumes_to_the_same_result(tmp_path, plain):
    (tmp_path / "slow.py").write_text(SLOW)
    agents = [f"{tmp_path}/slow.py(number={number})" for number in range(4)]
    whole = tournament(NIM, agents, 4, on="local=1")
    code = (
        "from pathlib import Path; from ludus.arena.league import League;"
        "from ludus.arena.tournament import tournament;"
        f"tournament({NIM!r}, {agents!r}, 4, on='local=1', league=League(Path({str(tmp_path / 'l.sqlite')!r})))"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    kept = 0
    while process.poll() is None and kept < 2:
        time.sleep(0.02)
        kept = stored(tmp_path / "l.sqlite")
    process.kill()
    process.wait()
    assert 2 <= stored(tmp_path / "l.sqlite") < 6
    with League(tmp_path / "l.sqlite") as league:
        assert everything(tournament(NIM, agents, 4, on="local=1", league=league)) == everything(whole)


def stored(path):
    """How many meetings are in a league."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
            return file.execute("select count(*) from meetings").fetchone()[0]
    except sqlite3.Error:
        return 0


# ---- files ----


def test_files_have_the_papers_shapes_and_count_on(plain, tmp_path):
    held = tournament(NIM, ["first", "last"], 2)
    assert [path.suffix for path in write(held, tmp_path)] == [".csv", ".txt", ".json", ".html"]
    (own, theirs), best = held.meetings[0].points, held.agents[held.ranking()[0][0]].name
    assert (tmp_path / "tournament1.csv").read_text() == f",first,last\nfirst,0,{own:g}\nlast,{theirs:g},0\n"
    lines = (tmp_path / "tournament1.txt").read_text().splitlines()
    assert lines[:2] == ["Best players (from last to best):", ""]
    assert lines[3] == f"2:\t{max(own, theirs):g}\t{best}"
    assert next_stem(tmp_path) == "tournament2"


def test_labels_of_several_parts_stand_above_and_beside_as_in_the_paper():
    written = matrix_csv([("0.1", "0"), ("0.2", "1")], [[5, 10], [0, 5]])
    assert written == "-1,-1,0.1,0.2\n-1,-1,0,1\n0.1,0,5,10\n0.2,1,0,5\n"


def test_the_ranking_is_written_from_last_to_best():
    assert ranking_text([(10, "best"), (2.5, "worst")]).endswith("1:\t2.5\tworst\n2:\t10\tbest\n")


def test_millions_of_points_keep_all_their_digits():
    assert ",4229034.5," in matrix_csv([("a",), ("b",)], [[0, 4229034.5], [4229034.5, 0]]).replace("\n", ",\n")
    assert "\t4229034.5\t" in ranking_text([(4229034.5, "best")])


# ---- bad input ----


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ([], "name agents to play"),
        (["random"], "random has nobody to play"),
        (["random", "human"], "people do not play tournaments"),
        (["random", "randm"], "no agent is called 'randm'; did you mean random"),
        (["random", "first", "random"], "random and random are the same agent"),
        (["perfect", "perfect(skill=1)"], "are the same agent"),
    ],
)
def test_bad_lists_of_agents_get_a_clear_line(plain, agents, message):
    with pytest.raises(ludus.LudusError, match=message.replace("(", r"\(").replace(")", r"\)")):
        tournament(NIM, agents, 2)


def test_agents_of_another_game_are_refused_before_anything_is_played(plain, tmp_path, league, forbid_play):
    run = finished(tmp_path / "run")
    forbid_play()
    with pytest.raises(ludus.LudusError, match=r"run was trained on .*; it cannot play tic-tac-toe"):
        tournament("tic-tac-toe", ["random", "first", str(run.path)], 2, league=league)


def test_a_tournament_has_games(plain):
    with pytest.raises(ludus.LudusError, match="1 game or more, not 0"):
        tournament(NIM, AGENTS, 0)


def test_an_unknown_place_to_compute_is_refused(plain):
    with pytest.raises(ludus.LudusError, match="'mars' is no place to compute on"):
        tournament(NIM, AGENTS, 2, on="mars")


def test_a_program_with_a_quotation_that_does_not_end_is_refused(plain):
    with pytest.raises(ludus.LudusError, match="cmd:'bot cannot be started: No closing quotation"):
        tournament(NIM, ["cmd:'bot", "random"], 2)
