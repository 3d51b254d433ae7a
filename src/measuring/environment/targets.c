/* Parses targets, and finds their properties in the table of frameworks. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "environment/environment_private.h"

bool pm_environment__is_name(const char *text)
{
    const size_t length = strlen(text);
    if (length == 0 || length > 64 || !isalnum((unsigned char)text[0]))
        return false;
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            return false;
    return true;
}

bool pm_environment__device_split(char *device, unsigned *index)
{
    enum { MOST_DIGITS = 4 };
    char *colon = strchr(device, ':');
    *index = 0;
    if (!colon)
        return pm_environment__is_name(device);
    const char *digits = colon + 1;
    const size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > MOST_DIGITS || digits[length] || (*digits == '0' && length > 1))
        return false;
    *index = (unsigned)strtoul(digits, NULL, 10);
    *colon = '\0';
    return pm_environment__is_name(device);
}

char *pm_environment__text(const char *environment, const char *framework, const char *device,
                           const char *variant)
{
    const bool is_default = strcmp(environment, framework) == 0;
    return pm_format("%s%s%s@%s%s%s", is_default ? "" : environment, is_default ? "" : ":",
                     framework, device, *variant ? "+" : "", variant);
}

static bool has_variant(const char *variants, const char *variant)
{
    const size_t length = strlen(variant);
    for (const char *at = variants; (at = strstr(at, variant)); at += length)
        if ((at == variants || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

enum { MOST_DEVICES = 64 };

/* Lists the names of a framework's devices, without plug-ins, in `names` (MOST_DEVICES places).
 * Returns their number. */
static size_t names_of_devices(const struct pm_framework *framework, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < framework->device_count && count < MOST_DEVICES; i++)
        if (strcmp(framework->devices[i].name, PM_ENVIRONMENT__PLUG_IN))
            names[count++] = framework->devices[i].name;
    return count;
}

/* Reports an unknown device. Does not suggest "cpu" for "gpu": the names are similar, but the
 * devices are not. */
static int unknown_device(const struct pm_target *target, const struct pm_framework *framework,
                          struct pm_error *err)
{
    const char *names[MOST_DEVICES];
    struct pm_str advice = PM_STR_INIT;
    const size_t count = names_of_devices(framework, names);
    const bool suggests = !pm_environment__is_any_gpu(target->device);
    pm_str_add(&advice, "use one of ");
    for (size_t i = 0; i < count; i++)
        pm_str_addf(&advice, "%s%s", i ? ", " : "", names[i]);
    const int rc =
        pm_nearest_error(err, PM_EUSAGE, target->device, names, suggests ? count : 0, advice.data,
                         "framework '%s' has no device '%s'", target->framework, target->device);
    pm_str_release(&advice);
    return rc;
}

/* Returns whether two neighbouring letters of one name are exchanged in the other. */
static bool is_exchanged(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    return a[same] && a[same + 1] && a[same] == b[same + 1] && a[same + 1] == b[same] &&
           !strcmp(a + same + 2, b + same + 2);
}

/* Returns whether the name is a mistyped device and not a plug-in: two letters are exchanged, or a
 * name of at least four letters has one error. One error in a shorter name does not count, because
 * npu and hpu, which are similar to cpu, are plug-ins. */
static bool is_slip(const char *device, const struct pm_framework *framework)
{
    enum { LEAST_LETTERS = 4 };
    const char *names[MOST_DEVICES];
    const size_t count = names_of_devices(framework, names);
    for (size_t i = 0; i < count; i++)
        if (is_exchanged(device, names[i]) ||
            (strlen(names[i]) >= LEAST_LETTERS && pm_nearest_distance(device, names[i]) == 1))
            return true;
    return false;
}

static int find_device(const struct pm_target *target, const struct pm_framework *framework,
                       const struct pm_environment__device **out, struct pm_error *err)
{
    *out = pm_environment__device_find(framework, target->device);
    if (!*out && !pm_environment__is_any_gpu(target->device) && !is_slip(target->device, framework))
        *out = pm_environment__device_find(framework, PM_ENVIRONMENT__PLUG_IN);
    return *out ? PM_OK : unknown_device(target, framework, err);
}

static int invalid(const char *text, struct pm_error *err)
{
    const struct pm_framework *framework = pm_framework_find(text);
    if (strchr(text, ','))
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid target '%s': name one target, and repeat the option for others", text);
    if (framework)
        return pm_error_set(err, PM_EUSAGE, "invalid target '%s': add the device, as in %s", text,
                            framework->example);
    return pm_error_set(
        err, PM_EUSAGE,
        "invalid target '%s': write [environment:]framework@device[:index][+variant]", text);
}

/* Splits `text` into its parts; a missing part is "". The device keeps an index that is not 0. */
static int split(const char *text, struct pm_target *out, struct pm_error *err)
{
    const char *at = strchr(text, '@');
    const char *colon = at ? memchr(text, ':', (size_t)(at - text)) : NULL;
    const char *plus = at ? strchr(at, '+') : NULL;
    if (!at)
        return invalid(text, err);
    const char *framework = colon ? colon + 1 : text;
    out->framework = pm_strndup(framework, (size_t)(at - framework));
    out->environment = colon ? pm_strndup(text, (size_t)(colon - text)) : pm_strdup(out->framework);
    char *device = plus ? pm_strndup(at + 1, (size_t)(plus - at - 1)) : pm_strdup(at + 1);
    const bool named = pm_environment__device_split(device, &out->index);
    out->device = out->index ? pm_format("%s:%u", device, out->index) : pm_strdup(device);
    free(device);
    out->variant = pm_strdup(plus ? plus + 1 : "");
    if (!pm_environment__is_name(out->environment) || !pm_environment__is_name(out->framework) ||
        !named || (plus && !pm_environment__is_name(out->variant)))
        return invalid(text, err);
    return PM_OK;
}

