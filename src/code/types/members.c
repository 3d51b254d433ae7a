/* Finds the members of objects, classes and modules. */
#include <stdlib.h>

#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

static uint32_t name_of(finder *f, const char *text)
{
    return pm_types__name(f->project, text, strlen(text));
}

value pm_types__each(finder *f, value of, value (*ask)(finder *, value, uint32_t), uint32_t which)
{
    const struct pm_types__content several = f->project->contents[of.node];
    value found = {.type = PM_TYPES__NOTHING};
    for (uint32_t i = 0; i < several.count; i++)
        found = pm_types__either(f->project, found,
                                 ask(f, f->project->held[several.first + i].value, which));
    found.replaced |= of.replaced && found.type;
    return found;
}

/* ---- the project's own classes -------------------------------------------------------------- */

/* Returns the member of a class; `owner` is the class + 1, or 0 for nothing. */
static value member_of(finder *f, uint32_t owner, uint32_t name)
{
    value found = pm_types__nothing();
    if (owner)
        found = f->find(f, pm_types__member(f->project, PM_TYPES__CLASS_OWNER(owner - 1), name));
    found.inferred = true;
    return found;
}

/* Returns the member of a class, or of its bases in the project. */
static value own_member(finder *f, uint32_t class, uint32_t name)
{
    return member_of(f, pm_types__owner(f, class, name), name);
}

/* Returns the member of the framework's class from which a class of the project inherits. */
static value framework_member(finder *f, uint32_t class, uint32_t name)
{
    value base = pm_types__framework_base(f, class);
    if (!base.type)
        return base;
    base.type = PM_TYPES__INSTANCE;
    value found = pm_types__child(f->project, base, name);
    found.inferred = true;
    if (found.type == PM_TYPES__NAMED) {
        found.own = true;
        found.of = class;
    }
    return found;
}

value pm_types__descended(finder *f, uint32_t class, uint32_t name)
{
    enum { MOST = 16 };
    uint32_t classes[MOST];
    const uint32_t count = pm_types__descendants(f, class, classes, MOST);
    value found = {.type = PM_TYPES__NOTHING};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t term = pm_types__member(f->project, PM_TYPES__CLASS_OWNER(classes[i]), name);
        found = term ? pm_types__either(f->project, found, f->find(f, term)) : found;
    }
    return found.type == PM_TYPES__NOTHING ? pm_types__nothing() : found;
}

/* Returns the member that a subclass of a class inherits from a framework's class; or nothing. */
static value descended_framework(finder *f, uint32_t class, uint32_t name)
{
    enum { MOST = 4 };
    uint32_t classes[MOST];
    const uint32_t count = pm_types__descendants(f, class, classes, MOST);
    value found = pm_types__nothing();
    for (uint32_t i = 0; i < count && !found.type; i++)
        found = framework_member(f, classes[i], name);
    return found;
}

static value object_attribute(finder *f, value on, uint32_t name)
{
    const uint32_t owner = on.type == PM_TYPES__PARENT ? pm_types__inherited_owner(f, on.node, name)
                                                       : pm_types__owner(f, on.node, name);
    value found = pm_types__nothing();
    if (owner && pm_types__framework_first(f, on.node, owner - 1))
        found = framework_member(f, on.node, name);
    if (found.type)
        return found;
    found = member_of(f, owner, name);
    if (found.type == PM_TYPES__OWN_FUNCTION &&
        (on.type != PM_TYPES__OWN_CLASS || f->project->functions[found.node].of_class))
        found.of |= PM_TYPES__BOUND;
    if (found.type && found.type != PM_TYPES__NOTHING)
        return found;
    value base = framework_member(f, on.node, name);
    base.open |= owner != 0;
    if (!base.type && !found.type && on.type == PM_TYPES__OWN_OBJECT && !owner) {
        base = pm_types__descended(f, on.node, name);
        if (base.type == PM_TYPES__OWN_FUNCTION)
            base.of |= PM_TYPES__BOUND;
        base = base.type ? base : descended_framework(f, on.node, name);
        base.inferred = true;
    }
    return base.type ? base : found;
}

/* Returns whether a class or a subclass has a method of the kind for which `is_kind` is true. */
static bool has_kind(finder *f, uint32_t class, bool (*is_kind)(const char *name))
{
    enum { MOST = 16 };
    const struct pm_types_project *p = f->project;
    uint32_t classes[MOST + 1] = {class};
    const uint32_t count = 1 + pm_types__descendants(f, class, classes + 1, MOST);
    for (uint32_t i = 0; i < p->protocols_count; i++)
        for (uint32_t k = 0; k < count && is_kind(p->names[p->protocols[i]]); k++)
            if (pm_types__owner(f, classes[k], p->protocols[i]))
                return true;
    return false;
}

