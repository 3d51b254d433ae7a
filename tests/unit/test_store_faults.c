/* Tests of the store with folders that cannot be written, other processes, a full disk and a killed
 * writer: each gives one line and keeps committed rows. */
#include "store_scene.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "store/runs.h"
#include "store/store_private.h"

enum { NOBODY = 65534 };

static int add_run(struct pm_store *store, unsigned number, struct pm_error *err)
{
    char uuid[33];
    snprintf(uuid, sizeof uuid, "%032x", number);
    char options[2000];
    memset(options, ' ', sizeof options - 1);
    memcpy(options, "{}", 2);
    options[sizeof options - 1] = '\0';
    const struct pm_run_row run = {.uuid = uuid,
                                   .started = SCENE_TIME,
                                   .state = PM_RUN_RUNNING,
                                   .options = options,
                                   .suite_digest = SCENE_DIGEST};
    int64_t id = 0;
    return pm_store_add_run(store, &run, &id, err);
}

static int count_run(void *ctx, const struct pm_run_row *run)
{
    (void)run;
    ++*(int *)ctx;
    return 0;
}

static void check_runs(struct scene *s, int expected)
{
    int count = 0;
    assert_ok(s, pm_store_runs(s->store, count_run, &count, &s->err));
    assert_int_equal(count, expected);
}

static void make_store(struct scene *s, unsigned runs)
{
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    for (unsigned i = 0; i < runs; i++)
        assert_ok(s, add_run(s->store, i, &s->err));
    assert_ok(s, pm_store_commit(s->store, &s->err));
    scene_close(s);
}

/* Runs `body` in a child, which must end by this signal (0: by itself, with status 0). */
static void in_child(struct scene *s, void (*body)(struct scene *s), int signal)
{
    const pid_t child = fork();
    if (child == 0) {
        body(s);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (signal)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    else
        assert_int_equal(status, 0);
}

/* Ends a child with a message if `holds` is false: cmocka's assertions do not work in a child. */
static void expect_in_child(bool holds, const char *text)
{
    if (!holds) {
        fprintf(stderr, "in the child: %s\n", text);
        _exit(1);
    }
}

static void become_nobody(void)
{
    if (geteuid() == 0)
        expect_in_child(setresuid(NOBODY, NOBODY, NOBODY) == 0, "cannot leave root");
}

/* ---- places that cannot be written --------------------------------------------------------- */

static void write_and_read_as_nobody(struct scene *s)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, s->path, PM_STORE_WRITE, &s->err);
    expect_in_child(rc == PM_EIO && strstr(s->err.text, "cannot write"), s->err.text);
    expect_in_child(strstr(s->err.text, "Permission denied"), s->err.text);
    expect_in_child(pm_store_open(&store, s->path, PM_STORE_READ, &s->err) == PM_OK, s->err.text);
    int count = 0;
    expect_in_child(pm_store_runs(store, count_run, &count, &s->err) == PM_OK, s->err.text);
    expect_in_child(count == 3, "not all runs are there");
    pm_store_free(store);
}

static void test_read_only_file(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    chmod(s->path, 0444);
    in_child(s, write_and_read_as_nobody, 0);
}

static void test_read_only_folder(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    chmod(s->path, 0666);
    chmod(s->folder, 0555);
    in_child(s, write_and_read_as_nobody, 0);
    chmod(s->path, 0444);
    in_child(s, write_and_read_as_nobody, 0);
}

static void read_unreadable(struct scene *s)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, s->path, PM_STORE_READ, &s->err);
    expect_in_child(rc == PM_EIO && strstr(s->err.text, "cannot read database"), s->err.text);
}

static void test_unreadable(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    chmod(s->path, 0000);
    in_child(s, read_unreadable, 0);
}

/* ---- other processes ------------------------------------------------------------------------- */

/* A writer in a process of its own. It reports when it has begun, and commits when it receives a
 * byte through `go`. */
struct writer {
    pid_t pid;
    int begun, go;
};

