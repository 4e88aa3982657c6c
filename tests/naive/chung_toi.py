"""Chung Toi: three in a row with three pieces each, which move the way they are turned."""

ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
COLUMNS = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
DIAGONALS = ((0, 4, 8), (2, 4, 6))
LINES = ROWS + COLUMNS + DIAGONALS
CARDINAL = ((-1, 0), (0, -1), (0, 1), (1, 0))
DIAGONAL = ((-1, -1), (-1, 1), (1, -1), (1, 1))
STEPS = (CARDINAL, DIAGONAL)
PASS = 54


class ChungToi:
    """A state is the tuple of nine squares, each None or (owner, orientation), and the player to move."""

    def __init__(self, reach="two", jump=True, passing=False):
        self.reach = {"one": 1, "two": 2}[reach]
        self.jump = jump
        self.passing = passing

    def start(self):
        """The empty board, player 0 to move."""
        return (None,) * 9, 0

    def player(self, state):
        """The player to move is part of the state."""
        return state[1]

    def legal(self, state):
        """The placings while pieces are left to place, then the moves, nothing once somebody has won."""
        board, mover = state
        if self.has_line(board, 0) or self.has_line(board, 1):
            return []
        if len(self.own_squares(board, mover)) < 3:
            return self.placings(board)
        passes = [PASS] if self.passing else []
        return sorted(self.moves(board, mover)) + passes

    def play(self, state, action):
        """The board after a placing, a move or a pass, the other player to move."""
        board, mover = list(state[0]), state[1]
        own = self.own_squares(board, mover)
        if action != PASS:
            if len(own) == 3:
                board[own[action // 18]] = None
            board[action % 18 // 2] = (mover, action % 2)
        return tuple(board), 1 - mover

    def score(self, state):
        """+1 if player 0 has the line, else -1."""
        return 1 if self.has_line(state[0], 0) else -1

    def has_line(self, board, player):
        """Whether the player owns all three squares of some line."""
        own = self.own_squares(board, player)
        return any(all(square in own for square in line) for line in LINES)

    def own_squares(self, board, player):
        """The squares of the player's pieces in ascending order."""
        return [square for square in range(9) if board[square] is not None and board[square][0] == player]

    def placings(self, board):
        """Every empty square with either orientation."""
        return [2 * square + turn for square in range(9) if board[square] is None for turn in (0, 1)]

    def moves(self, board, mover):
        """Every own piece turned in place, or moved and turned either way."""
        found = []
        for rank, square in enumerate(self.own_squares(board, mover)):
            orientation = board[square][1]
            found.append(18 * rank + 2 * square + 1 - orientation)
            for target in self.targets(board, square, orientation):
                found += [18 * rank + 2 * target, 18 * rank + 2 * target + 1]
        return found

    def targets(self, board, square, orientation):
        """The empty squares that a piece so turned reaches from its square."""
        found = []
        for step in STEPS[orientation]:
            path = self.path(square, step)
            found += [path[i] for i in range(len(path)) if self.can_reach(board, path[: i + 1])]
        return found

    def path(self, square, step):
        """The squares on the board that lie up to the reach away in one direction, the nearest first."""
        row, column = square // 3, square % 3
        places = [(row + n * step[0], column + n * step[1]) for n in range(1, self.reach + 1)]
        return [3 * r + c for r, c in places if 0 <= r < 3 and 0 <= c < 3]

    def can_reach(self, board, path):
        """Whether the end of the path is empty and, unless jumping is allowed, all before it too."""
        needed = path[-1:] if self.jump else path
        return all(board[square] is None for square in needed)
