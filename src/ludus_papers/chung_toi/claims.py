"""The claims of the Chung Toi paper, judged."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean

from ludus.report.document import AGREES, OPEN, PROVED, REFUTED, SUPPORTED, UNSURE
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Working, commands, solving, together
from ludus.study.paper.verdict import all_above, difference, error_of_share, mean, verdict
from ludus_papers.chung_toi.beyond import carried_over
from ludus_papers.chung_toi.plan import (
    GAME,
    HELPED,
    READINGS,
    RESULTS,
    SKILL,
    STATED,
    Trained,
    as_long,
    as_paper,
    levels,
    long_games,
    long_run,
    trained,
    untrained,
)


def _by_reading(lab: Lab) -> Working[dict[str, Trained]]:
    found = yield from together([trained(lab, **settings) for settings in READINGS.values()])
    return dict(zip(READINGS, found, strict=True))


def _graded(lab: Lab) -> str:
    """What trains and grades a network of each reading, of the first seed."""
    told = []
    for number, settings in enumerate(READINGS.values(), 1):
        run = f"RUN{number}"
        told += [f"{as_paper(lab, 0, **settings).command} --out {run}", f"ludus grade {run} {GAME}"]
    return "; ".join(told)


# ---- the curve ----


def _at(lab: Lab, key: str, place: int) -> Working[Judged]:
    found = yield from _by_reading(lab)
    level = yield from levels(lab)
    told = lab.number(key)
    shares = {name: [each[place] for each in one.share("wins")] for name, one in found.items()}
    words = "; ".join(f"{name}: {mean(values).shown()}" for name, values in shares.items())
    words += f". Random play wins {level.random:.1%}, with the help {level.helped:.1%}"
    verdicts = {name: verdict(told, values) for name, values in shares.items()}
    words += f". {told} is met by: {_named(verdicts, AGREES) or 'none of these with certainty'}"
    words += (
        f"; seeds are too few, or too unlike, to decide on: {unsure}" if (unsure := _named(verdicts, UNSURE)) else ""
    )
    tasks = [untrained(0, **each) if place == 0 else as_paper(lab, 0, **each) for each in READINGS.values()]
    without_help = {verdicts[name] for name in (STATED, RESULTS)}
    judged = SUPPORTED if AGREES in without_help else OPEN if UNSURE in without_help else REFUTED
    return Judged(judged, words, commands(tasks, lab.seeds))


def _named(verdicts: dict[str, str], wanted: str) -> str:
    return ", ".join(name for name, found in verdicts.items() if found == wanted)


def _untrained(lab: Lab) -> Working[Judged]:
    return (yield from _at(lab, "untrained", 0))


def _trained(lab: Lab) -> Working[Judged]:
    return (yield from _at(lab, "trained", -1))


def _erratic(lab: Lab) -> Working[Judged]:
    found = yield from _by_reading(lab)
    words, rougher = [], []
    for name, one in found.items():
        jumps = [[abs(b - a) for a, b in pairwise(curve)] for curve in one.share("wins")]
        half = len(jumps[0]) // 2
        early, late = (fmean(fmean(each[part]) for each in jumps) for part in (slice(0, half), slice(half, None)))
        rougher.append(early > late)
        words.append(f"{name}: {early:.1%} and {late:.1%}")
    told = f"mean change from one measure to the next, in the first and the second half: {'; '.join(words)}"
    tasks = [as_paper(lab, 0, **each) for each in READINGS.values()]
    return Judged(SUPPORTED if all(rougher) else OPEN, told, commands(tasks, lab.seeds))


def _stable(lab: Lab) -> Working[Judged]:
    found = yield from _by_reading(lab)
    number = lab.number("evaluation-games").value
    before, after = (fmean(each[place] for each in found[HELPED].share("wins")) for place in (0, -1))
    rise, told = after - before, lab.number("trained").value - lab.number("untrained").value
    error = error_of_share(after, number)
    luck = error * math.sqrt(2)
    words = (
        f"at {after:.1%} of wins {number:,.0f} games are off by up to {error:.1%}, and two such measures differ by up"
        f" to {luck:.1%} by luck; stable is taken to mean less than the rise that they show, by the paper {told:+.1%},"
        f" with help in play here {rise:+.1%}"
    )
    below = {luck < rise, luck < told}
    verdict = OPEN if len(below) > 1 else SUPPORTED if True in below else REFUTED
    return Judged(verdict, words, commands([as_paper(lab, 0, **READINGS[HELPED])], lab.seeds))


def _learns(lab: Lab) -> Working[Judged]:
    found = yield from _by_reading(lab)
    level = yield from levels(lab)
    gains = {
        name: difference([c[-1] for c in one.accuracy()], [c[0] for c in one.accuracy()]) for name, one in found.items()
    }
    ends = {name: mean([curve[-1] for curve in one.accuracy()]) for name, one in found.items()}
    words = "; ".join(f"{name}: {ends[name].shown()}, {gain.mean:+.1%} by training" for name, gain in gains.items())
    verdicts = [all_above([(gain, 0.0)]) for gain in gains.values()]
    verdict = verdicts[0] if len(set(verdicts)) == 1 else OPEN
    return Judged(verdict, f"optimal decisions, {words}; random moves {level.accuracy:.1%}", _graded(lab))


# ---- beyond the curve ----


def _no_draws(lab: Lab) -> Working[Judged]:
    (truth,) = yield [solving(GAME)]
    found = yield from _by_reading(lab)
    counts = truth["counts"]
    drawn = truth["score"] == 0
    share = mean([each[-1] for each in found[STATED].share("draws")])
    words = (
        f"with perfect play from the start {'neither side can win' if drawn else 'somebody wins'}, and"
        f" {counts['draws']:,} of {counts['positions']:,} positions are draws without end; against an opponent that"
        f" errs {share.shown()} of the games reach the limit of moves"
    )
    return Judged(REFUTED if drawn else PROVED, words, "ludus solve chung-toi")


def _more(lab: Lab) -> Working[Judged]:
    words, verdicts = [], []
    for name in (RESULTS, HELPED):
        short, long = yield from together([trained(lab, **READINGS[name]), long_run(lab, **READINGS[name])])
        gain = difference(long.ends(), short.ends())
        grade = difference([each[-1] for each in long.accuracy()], [each[-1] for each in short.accuracy()])
        verdicts.append(all_above([(gain, 0.0)]))
        words.append(f"{name}: won {gain.gained()}, optimal decisions {grade.gained()}")
    verdict = verdicts[0] if len(set(verdicts)) == 1 and lab.scale == FULL else OPEN
    told = f"{long_games(lab):,} games instead of {short.x()[-1]:,.0f}, {'; '.join(words)}"
    tasks = [make(lab, 0, **READINGS[name]) for name in (RESULTS, HELPED) for make in (as_paper, as_long)]
    return Judged(verdict, told, commands(tasks, lab.seeds))


def _opponents(lab: Lab) -> Working[Judged]:
    settings = READINGS[RESULTS]
    alone, taught = yield from together([long_run(lab, **settings), long_run(lab, **settings, opponent=SKILL)])
    gain = difference(taught.ends(), alone.ends())
    grade = difference([each[-1] for each in taught.accuracy()], [each[-1] for each in alone.accuracy()])
    words = f"against {SKILL} instead of itself: won {gain.gained()}, optimal decisions {grade.gained()}"
    verdict = all_above([(gain, 0.0)]) if lab.scale == FULL else OPEN
    tasks = [as_long(lab, 0, **settings), as_long(lab, 0, **settings, opponent=SKILL)]
    return Judged(verdict, words, commands(tasks, lab.seeds))


def _no_match(lab: Lab) -> Working[Judged]:
    found = yield from _by_reading(lab)
    networks = [pair for one in found.values() for pair in zip(one.ends(), one.graded, strict=True)]
    winning = [(wins, graded["guarantee"]) for wins, graded in networks if wins > _MOST]
    lost = [wins for wins, guarantee in winning if set(guarantee) == {"loss"}]
    words = (
        f"of {len(networks)} trained networks {len(winning)} win more than half of their games against it, and"
        f" {len(lost)} of these lose to the best opponent in both seats"
    )
    words += f", one that wins {max(lost):.1%} among them" if lost else ""
    return Judged(SUPPORTED if lost else OPEN, f"{words}; no person was asked", _graded(lab))


_MOST = 0.5  # of the games, above which they are the majority


def _challenging(lab: Lab) -> Working[Judged]:
    here, there = yield [solving(GAME), solving("tic-tac-toe")]
    counts = [each["counts"]["positions"] for each in (here, there)]
    words = f"{counts[0]:,} positions, {counts[1]:,} of tic-tac-toe; both are draws, and here play need never end"
    return Judged(SUPPORTED if counts[0] > counts[1] else REFUTED, words, "ludus solve chung-toi")


CLAIMS: tuple[Claim, ...] = (
    Claim("Upon initialization the network, without help in play, wins about 50 % of the games.", _untrained),
    Claim("After 2,000 games it wins nearly 90 %, likewise.", _trained),
    Claim("In the early stages of training performance is somewhat erratic.", _erratic),
    Claim("300 games give a stable estimate of performance.", _stable),
    Claim("With relatively little training the network learns to perform well.", _learns),
    Claim("In reality, there are no draws in Chung Toi.", _no_draws),
    Claim("Additional training, upwards of hundreds of thousands of games, improves it further.", _more),
    Claim("Other training strategies, such as other opponents, may increase its expertise.", _opponents),
    Claim("Winning against such an opponent does not mean that it would challenge a person.", _no_match),
    Claim("Chung Toi is a challenging variation of Tic-Tac-Toe.", _challenging),
    Claim("The framework can be carried to decisions beyond board games: options and portfolios.", carried_over),
)
