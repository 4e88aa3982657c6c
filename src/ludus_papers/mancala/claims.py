"""What the Mancala paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from ludus import catalog
from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED, Best, Level, Part, Table, Words
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands
from ludus.study.paper.verdict import Mean, Number, by_sign, difference, games, mean, series, won
from ludus_papers.mancala.figures import (
    curve,
    is_whole_part,
    lead,
    right_decisions,
    right_figure,
    shares,
    stage_at,
    won_against_random,
    won_figure,
)
from ludus_papers.mancala.plan import (
    BEST,
    GAME,
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

_NEAR = 0.05  # between shares that are called alike

_POINT = 0.01  # more of all games than this would be an improvement


# ---- the game ----


def seventy(lab: Lab) -> Working[Judged]:
    """Player 1 wins 70 %."""
    trainings = [self_play(lab, "70/70", seed) for seed in lab.seeds]
    tasks = [chance(lab), looking_self_play(lab, 2), looking_self_play(lab, 4), *trainings]
    played, two, four, *found = yield tasks
    first = random_shares(played)[0]
    taught = mean([shares(one[-1])[0] for one in found])
    looking = [match["all"]["won"] for match in (two, four)]
    words = (
        f"it depends on who plays: player 1 wins {first:.1%} of {played['games']:,} random games, {taught.mean:.1%} of"
        f" the paper's training, {looking[0]:.1%} and {looking[1]:.1%} of {_count(two):,} games of players who look two"
        f" and four plies ahead; with perfect play {catalog.make_game(GAME).known.partition(';')[0]}, by search"
        " (docs/truth.md)"
    )
    told = lab.number("first-wins").value
    near = min(abs(share - told) for share in (first, taught.mean, *looking)) < _NEAR
    return Judged(OPEN if near else REFUTED, words, commands(tasks[:4]))


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
    return Judged(SUPPORTED if gone else OPEN, words, lab.command)


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
        f"48 stones can lie in 14 places in {counted // 2:,} ways, with either player to move {counted:,}; an upper"
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
        f" says, {_GOES_BY}, and {_points(program)} as the author's program does, than the {before:.1%} that random"
        " play wins of games with itself"
    )
    verdict = _long_enough(lab, by_sign(text), SUPPORTED)
    return Judged(verdict, words, commands([chance(lab), *_first_both(lab, tasks)]))


_GOES_BY = "by which this is judged"


def _first_both(lab: Lab, tasks: Sequence[Task]) -> list[Task]:
    """The trainings of the first seed, by the text and by the program."""
    return [each[0] for each in by_seeds(lab, tasks)]


def _long_enough(lab: Lab, verdict: str, sure: str) -> str:
    """A verdict as it is at full scale; with fewer games only the one that more games could not undo."""
    return verdict if lab.scale == FULL or verdict == sure else OPEN


def _points(gain: Mean) -> str:
    return f"{100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points"


def faster(lab: Lab) -> Working[Judged]:
    """Self-play learns faster than a random opponent."""
    tasks = [self_play(lab, "70/70", seed, late=late) for late in (False, True) for seed in lab.seeds]
    others = [against_random(lab, seed, long=True) for seed in lab.seeds]
    late = [against_random(lab, seed, late=True) for seed in lab.seeds]
    found = yield [*tasks, *others, *late]
    itself, own_program, other, other_program = by_seeds(lab, found)
    half = charts(lab, "70/70")[-1][-1]
    text = _more(itself, other, itself[0][-1]["games"])
    program = _more(own_program, other_program, half)
    words = (
        f"as the text says, {_GOES_BY}, after {itself[0][-1]['games']:,} games against itself it wins {_points(text)}"
        f" more of games with random play than after {other[0][-1]['games']:,} against random play, which have as many"
        f" lessons; it then knows {_met(itself):,} positions, and {_met(other):,}. As the program does, after {half:,}"
        f" games against itself {_points(program)} more than after {other_program[0][-1]['games']:,} against random"
        " play"
    )
    return Judged(by_sign(text), words, commands([*_first_both(lab, tasks), others[0], late[0]]))


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
        f"moving first it wins {text.shown()} of its {found[0][-1]['games']:,} games as the text says, {_GOES_BY}, and"
        f" {program.shown()} as the program does; random play {first:.1%}"
    )
    verdict = _long_enough(lab, _no_better(text, first), REFUTED)
    return Judged(verdict, words, commands([chance(lab), *_first_both(lab, tasks)]))


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
        f" play {idle['all']['won']:.1%}; it then knows {run[-1]['met']:,} positions. One training, and no person was"
        " asked: this is left open"
    )
    return Judged(OPEN, words, commands([long_run(lab), people(lab, "random")]))


# ---- what the charts show ----


def three_points(lab: Lab) -> Working[Judged]:
    """The difference in score comes to 3, without exception."""
    (idle,), *found = yield [untaught(lab), *_all_variants(lab)]
    told = lab.number("difference")
    late = [[stage["absolute"] for stage in one if stage["games"] >= 1000 or stage is one[-1]] for one in found]
    means = [[mean(stage) for stage in zip(*each, strict=True)] for each in by_seeds(lab, late)]
    text, program = (
        sorted(each for variant in half for each in variant)
        for half in (means[: len(VARIANTS)], means[len(VARIANTS) :])
    )
    words = (
        f"from 1,000 games on the mean difference is {_from_to(program)} by the program, at {_elsewhere(program, told)}"
        f" of {len(program)} stages of all variants significantly other than {told.value:g}; {_from_to(text)} by the"
        f" text, at {_elsewhere(text, told)} of {len(text)}; and {idle['absolute']:.2f} in random play"
    )
    if is_whole_part([each.mean for each in program], told.value):
        words += f". Without their fractions the program's are all {told.value:g}"
    return Judged(_without_exception(text, program, told), words, lab.command)


def _from_to(means: Sequence[Mean]) -> str:
    return f"{means[0].shown('score')} to {means[-1].shown('score')}"


def _elsewhere(means: Sequence[Mean], told: Number) -> int:
    """How many of these surely differ from what is told."""
    return sum(each.seeds > 1 and told.distance(each.mean) > each.half + told.error for each in means)


def _without_exception(text: Sequence[Mean], program: Sequence[Mean], told: Number) -> str:
    """REFUTED if there are exceptions by both ways, SUPPORTED if there are none by either, of several seeds."""
    found = [_elsewhere(each, told) for each in (text, program)]
    if text[0].seeds == 1:
        return OPEN
    return REFUTED if all(found) else OPEN if any(found) else SUPPORTED


def two_never_ahead(lab: Lab) -> Working[Judged]:
    """90/50: player 2 is never ahead before the end."""
    stages = all_stages(lab, "90/50")
    ahead, words = yield from _player_two_ahead(lab, "90/50", stages)
    return _of_one_training(not any(ahead), words, _both_commands(lab, "90/50"))


def two_ahead(lab: Lab) -> Working[Judged]:
    """50/90: player 2 is ahead until 5,000 games."""
    stages = [games for games in all_stages(lab, "50/90") if games < 5000]
    ahead, words = yield from _player_two_ahead(lab, "50/90", stages)
    always = all(count == len(stages) for count in ahead)
    return _of_one_training(always, words, _both_commands(lab, "50/90"))


def behind_at_50(lab: Lab) -> Working[Judged]:
    """50/50: player 1 is behind after 50 games."""
    ahead, words = yield from _player_two_ahead(lab, "50/50", [50])
    return _of_one_training(all(ahead), words, _both_commands(lab, "50/50"))


def _both_commands(lab: Lab, variant: str) -> str:
    return commands(self_play(lab, variant, lab.seeds[0], late=late) for late in (False, True))


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
    told = lab.number("70-70-30-0")
    words = f"{told.value * told.games:.0f} of {told.games} are {told.value:.0%}"
    return Judged(
        SUPPORTED if abs(told.value - lab.number("first-thirty").value) < 0.01 else REFUTED, words, lab.command
    )


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
    asked = [chance(lab), best(lab), best_right(lab), people(lab, best(lab))]
    other = [searcher_right(lab), people(lab, searcher(lab)), *looked]
    itself = [self_play(lab, "70/70", seed) for seed in lab.seeds]
    played, strong, right, match, searched, found, *rest = yield [*asked, *other, *itself]
    judged, own = rest[: len(looked)], rest[len(looked) :]
    lines, decisions = strong["lines"], sum(each["decisions"] for each in judged)
    enough = next((line["games"] for line in lines if won([line], "random")[0] > 0.95), None)
    wins = [series(BEST, games(lines), [won(lines, "random")]), curve("70/70 against itself", own, won_against_random)]
    rights = [curve("70/70 against itself", own, right_decisions)]
    ends = [mean([measure(one[-1]) for one in own]).shown() for measure in (won_against_random, right_decisions)]
    parts: list[Part] = [
        Words(_WHY),
        won_figure("best-won", wins, won_level(played), "From both seats."),
        right_figure("best-right", rights, right_level(judged), decisions, [Level(BEST, right)]),
        Table(
            "best",
            "At the end",
            ("", "won against random play", "optimal decisions", "won against a player who looks two plies ahead"),
            [
                (BEST, f"{won(lines, 'random')[-1]:.1%}", f"{right:.1%}", f"{match['all']['won']:.1%}"),
                (f"{searcher(lab)}, which learns nothing", "", f"{searched:.1%}", f"{found['all']['won']:.1%}"),
                ("70/70 against itself", *ends, ""),
                ("random play", f"{won_level(played).y:.1%}", f"{right_level(judged).y:.1%}", ""),
            ],
            f"70/70: means over {len(own)} seeds with their intervals; {BEST}: one seed.",
        ),
    ]
    return Best(
        "`td-lambda`: a network with one hidden layer, seen by the mover, that learns from its own games",
        f"{lines[-1]['games']:,} games, {lines[-1]['plies']:,} plies"
        + (f"; 95 % of games with random play won from {enough:,} games on" if enough else ""),
        f"optimal in {right:.1%} of {decisions} decisions (random play {right_level(judged).y:.1%}); wins"
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