/* Does the work of pm_types__may_replace(). `depth` is the number of containers and ONE_OF values
 * around the value. At depth MOST, does not examine what the value contains. */
static bool may_replace(finder *f, value v, unsigned depth)
{
    enum { MOST = 16 };
    const struct pm_types__content *several =
        v.type == PM_TYPES__ONE_OF ? &f->project->contents[v.node] : NULL;
    if (!v.type || v.replaced || v.open || v.by_name)
        return true;
    if (v.type == PM_TYPES__OWN_OBJECT)
        return has_kind(f, v.node, pm_types__is_protocol) ||
               has_kind(f, v.node, pm_types__is_operator);
    if (depth == MOST)
        return false;
    for (uint32_t i = 0; several && i < several->count; i++)
        if (may_replace(f, f->project->held[several->first + i].value, depth + 1))
            return true;
    return v.type == PM_TYPES__ITEMS && may_replace(f, pm_types__item(f->project, v, 0), depth + 1);
}

bool pm_types__may_replace(finder *f, value v)
{
    return may_replace(f, v, 0);
}

uint32_t pm_types__own_method(finder *f, uint32_t class, const char *name)
{
    const value found = own_member(f, class, name_of(f, name));
    return found.type == PM_TYPES__OWN_FUNCTION ? found.node + 1 : 0;
}

uint32_t pm_types__own_call(finder *f, uint32_t class)
{
    static const char *const methods[] = {"forward", "call", "__call__"};
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !found; i++)
        found = pm_types__own_method(f, class, methods[i]);
    return found;
}

/* ---- modules -------------------------------------------------------------------------------- */

/* Adds a module to the list unless it is there already. Returns the number of modules. */
static size_t also_ask(uint32_t *units, size_t count, size_t most, uint32_t unit)
{
    for (size_t i = 0; i < count; i++)
        if (units[i] == unit)
            return count;
    if (count < most)
        units[count++] = unit;
    return count;
}

/* Returns the value that star imports of a framework give to a name, in a module or in the modules
 * to which its star imports lead; or nothing. */
static value starred(finder *f, uint32_t unit, uint32_t name)
{
    enum { MOST = 16 };
    struct pm_types_project *p = f->project;
    uint32_t waiting[MOST] = {unit};
    size_t count = 1;
    value found = pm_types__nothing();
    for (size_t i = 0; i < count; i++) {
        const struct pm_types__unit *of = &p->units[waiting[i]];
        for (uint32_t k = of->first_star; k < of->first_star + of->star_count; k++) {
            const value place = f->find(f, p->stars[k]);
            const value one = place.type == PM_TYPES__NAMED ? pm_types__child(p, place, name)
                                                            : pm_types__nothing();
            found = found.type && one.type ? pm_types__either(p, found, one)
                    : one.type             ? one
                                           : found;
            if (p->star_units[k])
                count = also_ask(waiting, count, MOST, p->star_units[k] - 1);
        }
    }
    return found;
}

/* Returns the member of a module. If a star import of another module binds the name, a star import
 * of a framework may bind it instead. */
static value module_member(finder *f, uint32_t unit, uint32_t name)
{
    const uint32_t owner = pm_types__unit_owner(f->project, unit, name);
    value found =
        owner ? f->find(f, pm_types__member(f->project, PM_TYPES__UNIT_OWNER(owner - 1), name))
              : pm_types__nothing();
    if (owner == unit + 1 || f->project->units[unit].star_count == 0)
        return found;
    const value other = starred(f, unit, name);
    return found.type && other.type ? pm_types__either(f->project, found, other)
           : other.type             ? other
                                    : found;
}

/* Returns a member of a module. If there is none, returns the module with this name below it, which
 * an import may bind to its package. */
static value own_module_member(finder *f, uint32_t unit, uint32_t name)
{
    const value found = module_member(f, unit, name);
    if (found.type || pm_types__member(f->project, PM_TYPES__UNIT_OWNER(unit), name))
        return found;
    const uint32_t below = pm_types__submodule(f->project, unit, f->project->names[name]);
    return below ? (value){.type = PM_TYPES__OWN_MODULE, .node = below - 1} : found;
}

