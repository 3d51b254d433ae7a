/*
 * One SQLite file holds everything that was measured or decided. It also records the progress of a
 * running run: the table `execution` contains each planned execution as 'todo' before it is done,
 * and --resume selects the rows that still are 'todo'.
 *
 * The schema is schema.sql beside this file (built into the program), with the meaning, the unit
 * and the range of each column. application_id is 'PMTR', and user_version is the version of the
 * schema.
 *
 * Nothing in a file is trusted. Opening refuses a file of another program, a file that is shorter
 * than its header says, and a file whose tables are not exactly those of its version. A file that
 * is longer than its header says is complete: a process that died at the end of a transaction left
 * it so. A writer cuts off the surplus, or fails with PM_EFORMAT if the part before it is not a
 * complete database. Each value is checked when it is read. A row that the schema does not allow,
 * or an invalid word or text, ends the query with PM_EFORMAT and a message that names the file, the
 * row and the column.
 *
 * A file of an older version is migrated when it is opened, even for reading. A copy of it is first
 * stored beside it as PATH.version-N. If the file or its folder cannot be written, the message says
 * what to do. A file of a newer version is refused.
 *
 * A packed database is a database in a zstd frame that states its length, as zstd(1) writes it. It
 * is read in memory, and never written.
 *
 * A database has one writer at a time, from its opening to pm_store_free(). A second writer gets
 * PM_EBUSY at once, with a message that names the first. Readers see what was last committed, and
 * wait only during a commit. A database in a read-only file or folder can be read.
 *
 * Rows are passed to callbacks; strings in a row are valid during the call only. A callback that
 * returns non-zero ends the query, which returns that value. JSON is passed as text. Durations are
 * nanoseconds. NULL text is stored as "". Use a store in one thread only.
 *
 * A full or failing disk rolls the open transaction back. Every call until the commit then fails
 * (PM_EIO). Earlier transactions are safe. A process that may reach RLIMIT_FSIZE must ignore
 * SIGXFSZ, which would end it before it can report the error.
 */
#ifndef PM_STORE_STORE_H
#define PM_STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/vocabulary.h"

struct pm_store;

/* WRITE creates the file if it is missing, but leaves no file if its tables cannot be stored. */
enum pm_store_mode { PM_STORE_READ, PM_STORE_WRITE };
/* Opens a database. The caller frees *out with pm_store_free(). It is NULL after an error. */
PM_MUST_USE int pm_store_open(struct pm_store **out, const char *path, enum pm_store_mode mode,
                              struct pm_error *err);
/* Opens for reading and leaves the file as it is. A file of an older version is migrated in a
 * private copy, which is removed when the store is freed. */
PM_MUST_USE int pm_store_open_unchanged(struct pm_store **out, const char *path,
                                        struct pm_error *err);
/* Checks that a database exists: PM_ENOTFOUND if there is none or the file is empty, PM_EUSAGE if
 * the name is empty. */
PM_MUST_USE int pm_store_expect(const char *path, struct pm_error *err);
void pm_store_free(struct pm_store *store); /* accepts NULL; rolls back what is open */
/* Lets all later calls complete, so that a stopped command can store how it ended. Without this,
 * the user's stop (base/stop.h) ends a long call with PM_ESTOPPED and rolls the open transaction
 * back. */
void pm_store_ignore_stop(struct pm_store *store);
/* Copies the whole database to `path`; not within a transaction (PM_BUG). The copy is written
 * beside it as PATH.part, synced and renamed, so a file at `path` stays until the copy is complete.
 * The user's stop does not interrupt it. */
PM_MUST_USE int pm_store_copy(struct pm_store *store, const char *path, struct pm_error *err);
/* Sets the stream to which opening writes a line, with the name of the copy, after it has migrated
 * a file. NULL, the default, means none. Applies to the whole program. */
void pm_store_note_to(FILE *out);

/* Sets a function that long statements call from time to time, so that a command can show that it
 * works; NULL: none. The function must not use the store. */
typedef void pm_store_work_fn(void *ctx);
void pm_store_on_work(struct pm_store *store, pm_store_work_fn *work, void *ctx);

/* Transactions do not nest (PM_BUG). The changes between begin and commit are stored together or
 * not at all, and a store that is open for reading sees one state. */
PM_MUST_USE int pm_store_begin(struct pm_store *store, struct pm_error *err);
/* Begins a transaction with more rows than memory should hold until the commit. Rows may be written
 * to the file before the commit, and readers then wait for the commit. */
PM_MUST_USE int pm_store_begin_large(struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_store_commit(struct pm_store *store, struct pm_error *err);
/* Ends the transaction whose work returned `rc`: commits it, or rolls it back and returns `rc`. */
PM_MUST_USE int pm_store_settle(struct pm_store *store, int rc, struct pm_error *err);

/* Reports a value that only the caller knows to be wrong: "database 'x.db' is damaged: ...", with
 * `format` instead of the dots. Returns PM_EFORMAT. */
int pm_store_damaged(const struct pm_store *store, struct pm_error *err, const char *format, ...)
    PM_PRINTF(3, 4);
/* Parses the text of a JSON column. *out is the caller's. PM_EFORMAT names the row. */
PM_MUST_USE int pm_store_json(const struct pm_store *store, const char *text, json_t **out,
                              const char *table, int64_t row, const char *column,
                              struct pm_error *err);

#endif
