/* Finds the verdict on a function that reports show, and reports the evidence for it. */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/privacy.h"
#include "base/shard.h"
#include "explain/explain_private.h"
#include "reading/reading.h"
#include "report/format.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "store/executions.h"
#include "store/judgements.h"
#include "store/runs.h"
#include "store/targets.h"

/* An explanation in progress. Rows are kept as JSON, because rows of the store do not outlive their
 * callback. */
struct explaining {
    const struct pm_explain_options *options;
    struct pm_store *store;
    struct pm_report *report;
    struct pm_error *err;
    struct pm_reading list; /* all runs and targets */
    bool *measured;         /* for each target of the list: it has a verdict on the function */
    int chosen_target;      /* index in the list; -1: none */
    int64_t run_id, target_id, seed;
    json_t *target, *verdict, *judgements;
    json_t *data;   /* the member "explanation" of JSON */
    int64_t chosen; /* id of the execution that the reproducer shows; 0: none */
    struct pm_explain__failure failure;
};

/* ---- finding it ------------------------------------------------------------------------------ */

/* Returns whether a target of the list is the requested one, in the requested run or, if none was
 * requested, in any. */
static bool is_asked_for(const struct explaining *x, size_t index)
{
    const struct pm_reading_target *t = &x->list.targets[index];
    return !strcmp(t->text, x->options->target) && !pm_reading_is_oracle(t) &&
           !pm_reading_is_noise(t) &&
           (!x->options->run_id || x->options->run_id == x->list.runs[t->run].id);
}

static int see_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct explaining *x = ctx;
    if (row->target_id != x->target_id || strcmp(row->function, x->options->function))
        return PM_OK;
    json_decref(x->verdict);
    x->verdict =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "verdict",
                  pm_verdict_text(row->verdict), "detail", row->detail, "reason", row->reason,
                  "rule", row->rule, "limits", row->limits, "counted", (json_int_t)row->counted,
                  "passed", (json_int_t)row->passed, "flaky", (json_int_t)row->flaky, "core",
                  (json_int_t)row->core, "core_passed", (json_int_t)row->core_passed);
    return PM_OK;
}

/* Sets `verdict` to the verdict on the function on a target of the list; NULL if there is none. */
static int load_verdict(struct explaining *x, size_t index)
{
    const struct pm_reading_target *t = &x->list.targets[index];
    json_decref(x->verdict);
    x->verdict = NULL;
    x->target_id = t->id;
    x->run_id = x->list.runs[t->run].id;
    return pm_store_verdicts(x->store, x->run_id, see_verdict, x, x->err);
}

static bool was_measured(int target, const void *ctx)
{
    return ((const struct explaining *)ctx)->measured[target];
}

static int see_target(void *ctx, const struct pm_target_row *row)
{
    struct explaining *x = ctx;
    if (row->id != x->target_id)
        return PM_OK;
    x->target = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id",
                          (json_int_t)row->id, "environment", row->environment, "framework",
                          row->framework, "device", row->device, "variant", row->variant, "version",
                          row->version, "evidence", pm_evidence_text(row->evidence), "device_name",
                          row->device_name, "python", row->python, "imports", row->imports);
    return PM_OK;
}

static int see_run(void *ctx, const struct pm_run_row *row)
{
    struct explaining *x = ctx;
    if (x->run_id == row->id)
        x->seed = row->seed;
    return PM_OK;
}

static int see_name(void *ctx, const struct pm_verdict_row *row)
{
    struct pm_map *names = ctx;
    if (!pm_map_has(names, row->function))
        pm_map_put(names, row->function, names);
    return PM_OK;
}

/* Sets the error for a missing verdict, which suggests the name among `known` that is nearest to
 * `word`. */
