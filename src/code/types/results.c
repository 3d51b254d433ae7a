/* Finds the results of the functions of the project. */
#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;

/* Returns the result of a function according to its annotation and its return statements. The
 * annotation decides, unless it names a framework's class other than that of arrays: the return
 * statements may then show a subclass. */
static value own_result(finder *f, const struct pm_types__function *of)
{
    value found = of->annotated ? f->find(f, of->annotated) : pm_types__nothing();
    if (found.type && !(found.type == PM_TYPES__INSTANCE && of->returned &&
                        !pm_types__is_array(f->project, found)))
        return found;
    const value returned = of->returned ? f->find(f, of->returned) : pm_types__nothing();
    return returned.type ? returned : found;
}

value pm_types__result(finder *f, uint32_t function)
{
    const struct pm_types__function *of = &f->project->functions[function];
    const value found = own_result(f, of);
    if (found.type || !of->owner || f->deeper)
        return found;
    /* The result is unknown, so methods of subclasses may override this one. */
    enum { MOST = 16 };
    uint32_t classes[MOST];
    const uint32_t count = pm_types__descendants(f, of->owner - 1, classes, MOST);
    value all = {.type = PM_TYPES__NOTHING};
    bool known = true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t term =
            pm_types__member(f->project, PM_TYPES__CLASS_OWNER(classes[i]), of->name);
        const value method = term ? f->find(f, term) : pm_types__nothing();
        if (method.type != PM_TYPES__OWN_FUNCTION)
            continue;
        const value one = own_result(f, &f->project->functions[method.node]);
        known &= one.type != PM_TYPES__NO_TYPE;
        all = pm_types__either(f->project, all, one);
    }
    all.replaced |= !known;
    return all.type == PM_TYPES__NOTHING ? found : all;
}
