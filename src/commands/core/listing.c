/* The commands that list devices, environments and suites. */
#include <string.h>

#include "base/alloc.h"
#include "core/core.h"
#include "environment/environment.h"
#include "report/write.h"
#include "suite/suite.h"

static int write_table(struct pm_table *table, const char *title, enum pm_report_format format,
                       unsigned width, struct pm_error *err)
{
    struct pm_report *report = pm_report_new(title);
    pm_report_take_table(report, table);
    const int rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    return rc;
}

/* ---- devices ---- */

static void add_devices(struct pm_table *table, const struct pm_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        const struct pm_device *d = &devices->items[i];
        pm_table_text(table, d->target);
        pm_table_text(table, d->measurable ? "yes" : "no");
        pm_table_text(table, d->measurable ? d->name : d->why_not);
        pm_table_text(table, d->driver_version ? d->driver_version : "");
        pm_table_text(table, d->framework_version ? d->framework_version : "");
        pm_table_text(table, d->python);
        pm_table_text(table, d->interpreter);
    }
}

static void add_recipe(struct pm_table *table, const struct pm_framework *framework,
                       const struct pm_recipe *recipe)
{
    const bool other = strcmp(recipe->name, framework->name) != 0;
    char *target =
        pm_format("%s%s%s@...", other ? recipe->name : "", other ? ":" : "", framework->name);
    char *why = pm_format("no environment yet: run portmeter env create %s, which needs %s",
                          recipe->name, recipe->size);
    pm_table_text(table, target);
    pm_table_text(table, "no");
    pm_table_text(table, why);
    for (int column = 0; column < 4; column++)
        pm_table_text(table, "");
    free(target);
    free(why);
}

/* Environments that do not exist here, with the command that creates each. */
static void add_missing(struct pm_table *table, const struct pm_environments *environments)
{
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++)
            if (!pm_environments_find(environments, frameworks[i].recipes[k].name))
                add_recipe(table, &frameworks[i], &frameworks[i].recipes[k]);
}

static void say_asking(void *ctx, const char *name)
{
    fprintf(ctx, "\033[Klisting the devices of %s ...\r", name);
}

static struct pm_table *devices_table(const struct pm_environments *environments,
                                      const struct pm_devices *devices)
{
    struct pm_table *table = pm_table_new("devices", "Targets");
    pm_table_column(table, "target", "target", PM_CELL_NAME);
    pm_table_column(table, "measurable", "measurable", PM_CELL_MARK);
    pm_table_column(table, "device", "device, or why portmeter cannot measure it", PM_CELL_TEXT);
    pm_table_column(table, "driver", "driver", PM_CELL_TEXT);
    pm_table_column(table, "framework", "framework", PM_CELL_TEXT);
    pm_table_column(table, "python", "Python", PM_CELL_TEXT);
    pm_table_column(table, "interpreter", "interpreter", PM_CELL_TEXT);
    add_devices(table, devices);
    add_missing(table, environments);
    return table;
}

int pm_list_devices(bool all, enum pm_report_format format, unsigned width,
                    const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_environments environments = {0};
    PM_TRY(pm_environments_load(&environments, err));
    struct pm_devices devices;
    int rc = pm_devices_probe_all(&environments, all, messages->terminal ? say_asking : NULL,
                                  messages->out, &devices, err);
    if (messages->terminal)
        fputs("\033[K", messages->out);
    if (!rc)
        rc = write_table(devices_table(&environments, &devices), "Targets of this machine", format,
                         width, err);
    pm_devices_release(&devices);
    pm_environments_release(&environments);
    return rc;
}

/* ---- environments ---- */

int pm_list_environments(enum pm_report_format format, unsigned width, struct pm_error *err)
{
    struct pm_environments environments = {0};
    PM_TRY(pm_environments_load(&environments, err));
    struct pm_table *table = pm_table_new("environments", "Python environments with a framework");
    pm_table_column(table, "name", "name", PM_CELL_NAME);
    pm_table_column(table, "framework", "framework", PM_CELL_TEXT);
    pm_table_column(table, "version", "version", PM_CELL_TEXT);
    pm_table_column(table, "origin", "origin", PM_CELL_TEXT);
    pm_table_column(table, "interpreter", "interpreter", PM_CELL_TEXT);
    for (size_t i = 0; i < environments.count; i++) {
        const struct pm_environment *e = &environments.items[i];
        pm_table_text(table, e->name);
        pm_table_text(table, e->framework);
        pm_table_text(table, e->version ? e->version : "");
        pm_table_text(table, pm_origin_text(e->origin));
        pm_table_text(table, e->python);
    }
    pm_environments_release(&environments);
    return write_table(table, "Environments", format, width, err);
}

