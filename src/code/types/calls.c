/* Finds the results of calls. */
#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

/* ---- calls ---------------------------------------------------------------------------------- */

/* Returns the result of calling an object of a framework's class. If the class is the base of
 * modules and its calls have no result of their own, the object belongs to a subclass, whose calls
 * most often return an array. */
static value given_by_call(const finder *f, const struct pm_resolve_known *known,
                           uint32_t framework)
{
    if (known->gives != PM_VALUE_MODULE || known->calls != PM_VALUE_OTHER)
        return pm_types__given(f->project, framework, known->calls, PM_RESOLVE_NONE);
    value found = pm_types__array(f->project, framework);
    found.by_name = true;
    return found;
}

/* Returns the result of calling an object of the project: the result of the method that the call
 * runs or, without such a method, the result for the framework's class from which the object's
 * class inherits. */
static value called_object(finder *f, value on)
{
    const uint32_t method = pm_types__own_call(f, on.node);
    if (method)
        return pm_types__result(f, method - 1);
    const value base = pm_types__framework_base(f, on.node);
    const struct pm_resolve_known *known =
        base.type ? pm_types__known(f->project, base.node) : NULL;
    return known ? given_by_call(f, known, base.framework) : pm_types__nothing();
}

/* Returns whether a value is a module, or may be one. */
static bool is_layer(const finder *f, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_TYPES__INSTANCE ? pm_types__known(f->project, v.node) : NULL;
    return (known && known->gives == PM_VALUE_MODULE) || v.type == PM_TYPES__OWN_OBJECT ||
           v.type == PM_TYPES__ONE_OF;
}

value pm_types__made(finder *f, value class, uint32_t list)
{
    const struct pm_resolve_known *known = pm_types__known(f->project, class.node);
    value object = {.type = PM_TYPES__INSTANCE,
                    .framework = class.framework,
                    .node = class.node,
                    .inferred = true};
    if (!known || known->gives != PM_VALUE_MODULE || !list)
        return object;
    const bool one = f->project->lists[list - 1].count == 1;
    value content = one ? pm_types__given_argument(f, list, 0) : pm_types__nothing();
    if (content.type != PM_TYPES__ITEMS)
        content = pm_types__contained(f, list);
    if (content.type && is_layer(f, pm_types__item(f->project, content, 0)))
        object.of = content.node + 1;
    else if (one && pm_types__given_argument(f, list, 0).type == PM_TYPES__ITEMS && content.type)
        object.of = content.node + 1;
    return object;
}

/* Returns the class of the object in which a framework's decorator `by` wraps a function; 0 if it
 * is not known. Sets *callable if a call of the function is a call of that object. If the decorator
 * is a class, this is not assumed, because its object may return the function unchanged. */
static uint32_t wrapper_of(const finder *f, value by, bool *callable)
{
    const struct pm_resolve_known *known =
        by.type == PM_TYPES__NAMED ? pm_types__known(f->project, by.node) : NULL;
    *callable = false;
    if (by.type == PM_TYPES__NAMED && pm_types__is_class(f->project, by.node))
        return by.node;
    *callable = true;
    if (by.type == PM_TYPES__INSTANCE && by.declared && !pm_types__is_array(f->project, by))
        return by.node;
    return known && known->gives == PM_VALUE_OTHER && !known->same ? known->class : 0;
}

/* Returns whether a framework's function compiles a function or a module. Its result, which is
 * called instead, is an object of a class in the same module of the framework. */
static bool compiles(const finder *f, value by)
{
    static const char *const compilers[] = {"freeze", "load",  "optimize_for_inference",
                                            "script", "trace", "trace_module"};
    const struct pm_resolve_index *index = f->project->index;
    const uint32_t module = by.type == PM_TYPES__NAMED ? index->nodes[by.node].parent : 0;
    if (!module || by.of || by.own || module == index->frameworks[by.framework].root)
        return false; /* torch.trace() does not compile: it computes the trace of a matrix */
    const char *name = index->symbols[index->nodes[by.node].symbol].text;
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (strcmp(name, compilers[i]) == 0)
            return pm_types__beside(f->project, by.node, "ScriptModule") != 0;
    return false;
}

