/* Records the inventory of an environment. */
#include "survey/new_inventory.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/privacy.h"

/* Hides names of users in a document. For a module that cannot be read, the document has Python's
 * message, which may name a home folder. A document without such names is not changed. */
static void hide_names(struct pm_str *document)
{
    json_t *inventory = json_loadb(document->data, document->length, 0, NULL), *unread;
    bool changed = false;
    size_t i;
    json_array_foreach(json_object_get(inventory, "unread"), i, unread) {
        const char *error = pm_json_string(unread, "error", "");
        char *hidden = pm_privacy_hidden(error);
        if (strcmp(error, hidden) != 0) {
            json_object_set_new(unread, "error", json_string(hidden));
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

/* Parses the document that portmeter's own driver wrote. */
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

static int add(struct pm_store *store, const struct pm_environment *environment,
               const char *document, struct pm_stored_inventory *item, struct pm_error *err)
{
    const struct pm_inventory_row row = {.framework = item->inventory.framework,
                                         .version = item->inventory.version,
                                         .environment = environment->name,
                                         .document = document};
    item->environment = pm_strdup(environment->name);
    return pm_stored_inventory_add(store, &row, &item->id, err);
}

int pm_survey__new_inventory(struct pm_store *store, const struct pm_environment *environment,
                             const struct pm_messages *messages, struct pm_stored_inventory *item,
                             struct pm_error *err)
{
    struct pm_str document = PM_STR_INIT;
    *item = (struct pm_stored_inventory){0};
    fprintf(messages->out, "inventory   listing the functions of %s %s in environment '%s'\n",
            environment->framework, environment->version ? environment->version : "",
            environment->name);
    int rc = pm_environment_walk(environment, &document, err);
    if (!rc)
        hide_names(&document);
    if (!rc)
        rc = parse_walked(environment, &document, &item->inventory, err);
    if (!rc)
        rc = add(store, environment, document.data, item, err);
    if (rc)
        pm_stored_inventory_release(item);
    pm_str_release(&document);
    return rc;
}
