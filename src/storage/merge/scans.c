/* Makes one scan of the shards of a divided scan: finds the scan to which a shard belongs, and adds
 * up the counts. */
#include "merge/merge_private.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "store/connection.h"
#include "store/shards.h"

/* A shard of a divided scan. */
struct scan_part {
    int64_t number, projects;
    char *uuid;
};

/* A scan with its shards, in the current file or in the database. */
struct scan_family {
    int64_t scan;
    int64_t count, total;
    char *plan, *inputs, *command;
    struct scan_part *parts; /* in the order in which they were found */
    size_t part_count, part_capacity;
    bool is_met;             /* a file of this merge has a shard of it */
    bool is_new, is_changed; /* this merge added or changed it */
};

struct family_list {
    struct scan_family *items;
    size_t count, capacity;
};

struct pm_merge__scans {
    struct family_list here, there; /* scans of the database, and of the current file */
};

/* ---- reading --------------------------------------------------------------------------------- */

static struct scan_family *find_scan(const struct family_list *list, int64_t scan)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].scan == scan)
            return &list->items[i];
    return NULL;
}

static struct scan_family *add_family(struct family_list *list, const struct pm_scan_shard_row *row)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count] = (struct scan_family){.scan = row->scan_id,
                                                    .count = row->count,
                                                    .total = row->total,
                                                    .plan = pm_strdup(row->plan),
                                                    .inputs = pm_strdup(row->inputs),
                                                    .command = pm_strdup(row->command)};
    return &list->items[list->count++];
}

static void add_part(struct scan_family *family, int64_t number, int64_t projects, const char *uuid)
{
    PM_GROW(family->parts, family->part_count, family->part_capacity);
    family->parts[family->part_count++] =
        (struct scan_part){.number = number, .projects = projects, .uuid = pm_strdup(uuid)};
}

static int keep_part(void *ctx, const struct pm_scan_shard_row *row)
{
    struct family_list *list = ctx;
    struct scan_family *family = find_scan(list, row->scan_id);
    add_part(family ? family : add_family(list, row), row->number, row->projects, row->uuid);
    return PM_OK;
}

static void release_list(struct family_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct scan_family *family = &list->items[i];
        for (size_t k = 0; k < family->part_count; k++)
            free(family->parts[k].uuid);
        free(family->parts);
        free(family->plan);
        free(family->inputs);
        free(family->command);
    }
    free(list->items);
    *list = (struct family_list){0};
}

int pm_merge__scans_read(struct pm_merge__context *c)
{
    c->scans = pm_alloc(sizeof *c->scans);
    return pm_store_scan_shards(c->into, 0, keep_part, &c->scans->here, c->err);
}

int pm_merge__scan_parts_read(struct pm_merge__context *c)
{
    release_list(&c->scans->there);
    const int rc = pm_store_scan_shards(c->from, 0, keep_part, &c->scans->there, c->err);
    c->has_scan_parts = c->scans->there.count > 0;
    return rc;
}

bool pm_merge__is_scan_part(const struct pm_merge__context *c, int64_t old)
{
    return find_scan(&c->scans->there, old) != NULL;
}

void pm_merge__scans_release(struct pm_merge__scans *scans)
{
    if (!scans)
        return;
    release_list(&scans->here);
    release_list(&scans->there);
    free(scans);
}

/* ---- differences of plans -------------------------------------------------------------------- */

/* Reads the request of a scan as JSON: its options, whether it inferred types and stored uses, and
 * the inventories whose names it counted. */
static int read_facts(struct pm_store *store, int64_t scan, json_t **out, struct pm_error *err)
{
    sqlite3_stmt *select = NULL;
    PM_TRY(pm_merge__prepare(
        store,
        "SELECT options -> '$.paths' AS paths, options -> '$.frameworks' AS frameworks,"
        " (SELECT json_group_object(s.framework, i.version) FROM scanned s JOIN"
        " inventory i ON i.id = inventory_id WHERE scan_id = scan.id) AS version,"
        " (SELECT json_group_array(i.digest) FROM scanned s JOIN inventory i ON i.id ="
        " inventory_id WHERE scan_id = scan.id) AS inventory,"
        " (SELECT json_group_array(value ->> '$.file') FROM json_each(options,"
        " '$.flat')) AS \"flat list\", options -> '$.every_file' AS \"--every-file\","
        " types AS \"inference of types\", places AS \"--store-uses\" FROM scan"
        " WHERE id = ?",
        &select, err));
    sqlite3_bind_int64(select, 1, scan);
    *out = json_object();
    if (sqlite3_step(select) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(select); i++) {
            const char *text = (const char *)sqlite3_column_text(select, i);
            json_object_set_new(*out, sqlite3_column_name(select, i),
                                text ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null());
        }
    sqlite3_finalize(select);
    return PM_OK;
}

