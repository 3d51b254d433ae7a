/* Formats texts that reports share: markup, names of cases, differences of scripts. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pm_report_format_markup(struct pm_str *out, char c)
{
    switch (c) {
    case '&':
        pm_str_add(out, "&amp;");
        break;
    case '<':
        pm_str_add(out, "&lt;");
        break;
    case '>':
        pm_str_add(out, "&gt;");
        break;
    case '"':
        pm_str_add(out, "&quot;");
        break;
    default:
        pm_str_add_char(out, c);
    }
}

/* ---- names of cases ------------------------------------------------------------------------- */

/* Splits a name such as "rows[float32]", and adds the dtype to the test "rows". */
void pm_report_cases_add(struct pm_report_cases *cases, const char *name)
{
    const char *bracket = strrchr(name, '['), *close = bracket ? strchr(bracket, ']') : NULL;
    const bool split = close && !close[1];
    char *test = pm_strndup(name, split ? (size_t)(bracket - name) : strlen(name));
    struct pm_report_test *last = cases->count ? &cases->items[cases->count - 1] : NULL;
    if (!last || !split || !last->dtypes.length || strcmp(last->name, test) != 0) {
        PM_GROW(cases->items, cases->count, cases->capacity);
        last = &cases->items[cases->count++];
        *last = (struct pm_report_test){test, PM_STR_INIT};
    } else {
        free(test);
    }
    if (split)
        pm_str_addf(&last->dtypes, "%s%.*s", last->dtypes.length ? ", " : "",
                    (int)(close - bracket - 1), bracket + 1);
}

static const char *dtypes_of(const struct pm_report_test *test)
{
    return test->dtypes.length ? test->dtypes.data : "";
}

void pm_report_format_cases(struct pm_str *out, const struct pm_report_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        const char *dtypes = dtypes_of(&cases->items[i]);
        size_t earlier = 0;
        while (strcmp(dtypes_of(&cases->items[earlier]), dtypes) != 0)
            earlier++;
        if (earlier < i)
            continue;
        for (size_t k = i; k < cases->count; k++)
            if (!strcmp(dtypes_of(&cases->items[k]), dtypes))
                pm_str_addf(out, "%s%s",
                            k > i         ? ", "
                            : out->length ? "; "
                                          : "",
                            cases->items[k].name);
        if (*dtypes)
            pm_str_addf(out, " [%s]", dtypes);
    }
}

void pm_report_cases_release(struct pm_report_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->items[i].name);
        pm_str_release(&cases->items[i].dtypes);
    }
    free(cases->items);
}

/* ---- scripts -------------------------------------------------------------------------------- */

enum { MOST_LINES = 60 };

static const double MUCH =
    0.7; /* differences are printed if they are shorter than this share of the script */

struct lines {
    const char *at[MOST_LINES + 1]; /* one more entry: the end of the last line */
    size_t count;
};

static bool split(const char *text, struct lines *out)
{
    out->count = 0;
    while (*text && out->count < MOST_LINES) {
        out->at[out->count++] = text;
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    out->at[out->count] = text;
    return !*text;
}

/* Returns whether two lines are the same. All comments count as the same, because the report says
 * elsewhere what a script is about. */
static bool is_same(const struct lines *a, size_t i, const struct lines *b, size_t k)
{
    const size_t m = strcspn(a->at[i], "\n"), n = strcspn(b->at[k], "\n");
    return (*a->at[i] == '#' && *b->at[k] == '#') || (m == n && !strncmp(a->at[i], b->at[k], n));
}

/* Computes length[i][k]: the length of the longest common subsequence of the lines of `a` from `i`
 * on and those of `b` from `k` on. */
static void compare(const struct lines *a, const struct lines *b,
                    size_t length[MOST_LINES + 1][MOST_LINES + 1])
{
    for (size_t i = a->count + 1; i-- > 0;)
        for (size_t k = b->count + 1; k-- > 0;)
            length[i][k] = i == a->count || k == b->count         ? 0
                           : is_same(a, i, b, k)                  ? length[i + 1][k + 1] + 1
                           : length[i + 1][k] >= length[i][k + 1] ? length[i + 1][k]
                                                                  : length[i][k + 1];
}

/* Adds an edit: lines [i, end) of `a` become lines [k, last) of `b`. An insertion needs a line of
 * `a` as its place, so it also contains the common line after it or, at the end, before it. A
 * removal becomes an empty line. */
static void add_edit(struct pm_str *out, const struct lines *a, size_t i, size_t end,
                     const struct lines *b, size_t k, size_t last)
{
    const size_t next = i == end && i < a->count, before = i == end && i == a->count;
    struct pm_str place = PM_STR_INIT;
    i -= before;
    k -= before;
    end += next;
    last += next;
    pm_str_addf(&place, end > i + 1 ? "%zu-%zu: " : "%zu: ", i + 1, end);
    if (k == last)
        pm_str_addf(out, "%s\n", place.data);
    for (; k < last; k++) {
        pm_str_add(out, place.data);
        pm_str_add_bytes(out, b->at[k], strcspn(b->at[k], "\n"));
        pm_str_add_char(out, '\n');
    }
    pm_str_release(&place);
}

char *pm_report_differences(const char *first, const char *other)
{
    struct lines a, b;
    size_t length[MOST_LINES + 1][MOST_LINES + 1];
    struct pm_str out = PM_STR_INIT;
    if (!split(first, &a) || !split(other, &b) || !a.count || !b.count)
        return NULL;
    compare(&a, &b, length);
    for (size_t i = 0, k = 0; i < a.count || k < b.count;) {
        const size_t begin = i, from = k;
        while ((i < a.count || k < b.count) &&
               !(i < a.count && k < b.count && is_same(&a, i, &b, k)))
            if (k == b.count || (i < a.count && length[i + 1][k] >= length[i][k + 1]))
                i++;
            else
                k++;
        if (i > begin || k > from)
            add_edit(&out, &a, begin, i, &b, from, k);
        i += i < a.count;
        k += k < b.count;
    }
    if ((double)out.length < MUCH * (double)strlen(other))
        return pm_str_detach(&out);
    pm_str_release(&out);
    return NULL;
}
