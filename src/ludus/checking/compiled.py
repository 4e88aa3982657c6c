"""Proofs that compiled and plain rules agree: each method is called on a whole sample both ways."""

from __future__ import annotations

from functools import cache
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import game as contract
from ludus.checking.explain import explain, is_of_compiler
from ludus.checking.plain import Broken, Sample, raised
from ludus.compiled.compiling import Kernel, function_from, jit_disabled, kernel, member
from ludus.compiled.masks import is_empty, store, words  # noqa: F401, statements use them
from ludus.compiled.rows import Row, pack, unpack  # noqa: F401, statements use them

_LOOPS = {
    "game": "i = 0",
    "rows": "for i in range(len(rows)):\n    pos = unpack(like, rows[i])",
    "steps": "for i in range(len(steps)):\n    pos, action = unpack(like, rows[steps[i, 0]]), int(steps[i, 1])",
}


class Question(NamedTuple):
    """A method and, as source, the statement that stores answer i in `out` and the shape of one answer."""

    method: str
    over: str  # "game", "rows" or "steps": what it is called on
    statement: str
    shape: str = ""
    dtype: Any = np.int64


_POSITION, _MASK, _IMAGES = "len(like),", "len(words(game.legal(like))),", "symmetries(game),"
RULES = (
    Question("start", "game", "pack(game.start(), out[0])", _POSITION),
    Question("player", "rows", "out[i] = game.player(pos)"),
    Question("legal", "rows", "store(game.legal(pos), out[i])", _MASK),
    Question("score", "rows", "if is_empty(game.legal(pos)): out[i] = game.score(pos)"),
    Question("play", "steps", "pack(game.play(pos, action), out[i])", _POSITION),
)
_BY_SYMMETRY = "for s in range(symmetries(game)):"
_BY_HEAP = "for heap in range(endgame_heaps(game)):"
_SIZES = f"sizes = np.zeros(endgame_heaps(game), np.int64)\n{_BY_HEAP} sizes[heap] = endgame_heap(game, pos, heap)\n"
_SEAT = "game, game.player(pos), seat_index(game, pos)"
HOOKS = (
    Question("num_actions", "game", "out[0] = num_actions(game)"),
    Question("max_plies", "game", "out[0] = max_plies(game)"),
    Question("banked", "rows", "out[i] = banked(game, pos)"),
    Question("unbanked", "rows", "pack(unbanked(game, pos), out[i])", _POSITION),
    Question("index", "rows", "out[i] = index(game, pos)"),
    Question("position_at", "rows", "pack(position_at(game, index(game, pos)), out[i])", _POSITION),
    Question("tier", "rows", "out[i] = tier(game, pos)"),
    Question("seat_index", "rows", "out[i] = seat_index(game, pos)"),
    Question("seat_position_at", "rows", f"pack(seat_position_at({_SEAT}), out[i])", _POSITION),
    Question("with_mover", "rows", "for p in range(2): pack(with_mover(game, pos, p), out[i, p])", f"2, {_POSITION}"),
    Question("num_parts", "rows", "out[i] = num_parts(game, pos)"),
    Question("part", "rows", "for n in range(num_parts(game, pos)): pack(part(game, pos, n), out[i])", _POSITION),
    Question("observe", "rows", "observe(game, pos, out[i])", "*observation_shape(game),", np.float32),
    Question("shaping", "rows", "out[i] = shaping(game, pos)", "", np.float64),
    Question("odds", "steps", "if game.player(pos) == CHANCE: out[i] = odds(game, pos, action)"),
    Question("symmetries", "game", "out[0] = symmetries(game)"),
    Question("swaps_players", "game", f"{_BY_SYMMETRY} out[0, s] = swaps_players(game, s)", _IMAGES),
    Question("transform", "rows", f"{_BY_SYMMETRY} pack(transform(game, pos, s), out[i, s])", _IMAGES + _POSITION),
    Question(
        "transform_action", "steps", f"{_BY_SYMMETRY} out[i, s] = transform_action(game, pos, action, s)", _IMAGES
    ),
    Question("candidates", "steps", "store(candidates(game, pos), out[i])", _MASK),
    Question("promise", "steps", "out[i] = promise(game, pos, action)"),
    Question("bounds", "steps", "out[i, 0], out[i, 1] = bounds(game, pos)", "2,"),
    Question("plies_left", "steps", "out[i, 0], out[i, 1] = plies_left(game, pos)", "2,"),
    Question("endgame_heaps", "game", "out[0] = endgame_heaps(game)"),
    Question(
        "endgame_heap", "rows", f"{_BY_HEAP} out[i, heap] = endgame_heap(game, pos, heap)", "endgame_heaps(game),"
    ),
    Question("endgame_position", "rows", f"{_SIZES}pack(endgame_position(game, sizes), out[i])", _POSITION),
)


