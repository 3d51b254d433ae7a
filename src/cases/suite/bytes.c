/* Checks that a case file is plain text, and not too long. */
#include "base/plain.h"
#include "suite/suite_private.h"

int pm_suite__check_bytes(const char *path, const char *bytes, size_t length, struct pm_error *err)
{
    if (length > PM_SUITE__MAX_BYTES)
        return pm_error_set(
            err, PM_EFORMAT,
            "%s:1:1: the file has %zu bytes, more than portmeter's limit of %zu: remove cases",
            path, length, PM_SUITE__MAX_BYTES);
    return pm_plain_check(path, bytes, length, err);
}