static int no_verdict_error(const struct explaining *x, const char *word, const char *const *known,
                            size_t count)
{
    const char *advice = "portmeter report lists functions and targets";
    const struct pm_explain_options *o = x->options;
    return o->run_id
               ? pm_nearest_error(x->err, PM_EUSAGE, word, known, count, advice,
                                  "run %lld has no verdict on '%s' on %s", (long long)o->run_id,
                                  o->function, o->target)
               : pm_nearest_error(x->err, PM_EUSAGE, word, known, count, advice,
                                  "no run has a verdict on '%s' on %s", o->function, o->target);
}

/* Sets an error that suggests a function with a similar name, from the verdicts of the run of a
 * target. */
static int no_function(struct explaining *x, const struct pm_reading_target *target)
{
    struct pm_map names = {0};
    size_t count = 0;
    PM_TRY(pm_store_verdicts(x->store, x->list.runs[target->run].id, see_name, &names, x->err));
    const char **known = pm_alloc((names.count + 1) * sizeof *known);
    for (size_t i = 0; i < names.capacity; i++)
        if (names.entries[i].key)
            known[count++] = names.entries[i].key;
    const int rc = no_verdict_error(x, x->options->function, known, count);
    free(known);
    pm_map_release(&names);
    return rc;
}

static int no_verdict(struct explaining *x, size_t all)
{
    const char **known = pm_alloc((all + 1) * sizeof *known);
    for (size_t i = 0; i < all; i++) {
        known[i] = x->list.targets[i].text;
        if (is_asked_for(x, i)) {
            free(known);
            return no_function(x, &x->list.targets[i]);
        }
    }
    const int rc = no_verdict_error(x, x->options->target, known, all);
    free(known);
    return rc;
}

/* Chooses the run that a report would show among the runs that have a verdict on the function on
 * the target. Reads the verdict, the target and the seed of this run. */
static int find_verdict(struct explaining *x)
{
    PM_TRY(pm_reading_list(&x->list, x->store, x->err));
    const size_t count = x->list.target_list.count + x->list.hidden_targets + x->list.other_targets;
    x->measured = pm_alloc((count + 1) * sizeof *x->measured);
    for (size_t i = 0; i < count; i++)
        if (is_asked_for(x, i)) {
            PM_TRY(load_verdict(x, i));
            x->measured[i] = x->verdict != NULL;
        }
    x->chosen_target = pm_reading_choose(&x->list, x->options->target, was_measured, x);
    if (x->chosen_target < 0)
        return no_verdict(x, count);
    PM_TRY(load_verdict(x, (size_t)x->chosen_target));
    PM_TRY(pm_store_targets(x->store, x->run_id, see_target, x, x->err));
    return pm_store_runs(x->store, see_run, x, x->err);
}

static const struct pm_reading_run *run_of(const struct explaining *x)
{
    return &x->list.runs[x->list.targets[x->chosen_target].run];
}

/* ---- its executions -------------------------------------------------------------------------- */

/* Returns whether two executions have the same outcome, stage, message and reason, and both count
 * or both do not, so that their cases share a row. */
static bool alike(const json_t *a, const json_t *b)
{
    return pm_json_int(a, "outcome", 0) == pm_json_int(b, "outcome", 0) &&
           pm_json_int(a, "stage", 0) == pm_json_int(b, "stage", 0) &&
           pm_json_bool(a, "counted", false) == pm_json_bool(b, "counted", false) &&
           !strcmp(pm_json_string(a, "detail", ""), pm_json_string(b, "detail", "")) &&
           !strcmp(pm_json_string(a, "reason", ""), pm_json_string(b, "reason", ""));
}

/* Returns whether an earlier execution of the same case ended in the same way. The executions of a
 * case follow each other. */
static bool is_known(const json_t *judgements, const json_t *judgement)
{
    const char *name = pm_json_string(judgement, "name", "");
    for (size_t i = json_array_size(judgements); i-- > 0;) {
        const json_t *before = json_array_get(judgements, i);
        if (strcmp(pm_json_string(before, "name", ""), name) != 0)
            return false;
        if (alike(before, judgement))
            return true;
    }
    return false;
}

