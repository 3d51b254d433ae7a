/*
 * The public functions of one version of a framework: canonical names, aliases, kinds.
 *
 * drivers/inventory.py inspects the framework and writes a document. This room reads the document,
 * looks up names in it, and compares it with an older list:
 *
 *     PM_TRY(pm_environment_walk(environment, &document, err)); // environment/environment.h
 *     PM_TRY(pm_inventory_parse(document.data, document.length, &inventory, err));
 *     entry = pm_inventory_find(&inventory, "tensorflow.math.add");        // "tf.add"
 *     pm_inventory_release(&inventory);
 *
 * The store keeps the same document.
 */
#ifndef PM_INVENTORY_INVENTORY_H
#define PM_INVENTORY_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vocabulary.h"

/* Kinds of values. A value is the result of a call, an attribute, or an instance of a class. */
#define PM_VALUES(X, P)                                                                            \
    X(P, UNKNOWN, "")            /* not known                                                  */  \
    X(P, ARRAY, "array")         /* an array of the framework                                  */  \
    X(P, ARRAYS, "arrays")       /* a tuple or list of arrays and nothing else                 */  \
    X(P, MODULE, "module")       /* a module or layer                                          */  \
    X(P, OPTIMIZER, "optimizer") /* an optimizer                                               */  \
    X(P, OTHER, "other")         /* known to be something else */
PM_WORDS(value, PM_VALUES, PM_VALUE);

struct pm_entry {
    char *name; /* canonical, as a person writes it: "tf.add" */
    enum pm_name_kind kind;
    char **aliases; /* other public paths; for a method, only paths through other classes, not
                     * through aliases of its own class */
    size_t alias_count;
    char *defined;    /* where the source defines it: "tf.python.ops.math_ops.add"; "": unknown */
    char **elsewhere; /* further paths of the same object, in modules of the framework that are not
                       * public: "tf.python.ops.standard_ops.add" */
    size_t elsewhere_count;
    char **bases; /* of a class: the public classes from which it inherits, nearest first */
    size_t base_count;
    bool deprecated;
    bool examples;         /* its docstring has examples */
    enum pm_value returns; /* kind of the result; for a class, of its instances */
    char *returned_class;  /* canonical name of the result's class; "self": the class of the
                              instance on which the method was called; "": unknown */
    enum pm_value calls;   /* kind of the result of calling an instance of the class */
    enum pm_value items;   /* kind of the items of a loop over an instance of the class */
};

/* An attribute of a class, or a value in a module that is not a function or class. */
struct pm_attribute {
    char *name; /* canonical: "torch.Tensor.grad" */
    char **aliases;
    size_t alias_count;
    enum pm_value value;
    char *value_class; /* class of the value, as in returned_class of an entry */
};

/* A method or an attribute: one of the two is NULL. */
struct pm_member {
    const struct pm_entry *method;
    const struct pm_attribute *attribute;
};

/* A public module that could not be imported. */
struct pm_unread {
    char *module, *error;
};

/* The public functions of a framework. Strings are in `text` or static; only `framework` has its
 * own memory. */
struct pm_inventory {
    char *text;
    char *framework;          /* "tensorflow" */
    char *version;            /* version of the framework; "" for a flat list */
    char *python;             /* version of the Python that listed it; "" for a flat list */
    char *root;               /* name of the module to import, "tensorflow" */
    char *brief;              /* beginning of names, "tf" */
    struct pm_entry *entries; /* sorted by name */
    size_t count;
    struct pm_attribute *attributes; /* sorted by name; none in version 1 or a flat list */
    size_t attribute_count;
    char **private_names, **foreign_names; /* bare names that are not public; bare names of
                                            * other packages */
    size_t private_count, foreign_count;
    struct pm_unread *unread;
    size_t unread_count;
    struct pm_map by_name;      /* name, alias or other path -> struct pm_entry * */
    struct pm_map by_bare;      /* last part of a name or alias -> struct pm_inventory__entries * */
    struct pm_map by_attribute; /* name or alias -> struct pm_attribute * */
    bool flat;                  /* the inventory has only bare names */
};

