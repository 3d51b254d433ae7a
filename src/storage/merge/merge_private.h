/* Declarations that the files of this room share: a merge in progress, and the families of shards
 * that it makes. */
#ifndef PM_MERGE_PRIVATE_H
#define PM_MERGE_PRIVATE_H

#include <jansson.h>
#include <sqlite3.h>

#include "merge/merge.h"

/* A row of a file: its ids in the file and in the database (0: it is not there), and whether it was
 * new. */
struct row_id {
    int64_t old, id;
    bool is_new;
    bool is_part;    /* it belongs to a shard, whose rows become a part of another run */
    bool is_untimed; /* the latencies of that shard are not valid */
};

/* A run of a file that measured a shard. */
struct member {
    int64_t old; /* the run in the file */
    int64_t number, count, functions, total;
    char *plan, *uuid, *command;
    char *reason;         /* why its results are not used; "": they are used */
    char *latency_reason; /* why its latencies are not used; "": they are used */
    bool is_chosen;       /* it is the best of the runs of its shard in the file */
};

/* A shard of a family as the database has it. */
struct known_shard {
    int64_t number, functions;
    char *uuid, *reason;
};

/* The shards of one plan, and the run of the database that they become. */
struct family {
    int64_t run;
    int64_t count, total;
    char *plan, *command;
    struct known_shard *shards; /* in the order in which they were found */
    size_t shard_count, shard_capacity;
    json_t *options; /* options of the run, with the functions of all shards; NULL: not read yet */
    bool is_met;     /* a file of this merge has a shard of it */
    bool is_changed;
};

struct pm_merge__families {
    struct family *items;
    size_t count, capacity;
    struct member *members; /* members in the current file */
    size_t member_count, member_capacity;
};

struct pm_merge__scans;

struct pm_merge__context {
    struct pm_store *into, *from;
    const char *file;
    bool apart; /* shards of unlike nodes and of other plans become separate runs */
    struct pm_merged *out;
    struct pm_merge__families *families;
    struct pm_merge__scans *scans;
    bool has_scan_parts; /* the current file has shards of scans */
    struct pm_error *err;
};

/* Reads the families that the database has. Call it again after copying a run that was already
 * merged from shards. */
PM_MUST_USE int pm_merge__families_read(struct pm_merge__context *c);
/* Reads the runs of the file that measured shards, and chooses the best one of each shard. */
PM_MUST_USE int pm_merge__members_read(struct pm_merge__context *c);
/* Returns the member of a run of the file; NULL if the run measured no shard. */
struct member *pm_merge__member(const struct pm_merge__context *c, int64_t old);
/* Finds the family of a member, and stores in *row the id of the family's run in the database. If
 * *family is NULL, the caller adds a new run and calls pm_merge__family_add(). PM_EUSAGE if the
 * member contradicts the database. */
PM_MUST_USE int pm_merge__place(struct pm_merge__context *c, const struct member *member,
                                struct family **family, struct row_id *row);
/* Makes the run that was copied from the member's run the run of a new family. */
PM_MUST_USE int pm_merge__family_add(struct pm_merge__context *c, const struct member *member,
                                     int64_t run, struct family **family);
/* Adds the member to its family, after pm_merge__place(). */
PM_MUST_USE int pm_merge__join(struct pm_merge__context *c, const struct member *member,
                               struct family *family, const struct row_id *row);
/* Sets the options, times, validity and state of the runs of changed families. */
PM_MUST_USE int pm_merge__families_settle(struct pm_merge__context *c);
void pm_merge__members_release(struct pm_merge__families *families);
void pm_merge__families_release(struct pm_merge__families *families);

/* ---- differences.c --------------------------------------------------------------------------- */

/* Sets *difference to a text about how the nodes of the member and of the family's other shards
 * differ, or to NULL if all properties that are known of both are equal. The caller frees it. */
PM_MUST_USE int pm_merge__node_difference(struct pm_merge__context *c, const struct member *member,
                                          const struct family *family, char **difference);
