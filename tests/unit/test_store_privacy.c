/* Tests that messages, outputs and paths are stored without the names of this machine's users, and
 * that the paths that portmeter itself needs stay in the measuring database. */
#include "store_scene.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "merge/merge.h"
#include "store/annotations.h"
#include "store/executions.h"
#include "store/outputs.h"
#include "store/places.h"
#include "store/published.h"
#include "store/runs.h"
#include "store/scans.h"
#include "store/shards.h"
#include "store/targets.h"

#define NAMED       "in '/home/alice/x' of alice_2, /tmp/torchinductor_alice/y"
#define STORED      "in '~/x' of user_2, /tmp/torchinductor_user/y"
#define NAMED_JSON  "{\"n\":1.10,\"text\":\"a\\nalice in /home/alice\"}"
#define STORED_JSON "{\"n\":1.10,\"text\":\"a\\nuser in ~\"}"

static void add_run_of_alice(struct scene *s)
{
    const struct pm_run_row run = {.uuid = SCENE_UUID,
                                   .started = SCENE_TIME,
                                   .state = PM_RUN_STOPPED,
                                   .options = "{}",
                                   .paths = "{\"scratch\":\"/tmp/alice\"}",
                                   .suite_digest = SCENE_DIGEST,
                                   .validity_reason = NAMED,
                                   .latency_validity_reason = NAMED};
    const struct pm_run_row ended = {
        .id = 1, .state = PM_RUN_DONE, .validity_reason = NAMED, .latency_validity_reason = NAMED};
    assert_ok(s, pm_store_add_run(s->store, &run, &s->run, &s->err));
    assert_ok(s, pm_store_update_run(s->store, &ended, &s->err));
    const struct pm_target_row target = {.run_id = s->run,
                                         .text = "null@null",
                                         .framework = "null",
                                         .role = PM_ROLE_SUBJECT,
                                         .evidence = PM_EVIDENCE_EXECUTED,
                                         .interpreter = "/home/alice/bin/python"};
    const struct pm_target_row described = {.id = 1, .device_name = NAMED};
    assert_ok(s, pm_store_add_target(s->store, &target, &s->target, &s->err));
    assert_ok(s, pm_store_update_target(s->store, &described, &s->err));
    const struct pm_case_row c = {
        .framework = "null", .function = "null.f", .name = "a", .definition = "{}"};
    assert_ok(s, pm_store_add_case(s->store, &c, &s->test_case, &s->err));
}

static void add_answer(struct scene *s)
{
    struct pm_child_row child = {.run_id = s->run,
                                 .target_id = s->target,
                                 .text = NAMED,
                                 .output = NAMED,
                                 .started = NAMED_JSON,
                                 .startup_ns = -1};
    struct pm_execution_row done = {.id = scene_plan(s, 0), .ending_text = NAMED};
    assert_ok(s, pm_store_add_child(s->store, &child, &child.id, &s->err));
    assert_ok(s, pm_store_finish_child(s->store, &child, &s->err));
    done.child_id = child.id;
    done.result = NAMED_JSON;
    assert_ok(s, pm_store_finish_execution(s->store, &done, &s->err));
    struct pm_leaf_row leaf = {.execution_id = done.id,
                               .path = "out['/home/alice']",
                               .kind = PM_LEAF_VALUE,
                               .value = "\"\\n/home/alice/x\"",
                               .device = NAMED};
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, NULL, 0, &s->err));
    leaf.position = 1;
    leaf.kind = PM_LEAF_TYPE;
    leaf.value = NAMED;
    assert_ok(s, pm_store_add_leaf(s->store, &leaf, NULL, 0, &s->err));
    const struct pm_planted_fault_row planted_fault = {.run_id = s->run,
                                                       .target_id = s->target,
                                                       .name = "hang",
                                                       .expected = PM_OUTCOME_TIMEOUT,
                                                       .observed = PM_OBSERVED_TIMEOUT,
                                                       .detail = NAMED};
    assert_ok(s, pm_store_add_planted_fault(s->store, &planted_fault, &s->err));
}

static void add_others(struct scene *s)
{
    int64_t id;
    const struct pm_annotation_row annotation = {.framework = "null",
                                                 .function = "null.f",
                                                 .target = "",
                                                 .reason = "memory issue",
                                                 .note = NAMED,
                                                 .made = SCENE_TIME};
    const struct pm_scan_row scan = {.started = SCENE_TIME,
                                     .finished = SCENE_LATER,
                                     .options = NAMED_JSON,
                                     .totals = "{}",
                                     .damages = NAMED_JSON};
    const struct pm_imported_test_row test = {.run_id = s->run,
                                              .target_id = s->target,
                                              .function = "sum",
                                              .name = "test_sum",
                                              .outcome = PM_TEST_FAILED,
                                              .message = NAMED};
    assert_ok(s, pm_store_set_annotation(s->store, &annotation, &s->err));
    assert_ok(s, pm_store_add_scan(s->store, &scan, &id, &s->err));
    const struct pm_scan_shard_row shard = {.scan_id = id,
                                            .number = 1,
                                            .count = 2,
                                            .plan = SCENE_DIGEST,
                                            .inputs = SCENE_DIGEST,
                                            .uuid = SCENE_UUID,
                                            .command = NAMED};
    assert_ok(s, pm_store_add_scan_shard(s->store, &shard, &s->err));
    assert_ok(s, pm_store_add_place_file(s->store, id, NAMED, 0, 1, &id, &s->err));
    assert_ok(s, pm_store_add_place_chain(s->store, 1, NAMED, &id, &s->err));
    assert_ok(s, pm_store_add_imported_test(s->store, &test, &id, &s->err));
}

