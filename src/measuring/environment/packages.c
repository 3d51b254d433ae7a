/* Lists the packages that `env create` installs: those of a recipe, for its own version of the
 * framework or for another version. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "environment/environment_private.h"

static const struct pm_recipe_version *known_version(const struct pm_recipe *recipe,
                                                     const char *version)
{
    for (size_t i = 0; i < recipe->version_count; i++)
        if (strcmp(recipe->versions[i].version, version) == 0)
            return &recipe->versions[i];
    return NULL;
}

/* Returns the length of the name in "torch==2.13.0". */
static size_t name_length(const char *package)
{
    return strcspn(package, "=");
}

/* Returns a package for a version of the framework; the caller frees. The framework's own packages
 * have its version, as jax and jaxlib do; pip chooses the versions of the others. */
static char *at_version(const struct pm_recipe *recipe, const char *package, const char *version)
{
    const char *first = recipe->packages[0];
    const bool own = strcmp(package + name_length(package), first + name_length(first)) == 0;
    const int length = (int)name_length(package);
    return own ? pm_format("%.*s==%s", length, package, version)
               : pm_format("%.*s", length, package);
}

static bool is_version(const char *text)
{
    const char *const allowed = "0123456789abcdefghijklmnopqrstuvwxyz.+";
    return *text >= '0' && *text <= '9' && strlen(text) <= PM_ENVIRONMENT__VERSION_MAX &&
           text[strspn(text, allowed)] == '\0';
}

static int find_build(const struct pm_recipe *recipe, const char *name,
                      const struct pm_recipe_build **out, struct pm_error *err)
{
    struct pm_str known = PM_STR_INIT;
    *out = NULL;
    for (size_t i = 0; i < recipe->build_count && name && !*out; i++) {
        pm_str_addf(&known, "%s--%s", known.length ? " or " : "", recipe->builds[i].name);
        if (!strcmp(recipe->builds[i].name, name))
            *out = &recipe->builds[i];
    }
    const int rc = *out || !name  ? PM_OK
                   : known.length ? pm_error_set(err, PM_EUSAGE, "%s has no build for --%s: use %s",
                                                 recipe->name, name, known.data)
                                  : pm_error_set(err, PM_EUSAGE, "%s has only one build: omit --%s",
                                                 recipe->name, name);
    pm_str_release(&known);
    return rc;
}

/* Finds the package index of a build that the Python package index does not have, in the line
 * "RECIPE,BUILD,INDEX" of data/package-indexes.csv. *out stays NULL if there is no such line. */
static int read_index(const struct pm_recipe *recipe, const char *build, char **out,
                      struct pm_error *err)
{
    char *home, *rest;
    struct pm_str text = PM_STR_INIT;
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_path_join(home, "data/package-indexes.csv");
    char *begin = pm_format("%s,%s,", recipe->name, build);
    const int rc = pm_file_read(path, &text, err);
    rest = text.data;
    for (char *line; !rc && (line = strsep(&rest, "\r\n"));)
        if (pm_starts_with(line, begin) && !*out)
            *out = pm_strdup(line + strlen(begin));
    pm_str_release(&text);
    free(begin);
    free(path);
    free(home);
    return rc;
}

int pm_environment__packages(const struct pm_recipe *recipe, const char *version, const char *build,
                             struct pm_environment__packages *out, struct pm_error *err)
{
    const struct pm_recipe_build *built;
    if (version && !is_version(version))
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid version '%s': write it in the form of the package index, such as %s", version,
            recipe->packages[0] + name_length(recipe->packages[0]) + 2);
    const struct pm_recipe_version *known = version ? known_version(recipe, version) : NULL;
    PM_TRY(find_build(recipe, build, &built, err));
    const char *const *from = built && built->packages ? built->packages
                              : known                  ? known->packages
                                                       : recipe->packages;
    *out = (struct pm_environment__packages){.tried = (known || !version) &&
                                                      (!built || (built->tried && !version)),
                                             .size = built   ? built->size
                                                     : known ? known->size
                                                             : recipe->size,
                                             .bytes = built   ? built->bytes
                                                      : known ? known->bytes
                                                              : recipe->bytes};
    out->oldest_minor = version ? PM_ENVIRONMENT__DRIVERS_MINOR : PM_ENVIRONMENT__OLDEST_MINOR;
    out->newest_minor = known ? known->newest_minor : PM_ENVIRONMENT__NEWEST_MINOR;
    for (; *from; from++) {
        PM_GROW(out->items, out->count, out->capacity);
        out->items[out->count++] = version && (!known || (built && built->packages))
                                       ? at_version(recipe, *from, version)
                                       : pm_strdup(*from);
    }
    return built ? read_index(recipe, build, &out->index, err) : PM_OK;
}

void pm_environment__packages_release(struct pm_environment__packages *packages)
{
    pm_free_strings(packages->items, packages->count);
    free(packages->index);
    *packages = (struct pm_environment__packages){0};
}
