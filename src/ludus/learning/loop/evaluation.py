"""The evaluation of an agent in training: games against others, its grade, and the errors of its action values."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, NotRequired

import numpy as np
import numpy.typing as npt
from typing_extensions import TypedDict

from ludus.agents.tabular import HASHED, SEATED, Entries, stored_action
from ludus.arena import Seats
from ludus.arena.match import play_match
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.documents import Count, strict_but_open
from ludus.errors import LudusError
from ludus.game import num_seat_positions, position_at, seat_position_at, symmetries, transform
from ludus.grading.decisions import Actions, Floats, Lengths
from ludus.grading.grade import Standing, choices_of, standing
from ludus.learning.loop.plan import Graded, Plan
from ludus.solving.explore import explore
from ludus.solving.position_index import NOT_FOUND, Lookup, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Solution, length_of_both
from ludus.solving.solver import solve, solve_explored
from ludus.solving.value import sign

_GRADED_UNASKED = 1_000_000  # positions
Line = dict[str, Any]


# ---- the form of a line of metrics: what is read of it; learners may report more ----

_Number = int | float


class _Seat(NamedTuple):
    wins: Count
    draws: Count
    losses: Count
    cut: Count


class _Seats(NamedTuple):
    first: _Seat
    second: _Seat


class _Guaranteed(NamedTuple):
    result: Literal["win", "draw", "loss"] | None
    score: _Number


class _Grade(NamedTuple):
    decisions: Count
    optimal: _Number
    own_play: dict[str, list[_Number]]
    guarantee: dict[str, _Guaranteed] | None
    exploitability: dict[str, _Number] | None


class _Columns(NamedTuple):
    result: list[Literal["win", "draw", "loss"]]
    plies: list[Count | None]
    entries: list[Count]
    mean: list[_Number]
    max: list[_Number]
    decisions: list[Count]
    optimal: list[_Number]


@strict_but_open
class MetricsLine(TypedDict):
    """A line of metrics."""

    games: Count
    plies: Count
    against: dict[str, _Seats]
    grade: NotRequired[_Grade]
    error: NotRequired[_Columns]
    visited: NotRequired[list[Count]]
    updates: NotRequired[Count]
    loss: NotRequired[_Number | None]


def truth_for(game: Any, plan: Plan) -> Solution | None:
    """The solution by which the agent is graded, None if the plan asks for no grade."""
    if plan.grade is Graded.NO:
        return None
    if plan.grade is Graded.YES:
        found = solve(game)
        if not isinstance(found, Solution):
            raise LudusError(f"{type(game).__name__} is too large to grade while it is learned: --grade no")
        return found
    explored = explore(game, game.start(), limit=_GRADED_UNASKED)
    return solve_explored(explored, game.start()) if explored.complete else None


def evaluated(agent: Any, rivals: dict[str, Any], learner: Any, game: Any, plan: Plan, truth: Solution | None) -> Line:
    """Results against other agents, the grade, and how far the learner's values are from the truth."""
    line: Line = {"against": {name: _results(agent, rival, game, plan) for name, rival in rivals.items()}}
    if truth is not None:
        line["grade"] = _to_json(standing(agent, truth))
        rewards = rewards_of(learner)
        if rewards is not None and has_errors(agent.entries, truth):
            line["error"] = errors(agent.entries, truth, rewards)._asdict()
    return line


def _results(agent: Any, rival: Any, game: Any, plan: Plan) -> Line:
    """Evaluation games by their results, from either seat; those that were cut are among the draws."""
    cap = plan.cap or None
    match = play_match(game, agent, rival, plan.eval_games, seed=plan.seed, seats=Seats.ALTERNATE, cap=cap, threads=1)
    return {
        seat: {"wins": count.a_wins, "draws": count.draws, "losses": count.b_wins, "cut": cut}
        for seat, count, cut in zip(("first", "second"), (match.first, match.second), match.cut, strict=True)
    }


def _to_json(graded: Standing) -> Line:
    guarantee = graded.guarantee and graded.guarantee._asdict()
    exploitability = graded.exploitability and graded.exploitability._asdict()
    return {
        "decisions": graded.all.decisions,
        "optimal": round(graded.all.optimal, 6),
        "own_play": {seat: [t.decisions, round(t.optimal, 6)] for seat, t in graded.own_play._asdict().items()},
        "guarantee": guarantee
        and {  # + 0: never -0.0
            seat: {"result": each.result, "score": round(each.score, 6) + 0} for seat, each in guarantee.items()
        },
        "exploitability": exploitability and {seat: round(each, 6) for seat, each in exploitability.items()},
    }


