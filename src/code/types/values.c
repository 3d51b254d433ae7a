/* Finds the values of terms, over all files of a project. */
#include <limits.h>
#include <stdlib.h>

#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

/* The most evaluations of a term that depends on itself. The last result is kept. */
#define MOST_TRIES 3

/* The most terms that wait for a deeper term. */
#define MOST_WAITING 4096

enum { UNSEEN, SEEN, FOUND };
enum {
    WAITING
}; /* the depth of a term that waits: less than the depth of any term that is being found */

/* ---- parameters ----------------------------------------------------------------------------- */

static value input(finder *f, const struct pm_types__parameter *of)
{
    const struct pm_types__function *function = &f->project->functions[of->function];
    const bool is_context = !function->class && of->order == 0;
    if (!function->takes_arrays || (function->class && of->order == 0) || of->is_flag ||
        of->stars > 1 || (of->annotated && !is_context))
        return pm_types__nothing();
    value base = pm_types__framework_base(f, function->owner - 1);
    const struct pm_resolve_known *known =
        base.type ? pm_types__known(f->project, base.node) : NULL;
    const bool is_module = known && known->gives == PM_VALUE_MODULE;
    const uint32_t context =
        function->of_class; /* if the class is a parameter, the context comes after it */
    if (!base.type || is_module != (function->class && !function->of_class))
        return pm_types__nothing();
    if (of->stars)
        return pm_types__container_of(f, pm_types__array(f->project, base.framework));
    if (of->order > context || is_module)
        return pm_types__array(f->project, base.framework);
    base.type =
        PM_TYPES__INSTANCE; /* the context of a function of autograd is an object of its class */
    base.declared = true;
    return base;
}

/* Returns the result of the test fixture with a parameter's name. The fixture is in the same file,
 * or in a conftest.py in the folder of the file or in a folder above. */
static value fixture(finder *f, const struct pm_types__parameter *of)
{
    struct pm_types_project *p = f->project;
    const struct pm_types__function *function = &p->functions[of->function];
    uint32_t unit = function->unit + 1;
    const char *path = p->units[function->unit].path;
    char *folder = path ? pm_strdup(path) : NULL;
    uint32_t term = 0;
    while (folder &&
           !(term = unit ? pm_types__member(p, PM_TYPES__FIXTURE_OWNER(unit - 1), of->name) : 0)) {
        char *slash = strrchr(folder, '/');
        if (!*folder)
            break;
        *(slash ? slash : folder) = '\0';
        char *file = pm_format("%s%sconftest", folder, *folder ? "/" : "");
        unit = (uint32_t)(uintptr_t)pm_map_get(&p->by_path, file);
        free(file);
    }
    free(folder);
    if (!term || p->terms[term].a == of->function)
        return pm_types__nothing();
    const value found = pm_types__result(f, p->terms[term].a);
    return p->functions[p->terms[term].a].yields ? pm_types__looped(f, found, 0) : found;
}

/* Returns an object of the type that the overridden method of a base annotates for the same
 * parameter. Without such an annotation, returns what calls pass to that parameter. */
static value overridden(finder *f, const struct pm_types__parameter *of)
{
    enum { MOST_LEVELS = 4 };
    const struct pm_types_project *p = f->project;
    const struct pm_types__function *function = &p->functions[of->function];
    uint32_t class = function->owner;
    value found = {.type = PM_TYPES__NOTHING};
    for (unsigned i = 0; i < MOST_LEVELS && class && found.type == PM_TYPES__NOTHING; i++) {
        class = pm_types__inherited_owner(f, class - 1, function->name);
        const uint32_t term =
            class ? pm_types__member(p, PM_TYPES__CLASS_OWNER(class - 1), function->name) : 0;
        if (!term || p->terms[term].op != PM_TYPES__FUNCTION)
            continue;
        uint32_t at = p->functions[p->terms[term].a].parameters;
        while (at && p->parameters[at - 1].order != of->order)
            at = p->parameters[at - 1].next;
        const struct pm_types__parameter *base = at ? &p->parameters[at - 1] : NULL;
        if (base && base->annotated)
            found = f->find(f, base->annotated);
        for (uint32_t k = base && found.type == PM_TYPES__NOTHING && !base->stars ? base->passed
                                                                                  : 0;
             k; k = p->passes[k - 1].next)
            found = pm_types__either(f->project, found, f->find(f, p->passes[k - 1].term));
    }
    return found.type == PM_TYPES__NOTHING ? pm_types__nothing() : found;
}

