/* Runs statements, and turns SQLite's errors into codes and messages. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/privacy.h"
#include "base/stop.h"
#include "store/connection.h"
#include "store/store_private.h"

/* ---- errors -------------------------------------------------------------------------------- */

static const char REMEDY[] = "restore a backup copy, or measure again";

int pm_store_damaged(const struct pm_store *store, struct pm_error *err, const char *format, ...)
{
    char why[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return pm_error_set(err, PM_EFORMAT, "database '%s' is damaged: %s: %s", store->path, why,
                        REMEDY);
}

int pm_store_json(const struct pm_store *store, const char *text, json_t **out, const char *what,
                  int64_t row, const char *column, struct pm_error *err)
{
    *out = json_loads(text, 0, NULL);
    return *out ? PM_OK
                : pm_store_damaged(store, err, "column '%s' of row '%s %lld' is not JSON", column,
                                   what, (long long)row);
}

/* Returns whether a write failed because of a full disk, a quota or a limit. A quota and
 * RLIMIT_FSIZE reach SQLite as plain write errors. Its rollback usually overwrites their errno
 * before this function can read it, which is why 0 counts too. */
static bool is_without_room(struct pm_store *store, int extended)
{
    const int why = sqlite3_system_errno(store->db);
    return extended == SQLITE_FULL ||
           (extended == SQLITE_IOERR_WRITE &&
            (why == 0 || why == ENOSPC || why == EDQUOT || why == EFBIG));
}

static int disk_failed(struct pm_store *store, int extended, struct pm_error *err)
{
    if (is_without_room(store, extended))
        return pm_error_set(err, PM_EIO,
                            "no space left for '%s' (stored results are safe): free some space",
                            store->path);
    const int why = sqlite3_system_errno(store->db);
    return pm_error_set(err, PM_EIO, "cannot %s '%s': %s: check the disk and the permissions",
                        (extended & 0xff) == SQLITE_CANTOPEN ? "open" : "read or write",
                        store->path, why ? strerror(why) : sqlite3_errmsg(store->db));
}

static int readonly_failed(struct pm_store *store, int extended, struct pm_error *err)
{
    if (extended == SQLITE_READONLY_ROLLBACK)
        return pm_error_set(err, PM_EIO,
                            "a process was killed while it wrote '%s': make the file and its "
                            "folder writable, then try again",
                            store->path);
    return pm_error_set(err, PM_EIO, "'%s' or its folder is read-only: make both writable",
                        store->path);
}

/* Reports a row that a constraint of the schema refused. SQLite's message quotes the constraint,
 * which may have several lines. */
static int refused(const struct pm_store *store, struct pm_error *err)
{
    struct pm_str why = PM_STR_INIT;
    pm_line_add(&why, sqlite3_errmsg(store->db), 300);
    const int rc = pm_error_set(err, PM_EFORMAT,
                                "cannot store a row in '%s': %s: report this fault of portmeter",
                                store->path, why.data);
    pm_str_release(&why);
    return rc;
}

int pm_store__failed(struct pm_store *store, struct pm_error *err)
{
    const int extended = sqlite3_extended_errcode(store->db), primary = extended & 0xff;
    int rc;
    switch (primary) {
    case SQLITE_NOTADB:
        return pm_error_set(err, PM_EFORMAT, "'%s' is not a portmeter database: name another file",
                            store->path);
    case SQLITE_CORRUPT:
        rc = pm_store_damaged(store, err, "%s", sqlite3_errmsg(store->db));
        break;
    case SQLITE_READONLY:
        rc = readonly_failed(store, extended, err);
        break;
    case SQLITE_INTERRUPT:
        rc = pm_stop_check(err);
        break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        rc = store->ignores_stop
                 ? PM_OK
                 : pm_stop_check(err); /* the user's stop also ends the wait for another process */
        if (!rc)
            rc =
                pm_error_set(err, PM_EBUSY,
                             "another program uses database '%s': wait until it ends", store->path);
        break;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        rc = disk_failed(store, extended, err);
        break;
    case SQLITE_CONSTRAINT:
        return refused(store, err);
    default:
        return pm_error_set(err, PM_EFORMAT, "cannot use '%s': %s: report this fault of portmeter",
                            store->path, sqlite3_errmsg(store->db));
    }
    if (store->in_transaction && !sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int pm_store_failed(struct pm_store *store, struct pm_error *err)
{
    return pm_store__failed(store, err);
}

sqlite3 *pm_store_connection(const struct pm_store *store)
{
    return store->db;
}

int pm_store__lost(const struct pm_store *store, struct pm_error *err)
{
    return pm_error_set(err, PM_EIO, "an earlier error ended the transaction on '%s': try again",
                        store->path);
}

int pm_store__exec(struct pm_store *store, const char *sql, struct pm_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? PM_OK
               : pm_store__failed(store, err);
}

int pm_store__number(struct pm_store *store, const char *sql, int64_t *out, struct pm_error *err)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return pm_store__failed(store, err);
    const int rc = sqlite3_step(stmt) == SQLITE_ROW ? PM_OK : pm_store__failed(store, err);
    if (rc == PM_OK)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc;
}

/* ---- statements ---------------------------------------------------------------------------- */

static size_t cached_statement(const struct pm_store *store, const void *from, const char *literal)
{
    size_t slot = 0;
    while (slot < store->statement_count &&
           (store->statements[slot].literal != literal || store->statements[slot].from != from))
        slot++;
    return slot;
}

bool pm_store__prepare_known(struct pm_store *store, const void *from, const char *literal,
                             struct pm_store__query *q)
{
    const size_t slot = cached_statement(store, from, literal);
    *q = (struct pm_store__query){.store = store, .slot = slot};
    if (slot == store->statement_count || store->statements[slot].used)
        return false;
    store->statements[slot].used = true;
    q->stmt = store->statements[slot].stmt;
    return true;
}

int pm_store__prepare_new(struct pm_store__query *q, const void *from, const char *literal,
                          const char *sql, struct pm_error *err)
{
    struct pm_store *store = q->store;
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &q->stmt, NULL))
        return pm_store__failed(store, err);
    if (q->slot < store->statement_count) {
        q->slot = SIZE_MAX;
        return PM_OK;
    }
    PM_GROW(store->statements, store->statement_count, store->statement_capacity);
    store->statements[store->statement_count++] = (struct pm_store__statement){
        .from = from, .literal = literal, .stmt = q->stmt, .used = true};
    return PM_OK;
}