def is_perfect(line: Line) -> bool:
    """Whether every decision was optimal."""
    grade = line.get("grade")
    return grade is not None and grade["optimal"] == grade["decisions"]


# ---- the error of action values ----

Sums = npt.NDArray[np.float64]
ENTRIES, ERROR, LARGEST, DECISIONS, OPTIMAL = range(5)  # the last axis of `sums`, after results and plies
RESULTS = ("loss", "draw", "win")


class Rewards(NamedTuple):
    """The rewards of results, or the score with `margin`; `gamma` discounts each own move."""

    win: float
    loss: float
    draw: float
    margin: bool
    gamma: float


class Errors(NamedTuple):
    """The errors of action values, grouped by exact result and plies: one item of each list for a group."""

    result: list[str]  # of the action under perfect play, for the player who takes it
    plies: list[int | None]  # from the position after it to the end; None for an endless draw
    entries: list[int]  # the number of action values with at least one update
    mean: list[float]  # of their errors
    max: list[float]
    decisions: list[int]  # visited positions whose actions differ in value, grouped by an optimal action
    optimal: list[float]  # those where the highest action value is an optimal action's; ties count in part


def rewards_of(learner: Any) -> Rewards | None:
    """The rewards of a learner of action values; None for other learners, and with shaping rewards."""
    if not getattr(learner, "keeps_action_values", False) or getattr(learner, "shaping", 0.0) != 0:
        return None
    return Rewards(learner.win, learner.loss, learner.draw, learner.margin, learner.gamma)


def has_errors(entries: Entries, truth: Solution) -> bool:
    """Whether every action value has an exact counterpart: not with chance, nor in one table for unlike seats."""
    for_both = entries.by == SEATED and len(entries.values) == 1
    sizes = [num_seat_positions(truth.game, player) for player in (0, 1)]
    return truth.gap is None and not (for_both and sizes[0] != sizes[1])


class Reference(NamedTuple):
    """The exact values that action values are compared with, room for a position, and the sums of errors."""

    lookup: Lookup
    first: Row  # [positions + 1], as in `Choices`
    mover: npt.NDArray[np.int8]  # [positions]
    actions: Actions  # [edges]
    score: Floats  # [edges]
    plies: Lengths  # [edges]
    rewards: Rewards
    row: Row  # [fields]
    key: Row  # [words]
    sums: Sums  # [results, plies, 5]


class Entry(NamedTuple):
    """The action values of a stored position, whose image under `symmetry` the solution lists."""

    pos: Any
    symmetry: int
    place: int  # of the image in the solution
    values: npt.NDArray[np.float64]  # [actions]
    visits: npt.NDArray[np.int64]  # [actions]


def errors(entries: Entries, truth: Solution, rewards: Rewards) -> Errors:
    """The error of every action value that was updated, to six digits.

    A reward is discounted once for each own move on the way, as if the players alternated: p plies hold p // 2 own
    moves. Endless play counts as a draw, or as 0 where gamma is below 1.
    """
    explored, exact = choices_of(truth)
    lookup, start = explored.lookup, truth.start
    row, key = np.zeros(len(start), np.int64), np.zeros(lookup.words.shape[1], np.int64)
    sums = np.zeros((3, int(truth.answers.plies.max()) + 2, 5))
    reference = Reference(lookup, *exact[1:6], rewards, row, key, sums)
    for table, visits in enumerate(entries.visits):
        compare(truth.game, start, entries, table, np.flatnonzero(visits.any(axis=1)), reference)
    return _grouped(reference.sums)


def _grouped(sums: Sums) -> Errors:
    result, plies = np.nonzero(sums[:, :, ENTRIES] + sums[:, :, DECISIONS])
    some = sums[result, plies]
    return Errors(
        [RESULTS[number] for number in result.tolist()],
        [None if at == sums.shape[1] - 1 else at for at in plies.tolist()],
        some[:, ENTRIES].astype(int).tolist(),
        (some[:, ERROR] / np.maximum(some[:, ENTRIES], 1)).round(6).tolist(),
        some[:, LARGEST].round(6).tolist(),
        some[:, DECISIONS].astype(int).tolist(),
        some[:, OPTIMAL].round(6).tolist(),
    )


