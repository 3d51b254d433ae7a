/* Stores published results: printed numbers, and the tests and times of imported reports. */
#include "store/published.h"

#include "store/description.h"

static const struct pm_store__column published_columns[] = {
    {"run_id", PM_STORE__NAMING(published, run_id, "published number of run")},
    {"tbl", PM_STORE__LINE(published, table)},
    {"line", PM_STORE__WHOLE(published, line, 1, PM_STORE_MOST_LINES)},
    {"subject", PM_STORE__LINE(published, subject)},
    {"item", PM_STORE__LINE(published, item)},
    {"text", PM_STORE__LINE(published, text)},
    {"value", PM_STORE__REAL(published, value, -PM_STORE_MOST_PUBLISHED, PM_STORE_MOST_PUBLISHED)},
};
static const struct pm_store__rows published =
    PM_STORE__ROWS("published", "published", published_columns);

int pm_store_add_published(struct pm_store *store, const struct pm_published_row *row,
                           struct pm_error *err)
{
    return pm_store__add(store, &published, row, NULL, err);
}

int pm_store_published(struct pm_store *store, int64_t run_id, pm_published_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__select(store, &published, " WHERE run_id = ? ORDER BY tbl, line, item", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &published, struct pm_published_row, row, ctx, err);
}

static const struct pm_store__column test_columns[] = {
    {"id", PM_STORE__NAMING(imported_test, id, "imported test"), PM_STORE__GIVEN},
    {"run_id", PM_STORE__ID(imported_test, run_id)},
    {"target_id", PM_STORE__ID(imported_test, target_id)},
    {"function", PM_STORE__LINE(imported_test, function)},
    {"name", PM_STORE__LINE(imported_test, name)},
    {"outcome", PM_STORE__WORD(imported_test, outcome, test_outcome)},
    {"stage", PM_STORE__LINE(imported_test, stage)},
    {"type", PM_STORE__LINE(imported_test, type)},
    {"message", PM_STORE__LONG(imported_test, message), PM_STORE__HIDDEN},
    {"excluded", PM_STORE__LINE(imported_test, excluded)},
    {"reason", PM_STORE__LINE(imported_test, reason), PM_STORE__CHANGES},
    {"rule", PM_STORE__LINE(imported_test, rule), PM_STORE__CHANGES},
};
static const struct pm_store__rows tests =
    PM_STORE__ROWS("imported_test", "imported_test", test_columns);

int pm_store_add_imported_test(struct pm_store *store, const struct pm_imported_test_row *row,
                               int64_t *id, struct pm_error *err)
{
    return pm_store__add(store, &tests, row, id, err);
}

int pm_store_imported_tests(struct pm_store *store, int64_t run_id, pm_imported_test_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &tests, " WHERE run_id = ? ORDER BY id", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &tests, struct pm_imported_test_row, row, ctx, err);
}

int pm_store_set_imported_reason(struct pm_store *store, int64_t id, const char *reason,
                                 const char *rule, struct pm_error *err)
{
    const struct pm_imported_test_row changed = {.reason = reason, .rule = rule};
    struct pm_store__query q;
    PM_TRY(pm_store__change(store, &tests, &changed, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, id);
    return pm_store__run_one(&q, "imported test", id, err);
}

/* The stored form of imported times: they are a text. */
struct pm_imported_times_row {
    struct pm_imported_timing_row timing;
    const char *times;
};

static const struct pm_store__column timing_columns[] = {
    {"t.test_id", PM_STORE__NAMING(imported_times, timing.test_id, "timing of imported test")},
    {"t.repetition",
     PM_STORE__WHOLE(imported_times, timing.repetition, 0, PM_STORE__MOST_REPETITION)},
    {"t.times", PM_STORE__LONG(imported_times, times)},
    {"t.whole_ns", PM_STORE__WHOLE(imported_times, timing.whole_ns, -1, INT64_MAX)},
};
static const struct pm_store__rows timings =
    PM_STORE__ROWS("imported_timing", "imported_test i JOIN imported_timing t ON t.test_id = i.id",
                   timing_columns);

int pm_store_add_imported_timing(struct pm_store *store, const struct pm_imported_timing_row *row,
                                 struct pm_error *err)
{
    PM_TRY(pm_store__check_timings(row->count, err));
    const struct pm_imported_times_row stored = {
        .timing = *row, .times = pm_store__numbers_text(&store->times, row->times, row->count)};
    return pm_store__add(store, &timings, &stored, NULL, err);
}

static int read_timing(struct pm_store__query *q, struct pm_imported_times_row *stored,
                       struct pm_store__numbers *times, struct pm_error *err)
{
    pm_store__read(q, &timings, stored);
    PM_TRY(pm_store__sound(q, err));
    PM_TRY(pm_store__read_numbers(q, stored->times, times, "times", err));
    stored->timing.times = times->items;
    stored->timing.count = times->count;
    return PM_OK;
}

int pm_store_imported_timings(struct pm_store *store, int64_t run_id, pm_imported_timing_fn *row,
                              void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &timings, " WHERE i.run_id = ? ORDER BY t.test_id, t.repetition",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    struct pm_store__numbers times = {0};
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_imported_times_row stored;
        if ((rc = read_timing(&q, &stored, &times, err)) != 0 ||
            (rc = row(ctx, &stored.timing)) != 0)
            break;
    }
    free(times.items);
    pm_store__close(&q);
    return rc;
}
