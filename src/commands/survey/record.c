/* pm_survey_record(): finds the names, runs the program, writes the case files of its calls, and
 * prints the result. */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/plural.h"
#include "environment/environment.h"
#include "record/document.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "survey/scan.h"
#include "text/numbers.h"

enum { MOST_FRAMEWORKS = PM_RESOLVE_MOST_FRAMEWORKS, MOST_ROWS = 12 };

struct recorder {
    const struct pm_survey_record_options *o;
    struct scan_framework frameworks[MOST_FRAMEWORKS];
    const struct pm_inventory *inventories[MOST_FRAMEWORKS];
    size_t count;
    struct pm_recording recording;
    struct pm_recorded recorded; /* the document of `recording` */
};

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds the names of a framework; if `wanted` is false, a framework that is not installed is
 * skipped. */
static int add_framework(struct recorder *r, struct pm_store *store, const char *name, bool wanted,
                         const struct pm_messages *messages, struct pm_error *err)
{
    struct scan_framework *f = &r->frameworks[r->count];
    const struct pm_framework *of;
    PM_TRY(pm_framework_need(name, &of, err));
    *f = (struct scan_framework){.name = pm_strdup(name), .of = of, .flat_text = PM_STR_INIT};
    int rc = pm_survey__find_names(f, store, NULL, messages, err);
    if (!rc)
        rc = pm_survey__load_names(f, store, err);
    if (rc == PM_ENOTFOUND && !wanted) {
        pm_survey__framework_release(f);
        return PM_OK;
    }
    r->inventories[r->count++] = &f->item.inventory;
    if (!rc && f->item.inventory.flat)
        return pm_error_set(err, PM_EUSAGE,
                            "the names of %s are a flat list: run portmeter inventory %s first",
                            name, name);
    return rc;
}

static int find_names(struct recorder *r, const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_store *store = NULL;
    size_t all;
    const struct pm_framework *known = pm_frameworks(&all);
    for (size_t i = 0; i < r->o->framework_count; i++)
        PM_TRY(pm_framework_need(r->o->frameworks[i], &(const struct pm_framework *){NULL}, err));
    PM_TRY(pm_store_open(&store, r->o->db, PM_STORE_WRITE, err));
    int rc = PM_OK;
    for (size_t i = 0; i < r->o->framework_count && !rc; i++)
        rc = add_framework(r, store, r->o->frameworks[i], true, messages, err);
    for (size_t i = 0; i < all && !r->o->framework_count && !rc; i++)
        if (known[i].purpose == PM_FRAMEWORK_STUDIED && r->count < MOST_FRAMEWORKS)
            rc = add_framework(r, store, known[i].name, false, messages, err);
    pm_store_free(store);
    if (!rc && !r->count)
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no environment has a framework: create one with portmeter env create, "
                          "or add one with portmeter env add");
    return rc;
}

/* ---- what was recorded ----------------------------------------------------------------------- */

static void add_program(const struct recorder *r, struct pm_report *report)
{
    const int status = r->recording.status;
    struct pm_str line = PM_STR_INIT;
    if (WIFEXITED(status))
        pm_str_addf(&line, "ended with status %d after ", WEXITSTATUS(status));
    else
        pm_str_addf(&line, "was ended by signal %d after ", WTERMSIG(status));
    pm_text_time(&line, (double)r->recorded.took);
    pm_str_addf(&line, " without the time of recording; %lld process%s recorded",
                (long long)r->recorded.processes, r->recorded.processes == 1 ? "" : "es");
    pm_report_line(report, "program", line.data);
    pm_str_release(&line);
}

struct sums {
    int64_t calls, raised, traced, compiled, ns;
    size_t cases;
};

static struct sums sum(const struct pm_recorded *recorded)
{
    struct sums sums = {0};
    for (size_t i = 0; i < recorded->call_count; i++) {
        const struct pm_recorded_call *call = &recorded->calls[i];
        sums.calls += call->place.calls;
        sums.raised += call->raised;
        sums.traced += call->traced;
        sums.ns += call->ns;
        if (!strcmp(call->form, "compiled"))
            sums.compiled += call->place.calls;
    }
    for (size_t i = 0; i < recorded->function_count; i++)
        sums.cases += recorded->functions[i].case_count;
    return sums;
}

