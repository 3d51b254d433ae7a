/* Walks through the inputs given, and through folders. */
#include "corpus/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"

static const char *const containers[] = {
    ".json", ".jsonl",   ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst", ".tar", ".tar.gz",
    ".tgz",  ".tar.zst", ".tar.xz",  ".txz",      ".tar.bz2",  ".zip",       ".whl",
};

uint64_t pm_corpus__repository(const void *name, size_t length)
{
    const uint64_t digest = XXH3_64bits(name, length);
    return digest ? digest : 1;
}

void pm_corpus__walk_init(struct pm_corpus__walk *walk, const char *const *paths, size_t count,
                          struct pm_corpus__progress *progress)
{
    *walk = (struct pm_corpus__walk){.paths = paths, .count = count, .log = {.progress = progress}};
}

/* Goes into a folder, whose path becomes the walk's. A checkout is a repository of its own. */
static void enter(struct pm_corpus__walk *walk, char *path, uint64_t repository)
{
    struct pm_corpus__level level = {
        .path = path, .repository = repository, .number = ++walk->number};
    struct pm_error err;
    if (pm_folder_list(path, &level.names, &level.count, &err)) {
        pm_corpus__log_input(&walk->log, level.number);
        pm_corpus__log_damage(&walk->log, path, 0, false, "%s", err.text);
    }
    for (size_t i = 0; i < level.count; i++) {
        if (strcmp(level.names[i], ".git") == 0)
            level.repository = pm_corpus__repository(path, strlen(path));
    }
    PM_GROW(walk->levels, walk->depth, walk->capacity);
    walk->levels[walk->depth++] = level;
}

static void leave(struct pm_corpus__walk *walk)
{
    struct pm_corpus__level *level = &walk->levels[--walk->depth];
    pm_free_strings(level->names, level->count);
    free(level->path);
}

static bool is_container(const char *name)
{
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (pm_ends_with(name, containers[i]))
            return true;
    }
    return false;
}

/* An entry about which nothing can be found out: its folder may be listed but not entered, its path
 * may be too long, or somebody removed it. The folder is the input that is damaged. */
static void log_unknown(struct pm_corpus__walk *walk, struct pm_corpus__level *level,
                        const char *path)
{
    const char *why = strerror(errno);
    pm_corpus__log_input(&walk->log, level->number);
    walk->log.input_damages = level->damages++;
    pm_corpus__log_damage(&walk->log, path, 0, false, "cannot access it: %s", why);
}

/* An entry of the innermost folder: true where it is an input, else it is entered or ignored. */
static bool take_entry(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    struct pm_corpus__level *level = &walk->levels[walk->depth - 1];
    const char *name = level->names[level->at++];
    const bool python = pm_ends_with(name, ".py");
    struct stat status;
    if (strcmp(name, ".git") == 0)
        return false;
    char *path = pm_path_join(level->path, name);
    if (lstat(path, &status) != 0) {
        log_unknown(walk, level, path);
    } else if (S_ISDIR(status.st_mode)) {
        enter(walk, path, level->repository);
        return false;
    } else if (S_ISREG(status.st_mode) && (python || is_container(name))) {
        *unit = (struct pm_corpus__unit){path, ++walk->number, level->repository,
                                         python ? PM_CORPUS__PYTHON : PM_CORPUS__CONTAINER};
        return true;
    } else {
        walk->ignored++;
    }
    free(path);
    return false;
}

bool pm_corpus__walk_next(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    while (!pm_stop_signal()) {
        if (walk->depth > 0) {
            const struct pm_corpus__level *level = &walk->levels[walk->depth - 1];
            if (level->at == level->count)
                leave(walk);
            else if (take_entry(walk, unit))
                return true;
            continue;
        }
        if (walk->at == walk->count)
            return false;
        const char *path = walk->paths[walk->at++];
        if (strcmp(path, "-") == 0 || !pm_path_is_folder(path)) {
            *unit = (struct pm_corpus__unit){pm_strdup(path), ++walk->number, 0, PM_CORPUS__GIVEN};
            return true;
        }
        enter(walk, pm_strdup(path), pm_corpus__repository(path, strlen(path)));
    }
    return false;
}

void pm_corpus__walk_release(struct pm_corpus__walk *walk)
{
    while (walk->depth > 0)
        leave(walk);
    free(walk->levels);
    pm_corpus__log_release(&walk->log);
}

uint64_t pm_corpus__walk_bytes(const char *const *paths, size_t count,
                               struct pm_corpus__progress *progress)
{
    struct pm_corpus__walk walk;
    struct pm_corpus__unit unit;
    struct stat status;
    uint64_t bytes = 0;
    bool known = true;
    pm_corpus__walk_init(&walk, paths, count, progress);
    while (pm_corpus__walk_next(&walk, &unit)) {
        if (strcmp(unit.path, "-") == 0)
            known = false;
        else if (stat(unit.path, &status) == 0 && S_ISREG(status.st_mode))
            bytes += (uint64_t)status.st_size;
        else
            known = false;
        free(unit.path);
    }
    pm_corpus__walk_release(&walk);
    return known ? bytes : 0;
}
