/*
 * The engine, written once and compiled for each kind of processor: blocks of 64 bytes become masks,
 * one bit a byte, the byte at the lowest address the lowest bit, and the work is done on the masks.
 * Every block begins where a token may begin, outside of strings and comments. In a block:
 *
 * 1. Events, in order: quotes, comments, backslashes, numbers that are more than digits. Each takes
 *    its bytes out of `live`. One that goes on behind the block is followed there, and the next
 *    block begins at its end.
 * 2. What is live after that is names, plain numbers and operators, found by shifts.
 * 3. The positions of the bits in `first` and `last` are the tokens, written eight at a time: a
 *    count that is not known in advance costs a mispredicted branch, a few positions too many do not.
 *
 * A name that touches the end of the block is left to the next block.
 */
#ifndef PM_PYLEX_ENGINE_H
#define PM_PYLEX_ENGINE_H

#include <string.h>

#include "pylex/pylex_private.h"

#define PM_PYLEX_BLOCK 64
#define PM_PYLEX_STRIDE 8
#define PM_PYLEX_INLINE static inline __attribute__((always_inline))

struct pm_pylex__masks {
    uint64_t name;       /* letters, digits, `_`, bytes over 0x7f */
    uint64_t digit;
    uint64_t space;      /* blank, tab, form feed, CR */
    uint64_t newline;    /* LF, CR */
    uint64_t dot;
    uint64_t open, close; /* brackets */
    uint64_t event;      /* quotes, `#`, backslash, backtick */
};

/* What differs between processors. */
struct pm_pylex__processor {
    struct pm_pylex__masks (*classify)(const unsigned char *at);
    /* The first byte from `at` on that is one of four; `length` where there is none. */
    size_t (*find)(const unsigned char *text, size_t at, size_t length, const char any[4]);
};

struct pm_pylex__block {
    const unsigned char *at;
    size_t position; /* of `at` in the text */
    struct pm_pylex__masks is;
    uint64_t live;            /* bytes that nothing has taken, of those that this block does */
    uint64_t first, last;     /* of the tokens that took bytes */
    uint64_t string, number;  /* first bytes whose kind does not show: prefix, dot */
    size_t next;              /* where the next block begins; beyond 64, a token ends there */
    size_t quote;             /* of the f-string that begins at `next`; 0: none does */
    bool raw;
};

PM_PYLEX_INLINE unsigned pm_pylex__lowest(uint64_t bits) /* bits is not 0 */
{
    return (unsigned)__builtin_ctzll(bits);
}

PM_PYLEX_INLINE uint64_t pm_pylex__below(size_t n) /* n < 64 */
{
    return ((uint64_t)1 << n) - 1;
}

PM_PYLEX_INLINE uint64_t pm_pylex__from(size_t n)
{
    return n < PM_PYLEX_BLOCK ? ~(uint64_t)0 << n : 0;
}

PM_PYLEX_INLINE unsigned pm_pylex__count(uint64_t bits)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(bits * 0x0101010101010101 >> 56);
#else
    return (unsigned)__builtin_popcountll(bits);
#endif
}

/* Takes bytes that become no token. */
PM_PYLEX_INLINE void pm_pylex__drop(struct pm_pylex__block *block, size_t start, size_t end)
{
    block->live &= pm_pylex__below(start) | pm_pylex__from(end);
    if (end > block->next)
        block->next = end;
}

PM_PYLEX_INLINE void pm_pylex__take(struct pm_pylex__block *block, size_t start, size_t end)
{
    pm_pylex__drop(block, start, end);
    block->first |= (uint64_t)1 << start;
    if (end <= PM_PYLEX_BLOCK)
        block->last |= (uint64_t)1 << (end - 1);
}

/* The LF of a CR LF, in a text that begins before it. */
PM_PYLEX_INLINE bool pm_pylex__is_split(const unsigned char *at)
{
    return at[0] == '\n' && at[-1] == '\r';
}

/* The end of a string of one quote, looked for from `at` on in the text. */
PM_PYLEX_INLINE size_t pm_pylex__short_end(const struct pm_pylex *lexer,
                                           const struct pm_pylex__processor *processor, size_t at,
                                           char quote)
{
    const char stops[4] = {quote, '\\', '\n', '\r'};
    for (;;) {
        at = processor->find(lexer->text, at, lexer->length, stops);
        if (at == lexer->length)
            return at;
        if (lexer->text[at] == (unsigned char)quote)
            return at + 1;
        if (lexer->text[at] != '\\')
            return at - pm_pylex__is_split(lexer->text + at);
        at += 1 + pm_pylex__escaped(lexer->text + at + 1);
    }
}

