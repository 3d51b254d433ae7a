/* Makes the table that says why a recorded program would be slow on a target: the places of its
 * calls, with the time there by what it is spent on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/shard.h"
#include "base/str.h"
#include "environment/environment.h"
#include "tables/kinds.h"
#include "tables/recorded_costs.h"
#include "tables/recorded_table.h"
#include "tables/shared_cells.h"
#include "text/numbers.h"

/* The outermost calls of a function at one place, on one target. Times are in nanoseconds; NaN: not
 * measured. */
struct spot {
    int target;
    const struct pm_recorded_call *call;
    const char *function;
    char *place;
    int64_t calls, cases; /* `cases`: distinct signatures that became a case */
    double firsts;        /* first calls of measured cases, each in one process */
    double measured;      /* share of the calls whose case has a latency there */
    double recorded;      /* what the calls took in the recording */
    double time, cold, transfer, reads, running;
    double share; /* of the time of all places on the target */
    double cold_share, transfer_share, reads_share, running_share; /* of `time` */
    double each_cold; /* mean of what a first call of its cases takes longer */
    bool fails;       /* a case of it does not pass there */
    const char *says;
};

static const struct pm_column columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct spot, target)},
    {"place", "place", PM_CELL_NAME, PM_MEMBER(struct spot, place)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct spot, function)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct spot, calls)},
    {"measured", "measured", PM_CELL_SHARE, PM_MEMBER(struct spot, measured)},
    {"recorded", "recorded", PM_CELL_TIME, PM_MEMBER(struct spot, recorded)},
    {"time", "predicted", PM_CELL_TIME, PM_MEMBER(struct spot, time)},
    {"share", "share", PM_CELL_SHARE, PM_MEMBER(struct spot, share)},
    {"first_calls", "first calls", PM_CELL_COUNT, PM_MEMBER(struct spot, firsts)},
    {"cold", "first calls", PM_CELL_SHARE, PM_MEMBER(struct spot, cold_share)},
    {"transfer", "transfer", PM_CELL_SHARE, PM_MEMBER(struct spot, transfer_share)},
    {"reads", "host reads", PM_CELL_SHARE, PM_MEMBER(struct spot, reads_share)},
    {"running", "running", PM_CELL_SHARE, PM_MEMBER(struct spot, running_share)},
    {"says", "note", PM_CELL_TEXT, PM_MEMBER(struct spot, says)},
};

/* Returns whether a function returns values of an array to Python, which waits for the device. */
static bool reads_host(const char *function)
{
    static const char *const reads[] = {
        ".item",      ".tolist",     ".numpy",         ".cpu",           ".is_nonzero",
        ".__bool__",  ".__float__",  ".__int__",       ".__index__",     ".__complex__",
        ".__array__", "torch.equal", "torch.allclose", "jax.device_get",
    };
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (pm_ends_with(function, reads[i]))
            return true;
    return false;
}

static bool is_there(const struct pm_recorded_place *a, const struct pm_recorded_place *b)
{
    return a->line == b->line && a->column == b->column && a->first == b->first &&
           !strcmp(a->path, b->path);
}

static void add(double *sum, double value)
{
    *sum = (isnan(*sum) ? 0 : *sum) + value;
}

/* Adds the calls of a case at one of its places. Returns the number of these calls that have a
 * latency. A latency includes the copy of arrays that the call gets from the host. A case of a call
 * that copies to a device has its input there, so its latency does not include the copy. */
