/* Computes the latencies and ratios of a run, with their intervals, and its noise floor. */
#include "assess/latencies.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/stop.h"
#include "stat/stat.h"
#include "store/judgements.h"
#include "store/timings.h"

/* The timings of a case in one process. Each repetition has a process of its own. */
struct process {
    unsigned repetition;
    double log_median; /* natural logarithm of the median in ns */
};

/* The timings of one case on one target by one clock. */
struct series {
    struct process *processes;
    size_t count, capacity;
    double sum; /* sum of all timings, in ns */
    size_t timings;
    bool compiles; /* in a process, the framework compiled in each call; `count` is then 0 */
};

struct figures {
    struct pm_assess_evidence *all;
    struct series *series; /* by pm_assess_evidence_place(); the last one is always empty */
    enum pm_clock clock;
    bool means; /* the run uses the paper's clock: means, not medians */
};

/* The chosen cases of one function, as indices into the cases of the evidence. */
struct choice {
    size_t *cases;
    size_t count;
};

static const struct series *series_of(const struct figures *f, int target, size_t c)
{
    return &f->series[pm_assess_evidence_place(f->all, target, &f->all->cases[c])];
}

/* Keeps the timings of an execution, without those that include compilation. Retries are ignored:
 * they run beside other processes, so their times are not comparable. Cold timings count only from
 * the first execution in a process. */
static int keep_timing(void *ctx, const struct pm_timing_row *row)
{
    struct figures *f = ctx;
    const struct pm_assess_execution *e = pm_assess_evidence_by_id(f->all, row->execution_id);
    const bool cold = f->clock == PM_CLOCK_COLD || f->clock == PM_CLOCK_BACKWARD_COLD;
    if (!e || !row->count || e->retry || (cold && e->position))
        return PM_OK;
    struct series *s = &f->series[pm_assess_evidence_place(f->all, e->target, e->test)];
    double *values = pm_alloc(row->count * sizeof *values);
    const size_t count = pm_timing_values(row, values);
    for (size_t i = 0; i < count; i++)
        s->sum += values[i];
    s->timings += count;
    s->compiles = s->compiles || !count;
    PM_GROW(s->processes, s->count, s->capacity);
    if (count)
        s->processes[s->count++] =
            (struct process){e->repetition, log(pm_stat_median(values, count))};
    free(values);
    return PM_OK;
}

/* ---- one row per process, one column per case ---- */

static int by_number(const void *left, const void *right)
{
    const unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return a < b ? -1 : a > b;
}

/* Returns the repetitions in which any of the cases has timings, in ascending order. The caller
 * frees them. */
static unsigned *repetitions_of(const struct figures *f, int target, const struct choice *choice,
                                size_t *count)
{
    size_t all = 0, unique = 0;
    for (size_t k = 0; k < choice->count; k++)
        all += series_of(f, target, choice->cases[k])->count;
    unsigned *out = pm_alloc((all + 1) * sizeof *out);
    for (size_t k = 0, at = 0; k < choice->count; k++) {
        const struct series *s = series_of(f, target, choice->cases[k]);
        for (size_t i = 0; i < s->count; i++)
            out[at++] = s->processes[i].repetition;
    }
    qsort(out, all, sizeof *out, by_number);
    for (size_t i = 0; i < all; i++)
        if (!unique || out[unique - 1] != out[i])
            out[unique++] = out[i];
    *count = unique;
    return out;
}

/* Returns the logarithms of the medians, NAN if a case has no timings in a process. Their array is
 * *values, which the caller frees. */
static struct pm_logs logs_of(const struct figures *f, int target, const struct choice *choice,
                              double **values)
{
    struct pm_logs logs = {.cases = choice->count};
    unsigned *repetitions = repetitions_of(f, target, choice, &logs.processes);
    logs.values = *values = pm_alloc((logs.processes * logs.cases + 1) * sizeof **values);
    for (size_t i = 0; i < logs.processes * logs.cases; i++)
        (*values)[i] = NAN;
    for (size_t k = 0; k < choice->count; k++) {
        const struct series *s = series_of(f, target, choice->cases[k]);
        for (size_t i = 0; i < s->count; i++) {
            const unsigned *found = bsearch(&s->processes[i].repetition, repetitions,
                                            logs.processes, sizeof *repetitions, by_number);
            (*values)[(size_t)(found - repetitions) * logs.cases + k] = s->processes[i].log_median;
        }
    }
    free(repetitions);
    return logs;
}

static bool is_unstable(const struct figures *f, int target, size_t c)
{
    double *values;
    const struct choice one = {&c, 1};
    const struct pm_logs logs = logs_of(f, target, &one, &values);
    const bool unstable = pm_stat_unstable(&logs, 0);
    free(values);
    return unstable;
}

