/*
 * Finds code that is bound to one device, by rules that are data (rules/device.yaml). docs/audit.md
 * describes the form of the file.
 *
 *     struct pm_audit_rules *rules;
 *     PM_TRY(pm_audit_rules_read(NULL, NULL, &rules, err));      // the built-in rules
 *     const uint64_t mask = pm_audit_rules_of(rules, &where, "torch.Tensor.cuda");
 *     rule = pm_audit_rules_match(rules, mask, &text, token, &call);
 *     pm_audit_rules_free(rules);
 */
#ifndef PM_AUDIT_RULES_H
#define PM_AUDIT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/text.h"
#include "base/error.h"
#include "base/words.h"

#define PM_AUDIT_LEVELS(X, P)                                                                      \
    X(P, ERROR, "error")     /* it fails */                                                        \
    X(P, WARNING, "warning") /* it may fail, or is slow */                                         \
    X(P, NOTE, "note")       /* worth knowing */
PM_WORDS(audit_level, PM_AUDIT_LEVELS, PM_AUDIT_LEVEL);

/* A rule. Lists and patterns are texts with spaces between their items. A text is NULL if the rule
 * does not have the key. */
struct pm_audit_rule {
    const char *id;
    enum pm_audit_level level;
    const char *frameworks, *functions; /* functions: patterns of canonical names */
    const char *except;   /* patterns of the functions to which the rule does not apply */
    const char *argument; /* patterns of a string that is passed */
    const char *keyword;  /* the string must have this keyword; NULL: any, or by position */
    const char *dtype;    /* patterns of a dtype that is passed */
    const char *variable; /* patterns of a variable that is set to a string as in `argument` */
    const char *unless_keyword; /* the rule does not apply to calls with this keyword */
    const char *not_after;      /* excludes uses after a call of this name: `x.cpu().numpy()` */
    const char *written;        /* a word that the chain of names must contain in the code */
    bool loop;                  /* the rule applies only to calls in a loop */
    bool called;                /* the rule applies only to calls, not to annotations */
    const char *fine_on;        /* devices to which the rule does not apply */
    const char *only_on;        /* the only devices to which the rule applies; NULL: any */
    const char *why, *instead, *example, *counter_example;
};
enum { PM_AUDIT_MOST_RULES = 64 };

/* The target of an audit. */
struct pm_audit_where {
    const char *framework, *device; /* "pytorch", "xla" */
};

struct pm_audit_rules;

/* Reads rules from `text`, which is YAML; messages name it by `path`. If both are NULL, reads the
 * built-in rules. PM_EFORMAT, with what to do, if the text is not a valid file of rules. The caller
 * frees *out, which is NULL after an error. */
PM_MUST_USE int pm_audit_rules_read(const char *path, const char *text, struct pm_audit_rules **out,
                                    struct pm_error *err);
void pm_audit_rules_free(struct pm_audit_rules *rules); /* accepts NULL */
size_t pm_audit_rules_count(const struct pm_audit_rules *rules);
const struct pm_audit_rule *pm_audit_rules_at(const struct pm_audit_rules *rules, size_t i);

/* Returns the rules that apply to a function on this target, one bit each. */
uint64_t pm_audit_rules_of(const struct pm_audit_rules *rules, const struct pm_audit_where *where,
                           const char *function);
/* Returns the first rule of `mask` that a use matches, borrowed; NULL if there is none. The name of
 * the use begins at `token`. */
const struct pm_audit_rule *pm_audit_rules_match(const struct pm_audit_rules *rules, uint64_t mask,
                                                 struct pm_audit_text *text, size_t token,
                                                 const struct pm_audit_call *call);

/* Returns whether a use runs only if the program found a device: a condition around the use, a
 * condition in the statement of the use, or a decorator of an enclosing definition contains a word
 * that the file of rules lists as a guard. */
bool pm_audit_is_guarded(const struct pm_audit_rules *rules, struct pm_audit_text *text,
                         size_t token);

/* Calls `take` for each variable, parameter or keyword argument of a text that is set to a string,
 * if a rule on variables matches both the name and the string. `token` is the token of the name. */
typedef void pm_audit_variable_fn(void *ctx, const struct pm_audit_rule *rule, size_t token);
void pm_audit_rules_variables(const struct pm_audit_rules *rules,
                              const struct pm_audit_where *where, struct pm_audit_text *text,
                              pm_audit_variable_fn *take, void *ctx);

#endif
