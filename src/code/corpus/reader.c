/* Detects the form of an input, and reads it. */
#include "corpus/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "base/str.h"

static bool is_blank(const unsigned char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r", line[i]) || !line[i])
            return false;
    }
    return true;
}

void pm_corpus__read_json(struct pm_corpus__reader *reader, bool strict)
{
    struct pm_corpus__stream *stream = &reader->stream;
    const unsigned char *line;
    size_t length;
    uint64_t offset;
    bool whole;
    const uint64_t without_content = reader->totals.without_content;
    reader->source.path = NULL;
    while (!pm_stop_signal() &&
           pm_corpus__lines_next(&reader->lines, &line, &length, &offset, &whole)) {
        reader->source.record++;
        if (is_blank(line, length))
            continue;
        const char *wrong = pm_corpus__read_json_line(reader, line, length);
        if (!strict && (wrong || reader->totals.without_content > without_content)) {
            reader->totals.without_content = without_content;
            reader->totals.ignored++;
            reader->totals.inputs--;
            return;
        }
        strict = true;
        if (wrong)
            pm_corpus__log_damage(&reader->log, stream->name, offset, true, "%s",
                                  whole ? wrong : "the last line is cut short");
    }
}

/* Reads the whole stream into the buffer; false after logging that the stream is too long. */
static bool read_whole(struct pm_corpus__reader *reader, size_t most, size_t *length)
{
    size_t got;
    *length = 0;
    pm_corpus__reader_reserve(reader, 1);
    do {
        if (reader->text_capacity - *length <= PM_PYLEX_PADDING) {
            reader->text_capacity *= 2;
            reader->text = pm_realloc(reader->text, reader->text_capacity);
        }
        got = pm_corpus__lines_read(&reader->lines, reader->text + *length,
                                    reader->text_capacity - PM_PYLEX_PADDING - *length);
        *length += got;
    } while (got > 0 && *length <= most);
    if (*length > most)
        pm_corpus__log_damage(&reader->log, reader->stream.name, most, true,
                              "the file is longer than portmeter's limit of %zu bytes", most);
    return *length <= most;
}

static void read_python(struct pm_corpus__reader *reader, uint64_t repository)
{
    size_t length;
    if (!read_whole(reader, PM_CORPUS_MOST_BYTES, &length))
        return;
    const unsigned char *nul =
        length ? memchr(reader->text, 0, length < 1024 ? length : 1024) : NULL;
    if (nul)
        pm_corpus__log_damage(&reader->log, reader->stream.name, (uint64_t)(nul - reader->text),
                              true, "the file is binary data, not Python source");
    else if (length > 0)
        pm_corpus__reader_text(reader, length, repository);
    else
        reader->totals.files++;
}

static void read_notebook(struct pm_corpus__reader *reader, uint64_t repository)
{
    size_t length;
    if (read_whole(reader, PM_CORPUS__MOST_NOTEBOOK_BYTES, &length))
        pm_corpus__reader_notebook(reader, length, repository, reader->stream.name);
}

static bool begins_tar(const struct pm_corpus__lines *lines)
{
    return lines->end >= 512 && memcmp(lines->bytes + 257, "ustar", 5) == 0;
}

static bool begins_json(const struct pm_corpus__lines *lines)
{
    size_t at = 0;
    while (at < lines->end && strchr(" \t\r\n", lines->bytes[at]) && lines->bytes[at])
        at++;
    return at < lines->end && lines->bytes[at] == '{';
}

/* Returns whether the input begins like a notebook: Jupyter writes a first line that consists of a
 * bracket. JSON lines do not begin with such a line. */
static bool begins_notebook(const struct pm_corpus__lines *lines)
{
    return lines->end > 2 && lines->bytes[0] == '{' &&
           (lines->bytes[1] == '\n' || memcmp(lines->bytes + 1, "\r\n", 2) == 0);
}

/* Reads an input in the form that its first bytes show; a *.py is always Python, and a *.ipynb is
 * always a notebook. */