/* ---- by the paper's clock: means of everything, without intervals ---- */

static double mean_of(const struct series *s)
{
    return s->sum / (double)s->timings;
}

static size_t fewest_processes(const struct figures *f, int target, const struct choice *choice)
{
    size_t fewest = SIZE_MAX;
    for (size_t k = 0; k < choice->count; k++) {
        const size_t count = series_of(f, target, choice->cases[k])->count;
        fewest = count < fewest ? count : fewest;
    }
    return fewest;
}

static struct pm_interval mean_latency(const struct figures *f, int target,
                                       const struct choice *choice)
{
    double sum = 0;
    for (size_t k = 0; k < choice->count; k++)
        sum += mean_of(series_of(f, target, choice->cases[k]));
    return (struct pm_interval){NAN, sum / (double)choice->count, NAN};
}

static struct pm_interval mean_ratio(const struct figures *f, int target, int reference,
                                     const struct choice *choice)
{
    double sum = 0;
    for (size_t k = 0; k < choice->count; k++)
        sum += log(mean_of(series_of(f, target, choice->cases[k])) /
                   mean_of(series_of(f, reference, choice->cases[k])));
    return (struct pm_interval){NAN, exp(sum / (double)choice->count), NAN};
}

/* ---- latencies and ratios of chosen cases ---- */

static struct pm_interval latency_of(const struct figures *f, int target,
                                     const struct choice *choice, size_t *processes)
{
    double *values;
    if (f->means) {
        *processes = fewest_processes(f, target, choice);
        return mean_latency(f, target, choice);
    }
    const struct pm_logs logs = logs_of(f, target, choice, &values);
    const struct pm_interval latency = pm_stat_latency(&logs, processes);
    free(values);
    return latency;
}

static struct pm_comparison compare(const struct figures *f, int target, int reference,
                                    const struct choice *choice)
{
    double *above, *below;
    if (f->means)
        return (struct pm_comparison){
            .ratio = mean_ratio(f, target, reference, choice),
            .processes = fewest_processes(f, target, choice),
            .reference_processes = fewest_processes(f, reference, choice),
        };
    const struct pm_logs over = logs_of(f, target, choice, &above);
    const struct pm_logs under = logs_of(f, reference, choice, &below);
    const struct pm_comparison comparison = pm_stat_compare(&over, &under);
    free(above);
    free(below);
    return comparison;
}

static struct pm_statistic_row blank_row(const struct figures *f, int target, enum pm_scope scope,
                                         enum pm_statistic what)
{
    return (struct pm_statistic_row){
        .run_id = f->all->run_id,
        .target_id = f->all->targets[target].id,
        .scope = scope,
        .function = "",
        .name = "",
        .clock = f->clock,
        .size = PM_SIZE_SMALL,
        .what = what,
        .low = NAN,
        .high = NAN,
    };
}

static int store_latency(const struct figures *f, struct pm_statistic_row row, int target,
                         const struct choice *choice, struct pm_error *err)
{
    size_t processes;
    const struct pm_interval latency = latency_of(f, target, choice, &processes);
    row.value = latency.mid;
    row.low = latency.low;
    row.high = latency.high;
    row.processes = (int64_t)processes;
    return pm_store_add_statistic(f->all->store, &row, err);
}

static int store_ratio(const struct figures *f, struct pm_statistic_row row,
                       const struct pm_comparison *comparison, struct pm_error *err)
{
    row.what = PM_STATISTIC_RATIO;
    row.value = comparison->ratio.mid;
    row.low = comparison->ratio.low;
    row.high = comparison->ratio.high;
    row.processes = (int64_t)comparison->processes;
    row.reference_processes = (int64_t)comparison->reference_processes;
    return pm_store_add_statistic(f->all->store, &row, err);
}

/* Stores a row of cases that are in no ratio. No processes: the framework compiles in each call. */
static int store_without_value(const struct figures *f, struct pm_statistic_row row,
                               size_t processes, size_t reference_processes, struct pm_error *err)
{
    row.value = NAN;
    row.unstable = true;
    row.processes = (int64_t)processes;
    row.reference_processes = (int64_t)reference_processes;
    return pm_store_add_statistic(f->all->store, &row, err);
}

/* ---- one case ---- */

/* Returns whether a case passes in every repetition that has run, and in its retries in
 * isolation. */
static bool passes(const struct figures *f, int target, const struct pm_assess_case *test)
{
    const size_t first = pm_assess_evidence_place(f->all, target, test);
    const size_t end = first + pm_assess_evidence_count(f->all, target, test);
    bool any = false;
    for (size_t i = first; i < end; i++) {
        const struct pm_assess_execution *e = &f->all->executions[i];
        if (!e->judged || e->retry == PM_RETRY_EXACT_MODE)
            continue;
        if (e->judgement.outcome != PM_OUTCOME_PASS)
            return false;
        any = true;
    }
    return any;
}

