/* Reading inventories: the driver's document, and flat lists of names. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "inventory/inventory_private.h"

PM_WORDS_DEFINE(value, PM_VALUES, PM_VALUE);

/* Documents of version 1, in older databases, say nothing of values. */
enum { FIRST_VERSION = 1, DOCUMENT_VERSION = 2 };

static int read_strings(const json_t *array, const char *what, char ***items, size_t *count,
                        struct pm_error *err)
{
    size_t index;
    const json_t *item;
    *items = pm_alloc((json_array_size(array) + 1) * sizeof **items);
    *count = 0;
    if (!json_is_array(array))
        return pm_error_set(err, PM_EFORMAT, "inventory has no list '%s'", what);
    json_array_foreach(array, index, item) {
        if (!json_is_string(item) || !*json_string_value(item))
            return pm_error_set(err, PM_EFORMAT, "inventory has no name at '%s[%zu]'", what, index);
        (*items)[(*count)++] = pm_strdup(json_string_value(item));
    }
    return PM_OK;
}

/* An optional word for what something gives. */
static int read_value(const json_t *row, const char *key, const char *name, enum pm_value *out,
                      struct pm_error *err)
{
    const json_t *value = json_object_get(row, key);
    *out = PM_VALUE_UNKNOWN;
    if (!value)
        return PM_OK;
    const char *word = json_string_value(value);
    if (!word || !*word || !pm_value_parse(word, out))
        return pm_error_set(err, PM_EFORMAT, "unknown value of '%s' of '%s': '%s'", key, name,
                            word ? word : "");
    return PM_OK;
}

/* An optional name of a class. */
static int read_class(const json_t *row, const char *name, char **out, struct pm_error *err)
{
    const json_t *value = json_object_get(row, "class");
    if (value && (!json_is_string(value) || !*json_string_value(value))) {
        *out = pm_strdup("");
        return pm_error_set(err, PM_EFORMAT, "'class' of '%s' is not a name", name);
    }
    *out = pm_strdup(value ? json_string_value(value) : "");
    return PM_OK;
}

static int read_entry(const json_t *row, struct pm_entry *entry, struct pm_error *err)
{
    const char *name = pm_json_string(row, "name", ""), *kind = pm_json_string(row, "kind", "");
    *entry = (struct pm_entry){
        .name = pm_strdup(name),
        .defined = pm_strdup(pm_json_string(row, "defined", "")),
        .deprecated = pm_json_bool(row, "deprecated", false),
        .examples = pm_json_bool(row, "examples", false),
    };
    PM_TRY(read_class(row, name, &entry->returned_class, err));
    if (!*name)
        return pm_error_set(err, PM_EFORMAT, "inventory has a function without a name");
    if (!pm_name_kind_parse(kind, &entry->kind) || entry->kind == PM_NAME_BARE)
        return pm_error_set(err, PM_EFORMAT, "'%s' has an unknown kind: '%s'", name, kind);
    PM_TRY(read_value(row, "returns", name, &entry->returns, err));
    PM_TRY(read_value(row, "calls", name, &entry->calls, err));
    PM_TRY(read_strings(json_object_get(row, "aliases"), "aliases", &entry->aliases,
                        &entry->alias_count, err));
    return read_strings(json_object_get(row, "bases"), "bases", &entry->bases, &entry->base_count,
                        err);
}

static int read_attribute(const json_t *row, struct pm_attribute *attribute, struct pm_error *err)
{
    const char *name = pm_json_string(row, "name", "");
    *attribute = (struct pm_attribute){.name = pm_strdup(name)};
    PM_TRY(read_class(row, name, &attribute->value_class, err));
    if (!strchr(name, '.'))
        return pm_error_set(err, PM_EFORMAT,
                            "inventory has an attribute without a class or module");
    PM_TRY(read_value(row, "returns", name, &attribute->value, err));
    return read_strings(json_object_get(row, "aliases"), "aliases", &attribute->aliases,
                        &attribute->alias_count, err);
}

static int read_attributes(const json_t *rows, struct pm_inventory *out, struct pm_error *err)
{
    size_t index;
    const json_t *row;
    if (!json_is_array(rows))
        return pm_error_set(err, PM_EFORMAT, "inventory has no list 'attributes'");
    out->attributes = pm_alloc((json_array_size(rows) + 1) * sizeof *out->attributes);
    json_array_foreach(rows, index, row)
        PM_TRY(read_attribute(row, &out->attributes[out->attribute_count++], err));
    return PM_OK;
}

