/* What the framework's names say of values. */
#include "resolve/project_private.h"

typedef struct pm_resolve__value value;

const struct pm_resolve_known *pm_resolve__known(const struct pm_resolve_project *project,
                                                 uint32_t node)
{
    const struct pm_resolve_index *index = project->index;
    return index->nodes[node].known ? &index->facts[index->nodes[node].known - 1] : NULL;
}

bool pm_resolve__is_class(const struct pm_resolve_project *project, uint32_t node)
{
    const struct pm_resolve_index *index = project->index;
    const struct pm_resolve_node *of = &index->nodes[node];
    return of->function &&
           index->frameworks[of->framework].functions.kinds[of->function - 1] == PM_NAME_CLASS;
}

static value instance(uint32_t framework, uint32_t class)
{
    return (value){.type = class ? PM_RESOLVE__INSTANCE : PM_RESOLVE__NO_TYPE,
                   .framework = (uint8_t)framework,
                   .node = class,
                   .inferred = true};
}

value pm_resolve__array(const struct pm_resolve_project *project, uint32_t framework)
{
    return instance(framework, project->index->frameworks[framework].array);
}

bool pm_resolve__is_array(const struct pm_resolve_project *project, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_RESOLVE__INSTANCE ? pm_resolve__known(project, v.node) : NULL;
    return known && known->gives == PM_VALUE_ARRAY;
}

value pm_resolve__given(const struct pm_resolve_project *project, uint32_t framework,
                        enum pm_value gives, uint32_t class)
{
    if (gives == PM_VALUE_ARRAYS)
        return (value){
            .type = PM_RESOLVE__ARRAYS, .framework = (uint8_t)framework, .inferred = true};
    if (class) {
        value found = instance(framework, class);
        found.declared = true;
        return found;
    }
    if (gives == PM_VALUE_OTHER)
        return (value){.type = PM_RESOLVE__PLAIN, .inferred = true};
    return gives == PM_VALUE_ARRAY ? pm_resolve__array(project, framework) : (value){0};
}

static uint32_t symbol_of(const struct pm_resolve_project *project, uint32_t name)
{
    const char *text = project->names[name];
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

value pm_resolve__child(const struct pm_resolve_project *project, value on, uint32_t name)
{
    const struct pm_resolve_index *index = project->index;
    const uint32_t symbol = symbol_of(project, name);
    const uint32_t child = symbol ? pm_resolve_child(index, on.node, symbol) : PM_RESOLVE_NONE;
    if (!child)
        return (value){0};
    if (on.type == PM_RESOLVE__NAMED)
        return (value){.type = PM_RESOLVE__NAMED,
                       .framework = on.framework,
                       .node = child,
                       .inferred = on.inferred,
                       .by_name = on.by_name};
    if (index->nodes[child].function)
        return (value){.type = PM_RESOLVE__NAMED,
                       .framework = on.framework,
                       .node = child,
                       .of = on.node,
                       .inferred = true,
                       .declared = on.declared,
                       .by_name = on.by_name};
    const struct pm_resolve_known *known = pm_resolve__known(project, child);
    return known ? pm_resolve__given(project, on.framework, known->gives,
                                     known->same ? on.node : known->class)
                 : (value){0};
}

value pm_resolve__only(const struct pm_resolve_project *project, uint32_t frameworks, uint32_t name)
{
    const uint32_t symbol = symbol_of(project, name);
    const struct pm_resolve_symbol *of = symbol ? &project->index->symbols[symbol] : NULL;
    const uint32_t node = of ? of->only : PM_RESOLVE_NONE;
    if (!node || (of->methods & frameworks) != 1u << project->index->nodes[node].framework)
        return (value){0};
    return (value){.type = PM_RESOLVE__NAMED,
                   .framework = (uint8_t)project->index->nodes[node].framework,
                   .node = node,
                   .of = project->index->nodes[node].parent,
                   .inferred = true,
                   .by_name = true};
}
