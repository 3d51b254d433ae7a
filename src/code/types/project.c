/* Adds the files of a project, and passes on the uses in them. */
#include "types/project.h"

#include <stdlib.h>

#include "base/stop.h"
#include "base/str.h"
#include "types/types_private.h"

enum { MOST_KEPT_BYTES = 2 << 20 };

struct pm_types_project *pm_types_project_new(const struct pm_resolve_index *index)
{
    struct pm_types_project *project = pm_alloc(sizeof *project);
    project->index = index;
    return project;
}

/* Removes the files. Without `release`, the memory is kept for the next project: most projects
 * consist of one file. */
static void clear(struct pm_types_project *project, bool release)
{
    for (size_t i = 0; i < project->units_count; i++)
        free(project->units[i].path);
#define X(type, name)                                                                              \
    if (release) {                                                                                 \
        free(project->name);                                                                       \
        project->name = NULL;                                                                      \
        project->name##_capacity = 0;                                                              \
    }                                                                                              \
    project->name##_count = 0;
    PM_TYPES_PROJECT_LISTS(X)
#undef X
    pm_types__terms_clear(project, release);
    pm_types__forget_answers(project);
    pm_types__forget_types(project);
    pm_map_release(&project->by_path);
    project->by_path = (struct pm_map){0};
    project->named = project->parts = project->withheld = 0;
    project->other_host = false;
}

void pm_types_project_free(struct pm_types_project *project)
{
    if (project)
        clear(project, true);
    free(project);
}

