"""Damage files of every kind, look at them as a person would, and list what misbehaves.

`python -m faults.mutations FOLDER COUNT SEED [KIND...]`, in the folder of tests, prints the findings as JSON. Each kind
has sound files and the calls that read them. A file is damaged blindly (bits, ends, whole parts), which must be noticed
wherever it would change what is shown; or by its structure, with checksums made anew, which must not break anything.
"""

import json
import os
import random
import shutil
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from faults import damage
from faults.calls import HERE, MEMORY, SHORT, TINY, Call, Outcome, become_reaper, is_one_line
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


def asking(address: str) -> Callable[[], None]:
    """Ask the page's server."""

    def look() -> None:
        warnings.simplefilter("ignore")  # Starlette would like another client
        from starlette.testclient import TestClient

        from ludus.web.server import make_app

        with TestClient(make_app(), "http://localhost") as client:
            answer = client.get(address)
        if answer.status_code != 200:
            raise LudusError(answer.json()["detail"])
        sys.stdout.write(answer.text)

    return look


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
        asking("/api/runs/run"),
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
        "times": (train, "home/runs/run/times.json", (asking("/api/runs/run"),)),
        "sweep": ((sweep,), "sweep/sweep.json", (["sweep", "show", "sweep", "--json"], retrain)),
        "results": ((benchmark,), "home/benchmarks/quick/results.json", (benchmark,)),
        "benchmark": ((benchmark,), "home/benchmarks/quick/benchmark.json", (asking("/api/benchmarks"),)),
        "done": ((paper,), "home/papers/tiny/done/*.json", (paper,)),
        "report": ((paper,), "home/papers/tiny/small/report.json", (asking("/api/papers"),)),
    }
    return {name: Kind(*parts, damage.reseal_document) for name, parts in found.items()}


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
            (["ratings", TINY, "--json"], tournament, asking("/api/leagues")),
            damage.reseal_database,
        ),
        "saved games": Kind(
            (saving_games,), "home/games.sqlite", (asking("/api/saved-games"),), damage.reseal_database
        ),
        "solution": Kind(
            (["solve", BOARD, "--save", "solution"],),
            "solution",
            (["solve", BOARD, "--load", "solution", "--json"],),
            damage.reseal_tablebase,
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


KINDS = {kind: found for name in LEARNERS for kind, found in run_of(name).items()} | documents_of() | others()
OPEN = {"table", "records", "proof.json", "proof.json.gz"}  # others may write them, too: what is sound is believed


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


class Bench(NamedTuple):
    """The sound folder of a kind, what its looks show there, and room for a case."""

    name: str
    sound: Path
    shown: list[Outcome]
    room: Path

    @property
    def kind(self) -> Kind:
        """The kind."""
        return KINDS[self.name]

    def case(self, number: int, how: str, seed: int) -> Finding | None:
        """Damage a file and look at it."""
        draw = random.Random(f"{seed} {self.name} {how} {number}")
        shutil.rmtree(self.room, ignore_errors=True)
        shutil.copytree(self.sound, self.room)
        target = draw.choice(sorted(self.room.glob(self.kind.path)))
        (damage.damage if how == "blind" else self.kind.reseal)(target, draw)
        is_there = os.path.lexists(target) and (target.suffix != ".sqlite" or target.lstat().st_size)  # else begun anew
        place = draw.randrange(len(self.kind.looks))
        look = self.kind.looks[place]
        outcome = Call(self.room, PATIENCE).run(look if isinstance(look, list) else ["look"], by_line(look))
        is_noticed = how == "blind" and self.name not in OPEN and is_there
        wrong = problems(outcome, self.shown[place], is_noticed=is_noticed)
        return Finding(self.name, how, number, str(look), wrong, outcome.err[-1500:]) if wrong else None


def made(name: str, top: Path) -> Bench:
    """Make what is sound, and see what it shows."""
    kind, sound, room = KINDS[name], top / "sound", top / "room"
    shutil.rmtree(sound, ignore_errors=True)
    (sound / "home").mkdir(parents=True)
    for step in kind.make:
        outcome = Call(sound, 120.0).run(step if isinstance(step, list) else ["make"], by_line(step))
        assert outcome.status == 0, (name, step, outcome)
    shown = []
    for look in kind.looks:
        shutil.rmtree(room, ignore_errors=True)
        shutil.copytree(sound, room)
        shown.append(Call(room, 120.0).run(look if isinstance(look, list) else ["look"], by_line(look)))
        assert shown[-1].status == 0, (name, look, shown[-1])
    return Bench(name, sound, shown, room)


def main() -> None:
    """Damage, look, print."""
    top, count, seed, names = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] or list(KINDS)
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    become_reaper()
    make_small()
    findings, cases = [], 0
    for name in names:
        bench = made(name, top)
        for how in ("blind", "sealed"):
            for number in range(count):
                cases += 1
                if found := bench.case(number, how, seed):
                    findings.append(found._asdict())
                    sys.stderr.write(f"{found}\n")
    sys.stdout.write(json.dumps({"cases": cases, "findings": findings}))


if __name__ == "__main__":
    main()
