/* The engine for processors with SSE4.2 and POPCNT: compiled with these (meson.build). */
#include "pylex/x86.h"

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

/* The kinds of the tokens that begin with each byte. */
static inline __m128i kinds_of(__m128i bytes, __m128i name, __m128i digit)
{
    __m128i kinds = _mm_blendv_epi8(bytes, _mm_set1_epi8(PM_TOKEN_NAME), name);
    kinds = _mm_blendv_epi8(kinds, _mm_set1_epi8(PM_TOKEN_NUMBER), digit);
    kinds = _mm_blendv_epi8(kinds, _mm_set1_epi8(PM_TOKEN_STRING), is(bytes, '\''));
    return _mm_blendv_epi8(kinds, _mm_set1_epi8(PM_TOKEN_NEWLINE), is(bytes, '\r'));
}

static inline struct pm_pylex__masks classify_part(const unsigned char *at, uint8_t *kinds)
{
    const __m128i bytes = _mm_loadu_si128((const void *)at);
    const __m128i lower = either(bytes, _mm_set1_epi8(0x20));
    const __m128i digit = in_range(bytes, '0', 10);
    const __m128i letter = either(in_range(lower, 'a', 26), is(bytes, '_'));
    const __m128i name = either(either(digit, letter), bytes); /* the highest bit counts */
    _mm_storeu_si128((void *)kinds, kinds_of(bytes, name, digit));
#define MASK(v) (uint32_t) _mm_movemask_epi8(v)
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
    struct pm_pylex__masks all = {0};
    for (unsigned i = 0; i < PM_PYLEX_WORD; i += 16) {
        const struct pm_pylex__masks part = classify_part(at + i, kinds + i);
        all.name |= part.name << i;
        all.digit |= part.digit << i;
        all.space |= part.space << i;
        all.newline |= part.newline << i;
        all.dot |= part.dot << i;
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

/* Eight numbers of a byte each, with `base` added, as numbers of 32 bits. */
static inline void write_eight(uint32_t *out, __m128i which, __m128i base)
{
    const __m128i low = _mm_cvtepu8_epi32(which),
                  high = _mm_cvtepu8_epi32(_mm_srli_si128(which, 4));
    _mm_storeu_si128((void *)out, _mm_add_epi32(low, base));
    _mm_storeu_si128((void *)(out + 4), _mm_add_epi32(high, base));
}

static inline void write(const struct pm_pylex__word *word, struct pm_pylex__places *places)
{
    uint64_t first = word->first, last = word->last;
    size_t starts = 0, ends = 0;
    for (int i = 0; i < 8; i++, first >>= 8, last >>= 8) {
        const __m128i which = pm_pylex__positions_of(first);
        const __m128i kinds = _mm_loadl_epi64((const void *)(word->kind + 8 * i));
        write_eight(places->start + starts, which, _mm_set1_epi32((int)word->at + 8 * i));
        write_eight(places->end + ends, pm_pylex__positions_of(last),
                    _mm_set1_epi32((int)word->at + 8 * i + 1));
        _mm_storel_epi64((void *)(places->kind + starts), _mm_shuffle_epi8(kinds, which));
        starts += pm_pylex__count(first & 0xff);
        ends += pm_pylex__count(last & 0xff);
    }
    places->start += starts;
    places->kind += starts;
    places->end += ends;
}

void pm_pylex__sse(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, pm_pylex__join, 32};
    pm_pylex__lex(lexer, tokens, &processor);
}
