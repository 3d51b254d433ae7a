/* Tests of frames, of streams without frames, and of the pool: with children that do everything
 * that a case may do, and with programs that are not drivers. */
#include "pool/pool.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

/* The frames that a reader delivered. */
struct seen {
    unsigned count, kinds[8];
    int64_t numbers[8];
    uint64_t body_lengths[8];
    struct pm_str bodies;
    int refuse_at; /* this frame, counted from 1, is refused */
};

static int on_frame(void *ctx, const struct pm_frame *frame, struct pm_error *err)
{
    struct seen *const seen = ctx;
    assert_true(seen->count < 8);
    seen->kinds[seen->count] = frame->kind;
    seen->numbers[seen->count] = pm_json_int(frame->header, "n", -1);
    seen->body_lengths[seen->count] = frame->body_length;
    pm_str_add_bytes(&seen->bodies, frame->body, (size_t)frame->body_length);
    seen->count++;
    if (seen->refuse_at == (int)seen->count)
        return pm_error_set(err, PM_EIO, "refused");
    return PM_OK;
}

static void add_frame(struct pm_str *out, unsigned kind, int n, const char *body)
{
    json_t *const header = json_pack("{s:i}", "n", n);
    pm_wire_begin(out, kind, header, strlen(body));
    pm_str_add(out, body);
    json_decref(header);
}

static void add_three(struct pm_str *out)
{
    add_frame(out, PM_FRAME_ASK, 1, "");
    add_frame(out, PM_FRAME_RESULT, 2, "some bytes of an array");
    add_frame(out, PM_FRAME_BYE, 3, "");
}

static void has_the_layout_of_its_manual(void **state)
{
    static const unsigned char expected[] = {'P', 'M', 1, 11, 7,   0,   0,   0,   4,   1,   0,  0,
                                             0,   0,   0, 0,  '{', '"', 'n', '"', ':', '5', '}'};
    struct pm_str out = PM_STR_INIT;
    json_t *const header = json_pack("{s:i}", "n", 5);
    (void)state;
    pm_wire_begin(&out, PM_FRAME_RESULT, header, 260);
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.data, expected, sizeof expected);
    json_decref(header);
    pm_str_release(&out);
}

/* The frames are the same however the bytes are split. */
static void reassembles_frames_from_any_pieces(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    (void)state;
    add_three(&stream);
    for (size_t piece = 1; piece <= stream.length; piece++) {
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        for (size_t at = 0; at < stream.length; at += piece) {
            const size_t length = stream.length - at < piece ? stream.length - at : piece;
            /* A separate copy, so that valgrind and ASan find a read beyond its end. */
            char *const part = pm_alloc(length);
            memcpy(part, stream.data + at, length);
            assert_int_equal(pm_wire_feed(&reader, part, length, on_frame, &seen, NULL), PM_OK);
            free(part);
        }
        assert_int_equal(seen.count, 3);
        assert_int_equal(seen.kinds[1], PM_FRAME_RESULT);
        assert_int_equal(seen.numbers[0], 1);
        assert_int_equal(seen.numbers[2], 3);
        assert_string_equal(seen.bodies.data, "some bytes of an array");
        assert_false(pm_wire_partial(&reader));
        pm_str_release(&seen.bodies);
        pm_wire_release(&reader);
    }
    pm_str_release(&stream);
}

static void tells_an_unfinished_frame(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    (void)state;
    add_three(&stream);
    assert_false(pm_wire_partial(&reader));
    assert_int_equal(pm_wire_feed(&reader, stream.data, stream.length - 1, on_frame, &seen, NULL),
                     PM_OK);
    assert_int_equal(seen.count, 2);
    assert_true(pm_wire_partial(&reader));
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
    pm_str_release(&stream);
}

static void assert_breach(const void *bytes, size_t length, const char *text)
{
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    struct pm_error error = {{0}};
    assert_int_equal(pm_wire_feed(&reader, bytes, length, on_frame, &seen, &error), PM_EFORMAT);
    if (!strstr(error.text, text))
        fail_msg("'%s' is not in '%s'", text, error.text);
    assert_int_equal(seen.count, 0);
    assert_int_equal(pm_wire_feed(&reader, bytes, length, on_frame, &seen, &error), PM_EFORMAT);
    assert_string_equal(error.text, "bytes follow an invalid frame");
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
}

