/* Declarations for the pass over a file and the pass over a project: terms, values, and the
 * definitions in a file. */
#ifndef PM_TYPES_TYPES_PRIVATE_H
#define PM_TYPES_TYPES_PRIVATE_H

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "types/project.h"

/* Appends an element to a list of the project or of the pass over a file. */
#define PM_TYPES__PUSH(holder, list, ...)                                                          \
    do {                                                                                           \
        PM_GROW((holder)->list, (holder)->list##_count, (holder)->list##_capacity);                \
        (holder)->list[(holder)->list##_count++] = __VA_ARGS__;                                    \
    } while (0)

/* ---- terms: expressions, not yet evaluated -------------------------------------------------- */

enum pm_types__op {
    PM_TYPES__UNKNOWN,
    PM_TYPES__NONE_VALUE,
    PM_TYPES__PLACE,     /* a: framework, b: node, or NONE if the names lack the place */
    PM_TYPES__ATTRIBUTE, /* a: term or 0, b: name                                  */
    PM_TYPES__FIELD, /* like ATTRIBUTE, for `values` or `indices` that is not called: arrays have
                        such methods, but some functions return a tuple with such fields */
    PM_TYPES__CALL,  /* a: term, b: list + 1 of arguments, or 0                */
    PM_TYPES__ITEM,  /* a: term, b: name + 1 of a literal index, or 0          */
    PM_TYPES__SUBSCRIPT,  /* a: term, b: list + 1 of other indices                  */
    PM_TYPES__NARROWED,   /* a: term, b: term of its type, or of a function that checks it */
    PM_TYPES__SLICE,      /* a: term                                                */
    PM_TYPES__UNPACK,     /* a: term, b: index of the target */
    PM_TYPES__LOOP,       /* a: term; the value is an item of a loop over it */
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
    PM_TYPES__DISPLAY,    /* a: list of the items of a tuple, list, set or dict     */
    PM_TYPES__HOLDS,      /* a: term of the items of a list                         */
    PM_TYPES__FILLED      /* a: term of a container with the values that an assignment to an item
                           * adds */
};

/* Each property is one bit, because a project has millions of values. */
struct pm_types__value {
    uint8_t type; /* enum pm_types__type */
    uint8_t framework;
    bool inferred : 1; /* not found by imports alone */
    bool by_name : 1;  /* found by the name of a method that only arrays or modules have */
    bool declared : 1; /* found by an annotation: the object's class may be a subclass */
    bool open : 1;     /* may also be something unknown */
    bool own : 1;      /* `of` is a class of the project */
    bool replaced : 1; /* a class of the project, or another package, may return something else
                          instead */
    bool filled : 1;   /* what assignments to items add to a container */
    uint32_t node, of;
};

enum pm_types__type {
    PM_TYPES__NO_TYPE,      /* not known: "nothing" in the comments of this room                 */
    PM_TYPES__NOTHING,      /* None                                                              */
    PM_TYPES__PLAIN,        /* known not to be an array, a module or a container of these */
    PM_TYPES__NAMED,        /* a module, function or class that a node of the index names; of: the
                             * class of the instance on which it was looked up */
    PM_TYPES__INSTANCE,     /* node: its class; of: content + 1 of the modules in it, or 0 */
    PM_TYPES__ARRAYS,       /* a tuple or list of arrays of a framework                          */
    PM_TYPES__ITEMS,        /* node: content of a tuple, list or dict                            */
    PM_TYPES__ONE_OF,       /* node: content of the values that it may be                        */
    PM_TYPES__HELD,         /* method of a container; node: its name, of: the container's content */
    PM_TYPES__BUILTIN,      /* node: function of Python (builtins.c)                             */
    PM_TYPES__PARENT,       /* super(); node: class of the project                               */
    PM_TYPES__OWN_CLASS,    /* node: class of the project                                        */
    PM_TYPES__OWN_OBJECT,   /* node: its class; of: if a framework compiled the object, the class of
                             * the object that is called in its place; otherwise NONE */
    PM_TYPES__OWN_FUNCTION, /* node: function; of: pm_types__wrapper() and the two bits below     */
    PM_TYPES__OWN_MODULE,   /* node: unit                                                        */
    PM_TYPES__OTHER_MODULE  /* node: name with dots                                             */
};

/* The two lowest bits of `of` of an OWN_FUNCTION. BOUND: it is a method whose first parameter is
 * bound. CALLABLE: a call of it is a call of the wrapper. The other bits are the class of the
 * framework's object that wraps the function, or NONE. */
#define PM_TYPES__BOUND    1u
#define PM_TYPES__CALLABLE 2u
static inline uint32_t pm_types__wrapper(struct pm_types__value function)
{
    return function.of >> 2;
}

#define PM_TYPES__PERHAPS 0x80u /* a bit of `hinted` */

struct pm_types__term {
    uint8_t op;     /* enum pm_types__op */
    uint8_t state;  /* whether its value is not found yet, being found, or found */
    uint8_t tries;  /* how often it was evaluated while it depended on itself */
    uint8_t hinted; /* framework + 1 if a method that only arrays of the framework have is looked up
                     * on it, otherwise 0; with PM_TYPES__PERHAPS if classes of a package that is
                     * not read may have the method too */
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
    uint32_t first_base, base_count; /* range in the list of bases */
    uint32_t inside;                 /* dotted name */
    /* classes.c sets the following members. */
    uint8_t state, settled;              /* whether the bases are found; whether the members that
                                          * follow from the bases are set */
    uint32_t first_parent, parent_count; /* bases in the project: range in the list of parents */
    struct pm_types__value framework;    /* the first base that belongs to a framework, or
                                          * nothing */
    uint32_t framework_place;            /* number of parents before this base */
    struct pm_types__value base;         /* the class of a framework from which it inherits first */
    uint32_t height;                     /* length of the longest way to a class without parents */
    uint32_t first_order, order_count;   /* the order in which Python searches classes: range in the
                                          * list of orders */
    uint32_t first_child;                /* link + 1 of a class that inherits from it, or 0 */
    uint32_t stamp;                      /* number of the last search that reached it */
    /* Numbers, from 1, of a depth-first walk from the classes without parents to their subclasses;
     * 0: not reached yet. `entered` and `left`: when the walk entered and left this class;
     * `last_entered`: number of the last class that the walk entered before it left this class;
     * `first_left`: the smallest `left` of this class and its subclasses. */
    uint32_t entered, last_entered, left, first_left;
    uint32_t behind; /* while orders are merged: the number of sequences in which it is not the
                      * first class */
};

/* A class that inherits from another class, in a linked list. */
struct pm_types__link {
    uint32_t class, next; /* next: link + 1, or 0 */
};

/* A class or module in which a name is being looked up. */
struct pm_types__visit {
    uint32_t class, next; /* next: index of the parent or star import that is searched next */
    uint32_t found;       /* the class + 1 that has the name, among the classes searched so far */
};

/* The object that a type in an annotation describes. */
struct pm_types__known_type {
    uint32_t term; /* 0: the slot is free */
    struct pm_types__value value;
};

/* The class or module that was found to have a name. */
struct pm_types__answer {
    uint64_t key; /* key_of() the owner where the search began and the name; 0: the slot is free */
    uint32_t found; /* class or unit + 1, or 0 if none has the name */
};

struct pm_types__function {
    uint32_t returned;                    /* term of everything that it returns, or 0 */
    uint32_t annotated;                   /* term of the type in its annotation, or 0 */
    uint32_t requested;                   /* for a fixture: term of `request.param`, or 0 */
    uint32_t parameters, parameter_count; /* last parameter + 1; number of parameters */
    uint32_t class;  /* class + 1 if the first parameter is the class or an object of it, or 0 */
    uint32_t owner;  /* class + 1 of a method, or 0 */
    uint32_t inside; /* dotted name */
    uint32_t name;   /* its name without dots */
    uint32_t unit;
    bool is_test; /* its parameters get their values from fixtures */
    bool yields;
    bool of_class;     /* the first parameter is the class */
    bool takes_arrays; /* it has the name of a method whose arguments are arrays: forward() */
};

struct pm_types__parameter {
    uint32_t name, function;
    uint32_t order, next;      /* place among the function's parameters; previous parameter + 1, or
                                * 0 */
    uint32_t annotated, given; /* terms of its type and of its default, or 0 */
    uint32_t passed;           /* last pass + 1, or 0 */
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

/* The contents of a container. */
struct pm_types__content {
    uint32_t first, count; /* range in the list of held values */
    bool row; /* one value per item, in this order; otherwise one value for all items */
};

struct pm_types__held {
    uint32_t name; /* name + 1 of its key, or 0 */
    struct pm_types__value value;
};

/* A call or attribute that may use the framework. */
struct pm_types__site {
    uint32_t term, line, column, inside;
    enum pm_resolve_form form;
    uint32_t framework, function; /* the use that imports determine, if any; `term` is 0 if imports
                                   * alone determine it */
};

struct pm_types__unit {
    char *path;         /* "package/model"; NULL if the file has no path */
    bool package;       /* the file is an __init__.py */
    bool other_arrays;  /* the file imports a library with arrays of its own, such as NumPy */
    bool other_classes; /* the file imports a class of a package that is not read: its objects may
                         * have methods with the same names as arrays */
    uint32_t imported;  /* one bit per framework that the file, or a file that it imports, imports;
                         * also for a package that is part of the framework */
    uint32_t first_site, site_count, first_star, star_count;
    uint32_t end;   /* number of the term after its last term */
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
    X(uint32_t, first_owners) /* by name: index in the list below; last: the end of the list */    \
    X(uint32_t, owners)       /* classes, sorted by the names that they have */                    \
    X(uint32_t, star_units)                                                                        \
    X(char *, names)                                                                               \
    X(uint32_t, protocols) /* names of the methods that set has_protocols or has_operators */      \
    X(uint32_t, outside)                                                                           \
    X(uint8_t, taken)

/* Bits that `taken` has for a name. TAKEN: a class of the project has a method with this name.
 * STORED: a class of the project has a property with this name, or stores a value under it, which
 * is rarely called. OUTSIDE: code sets the name on an unknown object; `outside` lists these names.
 * GLOBAL_NAME: a module of the project has a member with this name. */
#define PM_TYPES__TAKEN       1u
#define PM_TYPES__STORED      2u
#define PM_TYPES__GLOBAL_NAME 8u
#define PM_TYPES__OUTSIDE     4u

#define PM_TYPES__RECENT_TERMS 4096
#define PM_TYPES__RECENT_NAMES 1024

struct pm_types_project {
    const struct pm_resolve_index *index;
#define X(type, name)                                                                              \
    type *name;                                                                                    \
    size_t name##_count, name##_capacity;
    PM_TYPES_PROJECT_LISTS(X)
#undef X
    /* Hash tables whose sizes are powers of two, at most half full. */
    struct pm_types__name_slot {
        uint32_t hash, name, length; /* name: + 1 */
    } * name_slots;
    size_t name_mask;
    struct pm_types__recent_name {
        uint64_t words[2];                  /* the bytes of an identifier of at most 16 bytes */
        uint32_t length, name;              /* name: + 1 */
    } recent_names[PM_TYPES__RECENT_NAMES]; /* by hash: some of the newest names */
    char **blocks; /* memory of the names' texts; the last block is used up to `block_used` */
    size_t block_count, block_capacity, block_used;
    uint32_t first_term;                     /* first term of the file that is being added */
    uint32_t recent[PM_TYPES__RECENT_TERMS]; /* by hash of operation and operands: some of the
                                              * newest terms */
    uint32_t *member_slots;                  /* member + 1, by owner and name */
    size_t member_mask;
    struct pm_types__answer *answers; /* a hash table, at most half full */
    size_t answer_mask, answer_count;
    uint32_t stamp; /* number of the last search */
    uint64_t steps; /* number of steps of all searches among classes: tests check how it grows */
    uint32_t shapes[PM_RESOLVE_MOST_FRAMEWORKS]; /* the class of the shapes of arrays, or NONE */
    bool has_protocols; /* a class defines what a framework's functions return for its objects, as
                           __torch_function__() does */
    bool has_proxies;   /* one of these classes also has __getattr__(): its objects may be passed
                           wherever arrays may be */
    bool has_operators; /* a class defines the results of operators on one of its objects and
                           another value */
    uint32_t named;     /* one bit per framework that a file imports */
    uint32_t parts;     /* the same, for a package that is part of it (`keras`) */
    uint32_t withheld;  /* the same, if such a package runs with another framework: its uses do not
                           count */
    bool other_host;    /* a file names another framework with which such a package can run */
    unsigned joining, joins; /* depth and number of the containers that are being joined */
    struct pm_types__known_type *known_types; /* a hash table, at most half full */
    size_t known_type_mask, known_type_count;
    struct pm_map by_path; /* maps a unit's path to unit + 1: "package/model" */
};

/* ---- the pass over a file ------------------------------------------------------------------- */

#define PM_TYPES__MOST_SCOPES     32
#define PM_TYPES__MOST_NESTING    64 /* levels of brackets; deeper ones are skipped */
#define PM_TYPES__MOST_ITEMS      16 /* targets or values of a list */
#define PM_TYPES__MOST_DECORATORS 8
#define PM_TYPES__MOST_CHECKS     4

struct pm_types__scope {
    size_t column;     /* column of its header; the columns of its body are higher */
    uint32_t number;   /* `scope` of its variables; 0: the module */
    uint32_t inside;   /* dotted name */
    uint32_t class;    /* class + 1 if it is the scope of a class, or 0 */
    uint32_t function; /* function + 1 if it is the scope of a function, or 0 */
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
    uint32_t *lines; /* offset in the text of the beginning of each line */
    size_t lines_count, lines_capacity;
    size_t line; /* line of the last site; the next site is on or near this line */
    struct pm_types__clause {
        uint32_t open, word; /* tokens: a bracket, and the first `for` directly in it */
    } * clauses;             /* comprehensions, sorted by bracket */
    size_t clauses_count, clauses_capacity;
    struct pm_types__argument *pending; /* arguments of brackets that are not closed yet */
    size_t pending_count, pending_capacity;
    struct pm_types__block {
        size_t column;       /* column of the header of a block that may not run */
        size_t first;        /* the block's first change */
        uint32_t name, term; /* a variable, and its term after the block if the block `leaves` */
        bool leaves;         /* the block ends with a return or a similar statement */
    } * blocks;
    size_t blocks_count, blocks_capacity;
    struct pm_types__change {
        uint32_t variable, before; /* before: the variable's term before the block */
    } * changes;
    size_t changes_count, changes_capacity;
    struct pm_types__outer {
        uint32_t name, scope; /* a name, and the scope that declares it global or nonlocal */
        uint32_t target;      /* number of the scope that has the variable */
    } * outers;
    size_t outers_count, outers_capacity;
    struct pm_types__check {
        uint32_t name, term; /* a variable, and its term if a condition is true */
    } checks[PM_TYPES__MOST_CHECKS];
    size_t checks_count;
    size_t values_nesting;           /* nesting of the values of a comprehension's `for`, or 0 */
    uint32_t empty_list, empty_dict; /* list + 1 that all empty lists or dicts share, or 0 */
    bool annotating;                 /* strings are read as types */
    uint32_t (*expression)(struct pm_types__parse *p); /* pm_types__expression(), for expressions
                                                        * within brackets and strings */
    bool again; /* a value is being read a second time, because the condition after it checks the
                   types of its variables */
    bool other_arrays; /* the file imports a library with arrays of its own */
    bool is_fixture, is_static, is_property, is_class_method,
        is_setter; /* facts about the next function, from its decorators */
    uint32_t decorators[PM_TYPES__MOST_DECORATORS]; /* terms of the decorators of the next
                                                     * function */
    size_t decorator_count;
};

/* Skips line ends within brackets at the current token. Returns the kind of the current token;
 * PM_TOKEN_NEWLINE at the end of the file. */
static inline uint8_t pm_types__at(struct pm_types__parse *p)
{
    while (pm_resolve_kind(p->file, p->token) == PM_TOKEN_JOINED)
        p->token++;
    return p->token < p->file->tokens.count ? pm_resolve_kind(p->file, p->token) : PM_TOKEN_NEWLINE;
}

/* Returns the innermost scope. */
static inline struct pm_types__scope *pm_types__top(struct pm_types__parse *p)
{
    return &p->scopes[p->scope_count - 1];
}

/* Reads the expression that begins at the current token; returns its term. */
uint32_t pm_types__expression(struct pm_types__parse *p);
/* Returns whether a token of this kind ends the expressions within brackets. */
static inline bool pm_types__closes(uint8_t kind)
{
    return kind == ')' || kind == ']' || kind == '}' || kind == PM_TOKEN_NEWLINE;
}
/* The expressions within brackets. */
struct pm_types__inside {
    uint32_t single; /* term of the only expression, if there is no comma */
    uint32_t list;   /* list + 1 of the items, or 0 if none is known */
};
/* Reads the expressions within brackets; the current token is the opening bracket. */
struct pm_types__inside pm_types__bracketed(struct pm_types__parse *p);
/* Makes a list of the pending arguments from `first` on, and removes them from `pending`. Returns
 * the list + 1; 0 if no argument has a term. */
uint32_t pm_types__list(struct pm_types__parse *p, size_t first);
/* Reads a tuple, list, set or dict; returns its term. */
uint32_t pm_types__display(struct pm_types__parse *p);
/* Skips consecutive strings, which Python joins. Finds the uses in the fields of f-strings. */
void pm_types__strings(struct pm_types__parse *p);
/* Reads a type in quotes: a name with dots, also within Optional[]. Returns its term. */
uint32_t pm_types__quoted(struct pm_types__parse *p);
/* Skips from an opening bracket to the token after the bracket that closes it. */
void pm_types__skip_brackets(struct pm_types__parse *p);
/* Returns the term of the places to which imports of frameworks, and aliases of these, bind a
 * local; 0 if there are none. */
uint32_t pm_types__bound(struct pm_types__parse *p, const struct pm_resolve_local *local);
/* Reads the type that begins at the current token. Returns the term of an object of this type. */
uint32_t pm_types__annotation(struct pm_types__parse *p);
/* Returns the name at `token`. */
uint32_t pm_types__name_at(struct pm_types__parse *p, size_t token);
/* Returns the text of a number or string at the token as a name + 1; 0 for another token, and for
 * a string that is empty, has a prefix or is longer than 62 bytes. */
uint32_t pm_types__key(struct pm_types__parse *p, size_t token);

/* Finds the comprehensions and the lines of a file. Call it once, before the pass. */
void pm_types__prepare(struct pm_types__parse *p);
/* Returns the token of the first `for` directly in a bracket, or 0. */
size_t pm_types__clause(const struct pm_types__parse *p, size_t open);
/* Adds a site at the place of a token. */
void pm_types__add_site(struct pm_types__parse *p, size_t token, struct pm_types__site site);
/* Returns the last use in file->uses whose chain contains the token, or NULL. */
const struct pm_resolve_use *pm_types__use(const struct pm_resolve_file *file, size_t token);
/* Returns whether imports alone determine a use, because nothing else binds its name. */
bool pm_types__is_settled(const struct pm_resolve_file *file, const struct pm_resolve_use *use);

/* Reads all statements of the file. */
void pm_types__statements(struct pm_types__parse *p);
/* Returns the variable of a name in a scope, or NULL. */
struct pm_types__variable *pm_types__variable(const struct pm_types__parse *p, uint32_t name,
                                              uint32_t scope);
/* Assigns a term to a variable of the innermost scope, or of an outer scope that the innermost one
 * declares. In a class, also sets the member of the class. */
void pm_types__assign(struct pm_types__parse *p, uint32_t name, uint32_t term);
/* Handles `global name` or `nonlocal name` in the innermost scope: later assignments to the name
 * change the variable of the module, or of the nearest enclosing function that has one. */
void pm_types__declare_outer(struct pm_types__parse *p, uint32_t name, bool global);
/* Begins a block that may not run, whose header is at the column. */
void pm_types__begin_block(struct pm_types__parse *p, size_t column);
/* Ends the blocks whose headers are at the column or to the right of it. Such a block may not have
 * run, so each of its variables has either the new value or its value before the block. */
void pm_types__end_blocks(struct pm_types__parse *p, size_t column);

/* Binds the target between two tokens to a term, or several targets to the items of the term. */
void pm_types__bind_targets(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);
/* Binds an attribute of `self`; ignores other objects. `object` is the token of the object. */
void pm_types__bind_member(struct pm_types__parse *p, size_t object, uint32_t name, uint32_t term);
/* Handles an assignment to an item, name[key] = term: adds the term to the items of the name or
 * attribute, if it is a container. */
void pm_types__fill(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);
/* Adds the term to the possible values of a plain name or an attribute of `self`. */
void pm_types__also(struct pm_types__parse *p, size_t from, size_t until, uint32_t term);

/* The values that variables had before checks narrowed them. The checks apply until these values
 * are restored. */
struct pm_types__checked {
    struct pm_types__change before[PM_TYPES__MOST_CHECKS];
    size_t count;
};

/* Narrows variables by the checks from number `first` on, until pm_types__end_checks(). */
void pm_types__begin_checks(struct pm_types__parse *p, struct pm_types__checked *known,
                            size_t first);
void pm_types__end_checks(struct pm_types__parse *p, const struct pm_types__checked *known);
/* Returns whether all checks of a condition hold if the condition is true. Sets *both if it has an
 * `and`. */
bool pm_types__is_plain(const struct pm_types__parse *p, size_t from, size_t until, bool *both);
/* Narrows variables by the checks, such as isinstance(), of the condition from the token `from` up
 * to the current token. */
void pm_types__take_checks(struct pm_types__parse *p, size_t from);
/* Binds the attribute that a call of setattr() sets. */
void pm_types__set_attribute(struct pm_types__parse *p, uint32_t object, uint32_t name,
                             uint32_t term);

/* Begins a scope, and sets its number. */
void pm_types__push_scope(struct pm_types__parse *p, struct pm_types__scope scope);

/* Adds a parameter of a function, and assigns it in the innermost scope. Returns its number. */
uint32_t pm_types__parameter(struct pm_types__parse *p, uint32_t function, uint32_t name);

/* ---- values --------------------------------------------------------------------------------- */

/* Returns the fact about a node, or NULL. */
const struct pm_resolve_known *pm_types__known(const struct pm_types_project *project,
                                               uint32_t node);
/* Returns whether a node is a class of a framework. */
bool pm_types__is_class(const struct pm_types_project *project, uint32_t node);
/* Returns an array of a framework; nothing if the framework has no class of arrays. */
struct pm_types__value pm_types__array(const struct pm_types_project *project, uint32_t framework);
/* Finds the class of the shapes of each framework's arrays, if there is such a class. */
void pm_types__take_shapes(struct pm_types_project *project);
/* Returns whether a value is the shape of an array. */
bool pm_types__is_of_shape(const struct pm_types_project *project, struct pm_types__value v);
/* Returns the method `name` of the shapes of the frameworks (one bit each). Returns nothing if
 * tuples also have the method, or if it is not clear which framework is meant. */
struct pm_types__value pm_types__of_shape(const struct pm_types_project *project,
                                          uint32_t frameworks, uint32_t name);
/* Returns whether a value is an array of a framework. */
bool pm_types__is_array(const struct pm_types_project *project, struct pm_types__value value);
/* Returns a value of the kind `gives`, with the class unless it is NONE. */
struct pm_types__value pm_types__given(const struct pm_types_project *project, uint32_t framework,
                                       enum pm_value gives, uint32_t class);
/* Returns the member of a module, a class or an instance of a framework; or nothing. */
struct pm_types__value pm_types__child(const struct pm_types_project *project,
                                       struct pm_types__value on, uint32_t name);
/* Returns the node of a name in the same module or class as another node; or NONE. */
uint32_t pm_types__beside(const struct pm_types_project *project, uint32_t node, const char *name);
/* Returns the method `name` if the name identifies arrays or modules of a framework that the file
 * imports; otherwise nothing. */
struct pm_types__value pm_types__only(const struct pm_types_project *project,
                                      const struct pm_types__unit *unit, uint32_t name);

/* Finds the methods `name` of arrays and of modules, if exactly one of the frameworks that the file
 * imports has a method with this name, and only its arrays and modules have one. Otherwise returns
 * false. */
bool pm_types__both(const struct pm_types_project *project, const struct pm_types__unit *unit,
                    uint32_t name, struct pm_types__value found[2]);

/* Finds the methods `name`, if only a few classes of a single framework have one and the file
 * imports this framework. Returns their number. */
size_t pm_types__few(const struct pm_types_project *project, const struct pm_types__unit *unit,
                     uint32_t name, struct pm_types__value found[PM_RESOLVE_FEW]);

/* Returns a container of values: with `row`, one per item in this order; otherwise one value for
 * all items. */
struct pm_types__value pm_types__container(struct pm_types_project *project,
                                           const struct pm_types__held *held, size_t count,
                                           bool row);
/* Returns a value that may be `a` or `b`. */
struct pm_types__value pm_types__either(struct pm_types_project *project, struct pm_types__value a,
                                        struct pm_types__value b);
/* Returns the contents of a container, or of an instance with modules in it; or NULL. */
const struct pm_types__content *pm_types__content(const struct pm_types_project *project,
                                                  struct pm_types__value of);
/* Returns the name + 1 that stands for an unknown key. */
uint32_t pm_types__any_key(struct pm_types_project *project);
/* Returns the item of a key (name + 1); any item if the key is 0 or missing. */
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

/* Returns the function with a name such as "len" or "copy.copy"; or nothing. */
struct pm_types__value pm_types__builtin(const char *name);
/* Returns whether the functions of a module of another package return only values that do not
 * belong to a framework. */
bool pm_types__gives_plain(const char *path);

/* ---- for all files of the project ----------------------------------------------------------- */

/* Returns the unit + 1 of the module that an import in the unit `from` names by `path`, such as
 * "..model"; 0 if the project does not have it. */
uint32_t pm_types__unit(const struct pm_types_project *project, uint32_t from, const char *path);
/* Returns whether a module outside the project belongs to a library with arrays of its own. */
bool pm_types__has_arrays(const char *path);
/* Returns whether a module belongs to JAX or PyTorch. A package that is part of another framework
 * (`keras`) can run with these instead. */
bool pm_types__is_other_host(const char *path);
/* Records which frameworks, and which packages that are part of one, a file imports, and whether it
 * sets a variable that selects another framework for such a package. */
void pm_types__take_host(struct pm_types_project *project, const struct pm_resolve_file *file);
/* Returns whether the types of a module outside the project cannot be arrays: it has types for
 * annotations, enumerations or numbers. */
bool pm_types__is_of_types(const char *path);
/* Returns whether a dotted name belongs to NumPy. No framework's array has such a class. */
bool pm_types__is_numpy(const char *path);
/* Adds to the imports of each file the imports of the project's files that it imports. */
void pm_types__spread_imports(struct pm_types_project *project);
/* Returns the unit + 1 of a module directly in a package, or 0. */
uint32_t pm_types__submodule(const struct pm_types_project *project, uint32_t package,
                             const char *name);

/* Returns the number of a name; adds the name if it is new. */
uint32_t pm_types__name(struct pm_types_project *project, const void *text, size_t length);
/* Works like pm_types__name(), but is faster for a recent name. The 16 bytes at `text` must be
 * readable. */
uint32_t pm_types__identifier(struct pm_types_project *project, const unsigned char *text,
                              size_t length);
/* Returns the number of a term, and adds the term unless it is among the most recent ones. Returns
 * 0 for PM_TYPES__UNKNOWN. */
uint32_t pm_types__term(struct pm_types_project *project, enum pm_types__op op, uint32_t a,
                        uint32_t b);
/* Removes names and members. With `release`, also frees their tables. */
void pm_types__terms_clear(struct pm_types_project *project, bool release);
/* Returns the term of a member; 0 if there is none. */
uint32_t pm_types__member(const struct pm_types_project *project, uint32_t owner, uint32_t name);
/* Sets the term of a member. With `also`, the member may have either its old value or the
 * new one. */
void pm_types__member_set(struct pm_types_project *project, uint32_t owner, uint32_t name,
                          uint32_t term, bool also);

/* Clears the bases and subclasses of all classes. Next, call pm_types__find_bases() for each class,
 * and then pm_types__end_bases() (finder.h). */
void pm_types__begin_bases(struct pm_types_project *project);
/* Clears the answers of earlier look-ups. Finds the names that a single class has, and the files
 * that star imports name. */
void pm_types__begin_owners(struct pm_types_project *project);
/* Clears the objects that types in annotations describe. */
void pm_types__forget_types(struct pm_types_project *project);
/* Clears the answers to which class or module has a name. */
void pm_types__forget_answers(struct pm_types_project *project);
/* Returns the module + 1 in which a module finds a name: the module itself, or a module to which
 * its star imports lead. Returns 0 if none has it. */
uint32_t pm_types__unit_owner(struct pm_types_project *project, uint32_t unit, uint32_t name);

/* Returns whether a term looks up a shape, which cannot be an array. */
bool pm_types__is_shape(const struct pm_types_project *project, const struct pm_types__term *term);
/* Returns whether a method with this name defines the results of a framework's functions for the
 * objects of its class. */
bool pm_types__is_protocol(const char *name);
/* Returns whether a method with this name defines the results of an operator. */
bool pm_types__is_operator(const char *name);
/* Sets `taken`, `protocols`, the imports of all files, the shapes and the hints of terms. Call it
 * once, after all files have been added. */
void pm_types__take_names(struct pm_types_project *project);
/* Clears the values of terms. Call it after all files have been added, and again after more
 * arguments have been passed to parameters. */
void pm_types__begin(struct pm_types_project *project);
/* Returns the value of a term. Call pm_types__begin() first. */
struct pm_types__value pm_types__value_of(struct pm_types_project *project, uint32_t term);
/* Returns the method of the project that a call of an object of a class runs, as function + 1; or
 * 0. */
uint32_t pm_types__called_method(struct pm_types_project *project, uint32_t class);
/* Returns the __init__() of a class or its bases in the project: function + 1, or 0. */
uint32_t pm_types__constructor(struct pm_types_project *project, uint32_t class);

/* Passes the arguments of all calls of the project's own functions to their parameters. Returns
 * false if no argument is new. */
bool pm_types__pass_arguments(struct pm_types_project *project);

/* Passes the values of a decorator that runs a test with several values to the test's parameters.
 * For a fixture, sets `requested` to its values. */
void pm_types__take_values(struct pm_types_project *project, uint32_t function, uint32_t decorator);

/* Appends to `out` why a term has its value, as in "x: parameter of Net.forward". */
void pm_types__describe(struct pm_types_project *project, uint32_t term, struct pm_str *out);

#endif
