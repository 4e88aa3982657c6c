"""Fox and Hounds: the fox tries to slip past the hounds, they try to pen it in."""

FOX_STEPS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
HOUND_STEPS = ((-1, -1), (-1, 1))


class FoxAndHounds:
    """A state is the fox's (row, column) or None, the sorted tuple of the hounds' squares, and the player to move."""

    def __init__(self, size=8, goal="level"):
        assert goal in ("level", "home", "safe", "none")
        self.size = size
        self.goal = goal

    def start(self):
        """Hounds on the dark squares of the last row, the fox not yet on the board."""
        row = self.size - 1
        hounds = tuple((row, column) for column in range(self.size) if (row + column) % 2 == 0)
        return None, hounds, 0

    def player(self, state):
        """The player to move is part of the state; player 0 has the fox."""
        return state[2]

    def legal(self, state):
        """The fox's placings, or the moves of the side to move unless the fox has reached its goal."""
        if state[0] is None:
            return [column // 2 for column in range(self.size) if column % 2 == 0]
        return [] if self.fox_at_goal(state) else self.moves(state)

    def play(self, state, action):
        """Place the fox, which then moves again, or move one animal and pass the turn."""
        fox, hounds, mover = state
        if fox is None:
            return (0, 2 * action), hounds, 0
        if mover == 0:
            return self.step(fox, FOX_STEPS[action]), hounds, 1
        return fox, self.with_hound_moved(hounds, action), 0

    def score(self, state):
        """The player who cannot move loses; otherwise the game ended because the fox reached its goal."""
        if self.goal in ("level", "home") and self.fox_at_goal(state):
            return 1
        if not self.moves(state):
            return -1 if state[2] == 0 else 1
        return 1

    def step(self, square, step):
        """The square one step away."""
        return square[0] + step[0], square[1] + step[1]

    def on_board(self, square):
        """Whether the square lies on the board."""
        return 0 <= square[0] < self.size and 0 <= square[1] < self.size

    def moves(self, state):
        """The actions of the side to move that lead to free squares on the board, whatever the goal says."""
        fox, hounds, mover = state
        animals, steps = ([fox], FOX_STEPS) if mover == 0 else (hounds, HOUND_STEPS)
        targets = [self.step(animal, step) for animal in animals for step in steps]
        return [action for action, square in enumerate(targets) if self.is_free(state, square)]

    def is_free(self, state, square):
        """Whether the square is on the board and nobody stands there."""
        return self.on_board(square) and square != state[0] and square not in state[1]

    def with_hound_moved(self, hounds, action):
        """The hounds, sorted again, after hound action // 2 has stepped left or right."""
        moved = list(hounds)
        moved[action // 2] = self.step(moved[action // 2], HOUND_STEPS[action % 2])
        return tuple(sorted(moved))

    def fox_at_goal(self, state):
        """Whether the fox on the board has what the goal asks for."""
        fox, hounds, _ = state
        if self.goal == "level":
            return fox[0] >= max(row for row, _ in hounds)
        if self.goal == "home":
            return fox[0] == self.size - 1
        return self.goal == "safe" and bool(self.moves(state)) and self.is_safe(fox, hounds)

    def is_safe(self, fox, hounds):
        """Whether the fox's square and a square next to it are out of the hounds' reach for ever."""
        reached = self.reached(hounds)
        neighbours = [self.step(fox, step) for step in FOX_STEPS]
        return fox not in reached and any(self.on_board(n) and n not in reached for n in neighbours)

    def reached(self, hounds):
        """The squares where hounds stand or could come to by forward steps on an otherwise empty board."""
        found = set(hounds)
        row = set(hounds)
        while row:
            steps = [self.step(square, step) for square in row for step in HOUND_STEPS]
            row = {square for square in steps if self.on_board(square)}
            found |= row
        return found
