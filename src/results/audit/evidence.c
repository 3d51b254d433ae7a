/* Reads the measured cases of a target, with the arguments of their calls. */
#include "audit/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "inventory/stored.h"
#include "reading/reading.h"
#include "store/executions.h"

PM_WORDS_DEFINE(audit_status, PM_AUDIT_STATUSES, PM_AUDIT);

/* ---- cases ----------------------------------------------------------------------------------- */

/* Adds the calls of a name in a text, regardless of what precedes the name: `x.sort()` may be a
 * call of torch.Tensor.sort. */
static void add_calls(struct pm_audit_case *c, const char *bare, const char *code)
{
    struct pm_audit_text text;
    const size_t length = strlen(code), word = strlen(bare);
    unsigned char *bytes = pm_alloc(length + PM_PYLEX_PADDING);
    memcpy(bytes, code, length);
    pm_audit_text_init(&text, bytes, length);
    for (size_t i = 0; i < text.tokens.count; i++) {
        struct pm_audit_call call;
        if (text.tokens.end[i] - text.tokens.start[i] != word ||
            memcmp(bytes + text.tokens.start[i], bare, word) != 0)
            continue;
        pm_audit_call_read(&text, i, &call);
        if (call.is_call && call.closed) {
            PM_GROW(c->calls, c->call_count, c->call_capacity);
            c->calls[c->call_count++] = call;
        } else {
            pm_audit_call_release(&call);
        }
    }
    pm_audit_text_release(&text);
    free(bytes);
}

struct pm_audit_case *pm_audit_function_add(struct pm_audit_function *function, const char *name,
                                            const char *setup, const char *call)
{
    PM_GROW(function->cases, function->count, function->capacity);
    struct pm_audit_case *c = &function->cases[function->count++];
    *c = (struct pm_audit_case){.name = pm_strdup(name), .text = pm_strdup(call)};
    const char *bare = pm_inventory_bare_name(function->name);
    add_calls(c, bare, call);
    if (setup && !c->call_count)
        add_calls(c, bare, setup);
    return c;
}

static void function_free(struct pm_audit_function *function)
{
    for (size_t i = 0; i < function->count; i++) {
        struct pm_audit_case *c = &function->cases[i];
        for (size_t k = 0; k < c->call_count; k++)
            pm_audit_call_release(&c->calls[k]);
        free(c->calls);
        free(c->name);
        free(c->text);
        free(c->dtype);
        free(c->reason);
        free(c->detail);
    }
    free(function->cases);
    free(function->dtype_keyword);
    free(function->name);
    free(function);
}

/* ---- loading --------------------------------------------------------------------------------- */

struct loading {
    struct pm_audit_evidence *evidence;
    const struct pm_inventory *inventory;
    int64_t run_id;
    uintptr_t turn;      /* number of the run among those that were read; the first is 1 */
    struct pm_map cases; /* cases of the target by id: struct pm_reading_case * */
    struct pm_map known; /* by function and case name: turn of the first run with the case */
    struct pm_error *err;
};

struct pm_audit_function *pm_audit_evidence_add(struct pm_audit_evidence *evidence,
                                                const struct pm_inventory *inventory,
                                                const char *name)
{
    const char *counted = pm_inventory_counted(inventory, name);
    struct pm_audit_function *function = pm_map_get(&evidence->by_name, counted);
    if (function)
        return function;
    function = pm_alloc(sizeof *function);
    function->name = pm_strdup(name);
    PM_GROW(evidence->functions, evidence->count, evidence->capacity);
    evidence->functions[evidence->count++] = function;
    pm_map_put(&evidence->by_name, counted, function);
    return function;
}

/* Returns whether a case is evidence: a counted case that passes or fails. A case that must raise
 * an exception shows nothing about a program that works. */
static bool is_evidence(const struct pm_reading_case *c)
{
    return c->counts && !c->raises && c->passed + c->failed > 0;
}

/* Returns whether a run that was read before has a case with this name. If no run has it yet, notes
 * that this run has it. */
static bool is_known(struct loading *l, const struct pm_execution_row *row)
{
    char *key = pm_format("%s\n%s", row->function, row->name);
    const uintptr_t turn = (uintptr_t)pm_map_get(&l->known, key);
    if (!turn)
        pm_map_put(&l->known, key, (void *)l->turn);
    free(key);
    return turn && turn != l->turn;
}

static int take_execution(void *ctx, const struct pm_execution_row *row)
{
    struct loading *l = ctx;
    char key[24];
    snprintf(key, sizeof key, "%lld", (long long)row->case_id);
    const struct pm_reading_case *judged = pm_map_get(&l->cases, key);
    if (!judged || is_known(l, row))
        return PM_OK;
    pm_map_put(&l->cases, key, NULL); /* its other executions would add the same case */
    json_t *definition = NULL;
    PM_TRY(pm_json_parse(row->definition, strlen(row->definition), &definition, l->err));
    struct pm_audit_function *function =
        pm_audit_evidence_add(l->evidence, l->inventory, row->function);
    struct pm_audit_case *c =
        pm_audit_function_add(function, row->name, pm_json_string(definition, "setup", NULL),
                              pm_json_string(definition, "call", ""));
    json_decref(definition);
    c->dtype = pm_strdup(row->dtype);
    c->kind = row->kind;
    c->tier = judged->tier;
    c->run_id = l->run_id;
    c->passes = !pm_reading_fails(judged);
    c->reason = pm_strdup(judged->reason);
    c->detail = pm_strdup(judged->detail);
    l->evidence->case_count++;
    return PM_OK;
}

