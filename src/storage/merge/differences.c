/* Finds how a shard differs from the others of its plan, and how two plans differ. */
#include <string.h>

#include "base/alloc.h"
#include "merge/merge_private.h"
#include "store/runs.h"
#include "store/targets.h"

/* ---- differences of nodes -------------------------------------------------------------------- */

enum { MOST_TRAITS = 6 };

/* The properties of a target that must be equal in all shards, and its name. An empty value is
 * unknown: no process of the target ran in that shard. */
struct traits {
    char *text, *of[MOST_TRAITS];
    enum pm_role role;
};
static const char *const trait_names[MOST_TRAITS] = {"framework version", "package versions",
                                                     "Python version",    "device",
                                                     "driver version",    "numeric mode"};

struct trait_list {
    struct traits *items;
    size_t count, capacity;
};

static int keep_traits(void *ctx, const struct pm_target_row *row)
{
    struct trait_list *list = ctx;
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct traits){
        .text = pm_strdup(row->text),
        .role = row->role,
        .of = {pm_strdup(row->version), pm_strdup(row->versions), pm_strdup(row->python),
               pm_strdup(row->device_name), pm_strdup(row->driver_version),
               pm_strdup(row->numeric)},
    };
    return PM_OK;
}

static void release_traits(struct trait_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].text);
        for (int k = 0; k < MOST_TRAITS; k++)
            free(list->items[i].of[k]);
    }
    free(list->items);
}

/* Returns a text about the first difference; NULL if there is none. The caller frees it. */
static char *compare_traits(const struct trait_list *here, const struct trait_list *there)
{
    for (size_t i = 0; i < there->count; i++)
        for (size_t k = 0; k < here->count; k++) {
            const struct traits *a = &here->items[k], *b = &there->items[i];
            if (strcmp(a->text, b->text) != 0 || a->role != b->role)
                continue;
            for (int t = 0; t < MOST_TRAITS; t++)
                if (*a->of[t] && *b->of[t] && strcmp(a->of[t], b->of[t]) != 0)
                    return pm_format("the %s of %s is %.120s instead of %.120s", trait_names[t],
                                     a->text, b->of[t], a->of[t]);
        }
    return NULL;
}

int pm_merge__node_difference(struct pm_merge__context *c, const struct member *member,
                              const struct family *family, char **difference)
{
    struct trait_list here = {0}, there = {0};
    *difference = NULL;
    int rc = pm_store_targets(c->into, family->run, keep_traits, &here, c->err);
    if (!rc)
        rc = pm_store_targets(c->from, member->old, keep_traits, &there, c->err);
    if (!rc)
        *difference = compare_traits(&here, &there);
    release_traits(&here);
    release_traits(&there);
    return rc;
}

/* ---- differences of plans -------------------------------------------------------------------- */

struct run_facts {
    int64_t wanted;
    char *suite;
    json_t *options;
};

static int keep_facts(void *ctx, const struct pm_run_row *row)
{
    struct run_facts *facts = ctx;
    if (row->id != facts->wanted)
        return PM_OK;
    facts->suite = pm_strdup(row->suite_digest);
    facts->options = json_loads(row->options, 0, NULL);
    return PM_OK;
}

char *pm_merge__value_difference(const char *key, const json_t *value, const json_t *other)
{
    char *a = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY),
         *b = other ? json_dumps(other, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    char *text = pm_format("%s %.80s instead of %.80s", key, a ? a : "?", b ? b : "none");
    free(a);
    free(b);
    return text;
}

/* Returns a text about the first difference between two plans; NULL if there is none. The caller
 * frees it. */
static char *compare_plans(const struct run_facts *here, const struct run_facts *there)
{
    static const char *const own[] = {"measured", "unreferenced", "shard",   "suites", "only",
                                      "balance",  "jobs",         "threads", "sample"};
    const char *key;
    json_t *value;
    if (here->suite && there->suite && strcmp(here->suite, there->suite) != 0)
        return pm_strdup("another suite");
    json_object_foreach(there->options, key, value) {
        const json_t *other = json_object_get(here->options, key);
        bool skip = json_equal(value, other);
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            skip |= !strcmp(key, own[i]);
        if (skip)
            continue;
        return pm_merge__value_difference(key, value, other);
    }
    return NULL;
}

int pm_merge__plan_difference(struct pm_merge__context *c, const struct member *member,
                              const struct family *family, char **why)
{
    struct run_facts here = {.wanted = family->run}, there = {.wanted = member->old};
    *why = NULL;
    int rc = pm_store_runs(c->into, keep_facts, &here, c->err);
    if (!rc)
        rc = pm_store_runs(c->from, keep_facts, &there, c->err);
    if (!rc)
        *why = compare_plans(&here, &there);
    if (!rc && !*why && family->count != member->count)
        *why = pm_format("%lld shards instead of %lld", (long long)member->count,
                         (long long)family->count);
    if (!rc && !*why)
        rc = pm_merge__node_difference(c, member, family, why);
    if (!rc && !*why)
        *why = pm_strdup("another division of the functions");
    free(here.suite);
    free(there.suite);
    json_decref(here.options);
    json_decref(there.options);
    return rc;
}