/* Returns a text about the first difference; NULL if there is none. The caller frees it. */
static char *compare_facts(const json_t *here, const json_t *there)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)there, key, value) {
        const json_t *other = json_object_get(here, key);
        if (json_equal(value, other))
            continue;
        if (!strcmp(key, "inventory"))
            return pm_strdup("another inventory of the same version");
        return pm_merge__value_difference(key, value, other);
    }
    return NULL;
}

static int refuse_plan(struct pm_merge__context *c, const struct scan_family *there,
                       const struct scan_family *here)
{
    json_t *a = NULL, *b = NULL;
    char *why = there->count != here->count
                    ? pm_format("%lld shards instead of %lld", (long long)there->count,
                                (long long)here->count)
                    : NULL;
    int rc = why ? PM_OK : read_facts(c->into, here->scan, &a, c->err);
    if (!rc && !why)
        rc = read_facts(c->from, there->scan, &b, c->err);
    if (!rc && !why)
        why = compare_facts(a, b);
    if (!rc)
        rc = pm_error_set(c->err, PM_EUSAGE,
                          "shard %lld/%lld in '%s' belongs to another plan (%s): merge it into "
                          "another database, or use --apart",
                          (long long)there->parts[0].number, (long long)there->count, c->file,
                          why ? why : "another version of portmeter or of a flat list");
    json_decref(a);
    json_decref(b);
    free(why);
    return rc;
}

/* ---- the scan of a shard --------------------------------------------------------------------- */

static int64_t projects_of(const struct scan_family *family)
{
    int64_t projects = 0;
    for (size_t i = 0; i < family->part_count; i++)
        projects += family->parts[i].projects;
    return projects;
}

static bool is_complete(const struct scan_family *family)
{
    return projects_of(family) == family->total;
}

static const struct scan_part *find_part(const struct scan_family *family, int64_t number)
{
    for (size_t i = 0; i < family->part_count; i++)
        if (family->parts[i].number == number)
            return &family->parts[i];
    return NULL;
}

static int refuse_inputs(struct pm_merge__context *c, const struct scan_family *there,
                         const struct scan_family *here)
{
    const long long number = there->parts[0].number, count = there->count;
    if (there->total == here->total)
        return pm_error_set(c->err, PM_EUSAGE,
                            "shard %lld/%lld in '%s' read files that differ in name or size from "
                            "those of the other shards: give its node the same files and scan "
                            "again, or use --apart",
                            number, count, c->file);
    return pm_error_set(c->err, PM_EUSAGE,
                        "shard %lld/%lld in '%s' found %lld projects, and the other shards found "
                        "%lld: give its node the same files and scan again, or use --apart",
                        number, count, c->file, (long long)there->total, (long long)here->total);
}

static int refuse_twice(struct pm_merge__context *c, const struct scan_family *there,
                        int64_t number)
{
    return pm_error_set(c->err, PM_EUSAGE,
                        "shard %lld/%lld in '%s' was scanned a second time: omit this file, or "
                        "merge it into another database",
                        (long long)number, (long long)there->count, c->file);
}

static int refuse_overlap(struct pm_merge__context *c, const struct scan_family *there,
                          int64_t number)
{
    return pm_error_set(
        c->err, PM_EUSAGE,
        "'%s' contains shard %lld/%lld merged with others, but the database already has that "
        "shard: name this file before the shards, or merge it into another database",
        c->file, (long long)number, (long long)there->count);
}

