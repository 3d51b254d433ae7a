/* Tests of published results: printed numbers, reports of pytest, and figures computed from them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "published/published.h"
#include "published/pytest.h"

#define HEAD "table,row,subject,item,text\n"

static struct pm_error err;

static void parse(struct pm_publication *p, const char *text)
{
    if (pm_publication_parse(text, strlen(text), "a.csv", p, &err))
        fail_msg("%s", err.text);
}

static void assert_refused(const char *text, const char *said)
{
    struct pm_publication p;
    assert_int_equal(pm_publication_parse(text, strlen(text), "a.csv", &p, &err), PM_EFORMAT);
    assert_string_equal(err.text, said);
}

/* ---- printed numbers ------------------------------------------------------------------------ */

static void test_lines(void **state)
{
    struct pm_publication p;
    (void)state;
    parse(&p, HEAD "5,1,torch.cat,GPU (ms),0.100\r\ntext,2,\"a, \"\"b\"\"\",rule,over 60%\n"
                   "8,1,JAX,GPU works,5/63");
    assert_int_equal(p.count, 3);
    assert_float_equal(pm_publication_value(&p, "5", "torch.cat", "GPU (ms)"), 0.1, 0);
    assert_true(isnan(pm_publication_value(&p, "5", "torch.dog", "GPU (ms)")));
    assert_string_equal(p.cells[1].subject, "a, \"b\"");
    assert_float_equal(p.cells[1].value, 60, 0);
    assert_float_equal(p.cells[2].value, 5, 0);
    assert_float_equal(pm_publication_whole(p.cells[2].text), 63, 0);
    pm_publication_release(&p);
}

static void test_names_of_today(void **state)
{
    struct pm_publication p;
    (void)state;
    parse(&p, HEAD "5,1,torch.cuda,GPU (ms),0.041\n"
                   "name,1,torch.cuda,function,torch.cuda.is_available\n"
                   "stratum,1,torch.cuda.is_available,stratum,top 20\n");
    assert_string_equal(pm_publication_name(&p, "torch.cuda.is_available"), "torch.cuda");
    assert_string_equal(pm_publication_name(&p, "torch.cat"), "torch.cat");
    assert_string_equal(pm_publication_stratum(&p, "torch.cuda.is_available"), "top 20");
    assert_null(pm_publication_stratum(&p, "torch.cuda"));
    pm_publication_release(&p);
}

static void test_wrong_lines(void **state)
{
    (void)state;
    assert_refused("", "'a.csv' is empty: install portmeter again");
    assert_refused(
        "table,row\n",
        "'a.csv', line 1: the heading is not table,row,subject,item,text: install portmeter again");
    assert_refused(HEAD "5,1,a,b\n", "'a.csv', line 2: the line does not have the five fields "
                                     "table,row,subject,item,text: install portmeter again");
    assert_refused(HEAD "5,1,a,b,c,d\n", "'a.csv', line 2: the line does not have the five fields "
                                         "table,row,subject,item,text: install portmeter again");
    assert_refused(HEAD "5,1,\"a,b,c\n", "'a.csv', line 2: the line does not have the five fields "
                                         "table,row,subject,item,text: install portmeter again");
    assert_refused(
        HEAD "5,0,a,b,c\n",
        "'a.csv', line 2: the row is not a number from 1 to 1,000,000: install portmeter again");
    assert_refused(
        HEAD "5,1,a,,c\n",
        "'a.csv', line 2: a field is empty, or longer than 1,000 bytes: install portmeter again");
    assert_refused(HEAD "5,1,a,b,c\n5,1,x,b,d\n",
                   "'a.csv', line 3: the cell occurs a second time: install portmeter again");
    assert_refused(HEAD "5,1,\xff,b,c\n", "'a.csv' is not UTF-8 text: install portmeter again");
}

/* ---- sentences and contradictions ----------------------------------------------------------- */

#define COUNTS(framework, row, device, success, partial, complete, whole)                          \
    "8," row "," framework "," device " works," success "/" whole "\n"                             \
    "8," row "," framework "," device " partly," partial "/" whole "\n"                            \
    "8," row "," framework "," device " fails," complete "/" whole "\n"
