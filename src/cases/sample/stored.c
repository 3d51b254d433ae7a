/* Reads stored samples, and lists the names that a ranking may use for a function. */
#include "sample/stored.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "store/samples.h"

/* ---- names ---------------------------------------------------------------------------------- */

void pm_sample_names_of_function(const struct pm_inventory *inventory, enum pm_rule rule,
                                 const char *function, pm_sample_name_fn *each, void *ctx)
{
    const struct pm_entry *entry =
        inventory->framework ? pm_inventory_find(inventory, function) : NULL;
    const bool bare = rule == PM_RULE_PAPER;
    each(ctx, bare ? pm_inventory_bare_name(function) : function);
    if (!entry)
        return;
    each(ctx, bare ? pm_inventory_bare_name(entry->name) : entry->name);
    for (size_t i = 0; i < entry->alias_count; i++)
        each(ctx, bare ? pm_inventory_bare_name(entry->aliases[i]) : entry->aliases[i]);
}

/* ---- samples -------------------------------------------------------------------------------- */

struct finding {
    const struct pm_store *store;
    int64_t wanted;
    bool weighted;
    struct pm_stored_sample *out;
    struct pm_error *err;
};

static int read_sample(const struct pm_store *store, const struct pm_sample_row *row,
                       struct pm_stored_sample *out, struct pm_error *err)
{
    json_t *document = NULL;
    struct pm_error why;
    int rc = pm_json_parse(row->document, strlen(row->document), &document, &why);
    if (!rc)
        rc = pm_sample_from_json(document, &out->sample, &why);
    json_decref(document);
    if (rc)
        return pm_store_damaged(store, err, "column 'document' of row 'sample %lld': %s",
                                (long long)row->id, why.text);
    out->id = row->id;
    out->scan_id = row->scan_id;
    out->framework = pm_strdup(row->framework);
    out->rule = row->rule;
    out->drawn = pm_strdup(row->drawn);
    return pm_store_json(store, row->options, &out->options, "sample", row->id, "options", err);
}

/* Reads the requested sample. Returns 1, which ends the query, after it was found. */
static int take_sample(void *ctx, const struct pm_sample_row *row)
{
    struct finding *f = ctx;
    if (f->wanted && f->wanted != row->id)
        return 0;
    PM_TRY(read_sample(f->store, row, f->out, f->err));
    if (!f->weighted || pm_stored_sample_has_weights(f->out))
        return 1;
    pm_stored_sample_release(f->out);
    return 0;
}

static int find(struct pm_stored_sample *out, struct pm_store *store, const char *framework,
                int64_t id, bool weighted, struct pm_error *err)
{
    struct finding f = {.store = store, .wanted = id, .weighted = weighted, .out = out, .err = err};
    *out = (struct pm_stored_sample){0};
    const int rc = pm_store_samples(store, id ? NULL : framework, take_sample, &f, err);
    if (rc < 0 || !out->id)
        return rc < 0 ? rc : PM_OK;
    return pm_stored_inventory_recorded(store, out->framework, &out->inventory, err);
}

int pm_stored_sample_load_weighted(struct pm_stored_sample *out, struct pm_store *store,
                                   const char *framework, struct pm_error *err)
{
    return find(out, store, framework, 0, true, err);
}

int pm_stored_sample_load(struct pm_stored_sample *out, struct pm_store *store, const char *db,
                          const char *framework, int64_t id, struct pm_error *err)
{
    PM_TRY(find(out, store, framework, id, false, err));
    if (!out->id && id)
        return pm_error_set(
            err, PM_EUSAGE,
            "database '%s' has no sample %lld: portmeter sample --show prints the newest", db,
            (long long)id);
    if (!out->id)
        return pm_error_set(
            err, PM_EUSAGE, "database '%s' has no sample%s%s: run portmeter sample --framework %s",
            db, framework ? " of " : "", framework ? framework : "", framework ? framework : "F");
    if (!framework || !strcmp(framework, out->framework))
        return PM_OK;
    const int rc = pm_error_set(
        err, PM_EUSAGE,
        "sample %lld of '%s' belongs to framework '%s' instead of '%s': choose another sample",
        (long long)id, db, out->framework, framework);
    pm_stored_sample_release(out);
    return rc;
}

void pm_stored_sample_release(struct pm_stored_sample *sampling)
{
    free(sampling->framework);
    free(sampling->drawn);
    json_decref(sampling->options);
    pm_sample_release(&sampling->sample);
    pm_stored_inventory_release(&sampling->inventory);
    *sampling = (struct pm_stored_sample){0};
}
