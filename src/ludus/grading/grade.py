"""Grade any agent against the exact solution of a game, or on a sample of positions of a large game."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for, has_memory, is_compiled, may_resign, score_of_resigning
from ludus.agents.policies import check_repeatable, job_size, normalised, policies_in_turn, policies_of
from ludus.agents.program import Program
from ludus.arena.participants import Sent, identity, is_made_of_words, ready, sent, written
from ludus.cluster import Job, require_place, run_jobs
from ludus.compiled.rows import Row
from ludus.errors import LudusError
from ludus.grading.decisions import Choices, Flags, Ints, Judged, Tally, all_choices, judged, tally
from ludus.grading.guarantee import Guarantee, guarantee
from ludus.grading.mistakes import Anatomy, Mistake, anatomy, worst_mistakes
from ludus.grading.sample import Sample, action_values, action_values_by_jobs, sampled_choices
from ludus.machine import budget
from ludus.notebook import share, shown, table, words
from ludus.solving.best_response import play_of
from ludus.solving.explore import Explored, explore
from ludus.solving.solution import Solution
from ludus.solving.solver import KEPT, Progress, Searched, Truth, solve
from ludus.solving.tablebases.tablebase import Tablebase


class Remote(NamedTuple):
    """The place of the jobs that evaluate an agent (see `run_jobs`), and the agent as it is sent."""

    on: str
    agent: Sent


def remote_place(agent: Any, truth: Truth, on: str) -> Remote | None:
    """Where an agent is evaluated; None for this process: on local, a program, or no agent of a name."""
    travels = not isinstance(agent, Program) and truth.start == truth.game.start() and is_made_of_words(agent)
    if on in ("local", "local=1") or not travels:
        return None
    return Remote(on, sent(written(agent), identity(agent), on))


def ask(
    agent: Any,
    game: Any,
    choices: Choices,
    progress: Callable[[int, int], None] | None = None,
    remote: Remote | None = None,
) -> None:
    """Fill in the agent's policy; an only action needs no evaluation, unless the agent may resign."""
    counts, resigning = np.diff(choices.first), may_resign(agent)
    players = choices.mover <= 1
    choices.shares[choices.first[:-1][players & (counts == 1)]] = 1.0
    asked = np.flatnonzero(players & (counts > (0 if resigning else 1)))
    check_repeatable(agent, game, choices.positions[asked])
    size = job_size(len(asked))
    chunks = [asked[begin : begin + size] for begin in range(0, len(asked), size)]
    done = 0

    def take(number: int, table: Probabilities) -> None:
        nonlocal done
        chunk = chunks[number]
        edges, place = choices.edges_of(chunk)
        given = table[place, choices.actions[edges]]
        choices.shares[edges] = normalised(given, place, game, choices.positions[chunk], resigning=resigning)
        _note_resigned(game, choices, chunk[np.bincount(place, choices.shares[edges], len(chunk)) == 0])
        done += len(chunk)
        if progress:
            progress(done, len(asked))

    questions = [choices.positions[chunk] for chunk in chunks]
    if remote and not is_compiled(agent):
        named = catalog.lasting_name(game)
        jobs = [Job(f"asking {i}", remote_policies, (named, remote.agent, rows)) for i, rows in enumerate(questions, 1)]
        run_jobs(jobs, remote.on, done=take)
    else:
        for number, table in enumerate(policies_in_turn(agent, game, questions)):
            take(number, table)


def remote_policies(game: str, agent: Sent, positions: Row) -> Probabilities:
    """The policies of an agent in some positions, in any process."""
    return policies_of(ready(game, agent), catalog.make_game(game), positions)


def _note_resigned(game: Any, choices: Choices, numbers: Ints) -> None:
    """Write the score of resigning in these positions: at most that of the worst action."""
    for number in numbers:
        side = 1 if choices.mover[number] == 0 else -1
        worst = (side * choices.score[choices.first[number] : choices.first[number + 1]]).min()
        resigned = side * score_of_resigning(game, choices.position(game, number))
        choices.resigned[number] = side * min(resigned, math.floor(worst))


