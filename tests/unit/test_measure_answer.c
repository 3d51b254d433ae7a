/* Tests of a child's answer: nothing in it is trusted, and a right answer reaches the store. */
#include "stores.h"

#include "base/alloc.h"
#include "base/json.h"
#include "measure/answer.h"
#include "store/outputs.h"

static const float numbers[] = {1, 2.5F, -3};

/* Returns a RESULT frame over the bytes of `numbers`; %s in `header` is their digest as
 * float32[3]. */
static struct pm_frame frame_of(const char *header, char **text)
{
    const struct pm_shape shape = {.dims = 1, .size = {3}};
    const struct pm_digest digest = pm_digest_of(PM_FLOAT32, &shape, numbers, sizeof numbers);
    const char *at = strstr(header, "%s");
    *text = at ? pm_format("%.*s%s%s", (int)(at - header), header, digest.hex, at + 2)
               : pm_strdup(header);
    json_error_t why;
    json_t *json = json_loads(*text, 0, &why);
    if (!json)
        fail_msg("%s: %s", *text, why.text);
    return (struct pm_frame){.kind = PM_FRAME_RESULT,
                             .header = json,
                             .body = (const unsigned char *)numbers,
                             .body_length = sizeof numbers};
}

static int parse(const char *header, struct answer *answer, struct pm_error *err)
{
    char *text;
    const struct pm_frame frame = frame_of(header, &text);
    const int rc = pm_measure__answer_parse(answer, &frame, err);
    if (rc)
        json_decref(frame.header);
    free(text);
    return rc;
}

/* Returns the answer with this header, which must be valid; the caller passes it to release(). */
static struct answer parsed(const char *header)
{
    struct answer answer;
    struct pm_error err = {""};
    if (parse(header, &answer, &err))
        fail_msg("%s", err.text);
    return answer;
}

static void release(struct answer *answer)
{
    json_t *header = (json_t *)(uintptr_t)answer->header;
    pm_measure__answer_release(answer);
    json_decref(header);
}

static void check_refused(const char *header, const char *part)
{
    struct answer answer;
    struct pm_error err = {""};
    if (parse(header, &answer, &err) != PM_EFORMAT)
        fail_msg("not refused: %.200s", header);
    if (!strstr(err.text, part) || strchr(err.text, '\n'))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

/* Asserts that the answer becomes a fault of portmeter that names the limit, without results. */
static void check_limited(const char *header, const char *part)
{
    struct answer answer;
    struct pm_error err = {""};
    char *text;
    const struct pm_frame frame = frame_of(header, &text);
    if (pm_measure__answer_parse(&answer, &frame, &err))
        fail_msg("refused: %s", err.text);
    const char *harness = pm_json_string(answer.header, "harness", "");
    if (!strstr(harness, part) || !strstr(harness, "portmeter's limit"))
        fail_msg("'%s' does not say '%s'", harness, part);
    assert_true(pm_measure__answer_went_wrong(&answer, false));
    assert_int_equal(answer.leaf_count + answer.clock_count, 0);
    assert_int_equal(answer.stage, PM_STAGE_COMPARE);
    char *evidence = pm_measure__answer_evidence(&answer);
    assert_null(strstr(evidence, "\"outputs\""));
    free(evidence);
    pm_measure__answer_release(&answer);
    json_decref(frame.header);
    free(text);
}

#define COMPARED "{\"stage\": \"compare\", \"outputs\": "
#define TEN      "1,1,1,1,1,1,1,1,1,1,"
#define ARRAY(dtype, shape, place)                                                                 \
    "{\"outputs\": [{\"path\": \"out\", \"dtype\": \"" dtype "\", \"shape\": " shape ", " place    \
    "}]}"
#define WHOLE "\"offset\": 0, \"bytes\": 12, \"digest\": \"%s\""

/* ---- what is refused --------------------------------------------------------------------------
 */

static void test_a_leaf_must_be_something_somewhere(void **state)
{
    (void)state;
    check_refused("{\"outputs\": [1]}", "the answer contains an output without a path");
    check_refused("{\"outputs\": [{}]}", "the answer contains an output without a path");
    check_refused("{\"outputs\": [{\"path\": 3, \"value\": 1}]}",
                  "the answer contains an output without a path");
    check_refused("{\"outputs\": [{\"path\": \"out\"}]}", "not an array, a value, a container or");
    check_refused("{\"outputs\": [{\"path\": \"out\", \"type\": 7}]}", "not an array");
    check_refused("{\"outputs\": [{\"path\": \"out\", \"dtype\": 7}]}", "not an array");
    check_refused("{\"gradients\": [{\"path\": \"out\", \"value\": 1}, {\"path\": \"x\"}]}", "'x'");
}

static void test_a_shape_is_a_short_list_of_sizes(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "7", "{}", "null", "\"[3]\"", "[-1]", "[1.5]", "[\"3\"]",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char *header = pm_format(ARRAY("float32", "%s", "\"offset\": 0, \"bytes\": 12"), shapes[i]);
        check_refused(header, "output 'out' has no shape");
        free(header);
    }
    check_refused("{\"outputs\": [{\"path\": \"out\", \"dtype\": \"float32\"}]}", "has no shape");
}

