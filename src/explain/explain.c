/* Finds the newest verdict on a function, and prints what is known of it. */
#include "explain/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "explain/explain_private.h"

/* What is printed. Rows are kept as JSON: nothing of the store outlives its callback. */
struct explaining {
    const struct pm_explain_options *options;
    struct pm_store *store;
    FILE *out;
    struct pm_error *err;
    int64_t seen_run, run_id, target_id, seed; /* run_id 0: not found */
    char started[40];
    json_t *target, *verdict, *judgements;
    int64_t chosen; /* execution of the reproducer; 0: none */
    struct pm_explain__failure failure;
};

/* ---- finding it ------------------------------------------------------------------------------ */

static int see_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct explaining *x = ctx;
    if (row->target_id != x->target_id || strcmp(row->function, x->options->function))
        return PM_OK;
    json_decref(x->verdict);
    x->verdict = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "verdict",
                           pm_verdict_text(row->verdict), "detail", row->detail, "why", row->why,
                           "rule", row->rule, "counted", (json_int_t)row->counted, "passed",
                           (json_int_t)row->passed, "flaky", (json_int_t)row->flaky);
    x->run_id = row->run_id;
    return PM_OK;
}

static int see_target(void *ctx, const struct pm_target_row *row)
{
    struct explaining *x = ctx;
    const bool other = strcmp(row->text, x->options->target) != 0;
    if (other || row->role == PM_ROLE_NOISE || row->role == PM_ROLE_ORACLE)
        return PM_OK;
    const int64_t before = x->run_id;
    x->target_id = row->id;
    PM_TRY(pm_store_verdicts(x->store, x->seen_run, see_verdict, x, x->err));
    if (x->run_id != x->seen_run || before == x->run_id)
        return PM_OK;
    json_decref(x->target);
    x->target = json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", (json_int_t)row->id,
                          "environment", row->environment, "framework", row->framework, "device",
                          row->device, "mode", row->mode, "version", row->version, "evidence",
                          pm_evidence_text(row->evidence), "device_name", row->device_name);
    return PM_OK;
}

static int see_run(void *ctx, const struct pm_run_row *row)
{
    struct explaining *x = ctx;
    if (x->options->run_id && x->options->run_id != row->id)
        return PM_OK;
    x->seen_run = row->id;
    PM_TRY(pm_store_targets(x->store, row->id, see_target, x, x->err));
    if (x->run_id == row->id) {
        x->seed = row->seed;
        snprintf(x->started, sizeof x->started, "%s", row->started);
    }
    return PM_OK;
}

/* ---- its executions -------------------------------------------------------------------------- */

static int see_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct explaining *x = ctx;
    if (row->target_id != pm_json_int(x->target, "id", 0) || !row->counts ||
        strcmp(row->function, x->options->function))
        return PM_OK;
    json_array_append_new(
        x->judgements, json_pack("{s:I, s:s, s:I, s:i, s:i, s:s, s:s, s:s, s:b, s:b}", "execution",
                                 (json_int_t)row->execution_id, "name", row->name, "repetition",
                                 (json_int_t)row->repetition, "outcome", row->outcome, "stage",
                                 row->stage, "detail", row->detail, "why", row->why, "rule",
                                 row->rule, "counted", row->case_counts, "raises", row->raises));
    return PM_OK;
}

