"""A game called in plain Python: a sample of its positions, with the basic rules proved on the way."""

from __future__ import annotations

import ast
import inspect
import math
import random
import re
import textwrap
from collections import deque
from numbers import Number
from time import thread_time
from types import FunctionType
from typing import Any, NamedTuple

from ludus import game as contract
from ludus.checking import patience
from ludus.compiled.compiling import Twin, member
from ludus.compiled.masks import WORD, Mask, actions, words
from ludus.errors import LudusError, own_frames, own_line
from ludus.face import MEMBERS
from ludus.game import CHANCE
from ludus.loops import cycle_in


class Broken(Exception):  # noqa: N818, it is no error of Ludus
    """A game breaks the contract: in which method, at which position, how, and what to write instead."""

    def __init__(self, game: Any, method: str, what: str, instead: str, pos: Any = None) -> None:
        name = f"{type(game).__name__}.{method}" if method else type(game).__name__
        where = f" at {pos}" if pos is not None else ""
        without_addresses = re.sub(r" at 0x[0-9a-fA-F]+", "", f"{name}{where} {what}; {instead}")
        super().__init__(" ".join(without_addresses.split()))
        self.written_at = _place_of(type(game), method)

    @property
    def lines(self) -> list[str]:
        """The user's own lines that led here: where the rule raised, or else where it is written."""
        if self.__cause__ is not None and (frames := own_frames(self.__cause__)):
            return frames
        line = own_line(*self.written_at)
        return [line] if line else []

    def as_error(self) -> LudusError:
        """The same for commands: one line, and the user's own lines as notes."""
        error = LudusError(str(self))
        for line in self.lines:
            error.add_note(line)
        return error


def _place_of(cls: Any, name: str) -> tuple[str, int, str]:
    """File, line and function of a member, of what stands in the body of the class, or of the class itself."""
    if function := function_of(member(cls, name)):
        return function.__code__.co_filename, function.__code__.co_firstlineno, f", in {function.__name__}"
    owner = next((parent for parent in cls.__mro__ if name in vars(parent)), cls)
    try:
        file, (lines, first) = inspect.getsourcefile(owner) or "", inspect.getsourcelines(owner)
    except (OSError, TypeError):
        return "", 0, ""
    body = getattr(ast.parse(textwrap.dedent("".join(lines))).body[0], "body", [])
    written = (node.lineno for node in body if name and name in _names_given_by(node))
    return file, first + next(written, 1) - 1, f", in {owner.__name__}"


