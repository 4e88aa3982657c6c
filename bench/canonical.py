"""Canonical forms per second: all strips of Toads and Frogs with nine squares, on one core."""

from __future__ import annotations

import argparse
import json
from itertools import product
from time import process_time
from typing import Any

from rich.console import Console

from ludus.cgt.strips.starts import Strips
from ludus.games.toads_and_frogs import Strip

SQUARES = 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="strips of seven squares")
    options = parser.parse_args()
    found = measured(SQUARES - 2 if options.quick else SQUARES)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    words = "all {strips:,} strips of {squares} squares: {per_second:,.0f} canonical forms a second"
    Console().print(words.format(**found), highlight=False)


def measured(squares: int) -> dict[str, Any]:
    """The speed for all strips of a number of squares, after compilation."""
    seconds_for(squares - 1)
    seconds, count = seconds_for(squares), 3**squares
    return {"squares": squares, "strips": count, "seconds": seconds, "per_second": count / seconds}


def seconds_for(squares: int) -> float:
    """The seconds to enumerate and evaluate all strips of a number of squares."""
    valued = Strips(squares)
    positions = [valued.position(Strip.parse("".join(signs))) for signs in product("TF_", repeat=squares)]
    began = process_time()
    valued.evaluator.forms_of(positions)
    return process_time() - began


if __name__ == "__main__":
    main()
