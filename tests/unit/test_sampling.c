/* Tests of samples from a store: a scan gives the ranking, an inventory the names and absences. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sample/stored.h"
#include "store/scans.h"
#include "survey/survey.h"

#define ROW(name, kind, aliases)                                                                   \
    "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"aliases\": [" aliases                      \
    "], \"defined\": \"\", \"bases\": [], \"deprecated\": false, \"examples\": false}"

static const char document[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 1, \"framework\": \"jax\","
    "\"framework_version\": \"1.0\", \"python\": \"3.11.7\", \"root\": \"jax\", \"short\": \"jax\","
    "\"functions\": [" ROW("jax.Array", "class", "") "," ROW("jax.Array.sum", "method", "") "," ROW(
        "jax.jit", "function",
        "") "," ROW("jax.lax.sort", "function",
                    "") "," ROW("jax.numpy.add", "function",
                                "\"jax.plus\"") "," ROW("jax.numpy.sub", "function",
                                                        "") "], \"private\": [\"secret\"], "
                                                            "\"foreign\": [], \"unread\": []}";

struct fixture {
    char *folder, *db;
    struct pm_store *store;
    struct pm_error err;
    FILE *said;
    struct pm_sample_options options;
};

static void add_frequency(struct fixture *f, int64_t scan, enum pm_rule rule, const char *name,
                          int64_t uses)
{
    const struct pm_frequency_row row = {.scan_id = scan,
                                         .framework = "jax",
                                         .rule = rule,
                                         .name = name,
                                         .uses = uses,
                                         .references = 4};
    assert_int_equal(pm_store_add_frequency(f->store, &row, &f->err), PM_OK);
}

/* Adds two scans, of which only the first counted jax, an inventory, and a newer flat list. */
static void fill(struct fixture *f)
{
    const struct pm_inventory_row inventory = {.framework = "jax",
                                               .version = "1.0",
                                               .environment = "jax",
                                               .recorded = "2026-01-01T00:00:00.000Z",
                                               .document = document};
    const struct pm_inventory_row flat = {.framework = "jax",
                                          .version = "",
                                          .environment = "",
                                          .flat = true,
                                          .recorded = "2027-01-01T00:00:00.000Z",
                                          .document = "[\"plus\", \"gone\"]"};
    const struct pm_scan_row scan = {.started = "2026-01-01T00:00:00.000Z",
                                     .finished = "2026-01-01T00:00:00.000Z",
                                     .options = "{}",
                                     .totals = "{}",
                                     .damages = "[]"};
    int64_t inventory_id, flat_id, first, second;
    assert_int_equal(pm_store_add_inventory(f->store, &inventory, &inventory_id, &f->err), PM_OK);
    assert_int_equal(pm_store_add_inventory(f->store, &flat, &flat_id, &f->err), PM_OK);
    assert_int_equal(pm_store_add_scan(f->store, &scan, &first, &f->err), PM_OK);
    assert_int_equal(pm_store_add_scan(f->store, &scan, &second, &f->err), PM_OK);
    const struct pm_scanned_row scanned = {
        .scan_id = first, .inventory_id = inventory_id, .framework = "jax"};
    assert_int_equal(pm_store_add_scanned(f->store, &scanned, &f->err), PM_OK);
    add_frequency(f, first, PM_RULE_RESOLVED, "jax.jit", 10);
    add_frequency(f, first, PM_RULE_RESOLVED, "jax.numpy.add", 5);
    add_frequency(f, first, PM_RULE_RESOLVED, "jax.lax.sort", 3);
    add_frequency(f, first, PM_RULE_RESOLVED, "jax.gone", 2);
    add_frequency(f, first, PM_RULE_RESOLVED, "jax.referred", 0);
    add_frequency(f, first, PM_RULE_PAPER, "plus", 7);
    add_frequency(f, first, PM_RULE_PAPER, "sum", 6);
    add_frequency(f, first, PM_RULE_PAPER, "secret", 5);
    add_frequency(f, first, PM_RULE_PAPER, "gone", 4);
}

