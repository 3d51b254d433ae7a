/* Tests which files the store opens: undamaged databases of portmeter with exactly the tables of
 * their version. Any other file gives one line and is not changed. Also tests which sums over
 * judgements are accepted. */
#include "store_scene.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/judged.h"
#include "store/runs.h"

static void write_file(struct scene *s, const void *bytes, size_t length)
{
    assert_ok(s, pm_file_write(s->path, bytes, length, &s->err));
}

static struct pm_str read_file(struct scene *s)
{
    struct pm_str bytes = PM_STR_INIT;
    assert_ok(s, pm_file_read(s->path, &bytes, &s->err));
    return bytes;
}

static void assert_refused_both(struct scene *s, int code, const char *part)
{
    scene_assert_refused(s, PM_STORE_READ, code, part);
    scene_assert_refused(s, PM_STORE_WRITE, code, part);
}

/* ---- packed -------------------------------------------------------------------------------- */

/* Packs the file of the scene as zstd(1) does. */
static void pack_file(struct scene *s)
{
    struct pm_str plain = read_file(s);
    const size_t bound = ZSTD_compressBound(plain.length);
    char *packed = pm_alloc(bound);
    const size_t length = ZSTD_compress(packed, bound, plain.data, plain.length, 3);
    assert_false(ZSTD_isError(length));
    write_file(s, packed, length);
    free(packed);
    pm_str_release(&plain);
}

static void test_packed(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_close(s);
    pack_file(s);
    struct pm_str before = read_file(s);
    scene_open(s, PM_STORE_READ);
    assert_ok(s, scene_read_all(s->store, &s->err));
    assert_int_equal(pm_store_keep_run(s->store, 1, true, &s->err), PM_EIO);
    scene_assert_says(s, "read-only");
    scene_close(s);
    scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, "is packed, and can only be read");
    struct pm_str after = read_file(s);
    assert_int_equal(after.length, before.length);
    assert_memory_equal(after.data, before.data, before.length);
    pm_str_release(&before);
    pm_str_release(&after);
}

static void test_packed_and_damaged(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_close(s);
    pack_file(s);
    struct pm_str whole = read_file(s);
    write_file(s, whole.data, whole.length / 2);
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT, "is damaged: copy or download it again");
    write_file(s, whole.data, 6);
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT,
                         "is not a zstd frame that states its length");
    write_file(s, "not a database", 14);
    pack_file(s);
    scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT, "");
    pm_str_release(&whole);
}

/* For a frame that claims to unpack to 2 GiB, no memory may be allocated. */
static void test_packed_and_huge(void **state)
{
    static const unsigned char frame[] = {0x28, 0xB5, 0x2F, 0xFD, 0xA0, /* 4-byte length */
                                          0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00};
    write_file(*state, frame, sizeof frame);
    scene_assert_refused(*state, PM_STORE_READ, PM_EFORMAT, "unpacks to more than 1024 MiB");
}

/* ---- not databases of portmeter ------------------------------------------------------------ */

static void test_not_a_database(void **state)
{
    struct scene *s = *state;
    char text[5000];
    memset(text, 'a', sizeof text);
    write_file(s, text, sizeof text);
    assert_refused_both(s, PM_EFORMAT, "is not a portmeter database");
    write_file(s, "short", 5);
    assert_refused_both(s, PM_EFORMAT, "is not a portmeter database");
    struct pm_str now = read_file(s);
    assert_string_equal(now.data, "short");
    pm_str_release(&now);
}

static void test_of_another_program(void **state)
{
    struct scene *s = *state;
    scene_sql(s->path, "CREATE TABLE note (text)");
    assert_refused_both(s, PM_EFORMAT, "of another program");
    scene_sql(s->path, "PRAGMA application_id = 252006673");
    assert_refused_both(s, PM_EFORMAT, "of another program");
}