/* Returns the attribute of a module of another package: a known function, or a module below it. */
static value below(finder *f, value module, uint32_t name)
{
    char *path = pm_format("%s.%s", f->project->names[module.node], f->project->names[name]);
    value found = pm_types__builtin(path);
    if (!found.type)
        found = (value){.type = PM_TYPES__OTHER_MODULE, .node = name_of(f, path)};
    free(path);
    return found;
}

/* Returns the module below an imported module that an attribute of the import names; or nothing. */
static value imported_attribute(finder *f, const struct pm_types__term *import, uint32_t name)
{
    if (!f->project->units[import->a].path)
        return pm_types__nothing();
    const char *path = f->project->names[import->b];
    const size_t length = strlen(path);
    const bool dots = length == 0 || path[length - 1] == '.';
    char *below = pm_format("%s%s%s", path, dots ? "" : ".", f->project->names[name]);
    const uint32_t unit = pm_types__unit(f->project, import->a, below);
    free(below);
    return unit ? (value){.type = PM_TYPES__OWN_MODULE, .node = unit - 1} : pm_types__nothing();
}

value pm_types__imported(finder *f, const struct pm_types__term *term)
{
    const char *path = f->project->names[term->b];
    const uint32_t unit = pm_types__unit(f->project, term->a, path);
    if (unit)
        return (value){.type = PM_TYPES__OWN_MODULE, .node = unit - 1};
    return *path != '.' ? (value){.type = PM_TYPES__OTHER_MODULE, .node = term->b}
                        : pm_types__nothing();
}

value pm_types__global(finder *f, uint32_t unit, uint32_t name)
{
    const value found = module_member(f, unit, name);
    if (found.type || pm_types__member(f->project, PM_TYPES__UNIT_OWNER(unit), name))
        return found;
    return pm_types__builtin(f->project->names[name]);
}

/* Returns a member of the framework's object that wraps a function of the project. */
static value wrapper_member(finder *f, value on, uint32_t name)
{
    const value wrapper = {.type = PM_TYPES__INSTANCE,
                           .framework = on.framework,
                           .node = pm_types__wrapper(on),
                           .inferred = true};
    return wrapper.node ? pm_types__child(f->project, wrapper, name) : pm_types__nothing();
}

/* Returns the attribute of a method's result. If an attribute that functions lack is looked up on a
 * method, a decorator must have made the method a property. */
static value property_member(finder *f, value on, uint32_t name)
{
    const bool method = on.of & PM_TYPES__BOUND && strncmp(f->project->names[name], "__", 2) != 0;
    if (!method || f->depth >= PM_TYPES__MOST_CIRCLE)
        return pm_types__nothing();
    f->depth++; /* a method may return itself */
    const value found = pm_types__attribute(f, pm_types__result(f, on.node), name);
    f->depth--;
    return found;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* Returns a field of a named tuple of arrays. If arrays have a method with this name, the value may
 * be a single array instead, as the result of torch.unique() may be. */
static value field(finder *f, value arrays, uint32_t name)
{
    const value array = pm_types__array(f->project, arrays.framework);
    const char *text = f->project->names[name];
    value method = pm_types__child(f->project, array, name);
    if (method.type != PM_TYPES__NAMED || strcmp(text, "values") == 0 ||
        strcmp(text, "indices") == 0)
        return array;
    method.open = true;
    return method;
}

/* Returns the module that another module contains under a name; or nothing. */
static value named_item(const struct pm_types_project *p, value of, uint32_t name)
{
    const struct pm_types__content *content = pm_types__content(p, of);
    for (uint32_t i = 0; i < content->count; i++)
        if (p->held[content->first + i].name == name + 1)
            return p->held[content->first + i].value;
    return pm_types__nothing();
}

value pm_types__attribute(finder *f, value on, uint32_t name)
{
    value found = pm_types__nothing();
    switch ((enum pm_types__type)on.type) {
    case PM_TYPES__NAMED:
        return pm_types__child(f->project, on, name);
    case PM_TYPES__INSTANCE:
        found = pm_types__child(f->project, on, name);
        return found.type || !on.of ? found : named_item(f->project, on, name);
    case PM_TYPES__ARRAYS:
        return field(f, on, name);
    case PM_TYPES__ITEMS:
        return (value){.type = PM_TYPES__HELD, .node = name, .of = on.node};
    case PM_TYPES__ONE_OF:
        return pm_types__each(f, on, pm_types__attribute, name);
    case PM_TYPES__OWN_CLASS:
    case PM_TYPES__OWN_OBJECT:
    case PM_TYPES__PARENT:
        return object_attribute(f, on, name);
    case PM_TYPES__OWN_FUNCTION:
        found = wrapper_member(f, on, name);
        return found.type ? found : property_member(f, on, name);
    case PM_TYPES__OWN_MODULE:
        return own_module_member(f, on.node, name);
    case PM_TYPES__OTHER_MODULE:
        return below(f, on, name);
    case PM_TYPES__PLAIN:
        return pm_types__plain();
    default:
        return found;
    }
}

/* Returns the file to which a term belongs. */
static const struct pm_types__unit *unit_of(const struct pm_types_project *project, uint32_t term)
{
    size_t low = 0, high = project->units_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (project->units[middle].end <= term)
            low = middle + 1;
        else
            high = middle;
    }
    return &project->units[low];
}