#define SHARES(table, framework, row, device, success, partial, complete)                          \
    table "," row "," framework "," device " works," success "%\n" table "," row "," framework     \
          "," device " partly," partial "%\n" table "," row "," framework "," device               \
          " fails," complete "%\n"
#define LATENCY(table, row, function, gpu, tpu, ratio)                                             \
    table "," row "," function ",GPU (ms)," gpu "\n" table "," row "," function ",TPU (ms)," tpu   \
          "\n" table "," row "," function ",TPU/GPU," ratio "\n"

/* Returns a line "where: what" for each contradiction; the caller frees the text. */
static char *contradictions(const char *text, size_t *ratios)
{
    struct pm_publication p;
    struct pm_contradictions found = {0};
    struct pm_str out = PM_STR_INIT;
    parse(&p, text);
    pm_publication_contradictions(&p, &found, ratios);
    for (size_t i = 0; i < found.count; i++)
        pm_str_addf(&out, "%s: %s\n", found.items[i].where, found.items[i].what);
    pm_contradictions_release(&found);
    pm_publication_release(&p);
    return pm_str_detach(&out);
}

static void assert_contradicts(const char *text, const char *expected)
{
    char *found = contradictions(text, NULL);
    assert_string_equal(found, expected);
    free(found);
}

static void test_no_contradiction(void **state)
{
    (void)state;
    assert_contradicts(HEAD COUNTS("PyTorch", "1", "GPU", "58", "2", "3", "63")
                           SHARES("1", "PyTorch", "1", "GPU", "92", "3", "5")
                               SHARES("3", "PyTorch", "1", "T4", "92", "3", "5")
                                   LATENCY("5", "1", "torch.a", "0.157", "948.210", "6039.554")
                                       LATENCY("5", "2", "torch.b", "1.000", "1.000", "1.000")
                                           LATENCY("2", "1", "torch.a", "0.157", "948.210",
                                                   "6039.554") "4,2,GPU all functions,PyTorch,8%\n",
                       "");
}

static void test_contradictions(void **state)
{
    (void)state;
    assert_contradicts(
        HEAD COUNTS("PyTorch", "1", "TPU", "36", "17", "11", "63"),
        "table 8, PyTorch, TPU: 36 + 17 + 11 = 64 functions, but the printed total is 63\n");
    assert_contradicts(HEAD COUNTS("JAX", "1", "GPU", "60", "0", "3", "63")
                           SHARES("1", "JAX", "1", "GPU", "95", "0", "6"),
                       "tables 1 and 8, JAX, GPU: table 1 prints fails as 6 %, but 3/63 "
                       "in table 8 is 4.76 %\n");
    assert_contradicts(HEAD SHARES("3", "JAX", "1", "A100", "95", "0", "3"),
                       "table 3, JAX, A100: the three shares add up to 98 %\n");
    assert_contradicts(
        HEAD SHARES("1", "PyTorch", "1", "GPU", "92", "3", "5")
            SHARES("3", "PyTorch", "1", "T4", "91", "4", "5"),
        "tables 3 and 1, PyTorch, T4: table 3 prints works as 91 %, but table 1 prints 92 %\n"
        "tables 3 and 1, PyTorch, T4: table 3 prints partly as 4 %, but table 1 prints 3 "
        "%\n");
    assert_contradicts(HEAD COUNTS("PyTorch", "1", "GPU", "58", "2", "3", "63")
                           SHARES("1", "PyTorch", "1", "GPU", "92", "3",
                                  "5") "4,2,GPU all functions,PyTorch,10%\n",
                       "tables 4 and 1, PyTorch, GPU: table 4 prints that 10 % of all functions "
                       "fail, but table 1 prints 3 % + 5 % (by "
                       "the counts of table 8: 7.94 %)\n");
    assert_contradicts(HEAD "caption,1,ratio,table 5,GPU/TPU\n",
                       "table 5, caption: the caption says GPU/TPU, but the column is TPU/GPU\n");
}

