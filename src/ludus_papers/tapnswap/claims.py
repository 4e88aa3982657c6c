"""What the TapnSwap paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import ludus
from ludus import face
from ludus.report.document import (
    OPEN,
    PROVED,
    REFUTED,
    SUPPORTED,
    Best,
    Board,
    Boards,
    Findings,
    Level,
    Listing,
    Part,
    Words,
)
from ludus.study.paper import Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, asking, commands, solving
from ludus.study.paper.verdict import (
    BEST,
    Mean,
    accuracy,
    accuracy_figure,
    all_above,
    by_margin,
    by_sign,
    curve,
    difference,
    ends,
    error_of_share,
    guarantee_in_words,
    guaranteed,
    mean,
    none_of,
    won,
    won_figure,
)
from ludus_papers.tapnswap import trainings
from ludus_papers.tapnswap.schedule import beginning, best_of, called, menu, second_sessions, shares, sweeps, sweeps_by
from ludus_papers.tapnswap.trainings import FORBIDDEN, GAME, GAMMAS, HALF, PROGRAM, best, chance, figure_1

_GOOD = 3  # agents of a tournament that are called the best
_SAME = 0.03  # a difference of shares that does not matter
_TENTH = 10  # of a training
_MORE = "more seeds"
_MET_SELF = ("vsSelf", "vsRandomvsSelf", "vsSelfvsRandom")
_UNBEATEN, _NEITHER = {"win": "guaranteed to win", "draw": "guaranteed a draw"}, "guaranteed neither"


# ---- the game ----


def second_wins(lab: Lab) -> Working[Judged]:
    """The player who does not start can always win."""
    truth = (yield {"game": solving(GAME)})["game"]
    positions = truth["counts"]["positions"]
    words = f"all {positions:,} positions were solved: the second player wins, in {truth['plies']} plies at most"
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, f"ludus prove {GAME}")


def starting_agents_lose(lab: Lab) -> Working[Judged]:
    """Whoever lets a trained agent start is certain to win by the optimal policy."""
    tables = [best(lab), *(figure_1(lab, "program", seed) for seed in lab.seeds)]
    found = yield {"game": solving(GAME), "tables": tables}
    truth = found["game"]
    lost = sum(guaranteed(one["lines"], "first")[-1] == "loss" for one in found["tables"])
    words = (
        f"whoever starts loses against perfect play, in {truth['plies']} plies at most; {lost} of {len(tables)} tables"
        " that were asked, the best among them, are certain to lose when they start"
    )
    command = f"{best(lab).command} --out RUN; ludus grade RUN"
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, command)


def states(lab: Lab) -> Working[Judged]:
    """There are 624 distinct states."""
    truth = (yield {"game": solving(GAME)})["game"]
    reached, fingers = truth["counts"]["positions"] // 2, ludus.make_game(GAME).limit + 1
    words = (
        f"four hands of {fingers} settings each have {fingers**4 - 1:,}, without the one in which all are dead;"
        f" {reached:,} of them, as the mover sees them, can be reached from the start"
    )
    return Judged(PROVED if fingers**4 - 1 == lab.number("states").value else REFUTED, words, f"ludus solve {GAME}")


# ---- the agents ----


def unbeaten(lab: Lab) -> Working[Judged]:
    """The best agent cannot be beaten by the player who starts: the author's, as it is in his files, and ours."""
    found = yield sweeps(lab)
    firsts = _firsts(found)
    held = Counter(_UNBEATEN.get(guarantee_in_words(agent["guarantee"]), _NEITHER) for agent in firsts)
    counts = [f"{held[each]} {each}" for each in (*_UNBEATEN.values(), _NEITHER) if held[each]]
    wrong = [agent["second"][0] - agent["second"][1] for agent in firsts]
    decisions, optimal = (round(lab.number(f"author-{each}").value) for each in ("decisions", "optimal"))
    words = (
        f"the author's best, greedy0_2_vsRandomvsSelf.csv of his repository, is optimal in {optimal} of the {decisions}"
        " decisions that can come up where it moves second, and no play against it wins, though an opponent can go on"
        f" in circles; of {len(firsts)} agents of ours that came first, by either reading: {', '.join(counts)};"
        f" {fmean(wrong):.1f} of their {fmean(agent['second'][0] for agent in firsts):.0f} such decisions are wrong on"
        " average"
    )
    command = "git clone https://github.com/JRConti/TapnSwap-RL; ludus tables import"
    command += " TapnSwap-RL/Models/greedy0_2_vsRandomvsSelf.csv RUN; ludus grade RUN"
    return Judged(PROVED if optimal == decisions else REFUTED, words, f"{command}; {lab.command}")