/* Finds the scan to which the shards belong. Sets *out to NULL if they become a new scan. */
static int find_family(struct pm_merge__context *c, const struct scan_family *there,
                       struct scan_family **out)
{
    const struct family_list *list = &c->scans->here;
    const struct scan_family *open = NULL, *unlike = NULL;
    *out = NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct scan_family *here = &list->items[i];
        if (!strcmp(here->plan, there->plan) && !strcmp(here->inputs, there->inputs)) {
            *out = here;
            return PM_OK;
        }
        if (!strcmp(here->plan, there->plan))
            unlike = here;
        else if (!open && (here->is_met || !is_complete(here)))
            open = here;
    }
    if (c->apart)
        return PM_OK;
    return unlike ? refuse_inputs(c, there, unlike) : open ? refuse_plan(c, there, open) : PM_OK;
}

/* Sets *is_new to whether all shards are new. PM_EUSAGE if only some are new, or if one was scanned
 * a second time. */
static int decide(struct pm_merge__context *c, const struct scan_family *there,
                  const struct scan_family *here, bool *is_new)
{
    size_t known = 0;
    int64_t number = 0;
    for (size_t i = 0; i < there->part_count; i++) {
        const struct scan_part *part = &there->parts[i], *same = find_part(here, part->number);
        if (same && strcmp(same->uuid, part->uuid) != 0)
            return refuse_twice(c, there, part->number);
        number = same ? part->number : number;
        known += same != NULL;
    }
    *is_new = known == 0;
    return known && known < there->part_count ? refuse_overlap(c, there, number) : PM_OK;
}

int pm_merge__scan_place(struct pm_merge__context *c, int64_t old, struct row_id *row)
{
    const struct scan_family *there = find_scan(&c->scans->there, old);
    struct scan_family *here;
    *row = (struct row_id){.old = old, .is_new = true};
    PM_TRY(find_family(c, there, &here));
    row->id = here ? here->scan : 0;
    return here ? decide(c, there, here, &row->is_new) : PM_OK;
}

/* ---- joining --------------------------------------------------------------------------------- */

struct scan_sums {
    char started[32], finished[32];
    json_t *totals, *damages;
};

static int read_sums(struct pm_store *store, int64_t scan, struct scan_sums *out,
                     struct pm_error *err)
{
    sqlite3_stmt *select = NULL;
    PM_TRY(pm_merge__prepare(
        store, "SELECT started, finished, totals, damages FROM scan WHERE id = ?", &select, err));
    sqlite3_bind_int64(select, 1, scan);
    const char *text[4] = {NULL, NULL, NULL, NULL};
    if (sqlite3_step(select) == SQLITE_ROW)
        for (int i = 0; i < 4; i++)
            text[i] = (const char *)sqlite3_column_text(select, i);
    snprintf(out->started, sizeof out->started, "%s", text[0] ? text[0] : "");
    snprintf(out->finished, sizeof out->finished, "%s", text[1] ? text[1] : "");
    out->totals = text[2] ? json_loads(text[2], 0, NULL) : NULL;
    out->damages = text[3] ? json_loads(text[3], 0, NULL) : NULL;
    const bool sound = json_is_object(out->totals) && json_is_array(out->damages);
    sqlite3_finalize(select);
    return sound
               ? PM_OK
               : pm_store_damaged(
                     store, err,
                     "column 'totals' of row 'scan %lld' is not an object, or 'damages' not a list",
                     (long long)scan);
}

/* Joins two lists of damage. Each is in the order in which an undivided scan reads the inputs, and
 * an input is in only one of them. */
static json_t *joined_damages(const json_t *left, const json_t *right)
{
    json_t *joined = json_array();
    size_t i = 0, k = 0;
    while (i < json_array_size(left) || k < json_array_size(right)) {
        json_t *a = json_array_get(left, i), *b = json_array_get(right, k);
        const bool first = !b || (a && pm_json_int(a, "number", 0) < pm_json_int(b, "number", 0));
        json_array_append(joined, first ? a : b);
        i += first;
        k += !first;
    }
    return joined;
}

static void add_sums(struct scan_sums *to, const struct scan_sums *from)
{
    const char *key;
    json_t *value;
    if (strcmp(from->started, to->started) < 0)
        memcpy(to->started, from->started, sizeof to->started);
    if (strcmp(from->finished, to->finished) > 0)
        memcpy(to->finished, from->finished, sizeof to->finished);
    json_object_foreach(from->totals, key, value)
        json_object_set_new(
            to->totals, key,
            json_integer(json_integer_value(value) + pm_json_int(to->totals, key, 0)));
    json_t *damages = joined_damages(to->damages, from->damages);
    json_decref(to->damages);
    to->damages = damages;
}

