/* Tests of merging databases: every table gets new ids, no row is added twice, and a merge that
 * fails changes nothing. */
#include "store_scene.h"

#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "merge/merge.h"

static const char tables[] = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";

static char *into_of(const struct scene *s)
{
    return pm_format("%s/all.db", s->folder);
}

/* Merges the scene's file; the caller releases the result. */
static struct pm_merged merge(struct scene *s)
{
    struct pm_merged merged;
    char *into = into_of(s);
    const char *const files[] = {s->path};
    assert_ok(s, pm_merge(files, 1, into, false, &merged, &s->err));
    free(into);
    return merged;
}

static void merge_quietly(struct scene *s)
{
    struct pm_merged merged = merge(s);
    pm_merged_release(&merged);
}

/* Asserts that merging the scene's file fails with this code and a line that contains `part`, and
 * makes no file. */
static void assert_refused(struct scene *s, int code, const char *part)
{
    struct pm_merged merged;
    char *into = into_of(s);
    const char *const files[] = {s->path};
    assert_int_equal(pm_merge(files, 1, into, false, &merged, &s->err), code);
    scene_assert_says(s, part);
    assert_false(pm_path_exists(into));
    pm_merged_release(&merged);
    free(into);
}

/* Calls `check` with the name of each table of the schema. */
static void for_each_table(struct scene *s, void (*check)(struct scene *s, const char *table))
{
    size_t count = 0;
    char *names = scene_query(s->path, tables), *rest = names;
    for (char *name; (name = strsep(&rest, "|\n")); count += *name != '\0')
        if (*name)
            check(s, name);
    assert_true(count > 20);
    free(names);
}

static char *rows_of(const char *path, const char *table)
{
    char *sql = pm_format("SELECT * FROM %s", table);
    char *rows = scene_query(path, sql);
    free(sql);
    return rows;
}

/* ---- every table ---------------------------------------------------------------------------- */

/* Returns whether a table is not merged: paths of the measuring machine stay in its database. */
static bool stays(const char *table)
{
    return !strcmp(table, "run_paths") || !strcmp(table, "interpreter");
}

static void check_same_rows(struct scene *s, const char *table)
{
    char *into = into_of(s);
    char *before = rows_of(s->path, table), *after = rows_of(into, table);
    if (!*before)
        fail_msg("scene_fill() adds no row to '%s'", table);
    if (stays(table))
        assert_string_equal(after, "");
    else if (!strcmp(table, "run")) /* its column `source` names the merged file */
        assert_string_not_equal(after, before);
    else if (strcmp(after, before))
        fail_msg("'%s' has '%s' instead of '%s'", table, after, before);
    free(before);
    free(after);
    free(into);
}

static void test_into_a_new_database(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    scene_fill(s);
    merge_quietly(s);
    for_each_table(s, check_same_rows);
    scene_assert_query(into, "SELECT source FROM run", "test.db|\n");
    scene_assert_query(into, "PRAGMA user_version", SCENE_VERSION "|\n");
    free(into);
}

/* SQL that makes a scene's rows different from those of other scenes. */
static const char other[] =
    "UPDATE run SET uuid = '99112233445566778899aabbccddeeff';"
    "UPDATE test_case SET digest = '99eeddccbbaa99887766554433221100', name = 'other';"
    "UPDATE inventory SET digest = '98eeddccbbaa99887766554433221100';"
    "UPDATE scan SET finished = '" SCENE_LATER "', started = '" SCENE_LATER "';"
    "UPDATE scan_shard SET plan = '96eeddccbbaa99887766554433221100';"
    "UPDATE sample SET drawn = '" SCENE_LATER "';"
    "UPDATE blob SET digest = '97eeddccbbaa99887766554433221100';"
    "UPDATE leaf SET digest = '97eeddccbbaa99887766554433221100' WHERE digest <> '';"
    "UPDATE closeness SET digest = '97eeddccbbaa99887766554433221100';"
    "UPDATE annotation SET function = 'torch.other'";

