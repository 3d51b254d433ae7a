/*
 * One Python file: its tokens, what its imports bind, where it uses functions (the resolved rule of
 * resolve.h). Keep one a thread and use it for file after file: its lists grow and are freed by
 * pm_resolve_file_release() only.
 */
#ifndef PM_RESOLVE_FILE_H
#define PM_RESOLVE_FILE_H

#include "pylex/pylex.h"
#include "resolve/index.h"

/* What a local name may lead to: a place in a framework. */
struct pm_resolve_binding {
    uint32_t node;   /* NONE: below the framework, and not in the table */
    uint32_t symbol; /* its last part */
    uint32_t framework;
    uint32_t function; /* row + 1 of the longest part that is one, or 0 */
    uint32_t next;     /* binding + 1 of the same name, or 0 */
    uint32_t text;     /* of one that is not in the table: its dotted name, + 1 in `texts`, or 0 */
};

/* A local name that an import, or an alias of one, binds. In a file with star imports: every name
 * that is bound. */
struct pm_resolve_local {
    uint32_t start, length, hash;    /* of the name, in the text */
    uint32_t first, count;           /* binding + 1 of the last of so many, or 0 */
    uint32_t defaults, last_default; /* default + 1 of the first and the last one, or 0 */
    bool imported;                   /* by an import, of whatever */
    bool rebound;                    /* bound in another way */
};

struct pm_resolve__statement {
    uint32_t begin, end; /* tokens */
};

/* NAME = chain: one of the chains that an assignment or a parameter's default gives a name. */
struct pm_resolve__alias {
    uint32_t name, chain, end; /* tokens: of the name; the chain, up to end */
    uint32_t header; /* of a default: the token behind the function's parameters, else 0 */
    bool followed;   /* the chain is one of a framework */
};

/* What a parameter may lead to by its default, within its function. */
struct pm_resolve__default {
    uint32_t from, until; /* tokens */
    struct pm_resolve_binding binding;
    uint32_t next; /* default + 1 of the same name further down, or 0 */
};

#define PM_RESOLVE_FILE_LISTS(X)                                                                   \
    X(struct pm_resolve_binding, bindings)                                                         \
    X(struct pm_resolve_local, locals)                                                             \
    X(struct pm_resolve_binding, stars)                                                            \
    X(struct pm_resolve__statement, imports)                                                       \
    X(struct pm_resolve__alias, aliases)                                                           \
    X(struct pm_resolve__default, defaults)                                                        \
    X(struct pm_resolve_use, uses)                                                                 \
    X(struct pm_resolve_class, classes)                                                            \
    X(struct pm_resolve_unlisted, unlisted_calls)                                                  \
    X(char, texts)

/* A chain that leads to a function. */
struct pm_resolve_use {
    uint32_t token, after; /* its first token; the one behind it */
    uint32_t local;        /* + 1, or 0 where a star import or a parameter's default gave it */
    uint32_t framework, function;
    bool call;
    bool defaulted; /* by a parameter's default: a call may pass something else */
    bool applied;   /* within the brackets of a call or subscript */
};

/* A call below a framework of what is not in the table. */
struct pm_resolve_unlisted {
    uint32_t framework;
    uint32_t text; /* its dotted name, in `texts`; a very long one ends with "..." */
};

/* Of a called name: the frameworks that it resolves to, or whether it may be a method. */
struct pm_resolve_class {
    uint32_t token;
    uint32_t functions; /* a bit a framework */
    bool attribute;
};

/* Set `index` and zero the rest. */
struct pm_resolve_file {
    const struct pm_resolve_index *index;
    const unsigned char *text;
    struct pm_tokens tokens;
    uint32_t imported;                             /* a bit a framework that an import names */
    uint32_t unlisted[PM_RESOLVE_MOST_FRAMEWORKS]; /* calls below it that are not in the table: with
                                                      their names in `unlisted_calls`, but for those
                                                      of a flat list */
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_RESOLVE_FILE_LISTS(X)
#undef X
    uint32_t *slots; /* local + 1, by hash */
    size_t slot_mask;
    uint32_t flat_stars; /* a bit a framework that has a flat list only and a star import */
    uint64_t
        *starred; /* a bit a node: what is below it, a star import binds; NULL before the first */
};

/* Lexes a text of less than 4 GB, followed by PM_PYLEX_PADDING zero bytes. */
void pm_resolve_file_lex(struct pm_resolve_file *file, const unsigned char *text, size_t length);

/* Where the user stops the command, the two below end early, and what they found is of no use. */

/* Finds what imports, aliases and defaults bind to the index's frameworks: locals, bindings, stars,
 * aliases, defaults, imports, imported. */
void pm_resolve_file_imports(struct pm_resolve_file *file);

/* Finds what uses functions: uses, classes (by token), unlisted calls, and the locals' rebound.
 * Needs the imports. */
void pm_resolve_file_uses(struct pm_resolve_file *file);
void pm_resolve_file_release(struct pm_resolve_file *file);

/* Whether the token is a name, and this one. */
static inline bool pm_resolve_is_word(const struct pm_resolve_file *file, size_t token,
                                      const char *word, size_t length)
{
    return token < file->tokens.count &&
           (file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE) == PM_TOKEN_NAME &&
           file->tokens.end[token] - file->tokens.start[token] == length &&
           memcmp(file->text + file->tokens.start[token], word, length) == 0;
}
#define PM_RESOLVE_IS(file, token, word) pm_resolve_is_word(file, token, word, sizeof(word) - 1)

/* The symbol of the name at `token`, whose hash is given, or NONE. */
static inline uint32_t pm_resolve_token_symbol(const struct pm_resolve_file *file, size_t token,
                                               uint32_t hash)
{
    const uint32_t start = file->tokens.start[token];
    return pm_resolve_symbol(file->index, file->text + start, file->tokens.end[token] - start,
                             hash);
}

/* The kind of a token, inside an f-string or not; behind the last one: a line end. */
static inline uint8_t pm_resolve_kind(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count ? file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE
                                      : PM_TOKEN_NEWLINE;
}

static inline bool pm_resolve_is_inside(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count && file->tokens.kind[token] & PM_TOKEN_INSIDE;
}

/* The hash of the name at `token`. */
uint32_t pm_resolve_token_hash(const struct pm_resolve_file *file, size_t token);

/* The local of the name at `token`, or NULL. Needs the imports. */
struct pm_resolve_local *pm_resolve_local_find(const struct pm_resolve_file *file, size_t token);

/* Where a chain leads that begins with a binding and goes on with the names between the tokens
 * `from` and `end`. */
struct pm_resolve_reached {
    struct pm_resolve_binding binding; /* of the whole chain */
    bool whole;                        /* its function is all of it */
};
struct pm_resolve_reached pm_resolve_follow(const struct pm_resolve_file *file,
                                            struct pm_resolve_binding binding, size_t from,
                                            size_t end);

/* Iterates over what the star imports of the file bind the name at a token to. The cursor begins
 * as zeroes; false means that there is no further one. */
struct pm_resolve_star {
    uint32_t node;
    unsigned framework; /* the next with a flat list only */
    bool begun;
};
bool pm_resolve_starred(const struct pm_resolve_file *file, size_t token,
                        struct pm_resolve_star *at, struct pm_resolve_binding *out);

/* The column of a line's first token, as Python counts it: a tab goes on to a multiple of 8. */
size_t pm_resolve_column(const struct pm_resolve_file *file, size_t token);

#endif
