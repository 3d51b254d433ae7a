/* Finds the execution that another one is compared with, and compares their outputs: by digest, by
 * bytes or, if the bytes were deleted, by the stored closeness. */
#include <string.h>

#include "assess/judging.h"
#include "base/alloc.h"
#include "base/json.h"
#include "store/outputs.h"

/* ---- pairs of executions -------------------------------------------------------------------- */

/* Returns the finished retry in isolation of `e`; NULL if it has none, or is a retry itself. */
static const struct pm_assess_execution *retry_of(const struct pm_assess_evidence *all,
                                                  const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *retry =
        e->retry == PM_RETRY_NONE
            ? pm_assess_evidence_find_retry(all, e->target, e->test, e->repetition, PM_RETRY_ALONE)
            : NULL;
    return retry && retry->done ? retry : NULL;
}

/* Returns the execution of the reference with which `e` is compared. An execution that verdicts use
 * is compared with one that verdicts use. A first execution that was retried is compared with a
 * first execution: if it were compared with the retry of the reference, the difference that led to
 * the retry could disappear. A retry in exact mode is compared with another such retry, if there is
 * one. The first execution of a reference is compared with its own retry, which shows whether the
 * reference differed. */
const struct pm_assess_execution *pm_assess__reference_of(const struct pm_assess_evidence *all,
                                                          const struct pm_assess_execution *e)
{
    const struct pm_assess_target *t = &all->targets[e->target];
    const struct pm_assess_execution *retry = retry_of(all, e);
    const bool own = t->reference == e->target;
    const unsigned repetition = own ? 0 : e->repetition;
    if (own && !e->repetition)
        return retry;
    const struct pm_assess_execution *first =
        retry ? pm_assess_evidence_find(all, t->reference, e->test, repetition) : NULL;
    if (first)
        return first;
    const struct pm_assess_execution *exact =
        e->retry == PM_RETRY_EXACT_MODE
            ? pm_assess_evidence_find_retry(all, t->reference, e->test, repetition, e->retry)
            : NULL;
    return exact ? exact : pm_assess_evidence_counted(all, t->reference, e->test, repetition);
}

bool pm_assess__heals_in_exact_mode(const struct pm_assess_evidence *all,
                                    const struct pm_assess_execution *e)
{
    const struct pm_assess_execution *exact =
        pm_assess_evidence_find_retry(all, e->target, e->test, e->repetition, PM_RETRY_EXACT_MODE);
    return e->judged && e->judgement.by_value && exact && exact->judged &&
           exact->judgement.outcome == PM_OUTCOME_PASS;
}

bool pm_assess__has_no_reference(const struct pm_assess_case *test)
{
    enum pm_case_reference reference = PM_CASE_REFERENCE_TARGET;
    (void)pm_case_reference_parse(pm_json_string(test->definition, "reference", ""), &reference);
    return reference == PM_CASE_REFERENCE_NONE;
}

/* Returns whether a case compares frameworks with each other. No framework is the reference then,
 * so its errors are differences from the oracle. */
bool pm_assess__is_across(const struct pm_assess_case *test)
{
    return json_is_string(json_object_get(test->definition, "across"));
}

/* Returns the execution of the oracle with which `e` is compared; NULL if there is none. Only a
 * reference is compared with the oracle, unless the case has `reference: none` or compares
 * frameworks. */
const struct pm_assess_execution *pm_assess__oracle_of(const struct pm_assess_evidence *all,
                                                       const struct pm_assess_execution *e)
{
    const bool is_reference = all->targets[e->target].reference == e->target;
    if (all->oracle < 0 || all->oracle == e->target ||
        !(is_reference || pm_assess__has_no_reference(e->test) || pm_assess__is_across(e->test)))
        return NULL;
    return pm_assess_evidence_counted(all, all->oracle, e->test, 0);
}

bool pm_assess__has_output(const struct pm_assess_execution *e)
{
    return e && e->answered && !json_is_object(json_object_get(e->result, "raised")) &&
           !json_is_string(json_object_get(e->result, "harness")) &&
           !json_is_string(json_object_get(e->result, "destroyed")) &&
           !json_is_string(json_object_get(e->result, "not_applicable"));
}

bool pm_assess__against_reference(const struct pm_assess_evidence *all,
                                  const struct pm_assess_execution *e,
                                  struct pm_assess__comparison *out)
{
    const struct pm_assess_execution *want = pm_assess__reference_of(all, e);
    const json_t *definition = e->test->definition;
    const bool shape_only = all->targets[e->target].evidence == PM_EVIDENCE_SHAPE_ONLY;
    if (!pm_assess__has_output(e) || !pm_assess__has_output(want) || e->target == all->oracle ||
        json_is_object(json_object_get(definition, "raises")))
        return false;
    *out = (struct pm_assess__comparison){
        .got = e, .want = want, .rule = pm_compare_rule_of(definition, shape_only)};
    return true;
}

bool pm_assess__against_oracle(const struct pm_assess_evidence *all,
                               const struct pm_assess_execution *e,
                               struct pm_assess__comparison *out)
{
    const struct pm_assess_execution *want = pm_assess__oracle_of(all, e);
    if (!pm_assess__has_output(e) || !pm_assess__has_output(want))
        return false;
    *out = (struct pm_assess__comparison){
        .got = e, .want = want, .rule = pm_compare_rule_of(e->test->definition, false)};
    out->rule.any_dtype = true;
    return true;
}

/* ---- both sides ------------------------------------------------------------------------------ */

