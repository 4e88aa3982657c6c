"""The evaluation of an agent in training: games against others, its grade, and the errors of its action values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.tabular import HASHED, SEATED, Entries, stored_action
from ludus.arena import Seats
from ludus.arena.match import Count, play_match
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import num_seat_positions, position_at, seat_position_at, symmetries, transform
from ludus.grading.grade import Standing, standing
from ludus.grading.guarantee import Guarantee
from ludus.learning.loop.plan import Graded, Plan
from ludus.solving.explore import explore
from ludus.solving.position_index import NOT_FOUND, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of
from ludus.solving.solver import solve, solve_explored
from ludus.solving.value import sign

_GRADED_UNASKED = 1_000_000  # positions
Line = dict[str, Any]


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
    cap = plan.cap or None
    match = play_match(game, agent, rival, plan.eval_games, seed=plan.seed, seats=Seats.ALTERNATE, cap=cap, threads=1)
    return {"first": _counted(match.first, match.cut[0]), "second": _counted(match.second, match.cut[1])}


def _counted(count: Count, cut: int) -> Line:
    """Games by how they ended; those that were cut are among the draws."""
    return {"wins": count.a_wins, "draws": count.draws, "losses": count.b_wins, "cut": cut}


def _to_json(graded: Standing) -> Line:
    guarantee = graded.guarantee and graded.guarantee._asdict()
    exploitability = graded.exploitability and graded.exploitability._asdict()
    return {
        "decisions": graded.all.decisions,
        "optimal": round(graded.all.optimal, 6),
        "own_play": {seat: [t.decisions, round(t.optimal, 6)] for seat, t in graded.own_play._asdict().items()},
        "guarantee": guarantee and {seat: _guaranteed(each) for seat, each in guarantee.items()},
        "exploitability": exploitability and {seat: round(each, 6) for seat, each in exploitability.items()},
    }


def _guaranteed(guarantee: Guarantee) -> Line:
    return {"result": guarantee.result, "score": round(guarantee.score, 6) + 0}  # + 0: never -0.0


def is_perfect(line: Line) -> bool:
    """Whether every decision was optimal."""
    grade = line.get("grade")
    return grade is not None and grade["optimal"] == grade["decisions"]


# ---- the error of action values ----

Sums = npt.NDArray[np.float64]
ENTRIES, ERROR, LARGEST, DECISIONS, OPTIMAL = range(5)  # the last axis of `sums`, after results and plies
RESULTS = ("loss", "draw", "win")


class Rewards(NamedTuple):
    """The rewards of results: the score with `margin`; `gamma` discounts each own move."""

    win: float
    loss: float
    draw: float
    margin: bool
    gamma: float


class Errors(NamedTuple):
    """Errors in groups: one entry of each list for a group.

    result: what perfect play makes of the action, for who takes it; plies: from the position after it to the end, None
    for a draw without one; entries: how many values were taught; mean, max: of their errors; decisions: positions met
    in which it matters what one does, by what a best action leads to; optimal: those whose highest value is a best
    action's, shared among equals.
    """

    result: list[str]
    plies: list[int | None]
    entries: list[int]
    mean: list[float]
    max: list[float]
    decisions: list[int]
    optimal: list[float]


def rewards_of(learner: Any) -> Rewards | None:
    """The rewards of a learner of action values; None of others, or if a game's shaping rewards are in its values."""
    if not getattr(learner, "keeps_action_values", False) or getattr(learner, "shaping", 0.0) != 0:
        return None
    return Rewards(learner.win, learner.loss, learner.draw, learner.margin, learner.gamma)


def has_errors(entries: Entries, truth: Solution) -> bool:
    """Whether the truth says what each value should be: not with chance, nor in one table for unlike seats."""
    for_both = entries.by == SEATED and len(entries.values) == 1
    sizes = [num_seat_positions(truth.game, player) for player in (0, 1)]
    return truth.gap is None and not (for_both and sizes[0] != sizes[1])


