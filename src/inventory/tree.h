/*
 * The JSON text of an inventory as a tree that is quick to make and to walk: a document has a
 * hundred thousand strings, and each scan reads one.
 *
 *     PM_TRY(pm_inventory__tree_read(&tree, bytes, length, err));
 *     for (each = pm_inventory__first(list); each < pm_inventory__end(list);
 *          each = pm_inventory__end(each))
 *         ...
 *     free(tree.text), free(tree.nodes);
 *
 * A node is followed by the nodes within it. Texts are in `tree.text` and live as long as that.
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
    char *key;       /* of a member of an object; NULL elsewhere */
    char *text;      /* of a text; NULL elsewhere */
    uint32_t number; /* a whole one */
    uint32_t nodes;  /* itself and those within it */
    enum pm_inventory__form form;
};

/* Both are the caller's to free(); NULL after an error. */
struct pm_inventory__tree {
    char *text;
    struct pm_inventory__node *nodes; /* the first one is the whole text */
};

/* PM_EFORMAT where the text is not JSON, or has what no inventory has: a null; a number that is
 * negative, a fraction or above 99,999,999; more than 8 levels; more than 32 members of an object.
 */
PM_MUST_USE int pm_inventory__tree_read(struct pm_inventory__tree *tree, const char *bytes,
                                        size_t length, struct pm_error *err);

static inline const struct pm_inventory__node *
pm_inventory__first(const struct pm_inventory__node *parent)
{
    return parent + 1;
}

static inline const struct pm_inventory__node *
pm_inventory__end(const struct pm_inventory__node *node)
{
    return node + node->nodes;
}

/* The member, or NULL where the object lacks it. */
const struct pm_inventory__node *pm_inventory__member(const struct pm_inventory__node *object,
                                                      const char *key);

/* The text of a member; `fallback` where it is absent or of another form. */
char *pm_inventory__text(const struct pm_inventory__node *object, const char *key, char *fallback);

/* How many nodes a list has, not counting those within them; 0 for what is not a list, or NULL. */
size_t pm_inventory__length(const struct pm_inventory__node *list);

#endif