/* Returns the index of a target among those that reports show; -1 if it is not shown. */
static int find_target(const struct pm_reading *r, const char *text)
{
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        if (strcmp(t->text, text) == 0 && !pm_reading_is_oracle(t) && !pm_reading_is_noise(t))
            return (int)i;
    }
    return -1;
}

static int load_cases(struct loading *l, struct pm_store *store, const struct pm_reading *r,
                      int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    l->run_id = r->runs[t->run].id;
    l->turn++;
    for (size_t i = 0; i < r->case_list.count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)r->cases[i].id);
        if (r->cases[i].target == target && is_evidence(&r->cases[i]))
            pm_map_put(&l->cases, key, &r->cases[i]);
    }
    const int rc = pm_store_executions(store, l->run_id, t->id, take_execution, l, l->err);
    pm_map_release(&l->cases);
    l->cases = (struct pm_map){0};
    return rc;
}

static void note_run(struct pm_audit_evidence *evidence, const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    const struct pm_reading_run *run = &r->runs[t->run];
    free(evidence->version);
    free(evidence->device_name);
    free(evidence->started);
    evidence->version = pm_strdup(t->version);
    evidence->device_name = pm_strdup(t->device_name);
    evidence->started = pm_strdup(run->started);
    evidence->run_id = run->id;
    evidence->kind = t->evidence;
    evidence->valid = run->validity == PM_VALIDITY_VALID;
}

/* Adds those cases of an older run that no newer run has. */
static int load_older(struct loading *l, struct pm_store *store, const char *db, int64_t run_id)
{
    struct pm_reading reading = {0};
    const size_t before = l->evidence->case_count;
    int rc = pm_reading_load(&reading, store, db, run_id, l->err);
    const int index = rc ? -1 : find_target(&reading, l->evidence->target);
    if (index >= 0)
        rc = load_cases(l, store, &reading, index);
    l->evidence->older_runs += l->evidence->case_count > before;
    pm_reading_release(&reading);
    return rc;
}

/* Adds the cases of older runs, the newest run first. Runs with another version of the framework
 * are ignored. */
static int load_others(struct loading *l, struct pm_store *store, const char *db,
                       const struct pm_reading *r)
{
    const size_t first = r->target_list.count, end = first + r->hidden_targets + r->other_targets;
    int rc = PM_OK;
    for (size_t run = r->run_list.count; run-- > 0 && !rc;)
        for (size_t i = first; i < end && !rc; i++) {
            const struct pm_reading_target *t = &r->targets[i];
            if (t->run == run && t->judged && !strcmp(t->text, l->evidence->target) &&
                !strcmp(t->version, l->evidence->version) && !pm_reading_is_noise(t) &&
                !pm_reading_is_oracle(t) && r->runs[run].validity == PM_VALIDITY_VALID)
                rc = load_older(l, store, db, r->runs[run].id);
        }
    return rc;
}

/* Loads the cases of the first database that measured the target, with those of its older runs. */
static int load_main(struct loading *l, const struct pm_audit_source *from,
                     const struct pm_reading *r, int target)
{
    note_run(l->evidence, r, target);
    PM_TRY(load_cases(l, from->store, r, target));
    return l->evidence->valid ? load_others(l, from->store, from->db, r) : PM_OK;
}

/* Adds those cases of the run that reports show in a further database which are not known yet. An
 * invalid run, and one with another version of the framework, is ignored. */
static int load_further(struct loading *l, const struct pm_audit_source *from,
                        const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    const size_t before = l->evidence->case_count;
    if (!l->evidence->valid || r->runs[t->run].validity != PM_VALIDITY_VALID ||
        strcmp(t->version, l->evidence->version) != 0)
        return PM_OK;
    PM_TRY(load_cases(l, from->store, r, target));
    l->evidence->further_cases += l->evidence->case_count - before;
    return PM_OK;
}

static int load_source(struct loading *l, const struct pm_audit_source *from)
{
    struct pm_reading reading = {0};
    bool any = false;
    int rc = pm_reading_any_run(from->store, &any, l->err);
    if (!rc && any)
        rc = pm_reading_load(&reading, from->store, from->db, 0, l->err);
    const int index = rc || !any ? -1 : find_target(&reading, l->evidence->target);
    if (index >= 0)
        rc = l->evidence->run_id ? load_further(l, from, &reading, index)
                                 : load_main(l, from, &reading, index);
    pm_reading_release(&reading);
    return rc;
}

int pm_audit_evidence_load(struct pm_audit_evidence *evidence,
                           const struct pm_audit_source *sources, size_t count, const char *target,
                           const struct pm_inventory *inventory, struct pm_error *err)
{
    struct loading l = {.evidence = evidence, .inventory = inventory, .err = err};
    int rc = PM_OK;
    *evidence = (struct pm_audit_evidence){.target = pm_strdup(target),
                                           .version = pm_strdup(""),
                                           .device_name = pm_strdup(""),
                                           .started = pm_strdup("")};
    for (size_t i = 0; i < count && !rc; i++)
        rc = load_source(&l, &sources[i]);
    for (size_t i = 0; i < evidence->count; i++)
        pm_audit_function_complete(evidence->functions[i]);
    pm_map_release(&l.known);
    return rc;
}

void pm_audit_evidence_release(struct pm_audit_evidence *evidence)
{
    for (size_t i = 0; i < evidence->count; i++)
        function_free(evidence->functions[i]);
    free(evidence->functions);
    pm_map_release(&evidence->by_name);
    free(evidence->target);
    free(evidence->version);
    free(evidence->device_name);
    free(evidence->started);
    *evidence = (struct pm_audit_evidence){0};
}

const struct pm_audit_function *pm_audit_evidence_of(const struct pm_audit_evidence *evidence,
                                                     const char *function)
{
    return pm_map_get(&evidence->by_name, function);
}
