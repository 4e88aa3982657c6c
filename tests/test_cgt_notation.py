"""Forms print as people write them, and what is printed reads back."""

import pytest
from hypothesis import given
from test_cgt_forms import forms

from ludus.cgt.forms import form, game, star, switch, tiny, up
from ludus.cgt.notation import name
from ludus.errors import LudusError

pytestmark = pytest.mark.usefixtures("plain")


@given(forms)
def test_what_is_printed_reads_back(x):
    assert form(str(x)) == x


@pytest.mark.parametrize("ups", range(-4, 5))
@pytest.mark.parametrize("size", range(5))
def test_ups_and_nimbers_have_names_without_braces(ups, size):
    value = up(ups) + star(size) + 2
    assert "{" not in str(value)
    assert form(str(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda: game([0.5], [0]), "{1/2|0}"),
        (lambda: star() + 3, "3*"),
        (lambda: up(2) + star(), "^^*"),
        (lambda: up(-3), "v3"),
        (lambda: switch(0.125), "+-1/8"),
        (lambda: game([2], [game([1], [0])]), "{2||1|0}"),
        (lambda: switch(switch(3, 1)), "+-{3|1}"),
        (lambda: game([1, switch(2, 0)], [-1]), "{1,{2|0}|-1}"),
        (lambda: tiny(2), "tiny(2)"),
        (lambda: -tiny(2), "miny(2)"),
        (lambda: up() - 1, "-1^"),
    ],
)
def test_forms_have_their_usual_names(value, text):
    assert str(value()) == text
    assert form(text) == value()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("±1", "+-1"),
        ("↑*", "{0,*|0}"),
        ("{|}", "0"),
        ("1 - 1/2", "1/2"),
        ("-(^ + 1)", "-1v"),
        ("{2 | 1 || 0}", "{{2|1}|0}"),
    ],
)
def test_other_spellings_read_alike(text, same):
    assert form(text) == form(same)


TOO_MUCH = (
    "9" * 400,
    "9" * 5000,
    "1/" + "9" * 5000,
    "*" + "9" * 5000,
    "-" * 5000,
    "0".join("|" * n for n in range(400)),
)


@pytest.mark.parametrize(
    "text",
    ["", "{1|", "{1|2|3}", "{1}", "x", "+", "1//2", "*1024", "^1001", "1/3", "(" * 200, "1/0", "{1|2}}", "tiny(-1)"],
)
def test_nonsense_is_refused_in_one_line(text):
    with pytest.raises(LudusError) as refusal:
        form(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", TOO_MUCH, ids=range(len(TOO_MUCH)))
def test_too_much_text_is_refused_in_a_short_line(text):
    with pytest.raises(LudusError) as refusal:
        form(text)
    assert len(str(refusal.value)) < 200


def test_a_long_form_is_printed_as_mean_and_temperature():
    assert name(form("{2||1|0}"), 5) == "about 5/4, temperature 3/4"


def test_notebooks_get_latex():
    assert form("{1/2||^|v*}")._repr_latex_() == (r"$\{\tfrac{1}{2} \mathrel{||} {\uparrow} \mid {\downarrow}{*}\}$")


def test_large_nimbers_are_named_at_once():
    assert str(star(60)) == "*60"


@pytest.mark.parametrize("text", ["*65", "*200", "^1000", "v70*3", "2^65*", "-10000", f"1/{2**1000}"])
def test_large_names_read_back(text):
    assert str(form(text)) == text


def test_what_is_beyond_names_is_written_with_braces():
    value = up(1000) + up(2)
    assert str(value) == "{0||0|^1000}"
    assert form(str(value)) == value


def test_many_signs_are_read():
    assert form("-" * 5001 + "^") == up(-1)
    assert form("--1^") == form("1v")


def test_brackets_too_deep_to_be_read_are_not_written(monkeypatch):
    deep = form("{1,{2|0}|-1}")
    monkeypatch.setattr("ludus.cgt.notation.DEEPEST", 1)
    assert name(deep) == "about 0, temperature 1"


@pytest.mark.parametrize("size", [-1, 1.5, 1024, 10**4000], ids=range(4))
def test_a_nimber_of_no_size_is_refused(size):
    with pytest.raises(LudusError, match="a nimber has a size of 0 to 1023"):
        star(size)


@pytest.mark.parametrize("times", [1001, -1001, 1.5])
def test_too_many_ups_are_refused(times):
    with pytest.raises(LudusError, match="ups and downs come up to 1000 times"):
        up(times)
