/* Tests of reading inventories, looking up names in them, and comparing them with older lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "inventory/inventory.h"

#define HEAD                                                                                       \
    "{\"schema\": \"portmeter-inventory\", \"version\": 1, \"framework\": \"tensorflow\","         \
    "\"framework_version\": \"2.0\", \"python\": \"3.11.7\", \"root\": \"tensorflow\","            \
    "\"short\": \"tf\", \"functions\": ["
#define ROW(name, kind, aliases, defined, bases)                                                   \
    "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"aliases\": [" aliases                      \
    "], \"defined\": \"" defined "\", \"bases\": [" bases                                          \
    "], \"deprecated\": false, \"examples\": true}"
#define TAIL(private, foreign, unread)                                                             \
    "], \"private\": [" private "], \"foreign\": [" foreign "], \"unread\": [" unread "]}"

static const char document[] = HEAD
    ROW("tf.Model", "class", "\"tf.compat.v2.Model\"", "", "\"tf.Layer\", \"tf.Module\"") "," ROW(
        "tf.add", "function", "\"tf.math.add\", \"tf.compat.v2.add\"", "tf.python.add",
        "") "," ROW("tf.compat.v1.add", "function", "", "",
                    "") "," ROW("tf.Layer", "class", "", "",
                                "\"tf.Module\"") "," ROW("tf.Module", "class", "", "",
                                                         "") "," ROW("tf.Module.name_scope",
                                                                     "method", "", "",
                                                                     "") "," ROW("tf.Layer.call",
                                                                                 "method", "", "",
                                                                                 "") "," ROW("tf."
                                                                                             "Model"
                                                                                             ".add",
                                                                                             "metho"
                                                                                             "d",
                                                                                             "", "",
                                                                                             "")
        TAIL("\"secret\"", "\"assertTrue\", \"secret\"",
             "{\"module\": \"tf.x\", \"error\": \"broken\"}");

/* Entries of format version 2: a class with a base, members of both, the results of calls, a value
 * of a module. */
#define ENTRY(name, kind, bases, more)                                                             \
    "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"aliases\": [], \"bases\": [" bases         \
    "]" more "}"
#define TYPED(functions, attributes)                                                               \
    "{\"schema\": \"portmeter-inventory\", \"version\": 2, \"framework\": \"pytorch\","            \
    "\"root\": \"torch\", \"short\": \"torch\", \"functions\": [" functions                        \
    "], \"attributes\": [" attributes "], \"private\": [], \"foreign\": [], \"unread\": []}"
#define TENSOR ENTRY("torch.Tensor", "class", "", ", \"returns\": \"array\"")
#define GRAD                                                                                       \
    "{\"name\": \"torch.Tensor.grad\", \"aliases\": [], \"returns\": \"array\","                   \
    "\"class\": \"torch.Tensor\"}"

static const char typed[] = TYPED(
    TENSOR "," ENTRY("torch.Tensor.add", "method", "",
                     ", \"returns\": \"array\", \"class\": \"self\"") "," //
    ENTRY("torch.Tensor.item", "method", "", "") ","                      //
    ENTRY("torch.Parameter", "class", "\"torch.Tensor\"", ", \"returns\": \"array\"") "," ENTRY(
        "torch.Parameter.item", "method", "",
        ", \"returns\": \"other\"") "," ENTRY("torch.Linear", "class", "",
                                              ", \"returns\": \"module\", \"calls\": \"array\""),
    GRAD ",{\"name\": \"torch.float32\", \"aliases\": [\"torch.float\"], \"class\": \"self\"}");

static struct pm_inventory parse(const char *text)
{
    struct pm_inventory inventory;
    struct pm_error err = {""};
    if (pm_inventory_parse(text, strlen(text), &inventory, &err))
        fail_msg("%s", err.text);
    return inventory;
}

static struct pm_inventory parse_flat(const char *text)
{
    struct pm_inventory inventory;
    struct pm_error err = {""};
    if (pm_inventory_parse_flat("tensorflow", text, strlen(text), &inventory, &err))
        fail_msg("%s", err.text);
    return inventory;
}

