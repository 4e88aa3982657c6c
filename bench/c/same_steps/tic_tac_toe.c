/* Tic-tac-toe, step by step as in tic_tac_toe.py. */

#include "../stream.h"

#define FULL 0777

typedef struct {
    uint64_t mine, theirs, turn;
} Position;

static uint8_t lines[512]; /* 1 for every 3x3 bitboard with three in a row */

static int has_line(int board)
{
    int rows = board & board >> 1 & board >> 2 & 0111;
    int columns = board & board >> 3 & board >> 6 & 0007;
    int diagonals = (board & board >> 4 & board >> 8 & 1) | (board >> 2 & board >> 4 & board >> 6 & 1);
    return (rows | columns | diagonals) != 0;
}

__attribute__((constructor)) static void fill_lines(void)
{
    for (int board = 0; board < 512; board++)
        lines[board] = has_line(board);
}

static inline Position start(void)
{
    return (Position){0, 0, 0};
}

static inline uint64_t legal(Position pos)
{
    return lines[pos.theirs] ? 0 : FULL ^ (pos.mine | pos.theirs);
}

static inline Position play(Position pos, uint64_t action)
{
    return (Position){pos.theirs, pos.mine | (uint64_t)1 << action, 1 - pos.turn};
}

static inline int64_t score(Position pos)
{
    if (!lines[pos.theirs])
        return 0;
    return pos.turn == 1 ? 1 : -1;
}

#include "playout.h"
