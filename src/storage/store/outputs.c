/* What executions gave: leaves with their bytes, and latencies. */
#include <string.h>

#include "base/alloc.h"
#include "store/outputs.h"
#include "store/store_private.h"
#include "store/timings.h"
#include "store/word.h"

static int has_blob(struct pm_store *store, const char *digest, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT 1 FROM blob WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    const int rc = pm_store__next(&q, err);
    pm_store__close(&q);
    return rc;
}

static int add_blob(struct pm_store *store, const char *digest, const void *bytes, size_t length,
                    struct pm_error *err)
{
    const int there = has_blob(store, digest, err);
    if (there)
        return there < 0 ? there : PM_OK;
    size_t packed;
    PM_TRY(pm_store__pack(store, bytes, length, &packed, err));
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "INSERT INTO blob (digest, length, bytes) VALUES (?, ?, ?)", &q,
                             err));
    pm_store__bind_text(&q, digest);
    pm_store__bind_int(&q, (int64_t)length);
    pm_store__bind_bytes(&q, store->packed, packed);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_add_leaf(struct pm_store *store, const struct pm_leaf_row *leaf, const void *bytes,
                      size_t length, struct pm_error *err)
{
    if (bytes)
        PM_TRY(add_blob(store, leaf->digest, bytes, length, err));
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO leaf (execution_id, part, position, path, kind, dtype,"
                             " shape, device, on_device, digest, value, kept)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
                             &q, err));
    pm_store__bind_int(&q, leaf->execution_id);
    pm_store__bind_text(&q, pm_leaf_part_text(leaf->part));
    pm_store__bind_int(&q, leaf->position);
    pm_store__bind_message(&q, leaf->path);
    pm_store__bind_text(&q, pm_leaf_kind_text(leaf->kind));
    pm_store__bind_text(&q, leaf->dtype);
    pm_store__bind_text(&q, leaf->shape);
    pm_store__bind_message(&q, leaf->device);
    pm_store__bind_int(&q, leaf->on_device);
    pm_store__bind_text(&q, leaf->digest);
    if (leaf->kind == PM_LEAF_VALUE)
        pm_store__bind_message_json(&q, leaf->value);
    else
        pm_store__bind_message(&q, leaf->value);
    return pm_store__run(&q, NULL, NULL, err);
}

/* A value is JSON, and a type the name of one. */
static void read_leaf(struct pm_store__query *q, struct pm_leaf_row *leaf)
{
    leaf->execution_id = pm_store__row(q, "leaf of execution");
    leaf->part = PM_STORE__WORD(q, leaf_part);
    leaf->position = pm_store__whole(q, 0, PM_STORE__MOST_POSITION);
    leaf->path = pm_store__line(q);
    leaf->kind = PM_STORE__WORD(q, leaf_kind);
    leaf->dtype = pm_store__line(q);
    leaf->shape = pm_store__json(q, PM_STORE__MAY_LACK);
    leaf->device = pm_store__line(q);
    leaf->on_device = pm_store__flag(q);
    leaf->digest = pm_store__digest(q, PM_STORE__MAY_LACK);
    leaf->value =
        leaf->kind == PM_LEAF_VALUE ? pm_store__json(q, PM_STORE__NEEDED) : pm_store__long(q);
}

int pm_store_leaves(struct pm_store *store, int64_t execution_id, pm_leaf_fn *row, void *ctx,
                    struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT execution_id, part, position, path, kind, dtype, shape, device, on_device,"
        " digest, value FROM leaf WHERE execution_id = ?"
        " ORDER BY part DESC, position",
        &q, err));
    pm_store__bind_int(&q, execution_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_leaf_row, read_leaf, row, ctx, err);
}

