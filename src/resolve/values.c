/* What terms are, over the files of a project. */
#include <limits.h>
#include <stdlib.h>

#include "base/stop.h"
#include "resolve/project_private.h"

/* Terms are found in order, so that this is only how far names lead from file to file, and ahead in
 * a file. */
#define MOST_DEPTH 128
#define MOST_ITEMS 64
#define MOST_TRIES 3

enum { UNSEEN, SEEN, FOUND };

struct finder {
    struct pm_resolve_project *project;
    unsigned depth;
    unsigned lowest; /* depth of the first term that is being found and was asked for again */
    bool gave_up;    /* on something deeper: what depends on it stays open */
};

typedef struct pm_resolve__value value;

static value find(struct finder *f, uint32_t term);
static value attribute(struct finder *f, value on, uint32_t name);
static value called(struct finder *f, value on, uint32_t list);

static value nothing(void)
{
    return (value){0};
}

static value plain(void)
{
    return (value){.type = PM_RESOLVE__PLAIN, .inferred = true};
}

static uint32_t name_of(struct finder *f, const char *text)
{
    return pm_resolve__name(f->project, text, strlen(text));
}

/* Asks each of the values that it may be. */
static value each(struct finder *f, value of, value (*ask)(struct finder *, value, uint32_t),
                  uint32_t which)
{
    const struct pm_resolve__content several = f->project->contents[of.node];
    value found = {.type = PM_RESOLVE__NOTHING};
    for (uint32_t i = 0; i < several.count; i++)
        found = pm_resolve__either(f->project, found,
                                   ask(f, f->project->held[several.first + i].value, which));
    return found;
}

/* ---- the project's own classes -------------------------------------------------------------- */

/* The class of the framework that a class inherits from first; its type is NAMED, or nothing. */
static value framework_base(struct finder *f, uint32_t class)
{
    const struct pm_resolve__class *of = &f->project->classes[class];
    value found = nothing();
    if (f->depth++ < MOST_DEPTH)
        for (uint32_t i = 0; i < of->base_count && !found.type; i++) {
            const value base = find(f, f->project->bases[of->first_base + i]);
            if (base.type == PM_RESOLVE__NAMED && pm_resolve__is_class(f->project, base.node))
                found = base;
            else if (base.type == PM_RESOLVE__OWN_CLASS)
                found = framework_base(f, base.node);
        }
    f->depth--;
    return found;
}

static value inherited(struct finder *f, uint32_t class, uint32_t name);

/* What a class or its bases in the project have under a name. */
static value own_member(struct finder *f, uint32_t class, uint32_t name)
{
    const uint32_t term = pm_resolve__member(f->project, f->project->classes[class].members, name);
    value found = term ? find(f, term) : inherited(f, class, name);
    found.inferred = true;
    return found;
}

static value inherited(struct finder *f, uint32_t class, uint32_t name)
{
    const struct pm_resolve__class *of = &f->project->classes[class];
    value found = nothing();
    if (f->depth++ < MOST_DEPTH)
        for (uint32_t i = 0; i < of->base_count && !found.type; i++) {
            const value base = find(f, f->project->bases[of->first_base + i]);
            if (base.type == PM_RESOLVE__OWN_CLASS)
                found = own_member(f, base.node, name);
        }
    f->depth--;
    return found;
}

/* What the framework's class has that an own class inherits from. */
static value framework_member(struct finder *f, uint32_t class, uint32_t name)
{
    value base = framework_base(f, class);
    if (!base.type)
        return base;
    base.type = PM_RESOLVE__INSTANCE;
    value found = pm_resolve__child(f->project, base, name);
    found.inferred = true;
    if (found.type == PM_RESOLVE__NAMED) {
        found.own = true;
        found.of = class;
    }
    return found;
}

static value object_attribute(struct finder *f, value on, uint32_t name)
{
    value found =
        on.type == PM_RESOLVE__PARENT ? inherited(f, on.node, name) : own_member(f, on.node, name);
    if (found.type == PM_RESOLVE__OWN_FUNCTION)
        found.of = on.type != PM_RESOLVE__OWN_CLASS || f->project->functions[found.node].of_class;
    if (found.type && found.type != PM_RESOLVE__NOTHING)
        return found;
    const value base = framework_member(f, on.node, name);
    return base.type ? base : found;
}

static uint32_t own_method(struct finder *f, uint32_t class, const char *name)
{
    const value found = own_member(f, class, name_of(f, name));
    return found.type == PM_RESOLVE__OWN_FUNCTION ? found.node + 1 : 0;
}

