/* Makes the ranking for a sample, and finds which of its functions cannot be measured. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "store/scans.h"
#include "survey/sampling.h"

/* ---- from a file ---------------------------------------------------------------------------- */

/* Checks that the names fit the rule: the paper's rule ranks bare names, the other rules rank
 * canonical names. */
static int check_names(const struct sampling *d, struct pm_error *err)
{
    const char *path = d->options->ranking;
    size_t dotted = 0;
    for (size_t i = 0; i < d->ranking.count; i++)
        dotted += strchr(d->ranking.items[i].name, '.') != NULL;
    if (d->rule != PM_RULE_PAPER && !dotted)
        return pm_error_set(err, PM_EUSAGE,
                            "ranking '%s' has only bare names, such as '%s': add --rule paper",
                            path, d->ranking.items[0].name);
    if (d->rule == PM_RULE_PAPER && dotted)
        return pm_error_set(err, PM_EUSAGE,
                            "ranking '%s' has dotted names, but the paper's rule ranks bare names: "
                            "use --rule resolved",
                            path);
    return PM_OK;
}

/* Removes functions without a use, unless --unused is given. A ranking from a scan contains such
 * functions only with --unused, too. */
static int drop_unused(struct sampling *d, struct pm_error *err)
{
    const char *path = d->options->ranking;
    d->unused = d->options->unused ? 0 : pm_ranking_drop_unused(&d->ranking);
    if (!d->ranking.count)
        return pm_error_set(err, PM_EUSAGE,
                            "all functions of ranking '%s' have 0 uses: to sample them, add "
                            "--unused",
                            path);
    return PM_OK;
}

int pm_survey__sampling_read_ranking(struct sampling *d, struct pm_error *err)
{
    const char *path = d->options->ranking;
    struct pm_str text = PM_STR_INIT;
    int rc = pm_file_read(path, &text, err);
    if (rc)
        return pm_error_prefix(err, rc, "--ranking");
    rc = pm_ranking_parse(text.data, text.length, &d->ranking, err);
    if (rc)
        rc = pm_error_prefix(err, rc, "--ranking '%s'", path);
    const struct pm_digest digest = pm_digest_bytes(text.data, text.length);
    d->ranking_digest = json_string(digest.hex);
    pm_str_release(&text);
    PM_TRY(rc);
    PM_TRY(check_names(d, err));
    return drop_unused(d, err);
}

/* ---- from a scan ---------------------------------------------------------------------------- */

struct finding_scan {
    struct pm_store *store;
    struct sampling *d;
    struct pm_error *err;
    bool known;   /* the requested scan exists */
    bool counted; /* a scan counted the framework, but not by the requested rule */
};

static int keep_scanned(void *ctx, const struct pm_scanned_row *row)
{
    struct sampling *d = ctx;
    if (strcmp(row->framework, d->options->framework))
        return PM_OK;
    d->scan_id = row->scan_id;
    d->scan_inventory_id = row->inventory_id;
    return PM_OK;
}

/* Returns 1, which ends the query, for the requested scan, or for the newest scan that counted the
 * framework. The rule `inferred` accepts only a scan that inferred types. */
static int try_scan(void *ctx, const struct pm_scan_row *row)
{
    struct finding_scan *f = ctx;
    const int64_t wanted = f->d->options->scan;
    if (wanted && wanted != row->id)
        return 0;
    f->known = true;
    PM_TRY(pm_store_scanned(f->store, row->id, keep_scanned, f->d, f->err));
    if (f->d->scan_id && f->d->rule == PM_RULE_INFERRED && !row->types) {
        f->counted = true;
        f->d->scan_id = f->d->scan_inventory_id = 0;
    }
    return f->d->scan_id != 0;
}

/* Sets the error, with the reason why no scan ranks the functions. */
static int say_no_scan(const struct finding_scan *f, struct pm_error *err)
{
    const struct pm_sample_options *o = f->d->options;
    const long long wanted = (long long)o->scan;
    if (o->scan && !f->known)
        return pm_error_set(err, PM_EUSAGE,
                            "database '%s' has no scan %lld: omit --scan to use the newest", o->db,
                            wanted);
    if (o->scan && f->counted)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld of '%s' did not infer types: choose another --scan, or "
                            "--rule resolved",
                            wanted, o->db);
    if (o->scan)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld of '%s' did not count %s: choose another --scan", wanted,
                            o->db, o->framework);
    if (f->counted)
        return pm_error_set(
            err, PM_EUSAGE,
            "the scans of '%s' that counted %s did not infer types: run portmeter scan "
            "PATH... --framework %s --store-uses, or use --rule resolved",
            o->db, o->framework, o->framework);
    return pm_error_set(err, PM_EUSAGE,
                        "database '%s' has no scan that counted %s: run portmeter scan PATH... "
                        "--framework %s, or give --ranking FILE",
                        o->db, o->framework, o->framework);
}

static int find_scan(struct sampling *d, struct pm_store *store, struct pm_error *err)
{
    struct finding_scan f = {.store = store, .d = d, .err = err};
    const int rc = pm_store_scans(store, try_scan, &f, err);
    if (rc < 0)
        return rc;
    return d->scan_id ? PM_OK : say_no_scan(&f, err);
}

/* Adds a name with its uses. A name that is mentioned but never called has 0 uses; like a name that
 * the scan did not find, it is added only if the options ask for unused functions. */
