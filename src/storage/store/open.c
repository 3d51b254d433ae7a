/* Opens and closes databases. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <threads.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/trace.h"
#include "store/store_private.h"

/* The longest wait for another process, and the longest wait after the user has stopped the
 * command. */
enum { BUSY_MS = 30000, BUSY_STOPPED_MS = 1000, BUSY_STEP_MS = 10 };
/* Steps of SQLite's virtual machine between two checks whether the user has stopped the command. */
enum { STEPS_BETWEEN_LOOKS = 10000 };

static int unwritable_folder(const char *path, struct pm_error *err)
{
    char *folder = pm_path_parent(path);
    int rc = PM_OK;
    if (!pm_path_exists(folder))
        rc = pm_error_set(err, PM_EIO, "the folder '%s' of database '%s' does not exist: create it",
                          folder, path);
    else if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0)
        rc = pm_error_errno(err, "cannot write '%s' in folder '%s'", path, folder);
    free(folder);
    return rc;
}

static int is_empty(const char *path, struct pm_error *err)
{
    return pm_error_set(err, PM_ENOTFOUND, "'%s' is empty: fill it with portmeter run", path);
}

int pm_store_expect(const char *path, struct pm_error *err)
{
    if (!*path)
        return pm_error_set(err, PM_EUSAGE,
                            "the name of the database is empty: name a file with --db");
    struct stat info;
    if (!pm_path_exists(path))
        return pm_error_set(err, PM_ENOTFOUND,
                            "database '%s' does not exist: check its path, or create it with "
                            "portmeter run, scan or import",
                            path);
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0
               ? is_empty(path, err)
               : PM_OK;
}

/* Checks the path, because SQLite would report a wrong path later and less clearly. */
static int check_path(const char *path, enum pm_store_mode mode, struct pm_error *err)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;
    if (!there && errno != ENOENT)
        return pm_error_errno(err, "cannot open database '%s'", path);
    if (!there && (mode == PM_STORE_READ || !*path))
        return pm_store_expect(path, err);
    if (there && S_ISDIR(info.st_mode))
        return pm_error_set(err, PM_EFORMAT, "'%s' is a folder, not a database: name a file", path);
    if (there && !S_ISREG(info.st_mode))
        return pm_error_set(err, PM_EFORMAT, "'%s' is not a regular file: name a database", path);
    if (there && mode == PM_STORE_READ && info.st_size == 0)
        return is_empty(path, err);
    if (there &&
        faccessat(AT_FDCWD, path, mode == PM_STORE_READ ? R_OK : R_OK | W_OK, AT_EACCESS) != 0)
        return pm_error_errno(err, "cannot %s database '%s'",
                              mode == PM_STORE_READ ? "read" : "write", path);
    if (there && mode == PM_STORE_WRITE && pm_store__is_packed(path))
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' is packed, and can only be read: unpack it with zstd -d, or name "
                            "another database",
                            path);
    return mode == PM_STORE_WRITE ? unwritable_folder(path, err) : PM_OK;
}

/* Limits the resources that a file may request of SQLite, far above the needs of portmeter's own
 * files. */
static void limit(sqlite3 *db)
{
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 1000000000}, /* bytes of a value or a row */
        {SQLITE_LIMIT_SQL_LENGTH, 100000},   {SQLITE_LIMIT_COLUMN, 100},
        {SQLITE_LIMIT_EXPR_DEPTH, 100},      {SQLITE_LIMIT_COMPOUND_SELECT, 10},
        {SQLITE_LIMIT_FUNCTION_ARG, 10},     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0},    {SQLITE_LIMIT_ATTACHED, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].what, limits[i].most);
}

