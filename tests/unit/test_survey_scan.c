/* Tests of scans of a small corpus: the names they count, and what they store and print. */
#include <malloc.h>

#include "stores.h"

#include "base/alloc.h"
#include "base/file.h"
#include "store/places.h"
#include "store/scans.h"
#include "survey/survey.h"

static const char code[] = "import jax\n"
                           "from jax.numpy import add\n"
                           "f = jax.jit(print)\n"
                           "add(1, add(2, 3))\n"
                           "jax.unheard_of()\n"
                           "x.sum()\n";

struct scanning {
    struct stored *s;
    char *corpus;
    const char *paths[2], *frameworks[2], *flats[2];
    struct pm_scan_options options;
    struct pm_scan_summary summary;
};

static void write_file(struct stored *s, const char *folder, const char *name, const char *text)
{
    char *path = pm_path_join(folder, name);
    assert_ok(s, pm_file_write(path, text, strlen(text), &s->err));
    free(path);
}

/* Makes a corpus of one file; returns the options of a scan that counts jax in it. */
static struct scanning begin(struct stored *s)
{
    struct scanning scanning = {.s = s, .corpus = pm_path_join(s->folder, "corpus")};
    char *data = pm_path_join(s->folder, "data");
    setenv("PORTMETER_DATA", data, 1);
    setenv("PATH", "/nowhere", 1); /* no environment of this machine has jax */
    free(data);
    assert_ok(s, pm_folder_make(scanning.corpus, &s->err));
    write_file(s, scanning.corpus, "a.py", code);
    return scanning;
}

static int scan(struct scanning *g)
{
    const struct pm_messages messages = {.out = tmpfile()};
    struct pm_scan_options *o = &g->options;
    g->paths[0] = g->paths[0] ? g->paths[0] : g->corpus;
    *o = (struct pm_scan_options){.db = g->s->db,
                                  .paths = g->paths,
                                  .path_count = 1,
                                  .frameworks = g->frameworks,
                                  .flats = g->flats,
                                  .threads = 1,
                                  .format = o->format,
                                  .store_uses = o->store_uses};
    for (size_t i = 0; i < 2; i++) {
        o->framework_count += g->frameworks[i] != NULL;
        o->flat_count += g->flats[i] != NULL;
    }
    stored_close(g->s);
    const int rc = pm_survey_scan(o, &messages, &g->summary, &g->s->err);
    fclose(messages.out);
    return rc;
}

/* Does a scan that must succeed; returns its output, which the caller frees. */
static char *scan_well(struct scanning *g)
{
    stored_catch_stdout(g->s);
    const int rc = scan(g);
    char *text = stored_caught(g->s);
    assert_ok(g->s, rc);
    stored_open(g->s);
    return text;
}

static int list_frequency(void *ctx, const struct pm_frequency_row *row)
{
    pm_str_addf(ctx, "%s %s %s: %lld uses, %lld files\n", pm_rule_text(row->rule), row->name,
                pm_name_kind_text(row->kind), (long long)row->uses, (long long)row->files);
    return PM_OK;
}

/* Returns a line for each name that the newest scan counted; the caller frees the text. */
static char *counted(struct scanning *g)
{
    struct pm_str text = PM_STR_INIT;
    assert_ok(g->s, pm_store_frequencies(g->s->store, g->summary.scan_id, NULL, PM_RULE_COUNT,
                                         list_frequency, &text, &g->s->err));
    return pm_str_detach(&text);
}

/* ---- counts -----------------------------------------------------------------------------------
 */

static void test_names_of_an_inventory_are_counted(void **state)
{
    struct stored *s = *state;
    stored_add_inventory(s);
    struct scanning g = begin(s);
    g.frameworks[0] = "jax";
    char *text = scan_well(&g);
    assert_has(text, "1 input, ");
    assert_has(text, "1 Python file, ");
    assert_has(text, "jax 1.0, inventory 1");
    assert_has(text, "imported by 1 file");
    assert_has(text, "jax.numpy.add");
    free(text);
    assert_int_equal(g.summary.damages, 0);
    text = counted(&g);
    assert_has(text, "resolved jax.numpy.add function: 2 uses, 1 files\n");
    assert_has(text, "resolved jax.jit function: 1 uses, 1 files\n");
    assert_has(text, "paper add : 2 uses, 1 files\n");
    assert_lacks(text, "paper sum"); /* only methods have this name */
    assert_lacks(text, "sort");      /* never used: no row */
    free(text);
    free(g.corpus);
}

