/* Draws figures in the form of the paper's figures 1 to 10. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "paper/paper_private.h"
#include "sample/sample.h"
#include "stat/stat.h"

static const double NS_PER_MS = 1e6;
static const double PERCENT = 100;

/* Begins a panel with a title such as "PyTorch: cuda and xla". */
static void pair_panel(const struct pm_paper_making *d, const struct pm_paper_pair *pair)
{
    char *title = pm_format("%s: %s and %s", pm_paper__framework(pair->a), pair->on_a, pair->on_b);
    pm_figure_panel(d->figure, title);
    free(title);
}

static void share_axis(const struct pm_paper_making *d, const char *title)
{
    pm_figure_axis(d->figure, PM_AXIS_Y, title, false);
    pm_figure_range(d->figure, PM_AXIS_Y, 0, PERCENT);
}

static double share(size_t part, size_t whole)
{
    return whole ? PERCENT * (double)part / (double)whole : 0;
}

/* ---- 1: latencies of functions ---- */

static int by_before(const void *left, const void *right)
{
    const struct pm_changes_ratio *a = left, *b = right;
    return (a->before > b->before) - (a->before < b->before);
}

bool pm_paper__draw_latencies(const struct pm_paper_making *d, const struct pm_paper_pair *pair)
{
    size_t count;
    struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
    if (count) {
        qsort(ratios, count, sizeof *ratios, by_before);
        if (pair->judged)
            pm_figure_panel(d->figure, "");
        else
            pair_panel(d, pair);
        char *title = pm_format("functions, by latency on %s", pair->on_a);
        pm_figure_axis(d->figure, PM_AXIS_X, title, false);
        pm_figure_axis(d->figure, PM_AXIS_Y, "latency (ms)", true);
        pm_figure_plain(d->figure, PM_AXIS_Y);
        free(title);
    }
    for (int side = 0; count && side < 2; side++) {
        pm_figure_series(d->figure, side ? pair->on_b : pair->on_a);
        /* Only the latencies of the first side are sorted. */
        pm_figure_draw(d->figure, side ? PM_DRAW_POINTS : PM_DRAW_LINE);
        for (size_t i = 0; i < count; i++)
            pm_figure_point(d->figure, (double)(i + 1),
                            (side ? ratios[i].after : ratios[i].before) / NS_PER_MS);
    }
    free(ratios);
    return count > 0;
}

/* ---- 2: densities ---- */

/* Draws the density of log10(latency in ms), from three bandwidths below the smallest value to
 * three above the largest. */
static void draw_density(const struct pm_paper_making *d, const char *name, const double *logs,
                         size_t count)
{
    enum { POINTS = 200, BEYOND = 3 };
    double at[POINTS], density[POINTS], low = INFINITY, high = -INFINITY;
    const double bandwidth = pm_stat_bandwidth(logs, count);
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, logs[i]);
        high = fmax(high, logs[i]);
    }
    for (int i = 0; i < POINTS; i++)
        at[i] = low - BEYOND * bandwidth +
                (high - low + 2 * BEYOND * bandwidth) * i / (double)(POINTS - 1);
    pm_stat_density(logs, count, bandwidth, at, density, POINTS);
    pm_figure_series(d->figure, name);
    pm_figure_draw(d->figure, PM_DRAW_CURVE);
    for (int i = 0; i < POINTS; i++)
        pm_figure_point(d->figure, pow(10, at[i]), density[i]);
}

static bool draw_densities(const struct pm_paper_making *d, const struct pm_paper_pair *pair)
{
    size_t count;
    struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
    double *logs = pm_alloc((2 * count + 1) * sizeof *logs);
    for (size_t i = 0; i < count; i++) {
        logs[i] = log10(ratios[i].before / NS_PER_MS);
        logs[count + i] = log10(ratios[i].after / NS_PER_MS);
    }
    const bool any =
        pm_stat_bandwidth(logs, count) > 0 && pm_stat_bandwidth(logs + count, count) > 0;
    if (any) {
        pair_panel(d, pair);
        pm_figure_axis(d->figure, PM_AXIS_X, "latency of a function (ms)", true);
        pm_figure_plain(d->figure, PM_AXIS_X);
        pm_figure_axis(d->figure, PM_AXIS_Y, "share of functions per factor of 10", false);
        draw_density(d, pair->on_a, logs, count);
        draw_density(d, pair->on_b, logs + count, count);
    }
    free(logs);
    free(ratios);
    return any;
}

