/* pm_run_foreground(): runs one case in the terminal, and prints its result. */
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "core/core.h"

enum { LABEL = 16, LONGEST = 400 };

static void print(const char *label, const char *text)
{
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, LONGEST);
    pm_line_print(stdout, "%-*s%s", LABEL, label, line.data);
    pm_str_release(&line);
}

/* Returns a text such as "out[0] float32[4,3] on cpu"; for a leaf other than an array, its value,
 * its container or its type. */
static char *leaf_text(const json_t *leaf)
{
    static const char *const keys[] = {"value", "container", "type"};
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "%s  ", pm_json_string(leaf, "path", "out"));
    const char *dtype = pm_json_string(leaf, "dtype", NULL);
    char *shape = dtype ? pm_json_text(json_object_get(leaf, "shape")) : NULL;
    if (dtype)
        pm_str_addf(&text, "%s%s on %s", dtype, shape, pm_json_string(leaf, "device", "?"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !dtype; i++) {
        const json_t *value = json_object_get(leaf, keys[i]);
        if (!value)
            continue;
        char *words = json_dumps(value, JSON_ENCODE_ANY);
        pm_str_addf(&text, "%s%s", i ? keys[i] : "", i ? " " : "");
        pm_str_add(&text, i && json_is_string(value) ? json_string_value(value) : words);
        free(words);
        break;
    }
    free(shape);
    return pm_str_detach(&text);
}

static void print_leaves(const json_t *result)
{
    const json_t *outputs = json_object_get(result, "outputs");
    size_t i;
    json_t *leaf;
    if (!json_array_size(outputs))
        print("returned", "no output");
    json_array_foreach(outputs, i, leaf) {
        char *text = leaf_text(leaf);
        print(i ? "" : "returned", text);
        free(text);
    }
}

static void print_exception(const json_t *raised)
{
    char *rest = pm_strdup(pm_json_string(raised, "traceback", ""));
    char *const text = rest, *line;
    print("raised", pm_json_string(raised, "type", "an exception"));
    while ((line = strsep(&rest, "\n")))
        if (*line)
            print("", line);
    free(text);
}

/* Prints what portmeter found about the result of a case that raised no exception. */
static void print_findings(const json_t *result)
{
    static const struct {
        const char *key, *label;
    } lists[] = {{"fallback", "on the host"},
                 {"host_operations", "host, constants"},
                 {"inputs_changed", "changed"}};
    const json_t *check = json_object_get(result, "check");
    if (json_is_boolean(check))
        print("check", json_is_true(check) ? "true" : "false");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const json_t *list = json_object_get(result, lists[i].key);
        char *text = json_array_size(list) ? pm_json_text(list) : NULL;
        if (text)
            print(lists[i].label, text);
        free(text);
    }
}

static void print_result(const json_t *result)
{
    static const struct {
        const char *key, *label;
    } reasons[] = {
        {"harness", "harness"}, {"destroyed", "destroyed"}, {"not_applicable", "not applicable"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const char *reason = pm_json_string(result, reasons[i].key, NULL);
        if (reason) {
            print(reasons[i].label, reason);
            return;
        }
    }
    const json_t *raised = json_object_get(result, "raised");
    if (json_is_object(raised)) {
        print_exception(raised);
    } else {
        print_leaves(result);
        print_findings(result);
    }
}

/* Prints how a process that gave no answer ended. */
static void print_ending(const struct pm_foreground_answer *a)
{
    struct pm_str text = PM_STR_INIT;
    if (a->ending == PM_ENDING_SIGNAL)
        pm_str_addf(&text, "by signal %d (%s)", a->code, strsignal(a->code));
    else if (a->ending == PM_ENDING_EXIT)
        pm_str_addf(&text, "with exit status %d", a->code);
    else
        pm_str_add(&text, pm_ending_kind_text(a->ending));
    if (a->stage)
        pm_str_addf(&text, " in stage '%s'", pm_stage_text(a->stage));
    if (*a->text)
        pm_str_addf(&text, ": %s", a->text);
    print("ended", text.data);
    pm_str_release(&text);
}

/* The settings of the terminal, which are restored at the end, because a killed debugger leaves its
 * own settings. */
struct terminal {
    bool is_ours;
    struct termios settings;
};

static void keep_terminal(struct terminal *terminal)
{
    terminal->is_ours =
        tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetattr(STDIN_FILENO, &terminal->settings) == 0;
}

static void restore_terminal(const struct terminal *terminal)
{
    if (terminal->is_ours && tcgetpgrp(STDIN_FILENO) == getpgrp())
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->settings);
}

int pm_run_foreground(const struct pm_run_options *options, const char *name,
                      const struct pm_messages *messages, bool *wrong, struct pm_error *err)
{
    struct pm_foreground_answer answer;
    struct terminal terminal;
    keep_terminal(&terminal);
    const int rc = pm_measure_foreground(options, name, messages, &answer, err);
    restore_terminal(&terminal);
    *wrong = answer.wrong;
    if (!rc && answer.result)
        print_result(answer.result);
    else if (!rc)
        print_ending(&answer);
    pm_foreground_answer_release(&answer);
    return rc;
}
