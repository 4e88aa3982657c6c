/* What all C code here shares with Ludus, draw for draw: random numbers (randomness.py), bit tricks (bits.py), and what
is counted (playout.py). */

#include <stdint.h>

#if defined(__BMI2__) && !defined(__znver1__) && !defined(__znver2__)
#include <immintrin.h>
#define HAS_PDEP 1
#endif

#define GOLDEN 0x9E3779B97F4A7C15

typedef struct {
    int64_t first_wins, second_wins, ties, plies, total_score;
} Tally;

static inline uint64_t mixed(uint64_t word)
{
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

static inline uint64_t stream_start(uint64_t key, uint64_t index)
{
    return mixed(key + index * GOLDEN);
}

static inline uint64_t below(uint64_t *stream, uint64_t n)
{
    *stream += GOLDEN;
    return (mixed(*stream) >> 33) * n >> 31;
}

static inline uint64_t popcount(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

static inline uint64_t lowest(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

static inline uint64_t deposit(uint64_t bits, uint64_t mask)
{
#ifdef HAS_PDEP
    return _pdep_u64(bits, mask);
#else
    uint64_t result = 0;
    for (; bits; bits >>= 1, mask &= mask - 1)
        result |= bits & 1 ? mask & -mask : 0;
    return result;
#endif
}

static inline uint64_t extract(uint64_t bits, uint64_t mask)
{
#ifdef HAS_PDEP
    return _pext_u64(bits, mask);
#else
    uint64_t result = 0;
    for (int place = 0; mask; place++, mask &= mask - 1)
        result |= (uint64_t)((bits & mask & -mask) != 0) << place;
    return result;
#endif
}

/* One of the bits, drawn uniformly, in a word of its own; count is how many there are. */
static inline uint64_t random_bit(uint64_t *stream, uint64_t bits, uint64_t count)
{
    return deposit((uint64_t)1 << below(stream, count), bits);
}
