/*
 * pm_check_suite(): can each case fail, and does it call its function? Each case runs on its
 * reference (in two processes with `repeat: fresh`), and its output is mutated in every applicable
 * way. The comparison of the case must detect each mutation, or its `check` must: the driver
 * evaluates `check` on the mutated value. The driver also checks whether the call calls the
 * function. If the framework has a device without arrays on the host, each case also runs there:
 * its outputs must be on that device.
 */
#include <ctype.h>
#include <string.h>

#include "assess/evidence.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/stop.h"
#include "core/core.h"
#include "environment/environment.h"
#include "judge/judge.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "suite/suite.h"

struct checking {
    struct pm_assess_evidence all;
    struct pm_suite_check *sums;
    struct pm_table *missed, *errors, *reviewed, *by_type;
    const char *absent; /* the last function that was reported as absent; or NULL */
    int reference;      /* index of the target on which cases are checked */
    int placement;      /* index of the target on which the placement of outputs is checked; -1:
                           none */
};

/* A remark about a case, or about one of its outputs. */
struct remark {
    const char *function, *name, *leaf, *text;
};

static const struct pm_column case_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct remark, function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct remark, name)},
};
#define REMARK PM_CELL_TEXT, PM_MEMBER(struct remark, text)
static const struct pm_column leaf_column = {"leaf", "output", PM_CELL_TEXT,
                                             PM_MEMBER(struct remark, leaf)},
                              problem_column = {"what", "problem", REMARK},
                              mutation_column = {"mutation", "mutation", REMARK},
                              type_column = {"type", "type", REMARK},
                              review_column = {"review", "review", REMARK};

static void add_remark(struct pm_table *table, const struct pm_assess_case *test, const char *leaf,
                       const char *text)
{
    pm_table_row(table, &(struct remark){test->function, test->name, leaf, text}, NULL);
}

static void add_error(struct checking *k, const char *function, const char *name, const char *what)
{
    pm_table_row(k->errors, &(struct remark){function, name, NULL, what}, NULL);
    k->sums->errors++;
}

static void error_row(struct checking *k, const struct pm_assess_case *test, const char *what)
{
    add_error(k, test->function, test->name, what);
}

static bool is_detected(const struct pm_leaves *leaves, const struct pm_leaves *mutated,
                        const struct pm_compare_rule *rule)
{
    struct pm_difference difference;
    pm_compare_leaves(mutated, leaves, rule, &difference);
    return difference.kind != PM_DIFFERENCE_NONE;
}

/* Counts how many mutations the driver passed to the `check`, and how many the `check` detected. */
static void count_checked(const struct pm_assess_execution *e, size_t *asked, size_t *detected)
{
    const json_t *list = json_object_get(e->result, "check_detected");
    *asked = json_array_size(list);
    *detected = 0;
    for (size_t i = 0; i < *asked; i++)
        *detected += pm_json_bool(json_array_get(list, i), "detected", false);
}

static bool is_detected_by_check(const struct pm_assess_execution *e, const char *path,
                                 const char *mutation)
{
    const json_t *list = json_object_get(e->result, "check_detected");
    if (strcmp(pm_json_string(e->test->definition, "output", "out"), "out") != 0)
        return false; /* the check is about another value, with other paths */
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!strcmp(pm_json_string(row, "path", ""), path) &&
            !strcmp(pm_json_string(row, "mutation", ""), mutation))
            return pm_json_bool(row, "detected", false);
    }
    return false;
}

static void mutate_leaf(struct checking *k, const struct pm_assess_execution *e,
                        const struct pm_leaves *leaves, size_t leaf, size_t *counted,
                        size_t *detected)
{
    const struct pm_compare_rule rule = pm_compare_rule_of(e->test->definition, false);
    for (unsigned p = 0; p < PM_MUTATE_COUNT; p++) {
        struct pm_leaves mutated;
        const char *name = pm_mutation_text((enum pm_mutation)p);
        if (!pm_mutate(leaves, leaf, (enum pm_mutation)p, &rule, &mutated))
            continue;
        *counted += 1;
        if (is_detected(leaves, &mutated, &rule) ||
            is_detected_by_check(e, leaves->items[leaf].path, name)) {
            *detected += 1;
        } else {
            add_remark(k->missed, e->test, leaves->items[leaf].path, name);
        }
        pm_mutated_release(&mutated);
    }
}

