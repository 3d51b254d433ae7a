/* Checks that a file is a complete portmeter database with exactly the tables of its version. */
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/line.h"
#include "store/store_private.h"

/* ---- length -------------------------------------------------------------------------------- */

/* Offsets in the header with which every SQLite file begins
 * (https://www.sqlite.org/fileformat2.html). */
enum {
    HEADER = 100,
    AT_PAGE_SIZE = 16,
    AT_WRITE_VERSION = 18, /* 1: rollback journal; 2: write-ahead log */
    AT_READ_VERSION = 19,
    AT_CHANGES = 24,
    AT_PAGE_COUNT = 28,
    AT_CHANGES_AT_COUNT = 92, /* the page count is valid if this equals AT_CHANGES */
};

static uint32_t big_endian(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int64_t length_said(const unsigned char *header)
{
    const uint32_t size = (uint32_t)header[AT_PAGE_SIZE] << 8 | header[AT_PAGE_SIZE + 1];
    return (int64_t)(size == 1 ? 65536 : size) * big_endian(header + AT_PAGE_COUNT);
}

struct lengths {
    sqlite3_file *file;
    sqlite3_int64 is, said; /* bytes of the file, and the bytes that its header states; both 0: the
                               file is empty */
};

/* Reads the lengths through SQLite's own descriptor: closing another descriptor of the file would
 * release SQLite's locks. */
static int read_lengths(struct pm_store *store, struct lengths *out, struct pm_error *err)
{
    unsigned char header[HEADER];
    *out = (struct lengths){0};
    if (sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &out->file) !=
            SQLITE_OK ||
        out->file->pMethods->xFileSize(out->file, &out->is) != SQLITE_OK)
        return pm_store__failed(store, err);
    if (out->is == 0)
        return PM_OK;
    if (out->is < HEADER || out->file->pMethods->xRead(out->file, header, HEADER, 0) != SQLITE_OK)
        return pm_store_damaged(store, err, "the file ends within its header");
    if (header[AT_WRITE_VERSION] != 1 || header[AT_READ_VERSION] != 1)
        return pm_error_set(err, PM_EFORMAT,
                            "another program gave '%s' a write-ahead log, which portmeter does not "
                            "use: run sqlite3 '%s' 'PRAGMA journal_mode = DELETE' to remove it",
                            store->path, store->path);
    out->said = length_said(header);
    if (out->said == 0 ||
        big_endian(header + AT_CHANGES) != big_endian(header + AT_CHANGES_AT_COUNT))
        return pm_store_damaged(store, err, "the header does not contain the length of the file");
    return PM_OK;
}

/* Checks the length of the file. A longer file is complete: SQLite shortens a file after it has
 * removed the journal, which commits the transaction, so a process that dies in between leaves a
 * longer file with unused bytes at its end. */
static int check_length(struct pm_store *store, struct pm_error *err)
{
    struct lengths length;
    PM_TRY(read_lengths(store, &length, err));
    store->is_longer = length.is > length.said;
    return length.is >= length.said
               ? PM_OK
               : pm_store_damaged(store, err, "the file has %lld bytes, but its header says %lld",
                                  (long long)length.is, (long long)length.said);
}

