/* Compares two sides, and prints what changed or writes it as JUnit XML. */
#ifndef PM_COMPARE_COMPARE_H
#define PM_COMPARE_COMPARE_H

#include "base/exit.h"
#include "report/table.h"

/* A comparison of two sides. A side is a target, a run, a version or a database (compare/side.h:
 * [FILE#][run:N#][TARGET]). */
struct pm_compare_options {
    const char *db;          /* database of sides that do not name one */
    const char *a, *b;       /* the sides as the user wrote them */
    bool outcomes_only, all; /* compare no latencies; also list functions without changes */
    /* Functions that the user allows to be gone, unmeasured, in doubt, undecided or unknown. */
    const char *const *allowed;
    size_t allowed_count;
    bool accepts_unknown; /* latencies that cannot be compared do not leave a function in doubt */
    double intolerable;   /* the ratio above which a slower function is intolerable; 0:
                             PM_STAT_INTOLERABLE */
    enum pm_report_format format;
    bool junit;         /* instead of `format` */
    const char *output; /* a file; NULL: stdout */
    unsigned width;
    bool colour;
};
struct pm_compare_result {
    enum pm_exit status; /* the exit status of a gate: pm_changes_status() */
    size_t regressions;
    size_t undecided; /* functions with too few processes */
    char *doubt;      /* pm_changes_doubt() as a message, which the caller frees; NULL: none */
};
/* Prints or writes the comparison. PM_EUSAGE names a side, a target or a function that does not
 * exist. */
PM_MUST_USE int pm_compare(const struct pm_compare_options *options,
                           struct pm_compare_result *result, struct pm_error *err);

#endif
