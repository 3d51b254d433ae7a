/* Tests of reading case files: wrong files (tests/suite), good files, the suites of portmeter, and
 * the examples of docs/cases.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "suites.h"

static char *home_path(const char *below)
{
    char *home = NULL;
    struct pm_error err = {""};
    assert_int_equal(pm_path_home(&home, &err), PM_OK);
    char *path = pm_path_join(home, below);
    free(home);
    return path;
}

static const char *after_line(const char *at, const char *end)
{
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    assert_non_null(line_end);
    return line_end + 1;
}

/* Checks an entry of tests/suite/wrong-files: "==> NAME", the message that loading the file must
 * give, and the file itself, up to the line end before the next entry. */
static void check_entry(const char *folder, const char *entry, const char *end)
{
    const char *want = after_line(entry, end), *text = after_line(want, end);
    char *name = pm_strndup(entry, (size_t)(want - 1 - entry));
    char *message = pm_strndup(want, (size_t)(text - 1 - want));
    char *path = pm_path_join(folder, "input.yaml");
    struct pm_error err = {""};
    struct pm_suite suite;
    assert_int_equal(pm_file_write(path, text, (size_t)(end - text), &err), PM_OK);
    const int rc = suites_load(&suite, &err, "input.yaml");
    if (rc != PM_EFORMAT || strcmp(err.text, message) != 0)
        fail_msg("%s\n  expected %s\n  found    %s", name, message, rc ? err.text : "loaded");
    free(path);
    free(message);
    free(name);
}

static void test_load__says_where_a_file_is_wrong(void **state)
{
    (void)state;
    static const char mark[] = "\n==> ";
    char *path = home_path("tests/suite/wrong-files"), *folder = NULL;
    struct pm_str all = PM_STR_INIT;
    struct pm_error err = {""};
    size_t checked = 0;
    assert_int_equal(pm_file_read(path, &all, &err), PM_OK);
    assert_int_equal(pm_folder_scratch(&folder, &err), PM_OK);
    assert_int_equal(chdir(folder), 0);
    assert_memory_equal(all.data, mark + 1, sizeof mark - 2);
    const char *end = all.data + all.length, *next;
    for (const char *at = all.data + sizeof mark - 2; at; at = next) {
        const char *stop = memmem(at, (size_t)(end - at), mark, sizeof mark - 1);
        next = stop ? stop + sizeof mark - 1 : NULL;
        check_entry(folder, at, stop ? stop : end - 1);
        checked++;
    }
    assert_true(checked > 100);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(pm_folder_remove(folder, &err), PM_OK);
    pm_str_release(&all);
    free(folder);
    free(path);
}

static void test_load__expands_dtypes(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(
        &suite, "function: f\n"
                "host_only: false\n"
                "paper: {stratum: decile 30, table: 5}\n"
                "cases:\n"
                "  - name: rows\n"
                "    dtypes: [float32, bfloat16]\n"
                "    inputs: {x: \"$dtype[4] normal\", k: \"literal [1, {\\\"a\\\": null}]\"}\n"
                "    setup: y = x.to(t.$dtype)\n"
                "    call: g(x, \"$dtypes\", t.$dtype)\n"
                "    output: out.$dtype\n"
                "    expect: np.$dtype(x)\n"
                "    check: out.is($dtype)\n"
                "  - {name: plain, call: g()}\n");
    assert_int_equal(suite.function_count, 1);
    assert_int_equal(suite.case_count, 3);
    const struct pm_function *function = &suite.functions[0];
    assert_string_equal(function->name, "f");
    assert_string_equal(function->framework, "pytorch");
    assert_int_equal(pm_json_int(function->paper, "table", 0), 5);
    assert_int_equal(function->case_count, 3);
    const struct pm_case *c = &suite.cases[1];
    assert_string_equal(c->name, "rows[bfloat16]");
    assert_string_equal(c->base, "rows");
    assert_true(c->has_dtype && c->dtype == PM_BFLOAT16 && c->function == function);
    assert_int_equal(c->line, 5);
    assert_string_equal(c->inputs[0].text, "bfloat16[4] normal");
    assert_int_equal(c->inputs[0].spec.dtype, PM_BFLOAT16);
    assert_true(c->inputs[1].is_literal && json_array_size(c->inputs[1].literal) == 2);
    assert_string_equal(c->setup, "y = x.to(t.bfloat16)");
    assert_string_equal(c->call, "g(x, \"$dtypes\", t.bfloat16)");
    assert_string_equal(c->output, "out.bfloat16");
    assert_string_equal(c->expect, "np.bfloat16(x)");
    assert_string_equal(c->check, "out.is(bfloat16)");
    assert_string_equal(suite.cases[2].output, "out");
    assert_false(suite.cases[2].has_dtype);
    pm_suite_release(&suite);
}

