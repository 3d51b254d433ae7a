/* Why functions cannot be drawn, from a file and from elsewhere. Private to the room. */
#ifndef PM_SURVEY_EXCLUSIONS_H
#define PM_SURVEY_EXCLUSIONS_H

#include "base/map.h"
#include "sample/sample.h"

struct exclusions {
    struct pm_exclusion *items;
    size_t count, capacity;
    struct pm_map by_name; /* those that have one */
    char **strings;
    size_t string_count, string_capacity;
};

/* False, and nothing, where the function is excluded already: the first word counts. */
bool pm_survey__exclusions_add(struct exclusions *list, const char *name,
                               enum pm_criterion criterion, const char *why);
void pm_survey__exclusions_release(struct exclusions *list);

/*
 * Reads a file, either JSON, [{"name": "torch.foo", "criterion": "no test", "why": "..."}, ...], or
 * one exclusion a line, where '#' begins a comment line:
 *
 *     torch.foo = no test: only in a tutorial
 *
 * `why` may be left out. PM_EFORMAT names the line, or the item of the JSON list, from 1.
 */
PM_MUST_USE int pm_survey__exclusions_read(struct exclusions *list, const char *path,
                                           struct pm_error *err);

#endif