bool pm_assess__next_pair(const struct pm_assess__sides *sides, const struct pm_compare_rule *rule,
                          struct pm_assess__pair *at)
{
    const struct pm_leaves *got = &sides->got.leaves, *want = &sides->want.leaves;
    at->got = pm_compared_leaf(got, at->begun ? at->got + 1 : 0, rule);
    at->want = pm_compared_leaf(want, at->begun ? at->want + 1 : 0, rule);
    at->begun = true;
    return at->got < got->count && at->want < want->count &&
           strcmp(got->items[at->got].path, want->items[at->want].path) == 0;
}

struct pm_reading_closeness {
    struct pm_assess_evidence *all;
    struct pm_leaf *leaf;
    struct pm_error *err;
};

static int keep_closeness(void *ctx, const struct pm_closeness_row *row)
{
    const struct pm_reading_closeness *r = ctx;
    struct pm_closeness *closeness = pm_alloc(sizeof *closeness);
    r->leaf->closeness = closeness;
    return pm_closeness_parse(row->points, row->how, closeness)
               ? PM_OK
               : pm_store_damaged(
                     r->all->store, r->err,
                     "column 'points' of row 'closeness %s' is incomplete or out of order",
                     row->digest);
}

static int load_pair(struct pm_assess_evidence *all, struct pm_assess__sides *sides,
                     struct pm_assess__pair at, const struct pm_compare_rule *rule,
                     struct pm_error *err)
{
    struct pm_leaf *got = &sides->got.leaves.items[at.got];
    const struct pm_leaf *want = &sides->want.leaves.items[at.want];
    const struct pm_closeness_row key = {.digest = got->digest,
                                         .reference = want->digest,
                                         .how = pm_closeness_how(rule, want->path)};
    if (key.how == PM_COMPARE_SHAPE || (*got->digest && !strcmp(got->digest, want->digest)))
        return PM_OK;
    PM_TRY(pm_assess_evidence_load_array(all, &sides->got, at.got, err));
    PM_TRY(pm_assess_evidence_load_array(all, &sides->want, at.want, err));
    if (!*got->digest || !*want->digest || (got->has_bytes && want->has_bytes))
        return PM_OK;
    struct pm_reading_closeness r = {.all = all, .leaf = got, .err = err};
    return pm_store_closeness(all->store, &key, keep_closeness, &r, err);
}

static bool has_input(const struct pm_assess_leaves *leaves, const char *path)
{
    for (size_t i = 0; i < leaves->leaves.count; i++)
        if (leaves->places[i].part == PM_PART_INPUT && !strcmp(leaves->leaves.items[i].path, path))
            return true;
    return false;
}

/* Removes from `leaves` the changed inputs that `other` lacks. The names of changed inputs are
 * judged elsewhere, and a target without values cannot report changes. */
static void pair_inputs(struct pm_assess_leaves *leaves, const struct pm_assess_leaves *other)
{
    for (size_t i = leaves->leaves.count; i-- > 0;)
        if (leaves->places[i].part == PM_PART_INPUT &&
            !has_input(other, leaves->leaves.items[i].path))
            pm_assess_evidence_drop_leaf(leaves, i);
}

int pm_assess__sides_load(struct pm_assess_evidence *all,
                          const struct pm_assess__comparison *comparison,
                          struct pm_assess__sides *out, struct pm_error *err)
{
    const struct pm_compare_rule *rule = &comparison->rule;
    const enum pm_leaf_part part = rule->any_dtype ? PM_PART_OUTPUT : PM_PART_COUNT;
    struct pm_assess__pair at = {0};
    *out = (struct pm_assess__sides){0};
    PM_TRY(pm_assess_evidence_load_leaves(all, comparison->got->id, part, &out->got, err));
    PM_TRY(pm_assess_evidence_load_leaves(all, comparison->want->id, part, &out->want, err));
    pair_inputs(&out->got, &out->want);
    pair_inputs(&out->want, &out->got);
    while (pm_assess__next_pair(out, rule, &at))
        PM_TRY(load_pair(all, out, at, rule, err));
    return PM_OK;
}

void pm_assess__sides_release(struct pm_assess__sides *sides)
{
    pm_assess_evidence_leaves_release(&sides->got);
    pm_assess_evidence_leaves_release(&sides->want);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool same_leaf(const struct pm_leaf *a, const struct pm_leaf *b)
{
    if (a->kind != b->kind || strcmp(a->path, b->path) != 0)
        return false;
    return a->kind == PM_LEAF_ARRAY ? *a->digest && strcmp(a->digest, b->digest) == 0
                                    : strcmp(a->value, b->value) == 0;
}

/* Returns whether digests show that two outputs are equal. Returns false if no leaf is an array,
 * because a comparison of the values is as fast. */
static bool same_digests(const struct pm_leaves *a, const struct pm_leaves *b)
{
    size_t arrays = 0;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!same_leaf(&a->items[i], &b->items[i]))
            return false;
        arrays += a->items[i].kind == PM_LEAF_ARRAY;
    }
    return arrays > 0;
}

int pm_assess__compare(struct pm_assess_evidence *all,
                       const struct pm_assess__comparison *comparison, struct pm_difference *out,
                       struct pm_error *err)
{
    struct pm_assess__sides sides;
    const int rc = pm_assess__sides_load(all, comparison, &sides, err);
    const struct pm_leaves *got = &sides.got.leaves, *want = &sides.want.leaves;
    if (!rc && same_digests(got, want))
        *out = (struct pm_difference){.smallest_rtol = 0};
    else if (!rc)
        pm_compare_leaves(got, want, &comparison->rule, out);
    pm_assess__sides_release(&sides);
    return rc;
}
