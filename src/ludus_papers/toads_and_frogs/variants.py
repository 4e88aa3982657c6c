"""The other experiments of the Toads and Frogs paper: text and program, Death Leap, self-play, dead pieces, bots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus import actions
from ludus.compiled.bits import popcount
from ludus.games.toads_and_frogs import Position, dead_pieces
from ludus.learning.dqn import Slip
from ludus.report.document import Bars, Curves, Level, Part, Results, Table, Words
from ludus.study.paper import Lab
from ludus.study.paper.tasks import (
    Task,
    Trains,
    Working,
    grading,
    matching,
    policies,
    read_sample,
    train_in,
    write_sample,
)
from ludus.study.paper.verdict import (
    BEST,
    RANDOM,
    accuracy,
    accuracy_figure,
    curve,
    difference,
    mean,
    series,
    won_figure,
)
from ludus_papers.toads_and_frogs import tasks
from ludus_papers.toads_and_frogs.boards import AS_PAPER
from ludus_papers.toads_and_frogs.tasks import (
    FIRST,
    LARGE,
    MEDIUM,
    SECOND,
    SIZES,
    SMALL,
    about,
    as_paper,
    best_training,
    match_random,
    share,
    toads_to_move,
    with_slip,
)
from ludus_papers.toads_and_frogs.theory import counting

READINGS: dict[str, dict[str, Any]] = {
    "explores all pieces, copies after games 1, 21, 41 (program)": {},
    "explores legal moves (text)": {"explore": "legal"},
    "copies after games 20, 40, 60": {"target_first": 0},
}
TRIED: dict[str, dict[str, Any]] = {
    "layers of 100, 150 and 100, learning rate 0.0001 (paper)": {},
    "layers of 100 and 75": {"hidden": "100-75"},
    "learning rate 0.001": {"learning_rate": "0.001"},
}
_MEASURES = {
    "illegal choice loses": ("strict first", "strict second"),
    "best legal instead": ("toads first", "toads second"),
    "best legal, moving second": ("toads second",),
    "program's protocol": ("program",),
}
LEAPS: dict[str, dict[str, Any]] = {"no extra reward": {}, "with the extra reward": {"shaping": 15}}
_EPSILON = 0.5  # at the start of the first epoch
_WALLS = "TTTFFF", "TTFTFF"  # as dead as each other
_TRIES = 20_000  # games of random play, at most, to find positions in
KINDS = {"killing wins": "only killing wins", "killing loses": "killing loses"}

# ---- text and program, and a reward for Death Leaps ----


def compared(lab: Lab, ways: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Trainings on the small board by settings, with their protocols; random play; and the best agent."""
    trained = {name: [as_paper(lab, SMALL, seed, **settings) for seed in lab.seeds] for name, settings in ways.items()}
    return {
        "trained": trained,
        "protocols": {
            name: [tasks.evaluation(one, SMALL.game, tasks.tested(lab), seed) for seed, one in enumerate(each)]
            for name, each in trained.items()
        },
        "toads": {name: [tasks.as_toads(one, SMALL.game) for one in each] for name, each in trained.items()},
        "random": grading("random", SMALL.game),
        "best": best_training(lab, SMALL),
    }


def text_and_program(lab: Lab) -> Working[Sequence[Part]]:
    """Exploring among legal moves or among all pieces, and what an illegal choice in play means."""
    found = yield compared(lab, READINGS)
    return [
        Table(
            "text-and-program",
            f"Text and program on {SMALL.strip}: games won against random, and optimal decisions at the end",
            ("training", *_MEASURES, "optimal decisions", "more than the first"),
            _compared_rows(found),
            caption="As toads, both sides starting alternately; by the program's protocol the agent always moves first."
            " Optimal decisions are those of the toads. The last column compares games won by the program's protocol,"
            " seed by seed.",
        ),
        _grades("text-and-program-grade", found),
    ]


def settings_tried(lab: Lab) -> Working[Sequence[Part]]:
    """Another network and another learning rate, which the program names beside those of the paper."""
    found = yield compared(lab, TRIED)
    return [
        Table(
            "settings-tried",
            f"Other settings on {SMALL.strip}: games won against random, and optimal decisions at the end",
            ("training", *_MEASURES, "optimal decisions", "more than the first"),
            _compared_rows(found),
            caption="As in the table of text and program.",
        ),
        _grades("settings-tried-grade", found),
    ]


