/* Converts a sample to the JSON document that the store keeps, and back. Nothing in a document is
 * trusted. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "sample/sample.h"

enum { DOCUMENT_VERSION = 1 };

/* --------------------------------------------------------------------------------- writing --- */

static json_t *stratum_to_json(const struct pm_sample_stratum *stratum)
{
    return json_pack("{s:s,s:f,s:f,s:b,s:b,s:I,s:f,s:f,s:f,s:I,s:I,s:I}", "name", stratum->name,
                     "low", stratum->low, "high", stratum->high, "closed", stratum->closed,
                     "certain", stratum->certain, "size", (json_int_t)stratum->size, "eligible",
                     stratum->eligible, "uses", stratum->uses, "unevenness", stratum->unevenness,
                     "wanted", (json_int_t)stratum->wanted, "drawn", (json_int_t)stratum->drawn,
                     "taken", (json_int_t)stratum->taken);
}

static json_t *step_to_json(const struct pm_sample_step *step)
{
    json_t *row = json_pack("{s:s,s:s,s:I,s:I,s:I,s:s,s:s}", "step", pm_step_kind_text(step->kind),
                            "name", step->name, "uses", (json_int_t)step->uses, "rank",
                            (json_int_t)step->rank, "stratum", (json_int_t)step->stratum, "why",
                            step->why, "replaces", step->replaces);
    if (step->kind == PM_STEP_EXCLUDED)
        json_object_set_new(row, "criterion", json_string(pm_criterion_text(step->criterion)));
    return row;
}

static json_t *member_to_json(const struct pm_sample_member *member)
{
    return json_pack("{s:s,s:I,s:I,s:I}", "name", member->name, "uses", (json_int_t)member->uses,
                     "rank", (json_int_t)member->rank, "stratum", (json_int_t)member->stratum);
}

json_t *pm_sample_to_json(const struct pm_sample *sample)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, sample->seed); /* the integers of jansson are signed */
    json_t *percentiles = json_array(), *strata = json_array(), *steps = json_array(),
           *members = json_array();
    for (unsigned k = 0; k <= PM_DECILES; k++)
        json_array_append_new(percentiles, json_real(sample->percentiles[k]));
    for (size_t s = 0; s < sample->stratum_count; s++)
        json_array_append_new(strata, stratum_to_json(&sample->strata[s]));
    for (size_t i = 0; i < sample->step_count; i++)
        json_array_append_new(steps, step_to_json(&sample->steps[i]));
    for (size_t i = 0; i < sample->member_count; i++)
        json_array_append_new(members, member_to_json(&sample->members[i]));
    return json_pack("{s:s,s:i,s:s,s:s,s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:o}", "schema",
                     "portmeter-sample", "version", DOCUMENT_VERSION, "framework",
                     sample->framework, "seed", seed, "rule", pm_strata_rule_text(sample->rule),
                     "top", (json_int_t)sample->top, "per_decile", (json_int_t)sample->per_decile,
                     "ranked", (json_int_t)sample->ranked, "percentiles", percentiles, "strata",
                     strata, "steps", steps, "members", members);
}

/* --------------------------------------------------------------------------------- reading --- */

static const double most_uses = 0x1p63; /* of one function */

/* The members of one object. The first member that is missing or out of range sets `rc` to an
 * error. Values that are read after it are meaningless. */
struct fields {
    const json_t *object;
    const char *what; /* "sample", "stratum of a sample" */
    struct pm_error *err;
    int rc;
};

static int breach(struct fields *fields, const char *key)
{
    if (!fields->rc)
        fields->rc = pm_error_set(fields->err, PM_EFORMAT,
                                  "'%s' of a %s is missing, has the wrong type or is out of range",
                                  key, fields->what);
    return fields->rc;
}

static uint64_t take_count(struct fields *fields, const char *key, uint64_t least, uint64_t most)
{
    const json_int_t value = pm_json_int(fields->object, key, -1);
    if (value < 0 || (uint64_t)value < least || (uint64_t)value > most)
        breach(fields, key);
    return (uint64_t)value;
}