static void test_bytes_lie_in_the_body_and_are_as_many_as_the_shape_says(void **state)
{
    (void)state;
    enum { WRONG_NUMBERS = 5 };
    static const char *const places[] = {
        "\"offset\": 0",
        "\"offset\": 0, \"bytes\": 11",
        "\"offset\": 0, \"bytes\": 13",
        "\"offset\": 0, \"bytes\": -12",
        "\"offset\": 0, \"bytes\": 12.0",
        "\"offset\": 1, \"bytes\": 12",
        "\"offset\": -1, \"bytes\": 12",
        "\"offset\": 13, \"bytes\": 12",
        "\"offset\": 9223372036854775807, \"bytes\": 12",
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *header = pm_format(ARRAY("float32", "[3]", "%s"), places[i]);
        check_refused(header, i < WRONG_NUMBERS
                                  ? "bytes of output 'out' does not match its shape and dtype"
                                  : "output 'out' refers to bytes outside its frame");
        free(header);
    }
    check_refused(ARRAY("float32", "[4]", "\"offset\": 0, \"bytes\": 16"),
                  "refers to bytes outside");
    /* Sizes that overflow: 2^62 elements of 4 bytes, 2^64 elements. */
    check_refused(ARRAY("float32", "[4611686018427387904]", "\"offset\": 0, \"bytes\": 0"),
                  "does not match its shape");
    check_refused(ARRAY("bool", "[4294967296, 4294967296]", "\"offset\": 0, \"bytes\": 0"),
                  "does not match its shape");
}

static void test_bytes_have_the_digest_that_the_answer_says(void **state)
{
    (void)state;
    check_refused(ARRAY("float32", "[3]", "\"offset\": 0, \"bytes\": 12"),
                  "does not match its digest");
    check_refused(ARRAY("float32", "[3]", "\"offset\": 0, \"bytes\": 12, \"digest\": \"00\""),
                  "does not match its digest");
    check_refused(ARRAY("float32", "[3,1]", WHOLE), "does not match its digest");
    check_refused(ARRAY("int32", "[3]", WHOLE), "does not match its digest");
    check_refused(ARRAY("float32", "[2]", "\"offset\": 4, \"bytes\": 8, \"digest\": \"%s\""),
                  "does not match its digest");
}

static void test_what_was_counted_by_clock_is_whole_numbers(void **state)
{
    (void)state;
    static const char *const lists[] = {"7",    "{}",     "[1.5]",   "[1, 1e300]",
                                        "[-1]", "[null]", "[[1]]",   "[\"1\"]",
                                        "null", "[true]", "\"[1]\"", "[-9223372036854775808]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char *header = pm_format("{\"timings\": {\"warm\": %s}}", lists[i]);
        check_refused(header, "'timings' of clock 'warm'");
        free(header);
        header = pm_format("{\"compilations\": {\"warm\": %s}}", lists[i]);
        check_refused(header, "'compilations' of clock 'warm'");
        free(header);
    }
    check_refused("{\"timings\": []}", "'timings' of the answer");
    check_refused("{\"timings\": 3}", "'timings' of the answer");
    check_refused("{\"timings\": {\"\": [1]}}", "unknown clock ''");
    check_refused("{\"compilations\": {\"lunch\": [1]}}", "unknown clock 'lunch'");
    check_refused("{\"timings\": {\"warm\": [9007199254740993]}}", "'timings' of clock 'warm'");
}

