/* What terms stand for, over the files of a project. */
#include "resolve/project_private.h"

/* Terms are found in order, so that this is only how far names lead from file to file, and ahead in
 * a file. */
#define MOST_DEPTH 128

enum { UNSEEN, SEEN, FOUND };

struct finder {
    struct pm_resolve_project *project;
    unsigned depth;
    bool gave_up; /* on something deeper: what depends on it stays open */
};

typedef struct pm_resolve__value value;

static value find(struct finder *f, uint32_t term);
static value attribute(struct finder *f, value on, uint32_t name);

static value nothing(void)
{
    return (value){0};
}

static value instance(uint32_t framework, uint32_t class)
{
    return class ? (value){PM_RESOLVE__INSTANCE, framework, class, 0, true} : nothing();
}

static value array_of(const struct finder *f, uint32_t framework)
{
    return instance(framework, f->project->index->frameworks[framework].array);
}

/* ---- what the framework's names say --------------------------------------------------------- */

static const struct pm_resolve_known *known_of(const struct finder *f, uint32_t node)
{
    const struct pm_resolve_index *index = f->project->index;
    return index->nodes[node].known ? &index->facts[index->nodes[node].known - 1] : NULL;
}

static bool is_class(const struct finder *f, uint32_t node)
{
    const struct pm_resolve_index *index = f->project->index;
    const struct pm_resolve_node *of = &index->nodes[node];
    return of->function &&
           index->frameworks[of->framework].functions.kinds[of->function - 1] == PM_NAME_CLASS;
}

/* A value of the kind, of the class where that is known. */
static value given(const struct finder *f, uint32_t framework, enum pm_value gives, uint32_t class)
{
    if (gives == PM_VALUE_ARRAYS)
        return (value){PM_RESOLVE__ARRAYS, framework, 0, 0, true};
    if (class)
        return instance(framework, class);
    return gives == PM_VALUE_ARRAY ? array_of(f, framework) : nothing();
}

static bool is_array(const struct finder *f, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_RESOLVE__INSTANCE ? known_of(f, v.node) : NULL;
    return known && known->gives == PM_VALUE_ARRAY;
}

static value named_child(const struct finder *f, value on, uint32_t name)
{
    const struct pm_resolve_index *index = f->project->index;
    const char *text = f->project->names[name];
    const size_t length = strlen(text);
    unsigned char padded[64] = {0};
    uint64_t words[2];
    if (length == 0 || length > sizeof padded - 16)
        return nothing();
    memcpy(padded, text, length);
    pm_resolve_words(padded, length, words);
    const uint32_t symbol =
        pm_resolve_symbol(index, padded, length, pm_resolve_hash(padded, length, words));
    const uint32_t child = symbol ? pm_resolve_child(index, on.node, symbol) : PM_RESOLVE_NONE;
    if (!child)
        return nothing();
    const struct pm_resolve_known *known = known_of(f, child);
    if (on.type == PM_RESOLVE__NAMED)
        return (value){PM_RESOLVE__NAMED, on.framework, child, 0, on.inferred};
    if (index->nodes[child].function)
        return (value){PM_RESOLVE__NAMED, on.framework, child, on.node, true};
    return known ? given(f, on.framework, known->gives, known->same ? on.node : known->class)
                 : nothing();
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
            if (base.type == PM_RESOLVE__NAMED && is_class(f, base.node))
                found = base;
            else if (base.type == PM_RESOLVE__OWN_CLASS)
                found = framework_base(f, base.node);
        }
    f->depth--;
    return found;
}

/* What a class or its bases in the project have under a name. */
static value own_member(struct finder *f, uint32_t class, uint32_t name)
{
    const struct pm_resolve__class *of = &f->project->classes[class];
    const uint32_t term = pm_resolve__member(f->project, of->members, name);
    value found = term ? find(f, term) : nothing();
    if (!term && f->depth++ < MOST_DEPTH) {
        for (uint32_t i = 0; i < of->base_count && !found.type; i++) {
            const value base = find(f, f->project->bases[of->first_base + i]);
            if (base.type == PM_RESOLVE__OWN_CLASS)
                found = own_member(f, base.node, name);
        }
    }
    f->depth -= !term;
    found.inferred = true;
    return found;
}

