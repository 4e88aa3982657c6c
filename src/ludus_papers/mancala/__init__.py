"""Mancala by move weights, run again: the paper's charts, the program's mistake, and small boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus import face
from ludus.learning.move_weights import WON, MoveWeights, shift, steps_of
from ludus.learning.whole_weights import shift_whole
from ludus.report.document import Board, Boards, Curves, Level, NotCovered, Part, Result, Results, Table, Words
from ludus.study.paper import Experiment, Lab, Paper, Work
from ludus.study.paper.tasks import Working, grading, random_play
from ludus.study.paper.verdict import BEST, RANDOM, accuracy, accuracy_figure, curve, difference, ends, mean, won
from ludus_papers.mancala import plan
from ludus_papers.mancala.claims import CLAIMS, findings, what_would_have_worked
from ludus_papers.mancala.program import steps_taught

_MEANS = "From both seats, without learning; means over seeds."
_SHORT = {"text": "the text", "program": "the program"}
_BEFORE = "The author ran the program, which teaches each game with the result of the game before:"
WHY_LAST = {
    "text": f"{_BEFORE} by the program's reading the same result agrees, and experiment 8 shows what that does.",
    "program": "Ludus knows no passes: experiment 8 runs the program with and without them.",
}
_EXACT = "Of all decisions that can be reached; an optimal decision preserves the score. Means over seeds."
_PEOPLE = (
    "It counts what can be in the stores after its own move and the reply; a person of any decent skill sees as much."
    " One seed each."
)
_HOLES = range(1, 7)
_PLAYED, _STEP = 4, 0.7
_IN_EXAMPLE = 1, 3, 0, 7, 2, 0  # stones in holes 1 to 6
_LEADS = 30, 50, 100, 1000, 2000  # games of 50/50 after which the text says who is ahead
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


def worked_examples(lab: Lab) -> list[Part]:
    """The paper's other numbers of steps and weights, and its example by the program's whole per cents."""
    steps = {"70": steps_of(MoveWeights()), "90": steps_of(MoveWeights(win=0.9, loss=0.5))}
    steps["50"] = -steps["90"][::-1]
    results = [
        lab.result(
            f"step {back + 1} from the end, {name} %", f"steps-{name}-{back}", [float(row[WON, back])], whole=True
        )
        for name, row in steps.items()
        for back in range(3)
    ]
    for word, before, step in (("last", 0.4, 0.5), ("before", 0.5, 0.25)):
        for end, sign in (("won", 1), ("lost", -1)):
            weights = np.array([before, 1 - before])
            shift(weights, 0b11, 0, sign * step)
            what = f"a weight of {before:.0%} by 50 %, {'last move' if word == 'last' else 'the move before'}, {end}"
            results.append(lab.result(what, f"half-{word}-{end}", [float(weights[0])], whole=True))
    return [Results("examples", results), _whole_example(lab)]


def _whole_example(lab: Lab) -> Table:
    """The example as the text has it, by equal shares, and by the program's own arithmetic."""
    before = [lab.number(f"before-{hole}").value for hole in _HOLES]
    rows = [("before", "", *(f"{weight:.0%}" for weight in before), f"{sum(before):.0%}")]
    for word, step in (("won", _STEP), ("lost", -_STEP)):
        paper = [lab.number(f"{word}-{hole}").value for hole in _HOLES]
        whole = np.array(before)
        shift_whole(whole, sum(1 << place for place, weight in enumerate(before) if weight), _PLAYED - 1, step)
        for name, weights in (("paper", paper), ("program", whole.tolist())):
            rows.append((word, name, *(f"{weight:.0%}" for weight in weights), f"{sum(weights):.0%}"))
    columns = ("game", "by", *(f"hole {hole}" for hole in _HOLES), "in all")
    caption = "The program truncates, and what one hole cannot give is not taken from others: weights exceed 100 %."
    return Table("whole-example", "The example in whole per cents", columns, rows, caption)