/* Returns `count` times 'a' between two texts; the caller frees it. */
static char *with_long_word(const char *before, size_t count, const char *after)
{
    char *word = pm_alloc(count + 1), *text;
    memset(word, 'a', count);
    text = pm_format("%s%s%s", before, word, after);
    free(word);
    return text;
}

static void test_words_are_no_longer_than_the_store_keeps_them(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {COMPARED "[{\"path\": \"", "\", \"value\": 1}]}"},
        {COMPARED "[{\"path\": \"out\", \"value\": 1, \"device\": \"", "\"}]}"},
        {COMPARED "[{\"path\": \"out\", \"shape\": [], \"dtype\": \"", "\"}]}"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *header = with_long_word(texts[i][0], 65536, texts[i][1]);
        check_limited(header, "limit of 65535 bytes");
        free(header);
        header = with_long_word(texts[i][0], 65535, texts[i][1]);
        struct answer answer = parsed(header);
        release(&answer);
        free(header);
    }
}

static void test_words_are_known_where_a_table_has_them(void **state)
{
    (void)state;
    check_refused("{\"stage\": \"lunch\"}", "stage 'lunch' of the answer is unknown");
    struct answer answer = parsed("{\"stage\": \"sync\"}");
    assert_int_equal(answer.stage, PM_STAGE_SYNC);
    release(&answer);
}

/* A right answer beyond portmeter's own limits does not count against the function. */
static void test_limits_are_our_own_fault(void **state)
{
    (void)state;
    check_limited(
        COMPARED "[{\"path\": \"out\", \"dtype\": \"float32\", \"shape\": [" TEN TEN TEN TEN TEN TEN
                 "1,1,1,1,1], \"offset\": 0, \"bytes\": 4}]}",
        "65 dimensions, more than portmeter's limit of 64");
    check_limited(COMPARED "[{\"path\": \"out\", \"dtype\": \"bool\", \"shape\": [2147483648], "
                           "\"offset\": 0, \"bytes\": 2147483648}]}",
                  "2147483648 bytes, more than portmeter's limit of 943718400");
    check_limited(COMPARED "[{\"path\": \"out\", \"dtype\": \"int64\", \"shape\": [536870913], "
                           "\"offset\": 0, \"bytes\": 4294967304}]}",
                  "4294967304 bytes, more than portmeter's limit of 943718400");
}

/* A driver cannot send more leaves than this; the limit is checked before anything is allocated. */
static void test_leaves_are_as_many_as_a_driver_sends(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    struct pm_str header = PM_STR_INIT;
    pm_str_add(&header, "{\"stage\":\"compare\",\"timings\":{\"warm\":[3]},\"gradients\":[");
    for (int i = 0; i < MOST; i++)
        pm_str_add(&header, "{\"path\":\"\",\"value\":0},");
    pm_str_add(&header, "{\"path\":\"\",\"value\":0}]}");
    check_limited(
        header.data,
        "'gradients' of the answer has 100001 entries, more than portmeter's limit of 100000");
    pm_str_release(&header);
    check_refused("{\"outputs\": 7}", "'outputs' of the answer is not a list");
    check_refused("{\"gradients\": {}}", "'gradients' of the answer is not a list");
}

