"""What the TapnSwap paper claims, judged; and what would have worked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ludus import catalog, face
from ludus.puzzles.crib_sheets import crib
from ludus.report.document import (
    OPEN,
    PROVED,
    REFUTED,
    SUPPORTED,
    Best,
    Board,
    Boards,
    Curves,
    Level,
    Listing,
    Part,
    Words,
)
from ludus.study.paper import Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands, solving
from ludus.study.paper.verdict import (
    accuracy,
    by_sign,
    difference,
    error_of_share,
    games,
    guarantee_in_words,
    guaranteed,
    series,
    won,
)
from ludus_papers.tapnswap.schedule import sweeps
from ludus_papers.tapnswap.tournaments import best_of, called
from ludus_papers.tapnswap.trainings import (
    BEST,
    FORBIDDEN,
    GAME,
    GAMMAS,
    HALF,
    best,
    best_with_gamma,
    by_seeds,
    chance,
    figure_1,
    forbidding,
    random_levels,
    tests_of_figure_1,
    with_gamma,
)

_GOOD = 3  # agents of a tournament that are called the best

_METERED = ("vsSelf", "vsRandomvsSelf", "vsSelfvsRandom")

_UNBEATEN, _NOT_SURE = {"win": "guaranteed to win", "draw": "guaranteed a draw"}, "guaranteed neither"


# ---- the game ----


def second_wins(lab: Lab) -> Working[Judged]:
    """Who does not start can always win."""
    (truth,) = yield [solving(GAME)]
    positions = truth["counts"]["positions"]
    words = f"all {positions:,} positions were solved: the second player wins, in {truth['plies']} plies at most"
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, f"ludus prove {GAME}")


def starting_agents_lose(lab: Lab) -> Working[Judged]:
    """Who lets a trained agent start is guaranteed to win by the optimal policy."""
    truth, strong, *found = yield [solving(GAME), best(lab), *(figure_1(lab, "legal", seed) for seed in lab.seeds)]
    lines = [strong["lines"], *(one["lines"] for one in found)]
    lost = sum(guaranteed(each, "first")[-1] == "loss" for each in lines)
    words = (
        f"whoever starts loses against perfect play, in {truth['plies']} plies at most; {lost} of {len(lines)} tables"
        " that were asked, the best among them, are certain to lose when they start"
    )
    command = f"{best(lab).command} --out RUN; ludus grade RUN {GAME}"
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, command)


def states(lab: Lab) -> Working[Judged]:
    """There are 624 distinct states."""
    (truth,) = yield [solving(GAME)]
    told, reached = lab.number("states"), truth["counts"]["positions"] // 2
    fingers = catalog.make_game(GAME).limit + 1
    words = (
        f"four hands of {fingers} settings each have {fingers**4 - 1:,}, without the one in which all are dead;"
        f" {reached:,} of them, as the mover sees them, can be reached from the start"
    )
    return Judged(PROVED if fingers**4 - 1 == told.value else REFUTED, words, f"ludus solve {GAME}")


# ---- the agents ----


def unbeaten(lab: Lab) -> Working[Judged]:
    """The best agent cannot be beaten by who starts."""
    found = yield sweeps(lab)
    firsts = [best_of(one["rounds"][-1]) for one in found]
    sure_of = Counter(_UNBEATEN.get(guarantee_in_words(agent["guarantee"]), _NOT_SURE) for agent in firsts)
    held = len(firsts) - sure_of[_NOT_SURE]
    counts = [f"{sure_of[each]} {each}" for each in (*_UNBEATEN.values(), _NOT_SURE) if sure_of[each]]
    wrong = [agent["second"][0] - agent["second"][1] for agent in firsts]
    words = (
        f"of {len(firsts)} agents that came first, by either way of learning, moving second:"
        f" {', '.join(counts)};"
        f" {fmean(wrong):.1f} of the {fmean(agent['second'][0] for agent in firsts):.0f} decisions that can come up"
        " there are wrong on average; that one person did not find the way to beat an agent proves little"
    )
    return Judged(SUPPORTED if held == len(firsts) else REFUTED if held == 0 else OPEN, words, lab.command)


def met_themselves(lab: Lab) -> Working[Judged]:
    """All good agents met vsSelf at some point."""
    found = yield sweeps(lab)
    good = [agent for one in found for agent in _ranked(one)[:_GOOD]]
    met = sum(agent["history"] in _METERED for agent in good)
    rest = [
        next((rank for rank, agent in enumerate(_ranked(one), 1) if agent["history"] not in _METERED), 0)
        for one in found
    ]
    ranks = ", ".join(str(rank) if rank else "none left" for rank in rest)
    words = (
        f"of the {_GOOD} best of each last tournament {met} of {len(good)} did; ranks of the best that never met"
        f" vsSelf: {ranks}"
    )
    return Judged(SUPPORTED if met == len(good) else OPEN if met > len(good) / 2 else REFUTED, words, lab.command)


def _ranked(one: Any) -> list[Any]:
    return sorted(one["rounds"][-1]["agents"], key=lambda agent: -agent["share"])


def never_explored(lab: Lab) -> Working[Judged]:
    """Trained agents are lost when they start, and so do not explore the rest."""
    found = yield sweeps(lab)
    good = [agent for one in found for agent in _ranked(one)[:_GOOD]]
    own = [agent["second"][1] / max(agent["second"][0], 1) for agent in good]
    rest = [(agent["all"][1] - agent["second"][1]) / max(agent["all"][0] - agent["second"][0], 1) for agent in good]
    more = difference(own, rest)
    words = (
        f"the best agents are optimal in {fmean(own):.1%} of the decisions that can come up where they do not start,"
        f" and in {fmean(rest):.1%} of all others: {100 * more.mean:+.1f} ± {100 * more.half:.1f} points"
    )
    return Judged(by_sign(more), words, lab.command)


def rankings_differ(lab: Lab) -> Working[Judged]:
    """The rankings are strongly stochastic."""
    found = yield sweeps(lab)
    legal, _ = by_seeds(lab, found)
    firsts = [called(best_of(one["rounds"][1])) for one in legal]
    words = f"the second tournaments of {len(legal)} seeds were won by {', '.join(sorted(set(firsts)))}"
    return Judged(OPEN if len(firsts) == 1 else SUPPORTED if len(set(firsts)) > 1 else REFUTED, words, lab.command)


# ---- learning ----


def plateaus(lab: Lab) -> Working[Judged]:
    """Learning shows plateaus."""
    found = yield [figure_1(lab, "legal", seed) for seed in lab.seeds]
    long = [plateau(won(one["lines"], "random"), width(lab)) for one in found]
    words = (
        f"longest stretches of tests within {100 * width(lab):.1f} points of each other, the width of the interval of"
        f" one test, before the curve rises further: {', '.join(map(str, long))} games"
    )
    told = lab.number("plateau")
    enough = sum(each >= told.value - told.error for each in long)
    verdict = SUPPORTED if enough > len(long) / 2 else OPEN if enough else REFUTED
    return Judged(verdict, words, commands([figure_1(lab, "legal", 0)], lab.seeds))


def width(lab: Lab) -> float:
    """How wide the 95 % interval of a share of a half is in a test of Figure 1."""
    return 2 * error_of_share(0.5, tests_of_figure_1(lab))


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
    found = yield [
        *(best_with_gamma(lab, gamma) for gamma in GAMMAS),
        *(with_gamma(lab, gamma, seed) for gamma in GAMMAS for seed in lab.seeds),
    ]
    none, *less = ([accuracy(one["lines"])[-1] for one in each] for each in by_seeds(lab, found[len(GAMMAS) :]))
    gains = [difference(each, none) for each in less]
    own = [f"{gamma:g}: {gain.gained()}" for gamma, gain in zip(GAMMAS[1:], gains, strict=True)]
    told = [
        f"{gamma:g}: {accuracy(one['lines'])[-1]:.1%}, {guaranteed(one['lines'], 'second')[-1]} as second"
        for gamma, one in zip(GAMMAS, found, strict=False)
    ]
    words = (
        f"the paper's learner, optimal decisions beside {fmean(none):.1%} with gamma {GAMMAS[0]:g}: {'; '.join(own)};"
        f" the best learner, one seed, optimal decisions and its guarantee: {'; '.join(told)}"
    )
    differs = any(by_sign(gain) != OPEN for gain in gains)
    command = commands([with_gamma(lab, gamma, 0) for gamma in GAMMAS], lab.seeds)
    return Judged(REFUTED if differs else OPEN, words, command)


def forbidding_helps(lab: Lab) -> Working[Judged]:
    """Forbidding the winning strategy would train agents in other positions."""
    kinds = [*FORBIDDEN, HALF]
    found = yield [forbidding(lab, what, seed) for what in kinds for seed in lab.seeds]
    free, *others = ([accuracy(one["lines"])[-1] for one in each] for each in by_seeds(lab, found))
    gains = [difference(each, free) for each in others]
    told = [
        f"{what}: {100 * gain.mean:+.1f} ± {100 * gain.half:.1f} points"
        for what, gain in zip(kinds[1:], gains, strict=True)
    ]
    words = f"optimal decisions beside those of {fmean(free):.1%} with nothing forbidden: {'; '.join(told)}"
    verdicts = {by_sign(gain) for gain in gains}
    verdict = next(each for each in (SUPPORTED, OPEN, REFUTED) if each in verdicts)
    last = forbidding(lab, HALF, 0)
    begun = f"{last.needs[0].command} --out RUN; {last.command}"
    command = f"{commands([forbidding(lab, what, 0) for what in FORBIDDEN], lab.seeds)}; {begun}"
    return Judged(verdict, words, command)


CLAIMS = (
    Claim("There is a strategy to always win with, if you do not start.", second_wins),
    Claim(
        "If the trained agent starts, you are certain to win by the optimal policy: all depends on who starts.",
        starting_agents_lose,
    ),
    Claim("The best agent cannot be beaten by the player who moves first.", unbeaten),
    Claim("All good agents were trained against another version of themselves at some point.", met_themselves),
    Claim("Agents that start are lost, and so never explore other configurations.", never_explored),
    Claim("Forbidding the winning strategy would be a way of improvement.", forbidding_helps),
    Claim("Gamma is not a relevant parameter, since the only reward is at the end.", gamma_matters),
    Claim("Learning shows plateaus, which may last 20 games, and then great progress.", plateaus),
    Claim("The rankings are strongly stochastic.", rankings_differ),
    Claim("There are 624 distinct states.", states),
)


# ---- what would have worked ----


def crib_sheet(lab: Lab) -> Task:
    """The fewest positions to know by heart for the second player's win."""
    seconds = lab.pick(full=60.0, quick=60.0, tiny=0.2)
    return Task("the winning strategy in few positions", cribbed, (seconds,), command=f"ludus crib {GAME}")


