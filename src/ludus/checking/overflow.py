"""Rules computed in 64 bits, as machine code does, but by plain Python: whether they may say something else there."""

from __future__ import annotations

import operator
from collections.abc import Callable
from time import thread_time
from typing import Any

from ludus.checking.plain import Sample
from ludus.compiled.masks import actions

_BITS = 64
_POSITIONS, _SECONDS = 100, 0.1  # that are tried
_OPERATORS = {name: getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "xor")}
_OPERATORS |= {"and": operator.and_, "or": operator.or_, "lshift": operator.lshift, "rshift": operator.rshift}


class Word(int):
    """An int whose arithmetic wraps around like that of machine code."""

    def __neg__(self) -> Any:
        return _cut(-int(self))

    def __invert__(self) -> Any:
        return _cut(~int(self))


def _cut(number: Any) -> Any:
    """A Word for an int, cut to 64 bits with a sign; anything else as it is."""
    if type(number) is not int:
        return number
    return Word((number + (1 << _BITS - 1)) % (1 << _BITS) - (1 << _BITS - 1))


def _cutting(compute: Callable[..., Any], name: str, *, swapped: bool) -> Callable[[Any, Any], Any]:
    def method(self: Word, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        left, right = (int(other), int(self)) if swapped else (int(self), int(other))
        if "shift" in name and right >= _BITS:
            raise OverflowError(f"a shift by {right} bits")
        return _cut(compute(left, right))

    return method


for _name, _compute in _OPERATORS.items():
    setattr(Word, f"__{_name}__", _cutting(_compute, _name, swapped=False))
    setattr(Word, f"__r{_name}__", _cutting(_compute, _name, swapped=True))


def may_overflow(game: Any, sample: Sample) -> bool:
    """Whether 64 bits change what the rules say on some positions of a sample; only compiling them is a proof."""
    end, narrow = thread_time() + _SECONDS, type(game)(*map(_cut, game))
    for number in range(0, len(sample.positions), len(sample.positions) // _POSITIONS + 1):
        if thread_time() > end:
            break
        try:
            if _differs(game, narrow, sample, number):
                return True
        except Exception:  # what the rules do with such numbers, nobody knows
            return True
    return False


def _differs(game: Any, narrow: Any, sample: Sample, number: int) -> bool:
    pos, mask = sample.positions[number], sample.masks[number]
    cut = type(pos)(*map(_cut, pos))
    if narrow.player(cut) != sample.players[number] or narrow.legal(cut) != mask:
        return True
    legal = actions(mask)
    if not legal:
        return bool(narrow.score(cut) != game.score(pos))
    return any(narrow.play(cut, _cut(action)) != game.play(pos, action) for action in legal)