#define BREACH(bytes, text) assert_breach(bytes, sizeof(bytes) - 1, text)

static void refuses_breaches(void **state)
{
    (void)state;
    BREACH("GET / HTTP/1.1\r\n\r\n",
           "the bytes are not a frame of the protocol (docs/internals/protocol.md)");
    BREACH("PM\x02\x01\x02\0\0\0\0\0\0\0\0\0\0\0{}", "the frame has version 2 instead of 1");
    BREACH("PM\x01\x0d\x02\0\0\0\0\0\0\0\0\0\0\0{}", "the frame has the unknown kind 13");
    BREACH("PM\x01\0\x02\0\0\0\0\0\0\0\0\0\0\0{}", "the frame has the unknown kind 0");
    BREACH("PM\x01\x01\x01\0\0\x01\0\0\0\0\0\0\0\0", "header of frame 'hello' has 16777217 bytes");
    BREACH("PM\x01\x0b\x02\0\0\0\x01\0\0\x80\0\0\0\0",
           "body of frame 'result' has 2147483649 bytes");
    BREACH("PM\x01\x0b\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
           "has 18446744073709551615 bytes");
    BREACH("PM\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0", "the header of frame 'hello' is not JSON: ");
    BREACH("PM\x01\x01\x02\0\0\0\0\0\0\0\0\0\0\0[]",
           "the header of frame 'hello' is not an object");
    BREACH("PM\x01\x01\x04\0\0\0\0\0\0\0\0\0\0\0{\"\xff\"",
           "the header of frame 'hello' is not JSON: ");
    BREACH("PM\x01\x01\x0d\0\0\0\0\0\0\0\0\0\0\0{\"a\":1,\"a\":2}",
           "the header of frame 'hello' is not JSON: ");
}

static void stops_at_a_refused_frame(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT, .refuse_at = 2};
    struct pm_error error;
    (void)state;
    add_three(&stream);
    assert_int_equal(pm_wire_feed(&reader, stream.data, stream.length, on_frame, &seen, &error),
                     PM_EIO);
    assert_string_equal(error.text, "refused");
    assert_int_equal(seen.count, 2);
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
    pm_str_release(&stream);
}

static void keeps_no_more_than_comes(void **state)
{
    static const char prefix[] = "PM\x01\x0b\x02\0\0\0\0\0\0\x40\0\0\0\0{}"; /* 1 GiB announced */
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    (void)state;
    assert_int_equal(pm_wire_feed(&reader, prefix, sizeof prefix - 1, on_frame, &seen, NULL),
                     PM_OK);
    assert_true(reader.capacity < 1 << 20);
    pm_wire_release(&reader);
}

/* If one byte of the frames is changed, they are read or refused as a breach. */
static void survives_noise(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    unsigned seed = 7;
    (void)state;
    add_three(&stream);
    for (unsigned i = 0; i < 20000; i++) {
        char *const noisy = pm_alloc(stream.length);
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        memcpy(noisy, stream.data, stream.length);
        noisy[(unsigned)rand_r(&seed) % stream.length] = (char)rand_r(&seed);
        const int rc = pm_wire_feed(&reader, noisy, stream.length, on_frame, &seen, NULL);
        assert_true(rc == PM_OK || rc == PM_EFORMAT);
        pm_str_release(&seen.bodies);
        pm_wire_release(&reader);
        free(noisy);
    }
    pm_str_release(&stream);
}

static void names_kinds(void **state)
{
    (void)state;
    assert_string_equal(pm_frame_name(PM_FRAME_HELLO), "hello");
    assert_string_equal(pm_frame_name(PM_FRAME_BYE), "bye");
    assert_null(pm_frame_name(0));
    assert_null(pm_frame_name(13));
}

