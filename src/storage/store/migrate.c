/* Creates the tables of new files, and migrates files of older versions to the current one. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/plural.h"
#include "base/stop.h"
#include "store/store_private.h"

static FILE *notes;

void pm_store_note_to(FILE *out)
{
    notes = out;
}

/* ---- new files ----------------------------------------------------------------------------- */

static int stamp(struct pm_store *store, int version, struct pm_error *err)
{
    char *sql = pm_format("PRAGMA user_version = %d", version);
    const int rc = pm_store__exec(store, sql, err);
    free(sql);
    return rc;
}

/* Returns the image as a database in memory; NULL on failure. */
static sqlite3 *open_image(const struct pm_store__image *image)
{
    sqlite3 *db = NULL;
    unsigned char *pages = sqlite3_malloc64(image->length);
    const unsigned char *from = image->bytes;
    if (!pages)
        return NULL;
    memset(pages, 0, image->length);
    for (size_t i = 0; i < image->run_count; i++) {
        memcpy(pages + image->runs[i].at, from, image->runs[i].length);
        from += image->runs[i].length;
    }
    const int flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY;
    const sqlite3_int64 length = (sqlite3_int64)image->length;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        sqlite3_free(pages);
    else if (sqlite3_deserialize(db, "main", pages, length, length, flags) == SQLITE_OK)
        return db; /* the connection frees the pages; sqlite3_deserialize() does so if it fails */
    sqlite3_close(db);
    return NULL;
}

/* Fills a file in one transaction with the pages that the build made. Returns false, with the file
 * unchanged, if that failed. run_schema() then tries again, and reports the reason if it fails. */
static bool copy_image(struct pm_store *store, const struct pm_store__image *image)
{
    sqlite3 *from = open_image(image);
    sqlite3_backup *backup = from ? sqlite3_backup_init(store->db, "main", from, "main") : NULL;
    bool copied = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
    if (backup && sqlite3_backup_finish(backup) != SQLITE_OK)
        copied = false;
    sqlite3_close(from);
    return copied;
}

/* Creates the tables. With auto_vacuum, the transaction that removes a run also frees its pages. A
 * full VACUUM would need space for a second copy of the file, which a user who removes runs may
 * lack, and would block readers while it writes. */
static int run_schema(struct pm_store *store, struct pm_error *err)
{
    /* BEGIN IMMEDIATE would create the first page, and then this setting could no longer change. */
    PM_TRY(pm_store__exec(store, "BEGIN; PRAGMA auto_vacuum = INCREMENTAL", err));
    store->in_transaction = true;
    int rc = pm_store__exec(store, pm_store__versions->schema, err);
    if (rc == PM_OK)
        rc = stamp(store, pm_store__versions->count, err);
    return pm_store_settle(store, rc, err);
}

int pm_store__create(struct pm_store *store, struct pm_error *err)
{
    const struct pm_store__image *empty = pm_store__versions->empty;
    const bool copied = empty && empty->length && copy_image(store, empty);
    return copied ? PM_OK : run_schema(store, err);
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Runs a statement for each name that the query `list` returns. `format` makes it from the name. */
static int for_each(struct pm_store *store, const char *list, const char *format,
                    struct pm_error *err)
{
    sqlite3_stmt *stmt = NULL;
    struct pm_str all = PM_STR_INIT;
    if (sqlite3_prepare_v2(store->db, list, -1, &stmt, NULL) != SQLITE_OK)
        return pm_store__failed(store, err);
    int step;
    while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
        char *sql =
            sqlite3_mprintf(format, sqlite3_column_text(stmt, 0), sqlite3_column_text(stmt, 0));
        pm_str_add(&all, sql);
        sqlite3_free(sql);
    }
    sqlite3_finalize(stmt);
    const int rc =
        step == SQLITE_DONE ? pm_store__exec(store, all.data, err) : pm_store__failed(store, err);
    pm_str_release(&all);
    return rc;
}

/* Renames the old tables, creates the new ones, copies the rows and drops the old ones. */
static int rebuild(struct pm_store *store, const struct pm_store__step *step, struct pm_error *err)
{
    PM_TRY(for_each(store,
                    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
                    "DROP INDEX \"%w\";", err));
    PM_TRY(for_each(store, "SELECT name FROM sqlite_schema WHERE type = 'table'",
                    "ALTER TABLE \"%w\" RENAME TO \"old_%w\";", err));
    PM_TRY(pm_store__exec(store, step->schema, err));
    PM_TRY(pm_store__exec(store, step->sql, err));
    return for_each(store,
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'old_*'",
                    "DROP TABLE \"%w\";", err);
}

