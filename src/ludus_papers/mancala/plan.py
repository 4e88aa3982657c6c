"""Tasks of the Mancala paper: trainings told at the paper's own stages, and positions whose truth is searched."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ludus import catalog
from ludus.agents.agent import agent_for
from ludus.agents.asking import answers_of
from ludus.agents.simple import Random
from ludus.arena.match import play_match
from ludus.compiled.rows import unpack
from ludus.files import write_whole
from ludus.grading.sample import Worth, sampled_positions, search_chunk
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.report.document import Level
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, made, matching, options, random_play, training

GAME = "mancala"

_POSITIONS = "positions.json"

_AT_ONCE = 5  # positions of one search, which then forgets


Known = list[tuple[list[int], list[int]]]  # the fields of a position, and the actions that keep its value


# ---- positions whose truth is known ----


def judging(count: int, seed: int) -> Task:
    """So many positions out of random games, searched; its result is what `judged` returns."""
    command = f"ludus grade random {GAME} --positions {count} --seed {seed}"
    return Task(f"the truth about {count} positions, seed {seed}", judged, (count, seed), keeps=True, command=command)


def judged(count: int, seed: int, folder: Path, folders: Sequence[Path]) -> dict[str, float]:
    """Search positions from the second halves of random games: how many are decisions, and how random play does."""
    game = catalog.make_game(GAME)
    positions = sampled_positions(Random(), game, count, seed)
    chunks = [positions[begin : begin + _AT_ONCE] for begin in range(0, count, _AT_ONCE)]
    worths = [worth for chunk in chunks for worth in search_chunk(game, chunk)]
    known = [
        ([*pos], right) for pos, worth in zip(positions, worths, strict=True) if (right := _right(game, pos, worth))
    ]
    write_whole(folder / _POSITIONS, [json.dumps(known).encode()])
    return {
        "decisions": len(known),
        "skipped": sum(worth is None for worth in worths),
        "accuracy": right_share(Random(), game, known) if known else 0.0,
    }


def _right(game: Any, pos: Any, worth: Worth) -> list[int]:
    """The actions that keep the value; none if the position is no decision, or was not searched."""
    if worth is None:
        return []
    side = 1 if game.player(pos) == 0 else -1
    best = max(side * value.score for value in worth.values())
    right = [action for action, value in worth.items() if side * value.score == best]
    return right if len(right) < len(worth) else []


def right_share(agent: Any, game: Any, known: Known) -> float:
    """How often an agent does what keeps the value."""
    table = answers_of(agent_for(agent, game), game, np.array([fields for fields, _ in known], np.int64))
    return float(np.mean([table[place, right].sum() for place, (_, right) in enumerate(known)]))


def read_known(folders: Sequence[Path]) -> Known:
    """The positions in these folders."""
    return [entry for folder in folders for entry in json.loads((folder / _POSITIONS).read_text())]


# ---- trainings ----


def learning(
    words: dict[str, str],
    stages: Sequence[int],
    seed: int,
    *,
    every: int,
    matches: int,
    rivals: dict[str, int] | None = None,
    sample: Sequence[Task] = (),
) -> Task:
    """A training by move weights, told at stages.

    every: of so many games the score of one is noted; matches: games with random play at each stage; rivals: games
    with others in the end; sample: positions in which it is asked what it does.
    """
    told = words | {"seed": str(seed)}
    plan = {"games": str(stages[-1]), "grade": "no"} | ({"eval_games": str(matches)} if matches else {})
    command = f"ludus train {GAME} move-weights {options(told | plan)}"
    if rivals:
        after = [f"ludus match {GAME} RUN {shlex.quote(name)} --games {games}" for name, games in rivals.items()]
        command = "; ".join([f"{command} --out RUN", *after])
    name = f"move-weights on {GAME}, {', '.join(f'{key} {value}' for key, value in told.items())}, {stages[-1]:,} games"
    arguments = sorted(told.items()), list(stages), every, matches, sorted((rivals or {}).items())
    return Task(name, learned, arguments, needs=tuple(sample), command=command, games=stages[-1])


def learned(
    words: list[tuple[str, str]],
    stages: list[int],
    every: int,
    matches: int,
    rivals: list[tuple[str, int]],
    folders: Sequence[Path] = (),
) -> list[dict[str, Any]]:
    """Train, and tell at each stage how all games so far ended, for player 0, and how the learner does by then.

    wins, losses, ties; signed, absolute: the mean difference of the stores; against: what it wins of games with random
    play, first and second, and ties; right: its accuracy in the positions of the folders; met: positions that it knows.
    Of the last stage also rivals: what it wins of games with others.
    """
    game = catalog.make_game(GAME)
    plan = {"games": str(stages[-1]), "eval_every": str(stages[-1]), "eval_against": "none", "grade": "no"}
    training = Training(game, *configured(game, "move-weights", dict(words) | plan, None))
    known, scores, told = read_known(folders), list[int](), list[dict[str, Any]]()

    def note(training: Training) -> None:
        trainer: Any = training.trainer
        scores.append(game.score(unpack(game.start(), trainer.episode.row)))
        if training.games in stages:
            agent = training.agent()
            told.append(_so_far(training, scores) | _by_now(agent, game, matches, known))
            if training.games == stages[-1]:
                told[-1]["rivals"] = {name: _won(agent, game, name, games) for name, games in rivals}

    training.run(Watcher(progress=note, every=every))
    return told


def _won(agent: Any, game: Any, rival: str, games: int) -> float:
    return play_match(game, agent, catalog.make_agent(rival), games, threads=1).all.a_wins / games


def _so_far(training: Training, scores: list[int]) -> dict[str, Any]:
    wins, ties, losses, _ = (int(count) for count in training.trainer.results[0])
    differences = {"signed": float(np.mean(scores)), "absolute": float(np.mean(np.abs(scores)))}
    met = int(training.trainer.metrics()["visited"][0])
    return {"games": training.games, "wins": wins, "losses": losses, "ties": ties, "met": met} | differences


def _by_now(agent: Any, game: Any, matches: int, known: Known) -> dict[str, Any]:
    right = {"accuracy": right_share(agent, game, known)} if known else {}
    if not matches:
        return right
    match = play_match(game, agent, Random(), matches, threads=1)
    won = [count.a_wins / count.games for count in (match.first, match.second)]
    return right | {"against": [*won, match.all.draws / matches]}


# ---- other agents ----


def asking(agent: str | Task, sample: Sequence[Task]) -> Task:
    """How often an agent, or a training, is optimal in the positions of a sample."""
    run = (agent,) if isinstance(agent, Task) else ()
    name = agent.name if isinstance(agent, Task) else agent
    written = 0 if isinstance(agent, Task) else agent
    command = f"ludus grade {'RUN' if run else shlex.quote(name)} {GAME}"
    return Task(f"optimal decisions of {name}", asked, (written,), needs=(*run, *sample), command=command)


def asked(agent: str | int, folders: Sequence[Path]) -> float:
    """The share of optimal decisions; the folder of a training comes before those of the positions."""
    known = read_known(folders[1:] if agent == 0 else folders)
    return right_share(made(agent, folders), catalog.make_game(GAME), known)


BEST = "what would have worked"

TEXT, PROGRAM = "as the text says", "as the program does: by the result of the game before"

VARIANTS = {"70/70": (0.7, 0.7), "50/50": (0.5, 0.5), "90/50": (0.9, 0.5), "50/90": (0.5, 0.9)}

LAST = 150_500


# The stages of the paper's charts, three to a chart.
_FIRST = ((30, 50, 100), (500, 1500, 2500), (10_500, 30_500, 50_500))

_OTHERS = ((30, 50, 100), (500, 1000, 2000), (5000, 10_000, 50_000))

_PROGRAM: dict[str, Any] = {"late": "true", "shrink": "0.8"}

LOOKS_AHEAD = "minimax(depth=2)"  # stands for a person of some skill


def charts(lab: Lab, variant: str) -> list[list[int]]:
    """The stages of each chart; on smaller scales those of later charts come sooner."""
    found = _FIRST if variant == "70/70" else _OTHERS
    sooner = lab.pick(full=(1, 1, 1), quick=(1, 1, 10), tiny=(1, 10, 100))
    return [[stage // by for stage in chart] for chart, by in zip(found, sooner, strict=True)]


def all_stages(lab: Lab, variant: str) -> list[int]:
    """Those of all charts, each once."""
    return sorted({stage for chart in charts(lab, variant) for stage in chart})


def last(lab: Lab) -> int:
    """The games of a whole training."""
    return LAST // lab.pick(full=1, quick=10, tiny=250)


def _stages(lab: Lab, variant: str, games: int) -> list[int]:
    return sorted({stage for stage in all_stages(lab, variant) if stage < games} | {games})


def sample(lab: Lab) -> list[Task]:
    """Positions whose truth is searched."""
    return [judging(lab.pick(full=60, quick=15, tiny=5), seed) for seed in range(lab.pick(full=4, quick=2, tiny=1))]


def self_play(lab: Lab, variant: str, seed: int, *, late: bool = False) -> Task:
    """A variant against itself."""
    words = _words(variant) | (_PROGRAM if late else {})
    return _learning(
        lab, words, _stages(lab, variant, last(lab)), seed, lab.pick(full=5 if late else 1, quick=5, tiny=1)
    )


def _words(variant: str) -> dict[str, str]:
    win, loss = VARIANTS[variant]
    return {"win": str(win), "loss": str(loss)}


def _learning(lab: Lab, words: dict[str, str], stages: list[int], seed: int, every: int) -> Task:
    matches = lab.pick(full=10_000, quick=2_000, tiny=200)
    return learning(words, stages, seed, every=every, matches=matches, sample=sample(lab))


def against_random(lab: Lab, seed: int, *, late: bool = False, long: bool = False) -> Task:
    """70/70 against random play, moving first; long: for twice as many games as self-play has."""
    games = 2 * last(lab) if long else 100_000 // lab.pick(full=1, quick=10, tiny=250)
    words = _words("70/70") | {"opponent": "random", "seats": "first"} | (_PROGRAM if late else {})
    return _learning(lab, words, _stages(lab, "70/70", games), seed, lab.pick(full=5, quick=5, tiny=1))


def long_run(lab: Lab) -> Task:
    """70/70 against itself for a couple of million games, and a match with a player who looks two plies ahead."""
    games = lab.pick(full=2_000_000, quick=60_000, tiny=1_000)
    matches = lab.pick(full=10_000, quick=2_000, tiny=200)
    stages = [games * quarter // 4 for quarter in (1, 2, 3, 4)]
    return learning(
        _words("70/70"), stages, 0, every=games // 1000, matches=matches, rivals={LOOKS_AHEAD: _people(lab)}
    )


def best(lab: Lab) -> Task:
    """A small network that learns by TD(lambda)."""
    games = lab.pick(full=200_000, quick=6_000, tiny=200)
    return training(
        GAME,
        "td-lambda",
        1,  # the settings were found with seed 0
        hidden=40,
        view="mover",
        epsilon=0.1,
        alpha=f"0.003..0@{games}",
        lam=0.6,
        games=games,
        eval_every=games // 20,
        eval_games=lab.pick(full=2_000, quick=400, tiny=100),
        grade="no",
    )


def people(lab: Lab, agent: str | Task) -> Task:
    """A match against a player who looks two plies ahead."""
    return matching(GAME, agent, LOOKS_AHEAD, _people(lab), 0)


def _people(lab: Lab) -> int:
    return lab.pick(full=100, quick=40, tiny=10)


def looking_self_play(lab: Lab, depth: int) -> Task:
    """Players who look so many plies ahead, among themselves."""
    return matching(
        GAME, f"minimax(depth={depth})", f"minimax(depth={depth})", lab.pick(400, 200, 10), 0, seats="first"
    )


def best_right(lab: Lab) -> Task:
    """How often the best agent is optimal in the sample."""
    return asking(best(lab), sample(lab))


def searcher(lab: Lab) -> str:
    """An agent that learns nothing, and searches."""
    return f"mcts(sims={lab.pick(full=1000, quick=200, tiny=20)})"


def searcher_right(lab: Lab) -> Task:
    """How often that is optimal in the sample."""
    return asking(searcher(lab), sample(lab))


def chance(lab: Lab) -> Task:
    """Random play."""
    return random_play(GAME, lab.pick(full=1_000_000, quick=200_000, tiny=2_000), 0)


def untaught(lab: Lab) -> Task:
    """A learner whom nothing is taught, which is random play; told as the others are."""
    games = lab.pick(full=100_000, quick=20_000, tiny=500)
    return learning({"win": "0", "loss": "0"}, [games], 0, every=lab.pick(full=1, quick=5, tiny=1), matches=0)


def random_shares(played: Any) -> list[float]:
    """Of random play: wins of player 1, of player 2, and ties."""
    return [played[name] / played["games"] for name in ("first_wins", "second_wins", "ties")]


def beside(played: Any) -> dict[str, list[float]]:
    """What stands beside the bars of each chart."""
    return {"random play": random_shares(played)}


def won_level(played: Any) -> Level:
    """What random play wins of games from either seat alike."""
    first, second, _ = random_shares(played)
    return Level("random play", (first + second) / 2)


def right_level(judged: Sequence[Any]) -> Level:
    """How often random play is optimal in the sample."""
    decisions = sum(each["decisions"] for each in judged)
    return Level("random play", sum(each["decisions"] * each["accuracy"] for each in judged) / max(decisions, 1))


# ---- small boards ----


def boards(lab: Lab) -> list[str]:
    """Boards that can be listed."""
    sizes = lab.pick(full=[(3, 2), (3, 3)], quick=[(3, 2)], tiny=[(2, 2)])
    return [f"mancala(holes={holes}, stones={stones})" for holes, stones in sizes]


def small(lab: Lab, board: str, seed: int, *, late: bool = False) -> Task:
    """70/70 on a small board, graded against the truth."""
    return training(board, "move-weights", seed, **_small(lab), **(_PROGRAM if late else {}))


def small_chance(lab: Lab, board: str) -> Task:
    """Random play on a small board."""
    return random_play(board, lab.pick(full=100_000, quick=20_000, tiny=500), 0)


def small_best(lab: Lab, board: str) -> Task:
    """A table that learns the score from the end of games that begin anywhere."""
    words: dict[str, Any] = {
        "epsilon": 0,
        "alpha": 1,
        "margin": "true",
        "random_plies": 20,
        "random_side": "both",
        "backward": "true",
    }
    return training(board, "q-table", 0, symmetry="true", **words, **_small(lab))


def _small(lab: Lab) -> dict[str, Any]:
    games = lab.pick(full=LAST, quick=20_000, tiny=200)
    return {"games": games, "eval_every": games // 10, "eval_games": lab.pick(full=4_000, quick=1_000, tiny=100)}


def by_seeds(lab: Lab, found: Sequence[Any]) -> list[list[Any]]:
    """Results that came for all seeds of one setting after those of another, in groups."""
    size = len(lab.seeds)
    return [list(found[place : place + size]) for place in range(0, len(found), size)]