static void test_contradicting_latencies(void **state)
{
    size_t ratios = 0;
    (void)state;
    char *found = contradictions(HEAD LATENCY("7", "1", "jax.a", "10.000", "20.000", "2.001")
                                     LATENCY("7", "2", "jax.b", "0.003", "0.004", "1.100"),
                                 &ratios);
    assert_string_equal(
        found,
        "table 7, jax.a, TPU/GPU: the printed ratio is 2.001, but 20.000 / 10.000 = 2.000\n");
    assert_int_equal(ratios, 2);
    free(found);
    assert_contradicts(
        HEAD LATENCY("6", "1", "tf.a", "10.000", "20.000", "2.000")
            LATENCY("6", "2", "tf.b", "10.000", "30.000", "3.000"),
        "table 6, tf.b, order: the rows are sorted by ratio, but 3.000 follows 2.000\n");
    assert_contradicts(
        HEAD LATENCY("6", "1", "tf.a", "10.000", "20.000", "2.000")
            LATENCY("2", "1", "tf.a", "10.000", "20.001", "2.000"),
        "table 2, tf.a, TPU (ms): table 2 prints 20.001, but table 6 prints 20.000\n");
}

static void test_sentences(void **state)
{
    struct pm_publication p;
    struct pm_sentence *s;
    size_t count;
    (void)state;
    parse(&p, HEAD COUNTS("JAX", "1", "GPU", "62", "0", "1", "63")
                  LATENCY("7", "1", "jax.a", "1.000", "20.000", "20.000")
                      LATENCY("7", "2", "jax.b", "1.000", "1.000", "1.000")
                          LATENCY("7", "3", "jax.c", "2.000", "1.000",
                                  "0.500") "text,1,a,fails JAX GPU,1.59%\n"
                                           "text,2,a,fails JAX GPU,2%\n"
                                           "text,3,a,fails JAX GPU,1.6%\n"
                                           "text,4,a,fails JAX GPU,1.5%\n"
                                           "text,5,a,faster JAX TPU,67%\n"
                                           "text,6,a,over10 JAX TPU,40%\n"
                                           "text,7,a,newer PyTorch GPU,28.07%\n"
                                           "text,8,a,failing PyTorch GPU,8%\n"
                                           "text,9,a,nonsense JAX GPU,8%\n");
    pm_publication_sentences(&p, &s, &count);
    assert_int_equal(count, 9);
    assert_string_equal(s[0].derived, "1 of 63: 1.59 %");
    assert_true(s[0].agrees && s[1].agrees && s[2].agrees && s[3].agrees == true);
    assert_string_equal(s[4].derived, "2 of 3: 66.67 %");
    assert_non_null(strstr(s[4].from, "otherwise 1 of 3, 33.33 %"));
    assert_true(s[4].agrees);
    assert_string_equal(s[5].derived, "1 of 3: 33.33 %");
    assert_false(s[5].agrees);
    assert_string_equal(s[6].derived, "");
    assert_non_null(strstr(s[6].from, "no table has latencies on the A100"));
    assert_non_null(strstr(s[6].from, "16 of 57"));
    assert_false(s[6].agrees);
    assert_string_equal(s[7].derived, ""); /* its table is missing */
    assert_string_equal(s[8].from, "portmeter has no rule for 'nonsense'");
    pm_sentences_free(s, count);
    pm_publication_release(&p);
}

/* Asserts that the sample has the functions that the paper counts (table 8): 63, 65 and 63. */
static void check_shipped_sample(const struct pm_publication *p)
{
    static const char *const prefixes[] = {"torch.", "tf.", "jax."};
    static const size_t wanted[] = {63, 65, 63};
    size_t counts[3] = {0};
    struct pm_map strata = {0};
    pm_publication_sample(p, &strata);
    for (size_t i = 0; i < strata.capacity; i++)
        for (size_t k = 0; k < 3; k++)
            if (strata.entries[i].key && strata.entries[i].value)
                counts[k] += pm_starts_with(strata.entries[i].key, prefixes[k]);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(counts[k], wanted[k]);
    assert_string_equal(pm_map_get(&strata, "torch.cat"), "top 20");
    assert_null(pm_map_get(&strata, "tf.zeros")); /* never timed */
    pm_map_release(&strata);
}

/* The shipped numbers are complete, each ratio is the quotient of its row as printed (also in the
 * first 30 rows of table 7, which are garbled in the text from which they were typed), and each
 * sentence has a rule. */
