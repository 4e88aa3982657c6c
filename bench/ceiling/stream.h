/* Ludus's random numbers and its choice among legal actions (randomness.py, playouts.py), draw for draw.

The ceilings play one game after another, ply by ply, and stop where the game ends, as Ludus does; all else is as
fast as we know how to write it by hand: constants instead of parameters, tables, moves kept as single bits. */

#include <stdint.h>

#if defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__)
#include <immintrin.h>
#define HAS_PDEP 1
#endif

typedef struct {
    int64_t first_wins, second_wins, ties, plies, total_score;
} Tally;

static inline uint64_t mixed(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

static inline uint64_t stream_of(uint64_t key, uint64_t index)
{
    return mixed(key + mixed(index));
}

static inline uint64_t below(uint64_t *stream, uint64_t n)
{
    *stream += 0x9E3779B97F4A7C15;
    return (mixed(*stream) >> 33) * n >> 31;
}

/* The k-th set bit, counted from 0 at the lowest, as a word with that bit alone. */
static inline uint64_t nth_bit(uint64_t bits, uint64_t k)
{
#ifdef HAS_PDEP
    return _pdep_u64((uint64_t)1 << k, bits);
#else
    while (k--)
        bits &= bits - 1;
    return bits & -bits;
#endif
}

static inline uint64_t random_bit(uint64_t *stream, uint64_t bits, uint64_t count)
{
    return nth_bit(bits, below(stream, count));
}
