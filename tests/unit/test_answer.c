/* Answers of children, truthful and not: what is taken, and what is refused with which word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "measure/answer.h"
#include "measure/job.h"

static const float body[] = {1, 2, 3};

static struct pm_frame frame_of(const char *header)
{
    struct pm_frame frame = {
        .kind = PM_FRAME_RESULT, .body = (const unsigned char *)body, .body_length = sizeof body};
    struct pm_error err;
    if (pm_json_parse(header, strlen(header), &frame.header, &err))
        fail_msg("%s: %s", err.text, header);
    return frame;
}

/* Of body[1] and body[2]. */
static char *leaf(const char *shape, const char *place, const char *digest)
{
    return pm_format("{\"outputs\":[{\"path\":\"out\",\"dtype\":\"float32\",\"shape\":%s,"
                     "\"device\":\"cpu\",\"on_device\":true,%s,\"digest\":\"%s\"}]}",
                     shape, place, digest);
}

static const char *digest_of_two(void)
{
    static struct pm_digest digest;
    const struct pm_shape shape = {1, {2}};
    digest = pm_digest_of(PM_FLOAT32, &shape, body + 1, 2 * sizeof *body);
    return digest.hex;
}

static int parse(const char *header, struct pm_error *err)
{
    struct pm_frame frame = frame_of(header);
    struct answer answer;
    const int rc = pm_measure__answer_parse(&answer, &frame, err);
    if (!rc)
        pm_measure__answer_release(&answer);
    json_decref(frame.header);
    return rc;
}

static void refuses(const char *header, const char *why)
{
    struct pm_error err = {""};
    if (parse(header, &err) != PM_EFORMAT || !strstr(err.text, why))
        fail_msg("not '%s' but '%s' for %.200s", why, err.text, header);
}

static void test_array__has_its_bytes(void **state)
{
    (void)state;
    char *header = leaf("[2]", "\"offset\":4,\"bytes\":8", digest_of_two());
    struct pm_frame frame = frame_of(header);
    struct answer answer;
    assert_int_equal(pm_measure__answer_parse(&answer, &frame, NULL), PM_OK);
    assert_int_equal(answer.leaf_count, 1);
    assert_ptr_equal(answer.leaves[0].bytes, body + 1);
    assert_string_equal(answer.leaves[0].shape, "[2]");
    assert_string_equal(answer.stage, "");
    pm_measure__answer_release(&answer);
    json_decref(frame.header);
    free(header);
}

static void test_array__lies_within_the_body(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *place, *why;
    } rows[] = {
        {"[2]", "\"offset\":5,\"bytes\":8", "does not lie in the frame"},
        {"[2]", "\"offset\":-4,\"bytes\":8", "does not lie in the frame"},
        {"[2]", "\"offset\":9223372036854775807,\"bytes\":8", "does not lie in the frame"},
        {"[2]", "\"offset\":4,\"bytes\":-8", "does not lie in the frame"},
        {"[3]", "\"offset\":4,\"bytes\":8", "does not lie in the frame"},
        {"[4611686018427387904,4]", "\"offset\":4,\"bytes\":0", "does not lie in the frame"},
        {"[1]", "\"offset\":4,\"bytes\":4", "another digest"},
        {"[-2]", "\"offset\":4,\"bytes\":8", "has no shape"},
        {"[2.0]", "\"offset\":4,\"bytes\":8", "has no shape"},
        {"\"2\"", "\"offset\":4,\"bytes\":8", "has no shape"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *header = leaf(rows[i].shape, rows[i].place, digest_of_two());
        refuses(header, rows[i].why);
        free(header);
    }
}

static void test_leaves__have_their_form(void **state)
{
    (void)state;
    refuses("{\"outputs\":{}}", "'outputs' of an answer is no list");
    refuses("{\"gradients\":[3]}", "no path");
    refuses("{\"outputs\":[{\"path\":\"out\"}]}", "neither array, value nor type");
    refuses("{\"stage\":\"lunch\"}", "stage 'lunch' of an answer is unknown");
    char *long_path = pm_alloc(70000);
    memset(long_path, 'a', 65536);
    char *header = pm_format("{\"outputs\":[{\"path\":\"%s\",\"value\":1}]}", long_path);
    refuses(header, "more than 65535 bytes");
    free(header);
    free(long_path);
}

