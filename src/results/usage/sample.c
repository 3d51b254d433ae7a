/* Prints a stored sample. */
#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "report/sink.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "usage/usage.h"

static void stratum_name_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_stratum *s = from->row;
    pm_table_text(table, s->name);
}

static void stratum_uses_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_stratum *s = from->row;
    char *text = s->closed && s->low == s->high
                     ? pm_format("%.6g", s->low)
                     : pm_format("%s%.6g to %.6g", s->closed ? "" : "above ", s->low, s->high);
    pm_table_text(table, text);
    free(text);
}

static void eligible_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_stratum *s = from->row;
    pm_table_count(table, llround(s->eligible));
}

static const struct pm_column stratum_columns[] = {
    {"stratum", "stratum", PM_CELL_TEXT, .cell = stratum_name_cell},
    {"uses", "uses", PM_CELL_TEXT, .cell = stratum_uses_cell},
    {"size", "functions", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_stratum, size)},
    {"eligible", "eligible", PM_CELL_COUNT, .cell = eligible_cell},
    {"wanted", "wanted", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_stratum, wanted)},
    {"drawn", "drawn", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_stratum, drawn)},
    {"taken", "taken", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_stratum, taken)},
};

static void add_strata(const struct pm_sample *sample, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("strata", "Strata");
    pm_table_columns(t, stratum_columns, false);
    for (size_t i = 0; i < sample->stratum_count; i++)
        pm_table_row(t, &sample->strata[i], NULL);
    pm_table_note(t, "eligible: functions that could be measured (estimated from the draws if "
                     "unknown)");
    pm_report_take_table(report, t);
}

/* Data that all rows of the table of members share. */
struct members {
    const struct pm_sample *sample;
    const struct pm_map *tested, *others;
};

static void other_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_member *m = from->row;
    const struct members *all = from->context;
    pm_table_count(table, (int64_t)(uintptr_t)pm_map_get(all->others, m->name));
}

static void stratum_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_member *m = from->row;
    const struct members *all = from->context;
    pm_table_text(table, all->sample->strata[m->stratum].name);
}

static void tested_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sample_member *m = from->row;
    const struct members *all = from->context;
    pm_table_text(table, pm_map_has(all->tested, m->name) ? "yes" : "");
}

static const struct pm_column member_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_sample_member, name)},
    {"uses", "uses", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_member, uses)},
    {"rank", "rank", PM_CELL_COUNT, PM_MEMBER(struct pm_sample_member, rank)},
};
static const struct pm_column other_columns[] = {
    {"other", "other", PM_CELL_COUNT,
     .cell = other_cell}, /* the heading is replaced by the name of the rule */
};
static const struct pm_column stratum_column[] = {
    {"stratum", "stratum", PM_CELL_TEXT, .cell = stratum_cell},
};
static const struct pm_column tested_columns[] = {
    {"tested", "has cases", PM_CELL_MARK, .cell = tested_cell},
};

static void add_members(const struct pm_sample *sample, const struct pm_map *tested,
                        const struct pm_usage_sample_print *how, struct pm_report *report)
{
    const struct members all = {sample, tested, how->others};
    struct pm_table *t = pm_table_new("members", "Functions to measure");
    pm_table_columns(t, member_columns, false);
    if (how->others) {
        pm_table_columns(t, other_columns, false);
        pm_table_heading(t, "other", pm_rule_text(how->other));
    }
    pm_table_columns(t, stratum_column, false);
    if (tested)
        pm_table_columns(t, tested_columns, false);
    for (size_t i = 0; i < sample->member_count; i++)
        pm_table_row(t, &sample->members[i], &all);
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
    char *ranked =
        pm_format("%zu function%s by use in %s, counted by the %s rule", s->sample.ranked,
                  pm_plural(s->sample.ranked), from, pm_rule_text(s->rule));
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
