/* Reads the counts of a scan, for tables and figures. */
#include "usage/usage.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "base/shard.h"
#include "store/scans.h"
#include "store/shards.h"
#include "text/numbers.h"

/* ---- loading -------------------------------------------------------------------------------- */

struct scan_search {
    struct pm_usage *scan;
    struct pm_store *store;
    struct pm_error *err;
    const struct pm_usage_wanted *wanted;
    bool known;                  /* the database has a scan, or the requested one */
    bool has_framework, counted; /* this scan counted the framework; any did */
    bool found;
};

static int see_framework(void *ctx, const struct pm_scanned_row *row)
{
    struct scan_search *search = ctx;
    search->has_framework |=
        !search->wanted->framework || strcmp(search->wanted->framework, row->framework) == 0;
    return PM_OK;
}

/* The shards that a divided scan has, by number. */
struct parts {
    bool has[PM_MOST_SHARDS + 1];
    int64_t count, projects, total;
};

static int keep_shard(void *ctx, const struct pm_scan_shard_row *row)
{
    struct parts *parts = ctx;
    parts->has[row->number] = true;
    parts->count = row->count;
    parts->projects += row->projects;
    parts->total = row->total;
    return PM_OK;
}

static char *missing_text(const struct parts *parts)
{
    enum { NAMED = 10 };
    struct pm_str text = PM_STR_INIT;
    int named = 0;
    if (parts->projects == parts->total)
        return NULL;
    pm_str_addf(&text, "only %lld of %lld project%s: without shard", (long long)parts->projects,
                (long long)parts->total, pm_plural(parts->total));
    for (int64_t number = 1; number <= parts->count; number++)
        if (!parts->has[number] && named++ < NAMED)
            pm_str_addf(&text, "%s %lld", named > 1 ? "," : "", (long long)number);
    if (named > NAMED)
        pm_str_addf(&text, " and %d more", named - NAMED);
    pm_str_addf(&text, " of %lld", (long long)parts->count);
    return pm_str_detach(&text);
}

int pm_usage_missing(struct pm_store *store, int64_t scan_id, char **missing, struct pm_error *err)
{
    struct parts *parts = pm_alloc(sizeof *parts);
    const int rc = pm_store_scan_shards(store, scan_id, keep_shard, parts, err);
    *missing = rc ? NULL : missing_text(parts);
    free(parts);
    return rc;
}

static int read_scan(struct scan_search *search, const struct pm_scan_row *row)
{
    struct pm_usage *scan = search->scan;
    const struct pm_store *store = search->store;
    scan->id = row->id;
    scan->started = pm_strdup(row->started);
    scan->types = row->types;
    scan->places = row->places;
    PM_TRY(pm_store_json(store, row->options, &scan->options, "scan", row->id, "options",
                         search->err));
    PM_TRY(
        pm_store_json(store, row->totals, &scan->totals, "scan", row->id, "totals", search->err));
    PM_TRY(pm_store_json(store, row->damages, &scan->damages, "scan", row->id, "damages",
                         search->err));
    return pm_usage_missing(search->store, row->id, &scan->missing, search->err);
}

/* Reads the scan if it is the newest one with the requested data: the newest scan comes first. */
static int keep_scan(void *ctx, const struct pm_scan_row *row)
{
    struct scan_search *search = ctx;
    const struct pm_usage_wanted *wanted = search->wanted;
    if (search->found || (wanted->id && wanted->id != row->id))
        return PM_OK;
    search->known = true;
    search->has_framework = !wanted->framework;
    PM_TRY(pm_store_scanned(search->store, row->id, see_framework, search, search->err));
    search->counted |= search->has_framework;
    search->found = search->has_framework && (!wanted->places || row->places);
    return search->found ? read_scan(search, row) : PM_OK;
}