static value parameter(finder *f, uint32_t number)
{
    const struct pm_types__parameter *of = &f->project->parameters[number];
    const value said = of->annotated ? f->find(f, of->annotated) : pm_types__nothing();
    value found = {.type = PM_TYPES__NOTHING};
    if (said.type && said.type != PM_TYPES__OWN_OBJECT &&
        !(said.type == PM_TYPES__INSTANCE && !pm_types__is_array(f->project, said)))
        return said;
    for (uint32_t i = of->passed; i; i = f->project->passes[i - 1].next)
        found = pm_types__either(f->project, found, f->find(f, f->project->passes[i - 1].term));
    if (of->stars && found.type && found.type != PM_TYPES__NOTHING)
        found = pm_types__container_of(f, found);
    if (of->given)
        found = pm_types__either(f->project, found, f->find(f, of->given));
    if (!found.type || found.type == PM_TYPES__NOTHING)
        found = said.type ? said : input(f, of);
    const struct pm_types__function *function = &f->project->functions[of->function];
    if (!found.type && function->is_test)
        found = fixture(f, of);
    if (!found.type && function->owner && !of->stars && of->order > 0)
        found = overridden(f, of);
    found.inferred = true;
    if (of->annotated && f->project->terms[of->annotated].op == PM_TYPES__ANNOTATED)
        found.replaced |= found.type && pm_types__is_foreign(f, f->project->terms[of->annotated].a);
    return found;
}

/* ---- checks --------------------------------------------------------------------------------- */

/* Returns an object of the type that a check names: of a class, of one of several classes, or an
 * array. */
static value checked_type(finder *f, uint32_t term)
{
    const struct pm_types__term *of = &f->project->terms[term];
    value found = {.type = PM_TYPES__NOTHING};
    if (of->op != PM_TYPES__DISPLAY) {
        const value type = f->find(f, term);
        if (type.type == PM_TYPES__OTHER_MODULE && pm_types__is_numpy(f->project->names[type.node]))
            return pm_types__plain();
        return type.type == PM_TYPES__NAMED && !pm_types__is_class(f->project, type.node)
                   ? pm_types__array(f->project, type.framework)
                   : pm_types__annotated(f, term);
    }
    const struct pm_types__series list = f->project->lists[of->a];
    for (uint32_t i = 0; i < list.count; i++) {
        const value one = pm_types__annotated(f, f->project->arguments[list.first + i].term);
        if (!one.type)
            return one;
        found = pm_types__either(f->project, found, one);
    }
    return found;
}

static bool is_kind(const finder *f, value v, value type)
{
    if (v.type == type.type)
        return v.node == type.node;
    return v.type == PM_TYPES__OWN_OBJECT && type.type == PM_TYPES__INSTANCE &&
           f->project->classes[v.node].base.type;
}

/* Returns the value `v` after a check has shown that it has the type of the object `type`. */
static value narrowed(finder *f, value v, value type)
{
    if (!type.type || type.type == PM_TYPES__ONE_OF)
        return v.type ? v : type;
    if (is_kind(f, v, type)) {
        v.open = v.replaced = v.by_name = false;
        return v;
    }
    const struct pm_types__content several =
        v.type == PM_TYPES__ONE_OF ? f->project->contents[v.node] : (struct pm_types__content){0};
    for (uint32_t i = 0; i < several.count; i++)
        if (is_kind(f, f->project->held[several.first + i].value, type))
            return f->project->held[several.first + i].value;
    type.inferred = true;
    return type;
}

/* ---- terms ---------------------------------------------------------------------------------- */

/* Returns the value of an operand. If the operand is a method, a decorator must have made the
 * method a property, whose result is the value. */
static value computed(finder *f, uint32_t term)
{
    const value of = f->find(f, term);
    return of.type == PM_TYPES__OWN_FUNCTION && of.of & PM_TYPES__BOUND &&
                   f->depth < PM_TYPES__MOST_CIRCLE
               ? pm_types__result(f, of.node)
               : of;
}

