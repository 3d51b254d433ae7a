/* What the engines and the f-string machine share: classes of bytes, and the small scanners. */
#ifndef PM_PYLEX_PYLEX_PRIVATE_H
#define PM_PYLEX_PYLEX_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pylex/pairs.h"
#include "pylex/pylex.h"

/* The kind of the token that begins with a byte. */
extern const uint8_t pm_pylex__kinds[256];

static inline bool pm_pylex__is_digit(unsigned char c)
{
    return (unsigned)(c - '0') < 10;
}

/* Returns whether a byte can continue a name. If it is not a digit, it can also begin one. */
static inline bool pm_pylex__is_name(unsigned char c)
{
    return pm_pylex__kinds[c] == PM_TOKEN_NAME || pm_pylex__is_digit(c);
}

/* Returns the end of the number that begins with the digit, or the dot before a digit, at `at`. */
const unsigned char *pm_pylex__number_end(const unsigned char *at);

enum pm_pylex_prefix { PM_PREFIX_NONE, PM_PREFIX_PLAIN, PM_PREFIX_FORMAT, PM_PREFIX_RAW_FORMAT };

/* Returns the kind of string prefix that a name of `length` bytes is before a quote. */
enum pm_pylex_prefix pm_pylex__prefix(const unsigned char *name, size_t length);

/* Returns how many bytes a backslash before `at` in a string takes along, itself not counted: 1, or
 * 2 for CR LF. */
static inline size_t pm_pylex__escaped(const unsigned char *after)
{
    return after[0] == '\r' && after[1] == '\n' ? 2 : 1;
}

/* Returns how many bytes the line end at `at` has, or 0 if there is no line end. */
static inline size_t pm_pylex__line_end(const unsigned char *at)
{
    return *at == '\n' ? 1 : *at == '\r' ? pm_pylex__escaped(at) : 0;
}

static inline bool pm_pylex__is_triple(const unsigned char *quote)
{
    return quote[1] == quote[0] && quote[2] == quote[0];
}

/*
 * The f-string machine. open() takes the f-string at the lexer's position, whose first quote is at
 * `quote`, and adds what tokens there is room for. Where lexer->nested is not 0 after that,
 * run() adds the others, until the f-string ends or the room does. One that is not well formed sets
 * lexer->opaque to its quote, and leaves the lexer where it was.
 */
void pm_pylex__fstring_open(struct pm_pylex *lexer, struct pm_tokens *tokens, size_t quote,
                            bool raw);
void pm_pylex__fstring_run(struct pm_pylex *lexer, struct pm_tokens *tokens);

/* Each does what pm_pylex_next() does, except for backticks. */
void pm_pylex__portable(struct pm_pylex *lexer, struct pm_tokens *tokens);
#if defined(__x86_64__)
void pm_pylex__sse(struct pm_pylex *lexer, struct pm_tokens *tokens);
void pm_pylex__avx2(struct pm_pylex *lexer, struct pm_tokens *tokens);
void pm_pylex__avx512(struct pm_pylex *lexer, struct pm_tokens *tokens);
extern const struct pm_pylex_pairs pm_pylex__pairs_avx2;
#endif

#endif
