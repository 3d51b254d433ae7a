/* The engine for processors with AVX2, BMI, BMI2 and POPCNT. meson.build has the options of the
 * compiler. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256i vector;
#define VECTOR_BYTES 32

static inline vector load(const void *at)
{
    return _mm256_loadu_si256(at);
}

static inline void store(void *at, vector bytes)
{
    _mm256_storeu_si256(at, bytes);
}

static inline vector all(char byte)
{
    return _mm256_set1_epi8(byte);
}

static inline vector either(vector a, vector b)
{
    return _mm256_or_si256(a, b);
}

static inline vector minus(vector a, vector b)
{
    return _mm256_sub_epi8(a, b);
}

static inline vector equal(vector a, vector b)
{
    return _mm256_cmpeq_epi8(a, b);
}

static inline vector smaller(vector a, vector b)
{
    return _mm256_min_epu8(a, b);
}

static inline vector choose(vector no, vector yes, vector mask)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

static inline vector look_up(__m128i table, vector bytes)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), bytes);
}

static inline uint32_t bits_of(vector mask)
{
    return (uint32_t)_mm256_movemask_epi8(mask);
}

static inline void write_eight(uint32_t *out, __m128i positions, uint32_t base)
{
    store(out, _mm256_add_epi32(_mm256_cvtepu8_epi32(positions), _mm256_set1_epi32((int)base)));
}

#include "pylex/vector.h"

void pm_pylex__avx2(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, pm_pylex__join, 32};
    pm_pylex__lex(lexer, tokens, &processor);
}

static uint32_t calls(const uint8_t *kinds)
{
    const vector name = equal(load(kinds), all(PM_TOKEN_NAME));
    return bits_of(_mm256_and_si256(name, equal(load(kinds + 1), all('('))));
}

static uint32_t statements(const uint8_t *kinds)
{
    const vector here = load(kinds);
    const vector mark = either(equal(here, all(';')), equal(here, all(':')));
    const vector end = either(equal(here, all(PM_TOKEN_NEWLINE)), mark);
    return bits_of(_mm256_and_si256(end, equal(load(kinds + 1), all(PM_TOKEN_NAME))));
}

const struct pm_pylex_pairs pm_pylex__pairs_avx2 = {calls, statements};
