"""Proofs about the optional hooks, in plain Python, on a sample of positions."""

from __future__ import annotations

import math
from typing import Any

from ludus import game as contract
from ludus.checking.broken import Broken, ask, ask_whole_number, require
from ludus.checking.sample import Sample, check_position
from ludus.game import CHANCE
from ludus.masks import actions

_WORK = 40_000  # transforms tried per check of symmetries


def check_purity(game: Any, sample: Sample) -> None:
    """Asked again, in another order, every method gives the same answer."""
    advice = "compute from the position alone: no random numbers, no counters, no changing globals"

    def changed(method: str, pos: Any) -> Broken:
        return Broken(game, method, "gives another answer when asked again", advice, pos)

    for number, action, after in reversed(sample.transitions):
        pos = sample.positions[number]
        require(ask(game, "play", pos, action) == after, lambda pos=pos: changed("play", pos))  # type: ignore[misc]
    for pos, player, mask in zip(sample.positions, sample.players, sample.masks, strict=True):
        require(ask(game, "player", pos) == player, lambda pos=pos: changed("player", pos))  # type: ignore[misc]
        require(ask(game, "legal", pos) == mask, lambda pos=pos: changed("legal", pos))  # type: ignore[misc]
    require(ask(game, "start") == sample.positions[0], lambda: changed("start", None))
    for number in sample.ended:
        pos = sample.positions[number]
        same = ask(game, "score", pos) == ask(game, "score", pos)
        require(same, lambda pos=pos: changed("score", pos))  # type: ignore[misc]


def check_odds(game: Any, sample: Sample) -> None:
    """Where CHANCE moves, every legal action has a positive whole weight."""
    for pos, player, mask in zip(sample.positions, sample.players, sample.masks, strict=True):
        if player != CHANCE:
            continue
        if not contract.gives_odds(game):
            raise Broken(game, "odds", "is missing", "give def odds(self, pos, action): the weight of an action", pos)
        for action in actions(mask):
            weight = ask_whole_number(game, "odds", pos, action)
            if weight < 1:
                raise Broken(game, "odds", f"returns {weight} for action {action}", "return at least 1", pos)


def check_symmetries(game: Any, sample: Sample) -> None:
    """Transforming and then playing is playing and then transforming; the symmetries form a group."""
    count = contract.symmetries(game)
    require(
        isinstance(count, int) and count >= 1,
        lambda: Broken(game, "symmetries", f"is {count!r}", "give how many there are, the identity counted"),
    )
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
        for symmetry in range(count):
            _check_commutes(game, sample.positions[number], action, after, symmetry)


