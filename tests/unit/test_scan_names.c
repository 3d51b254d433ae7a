/* Tests of the names that a scan counts from an inventory: brief names, aliases, places of
 * definition, inherited methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "environment/environment.h"
#include "survey/scan.h"

static const char document[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 1, \"framework\": \"tensorflow\","
    " \"framework_version\": \"1\", \"python\": \"3\", \"root\": \"tensorflow\", \"short\": \"tf\","
    " \"private\": [], \"foreign\": [], \"unread\": [], \"functions\": ["
    "{\"name\": \"tf.add\", \"kind\": \"function\", \"aliases\": [\"tf.math.add\", "
    "\"tf.compat.v2.add\"],"
    " \"defined\": \"tf.python.ops.math_ops.add\", \"bases\": [],"
    " \"elsewhere\": [\"tf.python.ops.standard_ops.add\", \"tf.compat.v1.placeholder\"]},"
    "{\"name\": \"tf.compat.v1.placeholder\", \"kind\": \"function\", \"aliases\": [],"
    " \"bases\": []},"
    "{\"name\": \"tf.Layer\", \"kind\": \"class\", \"aliases\": [\"tf.compat.Layer\","
    " \"tf.compat.v2.Layer\"], \"defined\": \"keras.src.Layer\", \"bases\": [],"
    " \"elsewhere\": [\"tf.python.layers.Layer\"]},"
    "{\"name\": \"tf.Layer.build\", \"kind\": \"method\", \"aliases\": [], \"bases\": []},"
    "{\"name\": \"tf.Layer.call\", \"kind\": \"method\", \"aliases\": [], \"bases\": []},"
    "{\"name\": \"tf.LayerNorm\", \"kind\": \"class\", \"aliases\": [\"tf.nn.LayerNorm\"],"
    " \"bases\": [\"tf.Layer\"]},"
    "{\"name\": \"tf.LayerNorm.call\", \"kind\": \"method\", \"aliases\": [], \"bases\": []}]}";

/* An inventory with the results of calls and the members of classes. */
static const char typed[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 2, \"framework\": \"tensorflow\","
    " \"framework_version\": \"1\", \"python\": \"3\", \"root\": \"tensorflow\", \"short\": \"tf\","
    " \"private\": [], \"foreign\": [], \"unread\": [], \"functions\": ["
    "{\"name\": \"tf.Tensor\", \"kind\": \"class\", \"aliases\": [], \"bases\": [],"
    " \"returns\": \"array\"},"
    "{\"name\": \"tf.Tensor.view\", \"kind\": \"method\", \"aliases\": [], \"bases\": [],"
    " \"returns\": \"array\"},"
    "{\"name\": \"tf.Variable\", \"kind\": \"class\", \"aliases\": [\"tf.old.Variable\"],"
    " \"bases\": [\"tf.Tensor\"], \"returns\": \"array\"},"
    "{\"name\": \"tf.Variable.assign\", \"kind\": \"method\", \"aliases\": [], \"bases\": [],"
    " \"returns\": \"array\", \"class\": \"self\"},"
    "{\"name\": \"tf.Function\", \"kind\": \"class\", \"aliases\": [], \"bases\": [],"
    " \"returns\": \"other\"},"
    "{\"name\": \"tf.add\", \"kind\": \"function\", \"aliases\": [], \"bases\": [],"
    " \"returns\": \"array\"}],"
    " \"attributes\": [{\"name\": \"tf.Context.saved\", \"aliases\": [\"tf.Function.saved\"],"
    " \"returns\": \"array\"}, {\"name\": \"tf.Tensor.T\", \"aliases\": [], \"returns\": \"array\","
    " \"class\": \"tf.Variable\"}]}";

struct counted {
    struct scan_framework framework;
    struct pm_resolve_names *names;
    struct pm_corpus_result *result;
    char *folder;
};

static struct counted scan_text(const char *text, struct pm_error *err)
{
    struct counted c = {.framework = {.of = pm_framework_find("tensorflow")},
                        .names = pm_resolve_names_new()};
    const struct pm_corpus_options options = {.threads = 1};
    assert_int_equal(
        pm_inventory_parse(document, strlen(document), &c.framework.item.inventory, err), PM_OK);
    pm_survey__scan_add_names(c.names, &c.framework, true);
    assert_int_equal(pm_folder_scratch(&c.folder, err), PM_OK);
    char *path = pm_path_join(c.folder, "a.py");
    assert_int_equal(pm_file_write(path, text, strlen(text), err), PM_OK);
    const char *folder = c.folder;
    assert_int_equal(pm_corpus_scan(&folder, 1, c.names, &options, &c.result, err), PM_OK);
    free(path);
    return c;
}

static void forget(struct counted *c, struct pm_error *err)
{
    pm_stored_inventory_release(&c->framework.item);
    pm_corpus_result_free(c->result);
    pm_resolve_names_free(c->names);
    assert_int_equal(pm_folder_remove(c->folder, err), PM_OK);
    free(c->folder);
}

/* Asserts the calls found in a text, as "name calls" in the order of names. */
static void assert_calls(const char *text, const char *expected)
{
    struct pm_error err;
    struct pm_str got = PM_STR_INIT;
    struct counted c = scan_text(text, &err);
    const struct pm_corpus_framework *in = &c.result->frameworks[0];
    for (size_t i = 0; i < in->function_count; i++)
        if (in->functions[i].calls)
            pm_str_addf(&got, "%s %d\n",
                        pm_survey__scan_canonical(&c.framework, in->functions[i].name),
                        (int)in->functions[i].calls);
    assert_string_equal(got.data, expected);
    pm_str_release(&got);
    forget(&c, &err);
}

static void test_paths(void **state)
{
    (void)state;
    assert_calls("import tensorflow as tf\ntf.add(1)\n", "tf.add 1\n");
    assert_calls("import tensorflow\ntensorflow.math.add(1)\n", "tf.add 1\n");
    assert_calls("from tensorflow.python.ops import math_ops\nmath_ops.add(1)\n", "tf.add 1\n");
    assert_calls("from tensorflow.python.ops import standard_ops as o\no.add(1)\n", "tf.add 1\n");
    assert_calls("from tensorflow.python.layers import Layer\nLayer.call(1)\n",
                 "tf.Layer.call 1\n");
    assert_calls("from tensorflow import *\nmath.add(1); compat.Layer(2)\n",
                 "tf.Layer 1\ntf.add 1\n");
    assert_calls("import tf\ntf.add(1)\n", "");
}

static void test_older_releases(void **state)
{
    (void)state;
    assert_calls("import tensorflow as tf\ntf.placeholder(1)\ntf.compat.v1.placeholder(2)\n"
                 "tf.compat.v1.compat.v1.placeholder(3)\ntf.v1.placeholder(4)\n",
                 "tf.compat.v1.placeholder 3\n");
}

static void test_a_module_that_offers_most_of_the_top(void **state)
{
    (void)state;
    assert_calls("import tensorflow.compat.v2 as tf\ntf.add(1)\ntf.math.add(2)\n"
                 "tf.compat.v1.placeholder(3)\ntf.compat.v2.compat.v1.placeholder(4)\n",
                 "tf.add 2\ntf.compat.v1.placeholder 2\n");
    assert_calls("import tensorflow.nn as tf\ntf.compat.v1.placeholder(1)\n", "");
}

static void test_methods(void **state)
{
    (void)state;
    assert_calls("import tensorflow as tf\ntf.compat.Layer.call(1)\n", "tf.Layer.call 1\n");
    assert_calls("import tensorflow as tf\ntf.LayerNorm.build(1)\n", "tf.Layer.build 1\n");
    assert_calls("import tensorflow as tf\ntf.nn.LayerNorm.build(1)\n", "tf.Layer.build 1\n");
    assert_calls("import tensorflow as tf\ntf.nn.LayerNorm.call(1)\n", "tf.LayerNorm.call 1\n");
}

/* Appends the line and the name of an inferred use. */
static void add_place(void *ctx, const struct pm_corpus_place *place)
{
    if (place->how == PM_RESOLVE_HOW_INFERRED)
        pm_str_addf(ctx, "%u %s\n", place->line, place->function);
}

/* By the inventory, the inherited attribute T of a variable is a variable. Attributes that a class
 * inherits from one that is not public (as ctx.saved_tensors of PyTorch) also have their type. */
static void test_types(void **state)
{
    static const char text[] = "import tensorflow as tf\n"
                               "tf.add(1).view(2)\n"
                               "v = tf.old.Variable(3)\n"
                               "v.T.assign(4).assign(5).view(6)\n"
                               "v.T.lost.view(7)\n"
                               "tf.Variable(8).T.assign(9)\n"
                               "tf.Function().saved.view(10)\n";
    struct pm_error err;
    struct scan_framework framework = {.of = pm_framework_find("tensorflow")};
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_str got = PM_STR_INIT;
    const struct pm_corpus_options options = {.take = add_place, .take_ctx = &got};
    struct pm_corpus_result *result;
    char *folder;
    (void)state;
    assert_int_equal(pm_inventory_parse(typed, strlen(typed), &framework.item.inventory, &err),
                     PM_OK);
    pm_survey__scan_add_names(names, &framework, true);
    assert_int_equal(pm_folder_scratch(&folder, &err), PM_OK);
    char *path = pm_path_join(folder, "a.py");
    assert_int_equal(pm_file_write(path, text, strlen(text), &err), PM_OK);
    const char *input = path;
    assert_int_equal(pm_corpus_scan(&input, 1, names, &options, &result, &err), PM_OK);
    assert_string_equal(got.data, "2 tensorflow.Tensor.view\n"
                                  "4 tensorflow.Variable.assign\n"
                                  "4 tensorflow.Variable.assign\n"
                                  "4 tensorflow.Tensor.view\n"
                                  "6 tensorflow.Variable.assign\n"
                                  "7 tensorflow.Tensor.view\n");
    pm_str_release(&got);
    pm_corpus_result_free(result);
    pm_resolve_names_free(names);
    pm_stored_inventory_release(&framework.item);
    assert_int_equal(pm_folder_remove(folder, &err), PM_OK);
    free(path);
    free(folder);
}

static void test_flat_names(void **state)
{
    (void)state;
    struct pm_error err;
    struct pm_str got = PM_STR_INIT;
    struct counted c = scan_text("import tensorflow\n", &err);
    for (size_t i = 0; i < c.result->frameworks[0].name_count; i++)
        pm_str_addf(&got, "%s ", c.result->frameworks[0].names[i].name);
    assert_string_equal(got.data, "Layer LayerNorm add placeholder ");
    pm_str_release(&got);
    forget(&c, &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_older_releases),
        cmocka_unit_test(test_a_module_that_offers_most_of_the_top),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_flat_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