static int see_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct explaining *x = ctx;
    if (row->target_id != pm_json_int(x->target, "id", 0) || !row->counts ||
        strcmp(row->function, x->options->function))
        return PM_OK;
    json_t *judgement = json_pack(
        "{s:I, s:s, s:i, s:i, s:s, s:s, s:s, s:b}", "execution", (json_int_t)row->execution_id,
        "name", row->name, "outcome", row->outcome, "stage", row->stage, "detail", row->detail,
        "reason", row->reason, "rule", row->rule, "counted", row->case_counts);
    if (!is_known(x->judgements, judgement))
        json_array_append(x->judgements, judgement);
    json_decref(judgement);
    return PM_OK;
}

/* Returns how well an execution explains the verdict; 0 if it does not. */
static int weight(const struct explaining *x, const json_t *judgement)
{
    const enum pm_outcome outcome = (enum pm_outcome)pm_json_int(judgement, "outcome", 0);
    const bool same =
        !strcmp(pm_json_string(judgement, "reason", ""), pm_json_string(x->verdict, "reason", ""));
    const char *wanted = x->options->name;
    if (outcome == PM_OUTCOME_PASS || outcome == PM_OUTCOME_NOT_APPLICABLE ||
        (wanted && strcmp(wanted, pm_json_string(judgement, "name", ""))))
        return 0;
    return 1 + 2 * same + 4 * pm_json_bool(judgement, "counted", false);
}

static const json_t *choose(const struct explaining *x)
{
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(x->judgements); i++) {
        const json_t *judgement = json_array_get(x->judgements, i);
        if (weight(x, judgement) > (best ? weight(x, best) : 0))
            best = judgement;
    }
    return best;
}

static int see_execution(void *ctx, const struct pm_execution_row *row)
{
    struct explaining *x = ctx;
    struct pm_explain__failure *f = &x->failure;
    if (row->id != x->chosen)
        return PM_OK;
    f->ending = row->answered ? PM_ENDING_NONE : row->ending;
    f->ending_code = row->ending_code;
    PM_TRY(pm_store_json(x->store, row->definition, &f->definition, "case", row->case_id,
                         "definition", x->err));
    return *row->result ? pm_store_json(x->store, row->result, &f->result, "execution", row->id,
                                        "result", x->err)
                        : PM_OK;
}

static int load_failure(struct explaining *x)
{
    const json_t *judgement = choose(x);
    struct pm_explain__failure *f = &x->failure;
    if (!judgement)
        return PM_OK;
    x->chosen = pm_json_int(judgement, "execution", 0);
    f->environment = pm_json_string(x->target, "environment", "");
    f->framework = pm_json_string(x->target, "framework", "");
    f->device = pm_json_string(x->target, "device", "");
    f->variant = pm_json_string(x->target, "variant", "");
    f->imports = pm_json_string(x->target, "imports", "");
    f->target = x->options->target;
    f->function = x->options->function;
    f->name = pm_json_string(judgement, "name", "");
    f->detail = pm_json_string(judgement, "detail", "");
    f->outcome = (enum pm_outcome)pm_json_int(judgement, "outcome", 0);
    f->stage = (enum pm_stage)pm_json_int(judgement, "stage", 0);
    f->seed = x->seed;
    return pm_store_executions(x->store, x->run_id, pm_json_int(x->target, "id", 0), see_execution,
                               x, x->err);
}

/* ---- the verdict ------------------------------------------------------------------------------
 */

