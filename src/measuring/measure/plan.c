/* Makes the plan of a run: targets with references and oracle, suites, cases. */
#include "measure/plan.h"

#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/map.h"
#include "base/nearest.h"
#include "census/census.h"
#include "sample/stored.h"

enum { DEFAULT_REPETITIONS = 3, LEAST_REFERENCE_REPETITIONS = 2, IMPORT_TIMEOUT_MS = 300000 };

static int find_target(const struct plan *plan, const char *text)
{
    for (size_t i = 0; i < plan->target_count; i++)
        if (!strcmp(plan->targets[i].target.text, text))
            return (int)i;
    return NO_TARGET;
}

/* Appends a target, and takes ownership of its strings. Returns its index. */
static int append_target(struct plan *plan, const struct pm_target *target,
                         const struct pm_environment *environment, enum pm_role role)
{
    plan->targets = pm_realloc_array(plan->targets, plan->target_count + 1, sizeof *plan->targets);
    const int index = (int)plan->target_count++;
    plan->targets[index] = (struct plan_target){
        .target = *target, .environment = environment, .role = role, .reference = index};
    plan->targets[index].version = pm_strdup(environment->version ? environment->version : "");
    return index;
}

/* Adds the target if it is new, and sets *index to its index. */
static int add_target(struct plan *plan, const char *text, enum pm_role role, int *index,
                      struct pm_error *err)
{
    struct pm_target target = {0};
    PM_TRY(pm_target_parse(text, &target, err));
    *index = find_target(plan, target.text);
    if (*index != NO_TARGET) {
        pm_target_release(&target);
        return PM_OK;
    }
    const struct pm_environment *environment =
        pm_environments_find(&plan->environments, target.environment);
    if (!environment) {
        const int rc = pm_environment_missing_for(&target, text, err);
        pm_target_release(&target);
        return rc;
    }
    *index = append_target(plan, &target, environment, role);
    return PM_OK;
}

static int add_references(struct plan *plan, struct pm_error *err)
{
    for (size_t i = 0; i < plan->target_count; i++) {
        if (!plan->targets[i].target.reference) {
            plan->targets[i].role = PM_ROLE_REFERENCE;
            continue;
        }
        int reference;
        char *text = pm_strdup(plan->targets[i].target.reference);
        const int rc = add_target(plan, text, PM_ROLE_REFERENCE, &reference, err);
        free(text);
        PM_TRY(rc);
        plan->targets[i].reference = reference;
    }
    return PM_OK;
}

/* Decides where latencies are measured, and the repetitions of each target. Latencies are measured
 * on a reference if the user named the reference, or if a timed target is compared with it. */
static void decide_repetitions(struct plan *plan, size_t asked_for)
{
    const struct pm_run_options *o = plan->options;
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        t->latencies = i < asked_for && t->target.latencies && !o->outcomes_only;
    }
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        if (t->latencies)
            plan->targets[t->reference].latencies |= plan->targets[t->reference].target.latencies;
    }
    unsigned most = 1;
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        t->repetitions = o->repetitions ? o->repetitions : t->latencies ? DEFAULT_REPETITIONS : 1;
        most = t->repetitions > most ? t->repetitions : most;
    }
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        if (t->role != PM_ROLE_REFERENCE)
            continue;
        t->checks = o->untimed_check && t->latencies;
        t->repetitions = most + t->checks;
        if (t->repetitions < LEAST_REFERENCE_REPETITIONS)
            t->repetitions = LEAST_REFERENCE_REPETITIONS;
    }
}

/* Adds targets for the noise floor: each timed reference is timed again, as a separate target with
 * the same text. A search by text finds the reference, because it comes first. */