static int read_blob(struct pm_store__query *q, const char *digest, void **bytes, size_t *length,
                     struct pm_error *err)
{
    const size_t declared = (size_t)pm_store__whole(q, 0, PM_STORE_MOST_BLOB);
    size_t size;
    const void *packed = pm_store__bytes(q, &size);
    PM_TRY(pm_store__sound(q, err));
    *bytes = pm_store__unpack(packed, size, declared, PM_STORE_MOST_BLOB);
    if (!*bytes)
        return pm_store_damaged(q->store, err, "row 'blob %s' cannot be unpacked to %zu bytes",
                                digest, declared);
    *length = declared;
    return PM_OK;
}

static void read_typed_case(struct pm_store__query *q, struct pm_typed_case_row *row)
{
    row->case_id = pm_store__row(q, "leaf of case");
    row->target_id = pm_store__whole(q, 1, INT64_MAX);
    row->leaves = pm_store__whole(q, 1, INT64_MAX);
    row->path = pm_store__line(q);
    row->type = pm_store__line(q);
}

int pm_store_typed_cases(struct pm_store *store, int64_t run_id, pm_typed_case_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT e.case_id, e.target_id, count(DISTINCT l.path), min(l.path),"
                             " l.value FROM execution AS e JOIN leaf AS l ON l.execution_id = e.id"
                             " WHERE e.run_id = ? AND l.kind = 'type'"
                             " GROUP BY e.target_id, e.case_id",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_typed_case_row, read_typed_case, row, ctx, err);
}

int pm_store_blob(struct pm_store *store, const char *digest, void **bytes, size_t *length,
                  struct pm_error *err)
{
    *bytes = NULL;
    *length = 0;
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT length, bytes FROM blob WHERE digest = ?", &q, err));
    pm_store__bind_text(&q, digest);
    int rc = pm_store__next(&q, err);
    if (rc > 0) {
        pm_store__about(&q, "blob");
        rc = read_blob(&q, digest, bytes, length, err);
    } else if (rc == 0) {
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "the bytes of array '%s' are not in '%s': measure its run again", digest,
                          store->path);
    }
    pm_store__close(&q);
    return rc;
}

/* printf costs more than all the rest of storing a sample. */
static void add_number(struct pm_str *out, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--at = '-';
    pm_str_add_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

const char *pm_store__numbers_text(struct pm_str *out, const int64_t *numbers, size_t count)
{
    pm_str_clear(out);
    pm_str_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            pm_str_add_char(out, ',');
        add_number(out, numbers[i]);
    }
    pm_str_add_char(out, ']');
    return out->data;
}

int pm_store__check_samples(size_t count, struct pm_error *err)
{
    return count <= PM_STORE_MOST_SAMPLES
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT, "%zu times are too many to store: give at most %d",
                              count, PM_STORE_MOST_SAMPLES);
}

int pm_store_add_timing(struct pm_store *store, const struct pm_timing_row *timing,
                        struct pm_error *err)
{
    struct pm_store__query q;
    const size_t count = timing->count;
    PM_TRY(pm_store__check_samples(count, err));
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO timing (execution_id, clock, samples, compilations,"
                             " warmup, factor, imports, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, timing->execution_id);
    pm_store__bind_text(&q, pm_clock_text(timing->clock));
    pm_store__bind_text(&q, pm_store__numbers_text(&store->samples, timing->samples, count));
    pm_store__bind_text(
        &q, timing->compilations
                ? pm_store__numbers_text(&store->compilations, timing->compilations, count)
                : "");
    pm_store__bind_int(&q, timing->warmup);
    pm_store__bind_int(&q, timing->factor);
    pm_store__bind_int(&q, timing->imports);
    pm_store__bind_text(&q, timing->imported);
    return pm_store__run(&q, NULL, NULL, err);
}

/* The digits at *text as a number; false where there are none, or too many. */
static bool parse_number(const char **text, int64_t *out)
{
    const char *at = *text;
    *out = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *at - '0', out))
            return false;
    const bool any = at > *text;
    *text = at;
    return any;
}