def _example(game: Any) -> Any:
    """The position of the example, with the stones that the paper does not place in the holes of the other side."""
    left = 48 - sum(_IN_EXAMPLE)
    other = [left // 6 + (place < left % 6) for place in range(6)]
    mine, theirs = (sum(stones << 7 * hole for hole, stones in enumerate(side, 1)) for side in (_IN_EXAMPLE, other))
    return type(game.start())(mine, theirs, 0)


def board_and_update(lab: Lab) -> Working[Sequence[Part]]:
    """Figures 1 and 2, and how weights are adjusted."""
    yield {}
    game = ludus.make_game(plan.GAME)
    boards = [
        Board(face.draw(game, game.start()).svg, "Figure 1: before any move."),
        Board(face.draw(game, game.play(game.start(), 2)).svg, "Figure 2: after player 1 moved from hole 3."),
        Board(face.draw(game, _example(game)).svg, "The example of weights; the paper does not give the other side."),
    ]
    shown = Boards("board", "The board", boards, "Hole n is n steps from its owner's store.")
    return [shown, *equal_sharing(lab), *worked_examples(lab)]


def _beginning(variant: str, figure: int, chart: int, lab: Lab) -> Working[Sequence[Part]]:
    """One of a variant's first two charts, by the program; text and program hardly differ in so few games."""
    found = yield {
        "random": plan.chance(lab),
        "trained": [plan.beginning(lab, variant, chart, seed) for seed in lab.seeds],
    }
    stages, trained, number = plan.charts(lab, variant)[chart], found["trained"], figure + chart
    beside = _reported(lab, variant, stages) | {RANDOM: plan.random_shares(found["random"])}
    results = _at_stages(lab, variant, trained, stages)
    if variant == "50/50":
        results += [
            lab.result(
                f"player 1 ahead, {games:,} games",
                f"50-50-lead-{games}",
                [plan.lead(plan.stage_at(one, games)) for one in trained],
                whole=True,
            )
            for games in stages
            if games in _LEADS
        ]
    return [
        plan.chart(f"figure-{number}", f"Figure {number}: {variant}", {"program": trained}, stages, beside),
        Words(_who_leads(trained, stages)),
        Results(f"results-{number}", results),
    ]


def _reported(lab: Lab, variant: str, stages: Sequence[int]) -> dict[str, list[float]]:
    """The paper's shares of a chart."""
    return {
        f"paper, {games:,}": [number.value for number in _numbers(lab, variant, games)]
        for games in plan.paper_stages(variant)
        if games in stages
    }


def _numbers(lab: Lab, variant: str, games: int | str) -> list[Any]:
    return [lab.number(f"{variant.replace('/', '-')}-{games}-{place}") for place in range(len(plan.ENDS))]


def _at_stages(lab: Lab, variant: str, found: plan.Trainings, stages: Sequence[int]) -> list[Result]:
    """All ends at the stages of a chart, of which the paper gives the numbers."""
    return [
        lab.result(
            f"{end}, {games:,} games",
            f"{variant.replace('/', '-')}-{games}-{place}",
            [plan.shares(plan.stage_at(one, games))[place] for one in found],
            WHY_LAST["program"],
            whole=True,
        )
        for games in stages
        if games in plan.paper_stages(variant)
        for place, end in enumerate(plan.ENDS)
    ]


def _later(variant: str, figure: int, way: str, lab: Lab) -> Working[Sequence[Part]]:
    """A variant's third chart, and how its training ended, by the program or by the text."""
    late = way == "program"
    tasks = [plan.self_play(lab, variant, seed, late=late) for seed in lab.seeds]
    found = yield {"random": plan.chance(lab), "trained": tasks}
    trained, stages = found["trained"], plan.charts(lab, variant)[2]
    beside = _reported(lab, variant, stages) | {RANDOM: plan.random_shares(found["random"])}
    key, of = (f"figure-{figure}", "") if late else (f"figure-{figure}-text", ", as the text says")
    results = _at_stages(lab, variant, trained, stages) if late else []
    return [
        plan.chart(key, f"Figure {figure}: {variant}{of}", {way: trained}, stages, beside),
        Words(f"By the {way}: {_who_leads(trained, stages)} {_split(trained)}"),
        Results(f"results-{variant.replace('/', '-')}-{way}", [*results, *_late(lab, variant, way, trained)]),
    ]


def _who_leads(found: plan.Trainings, stages: Sequence[int]) -> str:
    counts = {games: sum(plan.lead(plan.stage_at(one, games)) > 0 for one in found) for games in stages}
    words = ", ".join(f"{count} at {games:,}" for games, count in counts.items())
    return f"Of {len(found)} trainings player 1 is ahead in {words} games."


def _split(found: plan.Trainings) -> str:
    """In how many trainings one player wins nearly all games in the end."""
    shares = [plan.shares(one[-1]) for one in found]
    first, second = (sum(share[player] > plan.NEARLY_ALL for share in shares) for player in (0, 1))
    return (
        f"Of all games, player 1 wins more than {plan.NEARLY_ALL:.0%} in {first} of them, player 2 in {second}, and"
        f" neither in {len(found) - first - second}."
    )


def _late(lab: Lab, variant: str, way: str, found: plan.Trainings) -> list[Result]:
    key, games, why = variant.replace("/", "-"), found[0][-1]["games"], WHY_LAST[way]
    is_split = (variant, way) == ("90/50", "text")  # one player comes to win nearly all: a mean says nothing
    results = [
        lab.result(
            f"{way}: {end}, {games:,} games", None if is_split else f"{key}-last-{place}", _shares_of(found, place), why
        )
        for place, end in enumerate(plan.ENDS)
    ]
    absolute = [one[-1]["absolute"] for one in found]
    whole = [float(int(each)) for each in absolute]
    signed = [one[-1]["signed"] for one in found]
    return [
        *results,
        lab.result(f"{way}: mean difference in score, divided as whole numbers", "difference", whole, why),
        lab.result(f"{way}: the same with its fraction", None, absolute, unit="score"),
        lab.result(f"{way}: the same with its sign, for player 1", None, signed, unit="score"),
    ]


def _shares_of(found: plan.Trainings, place: int) -> list[float]:
    return [plan.shares(one[-1])[place] for one in found]


def all_variants(lab: Lab) -> Working[Sequence[Part]]:
    """Figure 15, and what each variant has learned."""
    found = yield {"beside": plan.beside(lab), "untaught": plan.untaught(lab), "trained": plan.all_variants(lab)}
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
        Words(_ADDING_UP),
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
    return {variant: _numbers(lab, variant, "last") for variant in plan.VARIANTS}


_ADDING_UP = (
    "Of 90/50 and 50/90 the paper's ties are too few: the program did not reload its counter of them between sessions."
    " From some stage on they are 64 and 77 too few in every figure. The numbers here are all games less all wins."
)


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
    """Experiment 8: what the program does other than the text, one by one."""
    found = yield {
        "beside": plan.beside(lab),
        "text": [plan.self_play(lab, "70/70", seed) for seed in lab.seeds],
        "ways": {way: [plan.one_by_one(lab, way, seed) for seed in lab.seeds] for way in plan.ONE_BY_ONE},
    }
    beside, trained = found["beside"], {"the text": found["text"]} | found["ways"]
    wins = [plan.stages_curve(way, each, plan.won_against_random) for way, each in trained.items()]
    grades = [plan.stages_curve(way, each, plan.accuracy_at) for way, each in trained.items()]
    results = [
        lab.result(f"ties, {way}", "70-70-last-2", _shares_of(each, 2), WHY_LAST["program"])
        for way, each in trained.items()
    ]
    return [
        Words(
            "The program asks who won before it has found out: what it finds is who won the game before, whatever the"
            " moves of this one. It shrinks its steps by 0.8, counts in whole per cents, and after a tie it teaches"
            " player 1 nothing and player 2 as after a loss. The curves are those of 70/70."
        ),
        plan.last_bars("program-ends", "How 70/70 ended", trained, {RANDOM: plan.random_shares(beside["random"])}),
        plan.stages_won_figure("program-won", [*wins, plan.best_won(beside["best"])], beside["random"], _MEANS),
        plan.sample_figure("program-grade", grades, beside),
        Results("program", results),
    ]


def why_so_many_ties(lab: Lab) -> Working[Sequence[Part]]:
    """Experiment 8: the program's own rules, with and without passes."""
    ways = {"with its passes": True, "without passes": False}
    found = yield {way: [plan.ported(lab, seed, passes=passes) for seed in lab.seeds] for way, passes in ways.items()}
    one = [each[-1] for each in found["with its passes"]]
    passed = mean([each["passed"] / each["turns"] for each in one])
    short = mean([each["short"] / each["games"] for each in one])
    results = [
        lab.result(f"ties, the author's program {way}", "70-70-last-2", _shares_of(each, 2), WHY_LAST["program"])
        for way, each in found.items()
    ]
    less = difference(*(_shares_of(each, 2) for each in found.values()))
    return [
        Words(
            "The author's rules written again in Python. Its whole per cents need not add up to 100: where they end"
            f" before the number drawn it plays the hole nearest to the store, even if that is empty. That passes the"
            f" turn, in {passed.shown()} of all turns. Where another hole is played instead, ties change by"
            f" {-100 * less.mean:+.1f} ± {100 * less.half:.1f} points: the passes are why there are more ties than in"
            " random play. What stays on the stack of player 1 after a tie is reached only after a game in which player"
            f" 1 has fewer than {steps_taught(0.7)} moves, {short.shown()} of all games, and then by a step of a"
            " hundredth or little more."
        ),
        Results("passes", results),
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


def _variant(key: str, variant: str, figure: int, says: str) -> Experiment:
    win, loss = variant.split("/")
    did = f"Wins teach by {win} %, losses by {loss} %; {plan.LAST:,} games against itself, reported at nine stages."
    works: list[Work] = [partial(_beginning, variant, figure, chart) for chart in (0, 1)]
    title = f"Adjusting by {variant}: figures {figure} to {figure + 2}"
    works += [partial(_later, variant, figure + 2, way) for way in ("program", "text")]
    return Experiment(key, title, did, works, says)


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
            "1",
            "The board, and the update",
            "Two figures of the board, and examples of weights and of steps.",
            board_and_update,
            "figures 1 and 2; the examples of sections 2.2 to 2.4",
        ),
        _variant("2", "70/70", 3, "section 3.1; figures 3 to 5"),
        _variant("3", "50/50", 6, "section 3.2; figures 6 to 8"),
        _variant("4", "90/50", 9, "section 3.3; figures 9 to 11"),
        _variant("5", "50/90", 12, "section 3.4; figures 12 to 14"),
        Experiment(
            "6",
            "Summary: figure 15, and the difference in score",
            f"All four after {plan.LAST:,} games, and the mean difference in score at each stage.",
            all_variants,
            "section 3 (the difference in score) and 3.5; figure 15",
        ),
        Experiment(
            "7",
            "A learner against random play",
            "An untrained agent learns for 100,000 games against an agent that always plays at random.",
            against_random_play,
            "section 3.5: an untrained agent against random play, 100,000 games, and the 301,000 it would need",
        ),
        Experiment(
            "8",
            "What the program does other than the text",
            "Not in the text: the author's program teaches each game with the result of the game before, lets steps"
            " shrink by 0.8, counts in whole per cents, loses ties for player 2, and may pass.",
            (wrong_result, why_so_many_ties),
            "section 3.5: the number of ties was very similar across the board",
        ),
        Experiment(
            "9",
            "Small boards",
            "Not in the paper: boards that can be solved exactly.",
            small_boards,
            "section 4: it is possible to train an agent to play Mancala",
        ),
        Experiment(
            "10",
            "A couple of million games",
            "Not tried: the paper suspects that it would take so many before the agent could threaten a person.",
            longer,
            "section 3.5: a couple million training games before the agent could pose a threat",
        ),
    ),
    claims=CLAIMS,
    best=what_would_have_worked,
    seeds={"full": 5, "quick": 2, "tiny": 1},
    headline="all-grade",
    numbers=Path(__file__).with_name("numbers.toml"),
    settings={"win": "0.7", "loss": "0.7", "games": str(plan.LAST)},
    findings=findings,
    not_covered=(
        NotCovered(
            "Section 3.5: the author beat the agent easily, before training and after, when it scored much better.",
            "No person was asked; a player who looks two plies ahead stands for one (experiment 10).",
        ),
        NotCovered(
            "Section 1.1: a new player understands the game and plays strategically within just a few games.",
            "It is about people; the rules are played as written.",
        ),
        NotCovered(
            "Section 1.2: the author hoped that the agent would beat a human player sometimes.",
            "A hope, not a result; see experiment 10.",
        ),
        NotCovered(
            "Sections 3.1 to 3.4: what the author expected of each training before it, and was surprised by.",
            "It is about the course of single trainings; their numbers are all compared, and what they imply as a rule"
            " is among the claims.",
        ),
        NotCovered(
            "The reference to Irving and others.", "Their game has captures; docs/truth.md repeats their solutions."
        ),
    ),
)