/* Sets an error that says why no scan has the requested data. */
static int say_no_scan(const struct scan_search *search, const char *db, struct pm_error *err)
{
    const struct pm_usage_wanted *wanted = search->wanted;
    const long long id = (long long)wanted->id;
    const char *framework = wanted->framework ? wanted->framework : "FRAMEWORK";
    if (wanted->id && !search->known)
        return pm_error_set(err, PM_EUSAGE,
                            "database '%s' has no scan %lld: omit --scan to use the newest", db,
                            id);
    if (!search->known)
        return pm_error_set(err, PM_EUSAGE,
                            "database '%s' has no scan: run portmeter scan PATH... --framework F",
                            db);
    if (wanted->id && !search->counted)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld did not count names of %s: choose another --scan", id,
                            framework);
    if (!search->counted)
        return pm_error_set(err, PM_EUSAGE,
                            "database '%s' has no scan that counted %s: run portmeter scan PATH... "
                            "--framework %s",
                            db, framework, framework);
    return pm_error_set(err, PM_EUSAGE,
                        "%s '%s' did not store every use: run portmeter scan PATH... "
                        "--framework %s --store-uses",
                        wanted->id ? "the chosen scan of" : "the scans of", db, framework);
}

struct scanned_search {
    struct pm_usage *scan;
    const char *framework;
};

static int keep_scanned(void *ctx, const struct pm_scanned_row *row)
{
    struct scanned_search *search = ctx;
    struct pm_usage *scan = search->scan;
    if (search->framework && strcmp(search->framework, row->framework))
        return PM_OK;
    PM_GROW(scan->frameworks, scan->count, scan->capacity);
    scan->frameworks[scan->count++] = (struct pm_usage_of){
        .framework = pm_strdup(row->framework),
        .inventory_id = row->inventory_id,
        .paper_files = row->paper_files,
        .importing_files = row->importing_files,
        .unlisted = row->unlisted,
    };
    return PM_OK;
}

struct version_search {
    int64_t inventory_id;
    char *version;
};

static int keep_version(void *ctx, const struct pm_inventory_row *row)
{
    struct version_search *search = ctx;
    if (row->id == search->inventory_id && !search->version)
        search->version = pm_strdup(row->version);
    return PM_OK;
}

static int keep_frequency(void *ctx, const struct pm_frequency_row *row)
{
    struct pm_usage_ranking *ranking = ctx;
    PM_GROW(ranking->items, ranking->count, ranking->capacity);
    ranking->items[ranking->count++] = (struct pm_usage_name){
        .name = pm_strdup(row->name),
        .kind = row->kind,
        .uses = row->uses,
        .files = row->files,
        .repositories = row->repositories,
        .resolved = row->resolved,
        .possible_method = row->possible_method,
        .other = row->other,
        .references = row->references,
        .instance_calls = row->instance_calls,
        .possible = row->possible,
    };
    ranking->uses += row->uses;
    ranking->resolved += row->resolved;
    ranking->possible_method += row->possible_method;
    ranking->other += row->other;
    ranking->instance_calls += row->instance_calls;
    ranking->possible += row->possible;
    return PM_OK;
}

static int load_framework(struct pm_usage_of *f, struct pm_store *store, int64_t scan_id,
                          struct pm_error *err)
{
    struct version_search search = {.inventory_id = f->inventory_id};
    const int rc = pm_store_inventory_list(store, f->framework, keep_version, &search, err);
    f->version = search.version ? search.version : pm_strdup("");
    PM_TRY(rc);
    PM_TRY(pm_store_frequencies(store, scan_id, f->framework, PM_RULE_PAPER, keep_frequency,
                                &f->paper, err));
    PM_TRY(pm_store_frequencies(store, scan_id, f->framework, PM_RULE_RESOLVED, keep_frequency,
                                &f->resolved, err));
    return pm_store_frequencies(store, scan_id, f->framework, PM_RULE_INFERRED, keep_frequency,
                                &f->inferred, err);
}

static int load_frameworks(struct pm_usage *scan, struct pm_store *store,
                           struct scanned_search *search, struct pm_error *err)
{
    PM_TRY(pm_store_scanned(store, scan->id, keep_scanned, search, err));
    if (!scan->count)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld did not count a framework: choose another --scan",
                            (long long)scan->id);
    for (size_t i = 0; i < scan->count; i++)
        PM_TRY(load_framework(&scan->frameworks[i], store, scan->id, err));
    return PM_OK;
}

int pm_usage_load(struct pm_usage *scan, struct pm_store *store, const char *db,
                  const struct pm_usage_wanted *wanted, struct pm_error *err)
{
    struct scan_search search = {.scan = scan, .store = store, .err = err, .wanted = wanted};
    struct scanned_search scanned = {.scan = scan, .framework = wanted->framework};
    PM_TRY(pm_store_scans(store, keep_scan, &search, err));
    if (!search.found)
        return say_no_scan(&search, db, err);
    return load_frameworks(scan, store, &scanned, err);
}

