/* Declarations for the files that find the values of terms. Each of these files uses only the files
 * that precede it here, and requests values of terms through find(). */
#ifndef PM_TYPES_FINDER_H
#define PM_TYPES_FINDER_H

#include "types/types_private.h"

/* MOST_DEPTH: the most terms that wait for each other on the C stack; a deeper term is found first.
 * MOST_CIRCLE: the depth at which results of methods and parts of types are no longer examined,
 * because they may lead to themselves. */
#define PM_TYPES__MOST_DEPTH  128
#define PM_TYPES__MOST_CIRCLE (2 * PM_TYPES__MOST_DEPTH)

struct pm_types__finder {
    struct pm_types_project *project;
    struct pm_types__value (*find)(struct pm_types__finder *f, uint32_t term);
    unsigned depth;
    unsigned lowest; /* the smallest depth of a term that was requested again while it was being
                      * found; UINT_MAX if there is none */
    uint32_t deeper; /* a term that was too deep and must be found first, or 0 */
};

/* Returns an unknown value, which comments call "nothing". */
static inline struct pm_types__value pm_types__nothing(void)
{
    return (struct pm_types__value){0};
}

/* Returns a value that is known to be no array, no module and no container of these. */
static inline struct pm_types__value pm_types__plain(void)
{
    return (struct pm_types__value){.type = PM_TYPES__PLAIN, .inferred = true};
}

/* ---- classes.c ------------------------------------------------------------------------------ */

/* Finds the bases of a class. Until this function returns, the class has no bases. */
void pm_types__find_bases(struct pm_types__finder *f, uint32_t class);
/* Settles all classes. Call it when the bases of all classes are known. */
void pm_types__end_bases(struct pm_types__finder *f);
/* Returns the framework's class from which a class inherits first, as a NAMED value; or nothing. */
struct pm_types__value pm_types__framework_base(struct pm_types__finder *f, uint32_t class);
/* Settles a class after all its bases: sets its height and the framework's class from which it
 * inherits. Removes a base that would make a class inherit from itself. */
void pm_types__settle(struct pm_types__finder *f, uint32_t class);
/* Returns whether the class is `from`, or inherits from it. */
bool pm_types__inherits(struct pm_types__finder *f, uint32_t class, uint32_t from);
/* Finds at most `most` classes that inherit from a class, the nearest first. Returns their
 * number. */
uint32_t pm_types__descendants(struct pm_types__finder *f, uint32_t class, uint32_t *out,
                               uint32_t most);

/* ---- orders.c ------------------------------------------------------------------------------- */

#define PM_TYPES__NOBODY UINT32_MAX /* no class, and no order of classes */

/* Returns whether Python searches the framework's class from which `class` inherits before the
 * project's class `owner`. */
bool pm_types__framework_first(struct pm_types__finder *f, uint32_t class, uint32_t owner);
/* Returns whether class `a` comes before `b` in the order of inheritance of `class`. A search for a
 * name found `a` from one parent of `class`, and `b` from the parent `parent_of_b`. */
bool pm_types__comes_first(struct pm_types__finder *f, uint32_t class, uint32_t a, uint32_t b,
                           uint32_t parent_of_b);

/* ---- owners.c ------------------------------------------------------------------------------- */

/* Returns the class + 1 in which a class finds a name: the class itself, or the first one in
 * Python's order of inheritance (C3). If there is no such order, the order of the bases decides.
 * Returns 0 if no class has the name. */
uint32_t pm_types__owner(struct pm_types__finder *f, uint32_t class, uint32_t name);
/* Works like pm_types__owner(), but without the class itself. */
uint32_t pm_types__inherited_owner(struct pm_types__finder *f, uint32_t class, uint32_t name);

/* ---- members.c ------------------------------------------------------------------------------ */

/* Returns whether a value may be an object of a class of the project that defines the results of a
 * framework's functions or operators for it. An unknown value may be such an object. */
bool pm_types__may_replace(struct pm_types__finder *f, struct pm_types__value v);
/* Calls `ask` for each of the values that the ONE_OF value `of` may be, and joins the results. */
struct pm_types__value pm_types__each(struct pm_types__finder *f, struct pm_types__value of,
                                      struct pm_types__value (*ask)(struct pm_types__finder *,
                                                                    struct pm_types__value,
                                                                    uint32_t),
                                      uint32_t which);
