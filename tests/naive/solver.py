"""A slow, obvious solver for the naive games: sweep over all states until no value changes any more."""


def solve(game, start=None):
    """{state: (score for player 0, plies to the end or None)} for all states that can be reached.

    Among equal scores the winner hurries and the loser delays; a draw ends as soon as both together can end it.
    """
    after = successors(game, game.start() if start is None else start)
    players = {state: game.player(state) for state in after}
    values = {state: (0, None) if following else ended(game, state) for state, following in after.items()}
    while (better := sweep(after, players, values)) != values:
        values = better
    lengths = draw_lengths(after, {state for state, (score, _) in values.items() if score == 0})
    return {state: value if value[0] else (0, lengths.get(state)) for state, value in values.items()}


def successors(game, start):
    """{state: the states that its actions lead to} for all states that can be reached."""
    after, waiting = {}, [start]
    while waiting:
        state = waiting.pop()
        if state not in after:
            after[state] = [game.play(state, action) for action in game.legal(state)]
            waiting += after[state]
    return after


def ended(game, state):
    """The value of the end of a game; the length of a tie is counted later."""
    score = game.score(state)
    return (score, 0) if score else (0, None)


def sweep(after, players, values):
    """What follows for each state from the values of its successors: the results that one ply more can force."""
    return {
        state: best(players[state], [values[next_state] for next_state in following]) if following else values[state]
        for state, following in after.items()
    }


def best(player, values):
    """The value that a player chooses, one ply earlier."""
    score, plies = max(values, key=lambda value: preference(player, *value))
    return (score, plies + 1) if score else (0, None)


def preference(player, score, plies):
    """Sorts values from the worst for a player to the best."""
    own = score if player == 0 else -score
    return own, 0 if own == 0 else -plies if own > 0 else plies


def draw_lengths(after, drawn):
    """{drawn state: the fewest plies to a tie through drawn states}, where there is a way to one."""
    lengths = {state: 0 for state in drawn if not after[state]}
    while True:
        longer = {
            state: 1 + min(lengths[next_state] for next_state in after[state] if next_state in lengths)
            for state in drawn - lengths.keys()
            if any(next_state in lengths for next_state in after[state])
        }
        if not longer:
            return lengths
        lengths |= longer


def expect(game, odds, change=1e-13):
    """{state: expected score for player 0} of a game with chance, by sweeps until nothing changes by more than this."""
    after = successors(game, game.start())
    values = {state: 0.0 if following else game.score(state) for state, following in after.items()}
    while True:
        better = {
            state: expected(game, odds, state, [values[next_state] for next_state in following])
            if following
            else values[state]
            for state, following in after.items()
        }
        if max(abs(better[state] - values[state]) for state in values) <= change:
            return better
        values = better


def expected(game, odds, state, scores):
    """The best of the scores for a player, or their mean weighted by the odds for chance."""
    player = game.player(state)
    if player in (0, 1):
        return max(scores) if player == 0 else min(scores)
    weights = [odds(state, action) for action in game.legal(state)]
    return sum(weight * score for weight, score in zip(weights, scores, strict=True)) / sum(weights)