static void check_twice_as_many(struct scene *s, const char *table)
{
    char *into = into_of(s);
    char *sql = pm_format("SELECT count(*) FROM %s", table);
    char *before = scene_query(s->path, sql), *after = scene_query(into, sql);
    if (atoi(after) != (stays(table) ? 0 : 2 * atoi(before)))
        fail_msg("'%s' has %d rows, and each file %d", table, atoi(after), atoi(before));
    free(before);
    free(after);
    free(sql);
    free(into);
}

static void test_ids_are_new(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    const char *const files[] = {s->path};
    struct pm_merged merged;
    scene_fill(s);
    merge_quietly(s);
    scene_sql(s->path, other);
    assert_ok(s, pm_merge(files, 1, into, true, &merged, &s->err));
    pm_merged_release(&merged);
    for_each_table(s, check_twice_as_many);
    scene_assert_query(into, "SELECT count(*) FROM pragma_foreign_key_check", "0|\n");
    scene_assert_query(into,
                       "SELECT count(*) FROM execution e JOIN run r ON r.id = e.run_id"
                       " JOIN target t ON t.id = e.target_id AND t.run_id = r.id"
                       " JOIN test_case c ON c.id = e.case_id"
                       " WHERE (r.id = 2) = (c.name = 'other')",
                       "2|\n");
    free(into);
}

/* ---- nothing twice -------------------------------------------------------------------------- */

static void test_the_same_again(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    scene_fill(s);
    merge_quietly(s);
    struct pm_merged merged = merge(s);
    assert_int_equal(merged.count, 1);
    assert_int_equal(merged.added + merged.scans + merged.samples + merged.inventories, 0);
    assert_int_equal(merged.annotations, 0);
    assert_false(merged.runs[0].added);
    assert_int_equal(merged.runs[0].id, 1);
    assert_int_equal(merged.runs[0].done, merged.runs[0].done_before);
    pm_merged_release(&merged);
    for_each_table(s, check_same_rows);
    free(into);
}

/* Two imports of the same published run are one run, whoever made them. */
static void test_an_import_twice(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_sql(s->path, "UPDATE run SET kind = 'published', source = 'a paper'");
    merge_quietly(s);
    scene_sql(s->path, "UPDATE run SET uuid = '99112233445566778899aabbccddeeff'");
    struct pm_merged merged = merge(s);
    assert_int_equal(merged.added, 0);
    pm_merged_release(&merged);
    for_each_table(s, check_same_rows);
}

static void test_more_results_than_before(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_sql(s->path, "CREATE TABLE was AS SELECT state FROM execution;"
                       "UPDATE execution SET state = 'todo'; DROP TABLE was");
    merge_quietly(s);
    scene_sql(s->path, "UPDATE execution SET state = 'done'");
    struct pm_merged merged = merge(s);
    assert_int_equal(merged.added, 0);
    assert_int_equal(merged.runs[0].done_before, 0);
    assert_true(merged.runs[0].done > 0);
    pm_merged_release(&merged);
}

static void test_the_later_annotation_stays(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    scene_fill(s);
    merge_quietly(s);
    scene_sql(s->path, "UPDATE annotation SET note = 'later', made = '2027-01-01T00:00:00.000Z'");
    struct pm_merged merged = merge(s);
    assert_int_equal(merged.annotations, 1);
    pm_merged_release(&merged);
    scene_sql(s->path, "UPDATE annotation SET note = 'earlier', made = '2025-01-01T00:00:00.000Z'");
    merged = merge(s);
    assert_int_equal(merged.annotations, 0);
    pm_merged_release(&merged);
    scene_assert_query(into, "SELECT note FROM annotation", "later|\n");
    free(into);
}

/* ---- parts of a scan ------------------------------------------------------------------------ */

/* Makes the scene's scan the next part of the same scan, with 3 projects. By its digest, one of the
 * two repositories that use jax.plus is also in the first part. */
static const char next_part[] =
    "UPDATE scan SET started = '2026-01-01T00:00:00.000Z', totals = '{\"files\": 4}',"
    " damages = '[{\"number\": 1, \"input\": \"a\"}]';"
    "UPDATE place_file SET input = 'b.py', number = 0;"
    "UPDATE scan_shard SET number = 2, projects = 3, uuid = '99112233445566778899aabbccddeeff';"
    "UPDATE scan_repository SET number = 2, digests = CAST(x'04000000706c757302000000'"
    " || x'0700000000000000' || x'0800000000000000' AS BLOB)";

