/* Reads tar, zip and other archives with libarchive. The stream has already unpacked gzip and
 * Zstandard. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/str.h"
#include "corpus/libarchive.h"
#include "corpus/reader.h"

#define BLOCK_BYTES 65536

/* The source from which libarchive reads: the input, or a member of an archive. */
struct client {
    struct pm_corpus__reader *reader;
    bool raw;               /* libarchive reads the file itself, and may seek in it */
    struct archive *around; /* the archive whose current member is read, or NULL */
    const char *inside;     /* the name of that member, or NULL */
    unsigned char block[BLOCK_BYTES];
};

static la_ssize_t read_unpacked(struct archive *archive, void *ctx, const void **bytes)
{
    struct client *client = ctx;
    const unsigned char *there = NULL;
    (void)archive;
    const size_t got = pm_corpus__lines_take(&client->reader->lines, &there);
    *bytes = there;
    return (la_ssize_t)got;
}

static la_ssize_t read_raw(struct archive *archive, void *ctx, const void **bytes)
{
    struct client *client = ctx;
    struct pm_corpus__stream *stream = &client->reader->stream;
    ssize_t got;
    if (pm_stop_signal())
        return 0;
    do {
        got = read(stream->fd, client->block, sizeof client->block);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        pm_corpus__la.archive_set_error(archive, errno, "cannot read the archive: %s",
                                        strerror(errno));
    *bytes = client->block;
    return got;
}

static la_ssize_t read_around(struct archive *archive, void *ctx, const void **bytes)
{
    struct client *client = ctx;
    if (pm_stop_signal())
        return 0;
    const la_ssize_t got =
        pm_corpus__la.archive_read_data(client->around, client->block, sizeof client->block);
    if (got < 0) {
        const char *why = pm_corpus__la.archive_error_string(client->around);
        pm_corpus__la.archive_set_error(archive, EIO, "%s",
                                        why ? why : "the outer archive is malformed");
    }
    *bytes = client->block;
    return got < 0 ? ARCHIVE_FATAL : got;
}

static la_int64_t seek_raw(struct archive *archive, void *ctx, la_int64_t offset, int whence)
{
    const struct client *client = ctx;
    const off_t at = lseek(client->reader->stream.fd, offset, whence);
    if (at >= 0)
        return at;
    pm_corpus__la.archive_set_error(archive, errno, "cannot seek in the archive: %s",
                                    strerror(errno));
    return ARCHIVE_FATAL;
}

static const char *reason(struct archive *archive)
{
    const char *text = pm_corpus__la.archive_error_string(archive);
    return text ? text : "the archive is malformed";
}

/* Returns a text such as "wheels.tar:a.whl:a/b.py", or the name of the archive if `member` is NULL.
 * The caller frees the text. */
static char *whole_name(const struct client *client, const char *member)
{
    const char *inside = client->inside ? client->inside : "";
    return pm_format("%s%s%s%s%s", client->reader->stream.name, *inside ? ":" : "", inside,
                     member ? ":" : "", member ? member : "");
}

static void damaged(struct client *client, struct archive *archive, const char *member)
{
    struct pm_corpus__reader *reader = client->reader;
    const la_int64_t header = pm_corpus__la.archive_read_header_position(archive);
    /* Without a header position, the number of bytes read so far is the nearest known place. */
    const la_int64_t at = header >= 0 ? header : pm_corpus__la.archive_filter_bytes(archive, 0);
    const bool unpacked = client->inside || reader->stream.packing == PM_CORPUS__GZIP ||
                          reader->stream.packing == PM_CORPUS__ZSTD ||
                          pm_corpus__la.archive_filter_count(archive) > 1;
    char *name = whole_name(client, member);
    pm_corpus__log_damage(&reader->log, name, at > 0 ? (uint64_t)at : 0, unpacked, "%s",
                          reason(archive));
    free(name);
}

/* Reads a Python file or notebook; false if the rest of the archive cannot be read. */
static bool read_member(struct client *client, struct archive *archive, const char *member,
                        uint64_t repository)
{
    struct pm_corpus__reader *reader = client->reader;
    const bool notebook = pm_ends_with(member, ".ipynb");
    const size_t most = notebook ? PM_CORPUS__MOST_NOTEBOOK_BYTES : PM_CORPUS_MOST_BYTES;
    size_t length = 0;
    la_ssize_t got = 0;
    pm_corpus__reader_reserve(reader, BLOCK_BYTES);
    for (;;) {
        size_t room = reader->text_capacity - PM_PYLEX_PADDING - length;
        if (room == 0) {
            reader->text_capacity *= 2;
            reader->text = pm_realloc(reader->text, reader->text_capacity);
            continue;
        }
        got = pm_corpus__la.archive_read_data(archive, reader->text + length, room);
        if (got <= 0)
            break;
        length += (size_t)got;
        if (length > most) {
            pm_corpus__la.archive_set_error(
                archive, EFBIG, "the file is longer than portmeter's limit of %zu bytes", most);
            break;
        }
    }
    if (got != 0) {
        damaged(client, archive, member);
        return got > 0 || got != ARCHIVE_FATAL;
    }
    if (client->raw)
        reader->stream.unpacked += length;
    char *name = whole_name(client, member);
    char *path = client->inside ? pm_path_join(client->inside, member) : pm_strdup(member);
    reader->source =
        (struct pm_corpus__source){.input = name, .path = path, .order = reader->source.order};
    if (notebook)
        pm_corpus__reader_notebook(reader, length, repository, name);
    else
        pm_corpus__reader_text(reader, length, repository);
    free(name);
    free(path);
    return true;
}

static const char *name_of(struct archive_entry *entry)
{
    const char *name = pm_corpus__la.archive_entry_pathname(entry);
    if (!name)
        name = pm_corpus__la.archive_entry_pathname_utf8(entry);
    return name ? name : "?";
}

static bool is_source(const char *name)
{
    return pm_ends_with(name, ".py") ||
           (pm_ends_with(name, ".ipynb") && !strstr(name, PM_CORPUS__CHECKPOINTS "/"));
}

static bool is_archive(const char *name)
{
    static const char *const extensions[] = {".tar", ".tar.gz",  ".tgz", ".tar.zst", ".tar.xz",
                                             ".txz", ".tar.bz2", ".zip", ".whl"};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (pm_ends_with(name, extensions[i]))
            return true;
    return false;
}

static void read_inner(struct client *client, struct archive *archive, const char *member,
                       uint64_t repository);

static void read_members(struct client *client, struct archive *archive, uint64_t repository)
{
    struct archive_entry *entry;
    bool more = true;
    while (more && !pm_stop_signal()) {
        const int code = pm_corpus__la.archive_read_next_header(archive, &entry);
        if (code == ARCHIVE_EOF)
            return;
        if (code == ARCHIVE_FATAL && client->inside && pm_corpus__la.archive_format(archive) == 0) {
            client->reader->totals.ignored++;
            return;
        }
        if (code < ARCHIVE_WARN) /* a warning is about names and times, not about contents */
            damaged(client, archive, NULL);
        if (code == ARCHIVE_FATAL)
            return;
        if (code == ARCHIVE_RETRY || code == ARCHIVE_FAILED)
            continue;
        const char *name = name_of(entry);
        if (pm_corpus__la.archive_entry_filetype(entry) == AE_IFREG && is_source(name))
            more = read_member(client, archive, name, repository);
        else if (pm_corpus__la.archive_entry_filetype(entry) == AE_IFREG && is_archive(name))
            read_inner(client, archive, name, repository);
    }
}

/* Reads an archive inside an archive, as a folder of the outer archive's project. An archive inside
 * the inner archive is not opened, because an archive may contain itself. A member that is an
 * archive only by its name is ignored. */
static void read_inner(struct client *client, struct archive *archive, const char *member,
                       uint64_t repository)
{
    struct pm_corpus__reader *reader = client->reader;
    if (client->inside) {
        char *name = whole_name(client, member);
        pm_corpus__log_damage(&reader->log, name, 0, true,
                              "the archive is nested too deeply and is not opened: unpack the "
                              "outermost archive");
        free(name);
        return;
    }
    struct client *inner = pm_alloc(sizeof *inner);
    struct archive *opened = pm_corpus__la.archive_read_new();
    char *name = pm_strdup(member); /* libarchive frees the entry's name when its data is read */
    if (!opened)
        pm_alloc_failed();
    inner->reader = reader;
    inner->around = archive;
    inner->inside = name;
    pm_corpus__la.archive_read_support_format_tar(opened);
    pm_corpus__la.archive_read_support_format_zip_streamable(opened);
    pm_corpus__la.archive_read_support_filter_gzip(opened);
    pm_corpus__la.archive_read_support_filter_zstd(opened);
    pm_corpus__la.archive_read_support_filter_xz(opened);
    pm_corpus__la.archive_read_support_filter_bzip2(opened);
    pm_corpus__la.archive_read_set_callback_data(opened, inner);
    pm_corpus__la.archive_read_set_read_callback(opened, read_around);
    if (pm_corpus__la.archive_read_open1(opened) == ARCHIVE_OK)
        read_members(inner, opened, repository);
    pm_corpus__la.archive_read_free(opened);
    free(inner);
    free(name);
}

/* Opens the input. If it is a seekable zip, xz or bzip2 file, libarchive reads the file itself,
 * from its beginning. Otherwise libarchive reads the bytes that the stream unpacks. */
static int open_archive(struct client *client, struct archive *archive)
{
    struct pm_corpus__stream *stream = &client->reader->stream;
    pm_corpus__la.archive_read_support_format_tar(archive);
    pm_corpus__la.archive_read_support_format_zip(archive);
    pm_corpus__la.archive_read_support_filter_xz(archive);
    pm_corpus__la.archive_read_support_filter_bzip2(archive);
    pm_corpus__la.archive_read_set_callback_data(archive, client);
    client->raw = stream->packing == PM_CORPUS__ARCHIVE && lseek(stream->fd, 0, SEEK_SET) == 0;
    if (client->raw) {
        stream->unpacked = 0; /* its beginning is read again */
        pm_corpus__la.archive_read_set_read_callback(archive, read_raw);
        pm_corpus__la.archive_read_set_seek_callback(archive, seek_raw);
    } else {
        pm_corpus__la.archive_read_set_read_callback(archive, read_unpacked);
    }
    return pm_corpus__la.archive_read_open1(archive);
}

enum { END_BYTES = 22, MOST_COMMENT_BYTES = 0xffff };

/* Returns whether the last bytes of the file contain a complete end-of-central-directory record
 * (PKWARE's APPNOTE, 4.3.16). Only its comment and appended bytes may follow it. */
static bool has_zip_end(int fd, off_t size)
{
    enum { ROOM = END_BYTES + MOST_COMMENT_BYTES };
    unsigned char *tail = pm_alloc(ROOM);
    const size_t wanted = size < ROOM ? (size_t)size : ROOM;
    const ssize_t got = pread(fd, tail, wanted, size - (off_t)wanted);
    bool found = false;
    for (ssize_t at = got - END_BYTES; at >= 0 && !found; at--) {
        const ssize_t comment = tail[at + 20] | tail[at + 21] << 8;
        found = memcmp(tail + at, "PK\5\6", 4) == 0 && at + END_BYTES + comment <= got;
    }
    free(tail);
    return found;
}

/* Checks that a zip file is complete. libarchive reads the members of a zip file without a central
 * directory and reports no error at the end, so a file that was cut short would look complete. */
static void check_zip_end(struct client *client)
{
    struct pm_corpus__reader *reader = client->reader;
    const int fd = reader->stream.fd;
    struct stat status;
    char magic[2];
    if (pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "PK", 2) == 0 &&
        fstat(fd, &status) == 0 && !has_zip_end(fd, status.st_size))
        pm_corpus__log_damage(&reader->log, reader->stream.name, (uint64_t)status.st_size, false,
                              "the ZIP archive is cut short: its central directory is missing");
}

