"""Toads and Frogs by deep Q-learning, run again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus.report.document import OPEN, REFUTED, SUPPORTED, Best, Findings, Table
from ludus.study.paper import FULL, Claim, Experiment, Judged, Lab, Paper
from ludus.study.paper.tasks import Working, commands, grading
from ludus.study.paper.verdict import SEATS, Mean, accuracy, all_above, difference, ends, guaranteed, mean, none_of
from ludus_papers.toads_and_frogs import tasks, variants
from ludus_papers.toads_and_frogs.boards import found_on, highest_listed, listed_games, on_board
from ludus_papers.toads_and_frogs.tasks import LARGE, MEDIUM, SIZES, SMALL, Size, as_paper, q_values, seeds_of
from ludus_papers.toads_and_frogs.theory import OF_THE_GAME, counting, deciding, hot_strips, wide_starts
from ludus_papers.toads_and_frogs.variants import KINDS, LEAPS, compared, dead_tests, fights

_MOST = 0.95  # of illegal moves, for "assigning it a negative number" to be so
_VALUES = {"0": "`0`", "*": "`*`", "neither": "neither `0` nor `*`"}
_SEATS = "toads first", "toads second", "frogs first", "frogs second"


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """Self-play from anywhere, by a network or a table, on each board."""
    found = yield {
        "trained": {size.key: tasks.best_training(lab, size) for size in SIZES},
        "protocols": {size.key: tasks.best_by_seat(lab, size) for size in SIZES},
        "sample": tasks.grades(lab, LARGE)["best"],
        "grade": grading(tasks.best_training(lab, SMALL), SMALL.game),
    }
    shares = {key: accuracy(one["lines"])[-1] for key, one in found["trained"].items() if key != LARGE.key}
    shares[LARGE.key] = found["sample"]["accuracy"][-1]
    rows: list[tuple[str | int, ...]] = [
        (
            size.strip,
            size.best,
            lab.pick(*size.best_games),
            f"{shares[size.key]:.1%}",
            *(f"{found['protocols'][size.key][seat]:.1%}" for seat in _SEATS),
        )
        for size in SIZES
    ]
    small = found["grade"]["all"]
    cost = ", ".join(f"{lab.pick(*size.best_games):,} games of {size.best} on {size.strip}" for size in SIZES)
    return Best(
        "self-play, in which each move is judged by the best that the other side can make of it: `dqn` on the small and"
        " the large board, `q-table` on the medium one",
        cost + ("" if lab.scale == FULL else "; more of them at full scale"),
        f"optimal in {small['optimal']:,.0f} of {small['decisions']} decisions on {SMALL.strip}, in"
        f" {shares[MEDIUM.key]:.1%} on {MEDIUM.strip}",
        "ludus train toads-and-frogs dqn --preset strong",
        [
            Table(
                "best",
                "What would have worked: optimal decisions, and games won against random by side and seat",
                ("board", "learner", "games", "optimal decisions", *_SEATS),
                rows,
                caption=f"Optimal decisions on {LARGE.strip} are of a sample of late positions. One seed each.",
            )
        ],
        short=lab.scale != FULL,
    )


def _at_full(judge: Callable[[Lab], Working[Judged]]) -> Callable[[Lab], Working[Judged]]:
    """The same, but open where the paper's trainings were made smaller."""

    def judged(lab: Lab) -> Working[Judged]:
        found = yield from judge(lab)
        if lab.scale == FULL:
            return found
        share = lab.pick(*SMALL.trained) / SMALL.trained[0]
        words = f"trained for less, on the small board {share:.0%} of the paper's games: {found.evidence}"
        return Judged(OPEN, words, lab.command)

    return judged


def _trained(lab: Lab, size: Size, out: str = "RUN", **settings: Any) -> str:
    """The command of the first training on a board by the paper's settings, or by others."""
    return f"{as_paper(lab, size, lab.seeds[0], **settings).command} --out {out}"


