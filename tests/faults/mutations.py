"""Damage files of every kind, look at them as a person would, and list what misbehaves.

`python -m faults.mutations FOLDER COUNT SEED [KIND...]`, in the folder of tests, prints the findings as JSON. Each kind
has sound files and the calls that read them. A file is damaged blindly (bits, ends, whole parts), which must be noticed
wherever it would change what is shown; or by its structure, with checksums made anew, which must not break anything.
"""

import importlib
import json
import os
import random
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from faults import damage
from faults.calls import HERE, MEMORY, SHORT, TINY, Call, Outcome, become_reaper, is_one_line
from faults.command_line import GAME as GAME_FILE
from faults.contents import untimed
from faults.crash_everywhere import make_small
from ludus import commands
from ludus.errors import LudusError, printable
from ludus.learning.runs import AGENT, CHECKPOINT, files
from ludus.proving import checker

Words = list[str]
BOARD = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
GAME = "connect-four(width=4, height=3)"
PLAN = ["--games", "12", "--eval-every", "4", "--eval-games", "2"]
LEARNERS = {
    "q-table": (BOARD, "q-table", ["--opponent", "twin"]),
    "q-table, hashed": ("tapnswap", "q-table(symmetry=true)", ["--grade", "no"]),
    "monte-carlo": (BOARD, "monte-carlo", []),
    "move-weights": (BOARD, "move-weights", []),
    "td-lambda": (BOARD, "td-lambda(hidden=5, view=mover)", []),
    "dqn": (BOARD, "dqn(hidden=8, buffer=64, batch=8)", []),
    "alphazero": (BOARD, "alphazero(width=8, blocks=1, lanes=4, sims=4, random_plies=2, buffer=40, batch=8)", []),
}
PATIENCE = 20.0  # seconds of a call
Look = Words | Callable[[], None]  # a call of the command line, or of Python


class Kind(NamedTuple):
    """A kind of file: the calls that make it, its path, those that read it, and how it is changed by its structure."""

    make: tuple[Look, ...]
    path: str
    looks: tuple[Look, ...]
    reseal: Callable[[Path, random.Random], None] = damage.damage


# ---- what reads the files ----


@contextmanager
def server() -> Iterator[Callable[..., Any]]:
    """The page's server: a function that asks it, and returns what it answers."""
    warnings.simplefilter("ignore")  # Starlette would like another client
    from starlette.testclient import TestClient

    from ludus.web.server import make_app

    def ask(address: str, body: Any = None) -> Any:
        answer = client.request("GET" if body is None else "POST", f"/api/{address}", json=body)
        if answer.status_code not in (200, 201):
            raise LudusError(answer.json()["detail"])
        return answer.json()

    with TestClient(make_app(), "http://localhost") as client:
        yield ask


def asking(address: str, body: Any = None) -> Callable[[], None]:
    """Ask the page's server."""

    def look() -> None:
        with server() as ask:
            sys.stdout.write(json.dumps(ask(address, body)))

    return look


def opening_rooms() -> None:
    """Open some rooms, as the page does, and play there."""
    with server() as ask:
        for player in (0, 1):
            key = ask("rooms", {"game": BOARD, "player": player, "name": "Ada"})["key"]
            if player == 0:
                ask(f"rooms/{key}", {"do": "move", "ply": 0, "action": 0})
            ask(f"rooms/{key}", {"do": "resign"})
            ask(f"rooms/{key}", {"do": "rematch"})


def entering_rooms() -> None:
    """Enter all rooms, and move in each."""
    with server() as ask:
        for card in ask("rooms"):
            shown = ask(f"rooms/{card['key']}")
            moved = ask(f"rooms/{card['key']}", {"do": "name", "name": "Bob"})
            sys.stdout.write(json.dumps([card, shown, moved | {"changed": 0}]))


def studying() -> None:
    """Note a study that was started from the page."""
    from ludus.web.studies import Study

    study = Study("tournament", lambda: None)
    study.order = {"game": BOARD, "agents": ["first", "last"], "games": 10}
    study.status = {"words": "cancelled"}
    study._set("stopped")