PM_PYLEX_INLINE size_t pm_pylex__triple_end(const struct pm_pylex *lexer,
                                            const struct pm_pylex__processor *processor, size_t at,
                                            char quote)
{
    const char stops[4] = {quote, '\\', quote, quote};
    for (;;) {
        at = processor->find(lexer->text, at, lexer->length, stops);
        if (at == lexer->length)
            return at;
        if (lexer->text[at] == '\\')
            at += 2;
        else if (pm_pylex__is_triple(lexer->text + at))
            return at + 3;
        else
            at++;
    }
}

/* The end, in the block's numbering, of the string whose first quote is there. */
PM_PYLEX_INLINE size_t pm_pylex__string_end(const struct pm_pylex *lexer,
                                            const struct pm_pylex__processor *processor,
                                            const struct pm_pylex__block *block, size_t quote)
{
    const unsigned char *const at = block->at;
    const char mark = (char)at[quote];
    if (pm_pylex__is_triple(at + quote))
        return pm_pylex__triple_end(lexer, processor, block->position + quote + 3, mark) -
               block->position;
    uint64_t stops = (block->is.event | block->is.newline) & pm_pylex__from(quote + 1);
    size_t outside = PM_PYLEX_BLOCK;
    while (stops) {
        const unsigned stop = pm_pylex__lowest(stops);
        if (at[stop] == at[quote])
            return stop + 1;
        stops &= stops - 1;
        if (at[stop] == '\\') {
            const size_t behind = stop + 1 + pm_pylex__escaped(at + stop + 1);
            stops &= pm_pylex__from(behind);
            if (behind > outside)
                outside = behind;
        } else if (block->is.newline >> stop & 1) {
            return stop - pm_pylex__is_split(at + stop);
        }
    }
    return pm_pylex__short_end(lexer, processor, block->position + outside, mark) - block->position;
}

/* Where the token of a quote begins, and what it is. */
PM_PYLEX_INLINE enum pm_pylex_prefix pm_pylex__prefix_before(const struct pm_pylex__block *block,
                                                             size_t quote, size_t *start)
{
    const uint64_t names = block->is.name & block->live;
    const uint64_t others = ~names & pm_pylex__below(quote);
    const size_t begin = others ? 64 - (size_t)__builtin_clzll(others) : 0;
    *start = quote;
    if (begin == quote)
        return PM_PREFIX_NONE;
    const enum pm_pylex_prefix prefix = pm_pylex__prefix(block->at + begin, quote - begin);
    if (prefix != PM_PREFIX_NONE)
        *start = begin;
    return prefix;
}

PM_PYLEX_INLINE void pm_pylex__take_string(struct pm_pylex *lexer,
                                           const struct pm_pylex__processor *processor,
                                           struct pm_pylex__block *block, size_t quote)
{
    size_t start = quote;
    if (quote && (block->is.name & block->live) >> (quote - 1) & 1) {
        const enum pm_pylex_prefix prefix = pm_pylex__prefix_before(block, quote, &start);
        const bool raw = prefix == PM_PREFIX_RAW_FORMAT;
        if ((raw || prefix == PM_PREFIX_FORMAT) && lexer->fstrings == PM_FSTRINGS_OPEN &&
            pm_pylex__fstring_is_whole(lexer, block->position + start, block->position + quote,
                                       raw)) {
            block->live &= pm_pylex__below(start);
            block->next = start;
            block->quote = quote;
            block->raw = raw;
            return;
        }
        if (start != quote)
            block->string |= (uint64_t)1 << start;
    }
    pm_pylex__take(block, start, pm_pylex__string_end(lexer, processor, block, quote));
}

PM_PYLEX_INLINE void pm_pylex__take_comment(const struct pm_pylex *lexer,
                                            const struct pm_pylex__processor *processor,
                                            struct pm_pylex__block *block, size_t start)
{
    static const char stops[4] = {'\n', '\r', '\n', '\r'};
    const uint64_t newlines = block->is.newline & pm_pylex__from(start);
    const size_t end = newlines ? pm_pylex__lowest(newlines)
                                : processor->find(lexer->text, block->position + PM_PYLEX_BLOCK,
                                                  lexer->length, stops) -
                                      block->position;
    pm_pylex__drop(block, start, end);
}

/* The event is a dot or what stands behind digits; `1.5`, `.5`, `0x1f`, `10L`, `1if`, but also the dot of
 * `x1.real` and what a number before has taken. */
