/*
 * One line of JSON: where its `content` and its repository's name are, and the text of a JSON
 * string. Only what is needed to find them is checked: the line may be invalid JSON otherwise.
 */
#ifndef PM_CORPUS_JSON_LINE_H
#define PM_CORPUS_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "corpus/kernels.h"

/* Bytes of the line. Of a string: between its quotes, escapes as written. */
struct pm_corpus__span {
    const unsigned char *at, *end; /* at is NULL if absent */
};

struct pm_corpus__record {
    struct pm_corpus__span content, repository;
};

/* Reads a line, without its line end. Returns NULL, or a text that says what is wrong. The first of
 * two fields of one name counts; a field that is not a string is absent. */
const char *pm_corpus__json_line(const struct pm_corpus__kernels *kernels, const unsigned char *at,
                                 const unsigned char *end, struct pm_corpus__record *out);

/*
 * Writes the text of a string, which is never longer than the string, and returns its length; `to`
 * has room for the bytes of the string and PM_CORPUS__PADDING more, which are zeroed behind the
 * text. Pairs of surrogates become one character, lone ones three bytes each as in WTF-8; an escape
 * that JSON does not know stands for itself.
 */
size_t pm_corpus__unescape(const struct pm_corpus__kernels *kernels, struct pm_corpus__span string,
                           unsigned char *to);

#endif