static void assert_means(const struct pm_inventory *inventory, const char *path, const char *name)
{
    const struct pm_entry *entry = pm_inventory_find(inventory, path);
    if (name ? !entry || strcmp(entry->name, name) : entry != NULL)
        fail_msg("'%s' means '%s' and not '%s'", path, entry ? entry->name : "nothing",
                 name ? name : "nothing");
}

static void test_document(void **state)
{
    (void)state;
    struct pm_inventory inventory = parse(document);
    assert_string_equal(inventory.framework, "tensorflow");
    assert_string_equal(inventory.version, "2.0");
    assert_string_equal(inventory.python, "3.11.7");
    assert_int_equal(inventory.count, 8);
    for (size_t i = 1; i < inventory.count; i++)
        assert_true(strcmp(inventory.entries[i - 1].name, inventory.entries[i].name) < 0);
    const struct pm_entry *entry = pm_inventory_find(&inventory, "tf.add");
    assert_int_equal(entry->kind, PM_NAME_FUNCTION);
    assert_int_equal(entry->alias_count, 2);
    assert_true(entry->examples && !entry->deprecated);
    assert_int_equal(inventory.unread_count, 1);
    assert_string_equal(inventory.unread[0].error, "broken");
    pm_inventory_release(&inventory);
    pm_inventory_release(&inventory);
}

static const struct pm_entry *class_of(const struct pm_inventory *inventory, const char *name)
{
    const struct pm_entry *class = pm_inventory_find(inventory, name);
    assert_non_null(class);
    return class;
}

static void test_values(void **state)
{
    (void)state;
    struct pm_inventory inventory = parse(typed);
    struct pm_member member;
    const struct pm_entry *linear = class_of(&inventory, "torch.Linear");
    assert_int_equal(linear->returns, PM_VALUE_MODULE);
    assert_int_equal(linear->calls, PM_VALUE_ARRAY);
    assert_false(pm_inventory_member(&inventory, linear, "add", &member));
    assert_true(
        pm_inventory_member(&inventory, class_of(&inventory, "torch.Parameter"), "add", &member));
    assert_string_equal(member.method->name, "torch.Tensor.add");
    assert_string_equal(member.method->returned_class, "self");
    assert_true(
        pm_inventory_member(&inventory, class_of(&inventory, "torch.Parameter"), "item", &member));
    assert_string_equal(member.method->name, "torch.Parameter.item");
    assert_int_equal(member.method->returns, PM_VALUE_OTHER);
    assert_int_equal(pm_inventory_find(&inventory, "torch.Tensor.item")->returns, PM_VALUE_UNKNOWN);
    assert_true(
        pm_inventory_member(&inventory, class_of(&inventory, "torch.Parameter"), "grad", &member));
    assert_null(member.method);
    assert_int_equal(member.attribute->value, PM_VALUE_ARRAY);
    assert_string_equal(member.attribute->value_class, "torch.Tensor");
    assert_null(pm_inventory_find(&inventory, "torch.Tensor.grad"));
    size_t count;
    assert_null(pm_inventory_bare(&inventory, "grad", &count));
    pm_inventory_release(&inventory);
}

static void test_find(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"tf.add", "tf.add"},
        {"tf.math.add", "tf.add"},
        {"tensorflow.add", "tf.add"},
        {"tensorflow.math.add", "tf.add"},
        {"tensorflow.compat.v2.add", "tf.add"},
        {"tensorflow.compat.v1.add", "tf.compat.v1.add"},
        {"tensorflow.python.add", "tf.add"},
        {"tensorflowx.add", NULL},
        {"tf", NULL},
        {"add", NULL},
        {"", NULL},
        {"tf.Model", "tf.Model"},
        {"tf.Model.add", "tf.Model.add"},
        {"tf.compat.v2.Model.add", "tf.Model.add"},
        {"tf.compat.v2.Model.call", "tf.Layer.call"},
        {"tf.Model.name_scope", "tf.Module.name_scope"},
        {"tf.Module.call", NULL},
        {"tf.add.call", NULL},
        {"tf.secret", NULL},
    };
    struct pm_inventory inventory = parse(document);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_means(&inventory, table[i][0], table[i][1]);
    pm_inventory_release(&inventory);
}

