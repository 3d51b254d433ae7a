/* Recomputes the paper's counts of failing functions from its reports. */
#include <string.h>

#include "base/alloc.h"
#include "published/results.h"

enum pm_recount pm_results_verdict(const struct pm_result_function *f)
{
    if (f->failed)
        return f->passed ? PM_RECOUNT_PARTLY : PM_RECOUNT_FAILS;
    if (f->passed)
        return PM_RECOUNT_WORKS;
    return f->unreported ? PM_RECOUNT_UNREPORTED : PM_RECOUNT_SKIPPED;
}

static void add_name(struct pm_str *names, const char *name)
{
    pm_str_addf(names, "%s%s", names->length ? ", " : "", name);
}

/* ---- steps from the reports to the printed counts ------------------------------------------- */

bool pm_results_have_report(const struct pm_results *r)
{
    for (size_t i = 0; i < r->function_count; i++)
        if (pm_results_verdict(&r->functions[i]) != PM_RECOUNT_UNREPORTED)
            return true;
    return false;
}

static bool is_timed(const struct pm_results *r, const char *function)
{
    const size_t number = (uintptr_t)pm_map_get(&r->by_function, function);
    return number && r->functions[number - 1].calls;
}

/* Returns whether the printed latencies of a file include its failed tests. In that case, the paper
 * counted the file as working. */
static bool counts_as_passing(const struct pm_row *rows, size_t count, const char *function)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].by == PM_ROW_FAILED && !strcmp(rows[i].function, function))
            return true;
    return false;
}

/* Returns whether the printed latencies of a file exclude its tests that failed on the device. */
static bool is_known_to_fail(const struct pm_row *rows, size_t count, const char *device,
                             const char *function)
{
    const bool gpu = !strcmp(device, "GPU");
    for (size_t i = 0; i < count; i++)
        if ((gpu ? rows[i].leaves_out_gpu : rows[i].leaves_out_tpu) &&
            !strcmp(rows[i].function, function))
            return true;
    return false;
}

struct recounting {
    struct pm_recounting *out;
    struct pm_str dropped, as_passed, failing[PM_RECOUNT_COUNT], untimed_here;
};

static void count_function(struct recounting *c, const struct pm_results *r,
                           const struct pm_results *other, const struct pm_row *rows,
                           size_t row_count, const struct pm_result_function *f)
{
    enum pm_recount verdict = pm_results_verdict(f);
    c->out->files[verdict]++;
    if (verdict != PM_RECOUNT_FAILS && !is_timed(r, f->name) && !is_timed(other, f->name)) {
        add_name(&c->dropped, f->name);
        return;
    }
    if (verdict == PM_RECOUNT_UNREPORTED) {
        verdict = PM_RECOUNT_WORKS;
    } else if (f->failed && counts_as_passing(rows, row_count, f->name)) {
        verdict = PM_RECOUNT_WORKS;
        add_name(&c->as_passed, f->name);
    }
    c->out->adjusted[verdict]++;
    if (verdict == PM_RECOUNT_WORKS && !f->calls)
        add_name(&c->untimed_here, f->name);
    if (verdict != PM_RECOUNT_WORKS && !is_known_to_fail(rows, row_count, r->device, f->name))
        add_name(&c->failing[verdict], f->name);
}

static void take_printed(const struct pm_publication *p, struct pm_recounting *out)
{
    for (int v = PM_RECOUNT_WORKS; v <= PM_RECOUNT_FAILS; v++) {
        char *item = pm_format("%s %s", out->device, pm_recount_text((enum pm_recount)v));
        const struct pm_publication_cell *cell = pm_publication_find(p, "8", out->framework, item);
        if (cell) {
            out->printed[v] = (size_t)cell->value;
            out->printed_of = (size_t)pm_publication_whole(cell->text);
        }
        free(item);
    }
}

/* Returns a text that states, for each verdict, the difference that the steps do not explain, and
 * the functions that may cause it. The caller frees it. */
static char *what_is_left(const struct recounting *c)
{
    struct pm_str left = PM_STR_INIT;
    for (int v = PM_RECOUNT_WORKS; v <= PM_RECOUNT_FAILS; v++) {
        const long long more = (long long)c->out->printed[v] - (long long)c->out->adjusted[v];
        if (!more)
            continue;
        pm_str_addf(&left, "%s%s %+lld", left.length ? "; " : "",
                    pm_recount_text((enum pm_recount)v), more);
        if (more < 0 && c->failing[v].length)
            pm_str_addf(&left, " among %s", c->failing[v].data);
        if (more < 0 && v == PM_RECOUNT_WORKS && c->untimed_here.length)
            pm_str_addf(&left, ", possibly %s (no times on %s)", c->untimed_here.data,
                        c->out->device);
    }
    return pm_str_detach(&left);
}

