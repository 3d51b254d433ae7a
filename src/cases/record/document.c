/* Reads recording.json into structs. */
#include "record/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

static struct pm_recorded_place place_of(const json_t *row, const char *calls)
{
    return (struct pm_recorded_place){.path = pm_json_string(row, "path", ""),
                                      .line = pm_json_int(row, "line", 0),
                                      .column = pm_json_int(row, "column", 0),
                                      .first = pm_json_int(row, "first", 0),
                                      .calls = pm_json_int(row, calls, 0)};
}

static struct pm_recorded_call call_of(const json_t *row)
{
    const json_t *shapes = json_object_get(row, "shapes");
    return (struct pm_recorded_call){.place = place_of(row, "count"),
                                     .function = pm_json_string(row, "function", ""),
                                     .framework = pm_json_string(row, "framework", ""),
                                     .form = pm_json_string(row, "form", ""),
                                     .raised = pm_json_int(row, "raised", 0),
                                     .traced = pm_json_int(row, "traced", 0),
                                     .ns = pm_json_int(row, "ns", 0),
                                     .outer = pm_json_int(row, "outer", 0),
                                     .outer_ns = pm_json_int(row, "outer_ns", 0),
                                     .described = pm_json_int(row, "described", 0),
                                     .fresh = pm_json_int(row, "new", 0),
                                     .fresh_ns = pm_json_int(row, "new_ns", 0),
                                     .shapes = pm_json_int(shapes, "count", -1),
                                     .variable = pm_json_int(shapes, "variable", -1),
                                     .varies = pm_json_string(shapes, "varies", ""),
                                     .examples = json_object_get(shapes, "examples")};
}

/* Sets what a recording of an older version does not say of the outermost calls at a place: their
 * number is in proportion to all calls, and the first place made the first call. */
static void add_missing(struct pm_recorded_case *c, size_t i)
{
    struct pm_recorded_place *place = &c->places[i];
    if (place->outer < 0)
        place->outer = c->calls > 0
                           ? (int64_t)((double)place->calls * (double)c->outer / (double)c->calls)
                           : 0;
    if (place->first_outer < 0)
        place->first_outer = !i && c->outer > 0;
}

static struct pm_recorded_case case_of(const json_t *row)
{
    const json_t *places = json_object_get(row, "places");
    struct pm_recorded_case c = {.name = pm_json_string(row, "case", ""),
                                 .calls = pm_json_int(row, "calls", 0),
                                 .ns = pm_json_int(row, "ns", 0),
                                 .outer = pm_json_int(row, "outer", 0),
                                 .outer_ns = pm_json_int(row, "outer_ns", 0),
                                 .host_bytes = pm_json_int(row, "host_bytes", -1),
                                 .device_bytes = pm_json_int(row, "device_bytes", -1),
                                 .moves = pm_json_int(row, "moves", 0) != 0,
                                 .place_count = json_array_size(places)};
    c.places = pm_alloc(c.place_count * sizeof *c.places);
    for (size_t i = 0; i < c.place_count; i++) {
        const json_t *place = json_array_get(places, i);
        c.places[i] = place_of(place, "calls");
        c.places[i].outer = pm_json_int(place, "outer", -1);
        c.places[i].first_outer = pm_json_int(place, "first_outer", -1);
        add_missing(&c, i);
    }
    return c;
}

static struct pm_recorded_function function_of(const json_t *row)
{
    const json_t *cases = json_object_get(row, "signatures");
    struct pm_recorded_function f = {.framework = pm_json_string(row, "framework", ""),
                                     .name = pm_json_string(row, "function", ""),
                                     .text = pm_json_string(row, "text", ""),
                                     .case_count = json_array_size(cases)};
    f.cases = pm_alloc(f.case_count * sizeof *f.cases);
    for (size_t i = 0; i < f.case_count; i++)
        f.cases[i] = case_of(json_array_get(cases, i));
    return f;
}

int pm_recorded_take(json_t *document, struct pm_recorded *out, struct pm_error *err)
{
    const json_t *calls = json_object_get(document, "calls");
    const json_t *files = json_object_get(document, "files");
    *out = (struct pm_recorded){.document = document};
    if (!json_is_array(calls) || !json_is_array(files)) {
        pm_recorded_release(out);
        return pm_error_set(err, PM_EFORMAT, "the list of %s is missing: make the recording again",
                            json_is_array(calls) ? "files" : "calls");
    }
    out->processes = pm_json_int(document, "processes", 0);
    out->took = pm_json_int(document, "took", 0);
    out->signatures = pm_json_int(document, "signatures", 0);
    out->call_count = json_array_size(calls);
    out->calls = pm_alloc(out->call_count * sizeof *out->calls);
    for (size_t i = 0; i < out->call_count; i++)
        out->calls[i] = call_of(json_array_get(calls, i));
    out->function_count = json_array_size(files);
    out->functions = pm_alloc(out->function_count * sizeof *out->functions);
    for (size_t i = 0; i < out->function_count; i++)
        out->functions[i] = function_of(json_array_get(files, i));
    return PM_OK;
}

int pm_recorded_read(const char *folder, struct pm_recorded *out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    json_t *document = NULL;
    char *path = pm_path_join(folder, "recording.json");
    *out = (struct pm_recorded){0};
    int rc = pm_file_read(path, &text, err);
    if (!rc)
        rc = pm_json_parse(text.data, text.length, &document, err);
    if (!rc)
        rc = pm_recorded_take(document, out, err);
    if (rc == PM_EFORMAT)
        rc = pm_error_prefix(err, rc, "'%s' is not a recording", path);
    pm_str_release(&text);
    free(path);
    return rc;
}

void pm_recorded_release(struct pm_recorded *recorded)
{
    for (size_t i = 0; i < recorded->function_count && recorded->functions; i++) {
        for (size_t k = 0; k < recorded->functions[i].case_count; k++)
            free(recorded->functions[i].cases[k].places);
        free(recorded->functions[i].cases);
    }
    free(recorded->functions);
    free(recorded->calls);
    json_decref(recorded->document);
    *recorded = (struct pm_recorded){0};
}
