/* Short functions that fill and read databases of tests. */
#include "stores.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include <sqlite3.h>

#include "array/array.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "sample/sample.h"
#include "samples.h"
#include "store/executions.h"
#include "store/outputs.h"
#include "store/samples.h"
#include "store/scans.h"
#include "store/targets.h"
#include "store/timings.h"

struct stored_name {
    char *text;
    int64_t id;
};

static int screen = -1; /* a copy of stdout's descriptor while the output is caught */

int stored_set_up(void **state)
{
    struct stored *s = pm_alloc(sizeof *s);
    *state = s;
    if (pm_folder_scratch(&s->folder, &s->err))
        return -1;
    s->db = pm_path_join(s->folder, "test.db");
    return pm_store_open(&s->store, s->db, PM_STORE_WRITE, &s->err);
}

int stored_tear_down(void **state)
{
    struct stored *s = *state;
    if (screen >= 0)
        free(stored_caught(s));
    pm_store_free(s->store);
    const int rc = pm_folder_remove(s->folder, &s->err);
    for (size_t i = 0; i < s->name_count; i++)
        free(s->names[i].text);
    free(s->names);
    free(s->folder);
    free(s->db);
    free(s);
    return rc;
}

void stored_close(struct stored *s)
{
    pm_store_free(s->store);
    s->store = NULL;
}

void stored_open(struct stored *s)
{
    stored_close(s);
    assert_ok(s, pm_store_open(&s->store, s->db, PM_STORE_WRITE, &s->err));
}