def _names_given_by(node: Any) -> list[str]:
    """The names that a statement in the body of a class gives a meaning."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [getattr(node, "name", ""), *(getattr(target, "id", "") for target in targets)]


def function_of(member: Any) -> FunctionType | None:
    """The function behind a method, property or marked helper."""
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, Twin):
        member = member.plain
    return member if isinstance(member, FunctionType) else None


def raised(error: BaseException) -> str:
    """What was raised, in words."""
    return str(error) if isinstance(error, patience.Stuck) else f"raises {type(error).__name__}({error})"


def unexpected(game: Any, rule: str, error: BaseException) -> Broken:
    """The broken rule behind an error that no check expects: a value of an odd kind."""
    how = f"{raised(error)} while it is checked that {rule}"
    problem = Broken(game, "", how, "give plain values of the right kind")
    problem.__cause__ = error
    return problem


def ask(game: Any, method: str, *args: Any) -> Any:
    """Call a method or hook, or read a property, of the game; what it raises becomes a broken rule."""
    patience.asked()
    own = getattr(type(game), method, None)
    function = own if inspect.isfunction(own) else getattr(contract, method)
    try:
        return function(game, *args)
    except (Exception, SystemExit) as error:  # a broken game may raise anything
        pos = _position_in(args)
        words = ", ".join(str(arg) for arg in args if isinstance(arg, int))
        advice = "it must return" if pos is None else "it must return for every position that can be reached"
        raise Broken(game, method, raised(error) + (f" for {words}" if words else ""), advice, pos) from error


def _position_in(args: tuple[Any, ...]) -> Any:
    """The position that a method was asked about, or None."""
    return args[0] if args and isinstance(args[0], tuple) else None


def ask_whole_number(game: Any, method: str, *args: Any) -> int:
    """Call a method that must return an int."""
    number = ask(game, method, *args)
    require_whole_number(game, method, number, *args)
    return int(number)


def require_whole_number(game: Any, method: str, number: Any, *args: Any) -> None:
    """Raise unless the result of a method is an int that fits 64 bits."""
    pos = _position_in(args)
    if not isinstance(number, int):
        raise Broken(game, method, f"returns {number!r}", f"return a whole number{_how_to_make_whole(number)}", pos)
    if not _fits(number):
        raise Broken(game, method, f"returns {number}", "keep within 63 bits: compiled ints are 64 bits wide", pos)


def _fits(number: int) -> bool:
    return -(1 << 63) <= number < 1 << 63


def _how_to_make_whole(number: Any) -> str:
    """What to write for a number of another type, after a colon; nothing for what is no number."""
    try:
        is_whole = int(number) == number
    except (TypeError, ValueError, OverflowError):  # an array, nan, inf, or no number at all
        return ""
    if not isinstance(number, Number):
        return ""
    return ": write int(...) or //" if is_whole else ": use // instead of /, or count in smaller units"


_LARGEST_SCORE = 1 << 53  # whole numbers beyond are no longer exact in JSON
LONGEST = 10_000  # plies after which a random game counts as endless


class Sample(NamedTuple):
    """Some positions of a game, with what the plain rules say of them."""

    positions: list[Any]
    players: list[int]
    masks: list[Mask]
    transitions: list[tuple[int, int, Any]]  # number of a position, action, successor
    whole: bool

    @property
    def recurring_position(self) -> Any:
        """A position that play within the sample comes back to; None if there is none."""
        leads_to: dict[Any, list[Any]] = {}
        for number, _, after in self.transitions:
            leads_to.setdefault(self.positions[number], []).append(after)
        return next(iter(cycle_in(leads_to)), None)

    @property
    def ended(self) -> list[int]:
        """The numbers of the positions at which the game is over."""
        return [i for i, mask in enumerate(self.masks) if not any(words(mask))]

    def first(self, most: int) -> Sample:
        """At most so many of the positions, with what follows them."""
        steps = [step for step in self.transitions if step[0] < most]
        return Sample(self.positions[:most], self.players[:most], self.masks[:most], steps, False)

    @property
    def summary(self) -> str:
        """How much was looked at."""
        kind = "all" if self.whole else "a sample of"
        ends = f"{len(self.ended):,} of them ended" if self.ended else "no end was seen"
        return f"{kind} {len(self.positions):,} positions, {ends}"


def take_sample(game: Any, most: int, games: int, seed: int = 0, *, seconds: float = math.inf) -> Sample:
    """The first `most` positions breadth first, and, unless that is all, those of some random games.

    Each of the two takes at most half of the seconds.
    """
    sample = Sample([], [], [], [], True)
    known: dict[Any, int] = {}
    whole = _explore(game, sample, known, most, thread_time() + seconds / 2)
    if not whole:
        generator, end = random.Random(seed), thread_time() + seconds / 2
        for _ in range(games):
            _play_randomly(game, sample, known, generator, end)
    if whole and not sample.ended:
        raise Broken(game, "legal", "is never empty", "return an empty mask when the game is over")
    for number in sample.ended:
        pos = sample.positions[number]
        if sample.players[number] == CHANCE:
            advice = "at the end return 0 or 1, the player who would be to move"
            raise Broken(game, "player", "returns CHANCE in an ended position", advice, pos)
        if abs(score := ask_whole_number(game, "score", pos)) > _LARGEST_SCORE:
            raise Broken(game, "score", f"returns {score}", f"keep it within {_LARGEST_SCORE:,}", pos)
    return sample._replace(whole=whole)


def _explore(game: Any, sample: Sample, known: dict[Any, int], most: int, end: float) -> bool:
    """Add positions breadth first until the end of time; whether that was all."""
    start = ask(game, "start")
    check_position(game, "start", start, start)
    waiting = deque([_look(game, sample, known, start)])
    while waiting and len(sample.positions) < most and thread_time() < end:
        number = waiting.popleft()
        for action in actions(sample.masks[number]):
            after = _step(game, sample, number, action)
            if after not in known:
                waiting.append(_look(game, sample, known, after))
    return not waiting


def _play_randomly(game: Any, sample: Sample, known: dict[Any, int], generator: random.Random, end: float) -> None:
    number, cap = 0, ask(game, "max_plies")
    for _ in range(cap or LONGEST):
        choices = actions(sample.masks[number])
        if not choices or thread_time() > end:
            return
        after = _step(game, sample, number, generator.choice(choices))
        number = known[after] if after in known else _look(game, sample, known, after)
    if not cap:
        advice = "give max_plies, the length at which play is called a draw"
        raise Broken(game, "play", f"led to a game of over {LONGEST:,} plies", advice)


def _look(game: Any, sample: Sample, known: dict[Any, int], pos: Any) -> int:
    """Add a position with its player and legal actions; its number."""
    player = ask(game, "player", pos)
    if not isinstance(player, int) or isinstance(player, bool) or player not in (0, 1, CHANCE):
        advice = (
            f"return an int: players are 0 and 1, and dice are CHANCE, which is {CHANCE} (from ludus import CHANCE)"
        )
        raise Broken(game, "player", f"returns {player!r}", advice, pos)
    mask = ask(game, "legal", pos)
    _check_mask(game, pos, mask, sample)
    known[pos] = len(sample.positions)
    sample.positions.append(pos)
    sample.players.append(int(player))
    sample.masks.append(mask)
    return known[pos]


def _step(game: Any, sample: Sample, number: int, action: int) -> Any:
    pos = sample.positions[number]
    after = ask(game, "play", pos, action)
    check_position(game, "play", after, pos)
    sample.transitions.append((number, action, after))
    return after


_TWO_FIELDS = (
    "a field holds 63 bits: a board of more squares takes two, low = board & (1 << 32) - 1 and high = board >> 32"
    " (docs/large-boards.md)"
)


def check_position(game: Any, method: str, made: Any, like: Any) -> None:
    """A position, made at `like` unless by `start`, is a NamedTuple of ints, of the same class as the start."""
    pos = None if method == "start" else like
    if not (isinstance(made, tuple) and hasattr(made, "_fields")):
        raise Broken(game, method, f"returns {made!r}", "return a position: a NamedTuple of ints", pos)
    if type(made) is not type(like):
        wanted = type(like).__name__
        raise Broken(game, method, f"returns a {type(made).__name__}", f"return a {wanted} like start does", pos)
    if not made:
        raise Broken(game, method, "returns a position without fields", "give it a field, such as turn", pos)
    for name, field in zip(made._fields, made, strict=True):
        if not isinstance(field, int):
            advice = _how_to_make_whole(field) or ": keep a board in the bits of an int"
            raise Broken(
                game, method, f"puts {field!r} into the field {name}", f"fields hold whole numbers{advice}", pos
            )
        if not _fits(field):
            raise Broken(game, method, f"puts {field} into the field {name}", _TWO_FIELDS, pos)


def _check_mask(game: Any, pos: Any, mask: Any, sample: Sample) -> None:
    kinds = [type(word) for word in (mask if isinstance(mask, tuple) else (mask,))]
    if not kinds or bool in kinds or not all(issubclass(kind, int) for kind in kinds):
        advice = "return an int with bit a set for each legal action a, or a tuple of such ints above 63 actions"
        raise Broken(game, "legal", f"returns {mask!r}", advice, pos)
    if any(word < 0 for word in words(mask)):
        advice = "~ sets all higher bits: mask it, ~board & ((1 << squares) - 1)"
        raise Broken(game, "legal", f"returns {mask}, which is negative", advice, pos)
    if any(word >> WORD for word in words(mask)):
        advice = (
            f"action a is bit a % {WORD} of word a // {WORD}: use a tuple of ints above {WORD} actions,"
            f" (mask & (1 << {WORD}) - 1, mask >> {WORD})"
        )
        raise Broken(game, "legal", f"returns {mask}, which uses more than {WORD} bits", advice, pos)
    if sample.masks and len(words(mask)) != len(words(sample.masks[0])):
        raise Broken(game, "legal", f"returns {mask}", "return as many words as at the start", pos)
    most = ask(game, "num_actions")
    if any(action >= most for action in actions(mask)):
        how = f"allows action {max(actions(mask))}, but num_actions is {most}"
        advice = "allow only actions below num_actions, or give a larger num_actions"
        if isinstance(mask, tuple):
            advice += f"; {mask} is read as {len(mask)} words of {WORD} bits, not as the actions themselves"
        raise Broken(game, "legal", how, advice, pos)


# Hooks that need each other.
COMPANIONS = {
    "observe": ("observation_shape",),
    **dict.fromkeys(("transform", "transform_action", "swaps_players"), ("symmetries",)),
    "symmetries": ("transform",),
    "banked": ("unbanked",),
    "unbanked": ("banked",),
    "endgame_heaps": ("endgame_heap", "endgame_position", "banked"),
    **dict.fromkeys(("endgame_heap", "endgame_position"), ("endgame_heaps",)),
    "num_parts": ("part", "with_mover"),
    "part": ("num_parts",),
    "index": ("position_at", "num_positions"),
    **dict.fromkeys(("position_at", "num_positions"), ("index",)),
    "seat_index": ("seat_position_at", "num_seat_positions"),
    **dict.fromkeys(("seat_position_at", "num_seat_positions"), ("seat_index",)),
}
# Hooks that are one number for the whole game, the least and the most that it may be, and what to give.
SIZES = (
    ("num_actions", 1, 1 << 20, "give a whole number, one more than the highest action"),
    ("max_plies", 0, (1 << 31) - 1, "give a whole number of plies, 0 for no cap"),
    ("symmetries", 1, 1 << 12, "give how many there are, the identity counted"),
    ("endgame_heaps", 0, 1 << 10, "give how many heaps make up a position, a whole number"),
    ("num_positions", 0, (1 << 63) - 1, "give how many positions the index numbers, a whole number"),
)


def check_form(game: Any) -> None:
    """The five methods are there, and they and the hooks take what they are given."""
    cls = type(game)
    for name in contract.RULES:
        own, wanted = member(cls, name), _parameters(getattr(contract.Game, name))
        if own is None:
            raise Broken(game, name, "is missing", f"write def {name}(self{wanted})")
        _require_parameters(game, name, own, wanted)
    for name, hook in vars(contract).items():
        if isinstance(hook, Twin) and not name.startswith("gives_") and member(cls, name) is not None:
            _check_hook(game, name, hook)
    for name, companions in COMPANIONS.items():
        for companion in companions:
            if member(cls, name) is not None and member(cls, companion) is None:
                raise Broken(game, name, f"is given without {companion}", f"give {companion} too")


def check_parameters(game: Any) -> None:
    """Every field is an int, or a NamedTuple of ints, the game's own `validate` accepts them, and sizes are ints."""
    for name, value in game._asdict().items():
        _check_parameter(game, name, value)
    try:
        contract.validate(game)
    except ValueError as error:
        raise Broken(game, "validate", f"refuses these parameters: {error}", "use parameters that it allows") from None
    except (Exception, SystemExit) as error:
        advice = "let it return, or raise ValueError and say what is allowed"
        raise Broken(game, "validate", raised(error), advice) from error
    for name, least, most, advice in SIZES:
        size = ask(game, name)
        if not isinstance(size, int) or isinstance(size, bool) or size < least:
            raise Broken(game, name, f"is {size!r}", advice)
        if size > most:
            raise Broken(game, name, f"is {size!r}", f"{advice}, at most {most:,}")