/* The text of a shape has all its sizes, however many and large they are. */
static void test_a_long_shape_keeps_its_sizes(void **state)
{
    (void)state;
    struct pm_str header = PM_STR_INIT;
    struct pm_leaves leaves;
    pm_str_add(&header, "{\"outputs\":[{\"path\":\"o\",\"dtype\":\"bool\",\"shape\":[0");
    for (unsigned d = 1; d < PM_MAX_DIMS; d++)
        pm_str_addf(&header, ",%lld", (long long)(INT64_MAX - d));
    pm_str_add(&header, "]}]}");
    struct answer answer = parsed(header.data);
    pm_measure__answer_leaves(&answer, PM_PART_COUNT, &leaves);
    assert_int_equal(leaves.items[0].kind, PM_LEAF_ARRAY);
    assert_int_equal(leaves.items[0].array.shape.dims, PM_MAX_DIMS);
    assert_true(leaves.items[0].array.shape.size[31] == INT64_MAX - 31);
    pm_leaves_release(&leaves);
    release(&answer);
    pm_str_release(&header);
}

/* ---- what is right ----------------------------------------------------------------------------
 */

static void test_an_answer_without_anything_is_one(void **state)
{
    (void)state;
    static const char *const headers[] = {"{}", "{\"outputs\": null}",
                                          "{\"outputs\": [], \"timings\": {\"dispatch\": []}}"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct answer answer = parsed(headers[i]);
        assert_int_equal(answer.leaf_count, 0);
        release(&answer);
    }
}

static void test_leaves_are_arrays_values_containers_and_types(void **state)
{
    (void)state;
    struct answer answer = parsed(
        "{\"outputs\": [{\"path\": \"out[0]\", \"dtype\": \"float32\", \"shape\": [3], " WHOLE
        "}, {\"path\": \"out[1]\", \"value\": {\"b\": 1, \"a\": null}},"
        "{\"path\": \"out[2]\", \"type\": \"null.Thing\"},"
        "{\"path\": \"out[3]\", \"dtype\": \"quint8\", \"shape\": [2], \"offset\": 99},"
        "{\"path\": \"out[4]\", \"container\": \"torch.Size\"}],"
        "\"gradients\": [{\"path\": \"x\", \"dtype\": \"float32\", \"shape\": [9, 9]}]}");
    struct pm_leaves outputs, all;
    assert_int_equal(answer.leaf_count, 6);
    pm_measure__answer_leaves(&answer, PM_PART_OUTPUT, &outputs);
    pm_measure__answer_leaves(&answer, PM_PART_COUNT, &all);
    assert_int_equal(outputs.count, 5);
    assert_int_equal(all.count, 6);
    assert_int_equal(outputs.items[0].kind, PM_LEAF_ARRAY);
    assert_true(outputs.items[0].has_bytes);
    assert_float_equal(pm_array_real(&outputs.items[0].array, 1), 2.5, 0);
    assert_int_equal(outputs.items[1].kind, PM_LEAF_VALUE);
    assert_string_equal(outputs.items[1].value, "{\"a\":null,\"b\":1}");
    assert_int_equal(outputs.items[2].kind, PM_LEAF_TYPE);
    assert_string_equal(outputs.items[3].type, "quint8"); /* not a dtype of the vocabulary */
    assert_int_equal(outputs.items[4].kind, PM_LEAF_CONTAINER);
    assert_string_equal(outputs.items[4].type, "torch.Size");
    assert_false(all.items[5].has_bytes); /* a leaf without an offset has no bytes */
    assert_string_equal(all.items[5].path, "x");
    pm_leaves_release(&outputs);
    pm_leaves_release(&all);
    release(&answer);
}

static void test_samples_of_a_clock(void **state)
{
    (void)state;
    struct answer answer = parsed("{\"timings\": {\"warm\": [30, 10, 20], \"dispatch\": []}}");
    const struct answer_clock *warm = pm_measure__answer_clock(&answer, PM_CLOCK_WARM);
    assert_int_equal(warm->count, 3);
    assert_int_equal(warm->times[1], 10);
    assert_null(warm->compiled);
    assert_null(pm_measure__answer_clock(&answer, PM_CLOCK_DISPATCH));
    assert_null(pm_measure__answer_clock(&answer, PM_CLOCK_COLD));
    release(&answer);
}

#define DETAILS(clock, details)                                                                    \
    "{\"timings\": {\"warm\": [30]}, \"clocks\": {\"" clock "\": " details "}}"
