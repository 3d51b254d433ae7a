/* Makes a good database from the rows in good.sql. */
#include "good.h"

#include <stdlib.h>

#include "assess/assess.h"
#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"
#include "store/store.h"

#define ROWS PM_SOURCE_ROOT "/tests/fuzz/good.sql"

static char *folder, *path;

void fuzz_sql(sqlite3 *db, const char *text)
{
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fuzz_wrong("%.200s: %s", text, sqlite3_errmsg(db));
}

static void remove_folder(void)
{
    (void)!pm_folder_remove(folder, NULL);
    free(folder);
    free(path);
}

static void make_tables(void)
{
    struct pm_store *store;
    struct pm_error err;
    if (pm_store_open(&store, path, PM_STORE_WRITE, &err))
        fuzz_wrong("%s", err.text);
    pm_store_free(store);
}

static void fill(void)
{
    sqlite3 *db;
    struct pm_error err;
    struct pm_str text = PM_STR_INIT;
    if (pm_file_read(ROWS, &text, &err))
        fuzz_wrong("%s", err.text);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        fuzz_wrong("cannot open '%s'", path);
    fuzz_sql(db, text.data);
    sqlite3_close(db);
    pm_str_release(&text);
}

const char *fuzz_good_database(void)
{
    struct pm_judged judged;
    struct pm_error err;
    if (pm_folder_scratch(&folder, &err))
        fuzz_wrong("%s", err.text);
    path = pm_path_join(folder, "x.db");
    atexit(remove_folder);
    make_tables();
    fill();
    if (pm_assess_db(path, 0, 0, &judged, &err))
        fuzz_wrong("the good database is not judged: %s", err.text);
    return path;
}

const char *fuzz_good_folder(void)
{
    return folder;
}
