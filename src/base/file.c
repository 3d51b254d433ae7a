/* Reading whole files, and writing them whole or not at all. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

ssize_t pm_read_full(int fd, void *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t n = read(fd, (char *)bytes + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

ssize_t pm_write_full(int fd, const void *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t n = write(fd, (const char *)bytes + done, length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

int pm_file_read(const char *path, struct pm_str *out, struct pm_error *err)
{
    enum { CHUNK = 64 << 10 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return pm_error_errno(err, "cannot open '%s'", path);
    char *chunk = pm_alloc(CHUNK);
    ssize_t n;
    while ((n = pm_read_full(fd, chunk, CHUNK)) > 0)
        pm_str_add_bytes(out, chunk, (size_t)n);
    const int rc = n < 0 ? pm_error_errno(err, "cannot read '%s'", path) : PM_OK;
    free(chunk);
    close(fd);
    return rc;
}

/* Closes `fd` in any case. */
static int write_and_close(int fd, const char *path, const void *bytes, size_t length, bool sync,
                           struct pm_error *err)
{
    int rc = PM_OK;
    if (pm_write_full(fd, bytes, length) < 0 || (sync && fsync(fd) < 0))
        rc = pm_error_errno(err, "cannot write '%s'", path);
    if (close(fd) < 0 && !rc)
        rc = pm_error_errno(err, "cannot write '%s'", path);
    return rc;
}

/* Creates a file with a name of its own beside `path`, with the mode that the umask gives. */
static int open_beside(const char *path, char **name)
{
    enum { ATTEMPTS = 100 };
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        *name = pm_format("%s.%ld.%u.tmp", path, (long)getpid(), i);
        const int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
        free(*name);
    }
    *name = NULL;
    return -1;
}

/* Makes a rename in the folder of `path` last; what cannot be synced is not a failure. */
static void sync_folder_of(const char *path)
{
    char *folder = pm_path_parent(path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

int pm_file_write(const char *path, const void *bytes, size_t length, struct pm_error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device or a pipe is not replaced */
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? pm_error_errno(err, "cannot write '%s'", path)
                      : write_and_close(fd, path, bytes, length, false, err);
    }
    char *beside;
    const int fd = open_beside(path, &beside);
    int rc = fd < 0 ? pm_error_errno(err, "cannot write '%s'", path)
                    : write_and_close(fd, path, bytes, length, true, err);
    if (!rc && rename(beside, path) < 0)
        rc = pm_error_errno(err, "cannot write '%s'", path);
    if (!rc)
        sync_folder_of(path);
    else if (fd >= 0)
        unlink(beside);
    free(beside);
    return rc;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of paths to nothing yet: in the same folder, with the same name. */
static bool would_be_same_file(const char *a, const char *b)
{
    char *folder_a = pm_path_parent(a), *folder_b = pm_path_parent(b);
    const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
    struct stat info_a, info_b;
    const bool same = stat(folder_a, &info_a) == 0 && stat(folder_b, &info_b) == 0 &&
                      is_same_file(&info_a, &info_b) &&
                      strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) == 0;
    free(folder_a);
    free(folder_b);
    return same;
}

int pm_file_check_output(const char *option, const char *output, const char *input,
                         const char *what, struct pm_error *err)
{
    struct stat out, in;
    if (!output || !input)
        return PM_OK;
    const bool there = stat(output, &out) == 0, input_there = stat(input, &in) == 0;
    const bool same = there && input_there     ? is_same_file(&out, &in)
                      : !there && !input_there ? would_be_same_file(output, input)
                                               : false;
    return same ? pm_error_set(err, PM_EUSAGE, "%s '%s' would replace %s: name another file",
                               option, output, what)
                : PM_OK;
}
