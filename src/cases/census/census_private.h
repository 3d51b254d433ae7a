/* Declarations that the files of this room share. */
#ifndef PM_CENSUS_CENSUS_PRIVATE_H
#define PM_CENSUS_CENSUS_PRIVATE_H

#include "base/str.h"
#include "census/census.h"

/* Adds a row with the status NOT_TRIED. The result is valid until the next row is added. */
struct pm_census_row *pm_census__add(struct pm_census *census, const char *name);

/* Returns FOLDER/FRAMEWORK, or, of a shard, FOLDER/FRAMEWORK.shard-K-of-N, and the extension. The
 * caller frees it. */
char *pm_census__file(const char *framework, const struct pm_shard *shard, const char *folder,
                      const char *extension);
/* Appends the line of a pack that describes its shard. */
void pm_census__add_shard(const struct pm_census *census, struct pm_str *out);
/* Reads this line, without "# ". Returns false if it is not such a line. */
bool pm_census__read_shard(struct pm_census *census, const char *line);

#endif
