/* Files of older versions: brought up to date by whoever opens them, with nothing lost and a copy
 * kept; refused in one line where that cannot be. */
#include "store_scene.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/judgements.h"
#include "store/store_private.h"

enum { NOBODY = 65534 };
extern const char database_version_1[], database_version_2[], database_version_3[],
    database_version_4[], database_version_5[], database_version_6[], database_version_7[],
    database_version_8[], database_version_9[];
static const char *const databases[] = {database_version_1, database_version_2, database_version_3,
                                        database_version_4, database_version_5, database_version_6,
                                        database_version_7, database_version_8, database_version_9};
enum { DATABASES = sizeof databases / sizeof *databases };

/* Of each of them: run, target, function, verdicts, cases. */
static const char verdicts[] = "1|null@null|null.fails|complete failure|complete failure|1|0|0|\n"
                               "1|null@null|null.partly|partial failure|partial failure|2|1|0|\n"
                               "1|null@null|null.works|success|success|1|1|0|\n"
                               "1|null@host|null.fails|success|success|1|1|0|\n"
                               "1|null@host|null.partly|success|success|2|2|0|\n"
                               "1|null@host|null.works|success|success|1|1|0|\n"
                               "2|null@null|null.works|success|success|1|1|0|\n"
                               "2|null@host|null.works|success|success|1|1|0|\n";

static char *copy_of(const struct scene *s, int version)
{
    return pm_format("%s.version-%d", s->path, version);
}

static void make(struct scene *s, int version)
{
    unlink(s->path);
    scene_sql(s->path, databases[version - 1]);
}

static struct pm_str bytes_of(struct scene *s, const char *path)
{
    struct pm_str bytes = PM_STR_INIT;
    assert_ok(s, pm_file_read(path, &bytes, &s->err));
    return bytes;
}

static void assert_same_bytes(struct pm_str *a, struct pm_str *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);
    pm_str_release(a);
    pm_str_release(b);
}

/* ---- what comes out ------------------------------------------------------------------------ */

static int note_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct scene *s = ctx;
    pm_str_addf(&s->seen, "%lld|%s|%s|%s|%s|%lld|%lld|%lld|\n", (long long)row->run_id,
                row->target_id % 2 ? "null@null" : "null@host", row->function,
                pm_verdict_text(row->verdict), pm_verdict_text(row->verdict_study),
                (long long)row->counted, (long long)row->passed, (long long)row->flaky);
    return 0;
}

static void check_reading(struct scene *s)
{
    assert_ok(s, scene_read_all(s->store, &s->err));
    for (int64_t run = 1; run <= 2; run++)
        assert_ok(s, pm_store_verdicts(s->store, run, note_verdict, s, &s->err));
    assert_string_equal(s->seen.data, verdicts);
    pm_str_clear(&s->seen);
}

static void test_each_version_gives_the_same_verdicts(void **state)
{
    struct scene *s = *state;
    assert_int_equal(atoi(SCENE_VERSION), PM_STORE__VERSION);
    for (int version = 1; version <= DATABASES; version++)
        for (int mode = PM_STORE_READ; mode <= PM_STORE_WRITE; mode++) {
            char *copy = copy_of(s, version);
            make(s, version);
            scene_open(s, (enum pm_store_mode)mode);
            check_reading(s);
            scene_close(s);
            scene_assert_query(s->path, "PRAGMA user_version", SCENE_VERSION "|\n");
            assert_int_equal(pm_path_exists(copy), version < PM_STORE__VERSION);
            unlink(copy);
            free(copy);
        }
}

/* Columns that are in every version; `now` by the names that they have since version 3. */
static char *contents(const char *path, bool now)
{
    static const char *const queries[][2] = {
        {"SELECT id, uuid, started, finished, state, options, suite_digest, seed, validity,"
         " validity_reason FROM run",
         NULL},
        {"SELECT id, run_id, text, environment, framework, device, mode, control, role, evidence,"
         " latencies, on_host, version, versions, python, device_name, driver_version, numeric"
         " FROM target",
         "SELECT id, run_id, text, environment, framework, device, mode, control, role, evidence,"
         " latencies, on_host, version, versions, interpreter, device_name, driver_version, numeric"
         " FROM target"},
        {"SELECT * FROM test_case", NULL},
        {"SELECT * FROM child", NULL},
        {"SELECT id, run_id, target_id, case_id, repetition, state, child_id, answered, stage,"
         " ending, ending_code, ending_text, result FROM execution",
         NULL},
        {"SELECT execution_id, part, position, path, kind, dtype, shape, device, on_device, digest,"
         " value FROM leaf",
         NULL},
        {"SELECT digest, length, hex(bytes) FROM blob", NULL},
        {"SELECT execution_id, clock, samples, compilations FROM timing", NULL},
        {"SELECT * FROM canary", NULL},
        {"SELECT execution_id, outcome, stage, detail, smallest_rtol FROM judgement", NULL},
        {"SELECT run_id, target_id, function, verdict, verdict_study, counted, passed, flaky,"
         " host_only, detail FROM verdict",
         NULL},
        {"SELECT * FROM figure", "SELECT * FROM statistic"},
        {"SELECT id, 1, started, finished, machine ->> 'kernel', machine ->> 'load_before',"
         " machine ->> 'load_after' FROM run",
         "SELECT run_id, number, started, finished, machine ->> 'kernel', load_before, load_after"
         " FROM sitting"},
    };
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char *rows = scene_query(path, queries[i][now && queries[i][1]]);
        assert_string_not_equal(rows, "");
        pm_str_add(&out, rows);
        free(rows);
    }
    return pm_str_detach(&out);
}