/* Runs one migration step. Reports damage if the new tables refused a row, because portmeter never
 * stores such a row. A refused row leaves the transaction open. Any other error ends it, and its
 * own message is reported. */
static int take_one(struct pm_store *store, int from, struct pm_error *err)
{
    const struct pm_store__step *step = &pm_store__versions->steps[from];
    struct pm_error why;
    const int rc =
        step->schema ? rebuild(store, step, &why) : pm_store__exec(store, step->sql, &why);
    return rc == PM_EFORMAT && !sqlite3_get_autocommit(store->db)
               ? pm_store_damaged(store, err, "its rows do not fit schema version %d: %s", from + 1,
                                  sqlite3_errmsg(store->db))
           : rc ? pm_error_set(err, rc, "%s", why.text)
                : PM_OK;
}

static int check_references(struct pm_store *store, struct pm_error *err)
{
    int64_t broken = 0;
    PM_TRY(pm_store__number(store, "SELECT count(*) FROM pragma_foreign_key_check", &broken, err));
    return broken
               ? pm_store_damaged(store, err, "it has %lld reference%s to rows that do not exist",
                                  (long long)broken, pm_plural(broken))
               : PM_OK;
}

static int take_all(struct pm_store *store, int from, struct pm_error *err)
{
    for (int at = from; at < pm_store__versions->count; at++)
        PM_TRY(take_one(store, at, err));
    PM_TRY(check_references(store, err));
    PM_TRY(pm_store__exec(store, "PRAGMA incremental_vacuum", err));
    return stamp(store, pm_store__versions->count, err);
}

/* Prepares the connection for a migration, or undoes this: during a migration, SQLite checks no
 * references between tables, because some rows are missing. Neither setting can change in a
 * transaction. */
static int set_apart(struct pm_store *store, bool apart, struct pm_error *err)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, apart, NULL);
    return pm_store__exec(store, apart ? "PRAGMA foreign_keys = OFF" : "PRAGMA foreign_keys = ON",
                          err);
}

/* Even a store that is open for reading writes here. */
int pm_store__take_steps(struct pm_store *store, int from, struct pm_error *err)
{
    PM_TRY(set_apart(store, true, err));
    int rc = pm_store__exec(store, "BEGIN EXCLUSIVE", err);
    if (rc == PM_OK) {
        store->in_transaction = true;
        rc = pm_store_settle(store, take_all(store, from, err), err);
    }
    const int back = set_apart(store, false, rc ? NULL : err);
    return rc ? rc : back;
}

/* ---- the copy ------------------------------------------------------------------------------ */

/* Copies page by page through SQLite, which begins again if another process writes meanwhile.
 * Returns SQLite's code. */
static int copy_pages(struct pm_store *store, sqlite3 *db)
{
    enum { PAGES_AT_ONCE = 1000 };
    sqlite3_backup *backup = sqlite3_backup_init(db, "main", store->db, "main");
    if (!backup)
        return sqlite3_errcode(db);
    while (sqlite3_backup_step(backup, PAGES_AT_ONCE) == SQLITE_OK && !pm_stop_signal())
        ;
    const int rc = sqlite3_backup_remaining(backup) ? SQLITE_INTERRUPT : SQLITE_OK;
    const int end = sqlite3_backup_finish(backup);
    return end ? end : rc;
}

static int copy_to(struct pm_store *store, const char *path, sqlite3 **db, struct pm_error *err)
{
    int rc = sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(*db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL", NULL, NULL,
                          NULL);
    if (rc == SQLITE_OK)
        rc = copy_pages(store, *db);
    PM_TRY(pm_stop_check(err));
    return rc == SQLITE_OK
               ? PM_OK
               : pm_error_set(err, PM_EIO,
                              "cannot copy '%s' before the update: %s: free some space, or copy "
                              "the database to another disk and name the copy",
                              store->path, sqlite3_errstr(rc));
}

static int copy_to_file(struct pm_store *store, const char *path, struct pm_error *err)
{
    sqlite3 *db = NULL;
    const int rc = copy_to(store, path, &db, err);
    sqlite3_close(db);
    return rc;
}

