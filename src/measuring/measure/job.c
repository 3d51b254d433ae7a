/* Makes the RUN frame of a case, and the arrays that a child requests. */
#include "measure/job.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

enum { MOST_ARRAYS_ASKED = 4096 };
static const size_t MOST_BYTES_GIVEN = (size_t)1 << 30;

static json_t *strings(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(items[i]));
    return list;
}

static json_t *shape_json(const struct pm_shape *shape)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < shape->dims; i++)
        json_array_append_new(list, json_integer(shape->size[i]));
    return list;
}

/* Appends the array's bytes to the body and describes them: name, dtype, shape, offset, digest. */
static json_t *describe_array(const char *name, const struct pm_array *array, struct pm_str *body)
{
    const struct pm_digest digest =
        pm_digest_of(array->dtype, &array->shape, array->data, array->bytes);
    json_t *entry = json_pack("{s:s, s:s, s:o, s:I, s:I, s:s}", "name", name, "dtype",
                              pm_dtype_name(array->dtype), "shape", shape_json(&array->shape),
                              "offset", (json_int_t)body->length, "bytes", (json_int_t)array->bytes,
                              "digest", digest.hex);
    pm_str_add_bytes(body, array->data, array->bytes);
    return entry;
}

static int describe_input(const struct pm_case *c, size_t i, size_t k, uint64_t seed, json_t *list,
                          struct pm_str *body, struct pm_error *err)
{
    const struct pm_input *input = &c->inputs[i];
    if (input->is_literal) {
        json_array_append_new(
            list, json_pack("{s:s, s:O}", "name", input->name, "literal", input->literal));
        return PM_OK;
    }
    if (input->is_key) {
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "name", input->name, "key", (json_int_t)input->key));
        return PM_OK;
    }
    struct pm_input_spec spec;
    struct pm_array array = {0};
    PM_TRY(pm_suite_input(c, i, k, &spec, err));
    char *key = c->across ? pm_format("across/%s/%s/%s", c->across,
                                      c->has_dtype ? pm_dtype_name(c->dtype) : "", input->name)
                          : pm_format("%s/%s/%s", c->function->name, c->name, input->name);
    const int rc = pm_generate(&spec, key, seed, &array, err);
    free(key);
    PM_TRY(rc);
    json_t *entry = describe_array(input->name, &array, body);
    json_object_set_new(entry, "host", json_boolean(spec.on_host));
    json_array_append_new(list, entry);
    pm_array_release(&array);
    return PM_OK;
}

static int describe_inputs(const struct pm_case *c, size_t k, uint64_t seed, json_t **out,
                           struct pm_str *body, struct pm_error *err)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->input_count; i++) {
        const int rc = describe_input(c, i, k, seed, list, body, err);
        if (rc) {
            json_decref(list);
            return rc;
        }
    }
    *out = list;
    return PM_OK;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

static json_t *describe_case(const struct pm_case *c)
{
    json_t *h = json_object();
    set_text(h, "function", c->function->name);
    set_text(h, "case", c->name);
    set_text(h, "context", c->context);
    set_text(h, "setup", c->setup);
    set_text(h, "call", c->call);
    set_text(h, "output", c->output);
    set_text(h, "expect", c->expect);
    set_text(h, "check", c->check);
    set_text(h, "repeat", pm_repeat_text(c->repeat));
    set_text(h, "compare", pm_compare_text(c->compare));
    set_text(h, "dtype", c->has_dtype ? pm_dtype_name(c->dtype) : NULL);
    json_object_set_new(h, "arguments", strings(c->arguments, c->argument_count));
    json_object_set_new(h, "modules", strings(c->modules, c->module_count));
    json_object_set_new(h, "requires", strings(c->requires, c->require_count));
    json_object_set_new(h, "host_outputs", strings(c->host_outputs, c->host_output_count));
    if (c->is_absence)
        json_object_set_new(h, "absent", json_deep_copy(c->function->absent));
    json_object_set_new(h, "process", c->process ? json_deep_copy(c->process) : json_object());
    json_object_set_new(h, "backward", json_boolean(c->backward));
    json_object_set_new(h, "host_only", json_boolean(c->function->host_only));
    return h;
}

unsigned pm_measure__timeout_ms(double seconds)
{
    const double ms = seconds * 1000 + 0.5;
    return ms < 1 ? 1 : ms < 1e9 ? (unsigned)ms : 1000000000u;
}

