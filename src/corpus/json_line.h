/*
 * One line of JSON: where its `content` and its repository's name are, and the text of a JSON
 * string. What is looked at is just enough to find them: a line is not validated beyond that.
 */
#ifndef PM_CORPUS_JSON_LINE_H
#define PM_CORPUS_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/kernels.h"

/* Bytes of the line. Of a string: between its quotes, escapes as they stand. */
struct pm_corpus__span {
    const unsigned char *at, *end; /* at is NULL where there is none */
};

struct pm_corpus__record {
    struct pm_corpus__span content, repository;
};

/* Reads a line, without its line end. NULL, or what is wrong with it, as text. A field that stands
 * twice has its first value; one that is no string has none. */
const char *pm_corpus__json_line(const struct pm_corpus__kernels *kernels, const unsigned char *at,
                                 const unsigned char *end, struct pm_corpus__record *out);

/*
 * Writes the string's text, which is never longer, and gives its length; `to` has room for the
 * bytes of the string and PM_CORPUS__PADDING more, which are zeroed behind the text. Pairs of
 * surrogates become one character, lone ones three bytes each as in WTF-8; an escape that JSON does
 * not know stands for itself.
 */
size_t pm_corpus__unescape(const struct pm_corpus__kernels *kernels, struct pm_corpus__span string,
                           unsigned char *to);

#endif
