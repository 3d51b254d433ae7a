/* Makes tables of published results and of the numbers that follow from them. */
#include "published/tables.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vocabulary.h"
#include "report/table_columns.h"

/* ---- reading -------------------------------------------------------------------------------- */

struct loading {
    struct pm_published *p;
    struct pm_store *store;
    int64_t wanted; /* 0: all runs */
    bool every;     /* load every run of each target, otherwise only the newest */
    struct pm_error *err;
};

static void release_numbers(struct pm_published *p)
{
    pm_publication_release(&p->numbers);
}

/* Keeps the results of a target. They replace older ones unless l->every is set. */
static void keep_results(const struct loading *l, struct pm_results *results)
{
    struct pm_published *p = l->p;
    size_t at = l->every ? p->count : 0;
    while (at < p->count && strcmp(p->results[at].target, results->target) != 0)
        at++;
    if (at < p->count) {
        pm_results_release(&p->results[at]);
    } else {
        PM_GROW(p->results, p->count, p->capacity);
        p->count++;
    }
    p->results[at] = *results;
}

static void note_source(struct pm_published *p, const struct pm_run_row *run, const char *target)
{
    PM_GROW(p->sources, p->source_count, p->source_capacity);
    p->sources[p->source_count++] = (struct pm_published_source){
        .run_id = run->id,
        .source = pm_strdup(run->source),
        .started = pm_strdup(run->started),
        .target = pm_strdup(target),
    };
}

static int keep_run(void *ctx, const struct pm_run_row *run)
{
    const struct loading *l = ctx;
    struct pm_results results;
    struct pm_publication numbers;
    if (run->kind != PM_RUN_KIND_PUBLISHED || (l->wanted && run->id != l->wanted))
        return PM_OK;
    PM_TRY(pm_results_load(l->store, run, &results, l->err));
    note_source(l->p, run, results.target);
    if (results.target) {
        keep_results(l, &results);
        return PM_OK;
    }
    pm_results_release(&results);
    PM_TRY(pm_publication_load(l->store, run->id, &numbers, l->err));
    release_numbers(l->p);
    l->p->numbers = numbers;
    return PM_OK;
}

static int load(struct loading *l)
{
    *l->p = (struct pm_published){0};
    const int rc = pm_store_runs(l->store, keep_run, l, l->err);
    if (rc)
        pm_published_release(l->p);
    return rc;
}

int pm_published_load(struct pm_published *p, struct pm_store *store, int64_t run_id,
                      struct pm_error *err)
{
    return load(&(struct loading){.p = p, .store = store, .wanted = run_id, .err = err});
}

int pm_published_load_every(struct pm_published *p, struct pm_store *store, struct pm_error *err)
{
    return load(&(struct loading){.p = p, .store = store, .every = true, .err = err});
}

void pm_published_release(struct pm_published *p)
{
    release_numbers(p);
    for (size_t i = 0; i < p->count; i++)
        pm_results_release(&p->results[i]);
    for (size_t i = 0; i < p->source_count; i++) {
        free(p->sources[i].source);
        free(p->sources[i].started);
        free(p->sources[i].target);
    }
    free(p->results);
    free(p->sources);
    *p = (struct pm_published){0};
}

bool pm_published_any(const struct pm_published *p)
{
    return p->source_count > 0;
}

/* ---- printed tables ------------------------------------------------------------------------- */

