/* Connect four, 7 x 6: the moves are kept as the lowest empty cell of each column; no look before the seventh ply. */

#include "stream.h"

#define BOTTOM 0x0040810204081 /* the lowest cell of every column; a column is seven bits */
#define CELLS (BOTTOM * 63)

static inline int has_line(uint64_t board)
{
    uint64_t upright = board & board >> 1, level = board & board >> 7;
    uint64_t falling = board & board >> 6, rising = board & board >> 8;
    return ((upright & upright >> 2) | (level & level >> 14) | (falling & falling >> 12) | (rising & rising >> 16)) != 0;
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
        PLY(first, __builtin_popcountll(moves));
        if (has_line(first)) {
            result = 1;
            break;
        }
        PLY(second, __builtin_popcountll(moves));
        if (has_line(second)) {
            result = -1;
            break;
        }
    }
    *plies += length;
    return result;
}

void play_games(uint64_t key, int64_t start, int64_t size, Tally *tally)
{
    int64_t plies = 0, first_wins = 0, second_wins = 0;
    uint64_t upcoming = stream_of(key, start);
    for (int64_t index = start; index < start + size; index++) {
        uint64_t stream = upcoming;
        upcoming = stream_of(key, index + 1); /* early, so that it does not wait for the end of this game */
        int result = play_game(stream, &plies);
        first_wins += result > 0;
        second_wins += result < 0;
    }
    *tally = (Tally){first_wins, second_wins, size - first_wins - second_wins, plies, first_wins - second_wins};
}
