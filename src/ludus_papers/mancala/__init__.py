"""Mancala by move weights, run again: the paper's charts, the program's mistake, and small boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus import face
from ludus.learning.move_weights import shift
from ludus.report.document import Board, Boards, Curves, Level, Part, Result, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper
from ludus.study.paper.tasks import Working, grading, random_play
from ludus.study.paper.verdict import BEST, RANDOM, accuracy, accuracy_figure, curve, ends, mean, won
from ludus_papers.mancala import plan
from ludus_papers.mancala.claims import CLAIMS, findings, what_would_have_worked

_MEANS = "From both seats, without learning; means over seeds."
_SHORT = {"text": "the text", "program": "the program"}
WHY_LAST = {
    "text": "The author ran the program, which teaches each game with the result of the game before",
    "program": "Perhaps because the program's weights are whole numbers of per cent, which was not tried here",
}
_EXACT = "Of all decisions that can be reached; an optimal decision preserves the score. Means over seeds."
_PEOPLE = (
    "It counts what can be in the stores after its own move and the reply; a person of any decent skill sees as much."
    " One seed each."
)
_HOLES = range(1, 7)
_PLAYED, _STEP = 4, 0.7
_WHY = "The paper says what the weights might look like; by its own rule hole 5 has less to give than its share"


def equal_sharing(lab: Lab) -> list[Part]:
    """The paper's example of adjusted weights, won and lost, by the learner's own rule."""
    before = np.array([lab.number(f"before-{hole}").value for hole in _HOLES])
    mask = sum(1 << place for place, weight in enumerate(before) if weight)
    results = []
    for word, step in (("won", _STEP), ("lost", -_STEP)):
        weights = before.copy()
        shift(weights, mask, _PLAYED - 1, step)
        results += [
            lab.result(
                f"hole {hole} after the game is {word}", f"{word}-{hole}", [float(weights[hole - 1])], _WHY, whole=True
            )
            for hole in _HOLES
        ]
    return [
        Words(
            "What the hole played gains or loses is shared equally over the other holes that are not empty; none falls"
            " below nothing, and what one cannot give is taken from the others. The example: hole 4 is played, by 70 %."
        ),
        Results("update", results),
    ]


def board_and_update(lab: Lab) -> Working[Sequence[Part]]:
    """Figures 1 and 2, and how weights are adjusted."""
    yield {}
    game = ludus.make_game(plan.GAME)
    boards = [
        Board(face.draw(game, game.start()).svg, "Figure 1: before any move."),
        Board(face.draw(game, game.play(game.start(), 2)).svg, "Figure 2: after player 1 moved from hole 3."),
    ]
    return [Boards("board", "The board", boards, "Hole n is n steps from its owner's store."), *equal_sharing(lab)]


def _shown(variant: str, figure: int, lab: Lab) -> Working[Sequence[Part]]:
    """The charts and results of a variant; figure: the number of its first chart in the paper."""
    found = yield {"random": plan.chance(lab), "trained": plan.variant_both_ways(lab, variant)}
    trained, beside = found["trained"], {RANDOM: plan.random_shares(found["random"])}
    charts = plan.charts(lab, variant)
    reported = {
        f"paper, {games}": [lab.number(f"70-70-{games}-{place}").value for place in range(len(plan.ENDS))]
        for games in (charts[0] if variant == "70/70" else ())  # of which the text gives the numbers
    }
    figures = [
        plan.chart(f"figure-{number}", f"Figure {number}: {variant}", trained, stages, others | beside)
        for number, stages, others in zip(range(figure, figure + 3), charts, (reported, {}, {}), strict=True)
    ]
    results = [
        each
        for way, one in trained.items()
        for each in (*_early(lab, variant, way, one), *_late(lab, variant, way, one))
    ]
    leads = [Words(_who_leads(way, one, plan.all_stages(lab, variant))) for way, one in trained.items()]
    return [*figures, *leads, Results(f"results-{variant.replace('/', '-')}", results)]


def _who_leads(way: str, found: plan.Trainings, stages: Sequence[int]) -> str:
    counts = {games: sum(plan.lead(plan.stage_at(one, games)) > 0 for one in found) for games in stages}
    words = ", ".join(f"{count} at {games:,}" for games, count in counts.items())
    return f"Of {len(found)} trainings by the {way} player 1 is ahead in: {words} games."


def _early(lab: Lab, variant: str, way: str, found: plan.Trainings) -> list[Result]:
    first, second, _ = plan.charts(lab, variant)
    if variant == "70/70":
        return [
            lab.result(
                f"{way}: {end}, first {games} games",
                f"70-70-{games}-{place}",
                [plan.shares(plan.stage_at(one, games))[place] for one in found],
                whole=True,
            )
            for games in first
            for place, end in enumerate(plan.ENDS)
        ]
    if variant == "50/50":
        stages = {"30": first[0], "50": first[1], "100": first[2], "2000": second[2]}
        return [
            lab.result(
                f"{way}: player 1 ahead, {games:,} games",
                f"50-50-lead-{key}",
                [plan.lead(plan.stage_at(one, games)) for one in found],
                whole=games == int(key),
            )
            for key, games in stages.items()
        ]
    return []


def _late(lab: Lab, variant: str, way: str, found: plan.Trainings) -> list[Result]:
    key, games, why = variant.replace("/", "-"), found[0][-1]["games"], WHY_LAST[way]
    results = [
        lab.result(f"{way}: {end}, {games:,} games", f"{key}-last-{place}", _shares_of(found, place), why)
        for place, end in enumerate(plan.ENDS)
    ]
    absolute = [one[-1]["absolute"] for one in found]
    if plan.is_whole_part(absolute, lab.number("difference").value):
        why = "Perhaps a division of whole numbers dropped the fraction: it leaves 3 of this"
    signed = [one[-1]["signed"] for one in found]
    return [
        *results,
        lab.result(f"{way}: mean difference in score", "difference", absolute, why),
        lab.result(f"{way}: the same with its sign, for player 1", None, signed, unit="score"),
    ]


def _shares_of(found: plan.Trainings, place: int) -> list[float]:
    return [plan.shares(one[-1])[place] for one in found]


def all_variants(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 15, and what each variant has learned."""
    found = yield {
        "beside": plan.beside(lab),
        "untaught": plan.untaught(lab),
        "trained": {variant: plan.variant_both_ways(lab, variant) for variant in plan.VARIANTS},
    }
    beside, (idle,) = found["beside"], found["untaught"]
    played = beside["random"]
    texts = {variant: one["text"] for variant, one in found["trained"].items()}
    programs = {f"program, {variant}": one["program"] for variant, one in found["trained"].items()}
    reported = {
        f"paper, {variant}": [number.value for number in numbers] for variant, numbers in _last_numbers(lab).items()
    }
    title = f"Figure 15: all variants, {texts['50/90'][0][-1]['games']:,} games"
    wins = [plan.stages_curve(name, each, plan.won_against_random) for name, each in texts.items()]
    return [
        plan.last_bars("figure-15", title, texts | programs, reported | {RANDOM: plan.random_shares(played)}),
        Words(_adding_up(lab)),
        plan.stages_won_figure("all-won", [*wins, plan.best_won(beside["best"])], played, _MEANS),
        plan.sample_figure(
            "all-grade", [plan.stages_curve(name, each, plan.accuracy_at) for name, each in texts.items()], beside
        ),
        _differences("absolute", "", texts, idle["absolute"], [Level("paper", lab.number("difference").value)]),
        _differences("signed", " with its sign, for player 1", texts, played["total_score"] / played["games"], []),
    ]