bool pm_types__is_shape(const struct pm_types_project *project, const struct pm_types__term *term)
{
    while (term->op == PM_TYPES__SLICE || (term->op == PM_TYPES__ARITHMETIC && term->a))
        term = &project->terms[term->a]; /* a part of a shape, or the sum of two shapes */
    return term->op == PM_TYPES__ATTRIBUTE && pm_ends_with(project->names[term->b], "shape");
}

bool pm_types__is_below_name(finder *f, uint32_t number)
{
    const struct pm_types__term *terms = f->project->terms;
    while (terms[number].op == PM_TYPES__ATTRIBUTE)
        number = terms[number].a;
    const value root = f->find(f, number);
    return root.type == PM_TYPES__NAMED && !root.of && !root.own;
}

/* Returns whether a base is a class of Python, such as Generic, that adds no methods to look up. */
static bool is_bare(finder *f, uint32_t term)
{
    static const char *const bare[] = {"ABC", "Generic", "Protocol", "object"};
    const struct pm_types_project *p = f->project;
    if (p->terms[term].op == PM_TYPES__SUBSCRIPT)
        term = p->terms[term].a; /* Generic[T] */
    const struct pm_types__term *of = &p->terms[term];
    if (of->op != PM_TYPES__GLOBAL && of->op != PM_TYPES__ATTRIBUTE)
        return false;
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (strcmp(p->names[of->b], bare[i]) == 0)
            return true;
    return false;
}

/* Returns whether the bases of a class, and of all classes from which it inherits, are known. */
static bool is_whole(finder *f, uint32_t class)
{
    enum { MOST = 32 };
    const struct pm_types_project *p = f->project;
    uint32_t waiting[MOST] = {class};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct pm_types__class *of = &p->classes[waiting[i]];
        pm_types__framework_base(f, waiting[i]);
        uint32_t known = of->parent_count + (of->framework.type != PM_TYPES__NO_TYPE);
        for (uint32_t k = 0; k < of->base_count; k++)
            known += is_bare(f, p->bases[of->first_base + k]);
        if (known != of->base_count || of->framework.replaced || count + of->parent_count > MOST)
            return false;
        for (uint32_t k = 0; k < of->parent_count; k++)
            waiting[count++] = p->parents[of->first_parent + k];
    }
    return true;
}

/* Returns whether a term is something private of a framework, which the names lack. */
static bool is_private(finder *f, uint32_t number)
{
    const struct pm_types__term *terms = f->project->terms;
    if (f->find(f, number).type)
        return false;
    while (terms[number].op == PM_TYPES__ATTRIBUTE && terms[number].a)
        number = terms[number].a;
    return terms[number].op == PM_TYPES__PLACE;
}

/* Returns whether a class inherits from a private class of a framework. */
static bool has_private_base(finder *f, uint32_t class)
{
    enum { MOST = 32 };
    const struct pm_types_project *p = f->project;
    uint32_t waiting[MOST] = {class};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct pm_types__class *of = &p->classes[waiting[i]];
        for (uint32_t k = 0; k < of->base_count; k++)
            if (is_private(f, p->bases[of->first_base + k]))
                return true;
        for (uint32_t k = 0; k < of->parent_count && count < MOST; k++)
            waiting[count++] = p->parents[of->first_parent + k];
    }
    return false;
}

/* Returns whether a class has a method, such as __getattr__(), that returns attributes which the
 * class lacks. */
static bool gives_any(finder *f, uint32_t class)
{
    return pm_types__own_method(f, class, "__getattr__") ||
           pm_types__own_method(f, class, "__getattribute__");
}

