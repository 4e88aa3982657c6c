"""Chung Toi by TD(lambda), run again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus.report.document import (
    AGREES,
    OPEN,
    PROVED,
    REFUTED,
    SUPPORTED,
    UNSURE,
    Best,
    Curves,
    Findings,
    Level,
    Part,
    Result,
    Results,
    Table,
    Words,
)
from ludus.study.paper import FULL, TINY, Claim, Experiment, Judged, Lab, Paper
from ludus.study.paper.tasks import Working, commands, solving
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    SEATS,
    accuracy,
    accuracy_figure,
    all_above,
    curve,
    difference,
    error_of_share,
    games,
    guaranteed,
    mean,
    none_of,
    over_width,
    series,
    verdict,
    won_figure,
)
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.beyond import beyond_board_games, carried_over
from ludus_papers.chung_toi.plan import GAME, HELPED, READINGS, RESULTS, SKILL, STATED, as_long, as_paper, trained

_KINDS = {"wins": "won", "losses": "lost", "draws": "drawn"}


def by_reading(lab: Lab) -> dict[str, Working[plan.Trained]]:
    """The paper's training by each reading."""
    return {name: trained(lab, **settings) for name, settings in READINGS.items()}


def _beside(lab: Lab) -> dict[str, Any]:
    """What every figure shows beside the trainings: what is reached without learning, and what would have worked."""
    return {"level": plan.levels(lab), "table": plan.best_table(lab), "network": plan.best_network(lab)}


def _figures(key: str, found: dict[str, plan.Trained], beside: dict[str, Any]) -> list[Curves]:
    level, width = beside["level"], next(iter(found.values())).x()[-1]
    strong = {f"{BEST}: a table": beside["table"], "a larger network of the same kind": beside["network"]}
    number, other = (games(one["lines"])[-1] for one in strong.values())
    caption = (
        f"The last two are drawn over the same width: a table of {number:,.0f} games, and a network of {other:,.0f}."
    )
    wins = [series(name, one.x(), one.share("wins")) for name, one in found.items()]
    wins += [over_width(curve(name, [one], plan.wins_of), width) for name, one in strong.items()]
    grades = [series(name, one.graded_at(), one.accuracy()) for name, one in found.items()]
    grades += [over_width(curve(name, [one], accuracy), width) for name, one in strong.items()]
    helped = [Level("random play with the help", level.helped)] if HELPED in found else []
    judged = f"All positions in which moves differ in value, judged by the exact solution. {caption}"
    title = "Games won as first player against smart-random"
    return [
        won_figure(f"{key}-wins", wins, level.random, helped, caption, title=title),
        accuracy_figure(f"{key}-grade", grades, level.accuracy, (), judged),
    ]


