/* Finds the reasons for the failures of imported tests. */
#include <string.h>

#include "assess/judging.h"
#include "base/alloc.h"
#include "store/published.h"

struct imported {
    const struct pm_assess_evidence *all;
    const struct pm_reason_rules *rules;
    json_t *reasons; /* [[id, reason, rule], ...]: collected first, because no row may be changed
                        while rows are read */
};

static const char *framework_of(const struct pm_assess_evidence *all, int64_t target_id)
{
    for (size_t t = 0; t < all->target_count; t++)
        if (all->targets[t].id == target_id)
            return all->targets[t].framework;
    return NULL;
}

/* Returns the part of a message after the type: "no kernel" of "lib.Error: no kernel". */
static const char *message_of(const struct pm_imported_test_row *row)
{
    const size_t length = strlen(row->type);
    const bool led = length && pm_starts_with(row->message, row->type) &&
                     pm_starts_with(row->message + length, ": ");
    return led ? row->message + length + 2 : row->message;
}

static int add_reason(void *ctx, const struct pm_imported_test_row *row)
{
    struct imported *i = ctx;
    if (row->outcome != PM_TEST_FAILED && row->outcome != PM_TEST_ERROR)
        return PM_OK;
    const struct pm_failure failure = {.framework = framework_of(i->all, row->target_id),
                                       .type = *row->type ? row->type : NULL,
                                       .message = message_of(row),
                                       .outcome = PM_OUTCOME_FAIL};
    const struct pm_reason_rule *rule = pm_reason_rules_match(i->rules, &failure);
    json_array_append_new(i->reasons,
                          json_pack("[I, s, s]", (json_int_t)row->id,
                                    pm_reason_text(rule ? rule->reason : PM_REASON_UNCLASSIFIED),
                                    rule ? rule->id : ""));
    return PM_OK;
}

int pm_assess__imported_store(struct pm_assess_evidence *all, const struct pm_reason_rules *rules,
                              struct pm_error *err)
{
    struct imported imported = {all, rules, json_array()};
    int rc = pm_store_imported_tests(all->store, all->run_id, add_reason, &imported, err);
    for (size_t i = 0; i < json_array_size(imported.reasons) && !rc; i++) {
        const json_t *reason = json_array_get(imported.reasons, i);
        rc = pm_store_set_imported_reason(all->store, json_integer_value(json_array_get(reason, 0)),
                                          json_string_value(json_array_get(reason, 1)),
                                          json_string_value(json_array_get(reason, 2)), err);
    }
    json_decref(imported.reasons);
    return rc;
}
