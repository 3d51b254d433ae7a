/*
 * Finds `content` and the name of the repository in a line of JSON, and unescapes JSON strings. The
 * line is checked only as far as the search requires, so it may be invalid JSON elsewhere.
 */
#ifndef PM_CORPUS_JSON_LINE_H
#define PM_CORPUS_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/kernels.h"

/* Some bytes of the line. For a string: the bytes between its quotes, with escapes as written. */
struct pm_corpus__span {
    const unsigned char *at, *end; /* at is NULL if absent */
};

struct pm_corpus__record {
    struct pm_corpus__span content, repository;
};

/* Reads the line from `at` to `end`, without its line end. Returns NULL, or a static text that says
 * what is wrong. If a field is repeated, its first string counts. A field whose value is not a
 * string is treated as absent. The spans in *out point into the line. */
const char *pm_corpus__json_line(const struct pm_corpus__kernels *kernels, const unsigned char *at,
                                 const unsigned char *end, struct pm_corpus__record *out);

/*
 * Unescapes a string and returns the length of its text, which is never longer than the string.
 * `to` needs room for the string and PM_CORPUS__PADDING bytes, which are zeroed after the text. A
 * surrogate pair becomes one character. A lone surrogate becomes three bytes, as in WTF-8. An
 * invalid escape is copied unchanged.
 */
size_t pm_corpus__unescape(const struct pm_corpus__kernels *kernels, struct pm_corpus__span string,
                           unsigned char *to);

#endif
