"""Functions that run as plain Python when called and as machine code inside kernels.

Nothing here imports Numba; `ludus.compiled.native` does, when a kernel is first called.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from types import CodeType
from typing import Any, Generic, ParamSpec, TypeVar, cast, overload

FRACTION = "a rule returns a fraction"  # the message of the compiler
P = ParamSpec("P")
R = TypeVar("R")


def jit_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT asks kernels to run as plain Python."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def member(cls: Any, name: str) -> Any:
    """What a NamedTuple class gives under a name, None for nothing; tuple's own `index` and `count` do not count."""
    return _member(cls, name)


@cache
def _member(cls: Any, name: str) -> Any:
    found = inspect.getattr_static(cls, name, None)
    return None if found is getattr(tuple, name, None) else found


class Twin(Generic[P, R]):
    """A plain function and the rule that picks what stands for it in compiled code.

    `choose` gets the Numba types of the arguments and returns the Python function to compile.
    """

    def __init__(self, plain: Callable[P, R], choose: Callable[..., Callable[..., Any]]) -> None:
        self.plain = plain
        self.choose = choose
        update_wrapper(self, plain)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:  # noqa: D102
        return self.plain(*args, **kwargs)

    def compiled(self, choose: Callable[..., Callable[..., Any]]) -> Callable[..., Any]:
        """Set the function that picks the compiled twin by argument types; a decorator."""
        self.choose = choose
        return choose

    @cached_property
    def _numba_type_(self) -> Any:
        from ludus.compiled import native

        return native.function_type(self)


