/*
 * Counts how often the judge finds that two sides differ, in a run that has each case three times:
 * plain, and 5 and 20 % slower (bench/differs writes and measures these cases).
 *
 *     differs DATABASE PROCESSES SPLITS
 *
 * In each split, PROCESSES processes (repetitions) are drawn for each of two sides, with none in
 * common. If too few were measured for this, each side is drawn from all of them with replacement.
 * The judge's code compares side one, in each of the three variants, with the plain side two.
 *
 * Writes a line per split, with two numbers (how many were compared and how many differ) for each
 * of plain functions, functions 5 % slower, functions 20 % slower, and plain cases. Then writes one
 * line: the number of measured processes, and the factors by which the median case was slowed down
 * for 5 and for 20 %.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assess/evidence.h"
#include "base/alloc.h"
#include "base/random.h"
#include "stat/stat.h"
#include "store/timings.h"

enum variant { PLAIN, SLOWER_5, SLOWER_20, VARIANTS };
static const char *const variant_names[VARIANTS] = {"plain", "slow5", "slow20"};
enum { MOST_PROCESSES = 100000, SEED = 1 };

/* log(median) of each case in each process. */
struct measured {
    struct pm_assess_evidence all;
    double *logs; /* [case * processes + process]; NaN: not measured */
    size_t processes;
};

struct side {
    const size_t *processes;
    size_t count;
};

struct tally {
    struct pm_comparison *family;
    size_t compared, capacity;
};

