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
from ludus.study.paper.tasks import Task, Working, commands, made, solving
from ludus.study.paper.verdict import Mean, by_sign, difference, mean, none_of
from ludus_papers.fox_and_hounds import cycles
from ludus_papers.fox_and_hounds.cycles import GAME, HOUNDS, PAIRS, PLIES, best, game, last, won

_BOARDS = 8
_HIGH = 0.95  # of a test, the least that "very high" can mean: in the end the paper's hounds win a little more
_MILLION = 1_000_000  # plies, the least that "a couple of million" can mean
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


def half_is_fastest(lab: Lab) -> Working[Judged]:
    """A learning rate of 0.5 learns fastest: the mean of all tests is higher for what learns sooner."""
    more = (yield from _compared(lab, 0, (0.5, 0.3), lambda one: fmean(won(one, "hounds")))).more
    words = f"over all tests of a training hounds won {more.mean:+.1%} ± {more.half:.1%} more with 0.5 than with 0.3"
    return Judged(by_sign(more), words, lab.command)


def discount_is_stable(lab: Lab) -> Working[Judged]:
    """A higher discount factor is more stable."""

    def spread(one: Any) -> float:
        wins = won(one, "hounds")
        return stdev(wins[len(wins) // 2 :]) if len(wins) > 3 else 0.0

    more = (yield from _compared(lab, 2, (0.95, 0.99), spread)).more
    words = (
        f"from cycle to cycle of the second half the wins spread by {more.mean:+.2%} ± {more.half:.2%} more with 0.95"
    )
    return Judged(by_sign(more), words, lab.command)


def exploring_is_earlier(lab: Lab) -> Working[Judged]:
    """Exploration 0.2 is there a couple of million plies earlier than 0.1."""

    def plies_until_high(one: Any) -> float:
        wins = won(one, "hounds")
        return float(PLIES * next((cycle for cycle, each in enumerate(wins, 1) if each >= _HIGH), len(one["plies"])))

    compared = yield from _compared(lab, 1, (0.1, 0.2), plies_until_high)
    sooner, found = compared.more, compared.trainings
    never = sum(max(won(one, "hounds")) < _HIGH for one in found)
    words = (
        f"hounds first won {_HIGH:.0%} of a test {sooner.mean:+,.0f} ± {sooner.half:,.0f} plies earlier with 0.2, over"
        f" {len(found) // 2} pairs; a couple of million is taken to mean {_MILLION:,} or more on average"
    )
    words += f"; {never} of {len(found)} trainings never did, and count with all their plies" if never else ""
    verdict = by_sign(sooner)
    if verdict == SUPPORTED and sooner.mean < _MILLION:
        verdict = REFUTED if lab.scale == FULL and sooner.mean + sooner.sure < _MILLION else OPEN
    return Judged(verdict, words, lab.command)


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
    return Judged(OPEN if too_early else verdict, words, lab.command)


def _untrained(lab: Lab) -> dict[Any, list[Task]]:
    return {pair: [cycles.untrained(lab, pair, seed) for seed in lab.seeds] for pair in PAIRS}


def half_the_states(lab: Lab) -> Working[Judged]:
    """Hounds win over 99 % having seen less than half of the states."""
    by_pair = yield _untrained(lab)
    found = [one for group in by_pair.values() for one in group]
    wins = mean([last(one, "hounds") for one in found])
    met = max(one["visited"][-1][2] for one in found)
    states = game().num_seat_positions(1)
    words = f"hounds won {wins.mean:.2%} in the end, and had met {met:,} of {states:,} positions at the most"
    verdict = SUPPORTED if wins.mean - wins.sure > 0.99 and met < states / 2 else REFUTED if lab.scale == FULL else OPEN
    return Judged(verdict, words, lab.command)


# ---- claims about the game ----


def hounds_win(lab: Lab) -> Working[Judged]:
    """The hounds have a winning strategy."""
    truth = (yield {"game": solving(GAME)})["game"]
    words = (
        f"all {truth['counts']['positions']:,} positions were solved: the hounds win in {truth['plies']} plies at most"
    )
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, f"ludus prove {GAME}")


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
    return Judged(PROVED if certain else OPEN, own, lab.command)


def states_counted(lab: Lab) -> Working[Judged]:
    """There are 1,006,881 states."""
    yield {}
    counted = game().num_positions
    verdict = PROVED if counted == lab.number("states").value else REFUTED
    return Judged(verdict, f"the index numbers {counted:,}, each once", f"ludus check {GAME}")


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
    Claim("A learning rate of 0.5 learns fastest.", half_is_fastest),
    Claim("A higher discount factor is more stable in the long run.", discount_is_stable),
    Claim("Exploration 0.2 gets there a couple of million plies earlier than 0.1.", exploring_is_earlier),
    Claim("Foxes do better where hounds explore more.", foxes_exploit),
    Claim("Hounds win over 99 % having explored less than half of the states.", half_the_states),
    Claim("The hounds have a winning strategy.", hounds_win),
    Claim("The winning strategy can be derived from the table of Q-values.", derived_from_table),
    Claim("There are 1,006,881 states, and the index distinguishes them.", states_counted),
    Claim("The parity of the rows determines the side to move, so that each table can be half.", table_halves),
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
    verdict = PROVED if truth["score"] < 0 else REFUTED
    games, known = f"after {found['best']['games']:,} games", len(strategy["answers"])
    own = (
        f"Ours is guaranteed to, {games}, and needs to know {known:,} positions."
        if strategy["at_least"] > 0
        else f"Nor is ours guaranteed to, {games}."
    )
    return Findings(
        [
            f"That the hounds can always win, as the paper says, is {verdict}: all {truth['counts']['positions']:,}"
            f" positions are solved, and perfect play ends in {truth['plies']} plies.",
            f"The paper's hounds win {fmean(last(one, 'hounds') for one in tables):.1%} of their tests;"
            f" {none_of(certain, len(tables))} tables {'are' if certain > 1 else 'is'} guaranteed to beat every fox,"
            f" and on average they err in {wrong:,.0f} positions that some fox can bring about.",
            own,
        ],
        f"Next: `ludus prove {GAME}` writes a proof of the hounds' win that a short program can check.",
    )
