/* The inputs of a stored case, with the values that its run had. */
#include <stdlib.h>
#include <string.h>

#include "array/generate.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "explain/explain_private.h"

#define LITERAL "literal "

/* The specification with the first shape of a series in it; the caller frees. */
static char *with_shape(const char *text, const json_t *definition)
{
    const char *place = strstr(text, "$shape");
    const json_t *shape = json_array_get(json_object_get(definition, "shapes"), 0);
    struct pm_str out = PM_STR_INIT;
    if (!place || !shape)
        return pm_strdup(text);
    pm_str_add_bytes(&out, text, (size_t)(place - text));
    for (size_t i = 0; i < json_array_size(shape); i++)
        pm_str_addf(&out, "%s%lld", i ? "," : "",
                    (long long)json_integer_value(json_array_get(shape, i)));
    pm_str_add(&out, place + strlen("$shape"));
    return pm_str_detach(&out);
}

/* body NULL: without values. */
static int add_array(const struct pm_explain__failure *failure, const char *name, const char *text,
                     json_t *list, struct pm_str *body, struct pm_error *err)
{
    struct pm_input_spec spec;
    struct pm_array array = {0};
    PM_TRY(pm_input_parse(text, &spec, err));
    char *key = pm_format("%s/%s/%s", failure->function, failure->name, name);
    const int rc = body ? pm_generate(&spec, key, (uint64_t)failure->seed, &array, err) : PM_OK;
    free(key);
    PM_TRY(rc);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:b}", "name", name, "spec",
                                          text, "dtype", pm_dtype_name(spec.dtype), "offset",
                                          (json_int_t)(body ? body->length : 0), "bytes",
                                          (json_int_t)array.bytes, "host", spec.on_host));
    if (body)
        pm_str_add_bytes(body, array.data, array.bytes);
    pm_array_release(&array);
    return PM_OK;
}

static int add_input(const struct pm_explain__failure *failure, const char *name, const char *text,
                     json_t *list, struct pm_str *body, struct pm_error *err)
{
    if (pm_starts_with(text, LITERAL)) {
        json_t *value = json_loads(text + strlen(LITERAL), JSON_DECODE_ANY, NULL);
        if (!value)
            return pm_error_set(err, PM_EFORMAT,
                                "input '%s' of a stored case is not JSON: measure the case again",
                                name);
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "literal", value));
        return PM_OK;
    }
    char *whole = with_shape(text, failure->definition);
    const int rc = add_array(failure, name, whole, list, body, err);
    free(whole);
    return rc;
}

int pm_explain__inputs(const struct pm_explain__failure *failure, const char *body, json_t **out,
                       struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    const char *name;
    json_t *text;
    int rc = PM_OK;
    *out = json_array();
    json_object_foreach(json_object_get(failure->definition, "inputs"), name, text) {
        if (!rc && json_is_string(text))
            rc = add_input(failure, name, json_string_value(text), *out, body ? &bytes : NULL, err);
    }
    if (!rc && body)
        rc = pm_file_write(body, bytes.data, bytes.length, err);
    pm_str_release(&bytes);
    return rc;
}