/* Returns an object of the class with the name `class` beside the function `by`; if there is none,
 * of the class `other`. */
static value compiled_object(const finder *f, value by, const char *class, const char *other)
{
    const uint32_t first = pm_types__beside(f->project, by.node, class);
    return (value){.type = PM_TYPES__INSTANCE,
                   .framework = by.framework,
                   .node = first ? first : pm_types__beside(f->project, by.node, other),
                   .inferred = true};
}

/* Returns the result of compiling `what`. A function or an object of the project keeps its value,
 * and the result records its wrapper. */
static value compiled(const finder *f, value by, value what)
{
    const struct pm_resolve_index *index = f->project->index;
    const char *name = index->symbols[index->nodes[by.node].symbol].text;
    const bool traced = strncmp(name, "trace", strlen("trace")) == 0;
    const value function = compiled_object(f, by, "ScriptFunction", "ScriptModule");
    const value module = compiled_object(
        f, by, traced ? "TopLevelTracedModule" : "RecursiveScriptModule", "ScriptModule");
    switch ((enum pm_types__type)what.type) {
    case PM_TYPES__OWN_FUNCTION:
        what.framework = by.framework;
        what.of = (what.of & PM_TYPES__BOUND) | function.node << 2 | PM_TYPES__CALLABLE;
        return what;
    case PM_TYPES__OWN_OBJECT:
        what.framework = by.framework;
        what.of = module.node;
        return what;
    case PM_TYPES__OWN_CLASS:
        return what;
    case PM_TYPES__NAMED:
        return function;
    case PM_TYPES__INSTANCE:
        return module;
    default:
        return strcmp(name, "script") == 0 || strcmp(name, "trace") == 0
                   ? pm_types__either(f->project, function, module)
                   : module;
    }
}

value pm_types__decorated(finder *f, value by, value what)
{
    bool callable;
    if (what.type == PM_TYPES__OWN_FUNCTION && compiles(f, by))
        return compiled(f, by, what);
    const uint32_t wrapper = what.type == PM_TYPES__OWN_FUNCTION ? wrapper_of(f, by, &callable) : 0;
    if (!wrapper)
        return what;
    what.framework = by.framework;
    what.of = (what.of & PM_TYPES__BOUND) | wrapper << 2 | (callable ? PM_TYPES__CALLABLE : 0);
    return what;
}

static bool is_function(const finder *f, value v)
{
    const struct pm_resolve_index *index = f->project->index;
    const uint32_t row = index->nodes[v.node].function;
    return row && index->frameworks[v.framework].functions.kinds[row - 1] == PM_NAME_FUNCTION;
}

/* Returns the result of a call. If the result `found` is unknown or wraps a function, and the first
 * argument is a function or a module, the result is this argument in another form. */
static value passed_on(finder *f, value on, value found, uint32_t list)
{
    bool callable;
    const bool wraps =
        found.type == PM_TYPES__INSTANCE && is_function(f, on) && wrapper_of(f, on, &callable);
    const value first = wraps || !found.type ? pm_types__given_argument(f, list, 0) : found;
    if (first.type == PM_TYPES__OWN_FUNCTION)
        return pm_types__decorated(f, on, first);
    return !found.type && is_layer(f, first) && first.type != PM_TYPES__ONE_OF ? first : found;
}

/* Returns the contents of a module that one of its methods yields: modules, pairs of a name and an
 * array or a module, or a dict of arrays. The annotations of these methods are less precise:
 * "Iterator[tuple[str, Parameter]]" or "dict[str, Any]". */