static uint32_t called_method(struct finder *f, uint32_t class)
{
    static const char *const methods[] = {"forward", "call", "__call__"};
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !found; i++)
        found = own_method(f, class, methods[i]);
    return found;
}

uint32_t pm_resolve__called_method(struct pm_resolve_project *project, uint32_t class)
{
    return called_method(&(struct finder){.project = project, .lowest = UINT_MAX}, class);
}

uint32_t pm_resolve__constructor(struct pm_resolve_project *project, uint32_t class)
{
    return own_method(&(struct finder){.project = project, .lowest = UINT_MAX}, class, "__init__");
}

/* ---- modules -------------------------------------------------------------------------------- */

static value module_member(struct finder *f, uint32_t unit, uint32_t name)
{
    const struct pm_resolve__unit *of = &f->project->units[unit];
    const uint32_t term = pm_resolve__member(f->project, of->members, name);
    value found = nothing();
    if (f->depth++ < MOST_DEPTH) {
        found = term ? find(f, term) : found;
        for (uint32_t i = 0; !term && i < of->star_count && !found.type; i++) {
            const value star = find(f, f->project->stars[of->first_star + i]);
            if (star.type == PM_RESOLVE__OWN_MODULE && star.node != unit)
                found = module_member(f, star.node, name);
        }
    }
    f->depth--;
    return found;
}

/* A module below one that is not of the project, or a function of it that is known. */
static value below(struct finder *f, value module, uint32_t name)
{
    char *path = pm_format("%s.%s", f->project->names[module.node], f->project->names[name]);
    value found = pm_resolve__builtin(path);
    if (!found.type)
        found = (value){.type = PM_RESOLVE__OTHER_MODULE, .node = name_of(f, path)};
    free(path);
    return found;
}

/* An attribute of an import may be a module below it. */
static value imported_attribute(struct finder *f, const struct pm_resolve__term *import,
                                uint32_t name)
{
    const char *path = f->project->names[import->b];
    const size_t length = strlen(path);
    const bool dots = length == 0 || path[length - 1] == '.';
    char *below = pm_format("%s%s%s", path, dots ? "" : ".", f->project->names[name]);
    const uint32_t unit = pm_resolve__unit(f->project, import->a, below);
    free(below);
    return unit ? (value){.type = PM_RESOLVE__OWN_MODULE, .node = unit - 1} : nothing();
}

static value imported(struct finder *f, const struct pm_resolve__term *term)
{
    const char *path = f->project->names[term->b];
    const uint32_t unit = pm_resolve__unit(f->project, term->a, path);
    if (unit)
        return (value){.type = PM_RESOLVE__OWN_MODULE, .node = unit - 1};
    return *path != '.' ? (value){.type = PM_RESOLVE__OTHER_MODULE, .node = term->b} : nothing();
}

/* Whether what a library's functions give is no framework's. */
static bool gives_plain(const char *path)
{
    static const char *const libraries[] = {"numpy", "pandas", "math", "random", "os",   "json",
                                            "re",    "time",   "PIL",  "cv2",    "scipy"};
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i]) == length && strncmp(libraries[i], path, length) == 0)
            return true;
    return false;
}

static value global(struct finder *f, uint32_t unit, uint32_t name)
{
    const value found = module_member(f, unit, name);
    const struct pm_resolve__unit *of = &f->project->units[unit];
    if (found.type || pm_resolve__member(f->project, of->members, name))
        return found;
    return pm_resolve__builtin(f->project->names[name]);
}

/* ---- attributes ----------------------------------------------------------------------------- */

static value attribute(struct finder *f, value on, uint32_t name)
{
    value found = nothing();
    switch ((enum pm_resolve__type)on.type) {
    case PM_RESOLVE__NAMED:
        return pm_resolve__child(f->project, on, name);
    case PM_RESOLVE__INSTANCE:
        found = pm_resolve__child(f->project, on, name);
        if (!found.type && on.of)
            found = pm_resolve__item(f->project, on, name + 1);
        return found;
    case PM_RESOLVE__ARRAYS:
        return pm_resolve__array(f->project, on.framework);
    case PM_RESOLVE__ITEMS:
        return (value){.type = PM_RESOLVE__HELD, .node = name, .of = on.node};
    case PM_RESOLVE__ONE_OF:
        return each(f, on, attribute, name);
    case PM_RESOLVE__OWN_CLASS:
    case PM_RESOLVE__OWN_OBJECT:
    case PM_RESOLVE__PARENT:
        return object_attribute(f, on, name);
    case PM_RESOLVE__OWN_MODULE:
        return module_member(f, on.node, name);
    case PM_RESOLVE__OTHER_MODULE:
        return below(f, on, name);
    case PM_RESOLVE__PLAIN:
        return plain();
    default:
        return found;
    }
}

