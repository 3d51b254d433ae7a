/* Writes tokens as text, one on each line. */
#include <stdlib.h>

#include "base/alloc.h"
#include "dump.h"

static const char *kind_name(uint8_t kind)
{
    switch (kind & ~PM_TOKEN_INSIDE) {
    case PM_TOKEN_NAME:
        return "name";
    case PM_TOKEN_NUMBER:
        return "number";
    case PM_TOKEN_STRING:
        return "string";
    case PM_TOKEN_NEWLINE:
        return "newline";
    case PM_TOKEN_JOINED:
        return "joined";
    default:
        return "op";
    }
}

static void add_escaped(struct pm_str *out, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < 0x20 || bytes[i] > 0x7e || bytes[i] == '\\')
            pm_str_addf(out, "\\x%02x", bytes[i]);
        else
            pm_str_add_char(out, (char)bytes[i]);
}

void dump_tokens(const char *text, size_t length, enum pm_fstrings fstrings, struct pm_str *out)
{
    struct pm_pylex lexer;
    struct pm_tokens tokens = {.capacity = length + PM_PYLEX_ROOM};
    tokens.start = pm_realloc_array(NULL, tokens.capacity, sizeof *tokens.start);
    tokens.end = pm_realloc_array(NULL, tokens.capacity, sizeof *tokens.end);
    tokens.kind = pm_alloc(tokens.capacity);
    pm_pylex_start(&lexer, text, (uint32_t)length, fstrings);
    (void)pm_pylex_next(&lexer, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        const bool inside = tokens.kind[i] & PM_TOKEN_INSIDE;
        pm_str_addf(out, "%u\t%u\t%s%s\t", tokens.start[i], tokens.end[i], inside ? "+" : "",
                    kind_name(tokens.kind[i]));
        add_escaped(out, (const unsigned char *)text + tokens.start[i],
                    tokens.end[i] - tokens.start[i]);
        pm_str_add_char(out, '\n');
    }
    free(tokens.start);
    free(tokens.end);
    free(tokens.kind);
}
