/* Checks a child's RESULT frame and splits it into its parts. */
#include "measure/answer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "store/outputs.h"

/* The keys of a result that contain the leaves of each part. */
static const char *const part_keys[PM_PART_COUNT] = {
    [PM_PART_OUTPUT] = "outputs",
    [PM_PART_GRADIENT] = "gradients",
    [PM_PART_INPUT] = "inputs_after",
};

/* Other keys of a result, for which the store has columns. */
static const char *const measured[] = {"timings", "compilations", "clocks", "first_call",
                                       "device_memory"};
enum { MEASURED = sizeof measured / sizeof *measured };
#define NOTHING_REPORTED                                                                           \
    {                                                                                              \
        .tracing_ns = -1, .lowering_ns = -1, .compiling_ns = -1, .device_memory = -1               \
    }

/* Limits of an answer. MOST_LEAVES of a part and MOST_BYTES of an array are those of the drivers; a
 * blob of incompressible bytes must fit into a row. The store refuses a word longer than
 * LONGEST_WORD, which would end the run. Above MOST_COUNT, which is 104 days, a double cannot
 * represent every nanosecond. */
enum { MOST_LEAVES = 100000, MOST_TIMINGS = 1 << 20, LONGEST_WORD = 65535, MOST_MODULE = 1000 };
static const size_t MOST_BYTES = (size_t)900 << 20;
static const int64_t MOST_COUNT = (int64_t)1 << 53;
static const int64_t MOST_DETAIL = 1000000000000; /* the largest number that the store accepts */

/* A code of the parsers in addition to those of pm_error: the answer exceeds one of portmeter's own
 * limits, which the message names. */
enum { OVER_LIMIT = 1 };

static bool shape_of_json(const json_t *list, struct pm_shape *shape)
{
    if (!json_is_array(list))
        return false;
    *shape = (struct pm_shape){0};
    size_t i;
    json_t *size;
    json_array_foreach(list, i, size) {
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return false;
        shape->size[shape->dims++] = json_integer_value(size);
    }
    return true;
}

/* Checks the bytes of an array leaf (their place in the body, number and digest), and sets them. */
static int take_bytes(struct answer_leaf *leaf, const json_t *entry, const struct pm_shape *shape,
                      enum pm_dtype dtype, const struct pm_frame *frame, struct pm_error *err)
{
    if (!json_is_integer(json_object_get(entry, "offset")))
        return PM_OK;
    const int64_t offset = pm_json_int(entry, "offset", -1);
    const int64_t bytes = pm_json_int(entry, "bytes", -1);
    size_t count, need;
    if (!pm_shape_count(shape, &count) || !pm_mul(&need, count, pm_dtype_size(dtype)) ||
        bytes < 0 || (size_t)bytes != need)
        return pm_error_set(err, PM_EFORMAT,
                            "the number of bytes of output '%.60s' does not match its shape and "
                            "dtype",
                            leaf->path);
    if (need > MOST_BYTES)
        return pm_error_set(err, OVER_LIMIT,
                            "output '%.60s' has %zu bytes, more than portmeter's limit of %zu: use "
                            "smaller inputs",
                            leaf->path, need, MOST_BYTES);
    if (offset < 0 || (uint64_t)offset > frame->body_length ||
        need > frame->body_length - (uint64_t)offset)
        return pm_error_set(err, PM_EFORMAT, "output '%.60s' refers to bytes outside its frame",
                            leaf->path);
    leaf->bytes = frame->body + offset;
    leaf->length = need;
    leaf->digest = pm_digest_of(dtype, shape, leaf->bytes, need);
    if (strcmp(leaf->digest.hex, pm_json_string(entry, "digest", "")))
        return pm_error_set(err, PM_EFORMAT, "output '%.60s' does not match its digest",
                            leaf->path);
    return PM_OK;
}

