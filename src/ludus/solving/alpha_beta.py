"""The search itself: whether a position is worth at least so much to the player who moves there.

Values are whole numbers seen by the player to move. In games whose score adds up (`banked`) a value is what the player
will still win or lose. In all others it is the score in units of UNIT, less one for each ply to the end: shorter wins
are worth more, longer losses too; a draw is 0 however long it takes.

Every question is answered by one number: if it is at least the `beta` asked for, the value is no less; if it is below,
the value is no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import highest
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, first, is_empty, without_first
from ludus.compiled.rows import borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import (
    ANY_PLIES,
    ANY_SCORE,
    CHANCE,
    banked,
    bounds,
    candidates,
    gives_banked,
    gives_endgames,
    gives_odds,
    max_plies,
    num_actions,
    plies_left,
    promise,
    unbanked,
    validate,
)
from ludus.solving import endgames
from ludus.solving.endgames import Endgames, looked_up
from ludus.solving.transposition_table import (
    MOST,
    NO_ACTION,
    Table,
    action_of,
    hashed,
    keep,
    look_up,
    lower_of,
    new_table,
    upper_of,
)
from ludus.solving.value import UNIT, Value, after_it, before_it, gained, seen_by_mover, unit

Ints = npt.NDArray[np.int64]
LONGEST = UNIT // 2  # plies that count in a value; one that may take more could turn into a draw on its way up
NODES, DEPTH, TROUBLE = range(3)  # `counters`: positions visited, where the line ends, why it cannot be searched
TOO_LARGE, BY_CHANCE = 1, 2  # TROUBLE
ANSWERED, PAUSED, FULL = range(3)  # why `advance` stopped


# A row of `children`: two hashes, what the action banked, whether its player moves again; then the position's fields.
ONE, TWO, GAIN, AGAIN, FIELDS = range(5)


# A row of `frames`: the question, the best answer so far and its action, how many actions wait, which one is being
# tried, and the nodes visited before. The position itself is a child of the frame before, by the action tried there.
BETA, BEST, ACTION, WAITING, TRIED, BEFORE, FRAME = range(7)


# An entry of `queues`: how soon to try an action, above two fields of ten bits.
_BITS = 10
_FIELD = (1 << _BITS) - 1


class Search(NamedTuple):
    """The line of play being looked at, so that a search can stop and go on anywhere, and all that it remembers.

    For each ply of the line: what follows each action (children), the actions to be tried in their order, each with the
    one that looked best after it (queues), and how far the question is (frames). Ply 0 has only the root as a child.
    """

    children: Ints  # plies x actions x (FIELDS and the fields of a position)
    queues: Ints  # plies x actions
    frames: Ints  # plies x FRAME
    counters: Ints
    table: Table
    endgames: Endgames


@kernel
def begin(game: Any, pos: Any, beta: int, search: Search) -> None:
    """Ask whether a position without banked points, in which the game goes on, is worth at least beta."""
    search.counters[TROUBLE] = BY_CHANCE if game.player(pos) == CHANCE else 0
    root = search.children[0, 0]
    root[ONE], root[TWO] = hashed(game, pos)
    pack(pos, root[FIELDS:])
    search.frames[0, TRIED] = 0
    search.queues[0, 0] = action_of(look_up(search.table, root[ONE], root[TWO])) << _BITS
    search.counters[DEPTH] = 1
    expand(game, pos, beta, 1, search)


@kernel
def advance(game: Any, like: Any, search: Search, limit: int) -> int:
    """Go on with the question until it is answered, `limit` nodes are visited, or no more can be searched."""
    search = borrowed(search)
    depth = search.counters[DEPTH]
    stopped = PAUSED
    while stopped == PAUSED and search.counters[NODES] < limit and search.counters[TROUBLE] == 0:
        frame = search.frames[depth]
        if frame[BEST] >= frame[BETA] or frame[TRIED] == frame[WAITING]:
            remember(search, depth)
            depth -= 1
            if depth == 0:
                stopped = ANSWERED
            else:
                take_answer(game, search, depth)
        elif depth + 1 == len(search.frames):
            stopped = FULL
        else:
            descend(game, like, search, depth)
            depth += 1
    search.counters[DEPTH] = depth
    return stopped


@helper
def tried(search: Search, depth: int) -> Ints:
    """The child that is being looked into."""
    action = search.queues[depth, search.frames[depth, TRIED]] & _FIELD
    child: Ints = search.children[depth, action]
    return child


@helper
def expand(game: Any, pos: Any, beta: int, depth: int, search: Search) -> None:
    """Enter a position: what is known of its successors may answer the question; the others wait to be tried."""
    search.counters[NODES] += 1
    frame = search.frames[depth]
    frame[BETA], frame[BEST], frame[ACTION] = beta, -MOST, NO_ACTION
    frame[WAITING] = frame[TRIED] = 0
    frame[BEFORE] = search.counters[NODES]
    favourite = search.queues[depth - 1, search.frames[depth - 1, TRIED]] >> _BITS & _FIELD
    left = candidates(game, pos)
    while not is_empty(left) and frame[BEST] < beta:
        action = first(left)
        if generate(game, pos, action, depth, search):
            gain, again = search.children[depth, action, GAIN], search.children[depth, action, AGAIN]
            order = MOST if action == favourite else promise(game, pos, action) + 2 * gain + again
            enqueue(search.queues[depth], frame[WAITING], order << 2 * _BITS | action)
            frame[WAITING] += 1
        left = without_first(left)
    if frame[BEST] < beta:
        consult_table(game, depth, search)


@helper
def generate(game: Any, pos: Any, action: int, depth: int, search: Search) -> bool:
    """Play an action; whether it must wait because bounds and endgames do not tell what it is worth."""
    child = search.children[depth, action]
    after = game.play(pos, action)
    rest = unbanked(game, after)
    child[GAIN] = gained(game, pos, after)
    child[AGAIN] = game.player(after) == game.player(pos)
    low, high = known(game, rest, search.endgames)
    if low > MOST or high < -MOST or not adds_up(game, child[GAIN], search.frames[depth, BETA]):
        search.counters[TROUBLE] = TOO_LARGE
    if game.player(after) == CHANCE:
        search.counters[TROUBLE] = BY_CHANCE
    if settles(game, child, low, high, action, search.frames[depth]):
        return False
    child[ONE], child[TWO] = hashed(game, rest)
    pack(rest, child[FIELDS:])
    return True


@helper
def settles(game: Any, child: Ints, low: int, high: int, action: int, frame: Ints) -> bool:
    """Whether bounds of the position after an action tell on which side of beta it is; if so, they are counted."""
    if child[AGAIN] == 0:
        low, high = -high, -low
    low, high = before_it(game, child[GAIN], low), before_it(game, child[GAIN], high)
    if low < frame[BETA] <= high:
        return False
    worth = low if low >= frame[BETA] else high
    if worth > frame[BEST]:
        frame[BEST], frame[ACTION] = worth, action
    return True


@helper
def enqueue(queue: Ints, waiting: int, entry: int) -> None:
    """Insert an entry among the waiting ones, the highest first."""
    place = waiting
    while place > 0 and queue[place - 1] < entry:
        queue[place] = queue[place - 1]
        place -= 1
    queue[place] = entry


@helper
def consult_table(game: Any, depth: int, search: Search) -> None:
    """Look up all waiting actions, one right after the other, so that the memory answers many at once."""
    frame, queue = search.frames[depth], search.queues[depth]
    kept = 0
    for place in range(frame[WAITING]):
        action = queue[place] & _FIELD
        child = search.children[depth, action]
        notes = look_up(search.table, child[ONE], child[TWO])
        if notes == 0 or not settles(game, child, lower_of(notes), upper_of(notes), action, frame):
            queue[kept] = queue[place] | action_of(notes) << _BITS
            kept += 1
    frame[WAITING] = kept


@helper
def descend(game: Any, like: Any, search: Search, depth: int) -> None:
    """Enter the position after the next waiting action, with the question that settles this one."""
    child = tried(search, depth)
    beta = after_it(game, child[GAIN], search.frames[depth, BETA])
    expand(game, unpack(like, child[FIELDS:]), beta if child[AGAIN] else 1 - beta, depth + 1, search)


@helper
def take_answer(game: Any, search: Search, depth: int) -> None:
    """Use what was found one ply deeper."""
    frame, child = search.frames[depth], tried(search, depth)
    answer = search.frames[depth + 1, BEST]
    value = before_it(game, child[GAIN], answer if child[AGAIN] else -answer)
    if value > frame[BEST]:
        frame[BEST], frame[ACTION] = value, search.queues[depth, frame[TRIED]] & _FIELD
    frame[TRIED] += 1


@helper
def remember(search: Search, depth: int) -> None:
    """Note the answer in the table."""
    frame, child = search.frames[depth], tried(search, depth - 1)
    if not fits(frame[BEST]):
        search.counters[TROUBLE] = TOO_LARGE
        return
    low, high = (frame[BEST], MOST) if frame[BEST] >= frame[BETA] else (-MOST, frame[BEST])
    effort = highest(int(search.counters[NODES] - frame[BEFORE] + 1))
    keep(search.table, child[ONE], child[TWO], low, high, frame[ACTION], effort)


# ---- values ----


@helper
def fits(value: int) -> bool:
    """Whether a value can be noted, and told from one that is not known."""
    return -MOST < value < MOST


@helper
def adds_up(game: Any, gain: int, beta: int) -> bool:
    """Whether what is gained, and what is then still wanted, can be noted."""
    return not gives_banked(game) or (fits(gain) and fits(beta - gain))


@helper
def known(game: Any, pos: Any, endgames: Endgames) -> tuple[int, int]:
    """Bounds of a value that need no search."""
    if is_empty(game.legal(pos)):
        score = seen_by_mover(game, pos, clipped(game.score(pos), ANY_SCORE)) * unit(game)
        return score, score
    if gives_endgames(game):
        value = looked_up(game, pos, endgames)
        if value >= -MOST:
            return value, value
    return within(game, pos)


@helper
def within(game: Any, pos: Any) -> tuple[int, int]:
    """The game's own bounds as values, within what can be noted."""
    low, high = bounds(game, pos)
    low, high = clipped(low, ANY_SCORE), clipped(high, ANY_SCORE)
    if game.player(pos) != 0:
        low, high = -high, -low
    if not gives_banked(game):
        fewest, most = plies_left(game, pos)
        fewest, most = clipped(fewest, ANY_PLIES), most if most < LONGEST else ANY_PLIES
        low, high = -counted(-low, fewest, most), counted(high, fewest, most)
    return max(low, -MOST), min(high, MOST)