/* Accepts what pm_store__numbers_text() writes. */
static bool parse_numbers(const char *text, struct pm_store__numbers *out)
{
    out->count = 0;
    if (strcmp(text, "[]") == 0)
        return true;
    for (char before = '['; *text == before && out->count < PM_STORE_MOST_SAMPLES; before = ',') {
        text++;
        PM_GROW(out->items, out->count, out->capacity);
        if (!parse_number(&text, &out->items[out->count]))
            return false;
        out->count++;
    }
    return strcmp(text, "]") == 0;
}

int pm_store__read_numbers(const struct pm_store__query *q, const char *text,
                           struct pm_store__numbers *out, const char *column, struct pm_error *err)
{
    return parse_numbers(text, out)
               ? PM_OK
               : pm_store_damaged(q->store, err,
                                  "column '%s' of row '%s %lld' is not a list of whole numbers",
                                  column, q->what, (long long)q->row);
}

static int read_timing(struct pm_store__query *q, struct pm_timing_row *timing,
                       struct pm_store__numbers *samples, struct pm_store__numbers *compilations,
                       struct pm_error *err)
{
    timing->execution_id = pm_store__row(q, "timing of execution");
    timing->target_id = pm_store__id(q);
    timing->case_id = pm_store__id(q);
    timing->repetition = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    timing->clock = PM_STORE__WORD(q, clock);
    const char *sample_text = pm_store__long(q), *compilation_text = pm_store__long(q);
    timing->warmup = pm_store__count(q);
    timing->factor = pm_store__whole(q, 1, PM_STORE__MOST_COUNT);
    timing->imports = pm_store__count(q);
    timing->imported = pm_store__line(q);
    PM_TRY(pm_store__sound(q, err));
    const bool counted = *compilation_text;
    PM_TRY(pm_store__read_numbers(q, sample_text, samples, "samples", err));
    if (counted)
        PM_TRY(pm_store__read_numbers(q, compilation_text, compilations, "compilations", err));
    if (counted && compilations->count != samples->count)
        return pm_store_damaged(
            q->store, err, "row 'timing of execution %lld' has %zu compilations for %zu samples",
            (long long)q->row, compilations->count, samples->count);
    timing->samples = samples->items;
    timing->compilations = counted ? compilations->items : NULL;
    timing->count = samples->count;
    return PM_OK;
}

int pm_store_timings(struct pm_store *store, int64_t run_id, enum pm_clock clock, pm_timing_fn *row,
                     void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "SELECT e.id, e.target_id, e.case_id, e.repetition, t.clock, t.samples,"
                          " t.compilations, t.warmup, t.factor, t.imports, t.imported"
                          " FROM execution e JOIN timing t ON t.execution_id = e.id"
                          " WHERE e.run_id = ?1 AND (?2 IS NULL OR t.clock = ?2)"
                          " ORDER BY e.target_id, e.case_id, e.repetition, t.clock",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_change(&q, clock == PM_CLOCK_COUNT ? NULL : pm_clock_text(clock));
    struct pm_store__numbers samples = {0}, compilations = {0};
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_timing_row timing;
        if ((rc = read_timing(&q, &timing, &samples, &compilations, err)) != 0 ||
            (rc = row(ctx, &timing)) != 0)
            break;
    }
    free(samples.items);
    free(compilations.items);
    pm_store__close(&q);
    return rc;
}

