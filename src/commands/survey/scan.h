/* What the parts of pm_survey_scan() share. Private to the room. */
#ifndef PM_SURVEY_SCAN_H
#define PM_SURVEY_SCAN_H

#include "base/digest.h"
#include "base/json.h"
#include "corpus/corpus.h"
#include "inventory/stored.h"
#include "report/table.h"
#include "survey/scan_uses.h"
#include "survey/survey.h"

struct scan_framework {
    char *name;                    /* "pytorch" */
    const struct pm_framework *of; /* its row in the table */
    const char *flat; /* file of the names for the paper's rule; NULL: the inventory's */
    struct pm_str flat_text;
    struct pm_inventory names; /* names of that file */
    int64_t names_id;          /* in the store */
    struct pm_stored_head
        head; /* head of the inventory to count; id 0: only the flat list is counted */
    struct pm_stored_inventory item; /* that inventory, loaded when its names are needed */
    struct pm_str *stored;           /* the last name of pm_survey__scan_stored(); NULL: none yet */
};

struct scan {
    const struct pm_scan_options *o;
    struct scan_framework frameworks[PM_RESOLVE_MOST_FRAMEWORKS];
    unsigned count, threads;
    struct pm_store *names; /* the database of --names, until the scan is stored; or NULL */
    struct pm_corpus_result *result;
    struct scan_uses uses;
    int64_t id;            /* in the store */
    struct pm_digest plan; /* for a shard: digest of what all shards have in common */
    char started[25], finished[25];
    uint64_t took; /* ns */
};

/* Frees what the members of a framework own. */
void pm_survey__framework_release(struct scan_framework *framework);

/* Finds the newest stored inventory, else records one; then stores the flat list, if given. With
 * `names`, another database, the inventory is taken from there, and none is recorded. */
PM_MUST_USE int pm_survey__find_names(struct scan_framework *framework, struct pm_store *store,
                                      struct pm_store *names, const struct pm_messages *messages,
                                      struct pm_error *err);

/* Loads the inventory that was found, unless it is loaded. */
PM_MUST_USE int pm_survey__load_names(struct scan_framework *framework, struct pm_store *store,
                                      struct pm_error *err);
/* Returns the inventory, or else the flat list, that is counted, by its id in the store. */
static inline int64_t pm_survey__names_id(const struct scan_framework *framework)
{
    return framework->head.id ? framework->head.id : framework->names_id;
}

/* ---- scan_index.c: names that were prepared before --------------------------------------------
 */

/* Makes the index of the names of all frameworks, or loads it from the user's data, where it is
 * kept for the next scan of the same names. */
PM_MUST_USE int pm_survey__index(struct scan *s, struct pm_store *store,
                                 struct pm_resolve_index *index, struct pm_error *err);

/* ---- scan_names.c: inventories in the form of the corpus room -------------------------------- */

/* Adds the framework's names, by its index in the result; with `types`, also the types of the
 * values that functions return. */
void pm_survey__scan_add_names(struct pm_resolve_names *names,
                               const struct scan_framework *framework, bool types);
/* Returns the stored name of a function by any of its names: "tf.add" for "tensorflow.add". The
 * inventory must be loaded. */
const char *pm_survey__scan_canonical(const struct scan_framework *framework, const char *name);
/* Returns the same of a function of the inventory without looking it up; valid until the next call
 * for the framework. */
const char *pm_survey__scan_stored(const struct scan_framework *framework, const char *name);

/* ---- scan_uses.c: every use, as a line of JSON and for the store ----------------------------
 */

/* Returns whether uses are also written or stored, and not only counted. */
static inline bool pm_survey__uses_wanted(const struct scan *s)
{
    return s->o->uses || s->o->store_uses;
}
PM_MUST_USE int pm_survey__uses_open(struct scan *s, struct pm_error *err);
/* Writes or stores a use with its place: a pm_corpus_take; `ctx` is the scan. */
void pm_survey__uses_take(void *ctx, const struct pm_corpus_place *place);
/* Completes --uses FILE after the last use. Fails if not all lines could be written. */
PM_MUST_USE int pm_survey__uses_close(struct scan *s, struct pm_error *err);

/* ---- scan_shard.c: a part of a divided scan -------------------------------------------------- */

/* Finds the plan of the shard. *done: the database has the shard. */
PM_MUST_USE int pm_survey__shard_find(struct scan *s, struct pm_store *store,
                                      const struct pm_messages *messages,
                                      struct pm_scan_summary *out, bool *done,
                                      struct pm_error *err);
/* Stores what merging needs besides the counts, in a transaction that is open. */
PM_MUST_USE int pm_survey__shard_store(const struct scan *s, struct pm_store *store,
                                       struct pm_error *err);

/* ---- scan_rows.c: storing and printing the result -------------------------------- */

/* Returns a text as JSON: file names are bytes, and JSON needs UTF-8. */
json_t *pm_survey__text_json(const char *text);
/* Stores everything in one transaction; sets s->id. */
PM_MUST_USE int pm_survey__scan_store(struct scan *s, struct pm_store *store, struct pm_error *err);
/* Adds the totals above the tables of frequencies, and damaged inputs below. */
void pm_survey__scan_add_totals(const struct scan *s, struct pm_report *report);
void pm_survey__scan_add_damages(const struct scan *s, struct pm_report *report);

#endif