/* Returns a text such as "seed 7 instead of 8", which the caller frees. If `other` is NULL, the
 * text contains "none" for it. */
char *pm_merge__value_difference(const char *key, const json_t *value, const json_t *other);
/* Sets *difference to a text about how their plans differ. The caller frees it. */
PM_MUST_USE int pm_merge__plan_difference(struct pm_merge__context *c, const struct member *member,
                                          const struct family *family, char **difference);

/* ---- incoming.c ------------------------------------------------------------------------------ */

/* Provides the rows of "INSERT INTO ... SELECT c0, c1, ... FROM incoming". */
struct pm_merge__incoming {
    int (*next)(void *ctx); /* 1: the next row is ready; 0: there is none; negative: an error */
    void (*give)(void *ctx, int column, sqlite3_context *out); /* passes a value of the row to
                                                                  SQLite */
    void *ctx;
    int rc; /* the last result of `next`; if negative, the error of the statement */
};
/* Registers the virtual table `incoming` with a connection; false on failure. `rows` must live as
 * long as the statements that read it. Its members may change between two statements. */
bool pm_merge__incoming_add(sqlite3 *db, struct pm_merge__incoming *rows);

/* ---- tables.c: the tables to copy ------------------------------------------------------------ */

enum { PM_MERGE__TABLES = 38, PM_MERGE__MOST_COLUMNS = 64, PM_MERGE__NONE = -1 };

/*
 * A table of the schema. It comes after the tables to which it refers.
 *
 * owner: the column that refers to the row to which a row belongs. A row is copied if its owner is
 * new.
 * same: the condition for an equal row of the database; ":name" is a column of the copied row. A
 *   row that has an equal row is not copied.
 * conflict: the clause for a row whose key exists already.
 * stays: the rows are not copied.
 * timed: the rows contain latencies, and are not copied from a shard with invalid latencies.
 * whole: the rows are about a whole run, and are computed again if the run is merged from shards.
 * changes: rows may be changed after they were copied.
 */
struct pm_merge__table {
    const char *name, *owner, *same, *conflict;
    bool stays, timed, whole, changes;
};
extern const struct pm_merge__table pm_merge__tables[PM_MERGE__TABLES];

/* How a table is copied. A route is made when the first file needs it, and is used for all files,
 * because making a statement takes longer than copying a few rows. */
struct route {
    int columns;                        /* number of columns; 0: the route is not made yet */
    int owner, id;                      /* numbers of columns, from 0; PM_MERGE__NONE: the table has
                                           none */
    int scope, what;                    /* only in the table statistic: numbers of these columns */
    int refers[PM_MERGE__MOST_COLUMNS]; /* the table to which each column refers, or
                                           PM_MERGE__NONE */
    int references[PM_MERGE__MOST_COLUMNS], reference_count; /* columns that refer to a table */
    char *select;         /* SQL that reads all rows of a file and, in a last column, whether their
                             constraints hold; NULL: not made yet */
    sqlite3_stmt *insert; /* inserts one row or, if `same` is NULL, all rows of a
                             file */
    sqlite3_stmt *same;   /* finds an equal row; NULL: there is never one */
    int asked[PM_MERGE__MOST_COLUMNS]; /* columns whose values are the parameters of `same` */
    int asked_count;
};

/* The ids of the rows of one table of a file, sorted by `old`. */
struct row_ids {
    struct row_id *items;
    size_t count, capacity;
};

/* A merge in progress. */
struct pm_merge__copier {
    struct pm_merge__context context;
    sqlite3 *db; /* the database into which rows are copied */
    struct route routes[PM_MERGE__TABLES];
    struct row_ids ids[PM_MERGE__TABLES]; /* ids of the file's rows, and their new ids */
    size_t new_rows[PM_MERGE__TABLES];    /* rows of all files that were inserted, or changed by a
                                             conflict */
    struct pm_merge__incoming incoming;
    struct pm_merge__reader *reader;
};

