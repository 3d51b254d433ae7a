/* The audit trail as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "sample/sample.h"

enum { DOCUMENT_VERSION = 1, STRATUM_WIDTH = 8, STEP_WIDTH = 13, NAME_WIDTH = 32 };

/* ---------------------------------------------------------------------------------- text --- */

static void explain_stratum(const struct pm_sample_stratum *stratum, struct pm_str *out)
{
    pm_str_addf(out, "stratum %-*s  functions %zu, uses %s%.15g", STRATUM_WIDTH, stratum->name,
                stratum->size, stratum->closed ? "" : "above ", stratum->low);
    if (stratum->low != stratum->high)
        pm_str_addf(out, " to %.15g", stratum->high);
    if (stratum->certain)
        pm_str_addf(out, ", all that can be measured: %zu\n", stratum->taken);
    else
        pm_str_addf(out, ", draws wanted %zu, made %zu, kept %zu, eligible %.4g\n", stratum->wanted,
                    stratum->drawn, stratum->taken, stratum->eligible);
}

static void explain_step(const struct pm_sample *sample, const struct pm_sample_step *step,
                         struct pm_str *out)
{
    const bool outside = step->kind == PM_STEP_LEFT_OUT && step->rank > sample->top;
    pm_str_addf(out, "%-*s  %-*s  ", STRATUM_WIDTH,
                outside ? "-" : sample->strata[step->stratum].name, STEP_WIDTH,
                pm_step_text(step->kind));
    if (!*step->name)
        pm_str_add(out, "no function left to draw");
    else if (step->kind == PM_STEP_EXHAUSTED)
        pm_str_addf(out, "no function left to replace %s", step->name);
    else
        pm_str_addf(out, "%-*s  %" PRIu64 " uses, rank %zu", NAME_WIDTH, step->name, step->uses,
                    step->rank);
    if (*step->replaces)
        pm_str_addf(out, ", for %s", step->replaces);
    if (step->kind == PM_STEP_EXCLUDED)
        pm_str_addf(out, ": %s", pm_criterion_text(step->criterion));
    if (*step->why)
        pm_str_addf(out, "%s%s", step->kind == PM_STEP_EXCLUDED ? ", " : ": ", step->why);
    pm_str_add_char(out, '\n');
}

void pm_sample_size_text(const struct pm_sample *sample, struct pm_str *out)
{
    if (sample->per_decile >= sample->ranked)
        pm_str_add(out, "all");
    else
        pm_str_addf(out, "the top %u and %u a decile", sample->top, sample->per_decile);
}

void pm_sample_explain(const struct pm_sample *sample, struct pm_str *out)
{
    pm_str_addf(out, "sample of %s, seed %" PRIu64 ", %s strata: %zu functions ranked, ",
                sample->framework, sample->seed, pm_strata_rule_text(sample->rule), sample->ranked);
    pm_sample_size_text(sample, out);
    pm_str_addf(out, ", %zu to measure\npercentiles", sample->member_count);
    for (unsigned k = 0; k <= PM_DECILES; k++)
        pm_str_addf(out, "  %.15g", sample->percentiles[k]);
    pm_str_add_char(out, '\n');
    for (size_t s = 0; s < sample->stratum_count; s++)
        explain_stratum(&sample->strata[s], out);
    for (size_t i = 0; i < sample->step_count; i++)
        explain_step(sample, &sample->steps[i], out);
}

/* ---------------------------------------------------------------------------------- JSON --- */

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
    json_t *row = json_pack("{s:s,s:s,s:I,s:I,s:I,s:s,s:s}", "step", pm_step_text(step->kind),
                            "name", step->name, "uses", (json_int_t)step->uses, "rank",
                            (json_int_t)step->rank, "stratum", (json_int_t)step->stratum, "why",
                            step->why, "replaces", step->replaces);
    if (step->kind == PM_STEP_EXCLUDED)
        json_object_set_new(row, "criterion", json_string(pm_criterion_text(step->criterion)));
    return row;
}

json_t *pm_sample_to_json(const struct pm_sample *sample)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, sample->seed); /* JSON's whole numbers are signed */
    json_t *percentiles = json_array(), *strata = json_array(), *steps = json_array(),
           *members = json_array();
    for (unsigned k = 0; k <= PM_DECILES; k++)
        json_array_append_new(percentiles, json_real(sample->percentiles[k]));
    for (size_t s = 0; s < sample->stratum_count; s++)
        json_array_append_new(strata, stratum_to_json(&sample->strata[s]));
    for (size_t i = 0; i < sample->step_count; i++)
        json_array_append_new(steps, step_to_json(&sample->steps[i]));
    for (size_t i = 0; i < sample->member_count; i++) {
        const struct pm_sample_member *member = &sample->members[i];
        json_array_append_new(members,
                              json_pack("{s:s,s:I,s:I,s:I}", "name", member->name, "uses",
                                        (json_int_t)member->uses, "rank", (json_int_t)member->rank,
                                        "stratum", (json_int_t)member->stratum));
    }
    return json_pack("{s:s,s:i,s:s,s:s,s:s,s:i,s:i,s:I,s:o,s:o,s:o,s:o}", "schema",
                     "portmeter-sample", "version", DOCUMENT_VERSION, "framework",
                     sample->framework, "seed", seed, "rule", pm_strata_rule_text(sample->rule),
                     "top", (int)sample->top, "per_decile", (int)sample->per_decile, "ranked",
                     (json_int_t)sample->ranked, "percentiles", percentiles, "strata", strata,
                     "steps", steps, "members", members);
}

