"""Call each command with odd arguments, in processes of little memory and time, and list what misbehaves.

`python -m faults.command_line FOLDER CASES PATIENCE SEED [COMMAND...]`, in the folder of tests, prints the findings as
JSON. The cases of a command are its sound call with a few changes: odd values of the kind that an option takes, or of
any kind, options given twice or without a value, words too many or left out. Each runs in a process of its own, forked
from this one, in a folder of its own below FOLDER: no argument names anything outside of that, and nothing in it is a
device.
"""

import gc
import importlib
import json
import os
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import typer

from faults import odd_words as odd
from faults.calls import HERE, MEMORY, SHORT, TINY, Call, Outcome, become_reaper, is_one_line
from ludus import catalog, commands
from ludus.commands import progress
from ludus.parameters import type_hints

STOPPED = 130
SERVERS = {"serve"}  # they run until Ctrl-C, show no progress, and say no goodbye
QUIET = {"play"}  # says nothing to a person who pressed Ctrl-C
progress.INTERVAL = 0.5  # so that progress shows in time

# A quick call of each command, from which its cases are made.
SOUND: dict[str, list[str]] = {
    "": ["--version"],
    "play": [TINY, "--against", "first"],
    "serve": ["--port", "0"],
    "puzzle": ["tic-tac-toe", "--count", "1"],
    "replay": ["games.jsonl"],
    "solve": [TINY],
    "value": ["T_F"],
    "tablebase": [TINY],
    "prove": [TINY, "--out", "new.json"],
    "crib": [TINY, "--seconds", "1"],
    "book": ["connect-four(width=4, height=4)", "--plies", "0", "--memory", "0.02"],
    "train": [TINY, "q-table", *SHORT, "--out", "new"],
    "runs": ["run"],
    "sweep grid": [TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "new", *HERE],
    "sweep retrain": ["sweep", "--games", "2", *HERE],
    "sweep retrain-best": ["sweep", "--games", "2", *HERE],
    "sweep paper": ["--out", "new", *HERE],
    "sweep resume": ["sweep", *HERE],
    "sweep show": ["sweep"],
    "tables export": ["table", "new"],
    "tables import": ["greedy_0_1_vsRandom.csv", "new"],
    "grade": ["first", TINY],
    "match": [TINY, "first", "last", "--games", "2"],
    "tournament": [TINY, "first", "last", "--games", "2", *HERE],
    "ratings": [TINY],
    "benchmark": [
        "first",
        "--game",
        "toads-and-frogs(toads=2, gaps=1, frogs=1)",
        "--games",
        "20",
        "--seeds",
        "1",
        "--out",
        "new",
        *HERE,
    ],
    "paper": ["toads-and-frogs", "--scale", "tiny", "--out", "new", *HERE],
    "demo": ["--games", "1"],
    "games": [],
    "new-game": ["my-own"],
    "check": [TINY, "--positions", "10", "--games", "1"],
    "export": [TINY, "--out", "new"],
    "warm": [TINY, "--agent", "first", *HERE],
}


# ---- the commands, their options and arguments ----


def leaves() -> dict[str, Any]:
    """Every command by its words; a group counts by its own commands, and `ludus` itself has none."""
    found: dict[str, Any] = {"": typer.main.get_group(commands.app)}
    for panel in commands.COMMANDS.values():
        for name in panel:
            loaded = commands.load(name)
            inner = getattr(loaded, "commands", None)
            found |= {f"{name} {word}": one for word, one in inner.items()} if inner else {name: loaded}
    return found


def parameters(command: Any, name: str, learner: str) -> list[Any]:
    """The options and arguments of a command; those of `train` depend on the learner."""
    if name == "train":
        command = importlib.import_module("ludus.commands.train")._command(catalog.learner_class(learner), learner)
    return [one for one in command.params if one.name not in ("help", "install_completion")]  # which writes to $HOME


def written(registry: Any) -> list[str]:
    """Every name of a kind: in broken forms, and with each of its parameters set to each number."""
    found = []
    for name in catalog.names(registry):
        if name != "human":
            hints = type_hints(catalog._class_called(registry, name))
            found += [name, *(form.format(name) for form in odd.FORMS)]
            found += [f"{name}({field}={number})" for field in hints for number in odd.NUMBERS]
    return found