static void read_stream(struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit)
{
    const bool python = pm_ends_with(unit->path, ".py");
    const bool notebook = pm_ends_with(unit->path, ".ipynb");
    const bool plain = reader->stream.packing == PM_CORPUS__PLAIN;
    const uint64_t archive = pm_corpus__repository(unit->path, strlen(unit->path));
    if (reader->stream.packing == PM_CORPUS__ARCHIVE && !python && !notebook) {
        pm_corpus__read_archive(reader, archive);
        return;
    }
    pm_corpus__lines_open(&reader->lines, &reader->stream, !python && !notebook);
    if (python)
        read_python(reader, unit->repository);
    else if (notebook || (unit->kind == PM_CORPUS__GIVEN && begins_notebook(&reader->lines)))
        read_notebook(reader, unit->repository);
    else if (begins_tar(&reader->lines))
        pm_corpus__read_archive(reader, archive);
    else if (begins_json(&reader->lines))
        pm_corpus__read_json(reader, unit->kind == PM_CORPUS__GIVEN || !plain);
    else if (reader->lines.end == 0)
        return; /* empty: not counted as a Python file either */
    else if (unit->kind == PM_CORPUS__GIVEN)
        read_python(reader, unit->repository);
    else {
        reader->totals.ignored++;
        reader->totals.inputs--;
    }
}

bool pm_corpus__is_readable(const char *path, const struct stat *status)
{
    struct statfs system;
    return S_ISREG(status->st_mode) || (S_ISFIFO(status->st_mode) && statfs(path, &system) == 0 &&
                                        system.f_type == PIPEFS_MAGIC);
}

/* Opens an input. Returns its descriptor, or -1 after logging what is wrong. Never waits, even if
 * the path has become a FIFO since the check. */
static int open_input(struct pm_corpus__reader *reader, const char *path, struct stat *status)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, status) != 0)
        pm_corpus__log_damage(&reader->log, path, 0, false, "cannot open the input: %s",
                              strerror(errno));
    else if (!pm_corpus__is_readable(path, status))
        pm_corpus__log_damage(&reader->log, path, 0, false, "the input is not a regular file");
    else if (S_ISREG(status->st_mode) || fcntl(fd, F_SETFL, O_RDONLY) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Begins an input. A new repository begins a new project, and so does every input that is not a
 * Python file in a folder. */
static void begin_source(struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit)
{
    const char *name = strrchr(unit->path, '/');
    const bool single = unit->kind != PM_CORPUS__PYTHON;
    if (reader->places && (single || unit->repository != reader->repository))
        pm_corpus__places_flush(reader->places);
    reader->repository = single ? 0 : unit->repository;
    reader->source = (struct pm_corpus__source){.input = unit->path,
                                                .order = unit->number,
                                                .path = single ? (name ? name + 1 : unit->path)
                                                               : unit->path + unit->root};
}

/* Returns whether the input is the file that the caller will replace. An empty file may be replaced
 * unless it was found as source code in a folder. */
static bool is_kept(const struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit,
                    const struct stat *status)
{
    return reader->has_kept && status->st_dev == reader->kept.st_dev &&
           status->st_ino == reader->kept.st_ino &&
           (status->st_size > 0 || unit->kind == PM_CORPUS__PYTHON);
}

void pm_corpus__read(struct pm_corpus__reader *reader, const struct pm_corpus__unit *unit)
{
    const bool standard = strcmp(unit->path, "-") == 0;
    pm_corpus__log_input(&reader->log, unit->number);
    begin_source(reader, unit);
    reader->totals.inputs++;
    struct stat status = {0};
    const int fd = standard ? STDIN_FILENO : open_input(reader, unit->path, &status);
    if (standard)
        (void)!fstat(fd, &status); /* the shell may have opened the file `kept` as its input */
    const uint64_t inputs = reader->totals.inputs;
    if (fd < 0)
        return;
    pm_corpus__stream_open(&reader->stream, fd, standard ? NULL : &status, unit->path,
                           &reader->log);
    read_stream(reader, unit);
    reader->totals.bytes_read += reader->stream.offset;
    reader->totals.bytes_unpacked += reader->stream.unpacked;
    reader->read_kept |= is_kept(reader, unit, &status) && reader->totals.inputs == inputs;
    if (!standard)
        close(fd);
}

void pm_corpus__reader_release(struct pm_corpus__reader *reader)
{
    pm_corpus__stream_release(&reader->stream);
    pm_corpus__lines_release(&reader->lines);
    pm_corpus__log_release(&reader->log);
    pm_corpus__notebook_release(&reader->notebook);
    free(reader->text);
}
