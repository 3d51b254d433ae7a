/* One Python text, of a file, a member of an archive or a line of JSON: filtered and counted. */
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

/* The text is in the buffer, what it may import is known. */
static void count_text(struct pm_corpus__reader *reader, size_t length,
                       struct pm_corpus__importing importing, uint64_t repository)
{
    memset(reader->text + length, 0, PM_PYLEX_PADDING);
    if (!reader->every_file && !importing.joined)
        return;
    reader->totals.lexed_files++;
    reader->totals.lexed_bytes += length;
    pm_corpus__count(reader->counter, reader->text, length, importing, repository);
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
    const struct pm_corpus__span content = record.content, repository = record.repository;
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
    count_text(reader, text, importing,
               repository.at
                   ? pm_corpus__repository(repository.at, (size_t)(repository.end - repository.at))
                   : 0);
    return NULL;
}