int pm_store__prepare_literal(struct pm_store *store, const char *sql, struct pm_store__query *q,
                              struct pm_error *err)
{
    return pm_store__prepare_known(store, NULL, sql, q)
               ? PM_OK
               : pm_store__prepare_new(q, NULL, sql, sql, err);
}

void pm_store__close(struct pm_store__query *q)
{
    if (q->slot == SIZE_MAX) {
        sqlite3_finalize(q->stmt);
    } else {
        sqlite3_reset(q->stmt);
        sqlite3_clear_bindings(q->stmt);
        q->store->statements[q->slot].used = false;
    }
    q->stmt = NULL;
}

static void note_bind(struct pm_store__query *q, int rc)
{
    if (rc != SQLITE_OK)
        q->bind_rc = rc;
}

void pm_store__bind_int(struct pm_store__query *q, int64_t value)
{
    note_bind(q, sqlite3_bind_int64(q->stmt, ++q->bound, value));
}

void pm_store__bind_id(struct pm_store__query *q, int64_t id)
{
    if (id)
        pm_store__bind_int(q, id);
    else
        note_bind(q, sqlite3_bind_null(q->stmt, ++q->bound));
}

void pm_store__bind_real(struct pm_store__query *q, double value)
{
    note_bind(q, sqlite3_bind_double(q->stmt, ++q->bound, value));
}

