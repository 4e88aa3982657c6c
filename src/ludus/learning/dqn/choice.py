"""Which action a learner takes: the best by what the network says, or any."""

from __future__ import annotations

from typing import Any

from ludus.compiling import helper, kernel
from ludus.game import gives_shaping, shaping
from ludus.learning.dqn.memory import Floats
from ludus.learning.dqn.moves import Moves, Rules, wait
from ludus.learning.lanes import ASTRAY, ENDED, FRESH, NOTHING, NUMBER, PLAYER, STATUS, Lanes
from ludus.learning.lesson import Ints
from ludus.learning.schedules import share_now
from ludus.networks.inputs import ILLEGAL, Outputs
from ludus.randomness import State, below, uniform
from ludus.rows import borrowed, unpack


@kernel
def choose_moves(
    game: Any,
    like: Any,
    lanes: Lanes,
    ready: Ints,
    moves: Moves,
    rules: Rules,
    inputs: Floats,
    outputs: Outputs,
    worth: Floats,
    chosen: Ints,
) -> None:
    """Choose in each of these lanes by what the outputs are worth, and let the move wait for what comes of it."""
    lanes, ready, moves, inputs = borrowed(lanes), borrowed(ready), borrowed(moves), borrowed(inputs)
    outputs, worth, chosen = borrowed(outputs), borrowed(worth), borrowed(chosen)
    for which in range(len(ready)):
        lane = ready[which]
        state, stream = lanes.state[lane], lanes.streams[lane : lane + 1]
        if state[ASTRAY] > 0:
            chosen[lane] = action_of(outputs[which], best_output(outputs[which], worth[which], True))
            continue
        player = state[PLAYER]
        taken = pick(outputs[which], worth[which], rules, state, moves.lost[player], stream)
        wait(moves, lane, player, inputs[which], taken)
        chosen[lane] = action_of(outputs[which], taken)
        if chosen[lane] == NOTHING:
            moves.foul[lane] = player
            lanes.scores[lane] = -1 if player == 0 else 1
            state[STATUS] = ENDED
        elif gives_shaping(game) and rules.shaping != 0.0:
            after = game.play(unpack(like, lanes.rows[lane]), chosen[lane])
            moves.since[lane, player] += rules.shaping * shaping(game, after)


@helper
def pick(allowed: Any, worth: Floats, rules: Rules, state: Ints, lost: float, stream: State) -> int:
    """The output to take: the best, or any as often as the learner explores and where it sets out."""
    fresh = state[FRESH] != 0
    state[FRESH] = 0
    if fresh or uniform(stream) < share_now(rules.epsilon, int(state[NUMBER]), lost):
        return below(stream, len(worth)) if rules.explores_all else any_output(allowed, stream)
    return best_output(allowed, worth, rules.mask)


@helper
def any_output(allowed: Any, stream: State) -> int:
    """The output of an allowed action, all alike."""
    number = 0
    for action in range(len(allowed)):
        number += allowed[action] != ILLEGAL
    place = below(stream, number)
    for action in range(len(allowed)):
        place -= allowed[action] != ILLEGAL
        if place < 0:
            return int(allowed[action])
    return ILLEGAL


@helper
def best_output(allowed: Any, worth: Floats, mask: bool) -> int:
    """The highest output, with `mask` of an allowed action; the first of several."""
    best = ILLEGAL
    for place in range(len(allowed)):
        output = int(allowed[place]) if mask else place
        if output != ILLEGAL and (best == ILLEGAL or worth[output] > worth[best]):
            best = output
    return best


@helper
def action_of(allowed: Any, output: int) -> int:
    """The action that an output stands for; NOTHING if none that is allowed."""
    for action in range(len(allowed)):
        if allowed[action] == output:
            return action
    return NOTHING
