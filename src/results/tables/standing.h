/* What the headline says about a target. Private to the room. */
#ifndef PM_TABLES_STANDING_H
#define PM_TABLES_STANDING_H

#include "reading/reading.h"
#include "tables/kinds.h"

/* The ratios of a target's functions, of small inputs. */
struct speeds {
    size_t timed, intolerable, faster; /* faster: by more than what is intolerable the other way */
    size_t over_10x_slower, over_10x_faster;
    double median; /* NaN: none was timed */
};

/* Shares if all blocked functions fail, and if all work; over a tenth of them leaves it open. */
struct bounds {
    int64_t blocked;
    double low, high;
    bool inconclusive;
};

struct standing {
    int target;
    struct tally tally;
    struct speeds speeds;
    double calls, surviving; /* to functions that count, and of them to those that work */
};

struct standing pm_tables__standing(const struct pm_reading *r, int target);
struct bounds pm_tables__bounds(const struct tally *t);
/* Returns how many of `count` targets have a line of their own in the headline. */
size_t pm_tables__count_named(size_t count);

/* Returns the warnings of the shown runs and targets as one line, "" if there are none; the caller
 * frees. `option`: " --db FILE" for commands that the reader may copy (warnings.c). */
char *pm_tables__warnings(const struct pm_reading *r, const struct standing *standings,
                          size_t count, const char *option);

#endif
