"""Which reading of the Chung Toi paper gives its numbers: networks of many seeds, before training and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from types import MappingProxyType
from typing import Any, NamedTuple

import ludus
from ludus.report.document import AGREES, OPEN, REFUTED, SUPPORTED, UNSURE, Bars, Part, Result, Results, Table
from ludus.study.paper import TINY, Judged, Lab
from ludus.study.paper.tasks import Task, Trains, Working, changed, options, preset_settings, start_training
from ludus.study.paper.verdict import Number, mean, verdict
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.plan import (
    BY_TEXT,
    EASY,
    GAME,
    HELPED,
    NO_JUMPING,
    PAPER_GAMES,
    PLAIN,
    READINGS,
    RESULTS,
    RULES,
    SHORT,
    SMART,
    STATED,
    TAUGHT,
    TWO,
    WAYS,
    Reading,
    many,
)

_SEEDS = 160  # of networks that are only evaluated at both ends
_LIKELY = 0.05  # of a reading's networks are like the paper's, at the least, if the reading may be the paper's
# Those with a verdict: all ways of play against the opponent that the text names, and what fits better.
JUDGED = {
    Reading(STATED): "its text",
    Reading(TAUGHT): "ends trained",
    Reading(RESULTS): "wins taken",
    Reading(HELPED): "help in play",
    EASY: "wins, random foe",
    Reading(RESULTS, PLAIN, SHORT): "and short moves",
    NO_JUMPING: "help, no jumps",
}
Shares = dict[str, dict[str, list[float]]]  # by way of play and opponent, before training and after it


# ---- networks ----


def both_ends(
    game: str, seed: int, games: int, settings: list[tuple[str, str]], ways: list[str], matches: int
) -> Shares:
    """The shares of games that a network wins as first player, by its way of play and its opponent.

    Ways that differ in play alone share one training.
    """
    chosen = ludus.make_game(game)
    base = changed(preset_settings("paper", "td-lambda", ludus.make_game(GAME)) | dict(settings))
    base |= {"seed": str(seed)}
    networks: dict[bool, list[Any]] = {}
    found: Shares = {}
    for way in ways:
        is_taught = way == TAUGHT
        if is_taught not in networks:
            own = base | (WAYS[way] if is_taught else {})
            networks[is_taught] = [_network(chosen, own | last) for last in ({"alpha": "0", "games": "1"}, _end(games))]
        play = ", ".join(f"{name}={value}" for name, value in (base | WAYS[way]).items() if name != "seed")
        learner = ludus.make_learner(f"td-lambda({play})")
        agents = [learner.agent(chosen, network) for network in networks[is_taught]]
        found[way] = {foe: [_won(chosen, agent, foe, matches, seed) for agent in agents] for foe in (SMART, PLAIN)}
    return found


def _end(games: int) -> dict[str, str]:
    return {"games": str(games)}


def _network(game: Any, settings: dict[str, str]) -> Any:
    training = start_training(game, "td-lambda", settings)
    training.run()
    return training.trainer.parameters()


def _won(game: Any, agent: Any, foe: str, matches: int, seed: int) -> float:
    found = ludus.play_match(game, agent, ludus.make_agent(foe), matches, seed=seed, threads=1, seats=ludus.Seats.FIRST)
    return float(found.all.a_wins / matches)


def networks(
    lab: Lab,
    rules: str = TWO,
    ways: Sequence[str] = tuple(WAYS),
    settings: Mapping[str, str] = MappingProxyType({}),
    games: int = PAPER_GAMES,
) -> list[Task]:
    """A network of these settings for each seed, evaluated before training and after it, as `both_ends` returns it."""
    number, matches = lab.pick(games, games, 40), lab.pick(round(lab.number("evaluation-games").value), 300, 20)
    chosen = {"epsilon": f"0.15..0@{games}", "alpha": f"0.0012..0@{games}"} | dict(settings)
    play = WAYS[ways[0]] if len(ways) == 1 and "smart" not in settings else {}
    shown = {"smart": "training", "ends": "network"} | play | chosen | {"games": str(number)}
    command = f"ludus train '{RULES[rules]}' td-lambda {options(shown)}"
    command += f" --eval-against {SMART},{PLAIN} --eval-games {2 * matches}"
    words = "".join(f", {name} {value}" for name, value in settings.items())
    name = f"networks on {RULES[rules]}, {number} games{words}, {' or '.join(ways)}"
    trains = Trains("td-lambda", "paper", keeps=("ends", "smart", *settings))
    return [
        Task(
            f"{name}, seed {seed}",
            both_ends,
            (RULES[rules], seed, number, sorted(chosen.items()), list(ways), matches),
            command=f"{command} --seed {seed}",
            games=number,
            trains=trains,
        )
        for seed in lab.seeds
    ]


class Wins(NamedTuple):
    """The share of games that networks of a reading win, by seed, before training and after it."""

    before: list[float]
    after: list[float]


def wins_of(found: Sequence[Shares], way: str, foe: str) -> Wins:
    """Those of a way of play against an opponent, from the results of `networks`."""
    return Wins(*([one[way][foe][place] for one in found] for place in (0, 1)))


def by_reading(lab: Lab) -> Working[dict[Reading, Wins]]:
    """The networks of all readings, of as many seeds as there may be."""
    found = yield {rules: networks(many(lab, _SEEDS), rules) for rules in RULES}
    return {one: wins_of(found[one.rules], one.way, one.foe) for one in READINGS}


# ---- which of them is the paper's ----


def alike(number: Number, values: Sequence[float]) -> list[bool]:
    """Which of our networks come out as the paper's number, as far as it may be off."""
    low, high = number.bounds
    return [low <= value <= high for value in values]


