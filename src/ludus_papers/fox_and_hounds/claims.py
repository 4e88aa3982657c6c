"""What the Fox and Hounds paper claims, judged; and the hounds' strategy, derived from a table and proved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

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
    Listing,
    Part,
    Table,
    Words,
)
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands, made, random_play, solving
from ludus.study.paper.verdict import Mean, all_above, by_sign, difference, mean, none_of
from ludus_papers.fox_and_hounds import cycles
from ludus_papers.fox_and_hounds.cycles import (
    HIGH,
    PAIRS,
    PLIES,
    STEADY,
    TOP,
    best,
    first_at,
    last,
    until_high,
    until_steady,
    won,
)
from ludus_papers.fox_and_hounds.tables import GAME, HOUNDS, KINDS, MISJUDGED, game, reachable

_BOARDS = 8
_COUPLE = 1_500_000  # plies, the least that rounds to two million
_SOON = 500_000  # plies, the most that "not long" can mean, of 10 million
_GOALS = ("level", "home", "none")
_GAMES = 20_000  # of random play
_MORE = "more seeds"
_COLUMNS = (
    "fox epsilon",
    "hounds epsilon",
    "tables",
    "guaranteed to win",
    "decisions that can come up",
    "wrong among them",
)
_TABLES = (
    "Each table as a strategy that always takes the first of the best actions, against every fox; means over seeds."
)


def deriving(table: Task) -> Task:
    """The hounds' strategy by the table of a training; its result is what `derive` returns."""
    command = f"ludus prove {GAME} --agent RUN --seat second"
    return Task(f"the strategy in the table of {table.name}", derive, needs=(table,), command=command)


def derive(folders: Sequence[Path]) -> dict[str, Any]:
    """Every position that can arise with these hounds, with their action there, and the least that they score.

    at_least: 1 for a win against every fox, whatever it does; positions: how many can arise, on either side's move;
    answers: the hounds' action, by the position as it is written.
    """
    (strategy,) = ludus.prove_agent(game(), made(0, folders), HOUNDS).strategies
    answers = {
        face.format_position(game(), pos): face.action_name(game(), pos, taken[0])
        for pos, taken in strategy.answers.items()
    }
    return {"at_least": strategy.at_least, "positions": strategy.positions, "answers": answers}


# ---- claims about learning ----


def random_foxes_win(lab: Lab) -> Working[Judged]:
    """Random foxes beat random hounds."""
    tasks = [cycles.chance(lab, seed) for seed in lab.seeds]
    found = (yield {"random": tasks})["random"]
    foxes = mean([fmean(one["fox"]) for one in found])
    words = f"the fox won {foxes.mean:.1%} of {100 * sum(len(one['fox']) for one in found):,} games"
    return Judged(SUPPORTED if foxes.mean - foxes.sure > 0.5 else REFUTED, words, commands(tasks))


class _Compared(NamedTuple):
    """By how much more a measure of hounds is with the first of two values of a setting, and all trainings."""

    more: Mean
    trainings: list[Any]


def _compared(lab: Lab, setting: int, values: Sequence[float], measure: Callable[[Any], float]) -> Working[_Compared]:
    """Train hounds with two values of a setting, and compare a measure of them."""
    points = [(eta, epsilon, gamma) for eta in cycles.RATES for epsilon in cycles.EPSILONS for gamma in cycles.GAMMAS]
    found = yield {
        value: [cycles.alone(lab, "hounds", *at, seed) for at in points if at[setting] == value for seed in lab.seeds]
        for value in values
    }
    first, second = ([measure(one) for one in found[value]] for value in values)
    return _Compared(difference(first, second), [one for value in values for one in found[value]])