static bool is_on_host(const struct pm_environment__device *device)
{
    if (!(device->traits & PM_ENVIRONMENT__ON_HOST_BY_VARIABLE))
        return device->traits & PM_ENVIRONMENT__ON_HOST;
    const char *value = strchr(device->variable, '=') + 1;
    char *name = pm_strndup(device->variable, (size_t)(value - device->variable - 1));
    const char *set = getenv(name);
    free(name);
    return !set || strcmp(set, value) == 0;
}

/* Replaces the framework's own word for any GPU by the name of the machine's GPU. */
static void name_gpu(struct pm_target *out, const struct pm_framework *framework)
{
    const char *gpu = pm_environment__gpu(framework, out->device, "/dev");
    if (!gpu)
        return;
    free(out->device);
    out->device = out->index ? pm_format("%s:%u", gpu, out->index) : pm_strdup(gpu);
}

static int unknown_variant(const struct pm_target *target, const char *variants,
                           struct pm_error *err)
{
    enum { MOST = 16 };
    const char *names[MOST];
    char *copy = pm_strdup(variants), *rest;
    size_t count = 0;
    for (char *at = strtok_r(copy, " ", &rest); at && count < MOST; at = strtok_r(NULL, " ", &rest))
        names[count++] = at;
    char *advice = pm_format("remove '+%s'%s%s", target->variant,
                             count ? ", or use one of its variants: " : "", variants);
    const int rc =
        pm_nearest_error(err, PM_EUSAGE, target->variant, names, count, advice,
                         "device '%s' has no variant '%s'", target->device, target->variant);
    free(advice);
    free(copy);
    return rc;
}

/* Returns whether the variant of a target compiles calls. All variants do, except the one that only
 * moves operations to the host (`placing`). */
static bool compiles(const struct pm_target *target, const struct pm_framework *framework)
{
    return *target->variant &&
           (!framework->placing || strcmp(target->variant, framework->placing) != 0);
}

static char *reference_of(const struct pm_target *target, const struct pm_framework *framework,
                          const struct pm_environment__device *device)
{
    const bool own = compiles(target, framework) || (*target->variant && !device->reference);
    const char *name = own ? target->device : device->reference;
    return name ? pm_environment__text(target->environment, target->framework, name, "") : NULL;
}

static int fill(struct pm_target *out, struct pm_error *err)
{
    const struct pm_framework *framework;
    const struct pm_environment__device *device;
    PM_TRY(pm_framework_need(out->framework, &framework, err));
    name_gpu(out, framework);
    PM_TRY(find_device(out, framework, &device, err));
    if (out->index && !(device->traits & PM_ENVIRONMENT__INDEXED))
        return pm_error_set(err, PM_EUSAGE, "device '%s' has no index: remove ':%u'", device->name,
                            out->index);
    if (*out->variant && !has_variant(device->variants, out->variant))
        return unknown_variant(out, device->variants, err);
    out->text = pm_environment__text(out->environment, out->framework, out->device, out->variant);
    out->reference = reference_of(out, framework, device);
    out->evidence = device->evidence;
    out->latencies = device->traits & PM_ENVIRONMENT__TIMED;
    out->on_host = is_on_host(device);
    out->asynchronous = device->traits & PM_ENVIRONMENT__ASYNCHRONOUS;
    out->counts_fallbacks =
        device->traits & PM_ENVIRONMENT__COUNTS_FALLBACKS && !compiles(out, framework);
    out->hides_fallbacks =
        device->reference && device->evidence == PM_EVIDENCE_EXECUTED && !out->counts_fallbacks;
    out->everywhere = device->traits & PM_ENVIRONMENT__EVERYWHERE;
    out->by_choice = device->traits & PM_ENVIRONMENT__BY_CHOICE;
    out->recompiles =
        compiles(out, framework) || (device->traits & PM_ENVIRONMENT__RECOMPILES) != 0;
    out->makes_sizes_variable = compiles(out, framework) && framework->makes_sizes_variable;
    out->fewer_shapes = framework->fewer_shapes;
    out->oracle = framework->purpose == PM_FRAMEWORK_ORACLE;
    return PM_OK;
}

int pm_target_parse(const char *text, struct pm_target *out, struct pm_error *err)
{
    *out = (struct pm_target){0};
    int rc = split(text, out, err);
    if (!rc && (rc = fill(out, err)))
        pm_error_prefix(err, rc, "target '%s'", text);
    if (rc)
        pm_target_release(out);
    return rc;
}

void pm_target_names(pm_name_fn *take, void *ctx)
{
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++) {
        const char *names[MOST_DEVICES];
        const size_t devices = names_of_devices(&frameworks[i], names);
        for (size_t k = 0; k < devices; k++) {
            char *text = pm_environment__text(frameworks[i].name, frameworks[i].name, names[k], "");
            take(ctx, text);
            free(text);
        }
    }
}

void pm_target_release(struct pm_target *target)
{
    free(target->text);
    free(target->environment);
    free(target->framework);
    free(target->device);
    free(target->variant);
    free(target->reference);
    *target = (struct pm_target){0};
}
