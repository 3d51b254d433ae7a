/* Lexes a file into arrays that grow as needed. */
#include "base/alloc.h"
#include "resolve/file.h"

static void reserve(struct pm_tokens *tokens, size_t capacity)
{
    if (capacity <= tokens->capacity)
        return;
    tokens->start = pm_realloc_array(tokens->start, capacity, sizeof *tokens->start);
    tokens->end = pm_realloc_array(tokens->end, capacity, sizeof *tokens->end);
    /* A search for pairs reads beyond the last kind. */
    tokens->kind = pm_realloc(tokens->kind, capacity + PM_PYLEX_PADDING);
    tokens->capacity = capacity;
}

void pm_resolve_file_lex(struct pm_resolve_file *file, const unsigned char *text, size_t length)
{
    struct pm_pylex lexer;
    struct pm_tokens *tokens = &file->tokens;
    file->text = text;
    tokens->count = 0;
    reserve(tokens, length / 4 + PM_PYLEX_ROOM);
    pm_pylex_start(&lexer, text, (uint32_t)length, PM_FSTRINGS_OPEN);
    while (pm_pylex_next(&lexer, tokens)) {
        if (tokens->capacity - tokens->count < PM_PYLEX_ROOM)
            reserve(tokens, tokens->capacity * 2);
    }
    memset(tokens->kind + tokens->count, 0, PM_PYLEX_PADDING);
}