/* Returns the members with a name in the subclasses of a class, joined; or nothing. */
struct pm_types__value pm_types__descended(struct pm_types__finder *f, uint32_t class,
                                           uint32_t name);
/* Returns the method `name` of a class of the project, or of its bases in the project: function +
 * 1, or 0. */
uint32_t pm_types__own_method(struct pm_types__finder *f, uint32_t class, const char *name);
/* Returns the method that a call of an object of the class runs, as function + 1, or 0. */
uint32_t pm_types__own_call(struct pm_types__finder *f, uint32_t class);
/* Returns the module that an IMPORT term names. */
struct pm_types__value pm_types__imported(struct pm_types__finder *f,
                                          const struct pm_types__term *term);
/* Returns the value of a name in a module: a member of the module, or a function of Python. */
struct pm_types__value pm_types__global(struct pm_types__finder *f, uint32_t unit, uint32_t name);
/* Returns the attribute of a value, or nothing. */
struct pm_types__value pm_types__attribute(struct pm_types__finder *f, struct pm_types__value on,
                                           uint32_t name);
/* Returns whether a term is a path below a name of a framework, such as `torch.lost.part`. If the
 * inventory lacks such a path, the value belongs to the framework, but its name does not show
 * whether it is an array. */
bool pm_types__is_below_name(struct pm_types__finder *f, uint32_t term);
/* Returns the value of an ATTRIBUTE or FIELD term. */
struct pm_types__value pm_types__looked_up(struct pm_types__finder *f, uint32_t term);

/* ---- results.c ------------------------------------------------------------------------------ */

/* Returns the result of calling a function of the project. If the result of a method is unknown,
 * returns the joined results of the methods that override it. */
struct pm_types__value pm_types__result(struct pm_types__finder *f, uint32_t function);

/* ---- loops.c -------------------------------------------------------------------------------- */

/* Returns the argument at a place of a list; nothing if it is missing, or has a name or a star.
 * `list` is the list + 1; 0 means that there are no arguments. */
struct pm_types__value pm_types__given_argument(struct pm_types__finder *f, uint32_t list,
                                                uint32_t place);
/* Returns a container of the items of a list. `list` is the list + 1. */
struct pm_types__value pm_types__contained(struct pm_types__finder *f, uint32_t list);
/* Returns a container in which `item` represents all items. */
struct pm_types__value pm_types__container_of(struct pm_types__finder *f,
                                              struct pm_types__value item);
/* Returns an item that a loop over the value yields. pm_types__each() needs the last parameter. */
struct pm_types__value pm_types__looped(struct pm_types__finder *f, struct pm_types__value of,
                                        uint32_t unused);
/* Returns the item that an assignment to several targets gives to the target at a place. */
struct pm_types__value pm_types__unpacked(struct pm_types__finder *f, struct pm_types__value of,
                                          uint32_t place);
/* Returns the item of a key (name + 1); any item if the key is 0 or missing. */
struct pm_types__value pm_types__subscripted(struct pm_types__finder *f, struct pm_types__value of,
                                             uint32_t key);

/* Returns a slice of a value. A slice of a container is a container of the same items. */
struct pm_types__value pm_types__sliced(struct pm_types__finder *f, struct pm_types__value of,
                                        uint32_t unused);

/* ---- calls.c -------------------------------------------------------------------------------- */

/* Returns the result of calling `on`; `list` is the list + 1 of the arguments, or 0. */
struct pm_types__value pm_types__called(struct pm_types__finder *f, struct pm_types__value on,
                                        uint32_t list);
/* Returns the value of the function or class `what` after the decorator `by`. */
struct pm_types__value pm_types__decorated(struct pm_types__finder *f, struct pm_types__value by,
                                           struct pm_types__value what);
/* Returns a new object of a framework's class. A module contains the modules among its
 * arguments. */
struct pm_types__value pm_types__made(struct pm_types__finder *f, struct pm_types__value class,
                                      uint32_t list);

/* ---- annotations.c -------------------------------------------------------------------------- */

/* Returns whether a type belongs to a package that is not read, so that its objects may act as
 * arrays. */
bool pm_types__is_foreign(struct pm_types__finder *f, uint32_t type);
/* Returns an object of the type that the term `type` names; or nothing. */
struct pm_types__value pm_types__annotated(struct pm_types__finder *f, uint32_t type);

#endif
