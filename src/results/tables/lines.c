/* Writes the lines of a report before and after its tables: runs, machine, targets, validity, next
 * steps. */
#include "tables/lines.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/shard.h"
#include "tables/kinds.h"
#include "text/numbers.h"

/* Appends a text such as "run 3 of 2026-11-21T08:15:30.123Z". */
static void add_run_name(struct pm_str *out, const struct pm_reading_run *run)
{
    pm_str_addf(out, "run %lld of %s", (long long)run->id, run->started);
}

char *pm_tables__title(const struct pm_reading *r)
{
    struct pm_str title = PM_STR_INIT;
    const size_t shown = pm_reading_runs_shown(r);
    size_t named = 0;
    pm_str_add(&title, "portmeter " PM_VERSION);
    for (size_t i = 0; i < r->run_list.count; i++) {
        const struct pm_reading_run *run = &r->runs[i];
        if (!run->shown)
            continue;
        pm_str_add(&title, !named ? ", " : named + 1 < shown ? ", " : " and ");
        if (shown == 1)
            add_run_name(&title, run);
        else
            pm_str_addf(&title, "%s%lld", named ? "" : "runs ", (long long)run->id);
        named++;
    }
    return pm_str_detach(&title);
}

/* Returns whether the target is the oracle, or an earlier target has the same framework and
 * version. */
static bool is_named_before(const struct pm_reading *r, size_t target)
{
    for (size_t i = 0; i < target; i++)
        if (!pm_reading_is_oracle(&r->targets[i]) &&
            !strcmp(r->targets[i].framework, r->targets[target].framework) &&
            !strcmp(r->targets[i].version, r->targets[target].version))
            return true;
    return pm_reading_is_oracle(&r->targets[target]);
}

/* Returns the device of the first target that executes and is compared with a reference; otherwise
 * that of a reference, because a target that only lowers or has only shapes uses no device. */
static const char *device_of(const struct pm_reading *r)
{
    for (int reference = 0; reference < 2; reference++)
        for (size_t i = 0; i < r->target_list.count; i++) {
            const struct pm_reading_target *t = &r->targets[i];
            if (*t->device_name && !pm_reading_is_oracle(t) &&
                t->evidence == PM_EVIDENCE_EXECUTED &&
                pm_reading_is_reference(t) == (reference == 1))
                return t->device_name;
        }
    return "";
}

char *pm_tables__page_title(const struct pm_reading *r)
{
    struct pm_str title = PM_STR_INIT;
    const char *device = device_of(r), *started = "";
    for (size_t i = 0; i < r->target_list.count; i++)
        if (!is_named_before(r, i))
            pm_str_addf(&title, "%s%s %s", title.length ? ", " : "", r->targets[i].framework,
                        r->targets[i].version);
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown && strcmp(r->runs[i].started, started) > 0)
            started = r->runs[i].started;
    if (*device)
        pm_str_addf(&title, " on %s", device);
    if (*started)
        pm_str_addf(&title, ", %.10s", started);
    return pm_str_detach(&title);
}

/* Adds the prefix of a line about one run if several are shown. */
static void add_run_prefix(struct pm_str *out, const struct pm_reading *r, size_t run)
{
    if (pm_reading_runs_shown(r) > 1)
        pm_str_addf(out, "run %lld: ", (long long)r->runs[run].id);
}

/* Appends a text such as ", load 0.5 before and 0.7 after", without loads that are unknown. */
static void add_load(struct pm_str *out, const struct pm_reading_attempt *attempt)
{
    if (isfinite(attempt->load_before))
        pm_str_addf(out, ", load %.1f before", attempt->load_before);
    if (isfinite(attempt->load_before) && isfinite(attempt->load_after))
        pm_str_addf(out, " and %.1f after", attempt->load_after);
}

/* Adds a line for each attempt of the run, with its time if there are several. If the run was
 * merged from shards, adds a line for each kind of node. */
