"""The state and the online updates of TD(lambda), with the curve of its losses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.agents.network import Judge, Room, evaluate_actions, network_value, side_of
from ludus.agents.simple import smart_actions
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, add, first, has, is_empty, none_like, without_first
from ludus.compiled.randomness import below
from ludus.compiled.rows import Row
from ludus.learning.loop.episodes import GAME, Episode, Ints
from ludus.learning.loop.settings import Schedule, share_now
from ludus.networks.shallow import Floats, Shallow, add_gradient

_MOST = 40  # points; when there are as many, each two become one
SUM, UPDATES, ALL_SUM, ALL_UPDATES = range(4)  # of `sums`: since the last point, and since the last evaluation
GAMES, STRIDE, FILLED = range(3)  # of `counts`: games since the last point, games a point, and points


class Losses(NamedTuple):
    """The curve of the squared TD errors since the last evaluation."""

    points: Floats  # [_MOST, 3]: the number of games, the sum of losses and how many they are
    sums: Floats  # [4]
    counts: Ints  # [3]


def new_losses() -> Losses:
    """Before the first game."""
    return Losses(np.zeros((_MOST, 3)), np.zeros(4), np.array([0, 1, 0]))


def summary(losses: Losses) -> dict[str, Any]:
    """The mean loss since the last summary, None for no update, and its curve."""
    points = [[int(game), _mean(total, updates)] for game, total, updates in losses.points[: losses.counts[FILLED]]]
    loss = _mean(losses.sums[ALL_SUM], losses.sums[ALL_UPDATES])
    losses.sums[:], losses.counts[:] = 0.0, (0, 1, 0)
    return {"loss": loss, "losses": points}


def _mean(total: float, updates: float) -> float | None:
    return float(f"{total / updates:.6g}") if updates else None


@helper
def note_loss(losses: Losses, loss: float) -> None:
    """Count the loss of an update."""
    losses.sums[SUM] += loss
    losses.sums[UPDATES] += 1
    losses.sums[ALL_SUM] += loss
    losses.sums[ALL_UPDATES] += 1


@helper
def note_game(losses: Losses, games: int) -> None:
    """Count a game; make a point of the last ones when it is time."""
    counts, sums = losses.counts, losses.sums
    counts[GAMES] += 1
    if counts[GAMES] < counts[STRIDE]:
        return
    point = losses.points[counts[FILLED]]
    point[0], point[1], point[2] = games, sums[SUM], sums[UPDATES]
    counts[GAMES], sums[SUM], sums[UPDATES] = 0, 0.0, 0.0
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


class Networks(NamedTuple):
    """The network of the learner, and of its twin if it has one, each with its eligibility traces."""

    below: Floats  # [learners, inputs + 1, hidden]
    above: Floats  # [learners, hidden + 1]
    trace_below: Floats  # as below
    trace_above: Floats  # as above
    value: Floats  # [learners]: of the last position, for player 0
    progress: Row  # [2]: whether a position was visited since learning began in this game; the next ply to visit


class TDState(NamedTuple):
    """The arrays of a learner and its twin."""

    networks: Networks
    losses: Losses
    room: Room
    out: Floats  # [actions]
    judge: Judge


@helper
def network(networks: Networks, who: int) -> Shallow:
    """The network of the learner, or of its twin."""
    return Shallow(networks.below[who], networks.above[who])


@helper
def traces_of(networks: Networks, who: int) -> Shallow:
    """Its eligibility traces."""
    return Shallow(networks.trace_below[who], networks.trace_above[who])


@helper
def step_size(alpha: Schedule, episode: Episode) -> float:
    """The learning rate now."""
    return share_now(alpha, int(episode.counters[GAME]), 0.5 * (episode.lost[0] + episode.lost[1]))


@helper
def update_at(game: Any, pos: Any, who: int, alpha: float, lam: float, state: TDState) -> None:
    """Update the network by the TD error at a position, and add its gradient to the traces."""
    networks, judge, room = state.networks, state.judge, state.room
    net, traces, is_later = network(networks, who), traces_of(networks, who), networks.progress[0] != 0
    value = 0.0
    for is_updated in range(0 if is_later else 1, 2):
        value = network_value(game, pos, net, judge, room)
        if not is_updated:
            update(net, traces, alpha, judge.gamma * value - networks.value[who], who, state.losses)
    fade(traces, judge.gamma * lam if is_later else 0.0)
    add_gradient(net, room.seen.ravel(), room.units, side_of(game, pos, judge), traces)
    networks.value[who] = value


@helper
def update(net: Shallow, traces: Shallow, alpha: float, error: float, who: int, losses: Losses) -> None:
    """Move the weights along their traces by a TD error."""
    step = alpha * error
    for place in range(len(net.below)):
        weights, along = net.below[place], traces.below[place]
        for unit in range(len(weights)):
            weights[unit] += step * along[unit]
    for unit in range(len(net.above)):
        net.above[unit] += step * traces.above[unit]
    if who == 0:
        note_loss(losses, error * error)


@helper
def fade(traces: Shallow, decay: float) -> None:
    """Decay the eligibility traces."""
    for place in range(len(traces.below)):
        along = traces.below[place]
        for unit in range(len(along)):
            along[unit] *= decay
    for unit in range(len(traces.above)):
        traces.above[unit] *= decay


@helper
def best_action(game: Any, pos: Any, mask: Mask, who: int, state: TDState, episode: Episode) -> int:
    """An action of the best resulting position."""
    top, ties = evaluate_actions(game, pos, mask, network(state.networks, who), state.judge, state.room, state.out)
    return nth_best(mask, state.out, top, below(episode.stream, ties) if ties > 1 else 0)


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
def nth_best(mask: Mask, values: Floats, top: float, place: int) -> int:
    """The n-th of the actions of the highest value; the first of all if the values are no numbers."""
    left = mask
    while not is_empty(left):
        action = first(left)
        if values[action] == top:
            if place == 0:
                return action
            place -= 1
        left = without_first(left)
    return first(mask)
