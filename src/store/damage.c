/* The line about a damaged database. */
#include <stdarg.h>

#include "store/store_private.h"

static const char REMEDY[] = "restore a copy, or measure again";

int pm_store_damaged(const struct pm_store *store, struct pm_error *err, const char *format, ...)
{
    char why[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return pm_error_set(err, PM_EFORMAT, "database '%s' is damaged: %s: %s", store->path, why,
                        REMEDY);
}

int pm_store_json(const struct pm_store *store, const char *text, json_t **out, const char *what,
                  int64_t row, const char *column, struct pm_error *err)
{
    *out = json_loads(text, 0, NULL);
    return *out ? PM_OK
                : pm_store_damaged(store, err, "%s %lld, %s is not JSON", what, (long long)row,
                                   column);
}
