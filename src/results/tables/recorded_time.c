/* Makes the table of the time that a recorded program would take on a target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tables/kinds.h"
#include "tables/recorded_table.h"
#include "tables/shared_cells.h"

/* No time is predicted if a smaller share of the program's time is covered. */
static const double LEAST_COVERED = 0.5;

/* How much longer calls take on a target than on its reference, in ns; negative if they are faster.
 * Errors within a function add up, because its cases share a process; those of functions are
 * independent. */
struct difference {
    double more;
    double square; /* sum of the squared half intervals of functions; NaN if a latency has none */
};

/* Sums over the recorded calls whose case has a latency on a target and on its reference. Times are
 * in nanoseconds. */
struct sums {
    double recorded;                        /* time of the calls in the recording */
    double target, reference;               /* calls x latency */
    double target_square, reference_square; /* sums of the squared half intervals of functions; NaN
                                               if a latency has no interval */
    struct difference calls, gradients;
    double
        gradient_reference; /* calls x time of the gradients, on the reference; 0: not measured */
    size_t compiling;       /* cases that compile in every call, there or on the reference */
};

/* The latencies of one recorded case by one clock. */
struct pair {
    const struct pm_reading_statistic *there, *here; /* on the target and on its reference */
};

struct time_row {
    int target;
    double took, covered, calls;
    double reference, latency;
    struct pm_interval ratio, predicted;
    const char *says;
};

static const struct pm_column columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct time_row, target)},
    {"took", "program took", PM_CELL_TIME, PM_MEMBER(struct time_row, took)},
    {"covered", "share in measured calls", PM_CELL_SHARE, PM_MEMBER(struct time_row, covered)},
    {"reference", "calls x latency, reference", PM_CELL_TIME,
     PM_MEMBER(struct time_row, reference)},
    {"latency", "calls x latency", PM_CELL_TIME, PM_MEMBER(struct time_row, latency)},
    {"ratio", "ratio", PM_CELL_RATIO, PM_MEMBER(struct time_row, ratio), .intervals = true},
    {"predicted", "predicted", PM_CELL_TIME, PM_MEMBER(struct time_row, predicted),
     .intervals = true},
    {"says", "note", PM_CELL_TEXT, PM_MEMBER(struct time_row, says)},
};

static struct pair pair_of(const struct pm_reading *r, const struct pm_reading_case *c,
                           enum pm_clock clock)
{
    return (struct pair){pm_tables__latency_of(r, c, clock),
                         pm_tables__latency_of(r, &r->cases[c->reference - 1], clock)};
}

static bool is_whole(const struct pair *p)
{
    return p->there && p->here && !p->there->compiles && !p->here->compiles;
}

/* Returns half the width of an interval (ns); NaN if there is none. */
static double half(const struct pm_reading_statistic *s)
{
    return (s->high - s->low) / 2;
}

/* The half intervals of one function, added up. */
struct halves {
    double target, reference;
};

/* Adds a case with `calls` calls (a number that may be a fraction). */
static void add_pair(const struct pair *p, double calls, struct difference *sum,
                     struct halves *halves)
{
    sum->more += calls * (p->there->value - p->here->value);
    halves->target += calls * half(p->there);
    halves->reference += calls * half(p->here);
}

static void add_halves(const struct halves *halves, struct difference *sum)
{
    sum->square += halves->target * halves->target + halves->reference * halves->reference;
}

/* Adds the cases of one function, which begin at `first`. Returns the index after them. If calls
 * took less time in the program than their latency on the reference, only the same part of the
 * difference counts. */
static size_t add_function(const struct pm_reading *r, size_t first, struct sums *sums)
{
    const struct pm_reading_case *of = &r->cases[first];
    struct halves whole = {0}, part = {0}, gradients = {0};
    size_t i = first;
    for (; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (c->target != of->target || strcmp(c->function, of->function) != 0)
            break;
        const struct pm_recorded_case *recorded = pm_tables__recorded_of(r, c);
        if (!recorded || !c->reference || c->outcome != PM_OUTCOME_PASS)
            continue;
        const struct pair p = pair_of(r, c, PM_CLOCK_WARM);
        if (!p.there || !p.here)
            continue;
        if (!is_whole(&p)) {
            sums->compiling++;
            continue;
        }
        const double calls = (double)recorded->outer, took = (double)recorded->outer_ns;
        sums->recorded += took;
        sums->target += calls * p.there->value;
        sums->reference += calls * p.here->value;
        whole.target += calls * half(p.there);
        whole.reference += calls * half(p.here);
        add_pair(&p, fmin(calls, took / p.here->value), &sums->calls, &part);
        const struct pair backward = pair_of(r, c, PM_CLOCK_BACKWARD);
        if (is_whole(&backward)) {
            sums->gradient_reference += calls * backward.here->value;
            add_pair(&backward, calls, &sums->gradients, &gradients);
        }
    }
    sums->target_square += whole.target * whole.target;
    sums->reference_square += whole.reference * whole.reference;
    add_halves(&part, &sums->calls);
    add_halves(&gradients, &sums->gradients);
    return i;
}

