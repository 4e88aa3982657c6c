"""Mancala: sow stones round the board, the fuller store wins."""

STORE = 0


class Mancala:
    """A state is the two sides and the player to move; side[0] is the store, side[k] the hole k steps from it."""

    def __init__(self, holes=6, stones=4, capture="none", leftovers="nobody"):
        assert capture in ("none", "standard", "empty")
        assert leftovers in ("nobody", "owner")
        self.holes = holes
        self.stones = stones
        self.capture = capture
        self.leftovers = leftovers

    def start(self):
        """Empty stores, equally full holes, player 0 to move."""
        side = (0,) + (self.stones,) * self.holes
        return side, side, 0

    def player(self, state):
        """The player to move is part of the state."""
        return state[2]

    def legal(self, state):
        """The own holes that are not empty, unless one side is all empty."""
        if sum(state[0][1:]) == 0 or sum(state[1][1:]) == 0:
            return []
        own = state[state[2]]
        return [hole - 1 for hole in range(1, self.holes + 1) if own[hole] > 0]

    def play(self, state, action):
        """Sow, capture, and pass the turn unless the last stone fell into the own store."""
        mover = state[2]
        sides = [list(state[0]), list(state[1])]
        last = self.sow(sides, mover, action + 1)
        self.take(sides, mover, last)
        turn = mover if last == (mover, STORE) else 1 - mover
        return tuple(sides[0]), tuple(sides[1]), turn

    def score(self, state):
        """What player 0 owns more than player 1."""
        return self.owned(state[0]) - self.owned(state[1])

    def owned(self, side):
        """The stones in a side's store, and those in its holes where leftovers go to the owner."""
        return sum(side) if self.leftovers == "owner" else side[STORE]

    def circle(self, mover):
        """The pits in the order of the mover's sowing, as pairs of side and steps to its store."""
        downwards = list(range(self.holes, 0, -1))
        own = [(mover, steps) for steps in [*downwards, STORE]]
        return own + [(1 - mover, steps) for steps in downwards]

    def sow(self, sides, mover, hole):
        """Empty the hole, drop its stones one by one into the next pits, and return the last pit."""
        circle = self.circle(mover)
        place = circle.index((mover, hole))
        stones = sides[mover][hole]
        sides[mover][hole] = 0
        for _ in range(stones):
            place = (place + 1) % len(circle)
            side, steps = circle[place]
            sides[side][steps] += 1
        return circle[place]

    def take(self, sides, mover, last):
        """Move a lone last stone in an own hole and what lies opposite into the own store, if the rules say so."""
        side, hole = last
        if side != mover or hole == STORE or sides[mover][hole] != 1:
            return
        own, enemy, opposite = sides[mover], sides[1 - mover], self.holes + 1 - hole
        if self.capture == "empty" or (self.capture == "standard" and enemy[opposite] > 0):
            own[STORE] += own[hole] + enemy[opposite]
            own[hole] = enemy[opposite] = 0
