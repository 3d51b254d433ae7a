/* Walks through the given inputs and their folders. */
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

/* Begins a unit, whose path decides its shard. The numbers of its inputs are consecutive. They do
 * not depend on the contents of earlier units, because other shards may read these. */
static void begin_unit(struct pm_corpus__walk *walk, const char *path)
{
    enum { NUMBER_BITS = 32 };
    const struct pm_shard *shard = &walk->shard;
    struct stat status;
    walk->number = ++walk->units << NUMBER_BITS;
    walk->in_checkout = false;
    walk->is_mine = !shard->count || pm_shard_of(path, shard->count) == shard->number;
    walk->mine += walk->is_mine;
    if (!shard->count)
        return;
    const uint64_t size =
        stat(path, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    walk->inputs = XXH3_64bits_withSeed(path, strlen(path), walk->inputs ^ size);
}

/* Postpones an input or a repository until the project around it is complete, so that this project
 * is not divided. The walk takes ownership of its path. */
static void postpone(struct pm_corpus__walk *walk, struct pm_corpus__waiting waiting)
{
    struct pm_corpus__queue *queue = walk->in_checkout ? &walk->nested : &walk->waiting;
    PM_GROW(queue->items, queue->count, queue->capacity);
    queue->items[queue->count++] = waiting;
}

static bool is_checkout(const struct pm_corpus__level *level)
{
    for (size_t i = 0; i < level->count; i++) {
        if (strcmp(level->entries[i].name, ".git") == 0)
            return true;
    }
    return false;
}

static bool is_container(const char *name)
{
    if (pm_ends_with(name, ".py")) /* most files */
        return false;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        if (pm_ends_with(name, containers[i]))
            return true;
    }
    return false;
}

/* Returns whether an entry of another shard's folder may be a unit, or marks the folder as a unit.
 * The other entries, which are most of a large folder, need not be sorted. */
static bool may_be_unit(const char *name, enum pm_folder_kind kind)
{
    return kind == PM_FOLDER_FOLDER || kind == PM_FOLDER_UNKNOWN || is_container(name) ||
           strcmp(name, ".git") == 0;
}

/* Enters a folder, and takes ownership of its path. A checkout is a separate repository. If it is
 * within another project, it is postponed. */
static void enter(struct pm_corpus__walk *walk, char *path, uint64_t repository, size_t root)
{
    struct pm_corpus__level level = {.path = path, .repository = repository, .root = root};
    struct pm_error err;
    const int rc = pm_folder_entries(path, walk->is_mine ? NULL : may_be_unit, &level.entries,
                                     &level.count, &err);
    if (is_checkout(&level)) {
        if (walk->depth > 0) {
            pm_folder_free(level.entries, level.count);
            postpone(walk, (struct pm_corpus__waiting){.path = path, .folder = true});
            return;
        }
        walk->in_checkout = true;
        if (!walk->is_mine) {
            pm_folder_free(level.entries, level.count);
            free(path);
            return;
        }
        level.repository = pm_corpus__repository(path, strlen(path));
        level.root = strlen(path) + 1;
    }
    level.number = ++walk->number;
    if (rc && walk->is_mine) {
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

/* Logs an entry that cannot be examined: its folder may allow listing but not access, its path may
 * be too long, or somebody removed it. The damage has the path of the entry and the number of the
 * folder. */
static void log_unknown(struct pm_corpus__walk *walk, struct pm_corpus__level *level,
                        const char *path)
{
    const char *why = strerror(errno);
    if (!walk->is_mine)
        return;
    pm_corpus__log_input(&walk->log, level->number);
    walk->log.input_damages = level->damages++;
    pm_corpus__log_damage(&walk->log, path, 0, false, "cannot access this file or folder: %s", why);
}

/* Returns the kind of an entry; UNKNOWN after logging that the entry cannot be accessed. */
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

/* Handles the next entry of the innermost folder: returns true if it is an input of the project;
 * otherwise the entry is entered, postponed or ignored. Needs no system call if the folder's
 * listing has the kinds of its entries. In a folder of another shard, only units are handled. */
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
    if (kind == PM_FOLDER_FILE && source && walk->is_mine) {
        *unit = (struct pm_corpus__unit){path, ++walk->number, level->repository, level->root,
                                         PM_CORPUS__PYTHON};
        return true;
    }
    if (kind == PM_FOLDER_FILE && is_container(name)) {
        postpone(walk, (struct pm_corpus__waiting){path, level->repository, level->root, false});
        return false;
    }
    walk->ignored += walk->is_mine && kind != PM_FOLDER_UNKNOWN;
    free(path);
    return false;
}

/* Handles the next postponed entry after a project is complete, parts of the current checkout
 * first: returns true if it is an input; otherwise it is entered, or another shard reads it. */
static bool take_waiting(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    struct pm_corpus__queue *queue = walk->nested.count ? &walk->nested : &walk->waiting;
    const struct pm_corpus__waiting waiting = queue->items[queue->at++];
    if (queue->at == queue->count)
        queue->at = queue->count = 0;
    if (queue == &walk->waiting)
        begin_unit(walk, waiting.path);
    if (!walk->is_mine) {
        free(waiting.path);
        return false;
    }
    if (waiting.folder) {
        enter_project(walk, waiting.path);
        return false;
    }
    *unit = (struct pm_corpus__unit){waiting.path, ++walk->number, waiting.repository, waiting.root,
                                     PM_CORPUS__CONTAINER};
    return true;
}

/* Handles the next given path: returns true if it is an input of the shard; otherwise it is
 * entered, or another shard reads it. */
static bool take_given(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit)
{
    const char *path = walk->paths[walk->at++];
    begin_unit(walk, path);
    if (strcmp(path, "-") != 0 && pm_path_is_folder(path)) {
        enter_project(walk, pm_strdup(path));
        return false;
    }
    if (walk->is_mine)
        *unit = (struct pm_corpus__unit){pm_strdup(path), ++walk->number, 0, 0, PM_CORPUS__GIVEN};
    return walk->is_mine;
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
        if (walk->nested.count > 0 || walk->waiting.count > 0) {
            if (take_waiting(walk, unit))
                return true;
            continue;
        }
        if (walk->at == walk->count)
            return false;
        if (take_given(walk, unit))
            return true;
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

static void release_queue(struct pm_corpus__queue *queue)
{
    while (queue->at < queue->count)
        free(queue->items[queue->at++].path);
    free(queue->items);
}

void pm_corpus__walk_release(struct pm_corpus__walk *walk)
{
    while (walk->depth > 0)
        leave(walk);
    while (walk->ahead_at < walk->ahead_count)
        free(walk->ahead[walk->ahead_at++].path);
    release_queue(&walk->waiting);
    release_queue(&walk->nested);
    free(walk->ahead);
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
