/* Writes the result of an audit as text for people: first one screen, then the findings. */
#include <stdlib.h>
#include <string.h>

#include "audit/audit_private.h"
#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "text/numbers.h"

enum { MOST_ROWS = 8, LONGEST_NAME = 400 };

/* ---- the first screen ------------------------------------------------------------------------ */

static void add_answer(const struct pm_audit *audit, struct pm_report *report)
{
    struct pm_str line = PM_STR_INIT;
    const size_t errors = pm_audit_shown(audit, PM_AUDIT_LEVEL_ERROR);
    const size_t warnings = pm_audit_shown(audit, PM_AUDIT_LEVEL_WARNING);
    const size_t unknown = audit->by_status[PM_AUDIT_UNKNOWN] +
                           audit->by_status[PM_AUDIT_ARGUMENTS] +
                           audit->by_status[PM_AUDIT_PREDICTED_WORKS];
    if (errors)
        pm_str_addf(&line, "this code breaks on %s: ", audit->options->target);
    else if (warnings)
        pm_str_addf(&line, "this code may break or be slow on %s: ", audit->options->target);
    else if (audit->by_status[PM_AUDIT_PREDICTED_FAILS])
        pm_str_addf(&line,
                    "a forecast predicts failures of this code on %s: ", audit->options->target);
    else if (!audit->sites && !audit->finding_count)
        pm_str_addf(&line, "this code does not use %s: ", audit->options->framework);
    else if (audit->sites && unknown == audit->sites)
        pm_str_addf(&line,
                    "nothing that this code uses was measured on %s: ", audit->options->target);
    else if (unknown || !audit->sites)
        pm_str_addf(&line, "no failure of this code is known on %s: ", audit->options->target);
    else
        pm_str_addf(&line, "this code works on %s according to the measured cases: ",
                    audit->options->target);
    pm_audit__count(&line, errors, "error");
    pm_str_add(&line, ", ");
    pm_audit__count(&line, warnings, "warning");
    pm_str_add(&line, ", ");
    pm_audit__count(&line, pm_audit_shown(audit, PM_AUDIT_LEVEL_NOTE), "note");
    pm_report_line(report, "answer", line.data);
    pm_str_release(&line);
}

/* Adds a line such as "592 uses of 84 functions of pytorch in 12 files", and a line with the number
 * and share of uses for each status that occurs. */
static void add_uses(const struct pm_audit *audit, struct pm_report *report)
{
    static const struct {
        enum pm_audit_status status;
        const char *one, *several;
    } parts[] = {
        {PM_AUDIT_FAILS, "fails", "fail"},
        {PM_AUDIT_DEPENDS, "depends on its arguments", "depend on their arguments"},
        {PM_AUDIT_WORKS, "works for the measured arguments", "work for the measured arguments"},
        {PM_AUDIT_ARGUMENTS, "has arguments that were not measured",
         "have arguments that were not measured"},
        {PM_AUDIT_UNKNOWN, "calls a function that was not measured",
         "call functions that were not measured"},
        {PM_AUDIT_PREDICTED_FAILS, "is predicted to fail", "are predicted to fail"},
        {PM_AUDIT_PREDICTED_WORKS, "is predicted to work", "are predicted to work"},
    };
    struct pm_str line = PM_STR_INIT;
    pm_audit__count(&line, audit->sites, "use");
    pm_str_add(&line, " of ");
    pm_audit__count(&line, audit->use_count, "function");
    pm_str_addf(&line, " of %s in ", audit->options->framework);
    pm_audit__count(&line, audit->file_count, "file");
    pm_report_line(report, "code", line.data);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && audit->sites; i++) {
        const size_t count = audit->by_status[parts[i].status];
        if (!count)
            continue;
        pm_str_clear(&line);
        pm_text_count(&line, (int64_t)count);
        pm_str_addf(&line, " %s (", count == 1 ? parts[i].one : parts[i].several);
        pm_text_share(&line, (double)count / (double)audit->sites);
        pm_str_add(&line, ")");
        pm_report_line(report, "", line.data);
    }
    pm_str_release(&line);
}

/* Adds a line about the forecast, if there is one. */
static void add_predictions(const struct pm_audit *audit, struct pm_report *report)
{
    const struct pm_audit_predictions *p = audit->options->predictions;
    struct pm_str line = PM_STR_INIT;
    if (!p)
        return;
    pm_str_addf(&line, "by a forecast of %.10s, which measured nothing on the device: ", p->made);
    pm_audit__count(&line, p->cases.case_count, "case");
    pm_str_add(&line, " of ");
    pm_audit__count(&line, p->cases.count, "function");
    pm_str_addf(&line, ", %s %s; %s", audit->options->framework, p->version, p->precision);
    pm_report_line(report, "predicted", line.data);
    pm_str_release(&line);
}

