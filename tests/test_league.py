"""The standing league: kept on disk, added up, and shown through the real entry points."""

import json
import sqlite3

import pytest
from trained import NIM

import ludus as package
from ludus.arena.league import League, Member, Stored
from ludus.arena.tournament import standing_of, tournament


@pytest.fixture
def league(tmp_path):
    with League(tmp_path / "league.sqlite") as opened:
        yield opened


COUNTS = (3, 2, 0, 0, 1, 4, 0, 0)


def test_what_is_put_in_is_found_again_after_it_was_closed(tmp_path):
    with League(tmp_path / "l") as league:
        league.put("g", Stored("a", "b", "0", 10, COUNTS))
    with League(tmp_path / "l") as league:
        assert league.get("g", "a", "b", "0", 10) == COUNTS
        assert league.get("g", "a", "b", "1", 10) is None
        assert league.get("other", "a", "b", "0", 10) is None


def test_of_one_seed_only_the_longest_meeting_counts(league):
    for games, seed in ((10, "0"), (20, "0"), (10, "1")):
        league.put("g", Stored("a", "b", seed, games, tuple(games // 10 * n for n in COUNTS)))
    assert [(one.seed, one.games, one.counts[0]) for one in league.meetings("g")] == [("0", 20, 6), ("1", 10, 3)]


def test_a_member_is_called_as_it_was_named_last(league):
    league.join("g", [Member("a", "old", "old"), Member("b", "other", "other")])
    league.join("g", [Member("a", "new", "runs/new")])
    assert league.members("g") == [Member("a", "new", "runs/new"), Member("b", "other", "other")]


def test_a_tournament_stores_the_name_of_its_game_in_the_league(plain, league):
    tournament(NIM, ["random", "first"], 10, league=league)
    assert league.names() == {package.fingerprint(package.make_game(NIM)): NIM}


def test_the_standing_adds_up_all_tournaments(plain, league):
    tournament(NIM, ["random", "first"], 10, league=league)
    tournament(NIM, ["random", "last"], 20, seed=1, league=league)
    stood = standing_of(package.make_game(NIM), league)
    names = [member.name for member in stood.members]
    assert sorted(names) == ["first", "last", "random"]
    assert [stood.record(names.index(name))[0] for name in ("random", "first", "last")] == [30, 10, 20]
    assert sum(stood.record(place)[1] for place in range(3)) == 30
    assert stood.ratings.players[names.index("random")].points == 0


def test_members_of_one_name_are_distinguished(plain, league):
    game = package.make_game(NIM)
    tournament(game, ["random", "first"], 10, league=league)
    key = package.fingerprint(game)
    league.join(key, [Member("f" * 32, "random", "random")])
    league.put(key, Stored("f" * 32, league.members(key)[0].digest, "0", 10, COUNTS))
    assert {"random", "random [ffffff]"} & {member.name for member in standing_of(game, league).members}
    assert len({member.name for member in standing_of(game, league).members}) == 3


def test_a_game_that_nobody_played_is_reported_in_a_line(plain, league):
    with pytest.raises(package.LudusError, match=r"nobody has played .* yet: ludus tournament"):
        standing_of(package.make_game(NIM), league)


def test_a_file_that_is_no_league_is_reported_in_a_line(tmp_path):
    (tmp_path / "l").write_text("no database at all, but long enough to be looked into" * 9)
    with pytest.raises(package.LudusError, match="l cannot be used: file is not a database"):
        League(tmp_path / "l")


def test_a_league_of_another_version_is_refused(tmp_path):
    with sqlite3.connect(tmp_path / "l") as file:
        file.execute("pragma user_version = 99")
    file.close()
    with pytest.raises(package.LudusError, match="another version of Ludus"):
        League(tmp_path / "l")


# ---- the commands ----


@pytest.mark.slow
def test_a_tournament_from_the_command_line_ends_in_tables_files_and_the_league(ludus, home, tmp_path):
    nothing = {"NUMBA_DISABLE_JIT": "1"}
    held = ludus("tournament", NIM, "first", "last", "--anchors", "--games", "20", "--out", str(home / "t"), **nothing)
    assert held.returncode == 0, held.stderr
    assert "moving first" in held.stdout
    assert max(map(len, held.stdout.splitlines()[:20])) <= 80
    written = {path.name for path in (home / "t").iterdir()}
    assert written == {f"tournament1.{kind}" for kind in ("csv", "txt", "json", "html")}
    reported = json.loads((home / "t" / "tournament1.json").read_text())
    assert [one["name"] for one in reported["agents"]] == ["first", "last", "perfect", "random"]
    assert reported["ranking"][0]["agent"] == "perfect"
    assert len(reported["meetings"]) == 6
    page = (home / "t" / "tournament1.html").read_text()
    assert "<script src=" not in page
    assert "the row moving first, exactly" in page
    ratings = ludus("ratings", NIM, "--json", **nothing)
    assert ratings.returncode == 0, ratings.stderr
    standing = json.loads(ratings.stdout)
    assert [entry["games"] for entry in standing["ratings"]] == [60] * 4
    assert next(e["rating"] for e in standing["ratings"] if e["agent"] == "random") == 0
    assert "the league" in ludus("ratings", NIM, **nothing).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tournament", NIM), "ludus: name agents to play, for example: random smart-random perfect\n"),
        (("tournament", "no-such", "random", "first"), "ludus: no game is called 'no-such'"),
        (("ratings", NIM), "ludus: nobody has played"),
    ],
)
def test_bad_input_is_reported_in_one_line(ludus, home, arguments, message):
    reported = ludus(*arguments, NUMBA_DISABLE_JIT="1")
    assert reported.returncode == 2
    assert reported.stderr.startswith(message)
    assert reported.stderr.count("\n") == 1
