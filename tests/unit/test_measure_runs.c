/* Tests of listing, removing and keeping the runs of a database, of which run is resumed, of
 * finding an unfinished study, and of removing the files of a killed run. */
#include "stores.h"

#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/core.h"
#include "measure/session.h"

static const struct stored_target targets[] = {{"null@host"}};
static const struct stored_execution executions[] = {
    {"null@host", "f", "a", .output = "[1]", .warm = "[5]"},
    {"null@host", "f", "b", .todo = true},
};

static void add_run(struct stored *s, const struct pm_run_row *as)
{
    stored_add_run(s, as);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
}

/* Adds a killed run. Returns the scratch folder that its paths name, whose lock contains the text
 * `lock`; the caller frees it. */
static char *add_killed(struct stored *s, const char *lock)
{
    char *scratch = pm_path_join(s->folder, "scratch"), *path = pm_path_join(scratch, "lock");
    char *paths = pm_format("{\"scratch\": \"%s\"}", scratch);
    const struct pm_run_row run = {
        .state = PM_RUN_RUNNING, .options = "{\"targets\": [\"null@host\"]}", .paths = paths};
    assert_ok(s, pm_folder_make(scratch, &s->err));
    assert_ok(s, pm_file_write(path, lock, strlen(lock), &s->err));
    add_run(s, &run);
    free(paths);
    free(path);
    return scratch;
}

/* Returns the uuid that stored_add_run() gives to the run with this number. */
static const char *uuid_of(int64_t run)
{
    static char text[33];
    snprintf(text, sizeof text, "%032llx", (long long)run);
    return text;
}

/* Takes the lock of a scratch folder as a supervisor does; close() releases it. */
static int hold_lock(const char *scratch)
{
    char *path = pm_path_join(scratch, "lock");
    FILE *file = fopen(path, "r+");
    free(path);
    assert_non_null(file);
    const int fd = dup(fileno(file));
    fclose(file);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    return fd;
}

static int list_run(void *ctx, const struct pm_run_row *row)
{
    pm_str_addf(ctx, "%lld%s ", (long long)row->id, row->kept ? "*" : "");
    return PM_OK;
}

/* Asserts that the runs have these numbers, with a star after those that are kept: "1 2* ". The
 * store is closed afterwards. */
static void check_runs(struct stored *s, const char *want)
{
    struct pm_str text = PM_STR_INIT;
    stored_open(s);
    assert_ok(s, pm_store_runs(s->store, list_run, &text, &s->err));
    assert_text(pm_str_detach(&text), want);
    stored_close(s);
}

/* ---- listing ----------------------------------------------------------------------------------
 */

