"""Schedules and rates: how they are written, and what they come to."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.compiled.compiling import kernel
from ludus.learning.loop.settings import Rate, Schedule, SecondShare, rate_now, share_now

shares = st.floats(0, 1).filter(lambda number: number == 0 or number > 1e-300)


@pytest.mark.parametrize(
    ("text", "games", "lost", "expected"),
    [
        ("0.1", 0, 0.5, 0.1),
        ("0.1", 10**9, 1.0, 0.1),
        ("1", 7, 0.0, 1.0),
        ("0", 7, 0.0, 0.0),
        (".5", 7, 0.0, 0.5),
        ("1e-3", 7, 0.0, 0.001),
        ("1..0.05@20000", 0, 0.5, 1.0),
        ("1..0.05@20000", 10_000, 0.5, 0.525),
        ("1..0.05@20000", 20_000, 0.5, 0.05),
        ("1..0.05@20000", 10**9, 0.5, 0.05),
        ("0.1..0.9@10", 5, 0.5, 0.5),
        ("0.9..0.1@0", 0, 0.5, 0.9),
        ("0.9..0.1@0", 1, 0.5, 0.1),
        ("0.9/sqrt", 0, 0.5, 0.9),
        ("0.9/sqrt", 3, 0.5, 0.45),
        ("0.9/sqrt", 99, 0.5, 0.09),
        ("0.5..0.01@results", 10**6, 1.0, 0.5),
        ("0.5..0.01@results", 0, 0.0, 0.01),
        ("0.5..0.1@results", 3, 0.25, 0.2),
    ],
)
def test_a_schedule_comes_to_what_its_words_say(text, games, lost, expected):
    assert share_now(Schedule.parse(text), games, lost) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "times", "expected"),
    [
        ("0.5", 1, 0.5),
        ("0.5", 1000, 0.5),
        ("1", 1000, 1.0),
        ("1/n", 1, 1.0),
        ("1/n", 4, 0.25),
        ("1/n^1", 4, 0.25),
        ("1/n^0.5", 4, 0.5),
        ("1/n^0.7", 1, 1.0),
        ("1/n^0.7", 10, 10**-0.7),
    ],
)
def test_a_rate_comes_to_what_its_words_say(text, times, expected):
    assert rate_now(Rate.parse(text), times) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["0.1", "1", "0", "1..0.05@20000", "0.9/sqrt", "0.5..0.01@results", "1e-05"])
def test_a_schedule_is_written_as_it_was_read(text):
    assert str(Schedule.parse(text)) == text


@pytest.mark.parametrize("text", ["0.5", "1", "1/n", "1/n^0.7"])
def test_a_rate_is_written_as_it_was_read(text):
    assert str(Rate.parse(text)) == text


@given(shares, shares, st.integers(0, 10**12), st.sampled_from(["{0}", "{0}/sqrt", "{0}..{1}@{2}", "{0}..{1}@results"]))
def test_no_digit_of_a_schedule_is_lost_when_it_is_written(start, end, games, form):
    schedule = Schedule.parse(form.format(start, end, games))
    assert schedule.start == start
    assert Schedule.parse(str(schedule)) == schedule


@given(shares.filter(lambda number: number > 0), st.sampled_from(["{0}", "1/n^{0}"]))
def test_no_digit_of_a_rate_is_lost_when_it_is_written(number, form):
    rate = Rate.parse(form.format(number))
    assert number in rate
    assert Rate.parse(str(rate)) == rate


@pytest.mark.parametrize(
    "text",
    ["", "often", "-0.1", "1..0.05", "1..@10", "..0.1@10", "1..0.05@-3", "1/n", "0.9/sqrt2", "nan", "inf", "0,1"],
)
def test_a_schedule_in_other_words_is_refused_with_examples(text):
    with pytest.raises(ValueError, match=r"^write 0\.1, 1\.\.0\.05@20000, 0\.9/sqrt or 0\.5\.\.0\.01@results, not '"):
        Schedule.parse(text)


@pytest.mark.parametrize("text", ["2", "1.1/sqrt", "0.5..2@10", "2..0.5@results", "1e5"])
def test_a_share_above_one_is_refused(text):
    with pytest.raises(ValueError, match=r"^shares are 0 to 1, not "):
        Schedule.parse(text)


@pytest.mark.parametrize("text", ["", "n", "1/m", "-0.5", "1/n^", "1/n^-1", "2/n", "0.9/sqrt", "nan"])
def test_a_rate_in_other_words_is_refused_with_examples(text):
    with pytest.raises(ValueError, match=r"^write 0\.5, 1/n or 1/n\^0\.7, not '"):
        Rate.parse(text)


@pytest.mark.parametrize("text", ["0", "2", "1/n^0", "1/n^1.5"])
def test_a_rate_of_nothing_or_above_one_is_refused(text):
    with pytest.raises(ValueError, match=r"^a rate is above 0 and at most 1, and so is its power, not "):
        Rate.parse(text)


@kernel
def both(schedule, rate, games, lost, out):
    """A share and a rate, out of compiled code."""
    out[0], out[1] = share_now(schedule, games, lost), rate_now(rate, games)


def test_shares_and_rates_are_the_same_to_the_last_bit_compiled_and_plain():
    import numpy as np

    out = np.zeros(2)
    for share in ("0.3", "0.9..0.1@1000", "0.9/sqrt", "0.5..0.01@results"):
        for rate in ("0.3", "1/n", "1/n^0.7"):
            for games in (1, 2, 3, 10, 999, 1000, 123_457):
                both(Schedule.parse(share), Rate.parse(rate), games, 0.37, out)
                assert out[0] == share_now(Schedule.parse(share), games, 0.37)
                assert out[1] == rate_now(Rate.parse(rate), games)
                assert math.isfinite(out.sum())


@pytest.mark.parametrize("text", ["same", "0.2", "1..0.05@20000"])
def test_epsilon_second_is_parsed_like_epsilon(text):
    assert str(SecondShare.parse(text)) == text
