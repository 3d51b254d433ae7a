/*
 * The code that the engines for x86-64 share. A file that is compiled without SSE4.2 gets only the
 * table of positions. In tables for in_table(), each byte is at the index of its lower half, so one
 * instruction looks up all bytes of a vector, and another one compares them.
 */
#ifndef PM_PYLEX_X86_H
#define PM_PYLEX_X86_H

#include <stdint.h>

/* Entry b has the positions of the bits that are set in b: one position per byte, the lowest
 * position in the lowest byte. The engines for SSE and AVX2 use it to write positions without
 * branches: for each byte of a mask they write eight entries, and the next byte's positions
 * overwrite the superfluous ones. */
extern const uint64_t pm_pylex__positions[256];

#if defined(__SSE4_2__)
#include <nmmintrin.h>

#include "pylex/engine.h"

#define PM_PYLEX_NO ((char)0xff) /* matches nothing: a byte over 0x7f is looked up as 0 */
#define PM_PYLEX_TABLE(b0, b2, b3, b7, b9, b10, b12, b13)                                          \
    _mm_setr_epi8(b0, PM_PYLEX_NO, b2, b3, PM_PYLEX_NO, PM_PYLEX_NO, PM_PYLEX_NO, b7, PM_PYLEX_NO, \
                  b9, b10, PM_PYLEX_NO, b12, b13, PM_PYLEX_NO, PM_PYLEX_NO)
#define PM_PYLEX_EVENTS                                                                            \
    PM_PYLEX_TABLE('`', '"', '#', '\'', PM_PYLEX_NO, PM_PYLEX_NO, '\\', PM_PYLEX_NO)
#define PM_PYLEX_SPACES                                                                            \
    PM_PYLEX_TABLE(' ', PM_PYLEX_NO, PM_PYLEX_NO, PM_PYLEX_NO, '\t', PM_PYLEX_NO, '\f', '\r')
#define PM_PYLEX_NEWLINES                                                                          \
    PM_PYLEX_TABLE(PM_PYLEX_NO, PM_PYLEX_NO, PM_PYLEX_NO, PM_PYLEX_NO, PM_PYLEX_NO, '\n',          \
                   PM_PYLEX_NO, '\r')

static inline __m128i pm_pylex__positions_of(uint64_t bits)
{
    return _mm_loadl_epi64((const void *)&pm_pylex__positions[bits & 0xff]);
}

/* Does the same as pm_pylex__join_slowly() for sixteen kinds. Each byte of `sum` is the depth after
 * its kind. Returns false, and changes nothing, for rare input: a line that closes more brackets
 * than it opens, or a depth below -100 or above 100. */
static inline bool pm_pylex__join_sixteen(uint8_t *kind, int64_t *depth)
{
    const __m128i kinds = _mm_loadu_si128((const void *)kind);
    const __m128i curly = _mm_or_si128(kinds, _mm_set1_epi8(0x20));
    const __m128i open = _mm_or_si128(_mm_cmpeq_epi8(curly, _mm_set1_epi8('{')),
                                      _mm_cmpeq_epi8(kinds, _mm_set1_epi8('(')));
    const __m128i close = _mm_or_si128(_mm_cmpeq_epi8(curly, _mm_set1_epi8('}')),
                                       _mm_cmpeq_epi8(kinds, _mm_set1_epi8(')')));
    __m128i sum = _mm_sub_epi8(close, open);
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 1));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 2));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 4));
    sum = _mm_add_epi8(sum, _mm_slli_si128(sum, 8));
    sum = _mm_add_epi8(sum, _mm_set1_epi8((char)*depth));
    const __m128i lines = _mm_cmpeq_epi8(kinds, _mm_set1_epi8(PM_TOKEN_NEWLINE));
    const __m128i below = _mm_and_si128(lines, sum); /* the highest bit counts */
    if (_mm_movemask_epi8(below) || *depth > 100 || *depth < -100)
        return false;
    const __m128i joined = _mm_and_si128(lines, _mm_cmpgt_epi8(sum, _mm_setzero_si128()));
    const __m128i change = _mm_set1_epi8(PM_TOKEN_NEWLINE ^ PM_TOKEN_JOINED);
    _mm_storeu_si128((void *)kind, _mm_xor_si128(kinds, _mm_and_si128(joined, change)));
    *depth = (signed char)_mm_extract_epi8(sum, 15);
    return true;
}

static inline void pm_pylex__join(uint8_t *kind, size_t count, int64_t *depth)
{
    int64_t now = *depth;
    const uint8_t *const end = kind + count;
    for (; end - kind >= 16; kind += 16)
        if (!pm_pylex__join_sixteen(kind, &now))
            pm_pylex__join_slowly(kind, 16, &now);
    pm_pylex__join_slowly(kind, (size_t)(end - kind), &now);
    *depth = now;
}

#endif

#endif
