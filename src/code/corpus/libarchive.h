/*
 * Pointers to libarchive's functions. Loading the library and its dependencies (ICU and C++'s
 * runtime among them) takes a third of portmeter's start time, and only archives need it. For this
 * reason it is loaded when the first archive is opened. A statically linked program contains it.
 */
#ifndef PM_CORPUS_LIBARCHIVE_H
#define PM_CORPUS_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>

#define PM_CORPUS__LIBARCHIVE(X)                                                                   \
    X(archive_entry_filetype)                                                                      \
    X(archive_entry_pathname)                                                                      \
    X(archive_entry_pathname_utf8)                                                                 \
    X(archive_error_string)                                                                        \
    X(archive_filter_bytes)                                                                        \
    X(archive_filter_count)                                                                        \
    X(archive_format)                                                                              \
    X(archive_read_data)                                                                           \
    X(archive_read_free)                                                                           \
    X(archive_read_header_position)                                                                \
    X(archive_read_new)                                                                            \
    X(archive_read_next_header)                                                                    \
    X(archive_read_open1)                                                                          \
    X(archive_read_set_callback_data)                                                              \
    X(archive_read_set_read_callback)                                                              \
    X(archive_read_set_seek_callback)                                                              \
    X(archive_read_support_filter_bzip2)                                                           \
    X(archive_read_support_filter_gzip)                                                            \
    X(archive_read_support_filter_xz)                                                              \
    X(archive_read_support_filter_zstd)                                                            \
    X(archive_read_support_format_tar)                                                             \
    X(archive_read_support_format_zip)                                                             \
    X(archive_read_support_format_zip_streamable)                                                  \
    X(archive_set_error)

struct pm_corpus__libarchive {
#define X(name) __typeof__(name) *name;
    PM_CORPUS__LIBARCHIVE(X)
#undef X
};

/* Valid in every thread after pm_corpus__libarchive_load() has returned true. */
extern struct pm_corpus__libarchive pm_corpus__la;

/* Loads the library if it is not loaded yet. Returns false if it is missing or lacks a function. */
bool pm_corpus__libarchive_load(void);

#endif
