/* Tests which run is resumed, which study is continued, and which files of an earlier supervisor
 * are removed. */
#include <unistd.h>

#include "stores.h"

#include "base/alloc.h"
#include "base/file.h"
#include "measure/resume.h"
#include "measure/session.h"

static void add_run(struct stored *s, const char *state, const char *validity, const char *options)
{
    const struct pm_run_row row = {
        .state = WORD(run_state, state), .validity = WORD(validity, validity), .options = options};
    stored_add_run(s, &row);
}

static int choose(struct stored *s, int64_t resume, unsigned repetitions, struct earlier_run *out)
{
    const struct pm_run_options asked = {
        .db = "asked.db", .resume = resume, .repetitions = repetitions};
    return pm_measure__earlier_choose(out, s->store, &asked, &s->err);
}

static void assert_chosen(struct stored *s, int64_t resume, unsigned repetitions, int64_t id)
{
    struct earlier_run run;
    assert_ok(s, choose(s, resume, repetitions, &run));
    assert_int_equal(run.id, id);
    pm_measure__earlier_release(&run);
}

static void assert_not_chosen(struct stored *s, int64_t resume, unsigned repetitions,
                              const char *why)
{
    struct earlier_run run;
    assert_refused(s, choose(s, resume, repetitions, &run), PM_EUSAGE, why);
    pm_measure__earlier_release(&run);
}

/* ---- which run ------------------------------------------------------------------------------- */

static void test_the_newest_unfinished_run_is_chosen(void **state)
{
    struct stored *s = *state;
    assert_not_chosen(s, PM_NEWEST, 0, "no unfinished run");
    add_run(s, "stopped", "invalid", NULL);
    add_run(s, "done", "valid", NULL);
    add_run(s, "running", "", NULL);
    add_run(s, "done", "valid", NULL);
    assert_chosen(s, PM_NEWEST, 0, 3);
    assert_chosen(s, PM_NEWEST, 5, 3);
}

/* Its paths belong to a different machine and are not in this database. */
static void test_a_merged_run_is_not_resumed(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row row = {.state = PM_RUN_STOPPED, .source = "other.db"};
    stored_add_run(s, &row);
    assert_not_chosen(s, PM_NEWEST, 0, "no unfinished run");
    assert_not_chosen(s, 1, 0, "merged into 'asked.db'");
}

static void test_paths_come_back_with_their_names(void **state)
{
    struct stored *s = *state;
    const struct pm_run_row row = {.state = PM_RUN_STOPPED,
                                   .options = "{\"suites\": [\"~/s\"], \"only\": \"~/o\"}",
                                   .paths = "{\"suites\": [\"/home/alice/s\"],"
                                            " \"only\": \"/home/alice/o\"}"};
    struct earlier_run run;
    stored_add_run(s, &row);
    assert_ok(s, choose(s, 1, 0, &run));
    assert_int_equal(run.options.suite_count, 1);
    assert_string_equal(run.options.suites[0], "/home/alice/s");
    assert_string_equal(run.options.only, "/home/alice/o");
    char *shared = pm_measure__options_shared(run.stored);
    assert_string_equal(shared, "{\"only\":\"~/o\",\"suites\":[\"~/s\"]}");
    free(shared);
    pm_measure__earlier_release(&run);
}

static void test_a_run_is_chosen_by_its_number(void **state)
{
    struct stored *s = *state;
    add_run(s, "stopped", "invalid", NULL);
    add_run(s, "running", "", NULL);
    add_run(s, "done", "valid", NULL);
    add_run(s, "done", "invalid", NULL);
    assert_chosen(s, 1, 0, 1);
    assert_chosen(s, 2, 0, 2);
    assert_not_chosen(s, 3, 0, "run 3 is finished");
    assert_chosen(s, 3, 8, 3);
    assert_not_chosen(s, 4, 0, "run 4 is finished");
    assert_not_chosen(s, 4, 8, "run 4 is finished and INVALID");
    assert_not_chosen(s, 5, 0, "no run 5");
}

static void test_options_are_those_of_the_run(void **state)
{
    struct stored *s = *state;
    struct earlier_run run;
    add_run(s, "stopped", "",
            "{\"targets\": [\"null@null\"], \"repetitions\": 3, \"seed\": 9, \"jobs\": 4,"
            " \"warm\": \"timings=7,least=2\"}");
    assert_ok(s, choose(s, 1, 0, &run));
    assert_string_equal(run.options.db, "asked.db");
    assert_int_equal(run.options.target_count, 1);
    assert_string_equal(run.options.targets[0], "null@null");
    assert_int_equal(run.options.repetitions, 3);
    assert_int_equal(run.options.seed, 9);
    assert_int_equal(run.options.jobs, 4);
    assert_int_equal(run.options.warm.timings, 7);
    assert_false(run.finished);
    pm_measure__earlier_release(&run);
    assert_ok(s, choose(s, 1, 5, &run));
    assert_int_equal(run.options.repetitions, 5);
    pm_measure__earlier_release(&run);
}

