/* Declares what the files of this room share. */
#ifndef PM_JUDGE_JUDGE_PRIVATE_H
#define PM_JUDGE_JUDGE_PRIVATE_H

#include "judge/judge.h"

struct pm_judge__tolerance {
    double rtol, atol;
};

/* Returns the comparison rule of one leaf. Its `how` and tolerance are those that `rule` has for
 * this path, and it has no paths of its own. */
struct pm_compare_rule pm_judge__rule_at(const struct pm_compare_rule *rule, const char *path);

/* Returns whether tolerances apply to a dtype: it is floating or complex. */
bool pm_judge__floats(enum pm_dtype dtype);

/* Returns whether the type of an exception, or one of its base types `types` (NULL: not known), is
 * the wanted type. A name without a module matches in any module: "OutOfMemoryError" matches
 * "torch.OutOfMemoryError". (outcome.c) */
bool pm_judge__is_type(const char *type, const json_t *types, const char *wanted);

/* Returns the tolerances for comparing arrays of these two dtypes; both are 0 if the comparison is
 * exact. */
struct pm_judge__tolerance pm_judge__allowed(const struct pm_compare_rule *rule, enum pm_dtype got,
                                             enum pm_dtype want);

/* Compares two arrays of equal shape, and adds to the figures of *out. If the arrays differ and
 * *out is still NONE, describes the difference. `path` names the leaf. `closeness` may be NULL;
 * otherwise it must have been begun, and each pair of elements that differ is added to it.
 * pm_judge__compare_values() also recognises arrays in which only the signs of orthonormal vectors
 * differ, and describes this. (values.c, turned.c) */
void pm_judge__compare_elements(const char *path, const struct pm_array *got,
                                const struct pm_array *want, const struct pm_compare_rule *rule,
                                struct pm_closeness *closeness, struct pm_difference *out);
void pm_judge__compare_values(const char *path, const struct pm_array *got,
                              const struct pm_array *want, const struct pm_compare_rule *rule,
                              struct pm_closeness *closeness, struct pm_difference *out);

__extension__ typedef __int128 pm_judge__whole; /* can store every int64 and uint64 */
pm_judge__whole pm_judge__whole_of(const struct pm_array *array, size_t i);

struct pm_judge__number {
    double real, imag; /* imag is 0 for a real element */
};
struct pm_judge__number pm_judge__number_of(const struct pm_array *array, size_t i);

/* How far apart two elements are. If `apart` is infinite, they differ by any tolerance.
 * (elements.c) */
struct pm_judge__distance {
    double apart, size; /* |got - want|, |want|; size is 0 if `apart` is 0 or infinite */
};
struct pm_judge__distance pm_judge__distance(struct pm_judge__number got,
                                             struct pm_judge__number want);

/* Pairs the elements of two arrays of equal length, whose order does not count: elements
 * (*got_order)[k] and (*want_order)[k] are a pair. The caller frees both lists. (pairing.c) */
void pm_judge__pair(const struct pm_array *got, const struct pm_array *want, size_t **got_order,
                    size_t **want_order);

/* Returns the smallest r with apart <= atol + r * size in double arithmetic; NaN if there is none
 * or if `apart` is infinite. (closeness.c) */
double pm_judge__least_rtol(double apart, double size, double atol);
/* Begins the closeness of two arrays with the points of equal arrays: one for each step of atol,
 * and one for the rule's own atol if that is not a step. (closeness.c) */
void pm_judge__closeness_begin(struct pm_closeness *out, enum pm_compare how, double own_atol);
/* Raises the rtol of each point until it accepts two elements with this distance. (closeness.c) */
void pm_judge__closeness_add(struct pm_closeness *closeness, double apart, double size);
/* Compares two arrays whose bytes were deleted, by the closeness of `got`. (closeness.c) */
void pm_judge__compare_closeness(const struct pm_leaf *got, const struct pm_leaf *want,
                                 const struct pm_compare_rule *rule, struct pm_difference *out);

/* Compares two canonical JSON texts: floating-point numbers by the tolerance of float64, all else
 * exactly (as sets, or by kind only, if the rule says so). (plain.c) */
void pm_judge__compare_json(const char *path, const char *got, const char *want,
                            const struct pm_compare_rule *rule, struct pm_difference *out);
/* Returns whether a canonical JSON text contains a floating-point number. (plain.c) */
bool pm_judge__json_floats(const char *text);

/* Converts a JSON number or truth value to an array without dimensions; returns false for any other
 * value. The caller releases *out. (number.c) */
bool pm_judge__number_array(const json_t *value, struct pm_array *out);
/* Return whether a JSON value is a number to which tolerances apply (a floating-point number, an
 * infinity, a NaN or a complex number), and whether it is a complex number. (number.c) */
bool pm_judge__is_inexact(const json_t *value);
bool pm_judge__is_complex(const json_t *value);
/* Return the real and the imaginary part of such a number; the imaginary part of a real number is
 * 0. (number.c) */
double pm_judge__real(const json_t *value);
double pm_judge__imag(const json_t *value);

/* One vector: `length` elements from `first` on, `step` apart. */
struct pm_judge__vector {
    size_t first, step, length;
};

/* Sets *out to a copy of `got` whose vectors along the last axis but one are turned towards those
 * of `want`. Returns false if the arrays have no such axis, are empty or are not floating. The
 * caller releases *out. (sign.c) */
bool pm_judge__align(const struct pm_array *got, const struct pm_array *want, struct pm_array *out);

/* Records a difference, unless one is recorded already, and sets smallest_rtol to NaN, because no
 * tolerance would make the comparison pass. (difference.c) */
void pm_judge__differ(struct pm_difference *out, enum pm_difference_kind kind, const char *path,
                      const char *format, ...) PM_PRINTF(4, 5);

#endif
