"""Toads and Frogs: toads go right, frogs go left, the player who cannot move loses."""

TOAD = "T"
FROG = "F"
BLANK = "_"
PIECES = (TOAD, FROG)
STEPS = (1, -1)


class ToadsAndFrogs:
    """A state is the pair of the strip, a tuple of characters, and the player to move (0 has the toads)."""

    def __init__(self, toads=3, gaps=3, frogs=3, first="toads", strip=""):
        self.strip = strip or TOAD * toads + BLANK * gaps + FROG * frogs
        self.first = {"toads": 0, "frogs": 1}[first]

    def start(self):
        """The given strip with the given side to move."""
        return tuple(self.strip), self.first

    def player(self, state):
        """The player to move is part of the state."""
        return state[1]

    def legal(self, state):
        """The numbers of the own pieces that can move."""
        strip, mover = state
        places = self.own_places(strip, mover)
        return [number for number, place in enumerate(places) if self.target(strip, mover, place) is not None]

    def play(self, state, action):
        """The strip with the piece on its new square, the other side to move."""
        strip, mover = state
        place = self.own_places(strip, mover)[action]
        cells = list(strip)
        cells[self.target(strip, mover, place)] = PIECES[mover]
        cells[place] = BLANK
        return tuple(cells), 1 - mover

    def score(self, state):
        """The player to move has no move and loses."""
        return -1 if state[1] == 0 else 1

    def own_places(self, strip, mover):
        """The squares of the mover's pieces, the most advanced first."""
        places = [place for place, cell in enumerate(strip) if cell == PIECES[mover]]
        return places[::-1] if mover == 0 else places

    def target(self, strip, mover, place):
        """Where the piece on this square goes, by a slide or a hop, or None if it is stuck."""
        near = place + STEPS[mover]
        far = near + STEPS[mover]
        if self.cell(strip, near) == BLANK:
            return near
        if self.cell(strip, near) == PIECES[1 - mover] and self.cell(strip, far) == BLANK:
            return far
        return None

    def cell(self, strip, place):
        """What is on a square, or None beyond the edge."""
        return strip[place] if 0 <= place < len(strip) else None
