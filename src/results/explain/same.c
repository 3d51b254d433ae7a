/* Decides whether a script shows the failure for which it was made. */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "explain/explain_private.h"

/* The number of bytes of a line that must be the same. Later bytes may name processes and files. */
enum { ENOUGH = 60 };

static const json_t *raised_by(const struct pm_explain__failure *failure)
{
    const json_t *raised = json_object_get(failure->result, "raised");
    return json_is_object(raised) ? raised : NULL;
}

const char *pm_explain__kind(const struct pm_explain__failure *failure, const char **why)
{
    *why = "a script cannot reproduce this failure";
    switch (failure->outcome) {
    case PM_OUTCOME_CRASH:
        if (failure->ending == PM_ENDING_SIGNAL || failure->ending == PM_ENDING_EXIT)
            return "ended";
        return NULL;
    case PM_OUTCOME_FAIL:
    case PM_OUTCOME_BLOCKED:
    case PM_OUTCOME_MEMORY:
        break;
    case PM_OUTCOME_TIMEOUT:
        *why = "the script would run until the time limit";
        return NULL;
    case PM_OUTCOME_FALLBACK:
        *why = "the result of a fallback is correct, so a script would show no failure";
        return NULL;
    default:
        return NULL;
    }
    if (raised_by(failure))
        return "raised";
    if (strstr(failure->detail, " was raised"))
        return "not raised";
    if (pm_starts_with(failure->detail, "the check is false"))
        return "check";
    if (failure->stage == PM_STAGE_COMPARE)
        return pm_starts_with(failure->detail, "not as expected: ") ? "unexpected" : "differs";
    return NULL;
}

/* Returns a text with '#' instead of each number, so that different addresses and counters are
 * equal. The caller frees it. */
static char *without_numbers(const char *text, size_t length)
{
    char *out = pm_strndup(text, length), *to = out;
    for (const char *at = out; *at; at++) {
        const bool digit = isdigit((unsigned char)*at) != 0;
        if (!digit || to == out || to[-1] != '#')
            *to++ = digit ? '#' : *at;
    }
    *to = '\0';
    return out;
}

/* Returns whether the output contains the beginning of the line at `line`, apart from numbers. */
static bool has_line(const char *output, const char *line)
{
    const size_t length = strcspn(line, "\r\n");
    char *wanted = without_numbers(line, length < ENOUGH ? length : ENOUGH);
    char *found = without_numbers(output, strlen(output));
    const bool has = strstr(found, wanted);
    free(wanted);
    free(found);
    return has;
}

static bool shows_exception(const json_t *raised, const char *output)
{
    const char *type = pm_json_string(raised, "type", "?"), *dot = strrchr(type, '.');
    const char *message = pm_json_string(raised, "message", "");
    message += strspn(message, " \t\r\n");
    return strstr(output, dot ? dot + 1 : type) && has_line(output, message) &&
           has_line(output, pm_line_cause(message));
}

static bool ends_alike(const struct pm_explain__failure *failure, int status)
{
    return failure->ending == PM_ENDING_SIGNAL
               ? WIFSIGNALED(status) && WTERMSIG(status) == failure->ending_code
               : WIFEXITED(status) && WEXITSTATUS(status) == failure->ending_code;
}

bool pm_explain__same(const struct pm_explain__failure *failure, int status, const char *output)
{
    const char *why, *kind = pm_explain__kind(failure, &why);
    if (!kind)
        return false;
    if (!strcmp(kind, "ended"))
        return ends_alike(failure, status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
        return false;
    if (!strcmp(kind, "raised"))
        return shows_exception(raised_by(failure), output);
    const char *says = !strcmp(kind, "check")        ? "AssertionError: the check is false"
                       : !strcmp(kind, "not raised") ? failure->detail
                                                     : "AssertionError: differs from the reference";
    return strstr(output, says) != NULL;
}
