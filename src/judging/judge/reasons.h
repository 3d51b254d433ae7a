/*
 * Finds the reason of a failure: the first rule that matches gives it. The rules are data
 * (rules/reasons.yaml). The functions are pure, so the caller reads files. docs/reasons.md
 * describes the reasons and the form of the file.
 *
 *     struct pm_reason_rules *rules;
 *     PM_TRY(pm_reason_rules_read(NULL, NULL, &rules, err));        // the built-in rules
 *     const struct pm_reason_rule *rule = pm_reason_rules_match(rules, &failure);
 *     puts(rule ? pm_reason_text(rule->reason) : "unclassified");
 *     pm_reason_rules_free(rules);
 */
#ifndef PM_JUDGE_REASONS_H
#define PM_JUDGE_REASONS_H

#include "judge/judge.h"

/* The first five reasons after NONE are those of the paper (section 3.1, figure 6). */
#define PM_REASONS(X, P)                                                                           \
    X(P, NONE, "") /* it did not fail */                                                           \
    X(P, NOT_IMPLEMENTED, "not implemented")                                                       \
    X(P, TYPE, "type failure")                                                                     \
    X(P, MEMORY, "memory issue")                                                                   \
    X(P, PRECISION, "float precision")                                                             \
    X(P, TIMEOUT, "timeout")                                                                       \
    X(P, WRONG, "wrong result")                                                                    \
    X(P, CRASH, "crash")                                                                           \
    X(P, FALLBACK, "silent fallback")                                                              \
    X(P, HARNESS, "harness error") /* the test, or the program that runs it, is at fault */        \
    X(P, NOT_POSSIBLE, "not possible by design") /* no rule gives it, only a row of `excluded` */  \
    X(P, REFERENCE_WRONG, "reference wrong") /* `expect` of the case contradicts the reference */  \
    X(P, UNCLASSIFIED, "unclassified")
PM_WORDS(reason, PM_REASONS, PM_REASON);

/* What is known about a failure. Texts are borrowed and may be NULL. */
struct pm_failure {
    const char *framework; /* "pytorch" */
    const char *type;      /* type of the exception, "torch.OutOfMemoryError"; NULL: none */
    const json_t *types;   /* names of the types from which `type` derives; NULL: not known */
    const char *message;   /* its whole message; else the detail of the judgement */
    enum pm_outcome outcome;
    enum pm_stage stage;
    enum pm_ending_kind ending; /* ending of the process, if it did not answer; else NONE */
};

/* A rule matches if all of its keys match. It has at least one key besides `framework`. */
struct pm_reason_rule {
    const char *id, *framework, *type, *message; /* NULL: any. `type` as in `raises:`; `message` is
                                                    an extended regular expression found in it */
    bool has_outcome, has_stage, has_ending;
    enum pm_outcome outcome;
    enum pm_stage stage;
    enum pm_ending_kind ending;
    enum pm_reason reason;
    struct pm_failure example; /* a real failure; keys that it lacks are those of the rule */
};

/* A type that a device or compiler excludes according to its documentation. */
struct pm_reason_exclusion_row {
    const char *id, *framework, *device; /* "xla-strings", "tensorflow", "xla" */
    const char *needs;            /* a dtype, or another word that drivers record: "values" */
    const char *version, *source; /* `source` is a link to the documentation of `version` */
};

struct pm_reason_rules;

/* Reads rules from `text`, which is YAML; messages name it by `path`. If both are NULL, reads the
 * built-in rules. PM_EFORMAT, with file, line and what to do, if the text is not a valid file of
 * rules; PM_EIO if memory for libfyaml runs out. The caller frees *out, which is NULL after an
 * error. */
PM_MUST_USE int pm_reason_rules_read(const char *path, const char *text,
                                     struct pm_reason_rules **out, struct pm_error *err);
void pm_reason_rules_free(struct pm_reason_rules *rules); /* accepts NULL */

/* Return the number of rules, and rule `i`, which is borrowed. */
size_t pm_reason_rules_count(const struct pm_reason_rules *rules);
const struct pm_reason_rule *pm_reason_rules_at(const struct pm_reason_rules *rules, size_t i);
/* Returns the rule with an id; NULL if there is none. */
const struct pm_reason_rule *pm_reason_rules_find(const struct pm_reason_rules *rules,
                                                  const char *id);

/* Return the number of exclusions, and exclusion `i`, which is borrowed. */
size_t pm_reason_exclusions_count(const struct pm_reason_rules *rules);
const struct pm_reason_exclusion_row *pm_reason_exclusions_at(const struct pm_reason_rules *rules,
                                                              size_t i);
/* Returns the exclusion that applies to what a case needs on a target, borrowed; NULL if there is
 * none. The variant and the index of the target do not matter ("tensorflow@xla+soft"). */
const struct pm_reason_exclusion_row *pm_reason_exclusion(const struct pm_reason_rules *rules,
                                                          const char *target, const char *needs);

/* Returns the first rule that matches, borrowed; NULL if the failure is unclassified. The patterns of
 * built-in rules are compiled here, so only one thread at a time may use the same rules. */
const struct pm_reason_rule *pm_reason_rules_match(const struct pm_reason_rules *rules,
                                                   const struct pm_failure *failure);

#endif
