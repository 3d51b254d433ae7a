/* Copies an open database as a whole, for a copy that is kept elsewhere while the database is still
 * being written. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/store_private.h"

static int copy_pages(struct pm_store *store, const char *path)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "PRAGMA journal_mode = OFF", NULL, NULL, NULL);
    sqlite3_backup *backup =
        rc == SQLITE_OK ? sqlite3_backup_init(db, "main", store->db, "main") : NULL;
    if (rc == SQLITE_OK && !backup)
        rc = sqlite3_errcode(db);
    if (backup) {
        const int step = sqlite3_backup_step(backup, -1);
        const int end = sqlite3_backup_finish(backup);
        rc = step == SQLITE_DONE ? end : step;
    }
    sqlite3_close(db);
    return rc;
}

/* Creates an empty file with the permissions of the database. It replaces a file that a killed
 * process left. */
static bool create_part(const struct pm_store *store, const char *part)
{
    struct stat info;
    const mode_t mode = stat(store->path, &info) == 0 ? info.st_mode & 0777 : 0600;
    unlink(part);
    const int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool sync_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return synced;
}

static int put_in_place(struct pm_store *store, const char *part, const char *path,
                        struct pm_error *err)
{
    if (!create_part(store, part))
        return pm_error_errno(err, "cannot create '%s'", part);
    const int rc = copy_pages(store, part);
    if (rc != SQLITE_OK)
        return pm_error_set(
            err, PM_EIO, "cannot copy '%s' to '%s': %s: %s", store->path, path, sqlite3_errstr(rc),
            rc == SQLITE_FULL ? "free some space there" : "check the disk and the permissions");
    if (!sync_file(part) || rename(part, path) != 0)
        return pm_error_errno(err, "cannot create '%s'", path);
    pm_file_sync_folder(path);
    return PM_OK;
}

int pm_store_copy(struct pm_store *store, const char *path, struct pm_error *err)
{
    if (store->in_transaction)
        PM_BUG("a copy in a transaction would contain uncommitted changes");
    char *part = pm_format("%s.part", path);
    const int rc = put_in_place(store, part, path, err);
    if (rc)
        unlink(part);
    free(part);
    return rc;
}