def cribbed(seconds: float) -> dict[str, Any]:
    """The sheet: how it was found, and of each entry the position, its fields, and what to do."""
    game = catalog.make_game(GAME)
    sheet = crib(game, seconds=seconds)
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
    task, truth = best(lab), crib_sheet(lab)
    played, graded, strong, sheet, *found = yield [*chance(lab), task, truth, *sweeps(lab)]
    lines = strong["lines"]
    won_at_random, right_at_random = random_levels(played, graded)
    legal, _ = by_seeds(lab, found)
    paper = Level("the paper's best, last tournament", fmean(best_of(one["rounds"][-1])["accuracy"] for one in legal))
    needed = next((line["games"] for line in lines if line["grade"]["optimal"] == line["grade"]["decisions"]), None)
    grade = lines[-1]["grade"]
    fewest = "the fewest possible" if sheet["method"] == "exact" else "the fewest found"
    parts: list[Part] = [
        Words(_WHY),
        Curves(
            "best-right",
            "Optimal decisions",
            "games",
            "right",
            [series(BEST, games(lines), [accuracy(lines)])],
            right_at_random,
            [paper],
        ),
        Curves(
            "best-won",
            "Games won against random play",
            "games",
            "won",
            [series(BEST, games(lines), [won(lines, "random")])],
            won_at_random,
        ),
        Listing(
            "strategy.txt",
            f"How to win when you do not start: {len(sheet['entries'])} positions, {fewest}",
            _as_text(sheet),
        ),
        Boards("strategy", "The first of them", _boards(sheet), "You move second: the upper hands are yours."),
    ]
    return Best(
        "`q-table`, the preset `perfect`: games begin anywhere, and each is learned from its end backwards",
        f"{lines[-1]['games']:,} games, {lines[-1]['plies']:,} plies; the schedule above took"
        f" {fmean(one['games'] for one in legal):,.0f} games on average"
        + (f". Every decision was optimal from {needed:,} games on" if needed else ""),
        f"optimal in {grade['optimal']:g} of {grade['decisions']} decisions; guaranteed moving second:"
        f" {guarantee_in_words(grade['guarantee']['second'])}",
        f"ludus train {GAME} q-table --preset perfect",
        parts,
    )


_WHY = (
    "The paper's agents explore by chance and learn from the replies of players who do so too: what they know of rare"
    " positions stays wrong, and with a discount of 1 a win put off is no worse than a win. Games that begin anywhere"
    " come by every position; from there both sides play the best they know, so that no value is spoiled by a random"
    " reply, and a discount below 1 makes them win soon."
)


def _as_text(sheet: Any) -> str:
    lines = [f"{number:3}.  {position:18} {action}" for number, (position, _, action) in enumerate(sheet["entries"], 1)]
    return "\n".join(
        [*lines, "", "An entry stands for all positions like it up to symmetry; in all others any action will do."]
    )


def _boards(sheet: Any) -> list[Board]:
    game = catalog.make_game(GAME)
    like = type(game.start())
    return [Board(face.draw(game, like(*fields)).svg, action) for _, fields, action in sheet["entries"][:6]]
