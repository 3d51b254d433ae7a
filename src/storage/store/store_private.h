/*
 * Declarations that the files of this room share: the handle, one way to run a statement, and one
 * way to read a row, which trusts nothing in a file.
 *
 *     struct pm_store__query q;
 *     PM_TRY(pm_store__prepare(store, "SELECT id, name, ...", &q, err));
 *     pm_store__bind_int(&q, run_id);                     // parameters from left to right
 *     while ((rc = pm_store__next(&q, err)) > 0) {
 *         row.id = pm_store__row(&q, "run");              // columns from left to right
 *         row.name = pm_store__line(&q);
 *         if ((rc = pm_store__sound(&q, err)))            // whether each value is valid
 *             break;
 *     }
 *     pm_store__close(&q);
 *
 * SQL texts are literals: the cache identifies a prepared statement by the address of its text. A
 * statement that is already in use (a query inside a callback of the same query) is prepared
 * separately.
 */
#ifndef PM_STORE_STORE_PRIVATE_H
#define PM_STORE_STORE_PRIVATE_H

#include <sqlite3.h>

#include "base/packed.h"
#include "base/str.h"
#include "store/store.h"

enum { PM_STORE__APPLICATION = 0x504D5452 };
/* schema.sql, made into C by the build. */
extern const char pm_store__schema[];

/* A table, index, trigger or view: its row in the table sqlite_schema; a missing statement is "". */
struct pm_store__object {
    const char *type, *name, *sql;
};
/* Tables before indices, each sorted by name. */
struct pm_store__objects {
    const struct pm_store__object *items;
    size_t count;
};

/* A database as bytes: runs of bytes, with zeroes between and behind them. */
struct pm_store__image {
    size_t length; /* 0: the build could not make it */
    size_t run_count;
    const struct pm_store__image_run {
        size_t at, length;
    } * runs;
    const unsigned char *bytes; /* the bytes of all runs */
    struct pm_store__objects objects;
};
/* A database with the tables of schema.sql and no rows, made by the build. */
extern const struct pm_store__image pm_store__empty;

/* A prepared statement, identified by two addresses. `from` is NULL and `literal` its text; or, for
 * a statement made from a description (description.h), `from` is in the description and `literal`
 * is the end of the text. */
struct pm_store__statement {
    const void *from;
    const char *literal;
    sqlite3_stmt *stmt;
    bool used;
};

struct pm_store {
    sqlite3 *db;
    char *path;
    enum pm_store_mode mode;
    int lock;              /* descriptor of the writer's lock; -1: not held */
    bool ignores_stop;     /* the user's stop interrupts nothing */
    bool unchanged;        /* an older file is migrated in a private copy */
    bool is_longer;        /* the file was longer than its header says when it was last examined */
    bool waits_for_nobody; /* does not wait for a lock of another process */
    pm_store_work_fn *work;
    void *work_ctx;
    bool in_transaction; /* begun and not committed; SQLite may have rolled back already */
    struct pm_store__statement *statements;
    size_t statement_count, statement_capacity;
    struct pm_packer packer;
    struct pm_str times, compilations; /* buffers for the texts of a timing, reused */
};

/* ---- opening ------------------------------------------------------------------------------- */

/* Gives a connection the SQL functions that the schema and queries call. False if memory is
 * exhausted. */
bool pm_store__add_functions(sqlite3 *db);

/* Returns whether a file begins as a zstd frame does. */
bool pm_store__is_packed(const char *path);
/* Opens a packed database: unpacks it into memory. PM_EFORMAT if it is not a whole frame, or has
 * more than 1 GiB. */
PM_MUST_USE int pm_store__open_packed(struct pm_store *store, struct pm_error *err);

/* Acquires the lock that allows one writer. PM_EBUSY if another process has it, with a message that
 * names the process if it is known. pm_store__unlock() releases the lock, if it is held. */
PM_MUST_USE int pm_store__lock(struct pm_store *store, struct pm_error *err);
void pm_store__unlock(struct pm_store *store);

/* Examines the last committed state of the file, and sets *version to the version of its schema, or
 * to 0 if it has no tables. PM_EFORMAT if it belongs to another program or a newer version, if it
 * is shorter than its header says, or if its tables, indices, triggers and views are not exactly
 * those of its version. */
PM_MUST_USE int pm_store__look(struct pm_store *store, int64_t *version, struct pm_error *err);

/* Returns SQL without comments, and with spaces only between two words. The caller frees it. */
char *pm_store__normalised(const char *sql);
/* Returns the position after the quoted text that begins at `at`. SQLite doubles a quote within
 * it. */
const char *pm_store__behind_quotes(const char *at);

/*
 * Cuts off the bytes that pm_store__look() found behind the length in the header of a file. A
 * process that died at the end of a transaction left them. The lock must be held. Nothing is cut
 * off while another process reads. PM_EFORMAT if the bytes before them are not a complete database,
 * because then the header is wrong.
 */
PM_MUST_USE int pm_store__shorten(struct pm_store *store, struct pm_error *err);

