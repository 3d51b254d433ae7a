/* What annotations say. */
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

/* Type[A, B]: of one of them, or a container. */
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
    for (uint32_t i = 0; i < list.count && count < PM_TYPES__MOST_ITEMS; i++) {
        held[count++] = (struct pm_types__held){
            0, pm_types__annotated(f, f->project->arguments[list.first + i].term)};
        all = pm_types__either(f->project, all, held[count - 1].value);
    }
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

value pm_types__annotated(finder *f, uint32_t type)
{
    const struct pm_types__term *of = &f->project->terms[type];
    value found = pm_types__nothing();
    if (!type || f->depth >= PM_TYPES__MOST_CIRCLE)
        return found;
    f->depth++;
    if (of->op == PM_TYPES__ARITHMETIC) { /* Type | None */
        const value left = pm_types__annotated(f, of->a);
        found = pm_types__either(f->project, left, pm_types__annotated(f, of->b));
    } else if (of->op == PM_TYPES__SUBSCRIPT || of->op == PM_TYPES__ITEM) {
        found = annotated_generic(f, of);
    } else {
        const value class = f->find(f, type);
        const uint32_t alias =
            of->op == PM_TYPES__GLOBAL && !class.type
                ? pm_types__member(f->project, PM_TYPES__UNIT_OWNER(of->a), of->b)
                : 0;
        if (alias)
            found = pm_types__annotated(f, alias);
        else if (class.type == PM_TYPES__NAMED && pm_types__is_class(f->project, class.node))
            found = pm_types__made(f, class, 0);
        else if (class.type == PM_TYPES__OWN_CLASS)
            found = pm_types__called(f, class, 0);
        else if (class.type == PM_TYPES__BUILTIN ||
                 (class.type == PM_TYPES__OTHER_MODULE &&
                  pm_types__gives_plain(f->project->names[class.node])))
            found = class.node == PM_TYPES__INT_BUILTIN || class.node == PM_TYPES__FLOAT_BUILTIN ||
                            class.node == PM_TYPES__STR_BUILTIN ||
                            class.type == PM_TYPES__OTHER_MODULE
                        ? pm_types__plain()
                        : pm_types__nothing();
        found.declared = true;
    }
    f->depth--;
    return found;
}