/* How well an execution shows why the verdict is what it is. */
static int weight(const struct explaining *x, const json_t *judgement)
{
    const enum pm_outcome outcome = (enum pm_outcome)pm_json_int(judgement, "outcome", 0);
    const bool same =
        !strcmp(pm_json_string(judgement, "why", ""), pm_json_string(x->verdict, "why", ""));
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
    f->mode = pm_json_string(x->target, "mode", "");
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

/* ---- printing -------------------------------------------------------------------------------- */

static void print_verdict(const struct explaining *x)
{
    const char *why = pm_json_string(x->verdict, "why", "");
    const char *rule = pm_json_string(x->verdict, "rule", "");
    pm_line_print(x->out, "%s on %s", x->options->function, x->options->target);
    pm_line_print(x->out, "run         %lld, started %s", (long long)x->run_id, x->started);
    pm_line_print(x->out, "framework   %s %s%s%s", pm_json_string(x->target, "framework", ""),
                  pm_json_string(x->target, "version", ""),
                  *pm_json_string(x->target, "device_name", "") ? " on " : "",
                  pm_json_string(x->target, "device_name", ""));
    pm_line_print(x->out, "evidence    %s", pm_json_string(x->target, "evidence", ""));
    pm_line_print(x->out, "verdict     %s: %lld of %lld counted cases pass",
                  pm_json_string(x->verdict, "verdict", ""),
                  (long long)pm_json_int(x->verdict, "passed", 0),
                  (long long)pm_json_int(x->verdict, "counted", 0));
    if (*why)
        pm_line_print(x->out, "reason      %s (%s%s)", why, *rule ? "by " : "no rule matches",
                      *rule ? rule : "");
    if (*pm_json_string(x->verdict, "detail", ""))
        pm_line_print(x->out, "message     %s", pm_json_string(x->verdict, "detail", ""));
}

/* The executions of one outcome, with one message: their cases share a line. */
static bool alike(const json_t *a, const json_t *b)
{
    return pm_json_int(a, "outcome", 0) == pm_json_int(b, "outcome", 0) &&
           pm_json_int(a, "stage", 0) == pm_json_int(b, "stage", 0) &&
           !strcmp(pm_json_string(a, "detail", ""), pm_json_string(b, "detail", "")) &&
           !strcmp(pm_json_string(a, "why", ""), pm_json_string(b, "why", ""));
}

/* The cases from the i-th execution on that are like it, each once; the caller frees. */
static char *names_of(const struct explaining *x, size_t i)
{
    struct pm_str names = PM_STR_INIT;
    const char *last = "";
    for (size_t j = i; j < json_array_size(x->judgements); j++) {
        const json_t *judgement = json_array_get(x->judgements, j);
        const char *name = pm_json_string(judgement, "name", "");
        if (!alike(judgement, json_array_get(x->judgements, i)) || !strcmp(name, last))
            continue;
        pm_str_addf(&names, "%s%s%s", names.length ? ", " : "", name,
                    pm_json_bool(judgement, "counted", false) ? "" : " (not counted)");
        last = name;
    }
    return pm_str_detach(&names);
}

static void print_case(const struct explaining *x, size_t i)
{
    const json_t *judgement = json_array_get(x->judgements, i);
    const enum pm_outcome outcome = (enum pm_outcome)pm_json_int(judgement, "outcome", 0);
    const enum pm_stage stage = (enum pm_stage)pm_json_int(judgement, "stage", 0);
    const char *why = pm_json_string(judgement, "why", ""),
               *rule = pm_json_string(judgement, "rule", ""),
               *detail = pm_json_string(judgement, "detail", "");
    char *names = names_of(x, i);
    pm_line_print(x->out, "  %-14s %s", pm_outcome_text(outcome), names);
    free(names);
    if (*detail)
        pm_line_print(x->out, "                 %s%s%s", pm_stage_text(stage), stage ? ": " : "",
                      detail);
    if (*why)
        pm_line_print(x->out, "                 %s%s%s", why, *rule ? ", by " : "", rule);
}

static void print_cases(const struct explaining *x)
{
    pm_line_print(x->out, "%s", "cases");
    for (size_t i = 0; i < json_array_size(x->judgements); i++) {
        size_t j = 0;
        while (!alike(json_array_get(x->judgements, j), json_array_get(x->judgements, i)))
            j++;
        if (j == i)
            print_case(x, i);
    }
}

static int print_statistic(void *ctx, const struct pm_statistic_row *row)
{
    const struct explaining *x = ctx;
    if (row->target_id != pm_json_int(x->target, "id", 0) || row->scope != PM_SCOPE_FUNCTION ||
        row->what != PM_STATISTIC_LATENCY || strcmp(row->function, x->options->function) ||
        isnan(row->value))
        return PM_OK;
    pm_line_print(x->out, "latency     %s, %s inputs: %.3f ms (%lld process%s)",
                  pm_clock_text(row->clock), pm_size_text(row->size), row->value / 1e6,
                  (long long)row->processes, row->processes == 1 ? "" : "es");
    return PM_OK;
}

/* ---- the first call ---------------------------------------------------------------------------
 */

/* The first calls of one function on one target. */
struct calls {
    const char *function;
    int64_t target_id;
    struct pm_first_call_row *first; /* of processes that ran nothing before; names are owned */
    size_t count, capacity;
    int64_t recompilations, recompiling; /* in warm samples; executions that have any */
    int64_t memory;                      /* the largest peak; -1: not known */
};

static int see_first_call(void *ctx, const struct pm_first_call_row *row)
{
    struct calls *calls = ctx;
    if (row->target_id != calls->target_id || strcmp(row->function, calls->function))
        return PM_OK;
    if (row->device_memory > calls->memory)
        calls->memory = row->device_memory;
    if (row->recompilations > 0) {
        calls->recompiling++;
        calls->recompilations += row->recompilations;
    }
    if (row->shared || row->cold_ns < 0)
        return PM_OK;
    PM_GROW(calls->first, calls->count, calls->capacity);
    calls->first[calls->count] = *row;
    calls->first[calls->count++].name = pm_strdup(row->name);
    return PM_OK;
}

static int by_time(const void *left, const void *right)
{
    const struct pm_first_call_row *a = left, *b = right;
    return (a->cold_ns > b->cold_ns) - (a->cold_ns < b->cold_ns);
}

/* "tracing 1.250 ms, compiling 30.000 ms, and 4.100 ms for lowering and running together"; empty
 * where the framework tells nothing, or only of parts that took no time. The caller frees. */
static char *parts_of(const struct pm_first_call_row *row)
{
    const struct {
        const char *name;
        int64_t ns;
    } parts[] = {{"tracing", row->tracing_ns},
                 {"lowering", row->lowering_ns},
                 {"compiling", row->compiling_ns}};
    struct pm_str reported = PM_STR_INIT, rest = PM_STR_INIT;
    int64_t left = row->cold_ns;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].ns < 0)
            pm_str_addf(&rest, "%s%s", rest.length ? ", " : "", parts[i].name);
        else
            pm_str_addf(&reported, "%s %.3f ms, ", parts[i].name, (double)parts[i].ns / 1e6);
        left -= parts[i].ns > 0 ? parts[i].ns : 0;
    }
    if (left == row->cold_ns)
        pm_str_clear(&reported);
    else if (rest.length)
        pm_str_addf(&reported, "and %.3f ms for %s and running together", (double)left / 1e6,
                    rest.data);
    else
        pm_str_addf(&reported, "running %.3f ms", (double)left / 1e6);
    pm_str_release(&rest);
    return pm_str_detach(&reported);
}