def errors(entries: Entries, truth: Solution, rewards: Rewards) -> Errors:
    """The error of every value that was taught, to six digits.

    A reward is discounted once for each own move on the way, counted as if the players took turns, so that the last of
    p plies leaves p // 2 of them. Endless play counts as a draw, or as 0 where gamma is below 1.
    """
    answers, start = truth.answers, truth.start
    sums = np.zeros((3, int(answers.plies.max()) + 2, 5))
    row, key = np.zeros(len(start), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    for table, visits in enumerate(entries.visits):
        numbers = np.flatnonzero(visits.any(axis=1))
        compare(truth.game, start, entries, answers, rewards, table, numbers, row, key, sums)
    return _grouped(sums)


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


@kernel
def compare(
    game: Any,
    like: Any,
    entries: Entries,
    answers: Answers,
    rewards: Rewards,
    table: int,
    numbers: Row,
    row: Row,
    key: Row,
    sums: Sums,
) -> None:
    """Add the errors of these positions of a table to the sums of their groups."""
    entries, answers, row, key, sums = (
        borrowed(entries), borrowed(answers), borrowed(row), borrowed(key), borrowed(sums),
    )  # fmt: skip
    for number in numbers:
        for way in range(ways(game, entries)):
            kept = kept_position(game, like, entries, table, number, way, row)
            symmetry = way if entries.symmetric else 0
            place = find(answers.lookup, game, transform(game, kept, symmetry), row, key)
            if place != NOT_FOUND:
                values, visits = entries.values[table, number], entries.visits[table, number]
                add_errors(game, kept, symmetry, values, visits, answers, rewards, row, key, sums)
                add_decision(game, kept, symmetry, values, answers, place, row, key, sums)
                break


@helper
def ways(game: Any, entries: Entries) -> int:
    """How many positions one entry stands for; the truth lists at least one of them."""
    if entries.symmetric:
        return symmetries(game)
    return 2 if entries.by == SEATED and len(entries.values) == 1 else 1


@helper
def kept_position(game: Any, like: Any, entries: Entries, table: int, number: int, way: int, row: Row) -> Any:
    """The position of an entry; where both players have one table, of the player `way`."""
    if entries.by == HASHED:
        return unpack(like, entries.rows[table, number])
    if entries.by == SEATED:
        pack(seat_position_at(game, way if len(entries.values) == 1 else table, number), row)
    else:
        pack(position_at(game, number), row)
    return unpack(like, row)


@helper
def add_errors(
    game: Any,
    kept: Any,
    symmetry: int,
    values: Any,
    visits: Any,
    answers: Answers,
    rewards: Rewards,
    row: Row,
    key: Row,
    sums: Sums,
) -> None:
    """Add the error of each action that was taught."""
    left: Mask = game.legal(kept)
    while not is_empty(left):
        action = first(left)
        if visits[action]:
            own, plies = truth_after(game, kept, action, symmetry, answers, row, key)
            error = abs(values[action] - reward_for(rewards, own, plies))
            group = group_of(sums, own, plies)
            group[ENTRIES] += 1
            group[ERROR] += error
            group[LARGEST] = max(group[LARGEST], error)
        left = without_first(left)


@helper
def add_decision(
    game: Any, kept: Any, symmetry: int, values: Any, answers: Answers, place: int, row: Row, key: Row, sums: Sums
) -> None:
    """Add the position, if it matters what one does there, and how many of the highest values are best actions'."""
    best, worst, top = -np.inf, np.inf, -np.inf
    optimal = ties = 0
    left: Mask = game.legal(kept)
    while not is_empty(left):
        action = first(left)
        own = truth_after(game, kept, action, symmetry, answers, row, key)[0]
        if own > best:
            best, optimal = own, 0
        if values[action] > top:
            top, optimal, ties = values[action], 0, 0
        ties += values[action] == top
        optimal += values[action] == top and own == best
        worst = min(worst, own)
        left = without_first(left)
    if best > worst:
        plies = answers.plies[place]
        group = group_of(sums, best, plies if plies == ENDLESS else plies - 1)
        group[DECISIONS] += 1
        group[OPTIMAL] += optimal / ties


@helper
def truth_after(
    game: Any, kept: Any, action: int, symmetry: int, answers: Answers, row: Row, key: Row
) -> tuple[float, int]:
    """The score of an action for who takes it, and the plies to the end after it."""
    pos = transform(game, kept, symmetry)
    after = game.play(pos, stored_action(game, kept, action, symmetry))
    place = find(answers.lookup, game, after, row, key)
    score = float(score_of(game, after, answers, place))
    return score if game.player(pos) == 0 else -score, int(answers.plies[place])


@helper
def group_of(sums: Sums, own: float, plies: int) -> Any:
    """The sums of a score for the player, so many plies later; what has no end comes last."""
    return sums[1 + sign(own), sums.shape[1] - 1 if plies == ENDLESS else plies]


@helper
def reward_for(rewards: Rewards, own: float, plies: int) -> float:
    """The discounted reward of a score for the player after some plies."""
    reward = own if rewards.margin else rewards.win if own > 0 else rewards.loss if own < 0 else rewards.draw
    if plies == ENDLESS:
        return reward if rewards.gamma == 1 else 0.0
    return reward * float(rewards.gamma ** (plies // 2))
