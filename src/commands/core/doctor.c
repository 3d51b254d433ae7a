/* pm_doctor(): prints what this machine can measure, the obstacles, and the commands that remove
 * them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/plural.h"
#include "core/core.h"
#include "environment/environment.h"
#include "process/process.h"
#include "report/figure.h"
#include "report/table_columns.h"
#include "report/write.h"

/* The findings, before they are printed. */
struct examination {
    const struct pm_environments *environments;
    struct pm_devices *devices; /* devices of each environment */
    struct pm_table *usable, *problems;
    const char *gpu;   /* kind of the machine's GPU; NULL: it has none */
    size_t frameworks; /* number of frameworks that can be measured */
};

/* ---- what can be measured ------------------------------------------------------------------- */

struct usable_row {
    const struct pm_environment *environment;
    const char *targets, *interpreter;
};

static void environment_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct usable_row *row = from->row;
    pm_table_text(table, row->environment->name);
}

static void version_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct usable_row *row = from->row;
    pm_table_text(table, row->environment->version);
}

static const struct pm_column usable_columns[] = {
    {"environment", "environment", PM_CELL_NAME, .cell = environment_cell},
    {"version", "version", PM_CELL_NAME, .cell = version_cell},
    {"targets", "targets", PM_CELL_TEXT, PM_MEMBER(struct usable_row, targets)},
    {"interpreter", "interpreter", PM_CELL_NAME, PM_MEMBER(struct usable_row, interpreter),
     .only = PM_FOR_PROGRAMS},
};

static enum pm_framework_purpose purpose_of(const struct pm_environment *environment)
{
    return pm_framework_find(environment->framework)->purpose;
}

/* Adds a row for an environment if one of its targets can be measured; returns whether one can be
 * measured. */
static bool add_usable(struct examination *x, size_t environment)
{
    const struct pm_environment *e = &x->environments->items[environment];
    const struct pm_devices *devices = &x->devices[environment];
    struct pm_str targets = PM_STR_INIT;
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].measurable)
            pm_str_addf(&targets, "%s%s", targets.length ? ", " : "", devices->items[i].target);
    const bool usable = targets.length;
    if (usable && purpose_of(e) == PM_FRAMEWORK_ORACLE)
        pm_table_row(x->usable, &(struct usable_row){e, "computes expected results", e->python},
                     NULL);
    else if (usable)
        pm_table_row(x->usable, &(struct usable_row){e, targets.data, e->python}, NULL);
    x->frameworks += usable && purpose_of(e) == PM_FRAMEWORK_STUDIED;
    pm_str_release(&targets);
    return usable;
}

/* ---- the obstacles ----------------------------------------------------------------- */

struct problem_row {
    const char *what, *remedy;
};

static const struct pm_column problem_columns[] = {
    {"problem", "problem", PM_CELL_TEXT, PM_MEMBER(struct problem_row, what)},
    {"remedy", "what removes it", PM_CELL_TEXT, PM_MEMBER(struct problem_row, remedy)},
};

/* Adds an obstacle and its remedy; frees both texts. */
static void add_problem(struct examination *x, char *what, char *remedy)
{
    pm_table_row(x->problems, &(struct problem_row){what, remedy}, NULL);
    free(what);
    free(remedy);
}

/* Adds the obstacle that no target of an environment can be measured, with the reason for the first
 * target. Adds nothing if the framework reports no device. */
static void add_broken(struct examination *x, size_t environment)
{
    const struct pm_environment *e = &x->environments->items[environment];
    const struct pm_devices *devices = &x->devices[environment];
    char *remedy =
        e->origin == PM_ORIGIN_MADE
            ? pm_format("portmeter env remove %s, then portmeter env create %s", e->name, e->name)
        : e->origin == PM_ORIGIN_ADDED
            ? pm_format("repair the interpreter, or run portmeter env remove %s", e->name)
            : pm_format("repair the interpreter, or run portmeter env create %s", e->name);
    if (devices->count)
        add_problem(x, pm_format("%s (%s): %s", e->name, e->python, devices->items[0].why_not),
                    remedy);
    else
        free(remedy);
}

/* Returns a framework's device, such as "pytorch@cuda", in any of its environments, preferably one
 * in which the device can be measured; NULL if no environment lists it. */
static const struct pm_device *find_device(const struct examination *x, const char *framework,
                                           const char *device)
{
    const struct pm_device *found = NULL;
    for (size_t i = 0; i < x->environments->count; i++)
        for (size_t k = 0; k < x->devices[i].count; k++) {
            const struct pm_device *row = &x->devices[i].items[k];
            const char *at = strchr(row->target, '@');
            if (!strcmp(x->environments->items[i].framework, framework) && at &&
                !strcmp(at + 1, device) && (!found || row->measurable))
                found = row;
        }
    return found;
}

/* Adds an obstacle for each framework whose installed build cannot use the machine's GPU. */
static void look_for_gpu(struct examination *x)
{
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; x->gpu && i < count; i++) {
        const struct pm_device *device = find_device(x, frameworks[i].name, x->gpu);
        const struct pm_device *cpu = find_device(x, frameworks[i].name, "cpu");
        if (device && !device->measurable && cpu && cpu->measurable)
            add_problem(x,
                        pm_format("%s: the machine has such a GPU, but %s", device->target,
                                  device->why_not),
                        pm_format("portmeter env create %s --%s", frameworks[i].name, x->gpu));
    }
}