def _firsts(found: dict[str, Any]) -> list[Any]:
    """The best agent of each last tournament, by either way of learning."""
    return [best_of(one["rounds"][-1]) for each in found.values() for one in each]


def _ranked(lab: Lab, reading: str) -> Working[list[list[Any]]]:
    """The agents of each last tournament by a reading, the best first."""
    found = yield {"sweeps": sweeps_by(lab, reading)}
    return [_by_points(one["rounds"][-1]) for one in found["sweeps"]]


def _by_points(done: Any) -> list[Any]:
    """The agents of a tournament, the best first."""
    return sorted(done["agents"], key=lambda agent: -float(agent["share"]))


def met_themselves(lab: Lab) -> Working[Judged]:
    """All good agents met vsSelf at some point."""
    ranked = yield from _ranked(lab, "text")
    good = [agent for agents in ranked for agent in agents[:_GOOD]]
    met = sum(agent["history"] in _MET_SELF for agent in good)
    rest = [
        next((rank for rank, agent in enumerate(agents, 1) if agent["history"] not in _MET_SELF), 0)
        for agents in ranked
    ]
    ranks = ", ".join(str(rank) if rank else "none left" for rank in rest)
    words = (
        "in the author's program every agent did, also those called vsRandom, in the second session; with opponents as"
        f" named, of the {_GOOD} best of each last tournament {met} of {len(good)} did; ranks of the best that never"
        f" met vsSelf: {ranks}"
    )
    return Judged(SUPPORTED if met == len(good) else REFUTED, words, lab.command)


def never_explored(lab: Lab) -> Working[Judged]:
    """Trained agents are lost when they start, and so do not explore the rest."""
    ranked = yield from _ranked(lab, "program")
    counts = [(*agent["second"], *agent["all"]) for agents in ranked for agent in agents[:_GOOD]]
    own = [optimal / max(decisions, 1) for decisions, optimal, _, _ in counts]
    rest = [(every - optimal) / max(everywhere - decisions, 1) for decisions, optimal, everywhere, every in counts]
    more = difference(own, rest)
    words = (
        f"the best agents are optimal in {fmean(own):.1%} of the decisions that can come up where they do not start,"
        f" and in {fmean(rest):.1%} of all others: {100 * more.mean:+.1f} ± {100 * more.half:.1f} points"
    )
    return Judged(by_sign(more), words, lab.command, _MORE)


def top_three_stay(lab: Lab) -> Working[Judged]:
    """The scores of the best three no longer change after the seventh tournament."""
    found = yield {"sweeps": sweeps_by(lab, "program")}
    pairs = [(_by_points(one["rounds"][-1])[:_GOOD], _by_points(one["later"][-1])[:_GOOD]) for one in found["sweeps"]]
    moved = [fmean(abs(a["share"] - b["share"]) for a, b in zip(*pair, strict=True)) for pair in pairs]
    same = [len({agent["name"] for agent in a} & {agent["name"] for agent in b}) for a, b in pairs]
    change = mean(moved)
    words = (
        f"two rounds after the seventh tournament the best three scores have moved by {change.shown()} of the points"
        f" each; {fmean(same):.1f} of the three are the same agents on average"
    )
    return Judged(by_margin(change, _SAME), words, lab.command, _MORE)


