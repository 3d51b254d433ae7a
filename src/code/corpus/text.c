/* Filters and counts one Python text: a file, a member of an archive or a line of JSON. */
#include <stdlib.h>

#include "base/alloc.h"
#include "corpus/reader.h"

void pm_corpus__reader_reserve(struct pm_corpus__reader *reader, size_t length)
{
    const size_t wanted = length + PM_PYLEX_PADDING;
    if (wanted <= reader->text_capacity)
        return;
    reader->text_capacity = wanted < (size_t)1 << 16 ? (size_t)1 << 16 : wanted + wanted / 2;
    free(reader->text); /* nothing in it is kept */
    reader->text = pm_alloc(reader->text_capacity);
}

/* Adds the text to its project, even if it imports no framework, because a file that it imports may
 * import one. */
static void place_text(struct pm_corpus__reader *reader, size_t length, bool joined,
                       uint64_t repository)
{
    struct pm_resolve_file *file = &reader->counter->file;
    reader->source.repository = repository;
    reader->source.length = length;
    if (!joined) {
        pm_resolve_file_lex(file, reader->text, length);
        pm_resolve_file_imports(file);
    }
    if (file->parts && !file->imported)
        pm_resolve_file_uses(file);
    pm_corpus__places_add(reader->places, &reader->source, file);
    if (!reader->source.path)
        pm_corpus__places_flush(reader->places); /* the text is a project by itself */
}

/* Counts the uses in the buffer's text, which may import the frameworks of `importing`. */
static void count_text(struct pm_corpus__reader *reader, size_t length,
                       struct pm_corpus__importing importing, uint64_t repository)
{
    memset(reader->text + length, 0, PM_PYLEX_PADDING);
    if (reader->every_file || importing.joined) {
        reader->totals.lexed_files++;
        reader->totals.lexed_bytes += length;
        pm_corpus__count(reader->counter, reader->text, length, importing, repository);
    }
    if (reader->places && (importing.joined || reader->source.path))
        place_text(reader, length, importing.joined != 0, repository);
}

void pm_corpus__reader_text(struct pm_corpus__reader *reader, size_t length, uint64_t repository)
{
    memset(reader->text + length, 0, PM_PYLEX_PADDING);
    reader->totals.files++;
    reader->totals.text_bytes += length;
    count_text(reader, length,
               pm_corpus__filter_text(reader->filter, reader->text, reader->text + length),
               repository);
}

/* Copies the notebook's text into the buffer, and returns its length. */
static size_t take_notebook(struct pm_corpus__reader *reader)
{
    const struct pm_str *text = &reader->notebook.text;
    pm_corpus__reader_reserve(reader, text->length);
    memcpy(reader->text, text->data, text->length);
    return text->length;
}

void pm_corpus__reader_notebook(struct pm_corpus__reader *reader, size_t length,
                                uint64_t repository, const char *name)
{
    struct pm_error err;
    switch (pm_corpus__notebook_read(&reader->notebook, reader->text, length, &err)) {
    case PM_CORPUS__NOTEBOOK_PYTHON:
        reader->source.notebook = &reader->notebook;
        pm_corpus__reader_text(reader, take_notebook(reader), repository);
        reader->source.notebook = NULL;
        break;
    case PM_CORPUS__NOTEBOOK_FOREIGN:
        reader->totals.ignored++;
        break;
    case PM_CORPUS__NOTEBOOK_NONE:
        pm_corpus__log_damage(&reader->log, name, 0, true, "%s", err.text);
        break;
    }
}

/* Counts the content of a JSON line if it is a notebook; returns false otherwise. */
static bool read_content_notebook(struct pm_corpus__reader *reader, struct pm_corpus__span content,
                                  uint64_t repository)
{
    struct pm_error err;
    pm_corpus__reader_reserve(reader, (size_t)(content.end - content.at));
    const size_t length = pm_corpus__unescape(reader->kernels, content, reader->text);
    const enum pm_corpus__notebook_form form =
        pm_corpus__notebook_read(&reader->notebook, reader->text, length, &err);
    reader->source.notebook = &reader->notebook;
    if (form == PM_CORPUS__NOTEBOOK_PYTHON)
        pm_corpus__reader_text(reader, take_notebook(reader), repository);
    reader->source.notebook = NULL;
    reader->totals.ignored += form == PM_CORPUS__NOTEBOOK_FOREIGN;
    return form != PM_CORPUS__NOTEBOOK_NONE;
}

/* Returns the digest of a JSON line's repository, or 0 if the line does not name one. */
static uint64_t repository_of(const struct pm_corpus__record *record)
{
    const struct pm_corpus__span name = record->repository;
    return name.at ? pm_corpus__repository(name.at, (size_t)(name.end - name.at)) : 0;
}

const char *pm_corpus__read_json_line(struct pm_corpus__reader *reader, const unsigned char *line,
                                      size_t length)
{
    struct pm_corpus__record record;
    const char *wrong = pm_corpus__json_line(reader->kernels, line, line + length, &record);
    if (wrong)
        return wrong;
    if (!record.content.at) {
        reader->totals.without_content++;
        return NULL;
    }
    const struct pm_corpus__span content = record.content;
    const uint64_t repository = repository_of(&record);
    if (content.at < content.end && *content.at == '{' &&
        read_content_notebook(reader, content, repository))
        return NULL;
    reader->totals.files++;
    reader->totals.text_bytes += (uint64_t)(content.end - content.at);
    struct pm_corpus__importing importing =
        pm_corpus__filter_json(reader->filter, content.at, content.end);
    if (!importing.joined && !importing.unknown && !reader->every_file)
        return NULL;
    pm_corpus__reader_reserve(reader, (size_t)(content.end - content.at));
    const size_t text = pm_corpus__unescape(reader->kernels, content, reader->text);
    if (importing.unknown)
        importing = pm_corpus__filter_text(reader->filter, reader->text, reader->text + text);
    count_text(reader, text, importing, repository);
    return NULL;
}