static bool is_timed(const struct series *s)
{
    return s->count || s->compiles;
}

/* Whether the timings of a case on two targets, which may be the same one, can be compared. */
enum standing { STANDING_NONE, STANDING_COMPILES, STANDING_UNSTABLE, STANDING_GOOD };

static enum standing standing_of(const struct figures *f, int target, int reference, size_t c)
{
    const struct pm_assess_case *test = &f->all->cases[c];
    const struct series *here = series_of(f, target, c), *there = series_of(f, reference, c);
    if (!is_timed(here) || !is_timed(there) || !passes(f, target, test) ||
        !passes(f, reference, test))
        return STANDING_NONE;
    if (here->compiles || there->compiles)
        return STANDING_COMPILES;
    return is_unstable(f, target, c) || is_unstable(f, reference, c) ? STANDING_UNSTABLE
                                                                     : STANDING_GOOD;
}

static int store_case(const struct figures *f, int target, size_t c, struct pm_error *err)
{
    const struct pm_assess_case *test = &f->all->cases[c];
    const int reference = f->all->targets[target].reference;
    const struct choice one = {&c, 1};
    struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_CASE, PM_STATISTIC_LATENCY);
    row.function = test->function;
    row.name = test->name;
    row.size = test->size;
    if (series_of(f, target, c)->compiles)
        return store_without_value(f, row, 0, 0, err);
    row.unstable = is_unstable(f, target, c);
    PM_TRY(store_latency(f, row, target, &one, err));
    if (reference == target || standing_of(f, target, reference, c) != STANDING_GOOD)
        return PM_OK;
    const struct pm_comparison comparison = compare(f, target, reference, &one);
    return store_ratio(f, row, &comparison, err);
}

/* ---- one function ---- */

/* Returns those of the cases [first, first + count) that have this size and standing. The caller
 * frees their array. */
static struct choice choose(const struct figures *f, int target, size_t first, size_t count,
                            enum pm_size size, enum standing standing)
{
    struct choice choice = {pm_alloc(count * sizeof *choice.cases), 0};
    const int reference = f->all->targets[target].reference;
    for (size_t c = first; c < first + count; c++)
        if (f->all->cases[c].size == size && standing_of(f, target, reference, c) == standing)
            choice.cases[choice.count++] = c;
    return choice;
}

/* Stores the latency, the latency of the reference and the ratio, all over the same cases. Sets
 * *ratio if it stores a ratio. */
static int store_chosen(const struct figures *f, int target, struct pm_statistic_row row,
                        const struct choice *choice, double *ratio, struct pm_error *err)
{
    const int reference = f->all->targets[target].reference;
    PM_TRY(store_latency(f, row, target, choice, err));
    if (reference == target)
        return PM_OK;
    row.what = PM_STATISTIC_REFERENCE_LATENCY;
    PM_TRY(store_latency(f, row, reference, choice, err));
    if (f->all->cases[choice->cases[0]].host_only)
        return PM_OK;
    const struct pm_comparison comparison = compare(f, target, reference, choice);
    *ratio = comparison.ratio.mid;
    return store_ratio(f, row, &comparison, err);
}

/* Stores a row without figures for a function whose cases are all unstable or compile in each call.
 * `choice` has the unstable ones, or, if there are none, those that compile. */
static int store_excluded(const struct figures *f, int target, struct pm_statistic_row row,
                          const struct choice *choice, struct pm_error *err)
{
    const int reference = f->all->targets[target].reference;
    if (reference != target && f->all->cases[choice->cases[0]].host_only)
        return PM_OK;
    row.what = reference == target ? PM_STATISTIC_LATENCY : PM_STATISTIC_RATIO;
    return store_without_value(f, row, fewest_processes(f, target, choice),
                               reference == target ? 0 : fewest_processes(f, reference, choice),
                               err);
}

/* Computes the figures of one size of the cases [first, first + count), which belong to one
 * function. Sets *ratio if they have a ratio. */
static int figure_size(const struct figures *f, int target, size_t first, size_t count,
                       enum pm_size size, double *ratio, struct pm_error *err)
{
    struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_FUNCTION, PM_STATISTIC_LATENCY);
    row.function = f->all->cases[first].function;
    row.size = size;
    int rc = PM_OK;
    struct choice good = choose(f, target, first, count, size, STANDING_GOOD);
    struct choice unstable = choose(f, target, first, count, size, STANDING_UNSTABLE);
    struct choice compiling = choose(f, target, first, count, size, STANDING_COMPILES);
    if (good.count)
        rc = store_chosen(f, target, row, &good, ratio, err);
    else if (unstable.count || compiling.count)
        rc = store_excluded(f, target, row, unstable.count ? &unstable : &compiling, err);
    free(good.cases);
    free(unstable.cases);
    free(compiling.cases);
    return rc;
}

