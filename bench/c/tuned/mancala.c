/* Mancala, 6 holes of 4, capture = standard, leftovers = owner: a side is one word, sowing is looked up in tables.

Byte 0 is the store, byte b = 1 .. 6 the hole b steps from it (action b - 1); byte 7 is never empty, so that a last
stone that cannot capture is sent there. Within a ply there is no branch. */

#include "../stream.h"

#define ONES 0x01010101010100 /* a stone in every hole */
#define GUARD ((uint64_t)1 << 56)
#define LAP 13 /* stones that go once around */
#define MOST 64

static uint64_t own_change[7 * MOST], their_change[7 * MOST], passes[7 * MOST]; /* passes: all bits set or none */
static uint8_t last_shift[7 * MOST];

static void fill_entry(int hole, int stones)
{
    uint64_t sides[2] = {0, 0};
    int side = 0, at = hole, entry = hole * MOST + stones;
    for (int i = 0; i < stones; i++) {
        int leaves = at == (side == 0 ? 0 : 1);
        side ^= leaves;
        at = leaves ? 6 : at - 1;
        sides[side] += (uint64_t)1 << 8 * at;
    }
    own_change[entry] = sides[0] - ((uint64_t)stones << 8 * hole);
    their_change[entry] = sides[1];
    last_shift[entry] = side == 0 && at > 0 && stones <= LAP ? 8 * at : 56;
    passes[entry] = side == 0 && at == 0 ? 0 : -1;
}

__attribute__((constructor)) static void fill_tables(void)
{
    for (int hole = 1; hole <= 6; hole++)
        for (int stones = 1; stones <= 48; stones++)
            fill_entry(hole, stones);
}

/* Play one game; what the first player has more than the second, with what is left on its side. */
static inline int64_t play_game(uint64_t stream, int64_t *plies)
{
    uint64_t mine = 4 * ONES | GUARD, theirs = mine, turn = 0;
    int64_t length = 0;
    do {
        uint64_t filled = (mine + 127 * ONES) & 128 * ONES; /* the top bit of every hole that is not empty */
        uint64_t at = lowest(random_bit(&stream, filled, popcount(filled))) - 7;
        uint64_t entry = at * (MOST / 8) + (mine >> at & 255);
        uint64_t last = last_shift[entry], opposite = 56 - last, passed = passes[entry];
        uint64_t before = (mine & ~((uint64_t)255 << at)) >> last & 255;
        mine += own_change[entry];
        theirs += their_change[entry];
        uint64_t taken = theirs >> opposite & 255;
        taken = before ? 0 : taken;
        theirs -= taken << opposite;
        uint64_t richer = mine + taken + 1 - ((uint64_t)1 << last);
        mine = taken ? richer : mine;
        uint64_t mover = passed ? theirs : mine;
        theirs = passed ? mine : theirs;
        mine = mover;
        turn ^= passed;
        length++;
    } while ((mine & 255 * ONES) && (theirs & 255 * ONES));
    *plies += length;
    uint64_t first = (turn ? theirs : mine) - GUARD;
    return 2 * (int64_t)(first * 0x0101010101010101 >> 56) - 48;
}

#include "playout.h"
