/* Tests of a study on machines without a framework, or with one whose interpreter is a script; and
 * of the lists of environments, devices and suites of such a machine. */
#include "stores.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/core.h"
#include "environment/environment.h"

struct studying {
    struct stored *s;
    FILE *said;
    struct pm_run_options options;
    const char *suites[1];
    char *suite;
    bool creates;
};

static void write_file(struct stored *s, const char *path, const char *text)
{
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
}

static struct studying begin(struct stored *s)
{
    struct studying g = {.s = s, .said = tmpfile()};
    char *data = pm_path_join(s->folder, "data");
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", "/nowhere", 1); /* no interpreter of this machine is found */
    free(data);
    g.suite = pm_path_join(s->folder, "torch.f.yaml");
    write_file(s, g.suite, "function: torch.f\ncases:\n  - {name: a, call: \"1\"}\n");
    g.suites[0] = g.suite;
    stored_close(s);
    return g;
}

/* Adds environments of PyTorch and NumPy with a script as their interpreter. Its probe prints
 * `devices`, and as a driver it ends at once. */
static void add_pytorch(struct stored *s, const char *devices)
{
    char *path = pm_path_join(s->folder, "python");
    char *script =
        pm_format("#!/bin/sh\ncase $1 in -V) echo 'Python 3.11.2' ;; *look.py) echo "
                  "'{\"executable\": \"'$0'\", \"python\": \"3.11.2\", \"modules\": {\"torch\": "
                  "\"2.5\", \"numpy\": \"1\", \"scipy\": \"1\"}, \"folders\": {}}' ;; *probe.py) "
                  "echo '{\"framework\": \"pytorch\", \"framework_version\": \"2.5\", \"python\": "
                  "\"3.11.2\", \"versions\": {}, \"devices\": %s}' ;; esac\n",
                  devices);
    write_file(s, path, script);
    chmod(path, 0755);
    assert_ok(s, pm_environment_add("pytorch", "pytorch", path, NULL, 0, &s->err));
    assert_ok(s, pm_environment_add("numpy", "numpy", path, NULL, 0, &s->err));
    free(script);
    free(path);
}

static int study(struct studying *g)
{
    const struct pm_messages messages = {.out = g->said};
    struct pm_run_result result;
    g->options = (struct pm_run_options){.db = g->s->db,
                                         .suites = g->suites,
                                         .suite_count = 1,
                                         .outcomes_only = true,
                                         .jobs = 1,
                                         .seed = 1,
                                         .warm = PM_WARM_RULE_DEFAULT};
    const struct pm_study_request request = {.framework = "pytorch", .creates = g->creates};
    return pm_study(&g->options, &request, &messages, &result, &g->s->err);
}

/* Returns the messages so far; the caller frees the text. */
static char *said(struct studying *g)
{
    struct pm_str text = PM_STR_INIT;
    char part[4096];
    rewind(g->said);
    for (size_t n; (n = fread(part, 1, sizeof part, g->said)) > 0;)
        pm_str_add_bytes(&text, part, n);
    return pm_str_detach(&text);
}

static void end(struct studying *g)
{
    fclose(g->said);
    free(g->suite);
}

static void test_a_machine_without_a_framework_says_what_to_do(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    char *data = pm_path_join(s->db, "data");
    setenv("PORTMETER_DATA", data, 1); /* below a file: no environment can be made there */
    free(data);
    assert_refused(s, study(&g), PM_ENOTFOUND, "portmeter study --yes create pytorch (1.0 GB");
    char *text = said(&g);
    assert_string_equal(text, ""); /* nothing is made unasked */
    free(text);
    g.creates = true;
    assert_refused(s, study(&g), PM_ENOTFOUND, "portmeter env add");
    text = said(&g);
    assert_has(text, "pytorch (1.0 GB");
    assert_has(text, "cannot create environment 'pytorch': ");
    free(text);
    end(&g);
}

static void test_a_framework_without_devices_is_named(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    add_pytorch(s, "[]");
    assert_refused(s, study(&g), PM_ENOTFOUND, "no framework can be measured");
    char *text = said(&g);
    assert_has(text, "pytorch 2.5");
    assert_has(text, "pytorch cannot be measured");
    assert_lacks(text, "GB"); /* an existing environment is not made again */
    free(text);
    end(&g);
}

static int count_run(void *ctx, const struct pm_run_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return PM_OK;
}

static void test_a_device_that_ends_its_driver_leaves_no_run(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    int runs = 0;
    add_pytorch(s, "[{\"device\": \"cpu\", \"variant\": \"\", \"name\": \"Made-up\", "
                   "\"measurable\": true}, {\"device\": \"cuda\", \"variant\": \"\", "
                   "\"measurable\": false, \"why_not\": \"no driver\"}]");
    assert_refused(s, study(&g), PM_EIO, "target 'pytorch@cpu' cannot be measured");
    stored_open(s);
    assert_ok(s, pm_store_runs(s->store, count_run, &runs, &s->err));
    assert_int_equal(runs, 0);
    end(&g);
}