def practising() -> None:
    """Keep some positions to practise, as the page does."""
    items = [
        {"game": BOARD, "at": at, "kind": "mistake", "level": level, "due": 100 + level, "changed": 7}
        for level, at in enumerate(("TT__FF", "T_T_FF", "TT_F_F"))
    ]
    with server() as ask:
        ask("practice", {"items": items})


def continuing() -> None:
    """Open all saved games, and play on in each."""
    with server() as ask:
        for saved in ask("saved-games"):
            sys.stdout.write(json.dumps([saved, ask(f"saved-games/{saved['id']}")]))
            ask(f"position?game={quote(saved['game'])}&at={quote(saved['start'])}")


def saving_games() -> None:
    """Save some games, as the page does."""
    from ludus.web.api.saved_games import SavedGame, SavedGames

    games = SavedGames()
    for number in range(3):
        name = f"{number}" * 16
        games.put(SavedGame(id=name, game=BOARD, start="TT__FF", seats=["person", "random"], begun=1.0, changed=2.0))
    games.close()


def checking(path: str, game: str) -> Callable[[], None]:
    """Let the checker look at a certificate."""

    def look() -> None:
        sys.argv = ["checker.py", path, game]
        try:
            sys.stdout.write(checker.main(path, game))
        except Exception as error:  # as the checker itself does
            raise LudusError(f"fails: {error}") from None

    return look


def by_line(look: Look) -> Callable[[], None]:
    """The main function of a call: an error of Ludus becomes a line."""

    def main() -> None:
        if isinstance(look, list):
            commands.main()
            return
        try:
            look()
        except LudusError as error:
            sys.stderr.write(f"ludus: {printable(str(error))}\n")
            raise SystemExit(2) from None

    return main


def run_of(name: str) -> dict[str, Kind]:
    """The files of a run that is finished, and of one that was stopped."""
    game, learner, more = LEARNERS[name]
    train, folder = ["train", game, learner, *PLAN, *more, "--out", "home/runs/run"], "home/runs/run"
    shown: tuple[Look, ...] = (
        ["runs", "run", "--json"],
        ["runs", "--json"],
        ["match", game, "run", "random", "--games", "2", "--json"],
        asking("runs/run"),
    )
    resumed: Look = ["train", "--resume", folder, "--games", "16", "--json"]
    agent, checkpoint, manifest = (f"{folder}/{file}" for file in (AGENT, CHECKPOINT, files.MANIFEST))
    stop = partial(os.unlink, agent)
    return {
        f"{name}: manifest": Kind((train,), manifest, (*shown, resumed), damage.reseal_document),
        f"{name}: agent": Kind((train,), agent, shown, damage.reseal_arrays),
        f"{name}: checkpoint": Kind((train,), checkpoint, (resumed,), damage.reseal_arrays),
        f"{name}: unfinished": Kind((train, stop), checkpoint, (*shown, resumed), damage.reseal_arrays),
    }