static void write_when_asked(struct scene *s, int begun, int go)
{
    struct pm_store *store = NULL;
    char byte;
    expect_in_child(pm_store_open(&store, s->path, PM_STORE_WRITE, &s->err) == PM_OK, s->err.text);
    expect_in_child(pm_store_begin(store, &s->err) == PM_OK, s->err.text);
    for (unsigned i = 0; i < 5000; i++)
        expect_in_child(add_run(store, 1000 + i, &s->err) == PM_OK, s->err.text);
    expect_in_child(write(begun, "b", 1) == 1, "cannot say that it has begun");
    expect_in_child(read(go, &byte, 1) == 1, "got no byte to go on");
    expect_in_child(pm_store_commit(store, &s->err) == PM_OK, s->err.text);
    pm_store_free(store);
}

static struct writer start_writer(struct scene *s)
{
    int begun[2], go[2];
    char said;
    assert_int_equal(pipe(begun), 0);
    assert_int_equal(pipe(go), 0);
    const struct writer writer = {.pid = fork(), .begun = begun[0], .go = go[1]};
    if (writer.pid == 0) {
        write_when_asked(s, begun[1], go[0]);
        _exit(0);
    }
    close(begun[1]);
    close(go[0]);
    assert_int_equal(read(writer.begun, &said, 1), 1);
    return writer;
}

static void end_writer(const struct writer *writer)
{
    int status = 0;
    assert_int_equal(write(writer->go, "g", 1), 1);
    assert_int_equal(waitpid(writer->pid, &status, 0), writer->pid);
    assert_int_equal(status, 0);
    close(writer->begun);
    close(writer->go);
}

static void test_second_writer(void **state)
{
    struct scene *s = *state;
    make_store(s, 1);
    const struct writer writer = start_writer(s);
    char *name = pm_format("is being written by process %ld ('test_store_faul", (long)writer.pid);
    scene_assert_refused(s, PM_STORE_WRITE, PM_EBUSY, name);
    free(name);
    end_writer(&writer);
    scene_open(s, PM_STORE_WRITE);
    check_runs(s, 5001);
    scene_assert_refused(s, PM_STORE_WRITE, PM_EBUSY, "is being written by process");
    char *lock = pm_format("%s-lock", s->path), *link = pm_format("%s.link", s->path);
    assert_int_equal(symlink(s->path, link), 0);
    char *path = s->path;
    s->path = link;
    scene_assert_refused(s, PM_STORE_WRITE, PM_EBUSY, "is being written by process");
    s->path = path;
    assert_true(pm_path_exists(lock));
    scene_close(s);
    assert_false(pm_path_exists(lock));
    free(lock);
    free(link);
}

/* The lock file of a killed process does not lock; its contents are only shown. */
static void test_lock_files(void **state)
{
    static const char *const contents[] = {
        "", "12", "x", "-5 a\n", "77 \x1b[31m\xff\n", "99999999999999999999999 a\n"};
    struct scene *s = *state;
    make_store(s, 1);
    char *lock = pm_format("%s-lock", s->path);
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        assert_ok(s, pm_file_write(lock, contents[i], strlen(contents[i]), &s->err));
        const int fd = open(lock, O_RDONLY);
        assert_int_equal(flock(fd, LOCK_EX), 0);
        scene_assert_refused(s, PM_STORE_WRITE, PM_EBUSY, "is being written by");
        for (const char *at = s->err.text; *at; at++)
            assert_true(*at >= ' ' && *at <= '~');
        close(fd);
        scene_open(s, PM_STORE_WRITE);
        scene_close(s);
    }
    free(lock);
}

/* A reader is not blocked by a long transaction, whose changes stay in memory until its commit. */
static void test_reader_beside_a_writer(void **state)
{
    struct scene *s = *state;
    make_store(s, 1);
    const struct writer writer = start_writer(s);
    scene_open(s, PM_STORE_READ);
    sqlite3_busy_timeout(s->store->db, 0);
    check_runs(s, 1);
    end_writer(&writer);
    check_runs(s, 5001);
}

static void test_reader_sees_one_state(void **state)
{
    struct scene *s = *state;
    make_store(s, 1);
    scene_open(s, PM_STORE_READ);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    check_runs(s, 1);
    struct pm_store *writer = NULL;
    assert_ok(s, pm_store_open(&writer, s->path, PM_STORE_WRITE, &s->err));
    sqlite3_busy_timeout(writer->db, 0);
    assert_int_equal(add_run(writer, 50, &s->err), PM_EBUSY);
    check_runs(s, 1);
    assert_ok(s, pm_store_commit(s->store, &s->err));
    assert_ok(s, add_run(writer, 50, &s->err));
    check_runs(s, 2);
    pm_store_free(writer);
}

