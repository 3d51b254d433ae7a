/* Tests of the frame in which a child gets a case, and of the arrays that a child asks for. */
#include "plans.h"

#include "base/alloc.h"
#include "base/json.h"
#include "measure/job.h"

static const char cases[] = "  - name: plain\n"
                            "    inputs: {x: \"float32[2,3] normal\", n: \"literal 7\"}\n"
                            "    call: ok\n"
                            "    check: \"out == x\"\n"
                            "  - name: typed\n"
                            "    dtypes: [float32, int64]\n"
                            "    inputs: {x: \"$dtype[4] zeros on host\"}\n"
                            "    call: ok\n"
                            "    compare: exact\n"
                            "  - name: series\n"
                            "    inputs: {x: \"float64[$shape] normal\"}\n"
                            "    shapes: [[2], [3, 3]]\n"
                            "    call: ok\n";

static const struct pm_case *find_case(struct planned *p, const char *name)
{
    if (!p->plan.case_count) {
        planned_write_suite(p, "null.f", cases);
        planned_make(p, "null@host");
    }
    for (size_t i = 0; i < p->plan.case_count; i++)
        if (!strcmp(p->plan.cases[i]->name, name))
            return p->plan.cases[i];
    fail_msg("no case '%s'", name);
    return NULL;
}

static struct pm_job make(struct planned *p, const char *name, uint64_t seed)
{
    const struct job_options options = {
        .execution = 41, .seed = seed, .purity = true, .timeout_ms = 1500};
    struct pm_job job = {0};
    assert_ok(p, pm_measure__job_make(find_case(p, name), &options, &job, &p->err));
    return job;
}

static void release(struct pm_job *job)
{
    json_decref(job->header);
    pm_str_release(&job->body);
}

/* Asserts that the array that an entry describes is in the body, with the right digest and number
 * of bytes. */
static void check_array(const json_t *entry, const struct pm_str *body)
{
    struct pm_array array;
    char *shape = json_dumps(json_object_get(entry, "shape"), JSON_COMPACT);
    const size_t offset = (size_t)pm_json_int(entry, "offset", -1);
    const size_t bytes = (size_t)pm_json_int(entry, "bytes", -1);
    assert_true(pm_array_of_text(pm_json_string(entry, "dtype", ""), shape, &array));
    assert_true(offset <= body->length && bytes <= body->length - offset);
    assert_int_equal(bytes, array.count * pm_dtype_size(array.dtype));
    const struct pm_digest digest =
        pm_digest_of(array.dtype, &array.shape, body->data + offset, bytes);
    assert_string_equal(pm_json_string(entry, "digest", ""), digest.hex);
    free(shape);
}

/* ---- the job ----------------------------------------------------------------------------------
 */

static void test_a_job_has_the_case_and_its_inputs(void **state)
{
    struct planned *p = *state;
    struct pm_job job = make(p, "plain", 1);
    const json_t *inputs = json_object_get(job.header, "inputs");
    assert_int_equal(pm_json_int(job.header, "execution", 0), 41);
    assert_int_equal(job.timeout_ms, 1500);
    assert_string_equal(pm_json_string(job.header, "function", ""), "null.f");
    assert_string_equal(pm_json_string(job.header, "check", ""), "out == x");
    assert_true(json_is_null(json_object_get(job.header, "setup")));
    assert_true(json_is_null(json_object_get(job.header, "dtype")));
    assert_true(pm_json_bool(job.header, "purity", false));
    assert_int_equal(json_array_size(inputs), 2);
    check_array(json_array_get(inputs, 0), &job.body);
    assert_false(pm_json_bool(json_array_get(inputs, 0), "host", true));
    assert_int_equal(pm_json_int(json_array_get(inputs, 1), "literal", 0), 7);
    assert_int_equal(job.body.length, 24); /* a literal has no bytes */
    release(&job);
}

static void test_inputs_depend_on_the_seed_alone(void **state)
{
    struct planned *p = *state;
    struct pm_job first = make(p, "plain", 1), again = make(p, "plain", 1),
                  other = make(p, "plain", 2);
    assert_int_equal(first.body.length, other.body.length);
    assert_memory_equal(first.body.data, again.body.data, first.body.length);
    assert_memory_not_equal(first.body.data, other.body.data, first.body.length);
    release(&first);
    release(&again);
    release(&other);
}

static void test_dtype_and_place_are_those_of_the_case(void **state)
{
    struct planned *p = *state;
    struct pm_job job = make(p, "typed[int64]", 1);
    const json_t *input = json_array_get(json_object_get(job.header, "inputs"), 0);
    assert_string_equal(pm_json_string(job.header, "dtype", ""), "int64");
    assert_string_equal(pm_json_string(job.header, "compare", ""), "exact");
    assert_string_equal(pm_json_string(input, "dtype", ""), "int64");
    assert_true(pm_json_bool(input, "host", false));
    check_array(input, &job.body);
    release(&job);
}