void stored_run_sql(struct stored *s, const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_null(s->store);
    assert_int_equal(sqlite3_open(s->db, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA ignore_check_constraints = 1", NULL, NULL, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    if (!sqlite3_changes(db))
        fail_msg("%s: changes nothing", sql);
    sqlite3_close(db);
}

/* ---- names ------------------------------------------------------------------------------------
 */

static void remember(struct stored *s, char *owned_text, int64_t id)
{
    PM_GROW(s->names, s->name_count, s->name_capacity);
    s->names[s->name_count++] = (struct stored_name){.text = owned_text, .id = id};
}

/* Returns the id of the newest row with this text; 0 if there is none. */
static int64_t recall(const struct stored *s, const char *text)
{
    for (size_t i = s->name_count; i-- > 0;)
        if (!strcmp(s->names[i].text, text))
            return s->names[i].id;
    return 0;
}

static int64_t recall_taking(const struct stored *s, char *owned_text)
{
    const int64_t id = recall(s, owned_text);
    free(owned_text);
    return id;
}

static char *key_of_target(const struct stored *s, const char *text)
{
    return pm_format("run %lld, %s", (long long)s->run, text);
}

static char *key_of_execution(const struct stored *s, const char *target, const char *function,
                              const char *name, int64_t repetition)
{
    return pm_format("run %lld, %s, %s, %s, %lld", (long long)s->run, target, function, name,
                     (long long)repetition);
}

int stored_word(const struct pm_words *words, const char *text)
{
    const int found = pm_words_find(words, text);
    if (found < 0)
        fail_msg("'%s' is none of the words", text);
    return found;
}

static const char *text_or(const char *text, const char *fallback)
{
    return text ? text : fallback;
}

/* ---- filling ----------------------------------------------------------------------------------
 */

void stored_add_run(struct stored *s, const struct pm_run_row *as)
{
    static const struct pm_run_row none = {STORED_DONE};
    const struct pm_run_row *o = as ? as : &none;
    char *uuid = pm_format("%032llx", (long long)s->run + 1);
    const struct pm_run_row row = {
        .uuid = uuid,
        .started = text_or(o->started, "2026-07-01T10:00:00.000Z"),
        .finished = text_or(o->finished, "2026-07-01T11:00:00.000Z"),
        .state = o->state,
        .options = text_or(o->options, "{}"),
        .suite_digest = text_or(o->suite_digest, "00000000000000000000000000000000"),
        .seed = o->seed ? o->seed : 1,
        .validity = o->validity,
        .validity_reason = text_or(o->validity_reason, ""),
        .sample_id = o->sample_id,
        .kind = o->kind,
        .source = o->source,
        .paths = o->paths,
    };
    assert_ok(s, pm_store_add_run(s->store, &row, &s->run, &s->err));
    free(uuid);
}

void stored_add_attempt(struct stored *s, const char *machine, double load_before,
                        double load_after)
{
    struct pm_attempt_row row = {.run_id = s->run,
                                 .started = "2026-07-01T10:00:00.000Z",
                                 .finished = "2026-07-01T11:00:00.000Z",
                                 .machine = machine,
                                 .load_before = load_before,
                                 .load_after = load_after};
    assert_ok(s, pm_store_add_attempt(s->store, &row, &row.number, &s->err));
    assert_ok(s, pm_store_finish_attempt(s->store, &row, &s->err));
}

void stored_add_targets(struct stored *s, const struct stored_target *targets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct stored_target *t = &targets[i];
        char *framework = pm_strndup(t->text, strcspn(t->text, "@"));
        const struct pm_target_row row = {
            .run_id = s->run,
            .text = t->text,
            .environment = framework,
            .framework = framework,
            .device = strchr(t->text, '@') + 1,
            .reference = text_or(t->reference, ""),
            .role = WORD(role, text_or(t->role, t->reference ? "subject" : "reference")),
            .evidence = WORD(evidence, text_or(t->evidence, "executed")),
            .latencies = !t->no_latencies,
            .version = "1.0",
        };
        int64_t id;
        assert_ok(s, pm_store_add_target(s->store, &row, &id, &s->err));
        remember(s, key_of_target(s, t->text), id);
        free(framework);
    }
}

int64_t stored_target(struct stored *s, const char *text)
{
    const int64_t id = recall_taking(s, key_of_target(s, text));
    if (!id)
        fail_msg("no target '%s'", text);
    return id;
}

/* Returns the kind in a definition such as {"kind": "edge"}; core if it has none. */
static enum pm_case_kind kind_in(const char *definition)
{
    json_t *json = json_loads(text_or(definition, "{}"), 0, NULL);
    const enum pm_case_kind kind = WORD(case_kind, pm_json_string(json, "kind", "core"));
    json_decref(json);
    return kind;
}

int64_t stored_add_case(struct stored *s, const char *framework, const char *function,
                        const char *name, const char *definition)
{
    char *key = pm_format("case %s, %s", function, name);
    int64_t id = recall(s, key);
    if (id) {
        free(key);
        return id;
    }
    const char *bracket = strchr(name, '[');
    char *dtype = bracket ? pm_strndup(bracket + 1, strcspn(bracket + 1, "]")) : pm_strdup("");
    const struct pm_case_row row = {
        .framework = framework,
        .function = function,
        .name = name,
        .dtype = dtype,
        .definition = text_or(definition, "{}"),
        .host_only = definition && strstr(definition, "\"host_only\""),
        .size = definition && strstr(definition, "\"large\"") ? PM_SIZE_LARGE : PM_SIZE_SMALL,
        .kind = kind_in(definition),
    };
    assert_ok(s, pm_store_add_case(s->store, &row, &id, &s->err));
    remember(s, key, id);
    free(dtype);
    return id;
}

/* Returns a float32 array of the numbers in a JSON list. */
static struct pm_array array_of(struct stored *s, const char *numbers)
{
    json_t *list = json_loads(numbers, 0, NULL);
    if (!json_is_array(list))
        fail_msg("no list: %s", numbers);
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)json_array_size(list)}};
    struct pm_array array;
    assert_ok(s, pm_array_init(&array, PM_FLOAT32, &shape, &s->err));
    for (size_t i = 0; i < array.count; i++)
        pm_array_set(&array, i, json_number_value(json_array_get(list, i)), 0);
    json_decref(list);
    return array;
}

