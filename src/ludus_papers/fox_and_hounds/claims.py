"""The hounds' strategy, derived from a table of Q-values, proved against every fox, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from ludus import face
from ludus.proving.certificate import prove_agent
from ludus.report.document import OPEN, PROVED, REFUTED, SUPPORTED, Best, Board, Boards, Listing, Part, Table, Words
from ludus.study.paper import FULL, Claim, Judged, Lab
from ludus.study.paper.tasks import Task, Working, commands, made, solving
from ludus.study.paper.verdict import by_sign, difference, mean
from ludus_papers.fox_and_hounds.cycles import (
    EPSILONS,
    GAME,
    HOUNDS,
    PAIRS,
    RATES,
    TURNS,
    best,
    chance,
    game,
    last,
    learning_hounds,
    perfect_settings,
    schooled,
    training_command,
    untrained,
    won,
)

_BOARDS = 8


def deriving(table: Task) -> Task:
    """What the hounds do by the table of a training, as `derive` gives it."""
    command = f"ludus prove {GAME} --agent RUN --seat second"
    return Task(f"the strategy in the table of {table.name}", derive, needs=(table,), command=command)


def derive(folders: Sequence[Path]) -> dict[str, Any]:
    """Every position that can arise with these hounds, with what they do there, and the least that they score.

    at_least: 1 for a win against every fox, whatever it does; positions: how many can arise, whoever is to move;
    answers: what the hounds do, by the position as it is written.
    """
    (strategy,) = prove_agent(game(), made(0, folders), HOUNDS).strategies
    answers = {
        face.format_position(game(), pos): face.action_name(game(), pos, taken[0])
        for pos, taken in strategy.answers.items()
    }
    return {"at_least": strategy.at_least, "positions": strategy.positions, "answers": answers}


def as_listing(derived: dict[str, Any]) -> str:
    """The whole strategy, a position and an action in each line."""
    return "".join(f"{position}  {action}\n" for position, action in derived["answers"].items())


def boards(derived: dict[str, Any]) -> list[Board]:
    """Some positions of the strategy on the way to the end, with what the hounds do there."""
    every = list(derived["answers"].items())
    chosen = every[:: max(len(every) // _BOARDS, 1)][:_BOARDS]
    return [Board(face.draw(game(), face.parse_position(game(), position)).svg, action) for position, action in chosen]


def random_foxes_win(lab: Lab) -> Working[Judged]:
    """Random foxes beat random hounds."""
    found = yield [chance(lab, seed) for seed in lab.seeds]
    foxes = mean([fmean(one["fox"]) for one in found])
    games = 100 * sum(len(one["fox"]) for one in found)
    words = f"the fox won {foxes.mean:.1%} of {games:,} games"
    verdict = SUPPORTED if foxes.mean - foxes.half > 0.5 else REFUTED
    return Judged(verdict, words, commands(chance(lab, seed) for seed in lab.seeds))


def _speed(one: Any) -> float:
    """The mean of all tests: higher for who learns sooner."""
    return fmean(won(one, "hounds"))


def half_is_fastest(lab: Lab) -> Working[Judged]:
    """A learning rate of 0.5 learns fastest."""
    points = [(eta, epsilon, gamma) for eta in (0.5, 0.3) for epsilon in EPSILONS for gamma in (0.99, 0.95)]
    found = yield [learning_hounds(lab, *point, seed) for point in points for seed in lab.seeds]
    middle = len(found) // 2
    more = difference([_speed(one) for one in found[:middle]], [_speed(one) for one in found[middle:]])
    words = f"over all tests of a training hounds won {more.mean:+.1%} ± {more.half:.1%} more with 0.5 than with 0.3"
    return Judged(by_sign(more), words, lab.command)


def discount_is_stable(lab: Lab) -> Working[Judged]:
    """A higher discount factor is more stable."""
    points = [(eta, epsilon, gamma) for gamma in (0.95, 0.99) for eta in (0.5, 0.3) for epsilon in EPSILONS]
    found = yield [learning_hounds(lab, *point, seed) for point in points for seed in lab.seeds]
    spread = [stdev(wins[len(wins) // 2 :]) if len(wins := won(one, "hounds")) > 3 else 0.0 for one in found]
    middle = len(found) // 2
    more = difference(spread[:middle], spread[middle:])
    words = (
        f"from cycle to cycle of the second half the wins spread by {more.mean:+.2%} ± {more.half:.2%} more with 0.95"
    )
    return Judged(by_sign(more), words, lab.command)


def exploring_is_earlier(lab: Lab) -> Working[Judged]:
    """Exploration 0.2 gets there a couple of million plies earlier than 0.1."""
    points = [(eta, epsilon, gamma) for epsilon in EPSILONS for eta in RATES for gamma in (0.99, 0.95)]
    found = yield [learning_hounds(lab, *point, seed) for point in points for seed in lab.seeds]
    at = [_turns_until(one, _HIGH) for one in found]
    middle = len(found) // 2
    sooner = difference(at[:middle], at[middle:])
    never = sum(max(won(one, "hounds")) < _HIGH for one in found)
    words = (
        f"hounds first won {_HIGH:.0%} of a test {sooner.mean:+,.0f} ± {sooner.half:,.0f} plies earlier with 0.2, over"
        f" {middle} pairs; a couple of million is taken to mean {_MILLION:,} or more on average"
    )
    words += f"; {never} of {len(found)} trainings never did, and count with all their plies" if never else ""
    verdict = by_sign(sooner)
    if verdict == SUPPORTED and sooner.mean < _MILLION:
        verdict = REFUTED if lab.scale == FULL and sooner.mean + sooner.half < _MILLION else OPEN
    return Judged(verdict, words, lab.command)


_HIGH = 0.95  # of a test, the least that "very high" can mean: in the end the paper's hounds win a little more

_MILLION = 1_000_000  # turns, the least that "a couple of million" can mean


def _turns_until(one: Any, share: float) -> float:
    return float(
        TURNS * next((cycle for cycle, each in enumerate(won(one, "hounds"), 1) if each >= share), len(one["turns"]))
    )


def foxes_exploit(lab: Lab) -> Working[Judged]:
    """Foxes do better when hounds explore more."""
    more = [pair for pair in PAIRS if pair[1] == EPSILONS[1]]
    less = [pair for pair in PAIRS if pair[1] == EPSILONS[0]]
    found = yield [schooled(lab, pair, seed) for pair in (*more, *less) for seed in lab.seeds]
    middle = len(found) // 2
    wins = [last(one, "fox") for one in found]
    better = difference(wins[:middle], wins[middle:])
    words = f"trained players: the fox won {better.gained()} more against hounds that explore 0.2 than 0.1"
    verdict = by_sign(better)
    unlike = (
        verdict == REFUTED and lab.scale != FULL
    )  # hounds that have hardly learned lose whether they explore or not
    return Judged(OPEN if unlike else verdict, words, lab.command)


def half_the_states(lab: Lab) -> Working[Judged]:
    """Hounds win over 99 % having seen less than half of the states."""
    found = yield [untrained(lab, pair, seed) for pair in PAIRS for seed in lab.seeds]
    wins = mean([last(one, "hounds") for one in found])
    met = max(one["met"][-1][2] for one in found)
    states = game().num_seat_positions(1)
    words = f"hounds won {wins.mean:.2%} in the end, and had met {met:,} of {states:,} positions at the most"
    verdict = SUPPORTED if wins.mean - wins.half > 0.99 and met < states / 2 else REFUTED if lab.scale == FULL else OPEN
    return Judged(verdict, words, lab.command)


def hounds_win(lab: Lab) -> Working[Judged]:
    """The hounds have a winning strategy."""
    (truth,) = yield [solving(GAME)]
    words = (
        f"all {truth['counts']['positions']:,} positions were solved: the hounds win in {truth['plies']} plies at most"
    )
    return Judged(PROVED if truth["score"] < 0 else REFUTED, words, f"ludus prove {GAME}")


def derived_from_table(lab: Lab) -> Working[Judged]:
    """The strategy can be derived from the table."""
    proving = deriving(best(lab))
    strong, derived, *found = yield [
        best(lab),
        proving,
        *(untrained(lab, pair, seed) for pair in PAIRS for seed in lab.seeds),
    ]
    sure = sum(one["own"][2] > 0 for one in found)
    wrong = mean([one["own"][0] - one["own"][1] for one in found])
    own = (
        f"of {len(found)} tables trained as the paper does, {sure} are guaranteed to beat every fox"
        f" (wrong in {wrong.mean:,.0f} decisions that some fox can bring about)"
    )
    if derived["at_least"] > 0:
        words = f"derived from a table, proved against every fox: {len(derived['answers']):,} positions to know; {own}"
        trained = training_command(perfect_settings(), strong["games"], 0, out="RUN")
        return Judged(PROVED, words, f"{trained}; {proving.command}")
    return Judged(PROVED if sure else OPEN, own, lab.command)


def states_counted(lab: Lab) -> Working[Judged]:
    """There are 1,006,881 states."""
    yield []
    told, counted = lab.number("states"), game().num_positions
    verdict = PROVED if counted == told.value else REFUTED
    return Judged(verdict, f"the index numbers {counted:,}, each once", f"ludus check {GAME}")


def table_halves(lab: Lab) -> Working[Judged]:
    """Each side's table can be half."""
    yield []
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
    """Q-learning from games in which the fox goes astray, each learned from its end backwards."""
    task = best(lab)
    strong, derived, *found = yield [
        task,
        deriving(task),
        *(untrained(lab, pair, seed) for pair in PAIRS for seed in lab.seeds),
    ]
    decisions, right, sure = strong["own"]
    settings = ", ".join(f"{name}={value}" for name, value in perfect_settings().items())
    rows = _rows(lab, found, strong)
    parts: list[Part] = [
        Words(_WHY),
        Table("tables", "The strategies in the tables", _COLUMNS, rows, _TABLES),
        Listing("strategy.txt", f"The hounds' strategy: {_proved(derived)}", as_listing(derived)),
        Boards("strategy", "Some of its positions", boards(derived), "What the hounds do there."),
    ]
    return Best(
        f"`q-table({settings})`, the preset `perfect`",
        f"{strong['games']:,} games, {strong['turns'][-1]:,} plies, {strong['seconds']:,.0f} seconds on one core",
        f"hounds optimal in {right:,.0f} of {decisions:,.0f} decisions that can come up; {_sure(sure)}",
        f"ludus train {GAME} q-table --preset perfect",
        parts,
    )


