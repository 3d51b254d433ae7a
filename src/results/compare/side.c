/* Reads a side of a comparison. */
#include "compare/side.h"

#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "base/nearest.h"
#include "base/privacy.h"
#include "judge/reasons.h"
#include "reading/reading.h"
#include "store/executions.h"
#include "store/timings.h"

/* ---- names ---- */

static int take_run(struct pm_side_name *out, const char *text, struct pm_error *err)
{
    long long number;
    if (!pm_parse_int(text, &number) || number < 1)
        return pm_error_set(
            err, PM_EUSAGE,
            "'run:%s' has no valid run number: write run:N with a number that portmeter runs lists",
            text);
    out->run = number;
    return PM_OK;
}

/* Parses a part of a side. The parts have an order: file 1, run 2, target 3. */
static int take_part(struct pm_side_name *out, const char *part, int *last, struct pm_error *err)
{
    const bool is_run = pm_starts_with(part, "run:");
    const bool is_target = strchr(part, '@') && !strchr(part, '/');
    const int place = is_run ? 2 : is_target ? 3 : 1;
    if (!*part)
        return pm_error_set(err, PM_EUSAGE,
                            "a part of a side of a comparison is empty: write "
                            "[FILE#][run:N#][TARGET]");
    if (place <= *last)
        return pm_error_set(
            err, PM_EUSAGE,
            "'%s' is at the wrong place in a side of a comparison: write [FILE#][run:N#][TARGET]",
            part);
    *last = place;
    if (is_run)
        return take_run(out, part + strlen("run:"), err);
    *(is_target ? &out->target : &out->db) = pm_strdup(part);
    return PM_OK;
}

int pm_side_parse(const char *text, struct pm_side_name *out, struct pm_error *err)
{
    char *copy = pm_strdup(text), *rest = copy;
    int last = 0, rc = PM_OK;
    *out = (struct pm_side_name){0};
    for (char *part; !rc && (part = strsep(&rest, "#"));)
        rc = take_part(out, part, &last, err);
    free(copy);
    if (rc)
        pm_side_name_release(out);
    return rc;
}

void pm_side_name_release(struct pm_side_name *name)
{
    free(name->db);
    free(name->target);
    *name = (struct pm_side_name){0};
}

/* ---- the target of a side ---- */

static int read_all(struct pm_side *side, struct pm_error *err)
{
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, side->db, PM_STORE_READ, err));
    const int rc = pm_reading_load(&side->r, store, side->db, side->name.run, err);
    pm_store_free(store);
    return rc;
}

int pm_side_open(struct pm_side *side, const char *text, const char *db, struct pm_error *err)
{
    *side = (struct pm_side){.target = -1};
    PM_TRY(pm_side_parse(text, &side->name, err));
    side->db = side->name.db ? side->name.db : db;
    return read_all(side, err);
}

static bool is_subject(const struct pm_reading_target *t)
{
    return t->role == PM_ROLE_SUBJECT;
}

static int find_target(const struct pm_side *side, const char *text)
{
    for (size_t i = 0; text && i < side->r.target_list.count; i++)
        if (!strcmp(side->r.targets[i].text, text) && !pm_reading_is_oracle(&side->r.targets[i]))
            return (int)i;
    return -1;
}

/* Returns the only subject or, if there is no subject, the only reference; -1 if there is not
 * exactly one. */
static int only_target(const struct pm_side *side)
{
    int found = -1;
    size_t subjects = 0, references = 0;
    for (size_t i = 0; i < side->r.target_list.count; i++) {
        const struct pm_reading_target *t = &side->r.targets[i];
        subjects += is_subject(t);
        references += pm_reading_is_reference(t);
        if (is_subject(t) || (!subjects && pm_reading_is_reference(t)))
            found = (int)i;
    }
    return subjects == 1 || (!subjects && references == 1) ? found : -1;
}

