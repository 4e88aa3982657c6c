"""Other settings of the Chung Toi paper's learner, lambda towards 0 and 1, and ten times the games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED, Curves, Level, Part, Table, Words
from ludus.study.paper import Judged, Lab
from ludus.study.paper.tasks import Working, commands
from ludus.study.paper.verdict import by_sign, difference, mean, series
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.plan import EASY, HELPED, NO_JUMPING, PAPER_GAMES, PLAIN, RESULTS, SMART, TWO, many
from ludus_papers.chung_toi.readings import Wins, networks, wins_of

_SEEDS = 20  # of each setting
_MORE = 10  # times the paper's games
_MATTERS = 0.03  # the margin of shares in numbers.toml
_PLAYS = (RESULTS, HELPED)
_FITTING = (EASY, NO_JUMPING)
_AS_PAPER, _NO_HELP = "as in the paper", "no help in training"
_SETTINGS: dict[str, dict[str, str]] = {
    _AS_PAPER: {},
    "not annealed": {"alpha": "0.0012", "epsilon": "0.15"},
    "a third of the rate": {"alpha": f"0.0004..0@{PAPER_GAMES}"},
    "three times the rate": {"alpha": f"0.0036..0@{PAPER_GAMES}"},
    "ten times the rate": {"alpha": f"0.012..0@{PAPER_GAMES}"},
    "ten times the rate, not annealed": {"alpha": "0.012", "epsilon": "0.15"},
    "10 hidden units": {"hidden": "10"},
    "100 hidden units": {"hidden": "100"},
    "greedy with 0.7 to 1": {"epsilon": f"0.3..0@{PAPER_GAMES}"},
    "greedy with 0.95 to 1": {"epsilon": f"0.05..0@{PAPER_GAMES}"},
    "lambda 0": {"lam": "0.0"},
    "lambda 1": {"lam": "1.0"},
    _NO_HELP: {"smart": "never"},
}
_LAMBDAS = ("0.0", "0.2", "0.4", "0.6", "0.7", "0.8", "0.9", "1.0")
_PLIES = 18  # of a game of the paper's training, about


# ---- other settings ----


def _plays(settings: Mapping[str, str]) -> tuple[str, ...]:
    """The ways of play that leave this training as it is."""
    return _PLAYS[:1] if "smart" in settings else _PLAYS


def other_settings(lab: Lab) -> Working[Sequence[Part]]:
    """The schedules that the text leaves open, and settings that it does not name."""
    lab = many(lab, _SEEDS)
    found = yield {
        "networks": {name: networks(lab, TWO, _plays(each), each) for name, each in _SETTINGS.items()},
        "level": plan.levels(lab),
    }
    level, rows = found["level"], []
    for name, each in _SETTINGS.items():
        after = [wins_of(found["networks"][name], RESULTS, foe).after for foe in (PLAIN, SMART)]
        cells = [mean(values).shown() for values in after]
        if HELPED in _plays(each):
            helped = wins_of(found["networks"][name], HELPED, SMART).after
            cells += [mean(helped).shown(), f"{max(helped):.1%}"]
        rows.append((name, *cells, *[""] * (4 - len(cells))))
    rows.append(("random play", f"{level.plain:.1%}", f"{level.random:.1%}", f"{level.helped:.1%}", ""))
    columns = "training", "won against random play", "against smart-random", "with help in play", "its best seed"
    return [
        Table(
            "settings",
            "Other settings: games won as first player after 2,000 games of training",
            columns,
            rows,
            caption=f"Wins taken by their result, but for the last two columns; {len(lab.seeds)} seeds. The text says"
            " that both parameters were annealed, not how: here linearly to the end.",
        )
    ]


def _both(lab: Lab, settings: Mapping[str, str]) -> Working[dict[str, Wins]]:
    """Networks of these settings and the paper's, with wins taken by their result, against random play."""
    found = yield {name: networks(lab, TWO, (RESULTS,), each) for name, each in ((_AS_PAPER, {}), ("other", settings))}
    return {name: wins_of(each, RESULTS, PLAIN) for name, each in found.items()}


def others_learn(lab: Lab) -> Working[Judged]:
    """Whether other settings learn, too."""
    lab = many(lab, _SEEDS)
    others = {name: each for name, each in _SETTINGS.items() if name not in (_AS_PAPER, _NO_HELP)}
    asked = {name: networks(lab, TWO, _plays(each), each) for name, each in others.items()}
    found = {name: wins_of(each, RESULTS, PLAIN) for name, each in (yield asked).items()}
    gains = {name: difference(wins.after, wins.before) for name, wins in found.items()}
    learned = [name for name, gain in gains.items() if by_sign(gain) == SUPPORTED]
    most, least = max(gains, key=lambda name: gains[name].mean), min(gains, key=lambda name: gains[name].mean)
    words = (
        f"{len(learned)} of {len(others)} other settings surely win more after training than before ({EASY}): from"
        f" {gains[least].gained()} ({least}) to {gains[most].gained()} ({most}). Supported if one does"
    )
    command = commands([each[0] for each in asked.values()], lab.seeds)
    return Judged(SUPPORTED if learned else OPEN, words, command, "more seeds")


