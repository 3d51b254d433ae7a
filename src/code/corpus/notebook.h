/*
 * The Python text of a Jupyter notebook (nbformat 2 to 4): its code cells, one below the other.
 *
 * What IPython does not give to Python is blanked: line magics (`%`), shell lines (`!`, also behind
 * `=`), lines with `?`. A cell magic (`%%`) removes its cell, unless the cell is Python (`%%time`).
 * The JSON is read as Python and Jupyter read it: the last of repeated keys counts, NaN and numbers
 * of any size are values, a lone surrogate is U+FFFD. A cell whose brackets or strings do not end
 * is skipped, as nothing of it runs.
 */
#ifndef PM_CORPUS_NOTEBOOK_H
#define PM_CORPUS_NOTEBOOK_H

#include "base/error.h"
#include "base/str.h"
#include "pylex/pylex.h"

/* Notebooks hold pictures: the file may be larger than its text. */
#define PM_CORPUS__MOST_NOTEBOOK_BYTES (64u << 20)

/* Zeroed before the first use; kept from notebook to notebook. */
struct pm_corpus__notebook {
    struct pm_str text;
    struct pm_corpus__cell {
        uint32_t offset; /* in the text, of its first byte */
        uint32_t number; /* among all cells of the notebook, from 1 */
    } * cells;
    size_t cell_count, cell_capacity;
};

enum pm_corpus__notebook_form {
    PM_CORPUS__NOTEBOOK_PYTHON,
    PM_CORPUS__NOTEBOOK_FOREIGN, /* a notebook in another language: it has no text */
    PM_CORPUS__NOTEBOOK_NONE     /* err says why */
};

/* Reads a notebook's JSON of at most PM_CORPUS__MOST_NOTEBOOK_BYTES. */
enum pm_corpus__notebook_form pm_corpus__notebook_read(struct pm_corpus__notebook *notebook,
                                                       const void *json, size_t length,
                                                       struct pm_error *err);
void pm_corpus__notebook_release(struct pm_corpus__notebook *notebook);

#endif
