/* Keeps indexes in the user's data folder; an index contains the names that a scan counts. Reading
 * an inventory and preparing its names takes about 50 ms, which is long for a scan of a small
 * project or of a shard. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "environment/environment.h"
#include "survey/scan.h"

enum { MOST_KEPT = 8 };

/* Adds the data on which the index depends: the program that makes it, and the names. Returns false
 * if the program is unknown. */
static bool add_key(const struct scan *s, struct pm_str *out)
{
    struct stat program;
    if (stat("/proc/self/exe", &program) != 0)
        return false;
    pm_str_addf(out, "%s %lld %lld %ld %d\n", PM_VERSION, (long long)program.st_size,
                (long long)program.st_mtim.tv_sec, program.st_mtim.tv_nsec,
                pm_survey__uses_wanted(s));
    for (unsigned i = 0; i < s->count; i++) {
        const struct scan_framework *f = &s->frameworks[i];
        const struct pm_digest flat = pm_digest_bytes(f->flat_text.data, f->flat_text.length);
        pm_str_addf(out, "%s %s %s %s\n", f->name, pm_framework_module(f->of),
                    f->head.id ? f->head.digest : "", f->flat ? flat.hex : "");
    }
    return true;
}

/* Returns the path of the index, and sets *folder to the path of its folder; the caller frees both.
 * Both are NULL if the index cannot be kept. */
static char *find_path(const struct scan *s, char **folder)
{
    struct pm_str key = PM_STR_INIT;
    char *data = NULL, *path = NULL;
    *folder = NULL;
    if (add_key(s, &key) && pm_path_data(&data, NULL) == PM_OK) {
        const struct pm_digest digest = pm_digest_bytes(key.data, key.length);
        *folder = pm_path_join(data, "names");
        path = pm_path_join(*folder, digest.hex);
    }
    free(data);
    pm_str_release(&key);
    return path;
}

/* Loads an index. A damaged file counts as missing. */
static bool load(const char *path, struct pm_resolve_index *index)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool loaded = false;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        const size_t length = (size_t)status.st_size;
        void *bytes = pm_realloc(NULL, length); /* not zeroed */
        loaded = pm_read_full(fd, bytes, length) == (ssize_t)length &&
                 pm_resolve_index_load(index, bytes, length);
        if (!loaded)
            free(bytes);
    }
    if (fd >= 0)
        close(fd);
    return loaded;
}

/* Removes the oldest file if there are more than MOST_KEPT. */
static void prune(const char *folder)
{
    char **names, *oldest = NULL;
    size_t count;
    struct stat status;
    struct timespec first = {0};
    if (pm_folder_list(folder, &names, &count, NULL) != PM_OK)
        return;
    for (size_t i = 0; count > MOST_KEPT && i < count; i++) {
        char *path = pm_path_join(folder, names[i]);
        if (stat(path, &status) == 0 && (!oldest || status.st_mtim.tv_sec < first.tv_sec)) {
            free(oldest);
            oldest = pm_strdup(path);
            first = status.st_mtim;
        }
        free(path);
    }
    if (oldest)
        unlink(oldest);
    free(oldest);
    pm_free_strings(names, count);
}

/* Stores the index. If that fails, the next scan makes it again. */
static void keep(const char *folder, const char *path, const struct pm_resolve_index *index)
{
    struct pm_str bytes = PM_STR_INIT;
    if (pm_folder_make(folder, NULL) != PM_OK)
        return;
    pm_resolve_index_save(index, &bytes);
    if (pm_file_write(path, bytes.data, bytes.length, NULL) == PM_OK)
        prune(folder);
    pm_str_release(&bytes);
}

static int make(struct scan *s, struct pm_store *store, struct pm_resolve_index *index,
                struct pm_error *err)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    int rc = PM_OK;
    for (unsigned i = 0; i < s->count && !rc; i++) {
        rc = pm_survey__load_names(&s->frameworks[i], s->names ? s->names : store, err);
        if (!rc)
            pm_survey__scan_add_names(names, &s->frameworks[i], pm_survey__uses_wanted(s));
    }
    if (!rc)
        pm_resolve_index_init(index, names);
    pm_resolve_names_free(names);
    return rc;
}

int pm_survey__index(struct scan *s, struct pm_store *store, struct pm_resolve_index *index,
                     struct pm_error *err)
{
    char *folder, *path = find_path(s, &folder);
    int rc = PM_OK;
    if (!path || !load(path, index)) {
        rc = make(s, store, index, err);
        if (!rc && path)
            keep(folder, path, index);
    }
    free(path);
    free(folder);
    return rc;
}
