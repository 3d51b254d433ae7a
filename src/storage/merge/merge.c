/* Copies rows of other databases into this one, file by file, in one transaction. */
#include "merge/merge_private.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/privacy.h"
#include "store/connection.h"
#include "store/runs.h"

/* ---- runs ----------------------------------------------------------------------------------- */

/* Stores where a run came from, and changes the number of the sample in its options. */
static int note_source(struct pm_merge__context *c, int64_t id)
{
    const char *slash = strrchr(c->file, '/');
    char *file = pm_privacy_hidden(slash ? slash + 1 : c->file);
    sqlite3_stmt *update = NULL;
    int rc = pm_merge__prepare(
        c->into,
        "UPDATE run SET source = iif(source = '' AND kind = 'measured', ?, source),"
        " options = iif(sample_id IS NULL, options, json_set(options, '$.sample', sample_id))"
        " WHERE id = ?",
        &update, c->err);
    sqlite3_bind_text(update, 1, file, -1, SQLITE_STATIC);
    sqlite3_bind_int64(update, 2, id);
    if (!rc && sqlite3_step(update) != SQLITE_DONE)
        rc = pm_store_failed(c->into, c->err);
    sqlite3_finalize(update);
    free(file);
    return rc;
}

static int note_run(struct pm_merge__context *c, const struct row_id *row)
{
    struct pm_run_progress there, here;
    struct pm_merged *out = c->out;
    PM_TRY(pm_store_run_progress(c->from, row->old, &there, c->err));
    PM_TRY(pm_store_run_progress(c->into, row->id, &here, c->err));
    PM_GROW(out->runs, out->count, out->capacity);
    out->runs[out->count++] = (struct pm_merged_run){
        .file = c->file,
        .number = row->old,
        .id = row->id,
        .added = row->is_new,
        .done = there.done,
        .done_before = here.done,
    };
    out->added += row->is_new;
    return row->is_new ? note_source(c, row->id) : PM_OK;
}

static int note_runs(struct pm_merge__copier *m)
{
    const struct row_ids *runs = &m->ids[pm_merge__find_table("run")];
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->items[i].is_part)
            PM_TRY(note_run(&m->context, &runs->items[i]));
    return PM_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int merge_tables(struct pm_merge__copier *m)
{
    struct pm_merge__context *c = &m->context;
    PM_TRY(pm_store_begin(
        c->from, c->err)); /* reads one state of a file that another process may be writing */
    int rc = pm_merge__members_read(c);
    if (!rc)
        rc = pm_merge__scan_parts_read(c);
    for (int i = 0; i < PM_MERGE__TABLES && rc == PM_OK; i++)
        rc = pm_merge__tables[i].stays ? PM_OK : pm_merge__copy_table(m, i);
    if (rc == PM_OK)
        rc = note_runs(m);
    return pm_store_settle(c->from, rc, c->err);
}

static int merge_file(struct pm_merge__copier *m, const char *file)
{
    struct pm_merge__context *c = &m->context;
    c->file = file;
    PM_TRY(pm_store_open_unchanged(&c->from, file, c->err));
    const int rc = merge_tables(m);
    pm_store_free(c->from);
    for (int i = 0; i < PM_MERGE__TABLES; i++)
        m->ids[i].count = 0;
    return rc;
}

static bool leaves_shards_out(const struct pm_merged *merged)
{
    bool any = false;
    for (size_t i = 0; i < merged->shard_count; i++)
        any |= !merged->shards[i].added;
    return any;
}