static void test_load__reads_every_key(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(&suite,
                     "function: f\n"
                     "cases:\n"
                     "  - name: all\n"
                     "    inputs: {x: \"float32[2] ones on host\"}\n"
                     "    setup: |\n"
                     "      m = make()\n"
                     "      n = m\n"
                     "    modules: [m, n.inner]\n"
                     "    call: m(x)\n"
                     "    repeat: once\n"
                     "    tolerance: {rtol: 1e-3, atol: 0}\n"
                     "    backward: true\n"
                     "    size: large\n"
                     "    requires: two devices\n"
                     "    reference: none\n"
                     "    expect: x\n"
                     "    host_outputs: [out, \"out[1].sizes\"]\n"
                     "    since: \"2.1\"\n"
                     "    until: \"2.10\"\n"
                     "  - {name: raising, call: m(), raises: {type: E, message: \"a.*b\"}}\n");
    const struct pm_case *c = &suite.cases[0];
    assert_string_equal(c->setup, "m = make()\nn = m\n");
    assert_int_equal(c->module_count, 2);
    assert_string_equal(c->modules[1], "n.inner");
    assert_int_equal(c->repeat, PM_REPEAT_ONCE);
    assert_int_equal(c->compare, PM_COMPARE_CLOSE);
    assert_true(pm_json_real(c->tolerance, "rtol", -1) == 1e-3);
    assert_true(pm_json_real(c->tolerance, "atol", -1) == 0);
    assert_true(c->backward && c->inputs[0].spec.on_host);
    assert_int_equal(c->size, PM_SIZE_LARGE);
    assert_int_equal(c->reference, PM_CASE_REFERENCE_NONE);
    assert_int_equal(c->require_count, 1);
    assert_string_equal(c->requires[0], "two devices");
    assert_int_equal(c->host_output_count, 2);
    assert_string_equal(c->host_outputs[1], "out[1].sizes");
    assert_string_equal(c->since, "2.1");
    assert_string_equal(c->until, "2.10");
    assert_string_equal(suite.cases[1].raises_type, "E");
    assert_string_equal(suite.cases[1].raises_message, "a.*b");
    assert_null(c->raises_type);
    pm_suite_release(&suite);
}

static void test_input__takes_each_shape(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    suites_load_text(&suite,
                     "function: f\n"
                     "cases:\n"
                     "  - name: series\n"
                     "    shapes: [[8, 32], [], [16, 0]]\n"
                     "    inputs: {x: \"float32[$shape] normal\", y: \"int8[$shape] zeros\"}\n"
                     "    call: g(x, y)\n");
    const struct pm_case *c = &suite.cases[0];
    struct pm_input_spec spec;
    assert_int_equal(c->shape_count, 3);
    assert_int_equal(c->inputs[0].spec.shape.size[1], 32);
    assert_string_equal(c->inputs[0].text, "float32[$shape] normal");
    assert_int_equal(pm_suite_input(c, 1, 0, &spec, &err), PM_OK);
    assert_true(spec.dtype == PM_INT8 && spec.shape.dims == 2 && spec.shape.size[0] == 8);
    assert_int_equal(pm_suite_input(c, 0, 1, &spec, &err), PM_OK);
    assert_int_equal(spec.shape.dims, 0);
    assert_int_equal(pm_suite_input(c, 0, 2, &spec, &err), PM_OK);
    assert_true(spec.shape.size[0] == 16 && spec.shape.size[1] == 0);
    pm_suite_release(&suite);
}

