/* Stores the outputs of executions (leaves with their bytes), their timings, and their first
 * calls. */
#include <string.h>

#include "base/alloc.h"
#include "store/description.h"
#include "store/outputs.h"
#include "store/timings.h"

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
    PM_TRY(pm_store__pack(store, bytes, length, err));
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "INSERT INTO blob (digest, length, bytes) VALUES (?, ?, ?)", &q,
                             err));
    pm_store__bind_text(&q, digest);
    pm_store__bind_int(&q, (int64_t)length);
    pm_store__bind_bytes(&q, store->packer.bytes, store->packer.size);
    return pm_store__run(&q, NULL, NULL, err);
}

static const struct pm_store__column leaf_columns[] = {
    {"execution_id", PM_STORE__NAMING(leaf, execution_id, "leaf of execution")},
    {"part", PM_STORE__WORD(leaf, part, leaf_part)},
    {"position", PM_STORE__WHOLE(leaf, position, 0, PM_STORE__MOST_POSITION)},
    {"path", PM_STORE__LINE(leaf, path), PM_STORE__HIDDEN},
    {"kind", PM_STORE__WORD(leaf, kind, leaf_kind)},
    {"dtype", PM_STORE__LINE(leaf, dtype)},
    {"shape", PM_STORE__JSON(leaf, shape), PM_STORE__EMPTY},
    {"device", PM_STORE__LINE(leaf, device), PM_STORE__HIDDEN},
    {"on_device", PM_STORE__FLAG(leaf, on_device)},
    {"digest", PM_STORE__DIGEST(leaf, digest), PM_STORE__EMPTY},
    {"value", PM_STORE__VALUE(leaf, value, kind), PM_STORE__HIDDEN},
    {"kept", PM_STORE__FLAG(leaf, kept)},
};
static const struct pm_store__rows leaves = PM_STORE__ROWS("leaf", "leaf", leaf_columns);

int pm_store_add_leaf(struct pm_store *store, const struct pm_leaf_row *leaf, const void *bytes,
                      size_t length, struct pm_error *err)
{
    if (bytes)
        PM_TRY(add_blob(store, leaf->digest, bytes, length, err));
    struct pm_leaf_row kept = *leaf;
    kept.kept = true;
    return pm_store__add(store, &leaves, &kept, NULL, err);
}

int pm_store_leaves(struct pm_store *store, int64_t execution_id, pm_leaf_fn *row, void *ctx,
                    struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &leaves, " WHERE execution_id = ? ORDER BY part DESC, position",
                            &q, err));
    pm_store__bind_int(&q, execution_id);
    PM_STORE__GIVE_ROWS(&q, &leaves, struct pm_leaf_row, row, ctx, err);
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

static const struct pm_store__column typed_case_columns[] = {
    {"e.case_id", PM_STORE__NAMING(typed_case, case_id, "leaf of case")},
    {"e.target_id", PM_STORE__ID(typed_case, target_id)},
    {"count(DISTINCT l.path)", PM_STORE__ID(typed_case, leaves)},
    {"min(l.path)", PM_STORE__LINE(typed_case, path)},
    {"l.value", PM_STORE__LINE(typed_case, type)},
};
static const struct pm_store__rows typed_cases = PM_STORE__ROWS(
    NULL, "execution AS e JOIN leaf AS l ON l.execution_id = e.id", typed_case_columns);

int pm_store_typed_cases(struct pm_store *store, int64_t run_id, pm_typed_case_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &typed_cases,
                            " WHERE e.run_id = ? AND l.kind = 'type'"
                            " GROUP BY e.target_id, e.case_id",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &typed_cases, struct pm_typed_case_row, row, ctx, err);
}

static const struct pm_store__column case_dtype_columns[] = {
    {"e.case_id", PM_STORE__NAMING(case_dtype, case_id, "leaf of case")},
    {"e.target_id", PM_STORE__ID(case_dtype, target_id)},
    {"l.dtype", PM_STORE__LINE(case_dtype, dtype)},
};
static const struct pm_store__rows case_dtypes = PM_STORE__ROWS(
    NULL, "execution AS e JOIN leaf AS l ON l.execution_id = e.id", case_dtype_columns);

int pm_store_case_dtypes(struct pm_store *store, int64_t run_id, pm_case_dtype_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &case_dtypes,
                            " WHERE e.run_id = ? AND l.kind = 'array'"
                            " GROUP BY e.target_id, e.case_id, l.dtype"
                            " ORDER BY e.target_id, e.case_id, l.dtype",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &case_dtypes, struct pm_case_dtype_row, row, ctx, err);
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

/* Adds a number. printf would take longer than all other work of storing a time. */
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

int pm_store__check_timings(size_t count, struct pm_error *err)
{
    return count <= PM_STORE_MOST_TIMINGS
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT, "%zu times are too many to store: give at most %d",
                              count, PM_STORE_MOST_TIMINGS);
}