/* ---- one panel a pair ---- */

static int draw_pairs(const struct pm_paper_making *d, const char *framework,
                      bool (*draw)(const struct pm_paper_making *, const struct pm_paper_pair *),
                      const char *needs)
{
    bool any = false;
    struct pm_paper_pairs pairs = pm_paper__pairs(d->s, framework, false);
    for (size_t i = 0; i < pairs.count; i++)
        any |= draw(d, &pairs.items[i]);
    free(pairs.items);
    return any ? PM_OK : pm_paper__lacks(d, needs);
}

static int draw_figure_1(const struct pm_paper_making *d)
{
    return draw_pairs(d, NULL, pm_paper__draw_latencies, PM_PAPER_LATENCIES);
}

static int draw_figure_2(const struct pm_paper_making *d)
{
    return draw_pairs(d, NULL, draw_densities, PM_PAPER_LATENCIES);
}

/* ---- 3, 7: which one is faster ---- */

static size_t count_faster(const struct pm_changes_ratio *ratios, size_t count, double factor,
                           bool second)
{
    size_t faster = 0;
    for (size_t i = 0; i < count; i++)
        faster +=
            second ? ratios[i].ratio.ratio.mid * factor <= 1 : ratios[i].ratio.ratio.mid >= factor;
    return faster;
}

static const double A_LITTLE = 1.0000001; /* below this factor, latencies count as equal */

static int draw_faster(const struct pm_paper_making *d, const struct pm_paper_pairs *pairs,
                       const double factor, bool both, const char *const names[static 2])
{
    bool any = false;
    pm_figure_panel(d->figure, "");
    share_axis(d, "functions (%)");
    for (int second = both ? 0 : 1; second < 2; second++) {
        double at = 0;
        pm_figure_series(d->figure, names[second]);
        pm_figure_draw(d->figure, PM_DRAW_BARS);
        for (size_t i = 0; i < pairs->count; i++) {
            const struct pm_paper_pair *pair = &pairs->items[i];
            size_t count;
            struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
            if (count) {
                char *label =
                    pm_format("%s: %s, %s", pm_paper__framework(pair->a), pair->on_a, pair->on_b);
                pm_figure_tick(d->figure, at + (both ? 0.5 : 0), label);
                pm_figure_bar(d->figure, at + (both ? second : 0), 0,
                              share(count_faster(ratios, count, factor, second), count));
                free(label);
                at += both ? 3 : 1;
                any = true;
            }
            free(ratios);
        }
    }
    return any ? PM_OK : pm_paper__lacks(d, PM_PAPER_LATENCIES);
}

int pm_paper__draw_faster(const struct pm_paper_making *d, const struct pm_paper_pairs *pairs)
{
    static const char *const names[] = {"faster on the first target",
                                        "faster on the second target"};
    return draw_faster(d, pairs, A_LITTLE, true, names);
}

static int draw_figure_3(const struct pm_paper_making *d)
{
    struct pm_paper_pairs pairs = pm_paper__pairs(d->s, NULL, false);
    const int rc = pm_paper__draw_faster(d, &pairs);
    free(pairs.items);
    return rc;
}

static int draw_figure_7(const struct pm_paper_making *d)
{
    static const char *const names[] = {"", "at least 1.5x faster on the second target"};
    static const double much = 1.5;
    struct pm_paper_pairs pairs = pm_paper__pairs(d->s, NULL, true);
    const int rc = draw_faster(d, &pairs, much, false, names);
    free(pairs.items);
    return rc;
}

/* ---- 4, 5: failures by use ---- */

/* Adds one part of a stacked bar: the lower one for functions that fail completely, or the upper
 * one, if `partly`, for functions that work partly. */