static void test_shipped_numbers(void **state)
{
    struct pm_publication p;
    struct pm_sentence *s;
    struct pm_str bytes = PM_STR_INIT;
    size_t count, ratios = 0;
    char *path = pm_format("%s/data/paper.csv", getenv("PORTMETER_HOME"));
    (void)state;
    assert_int_equal(pm_file_read(path, &bytes, &err), PM_OK);
    parse(&p, bytes.data);
    static const struct {
        const char *table;
        size_t rows;
    } tables[] = {{"1", 3},  {"2", 12}, {"3", 3},  {"4", 4},
                  {"5", 43}, {"6", 51}, {"7", 61}, {"8", 3}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        assert_int_equal(pm_publication_rows(&p, tables[i].table), tables[i].rows);
    for (size_t i = 0; i < p.count; i++) {
        const struct pm_publication_cell *c = &p.cells[i];
        if (strcmp(c->item, "TPU/GPU") != 0)
            continue;
        char *quotient =
            pm_format("%.3f", pm_publication_value(&p, c->table, c->subject, "TPU (ms)") /
                                  pm_publication_value(&p, c->table, c->subject, "GPU (ms)"));
        assert_string_equal(c->text, quotient);
        free(quotient);
        ratios++;
    }
    assert_int_equal(ratios, 43 + 51 + 61 + 12);
    check_shipped_sample(&p);
    pm_publication_sentences(&p, &s, &count);
    for (size_t i = 0; i < count; i++)
        assert_null(strstr(s[i].from, "no rule"));
    pm_sentences_free(s, count);
    pm_publication_release(&p);
    pm_str_release(&bytes);
    free(path);
}

/* ---- reports of pytest ---------------------------------------------------------------------- */

#define TEST(node, outcome) "{\"nodeid\":\"" node "\",\"outcome\":\"" outcome "\"}"

static void read_report(struct pm_pytest_report *r, const char *text)
{
    if (pm_pytest_parse(text, strlen(text), r, &err))
        fail_msg("%s", err.text);
}

static void test_report(void **state)
{
    struct pm_pytest_report r;
    (void)state;
    read_report(
        &r,
        "{\"tests\":[" TEST(
            "a/b/sum_test.py::Sum::test_x[1]",
            "passed") ","
                      "{\"nodeid\":\"test_cat.py::test_y\",\"outcome\":\"failed\","
                      "\"setup\":{\"outcome\":\"passed\"},\"call\":{\"outcome\":\"failed\","
                      "\"crash\":{\"message\":\"torch.Error: no: such\\nthing\"}}},"
                      "{\"nodeid\":\"z.py::test_z\",\"outcome\":\"error\",\"setup\":{\"outcome\":"
                      "\"failed\",\"longrepr\":\"it broke\"}}]}");
    assert_int_equal(r.count, 3);
    assert_string_equal(r.tests[0].file, "sum_test.py");
    assert_string_equal(r.tests[0].function, "sum");
    assert_string_equal(r.tests[0].inside, "Sum::test_x[1]");
    assert_string_equal(r.tests[0].test, "test_x[1]");
    assert_int_equal(r.tests[0].outcome, PM_TEST_PASSED);
    assert_string_equal(r.tests[1].function, "cat");
    assert_string_equal(r.tests[1].stage, "call");
    assert_string_equal(r.tests[1].type, "torch.Error");
    assert_string_equal(r.tests[1].message, "no: such\nthing");
    assert_string_equal(r.tests[2].stage, "setup");
    assert_string_equal(r.tests[2].type, "");
    assert_string_equal(r.tests[2].message, "it broke");
    pm_pytest_release(&r);
}

static void assert_no_report(const char *text, const char *said)
{
    struct pm_pytest_report r;
    assert_int_equal(pm_pytest_parse(text, strlen(text), &r, &err), PM_EFORMAT);
    assert_non_null(strstr(err.text, said));
    assert_null(strchr(err.text, '\n'));
}

static void test_wrong_reports(void **state)
{
    struct pm_str deep = PM_STR_INIT;
    (void)state;
    assert_no_report("{", "line 1, column 1");
    assert_no_report("[]", "not a JSON object");
    assert_no_report("{}", "the file has no tests: import");
    assert_no_report("{\"tests\":[]}", "the file has no tests: import");
    assert_no_report("{\"tests\":[7]}", "test 1 of the report has no nodeid");
    assert_no_report("{\"tests\":[" TEST("a.py", "passed") "]}",
                     "test 1 of the report has no nodeid");
    assert_no_report("{\"tests\":[" TEST("a/::t", "passed") "]}", "has no nodeid");
    assert_no_report("{\"tests\":[" TEST("a.py::t", "passed") "," TEST("a.py::u", "great") "]}",
                     "test 2 of the report has no valid outcome");
    assert_no_report("{\"tests\":[" TEST("a.py::t", "") "]}", "has no valid outcome");
    assert_no_report("{\"tests\":[" TEST("a.py::t", "passed") "," TEST("b/a.py::t", "passed") "]}",
                     "test 2 of the report has the same name as an earlier test: keep one of them");
    pm_str_add(&deep, "{\"tests\":");
    for (int i = 0; i < 80; i++)
        pm_str_add_char(&deep, i < 40 ? '[' : ']');
    pm_str_add_char(&deep, '}');
    assert_no_report(deep.data, "nested over 32 levels");
    pm_str_clear(&deep);
    pm_str_add(&deep, "{\"tests\":[0");
    for (int i = 0; i < PM_PYTEST_MOST_TESTS; i++)
        pm_str_add(&deep, ",0");
    pm_str_add(&deep, "]}");
    assert_no_report(deep.data, "the file has 1000001 tests, more than the limit of 1,000,000: ");
    pm_str_release(&deep);
}

static void test_other_devices(void **state)
{
    struct pm_pytest_report r;
    (void)state;
    read_report(&r, "{\"tests\":[" TEST("a.py::test_x_cuda_float16", "passed") "," TEST(
                        "a.py::test_x_cpu_float16",
                        "passed") "," TEST("a.py::test_cpu_x_cuda",
                                           "passed") "," TEST("a.py::test_y", "passed") "]}");
    assert_int_equal(pm_pytest_exclude(&r, "cuda"), 1);
    assert_true(r.tests[1].other_device);
    pm_pytest_release(&r);
    /* no test is named after a device: 'xla' is part of a name */
    read_report(&r, "{\"tests\":[" TEST("a.py::test_const_xla", "passed") "," TEST("a.py::test_y",
                                                                                   "passed") "]}");
    assert_int_equal(pm_pytest_exclude(&r, "gpu"), 0);
    pm_pytest_release(&r);
    char *key = pm_pytest_key("a.py", "test_cpu_x_cuda_float16", "cuda");
    assert_string_equal(key, "a.py:test_cpu_x_*_float16");
    free(key);
    key = pm_pytest_key("a.py", "test_const_xla", "gpu");
    assert_string_equal(key, "a.py:test_const_xla");
    free(key);
}

static void test_timings(void **state)
{
    struct pm_pytest_timings t;
    static const char text[] =
        "{\"a.py:x\":{\"operations\":[0.5,1e-9,0],\"test_time\":2},\"a.py:y\":{\"operations\":[]}}";
    (void)state;
    assert_int_equal(pm_pytest_parse_timings(text, strlen(text), &t, &err), PM_OK);
    assert_int_equal(t.count, 2);
    const struct pm_pytest_timing *x = &t.items[strcmp(t.items[0].key, "a.py:x") != 0];
    assert_int_equal(x->count, 3);
    assert_int_equal(x->times[0], 500000000);
    assert_int_equal(x->times[1], 1);
    assert_int_equal(x->whole_ns, 2000000000);
    pm_pytest_timings_release(&t);
    static const char *const wrong[][2] = {
        {"{}", "the file has no test times: import"},
        {"{\"a.py\":{\"operations\":[]}}", "the times of 'a.py' have no name"},
        {"{\"a.py::x\":{\"operations\":[]}}", "the times of 'a.py::x' have no name"},
        {"{\"a.py:x\":{}}", "the times of 'a.py:x' are not a list"},
        {"{\"a.py:x\":{\"operations\":[-1]}}", "contain a value that is not a time"},
        {"{\"a.py:x\":{\"operations\":[-1e-12]}}", "contain a value that is not a time"},
        {"{\"a.py:x\":{\"operations\":[1e7]}}", "contain a value that is not a time"},
        {"{\"a.py:x\":{\"operations\":[\"1\"]}}", "contain a value that is not a time"},
        {"{\"a.py:x\":{\"operations\":[]},\"a.py:x\":{\"operations\":[]}}", "duplicate"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(pm_pytest_parse_timings(wrong[i][0], strlen(wrong[i][0]), &t, &err),
                         PM_EFORMAT);
        if (!strstr(err.text, wrong[i][1]))
            fail_msg("%s", err.text);
    }
}

/* ---- imported, and computed again ----------------------------------------------------------- */

struct scene {
    char *folder, *db;
    struct pm_store *store;
    struct pm_results results[2];
    size_t count;
};

static int set_up(void **state)
{
    struct scene *s = pm_alloc(sizeof *s);
    *state = s;
    if (pm_folder_scratch(&s->folder, &err))
        return -1;
    s->db = pm_path_join(s->folder, "a.db");
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;
    for (size_t i = 0; i < s->count; i++)
        pm_results_release(&s->results[i]);
    pm_store_free(s->store);
    const int rc = pm_folder_remove(s->folder, &err);
    free(s->folder);
    free(s->db);
    free(s);
    return rc;
}

static void import(const struct scene *s, const char *device, const char *report,
                   const char *timings)
{
    char *report_path = pm_path_join(s->folder, "report.json");
    char *timings_path = pm_path_join(s->folder, "timings.json");
    const char *const files[] = {timings_path, timings_path};
    struct pm_imported_pytest done;
    assert_int_equal(pm_file_write(report_path, report, strlen(report), &err), PM_OK);
    assert_int_equal(pm_file_write(timings_path, timings, strlen(timings), &err), PM_OK);
    const struct pm_import_pytest what = {.db = s->db,
                                          .report = report_path,
                                          .timings = files,
                                          .timing_count = 2,
                                          .framework = "jax",
                                          .device = device};
    if (pm_import_pytest(&what, &done, &err))
        fail_msg("%s", err.text);
    free(report_path);
    free(timings_path);
}

static int load(void *ctx, const struct pm_run_row *run)
{
    struct scene *s = ctx;
    return pm_results_load(s->store, run, &s->results[s->count++], &err);
}

#define TIME(test, seconds) "\"" test "\":{\"operations\":[" seconds "],\"test_time\":1}"

/* Imports two reports. add: one test passes; cos: one of two fails on the TPU; eig fails; log
 * passes and is not timed; sin is only timed. */
static void import_both(struct scene *s)
{
    import(s, "gpu",
           "{\"tests\":[" TEST("add_test.py::t0", "passed") "," TEST(
               "cos_test.py::t0",
               "passed") "," TEST("cos_test.py::t1",
                                  "passed") "," TEST("eig_test.py::t",
                                                     "failed") "," TEST("log_test.py::t",
                                                                        "passed") "]}",
           "{" TIME("add_test.py:t0", "0.001,0.003") "," TIME("cos_test.py:t0", "0.001") "," TIME(
               "cos_test.py:t1", "0.003") "," TIME("sin_test.py:t", "0.002") "}");
    import(s, "tpu",
           "{\"tests\":[" TEST("add_test.py::t0", "passed") "," TEST(
               "cos_test.py::t0",
               "passed") "," TEST("cos_test.py::t1",
                                  "failed") "," TEST("eig_test.py::t",
                                                     "failed") "," TEST("log_test.py::t",
                                                                        "passed") "]}",
           "{" TIME("add_test.py:t0", "0.004") "," TIME("cos_test.py:t0", "0.005") "," TIME(
               "cos_test.py:t1", "0.007") "," TIME("sin_test.py:t", "0.002") "}");
    assert_int_equal(pm_store_open(&s->store, s->db, PM_STORE_READ, &err), PM_OK);
    assert_int_equal(pm_store_runs(s->store, load, s, &err), PM_OK);
    assert_int_equal(s->count, 2);
}

static void test_rows(void **state)
{
    struct scene *s = *state;
    struct pm_publication p;
    struct pm_row *rows;
    size_t count;
    import_both(s);
    parse(&p, HEAD LATENCY("7", "1", "jax.numpy.add", "2.000", "4.000", "2.000")
                  LATENCY("7", "2", "jax.numpy.cos", "1.000", "5.000", "5.000")
                      LATENCY("7", "3", "jax.numpy.Cos", "2.000", "6.000", "3.000")
                          LATENCY("7", "4", "jax.sine", "2.000", "2.002", "1.000")
                              LATENCY("7", "5", "jax.tan", "2.000", "2.000",
                                      "1.000") "file,1,jax.sine,function JAX,sin\n");
    pm_results_rows(&p, &s->results[0], &s->results[1], &rows, &count);
    assert_int_equal(count, 5);
    assert_int_equal(rows[0].by, PM_ROW_PASSED);
    assert_string_equal(rows[0].function, "add");
    assert_int_equal(rows[1].by, PM_ROW_PASSED);
    assert_int_equal(rows[1].tests, 1);
    assert_true(rows[1].leaves_out_tpu && !rows[1].leaves_out_gpu);
    assert_int_equal(rows[2].by, PM_ROW_FAILED);
    assert_float_equal(rows[2].gpu_again, 1, 1e-9);
    assert_string_equal(rows[2].difference, "also counts failed tests (1): t1");
    assert_int_equal(rows[3].by, PM_ROW_OTHER);
    assert_int_equal(rows[4].by, PM_ROW_NO_DATA);
    pm_rows_free(rows, count);
    pm_publication_release(&p);
}

static void test_recount(void **state)
{
    struct scene *s = *state;
    struct pm_publication p;
    struct pm_recounting r;
    struct pm_contradictions found = {0};
    import_both(s);
    parse(&p, HEAD COUNTS("JAX", "1", "TPU", "3", "0", "1", "4"));
    const struct pm_row counts_it = {.function = "cos", .by = PM_ROW_FAILED};
    pm_results_recount(&p, &s->results[1], &s->results[0], &counts_it, 1, &r);
    assert_int_equal(r.files[PM_RECOUNT_WORKS], 2);
    assert_int_equal(r.files[PM_RECOUNT_PARTLY], 1);
    assert_int_equal(r.files[PM_RECOUNT_FAILS], 1);
    assert_int_equal(r.files[PM_RECOUNT_UNREPORTED], 1);
    assert_string_equal(r.dropped, "log");
    assert_string_equal(r.as_passed, "cos");
    assert_int_equal(r.adjusted[PM_RECOUNT_WORKS], 3); /* add, cos, sin */
    assert_string_equal(r.left, "");
    pm_recounting_release(&r);
    pm_results_recount(&p, &s->results[1], &s->results[0], NULL, 0, &r);
    assert_string_equal(r.left, "works +1; partly -1 among cos");
    pm_recounting_release(&r);
    pm_results_contradictions(&p, s->results, s->count, &found);
    assert_int_equal(found.count, 4);
    assert_string_equal(found.items[0].what,
                        "1 test passes without any timed operation; no passed test of these "
                        "functions is timed: log");
    assert_string_equal(found.items[1].what, "timed, but missing from the report: sin");
    pm_contradictions_release(&found);
    pm_publication_release(&p);
    for (size_t i = 0; i < s->results[1].function_count; i++)
        if (!strcmp(s->results[1].functions[i].name, "add"))
            s->results[1].functions[i].calls = 0;
    parse(&p, HEAD COUNTS("JAX", "1", "TPU", "2", "0", "1", "3"));
    pm_results_recount(&p, &s->results[1], &s->results[0], &counts_it, 1, &r);
    assert_string_equal(r.left, "works -1, possibly add (no times on TPU)");
    pm_recounting_release(&r);
    pm_publication_release(&p);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_names_of_today),
        cmocka_unit_test(test_wrong_lines),
        cmocka_unit_test(test_no_contradiction),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_contradicting_latencies),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_shipped_numbers),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_wrong_reports),
        cmocka_unit_test(test_other_devices),
        cmocka_unit_test(test_timings),
        T(test_rows),
        T(test_recount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