static void test_nothing_is_lost(void **state)
{
    struct scene *s = *state;
    for (int version = 1; version < PM_STORE__VERSION; version++) {
        make(s, version);
        char *before = contents(s->path, version > 2);
        scene_open(s, PM_STORE_READ);
        scene_close(s);
        char *after = contents(s->path, true);
        assert_string_equal(after, before);
        scene_assert_query(s->path,
                           "SELECT DISTINCT kept, latency_validity = validity,"
                           " latency_validity_reason = validity_reason FROM run",
                           "0|1|1|\n");
        scene_assert_query(s->path,
                           "SELECT DISTINCT shared, result ->> 'shared' FROM execution"
                           " WHERE result <> '' ORDER BY shared",
                           version < 5 ? "0|0|\n1|1|\n" : "0|NULL|\n1|NULL|\n");
        scene_assert_query(s->path, "SELECT DISTINCT types, places FROM scan",
                           version < 2   ? ""
                           : version < 6 ? "0|0|\n"
                                         : "0|0|\n1|1|\n");
        scene_assert_query(s->path, "SELECT DISTINCT kept FROM leaf ORDER BY kept",
                           version < 5 ? "1|\n" : "0|\n1|\n");
        scene_assert_query(s->path, "SELECT count(*) FROM closeness",
                           version < 5 ? "0|\n" : "1|\n");
        scene_assert_query(s->path, "PRAGMA integrity_check", "ok|\n");
        scene_assert_query(s->path, "PRAGMA foreign_key_check", "");
        scene_assert_query(s->path, "PRAGMA auto_vacuum", "2|\n");
        scene_assert_query(s->path, "PRAGMA freelist_count", "0|\n");
        free(before);
        free(after);
    }
}

/* A file that was made by version 1 and brought to version 2 has other text in its schema. */
static void test_both_kinds_of_version_2(void **state)
{
    struct scene *s = *state;
    make(s, 1);
    scene_sql(s->path, pm_store__schema_1_to_2);
    scene_sql(s->path, "PRAGMA user_version = 2");
    scene_open(s, PM_STORE_READ);
    check_reading(s);
}

/* Version 7 has the peak of device memory in the answer. */
static void test_version_7_peak_memory_moves_to_first_calls(void **state)
{
    static const struct {
        const char *answer, *row;
    } answers[] = {
        {"{\"device_memory\":4096}", "1|-1|-1|-1|4096|\n"},
        {"{\"device_memory\":9007199254740993}", ""},
        {"{\"device_memory\":-1}", ""},
        {"{\"device_memory\":1.5}", ""},
        {"{\"device_memory\":null}", ""},
        {"{}", ""},
        {"", ""},
    };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        char *sql = pm_format("UPDATE execution SET result = '%s' WHERE id = 1", answers[i].answer);
        make(s, 7);
        scene_sql(s->path, sql);
        scene_open(s, PM_STORE_READ);
        scene_assert_query(s->path, "SELECT * FROM first_call", answers[i].row);
        scene_close(s);
        free(sql);
    }
}

/* ---- the copy ------------------------------------------------------------------------------ */

