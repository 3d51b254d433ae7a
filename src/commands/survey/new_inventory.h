/* Records the inventory of an environment. Private to the room. */
#ifndef PM_SURVEY_NEW_INVENTORY_H
#define PM_SURVEY_NEW_INVENTORY_H

#include "base/request.h"
#include "environment/environment.h"
#include "inventory/stored.h"

/* Lists the names of the environment's framework and stores them. *item becomes the inventory,
 * which the caller releases. */
PM_MUST_USE int pm_survey__new_inventory(struct pm_store *store,
                                         const struct pm_environment *environment,
                                         const struct pm_messages *messages,
                                         struct pm_stored_inventory *item, struct pm_error *err);

#endif
