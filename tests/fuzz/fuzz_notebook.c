/*
 * Reads arbitrary bytes as a notebook, and as the cells of a valid notebook. Each cell that is
 * found must begin within the text, at the start of a line, and the cells must be in order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "corpus/notebook.h"
#include "fuzz.h"

static void check(const struct pm_corpus__notebook *notebook)
{
    for (size_t i = 0; i < notebook->cell_count; i++) {
        const struct pm_corpus__cell *cell = &notebook->cells[i];
        if (cell->offset > notebook->text.length)
            fuzz_wrong("a cell outside the text");
        if (i > 0 && (cell->offset < cell[-1].offset || cell->number <= cell[-1].number))
            fuzz_wrong("cells out of order");
        if (cell->offset > 0 && notebook->text.data[cell->offset - 1] != '\n')
            fuzz_wrong("a cell that begins within a line");
    }
}

static void read_notebook(struct pm_corpus__notebook *notebook, const void *json, size_t length)
{
    struct pm_error err = {{0}};
    switch (pm_corpus__notebook_read(notebook, json, length, &err)) {
    case PM_CORPUS__NOTEBOOK_PYTHON:
        check(notebook);
        break;
    case PM_CORPUS__NOTEBOOK_NONE:
        fuzz_check_error(&err);
        break;
    default:
        break;
    }
}

/* Returns a notebook whose cells are the parts of the input between bytes 0x1e. */
static char *wrap(const uint8_t *data, size_t size)
{
    json_t *cells = json_array();
    for (size_t at = 0; at <= size;) {
        const uint8_t *cut = size > at ? memchr(data + at, 0x1e, size - at) : NULL;
        const size_t length = cut ? (size_t)(cut - data) - at : size - at;
        json_t *source = json_stringn((const char *)data + at, length);
        json_array_append_new(cells, json_pack("{s:s, s:o}", "cell_type", "code", "source",
                                               source ? source : json_string("")));
        at += length + 1;
    }
    json_t *notebook = json_pack("{s:o, s:i}", "cells", cells, "nbformat", 4);
    char *text = json_dumps(notebook, JSON_COMPACT);
    json_decref(notebook);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_corpus__notebook notebook = {.text = PM_STR_INIT};
    unsigned char *copy = fuzz_copy(data, size, 0);
    char *wrapped = wrap(data, size);
    read_notebook(&notebook, copy, size);
    if (wrapped)
        read_notebook(&notebook, wrapped, strlen(wrapped));
    pm_corpus__notebook_release(&notebook);
    free(wrapped);
    free(copy);
    return 0;
}
