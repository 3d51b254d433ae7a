/* Tests of targets, and of environments whose interpreters are shell scripts, so that no framework
 * is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "environment/environment_private.h"

struct fixture {
    char *folder, *bin;
    struct pm_error err;
    struct pm_str said;
};

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    pm_str_init(&f->said);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    f->bin = pm_path_join(f->folder, "bin");
    mkdir(f->bin, 0755);
    char *data = pm_path_join(f->folder, "data");
    char *path = pm_format("%s:/usr/bin:/bin", f->bin);
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", path, 1);
    unsetenv("PYTHONPATH");
    unsetenv("PJRT_DEVICE");
    free(path);
    free(data);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    const int rc = pm_folder_remove(f->folder, &f->err);
    pm_str_release(&f->said);
    free(f->folder);
    free(f->bin);
    free(f);
    return rc;
}

#define assert_ok(f, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (f)->err.text);                                              \
    } while (0)
#define assert_says(f, part)                                                                       \
    do {                                                                                           \
        if (!strstr((f)->err.text, part) || strchr((f)->err.text, '\n'))                           \
            fail_msg("'%s' does not say '%s'", (f)->err.text, part);                               \
    } while (0)

static void say(void *ctx, const char *line)
{
    struct fixture *f = ctx;
    pm_str_addf(&f->said, "%s\n", line);
}

static char *write_script(struct fixture *f, const char *name, const char *body)
{
    char *path = pm_path_join(f->bin, name), *text = pm_format("#!/bin/sh\n%s\n", body);
    assert_ok(f, pm_file_write(path, text, strlen(text), &f->err));
    chmod(path, 0755);
    free(text);
    return path;
}

/* Writes an interpreter that first runs `more`, then prints these modules as look.py does. */
static char *write_python(struct fixture *f, const char *name, const char *modules,
                          const char *more)
{
    char *body = pm_format("%s\ncase $1 in *look.py) echo '{\"executable\": \"'$0'\", \"python\": "
                           "\"3.11.2\", \"modules\": {%s}, \"folders\": {}}' ;; esac",
                           more, modules);
    char *path = write_script(f, name, body);
    free(body);
    return path;
}

static void parse(struct fixture *f, const char *text, struct pm_target *out)
{
    assert_ok(f, pm_target_parse(text, out, &f->err));
}

static void test_target__texts_are_normal(void **state)
{
    static const char *const rows[][3] = {
        {"pytorch@cpu", "pytorch@cpu", NULL},
        {"pytorch:pytorch@cuda", "pytorch@cuda", "pytorch@cpu"},
        {"pytorch-xla:pytorch@xla", "pytorch-xla:pytorch@xla", "pytorch-xla:pytorch@cpu"},
        {"pytorch@cpu+inductor", "pytorch@cpu+inductor", "pytorch@cpu"},
        {"x:pytorch@cuda+inductor", "x:pytorch@cuda+inductor", "x:pytorch@cuda"},
        {"pytorch@npu", "pytorch@npu", "pytorch@cpu"},
        {"pytorch@npu:3", "pytorch@npu:3", "pytorch@cpu"},
        {"pytorch@cuda:1", "pytorch@cuda:1", "pytorch@cpu"},
        {"x:pytorch@cuda:12+inductor", "x:pytorch@cuda:12+inductor", "x:pytorch@cuda:12"},
        {"pytorch@cuda:0", "pytorch@cuda", "pytorch@cpu"},
        {"pytorch@cpu:0", "pytorch@cpu", NULL},
        {"numpy@cpu", "numpy@cpu", NULL},
        {"tensorflow@xla+jit", "tensorflow@xla+jit", "tensorflow@xla"},
        {"tensorflow@xla+soft", "tensorflow@xla+soft", "tensorflow@cpu"},
        {"x:tensorflow@cuda:1+soft", "x:tensorflow@cuda:1+soft", "x:tensorflow@cpu"},
        {"tensorflow@cpu+soft", "tensorflow@cpu+soft", "tensorflow@cpu"},
        {"null@null", "null@null", "null@host"},
        {"null@host", "null@host", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_target target;
        parse(*state, rows[i][0], &target);
        assert_string_equal(target.text, rows[i][1]);
        if (rows[i][2])
            assert_string_equal(target.reference, rows[i][2]);
        else
            assert_null(target.reference);
        pm_target_release(&target);
    }
}

static void make_file(struct fixture *f, const char *folder, const char *name)
{
    char *path = name ? pm_path_join(folder, name) : NULL;
    if (path)
        assert_ok(f, pm_file_write(path, "", 0, &f->err));
    free(path);
}

/* JAX's `gpu` means any GPU; the target has the name of the kind that the machine has. */
static void test_target__the_gpu_of_the_machine(void **state)
{
    static const struct {
        const char *amd, *nvidia, *gpu;
    } machines[] = {{NULL, NULL, "cuda"},
                    {NULL, "nvidiactl", "cuda"},
                    {"kfd", NULL, "rocm"},
                    {"kfd", "nvidiactl", "cuda"}};
    struct fixture *f = *state;
    const struct pm_framework *jax = pm_framework_find("jax");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char *folder = pm_format("%s/dev%zu", f->folder, i);
        assert_ok(f, pm_folder_make(folder, &f->err));
        make_file(f, folder, machines[i].amd);
        make_file(f, folder, machines[i].nvidia);
        assert_string_equal(pm_environment__gpu(jax, "gpu", folder), machines[i].gpu);
        assert_string_equal(pm_environment__gpu(jax, "gpu:1", folder), machines[i].gpu);
        assert_null(pm_environment__gpu(jax, "cuda", folder));
        assert_null(pm_environment__gpu(jax, "gpus", folder));
        assert_null(pm_environment__gpu(pm_framework_find("pytorch"), "gpu", folder));
        free(folder);
    }
    struct pm_target target;
    const char *here = pm_environment__gpu(jax, "gpu", "/dev");
    char *text = pm_format("x:jax@%s:1+jit", here), *device = pm_format("%s:1", here);
    parse(f, "x:jax@gpu:1+jit", &target);
    assert_string_equal(target.text, text);
    assert_string_equal(target.device, device);
    pm_target_release(&target);
    free(text);
    free(device);
}