def hard_to_beat(lab: Lab) -> Working[Judged]:
    """To beat the best agent when it starts is possible without the optimal policy, but not so easy."""
    found = yield {"sweeps": sweeps_by(lab, "program")}
    beaten = {name: [float(one["starting"][name]) for one in found["sweeps"]] for name in ("random", "smart-random")}
    means = {name: mean(values) for name, values in beaten.items()}
    words = "games that players who are not optimal win against the best agent when it starts: " + "; ".join(
        f"{name} {found.shown()}" for name, found in means.items()
    )
    hard = all_above([(mean([0.5 - value for value in values]), 0.0) for values in beaten.values()])
    possible = any(value > 0 for values in beaten.values() for value in values)
    return Judged(hard if possible else REFUTED, words, lab.command, _MORE)


def rankings_differ(lab: Lab) -> Working[Judged]:
    """The rankings are strongly stochastic."""
    found = yield {"begun": [beginning(lab, "program", seed) for seed in lab.seeds]}
    firsts = [called(best_of(one["rounds"][1])) for one in found["begun"]]
    words = f"the second tournaments of {len(firsts)} seeds were won by {', '.join(sorted(set(firsts)))}"
    verdict = OPEN if len(firsts) == 1 else SUPPORTED if len(set(firsts)) > 1 else REFUTED
    return Judged(verdict, words, lab.command, _MORE)


# ---- learning ----


def plateaus(lab: Lab) -> Working[Judged]:
    """Learning shows plateaus."""
    found = yield {"trained": [figure_1(lab, "program", seed) for seed in lab.seeds]}
    long = [plateau(won(one["lines"]), width(lab)) for one in found["trained"]]
    words = (
        f"longest stretches of tests within {100 * width(lab):.1f} points of each other, the width of the interval of"
        f" one test, before the curve rises further: {', '.join(map(str, long))} games"
    )
    number = lab.number("plateau")
    enough = sum(each >= number.value - number.off for each in long)
    verdict = SUPPORTED if enough > len(long) / 2 else OPEN if enough else REFUTED
    return Judged(verdict, words, commands([figure_1(lab, "program", 0)], lab.seeds), _MORE)


def width(lab: Lab) -> float:
    """How wide the 95 % interval of a share of a half is in a test of Figure 1."""
    return 2 * error_of_share(0.5, trainings.tests_of_figure_1(lab))


def plateau(wins: Sequence[float], wide: float) -> int:
    """The longest stretch of tests that differ by no more than this, and are bettered by more later."""
    longest = 0
    for begin in range(len(wins)):
        for end in range(begin + longest + 1, len(wins)):
            stretch = wins[begin:end]
            if max(stretch) - min(stretch) > wide:
                break
            if max(wins[end:]) > max(stretch) + wide:
                longest = len(stretch)
    return longest


def gamma_matters(lab: Lab) -> Working[Judged]:
    """Gamma does not matter."""
    found = yield {"best": trainings.best_by_gamma(lab), "trained": trainings.by_gamma(lab)}
    none, *less = (ends(each, accuracy) for each in found["trained"].values())
    gains = {gamma: difference(each, none) for gamma, each in zip(GAMMAS[1:], less, strict=True)}
    own = "; ".join(f"{gamma:g}: {gain.gained()}" for gamma, gain in gains.items())
    strong = "; ".join(
        f"{gamma:g}: {accuracy(one['lines'])[-1]:.1%}, {guaranteed(one['lines'], 'second')[-1]} as second"
        for gamma, one in found["best"].items()
    )
    words = (
        f"the paper's learner, optimal decisions beside {fmean(none):.1%} with gamma {GAMMAS[0]:g}: {own};"
        f" the best learner, one seed, optimal decisions and its guarantee: {strong}"
    )
    verdicts = {by_margin(gain, _SAME) for gain in gains.values()}
    verdict = next(each for each in (REFUTED, OPEN, SUPPORTED) if each in verdicts)
    command = commands([trainings.with_gamma(lab, gamma, 0) for gamma in GAMMAS], lab.seeds)
    return Judged(verdict, words, command, _MORE)