#define COUNTS "\"warmup\": 40, \"factor\": 7, \"imports\": 2"

static void test_details_of_a_clock(void **state)
{
    (void)state;
    struct answer answer = parsed(DETAILS("warm", "{" COUNTS ", \"imported\": \"sympy\"}"));
    const struct answer_clock *warm = pm_measure__answer_clock(&answer, PM_CLOCK_WARM);
    assert_int_equal(warm->warmup, 40);
    assert_int_equal(warm->factor, 7);
    assert_int_equal(warm->imports, 2);
    assert_string_equal(warm->imported, "sympy");
    release(&answer);
    answer = parsed("{\"timings\": {\"warm\": [30]}}");
    warm = pm_measure__answer_clock(&answer, PM_CLOCK_WARM);
    assert_int_equal(warm->warmup, 0);
    assert_int_equal(warm->factor, 1);
    assert_string_equal(warm->imported, "");
    release(&answer);
}

static void test_details_of_a_clock_that_make_no_sense(void **state)
{
    (void)state;
    check_refused("{\"clocks\": []}", "'clocks' of the answer is not an object");
    check_refused(DETAILS("lukewarm", "{" COUNTS "}"), "unknown clock 'lukewarm'");
    check_refused(DETAILS("warm", "7"), "'warmup' of clock 'warm' is missing or out of range");
    check_refused(DETAILS("warm", "{\"warmup\": 1, \"factor\": 1}"),
                  "'imports' of clock 'warm' is missing");
    check_refused(DETAILS("warm", "{\"warmup\": -1, \"factor\": 1, \"imports\": 0}"), "'warmup'");
    check_refused(DETAILS("warm", "{\"warmup\": 0, \"factor\": 0, \"imports\": 0}"), "'factor'");
    check_refused(DETAILS("warm", "{\"warmup\": 0, \"factor\": 1.5, \"imports\": 0}"), "'factor'");
    check_refused(DETAILS("warm", "{\"warmup\": 0, \"factor\": 1, \"imports\": 1000000000001}"),
                  "'imports'");
    char *name = pm_format("%*s", 1001, "x");
    char *header = pm_format(DETAILS("warm", "{" COUNTS ", \"imported\": \"%s\"}"), name);
    check_refused(header, "'imported' of clock 'warm' is too long");
    free(header);
    free(name);
}

static bool goes_wrong(const char *header, bool raises_expected)
{
    struct answer answer = parsed(header);
    const bool wrong = pm_measure__answer_went_wrong(&answer, raises_expected);
    release(&answer);
    return wrong;
}

static void test_what_a_fresh_process_could_put_right(void **state)
{
    (void)state;
    assert_false(goes_wrong("{}", false));
    assert_false(goes_wrong("{\"raised\": null, \"harness\": null, \"poisoned\": false}", false));
    assert_true(goes_wrong("{\"raised\": {}}", false));
    assert_false(goes_wrong("{\"raised\": {}}", true));
    assert_true(goes_wrong("{\"harness\": \"an input did not arrive\"}", true));
    assert_true(goes_wrong("{\"poisoned\": true}", true));
    assert_false(goes_wrong("{\"not_applicable\": \"no second device\"}", false));
}

/* ---- into the store ---------------------------------------------------------------------------
 */

struct kept {
    size_t leaves, timings, compilations;
    int64_t first_timing;
};

static int keep_leaf(void *ctx, const struct pm_leaf_row *row)
{
    struct kept *kept = ctx;
    kept->leaves++;
    if (row->kind == PM_LEAF_ARRAY)
        assert_string_equal(row->shape, "[3]");
    return PM_OK;
}

static int keep_timing(void *ctx, const struct pm_timing_row *row)
{
    struct kept *kept = ctx;
    kept->timings++;
    kept->compilations += row->compilations != NULL;
    if (row->clock == PM_CLOCK_WARM)
        kept->first_timing = row->times[0];
    return PM_OK;
}

