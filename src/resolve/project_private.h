/* What the passes over files and over the project share: terms, and what was found in files. */
#ifndef PM_RESOLVE_PROJECT_PRIVATE_H
#define PM_RESOLVE_PROJECT_PRIVATE_H

#include "base/map.h"
#include "resolve/project.h"
#include "resolve/resolve_private.h"

/* ---- terms: expressions, without what they stand for ---------------------------------------- */

enum pm_resolve__op {
    PM_RESOLVE__UNKNOWN,
    PM_RESOLVE__NONE_VALUE,
    PM_RESOLVE__PLACE,      /* a: framework, b: node                                  */
    PM_RESOLVE__ATTRIBUTE,  /* a: term, b: name                                       */
    PM_RESOLVE__CALL,       /* a: term                                                */
    PM_RESOLVE__ITEM,       /* a: term; of a subscript or a loop                      */
    PM_RESOLVE__ARITHMETIC, /* a, b: terms                                            */
    PM_RESOLVE__EITHER,     /* a, b: terms                                            */
    PM_RESOLVE__ANNOTATED,  /* a: term of a type                                      */
    PM_RESOLVE__INPUT,      /* a: class that has the parameter's function             */
    PM_RESOLVE__SELF,       /* a: class                                               */
    PM_RESOLVE__CLASS,      /* a: class                                               */
    PM_RESOLVE__FUNCTION,   /* a: function                                            */
    PM_RESOLVE__GLOBAL,     /* a: unit, b: name                                       */
    PM_RESOLVE__IMPORT      /* a: unit that imports, b: name with dots                */
};

struct pm_resolve__value {
    enum pm_resolve__type {
        PM_RESOLVE__NO_TYPE,
        PM_RESOLVE__NOTHING,    /* None                                               */
        PM_RESOLVE__NAMED,      /* what a node of the index names: module, function, class; of:
                                   the class of the instance that it was looked up on */
        PM_RESOLVE__INSTANCE,   /* of the class at a node                             */
        PM_RESOLVE__ARRAYS,     /* of a framework                                     */
        PM_RESOLVE__OWN_CLASS,  /* node: class of the project                         */
        PM_RESOLVE__OWN_OBJECT, /* node: its class                                    */
        PM_RESOLVE__OWN_FUNCTION,
        PM_RESOLVE__OWN_MODULE  /* node: unit                                         */
    } type;
    uint32_t framework, node, of;
    bool inferred; /* by more than imports */
};

struct pm_resolve__term {
    uint8_t op;
    uint8_t state; /* of its value: unknown yet, being found, known */
    uint32_t a, b;
    struct pm_resolve__value value;
};

/* ---- what files define ---------------------------------------------------------------------- */

struct pm_resolve__member {
    uint32_t name, term, next; /* next: member + 1, or 0 */
};

struct pm_resolve__class {
    uint32_t members;        /* member + 1 of the last one */
    uint32_t first_base, base_count; /* in the list of bases */
};

struct pm_resolve__function {
    uint32_t returned; /* term of all that it returns, together */
    bool returns;
};

/* A call or attribute that may be of the framework. */
struct pm_resolve__site {
    uint32_t term, line, column, inside;
    enum pm_resolve_form form;
    uint32_t framework, function; /* of a use that imports gave: then `term` is 0 */
};

struct pm_resolve__unit {
    char *path;               /* "package/model", NULL where the file has none */
    bool package;             /* it is an __init__ */
    uint32_t first_site, site_count, first_star, star_count;
};

#define PM_RESOLVE_PROJECT_LISTS(X)                                                               \
    X(struct pm_resolve__term, terms)                                                             \
    X(struct pm_resolve__member, members)                                                         \
    X(struct pm_resolve__class, classes)                                                          \
    X(struct pm_resolve__function, functions)                                                     \
    X(struct pm_resolve__site, sites)                                                             \
    X(struct pm_resolve__unit, units)                                                             \
    X(uint32_t, bases)                                                                            \
    X(uint32_t, stars)                                                                            \
    X(uint32_t, lines) /* of the file that is being added: where each begins */                   \
    X(char *, names)

