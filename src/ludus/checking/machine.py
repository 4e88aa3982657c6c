"""Compiled and plain answers side by side: each kernel here runs both ways over the same sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import game as contract
from ludus.checking.broken import Broken
from ludus.checking.explain import explain
from ludus.checking.sample import Sample
from ludus.compiling import Kernel, jit_disabled, kernel
from ludus.game import (
    CHANCE,
    banked,
    index,
    max_plies,
    num_actions,
    observe,
    odds,
    position_at,
    seat_index,
    seat_position_at,
    shaping,
    swaps_players,
    symmetries,
    transform,
    transform_action,
    unbanked,
    with_mover,
)
from ludus.masks import is_empty, store, words
from ludus.rows import Row, pack, unpack

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[Any]

_MOST = 20_000  # answers compared per hook


class Asked(NamedTuple):
    """The sample as arrays: positions as rows, and (row, action) for each transition."""

    like: Any
    rows: Row
    steps: Ints


def _asked(sample: Sample, most: int) -> Asked:
    like = sample.positions[0]
    rows = np.array([list(pos) for pos in sample.positions], np.int64)
    steps = np.array([(number, action) for number, action, _ in sample.transitions], np.int64).reshape(-1, 2)
    return Asked(like, rows[:: len(rows) // most + 1], steps[:: len(steps) // most + 1])


# ---- the rules ----


@kernel
def answer_rules(
    game: Any, like: Any, rows: Row, steps: Ints, start: Row, player: Ints, legal: Ints, score: Ints, play: Row
) -> None:
    """What the five methods say of each row, and of each step from a row."""
    pack(game.start(), start[0])
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        player[i] = game.player(pos)
        mask = game.legal(pos)
        store(mask, legal[i])
        if is_empty(mask):
            score[i] = game.score(pos)
    for t in range(len(steps)):
        pack(game.play(unpack(like, rows[steps[t, 0]]), int(steps[t, 1])), play[t])


def check_rules(game: Any, sample: Sample) -> None:
    """The five methods compile, and say the same as in plain Python."""
    like, rows, steps = _asked(sample, len(sample.transitions) + len(sample.positions))
    size, width, n = len(like), len(words(sample.masks[0])), len(rows)
    answers = {
        "start": np.zeros((1, size), np.int64),
        "player": np.zeros(n, np.int64),
        "legal": np.zeros((n, width), np.int64),
        "score": np.zeros(n, np.int64),
        "play": np.zeros((len(steps), size), np.int64),
    }
    where = {"play": rows[steps[:, 0]]}
    _compare(game, answer_rules, (game, like, rows, steps), answers, Asked(like, rows, steps), where)


# ---- the hooks ----


@kernel
def answer_symmetries(game: Any, like: Any, rows: Row, steps: Ints, images: Row, moved: Ints, swaps: Ints) -> None:
    """Transforms of rows and actions."""
    for s in range(symmetries(game)):
        swaps[s] = swaps_players(game, s)
        for i in range(len(rows)):
            pack(transform(game, unpack(like, rows[i]), s), images[i, s])
        for t in range(len(steps)):
            moved[t, s] = transform_action(game, unpack(like, rows[steps[t, 0]]), int(steps[t, 1]), s)


@kernel
def answer_banked(game: Any, like: Any, rows: Row, points: Ints, rests: Row) -> None:
    """Banked points, and what is left without them."""
    for i in range(len(rows)):
        points[i] = banked(game, unpack(like, rows[i]))
        pack(unbanked(game, unpack(like, rows[i])), rests[i])


@kernel
def answer_index(game: Any, like: Any, rows: Row, numbers: Ints, back: Row) -> None:
    """Indices, and the positions of these indices."""
    for i in range(len(rows)):
        numbers[i] = index(game, unpack(like, rows[i]))
        pack(position_at(game, int(numbers[i])), back[i])


@kernel
def answer_seat_index(game: Any, like: Any, rows: Row, numbers: Ints, back: Row) -> None:
    """Indices by seat, and the positions of these indices."""
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        numbers[i] = seat_index(game, pos)
        pack(seat_position_at(game, game.player(pos), int(numbers[i])), back[i])


@kernel
def answer_observe(game: Any, like: Any, rows: Row, seen: Floats) -> None:
    """Observations."""
    for i in range(len(rows)):
        observe(game, unpack(like, rows[i]), seen[i])


@kernel
def answer_with_mover(game: Any, like: Any, rows: Row, others: Row) -> None:
    """Each row with either player to move."""
    for i in range(len(rows)):
        for player in range(2):
            pack(with_mover(game, unpack(like, rows[i]), player), others[i, player])


@kernel
def answer_shaping(game: Any, like: Any, rows: Row, rewards: Floats) -> None:
    """Extra rewards."""
    for i in range(len(rows)):
        rewards[i] = shaping(game, unpack(like, rows[i]))


@kernel
def answer_odds(game: Any, like: Any, rows: Row, steps: Ints, weights: Ints) -> None:
    """The weights of CHANCE's actions."""
    for t in range(len(steps)):
        pos = unpack(like, rows[steps[t, 0]])
        if game.player(pos) == CHANCE:
            weights[t] = odds(game, pos, int(steps[t, 1]))


