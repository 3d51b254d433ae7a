/* pm_merge_databases(): merges files, then computes the figures over all shards. */
#include "core/core.h"

int pm_merge_databases(const char *const *files, size_t count, const char *into, bool apart,
                       struct pm_merged *out, struct pm_error *err)
{
    PM_TRY(pm_merge(files, count, into, apart, out, err));
    for (size_t i = 0; i < out->family_count; i++)
        if (!out->families[i].is_scan)
            PM_TRY(pm_assess_shards(into, out->families[i].run, err));
    return PM_OK;
}