/* Returns the time (ns) of recorded calls that compute gradients. Cases with gradients represent
 * these calls. */
static double gradient_ns(const struct pm_recorded *recorded, const char *framework)
{
    double ns = 0;
    for (size_t i = 0; i < recorded->call_count; i++) {
        const struct pm_recorded_call *c = &recorded->calls[i];
        if (!strcmp(c->framework, framework) &&
            (pm_ends_with(c->function, ".backward") || pm_ends_with(c->function, "autograd.grad")))
            ns += (double)c->outer_ns;
    }
    return ns;
}

/* Predicts the time of a program: what it took, and the difference of the latencies. What else
 * makes its calls longer than repeated ones is assumed to stay. recorded: time of the measured
 * calls and their gradients; gradients: time of the latter. */
static struct pm_interval predict(double took, double recorded, double gradients,
                                  const struct sums *sums)
{
    const double part = gradients > 0 ? fmin(1, gradients / sums->gradient_reference) : 0;
    /* calls of parallel processes together take longer than the program */
    const double parallel = recorded > took ? took / recorded : 1;
    const double more = parallel * (sums->calls.more + part * sums->gradients.more);
    const double square = sums->calls.square + part * part * sums->gradients.square;
    const double mid = fmax(took + more, 0), error = parallel * sqrt(square);
    return (struct pm_interval){isnan(error) ? NAN : fmax(mid - error, 0), mid, mid + error};
}

static struct time_row row_of(const struct pm_reading *r, int target, const struct sums *sums)
{
    const double took = (double)r->recorded->took;
    struct time_row row = {
        .target = target, .took = took, .says = "", .predicted = {NAN, NAN, NAN}};
    const double gradients =
        sums->gradient_reference > 0 ? gradient_ns(r->recorded, r->targets[target].framework) : 0;
    const double recorded = sums->recorded + gradients;
    row.covered = took > 0 ? fmin(recorded / took, 1) : NAN;
    row.reference = sums->reference;
    row.latency = sums->target;
    const double ratio = sums->target / sums->reference;
    const double error = sqrt(sums->target_square / (sums->target * sums->target) +
                              sums->reference_square / (sums->reference * sums->reference));
    const double factor = exp(error);
    row.ratio = (struct pm_interval){ratio / factor, ratio, ratio * factor};
    if (row.covered >= LEAST_COVERED)
        row.predicted = predict(took, recorded, gradients, sums);
    else
        row.says = "no time is predicted";
    return row;
}

void pm_tables__add_recorded_time(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("recorded_time", "Time of the recorded program");
    bool any = false;
    size_t compiling = 0;
    pm_table_columns(t, columns, r->for_people);
    for (size_t target = 0; r->recorded && target < r->target_list.count; target++) {
        struct sums sums = {0};
        for (size_t i = 0; i < r->case_list.count;)
            i = r->cases[i].target == (int)target && pm_reading_shows(r, (int)target)
                    ? add_function(r, i, &sums)
                    : i + 1;
        if (sums.reference <= 0 && !sums.compiling)
            continue;
        compiling += sums.compiling;
        const struct time_row row = row_of(r, (int)target, &sums);
        pm_table_row(t, &row, r);
        any = true;
    }
    if (any) {
        char *note = pm_format(
            "predicted: the recorded time, and for each measured call and its gradient the "
            "difference of the latencies; compilation and transfers are not included; "
            "empty if less than %.0f %% of the program's time is in measured calls",
            LEAST_COVERED * 100);
        pm_table_note(t, note);
        free(note);
    }
    if (compiling) {
        char *note = pm_format("%zu measured case%s in every call: a latency with compilation is "
                               "excluded",
                               compiling, compiling == 1 ? " compiles" : "s compile");
        pm_table_note(t, note);
        free(note);
    }
    pm_tables__take(r, report, t);
}
