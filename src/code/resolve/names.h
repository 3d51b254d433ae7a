/*
 * The names to find: frameworks by their import names, their functions by dotted names.
 *
 *     struct pm_resolve_names *names = pm_resolve_names_new();
 *     unsigned torch = pm_resolve_names_framework(names, "torch");
 *     pm_resolve_names_add(names, torch, "torch.nn.Linear", NULL, PM_NAME_CLASS);
 *     pm_resolve_names_add(names, torch, "torch.nn.Linear", "torch.nn.modules.Linear",
 *                          PM_NAME_CLASS);
 *     PM_TRY(pm_resolve_names_load_flat(names, torch, "torch_flat_functions.json", err)); // or not
 *     ...
 *     pm_resolve_names_free(names);
 *
 * Strings given are copied.
 */
#ifndef PM_RESOLVE_NAMES_H
#define PM_RESOLVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vocabulary.h"
#include "inventory/inventory.h"

#define PM_RESOLVE_MOST_FRAMEWORKS 8

struct pm_resolve_names;
struct pm_resolve_names *pm_resolve_names_new(void);
void pm_resolve_names_free(struct pm_resolve_names *names); /* accepts NULL */

/* Adds a framework by its import name and returns its index. At most PM_RESOLVE_MOST_FRAMEWORKS. */
unsigned pm_resolve_names_framework(struct pm_resolve_names *names, const char *import_name);

/* Adds a function by its canonical dotted name, and another dotted name of it if `alias` is not
 * NULL. The first kind that is given for a canonical name is kept. */
void pm_resolve_names_add(struct pm_resolve_names *names, unsigned framework, const char *canonical,
                          const char *alias, enum pm_name_kind kind);

/* Adds `path` as another path of the class `class`, or as a class that inherits from it: what is
 * not below the path is looked up below the class and its bases. Add all bases of a class, the
 * nearest first. */
void pm_resolve_names_alias(struct pm_resolve_names *names, unsigned framework, const char *path,
                            const char *class);
void pm_resolve_names_base(struct pm_resolve_names *names, unsigned framework, const char *path,
                           const char *class);

/* What is known of a name, in the terms of the inventory. */
struct pm_resolve_fact {
    enum pm_value gives, calls; /* `calls`: for a class, what a call of an instance gives */
    enum pm_value items;        /* for a class: what a loop over an instance gives */
    const char *class; /* dotted class of what it gives; "self": the class of the instance; or
                        * NULL */
};

/* Adds what is known of a function, class or method by one of its dotted names, or of an attribute,
 * which is not a function, by its own name. */
void pm_resolve_names_fact(struct pm_resolve_names *names, unsigned framework, const char *path,
                           struct pm_resolve_fact fact);

/* Sets where names are that older releases had at the framework's top: below `path`
 * ("tensorflow.compat.v1"). Names that the top lacks are looked up there, on every level, and below
 * `path` the path may be repeated. Each framework has one such path. */
void pm_resolve_names_older(struct pm_resolve_names *names, unsigned framework, const char *path);

/* Sets that what is below the path `from` in code is below `to` in the names, unless these have
 * `from` too: "tensorflow.keras.layers.experimental" and "tensorflow.keras.layers". A path to which
 * another one leads comes after that one. `from` may also be the name of another package that is
 * part of the framework ("keras"); each framework has at most one. */
void pm_resolve_names_moved(struct pm_resolve_names *names, unsigned framework, const char *from,
                            const char *to);

/* Adds a name without its module to the flat list, which the paper's rule counts. A framework
 * without a flat list gets the last parts of its dotted names. */
void pm_resolve_names_flat(struct pm_resolve_names *names, unsigned framework, const char *name);

/* Adds the names in a JSON file to the flat list: a list of strings, as the paper published. */
PM_MUST_USE int pm_resolve_names_load_flat(struct pm_resolve_names *names, unsigned framework,
                                           const char *path, struct pm_error *err);

/* Returns how many frameworks there are. */
unsigned pm_resolve_names_count(const struct pm_resolve_names *names);

#endif
