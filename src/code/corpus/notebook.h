/*
 * Extracts the Python text of a Jupyter notebook (nbformat 2 to 4): its code cells, one after
 * another.
 *
 * Lines that IPython does not pass to Python become blanks: line magics (`%`) and shell commands
 * (`!`), also after `=`, and statements with `?`. A cell with a cell magic (`%%`) is skipped
 * unless its contents are Python, as with `%%time`. A cell with an unclosed bracket or string is
 * skipped too, because Python does not run any of it. The JSON is read as Python's json reads it:
 * the last of repeated keys counts, and NaN and numbers of any size are valid. A lone surrogate
 * becomes U+FFFD.
 */
#ifndef PM_CORPUS_NOTEBOOK_H
#define PM_CORPUS_NOTEBOOK_H

#include "base/error.h"
#include "base/str.h"
#include "pylex/pylex.h"

/* The limit of a notebook's JSON, which may contain pictures. */
#define PM_CORPUS__MOST_NOTEBOOK_BYTES (64u << 20)

/* A notebook's text and cells. Must be zeroed before the first use; each notebook reuses the memory
 * of the previous one. */
struct pm_corpus__notebook {
    struct pm_str text;
    struct pm_corpus__cell {
        uint32_t offset; /* offset of its first byte in the text */
        uint32_t number; /* number among all cells of the notebook, from 1 */
    } * cells;
    size_t cell_count, cell_capacity;
};

enum pm_corpus__notebook_form {
    PM_CORPUS__NOTEBOOK_PYTHON,
    PM_CORPUS__NOTEBOOK_FOREIGN, /* a notebook in another language: it has no text */
    PM_CORPUS__NOTEBOOK_NONE     /* not a notebook: err has the reason */
};

/* Reads the `length` bytes of a notebook's JSON, at most PM_CORPUS__MOST_NOTEBOOK_BYTES, into
 * *notebook. Sets err (PM_EFORMAT) only for PM_CORPUS__NOTEBOOK_NONE. */
enum pm_corpus__notebook_form pm_corpus__notebook_read(struct pm_corpus__notebook *notebook,
                                                       const void *json, size_t length,
                                                       struct pm_error *err);
void pm_corpus__notebook_release(struct pm_corpus__notebook *notebook);

#endif