void pm_store__bind_text(struct pm_store__query *q, const char *text)
{
    pm_store__bind_change(q, text ? text : "");
}

void pm_store__bind_change(struct pm_store__query *q, const char *text)
{
    note_bind(q, sqlite3_bind_text(q->stmt, ++q->bound, text, -1, SQLITE_STATIC));
}

enum { MOST_CHARACTERS = 65535 }; /* most characters of one line, as the schema limits them */

typedef bool hide_fn(const struct pm_privacy *privacy, const char *text, size_t length,
                     struct pm_str *out);

/* Limits a line to the length that its column accepts, because "user" may be longer than the name
 * that it replaces. */
static void limit_line(struct pm_str *line)
{
    size_t characters = 0, length = 0;
    for (; length < line->length; length++) {
        characters += ((unsigned char)line->data[length] & 0xC0) != 0x80;
        if (characters > MOST_CHARACTERS)
            break;
    }
    line->length = length;
    line->data[length] = '\0';
}

/* Binds the text or, if it contains names, a copy in which they are replaced. */
static void bind_hidden(struct pm_store__query *q, const char *text, hide_fn *hide)
{
    struct pm_str hidden = PM_STR_INIT;
    const size_t length = text ? strlen(text) : 0;
    const bool changed = hide(pm_privacy_here(), text ? text : "", length, &hidden);
    if (changed && length <= MOST_CHARACTERS && hide == pm_privacy_hide)
        limit_line(&hidden);
    if (changed)
        note_bind(q, sqlite3_bind_text64(q->stmt, ++q->bound, hidden.data, hidden.length,
                                         SQLITE_TRANSIENT, SQLITE_UTF8));
    else
        pm_store__bind_change(q, text);
    pm_str_release(&hidden);
}

void pm_store__bind_message(struct pm_store__query *q, const char *text)
{
    bind_hidden(q, text ? text : "", pm_privacy_hide);
}

void pm_store__bind_message_change(struct pm_store__query *q, const char *text)
{
    bind_hidden(q, text, pm_privacy_hide);
}

void pm_store__bind_message_json(struct pm_store__query *q, const char *text)
{
    bind_hidden(q, text ? text : "", pm_privacy_hide_json);
}

void pm_store__bind_bytes(struct pm_store__query *q, const void *bytes, size_t length)
{
    note_bind(q, sqlite3_bind_blob64(q->stmt, ++q->bound, bytes, length, SQLITE_STATIC));
}

int pm_store__next(struct pm_store__query *q, struct pm_error *err)
{
    if (q->bind_rc != SQLITE_OK)
        return pm_error_set(err, PM_EFORMAT,
                            "cannot store a value in '%s': %s: report this fault of portmeter",
                            q->store->path, sqlite3_errstr(q->bind_rc));
    q->column = 0;
    q->row = 0;
    q->damage[0] = '\0';
    const int rc = sqlite3_step(q->stmt);
    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : pm_store__failed(q->store, err);
}

int pm_store__run(struct pm_store__query *q, int64_t *id, int *changed, struct pm_error *err)
{
    const bool lost = q->store->in_transaction && sqlite3_get_autocommit(q->store->db);
    const int rc = lost ? pm_store__lost(q->store, err) : pm_store__next(q, err);
    if (rc > 0)
        PM_BUG("a statement that changes data returned a row");
    if (rc == PM_OK && id)
        *id = sqlite3_last_insert_rowid(q->store->db);
    if (rc == PM_OK && changed)
        *changed = sqlite3_changes(q->store->db);
    pm_store__close(q);
    return rc;
}

int pm_store__run_one(struct pm_store__query *q, const char *what, int64_t id, struct pm_error *err)
{
    int changed = 0;
    PM_TRY(pm_store__run(q, NULL, &changed, err));
    return changed ? PM_OK
                   : pm_error_set(err, PM_ENOTFOUND,
                                  "database '%s' has no %s %lld: list the runs with portmeter runs",
                                  q->store->path, what, (long long)id);
}