static int no_target(const struct pm_side *side, struct pm_error *err)
{
    struct pm_str words = PM_STR_INIT;
    const char **known = pm_alloc((side->r.target_list.count + 1) * sizeof *known);
    const char *want = side->name.target;
    size_t count = 0;
    pm_str_add(&words, "name one of ");
    for (size_t i = 0; i < side->r.target_list.count; i++)
        if (!pm_reading_is_oracle(&side->r.targets[i])) {
            known[count] = side->r.targets[i].text;
            pm_str_addf(&words, "%s%s", count ? ", " : "", known[count]);
            count++;
        }
    const int rc =
        want ? pm_nearest_error(err, PM_EUSAGE, want, known, count, words.data,
                                "'%s' has no target '%s'", side->db, want)
             : pm_error_set(err, PM_EUSAGE, "'%s' has several targets: %s", side->db, words.data);
    free(known);
    pm_str_release(&words);
    return rc;
}

int pm_side_choose(struct pm_side *side, const struct pm_side *other, struct pm_error *err)
{
    const int only = only_target(other);
    const char *theirs = other->name.target ? other->name.target
                         : only >= 0        ? other->r.targets[only].text
                                            : NULL;
    if (side->name.target)
        side->target = find_target(side, side->name.target);
    else if ((side->target = find_target(side, theirs)) < 0)
        side->target = only_target(side);
    return side->target < 0 ? no_target(side, err) : PM_OK;
}

static const struct pm_reading_target *target_of(const struct pm_side *side)
{
    return &side->r.targets[side->target];
}

static const struct pm_reading_run *run_of(const struct pm_side *side)
{
    return &side->r.runs[target_of(side)->run];
}

/* ---- what is compared ---- */

struct loading {
    struct pm_side *side;
    struct pm_map case_by_key, case_by_execution; /* index + 1 */
};

static void add_functions(struct pm_side *side)
{
    struct pm_changes_side *c = &side->compared;
    for (size_t i = 0; i < side->r.verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &side->r.verdicts[i];
        if (v->target != side->target)
            continue;
        PM_GROW(c->functions, c->function_count, c->function_capacity);
        c->functions[c->function_count++] = (struct pm_changes_function){
            .name = v->function, .detail = v->detail, .reason = v->reason, .verdict = v->verdict};
    }
}

static char *key_of(const char *function, const char *name)
{
    return pm_reading_case_key(0, function, name);
}

/* Returns the loss that corresponds to the outcome of a case; NONE for other outcomes, and if `c`
 * is NULL. */
static enum pm_loss loss_of_outcome(const struct pm_reading_case *c)
{
    switch (c ? c->outcome : PM_OUTCOME_PASS) {
    case PM_OUTCOME_BLOCKED:
        return PM_LOSS_BLOCKED;
    case PM_OUTCOME_HARNESS:
        return PM_LOSS_HARNESS;
    case PM_OUTCOME_NOT_APPLICABLE:
        return PM_LOSS_NOT_APPLICABLE;
    default:
        return PM_LOSS_NONE;
    }
}

/* Returns why a case is not counted: because of the case itself, or of the same case on the
 * reference. */
static enum pm_loss why_not_counted(const struct pm_reading *r, const struct pm_reading_case *c)
{
    const enum pm_loss loss = loss_of_outcome(c);
    if (c->raises)
        return PM_LOSS_RAISES;
    if (pm_reading_is_excluded(r, c))
        return PM_LOSS_REFERENCE;
    if (loss != PM_LOSS_NONE)
        return loss;
    const enum pm_loss of_reference = loss_of_outcome(pm_reading_reference(r, c));
    return of_reference != PM_LOSS_NONE ? of_reference : PM_LOSS_NOT_RUN;
}

/* Returns the case whose message explains a failure. If a case is not counted and has no message of
 * its own, this is the case on the reference. */