static int add_noise(struct plan *plan, struct pm_error *err)
{
    const size_t count = plan->options->noise ? plan->target_count : 0;
    for (size_t i = 0; i < count; i++) {
        struct pm_target target = {0};
        if (plan->targets[i].role != PM_ROLE_REFERENCE || !plan->targets[i].latencies)
            continue;
        PM_TRY(pm_target_parse(plan->targets[i].target.text, &target, err));
        const int index = append_target(plan, &target, plan->targets[i].environment, PM_ROLE_NOISE);
        plan->targets[index].reference = (int)i;
        plan->targets[index].latencies = true;
        plan->targets[index].repetitions = plan->targets[i].repetitions - plan->targets[i].checks;
    }
    return PM_OK;
}

/* Sets the driver of a target. The oracle's driver is small, and stays alive beside those of the
 * frameworks. */
static void use_driver(struct pm_driver *driver, const struct pm_driver_command *command,
                       const struct plan_target *target, bool everywhere)
{
    *driver = (struct pm_driver){
        .key = command->key,
        .argv = (const char *const *)command->argv,
        .environment = (const char *const *)command->environment,
        .import_timeout_ms = IMPORT_TIMEOUT_MS,
        .family = target->role == PM_ROLE_ORACLE ? NULL : target->environment->name,
        .everywhere = everywhere,
    };
}

/* Returns how many threads a child may compute with in an untimed phase: the children share the
 * cores. */
unsigned pm_measure__plan_loose_threads(const struct plan *plan)
{
    return plan->threads > plan->jobs ? plan->threads / plan->jobs : 1;
}

/* Makes the driver commands. Call it after all targets were added, when the array no longer
 * moves. */
static int make_commands(struct plan *plan, struct pm_error *err)
{
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        PM_TRY(pm_driver_command_make(&t->target, t->environment, plan->threads, true, &t->bound,
                                      err));
        PM_TRY(pm_driver_command_make(&t->target, t->environment,
                                      pm_measure__plan_loose_threads(plan), false, &t->loose, err));
        use_driver(&t->bound_driver, &t->bound, t, true);
        use_driver(&t->loose_driver, &t->loose, t, false);
    }
    return PM_OK;
}

/* Refuses a target that cannot be measured before any interpreter is started to find environments,
 * which takes seconds. */
static int check_targets(const struct pm_run_options *options, struct pm_error *err)
{
    for (size_t i = 0; i < options->target_count; i++) {
        struct pm_target target;
        bool may_exist;
        PM_TRY(pm_target_parse(options->targets[i], &target, err));
        int rc = pm_environment_may_exist(target.environment, &may_exist, err);
        if (!rc && !may_exist)
            rc = pm_environment_missing_for(&target, options->targets[i], err);
        pm_target_release(&target);
        PM_TRY(rc);
    }
    return PM_OK;
}

int pm_measure__plan_targets(struct plan *plan, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    if (o->target_count == 0)
        return pm_error_set(err, PM_EUSAGE,
                            "run needs --target: use, for example, portmeter run --target %s "
                            "(portmeter devices lists all targets)",
                            pm_frameworks(NULL)->suite_reference);
    plan->threads = o->threads ? o->threads : pm_cpus_physical();
    plan->jobs = o->jobs ? o->jobs : pm_cpus_logical();
    PM_TRY(check_targets(o, err));
    PM_TRY(pm_environments_load(&plan->environments, err));
    for (size_t i = 0; i < o->target_count; i++) {
        int index;
        PM_TRY(add_target(plan, o->targets[i], PM_ROLE_SUBJECT, &index, err));
    }
    const size_t asked_for = plan->target_count;
    PM_TRY(add_references(plan, err));
    decide_repetitions(plan, asked_for);
    return add_noise(plan, err);
}

/* ---- cases --------------------------------------------------------------------------------- */

