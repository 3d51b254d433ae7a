/*
 * The names to find, prepared for look-ups. A symbol is an identifier that is a part of a name. A
 * node is a place in the tree of dotted names, whose roots are the frameworks, such as `torch`.
 *
 * An index is built once from the names. Any number of threads may then read it. The look-ups are
 * inline because they run for every name of a corpus.
 */
#ifndef PM_RESOLVE_INDEX_H
#define PM_RESOLVE_INDEX_H

#include <string.h>

#include "base/str.h"
#include "resolve/names.h"

#define PM_RESOLVE_NONE       0u /* no symbol, no node */
#define PM_RESOLVE_MAYBE_BITS 16
/* A method's name alone can identify the class of an object only if at most this many classes have
 * it. */
#define PM_RESOLVE_FEW 4u

/* The flat names of a framework, or its functions. Callers count uses by row. */
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
    uint32_t methods;                          /* one bit per framework that has a method with this
                                                * name */
    uint32_t only; /* node of the method with this name, if only arrays or only modules of one
                    * framework have it; otherwise NONE */
    uint32_t arrays, modules; /* nodes of the methods with this name, if both arrays and modules of
                               * one framework have such a method, and no other class does;
                               * otherwise NONE */
    uint32_t also; /* node of another possible method, of a class that acts as an array; or NONE */
    uint32_t few[PM_RESOLVE_FEW]; /* nodes of the methods with this name, if only a few classes of
                                   * one framework have such a method; otherwise NONE */
    uint32_t nodes;               /* the newest node with this last part, or NONE */
    bool shared;                  /* arrays of other libraries also have a method with this name */
    bool several; /* other classes also have a method with this name, so `only` becomes NONE */
    bool mixed;   /* optimizers also have a method with this name, or arrays or modules have two of
                   * them: `arrays` and `modules` become NONE */
    bool many; /* too many classes, or classes of several frameworks, have a method with this name;
                * or a class has a property with this name */
};

struct pm_resolve_node {
    uint32_t parent, symbol;
    uint32_t function; /* row + 1 among the framework's functions, or 0 */
    uint32_t framework;
    uint32_t known;                  /* fact + 1, or 0 */
    uint32_t same;                   /* the previous node with the same symbol, or NONE */
    uint32_t class;                  /* for another path of a class: the class's own node, or
                                      * NONE */
    uint32_t first_base, base_count; /* for a class: range in the list of bases, the nearest
                                      * first */
};

/* A fact about a node: a struct pm_resolve_fact whose class is a node. */
struct pm_resolve_known {
    enum pm_value gives, calls, items;
    uint32_t class; /* node, or NONE */
    bool same;      /* the class is that of the instance on which the method was called */
};

struct pm_resolve_index {
    unsigned framework_count;
    struct pm_resolve_framework {
        const char *import_name; /* the text of `symbol` */
        uint32_t root, symbol;
        struct pm_resolve_rows flat, functions;
        bool flat_only, has_methods;
        uint32_t array;             /* node of the class of arrays that functions return, or NONE */
        uint32_t part, part_symbol; /* node and name of another package that is part of the
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
    /* Hash tables whose sizes are powers of two, at most half full. */
    struct pm_resolve_slot {
        uint32_t hash, symbol;
    } * slots;
    size_t slot_mask;
    uint64_t *maybe; /* one bit per value of a hash's upper PM_RESOLVE_MAYBE_BITS bits; set if a
                      * symbol has this value */
    struct pm_resolve_edge {
        uint64_t key; /* node and symbol */
        uint32_t child;
    } * edges;
    size_t edge_mask, edge_count;
    void *image; /* for a loaded index: the memory that contains all arrays; otherwise NULL */
};

/* Builds an index, which copies the names. */
void pm_resolve_index_init(struct pm_resolve_index *index, const struct pm_resolve_names *names);
void pm_resolve_index_release(struct pm_resolve_index *index);

/* Appends the index to `out` as bytes. The caller makes sure that only the same build of the
 * program loads them. */
void pm_resolve_index_save(const struct pm_resolve_index *index, struct pm_str *out);
/* Makes an index from such bytes, which must be in memory that free() can free. The index owns and
 * changes them. Returns false if the bytes are damaged or have another form; the caller still owns
 * them then. */
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

/* Returns the node of `symbol` directly below `node`, or NONE. */
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

/* Returns the node of `symbol` directly below `node`, below the class of which `node` is another
 * path, or below a base of the class; NONE if there is none. */
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
