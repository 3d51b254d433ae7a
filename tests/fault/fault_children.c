/* Tests each way in which a child fails: its ending is right, and the next child is not affected.
 * The assertions of all scenes (nothing is left, each child ended once) are in scene.c. */
#include "scene.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_ending(const struct trial *trial, enum pm_ending_kind kind, int code, bool lost)
{
    if (trial->kind != kind || trial->code != code || trial->job_lost != lost)
        fail_msg("'%s' ended with %s %d%s: %s", trial->calls[0] ? trial->calls[0] : "",
                 pm_ending_kind_text(trial->kind), trial->code, trial->job_lost ? ", job lost" : "",
                 trial->text);
}

static void assert_fine(const struct trial *trial)
{
    unsigned calls = 0;
    while (calls < MAX_CALLS && trial->calls[calls])
        calls++;
    assert_ending(trial, PM_ENDING_EXIT, 0, false);
    assert_true(trial->started);
    assert_int_equal(trial->answered, calls);
    assert_string_equal(trial->harness, "");
}

/* Plays one bad job between two good ones, in a child of its own. */
static struct trial play_bad(const char *call, unsigned timeout_ms, uint64_t memory)
{
    struct trial trials[] = {
        {.calls = {"ok"}},
        {.calls = {call, "ok"}, .timeout_ms = timeout_ms, .memory = memory},
        {.calls = {"ok"}},
    };
    struct scene scene = SCENE(trials);
    play(&scene);
    assert_fine(&trials[0]);
    assert_fine(&trials[2]);
    assert_int_equal(scene.ready, 1);
    return trials[1];
}