static const struct pm_reading_case *explaining(const struct pm_reading *r,
                                                const struct pm_reading_case *c)
{
    const struct pm_reading_case *reference = pm_reading_reference(r, c);
    return !c->counts && !*c->detail && reference ? reference : c;
}

static void add_cases(struct loading *l)
{
    const struct pm_reading *r = &l->side->r;
    struct pm_changes_side *c = &l->side->compared;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *from = &r->cases[i];
        if (from->target != l->side->target)
            continue;
        const bool counts = from->counts && from->passed + from->failed > 0;
        const struct pm_reading_case *why = explaining(r, from);
        PM_GROW(c->cases, c->case_count, c->case_capacity);
        c->cases[c->case_count++] = (struct pm_changes_case){
            .function = from->function,
            .name = from->name,
            .definition = "",
            .detail = why->detail,
            .reason = why->reason,
            .outcome = from->outcome,
            .core = from->kind == PM_CASE_KIND_CORE,
            .counts = counts,
            .why_not = counts ? PM_LOSS_NONE : why_not_counted(r, from),
            .passes = from->passed && !from->failed && !from->blocked,
            .not_possible = !strcmp(from->reason, pm_reason_text(PM_REASON_NOT_POSSIBLE)),
        };
        char *key = key_of(from->function, from->name);
        pm_map_put(&l->case_by_key, key, (void *)(uintptr_t)c->case_count);
        free(key);
    }
}

/* Notes the definition of a case, and which case an execution belongs to, so that its times are
 * kept. Retries are ignored, because they run beside other processes. */
static int keep_execution(void *ctx, const struct pm_execution_row *row)
{
    struct loading *l = ctx;
    if (row->repetition >= l->side->compared.repetitions)
        l->side->compared.repetitions = row->repetition + 1;
    if (row->state != PM_EXECUTION_DONE || row->retry != PM_RETRY_NONE)
        return PM_OK;
    char *key = key_of(row->function, row->name);
    void *index = pm_map_get(&l->case_by_key, key);
    free(key);
    if (!index)
        return PM_OK;
    struct pm_changes_case *c = &l->side->compared.cases[(uintptr_t)index - 1];
    if (!*c->definition)
        c->definition = pm_reading_keep(&l->side->r, row->definition);
    c->host_only = row->host_only;
    c->size = row->size;
    char *id = pm_format("%lld", (long long)row->id);
    pm_map_put(&l->case_by_execution, id, index);
    free(id);
    return PM_OK;
}

static int keep_timing(void *ctx, const struct pm_timing_row *row)
{
    const struct loading *l = ctx;
    char *id = pm_format("%lld", (long long)row->execution_id);
    const uintptr_t index = (uintptr_t)pm_map_get(&l->case_by_execution, id);
    free(id);
    if (!index || !row->count)
        return PM_OK;
    struct pm_changes_case *c = &l->side->compared.cases[index - 1];
    double *values = pm_alloc(row->count * sizeof *values);
    const size_t count = pm_timing_values(row, values);
    c->compiles = c->compiles || !count;
    PM_GROW(c->processes, c->count, c->capacity);
    if (count)
        c->processes[c->count++] =
            (struct pm_changes_process){row->repetition, log(pm_stat_median(values, count))};
    free(values);
    return PM_OK;
}

static int load_times(struct loading *l, struct pm_error *err)
{
    const struct pm_reading_run *run = run_of(l->side);
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, l->side->db, PM_STORE_READ, err));
    int rc = pm_store_executions(store, run->id, target_of(l->side)->id, keep_execution, l, err);
    if (!rc && run->latency_validity != PM_VALIDITY_INVALID)
        rc = pm_store_timings(store, run->id, PM_CLOCK_WARM, keep_timing, l, err);
    for (size_t i = 0; i < l->side->compared.case_count; i++)
        if (l->side->compared.cases[i].compiles)
            l->side->compared.cases[i].count = 0;
    pm_store_free(store);
    return rc;
}

