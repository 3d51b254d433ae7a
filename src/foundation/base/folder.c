/* Makes, lists, measures and removes folders. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"

static int make_one(const char *path, struct pm_error *err)
{
    if (mkdir(path, 0755) == 0 || (errno == EEXIST && pm_path_is_folder(path)))
        return PM_OK;
    return pm_error_errno(err, "cannot create folder '%s'", path);
}

int pm_folder_make(const char *path, struct pm_error *err)
{
    if (pm_path_is_folder(path))
        return PM_OK;
    char *part = pm_strdup(path);
    int rc = PM_OK;
    for (char *slash = strchr(part + (*part == '/'), '/'); slash && !rc;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        rc = make_one(part, err);
        *slash = '/';
    }
    free(part);
    return rc ? rc : make_one(path, err);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int by_bytes(const void *a, const void *b)
{
    const struct pm_folder_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static enum pm_folder_kind kind_of(const struct dirent *entry)
{
    switch (entry->d_type) {
    case DT_REG:
        return PM_FOLDER_FILE;
    case DT_DIR:
        return PM_FOLDER_FOLDER;
    case DT_UNKNOWN: /* some file systems do not report the kind */
        return PM_FOLDER_UNKNOWN;
    default:
        return PM_FOLDER_OTHER;
    }
}

void pm_folder_free(struct pm_folder_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].name);
    free(entries);
}

int pm_folder_entries(const char *path, pm_folder_wanted *wanted, struct pm_folder_entry **entries,
                      size_t *count, struct pm_error *err)
{
    *entries = NULL;
    *count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return pm_error_errno(err, "cannot open folder '%s'", path);
    struct pm_folder_entry *list = NULL;
    size_t used = 0, capacity = 0;
    const struct dirent *entry;
    while ((void)(errno = 0), (entry = readdir(folder))) {
        const enum pm_folder_kind kind = kind_of(entry);
        if (is_dots(entry->d_name) || (wanted && !wanted(entry->d_name, kind)))
            continue;
        PM_GROW(list, used, capacity);
        list[used++] = (struct pm_folder_entry){pm_strdup(entry->d_name), kind};
    }
    const int rc = errno ? pm_error_errno(err, "cannot read folder '%s'", path) : PM_OK;
    closedir(folder);
    if (rc) {
        pm_folder_free(list, used);
        return rc;
    }
    if (used)
        qsort(list, used, sizeof *list, by_bytes);
    *entries = list;
    *count = used;
    return PM_OK;
}

int pm_folder_list(const char *path, char ***names, size_t *count, struct pm_error *err)
{
    struct pm_folder_entry *entries;
    *names = NULL;
    PM_TRY(pm_folder_entries(path, NULL, &entries, count, err));
    if (*count)
        *names = pm_alloc(*count * sizeof **names);
    for (size_t i = 0; i < *count; i++)
        (*names)[i] = entries[i].name;
    free(entries);
    return PM_OK;
}

/* Opens the folder `name` in the folder `at`, after making it accessible if necessary. */
static DIR *open_folder_at(int at, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (faccessat(at, name, R_OK | W_OK | X_OK, AT_EACCESS) < 0 && errno == EACCES)
        fchmodat(at, name, 0700, 0);
    const int fd = openat(at, name, flags);
    if (fd < 0)
        return NULL;
    DIR *folder = fdopendir(fd);
    if (!folder)
        close(fd);
    return folder;
}

/* Removes `name` in the folder `at` with all its contents; false with errno set on failure. */
static bool remove_at(int at, const char *name)
{
    struct stat st;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT;
    if (!S_ISDIR(st.st_mode))
        return unlinkat(at, name, 0) == 0 || errno == ENOENT;
    DIR *folder = open_folder_at(at, name);
    if (!folder)
        return errno == ENOENT;
    bool removed = true;
    const struct dirent *entry;
    while (removed && (entry = readdir(folder)))
        if (!is_dots(entry->d_name))
            removed = remove_at(dirfd(folder), entry->d_name);
    const int why = errno;
    closedir(folder);
    errno = why;
    return removed && (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
}

int pm_folder_remove(const char *path, struct pm_error *err)
{
    return remove_at(AT_FDCWD, path) ? PM_OK : pm_error_errno(err, "cannot remove '%s'", path);
}

int pm_folder_scratch(char **path, struct pm_error *err)
{
    const char *base = getenv("TMPDIR");
    char *folder = pm_path_absolute(base && *base ? base : "/tmp");
    char *name = pm_path_join(folder, "portmeter-XXXXXX");
    free(folder);
    *path = mkdtemp(name);
    if (*path)
        return PM_OK;
    const int rc = pm_error_errno(err, "cannot create folder '%s'", name);
    free(name);
    return rc;
}

uint64_t pm_folder_bytes(const char *path)
{
    char *copy = pm_strdup(path);
    char *const paths[] = {copy, NULL};
    uint64_t bytes = 0;
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; walk && !pm_stop_signal() && (entry = fts_read(walk));)
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
    if (walk)
        fts_close(walk);
    free(copy);
    return bytes;
}

int pm_folder_free_bytes(const char *path, uint64_t *bytes, struct pm_error *err)
{
    struct statvfs info;
    char *at = pm_strdup(path);
    while (!pm_path_exists(at) && strcmp(at, "/") && strcmp(at, ".")) {
        char *parent = pm_path_parent(at);
        free(at);
        at = parent;
    }
    const bool known = !statvfs(at, &info);
    *bytes = known ? (uint64_t)info.f_bavail * info.f_frsize : 0;
    const int rc =
        known ? PM_OK : pm_error_errno(err, "cannot determine the free disk space at '%s'", at);
    free(at);
    return rc;
}
