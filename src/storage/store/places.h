/* The places of the uses that a scan found. Rows, errors and ownership are as in store/store.h. */
#ifndef PM_STORE_PLACES_H
#define PM_STORE_PLACES_H

#include "store/store.h"

/*
 * The kinds of uses of a scan. Places are written file by file.
 *
 *     PM_TRY(pm_store_begin_large(store, err));
 *     PM_TRY(pm_store_add_place_use(store, &use, &place.use_id, err));        // each kind once
 *     PM_TRY(pm_store_add_place_file(store, scan_id, "a.py", 0, 1, &place.file_id, err));
 *     PM_TRY(pm_store_add_place_scope(store, place.file_id, 1, "Net.forward", err));
 *     PM_TRY(pm_store_add_place(store, &place, err));                        // in order
 *     PM_TRY(pm_store_commit(store, err));
 */
struct pm_place_use_row {
    int64_t scan_id;
    const char *framework, *name; /* "pytorch"; canonical */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
};
struct pm_place_ids {
    int64_t file_id, use_id;
    int64_t cell, line, column; /* as in struct pm_place_row */
    int64_t scope;              /* number of a scope of the file, from 1; 0: the top of the file */
    int64_t chain_id;           /* the chain of names from which it was inferred; 0: none */
};
PM_MUST_USE int pm_store_add_place_use(struct pm_store *store, const struct pm_place_use_row *row,
                                       int64_t *id, struct pm_error *err);
/* Adds a file. `number` is the position of its input in the order of reading. */
PM_MUST_USE int pm_store_add_place_file(struct pm_store *store, int64_t scan_id, const char *input,
                                        int64_t record, int64_t number, int64_t *id,
                                        struct pm_error *err);
PM_MUST_USE int pm_store_add_place_scope(struct pm_store *store, int64_t file_id, int64_t number,
                                         const char *name, struct pm_error *err);
PM_MUST_USE int pm_store_add_place_chain(struct pm_store *store, int64_t scan_id, const char *text,
                                         int64_t *id, struct pm_error *err);
/* Adds one use, unless it is stored already. */
PM_MUST_USE int pm_store_add_place(struct pm_store *store, const struct pm_place_ids *place,
                                   struct pm_error *err);

struct pm_place_row {
    const char *name; /* canonical name of what is used */
    int64_t file_id;
    const char *input;    /* path, "-", or archive:member */
    int64_t record;       /* line of a JSON input with the file, from 1; 0: whole input */
    int64_t cell;         /* cell of a notebook, from 1, in which `line` counts; or 0 */
    int64_t line, column; /* from 1; the column in bytes */
    int64_t scope;        /* the number of `inside` in its file; 0: the top */
    const char *inside;   /* "Net.forward": classes and functions around it, "" at the top */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* the chain of names from which it was inferred, or "" */
};
typedef int pm_place_fn(void *ctx, const struct pm_place_row *row);
/* Reads the uses of one function (`name` NULL: of all) in one scan, in the order of reading. */
PM_MUST_USE int pm_store_places(struct pm_store *store, int64_t scan_id, const char *framework,
                                const char *name, pm_place_fn *row, void *ctx,
                                struct pm_error *err);

#endif
