"""Proofs about the optional hooks, in plain Python, on a sample of positions."""

from __future__ import annotations

import math
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np

from ludus import game as contract
from ludus.checking.plain import Broken, Sample, ask, ask_whole_number, check_position, require_whole_number
from ludus.compiled.compiling import member
from ludus.compiled.masks import actions
from ludus.game import CHANCE

MOST_ODDS = 1 << 31  # the most that compiled code can draw from
_WORK = 40_000  # transforms tried per check of symmetries
_ASKED_OFTEN = 5  # positions that are asked about so often
_MOST_INPUTS = 1 << 20  # numbers of an observation


def check_purity(game: Any, sample: Sample) -> None:
    """Called again in another order, and several times in a row, every method returns the same."""
    for pos, mask in zip(sample.positions[:_ASKED_OFTEN], sample.masks, strict=False):
        for _ in range(_ASKED_OFTEN):
            _ask_again(game, "legal", mask, pos)
    for number, action, after in reversed(sample.transitions):
        _ask_again(game, "play", after, sample.positions[number], action)
    for pos, player, mask in zip(sample.positions, sample.players, sample.masks, strict=True):
        _ask_again(game, "player", player, pos)
        _ask_again(game, "legal", mask, pos)
    _ask_again(game, "start", sample.positions[0])
    for count, number in enumerate(sample.ended):
        pos = sample.positions[number]
        score = ask(game, "score", pos)
        for _ in range(_ASKED_OFTEN if count < _ASKED_OFTEN else 1):
            _ask_again(game, "score", score, pos)


def _ask_again(game: Any, method: str, answer: Any, *args: Any) -> None:
    """Raise unless the method still returns this answer."""
    if ask(game, method, *args) != answer:
        advice = "compute from the position alone: no random numbers, no counters, no changing globals"
        raise Broken(game, method, "gives another answer when asked again", advice, args[0] if args else None)


def check_odds(game: Any, sample: Sample) -> None:
    """Where CHANCE moves, every legal action has a positive whole weight."""
    for pos, player, mask in zip(sample.positions, sample.players, sample.masks, strict=True):
        if player != CHANCE:
            continue
        if not contract.gives_odds(game):
            raise Broken(game, "odds", "is missing", "give def odds(self, pos, action): the weight of an action", pos)
        total = 0
        for action in actions(mask):
            weight = ask_whole_number(game, "odds", pos, action)
            if weight < 1:
                raise Broken(game, "odds", f"returns {weight} for action {action}", "return at least 1", pos)
            total += weight
        if total > MOST_ODDS:
            raise Broken(game, "odds", f"sums up to {total}", f"keep the sum of all weights up to {MOST_ODDS}", pos)