static int set_up(void **state)
{
    struct fixture *f = pm_alloc(sizeof *f);
    if (pm_folder_scratch(&f->folder, &f->err))
        return -1;
    f->db = pm_path_join(f->folder, "test.db");
    f->said = tmpfile();
    f->options = (struct pm_sample_options){.db = f->db,
                                            .framework = "jax",
                                            .by = PM_RULE_RESOLVED,
                                            .strata = "disjoint",
                                            .top = 20,
                                            .per_decile = 5,
                                            .list = true,
                                            .format = PM_FORMAT_TEXT};
    *state = f;
    if (pm_store_open(&f->store, f->db, PM_STORE_WRITE, &f->err))
        return -1;
    fill(f);
    pm_store_free(f->store); /* so that the command can write */
    return pm_store_open(&f->store, f->db, PM_STORE_READ, &f->err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    pm_store_free(f->store);
    fclose(f->said);
    const int rc = pm_folder_remove(f->folder, &f->err);
    free(f->folder);
    free(f->db);
    free(f);
    return rc;
}

/* Draws a sample without printing; returns the status. */
static int draw(struct fixture *f)
{
    const struct pm_messages messages = {.out = f->said};
    fflush(stdout);
    const int screen = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    const int rc = pm_survey_sample(&f->options, &messages, &f->err);
    fflush(stdout);
    dup2(screen, STDOUT_FILENO);
    close(screen);
    close(nowhere);
    return rc;
}

static void load(struct fixture *f, struct pm_stored_sample *out)
{
    if (pm_stored_sample_load(out, f->store, f->db, "jax", 0, &f->err))
        fail_msg("%s", f->err.text);
}

static bool has_member(const struct pm_stored_sample *s, const char *name)
{
    for (size_t i = 0; i < s->sample.member_count; i++)
        if (!strcmp(s->sample.members[i].name, name))
            return true;
    return false;
}

static const struct pm_sample_step *exclusion(const struct pm_stored_sample *s, const char *name)
{
    for (size_t i = 0; i < s->sample.step_count; i++)
        if (s->sample.steps[i].kind == PM_STEP_EXCLUDED && !strcmp(s->sample.steps[i].name, name))
            return &s->sample.steps[i];
    return NULL;
}

static void assert_absent(const struct pm_stored_sample *s, const char *name, const char *why)
{
    const struct pm_sample_step *step = exclusion(s, name);
    assert_non_null(step);
    assert_int_equal(step->criterion, PM_CRITERION_ABSENT);
    assert_string_equal(step->why, why);
}

/* The newest scan that counted the framework gives the ranking; functions that no longer exist are
 * skipped. */
static void test_scan(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_int_equal(s.scan_id, 1);
    assert_int_equal(s.rule, PM_RULE_RESOLVED);
    assert_int_equal(s.sample.ranked, 4);
    assert_int_equal(s.sample.member_count, 3);
    assert_absent(&s, "jax.gone", "not in jax 1.0");
    assert_true(s.sample.strata[0].eligible == 3);
    pm_stored_sample_release(&s);
}

/* The inventory also shows which of the functions that were not drawn are absent. */
static void test_absences_known(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    double eligible = 0;
    f->options.top = 1;
    f->options.per_decile = 0;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_int_equal(s.sample.member_count, 1);
    for (size_t i = 0; i < s.sample.stratum_count; i++)
        eligible += s.sample.strata[i].eligible;
    assert_true(eligible == 3);
    pm_stored_sample_release(&s);
}

static void test_unused(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    f->options.unused = true;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_true(has_member(&s, "jax.numpy.sub") && has_member(&s, "jax.Array"));
    assert_false(has_member(&s, "jax.Array.sum"));
    assert_absent(&s, "jax.referred", "not in jax 1.0");
    assert_int_equal(s.sample.ranked, 7);
    pm_stored_sample_release(&s);
}

/* A bare name exists if any public name ends with it, also an alias or a method. */
static void test_bare(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    f->options.by = PM_RULE_PAPER;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_true(has_member(&s, "plus") && has_member(&s, "sum"));
    assert_absent(&s, "secret", "defined but not public in jax 1.0");
    assert_absent(&s, "gone", "not in jax 1.0");
    pm_stored_sample_release(&s);
}

static void test_wrong_scans(void **state)
{
    struct fixture *f = *state;
    f->options.scan = 2;
    assert_int_equal(draw(f), PM_EUSAGE);
    assert_non_null(strstr(f->err.text, "did not count jax"));
    f->options.scan = 3;
    assert_int_equal(draw(f), PM_EUSAGE);
    assert_non_null(strstr(f->err.text, "has no scan 3"));
    f->options.scan = 0;
    f->options.framework = "tensorflow";
    assert_int_equal(draw(f), PM_EUSAGE);
    assert_non_null(strstr(f->err.text, "has no scan that counted tensorflow"));
}

/* Adds a scan that counted jax by imports, and if `types` also by types. */
static int64_t add_counted(struct fixture *f, bool types)
{
    const struct pm_scan_row scan = {.started = "2026-01-02T00:00:00.000Z",
                                     .finished = "2026-01-02T00:00:00.000Z",
                                     .options = "{}",
                                     .totals = "{}",
                                     .damages = "[]",
                                     .types = types};
    struct pm_store *reading = f->store;
    int64_t id;
    assert_int_equal(pm_store_open(&f->store, f->db, PM_STORE_WRITE, &f->err), PM_OK);
    assert_int_equal(pm_store_add_scan(f->store, &scan, &id, &f->err), PM_OK);
    const struct pm_scanned_row scanned = {.scan_id = id, .inventory_id = 1, .framework = "jax"};
    assert_int_equal(pm_store_add_scanned(f->store, &scanned, &f->err), PM_OK);
    add_frequency(f, id, PM_RULE_RESOLVED, "jax.jit", 10);
    if (types) {
        add_frequency(f, id, PM_RULE_INFERRED, "jax.jit", 10);
        add_frequency(f, id, PM_RULE_INFERRED, "jax.Array.sum", 90);
    }
    pm_store_free(f->store);
    f->store = reading;
    return id;
}

/* The ranking is by imports, unless types are asked for; then only a scan with types is used. */
static void test_rank_by_types(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    f->options.by = PM_RULE_INFERRED;
    assert_int_equal(draw(f), PM_EUSAGE);
    assert_non_null(strstr(f->err.text, "did not infer types: run portmeter scan"));
    f->options.scan = 1;
    assert_int_equal(draw(f), PM_EUSAGE);
    assert_non_null(strstr(f->err.text, "scan 1"));
    assert_non_null(strstr(f->err.text, "did not infer types"));
    const int64_t typed = add_counted(f, true), later = add_counted(f, false);
    f->options.scan = 0;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_int_equal(s.scan_id, typed);
    assert_int_equal(s.rule, PM_RULE_INFERRED);
    assert_string_equal(s.sample.members[0].name, "jax.Array.sum");
    pm_stored_sample_release(&s);
    f->options.by = PM_RULE_RESOLVED;
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_int_equal(s.scan_id, later);
    assert_false(has_member(&s, "jax.Array.sum"));
    pm_stored_sample_release(&s);
}

static void test_which_sample(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_sample s;
    assert_int_equal(pm_stored_sample_load_weighted(&s, f->store, "jax", &f->err), PM_OK);
    assert_int_equal(s.id, 0);
    assert_int_equal(draw(f), PM_OK);
    f->options.strata = "paper";
    assert_int_equal(draw(f), PM_OK);
    load(f, &s);
    assert_int_equal(s.id, 2);
    pm_stored_sample_release(&s);
    assert_int_equal(pm_stored_sample_load_weighted(&s, f->store, "jax", &f->err), PM_OK);
    assert_int_equal(s.id, 1);
    pm_stored_sample_release(&s);
    assert_int_equal(pm_stored_sample_load_weighted(&s, f->store, "pytorch", &f->err), PM_OK);
    assert_int_equal(s.id, 0);
    assert_int_equal(pm_stored_sample_load(&s, f->store, f->db, "pytorch", 1, &f->err), PM_EUSAGE);
}

static void add_name(void *ctx, const char *name)
{
    pm_str_addf(ctx, "%s ", name);
}

static void test_names(void **state)
{
    struct fixture *f = *state;
    struct pm_stored_inventory item;
    const struct pm_inventory none = {0};
    struct pm_str names = PM_STR_INIT;
    assert_int_equal(pm_stored_inventory_recorded(f->store, "jax", &item, &f->err), PM_OK);
    pm_sample_names_of_function(&item.inventory, PM_RULE_RESOLVED, "jax.plus", add_name, &names);
    assert_string_equal(names.data, "jax.plus jax.numpy.add jax.plus ");
    pm_str_clear(&names);
    pm_sample_names_of_function(&item.inventory, PM_RULE_PAPER, "jax.numpy.add", add_name, &names);
    assert_string_equal(names.data, "add add plus ");
    pm_str_clear(&names);
    pm_sample_names_of_function(&none, PM_RULE_PAPER, "jax.numpy.add", add_name, &names);
    assert_string_equal(names.data, "add ");
    pm_str_release(&names);
    pm_stored_inventory_release(&item);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scan),        TEST(absences_known), TEST(unused),       TEST(bare),
        TEST(wrong_scans), TEST(rank_by_types),  TEST(which_sample), TEST(names),
    };
    return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
