/*
 * The JSON text of an inventory as a tree that is fast to build and to traverse. A document has a
 * hundred thousand strings, and each scan reads one document.
 *
 *     PM_TRY(pm_inventory__tree_read(&tree, bytes, length, err));
 *     for (each = pm_inventory__first(list); each < pm_inventory__end(list);
 *          each = pm_inventory__end(each))
 *         ...
 *     free(tree.text), free(tree.nodes);
 *
 * The nodes inside a node directly follow it. Strings point into `tree.text`.
 */
#ifndef PM_INVENTORY_TREE_H
#define PM_INVENTORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum pm_inventory__form {
    PM_INVENTORY__OBJECT,
    PM_INVENTORY__LIST,
    PM_INVENTORY__TEXT,
    PM_INVENTORY__NUMBER,
    PM_INVENTORY__TRUE,
    PM_INVENTORY__FALSE
};

struct pm_inventory__node {
    char *key;       /* key of a member of an object; NULL otherwise */
    char *text;      /* text of a string; NULL otherwise */
    uint32_t number; /* value of a number; 0 otherwise */
    uint32_t nodes;  /* number of nodes: itself and those inside it */
    enum pm_inventory__form form;
};

/* The caller frees both with free(). They are NULL after an error. */
struct pm_inventory__tree {
    char *text;
    struct pm_inventory__node *nodes; /* the first node contains all others */
};

/* Reads a copy of the text. PM_EFORMAT if the text is not JSON, has 4 GiB or more, or contains
 * something that no inventory has: null; a number that is negative, has a fraction or an exponent,
 * or is above 99,999,999; more than 8 levels; an object with more than 32 members. */
PM_MUST_USE int pm_inventory__tree_read(struct pm_inventory__tree *tree, const char *bytes,
                                        size_t length, struct pm_error *err);

/* Returns the first node inside a list or object; the end of `parent` if there is none. */
static inline const struct pm_inventory__node *
pm_inventory__first(const struct pm_inventory__node *parent)
{
    return parent + 1;
}

/* Returns the place after a node and all nodes inside it. */
static inline const struct pm_inventory__node *
pm_inventory__end(const struct pm_inventory__node *node)
{
    return node + node->nodes;
}

/* Returns the member, or NULL if there is none or the node is not an object. */
const struct pm_inventory__node *pm_inventory__member(const struct pm_inventory__node *object,
                                                      const char *key);

/* Returns the string of a member; `fallback` if it is absent or not a string. */
char *pm_inventory__text(const struct pm_inventory__node *object, const char *key, char *fallback);

/* Returns the number of items of a list; 0 for NULL or a node that is not a list. */
size_t pm_inventory__length(const struct pm_inventory__node *list);

#endif