@helper
def clipped(number: int, limit: int) -> int:
    """The nearest number that is no larger than the limit, on either side of 0."""
    return max(-limit, min(number, limit))


@helper
def counted(points: int, if_won: int, if_lost: int) -> int:
    """Points as a value, by the plies that a win and a loss take."""
    return points * UNIT - if_won * (points > 0) + if_lost * (points < 0)


DEFAULT_MEMORY = 1 << 30
_SLICE = 1 << 18  # nodes visited before an interrupt is heard
_FIRST_DEPTH = 128
_DEEPEST = 1 << 16  # plies; where plies count, values leave room for fewer
_NODES_PER_ENDGAME = 0.5  # spent in search before an endgame is worth working out

# Asked first where plies count, because the answer is cheap: is it won, or lost, within so many plies?
_SOON = 8
_QUICK_QUESTIONS = (UNIT - _SOON, 1 - (UNIT - _SOON))


class Book(Protocol):
    """Values that are known beforehand."""

    def get(self, pos: Any) -> int | None:
        """The value of a position as searches count, for the player to move, or None."""


def searchable(game: Any) -> bool:
    """Whether the game says that it always ends, by not giving max_plies; leaves nothing to chance; has few actions."""
    return max_plies(game) == 0 and not gives_odds(game) and num_actions(game) <= NO_ACTION