static void test_leaves_and_timings_are_stored(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"null@host"}};
    static const struct stored_execution executions[] = {{"null@host", "f", "a"},
                                                         {"null@host", "f", "b"}};
    struct kept kept = {0}, timed = {0};
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
    const int64_t id = stored_execution(s, "null@host", "f", "a", 0);
    const int64_t other = stored_execution(s, "null@host", "f", "b", 0);
    struct answer answer = parsed(
        "{\"outputs\": [{\"path\": \"out[0]\", \"dtype\": \"float32\", \"shape\": [3], " WHOLE
        "}, {\"path\": \"out[1]\", \"value\": 1}],"
        "\"gradients\": [{\"path\": \"x\", \"dtype\": \"float32\", \"shape\": [3]}],"
        "\"timings\": {\"cold\": [90], \"warm\": [30, 10], \"dispatch\": []},"
        "\"compilations\": {\"cold\": [2], \"warm\": [0]}}");
    assert_ok(s, pm_measure__answer_store(&answer, s->store, id, true, &s->err));
    assert_ok(s, pm_store_leaves(s->store, id, keep_leaf, &kept, &s->err));
    assert_ok(s, pm_store_timings(s->store, s->run, PM_CLOCK_COUNT, keep_timing, &kept, &s->err));
    assert_int_equal(kept.leaves, 3);
    assert_int_equal(kept.timings, 2); /* a clock without samples has no row */
    assert_int_equal(kept.first_timing, 30);
    assert_int_equal(kept.compilations, 1); /* kept only with one count for each sample */
    assert_ok(s, pm_measure__answer_store(&answer, s->store, other, false, &s->err));
    assert_ok(s, pm_store_leaves(s->store, other, keep_leaf, &timed, &s->err));
    assert_ok(s, pm_store_timings(s->store, s->run, PM_CLOCK_COUNT, keep_timing, &timed, &s->err));
    assert_int_equal(timed.leaves, 0);
    assert_int_equal(timed.timings, 4); /* the sum of both executions */
    release(&answer);
}

/* ---- what is reported of the first call
 * -------------------------------------------------------------
 */

#define COLD "\"stage\": \"run\", \"timings\": {\"cold\": [100]}, "

static void test_what_is_reported_of_the_first_call_is_checked(void **state)
{
    (void)state;
    check_refused("{" COLD "\"first_call\": 7}", "'first_call' of the answer is not an object");
    check_refused("{" COLD "\"first_call\": [7]}", "'first_call' of the answer is not an object");
    static const char *const bad[] = {"-1", "1.5", "\"7\"", "9007199254740993", "[]", "1e300"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *part = pm_format("{" COLD "\"first_call\": {\"lowering\": %s}}", bad[i]);
        check_refused(part, "'lowering' of the answer is not a count");
        free(part);
        char *memory = pm_format("{\"stage\": \"run\", \"device_memory\": %s}", bad[i]);
        check_refused(memory, "'device_memory' of the answer is not a count");
        free(memory);
    }
}

static void test_the_parts_of_a_call_are_no_longer_than_it_is(void **state)
{
    (void)state;
    check_refused("{" COLD "\"first_call\": {\"tracing\": 60, \"compiling\": 41}}", "longer");
    check_refused("{\"stage\": \"run\", \"first_call\": {\"tracing\": 1}}", "longer");
    struct answer answer = parsed("{" COLD "\"device_memory\": 4096, "
                                  "\"first_call\": {\"tracing\": 60, \"compiling\": 40}}");
    assert_int_equal(answer.first_call.tracing_ns, 60);
    assert_int_equal(answer.first_call.lowering_ns, -1);
    assert_int_equal(answer.first_call.compiling_ns, 40);
    assert_int_equal(answer.first_call.device_memory, 4096);
    release(&answer);
    answer = parsed("{" COLD "\"first_call\": null, \"device_memory\": null}");
    assert_int_equal(answer.first_call.tracing_ns, -1);
    assert_int_equal(answer.first_call.device_memory, -1);
    release(&answer);
}

static int keep_first_call(void *ctx, const struct pm_first_call_row *row)
{
    *(struct pm_first_call_row *)ctx = *row;
    return PM_OK;
}