static int parse_array(struct answer_leaf *leaf, const json_t *entry, const struct pm_frame *frame,
                       struct pm_error *err)
{
    struct pm_shape shape;
    enum pm_dtype dtype;
    char text[PM_SHAPE_TEXT];
    leaf->kind = PM_LEAF_ARRAY;
    const json_t *sizes = json_object_get(entry, "shape");
    if (json_array_size(sizes) > PM_MAX_DIMS)
        return pm_error_set(
            err, OVER_LIMIT,
            "output '%.60s' has %zu dimensions, more than portmeter's limit of %d: use "
            "fewer",
            leaf->path, json_array_size(sizes), PM_MAX_DIMS);
    if (!shape_of_json(sizes, &shape))
        return pm_error_set(err, PM_EFORMAT, "output '%.60s' has no shape", leaf->path);
    leaf->shape = pm_strdup(pm_shape_text(&shape, text));
    /* A dtype unknown to portmeter (a quantized one) is stored by name, without bytes. */
    return pm_dtype_parse(leaf->dtype, &dtype) ? take_bytes(leaf, entry, &shape, dtype, frame, err)
                                               : PM_OK;
}

static int parse_leaf(struct answer_leaf *leaf, const json_t *entry, const struct pm_frame *frame,
                      struct pm_error *err)
{
    const char *container = pm_json_string(entry, "container", NULL);
    const char *type = container ? container : pm_json_string(entry, "type", NULL);
    const json_t *value = json_object_get(entry, "value");
    leaf->path = pm_json_string(entry, "path", NULL);
    leaf->device = pm_json_string(entry, "device", "");
    leaf->on_device = pm_json_bool(entry, "on_device", false);
    leaf->dtype = pm_json_string(entry, "dtype", "");
    if (!leaf->path)
        return pm_error_set(err, PM_EFORMAT, "the answer contains an output without a path");
    if (strlen(leaf->path) > LONGEST_WORD || strlen(leaf->device) > LONGEST_WORD ||
        strlen(leaf->dtype) > LONGEST_WORD)
        return pm_error_set(err, OVER_LIMIT,
                            "output '%.60s' has a path, device or dtype that is longer than "
                            "portmeter's limit of %d bytes: shorten it",
                            leaf->path, LONGEST_WORD);
    if (*leaf->dtype)
        return parse_array(leaf, entry, frame, err);
    if (!type && !value)
        return pm_error_set(err, PM_EFORMAT,
                            "output '%.60s' is not an array, a value, a container or a type",
                            leaf->path);
    leaf->kind = value ? PM_LEAF_VALUE : container ? PM_LEAF_CONTAINER : PM_LEAF_TYPE;
    leaf->value = value ? pm_json_text(value) : pm_strdup(type);
    return PM_OK;
}

static int parse_leaves(struct answer *answer, enum pm_leaf_part part, const struct pm_frame *frame,
                        struct pm_error *err)
{
    const char *key = part_keys[part];
    const json_t *list = json_object_get(frame->header, key);
    size_t i;
    json_t *entry;
    if (list && !json_is_null(list) && !json_is_array(list))
        return pm_error_set(err, PM_EFORMAT, "'%s' of the answer is not a list", key);
    if (json_array_size(list) > MOST_LEAVES)
        return pm_error_set(
            err, OVER_LIMIT,
            "'%s' of the answer has %zu entries, more than portmeter's limit of %d: "
            "use a case with fewer",
            key, json_array_size(list), MOST_LEAVES);
    json_array_foreach(list, i, entry) {
        PM_GROW(answer->leaves, answer->leaf_count, answer->leaf_capacity);
        struct answer_leaf *leaf = &answer->leaves[answer->leaf_count++];
        *leaf = (struct answer_leaf){.part = part};
        PM_TRY(parse_leaf(leaf, entry, frame, err));
    }
    return PM_OK;
}

static bool is_list_of_counts(const json_t *list)
{
    size_t i;
    json_t *value;
    if (!json_is_array(list) || json_array_size(list) > MOST_TIMINGS)
        return false;
    json_array_foreach(list, i, value) {
        const json_int_t count = json_integer_value(value);
        if (!json_is_integer(value) || count < 0 || count > MOST_COUNT)
            return false;
    }
    return true;
}

