/* Recognises numbers among JSON values: numbers to which tolerances apply, and numbers that can be
 * converted to an array. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "judge/judge_private.h"

/* Returns the text of a number that JSON cannot represent, as in {"float": "inf"}: "inf", "-inf" or
 * "nan". NULL for other values. */
static const char *text_of_float(const json_t *value)
{
    static const char *const texts[] = {"inf", "-inf", "nan"};
    const char *text = pm_json_string(value, "float", NULL);
    if (!text || json_object_size(value) != 1)
        return NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(text, texts[i]) == 0)
            return text;
    return NULL;
}

static bool is_real(const json_t *value)
{
    return json_is_real(value) || text_of_float(value);
}

static const json_t *parts_of_complex(const json_t *value)
{
    const json_t *parts = json_object_get(value, "complex");
    const bool is_complex = json_object_size(value) == 1 && json_array_size(parts) == 2 &&
                            is_real(json_array_get(parts, 0)) && is_real(json_array_get(parts, 1));
    return is_complex ? parts : NULL;
}

bool pm_judge__is_complex(const json_t *value)
{
    return parts_of_complex(value) != NULL;
}

bool pm_judge__is_inexact(const json_t *value)
{
    return is_real(value) || pm_judge__is_complex(value);
}

static double number_of(const json_t *real)
{
    const char *text = text_of_float(real);
    return text ? strtod(text, NULL) : json_real_value(real);
}

double pm_judge__real(const json_t *value)
{
    const json_t *parts = parts_of_complex(value);
    return number_of(parts ? json_array_get(parts, 0) : value);
}

double pm_judge__imag(const json_t *value)
{
    const json_t *parts = parts_of_complex(value);
    return parts ? number_of(json_array_get(parts, 1)) : 0;
}

bool pm_judge__number_array(const json_t *value, struct pm_array *out)
{
    const struct pm_shape scalar = {0};
    const bool inexact = pm_judge__is_inexact(value);
    const enum pm_dtype dtype = json_is_boolean(value)        ? PM_BOOL
                                : json_is_integer(value)      ? PM_INT64
                                : pm_judge__is_complex(value) ? PM_COMPLEX128
                                                              : PM_FLOAT64;
    if ((!inexact && !json_is_boolean(value) && !json_is_integer(value)) ||
        pm_array_init(out, dtype, &scalar, NULL))
        return false;
    if (inexact)
        pm_array_set(out, 0, pm_judge__real(value), pm_judge__imag(value));
    else
        pm_array_set_int(out, 0, json_is_true(value) ? 1 : json_integer_value(value));
    return true;
}
