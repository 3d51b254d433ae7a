/* Sets up and runs a pool with the null framework for the fault tests. */
#include "scene.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <uv.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"

static const char *const no_environment[] = {NULL};

/* The input of every job, and its digest as a float32[4] (src/foundation/array/array.h). */
static const char input_bytes[] = "0123456789abcdef";
static const char input_digest[] = "88bbd8597282ac4d53de63fd4b2e5b09";

static void keep(char out[static MAX_TEXT], const char *text)
{
    snprintf(out, MAX_TEXT, "%s", text);
}

static int next(void *ctx, unsigned slot, struct pm_child_plan *plan, struct pm_error *err)
{
    struct scene *const scene = ctx;
    (void)slot;
    (void)err;
    if (scene->next == scene->count)
        return 0;
    struct trial *const trial = &scene->trials[scene->next++];
    assert_int_equal(trial->begun++, 0);
    scene->running++;
    plan->driver = &scene->drivers[trial->driver];
    plan->setting = json_pack("{s:s, s:s, s:b, s:s?}", "device", "null", "variant", "", "clocks", 0,
                              "start", trial->start);
    plan->memory = trial->memory;
    plan->start_timeout_ms = trial->start_timeout_ms ? trial->start_timeout_ms : 20000;
    plan->ctx = trial;
    return 1;
}

static int driver_ready(void *ctx, const struct pm_driver_info *info, struct pm_error *err)
{
    struct scene *const scene = ctx;
    (void)err;
    scene->ready++;
    scene->ready_errors += json_object_get(info->ready, "error") != NULL;
    scene->driver_pid = info->pid;
    return PM_OK;
}

static int started(void *ctx, void *child, const json_t *header, struct pm_error *err)
{
    struct trial *const trial = child;
    (void)ctx;
    (void)err;
    trial->start_error = json_object_get(header, "error") != NULL;
    return PM_OK;
}

static int job(void *ctx, void *child, struct pm_job *out, struct pm_error *err)
{
    struct trial *const trial = child;
    (void)err;
    if (trial->handed == MAX_CALLS || !trial->calls[trial->handed])
        return 0;
    const char *const call = trial->calls[trial->handed++];
    out->header =
        json_pack("{s:i, s:s, s:s, s:[{s:s, s:s, s:[i], s:i, s:i, s:s}]}", "execution",
                  (int)trial->handed, "function", "null.call", "call", call, "inputs", "name", "x",
                  "dtype", "float32", "shape", 4, "offset", 0, "bytes", 16, "digest", input_digest);
    pm_str_init(&out->body);
    pm_str_add_bytes(&out->body, input_bytes, 16);
    out->timeout_ms = trial->timeout_ms ? trial->timeout_ms : 20000;
    out->last = trial->last && (trial->handed == MAX_CALLS || !trial->calls[trial->handed]);
    struct scene *const scene = ctx;
    if (scene->handed && trial->handed == 1)
        scene->handed(scene, trial);
    return 1;
}

static int asked(void *ctx, void *child, const struct pm_frame *ask, json_t *header,
                 struct pm_str *body, struct pm_error *err)
{
    const struct trial *const trial = child;
    (void)ctx;
    if (trial->reject)
        return pm_error_set(err, PM_EFORMAT, "rejected");
    const json_t *const wanted = json_array_get(json_object_get(ask->header, "arrays"), 0);
    const int64_t count = json_integer_value(json_array_get(json_object_get(wanted, "shape"), 0));
    for (int64_t i = 0; i < count; i++)
        pm_str_add_bytes(body, "\0\0\x80?", 4);
    json_object_set_new(header, "arrays",
                        json_pack("[{s:s, s:s, s:[I], s:i, s:I, s:s}]", "name", "asked", "dtype",
                                  "float32", "shape", (json_int_t)count, "offset", 0, "bytes",
                                  (json_int_t)count * 4, "digest", ""));
    return PM_OK;
}

static int answered(void *ctx, void *child, const struct pm_frame *result, struct pm_error *err)
{
    struct trial *const trial = child;
    (void)ctx;
    if (trial->reject)
        return pm_error_set(err, PM_EFORMAT, "rejected");
    trial->answered++;
    assert_int_equal(pm_json_int(result->header, "execution", -1), trial->handed);
    const json_t *const raised = json_object_get(result->header, "raised");
    if (json_is_object(raised))
        snprintf(trial->raised, MAX_TEXT, "%s: %s (%s)", pm_json_string(raised, "type", ""),
                 pm_json_string(raised, "message", ""), pm_json_string(raised, "memory", "-"));
    keep(trial->harness, pm_json_string(result->header, "harness", ""));
    trial->body_length = result->body_length;
    return PM_OK;
}