static void add_machine(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    const struct pm_reading_run *of = &r->runs[run];
    struct pm_str text = PM_STR_INIT;
    if (of->shard_list_count > 1) {
        add_run_prefix(&text, r, run);
        pm_tables__lines_of_nodes(of, text.data, report);
    }
    for (size_t i = 0; i < of->attempt_count && of->shard_list_count <= 1; i++) {
        const struct pm_reading_attempt *attempt = &of->attempts[i];
        const json_t *m = attempt->machine;
        pm_str_clear(&text);
        add_run_prefix(&text, r, run);
        if (of->attempt_count > 1)
            pm_str_addf(&text, "attempt %zu of %zu, %s to %s: ", i + 1, of->attempt_count,
                        attempt->started,
                        *attempt->finished ? attempt->finished : "an unknown time");
        pm_tables__add_hardware(&text, m);
        add_load(&text, attempt);
        if (!pm_json_bool(m, "contains",
                          true)) /* true: the default of older runs, which did not store it */
            pm_str_add(&text, "; no PID namespaces: if a run is killed, only --resume ends the "
                              "processes that it leaves");
        pm_report_line(report, "machine", text.data);
    }
    pm_str_release(&text);
}

static void add_shards(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    struct pm_str prefix = PM_STR_INIT;
    add_run_prefix(&prefix, r, run);
    pm_tables__lines_of_shards(&r->runs[run], prefix.data, report);
    pm_str_release(&prefix);
}

/* Adds the targets, with the run of each if several runs are shown. */
static void add_targets(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        pm_str_clear(&text);
        pm_str_addf(&text, "%s  %s %s, %s", t->text, t->framework, t->version,
                    *t->device_name ? t->device_name : pm_evidence_text(t->evidence));
        if (t->text[pm_shard_typed(t->text)] && *t->driver_version)
            pm_str_addf(&text, ", driver %s", t->driver_version);
        if (pm_reading_runs_shown(r) > 1) {
            pm_str_add(&text, ", ");
            add_run_name(&text, &r->runs[t->run]);
        }
        pm_report_line(report, i ? "" : "targets", text.data);
    }
    pm_str_release(&text);
}

/* Adds how latencies were measured, if the options of the run contain it. */
static void add_clocks(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    const char *warm = pm_json_string(r->runs[run].options, "warm", NULL);
    struct pm_str text = PM_STR_INIT;
    bool any = false;
    for (size_t i = 0; i < r->target_list.count; i++)
        any |= r->targets[i].run == run && r->targets[i].latencies;
    if (any && warm) {
        add_run_prefix(&text, r, run);
        pm_str_addf(&text, "--warm %s", warm);
        pm_report_line(report, "clocks", text.data);
    }
    pm_str_release(&text);
}

/* Adds a line that says which cases were run, if the user limited them. */
static void add_cases(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    const int64_t most = pm_json_int(r->runs[run].options, "most_cases", 0);
    const json_t *kinds = json_object_get(r->runs[run].options, "kinds"), *kind;
    struct pm_str text = PM_STR_INIT;
    size_t i;
    if (most <= 0 && !json_array_size(kinds))
        return;
    add_run_prefix(&text, r, run);
    json_array_foreach(kinds, i, kind)
        pm_str_addf(&text, "%s%s", i ? " and " : "only ", json_string_value(kind));
    if (json_array_size(kinds))
        pm_str_addf(&text, " (--kind)%s", most > 0 ? ", " : "");
    if (most > 0)
        pm_str_addf(&text, "at most %lld of each function, core cases first (--cases)",
                    (long long)most);
    pm_str_add(&text, "; the others were not run");
    pm_report_line(report, "cases", text.data);
    pm_str_release(&text);
}

/* Adds the load before the first attempt and after the last attempt, if they are known. */
static void add_loads(struct pm_str *out, const struct pm_reading_run *run)
{
    if (!run->attempt_count)
        return;
    struct pm_reading_attempt whole = run->attempts[0];
    whole.load_after = run->attempts[run->attempt_count - 1].load_after;
    add_load(out, &whole);
}

/* Returns whether a ratio to that target is shown. */
static bool is_compared(const struct pm_reading *r, int reference)
{
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_key *key = &r->statistics[i].key;
        if (key->what == PM_STATISTIC_RATIO && key->scope == PM_SCOPE_FUNCTION &&
            pm_reading_reference_index(r, key->target) == reference)
            return true;
    }
    return false;
}

static bool was_measured_twice(const struct pm_reading *r,
                               const struct pm_reading_target *reference)
{
    for (size_t i = 0; i < r->target_list.count + r->hidden_targets + r->other_targets; i++)
        if (pm_reading_is_noise(&r->targets[i]) && r->targets[i].run == reference->run &&
            !strcmp(r->targets[i].text, reference->text))
            return true;
    return false;
}

