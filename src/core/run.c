/* pm_run(): a run from options to judgement. */
#include "core/core.h"

int pm_run(const struct pm_run_options *options, const struct pm_talk *talk,
           struct pm_run_result *out, struct pm_error *err)
{
    *out = (struct pm_run_result){0};
    PM_TRY(pm_measure_run(options, talk, &out->run, err));
    return out->run.run_id ? pm_assess_db(options->db, out->run.run_id, 0, &out->judged, err)
                           : PM_OK;
}