/* For an empty name, SQLite makes a temporary file, and removes its name once it is open. */
int pm_store__private_copy(struct pm_store *store, sqlite3 **copy, struct pm_error *err)
{
    const int rc = copy_to(store, "", copy, err);
    if (rc) {
        sqlite3_close(*copy);
        *copy = NULL;
    }
    return rc;
}

/* Returns the first of PATH.version-N, PATH.version-N.1, ... that does not exist; NULL if all
 * exist. The caller frees it. No other process creates such a file, because the lock is held. */
static char *free_name(const struct pm_store *store, int version)
{
    enum { MOST = 100 };
    struct stat info;
    for (unsigned i = 0; i < MOST; i++) {
        char *name = i ? pm_format("%s.version-%d.%u", store->path, version, i)
                       : pm_format("%s.version-%d", store->path, version);
        if (lstat(name, &info) != 0)
            return name;
        free(name);
    }
    return NULL;
}

/* Creates an empty file with the permissions of the database. It replaces a file that a killed
 * process left. */
static int create_part(const struct pm_store *store, const char *part, struct pm_error *err)
{
    struct stat info;
    const mode_t mode = stat(store->path, &info) == 0 ? info.st_mode & 0777 : 0600;
    unlink(part);
    const int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return pm_error_errno(err, "cannot create '%s'", part);
    close(fd);
    return PM_OK;
}

static int name_copy(const char *part, const char *copy, const struct pm_store *store,
                     struct pm_error *err)
{
    if (!copy)
        return pm_error_set(
            err, PM_EIO, "too many older copies of '%s' exist beside it: remove some", store->path);
    if (rename(part, copy) != 0)
        return pm_error_errno(err, "cannot create '%s'", copy);
    pm_file_sync_folder(copy);
    return PM_OK;
}

/* Keeps a copy of the file. The copy is renamed only when it is complete, so a killed process
 * leaves only a .part file. */
static int keep_copy(struct pm_store *store, int version, char **copy, struct pm_error *err)
{
    char *part = pm_format("%s.version-%d.part", store->path, version);
    int rc = create_part(store, part, err);
    if (rc == PM_OK)
        rc = copy_to_file(store, part, err);
    *copy = rc ? NULL : free_name(store, version);
    if (rc == PM_OK)
        rc = name_copy(part, *copy, store, err);
    if (rc) {
        unlink(part);
        free(*copy);
        *copy = NULL;
    }
    free(part);
    return rc;
}

/* ---- migration ----------------------------------------------------------------------------- */

static int check_writable(const struct pm_store *store, int version, struct pm_error *err)
{
    char *folder = pm_path_parent(store->path);
    const bool writable = sqlite3_db_readonly(store->db, "main") == 0 &&
                          faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
    free(folder);
    return writable ? PM_OK
                    : pm_error_set(err, PM_EIO,
                                   "database '%s' has schema version %d and must be updated to %d, "
                                   "but the file or its folder is not writable: copy the database "
                                   "to a writable folder, and name the copy",
                                   store->path, version, pm_store__versions->count);
}

/* Migrates with the lock, unless the previous owner of the lock has already done it. */
static int migrate_locked(struct pm_store *store, struct pm_error *err)
{
    int64_t version = 0;
    char *copy = NULL;
    PM_TRY(pm_store__look(store, &version, err));
    if (version == pm_store__versions->count)
        return PM_OK;
    PM_TRY(pm_store__shorten(store, err));
    PM_TRY(keep_copy(store, (int)version, &copy, err));
    const int rc = pm_store__take_steps(store, (int)version, err);
    if (rc)
        unlink(copy);
    if (!rc && notes)
        fprintf(notes,
                "note        '%s' was updated to schema version %d; the original is kept as '%s'\n",
                store->path, pm_store__versions->count, copy);
    free(copy);
    return rc;
}

int pm_store__migrate(struct pm_store *store, int version, struct pm_error *err)
{
    const bool locked = store->lock >= 0;
    PM_TRY(check_writable(store, version, err));
    if (!locked)
        PM_TRY(pm_store__lock(store, err));
    const int rc = migrate_locked(store, err);
    if (!locked)
        pm_store__unlock(store);
    return rc;
}