static const char tensors[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 2, \"framework\": \"tensorflow\","
    "\"framework_version\": \"2.0\", \"python\": \"3.11.7\", \"root\": \"tensorflow\","
    "\"short\": \"tf\", \"attributes\": [], \"private\": [], \"foreign\": [], \"unread\": [],"
    "\"functions\": [{\"name\": \"tf.Tensor\", \"kind\": \"class\", \"aliases\": [], \"defined\": "
    "\"\","
    "\"bases\": [], \"deprecated\": false, \"examples\": false, \"returns\": \"array\"},"
    "{\"name\": \"tf.Tensor.eval\", \"kind\": \"method\", \"aliases\": [], \"defined\": \"\","
    "\"bases\": [], \"deprecated\": false, \"examples\": false}]}";

static int list_place(void *ctx, const struct pm_place_row *row)
{
    pm_str_addf(ctx, "%s of %s, %s: %s\n", pm_resolve_form_text(row->form), row->name,
                pm_resolve_how_text(row->how), row->chain);
    return PM_OK;
}

static int add_possible(void *ctx, const struct pm_frequency_row *row)
{
    *(int64_t *)ctx += row->possible;
    return PM_OK;
}

static void test_how_calls_were_found_is_told_in_the_names_that_are_stored(void **state)
{
    struct stored *s = *state;
    const struct pm_inventory_row row = {.framework = "tensorflow",
                                         .version = "2.0",
                                         .environment = "tensorflow",
                                         .recorded = "2026-07-01T08:00:00.000Z",
                                         .document = tensors};
    struct pm_str found = PM_STR_INIT;
    int64_t id;
    assert_ok(s, pm_store_add_inventory(s->store, &row, &id, &s->err));
    struct scanning g = begin(s);
    write_file(s, g.corpus, "a.py",
               "import tensorflow\ntensorflow.Tensor().eval()\n"
               "x = tensorflow.Tensor() if either else [tensorflow.Tensor()]\nprint(x.eval)\n");
    g.frameworks[0] = "tensorflow";
    g.options.store_uses = true;
    char *text = scan_well(&g);
    assert_has(text, "Calls of tensorflow, by how they were found");
    free(text);
    assert_ok(s, pm_store_places(s->store, 1, "tensorflow", NULL, list_place, &found, &s->err));
    assert_has(found.data, "call of tf.Tensor, import: \n");
    assert_has(found.data, "call of tf.Tensor.eval, inferred: result of tf.Tensor\n");
    assert_has(found.data, "reference of tf.Tensor.eval, one of: ");
    pm_str_release(&found);
    int64_t possible = 0;
    assert_ok(s, pm_store_frequencies(s->store, 1, NULL, PM_RULE_INFERRED, add_possible, &possible,
                                      &s->err));
    assert_int_equal(possible, 0); /* a possible reference is not a call */
    free(g.corpus);
}

static void test_a_flat_list_is_for_the_papers_rule(void **state)
{
    struct stored *s = *state;
    stored_add_inventory(s);
    struct scanning g = begin(s);
    write_file(s, s->folder, "flat.json", "[\"print\", \"jit\"]");
    char *flat = pm_format("jax=%s/flat.json", s->folder);
    g.frameworks[0] = "jax";
    g.flats[0] = flat;
    char *text = scan_well(&g);
    assert_has(text, "flat.json'");
    free(text);
    text = counted(&g);
    assert_has(text, "paper jit : 1 uses");
    assert_lacks(text, "paper add");
    assert_has(text, "resolved jax.numpy.add function: 2 uses");
    free(text);
    free(flat);
    free(g.corpus);
}

static void test_a_flat_list_will_do_without_an_environment(void **state)
{
    struct stored *s = *state;
    struct scanning g = begin(s);
    write_file(s, s->folder, "flat.json", "[\"add\"]");
    char *flat = pm_format("jax=%s/flat.json", s->folder);
    g.frameworks[0] = "jax";
    assert_refused(s, scan(&g), PM_ENOTFOUND, "jax");
    g.flats[0] = flat;
    free(scan_well(&g));
    char *text = counted(&g);
    assert_has(text, "paper add : 2 uses");
    free(text);
    free(flat);
    free(g.corpus);
}

static void test_a_damaged_input_is_listed_and_the_rest_counts(void **state)
{
    struct stored *s = *state;
    stored_add_inventory(s);
    struct scanning g = begin(s);
    write_file(s, g.corpus, "b.zip", "PK\x03\x04 and then nothing");
    g.frameworks[0] = "jax";
    g.options.format = PM_FORMAT_JSON;
    char *text = scan_well(&g);
    assert_has(text, "\"damages\"");
    assert_has(text, "b.zip");
    free(text);
    assert_true(g.summary.damages > 0);
    text = counted(&g);
    assert_has(text, "resolved jax.jit function: 1 uses");
    free(text);
    free(g.corpus);
}

static int count_scan(void *ctx, const struct pm_scan_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return PM_OK;
}

static void test_each_scan_is_kept(void **state)
{
    struct stored *s = *state;
    int scans = 0;
    stored_add_inventory(s);
    struct scanning g = begin(s);
    g.frameworks[0] = "jax";
    free(scan_well(&g));
    g.frameworks[1] = "jax,jax"; /* counted once, though it is named twice */
    free(scan_well(&g));
    assert_int_equal(g.summary.scan_id, 2);
    assert_ok(s, pm_store_scans(s->store, count_scan, &scans, &s->err));
    assert_int_equal(scans, 2);
    char *text = counted(&g);
    assert_has(text, "resolved jax.jit function: 1 uses");
    free(text);
    free(g.corpus);
}

/* ---- what is refused --------------------------------------------------------------------------
 */

static void test_what_makes_no_sense_is_refused_before_anything_is_read(void **state)
{
    struct stored *s = *state;
    struct scanning g = begin(s);
    assert_refused(s, scan(&g), PM_EUSAGE, "--framework");
    g.frameworks[0] = "jax,nonsense";
    assert_refused(s, scan(&g), PM_EUSAGE, "'nonsense'");
    g.frameworks[0] = "jax";
    g.flats[0] = "jax";
    assert_refused(s, scan(&g), PM_EUSAGE, "FRAMEWORK=FILE");
    g.flats[0] = "pytorch=x";
    assert_refused(s, scan(&g), PM_EUSAGE, "names a framework that is not scanned");
    g.flats[0] = "jax=/nowhere";
    assert_refused(s, scan(&g), PM_EIO, "/nowhere");
    g.flats[0] = NULL;
    g.paths[0] = "/nowhere/at/all";
    assert_refused(s, scan(&g), PM_ENOTFOUND, "/nowhere/at/all");
    g.paths[0] = NULL;
    free(g.corpus);
}

static void test_two_flat_lists_of_one_framework_are_refused(void **state)
{
    struct stored *s = *state;
    struct scanning g = begin(s);
    write_file(s, s->folder, "flat.json", "[\"add\"]");
    char *flat = pm_format("jax=%s/flat.json", s->folder);
    g.frameworks[0] = "jax";
    g.flats[0] = g.flats[1] = flat;
    assert_refused(s, scan(&g), PM_EUSAGE, "--flat names two lists for 'jax'");
    free(flat);
    free(g.corpus);
}

/* Memory that a scan frees is reused. By default, malloc() maps an allocation of 20 MB separately
 * and unmaps it when it is freed. */
static void test_what_a_scan_frees_is_kept(void **state)
{
    (void)state;
    const size_t before = mallinfo2().hblks;
    pm_alloc_keep();
    void *long_one = pm_alloc((size_t)20 << 20);
    assert_int_equal(mallinfo2().hblks, before);
    free(long_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_scan_frees_is_kept),
        STORED_TEST(test_names_of_an_inventory_are_counted),
        STORED_TEST(test_how_calls_were_found_is_told_in_the_names_that_are_stored),
        STORED_TEST(test_a_flat_list_is_for_the_papers_rule),
        STORED_TEST(test_a_flat_list_will_do_without_an_environment),
        STORED_TEST(test_a_damaged_input_is_listed_and_the_rest_counts),
        STORED_TEST(test_each_scan_is_kept),
        STORED_TEST(test_what_makes_no_sense_is_refused_before_anything_is_read),
        STORED_TEST(test_two_flat_lists_of_one_framework_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