static const char first_part[] =
    "UPDATE frequency SET repositories = 2, uses = 2, files = 2;"
    "UPDATE scan SET totals = '{\"files\": 3}', damages = '[{\"number\": 2, \"input\": \"b\"}]'";

static void test_parts_of_a_scan_add_up(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    scene_fill(s);
    scene_sql(s->path, first_part);
    merge_quietly(s);
    scene_sql(s->path, next_part);
    struct pm_merged merged = merge(s);
    assert_int_equal(merged.scans, 0);
    assert_int_equal(merged.shard_count, 1);
    assert_true(merged.shards[0].is_scan && merged.shards[0].added);
    pm_merged_release(&merged);
    scene_assert_query(into,
                       "SELECT started, totals ->> 'files', damages ->> '$[0].input' FROM scan",
                       "2026-01-01T00:00:00.000Z|7|a|\n");
    scene_assert_query(into, "SELECT uses, files, repositories FROM frequency", "4|4|3|\n");
    scene_assert_query(into, "SELECT calls, files FROM unlisted", "4|2|\n");
    scene_assert_query(into, "SELECT count(*) FROM place", "2|\n");
    scene_assert_query(into, "SELECT count(*) FROM place_use", "1|\n");
    scene_assert_query(into, "SELECT number, projects FROM scan_shard ORDER BY 1", "1|2|\n2|3|\n");
    scene_assert_query(into, "SELECT count(*) FROM scan_repository", "0|\n"); /* 5 of 5 projects */
    free(into);
}

static void test_parts_that_do_not_fit(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    const char *const files[] = {s->path};
    struct pm_merged merged;
    static const struct {
        const char *sql, *said;
    } unfit[] = {
        {"UPDATE scan_shard SET uuid = '99112233445566778899aabbccddeeff'", "a second time"},
        {"UPDATE scan_shard SET inputs = '99112233445566778899aabbccddeeff'",
         "files that differ in name or size"},
        {"UPDATE scan_shard SET plan = '99112233445566778899aabbccddeeff'", "another plan"},
        {"UPDATE scan_shard SET plan = '99112233445566778899aabbccddeeff', number = 2; UPDATE"
         " inventory SET version = '9', digest = '99112233445566778899aabbccddeeff'",
         "version {\"jax\":\"9\"} instead of"},
        {"UPDATE scan_shard SET number = 2, uuid = '99112233445566778899aabbccddeeff'; UPDATE"
         " scan_repository SET number = 2, digests = x'0400000070706c75'",
         "truncated"},
    };
    scene_fill(s);
    merge_quietly(s);
    char *before = rows_of(into, "scan_shard");
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        char *kept = pm_format("%s/kept.db", s->folder), *back;
        char *copy = pm_format("VACUUM INTO '%s'", kept);
        scene_sql(s->path, copy);
        scene_sql(s->path, unfit[i].sql);
        assert_int_not_equal(pm_merge(files, 1, into, false, &merged, &s->err), PM_OK);
        scene_assert_says(s, unfit[i].said);
        pm_merged_release(&merged);
        assert_int_equal(rename(kept, s->path), 0);
        back = rows_of(into, "scan_shard");
        assert_string_equal(back, before);
        free(back);
        free(copy);
        free(kept);
    }
    free(before);
    free(into);
}

/* ---- all of it or nothing ------------------------------------------------------------------- */

static void test_damaged_rows(void **state)
{
    static const struct {
        const char *sql, *said;
    } damages[] = {
        {"UPDATE verdict SET verdict = 'splendid'",
         "a row of table 'verdict' does not fit the schema"},
        {"UPDATE verdict SET target_id = 9", "a row of table 'verdict' refers to target 9"},
        {"UPDATE leaf SET execution_id = -1", "a row of table 'leaf' refers to execution -1"},
        {"UPDATE run SET sample_id = 7", "a row of table 'run' refers to sample 7"},
        {"UPDATE judgement SET outcome = 'pass', counts = 3",
         "a row of table 'judgement' does not fit the schema"},
        {"UPDATE test_case SET id = 5", "a row of table 'execution' refers to test_case 1"},
        {"INSERT INTO test_case SELECT 3, 'a', framework, function, name, dtype, definition,"
         " host_only, large, kind FROM test_case WHERE id = 1",
         "a row of table 'test_case' does not fit the schema"},
    };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        scene_fill(s);
        char *sql = pm_format("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; %s",
                              damages[i].sql);
        scene_sql(s->path, sql);
        assert_refused(s, PM_EFORMAT, damages[i].said);
        scene_assert_says(s, s->path);
        free(sql);
        unlink(s->path);
    }
}

