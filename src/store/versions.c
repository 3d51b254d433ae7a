/* The versions of the schema that there were, and the steps between them. */
#include "store/store_private.h"

/*
 * A later version appends its step and raises PM_STORE__VERSION. Where that makes the tables anew,
 * a copy of schema.sql as it was takes the place of pm_store__schema in the step before.
 */
const struct pm_store__step pm_store__steps[] = {
    {NULL, pm_store__schema_1},
    {pm_store__schema_1_to_2, NULL},
    {pm_store__schema_2_to_3, pm_store__schema_3},
    {pm_store__schema_3_to_4, pm_store__schema_4},
    {pm_store__schema_4_to_5, pm_store__schema_5},
    {pm_store__schema_5_to_6, pm_store__schema_6},
    {pm_store__schema_6_to_7, pm_store__schema_7},
    {pm_store__schema_7_to_8, NULL},
    {pm_store__schema_8_to_9, NULL},
};
_Static_assert(sizeof pm_store__steps / sizeof *pm_store__steps == PM_STORE__VERSION,
               "each version has the step that leads to it");

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

bool pm_store__make_version(sqlite3 *db, int version)
{
    int first = version - 1;
    while (!pm_store__steps[first].schema)
        first--;
    bool made = run(db, pm_store__steps[first].schema);
    for (int i = first + 1; i < version && made; i++)
        made = run(db, pm_store__steps[i].sql);
    return made;
}
