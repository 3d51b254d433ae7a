/*
 * The tables of frameworks and devices, and the grammar of a target.
 *
 * To add a framework: a row in frameworks[], its devices in devices[], a recipe in recipes.c, and
 * drivers/pmdriver/<framework>/. One without devices has an inventory and cannot be measured yet.
 */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "environment/environment_private.h"

static const char *const torch_modules[] = {"torch", NULL};
static const char *const tensorflow_modules[] = {"tensorflow", NULL};
static const char *const jax_modules[] = {"jax", "jaxlib", NULL};
static const char *const numpy_modules[] = {"numpy", "scipy", NULL};
static const char *const no_modules[] = {NULL};

static const struct pm_environment__framework frameworks[] = {
    {"pytorch", torch_modules, true}, {"tensorflow", tensorflow_modules, false},
    {"jax", jax_modules, false},      {"numpy", numpy_modules, false},
    {"null", no_modules, false},
};

#define EXECUTED PM_EVIDENCE_EXECUTED
#define SHAPES   PM_EVIDENCE_SHAPE_ONLY
#define PLUG_IN  PM_ENVIRONMENT__PLUG_IN
#define NO_MPS_FALLBACK                                                                            \
    "PYTORCH_ENABLE_MPS_FALLBACK=0" /* else what is missing runs on the host                       \
                                     */

/* Whether a plug-in's calls return early is not known: it has no canary for it. */
static const struct pm_environment__device devices[] = {
    /* framework, device, control, modes, variable, evidence, latencies, on host, async, oracle */
    {"pytorch", "cpu", NULL, "inductor", NULL, EXECUTED, true, true, false, false},
    {"pytorch", "cuda", "cpu", "inductor", NULL, EXECUTED, true, false, true, false},
    {"pytorch", "rocm", "cpu", "inductor", NULL, EXECUTED, true, false, true, false},
    {"pytorch", "mps", "cpu", "inductor", NO_MPS_FALLBACK, EXECUTED, true, false, true, false},
    {"pytorch", "xpu", "cpu", "inductor", NULL, EXECUTED, true, false, true, false},
    {"pytorch", "xla", "cpu", "", "PJRT_DEVICE=CPU", EXECUTED, true, false, true, false},
    {"pytorch", "meta", "cpu", "", NULL, SHAPES, false, true, false, false},
    {"pytorch", PLUG_IN, "cpu", "inductor", NULL, EXECUTED, true, false, false, false},
    {"numpy", "cpu", NULL, "", NULL, EXECUTED, false, true, false, true},
    {"null", "null", "host", "", NULL, EXECUTED, true, true, false, false},
    {"null", "host", NULL, "", NULL, EXECUTED, true, true, false, false},
};

const char *pm_evidence_text(enum pm_evidence evidence)
{
    static const char *const texts[] = {
#define X(id, text) [PM_EVIDENCE_##id] = text,
        PM_EVIDENCES(X)
#undef X
    };
    return texts[evidence];
}

const struct pm_environment__framework *pm_environment__frameworks(size_t *count)
{
    *count = sizeof frameworks / sizeof *frameworks;
    return frameworks;
}

const struct pm_environment__device *pm_environment__devices(size_t *count)
{
    *count = sizeof devices / sizeof *devices;
    return devices;
}

const struct pm_environment__framework *pm_environment__framework_find(const char *name)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        if (strcmp(frameworks[i].name, name) == 0)
            return &frameworks[i];
    return NULL;
}

int pm_environment__framework_need(const char *name, const struct pm_environment__framework **out,
                                   struct pm_error *err)
{
    *out = pm_environment__framework_find(name);
    if (*out)
        return PM_OK;
    struct pm_str known = PM_STR_INIT;
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        pm_str_addf(&known, "%s%s", i ? ", " : "", frameworks[i].name);
    const int rc =
        pm_error_set(err, PM_EUSAGE, "unknown framework '%s' (known: %s)", name, known.data);
    pm_str_release(&known);
    return rc;
}

int pm_framework_check(const char *framework, struct pm_error *err)
{
    const struct pm_environment__framework *found;
    return pm_environment__framework_need(framework, &found, err);
}

int pm_framework_module(const char *framework, const char **module, struct pm_error *err)
{
    const struct pm_environment__framework *found;
    PM_TRY(pm_environment__framework_need(framework, &found, err));
    *module = found->modules[0] ? found->modules[0] : found->name;
    return PM_OK;
}

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

