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

/* Keeps an input or a repository, whose path becomes the walk's, until the project around it is
 * complete: what is another project must not divide this one. */
static void postpone(struct pm_corpus__walk *walk, struct pm_corpus__waiting waiting)
{
    PM_GROW(walk->waiting, walk->waiting_count, walk->waiting_capacity);
    walk->waiting[walk->waiting_count++] = waiting;
}

static bool is_checkout(const struct pm_corpus__level *level)
{
    for (size_t i = 0; i < level->count; i++) {
        if (strcmp(level->entries[i].name, ".git") == 0)
            return true;
    }
    return false;
}

/* Goes into a folder, whose path becomes the walk's. A checkout is a repository of its own; within
 * another project it has to wait. */
static void enter(struct pm_corpus__walk *walk, char *path, uint64_t repository, size_t root)
{
    struct pm_corpus__level level = {.path = path, .repository = repository, .root = root};
    struct pm_error err;
    const int rc = pm_folder_entries(path, &level.entries, &level.count, &err);
    if (is_checkout(&level)) {
        if (walk->depth > 0) {
            pm_folder_free(level.entries, level.count);
            postpone(walk, (struct pm_corpus__waiting){.path = path, .folder = true});
            return;
        }
        level.repository = pm_corpus__repository(path, strlen(path));
        level.root = strlen(path) + 1;
    }
    level.number = ++walk->number;
    if (rc) {
        pm_corpus__log_input(&walk->log, level.number);
        pm_corpus__log_damage(&walk->log, path, 0, false, "%s", err.text);
    }
    PM_GROW(walk->levels, walk->depth, walk->capacity);
    walk->levels[walk->depth++] = level;
}

static void enter_project(struct pm_corpus__walk *walk, char *path)
{
    enter(walk, path, pm_corpus__repository(path, strlen(path)), strlen(path) + 1);
}

static void leave(struct pm_corpus__walk *walk)
{
    struct pm_corpus__level *level = &walk->levels[--walk->depth];
    pm_folder_free(level->entries, level->count);
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

/* Logs an entry that cannot be examined: its folder may be listed but not entered, its path may be
 * too long, or somebody removed it. The log names the folder as the damaged input. */
static void log_unknown(struct pm_corpus__walk *walk, struct pm_corpus__level *level,
                        const char *path)
{
    const char *why = strerror(errno);
    pm_corpus__log_input(&walk->log, level->number);
    walk->log.input_damages = level->damages++;
    pm_corpus__log_damage(&walk->log, path, 0, false, "cannot access this file or folder: %s", why);
}

/* Returns what the entry is; UNKNOWN, after writing to the log that it cannot be read. */
static enum pm_folder_kind look(struct pm_corpus__walk *walk, struct pm_corpus__level *level,
                                const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        log_unknown(walk, level, path);
        return PM_FOLDER_UNKNOWN;
    }
    if (S_ISDIR(status.st_mode))
        return PM_FOLDER_FOLDER;
    return S_ISREG(status.st_mode) ? PM_FOLDER_FILE : PM_FOLDER_OTHER;
}

/* Takes an entry of the innermost folder: true if it is an input of the project, else it is
 * entered, postponed or ignored. Needs no system call if the folder says what its entries are. */
static bool take_entry(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    struct pm_corpus__level *level = &walk->levels[walk->depth - 1];
    const struct pm_folder_entry *entry = &level->entries[level->at++];
    const char *name = entry->name;
    const bool source = pm_ends_with(name, ".py") || pm_ends_with(name, ".ipynb");
    enum pm_folder_kind kind = entry->kind;
    if (strcmp(name, ".git") == 0 || strcmp(name, PM_CORPUS__CHECKPOINTS) == 0)
        return false;
    char *path = pm_path_join(level->path, name);
    if (kind == PM_FOLDER_UNKNOWN)
        kind = look(walk, level, path);
    if (kind == PM_FOLDER_FOLDER) {
        enter(walk, path, level->repository, level->root);
        return false;
    }
    if (kind == PM_FOLDER_FILE && source) {
        *unit = (struct pm_corpus__unit){path, ++walk->number, level->repository, level->root,
                                         PM_CORPUS__PYTHON};
        return true;
    }
    if (kind == PM_FOLDER_FILE && is_container(name)) {
        postpone(walk, (struct pm_corpus__waiting){path, level->repository, level->root, false});
        return false;
    }
    walk->ignored += kind != PM_FOLDER_UNKNOWN;
    free(path);
    return false;
}

/* Takes the entry that waited longest, once the project is complete: true if it is an input, else
 * it is entered. */
static bool take_waiting(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    const struct pm_corpus__waiting waiting = walk->waiting[walk->waiting_at++];
    if (walk->waiting_at == walk->waiting_count)
        walk->waiting_at = walk->waiting_count = 0;
    if (waiting.folder) {
        enter_project(walk, waiting.path);
        return false;
    }
    *unit = (struct pm_corpus__unit){waiting.path, ++walk->number, waiting.repository, waiting.root,
                                     PM_CORPUS__CONTAINER};
    return true;
}

static bool find_next(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
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
        if (walk->waiting_count > 0) {
            if (take_waiting(walk, unit))
                return true;
            continue;
        }
        if (walk->at == walk->count)
            return false;
        const char *path = walk->paths[walk->at++];
        if (strcmp(path, "-") == 0 || !pm_path_is_folder(path)) {
            *unit =
                (struct pm_corpus__unit){pm_strdup(path), ++walk->number, 0, 0, PM_CORPUS__GIVEN};
            return true;
        }
        enter_project(walk, pm_strdup(path));
    }
    return false;
}

bool pm_corpus__walk_next(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    if (walk->ahead_at == walk->ahead_count)
        return find_next(walk, unit);
    if (pm_stop_signal())
        return false;
    *unit = walk->ahead[walk->ahead_at++];
    return true;
}

void pm_corpus__walk_release(struct pm_corpus__walk *walk)
{
    while (walk->depth > 0)
        leave(walk);
    while (walk->ahead_at < walk->ahead_count)
        free(walk->ahead[walk->ahead_at++].path);
    while (walk->waiting_at < walk->waiting_count)
        free(walk->waiting[walk->waiting_at++].path);
    free(walk->ahead);
    free(walk->waiting);
    free(walk->levels);
    pm_corpus__log_release(&walk->log);
}

uint64_t pm_corpus__walk_bytes(struct pm_corpus__walk *walk)
{
    enum { MOST_AHEAD = 4096 };
    struct pm_corpus__unit unit;
    struct stat status;
    uint64_t bytes = 0;
    bool known = true;
    while (known && find_next(walk, &unit)) {
        PM_GROW(walk->ahead, walk->ahead_count, walk->ahead_capacity);
        walk->ahead[walk->ahead_count++] = unit;
        known = walk->ahead_count < MOST_AHEAD && unit.kind != PM_CORPUS__PYTHON &&
                strcmp(unit.path, "-") != 0 && stat(unit.path, &status) == 0 &&
                S_ISREG(status.st_mode);
        bytes += known ? (uint64_t)status.st_size : 0;
    }
    return known ? bytes : 0;
}