static char *print(struct stored *s)
{
    stored_close(s);
    stored_catch_stdout(s);
    const int rc = pm_list_runs(s->db, PM_FORMAT_MARKDOWN, 0, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    return text;
}

static void test_runs_are_listed_with_their_state(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row invalid = {.state = PM_RUN_DONE,
                                       .validity = PM_VALIDITY_INVALID,
                                       .validity_reason = "no fault seen"},
                            stopped = {.state = PM_RUN_STOPPED};
    add_run(s, &invalid);
    add_run(s, &stopped);
    char *scratch = add_killed(s, uuid_of(3)), *text = print(s);
    assert_has(text, "| 1 | 2026-07-01T10:00:00.000Z | finished |");
    assert_has(text, "| 1 | 2 | invalid |"); /* done of planned */
    assert_has(text, "no fault seen");
    assert_has(text, "| 2 | 2026-07-01T10:00:00.000Z | stopped |");
    assert_has(text, "| 3 | 2026-07-01T10:00:00.000Z | killed | null@host |");
    free(text);
    const int lock = hold_lock(scratch);
    text = print(s);
    assert_has(text, "| 3 | 2026-07-01T10:00:00.000Z | running | null@host |");
    close(lock);
    free(text);
    free(scratch);
}

static void test_what_cannot_be_listed_is_refused(void **state)
{
    struct stored *s = *state;
    stored_close(s);
    assert_refused(s, pm_list_runs("/nowhere/x.db", PM_FORMAT_TEXT, 0, &s->err), PM_ENOTFOUND,
                   "/nowhere/x.db");
}

/* ---- removing and keeping ---------------------------------------------------------------------
 */

static void test_a_run_that_is_removed_leaves_the_others(void **state)
{
    struct stored *s = *state;
    static const int64_t first[] = {1}, missing[] = {2, 9};
    add_run(s, NULL);
    add_run(s, NULL);
    stored_close(s);
    assert_refused(s, pm_measure_runs_remove(s->db, missing, 2, false, &s->err), PM_EUSAGE,
                   "run 9");
    check_runs(s, "1 2 "); /* all or none */
    assert_ok(s, pm_measure_runs_remove(s->db, first, 1, false, &s->err));
    check_runs(s, "2 ");
}

static void test_a_run_that_is_kept_is_removed_by_force_only(void **state)
{
    struct stored *s = *state;
    static const int64_t both[] = {1, 2}, second[] = {2};
    add_run(s, NULL);
    add_run(s, NULL);
    stored_close(s);
    assert_ok(s, pm_measure_runs_keep(s->db, second, 1, true, &s->err));
    check_runs(s, "1 2* ");
    assert_refused(s, pm_measure_runs_remove(s->db, both, 2, false, &s->err), PM_EUSAGE, "--force");
    check_runs(s, "1 2* ");
    assert_ok(s, pm_measure_runs_keep(s->db, second, 1, false, &s->err));
    check_runs(s, "1 2 ");
    assert_ok(s, pm_measure_runs_keep(s->db, second, 1, true, &s->err));
    assert_ok(s, pm_measure_runs_remove(s->db, both, 2, true, &s->err));
    check_runs(s, "");
}

static void test_a_run_that_is_not_there_cannot_be_kept(void **state)
{
    struct stored *s = *state;
    static const int64_t ids[] = {1, 9};
    add_run(s, NULL);
    stored_close(s);
    assert_refused(s, pm_measure_runs_keep(s->db, ids, 2, true, &s->err), PM_EUSAGE, "run 9");
    check_runs(s, "1 "); /* all or none */
}

static void test_a_run_that_is_being_measured_is_not_removed(void **state)
{
    struct stored *s = *state;
    static const int64_t ids[] = {1};
    char *scratch = add_killed(s, uuid_of(1));
    stored_close(s);
    const int lock = hold_lock(scratch);
    assert_refused(s, pm_measure_runs_remove(s->db, ids, 1, false, &s->err), PM_EBUSY, "run 1");
    check_runs(s, "1 ");
    assert_true(pm_path_exists(scratch));
    close(lock);
    assert_ok(s, pm_measure_runs_remove(s->db, ids, 1, false, &s->err));
    check_runs(s, "");
    assert_false(pm_path_exists(scratch)); /* the folder of its supervisor is removed too */
    free(scratch);
}

/* A damaged database may name any folder, so only one with the run's own lock is removed. */
static void test_a_folder_of_somebody_else_is_left_alone(void **state)
{
    struct stored *s = *state;
    static const int64_t ids[] = {1};
    char *scratch = add_killed(s, uuid_of(7));
    stored_close(s);
    assert_ok(s, pm_measure_runs_remove(s->db, ids, 1, false, &s->err));
    assert_true(pm_path_exists(scratch));
    free(scratch);
}

/* ---- which run is resumed ---------------------------------------------------------------------
 */

static const char of_host[] = "{\"targets\": [\"null@host\"], \"repetitions\": 2, \"seed\": 5}";

/* Returns the number of the run that `resume` and `repetitions` choose, or the status. */
static int64_t choose(struct stored *s, int64_t resume, unsigned repetitions,
                      struct pm_run_options *out)
{
    const struct pm_run_options asked = {.db = s->db, .resume = resume, .repetitions = repetitions};
    struct earlier_run run;
    const int rc = pm_measure__earlier_choose(&run, s->store, &asked, &s->err);
    const int64_t id = run.id;
    if (out)
        *out = run.options;
    pm_measure__earlier_release(&run);
    return rc ? rc : id;
}

static void test_the_newest_unfinished_run_is_resumed_or_the_one_named(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row stopped = {.state = PM_RUN_STOPPED, .options = of_host},
                            finished = {STORED_DONE, .options = of_host};
    struct pm_run_options options;
    assert_refused(s, (int)choose(s, PM_NEWEST, 0, NULL), PM_EUSAGE, "no unfinished run");
    add_run(s, &stopped);
    add_run(s, &stopped);
    add_run(s, &finished);
    assert_int_equal(choose(s, PM_NEWEST, 0, &options), 2);
    assert_int_equal(options.repetitions, 2); /* its own options */
    assert_int_equal(options.seed, 5);
    assert_int_equal(options.target_count, 1);
    assert_int_equal(choose(s, 1, 0, NULL), 1);
    assert_refused(s, (int)choose(s, 9, 0, NULL), PM_EUSAGE, "no run 9");
}

static void test_a_finished_run_takes_more_repetitions_if_it_is_valid(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row finished = {STORED_DONE, .options = of_host},
                            invalid = {.state = PM_RUN_DONE,
                                       .validity = PM_VALIDITY_INVALID,
                                       .options = of_host};
    struct pm_run_options options;
    add_run(s, &finished);
    add_run(s, &invalid);
    assert_refused(s, (int)choose(s, 1, 0, NULL), PM_EUSAGE, "--repetitions");
    assert_int_equal(choose(s, 1, 4, &options), 1);
    assert_int_equal(options.repetitions, 4);
    assert_refused(s, (int)choose(s, 2, 4, NULL), PM_EUSAGE, "run 2");
}

static void test_options_that_no_run_can_have_are_damage(void **state)
{
    static const char *const options[] = {
        "{\"targets\": [7]}",       "{\"repetitions\": -1}",
        "{\"repetitions\": \"2\"}", "{\"threads\": 99999999999}",
        "{\"jobs\": 1.5}",          "{\"timeout_s\": -1}",
        "{\"memory\": -1}",         "{\"mode\": \"x\"}",
        "{\"command\": \"x\"}",     "{\"isolation\": \"x\"}",
        "{\"warm\": \"x\"}",        "{\"only\": 7}",
        "{\"seed\": -1}",
    };
    struct stored *s = *state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct pm_run_row stopped = {.state = PM_RUN_STOPPED, .options = options[i]};
        stored_add_run(s, &stopped);
        assert_refused(s, (int)choose(s, PM_NEWEST, 0, NULL), PM_EFORMAT, "damaged");
    }
}