/* Loads the cases of one framework that the options choose. */
static int load_suite(const struct pm_run_options *o, const char *framework, struct pm_suite *suite,
                      struct pm_error *err)
{
    char *pack = NULL;
    if (o->census)
        PM_TRY(pm_census_cases(framework, &pack, err));
    const char *const packs[] = {pack};
    const int rc = pack ? pm_suite_load(suite, framework, pm_framework_case_words(), packs, 1, err)
                        : pm_suite_load_default(suite, framework, pm_framework_case_words(),
                                                o->suites, o->suite_count, err);
    free(pack);
    return rc;
}

/* Counts the names of the census from which a framework's cases come. Does nothing for other
 * cases. */
static int count_names(struct plan *plan, const char *framework, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    const char *own = o->suite_count == 1 ? o->suites[0] : "";
    char *file = pm_format("%s" PM_SUITE_PACK, framework), *path = NULL;
    const size_t rest = strlen(own) - (pm_ends_with(own, file) ? strlen(file) : 0);
    struct pm_census census;
    struct pm_error none;
    int rc = PM_OK;
    if (o->census)
        rc = pm_census_cases(framework, &path, err);
    else if (rest < strlen(own) && (!rest || own[rest - 1] == '/'))
        path = pm_strdup(own);
    if (!rc && path && !pm_census_read(&census, framework, path, &none)) {
        json_object_set_new(plan->surface, framework, pm_census_counts(&census));
        pm_census_release(&census);
    }
    free(path);
    free(file);
    return rc;
}

static int load_suites(struct plan *plan, struct pm_error *err)
{
    plan->surface = json_object();
    plan->suites = pm_alloc(plan->target_count * sizeof *plan->suites);
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        for (size_t k = 0; k < i && !t->suite; k++)
            if (!strcmp(plan->targets[k].target.framework, t->target.framework))
                t->suite = plan->targets[k].suite;
        if (t->suite)
            continue;
        if (plan->suite_count && plan->options->suite_count)
            return pm_error_set(
                err, PM_EUSAGE,
                "--suite needs targets of one framework, not '%s' and '%s': choose targets of one "
                "of them with --target, or with --framework for a study",
                plan->targets[0].target.framework, t->target.framework);
        struct pm_suite *suite = &plan->suites[plan->suite_count];
        PM_TRY(load_suite(plan->options, t->target.framework, suite, err));
        PM_TRY(count_names(plan, t->target.framework, err));
        plan->suite_count++;
        t->suite = suite;
    }
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < plan->suite_count; i++)
        pm_str_add(&text, plan->suites[i].digest.hex);
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)text.length}};
    plan->suite_digest = pm_digest_of(PM_UINT8, &shape, text.data, text.length);
    pm_str_release(&text);
    return PM_OK;
}

/* The functions chosen by --only or --sample; without either, no names, which means all functions.
 */
struct only {
    struct pm_map names; /* value: whether a case tests it */
    char **order;
    size_t count, capacity;
    struct pm_stored_sample sampling; /* id 0: the names are from --only */
};

static void only_release(struct only *only)
{
    pm_map_release(&only->names);
    pm_free_strings(only->order, only->count);
    pm_stored_sample_release(&only->sampling);
}

static void only_add(struct only *only, const char *name)
{
    if (pm_map_has(&only->names, name))
        return;
    pm_map_put(&only->names, name, NULL);
    PM_GROW(only->order, only->count, only->capacity);
    only->order[only->count++] = pm_strdup(name);
}

/* Reads a file of names, one per line; '#' begins a comment; blank lines are ignored. */
static int only_read(struct only *only, const char *path, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    int rc = pm_file_read(path, &text, err);
    if (rc)
        return pm_error_prefix(err, rc, "--only");
    char *rest = text.data;
    for (char *line; (line = strsep(&rest, "\n"));) {
        line[strcspn(line, "#\r")] = 0;
        line += strspn(line, " \t");
        line[strcspn(line, " \t")] = 0;
        if (*line)
            only_add(only, line);
    }
    pm_str_release(&text);
    return only->count
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "--only file '%s' names no function: write one name per line", path);
}

