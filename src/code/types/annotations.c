/* Finds the values that annotations describe. */
#include <stdlib.h>

#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

/* ---- annotations ---------------------------------------------------------------------------- */

static bool is_any(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

bool pm_types__is_foreign(finder *f, uint32_t type)
{
    const value class = f->find(f, type);
    if (class.type != PM_TYPES__OTHER_MODULE)
        return false;
    const char *path = f->project->names[class.node];
    return !pm_types__is_of_types(path) && !pm_types__gives_plain(path);
}

/* Returns whether a part of a union belongs to another package, or is Any. An object of this part
 * may act as an object of the other parts. */
static bool may_be_other(finder *f, uint32_t type)
{
    const value class = f->find(f, type);
    const bool named = class.type == PM_TYPES__OTHER_MODULE;
    return (named && strcmp(f->project->names[class.node], "typing.Any") == 0) ||
           pm_types__is_foreign(f, type);
}

/* Returns an object of a type with arguments, Type[A, B]: a container, or an object of one of the
 * arguments. */
static value annotated_generic(finder *f, const struct pm_types__term *of)
{
    static const char *const lists[] = {
        "List", "list",  "Sequence", "Iterable",   "Iterator",        "Generator", "Set",
        "set",  "Deque", "deque",    "Collection", "MutableSequence", NULL};
    static const char *const dicts[] = {"Dict",           "dict",        "Mapping",
                                        "MutableMapping", "OrderedDict", "DefaultDict",
                                        "defaultdict",    NULL};
    static const char *const functions[] = {"Callable", "Type", "type", "Literal", NULL};
    const struct pm_types__term *base = &f->project->terms[of->a];
    const bool named = base->op == PM_TYPES__GLOBAL || base->op == PM_TYPES__ATTRIBUTE;
    const char *word = named ? f->project->names[base->b] : "";
    if (of->op != PM_TYPES__SUBSCRIPT || !of->b || is_any(word, functions))
        return pm_types__nothing();
    const struct pm_types__series list = f->project->lists[of->b - 1];
    const bool tuple = strcmp(word, "Tuple") == 0 || strcmp(word, "tuple") == 0;
    struct pm_types__held held[PM_TYPES__MOST_ITEMS];
    value all = {.type = PM_TYPES__NOTHING};
    uint32_t count = 0;
    bool foreign = false;
    for (uint32_t i = 0; i < list.count && count < PM_TYPES__MOST_ITEMS; i++) {
        held[count++] = (struct pm_types__held){
            0, pm_types__annotated(f, f->project->arguments[list.first + i].term)};
        all = pm_types__either(f->project, all, held[count - 1].value);
        foreign |= may_be_other(f, f->project->arguments[list.first + i].term);
    }
    all.replaced |= foreign;
    if (count == 0)
        return pm_types__nothing();
    if (tuple && count > 1 && f->project->arguments[list.first + 1].term)
        return pm_types__container(f->project, held, count, true);
    if (tuple || is_any(word, lists))
        return pm_types__container_of(f, held[0].value);
    if (is_any(word, dicts))
        return pm_types__container_of(f, held[count - 1].value);
    if (strcmp(word, "Optional") == 0 || strcmp(word, "Union") == 0)
        return all;
    return held[0].value;
}

static size_t type_slot(const struct pm_types_project *p, uint32_t term)
{
    size_t i = term * 0x9e3779b97f4a7c15u >> 24 & p->known_type_mask;
    while (p->known_types[i].term && p->known_types[i].term != term)
        i = (i + 1) & p->known_type_mask;
    return i;
}

static void keep_type(struct pm_types_project *p, uint32_t term, value found)
{
    if (p->known_type_count * 2 >= p->known_type_mask) {
        struct pm_types__known_type *old = p->known_types;
        const size_t count = old ? p->known_type_mask + 1 : 0;
        p->known_type_mask = count ? count * 2 - 1 : 255;
        p->known_types = pm_alloc((p->known_type_mask + 1) * sizeof *p->known_types);
        for (size_t i = 0; i < count; i++)
            if (old[i].term)
                p->known_types[type_slot(p, old[i].term)] = old[i];
        free(old);
    }
    struct pm_types__known_type *slot = &p->known_types[type_slot(p, term)];
    p->known_type_count += slot->term == 0;
    *slot = (struct pm_types__known_type){term, found};
}

void pm_types__forget_types(struct pm_types_project *p)
{
    free(p->known_types);
    p->known_types = NULL;
    p->known_type_mask = p->known_type_count = 0;
}

/* Returns an object of the type that a name denotes. The name may be an alias of a type. */
static value annotated_name(finder *f, uint32_t type)
{
    const struct pm_types__term *of = &f->project->terms[type];
    const value class = f->find(f, type);
    const uint32_t alias = of->op == PM_TYPES__GLOBAL && !class.type
                               ? pm_types__member(f->project, PM_TYPES__UNIT_OWNER(of->a), of->b)
                               : 0;
    value found = pm_types__nothing();
    if (alias)
        found = pm_types__annotated(f, alias);
    else if (class.type == PM_TYPES__NAMED && pm_types__is_class(f->project, class.node))
        found = pm_types__made(f, class, 0);
    else if (class.type == PM_TYPES__OWN_CLASS)
        found = pm_types__called(f, class, 0);
    else if (class.type == PM_TYPES__OTHER_MODULE)
        found = pm_types__gives_plain(f->project->names[class.node]) ? pm_types__plain() : found;
    else if (class.type == PM_TYPES__BUILTIN &&
             (class.node == PM_TYPES__INT_BUILTIN || class.node == PM_TYPES__FLOAT_BUILTIN ||
              class.node == PM_TYPES__STR_BUILTIN))
        found = pm_types__plain();
    found.declared = true;
    return found;
}

/* Returns an object of a type that contains other types. Keeps each object, because types may
 * contain one type many times. */
static value annotated_whole(finder *f, uint32_t type)
{
    enum {
        NOT_KNOWN = UINT8_MAX
    }; /* marks a type with parts that are nested too deeply and must be found first */
    struct pm_types_project *p = f->project;
    const struct pm_types__term *of = &p->terms[type];
    const struct pm_types__known_type *known =
        p->known_types ? &p->known_types[type_slot(p, type)] : NULL;
    if (known && known->term && known->value.type != NOT_KNOWN)
        return known->value;
    value found;
    keep_type(p, type, pm_types__nothing()); /* until the object is found */
    if (of->op == PM_TYPES__ARITHMETIC) {    /* Type | None */
        const value left = pm_types__annotated(f, of->a);
        found = pm_types__either(p, left, pm_types__annotated(f, of->b));
        found.replaced |= may_be_other(f, of->a) || may_be_other(f, of->b);
    } else {
        found = annotated_generic(f, of);
    }
    const value unknown = {.type = NOT_KNOWN};
    keep_type(p, type, f->deeper ? unknown : found);
    return found;
}

value pm_types__annotated(finder *f, uint32_t type)
{
    const enum pm_types__op op = (enum pm_types__op)f->project->terms[type].op;
    if (!type || f->deeper || f->depth >= PM_TYPES__MOST_CIRCLE)
        return pm_types__nothing();
    f->depth++;
    const value found =
        op == PM_TYPES__ARITHMETIC || op == PM_TYPES__SUBSCRIPT || op == PM_TYPES__ITEM
            ? annotated_whole(f, type)
            : annotated_name(f, type);
    f->depth--;
    return found;
}