static void test_copy_is_the_file_as_it_was(void **state)
{
    struct scene *s = *state;
    make(s, 2);
    chmod(s->path, 0600);
    char *rows = contents(s->path, false), *copy = copy_of(s, 2);
    scene_open(s, PM_STORE_READ);
    scene_close(s);
    char *kept = contents(copy, false);
    assert_string_equal(kept, rows);
    scene_assert_query(copy, "PRAGMA user_version", "2|\n");
    struct stat info;
    assert_int_equal(stat(copy, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    free(rows);
    free(kept);
    free(copy);
}

static void test_copies_are_not_overwritten(void **state)
{
    struct scene *s = *state;
    char *copy = copy_of(s, 2), *second = pm_format("%s.1", copy);
    make(s, 2);
    assert_ok(s, pm_file_write(copy, "mine", 4, &s->err));
    scene_open(s, PM_STORE_WRITE);
    struct pm_str bytes = bytes_of(s, copy);
    assert_string_equal(bytes.data, "mine");
    pm_str_release(&bytes);
    assert_true(pm_path_exists(second));
    free(copy);
    free(second);
}

static void test_note_says_where_the_copy_is(void **state)
{
    struct scene *s = *state;
    FILE *notes = tmpfile();
    char said[1024] = "";
    char *copy = copy_of(s, 1);
    make(s, 1);
    pm_store_note_to(notes);
    scene_open(s, PM_STORE_READ);
    scene_open(s, PM_STORE_READ);
    pm_store_note_to(NULL);
    rewind(notes);
    assert_non_null(fgets(said, sizeof said, notes));
    assert_non_null(strstr(said, "was updated to schema version " SCENE_VERSION));
    assert_non_null(strstr(said, copy));
    assert_null(fgets(said, sizeof said, notes));
    fclose(notes);
    free(copy);
}

/* ---- what cannot be ------------------------------------------------------------------------ */

static void refuse_as_nobody(struct scene *s)
{
    struct pm_store *store = NULL;
    if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0)
        _exit(2);
    const int rc = pm_store_open(&store, s->path, PM_STORE_READ, &s->err);
    if (rc != PM_EIO ||
        !strstr(s->err.text, "has schema version 2 and must be updated to " SCENE_VERSION) ||
        !strstr(s->err.text, "copy the database to a writable folder")) {
        fprintf(stderr, "%d: %s\n", rc, s->err.text);
        _exit(1);
    }
    _exit(0);
}

static void assert_refused_to_nobody(struct scene *s)
{
    const pid_t child = fork();
    if (child == 0)
        refuse_as_nobody(s);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_where_nothing_can_be_written(void **state)
{
    struct scene *s = *state;
    make(s, 2);
    struct pm_str before = bytes_of(s, s->path);
    chmod(s->path, 0444);
    assert_refused_to_nobody(s);
    chmod(s->path, 0666);
    chmod(s->folder, 0555);
    assert_refused_to_nobody(s);
    struct pm_str after = bytes_of(s, s->path);
    assert_same_bytes(&before, &after);
}

static void test_beside_a_writer(void **state)
{
    struct scene *s = *state;
    make(s, 2);
    char *lock = pm_format("%s-lock", s->path), *copy = copy_of(s, 2);
    char *other = pm_path_join(s->folder, "other.db"), *path = s->path;
    s->path = other;
    scene_open(s, PM_STORE_WRITE);
    char *held = pm_format("%s-lock", other);
    assert_int_equal(rename(held, lock), 0);
    s->path = path;
    scene_assert_refused(s, PM_STORE_READ, PM_EBUSY, "is being written by process");
    assert_false(pm_path_exists(copy));
    scene_close(s);
    free(held);
    free(lock);
    free(copy);
    free(other);
}

/* Rows that the new constraints do not let in, or that refer to nothing: the file stays as it was.
 */
static void test_damaged_rows(void **state)
{
    static const struct {
        const char *sql, *says;
    } damages[] = {
        {"UPDATE execution SET repetition = -5 WHERE id = 1",
         "its rows do not fit schema version 3"},
        {"UPDATE run SET machine = '{'", "malformed JSON"},
        {"UPDATE leaf SET digest = 'x' WHERE digest <> ''", "CHECK constraint failed"},
        {"DELETE FROM target WHERE id = 1", "to rows that do not exist"},
    };
    struct scene *s = *state;
    char *copy = copy_of(s, 2);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        make(s, 2);
        scene_sql(s->path, damages[i].sql);
        struct pm_str before = bytes_of(s, s->path);
        scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, damages[i].says);
        struct pm_str after = bytes_of(s, s->path);
        assert_same_bytes(&before, &after);
        assert_false(pm_path_exists(copy));
    }
    free(copy);
}

static void test_other_schemas(void **state)
{
    struct scene *s = *state;
    make(s, 2);
    scene_sql(s->path, "PRAGMA user_version = 1");
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT, "does not belong to schema version 1");
    make(s, 1);
    scene_sql(s->path, "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM target; END");
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT, "trigger 't' does not belong to");
    make(s, 3);
    scene_sql(s->path, "PRAGMA user_version = 99");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, "use a newer portmeter");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        T(test_each_version_gives_the_same_verdicts),
        T(test_nothing_is_lost),
        T(test_both_kinds_of_version_2),
        T(test_version_7_peak_memory_moves_to_first_calls),
        T(test_copy_is_the_file_as_it_was),
        T(test_copies_are_not_overwritten),
        T(test_note_says_where_the_copy_is),
        T(test_where_nothing_can_be_written),
        T(test_beside_a_writer),
        T(test_damaged_rows),
        T(test_other_schemas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