/* Counts each byte of a file as read once, however often libarchive read it. */
static void count_whole(struct pm_corpus__stream *stream)
{
    struct stat status;
    if (fstat(stream->fd, &status) == 0 && (uint64_t)status.st_size > stream->offset) {
        pm_corpus__log_read(stream->log, (size_t)((uint64_t)status.st_size - stream->offset));
        stream->offset = (uint64_t)status.st_size;
    }
}

void pm_corpus__read_archive(struct pm_corpus__reader *reader, uint64_t repository)
{
    if (!pm_corpus__libarchive_load()) {
        pm_corpus__log_damage(&reader->log, reader->stream.name, 0, false,
                              "cannot open archives without libarchive.so.13: install libarchive");
        return;
    }
    struct client *client = pm_alloc(sizeof *client);
    struct archive *archive = pm_corpus__la.archive_read_new();
    /* libarchive converts names of members into the thread's locale, which must be UTF-8. */
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = uselocale(utf8);
    if (!archive)
        pm_alloc_failed();
    client->reader = reader;
    if (reader->stream.packing == PM_CORPUS__ARCHIVE)
        pm_corpus__lines_open(&reader->lines, &reader->stream, true);
    if (open_archive(client, archive) == ARCHIVE_OK)
        read_members(client, archive, repository);
    else
        damaged(client, archive, NULL);
    if (client->raw) {
        check_zip_end(client);
        count_whole(&reader->stream);
    }
    pm_corpus__la.archive_read_free(archive);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    free(client);
}