/* Returns the number of a table in the list, or PM_MERGE__NONE. */
int pm_merge__find_table(const char *name);
PM_MUST_USE int pm_merge__prepare(struct pm_store *store, const char *sql, sqlite3_stmt **out,
                                  struct pm_error *err);
/* Prepares the statement that reads a table of the current file, and makes the route of the table
 * if necessary. Sets *select to NULL if the table has no rows. */
PM_MUST_USE int pm_merge__select(struct pm_merge__copier *m, int table, sqlite3_stmt **select);
/* Checks the constraints of rows that were changed after they were read. */
PM_MUST_USE int pm_merge__check_changes(struct pm_merge__copier *m);
/* Returns the constraint that a row of a table in `store` breaks; "" if none is found. The caller
 * frees it. */
char *pm_merge__broken_constraint(struct pm_merge__copier *m, struct pm_store *store, int table);
void pm_merge__routes_release(struct pm_merge__copier *m);

/* ---- reader.c: the rows of a table ----------------------------------------------------------- */

struct pm_merge__value {
    int type;   /* as SQLite names it: SQLITE_INTEGER ... */
    int length; /* bytes of a text or a blob */
    union {
        int64_t integer;
        double real;
        size_t at; /* where a text or a blob is: pm_merge__reader_bytes() */
    };
};

struct pm_merge__reader *pm_merge__reader_new(void);
void pm_merge__reader_free(struct pm_merge__reader *reader); /* accepts NULL */
/* Begins to read the rows of a statement, if necessary on another thread. Until
 * pm_merge__reader_end(), the caller must not use the connection of the statement. With `alone`,
 * there is no other thread, and the caller may use the connection. */
void pm_merge__reader_begin(struct pm_merge__reader *reader, sqlite3_stmt *select, bool alone);
/* Returns the values of the next row, which are valid until the next call. Returns NULL if there is
 * none, with *step SQLITE_DONE or SQLite's code for an error. */
const struct pm_merge__value *pm_merge__reader_next(struct pm_merge__reader *reader, int *step);
/* Returns a text, with a NUL at its end, or a blob of the current row. */
const char *pm_merge__reader_bytes(const struct pm_merge__reader *reader,
                                   const struct pm_merge__value *value);
void pm_merge__reader_end(struct pm_merge__reader *reader);

/* ---- rows.c ---------------------------------------------------------------------------------- */

/* Copies the rows of a table of the current file. */
PM_MUST_USE int pm_merge__copy_table(struct pm_merge__copier *m, int table);

/* ---- scans.c: shards of divided scans -------------------------------------------------------- */

/* Reads the divided scans of the database. */
PM_MUST_USE int pm_merge__scans_read(struct pm_merge__context *c);
/* Reads the divided scans of the current file. */
PM_MUST_USE int pm_merge__scan_parts_read(struct pm_merge__context *c);
/* Returns whether a scan of the file read one shard, or was merged from shards. */
bool pm_merge__is_scan_part(const struct pm_merge__context *c, int64_t old);
/* Finds the scan of the database to which the divided scan `old` of the file is added. Sets row->id
 * to 0 if there is none: the caller adds it. PM_EUSAGE if the divided scan contradicts the
 * database. */
PM_MUST_USE int pm_merge__scan_place(struct pm_merge__context *c, int64_t old, struct row_id *row);
/* Adds the counts of the divided scan row->old of the file to the scan row->id of the database. Its
 * other rows are added as they are copied. */
PM_MUST_USE int pm_merge__scan_join(struct pm_merge__context *c, const struct row_id *row);
/* Corrects the counts of the scans that changed, so that each repository is counted once, and
 * reports these scans. Sets *made to the number of these scans that are new. */
PM_MUST_USE int pm_merge__scans_settle(struct pm_merge__context *c, size_t *made);
void pm_merge__scans_release(struct pm_merge__scans *scans); /* accepts NULL */

#endif
