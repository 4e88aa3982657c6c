"""What is measured of an agent in training: matches, its grade, and how far its table is from the truth."""

from __future__ import annotations

from typing import Any

from ludus.arena import Seats
from ludus.arena.match import Count, play_match
from ludus.errors import LudusError
from ludus.grading.grade import Standing, standing
from ludus.grading.guarantee import Guarantee
from ludus.learning.loop.plan import Graded, Plan
from ludus.learning.loop.value_errors import errors, has_errors, rewards_of
from ludus.solving.explore import explore
from ludus.solving.solution import Solution
from ludus.solving.solver import solve, solve_explored

_GRADED_UNASKED = 1_000_000  # positions


Line = dict[str, Any]


def truth_for(game: Any, plan: Plan) -> Solution | None:
    """The solution by which the plan wants the agent graded, None if it does not."""
    if plan.grade is Graded.NO:
        return None
    if plan.grade is Graded.YES:
        found = solve(game)
        if not isinstance(found, Solution):
            raise LudusError(f"{type(game).__name__} is too large to grade while it is learned: --grade no")
        return found
    explored = explore(game, game.start(), limit=_GRADED_UNASKED)
    return solve_explored(explored, game.start()) if explored.complete else None


def measured(agent: Any, rivals: dict[str, Any], learner: Any, game: Any, plan: Plan, truth: Solution | None) -> Line:
    """Results against other agents, the grade, and how far the learner's values are from the truth."""
    line: Line = {"against": {name: _results(agent, rival, game, plan) for name, rival in rivals.items()}}
    if truth is not None:
        line["grade"] = _told(standing(agent, truth))
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


def _told(graded: Standing) -> Line:
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
    told = line.get("grade")
    return told is not None and told["optimal"] == told["decisions"]
