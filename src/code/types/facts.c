/* Finds the values that follow from facts about the names of a framework. */
#include "types/types_private.h"

typedef struct pm_types__value value;

const struct pm_resolve_known *pm_types__known(const struct pm_types_project *project,
                                               uint32_t node)
{
    const struct pm_resolve_index *index = project->index;
    return index->nodes[node].known ? &index->facts[index->nodes[node].known - 1] : NULL;
}

bool pm_types__is_class(const struct pm_types_project *project, uint32_t node)
{
    const struct pm_resolve_index *index = project->index;
    const struct pm_resolve_node *of = &index->nodes[node];
    return of->function &&
           index->frameworks[of->framework].functions.kinds[of->function - 1] == PM_NAME_CLASS;
}

static value instance(uint32_t framework, uint32_t class)
{
    return (value){.type = class ? PM_TYPES__INSTANCE : PM_TYPES__NO_TYPE,
                   .framework = (uint8_t)framework,
                   .node = class,
                   .inferred = true};
}

value pm_types__array(const struct pm_types_project *project, uint32_t framework)
{
    return instance(framework, project->index->frameworks[framework].array);
}

bool pm_types__is_array(const struct pm_types_project *project, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_TYPES__INSTANCE ? pm_types__known(project, v.node) : NULL;
    return known && known->gives == PM_VALUE_ARRAY;
}

value pm_types__given(const struct pm_types_project *project, uint32_t framework,
                      enum pm_value gives, uint32_t class)
{
    if (gives == PM_VALUE_ARRAYS)
        return (value){.type = PM_TYPES__ARRAYS, .framework = (uint8_t)framework, .inferred = true};
    if (class) {
        value found = instance(framework, class);
        found.declared = true;
        return found;
    }
    if (gives == PM_VALUE_OTHER)
        return (value){.type = PM_TYPES__PLAIN, .inferred = true};
    return gives == PM_VALUE_ARRAY ? pm_types__array(project, framework) : (value){0};
}

static uint32_t symbol_of(const struct pm_types_project *project, const char *text)
{
    const size_t length = strlen(text);
    unsigned char padded[64] = {0};
    uint64_t words[2];
    if (length == 0 || length > sizeof padded - 16)
        return PM_RESOLVE_NONE;
    memcpy(padded, text, length);
    pm_resolve_words(padded, length, words);
    return pm_resolve_symbol(project->index, padded, length,
                             pm_resolve_hash(padded, length, words));
}

uint32_t pm_types__beside(const struct pm_types_project *project, uint32_t node, const char *name)
{
    const uint32_t symbol = symbol_of(project, name);
    return symbol ? pm_resolve_child(project->index, project->index->nodes[node].parent, symbol)
                  : PM_RESOLVE_NONE;
}

value pm_types__child(const struct pm_types_project *project, value on, uint32_t name)
{
    const struct pm_resolve_index *index = project->index;
    const uint32_t symbol = symbol_of(project, project->names[name]);
    const uint32_t child = symbol ? pm_resolve_child(index, on.node, symbol) : PM_RESOLVE_NONE;
    if (!child)
        return (value){0};
    if (on.type == PM_TYPES__NAMED)
        return (value){.type = PM_TYPES__NAMED,
                       .framework = on.framework,
                       .node = child,
                       .inferred = on.inferred,
                       .by_name = on.by_name};
    if (index->nodes[child].function)
        return (value){.type = PM_TYPES__NAMED,
                       .framework = on.framework,
                       .node = child,
                       .of = on.node,
                       .inferred = true,
                       .declared = on.declared,
                       .by_name = on.by_name,
                       .replaced = on.replaced};
    const struct pm_resolve_known *known = pm_types__known(project, child);
    value found = known ? pm_types__given(project, on.framework, known->gives,
                                          known->same ? on.node : known->class)
                        : (value){0};
    found.replaced = found.type && on.replaced;
    return found;
}

