"""Connect four: drop discs into columns, a straight row of `connect` discs wins."""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class ConnectFour:
    """A state is a tuple of columns, each a tuple of disc owners from the bottom up."""

    def __init__(self, width=7, height=6, connect=4):
        self.width = width
        self.height = height
        self.connect = connect

    def start(self):
        """All columns empty."""
        return ((),) * self.width

    def player(self, state):
        """Player 0 moves when an even number of discs lies on the board."""
        return sum(len(column) for column in state) % 2

    def legal(self, state):
        """The columns with room, unless somebody has won."""
        if self.has_line(state, 0) or self.has_line(state, 1):
            return []
        return [column for column in range(self.width) if len(state[column]) < self.height]

    def play(self, state, action):
        """The board with the mover's disc on top of the column."""
        columns = list(state)
        columns[action] = (*columns[action], self.player(state))
        return tuple(columns)

    def score(self, state):
        """+1 if player 0 has a line, -1 if player 1 has one, else 0."""
        return int(self.has_line(state, 0)) - int(self.has_line(state, 1))

    def has_line(self, state, player):
        """Whether a line of the player begins anywhere and runs in any direction."""
        for column in range(self.width):
            for row in range(self.height):
                if any(self.line_from(state, player, column, row, step) for step in DIRECTIONS):
                    return True
        return False

    def line_from(self, state, player, column, row, step):
        """Whether `connect` squares from this one on, going by this step, all belong to the player."""
        squares = [(column + i * step[0], row + i * step[1]) for i in range(self.connect)]
        return all(self.owner(state, *square) == player for square in squares)

    def owner(self, state, column, row):
        """The owner of the disc on a square, or None where there is no disc or no board."""
        if not 0 <= column < self.width or not 0 <= row < len(state[column]):
            return None
        return state[column][row]
