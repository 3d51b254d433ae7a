/* Describes in words why a term has its value. */
#include "types/types_private.h"

#define MOST_STEPS 6

typedef struct pm_types_project project;

/* Adds the dotted name of a node. */
static void add_node(const project *p, uint32_t node, struct pm_str *out)
{
    const struct pm_resolve_node *of = &p->index->nodes[node];
    if (of->function) {
        pm_str_add(out, p->index->frameworks[of->framework].functions.names[of->function - 1]);
        return;
    }
    if (of->parent) {
        add_node(p, of->parent, out);
        pm_str_add_char(out, '.');
    }
    pm_str_add(out, p->index->symbols[of->symbol].text);
}

static void add_value(const project *p, struct pm_types__value value, struct pm_str *out)
{
    if (value.type == PM_TYPES__NAMED || value.type == PM_TYPES__INSTANCE)
        add_node(p, value.node, out);
    else if (value.type == PM_TYPES__OWN_CLASS || value.type == PM_TYPES__OWN_OBJECT)
        pm_str_add(out, p->names[p->classes[value.node].inside]);
    else if (value.type == PM_TYPES__OWN_FUNCTION)
        pm_str_add(out, p->names[p->functions[value.node].inside]);
    else
        pm_str_add(out, "a value");
}

static void add_parameter(const project *p, const struct pm_types__parameter *of,
                          struct pm_str *out)
{
    const struct pm_types__function *function = &p->functions[of->function];
    pm_str_addf(out, "%s: parameter of %s", p->names[of->name], p->names[function->inside]);
    if (of->annotated)
        pm_str_add(out, ", by its annotation");
    else if (of->passed)
        pm_str_add(out, ", by the arguments of calls");
    else if (function->takes_arrays)
        pm_str_add(out, " of a module");
}

/* Adds the step of a term. Returns the term from which it follows, or 0. */
static uint32_t add_step(project *p, const struct pm_types__term *of, struct pm_str *out)
{
    switch ((enum pm_types__op)of->op) {
    case PM_TYPES__ATTRIBUTE:
    case PM_TYPES__FIELD:
        pm_str_addf(out, ".%s", p->names[of->b]);
        return of->a;
    case PM_TYPES__CALL:
        pm_str_add(out, "result of ");
        add_value(p, pm_types__value_of(p, of->a), out);
        return 0;
    case PM_TYPES__ITEM:
    case PM_TYPES__SUBSCRIPT:
    case PM_TYPES__SLICE:
    case PM_TYPES__UNPACK:
    case PM_TYPES__LOOP:
        pm_str_add(out, "item");
        return of->a;
    case PM_TYPES__NARROWED:
        pm_str_add(out, "check of the type");
        return 0;
    case PM_TYPES__ARITHMETIC:
        pm_str_add(out, "result of an operator");
        return pm_types__value_of(p, of->a).type ? of->a : of->b;
    case PM_TYPES__FILLED:
        pm_str_add(out, "value assigned to an item");
        return 0;
    case PM_TYPES__EITHER:
        if (p->terms[of->b].op == PM_TYPES__FILLED) /* assignments to items affect only
                                                     * containers */
            return pm_types__value_of(p, of->a).type == PM_TYPES__ITEMS ? of->b : of->a;
        return pm_types__value_of(p, of->a).type ? of->a : of->b;
    case PM_TYPES__PARAMETER:
        add_parameter(p, &p->parameters[of->a], out);
        return 0;
    case PM_TYPES__ANNOTATED:
        pm_str_add(out, "annotation");
        return 0;
    case PM_TYPES__GLOBAL:
        pm_str_addf(out, "%s of the module", p->names[of->b]);
        return 0;
    case PM_TYPES__PROPERTY:
        pm_str_addf(out, "property %s", p->names[p->functions[of->a].inside]);
        return 0;
    default:
        add_value(p, pm_types__value_of(p, (uint32_t)(of - p->terms)), out);
        return 0;
    }
}

void pm_types__describe(project *p, uint32_t term, struct pm_str *out)
{
    const struct pm_types__term *of = &p->terms[term];
    uint32_t at = of->op == PM_TYPES__ATTRIBUTE && of->a ? of->a : term;
    for (unsigned step = 0; at && step < MOST_STEPS; step++) {
        const size_t before = out->length;
        const uint32_t next = add_step(p, &p->terms[at], out);
        if (next && out->length > before)
            pm_str_add(out, " of ");
        at = next;
    }
}
