/* Functions to exclude from a sample, and why. Private to the room. */
#ifndef PM_SURVEY_EXCLUSIONS_H
#define PM_SURVEY_EXCLUSIONS_H

#include "base/map.h"
#include "sample/sample.h"

struct exclusions {
    struct pm_exclusion *items;
    size_t count, capacity;
    struct pm_map by_name; /* functions that have an exclusion */
    char **strings;
    size_t string_count, string_capacity;
};

/* Adds an exclusion. Does nothing and returns false if the function is excluded already, because
 * the first reason is kept. */
bool pm_survey__exclusions_add(struct exclusions *list, const char *name,
                               enum pm_criterion criterion, const char *why);
void pm_survey__exclusions_release(struct exclusions *list);

/*
 * Reads a file, either JSON, [{"name": "torch.foo", "criterion": "no test", "why": "..."}, ...], or
 * one exclusion per line, where '#' begins a comment line:
 *
 *     torch.foo = no test: only in a tutorial
 *
 * `why` is optional. PM_EFORMAT names the line, or the item of the JSON list, counted from 1.
 */
PM_MUST_USE int pm_survey__exclusions_read(struct exclusions *list, const char *path,
                                           struct pm_error *err);

#endif