class Values:
    """Odd values for a parameter, by what it stands for."""

    def __init__(self) -> None:
        games = [*written(catalog.GAMES), *odd.FILES, *odd.OPEN_SPIEL, *odd.LARGE * 5]
        agents = [*written(catalog.AGENTS), *odd.PROGRAMS * 5, *odd.FILES, "run", "table", "sweep", "run/"]
        learners = [*written(catalog.LEARNERS), *odd.FILES]
        self.by_metavar = {
            "GAME": games, "FILE": [*odd.PATHS, *odd.FILES], "AGENT": agents, "ENTRY": agents + learners,
            "LEARNER": learners, "PLACE": odd.PLACES, "POSITION": odd.POSITIONS, "RUN": [*odd.PATHS, *odd.FILES],
            "ADDRESS": odd.HOSTS, "FOLDER": odd.PATHS, "SETTING=VALUE,": odd.GRIDS, "FILE.HTML": odd.PATHS,
        }  # fmt: skip
        self.any = [odd.WORDS, odd.NUMBERS, odd.PATHS, games, agents]

    def fitting(self, parameter: Any) -> list[str]:
        """Values of the kind that a parameter takes."""
        metavar = (parameter.metavar or "").strip("[].").upper()
        if metavar in self.by_metavar:
            return self.by_metavar[metavar]
        if parameter.type.name == "path":
            return odd.PATHS
        if parameter.type.name == "choice":
            return [*map(str, parameter.type.choices), *odd.WORDS]
        return odd.NUMBERS

    def draw(self, parameter: Any, draw: random.Random) -> str:
        """A value: mostly of the parameter's own kind, sometimes of any; never the port of another server."""
        if parameter.name == "port":
            return draw.choice(odd.PORTS)
        return draw.choice(self.fitting(parameter) if draw.random() < 0.7 else draw.choice(self.any))


def cases(name: str, count: int, seed: int, values: Values) -> Any:
    """Calls of one command, as lists of arguments: its sound one, then ones with a few changes."""
    draw, command, learners = random.Random(f"{seed} {name}"), leaves()[name], catalog.names(catalog.LEARNERS)
    yield SOUND[name]
    for number in range(count - 1):
        learner = learners[number % len(learners)]
        sound = [learner if word == "q-table" and name == "train" else word for word in SOUND[name]]
        words = changed(sound, parameters(command, name, learner), values, draw)
        yield words if draw.random() < 0.6 else ["--json", *words]


def changed(sound: list[str], known: list[Any], values: Values, draw: random.Random) -> list[str]:
    """The words of a sound call with one to three changes."""
    words = list(sound)
    for _ in range(draw.choice([1, 1, 2, 3])):
        one = draw.choice(known) if known else None
        if one is None or draw.random() < 0.1:
            words = words[:-1] if words and draw.random() < 0.5 else [*words, draw.choice(odd.WORDS)]
        elif one.param_type_name == "argument":
            places = [place for place, word in enumerate(words) if word[:2] != "--" and words[place - 1][:2] != "--"]
            place = draw.choice(places) if places else 0
            words[place : place + 1] = [values.draw(one, draw)]
        else:
            words += option(one, values, draw)
    return words


def option(one: Any, values: Values, draw: random.Random) -> list[str]:
    """An option with an odd value, once or twice, or without one."""
    flag = draw.choice([*one.opts, *one.secondary_opts])
    if one.is_flag:
        return [flag] if draw.random() < 0.9 else [f"{flag}={draw.choice(odd.WORDS)}"]
    given = [flag, *(values.draw(one, draw) for _ in range(one.nargs))]
    return draw.choices([given, given + given, [flag]], [87, 10, 3])[0]


# ---- the folder of a case ----

GAME = '''
from typing import NamedTuple

class Position(NamedTuple):
    heap: int
    turn: int

class Nim(NamedTuple):
    """Take one or two; who takes the last wins."""

    heap: int = 4

    def start(self): return Position(self.heap, 0)
    def player(self, pos): return pos.turn
    def legal(self, pos): return 3 if pos.heap > 1 else pos.heap
    def play(self, pos, action): return Position(pos.heap - action - 1, 1 - pos.turn)
    def score(self, pos): return 2 * pos.turn - 1
'''
TEXTS = {
    "game.py": GAME,
    "agent.py": "def choose(game, pos):\n    return game.legal(pos).bit_length() - 1\n",
    "learner.py": "class Learner: pass\n",
    "broken.py": "1 / 0\n",
    "syntax.py": "def (:\n",
    "exit.py": "raise SystemExit(7)\n",
    "endless.py": "while True: pass\n",
    "empty.py": "",
    "empty": "",
    "text.txt": "text\n",
    "unreadable": "secret\n",
    "bot.sh": """while read line; do echo '{"action": 0}'; done\n""",
    "deep.json": "[" * 50_000,
}
MADE = [
    ["train", TINY, "q-table", *SHORT, "--out", "run"],
    ["train", "tapnswap", "q-table", *SHORT, "--grade", "no", "--tables", "mover", "--out", "table"],
    ["sweep", TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "sweep", *HERE],
    ["match", TINY, "first", "last", "--games", "2", "--record", "games.jsonl"],
    ["solve", TINY, "--save", "solution"],
    ["tables", "export", "table", "."],
]


