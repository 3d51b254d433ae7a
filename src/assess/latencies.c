/* Latencies and ratios of a run, with their intervals. */
#include "assess/latencies.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/stop.h"
#include "stat/stat.h"

enum { RESAMPLES = 1000 };
static const double UNSTABLE_SPREAD = 3.0;
static const double LEAST_SAMPLE = 1; /* ns; a clock that is too coarse for a call says 0 */

/* The samples of one case on one target by one clock, process after process. */
struct series {
    double *values;
    size_t *counts;
    size_t value_count, value_capacity, processes, process_capacity;
    double latency, low, high;
    bool unstable;
};

struct figures {
    struct pm_assess_evidence *all;
    struct series *series; /* by the place of a target and case, and one that is always empty */
    enum pm_clock clock;
    bool means; /* the study's clock: means, not medians */
};

static struct series *series_of(const struct figures *f, int target, size_t c)
{
    return &f->series[pm_assess_evidence_place(f->all, target, &f->all->cases[c])];
}

static int keep_timing(void *ctx, const struct pm_timing_row *row)
{
    struct figures *f = ctx;
    const struct pm_assess_execution *e = pm_assess_evidence_by_id(f->all, row->execution_id);
    const bool cold = f->clock == PM_CLOCK_COLD || f->clock == PM_CLOCK_BACKWARD_COLD;
    if (!e || !row->count || (cold && pm_json_bool(e->result, "shared", false)))
        return PM_OK;
    struct series *s = series_of(f, e->target, (size_t)(e->test - f->all->cases));
    PM_GROW(s->counts, s->processes, s->process_capacity);
    s->counts[s->processes++] = row->count;
    for (size_t i = 0; i < row->count; i++) {
        PM_GROW(s->values, s->value_count, s->value_capacity);
        s->values[s->value_count++] = fmax((double)row->samples[i], LEAST_SAMPLE);
    }
    return PM_OK;
}

static struct pm_samples samples_of(const struct series *s)
{
    return (struct pm_samples){.values = s->values, .counts = s->counts, .processes = s->processes};
}

static void summarise(struct figures *f, struct series *s)
{
    const struct pm_samples samples = samples_of(s);
    s->unstable = pm_stat_process_spread(&samples) > UNSTABLE_SPREAD;
    if (f->means) {
        s->latency = pm_stat_mean(s->values, s->value_count);
        s->low = s->high = NAN;
        return;
    }
    const struct pm_interval i =
        pm_stat_median_interval(&samples, RESAMPLES, (uint64_t)f->all->seed);
    s->latency = i.mid;
    s->low = i.low;
    s->high = i.high;
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

/* ---- one case ---- */

/* Whether it passes in every repetition that has run. */
static bool passes(const struct figures *f, int target, const struct pm_assess_case *test)
{
    const struct pm_assess_execution *e;
    bool any = false;
    for (unsigned r = 0; (e = pm_assess_evidence_find(f->all, target, test, r)); r++) {
        if (!e->judged)
            continue;
        if (e->judgement.outcome != PM_OUTCOME_PASS)
            return false;
        any = true;
    }
    return any;
}

static struct pm_interval ratio_of(const struct figures *f, const struct series *got,
                                   const struct series *want)
{
    if (f->means)
        return (struct pm_interval){.low = NAN, .mid = got->latency / want->latency, .high = NAN};
    const struct pm_samples a = samples_of(got), b = samples_of(want);
    return pm_stat_ratio(&a, &b, RESAMPLES, (uint64_t)f->all->seed);
}

/* Stores latency and ratio of a case; sets *ratio if there is a ratio. */
static int store_case(struct figures *f, int target, size_t c, struct pm_interval *ratio,
                      bool *has_ratio, struct pm_error *err)
{
    const struct pm_assess_case *test = &f->all->cases[c];
    const struct series *got = series_of(f, target, c);
    const int control = f->all->targets[target].control;
    const struct series *want = series_of(f, control, c);
    struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_CASE, PM_STATISTIC_LATENCY);
    row.function = test->function;
    row.name = test->name;
    row.size = test->size;
    row.value = got->latency;
    row.low = got->low;
    row.high = got->high;
    row.processes = (int64_t)got->processes;
    row.unstable = got->unstable;
    PM_TRY(pm_store_add_statistic(f->all->store, &row, err));
    *has_ratio = control != target && want->processes && !got->unstable && !want->unstable &&
                 passes(f, target, test) && passes(f, control, test);
    if (!*has_ratio)
        return PM_OK;
    *ratio = ratio_of(f, got, want);
    row.what = PM_STATISTIC_RATIO;
    row.value = ratio->mid;
    row.low = ratio->low;
    row.high = ratio->high;
    row.control_processes = (int64_t)want->processes;
    return pm_store_add_statistic(f->all->store, &row, err);
}

/* ---- one function ---- */

/* The sums over a function's cases of one size. */
struct sum {
    double latency, log_latency, log_ratio, log_variance;
    size_t latencies, ratios;
    int64_t processes, control_processes;
};