enum { ITEMS = 6 };
static const struct printed_table {
    const char *table, *title, *subject;
    const char *items[ITEMS];
} printed[] = {
    {"1",
     "Published, table 1: functions that work, fail partly and fail, on T4 GPU and v3-8 TPU",
     "framework",
     {"GPU works", "GPU partly", "GPU fails", "TPU works", "TPU partly", "TPU fails"}},
    {"2",
     "Published, table 2: functions with the largest and smallest ratios",
     "function",
     {"GPU (ms)", "TPU (ms)", "TPU/GPU"}},
    {"3",
     "Published, table 3: functions that work, fail partly and fail, on T4 and A100 GPUs",
     "framework",
     {"T4 works", "T4 partly", "T4 fails", "A100 works", "A100 partly", "A100 fails"}},
    {"4",
     "Published, table 4: functions that fail partly or completely, of the 20 most used and all",
     "device, functions",
     {"TensorFlow", "PyTorch", "JAX"}},
    {"5",
     "Published, table 5: latencies, PyTorch",
     "function",
     {"GPU (ms)", "TPU (ms)", "TPU/GPU"}},
    {"6",
     "Published, table 6: latencies, TensorFlow",
     "function",
     {"GPU (ms)", "TPU (ms)", "TPU/GPU"}},
    {"7", "Published, table 7: latencies, JAX", "function", {"GPU (ms)", "TPU (ms)", "TPU/GPU"}},
    {"8",
     "Published, table 8: counts of functions",
     "framework",
     {"GPU works", "GPU partly", "GPU fails", "TPU works", "TPU partly", "TPU fails"}},
};

static void take_table(struct pm_table *table, bool asked, struct pm_report *report)
{
    if (pm_table_rows(table) || asked)
        pm_report_take_table(report, table);
    else
        pm_table_free(table);
}

/* The first columns of a printed table. A column for each of its items follows. */
static const struct pm_column printed_columns[] = {
    {"row", "row", PM_CELL_COUNT, PM_MEMBER(struct pm_publication_cell, line)},
    {"subject", "subject", PM_CELL_TEXT, PM_MEMBER(struct pm_publication_cell, subject)},
};

/* Adds the row that begins with this cell: the printed number of each item in the same table and
 * line. */
static void printed_row(const struct pm_publication *p, const struct printed_table *kind,
                        const struct pm_publication_cell *first, struct pm_table *table)
{
    pm_table_row(table, first, NULL);
    for (size_t i = 0; i < ITEMS && kind->items[i]; i++) {
        const char *text = NULL;
        for (size_t k = 0; k < p->count; k++)
            if (!strcmp(p->cells[k].table, kind->table) && p->cells[k].line == first->line &&
                !strcmp(p->cells[k].item, kind->items[i]))
                text = p->cells[k].text;
        if (text)
            pm_table_text(table, text);
        else
            pm_table_empty(table);
    }
}

static void add_printed_table(const struct pm_publication *p, const struct printed_table *kind,
                              struct pm_report *report)
{
    char *id = pm_format("published_%s", kind->table);
    struct pm_table *table = pm_table_new(id, kind->title);
    int64_t last = 0;
    free(id);
    pm_table_columns(table, printed_columns, true);
    pm_table_heading(table, "subject", kind->subject);
    for (size_t i = 0; i < ITEMS && kind->items[i]; i++)
        pm_table_column(table, kind->items[i], kind->items[i], PM_CELL_COUNT);
    for (size_t k = 0; k < p->count; k++)
        if (!strcmp(p->cells[k].table, kind->table) && p->cells[k].line != last) {
            printed_row(p, kind, &p->cells[k], table);
            last = p->cells[k].line;
        }
    take_table(table, false, report);
}

enum { PRINTED = sizeof printed / sizeof *printed };

static void add_printed(const struct pm_published *p, bool asked, struct pm_report *report)
{
    (void)asked;
    for (size_t i = 0; i < PRINTED; i++)
        add_printed_table(&p->numbers, &printed[i], report);
}

void pm_published_add_printed(const struct pm_published *p, const char *number,
                              struct pm_report *report)
{
    for (size_t i = 0; i < PRINTED; i++)
        if (!strcmp(printed[i].table, number))
            add_printed_table(&p->numbers, &printed[i], report);
}

/* ---- sentences, contradictions -------------------------------------------------------------- */

static void derived_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sentence *s = from->row;
    pm_table_text(table, s->agrees ? "yes" : *s->derived ? "NO" : "cannot");
}

static void sentence_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_sentence *s = from->row;
    pm_table_member(table, from, s->cell);
}

#define PRINTED(member) PM_MEMBER(struct pm_publication_cell, member), .cell = sentence_cell