/* Of the process with the median time, so that the parts add up. */
static void print_parts(const struct calls *calls, FILE *out)
{
    const struct pm_first_call_row *row = &calls->first[(calls->count - 1) / 2];
    char *parts = parts_of(row);
    if (*parts) {
        pm_line_print(out, "first call  %.3f ms (median of %zu process%s, in case '%s'): %s",
                      (double)row->cold_ns / 1e6, calls->count, calls->count == 1 ? "" : "es",
                      row->name, parts);
        if (row->compilations >= 0)
            pm_line_print(out, "            %lld compilation%s", (long long)row->compilations,
                          row->compilations == 1 ? "" : "s");
    }
    free(parts);
}

static void print_calls(struct calls *calls, FILE *out)
{
    if (calls->count) {
        qsort(calls->first, calls->count, sizeof *calls->first, by_time);
        print_parts(calls, out);
    }
    if (calls->recompilations)
        pm_line_print(out,
                      "recompiles  %lld compilation%s during the warm calls of %lld execution%s",
                      (long long)calls->recompilations, calls->recompilations == 1 ? "" : "s",
                      (long long)calls->recompiling, calls->recompiling == 1 ? "" : "s");
    if (calls->memory >= 0)
        pm_line_print(out, "memory      peak of the first call on the device: %.3f MiB at most",
                      (double)calls->memory / (1 << 20));
}