static void add_failures(const struct pm_paper_making *d, bool partly, double at,
                         const struct pm_paper_tally *t)
{
    const size_t whole = pm_paper__whole(t);
    const double complete = share(t->fails, whole);
    if (!whole)
        return;
    if (partly)
        pm_figure_bar(d->figure, at, complete, complete + share(t->partly, whole));
    else
        pm_figure_bar(d->figure, at, 0, complete);
}

static void failure_series(const struct pm_paper_making *d, bool partly)
{
    pm_figure_series(d->figure, partly ? "partly" : "fails");
    pm_figure_draw(d->figure, PM_DRAW_BARS);
}

static void draw_deciles(const struct pm_paper_making *d, size_t side,
                         const struct pm_paper_strata *strata)
{
    const struct pm_side *it = &d->s->items[side];
    char *title = pm_format("%s on %s", pm_paper__framework(it), d->s->labels[side]);
    pm_figure_panel(d->figure, title);
    pm_figure_axis(d->figure, PM_AXIS_X, "percentile of use, and the 20 most used", false);
    pm_figure_range(d->figure, PM_AXIS_X, 0.4, PM_DECILES + 1.6);
    share_axis(d, "failing functions (%)");
    for (unsigned bucket = 1; bucket <= PM_DECILES + 1; bucket++) {
        char *label = bucket > PM_DECILES ? pm_strdup("top 20") : pm_format("%u", 10 * bucket);
        pm_figure_tick(d->figure, bucket, label);
        free(label);
    }
    for (int partly = 0; partly < 2; partly++) {
        failure_series(d, partly);
        for (unsigned bucket = 1; bucket <= PM_DECILES + 1; bucket++) {
            const unsigned bits = bucket > PM_DECILES ? PM_PAPER_TOP : 1u << bucket;
            const struct pm_paper_tally t = pm_paper__tally(it, strata, bits);
            add_failures(d, partly, bucket, &t);
        }
    }
    free(title);
}

static int draw_figure_4(const struct pm_paper_making *d)
{
    bool any = false;
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < d->s->count; i++) {
        struct pm_paper_strata strata;
        rc = pm_paper__strata(d->s, &d->s->items[i], &strata, d->err);
        if (!rc && strata.of.count) {
            draw_deciles(d, i, &strata);
            any = true;
        }
        pm_map_release(&strata.of);
    }
    pm_figure_columns(d->figure, 2);
    return rc || any ? rc : pm_paper__lacks(d, PM_PAPER_USE);
}

static char *name_of_side(const struct pm_paper_making *d, size_t side)
{
    return pm_format("%s %s", pm_paper__framework(&d->s->items[side]), d->s->labels[side]);
}

static int draw_figure_5(const struct pm_paper_making *d)
{
    bool any = false;
    int rc = PM_OK;
    pm_figure_panel(d->figure, "");
    share_axis(d, "failing functions of the top 20 (%)");
    for (int partly = 0; !rc && partly < 2; partly++) {
        failure_series(d, partly);
        for (size_t i = 0; !rc && i < d->s->count; i++) {
            struct pm_paper_strata strata;
            rc = pm_paper__strata(d->s, &d->s->items[i], &strata, d->err);
            const struct pm_paper_tally t = pm_paper__tally(&d->s->items[i], &strata, PM_PAPER_TOP);
            char *name = name_of_side(d, i);
            pm_figure_tick(d->figure, (double)i, name);
            add_failures(d, partly, (double)i, &t);
            any |= pm_paper__whole(&t) > 0;
            free(name);
            pm_map_release(&strata.of);
        }
    }
    return rc || any ? rc : pm_paper__lacks(d, PM_PAPER_USE);
}

/* ---- 6: failures by reason ---- */

enum { REASONS = 7 }; /* reasons with a series each; all others share one */

struct reason {
    const char *reason;
    size_t cases;
};

static int most_first(const void *left, const void *right)
{
    const struct reason *a = left, *b = right;
    if (a->cases != b->cases)
        return a->cases > b->cases ? -1 : 1;
    return strcmp(a->reason, b->reason);
}