static const struct pm_column sentence_columns[] = {
    {"derived", "derived", PM_CELL_MARK, .cell = derived_cell},
    {"printed", "printed", PM_CELL_COUNT, PRINTED(text)},
    {"again", "recomputed from the tables", PM_CELL_TEXT, PM_MEMBER(struct pm_sentence, derived)},
    {"sentence", "sentence", PM_CELL_TEXT, PRINTED(subject)},
    {"from", "place", PM_CELL_TEXT, PM_MEMBER(struct pm_sentence, from)},
};

static void add_sentences(const struct pm_published *p, bool asked, struct pm_report *report)
{
    struct pm_sentence *sentences;
    size_t count, derived = 0;
    struct pm_table *t =
        pm_table_new("sentences", "Published sentences, derived from the published tables");
    pm_table_columns(t, sentence_columns, false);
    pm_publication_sentences(&p->numbers, &sentences, &count);
    for (size_t i = 0; i < count; i++) {
        pm_table_row(t, &sentences[i], NULL);
        derived += sentences[i].agrees;
    }
    if (count) {
        char *note = pm_format("%zu of %zu printed numbers follow from the tables; NO: the tables "
                               "give another number; cannot: no table has the required data",
                               derived, count);
        pm_table_note(t, note);
        free(note);
    }
    pm_sentences_free(sentences, count);
    take_table(t, asked, report);
}

static const struct pm_column contradiction_columns[] = {
    {"where", "place", PM_CELL_TEXT, PM_MEMBER(struct pm_contradiction, where)},
    {"what", "contradiction", PM_CELL_TEXT, PM_MEMBER(struct pm_contradiction, what)},
};

static void add_contradictions(const struct pm_published *p, bool asked, struct pm_report *report)
{
    struct pm_contradictions found = {0};
    size_t ratios = 0;
    struct pm_table *t = pm_table_new("contradictions", "Contradictions in the published results");
    pm_table_columns(t, contradiction_columns, false);
    pm_publication_contradictions(&p->numbers, &found, &ratios);
    pm_results_contradictions(&p->numbers, p->results, p->count, &found);
    for (size_t i = 0; i < found.count; i++)
        pm_table_row(t, &found.items[i], NULL);
    if (ratios) {
        char *note = pm_format("listed, but not corrected; %zu printed ratios were compared with "
                               "the quotients of their rows",
                               ratios);
        pm_table_note(t, note);
        free(note);
    }
    pm_contradictions_release(&found);
    take_table(t, asked, report);
}

/* ---- recomputed rows and counts ------------------------------------------------------------- */

/* Returns the results of the same framework on `device` ("GPU" or "TPU"); NULL if there are
 * none. */
static const struct pm_results *other_of(const struct pm_published *p, const struct pm_results *r,
                                         const char *device)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->results[i].framework, r->framework) && !strcmp(p->results[i].device, device))
            return &p->results[i];
    return NULL;
}

static void by_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    static const char *const texts[] = {
        [PM_ROW_PASSED] = "passed on both",    [PM_ROW_EVERY_RUN] = "timed in every file",
        [PM_ROW_FAILED] = "also failed tests", [PM_ROW_OTHER] = "NONE",
        [PM_ROW_NO_DATA] = "no data",
    };
    const struct pm_row *row = from->row;
    pm_table_text(table, texts[row->by]);
}

static void latency_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *member = (const char *)from->row + from->column->offset;
    const double ms = *(const double *)member;
    if (isnan(ms)) {
        pm_table_empty(table);
        return;
    }
    char *text = pm_format("%.3f", ms);
    pm_table_text(table, text);
    free(text);
}

#define LATENCY(member) PM_CELL_COUNT, PM_MEMBER(struct pm_row, member), .cell = latency_cell

static const struct pm_column row_columns[] = {
    {"function", "function", PM_CELL_TEXT, PM_MEMBER(struct pm_row, subject)},
    {"gpu", "GPU (ms)", LATENCY(gpu)},
    {"gpu_again", "recomputed", LATENCY(gpu_again)},
    {"tpu", "TPU (ms)", LATENCY(tpu)},
    {"tpu_again", "recomputed", LATENCY(tpu_again)},
    {"tests", "tests", PM_CELL_COUNT, PM_MEMBER(struct pm_row, tests)},
    {"by", "follows from tests", PM_CELL_TEXT, .cell = by_cell},
    {"difference", "difference", PM_CELL_TEXT, PM_MEMBER(struct pm_row, difference)},
};