/* Reports rules for paths that no output has, because such rules have no effect. */
static void check_paths(struct checking *k, const struct pm_assess_execution *e,
                        const struct pm_leaves *leaves)
{
    const struct pm_compare_rule rule = pm_compare_rule_of(e->test->definition, false);
    for (size_t p = 0; p < rule.path_count; p++) {
        bool used = false;
        for (size_t i = 0; i < leaves->count && !used; i++)
            used = pm_path_is_within(leaves->items[i].path, rule.paths[p].path);
        if (used)
            continue;
        char *what = pm_format("no output or gradient is at '%s': correct 'compare' or 'tolerance'",
                               rule.paths[p].path);
        error_row(k, e->test, what);
        free(what);
    }
}

/* Lists outputs that portmeter compares only by their type, because it cannot read their values. */
static void list_types(struct checking *k, const struct pm_assess_execution *e,
                       const struct pm_leaves *leaves)
{
    for (size_t i = 0; i < leaves->count; i++) {
        if (leaves->items[i].kind == PM_LEAF_TYPE)
            add_remark(k->by_type, e->test, leaves->items[i].path, leaves->items[i].type);
    }
}

static bool compares_something(const struct pm_assess_execution *e, const struct pm_leaves *leaves)
{
    return pm_json_string(e->test->definition, "check", NULL) || !pm_leaves_are_hollow(leaves);
}

static int mutate_case(struct checking *k, const struct pm_assess_execution *e,
                       struct pm_error *err)
{
    struct pm_assess_leaves leaves = {0};
    size_t counted = 0, detected = 0;
    int rc = pm_assess_evidence_load_leaves(&k->all, e->id, PM_PART_COUNT, &leaves, err);
    if (!rc)
        rc = pm_assess_evidence_load_bytes(&k->all, &leaves, err);
    for (size_t i = 0; i < leaves.leaves.count && !rc; i++)
        mutate_leaf(k, e, &leaves.leaves, i, &counted, &detected);
    const bool something = compares_something(e, &leaves.leaves);
    if (!rc) {
        check_paths(k, e, &leaves.leaves);
        list_types(k, e, &leaves.leaves);
    }
    pm_assess_evidence_leaves_release(&leaves);
    PM_TRY(rc);
    if (!something)
        error_row(k, e->test, "the case compares no value: use 'output' to name one");
    size_t asked, checked;
    count_checked(e, &asked, &checked);
    if (asked && !checked) {
        k->sums->cannot_fail++;
        error_row(k, e->test, "the check passes for every mutated value: make it stricter");
    }
    k->sums->mutations += counted;
    k->sums->detected += detected;
    k->sums->missed_cases += detected < counted;
    if (!detected) {
        k->sums->cannot_fail++;
        error_row(k, e->test, "the comparison passes for every mutated output: make it stricter");
    }
    return PM_OK;
}

/* Counts how the case calls its function: by `calls` of the case file if a person has reviewed it,
 * otherwise by `calls` of the result. Reports a case that does not call it. */
static void check_calls(struct checking *k, const struct pm_assess_execution *e)
{
    const json_t *definition = e->test->definition;
    const char *seen = pm_json_string(e->result, "calls", ""),
               *reason = pm_json_string(json_object_get(definition, "calls"), "reviewed", NULL);
    if (json_is_object(json_object_get(definition, "absent")))
        return;
    if (reason) {
        k->sums->reviewed++;
        add_remark(k->reviewed, e->test, NULL, reason);
    } else if (!strcmp(seen, "named")) {
        k->sums->named++;
    } else if (!strcmp(seen, "watched")) {
        k->sums->watched++;
    } else {
        k->sums->not_seen++;
        error_row(k, e->test,
                  "the case does not call its function: call it, or add calls: {reviewed: why}");
    }
}

/* Reports an execution that did not pass, and returns true. Returns false if it passed, was not
 * applicable, or was not judged. */
static bool report_fault(struct checking *k, const struct pm_assess_execution *e, const char *where)
{
    if (!e || !e->judged || e->judgement.outcome == PM_OUTCOME_PASS ||
        e->judgement.outcome == PM_OUTCOME_NOT_APPLICABLE)
        return false;
    const bool judged = e->judgement.outcome != PM_OUTCOME_HARNESS;
    char *what = pm_format("%s%s%s: %s", where,
                           judged ? pm_outcome_text(e->judgement.outcome) : "cannot be judged",
                           judged ? " on the reference" : "", e->judgement.detail);
    error_row(k, e->test, what);
    free(what);
    return true;
}

/* Reports that the framework lacks a function whose file does not declare it as absent: the name is
 * mistyped, or belongs to another version. Reports this once for all cases of the function. */
static void report_absence(struct checking *k, const struct pm_assess_execution *e)
{
    const struct pm_assess_case *test = e->test;
    if (e->judgement.outcome != PM_OUTCOME_NOT_APPLICABLE ||
        !pm_json_bool(e->result, "absent", false) ||
        json_is_object(json_object_get(test->definition, "absent")) ||
        (k->absent && !strcmp(k->absent, test->function)))
        return;
    k->absent = test->function;
    error_row(k, test, e->judgement.detail);
}

