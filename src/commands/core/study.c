/* pm_study(): creates environments if requested, measures the devices of this machine, and reports.
 */
#include <string.h>

#include "base/alloc.h"
#include "core/core.h"
#include "core/core_private.h"
#include "environment/environment.h"
#include "stat/stat.h"
#include "text/numbers.h"

/* A user may have to wait about a quarter of an hour. Additional repetitions may take
 * MORE_WITHIN_S, about half of that time; set-up, the first answer and retries take the other half.
 */
enum { NOISE_FUNCTIONS = 10, FIRST_REPETITIONS = 1, MORE_WITHIN_S = 420 };

/* The number of core cases per function in a quick answer, which takes less than two minutes for
 * three frameworks. */
enum { QUICK_CASES = 3 };

struct target_list {
    char **items;
    size_t count, capacity;
};

static void say_line(void *ctx, const char *line)
{
    const struct pm_messages *messages = ctx;
    fprintf(messages->out, "            %s\n", line);
}

/* Creates an environment. If this fails, prints why and lets the study continue with the others. */
static int make(const struct pm_recipe *recipe, bool asks, const struct pm_messages *messages,
                struct pm_error *err)
{
    struct pm_error why;
    fprintf(messages->out, "frameworks  creating %s (%s on disk)\n", recipe->name, recipe->size);
    const struct pm_environment_plan plan = {.recipe = recipe->name,
                                             .say = say_line,
                                             .agree = asks ? pm_core__person_agrees : NULL,
                                             .ctx = (void *)(uintptr_t)messages};
    const int rc = pm_environment_create(&plan, &why);
    if (rc == PM_ESTOPPED)
        return pm_error_set(err, rc, "%s", why.text);
    if (rc)
        fprintf(messages->out, "frameworks  %s\n", why.text);
    return PM_OK;
}

/* Returns whether the user requested the framework or named none. The oracle is always wanted,
 * because it serves all frameworks. */
static bool is_wanted(const struct pm_study_request *request, const struct pm_framework *framework)
{
    return !request->framework || framework->purpose == PM_FRAMEWORK_ORACLE ||
           !strcmp(framework->name, request->framework);
}

static enum pm_framework_purpose purpose_of(const struct pm_environment *environment)
{
    return pm_framework_find(environment->framework)->purpose;
}

struct recipe_list {
    const struct pm_recipe **items;
    size_t count, capacity;
};

/* Returns the recipes of the wanted frameworks for which there is no environment. */
static struct recipe_list find_missing(const struct pm_study_request *request,
                                       const struct pm_environments *have)
{
    struct recipe_list missing = {0};
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++) {
            const struct pm_recipe *recipe = &frameworks[i].recipes[k];
            if (recipe->by_choice || !is_wanted(request, &frameworks[i]) ||
                pm_environments_find(have, recipe->name))
                continue;
            PM_GROW(missing.items, missing.count, missing.capacity);
            missing.items[missing.count++] = recipe;
        }
    return missing;
}

static bool has_framework(const struct pm_study_request *request,
                          const struct pm_environments *have)
{
    for (size_t i = 0; i < have->count; i++)
        if (purpose_of(&have->items[i]) == PM_FRAMEWORK_STUDIED &&
            is_wanted(request, pm_framework_find(have->items[i].framework)))
            return true;
    return false;
}

/* Returns a text such as "jax (0.6 GB), numpy (0.2 GB)"; the caller frees it. */
static char *names_of(const struct recipe_list *recipes)
{
    struct pm_str names = PM_STR_INIT;
    for (size_t i = 0; i < recipes->count; i++)
        pm_str_addf(&names, "%s%s (%s)", i ? ", " : "", recipes->items[i]->name,
                    recipes->items[i]->size);
    return pm_str_detach(&names);
}

/* Creates the environments that are missing; downloads nothing without the user's consent. */
static int make_missing(const struct pm_study_request *request, const struct pm_environments *have,
                        const struct pm_messages *messages, struct pm_error *err)
{
    struct recipe_list missing = find_missing(request, have);
    const bool found = has_framework(request, have);
    char *names = names_of(&missing);
    int rc = PM_OK;
    if (missing.count && request->previews)
        fprintf(messages->out, "frameworks  not here: %s; %s\n", names,
                request->creates ? "--yes downloads them"
                                 : "nothing is downloaded; portmeter study --yes creates them");
    else if (missing.count && found && !request->creates)
        fprintf(messages->out, "frameworks  not here: %s; portmeter study --yes creates them\n",
                names);
    else if (missing.count && !request->creates && !request->asks)
        rc =
            pm_error_set(err, PM_ENOTFOUND,
                         "no environment has %s: activate one that does, name its interpreter with "
                         "portmeter env add, or let portmeter study --yes create %s",
                         request->framework ? request->framework : "a framework", names);
    else
        for (size_t i = 0; i < missing.count && !rc; i++)
            rc = make(missing.items[i], request->asks && !request->creates, messages, err);
    free(names);
    free(missing.items);
    return rc;
}