def _differences(what: str, of: str, found: Mapping[str, plan.Trainings], random: float, levels: list[Level]) -> Curves:
    """Differences of the stores over training, in stones."""
    curves = [plan.stages_curve(name, each, lambda stage: float(stage[what])) for name, each in found.items()]
    return Curves(
        f"all-{what}",
        f"Mean difference{of or ' in score'}",
        "games of training",
        "stones",
        curves,
        Level(RANDOM, random),
        levels,
        "The mean of all games up to each stage.",
        percent=False,
        log=True,
    )


def _last_numbers(lab: Lab) -> dict[str, list[Any]]:
    return {
        variant: [lab.number(f"{variant.replace('/', '-')}-last-{place}") for place in range(len(plan.ENDS))]
        for variant in plan.VARIANTS
    }


def _adding_up(lab: Lab) -> str:
    """Whether the paper's own numbers add up to all its games."""
    totals = {
        variant: sum(round(end.value * end.games) for end in ends) for variant, ends in _last_numbers(lab).items()
    }
    games = _last_numbers(lab)["70/70"][0].games
    wrong = ", ".join(f"{variant} to {total:,}" for variant, total in totals.items() if total != games)
    if not wrong:
        return f"The paper's numbers in figure 15 add up to {games:,} games."
    return f"The paper's numbers in figure 15, as far as legible, do not all add up to {games:,} games: {wrong}."