static int64_t *counts_of(const json_t *list)
{
    const size_t count = json_array_size(list);
    int64_t *out = pm_alloc((count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = json_integer_value(json_array_get(list, i));
    return out;
}

/* Checks the counts of each clock: nanoseconds or compilations. A missing key is allowed. */
static int check_clocks(const json_t *header, const char *key, struct pm_error *err)
{
    json_t *clocks = json_object_get(header, key);
    const char *name;
    json_t *list;
    if (clocks && !json_is_object(clocks))
        return pm_error_set(err, PM_EFORMAT, "'%s' of the answer is not an object", key);
    json_object_foreach(clocks, name, list) {
        if (pm_words_find(&pm_clock_words, name) < 0)
            return pm_error_set(err, PM_EFORMAT, "'%s' of the answer has an unknown clock '%.60s'",
                                key, name);
        if (!is_list_of_counts(list))
            return pm_error_set(err, PM_EFORMAT, "'%s' of clock '%s' is not a list of counts", key,
                                name);
    }
    return PM_OK;
}

/* Checks the details of a clock: an object of counts and the name of a module. */
static int check_details(const json_t *header, struct pm_error *err)
{
    static const char *const counts[] = {"warmup", "factor", "imports"};
    json_t *clocks = json_object_get(header, "clocks");
    const char *name;
    json_t *details;
    if (clocks && !json_is_object(clocks))
        return pm_error_set(err, PM_EFORMAT, "'clocks' of the answer is not an object");
    json_object_foreach(clocks, name, details) {
        if (pm_words_find(&pm_clock_words, name) < 0)
            return pm_error_set(err, PM_EFORMAT,
                                "'clocks' of the answer has an unknown clock '%.60s'", name);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (pm_json_int_in(details, counts[i], i == 1, MOST_DETAIL, -1) < 0)
                return pm_error_set(err, PM_EFORMAT,
                                    "'%s' of clock '%s' is missing or out of range", counts[i],
                                    name);
        if (strlen(pm_json_string(details, "imported", "")) > MOST_MODULE)
            return pm_error_set(err, PM_EFORMAT, "'imported' of clock '%s' is too long", name);
    }
    return PM_OK;
}

/* Reads the clocks. Drops the counts of compilations unless there is one per timing. */
static int take_clocks(struct answer *answer, struct pm_error *err)
{
    PM_TRY(check_clocks(answer->header, "timings", err));
    PM_TRY(check_clocks(answer->header, "compilations", err));
    PM_TRY(check_details(answer->header, err));
    const json_t *timings = json_object_get(answer->header, "timings");
    const json_t *compilations = json_object_get(answer->header, "compilations");
    for (int i = 0; i < PM_CLOCK_COUNT; i++) {
        const char *name = pm_clock_text((enum pm_clock)i);
        const json_t *taken = json_object_get(timings, name);
        const json_t *compiled = json_object_get(compilations, name);
        const json_t *details = json_object_get(json_object_get(answer->header, "clocks"), name);
        const size_t count = json_array_size(taken);
        if (count)
            answer->clocks[answer->clock_count++] = (struct answer_clock){
                .clock = (enum pm_clock)i,
                .times = counts_of(taken),
                .compiled = json_array_size(compiled) == count ? counts_of(compiled) : NULL,
                .count = count,
                .warmup = pm_json_int_in(details, "warmup", 0, MOST_DETAIL, 0),
                .factor = pm_json_int_in(details, "factor", 1, MOST_DETAIL, 1),
                .imports = pm_json_int_in(details, "imports", 0, MOST_DETAIL, 0),
                .imported = pm_json_string(details, "imported", "")};
    }
    return PM_OK;
}

/* Reads a count of the object; *out is -1 if it is null or missing. */
static int take_reported(const json_t *object, const char *key, int64_t *out, struct pm_error *err)
{
    const json_t *value = json_object_get(object, key);
    *out = -1;
    if (!value || json_is_null(value))
        return PM_OK;
    *out = pm_json_int_in(object, key, 0, MOST_COUNT, -1);
    return *out < 0 ? pm_error_set(err, PM_EFORMAT, "'%s' of the answer is not a count", key)
                    : PM_OK;
}

/* Reads the parts of the first call. Their sum must not exceed the time of the call. */
static int take_first_call(struct answer *answer, struct pm_error *err)
{
    struct pm_first_call_row *reported = &answer->first_call;
    const json_t *parts = json_object_get(answer->header, "first_call");
    const struct answer_clock *cold = pm_measure__answer_clock(answer, PM_CLOCK_COLD);
    if (parts && !json_is_null(parts) && !json_is_object(parts))
        return pm_error_set(err, PM_EFORMAT, "'first_call' of the answer is not an object");
    PM_TRY(take_reported(parts, "tracing", &reported->tracing_ns, err));
    PM_TRY(take_reported(parts, "lowering", &reported->lowering_ns, err));
    PM_TRY(take_reported(parts, "compiling", &reported->compiling_ns, err));
    int64_t left = cold ? cold->times[0] : 0;
    const int64_t ns[] = {reported->tracing_ns, reported->lowering_ns, reported->compiling_ns};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        left -= ns[i] > 0 ? ns[i] : 0;
    return left < 0
               ? pm_error_set(err, PM_EFORMAT,
                              "the parts of 'first_call' of the answer are longer than the call")
               : take_reported(answer->header, "device_memory", &reported->device_memory, err);
}

static int parse_all(struct answer *answer, const struct pm_frame *frame, struct pm_error *err)
{
    const char *stage = pm_json_string(frame->header, "stage", "");
    if (!pm_stage_parse(stage, &answer->stage))
        return pm_error_set(err, PM_EFORMAT, "stage '%.60s' of the answer is unknown", stage);
    for (int part = 0; part < PM_PART_COUNT; part++)
        PM_TRY(parse_leaves(answer, (enum pm_leaf_part)part, frame, err));
    PM_TRY(take_clocks(answer, err));
    return take_first_call(answer, err);
}

/* Turns the answer into a failure of the harness: keeps its header without outputs and times. */
static void blame_the_limit(struct answer *answer, const struct pm_frame *frame, const char *limit)
{
    const enum pm_stage stage = answer->stage;
    pm_measure__answer_release(answer);
    json_t *header = json_copy(frame->header);
    for (int part = 0; part < PM_PART_COUNT; part++)
        json_object_set_new(header, part_keys[part], json_array());
    for (size_t i = 0; i < MEASURED; i++)
        json_object_del(header, measured[i]);
    json_object_set_new(header, "harness", json_string(limit));
    *answer = (struct answer){
        .header = header, .limited = header, .stage = stage, .first_call = NOTHING_REPORTED};
}

int pm_measure__answer_parse(struct answer *answer, const struct pm_frame *frame,
                             struct pm_error *err)
{
    struct pm_error why = {0};
    *answer = (struct answer){.header = frame->header, .first_call = NOTHING_REPORTED};
    const int rc = parse_all(answer, frame, &why);
    if (rc == OVER_LIMIT) {
        blame_the_limit(answer, frame, why.text);
        return PM_OK;
    }
    if (rc)
        pm_measure__answer_release(answer);
    return rc ? pm_error_set(err, rc, "%s", why.text) : PM_OK;
}

void pm_measure__answer_release(struct answer *answer)
{
    for (size_t i = 0; i < answer->leaf_count; i++) {
        free(answer->leaves[i].shape);
        free(answer->leaves[i].value);
    }
    for (size_t i = 0; i < answer->clock_count; i++) {
        free(answer->clocks[i].times);
        free(answer->clocks[i].compiled);
    }
    free(answer->leaves);
    json_decref(answer->limited);
    *answer = (struct answer){0};
}

static int store_leaves(const struct answer *answer, struct pm_store *store, int64_t execution_id,
                        struct pm_error *err)
{
    for (size_t i = 0; i < answer->leaf_count; i++) {
        const struct answer_leaf *leaf = &answer->leaves[i];
        const struct pm_leaf_row row = {
            .execution_id = execution_id,
            .part = leaf->part,
            .position = (int64_t)i,
            .path = leaf->path,
            .kind = leaf->kind,
            .dtype = leaf->dtype,
            .shape = leaf->shape ? leaf->shape : "",
            .device = leaf->device,
            .on_device = leaf->on_device,
            .digest = leaf->digest.hex,
            .value = leaf->value ? leaf->value : "",
        };
        PM_TRY(pm_store_add_leaf(store, &row, leaf->bytes, leaf->length, err));
    }
    return PM_OK;
}

static int store_first_call(const struct answer *answer, struct pm_store *store,
                            int64_t execution_id, struct pm_error *err)
{
    struct pm_first_call_row row = answer->first_call;
    row.execution_id = execution_id;
    const bool reported = row.tracing_ns >= 0 || row.lowering_ns >= 0 || row.compiling_ns >= 0 ||
                          row.device_memory >= 0;
    return reported ? pm_store_add_first_call(store, &row, err) : PM_OK;
}

int pm_measure__answer_store(const struct answer *answer, struct pm_store *store,
                             int64_t execution_id, bool outputs, struct pm_error *err)
{
    if (outputs)
        PM_TRY(store_leaves(answer, store, execution_id, err));
    PM_TRY(store_first_call(answer, store, execution_id, err));
    for (size_t i = 0; i < answer->clock_count; i++) {
        const struct answer_clock *clock = &answer->clocks[i];
        const struct pm_timing_row row = {.execution_id = execution_id,
                                          .clock = clock->clock,
                                          .times = clock->times,
                                          .compilations = clock->compiled,
                                          .count = clock->count,
                                          .warmup = clock->warmup,
                                          .factor = clock->factor,
                                          .imports = clock->imports,
                                          .imported = clock->imported};
        PM_TRY(pm_store_add_timing(store, &row, err));
    }
    return PM_OK;
}

/* Returns the leaves of a part that are not on the device. Only these stay in the evidence, because
 * each leaf has a row in the store. */
static json_t *off_device(const struct answer *answer, enum pm_leaf_part part)
{
    json_t *list = json_array();
    for (size_t i = 0; i < answer->leaf_count; i++) {
        const struct answer_leaf *leaf = &answer->leaves[i];
        if (leaf->part == part && leaf->kind == PM_LEAF_ARRAY && !leaf->on_device)
            json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "path", leaf->path, "device",
                                                  leaf->device, "on_device", 0));
    }
    return list;
}