static double add_case(struct spot *spot, const struct pm_tables__costs *costs,
                       const struct pm_tables__cost *cost, const struct pm_recorded_case *of,
                       const struct pm_recorded_place *at)
{
    const double outer = (double)at->outer;
    if (isnan(cost->warm) || at->outer <= 0)
        return 0;
    const double firsts = (double)(cost->always_cold ? at->outer : at->first_outer);
    double moved = NAN, repeated = cost->warm;
    if (of->moves)
        moved = cost->transfer_in;
    else if (of->host_bytes > 0) {
        moved = fmin(cost->warm, pm_tables__transfer_ns(costs, (double)of->host_bytes));
        moved = costs->transfer_count ? moved : NAN;
        repeated -= isnan(moved) ? 0 : moved;
    }
    add(reads_host(spot->function) ? &spot->reads : &spot->running, outer * repeated);
    add(&spot->firsts, firsts);
    if (!isnan(moved))
        add(&spot->transfer, outer * moved);
    if (!isnan(cost->cold))
        add(&spot->cold, firsts * cost->cold);
    return outer;
}

static void add_cases(const struct pm_reading *r, const struct pm_tables__costs *costs,
                      struct spot *spot)
{
    size_t count = 0;
    double measured = 0, colds = 0, cold = 0;
    const struct pm_reading_case *cases =
        pm_reading_cases_of(r, spot->target, spot->function, &count);
    for (size_t i = 0; i < count; i++) {
        const struct pm_recorded_case *of = pm_tables__recorded_of(r, &cases[i]);
        for (size_t k = 0; of && k < of->place_count; k++) {
            if (!is_there(&of->places[k], &spot->call->place))
                continue;
            spot->cases++;
            spot->fails |= cases[i].outcome != PM_OUTCOME_PASS;
            const struct pm_tables__cost *cost = &costs->items[&cases[i] - r->cases];
            measured += add_case(spot, costs, cost, of, &of->places[k]);
            colds += !isnan(cost->cold);
            cold += isnan(cost->cold) ? 0 : cost->cold;
        }
    }
    spot->each_cold = colds > 0 ? cold / colds : NAN;
    spot->measured = spot->calls > 0 ? fmin(1, measured / (double)spot->calls) : NAN;
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

static void finish(struct spot *spot)
{
    if (spot->measured > 0) {
        spot->time = or_zero(spot->cold) + or_zero(spot->transfer) + or_zero(spot->reads) +
                     or_zero(spot->running);
        spot->cold_share = spot->cold / spot->time;
        spot->transfer_share = spot->transfer / spot->time;
        spot->reads_share = spot->reads / spot->time;
        spot->running_share = spot->running / spot->time;
    } else
        spot->says = !strcmp(spot->call->form, "compiled") ? "compiled by the program: no case"
                     : spot->fails                         ? "fails there"
                     : spot->cases                         ? "no latency"
                                                           : "no case";
}

static double weight(const struct spot *spot)
{
    return isnan(spot->time) ? spot->recorded : spot->time;
}

/* Orders by time; a place that was not measured counts with its time in the recording. */
static int by_weight(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    if (weight(a) < weight(b) || weight(a) > weight(b))
        return weight(a) > weight(b) ? -1 : 1;
    const int places = strcmp(a->place, b->place);
    return places ? places : strcmp(a->function, b->function);
}

/* Fills in a row for each place with outermost calls. Returns the number of rows. */
static size_t spots_of(const struct pm_reading *r, int target, const struct pm_tables__costs *costs,
                       struct spot *spots)
{
    size_t count = 0;
    double all = 0;
    for (size_t i = 0; i < r->recorded->call_count; i++) {
        const struct pm_recorded_call *c = &r->recorded->calls[i];
        if (strcmp(c->framework, r->targets[target].framework) != 0 || c->outer <= 0)
            continue;
        struct spot *spot = &spots[count++];
        *spot =
            (struct spot){.target = target,
                          .call = c,
                          .function = c->function,
                          .place = pm_format("%s:%lld", c->place.path, (long long)c->place.line),
                          .calls = c->outer,
                          .recorded = (double)c->outer_ns,
                          .firsts = NAN,
                          .time = NAN,
                          .cold = NAN,
                          .each_cold = NAN,
                          .transfer = NAN,
                          .transfer_share = NAN,
                          .reads = NAN,
                          .running = NAN,
                          .share = NAN,
                          .cold_share = NAN,
                          .reads_share = NAN,
                          .running_share = NAN,
                          .says = ""};
        add_cases(r, costs, spot);
        finish(spot);
        all += or_zero(spot->time);
    }
    for (size_t i = 0; i < count; i++)
        spots[i].share = spots[i].time / all;
    qsort(spots, count, sizeof *spots, by_weight);
    return count;
}

static void note_start(const struct pm_reading *r, int target, const struct pm_tables__costs *costs,
                       struct pm_table *t)
{
    struct pm_str text = PM_STR_INIT;
    if (!(costs->start > 0))
        return;
    pm_str_addf(&text, "%s: the first call of a process took ", r->targets[target].text);
    pm_text_time(&text, costs->start);
    pm_str_addf(&text, " longer than other first calls (median): once in each process, and in no "
                       "row");
    pm_table_note(t, text.data);
    pm_str_release(&text);
}

void pm_tables__add_recorded_hotspots(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("recorded_hotspots", "Why the recorded program is slow");
    struct spot *spots =
        pm_alloc(((r->recorded ? r->recorded->call_count : 0) + 1) * sizeof *spots);
    bool any = false;
    pm_table_columns(t, columns, r->for_people);
    for (size_t target = 0; r->recorded && target < r->target_list.count; target++) {
        struct pm_tables__costs costs;
        if (!r->targets[target].latencies || pm_reading_has_subject(r, (int)target))
            continue;
        pm_tables__costs_of(r, (int)target, &costs);
        const size_t count = spots_of(r, (int)target, &costs, spots);
        for (size_t i = 0; i < count; i++) {
            pm_table_row(t, &spots[i], r);
            free(spots[i].place);
        }
        note_start(r, (int)target, &costs, t);
        pm_tables__costs_release(&costs);
        any |= count > 0;
    }
    if (any)
        pm_table_note(
            t, "recorded: time in the recording; share: of all predicted times; first "
               "calls, transfer, host reads, running: parts of the predicted time; an empty cell "
               "was not measured; calls inside other recorded calls are in "
               "the row of the outer call; a place without a prediction is sorted by its "
               "time in the recording");
    free(spots);
    pm_tables__take(r, report, t);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

struct shapes_row {
    const char *target; /* "": no target that compiles was measured */
    const struct spot *spot;
    const char *function, *place, *varies, *advice;
    char *examples;
    int64_t calls, shapes, compilations;
    double ns; /* what compiling them takes there; NaN: not measured */
};

static const struct pm_column shapes_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct shapes_row, target)},
    {"place", "place", PM_CELL_NAME, PM_MEMBER(struct shapes_row, place)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct shapes_row, function)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct shapes_row, calls)},
    {"shapes", "shapes", PM_CELL_COUNT, PM_MEMBER(struct shapes_row, shapes)},
    {"compilations", "compilations", PM_CELL_COUNT, PM_MEMBER(struct shapes_row, compilations)},
    {"cold", "first calls", PM_CELL_TIME, PM_MEMBER(struct shapes_row, ns)},
    {"varies", "what varies", PM_CELL_TEXT, PM_MEMBER(struct shapes_row, varies)},
    {"examples", "examples", PM_CELL_TEXT, PM_MEMBER(struct shapes_row, examples)},
    {"advice", "what to do", PM_CELL_TEXT, PM_MEMBER(struct shapes_row, advice)},
};