static void note_rows(const struct pm_results *gpu, const struct pm_row *rows, size_t count,
                      struct pm_table *t)
{
    size_t by[PM_ROW_NO_DATA + 1] = {0};
    for (size_t i = 0; i < count; i++)
        by[rows[i].by]++;
    char *note =
        pm_format("%s: rows that follow (within 0.001 ms) from the tests that passed on both "
                  "devices: %zu of %zu; only from those that are timed in every file: %zu; only "
                  "with failed tests: %zu; from none of these: %zu; without data: %zu",
                  gpu->framework, by[PM_ROW_PASSED], count, by[PM_ROW_EVERY_RUN], by[PM_ROW_FAILED],
                  by[PM_ROW_OTHER], by[PM_ROW_NO_DATA]);
    pm_table_note(t, note);
    free(note);
}

static void add_rows_of(const struct pm_published *p, const struct pm_results *gpu,
                        const struct pm_results *tpu, struct pm_report *report)
{
    struct pm_row *rows;
    size_t count;
    char *id = pm_format("reproduced %s", gpu->framework);
    char *title =
        pm_format("Published latencies of %s, computed again from its tests", gpu->framework);
    struct pm_table *t = pm_table_new(id, title);
    pm_table_columns(t, row_columns, false);
    pm_results_rows(&p->numbers, gpu, tpu, &rows, &count);
    for (size_t i = 0; i < count; i++)
        pm_table_row(t, &rows[i], NULL);
    if (count)
        note_rows(gpu, rows, count, t);
    pm_rows_free(rows, count);
    take_table(t, false, report);
    free(title);
    free(id);
}

static void add_rows(const struct pm_published *p, bool asked, struct pm_report *report)
{
    (void)asked;
    for (size_t i = 0; i < p->count; i++) {
        const struct pm_results *tpu = other_of(p, &p->results[i], "TPU");
        if (tpu && !strcmp(p->results[i].device, "GPU"))
            add_rows_of(p, &p->results[i], tpu, report);
    }
}

/* Adds a cell such as "58/2/4 of 64": working, partly working and failing functions. `of`: the
 * number after "of"; 0: the sum of all counts. */
static void counts_cell(struct pm_table *t, const size_t *counts, size_t of)
{
    size_t sum = 0;
    for (int v = 0; v < PM_RECOUNT_COUNT; v++)
        sum += counts[v];
    char *text = pm_format("%zu/%zu/%zu of %zu", counts[PM_RECOUNT_WORKS],
                           counts[PM_RECOUNT_PARTLY], counts[PM_RECOUNT_FAILS], of ? of : sum);
    pm_table_text(t, text);
    free(text);
}

/* A row of the recomputed shares: for each verdict of table 1, the share in the reports, the share
 * after the adjustments, and the printed share. */
struct share_row {
    const char *target;
    struct {
        double files, adjusted;
        const char *printed;
    } of[PM_RECOUNT_FAILS + 1];
};

#define SHARES_OF(word, recount)                                                                   \
    {word, word, PM_CELL_SHARE, PM_MEMBER(struct share_row, of[recount].files)},                   \
        {word "_adjusted", "adjusted", PM_CELL_SHARE,                                              \
         PM_MEMBER(struct share_row, of[recount].adjusted)},                                       \
    {                                                                                              \
        word "_printed", "printed", PM_CELL_SHARE,                                                 \
            PM_MEMBER(struct share_row, of[recount].printed)                                       \
    }

static const struct pm_column share_columns[] = {
    {"target", "target", PM_CELL_TEXT, PM_MEMBER(struct share_row, target)},
    SHARES_OF("works", PM_RECOUNT_WORKS),
    SHARES_OF("partly", PM_RECOUNT_PARTLY),
    SHARES_OF("fails", PM_RECOUNT_FAILS),
};

