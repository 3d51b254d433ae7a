/* Makes the command line, the environment variables and the key of a driver. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "environment/environment_private.h"

struct variables {
    char **items;
    size_t count, capacity;
};

static void put(struct variables *list, char *owned)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = owned;
}

bool pm_environment__variable_is_set(const char *variable)
{
    char *name = pm_strndup(variable, strcspn(variable, "="));
    const bool is_set = getenv(name) != NULL;
    free(name);
    return is_set;
}

char *pm_environment__imports(const struct pm_environment *environment)
{
    return pm_format("PORTMETER_IMPORT=%s", environment->imports ? environment->imports : "");
}

/* Returns the variable that the table sets for the target's driver; NULL if there is none. */
static const char *variable_of(const struct pm_target *target)
{
    const struct pm_framework *framework = pm_framework_find(target->framework);
    const struct pm_environment__device *device =
        framework ? pm_environment__device_find(framework, target->device) : NULL;
    return device ? device->variable : NULL;
}

/* Sets the number of threads and their binding. Unbound threads move between cores, and one process
 * in four is then hundreds of times slower; bound threads of several processes would share the
 * first cores. */
static void put_threads(struct variables *list, unsigned threads, bool bound)
{
    static const char *const counts[] = {"OMP_NUM_THREADS", "MKL_NUM_THREADS",
                                         "OPENBLAS_NUM_THREADS"};
    put(list, pm_format("OMP_PROC_BIND=%s", bound ? "true" : "false"));
    if (bound)
        put(list, pm_strdup("OMP_PLACES=cores"));
    for (size_t i = 0; threads && i < sizeof counts / sizeof *counts; i++)
        put(list, pm_format("%s=%u", counts[i], threads));
}

int pm_driver_command_make(const struct pm_target *target, const struct pm_environment *environment,
                           unsigned threads, bool bound, struct pm_driver_command *out,
                           struct pm_error *err)
{
    const char *variable = variable_of(target);
    struct variables argv = {0}, variables = {0};
    struct pm_str key = PM_STR_INIT;
    char *home;
    *out = (struct pm_driver_command){0};
    PM_TRY(pm_path_home(&home, err));
    put(&argv, pm_strdup(environment->python));
    put(&argv, pm_path_join(home, "drivers/serve.py"));
    put(&argv, pm_strdup(target->framework));
    put(&argv, NULL);
    put_threads(&variables, threads, bound);
    put(&variables, pm_strdup("PYTHONHASHSEED=0"));
    if (variable && !pm_environment__variable_is_set(variable))
        put(&variables, pm_strdup(variable));
    if (environment->imports && *environment->imports)
        put(&variables, pm_environment__imports(environment));
    pm_str_add(&key, environment->name);
    for (size_t i = 0; i < variables.count; i++)
        pm_str_addf(&key, " %s", variables.items[i]);
    put(&variables, NULL);
    out->key = pm_str_detach(&key);
    out->argv = argv.items;
    out->environment = variables.items;
    free(home);
    return PM_OK;
}

static void free_list(char **list)
{
    for (char **item = list; item && *item; item++)
        free(*item);
    free(list);
}

void pm_driver_command_release(struct pm_driver_command *command)
{
    free(command->key);
    free_list(command->argv);
    free_list(command->environment);
    *command = (struct pm_driver_command){0};
}
