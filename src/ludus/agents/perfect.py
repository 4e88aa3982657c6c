"""Perfect play by the solution of a game, or by search where it is too large to enumerate; with errors if wanted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ludus.activity import doing
from ludus.agents.agent import Level, Probabilities, share_equally
from ludus.agents.mcts import Mcts, plain_work, write_choice
from ludus.cgt.forms import ZERO
from ludus.cgt.sums import Sum, SumEvaluator
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, actions, add, first, has, is_empty, none_like, without_first
from ludus.face import players
from ludus.game import num_actions
from ludus.solving.alpha_beta import Searcher
from ludus.solving.opening_book import load
from ludus.solving.position_index import NOT_FOUND, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of
from ludus.solving.solver import Searched, TooCostlyError, Truth, solve
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.solving.transposition_table import MOST

_MOST_KNOWN = 4  # solutions kept in memory
_NODES = 1 << 21  # of search for one move: a second or less
_FEW_NODES = 1 << 19  # more, for the actions that reach what is proven
_SIMULATIONS, _MICROSECONDS = 3000, 1e5  # of the tree search instead, compiled and plain
_TOLERANCE = 1e-9  # between expected scores
_SEARCHES = "perfect searches each position that no opening book holds: the game is too large to enumerate"
_known: dict[Any, Truth] = {}


class Perfect(NamedTuple):
    """Perfect play: the shortest win, the longest loss, any draw; errs with probability 1 - skill.

    An error is any action with a weaker result or a smaller score, all with equal probability.
    """

    skill: float = 1.0

    plain = True  # type: ignore[misc]

    @staticmethod
    def levels() -> tuple[Level, ...]:
        """The opponents that the page offers."""
        strong = Level(0.9, "Strong", "as perfect, but errs three times in ten", {"skill": 0.7})
        return strong, Level(1.0, "Perfect", "the best move wherever that can be proven in a second or so")

    def validate(self) -> None:
        """A skill is a probability."""
        if not 0 <= self.skill <= 1:
            raise ValueError(f"skill must be 0 to 1, not {self.skill:g}")

    def for_game(self, game: Any, starts: tuple[Any, ...]) -> Solved | Searching | Summing:
        """The agent that has solved one game."""
        if isinstance(game, Sum):
            return Summing(self.skill)
        return player_of(truth_about(game, *starts), self.skill)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The policy of the agent for this game."""
        if isinstance(game, Sum):
            Summing(self.skill).policy(game, pos, out)
            return
        player_of(_truth_of(game, pos), self.skill).policy(game, pos, out)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The score of each action, for the player to move."""
        if isinstance(game, Sum):
            return {action: 1.0 if _wins(game, pos, action) else -1.0 for action in actions(game.legal(pos))}
        side = 1 if game.player(pos) == 0 else -1
        return {action: side * value.score for action, value in _truth_of(game, pos).actions(pos).items()}

    def remark(self, game: Any) -> str:
        """How it plays this game, if not by the solution."""
        if isinstance(game, Sum):
            return "perfect plays sums by the canonical forms of their components"
        is_searched = isinstance(truth_about(game, game.start()), Searched)
        return _SEARCHES if is_searched else ""


def player_of(truth: Truth, skill: float) -> Solved | Searching:
    """The agent that plays by a solution, or by search."""
    return Solved(truth.answers, truth.gap or 0.0, skill) if isinstance(truth, Solution) else Searching(truth, skill)


def _truth_of(game: Any, pos: Any) -> Truth:
    """The solution from the start, or from a position that it does not reach."""
    truth = truth_about(game, game.start())
    return truth if pos in truth else truth_about(game, pos)


def truth_about(game: Any, *starts: Any) -> Truth:
    """The solution of a game from these positions, cached."""
    key = type(game), _identity(game), starts
    if key not in _known:
        if len(_known) == _MOST_KNOWN:
            del _known[next(iter(_known))]
        with doing("solving the game") as on_stage:
            _known[key] = _one_search(solve(game, starts[0], also=starts[1:], progress=on_stage), key[:2])
    return _known[key]


def _one_search(truth: Truth, game: tuple[Any, ...]) -> Truth:
    """The solution; searches of one game share a transposition table."""
    if isinstance(truth, Searched):
        for key, known in _known.items():
            if key[:2] == game and isinstance(known, Searched):
                return Searched(truth.game, truth.start, known.searcher)
    return truth


def _identity(game: Any) -> Any:
    """The game itself, or its id if it holds arrays; the solution keeps it alive."""
    try:
        hash(game)
    except TypeError:
        return id(game)
    return game


class Solved(NamedTuple):
    """Perfect play by stored values."""

    answers: Answers
    gap: float
    skill: float

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Random among the best with probability skill, else among the errors; nothing where the game is over."""
        if is_empty(game.legal(pos)):
            return
        optimal, best = optimal_actions(self.answers, self.gap + _TOLERANCE, game, pos)
        share_by_skill(game.legal(pos), optimal, best, self.skill, out)


