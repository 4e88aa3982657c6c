// A third, independent check of big boards of Toads and Frogs: solves every arrangement by itself, by the rules.
//
//     cc -O3 -march=native -o one_by_one bench/c/one_by_one.c
//     ./one_by_one 7 7 6 3      T^7 []^7 F^6 minus 0, *, 1, 1* ... 3*: who wins moving first
//
// Takes one byte an arrangement. Needs a processor with pdep and pext; no more than 3 may be subtracted.
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t board;

static board ways[64][64]; // binomial coefficients

static board rank_of(board pieces) {
    board rank = 0;
    for (int count = 1; pieces; count++, pieces &= pieces - 1) rank += ways[__builtin_ctzll(pieces)][count];
    return rank;
}

// The next lower board with as many pieces.
static board before(board pieces) {
    const int low = __builtin_ctzll(~pieces); // pieces at the very bottom
    const board rest = pieces >> low << low, lowest = rest & -rest;
    const int square = __builtin_ctzll(lowest);
    return (rest ^ lowest) | ((1ull << (low + 1)) - 1) << (square - low - 1);
}

int main(int count, char **words) {
    if (count != 5) return 2;
    const int toad_count = atoi(words[1]), gaps = atoi(words[2]), frog_count = atoi(words[3]), number = atoi(words[4]);
    const int squares = toad_count + gaps + frog_count, others = gaps + frog_count, planes = 2 * (number + 1);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j <= i; j++) ways[i][j] = j == 0 || j == i ? 1 : ways[i - 1][j - 1] + ways[i - 1][j];
    const board all = (1ull << squares) - 1, rows = ways[squares][toad_count], columns = ways[others][frog_count];
    uint32_t *column_of = malloc(sizeof(uint32_t) << others), *frogs_at = malloc(sizeof(uint32_t) * columns), next = 0;
    for (board frogs = 0; frogs < 1ull << others; frogs++)
        if (__builtin_popcountll(frogs) == frog_count) frogs_at[column_of[frogs] = next++] = frogs;
    uint8_t *frogs_win = malloc(rows * columns), *toads_win = malloc(columns); // a bit for each plane
    if (!column_of || !frogs_at || !frogs_win || !toads_win) return 3;

    board toads = all >> others << others;
    uint8_t left = 0, right = 0;
    for (board row = rows; row-- > 0; toads = row ? before(toads) : toads)
        for (board column = 0; column < columns; column++) {
            const board frogs = _pdep_u64(frogs_at[column], all & ~toads), blank = all & ~(toads | frogs);
            uint8_t by_toads = 0, by_frogs = 0; // planes in which a move leads to where the other side loses
            for (board movers = toads & (blank >> 1 | (frogs >> 1 & blank >> 2)); movers; movers &= movers - 1) {
                const board from = movers & -movers, to = blank & from << 1 ? from << 1 : from << 2;
                const board after = toads ^ from ^ to;
                by_toads |= ~frogs_win[rank_of(after) * columns + column_of[_pext_u64(frogs, all & ~after)]];
            }
            for (board movers = frogs & (blank << 1 | (toads << 1 & blank << 2)); movers; movers &= movers - 1) {
                const board from = movers & -movers, to = blank & from >> 1 ? from >> 1 : from >> 2;
                by_frogs |= ~toads_win[column_of[_pext_u64(frogs ^ from ^ to, all & ~toads)]];
            }
            left = right = 0;
            for (int plane = 0; plane < planes; plane++) { // plane 2n + 1 has a star, and the frogs have n free moves
                int toads_do = by_toads >> plane & 1, frogs_do = by_frogs >> plane & 1;
                if (plane & 1) toads_do |= !(right >> (plane - 1) & 1), frogs_do |= !(left >> (plane - 1) & 1);
                if (plane > 1) frogs_do |= !(left >> (plane - 2) & 1);
                left |= toads_do << plane, right |= frogs_do << plane;
            }
            toads_win[column] = left, frogs_win[row * columns + column] = right;
        }
    for (int plane = 0; plane < planes; plane++)
        printf("minus %d%s: toads moving first %s, frogs moving first %s\n", plane / 2, plane & 1 ? "*" : "",
               left >> plane & 1 ? "win" : "lose", right >> plane & 1 ? "win" : "lose");
    return 0;
}
