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
    struct pm_corpus__notebook notebook; /* the notebook that was read last */
    bool every_file;
    struct pm_corpus__places *places; /* or NULL */
    uint64_t repository;              /* digest of the current project's repository, or 0 */
    struct pm_corpus__source source;  /* where the text in the buffer comes from */
    struct stat kept;                 /* status of a file that must not be an input */
    bool has_kept;                    /* `kept` is set */
    bool read_kept;                   /* an input is this file: nothing more is read */
};

/* Returns whether `path` can be read to its end: it is a regular file, or an unnamed pipe, which
 * the shell makes for `<(command)`. A named pipe may never have a writer, and a device may have no
 * end. */
bool pm_corpus__is_readable(const char *path, const struct stat *status);

/* Reads an input and counts what is in it. */
void pm_corpus__read(struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit);
void pm_corpus__reader_release(struct pm_corpus__reader *reader);

/* Makes room for a text of `length` bytes and its padding. The contents of the buffer are lost. */
void pm_corpus__reader_reserve(struct pm_corpus__reader *reader, size_t length);

/* Counts the text of `length` bytes in the reader's buffer. */
void pm_corpus__reader_text(struct pm_corpus__reader *reader, size_t length, uint64_t repository);

/* Counts the notebook whose `length` bytes of JSON are in the reader's buffer. Reports damage of
 * the input `name` if they are not a notebook. */
void pm_corpus__reader_notebook(struct pm_corpus__reader *reader, size_t length,
                                uint64_t repository, const char *name);

/* Counts the *.py and *.ipynb of an archive. Reads a seekable zip, xz or bzip2 file from its
 * beginning, and any other archive from the stream. */
void pm_corpus__read_archive(struct pm_corpus__reader *reader, uint64_t repository);

/* Counts JSON lines. `strict` is false for a plain file that was found in a folder: such a file is
 * ignored if its first line is malformed or has no content. */
void pm_corpus__read_json(struct pm_corpus__reader *reader, bool strict);

/* Counts one line of JSON. Returns NULL, or a static text that says what is wrong with the line. */
const char *pm_corpus__read_json_line(struct pm_corpus__reader *reader, const unsigned char *line,
                                      size_t length);

#endif
