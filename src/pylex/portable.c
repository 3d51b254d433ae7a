/*
 * The engine in plain C. A class is one byte of a 64-bit word: for byte i of eight, the entry of its
 * table shifted left by i sets bit i in each of its classes, so eight look-ups make eight bits of
 * all eight masks, and a transposition of bytes makes the masks of eight such words.
 */
#include <endian.h>
#include <string.h>

#include "pylex/engine.h"

#define NAME ((uint64_t)1)
#define DIGIT ((uint64_t)1 << 8)
#define SPACE ((uint64_t)1 << 16)
#define NEWLINE ((uint64_t)1 << 24)
#define DOT ((uint64_t)1 << 32)
#define OPEN ((uint64_t)1 << 40)
#define CLOSE ((uint64_t)1 << 48)
#define EVENT ((uint64_t)1 << 56)

static const uint64_t classes[256] = {
    ['a' ... 'z'] = NAME,   ['A' ... 'Z'] = NAME,  ['_'] = NAME,    [0x80 ... 0xff] = NAME,
    ['0' ... '9'] = NAME | DIGIT,
    [' '] = SPACE,          ['\t'] = SPACE,        ['\f'] = SPACE,  ['\r'] = SPACE | NEWLINE,
    ['\n'] = NEWLINE,       ['.'] = DOT,           ['('] = OPEN,    ['['] = OPEN,
    ['{'] = OPEN,           [')'] = CLOSE,         [']'] = CLOSE,   ['}'] = CLOSE,
    ['"'] = EVENT,          ['\''] = EVENT,        ['#'] = EVENT,   ['\\'] = EVENT,
    ['`'] = EVENT,
};

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

static inline struct pm_pylex__masks classify(const unsigned char *at)
{
    uint64_t words[8];
    for (unsigned j = 0; j < 8; j++, at += 8)
        words[j] = classes[at[0]] | classes[at[1]] << 1 | classes[at[2]] << 2 |
                   classes[at[3]] << 3 | classes[at[4]] << 4 | classes[at[5]] << 5 |
                   classes[at[6]] << 6 | classes[at[7]] << 7;
    transpose(words);
    return (struct pm_pylex__masks){
        .name = words[0],
        .digit = words[1],
        .space = words[2],
        .newline = words[3],
        .dot = words[4],
        .open = words[5],
        .close = words[6],
        .event = words[7],
    };
}

#define ONES ((uint64_t)0x0101010101010101)

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

void pm_pylex__portable(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    static const struct pm_pylex__processor processor = {classify, find};
    pm_pylex__lex(lexer, tokens, &processor);
}