/* Makes the tables of the current version in a file that has none. */
PM_MUST_USE int pm_store__create(struct pm_store *store, struct pm_error *err);

/*
 * Brings a file of an older version to the current one: keeps a copy beside it, named
 * PATH.version-N, then changes the file in one transaction. The lock is held meanwhile. PM_EBUSY if
 * another process writes, PM_EIO if the file or its folder cannot be written. After a failure the
 * file is as it was, and no copy is left.
 */
PM_MUST_USE int pm_store__migrate(struct pm_store *store, int version, struct pm_error *err);
/* Runs all migration steps from `version` on, in one transaction, without a lock or a copy. */
PM_MUST_USE int pm_store__take_steps(struct pm_store *store, int version, struct pm_error *err);
/* Copies the database to a temporary file without a name, which is gone when *copy is closed. */
PM_MUST_USE int pm_store__private_copy(struct pm_store *store, sqlite3 **copy,
                                       struct pm_error *err);

/* The step that leads to version N, at index N - 1. A step with `schema` creates all tables again:
 * the old tables are named old_<name> while `sql` copies their rows, and are then dropped. `sql`
 * must name every column: SQLite checks no constraint of the rows that SELECT * copies. */
struct pm_store__step {
    const char *sql, *schema;
};
/* Versions 1 to `count`. New files get the last. The first step has `schema` and no `sql`. */
struct pm_store__versions {
    const char *schema; /* all tables of version `count`, with their comments */
    const struct pm_store__step *steps;
    int count;
    const struct pm_store__image *empty; /* a file with the tables of `schema`; or NULL */
};
/* The versions of this program. A test of migrations replaces them. */
extern const struct pm_store__versions *pm_store__versions;
/* Makes the tables of a version in the empty database `db`. False on failure: sqlite3_errmsg(). */
bool pm_store__make_version(sqlite3 *db, int version);

/* ---- statements ---------------------------------------------------------------------------- */

/* Returns a code for SQLite's last error, and sets its message. Rolls the open transaction back,
 * unless SQLite only refused a statement or a row. */