static void test_json__is_the_expanded_case(void **state)
{
    (void)state;
    struct pm_suite suite;
    suites_load_text(
        &suite, "function: f\n"
                "cases:\n"
                "  - {name: a, dtypes: [int8], inputs: {x: \"$dtype[1] ones\"}, call: g(x)}\n"
                "  - {name: b, call: g(), shapes: [[2]], inputs: {x: \"int8[$shape] ones\"}}\n");
    const char *const want[] = {
        "{\"call\":\"g(x)\",\"compare\":\"close\",\"dtypes\":[\"int8\"],\"function\":\"f\","
        "\"inputs\":{\"x\":\"int8[1] "
        "ones\"},\"kind\":\"dtype\",\"name\":\"a[int8]\",\"output\":\"out\","
        "\"repeat\":\"pure\",\"size\":\"small\"}",
        "{\"call\":\"g()\",\"compare\":\"close\",\"function\":\"f\","
        "\"inputs\":{\"x\":\"int8[$shape] "
        "ones\"},\"kind\":\"core\",\"name\":\"b\",\"output\":\"out\","
        "\"repeat\":\"pure\",\"shapes\":[[2]],\"size\":\"small\"}"};
    for (size_t i = 0; i < suite.case_count; i++) {
        json_t *object = pm_case_json(&suite.cases[i]);
        char *text = pm_json_text(object);
        assert_string_equal(text, want[i]);
        free(text);
        json_decref(object);
    }
    pm_suite_release(&suite);
}

static void test_version__compares_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *since, *until, *version;
        bool in;
    } rows[] = {
        {"2.9", NULL, "2.13.0+cpu", true},
        {"2.13", NULL, "2.9.1", false},
        {"2.13", NULL, "2.13", true},
        {"2.13.1", NULL, "2.13", false},
        {NULL, "2.13", "2.13.1+cu128", true},
        {NULL, "2.13", "2.14.0a0", false},
        {NULL, "2", "2.99", true},
        {"2.1", "2.5", "2.3.0", true},
        {"2.1", "2.5", "2.0.9", false},
        {NULL, NULL, "anything", true},
        {"1", NULL, "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pm_case c = {.since = rows[i].since, .until = rows[i].until};
        if (pm_case_in_version(&c, rows[i].version) != rows[i].in)
            fail_msg("row %zu: version %s", i, rows[i].version);
    }
}

#define ONE_CASE "cases: [{name: a, call: g()}]\n"

static void test_load__reads_a_file_once(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    assert_int_equal(pm_folder_make("s", &err), PM_OK);
    suites_write("s/b.yaml", "function: b\n" ONE_CASE);
    suites_write("s/a.yaml", "function: a\n" ONE_CASE);
    suites_write("s/.hidden.yaml", "not: one\n");
    suites_write("s/README.md", "none\n");
    const char *const paths[] = {"s/b.yaml", "s", "./s/../s/a.yaml"};
    assert_int_equal(pm_suite_load(&suite, "pytorch", &suites_words, paths, 3, &err), PM_OK);
    assert_int_equal(suite.function_count, 2);
    assert_string_equal(suite.functions[0].name, "a");
    assert_string_equal(suite.cases[suite.functions[1].first_case].function->name, "b");
    pm_suite_release(&suite);
}

static void test_load__refuses_paths(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    assert_int_equal(suites_load(&suite, &err, "nowhere"), PM_EIO);
    assert_string_equal(
        err.text, "cannot open case file 'nowhere': No such file or directory: check the path");
    assert_int_equal(pm_folder_make("s", &err), PM_OK);
    assert_int_equal(suites_load(&suite, &err, "s"), PM_ENOTFOUND);
    assert_string_equal(
        err.text,
        "folder 's' contains no case files (*.yaml): name another folder or file with --suite");
    suites_write("s/a.yml", "function: a\n" ONE_CASE);
    assert_int_equal(suites_load(&suite, &err, "s"), PM_EFORMAT);
    assert_string_equal(err.text,
                        "s/a.yml:1:1: a case file must have the extension .yaml: rename it");
    assert_int_equal(pm_suite_load(&suite, "pytorch", &suites_words, NULL, 0, &err), PM_ENOTFOUND);
    assert_null(suite.own);
}

