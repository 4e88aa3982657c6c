"""Enumerates all that a position leads to, with the options of both sides, and computes the forms bottom-up.

A node is a part (`ludus.game.part`) with player 0 to move, its least image under symmetry. An option is a sum of such
parts, negative where a symmetry exchanged the players.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.cgt.calculus import (
    FORMS,
    FULL,
    LEFT,
    NONE,
    RIGHT,
    Arena,
    add_to_draft,
    added,
    negated,
    start_draft,
    write_raw,
)
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import gives_parts, num_parts, part, swaps_players, symmetries, transform, with_mover
from ludus.solving.position_index import find_slot

Ints = npt.NDArray[np.int32]
DONE, PAUSED, NO_ROOM, NOT_NORMAL, NOT_ALTERNATING = range(5)  # how enumerating ends
NODES, OPTIONS, TERMS, EXPANDED = range(4)  # what `counters` count
NEITHER = -1  # in place of a term: no room
IS_SUM = -1  # in place of where Right's options begin: the node is no part but the sum that is its only option
LOOP, UNFINISHED = -4, -5  # in place of a form: play can return to a position; stopped before the end
ON_PATH = -6  # among the forms: being computed


class Tree(NamedTuple):
    """The nodes and the options of each: Left's from `left` to `right`, Right's from `right` to `end`."""

    rows: npt.NDArray[np.int64]  # [nodes, fields]
    slots: Ints  # a hash table: nodes plus one, or 0
    left: Ints  # [nodes]
    right: Ints  # [nodes]
    end: Ints  # [nodes]
    options: Ints  # [options + 1]: where the terms of each begin
    terms: Ints  # twice a node, plus one if negative
    counters: npt.NDArray[np.int64]  # [4]


def new_tree(fields: int, room: int = 1 << 10) -> Tree:
    """An empty tree with room for `room` nodes, a power of two."""
    sizes = 2 * room, room, room, room, 8 * room + 1, 12 * room
    slots, left, right, end, options, terms = (np.zeros(size, np.int32) for size in sizes)
    return Tree(np.zeros((room, fields), np.int64), slots, left, right, end, options, terms, np.zeros(4, np.int64))


def larger(tree: Tree) -> Tree:
    """The same with twice the room."""
    made = new_tree(tree.rows.shape[1], 2 * len(tree.rows))
    for field in ("rows", "left", "right", "end", "options", "terms", "counters"):
        old = getattr(tree, field)
        getattr(made, field)[: len(old)] = old
    enter_rows(made)
    return made


@kernel(work=lambda tree: 10.0 * tree.counters[NODES])
def enter_rows(tree: Tree) -> None:
    """Enters all parts into the empty slots."""
    for number in range(tree.counters[NODES]):
        if tree.right[number] != IS_SUM:
            tree.slots[find_slot(tree.rows, tree.slots, tree.rows[number])] = number + 1


@helper
def term_of(game: Any, pos: Any, tree: Tree, row: Row, plain: bool) -> int:
    """The term of a part, which is added unless it is there; NEITHER if there is no room."""
    least, sign = with_mover(game, pos, 0), 0
    if not plain:
        for symmetry in range(1, symmetries(game)):
            image = with_mover(game, transform(game, least, symmetry), 0)
            if gives_parts(game):
                image = part(game, image, 0)
            if image < least:
                least, sign = image, 1 if swaps_players(game, symmetry) else 0
    pack(least, row)
    slot = find_slot(tree.rows, tree.slots, row)
    if tree.slots[slot] == 0:
        number = tree.counters[NODES]
        if number == len(tree.rows):
            return NEITHER
        for field in range(len(row)):
            tree.rows[number, field] = row[field]
        tree.slots[slot] = number + 1
        tree.counters[NODES] += 1
    return 2 * (int(tree.slots[slot]) - 1) + sign


@helper
def add_option(game: Any, pos: Any, tree: Tree, row: Row, plain: bool) -> bool:
    """Adds an option of the node being expanded, as the sum of its parts; False if there is no room."""
    parts = num_parts(game, pos) if gives_parts(game) and not plain else 1
    option, terms = int(tree.counters[OPTIONS]), int(tree.counters[TERMS])
    if option + 1 >= len(tree.options) or terms + parts > len(tree.terms):
        return False
    for number in range(parts):
        own = part(game, pos, number) if gives_parts(game) and not plain else pos
        term = term_of(game, own, tree, row, plain)
        if term == NEITHER:
            return False
        tree.terms[terms + number] = term
    tree.options[option + 1] = terms + parts
    tree.counters[OPTIONS], tree.counters[TERMS] = option + 1, terms + parts
    return True


@helper
def add_options(game: Any, pos: Any, player: int, whole: bool, tree: Tree, row: Row, plain: bool) -> int:
    """Adds all options of a player, or the position itself as the only one if it is whole; DONE, or why not."""
    to_move = with_mover(game, pos, player)
    left = game.legal(to_move)
    ended = is_empty(left) and not whole
    if ended and (game.player(to_move) != player or game.score(to_move) != (1 if player == 1 else -1)):
        return NOT_NORMAL
    while whole or not is_empty(left):
        after = pos if whole else game.play(to_move, first(left))
        if not whole and game.player(after) != 1 - player:
            return NOT_ALTERNATING
        if not add_option(game, after, tree, row, plain):
            return NO_ROOM
        if whole:
            break
        left = without_first(left)
    return DONE


@kernel(work=lambda game, like, tree, plain, budget: 150.0 * min(budget, len(tree.rows) - tree.counters[EXPANDED]))
def expand(game: Any, like: Any, tree: Tree, plain: bool, budget: int) -> int:
    """Expands at most `budget` nodes; DONE, or why it stopped."""
    row, counters = np.zeros(tree.rows.shape[1], np.int64), tree.counters
    while counters[EXPANDED] < counters[NODES] and budget > 0:
        node, options, terms = counters[EXPANDED], counters[OPTIONS], counters[TERMS]
        pos, whole = unpack(like, tree.rows[node]), tree.right[node] == IS_SUM
        tree.left[node], status = options, DONE
        for player in range(1 if whole else 2):
            if player == 1:
                tree.right[node] = counters[OPTIONS]
            if status == DONE:
                status = add_options(game, pos, player, whole, tree, row, plain)
        tree.end[node] = counters[OPTIONS]
        if status != DONE:
            counters[OPTIONS], counters[TERMS] = options, terms
            return status
        counters[EXPANDED] += 1
        budget -= 1
    return DONE if counters[EXPANDED] == counters[NODES] else PAUSED


class Work(NamedTuple):
    """What `evaluate` works on."""

    tree: Tree
    forms: Ints  # [nodes], or NONE or ON_PATH
    path: Ints  # its length, sums, then nodes that each lead to the next
    cursors: Ints  # [nodes]: how many terms of each node on the path are known


def work_on(tree: Tree, forms: Ints, sums: Sequence[int]) -> Work:
    """The evaluation of sums."""
    size = int(tree.counters[NODES])
    work = Work(tree, forms, np.zeros(size + 1, np.int32), np.zeros(size, np.int32))
    work.path[0], work.path[1 : len(sums) + 1], forms[sums] = len(sums), sums, ON_PATH
    return work


def calculation(known: Sequence[int], options: Sequence[Sequence[int]], right: int) -> Work:
    """The evaluation of one node over known forms: terms number them, `right` is where Right's options begin."""
    size = len(known)
    ends = np.cumsum([0, *map(len, options)], dtype=np.int32)
    terms = np.array([term for option in options for term in option], np.int32)
    left, middle, end = (np.full(size + 1, value, np.int32) for value in (0, right, len(options)))
    nothing, counters = np.zeros(0, np.int32), np.array([size + 1, 0, 0, 0], np.int64)
    tree = Tree(np.zeros((0, 0), np.int64), nothing, left, middle, end, ends, terms, counters)
    return work_on(tree, np.array([*known, NONE], np.int32), [size])


