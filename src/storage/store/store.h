/*
 * One SQLite file holds everything that was measured or decided. It also records the progress of a
 * running run: what is to be done is in `execution` as 'todo' before it is done, and --resume
 * selects what still is.
 *
 * The schema, with what each column means, its unit and its range, is schema.sql beside this file
 * (built into the program); application_id is 'PMTR' and user_version the schema's version.
 *
 * Nothing in a file is trusted. Opening refuses, in one line, a file of another program, one that
 * is shorter than its header says, and one whose tables are not exactly those of its version. A
 * longer one is whole: a process that dies at the end of a transaction leaves it so, and a writer
 * shortens it, unless what would be left is not a whole database (PM_EFORMAT). Each value is
 * checked when it is read: a row that the schema would not let in, a word or a text that makes no
 * sense, ends the query with PM_EFORMAT and a line that names the file, the row and the column.
 *
 * A file of an older version is brought to this one when it is opened, for reading too, after a
 * copy of it was kept beside it as PATH.version-N; where it or its folder cannot be written, the
 * line says what to do. A file of a newer version is refused.
 *
 * A packed database is a database in a zstd frame that says its length, as zstd(1) writes it. It is
 * read in memory, and never written.
 *
 * One writer at a time: who opens a database for writing has it until pm_store_free(), and a second
 * one gets PM_EBUSY at once, with a line that names the first. Readers see what was last committed
 * and wait for the moment of a commit only. A read-only file or folder can be read.
 *
 * Rows come through callbacks; strings in a row are valid during the call only. A callback that
 * returns non-zero ends the query, which returns that value. JSON is text here. Times are
 * nanoseconds. NULL text is stored as "". One store a thread.
 *
 * A full disk rolls the open transaction back, and so does a failing one. Every call until the
 * commit then fails (PM_EIO), and what was committed before is safe. A process that may meet
 * RLIMIT_FSIZE ignores SIGXFSZ, which would end it before it can report the error.
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
PM_MUST_USE int pm_store_open(struct pm_store **out, const char *path, enum pm_store_mode mode,
                              struct pm_error *err);
/* Opens for reading and leaves the file as it is: one of an older version is brought to this one in
 * a private copy, which is gone when the store is freed. */
PM_MUST_USE int pm_store_open_unchanged(struct pm_store **out, const char *path,
                                        struct pm_error *err);
/* Checks that a database exists: PM_ENOTFOUND if there is none or the file is empty, PM_EUSAGE if
 * the name is empty. */
PM_MUST_USE int pm_store_expect(const char *path, struct pm_error *err);
void pm_store_free(struct pm_store *store); /* accepts NULL; rolls back what is open */
/* Lets everything that follows complete, to close what was stopped. Before this call, the user's
 * stop (base/stop.h) ends whatever takes long, with PM_ESTOPPED and the open transaction rolled
 * back. */
void pm_store_ignore_stop(struct pm_store *store);
/* Copies the database whole to `path`, outside a transaction (PM_BUG): written beside it as
 * PATH.part, synced, renamed. What is at `path` stays until then. Gets through after a stop. */
PM_MUST_USE int pm_store_copy(struct pm_store *store, const char *path, struct pm_error *err);
/* Sets where opening writes a line when it has brought a file to this version, with the name of the
 * copy. NULL, as at first: nowhere. Applies to the whole program. */
void pm_store_note_to(FILE *out);

/* Transactions do not nest (PM_BUG). The changes between begin and commit are stored together or
 * not at all, and a store that is open for reading sees one state. */
PM_MUST_USE int pm_store_begin(struct pm_store *store, struct pm_error *err);
/* Begins a transaction with more rows than should be in memory until the commit. They are written
 * to the file before it, and readers wait from then on. */
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