static void ranking_release(struct pm_usage_ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++) {
        free(ranking->items[i].name);
    }
    free(ranking->items);
}

void pm_usage_release(struct pm_usage *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        struct pm_usage_of *f = &scan->frameworks[i];
        ranking_release(&f->paper);
        ranking_release(&f->resolved);
        ranking_release(&f->inferred);
        free(f->framework);
        free(f->version);
    }
    free(scan->frameworks);
    free(scan->started);
    free(scan->missing);
    json_decref(scan->options);
    json_decref(scan->totals);
    json_decref(scan->damages);
    *scan = (struct pm_usage){0};
}

static int see_scan(void *ctx, const struct pm_scan_row *row)
{
    bool *any = ctx;
    (void)row;
    *any = true;
    return PM_OK;
}

int pm_usage_any(struct pm_store *store, bool *any, struct pm_error *err)
{
    *any = false;
    return pm_store_scans(store, see_scan, any, err);
}

/* ---- lines, sums ---------------------------------------------------------------------------- */

/* Appends a text such as "1 input", "2 inputs". */
static void add_count(struct pm_str *text, const json_t *totals, const char *key, const char *word)
{
    const int64_t count = pm_json_int(totals, key, 0);
    pm_text_count(text, count);
    pm_str_addf(text, " %s%s", word, pm_plural(count));
}

static void add_damage(const struct pm_usage *scan, struct pm_report *report)
{
    const json_t *first = json_array_get(scan->damages, 0);
    if (!pm_json_int(scan->totals, "damages", 0))
        return;
    struct pm_str text = PM_STR_INIT;
    add_count(&text, scan->totals, "damages", "unreadable place");
    if (first)
        pm_str_addf(&text, ", the first in '%s' at byte %lld: %s",
                    pm_json_string(first, "input", "?"), (long long)pm_json_int(first, "offset", 0),
                    pm_json_string(first, "what", ""));
    pm_report_line(report, "damage", text.data);
    pm_str_release(&text);
}

static void add_paths(struct pm_str *text, const json_t *paths)
{
    enum { SHOWN = 3 };
    const size_t count = json_array_size(paths);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const char *path = json_string_value(json_array_get(paths, i));
        pm_str_addf(text, "%s%s", i ? ", " : ": ", path ? path : "?");
    }
    if (count > SHOWN)
        pm_str_addf(text, " and %zu more", count - SHOWN);
}

/* Adds a line for each framework whose names, for the paper's rule, come from a flat list. Without
 * such a list, the names come from the inventory. */
static void add_paper_names(const struct pm_usage *scan, struct pm_report *report)
{
    const json_t *flat = json_object_get(scan->options, "flat");
    const char *label = "paper's names";
    for (size_t i = 0; i < scan->count; i++) {
        const json_t *list = json_object_get(flat, scan->frameworks[i].framework);
        if (!list)
            continue;
        char *text =
            pm_format("%s  %s", scan->frameworks[i].framework, pm_json_string(list, "file", "?"));
        pm_report_line(report, label, text);
        label = "";
        free(text);
    }
}

void pm_usage_add_lines(const struct pm_usage *scan, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    add_count(&text, scan->totals, "files", "Python file");
    pm_str_add(&text, ", ");
    pm_text_bytes(&text, pm_json_int(scan->totals, "text_bytes", 0));
    pm_str_add(&text, ", of ");
    add_count(&text, scan->totals, "inputs", "input");
    add_paths(&text, json_object_get(scan->options, "paths"));
    pm_report_line(report, "corpus", text.data);
    pm_str_release(&text);
    if (scan->missing)
        pm_report_line(report, "shards", scan->missing);
    add_paper_names(scan, report);
    add_damage(scan, report);
}

size_t pm_usage_reach(const struct pm_usage_ranking *ranking, double share)
{
    double sum = 0;
    size_t i = 0;
    while (i < ranking->count && sum < share * (double)ranking->uses)
        sum += (double)ranking->items[i++].uses;
    return i;
}
