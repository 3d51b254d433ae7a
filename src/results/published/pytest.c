/* Parses reports of pytest and the paper's timing files. */
#include "published/pytest.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "store/store.h"
#include "store/timings.h"

enum { MOST_LEVELS = 32, MOST_NAME = 4096, MOST_MESSAGE = 1 << 20 };
static const double MOST_SECONDS = 1e6;
static const char *const stages[] = {"setup", "call", "teardown"};
enum { STAGES = sizeof stages / sizeof *stages };
static const char *const devices[] = {"cpu", "cuda", "gpu", "hpu", "meta",
                                      "mps", "rocm", "tpu", "xla", "xpu"};

/* ---- names ---------------------------------------------------------------------------------- */

/* Returns the function of a test file: "argsort" of "argsort_test.py". The caller frees it. */
static char *function_of(const char *file)
{
    char *name = pm_strdup(pm_starts_with(file, "test_") ? file + 5 : file);
    if (pm_ends_with(name, ".py"))
        name[strlen(name) - 3] = '\0';
    if (pm_ends_with(name, "_test"))
        name[strlen(name) - 5] = '\0';
    if (*name)
        return name;
    free(name);
    return pm_strdup(file);
}

static const char *base_of(const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);
    return slash ? slash + 1 : path;
}

static struct pm_pytest_test *add_test(struct pm_pytest_report *report, char *file,
                                       const char *inside)
{
    PM_GROW(report->tests, report->count, report->capacity);
    struct pm_pytest_test *t = &report->tests[report->count++];
    const char *last = inside;
    for (const char *next; (next = strstr(last, "::"));)
        last = next + 2;
    *t = (struct pm_pytest_test){
        .file = file,
        .function = function_of(file),
        .inside = pm_strdup(inside),
        .test = pm_strdup(last),
        .stage = "",
        .type = pm_strdup(""),
        .message = pm_strdup(""),
    };
    return t;
}

struct pm_pytest_test *pm_pytest_add(struct pm_pytest_report *report, const char *key)
{
    const size_t length = strcspn(key, ":");
    return add_test(report, pm_strndup(key, length), key[length] ? key + length + 1 : key);
}

void pm_pytest_release(struct pm_pytest_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        struct pm_pytest_test *t = &report->tests[i];
        free(t->file);
        free(t->function);
        free(t->inside);
        free(t->test);
        free(t->type);
        free(t->message);
    }
    free(report->tests);
    *report = (struct pm_pytest_report){0};
}

static bool is_device(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strlen(devices[i]) == length && !memcmp(devices[i], word, length))
            return true;
    return false;
}

/* Returns the last word of a test's name that is a device ("cpu" of "test_sum_cpu_float32"), and
 * sets *length. Returns NULL if no word is a device. Underscores separate words. */
static const char *device_of(const char *test, size_t *length)
{
    const char *found = NULL;
    for (const char *word = test;; word++) {
        const size_t size = strcspn(word, "_");
        if (is_device(word, size)) {
            found = word;
            *length = size;
        }
        word += size;
        if (!*word)
            return found;
    }
}

static bool is_named_for(const char *test, const char *device)
{
    size_t length;
    const char *named = device_of(test, &length);
    return named && strlen(device) == length && !memcmp(named, device, length);
}

size_t pm_pytest_exclude(struct pm_pytest_report *report, const char *device)
{
    size_t excluded = 0, length;
    bool by_device = false;
    for (size_t i = 0; i < report->count; i++)
        by_device |= is_named_for(report->tests[i].test, device);
    for (size_t i = 0; by_device && i < report->count; i++) {
        struct pm_pytest_test *t = &report->tests[i];
        t->other_device = device_of(t->test, &length) && !is_named_for(t->test, device);
        excluded += t->other_device;
    }
    return excluded;
}

char *pm_pytest_key(const char *file, const char *test, const char *device)
{
    size_t length;
    const char *named = device_of(test, &length);
    if (!named || !is_named_for(test, device))
        return pm_format("%s:%s", file, test);
    return pm_format("%s:%.*s*%s", file, (int)(named - test), test, named + length);
}