static value arithmetic(finder *f, const struct pm_types__term *term)
{
    const value a = computed(f, term->a), b = computed(f, term->b);
    const value of = pm_types__is_array(f->project, a) ? a : b;
    if (pm_types__is_array(f->project, of)) {
        const struct pm_types_project *p = f->project;
        value found = pm_types__array(p, of.framework);
        found.by_name = of.by_name;
        found.replaced =
            a.replaced || b.replaced ||
            ((p->has_operators || p->has_protocols) && ((term->a && pm_types__may_replace(f, a)) ||
                                                        (term->b && pm_types__may_replace(f, b))));
        return found;
    }
    if (pm_types__is_of_shape(f->project, a) || pm_types__is_of_shape(f->project, b))
        return pm_types__is_of_shape(f->project, a) ? a : b;
    if (a.type == PM_TYPES__ITEMS && (b.type == PM_TYPES__ITEMS || !b.type))
        return b.type ? pm_types__either(f->project, a, b) : a;
    if (a.type == PM_TYPES__ONE_OF || b.type == PM_TYPES__ONE_OF)
        return pm_types__looped(f, a.type == PM_TYPES__ONE_OF ? a : b, 0);
    return a.type == PM_TYPES__PLAIN && (b.type == PM_TYPES__PLAIN || !b.type)
               ? pm_types__plain()
               : pm_types__nothing();
}

/* Returns the result of a call; for cast(T, x), an object of the type T. */
static value called(finder *f, const struct pm_types__term *call)
{
    const value of = f->find(f, call->a);
    if (of.type == PM_TYPES__BUILTIN && of.node == PM_TYPES__CAST_BUILTIN && call->b)
        return pm_types__annotated(
            f, f->project->arguments[f->project->lists[call->b - 1].first].term);
    return pm_types__called(f, of, call->b);
}

static value either(finder *f, const struct pm_types__term *term)
{
    const value a = f->find(f, term->a);
    return pm_types__either(f->project, a, f->find(f, term->b));
}

/* Returns the value of a HOLDS term, which is a list of an item, or of a FILLED term. */
static value holding(finder *f, const struct pm_types__term *term)
{
    value found = f->find(f, term->a);
    if (term->op == PM_TYPES__HOLDS)
        return pm_types__container_of(f, found);
    found.filled = true;
    return found;
}

/* Returns the value of a PLACE term; nothing if the names lack it or its uses do not count. */
static value place(const struct pm_types_project *project, const struct pm_types__term *term)
{
    if (!term->b || project->withheld >> term->a & 1)
        return pm_types__nothing();
    return (value){.type = PM_TYPES__NAMED, .framework = (uint8_t)term->a, .node = term->b};
}

static value evaluate(finder *f, uint32_t number)
{
    const struct pm_types__term *term = &f->project->terms[number];
    switch ((enum pm_types__op)term->op) {
    case PM_TYPES__NONE_VALUE:
        return (value){.type = PM_TYPES__NOTHING};
    case PM_TYPES__PLACE:
        return place(f->project, term);
    case PM_TYPES__ATTRIBUTE:
    case PM_TYPES__FIELD:
        return pm_types__looked_up(f, number);
    case PM_TYPES__CALL:
        return called(f, term);
    case PM_TYPES__ITEM:
        return pm_types__subscripted(f, f->find(f, term->a), term->b);
    case PM_TYPES__SUBSCRIPT:
        return pm_types__subscripted(f, f->find(f, term->a), 0);
    case PM_TYPES__NARROWED:
        return narrowed(f, f->find(f, term->a), checked_type(f, term->b));
    case PM_TYPES__SLICE:
        return pm_types__sliced(f, f->find(f, term->a), 0);
    case PM_TYPES__UNPACK:
        return pm_types__unpacked(f, f->find(f, term->a), term->b);
    case PM_TYPES__LOOP:
        return pm_types__looped(f, f->find(f, term->a), 0);
    case PM_TYPES__ARITHMETIC:
        return arithmetic(f, term);
    case PM_TYPES__EITHER:
        return either(f, term);
    case PM_TYPES__ANNOTATED:
        return pm_types__annotated(f, term->a);
    case PM_TYPES__PARAMETER:
        return parameter(f, term->a);
    case PM_TYPES__SELF:
        return (value){.type = PM_TYPES__OWN_OBJECT, .node = term->a, .inferred = true};
    case PM_TYPES__SUPER:
        return (value){.type = PM_TYPES__PARENT, .node = term->a, .inferred = true};
    case PM_TYPES__CLASS:
        return (value){.type = PM_TYPES__OWN_CLASS, .node = term->a};
    case PM_TYPES__FUNCTION:
        return (value){.type = PM_TYPES__OWN_FUNCTION, .node = term->a};
    case PM_TYPES__DECORATED: {
        const value by = f->find(f, term->a);
        return pm_types__decorated(f, by, f->find(f, term->b));
    }
    case PM_TYPES__PROPERTY:
        return pm_types__result(f, term->a);
    case PM_TYPES__GLOBAL:
        return pm_types__global(f, term->a, term->b);
    case PM_TYPES__IMPORT:
        return pm_types__imported(f, term);
    case PM_TYPES__DISPLAY:
        return pm_types__contained(f, term->a + 1);
    case PM_TYPES__HOLDS:
    case PM_TYPES__FILLED:
        return holding(f, term);
    default:
        return pm_types__nothing();
    }
}