/* Returns the device in the text of a target: "meta" of "pytorch@meta". */
static const char *device_of(const struct checking *k, int target)
{
    return strchr(k->all.targets[target].text, '@') + 1;
}

/* Returns whether a text contains a name as a whole word. */
static bool has_word(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* Returns whether an execution was given or returned arrays that are on the host: its outcome is
 * fallback, or it raised an exception that names both devices. */
static bool is_misplaced(const struct checking *k, const struct pm_assess_execution *e)
{
    const enum pm_outcome outcome = e->judgement.outcome;
    return outcome == PM_OUTCOME_FALLBACK ||
           ((outcome == PM_OUTCOME_FAIL || outcome == PM_OUTCOME_BLOCKED) &&
            has_word(e->judgement.detail, device_of(k, k->reference)) &&
            has_word(e->judgement.detail, device_of(k, k->placement)));
}

/* Reports a case that forgets the device: it passes on the host and is misplaced elsewhere. */
static void check_placement(struct checking *k, const struct pm_assess_case *test)
{
    const struct pm_assess_execution *e =
        k->placement < 0 ? NULL : pm_assess_evidence_find(&k->all, k->placement, test, 0);
    if (!e || !e->judged || !is_misplaced(k, e))
        return;
    char *what =
        pm_format("on %s, %s: create arrays with device=device, or list outputs that belong "
                  "on the host in 'host_outputs'",
                  k->all.targets[k->placement].text, e->judgement.detail);
    error_row(k, test, what);
    free(what);
}

/* Checks a case. A case that expects an exception has no output to mutate. */
static int check_case(struct checking *k, const struct pm_assess_case *test, struct pm_error *err)
{
    const struct pm_assess_execution *e = pm_assess_evidence_find(&k->all, k->reference, test, 0),
                                     *second =
                                         pm_assess_evidence_find(&k->all, k->reference, test, 1);
    if (!e || !e->judged)
        return PM_OK;
    k->sums->cases++;
    report_absence(k, e);
    if (!report_fault(k, e, ""))
        report_fault(k, second, "in a second process: ");
    if (e->judgement.outcome != PM_OUTCOME_PASS)
        return PM_OK;
    check_calls(k, e);
    check_placement(k, test);
    const bool raises = json_is_object(json_object_get(test->definition, "raises"));
    return raises ? PM_OK : mutate_case(k, e, err);
}

/* Returns the index of a target of the run; -1 if `text` is NULL or no target has it. */
static int target_index(const struct checking *k, const char *text)
{
    for (size_t t = 0; text && t < k->all.target_count; t++)
        if ((int)t != k->all.oracle && !strcmp(k->all.targets[t].text, text))
            return (int)t;
    return -1;
}

static int check_cases(struct checking *k, struct pm_error *err)
{
    const bool is_reference =
        k->reference >= 0 && k->all.targets[k->reference].reference == k->reference;
    for (size_t c = 0; c < k->all.case_count && is_reference; c++) {
        PM_TRY(pm_stop_check(err));
        PM_TRY(check_case(k, &k->all.cases[c], err));
    }
    return PM_OK;
}

static int write_check(struct checking *k, enum pm_report_format format, unsigned width,
                       struct pm_error *err)
{
    struct pm_report *report = pm_report_new("Suite check");
    const struct pm_suite_check *s = k->sums;
    char *line = pm_format("%zu of %zu (%.1f %%), cases: %zu", s->detected, s->mutations,
                           s->mutations ? 100.0 * (double)s->detected / (double)s->mutations : 0.0,
                           s->cases);
    pm_report_line(report, "mutations detected", line);
    free(line);
    line = pm_format("cases with a named call: %zu, an observed call: %zu, a reviewed call: %zu, "
                     "no call: %zu",
                     s->named, s->watched, s->reviewed, s->not_seen);
    pm_report_line(report, "calls of the function", line);
    free(line);
    struct pm_table *const tables[] = {k->errors, k->missed, k->by_type, k->reviewed};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (pm_table_rows(tables[i]))
            pm_report_take_table(report, tables[i]);
        else
            pm_table_free(tables[i]);
    const int rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    return rc;
}

static struct pm_table *table_of(const char *name, const char *title, bool of_leaves,
                                 const struct pm_column *what)
{
    struct pm_table *table = pm_table_new(name, title);
    pm_table_columns(table, case_columns, false);
    pm_table_add_columns(table, &leaf_column, of_leaves, false);
    pm_table_add_columns(table, what, 1, false);
    return table;
}

static void make_tables(struct checking *k)
{
    k->missed = table_of("missed", "Mutations not detected", true, &mutation_column);
    k->errors = table_of("errors", "Faulty cases", false, &problem_column);
    k->by_type = table_of("by_type", "Outputs compared by their type only", true, &type_column);
    k->reviewed = table_of("reviewed", "Calls that a person reviewed", false, &review_column);
}

static bool is_checked(const struct checking *k, const char *function)
{
    for (size_t i = 0; i < k->all.case_count; i++)
        if (!strcmp(k->all.cases[i].function, function))
            return true;
    return false;
}

/* Reports functions with too few core cases: their verdict would depend on one call. Reads the
 * files, because a version of the framework may lack some of the cases. */
static int check_kinds(struct checking *k, const struct pm_run_options *options,
                       struct pm_error *err)
{
    struct pm_suite suite;
    struct pm_target target;
    PM_TRY(pm_target_parse(options->targets[0], &target, err));
    int rc = pm_suite_load_default(&suite, target.framework, pm_framework_case_words(),
                                   options->suites, options->suite_count, err);
    pm_target_release(&target);
    PM_TRY(rc);
    for (size_t i = 0; i < suite.function_count; i++) {
        const struct pm_function *f = &suite.functions[i];
        if (!pm_function_lacks_core(f) || !is_checked(k, f->name))
            continue;
        char *what = pm_format("the function has %zu core case%s, and needs %d: add core cases, or "
                               "say why not with 'few_core'",
                               f->core_count, pm_plural(f->core_count), (int)PM_LEAST_CORE);
        add_error(k, f->name, "", what);
        free(what);
    }
    pm_suite_release(&suite);
    return PM_OK;
}

static int check_db(struct checking *k, const char *db, const struct pm_run_options *options,
                    const char *const *targets, int64_t run_id, struct pm_error *err)
{
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    int rc = pm_assess_evidence_load(&k->all, store, run_id, err);
    k->reference = target_index(k, targets[0]);
    k->placement = target_index(k, targets[1]);
    if (!rc)
        rc = check_cases(k, err);
    if (!rc)
        rc = check_kinds(k, options, err);
    pm_assess_evidence_release(&k->all);
    pm_store_free(store);
    return rc;
}

/* Sets targets[0] to the name of `reference` in a database, and targets[1] to the target, in its
 * environment, on which the placement of outputs is checked; NULL if the framework has none. The
 * caller frees both. */
static int find_targets(const char *reference, char **targets, struct pm_error *err)
{
    struct pm_target target, placement = {0};
    PM_TRY(pm_target_parse(reference, &target, err));
    targets[0] = pm_strdup(target.text);
    const char *text = pm_framework_find(target.framework)->placement;
    char *here = text ? pm_format("%s:%s", target.environment, text) : NULL;
    const int rc = here ? pm_target_parse(here, &placement, err) : PM_OK;
    if (!rc && here)
        targets[1] = pm_strdup(placement.text);
    pm_target_release(&placement);
    pm_target_release(&target);
    free(here);
    return rc;
}

int pm_check_suite(const struct pm_run_options *options, enum pm_report_format format,
                   unsigned width, const struct pm_messages *messages, struct pm_suite_check *out,
                   struct pm_error *err)
{
    struct checking k = {.sums = out};
    struct pm_run_options run = *options;
    struct pm_run_result result;
    char *scratch = NULL, *targets[2] = {NULL, NULL};
    *out = (struct pm_suite_check){0};
    int rc = find_targets(options->targets[0], targets, err);
    if (rc || (rc = pm_folder_scratch(&scratch, err))) {
        free(targets[0]);
        free(targets[1]);
        return rc;
    }
    char *db = pm_path_join(scratch, "check.db");
    run.targets = (const char *const *)targets;
    run.target_count = targets[1] ? 2 : 1;
    run.db = db;
    run.outcomes_only = true;
    run.rehearse = true;
    run.keep_values = true;
    make_tables(&k);
    rc = pm_run(&run, messages, &result, err);
    if (rc == PM_ESTOPPED)
        rc = pm_stop_check(err); /* the scratch database is deleted: nothing to resume */
    if (!rc)
        rc = check_db(&k, db, options, run.targets, result.run.run_id, err);
    if (!rc) {
        rc = write_check(&k, format, width, err);
    } else {
        pm_table_free(k.missed);
        pm_table_free(k.errors);
        pm_table_free(k.by_type);
        pm_table_free(k.reviewed);
    }
    (void)!pm_folder_remove(scratch, NULL);
    free(db);
    free(targets[0]);
    free(targets[1]);
    free(scratch);
    return rc;
}
