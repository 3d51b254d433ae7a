/* Finds the targets of an environment that can be measured: asks drivers/probe.py, in a separate
 * process, about each device of the table. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { VARIABLES_MAX = 8 };
static const struct pm_process_watch probe_watch = {.timeout_ms = 120000};

static void push(struct pm_devices *out, const struct pm_environment *environment,
                 const json_t *answer, const char *device, const char *variant, const json_t *row)
{
    const char *why = pm_json_string(row, "why_not", "");
    PM_GROW(out->items, out->count, out->capacity);
    out->items[out->count++] = (struct pm_device){
        .target = pm_environment__text(environment->name, environment->framework, device, variant),
        .measurable = pm_json_bool(row, "measurable", false),
        .why_not = pm_strdup(*why ? why : "the framework does not report this device"),
        .name = pm_strdup(pm_json_string(row, "name", "")),
        .driver_version = pm_strdup(pm_json_string(row, "driver_version", "")),
        .framework_version =
            pm_strdup(pm_json_string(answer, "framework_version", environment->version)),
        .interpreter = pm_strdup(environment->python),
        .python = pm_strdup(pm_json_string(answer, "python", "")),
    };
    struct pm_device *last = &out->items[out->count - 1];
    if (last->measurable)
        last->why_not[0] = '\0';
}

static const json_t *find_row(const json_t *rows, const char *device, const char *variant)
{
    size_t index;
    const json_t *row;
    json_array_foreach(rows, index, row)
        if (strcmp(pm_json_string(row, "device", ""), device) == 0 &&
            strcmp(pm_json_string(row, "variant", ""), variant) == 0)
            return row;
    return NULL;
}

/* Returns whether a row is about another device of that kind, such as "cuda:1". */
static bool is_another(const json_t *row, const char *kind)
{
    unsigned index;
    char *device = pm_strdup(pm_json_string(row, "device", ""));
    const bool another =
        pm_environment__device_split(device, &index) && index && strcmp(device, kind) == 0;
    free(device);
    return another;
}

/* Returns whether the kind of a device is not in the table. */
static bool is_plug_in(const json_t *row, const struct pm_framework *framework)
{
    unsigned index;
    char *device = pm_strdup(pm_json_string(row, "device", ""));
    const bool plug_in = pm_environment__device_split(device, &index) &&
                         !pm_environment__device_find(framework, device);
    free(device);
    return plug_in;
}

/* Adds every device of the table, with the variants and the further devices of its kind that the
 * answer has. `fallback` replaces a row that the answer lacks. Then adds the plug-ins of the
 * answer. */
static void push_all(struct pm_devices *out, const struct pm_environment *environment,
                     const struct pm_framework *framework, const json_t *answer,
                     const json_t *fallback)
{
    size_t index;
    const json_t *rows = json_object_get(answer, "devices"), *row;
    for (size_t i = 0; i < framework->device_count; i++) {
        const struct pm_environment__device *device = &framework->devices[i];
        if (strcmp(device->name, PM_ENVIRONMENT__PLUG_IN) == 0)
            continue;
        row = find_row(rows, device->name, "");
        push(out, environment, answer, device->name, "", row ? row : fallback);
        char *variants = pm_strdup(device->variants), *state = NULL;
        for (char *variant = strtok_r(variants, " ", &state); variant;
             variant = strtok_r(NULL, " ", &state)) {
            row = find_row(rows, device->name, variant);
            if (row)
                push(out, environment, answer, device->name, variant, row);
        }
        free(variants);
        json_array_foreach(rows, index, row)
            if (is_another(row, device->name))
                push(out, environment, answer, pm_json_string(row, "device", ""),
                     pm_json_string(row, "variant", ""), row);
    }
    json_array_foreach(rows, index, row)
        if (is_plug_in(row, framework))
            push(out, environment, answer, pm_json_string(row, "device", ""),
                 pm_json_string(row, "variant", ""), row);
}

json_t *pm_environment__last_line(const struct pm_str *output)
{
    json_t *answer = NULL;
    size_t end = output->length;
    while (end && strchr("\r\n ", output->data[end - 1]))
        end--;
    size_t begin = end;
    while (begin && output->data[begin - 1] != '\n')
        begin--;
    return pm_json_parse(output->data + begin, end - begin, &answer, NULL) ? NULL : answer;
}

/* Returns the probe's answer; NULL if the output has none. */
static json_t *answer_of(const struct pm_str *output)
{
    json_t *answer = pm_environment__last_line(output);
    if (!json_is_array(json_object_get(answer, "devices")) &&
        !json_is_string(json_object_get(answer, "error"))) {
        json_decref(answer);
        return NULL;
    }
    return answer;
}