/* ---- the user stops portmeter -------------------------------------------------------------- */

static int stop_at_the_third(void *ctx, const struct pm_run_row *run)
{
    if (run->id == 3)
        pm_stop_request(SIGTERM);
    ++*(int *)ctx;
    return 0;
}

static void test_stop_ends_a_query(void **state)
{
    struct scene *s = *state;
    int count = 0;
    make_store(s, 5000);
    scene_open(s, PM_STORE_READ);
    assert_int_equal(pm_store_runs(s->store, stop_at_the_third, &count, &s->err), PM_ESTOPPED);
    scene_assert_says(s, "stopped by SIGTERM");
    assert_in_range(count, 3, 4000);
    pm_stop_reset();
    check_runs(s, 5000);
}

/* After pm_store_ignore_stop(), the user's stop does not interrupt writing, so that a stopped run
 * can be closed. */
static void test_closing_gets_through(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    scene_open(s, PM_STORE_WRITE);
    pm_store_ignore_stop(s->store);
    pm_stop_request(SIGINT);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    for (unsigned i = 0; i < 3000; i++)
        assert_ok(s, add_run(s->store, 100 + i, &s->err));
    assert_ok(s, pm_store_commit(s->store, &s->err));
    check_runs(s, 3003);
    pm_stop_reset();
}

static void test_stop_rolls_back(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    pm_stop_request(SIGINT);
    int rc = PM_OK;
    for (unsigned i = 0; i < 20000 && rc == PM_OK; i++)
        rc = add_run(s->store, 100 + i, &s->err);
    assert_int_equal(rc, PM_ESTOPPED);
    pm_stop_reset();
    assert_int_equal(pm_store_commit(s->store, &s->err), PM_EIO);
    check_runs(s, 3);
}

/* After the user's stop, the store does not wait for a process that has locked the database. */
static void test_stop_ends_waiting(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    sqlite3 *other;
    assert_int_equal(sqlite3_open(s->path, &other), SQLITE_OK);
    scene_open(s, PM_STORE_READ);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    pm_stop_request(SIGHUP);
    int count = 0;
    assert_int_equal(pm_store_runs(s->store, count_run, &count, &s->err), PM_ESTOPPED);
    pm_store_ignore_stop(s->store); /* now waits for up to a second */
    assert_int_equal(pm_store_runs(s->store, count_run, &count, &s->err), PM_EBUSY);
    scene_assert_says(s, "another program uses");
    pm_stop_reset();
    sqlite3_close(other);
}

/* ---- a full disk --------------------------------------------------------------------------- */

/* Adds runs until one fails, and returns the status of the last one. Counts the added runs in
 * *added.
 */
static int fill(struct pm_store *store, unsigned *added, struct pm_error *err)
{
    for (unsigned i = 0; i < 10000; i++) {
        const int rc = add_run(store, 1000 + i, err);
        if (rc)
            return rc;
        ++*added;
    }
    return PM_OK;
}

static void test_full_disk(void **state)
{
    struct scene *s = *state;
    make_store(s, 20);
    scene_open(s, PM_STORE_WRITE);
    sqlite3_exec(s->store->db, "PRAGMA max_page_count = 120", NULL, NULL, NULL);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    unsigned added = 0;
    assert_int_equal(fill(s->store, &added, &s->err), PM_EIO);
    scene_assert_says(s, "no space left for");
    assert_true(added > 2);
    assert_int_equal(add_run(s->store, 1, &s->err), PM_EIO);
    scene_assert_says(s, "an earlier error ended");
    assert_int_equal(pm_store_commit(s->store, &s->err), PM_EIO);
    scene_assert_says(s, "an earlier error ended");
    check_runs(s, 20);
    sqlite3_exec(s->store->db, "PRAGMA max_page_count = 600", NULL, NULL, NULL);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    assert_ok(s, add_run(s->store, 1000, &s->err));
    assert_ok(s, pm_store_commit(s->store, &s->err));
    scene_close(s);
    scene_open(s, PM_STORE_READ);
    check_runs(s, 21);
}