class Searching:
    """Perfect play by a search, or a probe of a tablebase, in every position."""

    def __init__(self, truth: Searched | Tablebase, skill: float) -> None:
        self.truth, self.skill = truth, skill

    def __str__(self) -> str:
        name = "perfect" if self.skill == 1 else f"perfect(skill={self.skill})"
        return f"{name}, by {self.truth.method}"

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Random among the best with probability skill, else among the errors."""
        if is_empty(game.legal(pos)):
            return
        legal, best = game.legal(pos), self.truth.best(pos)
        optimal = best if self.skill == 1 else self.truth.optimal(pos)
        share_by_skill(legal, _mask(legal, optimal), _mask(legal, best), self.skill, out)


class Bounded:
    """Perfect play within a second or so, for people who wait: the best move that book and search find in that time.

    `remark` says of the latest move whether it is proven, and between which values the position lies if not.
    """

    def __init__(self, truth: Searched, skill: float) -> None:
        self.truth, self.skill, self.remark = truth, skill, ""

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The policy of `perfect`; the actions that reach what is proven, or that of `mcts`, where time is up."""
        self.remark, searcher = "", self.truth.searcher
        narrowing = searcher.narrowing(pos)
        low, high = least, _ = next(narrowing)
        with suppress(TooCostlyError), self.truth.within(_NODES):
            for low, high in narrowing:  # noqa: B007, what is known when time is up
                pass
            Searching(self.truth, self.skill).policy(game, pos, out)
            return
        out[:] = 0.0
        if low == high and (best := self._found(searcher.best, pos)):
            share_equally(_mask(game.legal(pos), best), out)
            return
        self.remark = f"the best move found so far, not proven: {_lies(searcher, pos, low, high)}"
        _search_trees(game, pos, out)
        if searcher.as_value(pos, low).score != searcher.as_value(pos, least).score:
            _keep(self._found(partial(searcher.reaching, value=low), pos), out)

    def _found(self, search: Callable[[Any], list[int]], pos: Any) -> list[int]:
        """The actions that a search finds with a few nodes more; none if it needs many."""
        with suppress(TooCostlyError), self.truth.within(_FEW_NODES):
            return search(pos)
        return []


def _keep(some: list[int], out: Probabilities) -> None:
    """Moves all probability to some actions, if there are any; equally if they have none."""
    if some:
        shares = out[some] / out[some].sum() if out[some].any() else 1 / len(some)
        out[:] = 0.0
        out[some] = shares


