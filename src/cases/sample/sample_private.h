/* Declarations that the files of this room share. */
#ifndef PM_SAMPLE_SAMPLE_PRIVATE_H
#define PM_SAMPLE_SAMPLE_PRIVATE_H

#include "base/map.h"
#include "sample/sample.h"

/* The exclusions and choices of a plan by name. pm_sample__words_make() fails with PM_EUSAGE if
 * they are invalid. The pointers are borrowed from the plan. */
struct pm_sample__words {
    struct pm_map exclusions; /* name -> const struct pm_exclusion * */
    struct pm_map choices;    /* name -> const struct pm_choice *    */
};
PM_MUST_USE int pm_sample__words_make(const struct pm_ranking *ranking,
                                      const struct pm_sample_plan *plan,
                                      struct pm_sample__words *out, struct pm_error *err);
void pm_sample__words_release(struct pm_sample__words *words);
const struct pm_exclusion *pm_sample__exclusion(const struct pm_sample__words *words,
                                                const char *name);
const struct pm_choice *pm_sample__choice(const struct pm_sample__words *words, const char *name);

/* A stratum and the functions in it that may be drawn: `members` are indices into the ranking, most
 * used first until the draw shuffles them. */
struct pm_sample__stratum {
    struct pm_sample_stratum summary;
    size_t *members, count, capacity;
};
struct pm_sample__strata {
    struct pm_sample__stratum *items;
    size_t count, capacity;
};
/* Makes the strata: the top, then the functions that are pinned outside of it, if any, then the
 * deciles from the lowest. */
void pm_sample__strata_make(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                            const struct pm_sample__words *words,
                            const double percentiles[static PM_DECILES + 1],
                            struct pm_sample__strata *out);
void pm_sample__strata_release(struct pm_sample__strata *strata);

#endif
