#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/store_private.h"

enum { BUSY_TIMEOUT_MS = 30000 };

/* A later version appends {2, 3, ...} and raises PM_STORE__VERSION and schema.sql. */
static const struct pm_store__step steps[] = {
    {0, PM_STORE__VERSION, pm_store__schema, NULL},
    {1, 2, pm_store__schema_1_to_2, pm_store__schema_1_as_2},
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static int unwritable_folder(const char *path, struct pm_error *err)
{
    char *folder = pm_path_parent(path);
    int rc = PM_OK;
    if (!pm_path_exists(folder))
        rc = pm_error_set(err, PM_EIO, "no folder '%s' to make the database '%s' in", folder, path);
    else if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0)
        rc = pm_error_errno(err, "cannot write '%s' in folder '%s'", path, folder);
    free(folder);
    return rc;
}

int pm_store_expect(const char *path, struct pm_error *err)
{
    if (!*path)
        return pm_error_set(err, PM_EUSAGE, "the name of the database is empty");
    return pm_path_exists(path) ? PM_OK
                                : pm_error_set(err, PM_ENOTFOUND, "no such database: '%s'", path);
}

/* What SQLite would say only later, and less clearly. */
static int check_path(const char *path, enum pm_store_mode mode, struct pm_error *err)
{
    if (!*path)
        return pm_error_set(err, PM_EUSAGE, "the name of the database is empty");
    struct stat info;
    const bool there = stat(path, &info) == 0;
    if (!there && errno != ENOENT)
        return pm_error_errno(err, "cannot open database '%s'", path);
    if (!there && mode == PM_STORE_READ)
        return pm_error_set(err, PM_ENOTFOUND, "no such database: '%s'", path);
    if (there && S_ISDIR(info.st_mode))
        return pm_error_set(err, PM_EFORMAT, "a folder, not a database: '%s'", path);
    if (there && !S_ISREG(info.st_mode))
        return pm_error_set(err, PM_EFORMAT, "not a regular file: '%s'", path);
    if (there && mode == PM_STORE_READ && info.st_size == 0)
        return pm_error_set(err, PM_ENOTFOUND, "the database is empty and holds no run: '%s'",
                            path);
    if (there &&
        faccessat(AT_FDCWD, path, mode == PM_STORE_READ ? R_OK : R_OK | W_OK, AT_EACCESS) != 0)
        return pm_error_errno(err, "cannot %s database '%s'",
                              mode == PM_STORE_READ ? "read" : "write", path);
    return mode == PM_STORE_WRITE ? unwritable_folder(path, err) : PM_OK;
}

/*
 * Rollback journal, synced in full: a database at rest is one plain file that opens on a read-only
 * folder and on a network file system, which WAL's shared memory does not allow, and it loses
 * nothing to a killed process or to power. A commit of 20 rows costs 0.5 ms of processor time
 * against WAL's 0.1 (ext4, two cores); runs commit about ten times a second.
 *
 * A reader opens for writing too where it may, so that SQLite can roll back what a killed writer
 * left behind; query_only keeps it from anything else.
 */
static int configure(struct pm_store *store, enum pm_store_mode mode, struct pm_error *err)
{
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    PM_TRY(pm_store__exec(store, "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;", err));
    return mode == PM_STORE_READ
               ? PM_OK
               : pm_store__exec(store, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL",
                                err);
}

static int read_number(struct pm_store *store, const char *sql, int64_t *out, struct pm_error *err)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return pm_store__failed(store, err);
    const int rc = sqlite3_step(stmt) == SQLITE_ROW ? PM_OK : pm_store__failed(store, err);
    if (rc == PM_OK)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc;
}

/* What a file is: *version 0 is one without tables. */
static int identify(struct pm_store *store, int64_t *version, struct pm_error *err)
{
    int64_t application = 0, tables = 0;
    PM_TRY(read_number(store, "PRAGMA application_id", &application, err));
    PM_TRY(read_number(store, "PRAGMA user_version", version, err));
    PM_TRY(read_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (application == 0 && *version == 0 && tables == 0)
        return PM_OK;
    if (application != PM_STORE__APPLICATION)
        return pm_error_set(err, PM_EFORMAT, "database of another program: '%s'", store->path);
    if (*version > PM_STORE__VERSION)
        return pm_error_set(err, PM_EFORMAT,
                            "database of a newer portmeter: '%s' (schema %lld, this one knows %d)",
                            store->path, (long long)*version, PM_STORE__VERSION);
    if (*version < 1 || tables == 0)
        return pm_error_set(err, PM_EFORMAT,
                            "damaged database: '%s' (schema %lld with %lld tables)", store->path,
                            (long long)*version, (long long)tables);
    return PM_OK;
}

/* The step that begins at a version; NULL where there is none, with an error. */
static const struct pm_store__step *step_from(const struct pm_store *store,
                                              const struct pm_store__step *list, size_t count,
                                              int64_t at, int version, struct pm_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].from == at)
            return &list[i];
    (void)pm_error_set(err, PM_EFORMAT, "no way from schema %lld to %d: '%s'", (long long)at,
                       version, store->path);
    return NULL;
}

