/* Finds the places of uses: collects the files of a project. When the project is complete, counts
 * their uses and passes them to the callback. */
#ifndef PM_CORPUS_PLACES_H
#define PM_CORPUS_PLACES_H

#include "corpus/count.h"
#include "corpus/notebook.h"

struct pm_corpus__places {
    struct pm_corpus__counter *counter;
    pm_corpus_take *take;
    pm_corpus_see *see;
    void *ctx;
    struct pm_types_project *project;
    struct pm_corpus__placed {
        char *input;
        uint64_t order, record, repository;
        struct pm_corpus__cells {
            uint32_t line, number; /* line of the text on which the cell begins; cell's number */
        } * cells;
        size_t cell_count;
    } * files;
    size_t file_count, file_capacity;
    uint64_t texts; /* number of texts in earlier projects */
};

/* Where a text of the current project comes from. */
struct pm_corpus__source {
    const char *input, *path;    /* input: its name for the user; path: within the project, or
                                  * NULL if the text is a project by itself */
    uint64_t order;              /* place of the input in the order of reading */
    uint64_t record, repository; /* record: as in struct pm_corpus_place; repository: digest or 0 */
    const struct pm_corpus__notebook *notebook; /* the notebook that contains it, or NULL */
    size_t length;                              /* bytes of the text */
};

void pm_corpus__places_init(struct pm_corpus__places *places, struct pm_corpus__counter *counter,
                            const struct pm_corpus_options *options);
/* Adds a file whose imports and uses are known. */
void pm_corpus__places_add(struct pm_corpus__places *places, const struct pm_corpus__source *source,
                           const struct pm_resolve_file *file);
/* Ends the current project: passes on its uses, and begins another project. */
void pm_corpus__places_flush(struct pm_corpus__places *places);
void pm_corpus__places_release(struct pm_corpus__places *places);

#endif
