/* Compiles regular expressions of bounded cost. */
#include "base/pattern.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The part of a group that has been read. `size` and `last` are the numbers of characters of the
 * group and of its last part, with repetitions written out. The other members say whether the empty
 * text may match the last part, all parts before it, or an earlier branch. A repetition repeats the
 * last part. */
struct group {
    size_t size, last;
    bool last_may_be_empty, rest_may_be_empty, branch_may_be_empty;
};

/* A pattern that is being read. `inner` is the innermost group that is open, in an array that
 * begins with the whole pattern. */
struct reading {
    struct group *outer, *inner;
    bool repeats_empty; /* it repeats something that may be empty */
};

static const struct group empty_group = {.last_may_be_empty = true, .rest_may_be_empty = true};

static bool may_be_empty(const struct group *group)
{
    return group->branch_may_be_empty || (group->rest_may_be_empty && group->last_may_be_empty);
}

static void add_part(struct group *group, size_t size, bool is_empty)
{
    group->rest_may_be_empty &= group->last_may_be_empty;
    group->last_may_be_empty = is_empty;
    group->size += size;
    group->last = size;
}

static void end_branch(struct group *group)
{
    const bool was_empty = may_be_empty(group);
    const size_t size = group->size;
    *group = empty_group;
    group->branch_may_be_empty = was_empty;
    group->size = size;
}

static void end_group(struct reading *r)
{
    const struct group closed = *r->inner;
    if (r->inner == r->outer)
        add_part(r->inner, 1, false); /* an ordinary character */
    else
        add_part(--r->inner, closed.size + 1, may_be_empty(&closed));
}

/* Counts the characters into which glibc expands a repetition: three times x for "x{3}" and
 * "x{0,3}", and one more with a star for "x{3,}". */
static void repeat(struct reading *r, unsigned long least, unsigned long most, bool without_limit)
{
    struct group *group = r->inner;
    unsigned long times = most + without_limit;
    times = times < 1 ? 1 : times > PM_PATTERN_MOST ? PM_PATTERN_MOST + 1 : times;
    r->repeats_empty |= (without_limit || times > 1) && group->last && group->last_may_be_empty;
    group->last_may_be_empty |= least == 0;
    group->size += group->last * (times - 1);
    group->last *= times;
}

/* Reads an interval such as "{3}", "{3,}", "{,7}" or "{3,7}"; returns its "}", or the pattern's
 * end. */
static const char *read_interval(struct reading *r, const char *brace)
{
    char *end;
    const unsigned long least = strtoul(brace + 1, &end, 10);
    const bool is_range = *end == ',', has_end = is_range && isdigit((unsigned char)end[1]);
    const unsigned long most = has_end ? strtoul(end + 1, NULL, 10) : least;
    repeat(r, least, most > least ? most : least, is_range && !has_end);
    return strchrnul(brace, '}');
}

/* Returns the "]" of a list such as "[]a]", "[^]a]" or "[[:digit:]]", or the pattern's end. A
 * backslash is an ordinary character there. Source: POSIX.1-2017, 9.3.5. */
static const char *end_of_list(const char *open)
{
    const char *at = open + 1;
    at += *at == '^';
    at += *at == ']';
    for (; *at && *at != ']'; at++) {
        if (*at != '[' || !at[1] || !strchr(":.=", at[1]))
            continue;
        const char end[] = {at[1], ']', '\0'};
        at = strstr(at + 2, end);
        if (!at)
            return strchr(open, '\0');
        at++;
    }
    return at;
}

/* Reads the part or the operator at `at`; returns its last character, or the pattern's end. The
 * result does not matter for a pattern that regcomp() refuses. */
static const char *read_one(struct reading *r, const char *at)
{
    switch (*at) {
    case '(':
        *++r->inner = empty_group;
        return at;
    case ')':
        end_group(r);
        return at;
    case '|':
        end_branch(r->inner);
        return at;
    case '?':
        repeat(r, 0, 1, false);
        return at;
    case '*':
        repeat(r, 0, 0, true);
        return at;
    case '+':
        repeat(r, 1, 1, true);
        return at;
    case '{':
        return read_interval(r, at);
    case '[':
        add_part(r->inner, 1, false);
        return end_of_list(at);
    case '\\':
        add_part(r->inner, 1, at[1] && strchr("bB<>`'", at[1]));
        return at + (at[1] != '\0');
    default:
        add_part(r->inner, 1, *at == '^' || *at == '$');
        return at;
    }
}

/* Fails with PM_EFORMAT if glibc could take too much time or memory to compile the pattern. */
static int check_cost(const char *pattern, struct pm_error *err)
{
    struct reading r = {.outer = pm_alloc((strlen(pattern) + 1) * sizeof *r.outer)};
    r.inner = r.outer;
    *r.inner = empty_group;
    for (const char *at = pattern; *at && !r.repeats_empty && r.inner->size <= PM_PATTERN_MOST;
         at += *at != '\0')
        at = read_one(&r, at);
    const bool is_large = r.inner->size > PM_PATTERN_MOST;
    free(r.outer);
    if (is_large)
        return pm_error_set(err, PM_EFORMAT,
                            "pattern '%.60s' is too large: use at most %d characters, counting "
                            "each repetition",
                            pattern, PM_PATTERN_MOST);
    return r.repeats_empty
               ? pm_error_set(err, PM_EFORMAT,
                              "pattern '%.60s' repeats a part that may be empty, as (a*)* "
                              "does: repeat only a part that matches at least one character",
                              pattern)
               : PM_OK;
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
    PM_TRY(check_cost(pattern, err));
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