static int fail(const char *what)
{
    fprintf(stderr, "differs: %s\n", what);
    return 3;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int keep_timing(void *ctx, const struct pm_timing_row *row)
{
    struct measured *m = ctx;
    const struct pm_assess_execution *e = pm_assess_evidence_by_id(&m->all, row->execution_id);
    if (!e || !row->count)
        return PM_OK;
    double *values = pm_alloc(row->count * sizeof *values);
    for (size_t i = 0; i < row->count; i++)
        values[i] = (double)row->times[i];
    const size_t c = (size_t)(e->test - m->all.cases);
    m->logs[c * m->processes + e->repetition] = log(pm_stat_median(values, row->count));
    free(values);
    return PM_OK;
}

static int measured_load(struct measured *m, struct pm_store *store, struct pm_error *err)
{
    PM_TRY(pm_assess_evidence_load(&m->all, store, 1, err));
    for (size_t i = 0; i < m->all.execution_count; i++) {
        const size_t repetition = m->all.executions[i].repetition;
        if (repetition >= m->processes)
            m->processes = repetition + 1;
    }
    if (m->processes < 2 || m->processes > MOST_PROCESSES)
        return pm_error_set(err, PM_EUSAGE,
                            "run 1 must have 2 to 100000 repetitions: measure it again");
    const size_t cells = m->all.case_count * m->processes;
    m->logs = pm_alloc(cells * sizeof *m->logs);
    for (size_t i = 0; i < cells; i++)
        m->logs[i] = NAN;
    return pm_store_timings(store, 1, PM_CLOCK_WARM, keep_timing, m, err);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool is_variant(const struct pm_assess_case *test, enum variant variant)
{
    const char *last = strrchr(test->name, ' ');
    return last && !strcmp(last + 1, variant_names[variant]);
}

/* Returns the case that is plain case `c` in another variant. Both are among the `count` cases of
 * their function, which begin at `first`. */
static size_t find_variant(const struct measured *m, size_t first, size_t count, size_t c,
                           enum variant variant)
{
    const char *name = m->all.cases[c].name;
    const size_t stem = (size_t)(strrchr(name, ' ') - name) + 1;
    for (size_t k = first; k < first + count; k++)
        if (is_variant(&m->all.cases[k], variant) && !strncmp(m->all.cases[k].name, name, stem))
            return k;
    PM_BUG("a case that is not in each variant");
}

/* Returns the logs of these cases in the processes of a side; the caller frees `*values`. */
static struct pm_logs logs_of(const struct measured *m, const size_t *cases, size_t count,
                              const struct side *side, double **values)
{
    *values = pm_alloc((side->count * count + 1) * sizeof **values);
    for (size_t p = 0; p < side->count; p++)
        for (size_t k = 0; k < count; k++)
            (*values)[p * count + k] = m->logs[cases[k] * m->processes + side->processes[p]];
    return (struct pm_logs){*values, side->count, count};
}

static bool unstable(const struct measured *m, size_t c, const struct side *side)
{
    double *values;
    const struct pm_logs logs = logs_of(m, &c, 1, side, &values);
    const bool is = pm_stat_unstable(&logs, 0);
    free(values);
    return is;
}

static void compare(const struct measured *m, const size_t *above, const size_t *below,
                    size_t count, const struct side sides[2], struct tally *tally)
{
    double *left, *right;
    if (!count)
        return;
    const struct pm_logs target = logs_of(m, above, count, &sides[0], &left);
    const struct pm_logs reference = logs_of(m, below, count, &sides[1], &right);
    PM_GROW(tally->family, tally->compared, tally->capacity);
    tally->family[tally->compared++] = pm_stat_compare(&target, &reference);
    free(left);
    free(right);
}

/* Counts as a report does: whether one comparison is slower or faster depends on all of them. Frees
 * the comparisons of the tally. */
static unsigned count_differing(struct tally *tally)
{
    struct pm_comparison **family = pm_alloc((tally->compared + 1) * sizeof *family);
    unsigned differing = 0;
    for (size_t i = 0; i < tally->compared; i++)
        family[i] = &tally->family[i];
    pm_stat_correct(family, tally->compared);
    for (size_t i = 0; i < tally->compared; i++) {
        const enum pm_speed says = pm_stat_says(family[i], NAN);
        differing += says == PM_SPEED_SLOWER || says == PM_SPEED_FASTER;
    }
    free(family);
    free(tally->family);
    return differing;
}

/* Compares the function of cases [first, first + count), and its plain cases one by one. */
static void compare_function(const struct measured *m, size_t first, size_t count,
                             const struct side sides[2], struct tally functions[VARIANTS],
                             struct tally *cases)
{
    size_t *above = pm_alloc(count * sizeof *above), *below = pm_alloc(count * sizeof *below);
    for (int variant = 0; variant < VARIANTS; variant++) {
        size_t used = 0;
        for (size_t c = first; c < first + count; c++) {
            if (!is_variant(&m->all.cases[c], PLAIN))
                continue;
            above[used] = find_variant(m, first, count, c, (enum variant)variant);
            below[used] = c;
            used += !unstable(m, above[used], &sides[0]) && !unstable(m, c, &sides[1]);
        }
        compare(m, above, below, used, sides, &functions[variant]);
        for (size_t k = 0; k < used && variant == PLAIN; k++)
            compare(m, &above[k], &below[k], 1, sides, cases);
    }
    free(above);
    free(below);
}

static size_t cases_of_function(const struct measured *m, size_t first)
{
    size_t count = 1;
    while (first + count < m->all.case_count &&
           !strcmp(m->all.cases[first].function, m->all.cases[first + count].function))
        count++;
    return count;
}

/* ---- splits --------------------------------------------------------------------------------- */

static void draw_sides(struct pm_random *random, size_t *order, size_t processes, size_t per_side,
                       size_t *drawn)
{
    const bool enough = 2 * per_side <= processes;
    for (size_t i = processes; i > 1; i--) {
        const size_t k = (size_t)pm_random_below(random, i), swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (size_t i = 0; i < 2 * per_side; i++)
        drawn[i] = order[enough ? i : (size_t)pm_random_below(random, processes)];
}

static void split_and_compare(const struct measured *m, size_t per_side, unsigned splits)
{
    size_t *order = pm_alloc(m->processes * sizeof *order);
    size_t *drawn = pm_alloc(2 * per_side * sizeof *drawn);
    struct pm_random random;
    pm_random_init(&random, "differs", SEED);
    for (size_t i = 0; i < m->processes; i++)
        order[i] = i;
    for (unsigned i = 0; i < splits; i++) {
        struct tally functions[VARIANTS] = {{0}}, cases = {0};
        draw_sides(&random, order, m->processes, per_side, drawn);
        const struct side sides[2] = {{drawn, per_side}, {drawn + per_side, per_side}};
        for (size_t c = 0, n; c < m->all.case_count; c += n) {
            n = cases_of_function(m, c);
            compare_function(m, c, n, sides, functions, &cases);
        }
        for (int variant = 0; variant < VARIANTS; variant++)
            printf("%zu %u ", functions[variant].compared, count_differing(&functions[variant]));
        printf("%zu %u\n", cases.compared, count_differing(&cases));
    }
    free(order);
    free(drawn);
}

/* Returns the factor by which the median case was slowed down, over all processes. */
static double slowdown(const struct measured *m, enum variant variant)
{
    double *factors = pm_alloc((m->all.case_count + 1) * sizeof *factors), *left, *right;
    size_t *all = pm_alloc(m->processes * sizeof *all), used = 0;
    for (size_t i = 0; i < m->processes; i++)
        all[i] = i;
    const struct side side = {all, m->processes};
    for (size_t f = 0, n; f < m->all.case_count; f += n) {
        n = cases_of_function(m, f);
        for (size_t c = f; c < f + n; c++) {
            if (!is_variant(&m->all.cases[c], PLAIN))
                continue;
            const size_t slow = find_variant(m, f, n, c, variant);
            const struct pm_logs above = logs_of(m, &slow, 1, &side, &left);
            const struct pm_logs below = logs_of(m, &c, 1, &side, &right);
            factors[used++] = pm_stat_compare(&above, &below).ratio.mid;
            free(left);
            free(right);
        }
    }
    const double median = used ? pm_stat_median(factors, used) : NAN;
    free(factors);
    free(all);
    return median;
}

int main(int argc, char **argv)
{
    struct pm_store *store = NULL;
    struct measured m = {0};
    struct pm_error err = {{0}};
    long long per_side, splits;
    if (argc != 4 || !pm_parse_int(argv[2], &per_side) || !pm_parse_int(argv[3], &splits) ||
        per_side < 1 || splits < 1 || per_side > MOST_PROCESSES)
        return fail("usage: differs DATABASE PROCESSES SPLITS");
    int rc = pm_store_open(&store, argv[1], PM_STORE_READ, &err);
    if (!rc)
        rc = measured_load(&m, store, &err);
    if (!rc) {
        split_and_compare(&m, (size_t)per_side, (unsigned)splits);
        printf("%zu %.4f %.4f\n", m.processes, slowdown(&m, SLOWER_5), slowdown(&m, SLOWER_20));
    }
    free(m.logs);
    pm_assess_evidence_release(&m.all);
    pm_store_free(store);
    return rc ? fail(err.text) : 0;
}