static void add_evidence(const struct pm_audit *audit, struct pm_report *report)
{
    const struct pm_audit_evidence *e = audit->evidence;
    struct pm_str line = PM_STR_INIT;
    if (!e->run_id) {
        pm_str_addf(&line, "none: no run in the database measured %s; only %s were checked",
                    e->target,
                    audit->options->predictions ? "a forecast and the rules on device-bound code"
                                                : "the rules on device-bound code");
    } else {
        const long age = pm_audit__age(e->started);
        pm_str_addf(&line, "run %lld of %.10s (%ld day%s old), %s: ", (long long)e->run_id,
                    e->started, age, pm_plural((size_t)(age < 0 ? 0 : age)),
                    pm_evidence_text(e->kind));
        pm_audit__count(&line, e->case_count, "case");
        pm_str_add(&line, " of ");
        pm_audit__count(&line, e->count, "function");
        pm_str_addf(&line, ", %s %s on %s", audit->options->framework, e->version, e->device_name);
        if (e->older_runs)
            pm_str_addf(&line, "; with cases of %zu older run%s", e->older_runs,
                        pm_plural(e->older_runs));
        if (e->further_cases) {
            pm_str_add(&line, "; ");
            pm_audit__count(&line, e->further_cases, "case");
            pm_str_add(&line, " of them from the shipped census");
        }
        if (audit->recorded)
            pm_str_addf(&line, "; recorded calls decide %zu use%s", audit->recorded,
                        pm_plural(audit->recorded));
        if (!e->valid)
            pm_str_add(&line, "; the run is INVALID, so its results prove nothing");
    }
    pm_report_line(report, "evidence", line.data);
    add_predictions(audit, report);
    if (!pm_audit_same_version(audit)) {
        pm_str_clear(&line);
        pm_str_addf(&line,
                    "the code runs with version %s, but the evidence is for version %s, so no "
                    "failure counts as an error: measure the code's version with portmeter run",
                    audit->options->version, e->version);
        pm_report_line(report, "versions", line.data);
    }
    pm_str_release(&line);
}

static int by_unknown(const void *a, const void *b)
{
    const struct pm_audit_use *one = *(const struct pm_audit_use *const *)a,
                              *two = *(const struct pm_audit_use *const *)b;
    const size_t first = one->by_status[PM_AUDIT_UNKNOWN] + one->by_status[PM_AUDIT_ARGUMENTS],
                 second = two->by_status[PM_AUDIT_UNKNOWN] + two->by_status[PM_AUDIT_ARGUMENTS];
    if (first != second)
        return first > second ? -1 : 1;
    return strcmp(one->name, two->name);
}

static void add_unknown(const struct pm_audit *audit, struct pm_report *report)
{
    const struct pm_audit_use **list = pm_alloc((audit->use_count + 1) * sizeof *list);
    struct pm_str line = PM_STR_INIT;
    size_t count = 0;
    for (size_t i = 0; i < audit->use_count; i++)
        if (audit->uses[i].by_status[PM_AUDIT_UNKNOWN] +
            audit->uses[i].by_status[PM_AUDIT_ARGUMENTS])
            list[count++] = &audit->uses[i];
    qsort(list, count, sizeof *list, by_unknown);
    for (size_t i = 0; i < count && i < MOST_ROWS; i++)
        pm_str_addf(&line, "%s%s %zu", i ? ", " : "", list[i]->name,
                    list[i]->by_status[PM_AUDIT_UNKNOWN] + list[i]->by_status[PM_AUDIT_ARGUMENTS]);
    if (count > MOST_ROWS)
        pm_str_addf(&line, " and %zu more (--unknown lists each use)", count - MOST_ROWS);
    if (count)
        pm_report_line(report, "nothing known", line.data);
    pm_str_release(&line);
    free(list);
}

static void add_hidden(const struct pm_audit *audit, struct pm_report *report)
{
    struct pm_str line = PM_STR_INIT;
    if (audit->suppressed)
        pm_str_addf(&line, "%zu by comments", audit->suppressed);
    if (audit->known)
        pm_str_addf(&line, "%s%zu by the baseline", line.length ? ", " : "", audit->known);
    if (line.length)
        pm_report_line(report, "hidden", line.data);
    pm_str_release(&line);
}

/* The findings of one kind that have the same level. Conditions and doubts lower the level of some
 * findings of a kind. */
struct breaking {
    const struct pm_audit_kind *kind;
    enum pm_audit_level level;
    size_t count;
};