/* SQLite must be able to read stored JSON, and accepts less deep nesting than jansson. */
static void refuses_a_header_that_nests_too_deep(void **state)
{
    (void)state;
    for (unsigned levels = PM_WIRE_DEPTH_MAX; levels <= PM_WIRE_DEPTH_MAX + 1; levels++) {
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        struct pm_str out = PM_STR_INIT;
        json_t *header = json_pack("{s:i}", "n", 1), *inner = json_array();
        for (unsigned i = 2; i < levels; i++)
            inner = i % 2 ? json_pack("[o]", inner) : json_pack("{s:o}", "x", inner);
        json_object_set_new(header, "x", inner);
        pm_wire_begin(&out, PM_FRAME_RESULT, header, 0);
        assert_int_equal(pm_wire_feed(&reader, out.data, out.length, on_frame, &seen, NULL),
                         levels > PM_WIRE_DEPTH_MAX ? PM_EFORMAT : PM_OK);
        json_decref(header);
        pm_wire_release(&reader);
        pm_str_release(&out);
    }
}

/* ---- the pool ----------------------------------------------------------------------------------
 */

enum { LONG_MS = 60000, SHORT_MS = 200, MOST_CHILDREN = 32, OUTPUT_LIMIT = 1000 };

/* A job of the null framework, and how its child ends. */
struct child {
    const char *call;
    enum pm_ending_kind kind;
    int code;
    bool answers;
    unsigned timeout_ms; /* 0: LONG_MS */
};

/* The results of a child. */
struct outcome {
    bool handed, answered;
    enum pm_ending_kind kind;
    int code;
    uint64_t output_bytes;
    size_t output_length;
    unsigned strays;
    char text[200];
};

struct pooled {
    const struct child *children;
    size_t count, given, ended;
    struct outcome outcomes[MOST_CHILDREN];
    struct pm_driver driver;
    bool ready; /* whether a driver has imported its framework, or said why it cannot */
    unsigned asked;
    uint64_t peak;
    char *scratch;
};

static int next_child(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err)
{
    struct pooled *p = ctx;
    (void)slot;
    (void)err;
    if (p->given == p->count)
        return 0;
    *plan = (struct pm_child_plan){
        .driver = &p->driver,
        .setting = json_pack("{s:s, s:s, s:{}, s:i, s:i, s:b, s:b, s:{}, s:i, s:b, s:n, s:b, s:b}",
                             "device", "null", "variant", "", "environment", "devices", 1,
                             "threads", 0, "clocks", 0, "paper", 0, "warm", "seed", 1, "exact", 0,
                             "x64", "oracle", 0, "reference", 0),
        .start_timeout_ms = LONG_MS,
        .ctx = &p->outcomes[p->given++],
    };
    return 1;
}

static int driver_ready(void *ctx, const struct pm_driver_info *info, struct pm_error *err)
{
    struct pooled *p = ctx;
    (void)info;
    (void)err;
    p->ready = true;
    return PM_OK;
}

static int child_started(void *ctx, void *child, const json_t *header, struct pm_error *err)
{
    (void)ctx;
    (void)child;
    (void)header;
    (void)err;
    return PM_OK;
}

static int next_job(void *ctx, void *child, struct pm_job *job, struct pm_error *err)
{
    struct pooled *p = ctx;
    struct outcome *o = child;
    const struct child *c = &p->children[o - p->outcomes];
    (void)err;
    if (o->handed)
        return 0;
    o->handed = true;
    *job = (struct pm_job){
        .header = json_pack("{s:i, s:s, s:s, s:[], s:n, s:n, s:[], s:[], s:s, s:n, s:s, s:n, s:b, "
                            "s:[], s:b, s:[], s:n, s:{}, s:{}, s:b, s:b}",
                            "execution", 1, "function", "f", "case", "a", "inputs", "context",
                            "setup", "arguments", "modules", "call", c->call, "output", "repeat",
                            "pure", "check", "backward", 0, "host_outputs", "host_only", 0,
                            "requires", "expect", "process", "compare", "purity", 0, "rehearse", 0),
        .timeout_ms = c->timeout_ms ? c->timeout_ms : LONG_MS,
    };
    return 1;
}

static int refuse_ask(void *ctx, void *child, const struct pm_frame *ask, json_t *header,
                      struct pm_str *body, struct pm_error *err)
{
    struct pooled *p = ctx;
    (void)child;
    (void)ask;
    (void)header;
    (void)body;
    p->asked++;
    return pm_error_set(err, PM_EFORMAT, "no arrays here");
}