static void add_calls(const struct recorder *r, struct pm_report *report)
{
    const struct pm_recorded *recorded = &r->recorded;
    const struct sums sums = sum(recorded);
    struct pm_str line = PM_STR_INIT;
    pm_text_count(&line, sums.calls);
    pm_str_addf(&line, " call%s at %zu site%s; ", pm_plural((size_t)sums.calls),
                recorded->call_count, pm_plural(recorded->call_count));
    pm_text_time(&line, (double)sums.ns);
    pm_str_add(&line, " in these calls");
    if (sums.raised)
        pm_str_addf(&line, "; %lld raised an exception", (long long)sums.raised);
    pm_report_line(report, "calls", line.data);
    pm_str_clear(&line);
    if (sums.traced || sums.compiled) {
        pm_str_add(&line, "calls of functions that the program compiles: ");
        pm_text_count(&line, sums.compiled);
        pm_str_add(&line, "; calls traced for a compiler, without a time: ");
        pm_text_count(&line, sums.traced);
        pm_report_line(report, "compiled", line.data);
        pm_str_clear(&line);
    }
    pm_str_addf(&line, "%zu of %lld signature%s became %s, in %zu file%s in '%s'", sums.cases,
                (long long)recorded->signatures, pm_plural(recorded->signatures),
                sums.cases == 1 ? "a case" : "cases", recorded->function_count,
                pm_plural(recorded->function_count), r->o->output);
    pm_report_line(report, "cases", line.data);
    pm_str_release(&line);
}

struct unknown_row {
    const char *function, *why;
    int64_t calls;
};

static const struct pm_column unknown_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct unknown_row, function)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct unknown_row, calls)},
    {"why", "why not", PM_CELL_TEXT, PM_MEMBER(struct unknown_row, why)},
};

static int by_calls(const void *a, const void *b)
{
    const struct unknown_row *one = a, *two = b;
    if (one->calls != two->calls)
        return one->calls > two->calls ? -1 : 1;
    return strcmp(one->function, two->function);
}

/* Adds a table of the calls that did not become cases, and why. */
static void add_unknown(const struct recorder *r, struct pm_report *report)
{
    struct unknown_row *rows = NULL;
    size_t count = 0, capacity = 0;
    const char *function, *why;
    json_t *reasons, *calls;
    json_object_foreach(json_object_get(r->recording.document, "unknown"), function, reasons) {
        json_object_foreach(reasons, why, calls) {
            PM_GROW(rows, count, capacity);
            rows[count++] = (struct unknown_row){function, why, json_integer_value(calls)};
        }
    }
    if (!count)
        return;
    qsort(rows, count, sizeof *rows, by_calls);
    struct pm_table *table = pm_table_new("not_cases", "Calls that did not become cases");
    pm_table_columns(table, unknown_columns, true);
    for (size_t i = 0; i < count && i < MOST_ROWS; i++)
        pm_table_row(table, &rows[i], NULL);
    if (count > MOST_ROWS) {
        char *note = pm_format("%zu more", count - MOST_ROWS);
        pm_table_note(table, note);
        free(note);
    }
    pm_report_take_table(report, table);
    free(rows);
}

static void add_next(const struct recorder *r, struct pm_report *report)
{
    const char *framework;
    json_t *version;
    json_object_foreach(json_object_get(r->recording.document, "versions"), framework, version) {
        char *command =
            pm_format("portmeter run --target %s@DEVICE --recorded=%s", framework, r->o->output);
        pm_report_command(report, "next", command, "measures these calls on a device");
        free(command);
    }
}

static int print(const struct recorder *r, struct pm_error *err)
{
    char *title = pm_format("Recording of %s", r->o->command[0]);
    struct pm_report *report = pm_report_new(title);
    add_program(r, report);
    add_calls(r, report);
    add_next(r, report);
    add_unknown(r, report);
    const int rc = pm_report_write(report, r->o->format, r->o->width, r->o->colour, NULL, err);
    pm_report_free(report);
    free(title);
    return rc;
}

int pm_survey_record(const struct pm_survey_record_options *o, const struct pm_messages *messages,
                     struct pm_error *err)
{
    struct recorder r = {.o = o};
    int rc = find_names(&r, messages, err);
    if (!rc) {
        const struct pm_record_request request = {.command = o->command,
                                                  .root = ".",
                                                  .inventories = r.inventories,
                                                  .inventory_count = r.count,
                                                  .keep_values = o->keep_values,
                                                  .sites_only = o->sites_only};
        rc = pm_record_run(&request, &r.recording, err);
    }
    if (!rc)
        rc = pm_record_write(&r.recording, o->output, err);
    if (!rc)
        rc = pm_recorded_take(json_incref(r.recording.document), &r.recorded, err);
    if (!rc)
        rc = print(&r, err);
    pm_recorded_release(&r.recorded);
    pm_recording_release(&r.recording);
    for (size_t i = 0; i < r.count; i++)
        pm_survey__framework_release(&r.frameworks[i]);
    return rc;
}
