"""Crib sheets: positions with their actions that hold a result, whatever is played in all other positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ludus import catalog, face
from ludus.agents.perfect import truth_about
from ludus.compiled.masks import actions
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import first_player
from ludus.proving.certificate import least_score, prove_agent
from ludus.puzzles.region import Choice, Region, in_play, least_image, region_of, to_know
from ludus.puzzles.selection import MOST_NODES, Found, fewest, greedy
from ludus.solving.explore import explore
from ludus.solving.solution import Solution
from ludus.solving.value import Value

SECONDS = 60.0
SEATS = ("first", "second")
Progress = Callable[[str], None]


class Entry(NamedTuple):
    """A position to know by heart, and the actions to choose from."""

    position: Any
    actions: tuple[int, ...]
    ply: int  # the earliest at which it can arise
    holding: int  # legal actions that hold the result
    legal: int  # all legal actions


class Sheet(NamedTuple):
    """The positions that a player must know to guarantee a result, in the order in which they can arise."""

    game: Any
    player: int
    result: str  # win or draw
    entries: tuple[Entry, ...]
    positions: int  # that can arise, of either side to move
    method: str  # exact, cut off (the best found when time was up), greedy, or agent
    at_least: int | None  # a lower bound of the entries of every sheet, if one is known
    symmetric: bool  # whether an entry stands for all its images
    agent: str | None  # whose play it is, if an agent's


class _Plan(NamedTuple):
    """The kinds of positions that may follow those on the sheet; elsewhere any action will do."""

    game: Any
    player: int
    known: dict[Any, frozenset[Any]]
    symmetric: bool

    def kind(self, pos: Any) -> Any:
        """The least image of a position, if images are treated alike."""
        return least_image(self.game, pos) if self.symmetric else pos

    def actions(self, pos: Any) -> list[int]:
        """The actions that a position allows under the plan."""
        legal = actions(self.game.legal(pos))
        wanted = self.known.get(self.kind(pos)) if self.game.player(pos) == self.player else None
        if wanted is None:
            return legal
        return [action for action in legal if self.kind(self.game.play(pos, action)) in wanted]

    def named(self, pos: Any) -> tuple[int, ...]:
        """One action for each kind of position that may follow."""
        first: dict[Any, int] = {}
        for action in self.actions(pos):
            first.setdefault(self.kind(self.game.play(pos, action)), action)
        return tuple(first.values())


def crib(
    game: Any, seat: str | None = None, agent: Any = None, *, seconds: float = SECONDS, progress: Progress | None = None
) -> Sheet:
    """The smallest sheet for a seat, or that of an agent's own play; by default for the winner, in a draw for `first`.

    If `seconds` do not prove a sheet to be the smallest, as many go into a greedy one, and the better is returned.
    Raises LudusError if the seat loses, the agent does not hold the result, or the game is too large.
    """
    on_progress = progress or (lambda stage: None)
    on_progress("solving")
    solution = truth_about(game, game.start())
    if not isinstance(solution, Solution):
        raise LudusError(f"{catalog.name_of(game)} is too large to enumerate, so that it has no crib sheets")
    if solution.gap is not None:
        raise LudusError("there are no crib sheets in a game of chance: nothing holds a result against all luck")
    value, player = solution.value(solution.start), first_player(game)
    if seat not in (None, *SEATS):
        raise LudusError(f"seat must be {' or '.join(SEATS)}, not {seat!r}")
    if seat == "second":
        player = 1 - player
    elif seat is None and value.score != 0:
        player = int(value.score < 0)
    result = value.outcome(player)
    if result == "loss":
        who = face.players(game)[player]
        raise LudusError(f"{catalog.name_of(game)} is lost for {who}: there is no result to hold in that seat")
    if agent is not None:
        on_progress("asking the agent")
        plan, method, at_least = _plan_of_agent(game, player, result, agent), "agent", None
    else:
        on_progress("choosing")
        plan, method, at_least = _smallest_plan(solution, player, seconds)
    on_progress("proving")
    entries, positions = _written(solution, plan, result)
    name = None if agent is None else catalog.name_of(agent)
    return Sheet(game, player, result, entries, positions, method, at_least, plan.symmetric, name)


# ---- the smallest ----


def _smallest_plan(solution: Solution, player: int, seconds: float) -> tuple[_Plan, str, int | None]:
    """The plan with the fewest positions, or the best found; its method; and a proven lower bound."""
    game = solution.game
    explored = explore(game, solution.start, limit=len(solution))
    region = region_of(explored, solution, player)
    choice, method, at_least = _chosen(region, seconds)

    def kind(number: int) -> Any:
        return least_image(game, unpack(solution.start, explored.positions[number]))

    known = {}
    for node in in_play(region, choice):
        leads_to = region.options[node][choice[node]].leads_to
        if leads_to is not None:
            known[kind(region.positions[node])] = frozenset([kind(leads_to)])
    return _Plan(game, player, known, True), method, at_least


def _chosen(region: Region, seconds: float) -> tuple[Choice, str, int | None]:
    """The best choice, its method, and a proven lower bound of the positions to know."""
    if not region.options:
        return [], "exact", 0
    found = fewest(region, seconds) if len(region.options) <= MOST_NODES else Found(None, 0)
    if found.choice is not None and to_know(region, found.choice) == found.at_least:
        return found.choice, "exact", found.at_least
    choice = greedy(region, seconds)
    if found.choice is not None and to_know(region, found.choice) <= to_know(region, choice):
        return found.choice, "cut off", found.at_least or None
    method = "exact" if to_know(region, choice) == found.at_least else "greedy"
    return choice, method, found.at_least or None


# ---- an agent's own ----


def _plan_of_agent(game: Any, player: int, result: str, agent: Any) -> _Plan:
    """The play of an agent in the positions that can arise, up to symmetry if it treats images alike."""
    (strategy,) = prove_agent(game, agent, player).strategies
    guarantee = Value(strategy.at_least).outcome(0)
    if guarantee != result:
        raise LudusError(
            f"{catalog.name_of(agent)} guarantees no more than a {guarantee} as {face.players(game)[player]},"
            f" who can guarantee a {result}"
        )
    alike = _Plan(game, player, {}, True)
    kinds: dict[Any, set[frozenset[Any]]] = {}
    for pos, taken in strategy.answers.items():
        kinds.setdefault(alike.kind(pos), set()).add(_leads_to(alike, pos, taken))
    plan = alike._replace(symmetric=all(len(several) == 1 for several in kinds.values()))
    for pos, taken in strategy.answers.items():
        leads_to = _leads_to(plan, pos, taken)
        if leads_to != _leads_to(plan, pos, actions(game.legal(pos))):
            plan.known[plan.kind(pos)] = leads_to
    return plan


def _leads_to(plan: _Plan, pos: Any, taken: list[int]) -> frozenset[Any]:
    """The kinds of positions that may follow."""
    return frozenset(plan.kind(plan.game.play(pos, action)) for action in taken)


# ---- written down ----


def _written(solution: Solution, plan: _Plan, result: str) -> tuple[tuple[Entry, ...], int]:
    """The entries in the order in which they can arise, and the number of positions; proves that the plan holds."""
    game, start = plan.game, solution.start
    plies, queue, leads_to = {start: 0}, [start], {}
    for pos in queue:
        leads_to[pos] = [game.play(pos, action) for action in plan.actions(pos)]
        for after in leads_to[pos]:
            if after not in plies:
                plies[after] = plies[pos] + 1
                queue.append(after)
    if Value(least_score(game, plan.player, leads_to)).outcome(0) != result:
        raise LudusError(f"the solution is wrong: the sheet does not guarantee a {result}")
    first: dict[Any, Any] = {}
    for pos in queue:
        if game.player(pos) == plan.player and (kind := plan.kind(pos)) in plan.known:
            first.setdefault(kind, pos)
    entries = []
    for pos in first.values():
        outcomes = [value.outcome(plan.player) for value in solution.actions(pos).values()]
        holding = sum(outcome in (result, "win") for outcome in outcomes)
        entries.append(Entry(pos, plan.named(pos), plies[pos], holding, len(outcomes)))
    return tuple(entries), len(queue)