static size_t size_of(const json_t *object, const char *key)
{
    const int64_t value = pm_json_int(object, key, 0);
    return value > 0 ? (size_t)value : 0;
}

static void stratum_from_json(const json_t *row, struct pm_sample_stratum *out)
{
    *out = (struct pm_sample_stratum){
        .low = pm_json_real(row, "low", NAN),
        .high = pm_json_real(row, "high", NAN),
        .closed = pm_json_bool(row, "closed", false),
        .certain = pm_json_bool(row, "certain", false),
        .size = size_of(row, "size"),
        .eligible = pm_json_real(row, "eligible", 0),
        .uses = pm_json_real(row, "uses", 0),
        .unevenness = pm_json_real(row, "unevenness", 0),
        .wanted = size_of(row, "wanted"),
        .drawn = size_of(row, "drawn"),
        .taken = size_of(row, "taken"),
    };
    snprintf(out->name, sizeof out->name, "%s", pm_json_string(row, "name", ""));
}

static int step_kind(const char *text)
{
    for (int i = 0; i < PM_STEP_COUNT; i++)
        if (!strcmp(text, pm_step_text((enum pm_step_kind)i)))
            return i;
    return -1;
}

static int step_from_json(const json_t *row, struct pm_sample *sample, struct pm_error *err)
{
    const char *text = pm_json_string(row, "step", "");
    const int kind = step_kind(text);
    enum pm_criterion criterion = PM_CRITERION_NO_TEST;
    if (kind < 0)
        return pm_error_set(err, PM_EFORMAT, "unknown step '%s' in a sample's trail", text);
    if (kind == PM_STEP_EXCLUDED)
        PM_TRY(pm_criterion_parse(pm_json_string(row, "criterion", ""), &criterion, err));
    PM_GROW(sample->steps, sample->step_count, sample->step_capacity);
    struct pm_sample_step *step = &sample->steps[sample->step_count++];
    *step = (struct pm_sample_step){
        .kind = (enum pm_step_kind)kind,
        .name = pm_strdup(pm_json_string(row, "name", "")),
        .uses = size_of(row, "uses"),
        .rank = size_of(row, "rank"),
        .stratum = size_of(row, "stratum"),
        .criterion = criterion,
        .why = pm_strdup(pm_json_string(row, "why", "")),
        .replaces = pm_strdup(pm_json_string(row, "replaces", "")),
    };
    if (step->stratum >= sample->stratum_count)
        return pm_error_set(err, PM_EFORMAT, "step of a sample names no stratum of it");
    return PM_OK;
}

static int member_from_json(const json_t *row, struct pm_sample *sample, struct pm_error *err)
{
    PM_GROW(sample->members, sample->member_count, sample->member_capacity);
    struct pm_sample_member *member = &sample->members[sample->member_count++];
    *member = (struct pm_sample_member){
        .name = pm_strdup(pm_json_string(row, "name", "")),
        .uses = size_of(row, "uses"),
        .rank = size_of(row, "rank"),
        .stratum = size_of(row, "stratum"),
    };
    if (member->stratum >= sample->stratum_count)
        return pm_error_set(err, PM_EFORMAT, "function '%s' is of no stratum of its sample",
                            member->name);
    return PM_OK;
}

static int head_from_json(const json_t *document, struct pm_sample *out, struct pm_error *err)
{
    const char *seed = pm_json_string(document, "seed", "");
    char *end;
    if (strcmp(pm_json_string(document, "schema", ""), "portmeter-sample") ||
        pm_json_int(document, "version", 0) != DOCUMENT_VERSION)
        return pm_error_set(err, PM_EFORMAT, "document is no sample of version %d",
                            DOCUMENT_VERSION);
    out->framework = pm_strdup(pm_json_string(document, "framework", ""));
    out->seed = strtoull(seed, &end, 10);
    if (!*seed || *end)
        return pm_error_set(err, PM_EFORMAT, "seed '%s' of a sample is no number", seed);
    out->top = (unsigned)size_of(document, "top");
    out->per_decile = (unsigned)size_of(document, "per_decile");
    out->ranked = size_of(document, "ranked");
    const json_t *percentiles = json_object_get(document, "percentiles");
    for (size_t k = 0; k <= PM_DECILES; k++) {
        const json_t *value = json_array_get(percentiles, k);
        if (!json_is_number(value))
            return pm_error_set(err, PM_EFORMAT, "sample lacks percentile %zu", 10 * k);
        out->percentiles[k] = json_number_value(value);
    }
    return pm_strata_rule_parse(pm_json_string(document, "rule", ""), &out->rule, err);
}

static int lists_from_json(const json_t *document, struct pm_sample *out, struct pm_error *err)
{
    const json_t *strata = json_object_get(document, "strata"), *row;
    size_t index;
    out->strata = pm_realloc_array(NULL, json_array_size(strata) + 1, sizeof *out->strata);
    json_array_foreach(strata, index, row)
        stratum_from_json(row, &out->strata[out->stratum_count++]);
    json_array_foreach(json_object_get(document, "steps"), index, row)
        PM_TRY(step_from_json(row, out, err));
    json_array_foreach(json_object_get(document, "members"), index, row)
        PM_TRY(member_from_json(row, out, err));
    return PM_OK;
}

int pm_sample_from_json(const json_t *document, struct pm_sample *out, struct pm_error *err)
{
    *out = (struct pm_sample){0};
    int rc = head_from_json(document, out, err);
    if (!rc)
        rc = lists_from_json(document, out, err);
    if (rc)
        pm_sample_release(out);
    return rc;
}
