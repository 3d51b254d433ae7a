/* The engine for processors with SSE4.2 and POPCNT: compiled with these (meson.build). */
#include <nmmintrin.h>

#include "pylex/engine.h"

#define X ((char)0xff) /* matches nothing: a byte over 0x7f is looked up as 0 */
/* Tables of in_table(): each byte stands where its low half says. */
#define EVENTS '`', X, '"', '#', X, X, X, '\'', X, X, X, X, '\\', X, X, X
#define SPACES ' ', X, X, X, X, X, X, X, X, '\t', X, X, '\f', '\r', X, X
#define NEWLINES X, X, X, X, X, X, X, X, X, X, '\n', X, X, '\r', X, X

static inline __m128i either(__m128i a, __m128i b)
{
    return _mm_or_si128(a, b);
}

static inline __m128i is(__m128i bytes, char c)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

/* Bytes from `low` on, `count` of them. */
static inline __m128i in_range(__m128i bytes, char low, char count)
{
    const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(moved, _mm_set1_epi8((char)(count - 1))), moved);
}

static inline __m128i in_table(__m128i bytes, __m128i table)
{
    return _mm_cmpeq_epi8(_mm_shuffle_epi8(table, bytes), bytes);
}

static inline struct pm_pylex__masks classify_part(const unsigned char *at)
{
    const __m128i bytes = _mm_loadu_si128((const void *)at);
    const __m128i lower = either(bytes, _mm_set1_epi8(0x20));
    const __m128i digit = in_range(bytes, '0', 10);
    const __m128i letter = either(in_range(lower, 'a', 26), is(bytes, '_'));
    const __m128i name = either(either(digit, letter), bytes); /* the highest bit counts */
    const __m128i open = either(is(lower, '{'), is(bytes, '('));
    const __m128i close = either(is(lower, '}'), is(bytes, ')'));
#define MASK(v) (uint32_t)_mm_movemask_epi8(v)
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
    struct pm_pylex__masks all = {0};
    for (unsigned i = 0; i < PM_PYLEX_BLOCK; i += 16) {
        const struct pm_pylex__masks part = classify_part(at + i);
        all.name |= part.name << i;
        all.digit |= part.digit << i;
        all.space |= part.space << i;
        all.newline |= part.newline << i;
        all.dot |= part.dot << i;
        all.open |= part.open << i;
        all.close |= part.close << i;
        all.event |= part.event << i;
    }
    return all;
}

static inline size_t find(const unsigned char *text, size_t at, size_t length, const char any[4])
{
    for (; at < length; at += 16) {
        const __m128i bytes = _mm_loadu_si128((const void *)(text + at));
        const __m128i found = either(either(is(bytes, any[0]), is(bytes, any[1])),
                                     either(is(bytes, any[2]), is(bytes, any[3])));
        const unsigned bits = (unsigned)_mm_movemask_epi8(found);
        if (bits) {
            at += pm_pylex__lowest(bits);
            break;
        }
    }
    return at < length ? at : length;
}

void pm_pylex__sse(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find};
    pm_pylex__lex(lexer, tokens, &processor);
}
