"""Write tests/data/perft/*.json from the naive twins: `python tests/count_perft.py [--positions] [GAME ...]`.

Published numbers stand in PUBLISHED and win over the twin's; where both exist they must agree. Variants that begin
alike are also counted from a position in the middle, to which the actions in OPENINGS lead. Exploring with a twin takes
minutes, so the numbers of positions that the files hold are kept unless `--positions` asks to count them again.
"""

import argparse
import importlib
import itertools
import json
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from ludus.parameters import parse_written

FOLDER = Path(__file__).parent / "data" / "perft"
MOST_LEAVES = 150_000  # this many ways to play are not continued any more
MOST_LEAVES_AFTER = 2_000  # the same for what follows an opening
MOST_PLIES = 19
MOST_POSITIONS = 300_000

VARIANTS = {
    "tic-tac-toe": [""],
    "connect-four": [
        "",
        "width=4, height=4",
        "width=5, height=4, connect=3",
        "width=6, height=5, connect=5",
        "width=1, height=5, connect=2",
    ],
    "toads-and-frogs": [
        "",
        "first=frogs",
        "toads=4, gaps=6, frogs=4",
        "toads=2, gaps=1, frogs=3",
        "toads=0, gaps=2, frogs=2",
        "toads=6, gaps=9, frogs=6",
        "strip=TF_TF_T__F",
        "strip=T_TFF, first=frogs",
        "strip=T__TTFTFF_F",
    ],
    "tapnswap": [
        "",
        "tap_dead=true",
        "limit=1",
        "limit=3",
        "limit=6",
        "limit=5, tap_dead=true",
        "distinct=true",
        "limit=5, distinct=true",
    ],
    "mancala": [
        f"{size}capture={capture}, leftovers={leftovers}"
        for size in ("", "holes=3, stones=2, ", "holes=2, stones=7, ", "holes=1, stones=4, ", "holes=8, stones=1, ")
        for capture in ("none", "standard", "empty")
        for leftovers in ("nobody", "owner")
    ],
    "fox-and-hounds": [
        f"size={size}, goal={goal}" for size in (4, 6, 8, 10) for goal in ("level", "home", "safe", "none")
    ],
    "chung-toi": [
        f"reach={reach}, jump={jump}, passing={passing}"
        for reach, jump, passing in itertools.product(("two", "one"), ("true", "false"), ("false", "true"))
    ],
    "dobutsu-shogi": ["", "drops=false"],
}

# Patterns of variants, and actions that are legal in all of them. They lead to where the variants soon differ: to moves
# and jumps in Chung Toi, to animals in hand and a hen in Dobutsu shogi, to a fox about to pass the hounds, to captures
# and near the end of the game in Mancala, and in Toads and Frogs to a position that is not its own mirror image.
OPENINGS = {
    "chung-toi(*": [13, 11, 0, 14, 16, 7],
    "dobutsu-shogi*": [4, 34, 7, 40, 24, 43, 34, 9],
    "fox-and-hounds(size=4,*": [0, 3, 1, 0],
    "fox-and-hounds(size=6,*": [1, 3, 4, 3, 4, 3],
    "fox-and-hounds(size=8,*": [0, 3, 5, 0, 1, 3, 3, 3, 0, 3, 0, 2, 6, 3],
    "fox-and-hounds(size=10,*": [1, 3, 8, 2, 7, 1, 6, 2, 4, 2, 1, 2, 0, 3, 4, 3, 4, 1, 2, 2, 5, 2, 3, 2],
    "mancala(capture=*": [3, 5, 4, 2, 0, 0, 4, 2, 3, 2, 0, 2, 3, 0, 4, 0, 3, 2, 0, 1, 2, 0, 4, 3, 5, 5, 4, 3, 3, 4],
    "mancala(holes=3,*": [1, 2, 2],
    "mancala(holes=2,*": [0, 1, 1, 1],
    "mancala(holes=1,*": [0],
    "mancala(holes=8,*": [5, 7, 0, 1, 6, 4, 5, 6, 0, 4, 7, 3, 3, 1],
    "toads-and-frogs": [0, 0, 1, 0, 0, 1],
    "toads-and-frogs(first=frogs)": [0, 0, 1, 0, 0, 1],
}

