/*
 * Reads inputs of any kind, one after the other, as Python texts. Not thread-safe: each thread
 * needs its own reader.
 */
#ifndef PM_CORPUS_READER_H
#define PM_CORPUS_READER_H

#include <sys/stat.h>

#include "corpus/count.h"
#include "corpus/json_line.h"
#include "corpus/lines.h"
#include "corpus/notebook.h"
#include "corpus/places.h"
#include "corpus/walk.h"

struct pm_corpus__reader {
    const struct pm_corpus__kernels *kernels;
    const struct pm_corpus__filter *filter;
    struct pm_corpus__counter *counter;
    struct pm_corpus__log log;
    struct pm_corpus_totals totals;
    struct pm_corpus__stream stream;
    struct pm_corpus__lines lines;
    unsigned char *text; /* text of the file being read, followed by PM_PYLEX_PADDING zero bytes */
    size_t text_capacity;
    struct pm_corpus__notebook notebook; /* the last one read */
    bool every_file;
    struct pm_corpus__places *places; /* or NULL */
    uint64_t repository;              /* repository of the project that they are in */
    struct pm_corpus__source source;  /* where the text in the buffer comes from */
    struct stat kept;                 /* status of a file that must not be an input */
    bool has_kept;                    /* there is one */
    bool read_kept;                   /* an input is that file: nothing more is read */
};

/* Returns whether `path` can be read to an end: a regular file, or a pipe without a name, as the
 * shell's `<(command)` makes. A FIFO may never get a writer, and a device may have no end. */
bool pm_corpus__is_readable(const char *path, const struct stat *status);

/* Reads an input and counts what is in it. */
void pm_corpus__read(struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit);
void pm_corpus__reader_release(struct pm_corpus__reader *reader);

/* Makes room for a text of so many bytes and its padding. */
void pm_corpus__reader_reserve(struct pm_corpus__reader *reader, size_t length);

/* Counts the text of `length` bytes in the reader's buffer. */
void pm_corpus__reader_text(struct pm_corpus__reader *reader, size_t length, uint64_t repository);

/* Counts the notebook whose `length` bytes of JSON are in the reader's buffer; if it is not a
 * notebook, this is damage of `name`. */
void pm_corpus__reader_notebook(struct pm_corpus__reader *reader, size_t length,
                                uint64_t repository, const char *name);

/* Counts the *.py and *.ipynb of an archive: of the stream's bytes, or, for a file that can be
 * sought (zip), of the file. */
void pm_corpus__read_archive(struct pm_corpus__reader *reader, uint64_t repository);

/* Counts JSON lines. `strict` is false for a file found in a folder: it is ignored if its
 * first line has no content. */
void pm_corpus__read_json(struct pm_corpus__reader *reader, bool strict);

/* Counts one line of JSON; returns what is wrong with it, or NULL. */
const char *pm_corpus__read_json_line(struct pm_corpus__reader *reader, const unsigned char *line,
                                      size_t length);

#endif
