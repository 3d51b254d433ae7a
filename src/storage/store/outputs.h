/* The outputs of executions: leaves, the bytes of arrays, and the closeness of arrays to their
 * references. Rows, errors and ownership are as in store/store.h. */
#ifndef PM_STORE_OUTPUTS_H
#define PM_STORE_OUTPUTS_H

#include "store/store.h"

struct pm_leaf_row {
    int64_t execution_id;
    enum pm_leaf_part part;
    int64_t position;
    const char *path;
    enum pm_leaf_kind kind;
    const char *dtype, *shape; /* for an array: dtype as in the case language, shape as JSON
                                  "[4,200]" */
    const char *device;
    bool on_device;
    const char *digest; /* "": there are no bytes (meta) */
    const char *value;  /* for a value: canonical JSON; for a type: its name */
    bool kept;          /* its bytes must be kept; true for a leaf that is added */
};
#define PM_STORE_MOST_BLOB ((size_t)1 << 31)
/* Adds a leaf. `bytes` (may be NULL, at most PM_STORE_MOST_BLOB) are stored once per digest,
 * compressed with zstd. */
PM_MUST_USE int pm_store_add_leaf(struct pm_store *store, const struct pm_leaf_row *leaf,
                                  const void *bytes, size_t length, struct pm_error *err);
typedef int pm_leaf_fn(void *ctx, const struct pm_leaf_row *leaf);
PM_MUST_USE int pm_store_leaves(struct pm_store *store, int64_t execution_id, pm_leaf_fn *row,
                                void *ctx, struct pm_error *err);
/* The leaves of a case on a target that are compared only by their type. */
struct pm_typed_case_row {
    int64_t target_id, case_id;
    int64_t leaves;          /* how many; at least 1 */
    const char *path, *type; /* path and type of the first leaf in the order of paths: "out[1]",
                              * "module.Name" */
};
typedef int pm_typed_case_fn(void *ctx, const struct pm_typed_case_row *row);
PM_MUST_USE int pm_store_typed_cases(struct pm_store *store, int64_t run_id, pm_typed_case_fn *row,
                                     void *ctx, struct pm_error *err);
/* One of the dtypes of the arrays that a case gives on a target: outputs, gradients, changed inputs. */
struct pm_case_dtype_row {
    int64_t target_id, case_id;
    const char *dtype;
};
typedef int pm_case_dtype_fn(void *ctx, const struct pm_case_dtype_row *row);
/* Reads each dtype once, ordered by target and case. */
PM_MUST_USE int pm_store_case_dtypes(struct pm_store *store, int64_t run_id, pm_case_dtype_fn *row,
                                     void *ctx, struct pm_error *err);
/* Reads the bytes with a digest; the caller frees *bytes. PM_ENOTFOUND if they are not stored. */
PM_MUST_USE int pm_store_blob(struct pm_store *store, const char *digest, void **bytes,
                              size_t *length, struct pm_error *err);

/* Three steps delete the values that no run needs any more. In one transaction,
 * pm_store_release_values() releases the values of a run, and pm_store_keep_value() keeps those of
 * one leaf after all. After its commit, pm_store_drop_values() deletes the bytes that no leaf of
 * any run keeps, and frees their space in the file system. It does so in transactions of its own,
 * because the journal of a transaction contains the bytes that it deletes; if it is interrupted,
 * the next call deletes the rest. */
PM_MUST_USE int pm_store_release_values(struct pm_store *store, int64_t run_id,
                                        struct pm_error *err);
PM_MUST_USE int pm_store_keep_value(struct pm_store *store, int64_t execution_id,
                                    enum pm_leaf_part part, int64_t position, struct pm_error *err);
PM_MUST_USE int pm_store_drop_values(struct pm_store *store, struct pm_error *err);

/* How close an array is to its reference, stored because the bytes of either may be deleted. */
struct pm_closeness_row {
    const char *digest, *reference; /* digests of the array and of its reference */
    enum pm_compare how;            /* CLOSE, SET or SIGN */
    const char *points;             /* JSON, pm_closeness_text() */
};
/* Adds a row, or replaces the row with the same digests and the same `how`. */
PM_MUST_USE int pm_store_add_closeness(struct pm_store *store, const struct pm_closeness_row *row,
                                       struct pm_error *err);
typedef int pm_closeness_fn(void *ctx, const struct pm_closeness_row *row);
/* Reads the closeness with the digests and `how` of `key`; `row` is not called if it is missing. */
PM_MUST_USE int pm_store_closeness(struct pm_store *store, const struct pm_closeness_row *key,
                                   pm_closeness_fn *row, void *ctx, struct pm_error *err);

#endif
