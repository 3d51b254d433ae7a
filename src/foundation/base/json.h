/*
 * JSON functions that jansson lacks: checks, typed look-ups with a fallback, and canonical text.
 * `json_t` ownership follows jansson: functions here borrow their arguments.
 */
#ifndef PM_BASE_JSON_H
#define PM_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Parses one JSON text (bytes need no NUL). Duplicate keys are errors. The caller releases *out.
 * Fails with PM_EFORMAT, with *out NULL. */
PM_MUST_USE int pm_json_parse(const char *bytes, size_t length, json_t **out, struct pm_error *err);

/* Returns whether a text, which must be valid UTF-8, is JSON that jansson can read, nested at most
 * 2,000 levels deep. The outermost value may be of any type. */
bool pm_json_is_valid(const char *text);

/* Returns compact text with sorted keys: equal values give equal text. The caller frees it. */
char *pm_json_text(const json_t *value);

/* Returns the member, or the fallback if it is absent, null or of another type. Strings are
 * borrowed. */
const char *pm_json_string(const json_t *object, const char *key, const char *fallback);
int64_t pm_json_int(const json_t *object, const char *key, int64_t fallback);
double pm_json_real(const json_t *object, const char *key, double fallback);
bool pm_json_bool(const json_t *object, const char *key, bool fallback);
/* Works like pm_json_int(), but also returns the fallback if the number is outside [least,
 * most]. */
int64_t pm_json_int_in(const json_t *object, const char *key, int64_t least, int64_t most,
                       int64_t fallback);

/* Returns whether arrays and objects are nested more than `levels` deep. */
bool pm_json_is_deeper(const json_t *value, unsigned levels);

#endif