static void say_verdict(const struct explaining *x)
{
    const char *reason = pm_json_string(x->verdict, "reason", "");
    const char *rule = pm_json_string(x->verdict, "rule", "");
    const char *detail = pm_json_string(x->verdict, "detail", "");
    const char *limits = pm_json_string(x->verdict, "limits", "");
    enum pm_evidence evidence = PM_EVIDENCE_EXECUTED;
    enum pm_verdict verdict = PM_VERDICT_NOT_MEASURED;
    (void)pm_evidence_parse(pm_json_string(x->target, "evidence", ""), &evidence);
    (void)pm_verdict_parse(pm_json_string(x->verdict, "verdict", ""), &verdict);
    pm_report_take_line(x->report, "verdict",
                        pm_format("%s: %lld of %lld counted cases pass, %lld of %lld core cases",
                                  pm_verdict_word(verdict, evidence),
                                  (long long)pm_json_int(x->verdict, "passed", 0),
                                  (long long)pm_json_int(x->verdict, "counted", 0),
                                  (long long)pm_json_int(x->verdict, "core_passed", 0),
                                  (long long)pm_json_int(x->verdict, "core", 0)));
    if (*limits)
        pm_report_line(x->report, "limits", limits);
    if (*reason)
        pm_report_take_line(
            x->report, "reason",
            pm_format("%s (%s%s)", reason, *rule ? "rule: " : "no rule matches", rule));
    if (*detail)
        pm_report_line(x->report, "message", detail);
}

/* Returns the option that names the database in commands, such as " --db FILE"; "" if it is not
 * needed. The caller frees it. */
static char *db_option_of(const struct pm_explain_options *o)
{
    return o->shipped ? pm_strdup("") : pm_privacy_db_option(o->db);
}

/* Adds a line about a newer run of the target that this explanation does not use, and why. */
static void say_not_shown(const struct explaining *x, const struct pm_reading_target *t)
{
    const struct pm_reading_run *run = &x->list.runs[t->run];
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "run %lld", (long long)run->id);
    if (!x->measured[t - x->list.targets])
        pm_str_addf(&text, " has no verdict on %s", x->options->function);
    else if (run->validity == PM_VALIDITY_INVALID)
        pm_str_addf(&text, " is INVALID: %s", run->reason);
    else
        pm_str_addf(&text, " is %s",
                    run->state == PM_RUN_DONE ? "not judged" : pm_reading_unfinished(run));
    if (x->measured[t - x->list.targets]) {
        char *db = db_option_of(x->options);
        pm_str_addf(&text, "; portmeter explain %s --target %s --run %lld%s shows it",
                    x->options->function, x->options->target, (long long)run->id, db);
        free(db);
    }
    pm_report_line(x->report, "not shown", text.data);
    pm_str_release(&text);
}

static void say_run(const struct explaining *x)
{
    const struct pm_reading_run *run = run_of(x);
    pm_report_take_line(x->report, "run",
                        pm_format("%lld, started %s", (long long)run->id, run->started));
    if (run->validity == PM_VALIDITY_INVALID)
        pm_report_take_line(x->report, "warning",
                            pm_format("run %lld is INVALID: %s", (long long)run->id, run->reason));
    else if (run->validity != PM_VALIDITY_VALID)
        pm_report_take_line(
            x->report, "warning",
            pm_format("run %lld is %s", (long long)run->id, pm_reading_unfinished(run)));
    const size_t count = x->list.target_list.count + x->list.hidden_targets + x->list.other_targets;
    for (size_t i = 0; i < count; i++)
        if (is_asked_for(x, i) && &x->list.runs[x->list.targets[i].run] > run)
            say_not_shown(x, &x->list.targets[i]);
}

static void say_origin(const struct explaining *x)
{
    const char *name = pm_json_string(x->target, "device_name", "");
    const char *python = pm_json_string(x->target, "python", "");
    pm_report_take_line(x->report, "framework",
                        pm_format("%s %s%s%s%s%s", pm_json_string(x->target, "framework", ""),
                                  pm_json_string(x->target, "version", ""), *name ? " on " : "",
                                  name, *python ? ", Python " : "", python));
    pm_report_line(x->report, "evidence", pm_json_string(x->target, "evidence", ""));
    say_run(x);
    pm_report_line(x->report, "portmeter", PM_VERSION);
}

