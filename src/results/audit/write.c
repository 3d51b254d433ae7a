/* Writes an audit in one of its formats. */
#include "audit/audit_private.h"
#include "base/file.h"

PM_WORDS_DEFINE(audit_format, PM_AUDIT_FORMATS, PM_AUDIT_AS);

int pm_audit_write(const struct pm_audit *audit, const struct pm_audit_how *how,
                   struct pm_error *err)
{
    struct pm_str out = PM_STR_INIT;
    int rc = PM_OK;
    if (how->format == PM_AUDIT_AS_JSON)
        pm_audit__json(audit, &out);
    else if (how->format == PM_AUDIT_AS_SARIF)
        pm_audit__sarif(audit, &out);
    else if (how->format == PM_AUDIT_AS_GITHUB)
        pm_audit__github(audit, &out);
    else
        pm_audit__text(audit, how, &out);
    if (how->output)
        rc = pm_file_write(how->output, out.data, out.length, err);
    else if (fwrite(out.data, 1, out.length, stdout) != out.length || fflush(stdout))
        rc = pm_error_errno(err, "cannot write to standard output");
    pm_str_release(&out);
    return rc;
}