/* Computes the figures of a function. Sets *ratio if its small cases have a ratio. */
static int figure_function(const struct figures *f, int target, size_t first, size_t count,
                           double *ratio, struct pm_error *err)
{
    double of_large = NAN;
    for (size_t c = first; c < first + count; c++)
        if (is_timed(series_of(f, target, c)))
            PM_TRY(store_case(f, target, c, err));
    PM_TRY(figure_size(f, target, first, count, PM_SIZE_SMALL, ratio, err));
    return figure_size(f, target, first, count, PM_SIZE_LARGE, &of_large, err);
}

/* ---- one target ---- */

/* Stores the geometric mean of the functions' ratios. pm_stat_latency() computes it with one number
 * per function instead of one per process. */
static int store_target(const struct figures *f, int target, const double *log_ratios, size_t count,
                        struct pm_error *err)
{
    const struct pm_logs functions = {.values = log_ratios, .processes = count, .cases = 1};
    struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_TARGET, PM_STATISTIC_RATIO);
    const struct pm_interval i = pm_stat_latency(&functions, &count);
    row.value = i.mid;
    row.low = i.low;
    row.high = i.high;
    row.processes = (int64_t)count;
    return pm_store_add_statistic(f->all->store, &row, err);
}

static int figure_target(const struct figures *f, int target, struct pm_error *err)
{
    const struct pm_assess_evidence *all = f->all;
    double *log_ratios = pm_alloc((all->case_count + 1) * sizeof *log_ratios);
    size_t count = 0;
    int rc = PM_OK;
    for (size_t c = 0, n; c < all->case_count && !rc; c += n) {
        double ratio = NAN;
        for (n = 1; c + n < all->case_count; n++)
            if (strcmp(all->cases[c].function, all->cases[c + n].function))
                break;
        if ((rc = pm_stop_check(err)))
            break;
        rc = figure_function(f, target, c, n, &ratio, err);
        if (isfinite(ratio))
            log_ratios[count++] = log(ratio);
    }
    if (!rc && count)
        rc = store_target(f, target, log_ratios, count, err);
    free(log_ratios);
    return rc;
}

/* ---- the noise floor ---- */

/* Computes the noise floor of a reference from its second measurement, over the cases that pass in
 * the first measurement and are stable in both. */
static int figure_noise(const struct figures *f, int noise, struct pm_error *err)
{
    const struct pm_assess_evidence *all = f->all;
    const int reference = all->targets[noise].reference;
    double *ratios = pm_alloc((all->case_count + 1) * sizeof *ratios);
    size_t count = 0;
    for (size_t c = 0; c < all->case_count; c++) {
        const struct choice one = {&c, 1};
        if (series_of(f, noise, c)->count && !is_unstable(f, noise, c) &&
            standing_of(f, reference, reference, c) == STANDING_GOOD)
            ratios[count++] = compare(f, noise, reference, &one).ratio.mid;
    }
    struct pm_statistic_row row = blank_row(f, reference, PM_SCOPE_TARGET, PM_STATISTIC_NOISE);
    row.value = pm_stat_noise_floor(ratios, count);
    row.processes = (int64_t)count;
    free(ratios);
    return count ? pm_store_add_statistic(all->store, &row, err) : PM_OK;
}

static int figure_clock(struct figures *f, struct pm_error *err)
{
    const size_t count = f->all->execution_count;
    f->series = pm_alloc((count + 1) * sizeof *f->series);
    int rc = pm_store_timings(f->all->store, f->all->run_id, f->clock, keep_timing, f, err);
    for (size_t i = 0; i < count; i++)
        if (f->series[i].compiles)
            f->series[i].count = 0;
    for (size_t t = 0; t < f->all->target_count && !rc; t++)
        rc = f->all->targets[t].role == PM_ROLE_NOISE ? figure_noise(f, (int)t, err)
                                                      : figure_target(f, (int)t, err);
    for (size_t i = 0; i < count; i++)
        free(f->series[i].processes);
    free(f->series);
    f->series = NULL;
    return rc;
}

int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err)
{
    struct figures f = {.all = all};
    enum pm_run_mode mode = PM_MODE_DEFAULT;
    (void)pm_run_mode_parse(pm_json_string(all->options, "mode", ""), &mode);
    f.means = mode == PM_MODE_PAPER;
    for (int clock = 0; clock < PM_CLOCK_COUNT; clock++) {
        f.clock = (enum pm_clock)clock;
        if (f.clock != PM_CLOCK_SERIES) /* one latency would mix the shapes of a series */
            PM_TRY(figure_clock(&f, err));
    }
    return PM_OK;
}
