/*
 * Reads the bytes of an input and unpacks them. The first bytes show whether the input is plain,
 * gzip (unpacked by ISA-L), Zstandard or an archive. After damaged compressed bytes, reading
 * continues at the next member or frame. A line end is inserted there, so no line contains bytes
 * from before and after the damage.
 */
#ifndef PM_CORPUS_STREAM_H
#define PM_CORPUS_STREAM_H

#include <sys/stat.h>

#include "corpus/log.h"

enum pm_corpus__packing {
    PM_CORPUS__PLAIN,
    PM_CORPUS__GZIP,
    PM_CORPUS__ZSTD,
    PM_CORPUS__ARCHIVE /* zip, xz or bzip2: libarchive unpacks the stored bytes */
};

struct pm_corpus__stream {
    int fd;           /* the caller closes it */
    bool file;        /* a regular file, for which reading never waits */
    uint64_t size;    /* bytes of a regular file; 0: the input ends when read() returns 0 */
    const char *name; /* borrowed */
    struct pm_corpus__log *log;
    enum pm_corpus__packing packing;
    unsigned char *bytes; /* from `at` to `end`: read and not unpacked yet */
    size_t at, end;
    uint64_t offset; /* offset of bytes[end] in the input */
    bool ended;      /* nothing more to read */
    bool in_member;  /* between the beginning and the end of a member or frame */
    bool searching;  /* searches for a member after damage */
    bool broken;     /* a line end has to be inserted before the next bytes */
    bool filled_in;  /* the last read returned this line end, not bytes of the input */
    uint64_t member; /* offset at which the last member, or the last search for one, began */
    uint64_t unpacked;
    void *unpacker; /* ISA-L's or Zstandard's state, kept from input to input */
    enum pm_corpus__packing unpacker_packing;
};

/* Begins an input. `status` comes from fstat(), or is NULL for standard input. `fd`, `name` and
 * `log` are borrowed. The stream reuses the buffers of the previous input. It must be zeroed before
 * the first use. */
void pm_corpus__stream_open(struct pm_corpus__stream *stream, int fd, const struct stat *status,
                            const char *name, struct pm_corpus__log *log);

/* Unpacks at least one byte and at most `room`. Returns their number; 0 at the end. Logs damage. */
size_t pm_corpus__stream_read(struct pm_corpus__stream *stream, unsigned char *into, size_t room);
void pm_corpus__stream_release(struct pm_corpus__stream *stream);

/* Reads more bytes of the input, and appends them to the bytes that are not unpacked yet; false at
 * the end. */
bool pm_corpus__stream_fill(struct pm_corpus__stream *stream);
/* Returns the offset in the input of the next unread byte. */
uint64_t pm_corpus__stream_offset(const struct pm_corpus__stream *stream);
/* Goes to the next occurrence of `magic`; false if the input ends first. */
bool pm_corpus__stream_seek(struct pm_corpus__stream *stream, const void *magic, size_t length);

#endif
