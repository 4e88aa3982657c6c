"""The contract of a game: five methods that every game has, and the hooks that it may have.

A game is a NamedTuple of its rule parameters; a position is a NamedTuple of ints. Generic code calls a hook as a
function, `banked(game, pos)`: the game's own method where it has one, else the default written here, in plain Python
and in compiled code alike.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ludus.compiled.compiling import given, hook
from ludus.compiled.masks import WORD, Mask

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Observation: TypeAlias = npt.NDArray[np.float32]
    Heaps: TypeAlias = npt.NDArray[np.int64]

CHANCE = 111  # the player whose actions are drawn by `odds`: a number that nobody gives a player by accident
ANY_SCORE = 1 << 19  # above every score that a search can handle
ANY_PLIES = (1 << 12) - 1  # more than a game may last whose plies a search counts
Position: TypeAlias = Any


class Game(Protocol):
    """What every game has."""

    def start(self) -> Position:
        """The position at which play begins."""

    def player(self, pos: Position) -> int:
        """The player to move: 0, 1 or CHANCE; at the end, the player who would be."""

    def legal(self, pos: Position) -> Mask:
        """The set of allowed actions; empty exactly when the game is over."""

    def play(self, pos: Position, action: int) -> Position:
        """The position after a legal action."""

    def score(self, pos: Position) -> int:
        """The result for player 0; called only at the end."""


RULES = ("start", "player", "legal", "play", "score")


class Viewpoint(enum.IntEnum):
    """The player from whose point of view a game is observed."""

    MOVER = 0
    PLAYER_0 = 1


# ---- actions, length, randomness ----


@hook
def num_actions(game: Any) -> int:
    """One more than the highest action; by default as many as one word of a mask holds."""
    return WORD


@hook
def max_plies(game: Any) -> int:
    """The plies after which play and training call a draw; 0, the default, for games that always end."""
    return 0


@hook
def odds(game: Any, pos: Position, action: int) -> int:
    """The whole-number weight of an action where CHANCE moves; all alike by default."""
    return 1


# ---- learning ----


@hook
def observation_shape(game: Any) -> tuple[int, ...]:
    """The shape of an observation; by default empty."""
    return (0,)


@hook
def observe(game: Any, pos: Position, out: Observation) -> None:
    """Write the input of a network into `out`, float32 zeros of that shape; by default nothing."""
    return


@hook
def viewpoint(game: Any) -> int:
    """The point of view of `observe`: the player to move, by default, or player 0."""
    return 0


@hook
def shaping(game: Any, pos: Position) -> float:
    """An extra reward for the player who moved here; none by default."""
    return 0.0


# ---- symmetry ----


@hook
def symmetries(game: Any) -> int:
    """How many symmetries `transform` knows, the identity (number 0) among them; they form a group."""
    return 1


@hook
def transform(game: Any, pos: Position, symmetry: int) -> Position:
    """The position as the symmetry maps it."""
    return pos


@hook
def transform_action(game: Any, pos: Position, action: int, symmetry: int) -> int:
    """The action that does in the transformed position what this one does in `pos`."""
    return action


@hook
def swaps_players(game: Any, symmetry: int) -> bool:
    """Whether the symmetry exchanges the players, so that the score changes its sign; by default not."""
    return False


# ---- scores that add up ----


@hook
def banked(game: Any, pos: Position) -> int:
    """The points for player 0 that no later play can change; 0 by default."""
    return 0


@hook
def unbanked(game: Any, pos: Position) -> Position:
    """The position without its banked points: what is still to be won from it."""
    return pos


# ---- search in large games ----


@hook
def candidates(game: Any, pos: Position) -> Mask:
    """Legal actions that include an optimal one, counting plies too; by default all of them."""
    mask: Mask = game.legal(pos)
    return mask


@hook
def promise(game: Any, pos: Position, action: int) -> int:
    """A move-ordering score: a search tries the highest first; by default all are equal."""
    return 0


@hook
def bounds(game: Any, pos: Position) -> tuple[int, int]:
    """Bounds on the value of a position without banked points; by default unknown."""
    return -ANY_SCORE, ANY_SCORE


@hook
def plies_left(game: Any, pos: Position) -> tuple[int, int]:
    """Bounds on the plies until somebody wins, if anybody does; by default unknown."""
    return 1, ANY_PLIES


@hook
def endgame_heaps(game: Any) -> int:
    """How many heaps make up a position, for games whose heaps never grow in total: endgame tablebases use them."""
    return 0


@hook
def endgame_heap(game: Any, pos: Position, number: int) -> int:
    """The size of a heap as the player to move counts them."""
    return 0


@hook
def endgame_position(game: Any, sizes: Heaps) -> Position:
    """The position of such heaps with player 0 to move and nothing banked."""
    return game.start()


# ---- normal play, and counting positions ----


@hook
def with_mover(game: Any, pos: Position, player: int) -> Position:
    """The same board with this player to move; only for games that give it (see `gives_with_mover`)."""
    return pos


@hook
def num_parts(game: Any, pos: Position) -> int:
    """How many positions, by `part`, a normal-play position is the sum of; one, itself, by default."""
    return 1


@hook
def part(game: Any, pos: Position, number: int) -> Position:
    """A position of the same game that a normal-play position has as a part; each part is its own only part."""
    return pos


@hook
def num_positions(game: Any) -> int:
    """The size of the perfect index; 0, the default, for games without one."""
    return 0


@hook
def index(game: Any, pos: Position) -> int:
    """The number of a position, different for each and below `num_positions`."""
    return -1


@hook
def position_at(game: Any, index: int) -> Position:
    """The position of an index; the start by default."""
    return game.start()


@hook
def tier(game: Any, pos: Position) -> int:
    """A number that never grows along play, the same for all images: tablebases are solved tier by tier; 0 by default.

    Where a game gives an index, too, a larger index never has a smaller tier.
    """
    return 0


@hook
def num_seat_positions(game: Any, player: int) -> int:
    """The size of one player's index; by default that of the index of all positions."""
    return num_positions(game)


@hook
def seat_index(game: Any, pos: Position) -> int:
    """The index of a position among those with the same player to move; by default its index."""
    return index(game, pos)


@hook
def seat_position_at(game: Any, player: int, index: int) -> Position:
    """The position of a player's index."""
    return position_at(game, index)


gives_odds = given("odds")
gives_observe = given("observe")
gives_banked = given("banked")
gives_endgames = given("endgame_heaps")
gives_with_mover = given("with_mover")
gives_parts = given("num_parts")
gives_index = given("index")
gives_tier = given("tier")
gives_seat_index = given("seat_index")
gives_shaping = given("shaping")


def validate(game: Any) -> None:
    """Raise ValueError, with what is allowed, for a parameter outside its enumeration or refused by the game."""
    for name, default in getattr(type(game), "_field_defaults", {}).items():
        if isinstance(default, enum.IntEnum) and getattr(game, name) not in list(type(default)):
            allowed = ", ".join(str(member) for member in type(default))
            raise ValueError(f"{name} must be one of {allowed}, not {getattr(game, name)}")
    if hasattr(game, "validate"):
        game.validate()


def first_player(game: Any, start: Position = None) -> int:
    """The player to move at a position, by default the start; player 0 where CHANCE moves."""
    player = int(game.player(game.start() if start is None else start))
    return 0 if player == CHANCE else player
