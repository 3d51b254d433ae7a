/*
 * The uses of a scan while it runs. Uses arrive one by one and are stored in one transaction at the
 * end, so they wait in a file without a name beside the database. Private to the room.
 */
#ifndef PM_SURVEY_SCAN_USES_H
#define PM_SURVEY_SCAN_USES_H

#include <stdio.h>

#include "base/file.h"
#include "base/map.h"
#include "base/str.h"
#include "corpus/corpus.h"
#include "store/store.h"

/* Returns a number for the uses of one function in one form, found in one way. */
static inline size_t pm_survey__kind_of(const struct pm_corpus_place *place)
{
    return ((size_t)place->function_row * PM_RESOLVE_FORM_COUNT + place->form) *
               PM_RESOLVE_HOW_COUNT +
           place->how;
}

struct scan_spool {
    FILE *file;           /* NULL: nothing is to be stored */
    const char *db;       /* for messages; borrowed */
    uint64_t text;        /* number of the text that contains the last use */
    struct pm_map scopes; /* scopes of that text: name to number */
    struct pm_map chains; /* chains that were written recently: text to number */
    uint32_t chain_count; /* number of chains written so far */
    bool lost;            /* a write failed */
};

struct scan_uses {
    FILE *file; /* stream for lines of JSON: stdout or that of `draft`; NULL: not requested */
    struct pm_file_draft draft; /* draft of --uses: the former file stays until the new one is
                                 * complete */
    uint64_t uses[PM_RESOLVE_HOW_COUNT][PM_RESOLVE_FORM_COUNT];
    uint64_t text;             /* number of the text to which `begin` belongs, or 0 */
    struct pm_str begin, line; /* the beginning of each line of a text; the current line */
    struct pm_str chain;       /* the chain of the current use, with brief names */
    struct scan_kinds {
        char **ends; /* ends of lines, indexed by pm_survey__kind_of() */
        size_t count, capacity;
    } kinds[PM_RESOLVE_MOST_FRAMEWORKS];
    struct scan_spool spool;
};

void pm_survey__uses_release(struct scan_uses *uses);

/* ---- scan_spool.c --------------------------------------------------------------------------- */

PM_MUST_USE int pm_survey__spool_open(struct scan_spool *spool, const char *db,
                                      struct pm_error *err);
void pm_survey__spool_add(struct scan_spool *spool, const struct pm_corpus_place *place);
void pm_survey__spool_release(struct scan_spool *spool);

struct scan;
/* Stores the uses of the spool, in a transaction that is open. */
PM_MUST_USE int pm_survey__spool_store(struct scan *s, struct pm_store *store,
                                       struct pm_error *err);

#endif
