/*
 * Measures how fast pylex lexes: reads the files named on standard input, one per line, and lexes
 * all of them ROUNDS times with each engine that this processor supports, with f-strings opened.
 *
 *     find . -name '*.py' | lex_speed ROUNDS
 *
 * Writes one line per round and engine: the engine, gigabytes per second of the thread's CPU time,
 * and the numbers of bytes, tokens and names.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "pylex/pylex.h"

#define CAPACITY 2048

struct text {
    size_t start, length;
};

struct corpus {
    struct pm_str bytes;
    struct text *texts;
    size_t count, capacity, total;
};

struct sums {
    uint64_t tokens, names;
};

static int read_corpus(struct corpus *corpus, struct pm_error *err)
{
    static const char padding[PM_PYLEX_PADDING];
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        PM_GROW(corpus->texts, corpus->count, corpus->capacity);
        struct text *const text = &corpus->texts[corpus->count++];
        text->start = corpus->bytes.length;
        PM_TRY(pm_file_read(path, &corpus->bytes, err));
        text->length = corpus->bytes.length - text->start;
        corpus->total += text->length;
        pm_str_add_bytes(&corpus->bytes, padding, sizeof padding);
    }
    return PM_OK;
}

/* Counts at most UINT8_MAX tokens in one byte, so that the compiler can count 16 tokens at once. */
static uint64_t count_names(const struct pm_tokens *tokens)
{
    uint64_t names = 0;
    for (size_t i = 0; i < tokens->count; i += UINT8_MAX) {
        const size_t rest = tokens->count - i, some = rest < UINT8_MAX ? rest : UINT8_MAX;
        uint8_t found = 0;
        for (size_t j = i; j < i + some; j++)
            found += (tokens->kind[j] & ~PM_TOKEN_INSIDE) == PM_TOKEN_NAME;
        names += found;
    }
    return names;
}

static void lex_text(const struct corpus *corpus, const struct text *text,
                     enum pm_pylex_engine engine, struct sums *sums)
{
    uint32_t start[CAPACITY], end[CAPACITY];
    uint8_t kind[CAPACITY];
    struct pm_tokens tokens = {.start = start, .end = end, .kind = kind, .capacity = CAPACITY};
    struct pm_pylex lexer;
    pm_pylex_start(&lexer, corpus->bytes.data + text->start, (uint32_t)text->length,
                   PM_FSTRINGS_OPEN);
    (void)pm_pylex_use(&lexer, engine);
    bool more;
    do {
        tokens.count = 0;
        more = pm_pylex_next(&lexer, &tokens);
        sums->tokens += tokens.count;
        sums->names += count_names(&tokens);
    } while (more);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool has_engine(enum pm_pylex_engine engine)
{
    static const char nothing[PM_PYLEX_PADDING];
    struct pm_pylex lexer;
    pm_pylex_start(&lexer, nothing, 0, PM_FSTRINGS_OPEN);
    return pm_pylex_use(&lexer, engine);
}

static void measure(const struct corpus *corpus, enum pm_pylex_engine engine)
{
    struct sums sums = {0};
    const double begin = seconds();
    for (size_t i = 0; i < corpus->count; i++)
        lex_text(corpus, &corpus->texts[i], engine, &sums);
    const double took = seconds() - begin;
    printf("%s %.4f %zu %" PRIu64 " %" PRIu64 "\n", pm_pylex_engine_name(engine),
           1e-9 * (double)corpus->total / took, corpus->total, sums.tokens, sums.names);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {.bytes = PM_STR_INIT};
    struct pm_error err;
    long long rounds;
    if (argc != 2 || !pm_parse_int(argv[1], &rounds)) {
        fprintf(stderr, "usage: lex_speed ROUNDS < names\n");
        return 2;
    }
    const int rc = read_corpus(&corpus, &err);
    if (rc)
        fprintf(stderr, "lex_speed: %s\n", err.text);
    for (long long round = 0; !rc && round < rounds; round++)
        for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
            if (has_engine((enum pm_pylex_engine)engine))
                measure(&corpus, (enum pm_pylex_engine)engine);
    pm_str_release(&corpus.bytes);
    free(corpus.texts);
    return rc ? 3 : 0;
}