def forbidding_helps(lab: Lab) -> Working[Judged]:
    """Forbidding the winning strategy would train agents in other positions."""
    found = yield trainings.by_ban(lab)
    final = {what: ends(each, accuracy) for what, each in found.items()}
    free = final.pop("nothing forbidden")
    gains = {what: difference(each, free) for what, each in final.items()}
    each = "; ".join(f"{what}: {100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points" for what, gain in gains.items())
    words = f"optimal decisions beside those of {fmean(free):.1%} with nothing forbidden: {each}"
    verdicts = {_improves(gain) for gain in gains.values()}
    verdict = next(each for each in (SUPPORTED, OPEN, REFUTED) if each in verdicts)
    last = trainings.forbidding(lab, HALF, 0)
    begun = f"{last.needs[0].command} --out RUN; {last.command}"
    command = f"{commands([trainings.forbidding(lab, what, 0) for what in FORBIDDEN], lab.seeds)}; {begun}"
    return Judged(verdict, words, command, _MORE)


def _improves(gain: Mean) -> str:
    """SUPPORTED if a gain surely matters, REFUTED if surely not, else OPEN."""
    if gain.seeds == 1:
        return OPEN
    if gain.mean - gain.sure > _SAME:
        return SUPPORTED
    return REFUTED if gain.mean + gain.sure <= _SAME else OPEN


