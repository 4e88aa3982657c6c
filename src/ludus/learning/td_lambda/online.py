"""How wrong a learner was, over its games: some points of a curve since it was last measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.agents.agent import choose
from ludus.agents.network import Judge, Room, reward, said, side_of, weigh
from ludus.agents.simple import smart_actions
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, add, count, first, has, is_empty, none_like, nth, without_first
from ludus.compiled.randomness import below, uniform
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import CHANCE, gives_odds
from ludus.learning.loop.episodes import (
    ASKING,
    ASTRAY,
    BETWEEN,
    BOTH,
    GAME,
    NOTED,
    NOTHING,
    OPPONENT,
    PAUSED,
    PLAYED,
    PLIES,
    PLY,
    RESIGNED,
    TWIN,
    WANDERER,
    Episode,
    Ints,
    Setting,
    close_game,
    final_score,
    holder_of,
    open_game,
)
from ludus.learning.loop.restrictions import Forbidden, permitted
from ludus.learning.loop.schedules import Schedule, share_now
from ludus.networks.shallow import Floats, Shallow, add_gradient
from ludus.playout import random_action

_MOST = 40  # points; when there are as many, two become one each

SUM, LESSONS, ALL_SUM, ALL_LESSONS = range(4)  # of `sums`: since the last point, and since the last measure

GAMES, STRIDE, FILLED = range(3)  # of `counts`: games since the last point, games a point, and points


class Losses(NamedTuple):
    """points: the number of games, the sum of losses and how many they are, each; sums and counts as named above."""

    points: Floats
    sums: Floats
    counts: Ints


def new_losses() -> Losses:
    """Before the first game."""
    return Losses(np.zeros((_MOST, 3)), np.zeros(4), np.array([0, 1, 0]))


def told(losses: Losses) -> dict[str, Any]:
    """The mean loss since this was last told, and of which the points of the curve are; None for no episode."""
    points = [[int(game), _mean(total, lessons)] for game, total, lessons in losses.points[: losses.counts[FILLED]]]
    loss = _mean(losses.sums[ALL_SUM], losses.sums[ALL_LESSONS])
    losses.sums[:], losses.counts[:] = 0.0, (0, 1, 0)
    return {"loss": loss, "losses": points}


def _mean(total: float, lessons: float) -> float | None:
    return float(f"{total / lessons:.6g}") if lessons else None


@helper
def note_loss(losses: Losses, loss: float) -> None:
    """Count what one lesson showed."""
    losses.sums[SUM] += loss
    losses.sums[LESSONS] += 1
    losses.sums[ALL_SUM] += loss
    losses.sums[ALL_LESSONS] += 1


@helper
def note_game(losses: Losses, games: int) -> None:
    """Count a game, the last of so many; make a point of the last ones when it is time."""
    counts, sums = losses.counts, losses.sums
    counts[GAMES] += 1
    if counts[GAMES] < counts[STRIDE]:
        return
    point = losses.points[counts[FILLED]]
    point[0], point[1], point[2] = games, sums[SUM], sums[LESSONS]
    counts[GAMES], sums[SUM], sums[LESSONS] = 0, 0.0, 0.0
    counts[FILLED] += 1
    if counts[FILLED] == len(losses.points):
        thin_out(losses)


@helper
def thin_out(losses: Losses) -> None:
    """Make one point of two."""
    points = losses.points
    for place in range(len(points) // 2):
        points[place, 0] = points[2 * place + 1, 0]
        for column in range(1, 3):
            points[place, column] = points[2 * place, column] + points[2 * place + 1, column]
    losses.counts[FILLED] = len(points) // 2
    losses.counts[STRIDE] *= 2


class Rules(NamedTuple):
    """A config as compiled code reads it."""

    epsilon: Schedule
    alpha: Schedule
    lam: float
    smart: bool
    judge: Judge


class Minds(NamedTuple):
    """The network of the learner, and of its twin if it has one, each with its trace.

    worth: what the last position was worth to player 0; met: 1 if there is one since learning began in this game.
    """

    below: Floats
    above: Floats
    trace_below: Floats
    trace_above: Floats
    worth: Floats
    met: Row


@kernel
def learn(
    game: Any,
    like: Any,
    opponent: Any,
    minds: Minds,
    rules: Rules,
    setting: Setting,
    forbidden: Forbidden,
    episode: Episode,
    losses: Losses,
    room: Room,
    out: Any,
    row: Row,
    until: int,
    plies: int,
    answer: int,
) -> int:
    """Play and learn up to game `until`, for so many plies at most; `answer` is the action of an opponent asked for."""
    minds, setting, forbidden, episode = borrowed(minds), borrowed(setting), borrowed(forbidden), borrowed(episode)
    losses, room, out, row = borrowed(losses), borrowed(room), borrowed(out), borrowed(row)
    while episode.counters[GAME] < until:
        if episode.counters[PLY] == BETWEEN:
            open_game(game, setting, episode)
            minds.met[0] = 0
        pos = unpack(like, episode.row)
        mask = game.legal(pos)
        ended = is_empty(mask) or answer == RESIGNED
        if ended or episode.counters[PLY] >= setting.cap:
            finish(minds, rules, setting, episode, losses, final_score(game, pos, answer), ended)
            answer = NOTHING
            continue
        if plies == 0:
            return PAUSED
        action = answer
        if action == NOTHING:
            meet(game, pos, minds, rules, setting, episode, losses, room)
            action = chosen(game, pos, mask, opponent, minds, rules, setting, forbidden, episode, room, out, row)
        if action == NOTHING:
            return ASKING
        pack(game.play(pos, action), episode.row)
        episode.counters[PLY] += 1
        episode.counters[PLIES] += 1
        episode.counters[ASTRAY] -= episode.counters[ASTRAY] > 0
        plies, answer = plies - 1, NOTHING
    return PLAYED


@helper
def network(minds: Minds, mind: int) -> Shallow:
    """The network of the learner, or of its twin."""
    return Shallow(minds.below[mind], minds.above[mind])


@helper
def learners(setting: Setting, episode: Episode) -> int:
    """How many learn from this game: the learner, and its twin where they play each other."""
    holders = setting.holders[episode.counters[GAME] % 2]
    return 2 if holders[0] == TWIN or holders[1] == TWIN else 1


@helper
def meet(
    game: Any, pos: Any, minds: Minds, rules: Rules, setting: Setting, episode: Episode, losses: Losses, room: Room
) -> None:
    """Learn from having come to a position in which a player moves; once, and not from what went astray."""
    if (gives_odds(game) and game.player(pos) == CHANCE) or episode.counters[ASTRAY] > 0:
        return
    if episode.counters[NOTED] > episode.counters[PLY]:
        return
    episode.counters[NOTED] = episode.counters[PLY] + 1
    alpha = rate(rules, episode)
    for mind in range(learners(setting, episode)):
        net, traces = network(minds, mind), Shallow(minds.trace_below[mind], minds.trace_above[mind])
        worth = said(game, pos, net, rules.judge, room)
        if minds.met[0]:
            teach(net, traces, alpha, rules.judge.gamma * worth - minds.worth[mind], mind, losses)
            worth = said(game, pos, net, rules.judge, room)
        decay = rules.judge.gamma * rules.lam if minds.met[0] else 0.0
        fade(traces, decay)
        add_gradient(net, room.seen.ravel(), room.units, side_of(game, pos, rules.judge), traces)
        minds.worth[mind] = worth
    minds.met[0] = 1


@helper
def rate(rules: Rules, episode: Episode) -> float:
    """How far weights move now."""
    return share_now(rules.alpha, int(episode.counters[GAME]), 0.5 * (episode.lost[0] + episode.lost[1]))


@helper
def teach(net: Shallow, traces: Shallow, alpha: float, error: float, mind: int, losses: Losses) -> None:
    """Move the weights along their traces by an error."""
    step = alpha * error
    for place in range(len(net.below)):
        weights, along = net.below[place], traces.below[place]
        for unit in range(len(weights)):
            weights[unit] += step * along[unit]
    for unit in range(len(net.above)):
        net.above[unit] += step * traces.above[unit]
    if mind == 0:
        note_loss(losses, error * error)


@helper
def fade(traces: Shallow, decay: float) -> None:
    """Let traces become fainter."""
    for place in range(len(traces.below)):
        along = traces.below[place]
        for unit in range(len(along)):
            along[unit] *= decay
    for unit in range(len(traces.above)):
        traces.above[unit] *= decay


@helper
def chosen(
    game: Any,
    pos: Any,
    mask: Mask,
    opponent: Any,
    minds: Minds,
    rules: Rules,
    setting: Setting,
    forbidden: Forbidden,
    episode: Episode,
    room: Room,
    out: Any,
    row: Row,
) -> int:
    """The action of whoever is to move; NOTHING if the opponent must be asked."""
    holder = holder_of(game, pos, setting, episode)
    if gives_odds(game) and holder == CHANCE:
        return random_action(game, pos, mask, episode.stream)
    if holder == OPPONENT:
        return NOTHING if setting.asks else choose(opponent, game, pos, mask, out, episode.stream)
    allowed = permitted(game, pos, mask, int(episode.counters[PLY]), forbidden, row)
    if rules.smart and episode.counters[ASTRAY] == 0:
        allowed = helped(game, pos, allowed)
    if tries(game, pos, rules, episode):
        return nth(allowed, below(episode.stream, count(allowed)))
    top, ties = weigh(game, pos, allowed, network(minds, holder), rules.judge, room, out)
    return nth_best(allowed, out, top, below(episode.stream, ties) if ties > 1 else 0)


@helper
def helped(game: Any, pos: Any, allowed: Mask) -> Mask:
    """The allowed actions that win at once, or else those that block, or else all."""
    smart = smart_actions(game, pos)
    left, kept = allowed, none_like(allowed)
    while not is_empty(left):
        if has(smart, first(left)):
            kept = add(kept, first(left))
        left = without_first(left)
    return allowed if is_empty(kept) else kept


@helper
def tries(game: Any, pos: Any, rules: Rules, episode: Episode) -> bool:
    """Whether any action is taken: as often as the learner explores, or by who goes astray."""
    player = game.player(pos)
    if episode.counters[ASTRAY] > 0:
        return bool(episode.counters[WANDERER] == player or episode.counters[WANDERER] == BOTH)
    return bool(uniform(episode.stream) < share_now(rules.epsilon, int(episode.counters[GAME]), episode.lost[player]))


@helper
def nth_best(mask: Mask, worths: Floats, top: float, place: int) -> int:
    """The n-th of the actions with the highest worth; the first of all if what they are worth is no number."""
    left = mask
    while not is_empty(left):
        action = first(left)
        if worths[action] == top:
            if place == 0:
                return action
            place -= 1
        left = without_first(left)
    return first(mask)


@helper
def finish(
    minds: Minds, rules: Rules, setting: Setting, episode: Episode, losses: Losses, score: int, ended: bool
) -> None:
    """Learn from the result; a game that was cut is a draw."""
    if minds.met[0]:
        for mind in range(learners(setting, episode)):
            traces = Shallow(minds.trace_below[mind], minds.trace_above[mind])
            error = reward(rules.judge, score) - minds.worth[mind]
            teach(network(minds, mind), traces, rate(rules, episode), error, mind, losses)
    note_game(losses, int(episode.counters[GAME]) + 1)
    close_game(episode, setting, score, ended)