def _grading(lab: Lab) -> str:
    """The same on the small board, and its grade."""
    return f"{_trained(lab, SMALL)}; {grading(as_paper(lab, SMALL, lab.seeds[0]), SMALL.game).command}"


# ---- does it learn the game ----


def _margin(lab: Lab) -> Working[Judged]:
    """Whether the margin is above the error of the count, and our networks are more accurate than random play."""
    one = yield from found_on(lab, SMALL)
    ours, number, chance = mean([each["program"] for each in one.protocols]), lab.number("small-wins"), one.chance
    last, random = mean(one.accuracies()), one.random_accuracy()
    margin = number.value - chance["program"]
    words = (
        f"by the program's protocol random play wins {chance['program']:.1%} of such games: the margin is"
        f" {margin:+.1%}, significant if above the {number.error:.1%} by which one count of {number.games:,} games may"
        f" be off. By the same protocol our trainings win {ours.shown()}; they have learned the game if they choose"
        f" optimal moves more often than random play: {last.shown()} of all decisions against {random:.1%}. Supported"
        " if both hold significantly, refuted if one significantly does not"
    )
    verdict = all_above([(last, random)]) if margin > number.error else REFUTED
    return Judged(verdict, words, f"{tasks.chance_by_seat(lab, SMALL).command}; {_grading(lab)}")


def _beats_random(lab: Lab) -> Working[Judged]:
    """As toads, both sides starting alternately: an illegal choice loses, or the best legal one is played."""
    found = yield {
        size.key: {"random": tasks.chance_by_seat(lab, size), "trained": tasks.evaluations(lab, size)} for size in SIZES
    }
    words, strict, helped = [], list[tuple[Mean, float]](), list[tuple[Mean, float]]()
    for size in SIZES:
        tests, chance = found[size.key]["trained"], found[size.key]["random"]["text"]
        first, second = (mean([each[f"strict {seat}"] for each in tests]).mean for seat in SEATS)
        strict.append((mean([each["text"] for each in tests]), chance))
        helped.append((mean([(each["toads first"] + each["toads second"]) / 2 for each in tests]), chance))
        words.append(
            f"{size.strip}: {strict[-1][0].shown()} (moving first {first:.1%}, second {second:.1%}), or"
            f" {helped[-1][0].shown()}, against {chance:.1%} by random play"
        )
    evidence = (
        "won as toads where an illegal choice loses, or else where the best legal move is played instead,"
        f" {'; '.join(words)}. In training toads always begin. Supported if by both measures it wins significantly more"
        " than random play on all boards, refuted if by both significantly no more on one"
    )
    verdicts = {all_above(each) for each in (strict, helped)}
    match = tasks.evaluations(lab, SMALL)[0].command
    lines = _trained(lab, SMALL), match, _trained(lab, SMALL, "STRICT", slip="lose"), match.replace("RUN", "STRICT")
    return Judged(verdicts.pop() if len(verdicts) == 1 else OPEN, evidence, "; ".join(lines))


def _effective(lab: Lab) -> Working[Judged]:
    found = yield {size.key: found_on(lab, size) for size in (SMALL, MEDIUM)}
    words, above = [], list[tuple[Mean, float]]()
    for one in found.values():
        last, random = mean(one.accuracies()), one.random_accuracy()
        results = {guaranteed(each["lines"], "second")[-1] for each in one.trained}
        above.append((last, random))
        words.append(
            f"{one.size.strip}: optimal in {last.shown()} of all decisions, random moves in {random:.1%}; moving"
            f" second, which wins, guaranteed a {' or '.join(sorted(results))}"
        )
    return Judged(all_above(above), "; ".join(words), _grading(lab))


