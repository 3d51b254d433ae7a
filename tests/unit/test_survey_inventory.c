/* Tests of recording an inventory, of comparing it with an older list, and of printing both. */
#include "stores.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "environment/environment.h"
#include "inventory/stored.h"
#include "survey/survey.h"

static char *write_file(struct stored *s, const char *name, const char *text)
{
    char *path = pm_path_join(s->folder, name);
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
    return path;
}

/* Adds an environment 'jax' whose interpreter is a script: it reports that it has jax, and writes
 * stored_jax as its inventory. */
static void add_environment(struct stored *s)
{
    char *document = write_file(s, "document", stored_jax);
    char *script =
        pm_format("#!/bin/sh\ncase $1 in -V) echo 'Python 3.11.2' ;; *inventory.py) cat '%s' > "
                  "\"$3\" ;; *look.py) echo '{\"executable\": \"'$0'\", \"python\": \"3.11.2\", "
                  "\"modules\": {\"jax\": \"1.0\", \"jaxlib\": \"1.0\"}, \"folders\": {}}' ;; "
                  "esac\n",
                  document);
    char *python = write_file(s, "python", script);
    chmod(python, 0755);
    assert_ok(s, pm_environment_add("jax", "jax", python, NULL, 0, &s->err));
    free(python);
    free(script);
    free(document);
}

static struct pm_inventory_options begin(struct stored *s)
{
    char *data = pm_path_join(s->folder, "data");
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", "/usr/bin:/bin", 1); /* the script calls cat */
    free(data);
    return (struct pm_inventory_options){.db = s->db, .framework = "jax", .format = PM_FORMAT_TEXT};
}

static int run(struct stored *s, const struct pm_inventory_options *o)
{
    const struct pm_messages messages = {.out = tmpfile()};
    stored_close(s);
    const int rc = pm_survey_inventory(o, &messages, &s->err);
    fclose(messages.out);
    return rc;
}

static char *print(struct stored *s, const struct pm_inventory_options *o)
{
    stored_catch_stdout(s);
    const int rc = run(s, o);
    char *text = stored_caught(s);
    assert_ok(s, rc);
    stored_open(s);
    return text;
}

static void test_a_walk_is_recorded_and_counted_by_kind(void **state)
{
    struct stored *s = *state;
    struct pm_inventory_options o = begin(s);
    struct pm_stored_inventory item;
    add_environment(s);
    o.format = PM_FORMAT_MARKDOWN;
    char *text = print(s, &o);
    assert_has(text, "Inventory of jax 1.0");
    assert_has(text, "environment 'jax', Python 3.11.7");
    assert_has(text, "| function | 3 | 1 |");
    assert_has(text, "| class | 1 | 0 |");
    assert_has(text, "| method | 1 | 0 |");
    assert_has(text, "| all | 5 | 1 |");
    assert_has(text, "| jax.tpu | no TPU |"); /* could not be imported */
    free(text);
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, 1);
    pm_stored_inventory_release(&item);
}

static void test_json_has_every_name(void **state)
{
    struct stored *s = *state;
    struct pm_inventory_options o = begin(s);
    add_environment(s);
    o.format = PM_FORMAT_JSON;
    char *text = print(s, &o);
    assert_has(text, "\"entries\"");
    assert_has(text, "\"jax.plus\"");
    free(text);
    o.format = PM_FORMAT_TEXT;
    text = print(s, &o);
    assert_lacks(text, "jax.plus");
    free(text);
}

static void test_an_older_list_is_compared_with_it(void **state)
{
    struct stored *s = *state;
    struct pm_inventory_options o = begin(s);
    add_environment(s);
    char *older = write_file(s, "older.json", "[\"add\", \"sum\", \"secret\", \"ones\", \"lost\"]");
    o.against = older;
    o.format = PM_FORMAT_MARKDOWN;
    char *text = print(s, &o);
    assert_has(text, "| kept | 1 |");    /* add */
    assert_has(text, "| method | 1 |");  /* sum */
    assert_has(text, "| private | 1 |"); /* secret */
    assert_has(text, "| foreign | 1 |"); /* ones */
    assert_has(text, "| gone | 1 |");    /* lost */
    assert_has(text, "| new | 4 |");     /* Array, jit, plus, sort */
    assert_lacks(text, "| lost |");
    free(text);
    o.status = "gone";
    text = print(s, &o);
    assert_has(text, "| lost | gone |");
    assert_lacks(text, "| sum |");
    free(text);
    free(older);
}

static void test_a_flat_list_is_recorded_in_the_place_of_a_walk(void **state)
{
    struct stored *s = *state;
    struct pm_inventory_options o = begin(s);
    struct pm_stored_inventory item;
    char *flat = write_file(s, "flat.json", "[\"add\", \"jit\"]"), *output;
    o.flat = flat;
    o.format = PM_FORMAT_MARKDOWN;
    o.output = output = pm_path_join(s->folder, "report.md");
    assert_text(print(s, &o), "");
    struct pm_str text = PM_STR_INIT;
    assert_ok(s, pm_file_read(output, &text, &s->err));
    assert_has(text.data, "Flat list of jax");
    assert_has(text.data, "| bare | 2 |");
    pm_str_release(&text);
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_true(item.inventory.flat);
    pm_stored_inventory_release(&item);
    free(flat);
    free(output);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
    struct stored *s = *state;
    struct pm_inventory_options o = begin(s);
    o.status = "lost";
    assert_refused(s, run(s, &o), PM_EUSAGE, "one of kept, ");
    o.status = "gone";
    assert_refused(s, run(s, &o), PM_EUSAGE, "--against");
    o.status = NULL;
    o.framework = "caffe";
    assert_refused(s, run(s, &o), PM_EUSAGE, "'caffe'");
    o.framework = "jax";
    o.flat = "x";
    o.environment = "jax";
    assert_refused(s, run(s, &o), PM_EUSAGE, "--environment");
    o.environment = NULL;
    o.flat = "/nowhere";
    assert_refused(s, run(s, &o), PM_EIO, "/nowhere");
    o.flat = NULL;
    o.against = "/nowhere";
    assert_refused(s, run(s, &o), PM_EIO, "/nowhere");
    o.against = NULL;
    o.environment = "nowhere";
    assert_refused(s, run(s, &o), PM_EUSAGE, "'nowhere'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_a_walk_is_recorded_and_counted_by_kind),
        STORED_TEST(test_json_has_every_name),
        STORED_TEST(test_an_older_list_is_compared_with_it),
        STORED_TEST(test_a_flat_list_is_recorded_in_the_place_of_a_walk),
        STORED_TEST(test_what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