void stored_add_output(struct stored *s, int64_t execution, const char *part, int64_t position,
                       const char *path, const char *numbers)
{
    struct pm_array array = array_of(s, numbers);
    const struct pm_digest digest =
        pm_digest_of(array.dtype, &array.shape, array.data, array.bytes);
    char shape[PM_SHAPE_TEXT];
    const struct pm_leaf_row row = {
        .execution_id = execution,
        .part = WORD(leaf_part, part),
        .position = position,
        .path = path,
        .kind = PM_LEAF_ARRAY,
        .dtype = pm_dtype_name(array.dtype),
        .shape = pm_shape_text(&array.shape, shape),
        .device = "null",
        .on_device = true,
        .digest = digest.hex,
    };
    assert_ok(s, pm_store_add_leaf(s->store, &row, array.data, array.bytes, &s->err));
    pm_array_release(&array);
}

void stored_add_word(struct stored *s, int64_t execution, int64_t position, const char *kind,
                     const char *value)
{
    const struct pm_leaf_row row = {.execution_id = execution,
                                    .part = PM_PART_OUTPUT,
                                    .position = position,
                                    .path = "out",
                                    .kind = WORD(leaf_kind, kind),
                                    .value = value};
    assert_ok(s, pm_store_add_leaf(s->store, &row, NULL, 0, &s->err));
}

enum { MOST_TIMES = 64 };

static size_t read_numbers(const char *numbers, int64_t out[MOST_TIMES])
{
    json_t *list = json_loads(text_or(numbers, "[]"), 0, NULL);
    const size_t count = json_array_size(list);
    assert_true(count <= MOST_TIMES);
    for (size_t i = 0; i < count; i++)
        out[i] = json_integer_value(json_array_get(list, i));
    json_decref(list);
    return count;
}

static void add_timing(struct stored *s, int64_t execution, enum pm_clock clock,
                       const char *numbers, const char *compiled)
{
    int64_t times[MOST_TIMES], compilations[MOST_TIMES];
    const size_t count = read_numbers(numbers, times);
    if (compiled)
        assert_int_equal(read_numbers(compiled, compilations), count);
    const struct pm_timing_row row = {.execution_id = execution,
                                      .clock = clock,
                                      .times = times,
                                      .compilations = compiled ? compilations : NULL,
                                      .count = count,
                                      .factor = 1,
                                      .imported = ""};
    if (numbers)
        assert_ok(s, pm_store_add_timing(s->store, &row, &s->err));
}

static void finish(struct stored *s, const struct stored_execution *e, int64_t id)
{
    const struct pm_execution_row row = {
        .id = id,
        .run_id = s->run,
        .answered = !e->ending,
        .ending = WORD(ending_kind, text_or(e->ending, "")),
        .ending_code = e->ending_code,
        .result = e->ending ? "" : text_or(e->result, "{}"),
        .position = e->position,
    };
    assert_ok(s, pm_store_finish_execution(s->store, &row, &s->err));
    if (e->output)
        stored_add_output(s, id, "output", 0, "out", e->output);
    add_timing(s, id, PM_CLOCK_WARM, e->warm, e->compiled);
    add_timing(s, id, PM_CLOCK_COLD, e->cold, NULL);
}

void stored_add_executions(struct stored *s, const struct stored_execution *items, size_t count)
{
    assert_ok(s, pm_store_begin(s->store, &s->err));
    for (size_t i = 0; i < count; i++) {
        const struct stored_execution *e = &items[i];
        char *framework = pm_strndup(e->target, strcspn(e->target, "@"));
        const int64_t test = stored_add_case(s, framework, e->function, e->name, NULL);
        int64_t id;
        assert_ok(s, pm_store_plan_execution(s->store, s->run, stored_target(s, e->target), test,
                                             e->repetition, e->retry, &id, &s->err));
        if (e->retry == PM_RETRY_NONE)
            remember(s, key_of_execution(s, e->target, e->function, e->name, e->repetition), id);
        if (!e->todo)
            finish(s, e, id);
        free(framework);
    }
    assert_ok(s, pm_store_commit(s->store, &s->err));
}

int64_t stored_execution(struct stored *s, const char *target, const char *function,
                         const char *name, int64_t repetition)
{
    const int64_t id = recall_taking(s, key_of_execution(s, target, function, name, repetition));
    if (!id)
        fail_msg("no execution of '%s' on '%s'", name, target);
    return id;
}

