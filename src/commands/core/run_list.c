/* Lists the runs of a database. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "core/core.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "store/runs.h"
#include "store/targets.h"

struct listing {
    struct pm_store *store;
    struct pm_table *table;
    char *machine;   /* machine of the first run, JSON */
    bool of_several; /* the runs are from several machines, so machines and versions are listed */
    struct pm_error *err;
};

/* Returns the state of a run. A run that has not ended is "running" if its process exists,
 * otherwise "killed". */
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

/* A run of the list. */
struct listed {
    struct pm_run_row run;
    struct pm_run_progress progress;
    json_t *options;
    char *machine;          /* JSON, as in struct pm_attempt_row; NULL: none */
    struct pm_str versions; /* "pytorch 2.13.0, jax 0.10.2" */
};

static void state_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct listed *l = from->row;
    pm_table_text(table, state_word(&l->run));
}

/* Sets the cell to the machine of the first attempt, which shows where a merged run was measured.
 */
static void machine_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct listed *l = from->row;
    json_t *machine = l->machine ? json_loads(l->machine, 0, NULL) : NULL;
    const int64_t cores = pm_json_int(machine, "logical_cores", 0);
    char *text = cores ? pm_format("%s, %lld cores", pm_json_string(machine, "processor", ""),
                                   (long long)cores)
                       : pm_strdup("");
    pm_table_text(table, text);
    free(text);
    json_decref(machine);
}

static void versions_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct listed *l = from->row;
    pm_table_text(table, l->versions.data);
}

static void targets_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct listed *l = from->row;
    struct pm_str text = PM_STR_INIT;
    size_t i;
    json_t *target;
    json_array_foreach(json_object_get(l->options, "targets"), i, target)
        if (json_is_string(target))
            pm_str_addf(&text, "%s%s", text.length ? ", " : "", json_string_value(target));
    pm_table_text(table, text.data);
    pm_str_release(&text);
}

/* Sets the cell to the validity of the latencies. A run without latencies is valid in the store, so
 * its cell says "not measured" instead. */
static void latencies_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct listed *l = from->row;
    const bool measured = !json_is_true(json_object_get(l->options, "outcomes_only"));
    pm_table_text(table, measured ? pm_validity_text(l->run.latency_validity) : "not measured");
}

static void why_not_valid_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_run_row *run = &((const struct listed *)from->row)->run;
    pm_table_text(table,
                  *run->validity_reason ? run->validity_reason : run->latency_validity_reason);
}

static const struct pm_column run_columns[] = {
    {"run", "run", PM_CELL_COUNT, PM_MEMBER(struct listed, run.id)},
    {"started", "started", PM_CELL_TEXT, PM_MEMBER(struct listed, run.started)},
    {"state", "state", PM_CELL_TEXT, .cell = state_cell},
    {"targets", "targets", PM_CELL_TEXT, .cell = targets_cell},
    {"versions", "versions", PM_CELL_TEXT, .cell = versions_cell},
    {"machine", "machine", PM_CELL_TEXT, .cell = machine_cell},
    {"done", "done", PM_CELL_COUNT, PM_MEMBER(struct listed, progress.done)},
    {"planned", "of planned", PM_CELL_COUNT, PM_MEMBER(struct listed, progress.planned)},
    {"outcomes", "outcomes", PM_CELL_TEXT, PM_WORD(struct listed, run.validity, validity)},
    {"latencies", "latencies", PM_CELL_TEXT, .cell = latencies_cell},
    {"kept", "protected", PM_CELL_MARK, PM_YES(struct listed, run.kept)},
    {"why_not_valid", "why not valid", PM_CELL_TEXT, .cell = why_not_valid_cell},
};

static int keep_machine(void *ctx, const struct pm_attempt_row *attempt)
{
    struct listed *listed = ctx;
    if (!listed->machine)
        listed->machine = pm_strdup(attempt->machine);
    return PM_OK;
}

static int compare_machine(void *ctx, const struct pm_attempt_row *attempt)
{
    struct listing *l = ctx;
    if (!l->machine)
        l->machine = pm_strdup(attempt->machine);
    l->of_several |= strcmp(l->machine, attempt->machine) != 0;
    return PM_OK;
}

static int compare_machines(void *ctx, const struct pm_run_row *row)
{
    struct listing *l = ctx;
    return pm_store_attempts(l->store, row->id, compare_machine, l, l->err);
}

static int keep_version(void *ctx, const struct pm_target_row *target)
{
    struct listed *listed = ctx;
    if (!*target->version)
        return PM_OK;
    char *text = pm_format("%s %s", target->framework, target->version);
    if (!listed->versions.length || !strstr(listed->versions.data, text))
        pm_str_addf(&listed->versions, "%s%s", listed->versions.length ? ", " : "", text);
    free(text);
    return PM_OK;
}

static int add_row(void *ctx, const struct pm_run_row *row)
{
    const struct listing *l = ctx;
    struct listed listed = {.run = *row, .versions = PM_STR_INIT};
    int rc = pm_store_run_progress(l->store, row->id, &listed.progress, l->err);
    if (!rc && l->of_several)
        rc = pm_store_attempts(l->store, row->id, keep_machine, &listed, l->err);
    if (!rc && l->of_several)
        rc = pm_store_targets(l->store, row->id, keep_version, &listed, l->err);
    if (!rc) {
        listed.options = json_loads(row->options, 0, NULL);
        pm_table_row(l->table, &listed, NULL);
        json_decref(listed.options);
    }
    free(listed.machine);
    pm_str_release(&listed.versions);
    return rc;
}

int pm_list_runs(const char *db, enum pm_report_format format, unsigned width, struct pm_error *err)
{
    struct listing l = {.err = err};
    PM_TRY(pm_store_open(&l.store, db, PM_STORE_READ, err));
    l.table = pm_table_new("runs", "Oldest first");
    pm_table_columns(l.table, run_columns, false);
    int rc = pm_store_runs(l.store, compare_machines, &l, err);
    if (!rc)
        rc = pm_store_runs(l.store, add_row, &l, err);
    free(l.machine);
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
