/* Lists devices, environments and suites; creates, adds and removes environments. */
#include <string.h>

#include "base/alloc.h"
#include "core/core.h"
#include "core/core_private.h"
#include "environment/environment.h"
#include "report/table_columns.h"
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

static void device_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_device *d = from->row;
    pm_table_text(table, d->measurable ? d->name : d->why_not);
}

static const struct pm_column device_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct pm_device, target)},
    {"measurable", "measurable", PM_CELL_MARK, PM_YES_NO(struct pm_device, measurable)},
    {"device", "device, or why portmeter cannot measure it", PM_CELL_TEXT, .cell = device_cell},
    {"driver", "driver", PM_CELL_TEXT, PM_MEMBER(struct pm_device, driver_version)},
    {"framework", "framework", PM_CELL_TEXT, PM_MEMBER(struct pm_device, framework_version)},
    {"python", "Python", PM_CELL_TEXT, PM_MEMBER(struct pm_device, python)},
    {"interpreter", "interpreter", PM_CELL_TEXT, PM_MEMBER(struct pm_device, interpreter)},
};

static void add_recipe(struct pm_table *table, const struct pm_framework *framework,
                       const struct pm_recipe *recipe)
{
    const bool other = strcmp(recipe->name, framework->name) != 0;
    char *target =
        pm_format("%s%s%s@...", other ? recipe->name : "", other ? ":" : "", framework->name);
    char *why = pm_format("no environment yet: run portmeter env create %s, which needs %s",
                          recipe->name, recipe->size);
    char nothing[] = "";
    pm_table_row(table,
                 &(struct pm_device){.target = target,
                                     .why_not = why,
                                     .driver_version = nothing,
                                     .framework_version = nothing,
                                     .interpreter = nothing,
                                     .python = nothing},
                 NULL);
    free(target);
    free(why);
}

/* Adds the environments that do not exist here, with the command that creates each. */
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
    pm_table_columns(table, device_columns, false);
    for (size_t i = 0; i < devices->count; i++)
        pm_table_row(table, &devices->items[i], NULL);
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

static const struct pm_column environment_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_environment, name)},
    {"framework", "framework", PM_CELL_TEXT, PM_MEMBER(struct pm_environment, framework)},
    {"version", "version", PM_CELL_TEXT, PM_MEMBER(struct pm_environment, version)},
    {"origin", "origin", PM_CELL_TEXT, PM_WORD(struct pm_environment, origin, origin)},
    {"interpreter", "interpreter", PM_CELL_TEXT, PM_MEMBER(struct pm_environment, python)},
};

int pm_list_environments(enum pm_report_format format, unsigned width, struct pm_error *err)
{
    struct pm_environments environments = {0};
    PM_TRY(pm_environments_load(&environments, err));
    struct pm_table *table = pm_table_new("environments", "Python environments with a framework");
    pm_table_columns(table, environment_columns, false);
    for (size_t i = 0; i < environments.count; i++)
        pm_table_row(table, &environments.items[i], NULL);
    pm_environments_release(&environments);
    return write_table(table, "Environments", format, width, err);
}

static void say_line(void *ctx, const char *line)
{
    const struct pm_messages *messages = ctx;
    fprintf(messages->out, "%s\n", line);
}

bool pm_core__person_agrees(void *ctx)
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
                                             .build = request->build,
                                             .python = request->python,
                                             .say = say_line,
                                             .agree = request->ask ? pm_core__person_agrees : NULL,
                                             .ctx = (void *)(uintptr_t)messages};
    return pm_environment_create(&plan, err);
}

int pm_add_environment(const char *name, const char *framework, const char *python,
                       const char *const *imports, size_t import_count, struct pm_error *err)
{
    return pm_environment_add(name ? name : framework, framework, python, imports, import_count,
                              err);
}

int pm_remove_environment(const char *name, struct pm_error *err)
{
    return pm_environment_remove(name, err);
}

/* ---- suites ---- */

struct suite_row {
    const char *function, *file;
    size_t cases, executions;         /* a case is one execution for each of its dtypes */
    size_t kinds[PM_CASE_KIND_COUNT]; /* how many executions have each kind */
    bool host_only;
};

#define KIND(name) PM_CELL_COUNT, PM_MEMBER(struct suite_row, kinds[PM_CASE_KIND_##name])

static const struct pm_column suite_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct suite_row, function)},
    {"cases", "cases", PM_CELL_COUNT, PM_MEMBER(struct suite_row, cases)},
    {"executions", "cases by dtype", PM_CELL_COUNT, PM_MEMBER(struct suite_row, executions)},
    {"core", "core", KIND(CORE)},
    {"dtype", "dtype", KIND(DTYPE)},
    {"edge", "edge", KIND(EDGE)},
    {"host_only", "host-only", PM_CELL_MARK, PM_YES(struct suite_row, host_only)},
    {"file", "file", PM_CELL_NAME, PM_MEMBER(struct suite_row, file)},
};
_Static_assert(PM_CASE_KIND_COUNT == 3, "each kind has a column");

static void add_function(struct pm_table *table, const struct pm_suite *suite,
                         const struct pm_function *function, size_t *bases)
{
    struct suite_row row = {.function = function->name,
                            .file = function->file,
                            .executions = function->case_count,
                            .host_only = function->host_only};
    for (size_t k = 0; k < function->case_count; k++) {
        const struct pm_case *c = &suite->cases[function->first_case + k];
        row.cases += k == 0 || strcmp(c->base, c[-1].base);
        row.kinds[c->kind]++;
    }
    pm_table_row(table, &row, NULL);
    *bases += row.cases;
}

static void function_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_case *c = from->row;
    pm_table_text(table, c->function->name);
}

static void dtype_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_case *c = from->row;
    pm_table_text(table, c->has_dtype ? pm_dtype_name(c->dtype) : "");
}

static void line_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_case *c = from->row;
    pm_table_count(table, c->line);
}

static const struct pm_column case_columns[] = {
    {"function", "function", PM_CELL_NAME, .cell = function_cell},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct pm_case, name)},
    {"dtype", "dtype", PM_CELL_WORD, .cell = dtype_cell},
    {"kind", "kind", PM_CELL_WORD, PM_WORD(struct pm_case, kind, case_kind)},
    {"line", "line", PM_CELL_COUNT, .cell = line_cell},
};

static struct pm_table *cases_of_suite(const struct pm_suite *suite)
{
    struct pm_table *table = pm_table_new("suite_cases", "Cases and their kinds");
    pm_table_columns(table, case_columns, false);
    for (size_t i = 0; i < suite->case_count; i++)
        pm_table_row(table, &suite->cases[i], NULL);
    return table;
}

int pm_list_suite(const char *framework, const char *const *paths, size_t path_count,
                  enum pm_report_format format, unsigned width, struct pm_error *err)
{
    struct pm_suite suite = {0};
    const struct pm_framework *known;
    char *version = NULL;
    PM_TRY(pm_framework_need(framework, &known, err));
    PM_TRY(pm_suite_load_default(&suite, framework, pm_framework_case_words(), paths, path_count,
                                 err));
    PM_TRY(pm_suite_version(path_count, &version, err));
    struct pm_table *table = pm_table_new("suite", "Functions and their cases");
    pm_table_columns(table, suite_columns, false);
    size_t all = 0;
    for (size_t f = 0; f < suite.function_count; f++)
        add_function(table, &suite, &suite.functions[f], &all);
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