/* The stored form of timings: the lists of numbers are texts. */
struct pm_stored_timing_row {
    struct pm_timing_row of;
    const char *times, *compilations;
};

static const struct pm_store__column timing_columns[] = {
    {"t.execution_id", PM_STORE__NAMING(stored_timing, of.execution_id, "timing of execution")},
    {"e.target_id", PM_STORE__ID(stored_timing, of.target_id), PM_STORE__GIVEN},
    {"e.case_id", PM_STORE__ID(stored_timing, of.case_id), PM_STORE__GIVEN},
    {"e.repetition", PM_STORE__WHOLE(stored_timing, of.repetition, 0, PM_STORE__MOST_REPETITION),
     PM_STORE__GIVEN},
    {"t.clock", PM_STORE__WORD(stored_timing, of.clock, clock)},
    {"t.times", PM_STORE__LONG(stored_timing, times)},
    {"t.compilations", PM_STORE__LONG(stored_timing, compilations)},
    {"t.warmup", PM_STORE__COUNT(stored_timing, of.warmup)},
    {"t.factor", PM_STORE__WHOLE(stored_timing, of.factor, 1, PM_STORE__MOST_COUNT)},
    {"t.imports", PM_STORE__COUNT(stored_timing, of.imports)},
    {"t.imported", PM_STORE__LINE(stored_timing, of.imported)},
};
static const struct pm_store__rows timings =
    PM_STORE__ROWS("timing", "execution e JOIN timing t ON t.execution_id = e.id", timing_columns);

int pm_store_add_timing(struct pm_store *store, const struct pm_timing_row *timing,
                        struct pm_error *err)
{
    const size_t count = timing->count;
    PM_TRY(pm_store__check_timings(count, err));
    struct pm_stored_timing_row stored = {.of = *timing};
    stored.times = pm_store__numbers_text(&store->times, timing->times, count);
    if (timing->compilations)
        stored.compilations =
            pm_store__numbers_text(&store->compilations, timing->compilations, count);
    return pm_store__add(store, &timings, &stored, NULL, err);
}

/* Parses the digits at *text as a number; false if there are none, or too many. */
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

