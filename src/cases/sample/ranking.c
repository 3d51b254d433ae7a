/* Ranks functions by use. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "sample/sample.h"

void pm_ranking_add(struct pm_ranking *ranking, const char *name, uint64_t uses)
{
    PM_GROW(ranking->items, ranking->count, ranking->capacity);
    ranking->items[ranking->count++] = (struct pm_ranked){pm_strdup(name), uses};
}

static int by_name(const void *a, const void *b)
{
    const struct pm_ranked *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static int by_rank(const void *a, const void *b)
{
    const struct pm_ranked *left = a, *right = b;
    if (left->uses != right->uses)
        return left->uses < right->uses ? 1 : -1;
    return by_name(a, b);
}

int pm_ranking_close(struct pm_ranking *ranking, struct pm_error *err)
{
    if (!ranking->count)
        return pm_error_set(err, PM_EFORMAT, "the ranking is empty: name at least one function");
    qsort(ranking->items, ranking->count, sizeof *ranking->items, by_name);
    if (!*ranking->items[0].name)
        return pm_error_set(err, PM_EFORMAT,
                            "a function has an empty name: write its name, or remove the entry");
    for (size_t i = 1; i < ranking->count; i++)
        if (!strcmp(ranking->items[i - 1].name, ranking->items[i].name))
            return pm_error_set(err, PM_EFORMAT, "function '%s' is ranked twice: name it once",
                                ranking->items[i].name);
    qsort(ranking->items, ranking->count, sizeof *ranking->items, by_rank);
    return PM_OK;
}

static int add_all(json_t *counts, struct pm_ranking *out, struct pm_error *err)
{
    const char *name;
    json_t *uses;
    if (!json_is_object(counts))
        return pm_error_set(err, PM_EFORMAT,
                            "the frequencies are not a JSON object of names and counts: write "
                            "{\"cat\": 3, ...}");
    json_object_foreach(counts, name, uses) {
        if (!json_is_integer(uses) || json_integer_value(uses) < 0)
            return pm_error_set(
                err, PM_EFORMAT,
                "the frequency of '%s' is not a whole number of 0 or more: correct it", name);
        pm_ranking_add(out, name, (uint64_t)json_integer_value(uses));
    }
    return pm_ranking_close(out, err);
}

int pm_ranking_parse(const char *bytes, size_t length, struct pm_ranking *out, struct pm_error *err)
{
    json_t *counts = NULL;
    *out = (struct pm_ranking){0};
    PM_TRY(pm_json_parse(bytes, length, &counts, err));
    const int rc = add_all(counts, out, err);
    json_decref(counts);
    if (rc)
        pm_ranking_release(out);
    return rc;
}

size_t pm_ranking_drop_unused(struct pm_ranking *ranking)
{
    size_t dropped = 0;
    for (; ranking->count && !ranking->items[ranking->count - 1].uses; dropped++)
        free(ranking->items[--ranking->count].name);
    return dropped;
}

void pm_ranking_release(struct pm_ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++)
        free(ranking->items[i].name);
    free(ranking->items);
    *ranking = (struct pm_ranking){0};
}
