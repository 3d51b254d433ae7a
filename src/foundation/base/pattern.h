/*
 * Extended regular expressions of POSIX, from files that anybody may have written: compiling and
 * matching one takes bounded memory, and time that grows with the text as its length does.
 *
 * That leaves out what makes glibc's regcomp() and regexec() explode: more than PM_PATTERN_MOST
 * characters with the repetitions written out, as in (x{99}){99} or x+++++++++++++; a repetition of
 * what may be empty, as in (x*)* or x?{2,28}; and references back, as \1, which POSIX does not
 * define for them anyway.
 */
#ifndef PM_BASE_PATTERN_H
#define PM_BASE_PATTERN_H

#include <regex.h>

#include "base/error.h"

enum { PM_PATTERN_MOST = 5000 };

/* Compiles for regexec(), which gives no positions; the caller calls regfree(). PM_EFORMAT, and
 * nothing to free, where the text is not such a pattern. */
PM_MUST_USE int pm_pattern_init(regex_t *out, const char *pattern, struct pm_error *err);

#endif