struct pm_resolve_project {
    const struct pm_resolve_index *index;
#define X(type, name)                                                                             \
    type *name;                                                                                   \
    size_t name##_count, name##_capacity;
    PM_RESOLVE_PROJECT_LISTS(X)
#undef X
    /* Hash tables of powers of two, at most half full. */
    struct pm_resolve__name_slot {
        uint32_t hash, name, length; /* name: + 1 */
    } * name_slots;
    size_t name_mask;
    char **blocks; /* of the names' texts; the last one is filled up to `block_used` */
    size_t block_count, block_capacity, block_used;
    struct pm_resolve__module_slot {
        uint32_t unit, name, term; /* unit: + 1 */
    } * module_slots; /* what modules have */
    size_t module_mask, module_count;
    struct pm_map by_path; /* of units, "package/model" -> unit + 1 */
};

/* ---- the pass over a file ------------------------------------------------------------------- */

#define PM_RESOLVE__MOST_SCOPES  32
#define PM_RESOLVE__MOST_NESTING 64 /* brackets within each other; deeper ones are skipped */
#define PM_RESOLVE__MOST_ITEMS   16 /* of a list of targets or values */

struct pm_resolve__scope {
    size_t column;     /* of its header; its body is further right */
    uint32_t number;   /* of its variables; 0: the module */
    uint32_t inside;   /* name with dots */
    uint32_t class;    /* class + 1 where it is a class's, else 0 */
    uint32_t function; /* function + 1 where it is a function's, else 0 */
};

struct pm_resolve__parse {
    struct pm_resolve_project *project;
    const struct pm_resolve_file *file;
    uint32_t unit;
    size_t token, nesting, next_use;
    struct pm_resolve__scope scopes[PM_RESOLVE__MOST_SCOPES];
    size_t scope_count;
    uint32_t next_scope;
    struct pm_resolve__variable {
        uint32_t name, scope, term;
    } * variables; /* in the order of the text */
    size_t variables_count, variables_capacity;
    uint32_t *slots; /* variable + 1, by name and scope */
    size_t slot_mask;
    size_t line; /* of the last place, from 0 */
    bool is_static, is_property, is_class_method; /* what decorators say of the next function */
};

/* Goes on to the next token that is not a line end within brackets; gives its kind. */
static inline uint8_t pm_resolve__at(struct pm_resolve__parse *p)
{
    while (pm_resolve__kind(p->file, p->token) == PM_TOKEN_JOINED)
        p->token++;
    return p->token < p->file->tokens.count ? pm_resolve__kind(p->file, p->token)
                                            : PM_TOKEN_NEWLINE;
}

/* The expression at the token, up to what cannot be of it: its term. */
uint32_t pm_resolve__expression(struct pm_resolve__parse *p);
uint32_t pm_resolve__name_at(struct pm_resolve__parse *p, size_t token);
void pm_resolve__add_site(struct pm_resolve__parse *p, size_t token,
                          struct pm_resolve__site site);
/* Statements from the first token to the last. */
void pm_resolve__statements(struct pm_resolve__parse *p);
/* The variable of a name in a scope, or NULL. */
struct pm_resolve__variable *pm_resolve__variable(const struct pm_resolve__parse *p, uint32_t name,
                                                  uint32_t scope);
void pm_resolve__assign(struct pm_resolve__parse *p, uint32_t name, uint32_t term);

/* ---- for all -------------------------------------------------------------------------------- */

/* The unit of a module's path as an import has it ("..model"), + 1, or 0. */
uint32_t pm_resolve__unit(const struct pm_resolve_project *project, uint32_t from,
                          const char *path);

uint32_t pm_resolve__name(struct pm_resolve_project *project, const void *text, size_t length);
uint32_t pm_resolve__term(struct pm_resolve_project *project, enum pm_resolve__op op, uint32_t a,
                          uint32_t b);
/* The term of `name` in a module; 0 if missing. A name that is set already keeps its term. */
uint32_t pm_resolve__module_member(const struct pm_resolve_project *project, uint32_t unit,
                                   uint32_t name);
void pm_resolve__module_set(struct pm_resolve_project *project, uint32_t unit, uint32_t name,
                            uint32_t term);
/* Forgets names and terms; `release` frees their tables, too. */
void pm_resolve__terms_clear(struct pm_resolve_project *project, bool release);
/* The term of `name` among members, the newest first; 0 if missing. */
uint32_t pm_resolve__member(const struct pm_resolve_project *project, uint32_t members,
                            uint32_t name);
void pm_resolve__member_set(struct pm_resolve_project *project, uint32_t *members, uint32_t name,
                            uint32_t term, bool also);
/* What a term stands for. */
struct pm_resolve__value pm_resolve__value_of(struct pm_resolve_project *project, uint32_t term);

#endif
