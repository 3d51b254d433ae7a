/*
 * The engine in plain C. A 64-bit word contains sixteen bits of each of four masks, A to D, which
 * together encode the classes of sixteen bytes. Byte i is looked up in table i, whose entries set
 * only bit i of the masks. The word combines the sixteen entries by a bitwise OR. classify()
 * transposes four words into masks of 64 bits.
 */
#include <endian.h>
#include <string.h>

#include "pylex/engine.h"

/* clang-format off */
#define A(i) (UINT64_C(1) << (i))
#define B(i) (UINT64_C(1) << (16 + (i)))
#define C(i) (UINT64_C(1) << (32 + (i)))
#define D(i) (UINT64_C(1) << (48 + (i)))
#define CLASSES(i) { \
    ['a' ... 'z'] = A(i), ['A' ... 'Z'] = A(i), ['_'] = A(i), [0x80 ... 0xff] = A(i), \
    ['0' ... '9'] = A(i) | B(i), ['.'] = B(i), \
    [' '] = C(i), ['\t'] = C(i), ['\f'] = C(i), ['\n'] = C(i) | D(i), ['\r'] = B(i) | C(i) | D(i), \
    ['"'] = D(i), ['\''] = D(i), ['#'] = D(i), ['\\'] = D(i), ['`'] = D(i), \
}
static const uint64_t classes[16][264] = {
    CLASSES(0), CLASSES(1), CLASSES(2), CLASSES(3), CLASSES(4), CLASSES(5), CLASSES(6), CLASSES(7),
    CLASSES(8), CLASSES(9), CLASSES(10), CLASSES(11), CLASSES(12), CLASSES(13), CLASSES(14),
    CLASSES(15),
};
/* clang-format on */

/* Looks up two bytes with one load of the text, because loads limit the speed of this code. */
static inline uint64_t look_up_two(const unsigned char *at, const uint64_t table[2][264])
{
    uint16_t bytes;
    memcpy(&bytes, at, 2);
    bytes = le16toh(bytes);
    return table[0][bytes & 0xff] | table[1][bytes >> 8];
}

static inline uint64_t look_up(const unsigned char *at)
{
    return look_up_two(at, classes) | look_up_two(at + 2, classes + 2) |
           look_up_two(at + 4, classes + 4) | look_up_two(at + 6, classes + 6) |
           look_up_two(at + 8, classes + 8) | look_up_two(at + 10, classes + 10) |
           look_up_two(at + 12, classes + 12) | look_up_two(at + 14, classes + 14);
}

/* Exchanges the bits of `b` in `mask` with the bits of `a` that are `shift` places higher. */
static inline void exchange(uint64_t *a, uint64_t *b, unsigned shift, uint64_t mask)
{
    const uint64_t changed = (*a >> shift ^ *b) & mask;
    *b ^= changed;
    *a ^= changed << shift;
}

static inline struct pm_pylex__masks classify(const unsigned char *at, uint8_t *kind)
{
    (void)kind;
    uint64_t a = look_up(at), b = look_up(at + 16), c = look_up(at + 32), d = look_up(at + 48);
    exchange(&a, &c, 32, UINT64_C(0x00000000ffffffff));
    exchange(&b, &d, 32, UINT64_C(0x00000000ffffffff));
    exchange(&a, &b, 16, UINT64_C(0x0000ffff0000ffff));
    exchange(&c, &d, 16, UINT64_C(0x0000ffff0000ffff));
    return (struct pm_pylex__masks){
        .name = a,
        .digit = a & b,
        .space = c & (~d | b),
        .newline = c & d,
        .dot = b & ~(a | c),
        .event = d & ~c,
    };
}

#define ONES UINT64_C(0x0101010101010101)
#define HIGH (ONES << 7)

/* Sets the highest bit of each byte that is 0. Above the lowest such byte, it may also set the
 * highest bit of other bytes. */
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

static inline void write(const struct pm_pylex__word *word, struct pm_pylex__places *places)
{
    const size_t starts = pm_pylex__count(word->first), ends = pm_pylex__count(word->last);
    const size_t count = starts > ends ? starts : ends;
    const uint64_t some = UINT64_C(1) << 63; /* keeps the operand above 0 when no bits are left */
    uint32_t *const restrict start = places->start, *const restrict end = places->end;
    uint8_t *const restrict kind = places->kind;
    uint64_t first = word->first, last = word->last;
    size_t i = 0;
    do {
        const size_t stop = i + 6;
        for (; i < stop; i++) {
            const uint32_t at = word->at + pm_pylex__lowest(first | some);
            start[i] = at;
            kind[i] = pm_pylex__kinds[word->text[at]];
            end[i] = word->at + 1 + pm_pylex__lowest(last | some);
            first &= first - 1;
            last &= last - 1;
        }
    } while (i < count);
    places->start += starts;
    places->kind += starts;
    places->end += ends;
}

/* Sets the highest bit of each byte that is not `c`. Each byte of `word` must be below 0x80. The
 * other bits of the result have no meaning. */
static inline uint64_t others(uint64_t word, unsigned char c)
{
    return (word ^ ONES * c) + ~HIGH;
}

/* Does the same as pm_pylex__join_slowly() for eight kinds. One multiplication computes the sum of
 * the bytes up to each byte. Returns false, and changes nothing, for rare input: a line that closes
 * more brackets than it opens, or a depth below -16 or above 64. */
static inline bool join_eight(uint8_t *kind, int64_t *depth)
{
    uint64_t all;
    memcpy(&all, kind, 8);
    all = le64toh(all);
    const uint64_t kinds = all & ~HIGH, curly = kinds | ONES * 0x20, outside = ~all & HIGH;
    const uint64_t open = outside & ~(others(curly, '{') & others(kinds, '('));
    const uint64_t close = outside & ~(others(curly, '}') & others(kinds, ')'));
    const uint64_t lines = outside & ~others(kinds, PM_TOKEN_NEWLINE);
    /* Byte i of `sums` is the sum up to byte i plus i + 1, so it is never negative. Byte i of
     * `depths` is the depth after kind i plus 127. */
    const uint64_t sums = ((open >> 7) - (close >> 7) + ONES) * ONES;
    const uint64_t depths = sums + ONES * (uint64_t)(*depth + 127) - UINT64_C(0x0807060504030201);
    if ((lines & ~(depths + ONES)) || (uint64_t)(*depth + 16) > 80)
        return false;
    all ^= ((lines & depths) >> 7) * (PM_TOKEN_NEWLINE ^ PM_TOKEN_JOINED);
    all = htole64(all);
    memcpy(kind, &all, 8);
    *depth = (int64_t)(depths >> 56) - 127;
    return true;
}

static inline void join(uint8_t *kind, size_t count, int64_t *depth)
{
    int64_t now = *depth;
    const uint8_t *const end = kind + count;
    for (; end - kind >= 8; kind += 8)
        if (!join_eight(kind, &now))
            pm_pylex__join_slowly(kind, 8, &now);
    pm_pylex__join_slowly(kind, (size_t)(end - kind), &now);
    *depth = now;
}

void pm_pylex__portable(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find, write, join, 8};
    pm_pylex__lex(lexer, tokens, &processor);
}