static int take_steps(struct pm_store *store, const struct pm_store__step *list, size_t count,
                      int version, struct pm_error *err)
{
    int64_t at = 0;
    PM_TRY(identify(store, &at, err));
    while (at != version) {
        const struct pm_store__step *step = step_from(store, list, count, at, version, err);
        if (!step)
            return PM_EFORMAT;
        PM_TRY(pm_store__exec(store, step->sql, err));
        at = step->to;
    }
    char *stamp = pm_format("PRAGMA user_version = %d", version);
    const int rc = pm_store__exec(store, stamp, err);
    free(stamp);
    return rc;
}

int pm_store__migrate(struct pm_store *store, const struct pm_store__step *list, size_t count,
                      int version, struct pm_error *err)
{
    PM_TRY(pm_store_begin(store, err));
    const int rc = take_steps(store, list, count, version, err);
    if (rc == PM_OK)
        return pm_store_commit(store, err);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
    return rc;
}

/* An older file is read through temporary views: reading never changes it. */
static int check_contents(struct pm_store *store, enum pm_store_mode mode, struct pm_error *err)
{
    int64_t version = 0;
    PM_TRY(identify(store, &version, err));
    if (mode == PM_STORE_WRITE)
        return version == PM_STORE__VERSION
                   ? PM_OK
                   : pm_store__migrate(store, steps, STEPS, PM_STORE__VERSION, err);
    if (version == 0)
        return pm_error_set(err, PM_ENOTFOUND, "the database is empty and holds no run: '%s'",
                            store->path);
    while (version != PM_STORE__VERSION) {
        const struct pm_store__step *step =
            step_from(store, steps, STEPS, version, PM_STORE__VERSION, err);
        if (!step)
            return PM_EFORMAT;
        PM_TRY(pm_store__exec(store, step->reading, err));
        version = step->to;
    }
    return pm_store__exec(store, "PRAGMA query_only = ON", err);
}

int pm_store_open(struct pm_store **out, const char *path, enum pm_store_mode mode,
                  struct pm_error *err)
{
    *out = NULL;
    PM_TRY(check_path(path, mode, err));
    struct pm_store *store = pm_alloc(sizeof *store);
    store->path = pm_strdup(path);
    pm_str_init(&store->samples);
    pm_str_init(&store->compilations);
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                      (mode == PM_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    int rc;
    if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK)
        rc = pm_store__failed(store, err);
    else if ((rc = configure(store, mode, err)) == PM_OK)
        rc = check_contents(store, mode, err);
    if (rc == PM_OK)
        *out = store;
    else
        pm_store_free(store);
    return rc;
}

void pm_store_free(struct pm_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->statement_count; i++)
        sqlite3_finalize(store->statements[i].stmt);
    free(store->statements);
    sqlite3_close_v2(store->db);
    ZSTD_freeCCtx(store->compressor);
    free(store->packed);
    pm_str_release(&store->samples);
    pm_str_release(&store->compilations);
    free(store->path);
    free(store);
}

int pm_store_begin(struct pm_store *store, struct pm_error *err)
{
    if (store->in_transaction)
        PM_BUG("transactions do not nest");
    PM_TRY(pm_store__exec(store, "BEGIN IMMEDIATE", err));
    store->in_transaction = true;
    return PM_OK;
}

int pm_store_commit(struct pm_store *store, struct pm_error *err)
{
    if (!store->in_transaction)
        PM_BUG("commit without begin");
    const bool gone = sqlite3_get_autocommit(store->db);
    const int rc = gone ? pm_store__lost(store, err) : pm_store__exec(store, "COMMIT", err);
    if (rc != PM_OK && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    store->in_transaction = false;
    return rc;
}
