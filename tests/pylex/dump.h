/* Writes tokens as text. A line has a token's start, end, kind and bytes. The kind of all operators
 * is "op"; a kind inside an f-string or backticks begins with "+". Bytes outside of ASCII, control
 * bytes and backslashes are escaped. */
#ifndef PM_TESTS_PYLEX_DUMP_H
#define PM_TESTS_PYLEX_DUMP_H

#include "base/str.h"
#include "pylex/pylex.h"

/* Appends the tokens of a text to `out`; the text must be padded. */
void dump_tokens(const char *text, size_t length, enum pm_fstrings fstrings, struct pm_str *out);

#endif
