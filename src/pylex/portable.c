/*
 * The engine in plain C. A class is one byte of a 64-bit word: the entry for byte i of eight sets bit i in
 * each of its classes, so eight look-ups, in a table for each i, make eight bits of all masks, and
 * a transposition of bytes makes the masks of eight such words.
 */
#include <endian.h>
#include <string.h>

#include "pylex/engine.h"

/* clang-format off */
#define NAME(i) (UINT64_C(1) << (i))
#define DIGIT(i) (UINT64_C(1) << (8 + (i)))
#define SPACE(i) (UINT64_C(1) << (16 + (i)))
#define NEWLINE(i) (UINT64_C(1) << (24 + (i)))
#define DOT(i) (UINT64_C(1) << (32 + (i)))
#define EVENT(i) (UINT64_C(1) << (40 + (i)))
#define CLASSES(i) { \
    ['a' ... 'z'] = NAME(i), ['A' ... 'Z'] = NAME(i), ['_'] = NAME(i), [0x80 ... 0xff] = NAME(i), \
    ['0' ... '9'] = NAME(i) | DIGIT(i), ['.'] = DOT(i), \
    [' '] = SPACE(i), ['\t'] = SPACE(i), ['\f'] = SPACE(i), \
    ['\r'] = SPACE(i) | NEWLINE(i), ['\n'] = NEWLINE(i), \
    ['"'] = EVENT(i), ['\''] = EVENT(i), ['#'] = EVENT(i), ['\\'] = EVENT(i), ['`'] = EVENT(i), \
}
static const uint64_t classes[8][256] = {
    CLASSES(0), CLASSES(1), CLASSES(2), CLASSES(3), CLASSES(4), CLASSES(5), CLASSES(6), CLASSES(7),
};
/* clang-format on */

/* Exchanges the bits of `a` and `b` that `mask` and, moved left, its shift name. */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
    const uint64_t changed = (*a >> shift ^ *b) & mask;
    *b ^= changed;
    *a ^= changed << shift;
}

/* Byte k of word j becomes byte j of word k. */
static inline void transpose(uint64_t words[8])
{
    for (unsigned i = 0; i < 4; i++)
        exchange(&words[i], &words[i + 4], 32, 0x00000000ffffffff);
    for (unsigned i = 0; i < 8; i += 4)
        for (unsigned j = i; j < i + 2; j++)
            exchange(&words[j], &words[j + 2], 16, 0x0000ffff0000ffff);
    for (unsigned i = 0; i < 8; i += 2)
        exchange(&words[i], &words[i + 1], 8, 0x00ff00ff00ff00ff);
}

static inline struct pm_pylex__masks classify(const unsigned char *at, uint8_t *kinds)
{
    (void)kinds;
    uint64_t words[8];
    for (unsigned j = 0; j < 8; j++, at += 8)
        words[j] = classes[0][at[0]] | classes[1][at[1]] | classes[2][at[2]] | classes[3][at[3]] |
                   classes[4][at[4]] | classes[5][at[5]] | classes[6][at[6]] | classes[7][at[7]];
    transpose(words);
    return (struct pm_pylex__masks){
        .name = words[0],
        .digit = words[1],
        .space = words[2],
        .newline = words[3],
        .dot = words[4],
        .event = words[5],
    };
}

#define ONES UINT64_C(0x0101010101010101)
#define HIGH (ONES << 7)

/* The highest bit of each byte that is 0; above the lowest such byte also of others. */
static inline uint64_t zeros(uint64_t word)
{
    return (word - ONES) & ~word & ONES << 7;
}

static inline size_t find(const unsigned char *text, size_t at, size_t length, const char any[4])
{
    uint64_t all[4], found = 0;
    for (int i = 0; i < 4; i++)
        all[i] = ONES * (unsigned char)any[i];
    for (; at < length && !found; at += 8) {
        uint64_t word;
        memcpy(&word, text + at, 8);
        word = le64toh(word);
        found = zeros(word ^ all[0]) | zeros(word ^ all[1]) | zeros(word ^ all[2]) |
                zeros(word ^ all[3]);
    }
    if (found)
        at = at - 8 + pm_pylex__lowest(found) / 8;
    return at < length ? at : length;
}

static inline void write(const struct pm_pylex__word *word, const struct pm_pylex__places *places)
{
    const size_t starts = pm_pylex__count(word->first), ends = pm_pylex__count(word->last);
    const size_t count = starts > ends ? starts : ends;
    uint32_t *const restrict start = places->start, *const restrict end = places->end;
    uint8_t *const restrict kind = places->kind;
    uint64_t first = word->first, last = word->last;
    size_t i = 0;
    do {
        const size_t stop = i + 8;
        for (; i < stop; i++) {
            const uint32_t at = word->at + pm_pylex__lowest(first | (uint64_t)1 << 63);
            start[i] = at;
            kind[i] = pm_pylex__kinds[word->text[at]];
            end[i] = word->at + 1 + pm_pylex__lowest(last | (uint64_t)1 << 63);
            first &= first - 1;
            last &= last - 1;
        }
    } while (i < count);
}

/* The highest bit of each byte that is 0, and no other. */
static inline uint64_t zeros_only(uint64_t word)
{
    return ~(((word & ~HIGH) + ~HIGH) | word | ~HIGH);
}

/* Eight kinds at a time; the sums of all bytes up to each are one multiplication. False where
 * it is not that easy: a line with more closed than opened, or depths that a byte cannot hold. */
static inline bool join_eight(uint8_t *kind, int64_t *depth)
{
    uint64_t kinds;
    memcpy(&kinds, kind, 8);
    kinds = le64toh(kinds);
    const uint64_t curly = kinds | ONES * 0x20;
    const uint64_t open = zeros_only(curly ^ ONES * '{') | zeros_only(kinds ^ ONES * '(');
    const uint64_t close = zeros_only(curly ^ ONES * '}') | zeros_only(kinds ^ ONES * ')');
    const uint64_t lines = zeros_only(kinds ^ ONES * PM_TOKEN_NEWLINE);
    if (*depth < -16 || *depth > 64)
        return false;
    /* Each byte is the sum up to there, one more for each byte; then that less these, and 127. */
    const uint64_t sums = ((open >> 7) - (close >> 7) + ONES) * ONES;
    const uint64_t depths =
        sums + ONES * (uint64_t)(*depth + 127) - UINT64_C(0x0807060504030201);
    if (lines & ~(depths + ONES))
        return false;
    kinds ^= (lines & depths) / 128 * (PM_TOKEN_NEWLINE ^ PM_TOKEN_JOINED);
    kinds = htole64(kinds);
    memcpy(kind, &kinds, 8);
    *depth = (int64_t)(depths >> 56) - 127;
    return true;
}

static inline void join(uint8_t *kind, size_t count, int64_t *depth)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8)
        if (!join_eight(kind + i, depth))
            pm_pylex__join_slowly(kind + i, 8, depth);
    pm_pylex__join_slowly(kind + i, count - i, depth);
}

void pm_pylex__portable(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, join, 8};
    pm_pylex__lex(lexer, tokens, &processor);
}