static int add_frequency(void *ctx, const struct pm_frequency_row *row)
{
    struct sampling *d = ctx;
    if (row->uses > 0 || d->options->unused)
        pm_ranking_add(&d->ranking, row->name, (uint64_t)row->uses);
    return PM_OK;
}

static int rank_from_scan(struct sampling *d, struct pm_store *store, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    PM_TRY(find_scan(d, store, err));
    PM_TRY(pm_store_frequencies(store, d->scan_id, o->framework, o->by, add_frequency, d, err));
    if (!d->ranking.count)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld of '%s' found no use of %s: choose another --scan",
                            (long long)d->scan_id, o->db, o->framework);
    return pm_ranking_close(&d->ranking, err);
}

/* ---- unused functions ----------------------------------------------------------------------- */

/* Adds unused functions. Excludes methods, because the rule of imports finds only methods that are
 * called through their class. */
static int add_unused(struct sampling *d, struct pm_store *store, struct pm_error *err)
{
    const char *framework = d->options->framework;
    struct pm_stored_inventory item;
    struct pm_map known = {0};
    PM_TRY(d->scan_inventory_id
               ? pm_stored_inventory_load(store, framework, d->scan_inventory_id, &item, err)
               : pm_stored_inventory_recorded(store, framework, &item, err));
    for (size_t i = 0; i < d->ranking.count; i++)
        pm_map_put(&known, d->ranking.items[i].name, d);
    for (size_t i = 0; i < item.inventory.count; i++) {
        const struct pm_entry *entry = &item.inventory.entries[i];
        const char *name =
            d->rule == PM_RULE_PAPER ? pm_inventory_bare_name(entry->name) : entry->name;
        if (entry->kind == PM_NAME_METHOD || pm_map_has(&known, name))
            continue;
        pm_map_put(&known, name, d);
        pm_ranking_add(&d->ranking, name, 0);
    }
    pm_map_release(&known);
    pm_stored_inventory_release(&item);
    return pm_ranking_close(&d->ranking, err);
}

int pm_survey__sampling_rank(struct sampling *d, struct pm_store *store, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    if (!o->ranking)
        PM_TRY(rank_from_scan(d, store, err));
    if (store)
        PM_TRY(pm_stored_inventory_recorded(store, o->framework, &d->inventory, err));
    if (!o->unused)
        return PM_OK;
    if (!d->scan_inventory_id && !d->inventory.id)
        return pm_error_set(
            err, PM_EUSAGE,
            "--unused needs an inventory: run portmeter inventory %s to store one in "
            "'%s'",
            o->framework, o->db);
    return add_unused(d, store, err);
}

/* ---- functions that cannot be measured ------------------------------------------------------ */

static bool is_listed(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

/* Returns the reason why no public function has the name; NULL if one has it. The caller frees the
 * text. */
static char *why_absent(const struct sampling *d, const char *name)
{
    const struct pm_inventory *inventory = &d->inventory.inventory;
    const char *bare = pm_inventory_bare_name(name);
    size_t count;
    if (d->rule == PM_RULE_PAPER ? pm_inventory_bare(inventory, name, &count) != NULL
                                 : pm_inventory_find(inventory, name) != NULL)
        return NULL;
    const char *what = "not in";
    if (is_listed(inventory->private_names, inventory->private_count, bare))
        what = "defined but not public in";
    else if (is_listed(inventory->foreign_names, inventory->foreign_count, bare))
        what = "from a package other than";
    return pm_format("%s %s %s", what, inventory->framework, inventory->version);
}

static void note_unranked(const struct sampling *d)
{
    struct pm_map ranked = {0};
    struct pm_str names = PM_STR_INIT;
    size_t missing = 0;
    for (size_t i = 0; i < d->ranking.count; i++)
        pm_map_put(&ranked, d->ranking.items[i].name, &d->ranking.items[i]);
    for (size_t i = 0; i < d->of_file.count; i++)
        if (!pm_map_has(&ranked, d->of_file.items[i].name) && missing++ < 3)
            pm_str_addf(&names, "%s%s", missing > 1 ? ", " : "", d->of_file.items[i].name);
    if (missing > 3)
        pm_str_addf(&names, " and %zu more", missing - 3);
    if (missing)
        fprintf(
            d->messages->out,
            "note        --exclude names functions that are not ranked, so they are ignored: %s\n",
            names.data);
    pm_str_release(&names);
    pm_map_release(&ranked);
}

void pm_survey__sampling_exclude(struct sampling *d)
{
    for (size_t i = 0; i < d->ranking.count && d->inventory.id; i++) {
        const char *name = d->ranking.items[i].name;
        char *why = why_absent(d, name);
        if (why)
            pm_survey__exclusions_add(&d->exclusions, name, PM_CRITERION_ABSENT, why);
        free(why);
    }
    for (size_t i = 0; i < d->of_file.count; i++)
        pm_survey__exclusions_add(&d->exclusions, d->of_file.items[i].name,
                                  d->of_file.items[i].criterion, d->of_file.items[i].why);
    for (size_t i = 0; i < d->ranking.count && d->options->only_tested; i++)
        if (!pm_map_has(&d->tested, d->ranking.items[i].name))
            pm_survey__exclusions_add(&d->exclusions, d->ranking.items[i].name,
                                      PM_CRITERION_NO_TEST, "no case in the suite");
    note_unranked(d);
}
