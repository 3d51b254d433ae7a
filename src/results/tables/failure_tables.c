/* Makes the table of cases that fail, the rows of failing cases that are not counted, and the table
 * of the messages of a function. */
#include <string.h>

#include "base/alloc.h"
#include "report/format.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"

/* Returns why a case that does not pass is not counted. Do not call it for cases that fail on the
 * reference: pm_tables__reference_failures() adds these. */
static const char *why_not_counted(const struct pm_reading *r, const struct pm_reading_case *c)
{
    const struct pm_reading_case *reference = pm_reading_reference(r, c);
    if (c->raises)
        return "it must raise an exception";
    if (c->outcome == PM_OUTCOME_BLOCKED)
        return c->stage == PM_STAGE_COMPARE ? "its output or check raises an exception"
                                            : "its setup fails";
    if (c->failed && (!reference || reference->passed) && c->kind != PM_CASE_KIND_CORE)
        return "no core case of its function is counted";
    return "an error in the case or in portmeter";
}

static bool is_shown(const struct pm_reading *r, const struct pm_reading_judgement *j)
{
    return pm_outcome_is_wrong(j->outcome) && !pm_reading_is_oracle(&r->targets[j->target]);
}

static bool is_failure(const struct pm_reading *r, const struct pm_reading_judgement *j)
{
    return is_shown(r, j) && j->case_counts;
}

static bool is_not_counted(const struct pm_reading *r, const struct pm_reading_judgement *j)
{
    if (!is_shown(r, j) || j->case_counts)
        return false;
    const struct pm_reading_case *c = pm_reading_case(r, j->target, j->function, j->name);
    return c && !pm_reading_is_excluded(r, c);
}

/* ---- failures that are alike ---------------------------------------------------------------- */

/* Cases of one function on one target that fail in the same way. */
struct failure {
    struct pm_reading_judgement first;
    const struct pm_reading_judgement *last;
    int64_t cases;
};

struct failure_list {
    struct failure *items;
    size_t count, capacity;
    bool (*is_one)(const struct pm_reading *r, const struct pm_reading_judgement *j);
    bool one_each; /* a row for each case */
};

static bool fail_alike(const struct pm_reading_judgement *a, const struct pm_reading_judgement *b)
{
    return a->target == b->target && !strcmp(a->function, b->function) &&
           a->outcome == b->outcome && a->stage == b->stage && a->precision == b->precision &&
           !strcmp(a->detail, b->detail);
}

/* Counts a failure. The repetitions of a case are consecutive. A repetition with the same outcome
 * is not a new case, even if its message differs, for example in a number. */
static void count_failure(struct failure_list *failures, const struct pm_reading_judgement *j)
{
    for (size_t i = failures->count; i-- > 0;) {
        struct failure *f = &failures->items[i];
        if (f->first.target != j->target || strcmp(f->first.function, j->function))
            break;
        const bool again = !strcmp(f->last->name, j->name) && f->last->outcome == j->outcome;
        if (!again && (failures->one_each || !fail_alike(&f->first, j)))
            continue;
        f->cases += strcmp(f->last->name, j->name) != 0;
        f->last = j;
        return;
    }
    PM_GROW(failures->items, failures->count, failures->capacity);
    failures->items[failures->count++] = (struct failure){*j, j, 1};
}

static void collect(const struct pm_reading *r, struct failure_list *failures)
{
    failures->one_each = !r->for_people;
    for (size_t i = 0; i < r->judgement_list.count; i++)
        if (failures->is_one(r, &r->judgements[i]))
            count_failure(failures, &r->judgements[i]);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Returns a text such as "not implemented: RuntimeError: ..."; the caller frees it. */
static char *reason_and_message(const struct pm_reading_judgement *j)
{
    return pm_format("%s%s%s%s", *j->reason ? j->reason : "", *j->reason ? ": " : "",
                     j->precision && !*j->reason ? PM_FLOAT_PRECISION ": " : "", j->detail);
}

static void reason_and_message_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    char *message = reason_and_message(&((const struct failure *)from->row)->first);
    pm_table_text(table, message);
    free(message);
}

/* Sets a cell such as "run" or "crash in run": the stage, and the outcome if it is not `fail`. */
static void place_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_judgement *j = &((const struct failure *)from->row)->first;
    const bool plain = j->outcome == PM_OUTCOME_FAIL;
    const char *stage = pm_stage_text(j->stage), *outcome = pm_outcome_text(j->outcome);
    char *place =
        pm_format("%s%s%s", plain && *stage ? "" : outcome, plain || !*stage ? "" : " in ", stage);
    pm_table_text(table, place);
    free(place);
}

static void precision_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct failure *f = from->row;
    pm_table_text(table, f->first.precision ? PM_FLOAT_PRECISION : "");
}