static double take_real(struct fields *fields, const char *key, double least, double most)
{
    const double value = pm_json_real(fields->object, key, least - 1);
    if (!(value >= least && value <= most))
        breach(fields, key);
    return value;
}

static bool take_bool(struct fields *fields, const char *key)
{
    if (!json_is_boolean(json_object_get(fields->object, key)))
        breach(fields, key);
    return pm_json_bool(fields->object, key, false);
}

static const char *take_text(struct fields *fields, const char *key, bool may_be_empty)
{
    const char *text = pm_json_string(fields->object, key, NULL);
    if (!text || (!*text && !may_be_empty))
        breach(fields, key);
    return text ? text : "";
}

static uint64_t take_seed(struct fields *fields)
{
    const char *text = take_text(fields, "seed", false);
    errno = 0;
    const uint64_t seed = strtoull(text, NULL, 10);
    if (errno || text[strspn(text, "0123456789")])
        breach(fields, "seed");
    return seed;
}

static const json_t *take_list(struct fields *fields, const char *key)
{
    const json_t *list = json_object_get(fields->object, key);
    if (!json_is_array(list))
        breach(fields, key);
    return list;
}

/* Reads a stratum. Its numbers must be possible: no more functions than are ranked, no more draws
 * than functions, and no estimate above the number of functions. */
static int read_stratum(const json_t *row, const struct pm_sample *sample,
                        struct pm_sample_stratum *out, struct pm_error *err)
{
    struct fields fields = {row, "stratum of a sample", err, PM_OK};
    *out = (struct pm_sample_stratum){
        .low = take_real(&fields, "low", 0, most_uses),
        .closed = take_bool(&fields, "closed"),
        .certain = take_bool(&fields, "certain"),
        .size = take_count(&fields, "size", 0, sample->ranked),
        .wanted = take_count(&fields, "wanted", 0, INT64_MAX),
    };
    const double size = (double)out->size;
    out->high = take_real(&fields, "high", out->low, most_uses);
    out->drawn = take_count(&fields, "drawn", 0, out->size);
    out->taken = take_count(&fields, "taken", 0, out->drawn);
    out->eligible = take_real(&fields, "eligible", 0, size);
    out->uses = take_real(&fields, "uses", 0, size * most_uses);
    out->unevenness = take_real(&fields, "unevenness", 0, size);
    const char *name = take_text(&fields, "name", false);
    if (strlen(name) >= sizeof out->name)
        return breach(&fields, "name");
    memcpy(out->name, name, strlen(name) + 1);
    return fields.rc;
}

static int read_step(const json_t *row, struct pm_sample *sample, struct pm_error *err)
{
    struct fields fields = {row, "step of a sample", err, PM_OK};
    enum pm_step_kind kind;
    enum pm_criterion criterion = PM_CRITERION_NO_TEST;
    if (!pm_step_kind_parse(take_text(&fields, "step", false), &kind))
        return breach(&fields, "step");
    if (kind == PM_STEP_EXCLUDED &&
        !pm_criterion_parse(take_text(&fields, "criterion", false), &criterion))
        return breach(&fields, "criterion");
    PM_GROW(sample->steps, sample->step_count, sample->step_capacity);
    sample->steps[sample->step_count++] = (struct pm_sample_step){
        .kind = kind,
        .name = pm_strdup(take_text(&fields, "name", kind == PM_STEP_EXHAUSTED)),
        .uses = take_count(&fields, "uses", 0, INT64_MAX),
        .rank = take_count(&fields, "rank", 0, sample->ranked),
        .stratum = take_count(&fields, "stratum", 0, sample->stratum_count - 1),
        .criterion = criterion,
        .why = pm_strdup(take_text(&fields, "why", true)),
        .replaces = pm_strdup(take_text(&fields, "replaces", true)),
    };
    return fields.rc;
}