@cache
def _kernel(question: Question) -> Kernel[..., None]:
    """The kernel that stores every answer to a question: out is [answers, *shape of one]."""
    body = f"{_LOOPS[question.over]}\n{indent(question.statement, '    ' if question.over != 'game' else '')}"
    source = f"def answer_{question.method}(game, like, rows, steps, out):\n{indent(body, '    ')}"
    return kernel(function_from(source, _names(), __file__))


def _names() -> dict[str, Any]:
    """What statements and shapes may use: the hooks of the contract, masks and rows."""
    return {**vars(contract), **globals()}


_MOST = 20_000  # answers compared per hook


class Asked(NamedTuple):
    """The sample as arrays."""

    like: Any  # a position
    rows: Row  # [positions, fields]
    steps: npt.NDArray[np.int64]  # [transitions, 2]: row, action


def check_rules(game: Any, sample: Sample) -> str:
    """The five methods compile and agree with plain Python."""
    return _compare_all(game, sample, RULES, 1 << 62)


def check_hooks(game: Any, sample: Sample) -> str:
    """The hooks of a game compile and agree with plain Python."""
    return _compare_all(game, sample, HOOKS, _MOST // contract.symmetries(game))


def _compare_all(game: Any, sample: Sample, questions: tuple[Question, ...], most: int) -> str:
    """Ask what the game gives on about `most` positions or transitions, at least one."""
    if jit_disabled():
        return "skipped: the JIT is off"
    steps = np.array([(number, action) for number, action, _ in sample.transitions], np.int64).reshape(-1, 2)
    asked = Asked(sample.positions[0], np.array([list(pos) for pos in sample.positions], np.int64), steps)
    for question in questions:
        if member(type(game), question.method) is not None:
            kind = "rows" if question.over == "rows" else "steps"  # steps still need all rows
            whole = getattr(asked, kind)
            some = whole[:: len(whole) // max(most, 1) + 1].copy()
            _compare(game, question, asked._replace(**{kind: some}))
    return ""


# ---- comparing ----


def _compare(game: Any, question: Question, asked: Asked) -> None:
    """Run the kernel both ways; raise at the first difference."""
    count = {"game": 1, "rows": len(asked.rows), "steps": len(asked.steps)}[question.over]
    ask = _kernel(question)
    shape = eval(f"({question.shape})", _names() | {"game": game, "like": asked.like})
    plain = np.zeros((count, *shape), question.dtype)
    compiled = plain.copy()
    try:
        ask.plain(game, *asked, plain)
    except (Exception, SystemExit) as error:  # a broken game may raise anything
        raise Broken(game, question.method, raised(error), "it must return for every position") from error
    try:
        ask(game, *asked, compiled)
    except Exception as error:  # Numba raises many kinds
        if is_of_compiler(error):
            raise explain(game, asked.like, question.method, error) from error
        advice = "do not rely on exceptions, and keep within tuples and 63 bits"
        raise Broken(game, question.method, f"{raised(error)} when compiled only", advice) from error
    for at in map(tuple, np.argwhere(compiled != plain)):
        row = asked.rows[asked.steps[at[0], 0] if question.over == "steps" else at[0]]
        pos = None if question.over == "game" else type(asked.like)(*(int(field) for field in row))
        how = f"gives {compiled[at]} when compiled and {plain[at]} in plain Python"
        advice = "keep within 63 bits, and read no global that changes: compiled code takes globals as constants"
        raise Broken(game, question.method, how, advice, pos)
