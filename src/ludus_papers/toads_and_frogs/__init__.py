"""Toads and Frogs by deep Q-learning, run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from ludus.report.document import OPEN, REFUTED, SUPPORTED, Best, Findings, NotCovered, Table
from ludus.study.paper import FULL, Claim, Experiment, Judged, Lab, Paper
from ludus.study.paper.tasks import Working, commands, grading
from ludus.study.paper.verdict import (
    SEATS,
    Line,
    Mean,
    accuracy,
    all_above,
    by_sign,
    difference,
    guaranteed,
    mean,
    none_of,
    won,
)
from ludus_papers.toads_and_frogs import tasks, variants
from ludus_papers.toads_and_frogs.boards import found_on, highest_listed, listed_games, on_board
from ludus_papers.toads_and_frogs.tasks import LARGE, MEDIUM, SIZES, SMALL, Size, as_paper, q_values
from ludus_papers.toads_and_frogs.theory import OF_THE_GAME, counting, deciding, large_game, passing, wide_starts
from ludus_papers.toads_and_frogs.variants import KINDS, LEAPS, dead_tests, fights

_MOST = 0.95  # of illegal moves, for "assigning it a negative number" to be so
_MASTERED = 0.9  # of decisions, optimal: less is not to understand the game
_RULE_MASTERED = f"Supported if surely over {_MASTERED:.0%} in both, refuted if surely under in one"
_MATTERS = 0.05  # of decisions or games: a difference that would matter
_MUCH = 0.2  # of games: a much better agent wins as many more than the other
_PROTOCOLS = {
    "program": "games won, the agent always first, and of either side",
    "text": "games won as toads, both sides starting alternately, where an illegal choice loses",
}
_NEAR = 5  # own moves before the end
_MORE_SEEDS = "more seeds than the processor time for a part allows"
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
        return Judged(OPEN, words, lab.command, "the paper's own number of games: --scale full")

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
    words = (
        f"by the program's protocol random play wins {chance['program']:.1%} of such games, and {number} of"
        f" {number.games:,} stand for {number.bounds[0]:.1%} or more; our trainings win {ours.shown()}. They decide"
        f" optimally as toads in {last.shown()}, random moves in {random:.1%}. Supported if the margin is significant"
        f" and they are surely more accurate than random moves, refuted if they are surely less than"
        f" {100 * _MATTERS:.0f} points more accurate"
    )
    verdict = all_above([(last, random)]) if number.bounds[0] > chance["program"] else REFUTED
    if verdict != SUPPORTED and last.seeds > 1 and last.mean + last.sure < random + _MATTERS:
        verdict = REFUTED
    return Judged(verdict, words, f"{tasks.chance_by_seat(lab, SMALL).command}; {_grading(lab)}", _MORE_SEEDS)


def _beats_random(protocol: str, which: str, size: Size, lab: Lab) -> Working[Judged]:
    """On a board, by the program's protocol, or by the text's, in which an illegal choice loses."""
    found = yield {"random": tasks.chance_by_seat(lab, size), "trained": tasks.evaluations(lab, size)}
    ours, chance = mean([each[protocol] for each in found["trained"]]), found["random"][protocol]
    words = f"{which}: {ours.shown()}, random play {chance:.1%}"
    command = f"{_trained(lab, size)}; {tasks.evaluations(lab, size)[0].command}"
    return Judged(all_above([(ours, chance)]), words, command, _MORE_SEEDS)


def _effective(lab: Lab) -> Working[Judged]:
    found = yield {size.key: found_on(lab, size) for size in (SMALL, MEDIUM)}
    words, above = [], list[tuple[Mean, float]]()
    for one in found.values():
        last = mean(one.accuracies())
        above.append((last, _MASTERED))
        words.append(
            f"{one.size.strip}: optimal as toads in {last.shown()}, random moves in {one.random_accuracy():.1%},"
            f" what would have worked in {accuracy(one.best['lines'])[-1]:.1%} of all decisions"
        )
    return Judged(all_above(above), f"{'; '.join(words)}. {_RULE_MASTERED}", _grading(lab), _MORE_SEEDS)


def _informed(lab: Lab) -> Working[Judged]:
    found = yield tasks.grades(lab, LARGE)
    last, random = mean([one["accuracy"][-1] for one in found["trained"]]), found["best"]["chance"]
    words = (
        f"in positions of random games in which moves differ in value it decides optimally in {last.shown()}, random"
        f" moves in {random:.1%}, what would have worked in {found['best']['accuracy'][-1]:.1%}"
    )
    verdict = all_above([(last, random)])
    return Judged(verdict, words, f"{_trained(lab, LARGE)}; {found_command(lab)}", _MORE_SEEDS)


def found_command(lab: Lab) -> str:
    """The command of the grade on a sample of the large board."""
    return str(tasks.grades(lab, LARGE)["best"].command)


def _exploitable(lab: Lab) -> Working[Judged]:
    found = yield {size.key: [as_paper(lab, size, seed) for seed in lab.seeds] for size in (SMALL, MEDIUM)}
    every = [one for each in found.values() for one in each]
    beaten = sum(guaranteed(one["lines"], seat)[-1] == "loss" for one in every for seat in SEATS)
    words = f"a best response beats it in {beaten} of {2 * len(every)} cases: each training of the two smaller boards"
    words += ", moving first and second"
    return Judged(SUPPORTED if beaten == 2 * len(every) else OPEN, words, _grading(lab), "none: it holds of some alone")


def _longer(lab: Lab) -> Working[Judged]:
    """Twice as many games on the small board, beside as many as the paper's, of the same trainings."""
    games = lab.pick(2 * SMALL.trained[0], 300, 60)
    trained = [as_paper(lab, SMALL, seed, games=games, eval_every=games // 2, eval_games=500) for seed in lab.seeds]
    found = (yield {"trained": trained})["trained"]
    curves = {
        "games won against random": [won(one["lines"], "random") for one in found],
        "optimal decisions": [accuracy(one["lines"]) for one in found],
    }
    gains = {name: mean([each[-1] - each[0] for each in every]) for name, every in curves.items()}
    words = ", ".join(f"{gain.gained()} {name}" for name, gain in gains.items())
    evidence = (
        f"{games:,} games beside the first {games // 2:,} of the same trainings on {SMALL.strip}: {words}. Supported if"
        f" it surely wins more, refuted if surely less than {100 * _MATTERS:.0f} points more"
    )
    wins = gains["games won against random"]
    verdict = by_sign(wins)
    if verdict == OPEN and wins.seeds > 1 and wins.mean + wins.sure < _MATTERS:
        verdict = REFUTED
    return Judged(verdict, evidence, trained[0].command, _MORE_SEEDS)


def _loss_falls(size: Size, lab: Lab) -> Working[Judged]:
    trained = [as_paper(lab, size, seed) for seed in lab.seeds]
    ends = [_ends_of_loss(one["lines"]) for one in (yield {"trained": trained})["trained"]]
    first, last = (fmean(each) for each in zip(*ends, strict=True))
    fall = mean([begin - end for begin, end in ends])
    words = f"mean loss in the first and the last tenth of the games: {first:.2f} and {last:.2f}, a fall of"
    return Judged(by_sign(fall), f"{words} {fall.shown('score')}", trained[0].command, _MORE_SEEDS)


def _ends_of_loss(lines: Sequence[Line]) -> tuple[float, float]:
    """The mean loss in the first and in the last tenth of a training; 0 if it made no update."""
    points = [loss for line in lines for _, loss in line["losses"]] or [0.0]
    number = max(len(points) // 10, 1)
    return fmean(points[:number]), fmean(points[-number:])


# ---- Q-values ----


def _asked_values(lab: Lab, sizes: Sequence[Size]) -> dict[str, Any]:
    return {size.key: [q_values(lab, size, seed) for seed in lab.seeds] for size in sizes}


def _illegal(size: Size, lab: Lab) -> Working[Judged]:
    found = (yield _asked_values(lab, [size]))[size.key]
    ours = mean([each["illegal negative"] for each in found])
    words = f"{ours.shown()} of illegal moves have a negative value. Supported if surely over {_MOST:.0%}, refuted if"
    return Judged(all_above([(ours, _MOST)]), f"{words} surely fewer", _shown_values(lab, size), _MORE_SEEDS)


def _knows_illegal(lab: Lab) -> Working[Judged]:
    found = yield _asked_values(lab, SIZES)
    words, above = [], list[tuple[Mean, float]]()
    for size in SIZES:
        each = found[size.key]
        sign = mean([(one["illegal negative"] + 1 - one["legal negative"]) / 2 for one in each])
        legal, slips = (fmean(one[key] for one in each) for key in ("legal negative", "slips"))
        above.append((sign, 0.5))
        words.append(
            f"{size.strip}: right in {sign.shown()}; {legal:.1%} of legal moves are negative, too, and in {slips:.1%}"
            " of positions the highest value is that of an illegal move"
        )
    evidence = (
        f"judged by the sign, illegal and legal moves counting alike, {'; '.join(words)}. Supported if surely over"
    )
    evidence += " 50% on all boards"
    return Judged(all_above(above), evidence, _shown_values(lab, SMALL), _MORE_SEEDS)


def _shown_values(lab: Lab, size: Size) -> str:
    return f"{_trained(lab, size)}; {q_values(lab, size, lab.seeds[0]).command}"


def _lower(lab: Lab) -> Working[Judged]:
    """Whether values are lower on the large board, in games of their own; and those in the paper's strips."""
    asked, papers = {}, {}
    for size in (MEDIUM, LARGE):
        listed, papers[size.key] = highest_listed(lab, size)
        asked[size.key] = {"played": [q_values(lab, size, seed) for seed in lab.seeds], "listed": listed}
    found = yield asked
    medium, large = ([each["highest"] for each in one["played"]] for one in found.values())
    shown = [fmean(max(each) for outputs in one["listed"] for each in outputs) for one in found.values()]
    paper = [fmean(each) for each in papers.values()]
    gap = difference(medium, large)
    words = (
        f"mean of the highest value of a legal move in games of its own: {fmean(medium):.1f} on {MEDIUM.strip} and"
        f" {fmean(large):.1f} on {LARGE.strip}, lower by {gap.shown('score')}; mean of the highest value in the strips"
        f" that the paper lists: {shown[0]:.1f} (paper: {paper[0]:.1f}) and {shown[1]:.1f} (paper: {paper[1]:.1f})"
    )
    return Judged(by_sign(gap), words, _shown_values(lab, LARGE), _MORE_SEEDS)


def _distant(lab: Lab) -> Working[Judged]:
    """Whether values on the large board are lower far from the end than near it."""
    found = yield _asked_values(lab, (MEDIUM, LARGE))
    near, far = (
        {key: [fmean(one["by_distance"][part]) for one in each] for key, each in found.items()}
        for part in (slice(_NEAR), slice(_NEAR, 2 * _NEAR))
    )
    fall = difference(near[LARGE.key], far[LARGE.key])
    shown = [f"{fmean(near[size.key]):.1f} and {fmean(far[size.key]):.1f} on {size.strip}" for size in (MEDIUM, LARGE)]
    words = (
        f"mean of the highest value of a legal move within {_NEAR} own moves of the end, and {_NEAR} earlier:"
        f" {'; '.join(shown)}. On the large board it falls by {fall.shown('score')} on the way"
    )
    return Judged(by_sign(fall), words, _shown_values(lab, LARGE), _MORE_SEEDS)


def _more_slips(lab: Lab) -> Working[Judged]:
    found = yield _asked_values(lab, (MEDIUM, LARGE))
    medium, large = ([one["slipping"] for one in each] for each in found.values())
    gain = difference(large, medium)
    words = (
        f"the highest value is that of an illegal move at least once in {mean(large).shown()} of games on"
        f" {LARGE.strip}, in {mean(medium).shown()} on {MEDIUM.strip}: {gain.gained()}"
    )
    return Judged(by_sign(gain), words, _shown_values(lab, LARGE), _MORE_SEEDS)


def _instant(lab: Lab) -> Working[Judged]:
    found = yield {"values": [q_values(lab, LARGE, seed) for seed in lab.seeds]}
    seconds = max(each["seconds"] for each in found["values"])
    words = f"a choice on {LARGE.strip} takes {1000 * seconds:.2f} ms of one core"
    return Judged(SUPPORTED if seconds < 0.1 else REFUTED, words, _shown_values(lab, LARGE))


def _dead(lab: Lab) -> Working[Judged]:
    found = yield dead_tests(lab)
    words, above = [], list[tuple[Mean, float]]()
    for kind, name in KINDS.items():
        ours, chance = mean([one[kind]["accuracy"] for one in found["killing"]]), found["best killing"][kind]["chance"]
        above.append((ours, _MASTERED))
        words.append(f"where {name} it is optimal in {ours.shown()}, random moves in {chance:.1%}")
    alike = mean([one["alike"] for one in found["pairs"]])
    words.append(f"in pairs that differ in a dead wall alone it moves the same piece in {alike.shown()}")
    return Judged(all_above(above), f"{'; '.join(words)}. {_RULE_MASTERED}", lab.command, _MORE_SEEDS)


# ---- what else was tried ----


def _leap(lab: Lab) -> Working[Judged]:
    trained = {name: [as_paper(lab, SMALL, seed, **one) for seed in lab.seeds] for name, one in LEAPS.items()}
    found = yield {
        name: [tasks.evaluation(one, SMALL.game, tasks.tested(lab), seed) for seed, one in enumerate(each)]
        for name, each in trained.items()
    }
    plain, shaped = ([one["program"] for one in each] for each in found.values())
    gain = difference(shaped, plain)
    words = (
        f"games won by the program's protocol change by {gain.gained()} with the extra reward, seed by seed. Supported"
        f" if the gain is surely below {100 * _MATTERS:.0f} points, refuted if surely above"
    )
    command = commands(each[0] for each in trained.values())
    helps = gain.mean - gain.sure > _MATTERS
    verdict = REFUTED if helps else SUPPORTED if gain.mean + gain.sure < _MATTERS and gain.seeds > 1 else OPEN
    return Judged(verdict, words, command, _MORE_SEEDS)


def _rare(lab: Lab) -> Working[Judged]:
    found = yield {size.strip: counting(lab, size.game) for size in SIZES}
    shares = [f"{each['leaps']:.1%} on {strip}" for strip, each in found.items()]
    words = f"of positions in random play the principle speaks of {', '.join(shares)}"
    rare = all(each["leaps"] < 0.5 for each in found.values())
    return Judged(SUPPORTED if rare else REFUTED, words, lab.command)


def _fight(lab: Lab) -> Working[Judged]:
    found = (yield {"fights": fights(lab)})["fights"]
    gaps = mean([_gap(one[-1]) for one in found])
    words = (
        f"at the end the better agent wins {gaps.shown()} of the games more than the other. Supported if surely over"
        f" {_MUCH:.0%}, which is 60 games of 100 beside 40"
    )
    return Judged(all_above([(gaps, _MUCH)]), words, _fighting(lab), _MORE_SEEDS)


def _gap_grows(lab: Lab) -> Working[Judged]:
    found = (yield {"fights": fights(lab)})["fights"]
    growth = difference([_gap(one[-1]) for one in found], [_gap(one[0]) for one in found])
    grew = sum(_gap(one[-1]) > _gap(one[0]) for one in found)
    words = (
        f"from before the first epoch to after the last the gap grew by {growth.gained()}, in {grew} of {len(found)}"
    )
    return Judged(by_sign(growth), words, _fighting(lab), _MORE_SEEDS)


def _gap(strength: dict[str, float]) -> float:
    """By how many of the games one side wins more than the other."""
    return abs(2 * strength["toads"] - 1)


def _fighting(lab: Lab) -> str:
    sides = _trained(lab, SMALL, "TOADS"), _trained(lab, SMALL, "FROGS", seats="second")
    return "; ".join([*sides, fights(lab)[0].command])


def _seen(lab: Lab) -> Working[Judged]:
    found = yield {"trained": [as_paper(lab, LARGE, seed) for seed in lab.seeds]}
    updates = fmean(float(one["lines"][-1]["updates"]) for one in found["trained"])
    games, bound, number = lab.pick(*LARGE.trained), lab.number("large-bound").value, lab.number("large-seen")
    words = f"{updates:,.0f} positions in {games:,} games: {updates / bound:.3%} of {bound:,.0f} arrangements"
    holds = number.value - number.off <= updates < 2 * number.value
    return Judged(SUPPORTED if holds else REFUTED, words, f"{_trained(lab, LARGE)}; ludus runs RUN")


def _author(lab: Lab) -> Working[Judged]:
    yield {}
    settled = "a record of the author's games, or games of people against it: no program stands for a person who learns"
    return Judged(OPEN, "no game of the author's was recorded", _shown_values(lab, LARGE), settled)


def findings(lab: Lab) -> Working[Findings]:
    """What the paper's network has learned, the listed game, and the values of the boards."""
    found = yield {
        "boards": [deciding(3, 3), deciding(4, 6), deciding(6, 9)],
        "wide": wide_starts(lab),
        "listed": passing(large_game(lab)),
        "small": found_on(lab, SMALL),
    }
    one, large, listed = found["small"], found["boards"][-1], found["listed"]
    small_value, medium_value, large_value = (_VALUES[each["value"]] for each in found["boards"])
    failed = [f"`T^{a} _^{b} F^{a}`" for (a, b), each in found["wide"].items() if each["value"] == "neither"]
    idle = sum(each["wins"] == each["legal"] for each in listed[::2])
    return Findings(
        [
            f"On the small board the paper's network wins {fmean(each['program'] for each in one.protocols):.1%} of its"
            f" games (the paper: {lab.number('small-wins')}), where random play wins {one.chance['program']:.1%}; as"
            f" toads it decides optimally in {fmean(one.accuracies()):.1%}, random moves in"
            f" {one.random_accuracy():.1%}, and ours of any side in"
            f" {accuracy(one.best['lines'])[-1]:.1%} after {one.best['lines'][-1]['games']:,} games.",
            f"In the large game that the paper explains, every legal move of the toads wins in {none_of(idle, 4)}"
            " listed positions: it shows a blockade, not a choice.",
            f"`{SMALL.strip}` has value {small_value}, `{MEDIUM.strip}` {medium_value}, and `{LARGE.strip}`, whose"
            f" value the paper does not know, {large_value} (`*`: the first player wins; `0`: the second); the"
            f" conjecture that all `T^a _^b F^a` with b >= a are `0` or `*` fails for {' and '.join(failed) or 'none'}"
            f" of {len(found['wide'])}.",
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
            "section 5.1; figure 1",
        ),
        Experiment(
            "2",
            f"The medium board, {MEDIUM.strip}",
            f"{MEDIUM.trained[0]:,} episodes against random, the same figures, and the end of a game with Q-values.",
            partial(on_board, MEDIUM),
            "section 5.2; figure 2",
        ),
        Experiment(
            "3",
            f"The large board, {LARGE.strip}",
            f"{LARGE.trained[0]:,} episodes against random, the same figures, and a part of a game with Q-values.",
            partial(on_board, LARGE),
            "section 5.3; figure 3",
        ),
        Experiment(
            "4",
            "Where text and program differ",
            "The text explores among legal moves, the program among all pieces; the text copies the target network"
            " every twenty games, the listing after games 1, 21, 41; in play an illegal choice loses by the text, and"
            " is a random legal move in the program.",
            variants.text_and_program,
            "sections 3.2, 3.3 and 5.2 (an instant loss); the listing in section 4",
        ),
        Experiment(
            "5",
            "Self-play that failed",
            "A toad and a frog agent, each trained against random, continued against each other in epochs.",
            variants.against_each_other,
            'section 5, "I tried many times to no avail to train a toad agent and frog agent"',
        ),
        Experiment(
            "6",
            "A reward for Death Leaps",
            "An extra reward for entering a position that the Death Leap Principle makes zero.",
            variants.death_leap,
            'section 4, "I tried to give a reward"',
        ),
        Experiment(
            "7",
            "Dead pieces",
            "The paper reads an understanding of dead pieces and blockades off two games; here it is tested.",
            variants.dead_pieces_test,
            "sections 5.2, 5.3 and 5.4, on dead pieces and blockades",
        ),
        Experiment(
            "8",
            "The games that the paper lists",
            "Two games move by move, with Q-values.",
            listed_games,
            "the listings in sections 5.2 and 5.3, and what is said of their moves",
        ),
        Experiment(
            "9",
            "The end bots",
            "Bots that always move the piece furthest ahead, or furthest back.",
            variants.end_bots,
            "section 4, the trivial bots",
        ),
        Experiment(
            "10",
            "Other settings",
            "Experiments with several architectures and hyperparameters, of which no result is given; the program's"
            " comments and defaults name one other network and one other learning rate.",
            variants.settings_tried,
            'section 4, "after experimenting with several architectures" and "several training experiments"',
        ),
    ),
    claims=(
        *OF_THE_GAME,
        Claim(
            "763 wins of 1,000 on the small board are a significant margin and show that the agent learned the game.",
            _at_full(_margin),
        ),
        *(
            Claim(
                f"The agent significantly outperforms a random player on {size.strip}, by the {protocol}'s protocol.",
                _at_full(partial(_beats_random, protocol, which, size)),
            )
            for protocol, which in _PROTOCOLS.items()
            for size in SIZES
        ),
        Claim("The agent learns to play the game effectively.", _at_full(_effective)),
        Claim("On the large board it picks an informed move.", _at_full(_informed)),
        Claim("With more computing and time the same methods would give better agents.", _at_full(_longer)),
        *(
            Claim(f"The loss falls in training on {size.strip}.", _at_full(partial(_loss_falls, size)))
            for size in SIZES
        ),
        *(
            Claim(f"It gives illegal moves a negative Q-value on {size.strip}.", _at_full(partial(_illegal, size)))
            for size in SIZES
        ),
        Claim(
            "It has an understanding of when a move is illegal: the sign of its value shows it.",
            _at_full(_knows_illegal),
        ),
        Claim("It understands dead pieces and blockades.", _at_full(_dead)),
        Claim("Q-values are lower on the large board.", _at_full(_lower)),
        Claim(
            "That is because games are longer: it takes longer for the reward of a win to propagate to earlier moves.",
            _at_full(_distant),
        ),
        Claim("And because a longer game has more chances of an illegal move.", _at_full(_more_slips)),
        Claim("In training on the large board it saw over 400,000 positions, some 0.1 % of all.", _at_full(_seen)),
        Claim("Choosing a move is almost instantaneous, even on the large board.", _instant),
        Claim("A reward for entering a Death Leap zero does not help.", _at_full(_leap)),
        Claim("That is because the principle applies to few of the positions met.", _rare),
        Claim("Trained against each other, one of two agents becomes much better than the other.", _at_full(_fight)),
        Claim("The gap between them continues to grow throughout training.", _at_full(_gap_grows)),
        Claim("The author lost to the trained agent a few times.", _author),
        Claim("It can be exploited, once one knows how.", _at_full(_exploitable)),
    ),
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="small-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    preset="paper",
    findings=findings,
    not_covered=(
        NotCovered(
            "Which architectures, learning rates and rewards the author tried before he settled (section 4).",
            "The paper gives neither candidates nor results; experiment 10 runs the two that the program names.",
        ),
        NotCovered(
            "No one has trained an AI to play Toads and Frogs before (section 2).",
            "That is about the literature, not about the game or the method.",
        ),
        NotCovered(
            "Thanatipanonda could not calculate the canonical form of T^6 _^9 F^6 (section 5.3).",
            "That is about his computation. Here the value is decided; * is the whole canonical form.",
        ),
        NotCovered(
            "Far from dead pieces every move feels somewhat random (section 5.3).",
            "A feeling; the grade on a sample of the large board counts how often a move matters to the result.",
        ),
        NotCovered(
            "Much longer training on the large board would make its Q-values intuitive (section 5.3).",
            "Several times as many games there take hours of the processor for five seeds; the claim on more computing"
            " tries twice as many on the small board.",
        ),
        NotCovered(
            "9 minutes and 2 hours of training (sections 5.1 and 5.3).",
            "Times on the author's laptop; experiments 1 and 3 show ours beside them, without a verdict.",
        ),
    ),
)
