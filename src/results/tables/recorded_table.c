/* Makes the tables of a recorded program: the outcome of each recorded call on a target, with its
 * share of all calls, and the time of each place. */
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
    double share; /* of the recorded calls of the framework outside traces */
};

/* Orders by target, then cases that break before cases that pass, then by the number of calls. */
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

/* Returns the number of calls of a framework that are outside a trace. */
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

const struct pm_recorded_case *pm_tables__recorded_of(const struct pm_reading *r,
                                                      const struct pm_reading_case *c)
{
    const char *framework = r->targets[c->target].framework;
    const size_t length = strcspn(c->name, "[");
    for (size_t i = 0; i < r->recorded->function_count; i++) {
        const struct pm_recorded_function *f = &r->recorded->functions[i];
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
    {"share", "share of calls", PM_CELL_SHARE, PM_MEMBER(struct recorded_row, share)},
    {"result", "result", PM_CELL_WORD, PM_MEMBER(struct recorded_row, result)},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct recorded_row, reason)},
    {"detail", "message", PM_CELL_TEXT, PM_MEMBER(struct recorded_row, detail)},
};

/* Fills in a row for each shown case that was recorded. Returns the number of rows. */
static size_t rows_of(const struct pm_reading *r, struct recorded_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        const char *framework = r->targets[c->target].framework;
        if (!pm_reading_shows(r, c->target))
            continue;
        const struct pm_recorded_case *of = pm_tables__recorded_of(r, c);
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
        pm_table_note(
            t, "shares are of all recorded calls outside traces, including calls that are not "
               "listed because they became no case or were not measured");
    free(rows);
    pm_tables__take(r, report, t);
}

/* ---- places ---------------------------------------------------------------------------------- */

struct place_row {
    const char *function;
    char *place;
    int64_t calls, shapes;
    double ns;          /* own time, on the machine of the recording */
    double share, cold; /* share of all places; part in first calls */
    bool recompiles;
};

static int by_time(const void *left, const void *right)
{
    const struct place_row *a = left, *b = right;
    if (a->ns < b->ns || a->ns > b->ns)
        return a->ns > b->ns ? -1 : 1;
    const int places = strcmp(a->place, b->place);
    return places ? places : strcmp(a->function, b->function);
}

static const struct pm_column place_columns[] = {
    {"place", "place", PM_CELL_NAME, PM_MEMBER(struct place_row, place)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct place_row, function)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct place_row, calls)},
    {"shapes", "shapes", PM_CELL_COUNT, PM_MEMBER(struct place_row, shapes)},
    {"recompiles", "recompiles", PM_CELL_WORD, PM_YES(struct place_row, recompiles)},
    {"time", "time", PM_CELL_TIME, PM_MEMBER(struct place_row, ns)},
    {"share", "share of time", PM_CELL_SHARE, PM_MEMBER(struct place_row, share)},
    {"first", "share in first calls", PM_CELL_SHARE, PM_MEMBER(struct place_row, cold)},
};

void pm_tables__add_recorded_places(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("recorded_places", "Places of the recorded program");
    const size_t count = r->recorded ? r->recorded->call_count : 0;
    struct place_row *rows = pm_alloc((count + 1) * sizeof *rows);
    double all = 0;
    pm_table_columns(t, place_columns, r->for_people);
    for (size_t i = 0; i < count; i++)
        all += (double)r->recorded->calls[i].ns;
    for (size_t i = 0; i < count; i++) {
        const struct pm_recorded_call *c = &r->recorded->calls[i];
        const double ns = (double)c->ns;
        rows[i] = (struct place_row){
            .function = c->function,
            .place = pm_format("%s:%lld", c->place.path, (long long)c->place.line),
            .calls = c->place.calls,
            .shapes = c->shapes < 0 ? c->fresh : c->shapes,
            .ns = ns,
            .share = all > 0 ? ns / all : NAN,
            .cold = ns > 0 ? (double)c->fresh_ns / ns : NAN,
            .recompiles = (c->shapes < 0 ? c->fresh : c->shapes) > pm_tables__many_shapes(r)};
    }
    qsort(rows, count, sizeof *rows, by_time);
    for (size_t i = 0; i < count; i++) {
        pm_table_row(t, &rows[i], r);
        free(rows[i].place);
    }
    char *note = pm_format("recompiles: the place has more than %lld shapes, and a device that "
                           "compiles does so for each shape; times: as measured in the recording",
                           (long long)pm_tables__many_shapes(r));
    if (count)
        pm_table_note(t, note);
    free(note);
    free(rows);
    pm_tables__take(r, report, t);
}
