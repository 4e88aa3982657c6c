"""What the Mancala paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import comb

import ludus
from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED, Best, Findings, Part, Table, Words
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands
from ludus.study.paper.verdict import BEST, RANDOM, Mean, Number, by_sign, difference, mean, won
from ludus_papers.mancala import plan

_NEAR = 0.05  # between shares that are called alike
_POINT = 0.01  # more of all games than this would be an improvement
_GOES_BY = "by which this is judged"


# ---- the game ----


def seventy(lab: Lab) -> Working[Judged]:
    """Player 1 wins 70 %."""
    asked = {"random": plan.chance(lab), "two": plan.looking_self_play(lab, 2), "four": plan.looking_self_play(lab, 4)}
    found = yield asked | {"trained": [plan.self_play(lab, "70/70", seed) for seed in lab.seeds]}
    played, two, four = (found[name] for name in asked)
    first = plan.random_shares(played)[0]
    taught = mean([plan.shares(one[-1])[0] for one in found["trained"]])
    looking = [match["all"]["won"] for match in (two, four)]
    count = sum(two["all"][kind] for kind in ("wins", "losses", "draws"))
    words = (
        f"it depends on who plays: player 1 wins {first:.1%} of {played['games']:,} random games, {taught.mean:.1%} of"
        f" the paper's training, {looking[0]:.1%} and {looking[1]:.1%} of {count:,} games of players who look two"
        f" and four plies ahead; with perfect play {ludus.make_game(plan.GAME).known.partition(';')[0]}, by search"
        " (docs/truth.md)"
    )
    number = lab.number("first-wins").value
    near = min(abs(share - number) for share in (first, taught.mean, *looking)) < _NEAR
    return Judged(OPEN if near else REFUTED, words, commands([*asked.values(), plan.self_play(lab, "70/70", 0)]))


def overcome(lab: Lab) -> Working[Judged]:
    """Training overcomes the advantage of player 1."""
    found = yield {"random": plan.chance(lab), "trained": _all_variants(lab)}
    first, second, _ = plan.random_shares(found["random"])
    text, program = (
        mean([plan.lead(one[-1]) / one[-1]["games"] for each in found["trained"].values() for one in each[way]])
        for way in plan.NAMES
    )
    words = (
        f"random play has player 1 ahead by {100 * (first - second):.1f} points of all games, which is all that there"
        f" is to overcome. The four variants have it ahead by {100 * program.mean:.1f} ± {100 * program.half:.1f} by"
        f" the program, and by {100 * text.mean:.1f} ± {100 * text.half:.1f} by the text"
    )
    gone = any(each.mean + each.sure < first - second and each.mean - each.sure <= 0 for each in (text, program))
    return Judged(SUPPORTED if gone else OPEN, words, lab.command)


def _all_variants(lab: Lab) -> dict[str, dict[str, list[Task]]]:
    """All trainings against itself, by the text and by the program."""
    return {variant: plan.variant_both_ways(lab, variant) for variant in plan.VARIANTS}


def states(lab: Lab) -> Working[Judged]:
    """There are 1.31e13 states."""
    yield {}
    number, counted = lab.number("states").value, 2 * comb(61, 13)
    words = (
        f"48 stones can lie in 14 places in {counted // 2:,} ways, with either player to move {counted:,}; an upper"
        " bound, since not all can be reached"
    )
    verdict = PROVED if abs(counted - number) < number / 100 else REFUTED
    return Judged(verdict, words, "python -c 'from math import comb; print(2 * comb(61, 13))'")


# ---- learning ----


def learns(lab: Lab) -> Working[Judged]:
    """The agent is better after 150,500 games than before."""
    trained = plan.variant_both_ways(lab, "70/70")
    found = yield {"random": plan.chance(lab), "trained": trained}
    before = plan.random_won(found["random"])
    text, program = (
        mean([wins - before for wins in plan.ends(found["trained"][way], plan.won_against_random)])
        for way in plan.NAMES
    )
    words = (
        f"after {found['trained']['text'][0][-1]['games']:,} games it wins {_points(text)} more of games with random"
        f" play as the text says, {_GOES_BY}, and {_points(program)} as the author's program does, than the"
        f" {before:.1%} that random play wins of games with itself"
    )
    verdict = _long_enough(lab, by_sign(text), SUPPORTED)
    return Judged(verdict, words, commands([plan.chance(lab), *(each[0] for each in trained.values())]))


def _long_enough(lab: Lab, verdict: str, lasting: str) -> str:
    """A verdict as it is at full scale; with fewer games only the one that more games could not undo."""
    return verdict if lab.scale == FULL or verdict == lasting else OPEN


def _points(gain: Mean) -> str:
    return f"{100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points"


def faster(lab: Lab) -> Working[Judged]:
    """Self-play learns faster than a random opponent."""
    itself = plan.variant_both_ways(lab, "70/70")
    other = {
        "text": [plan.against_random(lab, seed, long=True) for seed in lab.seeds],
        "program": [plan.against_random(lab, seed, late=True) for seed in lab.seeds],
    }
    found = yield {"itself": itself, "random": other}
    own, others = found["itself"], found["random"]
    games, half = own["text"][0][-1]["games"], plan.charts(lab, "70/70")[-1][-1]
    text = _more(own["text"], others["text"], games)
    program = _more(own["program"], others["program"], half)
    words = (
        f"as the text says, {_GOES_BY}, after {games:,} games against itself it wins {_points(text)} more of games with"
        f" random play than after {others['text'][0][-1]['games']:,} against random play, which have as many episodes;"
        f" it then knows {_visited(own['text']):,} positions, and {_visited(others['text']):,}. As the program does,"
        f" after {half:,} games against itself {_points(program)} more than after"
        f" {others['program'][0][-1]['games']:,} against random play"
    )
    tasks = [*(each[0] for each in itself.values()), *(each[0] for each in other.values())]
    return Judged(by_sign(text), words, commands(tasks))


def _more(itself: plan.Trainings, other: plan.Trainings, after: int) -> Mean:
    """By how much more is won after this many games against itself than after all games against random play."""
    own = [plan.won_against_random(plan.stage_at(one, after)) for one in itself]
    return difference(own, plan.ends(other, plan.won_against_random))


def _visited(found: plan.Trainings) -> int:
    return round(mean([one[-1]["visited"] for one in found]).mean)


def no_better_than_random(lab: Lab) -> Working[Judged]:
    """A learner never does better than the random player it learns against."""
    trained = plan.both_ways(lab, partial(plan.against_random, lab))
    found = yield {"random": plan.chance(lab), "trained": trained}
    text, program = (mean([plan.shares(one[-1])[0] for one in found["trained"][way]]) for way in plan.NAMES)
    first = plan.random_shares(found["random"])[0]
    words = (
        f"moving first it wins {text.shown()} of its {found['trained']['text'][0][-1]['games']:,} games as the text"
        f" says, {_GOES_BY}, and {program.shown()} as the program does; random play {first:.1%}"
    )
    verdict = _long_enough(lab, _no_better(text, first), REFUTED)
    return Judged(verdict, words, commands([plan.chance(lab), *(each[0] for each in trained.values())]))


def _no_better(share: Mean, first: float) -> str:
    """SUPPORTED if a share is not significantly a point above random play, REFUTED if it is significantly above."""
    if share.seeds == 1:
        return OPEN
    return (
        REFUTED if share.mean - share.sure > first else SUPPORTED if share.mean + share.sure < first + _POINT else OPEN
    )


def threatens(lab: Lab) -> Working[Judged]:
    """A couple of million games would challenge people."""
    asked = {"long": plan.long_run(lab), "random": plan.people(lab, "random")}
    found = yield asked
    last = found["long"][-1]
    words = (
        f"after {last['games']:,} games it wins {last['opponents'][plan.LOOKS_AHEAD]:.1%} of games with a player who"
        f" looks two plies ahead, random play {found['random']['all']['won']:.1%}; it then knows {last['visited']:,}"
        " positions. One training, and no person was asked: this is left open"
    )
    return Judged(OPEN, words, commands(asked.values()))


# ---- what the charts show ----


def three_points(lab: Lab) -> Working[Judged]:
    """The difference in score comes to 3, without exception."""
    found = yield {"untaught": plan.untaught(lab), "trained": _all_variants(lab)}
    (idle,) = found["untaught"]
    number = lab.number("difference")
    text, program = (
        sorted(each for variant in found["trained"].values() for each in _late_differences(variant[way]))
        for way in plan.NAMES
    )
    words = (
        f"from 1,000 games on the mean difference is {_from_to(program)} by the program, at"
        f" {_elsewhere(program, number)} of {len(program)} stages of all variants significantly other than"
        f" {number.value:g}; {_from_to(text)} by the text, at {_elsewhere(text, number)} of {len(text)}; and"
        f" {idle['absolute']:.2f} in random play"
    )
    if plan.is_whole_part([each.mean for each in program], number.value):
        words += f". Without their fractions the program's are all {number.value:g}"
    return Judged(_without_exception(text, program, number), words, lab.command)


def _late_differences(found: plan.Trainings) -> list[Mean]:
    """The mean difference in score at each stage from 1,000 games on, and at the last."""
    late = [[stage["absolute"] for stage in one if stage["games"] >= 1000 or stage is one[-1]] for one in found]
    return [mean(stage) for stage in zip(*late, strict=True)]


def _from_to(means: Sequence[Mean]) -> str:
    return f"{means[0].shown('score')} to {means[-1].shown('score')}"


def _elsewhere(means: Sequence[Mean], number: Number) -> int:
    """How many of these differ significantly from a number."""
    return sum(each.seeds > 1 and number.distance(each.mean) > each.sure + number.error for each in means)


def _without_exception(text: Sequence[Mean], program: Sequence[Mean], number: Number) -> str:
    """REFUTED if there are exceptions by both ways, SUPPORTED if there are none by either, of several seeds."""
    found = [_elsewhere(each, number) for each in (text, program)]
    if text[0].seeds == 1:
        return OPEN
    return REFUTED if all(found) else OPEN if any(found) else SUPPORTED


def _of_one_training(variant: str, lab: Lab) -> Working[Judged]:
    """What the paper reports of its one training of a variant: others can make it the rule, and cannot refute it."""
    stages = {
        "90/50": plan.all_stages(lab, variant),
        "50/90": [games for games in plan.all_stages(lab, variant) if games < 5000],
        "50/50": [50],
    }[variant]
    found = yield plan.variant_both_ways(lab, variant)
    ahead = {
        way: [sum(plan.lead(plan.stage_at(one, games)) < 0 for games in stages) for one in each]
        for way, each in found.items()
    }
    text, program = (", ".join(map(str, each)) for each in ahead.values())
    counted = f"of {len(stages)} stages" if len(stages) > 1 else f"after {stages[0]} games (1: yes, 0: no)"
    words = f"{counted}, seed by seed, player 2 is ahead at {text} by the text, {program} by the program"
    wanted = 0 if variant == "90/50" else len(stages)
    always = all(count == wanted for each in ahead.values() for count in each)
    command = commands(plan.self_play(lab, variant, lab.seeds[0], late=late) for late in (False, True))
    return Judged(SUPPORTED, words, command) if always else Judged(OPEN, f"not the rule: {words}", command)


def two_thirds(lab: Lab) -> Working[Judged]:
    """18 of 30 are 66 %."""
    yield {}
    number = lab.number("70-70-30-0")
    words = f"{number.value * number.games:.0f} of {number.games} are {number.value:.0%}"
    same = abs(number.value - lab.number("first-thirty").value) < 0.01
    return Judged(SUPPORTED if same else REFUTED, words, lab.command)


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
    Claim("50/50: player 1 was behind player 2 after 50 games.", partial(_of_one_training, "50/50")),
    Claim("90/50: player 2 never wins more games than player 1 before the end.", partial(_of_one_training, "90/50")),
    Claim("50/90: player 2 wins the majority until 5,000 games.", partial(_of_one_training, "50/90")),
    Claim("70/70: player 1 won 66 % of the first 30 games, 18.", two_thirds),
)


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """TD(lambda) with a small network."""
    searcher, itself = plan.searcher(lab), "70/70 against itself"
    found = yield {
        "beside": plan.beside(lab),
        "match": plan.people(lab, plan.best(lab)),
        "searcher": plan.judging(searcher, plan.sample(lab)),
        "search match": plan.people(lab, searcher),
        "self-play": [plan.self_play(lab, "70/70", seed) for seed in lab.seeds],
    }
    beside, own = found["beside"], found["self-play"]
    lines, accuracy = beside["best"]["lines"], beside["accuracy"]
    wins, match = won(lines)[-1], found["match"]["all"]["won"]
    decisions, random = sum(each["decisions"] for each in beside["sample"]), plan.random_accuracy(beside["sample"])
    enough = next((line["games"] for line in lines if won([line])[0] > 0.95), None)
    last = [mean(plan.ends(own, measure)).shown() for measure in (plan.won_against_random, plan.accuracy_at)]
    searched, other = f"{found['searcher']:.1%}", f"{found['search match']['all']['won']:.1%}"
    curves = [plan.best_won(beside["best"]), plan.stages_curve(itself, own, plan.won_against_random)]
    parts: list[Part] = [
        Words(
            "A table knows only positions that it has met. A network says of others, too, what it has learned, and"
            " learns from each move, not from the result alone. A search learns nothing, and thinks instead; both"
            f" together are far dearer to train: `ludus train {plan.GAME} alphazero --preset strong`."
        ),
        plan.stages_won_figure("best-won", curves, beside["random"], "From both seats."),
        plan.sample_figure("best-grade", [plan.stages_curve(itself, own, plan.accuracy_at)], beside),
        Table(
            "best",
            "At the end",
            ("", "won against random play", "optimal decisions", "won against a player who looks two plies ahead"),
            [
                (BEST, f"{wins:.1%}", f"{accuracy:.1%}", f"{match:.1%}"),
                (f"{searcher}, which learns nothing", "", searched, other),
                (itself, *last, ""),
                (RANDOM, f"{plan.random_won(beside['random']):.1%}", f"{random:.1%}", ""),
            ],
            f"70/70: means over {len(own)} seeds with their intervals; {BEST}: one seed.",
        ),
    ]
    return Best(
        "`td-lambda`: a network with one hidden layer, seen by the mover, that learns from its own games",
        f"{lines[-1]['games']:,} games, {lines[-1]['plies']:,} plies"
        + (f"; 95 % of games with random play won from {enough:,} games on" if enough else ""),
        f"optimal in {accuracy:.1%} of {decisions} decisions (random play {random:.1%}); wins {wins:.1%} of games with"
        f" random play, {match:.1%} of those with a player who looks two plies ahead",
        plan.best(lab).command,
        parts,
    )


def findings(lab: Lab) -> Working[Findings]:
    """How often player 1 wins, what the paper's agent has learned, and ours."""
    searcher = plan.searcher(lab)
    found = yield {
        "beside": plan.beside(lab),
        "four": plan.looking_self_play(lab, 4),
        "self-play": [plan.self_play(lab, "70/70", seed) for seed in lab.seeds],
        "match": plan.people(lab, plan.best(lab)),
        "searcher": plan.judging(searcher, plan.sample(lab)),
    }
    beside, own = found["beside"], found["self-play"]
    played, lines = beside["random"], beside["best"]["lines"]
    first = mean([plan.shares(one[-1])[0] for one in own]).mean
    return Findings(
        [
            f"The paper says that player 1 wins {lab.number('first-wins').value:.0%} of the time; here it wins"
            f" {plan.random_shares(played)[0]:.1%} of random games, {first:.1%} of the paper's training, and"
            f" {found['four']['all']['won']:.1%} of games between players who look four plies ahead.",
            f"After {own[0][-1]['games']:,} games against itself the paper's agent knows {_visited(own):,} positions"
            f" and wins {mean(plan.ends(own, plan.won_against_random)).mean:.1%} of games with random play, which wins"
            f" {plan.random_won(played):.1%} of games with itself.",
            f"Ours, a network of one hidden layer, wins {won(lines)[-1]:.1%} after {lines[-1]['games']:,} games, and"
            f" {found['match']['all']['won']:.1%} of those with a player who looks two plies ahead.",
        ],
        f"Next: `ludus play {plan.GAME} --against '{searcher}'` plays a search that learns nothing and is optimal in"
        f" {found['searcher']:.1%} of the decisions searched to the end (ours {beside['accuracy']:.1%}).",
    )