/* ---- reports -------------------------------------------------------------------------------- */

static int bad_test(struct pm_error *err, size_t index, const char *what)
{
    return pm_error_set(err, PM_EFORMAT, "test %zu of the report %s", index + 1, what);
}

/* Returns the exception "pkg.Error" of a message "pkg.Error: text", or "" if the message has none.
 * Sets *text to the rest of the message. The caller frees the exception. */
static char *type_of(const char *message, const char **text)
{
    size_t length = 0;
    while (isalnum((unsigned char)message[length]) || message[length] == '.' ||
           message[length] == '_')
        length++;
    *text = message;
    if (!length || (message[length] && strncmp(message + length, ": ", 2) != 0 &&
                    strcmp(message + length, ":") != 0 && message[length] != '\n'))
        return pm_strdup("");
    *text = message + length + (message[length] == ':');
    while (**text == ' ')
        ++*text;
    return pm_strndup(message, length);
}

/* Returns the message of a failed stage: that of its "crash", otherwise its "longrepr". */
static const char *message_of(const json_t *stage)
{
    const char *message = pm_json_string(json_object_get(stage, "crash"), "message", NULL);
    return message ? message : pm_json_string(stage, "longrepr", "");
}

static void take_failure(struct pm_pytest_test *t, const json_t *test)
{
    for (size_t i = 0; i < STAGES; i++) {
        const json_t *stage = json_object_get(test, stages[i]);
        const char *outcome = pm_json_string(stage, "outcome", "");
        if (strcmp(outcome, "failed") != 0 && strcmp(outcome, "error") != 0)
            continue;
        const char *text;
        free(t->type);
        free(t->message);
        t->stage = stages[i];
        t->type = type_of(message_of(stage), &text);
        size_t length = strnlen(text, MOST_MESSAGE);
        while (length == MOST_MESSAGE && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
        t->message = pm_strndup(text, length);
        return;
    }
}

static int take_test(const json_t *test, size_t index, struct pm_map *seen,
                     struct pm_pytest_report *out, struct pm_error *err)
{
    const char *node = pm_json_string(test, "nodeid", "");
    const char *inside = strstr(node, "::");
    enum pm_test_outcome outcome;
    if (strlen(node) > MOST_NAME)
        return bad_test(err, index, "has a nodeid of over 4,096 bytes: shorten it");
    if (!inside || inside == node || !inside[2])
        return bad_test(
            err, index,
            "has no nodeid of the form file.py::test: make the report with pytest --json-report");
    if (!pm_test_outcome_parse(pm_json_string(test, "outcome", "?"), &outcome) ||
        outcome == PM_TEST_NONE)
        return bad_test(
            err, index,
            "has no valid outcome: use passed, failed, error, skipped, xfailed or xpassed");
    const char *base = base_of(node, (size_t)(inside - node));
    if (base == inside)
        return bad_test(
            err, index,
            "has no nodeid of the form file.py::test: make the report with pytest --json-report");
    if (pm_map_has(seen, base))
        return bad_test(err, index, "has the same name as an earlier test: keep one of them");
    pm_map_put(seen, base, out);
    struct pm_pytest_test *t = add_test(out, pm_strndup(base, (size_t)(inside - base)), inside + 2);
    t->outcome = outcome;
    if (outcome == PM_TEST_FAILED || outcome == PM_TEST_ERROR)
        take_failure(t, test);
    return PM_OK;
}

static int check_count(size_t count, const char *none, struct pm_error *err)
{
    if (!count)
        return pm_error_set(err, PM_EFORMAT, "%s", none);
    if (count > PM_PYTEST_MOST_TESTS)
        return pm_error_set(err, PM_EFORMAT,
                            "the file has %zu tests, more than the limit of 1,000,000: split it",
                            count);
    return PM_OK;
}

/* Parses the bytes as one JSON object. The caller releases *out. */
static int parse_object(const char *bytes, size_t length, json_t **out, struct pm_error *err)
{
    if (length > PM_PYTEST_MOST_BYTES)
        return pm_error_set(
            err, PM_EFORMAT,
            "the file is larger than portmeter's limit of 256 MiB: import fewer tests");
    PM_TRY(pm_json_parse(bytes, length, out, err));
    if (json_is_object(*out) && !pm_json_is_deeper(*out, MOST_LEVELS))
        return PM_OK;
    json_decref(*out);
    return pm_error_set(
        err, PM_EFORMAT,
        "the file is not a JSON object, or is nested over 32 levels deep: import a report of "
        "pytest-json-report or a file of timings");
}

int pm_pytest_parse(const char *bytes, size_t length, struct pm_pytest_report *out,
                    struct pm_error *err)
{
    json_t *json = NULL;
    struct pm_map seen = {0};
    *out = (struct pm_pytest_report){0};
    PM_TRY(parse_object(bytes, length, &json, err));
    const json_t *tests = json_object_get(json, "tests");
    const size_t count = json_array_size(tests); /* 0 if `tests` is not a list */
    int rc =
        check_count(count, "the file has no tests: import a file from pytest --json-report", err);
    for (size_t i = 0; !rc && i < count; i++)
        rc = take_test(json_array_get(tests, i), i, &seen, out, err);
    pm_map_release(&seen);
    json_decref(json);
    if (rc)
        pm_pytest_release(out);
    return rc;
}

/* ---- timing files --------------------------------------------------------------------------- */

/* Converts seconds to nanoseconds. Returns -1 if the value is not a number from 0 to
 * MOST_SECONDS. */
static int64_t nanoseconds(const json_t *seconds)
{
    const double value = json_number_value(seconds);
    return json_is_number(seconds) && value >= 0 && value <= MOST_SECONDS ? llround(value * 1e9)
                                                                          : -1;
}

static int bad_timing(struct pm_error *err, const char *key, const char *what)
{
    return pm_error_set(err, PM_EFORMAT, "the times of '%.200s' %s: correct the timing file", key,
                        what);
}

static int take_timing(const char *key, const json_t *value, struct pm_pytest_timings *out,
                       struct pm_error *err)
{
    const json_t *operations = json_object_get(value, "operations");
    const size_t count = json_array_size(operations), length = strlen(key);
    const char *colon = strchr(key, ':');
    if (length > MOST_NAME)
        return bad_timing(err, key, "have a name of over 4,096 bytes");
    if (!colon || colon == key || !colon[1] || strstr(key, "::"))
        return bad_timing(err, key, "have no name of the form file.py:test");
    if (!json_is_array(operations) || count > PM_STORE_MOST_TIMINGS)
        return bad_timing(err, key, "are not a list of at most 1,048,576 operations");
    PM_GROW(out->items, out->count, out->capacity);
    struct pm_pytest_timing *timing = &out->items[out->count++];
    *timing = (struct pm_pytest_timing){
        .key = pm_strdup(key),
        .times = pm_alloc(count * sizeof *timing->times),
        .count = count,
        .whole_ns = nanoseconds(json_object_get(value, "test_time")),
    };
    for (size_t i = 0; i < count; i++)
        if ((timing->times[i] = nanoseconds(json_array_get(operations, i))) < 0)
            return bad_timing(err, key, "contain a value that is not a time of 0 to 10^6 seconds");
    return PM_OK;
}

void pm_pytest_timings_release(struct pm_pytest_timings *timings)
{
    for (size_t i = 0; i < timings->count; i++) {
        free(timings->items[i].key);
        free(timings->items[i].times);
    }
    free(timings->items);
    *timings = (struct pm_pytest_timings){0};
}

int pm_pytest_parse_timings(const char *bytes, size_t length, struct pm_pytest_timings *out,
                            struct pm_error *err)
{
    json_t *json = NULL, *value;
    const char *key;
    *out = (struct pm_pytest_timings){0};
    PM_TRY(parse_object(bytes, length, &json, err));
    int rc = check_count(
        json_object_size(json),
        "the file has no test times: import a timing file in the format of the paper", err);
    json_object_foreach(json, key, value) {
        rc = rc ? rc : take_timing(key, value, out, err);
    }
    json_decref(json);
    if (rc)
        pm_pytest_timings_release(out);
    return rc;
}
