/* Lists the runs of a database. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "core/core.h"
#include "report/write.h"
#include "store/runs.h"
#include "store/targets.h"

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

int pm_list_runs(const char *db, enum pm_report_format format, unsigned width, struct pm_error *err)
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
    pm_table_column(l.table, "why_not_valid", "why not valid", PM_CELL_TEXT);
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