/* Adds the verdict and its origin to the JSON. */
static void note_verdict(struct explaining *x)
{
    x->data = json_pack("{s:s, s:s, s:I, s:s, s:s, s:s}", "function", x->options->function,
                        "target", x->options->target, "run", (json_int_t)x->run_id, "started",
                        run_of(x)->started, "validity", pm_validity_text(run_of(x)->validity),
                        "validity_reason", run_of(x)->reason);
    static const char *const of_target[] = {"framework", "version", "device_name", "python",
                                            "evidence"};
    static const char *const of_verdict[][2] = {
        {"verdict", "verdict"},         {"counted", "counted"},
        {"passed", "passed"},           {"core", "core"},
        {"core_passed", "core_passed"}, {"limits", "limits"},
        {"reason", "reason"},           {"rule", "rule"},
        {"message", "detail"}};
    for (size_t i = 0; i < sizeof of_target / sizeof *of_target; i++)
        json_object_set(x->data, of_target[i], json_object_get(x->target, of_target[i]));
    for (size_t i = 0; i < sizeof of_verdict / sizeof *of_verdict; i++)
        json_object_set(x->data, of_verdict[i][0], json_object_get(x->verdict, of_verdict[i][1]));
}

/* ---- its cases ------------------------------------------------------------------------------- */

static bool passes(const json_t *judgement)
{
    return pm_json_int(judgement, "outcome", 0) == PM_OUTCOME_PASS;
}

/* Returns whether no execution before the i-th ended in the same way. */
static bool is_first(const struct explaining *x, size_t i)
{
    size_t j = 0;
    while (!alike(json_array_get(x->judgements, j), json_array_get(x->judgements, i)))
        j++;
    return j == i;
}

/* Adds the names of the cases of the i-th execution and of all later executions that ended in the
 * same way, in the form that --case accepts. Names of passing cases, which --case does not accept,
 * are written without repeating their common part. Returns the number of names. */
static size_t add_names(const struct explaining *x, size_t i, struct pm_str *out)
{
    const json_t *first = json_array_get(x->judgements, i);
    struct pm_report_cases cases = {0};
    size_t count = 0;
    for (size_t j = i; j < json_array_size(x->judgements); j++) {
        const json_t *judgement = json_array_get(x->judgements, j);
        const char *name = pm_json_string(judgement, "name", "");
        if (!alike(judgement, first))
            continue;
        if (passes(first))
            pm_report_cases_add(&cases, name);
        else
            pm_str_addf(out, "%s%s", count ? ", " : "", name);
        count++;
    }
    pm_report_format_cases(out, &cases);
    pm_report_cases_release(&cases);
    return count;
}

/* Returns a text such as "run: RuntimeError: ..."; the caller frees it. */
static char *message_of(const struct explaining *x, const json_t *judgement)
{
    const enum pm_stage stage = (enum pm_stage)pm_json_int(judgement, "stage", 0);
    const char *detail = pm_json_string(judgement, "detail", "");
    const bool above = *detail && !strcmp(detail, pm_json_string(x->verdict, "detail", ""));
    return pm_format("%s%s%s", *detail ? pm_stage_text(stage) : "", *detail && stage ? ": " : "",
                     above ? "the message above" : detail);
}

static bool for_people(const struct explaining *x)
{
    return x->options->format != PM_FORMAT_JSON;
}

/* A row of the table of cases: one case, or for people, all cases that ended in the same way. */
struct case_row {
    const char *outcome, *remark, *name, *names, *stage, *reason, *rule, *message;
    int64_t cases;
};