T = TypeVar("T")
POSITIONS = 100  # in a sample
MISTAKES = 5
_ROUNDING = 1e-9
_BYTES_PER_POSITION, _BYTES_PER_EDGE = 248, 60  # beside the explored graph, for expected scores
_known: WeakKeyDictionary[Solution, tuple[Explored, Choices]] = WeakKeyDictionary()


class BySeat(NamedTuple, Generic[T]):
    """One thing for the seat that moves first at the start, and one for the other."""

    first: T
    second: T


class Standing(NamedTuple):
    """The figures of a grade.

    all: over every reachable, or sampled, position; own_play: over the positions in which the agent is to move and that
    can arise with it in a seat; guarantee: against a best response; exploitability: the value of the game minus the
    guaranteed score. The last two are None where the game is too large to enumerate.
    """

    all: Tally
    own_play: BySeat[Tally]
    guarantee: BySeat[Guarantee] | None
    exploitability: BySeat[float] | None


class Grade(NamedTuple):
    """An agent against the exact solution: the figures of its `Standing`, and its mistakes."""

    all: Tally
    own_play: BySeat[Tally]
    guarantee: BySeat[Guarantee] | None
    exploitability: BySeat[float] | None
    mistakes: tuple[Mistake, ...]
    anatomy: Anatomy
    positions: int
    sample: Sample | None
    seconds: float

    def _repr_html_(self) -> str:
        named = {"all" if self.sample is None else "sample": self.all, "as first": self.own_play.first}
        named["as second"] = self.own_play.second
        rows = [_row(name, tally) for name, tally in named.items()]
        by_seat = self.guarantee._asdict() if self.guarantee else {}
        guaranteed = [words(f"as {seat}, guaranteed {each.in_words}") for seat, each in by_seat.items()]
        title = f"{share(self.all.optimal, self.all.decisions)} of {self.all.decisions:,} decisions optimal"
        return shown(title, *guaranteed, table(("", "decisions", "optimal", "mean loss"), rows))


def _row(name: str, tally: Tally) -> tuple[str, ...]:
    loss = "-" if tally.mean_loss is None else f"{tally.mean_loss:.3f}"
    return name, f"{tally.decisions:,}", share(tally.optimal, tally.decisions), loss


class _Ground(NamedTuple):
    """What is judged: choices, own play by seat, guarantee."""

    choices: Choices
    own: BySeat[Flags]
    guarantee: BySeat[Guarantee] | None
    exploitability: BySeat[float] | None
    sample: Sample | None
    gap: float | None

    @property
    def tolerance(self) -> float:
        """The difference up to which scores count as equal."""
        return (self.gap or 0.0) + _ROUNDING

    def judged(self) -> Judged:
        """The judgement of all positions."""
        return judged(self.choices, self.tolerance)


def grade(
    agent: Any,
    game: Any,
    *,
    solution: Truth | None = None,
    positions: int = POSITIONS,
    mistakes: int = MISTAKES,
    seed: int = 0,
    on: str = "local=1",
    progress: Progress | None = None,
) -> Grade:
    """Grade an agent against the solution of a game, which is solved first unless the solution is given.

    A game too large to enumerate is graded on a sample of positions, which are searched by jobs on the place `on`
    (this process by default, see `ludus.cluster`), or by the given search. An agent that is not compiled is evaluated
    there, too, unless that is local. Raises LudusError for agents with memory.
    """
    require_place(on)
    if has_memory(agent):
        raise LudusError(
            "an agent that may remember earlier moves has no grade: it may do this or that in one position"
            " (has_memory = False says that it does not)"
        )
    began = time.perf_counter()
    truth = solve(game, progress=progress) if solution is None else solution
    if type(truth.game) is not type(game) or truth.game != game:
        raise LudusError(f"the solution is one of {catalog.name_of(truth.game)}, not of {catalog.name_of(game)}")
    player = agent_for(agent, game, (truth.start,))
    asking = partial(ask, player, game, progress=_stage(progress, "asking"), remote=remote_place(agent, truth, on))
    if not isinstance(truth, Solution):
        search = partial(action_values_by_jobs, game, on) if solution is None else partial(action_values, truth)
        ground = _sampled(truth, sampled_choices(player, game, positions, seed, search, progress), asking)
    else:
        ground = _enumerated(truth, asking, progress)
    choices, found, tolerance = ground.choices, ground.judged(), ground.tolerance
    return Grade(
        *_standing(ground, found),
        worst_mistakes(game, choices, found, ground.own.first | ground.own.second, tolerance, mistakes),
        anatomy(player, game, choices, found, tolerance, endless="no end" if ground.sample is None else "draws"),
        len(choices.mover),
        ground.sample,
        time.perf_counter() - began,
    )