static int take_answer(void *ctx, int count, char **values, char **names)
{
    (void)names;
    *(bool *)ctx = count == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

/* Shortens the file. A damaged header may state too few pages, and what is cut off is lost, so the
 * pages that stay are checked first. */
static int shorten(struct pm_store *store, bool alone, struct pm_error *err)
{
    struct lengths length;
    bool whole = false;
    PM_TRY(read_lengths(store, &length, err));
    if (length.is <= length.said)
        return PM_OK;
    if (sqlite3_exec(store->db, "PRAGMA quick_check(1)", take_answer, &whole, NULL) != SQLITE_OK)
        return pm_store__failed(store, err);
    if (!whole)
        return pm_store_damaged(
            store, err,
            "the file has %lld bytes, but its header says %lld, which are not a complete "
            "database",
            (long long)length.is, (long long)length.said);
    if (alone) /* a failure here only leaves the file longer */
        (void)length.file->pMethods->xTruncate(length.file, length.said);
    return PM_OK;
}

/* Shortens the file, but does not wait for readers: they may take long, and the next writer can
 * shorten the file as well. */
int pm_store__shorten(struct pm_store *store, struct pm_error *err)
{
    if (!store->is_longer)
        return PM_OK;
    store->waits_for_nobody = true;
    const bool alone = sqlite3_exec(store->db, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK;
    store->waits_for_nobody = false;
    if (!alone)
        PM_TRY(pm_store__exec(store, "BEGIN", err));
    const int rc = shorten(store, alone, err);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

/* ---- schema -------------------------------------------------------------------------------- */

/* Objects that were read, with texts of their own. */
struct objects {
    struct pm_store__object *items;
    size_t count, capacity;
};

static void objects_release(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++) {
        free((char *)(uintptr_t)objects->items[i].type);
        free((char *)(uintptr_t)objects->items[i].name);
        free((char *)(uintptr_t)objects->items[i].sql);
    }
    free(objects->items);
    *objects = (struct objects){0};
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *pm_store__behind_quotes(const char *at)
{
    const char quote = *at++;
    while (*at && *at != quote)
        at++;
    return *at ? at + 1 : at;
}

char *pm_store__normalised(const char *sql)
{
    struct pm_str out = PM_STR_INIT;
    bool space = false;
    for (const char *at = sql; *at;) {
        if (at[0] == '-' && at[1] == '-') {
            at += strcspn(at, "\n");
            space = true;
        } else if (isspace((unsigned char)*at)) {
            at++;
            space = true;
        } else {
            const char *end = *at == '\'' || *at == '"' ? pm_store__behind_quotes(at) : at + 1;
            if (space && out.length && is_word(out.data[out.length - 1]) && is_word(*at))
                pm_str_add_char(&out, ' ');
            pm_str_add_bytes(&out, at, (size_t)(end - at));
            at = end;
            space = false;
        }
    }
    return pm_str_detach(&out);
}

static int take_object(void *ctx, int count, char **values, char **names)
{
    struct objects *objects = ctx;
    (void)count;
    (void)names;
    PM_GROW(objects->items, objects->count, objects->capacity);
    objects->items[objects->count++] = (struct pm_store__object){
        .type = pm_strdup(values[0] ? values[0] : ""),
        .name = pm_strdup(values[1] ? values[1] : ""),
        .sql = pm_strdup(values[2] ? values[2] : ""),
    };
    return 0;
}

static bool read_objects(sqlite3 *db, struct objects *out)
{
    return sqlite3_exec(db, "SELECT type, name, sql FROM sqlite_schema ORDER BY type DESC, name",
                        take_object, out, NULL) == SQLITE_OK;
}

static int make_objects(struct pm_store *store, int version, struct objects *out,
                        struct pm_error *err)
{
    sqlite3 *db = NULL;
    const bool made = sqlite3_open(":memory:", &db) == SQLITE_OK && pm_store__add_functions(db) &&
                      pm_store__make_version(db, version) && read_objects(db, out);
    const int rc =
        made ? PM_OK
             : pm_error_set(err, PM_EIO, "cannot check the schema of '%s': %s: free some memory",
                            store->path, sqlite3_errmsg(db));
    if (!made)
        objects_release(out);
    sqlite3_close(db);
    return rc;
}

/* Lists the objects that a file of that version must contain. The caller owns the contents of
 * `made`. The list that the build made needs no parsing, which would take a third of the time of a
 * small report. */
static int expected_objects(struct pm_store *store, int version, struct objects *made,
                            struct pm_store__objects *out, struct pm_error *err)
{
    const struct pm_store__image *empty = pm_store__versions->empty;
    if (version == pm_store__versions->count && empty && empty->length) {
        *out = empty->objects;
        return PM_OK;
    }
    PM_TRY(make_objects(store, version, made, err));
    *out = (struct pm_store__objects){made->items, made->count};
    return PM_OK;
}

static int by_name(const struct pm_store__object *a, const struct pm_store__object *b)
{
    const int types = strcmp(b->type, a->type); /* tables before their indices */
    return types ? types : strcmp(a->name, b->name);
}

/* Returns whether two statements differ only in comments and spaces. Usually the texts are equal,
 * because this build made the file. */
static bool is_same_sql(const char *a, const char *b)
{
    if (!strcmp(a, b))
        return true;
    char *one = pm_store__normalised(a), *other = pm_store__normalised(b);
    const bool same = !strcmp(one, other);
    free(one);
    free(other);
    return same;
}

/* Reports the first object of the two sorted lists that is in only one of them, or that differs. */
static int compare_objects(const struct pm_store *store, const struct objects *got,
                           struct pm_store__objects want, int version, struct pm_error *err)
{
    struct pm_str name = PM_STR_INIT;
    int rc = PM_OK;
    for (size_t g = 0, w = 0; rc == PM_OK && (g < got->count || w < want.count);) {
        const int order = g == got->count   ? 1
                          : w == want.count ? -1
                                            : by_name(&got->items[g], &want.items[w]);
        const struct pm_store__object *o = order > 0 ? &want.items[w] : &got->items[g];
        const bool same = order == 0 && is_same_sql(o->sql, want.items[w].sql);
        g += order <= 0;
        w += order >= 0;
        if (same)
            continue;
        pm_line_add(&name, o->name, 60);
        rc = order < 0
                 ? pm_error_set(err, PM_EFORMAT,
                                "database '%s' has the %s '%s', which schema version %d does not "
                                "have: if another program added it, remove it; if another build "
                                "of portmeter did, use that build",
                                store->path, o->type, name.data, version)
                 : pm_error_set(err, PM_EFORMAT,
                                "database '%s' does not have the tables of schema version %d (%s "
                                "'%s' %s): it is damaged, or from another build of portmeter: use "
                                "that build, or measure again",
                                store->path, version, o->type, name.data,
                                order > 0 ? "is missing" : "differs");
    }
    pm_str_release(&name);
    return rc;
}

static int check_schema(struct pm_store *store, int version, struct pm_error *err)
{
    struct objects got = {0}, made = {0};
    struct pm_store__objects want = {0};
    int rc = read_objects(store->db, &got) ? PM_OK : pm_store__failed(store, err);
    if (rc == PM_OK)
        rc = expected_objects(store, version, &made, &want, err);
    if (rc == PM_OK)
        rc = compare_objects(store, &got, want, version, err);
    objects_release(&got);
    objects_release(&made);
    return rc;
}

/* Checks that a file is empty; SQLite reports a file of one byte as empty. */
static int check_is_empty(struct pm_store *store, struct pm_error *err)
{
    struct stat info;
    return stat(store->path, &info) == 0 && info.st_size == 1
               ? pm_store_damaged(store, err, "the file has only 1 byte")
               : PM_OK;
}

/* ---- the whole check ----------------------------------------------------------------------- */

static int identify(struct pm_store *store, int64_t *version, struct pm_error *err)
{
    int64_t application = 0, objects = 0;
    PM_TRY(pm_store__number(store, "PRAGMA application_id", &application, err));
    PM_TRY(pm_store__number(store, "PRAGMA user_version", version, err));
    if (application == PM_STORE__APPLICATION)
        PM_TRY(check_length(store, err));
    PM_TRY(pm_store__number(store, "SELECT count(*) FROM sqlite_schema", &objects, err));
    if (application == 0 && *version == 0 && objects == 0)
        return check_is_empty(store, err);
    if (application != PM_STORE__APPLICATION)
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' is a database of another program: name a portmeter database",
                            store->path);
    if (*version > pm_store__versions->count)
        return pm_error_set(err, PM_EFORMAT,
                            "database '%s' has schema version %lld, but this portmeter supports "
                            "versions up to %d: use a newer portmeter",
                            store->path, (long long)*version, pm_store__versions->count);
    if (*version < 1)
        return pm_store_damaged(store, err, "its schema version is %lld, but versions begin at 1",
                                (long long)*version);
    return check_schema(store, (int)*version, err);
}

int pm_store__look(struct pm_store *store, int64_t *version, struct pm_error *err)
{
    *version = 0;
    PM_TRY(pm_store__exec(store, "BEGIN", err));
    const int rc = identify(store, version, err);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    return rc;
}
