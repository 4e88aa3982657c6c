"""Crib sheets: they hold what they say against everything, and no smaller ones do."""

import re
from functools import cache
from itertools import count

import pytest
from conftest import EXAMPLES, TESTS

import ludus as library
from ludus.agents.perfect import truth_about
from ludus.commands.crib import as_text, to_json
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import swaps_players, symmetries, transform, transform_action
from ludus.puzzles import crib_sheets
from ludus.puzzles.selection import Found, fewest
from ludus.solving.solver import search

LOOP = str(TESTS / "loop_game.py")
NIM = str(TESTS / "user_games" / "nim.py")
PIG = str(EXAMPLES / "pig.py")


@cache
def sheet_of(name, seat=None, agent=None, seconds=60.0):
    made = None if agent is None else library.make_agent(agent)
    return library.crib(library.make_game(name), seat, made, seconds=seconds)


# ---- an independent proof ----


def images(game, pos, taken):
    """A position with its actions, and all that are alike while the players stay who they are."""
    for symmetry in range(symmetries(game)):
        if symmetry == 0 or not swaps_players(game, symmetry):
            yield transform(game, pos, symmetry), {transform_action(game, pos, a, symmetry) for a in taken}


def table_of(sheet):
    """What the sheet says to do, by position."""
    table = {}
    for entry in sheet.entries:
        shown = images(sheet.game, entry.position, entry.actions) if sheet.symmetric else [entry[:2]]
        for pos, taken in shown:
            table[pos] = table.get(pos, set()) | set(taken)
    return table


def leads_to(game, player, table, pos):
    """What may follow: what the table says, if the player moves and it says anything, else whatever is legal."""
    taken = table.get(pos) if game.player(pos) == player else None
    return {game.play(pos, action) for action in (actions(game.legal(pos)) if taken is None else taken)}


def play_under(game, player, table):
    """Every position that can arise, and what may follow it."""
    after, waiting = {}, [game.start()]
    while waiting:
        pos = waiting.pop()
        if pos not in after:
            after[pos] = leads_to(game, player, table, pos)
            waiting += after[pos]
    return after


def always_ends(after):
    """Whether taking away positions from which nothing is left to follow takes all away."""
    left = dict(after)
    while over := [pos for pos, others in left.items() if not any(other in left for other in others)]:
        for pos in over:
            del left[pos]
    return not left


def holds(game, player, table, result):
    return is_held(game, player, play_under(game, player, table), result)


def is_held(game, player, after, result):
    """Whether a result is held where these positions can arise."""
    scores = [game.score(pos) * (1, -1)[player] for pos, others in after.items() if not others]
    if result == "draw":
        return all(score >= 0 for score in scores)
    return all(score > 0 for score in scores) and always_ends(after)


SEATS = [
    ("tic-tac-toe", "first"),
    ("tic-tac-toe", "second"),
    ("tapnswap", None),
    ("tapnswap(limit=2)", "first"),
    ("tapnswap(limit=2)", "second"),
    ("tapnswap(limit=3)", None),
    ("fox-and-hounds(size=4)", None),
    ("toads-and-frogs", None),
    ("mancala(holes=2, stones=3)", None),
    (NIM, None),
    (f"{NIM}(a=1, b=2, c=3)", "second"),
    (LOOP, None),
]


@pytest.mark.parametrize(("name", "seat"), SEATS)
def test_a_sheet_holds_its_result_whatever_is_done_elsewhere(name, seat):
    sheet = sheet_of(name, seat)
    assert sheet.method == "exact"
    assert holds(sheet.game, sheet.player, table_of(sheet), sheet.result)


@pytest.mark.parametrize(("name", "seat"), SEATS)
def test_no_entry_can_be_left_out(name, seat):
    sheet = sheet_of(name, seat)
    for entry in sheet.entries:
        fewer = sheet._replace(entries=tuple(other for other in sheet.entries if other is not entry))
        assert not holds(sheet.game, sheet.player, table_of(fewer), sheet.result)


@pytest.mark.parametrize("name", ["tapnswap", "tapnswap(limit=3)", "tapnswap(limit=5)", "toads-and-frogs"])
def test_a_greedy_sheet_holds_its_result_too(name):
    greedy = sheet_of(name, seconds=0.0)
    assert (greedy.method, greedy.at_least) == ("greedy", None)
    assert holds(greedy.game, greedy.player, table_of(greedy), greedy.result)


# ---- none is smaller ----


def smallest(game, player, result):
    """The size of the smallest sheet, by trying all of them."""
    return next(size for size in count() if is_enough(game, player, result, size, {}, frozenset()))


