/* Declares what the files of this room share. */
#ifndef PM_EXPLAIN_EXPLAIN_PRIVATE_H
#define PM_EXPLAIN_EXPLAIN_PRIVATE_H

#include <jansson.h>

#include "explain/explain.h"
#include "report/table.h"
#include "store/store.h"

/* One failure of the function, with everything that a script needs. Texts are borrowed. */
struct pm_explain__failure {
    const char *function, *name; /* the case: "rows[float32]" */
    const char *environment, *framework, *device, *variant, *target, *detail;
    const char *imports; /* modules that the framework does not load itself, "a,b.c" */
    json_t *definition, *result;
    enum pm_outcome outcome;
    enum pm_stage stage;
    enum pm_ending_kind ending;
    int64_t ending_code, seed;
};

/* The reproducer of a failure, and whether it was tried. */
struct pm_explain__reproducer {
    char *text;      /* the script; NULL: there is none */
    char *remark;    /* one line: how it was tried, or why it is missing */
    bool same;       /* tried, and it showed the same failure */
    bool needs_file; /* its values are in an .npz file beside it */
};
/* Writes a reproducer and, unless options->untried is set, runs it. Returns PM_OK even if there is
 * no reproducer. The caller releases *out, also after an error. */
PM_MUST_USE int pm_explain__reproduce(const struct pm_explain__failure *failure,
                                      const struct pm_explain_options *options,
                                      struct pm_explain__reproducer *out, struct pm_error *err);
void pm_explain__reproducer_release(struct pm_explain__reproducer *reproducer);

/* A measured function, and the report that is written about it. */
struct pm_explain__measured {
    int64_t run_id, target_id;
    const char *function;
    struct pm_report *report;
    json_t *data; /* the member "explanation" of JSON */
};
/* Adds the latencies and the first call of a function to the report and the data. (latencies.c) */
PM_MUST_USE int pm_explain__latencies(struct pm_store *store, const struct pm_explain__measured *m,
                                      struct pm_error *err);

/* Returns whether a script shows the failure. `status` is its status from waitpid(). For an
 * exception, the output must have its type and the beginnings of two lines: the first line of its
 * message, and the line that names the cause (line.h); numbers in them may differ. For a crash, the
 * signal or exit status must be the same. For other failures, the output must have the message of
 * the script's assertion. (same.c) */
bool pm_explain__same(const struct pm_explain__failure *failure, int status, const char *output);
/* Returns the kind of a failure: "raised", "differs", "unexpected", "check", "not raised" or
 * "ended". Returns NULL if no script can show it; *why then contains the reason. (same.c) */
const char *pm_explain__kind(const struct pm_explain__failure *failure, const char **why);

#endif