static void test_load__names_both_files_of_a_function(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    assert_int_equal(pm_folder_make("s", &err), PM_OK);
    assert_int_equal(pm_folder_make("t", &err), PM_OK);
    suites_write("s/a.yaml", "function: a\n" ONE_CASE);
    suites_write("t/a.yaml", "function: a\n" ONE_CASE);
    const char *const paths[] = {"s", "t"};
    assert_int_equal(pm_suite_load(&suite, "pytorch", &suites_words, paths, 2, &err), PM_EFORMAT);
    assert_non_null(strstr(err.text, "s/a.yaml"));
    assert_non_null(strstr(err.text, "t/a.yaml"));
}

static void test_load__refuses_a_huge_file(void **state)
{
    (void)state;
    const size_t length = ((size_t)16 << 20) + 1;
    char *text = pm_alloc(length + 1);
    memset(text, '#', length);
    suites_write("f.yaml", text);
    free(text);
    struct pm_suite suite;
    struct pm_error err = {""};
    assert_int_equal(suites_load(&suite, &err, "f.yaml"), PM_EFORMAT);
    assert_string_equal(err.text, "f.yaml:1:1: the file has 16777217 bytes, more than portmeter's "
                                  "limit of 16777216: remove cases");
}

static void test_digest__tells_content_and_name(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    struct pm_digest digests[5];
    static const char planted_fault[] = "function: portmeter.planted_fault\nplanted_faults: true\n"
                                        "cases: [{name: a, call: g(), expected: pass}]\n";
    const struct {
        const char *path, *text;
    } files[] = {{"one/f.yaml", "function: f\n" ONE_CASE},
                 {"two/f.yaml", "function: f\n" ONE_CASE},
                 {"two/f.yaml", "function: f # other\n" ONE_CASE},
                 {"two/x.yaml", planted_fault},
                 {"two/y.yaml", planted_fault}};
    assert_int_equal(pm_folder_make("one", &err), PM_OK);
    assert_int_equal(pm_folder_make("two", &err), PM_OK);
    for (size_t i = 0; i < 5; i++) {
        suites_write(files[i].path, files[i].text);
        assert_int_equal(suites_load(&suite, &err, files[i].path), PM_OK);
        digests[i] = suite.digest;
        pm_suite_release(&suite);
    }
    assert_string_equal(digests[0].hex, digests[1].hex);
    assert_string_not_equal(digests[1].hex, digests[2].hex);
    assert_string_not_equal(digests[3].hex, digests[4].hex);
}

static void test_load__knows_planted_faults(void **state)
{
    (void)state;
    struct pm_suite suite;
    struct pm_error err = {""};
    suites_write("pytorch.yaml", "function: portmeter.planted_fault\n"
                                 "planted_faults: true\n"
                                 "cases:\n"
                                 "  - {name: nan, call: g(), expected: fail, needs: [values]}\n");
    if (suites_load(&suite, &err, "pytorch.yaml"))
        fail_msg("%s", err.text);
    assert_true(suite.cases[0].is_planted_fault);
    assert_int_equal(suite.cases[0].expected, PM_OUTCOME_FAIL);
    for (int need = 0; need < PM_NEED_COUNT; need++)
        assert_int_equal(suite.cases[0].needs[need], need == PM_NEED_VALUES);
    pm_suite_release(&suite);
}

/* Every prefix of a file, and the file with each byte damaged, is loaded or refused with one line.
 * The sanitizers find other faults. */
static void test_load__survives_damage(void **state)
{
    (void)state;
    struct pm_str whole = PM_STR_INIT;
    struct pm_error err = {""};
    char *path = home_path("suites/pytorch/torch.argsort.yaml");
    assert_int_equal(pm_file_read(path, &whole, &err), PM_OK);
    static const char damage[] = "\n:{[\"'-#&*|\t";
    for (size_t i = 0; i < whole.length; i++) {
        const char kept = whole.data[i], *now[2] = {"cut", "damaged"};
        for (size_t k = 0; k < 2; k++) {
            whole.data[i] = k ? damage[i % (sizeof damage - 1)] : '\0';
            struct pm_suite suite;
            /* not pm_file_write(), which waits for the disk each time */
            FILE *file = fopen("torch.argsort.yaml", "w");
            assert_non_null(file);
            fwrite(whole.data, 1, k ? whole.length : i, file);
            assert_int_equal(fclose(file), 0);
            err.text[0] = '\0';
            const int rc = suites_load(&suite, &err, "torch.argsort.yaml");
            if (rc && (strncmp(err.text, "torch.argsort.yaml:", 19) != 0 || strchr(err.text, '\n')))
                fail_msg("%s at byte %zu: %s", now[k], i, err.text);
            pm_suite_release(&suite);
        }
        whole.data[i] = kept;
    }
    pm_str_release(&whole);
    free(path);
}

