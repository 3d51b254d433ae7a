/* What the files of this room share. */
#ifndef PM_CENSUS_CENSUS_PRIVATE_H
#define PM_CENSUS_CENSUS_PRIVATE_H

#include "census/census.h"

/* Adds a row that was not tried; borrowed until the next one is added. */
struct pm_census_row *pm_census__add(struct pm_census *census, const char *name);

#endif