def is_enough(game, player, result, size, table, left_open):
    """Whether this many more entries can complete a sheet in which some positions allow any action."""
    after, waiting, undecided = {}, [game.start()], set()
    while waiting:
        pos = waiting.pop()
        if (
            game.player(pos) == player
            and len(actions(game.legal(pos))) > 1
            and pos not in left_open
            and pos not in table
        ):
            undecided.add(pos)
        elif pos not in after:
            after[pos] = leads_to(game, player, table, pos)
            waiting += after[pos]
    if not undecided or not is_held(game, player, after, result):
        return is_held(game, player, after, result)
    pos = min(undecided)
    alike = frozenset(image for image, _ in images(game, pos, ()))
    if is_enough(game, player, result, size, table, left_open | alike):
        return True
    entries = [dict(images(game, pos, [action])) for action in actions(game.legal(pos))] if size else []
    return any(is_enough(game, player, result, size - 1, table | entry, left_open) for entry in entries)


@pytest.mark.parametrize(
    ("name", "player", "result"),
    [
        (f"{NIM}(a=1, b=1, c=0)", 1, "win"),
        (f"{NIM}(a=1, b=2, c=0)", 0, "win"),
        (f"{NIM}(a=2, b=2, c=0)", 1, "win"),
        (f"{NIM}(a=1, b=2, c=2)", 0, "win"),
        (f"{NIM}(a=2, b=2, c=0, misere=true)", 1, "win"),
        ("fox-and-hounds(size=4)", 1, "win"),
        ("toads-and-frogs(toads=2, gaps=2, frogs=2)", None, "win"),
        ("tapnswap(limit=2)", 0, "draw"),
        ("mancala(holes=2, stones=2)", 0, "win"),
        (LOOP, 0, "win"),
    ],
)
def test_no_smaller_sheet_holds(name, player, result):
    sheet = sheet_of(name, None if player is None else ("first", "second")[player])
    assert (sheet.result, sheet.at_least) == (result, len(sheet.entries))
    assert smallest(sheet.game, sheet.player, result) == len(sheet.entries)