static value object_attribute(struct finder *f, value on, uint32_t name)
{
    value found = own_member(f, on.node, name);
    if (found.type)
        return found;
    value base = framework_base(f, on.node);
    if (!base.type)
        return base;
    base.type = PM_RESOLVE__INSTANCE;
    found = named_child(f, base, name);
    found.inferred = true;
    return found;
}

/* ---- modules of the project ----------------------------------------------------------------- */

static value module_member(struct finder *f, uint32_t unit, uint32_t name)
{
    const struct pm_resolve__unit *of = &f->project->units[unit];
    const uint32_t term = pm_resolve__module_member(f->project, unit, name);
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

/* An attribute of an import may be a module below it. */
static value imported_attribute(struct finder *f, const struct pm_resolve__term *import,
                                uint32_t name)
{
    if (!f->project->units[import->a].path)
        return nothing();
    const char *path = f->project->names[import->b];
    const size_t length = strlen(path);
    const bool dots = length == 0 || path[length - 1] == '.';
    char *below = pm_format("%s%s%s", path, dots ? "" : ".", f->project->names[name]);
    const uint32_t unit = pm_resolve__unit(f->project, import->a, below);
    free(below);
    return unit ? (value){.type = PM_RESOLVE__OWN_MODULE, .node = unit - 1} : nothing();
}

/* ---- terms ---------------------------------------------------------------------------------- */

static value attribute(struct finder *f, value on, uint32_t name)
{
    switch (on.type) {
    case PM_RESOLVE__NAMED:
    case PM_RESOLVE__INSTANCE:
        return named_child(f, on, name);
    case PM_RESOLVE__OWN_CLASS:
    case PM_RESOLVE__OWN_OBJECT:
        return object_attribute(f, on, name);
    case PM_RESOLVE__OWN_MODULE:
        return module_member(f, on.node, name);
    default:
        return nothing();
    }
}

/* What a call of an object gives: by its own method, else by the class that it inherits from. */
static value called_object(struct finder *f, value on)
{
    static const char *const methods[] = {"forward", "call", "__call__"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const uint32_t name = pm_resolve__name(f->project, methods[i], strlen(methods[i]));
        const value method = own_member(f, on.node, name);
        if (method.type == PM_RESOLVE__OWN_FUNCTION)
            return find(f, f->project->functions[method.node].returned);
    }
    const value base = framework_base(f, on.node);
    const struct pm_resolve_known *known = base.type ? known_of(f, base.node) : NULL;
    return known ? given(f, base.framework, known->calls, PM_RESOLVE_NONE) : nothing();
}

static value called(struct finder *f, value on)
{
    const struct pm_resolve_known *known =
        on.type == PM_RESOLVE__NAMED || on.type == PM_RESOLVE__INSTANCE ? known_of(f, on.node)
                                                                        : NULL;
    switch (on.type) {
    case PM_RESOLVE__NAMED:
        if (is_class(f, on.node))
            return instance(on.framework, on.node);
        return known ? given(f, on.framework, known->gives, known->same ? on.of : known->class)
                     : nothing();
    case PM_RESOLVE__INSTANCE:
        return known ? given(f, on.framework, known->calls, PM_RESOLVE_NONE) : nothing();
    case PM_RESOLVE__OWN_CLASS:
        return (value){.type = PM_RESOLVE__OWN_OBJECT, .node = on.node, .inferred = true};
    case PM_RESOLVE__OWN_OBJECT:
        return called_object(f, on);
    case PM_RESOLVE__OWN_FUNCTION:
        return find(f, f->project->functions[on.node].returned);
    default:
        return nothing();
    }
}

static value annotated(struct finder *f, uint32_t type)
{
    const struct pm_resolve__term *of = &f->project->terms[type];
    if (of->op == PM_RESOLVE__ARITHMETIC) { /* Type | None */
        const value left = find(f, of->a), right = find(f, of->b);
        if (left.type == PM_RESOLVE__NOTHING || right.type == PM_RESOLVE__NOTHING)
            return annotated(f, left.type == PM_RESOLVE__NOTHING ? of->b : of->a);
        return nothing();
    }
    const value class = find(f, type);
    if (class.type == PM_RESOLVE__NAMED && is_class(f, class.node))
        return instance(class.framework, class.node);
    return class.type == PM_RESOLVE__OWN_CLASS ? called(f, class) : nothing();
}

static value input(struct finder *f, uint32_t class)
{
    const value base = framework_base(f, class);
    const struct pm_resolve_known *known = base.type ? known_of(f, base.node) : NULL;
    return known && known->gives == PM_VALUE_MODULE ? array_of(f, base.framework) : nothing();
}

static value either(value a, value b)
{
    if (a.type == PM_RESOLVE__NOTHING)
        return b;
    if (b.type == PM_RESOLVE__NOTHING ||
        (a.type == b.type && a.framework == b.framework && a.node == b.node))
        return a;
    return nothing();
}

static value arithmetic(struct finder *f, value a, value b)
{
    const value of = is_array(f, a) ? a : b;
    return is_array(f, of) ? array_of(f, of.framework) : nothing();
}

static value item(struct finder *f, value of)
{
    return is_array(f, of) || of.type == PM_RESOLVE__ARRAYS ? array_of(f, of.framework) : nothing();
}

static value evaluate(struct finder *f, const struct pm_resolve__term *term)
{
    value found = nothing();
    switch ((enum pm_resolve__op)term->op) {
    case PM_RESOLVE__NONE_VALUE:
        return (value){.type = PM_RESOLVE__NOTHING};
    case PM_RESOLVE__PLACE:
        return (value){PM_RESOLVE__NAMED, term->a, term->b, 0, false};
    case PM_RESOLVE__ATTRIBUTE:
        found = attribute(f, find(f, term->a), term->b);
        return !found.type && f->project->terms[term->a].op == PM_RESOLVE__IMPORT
                   ? imported_attribute(f, &f->project->terms[term->a], term->b)
                   : found;
    case PM_RESOLVE__CALL:
        return called(f, find(f, term->a));
    case PM_RESOLVE__ITEM:
        return item(f, find(f, term->a));
    case PM_RESOLVE__ARITHMETIC:
        return arithmetic(f, find(f, term->a), find(f, term->b));
    case PM_RESOLVE__EITHER:
        return either(find(f, term->a), find(f, term->b));
    case PM_RESOLVE__ANNOTATED:
        return annotated(f, term->a);
    case PM_RESOLVE__INPUT:
        return input(f, term->a);
    case PM_RESOLVE__SELF:
        return (value){.type = PM_RESOLVE__OWN_OBJECT, .node = term->a, .inferred = true};
    case PM_RESOLVE__CLASS:
        return (value){.type = PM_RESOLVE__OWN_CLASS, .node = term->a};
    case PM_RESOLVE__FUNCTION:
        return (value){.type = PM_RESOLVE__OWN_FUNCTION, .node = term->a};
    case PM_RESOLVE__GLOBAL:
        return module_member(f, term->a, term->b);
    case PM_RESOLVE__IMPORT: {
        const uint32_t unit = pm_resolve__unit(f->project, term->a, f->project->names[term->b]);
        return unit ? (value){.type = PM_RESOLVE__OWN_MODULE, .node = unit - 1} : found;
    }
    default:
        return found;
    }
}

static value find(struct finder *f, uint32_t number)
{
    struct pm_resolve__term *term = &f->project->terms[number];
    if (number == 0 || term->state == SEEN || f->gave_up)
        return nothing();
    if (term->state == FOUND)
        return term->value;
    if (f->depth >= MOST_DEPTH) {
        f->gave_up = true;
        return nothing();
    }
    term->state = SEEN;
    f->depth++;
    const value found = evaluate(f, term); /* no term is added meanwhile */
    f->depth--;
    if (!f->gave_up)
        term->value = found;
    term->state = f->gave_up ? UNSEEN : FOUND;
    return f->gave_up ? nothing() : found;
}

struct pm_resolve__value pm_resolve__value_of(struct pm_resolve_project *project, uint32_t term)
{
    return find(&(struct finder){.project = project}, term);
}