char *pm_environment__text(const char *environment, const char *framework, const char *device,
                           const char *mode)
{
    const bool is_default = strcmp(environment, framework) == 0;
    return pm_format("%s%s%s@%s%s%s", is_default ? "" : environment, is_default ? "" : ":",
                     framework, device, *mode ? "+" : "", mode);
}

static bool has_mode(const char *modes, const char *mode)
{
    const size_t length = strlen(mode);
    for (const char *at = modes; (at = strstr(at, mode)); at += length)
        if ((at == modes || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

static int unknown_device(const struct pm_target *target, struct pm_error *err)
{
    struct pm_str known = PM_STR_INIT;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].framework, target->framework) == 0)
            pm_str_addf(&known, "%s%s", known.length ? ", " : "", devices[i].device);
    const int rc = pm_error_set(err, PM_EUSAGE, "framework '%s' has no device '%s' (known: %s)",
                                target->framework, target->device,
                                known.length ? known.data : "none, it has only an inventory");
    pm_str_release(&known);
    return rc;
}

static int find_device(const struct pm_target *target, const struct pm_environment__device **out,
                       struct pm_error *err)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        *out = &devices[i];
        if (strcmp(devices[i].framework, target->framework) == 0 &&
            (strcmp(devices[i].device, target->device) == 0 ||
             strcmp(devices[i].device, PM_ENVIRONMENT__PLUG_IN) == 0))
            return PM_OK;
    }
    return unknown_device(target, err);
}

/* Cuts `text` into the four parts; what is not there is "". */
static int split(const char *text, struct pm_target *out, struct pm_error *err)
{
    const char *at = strchr(text, '@');
    const char *colon = at ? memchr(text, ':', (size_t)(at - text)) : NULL;
    const char *plus = at ? strchr(at, '+') : NULL;
    if (!at)
        return pm_error_set(err, PM_EUSAGE,
                            "target '%s' is not [environment:]framework@device[+mode]", text);
    const char *framework = colon ? colon + 1 : text;
    out->framework = pm_strndup(framework, (size_t)(at - framework));
    out->environment = colon ? pm_strndup(text, (size_t)(colon - text)) : pm_strdup(out->framework);
    out->device = plus ? pm_strndup(at + 1, (size_t)(plus - at - 1)) : pm_strdup(at + 1);
    out->mode = pm_strdup(plus ? plus + 1 : "");
    if (!pm_environment__is_name(out->environment) || !pm_environment__is_name(out->framework) ||
        !pm_environment__is_name(out->device) || (plus && !pm_environment__is_name(out->mode)))
        return pm_error_set(err, PM_EUSAGE,
                            "target '%s' is not [environment:]framework@device[+mode]", text);
    return PM_OK;
}

/* torch_xla computes on the host's cores unless the user says otherwise. */
static bool is_on_host(const struct pm_environment__device *device)
{
    const char *pjrt = getenv("PJRT_DEVICE");
    if (strcmp(device->device, "xla") == 0)
        return !pjrt || strcmp(pjrt, "CPU") == 0;
    return device->on_host;
}

static int fill(struct pm_target *out, struct pm_error *err)
{
    const struct pm_environment__framework *framework;
    const struct pm_environment__device *device;
    PM_TRY(pm_environment__framework_need(out->framework, &framework, err));
    PM_TRY(find_device(out, &device, err));
    if (*out->mode && !has_mode(device->modes, out->mode))
        return pm_error_set(err, PM_EUSAGE, "device '%s' has no mode '%s' (known: %s)", out->device,
                            out->mode, *device->modes ? device->modes : "none");
    out->text = pm_environment__text(out->environment, out->framework, out->device, out->mode);
    if (*out->mode)
        out->control = pm_environment__text(out->environment, out->framework, out->device, "");
    else if (device->control)
        out->control = pm_environment__text(out->environment, out->framework, device->control, "");
    out->evidence = device->evidence;
    out->latencies = device->latencies;
    out->on_host = is_on_host(device);
    out->asynchronous = device->asynchronous;
    out->oracle = device->oracle;
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

void pm_target_release(struct pm_target *target)
{
    free(target->text);
    free(target->environment);
    free(target->framework);
    free(target->device);
    free(target->mode);
    free(target->control);
    *target = (struct pm_target){0};
}