def _compared_rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Ways of training by all measures, the last column beside the first way."""
    first = [each["program"] for each in next(iter(found["protocols"].values()))]
    rows: list[tuple[str, ...]] = []
    for name, tests in found["protocols"].items():
        shares = [mean([sum(each[key] for key in keys) / len(keys) for each in tests]) for keys in _MEASURES.values()]
        gain = difference([each["program"] for each in tests], first).gained() if rows else "-"
        rows.append((name, *(each.shown() for each in [*shares, mean(found["toads"][name])]), gain))
    return rows


def _grades(key: str, found: dict[str, Any]) -> Curves:
    return accuracy_figure(
        key,
        [curve(name, each, accuracy) for name, each in found["trained"].items()],
        found["random"]["all"]["accuracy"],
        [Level(f"{BEST}, at its end", accuracy(found["best"]["lines"])[-1])],
        "All decisions of either side: the network sees the strip turned round where frogs move.",
        of=f" on {SMALL.strip}",
    )


def death_leap(lab: Lab) -> Working[Sequence[Part]]:
    """The extra reward for entering a Death Leap zero."""
    counts = {size.strip: counting(lab, size.game) for size in SIZES}
    found = yield compared(lab, LEAPS) | {"counts": counts}
    results = []
    for name, tests in found["protocols"].items():
        wins = [(one["toads first"] + one["toads second"]) / 2 for one in tests]
        results.append(lab.result(f"optimal decisions as toads, {name}", None, found["toads"][name]))
        results.append(lab.result(f"won by the program's protocol, {name}", None, [one["program"] for one in tests]))
        results.append(lab.result(f"won as toads, {name}", None, wins))
    return [
        _grades("death-leap-grade", found),
        Results("death-leap-results", results),
        Table(
            "death-leap-share",
            "Positions in random play that the Death Leap Principle makes zero",
            ("board", "share"),
            [(strip, f"{count['leaps']:.1%}") for strip, count in found["counts"].items()],
            caption="How often there is something to reward.",
        ),
    ]


# ---- self-play ----


def fights(lab: Lab) -> list[Task]:
    """A toad and a frog agent on the small board that learn against each other, by seed, as `fought` returns them."""
    board, epochs, games, matches = SMALL.game, lab.pick(5, 2, 1), lab.pick(2_000, 100, 10), lab.pick(1000, 200, 20)
    return [
        Task(
            f"toads against frogs on {board}, {epochs} epochs of {games} games, seed {seed}",
            fought,
            (board, epochs, games, matches, seed),
            keeps=True,
            needs=(as_paper(lab, SMALL, seed), as_paper(lab, SMALL, seed, seats="second")),
            command=f"ludus train '{board}' dqn --preset paper --init-from TOADS --opponent FROGS --games {games}",
            games=2 * epochs * games,
            trains=Trains("dqn", "paper"),
        )
        for seed in lab.seeds
    ]


def fought(
    board: str, epochs: int, games: int, matches: int, seed: int, folder: Path, folders: Sequence[Path]
) -> list[dict[str, float]]:
    """The strength of two agents before and after each epoch, as `_strength` returns it."""
    game = ludus.make_game(board)
    toads, frogs = (ludus.read_run(path) for path in folders)
    found = [_strength(game, toads, frogs, matches, seed)]
    plan = {"games": str(games), "seed": str(seed), "eval_every": str(games), "eval_against": "none", "grade": "no"}
    for epoch in range(epochs):
        settings = plan | {"epsilon": f"{_EPSILON / (epoch + 1):g}/sqrt"}
        sides = {"init_from": str(toads.path), "opponent": str(frogs.path)}
        toads = train_in(folder / f"toads-{epoch}", board, "dqn", settings | sides, "paper")
        sides = {"init_from": str(frogs.path), "opponent": str(toads.path), "seats": "second"}
        frogs = train_in(folder / f"frogs-{epoch}", board, "dqn", settings | sides, "paper")
        found.append(_strength(game, toads, frogs, matches, seed))
    return found


def _strength(game: Any, toads: Any, frogs: Any, games: int, seed: int) -> dict[str, float]:
    """The share of games that toads win against frogs, both starting alternately, each against random; accuracies.

    An illegal choice is a random legal move, as in the program: between two that never err there are but two games.
    """
    toad, frog = with_slip(toads, Slip.RANDOM), with_slip(frogs, Slip.RANDOM)
    both = ludus.play_match(game, toad, frog, games, seed=seed, seats=FIRST, alternate_starter=True, threads=1)
    found = {"toads": share(both.all)}
    for side, run, agent, seats in (("toads", toads, toad, FIRST), ("frogs", frogs, frog, SECOND)):
        match = match_random(game, agent, games, seed, seats=seats, alternate_starter=True)
        found[f"{side} against random"] = share(match.all)
        counted = ludus.grade(run.agent(), game, mistakes=0).all
        found[f"{side} accuracy"] = float(counted.optimal) / max(counted.decisions, 1)
    return found


def against_each_other(lab: Lab) -> Working[Sequence[Part]]:
    """Toads and frogs that continue to learn against each other."""
    found = yield {"random": grading("random", SMALL.game), "fights": fights(lab)}
    fought = found["fights"]
    x = tuple(range(len(fought[0])))
    names = {
        "toads": "toads against the frog agent",
        "toads against random": "toads against random",
        "frogs against random": "frogs against random",
        "toads accuracy": "the toads agent",
        "frogs accuracy": "the frogs agent",
    }
    curves = [series(name, x, [[each[key] for each in one] for one in fought]) for key, name in names.items()]
    wins = won_figure(
        "self-play-wins",
        curves[:3],
        0.5,
        (),
        "Both sides start alternately, so random play wins half. Before epoch 1 each has met only random; in an epoch"
        " the toads learn against the frogs, then the frogs against the toads.",
        title=f"Toads and frogs that learn against each other on {SMALL.strip}",
    )
    grades = accuracy_figure(
        "self-play-grade",
        curves[3:],
        found["random"]["all"]["accuracy"],
        (),
        "All decisions of either side, seen as the agent's own.",
        of=" of either agent",
    )
    why = (
        "between two networks that hardly ever slip there are but a few different games, so that one choice decides"
        " hundreds of them: trainings come out anywhere between none and all"
    )
    last = [one[-1]["toads"] for one in fought]
    result = lab.result("games that toads win against frogs at the end", "self-play", last, why)
    return [wins._replace(x_title="epochs"), grades._replace(x_title="epochs"), Results("self-play-results", [result])]


# ---- dead pieces ----


class Case(NamedTuple):
    """A position with toads to move: the actions that win, and those that leave more frogs dead."""

    pos: Position
    wins: frozenset[int]
    kills: frozenset[int]


def killing(trained: Task, board: str, positions: int) -> Task:
    """Killing moves of a training; its result is what `killed` returns."""
    sample = Task(f"killing on {board}", find_cases, (board, positions), keeps=True, command=f"ludus solve '{board}'")
    return about(trained, "dead pieces", killed, board, needs=(sample,), command=f"ludus grade RUN '{board}'")


def killed(board: str, folders: Sequence[Path]) -> dict[str, dict[str, float]]:
    """How a network chooses where only killing wins, and where killing loses, as `_chosen` returns it."""
    game, agent = ludus.make_game(board), ludus.read_run(folders[0]).agent()
    found = read_sample(folders[1], dict[str, list[tuple[list[int], list[int], list[int]]]])
    return {
        kind: _chosen(
            game, agent, [Case(Position(*pos), frozenset(wins), frozenset(kills)) for pos, wins, kills in cases]
        )
        for kind, cases in found.items()
    }


def find_cases(board: str, positions: int, folder: Path, folders: Sequence[Path]) -> dict[str, int]:
    """Write down such positions, the same for all networks: how many there are of each kind."""
    found = _cases(ludus.make_game(board), positions)
    cases = {kind: [(pos, sorted(wins), sorted(kills)) for pos, wins, kills in each] for kind, each in found.items()}
    write_sample(folder, cases)
    return {kind: len(each) for kind, each in found.items()}


def _cases(game: Any, positions: int) -> dict[str, list[Case]]:
    """Positions of random play, each once: all that wins kills, or something wins, but nothing that kills."""
    truth = ludus.solve(game, also=[game.with_mover(game.start(), 1)])
    found: dict[str, dict[Position, Case]] = {"killing wins": {}, "killing loses": {}}
    for pos in _met(game, np.random.default_rng(0)):
        kills = frozenset(action for action in actions(game.legal(pos)) if _kills(game, pos, action))
        if not kills:
            continue
        wins = frozenset(action for action, value in truth.actions(pos).items() if value.score == 1)
        others = set(actions(game.legal(pos))) - wins
        if wins and others and (wins <= kills or not wins & kills):
            kind = found["killing wins" if wins <= kills else "killing loses"]
            if len(kind) < positions:
                kind.setdefault(pos, Case(pos, wins, kills))
        if all(len(kind) == positions for kind in found.values()):
            break
    return {kind: list(cases.values()) for kind, cases in found.items()}


def _met(game: Any, generator: np.random.Generator) -> Iterator[Position]:
    """Positions with toads to move in games of random play, begun by either side."""
    for number in range(_TRIES):
        pos = game.with_mover(game.start(), number % 2)
        while legal := actions(game.legal(pos)):
            if pos.turn == 0:
                yield pos
            pos = game.play(pos, legal[generator.integers(len(legal))])


def _kills(game: Any, pos: Position, action: int) -> bool:
    after = game.play(pos, action)
    dead = [popcount(dead_pieces(one.toads, one.frogs, game.squares) & one.frogs) for one in (pos, after)]
    return dead[1] > dead[0]


def _chosen(game: Any, agent: Any, cases: Sequence[Case]) -> dict[str, float]:
    """The accuracy of the agent, the share of positions in which it kills, and the accuracy of random moves."""
    if not cases:
        return {"positions": 0, "accuracy": 0.0, "kills": 0.0, "chance": 0.0}
    chosen = policies(agent, game, [case.pos for case in cases])
    optimal = [sum(row[list(case.wins)]) for row, case in zip(chosen, cases, strict=True)]
    kills = [sum(row[list(case.kills)]) for row, case in zip(chosen, cases, strict=True)]
    chance = [len(case.wins) / len(actions(game.legal(case.pos))) for case in cases]
    return {
        "positions": len(cases),
        "accuracy": float(np.mean(optimal)),
        "kills": float(np.mean(kills)),
        "chance": float(np.mean(chance)),
    }


def pairing(trained: Task, board: str, pairs: int) -> Task:
    """Moves of a training in pairs of strips; its result is what `paired` returns."""
    return about(trained, "pairs of walls", paired, board, pairs, command=f"ludus play '{board}' --against RUN")


def paired(board: str, pairs: int, folders: Sequence[Path]) -> dict[str, float]:
    """Of pairs of strips that differ in a dead wall alone, in how many the same piece is moved; and by random moves."""
    game, agent = ludus.make_game(board), ludus.read_run(folders[0]).agent()
    built = list(_pairs(game, pairs, np.random.default_rng(0)))
    one, other = (policies(agent, game, [pair[which] for pair in built]) for which in (0, 1))
    chance = [1 / len(actions(game.legal(pair[0]))) for pair in built]
    return {"pairs": pairs, "alike": float((one * other).sum(axis=1).mean()), "chance": float(np.mean(chance))}


def _pairs(game: Any, pairs: int, generator: np.random.Generator) -> Iterator[tuple[Position, Position]]:
    """Strips with as many pieces as the board, a wall among them, and at least two toads that can move."""
    start = game.start()
    wall = len(_WALLS[0])
    toads, frogs = (popcount(side) - wall // 2 for side in (start.toads, start.frogs))
    while pairs:
        left, place = game.squares - wall, int(generator.integers(game.squares - wall + 1))
        loose = list("T" * toads + "F" * frogs + "_" * (left - toads - frogs))
        generator.shuffle(loose)
        around = "".join(loose[:place]), "".join(loose[place:])
        both = tuple(toads_to_move(around[0] + each + around[1]) for each in _WALLS)
        dead = dead_pieces(both[0].toads, both[0].frogs, game.squares)
        if dead == ((1 << wall) - 1) << place and len(actions(game.legal(both[0]))) > 1:
            pairs -= 1
            yield both[0], both[1]


def dead_tests(lab: Lab) -> dict[str, Any]:
    """The tests of dead pieces: positions of the medium board, pairs of the large one; of the best agents, too."""
    number = lab.pick(300, 60, 10)
    return {
        "killing": [killing(as_paper(lab, MEDIUM, seed), MEDIUM.game, number) for seed in lab.seeds],
        "pairs": [pairing(as_paper(lab, LARGE, seed), LARGE.game, number) for seed in lab.seeds],
        "best killing": killing(best_training(lab, MEDIUM), MEDIUM.game, number),
        "best pairs": pairing(best_training(lab, LARGE), LARGE.game, number),
    }


def dead_pieces_test(lab: Lab) -> Working[Sequence[Part]]:
    """Positions built and found to test whether the network understands dead pieces."""
    found = yield dead_tests(lab)
    killed, best, paired, pairs = (found[name] for name in ("killing", "best killing", "pairs", "best pairs"))
    groups = [
        (mean([one[kind]["accuracy"] for one in killed]), best[kind]["accuracy"], best[kind]["chance"])
        for kind in KINDS
    ]
    groups.append((mean([one["alike"] for one in paired]), pairs["alike"], pairs["chance"]))
    bounds = [[(end, *others) for end in (ours.mean, *ours.bounds)] for ours, *others in groups]
    heights, low, high = ([list(row) for row in zip(*each, strict=True)] for each in zip(*bounds, strict=True))
    kills = [mean([one[kind]["kills"] for one in killed]).mean for kind in KINDS]
    sizes = [best[kind]["positions"] for kind in KINDS]
    return [
        Words(
            f"Three tests. On {MEDIUM.strip}, {sizes[0]} positions of random games in which only moves that leave more"
            f" frogs dead win, and {sizes[1]} in which such a move is there, but loses, while another wins: an agent"
            " that understands plays well in both, one that merely likes to kill only in the first."
            f" On {LARGE.strip}, {pairs['pairs']} pairs of built strips that differ in nothing but how the inside"
            " of a dead wall is arranged, `TTTFFF` or `TTFTFF`: an agent that understands moves the same piece in both."
        ),
        Bars(
            "dead-pieces",
            "Dead pieces: optimal moves, and same moves in pairs",
            "optimal, or the same",
            (*KINDS.values(), "pairs of walls"),
            (AS_PAPER, BEST, RANDOM),
            heights,
            low,
            high,
            caption=f"The paper's network kills in {kills[0]:.0%} of the first positions and in {kills[1]:.0%} of the"
            " second.",
        ),
    ]


def end_bots(lab: Lab) -> Working[Sequence[Part]]:
    """The paper's bots that always move the piece furthest ahead or furthest back."""
    number, bots = lab.pick(1000, 500, 20), ("first", "last")
    found = yield {
        "trained": {
            bot: [
                matching(SMALL.game, as_paper(lab, SMALL, seed), bot, number, 0, seats="first", alternate_starter=True)
                for seed in lab.seeds
            ]
            for bot in ("random", *bots)
        },
        "bots": {bot: tasks.seated(bot, SMALL.game, number, 0) for bot in bots},
        "random": tasks.chance_by_seat(lab, SMALL),
        "best": tasks.best_by_seat(lab, SMALL),
    }
    rows = [
        (f"{AS_PAPER}, against {bot}", mean([one["all"]["won"] for one in each]).shown())
        for bot, each in found["trained"].items()
    ]
    rows += [(f"{bot} against random", f"{one['text']:.1%}") for bot, one in found["bots"].items()]
    rows.append((f"{BEST}, against random", f"{found['best']['text']:.1%}"))
    rows.append(("random against random", f"{found['random']['text']:.1%}"))
    return [
        Table(
            "end-bots",
            f"The end bots on {SMALL.strip}: games won as toads, both sides starting alternately",
            ("who", "won"),
            rows,
            caption="`first` moves the piece furthest ahead, `last` the one furthest back. Between two that always"
            " answer alike there are two games, one for each side that begins: they win none, half or all.",
        )
    ]
