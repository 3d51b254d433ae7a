/* One Python file: its tokens, what its imports bind, and where it uses functions (by the rule of
 * resolve.h). Each thread needs one, and uses it for file after file: its lists grow and only
 * pm_resolve_file_release() frees them. */
#ifndef PM_RESOLVE_FILE_H
#define PM_RESOLVE_FILE_H

#include "pylex/pylex.h"
#include "resolve/index.h"

/* A place in a framework that a local name may mean. */
struct pm_resolve_binding {
    uint32_t node;   /* NONE: below the framework, but not in the table */
    uint32_t symbol; /* symbol of its last part */
    uint32_t framework;
    uint32_t function; /* row + 1 of the longest part that is a function, or 0 */
    uint32_t next;     /* binding + 1 of the same name, or 0 */
    uint32_t text;     /* dotted name, + 1 in `texts`, of a place that is not in the table, or 0 */
};

/* A local name that an import, or an alias of one, binds. In a file with star imports, every name
 * that is bound has one. */
struct pm_resolve_local {
    uint32_t start, length, hash;    /* where the name is in the text */
    uint32_t first, count;           /* binding + 1 of the last of its bindings, or 0 */
    uint32_t defaults, last_default; /* default + 1 of the first and the last one, or 0 */
    bool imported;                   /* some import binds it */
    bool foreign; /* an import of another package binds it, or binds the name that it is an alias
                     for */
    bool rebound; /* something else binds it */
};

struct pm_resolve__statement {
    uint32_t begin, end; /* range of tokens */
};

/* NAME = chain: one of the chains that an assignment or a parameter's default gives to a name. */
struct pm_resolve__alias {
    uint32_t name, chain, end; /* tokens: the name; the chain from `begin` up to `end` */
    uint32_t header; /* for a default: the token after the function's parameters, else 0 */
    bool followed;   /* the chain belongs to a framework */
};

/* What a parameter may be by its default, within its function. */
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
    uint32_t token, after; /* its first token, and the token after it */
    uint32_t local;        /* local + 1, or 0 if a star import or a parameter's default gave it */
    uint32_t framework, function;
    bool call;
    bool defaulted; /* found by a parameter's default: a call may pass something else */
    bool applied;   /* within the brackets of a call or subscript */
};

/* A call of a name below a framework that is not in the table. */
struct pm_resolve_unlisted {
    uint32_t framework;
    uint32_t text; /* its dotted name, in `texts`; a very long one ends with "..." */
};

/* A called name: the frameworks that it belongs to, or whether it may be a method. */
struct pm_resolve_class {
    uint32_t token;
    uint32_t functions; /* one bit per framework */
    bool attribute;
};

/* The caller sets `index` and zeroes the rest. */
struct pm_resolve_file {
    const struct pm_resolve_index *index;
    const unsigned char *text;
    struct pm_tokens tokens;
    uint32_t imported;                             /* one bit per framework that an import names */
    uint32_t parts;                                /* the same, for a package that is part of the
                                                    * framework (`keras`) */
    uint32_t unlisted[PM_RESOLVE_MOST_FRAMEWORKS]; /* calls of names below it that are not in the
                                                    * table; `unlisted_calls` has their names,
                                                    * except those of a flat list */
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_RESOLVE_FILE_LISTS(X)
#undef X
    uint32_t *slots; /* local + 1, by hash */
    size_t slot_mask;
    uint32_t flat_stars; /* one bit per framework that has only a flat list, and a star import */
    uint64_t *starred; /* one bit per node: a star import binds the names below it; NULL before the
                          first star import */
};

/* Lexes a text of less than 4 GB, followed by PM_PYLEX_PADDING zero bytes. */
void pm_resolve_file_lex(struct pm_resolve_file *file, const unsigned char *text, size_t length);

/* If the user stops the command, the two functions below end early, and what they found cannot be
 * used. */

/* Finds what imports, aliases and defaults bind to the index's frameworks: locals, bindings, stars,
 * aliases, defaults, imports, imported. */
void pm_resolve_file_imports(struct pm_resolve_file *file);

/* Finds what uses functions: uses, classes (by token), unlisted calls, and the locals' rebound.
 * Needs the imports. */
void pm_resolve_file_uses(struct pm_resolve_file *file);
void pm_resolve_file_release(struct pm_resolve_file *file);

/* Returns whether the token is a name, and this one. */
static inline bool pm_resolve_is_word(const struct pm_resolve_file *file, size_t token,
                                      const char *word, size_t length)
{
    return token < file->tokens.count &&
           (file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE) == PM_TOKEN_NAME &&
           file->tokens.end[token] - file->tokens.start[token] == length &&
           memcmp(file->text + file->tokens.start[token], word, length) == 0;
}
#define PM_RESOLVE_IS(file, token, word) pm_resolve_is_word(file, token, word, sizeof(word) - 1)

/* Returns the symbol of the name at `token`, whose hash is given, or NONE. */
static inline uint32_t pm_resolve_token_symbol(const struct pm_resolve_file *file, size_t token,
                                               uint32_t hash)
{
    const uint32_t start = file->tokens.start[token];
    return pm_resolve_symbol(file->index, file->text + start, file->tokens.end[token] - start,
                             hash);
}

/* Returns the kind of a token, inside an f-string or not; behind the last one: a line end. */
static inline uint8_t pm_resolve_kind(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count ? file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE
                                      : PM_TOKEN_NEWLINE;
}

static inline bool pm_resolve_is_inside(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count && file->tokens.kind[token] & PM_TOKEN_INSIDE;
}

/* Returns the hash of the name at `token`. */
uint32_t pm_resolve_token_hash(const struct pm_resolve_file *file, size_t token);

/* Returns the local of the name at `token`, or NULL. Needs the imports. */
struct pm_resolve_local *pm_resolve_local_find(const struct pm_resolve_file *file, size_t token);

/* The place where a chain leads that begins with a binding and continues with the names between the
 * tokens `from` and `end`. */
struct pm_resolve_reached {
    struct pm_resolve_binding binding; /* symbol of the whole chain */
    bool whole;                        /* the function's name is the whole chain */
};
struct pm_resolve_reached pm_resolve_follow(const struct pm_resolve_file *file,
                                            struct pm_resolve_binding binding, size_t from,
                                            size_t end);

/* Iterates over what the star imports of the file bind the name at a token to. The cursor begins
 * as zeroes; false means that there is no further one. */
struct pm_resolve_star {
    uint32_t node;
    unsigned framework; /* the next framework with only a flat list */
    bool begun;
};
bool pm_resolve_starred(const struct pm_resolve_file *file, size_t token,
                        struct pm_resolve_star *at, struct pm_resolve_binding *out);

/* Returns the column of a line's first token, as Python counts it: a tab goes on to a multiple of
 * 8. */
size_t pm_resolve_column(const struct pm_resolve_file *file, size_t token);

#endif