static int merge_all(struct pm_merge__copier *m, const char *const *files, size_t count)
{
    struct pm_merge__context *c = &m->context;
    struct pm_merged *out = c->out;
    size_t divided; /* new scans that were made from shards */
    PM_TRY(pm_merge__families_read(c));
    PM_TRY(pm_merge__scans_read(c));
    for (size_t i = 0; i < count; i++) {
        const size_t before = m->new_rows[pm_merge__find_table("shard")];
        PM_TRY(merge_file(m, files[i]));
        if (m->new_rows[pm_merge__find_table("shard")] > before)
            PM_TRY(pm_merge__families_read(c));
    }
    PM_TRY(pm_merge__families_settle(c));
    PM_TRY(pm_merge__scans_settle(c, &divided));
    PM_TRY(pm_merge__check_changes(m));
    /* Cases and bytes belong to no run, so those of runs and shards that were not added were
     * copied too. */
    if (out->added < out->count || leaves_shards_out(out))
        PM_TRY(pm_store_drop_unused(c->into, c->err));
    out->inventories = m->new_rows[pm_merge__find_table("inventory")];
    out->scans = m->new_rows[pm_merge__find_table("scan")] - divided;
    out->samples = m->new_rows[pm_merge__find_table("sample")];
    out->annotations = m->new_rows[pm_merge__find_table("annotation")];
    return PM_OK;
}

/* Copies the rows in a transaction. Each reference is looked up before its row is stored, and the
 * constraints are checked when a row is read (tables.c), so SQLite need not check them again. */
static int in_transaction(struct pm_merge__copier *m, const char *const *files, size_t count)
{
    struct pm_merge__context *c = &m->context;
    m->db = pm_store_connection(c->into);
    if (sqlite3_exec(m->db,
                     "PRAGMA cache_size = -131072; PRAGMA foreign_keys = OFF;"
                     " PRAGMA ignore_check_constraints = ON",
                     NULL, NULL, NULL) != SQLITE_OK)
        return pm_store_failed(c->into, c->err);
    if (!pm_merge__incoming_add(m->db, &m->incoming))
        return pm_store_failed(c->into, c->err);
    PM_TRY(pm_store_begin_large(c->into, c->err));
    return pm_store_settle(c->into, merge_all(m, files, count), c->err);
}

static int check_files(const char *const *files, size_t count, const char *into,
                       struct pm_error *err)
{
    struct stat one, other;
    for (size_t i = 0; i < count; i++) {
        PM_TRY(pm_store_expect(files[i], err));
        if (stat(files[i], &one) == 0 && stat(into, &other) == 0 && one.st_dev == other.st_dev &&
            one.st_ino == other.st_ino)
            return pm_error_set(err, PM_EUSAGE,
                                "'%s' is the database that receives the runs: omit it from the "
                                "files, or name another database with --into",
                                files[i]);
    }
    return PM_OK;
}

int pm_merge(const char *const *files, size_t count, const char *into, bool apart,
             struct pm_merged *out, struct pm_error *err)
{
    struct pm_merge__families families = {0};
    struct pm_merge__copier m = {
        .context = {.apart = apart, .out = out, .families = &families, .err = err}};
    *out = (struct pm_merged){0};
    PM_TRY(check_files(files, count, into, err));
    const bool is_made = !pm_path_exists(into);
    PM_TRY(pm_store_open(&m.context.into, into, PM_STORE_WRITE, err));
    m.reader = pm_merge__reader_new();
    const int rc = in_transaction(&m, files, count);
    if (rc && is_made)
        unlink(into);
    pm_merge__reader_free(m.reader);
    pm_merge__routes_release(&m);
    pm_store_free(m.context.into);
    pm_merge__families_release(&families);
    pm_merge__scans_release(m.context.scans);
    for (int i = 0; i < PM_MERGE__TABLES; i++)
        free(m.ids[i].items);
    return rc;
}

void pm_merged_release(struct pm_merged *merged)
{
    for (size_t i = 0; i < merged->shard_count; i++) {
        free(merged->shards[i].reason);
        free(merged->shards[i].latency_reason);
    }
    for (size_t i = 0; i < merged->family_count; i++) {
        free(merged->families[i].missing);
        free(merged->families[i].command);
    }
    free(merged->shards);
    free(merged->families);
    free(merged->runs);
    *merged = (struct pm_merged){0};
}