def work_of(arena: Arena, nodes: int) -> float:
    """About how many microseconds plain Python takes for the forms of nodes: a sum leads to pairs of forms."""
    return float(nodes * (100 + arena.counters[FORMS] ** 2 / 500))


@kernel(
    work=lambda arena, work, budget: work_of(arena, min(budget, np.count_nonzero(work.forms[: len(work.cursors)] < 0)))
)
def evaluate(arena: Arena, work: Work, budget: int) -> int:
    """Computes the forms of the nodes on the path, at most `budget`; 0 when done, or why it stopped."""
    arena, tree, forms, path, cursors = borrowed(arena), borrowed(work.tree), work.forms, work.path, work.cursors
    while path[0] > 0:
        node = int(path[path[0]])
        child = next_unknown(tree, forms, node, cursors)
        if child == NONE:
            if budget == 0:
                return UNFINISHED
            form = form_of(arena, tree, forms, node)
            if form < 0:
                return form
            forms[node] = form
            path[0] -= 1
            budget -= 1
        elif forms[child] == ON_PATH:
            return LOOP
        else:
            forms[child], cursors[child] = ON_PATH, 0
            path[0] += 1
            path[path[0]] = child
    return 0


@helper
def next_unknown(tree: Tree, forms: Ints, node: int, cursors: Ints) -> int:
    """A node that an option of this one leads to and whose form is not known, or NONE."""
    begin, end = tree.options[tree.left[node]], tree.options[tree.end[node]]
    for place in range(begin + cursors[node], end):
        child = tree.terms[place] >> 1
        if forms[child] < 0:
            cursors[node] = place - begin
            return int(child)
    return NONE


@helper
def form_of(arena: Arena, tree: Tree, forms: Ints, node: int) -> int:
    """The form of a node whose options are known; or FULL or TOO_FINE."""
    begin, end = int(tree.left[node]), int(tree.end[node])
    is_sum = tree.right[node] == IS_SUM
    found = np.empty(end - begin, np.int32)
    form = 0
    for option in range(begin, end if is_sum else end + 1):
        if option == end:  # the last round is for the node itself
            form, first, last = raw_form(arena, found, int(tree.right[node]) - begin), 0, 1
        else:
            form, first, last = 0, int(tree.options[option]), int(tree.options[option + 1])
        for place in range(first, last):
            term = 0 if option == end else int(forms[tree.terms[place] >> 1])
            if option < end and tree.terms[place] & 1:
                term = negated(arena, term)
            form = added(arena, form, term) if form >= 0 and term >= 0 else min(form, term)
        if form < 0 or option == end:
            return form
        found[option - begin] = form
    return form


@helper
def raw_form(arena: Arena, found: Ints, lefts: int) -> int:
    """The raw form of a node with the forms of its options, so many of them Left's; or FULL."""
    start_draft(arena.counters)
    for number in range(len(found)):
        if not add_to_draft(arena.draft, arena.counters, LEFT if number < lefts else RIGHT, found[number]):
            return FULL
    return write_raw(arena)
