/* Tic-tac-toe: lines looked up in a table, no look before the fifth ply, the ninth move not drawn. */

#include "../stream.h"

static uint8_t has_line[512];

__attribute__((constructor)) static void fill_table(void)
{
    static const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (int board = 0; board < 512; board++)
        for (int i = 0; i < 8; i++)
            has_line[board] |= (board & lines[i]) == lines[i];
}

#define PLY(board) \
    do { \
        uint64_t square = random_bit(&stream, empty, 9 - length); \
        empty ^= square; \
        board |= square; \
        length++; \
    } while (0)

/* Play one game; 1, -1 or 0 as the first player won, lost or tied. */
static inline int play_game(uint64_t stream, int64_t *plies)
{
    uint64_t empty = 0777, first = 0, second = 0;
    int length = 0, result = 0;
    PLY(first);
    PLY(second);
    PLY(first);
    PLY(second);
#pragma GCC unroll 2
    for (int round = 0; round < 2; round++) {
        PLY(first);
        if (has_line[first]) {
            result = 1;
            goto over;
        }
        PLY(second);
        if (has_line[second]) {
            result = -1;
            goto over;
        }
    }
    length = 9;
    result = has_line[first | empty];
over:
    *plies += length;
    return result;
}

#include "playout.h"
