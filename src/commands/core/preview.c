/* pm_preview_run(): prints what a run would measure, how long that would take, what it would store,
 * and which of its devices cannot be measured here. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "core/core.h"
#include "environment/environment.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "text/numbers.h"

static void minutes_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_preview_target *t = from->row;
    char text[32];
    snprintf(text, sizeof text, "%.1f", t->execution_s * (double)t->executions / 60);
    pm_table_text(table, text);
}

static void latencies_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_preview_target *t = from->row;
    pm_table_text(table, t->latencies ? "outcomes and latencies" : "outcomes");
}

static void source_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_preview_target *t = from->row;
    char text[40];
    snprintf(text, sizeof text, "run %lld", (long long)t->from_run);
    pm_table_text(table, t->from_run ? text : "typical");
}

static const struct pm_column columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct pm_preview_target, text)},
    {"role", "role", PM_CELL_WORD, PM_WORD(struct pm_preview_target, role, role)},
    {"measured", "measured", PM_CELL_TEXT, .cell = latencies_cell},
    {"functions", "functions", PM_CELL_COUNT, PM_MEMBER(struct pm_preview_target, functions)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct pm_preview_target, cases)},
    {"executions", "executions", PM_CELL_COUNT, PM_MEMBER(struct pm_preview_target, executions)},
    {"minutes", "process minutes", PM_CELL_COUNT, .cell = minutes_cell},
    {"times_from", "times from", PM_CELL_TEXT, .cell = source_cell},
};

/* Appends "about 3 min", or "less than a minute". */
static void add_minutes(struct pm_str *out, double seconds)
{
    if (seconds < 60)
        pm_str_add(out, "less than a minute");
    else
        pm_str_addf(out, "about %.0f min", seconds / 60);
}

/* The devices that a framework reports; `given`: the framework was asked for them. */
struct answer {
    struct pm_devices devices;
    bool given;
};

/* The environments, and the answer of each. */
struct asked {
    struct pm_environments environments;
    struct answer *answers;
};

/* Finds the devices of an environment; asks its framework only the first time. */
static int ask(struct asked *asked, const struct pm_environment *environment,
               const struct pm_devices **out, struct pm_error *err)
{
    const size_t i = (size_t)(environment - asked->environments.items);
    *out = &asked->answers[i].devices;
    if (asked->answers[i].given)
        return PM_OK;
    asked->answers[i].given = true;
    return pm_devices_probe(environment, &asked->answers[i].devices, err);
}

/* Adds a line if the framework lists the device of a target as one that cannot be measured here.
 * Does not ask the framework about devices that every installation has. */
static int add_missing(struct asked *asked, const char *text, struct pm_report *report,
                       struct pm_error *err)
{
    struct pm_target target = {0};
    const struct pm_devices *devices = NULL;
    PM_TRY(pm_target_parse(text, &target, err));
    const struct pm_environment *environment =
        pm_environments_find(&asked->environments, target.environment);
    const int rc =
        target.everywhere || !environment ? PM_OK : ask(asked, environment, &devices, err);
    for (size_t i = 0; !rc && devices && i < devices->count; i++) {
        const struct pm_device *d = &devices->items[i];
        if (d->measurable || strcmp(d->target, target.text) != 0)
            continue;
        char *line = pm_format("%s: %s", target.text, d->why_not);
        pm_report_line(report, "not here", line);
        free(line);
    }
    pm_target_release(&target);
    return rc;
}

static int add_all_missing(const struct pm_run_options *options, struct pm_report *report,
                           struct pm_error *err)
{
    struct asked asked = {0};
    int rc = pm_environments_load(&asked.environments, err);
    const size_t count = asked.environments.count;
    asked.answers = pm_alloc(count * sizeof *asked.answers);
    for (size_t i = 0; i < options->target_count && !rc; i++)
        rc = add_missing(&asked, options->targets[i], report, err);
    for (size_t i = 0; i < count; i++)
        pm_devices_release(&asked.answers[i].devices);
    free(asked.answers);
    pm_environments_release(&asked.environments);
    return rc;
}

int pm_preview_run(const struct pm_run_options *options, unsigned width, struct pm_error *err)
{
    struct pm_preview preview;
    PM_TRY(pm_measure_preview(options, &preview, err));
    struct pm_str text = PM_STR_INIT;
    struct pm_report *report = pm_report_new("");
    struct pm_table *table = pm_table_new("plan", "What would be measured");
    pm_table_columns(table, columns, true);
    for (size_t i = 0; i < preview.target_count; i++)
        pm_table_row(table, &preview.targets[i], NULL);
    pm_report_take_table(report, table);
    pm_text_count(&text, (int64_t)preview.executions);
    pm_str_addf(&text, " execution%s of %zu case%s of %zu function%s",
                pm_plural(preview.executions), preview.cases, pm_plural(preview.cases),
                preview.functions, pm_plural(preview.functions));
    pm_report_line(report, "in all", text.data);
    pm_str_clear(&text);
    add_minutes(&text, preview.seconds);
    pm_report_line(report, "takes", text.data);
    pm_str_clear(&text);
    pm_str_add(&text, "about ");
    pm_text_bytes(&text, (int64_t)preview.bytes);
    pm_str_addf(&text, " in '%s', and up to ", options->db);
    pm_text_bytes(&text, (int64_t)preview.most_bytes);
    pm_str_add(&text, " until the run is judged");
    pm_report_line(report, "stores", text.data);
    int rc = options->command == PM_COMMAND_STUDY ? PM_OK : add_all_missing(options, report, err);
    if (!rc)
        rc = pm_report_write(report, PM_FORMAT_TEXT, width, false, NULL, err);
    pm_report_free(report);
    pm_str_release(&text);
    pm_preview_release(&preview);
    return rc;
}
