/* Asks a framework for a first call of a function: runs drivers/draft.py in a separate process. */
#include <stdlib.h>

#include "base/file.h"
#include "environment/environment_private.h"
#include "process/process.h"

static const struct pm_process_watch draft_watch = {.timeout_ms = 300000};

static int ask(const struct pm_environment *environment, const char *function,
               struct pm_process_end *end, struct pm_error *err)
{
    char *home;
    PM_TRY(pm_path_home(&home, err));
    char *script = pm_path_join(home, "drivers/draft.py");
    char *imports = pm_environment__imports(environment);
    const char *const argv[] = {environment->python, script, environment->framework, function,
                                NULL};
    const char *const variables[] = {"PYTHONHASHSEED=0", imports, NULL};
    const struct pm_process_plan plan = {.argv = argv, .environment = variables};
    const int rc = pm_process_run(&plan, &draft_watch, end, err);
    free(imports);
    free(script);
    free(home);
    return rc;
}

int pm_environment_draft(const struct pm_environment *environment, const char *function,
                         json_t **out, struct pm_error *err)
{
    struct pm_process_end end = {.output = PM_STR_INIT};
    struct pm_str how = PM_STR_INIT;
    int rc = ask(environment, function, &end, err);
    if (rc)
        return rc;
    *out = pm_environment__last_line(&end.output);
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        pm_process_end_text(&end, &draft_watch, &how);
        rc = pm_error_set(err, PM_EIO,
                          "cannot try calls of '%s' with '%s': %s: check this interpreter",
                          function, environment->python, how.data);
    }
    pm_str_release(&how);
    pm_process_end_release(&end);
    return rc;
}
