"""Write tests/data/playthroughs/*.txt: seeded games with every fact that can be observed.

`python tests/write_playthroughs.py` writes them all anew; a change of rules or faces then shows as a difference.
"""

import random
import sys

import numpy as np
from conftest import TESTS
from count_perft import VARIANTS

import ludus
from ludus import catalog, face
from ludus.game import (
    banked,
    index,
    max_plies,
    num_actions,
    num_positions,
    observation_shape,
    observe,
    seat_index,
    shaping,
    symmetries,
    transform,
)
from ludus.masks import actions

FOLDER = TESTS / "data" / "playthroughs"
MOST_PLIES = 12


def playthrough(written):
    """One seeded game, told in full: every fact of the first positions, then of the last."""
    game, generator = ludus.make_game(written), random.Random(written)
    facts = (num_actions, max_plies, num_positions, observation_shape, symmetries)
    lines = [f"game {catalog.name_of(game)}", f"players {', '.join(face.players(game))}"]
    lines += [f"{fact.__name__} {fact(game)}" for fact in facts]
    lines += [f"fingerprint {ludus.fingerprint(game)}", ""]
    pos = game.start()
    for ply in range(200):
        if ply < MOST_PLIES:
            lines += [f"-- ply {ply}", *position_facts(game, pos), ""]
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
    yield f"legal {' '.join(f'{action}:{face.action_name(game, pos, action)}' for action in legal)}"
    yield f"paths {' '.join('/'.join(face.action_path(game, pos, action)) for action in legal)}"
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
