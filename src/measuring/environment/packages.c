/* What `env create` installs: the packages of a recipe at its own version of the framework or at
 * another one. */
#include <string.h>

#include "base/alloc.h"
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

/* Returns the framework's own packages carry its version, as jax and jaxlib do; pip chooses the
 * others. */
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

int pm_environment__packages(const struct pm_recipe *recipe, const char *version,
                             struct pm_environment__packages *out, struct pm_error *err)
{
    if (version && !is_version(version))
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid version '%s': write it in the form of the package index, such as %s", version,
            recipe->packages[0] + name_length(recipe->packages[0]) + 2);
    const struct pm_recipe_version *known = version ? known_version(recipe, version) : NULL;
    const char *const *from = known ? known->packages : recipe->packages;
    *out = (struct pm_environment__packages){.tried = known || !version,
                                             .size = known ? known->size : recipe->size,
                                             .bytes = known ? known->bytes : recipe->bytes};
    out->oldest_minor = version ? PM_ENVIRONMENT__DRIVERS_MINOR : PM_ENVIRONMENT__OLDEST_MINOR;
    out->newest_minor = known ? known->newest_minor : PM_ENVIRONMENT__NEWEST_MINOR;
    for (; *from; from++) {
        PM_GROW(out->items, out->count, out->capacity);
        out->items[out->count++] =
            version && !known ? at_version(recipe, *from, version) : pm_strdup(*from);
    }
    return PM_OK;
}

void pm_environment__packages_release(struct pm_environment__packages *packages)
{
    pm_free_strings(packages->items, packages->count);
    *packages = (struct pm_environment__packages){0};
}