class Kernel(Twin[P, R]):
    """A generic function that is compiled for the games and arrays it is called with.

    `work` estimates from the arguments how many microseconds a call takes as plain Python. Small work runs plainly: it
    is done before it could be compiled. Without `work`, a kernel is always compiled.
    """

    def __init__(self, plain: Callable[P, R], work: Callable[..., float] | None = None) -> None:
        super().__init__(plain, lambda *types, **named: plain)
        self.work = work
        self.plain_seconds = 0.0  # spent so far
        self.specialisations: dict[tuple[str, ...], Callable[P, R]] = {}
        self._absent: set[tuple[str, ...]] = set()
        self._reached: dict[tuple[str, ...], frozenset[CodeType]] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:  # noqa: D102
        return self._chosen(args, may_be_plain=True)(*args, **kwargs)

    def entry(self, *args: P.args, **kwargs: P.kwargs) -> Callable[P, R]:
        """The machine code for arguments of these types: kept by callers for which typing takes longer than the run."""
        return self._chosen(args, may_be_plain=False)

    def _chosen(self, args: Any, *, may_be_plain: bool) -> Callable[P, R]:
        """Machine code from memory or from the disk, or plain code while that pays, or what is compiled now."""
        if jit_disabled() or getattr(_thread, "plain", False):
            return self.plain
        from ludus.compiled import machine_code

        kinds = machine_code.signature(args)
        found = self.specialisations.get(kinds)
        if found is None and kinds not in self._absent:
            found = machine_code.load(machine_code.key(self.plain, kinds))
            if found is None:
                self._absent.add(kinds)
            else:
                self.specialisations[kinds] = found
        if found is None and may_be_plain and self._is_small(kinds, args):
            return self.run_plainly
        return found or self._compile(kinds, args)

    def runs_plainly(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Whether a call with these arguments runs as plain Python: the work is small, and no machine code at hand."""
        if jit_disabled():
            return True
        from ludus.compiled import machine_code

        kinds = machine_code.signature(args)
        is_small = kinds not in self.specialisations and self._is_small(kinds, args)
        return is_small and not self.is_at_hand(*args, **kwargs)

    def is_at_hand(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Whether a call with these arguments runs in machine code without compiling."""
        if jit_disabled():
            return False
        from ludus.compiled import machine_code

        kinds = machine_code.signature(args)
        return kinds in self.specialisations or machine_code.load(machine_code.key(self.plain, kinds)) is not None

    def on_lists(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the kernel; plainly on lists in place of one-dimensional arrays, which takes a third of the time."""
        if not self.runs_plainly(*args, **kwargs):
            return self(*args, **kwargs)
        lists = [_listed(arg) for arg in args]
        with self.plain_time():
            result = cast(Any, self.plain)(*lists)
        for arg, given in zip(args, lists, strict=True):
            _write_back(arg, given)
        return cast(R, result)

    @contextmanager
    def plain_time(self) -> Iterator[None]:
        """Count the time of this block as spent plainly."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.plain_seconds += time.thread_time() - began

    def _is_small(self, kinds: tuple[str, ...], args: Any) -> bool:
        """Whether compiling is likely to take longer; the compiler itself has to be loaded first."""
        if self.work is None:
            return False
        limit = PLAIN_SECONDS
        if "ludus.compiled.native" in sys.modules:
            limit = min(limit, _SECONDS_A_FUNCTION * self._functions(kinds, args))
        return self.plain_seconds + self.work(*args) / 1e6 <= limit

    def _functions(self, kinds: tuple[str, ...], args: Any) -> int:
        """About how many functions are to be compiled for arguments of these types."""
        from ludus.compiled import native

        if kinds not in self._reached:
            self._reached[kinds] = native.codes_reached(self.plain, args)
        return len(self._reached[kinds] - native.compiled_codes)

    def run_plainly(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the kernel as plain Python, however long that takes."""
        _thread.plain = True
        try:
            with self.plain_time():
                return self.plain(*args, **kwargs)
        finally:
            _thread.plain = False

    def _compile(self, kinds: tuple[str, ...], args: Any) -> Callable[P, R]:
        from ludus.compiled import machine_code, native

        with _compiling:
            if kinds not in self.specialisations:
                total = max(self._functions(kinds, args), 1)
                try:
                    self.specialisations[kinds], emitted = native.compile_for(
                        self.plain, args, lambda done: self._announce(min(done, total - 1), total)
                    )
                finally:
                    self._announce(total, total)
                if emitted is not None:
                    machine_code.save(machine_code.key(self.plain, kinds), emitted)
            return self.specialisations[kinds]

    def _announce(self, done: int, total: int) -> None:
        for listener in listeners:
            listener(self, done, total)


def _listed(arg: Any) -> Any:
    if isinstance(arg, tuple):
        return type(arg)(*map(_listed, arg))
    return arg.tolist() if hasattr(arg, "tolist") else arg


def _write_back(arg: Any, given: Any) -> None:
    if isinstance(arg, tuple):
        for part, now in zip(arg, given, strict=True):
            _write_back(part, now)
    elif hasattr(arg, "tolist") and arg.flags.writeable:
        arg[:] = given


PLAIN_SECONDS = 0.4  # a kernel runs plainly for at most so long; loading the compiler takes about as long
_SECONDS_A_FUNCTION = (
    0.015  # and for so long, once it is loaded; half of what compiling one takes: it pays the next time
)
# Called as the functions of a kernel are compiled, with their number and about how many there are; equal at the end.
listeners: list[Callable[[Kernel[..., Any], int, int], None]] = []
_compiling = threading.RLock()
_thread = threading.local()


@contextmanager
def always_compiled() -> Iterator[None]:
    """Let small work, too, run in machine code."""
    global PLAIN_SECONDS
    before, PLAIN_SECONDS = PLAIN_SECONDS, -1.0
    try:
        yield
    finally:
        PLAIN_SECONDS = before


def helper(function: Callable[P, R]) -> Twin[P, R]:
    """Mark a free function that rules call: plain at the prompt, in kernels compiled or as `@name.compiled` says."""
    return Twin(function, lambda *types, **named: function)


@overload
def kernel(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def kernel(*, work: Callable[P, float]) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(function: Any = None, /, *, work: Any = None) -> Any:
    """Mark a generic function that runs compiled; `work` estimates in microseconds what a call takes as plain Python.

    Small work is done plainly, without compiling. Under NUMBA_DISABLE_JIT=1 everything is.
    """
    return Kernel(function) if function is not None else lambda marked: Kernel(marked, work)


def hook(default: Callable[P, R]) -> Twin[P, R]:
    """Make `name(game, ...)` call the game's own method of that name, or else the default.

    A hook of one parameter is a property of the game: `max_plies(game)` reads `game.max_plies`.
    """
    name = default.__name__
    is_property = default.__code__.co_argcount == 1

    def plain(game: Any, *args: Any) -> Any:
        if member(type(game), name) is None:
            return default(game, *args)  # type: ignore[call-arg]
        return getattr(game, name) if is_property else getattr(game, name)(*args)

    def choose(game: Any, *args: Any) -> Callable[..., Any]:
        own = member(game.instance_class, name)
        if own is None:
            return default
        if not is_property:
            return cast(Callable[..., Any], own)
        return (
            cast(Any, own.fget) if isinstance(own, property) else function_from(f"def read(game): return game.{name}")
        )

    update_wrapper(plain, default)
    return Twin(cast(Callable[P, R], plain), choose)


def function_from(source: str, scope: dict[str, Any] | None = None, file: str = "<generated>") -> Callable[..., Any]:
    """The function that a generated `def` makes; to be cached on disk, it needs the file of a module."""
    scope = {} if scope is None else scope
    exec(compile(source, file, "exec"), scope)
    return cast(Callable[..., Any], scope[source.removeprefix("def ").partition("(")[0]])


def given(name: str) -> Twin[[Any], bool]:
    """A function that returns whether a game gives this hook itself: a constant in compiled code."""

    def plain(game: Any) -> bool:
        return member(type(game), name) is not None

    def choose(game: Any) -> Callable[..., bool]:
        given = member(game.instance_class, name) is not None
        return (lambda game: True) if given else (lambda game: False)

    return Twin(plain, choose)
