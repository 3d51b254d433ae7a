/* Declarations that the files of this room share: the names to find, functions that examine tokens,
 * the local names of a file, and its aliases. */
#ifndef PM_RESOLVE_RESOLVE_PRIVATE_H
#define PM_RESOLVE_RESOLVE_PRIVATE_H

#include "base/alloc.h"
#include "resolve/file.h"

struct pm_resolve_names {
    unsigned framework_count;
    struct pm_resolve__list {
        char *import_name, *older;
        struct pm_resolve__dotted {
            char *canonical, *alias; /* alias is NULL for the canonical name itself */
            enum pm_name_kind kind;
        } * dotted;
        size_t dotted_count, dotted_capacity;
        struct pm_resolve__link {
            char *path, *class;
            bool base; /* `class` is a base of `path`; otherwise both are the same class */
        } * links;
        size_t links_count, links_capacity;
        struct pm_resolve__stated {
            char *path;
            struct pm_resolve_fact fact;
        } * facts;
        size_t facts_count, facts_capacity;
        struct pm_resolve__move {
            char *from, *to;
        } * moves;
        size_t moves_count, moves_capacity;
        char **flat;
        size_t flat_count, flat_capacity;
    } frameworks[PM_RESOLVE_MOST_FRAMEWORKS];
};

/* Returns a word of up to eight bytes, padded with zero bytes as in "def\0\0\0\0\0", as
 * pm_resolve_words() reads it. */
static inline uint64_t pm_resolve__word(const char text[static 8])
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* Returns the next token that is not a line end within brackets. */
static inline size_t pm_resolve__next(const struct pm_resolve_file *file, size_t token)
{
    do {
        token++;
    } while (pm_resolve_kind(file, token) == PM_TOKEN_JOINED);
    return token;
}

/* Returns the token after the chain `a.b.c` that begins with the name at `token`. */
size_t pm_resolve__chain_end(const struct pm_resolve_file *file, size_t token);

/* Returns whether the word at `token` begins a compound statement, which can have another statement
 * after its colon. */
bool pm_resolve__is_compound(const struct pm_resolve_file *file, size_t token);

/* Returns whether there may be a local of a name with this hash. */
static inline bool pm_resolve__may_be_local(const struct pm_resolve_file *file, uint32_t hash)
{
    return file->slots[hash & file->slot_mask] != 0;
}

/* Returns the local of the name at `token`, and makes it if it is missing. The next call may move
 * it. */
struct pm_resolve_local *pm_resolve__local_make(struct pm_resolve_file *file, size_t token);

/* Adds a binding of the name at `token`. Returns false if the name already has this binding, or has
 * too many. */
bool pm_resolve__bind(struct pm_resolve_file *file, size_t token,
                      struct pm_resolve_binding binding);

/* Stores the dotted name of a chain that begins with a binding and continues with the names from
 * the token `from` up to `end`. Returns its offset + 1 in `texts`; 0 if the framework has only a
 * flat list. */
uint32_t pm_resolve__text(struct pm_resolve_file *file, struct pm_resolve_binding binding,
                          size_t from, size_t end);

/* Adds the aliases of the statement at `token`: chains that it assigns to names, or defaults of a
 * function's parameters. Returns the token from which to continue. */
size_t pm_resolve__take_aliases(struct pm_resolve_file *file, size_t token);

/* Binds the names of aliases. Call it when all imports are known. */
void pm_resolve__follow_aliases(struct pm_resolve_file *file);

/* Returns whether the name at `token` is bound there by a chain that leads to a framework. */
bool pm_resolve__is_alias(const struct pm_resolve_file *file, size_t token);

/* Returns the token after the block of a compound statement; the number of tokens if the text ends
 * within the statement. `header` is a token of the statement's first line, at or before the colon
 * that begins the block. */
size_t pm_resolve__block_end(const struct pm_resolve_file *file, size_t header);

/* Appends an element to a list of the file. */
#define PM_RESOLVE__PUSH(file, list, ...)                                                          \
    do {                                                                                           \
        PM_GROW((file)->list, (file)->list##_count, (file)->list##_capacity);                      \
        (file)->list[(file)->list##_count++] = __VA_ARGS__;                                        \
    } while (0)

#endif
