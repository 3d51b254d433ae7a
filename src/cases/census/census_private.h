/* Declarations that the files of this room share. */
#ifndef PM_CENSUS_CENSUS_PRIVATE_H
#define PM_CENSUS_CENSUS_PRIVATE_H

#include "census/census.h"

/* Adds a row with the status NOT_TRIED. The result is valid until the next row is added. */
struct pm_census_row *pm_census__add(struct pm_census *census, const char *name);

#endif