size_t pm_types_project_bytes(const struct pm_types_project *project)
{
    size_t bytes = project->names_count * 32;
#define X(type, name) bytes += project->name##_capacity * sizeof *project->name;
    PM_TYPES_PROJECT_LISTS(X)
#undef X
    return bytes;
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Adds the members of a module: its variables, and then the names that its imports of frameworks
 * bind. */
static void add_members(struct pm_types__parse *p)
{
    struct pm_types_project *project = p->project;
    for (size_t i = 0; i < p->variables_count; i++) {
        const struct pm_types__variable *of = &p->variables[i];
        if (of->scope != 0)
            continue;
        pm_types__member_set(project, PM_TYPES__UNIT_OWNER(p->unit), of->name, of->all, false);
    }
    for (size_t i = 0; i < p->file->locals_count; i++) {
        const struct pm_resolve_local *local = &p->file->locals[i];
        const struct pm_resolve_binding *binding =
            local->count == 1 ? &p->file->bindings[local->first - 1] : NULL;
        if (!binding || !binding->node)
            continue;
        const uint32_t name = pm_types__name(project, p->file->text + local->start, local->length);
        if (!pm_types__variable(p, name, 0))
            pm_types__member_set(
                project, PM_TYPES__UNIT_OWNER(p->unit), name,
                pm_types__term(project, PM_TYPES__PLACE, binding->framework, binding->node), false);
    }
}

/* Makes the unit of a file: "package/model" for "package/model.py", "package" for
 * "package/__init__.py". */
static struct pm_types__unit unit_of(const char *path)
{
    static const char init[] = "__init__";
    struct pm_types__unit unit = {.path = pm_strdup(path)};
    if (!path)
        return unit;
    if (pm_ends_with(unit.path, ".py"))
        unit.path[strlen(path) - 3] = '\0';
    const size_t length = strlen(unit.path), part = sizeof init - 1;
    unit.package =
        pm_ends_with(unit.path, init) && (length == part || unit.path[length - part - 1] == '/');
    if (unit.package)
        unit.path[length - part - (length > part)] = '\0';
    return unit;
}

void pm_types_project_add(struct pm_types_project *project, const char *path,
                          const struct pm_resolve_file *file)
{
    struct pm_types__unit unit = unit_of(path);
    unit.first_site = (uint32_t)project->sites_count;
    unit.first_star = (uint32_t)project->stars_count;
    project->first_term = (uint32_t)project->terms_count;
    const uint32_t number = (uint32_t)project->units_count;
    PM_TYPES__PUSH(project, units, unit);
    struct pm_types__parse p = {.project = project,
                                .file = file,
                                .unit = number,
                                .scope_count = 1,
                                .expression = pm_types__expression};
    p.scopes[0].inside = pm_types__name(project, "", 0);
    pm_types__prepare(&p);
    pm_types__statements(&p);
    pm_types__end_blocks(&p, 0);
    unit.site_count = (uint32_t)project->sites_count - unit.first_site;
    for (size_t i = 0; i < file->stars_count; i++)
        PM_TYPES__PUSH(project, stars,
                       pm_types__term(project, PM_TYPES__PLACE, file->stars[i].framework,
                                      file->stars[i].node));
    unit.star_count = (uint32_t)project->stars_count - unit.first_star;
    add_members(&p);
    unit.imported = file->imported | file->parts;
    pm_types__take_host(project, file);
    unit.other_arrays = p.other_arrays;
    unit.end = (uint32_t)project->terms_count;
    project->units[number] = unit;
    if (unit.path && !pm_map_has(&project->by_path, unit.path))
        pm_map_put(&project->by_path, unit.path, (void *)((uintptr_t)number + 1));
    free(p.variables);
    free(p.slots);
    free(p.lines);
    free(p.clauses);
    free(p.pending);
    free(p.blocks);
    free(p.changes);
    free(p.outers);
}

/* ---- finishing ------------------------------------------------------------------------------ */

static bool is_before(const struct pm_types__site *a, const struct pm_types__site *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

static int by_place(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : is_before(b, a);
}

/* Sorts the sites by place. They are nearly sorted: the sites of a line are added together. */
static void sort_sites(struct pm_types__site *sites, size_t count)
{
    enum { MOST_MOVES = 8 }; /* per site, on average */
    size_t moves = 0;
    for (size_t i = 1; i < count && moves < MOST_MOVES * count; i++) {
        const struct pm_types__site one = sites[i];
        size_t k = i;
        for (; k > 0 && is_before(&one, &sites[k - 1]); k--)
            sites[k] = sites[k - 1];
        sites[k] = one;
        moves += i - k;
    }
    if (moves >= MOST_MOVES * count)
        qsort(sites, count, sizeof *sites, by_place);
}

/* Returns whether a class is the base of all modules of a framework, and calls of its objects have
 * no result of their own. A called object then belongs to a subclass. */
static bool is_any_module(const struct pm_types_project *project, uint32_t node)
{
    const struct pm_resolve_index *index = project->index;
    const struct pm_resolve_known *known = pm_types__known(project, node);
    const struct pm_resolve_node *class = &index->nodes[node];
    class = class->class ? &index->nodes[class->class] : class;
    if (!known || known->gives != PM_VALUE_MODULE || known->calls != PM_VALUE_OTHER)
        return false;
    for (uint32_t i = 0; i < class->base_count; i++) {
        const struct pm_resolve_known *base =
            pm_types__known(project, index->bases[class->first_base + i]);
        if (base && base->gives == PM_VALUE_MODULE)
            return false;
    }
    return true;
}

/* Returns whether calls of the instances of a class return arrays. */
static bool gives_arrays(const struct pm_types_project *project, uint32_t node)
{
    const struct pm_resolve_known *known = pm_types__known(project, node);
    return known && (known->calls == PM_VALUE_ARRAY || known->calls == PM_VALUE_ARRAYS);
}

/* Returns whether a call of an instance is a use of its class: if such calls return arrays, or if
 * the class is neither an array, which cannot be called, nor the base of all modules. */
static bool may_be_called(const struct pm_types_project *project, struct pm_types__value value)
{
    return gives_arrays(project, value.node) ||
           (!pm_types__is_array(project, value) && !is_any_module(project, value.node));
}

/* Returns the class of the object in which a framework wraps a function or an object of the
 * project, if a call of the function or object is a call of this wrapper; otherwise NONE. */
static uint32_t wrapper_of(struct pm_types__value value)
{
    if (value.type == PM_TYPES__OWN_OBJECT)
        return value.of;
    return value.type == PM_TYPES__OWN_FUNCTION && value.of & PM_TYPES__CALLABLE
               ? pm_types__wrapper(value)
               : PM_RESOLVE_NONE;
}

/* Finds the framework's function to which the use of a value belongs; false if there is none. */
static bool judge(const struct pm_types_project *project, struct pm_types__value value,
                  struct pm_types_place *out)
{
    const bool call = out->form != PM_RESOLVE_FORM_REFERENCE;
    if (call && wrapper_of(value)) {
        value.node = wrapper_of(value);
        value.type = PM_TYPES__INSTANCE;
        value.inferred = true;
    }
    if (value.type != PM_TYPES__NAMED &&
        !(value.type == PM_TYPES__INSTANCE && call && may_be_called(project, value)))
        return false;
    if (value.by_name && !call)
        return false;
    out->framework = value.framework;
    out->function = project->index->nodes[value.node].function;
    out->how = value.by_name    ? PM_RESOLVE_HOW_NAME
               : value.inferred ? PM_RESOLVE_HOW_INFERRED
                                : PM_RESOLVE_HOW_IMPORT;
    const bool may_inherit =
        value.type == PM_TYPES__INSTANCE && value.declared && !gives_arrays(project, value.node);
    if (value.open || value.replaced || may_inherit)
        out->how = PM_RESOLVE_HOW_ONE_OF;
    out->form = value.type == PM_TYPES__INSTANCE ? PM_RESOLVE_FORM_INSTANCE
                : call                           ? PM_RESOLVE_FORM_CALL
                                                 : PM_RESOLVE_FORM_REFERENCE;
    return out->function != 0;
}

struct taker {
    pm_types_take *take;
    void *ctx;
    struct pm_str chain;
};

static void hand_on(struct taker *t, struct pm_types_project *project, uint32_t term,
                    struct pm_types_place *place)
{
    pm_str_clear(&t->chain);
    if (place->how == PM_RESOLVE_HOW_INFERRED || place->how == PM_RESOLVE_HOW_ONE_OF)
        pm_types__describe(project, term, &t->chain);
    place->chain = t->chain.length ? t->chain.data : "";
    t->take(t->ctx, place);
}

/* Passes to the callback each different function that a value may be. */
static void hand_on_several(struct taker *t, struct pm_types_project *project,
                            const struct pm_types__site *site, struct pm_types_place *place,
                            struct pm_types__value value)
{
    enum { MOST = 16 };
    const struct pm_types__content several = project->contents[value.node];
    struct pm_types_place found[MOST];
    size_t count = 0;
    bool same = !value.open && !value.replaced;
    for (uint32_t i = 0; i < several.count && count < MOST; i++) {
        struct pm_types_place one = *place;
        const bool is_one = judge(project, project->held[several.first + i].value, &one);
        size_t k = 0;
        while (is_one && k < count &&
               (found[k].function != one.function || found[k].framework != one.framework))
            k++;
        same &= is_one;
        if (is_one && k == count)
            found[count++] = one;
    }
    for (size_t i = 0; i < count; i++) {
        if (!same || count > 1)
            found[i].how = PM_RESOLVE_HOW_ONE_OF;
        hand_on(t, project, site->term, &found[i]);
    }
}

/* If a use was found by a method's name, passes it on again for the class that acts as an array and
 * has a method with this name. */
static void hand_on_also(struct taker *t, struct pm_types_project *project,
                         const struct pm_types__site *site, struct pm_types__value value,
                         struct pm_types_place *place)
{
    const struct pm_resolve_index *index = project->index;
    const struct pm_resolve_symbol *symbol = &index->symbols[index->nodes[value.node].symbol];
    if (!value.by_name || symbol->only != value.node || !symbol->also)
        return;
    place->function = index->nodes[symbol->also].function;
    hand_on(t, project, site->term, place);
}

/* Passes the uses of a site to the callback. */
static void finish_site(struct taker *t, struct pm_types_project *project,
                        const struct pm_types__site *site, struct pm_types_place *place)
{
    const struct pm_types__value value =
        site->term ? pm_types__value_of(project, site->term) : (struct pm_types__value){0};
    const bool same = value.type == PM_TYPES__NAMED && !value.open &&
                      project->index->nodes[value.node].function == site->function;
    place->how = site->term && !same ? PM_RESOLVE_HOW_ONE_OF : PM_RESOLVE_HOW_IMPORT;
    if (site->function && project->withheld >> site->framework & 1)
        return;
    if (site->function && (same || !value.type)) {
        place->framework = site->framework;
        place->function = site->function;
        hand_on(t, project, 0, place);
    } else if (value.type == PM_TYPES__ONE_OF) {
        hand_on_several(t, project, site, place, value);
    } else if (judge(project, value, place)) {
        hand_on(t, project, site->term, place);
        hand_on_also(t, project, site, value, place);
    }
}

/* Passes the uses of one file to the callback. */
static void finish_unit(struct taker *t, struct pm_types_project *project, uint32_t number)
{
    const struct pm_types__unit *unit = &project->units[number];
    if (unit->site_count == 0)
        return;
    struct pm_types__site *sites = project->sites + unit->first_site;
    sort_sites(sites, unit->site_count);
    for (uint32_t k = 0; k < unit->site_count; k++)
        finish_site(t, project, &sites[k],
                    &(struct pm_types_place){.file = number,
                                             .line = sites[k].line,
                                             .column = sites[k].column,
                                             .inside = project->names[sites[k].inside],
                                             .form = sites[k].form});
}

void pm_types_project_finish(struct pm_types_project *project, pm_types_take *take, void *ctx)
{
    (void)pm_types__name(project, "", 0);
    project->withheld = project->other_host ? project->parts & ~project->named : 0;
    for (uint32_t i = 0; i < project->units_count; i++)
        project->units[i].imported &= ~project->withheld;
    pm_types__take_names(project);
    pm_types__begin(project);
    if (pm_types__pass_arguments(project))
        pm_types__begin(project); /* the passed arguments determine further values */
    struct taker taker = {take, ctx, PM_STR_INIT};
    for (uint32_t i = 0; i < project->units_count && !pm_stop_signal(); i++)
        finish_unit(&taker, project, i);
    pm_str_release(&taker.chain);
    clear(project, pm_types_project_bytes(project) > MOST_KEPT_BYTES);
}
