/* Numbers, durations and sizes as people read them. */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/report_private.h"

enum { DIGITS = 3, RATIO_DIGITS = 2, LONGEST_NUMBER = 400 }; /* DBL_MAX has 309 whole digits */

/* Appends a plain decimal number with commas between its thousands. */
static void add_grouped(struct pm_str *out, const char *number)
{
    if (*number == '-')
        pm_str_add_char(out, *number++);
    const size_t whole = strspn(number, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            pm_str_add_char(out, ',');
        pm_str_add_char(out, number[i]);
    }
    pm_str_add(out, number + whole);
}

static void add_decimals(struct pm_str *out, double value, int decimals)
{
    char number[LONGEST_NUMBER];
    snprintf(number, sizeof number, "%.*f", decimals, value);
    add_grouped(out, number);
}

/* The decimal exponent of `value` after rounding to so many significant digits: 9.96 with two
 * digits is 1.0e1. */
static int rounded_exponent(double value, int digits)
{
    char number[LONGEST_NUMBER];
    snprintf(number, sizeof number, "%.*e", digits - 1, value);
    return atoi(strchr(number, 'e') + 1);
}

static bool add_unless_finite(struct pm_str *out, double value)
{
    if (isinf(value))
        pm_str_add(out, value < 0 ? "-inf" : "inf");
    return !isfinite(value);
}

static void add_significant(struct pm_str *out, double value, int digits)
{
    if (add_unless_finite(out, value))
        return;
    if (value == 0) {
        pm_str_add_char(out, '0');
        return;
    }
    const int decimals = digits - 1 - rounded_exponent(value, digits);
    add_decimals(out, value, decimals > 0 ? decimals : 0);
}

void pm_report_format_count(struct pm_str *out, int64_t value)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, value);
    add_grouped(out, number);
}

void pm_report_format_number(struct pm_str *out, double value)
{
    add_significant(out, value, DIGITS);
}

