/* Tests of the tables and the figure of a stored scan, as `portmeter report` makes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/places.h"
#include "store/scans.h"
#include "store/store.h"
#include "tables/tables.h"
#include "usage/usage.h"

static const struct pm_frequency_row rows[] = {
    /* view and size are methods; add is torch.add in half of its uses */
    {1, "pytorch", PM_RULE_PAPER, "view", PM_NAME_BARE, 600, 60, 6, 6, 500, 94, 0, 0, 0, 0},
    {1, "pytorch", PM_RULE_PAPER, "size", PM_NAME_BARE, 300, 50, 5, 0, 300, 0, 0, 0, 0, 0},
    {1, "pytorch", PM_RULE_PAPER, "add", PM_NAME_BARE, 80, 40, 4, 40, 20, 20, 0, 0, 0, 0},
    {1, "pytorch", PM_RULE_PAPER, "relu", PM_NAME_BARE, 20, 10, 3, 20, 0, 0, 0, 0, 0, 0},
    {1, "pytorch", PM_RULE_RESOLVED, "torch.add", PM_NAME_FUNCTION, 50, 30, 4, 0, 0, 0, 7, 1, 0, 0},
    {1, "pytorch", PM_RULE_RESOLVED, "torch.nn.Linear", PM_NAME_CLASS, 40, 20, 3, 0, 0, 0, 1200, 0,
     0, 0},
    {1, "pytorch", PM_RULE_RESOLVED, "torch.nn.functional.relu", PM_NAME_FUNCTION, 10, 5, 2, 0, 0,
     0, 0, 0, 0, 0},
    {1, "pytorch", PM_RULE_RESOLVED, "torch.nn.Module", PM_NAME_CLASS, 0, 9, 3, 0, 0, 0, 900, 0, 0,
     0},
};

struct scene {
    char *folder, *db, *output;
};

static void must(int code, const struct pm_error *err)
{
    if (code)
        fail_msg("%d: %s", code, err->text);
}