def half_is_faster(lab: Lab) -> Working[Judged]:
    """A learning rate of 0.5 learns faster than 0.3: the mean of all tests is higher for what learns sooner."""
    more = (yield from _compared(lab, 0, (0.5, 0.3), lambda one: fmean(won(one, "hounds")))).more
    words = f"over all tests of a training hounds won {more.mean:+.1%} ± {more.half:.1%} more with 0.5 than with 0.3"
    return Judged(by_sign(more), words, lab.command, _MORE)


def half_is_fastest(lab: Lab) -> Working[Judged]:
    """Of many learning rates, 0.5 learns fastest."""
    rates = cycles.TRIED
    found = yield {rate: [cycles.alone(lab, "hounds", rate, 0.1, 0.99, seed) for seed in lab.seeds] for rate in rates}
    wins = {rate: [fmean(won(one, "hounds")) for one in group] for rate, group in found.items()}
    top = max(wins, key=lambda rate: fmean(wins[rate]))
    ahead = {rate: difference(wins[rate], wins[0.5]) for rate in rates if rate != 0.5}
    verdict = OPEN
    if lab.scale == FULL and any(each.seeds > 1 and each.mean > each.sure for each in ahead.values()):
        verdict = REFUTED
    elif lab.scale == FULL and all(each.seeds > 1 and each.mean < -each.sure for each in ahead.values()):
        verdict = SUPPORTED
    each = ", ".join(f"{fmean(wins[rate]):.1%} with {rate}" for rate in rates)
    behind = "" if top == 0.5 else f"; {top} is {ahead[top].gained()} ahead of 0.5"
    words = f"over all tests of a training hounds won {each}{behind}"
    return Judged(verdict, words, lab.command, f"{_MORE}: the rates next to 0.5 learn almost as fast")


