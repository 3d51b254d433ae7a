/* Sorts the sides of a comparison, finds cases in them, and releases them. */
#include <stdlib.h>
#include <string.h>

#include "changes/changes.h"
#include "changes/changes_private.h"

static int by_function(const void *left, const void *right)
{
    const struct pm_changes_function *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static int by_case(const void *left, const void *right)
{
    const struct pm_changes_case *a = left, *b = right;
    const int order = strcmp(a->function, b->function);
    return order ? order : strcmp(a->name, b->name);
}

void pm_changes_sort(struct pm_changes_side *side)
{
    if (side->function_count)
        qsort(side->functions, side->function_count, sizeof *side->functions, by_function);
    if (side->case_count)
        qsort(side->cases, side->case_count, sizeof *side->cases, by_case);
}

void pm_changes_side_release(struct pm_changes_side *side)
{
    for (size_t i = 0; i < side->case_count; i++)
        free(side->cases[i].processes);
    free(side->cases);
    free(side->functions);
    side->cases = NULL;
    side->functions = NULL;
    side->case_count = side->function_count = 0;
}

const struct pm_changes_case *pm_changes__find_case(const struct pm_changes_side *side,
                                                    const struct pm_changes_case *like)
{
    return side->case_count
               ? bsearch(like, side->cases, side->case_count, sizeof *side->cases, by_case)
               : NULL;
}

size_t pm_changes__first_case(const struct pm_changes_side *side, const char *function)
{
    size_t low = 0, high = side->case_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(side->cases[middle].function, function) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