def standing(agent: Any, truth: Solution) -> Standing:
    """The figures alone, quick enough to be repeated during a training."""
    player = agent_for(agent, truth.game, (truth.start,))
    ground = _enumerated(truth, partial(ask, player, truth.game), None)
    return _standing(ground, ground.judged())


def _standing(ground: _Ground, found: Judged) -> Standing:
    counted = partial(tally, ground.choices, found, has_chance=ground.gap is not None)
    everywhere = np.ones(len(ground.choices.mover), np.bool_)
    return Standing(counted(everywhere), BySeat(*map(counted, ground.own)), ground.guarantee, ground.exploitability)


def _enumerated(truth: Solution, asking: Callable[[Choices], None], progress: Progress | None) -> _Ground:
    """Every position of a game, and the agent's guarantee in either seat."""
    game = truth.game
    explored, choices = choices_of(truth, progress)
    asking(choices)
    seats = _seats(int(choices.mover[0]))
    value = truth.value(truth.start).score
    own, guarantees, exploitability = [], list[Guarantee](), list[float]()
    for done, seat in enumerate(seats):
        if progress:
            progress("best response", done, len(seats))
        play = play_of(explored.graph, choices.shares, seat)
        among = np.zeros(len(explored), np.bool_)
        among[play.nodes] = choices.mover[play.nodes] == seat
        own.append(among)
        guarantees.append(guarantee(game, explored.graph, choices, seat, play))
        exploitability.append(max(0, (value if seat == 0 else -value) - guarantees[-1].score))
    return _Ground(choices, BySeat(*own), BySeat(*guarantees), BySeat(*exploitability), None, truth.gap)


def choices_of(truth: Solution, progress: Progress | None = None) -> tuple[Explored, Choices]:
    """The graph of a game and its choices without a policy; those of small games are kept with their solution."""
    explored, choices = _known.get(truth, (truth.explored, None))
    if explored is None:
        explored = explore(
            truth.game, truth.start, limit=1 << 30, memory=budget(), progress=_stage(progress, "exploring")
        )
    if choices is None:
        _check_room(explored)
        choices = all_choices(explored, truth)
        if len(explored) <= KEPT:
            _known[truth] = explored, choices
    return explored, choices._replace(shares=np.zeros_like(choices.shares), resigned=np.zeros_like(choices.resigned))


def _check_room(explored: Explored) -> None:
    """Raise LudusError where the choices would take more memory than there is."""
    room = budget()
    per_position = 8 * len(explored.start) + _BYTES_PER_POSITION
    needed = len(explored) * per_position + explored.edges * _BYTES_PER_EDGE
    if not explored.complete or needed > room:
        raise LudusError(
            f"too large to grade whole: {len(explored):,} positions{'' if explored.complete else ' and more'} with"
            f" all actions would take over {room / 1e9:.1f} GB of memory; grade it with smaller parameters"
        )


def _sampled(
    truth: Searched | Tablebase, sampled: tuple[Choices, Sample], asking: Callable[[Choices], None]
) -> _Ground:
    """Positions of the agent's own games."""
    choices, sample = sampled
    asking(choices)
    seats = _seats(truth.game.player(truth.start))
    return _Ground(choices, BySeat(*(choices.mover == seat for seat in seats)), None, None, sample, None)


def _seats(mover: int) -> tuple[int, int]:
    """The player to move at the start, player 0 if that is CHANCE, and the other one."""
    return (1, 0) if mover == 1 else (0, 1)


def _stage(progress: Progress | None, stage: str) -> Callable[..., None] | None:
    """The progress of one stage: how much is done, and of how much if that is known."""
    return progress and (lambda done, total=None: progress(stage, done, total))
