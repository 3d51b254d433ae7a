/* The engine for processors with SSE4.2 and POPCNT. meson.build has the options of the compiler. */
#include <nmmintrin.h>
#include <stdint.h>

typedef __m128i vector;
#define VECTOR_BYTES 16

static inline vector load(const void *at)
{
    return _mm_loadu_si128(at);
}

static inline void store(void *at, vector bytes)
{
    _mm_storeu_si128(at, bytes);
}

static inline vector all(char byte)
{
    return _mm_set1_epi8(byte);
}

static inline vector either(vector a, vector b)
{
    return _mm_or_si128(a, b);
}

static inline vector minus(vector a, vector b)
{
    return _mm_sub_epi8(a, b);
}

static inline vector equal(vector a, vector b)
{
    return _mm_cmpeq_epi8(a, b);
}

static inline vector smaller(vector a, vector b)
{
    return _mm_min_epu8(a, b);
}

static inline vector choose(vector no, vector yes, vector mask)
{
    return _mm_blendv_epi8(no, yes, mask);
}

static inline vector look_up(__m128i table, vector bytes)
{
    return _mm_shuffle_epi8(table, bytes);
}

static inline uint32_t bits_of(vector mask)
{
    return (uint32_t)_mm_movemask_epi8(mask);
}

static inline void write_eight(uint32_t *out, __m128i positions, uint32_t base)
{
    const __m128i low = _mm_cvtepu8_epi32(positions);
    const __m128i high = _mm_cvtepu8_epi32(_mm_srli_si128(positions, 4));
    store(out, _mm_add_epi32(low, _mm_set1_epi32((int)base)));
    store(out + 4, _mm_add_epi32(high, _mm_set1_epi32((int)base)));
}

#include "pylex/vector.h"

void pm_pylex__sse(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, pm_pylex__join, 32};
    pm_pylex__lex(lexer, tokens, &processor);
}