def training_curve(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 3 by three readings, beside what is reached without learning and what would have worked."""
    found = yield {"readings": by_reading(lab), "beside": _beside(lab)}
    readings, level = found["readings"], found["beside"]["level"]
    return [
        Words(
            f"Three readings. {STATED.capitalize()}: the network evaluates final positions like any other, though"
            " they are never taught to it, and gets no help in evaluation."
            f" {RESULTS.capitalize()}: the same, but a move that ends the game counts as what it is."
            f" {HELPED.capitalize()}: wins and blocks are taken before anything else in evaluation as in training,"
            " which the paper says it does not do."
        ),
        *(_figure_3(lab, place, name, one, level) for place, (name, one) in enumerate(readings.items(), 1)),
        *_figures("curve", readings, found["beside"]),
        Results("curve-results", _results(lab, readings, level)),
    ]


def _figure_3(lab: Lab, place: int, name: str, found: plan.Trained, level: plan.Levels) -> Curves:
    is_helped = name == HELPED
    return Curves(
        f"figure-3-{place}",
        f"Figure 3, {name}",
        "games of training",
        "share of games as first player",
        [series(word, found.x(), found.share(kind)) for kind, word in _KINDS.items()],
        Level(f"{RANDOM}{' with the help' if is_helped else ''}, won", level.helped if is_helped else level.random),
        [Level(f"paper, {key}", lab.number(key).value) for key in ("untrained", "trained")],
        caption=f"Against smart-random, {lab.number('evaluation-games').value:,.0f} games at each point and seed.",
    )


def _results(lab: Lab, found: dict[str, plan.Trained], level: plan.Levels) -> list[Result]:
    unhelped = f"without help random play wins {level.random:.1%}"
    before = {STATED: unhelped, RESULTS: unhelped}
    after = {STATED: "perhaps since final positions, which it is asked about, are never taught"}
    results = []
    for when, key, place, whys in (("before training", "untrained", 0, before), ("after it", "trained", -1, after)):
        for name, one in found.items():
            values = [each[place] for each in one.share("wins")]
            results.append(lab.result(f"won {when}, {name}", key, values, whys.get(name, ""), whole=lab.scale != TINY))
    results += [lab.result(f"drawn after it, {name}", None, one.ends("draws")) for name, one in found.items()]
    results += [
        lab.result(f"optimal decisions after it, {name}", None, one.accuracies()) for name, one in found.items()
    ]
    return results


def left_open(lab: Lab) -> Working[Sequence[Part]]:
    """Other schedules and another rate, by the two readings that learn something."""
    number = lab.number("games").value
    ways = {
        "annealed to the end (linear)": {},
        "not annealed": {"alpha": "0.0012", "epsilon": "0.15"},
        "ten times the rate, annealed": {"alpha": f"0.012..0@{number:.0f}"},
    }
    found = yield {
        "ways": {
            way: {reading: trained(lab, **settings | READINGS[reading]) for reading in (RESULTS, HELPED)}
            for way, settings in ways.items()
        },
        "level": plan.levels(lab),
    }
    level, rows = found["level"], []
    for way, readings in found["ways"].items():
        for reading, one in readings.items():
            won, grade = mean(one.ends()).shown(), mean(one.accuracies()).shown()
            rows.append((way, reading, won, f"{max(one.ends()):.1%}", grade))
    rows.append((RANDOM, "", f"{level.random:.1%}", "", f"{level.accuracy:.1%}"))
    rows.append(("random play with the help", "", f"{level.helped:.1%}", "", ""))
    return [
        Table(
            "left-open",
            "Schedules and rates: games won as first player at the end, and optimal decisions",
            ("training", "reading", "won", "best seed", "optimal decisions"),
            rows,
            caption="The text says that both parameters were annealed, not how.",
        )
    ]


def _long(lab: Lab, key: str, runs: dict[str, dict[str, str]], won: str, after: str) -> Working[Sequence[Part]]:
    """Long runs by their settings; won, after: words for their results."""
    found = yield {
        "runs": {name: trained(lab, as_long, **settings) for name, settings in runs.items()},
        "beside": _beside(lab),
    }
    results = [
        lab.result(f"{what}{after}, {name}", None, values)
        for name, one in found["runs"].items()
        for what, values in ((won, one.ends()), ("optimal decisions", one.accuracies()))
    ]
    return [*_figures(key, found["runs"], found["beside"]), Results(f"{key}-results", results)]


def more_games(lab: Lab) -> Working[Sequence[Part]]:
    """One long run, by the two readings."""
    readings = {name: READINGS[name] for name in (RESULTS, HELPED)}
    return (yield from _long(lab, "long", readings, "won", f" after {plan.long_games(lab):,} games"))


def another_opponent(lab: Lab) -> Working[Sequence[Part]]:
    """As many games against a perfect player that errs now and then."""
    settings = READINGS[RESULTS]
    opponents = {"against itself": settings, f"against {SKILL}": settings | {"opponent": SKILL}}
    return (yield from _long(lab, "opponent", opponents, "won at the end", ""))


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """A table taught by games that begin with random plies."""
    found = yield {
        "q-table": plan.best_table(lab),
        "td-lambda, 400 units": plan.best_network(lab),
        "game": solving(GAME),
    }
    rows = []
    for name in ("q-table", "td-lambda, 400 units"):
        lines = found[name]["lines"]
        by_seat = [guaranteed(lines, seat)[-1] for seat in SEATS]
        shares = f"{plan.wins_of(lines)[-1]:.1%}", f"{accuracy(lines)[-1]:.2%}"
        rows.append((name, f"{games(lines)[-1]:,.0f}", *shares, *by_seat))
    lines = found["q-table"]["lines"]
    grade = lines[-1]["grade"]
    holds = " and ".join(f"{guaranteed(lines, seat)[-1]} moving {seat}" for seat in SEATS)
    smaller = "" if lab.scale == FULL else ", fewer than it takes to the end"
    return Best(
        "`q-table`, preset `perfect`: games begin with random plies, both sides then play the best they know, and what"
        " comes of it is learned backwards",
        f"{games(lines)[-1]:,.0f} games{smaller}",
        f"optimal in {grade['optimal']:,.0f} of {grade['decisions']:,} decisions; guaranteed: {holds}",
        "ludus train chung-toi q-table --preset perfect",
        [
            Table(
                "best",
                "What would have worked",
                (
                    "agent",
                    "games",
                    "won as first player",
                    "optimal decisions",
                    *(f"guaranteed, {seat}" for seat in SEATS),
                ),
                rows,
                caption=f"The game has {found['game']['counts']['positions']:,} positions and is a draw.",
            )
        ],
        short=lab.scale != FULL,
    )


# ---- claims ----


def _graded(lab: Lab) -> str:
    """The commands that train and grade a network of each reading, of the first seed."""
    steps = []
    for number, settings in enumerate(READINGS.values(), 1):
        steps += [f"{as_paper(lab, 0, **settings).command} --out RUN{number}", f"ludus grade RUN{number} {GAME}"]
    return "; ".join(steps)


def _trainings(lab: Lab) -> str:
    return commands([as_paper(lab, 0, **each) for each in READINGS.values()], lab.seeds)


def _at(key: str, place: int, lab: Lab) -> Working[Judged]:
    """Whether the share of games won at a place of the curve is the paper's."""
    found = yield {"readings": by_reading(lab), "level": plan.levels(lab)}
    number, level = lab.number(key), found["level"]
    shares = {name: [each[place] for each in one.share("wins")] for name, one in found["readings"].items()}
    words = "; ".join(f"{name}: {mean(values).shown()}" for name, values in shares.items())
    words += f". Random play wins {level.random:.1%}, with the help {level.helped:.1%}"
    verdicts = {name: verdict(number, values) for name, values in shares.items()}
    agree, unsure = (
        ", ".join(name for name, each in verdicts.items() if each == wanted) for wanted in (AGREES, UNSURE)
    )
    words += f". {number} is met by: {agree or 'none of these with certainty'}"
    words += f"; seeds are too few, or too unlike, to decide on: {unsure}" if unsure else ""
    before = commands([plan.untrained(0, **each) for each in READINGS.values()], lab.seeds)
    without_help = {verdicts[name] for name in (STATED, RESULTS)}
    judged = SUPPORTED if AGREES in without_help else OPEN if UNSURE in without_help else REFUTED
    return Judged(judged, words, before if place == 0 else _trainings(lab))


def _erratic(lab: Lab) -> Working[Judged]:
    found = yield by_reading(lab)
    words, rougher = [], []
    for name, one in found.items():
        jumps = [[abs(b - a) for a, b in pairwise(curve)] for curve in one.share("wins")]
        half = len(jumps[0]) // 2
        early, late = (fmean(fmean(each[part]) for each in jumps) for part in (slice(0, half), slice(half, None)))
        rougher.append(early > late)
        words.append(f"{name}: {early:.1%} and {late:.1%}")
    evidence = f"mean change from one evaluation to the next, in the first and the second half: {'; '.join(words)}"
    return Judged(SUPPORTED if all(rougher) else OPEN, evidence, _trainings(lab))


def _stable(lab: Lab) -> Working[Judged]:
    shares = (yield {"helped": trained(lab, **READINGS[HELPED])})["helped"].share("wins")
    number = lab.number("evaluation-games").value
    before, after = (fmean(each[place] for each in shares) for place in (0, -1))
    rise, reported = after - before, lab.number("trained").value - lab.number("untrained").value
    error = error_of_share(after, number)
    luck = error * math.sqrt(2)
    words = (
        f"at {after:.1%} of wins {number:,.0f} games are off by up to {error:.1%}, and two such evaluations differ by"
        f" up to {luck:.1%} by luck; stable is taken to mean less than the rise that they show, by the paper"
        f" {reported:+.1%}, with help in play here {rise:+.1%}"
    )
    below = {luck < rise, luck < reported}
    verdict = OPEN if len(below) > 1 else SUPPORTED if True in below else REFUTED
    return Judged(verdict, words, commands([as_paper(lab, 0, **READINGS[HELPED])], lab.seeds))


def _learns(lab: Lab) -> Working[Judged]:
    found = yield {"readings": by_reading(lab), "level": plan.levels(lab)}
    words, verdicts = [], set()
    for name, one in found["readings"].items():
        gain = difference(one.accuracies(), [each[0] for each in one.accuracy()])
        verdicts.add(all_above([(gain, 0.0)]))
        words.append(f"{name}: {mean(one.accuracies()).shown()}, {gain.mean:+.1%} by training")
    evidence = f"optimal decisions, {'; '.join(words)}; random moves {found['level'].accuracy:.1%}"
    return Judged(verdicts.pop() if len(verdicts) == 1 else OPEN, evidence, _graded(lab))


def _no_draws(lab: Lab) -> Working[Judged]:
    found = yield {"game": solving(GAME), "stated": trained(lab, **READINGS[STATED])}
    counts, drawn = found["game"]["counts"], found["game"]["score"] == 0
    words = (
        f"with perfect play from the start {'neither side can win' if drawn else 'somebody wins'}, and"
        f" {counts['draws']:,} of {counts['positions']:,} positions are draws without end; against an opponent that"
        f" errs {mean(found['stated'].ends('draws')).shown()} of the games reach the limit of moves"
    )
    return Judged(REFUTED if drawn else PROVED, words, "ludus solve chung-toi")


def _gained(one: plan.Trained, other: plan.Trained) -> tuple[str, str]:
    """Whether more games are won than by another training, and by how much, in words."""
    gain, grade = difference(one.ends(), other.ends()), difference(one.accuracies(), other.accuracies())
    return all_above([(gain, 0.0)]), f"won {gain.gained()}, optimal decisions {grade.gained()}"


def _more(lab: Lab) -> Working[Judged]:
    readings = {name: READINGS[name] for name in (RESULTS, HELPED)}
    found = yield {
        name: {"short": trained(lab, **each), "long": trained(lab, as_long, **each)} for name, each in readings.items()
    }
    gains = {name: _gained(one["long"], one["short"]) for name, one in found.items()}
    verdicts = {verdict for verdict, _ in gains.values()}
    verdict = verdicts.pop() if len(verdicts) == 1 and lab.scale == FULL else OPEN
    words = "; ".join(f"{name}: {each}" for name, (_, each) in gains.items())
    evidence = f"{plan.long_games(lab):,} games instead of {found[RESULTS]['short'].x()[-1]:,.0f}, {words}"
    tasks = [make(lab, 0, **each) for each in readings.values() for make in (as_paper, as_long)]
    return Judged(verdict, evidence, commands(tasks, lab.seeds))


def _opponents(lab: Lab) -> Working[Judged]:
    settings = READINGS[RESULTS]
    others = {"itself": settings, "skilled": settings | {"opponent": SKILL}}
    found = yield {name: trained(lab, as_long, **each) for name, each in others.items()}
    verdict, words = _gained(found["skilled"], found["itself"])
    command = commands([as_long(lab, 0, **each) for each in others.values()], lab.seeds)
    return Judged(verdict if lab.scale == FULL else OPEN, f"against {SKILL} instead of itself: {words}", command)


def _no_match(lab: Lab) -> Working[Judged]:
    found = yield by_reading(lab)
    networks = [pair for one in found.values() for pair in zip(one.ends(), one.graded, strict=True)]
    winning = [(wins, graded) for wins, graded in networks if wins > 0.5]
    lost = [wins for wins, graded in winning if _always_loses(graded)]
    words = (
        f"of {len(networks)} trained networks {len(winning)} win more than half of their games against it, and"
        f" {len(lost)} of these lose to the best opponent in both seats"
    )
    words += f", one that wins {max(lost):.1%} among them" if lost else ""
    return Judged(SUPPORTED if lost else OPEN, f"{words}; no person was asked", _graded(lab))


def _always_loses(graded: dict[str, Any]) -> bool:
    """Whether a network loses to the best opponent in both seats."""
    return set(graded["guarantee"]) == {"loss"}


def _challenging(lab: Lab) -> Working[Judged]:
    found = yield {"here": solving(GAME), "there": solving("tic-tac-toe")}
    here, there = (found[name]["counts"]["positions"] for name in ("here", "there"))
    words = f"{here:,} positions, {there:,} of tic-tac-toe; both are draws, and here play need never end"
    return Judged(SUPPORTED if here > there else REFUTED, words, "ludus solve chung-toi")


def findings(lab: Lab) -> Working[Findings]:
    """Whether there are draws, what the paper's networks have learned, and our table."""
    found = yield {
        "game": solving(GAME),
        "readings": by_reading(lab),
        "level": plan.levels(lab),
        "table": plan.best_table(lab),
    }
    truth, readings, lines = found["game"], found["readings"], found["table"]["lines"]
    networks = [graded for one in readings.values() for graded in one.graded]
    lost = sum(map(_always_loses, networks))
    stated, helped = (fmean(readings[name].ends()) for name in (STATED, HELPED))
    most = max(fmean(one.accuracies()) for one in readings.values())
    drawn = truth["score"] == 0
    counts = truth["counts"]
    return Findings(
        [
            f"The paper says that there are no draws: {'refuted' if drawn else PROVED}, by the solution of all"
            f" {counts['positions']:,} positions, of which {counts['draws']:,} are draws"
            f"{', the start among them' if drawn else ''}.",
            f"Its network wins {stated:.1%} of games as first player (the paper: {lab.number('trained').value:.0%}),"
            f" with help in play {helped:.1%}, random play with that help {found['level'].helped:.1%};"
            f" {none_of(lost, len(networks))} networks lose to the best opponent in both seats.",
            f"Ours, a table, is optimal in {accuracy(lines)[-1]:.1%} of all decisions after"
            f" {games(lines)[-1]:,.0f} games, its networks in {most:.1%} at most; it is guaranteed"
            f" {' and '.join(f'a {guaranteed(lines, seat)[-1]} moving {seat}' for seat in SEATS)}.",
        ],
        f"Next: `ludus play {GAME} --against perfect --hints` shows the exact value of every move.",
    )


PAPER = Paper(
    name="chung-toi",
    title="A brief tutorial on reinforcement learning: The game of Chung Toi",
    authors="C. J. Gatti, J. D. Linton, M. J. Embrechts, 2011",
    game=GAME,
    learner="td-lambda",
    about="A network of 30 hidden units learned the value of positions by TD(lambda) and self-play, and was measured as"
    " first player against a random opponent that takes wins and blocks. The text gives it no such help in evaluation,"
    " and is silent on the value of a final position, which is never taught: three readings are run, random play with"
    " and without that help beside them. The game is solved, position by position, so that every network is also"
    " measured by the exact solution.",
    experiments=(
        Experiment(
            "1",
            "The training curve",
            "2,000 games of self-play, and after every 100 of them 300 against a smart random opponent (figure 3).",
            training_curve,
        ),
        Experiment(
            "2",
            "What the text leaves open",
            "Both parameters were annealed, the text does not say how; many settings were tried.",
            left_open,
        ),
        Experiment(
            "3",
            "More games",
            "More training should improve it further, upwards of hundreds of thousands of games.",
            more_games,
        ),
        Experiment(
            "4", "Another opponent", "Other training strategies than self-play may serve better.", another_opponent
        ),
        Experiment(
            "5",
            "Beyond board games",
            "The aim is a framework for game-like decisions beyond board games, such as options and portfolios.",
            beyond_board_games,
        ),
    ),
    claims=(
        Claim(
            "Upon initialization the network, without help in play, wins about 50 % of the games.",
            partial(_at, "untrained", 0),
        ),
        Claim("After 2,000 games it wins nearly 90 %, likewise.", partial(_at, "trained", -1)),
        Claim("In the early stages of training performance is somewhat erratic.", _erratic),
        Claim("300 games give a stable estimate of performance.", _stable),
        Claim("With relatively little training the network learns to perform well.", _learns),
        Claim("In reality, there are no draws in Chung Toi.", _no_draws),
        Claim("Additional training, upwards of hundreds of thousands of games, improves it further.", _more),
        Claim("Other training strategies, such as other opponents, may increase its expertise.", _opponents),
        Claim("Winning against such an opponent does not mean that it would challenge a person.", _no_match),
        Claim("Chung Toi is a challenging variation of Tic-Tac-Toe.", _challenging),
        Claim("The framework can be carried to decisions beyond board games: options and portfolios.", carried_over),
    ),
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="curve-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
    findings=findings,
)
