/*
 * A second Python lexer, for tests: a byte at a time, a token at a time, f-strings by recursion. It
 * follows pylex/pylex.h and shares no code with the room, so that what both say is likely true.
 */
#ifndef PM_TESTS_PYLEX_REFERENCE_H
#define PM_TESTS_PYLEX_REFERENCE_H

#include "pylex/pylex.h"

/* All tokens of the text, which is padded; `tokens` has room for length + PM_PYLEX_ROOM. */
void reference_lex(const unsigned char *text, size_t length, enum pm_fstrings fstrings,
                   struct pm_tokens *tokens);

#endif
