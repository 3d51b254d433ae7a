/* Scans: how often code uses the names of frameworks. */
#include "store/scans.h"
#include "store/store_private.h"
#include "store/word.h"

int pm_store_add_scan(struct pm_store *store, const struct pm_scan_row *scan, int64_t *id,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO scan (started, finished, options, totals, damages,"
                             " types, places) VALUES (?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_text(&q, scan->started);
    pm_store__bind_text(&q, scan->finished);
    pm_store__bind_message_json(&q, scan->options);
    pm_store__bind_text(&q, scan->totals);
    pm_store__bind_message_json(&q, scan->damages);
    pm_store__bind_int(&q, scan->types);
    pm_store__bind_int(&q, scan->places);
    return pm_store__run(&q, id, NULL, err);
}

static void read_scan(struct pm_store__query *q, struct pm_scan_row *row)
{
    row->id = pm_store__row(q, "scan");
    row->started = pm_store__time(q, PM_STORE__NEEDED);
    row->finished = pm_store__time(q, PM_STORE__NEEDED);
    row->options = pm_store__json(q, PM_STORE__NEEDED);
    row->totals = pm_store__json(q, PM_STORE__NEEDED);
    row->damages = pm_store__json(q, PM_STORE__NEEDED);
    row->types = pm_store__flag(q);
    row->places = pm_store__flag(q);
}

int pm_store_scans(struct pm_store *store, pm_scan_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT id, started, finished, options, totals, damages, types, places"
                             " FROM scan ORDER BY finished DESC, id DESC",
                             &q, err));
    PM_STORE__GIVE_ROWS(&q, struct pm_scan_row, read_scan, row, ctx, err);
}

int pm_store_add_scanned(struct pm_store *store, const struct pm_scanned_row *row,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO scanned (scan_id, framework, inventory_id, study_files,"
                             " importing_files, unlisted) VALUES (?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->scan_id);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_int(&q, row->inventory_id);
    pm_store__bind_int(&q, row->study_files);
    pm_store__bind_int(&q, row->importing_files);
    pm_store__bind_int(&q, row->unlisted);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_scanned(struct pm_store__query *q, struct pm_scanned_row *row)
{
    row->scan_id = pm_store__row(q, "framework of scan");
    row->framework = pm_store__line(q);
    row->inventory_id = pm_store__id(q);
    row->study_files = pm_store__count(q);
    row->importing_files = pm_store__count(q);
    row->unlisted = pm_store__count(q);
}

int pm_store_scanned(struct pm_store *store, int64_t scan_id, pm_scanned_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT scan_id, framework, inventory_id, study_files,"
                             " importing_files, unlisted FROM scanned WHERE scan_id = ?"
                             " ORDER BY framework",
                             &q, err));
    pm_store__bind_int(&q, scan_id);
    PM_STORE__GIVE_ROWS(&q, struct pm_scanned_row, read_scanned, row, ctx, err);
}

int pm_store_add_unlisted(struct pm_store *store, const struct pm_unlisted_row *row,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO unlisted (scan_id, framework, name, calls, files)"
                             " VALUES (?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->scan_id);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, row->name);
    pm_store__bind_int(&q, row->calls);
    pm_store__bind_int(&q, row->files);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_unlisted(struct pm_store__query *q, struct pm_unlisted_row *row)
{
    row->scan_id = pm_store__row(q, "unlisted name of scan");
    row->framework = pm_store__line(q);
    row->name = pm_store__line(q);
    row->calls = pm_store__count(q);
    row->files = pm_store__count(q);
}

int pm_store_unlisted(struct pm_store *store, int64_t scan_id, const char *framework,
                      pm_unlisted_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT scan_id, framework, name, calls, files FROM unlisted"
                             " WHERE scan_id = ? AND framework = ? ORDER BY calls DESC, name",
                             &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_text(&q, framework);
    PM_STORE__GIVE_ROWS(&q, struct pm_unlisted_row, read_unlisted, row, ctx, err);
}

int pm_store_add_frequency(struct pm_store *store, const struct pm_frequency_row *row,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO frequency (scan_id, framework, rule, name, kind, uses,"
                             " files, repositories, resolved, possible_method, other, referenced,"
                             " rebound, instance_calls, possible)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->scan_id);
    pm_store__bind_text(&q, row->framework);
    pm_store__bind_text(&q, pm_rule_text(row->rule));
    pm_store__bind_text(&q, row->name);
    pm_store__bind_text(&q, pm_name_kind_text(row->kind));
    pm_store__bind_int(&q, row->uses);
    pm_store__bind_int(&q, row->files);
    pm_store__bind_int(&q, row->repositories);
    pm_store__bind_int(&q, row->resolved);
    pm_store__bind_int(&q, row->possible_method);
    pm_store__bind_int(&q, row->other);
    pm_store__bind_int(&q, row->references);
    pm_store__bind_int(&q, row->rebound);
    pm_store__bind_int(&q, row->instance_calls);
    pm_store__bind_int(&q, row->possible);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_frequency(struct pm_store__query *q, struct pm_frequency_row *frequency)
{
    frequency->scan_id = pm_store__row(q, "frequency of scan");
    frequency->framework = pm_store__line(q);
    frequency->rule = PM_STORE__WORD(q, rule);
    frequency->name = pm_store__line(q);
    frequency->kind = PM_STORE__WORD(q, name_kind);
    frequency->uses = pm_store__count(q);
    frequency->files = pm_store__count(q);
    frequency->repositories = pm_store__count(q);
    frequency->resolved = pm_store__count(q);
    frequency->possible_method = pm_store__count(q);
    frequency->other = pm_store__count(q);
    frequency->references = pm_store__count(q);
    frequency->rebound = pm_store__count(q);
    frequency->instance_calls = pm_store__count(q);
    frequency->possible = pm_store__count(q);
}

int pm_store_frequencies(struct pm_store *store, int64_t scan_id, const char *framework,
                         enum pm_rule rule, pm_frequency_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT scan_id, framework, rule, name, kind, uses, files,"
                             " repositories, resolved, possible_method, other, referenced, rebound,"
                             " instance_calls, possible"
                             " FROM frequency WHERE scan_id = ?1"
                             " AND (?2 IS NULL OR framework = ?2) AND (?3 IS NULL OR rule = ?3)"
                             " ORDER BY framework, rule, uses DESC, name",
                             &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_change(&q, framework);
    pm_store__bind_change(&q, rule == PM_RULE_COUNT ? NULL : pm_rule_text(rule));
    PM_STORE__GIVE_ROWS(&q, struct pm_frequency_row, read_frequency, row, ctx, err);
}