int pm_measure__job_make(const struct pm_case *c, const struct job_options *options,
                         struct pm_job *job, struct pm_error *err)
{
    json_t *h = describe_case(c);
    struct pm_str body = PM_STR_INIT;
    json_t *inputs = NULL;
    int rc = PM_OK;
    if (c->shape_count) {
        json_t *series = json_array();
        for (size_t k = 0; k < c->shape_count && !rc; k++) {
            rc = describe_inputs(c, k, options->seed, &inputs, &body, err);
            if (!rc)
                json_array_append_new(series, inputs);
        }
        json_object_set_new(h, "series", series);
    } else {
        rc = describe_inputs(c, 0, options->seed, &inputs, &body, err);
        if (!rc)
            json_object_set_new(h, "inputs", inputs);
    }
    if (rc) {
        json_decref(h);
        pm_str_release(&body);
        return pm_error_prefix(err, rc, "%s:%d: case '%s'", c->file, c->line, c->name);
    }
    json_object_set_new(h, "execution", json_integer(options->execution));
    json_object_set_new(h, "rehearse", json_boolean(options->rehearse));
    json_object_set_new(h, "purity", json_boolean(options->purity));
    json_object_set_new(h, "needs", json_boolean(options->needs));
    *job = (struct pm_job){.header = h, .body = body, .timeout_ms = options->timeout_ms};
    return PM_OK;
}

/* Reads one request for at most `room` bytes; nothing in it is trusted. */
static int parse_request(const json_t *request, size_t room, struct pm_input_spec *spec,
                         struct pm_error *err)
{
    const char *dtype = pm_json_string(request, "dtype", "");
    const json_t *shape = json_object_get(request, "shape");
    const double scale = pm_json_real(request, "scale", 1.0);
    *spec = (struct pm_input_spec){.distribution = PM_UNIFORM, .argument = {-scale, scale}};
    if (!pm_dtype_parse(dtype, &spec->dtype) || pm_dtype_kind(spec->dtype) < PM_KIND_FLOAT)
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested an array of dtype '%.20s', which is "
                            "neither floating nor complex",
                            dtype);
    if (!json_is_array(shape) || json_array_size(shape) > PM_MAX_DIMS || !(scale > 0))
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested an array, but 'shape' is not a list "
                            "of at most %d sizes, or 'scale' is not above 0",
                            PM_MAX_DIMS);
    size_t i;
    json_t *size;
    json_array_foreach(shape, i, size)
        spec->shape.size[spec->shape.dims++] =
            json_is_integer(size) ? json_integer_value(size) : -1;
    size_t count;
    if (!pm_shape_count(&spec->shape, &count))
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested an array whose shape is invalid or "
                            "too large");
    if (count > room / pm_dtype_size(spec->dtype))
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested more than 1 GiB of arrays");
    return PM_OK;
}

int pm_measure__job_give(const struct pm_case *c, uint64_t seed, const struct pm_frame *ask,
                         json_t *header, struct pm_str *body, struct pm_error *err)
{
    const json_t *requests = json_object_get(ask->header, "arrays");
    if (!json_is_array(requests) || json_array_size(requests) > MOST_ARRAYS_ASKED)
        return pm_error_set(err, PM_EFORMAT,
                            "the process of the case requested arrays, but 'arrays' is not a list "
                            "of at most %d items",
                            MOST_ARRAYS_ASKED);
    json_t *given = json_array();
    json_object_set_new(header, "arrays", given);
    size_t i;
    json_t *request;
    json_array_foreach(requests, i, request) {
        struct pm_input_spec spec;
        struct pm_array array = {0};
        PM_TRY(parse_request(request, MOST_BYTES_GIVEN - body->length, &spec, err));
        const char *name = pm_json_string(request, "name", "");
        char *key = pm_format("%s/%s/%s", c->function->name, c->name, name);
        const int rc = pm_generate(&spec, key, seed, &array, err);
        free(key);
        if (rc)
            return pm_error_prefix(err, PM_EFORMAT, "the process of the case requested '%.40s'",
                                   name);
        json_array_append_new(given, describe_array(name, &array, body));
        pm_array_release(&array);
    }
    return PM_OK;
}
