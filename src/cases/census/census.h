/*
 * A census: for every public name of a framework, a case that a program made, or the reason why
 * there is none. docs/census.md describes where the cases come from.
 *
 *     struct pm_census census = {0};
 *     pm_census_plan(&census, &inventory, &rules);                   // every name, without a case
 *     PM_TRY(pm_census_take(&census, line, err));                    // one answer of the driver
 *     PM_TRY(pm_census_write(&census, "census", err));
 *     pm_census_release(&census);
 *
 * The file FOLDER/FRAMEWORK.yaml.zst is a pack of case files (suite/suite.h). Its comments list all
 * names, one per line: name, kind, status, tier, sources and reason, separated by tabs.
 *
 * A shard of a census tries a part of the names, and is a pack of its own (shards.c).
 */
#ifndef PM_CENSUS_CENSUS_H
#define PM_CENSUS_CENSUS_H

#include <jansson.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "base/shard.h"
#include "base/vocabulary.h"
#include "inventory/inventory.h"

/* The result of a census for a name. */
#define PM_CENSUS_STATUSES(X, P)                                                                   \
    X(P, VALUES, "values")               /* each input of its case changes what is compared */     \
    X(P, NO_VALUES, "no-values")         /* its case runs, and compares no value that depends on   \
                                            its inputs */                                          \
    X(P, HOST_ONLY, "host-only")         /* no array goes in or comes out */                       \
    X(P, NO_CASE, "no-case")             /* no call was accepted */                                \
    X(P, NOT_MEASURED, "not-measurable") /* a rule says that the name cannot be measured */        \
    X(P, NOT_TRIED, "not-tried")
PM_WORDS(census_status, PM_CENSUS_STATUSES, PM_CENSUS);

struct pm_census_row {
    char *name;
    enum pm_name_kind kind;
    enum pm_census_status status;
    enum pm_tier tier;        /* tier of its case, if it has one */
    bool from[PM_TIER_COUNT]; /* the sources that gave an accepted call */
    char *reason;             /* the reason for a status other than VALUES; otherwise "" */
    char *text;               /* its case file; NULL: it has none */
};

struct pm_census {
    char *framework, *version;  /* version "": nothing was tried yet */
    struct pm_census_row *rows; /* sorted by name */
    size_t count, capacity;
    struct pm_map by_name;       /* index + 1, as uintptr_t */
    char *absent[PM_TIER_COUNT]; /* why a source could not be used; NULL: it could be used */
    struct pm_shard shard;       /* the part of the names that was tried; count 0: all names */
    json_t *plan;  /* of a shard: what all shards of its census have in common; otherwise NULL */
    char *command; /* of a shard: the command line that makes it, without --shard; otherwise NULL */
};

/* A rule: the names that match `glob` cannot be measured, for the given reason. Rules are fixed
 * before any case is made. */
struct pm_census_rule {
    char *framework, *glob, *reason;
};
struct pm_census_rules {
    struct pm_census_rule *items;
    size_t count, capacity;
};

/* Adds the rules of rules/not-measurable.tsv to *out: framework, glob of names and reason,
 * separated by tabs. PM_EFORMAT if a line lacks one of the three. The caller releases *out, even
 * after an error. */
PM_MUST_USE int pm_census_rules_load(struct pm_census_rules *out, struct pm_error *err);
void pm_census_rules_release(struct pm_census_rules *rules);

/* Fills an empty census with all names of an inventory, and marks those that a rule excludes. The
 * caller releases *census. */
void pm_census_plan(struct pm_census *census, const struct pm_inventory *inventory,
                    const struct pm_census_rules *rules);

/* Adds an answer of drivers/census.py, one line of JSON. The first line has the version and the
 * missing sources; every other line has the cases that were found for a name. Of several cases,
 * chooses the one that measures most, then the one from the best source. If the version changed,
 * all earlier answers are forgotten. PM_EFORMAT if the line is not an answer, or if its name is not
 * in the census. */
PM_MUST_USE int pm_census_take(struct pm_census *census, const char *line, struct pm_error *err);

/* For each name that `census` has not tried, moves the result from `older` to `census`. Both must
 * be of the same version of the framework. */
void pm_census_keep(struct pm_census *census, struct pm_census *older);

/* Gives each name that has a case file in FOLDER/FRAMEWORK this file, with the status VALUES and the
 * tier REVIEWED, whatever was found for it. Ignores files of names that the census lacks.
 * PM_EFORMAT if a file does not begin with the name of its function. */
