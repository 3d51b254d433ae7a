/*
 * A column as an enum of the vocabulary: row->outcome = PM_STORE__WORD(q, outcome). For the files
 * that read rows; query.c knows no columns.
 */
#ifndef PM_STORE_WORD_H
#define PM_STORE_WORD_H

#include "base/vocabulary.h"
#include "store/store_private.h"

#define PM_STORE__WORD(q, name) ((enum pm_##name)pm_store__word_of((q), &pm_##name##_words))

/* Gives each row, which `read` takes from the query, to row(ctx, ...), closes the query and ends
 * the function with what came of it. */
#define PM_STORE__GIVE_ROWS(q, type, read, row, ctx, err)                                          \
    do {                                                                                           \
        type pm_row_;                                                                              \
        int pm_rc_;                                                                                \
        while ((pm_rc_ = pm_store__next((q), (err))) > 0) {                                        \
            read((q), &pm_row_);                                                                   \
            if ((pm_rc_ = pm_store__sound((q), (err))) != 0 ||                                     \
                (pm_rc_ = (row)((ctx), &pm_row_)) != 0)                                            \
                break;                                                                             \
        }                                                                                          \
        pm_store__close(q);                                                                        \
        return pm_rc_;                                                                             \
    } while (0)

#endif
