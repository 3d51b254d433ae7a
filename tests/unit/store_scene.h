/* What the tests of the store share: a database in a folder of its own, and a row in every
 * table. */
#ifndef STORE_SCENE_H
#define STORE_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/str.h"
#include "store/store.h"

/* What columns of that form accept. */
#define SCENE_TIME  "2026-01-02T03:04:05.678Z"
#define SCENE_LATER "2026-01-02T03:05:00.000Z"
#define SCENE_UUID  "00112233445566778899aabbccddeeff"
/* The newest version of the schema, as text. */
#define SCENE_VERSION "1"
#define SCENE_DIGEST  "ffeeddccbbaa99887766554433221100"

struct scene {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
    struct pm_str seen; /* for what callbacks were given */
    int64_t run, target, test_case;
};

int scene_set_up(void **state);
int scene_tear_down(void **state);

#define assert_ok(s, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (s)->err.text);                                              \
    } while (0)

/* The last error says `part`, in one line. */
void scene_assert_says(const struct scene *s, const char *part);

void scene_open(struct scene *s, enum pm_store_mode mode); /* closes what is open */
void scene_close(struct scene *s);
/* Opening fails with that code, and says that. */
void scene_assert_refused(struct scene *s, enum pm_store_mode mode, int code, const char *part);

/* Behind the store's back: runs SQL on a file, or gives all that a query gives, as text "a|b|\n";
 * the caller frees. */
void scene_sql(const char *path, const char *sql);
char *scene_query(const char *path, const char *sql);
void scene_assert_query(const char *path, const char *sql, const char *expected);

/* A run with one target, and a case; ids go to the scene. */
void scene_add_run(struct scene *s);
/* Returns the id of an execution of them, in state 'todo'. */
int64_t scene_plan(struct scene *s, int64_t repetition);
/* A row in every table, with id 1 where there is one; the store is closed then. */
void scene_fill(struct scene *s);

/* Everything that can be read of run 1 and scan 1. */
PM_MUST_USE int scene_read_all(struct pm_store *store, struct pm_error *err);

#endif
