"""What `check` notes of a game that keeps the contract: legal, but hardly meant."""

from __future__ import annotations

import difflib
import random
from collections import deque
from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

from ludus import face
from ludus import game as contract
from ludus.checking.plain import LONGEST, Sample
from ludus.compiled.compiling import Twin
from ludus.compiled.digests import members
from ludus.compiled.masks import actions, count
from ludus.game import CHANCE
from ludus.loops import cycle_in, recurring_position

_SIMILAR = 0.85  # of two names
_ENDS = 50  # that say something about all ends
_HIDDEN = ("card", "hand", "deck", "deal", "secret", "hidden", "private")
_OPEN = "Ludus shows every position to both players and solves the game with everything visible"


def notes_on(game: Any, sample: Sample) -> list[str]:
    """All notes on a game, each a sentence."""
    parts = (_on_names, _on_play, _on_scores, _on_negative_fields, _on_loops, _on_hidden_information)
    return [note for part in parts for note in part(game, sample)]


def _on_names(game: Any, sample: Sample) -> Iterator[str]:
    """Members that look like misspelt hooks."""
    known = known_names()
    for name in members(type(game)):
        near = difflib.get_close_matches(name, known, 1, _SIMILAR)
        if name not in known and near:
            yield f"{name} is no hook: did you mean {near[0]}?"


def known_names() -> set[str]:
    """The names that Ludus reads of a game's class."""
    hooks = {name for name, value in vars(contract).items() if isinstance(value, Twin) and not name.startswith("gives")}
    return {*hooks, *contract.RULES, *face.MEMBERS, "validate"}


def _on_play(game: Any, sample: Sample) -> Iterator[str]:
    """A game without play, or without one of its players."""
    if 0 in sample.ended:
        yield "the game is over at its start: legal returns no action there"
        return
    ended = set(sample.ended)
    moving = {player for number, player in enumerate(sample.players) if number not in ended}
    for player in {0, 1} - moving:
        yield f"player {player} never moves in {sample.summary}"


def _on_scores(game: Any, sample: Sample) -> Iterator[str]:
    """A game in which nothing can be won."""
    scores = {int(game.score(sample.positions[number])) for number in sample.ended}
    says_all = len(sample.ended) > _ENDS or (sample.whole and 0 not in sample.ended)
    if len(scores) == 1 and says_all and sample.recurring_position is None:  # or the game is drawn for ever
        yield f"every end scores {scores.pop()}: no action matters"


def _on_negative_fields(game: Any, sample: Sample) -> Iterator[str]:
    """Boards in which all higher bits are set."""
    for name, column in zip(sample.positions[0]._fields, zip(*sample.positions, strict=True), strict=True):
        if min(column) < -(1 << 31):
            yield f"the field {name} holds {min(column)}: if ~ made it, mask it, ~board & ((1 << squares) - 1)"


def ending(game: Any, sample: Sample) -> str:
    """Whether play always ends, as far as that can be found out; `max_plies` does not count."""
    pos = sample.recurring_position if sample.whole else recurring_position(game)
    if pos is not None:
        return f"play can come back to {pos}"
    if sample.whole:
        return f"play always ends, within {max(_plies_to_ends(sample))} plies"
    if not _random_game_ends(game):
        return f"a random game went on for {LONGEST:,} plies"
    return "no random game came back to a position"


def _plies_to_ends(sample: Sample) -> list[int]:
    """The longest play from each position to an end."""
    after, plies = _followers(sample), [0] * len(sample.positions)
    for number in _ends_first(after):
        plies[number] = max((plies[n] + 1 for n in after[number]), default=0)
    return plies


def _random_game_ends(game: Any) -> bool:
    """Whether one ends within the plies after which it counts as endless."""
    pos, generator = game.start(), random.Random(0)
    for _ in range(LONGEST):
        legal = actions(game.legal(pos))
        if not legal:
            return True
        pos = game.play(pos, generator.choice(legal))
    return False


def _on_loops(game: Any, sample: Sample) -> Iterator[str]:
    """Play that need not end and nothing that ends it, play without an end in sight, a cap before any end."""
    pos = sample.recurring_position if sample.whole else recurring_position(game)
    cap = contract.max_plies(game)
    if pos is not None and not cap:
        yield (
            f"play can come back to {pos}: give max_plies, the length at which play and training call a draw"
            " (the solution does not need it)"
        )
    elif pos is None and not sample.whole and not _random_game_ends(game):
        yield f"a random game went on for {LONGEST:,} plies: if play never ends, the game cannot be solved"
    if cap and sample.whole and cap < (fewest := _fewest_plies(sample)):
        yield f"max_plies is {cap}, but no game ends before {fewest} plies: play and training call every game a draw"


def _fewest_plies(sample: Sample) -> int:
    """The plies of the shortest game."""
    after, plies, waiting = _followers(sample), {0: 0}, deque([0])
    while waiting and after[waiting[0]]:
        number = waiting.popleft()
        new = [n for n in after[number] if n not in plies]
        plies.update(dict.fromkeys(new, plies[number] + 1))
        waiting.extend(dict.fromkeys(new))
    return plies[waiting[0]] if waiting else 0


def _followers(sample: Sample) -> list[list[int]]:
    """The numbers of the positions after each position of a whole sample."""
    numbers = {pos: number for number, pos in enumerate(sample.positions)}
    after: list[list[int]] = [[] for _ in sample.positions]
    for number, _, pos in sample.transitions:
        after[number].append(numbers[pos])
    return after


def _on_hidden_information(game: Any, sample: Sample) -> Iterator[str]:
    """Draws of chance that only the score depends on, and cards."""
    if CHANCE not in sample.players:
        return
    fields = [name for name in sample.positions[0]._fields if any(word in name.lower() for word in _HIDDEN)]
    if fields:
        yield f"the field {fields[0]} sounds like something that a player hides: {_OPEN}"
    elif sample.whole and (pos := _unseen_draw(game, sample)) is not None:
        yield (
            f"what chance draws at {pos} changes no later choice, only scores: if a player is not to see it, {_OPEN}"
        )


def _unseen_draw(game: Any, sample: Sample) -> Any:
    """A position whose outcomes of chance allow the same play with other scores; None if there is none."""
    after = _followers(sample)
    order = _ends_first(after)
    shapes, wholes = [0] * len(after), [0] * len(after)  # of the play from each position, without and with scores
    known: dict[Any, int] = {}
    for number in order:
        score = () if after[number] else (int(game.score(sample.positions[number])),)
        mover = sample.players[number] if after[number] else -1
        shapes[number] = known.setdefault((mover, *sorted(shapes[n] for n in after[number])), len(known))
        wholes[number] = known.setdefault((mover, score, *sorted(wholes[n] for n in after[number])), len(known))
    for number in reversed(order):
        below = after[number]
        is_draw = sample.players[number] == CHANCE and any(count(sample.masks[n]) > 1 for n in below)
        if is_draw and len({shapes[n] for n in below}) == 1 < len({wholes[n] for n in below}):
            return sample.positions[number]
    return None


def _ends_first(after: list[list[int]]) -> list[int]:
    """The numbers of positions, each after its successors; none where play can come back."""
    leads_to = dict(enumerate(after))
    return [] if cycle_in(leads_to) else list(TopologicalSorter(leads_to).static_order())