/* See lines.h. A hidden reference may also have a floor, because subjects are compared with it. */
void pm_tables__lines_of_noise(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->target_list.count + r->hidden_targets; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        const struct pm_reading_statistic *noise = pm_reading_noise(r, (int)i);
        if (!is_compared(r, (int)i))
            continue;
        pm_str_clear(&text);
        add_run_prefix(&text, r, t->run);
        if (noise) {
            pm_str_addf(&text,
                        "floor %.2fx: two measurements of %s differ by less than this factor in 98 "
                        "%% of %lld case%s",
                        noise->value, t->text, (long long)noise->processes,
                        pm_plural(noise->processes));
            add_loads(&text, &r->runs[t->run]);
        } else if (was_measured_twice(r, t)) {
            pm_str_addf(
                &text,
                "floor of %s unknown, because no case that was measured twice is stable, so "
                "any ratio may be noise: measure again on an idle machine",
                t->text);
        } else {
            pm_str_addf(&text,
                        "floor of %s unknown, so any ratio may be noise: portmeter run --noise "
                        "measures the floor",
                        t->text);
        }
        pm_report_line(report, "noise", text.data);
    }
    pm_str_release(&text);
}

static void add_progress(struct pm_str *out, const struct pm_reading_run *run)
{
    pm_text_count(out, run->done);
    pm_str_add(out, " of ");
    pm_text_count(out, run->planned);
    pm_str_addf(out, " execution%s", pm_plural(run->planned));
}

/* Adds lines about executions that were retried in isolation or in exact mode, and about latencies
 * that include imports. */
static void add_notes(const struct pm_reading_run *of, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    if (of->retried) {
        pm_str_addf(
            &text, "%lld execution%s failed in a shared process and %s retried in isolation",
            (long long)of->retried, pm_plural(of->retried), of->retried == 1 ? "was" : "were");
        pm_report_line(report, "", text.data);
    }
    if (of->precision) {
        pm_str_clear(&text);
        pm_str_addf(&text,
                    "%lld failure%s " PM_FLOAT_PRECISION
                    ": wrong values in the default numeric mode, correct values in the exact mode",
                    (long long)of->precision, pm_plural_are(of->precision));
        pm_report_line(report, "", text.data);
    }
    if (of->imports) {
        pm_str_clear(&text);
        pm_str_addf(&text,
                    "%zu latenc%s include%s the import of modules (in parentheses: clock, number "
                    "of modules, first module): %s",
                    of->imports, of->imports == 1 ? "y" : "ies", of->imports == 1 ? "s" : "",
                    of->imports_named);
        if (of->imports > PM_READING_IMPORTS_NAMED)
            pm_str_addf(&text, " and %zu more", of->imports - PM_READING_IMPORTS_NAMED);
        pm_report_line(report, "", text.data);
    }
    pm_str_release(&text);
}

static void add_validity(const struct pm_reading *r, size_t run, struct pm_report *report)
{
    const struct pm_reading_run *of = &r->runs[run];
    const bool valid = of->validity == PM_VALIDITY_VALID,
               known = of->validity != PM_VALIDITY_UNKNOWN;
    struct pm_str text = PM_STR_INIT;
    add_run_prefix(&text, r, run);
    if (valid)
        pm_str_addf(&text,
                    "valid: self-check passed: %lld of %lld planted fault%s detected (%lld %s not "
                    "apply here)",
                    (long long)of->planted_faults_detected, (long long)of->planted_faults_detected,
                    pm_plural(of->planted_faults_detected),
                    (long long)of->planted_faults_not_applying,
                    of->planted_faults_not_applying == 1 ? "does" : "do");
    else if (known)
        pm_str_addf(&text, "INVALID: %s", of->reason);
    if (!known || (valid && of->state != PM_RUN_DONE)) {
        pm_str_addf(&text, "%s%s: ", valid ? "; " : "", pm_reading_unfinished(of));
        add_progress(&text, of);
    }
    pm_report_line(report, "run", text.data);
    if (valid && of->latency_validity == PM_VALIDITY_INVALID) {
        pm_str_clear(&text);
        pm_str_addf(&text, "INVALID, so they are not printed: %s", of->latency_reason);
        pm_report_line(report, "latencies", text.data);
    }
    add_notes(of, report);
    pm_str_release(&text);
}

