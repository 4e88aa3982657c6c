/* Mancala, 6 holes of 4, capture = standard, leftovers = owner, step by step as in mancala.py. */

#include "../stream.h"

#define HOLES 6
#define STONES 4
#define LAP (2 * HOLES + 1)
#define BITS 7
#define FIELD (((uint64_t)1 << BITS) - 1)
#define ONES 0x102040810204081 /* a stone in the store and in each of up to 8 holes */
#define HIGH ((uint64_t)(ONES - 1) << (BITS - 1)) /* the highest bit of every hole */
#define LOW (HIGH - (ONES - 1)) /* all the others */

typedef struct {
    uint64_t mine, theirs, turn;
} Position;

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t row_of_ones(int64_t low, int64_t high)
{
    return ONES & (((uint64_t)1 << BITS * high) - ((uint64_t)1 << BITS * low));
}

static inline int64_t stones(uint64_t side)
{
    int64_t total = 0;
    for (; side; side >>= BITS)
        total += side & FIELD;
    return total;
}

static inline Position start(void)
{
    uint64_t side = STONES * row_of_ones(1, HOLES + 1);
    return (Position){side, side, 0};
}

static inline uint64_t legal(Position pos)
{
    if (pos.mine <= FIELD || pos.theirs <= FIELD)
        return 0;
    return extract(((pos.mine & LOW) + LOW) | pos.mine, HIGH);
}

static inline Position play(Position pos, uint64_t action)
{
    uint64_t mine = pos.mine, theirs = pos.theirs;
    int64_t hole = action + 1, left = mine >> BITS * hole & FIELD;
    mine ^= (uint64_t)left << BITS * hole;
    while (left > LAP) { /* rounds that put a stone everywhere */
        mine += row_of_ones(0, HOLES + 1);
        theirs += row_of_ones(1, HOLES + 1);
        left -= LAP;
    }
    int64_t beyond = larger(left - hole, 0); /* stones that go past the own store */
    mine += row_of_ones(larger(hole - left, 0), hole);
    theirs += row_of_ones(larger(HOLES + 1 - beyond, 1), HOLES + 1);
    if (beyond > HOLES)
        mine += row_of_ones(LAP + hole - left, HOLES + 1);
    if (left == hole)
        return (Position){mine, theirs, pos.turn};
    if (beyond == 0 || beyond > HOLES) {
        int64_t last = beyond == 0 ? hole - left : LAP + hole - left;
        uint64_t opposite = theirs >> BITS * (HOLES + 1 - last) & FIELD;
        if ((mine >> BITS * last & FIELD) == 1 && opposite > 0) {
            mine += opposite + 1 - ((uint64_t)1 << BITS * last);
            theirs -= opposite << BITS * (HOLES + 1 - last);
        }
    }
    return (Position){theirs, mine, 1 - pos.turn};
}

static inline int64_t score(Position pos)
{
    int64_t margin = stones(pos.mine) - stones(pos.theirs);
    return pos.turn == 0 ? margin : -margin;
}

#include "playout.h"
