/* What is published elsewhere: printed numbers, and tests and times of imported reports. */
#include "store/published.h"

#include "store/store_private.h"
#include "store/word.h"

int pm_store_add_published(struct pm_store *store, const struct pm_published_row *row,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO published (run_id, tbl, line, subject, item, text, value)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->run_id);
    pm_store__bind_text(&q, row->table);
    pm_store__bind_int(&q, row->line);
    pm_store__bind_text(&q, row->subject);
    pm_store__bind_text(&q, row->item);
    pm_store__bind_text(&q, row->text);
    pm_store__bind_real(&q, row->value);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_published(struct pm_store__query *q, struct pm_published_row *row)
{
    row->run_id = pm_store__row(q, "published number of run");
    row->table = pm_store__line(q);
    row->line = pm_store__whole(q, 1, PM_STORE_MOST_LINES);
    row->subject = pm_store__line(q);
    row->item = pm_store__line(q);
    row->text = pm_store__line(q);
    row->value = pm_store__real(q, -PM_STORE_MOST_PUBLISHED, PM_STORE_MOST_PUBLISHED);
}

int pm_store_published(struct pm_store *store, int64_t run_id, pm_published_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT run_id, tbl, line, subject, item, text, value FROM published"
                             " WHERE run_id = ? ORDER BY tbl, line, item",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_published_row, read_published, row, ctx, err);
}

int pm_store_add_imported_test(struct pm_store *store, const struct pm_imported_test_row *row,
                               int64_t *id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO imported_test (run_id, target_id, function, name,"
                             " outcome, stage, type, message, excluded, why, rule)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->run_id);
    pm_store__bind_int(&q, row->target_id);
    pm_store__bind_text(&q, row->function);
    pm_store__bind_text(&q, row->name);
    pm_store__bind_text(&q, pm_test_outcome_text(row->outcome));
    pm_store__bind_text(&q, row->stage);
    pm_store__bind_text(&q, row->type);
    pm_store__bind_message(&q, row->message);
    pm_store__bind_text(&q, row->excluded);
    pm_store__bind_text(&q, row->why);
    pm_store__bind_text(&q, row->rule);
    return pm_store__run(&q, id, NULL, err);
}

static void read_test(struct pm_store__query *q, struct pm_imported_test_row *row)
{
    row->id = pm_store__row(q, "imported test");
    row->run_id = pm_store__id(q);
    row->target_id = pm_store__id(q);
    row->function = pm_store__line(q);
    row->name = pm_store__line(q);
    row->outcome = PM_STORE__WORD(q, test_outcome);
    row->stage = pm_store__line(q);
    row->type = pm_store__line(q);
    row->message = pm_store__long(q);
    row->excluded = pm_store__line(q);
    row->why = pm_store__line(q);
    row->rule = pm_store__line(q);
}

int pm_store_imported_tests(struct pm_store *store, int64_t run_id, pm_imported_test_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, run_id, target_id, function, name, outcome, stage, type,"
                             " message, excluded, why, rule FROM imported_test WHERE run_id = ?"
                             " ORDER BY id",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_imported_test_row, read_test, row, ctx, err);
}

int pm_store_set_imported_reason(struct pm_store *store, int64_t id, const char *why,
                                 const char *rule, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "UPDATE imported_test SET why = ?, rule = ? WHERE id = ?", &q,
                             err));
    pm_store__bind_text(&q, why);
    pm_store__bind_text(&q, rule);
    pm_store__bind_int(&q, id);
    return pm_store__run_one(&q, "imported test", id, err);
}

int pm_store_add_imported_timing(struct pm_store *store, const struct pm_imported_timing_row *row,
                                 struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__check_samples(row->count, err));
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO imported_timing (test_id, repetition, samples, whole_ns)"
                             " VALUES (?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->test_id);
    pm_store__bind_int(&q, row->repetition);
    pm_store__bind_text(&q, pm_store__numbers_text(&store->samples, row->samples, row->count));
    pm_store__bind_int(&q, row->whole_ns);
    return pm_store__run(&q, NULL, NULL, err);
}

static int read_timing(struct pm_store__query *q, struct pm_imported_timing_row *timing,
                       struct pm_store__numbers *samples, struct pm_error *err)
{
    timing->test_id = pm_store__row(q, "timing of imported test");
    timing->repetition = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    const char *text = pm_store__long(q);
    timing->whole_ns = pm_store__whole(q, -1, INT64_MAX);
    PM_TRY(pm_store__sound(q, err));
    PM_TRY(pm_store__read_numbers(q, text, samples, "samples", err));
    timing->samples = samples->items;
    timing->count = samples->count;
    return PM_OK;
}

int pm_store_imported_timings(struct pm_store *store, int64_t run_id, pm_imported_timing_fn *row,
                              void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT t.test_id, t.repetition, t.samples, t.whole_ns"
                             " FROM imported_test i JOIN imported_timing t ON t.test_id = i.id"
                             " WHERE i.run_id = ? ORDER BY t.test_id, t.repetition",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    struct pm_store__numbers samples = {0};
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_imported_timing_row timing;
        if ((rc = read_timing(&q, &timing, &samples, err)) != 0 || (rc = row(ctx, &timing)) != 0)
            break;
    }
    free(samples.items);
    pm_store__close(&q);
    return rc;
}