def help_needed(lab: Lab) -> Working[Judged]:
    """Whether the help in training improves what is learned."""
    found = yield from _both(lab, _SETTINGS[_NO_HELP])
    gain = difference(found[_AS_PAPER].after, found["other"].after)
    with_help, without = (mean(found[name].after).shown() for name in (_AS_PAPER, "other"))
    words = (
        f"won after it ({EASY}): {with_help} with wins and blocks taken first in training, {without} without,"
        f" {gain.gained()}. Supported if surely more, refuted if surely not {_MATTERS:.0%} more"
    )
    command = commands([networks(lab, TWO, (RESULTS,), each)[0] for each in ({}, _SETTINGS[_NO_HELP])], lab.seeds)
    is_useless = gain.seeds > 1 and gain.mean + gain.sure < _MATTERS
    judged = REFUTED if is_useless else by_sign(gain)
    return Judged(judged, words, command, "more seeds")


# ---- ten times the games ----


def more_games_win(lab: Lab) -> Working[Judged]:
    """Whether ten times the games win more, by the two readings that fit the paper's curve."""
    games = (_MORE * PAPER_GAMES, PAPER_GAMES)
    tasks = {one: {number: networks(lab, one.rules, (one.way,), games=number) for number in games} for one in _FITTING}
    found = yield tasks
    gains = {
        one: difference(*(wins_of(each[number], one.way, one.foe).after for number in games))
        for one, each in found.items()
    }
    words = "; ".join(f"{one}: {gain.gained()}" for one, gain in gains.items())
    evidence = (
        f"{games[0]:,} games instead of {games[1]:,}, won: {words}. Supported if surely more in one and not surely less"
        " in the other, refuted if surely less in one and not surely more in the other"
    )
    command = commands([each[number][0] for each in tasks.values() for number in games], lab.seeds)
    verdicts = {by_sign(gain) for gain in gains.values()}
    settled_by = "more seeds" if OPEN in verdicts else "the authors' program: one reading surely wins more, one less"
    return Judged(_either(verdicts), evidence, command, settled_by)


def _either(verdicts: set[str]) -> str:
    """The one verdict that is not open, else OPEN."""
    sure = verdicts - {OPEN}
    return sure.pop() if len(sure) == 1 else OPEN


# ---- lambda ----


class Weights(NamedTuple):
    """What a position's target is made of: shares of the next value, of all later ones, and of the result."""

    next: Fraction
    later: Fraction
    result: Fraction


def weights(lam: Fraction, left: int) -> Weights:
    """Those of a position with so many plies left, by the sum of the paper's TD errors at a small learning rate.

    The errors P(t+1) - P(t), each times lambda to the power of its distance, telescope to this.
    """
    of_values = [(1 - lam) * lam**n for n in range(left - 1)]
    return Weights(sum(of_values[:1], Fraction(0)), sum(of_values[1:], Fraction(0)), lam ** (left - 1))


def lambdas(lab: Lab) -> Working[Sequence[Part]]:
    """What lambda does to the targets, exactly, and to what is learned."""
    lab = many(lab, _SEEDS)
    found = yield {
        "networks": {lam: networks(lab, TWO, (RESULTS,), {"lam": lam}) for lam in _LAMBDAS},
        "level": plan.levels(lab),
    }
    x = [float(lam) for lam in _LAMBDAS]
    curves = []
    for name, foe in (("against random play", PLAIN), ("against smart-random", SMART)):
        by_seed = zip(*(wins_of(found["networks"][lam], RESULTS, foe).after for lam in _LAMBDAS), strict=True)
        curves.append(series(name, x, list(by_seed)))
    rows = [(lam, *(f"{float(share):.1%}" for share in weights(Fraction(lam), _PLIES))) for lam in _LAMBDAS]
    return [
        Words(
            "Summed over a game, the paper's updates move the value of each position towards a target: a mean of the"
            " values of the positions after it and of the result. Near 0 nearly all of it is the value of the next"
            " position. Towards 1 the values of the positions between cancel, and the result alone remains: all later"
            " positions have a share only between the two."
        ),
        Table(
            "lambda",
            f"What the target of a position is made of, {_PLIES} plies before the end",
            ("lambda", "the next value", "later values", "the result"),
            rows,
            caption="Exact, for a learning rate so small that the network hardly changes during a game.",
        ),
        Curves(
            "lambda-wins",
            "Games won as first player after 2,000 games of training",
            "lambda",
            "won",
            curves,
            Level("random play against itself", found["level"].plain),
            caption=f"Wins taken by their result; means of {len(lab.seeds)} seeds, with the lowest and the highest.",
        ),
    ]


def towards_0(lab: Lab) -> Working[Judged]:
    """Whether only the next state counts as lambda nears 0."""
    yield {}
    near, at = (weights(Fraction(lam), _PLIES) for lam in ("0.01", "0"))
    words = f"of a position's target {float(near.next):.0%} is the value of the next position at lambda 0.01"
    words += f", {float(at.next):.0%} at 0"
    return Judged(PROVED if at.next == 1 else REFUTED, words, f"{lab.command} --only 3")


def towards_1(lab: Lab) -> Working[Judged]:
    """Whether all later states count alike as lambda nears 1."""
    yield {}
    near, at = (weights(Fraction(lam), _PLIES) for lam in ("0.99", "1"))
    words = (
        f"the values of the positions between cancel: {_PLIES} plies before the end they make up"
        f" {float(near.next + near.later):.0%} of the target at lambda 0.99, {float(at.next + at.later):.0%} at 1, and"
        f" the result {float(near.result):.0%} and {float(at.result):.0%}. What is alike for all later states is how"
        " much each error between two of them counts"
    )
    return Judged(REFUTED if at.result == 1 else PROVED, words, f"{lab.command} --only 3")