static void fill(struct scene *s)
{
    scene_open(s, PM_STORE_WRITE);
    add_run_of_alice(s);
    add_answer(s);
    add_others(s);
    scene_close(s);
}

static bool has_name(const char *path)
{
    struct pm_str bytes = PM_STR_INIT;
    assert_int_equal(pm_file_read(path, &bytes, NULL), PM_OK);
    const bool has = memmem(bytes.data, bytes.length, "alice", 5) != NULL;
    pm_str_release(&bytes);
    return has;
}

static void test_what_is_stored(void **state)
{
    struct scene *s = *state;
    fill(s);
    scene_assert_query(s->path, "SELECT validity_reason, latency_validity_reason FROM run",
                       STORED "|" STORED "|\n");
    scene_assert_query(s->path, "SELECT text, output, started FROM child",
                       STORED "|" STORED "|" STORED_JSON "|\n");
    scene_assert_query(s->path, "SELECT ending_text, result FROM execution",
                       STORED "|" STORED_JSON "|\n");
    scene_assert_query(s->path, "SELECT path, device, value FROM leaf",
                       "out['~']|" STORED "|\"\\n~/x\"|\nout['~']|" STORED "|" STORED "|\n");
    scene_assert_query(s->path, "SELECT options, damages FROM scan",
                       STORED_JSON "|" STORED_JSON "|\n");
    scene_assert_query(s->path, "SELECT detail FROM planted_fault", STORED "|\n");
}

/* Of all tables, only interpreter and run_paths have names. */
static void test_where_names_are(void **state)
{
    struct scene *s = *state;
    fill(s);
    scene_assert_query(s->path, "SELECT path FROM interpreter", "/home/alice/bin/python|\n");
    scene_assert_query(s->path, "SELECT paths FROM run_paths", "{\"scratch\":\"/tmp/alice\"}|\n");
    assert_true(has_name(s->path));
    scene_sql(s->path, "DELETE FROM interpreter; DELETE FROM run_paths; VACUUM");
    assert_false(has_name(s->path));
}

static void test_a_merged_database_has_no_names(void **state)
{
    struct scene *s = *state;
    struct pm_merged merged = {0};
    char *file = pm_path_join(s->folder, "of_alice.db"), *into = pm_path_join(s->folder, "all.db");
    fill(s);
    assert_int_equal(rename(s->path, file), 0);
    const char *const files[] = {file};
    assert_ok(s, pm_merge(files, 1, into, false, &merged, &s->err));
    pm_merged_release(&merged);
    assert_false(has_name(into));
    scene_assert_query(into, "SELECT source FROM run", "of_user.db|\n");
    free(file);
    free(into);
}

/* "user" is longer than "bob", and a line has at most 65,535 characters. */
static void test_a_long_line_still_fits(void **state)
{
    struct scene *s = *state;
    char *line = pm_alloc(65536);
    for (int i = 0; i < 65535; i++)
        line[i] = "bob_"[i % 4];
    line[65535] = '\0';
    scene_open(s, PM_STORE_WRITE);
    add_run_of_alice(s);
    const struct pm_execution_row done = {
        .id = scene_plan(s, 0), .ending_text = line, .result = ""};
    assert_ok(s, pm_store_finish_execution(s->store, &done, &s->err));
    scene_assert_query(s->path,
                       "SELECT length(ending_text), substr(ending_text, 1, 9)"
                       " FROM execution",
                       "65535|user_user|\n");
    free(line);
}

int main(void)
{
    /* This must be set before the first text is stored, because the names are read only once. */
    setenv("HOME", "/home/alice", 1);
    setenv("USER", "alice", 1);
    setenv("LOGNAME", "bob", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_stored, scene_set_up, scene_tear_down),
        cmocka_unit_test_setup_teardown(test_where_names_are, scene_set_up, scene_tear_down),
        cmocka_unit_test_setup_teardown(test_a_merged_database_has_no_names, scene_set_up,
                                        scene_tear_down),
        cmocka_unit_test_setup_teardown(test_a_long_line_still_fits, scene_set_up, scene_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
