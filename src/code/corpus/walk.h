/*
 * Walks through the inputs of a scan, one after another: the given paths, and the contents of
 * folders.
 *
 * A scan is divided into units, and exactly one shard reads each unit. A unit is a given file; a
 * checkout with everything in it, also other checkouts; an archive or a file of JSON lines in a
 * folder; or the remaining Python files of a given folder. Every shard finds all units, in the same
 * order, but reads only its own.
 */
#ifndef PM_CORPUS_WALK_H
#define PM_CORPUS_WALK_H

#include "base/file.h"
#include "base/shard.h"
#include "corpus/log.h"

/* The folder in which Jupyter keeps a second copy of each notebook. */
#define PM_CORPUS__CHECKPOINTS ".ipynb_checkpoints"

enum pm_corpus__unit_kind {
    PM_CORPUS__GIVEN,    /* a given path: a file of any form, or "-" */
    PM_CORPUS__PYTHON,   /* found in a folder, *.py or *.ipynb */
    PM_CORPUS__CONTAINER /* found in a folder, and by its name an archive or JSON lines */
};

struct pm_corpus__unit {
    char *path;      /* the caller frees it */
    uint64_t number; /* its place in the order of reading, the same in every shard */
    uint64_t repository;
    size_t root; /* length of the part of the path up to its repository, with the slash */
    enum pm_corpus__unit_kind kind;
};

/* Inputs that wait until the project around them ends, in the order in which they were found. */
struct pm_corpus__queue {
    struct pm_corpus__waiting {
        char *path;
        uint64_t repository; /* of a container: the repository around it, at `root` */
        size_t root;
        bool folder; /* a repository within another project, else a container */
    } * items;
    size_t count, at, capacity;
};

struct pm_corpus__walk {
    const char *const *paths;
    size_t count, at;
    struct pm_shard shard; /* the shard whose units the walk returns; count 0: all units */
    uint64_t units, mine;  /* units that began, and how many of them belong to the shard */
    uint64_t inputs;       /* digest of the names and sizes of all these units */
    bool is_mine;          /* the current unit belongs to the shard */
    bool in_checkout;      /* the current unit is a checkout, and its parts are read */
    uint64_t number, ignored;
    struct pm_corpus__level {
        char *path;
        struct pm_folder_entry *entries;
        size_t count, at;
        uint64_t number, damages; /* place in the order of reading; number of damaged entries */
        uint64_t repository;
        size_t root;
    } * levels;
    size_t depth, capacity;
    struct pm_corpus__queue waiting; /* units, read after the current unit */
    struct pm_corpus__queue
        nested; /* parts of the current unit, if it is a checkout; they are read before `waiting` */
    struct pm_corpus__log log;     /* folders and entries that cannot be read */
    struct pm_corpus__unit *ahead; /* found by pm_corpus__walk_bytes() and not returned yet */
    size_t ahead_count, ahead_at, ahead_capacity;
};

/* Prepares the walk, which borrows `paths`. Set walk->shard, if at all, before the first unit. */
void pm_corpus__walk_init(struct pm_corpus__walk *walk, const char *const *paths, size_t count,
                          struct pm_corpus__progress *progress);
/* Finds the next input; false at the end, or if the user stops the command. Paths are read in their
 * order, and entries of a folder by the bytes of their names. Archives, JSON lines and checkouts
 * within a repository come after its Python files, so that they do not divide the project. */
bool pm_corpus__walk_next(struct pm_corpus__walk *walk, struct pm_corpus__unit *unit);
void pm_corpus__walk_release(struct pm_corpus__walk *walk);

/* Returns how many bytes all inputs have on disk; 0 if this is not known: for standard input and
 * pipes, for Python files in folders, and for 4,096 inputs or more. */
uint64_t pm_corpus__walk_bytes(struct pm_corpus__walk *walk);

/* Returns a digest of a repository's name, never 0. */
uint64_t pm_corpus__repository(const void *name, size_t length);

#endif