static value parts_of_module(finder *f, value on)
{
    const struct pm_resolve_index *index = f->project->index;
    const struct pm_resolve_node *node = &index->nodes[on.node];
    const struct pm_resolve_known *class =
        node->parent ? pm_types__known(f->project, node->parent) : NULL;
    const char *name = index->symbols[node->symbol].text;
    if (!class || class->gives != PM_VALUE_MODULE)
        return pm_types__nothing();
    const value array = pm_types__array(f->project, on.framework);
    const value module = {.type = PM_TYPES__INSTANCE,
                          .framework = on.framework,
                          .node = node->parent,
                          .inferred = true,
                          .declared = true};
    if (strcmp(name, "modules") == 0 || strcmp(name, "children") == 0)
        return pm_types__container_of(f, module);
    const bool modules = strcmp(name, "named_modules") == 0 || strcmp(name, "named_children") == 0;
    if (modules || strcmp(name, "named_parameters") == 0 || strcmp(name, "named_buffers") == 0) {
        const struct pm_types__held row[2] = {{0, pm_types__plain()},
                                              {0, modules ? module : array}};
        return pm_types__container_of(f, pm_types__container(f->project, row, 2, true));
    }
    if (strcmp(name, "state_dict") != 0)
        return pm_types__nothing();
    const struct pm_types__held any = {pm_types__any_key(f->project), array};
    return pm_types__container(f->project, &any, 1, false);
}

/* Returns the single array that unique() or unique_consecutive() returns unless flags such as
 * `return_inverse` request more; otherwise nothing. This applies to frameworks whose arrays have
 * the method unique(). */
static value unless_flagged(finder *f, value on, uint32_t list)
{
    enum { MOST_PLAIN = 2 }; /* arguments before the flags: the array, and whether to sort */
    struct pm_types_project *p = f->project;
    const struct pm_resolve_index *index = p->index;
    const char *name = index->symbols[index->nodes[on.node].symbol].text;
    if (strcmp(name, "unique") != 0 && strcmp(name, "unique_consecutive") != 0)
        return pm_types__nothing();
    const uint32_t method = pm_types__name(p, "unique", strlen("unique"));
    if (!pm_types__child(p, pm_types__array(p, on.framework), method).type)
        return pm_types__nothing();
    const struct pm_types__series of = list ? p->lists[list - 1] : (struct pm_types__series){0};
    uint32_t plain = on.of != 0;
    for (uint32_t i = 0; i < of.count; i++) {
        const struct pm_types__argument *one = &p->arguments[of.first + i];
        plain += !one->name;
        if (one->many || (one->name && strncmp(p->names[one->name - 1], "return_", 7) == 0))
            return pm_types__nothing();
    }
    return plain <= MOST_PLAIN ? pm_types__array(p, on.framework) : pm_types__nothing();
}

/* Returns whether a function makes arrays from numbers and shapes, so that no class of the project
 * can replace its result. */
static bool is_maker(const finder *f, uint32_t node)
{
    static const char *const makers[] = {
        "arange",     "array",         "as_tensor",   "asarray",  "empty",    "eye",
        "frombuffer", "full",          "hann_window", "linspace", "logspace", "normal",
        "ones",       "rand",          "randint",     "randn",    "random",   "randperm",
        "range",      "scalar_tensor", "tensor",      "uniform",  "zeros"};
    const char *name = f->project->index->symbols[f->project->index->nodes[node].symbol].text;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(name, makers[i]) == 0)
            return true;
    return strncmp(name, "from", 4) == 0;
}

/* Returns whether an argument may be an object of a class of the project that defines the
 * function's result itself. Among arguments with unknown values, only the first two count, because
 * most later arguments are numbers. */
static bool is_replaced(finder *f, value function, uint32_t list)
{
    const struct pm_types_project *p = f->project;
    if (!p->has_protocols || !list || (!function.of && is_maker(f, function.node)))
        return false;
    const struct pm_types__series of = p->lists[list - 1];
    for (uint32_t i = 0; i < of.count && i < PM_TYPES__MOST_ITEMS; i++) {
        const uint32_t term = p->arguments[of.first + i].term;
        const value given = f->find(f, term);
        if ((given.type || (i < 2 && term)) && pm_types__may_replace(f, given))
            return true;
    }
    return false;
}

