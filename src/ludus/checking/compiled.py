"""What is asked of a game both ways: for each method a kernel that answers for a whole sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import game as contract
from ludus.checking.explain import explain
from ludus.checking.report import Broken, raised
from ludus.checking.sample import Sample
from ludus.compiled.compiling import Kernel, jit_disabled, kernel, member
from ludus.compiled.masks import is_empty, store, words
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import (
    CHANCE,
    banked,
    bounds,
    candidates,
    endgame_heap,
    endgame_heaps,
    endgame_position,
    index,
    max_plies,
    num_actions,
    num_parts,
    observe,
    odds,
    part,
    plies_left,
    position_at,
    promise,
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

Ints = npt.NDArray[np.int64]

Floats = npt.NDArray[Any]


# ---- the rules ----


@kernel
def answer_start(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The first position."""
    pack(game.start(), out[0])


@kernel
def answer_player(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """Who moves."""
    for i in range(len(rows)):
        out[i] = game.player(unpack(like, rows[i]))


@kernel
def answer_legal(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The words of the masks."""
    for i in range(len(rows)):
        store(game.legal(unpack(like, rows[i])), out[i])


@kernel
def answer_score(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The scores of those rows at which the game is over."""
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        if is_empty(game.legal(pos)):
            out[i] = game.score(pos)


@kernel
def answer_play(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """Where each step leads."""
    for t in range(len(steps)):
        pack(game.play(unpack(like, rows[steps[t, 0]]), int(steps[t, 1])), out[t])


# ---- the hooks ----


@kernel
def answer_num_actions(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """How many actions there are."""
    out[0] = num_actions(game)


@kernel
def answer_max_plies(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The cap on plies."""
    out[0] = max_plies(game)


@kernel
def answer_banked(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """Banked points."""
    for i in range(len(rows)):
        out[i] = banked(game, unpack(like, rows[i]))


@kernel
def answer_unbanked(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """What is left without banked points."""
    for i in range(len(rows)):
        pack(unbanked(game, unpack(like, rows[i])), out[i])


@kernel
def answer_index(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """Indices."""
    for i in range(len(rows)):
        out[i] = index(game, unpack(like, rows[i]))


@kernel
def answer_position_at(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The positions of the rows' indices."""
    for i in range(len(rows)):
        pack(position_at(game, index(game, unpack(like, rows[i]))), out[i])


@kernel
def answer_seat_index(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """Indices by seat."""
    for i in range(len(rows)):
        out[i] = seat_index(game, unpack(like, rows[i]))


@kernel
def answer_seat_position_at(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The positions of the rows' indices by seat."""
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        pack(seat_position_at(game, game.player(pos), seat_index(game, pos)), out[i])


@kernel
def answer_with_mover(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """Each row with either player to move."""
    for i in range(len(rows)):
        for player in range(2):
            pack(with_mover(game, unpack(like, rows[i]), player), out[i, player])


@kernel
def answer_num_parts(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """How many parts each row has."""
    for i in range(len(rows)):
        out[i] = num_parts(game, unpack(like, rows[i]))


@kernel
def answer_part(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The last part of each row that has one."""
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        if num_parts(game, pos) > 0:
            pack(part(game, pos, num_parts(game, pos) - 1), out[i])


@kernel
def answer_observe(game: Any, like: Any, rows: Row, steps: Ints, out: Floats) -> None:
    """Observations."""
    for i in range(len(rows)):
        observe(game, unpack(like, rows[i]), out[i])


@kernel
def answer_shaping(game: Any, like: Any, rows: Row, steps: Ints, out: Floats) -> None:
    """Extra rewards."""
    for i in range(len(rows)):
        out[i] = shaping(game, unpack(like, rows[i]))


@kernel
def answer_odds(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The weights of CHANCE's actions."""
    for t in range(len(steps)):
        pos = unpack(like, rows[steps[t, 0]])
        if game.player(pos) == CHANCE:
            out[t] = odds(game, pos, int(steps[t, 1]))


@kernel
def answer_symmetries(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """How many symmetries there are."""
    out[0] = symmetries(game)


@kernel
def answer_swaps_players(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """Which symmetries exchange the players."""
    for s in range(symmetries(game)):
        out[0, s] = swaps_players(game, s)


@kernel
def answer_transform(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The images of rows."""
    for i in range(len(rows)):
        for s in range(symmetries(game)):
            pack(transform(game, unpack(like, rows[i]), s), out[i, s])


@kernel
def answer_transform_action(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The images of actions."""
    for t in range(len(steps)):
        for s in range(symmetries(game)):
            out[t, s] = transform_action(game, unpack(like, rows[steps[t, 0]]), int(steps[t, 1]), s)


@kernel
def answer_candidates(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The actions that a search looks at."""
    for t in range(len(steps)):
        store(candidates(game, unpack(like, rows[steps[t, 0]])), out[t])


@kernel
def answer_promise(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """How good actions look."""
    for t in range(len(steps)):
        out[t] = promise(game, unpack(like, rows[steps[t, 0]]), int(steps[t, 1]))


@kernel
def answer_bounds(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """What can still be scored."""
    for t in range(len(steps)):
        out[t, 0], out[t, 1] = bounds(game, unpack(like, rows[steps[t, 0]]))


@kernel
def answer_plies_left(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """When somebody can have won."""
    for t in range(len(steps)):
        out[t, 0], out[t, 1] = plies_left(game, unpack(like, rows[steps[t, 0]]))


@kernel
def answer_endgame_heaps(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """How many heaps there are."""
    out[0] = endgame_heaps(game)


@kernel
def answer_endgame_heap(game: Any, like: Any, rows: Row, steps: Ints, out: Ints) -> None:
    """The sizes of the heaps."""
    for i in range(len(rows)):
        for number in range(endgame_heaps(game)):
            out[i, number] = endgame_heap(game, unpack(like, rows[i]), number)


@kernel
def answer_endgame_position(game: Any, like: Any, rows: Row, steps: Ints, out: Row) -> None:
    """The positions of the rows' heaps."""
    sizes = np.zeros(endgame_heaps(game), np.int64)
    for i in range(len(rows)):
        for number in range(endgame_heaps(game)):
            sizes[number] = endgame_heap(game, unpack(like, rows[i]), number)
        pack(endgame_position(game, sizes), out[i])


# ---- what is asked, and how the answers are shaped ----


class Question(NamedTuple):
    """A method, the kernel that asks it, of what it is asked, and the shape of one answer."""

    method: str
    ask: Kernel[..., None]
    of: str  # "game", "rows" or "steps"
    shape: Callable[[Any, Any], tuple[int, ...]]  # from a game and a position
    numbers: Any = np.int64


def _one(game: Any, like: Any) -> tuple[int, ...]:
    return ()


def _two(game: Any, like: Any) -> tuple[int, ...]:
    return (2,)


def _mask(game: Any, like: Any) -> tuple[int, ...]:
    return (len(words(game.legal(like))),)


def _position(game: Any, like: Any) -> tuple[int, ...]:
    return (len(like),)


def _images(game: Any, like: Any) -> tuple[int, ...]:
    return (contract.symmetries(game),)


RULES = (
    Question("start", answer_start, "game", _position),
    Question("player", answer_player, "rows", _one),
    Question("legal", answer_legal, "rows", _mask),
    Question("score", answer_score, "rows", _one),
    Question("play", answer_play, "steps", _position),
)

HOOKS = (
    Question("num_actions", answer_num_actions, "game", _one),
    Question("max_plies", answer_max_plies, "game", _one),
    Question("banked", answer_banked, "rows", _one),
    Question("unbanked", answer_unbanked, "rows", _position),
    Question("index", answer_index, "rows", _one),
    Question("position_at", answer_position_at, "rows", _position),
    Question("seat_index", answer_seat_index, "rows", _one),
    Question("seat_position_at", answer_seat_position_at, "rows", _position),
    Question("with_mover", answer_with_mover, "rows", lambda game, like: (2, len(like))),
    Question("num_parts", answer_num_parts, "rows", _one),
    Question("part", answer_part, "rows", _position),
    Question("observe", answer_observe, "rows", lambda game, like: contract.observation_shape(game), np.float32),
    Question("shaping", answer_shaping, "rows", _one, np.float64),
    Question("odds", answer_odds, "steps", _one),
    Question("symmetries", answer_symmetries, "game", _one),
    Question("swaps_players", answer_swaps_players, "game", _images),
    Question("transform", answer_transform, "rows", lambda game, like: (contract.symmetries(game), len(like))),
    Question("transform_action", answer_transform_action, "steps", _images),
    Question("candidates", answer_candidates, "steps", _mask),
    Question("promise", answer_promise, "steps", _one),
    Question("bounds", answer_bounds, "steps", _two),
    Question("plies_left", answer_plies_left, "steps", _two),
    Question("endgame_heaps", answer_endgame_heaps, "game", _one),
    Question("endgame_heap", answer_endgame_heap, "rows", lambda game, like: (contract.endgame_heaps(game),)),
    Question("endgame_position", answer_endgame_position, "rows", _position),
)


_MOST = 20_000  # answers compared per hook

_SKIPPED = "skipped: the JIT is off"


class Asked(NamedTuple):
    """The sample as arrays: positions as rows, and (row, action) for each transition."""

    like: Any
    rows: Row
    steps: Ints


def check_rules(game: Any, sample: Sample) -> str:
    """The five methods compile, and say the same as in plain Python."""
    if jit_disabled():
        return _SKIPPED
    asked = _as_arrays(sample)
    for question in RULES:
        _compare(game, question, asked)
    return ""


def check_hooks(game: Any, sample: Sample) -> str:
    """The hooks that a game gives compile, and say the same as in plain Python."""
    if jit_disabled():
        return _SKIPPED
    asked = _as_arrays(sample)
    for question in HOOKS:
        if member(type(game), question.method) is not None:
            _compare(game, question, _some_of(asked, question, _MOST // contract.symmetries(game)))
    return ""


def _as_arrays(sample: Sample) -> Asked:
    rows = np.array([list(pos) for pos in sample.positions], np.int64)
    steps = np.array([(number, action) for number, action, _ in sample.transitions], np.int64).reshape(-1, 2)
    return Asked(sample.positions[0], rows, steps)


def _some_of(asked: Asked, question: Question, most: int) -> Asked:
    """About so many of what the question is asked of, at least one; steps still need all rows."""
    if question.of == "rows":
        return asked._replace(rows=asked.rows[:: len(asked.rows) // max(most, 1) + 1].copy())
    return asked._replace(steps=asked.steps[:: len(asked.steps) // max(most, 1) + 1].copy())


# ---- comparing ----


def _compare(game: Any, question: Question, asked: Asked) -> None:
    """Let the kernel answer both ways; raise at the first difference."""
    count = {"game": 1, "rows": len(asked.rows), "steps": len(asked.steps)}[question.of]
    plain = np.zeros((count, *question.shape(game, asked.like)), question.numbers)
    compiled = plain.copy()
    try:
        question.ask.plain(game, *asked, plain)
    except (Exception, SystemExit) as error:  # a broken game may raise anything
        raise Broken(game, question.method, raised(error), "it must return for every position") from error
    _run_compiled(game, question, asked, compiled)
    different = np.argwhere(compiled != plain)
    if len(different):
        at = tuple(different[0])
        raise _difference(game, question, compiled[at], plain[at], _position_of(asked, question, at[0]))


def _run_compiled(game: Any, question: Question, asked: Asked, out: npt.NDArray[Any]) -> None:
    try:
        question.ask(game, *asked, out)
    except Exception as error:  # Numba raises many kinds
        if type(error).__module__.startswith("numba"):
            raise explain(game, asked.like, question.method, error) from error
        advice = "do not rely on exceptions, and keep within tuples and 63 bits"
        raise Broken(game, question.method, f"{raised(error)} when compiled only", advice) from error


def _position_of(asked: Asked, question: Question, number: int) -> Any:
    """The position that an answer is about; None where it is about the game."""
    if question.of == "game":
        return None
    row = asked.rows[asked.steps[number, 0] if question.of == "steps" else number]
    return type(asked.like)(*(int(field) for field in row))


def _difference(game: Any, question: Question, compiled: Any, plain: Any, pos: Any) -> Broken:
    how = f"gives {compiled} when compiled and {plain} in plain Python"
    advice = "keep within 63 bits, and read no global that changes: compiled code takes globals as constants"
    return Broken(game, question.method, how, advice, pos)