/* How a target compiles. */
struct compiler {
    const char *advice; /* how a program avoids new compilations; NULL: it compiles no call, or the
                           table of frameworks does not know it any more */
    bool variable;      /* it makes sizes variable */
};

static struct compiler compiler_of(const struct pm_reading_target *t)
{
    struct pm_target target;
    struct compiler c = {0};
    char *text = pm_strndup(t->text, (size_t)pm_shard_typed(t->text));
    if (!pm_target_parse(text, &target, NULL)) {
        c = (struct compiler){target.recompiles ? target.fewer_shapes : NULL,
                              target.makes_sizes_variable};
        pm_target_release(&target);
    }
    free(text);
    return c;
}

/* Returns how often a call compiles for the shapes of a place. */
static int64_t compilations_of(const struct pm_recorded_call *call, bool variable)
{
    return variable && call->variable >= 0 ? call->variable : call->shapes;
}

static char *examples_of(const struct pm_recorded_call *call)
{
    struct pm_str text = PM_STR_INIT;
    size_t i;
    json_t *example;
    json_array_foreach((json_t *)(uintptr_t)call->examples, i, example)
        pm_str_addf(&text, "%s%s", i ? "; " : "", json_string_value(example));
    return pm_str_detach(&text);
}

static int by_cost(const void *left, const void *right)
{
    const struct shapes_row *a = left, *b = right;
    const double x = or_zero(a->ns), y = or_zero(b->ns);
    if (x < y || x > y)
        return x > y ? -1 : 1;
    if (a->shapes != b->shapes)
        return a->shapes > b->shapes ? -1 : 1;
    return by_weight(a->spot, b->spot);
}