static void say_frameworks(const struct pm_environments *list, const struct pm_messages *messages)
{
    fprintf(messages->out, "frameworks ");
    for (size_t i = 0; i < list->count; i++)
        if (purpose_of(&list->items[i]) != PM_FRAMEWORK_TEST)
            fprintf(messages->out, " %s %s  ", list->items[i].name, list->items[i].version);
    fprintf(messages->out, "\n");
}

/* Returns whether a study measures a device. It must be measurable, not optional, the first of its
 * kind and without a variant. In an extra environment, it must also be a device that only this
 * environment has; plans include its reference anyway. */
static bool is_measured(const struct pm_environment *environment, const struct pm_device *device)
{
    struct pm_target target = {0};
    if (!device->measurable || pm_target_parse(device->target, &target, NULL))
        return false;
    const bool own = !strcmp(environment->name, environment->framework);
    const bool wanted =
        !*target.variant && !target.index && !target.by_choice && (own || !target.everywhere);
    pm_target_release(&target);
    return wanted;
}

static int find_targets(const struct pm_study_request *request,
                        const struct pm_environments *environments, struct target_list *targets,
                        const struct pm_messages *messages, struct pm_error *err)
{
    for (size_t i = 0; i < environments->count; i++) {
        const struct pm_environment *e = &environments->items[i];
        struct pm_devices devices = {0};
        if (purpose_of(e) != PM_FRAMEWORK_STUDIED ||
            !is_wanted(request, pm_framework_find(e->framework)))
            continue;
        PM_TRY(pm_devices_probe(e, &devices, err));
        for (size_t d = 0; d < devices.count; d++) {
            if (!is_measured(e, &devices.items[d]))
                continue;
            PM_GROW(targets->items, targets->count, targets->capacity);
            targets->items[targets->count++] = pm_strdup(devices.items[d].target);
        }
        if (devices.count && !devices.items[0].measurable)
            fprintf(messages->out, "frameworks  %s cannot be measured: %s\n", e->name,
                    devices.items[0].why_not);
        pm_devices_release(&devices);
    }
    return PM_OK;
}

/* Decides whether to continue the last study of the database, and prints the decision and how to
 * change it. */
static int choose_run(struct pm_run_options *run, const struct pm_messages *messages,
                      struct pm_error *err)
{
    struct pm_unfinished_study last;
    struct pm_str done = PM_STR_INIT;
    PM_TRY(pm_measure_find_study(run, &last, err));
    if (!last.run_id)
        return PM_OK;
    pm_text_count(&done, (int64_t)last.done);
    pm_str_add(&done, " of ");
    pm_text_count(&done, (int64_t)last.planned);
    fprintf(messages->out,
            "study       run %lld was stopped after %s executions: ", (long long)last.run_id,
            done.data);
    if (last.differs)
        fprintf(messages->out, "starting a new run, because %s changed\n", last.differs);
    else
        fprintf(messages->out, "continuing it (portmeter study --new starts a new run)\n");
    pm_str_release(&done);
    run->resume = last.differs ? 0 : last.run_id;
    return PM_OK;
}

static int report(const struct pm_run_options *options, unsigned width,
                  const struct pm_messages *messages, int64_t run_id, struct pm_error *err)
{
    enum pm_exit status;
    const struct pm_report_options report = {
        .db = options->db,
        .run_id = run_id,
        .width = width,
    };
    fputc('\n', messages->out);
    fflush(messages->out);
    return pm_write_report(&report, &status, err);
}

/* Core cases are enough, because the headline of a run of all cases is about core cases, too. */
void pm_study_quick(struct pm_run_options *run)
{
    bool any = false;
    for (int kind = 0; kind < PM_CASE_KIND_COUNT; kind++)
        any |= run->kinds[kind];
    run->kinds[PM_CASE_KIND_CORE] |= !any;
    run->outcomes_only = true;
    if (!run->most_cases)
        run->most_cases = QUICK_CASES;
}

static struct pm_run_options first_run(const struct pm_run_options *run)
{
    struct pm_run_options first = *run;
    if (run->census)
        first.outcomes_only = true;
    else
        pm_study_quick(&first);
    first.repetitions = 1;
    first.more_repetitions = 0;
    first.noise = 0;
    return first;
}

/* Writes the page. If that fails, prints why and continues, because a study does not need it. */
static void write_page(const char *db, const struct pm_messages *messages)
{
    struct pm_error why = {{0}};
    char *path;
    if (pm_write_page(db, 0, &path, &why))
        fprintf(messages->out, "page        %s\n", why.text);
    else
        fprintf(messages->out, "page        %s   portmeter open shows it in the browser\n", path);
    free(path);
}