class Fit(NamedTuple):
    """How many networks of a reading are like the paper's before training, after it, and both; and of how many."""

    before: int
    after: int
    both: int
    number: int

    @property
    def bounds(self) -> tuple[float, float]:
        """The exact 95 % interval of the share of those that are like it at both ends."""
        low, high = Number(self.both / self.number, "", games=self.number).bounds
        return max(low, 0.0), min(high, 1.0)

    @property
    def shown(self) -> str:
        """That share with its interval."""
        low, high = self.bounds
        return f"{self.both / self.number:.1%} ({low:.1%} to {high:.1%})"


def fits(lab: Lab, found: Mapping[Reading, Wins]) -> dict[Reading, Fit]:
    """How well each reading fits, the best first."""
    fitted = {}
    for reading, wins in found.items():
        before, after = alike(lab.number("untrained"), wins.before), alike(lab.number("trained"), wins.after)
        both = [one and other for one, other in zip(before, after, strict=True)]
        fitted[reading] = Fit(sum(before), sum(after), sum(both), len(both))
    return dict(sorted(fitted.items(), key=lambda pair: pair[1].both, reverse=True))


def compared(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's two numbers beside those of each reading, and how many networks of each begin and end as it does."""
    asked = yield {"readings": by_reading(lab), "level": plan.levels(lab)}
    found, level = asked["readings"], asked["level"]
    fitted = fits(lab, found)
    rows = [
        (
            one.rules,
            one.way,
            "plainly random" if one.foe == PLAIN else "smart",
            *(mean(values).shown() for values in found[one]),
            *(f"{count / fit.number:.0%}" for count in (fit.before, fit.after)),
            fit.shown,
        )
        for one, fit in fitted.items()
    ]
    columns = "moves", "the network", "opponent", "won before", "won after", "like it before", "after", "both"
    return [
        Results("readings-results", _results(lab, found, level)),
        _bars(lab, found),
        Table(
            "readings",
            "Every reading: games won as first player, and networks like the paper's",
            columns,
            rows,
            caption="The paper shows one network. Ours is like it if it wins about as often before training and after"
            f" it, as far as {lab.number('untrained')} and {lab.number('trained')} may be off by counting"
            f' {lab.number("evaluation-games").value:,.0f} games and by the text\'s "about" and "nearly".',
        ),
    ]


def _bars(lab: Lab, found: Mapping[Reading, Wins]) -> Bars:
    """The paper's two numbers beside those of the readings with a verdict."""
    means = [[mean(found[one][place]) for one in JUDGED] for place in (0, 1)]
    numbers = [lab.number(key) for key in ("untrained", "trained")]
    return Bars(
        "fit",
        "Games won as first player before training and after it",
        "won",
        ["the paper", *JUDGED.values()],
        ["before training", "after it"],
        [[number.value, *(one.mean for one in row)] for number, row in zip(numbers, means, strict=True)],
        [[number.bounds[0], *(one.bounds[0] for one in row)] for number, row in zip(numbers, means, strict=True)],
        [[number.bounds[1], *(one.bounds[1] for one in row)] for number, row in zip(numbers, means, strict=True)],
        caption=f"The paper's numbers as far as they may be off; ours with 95 % intervals. In order: {_LEGEND}.",
    )


_LEGEND = "; ".join(f"{short}: {one}" for one, short in JUDGED.items())


def _results(lab: Lab, found: Mapping[Reading, Wins], level: plan.Levels) -> list[Result]:
    tested = int(lab.number("evaluation-games").value)
    return [
        lab.result(
            f"won {when}, {reading}",
            key,
            found[reading][place],
            _why(found, reading, place, level),
            whole=lab.scale != TINY,
            tested=tested,
        )
        for place, (when, key) in enumerate((("before training", "untrained"), ("after it", "trained")))
        for reading in JUDGED
    ]


def _why(found: Mapping[Reading, Wins], reading: Reading, place: int, level: plan.Levels) -> str:
    """The cause of a difference: what the same networks win if one thing is changed."""

    def won(way: str, foe: str, rules: str = reading.rules) -> str:
        return f"{fmean(found[Reading(way, foe, rules)][place]):.1%}"

    if reading.foe == PLAIN or reading.way == HELPED:
        rules = " and ".join(f"{won(reading.way, reading.foe, each)} ({each})" for each in RULES)
        spread = stdev(found[reading][place]) if len(found[reading][place]) > 1 else 0.0
        return (
            f"It matters how pieces move: networks so evaluated win {rules}; with a standard deviation of {spread:.1%}."
            " Other rates and more games: experiments 2 and 4."
        )
    plain = f"the opponent is smart: against plainly random play such networks win {won(reading.way, PLAIN)}"
    if reading.way == RESULTS:
        return f"T{plain[1:]}, and with help {won(HELPED, SMART)}; random play wins {level.random:.1%}."
    cause = "An untrained network does not know a win" if place == 0 else _AFTER[reading.way]
    return (
        f"{cause}, and misses it: wins taken by their result bring {won(RESULTS, SMART)};"
        f" and {plain}, with both {won(RESULTS, PLAIN)}. Random play wins {level.random:.1%}."
    )


_AFTER = {
    STATED: "Final positions are never trained, so that the network does not know a win",
    TAUGHT: "After the final positions of 2,000 games the network seldom knows a win",
}


# ---- claims ----


def at_one_end(key: str, place: int, lab: Lab) -> Working[Judged]:
    """Whether the share of games won before training or after it is the paper's, by what its text says."""
    asked = yield {"readings": by_reading(lab), "level": plan.levels(lab)}
    found, level, number = asked["readings"], asked["level"], lab.number(key)
    verdicts = {one: verdict(number, found[one][place]) for one in READINGS}
    words = "; ".join(f"{one}: {mean(found[one][place]).shown()}" for one in JUDGED)
    agree = ", or ".join(str(one) for one in JUDGED if verdicts[one] == AGREES)
    words += f". Random play wins {level.random:.1%}, with the help {level.helped:.1%}. "
    words += f"{number} is met with certainty by: {agree or 'none of these'}"
    by_text = {verdicts[one] for one in BY_TEXT}
    judged = SUPPORTED if AGREES in by_text else OPEN if UNSURE in by_text else REFUTED
    return Judged(judged, words, _command(lab), "more seeds")


def as_described(lab: Lab) -> Working[Judged]:
    """Whether evaluation without help against a smart opponent gives a curve like the paper's."""
    found = yield from by_reading(lab)
    fitted = fits(lab, found)
    by_text = {one: fitted[one] for one in BY_TEXT}
    best, *_ = fitted
    most = max(by_text, key=lambda one: by_text[one].both)
    words = (
        f"of {fitted[best].number} networks each, those like the paper's at both ends: by what the text says at most"
        f" {by_text[most].shown} ({most}); most of all {fitted[best].shown} ({best}). A reading may be the paper's if"
        f" {_LIKELY:.0%} of its networks are like it"
    )
    if any(fit.bounds[0] > _LIKELY for fit in by_text.values()):
        return Judged(SUPPORTED, words, _command(lab))
    judged = REFUTED if all(fit.bounds[1] < _LIKELY for fit in by_text.values()) else OPEN
    return Judged(judged, words, _command(lab), "more networks of each reading, or the authors' program")


def _command(lab: Lab) -> str:
    first = lab._replace(seeds=range(1))
    number = len(many(lab, _SEEDS).seeds)
    return "; ".join(f"{networks(first, rules)[0].command} --seeds {number}" for rules in RULES)
