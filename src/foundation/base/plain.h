/*
 * Checks that a YAML file of a user is plain text, before libfyaml reads it.
 */
#ifndef PM_BASE_PLAIN_H
#define PM_BASE_PLAIN_H

#include <stddef.h>

#include "base/error.h"

/* Checks that the bytes of the file `path` are UTF-8 without a byte order mark, tabs, NUL bytes or
 * other control characters except line ends. Fails with PM_EFORMAT, and names the line and column,
 * if they are not. */
PM_MUST_USE int pm_plain_check(const char *path, const char *bytes, size_t length,
                               struct pm_error *err);

#endif
