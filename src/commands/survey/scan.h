/* Declarations that the parts of pm_survey_scan() share. Private to the room. */
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
    const struct pm_framework *of; /* its row of pm_frameworks() */
    const char *flat; /* file of the names for the paper's rule; NULL: the inventory's */
    struct pm_str flat_text;
    struct pm_inventory names; /* names of that file */
    int64_t names_id;          /* id of these names in the store */
    struct pm_stored_head
        head; /* head of the inventory to count; id 0: only the flat list is counted */
    struct pm_stored_inventory item; /* that inventory, loaded when its names are needed */
    struct pm_str *stored;           /* last result of pm_survey__scan_stored(); NULL: none yet */
};

struct scan {
    const struct pm_scan_options *o;
    struct scan_framework frameworks[PM_RESOLVE_MOST_FRAMEWORKS];
    unsigned count, threads;
    struct pm_store *names; /* the database of --names, until the scan is stored; or NULL */
    struct pm_corpus_result *result;
    struct scan_uses uses;
    int64_t id;            /* id in the store */
    struct pm_digest plan; /* for a shard: digest of what all shards have in common */
    char started[25], finished[25];
    uint64_t took; /* ns */
};

/* Frees what the members of a framework own. */
void pm_survey__framework_release(struct scan_framework *framework);

/* Finds in `store` the inventory whose names are counted; if there is none, records one. With
 * `names`, finds the inventory in that database instead, and records none. Then stores the flat
 * list, if one is given. PM_ENOTFOUND if there is neither an inventory nor a flat list. */
PM_MUST_USE int pm_survey__find_names(struct scan_framework *framework, struct pm_store *store,
                                      struct pm_store *names, const struct pm_messages *messages,
                                      struct pm_error *err);

/* Loads the inventory that pm_survey__find_names() found, unless it is loaded. */
PM_MUST_USE int pm_survey__load_names(struct scan_framework *framework, struct pm_store *store,
                                      struct pm_error *err);
/* Returns the id of the inventory that is counted; if there is none, that of the flat list. */
static inline int64_t pm_survey__names_id(const struct scan_framework *framework)
{
    return framework->head.id ? framework->head.id : framework->names_id;
}

/* ---- scan_index.c: names that were prepared before ------------------------------------------- */

/* Loads the index of the names of all frameworks from the user's data folder; if it is missing
 * there, makes it and keeps it for the next scan of the same names. */
PM_MUST_USE int pm_survey__index(struct scan *s, struct pm_store *store,
                                 struct pm_resolve_index *index, struct pm_error *err);

/* ---- scan_names.c: inventories in the form of the corpus room -------------------------------- */

/* Adds the framework and its names; with `types`, also the types of the values that functions
 * return. */
void pm_survey__scan_add_names(struct pm_resolve_names *names,
                               const struct scan_framework *framework, bool types);
/* Returns the stored name of the function that has `name` as one of its names: "tf.add" for
 * "tensorflow.add". If the inventory has no such function, returns `name`. The inventory must be
 * loaded. */
const char *pm_survey__scan_canonical(const struct scan_framework *framework, const char *name);
/* Like pm_survey__scan_canonical() for a canonical name, but without a look-up: only replaces the
 * name of the module by the brief one. The result is valid until the next call for the framework.
 */
const char *pm_survey__scan_stored(const struct scan_framework *framework, const char *name);

/* ---- scan_uses.c: every use, as a line of JSON and for the store ----------------------------- */

/* Returns whether uses are also written or stored, and not only counted. */
static inline bool pm_survey__uses_wanted(const struct scan *s)
{
    return s->o->uses || s->o->store_uses;
}
/* Opens the file of --uses and the spool, if they are requested. */
PM_MUST_USE int pm_survey__uses_open(struct scan *s, struct pm_error *err);
/* Writes a use with its place to the file of --uses and to the spool. This is a pm_corpus_take;
 * `ctx` is the scan. */
void pm_survey__uses_take(void *ctx, const struct pm_corpus_place *place);
/* Completes the file of --uses after the last use. Fails if not all lines could be written. */
PM_MUST_USE int pm_survey__uses_close(struct scan *s, struct pm_error *err);

/* ---- scan_shard.c: a part of a divided scan -------------------------------------------------- */

/* Computes s->plan, and looks for the shard in the database. *done: the database has it, and *out
 * describes it. PM_EUSAGE: the database has this shard of another plan. */
PM_MUST_USE int pm_survey__shard_find(struct scan *s, struct pm_store *store,
                                      const struct pm_messages *messages,
                                      struct pm_scan_summary *out, bool *done,
                                      struct pm_error *err);
/* Stores what merging needs besides the counts, in a transaction that is open. */
PM_MUST_USE int pm_survey__shard_store(const struct scan *s, struct pm_store *store,
                                       struct pm_error *err);

/* ---- scan_rows.c: storing and printing the result -------------------------------- */

/* Returns a text, such as the name of a file, as JSON. Bytes that are not UTF-8 are replaced,
 * because JSON needs UTF-8. */
json_t *pm_survey__text_json(const char *text);
/* Stores everything in one transaction; sets s->id. */
PM_MUST_USE int pm_survey__scan_store(struct scan *s, struct pm_store *store, struct pm_error *err);
/* Add the totals, which the report shows above the tables of frequencies, and the damaged inputs,
 * which it shows below these tables. */
void pm_survey__scan_add_totals(const struct scan *s, struct pm_report *report);
void pm_survey__scan_add_damages(const struct scan *s, struct pm_report *report);

#endif
