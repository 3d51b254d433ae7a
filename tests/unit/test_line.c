/* Tests that text from outside is made safe for a terminal (lines, errors, parts of lines), and
 * that patterns that need too much time or memory are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/line.h"
#include "base/pattern.h"
#include "base/str.h"

/* The first and the last character of each range are replaced; their neighbours stay. */
static void test_line__is_safe_for_a_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } rows[] = {
        {"", ""},
        {"\x01 \x1f!\x7f~", "   ! ~"},
        {"\xc2\x80\xc2\x9f\xc2\xa0", "  \xc2\xa0"},        /* C1; no-break space */
        {"\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b \xd8\x9d"}, /* U+061B to U+061D */
        {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90",
         "\xe2\x80\x8d  \xe2\x80\x90"}, /* U+200D to U+2010 */
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
         "\xe2\x80\xa7    \xe2\x80\xaf"}, /* U+2027 to U+202F */
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
         "\xe2\x81\xa5  \xe2\x81\xaa"}, /* U+2065 to U+206A */
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xf4\x90\x80\x80\xe2\x80", "??????"}, /* over U+10FFFF; cut */
        {"two\r\nlines", "two lines"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        strcpy(text, rows[i].text);
        assert_string_equal(pm_line_clean(text), rows[i].line);
        assert_string_equal(pm_line_clean(text), rows[i].line);
    }
}

static void test_utf8__is_told_from_other_bytes(void **state)
{
    (void)state;
    static const char *const valid[] = {"", "abc", "gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x98\x80"};
    static const char *const invalid[] = {"a\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80",
                                          "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(pm_is_utf8(valid[i], strlen(valid[i])));
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
        assert_false(pm_is_utf8(invalid[i], strlen(invalid[i])));
    assert_true(pm_is_utf8("a\0b", 3));
}

static void test_line__prints_one(void **state)
{
    (void)state;
    char *printed = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&printed, &length);
    pm_line_print(out, "no such table '%s'", "a\nb\x1b[2J");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(printed, "no such table 'a b [2J'\n");
    free(printed);
}

static void test_error__texts_are_safe_for_a_terminal(void **state)
{
    (void)state;
    struct pm_error err;
    pm_error_set(&err, PM_EUSAGE, "no table '%s'", "\x1b[31m\nred");
    assert_string_equal(err.text, "no table ' [31m red'");
    pm_error_prefix(&err, PM_EUSAGE, "'%s'",
                    "\xe2\x80\xae"
                    "a");
    assert_string_equal(err.text, "' a': no table ' [31m red'");
    errno = ENOENT;
    (void)pm_error_errno(&err, "cannot open '%.2s'", "a\xe2\x82\xac");
    assert_string_equal(err.text, "cannot open 'a?': No such file or directory: check the path");
    assert_int_equal(errno, ENOENT);
}

static void test_str__lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t max;
        const char *line;
    } rows[] = {
        {"one\ntwo\r\nthree\tfour", 100, "one two three four"},
        {"\x1b[31mred\x7f", 100, " [31mred "},
        {"gr\xc3\xbc\xc3\x9f", 100, "gr\xc3\xbc\xc3\x9f"},
        {"gr\xc3\xbc\xc3\x9f", 5, "gr\xc3\xbc..."}, /* not cut within a character */
        {"bad \xff\xc3 \xc0\x80 \xed\xa0\x80", 100, "bad ?? ?? ???"},
        {"abcdef", 6, "abcdef"},
        {"abcdef", 5, "abcde..."},
        {"\xe2\x82", 100, "??"}, /* a character cut by the end */
        {"\xc2\x9b", 100, " "},  /* a terminal's control sequence introducer */
        {"a\xe2\x80\xaetxt\xe2\x81\xa9", 100, "a txt "}, /* right-to-left override, isolate's end */
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9"
         "c",
         5, "a b c"}, /* separators, one byte each in the line */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_str s = PM_STR_INIT;
        pm_line_add(&s, rows[i].text, rows[i].max);
        assert_string_equal(s.data, rows[i].line);
        pm_str_release(&s);
    }
}

static void test_pattern__is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool found;
    } good[] = {
        {"must match|not compatible", "sizes must match", true},
        {"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}", "at 2024-12-31 23:59:58", true},
        {"(ab{2,}){3}", "abbabbb", false},
        {"a{,3}b\\{", "b{", true},
        {"(a)+(b)+(c)+(d)+(e)+(f)+(g)+(h)+(i)+(j)+(k)+(l)+(m)+(n)+", "abcdefghijklmn", true},
        {"C\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+", "C++++++++++++++", true},
        {"[]+(]{1000}|[^]]{1000}|[[:digit:]+]{1000}|[[.(.]]{1000}|x", "x", true},
    };
    char bad[] =
        "(3 x{5001} ((a{1,99}){99}){99} a{99}{99} a{99}*{99} x{18446744073709551617} (a*)\\1 "
        "a++++++++++++++ ((((((((((((((a)+)+)+)+)+)+)+)+)+)+)+)+)+)+ (a++++++++++++++[ "
        "a{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,} ([(]{99}[[:digit:](]){99} "
        "(a*)* a?{2,28} 34??*?{1,34}3 (b|a?)+ (^|$){2}";
    regex_t regex;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(pm_pattern_init(&regex, good[i].pattern, NULL), PM_OK);
        assert_int_equal(regexec(&regex, good[i].text, 0, NULL, 0) == 0, good[i].found);
        regfree(&regex);
    }
    for (const char *at = strtok(bad, " "); at; at = strtok(NULL, " "))
        if (pm_pattern_init(&regex, at, NULL) == PM_OK)
            fail_msg("accepted: %s", at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line__is_safe_for_a_terminal),
        cmocka_unit_test(test_utf8__is_told_from_other_bytes),
        cmocka_unit_test(test_line__prints_one),
        cmocka_unit_test(test_error__texts_are_safe_for_a_terminal),
        cmocka_unit_test(test_str__lines),
        cmocka_unit_test(test_pattern__is_bounded),
    };
    return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