/* ---- constraints ---------------------------------------------------------------------------- */

/* Returns whether a column accepts values that no other column of its type accepts. */
static bool takes_anything(const char *column)
{
    static const char *const free[] = {
        "run.seed",     "child.code", "execution.ending_code", "published.value",
        "child.output", "leaf.value", "imported_test.message",
    };
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        if (!strcmp(free[i], column))
            return true;
    return false;
}

static void assert_column_is_checked(struct scene *s, const char *table, const char *column,
                                     const char *type)
{
    char *name = pm_format("%s.%s", table, column), *into = into_of(s);
    char *value = pm_format("%s", !strcmp(type, "TEXT")   ? "printf('%070000d', 0) || 'x'"
                                  : !strcmp(type, "BLOB") ? "x''"
                                                          : "-5");
    char *sql = pm_format("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;"
                          "UPDATE %s SET %s = %s",
                          table, column, value);
    const char *const files[] = {s->path};
    struct pm_merged merged;
    scene_sql(s->path, sql);
    const int rc = pm_merge(files, 1, into, false, &merged, &s->err);
    if ((rc == PM_EFORMAT) == takes_anything(name))
        fail_msg("%s = %s: %d %s", name, value, rc, s->err.text);
    pm_merged_release(&merged);
    unlink(into);
    free(into);
    free(sql);
    free(value);
    free(name);
}

static void check_columns(struct scene *s, const char *table)
{
    if (stays(table))
        return;
    struct pm_str whole = PM_STR_INIT;
    char *sql = pm_format("SELECT name, type FROM pragma_table_info('%s')", table);
    char *columns = scene_query(s->path, sql), *rest = columns;
    assert_ok(s, pm_file_read(s->path, &whole, &s->err));
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        const char *column = strsep(&line, "|"), *type = strsep(&line, "|");
        assert_column_is_checked(s, table, column, type);
        assert_ok(s, pm_file_write(s->path, whole.data, whole.length, &s->err));
    }
    pm_str_release(&whole);
    free(columns);
    free(sql);
}

static void test_every_column_is_checked(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    for_each_table(s, check_columns);
}

/* Merges so many rows that a second thread reads them. */
static void test_many_rows(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s);
    scene_fill(s);
    scene_sql(
        s->path,
        "INSERT INTO leaf SELECT execution_id, part, i, path, kind, dtype, shape, device,"
        " on_device, digest, '', kept FROM (SELECT * FROM leaf WHERE digest <> '' LIMIT 1)"
        " JOIN (WITH RECURSIVE n(i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
        " SELECT i FROM n)");
    scene_assert_query(s->path, "SELECT count(*) > 8000 FROM leaf", "1|\n");
    merge_quietly(s);
    check_same_rows(s, "leaf");
    unlink(into);
    pm_stop_request(SIGTERM);
    assert_refused(s, PM_ESTOPPED, "stopped");
    pm_stop_reset();
    scene_sql(s->path, "PRAGMA ignore_check_constraints = ON;"
                       "UPDATE leaf SET on_device = 3 WHERE position = 8999");
    assert_refused(s, PM_EFORMAT, "a row of table 'leaf' does not fit the schema: on_device IN");
    scene_sql(s->path, "PRAGMA foreign_keys = OFF;"
                       "UPDATE leaf SET on_device = 1, execution_id = 99 WHERE position = 8999");
    assert_refused(s, PM_EFORMAT, "a row of table 'leaf' refers to execution 99");
    free(into);
}

