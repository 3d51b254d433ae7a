/* The engine for processors with AVX2, BMI and POPCNT: compiled with these (meson.build). */
#include <immintrin.h>

#include "pylex/x86.h"

static inline __m256i either(__m256i a, __m256i b)
{
    return _mm256_or_si256(a, b);
}

static inline __m256i is(__m256i bytes, char c)
{
    return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

/* Bytes from `low` on, `count` of them. */
static inline __m256i in_range(__m256i bytes, char low, char count)
{
    const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8(low));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(moved, _mm256_set1_epi8((char)(count - 1))), moved);
}

static inline __m256i in_table(__m256i bytes, __m128i table)
{
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), bytes), bytes);
}

/* The kinds of the tokens that begin with each byte. */
static inline __m256i kinds_of(__m256i bytes, __m256i name, __m256i digit)
{
    __m256i kinds = _mm256_blendv_epi8(bytes, _mm256_set1_epi8(PM_TOKEN_NAME), name);
    kinds = _mm256_blendv_epi8(kinds, _mm256_set1_epi8(PM_TOKEN_NUMBER), digit);
    kinds = _mm256_blendv_epi8(kinds, _mm256_set1_epi8(PM_TOKEN_STRING), is(bytes, '\''));
    return _mm256_blendv_epi8(kinds, _mm256_set1_epi8(PM_TOKEN_NEWLINE), is(bytes, '\r'));
}

static inline struct pm_pylex__masks classify_half(const unsigned char *at, uint8_t *kinds)
{
    const __m256i bytes = _mm256_loadu_si256((const void *)at);
    const __m256i lower = either(bytes, _mm256_set1_epi8(0x20));
    const __m256i digit = in_range(bytes, '0', 10);
    const __m256i letter = either(in_range(lower, 'a', 26), is(bytes, '_'));
    const __m256i name = either(either(digit, letter), bytes); /* the highest bit counts */
    _mm256_storeu_si256((void *)kinds, kinds_of(bytes, name, digit));
#define MASK(v) (uint32_t) _mm256_movemask_epi8(v)
    return (struct pm_pylex__masks){
        .name = MASK(name),
        .digit = MASK(digit),
        .space = MASK(in_table(bytes, PM_PYLEX_SPACES)),
        .newline = MASK(in_table(bytes, PM_PYLEX_NEWLINES)),
        .dot = MASK(is(bytes, '.')),
        .event = MASK(in_table(bytes, PM_PYLEX_EVENTS)),
    };
#undef MASK
}

static inline struct pm_pylex__masks classify(const unsigned char *at, uint8_t *kinds)
{
    const struct pm_pylex__masks low = classify_half(at, kinds);
    const struct pm_pylex__masks high = classify_half(at + 32, kinds + 32);
    return (struct pm_pylex__masks){
        .name = low.name | high.name << 32,
        .digit = low.digit | high.digit << 32,
        .space = low.space | high.space << 32,
        .newline = low.newline | high.newline << 32,
        .dot = low.dot | high.dot << 32,
        .event = low.event | high.event << 32,
    };
}

static inline size_t find(const unsigned char *text, size_t at, size_t length, const char any[4])
{
    for (; at < length; at += 32) {
        const __m256i bytes = _mm256_loadu_si256((const void *)(text + at));
        const __m256i found = either(either(is(bytes, any[0]), is(bytes, any[1])),
                                     either(is(bytes, any[2]), is(bytes, any[3])));
        const unsigned bits = (unsigned)_mm256_movemask_epi8(found);
        if (bits) {
            at += pm_pylex__lowest(bits);
            break;
        }
    }
    return at < length ? at : length;
}

static inline void write(const struct pm_pylex__word *word, struct pm_pylex__places *places)
{
    uint64_t first = word->first, last = word->last;
    size_t starts = 0, ends = 0;
    __m256i base = _mm256_set1_epi32((int)word->at), behind = _mm256_set1_epi32((int)word->at + 1);
    for (int i = 0; i < 8; i++, first >>= 8, last >>= 8) {
        const __m128i which = pm_pylex__positions_of(first);
        const __m128i kinds = _mm_loadl_epi64((const void *)(word->kind + 8 * i));
        _mm256_storeu_si256((void *)(places->start + starts),
                            _mm256_add_epi32(_mm256_cvtepu8_epi32(which), base));
        _mm256_storeu_si256(
            (void *)(places->end + ends),
            _mm256_add_epi32(_mm256_cvtepu8_epi32(pm_pylex__positions_of(last)), behind));
        _mm_storel_epi64((void *)(places->kind + starts), _mm_shuffle_epi8(kinds, which));
        starts += pm_pylex__count(first & 0xff);
        ends += pm_pylex__count(last & 0xff);
        base = _mm256_add_epi32(base, _mm256_set1_epi32(8));
        behind = _mm256_add_epi32(behind, _mm256_set1_epi32(8));
    }
    places->start += starts;
    places->kind += starts;
    places->end += ends;
}

void pm_pylex__avx2(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, pm_pylex__join, 32};
    pm_pylex__lex(lexer, tokens, &processor);
}