static const struct pm_column case_columns[] = {
    {"outcome", "outcome", PM_CELL_WORD, PM_MEMBER(struct case_row, outcome)},
    {"remark", "remark", PM_CELL_TEXT, PM_MEMBER(struct case_row, remark)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct case_row, cases), .only = PM_FOR_PEOPLE},
    {"case", "names", PM_CELL_TEXT, PM_MEMBER(struct case_row, names), .only = PM_FOR_PEOPLE},
    {"case", "case", PM_CELL_TEXT, PM_MEMBER(struct case_row, name), .only = PM_FOR_PROGRAMS},
    {"stage", "stage", PM_CELL_TEXT, PM_MEMBER(struct case_row, stage), .only = PM_FOR_PROGRAMS},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct case_row, reason)},
    {"rule", "rule", PM_CELL_TEXT, PM_MEMBER(struct case_row, rule), .only = PM_FOR_PROGRAMS},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct case_row, message)},
};

static void add_row(const struct explaining *x, size_t i, struct pm_table *t)
{
    const json_t *judgement = json_array_get(x->judgements, i);
    struct pm_str names = PM_STR_INIT;
    const size_t count = for_people(x) ? add_names(x, i, &names) : 1;
    char *message = for_people(x) ? message_of(x, judgement)
                                  : pm_strdup(pm_json_string(judgement, "detail", ""));
    const struct case_row row = {
        .outcome = pm_outcome_text((enum pm_outcome)pm_json_int(judgement, "outcome", 0)),
        .remark = pm_json_bool(judgement, "counted", false) ? NULL : "not counted",
        .cases = (int64_t)count,
        .name = pm_json_string(judgement, "name", ""),
        .names = names.data,
        .stage = pm_stage_text((enum pm_stage)pm_json_int(judgement, "stage", 0)),
        .reason = pm_json_string(judgement, "reason", ""),
        .rule = pm_json_string(judgement, "rule", ""),
        .message = message};
    pm_table_row(t, &row, NULL);
    pm_str_release(&names);
    free(message);
}

/* Adds the rows of the cases that pass, or of those that do not. */
static void add_rows(const struct explaining *x, bool pass, struct pm_table *t)
{
    for (size_t i = 0; i < json_array_size(x->judgements); i++) {
        const json_t *judgement = json_array_get(x->judgements, i);
        if (passes(judgement) == pass && (!for_people(x) || is_first(x, i)))
            add_row(x, i, t);
    }
}

static void report_cases(const struct explaining *x)
{
    struct pm_table *t = pm_table_new("cases", "Cases");
    pm_table_columns(t, case_columns, for_people(x));
    add_rows(x, false, t);
    add_rows(x, true, t);
    pm_report_take_table(x->report, t);
}

/* ---- the reproducer ---------------------------------------------------------------------------
 */

static void report_script(const struct explaining *x, const struct pm_explain__reproducer *r)
{
    const char *file = x->options->script;
    json_object_set_new(x->data, "reproducer",
                        json_pack("{s:s, s:s?, s:b, s:b}", "remark", r->remark ? r->remark : "none",
                                  "script", r->text, "shows_the_failure", r->same, "needs_file",
                                  r->needs_file));
    pm_report_line(x->report, "reproducer", r->remark ? r->remark : "none");
    if (file && r->text) {
        char *command = pm_format("python %s", file);
        pm_report_command(x->report, "", command, "");
        free(command);
        return;
    }
    if (r->text)
        pm_report_code(x->report, "script", r->text);
    if (r->needs_file)
        pm_report_line(x->report, "values",
                       "--output FILE.py writes the script, and its values to FILE.npz");
}

/* Adds why there is no reproducer, if the user requested one. */
static void report_no_script(const struct explaining *x)
{
    if (x->options->script)
        pm_report_take_line(
            x->report, "reproducer",
            pm_format("none: no case fails, so '%s' is not written", x->options->script));
}

static int report_reproducer(struct explaining *x)
{
    struct pm_explain__reproducer reproducer;
    if (!x->chosen && x->options->name)
        return pm_error_set(x->err, PM_EUSAGE,
                            "no case '%s' of the function fails: portmeter explain without --case "
                            "lists its cases",
                            x->options->name);
    if (!x->chosen) {
        report_no_script(x);
        return PM_OK;
    }
    const int rc = pm_explain__reproduce(&x->failure, x->options, &reproducer, x->err);
    if (!rc)
        report_script(x, &reproducer);
    pm_explain__reproducer_release(&reproducer);
    return rc;
}

