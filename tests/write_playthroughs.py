"""Write tests/data/playthroughs/*.txt: seeded games with every fact that can be observed.

`python tests/write_playthroughs.py` writes them all anew; a change of rules or faces then shows as a difference.
"""

import hashlib
import random
import sys

import numpy as np
from conftest import TESTS
from count_perft import VARIANTS

import ludus
from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.game import (
    CHANCE,
    banked,
    bounds,
    candidates,
    endgame_heap,
    endgame_heaps,
    endgame_position,
    gives_parts,
    gives_tier,
    gives_with_mover,
    index,
    max_plies,
    num_actions,
    num_parts,
    num_positions,
    num_seat_positions,
    observation_shape,
    observe,
    odds,
    part,
    plies_left,
    position_at,
    promise,
    seat_index,
    seat_position_at,
    shaping,
    swaps_players,
    symmetries,
    tier,
    transform,
    transform_action,
    unbanked,
    viewpoint,
    with_mover,
)

FOLDER = TESTS / "data" / "playthroughs"
MOST_PLIES = 12  # positions written in full; of later ones the notation
FACTS = (num_actions, max_plies, num_positions, observation_shape, symmetries)


def playthrough(written):
    """One seeded game, written out in full: every fact of the first positions, then of the last."""
    game, generator = ludus.make_game(written), random.Random(written)
    titled = f"title {face.title(game, '')} players {', '.join(face.players(game))}"
    lines = [f"game {catalog.name_of(game)}", titled]
    lines += [f"{fact.__name__} {fact(game)}" for fact in FACTS]
    lines += [f"viewpoint {int(viewpoint(game))} num_seat_positions {[num_seat_positions(game, p) for p in (0, 1)]}"]
    lines += [f"rules {page.title}: {page.words}" for page in face.rules(game)]
    lines += [f"fingerprint {ludus.fingerprint(game)}", ""]
    pos = game.start()
    for ply in range(200):
        facts = position_facts(game, pos) if ply < MOST_PLIES else [face.format_position(game, pos)]
        lines += [f"-- ply {ply}", *facts, ""]
        legal = actions(game.legal(pos))
        if not legal:
            break
        action = generator.choice(legal)
        lines += [f"action {action} {face.action_name(game, pos, action)}"]
        pos = game.play(pos, action)
    return "\n".join([*lines, "", "-- the end", *position_facts(game, pos)]) + "\n"


def position_facts(game, pos):
    """Everything that can be observed of a position."""
    seen = np.zeros(observation_shape(game), np.float32)
    observe(game, pos, seen)
    yield face.board(game, pos)
    yield f"{pos}"
    yield f"notation {face.format_position(game, pos)}"
    yield f"player {game.player(pos)} banked {banked(game, pos)} shaping {shaping(game, pos):g}"
    yield f"index {index(game, pos)} seat_index {seat_index(game, pos)}"
    yield f"observation {' '.join(f'{number:g}' for number in seen.ravel())}"
    yield f"least image {min(transform(game, pos, s) for s in range(symmetries(game)))}"
    legal = actions(game.legal(pos))
    picture = face.draw(game, pos)
    yield f"image {hashlib.sha256(picture.svg.encode()).hexdigest()[:12]}"
    yield f"read aloud {' | '.join(face.descriptions(game, pos, picture).values())}"
    yield f"legal {' '.join(f'{action}:{face.action_name(game, pos, action)}' for action in legal)}"
    yield f"paths {' '.join('/'.join(face.action_path(game, pos, action)) for action in legal)}"
    others = [tuple(with_mover(game, pos, mover)) for mover in (0, 1)] if gives_with_mover(game) else []
    if gives_parts(game):
        yield f"parts {[tuple(map(int, part(game, pos, number))) for number in range(num_parts(game, pos))]}"
    yield f"with_mover {others} unbanked {tuple(unbanked(game, pos))}"
    chosen = actions(candidates(game, pos)) if legal else []
    yield f"candidates {chosen} promise {[promise(game, pos, action) for action in legal]}"
    if legal:
        yield f"bounds {bounds(game, pos)} plies_left {plies_left(game, pos)}"
    if endgame_heaps(game):
        sizes = [endgame_heap(game, pos, number) for number in range(endgame_heaps(game))]
        yield f"endgame_heaps {sizes} {endgame_position(game, np.array(sizes))}"
    if gives_tier(game):
        yield f"tier {tier(game, pos)}"
    if num_positions(game):
        yield f"position_at {position_at(game, index(game, pos))}"
        yield f"seat_position_at {seat_position_at(game, game.player(pos), seat_index(game, pos))}"
    moved = {
        s: [transform_action(game, pos, action, s) for action in legal] for s in range(1, min(symmetries(game), 3))
    }
    yield f"transform_action {moved} swaps_players {[swaps_players(game, s) for s in range(symmetries(game))]}"
    yield f"odds {[odds(game, pos, action) for action in legal] if game.player(pos) == CHANCE else []}"
    yield f"notes {' | '.join(note.words for note in face.notes(game, pos))}"
    if not legal:
        yield f"score {game.score(pos)}"


def variants(name):
    """The default game, and its last variant."""
    listed = VARIANTS[name]
    return [name, *([f"{name}({listed[-1]})"] if listed[-1] else [])]


def text_of(name):
    """The whole file of a game."""
    return "\n".join(playthrough(written) for written in variants(name))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game_name in sys.argv[1:] or catalog.GAMES.built_in:
        (FOLDER / f"{game_name}.txt").write_text(text_of(game_name))