_WHY = (
    "The paper's hounds meet only foxes like those they have met: a fox that does something strange finds positions in"
    " which they were never taught. If the fox goes astray in training, while the hounds play what they know, they meet"
    " every fox that there is; and if of equal actions the first is taken, the strategy stands still long enough to be"
    " tried out."
)

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


def _rows(lab: Lab, found: Sequence[Any], strong: Any) -> list[tuple[str, str, int, int, int, int]]:
    size = len(lab.seeds)
    rows = []
    for place, pair in enumerate(PAIRS):
        own = [one["own"] for one in found[place * size : (place + 1) * size]]
        rows.append(_row(str(pair[0]), str(pair[1]), own))
    return [*rows, _row("astray", "0", [strong["own"]])]


def _row(fox: str, hounds: str, own: list[list[float]]) -> tuple[str, str, int, int, int, int]:
    decisions, wrong = fmean(each[0] for each in own), fmean(each[0] - each[1] for each in own)
    return fox, hounds, len(own), sum(each[2] > 0 for each in own), round(decisions), round(wrong)


def _sure(score: float) -> str:
    return "guaranteed to beat every fox" if score > 0 else f"not guaranteed to win: {score:+.2f} against the best fox"


def _proved(derived: Any) -> str:
    count = f"{len(derived['answers']):,} positions to know"
    return f"{count}, proved against every fox" if derived["at_least"] > 0 else f"{count}, which some fox can beat"