int64_t stored_add_sample(struct stored *s, const char *framework, const char *by, size_t count,
                          enum pm_strata_rule strata)
{
    struct pm_ranking ranking = made_up(count);
    struct pm_sample_plan plan = plan_of(strata, 1);
    plan.framework = framework;
    struct pm_sample sample = draw(&ranking, &plan);
    json_t *json = pm_sample_to_json(&sample);
    char *document = json_dumps(json, JSON_COMPACT);
    const struct pm_sample_row row = {.framework = framework,
                                      .rule = WORD(rule, by),
                                      .drawn = "2026-07-01T09:00:00.000Z",
                                      .options = "{\"ranking\": \"made-up.json\"}",
                                      .document = document};
    int64_t id;
    assert_ok(s, pm_store_add_sample(s->store, &row, &id, &s->err));
    free(document);
    json_decref(json);
    pm_sample_release(&sample);
    pm_ranking_release(&ranking);
    return id;
}

#define ENTRY(name, kind, aliases)                                                                 \
    "{\"name\": \"" name "\", \"kind\": \"" kind "\", \"aliases\": [" aliases                      \
    "], \"defined\": \"\", \"bases\": [], \"deprecated\": false, \"examples\": false}"

const char stored_jax[] =
    "{\"schema\": \"portmeter-inventory\", \"version\": 1, \"framework\": \"jax\","
    "\"framework_version\": \"1.0\", \"python\": \"3.11.7\", \"root\": \"jax\", \"short\": \"jax\","
    "\"functions\": [" ENTRY("jax.Array", "class", "") "," ENTRY(
        "jax.Array.sum", "method",
        "") "," ENTRY("jax.jit", "function",
                      "") "," ENTRY("jax.lax.sort", "function",
                                    "") "," ENTRY("jax.numpy.add", "function",
                                                  "\"jax.plus\"") "],"
                                                                  "\"private\": [\"secret\"], "
                                                                  "\"foreign\": [\"ones\"], "
                                                                  "\"unread\": [{\"module\": "
                                                                  "\"jax.tpu\", \"error\": \"no "
                                                                  "TPU\"}]}";

int64_t stored_add_inventory(struct stored *s)
{
    const struct pm_inventory_row row = {.framework = "jax",
                                         .version = "1.0",
                                         .environment = "jax",
                                         .recorded = "2026-07-01T08:00:00.000Z",
                                         .document = stored_jax};
    int64_t id;
    assert_ok(s, pm_store_add_inventory(s->store, &row, &id, &s->err));
    return id;
}

/* ---- judging -------------------------------------------------------------------------------- */

struct pm_judged stored_judge(struct stored *s)
{
    struct pm_judged judged;
    stored_close(s);
    assert_ok(s, pm_assess_db(s->db, s->run, 0, &judged, &s->err));
    stored_open(s);
    return judged;
}

void stored_add_noise_floor(struct stored *s, const char *reference, double floor)
{
    const struct pm_statistic_row row = {.run_id = s->run,
                                         .target_id = stored_target(s, reference),
                                         .scope = PM_SCOPE_TARGET,
                                         .function = "",
                                         .name = "",
                                         .clock = PM_CLOCK_WARM,
                                         .size = PM_SIZE_SMALL,
                                         .what = PM_STATISTIC_NOISE,
                                         .value = floor,
                                         .low = NAN,
                                         .high = NAN,
                                         .processes = 40};
    assert_ok(s, pm_store_add_statistic(s->store, &row, &s->err));
}

/* ---- reading ----------------------------------------------------------------------------------
 */

struct listing {
    struct stored *s;
    struct pm_str text;
    int64_t target; /* the target whose text is wanted */
};

static int find_text(void *ctx, const struct pm_target_row *row)
{
    struct listing *l = ctx;
    if (row->id == l->target)
        pm_str_add(&l->text, row->text);
    return PM_OK;
}

static char *target_text(struct stored *s, int64_t id)
{
    struct listing l = {.s = s, .text = PM_STR_INIT, .target = id};
    assert_ok(s, pm_store_targets(s->store, s->run, find_text, &l, &s->err));
    return pm_str_detach(&l.text);
}

