/* Tests drivers that fail, runs that are stopped or fail, and a killed supervisor: nothing is lost,
 * and no process is left. */
#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/stop.h"
#include "process/process.h"

static const char *const nothing[] = {NULL};

static void assert_fine(const struct trial *trial)
{
    if (trial->kind != PM_ENDING_EXIT || trial->code != 0 || trial->job_lost)
        fail_msg("ended with %s %d: %s", pm_ending_kind_text(trial->kind), trial->code,
                 trial->text);
    assert_int_equal(trial->answered, trial->handed);
}

/* --- drivers --- */

/* Asserts that both children of a failing driver end with DRIVER, and that it is started once. */
static void assert_driver_fails(struct pm_driver driver, const char *text)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    scene.drivers[0] = driver;
    play(&scene);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(trials[i].kind, PM_ENDING_DRIVER);
        assert_int_equal(trials[i].pid, 0);
        assert_false(trials[i].started);
        if (!strstr(trials[i].text, text))
            fail_msg("'%s' is not in '%s'", text, trials[i].text);
    }
    assert_int_equal(scene.ready, 1);
    assert_int_equal(scene.ready_errors, 1);
}

static void tells_that_an_interpreter_is_none(void **state)
{
    static const char *const missing[] = {"./missing/python", "x", NULL};
    static const char *const no_python[] = {"/bin/sleep", "serve.py", NULL};
    static const char *const silent[] = {"/bin/true", NULL};
    static const char *const folder[] = {"/usr", NULL};
    static const char *const endless[] = {"/usr/bin/yes", NULL};
    (void)state;
    assert_driver_fails(
        (struct pm_driver){"a", missing, nothing, 5000},
        "cannot start './missing/python': No such file or directory: check the path");
    assert_driver_fails((struct pm_driver){"b", folder, nothing, 5000}, "Permission denied");
    assert_driver_fails((struct pm_driver){"c", silent, nothing, 5000},
                        "the driver ended with status 0 before it was ready");
    assert_driver_fails((struct pm_driver){"d", no_python, nothing, 5000},
                        "the driver ended with status 1 before it was ready: ");
    assert_driver_fails((struct pm_driver){"e", endless, nothing, 300},
                        "the driver was not ready after 0.3 s");
}

static void tells_that_an_import_failed(void **state)
{
    static const char *const fails[] = {"PORTMETER_NULL=import", NULL};
    static const char *const hangs[] = {"PORTMETER_NULL=hang", NULL};
    (void)state;
    assert_driver_fails((struct pm_driver){"a", NULL, fails, 20000},
                        "import failed: ImportError: the null framework was asked to fail");
    assert_driver_fails((struct pm_driver){"b", NULL, hangs, 1500}, "was not ready after 1.5 s");
}

static void refuses_a_child_with_a_wrong_token(void **state)
{
    static const char *const wrong[] = {"PORTMETER_NULL=token", NULL};
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"ok"}, .driver = 1}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.drivers[1] = (struct pm_driver){"liar", NULL, wrong, 20000};
    trials[0].driver = 1;
    trials[1].driver = 0;
    play(&scene);
    assert_int_equal(trials[0].kind, PM_ENDING_PROTOCOL);
    assert_int_equal(trials[0].handed, 0);
    assert_non_null(strstr(trials[0].text, "a process connected with an invalid token: check "));
    assert_fine(&trials[1]);
}