/* Returns whether a member is null or empty. Readers treat a missing member as such a value. */
static bool says_nothing(const json_t *value)
{
    return json_is_null(value) || (json_is_array(value) && !json_array_size(value)) ||
           (json_is_object(value) && !json_object_size(value));
}

static void add_evidence(json_t *evidence, const char *key, json_t *value)
{
    if (!says_nothing(value))
        json_object_set(evidence, key, value);
}

/* Returns whether the key is stored in columns or rows of its own. */
static bool has_a_column(const char *key)
{
    bool found = false;
    for (int part = 0; part < PM_PART_COUNT; part++)
        found |= !strcmp(key, part_keys[part]);
    for (size_t i = 0; i < MEASURED; i++)
        found |= !strcmp(key, measured[i]);
    return found;
}

char *pm_measure__answer_evidence(const struct answer *answer)
{
    json_t *evidence = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)answer->header, key, value)
        if (!has_a_column(key))
            add_evidence(evidence, key, value);
    for (int part = 0; part < PM_PART_COUNT; part++) {
        json_t *strays = off_device(answer, (enum pm_leaf_part)part);
        add_evidence(evidence, part_keys[part], strays);
        json_decref(strays);
    }
    char *text = pm_json_text(evidence);
    json_decref(evidence);
    return text;
}

