/* Recomputes the paper's rows of latencies from its tests. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "published/results.h"

enum { NAMED = 4 };                                 /* most tests that a difference names */
static const double TOLERANCE = 0.001 * (1 + 1e-6); /* ms */

/* Returns the letters and digits of a name, in lower case: "matrixrank" of "matrix_rank". The
 * caller frees the text. */
static char *plain_name(const char *name, size_t length)
{
    struct pm_str plain = PM_STR_INIT;
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)name[i]))
            pm_str_add_char(&plain, (char)tolower((unsigned char)name[i]));
    return pm_str_detach(&plain);
}

static bool is_same_name(const char *a, size_t length, const char *b)
{
    char *x = plain_name(a, length), *y = plain_name(b, strlen(b));
    const bool same = !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

/* Returns the name of the test file of a function in a table: the one in the publication's rows
 * "file", otherwise the last part of the function's name. NULL if the results have no such file. */
static const char *file_of(const struct pm_publication *p, const struct pm_results *r,
                           const char *subject)
{
    const char *dot = strrchr(subject, '.'), *last = dot ? dot + 1 : subject;
    char *item = pm_format("function %s", r->framework);
    const struct pm_publication_cell *cell = pm_publication_find(p, "file", subject, item);
    free(item);
    if (cell)
        last = cell->text;
    const size_t length = strcspn(last, "(");
    for (size_t i = 0; i < r->function_count; i++)
        if (is_same_name(last, length, r->functions[i].name))
            return r->functions[i].name;
    return NULL;
}

/* ---- means ---------------------------------------------------------------------------------- */

struct pair {
    const struct pm_result *gpu, *tpu;
};
struct pairs {
    struct pair *items;
    size_t count, capacity;
    const struct pm_results *gpu, *tpu;
};

/* Finds the keys of a function that have timed operations on both targets. */
static void find_pairs(struct pairs *pairs, const char *function)
{
    const size_t number = (uintptr_t)pm_map_get(&pairs->gpu->by_function, function);
    for (size_t i = 0; i < pairs->gpu->count; i++) {
        const struct pm_result *gpu = &pairs->gpu->items[i];
        const size_t other = (uintptr_t)pm_map_get(&pairs->tpu->by_key, gpu->key);
        if (gpu->function + 1 != number || !other || !gpu->calls ||
            !pairs->tpu->items[other - 1].calls)
            continue;
        PM_GROW(pairs->items, pairs->count, pairs->capacity);
        pairs->items[pairs->count++] = (struct pair){gpu, &pairs->tpu->items[other - 1]};
    }
}

static bool is_used(const struct pairs *pairs, const struct pair *pair, enum pm_row_by by)
{
    if (by == PM_ROW_FAILED)
        return true;
    if (pair->gpu->failed || pair->tpu->failed || pair->gpu->skipped || pair->tpu->skipped)
        return false;
    return by == PM_ROW_PASSED ||
           (pair->gpu->files == pairs->gpu->files && pair->tpu->files == pairs->tpu->files);
}

static double mean_ms(const struct pm_result *item)
{
    return item->sum_ns / (double)item->calls / 1e6;
}

static size_t means(const struct pairs *pairs, enum pm_row_by by, double *gpu, double *tpu)
{
    size_t used = 0;
    *gpu = *tpu = 0;
    for (size_t i = 0; i < pairs->count; i++)
        if (is_used(pairs, &pairs->items[i], by)) {
            *gpu += mean_ms(pairs->items[i].gpu);
            *tpu += mean_ms(pairs->items[i].tpu);
            used++;
        }
    *gpu = used ? *gpu / (double)used : NAN;
    *tpu = used ? *tpu / (double)used : NAN;
    return used;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static bool comes_out(const struct pm_row *row)
{
    return fabs(row->gpu_by - row->gpu) <= TOLERANCE && fabs(row->tpu_by - row->tpu) <= TOLERANCE;
}

/* Returns a text that names the tests which only one of `by` and PM_ROW_PASSED uses. The caller
 * frees it. */
static char *difference_of(const struct pairs *pairs, enum pm_row_by by)
{
    struct pm_str names = PM_STR_INIT;
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->items[i];
        if (is_used(pairs, pair, by) == is_used(pairs, pair, PM_ROW_PASSED))
            continue;
        if (count++ < NAMED)
            pm_str_addf(&names, "%s%s", names.length ? ", " : "", strchr(pair->gpu->key, ':') + 1);
    }
    char *text = pm_format("%s (%zu): %s%s",
                           by == PM_ROW_FAILED ? "also counts failed tests"
                                               : "excludes tests that are not timed in every file",
                           count, names.data, count > NAMED ? ", ..." : "");
    pm_str_release(&names);
    return text;
}

/* Marks the devices whose failed tests must be excluded to reproduce the printed row. */
static void note_left_out(struct pm_row *row, const struct pairs *pairs)
{
    struct pm_row all = *row;
    means(pairs, PM_ROW_FAILED, &all.gpu_by, &all.tpu_by);
    for (size_t i = 0; i < pairs->count && !comes_out(&all); i++) {
        row->leaves_out_gpu |= pairs->items[i].gpu->failed;
        row->leaves_out_tpu |= pairs->items[i].tpu->failed;
    }
}

static void decide(struct pm_row *row, const struct pairs *pairs)
{
    static const enum pm_row_by ways[] = {PM_ROW_PASSED, PM_ROW_EVERY_RUN, PM_ROW_FAILED};
    means(pairs, PM_ROW_PASSED, &row->gpu_again, &row->tpu_again);
    for (size_t i = 0; pairs->count && i < sizeof ways / sizeof *ways; i++) {
        row->by = ways[i];
        row->tests = means(pairs, row->by, &row->gpu_by, &row->tpu_by);
        if (!comes_out(row))
            continue;
        if (row->by != PM_ROW_FAILED)
            note_left_out(row, pairs);
        row->difference = row->by == PM_ROW_PASSED ? pm_strdup("") : difference_of(pairs, row->by);
        return;
    }
    row->by = pairs->count ? PM_ROW_OTHER : PM_ROW_NO_DATA;
    row->tests = means(pairs, PM_ROW_PASSED, &row->gpu_by, &row->tpu_by);
    row->difference = pm_strdup(pairs->count ? "no choice of tests gives the printed number"
                                             : "no timed operation is published for both devices");
}

static struct pm_row row_of(const struct pm_publication *p, const struct pm_publication_cell *cell,
                            const struct pm_results *gpu, const struct pm_results *tpu)
{
    struct pairs pairs = {.gpu = gpu, .tpu = tpu};
    const char *function = file_of(p, gpu, cell->subject);
    struct pm_row row = {
        .subject = cell->subject,
        .function = function ? function : "",
        .gpu = pm_publication_value(p, cell->table, cell->subject, "GPU (ms)"),
        .tpu = pm_publication_value(p, cell->table, cell->subject, "TPU (ms)"),
    };
    if (function)
        find_pairs(&pairs, function);
    decide(&row, &pairs);
    free(pairs.items);
    return row;
}

void pm_results_rows(const struct pm_publication *p, const struct pm_results *gpu,
                     const struct pm_results *tpu, struct pm_row **out, size_t *count)
{
    const char *table = pm_publication_latencies(gpu->framework);
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; table && i < p->count; i++) {
        if (strcmp(p->cells[i].table, table) != 0 || strcmp(p->cells[i].item, "TPU/GPU") != 0)
            continue;
        PM_GROW(*out, *count, capacity);
        (*out)[(*count)++] = row_of(p, &p->cells[i], gpu, tpu);
    }
}

void pm_rows_free(struct pm_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(rows[i].difference);
    free(rows);
}
