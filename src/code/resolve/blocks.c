/* Recognises compound statements by their first words, and finds where their blocks end by
 * indentation. */
#include "resolve/resolve_private.h"

bool pm_resolve__is_compound(const struct pm_resolve_file *file, size_t token)
{
    static const char *const words[] = {"if",      "else",  "elif",  "try",  "except",
                                        "finally", "for",   "while", "with", "def",
                                        "class",   "async", "case",  "match"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (pm_resolve_is_word(file, token, words[i], strlen(words[i])))
            return true;
    }
    return false;
}

size_t pm_resolve_column(const struct pm_resolve_file *file, size_t token)
{
    const uint32_t start = file->tokens.start[token];
    uint32_t begin = start;
    size_t column = 0;
    while (begin > 0 && file->text[begin - 1] != '\n' && file->text[begin - 1] != '\r')
        begin--;
    for (; begin < start; begin++) {
        if (file->text[begin] == '\t')
            column = (column / 8 + 1) * 8;
        else
            column = file->text[begin] == '\f' ? 0 : column + 1;
    }
    return column;
}

static bool is_line_end(const struct pm_resolve_file *file, size_t token)
{
    return token >= file->tokens.count || file->tokens.kind[token] == PM_TOKEN_NEWLINE;
}

size_t pm_resolve__block_end(const struct pm_resolve_file *file, size_t header)
{
    if (header >= file->tokens.count) /* the text ends within a header */
        return file->tokens.count;
    size_t first = header, end = header;
    while (first > 0 && !is_line_end(file, first - 1))
        first--;
    while (!is_line_end(file, end))
        end++;
    const size_t column = pm_resolve_column(file, first);
    if (end > 0 && pm_resolve_kind(file, end - 1) != ':')
        return end; /* the block is on the header's line */
    for (; end < file->tokens.count; end++) {
        if (is_line_end(file, end) && !is_line_end(file, end + 1) &&
            pm_resolve_column(file, end + 1) <= column)
            return end + 1;
    }
    return end;
}
