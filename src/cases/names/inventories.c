/* Inventories: recorded from an environment or a file, stored and loaded. */
#include "names/inventories.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/privacy.h"
#include "store/scans.h"

void pm_names_inventory_release(struct pm_names_inventory *item)
{
    pm_inventory_release(&item->inventory);
    free(item->environment);
    *item = (struct pm_names_inventory){0};
}

/* ---- the store ----------------------------------------------------------------------------- */

struct search {
    const struct pm_store *store;
    struct pm_names_inventory *item;
    int64_t id; /* 0: the first of a kind */
    bool flat;  /* which kind */
    struct pm_error *err;
};

enum { FOUND = 1 };

/* What is wrong, which the error says, as damage of the database. */
static int damaged(const struct search *s, int64_t id)
{
    const struct pm_error why = *s->err;
    return pm_store_damaged(s->store, s->err, "column 'document' of row 'inventory %lld': %s",
                            (long long)id, why.text);
}

static int take_first(void *ctx, const struct pm_inventory_row *row)
{
    struct search *s = ctx;
    if (s->id ? row->id != s->id : row->flat != s->flat)
        return 0;
    const size_t length = strlen(row->document);
    const int rc = row->flat
                       ? pm_inventory_parse_flat(row->framework, row->document, length,
                                                 &s->item->inventory, s->err)
                       : pm_inventory_parse(row->document, length, &s->item->inventory, s->err);
    if (rc)
        return damaged(s, row->id);
    s->item->id = row->id;
    s->item->environment = pm_strdup(row->environment);
    return FOUND;
}

static int find(struct pm_store *store, const char *framework, struct search *search)
{
    *search->item = (struct pm_names_inventory){0};
    search->store = store;
    const int rc = pm_store_inventories(store, framework, take_first, search, search->err);
    return rc == FOUND ? PM_OK : rc;
}

int pm_names_inventory_load(struct pm_store *store, const char *framework, int64_t id,
                            struct pm_names_inventory *item, struct pm_error *err)
{
    return find(store, framework, &(struct search){.item = item, .id = id, .err = err});
}

int pm_names_inventory_walked(struct pm_store *store, const char *framework,
                              struct pm_names_inventory *item, struct pm_error *err)
{
    return find(store, framework, &(struct search){.item = item, .err = err});
}

int pm_names_inventory_newest(struct pm_store *store, const char *framework,
                              struct pm_names_inventory *item, struct pm_error *err)
{
    PM_TRY(pm_names_inventory_walked(store, framework, item, err));
    if (item->id)
        return PM_OK;
    return find(store, framework, &(struct search){.item = item, .flat = true, .err = err});
}

const char *pm_names_counted(const struct pm_inventory *inventory, const char *function)
{
    const struct pm_entry *entry =
        inventory->framework ? pm_inventory_find(inventory, function) : NULL;
    return entry ? entry->name : function;
}

/* Adds the time to the row and stores it. */
static int add(struct pm_store *store, struct pm_inventory_row *row, int64_t *id,
               struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    row->recorded = now;
    PM_TRY(pm_store_begin(store, err));
    return pm_store_settle(store, pm_store_add_inventory(store, row, id, err), err);
}

static int add_walked(struct pm_store *store, const struct pm_environment *environment,
                      const char *document, struct pm_names_inventory *item, struct pm_error *err)
{
    struct pm_inventory_row row = {.framework = item->inventory.framework,
                                   .version = item->inventory.version,
                                   .environment = environment->name,
                                   .document = document};
    item->environment = pm_strdup(environment->name);
    return add(store, &row, &item->id, err);
}

/* ---- environments -------------------------------------------------------------------------- */

static int no_environment(const char *framework, struct pm_error *err)
{
    return pm_recipe_find(framework, NULL)
               ? pm_error_set(err, PM_ENOTFOUND,
                              "no environment has '%s': run portmeter env create %s", framework,
                              framework)
               : pm_error_set(err, PM_ENOTFOUND,
                              "no environment has '%s': add one with portmeter env add %s PYTHON",
                              framework, framework);
}

