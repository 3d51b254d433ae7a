/*
 * Feeds the message of a lying child: a header as JSON, a NUL, a body. As an answer, it is refused
 * with one line, or it is stored, read back and judged, against itself and against a fixed answer.
 * It is also read as a request for arrays. A digest "?" is replaced by the right one, which no
 * fuzzer would guess.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "fuzz.h"
#include "good.h"
#include "measure/answer.h"
#include "measure/job.h"
#include "store/executions.h"
#include "store/outputs.h"

static const char reference_header[] =
    "{\"stage\":\"compare\",\"outputs\":[{\"path\":\"out\",\"dtype\":\"float32\",\"shape\":[2],"
    "\"device\":\"cpu\",\"on_device\":true,\"offset\":0,\"bytes\":8,\"digest\":\"?\"}]}";
static const float reference_body[] = {1, 2};

/* Reads which bytes of the body an entry claims; returns whether they exist and the digest is "?".
 */
static bool bytes_of(const json_t *entry, uint64_t length, int64_t *offset, int64_t *bytes)
{
    *offset = pm_json_int_in(entry, "offset", 0, (int64_t)length, -1);
    *bytes = *offset < 0 ? -1 : pm_json_int_in(entry, "bytes", 0, (int64_t)length - *offset, -1);
    return *bytes >= 0 && !strcmp(pm_json_string(entry, "digest", ""), "?");
}

static void fill_digests(json_t *list, const struct pm_frame *frame)
{
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        int64_t offset, bytes;
        struct pm_array array;
        char *shape =
            pm_json_text(json_object_get(entry, "shape") ? json_object_get(entry, "shape") : entry);
        if (bytes_of(entry, frame->body_length, &offset, &bytes) &&
            pm_array_of_text(pm_json_string(entry, "dtype", ""), shape, &array))
            json_object_set_new(entry, "digest",
                                json_string(pm_digest_of(array.dtype, &array.shape,
                                                         frame->body + offset, (size_t)bytes)
                                                .hex));
        free(shape);
    }
}

static bool make_frame(const char *text, size_t size, unsigned kind, struct pm_frame *out)
{
    const size_t header = strnlen(text, size);
    *out = (struct pm_frame){.kind = kind};
    if (pm_json_parse(text, header, &out->header, NULL))
        return false;
    if (!json_is_object(out->header) || pm_json_is_deeper(out->header, PM_WIRE_DEPTH_MAX)) {
        json_decref(out->header); /* wire.c would have refused it */
        return false;
    }
    out->body = (const unsigned char *)text + header + (header < size);
    out->body_length = size - header - (header < size);
    fill_digests(json_object_get(out->header, "outputs"), out);
    fill_digests(json_object_get(out->header, "gradients"), out);
    return true;
}

static void judge(const struct answer *answer, const json_t *header,
                  const struct pm_difference *difference)
{
    struct pm_judgement judgement;
    const struct pm_evidence_of evidence = {.answered = true,
                                            .stage = answer->stage,
                                            .result = header,
                                            .raises_type = "ValueError",
                                            .raises_message = "a.*b",
                                            .has_check = true,
                                            .is_reference = true,
                                            .against_reference = difference};
    struct pm_evidence_of plain = evidence;
    plain.raises_type = NULL;
    plain.has_check = false;
    pm_judge_execution(&evidence, &judgement);
    pm_judge_execution(&plain, &judgement);
    if (!pm_outcome_text(judgement.outcome) || strchr(judgement.detail, '\n'))
        fuzz_wrong("an outcome that is none: '%s'", judgement.detail);
}

static void compare(const struct answer *answer, const struct answer *other, bool is_itself)
{
    struct pm_leaves got, want;
    struct pm_difference difference;
    pm_measure__answer_leaves(answer, PM_PART_COUNT, &got);
    pm_measure__answer_leaves(other, PM_PART_COUNT, &want);
    for (int how = PM_COMPARE_CLOSE; how < PM_COMPARE_COUNT; how++) {
        const struct pm_compare_rule rule = {.how = (enum pm_compare)how};
        pm_compare_leaves(&got, &want, &rule, &difference);
        if (is_itself && difference.kind == PM_DIFFERENCE_STRUCTURE)
            fuzz_wrong("an answer is built unlike itself: %s", difference.text);
    }
    judge(answer, answer->header, &difference);
    pm_leaves_release(&got);
    pm_leaves_release(&want);
}

static void check_numbers(const struct answer *answer)
{
    for (size_t i = 0; i < answer->clock_count; i++)
        for (size_t k = 0; k < answer->clocks[i].count; k++)
            if (answer->clocks[i].times[k] < 0 ||
                (answer->clocks[i].compiled && answer->clocks[i].compiled[k] < 0))
                fuzz_wrong("a time or a count that is negative");
    for (size_t i = 0; i < answer->leaf_count; i++) {
        const struct answer_leaf *leaf = &answer->leaves[i];
        if (leaf->bytes && strcmp(leaf->digest.hex, "") == 0)
            fuzz_wrong("bytes without a digest");
    }
}