def _check_parameter(game: Any, name: str, value: Any) -> None:
    if name in (*contract.RULES, *MEMBERS):
        raise Broken(game, name, "is a parameter", f"call it otherwise: Ludus reads {name} as something else")
    if not all(isinstance(number, int) for number in _numbers(value)):
        advice = "use int, bool, an IntEnum, or a NamedTuple of ints"
        raise Broken(game, name, f"is the parameter {value!r}", advice)


def _numbers(value: Any) -> list[Any]:
    """What a parameter holds; that of a sum holds games."""
    return [number for field in value for number in _numbers(field)] if isinstance(value, tuple) else [value]


def _check_hook(game: Any, name: str, hook: Twin[..., Any]) -> None:
    own, wanted = member(type(game), name), _parameters(hook.plain)
    if wanted:
        _require_parameters(game, name, own, wanted)
    elif inspect.isfunction(own):
        raise Broken(game, name, "is a method", f"make it a @property or a constant: {name} = ...")


def _require_parameters(game: Any, name: str, own: Any, wanted: str) -> None:
    if not inspect.isfunction(own) or inspect.iscoroutinefunction(own):
        raise Broken(game, name, "is no plain method", f"write def {name}(self{wanted})")
    if _parameters(own).count(",") != wanted.count(","):
        raise Broken(game, name, f"takes (self{_parameters(own)})", f"write def {name}(self{wanted})")


def _parameters(function: Any) -> str:
    """The parameters after the first, each with a comma before it."""
    return "".join(f", {name}" for name in list(inspect.signature(function).parameters)[1:])
