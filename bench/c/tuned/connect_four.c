/* Connect four, 7 x 6: the moves are kept as the lowest empty cell of each column; no look before the seventh ply. */

#include "../stream.h"

#define BOTTOM 0x0040810204081 /* the lowest cell of every column; a column is seven bits */
#define CELLS (BOTTOM * 63)

static inline int has_line(uint64_t board)
{
    uint64_t upright = board & board >> 1, level = board & board >> 7;
    uint64_t falling = board & board >> 6, rising = board & board >> 8;
    uint64_t straight = (upright & upright >> 2) | (level & level >> 14);
    return (straight | (falling & falling >> 12) | (rising & rising >> 16)) != 0;
}

#define PLY(board, count) \
    do { \
        uint64_t cell = random_bit(&stream, moves, count); \
        board |= cell; \
        moves = (moves + cell) & CELLS; \
        length++; \
    } while (0)

/* Play one game; 1, -1 or 0 as the first player won, lost or tied. */
static inline int play_game(uint64_t stream, int64_t *plies)
{
    uint64_t moves = BOTTOM, first = 0, second = 0;
    int length = 0, result = 0;
#pragma GCC unroll 3
    for (int round = 0; round < 3; round++) {
        PLY(first, 7);
        PLY(second, 7);
    }
    while (moves) {
        PLY(first, popcount(moves));
        if (has_line(first)) {
            result = 1;
            break;
        }
        PLY(second, popcount(moves));
        if (has_line(second)) {
            result = -1;
            break;
        }
    }
    *plies += length;
    return result;
}

#include "playout.h"