static void count_reason(struct reason **reasons, size_t *count, size_t *capacity,
                         const char *reason)
{
    size_t i = 0;
    while (i < *count && strcmp((*reasons)[i].reason, reason) != 0)
        i++;
    if (i == *count) {
        PM_GROW(*reasons, *count, *capacity);
        (*reasons)[(*count)++] = (struct reason){.reason = reason};
    }
    (*reasons)[i].cases++;
}

/* Finds the reasons on all sides, the most frequent first; the caller frees the array. */
static struct reason *find_reasons(const struct pm_paper *s, size_t *count)
{
    struct reason *reasons = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->items[i].r.case_list.count; k++)
            if (pm_paper__fails(&s->items[i], &s->items[i].r.cases[k]))
                count_reason(&reasons, count, &capacity, pm_paper__reason(&s->items[i].r.cases[k]));
    if (*count)
        qsort(reasons, *count, sizeof *reasons, most_first);
    return reasons;
}

/* Returns the share (%) of a side's failing cases that have one of the first `last` reasons. */
static double share_up_to(const struct pm_side *side, const struct reason *reasons, size_t last)
{
    size_t part = 0, whole = 0;
    for (size_t k = 0; k < side->r.case_list.count; k++) {
        const struct pm_reading_case *c = &side->r.cases[k];
        if (!pm_paper__fails(side, c))
            continue;
        whole++;
        for (size_t i = 0; i < last; i++)
            part += !strcmp(reasons[i].reason, pm_paper__reason(c));
    }
    return share(part, whole);
}

static void draw_reason(const struct pm_paper_making *d, const struct reason *reasons, size_t first,
                        size_t last, const char *name)
{
    pm_figure_series(d->figure, name);
    pm_figure_draw(d->figure, PM_DRAW_BARS);
    double at = 0;
    for (size_t i = 0; i < d->s->count; i++) {
        /* A case that fails on the reference is not counted. */
        if (d->s->items[i].compared.is_reference)
            continue;
        const double low = share_up_to(&d->s->items[i], reasons, first);
        const double high = share_up_to(&d->s->items[i], reasons, last);
        char *label = name_of_side(d, i);
        pm_figure_tick(d->figure, at, label);
        if (high > low)
            pm_figure_bar(d->figure, at, low, high);
        free(label);
        at++;
    }
}

int pm_paper__draw_reasons(const struct pm_paper_making *d)
{
    size_t count;
    struct reason *reasons = find_reasons(d->s, &count);
    pm_figure_panel(d->figure, "");
    share_axis(d, "failing cases (%)");
    for (size_t i = 0; i < count && i < REASONS; i++)
        draw_reason(d, reasons, i, i + 1, reasons[i].reason);
    if (count > REASONS)
        draw_reason(d, reasons, REASONS, count, "other reasons");
    free(reasons);
    return count ? PM_OK
                 : pm_paper__lacks(
                       d, "counted cases that fail: name a target with such cases with --target");
}

/* ---- 8, 9, 10: distributions ---- */

/* Returns log10(latency in ms) of the side's cases with small inputs that are timed and pass on
 * both sides, and their number in *count. Host-only cases are excluded. The caller frees the
 * array. */
static double *logs_of_cases(const struct pm_changes_side *side,
                             const struct pm_changes_side *other, size_t *count)
{
    struct pm_map names = {0};
    double *logs = pm_alloc((side->case_count + 1) * sizeof *logs);
    *count = 0;
    for (size_t i = 0; i < other->case_count; i++) {
        const struct pm_changes_case *c = &other->cases[i];
        char *key = pm_reading_case_key(0, c->function, c->name);
        if (c->passes && c->count)
            pm_map_put(&names, key, &names);
        free(key);
    }
    for (size_t i = 0; i < side->case_count; i++) {
        const struct pm_changes_case *c = &side->cases[i];
        char *key = pm_reading_case_key(0, c->function, c->name);
        if (c->passes && c->count && !c->host_only && c->size == PM_SIZE_SMALL &&
            pm_map_has(&names, key)) {
            double sum = 0;
            for (size_t p = 0; p < c->count; p++)
                sum += c->processes[p].log_median;
            logs[(*count)++] = sum / (double)c->count / M_LN10 - log10(NS_PER_MS);
        }
        free(key);
    }
    pm_map_release(&names);
    return logs;
}

