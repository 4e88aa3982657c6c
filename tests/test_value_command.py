"""`ludus value` through its real entry point, and its page."""

import csv
import doctest
import json
import re
import shlex

import pytest
from conftest import TESTS

PLAIN = {"NUMBA_DISABLE_JIT": "1"}
DOCS = TESTS.parent / "docs"


def test_a_position_prints_its_value_alone(ludus):
    done = ludus("value", "T__TTFTFF_F", **PLAIN)
    assert (done.returncode, done.stdout) == (0, "1\n")


def test_json_holds_value_outcome_mean_and_temperature(ludus):
    document = json.loads(ludus("value", "TTT__FFF", "--json", **PLAIN).stdout)
    assert (document["value"], document["outcome"], document["mean"], document["temperature"]) == (
        "+-1/8",
        "N",
        0,
        0.125,
    )
    assert document["options"]["Toads"] == [{"action": "1 slides to 4", "value": "1/8"}]


def test_options_show_what_each_move_leads_to(ludus):
    lines = ludus("value", "T_TFF", "--options", **PLAIN).stdout.splitlines()
    assert lines[0] == "^"
    assert lines[1].startswith("Toads win, whoever moves first; mean 0, temperature 0")
    assert [line.split() for line in lines[3:]] == [
        ["Toads", "2", "slides", "to", "2", "0"],
        ["Frogs", "1", "hops", "to", "2", "*"],
    ]


def test_explain_shows_dead_pieces_and_the_sum_of_the_parts(ludus):
    text = ludus("value", "T__TTFTFF_F", "--explain", **PLAIN).stdout
    assert "Squares 4 to 9 hold dead pieces" in text
    assert "T__ = 2\n_F = -1\n2 + -1 = 1\n" in text


def test_explain_names_the_death_leap_principle(ludus):
    assert "Death Leap Principle" in ludus("value", "TFTF_", "--explain", **PLAIN).stdout


def test_explain_names_the_death_leap_principle_inside_a_part(ludus):
    text = ludus("value", "TFTF_TTFFT__", "--explain", **PLAIN).stdout
    assert "Death Leap Principle in TFTF_ (squares 1 to 5)" in text
    assert "0 + 2 = 2" in text


def test_another_game_is_named(ludus):
    done = ludus("value", "xxxo", "--game", str(TESTS.parent / "examples" / "clobber.py"), **PLAIN)
    assert done.stdout == "^^*\n"


def test_a_table_is_shown_and_written(ludus, tmp_path):
    path = tmp_path / "starts.csv"
    done = ludus("value", "--table", "3", "2", "3", "--squares", "8", "--csv", str(path), **PLAIN)
    assert "+-1/8" in done.stdout
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert len(rows) == 18
    assert {"toads": "3", "gaps": "2", "frogs": "2", "value": "{1/2|0}"}.items() <= rows[-2].items()


def test_families_show_what_holds(ludus):
    document = json.loads(ludus("value", "--families", "--squares", "7", "--json", **PLAIN).stdout)
    assert [family["fails"] for family in document] == [[]] * 8


def test_a_thermograph_is_a_page_of_its_own(ludus, tmp_path):
    path = tmp_path / "hot.html"
    assert ludus("value", "TT_F", "--thermograph", str(path), **PLAIN).returncode == 0
    assert "tax on a move" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "say one of these"),
        (("T_F", "--families"), "say one of these"),
        (("hello",), "no game reads 'hello' as a position"),
        (("XX./OO./...",), "TicTacToe has no canonical forms: the player who cannot move does not always lose in it"),
        (("TX", "--game", "toads-and-frogs"), "a strip is 1 to 62 squares"),
        (("--table", "0", "1", "1"), "at least 1 toad, gap and frog"),
        (("T_F", "--squares", "5"), "--squares goes with --table or --families, not with a position"),
        (("--table", "2", "2", "2", "--explain"), "--explain goes with a position, not with --table"),
        (("--families", "--csv", "x.csv"), "--csv goes with --table, not with --families"),
        (("--symmetric", "3", "3", "--game", "mancala"), "--game goes with a position, not with --symmetric"),
        (("T_F", "--number", "1"), "--number goes with --symmetric, not with a position"),
        (("--symmetric", "20", "20"), "T^20 []^20 F^20 has 60 squares: the pass takes strips of 1 to 40"),
        (("T^10_^10F^10", "--memory", "0.01"), "GB of memory would be needed, and only 0.01 GB may be used"),
        (("--table", "9", "9", "9", "--squares", "27", "--memory", "0.01"), "and only 0.01 GB may be used"),
    ],
)
def test_wrong_input_is_reported_in_one_line(ludus, arguments, message):
    done = ludus("value", *arguments, **PLAIN)
    assert done.returncode == 2
    *before, last = done.stderr.splitlines()
    assert message in last
    assert all(line.startswith("exploring") for line in before)  # on a busy machine


def test_the_page_on_canonical_forms_gives_what_it_shows(plain):
    assert doctest.testfile(str(DOCS / "canonical-forms.md"), module_relative=False).failed == 0


def test_the_page_on_strips_gives_what_it_shows():
    result = doctest.testfile(str(DOCS / "toads-and-frogs.md"), module_relative=False)
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.mark.slow
def test_the_quick_commands_of_the_page_on_strips_print_what_it_says(ludus):
    page = (DOCS / "toads-and-frogs.md").read_text()
    for command, printed in re.findall(r"^ludus (value [^\n]*?) {2,}(\S.*)$", page, re.MULTILINE):
        assert ludus(*shlex.split(command)).stdout.replace("\n", ", ").removesuffix(", ") == printed