static double floor_of(const struct pm_side *side)
{
    const int reference = pm_reading_is_reference(target_of(side))
                              ? side->target
                              : pm_reading_reference_index(&side->r, side->target);
    const struct pm_reading_statistic *noise =
        reference < 0 ? NULL : pm_reading_noise(&side->r, reference);
    return noise ? noise->value : NAN;
}

static const char *processor_of(const struct pm_reading_run *run)
{
    return run->attempt_count ? pm_json_string(run->attempts[0].machine, "processor", "") : "";
}

static void add_options(struct pm_str *out, const json_t *options, const char *key,
                        const char *option)
{
    const json_t *values = json_object_get(options, key);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (!value || strchr(value, '\''))
            continue;
        const bool at_home = pm_starts_with(value, "~/"); /* must be outside quotes in the shell */
        pm_str_addf(out, " %s %s'%s'", option, at_home ? "~/" : "", value + (at_home ? 2 : 0));
    }
}

/* Returns the options of a run that select its cases, so that a new run can select the same
 * cases. */
static const char *selection_of(struct pm_side *side, const struct pm_reading_run *run)
{
    struct pm_str out = PM_STR_INIT;
    const long long most = pm_json_int(run->options, "most_cases", 0);
    add_options(&out, run->options, "suites", "--suite");
    add_options(&out, run->options, "functions", "--function");
    add_options(&out, run->options, "kinds", "--kind");
    if (most > 0)
        pm_str_addf(&out, " --cases %lld", most);
    const char *kept = pm_reading_keep(&side->r, out.data);
    pm_str_release(&out);
    return kept;
}

/* Returns why the results of a run prove nothing, apart from missing executions; NULL: they are
 * valid. */
static const char *why_invalid(const struct pm_reading_run *run)
{
    if (run->validity == PM_VALIDITY_INVALID)
        return run->reason;
    return run->validity == PM_VALIDITY_UNKNOWN && run->done >= run->planned
               ? "its self-check is not complete"
               : NULL;
}

/* Returns a path without the names of this machine's users. The reading of the side owns it. */
static const char *kept_without_names(struct pm_side *side, const char *path)
{
    char *hidden = pm_privacy_hidden(path ? path : "");
    const char *kept = pm_reading_keep(&side->r, hidden);
    free(hidden);
    return kept;
}

void pm_side_identify(struct pm_side *side)
{
    const struct pm_reading_target *t = target_of(side);
    const struct pm_reading_run *run = run_of(side);
    const bool unusable = run->latency_validity == PM_VALIDITY_INVALID;
    side->compared = (struct pm_changes_side){
        .db = side->db,
        .target = t->text,
        .framework = t->framework,
        .version = t->version,
        .processor = processor_of(run),
        .started = run->started,
        .selection = "",
        .is_reference = pm_reading_is_reference(t),
        .run = run->id,
        .run_is_named = side->name.run != 0,
        .planned = run->planned,
        .done = run->done,
        .repetitions = pm_json_int(run->options, "repetitions", 0),
        .invalid = why_invalid(run),
        .latencies_invalid = unusable ? run->latency_reason : NULL,
        .evidence = t->evidence,
        .has_latencies = t->latencies,
        .floor = floor_of(side),
    };
}

int pm_side_load(struct pm_side *side, struct pm_error *err)
{
    struct loading l = {.side = side};
    pm_side_identify(side);
    side->compared.db = kept_without_names(side, side->db);
    side->compared.selection = selection_of(side, run_of(side));
    add_functions(side);
    add_cases(&l);
    const int rc = load_times(&l, err);
    pm_map_release(&l.case_by_key);
    pm_map_release(&l.case_by_execution);
    pm_changes_sort(&side->compared);
    return rc;
}

void pm_side_release(struct pm_side *side)
{
    pm_changes_side_release(&side->compared);
    pm_reading_release(&side->r);
    pm_side_name_release(&side->name);
}
