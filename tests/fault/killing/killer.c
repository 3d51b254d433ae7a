/*
 * A library to be preloaded into a program. It kills the program with SIGKILL at one of the calls
 * by which it writes, syncs, shortens, renames, removes or creates a file, or lets the disk be full
 * from that call on. Only files whose absolute path begins with KILLER_PATH count.
 *
 *     KILLER_LOG   a file that gets one line for each such call: its name and the path
 *     KILLER_AT    number of the call at which this happens, from 1; 0 or absent: never
 *     KILLER_HOW   'before' the call, 'after' it, or 'within' it: half of what it would write;
 *                  'full': what writes, syncs or creates fails with ENOSPC from that call on
 *
 * The kernel keeps what a killed process wrote, so the library models SIGKILL and the out-of-memory
 * killer at the worst moments. It does not model a power loss, which may lose data that was not
 * synced.
 */
#undef _FILE_OFFSET_BITS /* which would rename pwrite to pwrite64, open to open64 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    const char *path, *log, *how;
    long at, count;
    bool is_full;
} killer;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("KILLER_AT");
    killer.path = getenv("KILLER_PATH");
    killer.log = getenv("KILLER_LOG");
    killer.how = getenv("KILLER_HOW");
    killer.at = at ? strtol(at, NULL, 10) : 0;
}

static void note(const char *name, const char *path)
{
    char line[PATH_MAX + 64];
    const int length = snprintf(line, sizeof line, "%s %s\n", name, path);
    const long fd = syscall(SYS_openat, AT_FDCWD, killer.log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || syscall(SYS_write, fd, line, (size_t)length) != length)
        abort();
    syscall(SYS_close, fd);
}

static void end(void)
{
    raise(SIGKILL);
}

static bool is(const char *how)
{
    return killer.how && strcmp(killer.how, how) == 0;
}

/* Counts a call on the file `path`; ends the program here if it must end before this call. Returns
 * whether it must end after or within this call. */
static bool is_last(const char *name, const char *path)
{
    killer.is_full = false;
    if (!killer.path || strncmp(path, killer.path, strlen(killer.path)) != 0)
        return false;
    if (killer.log)
        note(name, path);
    const bool last = ++killer.count == killer.at;
    if (last && is("before"))
        end();
    killer.is_full = killer.at && killer.count >= killer.at && is("full");
    return last && !killer.is_full;
}

static bool is_last_of(const char *name, int fd)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return is_last(name, path);
}

/* Makes `real` the C library's function `name`, which the function in this file hides. */
#define BEHIND(name, ...)                                                                          \
    static __typeof__(name) *real;                                                                 \
    if (!real)                                                                                     \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

#define FAIL_IF_FULL                                                                               \
    do {                                                                                           \
        if (killer.is_full) {                                                                      \
            errno = ENOSPC;                                                                        \
            return -1;                                                                             \
        }                                                                                          \
    } while (0)

#define CALL(type, call)                                                                           \
    const type result = (call);                                                                    \
    if (last)                                                                                      \
        end();                                                                                     \
    return result

/* ---- writing ------------------------------------------------------------------------------- */

static size_t part(bool last, size_t length)
{
    return last && is("within") ? length / 2 : length;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    BEHIND(write);
    const bool last = is_last_of("write", fd);
    FAIL_IF_FULL;
    CALL(ssize_t, real(fd, bytes, part(last, length)));
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at)
{
    BEHIND(pwrite);
    const bool last = is_last_of("pwrite", fd);
    FAIL_IF_FULL;
    CALL(ssize_t, real(fd, bytes, part(last, length), at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at)
{
    BEHIND(pwrite64);
    const bool last = is_last_of("pwrite", fd);
    FAIL_IF_FULL;
    CALL(ssize_t, real(fd, bytes, part(last, length), at));
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    BEHIND(writev);
    const bool last = is_last_of("writev", fd);
    FAIL_IF_FULL;
    CALL(ssize_t, real(fd, parts, last && is("within") ? count / 2 : count));
}

/* ---- syncing, shortening ------------------------------------------------------------------- */

int fsync(int fd)
{
    BEHIND(fsync);
    const bool last = is_last_of("fsync", fd);
    FAIL_IF_FULL;
    CALL(int, real(fd));
}

int fdatasync(int fd)
{
    BEHIND(fdatasync);
    const bool last = is_last_of("fdatasync", fd);
    FAIL_IF_FULL;
    CALL(int, real(fd));
}

int ftruncate(int fd, off_t length)
{
    BEHIND(ftruncate);
    const bool last = is_last_of("ftruncate", fd);
    CALL(int, real(fd, length));
}

int ftruncate64(int fd, off64_t length)
{
    BEHIND(ftruncate64);
    const bool last = is_last_of("ftruncate", fd);
    CALL(int, real(fd, length));
}

/* ---- names --------------------------------------------------------------------------------- */

int rename(const char *from, const char *to)
{
    BEHIND(rename);
    const bool last = is_last("rename", to);
    CALL(int, real(from, to));
}

int unlink(const char *path)
{
    BEHIND(unlink);
    const bool last = is_last("unlink", path);
    CALL(int, real(path));
}

int unlinkat(int folder, const char *path, int flags)
{
    BEHIND(unlinkat);
    const bool last = is_last("unlink", path);
    CALL(int, real(folder, path, flags));
}

static mode_t mode_of(int flags, va_list *arguments)
{
    return flags & O_CREAT ? va_arg(*arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    BEHIND(open);
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    killer.is_full = false;
    const bool last = (flags & (O_CREAT | O_TRUNC)) && is_last("open", path);
    FAIL_IF_FULL;
    CALL(int, real(path, flags, mode));
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    BEHIND(open64);
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    killer.is_full = false;
    const bool last = (flags & (O_CREAT | O_TRUNC)) && is_last("open", path);
    FAIL_IF_FULL;
    CALL(int, real(path, flags, mode));
}
