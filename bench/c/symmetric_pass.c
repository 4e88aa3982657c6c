// The pass over all arrangements of Toads and Frogs, written down in C as it stands in ludus/strips/symmetric_pass.py.
#include <stdint.h>
#include <string.h>

typedef uint64_t word;

typedef struct {
    const word *blank, *within;
    const int64_t *first;
    const int32_t *upper, *lower;
    int64_t slots, words;
} Slots;

typedef struct {
    const int32_t *place;
    const int64_t *ways;
    int64_t squares, counts; // the shape of ways
} Levels;

enum { LOW = 6 };

static void add(word *wins, const word *other, int64_t words) {
    for (int64_t w = 0; w < words; w++) wins[w] |= ~other[w];
}

static void slide(const Slots *s, int slot, word *wins, const word *frogs_win) {
    const word *blank = s->blank + slot * s->words;
    for (int64_t w = 0; w < s->words; w++) wins[w] |= ~frogs_win[w] & blank[w];
}

static void hop(const Slots *s, int slot, word *wins, const word *frogs_win) {
    if (slot < LOW) {
        const word within = s->within[slot];
        const int shift = 1 << (slot - 1);
        for (int64_t w = 0; w < s->words; w++) wins[w] |= (~frogs_win[w] & within) >> shift;
        return;
    }
    const int shift = slot == LOW ? 32 : 0;
    for (int64_t i = s->first[slot]; i < s->first[slot + 1]; i++)
        wins[s->lower[i]] |= ~frogs_win[s->upper[i]] << shift;
}

static void step(const Slots *s, int slot, word *wins, const word *toads_win) {
    if (slot < LOW) {
        const word within = s->within[slot];
        const int shift = 1 << (slot - 1);
        for (int64_t w = 0; w < s->words; w++) wins[w] |= ~toads_win[w] << shift & within;
        return;
    }
    const int shift = slot == LOW ? 32 : 0;
    for (int64_t i = s->first[slot]; i < s->first[slot + 1]; i++)
        wins[s->upper[i]] |= ~toads_win[s->lower[i]] >> shift;
}

static int64_t place(const Levels *l, int64_t toads) {
    int64_t rank = 0;
    for (int count = 1; toads; count++, toads &= toads - 1)
        rank += l->ways[__builtin_ctzll(toads) * l->counts + count];
    return l->place[rank];
}

static void move_toads(const Slots *s, const Levels *l, int64_t toads, word *wins, const word *one, const word *two,
                       int64_t planes, int64_t plane) {
    int slot = 0;
    for (int square = 0; square < l->squares - 1; square++) {
        if (!(toads >> square & 1)) {
            slot++;
        } else if (!(toads >> (square + 1) & 1)) {
            slide(s, slot, wins, one + (place(l, toads ^ 3LL << square) * planes + plane) * s->words);
            if (square + 2 < l->squares && !(toads >> (square + 2) & 1))
                hop(s, slot + 1, wins, two + (place(l, toads ^ 5LL << square) * planes + plane) * s->words);
        }
    }
}

static void move_frogs(const Slots *s, const Levels *l, int64_t toads, word *wins, const word *toads_win) {
    int slot = 0, before = 0;
    for (int square = 0; square < l->squares; square++) {
        if (toads >> square & 1) continue;
        if (slot > 0 && square - before <= 2) step(s, slot, wins, toads_win);
        slot++;
        before = square;
    }
}

void fill_rows(const Slots *s, const Levels *l, const int64_t *toads, int64_t rows, int64_t planes, word *filled,
               const word *one, const word *two, word *left) {
    const int64_t words = s->words;
    for (int64_t row = 0; row < rows; row++) {
        word *right = filled + row * planes * words;
        memset(left, 0, planes * words * sizeof(word));
        memset(right, 0, planes * words * sizeof(word));
        for (int64_t plane = 0; plane < planes; plane++) {
            word *l_wins = left + plane * words, *r_wins = right + plane * words;
            move_toads(s, l, toads[row], l_wins, one, two, planes, plane);
            if (plane & 1) {
                add(l_wins, r_wins - words, words);
                add(r_wins, l_wins - words, words);
            }
            if (plane > 1) add(r_wins, l_wins - 2 * words, words);
            move_frogs(s, l, toads[row], r_wins, l_wins);
        }
    }
}
