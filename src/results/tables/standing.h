/* Declares the numbers that the headline prints about a target. Private to the room. */
#ifndef PM_TABLES_STANDING_H
#define PM_TABLES_STANDING_H

#include "reading/reading.h"
#include "tables/kinds.h"

/* Numbers about the ratios of a target's functions, for small inputs. */
struct speeds {
    size_t timed, intolerable, faster; /* faster: by more than the intolerable factor */
    size_t over_10x_slower, over_10x_faster;
    double median; /* NaN: none was timed */
};

/* The shares of working functions if all blocked functions fail, and if all work. The result is
 * inconclusive if more than a tenth of the functions is blocked. */
struct bounds {
    int64_t blocked;
    double low, high;
    bool inconclusive;
};

struct standing {
    int target;
    struct tally tally;
    struct speeds speeds;
    double calls,
        surviving; /* calls of counted functions, and those of working functions among them */
};

struct standing pm_tables__standing(const struct pm_reading *r, int target);
struct bounds pm_tables__bounds(const struct tally *t);
/* Returns how many of `count` targets have a line of their own in the headline. */
size_t pm_tables__count_named(size_t count);

/* Returns the warnings of the shown runs and targets as one line, "" if there are none; the caller
 * frees the line. `option`: " --db FILE" for commands that the reader may copy (warnings.c). */
char *pm_tables__warnings(const struct pm_reading *r, const struct standing *standings,
                          size_t count, const char *option);

#endif
