/* The table of the calls of a recorded program: what becomes of each on a target, by its share. */
#include "tables/recorded_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"

/* The calls of a program that became one case, and that case on a target. */
struct recorded_row {
    const struct pm_reading_case *c;
    int target;
    const char *function, *name, *result, *reason, *detail;
    char *place; /* where the program calls it most often */
    int64_t calls;
    double share; /* of all recorded calls of the framework */
};

/* What breaks first, then by the number of calls. */
static int by_weight(const void *left, const void *right)
{
    const struct recorded_row *a = left, *b = right;
    const int targets = a->target - b->target;
    const int passes = (a->c->outcome == PM_OUTCOME_PASS) - (b->c->outcome == PM_OUTCOME_PASS);
    if (targets || passes)
        return targets ? targets : passes;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    const int functions = strcmp(a->function, b->function);
    return functions ? functions : strcmp(a->name, b->name);
}

/* Returns all calls of a framework that are in no trace. */
static int64_t calls_of(const struct pm_recorded *recorded, const char *framework)
{
    int64_t calls = 0;
    for (size_t i = 0; i < recorded->call_count; i++)
        if (!strcmp(recorded->calls[i].framework, framework))
            calls += recorded->calls[i].place.calls - recorded->calls[i].traced;
    return calls;
}

static char *place_of(const struct pm_recorded_case *of)
{
    const struct pm_recorded_place *most = NULL;
    for (size_t i = 0; i < of->place_count; i++)
        if (!most || of->places[i].calls > most->calls)
            most = &of->places[i];
    return most ? pm_format("%s:%lld", most->path, (long long)most->line) : pm_strdup("");
}

/* Returns the recorded calls of a case: those of "recorded 1" for "recorded 1[float32]". */
static const struct pm_recorded_case *recorded_of(const struct pm_recorded *recorded,
                                                  const char *framework,
                                                  const struct pm_reading_case *c)
{
    const size_t length = strcspn(c->name, "[");
    for (size_t i = 0; i < recorded->function_count; i++) {
        const struct pm_recorded_function *f = &recorded->functions[i];
        if (strcmp(f->name, c->function) || strcmp(f->framework, framework))
            continue;
        for (size_t k = 0; k < f->case_count; k++)
            if (strlen(f->cases[k].name) == length && !strncmp(f->cases[k].name, c->name, length))
                return &f->cases[k];
    }
    return NULL;
}

static const struct pm_column columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct recorded_row, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct recorded_row, function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct recorded_row, name)},
    {"place", "mostly at", PM_CELL_NAME, PM_MEMBER(struct recorded_row, place)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct recorded_row, calls)},
    {"share", "% of calls", PM_CELL_SHARE, PM_MEMBER(struct recorded_row, share)},
    {"result", "result", PM_CELL_WORD, PM_MEMBER(struct recorded_row, result)},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct recorded_row, reason)},
    {"detail", "message", PM_CELL_TEXT, PM_MEMBER(struct recorded_row, detail)},
};

/* Adds the rows of the cases; returns how many. */
static size_t rows_of(const struct pm_reading *r, struct recorded_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        const char *framework = r->targets[c->target].framework;
        if (!pm_reading_shows(r, c->target))
            continue;
        const struct pm_recorded_case *of = recorded_of(r->recorded, framework, c);
        if (of)
            rows[count++] = (struct recorded_row){
                .c = c,
                .target = c->target,
                .function = c->function,
                .name = c->name,
                .result = pm_outcome_text(c->outcome),
                .reason = c->reason,
                .detail = c->detail,
                .place = place_of(of),
                .calls = of->calls,
                .share = (double)of->calls / (double)calls_of(r->recorded, framework)};
    }
    return count;
}

void pm_tables__add_recorded(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("recorded", "Calls of the recorded program");
    pm_table_columns(t, columns, r->for_people);
    struct recorded_row *rows = pm_alloc((r->case_list.count + 1) * sizeof *rows);
    const size_t count = r->recorded ? rows_of(r, rows) : 0;
    qsort(rows, count, sizeof *rows, by_weight);
    for (size_t i = 0; i < count; i++) {
        pm_table_row(t, &rows[i], r);
        free(rows[i].place);
    }
    if (count)
        pm_table_note(t, "calls that became no case, and cases that were not measured, are missing "
                         "here and are in the share");
    free(rows);
    pm_tables__take(r, report, t);
}
