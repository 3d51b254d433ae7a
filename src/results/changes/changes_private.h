/* Declares what the files of this room share. */
#ifndef PM_CHANGES_CHANGES_PRIVATE_H
#define PM_CHANGES_CHANGES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "changes/changes.h"

/* ---- definition.c ---- */

/* How the meaning of a case with the same name on both sides changed, worst last. */
enum pm_changes_meaning {
    PM_MEANING_SAME,     /* a pass on B shows at least as much as a pass on A */
    PM_MEANING_OTHER,    /* the case tests something else */
    PM_MEANING_LOOSENED, /* its results are compared more loosely, or fewer of them are compared */
};
struct pm_changes_definitions {
    enum pm_changes_meaning meaning;
    bool same_work; /* the timed work is the same; only the comparison after it may differ */
};
/* Compares two definitions of a case (suite/describe.c), which are JSON. An unknown definition, "",
 * counts as the same. If it is not certain whether a difference makes a case stricter, the case
 * counts as loosened or as another test. */
struct pm_changes_definitions pm_changes__compare_definitions(const char *before,
                                                              const char *after);

static inline size_t pm_changes__least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- sides.c ---- */

/* Returns the case of a side with the function and the name of `like`; NULL if there is none. */
const struct pm_changes_case *pm_changes__find_case(const struct pm_changes_side *side,
                                                    const struct pm_changes_case *like);
/* Returns the index of the first case of a function, or where it would be. */
size_t pm_changes__first_case(const struct pm_changes_side *side, const char *function);

/* The comparison of the latencies of a function, for one size of inputs. */
struct pm_changes_timed {
    size_t change; /* index of the change */
    enum pm_size size;
    struct pm_comparison latency; /* ratio NaN: too few processes */
};

/* A comparison of two sides in progress. `timed` grows until all functions are compared. */
struct pm_changes_comparing {
    const struct pm_changes_side *before, *after;
    const struct pm_changes_request *request;
    struct pm_changes *out;
    struct pm_changes_timed *timed;
    size_t count, capacity;
};

/* ---- latencies.c ---- */

/* Returns whether a side measured latencies, or was to measure them. */
bool pm_changes__is_timed(const struct pm_changes_side *side);
/* Returns whether latencies are compared: the request includes them, a side is timed, and both
 * sides were executed. */
bool pm_changes__compares_latencies(const struct pm_changes_comparing *c);
/* Adds the latencies of the function of a change to `timed`, for one size of inputs. If all its
 * cases are unstable, or if a case does different work, notes this in the change. */
void pm_changes__compare_size(struct pm_changes_comparing *c, size_t change, enum pm_size size);
/* Decides the changes by latency for all functions together, because the p-value of a ratio is
 * corrected for their number. Frees `timed`. */
void pm_changes__compare_latencies(struct pm_changes_comparing *c);

#endif