class Searcher:
    """A search that remembers what it finds, in at most `memory` bytes; where there are endgames, half is for them.

    `progress` is told the nodes visited so far, some times a second; what it raises stops the search, which can be
    asked again. Draws are not counted in plies, nor is anything in games whose score adds up.
    """

    def __init__(
        self,
        game: Any,
        *,
        memory: int = DEFAULT_MEMORY,
        progress: Callable[[int], None] | None = None,
        book: Book | None = None,
    ) -> None:
        validate(game)
        if not searchable(game):
            raise LudusError(
                f"{type(game).__name__} cannot be searched: that needs a game that always ends and gives no max_plies,"
                f" leaves nothing to chance, and has at most {NO_ACTION} actions"
            )
        self.game, self.memory, self.progress, self.book = game, memory, progress, book
        self._latest: tuple[Any, int] | None = None
        self._endgames = endgames.Growing()
        table = new_table(memory // 2 if gives_endgames(game) else memory)
        counters = np.zeros(3, np.int64)
        self._search = Search(*_room(game, _FIRST_DEPTH), counters, table, self._endgames.table)

    def partner(self) -> Searcher:
        """Another search of the same game that shares its tables, to be used by another thread."""
        other = copy(self)
        counters = np.zeros_like(self._search.counters)
        other._search = Search(*_room(self.game, _FIRST_DEPTH), counters, *self._search[4:])
        return other

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return int(self._search.counters[NODES])

    def value(self, pos: Any) -> Value:
        """What perfect play makes of a position."""
        game = self.game
        if is_empty(game.legal(pos)):
            return Value(game.score(pos), None if gives_banked(game) else 0)
        return self.told(pos, self.solved(pos))

    def told(self, pos: Any, found: int) -> Value:
        """What a value, as `search_tree` counts it for who moves in a position, says of that position."""
        game = self.game
        if gives_banked(game):
            return Value(banked(game, pos) + seen_by_mover(game, pos, found))
        points = -(-abs(found) // UNIT)
        score = seen_by_mover(game, pos, points if found > 0 else -points)
        return Value(score, points * UNIT - abs(found) if points else None)

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return {action: self.action(pos, action) for action in actions(self.game.legal(pos))}

    def action(self, pos: Any, action: int) -> Value:
        """The value of one action."""
        score, plies = self.value(self.game.play(pos, action))
        return Value(score, None if plies is None or score == 0 else plies + 1)

    def best(self, pos: Any) -> list[int]:
        """The legal actions that reach the value of a position; asks less than the value of every action would."""
        return [] if is_empty(self.game.legal(pos)) else self._reaching(pos, self.solved(pos))

    def keeping(self, pos: Any) -> list[int]:
        """The legal actions that give nothing away but plies."""
        if gives_banked(self.game) or is_empty(self.game.legal(pos)):
            return self.best(pos)
        return self._reaching(pos, _least_alike(self.solved(pos)))

    def _reaching(self, pos: Any, value: int) -> list[int]:
        return [action for action in actions(self.game.legal(pos)) if self._reaches(pos, action, value)]

    def _reaches(self, pos: Any, action: int, value: int) -> bool:
        """Whether an action is worth so much to the player who moves."""
        game, rest = self.game, unbanked(self.game, pos)
        after = game.play(rest, action)
        beta = after_it(game, gained(game, rest, after), value)
        if game.player(after) == game.player(rest):
            return self._at_least(after, beta)
        return not self._at_least(after, 1 - beta)

    def _at_least(self, pos: Any, beta: int) -> bool:
        """Whether a position is worth so much to the player to move, or who would be."""
        game, rest = self.game, unbanked(self.game, pos)
        if is_empty(game.legal(rest)):
            return seen_by_mover(game, rest, game.score(rest)) * unit(game) >= beta
        known = self.book.get(rest) if self.book else None
        return (self._ask(rest, beta) if known is None else known) >= beta

    def solved(self, pos: Any) -> int:
        """The value of a position in which the game goes on, as `search_tree` counts; the latest is remembered."""
        if self._latest is None or self._latest[0] != pos:
            self._latest = pos, self._find_out(pos)
        return self._latest[1]

    def _find_out(self, pos: Any) -> int:
        """The same from the book, or by questions that close in."""
        for low, _ in self.closing_in(pos):  # noqa: B007, the last counts
            pass
        return low

    def closing_in(self, pos: Any) -> Iterator[tuple[int, int]]:
        """Bounds of the same value, tighter and tighter until they meet."""
        known = self.book.get(pos) if self.book else None
        if known is not None:
            yield known, known
            return
        rest = unbanked(self.game, pos)
        low, high = within(self.game, rest)
        yield low, high
        for beta in () if gives_banked(self.game) else _QUICK_QUESTIONS:
            if low < beta <= high:
                low, high = self._narrowed(rest, beta, low, high)
                yield low, high
        beta = max(low + 1, min(0, high))
        while low < high:
            before = low
            low, high = self._narrowed(rest, beta, low, high)
            beta = low + 1 if low > before else high
            yield low, high

    def _narrowed(self, pos: Any, beta: int, low: int, high: int) -> tuple[int, int]:
        """The bounds of a value after asking whether it is at least beta."""
        answer = self._ask(pos, beta)
        return (answer, high) if answer >= beta else (low, answer)

    def _ask(self, pos: Any, beta: int) -> int:
        """A number at least beta, which the value then reaches, or one below it, which the value does not exceed."""
        begin(self.game, pos, beta, self._search)
        while True:
            stopped = advance(self.game, pos, self._search, self.nodes + _SLICE)
            if self._search.counters[TROUBLE]:
                raise LudusError(self._trouble())
            if stopped == ANSWERED:
                return int(self._search.frames[1, BEST])
            if stopped == FULL:
                self._deepen()
            self._on_progress()
            if gives_endgames(self.game):
                self._extend_endgames()

    def _trouble(self) -> str:
        name = type(self.game).__name__
        if self._search.counters[TROUBLE] == BY_CHANCE:
            return f"{name} cannot be searched: that needs a game that leaves nothing to chance"
        return f"a score of {name} is larger than a search can handle"

    def _on_progress(self, *_: int) -> None:
        if self.progress:
            self.progress(self.nodes)

    def _deepen(self) -> None:
        """Make room for twice as many plies."""
        old = self._search[:3]
        depth = 2 * len(old[0])
        if depth > (_DEEPEST if gives_banked(self.game) else LONGEST):
            raise LudusError(
                f"{type(self.game).__name__} goes on for more than {depth // 2} plies, too many for a search;"
                " a game that may never end must give max_plies"
            )
        larger = _room(self.game, depth)
        for new, part in zip(larger, old, strict=True):
            new[: len(part)] = part
        self._search = Search(*larger, *self._search[3:])

    def _extend_endgames(self) -> None:
        """Work out more endgames once the search has taken long enough for them to pay."""
        room = self.memory - self._search.table.nbytes - len(self._endgames.table.values)
        most = endgames.most_within(self.game, min(room, int(self.nodes / _NODES_PER_ENDGAME)))
        table = self._endgames.with_at_least(self.game, most, self._on_progress)
        self._search = self._search._replace(endgames=table)


def _least_alike(value: int) -> int:
    """The least value of the same score, where plies count."""
    return (value - 1) // UNIT * UNIT + 1 if value > 0 else value // UNIT * UNIT


def _room(game: Any, depth: int) -> tuple[Ints, Ints, Ints]:
    """Space for a line of play of so many plies: children, queues and frames."""
    actions = num_actions(game)
    shapes = (depth, actions, FIELDS + len(game.start())), (depth, actions), (depth, FRAME)
    children, queues, frames = (np.zeros(shape, np.int64) for shape in shapes)
    return children, queues, frames