static void test_bare(void **state)
{
    (void)state;
    struct pm_inventory inventory = parse(document);
    size_t count;
    const struct pm_entry *const *entries = pm_inventory_bare(&inventory, "add", &count);
    assert_int_equal(count, 3);
    assert_string_equal(entries[0]->name, "tf.add");
    assert_string_equal(entries[1]->name, "tf.compat.v1.add");
    assert_string_equal(entries[2]->name, "tf.Model.add"); /* methods come last */
    assert_null(pm_inventory_bare(&inventory, "tf.add", &count));
    assert_int_equal(count, 0);
    pm_inventory_release(&inventory);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const table[][2] = {
        {"{}", "the document is not an inventory of version 1"},
        {HEAD TAIL("", "", ""), "inventory of 'tensorflow' lists no functions"},
        {HEAD ROW("", "class", "", "", "") TAIL("", "", ""), "a function without a name"},
        {HEAD ROW("tf.a", "module", "", "", "") TAIL("", "", ""), "has the unknown value 'module'"},
        {HEAD ROW("tf.a", "bare", "", "", "") TAIL("", "", ""), "has the unknown value 'bare'"},
        {HEAD ROW("tf.a", "class", "1", "", "") TAIL("", "", ""),
         "entry 1 of 'aliases' is not a name"},
        {HEAD ROW("tf.a", "class", "", "", "") "," ROW("tf.b", "class", "\"tf.a\"", "", "")
             TAIL("", "", ""),
         "name 'tf.a' means both 'tf.a' and 'tf.b'"},
        {HEAD ROW("tf.a", "class", "", "", "") "]}", "the inventory has no list 'private'"},
        {TYPED(ENTRY("torch.A", "class", "", ""), ""), "class 'torch.A' has no 'returns'"},
        {TYPED(ENTRY("torch.a", "function", "", ", \"returns\": \"tensor\""), ""),
         "'returns' of 'torch.a' has the unknown value 'tensor'"},
        {TYPED(ENTRY("torch.a", "function", "", ", \"returns\": 1"), ""),
         "'returns' of 'torch.a' has the unknown value ''"},
        {TYPED(ENTRY("torch.a", "function", "", ", \"class\": \"torch.B\""), ""),
         "'torch.a' names 'torch.B', which is not the canonical name of a class"},
        {TYPED(ENTRY("torch.a", "function", "", ", \"class\": 1"), ""),
         "'class' of 'torch.a' is not the name of a class"},
        {TYPED(ENTRY("torch.A", "class", "\"torch.B\"", ", \"returns\": \"other\""), ""),
         "'torch.A' names 'torch.B', which is not the canonical name of a class"},
        {TYPED(TENSOR, GRAD "," GRAD), "name 'torch.Tensor.grad' is listed twice"},
        {TYPED(TENSOR, "{\"name\": \"grad\", \"aliases\": []}"),
         "does not begin with a class or module"},
        {TYPED(TENSOR, "{\"name\": \"torch.b\"}"), "no list 'aliases'"},
        {"", "line 1"},
        {"{\"a\": 1", "line 1"},
        {"{\"a\": 1} 2", "end of file expected"},
        {"{\"a\": 1, \"a\": 2}", "duplicate object key"},
        {"{\"a\": \"\\x\"}", "invalid escape"},
        {"{\"a\": \"\xff\"}", "unable to decode byte"},
        {"{\"a\": \"b\n\"}", "unexpected newline"},
        {"{\"a\": \"b", "premature end of input"},
        {"{\"a\": 01}", "line 1"},
        {"{\"a\": 1.5}", "a fraction"},
        {"{\"a\": 123456789}", "more than 8 digits"},
        {"{\"a\": null}", "contains null"},
        {"[[[[[[[[[]]]]]]]]]", "more than 8 levels"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pm_inventory inventory;
        struct pm_error err = {""};
        assert_int_equal(pm_inventory_parse(table[i][0], strlen(table[i][0]), &inventory, &err),
                         PM_EFORMAT);
        if (!strstr(err.text, table[i][1]))
            fail_msg("'%s' lacks '%s'", err.text, table[i][1]);
    }
}

/* Escapes in the JSON are read, and spaces are ignored. */
static void test_texts(void **state)
{
    (void)state;
    struct pm_inventory inventory =
        parse_flat(" [ \"caf\\u00e9\" ,\n\"a\\\"b\\\\\",\"\xc3\xa9\", \"\\ud83d\\ude00\" ] ");
    assert_means(&inventory, "caf\xc3\xa9", "caf\xc3\xa9");
    assert_means(&inventory, "a\"b\\", "a\"b\\");
    assert_means(&inventory, "\xc3\xa9", "\xc3\xa9");
    assert_means(&inventory, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
    assert_int_equal(inventory.count, 4);
    pm_inventory_release(&inventory);
}

static void test_flat(void **state)
{
    (void)state;
    struct pm_inventory inventory = parse_flat("[\"cat\", \"add\"]");
    assert_int_equal(inventory.entries[0].kind, PM_NAME_BARE);
    assert_means(&inventory, "torch.cat", "cat");
    assert_means(&inventory, "cat", "cat");
    assert_means(&inventory, "torch.dog", NULL);
    pm_inventory_release(&inventory);
    static const char *const bad[] = {"{}", "[]", "[1]", "[\"a\", \"\"]", "[\"a\", 2]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(pm_inventory_parse_flat("jax", bad[i], strlen(bad[i]), &inventory, NULL),
                         PM_EFORMAT);
}

static void test_compare(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum pm_name_status status;
        const char *entry;
    } want[] = {
        {"add", PM_NAME_STATUS_KEPT, "tf.add"},
        {"call", PM_NAME_STATUS_METHOD, "tf.Layer.call"},
        {"secret", PM_NAME_STATUS_PRIVATE, NULL},
        {"assertTrue", PM_NAME_STATUS_FOREIGN, NULL},
        {"Session", PM_NAME_STATUS_GONE, NULL},
        {"contrib", PM_NAME_STATUS_GONE, NULL},
        {"Layer", PM_NAME_STATUS_NEW, "tf.Layer"},
        {"Model", PM_NAME_STATUS_NEW, "tf.Model"},
        {"Module", PM_NAME_STATUS_NEW, "tf.Module"},
    };
    struct pm_inventory newer = parse(document);
    struct pm_inventory older = parse_flat("[\"contrib\", \"assertTrue\", \"add\", \"Session\", "
                                           "\"secret\", \"call\"]");
    struct pm_inventory_changes changes;
    pm_inventory_compare(&older, &newer, &changes);
    assert_int_equal(changes.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < changes.count; i++) {
        assert_string_equal(changes.items[i].name, want[i].name);
        assert_string_equal(pm_name_status_text(changes.items[i].status),
                            pm_name_status_text(want[i].status));
        if (want[i].entry)
            assert_string_equal(changes.items[i].entry->name, want[i].entry);
        else
            assert_null(changes.items[i].entry);
    }
    assert_int_equal(changes.counts[PM_NAME_STATUS_NEW], 3);
    assert_int_equal(changes.counts[PM_NAME_STATUS_GONE], 2);
    pm_inventory_changes_release(&changes);
    pm_inventory_release(&older);
    pm_inventory_release(&newer);
}

/* Checks the paper's lists, if they are stored beside this tree. */
static void test_paper_lists(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t count;
    } lists[] = {
        {PM_SOURCE_ROOT "/../shared/study/frequencies/torch_flat_functions.json", 2898},
        {PM_SOURCE_ROOT "/../shared/study/frequencies/tensorflow_flat_functions.json", 2718},
        {PM_SOURCE_ROOT "/../shared/study/frequencies/jax_flat_functions.json", 1091},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct pm_str text = PM_STR_INIT;
        if (!pm_path_exists(lists[i].path)) {
            print_message("the paper's lists are not beside this tree: skipped\n");
            skip();
        }
        assert_int_equal(pm_file_read(lists[i].path, &text, NULL), PM_OK);
        struct pm_inventory inventory = parse_flat(text.data);
        assert_int_equal(inventory.count, lists[i].count);
        pm_inventory_release(&inventory);
        pm_str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document),    cmocka_unit_test(test_values),
        cmocka_unit_test(test_find),        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_flat),        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_paper_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