/* The sum of the rows of two files must also fit in the column. */
static void test_sums_that_do_not_fit(void **state)
{
    struct scene *s = *state;
    char *into = into_of(s), *before;
    const char *const files[] = {s->path};
    struct pm_merged merged;
    scene_fill(s);
    scene_sql(s->path, "UPDATE unlisted SET calls = 600000000000");
    merge_quietly(s);
    before = rows_of(into, "unlisted");
    scene_sql(s->path,
              "UPDATE scan_shard SET number = 2, uuid = '99112233445566778899aabbccddeeff';"
              "UPDATE scan_repository SET number = 2");
    assert_int_equal(pm_merge(files, 1, into, false, &merged, &s->err), PM_EFORMAT);
    scene_assert_says(s,
                      "the summed rows of table 'unlisted' do not fit the schema: calls BETWEEN");
    scene_assert_query(into, "SELECT * FROM unlisted", before);
    pm_merged_release(&merged);
    free(before);
    free(into);
}

/* Asserts that a file whose case differs under the same digest is refused and changes nothing. */
static void refuse_another_case(struct scene *s, const char *change)
{
    struct pm_merged merged;
    char *into = into_of(s);
    const char *const files[] = {s->path};
    scene_fill(s);
    merge_quietly(s);
    char *sql = pm_format("UPDATE run SET uuid = '99112233445566778899aabbccddeeff';"
                          "UPDATE test_case SET %s",
                          change);
    scene_sql(s->path, sql);
    char *before = rows_of(into, "run");
    assert_int_equal(pm_merge(files, 1, into, false, &merged, &s->err), PM_EFORMAT);
    scene_assert_says(s, "a row of table 'test_case' does not fit the schema");
    scene_assert_query(into, "SELECT * FROM run", before);
    pm_merged_release(&merged);
    unlink(s->path);
    unlink(into);
    free(before);
    free(sql);
    free(into);
}

static void test_another_case_of_the_same_digest(void **state)
{
    refuse_another_case(*state, "definition = '{\"call\": \"another\"}'");
    refuse_another_case(*state, "kind = 'edge'");
}

static void test_files_that_are_none(void **state)
{
    struct scene *s = *state;
    assert_refused(s, PM_ENOTFOUND, "does not exist");
    scene_sql(s->path, "CREATE TABLE note (text)");
    assert_refused(s, PM_EFORMAT, "of another program");
    unlink(s->path);
    scene_fill(s);
    scene_sql(s->path, "PRAGMA user_version = 99");
    assert_refused(s, PM_EFORMAT, "use a newer portmeter");
}

static void test_into_itself(void **state)
{
    struct scene *s = *state;
    struct pm_merged merged;
    const char *const files[] = {s->path};
    scene_fill(s);
    assert_int_equal(pm_merge(files, 1, s->path, false, &merged, &s->err), PM_EUSAGE);
    scene_assert_says(s, "omit it from the files");
    pm_merged_release(&merged);
}

static void test_stopped(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    pm_stop_request(SIGTERM);
    assert_refused(s, PM_ESTOPPED, "stopped");
    pm_stop_reset();
    merge_quietly(s);
    for_each_table(s, check_same_rows);
}

#define SCENE_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, scene_set_up, scene_tear_down)

int main(void)
{
    const struct CMUnitTest tests_of_merge[] = {
        SCENE_TEST(test_into_a_new_database),
        SCENE_TEST(test_ids_are_new),
        SCENE_TEST(test_the_same_again),
        SCENE_TEST(test_an_import_twice),
        SCENE_TEST(test_more_results_than_before),
        SCENE_TEST(test_the_later_annotation_stays),
        SCENE_TEST(test_parts_of_a_scan_add_up),
        SCENE_TEST(test_parts_that_do_not_fit),
        SCENE_TEST(test_damaged_rows),
        SCENE_TEST(test_every_column_is_checked),
        SCENE_TEST(test_many_rows),
        SCENE_TEST(test_sums_that_do_not_fit),
        SCENE_TEST(test_another_case_of_the_same_digest),
        SCENE_TEST(test_files_that_are_none),
        SCENE_TEST(test_into_itself),
        SCENE_TEST(test_stopped),
    };
    return cmocka_run_group_tests(tests_of_merge, NULL, NULL);
}
