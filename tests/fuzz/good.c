/* A good database, made from the dumps in tests/databases. */
#include "good.h"

#include <stdlib.h>
#include <string.h>

#include "assess/assess.h"
#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"
#include "store/store.h"

#define DUMPS PM_SOURCE_ROOT "/tests/databases"

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

static unsigned long version_of(const char *name)
{
    static const char before[] = "version-";
    return strncmp(name, before, strlen(before)) == 0 ? strtoul(name + strlen(before), NULL, 10)
                                                      : 0;
}

/* That of the highest version. The caller frees. */
static char *newest_dump(void)
{
    char **names = NULL;
    size_t count = 0, newest = 0;
    struct pm_error err;
    struct pm_str text = PM_STR_INIT;
    if (pm_folder_list(DUMPS, &names, &count, &err) || !count)
        fuzz_wrong("no databases in " DUMPS);
    for (size_t i = 1; i < count; i++)
        if (version_of(names[i]) > version_of(names[newest]))
            newest = i;
    char *file = pm_path_join(DUMPS, names[newest]);
    if (pm_file_read(file, &text, &err))
        fuzz_wrong("%s", err.text);
    free(file);
    pm_free_strings(names, count);
    return pm_str_detach(&text);
}

static void fill(void)
{
    sqlite3 *db;
    char *text = newest_dump();
    if (sqlite3_open(path, &db) != SQLITE_OK)
        fuzz_wrong("cannot make '%s'", path);
    fuzz_sql(db, text);
    sqlite3_close(db);
    free(text);
}

const char *fuzz_good_database(void)
{
    struct pm_store *store;
    struct pm_judged judged;
    struct pm_error err;
    if (pm_folder_scratch(&folder, &err))
        fuzz_wrong("%s", err.text);
    path = pm_path_join(folder, "x.db");
    atexit(remove_folder);
    fill();
    if (pm_store_open(&store, path, PM_STORE_WRITE, &err))
        fuzz_wrong("the good database is refused: %s", err.text);
    pm_store_free(store);
    if (pm_assess_db(path, 0, 0, &judged, &err))
        fuzz_wrong("the good database is not judged: %s", err.text);
    return path;
}

const char *fuzz_good_folder(void)
{
    return folder;
}
