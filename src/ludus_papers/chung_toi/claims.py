"""What the Chung Toi paper claims, judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from statistics import fmean
from typing import Any

from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Working, commands, solving
from ludus.study.paper.verdict import Mean, all_above, by_sign, difference, error_of_share, mean
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.beyond import carried_over
from ludus_papers.chung_toi.curves import by_way
from ludus_papers.chung_toi.plan import (
    EASY,
    GAME,
    HELPED,
    PLAIN,
    RESULTS,
    SKILL,
    SMART,
    STATED,
    WAYS,
    Reading,
    as_long,
    as_paper,
    evaluated,
    trained,
)
from ludus_papers.chung_toi.readings import as_described, at_one_end, by_reading
from ludus_papers.chung_toi.variants import help_needed, more_games_win, others_learn, towards_0, towards_1

_MORE_SEEDS = "more seeds"


def erratic(lab: Lab) -> Working[Judged]:
    """Whether evaluations change more from one to the next in the first half of a training than in the second."""
    found = yield {name: evaluated(lab, **WAYS[name]) for name in (RESULTS, HELPED)}
    calmer = {reading: _calmer(found[reading.way], reading.foe) for reading in (EASY, *map(Reading, found))}
    words = "; ".join(f"{reading}: {early:.1%} and {late:.1%}" for reading, (early, late, _) in calmer.items())
    *_, less = calmer[EASY]
    evidence = (
        f"mean change from one evaluation to the next, in the first and the second half: {words}. Judged by the first:"
        f" {less.gained()} in the first half beyond the second"
    )
    return Judged(by_sign(less), evidence, _trainings(lab, RESULTS, HELPED), _MORE_SEEDS)


def _calmer(found: plan.Trained, foe: str) -> tuple[float, float, Mean]:
    """The mean change in both halves, and their difference."""
    changes = [[abs(b - a) for a, b in pairwise(curve)] for curve in found.share("wins", foe)]
    half = len(changes[0]) // 2
    early, late = ([fmean(each[part]) for each in changes] for part in (slice(0, half), slice(half, None)))
    return fmean(early), fmean(late), difference(early, late)


def stable(lab: Lab) -> Working[Judged]:
    """Whether two evaluations differ by luck by less than what training changes."""
    wins = (yield from by_reading(lab))[EASY]
    number, after = lab.number("evaluation-games").value, fmean(wins.after)
    rise, reported = after - fmean(wins.before), lab.number("trained").value - lab.number("untrained").value
    error = error_of_share(after, number)
    luck = error * math.sqrt(2)
    words = (
        f"at {after:.1%} of wins {number:,.0f} games are off by up to {error:.1%}, and two such evaluations differ by"
        f" up to {luck:.1%} by luck; stable is taken to mean less than the rise that they show, by the paper"
        f" {reported:+.1%}, here {rise:+.1%} ({EASY})"
    )
    below = {luck < rise, luck < reported}
    verdict = OPEN if len(below) > 1 else SUPPORTED if True in below else REFUTED
    return Judged(verdict, words, _trainings(lab, RESULTS), "a rise that is larger than luck, or surely smaller")


def learns(lab: Lab) -> Working[Judged]:
    """Whether training improves both the games won and the decisions, beyond random play."""
    found = yield {"network": trained(lab, **WAYS[RESULTS]), "level": plan.levels(lab)}
    one, level = found["network"], found["level"]
    won, grade = (
        difference([each[-1] for each in ys], [each[0] for each in ys])
        for ys in (one.share("wins", PLAIN), one.accuracy())
    )
    beyond = mean(one.accuracies())
    verdict = all_above([(won, 0.0), (grade, 0.0), (beyond, level.accuracy)])
    words = (
        f"by training {won.gained()} of games won ({EASY}) and {grade.gained()} of optimal decisions, to"
        f" {beyond.shown()}; random moves {level.accuracy:.1%}. Supported if both surely grow, and decisions are surely"
        " better than random ones"
    )
    return Judged(verdict, words, _graded(lab, RESULTS), _MORE_SEEDS)


def no_draws(lab: Lab) -> Working[Judged]:
    """Whether perfect play ends."""
    found = yield {"game": solving(GAME), "stated": trained(lab, **WAYS[STATED])}
    counts, drawn = found["game"]["counts"], found["game"]["score"] == 0
    words = (
        f"with perfect play from the start {'neither side can win' if drawn else 'somebody wins'}, and"
        f" {counts['draws']:,} of {counts['positions']:,} positions are draws without end; against an opponent that"
        f" errs {mean(found['stated'].ends('draws')).shown()} of the games reach the limit of moves"
    )
    return Judged(REFUTED if drawn else PROVED, words, "ludus solve chung-toi")


def expertise(lab: Lab) -> Working[Judged]:
    """Whether hundreds of thousands of games bring more optimal decisions, by both ways of play."""
    ways = {name: WAYS[name] for name in (RESULTS, HELPED)}
    found = yield {
        name: {"short": trained(lab, **each), "long": trained(lab, as_long, **each)} for name, each in ways.items()
    }
    gains = {name: difference(one["long"].accuracies(), one["short"].accuracies()) for name, one in found.items()}
    words = "; ".join(f"{name}: {gain.gained()}" for name, gain in gains.items())
    evidence = (
        f"{plan.long_games(lab):,} games instead of {found[RESULTS]['short'].x()[-1]:,.0f}, optimal decisions: {words}."
        " Supported if both are surely more, refuted if one is surely not"
    )
    tasks = [make(lab, 0, **each) for each in ways.values() for make in (as_paper, as_long)]
    verdict = all_above([(gain, 0.0) for gain in gains.values()]) if lab.scale == FULL else OPEN
    return Judged(verdict, evidence, commands(tasks, lab.seeds), _more_at_full(lab))


def opponents(lab: Lab) -> Working[Judged]:
    """Whether another opponent in training brings more expertise, and sooner."""
    settings = WAYS[RESULTS]
    others = {"itself": settings, "skilled": settings | {"opponent": SKILL}}
    found = yield {name: trained(lab, as_long, **each) for name, each in others.items()}
    skilled, itself = found["skilled"], found["itself"]
    late, early = (
        difference([each[place] for each in skilled.accuracy()], [each[place] for each in itself.accuracy()])
        for place in (-1, 1)
    )
    won = {foe: difference(skilled.ends("wins", foe), itself.ends("wins", foe)) for foe in (SMART, PLAIN)}
    against = ", ".join(f"{gain.gained()} ({foe})" for foe, gain in won.items())
    words = (
        f"against {SKILL} instead of itself, optimal decisions {late.gained()} at the end and {early.gained()} after"
        f" {itself.graded_at()[1]:,.0f} games; won {against}."
        " Supported if decisions are surely better at the end, or sooner"
    )
    command = commands([as_long(lab, 0, **each) for each in others.values()], lab.seeds)
    judged = {by_sign(late), by_sign(early)}
    verdict = SUPPORTED if SUPPORTED in judged else OPEN if OPEN in judged else REFUTED
    return Judged(verdict if lab.scale == FULL else OPEN, words, command, _more_at_full(lab))


def _more_at_full(lab: Lab) -> str:
    return _MORE_SEEDS if lab.scale == FULL else f"{lab.command.partition(' --scale')[0]} --scale full"


def no_match(lab: Lab) -> Working[Judged]:
    """Whether a network that wins most games is beaten by the best opponent."""
    found = yield by_way(lab)
    networks = [pair for one in found.values() for pair in zip(one.ends("wins", PLAIN), one.graded, strict=True)]
    lost = [wins for wins, graded in networks if wins > 0.5 and always_loses(graded)]
    words = (
        f"of {len(networks)} trained networks {sum(wins > 0.5 for wins, _ in networks)} win more than half of their"
        f" games against random play, and {len(lost)} of these lose to the best opponent in both seats"
    )
    words += f", one that wins {max(lost):.1%} among them" if lost else ""
    settled = "networks that win most games and always lose to the best opponent"
    return Judged(SUPPORTED if lost else OPEN, f"{words}; no person was asked", _graded(lab, *WAYS), settled)


def always_loses(graded: dict[str, Any]) -> bool:
    """Whether a network loses to the best opponent in both seats."""
    return set(graded["guarantee"]) == {"loss"}


def challenging(lab: Lab) -> Working[Judged]:
    """Whether there is more to it than to tic-tac-toe."""
    found = yield {"here": solving(GAME), "there": solving("tic-tac-toe")}
    here, there = (found[name]["counts"]["positions"] for name in ("here", "there"))
    words = f"{here:,} positions, {there:,} of tic-tac-toe; both are draws, and here play need never end"
    return Judged(SUPPORTED if here > there else REFUTED, words, "ludus solve chung-toi")


def _graded(lab: Lab, *ways: str) -> str:
    """The commands that train and grade a network of each way of play, of the first seed."""
    steps = []
    for number, way in enumerate(ways, 1):
        steps += [f"{as_paper(lab, 0, **WAYS[way]).command} --out RUN{number}", f"ludus grade RUN{number} {GAME}"]
    return "; ".join(steps)


def _trainings(lab: Lab, *ways: str) -> str:
    return commands([as_paper(lab, 0, **WAYS[way]) for way in ways], lab.seeds)


def _judged(judge: Callable[[Lab], Working[Judged]], lab: Lab) -> Working[Judged]:
    """The same, which says what would settle a claim only if it is open."""
    found = yield from judge(lab)
    return found if found.verdict == OPEN else found._replace(settled_by="")


_CLAIMS: dict[str, Callable[[Lab], Working[Judged]]] = {
    "Upon initialization, without help in play, it wins about 50 % of games against a smart opponent.": partial(
        at_one_end, "untrained", 0
    ),
    "After 2,000 games it wins nearly 90 %, likewise.": partial(at_one_end, "trained", 1),
    "Figure 3 was measured without help in play, against an opponent that takes wins and blocks.": as_described,
    "In the early stages of training performance is often somewhat erratic.": erratic,
    "300 games give a stable estimate of performance.": stable,
    "With relatively little training the network learns to perform well.": learns,
    "Greedy wins and blocks in training improve the network's ability to learn.": help_needed,
    "Variations of the parameters may also allow the network to learn.": others_learn,
    "As lambda nears 0, updates become based on the subsequent state only.": towards_0,
    "As lambda nears 1, they amount to averaging information from all subsequent states.": towards_1,
    "In reality, there are no draws in Chung Toi.": no_draws,
    "Additional training should allow performance to improve further.": more_games_win,
    "Upwards of hundreds of thousands of games increase its expertise further.": expertise,
    "Other training strategies, such as other opponents, may increase its expertise or its speed.": opponents,
    "Winning against such an opponent does not mean that it would challenge a person.": no_match,
    "Chung Toi is a challenging variation of Tic-Tac-Toe.": challenging,
    "The framework can be carried to decisions beyond board games: options and portfolios.": carried_over,
}
CLAIMS = tuple(Claim(text, partial(_judged, judge)) for text, judge in _CLAIMS.items())