static void test_empty(void **state)
{
    struct scene *s = *state;
    scene_assert_refused(s, PM_STORE_READ, PM_ENOTFOUND, "does not exist");
    assert_false(pm_path_exists(s->path));
    write_file(s, "", 0);
    scene_assert_refused(s, PM_STORE_READ, PM_ENOTFOUND, "is empty: fill it");
    scene_sql(s->path, "CREATE TABLE t (a); DROP TABLE t");
    scene_assert_refused(s, PM_STORE_READ, PM_ENOTFOUND, "is empty: fill it");
    write_file(s, "S", 1); /* SQLite treats this cut database as empty */
    assert_refused_both(s, PM_EFORMAT, "is damaged: the file has only 1 byte");
    write_file(s, "", 0);
    assert_int_equal(pm_store_expect(s->path, &s->err), PM_ENOTFOUND);
    scene_assert_says(s, "is empty: fill it");
    scene_fill(s);
    assert_int_equal(pm_store_expect(s->path, &s->err), PM_OK);
    scene_open(s, PM_STORE_READ);
    assert_ok(s, scene_read_all(s->store, &s->err));
    assert_int_equal(pm_store_keep_run(s->store, 1, true, &s->err), PM_EIO);
    scene_assert_says(s, "read-only");
}

/* A limit on the size of files simulates a full disk. */
static void test_new_file_that_cannot_be_filled(void **state)
{
    struct scene *s = *state;
    const pid_t child = fork();
    if (child == 0) {
        struct pm_store *store;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
        const int rc = pm_store_open(&store, s->path, PM_STORE_WRITE, &s->err);
        _exit(rc == PM_EIO && !pm_path_exists(s->path) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char **names;
    size_t count;
    assert_ok(s, pm_folder_list(s->folder, &names, &count, &s->err));
    assert_int_equal(count, 0);
    pm_free_strings(names, count);
}

static void test_paths(void **state)
{
    struct scene *s = *state;
    char *file = s->path;
    s->path = pm_strdup(s->folder);
    assert_refused_both(s, PM_EFORMAT, "is a folder, not a database");
    free(s->path);
    s->path = pm_path_join(s->folder, "none/test.db");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EIO, "the folder");
    free(s->path);
    s->path = pm_strdup("/dev/null");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, "not a regular file");
    free(s->path);
    s->path = pm_strdup("");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EUSAGE, "empty");
    free(s->path);
    s->path = file;
    write_file(s, "x", 1);
    s->path = pm_path_join(file, "test.db");
    scene_assert_refused(s, PM_STORE_WRITE, PM_EIO, "Not a directory");
    free(s->path);
    s->path = file;
}

/* ---- length -------------------------------------------------------------------------------- */

static void test_shorter(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str whole = read_file(s);
    for (size_t cut = 1; cut <= 100; cut++) {
        write_file(s, whole.data, whole.length - cut);
        scene_assert_refused(s, PM_STORE_READ, PM_EFORMAT, "but its header says");
    }
    assert_refused_both(s, PM_EFORMAT, "but its header says");
    write_file(s, whole.data, whole.length / 2);
    assert_refused_both(s, PM_EFORMAT, "is damaged");
    write_file(s, whole.data, 50);
    assert_refused_both(s, PM_EFORMAT, "is damaged");
    pm_str_release(&whole);
}

static void assert_length(struct scene *s, size_t length)
{
    struct pm_str now = read_file(s);
    assert_int_equal(now.length, length);
    pm_str_release(&now);
}

/* The file is longer than its header says, as after a process that died before SQLite shortened
 * it. */
static void test_longer(void **state)
{
    enum { PAGE = 4096 };
    static const size_t lengths[] = {1, 100, PAGE, 3 * PAGE, 3 * PAGE + 1};
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str whole = read_file(s);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct pm_str longer = PM_STR_INIT;
        pm_str_add_bytes(&longer, whole.data, whole.length);
        for (size_t more = 0; more < lengths[i]; more++)
            pm_str_add_char(&longer, 'x');
        write_file(s, longer.data, longer.length);
        scene_open(s, PM_STORE_READ);
        assert_ok(s, scene_read_all(s->store, &s->err));
        scene_close(s);
        assert_length(s, longer.length);
        scene_open(s, PM_STORE_WRITE);
        scene_close(s);
        struct pm_str now = read_file(s);
        assert_int_equal(now.length, whole.length);
        assert_memory_equal(now.data, whole.data, whole.length);
        pm_str_release(&now);
        pm_str_release(&longer);
    }
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, pm_store_keep_run(s->store, 1, true, &s->err));
    scene_close(s);
    scene_assert_query(s->path, "PRAGMA integrity_check", "ok|\n");
    pm_str_release(&whole);
}

