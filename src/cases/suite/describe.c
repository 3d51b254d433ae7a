/* Writes the definition of a case as JSON, and compares versions. */
#include <ctype.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "suite/suite_private.h"

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static void set_texts(json_t *object, const char *key, const char *const *texts, size_t count)
{
    if (!count)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(texts[i]));
    json_object_set_new(object, key, list);
}

static void set_truth(json_t *object, const char *key, bool truth)
{
    if (truth)
        json_object_set_new(object, key, json_true());
}

static json_t *shapes_json(const struct pm_case *c)
{
    json_t *shapes = json_array();
    for (size_t i = 0; i < c->shape_count; i++) {
        json_t *shape = json_array();
        for (unsigned d = 0; d < c->shapes[i].dims; d++)
            json_array_append_new(shape, json_integer(c->shapes[i].size[d]));
        json_array_append_new(shapes, shape);
    }
    return shapes;
}

static void set_values(json_t *object, const struct pm_case *c)
{
    json_t *inputs = json_object();
    for (size_t i = 0; i < c->input_count; i++)
        set_text(inputs, c->inputs[i].name, c->inputs[i].text);
    json_object_set_new(object, "inputs", inputs);
    if (c->has_dtype) {
        const char *dtype = pm_dtype_name(c->dtype);
        set_texts(object, "dtypes", &dtype, 1);
    }
    if (c->tolerance)
        json_object_set_new(object, "tolerance", json_deep_copy(c->tolerance));
    if (c->raises_type)
        json_object_set_new(
            object, "raises",
            json_pack("{s:s, s:s}", "type", c->raises_type, "message", c->raises_message));
    if (c->raises_counts)
        json_object_set_new(json_object_get(object, "raises"), "counts", json_true());
    if (c->shape_count)
        json_object_set_new(object, "shapes", shapes_json(c));
}

static void set_kind(json_t *object, const struct pm_case *c)
{
    set_text(object, "kind", pm_case_kind_text(c->kind));
    if (c->kind_reason)
        json_object_set_new(object, "kind_changed",
                            json_pack("{s:s, s:s}", "from", pm_case_kind_text(c->kind_before),
                                      "reason", c->kind_reason));
}

static void set_needs(json_t *object, const struct pm_case *c)
{
    const char *texts[PM_NEED_COUNT];
    size_t count = 0;
    for (int need = 0; need < PM_NEED_COUNT; need++)
        if (c->needs[need])
            texts[count++] = pm_need_text((enum pm_need)need);
    set_texts(object, "needs", texts, count);
}

json_t *pm_case_json(const struct pm_case *c)
{
    json_t *object = json_object();
    set_text(object, "function", c->function ? c->function->name : NULL);
    set_truth(object, "host_only", c->function && c->function->host_only);
    if (c->function && c->function->is_private)
        json_object_set_new(object, "public", json_false());
    if (c->function && c->function->tier != PM_TIER_REVIEWED)
        set_text(object, "tier", pm_tier_text(c->function->tier));
    set_text(object, "no_values", c->function ? c->function->no_values : NULL);
    set_text(object, "name", c->name);
    set_kind(object, c);
    set_values(object, c);
    set_text(object, "context", c->context);
    set_text(object, "setup", c->setup);
    set_texts(object, "arguments", c->arguments, c->argument_count);
    set_texts(object, "modules", c->modules, c->module_count);
    set_text(object, "call", c->call);
    if (c->calls_reviewed)
        json_object_set_new(object, "calls", json_pack("{s:s}", "reviewed", c->calls_reviewed));
    set_text(object, "output", c->output);
    set_text(object, "repeat", pm_repeat_text(c->repeat));
    json_object_set_new(object, "compare",
                        c->compare_of ? json_deep_copy(c->compare_of)
                                      : json_string(pm_compare_text(c->compare)));
    set_text(object, "expect", c->expect);
    set_text(object, "undefined", c->undefined);
    set_text(object, "across", c->across);
    set_text(object, "check", c->check);
    set_truth(object, "backward", c->backward);
    if (c->process)
        json_object_set_new(object, "process", json_deep_copy(c->process));
    set_text(object, "size", pm_size_text(c->size));
    set_texts(object, "requires", c->requires, c->require_count);
    set_text(object, "reference",
             *pm_case_reference_text(c->reference) ? pm_case_reference_text(c->reference) : NULL);
    set_texts(object, "host_outputs", c->host_outputs, c->host_output_count);
    set_text(object, "since", c->since);
    set_text(object, "until", c->until);
    if (c->is_absence)
        json_object_set_new(object, "absent", json_deep_copy(c->function->absent));
    set_text(object, "expected", c->is_planted_fault ? pm_outcome_text(c->expected) : NULL);
    set_needs(object, c);
    return object;
}

bool pm_case_shares_process(const struct pm_case *a, const struct pm_case *b)
{
    if (pm_json_bool(a->process, "alone", false) || pm_json_bool(b->process, "alone", false))
        return a == b;
    return a->process && b->process ? json_equal(a->process, b->process) : a->process == b->process;
}

bool pm_suite__is_version(const char *text)
{
    bool digit = false;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text) && !(*text == '.' && digit))
            return false;
        digit = *text != '.';
    }
    return digit;
}

/* Compares only as many numbers as `bound` has, so "2.13.1" is neither before nor after "2.13". A
 * number that `version` lacks counts as 0. */
static int compare_versions(const char *version, const char *bound)
{
    while (isdigit((unsigned char)*bound)) {
        char *version_end = NULL, *bound_end = NULL;
        const unsigned long has =
            isdigit((unsigned char)*version) ? strtoul(version, &version_end, 10) : 0;
        const unsigned long wants = strtoul(bound, &bound_end, 10);
        if (has != wants)
            return has < wants ? -1 : 1;
        version = version_end ? version_end + (*version_end == '.') : version;
        bound = bound_end + (*bound_end == '.');
    }
    return 0;
}

bool pm_case_in_version(const struct pm_case *c, const char *version)
{
    return (!c->since || compare_versions(version, c->since) >= 0) &&
           (!c->until || compare_versions(version, c->until) <= 0) &&
           (!c->after || compare_versions(version, c->after) > 0);
}