static void test_damaged_options_are_refused(void **state)
{
    struct stored *s = *state;
    struct earlier_run run;
    add_run(s, "stopped", "", "{\"jobs\": -4}");
    assert_refused(s, choose(s, 1, 0, &run), PM_EFORMAT, "'jobs'");
    pm_measure__earlier_release(&run);
}

/* ---- studies --------------------------------------------------------------------------------- */

static const char study_options[] =
    "{\"command\": \"study\", \"targets\": [\"null@null\"], \"suites\": [], \"functions\": [],"
    " \"only\": null, \"mode\": \"default\", \"repetitions\": 0, \"timeout_s\": 0.0,"
    " \"memory\": 0, \"outcomes_only\": false, \"noise\": 0, \"isolation\": \"function\", "
    "\"seed\": 1,"
    " \"warm\": \"" PM_WARM_RULE_TEXT "\", \"threads\": 2, \"jobs\": 4}";

static struct pm_unfinished_study find_study(struct stored *s, const struct pm_run_options *asked)
{
    struct pm_unfinished_study found;
    stored_close(s);
    assert_ok(s, pm_measure_find_study(asked, &found, &s->err));
    stored_open(s);
    return found;
}

static struct pm_run_options usual_study(struct stored *s)
{
    static const char *const targets[] = {"null@null"};
    return (struct pm_run_options){.db = s->db,
                                   .targets = targets,
                                   .target_count = 1,
                                   .isolation = PM_ISOLATION_FUNCTION,
                                   .seed = 1,
                                   .warm = PM_WARM_RULE_DEFAULT};
}

static void test_the_last_study_is_found_where_it_is_unfinished(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"null@null"}};
    static const struct stored_execution executions[] = {
        {"null@null", "f", "a", .output = "[1]"},
        {"null@null", "f", "b", .todo = true},
        {"null@null", "f", "c", .todo = true},
    };
    struct pm_run_options asked = usual_study(s);
    asked.command = PM_COMMAND_STUDY;
    add_run(s, "stopped", "", "{}");
    assert_int_equal(find_study(s, &asked).run_id, 0); /* a run of `run` is not a study */
    add_run(s, "stopped", "", study_options);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
    add_run(s, "stopped", "", "{}");
    const struct pm_unfinished_study found = find_study(s, &asked);
    assert_int_equal(found.run_id, 2);
    assert_int_equal(found.planned, 3);
    assert_int_equal(found.done, 1);
    assert_null(found.differs);
    add_run(s, "done", "valid", study_options);
    assert_int_equal(find_study(s, &asked).run_id, 0); /* a later study is finished */
}

static void test_a_study_with_other_options_says_which(void **state)
{
    struct stored *s = *state;
    static const char *const two[] = {"null@null", "null@host"}, *const functions[] = {"f"};
    const struct pm_run_options usual = usual_study(s);
    struct pm_run_options asked[8];
    static const char *const options[8] = {NULL,     "--target",      "--function", "--seed",
                                           "--warm", "--repetitions", "--threads",  NULL};
    for (size_t i = 0; i < 8; i++)
        asked[i] = usual;
    asked[1].targets = two;
    asked[1].target_count = 2;
    asked[2].functions = functions;
    asked[2].function_count = 1;
    asked[3].seed = 2;
    asked[4].warm.least = 6;
    asked[5].repetitions = 3;
    asked[6].threads = 3;
    asked[7].threads = 2; /* the same value, but given explicitly */
    add_run(s, "stopped", "", study_options);
    for (size_t i = 0; i < 8; i++) {
        const char *differs = find_study(s, &asked[i]).differs;
        if (options[i])
            assert_string_equal(differs, options[i]);
        else
            assert_null(differs);
    }
}

static void test_there_is_no_study_without_a_database(void **state)
{
    struct stored *s = *state;
    struct pm_unfinished_study found;
    const struct pm_run_options asked = {.db = "none.db"};
    assert_ok(s, pm_measure_find_study(&asked, &found, &s->err));
    assert_int_equal(found.run_id, 0);
}

/* ---- what an earlier supervisor left ----------------------------------------------------------
 */