PM_MUST_USE int pm_store__failed(struct pm_store *store, struct pm_error *err);
/* Returns PM_EIO: an error has ended the transaction, so nothing more may be stored in it. */
PM_MUST_USE int pm_store__lost(const struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_store__exec(struct pm_store *store, const char *sql, struct pm_error *err);
/* Reads the single number that a statement returns. */
PM_MUST_USE int pm_store__number(struct pm_store *store, const char *sql, int64_t *out,
                                 struct pm_error *err);

struct pm_store__query {
    struct pm_store *store;
    sqlite3_stmt *stmt;
    size_t slot; /* slot in the cache; SIZE_MAX: prepared outside it */
    int bound, column;
    int bind_rc;
    const char *what; /* the current row, for messages: "execution" 17 */
    int64_t row;
    char damage[200]; /* describes the first invalid value of the row; "": there is none */
};
#define pm_store__prepare(store, sql, q, err) pm_store__prepare_literal((store), "" sql, (q), (err))
PM_MUST_USE int pm_store__prepare_literal(struct pm_store *store, const char *sql,
                                          struct pm_store__query *q, struct pm_error *err);
/* pm_store__prepare_known() returns whether the statement is already prepared and not in use. If
 * not, pm_store__prepare_new() prepares `sql`. */
PM_MUST_USE bool pm_store__prepare_known(struct pm_store *store, const void *from,
                                         const char *literal, struct pm_store__query *q);
PM_MUST_USE int pm_store__prepare_new(struct pm_store__query *q, const void *from,
                                      const char *literal, const char *sql, struct pm_error *err);
/* Bound text and bytes must live until the statement has run. */
void pm_store__bind_int(struct pm_store__query *q, int64_t value);
void pm_store__bind_id(struct pm_store__query *q, int64_t id);           /* 0 becomes NULL   */
void pm_store__bind_real(struct pm_store__query *q, double value);       /* NaN becomes NULL */
void pm_store__bind_text(struct pm_store__query *q, const char *text);   /* NULL becomes ''  */
void pm_store__bind_change(struct pm_store__query *q, const char *text); /* NULL stays NULL  */
/* Binds a message, an output or a path, with the names of users and hosts replaced
 * (base/privacy.h). */
void pm_store__bind_message(struct pm_store__query *q, const char *text); /* NULL becomes '' */
void pm_store__bind_message_change(struct pm_store__query *q,
                                   const char *text);                          /* NULL stays NULL */
void pm_store__bind_message_json(struct pm_store__query *q, const char *text); /* JSON, or '' */
void pm_store__bind_bytes(struct pm_store__query *q, const void *bytes, size_t length);

/* Reads the next row. Returns 1 if there is one, 0 if there are no more, or a negative error. */
PM_MUST_USE int pm_store__next(struct pm_store__query *q, struct pm_error *err);
void pm_store__close(struct pm_store__query *q);

/* Runs a statement that returns no rows, and closes it, even after an error. Stores the id of the
 * new row in *id, and the number of changed rows in *changed. Both may be NULL. */
PM_MUST_USE int pm_store__run(struct pm_store__query *q, int64_t *id, int *changed,
                              struct pm_error *err);
/* Works like pm_store__run(), but fails with PM_ENOTFOUND if no row changes. The message says that
 * the database has no `what` with this id. */
PM_MUST_USE int pm_store__run_one(struct pm_store__query *q, const char *what, int64_t id,
                                  struct pm_error *err);

/* ---- values of a row ------------------------------------------------------------------------
 *
 * Each function reads the next column. If the value has another type, is out of its range, too
 * long, not UTF-8 or not one of the words, the function returns 0, NaN or "" and records this for
 * pm_store__sound(). Text is valid until the next row. */
enum pm_store__lack { PM_STORE__NEEDED, PM_STORE__MAY_LACK /* "" is allowed */ };
enum { PM_STORE__MOST_REPETITION = 1000000, PM_STORE__MOST_POSITION = 1000000 };
#define PM_STORE__MOST_COUNT 1000000000000
#define PM_STORE__MOST_REPORTED                                                                    \
    ((int64_t)1 << 53)                        /* most ns or bytes that a framework may report */
#define PM_STORE__MOST_TEXT ((size_t)1 << 28) /* most bytes of a long text or a document */

/* Names the current row for messages. */
void pm_store__about(struct pm_store__query *q, const char *what);
/* Reads the id of a row, and names the row by it in messages: "execution 17, repetition is -5". */
int64_t pm_store__row(struct pm_store__query *q, const char *what);
int64_t pm_store__id(struct pm_store__query *q);         /* at least 1                */
int64_t pm_store__id_or_none(struct pm_store__query *q); /* at least 1, or 0 for NULL */
int64_t pm_store__whole(struct pm_store__query *q, int64_t least, int64_t most);
int64_t pm_store__count(struct pm_store__query *q);                          /* 0 to 10^12    */
bool pm_store__flag(struct pm_store__query *q);                              /* 0 or 1        */
double pm_store__real(struct pm_store__query *q, double least, double most); /* NULL gives NaN */
const char *pm_store__line(struct pm_store__query *q); /* a name or one line; may be ""    */
const char *pm_store__long(struct pm_store__query *q); /* up to PM_STORE__MOST_TEXT        */
const char *pm_store__json(struct pm_store__query *q, enum pm_store__lack lack);
const char *pm_store__digest(struct pm_store__query *q, enum pm_store__lack lack);
const char *pm_store__time(struct pm_store__query *q, enum pm_store__lack lack);
/* Returns the index of the word. */
int pm_store__word_of(struct pm_store__query *q, const struct pm_words *words);
const void *pm_store__bytes(struct pm_store__query *q, size_t *length);
/* Fails with PM_EFORMAT for more than PM_STORE_MOST_TIMINGS. */
int pm_store__check_timings(size_t count, struct pm_error *err);
/* Returns a list of whole numbers as text, "[1,20]": valid until `out` changes. */
const char *pm_store__numbers_text(struct pm_str *out, const int64_t *numbers, size_t count);
struct pm_store__numbers {
    int64_t *items; /* the owner of the list frees them */
    size_t count, capacity;
};
/* Replaces the numbers of `out` by the numbers in a text that pm_store__numbers_text() wrote.
 * PM_EFORMAT names the column. */
PM_MUST_USE int pm_store__read_numbers(const struct pm_store__query *q, const char *text,
                                       struct pm_store__numbers *out, const char *column,
                                       struct pm_error *err);
/* Fails with PM_EFORMAT if a value of the row was wrong. The message names the first one. */
PM_MUST_USE int pm_store__sound(const struct pm_store__query *q, struct pm_error *err);

/* SQL for one of two expressions: `with` if the definition of a case may have a key, and `without`
 * if it has none or is damaged. Most definitions have none of these keys, and are not parsed. */
#define PM_STORE__WITH_KEY(key, with, without)                                                     \
    "CASE WHEN contains(definition, '\"" key "\"') AND json_valid(definition) THEN " with          \
    " ELSE " without " END"
/* SQL that is true if the definition of a case has a key. */
#define PM_STORE__HAS_KEY(key)                                                                     \
    PM_STORE__WITH_KEY(key, "json_type(definition, '$." key "') IS NOT NULL", "0")

/* SQL that is true if no leaf keeps a row of the table blob. */
#define PM_STORE__NOT_KEPT "digest NOT IN (SELECT digest FROM leaf WHERE kept = 1)"

/* ---- bytes --------------------------------------------------------------------------------- */

/* Compresses bytes. The result is in store->packer. */
PM_MUST_USE int pm_store__pack(struct pm_store *store, const void *bytes, size_t length,
                               struct pm_error *err);
/* Returns the `length` bytes that were packed, which the caller frees, and a zero after them; NULL
 * if they are damaged or more than `most`. */
char *pm_store__unpack(const void *packed, size_t size, size_t length, size_t most);

#endif
