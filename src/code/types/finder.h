/* What the files that find the values of terms share. Each file uses those above it, and gets the
 * values of terms through find(). */
#ifndef PM_TYPES_FINDER_H
#define PM_TYPES_FINDER_H

#include "types/types_private.h"

/* Most terms that wait for each other on the C stack; deeper terms are found first. Chains of
 * classes or modules that lead to themselves are also followed no further than this. */
#define PM_TYPES__MOST_DEPTH  128
#define PM_TYPES__MOST_CIRCLE (2 * PM_TYPES__MOST_DEPTH)

struct pm_types__finder {
    struct pm_types_project *project;
    struct pm_types__value (*find)(struct pm_types__finder *f, uint32_t term);
    unsigned depth;
    unsigned lowest; /* the smallest depth of a term that was asked for again while it was being
                      * found; UINT_MAX: none was */
    uint32_t deeper; /* a term that was too deep and must be found first, or 0 */
};

static inline struct pm_types__value pm_types__nothing(void)
{
    return (struct pm_types__value){0};
}

static inline struct pm_types__value pm_types__plain(void)
{
    return (struct pm_types__value){.type = PM_TYPES__PLAIN, .inferred = true};
}

/* ---- classes.c ------------------------------------------------------------------------------ */

/* Finds the bases of a class. Meanwhile the class has none. */
void pm_types__find_bases(struct pm_types__finder *f, uint32_t class);
/* Settles all classes, after the bases of all were found: pm_types__settle(). */
void pm_types__end_bases(struct pm_types__finder *f);
/* Returns the class of the framework that a class inherits from first; its type is NAMED, or
 * nothing. */
struct pm_types__value pm_types__framework_base(struct pm_types__finder *f, uint32_t class);
/* Sets the height of a class and the framework's class that it inherits from, after those of all
 * its bases. Drops a base that would make a class inherit from itself. */
void pm_types__settle(struct pm_types__finder *f, uint32_t class);
/* Returns whether a class is another one or inherits from it. */
bool pm_types__inherits(struct pm_types__finder *f, uint32_t class, uint32_t from);
/* Finds at most `most` classes that inherit from a class, the nearest first. Returns their
 * number. */
uint32_t pm_types__descendants(struct pm_types__finder *f, uint32_t class, uint32_t *out,
                               uint32_t most);

/* ---- orders.c ------------------------------------------------------------------------------- */

#define PM_TYPES__NOBODY UINT32_MAX /* no class, and no order of classes */

/* Returns whether Python asks the framework's class before a class of the project that it inherits
 * from. */
bool pm_types__framework_first(struct pm_types__finder *f, uint32_t class, uint32_t owner);
/* Returns whether the first class comes before the second in the order of inheritance of `class`.
 * Both have the name, and each is the first one that has it above one of the parents. */
bool pm_types__comes_first(struct pm_types__finder *f, uint32_t class, uint32_t a, uint32_t b,
                           uint32_t parent_of_b);

/* ---- owners.c ------------------------------------------------------------------------------- */

/* Returns the class, + 1, in which a class finds a name: itself or the first one in Python's order
 * of inheritance (C3). If a class has no such order, the order of the text decides. 0: none has the
 * name. */
uint32_t pm_types__owner(struct pm_types__finder *f, uint32_t class, uint32_t name);
/* Works like pm_types__owner(), but without the class itself. */
uint32_t pm_types__inherited_owner(struct pm_types__finder *f, uint32_t class, uint32_t name);

/* ---- members.c ------------------------------------------------------------------------------ */

/* Returns whether a value may be an object of a class of the project that defines the results of a
 * framework's functions or operators for it. An unknown value may be one. */
bool pm_types__may_replace(struct pm_types__finder *f, struct pm_types__value v);
/* Calls `ask` for each of the values that `of` may be, and joins the answers. */
struct pm_types__value pm_types__each(struct pm_types__finder *f, struct pm_types__value of,
                                      struct pm_types__value (*ask)(struct pm_types__finder *,
                                                                    struct pm_types__value,
                                                                    uint32_t),
                                      uint32_t which);
