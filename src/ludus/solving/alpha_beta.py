"""The search itself: whether a position is worth at least so much to the player who moves there.

Values are whole numbers seen by the player to move. In games whose score adds up (`banked`) a value is what the player
will still win or lose. In all others it is the score in units of UNIT, less one for each ply to the end: shorter wins
are worth more, longer losses too; a draw is 0 however long it takes.

Every question is answered by one number: if it is at least the `beta` asked for, the value is no less; if it is below,
the value is no more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import highest
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import borrowed, pack, unpack
from ludus.game import (
    ANY_PLIES,
    ANY_SCORE,
    CHANCE,
    bounds,
    candidates,
    gives_banked,
    gives_endgames,
    plies_left,
    promise,
    unbanked,
)
from ludus.solving.endgame_index import Endgames, looked_up
from ludus.solving.transposition_table import (
    MOST,
    NO_ACTION,
    Table,
    action_of,
    hashed,
    keep,
    look_up,
    lower_of,
    upper_of,
)
from ludus.solving.value import UNIT, after_it, before_it, gained, seen_by_mover, unit

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