def make_template(folder: Path) -> None:
    """Make what the folder of each case holds: sound files, and things that are none."""
    for name in ("folder", "folder.py", "home"):
        (folder / name).mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "unreadable").chmod(0)
    for name in ("binary", "binary.py"):
        (folder / name).write_bytes(bytes(range(256)) * 40)
    for name, target in (("loop", "loop"), ("loop.py", "loop.py"), ("dangling", "nowhere")):
        (folder / name).symlink_to(target)
    for words in MADE:
        made = Call(folder, 60.0).run(words)
        assert made.status == 0, (words, made)
    (folder / "greedy_0.1_vsRandom.csv").unlink(missing_ok=True)
    (table,) = folder.glob("greedy_*.csv")
    table.rename(folder / "greedy_0_1_vsRandom.csv")


def copy_template(template: Path, folder: Path) -> None:
    """Make a fresh folder for a case; pipes cannot be copied."""
    shutil.copytree(template, folder, symlinks=True)
    for name in ("pipe", "pipe.py"):
        os.mkfifo(folder / name)


# ---- what a call may do ----


def problems(command: str, words: list[str], outcome: Outcome) -> list[str]:
    """What is wrong with the outcome of a call."""
    checks = {
        "does not end by Ctrl-C": outcome.killed,
        f"status {outcome.status}": outcome.status not in (0, 1, 2) and not outcome.interrupted,
        f"Ctrl-C ends it with status {outcome.status}": outcome.interrupted and not is_stopped(command, outcome),
        f"leaves processes: {outcome.left}": bool(outcome.left),
        "traceback": "Traceback" in outcome.err + outcome.out,
        "not one line": outcome.status == 2 and not is_one_line(outcome.err) and "Usage: " not in outcome.out,
        "control characters": bool(re.search(r"^ludus: .*[\x00-\x09\x0b-\x1f\x7f]", outcome.err, re.MULTILINE)),
        "not one JSON document": asks_for_json(words) and bool(outcome.out) and not is_document(outcome.out),
        "too much memory": outcome.bytes > MEMORY,
    }
    return [words for words, is_wrong in checks.items() if is_wrong]


def is_stopped(command: str, outcome: Outcome) -> bool:
    """Whether a call that took long showed progress, and ended after Ctrl-C in one line."""
    lines = outcome.err.splitlines()
    if command in SERVERS and len(lines) <= 1:
        return outcome.status in (0, STOPPED)
    return outcome.status == STOPPED and (command in QUIET or (len(lines) > 1 and lines[-1] == "ludus: stopped"))


def asks_for_json(words: list[str]) -> bool:
    """Whether a call prints JSON, if anything."""
    return words[:1] == ["--json"] and "--help" not in words


def is_document(out: str) -> bool:
    """Whether this is one document of strict JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(out, parse_constant=refuse)
    except ValueError:
        return False
    return True


def main() -> None:
    """Call the commands, and print what misbehaves."""
    top, count, patience, seed = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    become_reaper()
    values, names = Values(), sys.argv[5:] or list(leaves())
    (top / "bin").mkdir()
    (top / "bin" / "xdg-open").symlink_to(shutil.which("true") or "true")
    make_template(top / "template")
    gc.freeze()
    findings, calls = [], 0
    for name in names:
        for words in cases(name, count, seed, values):
            copy_template(top / "template", top / str(calls))
            outcome = Call(top / str(calls), patience).run([*name.split(), *words])
            shutil.rmtree(top / str(calls))
            calls += 1
            if wrong := problems(name, words, outcome):
                shown = {"wrong": wrong, "call": [name, *words], "err": outcome.err[-600:], "seconds": outcome.seconds}
                findings.append(shown)
                sys.stderr.write(f"{shown}\n")
    sys.stdout.write(json.dumps({"calls": calls, "findings": findings}))


if __name__ == "__main__":
    main()