static int read_member(const json_t *row, struct pm_sample *sample, struct pm_error *err)
{
    struct fields fields = {row, "function of a sample", err, PM_OK};
    PM_GROW(sample->members, sample->member_count, sample->member_capacity);
    sample->members[sample->member_count++] = (struct pm_sample_member){
        .name = pm_strdup(take_text(&fields, "name", false)),
        .uses = take_count(&fields, "uses", 0, INT64_MAX),
        .rank = take_count(&fields, "rank", 1, sample->ranked),
        .stratum = take_count(&fields, "stratum", 0, sample->stratum_count - 1),
    };
    return fields.rc;
}

/* Checks that `taken` of each stratum is the number of its functions in the sample. */
static int check_taken(const struct pm_sample *sample, struct pm_error *err)
{
    size_t *found = pm_alloc(sample->stratum_count * sizeof *found);
    int rc = PM_OK;
    for (size_t i = 0; i < sample->member_count; i++)
        found[sample->members[i].stratum]++;
    for (size_t s = 0; s < sample->stratum_count && !rc; s++)
        if (found[s] != sample->strata[s].taken)
            rc = pm_error_set(
                err, PM_EFORMAT,
                "'taken' of stratum '%s' is %zu, but the sample has %zu function%s of this stratum",
                sample->strata[s].name, sample->strata[s].taken, found[s], pm_plural(found[s]));
    free(found);
    return rc;
}

static int read_head(struct fields *fields, struct pm_sample *out)
{
    if (strcmp(pm_json_string(fields->object, "schema", ""), "portmeter-sample") ||
        pm_json_int(fields->object, "version", 0) != DOCUMENT_VERSION)
        return pm_error_set(fields->err, PM_EFORMAT, "the document is not a sample of version %d",
                            DOCUMENT_VERSION);
    if (!pm_strata_rule_parse(take_text(fields, "rule", false), &out->rule))
        breach(fields, "rule");
    out->framework = pm_strdup(take_text(fields, "framework", false));
    out->seed = take_seed(fields);
    out->top = (unsigned)take_count(fields, "top", 0, UINT_MAX);
    out->per_decile = (unsigned)take_count(fields, "per_decile", 0, UINT_MAX);
    out->ranked = take_count(fields, "ranked", 1, INT64_MAX);
    const json_t *percentiles = take_list(fields, "percentiles");
    double least = 0;
    for (size_t k = 0; k <= PM_DECILES; k++) {
        const json_t *value = json_array_get(percentiles, k);
        out->percentiles[k] = json_number_value(value);
        if (!json_is_number(value) || !(out->percentiles[k] >= least))
            breach(fields, "percentiles");
        least = out->percentiles[k];
    }
    return fields->rc;
}

static int read_lists(struct fields *fields, struct pm_sample *out)
{
    const json_t *strata = take_list(fields, "strata"), *steps = take_list(fields, "steps");
    const json_t *members = take_list(fields, "members"), *row;
    size_t index;
    if (!json_array_size(strata))
        breach(fields, "strata");
    PM_TRY(fields->rc);
    out->strata = pm_realloc_array(NULL, json_array_size(strata), sizeof *out->strata);
    json_array_foreach(strata, index, row)
        PM_TRY(read_stratum(row, out, &out->strata[out->stratum_count++], fields->err));
    json_array_foreach(steps, index, row)
        PM_TRY(read_step(row, out, fields->err));
    json_array_foreach(members, index, row)
        PM_TRY(read_member(row, out, fields->err));
    return check_taken(out, fields->err);
}

int pm_sample_from_json(const json_t *document, struct pm_sample *out, struct pm_error *err)
{
    struct fields fields = {document, "sample", err, PM_OK};
    *out = (struct pm_sample){0};
    int rc = read_head(&fields, out);
    if (!rc)
        rc = read_lists(&fields, out);
    if (rc)
        pm_sample_release(out);
    return rc;
}
