/* What the files of this room share: functions to look at tokens, the table of local names, and
 * where chains lead. */
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
            bool base; /* or the class itself */
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

/* Returns a word of eight bytes at most, as pm_resolve_words() has it: "def\\0\\0\\0\\0\\0". */
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

/* Returns whether a statement that begins with the word at `token` can have another one after its
 * colon. */
bool pm_resolve__is_compound(const struct pm_resolve_file *file, size_t token);

/* Returns whether there may be a local of a name with this hash. */
static inline bool pm_resolve__may_be_local(const struct pm_resolve_file *file, uint32_t hash)
{
    return file->slots[hash & file->slot_mask] != 0;
}

/* Returns the local of the name at `token`. */
struct pm_resolve_local *pm_resolve__local_make(struct pm_resolve_file *file, size_t token);

/* Adds what the name at `token` may lead to; false if that was known. */
bool pm_resolve__bind(struct pm_resolve_file *file, size_t token,
                      struct pm_resolve_binding binding);

/* Returns the place + 1 in `texts` of the dotted name of such a chain, if it is not in the table; 0
 * if the framework has only a flat list. */
uint32_t pm_resolve__text(struct pm_resolve_file *file, struct pm_resolve_binding binding,
                          size_t from, size_t end);

/* Takes what the statement at `token` may assign to a name: chains, or the defaults of a function's
 * parameters. Returns the token to continue from. */
size_t pm_resolve__take_aliases(struct pm_resolve_file *file, size_t token);

/* Binds the names of aliases, once all imports are known. */
void pm_resolve__follow_aliases(struct pm_resolve_file *file);

/* Returns whether the name at `token` is bound there by a chain that leads to a framework. */
bool pm_resolve__is_alias(const struct pm_resolve_file *file, size_t token);

/* Returns the token behind the block of a compound statement. `header` is a token of the
 * statement's first line, at or before the colon; returns the number of tokens if the text ends
 * within the statement. */
size_t pm_resolve__block_end(const struct pm_resolve_file *file, size_t header);

#define PM_RESOLVE__PUSH(file, list, ...)                                                          \
    do {                                                                                           \
        PM_GROW((file)->list, (file)->list##_count, (file)->list##_capacity);                      \
        (file)->list[(file)->list##_count++] = __VA_ARGS__;                                        \
    } while (0)

#endif
