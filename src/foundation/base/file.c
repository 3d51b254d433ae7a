/* Reads whole files, and writes files completely or not at all. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Returns the process that made a draft of `name`, by the number in "NAME.PID.N.tmp"; 0 for any
 * other file. */
static pid_t maker_of(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || entry[length] != '.')
        return 0;
    const char *pid = entry + length + 1, *number = pid + strspn(pid, "0123456789");
    if (number == pid || *number++ != '.')
        return 0;
    const size_t digits = strspn(number, "0123456789");
    const long maker = strtol(pid, NULL, 10);
    return digits && !strcmp(number + digits, ".tmp") && maker > 0 && maker <= INT32_MAX
               ? (pid_t)maker
               : 0;
}

/* Removes a draft that no process has locked. A draft can be locked although its process does not
 * exist here: the process may run on another machine or in a container. */
static void remove_unlocked(const char *path)
{
    const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

/* Removes the drafts of a file that killed processes left. */
static void remove_leftovers(const char *path)
{
    char *folder = pm_path_parent(path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        const pid_t maker = maker_of(entry->d_name, name);
        if (!maker || kill(maker, 0) == 0 || errno != ESRCH)
            continue;
        char *left = pm_path_join(folder, entry->d_name);
        remove_unlocked(left);
        free(left);
    }
    if (entries)
        closedir(entries);
    free(folder);
}

/* Creates a file with a unique name beside `path`, with the mode that the umask gives, and locks it
 * if the file system supports locks. */
static int open_beside(const char *path, char **name)
{
    enum { ATTEMPTS = 100 };
    for (unsigned i = 0; i < ATTEMPTS; i++) {
        *name = pm_format("%s.%ld.%u.tmp", path, (long)getpid(), i);
        const int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            (void)!flock(fd, LOCK_EX | LOCK_NB);
        if (fd >= 0 || errno != EEXIST)
            return fd;
        free(*name);
    }
    *name = NULL;
    errno = EEXIST;
    return -1;
}

void pm_file_sync_folder(const char *path)
{
    char *folder = pm_path_parent(path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Opens a file that must be written to in place, not replaced: a device, a pipe, or the file that
 * standard output or standard error go to. Returns -1 with errno 0 if `path` is none of these. */
static int open_in_place(const char *path, const struct stat *info)
{
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat standard;
        if (fstat(fd, &standard) == 0 && is_same_file(&standard, info))
            return fcntl(fd, F_DUPFD_CLOEXEC, 0);
    }
    if (!S_ISREG(info->st_mode))
        return open(path, O_WRONLY | O_CLOEXEC);
    errno = 0;
    return -1;
}

/* Opens a new file beside the file to write. If `path` is a link, opens it beside the file that the
 * link leads to, because a rename would replace the link. The new file has the mode of the former
 * file. */
static int open_draft(struct pm_file_draft *draft, const struct stat *former)
{
    char *target = former ? realpath(draft->path, NULL) : NULL;
    draft->target = target ? target : pm_strdup(draft->path);
    remove_leftovers(draft->target);
    const int fd = open_beside(draft->target, &draft->beside);
    if (fd < 0) {
        free(draft->beside);
        draft->beside = NULL;
    } else if (former) {
        (void)!fchmod(fd, former->st_mode & 0777);
    }
    return fd;
}

int pm_file_begin(const char *path, struct pm_file_draft *draft, struct pm_error *err)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;
    *draft = (struct pm_file_draft){.path = pm_strdup(path)};
    errno = 0;
    int fd = there ? open_in_place(path, &info) : -1;
    if (fd < 0 && errno == 0)
        fd = open_draft(draft, there ? &info : NULL);
    draft->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (draft->file)
        return PM_OK;
    const int rc = pm_error_errno(err, "cannot write '%s'", path);
    if (fd >= 0)
        close(fd);
    pm_file_discard(draft);
    return rc;
}

int pm_file_finish(struct pm_file_draft *draft, struct pm_error *err)
{
    errno = EIO; /* for an earlier write that failed: its errno is lost */
    bool written = fflush(draft->file) == 0 && !ferror(draft->file) &&
                   (!draft->beside || fsync(fileno(draft->file)) == 0);
    int why = errno;
    if (fclose(draft->file) != 0 && written) {
        written = false;
        why = errno;
    }
    draft->file = NULL;
    if (written && draft->beside && rename(draft->beside, draft->target) != 0) {
        written = false;
        why = errno;
    }
    errno = why;
    const int rc = written ? PM_OK : pm_error_errno(err, "cannot write '%s'", draft->path);
    if (written && draft->beside) {
        pm_file_sync_folder(draft->target);
        free(draft->beside); /* it was renamed to the file */
        draft->beside = NULL;
    }
    pm_file_discard(draft);
    return rc;
}

void pm_file_discard(struct pm_file_draft *draft)
{
    if (draft->file)
        (void)fclose(draft->file);
    if (draft->beside)
        unlink(draft->beside);
    free(draft->beside);
    free(draft->target);
    free(draft->path);
    *draft = (struct pm_file_draft){0};
}

int pm_file_write(const char *path, const void *bytes, size_t length, struct pm_error *err)
{
    struct pm_file_draft draft;
    PM_TRY(pm_file_begin(path, &draft, err));
    if (pm_write_full(fileno(draft.file), bytes, length) >= 0)
        return pm_file_finish(&draft, err);
    const int rc = pm_error_errno(err, "cannot write '%s'", path);
    pm_file_discard(&draft);
    return rc;
}

/* Returns whether two paths to files that do not exist yet have the same folder and the same
 * name. */
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