static int write_sums(struct pm_merge__context *c, int64_t scan, const struct scan_sums *sums)
{
    sqlite3_stmt *update = NULL;
    char *texts[] = {pm_json_text(sums->totals), pm_json_text(sums->damages)};
    int rc =
        pm_merge__prepare(c->into,
                          "UPDATE scan SET started = ?2, finished = ?3, totals = ?4, damages = ?5"
                          " WHERE id = ?1",
                          &update, c->err);
    if (!rc) {
        sqlite3_bind_int64(update, 1, scan);
        sqlite3_bind_text(update, 2, sums->started, -1, SQLITE_STATIC);
        sqlite3_bind_text(update, 3, sums->finished, -1, SQLITE_STATIC);
        sqlite3_bind_text(update, 4, texts[0], -1, SQLITE_STATIC);
        sqlite3_bind_text(update, 5, texts[1], -1, SQLITE_STATIC);
        if (sqlite3_step(update) != SQLITE_DONE)
            rc = pm_store_failed(c->into, c->err);
    }
    sqlite3_finalize(update);
    free(texts[0]);
    free(texts[1]);
    return rc;
}

/* Adds the totals of the scan of the file to those of the scan of the database. */
static int add_scan(struct pm_merge__context *c, int64_t old, int64_t scan)
{
    struct scan_sums here = {0}, there = {0};
    int rc = read_sums(c->into, scan, &here, c->err);
    if (!rc)
        rc = read_sums(c->from, old, &there, c->err);
    if (!rc) {
        add_sums(&here, &there);
        rc = write_sums(c, scan, &here);
    }
    json_decref(here.totals);
    json_decref(here.damages);
    json_decref(there.totals);
    json_decref(there.damages);
    return rc;
}

static void tell(struct pm_merge__context *c, const struct scan_family *there, int64_t scan,
                 bool added)
{
    struct pm_merged *out = c->out;
    for (size_t i = 0; i < there->part_count; i++) {
        PM_GROW(out->shards, out->shard_count, out->shard_capacity);
        out->shards[out->shard_count++] = (struct pm_merged_shard){
            .file = c->file,
            .number = there->parts[i].number,
            .count = there->count,
            .functions = there->parts[i].projects,
            .run = scan,
            .is_scan = true,
            .added = added,
            .reason = pm_strdup(""),
            .latency_reason = pm_strdup(""),
        };
    }
}

int pm_merge__scan_join(struct pm_merge__context *c, const struct row_id *row)
{
    const struct scan_family *there = find_scan(&c->scans->there, row->old);
    struct scan_family *here = find_scan(&c->scans->here, row->id);
    if (here && row->is_new)
        PM_TRY(add_scan(c, row->old, row->id));
    if (!here) {
        const struct pm_scan_shard_row new = {.scan_id = row->id,
                                              .count = there->count,
                                              .total = there->total,
                                              .plan = there->plan,
                                              .inputs = there->inputs,
                                              .command = there->command};
        here = add_family(&c->scans->here, &new);
        here->is_new = true;
    }
    for (size_t i = 0; row->is_new && i < there->part_count; i++)
        add_part(here, there->parts[i].number, there->parts[i].projects, there->parts[i].uuid);
    here->is_met = true;
    here->is_changed |= row->is_new;
    tell(c, there, row->id, row->is_new);
    return PM_OK;
}

/* ---- the scan of all shards ------------------------------------------------------------------ */

/* The repositories that use a name, from all shards. */
struct users {
    char *framework, *name;
    enum pm_rule rule;
    uint64_t *digests;
    size_t count, capacity;
};

struct user_list {
    struct pm_map by_name; /* struct users */
};

static int keep_users(void *ctx, const struct pm_name_repositories_row *row)
{
    struct user_list *list = ctx;
    char *key = pm_format("%s %d %s", row->framework, (int)row->rule, row->name);
    struct users *users = pm_map_get(&list->by_name, key);
    if (!users) {
        users = pm_alloc(sizeof *users);
        *users = (struct users){.framework = pm_strdup(row->framework),
                                .name = pm_strdup(row->name),
                                .rule = row->rule};
        pm_map_put(&list->by_name, key, users);
    }
    for (size_t i = 0; i < row->count; i++) {
        PM_GROW(users->digests, users->count, users->capacity);
        users->digests[users->count++] = row->digests[i];
    }
    free(key);
    return PM_OK;
}

