/* What the files of this room share. */
#ifndef PM_JUDGE_JUDGE_PRIVATE_H
#define PM_JUDGE_JUDGE_PRIVATE_H

#include "judge/judge.h"

struct pm_judge__tolerance {
    double rtol, atol;
};

/* True for floating and complex dtypes: those that tolerances are for. */
bool pm_judge__floats(enum pm_dtype dtype);

/* What the rule allows between two arrays; 0 for both where the comparison is exact. */
struct pm_judge__tolerance pm_judge__allowed(const struct pm_compare_rule *rule, enum pm_dtype got,
                                             enum pm_dtype want);

/* Compares two arrays of equal shape and adds to the figures of *out; where they differ and *out
 * is still NONE, says how. `path` names the leaf. (values.c) */
void pm_judge__compare_values(const char *path, const struct pm_array *got,
                              const struct pm_array *want, const struct pm_compare_rule *rule,
                              struct pm_difference *out);

/* The same for two canonical JSON texts: numbers with a fraction by the tolerance of float64, all
 * else as it stands (as sets, or by kind only, where the rule says so). (plain.c) */
void pm_judge__compare_json(const char *path, const char *got, const char *want,
                            const struct pm_compare_rule *rule, struct pm_difference *out);
/* True where a number with a fraction stands in a canonical JSON text. */
bool pm_judge__json_floats(const char *text);

/* Notes a difference, unless an earlier one is there; no tolerance would make it pass. */
void pm_judge__differ(struct pm_difference *out, enum pm_difference_kind kind, const char *path,
                      const char *format, ...) PM_PRINTF(4, 5);

#endif