static void add_missing(struct examination *x, const struct pm_recipe *recipe, const char *data)
{
    uint64_t left;
    if (!pm_folder_free_bytes(data, &left, NULL) && left < recipe->bytes)
        add_problem(
            x,
            pm_format(
                "%s is not here, and its environment needs %s: the disk of '%s' has only %.1f "
                "GB free",
                recipe->name, recipe->size, data, (double)left / 1e9),
            pm_format("PORTMETER_DATA=/another/disk portmeter env create %s", recipe->name));
    else
        add_problem(x, pm_format("%s is not here", recipe->name),
                    pm_format("portmeter env create %s (%s)", recipe->name, recipe->size));
}

/* Adds the environments that can be created, and an obstacle if this machine cannot create any. */
static int look_for_missing(struct examination *x, struct pm_error *err)
{
    size_t count;
    bool any = false;
    char *data;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    PM_TRY(pm_path_data(&data, err));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++) {
            const struct pm_recipe *recipe = &frameworks[i].recipes[k];
            if (recipe->by_choice || pm_environments_find(x->environments, recipe->name))
                continue;
            add_missing(x, recipe, data);
            any = true;
        }
    free(data);
    struct pm_error why = {{0}};
    const int rc = any ? pm_environment_check_maker(&why) : PM_OK;
    if (rc == PM_ESTOPPED)
        return pm_error_set(err, rc, "%s", why.text);
    const char *colon = strchr(why.text, ':');
    if (rc)
        add_problem(x, pm_strndup(why.text, strcspn(why.text, ":")),
                    pm_strdup(colon ? colon + strspn(colon, ": ") : ""));
    return PM_OK;
}

/* ---- the machine ---------------------------------------------------------------------------- */

static bool setting_is(const char *path, char value)
{
    struct pm_str text = PM_STR_INIT;
    const bool is = !pm_file_read(path, &text, NULL) && text.length && text.data[0] == value;
    pm_str_release(&text);
    return is;
}

/* Returns how to allow namespaces: the command for the setting of the kernel that forbids them; if
 * no known setting does, the option for a container. */
static const char *what_allows_namespaces(void)
{
    if (setting_is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
        return "as root: sysctl kernel.unprivileged_userns_clone=1";
    if (setting_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
        return "as root: sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    if (setting_is("/proc/sys/user/max_user_namespaces", '0'))
        return "as root: sysctl user.max_user_namespaces=10000";
    return "in a container: start it with --security-opt seccomp=unconfined";
}

static void look_at_machine(struct examination *x)
{
    const double load = pm_cpus_load(NULL);
    const unsigned cores = pm_cpus_physical();
    if (pm_cpus_are_busy(load, cores))
        add_problem(x,
                    pm_format("the machine is busy (load %.1f on %u core%s): latencies may be "
                              "INVALID; outcomes are not affected",
                              load, cores, pm_plural(cores)),
                    pm_strdup("wait, or measure outcomes only: portmeter study --quick"));
    if (!pm_process_can_contain())
        add_problem(x,
                    pm_strdup("no PID namespaces: measuring works, but if a run is killed, "
                              "processes of its cases keep running until portmeter run --resume"),
                    pm_strdup(what_allows_namespaces()));
    if (!pm_figure_can_draw())
        add_problem(x, pm_strdup("no gnuplot: reports have no figures"),
                    pm_strdup(PM_FIGURE_ADVICE));
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int examine(struct examination *x, const struct pm_messages *messages, struct pm_error *err)
{
    for (size_t i = 0; i < x->environments->count; i++) {
        const struct pm_environment *e = &x->environments->items[i];
        if (purpose_of(e) == PM_FRAMEWORK_TEST)
            continue;
        if (messages->terminal)
            fprintf(messages->out, "\033[Kasking %s ...\r", e->name);
        PM_TRY(pm_devices_probe(e, &x->devices[i], err));
        if (!add_usable(x, i))
            add_broken(x, i);
    }
    look_for_gpu(x);
    PM_TRY(look_for_missing(x, err));
    look_at_machine(x);
    return PM_OK;
}

/* Makes the report, which becomes the owner of the tables of `x`. The caller frees the report. */
static struct pm_report *report_of(const struct examination *x)
{
    struct pm_report *report = pm_report_new("This machine");
    pm_report_take_table(report, x->usable);
    pm_report_take_table(report, x->problems);
    if (x->frameworks)
        pm_report_command(report, "next", "portmeter study --quick",
                          "measures what works here, in minutes");
    else
        pm_report_command(report, "next", "portmeter env add FRAMEWORK PYTHON",
                          "registers an interpreter that has a framework");
    return report;
}

int pm_doctor(enum pm_report_format format, unsigned width, const struct pm_messages *messages,
              struct pm_error *err)
{
    struct pm_environments environments = {0};
    PM_TRY(pm_environments_load(&environments, err));
    struct examination x = {
        .environments = &environments,
        .devices = pm_alloc((environments.count + 1) * sizeof *x.devices),
        .usable = pm_table_new("can_measure", "What can be measured"),
        .problems = pm_table_new("obstacles", "Obstacles"),
        .gpu = pm_gpu_of_machine("/dev"),
    };
    pm_table_columns(x.usable, usable_columns, format == PM_FORMAT_TEXT);
    pm_table_columns(x.problems, problem_columns, format == PM_FORMAT_TEXT);
    int rc = examine(&x, messages, err);
    if (messages->terminal)
        fputs("\033[K", messages->out);
    struct pm_report *report = report_of(&x);
    if (!rc)
        rc = pm_report_write(report, format, width, false, NULL, err);
    pm_report_free(report);
    for (size_t i = 0; i < environments.count; i++)
        pm_devices_release(&x.devices[i]);
    free(x.devices);
    pm_environments_release(&environments);
    return rc;
}