static void count_keys(const struct pm_suite *suite, json_t *seen)
{
    for (size_t i = 0; i < suite->case_count; i++) {
        json_t *object = pm_case_json(&suite->cases[i]), *value;
        const char *key;
        json_object_foreach(object, key, value)
            json_object_set_new(seen, key, json_true());
        json_object_set_new(seen, pm_repeat_text(suite->cases[i].repeat), json_true());
        json_object_set_new(seen, pm_compare_text(suite->cases[i].compare), json_true());
        json_decref(object);
    }
}

static void test_suite__pytorch_is_whole(void **state)
{
    (void)state;
    static const char *const language[] = {
        "dtypes", "inputs",    "setup",    "modules",      "output", "tolerance", "expect",
        "check",  "raises",    "backward", "shapes",       "size",   "requires",  "reference",
        "since",  "host_only", "until",    "host_outputs", "pure",   "fresh",     "once",
        "close",  "exact",     "shape",    "set"};
    enum { LEAST_FUNCTIONS = 64, LEAST_CASES = 5, LEAST_HOST_ONLY = 2 };
    struct pm_suite suite;
    struct pm_error err = {""};
    char *path = home_path("suites/pytorch");
    if (suites_load(&suite, &err, path))
        fail_msg("%s", err.text);
    assert_true(suite.function_count >= LEAST_FUNCTIONS);
    for (size_t i = 0; i < suite.function_count; i++) {
        const struct pm_function *function = &suite.functions[i];
        const size_t least = function->host_only ? LEAST_HOST_ONLY : LEAST_CASES;
        if (function->case_count < least)
            fail_msg("%s has %zu cases", function->name, function->case_count);
    }
    json_t *seen = json_object();
    count_keys(&suite, seen);
    for (size_t i = 0; i < sizeof language / sizeof *language; i++)
        if (!json_object_get(seen, language[i]))
            fail_msg("no case uses '%s'", language[i]);
    json_decref(seen);
    pm_suite_release(&suite);
    free(path);
}

static bool is_unused(const char *key)
{
    static const char *const unused[] = {"calls:", "planted_faults:", "undefined:"};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(key, unused[i]) == 0)
            return true;
    return false;
}

/* Asserts that each key in the first column of the tables below `heading` is in an example, except
 * `calls` and `undefined`, which the suites do not need. */
static void check_keys_are_shown(const char *page, const char *heading, const char *examples)
{
    const char *at = strstr(page, heading);
    assert_non_null(at);
    const char *end = strstr(at + 1, "\n## ");
    size_t keys = 0;
    while ((at = strstr(at, "\n| `")) && at < end) {
        const char *cell = strchr(at + 2, '|');
        for (const char *tick = at; (tick = strchr(tick, '`')) && tick < cell; keys++) {
            const char *close = strchr(tick + 1, '`');
            char *key = pm_format("%.*s:", (int)(close - tick - 1), tick + 1);
            if (!is_unused(key) && !strstr(examples, key))
                fail_msg("no example of a suite has the key %s", key);
            free(key);
            tick = close + 1;
        }
        at++;
    }
    assert_true(keys >= 7);
}

/* Every example of docs/cases.md that names a file of the suite is in that file, and every key has
 * an example. */