static int by_digest(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static size_t count_different(struct users *users)
{
    size_t different = users->count > 0;
    qsort(users->digests, users->count, sizeof *users->digests, by_digest);
    for (size_t i = 1; i < users->count; i++)
        different += users->digests[i] != users->digests[i - 1];
    return different;
}

/* Corrects the number of repositories that use a name, if one of them is in several shards. */
static int settle_users(struct pm_merge__context *c, int64_t scan, struct users *users,
                        sqlite3_stmt *update)
{
    const size_t different = count_different(users);
    if (different == users->count)
        return PM_OK;
    sqlite3_bind_int64(update, 1, scan);
    sqlite3_bind_text(update, 2, users->framework, -1, SQLITE_STATIC);
    sqlite3_bind_text(update, 3, pm_rule_text(users->rule), -1, SQLITE_STATIC);
    sqlite3_bind_text(update, 4, users->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(update, 5, (int64_t)different);
    const bool done = sqlite3_step(update) == SQLITE_DONE;
    sqlite3_reset(update);
    return done ? PM_OK : pm_store_failed(c->into, c->err);
}

/* Corrects the counts, so that a repository with files in several shards is counted once. */
static int settle_repositories(struct pm_merge__context *c, int64_t scan)
{
    struct user_list list = {{0}};
    sqlite3_stmt *update = NULL;
    int rc = pm_store_scan_repositories(c->into, scan, keep_users, &list, c->err);
    if (!rc)
        rc = pm_merge__prepare(
            c->into,
            "UPDATE frequency SET repositories = ?5 WHERE scan_id = ?1 AND framework = ?2"
            " AND rule = ?3 AND name = ?4",
            &update, c->err);
    for (size_t i = 0; i < list.by_name.capacity; i++) {
        struct users *users = list.by_name.entries[i].key ? list.by_name.entries[i].value : NULL;
        if (!users)
            continue;
        if (!rc)
            rc = settle_users(c, scan, users, update);
        free(users->framework);
        free(users->name);
        free(users->digests);
        free(users);
    }
    sqlite3_finalize(update);
    pm_map_release(&list.by_name);
    return rc;
}

static int drop_repositories(struct pm_merge__context *c, int64_t scan)
{
    sqlite3_stmt *delete = NULL;
    int rc = pm_merge__prepare(c->into, "DELETE FROM scan_repository WHERE scan_id = ?", &delete,
                               c->err);
    sqlite3_bind_int64(delete, 1, scan);
    if (!rc && sqlite3_step(delete) != SQLITE_DONE)
        rc = pm_store_failed(c->into, c->err);
    sqlite3_finalize(delete);
    return rc;
}

static void tell_family(struct pm_merge__context *c, const struct scan_family *family)
{
    struct pm_merged *out = c->out;
    PM_GROW(out->families, out->family_count, out->family_capacity);
    struct pm_merged_family *to = &out->families[out->family_count++];
    *to = (struct pm_merged_family){.run = family->scan,
                                    .is_scan = true,
                                    .count = family->count,
                                    .shards = (int64_t)family->part_count,
                                    .functions = projects_of(family),
                                    .total = family->total,
                                    .command = pm_strdup(family->command)};
    to->missing = pm_alloc((size_t)(family->count + 1) * sizeof *to->missing);
    for (int64_t number = 1; number <= family->count; number++)
        if (!find_part(family, number))
            to->missing[to->missing_count++] = number;
}

int pm_merge__scans_settle(struct pm_merge__context *c, size_t *made)
{
    *made = 0;
    const struct family_list *list = &c->scans->here;
    for (size_t i = 0; i < list->count; i++) {
        const struct scan_family *family = &list->items[i];
        *made += family->is_new;
        if (family->is_changed)
            PM_TRY(settle_repositories(c, family->scan));
        if (family->is_changed && is_complete(family))
            PM_TRY(drop_repositories(c, family->scan));
        if (family->is_met)
            tell_family(c, family);
    }
    return PM_OK;
}
