/* The nearest of known words to one that a person mistyped: for "did you mean". */
#ifndef PM_BASE_NEAREST_H
#define PM_BASE_NEAREST_H

#include <stddef.h>

/* Words longer than this are near nothing. */
enum { PM_NEAREST_LONGEST = 64 };

/* How many letters must be inserted, removed, replaced or exchanged with the next one to make `b` of
 * `a`; PM_NEAREST_LONGEST if one of them is longer than that. Upper and lower case differ. */
size_t pm_nearest_distance(const char *a, const char *b);

/* The word that is nearest to `word`, and near enough for a slip of typing: at most one error in
 * three letters, and at most three. NULL if none is, or if `word` is known. Of several, the first. */
const char *pm_nearest(const char *word, const char *const *known, size_t count);

#endif
