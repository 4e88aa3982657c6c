"""TapnSwap: kill both enemy hands by tapping, or swap fingers between the own hands."""

TAPS = ((0, 0), (0, 1), (1, 0), (1, 1))
SWAPS = ((0, 1), (0, 2), (1, 1), (1, 2))


class TapnSwap:
    """A state is the hands of player 0, the hands of player 1 (each left, right) and the player to move."""

    def __init__(self, limit=4, tap_dead=False, distinct=False):
        self.limit = limit
        self.tap_dead = tap_dead
        self.distinct = distinct

    def start(self):
        """One finger on every hand, player 0 to move."""
        return (1, 1), (1, 1), 0

    def player(self, state):
        """The player to move is part of the state."""
        return state[2]

    def legal(self, state):
        """The possible taps and swaps, unless somebody has lost both hands."""
        if (0, 0) in state[:2]:
            return []
        own, enemy = self.own_and_enemy(state)
        taps = [2 * i + j for i, j in TAPS if self.can_tap(own[i], enemy[j])]
        swaps = [4 + 2 * giver + count - 1 for giver, count in SWAPS if self.can_swap(own, giver, count)]
        found = sorted(taps + swaps)
        return self.without_repeats(state, found) if self.distinct else found

    def without_repeats(self, state, found):
        """The first tap of as many fingers on as many, and the swap to each pair that moves the fewest fingers."""
        own, enemy = self.own_and_enemy(state)
        first = {}
        for action in sorted(found, key=lambda action: (action > 3 and action % 2, action)):
            if action < 4:
                i, j = TAPS[action]
                first.setdefault(("tap", own[i], enemy[j]), action)
            else:
                first.setdefault(("swap", *sorted(self.swapped(own, *SWAPS[action - 4]))), action)
        return sorted(first.values())

    def play(self, state, action):
        """The hands after the tap or the swap, the other player to move."""
        own, enemy = self.own_and_enemy(state)
        if action < 4:
            enemy = self.tapped(own, enemy, *TAPS[action])
        else:
            own = self.swapped(own, *SWAPS[action - 4])
        return (own, enemy, 1) if state[2] == 0 else (enemy, own, 0)

    def score(self, state):
        """Who has lost both hands has lost."""
        return -1 if state[0] == (0, 0) else 1

    def own_and_enemy(self, state):
        """The hands of the player to move and those of the other."""
        return state[state[2]], state[1 - state[2]]

    def can_tap(self, tapping, tapped):
        """A living hand can tap a living one, or a dead one too where that is allowed."""
        return tapping > 0 and (tapped > 0 or self.tap_dead)

    def can_swap(self, own, giver, count):
        """A swap needs the fingers, keeps to the limit, and gives neither the same nor the mirrored pair."""
        if own[giver] < count or own[1 - giver] + count > self.limit:
            return False
        return self.swapped(own, giver, count) not in (own, (own[1], own[0]))

    def tapped(self, own, enemy, i, j):
        """The enemy's hands after the tap; a hand above the limit dies."""
        hands = list(enemy)
        hands[j] += own[i]
        if hands[j] > self.limit:
            hands[j] = 0
        return tuple(hands)

    def swapped(self, own, giver, count):
        """The own hands after giving some fingers to the other hand."""
        hands = list(own)
        hands[giver] -= count
        hands[1 - giver] += count
        return tuple(hands)