static void leaf_value(const struct answer_leaf *from, struct pm_leaf *to)
{
    *to = (struct pm_leaf){.path = from->path};
    if (from->kind != PM_LEAF_ARRAY) {
        to->kind = from->kind;
        to->value = to->type = from->value;
        return;
    }
    if (!pm_array_of_text(from->dtype, from->shape, &to->array)) {
        to->kind = PM_LEAF_TYPE;
        to->type = from->dtype;
        return;
    }
    to->array.bytes = from->length;
    to->array.data = (unsigned char *)(uintptr_t)from->bytes;
    to->has_bytes = from->bytes != NULL;
}

void pm_measure__answer_leaves(const struct answer *answer, enum pm_leaf_part part,
                               struct pm_leaves *out)
{
    *out = (struct pm_leaves){.items = pm_alloc((answer->leaf_count + 1) * sizeof *out->items)};
    for (size_t i = 0; i < answer->leaf_count; i++)
        if (part == PM_PART_COUNT || answer->leaves[i].part == part)
            leaf_value(&answer->leaves[i], &out->items[out->count++]);
}

const struct answer_clock *pm_measure__answer_clock(const struct answer *answer,
                                                    enum pm_clock clock)
{
    for (size_t i = 0; i < answer->clock_count; i++)
        if (answer->clocks[i].clock == clock)
            return &answer->clocks[i];
    return NULL;
}

bool pm_measure__answer_went_wrong(const struct answer *answer, bool raises_expected)
{
    return (json_is_object(json_object_get(answer->header, "raised")) && !raises_expected) ||
           json_is_string(json_object_get(answer->header, "harness")) ||
           json_is_string(json_object_get(answer->header, "destroyed")) ||
           pm_json_bool(answer->header, "poisoned", false);
}
