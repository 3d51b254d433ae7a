/* Stores scans: how often code uses the names of frameworks. */
#include "base/plural.h"
#include "store/connection.h"
#include "store/description.h"
#include "store/scans.h"

static const struct pm_store__column scan_columns[] = {
    {"id", PM_STORE__NAMING(scan, id, "scan"), PM_STORE__GIVEN},
    {"started", PM_STORE__TIME(scan, started)},
    {"finished", PM_STORE__TIME(scan, finished)},
    {"options", PM_STORE__JSON(scan, options), PM_STORE__HIDDEN},
    {"totals", PM_STORE__JSON(scan, totals)},
    {"damages", PM_STORE__JSON(scan, damages), PM_STORE__HIDDEN},
    {"types", PM_STORE__FLAG(scan, types)},
    {"places", PM_STORE__FLAG(scan, places)},
};
static const struct pm_store__rows scans = PM_STORE__ROWS("scan", "scan", scan_columns);

int pm_store_add_scan(struct pm_store *store, const struct pm_scan_row *scan, int64_t *id,
                      struct pm_error *err)
{
    return pm_store__add(store, &scans, scan, id, err);
}

int pm_store_scans(struct pm_store *store, pm_scan_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &scans, " ORDER BY finished DESC, id DESC", &q, err));
    PM_STORE__GIVE_ROWS(&q, &scans, struct pm_scan_row, row, ctx, err);
}

static const struct pm_store__column scanned_columns[] = {
    {"scan_id", PM_STORE__NAMING(scanned, scan_id, "framework of scan")},
    {"framework", PM_STORE__LINE(scanned, framework)},
    {"inventory_id", PM_STORE__ID(scanned, inventory_id)},
    {"paper_files", PM_STORE__COUNT(scanned, paper_files)},
    {"importing_files", PM_STORE__COUNT(scanned, importing_files)},
    {"unlisted", PM_STORE__COUNT(scanned, unlisted)},
};
static const struct pm_store__rows scanned = PM_STORE__ROWS("scanned", "scanned", scanned_columns);

int pm_store_add_scanned(struct pm_store *store, const struct pm_scanned_row *row,
                         struct pm_error *err)
{
    return pm_store__add(store, &scanned, row, NULL, err);
}

int pm_store_scanned(struct pm_store *store, int64_t scan_id, pm_scanned_fn *row, void *ctx,
                     struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &scanned, " WHERE scan_id = ? ORDER BY framework", &q, err));
    pm_store__bind_int(&q, scan_id);
    PM_STORE__GIVE_ROWS(&q, &scanned, struct pm_scanned_row, row, ctx, err);
}

static const struct pm_store__column unlisted_columns[] = {
    {"scan_id", PM_STORE__NAMING(unlisted, scan_id, "unlisted name of scan")},
    {"framework", PM_STORE__LINE(unlisted, framework)},
    {"name", PM_STORE__LINE(unlisted, name)},
    {"calls", PM_STORE__COUNT(unlisted, calls)},
    {"files", PM_STORE__COUNT(unlisted, files)},
};
static const struct pm_store__rows unlisted =
    PM_STORE__ROWS("unlisted", "unlisted", unlisted_columns);

int pm_store_add_unlisted(struct pm_store *store, const struct pm_unlisted_row *row,
                          struct pm_error *err)
{
    return pm_store__add(store, &unlisted, row, NULL, err);
}

int pm_store_unlisted(struct pm_store *store, int64_t scan_id, const char *framework,
                      pm_unlisted_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &unlisted,
                            " WHERE scan_id = ? AND framework = ? ORDER BY calls DESC, name", &q,
                            err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_text(&q, framework);
    PM_STORE__GIVE_ROWS(&q, &unlisted, struct pm_unlisted_row, row, ctx, err);
}

static const struct pm_store__column frequency_columns[] = {
    {"scan_id", PM_STORE__NAMING(frequency, scan_id, "frequency of scan")},
    {"framework", PM_STORE__LINE(frequency, framework)},
    {"rule", PM_STORE__WORD(frequency, rule, rule)},
    {"name", PM_STORE__LINE(frequency, name)},
    {"kind", PM_STORE__WORD(frequency, kind, name_kind)},
    {"uses", PM_STORE__COUNT(frequency, uses)},
    {"files", PM_STORE__COUNT(frequency, files)},
    {"repositories", PM_STORE__COUNT(frequency, repositories)},
    {"resolved", PM_STORE__COUNT(frequency, resolved)},
    {"possible_method", PM_STORE__COUNT(frequency, possible_method)},
    {"other", PM_STORE__COUNT(frequency, other)},
    {"referenced", PM_STORE__COUNT(frequency, references)},
    {"rebound", PM_STORE__COUNT(frequency, rebound)},
    {"instance_calls", PM_STORE__COUNT(frequency, instance_calls)},
    {"possible", PM_STORE__COUNT(frequency, possible)},
};
static const struct pm_store__rows frequencies =
    PM_STORE__ROWS("frequency", "frequency", frequency_columns);

int pm_store_add_frequency(struct pm_store *store, const struct pm_frequency_row *row,
                           struct pm_error *err)
{
    return pm_store__add(store, &frequencies, row, NULL, err);
}

int pm_store_frequencies_begin(struct pm_store *store, struct pm_error *err)
{
    return pm_store__exec(store, "PRAGMA ignore_check_constraints = ON", err);
}

/* Fails if a row of the scan breaks a constraint. */
static int check_frequencies(struct pm_store *store, int64_t scan_id, struct pm_error *err)
{
    struct pm_constraints found;
    struct pm_str sql = PM_STR_INIT;
    int64_t broken = 0;
    PM_TRY(pm_store_constraints(store, "frequency", &found, err));
    pm_str_addf(&sql, "SELECT count(*) FROM frequency WHERE scan_id = %lld AND NOT (",
                (long long)scan_id);
    for (size_t i = 0; i < found.count; i++)
        pm_str_addf(&sql, "%s(%s)", i ? " AND " : "", found.items[i]);
    pm_str_add(&sql, ")");
    int rc = pm_store__number(store, sql.data, &broken, err);
    if (!rc && broken)
        rc = pm_error_set(err, PM_EFORMAT,
                          "%lld count%s of scan %lld do%s not fit the schema of '%s': report "
                          "this fault of portmeter",
                          (long long)broken, pm_plural(broken), (long long)scan_id,
                          broken == 1 ? "es" : "", store->path);
    pm_str_release(&sql);
    pm_constraints_release(&found);
    return rc;
}

int pm_store_frequencies_end(struct pm_store *store, int64_t scan_id, int rc, struct pm_error *err)
{
    const int off = pm_store__exec(store, "PRAGMA ignore_check_constraints = OFF", rc ? NULL : err);
    PM_TRY(rc ? rc : off);
    return check_frequencies(store, scan_id, err);
}

int pm_store_frequencies(struct pm_store *store, int64_t scan_id, const char *framework,
                         enum pm_rule rule, pm_frequency_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &frequencies,
                            " WHERE scan_id = ?1 AND (?2 IS NULL OR framework = ?2)"
                            " AND (?3 IS NULL OR rule = ?3)"
                            " ORDER BY framework, rule, uses DESC, name",
                            &q, err));
    pm_store__bind_int(&q, scan_id);
    pm_store__bind_change(&q, framework);
    pm_store__bind_change(&q, rule == PM_RULE_COUNT ? NULL : pm_rule_text(rule));
    PM_STORE__GIVE_ROWS(&q, &frequencies, struct pm_frequency_row, row, ctx, err);
}