static void test_what_is_reported_of_the_first_call_is_stored(void **state)
{
    struct stored *s = *state;
    static const struct stored_target targets[] = {{"null@host"}};
    static const struct stored_execution executions[] = {{"null@host", "f", "a"}};
    struct pm_first_call_row kept = {0};
    stored_add_run(s, NULL);
    STORED_TARGETS(s, targets);
    STORED_EXECUTIONS(s, executions);
    const int64_t id = stored_execution(s, "null@host", "f", "a", 0);
    struct answer answer =
        parsed("{\"stage\": \"run\", \"timings\": {\"cold\": [90], \"warm\": [3, 4]},"
               "\"compilations\": {\"cold\": [2], \"warm\": [0, 5]},"
               "\"first_call\": {\"tracing\": 60, \"lowering\": 7, \"compiling\": 0}}");
    assert_ok(s, pm_measure__answer_store(&answer, s->store, id, true, &s->err));
    assert_ok(s, pm_store_first_calls(s->store, s->run, keep_first_call, &kept, &s->err));
    const int64_t reported[] = {kept.tracing_ns,    kept.lowering_ns, kept.compiling_ns,
                                kept.device_memory, kept.cold_ns,     kept.compilations,
                                kept.recompilations},
                  expected[] = {60, 7, 0, -1, 90, 2, 5};
    assert_memory_equal(reported, expected, sizeof reported);
    assert_int_equal(kept.execution_id, id);
    release(&answer);
}

static void test_evidence_is_the_header_without_what_has_rows(void **state)
{
    (void)state;
    struct answer answer = parsed(
        "{\"stage\": \"compare\", \"check\": false, \"raised\": null, \"fallback\": [], "
        "\"timings\": {\"cold\": [1]}, \"first_call\": {\"tracing\": 1}, \"device_memory\": 7,"
        "\"compilations\": {}, \"outputs\": ["
        "{\"path\": \"out[0]\", \"dtype\": \"float32\", \"shape\": [1], \"on_device\": true},"
        "{\"path\": \"out[1]\", \"dtype\": \"float32\", \"shape\": [1], \"device\": \"cpu\"},"
        "{\"path\": \"out[2]\", \"value\": 3}]}");
    assert_text(pm_measure__answer_evidence(&answer),
                "{\"check\":false,\"outputs\":[{\"device\":\"cpu\",\"on_device\":"
                "false,\"path\":\"out[1]\"}],\"stage\":\"compare\"}");
    release(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_reported_of_the_first_call_is_checked),
        cmocka_unit_test(test_the_parts_of_a_call_are_no_longer_than_it_is),
        cmocka_unit_test(test_a_leaf_must_be_something_somewhere),
        cmocka_unit_test(test_a_shape_is_a_short_list_of_sizes),
        cmocka_unit_test(test_bytes_lie_in_the_body_and_are_as_many_as_the_shape_says),
        cmocka_unit_test(test_bytes_have_the_digest_that_the_answer_says),
        cmocka_unit_test(test_what_was_counted_by_clock_is_whole_numbers),
        cmocka_unit_test(test_words_are_no_longer_than_the_store_keeps_them),
        cmocka_unit_test(test_words_are_known_where_a_table_has_them),
        cmocka_unit_test(test_limits_are_our_own_fault),
        cmocka_unit_test(test_leaves_are_as_many_as_a_driver_sends),
        cmocka_unit_test(test_a_long_shape_keeps_its_sizes),
        cmocka_unit_test(test_an_answer_without_anything_is_one),
        cmocka_unit_test(test_leaves_are_arrays_values_containers_and_types),
        cmocka_unit_test(test_samples_of_a_clock),
        cmocka_unit_test(test_what_a_fresh_process_could_put_right),
        cmocka_unit_test(test_details_of_a_clock),
        cmocka_unit_test(test_details_of_a_clock_that_make_no_sense),
        STORED_TEST(test_leaves_and_timings_are_stored),
        STORED_TEST(test_what_is_reported_of_the_first_call_is_stored),
        cmocka_unit_test(test_evidence_is_the_header_without_what_has_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