def documents_of() -> dict[str, Kind]:
    """Everything that is a JSON document."""
    train = run_of("q-table")["q-table: agent"].make
    sweep = ["sweep", "grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "sweep", *HERE]
    retrain: Look = ["sweep", "retrain", "sweep", "--games", "2", *HERE, "--json"]
    benchmark = ["benchmark", "first", "--game", BOARD, "--seeds", "1", *HERE, "--json"]
    paper = ["paper", "small", "--scale", "tiny", *HERE, "--json"]
    found: dict[str, tuple[tuple[Look, ...], str, tuple[Look, ...]]] = {
        "times": (train, "home/runs/run/times.json", (asking("runs/run"),)),
        "sweep": ((sweep,), "sweep/sweep.json", (["sweep", "show", "sweep", "--json"], retrain)),
        "results": ((benchmark,), "home/benchmarks/quick/results.json", (benchmark,)),
        "benchmark": ((benchmark,), "home/benchmarks/quick/benchmark.json", (asking("benchmarks"),)),
        "done": ((paper,), "home/papers/tiny/done/*.json", (paper,)),
        "report": ((paper,), "home/papers/tiny/small/report.json", (asking("papers"),)),
    }
    return {name: Kind(*parts, damage.reseal_document) for name, parts in found.items()}


def parts_of_runs() -> dict[str, Kind]:
    """What belongs to trainings besides their own files."""
    _, _, _, more = run_of("q-table").values()
    folder, benchmarks = "home/runs/run", "home/benchmarks/quick"
    evaluated = asking(f"evaluation?game={quote(BOARD)}&agent=run&games=4")
    benchmark = ["benchmark", "q-table", "--game", BOARD, "--seeds", "1", *HERE, "--json"]
    sweep = ["sweep", "grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "sweep", *HERE]
    retrain: Look = ["sweep", "retrain", "sweep", "--games", "2", *HERE, "--json"]
    train, unfinished = (
        ["train", "./game.py", "q-table", *PLAN, "--out", folder],
        partial(os.unlink, f"{folder}/{AGENT}"),
    )
    resumed: Look = ["train", "--resume", folder, "--json"]
    return {
        "metrics": Kind(more.make[:1], f"{folder}/metrics.jsonl", more.looks[:4]),
        "snapshot": Kind(
            more.make[:1], f"{folder}/snapshots/*", (evaluated, asking("checkpoints?run=run")), damage.reseal_arrays
        ),
        "clock": Kind(
            (benchmark, partial(os.unlink, f"{benchmarks}/results.json")),
            f"{benchmarks}/runs/*/clock.json",
            (benchmark,),
            damage.reseal_document,
        ),
        "run of a sweep": Kind(
            (sweep,),
            "sweep/1/*/agent.safetensors",
            (["sweep", "show", "sweep", "--json"], retrain),
            damage.reseal_arrays,
        ),
        "league of a sweep": Kind((sweep,), "sweep/league.sqlite", (retrain,), damage.reseal_database),
        "secret": Kind((writing_a_game, train, unfinished), "home/secret", (resumed, ["runs", folder, "--json"])),
    }


def writing_a_game() -> None:
    """Write a game in a file."""
    Path("game.py").write_text(GAME_FILE)


def others() -> dict[str, Kind]:
    """Everything else."""
    tournament = ["tournament", TINY, "first", "last", "random", "--games", "4", *HERE, "--json"]
    book = ["book", GAME, "--plies", "2", "--memory", "0.02", "--json"]
    record = ["match", BOARD, "first", "mcts(sims=3)", "--games", "2", "--record", "games.jsonl"]
    table = ["train", "tapnswap", "q-table", *SHORT, "--grade", "no", "--tables", "mover", "--out", "table"]
    kinds = {
        "league": Kind(
            (tournament,),
            "home/league.sqlite",
            (["ratings", TINY, "--json"], tournament, asking("leagues")),
            damage.reseal_database,
        ),
        "saved games": Kind(
            (saving_games,), "home/games.sqlite", (asking("saved-games"), continuing), damage.reseal_database
        ),
        "rooms": Kind((opening_rooms,), "home/rooms.sqlite", (asking("rooms"), entering_rooms), damage.reseal_database),
        "practice": Kind(
            (practising,), "home/practice.json", (asking("practice", {"items": []}),), damage.reseal_document
        ),
        "study": Kind((studying,), "home/studies/*.json", (asking("studies"),), damage.reseal_document),
        "solution": Kind(
            (["solve", BOARD, "--save", "solution"],),
            "solution",
            (["solve", BOARD, "--load", "solution", "--json"],),
            damage.reseal_solution_file,
        ),
        "book": Kind(
            (book,), "home/books/*.book", (book, ["solve", GAME, "--method", "search", "--json"]), damage.reseal_book
        ),
        "records": Kind(
            (record,), "games.jsonl", (["replay", "games.jsonl", "--game", "2", "--json"],), damage.reseal_lines
        ),
        "table": Kind(
            (table, ["tables", "export", "table", "."]),
            "greedy_0_1_vsSelf.csv",
            (["tables", "import", "greedy_0_1_vsSelf.csv", "new"],),
        ),
    }
    for file in ("proof.json", "proof.json.gz"):
        rules = "ludus.games.toads_and_frogs:ToadsAndFrogs"
        kinds[file] = Kind((["prove", BOARD, "--out", file],), file, (checking(file, rules),), damage.reseal_json)
    return kinds


KINDS = {kind: found for name in LEARNERS for kind, found in run_of(name).items()}
KINDS |= documents_of() | parts_of_runs() | others()
OPEN = {
    *("table", "records", "proof.json", "proof.json.gz"),  # others may write them, too: what is sound is believed
    "study",  # is forgotten, and can be started again
}


# ---- one case ----


class Finding(NamedTuple):
    """A case that misbehaved."""

    kind: str
    how: str
    case: int
    look: str
    wrong: list[str]
    err: str


def problems(outcome: Outcome, sound: Outcome, *, is_noticed: bool) -> list[str]:
    """What is wrong with the outcome of a look at a damaged file; `is_noticed`: whether it must be."""
    same = untimed(outcome.out.encode()) == untimed(sound.out.encode()) or '"damaged"' in outcome.out
    checks = {
        "hangs": outcome.interrupted or outcome.killed,
        f"status {outcome.status}": outcome.status not in (0, 1, 2),
        "traceback": "Traceback" in outcome.err + outcome.out,
        "not one line": outcome.status == 2 and not is_one_line(outcome.err),
        "too much memory": outcome.bytes > MEMORY,
        f"leaves processes: {outcome.left}": bool(outcome.left),
        "changed in silence": is_noticed and outcome.status == 0 and not same,
    }
    return [words for words, is_wrong in checks.items() if is_wrong]


class Bench:
    """A folder of sound files for each way to make them, what looks show there, and room for a case."""

    def __init__(self, top: Path) -> None:
        self._top, self._room = top, top / "room"
        self._made: dict[tuple[int, ...], Path] = {}
        self._shown: dict[tuple[Path, int], Outcome] = {}

    def case(self, name: str, number: int, how: str, seed: int) -> Finding | None:
        """Damage a file of a kind and look at it."""
        kind, draw = KINDS[name], random.Random(f"{seed} {name} {how} {number}")
        sound = self._sound(kind)
        look = draw.choice(kind.looks)
        shown = self._sound_look(sound, look)
        self._copy(sound)
        target = draw.choice(sorted(self._room.glob(kind.path)))
        (damage.damage if how == "blind" else kind.reseal)(target, draw)
        is_there = os.path.lexists(target) and (target.suffix != ".sqlite" or target.lstat().st_size)  # else begun anew
        outcome = called(self._room, look, PATIENCE)
        wrong = problems(outcome, shown, is_noticed=how == "blind" and name not in OPEN and is_there)
        return Finding(name, how, number, str(look), wrong, outcome.err[-1500:]) if wrong else None

    def _sound(self, kind: Kind) -> Path:
        """The folder of sound files of a kind, made when first needed."""
        key = tuple(map(id, kind.make))
        if key not in self._made:
            sound = self._made[key] = self._top / f"sound-{len(self._made)}"
            (sound / "home").mkdir(parents=True)
            for step in kind.make:
                outcome = called(sound, step, 120.0)
                assert outcome.status == 0, (step, outcome)
        return self._made[key]

    def _sound_look(self, sound: Path, look: Look) -> Outcome:
        """What a look shows of sound files."""
        if (sound, id(look)) not in self._shown:
            self._copy(sound)
            outcome = self._shown[sound, id(look)] = called(self._room, look, 120.0)
            assert outcome.status == 0, (look, outcome)
        return self._shown[sound, id(look)]

    def _copy(self, sound: Path) -> None:
        shutil.rmtree(self._room, ignore_errors=True)
        shutil.copytree(sound, self._room)


def called(folder: Path, look: Look, patience: float) -> Outcome:
    """The outcome of a look in a folder."""
    return Call(folder, patience).run(look if isinstance(look, list) else ["look"], by_line(look))


def load_all() -> None:
    """Load what calls need, once for all of them."""
    for names in commands.COMMANDS.values():
        for name in names:
            commands.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Starlette would like another client
        importlib.import_module("starlette.testclient")
    importlib.import_module("ludus.web.server")


def main() -> None:
    """Damage, look, print."""
    top, count, seed, names = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(KINDS)
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    load_all()
    become_reaper()
    make_small()
    bench, findings, cases = Bench(top), [], 0
    for name in names:
        for how in ("blind", "sealed"):
            for number in range(count):
                cases += 1
                if found := bench.case(name, number, how, seed):
                    findings.append(found._asdict())
                    sys.stderr.write(f"{found}\n")
    sys.stdout.write(json.dumps({"cases": cases, "findings": findings}))


if __name__ == "__main__":
    main()
