/* Tests of exclusion files (functions that a sample must not contain) and of ranking files. */
#include "stores.h"

#include "base/alloc.h"
#include "base/file.h"
#include "survey/exclusions.h"
#include "survey/sampling.h"

/* Writes a text to a file in the test's folder; returns the path, which the caller frees. */
static char *write_file(struct stored *s, const char *text)
{
    char *path = pm_path_join(s->folder, "file");
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
    return path;
}

static int read(struct stored *s, const char *text, struct exclusions *list)
{
    char *path = write_file(s, text);
    *list = (struct exclusions){0};
    const int rc = pm_survey__exclusions_read(list, path, &s->err);
    free(path);
    if (rc)
        pm_survey__exclusions_release(list);
    return rc;
}

static void check_item(const struct exclusions *list, size_t i, const char *name,
                       enum pm_criterion criterion, const char *why)
{
    assert_true(i < list->count);
    assert_string_equal(list->items[i].name, name);
    assert_int_equal(list->items[i].criterion, criterion);
    if (why)
        assert_string_equal(list->items[i].why, why);
    else
        assert_null(list->items[i].why);
}

/* ---- lines and JSON ---------------------------------------------------------------------------
 */

static void test_one_exclusion_a_line(void **state)
{
    struct stored *s = *state;
    struct exclusions list;
    assert_ok(s, read(s,
                      "# comment = no test\n\n"
                      "  torch.a = no test: only in a tutorial\r\n"
                      "torch.b=absent\n"
                      "torch.c = other version only:  \n",
                      &list));
    assert_int_equal(list.count, 3);
    check_item(&list, 0, "torch.a", PM_CRITERION_NO_TEST, "only in a tutorial");
    check_item(&list, 1, "torch.b", PM_CRITERION_ABSENT, NULL);
    check_item(&list, 2, "torch.c", PM_CRITERION_OTHER_VERSION, NULL);
    pm_survey__exclusions_release(&list);
}

static void test_or_a_json_list(void **state)
{
    struct stored *s = *state;
    struct exclusions list;
    assert_ok(s,
              read(s,
                   "\n [{\"name\": \"torch.a\", \"criterion\": \"not callable\"},"
                   "{\"name\": \"torch.b\", \"criterion\": \"no test\", \"why\": \"two\\nlines\"}]",
                   &list));
    assert_int_equal(list.count, 2);
    check_item(&list, 0, "torch.a", PM_CRITERION_NOT_CALLABLE, NULL);
    check_item(&list, 1, "torch.b", PM_CRITERION_NO_TEST, "two lines");
    pm_survey__exclusions_release(&list);
}

static void test_the_first_word_counts(void **state)
{
    struct exclusions list = {0};
    (void)state;
    assert_true(pm_survey__exclusions_add(&list, "torch.a", PM_CRITERION_ABSENT, "gone"));
    assert_false(pm_survey__exclusions_add(&list, "torch.a", PM_CRITERION_NO_TEST, NULL));
    assert_int_equal(list.count, 1);
    check_item(&list, 0, "torch.a", PM_CRITERION_ABSENT, "gone");
    pm_survey__exclusions_release(&list);
}

static void test_what_is_wrong_is_named_with_its_place(void **state)
{
    static const char *const rows[][2] = {
        {"torch.a = no test\ntorch.b\n", "line 2: "},
        {"= no test\n", "line 1: "},
        {"\r\r= no test\n", "line 1: "},
        {"torch.a = nonsense\n", "line 1: unknown criterion 'nonsense': use one of no test, "},
        {"torch.a = no test\n\ntorch.a = absent\n", "line 3: function 'torch.a' is excluded twice"},
        {"{}", "not a JSON list"},
        {"[{\"name\": \"a\"}]", "item 1 has no 'criterion'"},
        {"[{\"criterion\": \"absent\"}]", "item 1 has no 'name'"},
        {"[{\"name\": \"a\", \"criterion\": \"absent\"}, 7]", "item 2 has no 'name'"},
        {"[{\"name\": \"a\", \"criterion\": \"x\"}]", "item 1: unknown criterion 'x'"},
        {"[{\"name\": \"a\\u0001\", \"criterion\": \"absent\"},"
         " {\"name\": \"a\\u0002\", \"criterion\": \"absent\"}]",
         "item 2: function 'a ' is excluded twice"}, /* as lines, the names are equal */
        {"[{\"name\": 3, \"criterion\": \"absent\"}]", "item 1 has no 'name'"},
        {"[", "line 1, column 1"},
    };
    struct stored *s = *state;
    struct exclusions list;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_refused(s, read(s, rows[i][0], &list), PM_EFORMAT, rows[i][1]);
    assert_refused(s, pm_survey__exclusions_read(&list, "/nowhere", &s->err), PM_EIO, "--exclude");
}

/* ---- rankings ---------------------------------------------------------------------------------
 */

static int rank(struct stored *s, const char *text, enum pm_rule rule, struct sampling *d)
{
    char *path = write_file(s, text);
    const struct pm_sample_options options = {.framework = "pytorch", .ranking = path};
    *d = (struct sampling){.options = &options, .rule = rule};
    const int rc = pm_survey__sampling_read_ranking(d, &s->err);
    d->options = NULL;
    json_decref(d->ranking_digest);
    free(path);
    return rc;
}

static void test_a_ranking_is_of_names_as_its_rule_has_them(void **state)
{
    struct stored *s = *state;
    struct sampling d;
    assert_ok(s, rank(s, "{\"torch.add\": 5, \"torch.cat\": 9}", PM_RULE_RESOLVED, &d));
    assert_int_equal(d.ranking.count, 2);
    assert_string_equal(d.ranking.items[0].name, "torch.cat");
    pm_ranking_release(&d.ranking);
    assert_ok(s, rank(s, "{\"add\": 5}", PM_RULE_PAPER, &d));
    pm_ranking_release(&d.ranking);
    assert_refused(s, rank(s, "{\"add\": 5}", PM_RULE_RESOLVED, &d), PM_EUSAGE, "--rule paper");
    pm_ranking_release(&d.ranking);
    assert_refused(s, rank(s, "{\"torch.add\": 5}", PM_RULE_PAPER, &d), PM_EUSAGE,
                   "--rule resolved");
    pm_ranking_release(&d.ranking);
}

static void test_a_ranking_that_is_none_is_refused(void **state)
{
    struct stored *s = *state;
    struct sampling d;
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"torch.a\": -1}",
                                        "{\"torch.a\": \"1\"}",
                                        "{\"\": 1}",
                                        "{\"torch.a\": 1, \"torch.a\": 2}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_refused(s, rank(s, texts[i], PM_RULE_RESOLVED, &d), PM_EFORMAT, "--ranking");
        pm_ranking_release(&d.ranking);
    }
    const struct pm_sample_options options = {.ranking = "/nowhere"};
    d = (struct sampling){.options = &options};
    assert_refused(s, pm_survey__sampling_read_ranking(&d, &s->err), PM_EIO, "--ranking");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_one_exclusion_a_line),
        STORED_TEST(test_or_a_json_list),
        STORED_TEST(test_the_first_word_counts),
        STORED_TEST(test_what_is_wrong_is_named_with_its_place),
        STORED_TEST(test_a_ranking_is_of_names_as_its_rule_has_them),
        STORED_TEST(test_a_ranking_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
