/*
 * One Python file being counted: its tokens, and what its imports bind. One of these a thread, used
 * for file after file; nothing is freed in between.
 */
#ifndef PM_CORPUS_FILE_H
#define PM_CORPUS_FILE_H

#include "corpus/index.h"
#include "corpus/kernels.h"
#include "pylex/pylex.h"

/* What a local name may stand for: a place in a framework. */
struct pm_corpus__binding {
    uint32_t node;   /* NONE: below the framework, and not in the table */
    uint32_t symbol; /* its last part */
    uint32_t framework;
    uint32_t function; /* row + 1 of the longest part that is one, or 0 */
    uint32_t next;     /* binding + 1 of the same name, or 0 */
};

/* A local name that an import, or an alias of one, binds; with star imports, every name bound. */
struct pm_corpus__local {
    uint32_t start, length, hash; /* of the name, in the text */
    uint32_t first, count;        /* binding + 1 of the last of so many, or 0 */
    bool imported;                /* by an import, of whatever */
    bool rebound;                 /* bound in another way */
};

struct pm_corpus__statement {
    uint32_t begin, end; /* tokens */
};

struct pm_corpus__alias {
    uint32_t name, chain, end; /* tokens: NAME = chain, up to end */
    bool followed;             /* the chain is one of a framework */
};

#define PM_CORPUS__FILE_LISTS(X)                                                                   \
    X(struct pm_corpus__binding, bindings)                                                         \
    X(struct pm_corpus__local, locals)                                                             \
    X(struct pm_corpus__binding, stars)                                                            \
    X(struct pm_corpus__statement, imports)                                                        \
    X(struct pm_corpus__alias, aliases)                                                            \
    X(struct pm_corpus__use, uses)                                                                 \
    X(struct pm_corpus__class, classes)

/* A chain that stands for a function. */
struct pm_corpus__use {
    uint32_t token, after; /* its first token; the one behind it */
    uint32_t local;        /* + 1, or 0 where a star import gave it */
    uint32_t framework, function;
    bool call;
    bool applied; /* within the brackets of a call or subscript */
};

/* Of a called name: the frameworks that it resolves to, or whether it may be a method. */
struct pm_corpus__class {
    uint32_t token;
    uint32_t functions; /* a bit a framework */
    bool attribute;
};

struct pm_corpus__file {
    const struct pm_corpus__index *index;
    const struct pm_corpus__kernels *kernels;
    const unsigned char *text;
    struct pm_tokens tokens;
    uint32_t imported;                            /* a bit a framework that an import names */
    uint32_t unlisted[PM_CORPUS_MOST_FRAMEWORKS]; /* calls below it that are not in the table */
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_CORPUS__FILE_LISTS(X)
#undef X
    uint32_t *slots; /* local + 1, by hash */
    size_t slot_mask;
};

/* Lexes a text of less than 4 GB, followed by PM_PYLEX_PADDING zero bytes. */
void pm_corpus__file_lex(struct pm_corpus__file *file, const unsigned char *text, size_t length);

/* Finds what imports and aliases bind to the index's frameworks: locals, bindings, stars, aliases,
 * imports, imported. */
void pm_corpus__file_imports(struct pm_corpus__file *file);

/* Finds what uses functions: uses, classes (by token), unlisted, and the locals' rebound. Wants the
 * imports. */
void pm_corpus__file_uses(struct pm_corpus__file *file);
void pm_corpus__file_release(struct pm_corpus__file *file);

/* The kind of a token wherever it stands. */
static inline uint8_t pm_corpus__kind(const struct pm_corpus__file *file, size_t token)
{
    return token < file->tokens.count ? file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE
                                      : PM_TOKEN_NEWLINE;
}

static inline bool pm_corpus__is_inside(const struct pm_corpus__file *file, size_t token)
{
    return token < file->tokens.count && file->tokens.kind[token] & PM_TOKEN_INSIDE;
}

static inline bool pm_corpus__is_word(const struct pm_corpus__file *file, size_t token,
                                      const char *word, size_t length)
{
    return token < file->tokens.count && pm_corpus__kind(file, token) == PM_TOKEN_NAME &&
           file->tokens.end[token] - file->tokens.start[token] == length &&
           memcmp(file->text + file->tokens.start[token], word, length) == 0;
}
#define PM_CORPUS__IS(file, token, word) pm_corpus__is_word(file, token, word, sizeof(word) - 1)

/* The token behind, line ends within brackets left out. */
static inline size_t pm_corpus__next(const struct pm_corpus__file *file, size_t token)
{
    do {
        token++;
    } while (pm_corpus__kind(file, token) == PM_TOKEN_JOINED);
    return token;
}

uint32_t pm_corpus__token_hash(const struct pm_corpus__file *file, size_t token);

static inline uint32_t pm_corpus__token_symbol(const struct pm_corpus__file *file, size_t token,
                                               uint32_t hash)
{
    const uint32_t start = file->tokens.start[token];
    return pm_corpus__symbol(file->index, file->text + start, file->tokens.end[token] - start,
                             hash);
}

/* Where `a.b.c` ends that begins with the name at `token`: the token behind. */
size_t pm_corpus__chain_end(const struct pm_corpus__file *file, size_t token);

/* Whether a statement that begins with the word at `token` can have another one behind its colon.
 */
bool pm_corpus__is_compound(const struct pm_corpus__file *file, size_t token);

/* Whether there may be a local of a name with this hash. */
static inline bool pm_corpus__may_be_local(const struct pm_corpus__file *file, uint32_t hash)
{
    return file->slots[hash & file->slot_mask] != 0;
}

/* The local of the name at `token`, or NULL. */
struct pm_corpus__local *pm_corpus__local_find(const struct pm_corpus__file *file, size_t token);
struct pm_corpus__local *pm_corpus__local_make(struct pm_corpus__file *file, size_t token);

/* What one binding and the rest of a chain, names between the tokens `from` and `end`, come to. */
struct pm_corpus__place {
    struct pm_corpus__binding binding; /* of the whole chain */
    bool whole;                        /* its function is all of it */
};
struct pm_corpus__place pm_corpus__follow(const struct pm_corpus__file *file,
                                          struct pm_corpus__binding binding, size_t from,
                                          size_t end);

#endif
