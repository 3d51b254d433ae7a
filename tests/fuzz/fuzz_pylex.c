/*
 * Lexes bytes with every engine, in both modes and in batches, and with the reference lexer: all
 * must give the same tokens. The first byte chooses the size of the batches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "reference.h"

struct arrays {
    struct pm_tokens tokens;
    uint32_t *start, *end;
    uint8_t *kind;
};

static void make(struct arrays *arrays, size_t capacity)
{
    arrays->start = malloc(capacity * sizeof *arrays->start);
    arrays->end = malloc(capacity * sizeof *arrays->end);
    arrays->kind = malloc(capacity);
    if (!arrays->start || !arrays->end || !arrays->kind)
        abort();
    arrays->tokens = (struct pm_tokens){
        .start = arrays->start, .end = arrays->end, .kind = arrays->kind, .capacity = capacity};
}

static void release(struct arrays *arrays)
{
    free(arrays->start);
    free(arrays->end);
    free(arrays->kind);
}

static void wrong(const char *what, const char *engine, enum pm_fstrings fstrings, size_t token)
{
    fuzz_wrong("%s: engine %s, f-strings %s, token %zu", what, engine,
               fstrings == PM_FSTRINGS_OPEN ? "open" : "opaque", token);
}

static void compare(const unsigned char *text, uint32_t length, enum pm_fstrings fstrings,
                    enum pm_pylex_engine engine, const struct pm_tokens *wanted, size_t room)
{
    const char *const name = pm_pylex_engine_name(engine);
    struct pm_pylex lexer;
    struct arrays batch;
    make(&batch, PM_PYLEX_ROOM + room);
    struct pm_tokens *const got = &batch.tokens;
    pm_pylex_start(&lexer, text, length, fstrings);
    size_t seen = 0;
    bool more = pm_pylex_use(&lexer, engine);
    while (more) {
        got->count = 0;
        more = pm_pylex_next(&lexer, got);
        for (size_t i = 0; i < got->count; i++, seen++)
            if (seen >= wanted->count || got->start[i] != wanted->start[seen] ||
                got->end[i] != wanted->end[seen] || got->kind[i] != wanted->kind[seen])
                wrong("another token than the reference's", name, fstrings, seen);
        if (!more && seen != wanted->count)
            wrong("too few tokens", name, fstrings, seen);
    }
    release(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const uint32_t length = (uint32_t)size - 1;
    unsigned char *const text = fuzz_copy(data + 1, length, PM_PYLEX_PADDING);
    for (int fstrings = PM_FSTRINGS_OPEN; fstrings <= PM_FSTRINGS_OPAQUE; fstrings++) {
        struct arrays wanted;
        make(&wanted, length + PM_PYLEX_ROOM);
        reference_lex(text, length, (enum pm_fstrings)fstrings, &wanted.tokens);
        for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
            compare(text, length, (enum pm_fstrings)fstrings, (enum pm_pylex_engine)engine,
                    &wanted.tokens, data[0]);
        release(&wanted);
    }
    free(text);
    return 0;
}
