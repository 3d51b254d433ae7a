/* Tests of starting programs: what they inherit, why one cannot start, how they are ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "process/process.h"

enum { NS_PER_MS = 1000000 };

struct fixture {
    char *folder, *path; /* a scratch folder; PATH before the test */
    struct pm_error err;
    struct pm_process_end end;
};

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    *state = f;
    f->path = pm_strdup(getenv("PATH"));
    return pm_folder_scratch(&f->folder, NULL);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pm_stop_reset();
    pm_stop_uninstall();
    setenv("PATH", f->path, 1);
    const int rc = pm_folder_remove(f->folder, NULL);
    free(f->folder);
    free(f->path);
    free(f);
    return rc;
}

/* Runs a line of sh and stores how it ended in f->end, which the caller releases. */
static int run(struct fixture *f, const char *line, const struct pm_process_watch *watch)
{
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    return pm_process_run(&(struct pm_process_plan){.argv = argv}, watch, &f->end, &f->err);
}

static const struct pm_process_watch patient = {.timeout_ms = 60000};

/* Asserts that a process that is not a child of this one ends; it may stay a zombie. */
static void assert_ends(int pid)
{
    char *path = pm_format("/proc/%d/stat", pid);
    bool ended = false;
    for (int i = 0; i < 1000 && !ended; i++) {
        struct pm_str stat = PM_STR_INIT;
        ended = pm_file_read(path, &stat, NULL) != PM_OK || strstr(stat.data, ") Z ");
        pm_str_release(&stat);
        if (!ended)
            pm_clock_sleep(10 * NS_PER_MS);
    }
    assert_true(ended);
    free(path);
}

static char *make_program(const struct fixture *f, const char *name, const char *text, int mode)
{
    char *path = pm_path_join(f->folder, name);
    assert_int_equal(pm_file_write(path, text, strlen(text), NULL), PM_OK);
    assert_int_equal(chmod(path, (mode_t)mode), 0);
    return path;
}

/* --- starting --- */

static void assert_does_not_start(struct fixture *f, const char *program, int code, const char *why)
{
    const char *const argv[] = {program, NULL};
    const struct pm_process_plan plan = {.argv = argv};
    char *text = pm_format("cannot start '%s': %s", program, why);
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), code);
    assert_string_equal(f->err.text, text);
    free(text);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left to be reaped */
    assert_int_equal(errno, ECHILD);
}

static void test_process__says_why_it_cannot_start(void **state)
{
    struct fixture *f = *state;
    free(make_program(f, "text", "no program", 0755));
    assert_does_not_start(f, f->folder, PM_EIO, "Permission denied: check the permissions");
    assert_int_equal(chdir(f->folder), 0);
    assert_does_not_start(f, "./text", PM_EIO, "Exec format error");
    assert_does_not_start(f, "./missing", PM_ENOTFOUND,
                          "No such file or directory: check the path");
    assert_does_not_start(f, "./text/missing", PM_ENOTFOUND, "Not a directory: check the path");
    setenv("PATH", f->folder, 1);
    assert_does_not_start(f, "missing", PM_ENOTFOUND, "No such file or directory: check the path");
    assert_int_equal(chdir("/"), 0);
}

static void test_process__finds_programs_as_a_shell_does(void **state)
{
    struct fixture *f = *state;
    char *closed = pm_path_join(f->folder, "closed"), *program;
    assert_int_equal(mkdir(closed, 0755), 0);
    free(make_program(f, "closed/tool", "#!/bin/sh\necho wrong\n", 0755));
    program = make_program(f, "tool", "#!/bin/sh\necho right\n", 0755);
    free(make_program(f, "plain", "#!/bin/sh\n", 0644));
    const char *const argv[] = {"tool", NULL};
    const struct pm_process_plan plan = {.argv = argv};
    char *path = pm_format("%s/missing::%s:%s", f->folder, f->folder, closed);
    setenv("PATH", path, 1);
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_OK);
    assert_string_equal(f->end.output.data, "right\n");
    pm_process_end_release(&f->end);
    assert_does_not_start(f, "plain", PM_EIO, "Permission denied: check the permissions");
    if (geteuid() != 0) { /* root searches every folder */
        assert_int_equal(chmod(closed, 0), 0);
        setenv("PATH", closed, 1);
        assert_does_not_start(f, "tool", PM_EIO, "Permission denied: check the permissions");
        assert_int_equal(chmod(closed, 0755), 0);
    }
    free(path);
    free(program);
    free(closed);
}

