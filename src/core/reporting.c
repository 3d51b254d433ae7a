/* pm_report(): which tables, in which form, to where. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "core/core.h"
#include "core/reading.h"
#include "core/writing.h"
#include "report/sink.h"

const char *pm_report_tables(void)
{
    return "summary, study, ratios, failures, uncounted, dtypes, unsteady, canaries, cases";
}

/* ---- the lines around the tables
 * ------------------------------------------------------------------ */

static void add_machine(const struct reading *r, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    const json_t *m = r->machine;
    pm_str_addf(&text, "%s, %lld cores, %.0f GiB, %s %s, load %.1f before and %.1f after",
                pm_json_string(m, "processor", "?"), (long long)pm_json_int(m, "physical_cores", 0),
                (double)pm_json_int(m, "memory_bytes", 0) / (1 << 30),
                pm_json_string(m, "system", ""), pm_json_string(m, "kernel", ""),
                pm_json_real(m, "load_before", 0), pm_json_real(m, "load_after", 0));
    pm_report_line(report, "machine", text.data);
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct reading_target *t = &r->targets[i];
        pm_str_clear(&text);
        pm_str_addf(&text, "%s  %s %s, %s", t->text, t->framework, t->version,
                    *t->device_name ? t->device_name : t->evidence);
        pm_report_line(report, i ? "" : "targets", text.data);
    }
    pm_str_release(&text);
}

static void add_validity(const struct reading *r, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    size_t told = 0, left_out = 0;
    for (size_t i = 0; i < r->canary_list.count; i++) {
        left_out += !strcmp(r->canaries[i].observed, "left out");
        told += r->canaries[i].told && strcmp(r->canaries[i].observed, "left out");
    }
    if (!strcmp(r->validity, "valid"))
        pm_str_addf(&text, "valid: %zu canaries told apart, %zu that cannot exist left out", told,
                    left_out);
    else if (!*r->validity)
        pm_str_addf(&text, "%s: %lld of %lld executions so far", r->state, (long long)r->done,
                    (long long)r->planned);
    else
        pm_str_addf(&text, "INVALID: %s", r->reason);
    pm_report_line(report, "run", text.data);
    if (r->shared_notes) {
        pm_str_clear(&text);
        pm_str_addf(&text, "%lld executions went wrong in a shared process and ran again alone",
                    (long long)r->shared_notes);
        pm_report_line(report, "", text.data);
    }
    pm_str_release(&text);
}

static bool nothing_compared(const struct reading *r)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (r->targets[i].latencies && !reading_is_reference(&r->targets[i]))
            return false;
    return true;
}

static void add_next(const struct reading *r, const char *db, struct pm_report *report)
{
    char *option = strcmp(db, "portmeter.db") ? pm_format(" --db %s", db) : pm_strdup("");
    bool pytorch = false, other = false, latencies = false;
    for (size_t i = 0; i < r->target_list.count; i++) {
        pytorch |= !strcmp(r->targets[i].framework, "pytorch");
        other |= strcmp(r->targets[i].environment, "pytorch") != 0 && pytorch &&
                 !reading_is_oracle(&r->targets[i]);
        latencies |= r->targets[i].latencies;
    }
    const bool second_device = pytorch && !other && latencies && nothing_compared(r);
    if (latencies && nothing_compared(r))
        pm_report_line(report, "latencies",
                       "only a control has latencies here: there is nothing to "
                       "compare it with");
    char *lines[] = {
        strcmp(r->state, "done")
            ? pm_format("portmeter run --resume%s   goes on where it stopped", option)
            : NULL,
        second_device ? pm_format("portmeter env create pytorch-xla   adds a second device without "
                                  "hardware")
                      : NULL,
        pm_format("portmeter report%s --format markdown --output report.md", option),
        latencies
            ? pm_format("portmeter report%s --table cases   every clock of every case", option)
            : NULL,
    };
    const char *label = "next";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (lines[i]) {
            pm_report_line(report, label, lines[i]);
            label = "";
        }
        free(lines[i]);
    }
    free(option);
}

/* ---- choosing
 * --------------------------------------------------------------------------------------- */

static void add_everything(const struct reading *r, const char *db, struct pm_report *report)
{
    add_machine(r, report);
    add_validity(r, report);
    for (size_t i = 0; i < table_kind_count; i++)
        if (strcmp(table_kinds[i].name, "cases") && strcmp(table_kinds[i].name, "canaries"))
            table_kinds[i].add(r, report);
    add_next(r, db, report);
}

static int add_one(const struct reading *r, const char *table, struct pm_report *report,
                   struct pm_error *err)
{
    bool known = false;
    for (size_t i = 0; i < table_kind_count; i++) {
        if (strcmp(table_kinds[i].name, table) && strcmp(table_kinds[i].number, table))
            continue;
        table_kinds[i].add(r, report);
        known = true;
    }
    if (known)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE, "unknown table '%s': 1, 5 or one of %s", table,
                        pm_report_tables());
}

static bool known_format(const char *format)
{
    return !strcmp(format, "text") || !strcmp(format, "markdown") || !strcmp(format, "json");
}

int pm_write_report(const struct pm_report *report, const char *format, unsigned width, bool colour,
                    const char *output, struct pm_error *err)
{
    const struct pm_render_options options = {.width = output ? 0 : width, .colour = colour};
    if (!output) {
        struct pm_sink sink = pm_sink_file(stdout);
        return pm_report_render(report, format, &options, &sink, err);
    }
    struct pm_str text = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&text);
    int rc = pm_report_render(report, format, &options, &sink, err);
    if (!rc)
        rc = pm_file_write(output, text.data, text.length, err);
    pm_str_release(&text);
    return rc;
}

int pm_report(const struct pm_report_options *o, bool *something_wrong, struct pm_error *err)
{
    struct pm_store *store = NULL;
    char *title = NULL;
    struct reading r = {0};
    struct pm_report *report = NULL;
    int rc;
    if (!known_format(o->format))
        return pm_error_set(err, PM_EUSAGE, "unknown format '%s': one of %s", o->format,
                            pm_report_formats());
    if ((rc = pm_store_open(&store, o->db, PM_STORE_READ, err)))
        return rc;
    if ((rc = reading_load(&r, store, o->db, o->run_id, err)))
        goto done;
    title = pm_format("portmeter %s, run %lld of %s", PM_VERSION, (long long)r.run_id, r.started);
    report = pm_report_new(title);
    if (o->table)
        rc = add_one(&r, o->table, report, err);
    else
        add_everything(&r, o->db, report);
    if (!rc)
        rc = pm_write_report(report, o->format, o->width, o->colour, o->output, err);
    *something_wrong = reading_something_wrong(&r);
done:
    free(title);
    pm_report_free(report);
    reading_release(&r);
    pm_store_free(store);
    return rc;
}
