/*
 * Allows one writer per database. A writer has an flock on PATH-lock, a file beside the database
 * that names the process, from opening to closing. The kernel releases the lock of a process that
 * dies.
 *
 * Why not on the database itself: SQLite's own locks are POSIX locks, which a process loses when it
 * closes any descriptor of the file; and network file systems turn an flock into a POSIX lock of
 * the whole file, which would keep every reader out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "store/store_private.h"

enum { MOST_NAME = 64, ATTEMPTS = 100 };

/* Returns the path of the lock: beside the file that a link leads to, like SQLite's journal. */
static char *lock_path(const struct pm_store *store)
{
    return pm_format("%s-lock", sqlite3_db_filename(store->db, "main"));
}

/* Opens the lock file. A file of another user that cannot be written can still be locked. */
static int open_lock(const char *path)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW;
    int fd = open(path, O_RDWR | O_CREAT | flags, 0666);
    if (fd < 0 && errno == EACCES)
        fd = open(path, O_RDONLY | flags);
    return fd;
}

/* Sets an error that names the process with the lock: "1234 portmeter", as name_writer() wrote it.
 * Any other text is ignored. */
static int say_who(const struct pm_store *store, int fd, struct pm_error *err)
{
    char text[MOST_NAME] = "";
    (void)!pread(fd, text, sizeof text - 1, 0);
    char *name;
    const long pid = strtol(text, &name, 10);
    struct pm_str shown = PM_STR_INIT;
    name += *name == ' ';
    name[strcspn(name, "\n")] = '\0';
    pm_line_add(&shown, name, MOST_NAME);
    const int rc = pid > 0 && shown.length
                       ? pm_error_set(err, PM_EBUSY,
                                      "database '%s' is being written by process %ld ('%s'): wait "
                                      "until it ends, or name another database",
                                      store->path, pid, shown.data)
                       : pm_error_set(err, PM_EBUSY,
                                      "database '%s' is being written by another process: wait "
                                      "until it ends, or name another database",
                                      store->path);
    pm_str_release(&shown);
    return rc;
}

static void name_writer(int fd)
{
    char *text =
        pm_format("%ld %.*s\n", (long)getpid(), MOST_NAME / 2, program_invocation_short_name);
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, strlen(text), 0);
    free(text);
}

/* Returns whether the path still leads to the file that is locked: the last writer may have removed
 * it. */
static bool is_there(int fd, const char *path)
{
    struct stat locked, now;
    return fstat(fd, &locked) == 0 && lstat(path, &now) == 0 && locked.st_dev == now.st_dev &&
           locked.st_ino == now.st_ino;
}

static int try_lock(struct pm_store *store, const char *path, struct pm_error *err)
{
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        const int fd = open_lock(path);
        if (fd < 0)
            return pm_error_errno(err, "cannot create the lock file '%s'", path);
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            const int rc = errno == EWOULDBLOCK ? say_who(store, fd, err)
                                                : pm_error_errno(err, "cannot lock '%s'", path);
            close(fd);
            return rc;
        }
        if (is_there(fd, path)) {
            name_writer(fd);
            store->lock = fd;
            return PM_OK;
        }
        close(fd);
    }
    return pm_error_set(
        err, PM_EBUSY,
        "database '%s' is being written by other processes: wait until they end, then try again",
        store->path);
}

int pm_store__lock(struct pm_store *store, struct pm_error *err)
{
    char *path = lock_path(store);
    const int rc = try_lock(store, path, err);
    free(path);
    return rc;
}

void pm_store__unlock(struct pm_store *store)
{
    if (store->lock < 0)
        return;
    char *path = lock_path(store);
    unlink(path);
    free(path);
    close(store->lock);
    store->lock = -1;
}