void pm_results_recount(const struct pm_publication *p, const struct pm_results *r,
                        const struct pm_results *other, const struct pm_row *rows, size_t row_count,
                        struct pm_recounting *out)
{
    struct recounting c = {
        .out = out, .dropped = PM_STR_INIT, .as_passed = PM_STR_INIT, .untimed_here = PM_STR_INIT};
    for (int v = 0; v < PM_RECOUNT_COUNT; v++)
        pm_str_init(&c.failing[v]);
    *out = (struct pm_recounting){.framework = r->framework, .device = r->device};
    for (size_t i = 0; i < r->function_count; i++)
        count_function(&c, r, other, rows, row_count, &r->functions[i]);
    take_printed(p, out);
    out->left = out->printed_of ? what_is_left(&c) : pm_strdup("");
    out->dropped = pm_str_detach(&c.dropped);
    out->as_passed = pm_str_detach(&c.as_passed);
    pm_str_release(&c.untimed_here);
    for (int v = 0; v < PM_RECOUNT_COUNT; v++)
        pm_str_release(&c.failing[v]);
}

void pm_recounting_release(struct pm_recounting *r)
{
    free(r->dropped);
    free(r->as_passed);
    free(r->left);
    *r = (struct pm_recounting){0};
}

/* ---- contradictions ------------------------------------------------------------------------- */

static void check_same_report(const struct pm_results *results, size_t count,
                              struct pm_contradictions *out)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (!strcmp(results[i].digest, results[k].digest))
                pm_contradictions_add(
                    out, pm_format("reports of %s and %s", results[i].target, results[k].target),
                    pm_format(
                        "the imports of runs %lld and %lld have the same bytes, so the same files "
                        "were published for two devices",
                        (long long)results[i].run_id, (long long)results[k].run_id));
}

static void check_files(const struct pm_publication *p, const struct pm_results *r,
                        struct pm_contradictions *out)
{
    char *item = pm_format("%s works", r->device);
    const struct pm_publication_cell *cell = pm_publication_find(p, "8", r->framework, item);
    size_t reported = 0;
    for (size_t i = 0; i < r->function_count; i++)
        reported += pm_results_verdict(&r->functions[i]) != PM_RECOUNT_UNREPORTED;
    if (cell && (double)reported != pm_publication_whole(cell->text))
        pm_contradictions_add(
            out, pm_format("report of %s", r->target),
            pm_format("the report has files of %zu functions, but table 8 counts %.0f", reported,
                      pm_publication_whole(cell->text)));
    free(item);
}

/* Adds contradictions: tests that pass without a timed operation, with the functions that pass but
 * have no timed operation at all; and functions that are timed but missing from the report. */
static void check_times(const struct pm_results *r, struct pm_contradictions *out)
{
    struct pm_str untimed = PM_STR_INIT, unreported = PM_STR_INIT;
    size_t tests = 0;
    for (size_t i = 0; r->files && i < r->function_count; i++) {
        const struct pm_result_function *f = &r->functions[i];
        tests += f->untimed;
        if (f->passed && !f->calls)
            add_name(&untimed, f->name);
        if (pm_results_verdict(f) == PM_RECOUNT_UNREPORTED)
            add_name(&unreported, f->name);
    }
    if (tests)
        pm_contradictions_add(
            out, pm_format("timing files of %s", r->target),
            pm_format("%zu test%s without any timed operation%s%s", tests,
                      tests == 1 ? " passes" : "s pass",
                      untimed.length ? "; no passed test of these functions is timed: " : "",
                      untimed.data));
    if (unreported.length && pm_results_have_report(r))
        pm_contradictions_add(out, pm_format("timing files of %s", r->target),
                              pm_format("timed, but missing from the report: %s", unreported.data));
    pm_str_release(&untimed);
    pm_str_release(&unreported);
}

void pm_results_contradictions(const struct pm_publication *p, const struct pm_results *results,
                               size_t count, struct pm_contradictions *out)
{
    check_same_report(results, count, out);
    for (size_t i = 0; i < count; i++) {
        if (pm_results_have_report(&results[i]))
            check_files(p, &results[i], out);
        check_times(&results[i], out);
    }
}