static int only_sample(struct plan *plan, struct only *only, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    struct pm_store *store = NULL;
    if (plan->suite_count > 1)
        return pm_error_set(err, PM_EUSAGE,
                            "--sample needs targets of one framework, because a sample belongs to "
                            "one framework: omit the other targets");
    PM_TRY(pm_store_open(&store, o->db, PM_STORE_READ, err));
    const int rc =
        pm_stored_sample_load(&only->sampling, store, o->db, plan->targets[0].target.framework,
                              o->sample == PM_NEWEST ? 0 : o->sample, err);
    pm_store_free(store);
    PM_TRY(rc);
    plan->sample_id = only->sampling.id;
    for (size_t i = 0; i < only->sampling.sample.member_count; i++)
        only_add(only, only->sampling.sample.members[i].name);
    return only->count
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "sample %lld of '%s' contains no functions: choose another --sample",
                              (long long)plan->sample_id, o->db);
}

struct look_up {
    struct only *only;
    bool found;
};

static void look_up_name(void *ctx, const char *name)
{
    static char present;
    struct look_up *l = ctx;
    if (!pm_map_has(&l->only->names, name))
        return;
    pm_map_put(&l->only->names, name, &present);
    l->found = true;
}

/* Returns whether a function of the suite is chosen, and marks it as tested. */
static bool only_lists(struct only *only, const char *function)
{
    struct look_up l = {.only = only, .found = !only->count};
    if (only->sampling.id)
        pm_sample_names_of_function(&only->sampling.inventory.inventory, only->sampling.rule,
                                    function, look_up_name, &l);
    else
        look_up_name(&l, function);
    return l.found;
}

static bool wanted_by_glob(const struct pm_run_options *o, const char *function, bool *matched)
{
    bool wanted = o->function_count == 0;
    for (size_t i = 0; i < o->function_count; i++)
        if (!fnmatch(o->functions[i], function, 0))
            wanted = matched[i] = true;
    return wanted;
}

static int no_function(const struct plan *plan, const char *glob, struct pm_error *err)
{
    const char **known;
    size_t count = 0, most = 0;
    for (size_t i = 0; i < plan->suite_count; i++)
        most += plan->suites[i].function_count;
    known = pm_alloc((most + 1) * sizeof *known);
    for (size_t i = 0; i < plan->suite_count; i++)
        for (size_t f = 0; f < plan->suites[i].function_count; f++)
            known[count++] = plan->suites[i].functions[f].name;
    const int rc = pm_nearest_error(err, PM_EUSAGE, glob, known, count,
                                    "portmeter suite list shows all functions",
                                    "the suites of this run have no case for function '%s'", glob);
    free(known);
    return rc;
}

static int no_case(const struct plan *plan, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    bool narrowed = o->function_count > 0;
    for (size_t k = 0; k < PM_CASE_KIND_COUNT; k++)
        narrowed |= o->kinds[k];
    if (plan->sample_id && !narrowed)
        return pm_error_set(err, PM_EUSAGE,
                            "no function of sample %lld has a case in the chosen suite: choose "
                            "another --sample or --suite",
                            (long long)plan->sample_id);
    return pm_error_set(err, PM_EUSAGE,
                        "no case of the suite matches the options: omit some of --function, "
                        "--kind and %s",
                        plan->sample_id ? "--sample" : "--only");
}

