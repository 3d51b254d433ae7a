/* Faults of portmeter's own: a socket that is gone or full, a supervisor that stands still. */
#include "scene.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_fine(const struct trial *trial)
{
    if (trial->kind != PM_ENDING_EXIT || trial->code != 0 || trial->job_lost)
        fail_msg("ended with %s %d: %s", pm_ending_kind_text(trial->kind), trial->code,
                 trial->text);
    assert_int_equal(trial->answered, trial->handed);
}

/* A case that removes the socket, or all of the run's folder, or fills the socket, harms none after
 * it. */
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

/* A deadline that passes while the supervisor stands still is not the case's. */
static void reads_an_answer_before_its_deadline(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct trial trials[] = {{.calls = {"slow(300)"}, .timeout_ms = CASE_MS}};
        struct scene scene = SCENE(trials);
        scene.handed = stand_still_soon;
        play(&scene);
        assert_fine(&trials[0]);
        assert_true(trials[0].wall_ns > STOPPED_US * 1000ull); /* it did stand still */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_its_socket_again),
        cmocka_unit_test(reads_an_answer_before_its_deadline),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