static int print_first_calls(struct pm_store *store, int64_t run_id, int64_t target_id,
                             const char *function, FILE *out, struct pm_error *err)
{
    struct calls calls = {.function = function, .target_id = target_id, .memory = -1};
    const int rc = pm_store_first_calls(store, run_id, see_first_call, &calls, err);
    if (!rc)
        print_calls(&calls, out);
    for (size_t i = 0; i < calls.count; i++)
        free((char *)(uintptr_t)calls.first[i].name);
    free(calls.first);
    return rc;
}

/* ---- the reproducer ---------------------------------------------------------------------------
 */

static void print_script(const struct explaining *x, const struct pm_explain__reproducer *r)
{
    pm_line_print(x->out, "reproducer  %s", r->remark ? r->remark : "none");
    if (x->options->script && r->text) {
        pm_line_print(x->out, "            python %s", x->options->script);
        return;
    }
    for (const char *line = r->text; line && *line;) {
        const int length = (int)strcspn(line, "\n");
        pm_line_print(x->out, "    %.*s", length, line);
        line += length + (line[length] == '\n');
    }
    if (r->needs_file)
        pm_line_print(x->out, "%s",
                      "            --output FILE writes it, and its values beside it");
}

static int print_reproducer(struct explaining *x)
{
    struct pm_explain__reproducer reproducer;
    if (!x->chosen && x->options->name)
        return pm_error_set(x->err, PM_EUSAGE,
                            "no case '%s' of the function fails: use a name that is printed above",
                            x->options->name);
    if (!x->chosen)
        return PM_OK;
    const int rc = pm_explain__reproduce(&x->failure, x->options, &reproducer, x->err);
    if (!rc)
        print_script(x, &reproducer);
    pm_explain__reproducer_release(&reproducer);
    return rc;
}

static int print_all(struct explaining *x)
{
    print_verdict(x);
    PM_TRY(pm_store_judgements(x->store, x->run_id, see_judgement, x, x->err));
    print_cases(x);
    PM_TRY(pm_store_statistics(x->store, x->run_id, PM_SCOPE_FUNCTION, print_statistic, x, x->err));
    PM_TRY(print_first_calls(x->store, x->run_id, pm_json_int(x->target, "id", 0),
                             x->options->function, x->out, x->err));
    PM_TRY(load_failure(x));
    PM_TRY(print_reproducer(x));
    pm_line_print(x->out, "again       portmeter run --target %s --function '%s'",
                  x->options->target, x->options->function);
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
    pm_store_free(x->store);
}

int pm_explain(const struct pm_explain_options *options, FILE *out, struct pm_error *err)
{
    struct explaining x = {.options = options, .out = out, .err = err};
    x.judgements = json_array();
    int rc = pm_store_expect(options->db, err);
    if (!rc)
        rc = pm_store_open(&x.store, options->db, PM_STORE_READ, err);
    if (!rc)
        rc = pm_store_runs(x.store, see_run, &x, err);
    if (!rc && !x.run_id)
        rc =
            pm_error_set(err, PM_EUSAGE,
                         "no run has a verdict on '%s' on %s: portmeter report lists the functions",
                         options->function, options->target);
    if (!rc)
        rc = print_all(&x);
    explaining_release(&x);
    return rc;
}
