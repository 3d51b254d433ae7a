/* Writes the message of an audit about a function: in full, or short enough for a finding in one
 * line. */
#include <stdlib.h>
#include <string.h>

#include "audit/audit_private.h"
#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"

/* The marks that TensorFlow puts before the operation and the device. The name of the target
 * already contains the device. */
static const char node[] = "{{function_node ", job[] = "/job:", device[] = "/device:";

/* Appends a message without its node names, and with "XLA_CPU:0" instead of
 * "/job:localhost/replica:0/task:0/device:XLA_CPU:0". */
static void add_without_places(struct pm_str *out, const char *text)
{
    while (*text) {
        const char *end = pm_starts_with(text, node) ? strstr(text, "}}") : NULL;
        if (end) {
            text = end + 2 + (end[2] == ' ');
            continue;
        }
        end = pm_starts_with(text, job) ? strstr(text, device) : NULL;
        if (end && end < text + strcspn(text, " '\""))
            text = end + sizeof device - 1;
        else
            pm_str_add_char(out, *text++);
    }
}

/* Appends a text such as "not implemented: aten::x has no kernel", without the rest of a long
 * message. `room`: the most bytes; 0: no limit. */
static void add_why(struct pm_str *out, const struct pm_audit_case *c, size_t room)
{
    enum { LONGEST = 200, SHORTEST = 24 };
    struct pm_str why = PM_STR_INIT;
    if (!c || (!*c->reason && !*c->detail) || (room && room < SHORTEST))
        return;
    pm_str_addf(&why, ": %s%s", c->reason, *c->reason && *c->detail ? ": " : "");
    char *sentence = pm_strndup(c->detail, pm_line_first_sentence(c->detail));
    if (room) {
        add_without_places(&why, sentence);
        pm_line_add(out, why.data, why.length <= room ? room : room - 3); /* for "..." */
    } else {
        pm_str_add(out, why.data);
        pm_line_add(out, sentence, LONGEST);
    }
    free(sentence);
    pm_str_release(&why);
}

static void add_head(const struct pm_audit *audit, const char *function,
                     const struct pm_audit_answer *answer, struct pm_str *out)
{
    const char *target = audit->options->target;
    switch (answer->status) {
    case PM_AUDIT_FAILS:
        pm_str_addf(out, "%s fails on %s", function, target);
        break;
    case PM_AUDIT_DEPENDS:
        pm_str_addf(out, "%s depends on %s on %s", function, answer->on, target);
        break;
    case PM_AUDIT_ARGUMENTS:
        pm_str_addf(out, "nothing is known about this use of %s on %s: %s", function, target,
                    answer->on);
        break;
    case PM_AUDIT_PREDICTED_FAILS:
        pm_str_addf(out, "%s is predicted to fail on %s", function, target);
        break;
    case PM_AUDIT_PREDICTED_WORKS:
        pm_str_addf(out, "%s was not measured on %s, and is predicted to work", function, target);
        break;
    default:
        pm_str_addf(out, "nothing is known about %s on %s", function, target);
    }
}

static void add_tail(const struct pm_audit *audit, const struct pm_audit_answer *answer,
                     bool versions, struct pm_str *out)
{
    const bool predicted = pm_audit__is_predicted(answer->status);
    const struct pm_audit_predictions *predictions = audit->options->predictions;
    pm_str_addf(out, " (%zu of %zu %s%s", answer->failing, answer->compatible,
                answer->recorded ? "recorded call" : "case", pm_plural(answer->compatible));
    if (!predicted)
        pm_str_addf(out, " fail%s", answer->failing == 1 ? "s" : "");
    if (answer->shown && answer->shown->tier != PM_TIER_REVIEWED &&
        (!predicted || predictions->has_texts))
        pm_str_addf(out, "; tier %s", pm_tier_text(answer->shown->tier));
    if (answer->without)
        pm_str_addf(out, "; all cases pass the argument %s, but this use does not",
                    answer->without);
    if (predicted)
        pm_str_addf(out, "; %s", predictions->precision);
    pm_str_add(out, ")");
    if (versions && predicted && !pm_audit__is_version(audit, predictions->version))
        pm_str_addf(out, "; predicted for version %s, but the code runs with %s",
                    predictions->version, audit->options->version);
    else if (versions && !predicted && !pm_audit_same_version(audit))
        pm_str_addf(out, "; measured with version %s, but the code runs with %s",
                    audit->evidence->version, audit->options->version);
}

char *pm_audit__message(const struct pm_audit *audit, const char *function,
                        const struct pm_audit_answer *answer, size_t most)
{
    struct pm_str out = PM_STR_INIT, tail = PM_STR_INIT;
    add_head(audit, function, answer, &out);
    if (answer->failing) {
        add_tail(audit, answer, !most, &tail); /* the first screen names the versions already */
        const size_t used = out.length + tail.length;
        if (!most || used < most)
            add_why(&out, answer->shown, most ? most - used : 0);
        pm_str_add_bytes(&out, tail.data, tail.length);
    }
    pm_str_release(&tail);
    return pm_str_detach(&out);
}