/* Parses a text of the form that pm_store__numbers_text() writes; false for any other text. */
static bool parse_numbers(const char *text, struct pm_store__numbers *out)
{
    out->count = 0;
    if (strcmp(text, "[]") == 0)
        return true;
    for (char before = '['; *text == before && out->count < PM_STORE_MOST_TIMINGS; before = ',') {
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

static int read_timing(struct pm_store__query *q, struct pm_stored_timing_row *stored,
                       struct pm_store__numbers *times, struct pm_store__numbers *compilations,
                       struct pm_error *err)
{
    pm_store__read(q, &timings, stored);
    PM_TRY(pm_store__sound(q, err));
    const bool counted = *stored->compilations;
    PM_TRY(pm_store__read_numbers(q, stored->times, times, "times", err));
    if (counted)
        PM_TRY(pm_store__read_numbers(q, stored->compilations, compilations, "compilations", err));
    if (counted && compilations->count != times->count)
        return pm_store_damaged(q->store, err,
                                "row 'timing of execution %lld' has %zu compilations for %zu times",
                                (long long)q->row, compilations->count, times->count);
    stored->of.times = times->items;
    stored->of.compilations = counted ? compilations->items : NULL;
    stored->of.count = times->count;
    return PM_OK;
}

int pm_store_timings(struct pm_store *store, int64_t run_id, enum pm_clock clock, pm_timing_fn *row,
                     void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &timings,
                            " WHERE e.run_id = ?1 AND (?2 IS NULL OR t.clock = ?2)"
                            " ORDER BY e.target_id, e.case_id, e.repetition, t.clock",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_change(&q, clock == PM_CLOCK_COUNT ? NULL : pm_clock_text(clock));
    struct pm_store__numbers times = {0}, compilations = {0};
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_stored_timing_row stored;
        if ((rc = read_timing(&q, &stored, &times, &compilations, err)) != 0 ||
            (rc = row(ctx, &stored.of)) != 0)
            break;
    }
    free(times.items);
    free(compilations.items);
    pm_store__close(&q);
    return rc;
}

size_t pm_timing_values(const struct pm_timing_row *row, double *values)
{
    const bool repeated = row->clock == PM_CLOCK_WARM || row->clock == PM_CLOCK_DISPATCH ||
                          row->clock == PM_CLOCK_BACKWARD;
    size_t count = 0;
    for (size_t i = 0; i < row->count; i++)
        if (!repeated || !row->compilations || !row->compilations[i])
            values[count++] = (double)(row->times[i] > 0 ? row->times[i] : 1);
    return count;
}

/* ---- first calls --------------------------------------------------------------------------- */

/* The stored form of a first call: with the texts of the timings of the execution, "" if it has
 * none. */
struct pm_stored_call_row {
    struct pm_first_call_row of;
    const char *cold, *compiled, *recompiled;
};

/* A column of first_call, whose row is missing if nothing was reported. */
#define REPORTED(name)                                                                             \
    {                                                                                              \
        "iif(f.execution_id IS NULL, -1, f." #name ") AS " #name,                                  \
            PM_STORE__WHOLE(stored_call, of.name, -1, PM_STORE__MOST_REPORTED), PM_STORE__GIVEN    \
    }

static const struct pm_store__column first_call_columns[] = {
    {"e.id", PM_STORE__NAMING(stored_call, of.execution_id, "first call of execution")},
    {"e.target_id", PM_STORE__ID(stored_call, of.target_id)},
    {"c.function", PM_STORE__LINE(stored_call, of.function)},
    {"c.name", PM_STORE__LINE(stored_call, of.name)},
    {"e.position", PM_STORE__COUNT(stored_call, of.position)},
    REPORTED(tracing_ns),
    REPORTED(lowering_ns),
    REPORTED(compiling_ns),
    REPORTED(device_memory),
    {"ifnull(cold.times, '')", PM_STORE__LONG(stored_call, cold)},
    {"ifnull(cold.compilations, '')", PM_STORE__LONG(stored_call, compiled)},
    {"ifnull(warm.compilations, '')", PM_STORE__LONG(stored_call, recompiled)},
};
static const struct pm_store__rows first_calls =
    PM_STORE__ROWS(NULL,
                   "execution e JOIN test_case c ON c.id = e.case_id"
                   " LEFT JOIN first_call f ON f.execution_id = e.id"
                   " LEFT JOIN timing cold ON cold.execution_id = e.id AND cold.clock = 'cold'"
                   " LEFT JOIN timing warm ON warm.execution_id = e.id AND warm.clock = 'warm'",
                   first_call_columns);

static const struct pm_store__column reported_columns[] = {
    {"execution_id", PM_STORE__ID(first_call, execution_id)},
    {"tracing_ns", PM_STORE__WHOLE(first_call, tracing_ns, -1, PM_STORE__MOST_REPORTED)},
    {"lowering_ns", PM_STORE__WHOLE(first_call, lowering_ns, -1, PM_STORE__MOST_REPORTED)},
    {"compiling_ns", PM_STORE__WHOLE(first_call, compiling_ns, -1, PM_STORE__MOST_REPORTED)},
    {"device_memory", PM_STORE__WHOLE(first_call, device_memory, -1, PM_STORE__MOST_REPORTED)},
};
static const struct pm_store__rows reported = PM_STORE__ROWS("first_call", NULL, reported_columns);

int pm_store_add_first_call(struct pm_store *store, const struct pm_first_call_row *row,
                            struct pm_error *err)
{
    return pm_store__add(store, &reported, row, NULL, err);
}

/* Adds up the first `count` numbers of a column, at most to INT64_MAX; -1 if there are none. */
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

static int read_first_call(struct pm_store__query *q, struct pm_first_call_row *first,
                           struct pm_error *err)
{
    struct pm_stored_call_row stored = {0};
    pm_store__read(q, &first_calls, &stored);
    PM_TRY(pm_store__sound(q, err));
    *first = stored.of;
    PM_TRY(add_up(q, stored.cold, 1, "times", &first->cold_ns, err));
    PM_TRY(add_up(q, stored.compiled, 1, "compilations", &first->compilations, err));
    return add_up(q, stored.recompiled, PM_STORE_MOST_TIMINGS, "compilations",
                  &first->recompilations, err);
}

int pm_store_first_calls(struct pm_store *store, int64_t run_id, pm_first_call_fn *row, void *ctx,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &first_calls,
                            " WHERE e.run_id = ?"
                            " AND (f.execution_id IS NOT NULL OR cold.execution_id IS NOT NULL)"
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

static const struct pm_store__column import_columns[] = {
    {"e.id", PM_STORE__NAME_ONLY("timing of execution")},
    {"c.function", PM_STORE__LINE(import, function)},
    {"c.name", PM_STORE__LINE(import, name)},
    {"t.clock", PM_STORE__WORD(import, clock, clock)},
    {"max(t.imports)", PM_STORE__COUNT(import, imports)},
    {"t.imported", PM_STORE__LINE(import, imported)},
};
static const struct pm_store__rows imports =
    PM_STORE__ROWS(NULL,
                   "timing t INDEXED BY timing_imports"
                   " CROSS JOIN execution e ON e.id = t.execution_id"
                   " JOIN test_case c ON c.id = e.case_id",
                   import_columns);

int pm_store_imports(struct pm_store *store, int64_t run_id, pm_import_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &imports,
                            " WHERE e.run_id = ? AND t.imports > 0"
                            " GROUP BY c.function, c.name, t.clock",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &imports, struct pm_import_row, row, ctx, err);
}
