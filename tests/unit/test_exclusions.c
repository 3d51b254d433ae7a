/* Files of exclusions: what is read, and how a line or an item that is wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "survey/exclusions.h"

static int read_text(const char *text, struct exclusions *list, struct pm_error *err)
{
    char *folder, *path;
    *list = (struct exclusions){0};
    assert_int_equal(pm_folder_scratch(&folder, err), PM_OK);
    path = pm_path_join(folder, "excluded");
    assert_int_equal(pm_file_write(path, text, strlen(text), err), PM_OK);
    const int rc = pm_survey__exclusions_read(list, path, err);
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    free(path);
    free(folder);
    return rc;
}

static void test_lines_and_items(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "# functions\n torch.a = no test: only in a tutorial \r\n\ntorch.b=absent\n",
        "[{\"name\": \"torch.a\", \"criterion\": \"no test\", \"why\": \"only in a tutorial\"},"
        " {\"name\": \"torch.b\", \"criterion\": \"absent\"}]"};
    for (size_t i = 0; i < 2; i++) {
        struct exclusions list;
        struct pm_error err = {""};
        if (read_text(texts[i], &list, &err))
            fail_msg("%s", err.text);
        assert_int_equal(list.count, 2);
        assert_string_equal(list.items[0].name, "torch.a");
        assert_int_equal(list.items[0].criterion, PM_CRITERION_NO_TEST);
        assert_string_equal(list.items[0].why, "only in a tutorial");
        assert_string_equal(list.items[1].name, "torch.b");
        assert_null(list.items[1].why);
        pm_survey__exclusions_release(&list);
    }
}

static void test_what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"torch.a = no test\ntorch.a = absent\n", "line 2: function 'torch.a' is excluded twice"},
        {"torch.a\n", "line 1: "},
        {"= absent\n", "line 1: "},
        {"torch.a = boring\n", "line 1: unknown criterion 'boring'"},
        {"[{\"name\": \"a\\u0001\", \"criterion\": \"absent\"},"
         " {\"name\": \"a\\u0002\", \"criterion\": \"absent\"}]",
         "item 2: function 'a ' is excluded twice"},
        {"[{\"name\": 3, \"criterion\": \"absent\"}]", "item 1: \"name\" is required"},
        {"[3]", "item 1: \"name\" is required"},
        {"{}", "not a JSON list"},
        {"[", "line 1, column 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct exclusions list;
        struct pm_error err = {""};
        assert_int_equal(read_text(rows[i].text, &list, &err), PM_EFORMAT);
        if (!strstr(err.text, rows[i].why))
            fail_msg("'%s' does not say '%s'", err.text, rows[i].why);
        pm_survey__exclusions_release(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_and_items),
        cmocka_unit_test(test_what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