/* Returns the newest target that is not shown, has the name of a shown target, and has outcomes of
 * another device; NULL if there is none. */
static const struct pm_reading_target *elsewhere(const struct pm_reading *r,
                                                 const struct pm_reading_target *shown)
{
    const size_t first = r->target_list.count, end = first + r->hidden_targets + r->other_targets;
    const struct pm_reading_target *newest = NULL;
    for (size_t i = first; i < end; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        if (t->judged && !pm_reading_is_noise(t) && !strcmp(t->text, shown->text) &&
            strcmp(t->device_name, shown->device_name) != 0 && (!newest || t->run > newest->run))
            newest = t;
    }
    return newest;
}

void pm_tables__lines_of_machines(const struct pm_reading *r, const char *option,
                                  struct pm_report *report)
{
    size_t before = SIZE_MAX; /* the run that the line before names */
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *shown = &r->targets[i], *other = elsewhere(r, shown);
        if (!other || pm_reading_is_oracle(shown) || other->run == before)
            continue;
        const long long a = (long long)r->runs[other->run].id,
                        b = (long long)r->runs[shown->run].id;
        char *text = pm_format("run %lld measured %s on %s: portmeter compare run:%lld run:%lld%s "
                               "shows both",
                               a, other->text, other->device_name, a, b, option);
        pm_report_take_line(report, before == SIZE_MAX ? "other device" : "", text);
        before = other->run;
    }
}

/* Adds the newer runs that are not shown, and how to show or continue them. */
static void add_passed_over(const struct pm_reading *r, const char *option,
                            struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->run_list.count; i++) {
        const struct pm_reading_run *run = &r->runs[i];
        if (!run->passed_over)
            continue;
        pm_str_clear(&text);
        add_run_name(&text, run);
        if (run->state != PM_RUN_DONE) {
            pm_str_addf(&text, " is %s: ", pm_reading_unfinished(run));
            add_progress(&text, run);
            if (run->is_running)
                pm_str_add(&text, "; print the report again after it has ended");
            else
                pm_str_addf(&text, "; portmeter run --resume %lld%s continues it",
                            (long long)run->id, option);
        } else if (run->validity == PM_VALIDITY_VALID) {
            pm_str_add(&text, " has no outcomes");
        } else {
            pm_str_addf(&text, " is INVALID: %s; portmeter report --run %lld%s shows it",
                        run->reason, (long long)run->id, option);
        }
        pm_report_line(report, "not shown", text.data);
    }
    pm_str_release(&text);
}

void pm_tables__lines_before(const struct pm_reading *r, const char *option,
                             struct pm_report *report)
{
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown) {
            add_machine(r, i, report);
            add_shards(r, i, report);
        }
    add_targets(r, report);
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown) {
            add_clocks(r, i, report);
            add_cases(r, i, report);
        }
    pm_tables__lines_of_noise(r, report);
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown)
            add_validity(r, i, report);
    add_passed_over(r, option, report);
    pm_tables__lines_of_machines(r, option, report);
}

void pm_tables__lines_of_runs(const struct pm_reading *r, const char *option,
                              struct pm_report *report)
{
    struct pm_str older = PM_STR_INIT;
    if (pm_reading_runs_shown(r) > 1)
        add_targets(r, report);
    add_passed_over(r, option, report);
    pm_tables__older(r, option, &older);
    if (older.length)
        pm_report_line(report, "warning", older.data);
    pm_str_release(&older);
}

void pm_tables__lines_after(const struct pm_reading *r, const char *option,
                            struct pm_report *report)
{
    bool latencies = false;
    for (size_t i = 0; i < r->target_list.count; i++)
        latencies |= r->targets[i].latencies;
    char *file = pm_format("portmeter report%s --output report.md", option),
         *clocks = pm_format("portmeter report%s --table clocks", option);
    pm_report_command(
        report, "more", file,
        "writes this report as Markdown; .json, .csv, .tex or .html select another format");
    if (latencies)
        pm_report_command(report, "", clocks, "every clock of every case");
    free(file);
    free(clocks);
}