static void say_line(void *ctx, const char *line)
{
    const struct pm_messages *messages = ctx;
    fprintf(messages->out, "%s\n", line);
}

/* What a person at the terminal answers; nothing else is asked. */
static bool ask_person(void *ctx)
{
    const struct pm_messages *messages = ctx;
    char answer[16] = "";
    fprintf(messages->out, "continue? [y/N] ");
    fflush(messages->out);
    return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
}

int pm_create_environment(const struct pm_environment_request *request,
                          const struct pm_messages *messages, struct pm_error *err)
{
    const struct pm_environment_plan plan = {.recipe = request->recipe,
                                             .name = request->name,
                                             .version = request->version,
                                             .python = request->python,
                                             .say = say_line,
                                             .agree = request->ask ? ask_person : NULL,
                                             .ctx = (void *)(uintptr_t)messages};
    return pm_environment_create(&plan, err);
}

int pm_add_environment(const char *name, const char *framework, const char *python,
                       struct pm_error *err)
{
    return pm_environment_add(name ? name : framework, framework, python, err);
}

int pm_remove_environment(const char *name, struct pm_error *err)
{
    return pm_environment_remove(name, err);
}

/* ---- suites ---- */

static void add_function(struct pm_table *table, const struct pm_suite *suite, size_t index,
                         size_t *bases)
{
    const struct pm_function *function = &suite->functions[index];
    size_t kinds[PM_CASE_KIND_COUNT] = {0}, own = 0;
    for (size_t k = 0; k < function->case_count; k++) {
        const struct pm_case *c = &suite->cases[function->first_case + k];
        own += k == 0 || strcmp(c->base, c[-1].base);
        kinds[c->kind]++;
    }
    pm_table_text(table, function->name);
    pm_table_count(table, (int64_t)own);
    pm_table_count(table, (int64_t)function->case_count);
    for (size_t kind = 0; kind < PM_CASE_KIND_COUNT; kind++)
        pm_table_count(table, (int64_t)kinds[kind]);
    pm_table_text(table, function->host_only ? "yes" : "");
    pm_table_text(table, function->file);
    *bases += own;
}

static struct pm_table *cases_of_suite(const struct pm_suite *suite)
{
    struct pm_table *table = pm_table_new("suite_cases", "Cases and their kinds");
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "case", "case", PM_CELL_NAME);
    pm_table_column(table, "dtype", "dtype", PM_CELL_WORD);
    pm_table_column(table, "kind", "kind", PM_CELL_WORD);
    pm_table_column(table, "line", "line", PM_CELL_COUNT);
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct pm_case *c = &suite->cases[i];
        pm_table_text(table, c->function->name);
        pm_table_text(table, c->name);
        pm_table_text(table, c->has_dtype ? pm_dtype_name(c->dtype) : "");
        pm_table_text(table, pm_case_kind_text(c->kind));
        pm_table_count(table, c->line);
    }
    return table;
}

int pm_list_suite(const char *framework, const char *const *paths, size_t path_count,
                  enum pm_report_format format, unsigned width, struct pm_error *err)
{
    struct pm_suite suite = {0};
    char *version = NULL;
    PM_TRY(pm_suite_load_default(&suite, framework, pm_framework_case_words(), paths, path_count,
                                 err));
    PM_TRY(pm_suite_version(path_count, &version, err));
    struct pm_table *table = pm_table_new("suite", "Functions and their cases");
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    pm_table_column(table, "cases", "cases", PM_CELL_COUNT);
    pm_table_column(table, "executions", "cases by dtype", PM_CELL_COUNT);
    for (int kind = 0; kind < PM_CASE_KIND_COUNT; kind++)
        pm_table_column(table, pm_case_kind_text((enum pm_case_kind)kind),
                        pm_case_kind_text((enum pm_case_kind)kind), PM_CELL_COUNT);
    pm_table_column(table, "host_only", "host-only", PM_CELL_MARK);
    pm_table_column(table, "file", "file", PM_CELL_NAME);
    size_t all = 0;
    for (size_t f = 0; f < suite.function_count; f++)
        add_function(table, &suite, f, &all);
    char *note = pm_format("functions: %zu, cases: %zu, cases with each dtype counted: %zu",
                           suite.function_count, all, suite.case_count);
    pm_table_note(table, note);
    free(note);
    note = pm_format("%s%s%sdigest %s", *version ? "version " : "", version, *version ? ", " : "",
                     suite.digest.hex);
    pm_table_note(table, note);
    free(note);
    free(version);
    struct pm_report *report = pm_report_new("Suite");
    pm_report_take_table(report, table);
    if (format == PM_FORMAT_JSON)
        pm_report_take_table(report, cases_of_suite(&suite));
    pm_suite_release(&suite);
    const int rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    return rc;
}
