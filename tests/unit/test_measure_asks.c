/* The arrays that a child asks for: what is nonsense is refused before it is generated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "measure/job.h"

static struct pm_frame frame_of(const char *header)
{
    struct pm_frame frame = {.kind = PM_FRAME_ASK, .header = json_loads(header, 0, NULL)};
    assert_non_null(frame.header);
    return frame;
}

static void test_requests__are_given(void **state)
{
    (void)state;
    const struct pm_function function = {.name = "f"};
    const struct pm_case c = {.function = &function, .name = "case"};
    struct pm_frame ask = frame_of("{\"arrays\":[{\"name\":\"w\",\"dtype\":\"float32\","
                                   "\"shape\":[2,3],\"scale\":0.5}]}");
    struct pm_str given = PM_STR_INIT;
    json_t *header = json_object();
    assert_int_equal(pm_measure__job_give(&c, 1, &ask, header, &given, NULL), PM_OK);
    assert_int_equal(json_array_size(json_object_get(header, "arrays")), 1);
    assert_int_equal(given.length, 24);
    json_decref(header);
    json_decref(ask.header);
    pm_str_release(&given);
}

/* A child may ask for 1 GiB in all. */
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
        {"{}", "arrays without a list"},
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
        cmocka_unit_test(test_requests__are_given),
        cmocka_unit_test(test_requests__are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