static void test_target__what_is_none_is_said_in_a_line(void **state)
{
    static const char *const rows[][2] = {
        {"", "write [environment:]framework@device[:index][+variant]"},
        {"pytorch", "add the device, as in pytorch@cuda"},
        {"pytorch@cpu,jax@cpu", "name one target, and repeat the option for others"},
        {"pytorch@", "write [environment:]framework@device[:index][+variant]"},
        {"@cpu", "write [environment:]framework@device[:index][+variant]"},
        {":pytorch@cpu", "write [environment:]framework@device[:index][+variant]"},
        {"a/b:pytorch@cpu", "write [environment:]framework@device[:index][+variant]"},
        {"pytorch@cpu+", "write [environment:]framework@device[:index][+variant]"},
        {"pytorch@cuda:", "framework@device[:index][+variant]"},
        {"pytorch@cuda:01", "framework@device[:index][+variant]"},
        {"pytorch@cuda:-1", "framework@device[:index][+variant]"},
        {"pytorch@cuda:1x", "framework@device[:index][+variant]"},
        {"pytorch@cuda:10000", "framework@device[:index][+variant]"},
        {"pytorch@:1", "framework@device[:index][+variant]"},
        {"pytorch@cpu:1", "device 'cpu' has no index: remove ':1'"},
        {"caffe@cpu",
         "unknown framework 'caffe': use one of pytorch, tensorflow, jax, numpy, null"},
        {"numpy@cuda", "framework 'numpy' has no device 'cuda': use one of cpu"},
        {"pytorch@cpu+jit",
         "device 'cpu' has no variant 'jit': remove '+jit', or use one of its variants: inductor"},
        {"pytorch@cpu+induct", "device 'cpu' has no variant 'induct': did you mean 'inductor'?"},
        {"pytorch@meta+inductor", "device 'meta' has no variant 'inductor': remove '+inductor'"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_target target;
        assert_int_equal(pm_target_parse(rows[i][0], &target, &f->err), PM_EUSAGE);
        assert_says(f, rows[i][1]);
        assert_null(target.text);
    }
}

static void test_target__traits(void **state)
{
    struct pm_target target;
    parse(*state, "pytorch@meta", &target);
    assert_int_equal(target.evidence, PM_EVIDENCE_SHAPE_ONLY);
    assert_false(target.latencies);
    pm_target_release(&target);
    parse(*state, "pytorch@xla", &target);
    assert_true(target.asynchronous && target.latencies && target.on_host);
    assert_false(target.hides_fallbacks);
    pm_target_release(&target);
    setenv("PJRT_DEVICE", "TPU", 1);
    parse(*state, "pytorch@xla", &target);
    assert_false(target.on_host);
    pm_target_release(&target);
    parse(*state, "numpy@cpu", &target);
    assert_true(target.oracle);
    pm_target_release(&target);
}

/* Fallbacks are hidden on a device that does not count them, and in compiled calls, unless the
 * target computes on the host. */
static void test_target__counted_and_hidden_fallbacks(void **state)
{
    static const struct {
        const char *text;
        bool counted, hidden;
    } rows[] = {{"pytorch@cuda", false, true},
                {"pytorch@toy", true, false},
                {"pytorch@toy+inductor", false, true},
                {"pytorch@mps", true, false},
                {"pytorch@xla", true, false},
                {"pytorch@meta", false, false},
                {"pytorch@cpu", false, false},
                {"pytorch@cpu+inductor", false, false},
                {"tensorflow@xla", true, false},
                {"tensorflow@xla+soft", true, false},
                {"tensorflow@cuda+jit", false, true},
                {"tensorflow@cpu+jit", false, false},
                {"tensorflow@cpu+soft", false, false},
                {"jax@lower-tpu", false, false},
                {"jax@tpu", false, true},
                {"null@null", true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_target target;
        parse(*state, rows[i].text, &target);
        if (target.counts_fallbacks != rows[i].counted || target.hides_fallbacks != rows[i].hidden)
            fail_msg("%s", rows[i].text);
        pm_target_release(&target);
    }
}

/* A variant that compiles does so for each shape, and so does a device of XLA without one. */
static void test_target__new_shapes_compile_again(void **state)
{
    static const struct {
        const char *text;
        bool recompiles, variable;
    } rows[] = {{"pytorch@cpu", false, false},
                {"pytorch@cuda", false, false},
                {"pytorch@cpu+inductor", true, true},
                {"pytorch@xla", true, false},
                {"tensorflow@cpu+soft", false, false},
                {"tensorflow@cpu+jit", true, false},
                {"tensorflow@xla+soft", true, false},
                {"tensorflow@tpu", true, false},
                {"jax@cpu", true, false},
                {"jax@lower-tpu", true, false},
                {"null@null", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_target target;
        parse(*state, rows[i].text, &target);
        if (target.recompiles != rows[i].recompiles ||
            target.makes_sizes_variable != rows[i].variable ||
            (target.recompiles && !target.fewer_shapes))
            fail_msg("%s", rows[i].text);
        pm_target_release(&target);
    }
}

static void test_target__environments_are_found_on_path(void **state)
{
    struct fixture *f = *state;
    struct pm_environments list;
    free(write_python(f, "python3", "\"numpy\": \"1.0\", \"scipy\": \"1.1\"", ""));
    free(write_python(f, "python3.99", "\"torch\": \"9.9\"", ""));
    free(write_script(f, "python3.98", "exit 3"));
    assert_ok(f, pm_environments_load(&list, &f->err));
    const struct pm_environment *torch = pm_environments_find(&list, "pytorch");
    const struct pm_environment *numpy = pm_environments_find(&list, "numpy");
    assert_non_null(torch);
    assert_string_equal(torch->version, "9.9");
    assert_true(pm_ends_with(torch->python, "/python3.99"));
    assert_int_equal(torch->origin, PM_ORIGIN_FOUND);
    assert_non_null(numpy);
    assert_string_equal(numpy->version, "1.0");
    assert_non_null(pm_environments_find(&list, "null"));
    pm_environments_release(&list);
}

static void test_target__numpy_without_scipy_is_no_oracle(void **state)
{
    struct fixture *f = *state;
    struct pm_environments list;
    setenv("PATH", f->bin, 1); /* /usr/bin/python3 is always a candidate */
    free(write_python(f, "python3", "\"numpy\": \"0.0.fake\"", ""));
    assert_ok(f, pm_environments_load(&list, &f->err));
    const struct pm_environment *numpy = pm_environments_find(&list, "numpy");
    assert_true(!numpy || strcmp(numpy->version, "0.0.fake") != 0);
    pm_environments_release(&list);
}

static void test_target__environments_are_added_and_removed(void **state)
{
    struct fixture *f = *state;
    struct pm_environments list;
    char *python = write_python(f, "python-mine", "\"torch\": \"2.0\"", "");
    assert_ok(f, pm_environment_add("mine", "pytorch", python, NULL, 0, &f->err));
    assert_ok(f, pm_environments_load(&list, &f->err));
    const struct pm_environment *mine = pm_environments_find(&list, "mine");
    assert_non_null(mine);
    assert_int_equal(mine->origin, PM_ORIGIN_ADDED);
    assert_string_equal(mine->python, python);
    const struct pm_environment *own = pm_environments_find(&list, "pytorch");
    assert_true(!own || strcmp(own->python, python) != 0);
    pm_environments_release(&list);
    unlink(python); /* a missing interpreter stays in the list; the probe reports it */
    assert_ok(f, pm_environments_load(&list, &f->err));
    assert_non_null(pm_environments_find(&list, "mine"));
    pm_environments_release(&list);
    assert_ok(f, pm_environment_remove("mine", &f->err));
    assert_int_equal(pm_environment_remove("mine", &f->err), PM_EUSAGE);
    assert_int_equal(pm_environment_remove("../mine", &f->err), PM_EUSAGE);
    free(python);
}

/* If a folder is added as an environment, its bin/python is used. The drivers and the probe of the
 * environment import the modules that were named. */
static void test_target__an_environment_keeps_its_imports(void **state)
{
    static const char *const imports[] = {"my_backend", "a.b_1"};
    struct fixture *f = *state;
    struct pm_environments list;
    struct pm_driver_command command;
    struct pm_devices devices;
    struct pm_target target;
    char *folder = pm_path_join(f->bin, "venv"), *bin = pm_path_join(folder, "bin");
    assert_ok(f, pm_folder_make(bin, &f->err));
    char *python = write_script(
        f, "venv/bin/python",
        "case $1 in *look.py) echo '{\"executable\": \"'$0'\", \"python\": \"3.11.2\", "
        "\"modules\": "
        "{\"torch\": \"2.0\"}, \"folders\": {}}' ;; *) echo '{\"devices\": [{\"device\": "
        "\"npu\", \"variant\": \"\", \"measurable\": true, \"name\": \"'$PORTMETER_IMPORT'\"}]}' "
        ";; "
        "esac");
    assert_ok(f, pm_environment_add("mine", "pytorch", folder, imports, 2, &f->err));
    assert_ok(f, pm_environments_load(&list, &f->err));
    const struct pm_environment *mine = pm_environments_find(&list, "mine");
    assert_non_null(mine);
    assert_string_equal(mine->imports, "my_backend,a.b_1");
    assert_ok(f, pm_devices_probe(mine, &devices, &f->err));
    assert_string_equal(devices.items[7].name, "my_backend,a.b_1");
    pm_devices_release(&devices);
    parse(f, "mine:pytorch@npu", &target);
    assert_ok(f, pm_driver_command_make(&target, mine, 0, false, &command, &f->err));
    assert_string_equal(command.environment[2], "PORTMETER_IMPORT=my_backend,a.b_1");
    assert_non_null(strstr(command.key, "my_backend"));
    pm_driver_command_release(&command);
    pm_target_release(&target);
    pm_environments_release(&list);
    free(python);
    free(bin);
    free(folder);
}

static void test_target__what_cannot_be_added(void **state)
{
    static const char *const wrong[] = {"", "a-b", "a..b", ".a", "a.", "7a", "a,b", "a b"};
    struct fixture *f = *state;
    char *python = write_python(f, "python-bare", "", "");
    char *victim = write_script(f, "eats-its-argument", "rm -f \"$1\"; exit 0");
    assert_int_equal(pm_environment_add("x", "pytorch", "/nowhere/python", NULL, 0, &f->err),
                     PM_EUSAGE);
    assert_says(f, "cannot find the program '/nowhere/python'");
    assert_int_equal(pm_environment_add("x", "pytorch", f->folder, NULL, 0, &f->err), PM_EUSAGE);
    assert_says(f, "has no bin/python: name the folder of a virtual or conda environment");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(pm_environment_add("x", "pytorch", python, &wrong[i], 1, &f->err),
                         PM_EUSAGE);
        assert_says(f, "give the name of a module, such as my_backend");
    }
    assert_int_equal(pm_environment_add("x", "pytorch", victim, NULL, 0, &f->err), PM_EUSAGE);
    assert_says(f, "is not Python 3.9 or newer");
    assert_int_equal(pm_environment_add("x", "pytorch", "yes", NULL, 0, &f->err), PM_EUSAGE);
    assert_int_equal(pm_environment_add("x", "pytorch", python, NULL, 0, &f->err), PM_ENOTFOUND);
    assert_says(f, "cannot import torch");
    assert_int_equal(pm_environment_add("a:b", "pytorch", python, NULL, 0, &f->err), PM_EUSAGE);
    assert_int_equal(pm_environment_add("x", "caffe", python, NULL, 0, &f->err), PM_EUSAGE);
    char *home;
    assert_ok(f, pm_path_home(&home, &f->err));
    char *look = pm_path_join(home, "drivers/look.py");
    assert_true(pm_path_exists(look));
    free(look);
    free(home);
    free(victim);
    free(python);
}

/* An interpreter that did not change is not started again; one with a new package is. */
static void test_target__looks_are_remembered(void **state)
{
    struct fixture *f = *state;
    struct pm_environment__looks looks;
    const struct pm_framework *torch = pm_framework_find("pytorch");
    char *site = pm_path_join(f->folder, "site"), *package = pm_path_join(site, "torch");
    char *file = pm_path_join(package, "__init__.py"), *info = pm_path_join(package, "version.py");
    assert_ok(f, pm_folder_make(package, &f->err));
    assert_ok(f, pm_file_write(file, "raise SystemExit('imported')\n", 29, &f->err));
    assert_ok(f, pm_file_write(info, "__version__ = '7.7'\n", 20, &f->err));
    setenv("PYTHONPATH", site, 1);
    for (int round = 0; round < 3; round++) {
        assert_ok(f, pm_environment__looks_open(&looks, &f->err));
        const json_t *look = pm_environment__look(&looks, "/usr/bin/python3");
        const char *version = pm_environment__look_version(look, torch);
        if (round < 2)
            assert_string_equal(version, "7.7");
        else
            assert_true(!version || strcmp(version, "7.7") != 0);
        assert_int_equal(looks.changed, round != 1);
        pm_environment__looks_close(&looks);
        if (round == 1) {
            pm_clock_sleep(20000000); /* so that the folder's time differs */
            assert_ok(f, pm_folder_remove(package, &f->err));
        }
    }
    free(info);
    free(file);
    free(package);
    free(site);
}

/* A version is read from the name of a distribution's folder; two such folders give none. */
static void test_target__a_version_is_read_from_a_name(void **state)
{
    struct fixture *f = *state;
    struct pm_environment__looks looks;
    const struct pm_framework *torch = pm_framework_find("pytorch");
    char *package = pm_path_join(f->folder, "named/torch"), *site = pm_path_parent(package);
    char *file = pm_path_join(package, "__init__.py"), *info = pm_path_join(package, "version.py");
    assert_ok(f, pm_folder_make(package, &f->err));
    assert_ok(f, pm_file_write(file, "", 0, &f->err));
    assert_ok(f, pm_file_write(info, "__version__ = '7.7'\n", 20, &f->err));
    setenv("PYTHONPATH", site, 1);
    static const char *const cases[][2] = {{"Torch-7.8+cpu.dist-info", "7.8+cpu"},
                                           {"torch-7.9-py3.11.egg-info", NULL}};
    for (size_t i = 0; i < 2; i++) {
        char *folder = pm_path_join(site, cases[i][0]);
        pm_clock_sleep(20000000); /* so that the folder's time differs */
        assert_ok(f, pm_folder_make(folder, &f->err));
        assert_ok(f, pm_environment__looks_open(&looks, &f->err));
        const json_t *look = pm_environment__look(&looks, "/usr/bin/python3");
        const char *version = pm_environment__look_version(look, torch);
        if (cases[i][1])
            assert_string_equal(version, cases[i][1]);
        else
            assert_true(!version || strcmp(version, "7.8+cpu") != 0);
        pm_environment__looks_close(&looks);
        free(folder);
    }
    free(info);
    free(file);
    free(site);
    free(package);
}

/* A program that is not a usable interpreter is not started again for each framework, but the next
 * command starts it again, because the failure may have been temporary. */
static void test_target__an_unusable_interpreter_is_asked_once_by_a_command(void **state)
{
    struct fixture *f = *state;
    struct pm_environment__looks looks;
    static const char *const answers[] = {"exit 1", "echo '{\"python\": \"3.6.9\"}'; exit 0"};
    for (size_t i = 0; i < 2; i++) {
        char *asked = pm_format("%s/asked-%zu", f->folder, i);
        char *more = pm_format("echo x >> '%s'; %s", asked, answers[i]);
        char *name = pm_format("python-%zu", i), *python = write_python(f, name, "", more);
        struct pm_str text = PM_STR_INIT;
        for (int round = 0; round < 3; round++) {
            assert_ok(f, pm_environment__looks_open(&looks, &f->err));
            for (int framework = 0; framework < 2; framework++)
                assert_null(pm_environment__look(&looks, python));
            pm_environment__looks_close(&looks);
        }
        assert_ok(f, pm_file_read(asked, &text, &f->err));
        assert_string_equal(text.data, "x\n");
        pm_str_release(&text);
        free(python);
        free(name);
        free(more);
        free(asked);
    }
}

/* A script may choose a different interpreter for the next command, but each command starts the
 * script only once. */
static void test_target__a_script_is_asked_once_by_a_command(void **state)
{
    struct fixture *f = *state;
    struct pm_environment__looks looks;
    char *asked = pm_path_join(f->folder, "asked"), *more = pm_format("echo x >> '%s'", asked);
    char *python = write_python(f, "python-shim", "", more);
    struct pm_str text = PM_STR_INIT;
    for (int round = 0; round < 3; round++) {
        assert_ok(f, pm_environment__looks_open(&looks, &f->err));
        assert_non_null(pm_environment__look(&looks, python));
        pm_environment__looks_close(&looks);
    }
    assert_ok(f, pm_file_read(asked, &text, &f->err));
    assert_string_equal(text.data, "x\n");
    pm_str_release(&text);
    free(python);
    free(more);
    free(asked);
}

/* Writes a python3 that makes a copy of itself as a virtual environment and runs `pip` as its pip.
 */
static void write_maker(struct fixture *f, const char *pip)
{
    char *more = pm_format("case \"$*\" in\n"
                           "*'-m venv'*) for d; do :; done; rm -rf \"$d\"; mkdir -p \"$d/bin\"; "
                           "cp \"$0\" \"$d/bin/python\" ;;\n"
                           "*'-m pip --version'*) echo pip ;;\n"
                           "*'-m pip install'*) %s ;;\nesac",
                           pip);
    free(write_python(f, "python3", "\"torch\": \"2.13.0\"", more));
    free(more);
}

static void remove_torch(struct fixture *f)
{
    char *path = pm_path_join(f->bin, "python3");
    unlink(path);
    free(path);
}

static enum pm_origin origin_of_pytorch(struct fixture *f)
{
    struct pm_environments list;
    assert_ok(f, pm_environments_load(&list, &f->err));
    const struct pm_environment *found = pm_environments_find(&list, "pytorch");
    const enum pm_origin origin = found ? found->origin : PM_ORIGIN_ADDED;
    pm_environments_release(&list);
    return origin;
}

static int create(struct fixture *f, const char *recipe)
{
    const struct pm_environment_plan plan = {.recipe = recipe, .say = say, .ctx = f};
    return pm_environment_create(&plan, &f->err);
}

static bool decline(void *ctx)
{
    (void)ctx;
    return false;
}

static void test_target__an_environment_is_made_once(void **state)
{
    struct fixture *f = *state;
    const struct pm_environment_plan declined = {.recipe = "pytorch", .agree = decline};
    write_maker(f, "echo 'Downloading torch-2.13.0-cp311-any.whl (9 MB)'; "
                   "echo 'Installing collected packages: a, b, c'");
    assert_int_equal(pm_environment_create(&declined, &f->err), PM_EUSAGE);
    assert_string_equal(f->err.text,
                        "environment 'pytorch' was not created: answer y, or use --yes");
    assert_ok(f, create(f, "pytorch"));
    assert_non_null(strstr(f->said.data, "pytorch: downloading torch-2.13.0 (9 MB)\n"));
    assert_non_null(strstr(f->said.data, "pytorch: installing 3 packages\n"));
    assert_int_equal(origin_of_pytorch(f), PM_ORIGIN_MADE);
    pm_str_clear(&f->said);
    assert_ok(f, create(f, "pytorch"));
    assert_string_equal(f->said.data, "pytorch: already exists\n");
    assert_ok(f, pm_environment_remove("pytorch", &f->err));
    remove_torch(f);
    assert_int_not_equal(origin_of_pytorch(f), PM_ORIGIN_MADE);
}

static void test_target__a_half_made_environment_is_taken_up(void **state)
{
    struct fixture *f = *state;
    write_maker(f, "[ -e \"$0.second\" ] && exit 0; touch \"$0.second\"; "
                   "echo 'ERROR: the sky fell'; echo 'afterwards'; exit 7");
    assert_int_equal(create(f, "pytorch"), PM_EIO);
    assert_says(f, "cannot create environment 'pytorch': installing failed (exit status 7): "
                   "the sky fell (the log is '");
    assert_int_not_equal(origin_of_pytorch(f), PM_ORIGIN_MADE);
    pm_str_clear(&f->said);
    assert_ok(f, create(f, "pytorch"));
    assert_non_null(strstr(f->said.data, "pytorch: continuing an earlier attempt\n"));
    assert_int_equal(origin_of_pytorch(f), PM_ORIGIN_MADE);
}

static void test_target__causes_are_told_apart(void **state)
{
    static const char *const rows[][2] = {
        {"echo 'OSError: [Errno 28] No space left on device'; exit 1", "no space left on the disk"},
        {"echo 'Failed to establish a new connection: [Errno 101]'; exit 1",
         "cannot reach the package index"},
        {"kill -11 $$", "signal 11 (Segmentation fault)"},
        {"exit 1", "it printed nothing"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_maker(f, rows[i][0]);
        assert_int_equal(create(f, "pytorch"), PM_EIO);
        assert_says(f, rows[i][1]);
        assert_ok(f, pm_environment_remove("pytorch", &f->err));
    }
    assert_int_equal(create(f, "caffe"), PM_EUSAGE);
    assert_says(f, "unknown environment to create 'caffe': use one of pytorch, "
                   "pytorch-xla, tensorflow, "
                   "jax, numpy");
}

static void test_target__every_device_has_a_row(void **state)
{
    static const char *const answers[][3] = {
        {"echo noise; echo '{\"framework_version\": \"2.0\", \"python\": \"3.11.2\", \"devices\": ["
         "{\"device\": \"cpu\", \"variant\": \"\", \"measurable\": true, \"name\": \"A\"}, "
         "{\"device\": \"npu\", \"variant\": \"\", \"measurable\": true, \"name\": \"B\"}]}'",
         "", "the framework does not report this device"},
        {"echo '{\"error\": \"cannot import torch\"}'", "cannot import torch",
         "cannot import torch"},
        {"echo garbage", "did not report its devices: exit status 0", NULL},
        {"kill -9 $$", "did not report its devices: signal 9 (Killed)", NULL},
        {"cat /dev/zero", "did not report its devices: more than", NULL},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct pm_devices list;
        char *python = write_script(f, "probe", answers[i][0]);
        const struct pm_environment environment = {.name = (char[]){"pytorch"},
                                                   .framework = (char[]){"pytorch"},
                                                   .python = python,
                                                   .version = (char[]){"1.0"}};
        assert_ok(f, pm_devices_probe(&environment, &list, &f->err));
        assert_int_equal(list.count, i == 0 ? 8 : 7);
        assert_string_equal(list.items[0].target, "pytorch@cpu");
        assert_int_equal(list.items[0].measurable, i == 0);
        assert_non_null(strstr(list.items[0].why_not, answers[i][1]));
        if (answers[i][2])
            assert_string_equal(list.items[1].why_not, answers[i][2]);
        if (i == 0)
            assert_string_equal(list.items[7].target, "pytorch@npu");
        pm_devices_release(&list);
        free(python);
    }
}

static void test_target__a_framework_is_walked(void **state)
{
    static const char *const answers[][2] = {
        {"echo noise; echo '{\"a\": 1}' > $3", NULL},
        {"echo noise; echo 'cannot be walked: no module' >&2; exit 1",
         "cannot list the functions of environment 'mine': cannot be walked: no module"},
        {"exit 3", "cannot list the functions of environment 'mine': exit status 3"},
        {"kill -9 $$", "cannot list the functions of environment 'mine': signal 9 (Killed)"},
        {"exit 0",
         "cannot list the functions of environment 'mine': its interpreter wrote nothing"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct pm_str out = PM_STR_INIT;
        char *python = write_script(f, "walker", answers[i][0]);
        const struct pm_environment environment = {
            .name = (char[]){"mine"}, .framework = (char[]){"jax"}, .python = python};
        const int rc = pm_environment_walk(&environment, &out, &f->err);
        if (answers[i][1]) {
            assert_int_equal(rc, PM_EIO);
            assert_says(f, answers[i][1]);
        } else {
            assert_int_equal(rc, PM_OK);
            assert_string_equal(out.data, "{\"a\": 1}\n");
        }
        pm_str_release(&out);
        free(python);
    }
}

static void test_target__each_of_several_devices_has_a_row(void **state)
{
    static const char answer[] =
        "echo '{\"devices\": [{\"device\": \"cuda\", \"variant\": \"\", \"measurable\": true}, "
        "{\"device\": \"cuda:1\", \"variant\": \"\", \"measurable\": true, \"name\": \"card 1\"}, "
        "{\"device\": \"cuda:1\", \"variant\": \"inductor\", \"measurable\": true}, "
        "{\"device\": \"cuda:x\", \"variant\": \"\", \"measurable\": true}, "
        "{\"device\": \"npu:1\", \"variant\": \"\", \"measurable\": true}]}'";
    static const char *const wanted[] = {
        "pytorch@cpu",  "pytorch@cuda", "pytorch@cuda:1", "pytorch@cuda:1+inductor",
        "pytorch@rocm", "pytorch@mps",  "pytorch@xpu",    "pytorch@xla",
        "pytorch@meta", "pytorch@npu:1"};
    struct fixture *f = *state;
    struct pm_devices list;
    char *python = write_script(f, "probe", answer);
    const struct pm_environment environment = {.name = (char[]){"pytorch"},
                                               .framework = (char[]){"pytorch"},
                                               .python = python,
                                               .version = (char[]){"1.0"}};
    assert_ok(f, pm_devices_probe(&environment, &list, &f->err));
    assert_int_equal(list.count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < list.count; i++)
        assert_string_equal(list.items[i].target, wanted[i]);
    assert_string_equal(list.items[2].name, "card 1");
    pm_devices_release(&list);
    free(python);
}

static void test_target__drivers_are_shared_where_they_can_be(void **state)
{
    struct fixture *f = *state;
    const struct pm_environment environment = {
        .name = (char[]){"pytorch"}, .framework = (char[]){"pytorch"}, .python = (char[]){"/p"}};
    static const char *const texts[] = {"pytorch@cpu", "pytorch@meta", "pytorch@xla"};
    struct pm_driver_command commands[3], unbound;
    struct pm_target target;
    for (size_t i = 0; i < 3; i++) {
        parse(f, texts[i], &target);
        assert_ok(f, pm_driver_command_make(&target, &environment, 2, true, &commands[i], &f->err));
        if (i == 0)
            assert_ok(f,
                      pm_driver_command_make(&target, &environment, 2, false, &unbound, &f->err));
        pm_target_release(&target);
    }
    assert_string_equal(commands[0].key, commands[1].key);
    assert_string_not_equal(commands[0].key, commands[2].key);
    assert_string_not_equal(commands[0].key, unbound.key);
    assert_string_equal(commands[0].environment[0], "OMP_PROC_BIND=true");
    assert_string_equal(unbound.environment[0], "OMP_PROC_BIND=false");
    assert_string_equal(unbound.environment[1], "OMP_NUM_THREADS=2");
    assert_string_equal(commands[0].argv[0], "/p");
    assert_true(pm_ends_with(commands[0].argv[1], "drivers/serve.py"));
    assert_string_equal(commands[0].argv[2], "pytorch");
    assert_null(commands[0].argv[3]);
    for (size_t i = 0; i < 3; i++)
        pm_driver_command_release(&commands[i]);
    pm_driver_command_release(&unbound);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_target__##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(texts_are_normal),
        TEST(the_gpu_of_the_machine),
        TEST(what_is_none_is_said_in_a_line),
        TEST(traits),
        TEST(counted_and_hidden_fallbacks),
        TEST(new_shapes_compile_again),
        TEST(environments_are_found_on_path),
        TEST(numpy_without_scipy_is_no_oracle),
        TEST(environments_are_added_and_removed),
        TEST(an_environment_keeps_its_imports),
        TEST(what_cannot_be_added),
        TEST(looks_are_remembered),
        TEST(an_unusable_interpreter_is_asked_once_by_a_command),
        TEST(a_script_is_asked_once_by_a_command),
        TEST(a_version_is_read_from_a_name),
        TEST(an_environment_is_made_once),
        TEST(a_half_made_environment_is_taken_up),
        TEST(causes_are_told_apart),
        TEST(every_device_has_a_row),
        TEST(each_of_several_devices_has_a_row),
        TEST(a_framework_is_walked),
        TEST(drivers_are_shared_where_they_can_be),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