def _more_training(lab: Lab) -> Working[Judged]:
    found = yield {size.key: found_on(lab, size) for size in (SMALL, MEDIUM)}
    words, gains = [], list[tuple[Mean, float]]()
    for one in found.values():
        curves = [accuracy(each["lines"]) for each in one.trained]
        gain = mean([each[-1] - each[len(each) // 2] for each in curves])
        gains.append((gain, 0.0))
        words.append(f"{one.size.strip}: {gain.gained()} optimal decisions in the second half")
    return Judged(all_above(gains), "; ".join(words), as_paper(lab, SMALL, lab.seeds[0]).command)


# ---- Q-values ----


def _illegal(lab: Lab) -> Working[Judged]:
    found = yield {size.key: [q_values(lab, size, seed) for seed in seeds_of(lab, size)] for size in SIZES}
    words, shares = [], []
    for size in SIZES:
        illegal, legal, slips = (
            fmean(each[key] for each in found[size.key]) for key in ("illegal negative", "legal negative", "slips")
        )
        shares.append(illegal)
        words.append(
            f"{size.strip}: {illegal:.1%} of illegal and {legal:.1%} of legal moves have a negative value;"
            f" in {slips:.1%} of positions the highest is illegal"
        )
    return Judged(SUPPORTED if min(shares) > _MOST else REFUTED, "; ".join(words), _shown_values(lab, SMALL))


def _shown_values(lab: Lab, size: Size) -> str:
    return f"{_trained(lab, size)}; {q_values(lab, size, lab.seeds[0]).command}"


def _lower(lab: Lab) -> Working[Judged]:
    """Whether those of large networks are below all others', in games of their own and in strips of the paper's."""
    asked, papers = {}, {}
    for size in (MEDIUM, LARGE):
        listed, papers[size.key] = highest_listed(lab, size)
        asked[size.key] = {"played": [q_values(lab, size, seed) for seed in seeds_of(lab, size)], "listed": listed}
    found = yield asked
    played = [[each["highest"] for each in one["played"]] for one in found.values()]
    shown = [[fmean(max(each) for each in outputs if each) for outputs in one["listed"]] for one in found.values()]
    paper = [fmean(each) for each in papers.values()]
    words = (
        f"mean of the highest value of a legal move in games of its own: {fmean(played[0]):.1f} on {MEDIUM.strip} and"
        f" {fmean(played[1]):.1f} on {LARGE.strip}; mean of the highest value in the strips that the paper lists, where"
        f" they have the length of the board: {fmean(shown[0]):.1f} (paper: {paper[0]:.1f}) and"
        f" {fmean(shown[1]):.1f} (paper: {paper[1]:.1f})"
    )
    lower = [there < here for high, low in (played, shown) for here in high for there in low]
    words += f"; lower in {sum(lower)} of {len(lower)} pairs of trainings"
    return Judged(SUPPORTED if all(lower) else OPEN if any(lower) else REFUTED, words, _shown_values(lab, LARGE))


def _instant(lab: Lab) -> Working[Judged]:
    found = yield {"values": [q_values(lab, LARGE, seed) for seed in seeds_of(lab, LARGE)]}
    seconds = max(each["seconds"] for each in found["values"])
    words = f"a choice on {LARGE.strip} takes {1000 * seconds:.2f} ms of one core"
    return Judged(SUPPORTED if seconds < 0.1 else REFUTED, words, _shown_values(lab, LARGE))


def _dead(lab: Lab) -> Working[Judged]:
    found = yield dead_tests(lab)
    words, above = [], list[tuple[Mean, float]]()
    for kind, name in KINDS.items():
        ours, chance = mean([one[kind]["accuracy"] for one in found["killing"]]), found["best killing"][kind]["chance"]
        above.append((ours, chance))
        words.append(f"where {name} it is optimal in {ours.shown()}, random moves in {chance:.1%}")
    alike = mean([one["alike"] for one in found["pairs"]])
    words.append(f"in pairs that differ in a dead wall alone it moves the same piece in {alike.shown()}")
    return Judged(all_above(above), "; ".join(words), lab.command)


# ---- what else was tried ----


def _leap(lab: Lab) -> Working[Judged]:
    found = yield compared(lab, LEAPS)
    plain, shaped = (ends(each, accuracy) for each in found["trained"].values())
    gain = difference(shaped, plain)
    words = f"optimal decisions change by {gain.gained()} with the extra reward, seed by seed"
    command = commands(as_paper(lab, SMALL, lab.seeds[0], **settings) for settings in LEAPS.values())
    return Judged(REFUTED if gain.mean - gain.sure > 0 else SUPPORTED, words, command)


def _rare(lab: Lab) -> Working[Judged]:
    found = yield {size.strip: counting(lab, size.game) for size in SIZES}
    shares = [f"{each['leaps']:.1%} on {strip}" for strip, each in found.items()]
    words = f"of positions in random play the principle speaks of {', '.join(shares)}"
    rare = all(each["leaps"] < 0.5 for each in found.values())
    return Judged(SUPPORTED if rare else REFUTED, words, lab.command)


def _fight(lab: Lab) -> Working[Judged]:
    found = (yield {"fights": fights(lab)})["fights"]
    gaps = [abs(2 * one[-1]["toads"] - 1) for one in found]
    toads = ", ".join(f"{one[-1]['toads']:.0%}" for one in found)
    words = f"at the end toads win {toads} of the games against the frog agent, by seed: a gap of {mean(gaps).mean:.0%}"
    grows = [gap > abs(2 * one[0]["toads"] - 1) for gap, one in zip(gaps, found, strict=True)]
    words += f"; it grew in {sum(grows)} of {len(grows)}"
    sides = _trained(lab, SMALL, "TOADS"), _trained(lab, SMALL, "FROGS", seats="second")
    return Judged(SUPPORTED if min(gaps) > 0.2 else OPEN, words, "; ".join([*sides, fights(lab)[0].command]))


def _seen(lab: Lab) -> Working[Judged]:
    found = yield {"trained": [as_paper(lab, LARGE, seed) for seed in seeds_of(lab, LARGE)]}
    updates = fmean(float(one["lines"][-1]["updates"]) for one in found["trained"])
    games, bound, number = lab.pick(*LARGE.trained), lab.number("large-bound").value, lab.number("large-seen")
    words = f"{updates:,.0f} positions in {games:,} games: {updates / bound:.3%} of {bound:,.0f} arrangements"
    holds = number.value - number.off <= updates < 2 * number.value
    return Judged(SUPPORTED if holds else REFUTED, words, f"{_trained(lab, LARGE)}; ludus runs RUN")


def _author(lab: Lab) -> Working[Judged]:
    yield {}
    return Judged(OPEN, "no game of the author's was recorded", _shown_values(lab, SMALL))


def findings(lab: Lab) -> Working[Findings]:
    """The values of the boards, the conjecture, what the paper's network has learned, and ours."""
    found = yield {
        "boards": [deciding(3, 3), deciding(4, 6), deciding(6, 9)],
        "wide": wide_starts(lab),
        "hot": hot_strips(lab),
        "small": found_on(lab, SMALL),
    }
    one, large = found["small"], found["boards"][-1]
    small_value, medium_value, large_value = (_VALUES[each["value"]] for each in found["boards"])
    held = sum(each["value"] in ("0", "*") for each in found["wide"].values())
    toads, temperature = max(found["hot"].items())
    return Findings(
        [
            f"The paper calls `{LARGE.strip}` beyond computing: a pass through all {large['arrangements']:,}"
            f" arrangements gives it value {large_value}; `{SMALL.strip}` has value {small_value}, and"
            f" `{MEDIUM.strip}` value {medium_value} (`*`: the first player wins; `0`: the second).",
            f"The conjecture that `T^a _^b F^a` is `0` or `*` for all b >= a holds in"
            f" {none_of(held, len(found['wide']))} starts tried; `T^{toads} __ FF` has temperature {temperature:g}.",
            f"On the small board the paper's network wins {fmean(each['program'] for each in one.protocols):.1%} of its"
            f" games (the paper: {lab.number('small-wins')}), random play {one.chance['program']:.1%}; it is optimal in"
            f" {fmean(one.accuracies()):.1%} of all decisions, random moves in {one.random_accuracy():.1%}, ours in"
            f" {accuracy(one.best['lines'])[-1]:.1%} after {one.best['lines'][-1]['games']:,} games.",
        ],
        f"Next: `{deciding(6, 9).command}` decides the large board again, which took {large['seconds']:.1f} seconds of"
        " one core.",
    )


PAPER = Paper(
    name="toads-and-frogs",
    title="Reinforcement Learning in Toads and Frogs",
    authors="L. Garwood",
    game="toads-and-frogs",
    learner="dqn",
    about="A network with three hidden layers learned to play toads against a random opponent by deep Q-learning, on"
    " three boards, and was measured by 1,000 games against random. The program's protocol lets the agent always move"
    " first, and asks the toads' network to move frogs in every other game. Here each side and seat is measured apart,"
    " random play by the same protocols beside it, and every decision by the truth, on the large board by a sample. In"
    " training by the paper's settings toads always begin.",
    experiments=(
        Experiment(
            "1",
            f"The small board, {SMALL.strip}",
            f"{SMALL.trained[0]:,} episodes against random, a loss curve, and 1,000 games against random.",
            partial(on_board, SMALL),
        ),
        Experiment(
            "2",
            f"The medium board, {MEDIUM.strip}",
            f"{MEDIUM.trained[0]:,} episodes against random, the same figures, and the end of a game with Q-values.",
            partial(on_board, MEDIUM),
        ),
        Experiment(
            "3",
            f"The large board, {LARGE.strip}",
            f"{LARGE.trained[0]:,} episodes against random, the same figures, and a part of a game with Q-values.",
            partial(on_board, LARGE),
        ),
        Experiment(
            "4",
            "Where text and program differ",
            "The text explores among legal moves, the program among all pieces; in play an illegal choice loses by the"
            " text, and is a random legal move in the program.",
            variants.text_and_program,
        ),
        Experiment(
            "5",
            "Self-play that failed",
            "A toad and a frog agent, each trained against random, continued against each other in epochs.",
            variants.against_each_other,
        ),
        Experiment(
            "6",
            "A reward for Death Leaps",
            "An extra reward for entering a position that the Death Leap Principle makes zero.",
            variants.death_leap,
        ),
        Experiment(
            "7",
            "Dead pieces",
            "The paper reads an understanding of dead pieces and blockades off two games; here it is tested.",
            variants.dead_pieces_test,
        ),
        Experiment("8", "The games that the paper lists", "Two games move by move, with Q-values.", listed_games),
        Experiment(
            "9", "The end bots", "Bots that always move the piece furthest ahead, or furthest back.", variants.end_bots
        ),
    ),
    claims=(
        *OF_THE_GAME,
        Claim(
            "763 wins of 1,000 on the small board are a significant margin and show that the agent learned the game.",
            _at_full(_margin),
        ),
        Claim("The agent significantly outperforms a random player.", _at_full(_beats_random)),
        Claim("The agent learns to play the game effectively.", _at_full(_effective)),
        Claim("With more computing and time the same methods would give better agents.", _at_full(_more_training)),
        Claim("It knows illegal moves: it gives them negative Q-values.", _at_full(_illegal)),
        Claim("It understands dead pieces and blockades.", _at_full(_dead)),
        Claim("Q-values are lower on the large board.", _at_full(_lower)),
        Claim("In training on the large board it saw over 400,000 positions, some 0.1 % of all.", _at_full(_seen)),
        Claim("Choosing a move is almost instantaneous, even on the large board.", _instant),
        Claim("A reward for entering a Death Leap zero does not help.", _at_full(_leap)),
        Claim("That is because the principle applies to few of the positions met.", _rare),
        Claim("Trained against each other, one of two agents becomes much better than the other.", _at_full(_fight)),
        Claim("The author lost to the trained agent a few times.", _author),
    ),
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="small-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
    findings=findings,
)