static void report_command(const struct explaining *x)
{
    const struct pm_explain_options *o = x->options;
    char *db = db_option_of(o);
    char *command = pm_format("portmeter run --target %.*s --function '%s'%s",
                              pm_shard_typed(o->target), o->target, o->function, db);
    json_object_set_new(x->data, "again", json_string(command));
    pm_report_command(x->report, "again", command, "");
    free(db);
    free(command);
}

static int report_all(struct explaining *x)
{
    note_verdict(x);
    const struct pm_explain__measured measured = {x->run_id, pm_json_int(x->target, "id", 0),
                                                  x->options->function, x->report, x->data};
    say_verdict(x);
    say_origin(x);
    PM_TRY(pm_store_judgements(x->store, x->run_id, see_judgement, x, x->err));
    report_cases(x);
    PM_TRY(pm_explain__latencies(x->store, &measured, x->err));
    PM_TRY(load_failure(x));
    PM_TRY(report_reproducer(x));
    report_command(x);
    pm_report_take_data(x->report, "explanation", json_incref(x->data));
    return PM_OK;
}

static void explaining_release(struct explaining *x)
{
    struct pm_explain__failure *f = &x->failure;
    json_decref(f->definition);
    json_decref(f->result);
    json_decref(x->target);
    json_decref(x->verdict);
    json_decref(x->judgements);
    json_decref(x->data);
    free(x->measured);
    pm_reading_release(&x->list);
    pm_report_free(x->report);
    pm_store_free(x->store);
}

static int write_report(const struct explaining *x)
{
    const struct pm_explain_options *o = x->options;
    return pm_report_write(x->report, o->format, o->width, o->colour, o->output, x->err);
}

int pm_explain(const struct pm_explain_options *options, struct pm_error *err)
{
    struct explaining x = {.options = options, .err = err};
    char *title = pm_format("%s on %s", options->function, options->target);
    x.report = pm_report_new(title);
    x.judgements = json_array();
    free(title);
    int rc = pm_store_expect(options->db, err);
    if (!rc)
        rc = pm_store_open(&x.store, options->db, PM_STORE_READ, err);
    if (!rc)
        rc = find_verdict(&x);
    if (!rc)
        rc = report_all(&x);
    if (!rc)
        rc = write_report(&x);
    explaining_release(&x);
    return rc;
}

/* ---- where it goes ----------------------------------------------------------------------------
 */

static int check_format(enum pm_report_format format, struct pm_error *err)
{
    if (format == PM_FORMAT_TEXT || format == PM_FORMAT_MARKDOWN || format == PM_FORMAT_JSON)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "explain cannot print %s: use --format text, markdown or json",
                        pm_report_format_text(format));
}

int pm_explain_take_output(struct pm_explain_options *o, const char *path, bool has_format,
                           struct pm_error *err)
{
    enum pm_report_format format = PM_FORMAT_TEXT;
    struct pm_error ignored;
    if (has_format)
        PM_TRY(check_format(o->format, err));
    if (!path || pm_ends_with(path, ".py")) {
        o->script = path;
        return PM_OK;
    }
    const char *slash = strrchr(path, '/');
    if (!strchr(slash ? slash : path, '.') || !pm_report_format_of_file(path, &format, &ignored) ||
        check_format(format, &ignored))
        return pm_error_set(err, PM_EUSAGE,
                            "unknown extension of --output '%s': use .py for the reproducer, or "
                            ".txt, .md or .json for the explanation",
                            path);
    if (has_format && format != o->format)
        return pm_error_set(err, PM_EUSAGE,
                            "--format %s contradicts --output '%s': give one of them, or the same "
                            "format in both",
                            pm_report_format_text(o->format), path);
    o->format = format;
    o->output = path;
    return PM_OK;
}