@kernel
def answer_constants(game: Any, numbers: Ints) -> None:
    """The hooks that depend on the game alone."""
    numbers[0] = num_actions(game)
    numbers[1] = max_plies(game)
    numbers[2] = symmetries(game)


# (whether a game gives them, the kernel that asks, how each answer about one position is shaped, in what numbers)
_HOOKS: tuple[tuple[Any, Kernel[..., None], Any, Any], ...] = (
    (contract.gives_banked, answer_banked, lambda game, size: {"banked": (), "unbanked": (size,)}, np.int64),
    (contract.gives_index, answer_index, lambda game, size: {"index": (), "position_at": (size,)}, np.int64),
    (
        contract.gives_seat_index,
        answer_seat_index,
        lambda game, size: {"seat_index": (), "seat_position_at": (size,)},
        np.int64,
    ),
    (contract.gives_with_mover, answer_with_mover, lambda game, size: {"with_mover": (2, size)}, np.int64),
    (contract.gives_observe, answer_observe, lambda game, size: {"observe": game.observation_shape}, np.float32),
    (contract.gives_shaping, answer_shaping, lambda game, size: {"shaping": ()}, np.float64),
)


def check_hooks(game: Any, sample: Sample) -> None:
    """The hooks that a game gives compile, and say the same as in plain Python."""
    asked = _asked(sample, _MOST)
    n, size = asked.rows.shape
    _compare(game, answer_constants, (game,), {"num_actions": np.zeros(3, np.int64)}, asked)
    for gives, function, shapes, numbers in _HOOKS:
        if gives(game):
            answers = {method: np.zeros((n, *shape), numbers) for method, shape in shapes(game, size).items()}
            _compare(game, function, (game, asked.like, asked.rows), answers, asked)
    everything = _asked(sample, len(sample.transitions) + len(sample.positions))
    if contract.gives_odds(game):
        weights = {"odds": np.zeros(len(everything.steps), np.int64)}
        _compare(game, answer_odds, (game, *everything), weights, everything)
    if contract.symmetries(game) > 1:
        _check_symmetries(game, everything)


def _check_symmetries(game: Any, everything: Asked) -> None:
    count, size = contract.symmetries(game), everything.rows.shape[1]
    asked = everything._replace(steps=everything.steps[:: len(everything.steps) * count // _MOST + 1])
    answers = {
        "transform": np.zeros((len(asked.rows), count, size), np.int64),
        "transform_action": np.zeros((len(asked.steps), count), np.int64),
        "swaps_players": np.zeros(count, np.int64),
    }
    _compare(game, answer_symmetries, (game, *asked), answers, asked)


# ---- comparing ----


def _compare(
    game: Any,
    function: Kernel[..., None],
    inputs: tuple[Any, ...],
    answers: dict[str, npt.NDArray[Any]],
    asked: Asked,
    where: dict[str, Row] | None = None,
) -> None:
    """Let the kernel answer both ways, the methods named by the keys; raise at the first difference."""
    if jit_disabled():
        return
    plain = {method: answer.copy() for method, answer in answers.items()}
    function.plain(*inputs, *plain.values())
    try:
        function(*inputs, *answers.values())
    except Exception as error:  # Numba raises many kinds
        raise explain(game, tuple(answers), error) from error
    for method, answer in answers.items():
        different = np.argwhere(answer != plain[method])
        if len(different):
            rows = (where or {}).get(method, asked.rows)
            raise _difference(game, method, different[0], answer, plain[method], rows, asked.like)


def _difference(game: Any, method: str, at: Any, compiled: Any, plain: Any, rows: Row, like: Any) -> Broken:
    row = rows[at[0]] if at[0] < len(rows) else rows[0]
    pos = type(like)(*(int(field) for field in row))
    how = f"gives {compiled[tuple(at)]} when compiled and {plain[tuple(at)]} in plain Python"
    advice = "keep within 63 bits, and read no global that changes: compiled code takes globals as constants"
    return Broken(game, method, how, advice, pos)