/* ---- into a store --------------------------------------------------------------------------- */

enum { MOST_STORED = 50, FIRST_REPETITION = 1000 };

static struct pm_store *store;

static void close_store(void)
{
    pm_store_free(store);
    store = NULL;
}

/* Opens a store with a transaction that is never committed, so that its rows are discarded. */
static void open_store(int64_t stored)
{
    static const char *path;
    struct pm_error err;
    if (!path) {
        path = fuzz_good_database();
        atexit(close_store);
    }
    if (store && stored % MOST_STORED)
        return;
    close_store();
    if (pm_store_open(&store, path, PM_STORE_WRITE, &err) || pm_store_begin(store, &err))
        fuzz_wrong("%s", err.text);
}

static int count_leaf(void *ctx, const struct pm_leaf_row *row)
{
    (void)row;
    ++*(size_t *)ctx;
    return PM_OK;
}

static int count_timing(void *ctx, const struct pm_timing_row *row)
{
    (void)row;
    ++*(size_t *)ctx;
    return PM_OK;
}

static int count_first_call(void *ctx, const struct pm_first_call_row *row)
{
    (void)row;
    ++*(size_t *)ctx;
    return PM_OK;
}

/* An accepted answer must fit the columns, because a lying child may not end the run. */
static void store_and_read(const struct answer *answer, const char *evidence)
{
    static int64_t stored;
    struct pm_error err = {""};
    struct pm_execution_row row = {.run_id = 1, .answered = true, .result = evidence};
    size_t leaves = 0, timings = 0, first_calls = 0;
    open_store(stored);
    row.repetition = FIRST_REPETITION + stored++;
    if (pm_store_plan_execution(store, 1, 1, 1, row.repetition, PM_RETRY_NONE, &row.id, &err) ||
        pm_store_finish_execution(store, &row, &err) ||
        pm_measure__answer_store(answer, store, row.id, true, &err))
        fuzz_wrong("an answer that was accepted is not stored: %s", err.text);
    if (pm_store_leaves(store, row.id, count_leaf, &leaves, &err) ||
        pm_store_timings(store, 1, PM_CLOCK_COUNT, count_timing, &timings, &err) ||
        pm_store_first_calls(store, 1, count_first_call, &first_calls, &err))
        fuzz_wrong("an answer that was stored is not read: %s", err.text);
    if (leaves != answer->leaf_count || timings < answer->clock_count)
        fuzz_wrong("%zu leaves and %zu clocks of %zu and %zu", leaves, timings, answer->leaf_count,
                   answer->clock_count);
    if (!first_calls && answer->first_call.device_memory >= 0)
        fuzz_wrong("what is reported of the first call is not there");
}

static void check_answer(const struct answer *answer)
{
    struct answer reference;
    struct pm_frame frame;
    struct pm_str text = PM_STR_INIT;
    pm_str_add_bytes(&text, reference_header, sizeof reference_header);
    pm_str_add_bytes(&text, reference_body, sizeof reference_body);
    if (!make_frame(text.data, text.length, PM_FRAME_RESULT, &frame) ||
        pm_measure__answer_parse(&reference, &frame, NULL))
        fuzz_wrong("the answer to compare with is refused");
    check_numbers(answer);
    compare(answer, answer, true);
    compare(answer, &reference, false);
    compare(&reference, answer, false);
    (void)pm_measure__answer_went_wrong(answer, true);
    char *evidence = pm_measure__answer_evidence(answer);
    store_and_read(answer, evidence);
    free(evidence);
    pm_measure__answer_release(&reference);
    json_decref(frame.header);
    pm_str_release(&text);
}

static void ask(const struct pm_frame *frame)
{
    const struct pm_function function = {.name = "torch.f"};
    const struct pm_case c = {.function = &function, .name = "case"};
    struct pm_str body = PM_STR_INIT;
    struct pm_error err = {""};
    json_t *header = json_object();
    if (pm_measure__job_give(&c, 1, frame, header, &body, &err))
        fuzz_check_error(&err);
    json_decref(header);
    pm_str_release(&body);
}

/* Returns whether a request is small. Only then are its arrays generated here. */
static bool asks_for_little(const json_t *header)
{
    size_t i, k, total = 0;
    json_t *request, *size;
    json_array_foreach(json_object_get(header, "arrays"), i, request) {
        double count = 1;
        json_array_foreach(json_object_get(request, "shape"), k, size)
            count *= (double)json_integer_value(size);
        total += count > 0 && count < 1e9 ? (size_t)count : 0;
    }
    return total < 4096;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_frame frame;
    struct answer answer;
    struct pm_error err = {""};
    char *text = (char *)fuzz_copy(data, size, 0);
    if (make_frame(text, size, PM_FRAME_RESULT, &frame)) {
        if (pm_measure__answer_parse(&answer, &frame, &err)) {
            fuzz_check_error(&err);
        } else {
            check_answer(&answer);
            pm_measure__answer_release(&answer);
        }
        if (asks_for_little(frame.header))
            ask(&frame);
        json_decref(frame.header);
    }
    free(text);
    return 0;
}
