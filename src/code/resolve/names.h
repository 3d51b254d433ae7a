/*
 * The names to find: frameworks by their import names, their functions by dotted names.
 *
 *     struct pm_resolve_names *names = pm_resolve_names_new();
 *     unsigned torch = pm_resolve_names_framework(names, "torch");
 *     pm_resolve_names_add(names, torch, "torch.nn.Linear", NULL, PM_NAME_CLASS);
 *     pm_resolve_names_add(names, torch, "torch.nn.Linear", "torch.nn.modules.Linear",
 *                          PM_NAME_CLASS);
 *     // optional: the names that the paper's rule counts
 *     PM_TRY(pm_resolve_names_load_flat(names, torch, "torch_flat_functions.json", err));
 *     ...
 *     pm_resolve_names_free(names);
 *
 * The functions copy all strings.
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

/* Adds a framework by its import name and returns its index. There may be at most
 * PM_RESOLVE_MOST_FRAMEWORKS. */
unsigned pm_resolve_names_framework(struct pm_resolve_names *names, const char *import_name);

/* Adds a function by its canonical dotted name. `alias` is another dotted name of the function, or
 * NULL. If a canonical name is added again, its first kind is kept. */
void pm_resolve_names_add(struct pm_resolve_names *names, unsigned framework, const char *canonical,
                          const char *alias, enum pm_name_kind kind);

/* _alias adds `path` as another path of the class `class`. _base adds `class` as a base of the
 * class `path`. Names that are not found below `path` are looked up below `class` and its bases.
 * Add all bases of a class one after another, the nearest first. */
void pm_resolve_names_alias(struct pm_resolve_names *names, unsigned framework, const char *path,
                            const char *class);
void pm_resolve_names_base(struct pm_resolve_names *names, unsigned framework, const char *path,
                           const char *class);

/* A fact about a name, in the terms of the inventory. */
struct pm_resolve_fact {
    enum pm_value gives, calls; /* gives: kind of a function's result, a class's instance, or an
                                 * attribute's value; calls: kind of the result of calling an
                                 * instance of a class */
    enum pm_value items;        /* for a class: kind of the items of a loop over an instance */
    const char *class; /* dotted name of the class of `gives`; "self": the class of the instance;
                        * or NULL */
};

/* Adds a fact about a function, class or method by one of its dotted names, or about an attribute
 * by its name. */
void pm_resolve_names_fact(struct pm_resolve_names *names, unsigned framework, const char *path,
                           struct pm_resolve_fact fact);

/* Sets the module with the names that older releases had at the framework's top
 * ("tensorflow.compat.v1"). A path that is not found below the top, on any level, is looked up
 * below this module. Code may repeat the module's path (tensorflow.compat.v1.compat.v1.X). A
 * framework has one such module: a second call replaces it. */
void pm_resolve_names_older(struct pm_resolve_names *names, unsigned framework, const char *path);

/* Makes a path that code uses, `from` ("tensorflow.keras.layers.experimental"), lead to the path
 * `to` ("tensorflow.keras.layers"). Has no effect if `from` exists or `to` does not. Add a path
 * before the paths below it. `from` may also be the name of another package that is part of the
 * framework ("keras"); a framework has at most one. */
void pm_resolve_names_moved(struct pm_resolve_names *names, unsigned framework, const char *from,
                            const char *to);

/* Adds a name without its module to the flat list, whose names the paper's rule counts. If a
 * framework has no flat list, the last parts of its dotted names are its list. */
void pm_resolve_names_flat(struct pm_resolve_names *names, unsigned framework, const char *name);

/* Adds the names in a JSON file, which is a list of strings, to the flat list. Fails as
 * pm_file_read() does; PM_EFORMAT if the file is not such a list or is empty. Names before an error
 * stay in the list. */
PM_MUST_USE int pm_resolve_names_load_flat(struct pm_resolve_names *names, unsigned framework,
                                           const char *path, struct pm_error *err);

/* Returns how many frameworks there are. */
unsigned pm_resolve_names_count(const struct pm_resolve_names *names);

#endif