/* Adds an unfinished run whose paths name this scratch folder. */
static void add_unfinished(struct stored *s, const char *scratch, struct earlier_run *run)
{
    char *paths = pm_format("{\"scratch\": \"%s\"}", scratch);
    const struct pm_run_row row = {.state = PM_RUN_RUNNING, .paths = paths};
    stored_add_run(s, &row);
    assert_ok(s, pm_measure__earlier_find(run, s->store, s->run, &s->err));
    assert_int_equal(run->id, s->run);
    free(paths);
}

static char *make_scratch(struct stored *s)
{
    char *scratch = pm_path_join(s->folder, "scratch");
    assert_ok(s, pm_folder_make(scratch, &s->err));
    return scratch;
}

static void test_the_scratch_folder_of_the_run_is_removed(void **state)
{
    struct stored *s = *state;
    char *scratch = make_scratch(s);
    struct earlier_run run;
    unsigned ended;
    int lock;
    add_unfinished(s, scratch, &run);
    assert_ok(s, pm_measure__scratch_lock(scratch, run.uuid, &lock, &s->err));
    assert_refused(s, pm_measure__earlier_clear(&run, &ended, &s->err), PM_EBUSY,
                   "is being measured");
    assert_true(pm_path_exists(scratch));
    close(lock); /* its supervisor has died */
    assert_ok(s, pm_measure__earlier_clear(&run, &ended, &s->err));
    assert_int_equal(ended, 0);
    assert_false(pm_path_exists(scratch));
    assert_ok(s, pm_measure__earlier_clear(&run, &ended, &s->err)); /* there is nothing left */
    pm_measure__earlier_release(&run);
    free(scratch);
}

/* A folder that a database names is removed only if the folder itself says that it belongs to this
 * run. */
static void test_no_other_folder_is_removed(void **state)
{
    struct stored *s = *state;
    char *scratch = make_scratch(s), *lock = pm_path_join(scratch, "lock"),
         *elsewhere = pm_path_join(s->folder, "elsewhere");
    struct earlier_run run;
    unsigned ended;
    add_unfinished(s, scratch, &run);
    assert_ok(s, pm_measure__earlier_clear(&run, &ended, &s->err));
    assert_true(pm_path_exists(scratch)); /* not removed without a lock */
    static const char *const contents[] = {"", "lock", "00000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        assert_ok(s, pm_file_write(lock, contents[i], strlen(contents[i]), &s->err));
        assert_ok(s, pm_measure__earlier_clear(&run, &ended, &s->err));
        assert_true(pm_path_exists(lock));
    }
    assert_ok(s, pm_file_write(elsewhere, run.uuid, strlen(run.uuid), &s->err));
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink(elsewhere, lock), 0);
    assert_ok(s, pm_measure__earlier_clear(&run, &ended, &s->err));
    assert_true(pm_path_exists(elsewhere));
    assert_true(pm_path_exists(scratch));
    pm_measure__earlier_release(&run);
    free(scratch);
    free(lock);
    free(elsewhere);
}

static int see_live(void *ctx, const struct pm_run_row *row)
{
    *(bool *)ctx = pm_measure_run_is_live(row);
    return PM_OK;
}

static void test_a_run_is_live_while_its_lock_is_held(void **state)
{
    struct stored *s = *state;
    char *scratch = make_scratch(s);
    struct earlier_run run;
    bool live;
    int lock;
    add_unfinished(s, scratch, &run);
    assert_ok(s, pm_store_runs(s->store, see_live, &live, &s->err));
    assert_false(live);
    assert_ok(s, pm_measure__scratch_lock(scratch, run.uuid, &lock, &s->err));
    assert_ok(s, pm_store_runs(s->store, see_live, &live, &s->err));
    assert_true(live);
    close(lock);
    assert_ok(s, pm_store_runs(s->store, see_live, &live, &s->err));
    assert_false(live);
    pm_measure__earlier_release(&run);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_the_newest_unfinished_run_is_chosen),
        STORED_TEST(test_a_merged_run_is_not_resumed),
        STORED_TEST(test_paths_come_back_with_their_names),
        STORED_TEST(test_a_run_is_chosen_by_its_number),
        STORED_TEST(test_options_are_those_of_the_run),
        STORED_TEST(test_damaged_options_are_refused),
        STORED_TEST(test_the_last_study_is_found_where_it_is_unfinished),
        STORED_TEST(test_a_study_with_other_options_says_which),
        STORED_TEST(test_there_is_no_study_without_a_database),
        STORED_TEST(test_the_scratch_folder_of_the_run_is_removed),
        STORED_TEST(test_no_other_folder_is_removed),
        STORED_TEST(test_a_run_is_live_while_its_lock_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