int pm_names_environment(const struct pm_environments *list, const char *framework,
                         const char *name, const struct pm_environment **out, struct pm_error *err)
{
    *out = pm_environments_find(list, name ? name : framework);
    if (name && !*out)
        return pm_error_set(err, PM_EUSAGE,
                            "environment '%s' does not exist: portmeter env list shows all", name);
    if (name && strcmp((*out)->framework, framework) != 0)
        return pm_error_set(
            err, PM_EUSAGE,
            "environment '%s' has framework '%s' instead of '%s': name another --environment", name,
            (*out)->framework, framework);
    if (*out && strcmp((*out)->framework, framework) == 0)
        return PM_OK;
    *out = NULL;
    for (size_t i = 0; i < list->count && !*out; i++)
        if (strcmp(list->items[i].framework, framework) == 0)
            *out = &list->items[i];
    return *out ? PM_OK : no_environment(framework, err);
}

/* The driver says why a module cannot be read in the words of Python, which may name a home folder.
 * A document without such names stays as it is. */
static void hide_names(struct pm_str *document)
{
    json_t *inventory = json_loadb(document->data, document->length, 0, NULL), *unread;
    bool changed = false;
    size_t i;
    json_array_foreach(json_object_get(inventory, "unread"), i, unread) {
        const char *why = pm_json_string(unread, "why", "");
        char *hidden = pm_privacy_hidden(why);
        if (strcmp(why, hidden) != 0) {
            json_object_set_new(unread, "why", json_string(hidden));
            changed = true;
        }
        free(hidden);
    }
    if (changed) {
        char *text = pm_json_text(inventory);
        pm_str_clear(document);
        pm_str_add(document, text);
        free(text);
    }
    json_decref(inventory);
}

/* The document comes from portmeter's own driver. */
static int parse_walked(const struct pm_environment *environment, const struct pm_str *document,
                        struct pm_inventory *out, struct pm_error *err)
{
    struct pm_error why;
    const int rc = pm_inventory_parse(document->data, document->length, out, &why);
    return rc ? pm_error_set(err, rc,
                             "the inventory of environment '%s' is invalid: %s: report this fault "
                             "of portmeter",
                             environment->name, why.text)
              : PM_OK;
}

int pm_names_inventory_walk(struct pm_store *store, const struct pm_environment *environment,
                            const struct pm_messages *messages, struct pm_names_inventory *item,
                            struct pm_error *err)
{
    struct pm_str document = PM_STR_INIT;
    *item = (struct pm_names_inventory){0};
    fprintf(messages->out, "inventory   listing the functions of %s %s in environment '%s'\n",
            environment->framework, environment->version ? environment->version : "",
            environment->name);
    int rc = pm_environment_walk(environment, &document, err);
    if (!rc)
        hide_names(&document);
    if (!rc)
        rc = parse_walked(environment, &document, &item->inventory, err);
    if (!rc)
        rc = add_walked(store, environment, document.data, item, err);
    if (rc)
        pm_names_inventory_release(item);
    pm_str_release(&document);
    return rc;
}

/* ---- flat lists ---------------------------------------------------------------------------- */

int pm_names_flat_read(const char *framework, const char *path, struct pm_str *text,
                       struct pm_inventory *out, struct pm_error *err)
{
    const size_t before = text->length;
    PM_TRY(pm_file_read(path, text, err));
    struct pm_error why;
    const int rc =
        pm_inventory_parse_flat(framework, text->data + before, text->length - before, out, &why);
    return rc ? pm_error_set(err, rc, "'%s': %s: write a JSON list of names, [\"cat\", ...]", path,
                             why.text)
              : PM_OK;
}

int pm_names_flat_add(struct pm_store *store, const char *framework, const char *text, int64_t *id,
                      struct pm_error *err)
{
    struct pm_inventory_row row = {.framework = framework, .flat = true, .document = text};
    return add(store, &row, id, err);
}