PM_MUST_USE int pm_census_review(struct pm_census *census, const char *folder,
                                 struct pm_error *err);

/* Returns the path of the pack of a census in a folder: FOLDER/FRAMEWORK.yaml.zst, or, of a shard,
 * FOLDER/FRAMEWORK.shard-K-of-N.yaml.zst. The caller frees it. */
char *pm_census_path(const char *framework, const struct pm_shard *shard, const char *folder);
/* Writes a pack, and makes its folder if necessary. */
PM_MUST_USE int pm_census_write(const struct pm_census *census, const char *path,
                                struct pm_error *err);
/* Reads a pack that pm_census_write() wrote. `framework`: the framework that it must be of; NULL:
 * any. PM_ENOTFOUND if it does not exist, PM_EFORMAT if it is damaged. The caller releases
 * *census. */
PM_MUST_USE int pm_census_read(struct pm_census *census, const char *framework, const char *path,
                               struct pm_error *err);
void pm_census_release(struct pm_census *census);

/* Returns whether a name belongs to the shard of a census. A method belongs to the shard of its
 * class, because a shard with a method also makes an object of the class. */
bool pm_census_is_mine(const struct pm_census *census, const struct pm_census_row *row);
/* Returns a digest of the names of a census, their kinds, and which of them a rule excludes. */
struct pm_digest pm_census_names(const struct pm_census *census);
/* Joins the shards of a census. `paths[i]` is the file of `shards[i]`. Moves the results into the
 * first shard, which then is the whole census. PM_EFORMAT if a file is not a shard, PM_EUSAGE if it
 * belongs to another census or is there twice, PM_ENOTFOUND if a shard is missing: the message then
 * has the command that makes it. */
PM_MUST_USE int pm_census_join(struct pm_census *shards, const char *const *paths, size_t count,
                               struct pm_error *err);

/*
 * The journal of a census: FOLDER/FRAMEWORK.tried.jsonl, or, of a shard,
 * FOLDER/FRAMEWORK.shard-K-of-N.tried.jsonl, has every answer of the driver, written as
 * it comes. A census that is stopped or killed leaves it, the next census continues it, and the
 * census that writes the pack removes it. Only one process can have it open at a time.
 *
 *     struct pm_census_journal journal;
 *     int rc = pm_census_journal_open(&journal, folder, settings, &census, &older, err);
 *     ...                                         // pm_census_journal_add() for each answer
 *     pm_census_journal_close(&journal, packed);  // even after an error
 */
struct pm_census_journal {
    char *path, *settings;
    int fd;       /* locked; -1: there is no file yet */
    bool begun;   /* this process has written its settings */
    size_t names; /* how many names the file has */
    size_t taken; /* how many of `names` were read into `census` */
};

/* Reads a journal: the answers that were made with equal `settings` (one line of JSON) into
 * `census`, and the others into `older`. pm_census_plan() must have filled both. PM_EBUSY if
 * another process has the journal open. Even after an error, the caller must call
 * pm_census_journal_close(). */
PM_MUST_USE int pm_census_journal_open(struct pm_census_journal *journal, const char *folder,
                                       const char *settings, struct pm_census *census,
                                       struct pm_census *older, struct pm_error *err);
/* Appends an answer that pm_census_take() accepted. Makes the file and its folder if they do not
 * exist. */
PM_MUST_USE int pm_census_journal_add(struct pm_census_journal *journal, const char *line,
                                      struct pm_error *err);
/* Closes the journal. Removes it if it contains no names, or if `packed`: the pack with its names
 * was written. */
void pm_census_journal_close(struct pm_census_journal *journal, bool packed);

/* Returns the module under which a name is counted: its first two parts, or the first one if the
 * second is the name itself or a class. The caller frees the result. */
char *pm_census_module(const char *name);
/* Counts the names of a census: {"names", "measurable", "with_case", "modules": {NAME: {the same
 * three}}}. */
json_t *pm_census_counts(const struct pm_census *census);

/* Returns the row of a name, borrowed; NULL if the census does not have it. */
struct pm_census_row *pm_census_find(const struct pm_census *census, const char *name);

/* Finds the folder of the censuses that come with portmeter. The caller frees *folder. */
PM_MUST_USE int pm_census_home(char **folder, struct pm_error *err);
/* Finds the census of a framework that comes with portmeter, a pack for pm_suite_load().
 * PM_ENOTFOUND if there is none. The caller frees *path. */
PM_MUST_USE int pm_census_cases(const char *framework, char **path, struct pm_error *err);

#endif