/* Reads a document of drivers/inventory.py, in version 1 or 2 (docs/internals/protocol.md). The
 * caller releases *out. PM_EFORMAT if the document is not JSON or has another version, if a
 * required key is missing or its value has the wrong type, if it lists no functions, if a word or a
 * class is unknown, or if a name has two meanings. */
PM_MUST_USE int pm_inventory_parse(const char *bytes, size_t length, struct pm_inventory *out,
                                   struct pm_error *err);

/* Reads a flat list of bare names, which is a JSON array of strings such as the paper's
 * *_flat_functions.json. Each name becomes an entry of kind BARE. The caller releases *out.
 * PM_EFORMAT if the text is not such an array, if it is empty, or if a name is repeated. */
PM_MUST_USE int pm_inventory_parse_flat(const char *framework, const char *bytes, size_t length,
                                        struct pm_inventory *out, struct pm_error *err);
void pm_inventory_release(struct pm_inventory *inventory);

/* Returns the entry that a dotted path denotes, or NULL if it denotes none. The path may be a
 * canonical name, an alias, the place of the definition, or a path of `elsewhere`. It may begin
 * with `root` or `brief` ("tensorflow.add", "tf.add"). A method may be named through its class, an
 * alias of the class, or a class that inherits the method ("torch.nn.Linear.register_parameter").
 * In a flat list, only the last part of the path counts. */
const struct pm_entry *pm_inventory_find(const struct pm_inventory *inventory, const char *path);

/* Finds a method or an attribute of a class, also if the class inherits it; the nearest base
 * counts. Returns false if there is none. The part of the member's canonical name before the last
 * dot is the class that has it, unless the member was found by an alias. */
bool pm_inventory_member(const struct pm_inventory *inventory, const struct pm_entry *class,
                         const char *name, struct pm_member *out);

/* Returns the bare name of a dotted path: its last part. The result points into `path`. */
const char *pm_inventory_bare_name(const char *path);

/* Returns all entries whose name or alias ends in the bare name: functions and classes, then
 * methods, each sorted by name. The array is borrowed. If there are none, returns NULL and sets
 * *count to 0. */
const struct pm_entry *const *pm_inventory_bare(const struct pm_inventory *inventory,
                                                const char *name, size_t *count);

/* ------------------------------------------------------------------------------ comparison --- */

/* What happened to a bare name of an older list. */
#define PM_NAME_STATUSES(X, P)                                                                     \
    X(P, KEPT, "kept")       /* a public function or class has this name */                        \
    X(P, METHOD, "method")   /* only methods have this name */                                     \
    X(P, PRIVATE, "private") /* defined, but not public                                        */  \
    X(P, FOREIGN, "foreign") /* of a package that the framework uses or inherits from          */  \
    X(P, GONE, "gone")       /* nothing has this name */                                           \
    X(P, NEW, "new")         /* a public function or class that the old list lacks */
PM_WORDS(name_status, PM_NAME_STATUSES, PM_NAME_STATUS);

struct pm_inventory_change {
    const char *name; /* bare; borrowed from either inventory */
    enum pm_name_status status;
    const struct pm_entry *entry; /* first entry with this name in the newer inventory, or NULL */
};

struct pm_inventory_changes {
    struct pm_inventory_change *items; /* sorted by status, then by name */
    size_t count, capacity;
    size_t counts[PM_NAME_STATUS_COUNT];
};

/* Compares bare names: the result has each name of `older` once, and the new names of `newer`. *out
 * borrows from both inventories. The caller releases *out. */
void pm_inventory_compare(const struct pm_inventory *older, const struct pm_inventory *newer,
                          struct pm_inventory_changes *out);
void pm_inventory_changes_release(struct pm_inventory_changes *changes);

#endif
