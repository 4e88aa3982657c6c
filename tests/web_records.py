"""What pages show besides games: runs, a league, a benchmark and reports, in a folder for tests."""

from pathlib import Path

from ludus.arena.league import League, Member, Stored
from ludus.catalog import make_game
from ludus.face import draw
from ludus.files import made_folder
from ludus.fingerprints import fingerprint
from ludus.learning.runs import train
from ludus.report.document import (
    Best,
    Claimed,
    Curves,
    Document,
    Findings,
    Level,
    Made,
    Result,
    Results,
    Section,
    Series,
    Table,
    Words,
)
from ludus.report.page import write_reports
from ludus.study.benchmark import BASELINE, Benchmark, Case, Entry
from ludus.study.benchmark import document as benchmark_document
from ludus.study.benchmark.jobs import Outcome

GAME = "tapnswap(limit=2)"  # small
PLAYED = "tapnswap"  # in the league
AGENTS = ("perfect", "mcts(sims=100)", "smart-random", "random")


def fill(home: Path) -> None:
    """Put something of everything there."""
    made_folder(home)
    for seed in (0, 1):
        out = home / "runs" / f"learned-{seed}"
        settings = {"games": 400, "eval_every": 100, "eval_games": 20, "grade": "yes", "changes": "epsilon=0.3@250"}
        train(GAME, "q-table", out=out, seed=seed, **settings)
    fill_league(home)
    fill_benchmark(home)
    write_reports([document("tapnswap")], made_folder(home / "papers" / "quick"), ["tapnswap"])


def fill_league(home: Path) -> None:
    game = fingerprint(make_game(PLAYED))
    with League(home / "league.sqlite") as league:
        league.join(game, [Member(name, name, name) for name in AGENTS])
        for strong, a in enumerate(AGENTS):
            for weak, b in enumerate(AGENTS[strong + 1 :], strong + 1):
                wins = 6 * (weak - strong)
                league.put(game, Stored(a, b, "0", 50, (wins + 4, 1, 20 - wins, 0, wins, 3, 22 - wins, 0)))


def fill_benchmark(home: Path) -> None:
    outcomes = {}
    entries = {Entry(BASELINE): [0.55], Entry("q-table", 1000): [0.6, 0.9, 0.99], Entry("dqn", 400): [0.5, 0.8, 0.93]}
    for entry, shares in entries.items():
        for seed in (0, 1) if entry.games else (None,):
            right = [1000 * (share - 0.02 * (seed or 0)) for share in shares]
            plies = [4000 * (number + 1) for number in range(len(shares))] if entry.games else [0]
            found = Outcome(1000, plies, [0.5 * number for number in range(len(plies))], right, [0.0, 0.0], [0.0, -0.1])
            outcomes[Case(GAME, entry, seed, f"{entry.name}-{seed}")] = found
    folder = made_folder(home / "benchmarks" / "quick")
    benchmark_document.write(Benchmark("quick", outcomes), folder)


def document(name: str) -> Document:
    """A report with a figure, a table and claims."""
    game = make_game(GAME)
    curve = Curves("figure", "Wins", "games", "won", [Series("ours", (0, 100), (0.5, 0.9))], Level("random", 0.5))
    results = Results("results", [Result("wins", "90 %", "table 1", "91 %", 2, "agrees")])
    facts = [("scale", "quick"), ("seeds", "2"), ("processor time", "1 s"), ("machine", "an abacus")]
    made = Made(facts, Table("made", "Trainings", ["a"], [["b"]]), ["ludus"])
    claims = [Claimed("It wins.", "proved", "It does.", "ludus solve"), Claimed("Always.", "refuted", "No.", "ludus")]
    return Document(
        name, "A paper <b>run</b> again", "A. Author, 2020", "What it did.", draw(game, game.start()).svg,
        [Section("1", "Wins", "It played.", [Words("Words."), curve, results])],
        claims, Best("perfect", "nothing", "all right", "ludus play", []), made, findings=Findings(["It wins 91 %."]),
    )  # fmt: skip
