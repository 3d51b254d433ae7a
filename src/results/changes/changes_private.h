/* What the files of the room share. */
#ifndef PM_CHANGES_CHANGES_PRIVATE_H
#define PM_CHANGES_CHANGES_PRIVATE_H

#include <stdbool.h>

/* What became of a case that has one name on both sides, worst last. */
enum pm_changes_meaning {
    PM_MEANING_SAME,  /* a pass on B says at least what it says on A; maybe more: it is stricter */
    PM_MEANING_OTHER, /* it tests something else */
    PM_MEANING_LOOSENED, /* its results are compared more loosely, or with less */
};
struct pm_changes_definitions {
    enum pm_changes_meaning meaning;
    bool same_work; /* what is timed is the same: only what is compared afterwards may differ */
};
/* Compares two definitions of a case (suite/describe.c) as JSON. "" is not known, and counts as the
 * same. In doubt, the case is loosened or something else: a change whose direction is not certain
 * is not the same. */
struct pm_changes_definitions pm_changes__compare_definitions(const char *before,
                                                              const char *after);

#endif
