/* Owns the memory of a suite: blocks and JSON values that are freed with it. */
#include <stdlib.h>

#include "base/alloc.h"
#include "suite/suite_private.h"

void *pm_suite__keep(struct pm_suite_private *own, void *block)
{
    PM_GROW(own->blocks, own->count, own->capacity);
    return own->blocks[own->count++] = block;
}

char *pm_suite__copy(struct pm_suite_private *own, const char *text, size_t length)
{
    return pm_suite__keep(own, pm_strndup(text, length));
}

json_t *pm_suite__keep_json(struct pm_suite_private *own, json_t *value)
{
    json_array_append_new(own->values, value);
    return value;
}

void pm_suite_release(struct pm_suite *suite)
{
    struct pm_suite_private *own = suite->own;
    if (own) {
        json_decref(own->values);
        for (size_t i = 0; i < own->count; i++)
            free(own->blocks[i]);
        free(own->blocks);
        free(own);
    }
    free(suite->functions);
    free(suite->cases);
    *suite = (struct pm_suite){0};
}