static void test_a_series_has_inputs_for_each_shape(void **state)
{
    struct planned *p = *state;
    struct pm_job job = make(p, "series", 1);
    const json_t *series = json_object_get(job.header, "series");
    assert_null(json_object_get(job.header, "inputs"));
    assert_int_equal(json_array_size(series), 2);
    for (size_t i = 0; i < 2; i++)
        check_array(json_array_get(json_array_get(series, i), 0), &job.body);
    assert_int_equal(job.body.length, (2 + 9) * 8);
    release(&job);
}

/* ---- what a child asks for --------------------------------------------------------------------
 */

static int give(struct planned *p, const char *wish, uint64_t seed, json_t *header,
                struct pm_str *body)
{
    json_t *json = json_loads(wish, 0, NULL);
    if (!json)
        fail_msg("no JSON: %s", wish);
    const struct pm_frame ask = {.kind = PM_FRAME_ASK, .header = json};
    const int rc = pm_measure__job_give(find_case(p, "plain"), seed, &ask, header, body, &p->err);
    json_decref(json);
    return rc;
}

static void test_arrays_are_made_as_asked(void **state)
{
    struct planned *p = *state;
    struct pm_str body = PM_STR_INIT;
    json_t *header = json_object();
    assert_ok(p, give(p,
                      "{\"arrays\": [{\"name\": \"w\", \"dtype\": \"float32\", \"shape\": [2, 2],"
                      " \"scale\": 0.001}, {\"name\": \"b\", \"dtype\": \"complex64\", \"shape\":"
                      " []}]}",
                      1, header, &body));
    const json_t *arrays = json_object_get(header, "arrays");
    assert_int_equal(json_array_size(arrays), 2);
    check_array(json_array_get(arrays, 0), &body);
    check_array(json_array_get(arrays, 1), &body);
    assert_int_equal(body.length, 16 + 8);
    float first;
    memcpy(&first, body.data, sizeof first);
    assert_true(first >= -0.001F && first <= 0.001F);
    json_decref(header);
    pm_str_release(&body);
}

#define TEN "1,1,1,1,1,1,1,1,1,1,"

static void test_a_wish_that_makes_no_sense_is_refused(void **state)
{
    static const char *const rows[][2] = {
        {"{}", "'arrays' is not a list of at most 4096 items"},
        {"{\"arrays\": {}}", "'arrays' is not a list of at most 4096 items"},
        {"{\"arrays\": [7]}", "of dtype ''"},
        {"{\"arrays\": [{\"dtype\": \"float99\", \"shape\": [1]}]}", "of dtype 'float99'"},
        {"{\"arrays\": [{\"dtype\": \"int32\", \"shape\": [1]}]}", "of dtype 'int32'"},
        {"{\"arrays\": [{\"dtype\": \"float32\"}]}", "not a list of at most 64 sizes, or 'scale'"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": 4}]}",
         "not a list of at most 64 sizes, or 'scale'"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [1], \"scale\": 0}]}",
         "not a list of at most 64 sizes, or 'scale'"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [1], \"scale\": -2}]}",
         "not a list of at most 64 sizes, or 'scale'"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [" TEN TEN TEN TEN TEN TEN
         "1,1,1,1,1]}]}", /* 65 dimensions */
         "not a list of at most 64 sizes, or 'scale'"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [-1]}]}",
         "shape is invalid or too large"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [1.5]}]}",
         "shape is invalid or too large"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [4294967296, 4294967296]}]}",
         "shape is invalid or too large"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [268435457]}]}", "more than 1 GiB"},
        {"{\"arrays\": [{\"dtype\": \"float32\", \"shape\": [4]}, {\"dtype\": \"float64\", "
         "\"shape\": [134217728]}]}",
         "more than 1 GiB"}, /* in all */
        {"{\"arrays\": [{\"dtype\": \"float16\", \"shape\": [1], \"scale\": 1e300}]}",
         "cannot represent"},
    };
    struct planned *p = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_str body = PM_STR_INIT;
        json_t *header = json_object();
        assert_refused(p, give(p, rows[i][0], 1, header, &body), PM_EFORMAT, rows[i][1]);
        assert_true(body.length <= 16);
        json_decref(header);
        pm_str_release(&body);
    }
}

static void test_many_wishes_are_refused(void **state)
{
    struct planned *p = *state;
    struct pm_str wish = PM_STR_INIT, body = PM_STR_INIT;
    json_t *header = json_object();
    pm_str_add(&wish, "{\"arrays\": [1");
    for (unsigned i = 0; i < 4096; i++)
        pm_str_add(&wish, ",1");
    pm_str_add(&wish, "]}");
    assert_refused(p, give(p, wish.data, 1, header, &body), PM_EFORMAT,
                   "'arrays' is not a list of at most 4096 items");
    json_decref(header);
    pm_str_release(&body);
    pm_str_release(&wish);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLANNED_TEST(test_a_job_has_the_case_and_its_inputs),
        PLANNED_TEST(test_inputs_depend_on_the_seed_alone),
        PLANNED_TEST(test_dtype_and_place_are_those_of_the_case),
        PLANNED_TEST(test_a_series_has_inputs_for_each_shape),
        PLANNED_TEST(test_arrays_are_made_as_asked),
        PLANNED_TEST(test_a_wish_that_makes_no_sense_is_refused),
        PLANNED_TEST(test_many_wishes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
