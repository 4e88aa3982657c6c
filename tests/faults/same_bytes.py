"""Call commands on one core and on two, and list what differs: `python -m faults.same_bytes FOLDER` prints it as JSON.

Times may differ, and the memory that was used; all else that is printed, and all files, must be the same bytes.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from faults.calls import SHORT, TINY, Call
from faults.contents import contents, untimed

GAME = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
OUT = ["--out", "out"]
ON = "--on"  # takes as many processes as there are cores
CALLS = {
    "match": [GAME, "mcts(sims=3)", "random", "--games", "40", "--record", "games.jsonl"],
    "tournament": [GAME, "mcts(sims=3)", "random", "first", "smart-random", "--games", "10", *OUT, ON],
    "grade": ["mcts(sims=5)", GAME],
    "solve": ["tic-tac-toe", "--save", "solution", "--verify"],
    "book": ["connect-four(width=4, height=3)", "--plies", "3", "--repertoire", "50", "--memory", "0.02"],
    "puzzle": [GAME, "--count", "3"],
    "prove": [GAME, "--agent", "perfect", "--out", "proof.json"],
    "crib": [GAME, "--out", "crib.txt"],
    "export": [TINY, "--agent", "random", *OUT],
    "value": ["--table", "3", "3", "3", "--csv", "table.csv"],
    "sweep": ["grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", "--grid", "opponent=random,twin", *SHORT, *OUT, ON],
    "train": [TINY, "q-table", *SHORT, "--seeds", "2", *OUT, ON],
    "check": [GAME],
}  # fmt: skip


def main() -> None:
    """Call, compare, print."""
    top = Path(sys.argv[1])
    found = {}
    for name, words in CALLS.items():
        one, two = (made(top, cores, [name, *words, "--json"]) for cores in (1, 2))
        found[name] = sorted(part for part in one | two if one.get(part) != two.get(part))
    sys.stdout.write(json.dumps(found))


def made(top: Path, cores: int, words: list[str]) -> dict[str, Any]:
    """What a command prints and writes on a machine of some cores."""
    folder = top / "folder"
    (folder / "home").mkdir(parents=True)
    os.cpu_count = lambda: cores
    os.sched_getaffinity = lambda process: set(range(cores))
    words = [word for each in words for word in ([ON, f"local={cores}"] if each == ON else [each])]
    outcome = Call(folder, 120.0).run(words)
    assert outcome.status == 0, (words, outcome)
    found = contents(folder)
    shutil.rmtree(folder)
    return found | {"printed": untimed(outcome.out.encode())}


if __name__ == "__main__":
    main()