PM_PYLEX_INLINE void pm_pylex__take_number(struct pm_pylex__block *block, size_t event)
{
    const unsigned char *const at = block->at;
    const uint64_t others = ~(block->is.digit & block->live) & pm_pylex__below(event);
    size_t start = others ? 64 - (size_t)__builtin_clzll(others) : 0;
    const bool in_name = start && (block->is.name & block->live) >> (start - 1) & 1;
    if (in_name || start == event) {
        if (at[event] != '.' || !pm_pylex__is_digit(at[event + 1]))
            return;
        start = event;
        block->number |= (uint64_t)1 << start;
    }
    for (;;) {
        const size_t end = (size_t)(pm_pylex__number_end(at + start) - at);
        pm_pylex__take(block, start, end);
        if (end >= PM_PYLEX_BLOCK || !pm_pylex__is_digit(at[end]))
            return;
        start = end;
    }
}

/* Bits where a number may be more than the digits that pm_pylex__write() takes it for. */
PM_PYLEX_INLINE uint64_t pm_pylex__number_events(const struct pm_pylex__masks *is,
                                                 const unsigned char *at)
{
    const uint64_t starts = is->digit & ~(is->name << 1);
    const uint64_t behind = (starts + is->digit) & ~is->digit;
    const uint64_t digit_next =
        is->digit >> 1 | (uint64_t)pm_pylex__is_digit(at[PM_PYLEX_BLOCK]) << 63;
    return (behind & (is->name | is->dot)) | (is->dot & digit_next);
}

PM_PYLEX_INLINE void pm_pylex__take_events(struct pm_pylex *lexer,
                                           const struct pm_pylex__processor *processor,
                                           struct pm_pylex__block *block)
{
    uint64_t events = block->is.event | pm_pylex__number_events(&block->is, block->at);
    while ((events &= block->live)) {
        const size_t event = pm_pylex__lowest(events);
        const unsigned char c = block->at[event];
        events &= events - 1;
        if (c == '"' || c == '\'') {
            pm_pylex__take_string(lexer, processor, block, event);
        } else if (c == '#') {
            pm_pylex__take_comment(lexer, processor, block, event);
        } else if (c == '\\') {
            const size_t line_end = pm_pylex__line_end(block->at + event + 1);
            if (line_end)
                pm_pylex__drop(block, event, event + 1 + line_end);
        } else if (c == '`') {
            lexer->backticks = true;
        } else {
            pm_pylex__take_number(block, event);
        }
    }
}

PM_PYLEX_INLINE void pm_pylex__set_kinds(uint8_t *kinds, uint64_t first, uint64_t which,
                                         uint8_t kind)
{
    for (; which; which &= which - 1)
        kinds[pm_pylex__count(first & ((which & -which) - 1))] = kind;
}

/* Writes tokens of which the masks are the first and last bytes, and a few more that are none. */
PM_PYLEX_INLINE void pm_pylex__write(const struct pm_pylex *lexer, struct pm_tokens *tokens,
                                     uint64_t first, uint64_t last, size_t count)
{
    uint32_t *const restrict start = tokens->start + tokens->count;
    uint32_t *const restrict end = tokens->end + tokens->count;
    uint8_t *const restrict kinds = tokens->kind + tokens->count;
    const unsigned char *const text = lexer->text;
    const uint32_t base = (uint32_t)lexer->at;
    size_t i = 0;
    do {
        const size_t stop = i + PM_PYLEX_STRIDE;
        for (; i < stop; i++) {
            const uint32_t at = base + pm_pylex__lowest(first | (uint64_t)1 << 63);
            start[i] = at;
            kinds[i] = pm_pylex__kinds[text[at]];
            end[i] = base + 1 + pm_pylex__lowest(last | (uint64_t)1 << 63);
            first &= first - 1;
            last &= last - 1;
        }
    } while (i < count);
}

PM_PYLEX_INLINE void pm_pylex__emit(struct pm_pylex *lexer, const struct pm_pylex__block *block,
                                    struct pm_tokens *tokens)
{
    const uint64_t names = block->is.name & block->live;
    const uint64_t operators = ~(block->is.name | block->is.space) & block->live;
    const uint64_t first = block->first | (names & ~(names << 1)) | operators;
    const uint64_t last = block->last | (names & ~(names >> 1)) | operators;
    const size_t count = pm_pylex__count(first);
    pm_pylex__write(lexer, tokens, first, last, count);
    pm_pylex__set_kinds(tokens->kind + tokens->count, first, block->string, PM_TOKEN_STRING);
    pm_pylex__set_kinds(tokens->kind + tokens->count, first, block->number, PM_TOKEN_NUMBER);
    tokens->count += count;
    if (block->next > PM_PYLEX_BLOCK && pm_pylex__count(last) < count)
        tokens->end[tokens->count - 1] = (uint32_t)(block->position + block->next);
}