static void takes_a_wrapper_for_an_interpreter(void **state)
{
    static const char *const wrapper[] = {
        "/bin/sh", "-c", "python3 \"$PORTMETER_HOME/drivers/serve.py\" null; exit $?", NULL};
    struct trial trials[] = {{.calls = {"ok", "ok"}}, {.calls = {"crash"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.drivers[0] = (struct pm_driver){"wrapper", wrapper, nothing, 20000};
    play(&scene);
    assert_fine(&trials[0]);
    assert_int_equal(trials[1].code, SIGSEGV);
    assert_fine(&trials[2]);
}

static void kill_driver(struct scene *scene, struct trial *trial)
{
    if (trial == &scene->trials[1])
        assert_int_equal(kill(scene->driver_pid, SIGKILL), 0);
}

static void survives_a_killed_driver(void **state)
{
    static const char *const calls[] = {"slow(300)", "hang", "stray"};
    (void)state;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct trial trials[] = {
            {.calls = {"ok"}}, {.calls = {calls[i], "hang"}}, {.calls = {"ok"}}};
        struct scene scene = SCENE(trials);
        scene.handed = kill_driver;
        play(&scene);
        assert_fine(&trials[0]);
        assert_int_equal(trials[1].kind, PM_ENDING_DRIVER);
        assert_string_equal(trials[1].text, "the driver was ended by signal 9");
        assert_true(trials[1].job_lost);
        assert_fine(&trials[2]);
        assert_int_equal(scene.ready, 2);
    }
}

/* Returns how often a driver became ready while eight children used two drivers of these families
 * alternately. */
static unsigned drivers_made(const char *first, const char *second)
{
    struct trial trials[8] = {{.calls = {NULL}}};
    struct scene scene = SCENE(trials);
    for (unsigned i = 0; i < 8; i++)
        trials[i] = (struct trial){.calls = {"ok"}, .driver = i % 2};
    scene.drivers[0] = (struct pm_driver){"first", NULL, nothing, 20000, false, first};
    scene.drivers[1] = (struct pm_driver){"second", NULL, nothing, 20000, false, second};
    play(&scene);
    for (unsigned i = 0; i < 8; i++)
        assert_fine(&trials[i]);
    assert_true(scene.peak_memory > trials[0].max_rss);
    return scene.ready;
}

static void keeps_drivers_apart(void **state)
{
    (void)state;
    assert_int_equal(drivers_made(NULL, NULL), 2);
}

static void keeps_one_family_in_memory(void **state)
{
    (void)state;
    assert_int_equal(drivers_made("torch", "torch"), 2);
    assert_int_equal(drivers_made("torch", NULL), 2);
    assert_int_equal(drivers_made("torch", "jax"), 8);
}

static unsigned cpus_allowed; /* number of CPUs of the driver that became ready last */

static void look_at_cpus(struct scene *scene, struct trial *trial)
{
    cpu_set_t set;
    (void)trial;
    assert_int_equal(sched_getaffinity(scene->driver_pid, sizeof set, &set), 0);
    cpus_allowed = (unsigned)CPU_COUNT(&set);
}

static unsigned cpus_of_one_of(unsigned slots, bool everywhere)
{
    struct trial trials[] = {{.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    scene.slots = slots;
    scene.handed = look_at_cpus;
    scene.drivers[0] = (struct pm_driver){"null", NULL, nothing, 20000, everywhere};
    play(&scene);
    assert_fine(&trials[0]);
    return cpus_allowed;
}

static void keeps_slots_to_their_cpus(void **state)
{
    const unsigned all = pm_cpus_logical();
    (void)state;
    if (all < 2)
        skip();
    assert_int_equal(cpus_of_one_of(1, false), all);
    assert_int_equal(cpus_of_one_of(2, false), all / 2);
    assert_int_equal(cpus_of_one_of(2, true), all);
    assert_int_equal(cpus_of_one_of(all + 1, false), all);
}

/* --- the run --- */

static void loses_nothing_of_many(void **state)
{
    enum { CHILDREN = 60 };
    static const char *const bad[] = {"crash", "exit0", "garbage", "hang", "stray", "partial"};
    struct trial *const trials = pm_alloc(CHILDREN * sizeof *trials);
    struct scene scene = {.trials = trials, .count = CHILDREN, .slots = 2};
    unsigned answered = 0;
    (void)state;
    for (unsigned i = 0; i < CHILDREN; i++) {
        for (unsigned j = 0; j < MAX_CALLS; j++)
            trials[i].calls[j] = "ok";
        trials[i].timeout_ms = 5000;
        if (i % 10 == 3) {
            trials[i].calls[2] = bad[i / 10];
            trials[i].timeout_ms = strcmp(bad[i / 10], "hang") ? 5000 : 200;
        }
    }
    play(&scene);
    for (unsigned i = 0; i < CHILDREN; i++) {
        const bool dies = i % 10 == 3 && strcmp(trials[i].calls[2], "stray");
        assert_int_equal(trials[i].answered, dies ? 2 : 4);
        assert_int_equal(trials[i].job_lost, dies);
        answered += trials[i].answered;
    }
    assert_int_equal(answered, CHILDREN * 4 - 5 * 2);
    free(trials);
}

/* --- the user's stop --- */

static void on_alarm(int number)
{
    (void)number;
    pm_stop_request(SIGTERM);
}

static void stop_in(unsigned ms)
{
    signal(SIGALRM, on_alarm);
    ualarm(ms * 1000, 0);
}

static int end_stop(void **state)
{
    (void)state;
    signal(SIGALRM, SIG_DFL);
    pm_stop_reset();
    return 0;
}

static void stop_in_second(struct scene *scene, struct trial *trial)
{
    if (trial == &scene->trials[1])
        stop_in(300);
}

static const uint64_t grace_ns = PM_STOP_GRACE_MS * UINT64_C(1000000);

/* A stop has its own grace time, however long that of a child is. */
static void stops_where_the_user_does(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"hang"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.options.grace_ms = 20000;
    scene.handed = stop_in_second;
    play(&scene);
    assert_true(scene.stopped);
    assert_int_equal(scene.next, 2);
    assert_int_equal(trials[1].kind, PM_ENDING_STOPPED);
    assert_int_equal(trials[1].code, SIGKILL);
    assert_true(trials[1].job_lost);
    assert_in_range(trials[1].wall_ns, grace_ns, grace_ns + UINT64_C(10000000000));
}

static void does_not_wait_longer_for_a_deadline(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"hang"}, .timeout_ms = 100}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.options.grace_ms = 20000; /* this grace has begun when the user stops */
    scene.handed = stop_in_second;
    play(&scene);
    assert_true(scene.stopped);
    assert_int_equal(trials[1].kind, PM_ENDING_DEADLINE);
    assert_in_range(trials[1].wall_ns, grace_ns, grace_ns + UINT64_C(10000000000));
}

/* The driver is still importing and does not listen yet. */
static void stops_before_a_driver_is_ready(void **state)
{
    static const char *const slow[] = {"/bin/sh", "-c", "trap '' TERM; sleep 60; sleep 60", NULL};
    struct trial trials[] = {{.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    const uint64_t begin = pm_clock_now();
    (void)state;
    scene.drivers[0] = (struct pm_driver){"slow", slow, nothing, 60000, false};
    stop_in(200);
    play(&scene);
    assert_true(scene.stopped);
    assert_int_equal(trials[0].kind, PM_ENDING_STOPPED);
    assert_in_range(pm_clock_now() - begin, 0, UINT64_C(10000000000));
}

static void stop_at_once(struct scene *scene, struct trial *trial)
{
    (void)scene;
    (void)trial;
    pm_stop_request(SIGINT);
}

static void stops_before_a_job_has_begun(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.handed = stop_at_once;
    play(&scene);
    assert_true(scene.stopped);
    assert_int_equal(scene.next, 1);
    assert_int_equal(trials[0].ended, 1);
}

static void begins_nothing_after_a_stop(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    pm_stop_request(SIGINT);
    play(&scene);
    assert_true(scene.stopped);
    assert_int_equal(scene.next, 0);
}

static void ends_with_its_policy(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"stray", "hang"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.slots = 2;
    scene.fail_after = 1;
    scene.keep_run = true;
    play(&scene);
    assert_int_equal(scene.rc, PM_EUSAGE);
    assert_string_equal(scene.error.text, "the policy has had enough");
}

static void connect_as_stranger(struct scene *scene, struct trial *trial)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)trial;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", scene->options.scratch);
    for (unsigned i = 0; i < 3; i++) {
        static const char words[] = "who is there?",
                          frame[] = "PM\x01\x07\x02\0\0\0\0\0\0\0\0\0\0\0{}";
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        if (i == 0)
            assert_int_equal(write(fd, words, sizeof words), sizeof words);
        else if (i == 1)
            assert_int_equal(write(fd, frame, sizeof frame), sizeof frame);
        close(fd);
    }
}

static void minds_no_strangers(void **state)
{
    struct trial trials[] = {{.calls = {"ok", "slow(50)", "ok"}}, {.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    scene.handed = connect_as_stranger;
    play(&scene);
    assert_fine(&trials[0]);
    assert_fine(&trials[1]);
}

static void tells_that_it_cannot_begin(void **state)
{
    const unsigned before = open_descriptors();
    const struct pm_pool_policy policy = {0};
    struct pm_pool_options options = {.slots = 0, .run_id = "none", .scratch = "/tmp"};
    struct pm_pool *pool;
    struct pm_error error;
    char far[200] = "/tmp/";
    (void)state;
    assert_int_equal(pm_pool_new(&pool, &options, &policy, &error), PM_EUSAGE);
    options.slots = 1;
    options.scratch = "/nonexistent";
    assert_int_equal(pm_pool_new(&pool, &options, &policy, &error), PM_EIO);
    assert_non_null(strstr(error.text, "cannot listen on '/nonexistent/socket'"));
    memset(far + 5, 'x', sizeof far - 6);
    options.scratch = far;
    assert_int_equal(pm_pool_new(&pool, &options, &policy, &error), PM_EIO);
    assert_non_null(strstr(error.text, "has more than 107 bytes"));
    assert_null(pool);
    pm_pool_free(NULL);
    assert_int_equal(open_descriptors(), before);
}

/* --- resources that the system refuses --- */

static struct rlimit file_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    return limit;
}

/* Allows this process to open no further file; the hard limit does not change. */
static void allow_no_file(void)
{
    struct rlimit limit = file_limit();
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(next);
    limit.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Returns the result of `act` in a process of its own, so that its limits affect no other test. */
static int result_of(int (*act)(void))
{
    int status;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(act());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status)); /* libuv aborts if it gets no descriptor */
    return WEXITSTATUS(status);
}

static int begin_with_few_files(void)
{
    const struct pm_pool_policy policy = {0};
    const struct pm_pool_options options = {.slots = 2, .run_id = "none", .scratch = "/tmp"};
    const struct rlimit limit = {14, 14};
    struct pm_pool *pool;
    struct pm_error error;
    if (setrlimit(RLIMIT_NOFILE, &limit) || pm_pool_new(&pool, &options, &policy, &error) != PM_EIO)
        return 1;
    return strstr(error.text, "--jobs 2 needs 34 more open files, but the limit allows ") ? 0 : 2;
}

static void tells_that_files_are_too_few(void **state)
{
    (void)state;
    assert_int_equal(result_of(begin_with_few_files), 0);
}

static int begin_with_a_limit_that_can_be_raised(void)
{
    struct trial trials[] = {{.calls = {"ok"}}};
    struct scene scene = SCENE(trials);
    struct rlimit limit = file_limit();
    limit.rlim_cur = 30;
    if (limit.rlim_max < 200 || setrlimit(RLIMIT_NOFILE, &limit))
        return 1;
    scene.slots = 8;
    play(&scene);
    return trials[0].answered == 1 ? 0 : 2;
}

static void raises_the_limit_as_far_as_it_must(void **state)
{
    (void)state;
    assert_int_equal(result_of(begin_with_a_limit_that_can_be_raised), 0);
}

static void take_files_away(struct scene *scene, struct trial *trial)
{
    if (trial == &scene->trials[0])
        allow_no_file();
}

/* The first driver continues. The second cannot be started, and no file or process of it is left.
 */
static void tells_that_a_driver_finds_no_file(void **state)
{
    struct trial trials[] = {{.calls = {"ok"}}, {.calls = {"ok"}, .driver = 1}};
    struct scene scene = SCENE(trials);
    const struct rlimit before = file_limit();
    (void)state;
    scene.drivers[1] = (struct pm_driver){"second", NULL, nothing, 20000, false};
    scene.handed = take_files_away;
    scene.restore = &before;
    play(&scene);
    assert_fine(&trials[0]);
    assert_int_equal(trials[1].kind, PM_ENDING_DRIVER);
    assert_non_null(strstr(trials[1].text, "cannot start '/usr/bin/env': Too many open files"));
}

static int look_for_leftovers_blindly(void)
{
    struct pm_error error;
    unsigned ended;
    allow_no_file();
    if (pm_pool_end_leftovers("nobody", &ended, &error) != PM_EIO)
        return 1;
    return strstr(error.text, "cannot read /proc") ? 0 : 2;
}

/* A process that could not be looked for is not reported as ended. */
static void does_not_take_blindness_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(result_of(look_for_leftovers_blindly), 0);
}

static int kill_in_a_class_of_its_own(void)
{
    const struct sched_param none = {0};
    unsigned ended;
    if (sched_setscheduler(0, SCHED_BATCH, &none) || pm_pool_end_leftovers("nobody", &ended, NULL))
        return 1;
    return sched_getscheduler(0) == SCHED_BATCH ? 0 : 2;
}

static void keeps_the_class_of_its_scheduler(void **state)
{
    (void)state;
    assert_int_equal(result_of(kill_in_a_class_of_its_own), 0);
}

/* --- a supervisor that is killed --- */

/* If the kernel gives drivers their own PID namespaces, no process is left one second after the
 * supervisor's death, whatever a case started; elsewhere the next supervisor ends the rest. */
static void leaves_nothing_once_its_leftovers_are_ended(void **state)
{
    struct trial trials[] = {{.calls = {"stray(3)", "hang"}}};
    struct scene scene = SCENE(trials);
    unsigned ended = 0;
    (void)state;
    scene.handed = die_soon;
    snprintf(scene.run_id, sizeof scene.run_id, "fault-%d-killed", getpid());
    char *folder;
    assert_int_equal(pm_folder_scratch(&folder, NULL), PM_OK);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", folder, 1);
        play(&scene);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    pm_clock_sleep(1000000000); /* drivers and children die with their parents */
    assert_int_equal(pm_pool_end_leftovers(scene.run_id, &ended, NULL), PM_OK);
    assert_int_equal(ended, pm_process_can_contain() ? 0 : 3);
    assert_int_equal(pm_pool_end_leftovers(scene.run_id, &ended, NULL), PM_OK);
    assert_int_equal(ended, 0);
    while (waitpid(-1, NULL, 0) > 0) /* earlier tests made this process a subreaper */
        continue;
    assert_int_equal(errno, ECHILD);
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_that_an_interpreter_is_none),
        cmocka_unit_test(tells_that_an_import_failed),
        cmocka_unit_test(refuses_a_child_with_a_wrong_token),
        cmocka_unit_test(takes_a_wrapper_for_an_interpreter),
        cmocka_unit_test(survives_a_killed_driver),
        cmocka_unit_test(keeps_drivers_apart),
        cmocka_unit_test(keeps_one_family_in_memory),
        cmocka_unit_test(keeps_slots_to_their_cpus),
        cmocka_unit_test(loses_nothing_of_many),
        cmocka_unit_test_teardown(stops_where_the_user_does, end_stop),
        cmocka_unit_test_teardown(does_not_wait_longer_for_a_deadline, end_stop),
        cmocka_unit_test_teardown(stops_before_a_driver_is_ready, end_stop),
        cmocka_unit_test_teardown(stops_before_a_job_has_begun, end_stop),
        cmocka_unit_test_teardown(begins_nothing_after_a_stop, end_stop),
        cmocka_unit_test(ends_with_its_policy),
        cmocka_unit_test(minds_no_strangers),
        cmocka_unit_test(tells_that_it_cannot_begin),
        cmocka_unit_test(tells_that_files_are_too_few),
        cmocka_unit_test(raises_the_limit_as_far_as_it_must),
        cmocka_unit_test(tells_that_a_driver_finds_no_file),
        cmocka_unit_test(does_not_take_blindness_for_nothing),
        cmocka_unit_test(keeps_the_class_of_its_scheduler),
        cmocka_unit_test(leaves_nothing_once_its_leftovers_are_ended),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