def rates_converge(lab: Lab) -> Working[Judged]:
    """With rates of 1/n Q-learning converges to the optimal action values."""
    found = yield {"trained": trainings.by_rates(lab)}
    program, text, constant = found["trained"].values()
    gain = difference(ends(text, accuracy), ends(constant, accuracy))
    last = difference(ends(text, accuracy), [accuracy(one["lines"])[len(one["lines"]) // 2 - 1] for one in text])
    words = (
        f"after {text[0]['lines'][-1]['games']:,} games {fmean(ends(text, accuracy)):.1%} of all decisions are optimal"
        f" with 1/n ({fmean(ends(program, accuracy)):.1%} by the program), {gain.gained()} beside a rate of 0.1;"
        f" the last doubling of the games gave {last.gained()}. The theorem needs an environment that does not change:"
        " a second learner is none"
    )
    command = commands([trainings.by_rate(lab, "text", rate, 0) for rate in ("1/n", "0.1")], lab.seeds)
    return Judged(by_sign(gain), words, command, _MORE)


def nothing_explored(lab: Lab) -> Working[Judged]:
    """Epsilon 0 vsSelf explores nothing."""
    found = yield {
        str(epsilon): {str(part): [_met(lab, epsilon, part, seed) for seed in lab.seeds] for part in (_TENTH, 1)}
        for epsilon in (0.0, 0.1)
    }
    none, some = ([[one["met"] for one in each] for each in by_part.values()] for by_part in found.values())
    run = trainings.by_exploration(lab, 0.0, 1, 0)
    met = [f"{fmean(each[0]):.0f} and {fmean(each[1]):.0f}" for each in (none, some)]
    words = (
        f"after {run.games // _TENTH} and {run.games:,} games an agent of epsilon 0 has decided in {met[0]} positions,"
        f" one of epsilon 0.1 in {met[1]}: without exploration both learners repeat one game, until it is called off,"
        " which the author's never is"
    )
    return Judged(SUPPORTED if none[0] == none[1] else REFUTED, words, run.command)


def _met(lab: Lab, epsilon: float, part: int, seed: int) -> Task:
    return asking(trainings.by_exploration(lab, epsilon, part, seed), "positions met in training", positions_met)


def positions_met(agent: int, folders: Sequence[Path]) -> dict[str, int]:
    """In how many positions an agent has learned from an action of its own."""
    visits = ludus.read_run(folders[agent]).agent().entries.visits
    return {"met": int((visits[0].sum(axis=1) > 0).sum())}


def eight_suffice(lab: Lab) -> Working[Judged]:
    """All swaps are those of one or two fingers, so that 8 actions suffice."""
    yield {}
    limit = ludus.make_game(GAME).limit
    pairs = [(left, right) for left in range(limit + 1) for right in range(limit + 1)]
    missing = sum(_swaps(pair, limit, 2) != _swaps(pair, limit, limit) for pair in pairs)
    words = (
        f"of all {len(pairs)} pairs of hands {none_of(missing, len(pairs))} could become another pair by giving 3 or 4"
        " fingers that it cannot become, up to the order of the hands, by giving 1 or 2; with the 4 taps these are 8"
    )
    return Judged(REFUTED if missing else PROVED, words, f"ludus play {GAME}")


def _swaps(pair: tuple[int, int], limit: int, most: int) -> set[tuple[int, int]]:
    """The pairs, the lesser hand first, that giving up to so many fingers makes of a pair."""
    found = set()
    for giver, taker in (pair, pair[::-1]):
        for fingers in range(1, min(giver, most) + 1):
            if taker + fingers <= limit:
                found.add((min(giver - fingers, taker + fingers), max(giver - fingers, taker + fingers)))
    return found - {(min(pair), max(pair))}


def four_entries(lab: Lab) -> Working[Judged]:
    """The screen of the first page lists four actions."""
    yield {}
    shown = ["Tap with 2 on 3", "Tap with 2 on 2", "Swap 2-2 for 1-3", "Swap 2-2 for 0-4"]
    words = f"with 2-2 against 3-2 all 8 codes are legal; {PROGRAM} lists {'; '.join(menu())}"
    return Judged(PROVED if menu() == shown else REFUTED, words, f"ludus play '{PROGRAM}' --hints")


CLAIMS = (
    Claim("There is a strategy to always win with, if you do not start.", second_wins),
    Claim(
        "If the trained agent starts, you are certain to win by the optimal policy: all depends on who starts.",
        starting_agents_lose,
    ),
    Claim("The best agent cannot be beaten by the player who moves first.", unbeaten),
    Claim("All good agents were trained against another version of themselves at some point.", met_themselves),
    Claim("The total scores of the three best no longer change.", top_three_stay),
    Claim("It may be possible to beat an agent that starts without the optimal policy, but not so easy.", hard_to_beat),
    Claim("Agents that start are lost, and so never explore other configurations.", never_explored),
    Claim("Forbidding the winning strategy would be a way of improvement.", forbidding_helps),
    Claim("Gamma is not a relevant parameter, since the only reward is at the end.", gamma_matters),
    Claim("With learning rates of 1/n Q-learning converges to the optimal action values.", rates_converge),
    Claim("Epsilon 0 leads to no exploration if the agent is trained vsSelf.", nothing_explored),
    Claim("Learning shows plateaus, which may last 20 games, and then great progress.", plateaus),
    Claim("The rankings are strongly stochastic.", rankings_differ),
    Claim("There are 624 distinct states.", states),
    Claim("All swaps can be described with 1 or 2 fingers, so that there are 8 distinct actions.", eight_suffice),
    Claim("With 2-2 against 3-2 the screen lists four actions.", four_entries),
)


def crib_sheet(lab: Lab) -> Task:
    """The fewest positions to know by heart for the second player's win."""
    seconds = lab.pick(full=60.0, quick=60.0, tiny=0.2)
    return Task("the winning strategy in few positions", cribbed, (seconds,), command=f"ludus crib {GAME}")


def cribbed(seconds: float) -> dict[str, Any]:
    """The sheet: how it was found, and of each entry the position, its fields, and what to do."""
    game = ludus.make_game(GAME)
    sheet = ludus.crib(game, seconds=seconds)
    entries = [
        [
            face.format_position(game, entry.position),
            list(entry.position),
            face.action_name(game, entry.position, entry.actions[0]),
        ]
        for entry in sheet.entries
    ]
    return {"method": sheet.method, "entries": entries}


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """Q-learning from games that begin anywhere, each learned from its end backwards."""
    found = yield {"random": chance(lab), "best": best(lab), "sheet": crib_sheet(lab), "sweeps": sweeps(lab)}
    random, strong, sheet, agents = found["random"], found["best"], found["sheet"], found["sweeps"]["program"]
    lines = strong["lines"]
    paper = Level("the paper's best, last tournament", fmean(best_of(one["rounds"][-1])["accuracy"] for one in agents))
    needed = next((line["games"] for line in lines if line["grade"]["optimal"] == line["grade"]["decisions"]), None)
    grade = lines[-1]["grade"]
    fewest = "the fewest possible" if sheet["method"] == "exact" else "the fewest found"
    listed = [
        f"{number:3}.  {position:18} {action}" for number, (position, _, action) in enumerate(sheet["entries"], 1)
    ]
    listed += ["", "An entry stands for all positions like it up to symmetry; in all others any action will do."]
    game = ludus.make_game(GAME)
    like = type(game.start())
    boards = [Board(face.draw(game, like(*fields)).svg, action) for _, fields, action in sheet["entries"][:6]]
    title = f"How to win when you do not start: {len(sheet['entries'])} positions, {fewest}"
    parts: list[Part] = [
        Words(
            "The paper's agents explore by chance and learn from the replies of players who do so too: what they know"
            " of rare positions stays wrong, and with a discount of 1 a win put off is no worse than a win. Games that"
            " begin anywhere come by every position; from there both sides play the best they know, so that no value"
            " is spoiled by a random reply, and a discount below 1 makes them win soon."
        ),
        accuracy_figure("best-grade", [curve(BEST, [strong], accuracy)], random.accuracy, [paper]),
        won_figure("best-won", [curve(BEST, [strong], won)], random.won),
        Listing("strategy.txt", title, "\n".join(listed)),
        Boards("strategy", "The first of them", boards, "You move second: the upper hands are yours."),
    ]
    return Best(
        "`q-table`, the preset `perfect`: games begin anywhere, and each is learned from its end backwards",
        f"{lines[-1]['games']:,} games, {lines[-1]['plies']:,} plies; the schedule above took"
        f" {fmean(one['games'] for one in agents):,.0f} games on average"
        + (f". Every decision was optimal from {needed:,} games on" if needed else ""),
        f"optimal in {grade['optimal']:g} of {grade['decisions']} decisions; guaranteed moving second:"
        f" {guarantee_in_words(grade['guarantee']['second'])}",
        f"ludus train '{PROGRAM}' q-table --preset perfect",
        parts,
    )


def findings(lab: Lab) -> Working[Findings]:
    """Who wins, whether the author's agents and ours can force it, and what the author's program really ran."""
    asked = {"game": solving(GAME), "best": best(lab), "sheet": crib_sheet(lab), "sweeps": sweeps(lab)}
    found = yield asked | {"sessions": second_sessions(lab)}
    truth, firsts, lines, sheet = found["game"], _firsts(found["sweeps"]), found["best"]["lines"], found["sheet"]
    verdict = PROVED if truth["score"] < 0 else REFUTED
    forced = sum(guarantee_in_words(agent["guarantee"]) == "win" for agent in firsts)
    strength, since = fmean(agent["accuracy"] for agent in firsts), _games_to_force(lines)
    own = f"which forces it from {since:,} games on" if since else f"which cannot after {lines[-1]['games']:,} games"
    named, exchanged = (fmean(shares(found["sessions"][reading], "vsRandom")) for reading in ("named", "program"))
    return Findings(
        [
            f"The paper's claim that the second player can always win is {verdict}: all"
            f" {truth['counts']['positions']:,} positions are solved, and perfect play ends in {truth['plies']} plies.",
            f"Moving second, the author's own best table is optimal in all {lab.number('author-optimal')} decisions"
            f" that it can meet and cannot be beaten; {none_of(forced, len(firsts))} agents that came first in his"
            f" tournaments, run again, can force the win, optimal in {strength:.1%} of all decisions,"
            f" and ours, {own}, is optimal in {accuracy(lines)[-1]:.1%}.",
            "His program did not run what his text says: in the second session all agents met the other opponent, so"
            f" that those called vsRandom have {exchanged:.1%} of the points, and with the opponents as named"
            f" {named:.1%}.",
        ],
        f"Next: `ludus crib {GAME}` prints the {len(sheet['entries'])} positions to know by heart to win.",
    )


def _games_to_force(lines: Sequence[Any]) -> int | None:
    """The games after which the second player's win was guaranteed to the end of a training; None if it was not."""
    since = None
    for line, result in zip(lines, guaranteed(lines, "second"), strict=True):
        since = (since or int(line["games"])) if result == "win" else None
    return since
