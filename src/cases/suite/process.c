/* Reads `process`: the settings with which the process of a case is started. */
#include <ctype.h>
#include <string.h>

#include "suite/suite_private.h"

enum { X64, DEVICES, ENVIRONMENT, ALONE, PROCESS_KEYS };
enum { LEAST_DEVICES = 2, MOST_DEVICES = 16 };
static const struct pm_suite__key process_keys[PROCESS_KEYS] = {
    [X64] = {"x64", PM_FORM_TRUTH, "process: {x64: true}"},
    [DEVICES] = {"devices", PM_FORM_NUMBER, "process: {devices: 2}"},
    [ENVIRONMENT] = {"environment", PM_FORM_MAPPING, "process: {environment: {NAME: value}}"},
    [ALONE] = {"alone", PM_FORM_TRUTH, "process: {alone: true}"},
};

/* Returns whether a case may set a variable. It may not set portmeter's own variables, which could
 * make a driver use another socket. */
static bool is_variable(const char *name)
{
    if (isdigit((unsigned char)*name) || strncmp(name, "PORTMETER_", 10) == 0)
        return false;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return *name != '\0';
}

static int read_environment(const struct pm_suite__file *file, struct fy_node *node, json_t *out,
                            struct pm_error *err)
{
    void *previous = NULL;
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        struct fy_node *key = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
        if (!key || !fy_node_is_scalar(key) || !is_variable(fy_node_get_scalar0(key)))
            return pm_suite__wrong(file, key, err,
                                   "'environment' of 'process' has an invalid variable name: use "
                                   "letters, digits and _, but not the prefix PORTMETER_");
        const char *text = NULL;
        PM_TRY(pm_suite__quoted_text(file, key, value, "'environment' of 'process'", &text, err));
        json_object_set_new(out, pm_suite__text(file, key), json_string(text));
    }
    return PM_OK;
}

static int read_devices(const struct pm_suite__file *file, struct fy_node *node, json_t *process,
                        struct pm_error *err)
{
    const double count = pm_suite__number(node);
    if (!(count >= LEAST_DEVICES && count <= MOST_DEVICES && count == (int)count))
        return pm_suite__wrong(file, node, err,
                               "'devices' of 'process' must be a whole number from %d to %d, as in "
                               "%s",
                               LEAST_DEVICES, MOST_DEVICES, process_keys[DEVICES].example);
    json_object_set_new(process, "devices", json_integer((json_int_t)count));
    return PM_OK;
}

int pm_suite__read_process(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                           struct pm_error *err)
{
    struct pm_suite__entry entries[PROCESS_KEYS] = {0};
    struct fy_node *value = draft->entries[PM_KEY_PROCESS].value;
    if (!value)
        return PM_OK;
    PM_TRY(pm_suite__read_keys(file, value, "'process'", process_keys, PROCESS_KEYS, entries, err));
    json_t *process = pm_suite__keep_json(file->own, json_object());
    if (entries[X64].key)
        json_object_set_new(process, "x64", json_boolean(pm_suite__truth(entries[X64].value)));
    if (entries[DEVICES].key)
        PM_TRY(read_devices(file, entries[DEVICES].value, process, err));
    if (entries[ENVIRONMENT].key) {
        json_t *environment = json_object();
        json_object_set_new(process, "environment", environment);
        PM_TRY(read_environment(file, entries[ENVIRONMENT].value, environment, err));
    }
    if (entries[ALONE].key && !pm_suite__truth(entries[ALONE].value))
        return pm_suite__wrong(file, entries[ALONE].value, err,
                               "'alone: false' is the default: remove it");
    if (entries[ALONE].key)
        json_object_set_new(process, "alone", json_true());
    draft->c.process = process;
    return PM_OK;
}