static void test_process__says_that_a_stream_cannot_be_connected(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/bin/true", NULL};
    const int closed = open("/dev/null", O_RDONLY);
    close(closed);
    const struct pm_process_plan plan = {.argv = argv, .input = closed + 50};
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_EIO);
    assert_string_equal(f->err.text,
                        "cannot connect the streams of '/bin/true': Bad file descriptor");
}

/* --- what a program inherits --- */

static void test_process__variables_are_put_over_ours(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/bin/sh", "-c", "echo $PM_A-$PM_B-$PM_C", NULL};
    const char *const changes[] = {"PM_B=two", "PM_C=three", "PM_B=last", NULL};
    const struct pm_process_plan plan = {.argv = argv, .environment = changes};
    setenv("PM_A", "ours", 1);
    setenv("PM_B", "ours", 1);
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_OK);
    assert_string_equal(f->end.output.data, "ours-last-three\n");
    pm_process_end_release(&f->end);
    unsetenv("PM_A");
    unsetenv("PM_B");
}

static void test_process__streams_go_where_they_are_sent(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/bin/sh", "-c", "cat; echo out; echo wrong >&2", NULL};
    struct pm_process_plan plan = {.argv = argv};
    FILE *input = tmpfile(), *output = tmpfile(), *error = tmpfile();
    char text[64];
    fputs("in\n", input);
    fflush(input);
    rewind(input);
    plan.input = fileno(input);
    plan.error = fileno(error);
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_OK);
    assert_string_equal(f->end.output.data, "in\nout\n");
    pm_process_end_release(&f->end);
    rewind(error);
    assert_string_equal(fgets(text, sizeof text, error), "wrong\n");
    plan = (struct pm_process_plan){.argv = argv, .output = fileno(output), .merged = true};
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_OK);
    assert_string_equal(f->end.output.data, "");
    pm_process_end_release(&f->end);
    rewind(output);
    assert_string_equal(fgets(text, sizeof text, output), "out\n");
    assert_string_equal(fgets(text, sizeof text, output), "wrong\n");
    fclose(input);
    fclose(output);
    fclose(error);
}

/* A program has only three descriptors and the one that is kept, and no blocked or handled signal.
 */
static void test_process__inherits_nothing_else(void **state)
{
    struct fixture *f = *state;
    const int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *line = pm_format("[ -e /proc/self/fd/%d ] && [ ! -e /proc/self/fd/%d ] && "
                           "grep -E '^Sig(Blk|Ign)' /proc/self/status",
                           kept, other);
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    const struct pm_process_plan plan = {.argv = argv, .keep = kept};
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN); /* ignored as by nohup: stays ignored */
    assert_int_equal(pm_process_run(&plan, &patient, &f->end, &f->err), PM_OK);
    unsigned long long blocked, ignored; /* other ignored signals come from the test's parent */
    assert_int_equal(sscanf(f->end.output.data, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored),
                     2);
    assert_int_equal(blocked, 0);
    assert_true(ignored & 1ULL << (SIGHUP - 1));
    assert_false(ignored & 1ULL << (SIGPIPE - 1));
    pm_process_end_release(&f->end);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    free(line);
    close(kept);
    close(other);
}

static void test_process__leads_a_group_or_a_session(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/bin/sh", "-c", "read x; ps -o pgid=,sid= -p $$", NULL};
    int ends[2], pid, status;
    for (int session = 0; session < 2; session++) {
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        const struct pm_process_plan plan = {
            .argv = argv, .input = ends[0], .session = session == 1};
        assert_int_equal(pm_process_start(&plan, &pid, &f->err), PM_OK);
        assert_false(pm_process_reap(pid, &status));
        assert_int_equal(getpgid(pid), pid);
        assert_int_equal(getsid(pid), session ? pid : getsid(0));
        close(ends[1]);
        close(ends[0]);
        while (!pm_process_reap(pid, &status))
            pm_clock_sleep(NS_PER_MS);
        assert_int_equal(kill(-pid, 0), -1);
    }
}

/* --- following --- */

static void test_process__is_followed_to_its_end(void **state)
{
    struct fixture *f = *state;
    struct pm_str how = PM_STR_INIT;
    const uint64_t begin = pm_clock_now();
    /* A process that the program leaves keeps the stream open, and is ended too. */
    assert_int_equal(run(f, "sleep 60 & echo $!; exit 3", &patient), PM_OK);
    const int left = atoi(f->end.output.data);
    assert_int_equal(WEXITSTATUS(f->end.status), 3);
    pm_process_end_text(&f->end, &patient, &how);
    assert_string_equal(how.data, "exit status 3");
    pm_process_end_release(&f->end);
    assert_true(left > 1);
    assert_ends(left);
    assert_true(pm_clock_now() - begin < UINT64_C(20000) * NS_PER_MS);
    assert_int_equal(run(f, "kill -SEGV $$", &patient), PM_OK);
    pm_str_clear(&how);
    pm_process_end_text(&f->end, &patient, &how);
    assert_string_equal(how.data, "signal 11 (Segmentation fault)");
    pm_process_end_release(&f->end);
    pm_str_release(&how);
}

