/* Connect four, 7 x 6, step by step as in connect_four.py. */

#include "../stream.h"

#define WIDTH 7
#define HEIGHT 6
#define BOTTOM ((((uint64_t)1 << WIDTH * (HEIGHT + 1)) - 1) / (((uint64_t)1 << (HEIGHT + 1)) - 1))

typedef struct {
    uint64_t mine, theirs, turn;
} Position;

static inline int has_line(uint64_t board)
{
    uint64_t upright = board, level = board, falling = board, rising = board;
    for (int length = 1; length < 4; length *= 2) { /* double the length of the lines that the boards mark */
        upright &= upright >> length;
        level &= level >> length * (HEIGHT + 1);
        falling &= falling >> length * HEIGHT;
        rising &= rising >> length * (HEIGHT + 2);
    }
    return (upright | level | falling | rising) != 0;
}

static inline Position start(void)
{
    return (Position){0, 0, 0};
}

static inline uint64_t legal(Position pos)
{
    if (has_line(pos.theirs))
        return 0;
    return extract(~(pos.mine | pos.theirs), BOTTOM << (HEIGHT - 1));
}

static inline Position play(Position pos, uint64_t action)
{
    uint64_t discs = pos.mine | pos.theirs;
    uint64_t dropped = ~discs & (discs + deposit((uint64_t)1 << action, BOTTOM));
    return (Position){pos.theirs, pos.mine | dropped, 1 - pos.turn};
}

static inline int64_t score(Position pos)
{
    if (!has_line(pos.theirs))
        return 0;
    return pos.turn == 1 ? 1 : -1;
}

#include "playout.h"