static int choose_cases(struct plan *plan, struct only *only, bool *matched, struct pm_error *err)
{
    const struct pm_run_options *o = plan->options;
    size_t most = 0;
    for (size_t i = 0; i < plan->suite_count; i++)
        most += plan->suites[i].case_count;
    plan->cases = pm_alloc((most + 1) * sizeof *plan->cases);
    for (size_t i = 0; i < plan->suite_count; i++) {
        const struct pm_suite *suite = &plan->suites[i];
        for (size_t f = 0; f < suite->function_count; f++) {
            const struct pm_function *function = &suite->functions[f];
            const bool listed = only_lists(only, function->name);
            if (wanted_by_glob(o, function->name, matched) && listed)
                pm_measure__take_function(plan, suite, function);
        }
    }
    for (size_t i = 0; i < o->function_count; i++)
        if (!matched[i])
            return no_function(plan, o->functions[i], err);
    for (size_t i = 0; i < only->count; i++) {
        if (pm_map_get(&only->names, only->order[i]))
            continue;
        plan->untested =
            pm_realloc_array(plan->untested, plan->untested_count + 1, sizeof *plan->untested);
        plan->untested[plan->untested_count++] = pm_strdup(only->order[i]);
    }
    if (!plan->case_count)
        return no_case(plan, err);
    return PM_OK;
}

/* Returns whether the case is the first of a function that uses the device. */
static bool begins_function(const struct plan *plan, size_t k)
{
    const struct pm_function *function = plan->cases[k]->function;
    return !function->host_only && (k == 0 || plan->cases[k - 1]->function != function);
}

/* Returns the number of functions for the noise floor of a shard. All shards together measure about
 * as many as one run. */
static uint64_t noise_of_shard(const struct pm_run_options *o)
{
    return o->shard.count ? ((uint64_t)o->noise + o->shard.count - 1) / o->shard.count : o->noise;
}

/* Marks the cases of `noise` functions, spread evenly over those that use the device. */
static void choose_noise(struct plan *plan)
{
    uint64_t count = 0, at = 0;
    bool chosen = false;
    plan->for_noise = pm_alloc((plan->case_count + 1) * sizeof *plan->for_noise);
    for (size_t k = 0; k < plan->case_count; k++)
        count += begins_function(plan, k);
    const uint64_t asked = noise_of_shard(plan->options);
    const uint64_t wanted = asked < count ? asked : count;
    for (size_t k = 0; k < plan->case_count; k++) {
        if (begins_function(plan, k)) {
            chosen = (at + 1) * wanted / count > at * wanted / count;
            at++;
        }
        plan->for_noise[k] = chosen && !plan->cases[k]->function->host_only;
    }
}

/* Finds, for each case, the first case that needs the same kind of process. */
static void number_processes(struct plan *plan)
{
    size_t *firsts = pm_alloc((plan->case_count + 1) * sizeof *firsts), count = 0;
    plan->process_of = pm_alloc((plan->case_count + 1) * sizeof *plan->process_of);
    for (size_t k = 0; k < plan->case_count; k++) {
        size_t i = 0;
        while (i < count && !pm_case_shares_process(plan->cases[firsts[i]], plan->cases[k]))
            i++;
        if (i == count)
            firsts[count++] = k;
        plan->process_of[k] = firsts[i];
    }
    free(firsts);
}

/* Adds the oracle, which evaluates `expect`, if a case has one and it is available. */
static int add_oracle(struct plan *plan, struct pm_error *err)
{
    const struct pm_framework *framework = pm_framework_oracle();
    bool needed = false;
    for (size_t i = 0; i < plan->case_count; i++)
        needed |= plan->cases[i]->expect != NULL;
    if (!needed || !pm_environments_find(&plan->environments, framework->name))
        return PM_OK;
    int index;
    PM_TRY(add_target(plan, framework->suite_reference, PM_ROLE_ORACLE, &index, err));
    struct plan_target *oracle = &plan->targets[index];
    oracle->role = PM_ROLE_ORACLE;
    oracle->repetitions = 1;
    return PM_OK;
}