/* Measures, then reports. If the run cannot be resumed because something changed, starts a new run
 * and keeps the old one. */
static int measure_and_report(struct pm_run_options *run, unsigned width,
                              const struct pm_messages *messages, struct pm_run_result *out,
                              struct pm_error *err)
{
    struct pm_error why = {{0}};
    int rc = pm_run(run, messages, out, &why);
    if (rc == PM_EUSAGE && run->resume) {
        fprintf(messages->out, "study       %s\n            starting a new run; run %lld is kept\n",
                why.text, (long long)run->resume);
        run->resume = 0;
        rc = pm_run(run, messages, out, &why);
    }
    if (rc)
        return pm_error_set(err, rc, "%s", why.text);
    return report(run, width, messages, out->run.run_id, err);
}

/* Chooses which run of a stopped study to continue: the first answer if it is unfinished, otherwise
 * the run after it. */
static int choose_runs(struct pm_run_options *first, struct pm_run_options *run,
                       const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_unfinished_study last;
    PM_TRY(pm_measure_find_study(first, &last, err));
    return choose_run(last.outcomes_only && !run->outcomes_only ? first : run, messages, err);
}

/* Previews the runs that measure_all() would start. */
static int preview_all(const struct pm_run_options *run, const struct pm_study_request *request,
                       const struct pm_messages *messages, struct pm_error *err)
{
    const struct pm_run_options first = first_run(run);
    if (!run->outcomes_only) {
        fprintf(messages->out, "study       the first answer\n");
        PM_TRY(pm_preview_run(&first, request->width, err));
        fflush(stdout);
        fprintf(messages->out, "\nstudy       then all cases, with latencies\n");
    }
    return pm_preview_run(run, request->width, err);
}

static int measure_all(struct pm_run_options *run, const struct pm_study_request *request,
                       const struct pm_messages *messages, struct pm_run_result *out,
                       struct pm_error *err)
{
    struct pm_run_options first = first_run(run);
    if (run->shard.count) /* a report of one shard would be incomplete */
        return pm_run(run, messages, out, err);
    if (!request->anew)
        PM_TRY(choose_runs(&first, run, messages, err));
    if (!run->outcomes_only && !run->resume) {
        PM_TRY(measure_and_report(&first, request->width, messages, out, err));
        fflush(stdout);
        fprintf(messages->out,
                "\nstudy       that was the first answer; now all cases, with latencies\n"
                "            Ctrl-C stops the study and keeps the results so far\n");
    }
    return measure_and_report(run, request->width, messages, out, err);
}

/* Fails with PM_EUSAGE if a study does not measure the framework. */
static int check_framework(const struct pm_study_request *request, struct pm_error *err)
{
    const struct pm_framework *framework;
    if (!request->framework)
        return PM_OK;
    PM_TRY(pm_framework_need(request->framework, &framework, err));
    return framework->purpose == PM_FRAMEWORK_STUDIED
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE, "a study does not measure '%s': use portmeter run",
                              framework->name);
}

int pm_study(const struct pm_run_options *options, const struct pm_study_request *request,
             const struct pm_messages *messages, struct pm_run_result *out, struct pm_error *err)
{
    struct pm_environments environments = {0};
    struct target_list targets = {0};
    int rc;
    *out = (struct pm_run_result){0};
    PM_TRY(check_framework(request, err));
    if ((rc = pm_environments_load(&environments, err)))
        return rc;
    rc = make_missing(request, &environments, messages, err);
    pm_environments_release(&environments);
    if (rc || (rc = pm_environments_load(&environments, err)))
        return rc;
    say_frameworks(&environments, messages);
    if ((rc = find_targets(request, &environments, &targets, messages, err)))
        goto done;
    if (!targets.count) {
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no framework can be measured: solve the problems above, or add an "
                          "interpreter with portmeter env add %s PYTHON",
                          request->framework ? request->framework : pm_frameworks(NULL)->name);
        goto done;
    }
    struct pm_run_options run = *options;
    run.targets = (const char *const *)targets.items;
    run.target_count = targets.count;
    run.command = PM_COMMAND_STUDY;
    run.by_use = run.census && !run.outcomes_only;
    run.noise = run.outcomes_only ? 0 : NOISE_FUNCTIONS;
    if (!run.outcomes_only && !run.repetitions && run.mode == PM_MODE_DEFAULT) {
        run.repetitions = FIRST_REPETITIONS;
        run.untimed_check = true;
        run.more_repetitions = PM_STAT_LEAST_FOR_INTERVAL;
        run.more_within_s = MORE_WITHIN_S;
    }
    rc = request->previews ? preview_all(&run, request, messages, err)
                           : measure_all(&run, request, messages, out, err);
    if (!rc && !request->previews && !run.shard.count)
        write_page(run.db, messages);
done:
    pm_free_strings(targets.items, targets.count);
    pm_environments_release(&environments);
    return rc;
}
