/*
 * The engine for processors with AVX-512BW, VBMI and VBMI2, such as Intel's Ice Lake and AMD's
 * Zen 4. meson.build has the options of the compiler. A register has 64 bytes, one instruction
 * looks all of them up in a table of 128 bytes, and another one packs the bytes that a mask
 * selects.
 */
#include <immintrin.h>

#include "pylex/x86.h"

enum class { NAME = 1, DIGIT = 2, SPACE = 4, NEWLINE = 8, DOT = 16, EVENT = 32 };

/* The classes of the bytes below 0x80. */
static const uint8_t classes[128] __attribute__((aligned(64))) = {
    ['a' ... 'z'] = NAME, ['A' ... 'Z'] = NAME, ['_'] = NAME,   ['0' ... '9'] = NAME | DIGIT,
    [' '] = SPACE,        ['\t'] = SPACE,       ['\f'] = SPACE, ['\r'] = SPACE | NEWLINE,
    ['\n'] = NEWLINE,     ['.'] = DOT,          ['"'] = EVENT,  ['\''] = EVENT,
    ['#'] = EVENT,        ['\\'] = EVENT,       ['`'] = EVENT,
};

static inline __m512i look_up(const uint8_t table[128], __m512i bytes)
{
    return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), bytes,
                                    _mm512_loadu_si512(table + 64));
}

static inline struct pm_pylex__masks classify(const unsigned char *at, uint8_t *kind)
{
    const __m512i bytes = _mm512_loadu_si512(at);
    const __mmask64 high = _mm512_movepi8_mask(bytes);
    const __m512i class =
        _mm512_mask_blend_epi8(high, look_up(classes, bytes), _mm512_set1_epi8(NAME));
    (void)kind;
#define MASK(bit) _mm512_test_epi8_mask(class, _mm512_set1_epi8(bit))
    return (struct pm_pylex__masks){
        .name = MASK(NAME),
        .digit = MASK(DIGIT),
        .space = MASK(SPACE),
        .newline = MASK(NEWLINE),
        .dot = MASK(DOT),
        .event = MASK(EVENT),
    };
#undef MASK
}

static inline size_t find(const unsigned char *text, size_t at, size_t length, const char any[4])
{
    for (; at < length; at += 64) {
        const __m512i bytes = _mm512_loadu_si512(text + at);
        uint64_t found = 0;
        for (int i = 0; i < 4; i++)
            found |= _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(any[i]));
        if (found) {
            at += pm_pylex__lowest(found);
            break;
        }
    }
    return at < length ? at : length;
}

static inline void write_sixteen(uint32_t *out, __m128i positions, uint32_t base)
{
    const __m512i wide = _mm512_cvtepu8_epi32(positions);
    _mm512_storeu_si512(out, _mm512_add_epi32(wide, _mm512_set1_epi32((int)base)));
}

/* Writes the positions of the `count` set bits, with `base` added. More than 32 set bits are rare,
 * so the branch costs less than two more stores. */
static inline void write_positions(uint32_t *out, uint64_t bits, unsigned count, uint32_t base)
{
    static const uint8_t positions[64] __attribute__((aligned(64))) = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    const __m512i set = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(positions));
    write_sixteen(out, _mm512_castsi512_si128(set), base);
    write_sixteen(out + 16, _mm512_extracti32x4_epi32(set, 1), base);
    if (count > 32) {
        write_sixteen(out + 32, _mm512_extracti32x4_epi32(set, 2), base);
        write_sixteen(out + 48, _mm512_extracti32x4_epi32(set, 3), base);
    }
}

static inline void write(const struct pm_pylex__word *word, struct pm_pylex__places *places)
{
    const unsigned starts = pm_pylex__count(word->first), ends = pm_pylex__count(word->last);
    const __m512i bytes = _mm512_loadu_si512(word->text + word->at);
    const __m512i firsts = _mm512_maskz_compress_epi8(word->first, bytes);
    const __m512i kinds =
        _mm512_mask_blend_epi8(_mm512_movepi8_mask(firsts), look_up(pm_pylex__kinds, firsts),
                               _mm512_set1_epi8(PM_TOKEN_NAME));
    _mm512_storeu_si512(places->kind, kinds);
    write_positions(places->start, word->first, starts, word->at);
    write_positions(places->end, word->last, ends, word->at + 1);
    places->start += starts;
    places->kind += starts;
    places->end += ends;
}

void pm_pylex__avx512(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, pm_pylex__join, 32};
    pm_pylex__lex(lexer, tokens, &processor);
}
