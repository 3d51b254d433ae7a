/* Tests of faults that hit portmeter itself: its socket is removed or full, or its supervisor is
 * stopped or killed. */
#include "scene.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "process/process.h"

static void assert_fine(const struct trial *trial)
{
    if (trial->kind != PM_ENDING_EXIT || trial->code != 0 || trial->job_lost)
        fail_msg("ended with %s %d: %s", pm_ending_kind_text(trial->kind), trial->code,
                 trial->text);
    assert_int_equal(trial->answered, trial->handed);
}

/* A case that removes the socket or the run's whole folder, or that fills the socket, does not harm
 * later cases. */
static void makes_its_socket_again(void **state)
{
    static const char *const calls[] = {"unsocket", "unfolder", "strangers(300)"};
    (void)state;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct trial trials[] = {{.calls = {"ok"}}, {.calls = {calls[i]}}, {.calls = {"ok"}}};
        struct scene scene = SCENE(trials);
        play(&scene);
        for (unsigned k = 0; k < 3; k++)
            assert_fine(&trials[k]);
        assert_int_equal(scene.ready, 1);
    }
}

enum { STOP_AFTER_US = 50000, STOPPED_US = 1500000, CASE_MS = 1000 };

static void stand_still_soon(struct scene *scene, struct trial *trial)
{
    const pid_t supervisor = getpid();
    (void)scene;
    (void)trial;
    if (fork() != 0)
        return; /* the pool reaps it */
    usleep(STOP_AFTER_US);
    kill(supervisor, SIGSTOP);
    usleep(STOPPED_US);
    kill(supervisor, SIGCONT);
    _exit(0);
}

/* A deadline that passes while the supervisor is stopped does not count against the case. */
static void reads_an_answer_before_its_deadline(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct trial trials[] = {{.calls = {"slow(300)"}, .timeout_ms = CASE_MS}};
        struct scene scene = SCENE(trials);
        scene.handed = stand_still_soon;
        scene.options.grace_ms = 20000; /* so that its process can exit on a busy machine, too */
        play(&scene);
        assert_fine(&trials[0]);
        assert_true(trials[0].wall_ns > STOPPED_US * 1000ull); /* the supervisor was stopped */
    }
}

/* Returns the process that plays the supervisor. Processes that it leaves become children of this
 * process, which is a subreaper. */
static pid_t start_and_die(const char *folder)
{
    struct trial trials[] = {{.calls = {"stray(3, bare)", "hang"}}};
    struct scene scene = SCENE(trials);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    scene.handed = die_soon;
    setenv("TMPDIR", folder, 1);
    play(&scene);
    _exit(0);
}

/* The case starts processes in new sessions without the run's id: only the kernel finds them. */
static void takes_all_that_a_case_started_with_it(void **state)
{
    char *folder;
    int status;
    pid_t ended;
    (void)state;
    if (!pm_process_can_contain())
        skip();
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    assert_int_equal(pm_folder_scratch(&folder, NULL), PM_OK);
    const pid_t pid = start_and_die(folder);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    pm_clock_sleep(1000000000);
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    assert_int_equal(ended, -1); /* 0: a process is alive */
    assert_int_equal(errno, ECHILD);
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_its_socket_again),
        cmocka_unit_test(reads_an_answer_before_its_deadline),
        cmocka_unit_test(takes_all_that_a_case_started_with_it),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