static int by_importance(const void *a, const void *b)
{
    const struct breaking *one = a, *two = b;
    if (one->level != two->level)
        return one->level < two->level ? -1 : 1;
    if (one->count != two->count)
        return one->count > two->count ? -1 : 1;
    return (one->kind > two->kind) - (one->kind < two->kind);
}

/* Returns the kinds by level, the most important first. The caller frees the list. */
static struct breaking *breakings(const struct pm_audit *audit, size_t *count)
{
    enum { LEVELS = PM_AUDIT_LEVEL_NOTE + 1 };
    struct breaking *list = pm_alloc((audit->kind_count * LEVELS + 1) * sizeof *list);
    for (size_t i = 0; i < audit->kind_count * LEVELS; i++)
        list[i] =
            (struct breaking){&audit->kinds[i / LEVELS], (enum pm_audit_level)(i % LEVELS), 0};
    for (size_t i = 0; i < audit->finding_count; i++) {
        const struct pm_audit_finding *finding = &audit->findings[i];
        list[finding->kind * LEVELS + finding->level].count += !finding->hidden;
    }
    *count = 0;
    for (size_t i = 0; i < audit->kind_count * LEVELS; i++)
        if (list[i].count)
            list[(*count)++] = list[i];
    qsort(list, *count, sizeof *list, by_importance);
    return list;
}

static void what_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct breaking *row = from->row;
    pm_table_text(table, row->kind->brief ? row->kind->brief : row->kind->message);
}

static const struct pm_column kind_columns[] = {
    {"level", "level", PM_CELL_WORD, PM_WORD(struct breaking, level, audit_level)},
    {"uses", "uses", PM_CELL_COUNT, PM_MEMBER(struct breaking, count)},
    {"what", "what", PM_CELL_TEXT, .cell = what_cell},
};

static void add_kinds(const struct pm_audit *audit, struct pm_report *report)
{
    size_t count;
    struct breaking *list = breakings(audit, &count);
    struct pm_table *table = pm_table_new("breaks", "What breaks, and why");
    pm_table_columns(table, kind_columns, true);
    for (size_t i = 0; i < count && i < MOST_ROWS; i++)
        pm_table_row(table, &list[i], NULL);
    if (count > MOST_ROWS) {
        char *note = pm_format("%zu more below", count - MOST_ROWS);
        pm_table_note(table, note);
        free(note);
    }
    if (count)
        pm_report_take_table(report, table);
    else
        pm_table_free(table);
    free(list);
}

static int keep(void *ctx, const char *data, size_t length)
{
    pm_str_add_bytes(ctx, data, length);
    return 0;
}

/* ---- findings -------------------------------------------------------------------------------- */

static void add_findings(const struct pm_audit *audit, bool colour, struct pm_str *out)
{
    static const char *const colours[] = {"\x1b[31m", "\x1b[33m", "\x1b[36m"};
    size_t count;
    const struct pm_audit_finding **list = pm_audit__sorted(audit, false, &count);
    if (count)
        pm_str_add(out, "\n");
    for (size_t i = 0; i < count; i++) {
        const struct pm_audit_kind *kind = &audit->kinds[list[i]->kind];
        pm_line_add(out, audit->files[list[i]->file].path, LONGEST_NAME);
        pm_str_addf(out, ":%u:%u: %s%s%s: ", list[i]->line, list[i]->column,
                    colour ? colours[list[i]->level] : "", pm_audit_level_text(list[i]->level),
                    colour ? "\x1b[0m" : "");
        pm_line_add(out, kind->brief ? kind->brief : kind->message, SIZE_MAX);
        pm_audit__remark(list[i], out);
        pm_str_addf(out, " [%s]\n", kind->rule);
    }
    free(list);
}

void pm_audit__text(const struct pm_audit *audit, const struct pm_audit_how *how,
                    struct pm_str *out)
{
    char *title = pm_format("Audit of %s for %s", audit->options->what, audit->options->target);
    struct pm_report *report = pm_report_new(title);
    struct pm_sink sink = {keep, out};
    struct pm_error err;
    add_answer(audit, report);
    add_uses(audit, report);
    add_evidence(audit, report);
    add_unknown(audit, report);
    add_hidden(audit, report);
    add_kinds(audit, report);
    const struct pm_render_options options = {.width = how->width, .colour = how->colour};
    if (pm_report_render(report, PM_FORMAT_TEXT, &options, &sink, &err))
        PM_BUG(err.text); /* the sink cannot fail */
    pm_report_free(report);
    free(title);
    add_findings(audit, how->colour, out);
}