/* A reader may take long. The writer continues beside it, and the next writer shortens the file. */
static void test_longer_beside_a_reader(void **state)
{
    struct scene *s = *state;
    sqlite3 *reader;
    scene_fill(s);
    struct pm_str bytes = read_file(s);
    const size_t whole = bytes.length;
    pm_str_add(&bytes, "what was cut off");
    write_file(s, bytes.data, bytes.length);
    assert_int_equal(sqlite3_open(s->path, &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM run", NULL, NULL, NULL), SQLITE_OK);
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    assert_length(s, bytes.length);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    scene_open(s, PM_STORE_WRITE);
    scene_close(s);
    assert_length(s, whole);
    pm_str_release(&bytes);
}

/* If damage makes the header's length too short, a writer must not cut off pages of the file. */
static void test_longer_by_a_damaged_header(void **state)
{
    enum { AT_PAGE_COUNT = 28, LAST_BYTE = 3, PAGE = 4096 };
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str whole = read_file(s);
    for (size_t pages = whole.length / PAGE - 1; pages > 1; pages -= pages > 8 ? 7 : 1) {
        memcpy(whole.data + AT_PAGE_COUNT, (char[]){0, 0, (char)(pages >> 8), (char)(pages & 0xff)},
               LAST_BYTE + 1);
        write_file(s, whole.data, whole.length);
        scene_assert_refused(s, PM_STORE_WRITE, PM_EFORMAT, "is damaged");
        assert_length(s, whole.length);
    }
    memset(whole.data + AT_PAGE_COUNT, 0, LAST_BYTE + 1);
    write_file(s, whole.data, whole.length);
    assert_refused_both(s, PM_EFORMAT, "does not contain the length");
    assert_length(s, whole.length);
    pm_str_release(&whole);
}

/* A process that is killed while its transaction is in the file leaves a journal. With it SQLite
 * restores the committed rows, and the file has its former length. */
static void test_hot_journal(void **state)
{
    for (int mode = PM_STORE_READ; mode <= PM_STORE_WRITE; mode++) {
        struct scene *s = *state;
        char *journal = pm_format("%s-journal", s->path);
        unlink(s->path);
        scene_fill(s);
        struct pm_str before = read_file(s);
        const pid_t child = fork();
        if (child == 0) {
            sqlite3 *db;
            sqlite3_open(s->path, &db);
            sqlite3_exec(db,
                         "PRAGMA cache_size = 2; PRAGMA ignore_check_constraints = ON; BEGIN;"
                         "UPDATE run SET options = hex(randomblob(50000));"
                         "UPDATE target SET text = hex(randomblob(50000));"
                         "UPDATE test_case SET definition = hex(randomblob(50000));"
                         "UPDATE child SET output = hex(randomblob(50000))",
                         NULL, NULL, NULL);
            raise(SIGKILL);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WTERMSIG(status), SIGKILL);
        assert_true(pm_path_exists(journal));
        struct pm_str killed = read_file(s);
        assert_true(killed.length > before.length);
        scene_open(s, (enum pm_store_mode)mode);
        assert_ok(s, scene_read_all(s->store, &s->err));
        scene_close(s);
        assert_false(pm_path_exists(journal));
        struct pm_str after = read_file(s);
        assert_int_equal(after.length, before.length);
        assert_memory_equal(after.data, before.data, before.length);
        pm_str_release(&before);
        pm_str_release(&killed);
        pm_str_release(&after);
        free(journal);
    }
}

static void test_header_without_a_length(void **state)
{
    enum { AT_CHANGES_AT_COUNT = 92 };
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str bytes = read_file(s);
    bytes.data[AT_CHANGES_AT_COUNT] ^= 1;
    write_file(s, bytes.data, bytes.length);
    assert_refused_both(s, PM_EFORMAT, "does not contain the length");
    pm_str_release(&bytes);
}

static void test_overwritten(void **state)
{
    enum { PAGE = 4096 };
    size_t refused = 0;
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str bytes = read_file(s);
    for (size_t page = 1; page < bytes.length / PAGE; page++) {
        struct pm_store *store = NULL;
        char *at = bytes.data + page * PAGE, kept[PAGE];
        memcpy(kept, at, PAGE);
        memset(at, 0xee, PAGE);
        write_file(s, bytes.data, bytes.length);
        memcpy(at, kept, PAGE);
        int rc = pm_store_open(&store, s->path, PM_STORE_READ, &s->err);
        if (rc == PM_OK)
            rc = scene_read_all(store, &s->err);
        pm_store_free(store);
        if (rc == PM_OK) /* the page belongs to an index or a table that is not read */
            continue;
        assert_int_equal(rc, PM_EFORMAT);
        scene_assert_says(s, "is damaged");
        scene_assert_says(s, ": restore a backup copy, or measure again");
        refused++;
    }
    assert_true(refused > 20);
    pm_str_release(&bytes);
}

static void test_write_ahead_log(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_sql(s->path, "PRAGMA journal_mode = WAL");
    assert_refused_both(s, PM_EFORMAT, "'PRAGMA journal_mode = DELETE' to remove it");
    scene_sql(s->path, "PRAGMA journal_mode = DELETE");
    scene_open(s, PM_STORE_WRITE);
}

/* ---- schema -------------------------------------------------------------------------------- */

static void test_other_schemas(void **state)
{
    static const struct {
        const char *sql, *says;
    } changes[] = {
        {"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM target; END",
         "has the trigger 't', which schema version " SCENE_VERSION
         " does not have: if another program added it, remove it"},
        {"CREATE VIEW v AS SELECT 1", "has the view 'v', which"},
        {"CREATE TABLE aa (a)", "has the table 'aa', which"},
        {"CREATE INDEX zz ON run (state)", "has the index 'zz', which"},
        {"DROP TABLE planted_fault",
         "schema version " SCENE_VERSION " (table 'planted_fault' is missing)"},
        {"DROP INDEX statistic_of_run", "(index 'statistic_of_run' is missing)"},
        {"ALTER TABLE run ADD COLUMN more INTEGER",
         "schema version " SCENE_VERSION " (table 'run' differs)"},
        {"ALTER TABLE run RENAME COLUMN seed TO seeds", "(table 'run' differs)"},
        {"ANALYZE", "has the table 'sqlite_stat1', which"},
        {"PRAGMA user_version = 0", "its schema version is 0"},
        {"PRAGMA user_version = -2", "its schema version is -2"},
        {"PRAGMA writable_schema = ON;"
         " UPDATE sqlite_schema SET sql = replace(sql, '''todo'', ''done''', '''todo'', ''dune''')",
         "(table 'execution' differs)"},
        {"PRAGMA writable_schema = ON;"
         " UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (pid >= 0)', '')",
         "(table 'child' differs)"},
    };
    struct scene *s = *state;
    scene_fill(s);
    struct pm_str whole = read_file(s);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        write_file(s, whole.data, whole.length);
        scene_sql(s->path, changes[i].sql);
        struct pm_str before = read_file(s);
        assert_refused_both(s, PM_EFORMAT, changes[i].says);
        struct pm_str after = read_file(s);
        assert_int_equal(after.length, before.length);
        assert_memory_equal(after.data, before.data, before.length);
        pm_str_release(&before);
        pm_str_release(&after);
    }
    pm_str_release(&whole);
}

static void test_comments_do_not_matter(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_sql(s->path, "PRAGMA writable_schema = ON;"
                       "UPDATE sqlite_schema SET sql ="
                       " replace(replace(sql, '-- ', '-- it''s \" another '), ', ', ' ,  ')"
                       " WHERE name IN ('run', 'leaf', 'statistic_of_run')");
    scene_open(s, PM_STORE_READ);
    assert_ok(s, scene_read_all(s->store, &s->err));
}

static void test_newer(void **state)
{
    struct scene *s = *state;
    scene_fill(s);
    scene_sql(s->path, "PRAGMA user_version = 1000");
    assert_refused_both(
        s, PM_EFORMAT,
        "has schema version 1000, but this portmeter supports versions up to " SCENE_VERSION);
}

/* ---- whether the judgements of a run are summed up ------------------------------------------ */

static void assert_summed(struct scene *s, bool expected)
{
    bool summed;
    int64_t cases;
    struct pm_run_progress now;
    assert_ok(s, pm_store_run_progress(s->store, s->run, &now, &s->err));
    assert_ok(s, pm_store_judged_run(s->store, s->run, now.executions, &summed, &cases, &s->err));
    assert_int_equal(summed, expected);
}

static int never(void *ctx, const struct pm_judged_case_row *row)
{
    (void)ctx;
    fail_msg("the case %lld was believed", (long long)row->case_id);
    return 0;
}

/* Sums are valid until an execution is added to the run, the run continues, or it is judged again.
 */
static void test_judged_run_is_of_the_run_as_it_is(void **state)
{
    struct scene *s = *state;
    int64_t number;
    const struct pm_attempt_row attempt = {
        .run_id = 1, .started = SCENE_TIME, .machine = "{}", .load_before = NAN};
    scene_fill(s);
    scene_open(s, PM_STORE_WRITE);
    assert_summed(s, true);
    const int64_t more = scene_plan(s, 1);
    assert_summed(s, false);
    char *sql = pm_format("DELETE FROM execution WHERE id = %lld", (long long)more);
    scene_sql(s->path, sql);
    free(sql);
    assert_summed(s, true);
    assert_ok(s, pm_store_add_attempt(s->store, &attempt, &number, &s->err));
    assert_summed(s, false);
    assert_ok(s, pm_store_add_judged_run(s->store, s->run, &s->err));
    assert_summed(s, true);
    assert_ok(s, pm_store_clear_judgements(s->store, s->run, &s->err));
    assert_summed(s, false);
}

/* Each value is in its range, but together they are impossible. */
static void test_judged_case_must_agree_with_itself(void **state)
{
    static const char *const damages[] = {
        "failed = 0, passed = 1",     "outcome = 'pass'", "outcome = 'harness'",
        "outcome = 'not applicable'", "judged = 2",       "blocked = 1",
    };
    struct scene *s = *state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        unlink(s->path);
        scene_fill(s);
        char *sql = pm_format("PRAGMA ignore_check_constraints = ON; UPDATE judged_case SET %s",
                              damages[i]);
        scene_sql(s->path, sql);
        free(sql);
        scene_open(s, PM_STORE_READ);
        assert_int_equal(pm_store_judged_cases(s->store, 1, never, NULL, &s->err), PM_EFORMAT);
        scene_assert_says(s, "the counts of row 'judged case 1 of run 1' do not match its outcome");
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        T(test_packed),
        T(test_packed_and_damaged),
        T(test_packed_and_huge),
        T(test_not_a_database),
        T(test_of_another_program),
        T(test_empty),
        T(test_new_file_that_cannot_be_filled),
        T(test_paths),
        T(test_shorter),
        T(test_longer),
        T(test_longer_beside_a_reader),
        T(test_longer_by_a_damaged_header),
        T(test_hot_journal),
        T(test_header_without_a_length),
        T(test_overwritten),
        T(test_write_ahead_log),
        T(test_other_schemas),
        T(test_comments_do_not_matter),
        T(test_newer),
        T(test_judged_run_is_of_the_run_as_it_is),
        T(test_judged_case_must_agree_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
