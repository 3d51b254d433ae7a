/* The runs of a database: listing, removing and keeping them. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "measure/resume.h"
#include "report/write.h"

/* ---- listing -------------------------------------------------------------------------------- */

struct listing {
    struct pm_store *store;
    struct pm_table *table;
    struct pm_error *err;
};

/* The state of a run without an end: running or killed. */
static const char *state_word(const struct pm_run_row *row)
{
    if (row->kind == PM_RUN_KIND_PUBLISHED)
        return "imported";
    if (row->state == PM_RUN_DONE)
        return "finished";
    if (row->state == PM_RUN_STOPPED)
        return "stopped";
    return pm_measure_run_is_live(row) ? "running" : "killed";
}

static void targets_cell(struct pm_table *table, const json_t *options)
{
    struct pm_str text = PM_STR_INIT;
    size_t i;
    json_t *target;
    json_array_foreach(json_object_get(options, "targets"), i, target)
        if (json_is_string(target))
            pm_str_addf(&text, "%s%s", text.length ? ", " : "", json_string_value(target));
    pm_table_text(table, text.data);
    pm_str_release(&text);
}

/* A run without clocks has no latencies that could be invalid; its row in the store says valid. */
static const char *latencies_word(const json_t *options, enum pm_validity validity)
{
    const bool measured = !json_is_true(json_object_get(options, "outcomes_only"));
    return measured ? pm_validity_text(validity) : "not measured";
}

static int add_row(void *ctx, const struct pm_run_row *row)
{
    const struct listing *l = ctx;
    struct pm_run_progress progress;
    PM_TRY(pm_store_run_progress(l->store, row->id, &progress, l->err));
    json_t *options = json_loads(row->options, 0, NULL);
    pm_table_count(l->table, row->id);
    pm_table_text(l->table, row->started);
    pm_table_text(l->table, state_word(row));
    targets_cell(l->table, options);
    pm_table_count(l->table, progress.done);
    pm_table_count(l->table, progress.planned);
    pm_table_text(l->table, pm_validity_text(row->validity));
    pm_table_text(l->table, latencies_word(options, row->latency_validity));
    pm_table_text(l->table, row->kept ? "yes" : "");
    pm_table_text(l->table,
                  *row->validity_reason ? row->validity_reason : row->latency_validity_reason);
    json_decref(options);
    return PM_OK;
}

int pm_measure_runs_print(const char *db, enum pm_report_format format, unsigned width,
                          struct pm_error *err)
{
    struct listing l = {.err = err};
    PM_TRY(pm_store_open(&l.store, db, PM_STORE_READ, err));
    l.table = pm_table_new("runs", "Oldest first");
    pm_table_column(l.table, "run", "run", PM_CELL_COUNT);
    pm_table_column(l.table, "started", "started", PM_CELL_TEXT);
    pm_table_column(l.table, "state", "state", PM_CELL_TEXT);
    pm_table_column(l.table, "targets", "targets", PM_CELL_TEXT);
    pm_table_column(l.table, "done", "done", PM_CELL_COUNT);
    pm_table_column(l.table, "planned", "of planned", PM_CELL_COUNT);
    pm_table_column(l.table, "outcomes", "outcomes", PM_CELL_TEXT);
    pm_table_column(l.table, "latencies", "latencies", PM_CELL_TEXT);
    pm_table_column(l.table, "kept", "protected", PM_CELL_MARK);
    pm_table_column(l.table, "why", "why not valid", PM_CELL_TEXT);
    int rc = pm_store_runs(l.store, add_row, &l, err);
    pm_store_free(l.store);
    if (rc) {
        pm_table_free(l.table);
        return rc;
    }
    char *title = pm_format("Runs of '%s'", db);
    struct pm_report *report = pm_report_new(title);
    free(title);
    pm_report_take_table(report, l.table);
    rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    return rc;
}

/* ---- removing, keeping ---------------------------------------------------------------------- */

/* Opens the database for writing; PM_EBUSY while a run is being measured. */
static int open_to_change(const char *db, struct pm_store **store, struct pm_error *err)
{
    PM_TRY(pm_store_expect(db, err));
    return pm_store_open(store, db, PM_STORE_WRITE, err);
}

static int find(struct earlier_run *run, struct pm_store *store, const char *db, int64_t id,
                struct pm_error *err)
{
    PM_TRY(pm_measure__earlier_find(run, store, id, err));
    return run->id
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "database '%s' has no run %lld: list the runs with portmeter runs",
                              db, (long long)id);
}

/* Checks all runs before any is removed. */
static int check_removable(struct pm_store *store, const char *db, int64_t id, bool force,
                           struct pm_error *err)
{
    struct earlier_run run = {0};
    int rc = find(&run, store, db, id, err);
    if (!rc && run.kept && !force)
        rc = pm_error_set(
            err, PM_EUSAGE,
            "run %lld is protected: use --force, or run portmeter runs unkeep %lld first",
            (long long)id, (long long)id);
    pm_measure__earlier_release(&run);
    return rc;
}

static int remove_run(struct pm_store *store, const char *db, int64_t id, struct pm_error *err)
{
    struct earlier_run run = {0};
    unsigned ended;
    int rc = find(&run, store, db, id, err);
    if (!rc && !run.finished)
        rc = pm_measure__earlier_clear(&run, &ended, err);
    if (!rc && run.kept)
        rc = pm_store_keep_run(store, id, false, err);
    if (!rc)
        rc = pm_store_remove_run(store, id, err);
    pm_measure__earlier_release(&run);
    return rc;
}

int pm_measure_runs_remove(const char *db, const int64_t *ids, size_t count, bool force,
                           struct pm_error *err)
{
    struct pm_store *store = NULL;
    int rc = open_to_change(db, &store, err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = check_removable(store, db, ids[i], force, err);
    for (size_t i = 0; i < count && !rc; i++)
        rc = remove_run(store, db, ids[i], err);
    pm_store_free(store);
    return rc;
}

static int keep_each(struct pm_store *store, const char *db, const int64_t *ids, size_t count,
                     bool keep, struct pm_error *err)
{
    int rc = PM_OK;
    for (size_t i = 0; i < count && !rc; i++) {
        struct earlier_run run = {0};
        rc = find(&run, store, db, ids[i], err);
        if (!rc)
            rc = pm_store_keep_run(store, ids[i], keep, err);
        pm_measure__earlier_release(&run);
    }
    return rc;
}

int pm_measure_runs_keep(const char *db, const int64_t *ids, size_t count, bool keep,
                         struct pm_error *err)
{
    struct pm_store *store = NULL;
    int rc = open_to_change(db, &store, err);
    if (!rc)
        rc = pm_store_begin(store, err);
    if (!rc)
        rc = pm_store_settle(store, keep_each(store, db, ids, count, keep, err), err);
    pm_store_free(store);
    return rc;
}