static void add_share_row(const struct pm_published *p, const struct pm_results *r,
                          const struct pm_recounting *counted, struct pm_table *t)
{
    struct share_row row = {.target = r->target};
    size_t files = 0, adjusted = 0;
    for (int v = PM_RECOUNT_WORKS; v <= PM_RECOUNT_FAILS; v++) {
        files += counted->files[v];
        adjusted += counted->adjusted[v];
    }
    for (int v = PM_RECOUNT_WORKS; v <= PM_RECOUNT_FAILS; v++) {
        char *item = pm_format("%s %s", r->device, pm_recount_text((enum pm_recount)v));
        const struct pm_publication_cell *cell =
            pm_publication_find(&p->numbers, "1", r->framework, item);
        row.of[v].files = (double)counted->files[v] / (double)files;
        row.of[v].adjusted = (double)counted->adjusted[v] / (double)adjusted;
        row.of[v].printed = cell ? cell->text : "";
        free(item);
    }
    pm_table_row(t, &row, NULL);
}

struct recount {
    const char *target;
    struct pm_recounting counted;
};

static void recounted_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *counts = (const char *)from->row + from->column->offset;
    counts_cell(table, counts, 0);
}

static void printed_counts_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct recount *row = from->row;
    if (row->counted.printed_of)
        counts_cell(table, row->counted.printed, row->counted.printed_of);
    else
        pm_table_empty(table);
}

#define COUNTS(member)                                                                             \
    PM_CELL_COUNT, .offset = offsetof(struct recount, counted.member), .cell = recounted_cell

static const struct pm_column recount_columns[] = {
    {"target", "target", PM_CELL_TEXT, PM_MEMBER(struct recount, target)},
    {"files", "reports", COUNTS(files)},
    {"adjusted", "adjusted", COUNTS(adjusted)},
    {"printed", "printed", PM_CELL_COUNT, .cell = printed_counts_cell},
    {"dropped", "dropped functions (never timed, and not failing completely)", PM_CELL_TEXT,
     PM_MEMBER(struct recount, counted.dropped)},
    {"as_passed", "functions counted as passed (they fail, but the printed latencies include them)",
     PM_CELL_TEXT, PM_MEMBER(struct recount, counted.as_passed)},
    {"left", "still differs", PM_CELL_TEXT, PM_MEMBER(struct recount, counted.left)},
};

static void add_recount_row(const struct pm_published *p, const struct pm_results *r,
                            struct pm_table *t, struct pm_table *shares)
{
    struct pm_row *rows = NULL;
    size_t count = 0;
    struct recount row = {.target = r->target};
    const struct pm_results *gpu = other_of(p, r, "GPU"), *tpu = other_of(p, r, "TPU");
    const struct pm_results *other = !strcmp(r->device, "GPU") ? tpu : gpu;
    if (gpu && tpu)
        pm_results_rows(&p->numbers, gpu, tpu, &rows, &count);
    pm_results_recount(&p->numbers, r, other ? other : r, rows, count, &row.counted);
    pm_table_row(t, &row, NULL);
    add_share_row(p, r, &row.counted, shares);
    pm_recounting_release(&row.counted);
    pm_rows_free(rows, count);
}

static void add_recount(const struct pm_published *p, bool asked, struct pm_report *report)
{
    struct pm_table *t =
        pm_table_new("recount", "Published counts (table 8), computed again from the reports");
    struct pm_table *shares =
        pm_table_new("recount_shares", "Published shares (table 1), computed again: by the "
                                       "reports, adjusted, as printed");
    pm_table_columns(t, recount_columns, false);
    pm_table_columns(shares, share_columns, false);
    for (size_t i = 0; i < p->count; i++)
        if (pm_results_have_report(&p->results[i]))
            add_recount_row(p, &p->results[i], t, shares);
    if (pm_table_rows(t))
        pm_table_note(t, "numbers of functions: works / partly / fails; "
                         "adjusted: dropped functions are not counted; functions counted as "
                         "passed, and functions that are only timed, count as working");
    take_table(t, asked, report);
    take_table(shares, false, report);
}

