/* Regular expressions of bounded cost. */
#include "base/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The most that "{3}", "{3,}", "{,7}" or "{3,7}" repeats, and 1 for what is none. */
static unsigned long repetition(const char *brace)
{
    const char *at = brace + 1;
    unsigned long most = 1;
    while (isdigit((unsigned char)*at) || *at == ',') {
        const unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, NULL, 10) : 0;
        most = number > most ? number : most;
        at += strspn(at, "0123456789");
        at += *at == ',';
    }
    return most;
}

/* glibc writes repetitions out: those of one character add to the size, those of what may itself be
 * repeated (a group, another repetition) multiply it. */
static bool is_small(const char *pattern)
{
    size_t size = strlen(pattern), factor = 1;
    for (const char *at = pattern; (at = strchr(at, '{')); at++) {
        const unsigned long times = repetition(at);
        const bool nests = at > pattern && strchr(")}*+?", at[-1]);
        if (size > PM_PATTERN_MOST || factor > PM_PATTERN_MOST || times > PM_PATTERN_MOST)
            return false;
        if (nests)
            factor *= times;
        else
            size += times;
    }
    return size * factor <= PM_PATTERN_MOST;
}

static bool refers_back(const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '\\')) && at[1]; at += 2)
        if (at[1] >= '1' && at[1] <= '9')
            return true;
    return false;
}

int pm_pattern_init(regex_t *out, const char *pattern, struct pm_error *err)
{
    if (!is_small(pattern))
        return pm_error_set(
            err, PM_EFORMAT,
            "pattern '%.60s' is too large: use at most %d characters, counting each "
            "repetition",
            pattern, PM_PATTERN_MOST);
    if (refers_back(pattern))
        return pm_error_set(err, PM_EFORMAT,
                            "pattern '%.60s' has a back-reference, which portmeter does not "
                            "support: write out the repeated text",
                            pattern);
    if (regcomp(out, pattern, REG_EXTENDED | REG_NOSUB))
        return pm_error_set(err, PM_EFORMAT,
                            "'%.60s' is not a valid extended regular expression: put \\ before "
                            "each character that must match literally",
                            pattern);
    return PM_OK;
}
