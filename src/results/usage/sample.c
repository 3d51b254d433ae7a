/* Prints a stored sample. */
#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/sink.h"
#include "report/write.h"
#include "usage/usage.h"

static void take_text(struct pm_table *table, char *text)
{
    pm_table_text(table, text);
    free(text);
}

static void add_strata(const struct pm_sample *sample, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("strata", "Strata");
    pm_table_column(t, "stratum", "stratum", PM_CELL_TEXT);
    pm_table_column(t, "uses", "uses", PM_CELL_TEXT);
    pm_table_column(t, "size", "functions", PM_CELL_COUNT);
    pm_table_column(t, "eligible", "eligible", PM_CELL_COUNT);
    pm_table_column(t, "wanted", "wanted", PM_CELL_COUNT);
    pm_table_column(t, "drawn", "drawn", PM_CELL_COUNT);
    pm_table_column(t, "taken", "taken", PM_CELL_COUNT);
    for (size_t i = 0; i < sample->stratum_count; i++) {
        const struct pm_sample_stratum *s = &sample->strata[i];
        pm_table_text(t, s->name);
        take_text(t, s->closed && s->low == s->high
                         ? pm_format("%.6g", s->low)
                         : pm_format("%s%.6g to %.6g", s->closed ? "" : "above ", s->low, s->high));
        pm_table_count(t, (int64_t)s->size);
        pm_table_count(t, llround(s->eligible));
        pm_table_count(t, (int64_t)s->wanted);
        pm_table_count(t, (int64_t)s->drawn);
        pm_table_count(t, (int64_t)s->taken);
    }
    pm_table_note(t, "eligible: functions that could be measured (estimated from the draws if "
                     "unknown)");
    pm_report_take_table(report, t);
}

static void add_members(const struct pm_sample *sample, const struct pm_map *tested,
                        const struct pm_usage_sample_print *how, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("members", "Functions to measure");
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "uses", "uses", PM_CELL_COUNT);
    pm_table_column(t, "rank", "rank", PM_CELL_COUNT);
    if (how->others)
        pm_table_column(t, "other", pm_rule_text(how->other), PM_CELL_COUNT);
    pm_table_column(t, "stratum", "stratum", PM_CELL_TEXT);
    if (tested)
        pm_table_column(t, "tested", "has cases", PM_CELL_MARK);
    for (size_t i = 0; i < sample->member_count; i++) {
        const struct pm_sample_member *m = &sample->members[i];
        pm_table_text(t, m->name);
        pm_table_count(t, (int64_t)m->uses);
        pm_table_count(t, (int64_t)m->rank);
        if (how->others)
            pm_table_count(t, (int64_t)(uintptr_t)pm_map_get(how->others, m->name));
        pm_table_text(t, sample->strata[m->stratum].name);
        if (tested)
            pm_table_text(t, pm_map_has(tested, m->name) ? "yes" : "");
    }
    if (how->others) {
        char *note =
            pm_format("%s: calls counted by this rule in the same scan; uses: counted by the rule "
                      "of the ranking",
                      pm_rule_text(how->other));
        pm_table_note(t, note);
        free(note);
    }
    pm_report_take_table(report, t);
}

static void add_lines(const struct pm_stored_sample *s, struct pm_report *report)
{
    struct pm_str drawn = PM_STR_INIT;
    pm_str_addf(&drawn, "seed %llu, %s strata, ", (unsigned long long)s->sample.seed,
                pm_strata_rule_text(s->sample.rule));
    pm_sample_size_text(&s->sample, &drawn);
    char *from = s->scan_id ? pm_format("scan %lld", (long long)s->scan_id)
                            : pm_format("%s", pm_json_string(s->options, "ranking", "a file"));
    char *ranked = pm_format("%zu functions by their use in %s, counted by the %s rule",
                             s->sample.ranked, from, pm_rule_text(s->rule));
    pm_report_line(report, "ranked", ranked);
    pm_report_line(report, "drawn", drawn.data);
    pm_str_release(&drawn);
    free(from);
    free(ranked);
}

static int print_text(const struct pm_stored_sample *sampling, bool explain, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    if (explain)
        pm_sample_explain(&sampling->sample, &text);
    for (size_t i = 0; !explain && i < sampling->sample.member_count; i++)
        pm_str_addf(&text, "%s\n", sampling->sample.members[i].name);
    struct pm_sink sink = pm_sink_file(stdout);
    const int rc = sink.write(sink.ctx, text.data, text.length) < 0
                       ? pm_error_errno(err, "cannot write the sample")
                       : PM_OK;
    pm_str_release(&text);
    return rc;
}

int pm_usage_print_sample(const struct pm_stored_sample *sampling, const struct pm_map *tested,
                          const struct pm_usage_sample_print *how, struct pm_error *err)
{
    if (how->explain || how->list)
        return print_text(sampling, how->explain, err);
    char *title = pm_format("Sample %lld of %s, drawn %s", (long long)sampling->id,
                            sampling->framework, sampling->drawn);
    struct pm_report *report = pm_report_new(title);
    free(title);
    add_lines(sampling, report);
    add_strata(&sampling->sample, report);
    add_members(&sampling->sample, tested, how, report);
    const int rc = pm_report_write(report, how->format, how->width, false, NULL, err);
    pm_report_free(report);
    return rc;
}
