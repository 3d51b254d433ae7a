#include <string.h>

#include "base/alloc.h"
#include "store/store_private.h"

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
                             " shape, device, on_device, digest, value)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, leaf->execution_id);
    pm_store__bind_text(&q, leaf->group);
    pm_store__bind_int(&q, leaf->position);
    pm_store__bind_text(&q, leaf->path);
    pm_store__bind_text(&q, leaf->kind);
    pm_store__bind_text(&q, leaf->dtype);
    pm_store__bind_text(&q, leaf->shape);
    pm_store__bind_text(&q, leaf->device);
    pm_store__bind_int(&q, leaf->on_device);
    pm_store__bind_text(&q, leaf->digest);
    pm_store__bind_text(&q, leaf->value);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_leaves(struct pm_store *store, int64_t execution_id, pm_leaf_fn *row, void *ctx,
                    struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "SELECT execution_id, part, position, path, kind, dtype, shape, device,"
                          " on_device, digest, value FROM leaf WHERE execution_id = ?"
                          " ORDER BY part DESC, position",
                          &q, err));
    pm_store__bind_int(&q, execution_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_leaf_row leaf;
        leaf.execution_id = pm_store__int(&q);
        leaf.group = pm_store__text(&q);
        leaf.position = pm_store__int(&q);
        leaf.path = pm_store__text(&q);
        leaf.kind = pm_store__text(&q);
        leaf.dtype = pm_store__text(&q);
        leaf.shape = pm_store__text(&q);
        leaf.device = pm_store__text(&q);
        leaf.on_device = pm_store__int(&q) != 0;
        leaf.digest = pm_store__text(&q);
        leaf.value = pm_store__text(&q);
        if ((rc = row(ctx, &leaf)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
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
        *length = (size_t)pm_store__int(&q);
        size_t size;
        const void *packed = pm_store__bytes(&q, &size);
        *bytes = pm_store__unpack(packed, size, *length, PM_ARRAY_MAX_BYTES);
        rc = *bytes ? PM_OK
                    : pm_error_set(err, PM_EFORMAT, "damaged database: '%s' (bytes of array '%s')",
                                   store->path, digest);
    } else if (rc == 0) {
        rc = pm_error_set(err, PM_ENOTFOUND, "the bytes of array '%s' are not kept in '%s'", digest,
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

static const char *numbers_text(struct pm_str *out, const int64_t *numbers, size_t count)
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

int pm_store_add_timing(struct pm_store *store, int64_t execution_id, const char *clock,
                        const int64_t *samples, const int64_t *compilations, size_t count,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO timing (execution_id, clock, samples, compilations)"
                             " VALUES (?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, execution_id);
    pm_store__bind_text(&q, clock);
    pm_store__bind_text(&q, numbers_text(&store->samples, samples, count));
    pm_store__bind_text(&q, compilations ? numbers_text(&store->compilations, compilations, count)
                                         : "");
    return pm_store__run(&q, NULL, NULL, err);
}

struct numbers {
    int64_t *items;
    size_t count, capacity;
};

/* Accepts what numbers_text() writes. */
static bool parse_numbers(const char *text, struct numbers *out)
{
    out->count = 0;
    if (*text++ != '[')
        return false;
    while (*text && *text != ']') {
        char *end;
        const int64_t value = strtoll(text, &end, 10);
        if (end == text || (*end != ',' && *end != ']'))
            return false;
        PM_GROW(out->items, out->count, out->capacity);
        out->items[out->count++] = value;
        text = end + (*end == ',');
    }
    return strcmp(text, "]") == 0;
}

static int read_timing(struct pm_store__query *q, struct pm_timing_row *timing,
                       struct numbers *samples, struct numbers *compilations, struct pm_error *err)
{
    timing->execution_id = pm_store__int(q);
    timing->target_id = pm_store__int(q);
    timing->case_id = pm_store__int(q);
    timing->repetition = pm_store__int(q);
    timing->clock = pm_store__text(q);
    const char *sample_text = pm_store__text(q), *compilation_text = pm_store__text(q);
    const bool counted = *compilation_text;
    if (!parse_numbers(sample_text, samples) ||
        (counted &&
         (!parse_numbers(compilation_text, compilations) || compilations->count != samples->count)))
        return pm_error_set(err, PM_EFORMAT, "damaged database: '%s' (timing of execution %lld)",
                            q->store->path, (long long)timing->execution_id);
    timing->samples = samples->items;
    timing->compilations = counted ? compilations->items : NULL;
    timing->count = samples->count;
    return PM_OK;
}

int pm_store_timings(struct pm_store *store, int64_t run_id, const char *clock, pm_timing_fn *row,
                     void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "SELECT e.id, e.target_id, e.case_id, e.repetition, t.clock, t.samples,"
                          " t.compilations FROM execution e JOIN timing t ON t.execution_id = e.id"
                          " WHERE e.run_id = ?1 AND (?2 IS NULL OR t.clock = ?2)"
                          " ORDER BY e.target_id, e.case_id, e.repetition, t.clock",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_change(&q, clock);
    struct numbers samples = {0}, compilations = {0};
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
