"""Agents without knowledge: random, first, last, and random with immediate wins and blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.agents.agent import Level, Probabilities, share_equally
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, add, count, first, is_empty, last, none_like, nth, without_first
from ludus.compiled.randomness import State, below
from ludus.game import gives_with_mover, with_mover


class Random(NamedTuple):
    """Any legal action, with equal probability."""

    @staticmethod
    def levels() -> tuple[Level, ...]:
        """The opponents that the page offers."""
        return (Level(0.0, "Random", "any legal action"),)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Uniform over the legal actions."""
        share_equally(game.legal(pos), out)

    def choose(self, game: Any, pos: Any, mask: Mask, out: Probabilities, state: State) -> int:
        """The same without `out`."""
        return nth(mask, below(state, count(mask)))


class First(NamedTuple):
    """The lowest legal action: in Toads and Frogs the most advanced piece."""

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the lowest."""
        out[first(game.legal(pos))] = 1.0


class Last(NamedTuple):
    """The highest legal action: in Toads and Frogs the piece furthest back."""

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the highest."""
        out[last(game.legal(pos))] = 1.0


class SmartRandom(NamedTuple):
    """A winning action, else a block if the opponent threatens to win at once, else at random."""

    @staticmethod
    def levels() -> tuple[Level, ...]:
        """The opponents that the page offers."""
        return (Level(0.2, "Careful", "sees one move ahead, else random"),)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Uniform over the winning actions, or the blocking ones, or all."""
        share_equally(smart_actions(game, pos), out)


@helper
def smart_actions(game: Any, pos: Any) -> Mask:
    """The actions among which `smart-random` draws; without `with_mover` it assumes that the opponent threatens."""
    legal: Mask = game.legal(pos)
    player = game.player(pos)
    wins = winning_actions(game, pos, player)
    if not is_empty(wins):
        return wins
    if gives_with_mover(game) and is_empty(winning_actions(game, with_mover(game, pos, 1 - player), 1 - player)):
        return legal
    blocks = none_like(legal)
    left = legal
    while not is_empty(left):
        after = game.play(pos, first(left))
        if not is_won(game, after, 1 - player) and is_empty(winning_actions(game, after, 1 - player)):
            blocks = add(blocks, first(left))
        left = without_first(left)
    return legal if is_empty(blocks) else blocks


@helper
def winning_actions(game: Any, pos: Any, player: int) -> Mask:
    """The actions with which this player, if it is to move, ends the game as its winner."""
    left = game.legal(pos)
    wins = none_like(left)
    if game.player(pos) != player:
        return wins
    while not is_empty(left):
        if is_won(game, game.play(pos, first(left)), player):
            wins = add(wins, first(left))
        left = without_first(left)
    return wins


@helper
def is_won(game: Any, pos: Any, player: int) -> bool:
    """Whether the game is over and this player has won."""
    if not is_empty(game.legal(pos)):
        return False
    score = game.score(pos)
    return bool(score > 0 if player == 0 else score < 0)