/* ---- the last study ---------------------------------------------------------------------------
 */

static void test_an_unfinished_study_is_found_and_compared(void **state)
{
    struct stored *s = *state;
    struct pm_unfinished_study study;
    static const char *const target[] = {"null@host"};
    struct pm_run_options asked = {.db = s->db,
                                   .targets = target,
                                   .target_count = 1,
                                   .seed = 1,
                                   .command = PM_COMMAND_STUDY,
                                   .warm = PM_WARM_RULE_DEFAULT};
    const struct plan plan = {.threads = 1, .jobs = 1};
    json_t *json = pm_measure__options_json(&asked, &plan, "");
    char *options = json_dumps(json, 0);
    const struct pm_run_row stopped = {.state = PM_RUN_STOPPED, .options = options};
    add_run(s, &stopped);
    stored_add_run(s, NULL); /* not a study: ignored */
    stored_close(s);
    assert_ok(s, pm_measure_find_study(&asked, &study, &s->err));
    assert_int_equal(study.run_id, 1);
    assert_int_equal(study.planned, 2);
    assert_int_equal(study.done, 1);
    assert_null(study.differs);
    asked.seed = 2;
    assert_ok(s, pm_measure_find_study(&asked, &study, &s->err));
    assert_string_equal(study.differs, "--seed");
    free(options);
    json_decref(json);
}

static void test_without_an_unfinished_study_there_is_none(void **state)
{
    struct stored *s = *state;
    struct pm_unfinished_study study;
    struct pm_run_options asked = {.db = "/nowhere/x.db"};
    const struct pm_run_row finished = {STORED_DONE, .options = "{\"command\": \"study\"}"};
    assert_ok(s, pm_measure_find_study(&asked, &study, &s->err));
    assert_int_equal(study.run_id, 0);
    stored_add_run(s, &finished);
    stored_close(s);
    asked.db = s->db;
    assert_ok(s, pm_measure_find_study(&asked, &study, &s->err));
    assert_int_equal(study.run_id, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_runs_are_listed_with_their_state),
        STORED_TEST(test_what_cannot_be_listed_is_refused),
        STORED_TEST(test_a_run_that_is_removed_leaves_the_others),
        STORED_TEST(test_a_run_that_is_kept_is_removed_by_force_only),
        STORED_TEST(test_a_run_that_is_not_there_cannot_be_kept),
        STORED_TEST(test_a_run_that_is_being_measured_is_not_removed),
        STORED_TEST(test_a_folder_of_somebody_else_is_left_alone),
        STORED_TEST(test_the_newest_unfinished_run_is_resumed_or_the_one_named),
        STORED_TEST(test_a_finished_run_takes_more_repetitions_if_it_is_valid),
        STORED_TEST(test_options_that_no_run_can_have_are_damage),
        STORED_TEST(test_an_unfinished_study_is_found_and_compared),
        STORED_TEST(test_without_an_unfinished_study_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
