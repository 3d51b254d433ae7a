/* The engine for processors with AVX2, BMI and POPCNT: compiled with these (meson.build). */
#include <immintrin.h>

#include "pylex/engine.h"

#define X ((char)0xff) /* matches nothing: a byte over 0x7f is looked up as 0 */
/* Tables of in_table(): each byte stands where its low half says. */
#define EVENTS '`', X, '"', '#', X, X, X, '\'', X, X, X, X, '\\', X, X, X
#define SPACES ' ', X, X, X, X, X, X, X, X, '\t', X, X, '\f', '\r', X, X
#define NEWLINES X, X, X, X, X, X, X, X, X, X, '\n', X, X, '\r', X, X

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

static inline struct pm_pylex__masks classify_half(const unsigned char *at)
{
    const __m256i bytes = _mm256_loadu_si256((const void *)at);
    const __m256i lower = either(bytes, _mm256_set1_epi8(0x20));
    const __m256i digit = in_range(bytes, '0', 10);
    const __m256i letter = either(in_range(lower, 'a', 26), is(bytes, '_'));
    const __m256i name = either(either(digit, letter), bytes); /* the highest bit counts */
    const __m256i open = either(is(lower, '{'), is(bytes, '('));
    const __m256i close = either(is(lower, '}'), is(bytes, ')'));
#define MASK(v) (uint32_t)_mm256_movemask_epi8(v)
    return (struct pm_pylex__masks){
        .name = MASK(name),
        .digit = MASK(digit),
        .space = MASK(in_table(bytes, _mm_setr_epi8(SPACES))),
        .newline = MASK(in_table(bytes, _mm_setr_epi8(NEWLINES))),
        .dot = MASK(is(bytes, '.')),
        .open = MASK(open),
        .close = MASK(close),
        .event = MASK(in_table(bytes, _mm_setr_epi8(EVENTS))),
    };
#undef MASK
}

static inline struct pm_pylex__masks classify(const unsigned char *at)
{
    const struct pm_pylex__masks low = classify_half(at), high = classify_half(at + 32);
    return (struct pm_pylex__masks){
        .name = low.name | high.name << 32,
        .digit = low.digit | high.digit << 32,
        .space = low.space | high.space << 32,
        .newline = low.newline | high.newline << 32,
        .dot = low.dot | high.dot << 32,
        .open = low.open | high.open << 32,
        .close = low.close | high.close << 32,
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

void pm_pylex__avx2(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find};
    pm_pylex__lex(lexer, tokens, &processor);
}