static int list_judgement(void *ctx, const struct pm_judgement_row *row)
{
    struct listing *l = ctx;
    char *target = target_text(l->s, row->target_id);
    pm_str_addf(&l->text, "%s %s %s %lld%s%s: %s%s", target, row->function, row->name,
                (long long)row->repetition, row->retry ? " " : "", pm_retry_text(row->retry),
                row->counts ? "" : "not counted, ", pm_outcome_text(row->outcome));
    if (row->stage != PM_STAGE_NONE)
        pm_str_addf(&l->text, " (%s)", pm_stage_text(row->stage));
    pm_str_add_char(&l->text, '\n');
    free(target);
    return PM_OK;
}

char *stored_judgements(struct stored *s)
{
    struct listing l = {.s = s, .text = PM_STR_INIT};
    assert_ok(s, pm_store_judgements(s->store, s->run, list_judgement, &l, &s->err));
    return pm_str_detach(&l.text);
}

static int list_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct listing *l = ctx;
    char *target = target_text(l->s, row->target_id);
    pm_str_addf(&l->text, "%s %s: %s, paper %s, %lld of %lld counted", target, row->function,
                pm_verdict_text(row->verdict), pm_verdict_text(row->verdict_paper),
                (long long)row->passed, (long long)row->counted);
    if (row->core != row->counted || row->core_passed != row->passed)
        pm_str_addf(&l->text, ", core %lld of %lld", (long long)row->core_passed,
                    (long long)row->core);
    if (row->flaky)
        pm_str_addf(&l->text, ", %lld flaky", (long long)row->flaky);
    if (*row->limits)
        pm_str_addf(&l->text, ", limits: %s", row->limits);
    if (row->host_only)
        pm_str_add(&l->text, ", host-only");
    if (*row->detail)
        pm_str_addf(&l->text, ": %s", row->detail);
    pm_str_add_char(&l->text, '\n');
    free(target);
    return PM_OK;
}

char *stored_verdicts(struct stored *s)
{
    struct listing l = {.s = s, .text = PM_STR_INIT};
    assert_ok(s, pm_store_verdicts(s->store, s->run, list_verdict, &l, &s->err));
    return pm_str_detach(&l.text);
}

struct statistic_search {
    int64_t target;
    const struct pm_statistic_row *key;
    struct pm_statistic_row *out;
    bool found;
};

static bool fits(const char *text, const char *wanted)
{
    return !wanted || !strcmp(text, wanted);
}

static int match_statistic(void *ctx, const struct pm_statistic_row *row)
{
    struct statistic_search *search = ctx;
    const struct pm_statistic_row *key = search->key;
    if (row->target_id == search->target && fits(row->function, key->function) &&
        fits(row->name, key->name) && row->clock == key->clock &&
        (key->size == PM_SIZE_COUNT || row->size == key->size) && row->what == key->what) {
        assert_false(search->found);
        search->found = true;
        *search->out = *row;
    }
    return PM_OK;
}

bool stored_statistic(struct stored *s, const char *target, const struct pm_statistic_row *key,
                      struct pm_statistic_row *out)
{
    struct statistic_search search = {.target = stored_target(s, target), .key = key, .out = out};
    assert_ok(s,
              pm_store_statistics(s->store, s->run, key->scope, match_statistic, &search, &s->err));
    return search.found;
}

/* ---- texts ------------------------------------------------------------------------------------
 */

void assert_text(char *got, const char *want)
{
    assert_string_equal(got, want);
    free(got);
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in:\n%s", part, text);
}

void stored_catch_stdout(struct stored *s)
{
    char *path = pm_path_join(s->folder, "stdout");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    free(path);
    assert_true(file >= 0);
    fflush(stdout);
    screen = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    close(file);
}

char *stored_caught(struct stored *s)
{
    struct pm_str text = PM_STR_INIT;
    char *path = pm_path_join(s->folder, "stdout");
    fflush(stdout);
    dup2(screen, STDOUT_FILENO);
    close(screen);
    screen = -1;
    const int rc = pm_file_read(path, &text, &s->err);
    free(path);
    assert_int_equal(rc, PM_OK);
    return pm_str_detach(&text);
}
