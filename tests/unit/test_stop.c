/* Tests of the user's stop: the noted signal, a second signal, the time limit, ignored signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

enum { NS_PER_MS = 1000000 };

static int reset(void **state)
{
    (void)state;
    pm_stop_reset();
    return 0;
}

static bool is_readable(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    return poll(&wanted, 1, 0) == 1;
}

/* Runs `act` in a child; returns its status, or 128 and the number of the signal that ended it. */
static int end_of(void (*act)(void), uint64_t *took_ms)
{
    const uint64_t begin = pm_clock_now();
    const pid_t pid = fork();
    int status;
    if (pid == 0) {
        act();
        _exit(99);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (took_ms)
        *took_ms = (pm_clock_now() - begin) / NS_PER_MS;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_stop__nobody_stops_what_is_not_installed(void **state)
{
    (void)state;
    assert_int_equal(pm_stop_signal(), 0);
    assert_int_equal(pm_stop_fd(), -1);
    assert_int_equal(pm_stop_check(NULL), PM_OK);
    const uint64_t begin = pm_clock_now();
    assert_int_equal(pm_stop_sleep(20 * NS_PER_MS, NULL), PM_OK);
    assert_true(pm_clock_now() - begin >= 20 * NS_PER_MS);
}

static void test_stop__the_first_signal_leaves_a_note(void **state)
{
    static const struct {
        int number;
        const char *text;
    } signals[] = {{SIGINT, "stopped by SIGINT"},
                   {SIGTERM, "stopped by SIGTERM"},
                   {SIGHUP, "stopped by SIGHUP"}};
    (void)state;
    assert_int_equal(pm_stop_install(NULL), PM_OK);
    for (size_t i = 0; i < 3; i++) {
        struct pm_error err;
        assert_false(is_readable(pm_stop_fd()));
        pm_stop_request(signals[i].number);
        pm_stop_request(SIGINT);
        assert_int_equal(pm_stop_signal(), signals[i].number);
        assert_int_equal(pm_stop_check(&err), PM_ESTOPPED);
        assert_string_equal(err.text, signals[i].text);
        assert_true(is_readable(pm_stop_fd()));
        assert_int_equal(pm_stop_sleep(UINT64_C(3600000) * NS_PER_MS, NULL), PM_ESTOPPED);
        pm_stop_reset();
    }
    assert_int_equal(pm_stop_uninstall(), 0);
}

static void take_one(void)
{
    signal(SIGHUP, SIG_DFL); /* the tests may run under nohup */
    if (pm_stop_install(NULL))
        _exit(98);
    raise(SIGHUP);
    raise(SIGHUP); /* a closing terminal sends two at once, which count as one */
    if (pm_stop_sleep(UINT64_C(3600000) * NS_PER_MS, NULL) != PM_ESTOPPED)
        _exit(97);
    _exit(pm_stop_uninstall());
}

static void test_stop__signals_at_once_are_one(void **state)
{
    (void)state;
    assert_int_equal(end_of(take_one, NULL), SIGHUP);
}

static void take_two(void)
{
    if (pm_stop_install(NULL))
        _exit(98);
    raise(SIGINT);
    pm_clock_sleep((PM_STOP_SAME_MS + 20) * (uint64_t)NS_PER_MS);
    raise(SIGTERM);
}

static void test_stop__a_second_signal_ends_it_at_once(void **state)
{
    (void)state;
    assert_int_equal(end_of(take_two, NULL), 128 + SIGTERM);
}

static void never_look(void)
{
    if (pm_stop_install(NULL))
        _exit(98);
    raise(SIGINT);
    for (;;)
        pause();
}

static void test_stop__who_does_not_look_is_ended(void **state)
{
    uint64_t took_ms;
    (void)state;
    assert_int_equal(end_of(never_look, &took_ms), 128 + SIGINT);
    assert_in_range(took_ms, PM_STOP_LIMIT_MS, PM_STOP_LIMIT_MS + 3000);
}

static void ignore_at_the_start(void)
{
    signal(SIGHUP, SIG_IGN);
    if (pm_stop_install(NULL))
        _exit(98);
    raise(SIGHUP);
    if (pm_stop_signal())
        _exit(97);
    pm_stop_uninstall();
    raise(SIGHUP);
    raise(SIGTERM);
}

static void test_stop__what_was_ignored_stays_ignored(void **state)
{
    (void)state;
    assert_int_equal(end_of(ignore_at_the_start, NULL), 128 + SIGTERM);
}

static int said[2]; /* a pipe that every process of a group keeps open */

/* Adds more groups than one table has places for, leaves three processes in two groups, and
 * receives a second signal. */
static void leave_groups(void)
{
    if (pm_stop_install(NULL))
        _exit(98);
    for (int i = 0; i < 200; i++)
        pm_stop_group_add(INT32_MAX - i);
    for (int i = 0; i < 2; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            setpgid(0, 0);
            signal(SIGTERM, SIG_IGN);
            if (i == 0)
                (void)!fork();
            for (;;)
                pause();
        }
        setpgid(pid, pid);
        pm_stop_group_add(pid);
    }
    for (int i = 0; i < 200; i++)
        pm_stop_group_remove(INT32_MAX - i);
    pm_clock_sleep(50 * (uint64_t)NS_PER_MS); /* until the child has forked */
    take_two();
}

static void test_stop__groups_end_with_it(void **state)
{
    char byte;
    (void)state;
    assert_int_equal(pipe(said), 0);
    assert_int_equal(end_of(leave_groups, NULL), 128 + SIGTERM);
    close(said[1]);
    struct pollfd ended = {.fd = said[0], .events = POLLIN};
    assert_int_equal(poll(&ended, 1, 10000), 1); /* the end of the pipe: no process has it open */
    assert_int_equal(read(said[0], &byte, 1), 0);
    close(said[0]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_stop__##name, reset)
    const struct CMUnitTest tests[] = {
        TEST(nobody_stops_what_is_not_installed),
        TEST(the_first_signal_leaves_a_note),
        TEST(signals_at_once_are_one),
        TEST(a_second_signal_ends_it_at_once),
        TEST(who_does_not_look_is_ended),
        TEST(what_was_ignored_stays_ignored),
        TEST(groups_end_with_it),
    };
    return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
