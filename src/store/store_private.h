/*
 * What the files of this room share: the handle, and one way to run a statement.
 *
 *     struct pm_store__query q;
 *     PM_TRY(pm_store__prepare(store, "SELECT ...", &q, err));
 *     pm_store__bind_int(&q, run_id);                     // parameters from left to right
 *     while ((rc = pm_store__next(&q, err)) > 0)          // columns from left to right
 *         row.id = pm_store__int(&q), row.name = pm_store__text(&q);
 *     pm_store__close(&q);
 *
 * SQL texts are literals: the cache of prepared statements knows them by address. A statement that
 * is already in use (a query inside a callback of the same query) is prepared apart.
 */
#ifndef PM_STORE_STORE_PRIVATE_H
#define PM_STORE_STORE_PRIVATE_H

#include <sqlite3.h>
#include <zstd.h>

#include "base/str.h"
#include "store/store.h"

enum { PM_STORE__APPLICATION = 0x504D5452, PM_STORE__VERSION = 2 };
/* The .sql files of this room, made into C by the build. */
extern const char pm_store__schema[], pm_store__schema_1_to_2[], pm_store__schema_1_as_2[];

struct pm_store__statement {
    const char *sql;
    sqlite3_stmt *stmt;
    bool used;
};

struct pm_store {
    sqlite3 *db;
    char *path;
    bool in_transaction; /* as begin and commit see it; SQLite may have rolled back already */
    struct pm_store__statement *statements;
    size_t statement_count, statement_capacity;
    ZSTD_CCtx *compressor;
    unsigned char *packed; /* room for what the compressor gives */
    size_t packed_capacity;
    struct pm_str samples, compilations; /* texts of a timing, kept for their capacity */
};

/* A change of the schema. Step {0, PM_STORE__VERSION} makes a new file. `reading` makes temporary
 * views that show a file of version `from` as one of version `to`, for who may not change it. */
struct pm_store__step {
    int from, to;
    const char *sql, *reading;
};
/* Brings the file to `version` in one transaction; a step that is missing is an error. */
PM_MUST_USE int pm_store__migrate(struct pm_store *store, const struct pm_store__step *steps,
                                  size_t count, int version, struct pm_error *err);

/* Turns SQLite's last error into a code and a line; rolls back where room or the disk failed. */
PM_MUST_USE int pm_store__failed(struct pm_store *store, struct pm_error *err);
/* The error of a transaction that SQLite has rolled back: nothing more may land in it. */
PM_MUST_USE int pm_store__lost(const struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_store__exec(struct pm_store *store, const char *sql, struct pm_error *err);

/* Compresses into store->packed. */
PM_MUST_USE int pm_store__pack(struct pm_store *store, const void *bytes, size_t length,
                               size_t *packed, struct pm_error *err);
/* The `length` bytes that were packed, which the caller frees, and a zero after them; NULL where
 * they are damaged or more than `most`. */
char *pm_store__unpack(const void *packed, size_t size, size_t length, size_t most);

struct pm_store__query {
    struct pm_store *store;
    sqlite3_stmt *stmt;
    size_t slot; /* of the cache; SIZE_MAX: prepared apart */
    int bound, column;
    int bind_rc;
};
#define pm_store__prepare(store, sql, q, err) pm_store__prepare_literal((store), "" sql, (q), (err))
PM_MUST_USE int pm_store__prepare_literal(struct pm_store *store, const char *sql,
                                          struct pm_store__query *q, struct pm_error *err);
/* Bound text and bytes must live until the statement has run. */
void pm_store__bind_int(struct pm_store__query *q, int64_t value);
void pm_store__bind_id(struct pm_store__query *q, int64_t id);           /* 0 becomes NULL  */
void pm_store__bind_real(struct pm_store__query *q, double value);       /* NaN becomes NULL */
void pm_store__bind_text(struct pm_store__query *q, const char *text);   /* NULL becomes '' */
void pm_store__bind_change(struct pm_store__query *q, const char *text); /* NULL stays NULL */
void pm_store__bind_bytes(struct pm_store__query *q, const void *bytes, size_t length);

/* 1: a row is there; 0: no more; negative: an error. */
PM_MUST_USE int pm_store__next(struct pm_store__query *q, struct pm_error *err);
int64_t pm_store__int(struct pm_store__query *q);      /* NULL gives 0   */
double pm_store__real(struct pm_store__query *q);      /* NULL gives NaN */
const char *pm_store__text(struct pm_store__query *q); /* never NULL; valid until the next row */
const void *pm_store__bytes(struct pm_store__query *q, size_t *length);
void pm_store__close(struct pm_store__query *q);

/* Runs a statement that gives no rows, and closes it whatever happens. `id` (may be NULL) gets the
 * id of the new row, `changed` (may be NULL) the number of rows changed. */
PM_MUST_USE int pm_store__run(struct pm_store__query *q, int64_t *id, int *changed,
                              struct pm_error *err);

#endif
