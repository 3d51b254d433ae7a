/* Targets of a run, and the cases that it measures on them. Rows, errors and
 * ownership are as in store/store.h. */
#ifndef PM_STORE_TARGETS_H
#define PM_STORE_TARGETS_H

#include "store/store.h"

struct pm_target_row {
    int64_t id, run_id;
    const char *text, *environment, *framework, *device, *variant;
    const char *reference; /* text of the reference; "" if the target is its own reference; for a
                              second measurement, the text of the target */
    enum pm_role role;
    enum pm_evidence evidence;
    bool latencies, on_host;
    bool hides_fallbacks;    /* operations may run on the host instead, and nothing counts them */
    const char *imports;     /* modules that its drivers import after the framework, "a,b.c" */
    const char *interpreter; /* path of Python; "": merged from another database */
    const char *version, *versions, *python; /* versions of the framework, of packages (JSON)
                                                and of Python; set when the driver is ready */
    const char *device_name, *driver_version,
        *numeric; /* numeric: JSON; the first child sets these three */
    bool judged;  /* only when read: an execution on it has an outcome */
};
PM_MUST_USE int pm_store_add_target(struct pm_store *store, const struct pm_target_row *target,
                                    int64_t *id, struct pm_error *err);
/* Updates version, versions, python, device_name, driver_version and numeric; NULL leaves a column
 * as it is. */
PM_MUST_USE int pm_store_update_target(struct pm_store *store, const struct pm_target_row *target,
                                       struct pm_error *err);
typedef int pm_target_fn(void *ctx, const struct pm_target_row *target);
PM_MUST_USE int pm_store_targets(struct pm_store *store, int64_t run_id, pm_target_fn *row,
                                 void *ctx, struct pm_error *err);

struct pm_case_row {
    int64_t id;
    const char *framework, *function, *name, *dtype; /* dtype: "" if it has none */
    const char *definition;                          /* JSON, pm_case_json() */
    bool host_only;
    enum pm_size size;
    enum pm_case_kind kind;
};
/* Adds a case, unless it is stored already, and stores its id in *id. */
PM_MUST_USE int pm_store_add_case(struct pm_store *store, const struct pm_case_row *c, int64_t *id,
                                  struct pm_error *err);

/* A case that has results, and the kind that it had then. */
struct pm_measured_kind_row {
    const char *framework, *function, *name;
    enum pm_case_kind kind;
};
typedef int pm_measured_kind_fn(void *ctx, const struct pm_measured_kind_row *row);
/* Reads the kind of each case that has a finished execution, ordered by id. */
PM_MUST_USE int pm_store_measured_kinds(struct pm_store *store, pm_measured_kind_fn *row, void *ctx,
                                        struct pm_error *err);

#endif