static const struct pm_column failure_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct failure, first.target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct failure, first.function)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct failure, cases), .only = PM_FOR_PEOPLE},
    {"case", "for example", PM_CELL_NAME, PM_MEMBER(struct failure, first.name),
     .only = PM_FOR_PEOPLE},
    {"place", "fails at", PM_CELL_WORD, .cell = place_cell, .only = PM_FOR_PEOPLE},
    {"message", "message", PM_CELL_TEXT, .cell = reason_and_message_cell, .only = PM_FOR_PEOPLE},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct failure, first.name), .only = PM_FOR_PROGRAMS},
    {"outcome", "outcome", PM_CELL_WORD, PM_WORD(struct failure, first.outcome, outcome),
     .only = PM_FOR_PROGRAMS},
    {"stage", "stage", PM_CELL_WORD, PM_WORD(struct failure, first.stage, stage),
     .only = PM_FOR_PROGRAMS},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct failure, first.reason),
     .only = PM_FOR_PROGRAMS},
    {"rule", "rule", PM_CELL_TEXT, PM_MEMBER(struct failure, first.rule), .only = PM_FOR_PROGRAMS},
    {"precision", "precision", PM_CELL_WORD, .cell = precision_cell, .only = PM_FOR_PROGRAMS},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct failure, first.detail),
     .only = PM_FOR_PROGRAMS},
};

void pm_tables__add_failures(const struct pm_reading *r, struct pm_report *report)
{
    struct failure_list failures = {.is_one = is_failure};
    struct pm_table *t = pm_table_new("failures", "Failures");
    pm_table_columns(t, failure_columns, r->for_people);
    if (r->for_people)
        pm_table_group(t);
    collect(r, &failures);
    for (size_t i = 0; i < failures.count; i++)
        pm_table_row(t, &failures.items[i], r);
    if (!failures.count && !r->shows_empty && r->judgement_list.count)
        pm_report_line(report, "failures", "none");
    pm_tables__take(r, report, t);
    free(failures.items);
}

void pm_tables__not_counted_failures(const struct pm_reading *r, struct pm_table *table)
{
    struct failure_list failures = {.is_one = is_not_counted};
    collect(r, &failures);
    for (size_t i = 0; i < failures.count; i++) {
        const struct pm_reading_judgement *j = &failures.items[i].first;
        char *message = reason_and_message(j);
        const struct not_counted row = {
            .target = j->target,
            .function = j->function,
            .name = j->name,
            .result = pm_outcome_text(j->outcome),
            .why_not = why_not_counted(r, pm_reading_case(r, j->target, j->function, j->name)),
            .message = message};
        pm_table_row(table, &row, r);
        free(message);
    }
    free(failures.items);
}

int64_t pm_tables__count_not_counted(const struct pm_reading *r)
{
    struct failure_list failures = {.is_one = is_not_counted};
    int64_t count = 0;
    collect(r, &failures);
    for (size_t i = 0; i < failures.count; i++)
        count += failures.items[i].cases;
    free(failures.items);
    return count;
}

/* ---- of one function ------------------------------------------------------------------------ */

static void message_targets_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_message *m = from->row;
    const struct pm_reading *r = from->context;
    struct pm_str targets = PM_STR_INIT;
    for (size_t i = 0; i < m->target_count; i++)
        pm_str_addf(&targets, "%s%s", i ? ", " : "", r->targets[m->firsts[i]->target].text);
    pm_table_text(table, targets.data);
    pm_str_release(&targets);
}

static void message_names_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_message *m = from->row;
    struct pm_report_cases cases = {0};
    struct pm_str names = PM_STR_INIT;
    for (size_t i = 0; i < m->count && i < PM_READING_NAMED; i++)
        pm_report_cases_add(&cases, m->named[i]->name);
    pm_report_format_cases(&names, &cases);
    if (m->count > PM_READING_NAMED)
        pm_str_addf(&names, " and %zu more", m->count - PM_READING_NAMED);
    pm_table_text(table, names.data);
    pm_str_release(&names);
    pm_report_cases_release(&cases);
}

static void message_outcome_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_message *m = from->row;
    pm_table_text(table, pm_tables__outcome(m->firsts[0]));
}

static void first_case_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_message *m = from->row;
    pm_table_member(table, from, m->firsts[0]);
}

#define OF_FIRST(name) PM_MEMBER(struct pm_reading_case, name), .cell = first_case_cell

static const struct pm_column message_columns[] = {
    {"message", "message", PM_CELL_TEXT, OF_FIRST(detail)},
    {"targets", "targets", PM_CELL_NAME, .cell = message_targets_cell},
    {"outcome", "outcome", PM_CELL_WORD, .cell = message_outcome_cell},
    {"stage", "stage", PM_CELL_NAME, PM_WORD(struct pm_reading_case, stage, stage),
     .cell = first_case_cell},
    {"reason", "reason", PM_CELL_NAME, OF_FIRST(reason)},
    {"rule", "rule", PM_CELL_NAME, OF_FIRST(rule)},
    {"names", "cases", PM_CELL_TEXT, .cell = message_names_cell},
};

struct pm_table *pm_tables__message_table(const struct page_source *source,
                                          const struct pm_reading_messages *messages)
{
    struct pm_table *t = pm_table_new("messages", "Messages");
    bool varies = false;
    pm_table_columns(t, message_columns, source->r->for_people);
    for (size_t i = 0; i < messages->count; i++) {
        varies |= messages->items[i].varies;
        pm_table_row(t, &messages->items[i], source->r);
    }
    if (varies)
        pm_table_note(t,
                      "messages that differ only in words with digits share a row, which shows the "
                      "message of the first case");
    return t;
}