PUBLISHED = {
    "tic-tac-toe": {
        "perft": [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
        "positions": 5478,
        "source": "the well-known 255,168 games by length, and 5,478 positions",
    },
    "connect-four": {
        "levels": [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186],
        "source": "positions by ply: OEIS A212693",
    },
    "connect-four(width=4, height=4)": {"positions": 161029, "source": "J. Tromp, table of connect-4 positions"},
}


def twin_of(written):
    """The naive game for `name(param=value, ...)`."""
    name, parameters = parse_written(written)
    module = importlib.import_module("naive." + name.replace("-", "_"))
    cls = getattr(module, "".join(part.capitalize() for part in name.split("-")).replace("Tapnswap", "TapnSwap"))
    words = {"true": True, "false": False}
    return cls(**{key: int(text) if text.isdigit() else words.get(text, text) for key, text in parameters.items()})


def layers(game, start, most_leaves):
    """For 0, 1, 2, ... plies the states that they lead to, each with the number of ways to it."""
    found = [{start: 1}]
    while len(found) <= MOST_PLIES and sum(found[-1].values()) < most_leaves:
        following = Counter()
        for state, ways in found[-1].items():
            for action in game.legal(state):
                following[game.play(state, action)] += ways
        if not following:
            break
        found.append(following)
    return found


def count_sequences(found):
    """Perft from the layers."""
    return [sum(layer.values()) for layer in found]


def count_scores(game, found):
    """How many of the ways to play end in each score."""
    scores = Counter()
    for layer in found:
        for state, ways in layer.items():
            if not game.legal(state):
                scores[game.score(state)] += ways
    return {str(score): scores[score] for score in sorted(scores)}


def count_positions(game):
    """How many positions can be reached; None above MOST_POSITIONS."""
    seen, waiting = {game.start()}, [game.start()]
    while waiting and len(seen) <= MOST_POSITIONS:
        state = waiting.pop()
        for action in game.legal(state):
            after = game.play(state, action)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return None if waiting else len(seen)


def count_after(game, opening):
    """The counts from the position that the opening leads to."""
    state = game.start()
    for action in opening:
        assert action in game.legal(state), (opening, action)
        state = game.play(state, action)
    found = layers(game, state, MOST_LEAVES_AFTER)
    return {"after": opening, "perft_after": count_sequences(found), "scores_after": count_scores(game, found)}


def opening_of(written):
    """The actions from which a variant is counted once more, or None."""
    return next((opening for pattern, opening in OPENINGS.items() if fnmatchcase(written, pattern)), None)


def agree(counted, published):
    """Whether two numbers are the same or one is unknown, or two lists as far as both go."""
    if isinstance(counted, list):
        shorter = min(len(counted), len(published))
        return counted[:shorter] == published[:shorter]
    return counted in (published, None)


def entry(written, stored):
    """All that is known of a variant; the number of positions is counted unless it is stored."""
    game, opening = twin_of(written), opening_of(written)
    counted = {
        "perft": count_sequences(layers(game, game.start(), MOST_LEAVES)),
        "positions": stored["positions"] if "positions" in stored else count_positions(game),
        "source": "naive twin",
        **({} if opening is None else count_after(game, opening)),
    }
    published = PUBLISHED.get(written, {})
    for key in counted.keys() & published.keys() - {"source"}:
        assert agree(counted[key], published[key]), (written, key, counted[key], published[key])
    return {"game": written, **counted, **published}


def stored_entries(path):
    """What a file holds already, by variant."""
    return {known["game"]: known for known in json.loads(path.read_text())} if path.exists() else {}


def write_file(name, *, recount):
    """Write the file of a game."""
    path = FOLDER / f"{name}.json"
    stored = {} if recount else stored_entries(path)
    written = [f"{name}({parameters})" if parameters else name for parameters in VARIANTS[name]]
    lines = [json.dumps(entry(variant, stored.get(variant, {}))) for variant in written]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    parser = argparse.ArgumentParser(description="Write tests/data/perft/*.json from the naive twins.")
    parser.add_argument("games", nargs="*", metavar="GAME", help="all games if none is given")
    parser.add_argument("--positions", action="store_true", help="count again the positions that the files hold")
    arguments = parser.parse_args()
    for name in arguments.games or VARIANTS:
        write_file(name, recount=arguments.positions)


if __name__ == "__main__":
    main()
