/* Made-up versions of the schema, to test migration. */
#include "made_up_versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/store_private.h"

enum { MADE_UP = 3 };

#define ANNOTATION "CREATE TABLE annotation (\n"
#define AUTHOR     "  author TEXT NOT NULL CHECK (author <> ''), -- who says so\n"
#define NOTE                                                                                       \
    "CREATE TABLE note (run_id INTEGER PRIMARY KEY REFERENCES run, text TEXT NOT NULL) STRICT;"

static struct made_up {
    char *author, *copying, *whole;
    struct pm_store__step steps[MADE_UP];
    struct pm_store__versions versions;
    const struct pm_store__versions *real; /* NULL: the real versions are in use */
} made_up;

static char *with_author(const char *schema)
{
    const char *at = strstr(schema, ANNOTATION);
    if (!at)
        PM_BUG("the schema has no table 'annotation'");
    at += strlen(ANNOTATION);
    return pm_format("%.*s%s%s", (int)(at - schema), schema, AUTHOR, at);
}

static int add_text(void *ctx, int count, char **values, char **names)
{
    (void)count;
    (void)names;
    pm_str_add(ctx, values[0]);
    return 0;
}

/* Returns SQL that copies all rows of each table old_NAME into the table NAME, with 'nobody' as the
 * author of an annotation. The caller frees it. */
static char *copying(const char *schema)
{
    sqlite3 *db;
    struct pm_str out = PM_STR_INIT;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db,
                     "SELECT 'INSERT INTO ' || name || ' SELECT ' ||"
                     " iif(name = 'annotation', '''nobody'', ', '') ||"
                     " (SELECT group_concat(c.name) FROM pragma_table_info(t.name) c)"
                     " || ' FROM old_' || name || ';' FROM sqlite_schema t WHERE type = 'table'",
                     add_text, &out, NULL) != SQLITE_OK)
        PM_BUG("the schema cannot be read");
    sqlite3_close(db);
    return pm_str_detach(&out);
}

void made_up_begin(void)
{
    struct made_up *m = &made_up;
    if (m->real)
        return;
    m->real = pm_store__versions;
    m->author = with_author(pm_store__schema);
    m->copying = copying(pm_store__schema);
    m->whole = pm_format("%s%s", m->author, NOTE);
    m->steps[0] = (struct pm_store__step){NULL, pm_store__schema};
    m->steps[1] = (struct pm_store__step){m->copying, m->author};
    m->steps[2] =
        (struct pm_store__step){NOTE "INSERT INTO note SELECT id, 'number ' || id FROM run", NULL};
    m->versions = (struct pm_store__versions){m->whole, m->steps, MADE_UP};
    pm_store__versions = &m->versions;
}

void made_up_end(void)
{
    struct made_up *m = &made_up;
    if (!m->real)
        return;
    pm_store__versions = m->real;
    free(m->author);
    free(m->copying);
    free(m->whole);
    *m = (struct made_up){0};
}