static void add_ratio(struct sum *sum, const struct pm_interval *ratio)
{
    const double half = (log(ratio->high) - log(ratio->low)) / 2;
    sum->log_ratio += log(ratio->mid);
    sum->log_variance += half * half; /* NaN if any interval is unknown */
    sum->ratios++;
}

static int64_t fewest(int64_t so_far, size_t n)
{
    return !so_far || (int64_t)n < so_far ? (int64_t)n : so_far;
}

static int store_function(struct figures *f, int target, const struct pm_assess_case *test,
                          enum pm_size size, const struct sum *sum, double *ratio,
                          struct pm_error *err)
{
    struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_FUNCTION, PM_STATISTIC_LATENCY);
    *ratio = NAN;
    if (!sum->latencies)
        return PM_OK;
    row.function = test->function;
    row.size = size;
    row.value = f->means ? sum->latency / (double)sum->latencies
                         : exp(sum->log_latency / (double)sum->latencies);
    row.processes = sum->processes;
    row.control_processes = sum->control_processes;
    PM_TRY(pm_store_add_statistic(f->all->store, &row, err));
    if (!sum->ratios || test->host_only)
        return PM_OK;
    const double n = (double)sum->ratios, half = sqrt(sum->log_variance) / n;
    row.what = PM_STATISTIC_RATIO;
    row.value = *ratio = exp(sum->log_ratio / n);
    row.low = exp(sum->log_ratio / n - half);
    row.high = exp(sum->log_ratio / n + half);
    return pm_store_add_statistic(f->all->store, &row, err);
}

/* The cases [first, first + count) of one function; sets *ratio for the small cases. */
static int figure_function(struct figures *f, int target, size_t first, size_t count, double *ratio,
                           struct pm_error *err)
{
    struct sum sums[PM_SIZE_COUNT] = {{0}};
    const int control = f->all->targets[target].control;
    for (size_t c = first; c < first + count; c++) {
        const struct series *got = series_of(f, target, c);
        struct pm_interval case_ratio;
        bool has_ratio;
        if (!got->processes)
            continue;
        PM_TRY(store_case(f, target, c, &case_ratio, &has_ratio, err));
        struct sum *sum = &sums[f->all->cases[c].size];
        if (!got->unstable) {
            sum->latency += got->latency;
            sum->log_latency += log(got->latency);
            sum->latencies++;
            sum->processes = fewest(sum->processes, got->processes);
        }
        if (has_ratio) {
            add_ratio(sum, &case_ratio);
            sum->control_processes =
                fewest(sum->control_processes, series_of(f, control, c)->processes);
        }
    }
    double ratios[PM_SIZE_COUNT];
    for (int size = 0; size < PM_SIZE_COUNT; size++)
        PM_TRY(store_function(f, target, &f->all->cases[first], (enum pm_size)size, &sums[size],
                              &ratios[size], err));
    *ratio = ratios[PM_SIZE_SMALL];
    return PM_OK;
}

/* ---- one target ---- */

static int figure_target(struct figures *f, int target, struct pm_error *err)
{
    const struct pm_assess_evidence *all = f->all;
    double *ratios = pm_alloc((all->case_count + 1) * sizeof *ratios);
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
            ratios[count++] = ratio;
    }
    if (!rc && count) {
        const struct pm_interval i =
            pm_stat_geometric_interval(ratios, count, RESAMPLES, (uint64_t)all->seed);
        struct pm_statistic_row row = blank_row(f, target, PM_SCOPE_TARGET, PM_STATISTIC_RATIO);
        row.value = i.mid;
        row.low = i.low;
        row.high = i.high;
        row.processes = (int64_t)count;
        rc = pm_store_add_statistic(all->store, &row, err);
    }
    free(ratios);
    return rc;
}

static int figure_clock(struct figures *f, struct pm_error *err)
{
    const size_t count = f->all->execution_count;
    f->series = pm_alloc((count + 1) * sizeof *f->series);
    int rc = pm_store_timings(f->all->store, f->all->run_id, f->clock, keep_timing, f, err);
    for (size_t i = 0; i < count && !rc; i++)
        if (f->series[i].processes && !(rc = pm_stop_check(err)))
            summarise(f, &f->series[i]);
    for (size_t t = 0; t < f->all->target_count && !rc; t++)
        rc = figure_target(f, (int)t, err);
    for (size_t i = 0; i < count; i++) {
        free(f->series[i].values);
        free(f->series[i].counts);
    }
    free(f->series);
    f->series = NULL;
    return rc;
}

int pm_assess__latencies_store(struct pm_assess_evidence *all, struct pm_error *err)
{
    struct figures f = {.all = all};
    enum pm_run_mode mode = PM_MODE_DEFAULT;
    (void)pm_run_mode_parse(pm_json_string(all->options, "mode", ""), &mode);
    f.means = mode == PM_MODE_STUDY;
    for (int clock = 0; clock < PM_CLOCK_COUNT; clock++) {
        f.clock = (enum pm_clock)clock;
        if (f.clock != PM_CLOCK_SERIES) /* times of several shapes */
            PM_TRY(figure_clock(&f, err));
    }
    return PM_OK;
}
