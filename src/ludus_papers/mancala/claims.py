"""What the Mancala paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import comb

from scipy.stats import binomtest

import ludus
from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED, Best, Findings, Part, Table, Words
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands
from ludus.study.paper.verdict import BEST, RANDOM, Mean, by_margin, by_sign, difference, mean, won
from ludus_papers.mancala import plan

_MATTERS = 0.03  # a difference of shares that would matter, as in numbers.toml
_RULE = 0.9  # of all trainings: what happens in as many is called a rule
_THREAT = 0.1  # of games won with a player who looks two plies ahead, which would pose a threat
_EXPECTED = 30, 2500  # games: the beginning and the middle
_MIDDLE, _LAST = 0.7, 0.6  # what the author expected player 1 to win in the middle, and in the end
_SPLITS = "90/50"  # the variant by which, as the text says, one player comes to win nearly all games
_KEYS = [variant.replace("/", "-") for variant in plan.VARIANTS]


_SEEDS = "more seeds"
_FULL_SCALE = "the paper's own number of games: --scale full"


# ---- how verdicts are found ----


def _settled(lab: Lab, verdict: str, words: str, command: str, by: str = _SEEDS) -> Judged:
    """A verdict on what is done at full size at full scale only: open before."""
    if lab.scale != FULL:
        return Judged(OPEN, words, command, _FULL_SCALE)
    return Judged(verdict, words, command, by if verdict == OPEN else "")


def _more_than(found: Mean, margin: float) -> str:
    """SUPPORTED if a difference is surely above a margin that would matter, REFUTED if surely not, else OPEN."""
    if found.seeds == 1:
        return OPEN
    if found.mean + found.sure <= margin:
        return REFUTED
    return SUPPORTED if found.mean - found.sure > margin else OPEN


def _as_a_rule(count: int, trainings: int) -> str:
    """SUPPORTED if something surely happens in nearly all trainings, REFUTED if surely not, else OPEN."""
    interval = binomtest(count, trainings).proportion_ci(method="exact")
    if interval.low > _RULE:
        return SUPPORTED
    return REFUTED if interval.high <= _RULE else OPEN


def _points(gain: Mean) -> str:
    return f"{100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points"


# ---- the game ----


def seventy(lab: Lab) -> Working[Judged]:
    """Player 1 wins 70 %."""
    depths = [plan.looking_self_play(lab, depth) for depth in (1, 2, 3, 4)]
    found = yield {"random": plan.chance(lab), "looking": depths, "trained": _of_70(lab)}
    played, number = found["random"], lab.number("first-wins").value
    first, taught = plan.random_shares(played)[0], mean([plan.shares(one[-1])[0] for one in found["trained"]])
    looking = [match["all"] for match in found["looking"]]
    ahead = [f"{each['won']:.1%}" for each in looking]
    games = sum(looking[0][kind] for kind in ("wins", "losses", "draws"))
    words = (
        f"it depends on who plays: player 1 wins {first:.1%} of {played['games']:,} random games, {taught.shown()} of"
        f" the training by 70/70, and {', '.join(ahead)} of {games:,} games each of"
        " players who look one, two, three and four plies ahead; with perfect play"
        f" {ludus.make_game(plan.GAME).known.partition(';')[0]}, by search (docs/truth.md)"
    )
    beyond = [_beyond(each["wins"], games, number) for each in looking] + [
        _beyond(played["first_wins"], played["games"], number)
    ]
    verdict = REFUTED if any(beyond) else OPEN
    command = commands([plan.chance(lab), *depths, plan.self_play(lab, "70/70", 0, late=True)])
    return Judged(verdict, words, command, "more games of players who look ahead" if verdict == OPEN else "")


def _beyond(wins: int, games: int, number: float) -> bool:
    """Whether a share of wins surely lies further from a number than matters."""
    interval = binomtest(wins, games).proportion_ci(method="exact")
    return bool(interval.low > number + _MATTERS or interval.high < number - _MATTERS)


def overcome(lab: Lab) -> Working[Judged]:
    """Training overcomes the advantage of player 1."""
    found = yield {"random": plan.chance(lab), "trained": plan.all_variants(lab)}
    first, second, _ = plan.random_shares(found["random"])
    text, program = (
        mean(
            [
                plan.lead(one[-1])
                for variant, each in found["trained"].items()
                for one in each[way]
                if variant != _SPLITS
            ]
        )
        for way in plan.NAMES
    )
    reported = mean([lab.number(f"{key}-last-0").value - lab.number(f"{key}-last-1").value for key in _KEYS])
    words = (
        f"random play has player 1 ahead by {100 * (first - second):.1f} points of all games, which is all there"
        f" is to overcome; the paper's four trainings by {100 * reported.mean:.1f}. 70/70, 50/50 and 50/90 have it"
        f" ahead by {_points(program)} by the program, and by {_points(text)} by the text, which is"
        f" judged; {_SPLITS} by the text ends with"
        " one of the players winning nearly all games, either of them"
    )
    verdict = _fixed(text, first - second)
    return _settled(lab, verdict, words, lab.command)


def _fixed(lead: Mean, random: float) -> str:
    """SUPPORTED if less than half of what random play has is surely left, REFUTED if surely more, else OPEN."""
    if lead.seeds == 1:
        return OPEN
    if lead.mean + lead.sure < random / 2:
        return SUPPORTED
    return REFUTED if lead.mean - lead.sure > random / 2 else OPEN


def _of_70(lab: Lab) -> list[Task]:
    return [plan.self_play(lab, "70/70", seed, late=True) for seed in lab.seeds]


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
        f"after {found['trained']['text'][0][-1]['games']:,} games it wins {_points(program)} more of games with random"
        f" play as the author's program does, which is judged, than the {before:.1%} that random play wins of games"
        f" with itself; as the text says {_points(text)}, for which it is {_more_than(text, _MATTERS)}"
    )
    command = commands([plan.chance(lab), *(each[0] for each in trained.values())])
    return _settled(lab, _more_than(program, _MATTERS), words, command)


def faster(lab: Lab) -> Working[Judged]:
    """Self-play learns faster than a random opponent."""
    trained = _itself_and_random(lab)
    found = yield trained
    games, half = found["itself"]["text"][0][-1]["games"], plan.charts(lab, "70/70")[-1][-1]
    text = _more(found["itself"]["text"], found["random"]["text"], games)
    program = _more(found["itself"]["program"], found["random"]["program"], half)
    words = (
        f"as the text says, after {games:,} games against itself it wins {_points(text)} more of games with random play"
        f" than after {found['random']['text'][0][-1]['games']:,} against random play, which have as many episodes. As"
        f" the program does, after {half:,} games against itself {_points(program)} more than after"
        f" {found['random']['program'][0][-1]['games']:,} against random play. {100 * _MATTERS:.0f} points would matter"
    )
    verdicts = {_more_than(each, _MATTERS) for each in (text, program)}
    return _settled(lab, verdicts.pop() if len(verdicts) == 1 else OPEN, words, _of_both(trained))


def _itself_and_random(lab: Lab) -> dict[str, dict[str, list[Task]]]:
    """Trainings against itself, and against random play for as many episodes, by the text and by the program."""
    other = {
        "text": [plan.against_random(lab, seed, long=True) for seed in lab.seeds],
        "program": [plan.against_random(lab, seed, late=True) for seed in lab.seeds],
    }
    return {"itself": plan.variant_both_ways(lab, "70/70"), "random": other}


def _of_both(trained: dict[str, dict[str, list[Task]]]) -> str:
    return commands(each[0] for kind in trained.values() for each in kind.values())


def _more(itself: plan.Trainings, other: plan.Trainings, after: int) -> Mean:
    """By how much more is won after this many games against itself than after all games against random play."""
    own = [plan.won_against_random(plan.stage_at(one, after)) for one in itself]
    return difference(own, plan.ends(other, plan.won_against_random))


def fewer_edges(lab: Lab) -> Working[Judged]:
    """Self-play meets fewer positions than games with random play."""
    trained = _itself_and_random(lab)
    found = yield trained
    ends = {"text": found["itself"]["text"][0][-1]["games"], "program": plan.charts(lab, "70/70")[-1][-1]}
    text, program = (
        difference(
            [plan.stage_at(one, ends[way])["visited"] / (2 * ends[way]) for one in found["itself"][way]],
            [one[-1]["visited"] / one[-1]["games"] for one in found["random"][way]],
        )
        for way in plan.NAMES
    )
    each = mean([one[-1]["visited"] / one[-1]["games"] for one in found["random"]["program"]])
    words = (
        f"an episode against random play adds {each.shown('score')} positions to the table by the program; one against"
        f" itself {program.mean:+.2f} ± {program.half:.2f}, and by the text {text.mean:+.2f} ± {text.half:.2f}"
    )
    fewer = [
        _more_than(Mean(-one.mean, one.half, one.sure, one.seeds), _MATTERS * each.mean) for one in (text, program)
    ]
    return _settled(lab, fewer[0] if fewer[0] == fewer[1] else OPEN, words, _of_both(trained))


def no_better_than_random(lab: Lab) -> Working[Judged]:
    """A learner never does better than the random player it learns against."""
    trained = plan.both_ways(lab, partial(plan.against_random, lab))
    found = yield {"random": plan.chance(lab), "trained": trained}
    first = plan.random_shares(found["random"])[0]
    text, program = (mean([plan.shares(one[-1])[0] - first for one in found["trained"][way]]) for way in plan.NAMES)
    words = (
        f"moving first it wins {_points(program)} more of its {found['trained']['text'][0][-1]['games']:,} games as the"
        f" author's program does, which is judged, than random play, which wins {first:.1%}; as the text says"
        f" {_points(text)}, which is {'surely' if by_sign(text) == SUPPORTED else 'not surely'} an improvement"
    )
    command = commands([plan.chance(lab), *(each[0] for each in trained.values())])
    return _settled(lab, by_margin(program, _MATTERS), words, command)


def threatens(lab: Lab) -> Working[Judged]:
    """A couple of million games would challenge people."""
    asked = {"long": plan.long_run(lab), "random": plan.people(lab, "random")}
    found = yield asked
    last, games = found["long"][-1], lab.pick(full=100, quick=40, tiny=10)
    won = last["opponents"][plan.LOOKS_AHEAD]
    most = float(binomtest(round(won * games), games).proportion_ci(method="exact").high)
    words = (
        f"after {last['games']:,} games by the text it wins {won:.1%} of {games} games, surely less than {most:.1%},"
        f" with a player who looks two plies ahead and stands for a person of any decent skill; random play"
        f" {found['random']['all']['won']:.1%}. It then knows {last['visited']:,} positions. By the program it does not"
        " even come to beat random play"
    )
    by = "games with people" if lab.scale == FULL else _FULL_SCALE
    verdict = REFUTED if most < _THREAT else SUPPORTED if won > _THREAT else OPEN
    return _settled(lab, verdict, words, commands(asked.values()), by)


# ---- what the charts show ----


def three_points(lab: Lab) -> Working[Judged]:
    """The difference in score comes to 3, without exception."""
    found = yield {"untaught": plan.untaught(lab), "trained": plan.all_variants(lab)}
    (idle,) = found["untaught"]
    number = lab.number("difference").value
    text, program = (
        sorted(each for variant in found["trained"].values() for one in variant[way] for each in _late_differences(one))
        for way in plan.NAMES
    )
    words = (
        f"from 1,000 games on the mean difference is {program[0]:.2f} to {program[-1]:.2f} by the program, in"
        f" {len(program)} stages of all variants and seeds, and {idle['absolute']:.2f} in random play: divided as whole"
        f" numbers {number:g} in {sum(int(each) == number for each in program)} of them. By the text it is"
        f" {text[0]:.2f} to {text[-1]:.2f}, and {number:g} in {sum(int(each) == number for each in text)}"
    )
    always = all(int(each) == number for each in program)
    return _settled(lab, SUPPORTED if always else REFUTED, words, lab.command)


def _late_differences(found: Sequence[plan.Stage]) -> list[float]:
    """The mean difference in score at each stage from 1,000 games on, and at the last."""
    return [stage["absolute"] for stage in found if stage["games"] >= 1000 or stage is found[-1]]


def _course(variant: str, player: int, stages: Sequence[int], lab: Lab) -> Working[Judged]:
    """Whether it is a rule that player 2 is ahead at all of some stages, or, for player 0, at none of them."""
    asked = {"all": plan.beginnings(lab, variant)}
    found = yield asked
    leads = [[plan.lead(plan.stage_at(one, games)) for games in stages] for one in found["all"]]
    kept = sum(all(lead < 0 if player else lead >= 0 for lead in each) for each in leads)
    reported = [_reported_lead(lab, variant, games) for games in stages]
    wrong = sum(lead >= 0 if player else lead < 0 for lead in reported)
    when = "after" if len(stages) == 1 else f"at all {len(stages)} stages from {stages[0]} to"
    words = (
        f"of {len(leads)} trainings by the program {kept} ({kept / len(leads):.0%}) take this course {when}"
        f" {stages[-1]:,} games, so likely is the paper's one; a rule would be 90 %"
    )
    if wrong:
        words += f". The paper's own figures have it otherwise at {wrong} of these stages"
    verdict = REFUTED if wrong else _as_a_rule(kept, len(leads))
    return Judged(verdict, words, commands(asked.values()), _SEEDS if verdict == OPEN else "")


def _reported_lead(lab: Lab, variant: str, games: int) -> float:
    first, second = (lab.number(f"{variant.replace('/', '-')}-{games}-{place}").value for place in (0, 1))
    return first - second


def _begins_with_more(
    what: Callable[[plan.Stage], float], variants: Sequence[str], games: int, lab: Lab
) -> Working[Judged]:
    """Whether in the first games there is more of something in one variant than in another."""
    found = yield {variant: plan.beginnings(lab, variant) for variant in variants}
    one, other = ([what(plan.stage_at(each, games)) for each in found[variant]] for variant in variants)
    more = difference(one, other)
    words = (
        f"in the first {games:,} games of {len(one)} trainings each by the program, {variants[0]} has"
        f" {mean(one).shown()} and {variants[1]} {mean(other).shown()}: {_points(more)};"
        f" {100 * _MATTERS:.0f} would matter"
    )
    verdict = _more_than(more, _MATTERS)
    command = commands(plan.beginnings(lab, variant) for variant in variants)
    return Judged(verdict, words, command, _SEEDS if verdict == OPEN else "")


def stays_level(lab: Lab) -> Working[Judged]:
    """70/70: from 100 games on both players stay at the same level, and so does the share of ties."""
    found = yield {"trained": _of_70(lab), "begun": plan.beginnings(lab, "70/70")}
    leads = mean([plan.lead(one[-1]) for one in found["trained"]])
    early = mean([plan.ties(plan.stage_at(one, 100)) for one in found["begun"]]).mean
    ties = mean([plan.ties(one[-1]) - early for one in found["trained"]])
    words = (
        f"by the program player 1 ends {_points(leads)} ahead, and ties change by {_points(ties)} from the"
        f" {early:.1%} of the first 100 games; {100 * _MATTERS:.0f} would matter"
    )
    verdicts = [by_margin(each, _MATTERS) for each in (leads, ties)]
    verdict = REFUTED if REFUTED in verdicts else OPEN if OPEN in verdicts else SUPPORTED
    return _settled(lab, verdict, words, commands([_of_70(lab)[0]]))


def ties_alike(lab: Lab) -> Working[Judged]:
    """The share of ties is alike in all variants, and against random play."""
    trained = {variant: plan.variant_both_ways(lab, variant)["program"] for variant in plan.VARIANTS}
    other = [plan.against_random(lab, seed, late=True) for seed in lab.seeds]
    found = yield {"itself": trained, "random": other}
    shares = {name: plan.ends(each, plan.ties) for name, each in found["itself"].items()}
    shares["random play"] = plan.ends(found["random"], plan.ties)
    apart = [difference(one, another) for one, another in combinations(shares.values(), 2)]
    words = f"by the program {', '.join(f'{mean(each).shown()} in {name}' for name, each in shares.items())}"
    verdicts = {by_margin(each, _MATTERS) for each in apart}
    verdict = REFUTED if REFUTED in verdicts else OPEN if OPEN in verdicts else SUPPORTED
    return _settled(lab, verdict, words, commands([*(each[0] for each in trained.values()), other[0]]))


def close_records(lab: Lab) -> Working[Judged]:
    """50/50 and 90/50 end with closer records than 70/70 and 50/90."""
    trained = {variant: plan.variant_both_ways(lab, variant)["program"] for variant in plan.VARIANTS}
    found = yield trained
    leads = {variant: [abs(plan.lead(one[-1])) for one in each] for variant, each in found.items()}
    rows = list(zip(*(leads[variant] for variant in ("50/50", "90/50", "70/70", "50/90")), strict=True))
    kept = sum(max(row[:2]) < min(row[2:]) for row in rows)
    apart = [f"{mean(each).shown()} in {name}" for name, each in leads.items()]
    words = (
        f"by the program so in {kept} of {len(rows)} sets of four trainings, so likely is the paper's one; a rule would"
        f" be 90 %. The records are apart by {', '.join(apart)}"
    )
    return _settled(lab, _as_a_rule(kept, len(rows)), words, commands(each[0] for each in trained.values()))


def expected(lab: Lab) -> Working[Judged]:
    """What the author expected: 50-50 at first, 70-30 in the middle, 60-40 in the end; a difference of 1 or 2."""
    found = yield {"trained": _of_70(lab), "begun": plan.beginnings(lab, "70/70")}
    first, middle = (mean([plan.shares(plan.stage_at(one, games))[0] for one in found["begun"]]) for games in _EXPECTED)
    last = mean([plan.shares(one[-1])[0] for one in found["trained"]])
    apart = mean([one[-1]["absolute"] for one in found["trained"]])
    words = (
        f"by the program player 1 wins {first.shown()}, {middle.shown()} and {last.shown()} of the first"
        f" {_EXPECTED[0]:,}, {_EXPECTED[1]:,} and {plan.last(lab):,} games, and the difference is"
        f" {apart.shown('score')}; the paper itself found no such course"
    )
    wrong = middle.mean + middle.sure < _MIDDLE - _MATTERS and last.mean + last.sure < _LAST - _MATTERS
    return _settled(lab, REFUTED if wrong else OPEN, words, commands([_of_70(lab)[0]]))


def two_thirds(lab: Lab) -> Working[Judged]:
    """18 of 30 are 66 %."""
    yield {}
    number = lab.number("70-70-30-0")
    words = f"{number.value * number.games:.0f} of {number.games} are {number.value:.0%}"
    same = abs(number.value - lab.number("first-thirty").value) < 0.01
    return Judged(SUPPORTED if same else REFUTED, words, lab.command)


_CHART = (30, 50, 100, 500, 1000, 2000)
CLAIMS = (
    Claim("Player 1 wins 70 % of the time.", seventy),
    Claim("Expected: 50-50 at first, then 70-30, then 60-40, and a difference in score of 1 or 2.", expected),
    Claim("It is possible to overcome player 1's starting advantage by training.", overcome),
    Claim("The agent plays noticeably better after 150,500 games than with no training.", learns),
    Claim("Self-play learns faster than learning against a random opponent.", faster),
    Claim("Self-play explores fewer edge states than games with a random opponent.", fewer_edges),
    Claim(
        "A learner shows no significant improvement over a random agent that it learns against.", no_better_than_random
    ),
    Claim("With a couple of million training games the agent could pose a threat to a person.", threatens),
    Claim("The state-space complexity of Mancala is 1.31e13.", states),
    Claim("After 1,000 games the mean difference in score is 3, without exception.", three_points),
    Claim("The number of ties is very similar across the board, against random play, too.", ties_alike),
    Claim("70/70: after 100 games both players, and the ratio of ties, stay at the same level.", stays_level),
    Claim("70/70: player 1 won 66 % of the first 30 games, 18.", two_thirds),
    Claim("50/50: player 1 was behind player 2 after 50 games, as a rule.", partial(_course, "50/50", 1, (50,))),
    Claim(
        "50/50: more ties than by 70/70 in the first 100 games.",
        partial(_begins_with_more, plan.ties, ("50/50", "70/70"), 100),
    ),
    Claim(
        "90/50: player 2 never wins more games than player 1 before the end, as a rule.",
        partial(_course, "90/50", 0, _CHART),
    ),
    Claim(
        "90/50: fewer ties than before in the first 1,000 games.",
        partial(_begins_with_more, plan.ties, ("50/50", "90/50"), 1000),
    ),
    Claim("50/90: player 2 wins the majority until 5,000 games, as a rule.", partial(_course, "50/90", 1, _CHART)),
    Claim(
        "50/90 and 90/50 are not alike: player 1 is ahead by more in 90/50.",
        partial(_begins_with_more, plan.lead, ("90/50", "50/90"), 2000),
    ),
    Claim(
        "In the end the records of 50/50 and 90/50 are closer than those of 70/70 and 50/90, as a rule.", close_records
    ),
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
        "self-play": plan.variant_both_ways(lab, "70/70"),
        "match": plan.people(lab, plan.best(lab)),
        "searcher": plan.judging(searcher, plan.sample(lab)),
    }
    beside, own = found["beside"], found["self-play"]
    played, lines = beside["random"], beside["best"]["lines"]
    text, program = (mean(plan.ends(own[way], plan.won_against_random)).mean for way in plan.NAMES)
    return Findings(
        [
            f"The author's program teaches each game with the result of the game before: after"
            f" {own['program'][0][-1]['games']:,} games it wins {program:.1%} of games with random play, which wins"
            f" {plan.random_won(played):.1%} of games with itself; learning as the text says wins {text:.1%}.",
            f"The paper says that player 1 wins {lab.number('first-wins').value:.0%} of the time; here it wins"
            f" {plan.random_shares(played)[0]:.1%} of random games and {found['four']['all']['won']:.1%} of games"
            " between players who look four plies ahead.",
            f"Ours, a network of one hidden layer, wins {won(lines)[-1]:.1%} of games with random play after"
            f" {lines[-1]['games']:,} games, and {found['match']['all']['won']:.1%} of those with a player who looks"
            " two plies ahead.",
        ],
        f"Next: `ludus play {plan.GAME} --against '{searcher}'` plays a search that learns nothing and is optimal in"
        f" {found['searcher']:.1%} of the decisions searched to the end (ours {beside['accuracy']:.1%}).",
    )
