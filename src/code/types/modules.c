/* Which file of a project an import means. */
#include <stdlib.h>

#include "types/types_private.h"

static uint32_t unit_at(const struct pm_types_project *project, const char *path)
{
    return (uint32_t)(uintptr_t)pm_map_get(&project->by_path, path);
}

/* Cuts the last part off; false if nothing is left to cut. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    const bool more = *path != '\0';
    *(slash ? slash : path) = '\0';
    return more;
}

static uint32_t unit_below(const struct pm_types_project *project, const char *folder,
                           const char *path)
{
    char *whole = pm_format("%s%s%s", folder, *folder && *path ? "/" : "", path);
    for (char *dot = whole + strlen(folder); (dot = strchr(dot, '.')) != NULL;)
        *dot = '/';
    const uint32_t unit = unit_at(project, whole);
    free(whole);
    return unit;
}

uint32_t pm_types__submodule(const struct pm_types_project *project, uint32_t package,
                             const char *name)
{
    const struct pm_types__unit *of = &project->units[package];
    return of->path && of->package ? unit_below(project, of->path, name) : 0;
}

uint32_t pm_types__unit(const struct pm_types_project *project, uint32_t from, const char *path)
{
    const struct pm_types__unit *of = &project->units[from];
    if (!of->path || project->by_path.count == 0)
        return 0;
    const size_t dots = strspn(path, ".");
    char *folder = pm_strdup(of->path);
    uint32_t unit = 0;
    bool more = of->package || go_up(folder);
    for (size_t i = 1; i < dots && more; i++)
        more = go_up(folder);
    if (dots > 0 && more) {
        unit = unit_below(project, folder, path + dots);
    } else if (more) {
        do {
            unit = unit_below(project, folder, path);
        } while (!unit && go_up(folder));
        unit = unit ? unit : unit_below(project, "src", path);
    }
    free(folder);
    return unit;
}