static int child_answered(void *ctx, void *child, const struct pm_frame *result,
                          struct pm_error *err)
{
    struct outcome *o = child;
    (void)ctx;
    (void)result;
    (void)err;
    o->answered = true;
    return PM_OK;
}

static int child_ended(void *ctx, void *child, const struct pm_ending *ending, struct pm_error *err)
{
    struct pooled *p = ctx;
    struct outcome *o = child;
    (void)err;
    p->ended++;
    o->kind = ending->kind;
    o->code = ending->code;
    o->output_bytes = ending->output_bytes;
    o->output_length = strlen(ending->output);
    o->strays = ending->strays;
    snprintf(o->text, sizeof o->text, "%s", ending->text);
    return PM_OK;
}

static int no_tick(void *ctx, struct pm_error *err)
{
    (void)ctx;
    (void)err;
    return PM_OK;
}

/* Runs the children under a driver started by `argv`, until each has ended. */
static void run_pool(struct pooled *p, const char *const *argv, unsigned import_timeout_ms)
{
    static const char *const nothing[] = {NULL};
    const struct pm_pool_policy policy = {.ctx = p,
                                          .next = next_child,
                                          .driver_ready = driver_ready,
                                          .started = child_started,
                                          .job = next_job,
                                          .asked = refuse_ask,
                                          .answered = child_answered,
                                          .ended = child_ended,
                                          .tick = no_tick};
    struct pm_error err = {""};
    struct pm_pool *pool;
    assert_int_equal(pm_folder_scratch(&p->scratch, &err), PM_OK);
    const struct pm_pool_options options = {.slots = 2,
                                            .run_id = "unit-test",
                                            .scratch = p->scratch,
                                            .grace_ms = SHORT_MS,
                                            .process_limit = 8,
                                            .output_limit = OUTPUT_LIMIT};
    p->driver = (struct pm_driver){.key = "null",
                                   .argv = argv,
                                   .environment = nothing,
                                   .import_timeout_ms = import_timeout_ms};
    assert_int_equal(pm_pool_new(&pool, &options, &policy, &err), PM_OK);
    const int rc = pm_pool_run(pool, &err);
    if (rc != PM_OK)
        fail_msg("%s", err.text);
    assert_false(pm_pool_stopped(pool));
    p->peak = pm_pool_peak_memory(pool);
    pm_pool_free(pool);
    assert_int_equal(pm_folder_remove(p->scratch, &err), PM_OK);
    free(p->scratch);
    assert_int_equal(p->ended, p->count);
}

static void children_end_in_every_way(void **state)
{
    static const struct child children[] = {
        {"ok", PM_ENDING_EXIT, 0, true},
        {"raise(ValueError, no)", PM_ENDING_EXIT, 0, true},
        {"abort", PM_ENDING_SIGNAL, SIGABRT, false},
        {"exit(3)", PM_ENDING_EXIT, 3, false},
        {"exit0", PM_ENDING_EXIT, 0, false},
        {"hang", PM_ENDING_DEADLINE, 0, false, SHORT_MS},
        {"garbage", PM_ENDING_PROTOCOL, 0, false},
        {"badversion", PM_ENDING_PROTOCOL, 0, false},
        {"badkind", PM_ENDING_PROTOCOL, 0, false},
        {"badheader", PM_ENDING_PROTOCOL, 0, false},
        {"unexpected", PM_ENDING_PROTOCOL, 0, false},
        {"toolong", PM_ENDING_PROTOCOL, 0, false},
        {"ask(4)", PM_ENDING_PROTOCOL, 0, false},
        {"forkbomb", PM_ENDING_PROCESSES, 0, false},
        {"flood(100000)", PM_ENDING_EXIT, 0, true},
        {"stray(2)", PM_ENDING_EXIT, 0, true},
        {"twin", PM_ENDING_EXIT, 0, true},
    };
    enum { COUNT = sizeof children / sizeof *children, FLOOD = COUNT - 3, STRAY = COUNT - 2 };
    struct pooled p = {.children = children, .count = COUNT};
    struct pm_error err;
    char *home;
    (void)state;
    assert_int_equal(pm_path_home(&home, &err), PM_OK);
    char *serve = pm_path_join(home, "drivers/serve.py");
    run_pool(&p, (const char *const[]){"/usr/bin/env", "python3", serve, "null", NULL}, LONG_MS);
    assert_true(p.ready);
    assert_int_equal(p.asked, 1);
    assert_true(p.peak > 0);
    for (size_t i = 0; i < COUNT; i++) {
        const struct outcome *o = &p.outcomes[i];
        const bool code =
            children[i].kind == PM_ENDING_EXIT || children[i].kind == PM_ENDING_SIGNAL;
        if (o->kind != children[i].kind || (code && o->code != children[i].code) ||
            o->answered != children[i].answers)
            fail_msg("%s: %s %d, %s: %s", children[i].call, pm_ending_kind_text(o->kind), o->code,
                     o->answered ? "answered" : "no answer", o->text);
    }
    assert_true(p.outcomes[FLOOD].output_bytes >= 100000);
    assert_true(p.outcomes[FLOOD].output_length <= OUTPUT_LIMIT);
    assert_int_equal(p.outcomes[STRAY].strays, 2);
    free(serve);
    free(home);
}

