/* Adds JSON functions that jansson lacks. */
#include "base/json.h"
#include "base/line.h"

#include "base/str.h"

int pm_json_parse(const char *bytes, size_t length, json_t **out, struct pm_error *err)
{
    json_error_t why;
    *out = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    if (*out)
        return PM_OK;
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, why.text, sizeof why.text);
    pm_error_set(err, PM_EFORMAT, "line %d, column %d: %s", why.line, why.column, line.data);
    pm_str_release(&line);
    return PM_EFORMAT;
}

char *pm_json_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    if (!text)
        PM_BUG("a value cannot be written as JSON");
    return text;
}

const char *pm_json_string(const json_t *object, const char *key, const char *fallback)
{
    const json_t *member = json_object_get(object, key);
    return json_is_string(member) ? json_string_value(member) : fallback;
}

int64_t pm_json_int(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *member = json_object_get(object, key);
    return json_is_integer(member) ? json_integer_value(member) : fallback;
}

double pm_json_real(const json_t *object, const char *key, double fallback)
{
    const json_t *member = json_object_get(object, key);
    return json_is_number(member) ? json_number_value(member) : fallback;
}

bool pm_json_bool(const json_t *object, const char *key, bool fallback)
{
    const json_t *member = json_object_get(object, key);
    return json_is_boolean(member) ? json_is_true(member) : fallback;
}

int64_t pm_json_int_in(const json_t *object, const char *key, int64_t least, int64_t most,
                       int64_t fallback)
{
    const json_t *member = json_object_get(object, key);
    const json_int_t value = json_integer_value(member);
    return json_is_integer(member) && value >= least && value <= most ? value : fallback;
}

bool pm_json_is_deeper(const json_t *value, unsigned levels)
{
    const char *key;
    json_t *member;
    size_t i;
    if (!json_is_array(value) && !json_is_object(value))
        return false;
    if (levels == 0)
        return true;
    json_array_foreach(value, i, member)
        if (pm_json_is_deeper(member, levels - 1))
            return true;
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
        if (pm_json_is_deeper(member, levels - 1))
            return true;
    return false;
}