/* Returns the member that classes below a class have, if the class itself lacks it. */
struct pm_types__value pm_types__descended(struct pm_types__finder *f, uint32_t class,
                                           uint32_t name);
/* Returns a method of an own class or its bases in the project, as function + 1, or 0. */
uint32_t pm_types__own_method(struct pm_types__finder *f, uint32_t class, const char *name);
/* Returns the method of an own class that a call of its objects runs, as function + 1, or 0. */
uint32_t pm_types__own_call(struct pm_types__finder *f, uint32_t class);
struct pm_types__value pm_types__imported(struct pm_types__finder *f,
                                          const struct pm_types__term *term);
struct pm_types__value pm_types__global(struct pm_types__finder *f, uint32_t unit, uint32_t name);
struct pm_types__value pm_types__attribute(struct pm_types__finder *f, struct pm_types__value on,
                                           uint32_t name);
/* Returns whether a term is a path below a name of a framework, as `torch.lost.part`. A name there
 * that the inventory lacks belongs to the framework, but is not an array by its name alone. */
bool pm_types__is_below_name(struct pm_types__finder *f, uint32_t term);
/* Returns the value of a term that looks up an attribute. */
struct pm_types__value pm_types__looked_up(struct pm_types__finder *f, uint32_t term);

/* ---- results.c ------------------------------------------------------------------------------ */

/* Returns the result of calling a function of the project. For a method without a body, these are
 * the results of the methods of the classes that inherit it. */
struct pm_types__value pm_types__result(struct pm_types__finder *f, uint32_t function);

/* ---- loops.c -------------------------------------------------------------------------------- */

/* Returns the argument at a place; nothing if it is missing, or has a name or a star. */
struct pm_types__value pm_types__given_argument(struct pm_types__finder *f, uint32_t list,
                                                uint32_t place);
/* Returns a container of the items of a list. */
struct pm_types__value pm_types__contained(struct pm_types__finder *f, uint32_t list);
struct pm_types__value pm_types__container_of(struct pm_types__finder *f,
                                              struct pm_types__value item);
/* Returns an item of a value, as a loop over it yields it. */
struct pm_types__value pm_types__looped(struct pm_types__finder *f, struct pm_types__value of,
                                        uint32_t unused);
struct pm_types__value pm_types__unpacked(struct pm_types__finder *f, struct pm_types__value of,
                                          uint32_t place);
struct pm_types__value pm_types__subscripted(struct pm_types__finder *f, struct pm_types__value of,
                                             uint32_t key);

/* Returns a slice of a value: a part of a container is a container of the same kind. */
struct pm_types__value pm_types__sliced(struct pm_types__finder *f, struct pm_types__value of,
                                        uint32_t unused);

/* ---- calls.c -------------------------------------------------------------------------------- */

/* Returns the result of a call; `list` is the list + 1 of its arguments, or 0. */
struct pm_types__value pm_types__called(struct pm_types__finder *f, struct pm_types__value on,
                                        uint32_t list);
/* Returns the value of a function or class after it is decorated. */
struct pm_types__value pm_types__decorated(struct pm_types__finder *f, struct pm_types__value by,
                                           struct pm_types__value what);
/* Returns a new object of a framework's class. A module contains the modules among its
 * arguments. */
struct pm_types__value pm_types__made(struct pm_types__finder *f, struct pm_types__value class,
                                      uint32_t list);

/* ---- annotations.c -------------------------------------------------------------------------- */

/* Returns whether a type belongs to a package that is not read: its objects may act as arrays. */
bool pm_types__is_foreign(struct pm_types__finder *f, uint32_t type);
/* Returns an object of the type that a term means. */
struct pm_types__value pm_types__annotated(struct pm_types__finder *f, uint32_t type);

#endif
