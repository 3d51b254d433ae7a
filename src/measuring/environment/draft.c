/* Finds a call of a function that runs, for a new case file. */
#include "environment/environment_private.h"

enum { MOST_MS = 300000 };

/* Keeps the driver's answer; other lines are ignored, because a framework may print some while it
 * is imported. */
static int take_answer(void *ctx, const char *line, struct pm_error *err)
{
    json_t **out = ctx, *answer = json_loads(line, 0, NULL);
    (void)err;
    if (json_object_get(answer, "found")) {
        json_decref(*out);
        *out = json_incref(answer);
    }
    json_decref(answer);
    return PM_OK;
}

int pm_environment_draft(const struct pm_environment *environment, const char *function,
                         bool unconfined, json_t **out, struct pm_error *err)
{
    const struct pm_environment_trial trial = {.driver = "draft.py",
                                               .purpose = "try calls",
                                               .request = json_pack("{s:s}", "function", function),
                                               .timeout_ms = MOST_MS,
                                               .unconfined = unconfined};
    *out = NULL;
    int rc = pm_environment_try(environment, &trial, take_answer, out, err);
    if (!rc && !*out)
        rc = pm_error_set(err, PM_EIO,
                          "drivers/draft.py gave no answer for '%s' with '%s': install portmeter "
                          "again",
                          function, environment->python);
    if (rc) {
        json_decref(*out);
        *out = NULL;
    }
    json_decref(trial.request);
    return rc;
}
