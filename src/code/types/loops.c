/* Finds arguments, containers of them, and the results of loops and subscripts. */
#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

#define MOST_ITEMS 64

/* ---- arguments ------------------------------------------------------------------------------ */

value pm_types__given_argument(finder *f, uint32_t list, uint32_t place)
{
    if (!list || place >= f->project->lists[list - 1].count)
        return pm_types__nothing();
    const struct pm_types__argument one =
        f->project->arguments[f->project->lists[list - 1].first + place];
    return one.many || one.name ? pm_types__nothing() : f->find(f, one.term);
}

value pm_types__contained(finder *f, uint32_t list)
{
    const struct pm_types__series of = f->project->lists[list - 1];
    struct pm_types__held held[MOST_ITEMS];
    bool row = of.count <= MOST_ITEMS;
    size_t count = 0;
    for (uint32_t i = 0; i < of.count; i++) {
        const struct pm_types__argument one = f->project->arguments[of.first + i];
        value item = f->find(f, one.term);
        if (one.many) {
            item = pm_types__item(f->project, item, 0);
            row = false;
        }
        if (row)
            held[count++] = (struct pm_types__held){one.name, item};
        else {
            for (size_t k = 1; k < count; k++)
                held[0].value = pm_types__either(f->project, held[0].value, held[k].value);
            held[0] = (struct pm_types__held){
                0, count ? pm_types__either(f->project, held[0].value, item) : item};
            count = 1;
        }
    }
    return pm_types__container(f->project, held, count, row);
}

value pm_types__container_of(finder *f, value item)
{
    const struct pm_types__held held = {0, item};
    return pm_types__container(f->project, &held, 1, false);
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* Returns whether all items have keys. A loop over the value then yields the keys. */
static bool is_dict(const struct pm_types_project *project, value of)
{
    const struct pm_types__content *content = pm_types__content(project, of);
    if (!content || content->count == 0)
        return false;
    for (uint32_t i = 0; i < content->count; i++)
        if (!project->held[content->first + i].name)
            return false;
    return true;
}

value pm_types__looped(finder *f, value of, uint32_t unused)
{
    const struct pm_resolve_known *known =
        of.type == PM_TYPES__INSTANCE ? pm_types__known(f->project, of.node) : NULL;
    if (known && known->items != PM_VALUE_UNKNOWN)
        return pm_types__given(f->project, of.framework, known->items, PM_RESOLVE_NONE);
    if (of.type == PM_TYPES__ONE_OF)
        return pm_types__each(f, of, pm_types__looped, unused);
    if (is_dict(f->project, of))
        return pm_types__plain();
    if (of.type == PM_TYPES__OWN_OBJECT && f->depth < PM_TYPES__MOST_CIRCLE) {
        const uint32_t iterate = pm_types__own_method(f, of.node, "__iter__");
        const uint32_t get = iterate ? 0 : pm_types__own_method(f, of.node, "__getitem__");
        if (get)
            return pm_types__result(f, get - 1);
        return iterate ? pm_types__item(f->project, pm_types__result(f, iterate - 1), 0)
                       : pm_types__nothing();
    }
    return pm_types__item(f->project, of, 0);
}

value pm_types__unpacked(finder *f, value of, uint32_t place)
{
    if (of.type == PM_TYPES__OWN_OBJECT || (of.type == PM_TYPES__INSTANCE && !of.of))
        return pm_types__looped(f, of, 0);
    return pm_types__nth(f->project, of, place);
}

value pm_types__sliced(finder *f, value of, uint32_t unused)
{
    if (of.type == PM_TYPES__ONE_OF)
        return pm_types__each(f, of, pm_types__sliced, unused);
    if (of.type == PM_TYPES__ITEMS && f->project->contents[of.node].row)
        return pm_types__container_of(f, pm_types__item(f->project, of, 0));
    const bool is_whole = of.type == PM_TYPES__ITEMS || of.type == PM_TYPES__ARRAYS ||
                          (of.type == PM_TYPES__INSTANCE && !pm_types__is_array(f->project, of));
    return is_whole ? of : pm_types__subscripted(f, of, 0);
}

value pm_types__subscripted(finder *f, value of, uint32_t key)
{
    if (of.type == PM_TYPES__ONE_OF)
        return pm_types__each(f, of, pm_types__subscripted, key);
    const uint32_t get = of.type == PM_TYPES__OWN_OBJECT && f->depth < PM_TYPES__MOST_CIRCLE
                             ? pm_types__own_method(f, of.node, "__getitem__")
                             : 0;
    return get ? pm_types__result(f, get - 1) : pm_types__item(f->project, of, key);
}