/* Finds the value of a term. A term that is requested while it is being found counts as unknown.
 * Values that follow from this are kept only after several tries, because more may be known when
 * another term requests them. */
static value find(finder *f, uint32_t number)
{
    struct pm_types__term *term = &f->project->terms[number];
    if (number == 0 || f->deeper)
        return pm_types__nothing();
    if (term->state == FOUND)
        return term->value;
    if (term->state == SEEN) {
        f->lowest = term->value.node < f->lowest ? term->value.node : f->lowest;
        return pm_types__nothing();
    }
    if (f->depth > PM_TYPES__MOST_DEPTH) {
        f->deeper = number;
        return pm_types__nothing();
    }
    const unsigned around = f->lowest, depth = f->depth;
    term->state = SEEN;
    term->value = (value){.node = depth};
    f->lowest = UINT_MAX;
    f->depth++;
    value found = evaluate(f, number); /* adds no term, so `term` stays valid */
    f->depth--;
    if ((!found.type || found.type == PM_TYPES__NOTHING) && !f->deeper && term->hinted &&
        !pm_types__is_below_name(f, number)) {
        found = pm_types__array(f->project, (term->hinted & ~PM_TYPES__PERHAPS) - 1);
        found.by_name = true;
        found.replaced = f->project->has_proxies || term->hinted & PM_TYPES__PERHAPS;
    }
    const bool whole = !f->deeper && (f->lowest >= depth || ++term->tries >= MOST_TRIES);
    term->value = found;
    term->state = whole ? FOUND : UNSEEN;
    f->lowest = whole || around < f->lowest ? around : f->lowest;
    return f->deeper ? pm_types__nothing() : found;
}

static finder begin(struct pm_types_project *project)
{
    return (finder){.project = project, .find = find, .depth = WAITING + 1, .lowest = UINT_MAX};
}

/* If the term depends on a term that is nested too deeply for the C stack, the deeper term is found
 * first, and this term waits. */
value pm_types__value_of(struct pm_types_project *project, uint32_t number)
{
    uint32_t waiting[MOST_WAITING];
    size_t count = 0;
    for (;;) {
        finder f = begin(project);
        const value found = find(&f, number);
        if (!f.deeper && count == 0)
            return found;
        if (!f.deeper) {
            number = waiting[--count];
            project->terms[number].state = UNSEEN;
        } else if (count < MOST_WAITING) {
            project->terms[number].state = SEEN;
            project->terms[number].value = (value){.node = WAITING};
            waiting[count++] = number;
            number = f.deeper;
        } else {
            project->terms[f.deeper].state = FOUND; /* its value remains unknown */
            project->terms[f.deeper].value = pm_types__nothing();
        }
    }
}

/* If a term was too deep, finds its value and returns true: the caller must repeat its look-up. */
static bool found_deeper(const finder *f)
{
    if (f->deeper)
        (void)pm_types__value_of(f->project, f->deeper);
    return f->deeper != 0;
}

