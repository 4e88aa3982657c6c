"""Tic-tac-toe: three in a row on a 3x3 board."""

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
COLUMNS = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
DIAGONALS = ((0, 4, 8), (2, 4, 6))
LINES = ROWS + COLUMNS + DIAGONALS
EMPTY = "."


class TicTacToe:
    """A state is a tuple of nine squares, each 0, 1 (its owner) or EMPTY."""

    def start(self):
        """The empty board."""
        return (EMPTY,) * 9

    def player(self, state):
        """Player 0 moves when an even number of squares is taken."""
        return sum(square != EMPTY for square in state) % 2

    def legal(self, state):
        """The empty squares, unless somebody has won."""
        if self.has_line(state, 0) or self.has_line(state, 1):
            return []
        return [square for square in range(9) if state[square] == EMPTY]

    def play(self, state, action):
        """The board with the mover's mark on the square."""
        board = list(state)
        board[action] = self.player(state)
        return tuple(board)

    def score(self, state):
        """+1 if player 0 has a line, -1 if player 1 has one, else 0."""
        return int(self.has_line(state, 0)) - int(self.has_line(state, 1))

    def has_line(self, state, player):
        """Whether the player owns all three squares of some line."""
        return any(all(state[square] == player for square in line) for line in LINES)
