"""The claims of the Chung Toi paper, judged."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from statistics import fmean

from ludus.report.document import AGREES, OPEN, PROVED, REFUTED, SUPPORTED, UNSURE
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Working, commands, solving
from ludus.study.paper.verdict import all_above, difference, error_of_share, mean, verdict
from ludus_papers.chung_toi import plan
from ludus_papers.chung_toi.beyond import carried_over
from ludus_papers.chung_toi.plan import GAME, HELPED, READINGS, RESULTS, SKILL, STATED, as_long, as_paper, trained


def by_reading(lab: Lab) -> dict[str, Working[plan.Trained]]:
    """The paper's training by each reading."""
    return {name: trained(lab, **settings) for name, settings in READINGS.items()}


def _graded(lab: Lab) -> str:
    """The commands that train and grade a network of each reading, of the first seed."""
    steps = []
    for number, settings in enumerate(READINGS.values(), 1):
        steps += [f"{as_paper(lab, 0, **settings).command} --out RUN{number}", f"ludus grade RUN{number} {GAME}"]
    return "; ".join(steps)


def _trainings(lab: Lab) -> str:
    return commands([as_paper(lab, 0, **each) for each in READINGS.values()], lab.seeds)


# ---- the curve ----


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
    evidence = f"mean change from one measure to the next, in the first and the second half: {'; '.join(words)}"
    return Judged(SUPPORTED if all(rougher) else OPEN, evidence, _trainings(lab))


def _stable(lab: Lab) -> Working[Judged]:
    shares = (yield {"helped": trained(lab, **READINGS[HELPED])})["helped"].share("wins")
    number = lab.number("evaluation-games").value
    before, after = (fmean(each[place] for each in shares) for place in (0, -1))
    rise, reported = after - before, lab.number("trained").value - lab.number("untrained").value
    error = error_of_share(after, number)
    luck = error * math.sqrt(2)
    words = (
        f"at {after:.1%} of wins {number:,.0f} games are off by up to {error:.1%}, and two such measures differ by up"
        f" to {luck:.1%} by luck; stable is taken to mean less than the rise that they show, by the paper"
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


# ---- beyond the curve ----


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
    found = yield {"here": solving(GAME), "there": solving("tic-tac-toe")}
    here, there = (found[name]["counts"]["positions"] for name in ("here", "there"))
    words = f"{here:,} positions, {there:,} of tic-tac-toe; both are draws, and here play need never end"
    return Judged(SUPPORTED if here > there else REFUTED, words, "ludus solve chung-toi")


CLAIMS: tuple[Claim, ...] = (
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
)
