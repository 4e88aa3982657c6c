"""Dobutsu shogi: animals on three columns and four rows, of which one is the lion to be caught."""

STRAIGHT = [(0, 1), (0, -1), (-1, 0), (1, 0)]
DIAGONAL = [(-1, 1), (1, 1), (-1, -1), (1, -1)]
STEPS = {
    "lion": [*STRAIGHT, *DIAGONAL],
    "chick": [(0, 1)],
    "elephant": DIAGONAL,
    "giraffe": STRAIGHT,
    "hen": [*STRAIGHT, (-1, 1), (1, 1)],
}
DROPPED = ["chick", "elephant", "giraffe"]
PLACES = [(column, row) for row in range(4) for column in range(3)]
WAYS = [
    (place, (place[0] + step[0], place[1] + step[1]))
    for step in [*STRAIGHT, *DIAGONAL]
    for place in PLACES
    if (place[0] + step[0], place[1] + step[1]) in PLACES
]


def opposite(place):
    """The same square as the other player counts."""
    return 2 - place[0], 3 - place[1]


class DobutsuShogi:
    """A state is three tuples and the mover: (place, owner, animal) on the board, and the animals in each hand.

    Places are columns and rows as player 0 sees them; actions are numbered as the mover sees them.
    """

    def __init__(self, drops=True):
        self.drops = drops

    def start(self):
        """Four animals on either side."""
        home = {(0, 0): "elephant", (1, 0): "lion", (2, 0): "giraffe", (1, 1): "chick"}
        board = {place: (0, animal) for place, animal in home.items()}
        board |= {opposite(place): (1, animal) for place, animal in home.items()}
        return self.state(board, ([], []), 0)

    def state(self, board, hands, mover):
        """The parts of a state in a fixed order."""
        standing = tuple(sorted((place, *whose) for place, whose in board.items()))
        return standing, tuple(sorted(hands[0])), tuple(sorted(hands[1])), mover

    def parts(self, state):
        """The board as a dict, the hands as lists, and the mover."""
        standing, first, second, mover = state
        return {place: (owner, animal) for place, owner, animal in standing}, (list(first), list(second)), mover

    def player(self, state):
        """The player to move is part of the state."""
        return state[3]

    def place(self, place, mover):
        """A place that the mover counts, as player 0 counts it."""
        return place if mover == 0 else opposite(place)

    def lion(self, board, player):
        """Where the player's lion stands, None once it is captured."""
        return next((place for place, whose in board.items() if whose == (player, "lion")), None)

    def legal(self, state):
        """Captures of the lion; else nothing if it has arrived or one is gone; else everything."""
        board, hands, mover = self.parts(state)
        own, enemy = self.lion(board, mover), self.lion(board, 1 - mover)
        if own is None or enemy is None:
            return []
        moves = [action for action in range(len(WAYS)) if self.can_move(board, mover, action)]
        catching = [action for action in moves if self.place(WAYS[action][1], mover) == enemy]
        if catching:
            return catching
        if self.place(enemy, mover)[1] == 0:
            return []
        return moves + self.droppings(board, hands[mover], mover)

    def can_move(self, board, mover, action):
        """Whether an own animal goes that way and no own one is in the way."""
        origin, target = WAYS[action]
        owner, animal = board.get(self.place(origin, mover), (None, None))
        if owner != mover or (target[0] - origin[0], target[1] - origin[1]) not in STEPS[animal]:
            return False
        return board.get(self.place(target, mover), (None, None))[0] != mover

    def droppings(self, board, hand, mover):
        """Each kind in the hand on each empty square."""
        return [
            len(WAYS) + 12 * DROPPED.index(animal) + PLACES.index(place)
            for animal in DROPPED
            for place in PLACES
            if animal in hand and self.place(place, mover) not in board
        ]

    def play(self, state, action):
        """The state after a move or a drop."""
        board, hands, mover = self.parts(state)
        if action >= len(WAYS):
            kind, number = divmod(action - len(WAYS), 12)
            hands[mover].remove(DROPPED[kind])
            board[self.place(PLACES[number], mover)] = (mover, DROPPED[kind])
            return self.state(board, hands, 1 - mover)
        origin, target = (self.place(place, mover) for place in WAYS[action])
        animal = board.pop(origin)[1]
        captured = board.pop(target, (None, None))[1]
        if animal == "chick" and WAYS[action][1][1] == 3:
            animal = "hen"
        board[target] = (mover, animal)
        if captured == "lion":
            return self.caught(board, target, mover)
        if captured and self.drops:
            hands[mover].append("chick" if captured == "hen" else captured)
        return self.state(board, hands, 1 - mover)

    def caught(self, board, target, winner):
        """The lion of the winner and the animal that caught the other stay; the winner takes what there was."""
        stays = {place: whose for place, whose in board.items() if place == target or whose == (winner, "lion")}
        hands = [], []
        if self.drops:
            left = [*DROPPED, *DROPPED]
            for _, animal in stays.values():
                if animal != "lion":
                    left.remove("chick" if animal == "hen" else animal)
            hands[winner].extend(left)
        return self.state(stays, hands, 1 - winner)

    def score(self, state):
        """The mover has lost."""
        return 1 if state[3] == 1 else -1