void pm_types__take_shapes(struct pm_types_project *project)
{
    const struct pm_resolve_index *index = project->index;
    const uint32_t symbol = symbol_of(project, "shape");
    for (unsigned i = 0; i < index->framework_count; i++) {
        const uint32_t array = index->frameworks[i].array;
        const uint32_t shape = array && symbol ? pm_resolve_child(index, array, symbol) : 0;
        const struct pm_resolve_known *known = shape ? pm_types__known(project, shape) : NULL;
        project->shapes[i] = known ? known->class : PM_RESOLVE_NONE;
    }
}

bool pm_types__is_of_shape(const struct pm_types_project *project, value v)
{
    return v.type == PM_TYPES__INSTANCE && v.node == project->shapes[v.framework];
}

value pm_types__of_shape(const struct pm_types_project *project, uint32_t frameworks, uint32_t name)
{
    const char *text = project->names[name];
    value found = {0};
    for (unsigned i = 0; i < project->index->framework_count; i++) {
        if (!(frameworks & 1u << i) || !project->shapes[i])
            continue;
        const value one = pm_types__child(project, instance(i, project->shapes[i]), name);
        if (found.type || strcmp(text, "count") == 0 || strcmp(text, "index") == 0)
            return (value){0}; /* another framework has shapes too, or tuples have the method */
        found = one;
    }
    found.by_name = true;
    return found.type == PM_TYPES__NAMED ? found : (value){0};
}

/* Returns the class of the objects that have a method: the class of arrays if it has or inherits
 * the method, otherwise the class to which the method belongs. */
static uint32_t class_of(const struct pm_types_project *project, uint32_t method)
{
    const struct pm_resolve_node *node = &project->index->nodes[method];
    const uint32_t array = project->index->frameworks[node->framework].array;
    return array && pm_resolve_child(project->index, array, node->symbol) == method ? array
                                                                                    : node->parent;
}

static value by_name(const struct pm_types_project *project, uint32_t node)
{
    return (value){.type = PM_TYPES__NAMED,
                   .framework = (uint8_t)project->index->nodes[node].framework,
                   .node = node,
                   .of = class_of(project, node),
                   .inferred = true,
                   .by_name = true};
}

value pm_types__only(const struct pm_types_project *project, const struct pm_types__unit *unit,
                     uint32_t name)
{
    const uint32_t symbol = symbol_of(project, project->names[name]);
    const struct pm_resolve_symbol *of = symbol ? &project->index->symbols[symbol] : NULL;
    const uint32_t node = of ? of->only : PM_RESOLVE_NONE;
    if (!node || (of->shared && unit->other_arrays) ||
        (of->methods & unit->imported) != 1u << project->index->nodes[node].framework)
        return (value){0};
    return by_name(project, node);
}

bool pm_types__both(const struct pm_types_project *project, const struct pm_types__unit *unit,
                    uint32_t name, value found[2])
{
    const uint32_t symbol = symbol_of(project, project->names[name]);
    const struct pm_resolve_symbol *of = symbol ? &project->index->symbols[symbol] : NULL;
    if (!of || !of->arrays ||
        (of->methods & unit->imported) != 1u << project->index->nodes[of->arrays].framework)
        return false;
    found[0] = by_name(project, of->arrays);
    found[1] = by_name(project, of->modules);
    return true;
}

size_t pm_types__few(const struct pm_types_project *project, const struct pm_types__unit *unit,
                     uint32_t name, value found[PM_RESOLVE_FEW])
{
    const uint32_t symbol = symbol_of(project, project->names[name]);
    const struct pm_resolve_symbol *of = symbol ? &project->index->symbols[symbol] : NULL;
    size_t count = 0;
    if (!of || !of->few[0] || !(unit->imported >> project->index->nodes[of->few[0]].framework & 1))
        return 0;
    for (; count < PM_RESOLVE_FEW && of->few[count]; count++)
        found[count] = by_name(project, of->few[count]);
    return count;
}