static uint32_t imported_frameworks(const struct pm_resolve_project *project, uint32_t term)
{
    size_t low = 0, high = project->units_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (project->units[middle].end <= term)
            low = middle + 1;
        else
            high = middle;
    }
    return low < project->units_count ? project->units[low].imported : 0;
}

static value attribute_term(struct finder *f, uint32_t number)
{
    const struct pm_resolve__term *term = &f->project->terms[number];
    const value on = find(f, term->a);
    value found = attribute(f, on, term->b);
    const struct pm_resolve__term *of = &f->project->terms[term->a];
    if (of->op == PM_RESOLVE__IMPORT && (!found.type || found.type == PM_RESOLVE__OTHER_MODULE)) {
        const value module = imported_attribute(f, of, term->b);
        found = module.type ? module : found;
    }
    if (!found.type && !on.type && !f->gave_up && !f->project->taken[term->b])
        found = pm_resolve__only(f->project, imported_frameworks(f->project, number), term->b);
    return found;
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* The argument at a place, or with a name; nothing if it is missing or has a star. */
static value given_argument(struct finder *f, uint32_t list, uint32_t place)
{
    if (!list || place >= f->project->lists[list - 1].count)
        return nothing();
    const struct pm_resolve__argument one =
        f->project->arguments[f->project->lists[list - 1].first + place];
    return one.many || one.name ? nothing() : find(f, one.term);
}

/* A container of what a list has. */
static value contained(struct finder *f, uint32_t list)
{
    const struct pm_resolve__series of = f->project->lists[list - 1];
    struct pm_resolve__held held[MOST_ITEMS];
    bool row = of.count <= MOST_ITEMS;
    size_t count = 0;
    for (uint32_t i = 0; i < of.count; i++) {
        const struct pm_resolve__argument one = f->project->arguments[of.first + i];
        value item = find(f, one.term);
        if (one.many) {
            item = pm_resolve__item(f->project, item, 0);
            row = false;
        }
        if (row)
            held[count++] = (struct pm_resolve__held){one.name, item};
        else {
            for (size_t k = 1; k < count; k++)
                held[0].value = pm_resolve__either(f->project, held[0].value, held[k].value);
            held[0] = (struct pm_resolve__held){
                0, count ? pm_resolve__either(f->project, held[0].value, item) : item};
            count = 1;
        }
    }
    return pm_resolve__container(f->project, held, count, row);
}

static value container_of(struct finder *f, value item)
{
    const struct pm_resolve__held held = {0, item};
    return pm_resolve__container(f->project, &held, 1, false);
}

/* ---- loops ---------------------------------------------------------------------------------- */

static value result_of(struct finder *f, uint32_t function)
{
    const struct pm_resolve__function *of = &f->project->functions[function];
    value found = of->annotated ? find(f, of->annotated) : nothing();
    if (found.type && !(found.type == PM_RESOLVE__INSTANCE && of->returned &&
                        !pm_resolve__is_array(f->project, found)))
        return found;
    const value returned = of->returned ? find(f, of->returned) : nothing();
    return returned.type ? returned : found;
}

/* Whether all items have keys: a loop gives those. */
static bool is_dict(const struct pm_resolve_project *project, value of)
{
    const struct pm_resolve__content *content = pm_resolve__content(project, of);
    if (!content || content->count == 0)
        return false;
    for (uint32_t i = 0; i < content->count; i++)
        if (!project->held[content->first + i].name)
            return false;
    return true;
}

static value looped(struct finder *f, value of, uint32_t unused)
{
    const struct pm_resolve_known *known =
        of.type == PM_RESOLVE__INSTANCE ? pm_resolve__known(f->project, of.node) : NULL;
    if (known && known->items != PM_VALUE_UNKNOWN)
        return pm_resolve__given(f->project, of.framework, known->items, PM_RESOLVE_NONE);
    if (of.type == PM_RESOLVE__ONE_OF)
        return each(f, of, looped, unused);
    if (is_dict(f->project, of))
        return plain();
    if (of.type == PM_RESOLVE__OWN_OBJECT && f->depth < MOST_DEPTH) {
        const uint32_t iterate = own_method(f, of.node, "__iter__");
        const uint32_t get = iterate ? 0 : own_method(f, of.node, "__getitem__");
        if (get)
            return result_of(f, get - 1);
        return iterate ? pm_resolve__item(f->project, result_of(f, iterate - 1), 0) : nothing();
    }
    return pm_resolve__item(f->project, of, 0);
}

static value unpacked(struct finder *f, value of, uint32_t place)
{
    if (of.type == PM_RESOLVE__OWN_OBJECT || (of.type == PM_RESOLVE__INSTANCE && !of.of))
        return looped(f, of, 0);
    return pm_resolve__nth(f->project, of, place);
}

static value subscripted(struct finder *f, value of, uint32_t key)
{
    const uint32_t get = of.type == PM_RESOLVE__OWN_OBJECT && f->depth < MOST_DEPTH
                             ? own_method(f, of.node, "__getitem__")
                             : 0;
    return get ? result_of(f, get - 1) : pm_resolve__item(f->project, of, key);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* What a call of an object gives: by its own method, else by the class that it inherits from. */
static value called_object(struct finder *f, value on)
{
    const uint32_t method = called_method(f, on.node);
    if (method)
        return result_of(f, method - 1);
    const value base = framework_base(f, on.node);
    const struct pm_resolve_known *known =
        base.type ? pm_resolve__known(f->project, base.node) : NULL;
    return known ? pm_resolve__given(f->project, base.framework, known->calls, PM_RESOLVE_NONE)
                 : nothing();
}

/* Whether a value is a module, or may be one. */
static bool is_layer(const struct finder *f, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_RESOLVE__INSTANCE ? pm_resolve__known(f->project, v.node) : NULL;
    return (known && known->gives == PM_VALUE_MODULE) || v.type == PM_RESOLVE__OWN_OBJECT ||
           v.type == PM_RESOLVE__ONE_OF;
}

/* A new object of a framework's class. Modules hold the modules that they are given. */
static value made(struct finder *f, value class, uint32_t list)
{
    const struct pm_resolve_known *known = pm_resolve__known(f->project, class.node);
    value object = {.type = PM_RESOLVE__INSTANCE,
                    .framework = class.framework,
                    .node = class.node,
                    .inferred = true};
    if (!known || known->gives != PM_VALUE_MODULE || !list)
        return object;
    const bool one = f->project->lists[list - 1].count == 1;
    value content = one ? given_argument(f, list, 0) : nothing();
    if (content.type != PM_RESOLVE__ITEMS)
        content = contained(f, list);
    if (content.type && is_layer(f, pm_resolve__item(f->project, content, 0)))
        object.of = content.node + 1;
    else if (one && given_argument(f, list, 0).type == PM_RESOLVE__ITEMS && content.type)
        object.of = content.node + 1;
    return object;
}

static value called_named(struct finder *f, value on, uint32_t list)
{
    const struct pm_resolve_known *known = pm_resolve__known(f->project, on.node);
    if (pm_resolve__is_class(f->project, on.node))
        return made(f, on, list);
    if (on.own && known && known->same)
        return (value){.type = PM_RESOLVE__OWN_OBJECT, .node = on.of, .inferred = true};
    if (on.own && f->depth < MOST_DEPTH && (!known || known->gives == PM_VALUE_UNKNOWN)) {
        const char *name =
            f->project->index->symbols[f->project->index->nodes[on.node].symbol].text;
        const uint32_t forward = strcmp(name, "apply") == 0 ? own_method(f, on.of, "forward") : 0;
        if (forward)
            return result_of(f, forward - 1);
    }
    value found = known ? pm_resolve__given(f->project, on.framework, known->gives,
                                            known->same ? on.of : known->class)
                        : nothing();
    found.by_name = on.by_name;
    if (known && known->same)
        found.declared = on.declared;
    return found;
}

/* container.values() and the like. */
static value called_held(struct finder *f, value on)
{
    const value container = {.type = PM_RESOLVE__ITEMS, .node = on.of};
    const value item = pm_resolve__item(f->project, container, 0);
    const char *name = f->project->names[on.node];
    if (strcmp(name, "items") == 0) {
        const struct pm_resolve__held row[2] = {{0, plain()}, {0, item}};
        return container_of(f, pm_resolve__container(f->project, row, 2, true));
    }
    if (strcmp(name, "values") == 0)
        return container_of(f, item);
    if (strcmp(name, "copy") == 0)
        return container;
    if (strcmp(name, "pop") == 0 || strcmp(name, "get") == 0 || strcmp(name, "popleft") == 0 ||
        strcmp(name, "setdefault") == 0)
        return item;
    return plain();
}

static value zipped(struct finder *f, uint32_t list)
{
    struct pm_resolve__held row[PM_RESOLVE__MOST_ITEMS];
    const uint32_t count = list ? f->project->lists[list - 1].count : 0;
    if (count > PM_RESOLVE__MOST_ITEMS)
        return nothing();
    for (uint32_t i = 0; i < count; i++)
        row[i] = (struct pm_resolve__held){0, looped(f, given_argument(f, list, i), 0)};
    return container_of(f, pm_resolve__container(f->project, row, count, true));
}

static value got_attribute(struct finder *f, uint32_t list)
{
    if (!list || f->project->lists[list - 1].count < 2)
        return nothing();
    const struct pm_resolve__argument *key =
        &f->project->arguments[f->project->lists[list - 1].first + 1];
    return key->text ? attribute(f, given_argument(f, list, 0), key->text - 1) : nothing();
}

static value enumerated(struct finder *f, value item)
{
    const struct pm_resolve__held row[2] = {{0, plain()}, {0, item}};
    return container_of(f, pm_resolve__container(f->project, row, 2, true));
}

static value class_of(const struct finder *f, value object)
{
    (void)f;
    if (object.type == PM_RESOLVE__OWN_OBJECT)
        return (value){.type = PM_RESOLVE__OWN_CLASS, .node = object.node, .inferred = true};
    if (object.type == PM_RESOLVE__INSTANCE && !object.declared)
        return (value){.type = PM_RESOLVE__NAMED,
                       .framework = object.framework,
                       .node = object.node,
                       .inferred = true};
    return nothing();
}

static value called_builtin(struct finder *f, value on, uint32_t list)
{
    const value first = given_argument(f, list, 0);
    switch ((enum pm_resolve__builtin)on.node) {
    case PM_RESOLVE__ABS_BUILTIN:
    case PM_RESOLVE__COPY_BUILTIN:
    case PM_RESOLVE__DEEPCOPY_BUILTIN:
    case PM_RESOLVE__PARTIAL_BUILTIN:
    case PM_RESOLVE__TQDM_BUILTIN:
    case PM_RESOLVE__TQDM_AUTO_BUILTIN:
        return first;
    case PM_RESOLVE__PACK_BUILTIN:
    case PM_RESOLVE__UNPACK_BUILTIN:
        return container_of(f, pm_resolve__is_array(f->project, first)
                                   ? first
                                   : pm_resolve__item(f->project, first, 0));
    case PM_RESOLVE__EINSUM_BUILTIN:
    case PM_RESOLVE__REARRANGE_BUILTIN:
    case PM_RESOLVE__REDUCED_BUILTIN:
    case PM_RESOLVE__REPEAT_BUILTIN:
        return pm_resolve__is_array(f->project, first) ? first
                                                       : pm_resolve__item(f->project, first, 0);
    case PM_RESOLVE__LIST_BUILTIN:
    case PM_RESOLVE__TUPLE_BUILTIN:
        if (first.type == PM_RESOLVE__ITEMS || first.type == PM_RESOLVE__ARRAYS)
            return first;
        return container_of(f, looped(f, first, 0));
    case PM_RESOLVE__DICT_BUILTIN:
    case PM_RESOLVE__ORDERED_BUILTIN:
        return first.type || !list ? first : contained(f, list);
    case PM_RESOLVE__CHAIN_BUILTIN:
    case PM_RESOLVE__CYCLE_BUILTIN:
    case PM_RESOLVE__DEQUE_BUILTIN:
    case PM_RESOLVE__ITER_BUILTIN:
    case PM_RESOLVE__REVERSED_BUILTIN:
    case PM_RESOLVE__SET_BUILTIN:
    case PM_RESOLVE__SORTED_BUILTIN:
        return container_of(f, looped(f, first, 0));
    case PM_RESOLVE__ENUMERATE_BUILTIN:
        return enumerated(f, looped(f, first, 0));
    case PM_RESOLVE__FILTER_BUILTIN:
        return container_of(f, looped(f, given_argument(f, list, 1), 0));
    case PM_RESOLVE__MAP_BUILTIN:
        return container_of(f, called(f, first, 0));
    case PM_RESOLVE__NEXT_BUILTIN:
    case PM_RESOLVE__SUM_BUILTIN:
        return looped(f, first, 0);
    case PM_RESOLVE__MAX_BUILTIN:
    case PM_RESOLVE__MIN_BUILTIN:
        return pm_resolve__is_array(f->project, first) ? first : looped(f, first, 0);
    case PM_RESOLVE__REDUCE_BUILTIN:
        return looped(f, given_argument(f, list, 1), 0);
    case PM_RESOLVE__ZIP_BUILTIN:
        return zipped(f, list);
    case PM_RESOLVE__GETATTR_BUILTIN:
        return got_attribute(f, list);
    case PM_RESOLVE__TYPE_BUILTIN:
        return class_of(f, first);
    default:
        return plain();
    }
}

static value called_instance(struct finder *f, value on)
{
    const struct pm_resolve_known *known = pm_resolve__known(f->project, on.node);
    const value found =
        known ? pm_resolve__given(f->project, on.framework, known->calls, PM_RESOLVE_NONE)
              : nothing();
    return !found.type && on.of ? pm_resolve__array(f->project, on.framework) : found;
}

static value called(struct finder *f, value on, uint32_t list)
{
    switch ((enum pm_resolve__type)on.type) {
    case PM_RESOLVE__NAMED:
        return called_named(f, on, list);
    case PM_RESOLVE__INSTANCE:
        return called_instance(f, on);
    case PM_RESOLVE__HELD:
        return called_held(f, on);
    case PM_RESOLVE__BUILTIN: {
        value found = called_builtin(f, on, list);
        found.inferred = true;
        return found;
    }
    case PM_RESOLVE__ONE_OF:
        return each(f, on, called, list);
    case PM_RESOLVE__OWN_CLASS:
        return (value){.type = PM_RESOLVE__OWN_OBJECT, .node = on.node, .inferred = true};
    case PM_RESOLVE__OWN_OBJECT:
        return f->depth < MOST_DEPTH ? called_object(f, on) : nothing();
    case PM_RESOLVE__OWN_FUNCTION:
        return result_of(f, on.node);
    case PM_RESOLVE__OTHER_MODULE:
        return gives_plain(f->project->names[on.node]) ? plain() : nothing();
    case PM_RESOLVE__PLAIN:
        return plain();
    default:
        return nothing();
    }
}

/* ---- annotations ---------------------------------------------------------------------------- */

static value annotated(struct finder *f, uint32_t type);

static bool is_any(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Type[A, B]: of one of them, or a container. */
static value annotated_generic(struct finder *f, const struct pm_resolve__term *of)
{
    static const char *const lists[] = {
        "List", "list",  "Sequence", "Iterable",   "Iterator",        "Generator", "Set",
        "set",  "Deque", "deque",    "Collection", "MutableSequence", NULL};
    static const char *const dicts[] = {"Dict",           "dict",        "Mapping",
                                        "MutableMapping", "OrderedDict", "DefaultDict",
                                        "defaultdict",    NULL};
    static const char *const functions[] = {"Callable", "Type", "type", "Literal", NULL};
    const struct pm_resolve__term *base = &f->project->terms[of->a];
    const bool named = base->op == PM_RESOLVE__GLOBAL || base->op == PM_RESOLVE__ATTRIBUTE;
    const char *word = named ? f->project->names[base->b] : "";
    if (of->op != PM_RESOLVE__SUBSCRIPT || !of->b || is_any(word, functions))
        return nothing();
    const struct pm_resolve__series list = f->project->lists[of->b - 1];
    const bool tuple = strcmp(word, "Tuple") == 0 || strcmp(word, "tuple") == 0;
    struct pm_resolve__held held[PM_RESOLVE__MOST_ITEMS];
    value all = {.type = PM_RESOLVE__NOTHING};
    uint32_t count = 0;
    for (uint32_t i = 0; i < list.count && count < PM_RESOLVE__MOST_ITEMS; i++) {
        held[count++] =
            (struct pm_resolve__held){0, annotated(f, f->project->arguments[list.first + i].term)};
        all = pm_resolve__either(f->project, all, held[count - 1].value);
    }
    if (count == 0)
        return nothing();
    if (tuple && count > 1 && f->project->arguments[list.first + 1].term)
        return pm_resolve__container(f->project, held, count, true);
    if (tuple || is_any(word, lists))
        return container_of(f, held[0].value);
    if (is_any(word, dicts))
        return container_of(f, held[count - 1].value);
    if (strcmp(word, "Optional") == 0 || strcmp(word, "Union") == 0)
        return all;
    return held[0].value;
}

static value annotated(struct finder *f, uint32_t type)
{
    const struct pm_resolve__term *of = &f->project->terms[type];
    value found = nothing();
    if (!type || f->depth >= MOST_DEPTH)
        return found;
    f->depth++;
    if (of->op == PM_RESOLVE__ARITHMETIC) { /* Type | None */
        const value left = annotated(f, of->a);
        found = pm_resolve__either(f->project, left, annotated(f, of->b));
    } else if (of->op == PM_RESOLVE__SUBSCRIPT || of->op == PM_RESOLVE__ITEM) {
        found = annotated_generic(f, of);
    } else {
        const value class = find(f, type);
        const uint32_t alias =
            of->op == PM_RESOLVE__GLOBAL && !class.type
                ? pm_resolve__member(f->project, f->project->units[of->a].members, of->b)
                : 0;
        if (alias)
            found = annotated(f, alias);
        else if (class.type == PM_RESOLVE__NAMED && pm_resolve__is_class(f->project, class.node))
            found = made(f, class, 0);
        else if (class.type == PM_RESOLVE__OWN_CLASS)
            found = called(f, class, 0);
        else if (class.type == PM_RESOLVE__BUILTIN || (class.type == PM_RESOLVE__OTHER_MODULE &&
                                                       gives_plain(f->project->names[class.node])))
            found = class.node == PM_RESOLVE__INT_BUILTIN ||
                            class.node == PM_RESOLVE__FLOAT_BUILTIN ||
                            class.node == PM_RESOLVE__STR_BUILTIN ||
                            class.type == PM_RESOLVE__OTHER_MODULE
                        ? plain()
                        : nothing();
        found.declared = true;
    }
    f->depth--;
    return found;
}

/* ---- parameters ----------------------------------------------------------------------------- */

static value input(struct finder *f, const struct pm_resolve__parameter *of)
{
    const struct pm_resolve__function *function = &f->project->functions[of->function];
    if (!function->takes_arrays || of->order == 0 || of->is_flag || of->stars || of->annotated)
        return nothing();
    const value base = framework_base(f, function->class - 1);
    const struct pm_resolve_known *known =
        base.type ? pm_resolve__known(f->project, base.node) : NULL;
    return known && known->gives == PM_VALUE_MODULE ? pm_resolve__array(f->project, base.framework)
                                                    : nothing();
}

static value parameter(struct finder *f, uint32_t number)
{
    const struct pm_resolve__parameter *of = &f->project->parameters[number];
    const value said = of->annotated ? find(f, of->annotated) : nothing();
    value found = {.type = PM_RESOLVE__NOTHING};
    if (said.type && said.type != PM_RESOLVE__OWN_OBJECT &&
        !(said.type == PM_RESOLVE__INSTANCE && !pm_resolve__is_array(f->project, said)))
        return said;
    for (uint32_t i = of->stars ? 0 : of->passed; i; i = f->project->passes[i - 1].next)
        found = pm_resolve__either(f->project, found, find(f, f->project->passes[i - 1].term));
    if (of->given)
        found = pm_resolve__either(f->project, found, find(f, of->given));
    if (!found.type || found.type == PM_RESOLVE__NOTHING)
        found = said.type ? said : input(f, of);
    found.inferred = true;
    return found;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static value arithmetic(struct finder *f, const struct pm_resolve__term *term)
{
    const value a = find(f, term->a), b = find(f, term->b);
    const value of = pm_resolve__is_array(f->project, a) ? a : b;
    if (pm_resolve__is_array(f->project, of))
        return pm_resolve__array(f->project, of.framework);
    if (a.type == PM_RESOLVE__ITEMS && (b.type == PM_RESOLVE__ITEMS || !b.type))
        return b.type ? pm_resolve__either(f->project, a, b) : a;
    if (a.type == PM_RESOLVE__ONE_OF || b.type == PM_RESOLVE__ONE_OF)
        return looped(f, a.type == PM_RESOLVE__ONE_OF ? a : b, 0);
    return a.type == PM_RESOLVE__PLAIN && (b.type == PM_RESOLVE__PLAIN || !b.type) ? plain()
                                                                                   : nothing();
}

static value evaluate(struct finder *f, uint32_t number)
{
    const struct pm_resolve__term *term = &f->project->terms[number];
    switch ((enum pm_resolve__op)term->op) {
    case PM_RESOLVE__NONE_VALUE:
        return (value){.type = PM_RESOLVE__NOTHING};
    case PM_RESOLVE__PLACE:
        return (value){.type = PM_RESOLVE__NAMED, .framework = (uint8_t)term->a, .node = term->b};
    case PM_RESOLVE__ATTRIBUTE:
        return attribute_term(f, number);
    case PM_RESOLVE__CALL:
        return called(f, find(f, term->a), term->b);
    case PM_RESOLVE__ITEM:
        return subscripted(f, find(f, term->a), term->b);
    case PM_RESOLVE__SUBSCRIPT:
        return subscripted(f, find(f, term->a), 0);
    case PM_RESOLVE__UNPACK:
        return unpacked(f, find(f, term->a), term->b);
    case PM_RESOLVE__LOOP:
        return looped(f, find(f, term->a), 0);
    case PM_RESOLVE__ARITHMETIC:
        return arithmetic(f, term);
    case PM_RESOLVE__EITHER: {
        const value a = find(f, term->a);
        return pm_resolve__either(f->project, a, find(f, term->b));
    }
    case PM_RESOLVE__ANNOTATED:
        return annotated(f, term->a);
    case PM_RESOLVE__PARAMETER:
        return parameter(f, term->a);
    case PM_RESOLVE__SELF:
        return (value){.type = PM_RESOLVE__OWN_OBJECT, .node = term->a, .inferred = true};
    case PM_RESOLVE__SUPER:
        return (value){.type = PM_RESOLVE__PARENT, .node = term->a, .inferred = true};
    case PM_RESOLVE__CLASS:
        return (value){.type = PM_RESOLVE__OWN_CLASS, .node = term->a};
    case PM_RESOLVE__FUNCTION:
        return (value){.type = PM_RESOLVE__OWN_FUNCTION, .node = term->a};
    case PM_RESOLVE__PROPERTY:
        return result_of(f, term->a);
    case PM_RESOLVE__GLOBAL:
        return global(f, term->a, term->b);
    case PM_RESOLVE__IMPORT:
        return imported(f, term);
    case PM_RESOLVE__DISPLAY:
        return contained(f, term->a + 1);
    case PM_RESOLVE__HOLDS:
        return container_of(f, find(f, term->a));
    default:
        return nothing();
    }
}

/* A term that is asked for while it is being found says nothing. What follows from that is not
 * kept, unless it was tried before, as more may be known when it is asked for from elsewhere. */
static value find(struct finder *f, uint32_t number)
{
    struct pm_resolve__term *term = &f->project->terms[number];
    if (number == 0 || f->gave_up)
        return nothing();
    if (term->state == FOUND)
        return term->value;
    if (term->state == SEEN) {
        f->lowest = term->value.node < f->lowest ? term->value.node : f->lowest;
        return nothing();
    }
    if (f->depth >= MOST_DEPTH) {
        f->gave_up = true;
        return nothing();
    }
    const unsigned around = f->lowest, depth = f->depth;
    term->state = SEEN;
    term->value = (value){.node = depth};
    f->lowest = UINT_MAX;
    f->depth++;
    const value found = evaluate(f, number); /* no term is added meanwhile */
    f->depth--;
    const bool whole = f->lowest >= depth || ++term->tries >= MOST_TRIES;
    term->value = found;
    term->state = f->gave_up || !whole ? UNSEEN : FOUND;
    f->lowest = whole || around < f->lowest ? around : f->lowest;
    return f->gave_up ? nothing() : found;
}

value pm_resolve__value_of(struct pm_resolve_project *project, uint32_t term)
{
    return find(&(struct finder){.project = project, .lowest = UINT_MAX}, term);
}

/* Names that classes of the project give their members say nothing of arrays. */
static void take_names(struct pm_resolve_project *project)
{
    while (project->taken_count < project->names_count)
        PM_RESOLVE__PUSH(project, taken, false);
    for (size_t i = 0; i < project->classes_count; i++)
        for (uint32_t k = project->classes[i].members; k; k = project->members[k - 1].next)
            project->taken[project->members[k - 1].name] = true;
}

void pm_resolve__evaluate(struct pm_resolve_project *project)
{
    take_names(project);
    for (size_t i = 0; i < project->terms_count; i++)
        project->terms[i].state = project->terms[i].tries = UNSEEN;
    project->contents_count = project->held_count = 0;
    for (uint32_t i = 1; i < project->terms_count && !pm_stop_signal(); i++)
        (void)pm_resolve__value_of(project, i); /* in order: none is far from its parts */
}
