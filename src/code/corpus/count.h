/*
 * Counts the uses that one thread finds, by both rules, and the files and repositories that have
 * them. The counters of all threads are added at the end, in any order.
 */
#ifndef PM_CORPUS_COUNT_H
#define PM_CORPUS_COUNT_H

#include "base/map.h"
#include "corpus/corpus.h"
#include "corpus/filter.h"
#include "resolve/resolve.h"

/* A hash table of pairs of a row and a repository: open addressing, at most half full. */
struct pm_corpus__pairs {
    uint64_t *keys; /* digests of pairs; 0: free */
    uint32_t *rows;
    size_t count, mask;
};

/* Names that are called but are not in the table. */
struct pm_corpus__unlisted {
    struct pm_map by_name; /* name -> row + 1 */
    struct pm_corpus_unlisted *rows;
    uint32_t *file; /* by row: number of the file that was counted last */
    size_t count, capacity, file_capacity;
};

struct pm_corpus__counts {
    struct pm_corpus_name *names;
    struct pm_corpus_function *functions;
    uint32_t *name_file, *function_file; /* by row: number of the file that was counted last */
    uint64_t *inferred_file;             /* by row: number of the text that was counted last */
    uint64_t paper_files, importing_files, unlisted;
    struct pm_corpus__unlisted unlisted_names;
    struct pm_corpus__pairs name_repositories, function_repositories, inferred_repositories;
};

/* Uses of a symbol in files that import no framework but are counted for every framework. All have
 * the class `other` and are the same for each framework with this name, so they are stored once. */
struct pm_corpus__plain {
    uint64_t uses;
    uint32_t files, file;
};

struct pm_corpus__counter {
    const struct pm_resolve_index *index;
    const struct pm_corpus__filter *filter;
    bool every_file;
    uint32_t file_number;
    struct pm_resolve_file file;
    struct pm_corpus__counts frameworks[PM_RESOLVE_MOST_FRAMEWORKS];
    struct pm_corpus__plain *plain; /* by symbol; used only with every_file */
};

void pm_corpus__counter_init(struct pm_corpus__counter *counter,
                             const struct pm_resolve_index *index,
                             const struct pm_corpus__filter *filter, bool every_file);

/* Counts one file. PM_PYLEX_PADDING zero bytes must follow it. `repository` is a digest of the
 * repository's name, or 0 if the name is not known. */
void pm_corpus__count(struct pm_corpus__counter *counter, const unsigned char *text, size_t length,
                      struct pm_corpus__importing importing, uint64_t repository);

/* Counts a use with a known place. `repository` is the digest of its text's repository, or 0. */
void pm_corpus__count_place(struct pm_corpus__counter *counter, const struct pm_corpus_place *place,
                            uint64_t repository);

/* Adds the uses that were counted by symbol to the rows of the frameworks. Counting can continue
 * afterwards. */
void pm_corpus__counter_settle(struct pm_corpus__counter *counter);

/* Adds the counts of another counter, except inferred uses: a scan that infers types has one
 * counter. Both counters must be settled. */
void pm_corpus__counter_merge(struct pm_corpus__counter *counter,
                              const struct pm_corpus__counter *other);
void pm_corpus__counter_release(struct pm_corpus__counter *counter);

#endif