static int read_unread(const json_t *rows, struct pm_inventory *out, struct pm_error *err)
{
    size_t index;
    const json_t *row;
    if (!json_is_array(rows))
        return pm_error_set(err, PM_EFORMAT, "inventory has no list 'unread'");
    out->unread = pm_alloc((json_array_size(rows) + 1) * sizeof *out->unread);
    json_array_foreach(rows, index, row)
        out->unread[out->unread_count++] = (struct pm_unread){
            .module = pm_strdup(pm_json_string(row, "module", "")),
            .why = pm_strdup(pm_json_string(row, "why", "")),
        };
    return PM_OK;
}

static int read_document(const json_t *document, struct pm_inventory *out, struct pm_error *err)
{
    const json_t *rows = json_object_get(document, "functions"), *row;
    const int64_t version = pm_json_int(document, "version", 0);
    size_t index;
    if (strcmp(pm_json_string(document, "schema", ""), "portmeter-inventory") ||
        version < FIRST_VERSION || version > DOCUMENT_VERSION)
        return pm_error_set(err, PM_EFORMAT, "document is not an inventory of version %d to %d",
                            FIRST_VERSION, DOCUMENT_VERSION);
    out->framework = pm_strdup(pm_json_string(document, "framework", ""));
    out->version = pm_strdup(pm_json_string(document, "framework_version", ""));
    out->python = pm_strdup(pm_json_string(document, "python", ""));
    out->root = pm_strdup(pm_json_string(document, "root", ""));
    out->brief = pm_strdup(pm_json_string(document, "short", ""));
    if (!*out->framework || !*out->root || !*out->brief)
        return pm_error_set(err, PM_EFORMAT, "inventory names no framework");
    if (!json_array_size(rows))
        return pm_error_set(err, PM_EFORMAT, "inventory of '%s' is empty", out->framework);
    out->entries = pm_alloc(json_array_size(rows) * sizeof *out->entries);
    json_array_foreach(rows, index, row)
        PM_TRY(read_entry(row, &out->entries[out->count++], err));
    PM_TRY(read_strings(json_object_get(document, "private"), "private", &out->private_names,
                        &out->private_count, err));
    PM_TRY(read_strings(json_object_get(document, "foreign"), "foreign", &out->foreign_names,
                        &out->foreign_count, err));
    PM_TRY(read_unread(json_object_get(document, "unread"), out, err));
    if (version == FIRST_VERSION)
        return pm_inventory__index(out, err);
    PM_TRY(read_attributes(json_object_get(document, "attributes"), out, err));
    PM_TRY(pm_inventory__index(out, err));
    return pm_inventory__check_classes(out, err);
}

int pm_inventory_parse(const char *bytes, size_t length, struct pm_inventory *out,
                       struct pm_error *err)
{
    json_t *document = NULL;
    *out = (struct pm_inventory){0};
    PM_TRY(pm_json_parse(bytes, length, &document, err));
    const int rc = read_document(document, out, err);
    json_decref(document);
    if (rc)
        pm_inventory_release(out);
    return rc;
}

static int read_flat(const json_t *names, struct pm_inventory *out, struct pm_error *err)
{
    char **items;
    size_t count;
    if (!json_is_array(names))
        return pm_error_set(err, PM_EFORMAT, "not a list of names");
    int rc = read_strings(names, "names", &items, &count, err);
    out->entries = pm_alloc((count + 1) * sizeof *out->entries);
    for (size_t i = 0; i < count; i++)
        out->entries[out->count++] = (struct pm_entry){.name = items[i],
                                                       .kind = PM_NAME_BARE,
                                                       .defined = pm_strdup(""),
                                                       .returned_class = pm_strdup("")};
    free(items);
    if (!rc && !count)
        rc = pm_error_set(err, PM_EFORMAT, "list of names is empty");
    return rc ? rc : pm_inventory__index(out, err);
}

int pm_inventory_parse_flat(const char *framework, const char *bytes, size_t length,
                            struct pm_inventory *out, struct pm_error *err)
{
    json_t *names = NULL;
    *out = (struct pm_inventory){0};
    PM_TRY(pm_json_parse(bytes, length, &names, err));
    *out = (struct pm_inventory){
        .framework = pm_strdup(framework),
        .version = pm_strdup(""),
        .python = pm_strdup(""),
        .root = pm_strdup(""),
        .brief = pm_strdup(""),
        .flat = true,
    };
    const int rc = read_flat(names, out, err);
    json_decref(names);
    if (rc)
        pm_inventory_release(out);
    return rc;
}