/* Returns whether a method was found by a name that only a few classes have. */
static bool is_guess(const finder *f, value method)
{
    const struct pm_resolve_known *class =
        method.of ? pm_types__known(f->project, method.of) : NULL;
    return method.by_name && class && class->gives == PM_VALUE_OTHER;
}

static value called_named(finder *f, value on, uint32_t list)
{
    const struct pm_resolve_known *known = pm_types__known(f->project, on.node);
    if (is_guess(f, on))
        return pm_types__nothing(); /* another class with such a method may return something else */
    if (pm_types__is_class(f->project, on.node))
        return pm_types__made(f, on, list);
    if (compiles(f, on))
        return compiled(f, on, pm_types__given_argument(f, list, 0));
    const value several = parts_of_module(f, on);
    if (several.type)
        return several;
    const value single = unless_flagged(f, on, list);
    if (single.type)
        return single;
    if (on.own && known && known->same)
        return (value){.type = PM_TYPES__OWN_OBJECT, .node = on.of, .inferred = true};
    if (on.own && f->depth < PM_TYPES__MOST_CIRCLE &&
        (!known || known->gives == PM_VALUE_UNKNOWN)) {
        const char *name =
            f->project->index->symbols[f->project->index->nodes[on.node].symbol].text;
        const uint32_t forward =
            strcmp(name, "apply") == 0 ? pm_types__own_method(f, on.of, "forward") : 0;
        if (forward)
            return pm_types__result(f, forward - 1);
    }
    value found = known ? pm_types__given(f->project, on.framework, known->gives,
                                          known->same ? on.of : known->class)
                        : pm_types__nothing();
    found.by_name = on.by_name;
    const bool arrays = pm_types__is_array(f->project, found) || found.type == PM_TYPES__ARRAYS;
    found.replaced = on.replaced || (arrays && is_replaced(f, on, list));
    if (known && known->same)
        found.declared = on.declared;
    return passed_on(f, on, found, list);
}

/* Returns the result of a method of a container, such as container.values(). */
static value called_held(finder *f, value on)
{
    const value container = {.type = PM_TYPES__ITEMS, .node = on.of};
    const value item = pm_types__item(f->project, container, 0);
    const char *name = f->project->names[on.node];
    if (strcmp(name, "items") == 0) {
        const struct pm_types__held row[2] = {{0, pm_types__plain()}, {0, item}};
        return pm_types__container_of(f, pm_types__container(f->project, row, 2, true));
    }
    if (strcmp(name, "values") == 0)
        return pm_types__container_of(f, item);
    if (strcmp(name, "copy") == 0)
        return container;
    if (strcmp(name, "pop") == 0 || strcmp(name, "get") == 0 || strcmp(name, "popleft") == 0 ||
        strcmp(name, "setdefault") == 0)
        return item;
    return pm_types__plain();
}

static value zipped(finder *f, uint32_t list)
{
    struct pm_types__held row[PM_TYPES__MOST_ITEMS];
    const uint32_t count = list ? f->project->lists[list - 1].count : 0;
    if (count > PM_TYPES__MOST_ITEMS)
        return pm_types__nothing();
    for (uint32_t i = 0; i < count; i++)
        row[i] = (struct pm_types__held){
            0, pm_types__looped(f, pm_types__given_argument(f, list, i), 0)};
    return pm_types__container_of(f, pm_types__container(f->project, row, count, true));
}

static value got_attribute(finder *f, uint32_t list)
{
    if (!list || f->project->lists[list - 1].count < 2)
        return pm_types__nothing();
    const struct pm_types__argument *key =
        &f->project->arguments[f->project->lists[list - 1].first + 1];
    return key->text ? pm_types__attribute(f, pm_types__given_argument(f, list, 0), key->text - 1)
                     : pm_types__nothing();
}

static value enumerated(finder *f, value item)
{
    const struct pm_types__held row[2] = {{0, pm_types__plain()}, {0, item}};
    return pm_types__container_of(f, pm_types__container(f->project, row, 2, true));
}

