/* Functions that the engines and the lexer of f-strings share: classes of bytes, and scanners of
 * numbers, prefixes and line ends. */
#ifndef PM_PYLEX_PYLEX_PRIVATE_H
#define PM_PYLEX_PYLEX_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pylex/pairs.h"
#include "pylex/pylex.h"

/* By byte: the kind of a token that begins with it. */
extern const uint8_t pm_pylex__kinds[256];

static inline bool pm_pylex__is_digit(unsigned char c)
{
    return (unsigned)(c - '0') < 10;
}

/* Returns whether a byte can continue a name. Such a byte can also begin a name unless it is a
 * digit. */
static inline bool pm_pylex__is_name(unsigned char c)
{
    return pm_pylex__kinds[c] == PM_TOKEN_NAME || pm_pylex__is_digit(c);
}

/* Returns the end of the number that begins with the digit, or the dot before a digit, at `at`. */
const unsigned char *pm_pylex__number_end(const unsigned char *at);

enum pm_pylex_prefix { PM_PREFIX_NONE, PM_PREFIX_PLAIN, PM_PREFIX_FORMAT, PM_PREFIX_RAW_FORMAT };

/* Returns which kind of string prefix the `length` bytes at `name` are, if a quote follows them. */
enum pm_pylex_prefix pm_pylex__prefix(const unsigned char *name, size_t length);

/* Returns how many bytes a backslash in a string escapes: 1, or 2 for CR LF. `after` is the byte
 * after the backslash. */
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
 * The lexer of f-strings. open() appends the tokens of the f-string at the lexer's position, whose
 * first quote is at `quote`, until the f-string ends or there is no more room. If lexer->nested is
 * not 0 afterwards, run() continues in the same way. If the f-string is malformed, open() appends
 * nothing, sets lexer->opaque to `quote`, and does not move the lexer.
 */
void pm_pylex__fstring_open(struct pm_pylex *lexer, struct pm_tokens *tokens, size_t quote,
                            bool raw);
void pm_pylex__fstring_run(struct pm_pylex *lexer, struct pm_tokens *tokens);

/* The engines. Each appends tokens as pm_pylex_next() does, but does not mark backticks. */
void pm_pylex__portable(struct pm_pylex *lexer, struct pm_tokens *tokens);
#if defined(__x86_64__)
void pm_pylex__sse(struct pm_pylex *lexer, struct pm_tokens *tokens);
void pm_pylex__avx2(struct pm_pylex *lexer, struct pm_tokens *tokens);
void pm_pylex__avx512(struct pm_pylex *lexer, struct pm_tokens *tokens);
extern const struct pm_pylex_pairs pm_pylex__pairs_avx2;
#endif

#endif