/* Sets `hinted` of the terms of a file on which code looks up a method that only arrays have. */
static void hint(struct pm_types_project *project, const struct pm_types__unit *unit,
                 uint32_t first)
{
    for (uint32_t i = first; unit->imported && i < unit->end; i++) {
        const struct pm_types__term *term = &project->terms[i];
        if (term->op != PM_TYPES__ATTRIBUTE || !term->a ||
            project->taken[term->b] & ~PM_TYPES__GLOBAL_NAME ||
            pm_types__is_shape(project, &project->terms[term->a]))
            continue;
        const value method = pm_types__only(project, unit, term->b);
        if (method.type && method.of == project->index->frameworks[method.framework].array)
            project->terms[term->a].hinted =
                (uint8_t)((method.framework + 1) | (unit->other_classes ? PM_TYPES__PERHAPS : 0));
    }
}

/* Returns whether a member is or may be a function or a class. Examines at most MOST of its
 * possible values. */
static bool is_method(const struct pm_types_project *project, uint32_t member)
{
    enum { MOST = 32 };
    uint32_t waiting[MOST] = {member};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        const struct pm_types__term *of = &project->terms[waiting[i]];
        if (of->op == PM_TYPES__FUNCTION || of->op == PM_TYPES__DECORATED ||
            of->op == PM_TYPES__CLASS)
            return true;
        if (of->op == PM_TYPES__EITHER && count + 2 <= MOST) {
            waiting[count++] = of->a;
            waiting[count++] = of->b;
        }
    }
    return false;
}

/* A name that a class of the project also uses does not show reliably that a value is an array. */
void pm_types__take_names(struct pm_types_project *project)
{
    const uint32_t passes_on = pm_types__name(project, "__getattr__", strlen("__getattr__"));
    project->has_protocols = project->has_operators = project->has_proxies = false;
    while (project->taken_count < project->names_count)
        PM_TYPES__PUSH(project, taken, 0);
    for (size_t i = 0; i < project->members_count; i++) {
        const struct pm_types__member *member = &project->members[i];
        uint8_t *taken = &project->taken[member->name];
        const char *name = project->names[member->name];
        if (member->owner % 2 && (pm_types__is_protocol(name) || pm_types__is_operator(name))) {
            project->has_protocols |= pm_types__is_protocol(name);
            project->has_proxies |=
                pm_types__is_protocol(name) && pm_types__member(project, member->owner, passes_on);
            project->has_operators |= pm_types__is_operator(name);
            if (!*taken)
                PM_TYPES__PUSH(project, protocols, member->name);
        }
        if (member->owner % 2 == 0)
            *taken |= PM_TYPES__GLOBAL_NAME;
        else
            *taken |= is_method(project, member->term) ? PM_TYPES__TAKEN : PM_TYPES__STORED;
    }
    for (size_t i = 0; i < project->outside_count; i++)
        project->taken[project->outside[i]] |= PM_TYPES__OUTSIDE;
    pm_types__spread_imports(project);
    pm_types__take_shapes(project);
    for (size_t i = 0; i < project->units_count; i++)
        hint(project, &project->units[i], i ? project->units[i - 1].end : 1);
}

void pm_types__begin(struct pm_types_project *project)
{
    for (size_t i = 0; i < project->terms_count; i++)
        project->terms[i].state = project->terms[i].tries = UNSEEN;
    project->contents_count = project->held_count = 0;
    pm_types__forget_types(project);
    pm_types__begin_owners(project);
    pm_types__begin_bases(project);
    for (uint32_t i = 0; i < project->classes_count; i++) {
        for (uint32_t k = 0; k < project->classes[i].base_count; k++)
            (void)pm_types__value_of(project, project->bases[project->classes[i].first_base + k]);
        finder f = begin(project);
        pm_types__find_bases(&f, i);
    }
    finder f = begin(project);
    pm_types__forget_answers(project); /* the answers so far were found without the bases */
    pm_types__end_bases(&f);
}

uint32_t pm_types__called_method(struct pm_types_project *project, uint32_t class)
{
    finder f;
    uint32_t found;
    do {
        f = begin(project);
        found = pm_types__own_call(&f, class);
    } while (found_deeper(&f));
    return found;
}

uint32_t pm_types__constructor(struct pm_types_project *project, uint32_t class)
{
    finder f;
    uint32_t found;
    do {
        f = begin(project);
        found = pm_types__own_method(&f, class, "__init__");
    } while (found_deeper(&f));
    return found;
}