static void test_process__a_closed_stream_is_no_end(void **state)
{
    struct fixture *f = *state;
    const uint64_t begin = pm_clock_now();
    assert_int_equal(run(f, "exec >&- ; sleep 0.3; exit 4", &patient), PM_OK);
    assert_int_equal(WEXITSTATUS(f->end.status), 4);
    assert_true(pm_clock_now() - begin >= 300 * NS_PER_MS);
    pm_process_end_release(&f->end);
}

static void keep_line(void *ctx, const char *line)
{
    pm_str_addf(ctx, "[%s]", line ? line : "silence");
}

static void test_process__lines_are_told_as_they_come(void **state)
{
    struct fixture *f = *state;
    struct pm_str lines = PM_STR_INIT;
    const struct pm_process_watch watch = {.line = keep_line, .ctx = &lines, .silence_ms = 400};
    assert_int_equal(run(f, "printf 'one\\ntwo\\rthree\\n\\n'; sleep 0.6; printf last", &watch),
                     PM_OK);
    assert_string_equal(lines.data, "[one][two][three][silence][last]");
    assert_string_equal(f->end.output.data, "");
    pm_process_end_release(&f->end);
    pm_str_release(&lines);
}

static struct pm_str announced = PM_STR_INIT;

static void keep_waiting(const char *awaited, unsigned seconds)
{
    pm_str_addf(&announced, "[%s %u]", awaited ? awaited : "none", seconds);
}

/* Only a program that takes longer than a second is announced. */
static void test_process__announces_what_is_awaited(void **state)
{
    struct fixture *f = *state;
    const char *const argv[] = {"/bin/sh", "-c", "sleep 1.3", NULL};
    const char *const quick[] = {"/bin/true", NULL};
    const struct pm_process_plan plans[] = {
        {.argv = argv, .awaited = "sleep"}, {.argv = argv}, {.argv = quick, .awaited = "true"}};
    pm_process_on_waiting(keep_waiting);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        assert_int_equal(pm_process_run(&plans[i], &patient, &f->end, &f->err), PM_OK);
        pm_process_end_release(&f->end);
    }
    pm_process_on_waiting(NULL);
    assert_string_equal(announced.data, "[sleep 1][none 0]");
    pm_str_release(&announced);
}

static void test_process__output_over_the_limit_ends_it(void **state)
{
    struct fixture *f = *state;
    const struct pm_process_watch watch = {.limit = 1000, .timeout_ms = 60000};
    struct pm_str how = PM_STR_INIT;
    assert_int_equal(run(f, "exec yes", &watch), PM_OK);
    assert_true(f->end.flooded);
    assert_false(f->end.timed_out);
    assert_int_equal(f->end.output.length, 1000);
    pm_process_end_text(&f->end, &watch, &how);
    assert_string_equal(how.data, "more than 1000 bytes of output");
    pm_process_end_release(&f->end);
    pm_str_release(&how);
}

/* After the deadline a program gets SIGTERM, which it may handle, then SIGKILL. */
static void test_process__a_deadline_is_a_ladder(void **state)
{
    struct fixture *f = *state;
    const struct pm_process_watch watch = {.timeout_ms = 300};
    struct pm_str how = PM_STR_INIT;
    assert_int_equal(
        run(f, "trap 'echo asked; exit 5' TERM; echo begun; while :; do sleep 0.05; done", &watch),
        PM_OK);
    assert_true(f->end.timed_out);
    assert_int_equal(WEXITSTATUS(f->end.status), 5);
    assert_string_equal(f->end.output.data, "begun\nasked\n");
    pm_process_end_release(&f->end);
    const uint64_t begin = pm_clock_now();
    assert_int_equal(run(f, "trap '' TERM; while :; do sleep 0.05; done", &watch), PM_OK);
    assert_true(f->end.timed_out);
    assert_true(WIFSIGNALED(f->end.status) && WTERMSIG(f->end.status) == SIGKILL);
    assert_true(pm_clock_now() - begin >= (300 + PM_STOP_GRACE_MS) * (uint64_t)NS_PER_MS);
    pm_process_end_text(&f->end, &watch, &how);
    assert_string_equal(how.data, "no answer within 0.3 s");
    pm_process_end_release(&f->end);
    pm_str_release(&how);
}