def _some(size: int, most: int) -> range:
    """At most so many numbers below `size`, evenly spread."""
    return range(0, size, size // most + 1)


def _check_group(game: Any, pos: Any, images: list[Any]) -> None:
    if images[0] != pos:
        raise Broken(game, "transform", "changes the position for symmetry 0", "let symmetry 0 be the identity", pos)
    for image in images:
        check_position(game, "transform", image, pos)
    orbit = set(images)
    for image in images:
        if {ask(game, "transform", image, symmetry) for symmetry in range(len(images))} != orbit:
            advice = "two symmetries in a row must be one of them, and each must have an inverse"
            raise Broken(game, "transform", "gives symmetries that are no group", advice, pos)


def _check_image(game: Any, sample: Sample, number: int, image: Any, symmetry: int) -> None:
    pos, player = sample.positions[number], sample.players[number]
    swapped = contract.swaps_players(game, symmetry) and player != CHANCE
    if ask(game, "player", image) != (1 - player if swapped else player):
        advice = "keep who moves, or give swaps_players"
        raise Broken(game, "transform", f"changes the player for symmetry {symmetry}", advice, pos)
    legal = {contract.transform_action(game, pos, action, symmetry) for action in actions(sample.masks[number])}
    if set(actions(ask(game, "legal", image))) != legal:
        how = f"sends the legal actions for symmetry {symmetry} to {sorted(legal)}, which are not the legal ones there"
        raise Broken(game, "transform_action", how, "map each action to the one that does the same there", pos)
    if not legal:
        sign = -1 if contract.swaps_players(game, symmetry) else 1
        if ask(game, "score", image) != sign * ask(game, "score", pos):
            advice = "keep the score, or give swaps_players to change its sign"
            raise Broken(game, "transform", f"changes the score for symmetry {symmetry}", advice, pos)


def _check_commutes(game: Any, pos: Any, action: int, after: Any, symmetry: int) -> None:
    image_action = contract.transform_action(game, pos, action, symmetry)
    played = ask(game, "play", contract.transform(game, pos, symmetry), image_action)
    if played != contract.transform(game, after, symmetry):
        how = f"does not commute with play for action {action} and symmetry {symmetry}"
        raise Broken(game, "transform", how, "transforming then playing must equal playing then transforming", pos)


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
                raise Broken(game, "with_mover", f"does not let {mover} move", "set who is to move", pos)
            if ask(game, "with_mover", other, player) != pos:
                raise Broken(game, "with_mover", "changes more than the mover", "keep the board as it is", pos)


def check_index(game: Any, sample: Sample) -> None:
    """Index is below num_positions, and position_at leads back."""
    if not contract.gives_index(game):
        return
    size = contract.num_positions(game)
    for pos in sample.positions:
        number = ask_whole_number(game, "index", pos)
        _check_number(game, "index", "num_positions", pos, number, size)
        if ask(game, "position_at", number) != pos:
            raise Broken(game, "position_at", f"does not lead back from index {number}", "make it the inverse", pos)
    for number in range(0, size, max(size // 1000, 1)):
        pos = ask(game, "position_at", number)
        if ask(game, "index", pos) != number:
            raise Broken(game, "index", f"is not {number}", "make it the inverse of position_at", pos)


def check_seat_index(game: Any, sample: Sample) -> None:
    """The same for the numbers that count one player's positions."""
    if not contract.gives_seat_index(game):
        return
    for pos, player in zip(sample.positions, sample.players, strict=True):
        number = ask_whole_number(game, "seat_index", pos)
        _check_number(game, "seat_index", "num_seat_positions", pos, number, game.num_seat_positions(player))
        if ask(game, "seat_position_at", player, number) != pos:
            how = f"does not lead back from index {number} of player {player}"
            raise Broken(game, "seat_position_at", how, "make it the inverse", pos)
    for player in (0, 1):
        size = game.num_seat_positions(player)
        for number in range(0, size, max(size // 1000, 1)):
            pos = ask(game, "seat_position_at", player, number)
            if ask(game, "seat_index", pos) != number:
                raise Broken(game, "seat_index", f"is not {number}", "make it the inverse of seat_position_at", pos)


def _check_number(game: Any, method: str, size_name: str, pos: Any, number: int, size: int) -> None:
    if not 0 <= number < size:
        advice = f"number positions 0 .. {size_name} - 1"
        raise Broken(game, method, f"returns {number}, but {size_name} is {size}", advice, pos)


def check_observation(game: Any, sample: Sample) -> None:
    """Observe fills an array of its shape with finite numbers."""
    if not contract.gives_observe(game):
        return
    import numpy as np

    shape = contract.observation_shape(game)
    if not (isinstance(shape, tuple) and shape and all(isinstance(size, int) and size > 0 for size in shape)):
        raise Broken(game, "observation_shape", f"is {shape!r}", "give a tuple of positive ints")
    for pos in sample.positions:
        out = np.zeros(shape, np.float32)
        ask(game, "observe", pos, out)
        if not np.isfinite(out).all():
            raise Broken(game, "observe", "writes numbers that are not finite", "write ordinary numbers", pos)
    if contract.viewpoint(game) not in list(contract.Viewpoint):
        raise Broken(game, "viewpoint", f"is {contract.viewpoint(game)!r}", "use Viewpoint.MOVER or Viewpoint.PLAYER_0")


def check_shaping(game: Any, sample: Sample) -> None:
    """The extra reward is a finite number; the cap on plies is a whole one."""
    cap = contract.max_plies(game)
    if not (isinstance(cap, int) and cap >= 0):
        raise Broken(game, "max_plies", f"is {cap!r}", "give a whole number of plies, 0 for no cap")
    if not contract.gives_shaping(game):
        return
    for pos in sample.positions:
        reward = ask(game, "shaping", pos)
        if not (isinstance(reward, (int, float)) and math.isfinite(reward)):
            raise Broken(game, "shaping", f"returns {reward!r}", "return a finite number", pos)