# ---- other experiments ----


def against_random_play(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 7."""
    found = yield {
        "random": plan.chance(lab),
        "best": plan.best(lab),
        "trained": plan.both_ways(lab, partial(plan.against_random, lab)),
        "long": [plan.against_random(lab, seed, long=True) for seed in lab.seeds],
        "self-play": [plan.self_play(lab, "70/70", seed) for seed in lab.seeds],
    }
    played, trained = found["random"], found["trained"]
    counted = f"{trained['text'][0][-1]['games']:,} games"
    results = [
        lab.result(f"{what} of {counted}, {plan.NAMES[way]}", key, _shares_of(each, place), WHY_LAST[way])
        for way, each in trained.items()
        for what, key, place in (("won", "random-won", 0), ("tied", "random-tied", 2))
    ]
    curves = [
        plan.stages_curve("against random play", found["long"], plan.won_against_random),
        plan.stages_curve("against itself", found["self-play"], plan.won_against_random),
        plan.stages_curve("against random play, the program", trained["program"], plan.won_against_random),
        plan.best_won(found["best"]),
    ]
    groups = {_SHORT[way]: each for way, each in trained.items()}
    title = f"How {counted} against random play ended, the learner moving first"
    return [
        plan.last_bars("random-ends", title, groups, {RANDOM: plan.random_shares(played)}),
        plan.stages_won_figure("random-won", curves, played, _MEANS),
        Results("random", results),
    ]


def wrong_result(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 8."""
    found = yield {"beside": plan.beside(lab), "trained": plan.variant_both_ways(lab, "70/70")}
    beside, trained = found["beside"], found["trained"]
    results = [
        lab.result(f"{end}, {_SHORT[way]}", f"70-70-last-{place}", _shares_of(each, place), WHY_LAST[way])
        for way, each in trained.items()
        for place, end in enumerate(plan.ENDS)
    ]
    wins = [plan.stages_curve(plan.NAMES[way], each, plan.won_against_random) for way, each in trained.items()]
    grades = [plan.stages_curve(plan.NAMES[way], each, plan.accuracy_at) for way, each in trained.items()]
    groups = {_SHORT[way]: each for way, each in trained.items()}
    title = f"All {trained['text'][0][-1]['games']:,} games of training"
    return [
        Words(
            "The program asks who won before it has found out: what it finds is who won the game before, whatever the"
            " moves of this one. The curves are those of 70/70, taught both ways; the charts above have all variants."
        ),
        plan.last_bars("program-ends", title, groups, {RANDOM: plan.random_shares(beside["random"])}),
        plan.stages_won_figure("program-won", [*wins, plan.best_won(beside["best"])], beside["random"], _MEANS),
        plan.sample_figure("program-grade", grades, beside),
        Results("program", results),
    ]


def small_boards(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 9."""
    found = yield {
        board: {
            "grade": grading("random", board),
            "random": random_play(board, lab.pick(full=100_000, quick=20_000, tiny=500), 0),
            "best": plan.small_best(lab, board),
            "trained": plan.both_ways(lab, partial(plan.small, lab, board)),
        }
        for board in plan.boards(lab)
    }
    parts: list[Part] = [
        Words(
            "Boards so small that positions come again, and that every decision can be judged. A weight of 1 leaves"
            " nothing to try, and a lost game teaches its good moves, too, to be bad."
        )
    ]
    rows = []
    for place, (board, one) in enumerate(found.items(), 1):
        trained = {plan.NAMES[way]: each for way, each in one["trained"].items()} | {BEST: [one["best"]]}
        curves = [curve(name, each, accuracy) for name, each in trained.items()]
        level = one["grade"]["all"]["accuracy"]
        parts.append(accuracy_figure(f"small-{place}", curves, level, (), _EXACT, of=f" on {board}"))
        rows += [
            (board, name, mean(ends(each, accuracy)).shown(), mean(ends(each, won)).shown())
            for name, each in trained.items()
        ]
        rows.append((board, RANDOM, f"{level:.1%}", f"{plan.random_won(one['random']):.1%}"))
    columns = ("board", "learner", "optimal decisions", "won against random play")
    caption = f"Means over {len(lab.seeds)} seeds with their intervals; of {BEST} one seed."
    return [*parts, Table("small", "At the end", columns, rows, caption)]


def longer(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 10."""
    found = yield {
        "random": plan.chance(lab),
        "long": plan.long_run(lab),
        "best": plan.best(lab),
        "matches": {RANDOM: plan.people(lab, "random"), BEST: plan.people(lab, plan.best(lab))},
    }
    run, matches, lines = found["long"], found["matches"], found["best"]["lines"]
    curves = [plan.stages_curve("70/70 against itself", [run], plan.won_against_random), plan.best_won(found["best"])]
    rows = [
        (RANDOM, f"{matches[RANDOM]['all']['won']:.1%}"),
        (f"70/70 after {run[-1]['games']:,} games", f"{run[-1]['opponents'][plan.LOOKS_AHEAD]:.1%}"),
        (f"{BEST}, after {lines[-1]['games']:,} games", f"{matches[BEST]['all']['won']:.1%}"),
    ]
    title = "Games won against a player who looks two plies ahead"
    return [
        plan.stages_won_figure("long-won", curves, found["random"], "One seed each."),
        Table("long", title, ("player", "won"), rows, _PEOPLE),
    ]


def _variant(key: str, variant: str, figure: int) -> Experiment:
    win, loss = variant.split("/")
    did = f"Wins teach by {win} %, losses by {loss} %; {plan.LAST:,} games against itself, reported at nine stages."
    return Experiment(
        key, f"Adjusting by {variant}: figures {figure} to {figure + 2}", did, partial(_shown, variant, figure)
    )


PAPER = Paper(
    name="mancala",
    title="Padawan to Jedi: Using Reinforcement Learning to Train an Agent to Play Mancala",
    authors="T. Birrell, 2019",
    game=plan.GAME,
    learner="move-weights",
    about="Birrell keeps, for each position of Mancala, how likely each hole is to be played, and shifts these weights"
    f" after every game by its result: four variants, {plan.LAST:,} games against itself each, and one training against"
    " random play. The board is too large to be enumerated, so decisions are judged by search on a sample, and exactly"
    " on small boards. Random play stands beside every chart.",
    experiments=(
        Experiment(
            "1", "The board, and the update", "Two figures of the board, and an example of weights.", board_and_update
        ),
        _variant("2", "70/70", 3),
        _variant("3", "50/50", 6),
        _variant("4", "90/50", 9),
        _variant("5", "50/90", 12),
        Experiment(
            "6",
            "Summary: figure 15, and the difference in score",
            f"All four after {plan.LAST:,} games, and the mean difference in score at each stage.",
            all_variants,
        ),
        Experiment(
            "7",
            "A learner against random play",
            "An untrained agent learns for 100,000 games against an agent that always plays at random.",
            against_random_play,
        ),
        Experiment(
            "8",
            "The program's mistake",
            "Not in the text: the author's program teaches each game with the result of the game before, and lets steps"
            " shrink by 0.8.",
            wrong_result,
        ),
        Experiment("9", "Small boards", "Not in the paper: boards that can be solved exactly.", small_boards),
        Experiment(
            "10",
            "A couple of million games",
            "Not tried: the paper suspects that it would take so many before the agent could threaten a person.",
            longer,
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 3, "tiny": 1},
    headline="all-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings={"win": "0.7", "loss": "0.7", "games": str(plan.LAST)},
    findings=findings,
)
