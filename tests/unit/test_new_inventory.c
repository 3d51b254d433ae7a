/* Tests of recording inventories: which environment is used, and what is stored about the walk. */
#include "stores.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "survey/new_inventory.h"

static char jax[] = "jax", pytorch[] = "pytorch", old[] = "old", new[] = "new", torch[] = "torch",
            made_by_script[] = "made";

static struct pm_environment environments[] = {
    {.name = old, .framework = jax},
    {.name = torch, .framework = pytorch},
    {.name = new, .framework = jax},
    {.name = pytorch, .framework = jax}, /* a name that misleads */
};
static const struct pm_environments list = {.items = environments, .count = 4};

static void test_which_environment_has_a_framework(void **state)
{
    struct stored *s = *state;
    const struct pm_environment *found;
    assert_ok(s, pm_environments_choose(&list, "jax", NULL, &found, &s->err));
    assert_string_equal(found->name, "old"); /* the first that has the framework */
    assert_ok(s, pm_environments_choose(&list, "pytorch", NULL, &found, &s->err));
    assert_string_equal(found->name, "torch");
    assert_ok(s, pm_environments_choose(&list, "jax", "new", &found, &s->err));
    assert_string_equal(found->name, "new");
    environments[2].name = jax; /* an environment named after the framework comes first */
    assert_ok(s, pm_environments_choose(&list, "jax", NULL, &found, &s->err));
    assert_ptr_equal(found, &environments[2]);
    environments[2].name = new;
}

static void test_an_environment_that_is_not_there_says_what_to_do(void **state)
{
    struct stored *s = *state;
    const struct pm_environment *found;
    const struct pm_environments none = {0};
    assert_refused(s, pm_environments_choose(&list, "jax", "other", &found, &s->err), PM_EUSAGE,
                   "'other'");
    assert_refused(s, pm_environments_choose(&list, "jax", "torch", &found, &s->err), PM_EUSAGE,
                   "'pytorch' instead of 'jax'");
    assert_refused(s, pm_environments_choose(&none, "pytorch", NULL, &found, &s->err), PM_ENOTFOUND,
                   "env create pytorch");
    assert_refused(s, pm_environments_choose(&none, "null", NULL, &found, &s->err), PM_ENOTFOUND,
                   "env add null");
}

/* Returns an environment whose interpreter is a shell script: `body` writes to the file $3. */
static struct pm_environment scripted(struct stored *s, const char *body)
{
    char *path = pm_path_join(s->folder, "python"), *text = pm_format("#!/bin/sh\n%s\n", body);
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
    chmod(path, 0755);
    free(text);
    return (struct pm_environment){.name = made_by_script, .framework = jax, .python = path};
}

static int walk(struct stored *s, const char *body, struct pm_stored_inventory *item)
{
    const struct pm_messages messages = {.out = tmpfile()};
    struct pm_environment environment = scripted(s, body);
    const int rc = pm_survey__new_inventory(s->store, &environment, &messages, item, &s->err);
    fclose(messages.out);
    free(environment.python);
    return rc;
}

static void test_a_walk_is_stored(void **state)
{
    struct stored *s = *state;
    struct pm_stored_inventory made, found;
    char *path = pm_path_join(s->folder, "document"), *body = pm_format("cat '%s' > \"$3\"", path);
    assert_ok(s, pm_file_write(path, stored_jax, strlen(stored_jax), &s->err));
    assert_ok(s, walk(s, body, &made));
    assert_string_equal(made.environment, "made");
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &found, &s->err));
    assert_int_equal(found.id, made.id);
    assert_string_equal(found.inventory.version, "1.0");
    pm_stored_inventory_release(&made);
    pm_stored_inventory_release(&found);
    free(body);
    free(path);
}

static void test_a_walk_that_fails_stores_nothing(void **state)
{
    struct stored *s = *state;
    struct pm_stored_inventory item;
    assert_refused(s, walk(s, "echo 'first'; echo 'ImportError: no jax' >&2; exit 1", &item),
                   PM_EIO, "ImportError: no jax");
    assert_refused(s, walk(s, "exit 0", &item), PM_EIO, "wrote nothing");
    assert_refused(s, walk(s, "echo '{}' > \"$3\"", &item), PM_EFORMAT, "");
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_which_environment_has_a_framework),
        STORED_TEST(test_an_environment_that_is_not_there_says_what_to_do),
        STORED_TEST(test_a_walk_is_stored),
        STORED_TEST(test_a_walk_that_fails_stores_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