def lines():
    """The games on the page, with the size of the smallest sheet."""
    page = (TESTS.parent / "docs" / "cribs.md").read_text()
    return re.findall(r"^\| `(.+)` \| (first|second) \| (win|draw) \| (\d+) \|", page, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seat", "result", "size"), lines())
def test_the_page_gives_the_sizes(name, seat, result, size):
    sheet = sheet_of(name, seat)
    assert (sheet.method, sheet.result, len(sheet.entries)) == ("exact", result, int(size))


def test_the_second_player_of_tapnswap_needs_38_positions():
    sheet = sheet_of("tapnswap")
    assert (sheet.player, sheet.result, len(sheet.entries), sheet.at_least) == (1, "win", 38, 38)


def test_a_win_does_not_go_round_for_ever():
    sheet = sheet_of(LOOP)
    assert [(entry.position.square, entry.actions) for entry in sheet.entries] == [(0, (1,))]


def test_where_anything_wins_nothing_must_be_known():
    sheet = sheet_of(f"{NIM}(a=1, b=1, c=1)")
    assert (sheet.player, sheet.entries, sheet.at_least) == (0, (), 0)
    assert as_text(sheet).endswith("First can guarantee a win by knowing nothing: anything will do\n")


def test_entries_are_in_the_order_in_which_they_can_arise():
    plies = [entry.ply for entry in sheet_of("tapnswap").entries]
    assert plies == sorted(plies)
    assert plies[0] == 1


def test_entries_count_the_actions_that_hold():
    start = sheet_of("tic-tac-toe", "first").entries[0]
    assert (start.ply, start.holding, start.legal) == (0, 9, 9)
    assert min(entry.holding for entry in sheet_of("tic-tac-toe", "first").entries) == 1


# ---- when time is up ----


def test_a_sheet_that_is_not_proven_the_smallest_gives_the_bound(monkeypatch):
    monkeypatch.setattr(crib_sheets, "fewest", lambda region, seconds: Found(fewest(region, seconds).choice, 5))
    sheet = library.crib(library.make_game("fox-and-hounds(size=4)"))
    assert (sheet.method, len(sheet.entries), sheet.at_least) == ("cut off", 7, 5)
    assert "7 positions, the best found in time; no fewer than 5 would do" in as_text(sheet)


def test_a_greedy_sheet_says_so():
    sheet = sheet_of("fox-and-hounds(size=4)", seconds=0.0)
    assert "positions, chosen greedily; fewer may do" in as_text(sheet)


def test_a_greedy_sheet_as_small_as_the_bound_is_exact(monkeypatch):
    monkeypatch.setattr(crib_sheets, "fewest", lambda region, seconds: Found(None, 7))
    assert library.crib(library.make_game("fox-and-hounds(size=4)")).method == "exact"


# ---- how an agent plays ----


class Lowest:
    """The lowest action that keeps the value: unlike in positions alike."""

    def policy(self, game, pos, out):
        values = truth_about(game, game.start()).actions(pos)
        side = (1, -1)[game.player(pos)]
        out[max(values, key=lambda action: (side * values[action].score, -action))] = 1


@pytest.mark.parametrize(("name", "seat"), [("tapnswap", None), ("tic-tac-toe", "second")])
def test_the_sheet_of_an_agent_holds_and_is_no_smaller_than_the_smallest(name, seat):
    sheet = sheet_of(name, seat, "perfect")
    assert (sheet.method, sheet.agent, sheet.at_least, sheet.symmetric) == ("agent", "perfect", None, True)
    assert holds(sheet.game, sheet.player, table_of(sheet), sheet.result)
    assert len(sheet.entries) >= len(sheet_of(name, seat).entries)


def test_an_agent_that_plays_unlike_in_positions_alike_has_every_position_listed():
    sheet = library.crib(library.make_game("tic-tac-toe"), "second", Lowest())
    assert not sheet.symmetric
    assert holds(sheet.game, sheet.player, table_of(sheet), "draw")
    assert all(len(entry.actions) == 1 for entry in sheet.entries)
    assert "An entry holds for its own position" in as_text(sheet)


def test_an_agent_that_does_not_hold_the_result_is_refused():
    words = "first guarantees no more than a loss as Second, who can guarantee a win"
    with pytest.raises(LudusError, match=f"^{words}$"):
        sheet_of("tapnswap", "second", "first")


# ---- what has no sheet ----


def test_a_lost_seat_has_no_sheet():
    with pytest.raises(LudusError, match="tapnswap is lost for First: there is no result to hold in that seat"):
        sheet_of("tapnswap", "first")


def test_a_seat_is_first_or_second():
    with pytest.raises(LudusError, match="seat must be first or second, not 'third'"):
        sheet_of("tapnswap", "third")


def test_a_game_of_chance_has_no_sheet():
    with pytest.raises(LudusError, match="no crib sheets in a game of chance"):
        sheet_of(f"{PIG}(target=3, faces=2)")


def test_a_game_too_large_to_list_has_no_sheet(monkeypatch):
    monkeypatch.setattr(crib_sheets, "truth_about", lambda game, start: search(game, start, 1 << 22, None))
    with pytest.raises(LudusError, match="tic-tac-toe is too large to enumerate"):
        library.crib(library.make_game("tic-tac-toe"))


# ---- for people and machines ----

HOUNDS = """\
fox-and-hounds(size=4): Hounds can guarantee a win by knowing 7 positions, the fewest possible
An entry holds for all positions that are equal to it up to symmetry; in all others any action will do.

    ply  position         action  holding
"""


def test_a_sheet_as_a_table():
    text = as_text(sheet_of("fox-and-hounds(size=4)"))
    assert text.startswith(HOUNDS)
    assert "1.    2  b2 b4 d4 hounds  d4-c3   1 of 3\n" in text
    assert len(text.splitlines()) == 4 + 7


def test_a_sheet_with_boards():
    text = as_text(sheet_of("tic-tac-toe", "first"), boards=True)
    assert "1. after 0 plies: .../.../...\n\n   3  .  .  .\n" in text
    assert "   b2  (9 of 9 actions hold)\n" in text


def test_a_sheet_as_json():
    document = to_json(sheet_of("fox-and-hounds(size=4)"))
    entry = document.pop("entries")[0]
    assert document == {
        "game": "fox-and-hounds(size=4)",
        "seat": "second",
        "player": 1,
        "result": "win",
        "agent": None,
        "method": "exact",
        "size": 7,
        "at_least": 7,
        "symmetric": True,
        "positions": 17,
    }
    assert entry == {
        "position": "b2 b4 d4 hounds", "ply": 2, "actions": [2], "names": ["d4-c3"], "holding": 1, "legal": 3
    }  # fmt: skip


def test_the_command_writes_a_file(ludus, tmp_path):
    path = tmp_path / "hounds.txt"
    done = ludus("crib", "fox-and-hounds(size=4)", "--out", str(path), NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{HOUNDS.splitlines()[0]}\nwritten to {path}\n"
    assert path.read_text() == as_text(sheet_of("fox-and-hounds(size=4)"))


def test_the_command_refuses_in_one_line(ludus):
    done = ludus("crib", "fox-and-hounds(size=4)", "--agent", "last", NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ludus: last guarantees no more than a loss as Hounds, who can guarantee a win\n"


def test_only_agents_are_vouched_for(ludus):
    done = ludus("crib", "tapnswap", "--vouch")
    assert (done.returncode, done.stderr) == (2, "ludus: --vouch is for an outside program: name it with --agent\n")