/* Returns `request.param` of a fixture that runs with several values. */
static value requested(finder *f, const struct pm_types__term *of, uint32_t name)
{
    const struct pm_types_project *p = f->project;
    if (of->op != PM_TYPES__PARAMETER || strcmp(p->names[name], "param") != 0 ||
        strcmp(p->names[p->parameters[of->a].name], "request") != 0)
        return pm_types__nothing();
    return f->find(f, p->functions[p->parameters[of->a].function].requested);
}

/* Returns whether a value lacks the looked-up member, so that it must be something else. */
static bool lacks_member(finder *f, value on, value found)
{
    if (on.type == PM_TYPES__ITEMS)
        return true;
    return on.type == PM_TYPES__OWN_OBJECT && !found.type && is_whole(f, on.node) &&
           !gives_any(f, on.node);
}

/* Returns whether a term belongs to another package, or is the result of a call of such a term. */
static bool is_of_other_package(finder *f, uint32_t term)
{
    const struct pm_types__term *terms = f->project->terms;
    while (terms[term].op == PM_TYPES__CALL || terms[term].op == PM_TYPES__ATTRIBUTE)
        term = terms[term].a;
    return f->find(f, term).type == PM_TYPES__OTHER_MODULE;
}

/* Returns the methods with this name, joined, if only a few classes have one and no other package
 * returned the object; or nothing. */
static value one_of_few(finder *f, const struct pm_types__unit *unit, uint32_t on, uint32_t name)
{
    value few[PM_RESOLVE_FEW];
    const size_t count = pm_types__few(f->project, unit, name, few);
    if (count == 0 || is_of_other_package(f, on))
        return pm_types__nothing();
    value found = few[0];
    for (size_t i = 1; i < count; i++)
        found = pm_types__either(f->project, found, few[i]);
    found.open = true;
    return found;
}

/* Returns whether a member may come from an unknown base, because the class and its known bases
 * lack it. Python searches bases before it calls __getattr__(). */
static bool may_inherit(finder *f, value on, value found)
{
    const bool own = on.type == PM_TYPES__OWN_OBJECT || on.type == PM_TYPES__PARENT;
    return own && !found.type && !is_whole(f, on.node);
}

value pm_types__looked_up(finder *f, uint32_t number)
{
    const struct pm_types__term *term = &f->project->terms[number];
    const value on = f->find(f, term->a);
    if (term->op == PM_TYPES__FIELD && pm_types__is_array(f->project, on))
        return on;
    value found = pm_types__attribute(f, on, term->b);
    const struct pm_types__term *of = &f->project->terms[term->a];
    if (of->op == PM_TYPES__IMPORT && (!found.type || found.type == PM_TYPES__OTHER_MODULE)) {
        const value module = imported_attribute(f, of, term->b);
        found = module.type ? module : found;
    }
    found = found.type ? found : requested(f, of, term->b);
    const uint8_t taken = f->project->taken[term->b];
    const bool lacks = lacks_member(f, on, found);
    const bool inherited = !lacks && may_inherit(f, on, found);
    const bool unknown =
        !on.type || on.type == PM_TYPES__NOTHING || lacks || inherited; /* None has no methods */
    if (lacks && found.type) { /* a container: keep its method unless the name shows an array */
        const value other = pm_types__only(f->project, unit_of(f->project, number), term->b);
        found = other.type ? pm_types__nothing() : found;
    }
    if (!found.type && unknown && pm_types__is_shape(f->project, of))
        found = pm_types__of_shape(f->project, unit_of(f->project, number)->imported, term->b);
    else if (!found.type && unknown && !f->deeper && !pm_types__is_shape(f->project, of) &&
             !pm_types__is_below_name(f, term->a)) {
        const struct pm_types__unit *unit = unit_of(f->project, number);
        value both[2];
        found = pm_types__only(f->project, unit, term->b);
        found.open = found.replaced =
            found.type &&
            (f->project->has_proxies || unit->other_classes || taken & PM_TYPES__TAKEN);
        if (!found.type && pm_types__both(f->project, unit, term->b, both))
            found = pm_types__either(f->project, both[0], both[1]);
        found.open |= inherited && found.type;
        if (!found.type &&
            (inherited ? has_private_base(f, on.node) : !(taken & ~PM_TYPES__GLOBAL_NAME)))
            found = one_of_few(f, unit, term->a, term->b);
    }
    if (found.type == PM_TYPES__NAMED && (found.of || found.own) && taken & PM_TYPES__OUTSIDE)
        found.open |= found.by_name || !pm_types__is_array(f->project, on);
    found.open |= found.by_name && unknown && taken & PM_TYPES__STORED;
    return found;
}