/* None of these programs is a driver: the children end with a message that says what is wrong. */
static void a_driver_that_is_none_ends_its_children(void **state)
{
    static const char *const exits[] = {"/bin/sh", "-c", "echo no libraries >&2; exit 3", NULL};
    static const char *const sleeps[] = {"/bin/sh", "-c", "exec sleep 60", NULL};
    static const char *const missing[] = {"/nowhere/python", "serve.py", "null", NULL};
    static const struct {
        const char *const *argv;
        unsigned import_timeout_ms;
        const char *part;
    } drivers[] = {
        {exits, LONG_MS, "status 3"},
        {sleeps, SHORT_MS, "ready"},
        {missing, LONG_MS, "/nowhere/python"},
    };
    static const struct child children[] = {{"ok", PM_ENDING_DRIVER}, {"ok", PM_ENDING_DRIVER}};
    (void)state;
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        struct pooled p = {.children = children, .count = 2};
        run_pool(&p, drivers[i].argv, drivers[i].import_timeout_ms);
        for (size_t k = 0; k < p.count; k++) {
            assert_int_equal(p.outcomes[k].kind, PM_ENDING_DRIVER);
            assert_false(p.outcomes[k].handed);
            if (!strstr(p.outcomes[k].text, drivers[i].part))
                fail_msg("'%s' does not say '%s'", p.outcomes[k].text, drivers[i].part);
        }
    }
}

/* Starts a process with a run's id in its environment; returns its pid. */
static int process_of_run(const char *run)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    const int pid = fork();
    if (pid == 0) {
        char *const variable = pm_format("PORTMETER_RUN=%s", run);
        execle("/bin/sleep", "sleep", "60", (char *)NULL, (char *const[]){variable, NULL});
        _exit(127);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* closed by execle() */
    close(ends[0]);
    return pid;
}

static void leftovers_of_a_run_are_ended_and_no_others(void **state)
{
    struct pm_error err = {""};
    unsigned ended;
    int status;
    (void)state;
    const int other = process_of_run("unit-test-other"), own = process_of_run("unit-test-left");
    assert_int_equal(pm_pool_end_leftovers("unit-test-left", &ended, &err), PM_OK);
    assert_int_equal(ended, 1);
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(waitpid(other, &status, WNOHANG), 0);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, &status, 0), other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_a_header_that_nests_too_deep),
        cmocka_unit_test(has_the_layout_of_its_manual),
        cmocka_unit_test(reassembles_frames_from_any_pieces),
        cmocka_unit_test(tells_an_unfinished_frame),
        cmocka_unit_test(refuses_breaches),
        cmocka_unit_test(stops_at_a_refused_frame),
        cmocka_unit_test(keeps_no_more_than_comes),
        cmocka_unit_test(survives_noise),
        cmocka_unit_test(names_kinds),
        cmocka_unit_test(children_end_in_every_way),
        cmocka_unit_test(a_driver_that_is_none_ends_its_children),
        cmocka_unit_test(leftovers_of_a_run_are_ended_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
