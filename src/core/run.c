/* pm_run(): measures, then judges. */
#include "base/stop.h"
#include "core/core.h"

int pm_run(const struct pm_run_options *options, const struct pm_messages *messages,
           struct pm_run_result *out, struct pm_error *err)
{
    *out = (struct pm_run_result){0};
    PM_TRY(pm_measure_run(options, messages, &out->run, err));
    if (!out->run.run_id)
        return PM_OK;
    struct pm_error why;
    const int rc = pm_assess_db(options->db, out->run.run_id, 0, &out->judged, &why);
    if (rc == PM_ESTOPPED)
        return pm_error_set(err, rc, "%s: run %lld is measured but not judged: run portmeter judge",
                            why.text, (long long)out->run.run_id);
    return rc ? pm_error_set(err, rc, "%s", why.text) : PM_OK;
}
