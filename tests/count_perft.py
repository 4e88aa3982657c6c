"""Write tests/data/perft/*.json from the naive twins: `python tests/count_perft.py [GAME ...]`.

Published numbers stand in PUBLISHED and win over the twin's; where both exist they must agree.
"""

import importlib
import itertools
import json
import sys
from pathlib import Path

from ludus.parameters import parse_written

MOST_LEAVES = 150_000
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
    "tapnswap": ["", "tap_dead=true", "limit=1", "limit=3", "limit=6", "limit=5, tap_dead=true"],
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


def count_sequences(game):
    """Perft by the naive game, as deep as MOST_LEAVES allow."""
    counts, layer = [1], {game.start(): 1}
    while sum(layer.values()) < MOST_LEAVES:
        following = {}
        for state, ways in layer.items():
            for action in game.legal(state):
                after = game.play(state, action)
                following[after] = following.get(after, 0) + ways
        if not following:
            break
        layer = following
        counts.append(sum(layer.values()))
    return counts[:20]


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


def entry(written):
    """All that is known of a variant."""
    game = twin_of(written)
    counted = {"perft": count_sequences(game), "positions": count_positions(game), "source": "naive twin"}
    published = PUBLISHED.get(written, {})
    for key in set(counted) & set(published) - {"source"}:
        assert counted[key] in (published[key], None) or key == "perft", (written, key)
    return {"game": written, **counted, **published}


def main():
    folder = Path(__file__).parent / "data" / "perft"
    for name in sys.argv[1:] or VARIANTS:
        written = [f"{name}({parameters})" if parameters else name for parameters in VARIANTS[name]]
        lines = [json.dumps(entry(variant)) for variant in written]
        (folder / f"{name}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
