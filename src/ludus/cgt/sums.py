"""Disjunctive sums as games: a player moves in one component, and loses if none has a move.

The components are positions of one game, or of games of one class. Each number of components has a class of its own,
because rules are compiled for positions with a fixed number of fields.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

from ludus import face
from ludus.cgt.forms import CanonicalForm
from ludus.cgt.positions import Evaluator, check_play
from ludus.compiled.masks import WORD, add, first, is_empty, without_first
from ludus.errors import LudusError
from ludus.game import gives_with_mover, num_actions, with_mover

MOST = 16  # components


def disjunctive_sum(game: Any, *positions: Any) -> Any:
    """The game that is the sum of positions (or texts) of a game; the side to move in the first begins."""
    if not gives_with_mover(game):
        raise LudusError(f"{type(game).__name__} has no sums: the game does not give with_mover")
    if not 1 <= len(positions) <= MOST:
        raise LudusError(f"a sum has 1 to {MOST} components, not {len(positions)}")
    components = [read(game, pos) if isinstance(pos, str) else (game, pos) for pos in positions]
    for one, pos in components:
        if type(pos) is not type(game.start()):
            raise LudusError(f"{pos!r} is no position of {type(game).__name__}")
        check_play(one, pos)
    games, starts = zip(*components, strict=True)
    words = -(-len(games) * max(num_actions(one) for one in games) // WORD)
    turn = int(game.player(starts[0]))
    kind: Any = type(starts[0])
    return sum_class(kind, len(games), words)(*games, *starts, turn)


def read(game: Any, text: str) -> tuple[Any, Any]:
    """The game and the position of a text; the game starts there if it can."""
    if not hasattr(game, "starting_at"):
        return game, face.parse_position(game, text)
    try:
        made = game.starting_at(text)
    except ValueError as error:
        raise LudusError(f"{error}; a position is written like {face.format_position(game, game.start())}") from None
    return made, made.start()


class Sum:
    """The rules that do not depend on the number of components."""

    size: int
    empty: Any

    def __init_subclass__(cls, like: Any = None) -> None:
        """Makes a class whose games equal `like`: `class Three(type(three), like=three)`, for a game in a file."""
        if like is None:
            return

        def new(cls: Any, *fields: Any) -> Any:
            return cls._make(fields or like)

        cls._field_defaults, cls.__new__ = like._asdict(), new  # type: ignore[attr-defined, method-assign]

    # ---- the rules ----

    def start(self: Any) -> Any:
        """The start of all components."""
        return self.with_mover(self.joined(self.turn), self.turn)

    def player(self: Any, pos: Any) -> int:
        """The side to move, in any component."""
        return pos.turn  # type: ignore[no-any-return]

    @property
    def width(self: Any) -> int:
        """The most actions of a component."""
        return self.widest()  # type: ignore[no-any-return]

    @property
    def num_actions(self: Any) -> int:
        """The width times the number of components."""
        return self.size * self.width  # type: ignore[no-any-return]

    def legal(self: Any, pos: Any) -> Any:
        """The actions of all components, those of the first before those of the second."""
        mask, width = self.empty, self.width
        for number in range(self.size):
            left = self.game_at(number).legal(self.component(pos, number))
            while not is_empty(left):
                mask = add(mask, number * width + first(left))
                left = without_first(left)
        return mask

    def play(self: Any, pos: Any, action: int) -> Any:
        """Plays in one component; the other player is to move in all."""
        number = action // self.width
        moved = self.game_at(number).play(self.component(pos, number), action % self.width)
        return self.with_mover(self.replaced(pos, number, moved), 1 - pos.turn)

    def score(self: Any, pos: Any) -> int:
        """The player who cannot move in any component has lost."""
        return 1 if pos.turn == 1 else -1

    # ---- the face ----

    @property
    def players(self: Any) -> tuple[str, str]:
        """As in the components."""
        return face.players(self[0])

    def board(self: Any, pos: Any) -> str:
        """The boards of the components, one below the other, with their numbers."""
        boards = [face.board(self.game_at(number), self.component(pos, number)) for number in range(self.size)]
        return "\n\n".join(f"({number})\n{board}" for number, board in enumerate(boards, 1))

    def action_name(self: Any, pos: Any, action: int) -> str:
        """The number of the component and what the action is called there."""
        number = action // self.width
        own = face.action_name(self.game_at(number), self.component(pos, number), action % self.width)
        return f"({number + 1}) {own}"

    def format_position(self: Any, pos: Any) -> str:
        """The components with a plus between them."""
        numbers = range(self.size)
        return " + ".join(face.format_position(self.game_at(number), self.component(pos, number)) for number in numbers)

    def parse_position(self: Any, text: str) -> Any:
        """The components as text, all with the same player to move."""
        texts = text.split(" + ")
        if len(texts) != self.size:
            raise ValueError(f"the sum has {self.size} components, not {len(texts)}")
        pos, turn = self.start(), None
        for number, part in enumerate(texts):
            own = face.parse_position(self.game_at(number), part)
            turn = self.game_at(number).player(own) if turn is None else turn
            pos = self.replaced(pos, number, own)
        return self.with_mover(pos, turn)

    def notes(self: Any, pos: Any) -> list[face.Note]:
        """The notes of each component."""
        return [
            face.Note(f"({number + 1}) {note.words}")
            for number in range(self.size)
            for note in face.notes(self.game_at(number), self.component(pos, number))
        ]


# The rules that depend on the number of components: a field of a position belongs to one of them.
_RULES = """
def game_at(self, number):
    {game_at}

