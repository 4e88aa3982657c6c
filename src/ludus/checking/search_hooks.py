"""Proofs about the hooks that help a search: on a sample of positions, and by solving games that are small."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np

from ludus import game as contract
from ludus.checking.broken import Broken, ask, ask_whole_number
from ludus.checking.sample import Sample
from ludus.compiling import member
from ludus.game import CHANCE
from ludus.masks import actions

_PROVED = ("candidates", "bounds", "plies_left", "endgame_heaps")  # hooks whose promises are about perfect play


def check_search_hooks(game: Any, sample: Sample) -> None:
    """Candidates are legal actions, promise is a whole number, and what can be had at once is not excluded."""
    for number, action, after in sample.transitions:
        pos = sample.positions[number]
        chosen, legal = actions(ask(game, "candidates", pos)), actions(sample.masks[number])
        if not chosen or not set(chosen) <= set(legal):
            how = f"returns the actions {chosen}, while {legal} are legal"
            raise Broken(game, "candidates", how, "return legal actions, at least one while the game goes on", pos)
        ask_whole_number(game, "promise", pos, action)
        if not actions(ask(game, "legal", after)) and ask(game, "player", pos) in (0, 1):
            _check_end(game, pos, ask(game, "score", after) - ask(game, "banked", pos))


def _check_end(game: Any, pos: Any, score: int) -> None:
    """Bounds and plies allow for an end that the player to move can bring about."""
    side = 1 if ask(game, "player", pos) == 0 else -1
    bounds, (fewest, most) = ask(game, "bounds", pos), ask(game, "plies_left", pos)
    if side * score > max(side * bound for bound in bounds):
        advice = "return the least and the most that player 0 can score with perfect play, beyond what is banked"
        raise Broken(game, "bounds", f"returns {bounds[0]} and {bounds[1]} where {score} can be scored", advice, pos)
    if side * score > 0 and not fewest <= 1 <= most:
        advice = "return the fewest and the most plies until somebody wins"
        raise Broken(game, "plies_left", f"returns {fewest} and {most} where one ply can win", advice, pos)


def check_heaps(game: Any, sample: Sample) -> None:
    """The heaps make up the position without banked points, and do not grow in all."""
    if not contract.gives_endgames(game):
        return
    totals = [_check_sizes(game, pos) for pos in sample.positions]
    for number, action, after in sample.transitions:
        pos = sample.positions[number]
        if sum(_sizes(game, after)) > totals[number]:
            raise Broken(game, "endgame_heap", f"grows in all by action {action}", "count what is never added to", pos)
        _check_won(game, pos, ask(game, "banked", after) - ask(game, "banked", pos), totals[number])
    for number in sample.ended:
        pos = sample.positions[number]
        _check_won(game, pos, ask(game, "score", pos) - ask(game, "banked", pos), totals[number])


def _check_won(game: Any, pos: Any, points: int, total: int) -> None:
    if abs(points) > total:
        how = f"adds up to {total} where {abs(points)} can be won"
        raise Broken(game, "endgame_heap", how, "count everything that can still be won", pos)


def _check_sizes(game: Any, pos: Any) -> int:
    sizes = _sizes(game, pos)
    rest = ask(game, "unbanked", pos)
    made = ask(game, "endgame_position", np.array(sizes, np.int64))
    if made not in [ask(game, "transform", rest, symmetry) for symmetry in range(ask(game, "symmetries"))]:
        how = f"does not lead back from {sizes}"
        raise Broken(
            game, "endgame_position", how, "make the position of such heaps, up to symmetry, nothing banked", pos
        )
    return sum(sizes)


def _sizes(game: Any, pos: Any) -> list[int]:
    return [ask_whole_number(game, "endgame_heap", pos, number) for number in range(ask(game, "endgame_heaps"))]


# ---- what perfect play proves ----


class Worth(NamedTuple):
    """What perfect play makes of a position: the score for player 0, and the plies to the end."""

    score: int
    plies: int

    def rank(self, player: int, banks: bool) -> tuple[int, int]:
        """Sorts what a player can choose from, the best last; plies count where scores are not banked, but in draws."""
        own = self.score if player == 0 else -self.score
        return own, 0 if banks or own == 0 else -self.plies if own > 0 else self.plies


def check_by_solving(game: Any, sample: Sample) -> str:
    """Candidates hold a best action, and bounds, plies_left and heaps hold what perfect play makes of a position."""
    if not any(member(type(game), name) is not None for name in _PROVED):
        return ""
    if not sample.whole or CHANCE in sample.players:
        return "not proved: the game is too large, or left to chance"
    after = _successors(sample)
    try:
        order = list(TopologicalSorter({number: found.values() for number, found in after.items()}).static_order())
    except CycleError:
        return "not proved: play can come back to a position"
    worth: dict[int, Worth] = {}
    for number in order:
        if after[number]:
            worth[number] = _check_worth(game, sample, number, {a: worth[n] for a, n in after[number].items()})
        else:
            worth[number] = Worth(ask(game, "score", sample.positions[number]), 0)
    return ""


def _successors(sample: Sample) -> dict[int, dict[int, int]]:
    """For each position of a whole game the number of what follows each action."""
    numbers = {pos: number for number, pos in enumerate(sample.positions)}
    after: dict[int, dict[int, int]] = {number: {} for number in numbers.values()}
    for number, action, pos in sample.transitions:
        after[number][action] = numbers[pos]
    return after


def _check_worth(game: Any, sample: Sample, number: int, found: dict[int, Worth]) -> Worth:
    """The worth of a position by that of its actions; raises Broken where a hook says otherwise."""
    pos, player, banks = sample.positions[number], sample.players[number], contract.gives_banked(game)
    ranks = {action: worth.rank(player, banks) for action, worth in found.items()}
    best = [action for action, rank in ranks.items() if rank == max(ranks.values())]
    rest = ask(game, "unbanked", pos)
    chosen = actions(ask(game, "candidates", rest))
    if not set(chosen) & set(best):
        advice = "let a best action be among them, counting plies where scores are not banked"
        raise Broken(game, "candidates", f"returns the actions {chosen}, while only {best} are best", advice, pos)
    worth = Worth(found[best[0]].score, found[best[0]].plies + 1)
    _check_bounds(game, rest, worth.score - ask(game, "banked", pos))
    if not banks and worth.score:
        _check_plies(game, pos, worth.plies)
    return worth


def _check_bounds(game: Any, pos: Any, points: int) -> None:
    low, high = ask(game, "bounds", pos)
    if not low <= points <= high:
        advice = "return the least and the most that player 0 can score with perfect play, beyond what is banked"
        raise Broken(game, "bounds", f"returns {low} and {high} where perfect play scores {points}", advice, pos)
    if contract.gives_endgames(game):
        _check_won(game, pos, points, sum(_sizes(game, pos)))


def _check_plies(game: Any, pos: Any, plies: int) -> None:
    fewest, most = ask(game, "plies_left", pos)
    if not fewest <= plies <= most:
        advice = "return the fewest and the most plies until somebody wins with perfect play"
        raise Broken(game, "plies_left", f"returns {fewest} and {most} where it takes {plies}", advice, pos)
