/* Tests of the trace of a command: it is off without its variable; otherwise each line is a JSON
 * object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/trace.h"

static const char FILE_NAME[] = "test-trace.jsonl";

/* Returns the event of a line of the trace, counted from 0; the caller releases it. */
static json_t *event_at(size_t line)
{
    struct pm_str text = PM_STR_INIT;
    struct pm_error err;
    json_t *event = NULL;
    assert_int_equal(pm_file_read(FILE_NAME, &text, &err), PM_OK);
    const char *at = text.data;
    while (line--)
        at = strchr(at, '\n') + 1;
    assert_int_equal(pm_json_parse(at, strcspn(at, "\n"), &event, &err), PM_OK);
    pm_str_release(&text);
    return event;
}

static void test_no_trace_without_its_variable(void **state)
{
    const char *const argv[] = {"portmeter", "runs"};
    struct pm_error err;
    (void)state;
    unsetenv("PORTMETER_TRACE");
    assert_int_equal(pm_trace_begin(2, argv, &err), PM_OK);
    assert_false(pm_trace_is_on());
    pm_trace("signal", "{s:i}", "pid", 1);
    assert_false(pm_path_exists(FILE_NAME));
}

static void test_a_trace_that_cannot_be_written_is_refused(void **state)
{
    const char *const argv[] = {"portmeter"};
    struct pm_error err;
    (void)state;
    setenv("PORTMETER_TRACE", "missing-folder/trace", 1);
    assert_int_equal(pm_trace_begin(1, argv, &err), PM_EUSAGE);
    assert_string_equal(err.text, "cannot write the trace 'missing-folder/trace': No such file or "
                                  "directory: change PORTMETER_TRACE");
    assert_false(pm_trace_is_on());
}

static void test_each_event_is_a_line_with_its_members(void **state)
{
    const char *const argv[] = {"portmeter", "run", "--resume"};
    const char latin[] = {'\xe9', '\0'};
    struct pm_error err;
    (void)state;
    setenv("PORTMETER_TRACE", FILE_NAME, 1);
    assert_int_equal(pm_trace_begin(3, argv, &err), PM_OK);
    assert_true(pm_trace_is_on());
    pm_trace("signal", "{s:i, s:i}", "pid", 4711, "number", 15);
    pm_trace("kill", "{s:s}", "text", latin);

    json_t *command = event_at(0), *signal = event_at(1), *unreadable = event_at(2);
    assert_string_equal(pm_json_string(command, "event", ""), "command");
    assert_int_equal(json_array_size(json_object_get(command, "arguments")), 3);
    assert_int_equal(pm_json_int(command, "pid", 0), getpid());
    assert_string_equal(pm_json_string(signal, "event", ""), "signal");
    assert_int_equal(pm_json_int(signal, "pid", 0), 4711);
    assert_true(pm_json_real(signal, "t", -1) >= pm_json_real(command, "t", 1e9));
    assert_string_equal(pm_json_string(unreadable, "event", ""), "kill");
    assert_true(pm_json_bool(unreadable, "unreadable", false));
    json_decref(command);
    json_decref(signal);
    json_decref(unreadable);

    struct stat info;
    assert_int_equal(stat(FILE_NAME, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    unlink(FILE_NAME);
}

/* Numbers for people are short, although 0.1 + 0.2 would have 17 digits in JSON. */
static void test_what_people_read_is_short(void **state)
{
    char *shown = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&shown, &length);
    (void)state;
    pm_trace_show(out);
    pm_trace("slow statement", "{s:s, s:f, s:i}", "sql", "SELECT 1", "seconds", 0.1 + 0.2, "pid",
             4711123);
    pm_trace_show(NULL);
    fclose(out);
    assert_string_equal(strstr(shown, "slow"),
                        "slow statement  sql SELECT 1, seconds 0.3, pid 4711123\n");
    free(shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_trace_without_its_variable),
        cmocka_unit_test(test_a_trace_that_cannot_be_written_is_refused),
        cmocka_unit_test(test_each_event_is_a_line_with_its_members),
        cmocka_unit_test(test_what_people_read_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
