/*
 * Gives the room merge, which copies whole tables, the SQLite connection of a store. All other
 * rooms use the functions of store.h and of the headers beside it.
 */
#ifndef PM_STORE_CONNECTION_H
#define PM_STORE_CONNECTION_H

#include "store/store.h"

struct sqlite3;

/* Returns the store's connection; borrowed. Change rows only between begin and commit. */
struct sqlite3 *pm_store_connection(const struct pm_store *store);
/* Returns a code for the last error of the connection, and sets its message. */
PM_MUST_USE int pm_store_failed(struct pm_store *store, struct pm_error *err);
/* The CHECK constraints of a table: expressions of SQL over its columns. */
struct pm_constraints {
    char **items;
    size_t count, capacity;
};
/* Reads the constraints of a table from the schema of the store. The caller releases *out, also
 * after an error. */
PM_MUST_USE int pm_store_constraints(struct pm_store *store, const char *table,
                                     struct pm_constraints *out, struct pm_error *err);
void pm_constraints_release(struct pm_constraints *constraints);
/* Deletes bytes of arrays that no leaf keeps, closeness of arrays without a leaf, and cases without
 * an execution. */
PM_MUST_USE int pm_store_drop_unused(struct pm_store *store, struct pm_error *err);

#endif