static void test_docs__examples_are_in_the_suite(void **state)
{
    (void)state;
    static const char opening[] = "<!-- from ", fence[] = " -->\n```yaml\n";
    struct pm_str page = PM_STR_INIT, all = PM_STR_INIT;
    struct pm_error err = {""};
    char *path = home_path("docs/cases.md");
    assert_int_equal(pm_file_read(path, &page, &err), PM_OK);
    free(path);
    char *whole = pm_strdup(page.data);
    size_t examples = 0;
    for (char *at = page.data; (at = strstr(at, opening)); examples++) {
        char *file = at + strlen(opening), *end = strstr(file, fence);
        assert_non_null(end);
        char *text = end + strlen(fence), *close = strstr(text, "```");
        assert_non_null(close);
        *end = *close = '\0';
        struct pm_str cases = PM_STR_INIT;
        path = home_path(file);
        assert_int_equal(pm_file_read(path, &cases, &err), PM_OK);
        if (!strstr(cases.data, text))
            fail_msg("not in %s:\n%s", file, text);
        pm_str_add(&all, text);
        pm_str_release(&cases);
        free(path);
        at = close + 1;
    }
    assert_true(examples >= 8);
    check_keys_are_shown(whole, "\n## Keys of a file", all.data);
    check_keys_are_shown(whole, "\n## Keys of a case", all.data);
    free(whole);
    pm_str_release(&all);
    pm_str_release(&page);
}

static void test_version__is_the_one_to_cite(void **state)
{
    (void)state;
    struct pm_error err = {""};
    struct pm_str citation = PM_STR_INIT;
    char *home, *version, *none;
    assert_int_equal(pm_path_home(&home, &err), PM_OK);
    assert_int_equal(pm_suite_version(0, &version, &err), PM_OK);
    assert_int_equal(pm_suite_version(1, &none, &err), PM_OK);
    assert_string_equal(none, "");
    char *path = pm_path_join(home, "suites/CITATION.cff");
    assert_int_equal(pm_file_read(path, &citation, &err), PM_OK);
    char *line = pm_format("\nversion: %s\n", version);
    assert_true(*version >= '0' && *version <= '9');
    assert_non_null(strstr(citation.data, line));
    pm_str_release(&citation);
    free(line);
    free(path);
    free(none);
    free(version);
    free(home);
}

static void test_suites__have_core_cases_and_the_digest_to_cite(void **state)
{
    (void)state;
    static const char *const frameworks[] = {"pytorch", "tensorflow", "jax"};
    static const char *const required[] = {"cuda", "two devices", "xla"};
    struct pm_case_words words = suites_words;
    words.requirements = (struct pm_words){required, 3};
    char *path = home_path("suites/CITATION.cff");
    struct pm_error err = {""};
    struct pm_str citation = PM_STR_INIT;
    assert_int_equal(pm_file_read(path, &citation, &err), PM_OK);
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++) {
        struct pm_suite suite;
        if (pm_suite_load_default(&suite, frameworks[i], &words, NULL, 0, &err))
            fail_msg("%s", err.text);
        char *entry = pm_format("value: %s\n    description: \"digest of the suite %s\"",
                                suite.digest.hex, frameworks[i]);
        if (!strstr(citation.data, entry))
            fail_msg("not in suites/CITATION.cff: %s", entry);
        for (size_t f = 0; f < suite.function_count; f++)
            if (pm_function_lacks_core(&suite.functions[f]))
                fail_msg("%s has too few core cases", suite.functions[f].name);
        free(entry);
        pm_suite_release(&suite);
    }
    pm_str_release(&citation);
    free(path);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, suites_enter, suites_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(test_load__says_where_a_file_is_wrong),
        IN_SCRATCH(test_load__expands_dtypes),
        IN_SCRATCH(test_load__reads_every_key),
        IN_SCRATCH(test_input__takes_each_shape),
        IN_SCRATCH(test_json__is_the_expanded_case),
        cmocka_unit_test(test_version__compares_numbers),
        cmocka_unit_test(test_version__is_the_one_to_cite),
        IN_SCRATCH(test_load__reads_a_file_once),
        IN_SCRATCH(test_load__refuses_paths),
        IN_SCRATCH(test_load__names_both_files_of_a_function),
        IN_SCRATCH(test_load__refuses_a_huge_file),
        IN_SCRATCH(test_digest__tells_content_and_name),
        IN_SCRATCH(test_load__knows_planted_faults),
        IN_SCRATCH(test_load__survives_damage),
        cmocka_unit_test(test_suite__pytorch_is_whole),
        cmocka_unit_test(test_docs__examples_are_in_the_suite),
        cmocka_unit_test(test_suites__have_core_cases_and_the_digest_to_cite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
