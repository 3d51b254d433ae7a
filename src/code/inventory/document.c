/* Reads inventories: the driver's document, and flat lists of names. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "inventory/inventory_private.h"
#include "inventory/tree.h"

PM_WORDS_DEFINE(value, PM_VALUES, PM_VALUE);

/* The versions of documents. Version 1, in older databases, does not describe values. */
enum { FIRST_VERSION = 1, DOCUMENT_VERSION = 2 };

typedef const struct pm_inventory__node node;

/* The value of a string that is missing from a document. */
static char nothing[] = "";

#define FOR_EACH(item, list)                                                                       \
    for ((item) = pm_inventory__first(list); (item) < pm_inventory__end(list);                     \
         (item) = pm_inventory__end(item))

static bool is_list(node *value)
{
    return value && value->form == PM_INVENTORY__LIST;
}

static bool is_true(node *value)
{
    return value && value->form == PM_INVENTORY__TRUE;
}

/* Reads an array of strings. The texts belong to the tree; the caller frees the array. */
static int read_strings(node *list, const char *what, char ***items, size_t *count,
                        struct pm_error *err)
{
    node *item;
    *items = NULL;
    *count = 0;
    if (!is_list(list))
        return pm_error_set(err, PM_EFORMAT, "the inventory has no list '%s'", what);
    if (list->nodes > 1)
        *items = pm_realloc_array(NULL, list->nodes - 1, sizeof **items);
    FOR_EACH(item, list)
    {
        if (item->form != PM_INVENTORY__TEXT || !*item->text)
            return pm_error_set(err, PM_EFORMAT, "entry %zu of '%s' is not a name", *count + 1,
                                what);
        (*items)[(*count)++] = item->text;
    }
    return PM_OK;
}

/* Reads the optional kind of a value, such as a function's result or an attribute. */
static int read_value(node *row, const char *key, const char *name, enum pm_value *out,
                      struct pm_error *err)
{
    *out = PM_VALUE_UNKNOWN;
    if (!pm_inventory__member(row, key))
        return PM_OK;
    const char *word = pm_inventory__text(row, key, nothing);
    if (!*word || !pm_value_parse(word, out))
        return pm_error_set(err, PM_EFORMAT, "'%s' of '%s' has the unknown value '%s'", key, name,
                            word);
    return PM_OK;
}

/* Reads the optional name of a class. */
static int read_class(node *row, const char *name, char **out, struct pm_error *err)
{
    *out = pm_inventory__text(row, "class", nothing);
    if (pm_inventory__member(row, "class") && !**out)
        return pm_error_set(err, PM_EFORMAT, "'class' of '%s' is not the name of a class", name);
    return PM_OK;
}

static int read_entry(node *row, struct pm_entry *entry, struct pm_error *err)
{
    const char *kind = pm_inventory__text(row, "kind", nothing);
    char *name = pm_inventory__text(row, "name", nothing);
    *entry = (struct pm_entry){
        .name = name,
        .defined = pm_inventory__text(row, "defined", nothing),
        .deprecated = is_true(pm_inventory__member(row, "deprecated")),
        .examples = is_true(pm_inventory__member(row, "examples")),
    };
    PM_TRY(read_class(row, name, &entry->returned_class, err));
    if (!*name)
        return pm_error_set(err, PM_EFORMAT, "the inventory has a function without a name");
    if (!pm_name_kind_parse(kind, &entry->kind) || entry->kind == PM_NAME_BARE)
        return pm_error_set(err, PM_EFORMAT, "'kind' of '%s' has the unknown value '%s'", name,
                            kind);
    PM_TRY(read_value(row, "returns", name, &entry->returns, err));
    PM_TRY(read_value(row, "calls", name, &entry->calls, err));
    PM_TRY(read_value(row, "items", name, &entry->items, err));
    PM_TRY(read_strings(pm_inventory__member(row, "aliases"), "aliases", &entry->aliases,
                        &entry->alias_count, err));
    node *elsewhere = pm_inventory__member(row, "elsewhere"); /* older documents have none */
    if (elsewhere)
        PM_TRY(
            read_strings(elsewhere, "elsewhere", &entry->elsewhere, &entry->elsewhere_count, err));
    return read_strings(pm_inventory__member(row, "bases"), "bases", &entry->bases,
                        &entry->base_count, err);
}

static int read_attribute(node *row, struct pm_attribute *attribute, struct pm_error *err)
{
    char *name = pm_inventory__text(row, "name", nothing);
    *attribute = (struct pm_attribute){.name = name};
    PM_TRY(read_class(row, name, &attribute->value_class, err));
    if (!strchr(name, '.'))
        return pm_error_set(err, PM_EFORMAT,
                            "the name of attribute '%s' does not begin with a class or module",
                            name);
    PM_TRY(read_value(row, "returns", name, &attribute->value, err));
    return read_strings(pm_inventory__member(row, "aliases"), "aliases", &attribute->aliases,
                        &attribute->alias_count, err);
}

static int read_attributes(node *rows, struct pm_inventory *out, struct pm_error *err)
{
    node *row;
    if (!is_list(rows))
        return pm_error_set(err, PM_EFORMAT, "the inventory has no list 'attributes'");
    out->attributes = pm_alloc((pm_inventory__length(rows) + 1) * sizeof *out->attributes);
    FOR_EACH(row, rows)
    PM_TRY(read_attribute(row, &out->attributes[out->attribute_count++], err));
    return PM_OK;
}

