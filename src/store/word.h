/*
 * A column as an enum of the vocabulary: row->outcome = PM_STORE__WORD(q, outcome). For the files
 * that read rows; query.c knows no columns.
 */
#ifndef PM_STORE_WORD_H
#define PM_STORE_WORD_H

#include "base/vocabulary.h"
#include "store/store_private.h"

#define PM_STORE__WORD(q, name) ((enum pm_##name)pm_store__word_of((q), &pm_##name##_words))

#endif
