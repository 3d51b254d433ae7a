/*
 * The code that the engines for SSE and AVX2 share. It divides 64 bytes into vectors. An engine
 * defines these names before it includes this file, which is empty without them:
 *
 *     vector, VECTOR_BYTES
 *     load(at), store(at, vector), all(byte), either(a, b), minus(a, b), equal(a, b)
 *     smaller(a, b): the smaller byte of each pair
 *     choose(no, yes, mask): bytes of `yes` where the mask's highest bit is set, else of `no`
 *     look_up(table, bytes): for each byte, the table's entry at its lower half; 0 above 0x7f
 *     bits_of(mask): the highest bit of each byte
 *     write_eight(out, positions, base): adds `base` to eight positions, and writes the sums
 */
#ifndef PM_PYLEX_VECTOR_H
#define PM_PYLEX_VECTOR_H

#if defined(VECTOR_BYTES)
#include "pylex/x86.h"

static inline vector is(vector bytes, char c)
{
    return equal(bytes, all(c));
}

/* Marks the bytes that are one of the `count` values from `low` on. */
static inline vector in_range(vector bytes, char low, char count)
{
    const vector moved = minus(bytes, all(low));
    return equal(smaller(moved, all((char)(count - 1))), moved);
}

static inline vector in_table(vector bytes, __m128i table)
{
    return equal(look_up(table, bytes), bytes);
}

/* Returns for each byte the kind of a token that begins with it. */
static inline vector kinds_of(vector bytes, vector name, vector digit)
{
    vector kinds = choose(bytes, all(PM_TOKEN_NAME), name);
    kinds = choose(kinds, all(PM_TOKEN_NUMBER), digit);
    kinds = choose(kinds, all(PM_TOKEN_STRING), is(bytes, '\''));
    return choose(kinds, all(PM_TOKEN_NEWLINE), is(bytes, '\r'));
}

static inline struct pm_pylex__masks classify_vector(const unsigned char *at, uint8_t *kinds)
{
    const vector bytes = load(at);
    const vector lower = either(bytes, all(0x20));
    const vector digit = in_range(bytes, '0', 10);
    const vector letter = either(in_range(lower, 'a', 26), is(bytes, '_'));
    const vector name = either(either(digit, letter), bytes); /* the highest bit counts */
    store(kinds, kinds_of(bytes, name, digit));
    return (struct pm_pylex__masks){
        .name = bits_of(name),
        .digit = bits_of(digit),
        .space = bits_of(in_table(bytes, PM_PYLEX_SPACES)),
        .newline = bits_of(in_table(bytes, PM_PYLEX_NEWLINES)),
        .dot = bits_of(is(bytes, '.')),
        .event = bits_of(in_table(bytes, PM_PYLEX_EVENTS)),
    };
}

static inline struct pm_pylex__masks classify(const unsigned char *at, uint8_t *kinds)
{
    struct pm_pylex__masks masks = {0};
    for (unsigned i = 0; i < PM_PYLEX_WORD; i += VECTOR_BYTES) {
        const struct pm_pylex__masks part = classify_vector(at + i, kinds + i);
        masks.name |= part.name << i;
        masks.digit |= part.digit << i;
        masks.space |= part.space << i;
        masks.newline |= part.newline << i;
        masks.dot |= part.dot << i;
        masks.event |= part.event << i;
    }
    return masks;
}

static inline size_t find(const unsigned char *text, size_t at, size_t length, const char any[4])
{
    for (; at < length; at += VECTOR_BYTES) {
        const vector bytes = load(text + at);
        const uint32_t found = bits_of(either(either(is(bytes, any[0]), is(bytes, any[1])),
                                              either(is(bytes, any[2]), is(bytes, any[3]))));
        if (found) {
            at += pm_pylex__lowest(found);
            break;
        }
    }
    return at < length ? at : length;
}

static inline void write(const struct pm_pylex__word *word, struct pm_pylex__places *places)
{
    uint64_t first = word->first, last = word->last;
    size_t starts = 0, ends = 0;
    for (uint32_t i = 0; i < PM_PYLEX_WORD; i += 8, first >>= 8, last >>= 8) {
        const __m128i which = pm_pylex__positions_of(first);
        const __m128i kinds = _mm_loadl_epi64((const void *)(word->kind + i));
        write_eight(places->start + starts, which, word->at + i);
        write_eight(places->end + ends, pm_pylex__positions_of(last), word->at + i + 1);
        _mm_storel_epi64((void *)(places->kind + starts), _mm_shuffle_epi8(kinds, which));
        starts += pm_pylex__count(first & 0xff);
        ends += pm_pylex__count(last & 0xff);
    }
    places->start += starts;
    places->kind += starts;
    places->end += ends;
}

#endif

#endif