/* Draws how many latencies are in each step, with five steps for a factor of ten. */
static void draw_histogram(const struct pm_paper_making *d, const char *name, const double *logs,
                           size_t count, const double ends[static 2])
{
    enum { STEPS = 5 };
    pm_figure_series(d->figure, name);
    pm_figure_draw(d->figure, PM_DRAW_CURVE);
    pm_figure_point(d->figure, pow(10, ends[0]), 0);
    for (double low = ends[0]; low < ends[1]; low += 1.0 / STEPS) {
        size_t within = 0;
        for (size_t i = 0; i < count; i++)
            within += logs[i] >= low && logs[i] < low + 1.0 / STEPS;
        pm_figure_point(d->figure, pow(10, low), (double)within);
        pm_figure_point(d->figure, pow(10, low + 1.0 / STEPS), (double)within);
    }
    pm_figure_point(d->figure, pow(10, ends[1]), 0);
}

static bool draw_distribution(const struct pm_paper_making *d, const struct pm_paper_pair *pair)
{
    size_t counts[2];
    double *logs[2] = {logs_of_cases(&pair->a->compared, &pair->b->compared, &counts[0]),
                       logs_of_cases(&pair->b->compared, &pair->a->compared, &counts[1])};
    double ends[2] = {INFINITY, -INFINITY};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++) {
            ends[0] = fmin(ends[0], floor(logs[side][i]));
            ends[1] = fmax(ends[1], floor(logs[side][i]) + 1);
        }
    const bool any = counts[0] && counts[1];
    if (any) {
        pair_panel(d, pair);
        pm_figure_axis(d->figure, PM_AXIS_X, "latency of a case (ms)", true);
        pm_figure_plain(d->figure, PM_AXIS_X);
        pm_figure_axis(d->figure, PM_AXIS_Y, "cases", false);
        draw_histogram(d, pair->on_a, logs[0], counts[0], ends);
        draw_histogram(d, pair->on_b, logs[1], counts[1], ends);
    }
    free(logs[0]);
    free(logs[1]);
    return any;
}

/* Draws figure 8, 9 or 10. Each shows one framework, in the paper's order. */
static int draw_framework(const struct pm_paper_making *d)
{
    enum { FIRST = 8 };
    long long number = FIRST;
    if (!pm_parse_int(d->number, &number))
        return pm_paper__lacks(d, PM_PAPER_LATENCIES);
    const char *framework = pm_publication_framework_at((size_t)(number - FIRST));
    char *needs = pm_format("measured results of %s, with %s", framework, PM_PAPER_LATENCIES);
    const int rc = draw_pairs(d, framework, draw_distribution, needs);
    free(needs);
    return rc;
}

/* ---- all of them ---- */

static const struct pm_paper_form forms[] = {
    {"1", draw_figure_1, false},  {"2", draw_figure_2, false},
    {"3", draw_figure_3, false},  {"4", draw_figure_4, false},
    {"5", draw_figure_5, false},  {"6", pm_paper__draw_reasons, false},
    {"7", draw_figure_7, true},   {"8", draw_framework, false},
    {"9", draw_framework, false}, {"10", draw_framework, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

bool pm_paper_has_figure(const char *number)
{
    return pm_paper__find_form(forms, FORMS, number) != NULL;
}

void pm_paper_list_figures(struct pm_str *out)
{
    pm_paper__list_forms(forms, FORMS, out);
}

int pm_paper_make_figure(const struct pm_paper_request *request, const char *number,
                         struct pm_figure **out, struct pm_error *err)
{
    struct pm_paper_making making = {
        .kind = "figure", .number = number, .figure = pm_figure_new(number, ""), .err = err};
    *out = making.figure;
    return pm_paper__make_form(forms, FORMS, request, &making);
}
