/* Tokens as text, one a line: start, end, kind, bytes. Kinds of operators are "op"; what is inside
 * an f-string or backticks has a "+" before its kind. Bytes outside of ASCII, control bytes and
 * backslashes are escaped. */
#ifndef PM_TESTS_PYLEX_DUMP_H
#define PM_TESTS_PYLEX_DUMP_H

#include "base/str.h"
#include "pylex/pylex.h"

/* The text must be padded. */
void dump_tokens(const char *text, size_t length, enum pm_fstrings fstrings, struct pm_str *out);

#endif
