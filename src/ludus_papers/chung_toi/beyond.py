"""An option and a portfolio as games against chance, encoded for networks: what the Chung Toi paper aims at."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

import ludus
from ludus.game import CHANCE
from ludus.report.document import OPEN, Level, Part, Results, Table, Words
from ludus.solving.solution import Solution
from ludus.study.paper import Judged, Lab
from ludus.study.paper.tasks import Task, Trains, Working, start_training
from ludus.study.paper.verdict import Mean, accuracy_figure, all_above, mean, series, won_figure

if TYPE_CHECKING:
    from ludus.game import Observation


UNIT = 10  # the score of one of money, or of one per cent of growth
DATES, PERIODS = 10, 3
UP, DOWN = 0, 1
HOLD, EXERCISE = 0, 1
KEEP = 5  # of wealth in shares what there is; actions 0 to 4 hold this many quarters


class Holding(NamedTuple):
    """The date, how often the price has risen, whether it is about to move, and whether the option is used."""

    date: int
    ups: int
    moving: int
    used: int


class AmericanPut(NamedTuple):
    """Sell a share for 100 at any of ten dates, or never; between two its price, at first 100, moves by 10 %."""

    num_actions = 2
    players = ("Holder", "nobody")
    observation_shape = (2,)

    def start(self) -> Holding:
        """The first date."""
        return Holding(0, 0, 0, 0)

    def player(self, pos: Holding) -> int:
        """The holder decides, chance moves the price."""
        return CHANCE if pos.moving else 0

    def legal(self, pos: Holding) -> int:
        """Hold or exercise, until the option is used or the last date is over; up or down."""
        return 0 if pos.used or pos.date == DATES else 1 << HOLD | 1 << EXERCISE

    def odds(self, pos: Holding, action: int) -> int:
        """Those by which the price grows as money does, by 1 % from date to date."""
        return 11 if action == UP else 9

    def play(self, pos: Holding, action: int) -> Holding:
        """The price moves between two dates."""
        if pos.moving:
            return Holding(pos.date, pos.ups + (1 if action == UP else 0), 0, 0)
        if action == EXERCISE:
            return Holding(pos.date, pos.ups, 0, 1)
        return Holding(pos.date + 1, pos.ups, 1 if pos.date + 1 < DATES else 0, 0)

    def score(self, pos: Holding) -> int:
        """What exercising brings in money of the first date."""
        return round(UNIT * (100 - self.price(pos)) / 1.01**pos.date) if pos.used else 0

    def price(self, pos: Holding) -> float:
        """The price of the share."""
        return 100 * 1.1**pos.ups * 0.9 ** (pos.date - pos.ups)

    def observe(self, pos: Holding, out: Observation) -> None:
        """The date, and how far the price is from where it began."""
        out[0] = pos.date / DATES
        out[1] = self.price(pos) / 100 - 1


class Wealth(NamedTuple):
    """The period, the per cent of wealth in shares, whether the market is about to move, and the growth so far."""

    period: int
    shares: int
    moving: int
    growth: int


class Portfolio(NamedTuple):
    """Choose what part of wealth to hold in shares, in each of three periods; a trade costs 2 % of it.

    Shares rise by 30 % or fall by 22 %, bonds grow by 1 %; the score is the logarithm of wealth.
    """

    num_actions = 6
    players = ("Investor", "nobody")
    observation_shape = (3,)

    def start(self) -> Wealth:
        """All in shares."""
        return Wealth(0, 100, 0, 0)

    def player(self, pos: Wealth) -> int:
        """The investor trades, chance moves the market."""
        return CHANCE if pos.moving else 0

    def legal(self, pos: Wealth) -> int:
        """Up or down; any part, until the last period is over."""
        if pos.moving:
            return 1 << UP | 1 << DOWN
        return 0 if pos.period == PERIODS else (1 << KEEP + 1) - 1

    def odds(self, pos: Wealth, action: int) -> int:
        """Shares rise as often as they fall."""
        return 1

    def play(self, pos: Wealth, action: int) -> Wealth:
        """A trade costs at once; then both grow, and with them the part that is in shares."""
        if not pos.moving:
            part = pos.shares if action == KEEP else 25 * action
            return Wealth(pos.period, part, 1, pos.growth + self.grown(1 - 0.0002 * abs(part - pos.shares)))
        shares = pos.shares / 100 * (1.3 if action == UP else 0.78)
        wealth = shares + (1 - pos.shares / 100) * 1.01
        return Wealth(pos.period + 1, round(100 * shares / wealth), 0, pos.growth + self.grown(wealth))

    def grown(self, factor: float) -> int:
        """The score of wealth that has grown by a factor."""
        return round(100 * UNIT * log(factor))

    def score(self, pos: Wealth) -> int:
        """The logarithm of wealth: its maximiser never bets everything."""
        return pos.growth

    def observe(self, pos: Wealth, out: Observation) -> None:
        """The period, the part in shares, and the growth so far, each of the size of 1."""
        out[0] = pos.period / PERIODS
        out[1] = pos.shares / 100
        out[2] = pos.growth / (10 * UNIT)


_DECISIONS: dict[str, type[Any]] = {"an American put": AmericanPut, "a portfolio": Portfolio}
_POINTS = 10  # at which a training is evaluated


def taught(decision: str, games: int, seed: int) -> list[dict[str, float]]:
    """The paper's network on its way: games, its accuracy and its value after them.

    As in the paper but for alpha, since scores are larger than 1; it was chosen by seeds 10 to 14.
    """
    truth = _solution(decision)
    settings = {"epsilon": f"0.15..0@{games}", "alpha": f"{9 / games:.6f}..0@{games}", "margin": "true"}
    settings |= {"games": str(games), "eval_every": str(games // _POINTS), "seed": str(seed)}
    training, points = start_training(truth.game, "td-lambda", settings), list[dict[str, float]]()

    def note(line: Any) -> None:
        points.append({"games": line["games"]} | _graded(training.agent(), truth))

    training.run(ludus.Watcher(line=note))
    return points


def valued(decision: str) -> dict[str, float]:
    """How many positions there are, the value of perfect decisions, and value and accuracy of random ones."""
    truth = _solution(decision)
    best = truth.value(truth.start).score / UNIT
    return {"positions": len(truth), "best": best} | _graded(ludus.make_agent("random"), truth)


def _solution(decision: str) -> Solution:
    found = ludus.solve(_DECISIONS[decision]())
    assert isinstance(found, Solution)
    return found


def _graded(agent: Any, truth: Solution) -> dict[str, float]:
    found = ludus.standing(agent, truth)
    assert found.guarantee
    value = float(found.guarantee.first.score) / UNIT
    return {"accuracy": float(found.all.optimal) / found.all.decisions, "value": value}


class _Learned(NamedTuple):
    """A decision, as `valued` returns it, and trainings by seed, as `taught` returns them."""

    truth: dict[str, float]
    trainings: list[list[dict[str, float]]]

    def x(self) -> list[float]:
        return [point["games"] for point in self.trainings[0]]

    def of(self, what: str) -> list[list[float]]:
        """A measure at each point, by seed."""
        return [[point[what] for point in training] for training in self.trainings]

    def gained(self) -> list[list[float]]:
        """The part of what perfect decisions bring beyond random ones, at each point, by seed."""
        least, whole = self.truth["value"], self.truth["best"] - self.truth["value"]
        return [[(value - least) / whole for value in training] for training in self.of("value")]


def _teaching(name: str, games: int, seed: int, command: str) -> Task:
    trains = Trains("td-lambda", "paper", keeps=("margin",))
    title = f"td-lambda on {name}, seed {seed}"
    return Task(title, taught, (name, games, seed), command=command, games=games, trains=trains)


def _learned(lab: Lab) -> Working[dict[str, _Learned]]:
    games = lab.pick(300_000, 50_000, 200)
    found = yield {
        name: {
            "truth": Task(f"the solution of {name}", valued, (name,), command=lab.command),
            "trainings": [_teaching(name, games, seed, lab.command) for seed in lab.seeds],
        }
        for name in _DECISIONS
    }
    return {name: _Learned(**each) for name, each in found.items()}


def _at_the_end(ys: list[list[float]]) -> Mean:
    return mean([y[-1] for y in ys])


def beyond_board_games(lab: Lab) -> Working[Sequence[Part]]:
    """The same network and the same rule, on an option and a portfolio."""
    found = yield from _learned(lab)
    rows = [
        (
            name,
            int(one.truth["positions"]),
            f"{one.truth['value']:.2f}",
            _at_the_end(one.of("value")).shown("number"),
            f"{one.truth['best']:.2f}",
            _at_the_end(one.of("accuracy")).shown(),
        )
        for name, one in found.items()
    ]
    first, *others = (Level(f"random decisions, {name}", one.truth["accuracy"]) for name, one in found.items())
    return [
        Words(
            "Both are games against chance that can be solved. The put: at each of ten dates, sell a share for 100 or"
            " wait; from date to date its price, at first 100, rises or falls by 10 %, and money grows by 1 %. The"
            " portfolio: in each of three periods, choose what part of wealth to hold in shares, which rise by 30 % or"
            " fall by 22 %, and what in bonds, which grow by 1 %; a trade costs 2 %, and the logarithm of wealth is"
            " what counts. The network sees the date and the price, or the period, the part in shares and the growth so"
            " far. Its units, lambda and exploration are the paper's, its rewards the scores, and alpha, smaller than"
            " the paper's, was chosen by seeds beyond these."
        ),
        won_figure(
            "beyond-value",
            [series(name, one.x(), one.gained()) for name, one in found.items()],
            Level("random decisions", 0.0),
            [Level("perfect decisions", 1.0)],
            "What can be gained is what perfect decisions bring beyond random ones.",
            title="What the network's decisions bring",
            y_title="of what can be gained",
        ),
        accuracy_figure(
            "beyond-grade", [series(name, one.x(), one.of("accuracy")) for name, one in found.items()], first, others
        ),
        Table(
            "beyond",
            "Beyond board games: money that the put brings, and per cent by which wealth grows",
            ("decision", "positions", "random decisions", "the network", "perfect decisions", "its optimal decisions"),
            rows,
            caption="What decisions bring on average, exactly; means over seeds.",
        ),
        Results(
            "beyond-results",
            [
                lab.result(f"{what}, {name}", None, [y[-1] for y in ys])
                for name, one in found.items()
                for what, ys in (
                    ("brought of what can be gained", one.gained()),
                    ("optimal decisions", one.of("accuracy")),
                )
            ],
        ),
    ]


def carried_over(lab: Lab) -> Working[Judged]:
    """Whether the paper's learner learns such decisions."""
    found = yield from _learned(lab)
    gained = {name: _at_the_end(one.gained()) for name, one in found.items()}
    words = "; ".join(
        f"{name}: {_at_the_end(one.of('value')).shown('number')}, perfect decisions {one.truth['best']:.2f}, random"
        f" ones {one.truth['value']:.2f}, so that {gained[name].shown()} of the difference are learned"
        for name, one in found.items()
    )
    verdict = all_above([(each, 0.5) for each in gained.values()])
    rule = "Supported if it is significantly more than half in both, refuted if significantly less in one"
    return Judged(verdict, f"{words}. {rule}", lab.command, "more seeds" if verdict == OPEN else "")