/* ---- imported functions --------------------------------------------------------------------- */

static void imported_verdict_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_table_text(table, pm_recount_text(pm_results_verdict(from->row)));
}

static void imported_target_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_results *results = from->context;
    pm_table_text(table, results->target);
}

#define IMPORTED(member) PM_MEMBER(struct pm_result_function, member)

static const struct pm_column imported_columns[] = {
    {"target", "target", PM_CELL_TEXT, .cell = imported_target_cell},
    {"function", "test file", PM_CELL_TEXT, IMPORTED(name)},
    {"verdict", "verdict", PM_CELL_TEXT, .cell = imported_verdict_cell},
    {"passed", "passed", PM_CELL_COUNT, IMPORTED(passed)},
    {"failed", "failed", PM_CELL_COUNT, IMPORTED(failed)},
    {"skipped", "skipped", PM_CELL_COUNT, IMPORTED(skipped)},
    {"not_counted", "not counted", PM_CELL_COUNT, IMPORTED(excluded)},
    {"calls", "timed operations", PM_CELL_COUNT, IMPORTED(calls)},
};

static void excluded_test_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_table_text(table, from->row);
}

static const struct pm_column excluded_columns[] = {
    {"target", "target", PM_CELL_TEXT, .cell = imported_target_cell},
    {"test", "test", PM_CELL_TEXT, .cell = excluded_test_cell},
};

static void add_excluded(const struct pm_published *p, struct pm_report *report)
{
    struct pm_table *t = pm_table_new(
        "imported_not_counted", "Imported tests not counted: another device is in their names");
    pm_table_columns(t, excluded_columns, false);
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->results[i].excluded_count; k++)
            pm_table_row(t, p->results[i].excluded[k], &p->results[i]);
    take_table(t, false, report);
}

/* Adds the functions that fail or have no timed operation; if the table was requested, all
 * functions and the tests that are not counted. */
static void add_imported(const struct pm_published *p, bool asked, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("imported", "Imported tests, by function");
    pm_table_columns(t, imported_columns, false);
    for (size_t i = 0; i < p->count; i++) {
        const struct pm_results *r = &p->results[i];
        for (size_t k = 0; k < r->function_count; k++)
            if (asked || r->functions[k].failed || !r->functions[k].calls)
                pm_table_row(t, &r->functions[k], r);
        if (r->excluded_count) {
            char *note = pm_format(
                "%s: not counted, because their names contain another device: %zu of %zu tests",
                r->target, r->excluded_count, r->tests);
            pm_table_note(t, note);
            free(note);
        }
    }
    if (pm_table_rows(t) && !asked)
        pm_table_note(t, "shown: functions that fail or have no timed operation; --table imported "
                         "lists all functions, and the tests that are not counted");
    take_table(t, asked, report);
    if (asked)
        add_excluded(p, report);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*add)(const struct pm_published *p, bool asked, struct pm_report *report);
} tables[] = {
    {"sentences", add_sentences}, {"contradictions", add_contradictions},
    {"published", add_printed},   {"reproduced", add_rows},
    {"recount", add_recount},     {"imported", add_imported},
};
enum { TABLES = sizeof tables / sizeof *tables };

bool pm_published_has(const char *table)
{
    for (size_t i = 0; i < TABLES; i++)
        if (!strcmp(tables[i].name, table))
            return true;
    return false;
}

void pm_published_list(struct pm_str *out)
{
    for (size_t i = 0; i < TABLES; i++)
        pm_str_addf(out, "%s%s", out->length ? ", " : "", tables[i].name);
}

void pm_published_add(const struct pm_published *p, const char *table, struct pm_report *report)
{
    for (size_t i = 0; i < p->source_count; i++) {
        const struct pm_published_source *s = &p->sources[i];
        char *text =
            pm_format("run %lld, imported %s: %s", (long long)s->run_id, s->started, s->source);
        pm_report_line(report, i ? "" : "published", text);
        free(text);
    }
    for (size_t i = 0; i < TABLES; i++)
        if (!table || !strcmp(tables[i].name, table))
            tables[i].add(p, table != NULL, report);
}
