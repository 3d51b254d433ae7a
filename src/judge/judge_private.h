/* What the files of this room share. */
#ifndef PM_JUDGE_JUDGE_PRIVATE_H
#define PM_JUDGE_JUDGE_PRIVATE_H

#include "judge/judge.h"

struct pm_judge__tolerance {
    double rtol, atol;
};

/* Whether tolerances apply: floating and complex dtypes. */
bool pm_judge__floats(enum pm_dtype dtype);

/* The tolerances between two arrays; 0 for both if the comparison is exact. */
struct pm_judge__tolerance pm_judge__allowed(const struct pm_compare_rule *rule, enum pm_dtype got,
                                             enum pm_dtype want);

/* Compares two arrays of equal shape and adds to the figures of *out; if they differ and *out
 * is still NONE, describes the difference. `path` names the leaf. (values.c) */
void pm_judge__compare_values(const char *path, const struct pm_array *got,
                              const struct pm_array *want, const struct pm_compare_rule *rule,
                              struct pm_difference *out);

/* The same for two canonical JSON texts: numbers with a fraction by the tolerance of float64, all
 * else exactly (as sets, or by kind only, if the rule says so). (plain.c) */
void pm_judge__compare_json(const char *path, const char *got, const char *want,
                            const struct pm_compare_rule *rule, struct pm_difference *out);
/* Whether a canonical JSON text contains a number with a fraction. */
bool pm_judge__json_floats(const char *text);

/* Records a difference, unless one is recorded already; no tolerance would make it pass. */
void pm_judge__differ(struct pm_difference *out, enum pm_difference_kind kind, const char *path,
                      const char *format, ...) PM_PRINTF(4, 5);

#endif
