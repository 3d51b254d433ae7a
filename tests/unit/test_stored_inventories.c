/* Tests of stored inventories: which one of a database is used, and flat lists. */
#include "stores.h"

#include "base/alloc.h"
#include "base/file.h"
#include "inventory/stored.h"
#include "store/scans.h"

static int64_t add_flat(struct stored *s, const char *text)
{
    int64_t id;
    assert_ok(s, pm_stored_inventory_add_flat(s->store, "jax", text, &id, &s->err));
    return id;
}

/* ---- the store --------------------------------------------------------------------------------
 */

static void test_what_was_walked_through_comes_before_a_flat_list(void **state)
{
    struct stored *s = *state;
    struct pm_stored_inventory item;
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, 0);
    const int64_t flat = add_flat(s, "[\"plus\", \"gone\"]");
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, flat);
    assert_true(item.inventory.flat);
    pm_stored_inventory_release(&item);
    assert_ok(s, pm_stored_inventory_recorded(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, 0);
    const int64_t walked = stored_add_inventory(s);
    add_flat(s, "[\"newer\"]");
    assert_ok(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err));
    assert_int_equal(item.id, walked);
    assert_string_equal(item.environment, "jax");
    assert_non_null(pm_inventory_find(&item.inventory, "jax.plus"));
    pm_stored_inventory_release(&item);
    assert_ok(s, pm_stored_inventory_recorded(s->store, "pytorch", &item, &s->err));
    assert_int_equal(item.id, 0);
}

static void test_one_inventory_by_its_number(void **state)
{
    struct stored *s = *state;
    struct pm_stored_inventory item;
    stored_add_inventory(s);
    const int64_t flat = add_flat(s, "[\"plus\"]");
    assert_ok(s, pm_stored_inventory_load(s->store, "jax", flat, &item, &s->err));
    assert_int_equal(item.id, flat);
    assert_int_equal(item.inventory.count, 1);
    pm_stored_inventory_release(&item);
    assert_ok(s, pm_stored_inventory_load(s->store, "jax", 99, &item, &s->err));
    assert_int_equal(item.id, 0);
}

static void test_a_document_that_is_none_names_its_inventory(void **state)
{
    struct stored *s = *state;
    struct pm_stored_inventory item;
    const struct pm_inventory_row row = {.framework = "jax",
                                         .version = "1.0",
                                         .environment = "jax",
                                         .recorded = "2026-07-01T08:00:00.000Z",
                                         .document = "{\"schema\": \"something else\"}"};
    int64_t id;
    assert_ok(s, pm_store_add_inventory(s->store, &row, &id, &s->err));
    assert_refused(s, pm_stored_inventory_newest(s->store, "jax", &item, &s->err), PM_EFORMAT,
                   "is damaged: column 'document' of row 'inventory 1': ");
}

static void test_a_flat_list_is_read_from_a_file(void **state)
{
    struct stored *s = *state;
    struct pm_str text = PM_STR_INIT;
    struct pm_inventory list;
    char *path = pm_path_join(s->folder, "flat.json");
    assert_ok(s, pm_file_write(path, "[\"b\", \"a\"]", 10, &s->err));
    assert_ok(s, pm_inventory_read_flat("jax", path, &text, &list, &s->err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.entries[0].name, "a");
    assert_string_equal(text.data, "[\"b\", \"a\"]");
    pm_inventory_release(&list);
    pm_str_clear(&text);
    assert_ok(s, pm_file_write(path, "{\"a\": 1}", 8, &s->err));
    assert_refused(s, pm_inventory_read_flat("jax", path, &text, &list, &s->err), PM_EFORMAT, path);
    assert_refused(s, pm_inventory_read_flat("jax", "/nowhere", &text, &list, &s->err), PM_EIO,
                   "/nowhere");
    pm_str_release(&text);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(test_what_was_walked_through_comes_before_a_flat_list),
        STORED_TEST(test_one_inventory_by_its_number),
        STORED_TEST(test_a_document_that_is_none_names_its_inventory),
        STORED_TEST(test_a_flat_list_is_read_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
