/*
 * Lexes Python files and prints the tokens or names that pylex finds.
 *
 *     pylex_dump open|opaque FILE
 *     pylex_dump names open|opaque
 *
 * The first prints all tokens, as in tests/pylex/cases. The second reads names of files from
 * standard input, one on each line. For each file it prints the number of names, then each name on
 * a line, except conversions in f-strings (which are names for CPython from 3.12 on).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "dump.h"

static int read_padded(const char *path, struct pm_str *text, size_t *length, struct pm_error *err)
{
    static const char padding[PM_PYLEX_PADDING];
    PM_TRY(pm_file_read(path, text, err));
    *length = text->length;
    pm_str_add_bytes(text, padding, sizeof padding);
    return PM_OK;
}

static int print_tokens(const char *path, enum pm_fstrings fstrings, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT, out = PM_STR_INIT;
    size_t length;
    const int rc = read_padded(path, &text, &length, err);
    if (rc == PM_OK) {
        dump_tokens(text.data, length, fstrings, &out);
        fwrite(out.data, 1, out.length, stdout);
    }
    pm_str_release(&text);
    pm_str_release(&out);
    return rc;
}

static size_t add_names(const char *text, const struct pm_tokens *tokens, struct pm_str *out)
{
    size_t names = 0;
    for (size_t i = 0; i < tokens->count; i++)
        if ((tokens->kind[i] & ~PM_TOKEN_INSIDE) == PM_TOKEN_NAME) {
            pm_str_add_bytes(out, text + tokens->start[i], tokens->end[i] - tokens->start[i]);
            pm_str_add_char(out, '\n');
            names++;
        }
    return names;
}

/* Prints the names of a file, lexed in small batches as in a program. */
static int print_names(const char *path, enum pm_fstrings fstrings, struct pm_error *err)
{
    enum { CAPACITY = 200 };
    uint32_t start[CAPACITY], end[CAPACITY];
    uint8_t kind[CAPACITY];
    struct pm_tokens tokens = {.start = start, .end = end, .kind = kind, .capacity = CAPACITY};
    struct pm_str text = PM_STR_INIT, out = PM_STR_INIT;
    struct pm_pylex lexer;
    size_t length, names = 0;
    const int rc = read_padded(path, &text, &length, err);
    if (rc == PM_OK) {
        bool more = true;
        pm_pylex_start(&lexer, text.data, (uint32_t)length, fstrings);
        while (more) {
            tokens.count = 0;
            more = pm_pylex_next(&lexer, &tokens);
            names += add_names(text.data, &tokens, &out);
        }
        printf("%zu\n", names);
        fwrite(out.data, 1, out.length, stdout);
    }
    pm_str_release(&text);
    pm_str_release(&out);
    return rc;
}

static int print_all_names(enum pm_fstrings fstrings, struct pm_error *err)
{
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        PM_TRY(print_names(path, fstrings, err));
    }
    return PM_OK;
}

int main(int argc, char **argv)
{
    struct pm_error err;
    const bool names = argc == 3 && strcmp(argv[1], "names") == 0;
    if (argc != 3) {
        fprintf(stderr, "usage: pylex_dump open|opaque FILE, or names open|opaque < FILES\n");
        return 2;
    }
    const char *const mode = argv[names ? 2 : 1];
    const enum pm_fstrings fstrings =
        strcmp(mode, "opaque") == 0 ? PM_FSTRINGS_OPAQUE : PM_FSTRINGS_OPEN;
    const int rc = names ? print_all_names(fstrings, &err) : print_tokens(argv[2], fstrings, &err);
    if (rc)
        fprintf(stderr, "pylex_dump: %s\n", err.text);
    return rc ? 3 : 0;
}
