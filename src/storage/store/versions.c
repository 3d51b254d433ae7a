/* Lists the versions of the schema, and the steps between them. */
#include "store/store_private.h"

/*
 * A later version appends its step. If that step creates the tables again, a copy of the previous
 * schema.sql replaces pm_store__schema in the step before it (README.md).
 */
static const struct pm_store__step steps[] = {
    {NULL, pm_store__schema},
};
static const struct pm_store__versions known = {pm_store__schema, steps,
                                                sizeof steps / sizeof *steps, &pm_store__empty};
const struct pm_store__versions *pm_store__versions = &known;

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

bool pm_store__make_version(sqlite3 *db, int version)
{
    const struct pm_store__step *all = pm_store__versions->steps;
    int first = version - 1;
    while (!all[first].schema)
        first--;
    bool made = run(db, all[first].schema);
    for (int i = first + 1; i < version && made; i++)
        made = run(db, all[i].sql);
    return made;
}