static void defend(sqlite3 *db)
{
    static const struct {
        int what, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(db, settings[i].what, settings[i].value, NULL);
    limit(db);
}

static int is_stopped(void *ctx)
{
    const struct pm_store *store = ctx;
    return pm_stop_signal() != 0 && !store->ignores_stop;
}

void pm_store_on_work(struct pm_store *store, pm_store_work_fn *work, void *ctx)
{
    store->work = work;
    store->work_ctx = ctx;
}

/* SQLite calls this function from time to time while a statement runs. A result other than 0
 * interrupts the statement. */
static int look(void *ctx)
{
    const struct pm_store *store = ctx;
    if (store->work)
        store->work(store->work_ctx);
    return is_stopped(ctx);
}

/* Returns 1 to continue to wait for the process that has the database locked. */
static int wait_on(void *ctx, int count)
{
    const struct pm_store *store = ctx;
    const int most = pm_stop_signal() ? BUSY_STOPPED_MS : BUSY_MS;
    if (store->waits_for_nobody || is_stopped(ctx) || count >= most / BUSY_STEP_MS)
        return 0;
    pm_clock_sleep((uint64_t)BUSY_STEP_MS * 1000000);
    return 1;
}

/* Traces a statement that took 10 ms or more. SQLite calls this function after each statement. */
static int trace_statement(unsigned kind, void *ctx, void *statement, void *nanoseconds)
{
    enum { SLOW_NS = 10000000 };
    const sqlite3_int64 took = *(const sqlite3_int64 *)nanoseconds;
    (void)kind;
    (void)ctx;
    if (took >= SLOW_NS)
        pm_trace("slow statement", "{s:s, s:f}", "sql", sqlite3_sql(statement), "seconds",
                 (double)took / 1e9);
    return 0;
}

static int configure(struct pm_store *store, struct pm_error *err)
{
    sqlite3_busy_handler(store->db, wait_on, store);
    sqlite3_progress_handler(store->db, STEPS_BETWEEN_LOOKS, look, store);
    sqlite3_extended_result_codes(store->db, 1);
    if (pm_trace_is_on())
        sqlite3_trace_v2(store->db, SQLITE_TRACE_PROFILE, trace_statement, NULL);
    defend(store->db);
    if (!pm_store__add_functions(store->db))
        return pm_store__failed(store, err);
    PM_TRY(pm_store__exec(store,
                          "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
                          "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY",
                          err));
    return store->mode == PM_STORE_WRITE ? pm_store__lock(store, err) : PM_OK;
}

/* Migrates a private copy, which the store then uses in place of the file. */
static int migrate_copy(struct pm_store *store, int version, struct pm_error *err)
{
    sqlite3 *copy = NULL;
    PM_TRY(pm_store__private_copy(store, &copy, err));
    sqlite3_close_v2(store->db);
    store->db = copy;
    PM_TRY(configure(store, err));
    return pm_store__take_steps(store, version, err);
}

/*
 * Migrates the database if it is old, and chooses how it is written.
 *
 * Writing uses a rollback journal and full syncs. A database at rest is therefore one plain file,
 * which opens in a read-only folder and on a network file system; WAL's shared memory does not
 * allow this. Neither a killed process nor a power failure loses data. A commit of 20 rows takes
 * 0.5 ms of processor time, and 0.1 ms with WAL (ext4, two cores); runs commit about ten times a
 * second.
 *
 * Except in a large transaction (pm_store_begin_large()), changes stay in memory until the commit
 * (cache_spill), so that a writer keeps readers out only while it commits.
 *
 * A reader opens the file for writing too if it may, so that SQLite can roll back what a killed
 * writer left; query_only keeps it from writing anything else.
 */
static int check_contents(struct pm_store *store, struct pm_error *err)
{
    int64_t version = 0;
    PM_TRY(pm_store__look(store, &version, err));
    if (version == 0 && store->mode == PM_STORE_READ)
        return is_empty(store->path, err);
    if (store->mode == PM_STORE_WRITE)
        PM_TRY(pm_store__shorten(store, err));
    if (version == 0)
        PM_TRY(pm_store__create(store, err));
    else if (version != pm_store__versions->count && store->unchanged)
        PM_TRY(migrate_copy(store, (int)version, err));
    else if (version != pm_store__versions->count)
        PM_TRY(pm_store__migrate(store, (int)version, err));
    return pm_store__exec(store,
                          store->mode == PM_STORE_READ
                              ? "PRAGMA query_only = ON"
                              : "PRAGMA cache_spill = OFF; PRAGMA synchronous = FULL",
                          err);
}

/* Removes a file without tables, which would otherwise remain if the disk is full. Only the process
 * that has the lock knows that nobody else has begun to fill it. */
static void remove_if_empty(struct pm_store *store)
{
    int64_t objects = 0;
    if (store->lock >= 0 &&
        pm_store__number(store, "SELECT count(*) FROM sqlite_schema", &objects, NULL) == PM_OK &&
        objects == 0)
        unlink(sqlite3_db_filename(store->db, "main"));
}

/* Turns off the statistics of SQLite's memory: they need a lock, which takes a twentieth of the
 * time of a merge, and nothing reads them. SQLite accepts this only before it opens a database. */
static void count_no_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int connect_to(struct pm_store *store, struct pm_error *err)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                      (store->mode == PM_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    if (store->mode == PM_STORE_READ && pm_store__is_packed(store->path)) {
        store->unchanged = true;
        return pm_store__open_packed(store, err);
    }
    return sqlite3_open_v2(store->path, &store->db, flags, NULL) == SQLITE_OK
               ? PM_OK
               : pm_store__failed(store, err);
}

static int open_as(struct pm_store **out, const char *path, enum pm_store_mode mode, bool unchanged,
                   struct pm_error *err)
{
    *out = NULL;
    PM_TRY(check_path(path, mode, err));
    const bool is_new = !pm_path_exists(path);
    struct pm_store *store = pm_alloc(sizeof *store);
    store->path = pm_strdup(path);
    store->mode = mode;
    store->unchanged = unchanged;
    store->lock = -1;
    pm_str_init(&store->times);
    pm_str_init(&store->compilations);
    static once_flag first = ONCE_FLAG_INIT;
    call_once(&first, count_no_memory);
    int rc = connect_to(store, err);
    if (!rc)
        rc = configure(store, err);
    if (!rc)
        rc = check_contents(store, err);
    if (rc && is_new)
        remove_if_empty(store);
    if (rc == PM_OK)
        *out = store;
    else
        pm_store_free(store);
    return rc;
}

int pm_store_open(struct pm_store **out, const char *path, enum pm_store_mode mode,
                  struct pm_error *err)
{
    return open_as(out, path, mode, false, err);
}

int pm_store_open_unchanged(struct pm_store **out, const char *path, struct pm_error *err)
{
    return open_as(out, path, PM_STORE_READ, true, err);
}

void pm_store_ignore_stop(struct pm_store *store)
{
    store->ignores_stop = true;
}

void pm_store_free(struct pm_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->statement_count; i++)
        sqlite3_finalize(store->statements[i].stmt);
    free(store->statements);
    if (store->db && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    pm_store__unlock(store);
    sqlite3_close_v2(store->db);
    pm_packer_release(&store->packer);
    pm_str_release(&store->times);
    pm_str_release(&store->compilations);
    free(store->path);
    free(store);
}
