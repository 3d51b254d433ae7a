/* Finds the known word that is nearest to a mistyped word, for "did you mean" in messages. */
#ifndef PM_BASE_NEAREST_H
#define PM_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Words longer than this are never near another word. */
enum { PM_NEAREST_LONGEST = 128 };

/* Returns how many letters must be inserted, removed, replaced or exchanged with the next letter to
 * turn `a` into `b`; PM_NEAREST_LONGEST if either word is longer than that. Upper and lower case
 * differ. */
size_t pm_nearest_distance(const char *a, const char *b);

/* Returns the word that is nearest to `word`, if the difference may be a typing mistake: at most
 * two errors, three from nine letters on, and fewer errors than either word has letters (a `word`
 * of one letter may have one error). A word that differs only in upper and lower case has one
 * error. If several words are equally near, returns the first. If no word is near and `word` has at
 * least three letters, returns the only known word that begins with `word`. Returns NULL if there
 * is no such word, if `word` is known, or if `word` is a number, because every number of two digits
 * is near another. */
const char *pm_nearest(const char *word, const char *const *known, size_t count);

/* Returns whether there are at least half as many errors as letters in `word`, as in "xml" for
 * "html". A message then names the other words too. */
bool pm_nearest_is_weak(const char *word, const char *nearest);

/* Works like pm_nearest(), for names with dots. If no name is near as a whole, returns the name
 * whose last part is nearest, so that 'LBFGS' and 'torch.LBFGS' find 'torch.optim.LBFGS'. */
const char *pm_nearest_name(const char *name, const char *const *known, size_t count);

/* Sets the text "WHAT: did you mean 'X'?" if one of the known names is near `word`, otherwise
 * "WHAT: ADVICE", and returns `code`. `format` and its arguments give WHAT, which says what is
 * wrong. */
int pm_nearest_error(struct pm_error *err, int code, const char *word, const char *const *known,
                     size_t count, const char *advice, const char *format, ...) PM_PRINTF(7, 8);

#endif