int pm_store_add_first_call(struct pm_store *store, const struct pm_first_call_row *row,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO first_call (execution_id, tracing_ns, lowering_ns,"
                             " compiling_ns, device_memory) VALUES (?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->execution_id);
    pm_store__bind_int(&q, row->tracing_ns);
    pm_store__bind_int(&q, row->lowering_ns);
    pm_store__bind_int(&q, row->compiling_ns);
    pm_store__bind_int(&q, row->device_memory);
    return pm_store__run(&q, NULL, NULL, err);
}

/* The sum of the first `count` numbers of a column, at most INT64_MAX; -1 without any. */
static int add_up(struct pm_store__query *q, const char *text, size_t count, const char *column,
                  int64_t *sum, struct pm_error *err)
{
    struct pm_store__numbers numbers = {0};
    *sum = -1;
    const int rc = *text ? pm_store__read_numbers(q, text, &numbers, column, err) : PM_OK;
    for (size_t i = 0; i < numbers.count && i < count && !rc; i++)
        if (__builtin_add_overflow(i ? *sum : 0, numbers.items[i], sum))
            *sum = INT64_MAX;
    free(numbers.items);
    return rc;
}

/* What a row of first_call has, if there is one. */
static void read_reported(struct pm_store__query *q, struct pm_first_call_row *first)
{
    int64_t *const reported[] = {&first->tracing_ns, &first->lowering_ns, &first->compiling_ns,
                                 &first->device_memory};
    const bool has_row = pm_store__flag(q);
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++) {
        *reported[i] = has_row ? pm_store__whole(q, -1, PM_STORE__MOST_REPORTED) : -1;
        q->column += !has_row;
    }
}

static int read_first_call(struct pm_store__query *q, struct pm_first_call_row *first,
                           struct pm_error *err)
{
    first->execution_id = pm_store__row(q, "first call of execution");
    first->target_id = pm_store__id(q);
    first->function = pm_store__line(q);
    first->name = pm_store__line(q);
    first->position = pm_store__whole(q, 0, PM_STORE__MOST_COUNT);
    read_reported(q, first);
    const char *cold = pm_store__long(q), *compiled = pm_store__long(q),
               *recompiled = pm_store__long(q);
    PM_TRY(pm_store__sound(q, err));
    PM_TRY(add_up(q, cold, 1, "samples", &first->cold_ns, err));
    PM_TRY(add_up(q, compiled, 1, "compilations", &first->compilations, err));
    return add_up(q, recompiled, PM_STORE_MOST_SAMPLES, "compilations", &first->recompilations,
                  err);
}

int pm_store_first_calls(struct pm_store *store, int64_t run_id, pm_first_call_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT e.id, e.target_id, c.function, c.name, e.position, f.execution_id IS NOT NULL,"
        " f.tracing_ns, f.lowering_ns, f.compiling_ns, f.device_memory, ifnull(cold.samples, ''),"
        " ifnull(cold.compilations, ''), ifnull(warm.compilations, '')"
        " FROM execution e JOIN test_case c ON c.id = e.case_id"
        " LEFT JOIN first_call f ON f.execution_id = e.id"
        " LEFT JOIN timing cold ON cold.execution_id = e.id AND cold.clock = 'cold'"
        " LEFT JOIN timing warm ON warm.execution_id = e.id AND warm.clock = 'warm'"
        " WHERE e.run_id = ? AND (f.execution_id IS NOT NULL OR cold.execution_id IS NOT NULL)"
        " ORDER BY e.id",
        &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_first_call_row first;
        if ((rc = read_first_call(&q, &first, err)) != 0 || (rc = row(ctx, &first)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_imports(struct pm_store *store, int64_t run_id, pm_import_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT e.id, c.function, c.name, t.clock, max(t.imports), t.imported"
                             " FROM timing t INDEXED BY timing_imports"
                             " CROSS JOIN execution e ON e.id = t.execution_id"
                             " JOIN test_case c ON c.id = e.case_id"
                             " WHERE e.run_id = ? AND t.imports > 0"
                             " GROUP BY c.function, c.name, t.clock",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        pm_store__row(&q, "timing of execution");
        struct pm_import_row found;
        found.function = pm_store__line(&q);
        found.name = pm_store__line(&q);
        found.clock = PM_STORE__WORD(&q, clock);
        found.imports = pm_store__count(&q);
        found.imported = pm_store__line(&q);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &found)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}
