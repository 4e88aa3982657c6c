"""What the Mancala paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from ludus import catalog
from ludus.report.parts import OPEN, PROVED, REFUTED, SUPPORTED, Best, Level, Part, Table, Words
from ludus.study.papers.lab import FULL, Lab
from ludus.study.papers.mancala_learning import GAME
from ludus.study.papers.mancala_plan import (
    BEST,
    LOOKS_AHEAD,
    VARIANTS,
    against_random,
    all_stages,
    best,
    best_right,
    by_seeds,
    chance,
    charts,
    long_run,
    looking_self_play,
    people,
    random_shares,
    right_level,
    sample,
    searcher,
    searcher_right,
    self_play,
    untaught,
    won_level,
)
from ludus.study.papers.mancala_shown import lead, right_figure, shares, stage_at, won_against_random, won_figure
from ludus.study.papers.measured import games, won
from ludus.study.papers.paper import Claim, Judged
from ludus.study.papers.task import Task
from ludus.study.papers.verdict import Mean, difference, mean, series
from ludus.study.papers.working import Working

_TRAIN = "ludus train mancala move-weights --games 150500"
_AGAIN = "ludus paper mancala --scale full"
_NEAR = 0.05  # between shares that are called alike
_POINT = 0.01  # more of all games than this would be an improvement
_THREAT = 0.1  # of the games with a player who looks two plies ahead; whoever wins fewer threatens nobody


# ---- the game ----


def seventy(lab: Lab) -> Working[Judged]:
    """Player 1 wins 70 %."""
    played, two, four, *found = yield [
        chance(lab),
        looking_self_play(lab, 2),
        looking_self_play(lab, 4),
        *(self_play(lab, "70/70", seed) for seed in lab.seeds),
    ]
    first = random_shares(played)[0]
    taught = mean([shares(one[-1])[0] for one in found])
    looking = [match["all"]["won"] for match in (two, four)]
    words = (
        f"it depends on who plays: player 1 wins {first:.1%} of {played['games']:,} random games, {taught.mean:.1%} of"
        f" the paper's training, {looking[0]:.1%} and {looking[1]:.1%} of {_count(two):,} games of players who look two"
        f" and four plies ahead; with perfect play {catalog.make_game(GAME).known.partition(';')[0]}"
    )
    told = lab.number("first-wins").value
    near = min(abs(share - told) for share in (first, taught.mean, *looking)) < _NEAR
    return Judged(OPEN if near else REFUTED, words, f"ludus match {GAME} random random --games 1000000")


def _count(match: Any) -> int:
    return int(match["all"]["wins"] + match["all"]["losses"] + match["all"]["draws"])


def overcome(lab: Lab) -> Working[Judged]:
    """Training overcomes the advantage of player 1."""
    played, *found = yield [chance(lab), *_all_variants(lab)]
    first, second, _ = random_shares(played)
    leads = [lead(one[-1]) / one[-1]["games"] for one in found]
    text, program = mean(leads[: len(leads) // 2]), mean(leads[len(leads) // 2 :])
    words = (
        f"random play has player 1 ahead by {100 * (first - second):.1f} points of all games, which is all that there"
        f" is to overcome. The four variants have it ahead by {100 * program.mean:.1f} ± {100 * program.half:.1f} by"
        f" the program, and by {100 * text.mean:.1f} ± {100 * text.half:.1f} by the text"
    )
    gone = any(each.mean + each.half < first - second and each.mean - each.half <= 0 for each in (text, program))
    return Judged(SUPPORTED if gone else OPEN, words, _TRAIN)


def _all_variants(lab: Lab) -> list[Task]:
    """All trainings against itself: by the text, and then as many by the program."""
    return [
        self_play(lab, variant, seed, late=late) for late in (False, True) for variant in VARIANTS for seed in lab.seeds
    ]


def states(lab: Lab) -> Working[Judged]:
    """There are 1.31e13 states."""
    yield []
    told, counted = lab.number("states").value, 2 * comb(61, 13)
    words = (
        f"48 marbles can lie in 14 places in {counted // 2:,} ways, with either player to move {counted:,}; an upper"
        " bound, since not all can be reached"
    )
    verdict = PROVED if abs(counted - told) < told / 100 else REFUTED
    return Judged(verdict, words, "python -c 'from math import comb; print(2 * comb(61, 13))'")


# ---- learning ----


def learns(lab: Lab) -> Working[Judged]:
    """The agent is better after 150,500 games than before."""
    tasks = [self_play(lab, "70/70", seed, late=late) for late in (False, True) for seed in lab.seeds]
    played, *found = yield [chance(lab), *tasks]
    before = won_level(played).y
    text, program = (mean([won_against_random(one[-1]) - before for one in each]) for each in by_seeds(lab, found))
    words = (
        f"after {found[0][-1]['games']:,} games it wins {_points(text)} more of games with random play as the text"
        f" says, and {_points(program)} as the author's program does, than the {before:.1%} that random play wins of"
        " games with itself"
    )
    return Judged(_both_ways(text, program), words, _TRAIN)


def _points(gain: Mean) -> str:
    return f"{100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points"


def _both_ways(text: Mean, program: Mean) -> str:
    """What a gain by the text's method and one by the program's say together; OPEN unless they say the same."""
    found = {_by_sign(each) for each in (text, program)}
    return found.pop() if len(found) == 1 else OPEN


def _by_sign(gain: Mean) -> str:
    if gain.seeds == 1 or abs(gain.mean) <= gain.half:
        return OPEN
    return SUPPORTED if gain.mean > 0 else REFUTED


def faster(lab: Lab) -> Working[Judged]:
    """Self-play learns faster than a random opponent."""
    tasks = [self_play(lab, "70/70", seed, late=late) for late in (False, True) for seed in lab.seeds]
    others = [against_random(lab, seed, long=True) for seed in lab.seeds]
    found = yield [*tasks, *others, *(against_random(lab, seed, late=True) for seed in lab.seeds)]
    itself, own_program, other, other_program = by_seeds(lab, found)
    half = charts(lab, "70/70")[-1][-1]
    text = _more(itself, other, itself[0][-1]["games"])
    program = _more(own_program, other_program, half)
    words = (
        f"as the text says, after {itself[0][-1]['games']:,} games against itself it wins {_points(text)} more of games"
        f" with random play than after {other[0][-1]['games']:,} against random play, which have as many lessons; it"
        f" then knows {_met(itself):,} positions, and {_met(other):,}. As the program does, after {half:,} games"
        f" against itself {_points(program)} more than after {other_program[0][-1]['games']:,} against random play"
    )
    return Judged(_both_ways(text, program), words, f"{_TRAIN} --opponent random --seats first")


def _more(itself: Sequence[Any], other: Sequence[Any], after: int) -> Mean:
    """By how much more is won after so many games against itself than after all games against random play."""
    own = [won_against_random(stage_at(one, after)) for one in itself]
    return difference(own, [won_against_random(one[-1]) for one in other])


def _met(found: Sequence[Any]) -> int:
    return round(mean([one[-1]["met"] for one in found]).mean)


def no_better_than_random(lab: Lab) -> Working[Judged]:
    """A learner never does better than the random player it learns against."""
    tasks = [against_random(lab, seed, late=late) for late in (False, True) for seed in lab.seeds]
    played, *found = yield [chance(lab), *tasks]
    text, program = (mean([shares(one[-1])[0] for one in each]) for each in by_seeds(lab, found))
    first = random_shares(played)[0]
    words = (
        f"moving first it wins {text.shown()} of its games as the text says, and {program.shown()} as the program"
        f" does; random play {first:.1%}"
    )
    verdicts = {_no_better(each, first) for each in (text, program)}
    verdict = verdicts.pop() if len(verdicts) == 1 else OPEN
    return Judged(verdict, words, f"{_TRAIN} --opponent random --seats first")


def _no_better(share: Mean, first: float) -> str:
    """SUPPORTED if a share is surely no better than random play, or by a point at the most; REFUTED if it is."""
    if share.seeds == 1:
        return OPEN
    return (
        REFUTED if share.mean - share.half > first else SUPPORTED if share.mean + share.half < first + _POINT else OPEN
    )


def threatens(lab: Lab) -> Working[Judged]:
    """A couple of million games would challenge people."""
    run, idle = yield [long_run(lab), people(lab, "random")]
    wins = run[-1]["rivals"][LOOKS_AHEAD]
    words = (
        f"after {run[-1]['games']:,} games it wins {wins:.1%} of games with a player who looks two plies ahead, random"
        f" play {idle['all']['won']:.1%}; it then knows {run[-1]['met']:,} positions. No person was asked"
    )
    verdict = REFUTED if lab.scale == FULL and wins < _THREAT else OPEN
    return Judged(verdict, words, f"ludus train {GAME} move-weights --games 2000000 --grade no")


# ---- what the charts show ----


def three_points(lab: Lab) -> Working[Judged]:
    """The difference in score comes to 3, without exception."""
    (idle,), *found = yield [untaught(lab), *_all_variants(lab)]
    late = [[stage["absolute"] for stage in one if stage["games"] >= 1000 or stage is one[-1]] for one in found]
    halves = late[: len(late) // 2], late[len(late) // 2 :]
    text, program = (sorted(each for one in half for each in one) for half in halves)
    words = (
        f"from 1,000 games on the mean difference is {program[0]:.2f} to {program[-1]:.2f} at all stages of all"
        f" variants by the program, {text[0]:.2f} to {text[-1]:.2f} by the text, and {idle['absolute']:.2f} in random"
        " play: 3 is what is left of the program's without the fraction"
    )
    alike = {int(each) for each in program} == {int(lab.number("difference").value)}
    return Judged(SUPPORTED if alike else REFUTED, words, _TRAIN)


def two_never_ahead(lab: Lab) -> Working[Judged]:
    """90/50: player 2 is never ahead before the end."""
    stages = all_stages(lab, "90/50")
    ahead, words = yield from _player_two_ahead(lab, "90/50", stages)
    return _of_one_training(not any(ahead), words, f"{_TRAIN} --win 0.9 --loss 0.5")


def two_ahead(lab: Lab) -> Working[Judged]:
    """50/90: player 2 is ahead until 5,000 games."""
    stages = [games for games in all_stages(lab, "50/90") if games < 5000]
    ahead, words = yield from _player_two_ahead(lab, "50/90", stages)
    always = all(count == len(stages) for count in ahead)
    return _of_one_training(always, words, f"{_TRAIN} --win 0.5 --loss 0.9")


def behind_at_50(lab: Lab) -> Working[Judged]:
    """50/50: player 1 is behind after 50 games."""
    ahead, words = yield from _player_two_ahead(lab, "50/50", [50])
    return _of_one_training(all(ahead), words, f"{_TRAIN} --win 0.5 --loss 0.5")


def _of_one_training(always: bool, words: str, command: str) -> Judged:
    """What the paper tells of its one training: others can make it the rule, and cannot refute that it was so."""
    return Judged(SUPPORTED, words, command) if always else Judged(OPEN, f"not the rule: {words}", command)


def _player_two_ahead(lab: Lab, variant: str, stages: Sequence[int]) -> Working[tuple[list[int], str]]:
    """At how many stages player 2 is ahead, seed by seed, both ways; and in words."""
    found = yield [self_play(lab, variant, seed, late=late) for late in (False, True) for seed in lab.seeds]
    ahead = [sum(lead(stage_at(one, games)) < 0 for games in stages) for one in found]
    text, program = (", ".join(map(str, each)) for each in by_seeds(lab, ahead))
    counted = f"of {len(stages)} stages" if len(stages) > 1 else f"after {stages[0]} games (1: yes, 0: no)"
    words = f"{counted}, seed by seed, player 2 is ahead at {text} by the text, {program} by the program"
    return ahead, words


def two_thirds(lab: Lab) -> Working[Judged]:
    """18 of 30 are 66 %."""
    yield []
    share = lab.number("70-70-30-0").value
    words = f"18 of 30 are {share:.0%}"
    return Judged(SUPPORTED if abs(share - lab.number("first-thirty").value) < 0.01 else REFUTED, words, _AGAIN)


CLAIMS = (
    Claim("Player 1 wins 70 % of the time.", seventy),
    Claim("It is possible to overcome player 1's starting advantage by training.", overcome),
    Claim("The agent plays noticeably better after 150,500 games than with no training.", learns),
    Claim("Self-play learns faster than learning against a random opponent.", faster),
    Claim(
        "A learner shows no significant improvement over a random agent that it learns against.", no_better_than_random
    ),
    Claim("With a couple of million training games the agent could pose a threat to a person.", threatens),
    Claim("The state-space complexity of Mancala is 1.31e13.", states),
    Claim("After 1,000 games the mean difference in score is 3, without exception.", three_points),
    Claim("50/50: player 1 was behind player 2 after 50 games.", behind_at_50),
    Claim("90/50: player 2 never wins more games than player 1 before the end.", two_never_ahead),
    Claim("50/90: player 2 wins the majority until 5,000 games.", two_ahead),
    Claim("70/70: player 1 won 66 % of the first 30 games, 18.", two_thirds),
)


# ---- what would have worked ----


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """TD(lambda) with a small network."""
    looked = sample(lab)
    asked = [chance(lab), best(lab), best_right(lab), people(lab, best(lab)), self_play(lab, "70/70", 0)]
    other = [searcher_right(lab), people(lab, searcher(lab))]
    played, strong, right, match, own, searched, found, *judged = yield [*asked, *other, *looked]
    lines, decisions = strong["lines"], sum(each["decisions"] for each in judged)
    enough = next((line["games"] for line in lines if won([line], "random")[0] > 0.95), None)
    wins = [
        series(BEST, games(lines), [won(lines, "random")]),
        series(
            "70/70 against itself",
            [float(stage["games"]) for stage in own],
            [[won_against_random(stage) for stage in own]],
        ),
    ]
    rights = [
        series("70/70 against itself", [float(stage["games"]) for stage in own], [[stage["right"] for stage in own]])
    ]
    parts: list[Part] = [
        Words(_WHY),
        won_figure("best-won", wins, won_level(played), "From both seats."),
        right_figure("best-right", rights, right_level(judged), decisions, [Level(BEST, right)]),
        Table(
            "best",
            "At the end",
            ("", "won against random play", "right decisions", "won against who looks two plies ahead"),
            [
                (BEST, f"{won(lines, 'random')[-1]:.1%}", f"{right:.1%}", f"{match['all']['won']:.1%}"),
                (f"{searcher(lab)}, which learns nothing", "", f"{searched:.1%}", f"{found['all']['won']:.1%}"),
                ("70/70 against itself", f"{won_against_random(own[-1]):.1%}", f"{own[-1]['right']:.1%}", ""),
                ("random play", f"{won_level(played).y:.1%}", f"{right_level(judged).y:.1%}", ""),
            ],
        ),
    ]
    return Best(
        "`td-lambda`: a network with one hidden layer, seen by the mover, that learns from its own games",
        f"{lines[-1]['games']:,} games, {lines[-1]['turns']:,} plies"
        + (f"; 95 % of games with random play won from {enough:,} games on" if enough else ""),
        f"right in {right:.1%} of {decisions} decisions (random play {right_level(judged).y:.1%}); wins"
        f" {won(lines, 'random')[-1]:.1%} of games with random play, {match['all']['won']:.1%} of those with a player"
        " who looks two plies ahead",
        best(lab).command,
        parts,
    )


_WHY = (
    "A table knows only positions that it has met. A network says of others, too, what it has learned, and learns from"
    " each move, not from the result alone. A search learns nothing, and thinks instead; both together are far dearer"
    f" to train: `ludus train {GAME} alphazero --preset strong`."
)