static void add_scan(struct pm_store *store)
{
    struct pm_error err;
    int64_t id, inventory;
    const struct pm_inventory_row names = {.framework = "pytorch",
                                           .version = "2.13.0",
                                           .environment = "pytorch",
                                           .recorded = "2026-01-01T00:00:00.000Z",
                                           .document = "{}"};
    must(pm_store_add_inventory(store, &names, &inventory, &err), &err);
    const struct pm_scan_row scan = {
        .started = "2026-01-01T00:00:00.000Z",
        .finished = "2026-01-01T00:01:00.000Z",
        .options = "{\"paths\": [\"a\", \"b\", \"c\", \"d\", \"e\"],"
                   " \"flat\": {\"pytorch\": {\"file\": \"torch.json\"}}}",
        .totals = "{\"files\": 1234, \"text_bytes\": 5600000, \"inputs\": 7, \"damages\": 1}",
        .damages =
            "[{\"input\": \"a.gz\", \"offset\": 12, \"unpacked\": false, \"what\": \"cut\"}]"};
    must(pm_store_add_scan(store, &scan, &id, &err), &err);
    const struct pm_scanned_row pytorch = {id, inventory, "pytorch", 900, 400, 1500};
    must(pm_store_add_scanned(store, &pytorch, &err), &err);
    const struct pm_scanned_row jax = {id, inventory, "jax", 2, 0, 0};
    must(pm_store_add_scanned(store, &jax, &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        must(pm_store_add_frequency(store, &rows[i], &err), &err);
}

static int set_up(void **state)
{
    static struct scene scene;
    struct pm_error err;
    struct pm_store *store;
    must(pm_folder_scratch(&scene.folder, &err), &err);
    scene.db = pm_path_join(scene.folder, "scan.db");
    scene.output = pm_path_join(scene.folder, "report.svg");
    must(pm_store_open(&store, scene.db, PM_STORE_WRITE, &err), &err);
    add_scan(store);
    pm_store_free(store);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    struct pm_error err;
    must(pm_folder_remove(scene->folder, &err), &err);
    free(scene->folder);
    free(scene->db);
    free(scene->output);
    return 0;
}

static char *write_report(const struct scene *scene, struct pm_report_options options, bool wrong)
{
    struct pm_error err;
    struct pm_str text = PM_STR_INIT;
    enum pm_exit status;
    options.db = scene->db;
    options.output = scene->output;
    must(pm_tables_report(&options, &status, &err), &err);
    assert_int_equal(status, wrong ? PM_EXIT_WORSE : PM_EXIT_FINE);
    must(pm_file_read(scene->output, &text, &err), &err);
    return pm_str_detach(&text);
}

/* Returns the report of the first scan, which has a damaged file. */
static char *report_of(const struct scene *scene, struct pm_report_options options)
{
    return write_report(scene, options, !options.figure);
}

/* Returns the report of the second scan, which has no damaged file. */
static char *report_good(const struct scene *scene, struct pm_report_options options)
{
    return write_report(scene, options, false);
}

/* noinline: otherwise gcc with sanitizers assumes that `part` is NULL, and warns. */
static __attribute__((noinline)) void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void test_text(void **state)
{
    char *text = report_of(*state, (struct pm_report_options){.framework = "pytorch", .top = 3});
    assert_contains(text,
                    "scan 1 of 2026-01-01T00:00:00.000Z\n\n"
                    "corpus          1,234 Python files, 5.60 MB, of 7 inputs: a, b, c and 2 more\n"
                    "paper's names   pytorch  torch.json\n"
                    "damage          1 unreadable place, the first in 'a.gz' at byte 12: cut\n");
    assert_contains(text,
                    "Most used names of pytorch 2.13.0, by each rule\n"
                    "rank  paper: name  both  uses  resolved (%)  possible method (%)  other (%)  "
                    "files  repos  "
                    "resolved: function        both  kind      calls  references  files  repos\n"
                    "   1  view          no    600             1                   83         16   "
                    "  60      6  "
                    "torch.add                 yes   function     50           7     30      4\n"
                    "   2  size          no    300             0                  100          0   "
                    "  50      5  "
                    "torch.nn.Linear            no   class        40       1,200     20      3\n"
                    "   3  add          yes     80            50                   25         25   "
                    "  40      4  "
                    "torch.nn.functional.relu   no   function     10           0      5      2\n"
                    "both: the other list has the name too; 2 of the 3 names and 2 of the 3 "
                    "functions are not in the other "
                    "list; functions are compared by the last part of their names\n");
    assert_contains(text, "paper       900           4  1,000           98               1"
                          "               2             7                   82         11\n"
                          "resolved    400           3    100          100               1"
                          "               2\n");
    assert_contains(
        text, "\ncalls of names imported from pytorch that are not in the inventory: 1,500\n");
    assert_null(strstr(text, "jax"));
    free(text);
}

/* One framework is not used at all, and there are fewer names than are asked for. */
static void test_all(void **state)
{
    char *text = report_of(*state, (struct pm_report_options){.table = "frequency"});
    assert_contains(text, "Most used names of jax, by each rule\nnone\n");
    assert_contains(text, "\n   4  relu ");
    assert_contains(text,
                    "both: the other list has the name too; 2 of the 4 names and 2 of the 4 ");
    free(text);
    text = report_of(*state,
                     (struct pm_report_options){.table = "frequency", .format = PM_FORMAT_JSON});
    assert_contains(text, "\"uses_resolved\"");
    free(text);
}

static void test_figure(void **state)
{
    char *svg = report_of(*state, (struct pm_report_options){.figure = "frequency"});
    assert_contains(svg, "pytorch 2.13.0 in 1,234 files, 5.60 MB");
    assert_contains(svg, "paper's rule: 1,000 uses");
    assert_contains(svg, "resolved: 100 calls");
    assert_contains(svg, "nothing to show"); /* jax */
    free(svg);
}

/* Scan 2 counted jax only, with types and places. */
static void add_second(const struct scene *scene)
{
    struct pm_error err;
    struct pm_store *store;
    struct pm_place_ids place = {.line = 3, .column = 5};
    int64_t id;
    const struct pm_scan_row scan = {.started = "2026-01-02T00:00:00.000Z",
                                     .finished = "2026-01-02T00:01:00.000Z",
                                     .options = "{}",
                                     .totals = "{}",
                                     .damages = "[]",
                                     .types = true,
                                     .places = true};
    must(pm_store_open(&store, scene->db, PM_STORE_WRITE, &err), &err);
    must(pm_store_add_scan(store, &scan, &id, &err), &err);
    const struct pm_scanned_row jax = {id, 1, "jax", 2, 1, 3};
    const struct pm_frequency_row counts[] = {
        {id, "jax", PM_RULE_RESOLVED, "jax.jit", PM_NAME_FUNCTION, 4, 2, 1},
        {id, "jax", PM_RULE_INFERRED, "jax.jit", PM_NAME_FUNCTION, 5, 2, 1},
        {.scan_id = id,
         .framework = "jax",
         .rule = PM_RULE_INFERRED,
         .name = "jax.Array.view",
         .kind = PM_NAME_METHOD,
         .uses = 9,
         .files = 2,
         .instance_calls = 7,
         .possible = 6},
    };
    const struct pm_unlisted_row lost[] = {{id, "jax", "jax.lost", 2, 1},
                                           {id, "jax", "jax.a", 1, 1}};
    const struct pm_place_use_row use = {id, "jax", "jax.jit", PM_RESOLVE_FORM_CALL,
                                         PM_RESOLVE_HOW_IMPORT};
    must(pm_store_add_scanned(store, &jax, &err), &err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        must(pm_store_add_frequency(store, &counts[i], &err), &err);
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        must(pm_store_add_unlisted(store, &lost[i], &err), &err);
    must(pm_store_add_place_use(store, &use, &place.use_id, &err), &err);
    must(pm_store_add_place_file(store, id, "a.py", 0, 1, &place.file_id, &err), &err);
    must(pm_store_add_place(store, &place, &err), &err);
    must(pm_store_add_place_file(store, id, "b.ipynb", 0, 2, &place.file_id, &err), &err);
    place.line = 12;
    place.cell = 70;
    must(pm_store_add_place(store, &place, &err), &err);
    pm_store_free(store);
}

/* Each table shows the newest scan with the counts that the table needs. */
static void test_newest_scan_that_has_it(void **state)
{
    const struct scene *scene = *state;
    add_second(scene);
    char *text =
        report_of(scene, (struct pm_report_options){.table = "frequency", .framework = "pytorch"});
    assert_contains(text, "scan 1 of ");
    assert_null(strstr(text, "by imports and types"));
    free(text);
    text = report_good(scene, (struct pm_report_options){.table = "frequency"});
    assert_contains(text, "scan 2 of ");
    assert_contains(text, "Most used functions of jax, by imports and types\n");
    assert_contains(text,
                    "   1  jax.Array.view      method        9                                "
                    "  0               7         6           0      2      0\n"
                    "   2  jax.jit             function      5                1             "
                    "    4               0         0           0      2      1\n");
    assert_contains(text, "\ninferred                  2    14           100");
    free(text);
    text = report_good(scene, (struct pm_report_options){.table = "unlisted", .top = 1});
    assert_contains(text, "Names of jax that are not in the inventory\n"
                          "name      calls  files\njax.lost      2      1\n"
                          "1 of 2 names are shown: --top N shows more\n");
    free(text);
    text = report_good(scene, (struct pm_report_options){.table = "uses", .function = "jax.jit"});
    assert_contains(text, "Uses of jax.jit\n");
    assert_contains(text, "a.py              3       5  call  import");
    assert_contains(text, "b.ipynb    70    12       5  call  import");
    assert_null(strstr(text, "are shown"));
    free(text);
    text = report_good(
        scene, (struct pm_report_options){.table = "uses", .function = "jax.jit", .top = 1});
    assert_contains(text, "1 of 2 uses are shown: --top N shows more\n");
    assert_null(strstr(text, "b.ipynb"));
    free(text);
    text = report_good(scene, (struct pm_report_options){.table = "uses", .function = "jax.none"});
    assert_contains(text, "Uses of jax.none\nnone\n");
    free(text);
}

static void test_what_is_not_there(void **state)
{
    static const struct {
        struct pm_report_options options;
        const char *message;
    } wrong[] = {
        {{.table = "frequency", .scan_id = 2},
         "database 'DB' has no scan 2: omit --scan to use the newest"},
        {{.table = "frequency", .framework = "caffe"},
         "database 'DB' has no scan that counted caffe: run portmeter scan PATH... --framework "
         "caffe"},
        {{.table = "frequency", .framework = "caffe", .scan_id = 1},
         "scan 1 did not count names of caffe: choose another --scan"},
        {{.table = "uses"}, "--table uses lists the uses of one function: add --function NAME"},
        {{.table = "frequency", .function = "torch.add"},
         "--function selects functions of runs, or the function of --table uses: omit it"},
        {{.table = "uses", .function = "torch.add"},
         "the scans of 'DB' did not store every use: run portmeter scan PATH... --framework "
         "FRAMEWORK --store-uses"},
        {{.table = "summary"}, "database 'DB' has no run: run portmeter run first"},
        {{.figure = "nonsense"},
         "unknown figure 'nonsense': use one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, frequency, "
         "verdicts"},
        {{.figure = "frequency", .table = "1"},
         "--table and --figure exclude each other: give one of them"},
        {{.figure = "frequency", .output = "a.b/c"},
         "unknown figure format 'a.b/c': use .svg, .png or .pdf"},
    };
    const struct scene *scene = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct pm_error err;
        enum pm_exit status;
        struct pm_report_options options = wrong[i].options;
        options.db = scene->db;
        assert_int_equal(pm_tables_report(&options, &status, &err), PM_EUSAGE);
        char *got = strstr(err.text, scene->db);
        if (got) { /* the folder has a new name each time */
            memcpy(got, "DB", 2);
            memmove(got + 2, got + strlen(scene->db), strlen(got + strlen(scene->db)) + 1);
        }
        assert_string_equal(err.text, wrong[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_figure),
        cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_newest_scan_that_has_it), /* adds a scan */
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