static json_t *texts_of(const struct pm_case *c)
{
    json_t *parameters = json_array();
    for (size_t i = 0; i < c->input_count; i++)
        json_array_append_new(parameters, json_string(c->inputs[i].name));
    for (size_t i = 0; i < c->argument_count; i++)
        json_array_append_new(parameters, json_string(c->arguments[i]));
    return json_pack("{s:s, s:i, s:s?, s:o, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?}", "file", c->file,
                     "line", c->line, "dtype", c->has_dtype ? pm_dtype_name(c->dtype) : NULL,
                     "parameters", parameters, "context", c->context, "setup", c->setup, "call",
                     c->call, "output", c->output, "expect", c->expect, "check", c->check);
}

/* Returns the cases of a suite that the run executes, each once and not for each of its dtypes. */
static json_t *list_texts(const struct plan *plan, const struct pm_suite *suite)
{
    json_t *cases = json_array();
    const struct pm_case *last = NULL;
    for (size_t i = 0; i < plan->case_count; i++) {
        const struct pm_case *c = plan->cases[i];
        const bool own = c >= suite->cases && c < suite->cases + suite->case_count;
        if (!own || (last && last->line == c->line && !strcmp(last->file, c->file)))
            continue;
        json_array_append_new(cases, texts_of(c));
        last = c;
    }
    return cases;
}

/* Checks the Python code of cases that a user writes, before any framework is imported. Without
 * this check, a mistake would be found many seconds later, and without its place in the file. */
static int check_texts(const struct plan *plan, struct pm_error *err)
{
    if (!plan->options->suite_count && !plan->options->census && !plan->options->rehearse)
        return PM_OK;
    for (size_t s = 0; s < plan->suite_count; s++) {
        const struct plan_target *t = plan->targets;
        while (t->suite != &plan->suites[s])
            t++;
        if (pm_framework_find(t->target.framework)->purpose == PM_FRAMEWORK_TEST)
            continue; /* its texts are commands */
        json_t *cases = list_texts(plan, &plan->suites[s]);
        const int rc = pm_environment_check_texts(t->environment, cases, err);
        json_decref(cases);
        PM_TRY(rc);
    }
    return PM_OK;
}

int pm_measure__plan_cases(struct plan *plan, struct pm_error *err)
{
    PM_TRY(load_suites(plan, err));
    struct only only = {0};
    bool *matched = pm_alloc(plan->options->function_count * sizeof *matched);
    int rc = PM_OK;
    if (plan->options->sample)
        rc = only_sample(plan, &only, err);
    else if (plan->options->only)
        rc = only_read(&only, plan->options->only, err);
    if (!rc)
        rc = choose_cases(plan, &only, matched, err);
    free(matched);
    only_release(&only);
    PM_TRY(rc);
    PM_TRY(pm_measure__take_shard(plan, err));
    PM_TRY(check_texts(plan, err));
    choose_noise(plan);
    number_processes(plan);
    PM_TRY(add_oracle(plan, err));
    return make_commands(plan, err);
}

static void release_queue(struct plan_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++) {
        free(queue->groups[i]->executions);
        free(queue->groups[i]);
    }
    free(queue->groups);
}

void pm_measure__plan_release(struct plan *plan)
{
    for (size_t i = 0; i < plan->target_count; i++) {
        struct plan_target *t = &plan->targets[i];
        pm_target_release(&t->target);
        pm_driver_command_release(&t->bound);
        pm_driver_command_release(&t->loose);
        free(t->version);
    }
    for (size_t i = 0; i < PHASE_COUNT; i++)
        release_queue(&plan->queues[i]);
    for (size_t i = 0; i < plan->suite_count && plan->calls; i++)
        pm_sample_calls_release(&plan->calls[i]);
    free(plan->calls);
    json_decref(plan->surface);
    for (size_t i = 0; i < plan->suite_count; i++)
        pm_suite_release(&plan->suites[i]);
    pm_free_strings(plan->untested, plan->untested_count);
    pm_environments_release(&plan->environments);
    free(plan->targets);
    free(plan->suites);
    free(plan->cases);
    free(plan->for_noise);
    free(plan->process_of);
    free(plan->executions);
    *plan = (struct plan){0};
}
