/* Tests which texts are accepted as JSON: only texts that jansson can read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"
#include "base/str.h"

static const char *const json[] = {"{}",
                                   "[]",
                                   " [ ] ",
                                   "[1]",
                                   "[1,2]",
                                   "[ 1 , 2 ]",
                                   "{\"a\":1}",
                                   "{\"a\":{\"b\":[]},\"c\":[{}]}",
                                   "1",
                                   "-1",
                                   "0",
                                   "-0",
                                   "0.5",
                                   "1e5",
                                   "1E+5",
                                   "1.25e-300",
                                   "\"\"",
                                   "\"a\"",
                                   "true",
                                   "false",
                                   "null",
                                   "[true,false,null]",
                                   "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                   "\"\\u0041\\u00e9\\uD83D\\uDE00\"",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "1.7976931348623157e308",
                                   "[[[[[[]]]]]]",
                                   "\t\n\r {\n\"a\" :\t1 }\n",
                                   "\"\xc3\xa9\""};

static const char *const none[] = {"",
                                   " ",
                                   "{",
                                   "}",
                                   "[",
                                   "]",
                                   "[1",
                                   "[1,",
                                   "[,1]",
                                   "[1,]",
                                   "[1 2]",
                                   "{\"a\"}",
                                   "{\"a\":}",
                                   "{\"a\":1,}",
                                   "{a:1}",
                                   "{,}",
                                   "{\"a\":1]",
                                   "[1}",
                                   "[]]",
                                   "[][]",
                                   "1 2",
                                   "01",
                                   "-",
                                   "+1",
                                   ".5",
                                   "1.",
                                   "1e",
                                   "1e+",
                                   "0x1",
                                   "tru",
                                   "True",
                                   "nulll",
                                   "\"",
                                   "\"a",
                                   "\"\\\"",
                                   "\"\\x\"",
                                   "\"\\u12\"",
                                   "\"\\u00g0\"",
                                   "\"\\u0000\"",
                                   "\"\\uD83D\"",
                                   "\"\\uD83Dx\"",
                                   "\"\\uD83D\\u0041\"",
                                   "\"\\uDE00\"",
                                   "\"\x01\"",
                                   "\"a\nb\"",
                                   "9223372036854775808",
                                   "-9223372036854775809",
                                   "1e309",
                                   "-1e309",
                                   "NaN",
                                   "Infinity",
                                   "'a'",
                                   "[1]x",
                                   "//",
                                   "/*a*/1",
                                   "{\"a\" 1}",
                                   "{\"a\":1 \"b\":2}",
                                   "\"\\",
                                   "\"\\u"};

static void test_what_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        if (!pm_json_is_valid(json[i]))
            fail_msg("'%s' is JSON", json[i]);
}

static void test_what_is_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (pm_json_is_valid(none[i]))
            fail_msg("'%s' is not JSON", none[i]);
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t depth = 1999; depth <= 2001; depth++) {
        struct pm_str text = PM_STR_INIT;
        for (size_t i = 0; i < depth; i++)
            pm_str_add_char(&text, '[');
        for (size_t i = 0; i < depth; i++)
            pm_str_add_char(&text, ']');
        assert_int_equal(pm_json_is_valid(text.data), depth <= 2000);
        pm_str_release(&text);
    }
}

/* Random texts that are nearly JSON: jansson must be able to read each accepted text. */
static void test_against_jansson(void **state)
{
    enum { ROUNDS = 200000, MOST = 24 };
    static const char *const pieces[] = {
        "{",  "}",     "[",      "]",    ",",    ":",    "\"",
        "\\", "u",     "D83D",   "DE00", "0",    "1",    "9223372036854775807",
        ".",  "e",     "-",      "+",    "true", "null", " ",
        "a",  "\"a\"", "\"a\":", "e999", "\\n"};
    struct pm_random random;
    size_t agreed = 0;
    (void)state;
    pm_random_init(&random, "test_store_json", 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct pm_str text = PM_STR_INIT;
        const size_t count = 1 + pm_random_next(&random) % MOST;
        for (size_t i = 0; i < count; i++)
            pm_str_add(&text, pieces[pm_random_next(&random) % (sizeof pieces / sizeof *pieces)]);
        json_t *read = json_loads(text.data, JSON_DECODE_ANY, NULL);
        if (pm_json_is_valid(text.data) != (read != NULL))
            fail_msg("'%s': jansson %s", text.data, read ? "reads it" : "does not read it");
        agreed += read != NULL;
        json_decref(read);
        pm_str_release(&text);
    }
    assert_true(agreed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is),
        cmocka_unit_test(test_what_is_not),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_against_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