static value class_of(value object)
{
    if (object.type == PM_TYPES__OWN_OBJECT)
        return (value){.type = PM_TYPES__OWN_CLASS, .node = object.node, .inferred = true};
    if (object.type == PM_TYPES__INSTANCE && !object.declared)
        return (value){.type = PM_TYPES__NAMED,
                       .framework = object.framework,
                       .node = object.node,
                       .inferred = true};
    return pm_types__nothing();
}

static value empty_dict(finder *f)
{
    const struct pm_types__held none = {pm_types__any_key(f->project), {.type = PM_TYPES__NOTHING}};
    return pm_types__container(f->project, &none, 1, true);
}

/* Returns the result of dict(), called with a dict or with pairs of a key and a value. */
static value dict_of(finder *f, value of)
{
    const value item = of.type == PM_TYPES__ITEMS ? pm_types__item(f->project, of, 0) : of;
    const struct pm_types__content *pair =
        item.type == PM_TYPES__ITEMS ? pm_types__content(f->project, item) : NULL;
    if (of.type != PM_TYPES__ITEMS || !pair || !pair->row || pair->count != 2 ||
        pm_types__looped(f, of, 0).type == PM_TYPES__PLAIN)
        return of;
    const struct pm_types__held any = {pm_types__any_key(f->project),
                                       f->project->held[pair->first + 1].value};
    return pm_types__container(f->project, &any, 1, true);
}

/* Returns the container that a function of Python makes from the items of its argument. */
static value gathered(finder *f, enum pm_types__builtin function, uint32_t list, value first)
{
    const bool is_container = first.type == PM_TYPES__ITEMS || first.type == PM_TYPES__ARRAYS;
    switch (function) {
    case PM_TYPES__LIST_BUILTIN:
    case PM_TYPES__TUPLE_BUILTIN:
        return is_container ? first : pm_types__container_of(f, pm_types__looped(f, first, 0));
    case PM_TYPES__DEFAULTDICT_BUILTIN:
        return empty_dict(f);
    case PM_TYPES__DICT_BUILTIN:
    case PM_TYPES__ORDERED_BUILTIN:
        if (!list)
            return empty_dict(f);
        return first.type ? dict_of(f, first) : pm_types__contained(f, list);
    case PM_TYPES__CHAIN_BUILTIN:
    case PM_TYPES__CYCLE_BUILTIN:
    case PM_TYPES__DEQUE_BUILTIN:
    case PM_TYPES__ITER_BUILTIN:
    case PM_TYPES__REVERSED_BUILTIN:
    case PM_TYPES__SET_BUILTIN:
    case PM_TYPES__SORTED_BUILTIN:
        return pm_types__container_of(f, pm_types__looped(f, first, 0));
    case PM_TYPES__FILTER_BUILTIN:
        return pm_types__container_of(f,
                                      pm_types__looped(f, pm_types__given_argument(f, list, 1), 0));
    default:
        return pm_types__plain();
    }
}

/* Returns the values of a test, as in pytest.param(a, b, id=name). */
static value test_values(finder *f, uint32_t list)
{
    struct pm_types__held row[PM_TYPES__MOST_ITEMS] = {{0}};
    uint32_t count = 0;
    const struct pm_types__series of =
        list ? f->project->lists[list - 1] : (struct pm_types__series){0};
    for (uint32_t i = 0; i < of.count; i++) {
        const struct pm_types__argument one = f->project->arguments[of.first + i];
        if (one.many || count == PM_TYPES__MOST_ITEMS)
            return pm_types__nothing();
        if (!one.name)
            row[count++] = (struct pm_types__held){0, f->find(f, one.term)};
    }
    return count == 1 ? row[0].value : pm_types__container(f->project, row, count, true);
}

/* Returns the result of a function of einops: an array of the framework of its first argument,
 * which is an array or a list of arrays. */
static value arranged(const finder *f, value first)
{
    return pm_types__is_array(f->project, first) ? first : pm_types__item(f->project, first, 0);
}

