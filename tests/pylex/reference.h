/*
 * A second Python lexer for tests: it reads single bytes, and f-strings by recursion. It follows
 * pylex/pylex.h and shares no code with the room, so that tokens on which both agree are very
 * likely right.
 */
#ifndef PM_TESTS_PYLEX_REFERENCE_H
#define PM_TESTS_PYLEX_REFERENCE_H

#include "pylex/pylex.h"

/* Stores all tokens of the text, which must be padded, in `tokens`, which must have room for length
 * + PM_PYLEX_ROOM. */
void reference_lex(const unsigned char *text, size_t length, enum pm_fstrings fstrings,
                   struct pm_tokens *tokens);

#endif
