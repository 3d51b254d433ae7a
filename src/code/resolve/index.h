/*
 * The names to find, prepared for lookups. A symbol is an identifier that is a part of any name; a
 * node is a place in the tree of dotted names, with `torch` as one of its roots.
 *
 * Built once from pm_resolve_names, then read by any number of threads. The look-ups are inline:
 * they run for every name of a corpus.
 */
#ifndef PM_RESOLVE_INDEX_H
#define PM_RESOLVE_INDEX_H

#include <string.h>

#include "base/str.h"
#include "resolve/names.h"

#define PM_RESOLVE_NONE       0u /* no symbol, no node */
#define PM_RESOLVE_MAYBE_BITS 16
#define PM_RESOLVE_FEW                                                                             \
    4u /* the most classes with a method by whose name an unknown object is identified */

/* The flat names of a framework, or its functions: callers count by row. */
struct pm_resolve_rows {
    char **names; /* sorted */
    enum pm_name_kind *kinds;
    size_t count;
};

struct pm_resolve_symbol {
    char *text;
    uint64_t words[2]; /* its first 16 bytes */
    uint32_t length;
    uint32_t flat[PM_RESOLVE_MOST_FRAMEWORKS]; /* row + 1 among the flat names, or 0 */
    uint32_t methods;                          /* one bit per framework that has a method of the
                                                * name */
    uint32_t only; /* node of the method, if only arrays or only modules of one framework have it */
    uint32_t arrays, modules; /* both nodes, if only arrays and modules of one framework have a
                                 method of the name; else NONE */
    uint32_t also; /* node of the method of a class that acts as an array, which may be meant too;
                    * or NONE */
    uint32_t few[PM_RESOLVE_FEW]; /* nodes of the methods of the name, if they belong to one
                                     framework and to at most this many classes; else NONE */
    uint32_t nodes;               /* the newest node with this last part, or NONE */
    bool shared;  /* arrays of other libraries also have a method of the name of `only` */
    bool several; /* other classes have a method of the name too */
    bool mixed;   /* classes other than arrays and modules of one framework have one */
    bool many;    /* too many classes have one, or classes of several frameworks, or a class has a
                   * property of the name */
};

struct pm_resolve_node {
    uint32_t parent, symbol;
    uint32_t function; /* row + 1 among the framework's functions, or 0 */
    uint32_t framework;
    uint32_t known;                  /* fact + 1, or 0 */
    uint32_t same;                   /* the node before with the same symbol, or NONE */
    uint32_t class;                  /* for another path of a class: the class's own node, or
                                      * NONE */
    uint32_t first_base, base_count; /* for a class: range in the list of bases, the nearest
                                      * first */
};

/* What is known of a node: the facts of the names, with classes as nodes. */
struct pm_resolve_known {
    enum pm_value gives, calls, items;
    uint32_t class; /* or NONE */
    bool same;      /* the class of the instance that it is looked up on */
};

struct pm_resolve_index {
    unsigned framework_count;
    struct pm_resolve_framework {
        const char *import_name; /* the text of `symbol` */
        uint32_t root, symbol;
        struct pm_resolve_rows flat, functions;
        bool flat_only, has_methods;
        uint32_t array;             /* the class of the arrays that functions give, or NONE */
        uint32_t part, part_symbol; /* the place and name of another package that is part of the
                                     * framework (`keras`), or NONE */
    } frameworks[PM_RESOLVE_MOST_FRAMEWORKS];
    struct pm_resolve_symbol *symbols; /* 1 to symbol_count */
    size_t symbol_count, symbol_capacity;
    struct pm_resolve_node *nodes; /* 1 to node_count */
    size_t node_count, node_capacity;
    uint32_t *bases; /* nodes */
    size_t base_count, base_capacity;
    struct pm_resolve_known *facts;
    size_t fact_count, fact_capacity;
    /* Hash tables of powers of two, at most half full. */
    struct pm_resolve_slot {
        uint32_t hash, symbol;
    } * slots;
    size_t slot_mask;
    uint64_t *maybe; /* one bit per hash, PM_RESOLVE_MAYBE_BITS of it: most identifiers end here */
    struct pm_resolve_edge {
        uint64_t key; /* node and symbol */
        uint32_t child;
    } * edges;
    size_t edge_mask, edge_count;
    void *image; /* for a loaded index: the memory that contains all of the above; else NULL */
};