static void fill_under_limit(struct scene *s)
{
    signal(SIGXFSZ, SIG_IGN);
    struct pm_store *store = NULL;
    expect_in_child(pm_store_open(&store, s->path, PM_STORE_WRITE, &s->err) == PM_OK, s->err.text);
    const struct rlimit limit = {500000, 500000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int rc = PM_OK;
    while (rc == PM_OK && (rc = pm_store_begin(store, &s->err)) == PM_OK) {
        for (unsigned i = 0; i < 10 && rc == PM_OK; i++)
            rc = add_run(store, (unsigned)random(), &s->err);
        if (rc == PM_OK)
            rc = pm_store_commit(store, &s->err);
    }
    expect_in_child(rc == PM_EIO && strstr(s->err.text, "no space left for"), s->err.text);
    pm_store_free(store);
}

static void test_full_disk_by_limit(void **state)
{
    struct scene *s = *state;
    make_store(s, 20);
    in_child(s, fill_under_limit, 0);
    scene_open(s, PM_STORE_READ);
    int count = 0;
    assert_ok(s, pm_store_runs(s->store, count_run, &count, &s->err));
    assert_true(count > 20 && count % 10 == 0);
}

/* ---- a writer that is killed --------------------------------------------------------------- */

static void die_in_transaction(struct scene *s)
{
    struct pm_store *store = NULL;
    unsigned added = 0;
    expect_in_child(pm_store_open(&store, s->path, PM_STORE_WRITE, &s->err) == PM_OK, s->err.text);
    expect_in_child(pm_store_begin(store, &s->err) == PM_OK, s->err.text);
    expect_in_child(add_run(store, 500, &s->err) == PM_OK, s->err.text);
    expect_in_child(pm_store_commit(store, &s->err) == PM_OK, s->err.text);
    /* With a cache of few pages, much of the open transaction is in the file when the process dies.
     */
    sqlite3_exec(store->db, "PRAGMA cache_size = 5; PRAGMA cache_spill = ON", NULL, NULL, NULL);
    expect_in_child(pm_store_begin(store, &s->err) == PM_OK, s->err.text);
    expect_in_child(fill(store, &added, &s->err) == PM_OK, s->err.text);
    raise(SIGKILL);
}

static void read_what_the_dead_left(struct scene *s)
{
    become_nobody();
    struct pm_store *store = NULL;
    const int rc = pm_store_open(&store, s->path, PM_STORE_READ, &s->err);
    expect_in_child(rc == PM_EIO && strstr(s->err.text, "make the file and its folder writable"),
                    s->err.text);
}

static void test_killed_writer(void **state)
{
    struct scene *s = *state;
    make_store(s, 3);
    in_child(s, die_in_transaction, SIGKILL);
    char *journal = pm_format("%s-journal", s->path);
    assert_true(pm_path_exists(journal));
    chmod(s->path, 0444);
    chmod(journal, 0444);
    chmod(s->folder, 0555);
    in_child(s, read_what_the_dead_left, 0);
    chmod(s->path, 0644);
    chmod(journal, 0644);
    chmod(s->folder, 0755);
    scene_open(s, PM_STORE_READ);
    check_runs(s, 4);
    assert_false(pm_path_exists(journal));
    scene_close(s);
    scene_open(s, PM_STORE_WRITE);
    check_runs(s, 4);
    free(journal);
}

static void test_open_transaction_is_rolled_back(void **state)
{
    struct scene *s = *state;
    scene_open(s, PM_STORE_WRITE);
    assert_ok(s, pm_store_begin(s->store, &s->err));
    assert_ok(s, add_run(s->store, 1, &s->err));
    check_runs(s, 1);
    scene_close(s);
    scene_open(s, PM_STORE_WRITE);
    check_runs(s, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, scene_set_up, scene_tear_down)
    const struct CMUnitTest tests[] = {
        T(test_read_only_file),
        T(test_read_only_folder),
        T(test_unreadable),
        T(test_second_writer),
        T(test_lock_files),
        T(test_reader_beside_a_writer),
        T(test_reader_sees_one_state),
        T(test_stop_ends_a_query),
        T(test_closing_gets_through),
        T(test_stop_rolls_back),
        T(test_stop_ends_waiting),
        T(test_full_disk),
        T(test_full_disk_by_limit),
        T(test_killed_writer),
        T(test_open_transaction_is_rolled_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