/* Adds the places that compile too often, those that cost most first. `target`: an index, which the
 * table does not name if the target does not compile. */
static void add_shapes(const struct pm_reading *r, int target, struct compiler compiler,
                       struct spot *spots, struct pm_table *t)
{
    struct pm_tables__costs costs;
    size_t count = 0;
    pm_tables__costs_of(r, target, &costs);
    const size_t spot_count = spots_of(r, target, &costs, spots);
    struct shapes_row *rows = pm_alloc((spot_count + 1) * sizeof *rows);
    for (size_t i = 0; i < spot_count; i++) {
        const struct pm_recorded_call *c = spots[i].call;
        const int64_t compilations = compilations_of(c, compiler.variable);
        if (compilations <= pm_tables__many_shapes(r))
            continue;
        rows[count++] = (struct shapes_row){
            .target = compiler.advice ? r->targets[target].text : "",
            .spot = &spots[i],
            .function = c->function,
            .place = spots[i].place,
            .varies = c->varies,
            .advice = compiler.advice ? compiler.advice : "pad to a few sizes",
            .examples = examples_of(c),
            .calls = c->outer,
            .shapes = c->shapes,
            .compilations = compilations,
            .ns = compiler.advice ? (double)compilations * spots[i].each_cold : NAN};
    }
    qsort(rows, count, sizeof *rows, by_cost);
    for (size_t i = 0; i < count; i++) {
        pm_table_row(t, &rows[i], r);
        free(rows[i].examples);
    }
    for (size_t i = 0; i < spot_count; i++)
        free(spots[i].place);
    free(rows);
    pm_tables__costs_release(&costs);
}

void pm_tables__add_recorded_shapes(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("recorded_shapes", "Shapes that compile again");
    struct spot *spots =
        pm_alloc(((r->recorded ? r->recorded->call_count : 0) + 1) * sizeof *spots);
    pm_table_columns(t, shapes_columns, r->for_people);
    bool any = false;
    for (size_t i = 0; r->recorded && i < r->target_list.count; i++) {
        const struct compiler compiler = compiler_of(&r->targets[i]);
        if (!compiler.advice || pm_reading_has_subject(r, (int)i))
            continue;
        add_shapes(r, (int)i, compiler, spots, t);
        any = true;
    }
    for (size_t i = 0; r->recorded && !any && i < r->target_list.count; i++)
        if (!pm_reading_has_subject(r, (int)i)) {
            add_shapes(r, (int)i, (struct compiler){0}, spots, t);
            any = true;
        }
    char *note = pm_format("places that compile for more than %lld shapes (--shapes); first calls: "
                           "compilations times what a first call of the measured cases there takes "
                           "longer, if each call is compiled alone",
                           (long long)pm_tables__many_shapes(r));
    if (pm_table_rows(t))
        pm_table_note(t, note);
    free(note);
    free(spots);
    pm_tables__take(r, report, t);
}