static int read_unread(node *rows, struct pm_inventory *out, struct pm_error *err)
{
    node *row;
    if (!is_list(rows))
        return pm_error_set(err, PM_EFORMAT, "the inventory has no list 'unread'");
    out->unread = pm_alloc((pm_inventory__length(rows) + 1) * sizeof *out->unread);
    FOR_EACH(row, rows)
    out->unread[out->unread_count++] = (struct pm_unread){
        .module = pm_inventory__text(row, "module", nothing),
        .error = pm_inventory__text(row, "error", nothing),
    };
    return PM_OK;
}

static int read_head(node *document, struct pm_inventory *out, int *version, struct pm_error *err)
{
    node *number = pm_inventory__member(document, "version");
    *version = number && number->form == PM_INVENTORY__NUMBER ? (int)number->number : 0;
    if (strcmp(pm_inventory__text(document, "schema", nothing), "portmeter-inventory") != 0 ||
        *version < FIRST_VERSION || *version > DOCUMENT_VERSION)
        return pm_error_set(err, PM_EFORMAT, "the document is not an inventory of version %d or %d",
                            FIRST_VERSION, DOCUMENT_VERSION);
    out->framework = pm_strdup(pm_inventory__text(document, "framework", nothing));
    out->version = pm_inventory__text(document, "framework_version", nothing);
    out->python = pm_inventory__text(document, "python", nothing);
    out->root = pm_inventory__text(document, "root", nothing);
    out->brief = pm_inventory__text(document, "short", nothing);
    return *out->framework && *out->root && *out->brief
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT,
                              "'framework', 'root' or 'short' of the inventory is missing");
}

static int read_entries(node *rows, struct pm_inventory *out, struct pm_error *err)
{
    node *row;
    const size_t count = pm_inventory__length(rows);
    if (!count)
        return pm_error_set(err, PM_EFORMAT, "the inventory of '%s' lists no functions",
                            out->framework);
    out->entries = pm_alloc(count * sizeof *out->entries);
    FOR_EACH(row, rows)
    PM_TRY(read_entry(row, &out->entries[out->count++], err));
    return PM_OK;
}

static int read_document(node *document, struct pm_inventory *out, struct pm_error *err)
{
    int version;
    PM_TRY(read_head(document, out, &version, err));
    PM_TRY(read_entries(pm_inventory__member(document, "functions"), out, err));
    PM_TRY(read_strings(pm_inventory__member(document, "private"), "private", &out->private_names,
                        &out->private_count, err));
    PM_TRY(read_strings(pm_inventory__member(document, "foreign"), "foreign", &out->foreign_names,
                        &out->foreign_count, err));
    PM_TRY(read_unread(pm_inventory__member(document, "unread"), out, err));
    if (version == FIRST_VERSION)
        return pm_inventory__index(out, err);
    PM_TRY(read_attributes(pm_inventory__member(document, "attributes"), out, err));
    PM_TRY(pm_inventory__index(out, err));
    return pm_inventory__check_classes(out, err);
}

static int read_flat(node *names, struct pm_inventory *out, struct pm_error *err)
{
    char **items;
    size_t count;
    if (!is_list(names))
        return pm_error_set(err, PM_EFORMAT, "the file is not a JSON list of names");
    int rc = read_strings(names, "names", &items, &count, err);
    out->entries = pm_alloc((count + 1) * sizeof *out->entries);
    for (size_t i = 0; i < count; i++)
        out->entries[out->count++] = (struct pm_entry){
            .name = items[i], .kind = PM_NAME_BARE, .defined = nothing, .returned_class = nothing};
    free(items);
    if (!rc && !count)
        rc = pm_error_set(err, PM_EFORMAT, "the list of names is empty");
    return rc ? rc : pm_inventory__index(out, err);
}

/* Parses a JSON text, and passes the tree to `read`. The inventory owns a copy of the text, which
 * contains the strings. */
static int parse(const char *bytes, size_t length,
                 int (*read)(node *top, struct pm_inventory *out, struct pm_error *err),
                 struct pm_inventory *out, struct pm_error *err)
{
    struct pm_inventory__tree tree;
    int rc = pm_inventory__tree_read(&tree, bytes, length, err);
    out->text = tree.text;
    if (!rc)
        rc = read(tree.nodes, out, err);
    free(tree.nodes);
    if (rc)
        pm_inventory_release(out);
    return rc;
}

int pm_inventory_parse(const char *bytes, size_t length, struct pm_inventory *out,
                       struct pm_error *err)
{
    *out = (struct pm_inventory){0};
    return parse(bytes, length, read_document, out, err);
}

int pm_inventory_parse_flat(const char *framework, const char *bytes, size_t length,
                            struct pm_inventory *out, struct pm_error *err)
{
    *out = (struct pm_inventory){
        .framework = pm_strdup(framework),
        .version = nothing,
        .python = nothing,
        .root = nothing,
        .brief = nothing,
        .flat = true,
    };
    return parse(bytes, length, read_flat, out, err);
}
