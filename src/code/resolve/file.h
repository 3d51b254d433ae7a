/* One Python file: its tokens, the names that its imports bind, and its uses of functions, by the
 * rule of resolve.h. Each thread needs a struct pm_resolve_file, and reuses it for each file: its
 * lists grow, and only pm_resolve_file_release() frees them. */
#ifndef PM_RESOLVE_FILE_H
#define PM_RESOLVE_FILE_H

#include "pylex/pylex.h"
#include "resolve/index.h"

/* A place in a framework to which a local name may lead. */
struct pm_resolve_binding {
    uint32_t node;   /* NONE: below the framework, but not in the table */
    uint32_t symbol; /* symbol of its last part */
    uint32_t framework;
    uint32_t function; /* row + 1 of the longest part that is a function, or 0 */
    uint32_t next;     /* next binding + 1 of the same name, or 0 */
    uint32_t text;     /* of a place that is not in the table: offset + 1 of its dotted name in
                        * `texts`; otherwise 0 */
};

/* A local name that an import or an alias of an import binds. In a file with star imports, every
 * bound name has a local. */
struct pm_resolve_local {
    uint32_t start, length, hash;    /* place and length of the name in the text */
    uint32_t first, count;           /* newest binding + 1, or 0; number of bindings */
    uint32_t defaults, last_default; /* first and last default + 1, or 0 */
    bool imported;                   /* an import binds it */
    bool foreign; /* an import of another package binds it, or binds the name for which it is an
                     alias */
    bool rebound; /* something other than an import or an alias also binds it */
};

struct pm_resolve__statement {
    uint32_t begin, end; /* range of tokens */
};

/* NAME = chain: one of the chains that an assignment or a parameter's default gives to a name. */
struct pm_resolve__alias {
    uint32_t name, chain, end; /* tokens: the name; the chain from `chain` up to `end` */
    uint32_t header; /* for a default: the token after the function's parameters; otherwise 0 */
    bool followed;   /* the chain leads to a framework */
};

/* A binding of a parameter by its default, which applies within the function. */
struct pm_resolve__default {
    uint32_t from, until; /* tokens of the function */
    struct pm_resolve_binding binding;
    uint32_t next; /* next default + 1 of the same name, or 0 */
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
    uint32_t token, after; /* first token of the chain, and the token after it */
    uint32_t local;        /* local + 1; 0 if a star import or a parameter's default binds it */
    uint32_t framework, function;
    bool call;
    bool defaulted; /* follows from a parameter's default: a call may pass something else */
    bool applied;   /* within the brackets of a call or subscript */
};

/* A call of a name that belongs to a framework but is not in its table of functions. */
struct pm_resolve_unlisted {
    uint32_t framework;
    uint32_t text; /* offset of its dotted name in `texts`; a very long name ends with "..." */
};

/* A called name, for the classes of the paper's rule. */
struct pm_resolve_class {
    uint32_t token;
    uint32_t functions; /* one bit per framework: the name is a function of it */
    bool attribute;     /* an attribute of something that no import binds */
};

/* The caller sets `index` and zeroes the rest. */
struct pm_resolve_file {
    const struct pm_resolve_index *index;
    const unsigned char *text;
    struct pm_tokens tokens;
    uint32_t imported;                             /* one bit per framework that an import names */
    uint32_t parts;                                /* the same, for a package that is part of the
                                                    * framework (`keras`) */
    uint32_t unlisted[PM_RESOLVE_MOST_FRAMEWORKS]; /* by framework: calls of names below it
                                                    * that are not in the table; `unlisted_calls`
                                                    * has the names, except for a framework with
                                                    * only a flat list */
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_RESOLVE_FILE_LISTS(X)
#undef X
    uint32_t *slots; /* local + 1, by hash */
    size_t slot_mask;
    uint32_t flat_stars; /* one bit per framework with only a flat list: it has a star import */
    uint64_t *starred; /* one bit per node: a star import binds the names below it; NULL before the
                          first star import */
};

/* Lexes a text of less than 4 GiB, which PM_PYLEX_PADDING zero bytes must follow. The text is
 * borrowed until the next text is lexed. */
void pm_resolve_file_lex(struct pm_resolve_file *file, const unsigned char *text, size_t length);

/* Finds the names that imports, aliases and defaults bind to the index's frameworks. Sets locals,
 * bindings, stars, aliases, defaults, imports, imported and parts. Ends early if the user stops the
 * command; the results cannot be used then. */
void pm_resolve_file_imports(struct pm_resolve_file *file);

/* Finds the uses of functions. Sets uses, classes (sorted by token), unlisted calls, and `rebound`
 * of the locals. Call it after pm_resolve_file_imports(). */
void pm_resolve_file_uses(struct pm_resolve_file *file);
void pm_resolve_file_release(struct pm_resolve_file *file);

/* Returns whether the token is the name `word`, which has `length` bytes. */
static inline bool pm_resolve_is_word(const struct pm_resolve_file *file, size_t token,
                                      const char *word, size_t length)
{
    return token < file->tokens.count &&
           (file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE) == PM_TOKEN_NAME &&
           file->tokens.end[token] - file->tokens.start[token] == length &&
           memcmp(file->text + file->tokens.start[token], word, length) == 0;
}
#define PM_RESOLVE_IS(file, token, word) pm_resolve_is_word(file, token, word, sizeof(word) - 1)

/* Returns the symbol of the name at `token`, or NONE. `hash` is the hash of the name. */
static inline uint32_t pm_resolve_token_symbol(const struct pm_resolve_file *file, size_t token,
                                               uint32_t hash)
{
    const uint32_t start = file->tokens.start[token];
    return pm_resolve_symbol(file->index, file->text + start, file->tokens.end[token] - start,
                             hash);
}

/* Returns the kind of a token without PM_TOKEN_INSIDE; PM_TOKEN_NEWLINE after the last token. */
static inline uint8_t pm_resolve_kind(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count ? file->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE
                                      : PM_TOKEN_NEWLINE;
}

/* Returns whether the token is inside an f-string or backticks. */
static inline bool pm_resolve_is_inside(const struct pm_resolve_file *file, size_t token)
{
    return token < file->tokens.count && file->tokens.kind[token] & PM_TOKEN_INSIDE;
}

/* Returns the hash of the name at `token`. */
uint32_t pm_resolve_token_hash(const struct pm_resolve_file *file, size_t token);

/* Returns the local of the name at `token`, or NULL. Call it after pm_resolve_file_imports(). */
struct pm_resolve_local *pm_resolve_local_find(const struct pm_resolve_file *file, size_t token);

/* Returns the place to which a chain leads. The chain begins with a binding and continues with the
 * names from the token `from` up to `end`. */
struct pm_resolve_reached {
    struct pm_resolve_binding binding; /* its symbol is that of the chain's last name */
    bool whole;                        /* the whole chain is the function's name */
};
struct pm_resolve_reached pm_resolve_follow(const struct pm_resolve_file *file,
                                            struct pm_resolve_binding binding, size_t from,
                                            size_t end);

/* Iterates over the bindings of the name at `token` by the file's star imports. Zero the cursor
 * before the first call. Returns false if there are no more bindings. */
struct pm_resolve_star {
    uint32_t node;
    unsigned framework; /* the next framework with only a flat list */
    bool begun;
};
bool pm_resolve_starred(const struct pm_resolve_file *file, size_t token,
                        struct pm_resolve_star *at, struct pm_resolve_binding *out);

/* Returns the column, from 0, of a line's first token as Python counts it: a tab advances to the
 * next multiple of 8. */
size_t pm_resolve_column(const struct pm_resolve_file *file, size_t token);

#endif