def check_symmetries(game: Any, sample: Sample) -> None:
    """Transforming and then playing is playing and then transforming; the symmetries form a group."""
    count = ask(game, "symmetries")
    if count == 1:
        return
    for number in _some(len(sample.positions), _WORK // count**2):
        pos = sample.positions[number]
        images = [ask(game, "transform", pos, symmetry) for symmetry in range(count)]
        _check_group(game, pos, images)
        for symmetry, image in enumerate(images):
            _check_image(game, sample, number, image, symmetry)
    for step in _some(len(sample.transitions), _WORK // count):
        number, action, after = sample.transitions[step]
        pos = sample.positions[number]
        for symmetry in range(count):
            image = ask(game, "transform", pos, symmetry)
            image_action = ask(game, "transform_action", pos, action, symmetry)
            if ask(game, "play", image, image_action) != ask(game, "transform", after, symmetry):
                how = f"does not commute with play for action {action} and symmetry {symmetry}"
                advice = "transforming then playing must equal playing then transforming"
                raise Broken(game, "transform", how, advice, pos)


def _some(size: int, most: int) -> range:
    """About so many numbers below `size`, at least one, evenly spread."""
    return range(0, size, size // max(most, 1) + 1)


def _check_group(game: Any, pos: Any, images: list[Any]) -> None:
    if images[0] != pos:
        raise Broken(game, "transform", "changes the position for symmetry 0", "let symmetry 0 be the identity", pos)
    for image in images:
        check_position(game, "transform", image, pos)
    orbit = set(images)
    for number in _some(len(images), _WORK // len(images)):
        if {ask(game, "transform", images[number], symmetry) for symmetry in range(len(images))} != orbit:
            advice = "two symmetries in a row must be one of them, and each must have an inverse"
            raise Broken(game, "transform", "gives symmetries that are no group", advice, pos)


def _check_image(game: Any, sample: Sample, number: int, image: Any, symmetry: int) -> None:
    pos, player = sample.positions[number], sample.players[number]
    swaps = ask(game, "swaps_players", symmetry)
    swapped = swaps and player != CHANCE
    if ask(game, "player", image) != (1 - player if swapped else player):
        advice = "keep the side to move, or give swaps_players"
        raise Broken(game, "transform", f"changes the player for symmetry {symmetry}", advice, pos)
    legal = {
        ask_whole_number(game, "transform_action", pos, action, symmetry) for action in actions(sample.masks[number])
    }
    if set(actions(ask(game, "legal", image))) != legal:
        how = f"sends the legal actions for symmetry {symmetry} to {sorted(legal)}, which are not the legal ones there"
        raise Broken(game, "transform_action", how, "map each action to the one that does the same there", pos)
    if not legal:
        sign = -1 if swaps else 1
        if ask(game, "score", image) != sign * ask(game, "score", pos):
            advice = "keep the score, or give swaps_players to change its sign"
            raise Broken(game, "transform", f"changes the score for symmetry {symmetry}", advice, pos)


def check_banked(game: Any, sample: Sample) -> None:
    """The score of a position is its banked points and the score of what is left."""
    if not contract.gives_banked(game):
        return
    for number, pos in enumerate(sample.positions):
        _check_bank(game, sample, number, pos)
    for number, action, after in sample.transitions:
        pos = sample.positions[number]
        rest = ask(game, "play", ask(game, "unbanked", pos), action)
        gained = ask(game, "banked", after) - ask(game, "banked", pos)
        if ask(game, "banked", rest) != gained or ask(game, "unbanked", rest) != ask(game, "unbanked", after):
            how = f"and unbanked depend on points banked before action {action}"
            raise Broken(game, "banked", how, "play must not look at banked points", pos)


def _check_bank(game: Any, sample: Sample, number: int, pos: Any) -> None:
    points = ask_whole_number(game, "banked", pos)
    rest = ask(game, "unbanked", pos)
    check_position(game, "unbanked", rest, pos)
    if ask(game, "banked", rest) != 0:
        raise Broken(game, "unbanked", "leaves points banked", "return the position with 0 banked points", pos)
    if (ask(game, "player", rest), ask(game, "legal", rest)) != (sample.players[number], sample.masks[number]):
        raise Broken(game, "unbanked", "changes the player or the legal actions", "take away points only", pos)
    if not actions(sample.masks[number]) and ask(game, "score", pos) != points + ask(game, "score", rest):
        how = f"is {points} where the score is {ask(game, 'score', pos)}"
        raise Broken(game, "banked", how, "score(pos) must be banked(pos) + score(unbanked(pos))", pos)


def check_with_mover(game: Any, sample: Sample) -> None:
    """with_mover makes the given player the mover and loses nothing else."""
    if not contract.gives_with_mover(game):
        return
    for pos, player in zip(sample.positions, sample.players, strict=True):
        for mover in (0, 1):
            other = ask(game, "with_mover", pos, mover)
            check_position(game, "with_mover", other, pos)
            if ask(game, "player", other) != mover:
                raise Broken(game, "with_mover", f"does not let {mover} move", "set the side to move", pos)
            if ask(game, "with_mover", other, player) != pos:
                raise Broken(game, "with_mover", "changes more than the mover", "keep the board as it is", pos)
        if player != CHANCE and ask(game, "with_mover", pos, player) != pos:
            how = f"changes a position in which {player} moves already"
            raise Broken(game, "with_mover", how, "return pos itself then", pos)


def check_index(game: Any, sample: Sample) -> None:
    """Index is below num_positions, and position_at leads back."""
    if contract.gives_index(game):
        size = ask(game, "num_positions")
        for pos in sample.positions:
            _check_number(game, "index", "position_at", pos, (), size)
        _check_inverse(game, "index", "position_at", (), size)


def check_tier(game: Any, sample: Sample) -> None:
    """Tiers never grow along play, are the same for all images, and never fall from an index to a larger one."""
    if not contract.gives_tier(game):
        return
    tiers = [ask_whole_number(game, "tier", pos) for pos in sample.positions]
    for number, action, after in sample.transitions:
        reached = ask_whole_number(game, "tier", after)
        if reached > tiers[number]:
            how = f"grows from {tiers[number]} to {reached} by action {action}"
            advice = "give a number that no action makes larger, such as pieces left"
            raise Broken(game, "tier", how, advice, sample.positions[number])
    count = ask(game, "symmetries")
    for number in _some(len(sample.positions), _WORK // count):
        pos = sample.positions[number]
        images = {ask_whole_number(game, "tier", ask(game, "transform", pos, symmetry)) for symmetry in range(count)}
        if len(images) > 1:
            raise Broken(game, "tier", f"is one of {sorted(images)} by symmetry", "give all images one tier", pos)
    if contract.gives_index(game):
        _check_order_of_tiers(game)


def _check_order_of_tiers(game: Any) -> None:
    size, latest = ask(game, "num_positions"), None
    for number in range(0, size, max(size // 1000, 1)):
        pos = ask(game, "position_at", number)
        tier = ask_whole_number(game, "tier", pos)
        if latest is not None and tier < latest:
            how = f"falls from {latest} to {tier} where the index rises to {number}"
            raise Broken(game, "tier", how, "let a larger index never have a smaller tier", pos)
        latest = tier


def check_seat_index(game: Any, sample: Sample) -> None:
    """The same for the indices of one player's positions."""
    if contract.gives_seat_index(game):
        sizes = {player: ask_whole_number(game, "num_seat_positions", player) for player in {0, 1, *sample.players}}
        for pos, player in zip(sample.positions, sample.players, strict=True):
            _check_number(game, "seat_index", "seat_position_at", pos, (player,), sizes[player])
        for player in (0, 1):
            _check_inverse(game, "seat_index", "seat_position_at", (player,), sizes[player])


def _check_number(game: Any, index: str, inverse: str, pos: Any, seat: tuple[int, ...], size: int) -> None:
    """The index of a position is in range and leads back to it; `seat` holds the player where it counts."""
    number, size_name = ask_whole_number(game, index, pos), "num_seat_positions" if seat else "num_positions"
    if not 0 <= number < size:
        advice = f"number positions 0 .. {size_name} - 1"
        raise Broken(game, index, f"returns {number}, but {size_name} is {size}", advice, pos)
    if ask(game, inverse, *seat, number) != pos:
        how = f"does not lead back from index {number}" + (f" of player {seat[0]}" if seat else "")
        raise Broken(game, inverse, how, "make it the inverse", pos)


def _check_inverse(game: Any, index: str, inverse: str, seat: tuple[int, ...], size: int) -> None:
    """Numbers evenly spread over the index lead to positions and back."""
    for number in range(0, size, max(size // 1000, 1)):
        pos = ask(game, inverse, *seat, number)
        if ask(game, index, pos) != number:
            raise Broken(game, index, f"is not {number}", f"make it the inverse of {inverse}", pos)


def check_observation(game: Any, sample: Sample) -> None:
    """Observe fills an array of its shape with finite numbers, not the same for all positions."""
    if not contract.gives_observe(game):
        return
    shape = ask(game, "observation_shape")
    if not (isinstance(shape, tuple) and shape and all(isinstance(size, int) and size > 0 for size in shape)):
        raise Broken(game, "observation_shape", f"is {shape!r}", "give a tuple of positive ints")
    if math.prod(shape) > _MOST_INPUTS:
        how = f"is {shape!r}, which makes {math.prod(shape):,} numbers"
        raise Broken(game, "observation_shape", how, f"observe a position by at most {_MOST_INPUTS:,}")
    first = _observe(game, sample.positions[0], shape)
    differ = [(_observe(game, pos, shape) != first).any() for pos in sample.positions]
    if len(differ) > 1 and not any(differ):
        advice = "write what distinguishes positions into the array `out`, as out[i] = ..."
        raise Broken(game, "observe", "writes the same for all positions", advice)
    if ask(game, "viewpoint") not in list(contract.Viewpoint):
        advice = "use Viewpoint.MOVER or Viewpoint.PLAYER_0"
        raise Broken(game, "viewpoint", f"is {ask(game, 'viewpoint')!r}", advice)


def _observe(game: Any, pos: Any, shape: tuple[int, ...]) -> Any:
    out = np.zeros(shape, np.float32)
    ask(game, "observe", pos, out)
    if not np.isfinite(out).all():
        raise Broken(game, "observe", "writes numbers that are not finite", "write ordinary numbers", pos)
    return out


def check_shaping(game: Any, sample: Sample) -> None:
    """The extra reward is a finite number."""
    if not contract.gives_shaping(game):
        return
    for pos in sample.positions:
        reward = ask(game, "shaping", pos)
        if not (isinstance(reward, (int, float)) and math.isfinite(reward)):
            raise Broken(game, "shaping", f"returns {reward!r}", "return a finite number", pos)


_BOUNDS = "return the least and the most that player 0 can score with perfect play, beyond what is banked"
_PROVED = ("candidates", "bounds", "plies_left", "endgame_heaps")  # hooks whose promises are about perfect play


def check_search_hooks(game: Any, sample: Sample) -> None:
    """Candidates are legal actions, promise is a whole number, and bounds allow an end in one ply."""
    for number, action, after in sample.transitions:
        pos = sample.positions[number]
        chosen, legal = actions(ask(game, "candidates", pos)), actions(sample.masks[number])
        if not chosen or not set(chosen) <= set(legal):
            how = f"returns the actions {chosen}, while {legal} are legal"
            raise Broken(game, "candidates", how, "return legal actions, at least one until the game ends", pos)
        ask_whole_number(game, "promise", pos, action)
        if not actions(ask(game, "legal", after)) and ask(game, "player", pos) in (0, 1):
            _check_end(game, pos, ask(game, "score", after) - ask(game, "banked", pos))


def _check_end(game: Any, pos: Any, score: int) -> None:
    """Bounds and plies allow an end that the side to move can reach in one ply."""
    side = 1 if ask(game, "player", pos) == 0 else -1
    (low, high), (fewest, most) = _two_numbers(game, "bounds", pos), _two_numbers(game, "plies_left", pos)
    if member(type(game), "bounds") is not None and side * score > max(side * low, side * high):
        raise Broken(game, "bounds", f"returns {low} and {high} where {score} can be scored", _BOUNDS, pos)
    if side * score > 0 and not fewest <= 1 <= most:
        advice = "return the fewest and the most plies until somebody wins"
        raise Broken(game, "plies_left", f"returns {fewest} and {most} where one ply can win", advice, pos)


def _two_numbers(game: Any, method: str, pos: Any) -> tuple[int, int]:
    """The two whole numbers that a hook returns."""
    pair = ask(game, method, pos)
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise Broken(game, method, f"returns {pair!r}", "return two whole numbers, the least and the most", pos)
    for number in pair:
        require_whole_number(game, method, number, pos)
    return pair


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
        advice = "make the position of such heaps, up to symmetry, nothing banked"
        raise Broken(game, "endgame_position", f"does not lead back from {sizes}", advice, pos)
    return sum(sizes)


def _sizes(game: Any, pos: Any) -> list[int]:
    return [ask_whole_number(game, "endgame_heap", pos, number) for number in range(ask(game, "endgame_heaps"))]


# ---- what perfect play proves ----


class Value(NamedTuple):
    """The value of a position: the score for player 0 and the plies to the end under perfect play."""

    score: int
    plies: int

    def rank(self, player: int, banks: bool) -> tuple[int, int]:
        """Sorts a player's choices, the best last; plies count where scores are not banked, except in draws."""
        own = self.score if player == 0 else -self.score
        return own, 0 if banks or own == 0 else -self.plies if own > 0 else self.plies


def check_by_solving(game: Any, sample: Sample) -> str:
    """Candidates hold an optimal action; bounds, plies_left and heaps agree with perfect play."""
    if not any(member(type(game), name) is not None for name in _PROVED):
        return ""
    if not sample.whole or CHANCE in sample.players:
        return "not proved: the game is too large, or has chance"
    numbers = {pos: number for number, pos in enumerate(sample.positions)}
    after: dict[int, dict[int, int]] = {number: {} for number in numbers.values()}  # by number and action
    for number, action, pos in sample.transitions:
        after[number][action] = numbers[pos]
    try:
        order = list(TopologicalSorter({number: found.values() for number, found in after.items()}).static_order())
    except CycleError:
        return "not proved: play can repeat a position"
    values: dict[int, Value] = {}
    for number in order:
        if after[number]:
            values[number] = _check_value(game, sample, number, {a: values[n] for a, n in after[number].items()})
        else:
            values[number] = Value(ask(game, "score", sample.positions[number]), 0)
    return ""


def _check_value(game: Any, sample: Sample, number: int, found: dict[int, Value]) -> Value:
    """The value of a position from its action values; raises Broken where a hook contradicts it."""
    pos, player, banks = sample.positions[number], sample.players[number], contract.gives_banked(game)
    ranks = {action: value.rank(player, banks) for action, value in found.items()}
    best = [action for action, rank in ranks.items() if rank == max(ranks.values())]
    rest = ask(game, "unbanked", pos)
    chosen = actions(ask(game, "candidates", rest))
    if not set(chosen) & set(best):
        advice = "let a best action be among them, counting plies where scores are not banked"
        raise Broken(game, "candidates", f"returns the actions {chosen}, while only {best} are best", advice, pos)
    value = Value(found[best[0]].score, found[best[0]].plies + 1)
    points, (low, high) = value.score - ask(game, "banked", pos), _two_numbers(game, "bounds", rest)
    if member(type(game), "bounds") is not None and not low <= points <= high:
        raise Broken(game, "bounds", f"returns {low} and {high} where perfect play scores {points}", _BOUNDS, rest)
    if contract.gives_endgames(game):
        _check_won(game, rest, points, sum(_sizes(game, rest)))
    fewest, most = _two_numbers(game, "plies_left", pos)
    if not banks and value.score and not fewest <= value.plies <= most:
        advice = "return the fewest and the most plies until somebody wins with perfect play"
        raise Broken(game, "plies_left", f"returns {fewest} and {most} where it takes {value.plies}", advice, pos)
    return value


_MOST = 300  # positions of play from one whose parts are proved
_PROVED_PARTS = 50  # positions whose parts are proved
Won = dict[tuple[tuple[Any, ...], int], bool]


def check_parts(game: Any, sample: Sample) -> None:
    """Each part is its own only part, and the sum of the parts has the outcome of the position."""
    if not contract.gives_parts(game):
        return
    proved = 0
    for pos in sample.positions:
        parts = tuple(ask(game, "part", pos, number) for number in range(ask_whole_number(game, "num_parts", pos)))
        for one in parts:
            check_position(game, "part", one, pos)
            if ask_whole_number(game, "num_parts", one) != 1 or ask(game, "part", one, 0) != one:
                raise Broken(game, "part", "gives what is not its own only part", "cut away all that is dead", pos)
        if proved < _PROVED_PARTS and _is_small(game, pos):
            proved += 1
            known: Won = {}
            for player in (0, 1):
                if _wins(game, (pos,), player, known) != _wins(game, parts, player, known):
                    how = f"makes a sum that player {player}, moving first, does not win as the position"
                    raise Broken(game, "part", how, "the sum of the parts must equal the position", pos)


def _is_small(game: Any, pos: Any) -> bool:
    """Whether moves of either side lead to few positions in all."""
    waiting, found = [pos], {pos}
    while waiting and len(found) <= _MOST:
        new = {after for player in (0, 1) for after in _after(game, waiting[-1], player)} - found
        waiting.pop()
        found |= new
        waiting += new
    return len(found) <= _MOST


def _after(game: Any, pos: Any, player: int) -> list[Any]:
    to_move = ask(game, "with_mover", pos, player)
    return [ask(game, "play", to_move, action) for action in actions(ask(game, "legal", to_move))]


def _wins(game: Any, parts: tuple[Any, ...], player: int, known: Won) -> bool:
    """Whether the player who moves first wins a sum under normal play."""
    if (parts, player) not in known:
        sums = [
            (*parts[:number], after, *parts[number + 1 :])
            for number, one in enumerate(parts)
            for after in _after(game, one, player)
        ]
        known[parts, player] = any(not _wins(game, after, 1 - player, known) for after in sums)
    return known[parts, player]