static value called_builtin(finder *f, value on, uint32_t list)
{
    const value first = pm_types__given_argument(f, list, 0);
    switch ((enum pm_types__builtin)on.node) {
    case PM_TYPES__ABS_BUILTIN:
    case PM_TYPES__COPY_BUILTIN:
    case PM_TYPES__DEEPCOPY_BUILTIN:
    case PM_TYPES__PARTIAL_BUILTIN:
    case PM_TYPES__TQDM_BUILTIN:
    case PM_TYPES__TQDM_AUTO_BUILTIN:
        return first;
    case PM_TYPES__PACK_BUILTIN:
    case PM_TYPES__UNPACK_BUILTIN:
        return pm_types__container_of(f, arranged(f, first));
    case PM_TYPES__EINSUM_BUILTIN:
    case PM_TYPES__REARRANGE_BUILTIN:
    case PM_TYPES__REDUCED_BUILTIN:
    case PM_TYPES__REPEAT_BUILTIN:
        return arranged(f, first);
    case PM_TYPES__ENUMERATE_BUILTIN:
        return enumerated(f, pm_types__looped(f, first, 0));
    case PM_TYPES__NEXT_BUILTIN:
    case PM_TYPES__SUM_BUILTIN:
        return pm_types__looped(f, first, 0);
    case PM_TYPES__MAX_BUILTIN:
    case PM_TYPES__MIN_BUILTIN:
        return pm_types__is_array(f->project, first) ? first : pm_types__looped(f, first, 0);
    case PM_TYPES__PARAM_BUILTIN:
        return test_values(f, list);
    case PM_TYPES__REDUCE_BUILTIN:
        return pm_types__looped(f, pm_types__given_argument(f, list, 1), 0);
    case PM_TYPES__ZIP_BUILTIN:
        return zipped(f, list);
    case PM_TYPES__GETATTR_BUILTIN:
        return got_attribute(f, list);
    case PM_TYPES__TYPE_BUILTIN:
        return class_of(first);
    default:
        return gathered(f, (enum pm_types__builtin)on.node, list, first);
    }
}

static value called_instance(finder *f, value on)
{
    const struct pm_resolve_known *known = pm_types__known(f->project, on.node);
    const value found = known ? given_by_call(f, known, on.framework) : pm_types__nothing();
    return (!found.type || found.by_name) && on.of ? pm_types__array(f->project, on.framework)
                                                   : found;
}

/* Calls each of several values, and joins the results. If one of the values belongs to a package
 * that is not read, its result may differ from those of the other values. */
static value called_each(finder *f, value on, uint32_t list)
{
    const struct pm_types__content several = f->project->contents[on.node];
    value found = pm_types__each(f, on, pm_types__called, list);
    for (uint32_t i = 0; i < several.count && found.type; i++)
        found.replaced |= f->project->held[several.first + i].value.type == PM_TYPES__OTHER_MODULE;
    return found;
}

value pm_types__called(finder *f, value on, uint32_t list)
{
    switch ((enum pm_types__type)on.type) {
    case PM_TYPES__NAMED:
        return called_named(f, on, list);
    case PM_TYPES__INSTANCE:
        return called_instance(f, on);
    case PM_TYPES__HELD:
        return called_held(f, on);
    case PM_TYPES__BUILTIN: {
        value found = called_builtin(f, on, list);
        found.inferred = true;
        return found;
    }
    case PM_TYPES__ONE_OF:
        return called_each(f, on, list);
    case PM_TYPES__OWN_CLASS:
        return (value){.type = PM_TYPES__OWN_OBJECT, .node = on.node, .inferred = true};
    case PM_TYPES__OWN_OBJECT:
        return f->depth < PM_TYPES__MOST_CIRCLE ? called_object(f, on) : pm_types__nothing();
    case PM_TYPES__OWN_FUNCTION:
        return pm_types__result(f, on.node);
    case PM_TYPES__OTHER_MODULE:
        return pm_types__gives_plain(f->project->names[on.node]) ? pm_types__plain()
                                                                 : pm_types__nothing();
    case PM_TYPES__PLAIN:
        return pm_types__plain();
    default:
        return pm_types__nothing();
    }
}
