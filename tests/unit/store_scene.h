/* A database for the tests of the store, in its own folder. scene_fill() adds a row to every table.
 */
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

/* Texts that the checks of the schema accept for times and UUIDs. */
#define SCENE_TIME   "2026-01-02T03:04:05.678Z"
#define SCENE_LATER  "2026-01-02T03:05:00.000Z"
#define SCENE_UUID   "00112233445566778899aabbccddeeff"
#define SCENE_DIGEST "ffeeddccbbaa99887766554433221100"
/* The newest version of the schema, as text. */
#define SCENE_VERSION "1"

struct scene {
    char *folder, *path;
    struct pm_store *store;
    struct pm_error err;
    struct pm_str seen; /* for callbacks: the rows that they have seen, as text */
    int64_t run, target, test_case;
};

int scene_set_up(void **state);
int scene_tear_down(void **state);

#define assert_ok(s, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (s)->err.text);                                              \
    } while (0)

/* Asserts that the last error is one line that contains `part`. */
void scene_assert_says(const struct scene *s, const char *part);

void scene_open(struct scene *s, enum pm_store_mode mode); /* closes what is open */
void scene_close(struct scene *s);
/* Asserts that opening fails with this code and a message that contains `part` and the path. */
void scene_assert_refused(struct scene *s, enum pm_store_mode mode, int code, const char *part);

/* scene_sql() and scene_query() use the file without the store. scene_query() returns the result of
 * a query as text, "a|b|\n", which the caller frees. */
void scene_sql(const char *path, const char *sql);
char *scene_query(const char *path, const char *sql);
void scene_assert_query(const char *path, const char *sql, const char *expected);

/* Adds a run with one target, and a case; stores their ids in the scene. */
void scene_add_run(struct scene *s);
/* Adds an execution of the scene's run, target and case in state 'todo'; returns its id. */
int64_t scene_plan(struct scene *s, int64_t repetition);
/* Opens the store, adds a row to every table, with id 1 if the table has ids, and closes it. */
void scene_fill(struct scene *s);

/* Reads everything that the store can read of run 1 and scan 1. */
PM_MUST_USE int scene_read_all(struct pm_store *store, struct pm_error *err);

#endif