static int ended(void *ctx, void *child, const struct pm_ending *ending, struct pm_error *err)
{
    struct scene *const scene = ctx;
    struct trial *const trial = child;
    scene->running--;
    trial->ended++;
    trial->kind = ending->kind;
    trial->code = ending->code;
    trial->pid = ending->pid;
    trial->started = ending->started;
    trial->job_lost = ending->job_lost;
    trial->strays = ending->strays;
    trial->output_bytes = ending->output_bytes;
    trial->output_length = strlen(ending->output);
    trial->wall_ns = ending->wall_ns;
    trial->max_rss = ending->max_rss;
    keep(trial->output, ending->output);
    keep(trial->text, ending->text);
    trial->stage = ending->stage;
    if (scene->fail_after && --scene->fail_after == 0)
        return pm_error_set(err, PM_EUSAGE, "the policy has had enough");
    return PM_OK;
}

static int tick(void *ctx, struct pm_error *err)
{
    struct scene *const scene = ctx;
    (void)err;
    scene->ticks++;
    return PM_OK;
}

unsigned open_descriptors(void)
{
    char **names;
    size_t count;
    assert_int_equal(pm_folder_list("/proc/self/fd", &names, &count, NULL), PM_OK);
    pm_free_strings(names, count);
    return (unsigned)count;
}

static void assert_nothing_left(const struct scene *scene, const char *scratch)
{
    char **names;
    size_t count;
    unsigned leftovers;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(pm_pool_end_leftovers(scene->run_id, &leftovers, NULL), PM_OK);
    assert_int_equal(leftovers, 0);
    assert_int_equal(pm_folder_list(scratch, &names, &count, NULL), PM_OK);
    assert_int_equal(count, 0);
    pm_free_strings(names, count);
}

static void run(struct scene *scene, const char *scratch)
{
    static unsigned runs;
    const struct pm_pool_policy policy = {
        .ctx = scene,
        .next = next,
        .driver_ready = driver_ready,
        .started = started,
        .job = job,
        .asked = asked,
        .answered = answered,
        .ended = ended,
        .tick = tick,
    };
    if (!scene->run_id[0])
        snprintf(scene->run_id, sizeof scene->run_id, "fault-%d-%u", getpid(), ++runs);
    scene->options.slots = scene->slots ? scene->slots : 1;
    scene->options.run_id = scene->run_id;
    scene->options.scratch = scratch;
    if (!scene->options.grace_ms)
        scene->options.grace_ms = 300;
    struct pm_error error = {{0}};
    if (pm_pool_new(&scene->pool, &scene->options, &policy, &error) != PM_OK)
        fail_msg("%s", error.text);
    scene->rc = pm_pool_run(scene->pool, &scene->error);
    if (scene->rc != PM_OK && !scene->keep_run)
        fail_msg("%s", scene->error.text);
    scene->stopped = pm_pool_stopped(scene->pool);
    scene->peak_memory = pm_pool_peak_memory(scene->pool);
    if (scene->restore)
        setrlimit(RLIMIT_NOFILE, scene->restore);
    pm_pool_free(scene->pool);
    scene->pool = NULL;
}

void play(struct scene *scene)
{
    char *home, *scratch;
    assert_int_equal(pm_path_home(&home, NULL), PM_OK);
    assert_int_equal(pm_folder_scratch(&scratch, NULL), PM_OK);
    char *const serve = pm_path_join(home, "drivers/serve.py");
    const char *const null_argv[] = {"/usr/bin/env", "python3", serve, "null", NULL};
    const unsigned before = open_descriptors();
    if (!scene->drivers[0].key)
        scene->drivers[0] = (struct pm_driver){"null", null_argv, no_environment, 20000};
    for (unsigned i = 0; i < 2; i++)
        if (!scene->drivers[i].argv)
            scene->drivers[i].argv = null_argv;
    run(scene, scratch);
    assert_int_equal(open_descriptors(), before);
    assert_nothing_left(scene, scratch);
    if (scene->rc == PM_OK)
        for (unsigned i = 0; i < scene->next; i++)
            assert_int_equal(scene->trials[i].ended, 1);
    assert_int_equal(pm_folder_remove(scratch, NULL), PM_OK);
    free(serve);
    free(home);
    free(scratch);
}

static void die(int number)
{
    (void)number;
    raise(SIGKILL);
}

void die_soon(struct scene *scene, struct trial *trial)
{
    (void)scene;
    (void)trial;
    signal(SIGALRM, die);
    ualarm(500000, 0);
}

int warm_up(void **state)
{
    uv_loop_t loop;
    (void)state;
    if (uv_loop_init(&loop) != 0) /* from now on, libuv keeps two descriptors for signals */
        return -1;
    if (pm_stop_install(NULL) != PM_OK) /* keeps descriptors, too */
        return -1;
    return uv_loop_close(&loop);
}