def component(self, pos, number):
    {component}

def joined(self, turn):
    return Position({joined}, turn)

def replaced(self, pos, number, moved):
    {replaced}

def with_mover(self, pos, player):
    {parts}
    return Position({fields}, player)

def widest(self):
    return max({widths})
"""


@cache
def sum_class(position: Any, size: int, words: int) -> Any:
    """The class of sums of `size` positions of this class, with masks of `words` words."""
    numbers = range(1, size + 1)
    names = [[f"{field}_{number}" for field in position._fields] for number in numbers]
    made = namedtuple("Position", [*(name for own in names for name in own), "turn"])  # type: ignore[misc]
    scope: dict[str, Any] = {"__name__": __name__, "Position": made, "Part": position}
    scope |= {"set_mover": with_mover, "num_actions": num_actions}
    exec(_RULES.format(**_written_out(position._fields, names)), scope)
    fields = [f"{what}_{number}" for what in ("game", "begin") for number in numbers]
    rules = {name: scope[name] for name in ("game_at", "component", "joined", "replaced", "with_mover", "widest")}
    constants = {"size": size, "empty": 0 if words == 1 else (0,) * words}
    base = namedtuple("Sum", [*fields, "turn"])  # type: ignore[misc]
    return type("Sum", (base, Sum), {**rules, **constants, "__doc__": f"The sum of {size} positions."})


def _written_out(fields: tuple[str, ...], names: list[list[str]]) -> dict[str, str]:
    """The text for each name in the rules."""
    numbers = range(len(names))
    own = [", ".join(f"pos.{name}" for name in part) for part in names]
    moved = ", ".join(f"moved.{field}" for field in fields)
    return {
        "game_at": _chosen([f"self.game_{number + 1}" for number in numbers]),
        "component": _chosen([f"Part({fields})" for fields in own]),
        "joined": ", ".join(f"self.begin_{number + 1}.{field}" for number in numbers for field in fields),
        "replaced": _chosen([f"Position({', '.join([*own[:n], moved, *own[n + 1 :]])}, pos.turn)" for n in numbers]),
        "parts": "; ".join(
            f"p{number} = set_mover(self.game_{number + 1}, self.component(pos, {number}), player)"
            for number in numbers
        ),
        "fields": ", ".join(f"p{number}.{field}" for number in numbers for field in fields),
        "widths": ", ".join([*(f"num_actions(self.game_{number + 1})" for number in numbers), "1"]),
    }


def _chosen(choices: list[str]) -> str:
    """Lines that return the n-th of some expressions."""
    *most, last = choices
    return "\n    ".join([*(f"if number == {n}: return {choice}" for n, choice in enumerate(most)), f"return {last}"])


class SumEvaluator:
    """Canonical forms of the components of sums, cached."""

    def __init__(self) -> None:
        self._valuers: dict[Any, Evaluator] = {}

    def forms(self, game: Any, pos: Any) -> list[CanonicalForm]:
        """The forms of all components of a position."""
        games = [game.game_at(number) for number in range(game.size)]
        for one in games:
            if one not in self._valuers:
                self._valuers[one] = Evaluator(one)
        return [self._valuers[one].form(game.component(pos, number)) for number, one in enumerate(games)]