static int ask(const struct pm_environment *environment, const struct pm_framework *framework,
               struct pm_process_end *end, struct pm_error *err)
{
    char *imports = pm_environment__imports(environment);
    const char *variables[VARIABLES_MAX + 1] = {"PYTHONHASHSEED=0", imports};
    size_t used = 2;
    for (size_t i = 0; i < framework->device_count; i++) {
        const char *variable = framework->devices[i].variable;
        if (variable && !pm_environment__variable_is_set(variable) && used < VARIABLES_MAX)
            variables[used++] = variable;
    }
    char *home = NULL;
    int rc = pm_path_home(&home, err);
    if (!rc) {
        char *script = pm_path_join(home, "drivers/probe.py");
        const char *const argv[] = {environment->python, script, environment->framework, NULL};
        char *awaited = pm_format("the devices of %s", environment->name);
        const struct pm_process_plan plan = {
            .argv = argv, .awaited = awaited, .environment = variables};
        rc = pm_process_run(&plan, &probe_watch, end, err);
        free(awaited);
        free(script);
    }
    free(imports);
    free(home);
    return rc;
}

int pm_devices_probe(const struct pm_environment *environment, struct pm_devices *out,
                     struct pm_error *err)
{
    struct pm_process_end end = {.output = PM_STR_INIT};
    struct pm_error why = {""};
    struct pm_str line = PM_STR_INIT, how = PM_STR_INIT;
    json_t *answer = NULL;
    *out = (struct pm_devices){0};
    const struct pm_framework *framework;
    PM_TRY(pm_framework_need(environment->framework, &framework, err));
    if (!framework->device_count)
        return PM_OK;
    const int rc = ask(environment, framework, &end, &why);
    if (rc == PM_ESTOPPED)
        return pm_error_set(err, rc, "%s", why.text);
    if (!rc) {
        answer = answer_of(&end.output);
        pm_process_end_text(&end, &probe_watch, &how);
        pm_str_addf(&line, "'%s' did not report its devices: %s: check this interpreter",
                    environment->python, how.data);
    } else {
        pm_str_add(&line, why.text);
    }
    if (json_is_string(json_object_get(answer, "error"))) {
        pm_str_clear(&line);
        pm_line_add(&line, pm_json_string(answer, "error", ""), 300);
    }
    json_t *fallback = json_pack("{s:b,s:s}", "measurable", 0, "why_not",
                                 answer && !json_object_get(answer, "error") ? "" : line.data);
    push_all(out, environment, framework, answer, fallback);
    json_decref(fallback);
    json_decref(answer);
    pm_str_release(&line);
    pm_str_release(&how);
    pm_process_end_release(&end);
    return PM_OK;
}

static bool is_for_tests(const struct pm_environment *environment)
{
    const struct pm_framework *framework = pm_framework_find(environment->framework);
    return framework && framework->purpose == PM_FRAMEWORK_TEST;
}

/* Moves devices from `from` to the list: those that can be measured if `measurable`, otherwise the
 * others. */
static void append(struct pm_devices *list, const struct pm_devices *from, bool measurable)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->items[i].measurable == measurable) {
            PM_GROW(list->items, list->count, list->capacity);
            list->items[list->count++] = from->items[i];
        }
}

int pm_devices_probe_all(const struct pm_environments *environments, bool all,
                         void (*asking)(void *ctx, const char *name), void *ctx,
                         struct pm_devices *out, struct pm_error *err)
{
    struct pm_devices others = {0};
    int rc = PM_OK;
    *out = (struct pm_devices){0};
    for (size_t i = 0; i < environments->count && !rc; i++) {
        const struct pm_environment *environment = &environments->items[i];
        struct pm_devices own = {0};
        if (!all && is_for_tests(environment))
            continue;
        if (asking)
            asking(ctx, environment->name);
        rc = pm_devices_probe(environment, &own, err);
        append(out, &own, true);
        append(&others, &own, false);
        free(own.items);
    }
    append(out, &others, false);
    free(others.items);
    return rc;
}

void pm_devices_release(struct pm_devices *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].target);
        free(list->items[i].why_not);
        free(list->items[i].name);
        free(list->items[i].driver_version);
        free(list->items[i].framework_version);
        free(list->items[i].interpreter);
        free(list->items[i].python);
    }
    free(list->items);
    *list = (struct pm_devices){0};
}