/* ---- lists ---- */

static void test_devices_are_listed_with_what_is_missing(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    const struct pm_messages messages = {.out = g.said};
    add_pytorch(s, "[{\"device\": \"cpu\", \"variant\": \"\", \"name\": \"Made-up\", "
                   "\"measurable\": true}, {\"device\": \"cuda\", \"variant\": \"\", "
                   "\"measurable\": false, \"why_not\": \"no driver\"}]");
    stored_catch_stdout(s);
    const int rc = pm_list_devices(false, PM_FORMAT_TEXT, 0, &messages, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    assert_has(text, "pytorch@cpu");
    assert_has(text, "Made-up");
    assert_has(text, "no driver");
    assert_has(text, "run portmeter env create jax");
    assert_lacks(text, "run portmeter env create pytorch\n");
    free(text);
    end(&g);
}

/* Returns the printed list of environments; the caller frees it. */
static char *environments(struct stored *s)
{
    stored_catch_stdout(s);
    const int rc = pm_list_environments(PM_FORMAT_JSON, 0, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    return text;
}

static void test_environments_are_listed_until_they_are_removed(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    const struct pm_messages messages = {.out = g.said};
    const struct pm_environment_request unknown = {.recipe = "nothing"};
    add_pytorch(s, "[]");
    char *python = pm_path_join(s->folder, "python");
    assert_ok(s, pm_add_environment("other", "pytorch", python, NULL, 0, &s->err));
    free(python);
    char *text = environments(s);
    assert_has(text, "\"name\": \"other\"");
    assert_has(text, "\"name\": \"numpy\"");
    free(text);
    assert_ok(s, pm_remove_environment("other", &s->err));
    text = environments(s);
    assert_lacks(text, "other");
    free(text);
    assert_refused(s, pm_remove_environment("other", &s->err), PM_EUSAGE, "other");
    assert_refused(s, pm_create_environment(&unknown, &messages, &s->err), PM_EUSAGE, "nothing");
    end(&g);
}

static void test_a_suite_is_listed_with_its_cases(void **state)
{
    struct stored *s = *state;
    struct studying g = begin(s);
    static const char cases[] = "function: torch.f\ncases:\n"
                                "  - {name: a, call: \"1\"}\n"
                                "  - {name: b, call: \"torch.f(x)\", dtypes: [float32, int64],\n"
                                "     inputs: {x: \"$dtype[2] zeros\"}}\n";
    write_file(s, g.suite, cases);
    stored_catch_stdout(s);
    const int rc = pm_list_suite("pytorch", g.suites, 1, PM_FORMAT_TEXT, 0, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    assert_has(text, "torch.f");
    assert_has(text, "functions: 1, cases: 2, cases with each dtype counted: 3");
    assert_has(text, "digest ");
    free(text);
    g.suites[0] = "/nowhere/torch.f.yaml";
    assert_refused(s, pm_list_suite("pytorch", g.suites, 1, PM_FORMAT_TEXT, 0, &s->err), PM_EIO,
                   "/nowhere/torch.f.yaml");
    end(&g);
}

static void test_a_report_says_what_else_could_be_measured(void **state)
{
    static const struct stored_target targets[] = {{"pytorch@cpu"}};
    struct stored *s = *state;
    enum pm_exit status;
    stored_add_run(s, &(struct pm_run_row){STORED_DONE});
    STORED_TARGETS(s, targets);
    stored_close(s);
    const struct pm_report_options o = {.db = s->db, .format = PM_FORMAT_TEXT};
    stored_catch_stdout(s);
    const int rc = pm_write_report(&o, &status, &s->err);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    assert_has(text, "portmeter env create pytorch-xla");
    assert_int_equal(status, PM_EXIT_FINE);
    free(text);
}

static void test_examples_are_of_one_framework(void **state)
{
    const struct pm_examples examples = pm_examples();
    const char *reference;
    struct pm_error err;
    (void)state;
    assert_true(pm_starts_with(examples.target, examples.framework));
    assert_int_equal(pm_suite_reference(examples.framework, &reference, &err), PM_OK);
    assert_string_equal(reference, examples.reference);
    assert_int_equal(pm_suite_reference("nothing", &reference, &err), PM_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_machine_without_a_framework_says_what_to_do),
        STORED_TEST(test_a_framework_without_devices_is_named),
        STORED_TEST(test_a_device_that_ends_its_driver_leaves_no_run),
        STORED_TEST(test_devices_are_listed_with_what_is_missing),
        STORED_TEST(test_environments_are_listed_until_they_are_removed),
        STORED_TEST(test_a_suite_is_listed_with_its_cases),
        STORED_TEST(test_a_report_says_what_else_could_be_measured),
        cmocka_unit_test(test_examples_are_of_one_framework),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