static void answers_jobs(void **state)
{
    struct trial trials[] = {{.calls = {"ok", "ok(100000)", "ask(5)", "say(hello)"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    play(&scene);
    assert_fine(&trials[0]);
    assert_string_equal(trials[0].output, "hello\n");
    assert_int_equal(trials[0].output_bytes, 6);
    assert_int_equal(trials[0].stage, PM_STAGE_COMPARE);
    assert_int_equal(trials[0].strays, 0);
    assert_true(trials[0].wall_ns > 0 && trials[0].max_rss > 1 << 20);
    assert_true(scene.ticks > 0);
}

static void leaves_after_its_last_job(void **state)
{
    struct trial trials[] = {
        {.calls = {"ok", "say(bye)"}, .last = true},
        {.calls = {"exit0"}, .last = true},
        {.calls = {"deadlock"}, .last = true},
        {.calls = {"ok"}, .last = true},
    };
    struct scene scene = SCENE(trials);
    (void)state;
    play(&scene);
    assert_fine(&trials[0]);
    assert_string_equal(trials[0].output, "bye\n");
    assert_ending(&trials[1], PM_ENDING_EXIT, 0, true);
    assert_ending(&trials[2], PM_ENDING_DEADLINE, SIGKILL, false);
    assert_string_equal(trials[2].text, "no exit within 0.3 s");
    assert_fine(&trials[3]);
}

static void carries_large_bodies(void **state)
{
    struct trial trials[] = {{.calls = {"ok(50000000)", "ask(5000000)"}}};
    struct scene scene = SCENE(trials);
    (void)state;
    play(&scene);
    assert_fine(&trials[0]);
    assert_int_equal(trials[0].body_length, 16 + 20000000);
}

static void tells_signals(void **state)
{
    (void)state;
    struct trial bad = play_bad("crash", 0, 0);
    assert_ending(&bad, PM_ENDING_SIGNAL, SIGSEGV, true);
    assert_non_null(strstr(bad.output, "Segmentation fault"));
    assert_int_equal(bad.stage, PM_STAGE_RUN);
    bad = play_bad("abort", 0, 0);
    assert_ending(&bad, PM_ENDING_SIGNAL, SIGABRT, true);
    bad = play_bad("kill(9)", 0, 0);
    assert_ending(&bad, PM_ENDING_SIGNAL, SIGKILL, true);
}

static void tells_exits(void **state)
{
    (void)state;
    struct trial bad = play_bad("exit0", 0, 0);
    assert_ending(&bad, PM_ENDING_EXIT, 0, true);
    bad = play_bad("exit(7)", 0, 0);
    assert_ending(&bad, PM_ENDING_EXIT, 7, true);
}

static void ends_hangs(void **state)
{
    (void)state;
    struct trial bad = play_bad("hang", 200, 0);
    assert_ending(&bad, PM_ENDING_DEADLINE, SIGKILL, true);
    assert_string_equal(bad.text, "no answer within 0.2 s");
    assert_true(bad.wall_ns > 500000000u); /* the deadline, then the grace */
    bad = play_bad("spin", 200, 0);
    assert_ending(&bad, PM_ENDING_DEADLINE, SIGTERM, true);
    assert_non_null(strstr(bad.output, "in spin"));
    assert_true(bad.wall_ns < 500000000u);
    bad = play_bad("deadlock", 200, 0);
    assert_ending(&bad, PM_ENDING_DEADLINE, SIGKILL, true);
    assert_int_equal(bad.answered, 1);
    bad = play_bad("slow(50)", 2000, 0);
    assert_fine(&bad);
}

static void bounds_output(void **state)
{
    (void)state;
    struct trial bad = play_bad("flood(3000000)", 0, 0);
    assert_ending(&bad, PM_ENDING_EXIT, 0, false);
    assert_int_equal(bad.output_bytes, 3000000);
    assert_int_equal(bad.output_length, 64 << 10);
    bad = play_bad("chatter", 300, 0);
    assert_ending(&bad, PM_ENDING_DEADLINE, SIGTERM, true);
    assert_int_equal(bad.output_length, 64 << 10);
    assert_true(bad.output_bytes > 64 << 10);
}

static void does_not_starve_beside_chatter(void **state)
{
    struct trial trials[22] = {{.calls = {"chatter"}, .timeout_ms = 2000}};
    struct scene scene = SCENE(trials);
    (void)state;
    for (unsigned i = 1; i < 22; i++)
        trials[i].calls[0] = "ok";
    scene.slots = 2;
    play(&scene);
    assert_ending(&trials[0], PM_ENDING_DEADLINE, SIGTERM, true);
    for (unsigned i = 1; i < 22; i++)
        assert_fine(&trials[i]);
}

static void refuses_what_is_no_frame(void **state)
{
    static const struct {
        const char *call, *text;
    } bad[] = {
        {"garbage", "the bytes are not a frame of the protocol (docs/internals/protocol.md)"},
        {"badversion", "the frame has version 99 instead of 1"},
        {"badkind", "the frame has the unknown kind 200"},
        {"badheader", "the header of frame 'result' is not JSON: "},
        {"toolong", "the body of frame 'result' has 1152921504606846976 bytes"},
        {"unexpected", "the process of the case sent an unexpected frame 'forked'"},
        {"wrongtoken", "a process connected with an invalid token"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct trial trial = play_bad(bad[i].call, 0, 0);
        assert_ending(&trial, PM_ENDING_PROTOCOL, SIGKILL, true);
        assert_int_equal(strncmp(trial.text, bad[i].text, strlen(bad[i].text)), 0);
    }
}

static void refuses_half_a_frame(void **state)
{
    (void)state;
    struct trial bad = play_bad("partial", 0, 0);
    assert_ending(&bad, PM_ENDING_SIGNAL, SIGKILL, true);
    assert_string_equal(bad.text, "the connection ended in the middle of a frame");
    bad = play_bad("close", 0, 0);
    assert_ending(&bad, PM_ENDING_PROTOCOL, SIGKILL, true);
    assert_string_equal(bad.text, "its process closed the connection, but did not exit");
}

static void leaves_nonsense_to_the_policy(void **state)
{
    struct trial trials[] = {
        {.calls = {"ok"}, .reject = true},
        {.calls = {"ask(3)"}, .reject = true},
        {.calls = {"ok"}},
    };
    struct scene scene = SCENE(trials);
    (void)state;
    play(&scene);
    for (unsigned i = 0; i < 2; i++) {
        assert_ending(&trials[i], PM_ENDING_PROTOCOL, SIGKILL, true);
        assert_non_null(strstr(trials[i].text, "rejected: check that the case"));
    }
    assert_fine(&trials[2]);
}

static void limits_memory(void **state)
{
    (void)state;
    struct trial bad = play_bad("memory", 0, (uint64_t)512 << 20);
    assert_ending(&bad, PM_ENDING_EXIT, 0, false);
    assert_string_equal(bad.raised, "MemoryError:  (host)");
    bad = play_bad("devicememory", 0, 0);
    assert_string_equal(bad.raised, "RuntimeError: out of memory on the null device (device)");
}

static void hands_on_exceptions(void **state)
{
    (void)state;
    struct trial bad = play_bad("raise(TypeError, not, this)", 0, 0);
    assert_ending(&bad, PM_ENDING_EXIT, 0, false);
    assert_string_equal(bad.raised, "TypeError: not, this (-)");
    bad = play_bad("raise(OfItsOwn, x)", 0, 0);
    assert_string_equal(bad.raised, "OfItsOwn: x (-)");
    struct trial trials[] = {{.calls = {"harness"}}, {.calls = {"nosuchcommand"}}};
    struct scene scene = SCENE(trials);
    play(&scene);
    assert_int_equal(strncmp(trials[0].harness, "Bug: the null framework was asked for it", 40), 0);
    assert_int_equal(strncmp(trials[1].harness, "Bug: the null framework has no command", 38), 0);
}

static void ends_fork_bombs(void **state)
{
    (void)state;
    struct trial bad = play_bad("forkbomb", 0, 0);
    assert_ending(&bad, PM_ENDING_PROCESSES, SIGKILL, true);
    assert_non_null(strstr(bad.text, "processes (limit 64)"));
    bad = play_bad("forkbomb(escape)", 0, 0);
    assert_ending(&bad, PM_ENDING_PROCESSES, SIGKILL, true);
}

static void counts_what_left_the_tree(void **state)
{
    struct trial trials[] = {
        {.calls = {"stray(40)", "hang"}},
        {.calls = {"stray(10)", "slow(500)"}},
    };
    struct scene scene = SCENE(trials);
    (void)state;
    scene.options.process_limit = 20;
    play(&scene);
    assert_ending(&trials[0], PM_ENDING_PROCESSES, SIGKILL, true);
    assert_ending(&trials[1], PM_ENDING_EXIT, 0, false);
    assert_int_equal(trials[1].strays, 10);
}

static void hears_one_of_two_after_a_fork(void **state)
{
    (void)state;
    struct trial bad = play_bad("twin", 0, 0);
    assert_fine(&bad);
}

static void sweeps_strays(void **state)
{
    (void)state;
    struct trial bad = play_bad("stray", 0, 0);
    assert_ending(&bad, PM_ENDING_EXIT, 0, false);
    assert_int_equal(bad.strays, 1);
    assert_int_equal(bad.answered, 2);
}

static void tells_start_up(void **state)
{
    struct trial trials[] = {
        {.calls = {"ok"}, .start = "raise(RuntimeError, no device)"},
        {.calls = {"ok"}, .start = "hang", .start_timeout_ms = 200},
        {.calls = {"ok"}, .start = "crash"},
        {.calls = {"ok"}, .start = "exit0"},
        {.calls = {"ok"}},
    };
    struct scene scene = SCENE(trials);
    (void)state;
    play(&scene);
    assert_ending(&trials[0], PM_ENDING_EXIT, 0, false);
    assert_true(trials[0].started && trials[0].start_error);
    assert_int_equal(trials[0].handed, 0);
    assert_ending(&trials[1], PM_ENDING_DEADLINE, SIGKILL, false);
    assert_string_equal(trials[1].text, "its process was not ready within 0.2 s");
    assert_ending(&trials[2], PM_ENDING_SIGNAL, SIGSEGV, false);
    assert_false(trials[2].started);
    assert_ending(&trials[3], PM_ENDING_EXIT, 0, false);
    assert_false(trials[3].started);
    assert_fine(&trials[4]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_jobs),
        cmocka_unit_test(leaves_after_its_last_job),
        cmocka_unit_test(carries_large_bodies),
        cmocka_unit_test(tells_signals),
        cmocka_unit_test(tells_exits),
        cmocka_unit_test(ends_hangs),
        cmocka_unit_test(bounds_output),
        cmocka_unit_test(does_not_starve_beside_chatter),
        cmocka_unit_test(refuses_what_is_no_frame),
        cmocka_unit_test(refuses_half_a_frame),
        cmocka_unit_test(leaves_nonsense_to_the_policy),
        cmocka_unit_test(limits_memory),
        cmocka_unit_test(hands_on_exceptions),
        cmocka_unit_test(ends_fork_bombs),
        cmocka_unit_test(counts_what_left_the_tree),
        cmocka_unit_test(hears_one_of_two_after_a_fork),
        cmocka_unit_test(sweeps_strays),
        cmocka_unit_test(tells_start_up),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