/* --- the user's stop --- */

static void stop_by_alarm(int number)
{
    (void)number;
    pm_stop_request(SIGTERM);
}

static void test_process__ends_when_the_user_stops(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(pm_stop_install(NULL), PM_OK);
    signal(SIGALRM, stop_by_alarm);
    ualarm(200000, 0);
    const uint64_t begin = pm_clock_now();
    assert_int_equal(run(f, "trap '' TERM; sleep 60 & while :; do sleep 0.05; done", &patient),
                     PM_ESTOPPED);
    const uint64_t took_ms = (pm_clock_now() - begin) / NS_PER_MS;
    assert_string_equal(f->err.text, "stopped by SIGTERM");
    assert_in_range(took_ms, 200 + PM_STOP_GRACE_MS, 10000);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    signal(SIGALRM, SIG_DFL);
    /* After the user's stop nothing is started. */
    char *touched = pm_path_join(f->folder, "touched"), *line = pm_format("touch %s", touched);
    assert_int_equal(run(f, line, &patient), PM_ESTOPPED);
    assert_false(pm_path_exists(touched));
    free(line);
    free(touched);
}

/* A signal between fork and exec acts on the program and is not noted in this process. */
static void test_process__its_signals_are_not_ours(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(pm_stop_install(NULL), PM_OK);
    for (int i = 0; i < 50; i++) {
        const char *const argv[] = {"/bin/sleep", "60", NULL};
        int pid, status;
        assert_int_equal(pm_process_start(&(struct pm_process_plan){.argv = argv}, &pid, &f->err),
                         PM_OK);
        pm_process_signal(pid, SIGINT);
        while (!pm_process_reap(pid, &status))
            pm_clock_sleep(NS_PER_MS);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
        assert_int_equal(pm_stop_signal(), 0);
    }
}

static void test_process__dies_with_its_starter(void **state)
{
    struct fixture *f = *state;
    int ends[2], pid = 0, status;
    assert_int_equal(pipe(ends), 0);
    const pid_t starter = fork();
    if (starter == 0) {
        const char *const argv[] = {"/bin/sleep", "60", NULL};
        if (pm_process_start(&(struct pm_process_plan){.argv = argv}, &pid, &f->err))
            _exit(1);
        (void)!write(ends[1], &pid, sizeof pid);
        raise(SIGKILL);
    }
    assert_int_equal(read(ends[0], &pid, sizeof pid), sizeof pid);
    assert_int_equal(waitpid(starter, &status, 0), starter);
    assert_ends(pid);
    close(ends[0]);
    close(ends[1]);
}

/* A confined program sees no network but its own loopback, and can write to only one folder. */
static void test_process__confines_a_program(void **state)
{
    struct fixture *f = *state;
    if (!pm_process_can_contain())
        skip();
    char *writable = pm_path_join(f->folder, "writable");
    char *line = pm_format("echo in > %s/a && echo \"in: $(cat %s/a)\"; "
                           "(echo out > %s/b) 2>/dev/null || echo \"out: no\"; "
                           "grep -c : /proc/net/dev; [ -e /proc/self/stat ] && echo proc",
                           writable, writable, f->folder);
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    const struct pm_process_plan plan = {.argv = argv, .writable = writable};
    assert_int_equal(pm_folder_make(writable, &f->err), PM_OK);
    if (pm_process_run(&plan, &patient, &f->end, &f->err))
        fail_msg("%s", f->err.text);
    assert_string_equal(f->end.output.data, "in: in\nout: no\n1\nproc\n");
    pm_process_end_release(&f->end);
    free(line);
    free(writable);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_process__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(says_why_it_cannot_start),
        TEST(finds_programs_as_a_shell_does),
        TEST(says_that_a_stream_cannot_be_connected),
        TEST(variables_are_put_over_ours),
        TEST(streams_go_where_they_are_sent),
        TEST(inherits_nothing_else),
        TEST(confines_a_program),
        TEST(leads_a_group_or_a_session),
        TEST(is_followed_to_its_end),
        TEST(a_closed_stream_is_no_end),
        TEST(lines_are_told_as_they_come),
        TEST(announces_what_is_awaited),
        TEST(output_over_the_limit_ends_it),
        TEST(a_deadline_is_a_ladder),
        TEST(ends_when_the_user_stops),
        TEST(its_signals_are_not_ours),
        TEST(dies_with_its_starter),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
