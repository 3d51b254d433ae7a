/* What the pass over a file and the pass over a project share: terms, and what files define. */
#ifndef PM_TYPES_TYPES_PRIVATE_H
#define PM_TYPES_TYPES_PRIVATE_H

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "types/project.h"

#define PM_TYPES__PUSH(holder, list, ...)                                                          \
    do {                                                                                           \
        PM_GROW((holder)->list, (holder)->list##_count, (holder)->list##_capacity);                \
        (holder)->list[(holder)->list##_count++] = __VA_ARGS__;                                    \
    } while (0)

/* ---- terms: expressions, not yet evaluated -------------------------------------------------- */

enum pm_types__op {
    PM_TYPES__UNKNOWN,
    PM_TYPES__NONE_VALUE,
    PM_TYPES__PLACE,     /* a: framework, b: node; NONE: a place that the names lack */
    PM_TYPES__ATTRIBUTE, /* a: term or 0, b: name                                  */
    PM_TYPES__FIELD, /* like ATTRIBUTE, for an attribute that is not called, although arrays have a
                        method of this name; some functions return a tuple with an array under it */
    PM_TYPES__CALL,  /* a: term, b: list + 1 of arguments, or 0                */
    PM_TYPES__ITEM,  /* a: term, b: name + 1 of a literal index, or 0          */
    PM_TYPES__SUBSCRIPT,  /* a: term, b: list + 1 of other indices                  */
    PM_TYPES__NARROWED,   /* a: term, b: term of its type, or of a function that checks it */
    PM_TYPES__SLICE,      /* a: term                                                */
    PM_TYPES__UNPACK,     /* a: term, b: index of the target */
    PM_TYPES__LOOP,       /* a: term; the value is what a loop over it gives */
    PM_TYPES__ARITHMETIC, /* a, b: terms                                            */
    PM_TYPES__EITHER,     /* a, b: terms                                            */
    PM_TYPES__ANNOTATED,  /* a: term of a type                                      */
    PM_TYPES__PARAMETER,  /* a: parameter                                           */
    PM_TYPES__SELF,       /* a: class                                               */
    PM_TYPES__SUPER,      /* a: class                                               */
    PM_TYPES__CLASS,      /* a: class                                               */
    PM_TYPES__FUNCTION,   /* a: function                                            */
    PM_TYPES__PROPERTY,   /* a: function                                            */
    PM_TYPES__DECORATED,  /* a: term of the decorator, b: term of what it decorates */
    PM_TYPES__GLOBAL,     /* a: unit, b: name                                       */
    PM_TYPES__IMPORT,     /* a: unit that imports, b: name with dots                */
    PM_TYPES__DISPLAY,    /* a: list of a tuple, list, set or dict                  */
    PM_TYPES__HOLDS,      /* a: term of the items of a list                         */
    PM_TYPES__FILLED      /* a: term of a container to which an assignment to an item adds */
};

/* Each property is one bit, because a project has millions of values. */
struct pm_types__value {
    uint8_t type; /* enum pm_types__type */
    uint8_t framework;
    bool inferred : 1; /* found by more than imports */
    bool by_name : 1;  /* found because only arrays have a method of the name */
    bool declared : 1; /* found by an annotation: the object may be of a class that inherits from
                        * this one */
    bool open : 1;     /* may also be something that is not known */
    bool own : 1;      /* `of` is a class of the project */
    bool replaced : 1; /* a class of the project, or another package, may return something else
                          instead */
    bool filled : 1;   /* it is what assignments to items add to a container */
    uint32_t node, of;
};

enum pm_types__type {
    PM_TYPES__NO_TYPE,
    PM_TYPES__NOTHING,      /* None                                                              */
    PM_TYPES__PLAIN,        /* known not to be an array, a module or a container of these */
    PM_TYPES__NAMED,        /* a module, function or class that a node of the index names; of: the
                             * class of the instance on which it was looked up */
    PM_TYPES__INSTANCE,     /* node: its class; of: content + 1 of what it holds, or 0 */
    PM_TYPES__ARRAYS,       /* a tuple or list of arrays of a framework                          */
    PM_TYPES__ITEMS,        /* node: content of a tuple, list or dict                            */
    PM_TYPES__ONE_OF,       /* node: content of the values that it may be                        */
    PM_TYPES__HELD,         /* method of a container; node: its name, of: content                */
    PM_TYPES__BUILTIN,      /* node: function of Python (builtins.c)                             */
    PM_TYPES__PARENT,       /* super(); node: class of the project                               */
    PM_TYPES__OWN_CLASS,    /* node: class of the project                                        */
    PM_TYPES__OWN_OBJECT,   /* node: its class; of: the class of the object that is called instead
                             * of it, if a framework compiled it, or NONE */
    PM_TYPES__OWN_FUNCTION, /* node: function; of: pm_types__wrapper() and two bits below it      */
    PM_TYPES__OWN_MODULE,   /* node: unit                                                        */
    PM_TYPES__OTHER_MODULE  /* node: name with dots                                             */
};

/* The two lowest bits of `of` of the project's own function: its first argument is an object; the
 * wrapper's object is called. The other bits are the class of the object of a framework that wraps
 * the function. */
#define PM_TYPES__BOUND    1u
#define PM_TYPES__CALLABLE 2u
static inline uint32_t pm_types__wrapper(struct pm_types__value function)
{
    return function.of >> 2;
}

#define PM_TYPES__PERHAPS 0x80u

struct pm_types__term {
    uint8_t op;
    uint8_t state; /* whether its value is unknown yet, being found, or known */
    uint8_t tries;
    uint8_t hinted; /* framework + 1 if a method that only its arrays have is looked up on it, else
                     * 0; with PM_TYPES__PERHAPS, classes of a package that is not read may have
                     * the method too */
    uint32_t a, b;
    struct pm_types__value value;
};

/* ---- what files define ---------------------------------------------------------------------- */

/* The owner of a member: a module or a class; for fixtures of tests, a module. */
#define PM_TYPES__FIXTURE_OWNER(unit) (0x80000000u | (uint32_t)(unit)*2)
#define PM_TYPES__UNIT_OWNER(unit)    ((uint32_t)(unit)*2)
#define PM_TYPES__CLASS_OWNER(class)  ((uint32_t)(class) * 2 + 1)

struct pm_types__member {
    uint32_t owner, name, term;
};

struct pm_types__class {
    uint32_t first_base, base_count; /* in the list of bases */
    uint32_t inside;                 /* name with dots */
    /* classes.c finds the following. */
    uint8_t state, settled;              /* whether the bases are found; whether what follows from
                                          * them is */
    uint32_t first_parent, parent_count; /* in the list of parents */
    struct pm_types__value framework;    /* the first base that belongs to a framework, or
                                          * nothing */
    uint32_t framework_place;            /* how many parents are before that base */
    struct pm_types__value base;         /* the class of a framework from which it inherits first */
    uint32_t height;                     /* length of the longest way to a class without parents */
    uint32_t first_order, order_count;   /* the order in which Python asks classes, in the list of
                                          * orders */
    uint32_t first_child;                /* link + 1 of a class that inherits from it, or 0 */
    uint32_t stamp;                      /* number of the last search that reached it */
    /* Numbers from 1, from a walk down from the classes without parents; 0: not reached yet.
     * `entered`: when the walk entered it; `last_entered`: the last class that was entered before
     * the walk left it; `left`: when the walk left it; `first_left`: the first class left of those
     * that inherit from it. */
    uint32_t entered, last_entered, left, first_left;
    uint32_t behind; /* while orders are merged: how many sequences have it after their first
                      * class */
};

/* A class that inherits from another class, in a linked list. */
struct pm_types__link {
    uint32_t class, next; /* next: link + 1, or 0 */
};

/* A class or module in which a name is being looked up. */
struct pm_types__visit {
    uint32_t class, next; /* index of the parent or star import that is asked next */
    uint32_t found;       /* class + 1 that has the name, of those searched so far */
};

/* The type that the name of an alias means in an annotation. */
struct pm_types__known_type {
    uint32_t term; /* 0: the slot is free */
    struct pm_types__value value;
};

/* The class or module that was found to have a name. */
struct pm_types__answer {
    uint64_t key;   /* the owner that was asked, and the name; 0: the slot is free */
    uint32_t found; /* class or unit + 1, or 0 if none has the name */
};

struct pm_types__function {
    uint32_t returned;                    /* term of everything that it returns, or 0 */
    uint32_t annotated;                   /* term of the type in its annotation, or 0 */
    uint32_t requested;                   /* for a fixture: term of `request.param`, or 0 */
    uint32_t parameters, parameter_count; /* parameter + 1 of the last one */
    uint32_t class;  /* class + 1 if the first parameter is an object of it or the class, else 0 */
    uint32_t owner;  /* class + 1 of a method, else 0 */
    uint32_t inside; /* name with dots */
    uint32_t name;   /* its name without dots */
    uint32_t unit;
    bool is_test; /* fixtures give its parameters their values */
    bool yields;
    bool of_class;     /* the first parameter is the class */
    bool takes_arrays; /* it may be forward() of a module, whose arguments are arrays */
};

struct pm_types__parameter {
    uint32_t name, function;
    uint32_t order, next;      /* place among the function's parameters; parameter + 1 of the one
                                * before, or 0 */
    uint32_t annotated, given; /* terms of its type and of its default, or 0 */
    uint32_t passed;           /* pass + 1 of the last one */
    uint16_t passed_count;
    uint8_t stars; /* 1 for *args, 2 for **more */
    bool is_flag;  /* it has a default other than None */
};

/* A term that a call passes to a parameter. */
struct pm_types__pass {
    uint32_t term, next; /* next: pass + 1, or 0 */
};

/* An argument of a call, or an item of a list. */
struct pm_types__argument {
    uint32_t term;
    uint32_t name; /* name + 1 of a keyword or a key, or 0 */
    uint32_t text; /* name + 1 of the text of a literal, or 0 */
    bool many;     /* with a star */
};

struct pm_types__series {
    uint32_t first, count; /* range in the list of arguments */
};

/* What a container holds. */
struct pm_types__content {
    uint32_t first, count; /* range in the list of held values */
    bool row;              /* the values are in this order; else one value represents all items */
};

struct pm_types__held {
    uint32_t name; /* name + 1 of its key, or 0 */
    struct pm_types__value value;
};

/* A call or attribute that may use the framework. */
struct pm_types__site {
    uint32_t term, line, column, inside;
    enum pm_resolve_form form;
    uint32_t framework, function; /* the use that imports gave, if any; `term` is then 0, unless a
                                   * parameter's default gave the use */
};

struct pm_types__unit {
    char *path;         /* "package/model"; NULL if the file has no path */
    bool package;       /* the file is an __init__.py */
    bool other_arrays;  /* the file imports a library with arrays of its own, such as NumPy */
    bool other_classes; /* the file imports a class of a package that is not read: its objects may
                         * have methods of the same names as arrays */
    uint32_t imported;  /* one bit per framework, also for what the imported files of the project
                         * import, and for a package that is part of it */
    uint32_t first_site, site_count, first_star, star_count;
    uint32_t end;   /* number of the term after its last one */
    uint32_t stamp; /* number of the last search that reached it */
};

#define PM_TYPES_PROJECT_LISTS(X)                                                                  \
    X(struct pm_types__term, terms)                                                                \
    X(struct pm_types__member, members)                                                            \
    X(struct pm_types__class, classes)                                                             \
    X(struct pm_types__function, functions)                                                        \
    X(struct pm_types__parameter, parameters)                                                      \
    X(struct pm_types__pass, passes)                                                               \
    X(struct pm_types__argument, arguments)                                                        \
    X(struct pm_types__series, lists)                                                              \
    X(struct pm_types__content, contents)                                                          \
    X(struct pm_types__held, held)                                                                 \
    X(struct pm_types__site, sites)                                                                \
    X(struct pm_types__unit, units)                                                                \
    X(uint32_t, bases)                                                                             \
    X(uint32_t, parents)                                                                           \
    X(uint32_t, orders)                                                                            \
    X(struct pm_types__link, links)                                                                \
    X(struct pm_types__visit, visits)                                                              \
    X(uint32_t, searched)                                                                          \
    X(uint32_t, stars)                                                                             \
    X(uint32_t, only_owners)                                                                       \
    X(uint32_t, first_owners) /* by name, in the list below; and its end */                        \
    X(uint32_t, owners)       /* classes, by the names that they have */                           \
    X(uint32_t, star_units)                                                                        \
    X(char *, names)                                                                               \
    X(uint32_t, protocols) /* names of methods of the kinds below */                               \
    X(uint32_t, outside)                                                                           \
    X(uint8_t, taken)

/* Bits that `taken` has for a name. */
#define PM_TYPES__TAKEN 1u /* a class of the project has a method of the name */
#define PM_TYPES__STORED                                                                           \
    2u                           /* a class of the project has a property of the name, or stores a \
                                  * value under it, which is rarely called */
#define PM_TYPES__GLOBAL_NAME 8u /* a module of the project has a member of the name */
#define PM_TYPES__OUTSIDE                                                                          \
    4u /* code sets the name on an object that is not known: see                                   \
        * `outside` */

#define PM_TYPES__RECENT_TERMS 4096
#define PM_TYPES__RECENT_NAMES 1024

struct pm_types_project {
    const struct pm_resolve_index *index;
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_TYPES_PROJECT_LISTS(X)
#undef X
    /* Hash tables of powers of two, at most half full. */
    struct pm_types__name_slot {
        uint32_t hash, name, length; /* name: + 1 */
    } * name_slots;
    size_t name_mask;
    struct pm_types__recent_name {
        uint64_t words[2];                  /* first 16 bytes of an identifier that has at most
                                             * 16 */
        uint32_t length, name;              /* name: + 1 */
    } recent_names[PM_TYPES__RECENT_NAMES]; /* some of the newest names, at places given by their
                                               hashes */
    char **blocks; /* memory of the names' texts; the last block is filled up to `block_used` */
    size_t block_count, block_capacity, block_used;
    uint32_t first_term;                     /* first term of the file that is being added */
    uint32_t recent[PM_TYPES__RECENT_TERMS]; /* some of the newest terms, by operation and
                                              * operands */
    uint32_t *member_slots;                  /* member + 1, by owner and name */
    size_t member_mask;
    struct pm_types__answer *answers; /* a hash table, at most half full */
    size_t answer_mask, answer_count;
    uint32_t stamp; /* number of the last search */
    uint64_t steps; /* steps that all searches among classes took: tests check how they grow */
    uint32_t shapes[PM_RESOLVE_MOST_FRAMEWORKS]; /* the class of the shapes of arrays, or NONE */
    bool has_protocols; /* some class defines what a framework's functions return for its objects,
                           as by __torch_function__() */
    bool has_proxies;   /* one of these classes also passes on all other names: its objects may be
                           arguments wherever arrays may */
    bool has_operators; /* some class defines the results of operators on one of its objects and
                           another value */
    uint32_t named;     /* one bit per framework that a file imports */
    uint32_t parts;     /* the same, for a package that is part of it (`keras`) */
    uint32_t withheld;  /* such a package runs with another framework here: its uses do not count */
    bool other_host;    /* a file names another framework that such a package can run with */
    unsigned joining, joins; /* depth and number of the containers that are being joined */
    struct pm_types__known_type *known_types; /* a hash table, at most half full */
    size_t known_type_mask, known_type_count;
    struct pm_map by_path; /* maps a unit's path to unit + 1: "package/model" */
};

/* ---- the pass over a file ------------------------------------------------------------------- */

#define PM_TYPES__MOST_SCOPES     32
#define PM_TYPES__MOST_NESTING    64 /* brackets within each other; deeper ones are skipped */
#define PM_TYPES__MOST_ITEMS      16 /* most targets or values of a list */
#define PM_TYPES__MOST_DECORATORS 8
#define PM_TYPES__MOST_CHECKS     4

struct pm_types__scope {
    size_t column;     /* column of its header; its body is further right */
    uint32_t number;   /* number of the scope in its variables; 0: the module */
    uint32_t inside;   /* name with dots */
    uint32_t class;    /* class + 1 if the scope is that of a class, else 0 */
    uint32_t function; /* function + 1 if the scope is that of a function, else 0 */
    bool inner;        /* the scope of a comprehension or lambda */
};

struct pm_types__parse {
    struct pm_types_project *project;
    const struct pm_resolve_file *file;
    uint32_t unit;
    size_t token, nesting, next_use;
    struct pm_types__scope scopes[PM_TYPES__MOST_SCOPES];
    size_t scope_count;
    uint32_t next_scope;
    struct pm_types__variable {
        uint32_t name, scope, term;
        uint32_t all; /* for a variable of the module: term of everything that is assigned to it */
    } * variables;    /* in the order of the text */
    size_t variables_count, variables_capacity;
    uint32_t *slots; /* variable + 1, by name and scope */
    size_t slot_mask;
    uint32_t *lines; /* where each line begins */
    size_t lines_count, lines_capacity;
    size_t line; /* line of the last site: the next site is on it or near it */
    struct pm_types__clause {
        uint32_t open, word; /* tokens: a bracket, and the first `for` directly in it */
    } * clauses;             /* sorted by bracket */
    size_t clauses_count, clauses_capacity;
    struct pm_types__argument *pending; /* arguments of the open brackets */
    size_t pending_count, pending_capacity;
    struct pm_types__block {
        size_t column;       /* column of the header of a block that may not run */
        size_t first;        /* the block's first change */
        uint32_t name, term; /* a variable, and what it is after the block if the block leaves the
                              * code around it */
        bool leaves;         /* the block ends with a return or a similar statement */
    } * blocks;
    size_t blocks_count, blocks_capacity;
    struct pm_types__change {
        uint32_t variable, before; /* its term before the block */
    } * changes;
    size_t changes_count, changes_capacity;
    struct pm_types__outer {
        uint32_t name, scope; /* a name, and the scope that declares it global or nonlocal */
        uint32_t target;      /* the scope that has the variable */
    } * outers;
    size_t outers_count, outers_capacity;
    struct pm_types__check {
        uint32_t name, term; /* a variable, and what it is if a condition is true */
    } checks[PM_TYPES__MOST_CHECKS];
    size_t checks_count;
    size_t values_nesting;           /* nesting of the values of a comprehension's `for`, or 0 */
    uint32_t empty_list, empty_dict; /* list + 1 of all empty ones in the file, or 0 */
    bool annotating;                 /* strings are read as types */
    uint32_t (*expression)(struct pm_types__parse *p); /* pm_types__expression(), for what is within
                                                        * brackets and strings */
    bool again; /* a value is read a second time, after the condition that checks the types of its
                   variables */
    bool other_arrays; /* the file imports a library with arrays of its own */
    bool is_fixture, is_static, is_property, is_class_method,
        is_setter; /* facts about the next function, from its decorators */
    uint32_t decorators[PM_TYPES__MOST_DECORATORS]; /* terms of the decorators of the next
                                                     * function */
    size_t decorator_count;
};

/* Moves on to the next token that is not a line end within brackets; returns its kind. */
static inline uint8_t pm_types__at(struct pm_types__parse *p)
{
    while (pm_resolve_kind(p->file, p->token) == PM_TOKEN_JOINED)
        p->token++;
    return p->token < p->file->tokens.count ? pm_resolve_kind(p->file, p->token) : PM_TOKEN_NEWLINE;
}

static inline struct pm_types__scope *pm_types__top(struct pm_types__parse *p)
{
    return &p->scopes[p->scope_count - 1];
}

/* Reads the expression that begins at the current token; returns its term. */
uint32_t pm_types__expression(struct pm_types__parse *p);
/* Returns whether a token ends what is within brackets. */
static inline bool pm_types__closes(uint8_t kind)
{
    return kind == ')' || kind == ']' || kind == '}' || kind == PM_TOKEN_NEWLINE;
}
/* The expressions within brackets. */
struct pm_types__inside {
    uint32_t single; /* term of the only expression, if there is no comma */
    uint32_t list;   /* list + 1 of the items, or 0 if none is known */
};
/* Reads what is within brackets, from the opening bracket on. */
struct pm_types__inside pm_types__bracketed(struct pm_types__parse *p);
/* Makes a list of the open arguments from `first` on, and removes them from the open ones. Returns
 * the list + 1; 0 if none of them is known. */
uint32_t pm_types__list(struct pm_types__parse *p, size_t first);
/* Reads a tuple, list, set or dict; returns its term. */
uint32_t pm_types__display(struct pm_types__parse *p);
/* Skips consecutive strings, which Python joins. Finds the uses in the fields of f-strings. */
void pm_types__strings(struct pm_types__parse *p);
/* Reads a type in quotes: a name with dots, also within Optional[]. Returns its term. */
uint32_t pm_types__quoted(struct pm_types__parse *p);
/* Skips from an opening bracket to the token after the bracket that closes it. */
void pm_types__skip_brackets(struct pm_types__parse *p);
/* Returns what imports of frameworks, and aliases of them, bind a name to; 0: nothing. */
uint32_t pm_types__bound(struct pm_types__parse *p, const struct pm_resolve_local *local);
/* Reads the type that begins at the current token; returns its term. */
uint32_t pm_types__annotation(struct pm_types__parse *p);
uint32_t pm_types__name_at(struct pm_types__parse *p, size_t token);
/* Returns the text of a number or string at the token as a name + 1; 0 for another token, and for a
 * string with a prefix. */
uint32_t pm_types__key(struct pm_types__parse *p, size_t token);

/* Finds the comprehensions of a file and where its lines begin. Call it once, before the pass. */
void pm_types__prepare(struct pm_types__parse *p);
/* Returns the token of the first `for` directly in a bracket, or 0. */
size_t pm_types__clause(const struct pm_types__parse *p, size_t open);
void pm_types__add_site(struct pm_types__parse *p, size_t token, struct pm_types__site site);
/* Returns the last use found by imports that contains the token, or NULL. */
const struct pm_resolve_use *pm_types__use(const struct pm_resolve_file *file, size_t token);
/* Returns whether imports alone decide what a use belongs to: nothing else is assigned to its
 * name. */
bool pm_types__is_settled(const struct pm_resolve_file *file, const struct pm_resolve_use *use);

/* Reads all statements of the file. */
void pm_types__statements(struct pm_types__parse *p);
/* Returns the variable of a name in a scope, or NULL. */
struct pm_types__variable *pm_types__variable(const struct pm_types__parse *p, uint32_t name,
                                              uint32_t scope);
void pm_types__assign(struct pm_types__parse *p, uint32_t name, uint32_t term);
/* Makes assignments to the name in the innermost scope go to the variable of the module if
 * `global`, else to that of the nearest enclosing function that has one. */
void pm_types__declare_outer(struct pm_types__parse *p, uint32_t name, bool global);
void pm_types__begin_block(struct pm_types__parse *p, size_t column);
/* Ends the blocks whose header is not left of the column. Such a block may not have run, so each of
 * its variables has either the new value or the one before the block. */
void pm_types__end_blocks(struct pm_types__parse *p, size_t column);

/* Binds the targets between two tokens to the term, or several targets to its items. */
void pm_types__bind_targets(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);
/* Binds an attribute of `self`; ignores other objects. `object` is the token of the object. */
void pm_types__bind_member(struct pm_types__parse *p, size_t object, uint32_t name, uint32_t term);
/* Adds the value of an assignment to an item, name[key] = term, if the name or attribute is a
 * container. */
void pm_types__fill(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);
/* Adds the term to the possible values of a plain name or an attribute of `self`. */
void pm_types__also(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);

/* The values that variables had before checks narrowed them. The checks apply until these values
 * are restored. */
struct pm_types__checked {
    struct pm_types__change before[PM_TYPES__MOST_CHECKS];
    size_t count;
};

/* Narrows variables by the checks from the first one on, until pm_types__end_checks(). */
void pm_types__begin_checks(struct pm_types__parse *p, struct pm_types__checked *known,
                            size_t first);
void pm_types__end_checks(struct pm_types__parse *p, const struct pm_types__checked *known);
/* Returns whether all checks of a condition apply if it is true; *both says whether it has an
 * `and`. */
bool pm_types__is_plain(const struct pm_types__parse *p, size_t from, size_t until, bool *both);
/* Takes the types of variables from isinstance() and similar calls in a condition, from the token
 * `from` up to here. */
void pm_types__take_checks(struct pm_types__parse *p, size_t from);
/* Binds the attribute that a call of setattr() sets. */
void pm_types__set_attribute(struct pm_types__parse *p, uint32_t object, uint32_t name,
                             uint32_t term);

void pm_types__push_scope(struct pm_types__parse *p, struct pm_types__scope scope);

/* Adds a parameter of a function, and assigns it in the innermost scope. Returns its number. */
uint32_t pm_types__parameter(struct pm_types__parse *p, uint32_t function, uint32_t name);

/* ---- values --------------------------------------------------------------------------------- */

/* Returns what is known of a node, or NULL. */
const struct pm_resolve_known *pm_types__known(const struct pm_types_project *project,
                                               uint32_t node);
bool pm_types__is_class(const struct pm_types_project *project, uint32_t node);
/* Returns an array of a framework; nothing if the framework has no class of arrays. */
struct pm_types__value pm_types__array(const struct pm_types_project *project, uint32_t framework);
/* Finds the classes of the shapes of arrays, where frameworks have one. */
void pm_types__take_shapes(struct pm_types_project *project);
bool pm_types__is_of_shape(const struct pm_types_project *project, struct pm_types__value v);
/* Returns the method that shapes have in exactly one of the frameworks (one bit each), and tuples
 * do not have; or nothing. */
struct pm_types__value pm_types__of_shape(const struct pm_types_project *project,
                                          uint32_t frameworks, uint32_t name);
bool pm_types__is_array(const struct pm_types_project *project, struct pm_types__value value);
/* Returns a value of the kind, and of the class if that is known. */
struct pm_types__value pm_types__given(const struct pm_types_project *project, uint32_t framework,
                                       enum pm_value gives, uint32_t class);
/* Returns the member of a module, a class or an instance of a framework; or nothing. */
struct pm_types__value pm_types__child(const struct pm_types_project *project,
                                       struct pm_types__value on, uint32_t name);
/* Returns the node of a name in the module or class of another node; or NONE. */
uint32_t pm_types__beside(const struct pm_types_project *project, uint32_t node, const char *name);
/* Returns the method that only arrays of the frameworks that a file imports have; or nothing. */
struct pm_types__value pm_types__only(const struct pm_types_project *project,
                                      const struct pm_types__unit *unit, uint32_t name);

/* Finds the method of arrays and the method of modules with a name, in the only framework imported
 * by the file in which they have one and no other class does; else false. */
bool pm_types__both(const struct pm_types_project *project, const struct pm_types__unit *unit,
                    uint32_t name, struct pm_types__value found[2]);

/* Finds the methods of the name that few classes have, in the only framework imported by the file
 * in which any has one. Returns their number. */
size_t pm_types__few(const struct pm_types_project *project, const struct pm_types__unit *unit,
                     uint32_t name, struct pm_types__value found[PM_RESOLVE_FEW]);

/* Returns a container of values in this order, or of one for all items. */
struct pm_types__value pm_types__container(struct pm_types_project *project,
                                           const struct pm_types__held *held, size_t count,
                                           bool row);
/* Returns a value that may be either of two. */
struct pm_types__value pm_types__either(struct pm_types_project *project, struct pm_types__value a,
                                        struct pm_types__value b);
/* Returns the content of a container or of an instance that holds something, or NULL. */
const struct pm_types__content *pm_types__content(const struct pm_types_project *project,
                                                  struct pm_types__value of);
/* Returns the name of a key that is not known, + 1. */
uint32_t pm_types__any_key(struct pm_types_project *project);
/* Returns the item of a key, name + 1, or any item where it is 0 or missing. */
struct pm_types__value pm_types__item(struct pm_types_project *project, struct pm_types__value of,
                                      uint32_t key);
/* Returns the item at a place of an ordered container. */
struct pm_types__value pm_types__nth(struct pm_types_project *project, struct pm_types__value of,
                                     uint32_t place);

/* Functions of Python that return their arguments in some form, sorted by name. */
#define PM_TYPES__BUILTINS(X)                                                                      \
    X(ABS, "abs")                                                                                  \
    X(ORDERED, "collections.OrderedDict")                                                          \
    X(DEFAULTDICT, "collections.defaultdict")                                                      \
    X(DEQUE, "collections.deque")                                                                  \
    X(COPY, "copy.copy")                                                                           \
    X(DEEPCOPY, "copy.deepcopy")                                                                   \
    X(DICT, "dict")                                                                                \
    X(EINSUM, "einops.einsum")                                                                     \
    X(PACK, "einops.pack")                                                                         \
    X(REARRANGE, "einops.rearrange")                                                               \
    X(REDUCED, "einops.reduce")                                                                    \
    X(REPEAT, "einops.repeat")                                                                     \
    X(UNPACK, "einops.unpack")                                                                     \
    X(ENUMERATE, "enumerate")                                                                      \
    X(FILTER, "filter")                                                                            \
    X(FLOAT, "float")                                                                              \
    X(PARTIAL, "functools.partial")                                                                \
    X(REDUCE, "functools.reduce")                                                                  \
    X(GETATTR, "getattr")                                                                          \
    X(INT, "int")                                                                                  \
    X(ITER, "iter")                                                                                \
    X(CHAIN, "itertools.chain")                                                                    \
    X(CYCLE, "itertools.cycle")                                                                    \
    X(LEN, "len")                                                                                  \
    X(LIST, "list")                                                                                \
    X(MAP, "map")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(MIN, "min")                                                                                  \
    X(NEXT, "next")                                                                                \
    X(PARAM, "pytest.param")                                                                       \
    X(RANGE, "range")                                                                              \
    X(REVERSED, "reversed")                                                                        \
    X(SET, "set")                                                                                  \
    X(SORTED, "sorted")                                                                            \
    X(STR, "str")                                                                                  \
    X(SUM, "sum")                                                                                  \
    X(TQDM_AUTO, "tqdm.auto.tqdm")                                                                 \
    X(TQDM, "tqdm.tqdm")                                                                           \
    X(TUPLE, "tuple")                                                                              \
    X(TYPE, "type")                                                                                \
    X(CAST, "typing.cast")                                                                         \
    X(ZIP, "zip")

enum pm_types__builtin {
#define X(id, text) PM_TYPES__##id##_BUILTIN,
    PM_TYPES__BUILTINS(X)
#undef X
        PM_TYPES__BUILTIN_COUNT
};

/* Returns the function of that name, "len" or "copy.copy"; or nothing. */
struct pm_types__value pm_types__builtin(const char *name);
/* Returns whether the functions of a module of another package return nothing that belongs to a
 * framework. */
bool pm_types__gives_plain(const char *path);

/* ---- for all -------------------------------------------------------------------------------- */

/* Returns the unit of a module's path as an import has it ("..model"), + 1, or 0. */
uint32_t pm_types__unit(const struct pm_types_project *project, uint32_t from, const char *path);
/* Returns whether a module that is not of the project is part of a library with arrays of its
 * own. */
bool pm_types__has_arrays(const char *path);
/* Returns whether a module is one of a framework with which a package that is part of another
 * framework can run instead. */
bool pm_types__is_other_host(const char *path);
/* Notes what a file imports, and whether it sets a variable that chooses such a framework. */
void pm_types__take_host(struct pm_types_project *project, const struct pm_resolve_file *file);
/* Returns whether the types of a module that is not of the project are not arrays: those that say
 * what a type is, enumerations, numbers. */
bool pm_types__is_of_types(const char *path);
/* Returns whether a name with dots is one of NumPy: no array of a framework is of such a class. */
bool pm_types__is_numpy(const char *path);
/* Adds to the imports of each file those of the project's files that it imports. */
void pm_types__spread_imports(struct pm_types_project *project);
/* Returns the unit of a module directly in a package, + 1, or 0. */
uint32_t pm_types__submodule(const struct pm_types_project *project, uint32_t package,
                             const char *name);

/* Returns the number of a name; adds the name if it is new. */
uint32_t pm_types__name(struct pm_types_project *project, const void *text, size_t length);
/* Works like pm_types__name(), but faster for a recent name. 16 bytes from `text` on must be
 * readable. */
uint32_t pm_types__identifier(struct pm_types_project *project, const unsigned char *text,
                              size_t length);
/* Returns the number of a term; adds the term if it is not among the most recent ones. */
uint32_t pm_types__term(struct pm_types_project *project, enum pm_types__op op, uint32_t a,
                        uint32_t b);
/* Forgets names and members; `release` frees their tables, too. */
void pm_types__terms_clear(struct pm_types_project *project, bool release);
/* Returns the term of a member; 0 if missing. */
uint32_t pm_types__member(const struct pm_types_project *project, uint32_t owner, uint32_t name);
/* Sets the term of a member; with `also`, adds it to the term that the member has. */
void pm_types__member_set(struct pm_types_project *project, uint32_t owner, uint32_t name,
                          uint32_t term, bool also);

/* Forgets what classes inherit from. Then the bases of each class are found, and last, which
 * classes inherit from each (finder.h). */
void pm_types__begin_bases(struct pm_types_project *project);
/* Forgets which class or module has which member. Finds the names that a single class has, and the
 * files that star imports mean. */
void pm_types__begin_owners(struct pm_types_project *project);
/* Forgets which types aliases mean. */
void pm_types__forget_types(struct pm_types_project *project);
/* Forgets which class or module has which member. */
void pm_types__forget_answers(struct pm_types_project *project);
/* Returns the module + 1 in which a module finds a name: itself, or one to which its star imports
 * lead; 0: none has it. */
uint32_t pm_types__unit_owner(struct pm_types_project *project, uint32_t unit, uint32_t name);

/* Returns whether a term looks up a shape: it cannot be an array. */
bool pm_types__is_shape(const struct pm_types_project *project, const struct pm_types__term *term);
/* Returns whether a method of this name defines the results of functions for the objects of its
 * class. */
bool pm_types__is_protocol(const char *name);
bool pm_types__is_operator(const char *name);
/* Finds what names say about values. Call it once, after all files were added. */
void pm_types__take_names(struct pm_types_project *project);
/* Forgets the values of terms. Call it after all files were added, and after parameters got more
 * arguments. */
void pm_types__begin(struct pm_types_project *project);
/* Returns the value of a term. Call pm_types__begin() first. */
struct pm_types__value pm_types__value_of(struct pm_types_project *project, uint32_t term);
/* Returns the method of the project that a call of an object of a class runs: function + 1, or
 * 0. */
uint32_t pm_types__called_method(struct pm_types_project *project, uint32_t class);
/* Returns the __init__() of a class or its bases in the project: function + 1, or 0. */
uint32_t pm_types__constructor(struct pm_types_project *project, uint32_t class);

/* Passes the arguments of all calls of the project's own functions to their parameters; false if
 * nothing is new since the last time. */
bool pm_types__pass_arguments(struct pm_types_project *project);

/* Passes the values of a decorator that runs a test with several values to the test's parameters.
 * Notes the values of a fixture. */
void pm_types__take_values(struct pm_types_project *project, uint32_t function, uint32_t decorator);

/* Says why a term has its value, as in "x: parameter of Net.forward". */
void pm_types__describe(struct pm_types_project *project, uint32_t term, struct pm_str *out);

#endif
