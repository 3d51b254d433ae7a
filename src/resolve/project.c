/* The files of a project: their modules, and the uses in them. */
#include "resolve/project.h"

#include <stdlib.h>

#include "base/stop.h"
#include "base/str.h"
#include "resolve/project_private.h"

enum { MOST_KEPT_BYTES = 2 << 20 };

struct pm_resolve_project *pm_resolve_project_new(const struct pm_resolve_index *index)
{
    struct pm_resolve_project *project = pm_alloc(sizeof *project);
    project->index = index;
    return project;
}

/* Forgets the files. What small projects took is kept for the next one: most are one file. */
static void clear(struct pm_resolve_project *project, bool release)
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
    PM_RESOLVE_PROJECT_LISTS(X)
#undef X
    pm_resolve__terms_clear(project, release);
    pm_map_release(&project->by_path);
    project->by_path = (struct pm_map){0};
}

void pm_resolve_project_free(struct pm_resolve_project *project)
{
    if (project)
        clear(project, true);
    free(project);
}

size_t pm_resolve_project_bytes(const struct pm_resolve_project *project)
{
    size_t bytes = project->names_count * 32;
#define X(type, name) bytes += project->name##_capacity * sizeof *project->name;
    PM_RESOLVE_PROJECT_LISTS(X)
#undef X
    return bytes;
}

/* ---- adding --------------------------------------------------------------------------------- */

/* What a module has: its variables, then what its imports of the framework bind. */
static void add_members(struct pm_resolve__parse *p)
{
    struct pm_resolve_project *project = p->project;
    for (size_t i = 0; i < p->variables_count; i++)
        if (p->variables[i].scope == 0)
            pm_resolve__module_set(project, p->unit, p->variables[i].name, p->variables[i].term);
    for (size_t i = 0; i < p->file->locals_count; i++) {
        const struct pm_resolve_local *local = &p->file->locals[i];
        const struct pm_resolve__binding *binding =
            local->count == 1 ? &p->file->bindings[local->first - 1] : NULL;
        if (binding && binding->node)
            pm_resolve__module_set(
                project, p->unit,
                pm_resolve__name(project, p->file->text + local->start, local->length),
                pm_resolve__term(project, PM_RESOLVE__PLACE, binding->framework, binding->node));
    }
}

/* Where the lines of the text begin. */
static void find_lines(struct pm_resolve_project *project, const struct pm_resolve_file *file)
{
    const unsigned char *text = file->text;
    const size_t count = file->tokens.count, length = count ? file->tokens.end[count - 1] : 0;
    const bool returns = memchr(text, '\r', length) != NULL;
    project->lines_count = 0;
    PM_RESOLVE__PUSH(project, lines, 0);
    for (size_t at = 0; at < length; at++) {
        const unsigned char *end = memchr(text + at, '\n', length - at);
        const size_t until = end ? (size_t)(end - text) : length;
        for (; returns && at < until; at++)
            if (text[at] == '\r' && text[at + 1] != '\n')
                PM_RESOLVE__PUSH(project, lines, (uint32_t)at + 1);
        if (end)
            PM_RESOLVE__PUSH(project, lines, (uint32_t)until + 1);
        at = until;
    }
}

/* "package/model" for "package/model.py", "package" for "package/__init__.py". */
static struct pm_resolve__unit unit_of(const char *path)
{
    static const char init[] = "__init__";
    struct pm_resolve__unit unit = {.path = pm_strdup(path)};
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

void pm_resolve_project_add(struct pm_resolve_project *project, const char *path,
                            const struct pm_resolve_file *file)
{
    struct pm_resolve__unit unit = unit_of(path);
    unit.first_site = (uint32_t)project->sites_count;
    unit.first_star = (uint32_t)project->stars_count;
    const uint32_t number = (uint32_t)project->units_count;
    PM_RESOLVE__PUSH(project, units, unit);
    struct pm_resolve__parse p = {
        .project = project, .file = file, .unit = number, .scope_count = 1};
    find_lines(project, file);
    p.scopes[0].inside = pm_resolve__name(project, "", 0);
    pm_resolve__statements(&p);
    unit.site_count = (uint32_t)project->sites_count - unit.first_site;
    unit.star_count = (uint32_t)project->stars_count - unit.first_star;
    add_members(&p);
    project->units[number] = unit;
    if (unit.path && !pm_map_has(&project->by_path, unit.path))
        pm_map_put(&project->by_path, unit.path, (void *)((uintptr_t)number + 1));
    free(p.variables);
    free(p.slots);
}

/* ---- finishing ------------------------------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
    const struct pm_resolve__site *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

/* What a site uses; false if that is nothing of a framework. */
static bool judge(struct pm_resolve_project *project, const struct pm_resolve__site *site,
                  struct pm_resolve_place *out)
{
    const struct pm_resolve_index *index = project->index;
    if (!site->term) {
        out->framework = site->framework;
        out->function = site->function;
        return true;
    }
    const struct pm_resolve__value value = pm_resolve__value_of(project, site->term);
    const bool call = site->form == PM_RESOLVE_FORM_CALL;
    if (value.type != PM_RESOLVE__NAMED && !(value.type == PM_RESOLVE__INSTANCE && call))
        return false;
    out->framework = value.framework;
    out->function = index->nodes[value.node].function;
    out->how = value.inferred ? PM_RESOLVE_HOW_INFERRED : PM_RESOLVE_HOW_IMPORT;
    if (value.type == PM_RESOLVE__INSTANCE)
        out->form = PM_RESOLVE_FORM_INSTANCE;
    return out->function != 0;
}

/* Leaves only the sites that use something, in the order of the text; gives their number. */
static uint32_t keep_uses(struct pm_resolve_project *project, const struct pm_resolve__unit *unit)
{
    struct pm_resolve__site *sites = project->sites + unit->first_site;
    struct pm_resolve_place place;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < unit->site_count; i++) {
        place.form = sites[i].form;
        if (judge(project, &sites[i], &place))
            sites[kept++] = sites[i];
    }
    if (kept)
        qsort(sites, kept, sizeof *sites, by_place);
    return kept;
}

void pm_resolve_project_finish(struct pm_resolve_project *project, pm_resolve_take *take, void *ctx)
{
    (void)pm_resolve__name(project, "", 0);
    for (uint32_t i = 1; i < project->terms_count && !pm_stop_signal(); i++)
        (void)pm_resolve__value_of(project, i); /* in order: none is far from what it is made of */
    for (uint32_t i = 0; i < project->units_count && !pm_stop_signal(); i++) {
        const struct pm_resolve__unit *unit = &project->units[i];
        const struct pm_resolve__site *sites = project->sites + unit->first_site;
        const uint32_t count = keep_uses(project, unit);
        for (uint32_t k = 0; k < count; k++) {
            struct pm_resolve_place place = {.file = i,
                                             .line = sites[k].line,
                                             .column = sites[k].column,
                                             .inside = project->names[sites[k].inside],
                                             .form = sites[k].form,
                                             .how = PM_RESOLVE_HOW_IMPORT,
                                             .chain = ""};
            if (judge(project, &sites[k], &place))
                take(ctx, &place);
        }
    }
    clear(project, pm_resolve_project_bytes(project) > MOST_KEPT_BYTES);
}