void pm_resolve_index_init(struct pm_resolve_index *index, const struct pm_resolve_names *names);
void pm_resolve_index_release(struct pm_resolve_index *index);

/* Appends an index as bytes. Only the same build of the program can load them. */
void pm_resolve_index_save(const struct pm_resolve_index *index, struct pm_str *out);
/* Makes an index of such bytes, which come from pm_alloc() and become its own. False if they are
 * damaged or of another form: then they are the caller's. */
bool pm_resolve_index_load(struct pm_resolve_index *index, void *bytes, size_t length);

/* Reads the first 16 bytes of an identifier, followed by zeroes if it is shorter. The 15 bytes
 * after it must be readable. Branch-free on purpose: lengths cannot be predicted. */
static inline void pm_resolve_words(const unsigned char *at, size_t length, uint64_t words[2])
{
    static const uint64_t masks[4] = {~(uint64_t)0, ~(uint64_t)0, 0, 0};
    uint64_t mask[2];
    memcpy(mask, (const unsigned char *)masks + 16 - (length < 16 ? length : 16), 16);
    memcpy(words, at, 16);
    words[0] &= mask[0];
    words[1] &= mask[1];
}

/* Returns the hash of an identifier of at least one byte; `words` are its first 16 bytes. */
static inline uint32_t pm_resolve_hash(const unsigned char *at, size_t length,
                                       const uint64_t words[2])
{
    uint64_t hash = (length ^ words[0]) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 32 ^ words[1]) * 0xc4ceb9fe1a85ec53u;
    for (size_t i = 16; i < length; i++)
        hash = (hash ^ at[i]) * 0xff51afd7ed558ccdu;
    return (uint32_t)(hash >> 32);
}

/* Returns false if no symbol has the hash. */
static inline bool pm_resolve_maybe(const struct pm_resolve_index *index, uint32_t hash)
{
    const uint32_t bit = hash >> (32 - PM_RESOLVE_MAYBE_BITS);
    return index->maybe[bit / 64] >> bit % 64 & 1;
}

/* Returns the symbol of an identifier, or NONE. */
static inline uint32_t pm_resolve_symbol(const struct pm_resolve_index *index,
                                         const unsigned char *at, size_t length, uint32_t hash)
{
    uint64_t words[2];
    if (!pm_resolve_maybe(index, hash))
        return PM_RESOLVE_NONE;
    pm_resolve_words(at, length, words);
    for (size_t i = hash & index->slot_mask; index->slots[i].symbol;
         i = (i + 1) & index->slot_mask) {
        if (index->slots[i].hash != hash)
            continue;
        const struct pm_resolve_symbol *symbol = &index->symbols[index->slots[i].symbol];
        if (symbol->length == length && symbol->words[0] == words[0] &&
            symbol->words[1] == words[1] &&
            (length <= 16 || memcmp(symbol->text + 16, at + 16, length - 16) == 0))
            return index->slots[i].symbol;
    }
    return PM_RESOLVE_NONE;
}

static inline size_t pm_resolve_edge_hash(uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 24);
}

/* Returns the node of `symbol` right below `node`, or NONE. */
static inline uint32_t pm_resolve_own_child(const struct pm_resolve_index *index, uint32_t node,
                                            uint32_t symbol)
{
    const uint64_t key = (uint64_t)node << 32 | symbol;
    size_t i = pm_resolve_edge_hash(key) & index->edge_mask;
    for (; index->edges[i].child; i = (i + 1) & index->edge_mask) {
        if (index->edges[i].key == key)
            return index->edges[i].child;
    }
    return PM_RESOLVE_NONE;
}

/* Returns the node of `symbol` below `node`, or below a class that this is or inherits from; or
 * NONE. */
static inline uint32_t pm_resolve_child(const struct pm_resolve_index *index, uint32_t node,
                                        uint32_t symbol)
{
    uint32_t child = pm_resolve_own_child(index, node, symbol);
    if (!child && index->nodes[node].class) {
        node = index->nodes[node].class;
        child = pm_resolve_own_child(index, node, symbol);
    }
    const struct pm_resolve_node *of = &index->nodes[node];
    for (uint32_t i = 0; i < of->base_count && !child; i++)
        child = pm_resolve_own_child(index, index->bases[of->first_base + i], symbol);
    return child;
}

#endif
