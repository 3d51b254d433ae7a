/*
 * A census: for every public name of a framework a case that a program made, or the reason why it
 * has none. docs/census.md describes where the cases come from.
 *
 *     struct pm_census census = {0};
 *     PM_TRY(pm_census_plan(&census, &inventory, &rules, err));      // every name, without a case
 *     PM_TRY(pm_census_take(&census, line, err));                    // one answer of the driver
 *     PM_TRY(pm_census_write(&census, "census", err));
 *     pm_census_release(&census);
 *
 * The file FOLDER/FRAMEWORK.yaml.zst is a pack of case files (suite/suite.h). Its comments list all
 * names, one a line: name, kind, status, tier, sources and reason, divided by tabs.
 */
#ifndef PM_CENSUS_CENSUS_H
#define PM_CENSUS_CENSUS_H

#include <jansson.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vocabulary.h"
#include "inventory/inventory.h"

/* The result of a census for a name. */
#define PM_CENSUS_STATUSES(X, P)                                                                   \
    X(P, VALUES, "values")               /* each input of its case changes what is compared */     \
    X(P, NO_VALUES, "no-values")         /* its case runs, and compares no value that depends on   \
                                            its inputs */                                          \
    X(P, HOST_ONLY, "host-only")         /* no array goes in or comes out */                       \
    X(P, NO_CASE, "no-case")             /* no call was accepted */                                \
    X(P, NOT_MEASURED, "not-measurable") /* it cannot be measured, by rules that are fixed */      \
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
};

/* A rule that names cannot be measured: fixed before any case is made. */
struct pm_census_rule {
    char *framework, *glob, *reason;
};
struct pm_census_rules {
    struct pm_census_rule *items;
    size_t count, capacity;
};

/* Reads rules/not-measurable.tsv: framework, glob of names and reason, divided by tabs. */
PM_MUST_USE int pm_census_rules_load(struct pm_census_rules *out, struct pm_error *err);
void pm_census_rules_release(struct pm_census_rules *rules);

/* Fills an empty census with all names of an inventory. */
void pm_census_plan(struct pm_census *census, const struct pm_inventory *inventory,
                    const struct pm_census_rules *rules);

/* Adds an answer of drivers/census.py, one line of JSON: the first one has the version and the
 * missing sources, each other one the cases found for a name. Of several cases it chooses the one
 * that measures more, then the one from the better source. If the version changed, all earlier
 * answers are forgotten. PM_EFORMAT if the line is something else. */
PM_MUST_USE int pm_census_take(struct pm_census *census, const char *line, struct pm_error *err);

/* Copies from an older census of the same version the names that this one has not tried. */
void pm_census_keep(struct pm_census *census, struct pm_census *older);

/* Writes FOLDER/FRAMEWORK.yaml.zst; makes the folder. */
PM_MUST_USE int pm_census_write(const struct pm_census *census, const char *folder,
                                struct pm_error *err);
/* Reads that file. PM_ENOTFOUND if it does not exist. */
PM_MUST_USE int pm_census_read(struct pm_census *census, const char *framework, const char *folder,
                               struct pm_error *err);
void pm_census_release(struct pm_census *census);

/*
 * The journal of a census: FOLDER/FRAMEWORK.tried.jsonl has every answer of the driver, written as
 * it comes. A census that is stopped or killed leaves it, the next census continues it, and the
 * census that writes the pack removes it. Only one process at a time has it open.
 *
 *     struct pm_census_journal journal;
 *     int rc = pm_census_journal_open(&journal, folder, settings, &census, &older, err);
 *     ...                                         // pm_census_journal_add() for each answer
 *     pm_census_journal_close(&journal, packed);  // in any case
 */
struct pm_census_journal {
    char *path, *settings;
    int fd;       /* locked; -1: there is no file yet */
    bool begun;   /* this process has written its settings */
    size_t names; /* how many names the file has */
    size_t taken; /* how many of these were read into `census` */
};

/* Reads the answers of a journal: those made with equal settings (one line of JSON) into `census`,
 * the others into `older`; both are planned. PM_EBUSY if another process has it open. The journal
 * is valid even then, for pm_census_journal_close(). */
PM_MUST_USE int pm_census_journal_open(struct pm_census_journal *journal, const char *folder,
                                       const char *settings, struct pm_census *census,
                                       struct pm_census *older, struct pm_error *err);
/* Appends an answer that pm_census_take() took; makes the file and its folder if there is none. */
PM_MUST_USE int pm_census_journal_add(struct pm_census_journal *journal, const char *line,
                                      struct pm_error *err);
/* Closes the journal; removes it if it has no name, or the pack with its names is written. */
void pm_census_journal_close(struct pm_census_journal *journal, bool packed);

/* Returns the module under which a name is counted: its first two parts, or the first one if
 * the second is the name itself or a class. The caller frees. */
char *pm_census_module(const char *name);
/* Counts the names of a census: {"names", "measurable", "with_case", "modules": {NAME: {the same
 * three}}}. */
json_t *pm_census_counts(const struct pm_census *census);

/* Returns the row of a name, borrowed; NULL if the census does not have it. */
struct pm_census_row *pm_census_find(const struct pm_census *census, const char *name);

/* Finds the folder of the censuses that come with portmeter. The caller frees. */
PM_MUST_USE int pm_census_home(char **folder, struct pm_error *err);
/* Finds the pack of a framework in that folder, for pm_suite_load(). PM_ENOTFOUND, with what to do,
 * if there is none. The caller frees. */
PM_MUST_USE int pm_census_cases(const char *framework, char **path, struct pm_error *err);

#endif