@kernel(work=lambda game, like, entries, table, numbers, reference: 100 * len(numbers))
def compare(game: Any, like: Any, entries: Entries, table: int, numbers: Row, reference: Reference) -> None:
    """Add the errors of these positions of a table to the sums of their groups."""
    entries, reference = borrowed(entries), borrowed(reference)
    for number in numbers:
        for way in range(ways(game, entries)):
            pos = stored_position(game, like, entries, table, number, way, reference.row)
            symmetry = way if entries.symmetric else 0
            image = transform(game, pos, symmetry)
            place = find(reference.lookup, game, image, reference.row, reference.key)
            if place != NOT_FOUND:
                entry = Entry(pos, symmetry, place, entries.values[table, number], entries.visits[table, number])
                add_errors(game, entry, reference)
                break


@helper
def ways(game: Any, entries: Entries) -> int:
    """The number of positions that share one entry; the solution lists at least one of them."""
    if entries.symmetric:
        return symmetries(game)
    return 2 if entries.by == SEATED and len(entries.values) == 1 else 1


@helper
def stored_position(game: Any, like: Any, entries: Entries, table: int, number: int, way: int, row: Row) -> Any:
    """The position of an entry; where both players share a table, that of the player `way`."""
    if entries.by == HASHED:
        return unpack(like, entries.rows[table, number])
    if entries.by == SEATED:
        pack(seat_position_at(game, way if len(entries.values) == 1 else table, number), row)
    else:
        pack(position_at(game, number), row)
    return unpack(like, row)


@helper
def add_errors(game: Any, entry: Entry, reference: Reference) -> None:
    """Add the error of each action value that was updated, and the decision.

    Where actions differ in value, the share of the highest values that are optimal counts.
    """
    best, worst, top = -np.inf, np.inf, -np.inf
    length = optimal = ties = 0
    left: Mask = game.legal(entry.pos)
    while not is_empty(left):
        action = first(left)
        value = entry.values[action]
        own, later = value_after(game, entry, action, reference)
        if entry.visits[action]:
            add_error(abs(value - reward_for(reference.rewards, own, later)), group_of(reference.sums, own, later))
        if own > best:
            best, length, optimal = own, later, 0
        elif own == best:
            length = length_of_both(own, length, later)
        if value > top:
            top, optimal, ties = value, 0, 0
        ties += value == top
        optimal += value == top and own == best
        worst = min(worst, own)
        left = without_first(left)
    if best > worst:
        group = group_of(reference.sums, best, length)
        group[DECISIONS] += 1
        group[OPTIMAL] += optimal / ties


@helper
def add_error(error: float, group: Any) -> None:
    """Add the error of an action value to the sums of its group."""
    group[ENTRIES] += 1
    group[ERROR] += error
    group[LARGEST] = max(group[LARGEST], error)


@helper
def value_after(game: Any, entry: Entry, action: int, reference: Reference) -> tuple[float, int]:
    """The exact score of an action for the player who takes it, and the plies to the end after it."""
    edge = reference.first[entry.place]
    listed = stored_action(game, entry.pos, action, entry.symmetry)
    while reference.actions[edge] != listed:
        edge += 1
    score, plies = reference.score[edge], reference.plies[edge]
    own = score if reference.mover[entry.place] == 0 else -score
    return own, plies if plies == ENDLESS else plies - 1


@helper
def group_of(sums: Sums, own: float, plies: int) -> Any:
    """The sums of a score for the player and a number of plies; endless play comes last."""
    return sums[1 + sign(own), sums.shape[1] - 1 if plies == ENDLESS else plies]


@helper
def reward_for(rewards: Rewards, own: float, plies: int) -> float:
    """The discounted reward of a score for the player after some plies."""
    reward = own if rewards.margin else rewards.win if own > 0 else rewards.loss if own < 0 else rewards.draw
    if plies == ENDLESS:
        return reward if rewards.gamma == 1 else 0.0
    return reward * float(rewards.gamma ** (plies // 2))