def discount_is_stable(lab: Lab) -> Working[Judged]:
    """A higher discount factor is more stable."""

    def spread(one: Any) -> float:
        wins = won(one, "hounds")
        return stdev(wins[len(wins) // 2 :]) if len(wins) > 3 else 0.0

    more = (yield from _compared(lab, 2, (0.95, 0.99), spread)).more
    words = (
        f"from cycle to cycle of the second half the wins spread by {more.mean:+.2%} ± {more.half:.2%} more with 0.95"
    )
    return Judged(by_sign(more), words, lab.command, _MORE)


def _sooner(lab: Lab) -> Working[tuple[Mean, str]]:
    """By how many plies hounds are sooner there with exploration 0.2 than with 0.1, also in words."""
    points = [(eta, gamma) for eta in cycles.RATES for gamma in cycles.GAMMAS]
    found = yield {
        epsilon: [until_high(lab, eta, epsilon, gamma, seed) for eta, gamma in points for seed in lab.seeds]
        for epsilon in cycles.EPSILONS
    }
    slow, quick = ([float(PLIES * len(one["plies"])) for one in found[epsilon]] for epsilon in cycles.EPSILONS)
    sooner = difference(slow, quick)
    theirs = fmean(
        lab.number(f"first-at-95-{eta * 10:.0f}-{gamma * 100:.0f}-1").value
        - lab.number(f"first-at-95-{eta * 10:.0f}-{gamma * 100:.0f}-2").value
        for eta, gamma in points
    )
    never = sum(first_at(one, HIGH) is None for group in found.values() for one in group)
    words = (
        f"hounds first won {HIGH:.0%} of a test {sooner.mean:+,.0f} ± {sooner.half:,.0f} plies earlier with 0.2, over"
        f" {len(slow)} pairs; in the authors' own files {theirs:+,.0f}, over {len(points)}"
    )
    words += f"; {never} of {2 * len(slow)} trainings never did, and count with all their plies" if never else ""
    return sooner, words


def exploring_is_earlier(lab: Lab) -> Working[Judged]:
    """Exploration 0.2 is there earlier than 0.1."""
    sooner, words = yield from _sooner(lab)
    return Judged(by_sign(sooner) if lab.scale == FULL else OPEN, words, lab.command, _MORE)


def earlier_by_millions(lab: Lab) -> Working[Judged]:
    """By a couple of million plies: at least what rounds to two million."""
    sooner, words = yield from _sooner(lab)
    verdict = by_sign(sooner._replace(mean=sooner.mean - _COUPLE)) if lab.scale == FULL else OPEN
    words = f"{words}; a couple of million is taken to mean {_COUPLE:,} or more on average"
    return Judged(verdict, words, lab.command, _MORE)


def foxes_learn_soon(lab: Lab) -> Working[Judged]:
    """Foxes soon almost never lose against random hounds."""
    points = [(eta, epsilon, gamma) for eta in cycles.RATES for epsilon in cycles.EPSILONS for gamma in cycles.GAMMAS]
    found = (yield {"trained": [cycles.alone(lab, "fox", *at, seed) for at in points for seed in lab.seeds]})["trained"]
    after = _SOON // PLIES
    wins = mean([fmean(won(one, "fox")[after:] or won(one, "fox")[-1:]) for one in found])
    words = f"after the first {_SOON:,} plies foxes won {wins.mean:.2%} of their tests"
    return Judged(all_above([(wins, TOP)]) if lab.scale == FULL else OPEN, words, lab.command, _MORE)


def trained_hounds_seldom_lose(lab: Lab) -> Working[Judged]:
    """Hounds trained in experiment 2 seldom lose in experiment 4."""
    found = yield {pair: [cycles.pretrained(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS}
    every = [one for group in found.values() for one in group]
    wins, first = mean([fmean(won(one, "hounds")) for one in every]), mean([won(one, "hounds")[0] for one in every])
    words = f"hounds won {wins.mean:.1%} over all tests of experiment 4, and {first.shown()} of the first"
    return Judged(all_above([(wins, HIGH)]) if lab.scale == FULL else OPEN, words, lab.command, _MORE)


def foxes_exploit(lab: Lab) -> Working[Judged]:
    """Foxes do better when hounds explore more."""
    found = yield {
        epsilon: [cycles.pretrained(lab, pair, seed) for pair in PAIRS if pair[1] == epsilon for seed in lab.seeds]
        for epsilon in cycles.EPSILONS
    }
    less, more = ([last(one, "fox") for one in found[epsilon]] for epsilon in cycles.EPSILONS)
    better = difference(more, less)
    words = f"trained players: the fox won {better.gained()} more against hounds that explore 0.2 than 0.1"
    verdict = by_sign(better)
    too_early = verdict == REFUTED and lab.scale != FULL  # hounds that have hardly learned lose in any case
    return Judged(OPEN if too_early else verdict, words, lab.command, _MORE)


def _untrained(lab: Lab) -> dict[Any, list[Task]]:
    return {pair: [cycles.untrained(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS}


def small_exploration_is_enough(lab: Lab) -> Working[Judged]:
    """A small exploration of hounds lets the fox win most games."""
    found = yield _untrained(lab)
    wins = {pair: mean([last(one, "fox") for one in found[pair]]) for pair in PAIRS if pair[1] == min(cycles.EPSILONS)}
    words = ", ".join(f"{each.shown()} with fox epsilon {pair[0]}" for pair, each in wins.items())
    verdict = all_above([(each, 0.5) for each in wins.values()]) if lab.scale == FULL else OPEN
    return Judged(verdict, f"against hounds that explore 0.1 foxes won {words}", lab.command, _MORE)


def from_low_to_high(lab: Lab) -> Working[Judged]:
    """The hounds' performance improves from very low to very high."""
    found = [one for group in (yield _untrained(lab)).values() for one in group]
    begin, end = mean([won(one, "hounds")[0] for one in found]), mean([last(one, "hounds") for one in found])
    words = f"all {len(found)} trainings: {begin.shown()} of the first test, {end.shown()} in the end"
    verdict = all_above([(end, TOP), (begin._replace(mean=-begin.mean), -0.2)]) if lab.scale == FULL else OPEN
    return Judged(verdict, words, lab.command, _MORE)


def hounds_reliably_learn(lab: Lab) -> Working[Judged]:
    """The hounds reliably learn the right strategy: one that wins against every fox."""
    found = [one["own"] for group in (yield _untrained(lab)).values() for one in group]
    certain = [float(score > 0) for _, _, score in found]
    wrong = mean([decisions - optimal for decisions, optimal, _ in found])
    words = (
        f"{none_of(sum(map(int, certain)), len(found))} tables are guaranteed to win against every fox; on average"
        f" {wrong.mean:,.0f} decisions that some fox can bring about are wrong"
    )
    verdict = by_sign(difference(certain, [0.5] * len(certain))) if lab.scale == FULL else OPEN
    return Judged(verdict, f"{words}; reliably is taken to mean more often than not", lab.command, _MORE)


def unexplored_states_lose(lab: Lab) -> Working[Judged]:
    """Hounds still lose because they have not explored all states."""
    found = yield {
        "steady": {pair: [until_steady(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
        "end": _untrained(lab),
    }
    every = [one["lost"] for stage in found.values() for group in stage.values() for one in group]
    lost = {kind: sum(one[kind] for one in every) for kind in KINDS}
    total = sum(lost.values())
    known = mean(
        [one[MISJUDGED] / sum(one[kind] for kind in KINDS) for one in every if any(one[k] for k in KINDS)] or [0]
    )
    words = (
        f"of {total:,} lost games that were examined {lost[MISJUDGED] / max(total, 1):.0%} were given away in a"
        f" position where a winning action had been taken and taught, but another had a higher value;"
        f" {lost['untried']:,} where none of the"
        f" winning actions had been taken, {lost['new']:,} where no action had been"
    )
    verdict = by_sign(known._replace(mean=0.5 - known.mean)) if lab.scale == FULL else OPEN
    return Judged(verdict, words, lab.command, _MORE)


def half_the_states(lab: Lab) -> Working[Judged]:
    """Hounds steadily win over 99 % having met less than half of the states."""
    found = yield {
        "steady": {pair: [until_steady(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS},
        "end": _untrained(lab),
    }
    states = reachable()
    total = states.hounds + states.final
    steady, end = (
        {
            pair: mean([(one["met"][-1][2] + one["met"][-1][3]) / total for one in group])
            for pair, group in stage.items()
        }
        for stage in found.values()
    )
    most, later = (max(stage.values(), key=lambda each: each.mean) for stage in (steady, end))
    every = [one for group in found["steady"].values() for one in group]
    reached = sum(fmean(won(one, "hounds")[-STEADY:]) >= TOP for one in every)
    words = (
        f"{none_of(reached, len(every))} trainings came to {TOP:.0%} on average over {STEADY} tests in a row; by then"
        f" hounds had met {most.mean:.0%} at the most of the {total:,} positions that they can meet, final ones"
        f" included, and {later.mean:.0%} in the end"
    )
    verdict = all_above([(each._replace(mean=-each.mean), -0.5) for each in steady.values()])
    return Judged(verdict if lab.scale == FULL else OPEN, words, lab.command, _MORE)


# ---- claims about tests ----


def greedy_games_repeat(lab: Lab) -> Working[Judged]:
    """If both sides play greedily, all games are likely to be the same."""
    found = [one["repeats"] for group in (yield _untrained(lab)).values() for one in group]
    most = mean([often / 100 for _, often in found])
    words = (
        f"of 100 games between the two tables of a training the commonest was played {100 * most.mean:.0f} times on"
        f" average, and {fmean(unlike for unlike, _ in found):.1f} were unlike"
    )
    return Judged(all_above([(most, 0.5)]) if lab.scale == FULL else OPEN, words, lab.command, _MORE)


def sums_are_rarely_100(lab: Lab) -> Working[Judged]:
    """The wins of both sides in one evaluation rarely add up to 100."""
    found = [one for group in (yield _untrained(lab)).values() for one in group]
    sums = [
        fmean(abs(fox + hounds - 1) < 0.005 for fox, hounds in zip(won(one, "fox"), won(one, "hounds"), strict=True))
        for one in found
    ]
    exactly = mean(sums)
    words = f"they did in {exactly.shown()} of the evaluations of experiment 5"
    verdict = all_above([(exactly._replace(mean=-exactly.mean), -0.1)]) if lab.scale == FULL else OPEN
    return Judged(verdict, words, lab.command, _MORE)


# ---- claims about the game ----


def hounds_win(lab: Lab) -> Working[Judged]:
    """The hounds have a winning strategy."""
    truth = (yield {"game": solving(GAME)})["game"]
    words = (
        f"all {truth['counts']['positions']:,} positions were solved: the hounds win in {truth['plies']} plies at most,"
        " so that the fox can only use their mistakes"
    )
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, f"ludus prove {GAME}")


def level_is_easier(lab: Lab) -> Working[Judged]:
    """The rule of the level fox makes the game slightly easier for it, and the hounds still win."""
    games, count = {goal: f"{GAME}(goal={goal})" for goal in _GOALS}, lab.pick(_GAMES, _GAMES, 100)
    solved = {goal: solving(name) for goal, name in games.items()}
    played = {goal: [random_play(name, count, seed) for seed in lab.seeds] for goal, name in games.items()}
    found = yield {goal: {"truth": solved[goal], "random": played[goal]} for goal in _GOALS}
    wins = {goal: [one["first_wins"] / one["games"] for one in each["random"]] for goal, each in found.items()}
    more = {goal: difference(wins["level"], wins[goal]) for goal in _GOALS[1:]}
    score = max(each["truth"]["score"] for each in found.values())
    words = (
        f"the hounds win by {'every' if score < 0 else 'not every'} rule; at random the fox wins"
        f" {fmean(wins['level']):.1%} of games, {more['home'].gained()} more than if it must get home, and"
        f" {more['none'].gained()} more than if it must outlast the hounds' steps"
    )
    verdict = all_above([(each, 0.0) for each in more.values()]) if score < 0 else REFUTED
    shown = [*solved.values(), *(tasks[0] for tasks in played.values())]
    return Judged(verdict, words, commands(shown), _MORE)


def derived_from_table(lab: Lab) -> Working[Judged]:
    """The strategy can be derived from the table."""
    proving = deriving(best(lab))
    found = yield {"best": best(lab), "strategy": proving, "untrained": _untrained(lab)}
    tables = [one["own"] for group in found["untrained"].values() for one in group]
    certain = sum(score > 0 for _, _, score in tables)
    wrong = mean([decisions - optimal for decisions, optimal, _ in tables])
    own = (
        f"of {len(tables)} tables trained as the paper does, {certain} are guaranteed to beat every fox"
        f" (wrong in {wrong.mean:,.0f} decisions that some fox can bring about)"
    )
    if found["strategy"]["at_least"] > 0:
        count = len(found["strategy"]["answers"])
        words = f"derived from a table, proved against every fox: {count:,} positions to know; {own}"
        trained = cycles.training_command(cycles.perfect_settings(), found["best"]["games"], 0, out="RUN")
        return Judged(PROVED, words, f"{trained}; {proving.command}")
    return Judged(PROVED if certain else OPEN, own, lab.command, "a longer training of the best agent")


def states_counted(lab: Lab) -> Working[Judged]:
    """There are 1,006,881 states."""
    yield {}
    counted = game().num_positions
    verdict = PROVED if counted == lab.number("states").value else REFUTED
    words = f"the index numbers {counted:,}, each once; the pseudocode's `intState` is its `state`"
    return Judged(verdict, words, f"ludus check {GAME}")


def states_of_one_player(lab: Lab) -> Working[Judged]:
    """One player has more than 400 thousand states."""
    yield {}
    states, numbers = reachable(), [game().num_seat_positions(player) for player in (0, 1)]
    least = min(states.fox, states.hounds)
    words = (
        f"{numbers[0]:,} and {numbers[1]:,} can be numbered; {states.fox:,} can arise on the fox's move,"
        f" {states.hounds:,} on the hounds', and {states.final:,} final ones, which the program counts for both:"
        f" {least + states.final:,} and more"
    )
    return Judged(PROVED if least + states.final > 400_000 else REFUTED, words, f"ludus solve {GAME}")


def actions_counted(lab: Lab) -> Working[Judged]:
    """The fox has at most 4 actions, the hounds 8."""
    yield {}
    most = reachable().most
    words = f"in all positions that can arise the fox has {most[0]} actions at most, the hounds have {most[1]}"
    return Judged(PROVED if most == (4, 8) else REFUTED, words, f"ludus solve {GAME}")


def table_halves(lab: Lab) -> Working[Judged]:
    """Each side's table can be half."""
    yield {}
    fox, hounds = (game().num_seat_positions(player) for player in (0, 1))
    words = (
        f"every move changes one row by one, so the parity of the rows determines the side to move; indices of {fox:,}"
        f" and {hounds:,} instead of {game().num_positions:,} number all positions of the fox and of the hounds,"
        " each once"
    )
    return Judged(PROVED, words, f"ludus check {GAME}")


CLAIMS = (
    Claim("Random foxes beat random hounds.", random_foxes_win),
    Claim("A learning rate of 0.5 learns faster than 0.3.", half_is_faster),
    Claim("Of many learning rates, 0.5 learns fastest.", half_is_fastest),
    Claim("A higher discount factor is more stable in the long run.", discount_is_stable),
    Claim("Exploration 0.2 reaches very high scores earlier than 0.1.", exploring_is_earlier),
    Claim("It does so a couple of million plies earlier.", earlier_by_millions),
    Claim("Against random hounds foxes do not take long to learn almost never to lose.", foxes_learn_soon),
    Claim("Hounds trained in experiment 2 seldom lose.", trained_hounds_seldom_lose),
    Claim("Foxes do better where hounds explore more.", foxes_exploit),
    Claim("Even a small exploration of the hounds lets the fox win most games.", small_exploration_is_enough),
    Claim("The hounds' performance improves from very low to very high.", from_low_to_high),
    Claim("The hounds reliably learn the right strategy.", hounds_reliably_learn),
    Claim("Hounds still lose occasionally because they have not explored all states.", unexplored_states_lose),
    Claim("Hounds steadily win over 99 % having explored less than half of the states.", half_the_states),
    Claim("If both sides play greedily, all games are likely to be the same.", greedy_games_repeat),
    Claim("The wins of both sides in an evaluation rarely add up to 100.", sums_are_rarely_100),
    Claim("The hounds have a winning strategy.", hounds_win),
    Claim("The fox's goal, to be level with the last hound, makes the game easier for it.", level_is_easier),
    Claim("The winning strategy can be derived from the table of Q-values.", derived_from_table),
    Claim("There are 1,006,881 states, and the index distinguishes them.", states_counted),
    Claim("For one player there are more than 400 thousand.", states_of_one_player),
    Claim("The parity of the rows determines the side to move, so that each table can be half.", table_halves),
    Claim("The fox has at most 4 actions, the hounds at most 8.", actions_counted),
)


def what_would_have_worked(lab: Lab) -> Working[Best]:
    """Q-learning from games in which the fox opens at random, each learned from its end backwards."""
    found = yield {"best": best(lab), "strategy": deriving(best(lab)), "untrained": _untrained(lab)}
    strong, derived = found["best"], found["strategy"]
    decisions, optimal, score = strong["own"]
    settings = ", ".join(f"{name}={value}" for name, value in cycles.perfect_settings().items())
    rows = [_row(pair[0], pair[1], [one["own"] for one in group]) for pair, group in found["untrained"].items()]
    every = list(derived["answers"].items())
    count = f"{len(every):,} positions to know"
    proved = f"{count}, proved against every fox" if derived["at_least"] > 0 else f"{count}, which some fox can beat"
    lines = "".join(f"{position}  {action}\n" for position, action in every)
    boards = [
        Board(face.draw(game(), face.parse_position(game(), position)).svg, action)
        for position, action in every[:: max(len(every) // _BOARDS, 1)][:_BOARDS]
    ]
    parts: list[Part] = [
        Words(
            "The paper's hounds meet only foxes like those they have met: a fox that does something strange finds"
            " positions in which they were never taught. If the fox opens with random plies in training, while the"
            " hounds play what they know, they meet every fox that there is; and if of equal actions the first is"
            " taken, the strategy stands still long enough to be tried out."
        ),
        Table(
            "tables",
            "The strategies in the tables",
            _COLUMNS,
            [*rows, _row("random opening", "0", [strong["own"]])],
            _TABLES,
        ),
        Listing("strategy.txt", f"The hounds' strategy: {proved}", lines),
        Boards("strategy", "Some of its positions", boards, "What the hounds do there."),
    ]
    certain = (
        "guaranteed to beat every fox" if score > 0 else f"not guaranteed to win: {score:+.2f} against the best fox"
    )
    return Best(
        f"`q-table({settings})`, the preset `perfect`",
        f"{strong['games']:,} games, {strong['plies'][-1]:,} plies, {strong['seconds']:,.0f} seconds on one core",
        f"hounds optimal in {optimal:,.0f} of {decisions:,.0f} decisions that can come up; {certain}",
        f"ludus train {GAME} q-table --preset perfect",
        parts,
    )


def _row(fox: float | str, hounds: float | str, own: list[list[float]]) -> tuple[str, str, int, int, int, int]:
    decisions, wrong = fmean(each[0] for each in own), fmean(each[0] - each[1] for each in own)
    return str(fox), str(hounds), len(own), sum(each[2] > 0 for each in own), round(decisions), round(wrong)


def findings(lab: Lab) -> Working[Findings]:
    """Who wins, whether the paper's tables beat every fox, and ours."""
    found = yield {
        "game": solving(GAME),
        "best": best(lab),
        "strategy": deriving(best(lab)),
        "untrained": _untrained(lab),
    }
    truth, strategy = found["game"], found["strategy"]
    tables = [one for group in found["untrained"].values() for one in group]
    certain = sum(one["own"][2] > 0 for one in tables)
    wrong = fmean(one["own"][0] - one["own"][1] for one in tables)
    verdict, plies = PROVED if truth["score"] < 0 else REFUTED, PLIES * len(tables[0]["plies"])
    games, known = f"{found['best']['games']:,} games", len(strategy["answers"])
    own = (
        f"A table that meets every fox in training does hold one, after {games}: it needs to know {known:,} positions."
        if strategy["at_least"] > 0
        else f"Nor does a table that meets every fox in training, after {games}."
    )
    return Findings(
        [
            f"The hounds can always win, as the paper says: {verdict}, as all {truth['counts']['positions']:,}"
            f" positions are solved, and perfect play ends in {truth['plies']} plies.",
            f"After {plies:,} plies the paper's hounds win {fmean(last(one, 'hounds') for one in tables):.1%} of their"
            f" tests, and {none_of(certain, len(tables))} tables {'hold' if certain > 1 else 'holds'} a strategy that"
            f" beats every fox: on average {wrong:,.0f} of their decisions can be exploited.",
            own,
        ],
        f"Next: `ludus prove {GAME}` writes a proof of the hounds' win that a short program can check.",
    )