class Unproven:
    """Perfect play for a person who waits while the game is still being solved: by its opening book, or tree search."""

    def __init__(self) -> None:
        self.remark = ""

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The move of the book, or the policy of `mcts`."""
        book = load(game)
        best = book.best(pos) if book else []
        if best:
            share_equally(_mask(game.legal(pos), best), out)
        else:
            self.remark = "the best move found so far, not proven: the game is still being solved"
            _search_trees(game, pos, out)


def _search_trees(game: Any, pos: Any, out: Probabilities) -> None:
    few = Mcts(sims=1 + int(_MICROSECONDS / plain_work(game, pos, 1)))  # until the search is compiled
    if write_choice.is_at_hand(game, pos, *few, out):
        Mcts(sims=_SIMULATIONS).policy(game, pos, out)
    else:
        write_choice.run_plainly(game, pos, *few, out)


def compile_tree_search(game: Any) -> None:
    """Compiles the tree search of `Bounded`, if need be; until then it runs as plain Python."""
    write_choice.entry(game, game.start(), *Mcts(sims=_SIMULATIONS), np.zeros(num_actions(game)))


def _lies(searcher: Searcher, pos: Any, low: int, high: int) -> str:
    """Between which results a position lies for the side to move, given the bounds of its search value."""
    player = searcher.game.player(pos)
    least, most = (
        _result(searcher.as_value(pos, bound).score, player, is_bound=abs(bound) < MOST) for bound in (low, high)
    )
    between = least if least == most else f"between {least} and {most}"
    return f"{players(searcher.game)[player]} gets {between}"


def _result(score: float, player: int, *, is_bound: bool) -> str:
    """A score as a result for a player; without its margin if it bounds nothing."""
    own = -score if player == 1 else score
    margin = f" by {abs(own):g}" if is_bound and abs(own) > 1 else ""
    return f"{'a win' if own > 0 else 'a loss'}{margin}" if own else "a draw"


_sums = SumEvaluator()


class Summing:
    """Sums played by the canonical forms of their components: any winning action, and any where there is none."""

    def __init__(self, skill: float) -> None:
        self.skill = skill

    def __str__(self) -> str:
        return "perfect, by values" if self.skill == 1 else f"perfect(skill={self.skill}), by values"

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Random among the winning actions with probability skill, else among the others; uniform if none wins."""
        legal = game.legal(pos)
        if is_empty(legal):
            return
        winning = [action for action in actions(legal) if _wins(game, pos, action)]
        optimal = _mask(legal, winning or actions(legal))
        share_by_skill(legal, optimal, optimal, self.skill, out)


def _wins(game: Any, pos: Any, action: int) -> bool:
    """Whether an action in a sum wins: the opponent, to move next, loses."""
    form = sum(_sums.forms(game, game.play(pos, action)), ZERO)
    return form >= 0 if game.player(pos) == 0 else form <= 0


def _mask(like: Mask, chosen: list[int]) -> Mask:
    mask = none_like(like)
    for action in chosen:
        mask = add(mask, action)
    return mask


@helper
def optimal_actions(answers: Answers, tolerance: float, game: Any, pos: Any) -> tuple[Mask, Mask]:
    """The optimal actions of a position, and the best of them: the fastest to win or slowest to lose."""
    row, key = np.zeros(len(pos), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    side = 1 if game.player(pos) == 0 else -1
    left = game.legal(pos)
    optimal = best = none_like(left)
    top, length = -np.inf, 0
    while not is_empty(left):
        after = game.play(pos, first(left))
        number = find(answers.lookup, game, after, row, key)
        if number == NOT_FOUND:
            raise ValueError("perfect is asked for a position out of reach of where it was to play from")
        score = side * score_of(game, after, answers, number)
        plies = answers.plies[number]
        plies = 0 if score == 0 or plies == ENDLESS else plies if score > 0 else -plies
        if score > top + tolerance:
            optimal = best = none_like(left)
            top, length = score, plies
        if score >= top - tolerance:
            optimal = add(optimal, first(left))
            if plies < length:
                best, length = none_like(left), plies
            if plies == length:
                best = add(best, first(left))
        left = without_first(left)
    return optimal, best


@helper
def share_by_skill(legal: Mask, optimal: Mask, best: Mask, skill: float, out: Probabilities) -> None:
    """Give the best actions probability `skill` and the errors the rest; all to the best where no error is possible."""
    share_equally(best, out)
    errors, left = none_like(legal), legal
    while not is_empty(left):
        if not has(optimal, first(left)):
            errors = add(errors, first(left))
        left = without_first(left)
    if skill < 1 and not is_empty(errors):
        wrong = np.zeros(len(out))
        share_equally(errors, wrong)
        for action in range(len(out)):
            out[action] = skill * out[action] + (1 - skill) * wrong[action]