/* Before anything is allocated for them. */
static void test_leaves__are_bounded(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    struct pm_str header = PM_STR_INIT;
    pm_str_add(&header, "{\"outputs\":[");
    for (int i = 0; i < MOST; i++)
        pm_str_add(&header, "{\"path\":\"\",\"value\":0},");
    pm_str_add(&header, "{\"path\":\"\",\"value\":0}]}");
    refuses(header.data, "more than 100000 entries");
    pm_str_release(&header);
}

static void test_clocks__are_whole_and_not_negative(void **state)
{
    (void)state;
    static const char *const lists[] = {"[1e300]",
                                        "[1.5]",
                                        "[\"7\"]",
                                        "[null]",
                                        "[-1]",
                                        "[[1]]",
                                        "7",
                                        "\"7\"",
                                        "null",
                                        "{}",
                                        "[9007199254740993]",
                                        "[1, 2, -9223372036854775808]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char *header = pm_format("{\"timings\":{\"warm\":%s}}", lists[i]);
        refuses(header, "clock 'warm' of an answer is no list of nanoseconds");
        free(header);
    }
    refuses("{\"timings\":{\"lunch\":[1]}}", "clock 'lunch' of an answer is unknown");
    refuses("{\"timings\":[]}", "'timings' of an answer is no object");
}

static void test_clocks__are_taken(void **state)
{
    (void)state;
    struct pm_frame frame =
        frame_of("{\"timings\":{\"warm\":[0,7],\"cold\":[5],\"series\":[]},"
                 "\"compilations\":{\"warm\":[1,0],\"cold\":[1,2],\"series\":[1e9]}}");
    struct answer answer;
    assert_int_equal(pm_measure__answer_parse(&answer, &frame, NULL), PM_OK);
    const struct answer_clock *warm = pm_measure__answer_clock(&answer, "warm");
    assert_int_equal(warm->count, 2);
    assert_true(warm->samples[1] == 7 && warm->compiled[0] == 1);
    assert_null(pm_measure__answer_clock(&answer, "cold")->compiled);
    assert_int_equal(pm_measure__answer_clock(&answer, "series")->count, 0);
    assert_null(pm_measure__answer_clock(&answer, "dispatch"));
    pm_measure__answer_release(&answer);
    json_decref(frame.header);
}

/* A child may ask for 1 GiB in all; what it asks for is checked before it is generated. */
static void test_requests__are_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *arrays, *why;
    } rows[] = {
        {"[{\"dtype\":\"float32\",\"shape\":[268435457]}]", "more than 1 GiB"},
        {"[{\"dtype\":\"float32\",\"shape\":[4]},{\"dtype\":\"float64\",\"shape\":[134217728]}]",
         "more than 1 GiB"},
        {"[{\"dtype\":\"float32\",\"shape\":[4611686018427387904,4]}]", "impossible shape"},
        {"[{\"dtype\":\"float32\",\"shape\":[-1]}]", "impossible shape"},
        {"[{\"dtype\":\"int8\",\"shape\":[1]}]", "of dtype 'int8'"},
        {"[{\"dtype\":\"float32\",\"shape\":[1],\"scale\":-1}]", "without a shape or scale"},
        {"[{\"dtype\":\"float16\",\"shape\":[1],\"scale\":1e300}]", "cannot hold"},
        {"{}", "no list of arrays"},
    };
    const struct pm_function function = {.name = "f"};
    const struct pm_case c = {.function = &function, .name = "case"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = pm_format("{\"arrays\":%s}", rows[i].arrays);
        struct pm_frame ask = frame_of(text);
        struct pm_str given = PM_STR_INIT;
        struct pm_error err = {""};
        json_t *header = json_object();
        assert_int_equal(pm_measure__job_give(&c, 1, &ask, header, &given, &err), PM_EFORMAT);
        if (!strstr(err.text, rows[i].why) || given.length > 16)
            fail_msg("not '%s' but '%s', %zu bytes", rows[i].why, err.text, given.length);
        json_decref(header);
        json_decref(ask.header);
        pm_str_release(&given);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array__has_its_bytes),
        cmocka_unit_test(test_array__lies_within_the_body),
        cmocka_unit_test(test_leaves__have_their_form),
        cmocka_unit_test(test_leaves__are_bounded),
        cmocka_unit_test(test_clocks__are_whole_and_not_negative),
        cmocka_unit_test(test_clocks__are_taken),
        cmocka_unit_test(test_requests__are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
