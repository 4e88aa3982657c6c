"""Canonical forms by the definitions: a game is a pair of frozensets of games."""

from functools import cache

ZERO = (frozenset(), frozenset())


@cache
def at_most(g, h):
    """G <= H unless a left option of G is at least H, or a right option of H at most G."""
    return not any(at_most(h, left) for left in g[0]) and not any(at_most(right, g) for right in h[1])


def outcome(g):
    """P, N, L or R."""
    return {(True, True): "P", (False, True): "L", (True, False): "R", (False, False): "N"}[
        at_most(g, ZERO), at_most(ZERO, g)
    ]


def canonical(lefts, rights):
    """The canonical form of the game with these options, which are canonical."""
    g = bypassed((frozenset(lefts), frozenset(rights)))
    left = {one for one in g[0] if not any(other != one and at_most(one, other) for other in g[0])}
    right = {one for one in g[1] if not any(other != one and at_most(other, one) for other in g[1])}
    return frozenset(left), frozenset(right)


def bypassed(g):
    """The same game without reversible options."""
    for left in g[0]:
        for answer in left[1]:
            if at_most(answer, g):
                return bypassed((g[0] - {left} | answer[0], g[1]))
    for right in g[1]:
        for answer in right[0]:
            if at_most(g, answer):
                return bypassed((g[0], g[1] - {right} | answer[1]))
    return g


def added(g, h):
    """The sum, not canonical."""
    return (
        frozenset([added(left, h) for left in g[0]] + [added(g, left) for left in h[0]]),
        frozenset([added(right, h) for right in g[1]] + [added(g, right) for right in h[1]]),
    )


def moves(strip, side):
    """The strips that toads (side 0) or frogs can make of a strip."""
    piece, enemy, step = ("T", "F", 1) if side == 0 else ("F", "T", -1)
    for place, square in enumerate(strip):
        near, far = place + step, place + 2 * step
        if square != piece:
            continue
        if 0 <= near < len(strip) and strip[near] == "_":
            yield moved(strip, place, near)
        elif 0 <= far < len(strip) and strip[near] == enemy and strip[far] == "_":
            yield moved(strip, place, far)


def moved(strip, place, target):
    squares = list(strip)
    squares[place], squares[target] = "_", squares[place]
    return "".join(squares)


@cache
def of_strip(strip):
    """The canonical form of a strip."""
    return canonical(*([of_strip(after) for after in moves(strip, side)] for side in (0, 1)))
