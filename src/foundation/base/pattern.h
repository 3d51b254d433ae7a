/*
 * POSIX extended regular expressions from files that may come from an untrusted source. Compiling
 * and matching a pattern takes bounded memory, and time proportional to the length of the text.
 *
 * pm_pattern_init() refuses patterns for which glibc's regcomp() and regexec() take exponential
 * time: more than PM_PATTERN_MOST characters with the repetitions written out, as in (x{99}){99} or
 * x+++++++++++++; a repetition of a part that may be empty, as in (x*)* or x?{2,28}; and
 * back-references such as \1, which POSIX does not define for extended regular expressions.
 */
#ifndef PM_BASE_PATTERN_H
#define PM_BASE_PATTERN_H

#include <regex.h>

#include "base/error.h"

enum { PM_PATTERN_MOST = 5000 };

/* Compiles a pattern for regexec(), which will report no positions of matches. The caller calls
 * regfree(). Fails with PM_EFORMAT, with nothing to free, if the text is not such a pattern. */
PM_MUST_USE int pm_pattern_init(regex_t *out, const char *pattern, struct pm_error *err);

#endif