static const struct pm_report__unit times[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct pm_report__unit sizes[] = {
    {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};

static const struct pm_report__unit *unit_of(double value, const struct pm_report__unit *unit)
{
    while (unit[1].name && isfinite(value) && rounded_exponent(value / unit->size, DIGITS) >= 3)
        unit++;
    return unit;
}

void pm_report_format_time(struct pm_str *out, double ns)
{
    if (isnan(ns))
        return;
    const struct pm_report__unit *unit = unit_of(ns, times);
    add_significant(out, ns / unit->size, DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

void pm_report_format_bytes(struct pm_str *out, int64_t bytes)
{
    const struct pm_report__unit *unit = unit_of((double)bytes, sizes);
    if (bytes < 1000) { /* bytes have no fractions */
        pm_str_addf(out, "%" PRId64 " B", bytes);
        return;
    }
    add_significant(out, (double)bytes / unit->size, DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

const struct pm_report__unit *pm_report__time_unit(double ns)
{
    return unit_of(ns, times);
}

void pm_report_format_ratio(struct pm_str *out, double ratio)
{
    if (isnan(ratio))
        return;
    const bool slower = ratio >= 1;
    struct pm_str factor = PM_STR_INIT;
    add_significant(&factor, slower ? ratio : 1 / ratio, RATIO_DIGITS);
    pm_str_addf(out, "%sx", factor.data);
    if (strcmp(factor.data, "1.0"))
        pm_str_add(out, slower ? " slower" : " faster");
    pm_str_release(&factor);
}

/* 99.6 % is not 100 %: adds digits until the share differs from 0 % and 100 %. */
static void add_percent(struct pm_str *out, double share)
{
    enum { MOST_DECIMALS = 3 };
    int decimals = 0;
    double scale = 1;
    while (decimals < MOST_DECIMALS && share > 0 && share < 1 &&
           (share * 100 * scale < 0.5 || (1 - share) * 100 * scale <= 0.5)) {
        decimals++;
        scale *= 10;
    }
    if (!add_unless_finite(out, share))
        add_decimals(out, share * 100, decimals);
}

void pm_report_format_share(struct pm_str *out, double share)
{
    if (isnan(share))
        return;
    add_percent(out, share);
    pm_str_add(out, " %");
}

/* ---- cells ------------------------------------------------------------------------------------
 */

void pm_report__heading(const struct pm_report__column *column, struct pm_str *out)
{
    pm_str_add(out, column->heading);
    if (column->kind == PM_CELL_SHARE)
        pm_str_add(out, " (%)");
    if (column->unit)
        pm_str_addf(out, " (%s)", column->unit->name);
    if (column->has_intervals)
        pm_str_add(out, " [95 % interval]");
}

/* A bound, like its value, is a factor in the direction of the value where they are ratios. */
static void add_number(struct pm_str *out, double number, double value,
                       const struct pm_report__column *column)
{
    switch (column->kind) {
    case PM_CELL_SHARE:
        add_decimals(out, number * 100, 0);
        break;
    case PM_CELL_TIME:
        add_significant(out, number / column->unit->size, DIGITS);
        break;
    case PM_CELL_RATIO:
        add_significant(out, value >= 1 ? number : 1 / number, RATIO_DIGITS);
        break;
    default:
        add_significant(out, number, DIGITS);
    }
}

static void add_interval(struct pm_str *out, const struct pm_report__cell *cell,
                         const struct pm_report__column *column)
{
    const bool turned = column->kind == PM_CELL_RATIO && cell->value < 1;
    if (isnan(cell->value) || isnan(cell->low) || isnan(cell->high))
        return;
    pm_str_add_char(out, '[');
    add_number(out, turned ? cell->high : cell->low, cell->value, column);
    pm_str_add(out, ", ");
    add_number(out, turned ? cell->low : cell->high, cell->value, column);
    pm_str_add_char(out, ']');
}

static void add_value(struct pm_str *out, double value, const struct pm_report__column *column)
{
    if (isnan(value))
        return;
    if (column->kind == PM_CELL_SHARE)
        add_percent(out, value);
    else if (column->kind == PM_CELL_RATIO)
        pm_report_format_ratio(out, value);
    else
        add_number(out, value, value, column);
}

void pm_report__format_cell(const struct pm_report__cell *cell,
                            const struct pm_report__column *column, struct pm_str *value,
                            struct pm_str *interval)
{
    switch (cell->filling) {
    case PM_FILL_EMPTY:
        break;
    case PM_FILL_TEXT:
        pm_report__clean(value, cell->text);
        break;
    case PM_FILL_COUNT:
        pm_report_format_count(value, cell->count);
        break;
    case PM_FILL_INTERVAL:
        add_interval(interval, cell, column);
        /* fall through */
    case PM_FILL_NUMBER:
        add_value(value, cell->value, column);
    }
}

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

/* ---- states in HTML ------------------------------------------------------------------------- */

const struct pm_report__look pm_report__looks[PM_LOOK_COUNT] = {
    {"w", "&#10003;", "works"}, {"p", "&#9680;", "partly"},    {"f", "&#10005;", "fails"},
    {"a", "&#8211;", "absent"}, {"h", "&#9675;", "host-only"}, {"o", "?", "no counted verdict"},
};

/* "3 of 5" */
static const struct pm_report__look *look_of_tally(const char *word)
{
    char *end;
    const long passed = strtol(word, &end, 10);
    if (end == word || strncmp(end, " of ", 4))
        return &pm_report__looks[PM_LOOK_OTHER];
    const long of = strtol(end + 4, NULL, 10);
    return &pm_report__looks[passed >= of ? PM_LOOK_WORKS
                             : passed     ? PM_LOOK_PARTLY
                                          : PM_LOOK_FAILS];
}

const struct pm_report__look *pm_report__look_of(const char *word)
{
    static const struct {
        const char *word;
        int look;
    } words[] = {
        {"works", PM_LOOK_WORKS},
        {"pass", PM_LOOK_WORKS},
        {"yes", PM_LOOK_WORKS},
        {"partly", PM_LOOK_PARTLY},
        {"part", PM_LOOK_PARTLY},
        {"fallback", PM_LOOK_PARTLY},
        {"unstable", PM_LOOK_PARTLY},
        {"flaky", PM_LOOK_PARTLY},
        {"fails", PM_LOOK_FAILS},
        {"FAIL", PM_LOOK_FAILS},
        {"fail", PM_LOOK_FAILS},
        {"crash", PM_LOOK_FAILS},
        {"timeout", PM_LOOK_FAILS},
        {"memory", PM_LOOK_FAILS},
        {"NO", PM_LOOK_FAILS},
        {"absent", PM_LOOK_ABSENT},
        {"host-only", PM_LOOK_HOST},
        {"success", PM_LOOK_WORKS},
        {"partial failure", PM_LOOK_PARTLY},
        {"complete failure", PM_LOOK_FAILS},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return &pm_report__looks[words[i].look];
    return look_of_tally(word);
}

const struct pm_report__look *pm_report__look_of_row(const struct pm_report__cell *cells,
                                                     size_t count)
{
    const struct pm_report__look *look = pm_report__look_of(cells[1].text);
    for (size_t i = 2; i < count; i++)
        if (pm_report__look_of(cells[i].text) != look)
            return NULL;
    return look == &pm_report__looks[PM_LOOK_OTHER] ? NULL : look;
}

/* ---- names of cases ------------------------------------------------------------------------- */

/* "rows[float32]": the test "rows", with one dtype more. */
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

static const double MUCH = 0.7; /* differences that are longer say too little */

struct lines {
    const char *at[MOST_LINES + 1]; /* one more, behind the last */
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

/* Comments say what a script is about, which is said elsewhere. */
static bool is_same(const struct lines *a, size_t i, const struct lines *b, size_t k)
{
    const size_t m = strcspn(a->at[i], "\n"), n = strcspn(b->at[k], "\n");
    return (*a->at[i] == '#' && *b->at[k] == '#') || (m == n && !strncmp(a->at[i], b->at[k], n));
}

/* length[i][k]: of the longest common subsequence of what follows in both. */
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

/* Lines `i` to `end` of `a` become those from `k` to `last` of `b`: one at least of each, so that
 * each has a place, and a line that goes becomes an empty one. */
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