/* CR is a blank before LF, else a line end. */
PM_PYLEX_INLINE void pm_pylex__settle_returns(struct pm_pylex__masks *is, const unsigned char *at)
{
    const uint64_t returns = is->space & is->newline;
    if (!returns)
        return;
    const uint64_t feeds = is->newline & ~returns;
    const uint64_t blanks =
        returns & (feeds >> 1 | (uint64_t)(at[PM_PYLEX_BLOCK] == '\n') << 63);
    is->space &= ~(returns & ~blanks);
    is->newline &= ~blanks;
}

/* A name or number of a block or more. */
static inline void pm_pylex__long_name(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    const unsigned char *const at = lexer->text + lexer->at;
    const bool number = pm_pylex__is_digit(*at);
    const unsigned char *end = number ? pm_pylex__number_end(at) : at;
    while (!number && pm_pylex__is_name(*end))
        end++;
    tokens->start[tokens->count] = (uint32_t)lexer->at;
    lexer->at += (size_t)(end - at);
    tokens->end[tokens->count] = (uint32_t)lexer->at;
    tokens->kind[tokens->count] = number ? PM_TOKEN_NUMBER : PM_TOKEN_NAME;
    tokens->count++;
}

PM_PYLEX_INLINE void pm_pylex__lex_block(struct pm_pylex *lexer, struct pm_tokens *tokens,
                                         const struct pm_pylex__processor *processor)
{
    struct pm_pylex__block block = {.at = lexer->text + lexer->at, .position = lexer->at};
    block.is = processor->classify(block.at);
    pm_pylex__settle_returns(&block.is, block.at);
    const uint64_t others = ~block.is.name;
    if (!others) {
        pm_pylex__long_name(lexer, tokens);
        return;
    }
    block.next = PM_PYLEX_BLOCK - (size_t)__builtin_clzll(others);
    const size_t rest = lexer->length - lexer->at;
    if (rest < PM_PYLEX_BLOCK)
        block.next = rest;
    block.live = ~pm_pylex__from(block.next);
    pm_pylex__take_events(lexer, processor, &block);
    pm_pylex__emit(lexer, &block, tokens);
    lexer->at += block.next;
    if (block.quote)
        pm_pylex__fstring_open(lexer, tokens, block.position + block.quote, block.raw);
}

/* Finds the lines that go on, up to 64 tokens at a time. */
PM_PYLEX_INLINE void pm_pylex__join_lines(struct pm_pylex *lexer,
                                          const struct pm_pylex__processor *processor,
                                          uint8_t *kinds, size_t count)
{
    unsigned char copy[PM_PYLEX_BLOCK] = {0};
    const struct pm_pylex__masks is =
        processor->classify(count == PM_PYLEX_BLOCK ? kinds : memcpy(copy, kinds, count));
    uint64_t open = is.open, close = is.close;
    for (uint64_t lines = is.newline; lines; lines &= lines - 1) {
        const uint64_t before = (lines & -lines) - 1;
        lexer->depth += (int)pm_pylex__count(open & before) - (int)pm_pylex__count(close & before);
        open &= ~before;
        close &= ~before;
        if (lexer->depth > 0)
            kinds[pm_pylex__lowest(lines)] = PM_TOKEN_JOINED;
        else
            lexer->depth = 0;
    }
    lexer->depth += (int)pm_pylex__count(open) - (int)pm_pylex__count(close);
}

PM_PYLEX_INLINE void pm_pylex__lex(struct pm_pylex *lexer, struct pm_tokens *tokens,
                                   const struct pm_pylex__processor *processor)
{
    const size_t begin = tokens->count;
    while (tokens->capacity - tokens->count >= PM_PYLEX_ROOM) {
        if (lexer->nested)
            pm_pylex__fstring_run(lexer, tokens);
        else if (lexer->at < lexer->length)
            pm_pylex__lex_block(lexer, tokens, processor);
        else
            break;
    }
    for (size_t i = begin; i < tokens->count; i += PM_PYLEX_BLOCK) {
        const size_t rest = tokens->count - i;
        pm_pylex__join_lines(lexer, processor, tokens->kind + i,
                             rest < PM_PYLEX_BLOCK ? rest : PM_PYLEX_BLOCK);
    }
}

#endif
